// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA devices. Their ports are in ib_port.c, the chunks of send space that are
 * mapped for them in chunk.c.
 *
 * A device is removed in these steps, in this order:
 *
 *   unlist		no new lookup finds the device
 *   fail its links	posting gates close, no new link is built
 *   end the groups	their work drains and destroys each queue pair, then
 *			unmaps the group's RMBs
 *   wait for @refs	lookups and verbs objects are gone: the device touches
 *			no memory of smcr now, but for @kept. Handshakes do not
 *			delay this: they keep the structure only
 *   destroy @kept	what the device did not destroy before. A driver that
 *			knows its adapter to be reset or gone can do it now
 *   unmap the chunks	also those in use. A connection keeps its chunks for as
 *			long as its socket lives, but with the gate closed
 *			nothing maps or syncs them
 *   drop @mem		the structure is freed with the last link, chunk or
 *			port that refers to it
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "chunk.h"
#include "ib.h"
#include "ib_gids.h"
#include "lgr.h"
#include "lgr_links.h"
#include "link.h"
#include "link_gone.h"

/* Pages of the largest RMB; some devices report a limit of terabytes */
#define IB_RMB_PAGES_MAX	((u32)(SMCR_MAX_RMBES * SMCR_RMBE_SIZE_MAX / \
				       PAGE_SIZE))

/**
 * struct smcr_ib_events - subscription to a device's events
 * @handler: for ib_core
 * @dev: the device
 * @work: asks ports of @dev for their state, and reports to the groups that one
 *	may be spare
 * @flags: IB_NEWS: @work is to report, too
 */
struct smcr_ib_events {
	struct ib_event_handler	handler;
	struct smcr_ibdev	*dev;
	struct work_struct	work;
	unsigned long		flags;
};

#define IB_NEWS	0

static void ib_dev_release(struct kref *mem)
{
	struct smcr_ibdev *dev = container_of(mem, struct smcr_ibdev, mem);

	kfree(dev->vectors);
	/* Lookups under RCU may still read it */
	kfree_rcu(dev, rcu);
}

/**
 * smcr_ib_dev_hold() - keep a device's structure, not the device
 * @dev: the device
 *
 * Context: any.
 */
void smcr_ib_dev_hold(struct smcr_ibdev *dev)
{
	kref_get(&dev->mem);
}

/**
 * smcr_ib_dev_drop() - undo smcr_ib_dev_hold()
 * @dev: the device
 *
 * Context: any.
 */
void smcr_ib_dev_drop(struct smcr_ibdev *dev)
{
	kref_put(&dev->mem, ib_dev_release);
}

static void ib_dev_put(struct smcr_ibdev *dev)
{
	if (refcount_dec_and_test(&dev->refs))
		complete(&dev->released);
}

/* Keep the device itself from removal; fails once removal has begun. */
static bool __must_check ib_dev_tryget(struct smcr_ibdev *dev)
{
	return !READ_ONCE(dev->removing) && refcount_inc_not_zero(&dev->refs);
}

/**
 * smcr_ib_port_drop() - undo smcr_ib_port_find()
 * @port: the port; @port->dev becomes NULL
 *
 * Does nothing if @port->dev is NULL already.
 *
 * Context: any.
 */
void smcr_ib_port_drop(struct smcr_port *port)
{
	struct smcr_ibdev *dev = port->dev;

	port->dev = NULL;
	if (dev)
		smcr_ib_dev_drop(dev);
}

/**
 * smcr_ib_port_tryget() - keep a port's device from being removed
 * @port: a port from smcr_ib_port_find(), not dropped yet
 *
 * Context: any.
 * Return: false if the device is being removed or was removed.
 */
bool smcr_ib_port_tryget(const struct smcr_port *port)
{
	return ib_dev_tryget(port->dev);
}

/**
 * smcr_ib_port_put() - undo smcr_ib_port_tryget()
 * @port: the port; @port->dev becomes NULL
 *
 * Context: any.
 */
void smcr_ib_port_put(struct smcr_port *port)
{
	struct smcr_ibdev *dev = port->dev;

	port->dev = NULL;
	ib_dev_put(dev);
}

/**
 * smcr_ib_dev_name() - name of a device
 * @dev: a device that the caller keeps from removal: smcr_ib_port_tryget(), or
 *	smcr_link_verbs_get() for a link's device; or under RCU, a listed one
 *
 * Context: any.
 * Return: the name, valid as long as the device is kept.
 */
const char *smcr_ib_dev_name(const struct smcr_ibdev *dev)
{
	/* ib_device_rename() frees the string of dev_name(), but overwrites
	 * this one in place.
	 */
	return dev->ibdev->name;
}

/**
 * smcr_ib_vector_get() - choose the completion vector of a completion queue
 * @dev: the device
 *
 * It is one with the fewest queues. A server builds two queues for each first
 * contact, and a client with one adapter refuses the second one; if they took
 * the vectors in turn, half of the vectors would have no queue that lasts.
 *
 * Context: any.
 * Return: the vector, for smcr_ib_vector_put().
 */
u32 smcr_ib_vector_get(struct smcr_ibdev *dev)
{
	/* Of vectors that are equal, each adapter of the host takes another */
	u32 i, vector, best = get_random_u32_below(dev->n_vectors);
	unsigned long irq;

	vector = best;
	spin_lock_irqsave(&dev->links_lock, irq);
	for (i = 1; i < dev->n_vectors; i++) {
		vector = vector + 1 < dev->n_vectors ? vector + 1 : 0;
		if (dev->vectors[vector] < dev->vectors[best])
			best = vector;
	}
	dev->vectors[best]++;
	spin_unlock_irqrestore(&dev->links_lock, irq);
	return best;
}

/**
 * smcr_ib_vector_put() - a completion queue is gone
 * @dev: its device
 * @vector: its completion vector
 *
 * Context: any.
 */
void smcr_ib_vector_put(struct smcr_ibdev *dev, u32 vector)
{
	unsigned long irq;

	spin_lock_irqsave(&dev->links_lock, irq);
	dev->vectors[vector]--;
	spin_unlock_irqrestore(&dev->links_lock, irq);
}

/* Devices */

/* The groups are not looked for in ib_event(): ib_core reports some events
 * under rtnl, net_rwsem and the mutex of the GID table. A burst of events is
 * one report. What the ports are is asked first, so that most groups need not
 * look twice.
 */
static void ib_port_work(struct work_struct *work)
{
	struct smcr_ib_events *events;

	events = container_of(work, struct smcr_ib_events, work);
	smcr_ib_ports_ask(events->dev);
	if (test_and_clear_bit(IB_NEWS, &events->flags))
		smcr_lgr_port_ready(events->dev);
}

/**
 * smcr_ib_ready_later() - report to the groups that a port may be spare
 * @dev: the device; the caller keeps it from removal, or is its work
 *
 * Context: any.
 */
void smcr_ib_ready_later(struct smcr_ibdev *dev)
{
	set_bit(IB_NEWS, &dev->events->flags);
	schedule_work(&dev->events->work);
}

/**
 * smcr_ib_ask_later() - have the ports that are due asked for their state
 * @dev: as for smcr_ib_ready_later()
 *
 * Context: any.
 */
void smcr_ib_ask_later(struct smcr_ibdev *dev)
{
	schedule_work(&dev->events->work);
}

/* Port events are hints, and can be lost. After one, the links of the port are
 * tested by TEST LINK, and the queue pairs' retries decide whether they fail.
 * Only the loss of the whole device fails its links at once.
 */
static void ib_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct smcr_ib_events *events;

	events = container_of(handler, struct smcr_ib_events, handler);
	switch (event->event) {
	case IB_EVENT_DEVICE_FATAL:
		smcr_link_device_failed(events->dev, -EIO);
		break;
	case IB_EVENT_PORT_ERR:
		smcr_link_port_down(events->dev, event->element.port_num);
		smcr_ib_port_event(events->dev, event->element.port_num);
		break;
	case IB_EVENT_PORT_ACTIVE:
		smcr_ib_port_event(events->dev, event->element.port_num);
		smcr_ib_gids_update(events->dev);
		smcr_ib_ready_later(events->dev);
		break;
	case IB_EVENT_GID_CHANGE:
		if (smcr_ib_gids_update(events->dev))
			smcr_ib_ready_later(events->dev);
		smcr_link_gids_changed(events->dev);
		break;
	default:
		break;
	}
}

static bool ib_has_roce(struct ib_device *ibdev)
{
	u32 port;

	rdma_for_each_port(ibdev, port) {
		if (rdma_protocol_roce(ibdev, port))
			return true;
	}
	return false;
}

static bool ib_supported(struct ib_device *ibdev)
{
	if (ibdev->node_type == RDMA_NODE_RNIC) {
		pr_info("%s is not used: it is an iWARP device, SMC-R needs RoCE\n",
			dev_name(&ibdev->dev));
		return false;
	}
	if (ibdev->node_type != RDMA_NODE_IB_CA || !ib_has_roce(ibdev))
		return false;
	if (!(ibdev->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS)) {
		pr_info("%s is not used: it cannot register memory by work request\n",
			dev_name(&ibdev->dev));
		return false;
	}
	return true;
}

static struct smcr_ibdev *ib_dev_alloc(struct ib_device *ibdev)
{
	u32 n_ports = rdma_end_port(ibdev) + 1;
	struct smcr_ibdev *dev;

	dev = kzalloc(struct_size(dev, ports, n_ports), GFP_KERNEL);
	if (!dev)
		return NULL;
	dev->n_ports = n_ports;
	mutex_init(&dev->port_mutex);
	dev->n_vectors = max(ibdev->num_comp_vectors, 1);
	dev->vectors = kcalloc(dev->n_vectors, sizeof(*dev->vectors),
			       GFP_KERNEL);
	dev->events = kzalloc(sizeof(*dev->events), GFP_KERNEL);
	if (!dev->vectors || !dev->events) {
		kfree(dev->vectors);
		kfree(dev->events);
		kfree(dev);
		return NULL;
	}
	dev->ibdev = ibdev;
	dev->node = ibdev_to_node(ibdev);
	refcount_set(&dev->refs, 1);
	kref_init(&dev->mem);
	init_completion(&dev->released);
	INIT_LIST_HEAD(&dev->list);
	spin_lock_init(&dev->links_lock);
	INIT_LIST_HEAD(&dev->links);
	init_llist_head(&dev->kept);
	smcr_chunks_init(dev);
	dev->max_mr_pages = min(ibdev->attrs.max_fast_reg_page_list_len,
				IB_RMB_PAGES_MAX);
	dev->max_qp_wr = ibdev->attrs.max_qp_wr;
	dev->max_cqe = ibdev->attrs.max_cqe;
	dev->max_send_sge = ibdev->attrs.max_send_sge;
	return dev;
}

static int ib_add(struct ib_device *ibdev);
static void ib_remove(struct ib_device *ibdev, void *client_data);

static struct ib_client ib_client = {
	.name	= "smcr",
	.add	= ib_add,
	.remove	= ib_remove,
};

static int ib_add(struct ib_device *ibdev)
{
	struct smcr_ibdev *dev;

	if (!ib_supported(ibdev))
		return -EOPNOTSUPP;
	dev = ib_dev_alloc(ibdev);
	if (!dev)
		return -ENOMEM;
	dev->events->dev = dev;
	INIT_WORK(&dev->events->work, ib_port_work);
	INIT_IB_EVENT_HANDLER(&dev->events->handler, ibdev, ib_event);
	ib_register_event_handler(&dev->events->handler);
	ib_set_client_data(ibdev, &ib_client, dev);
	if (smcr_ib_ports_add(dev)) {
		ib_unregister_event_handler(&dev->events->handler);
		cancel_work_sync(&dev->events->work);
		smcr_ib_ports_free(dev);
		kfree(dev->events);
		smcr_ib_dev_drop(dev);
		return -ENOMEM;
	}
	smcr_ib_ready_later(dev);
	return 0;
}

/* Runs without rtnl. The steps and their order are at the top of this file. */
static void ib_remove(struct ib_device *ibdev, void *client_data)
{
	struct smcr_ibdev *dev = client_data;

	smcr_ib_ports_del(dev);
	ib_unregister_event_handler(&dev->events->handler);
	smcr_link_device_failed(dev, -ENODEV);
	smcr_lgr_device_removed(dev);
	ib_dev_put(dev);
	wait_for_completion(&dev->released);
	smcr_link_kept_destroy(dev);
	/* Whoever queues it holds a reference to the device, or is the work */
	cancel_work_sync(&dev->events->work);
	smcr_chunks_unmap(dev);
	smcr_ib_ports_free(dev);
	kfree(dev->events);
	smcr_ib_dev_drop(dev);
}

/* Netdevs */

static void netdev_ready(const struct net_device *ndev)
{
	struct smcr_ibdev *dev;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &smcr_ib_devices, list) {
		if (!smcr_ib_on_netdev(dev, ndev) || !ib_dev_tryget(dev))
			continue;
		smcr_ib_ready_later(dev);
		ib_dev_put(dev);
	}
	rcu_read_unlock();
}

static void netdev_mtu_changed(const struct net_device *ndev)
{
	struct smcr_ibdev *dev;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &smcr_ib_devices, list)
		if (smcr_ib_on_netdev(dev, ndev))
			smcr_ib_ports_mtu_changed(dev);
	rcu_read_unlock();
}

static void netdev_down(const struct net_device *ndev)
{
	struct smcr_ibdev *dev;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &smcr_ib_devices, list)
		smcr_link_netdev_down(dev, dev_net(ndev), ndev->ifindex);
	rcu_read_unlock();
}

/* A netdev that carries GIDs, such as a VLAN netdev, can go down and come up
 * without an event of its RoCE port. No port reports a new MTU of its netdev
 * either, and the port may become usable by it.
 */
static int ib_netdev_event(struct notifier_block *block, unsigned long event,
			   void *info)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(info);

	switch (event) {
	case NETDEV_CHANGEMTU:
		netdev_mtu_changed(ndev);
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		break;
	default:
		return NOTIFY_DONE;
	}
	if (!smcr_ib_port_usable(ndev))
		return NOTIFY_DONE;
	if (netif_running(ndev) && netif_carrier_ok(ndev))
		netdev_ready(ndev);
	else
		netdev_down(ndev);
	return NOTIFY_DONE;
}

/* Drivers of software devices learn of the same events by notifiers, which have
 * to run before groups look at the port.
 */
static struct notifier_block ib_netdev_block = {
	.notifier_call	= ib_netdev_event,
	.priority	= INT_MIN,
};

/**
 * smcr_ib_init() - start using the host's RDMA devices
 *
 * Context: module load.
 * Return: 0 or -errno.
 */
int smcr_ib_init(void)
{
	int err = ib_register_client(&ib_client);

	if (err)
		return err;
	err = register_netdevice_notifier(&ib_netdev_block);
	if (err)
		ib_unregister_client(&ib_client);
	return err;
}

/**
 * smcr_ib_exit() - stop using all RDMA devices
 *
 * Context: module unload, after all link groups were terminated; waits for
 * the last link.
 */
void smcr_ib_exit(void)
{
	unregister_netdevice_notifier(&ib_netdev_block);
	ib_unregister_client(&ib_client);
}
