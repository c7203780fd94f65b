// SPDX-License-Identifier: GPL-2.0
/*
 * Links: the life of a queue pair (RFC 7609 2.2, 3.5.1.4).
 *
 * Every link ends in the same steps, in this order:
 *
 *   close the gate	under tx_lock, in any context; no request is posted
 *			after this
 *   report		once, to the group, whose work calls smcr_link_stop()
 *   leave the device	device removal no longer finds the link
 *   drain		no timer fails the link; the queue pair goes to ERR,
 *			each completion is reaped; the group tells its
 *			connections
 *   verbs objects	queue pair and completion queue are destroyed. From here
 *			on no completion can name the link
 *   slots		the references that are left in send slots are dropped:
 *			DEAD
 *   RMB mappings	the group removes them, and a work item of the link
 *			takes them off the device; the last one frees the
 *			protection domain and the device reference
 *   memory		send slots and receive buffers are freed with the last
 *			reference, which an LLC message or a connection may own
 *
 * So the memory that completions point to (wr.c, wr_recv.c) outlives the
 * completion queue, and device removal waits for verbs objects, never for a
 * connection that an application keeps open.
 *
 * A device may fail to destroy an object, as bnxt_re does when its firmware
 * stalls. It may use the memory of the object then, and the driver may call the
 * object's handlers. What the link owns to others goes as usual: it is DEAD,
 * leaves its group, and drops its references to connections, group and device,
 * so that neither the end of a namespace nor the removal of the device waits.
 * What stays, on the list of the device's structure, is
 *
 *   after a queue pair or completion queue: this structure and what its @wr,
 *	@rq and @cq own, with the DMA mappings, but not the send space. The
 *	handlers find a closed completion queue and a failed link, and do
 *	nothing; they use neither @lgr nor a connection.
 *   after a memory region: the RMB's pages and their DMA mapping (rmb.c)
 *   after any: the protection domain, which the object names
 *
 * Send space is only read. A queue pair reads it as long as it repeats
 * requests, so send space returns to its users after that time.
 *
 * The module is pinned meanwhile: the handlers are its code, and RDMA's core
 * has pointers to the name of the protection domain's user. When smcr leaves
 * the device, the objects are destroyed once more. A driver that knows its
 * adapter to be reset or gone can do that. If it fails, memory and module stay
 * for good. While the module is being unloaded, it cannot be pinned any more.
 * Then smcr leaves the device only when all is destroyed; no lock is held that
 * the driver may need for it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>
#include <trace/events/smcr.h>

#include "lgr.h"
#include "lgr_links.h"
#include "link.h"
#include "link_gone.h"
#include "mib.h"
#include "smcr.h"
#include "wr.h"

/* Inline bytes to ask a device for: enough for a small write, or else at least
 * for a CDC or LLC message
 */
#define LINK_INLINE		64u
#define LINK_INLINE_MSG		SMCR_ROCE_MSG_LEN
/* Hop limit: both ends are on one LAN (2.2). No router passes the packets on,
 * and a peer elsewhere gets no CONFIRM LINK.
 */
#define LINK_HOPS		1
/* Delay that a receiver without a posted receive asks the sender for: six
 * retries of 122.88 ms are 0.7 s, longer than a virtual machine is usually
 * descheduled.
 */
#define LINK_RNR_TIMER		IB_RNR_TIMER_122_88
/* Largest retry count. A count of 7 means "retry without end", and a dead path
 * would never fail the link.
 */
#define LINK_RETRY_MAX		6

/* Values are the next state + 1. Without an entry the event is illegal in that
 * state; an entry that names the state itself means that nothing happens.
 */
#define TO(state) (SMCR_LINK_##state + 1)
static const u8 link_next[][SMCR_LINK_N_EVENTS] = {
	[SMCR_LINK_INIT] = {
		[SMCR_LINK_EV_CONNECTED]	= TO(READY),
		[SMCR_LINK_EV_FAIL]		= TO(FAILED),
	},
	[SMCR_LINK_READY] = {
		[SMCR_LINK_EV_CONFIRMED]	= TO(ACTIVE),
		[SMCR_LINK_EV_FAIL]		= TO(FAILED),
	},
	[SMCR_LINK_ACTIVE] = {
		[SMCR_LINK_EV_FAIL]		= TO(FAILED),
	},
	[SMCR_LINK_FAILED] = {
		[SMCR_LINK_EV_FAIL]		= TO(FAILED),
		[SMCR_LINK_EV_DRAINED]		= TO(DEAD),
	},
	[SMCR_LINK_DEAD] = {
		[SMCR_LINK_EV_FAIL]		= TO(DEAD),
	},
};

#undef TO

/* Change the state, and open or close the posting gate with it. No other
 * function does.
 */
static int __must_check link_event(struct smcr_link *link,
				   enum smcr_link_event event)
{
	enum smcr_link_state old = link->state;
	u8 next = link_next[old][event];
	bool open;

	lockdep_assert_held(&link->tx_lock);
	if (!next)
		return -EINVAL;
	next--;
	if (next == old)
		return 0;
	open = next == SMCR_LINK_READY || next == SMCR_LINK_ACTIVE;
	/* Pairs with smcr_link_state(): a reader of the state also sees what
	 * was set up before, such as the queue pair of a link that is READY
	 */
	smp_store_release(&link->state, next);
	/* Pairs with writes_prepare(), which needs what was set up before */
	smp_store_release(&link->gate_open, open);
	link->changed = get_jiffies_64();
	trace_smcr_link_state(link->lgr->id, link->num, old, event, next);
	return 0;
}

/**
 * smcr_link_event() - apply an event to a link's state
 * @link: the link
 * @event: what happened
 *
 * Context: any; takes tx_lock.
 * Return: 0, or -EINVAL if the event is illegal in the link's state.
 */
int smcr_link_event(struct smcr_link *link, enum smcr_link_event event)
{
	unsigned long irq;
	int err;

	spin_lock_irqsave(&link->tx_lock, irq);
	err = link_event(link, event);
	spin_unlock_irqrestore(&link->tx_lock, irq);
	return err;
}

static enum smcr_link_reason fail_reason(int err)
{
	switch (err) {
	case -ETIMEDOUT:
		return SMCR_LINK_R_NO_ANSWER;
	case -ECONNRESET:
		return SMCR_LINK_R_PEER_DELETED;
	case -ENOLINK:
		return SMCR_LINK_R_PEER_LEFT;
	case -EPROTO:
		return SMCR_LINK_R_PROTOCOL;
	case -EREMOTEIO:
		return SMCR_LINK_R_REMOTE_ERROR;
	case -ENODEV:
		return SMCR_LINK_R_DEVICE_REMOVED;
	case -ECANCELED:
		return SMCR_LINK_R_OPERATOR;
	case -ESHUTDOWN:
		return SMCR_LINK_R_ENDED;
	case -EALREADY:
		return SMCR_LINK_R_REPLACED;
	default:
		return SMCR_LINK_R_DEVICE_ERROR;
	}
}

/**
 * smcr_link_change() - get the last change of a link, for displays
 * @link: the link
 * @out: result
 *
 * Context: any, no lock of the link held.
 */
void smcr_link_change(struct smcr_link *link, struct smcr_link_change *out)
{
	unsigned long irq;

	spin_lock_irqsave(&link->tx_lock, irq);
	out->state = link->state;
	out->reason = link->added;
	if (link->state >= SMCR_LINK_FAILED)
		out->reason = fail_reason(link->fail_errno);
	out->at = link->changed;
	spin_unlock_irqrestore(&link->tx_lock, irq);
}

/**
 * smcr_link_fail_locked() - close the posting gate
 * @link: the link
 * @err: why, -errno
 *
 * Context: any; tx_lock held.
 * Return: true if the caller must call smcr_link_report() after it has dropped
 * the lock.
 */
bool smcr_link_fail_locked(struct smcr_link *link, int err)
{
	enum smcr_link_state old = link->state;

	lockdep_assert_held(&link->tx_lock);
	WARN_ON_ONCE(link_event(link, SMCR_LINK_EV_FAIL));
	if (link->state == old)
		return false;
	link->fail_errno = err;
	return true;
}

/**
 * smcr_link_report() - report a failed link to its group, once
 * @link: the link
 *
 * Context: any, no lock of the link held.
 */
void smcr_link_report(struct smcr_link *link)
{
	lockdep_assert_not_held(&link->tx_lock);
	if (!test_and_set_bit(SMCR_LINK_F_REPORTED, &link->flags))
		smcr_lgr_link_failed(link);
}

/**
 * smcr_link_fail() - take a link out of use
 * @link: the link
 * @err: why, -errno; only the first reason is kept
 *
 * Closes the gate and reports the failure to the group, whose work stops the
 * link.
 *
 * Context: any, also hard irq; no lock of the link held.
 */
void smcr_link_fail(struct smcr_link *link, int err)
{
	unsigned long irq;
	bool report;

	spin_lock_irqsave(&link->tx_lock, irq);
	report = smcr_link_fail_locked(link, err);
	spin_unlock_irqrestore(&link->tx_lock, irq);
	if (report)
		smcr_link_report(link);
}

/**
 * smcr_link_device_failed() - fail all links of a device
 * @dev: the device
 * @err: why, -errno; -ENODEV if the device is being removed, and then no new
 *	link is built on it
 *
 * Context: any.
 */
void smcr_link_device_failed(struct smcr_ibdev *dev, int err)
{
	struct smcr_link *link;
	unsigned long irq;

	spin_lock_irqsave(&dev->links_lock, irq);
	if (err == -ENODEV)
		WRITE_ONCE(dev->removing, true);
	list_for_each_entry(link, &dev->links, dev_node)
		smcr_link_fail(link, err);
	spin_unlock_irqrestore(&dev->links_lock, irq);
}

/**
 * smcr_link_port_down() - handle a device's report that a port is down
 * @dev: the device
 * @port: the port's number
 *
 * The port may be back in a moment, and the queue pairs' retries bridge that.
 * But a link without traffic would not notice a port that stays down. So each
 * link of the port is tested by TEST LINK, and fails without a reply. The only
 * link of a group is not, as its connections have nowhere to move; see
 * llc_test.c.
 *
 * Context: any.
 */
void smcr_link_port_down(struct smcr_ibdev *dev, u32 port)
{
	struct smcr_link *link;
	unsigned long irq;

	spin_lock_irqsave(&dev->links_lock, irq);
	list_for_each_entry(link, &dev->links, dev_node)
		if (link->local.port == port)
			smcr_lgr_link_port_lost(link);
	spin_unlock_irqrestore(&dev->links_lock, irq);
}

/**
 * smcr_link_netdev_down() - test a device's links after a netdev went down
 * @dev: the device
 * @net: namespace of the netdev
 * @ifindex: the netdev
 *
 * A VLAN netdev can go down while the port stays up. Some adapters send without
 * the netdev, so that only TEST LINK tells whether the links still work.
 *
 * Context: any.
 */
void smcr_link_netdev_down(struct smcr_ibdev *dev, const struct net *net,
			   int ifindex)
{
	struct smcr_link *link;
	unsigned long irq;

	spin_lock_irqsave(&dev->links_lock, irq);
	list_for_each_entry(link, &dev->links, dev_node)
		if (link->local.ifindex == ifindex && link->lgr->net == net)
			smcr_lgr_link_port_lost(link);
	spin_unlock_irqrestore(&dev->links_lock, irq);
}

/**
 * smcr_link_gids_changed() - test the links whose local GID was removed
 * @dev: the device
 *
 * A connected queue pair keeps the table entry of its GID, but adapters may no
 * longer send or receive with it.
 *
 * Context: any.
 */
void smcr_link_gids_changed(struct smcr_ibdev *dev)
{
	struct smcr_link *link;
	unsigned long irq;

	spin_lock_irqsave(&dev->links_lock, irq);
	list_for_each_entry(link, &dev->links, dev_node)
		if (!smcr_ib_gid_valid(&link->local))
			smcr_lgr_link_port_lost(link);
	spin_unlock_irqrestore(&dev->links_lock, irq);
}

/* smcr_link_drain() closes the gate before it takes the link off the list. So a
 * link that joins while it is being drained is either refused here, or found
 * there.
 */
static int __must_check link_join_device(struct smcr_link *link)
{
	struct smcr_ibdev *dev = link->local.dev;
	unsigned long irq;
	int err = -ENODEV;

	spin_lock_irqsave(&dev->links_lock, irq);
	if (!dev->removing && smcr_link_state(link) < SMCR_LINK_FAILED) {
		list_add(&link->dev_node, &dev->links);
		err = 0;
	}
	spin_unlock_irqrestore(&dev->links_lock, irq);
	return err;
}

static void link_leave_device(struct smcr_link *link)
{
	struct smcr_ibdev *dev = link->local.dev;
	unsigned long irq;

	spin_lock_irqsave(&dev->links_lock, irq);
	list_del_init(&link->dev_node);
	spin_unlock_irqrestore(&dev->links_lock, irq);
}

/* May run in hard irq. The link's structure outlives its queue pair, and the
 * destruction of the queue pair waits for this handler.
 */
static void link_qp_event(struct ib_event *event, void *context)
{
	struct smcr_link *link = context;

	switch (event->event) {
	case IB_EVENT_QP_ACCESS_ERR:
	case IB_EVENT_QP_REQ_ERR:
		smcr_link_fail(link, -EPROTO);
		break;
	case IB_EVENT_QP_FATAL:
		smcr_link_fail(link, -EIO);
		break;
	default:
		break;
	}
}

/* If the driver grants more inline bytes than asked for, the rest stays unused:
 * some drivers derive the number from spare room in their work requests, and
 * not from what the adapter can do.
 */
static int link_try_qp(struct smcr_link *link, u32 max_inline)
{
	struct ib_qp_init_attr attr = {
		.event_handler	= link_qp_event,
		.qp_context	= link,
		.send_cq	= smcr_wr_cq_verbs(link),
		.recv_cq	= smcr_wr_cq_verbs(link),
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
		.cap		= {
			.max_send_wr	 = smcr_wr_sq_depth(link) + 1,
			.max_recv_wr	 = smcr_wr_rq_depth(link) + 1,
			.max_send_sge	 = smcr_wr_max_sge(link),
			.max_recv_sge	 = 1,
			.max_inline_data = max_inline,
		},
	};
	struct ib_qp *qp;

	qp = ib_create_qp(link->pd, &attr);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	link->qp = qp;
	link->qpn = qp->qp_num;
	link->max_inline = min(attr.cap.max_inline_data, max_inline);
	return 0;
}

/* The verbs have no query for the inline limit, so try from large to none. No
 * errno ends the tries: with too many inline bytes mlx5 returns -EINVAL or, if
 * the send queue becomes too large by them, -ENOMEM, as it does without memory.
 */
static int link_create_qp(struct smcr_link *link)
{
	struct ib_device *ibdev = link->local.dev->ibdev;
	int err = -EOPNOTSUPP;

	/* bnxt_re grants inline data to kernel queue pairs, but copies the
	 * bytes to a buffer that its work request does not use, and sends none
	 * of them. Drivers without inline data for the kernel (mlx4,
	 * vmw_pvrdma) grant 0 bytes and need no test here.
	 */
	if (ibdev->ops.driver_id != RDMA_DRIVER_BNXT_RE) {
		err = link_try_qp(link, LINK_INLINE);
		if (err)
			err = link_try_qp(link, LINK_INLINE_MSG);
	}
	return err ? link_try_qp(link, 0) : 0;
}

static int link_to_init(struct smcr_link *link)
{
	struct ib_qp_attr attr = {
		.qp_state	 = IB_QPS_INIT,
		.pkey_index	 = 0,
		.port_num	 = link->local.port,
		.qp_access_flags = IB_ACCESS_LOCAL_WRITE |
				   IB_ACCESS_REMOTE_WRITE,
	};
	int err;

	err = ib_modify_qp(link->qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			   IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	link->initialised = !err;
	return err;
}

/* The peer learns this GID in CLC or ADD LINK. A reference keeps the table
 * entry, so that its index cannot pass to another GID before the queue pair
 * uses it.
 */
static int link_hold_gid(struct smcr_link *link)
{
	const struct ib_gid_attr *attr;

	attr = rdma_get_gid_attr(link->local.dev->ibdev, link->local.port,
				 link->local.sgid_index);
	if (IS_ERR(attr))
		return PTR_ERR(attr);
	link->sgid_attr = attr;
	return memcmp(attr->gid.raw, link->local.gid, SMCR_GID_LEN) ?
	       -EADDRNOTAVAIL : 0;
}

/* The peer sent its MAC with its GID, so no address has to be resolved. */
static void link_path(const struct smcr_link *link, struct rdma_ah_attr *ah)
{
	const struct smcr_sysctl *sysctl = &smcr_pernet(link->lgr->net)->sysctl;
	union ib_gid dgid;

	memcpy(dgid.raw, link->peer.gid, SMCR_GID_LEN);
	ah->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_grh(ah, &dgid, 0, link->local.sgid_index, LINK_HOPS,
			READ_ONCE(sysctl->traffic_class));
	rdma_ah_set_sl(ah, READ_ONCE(sysctl->service_level));
	ah->grh.sgid_attr = link->sgid_attr;
	rdma_ah_set_port_num(ah, link->local.port);
	ether_addr_copy(ah->roce.dmac, link->peer.mac);
}

static int link_to_rtr(struct smcr_link *link, u8 mtu)
{
	struct ib_qp_attr attr = {
		.qp_state		= IB_QPS_RTR,
		.path_mtu		= mtu,
		.dest_qp_num		= link->peer.qpn,
		.rq_psn			= link->peer.psn,
		.max_dest_rd_atomic	= 1,
		.min_rnr_timer		= LINK_RNR_TIMER,
	};

	link_path(link, &attr.ah_attr);
	return ib_modify_qp(link->qp, &attr, IB_QP_STATE | IB_QP_AV |
			    IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
			    IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
}

static int link_to_rts(struct smcr_link *link)
{
	const struct smcr_sysctl *sysctl = &smcr_pernet(link->lgr->net)->sysctl;
	struct ib_qp_attr attr = {
		.qp_state	= IB_QPS_RTS,
		.timeout	= READ_ONCE(sysctl->qp_timeout),
		.retry_cnt	= min(READ_ONCE(sysctl->qp_retry),
				      LINK_RETRY_MAX),
		.rnr_retry	= min(READ_ONCE(sysctl->rnr_retry),
				      LINK_RETRY_MAX),
		.sq_psn		= link->psn,
		.max_rd_atomic	= 1,
	};

	smcr_wr_silence_limit(link, attr.timeout, attr.retry_cnt);
	return ib_modify_qp(link->qp, &attr, IB_QP_STATE | IB_QP_TIMEOUT |
			    IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
			    IB_QP_MAX_QP_RD_ATOMIC);
}

static void link_mem_put(struct smcr_link *link)
{
	if (!refcount_dec_and_test(&link->mem))
		return;
	smcr_wr_cq_free(link);
	smcr_wr_free(link);
	smcr_wr_recv_free(link);
	smcr_ib_dev_drop(link->local.dev);
	kfree(link);
}

/* Step "memory" of the list at the top. */
static void link_free(struct smcr_link *link)
{
	struct smcr_lgr *lgr = link->lgr;

	link_mem_put(link);
	smcr_mib_inc(lgr->net, SMCR_MIB_LINKSFREED);
	smcr_lgr_put(lgr);
}

static void link_free_work(struct work_struct *work)
{
	struct smcr_link *link = container_of(work, struct smcr_link,
					      free_work);

	smcr_link_stop(link);
	link_free(link);
}

/* The destruction may take long, so it does not keep other links, of other
 * devices perhaps, from being drained. A link that was never connected has
 * nothing to drain, and the RMB work may be inside its device.
 */
static void link_drain_work(struct work_struct *work)
{
	struct smcr_link *link = container_of(work, struct smcr_link,
					      drain_work);

	/* Pairs with link_connect() */
	if (smp_load_acquire(&link->mtu) && smcr_link_drain(link))
		smcr_lgr_link_drained(link);
	if (!queue_work(smcr_stop_wq, &link->stop_work))
		smcr_link_put(link);
}

static void link_stop_work(struct work_struct *work)
{
	struct smcr_link *link = container_of(work, struct smcr_link,
					      stop_work);

	smcr_link_stop(link);
	smcr_lgr_link_stopped(link);
	smcr_link_put(link);
}

/* The device did not destroy an object of the link: it keeps the link's memory
 * until it is removed. The caller owns a reference to the verbs objects, so the
 * removal has not come to its list yet.
 */
static void link_keep(struct smcr_link *link, int err)
{
	struct smcr_ibdev *dev = link->local.dev;

	smcr_mib_inc(link->lgr->net, SMCR_MIB_DESTROYSFAILED);
	if (test_and_set_bit(SMCR_LINK_F_KEPT, &link->flags))
		return;
	if (try_module_get(THIS_MODULE))
		set_bit(SMCR_LINK_F_PINNED, &link->flags);
	refcount_inc(&link->mem);
	llist_add(&link->kept_node, &dev->kept);
	net_warn_ratelimited("%s does not destroy a queue pair or memory region (error %d); memory that it may write to stays allocated, and smcr loaded, until the adapter is removed. Reset the adapter\n",
			     smcr_ib_dev_name(dev), err);
}

static void link_destroy_work(struct work_struct *work)
{
	struct smcr_link *link = container_of(work, struct smcr_link,
					      destroy_work);
	struct smcr_link_gone *gone, *next;
	int err;

	llist_for_each_entry_safe(gone, next, llist_del_all(&link->gone),
				  node) {
		err = gone->destroy(gone);
		if (err) {
			llist_add(&gone->node, &link->kept);
			link_keep(link, err);
		}
		smcr_link_verbs_put(link);
		smcr_link_put(link);
	}
	smcr_link_put(link);
}

static struct smcr_link *link_alloc(struct smcr_lgr *lgr,
				    const struct smcr_port *port, u8 num)
{
	struct smcr_link *link = kzalloc(sizeof(*link), GFP_KERNEL);

	if (!link)
		return NULL;
	link->lgr = smcr_lgr_get(lgr);
	refcount_set(&link->refs, 1);
	refcount_set(&link->verbs, 1);
	refcount_set(&link->mem, 1);
	link->num = num;
	link->uid = get_random_u32();
	link->psn = get_random_u32() & SMCR_PSN_MASK;
	link->local = *port;
	smcr_ib_dev_hold(port->dev);
	mutex_init(&link->qp_mutex);
	spin_lock_init(&link->tx_lock);
	link->last_rx = jiffies;
	link->last_cdc = jiffies;
	link->last_tx = jiffies;
	link->changed = get_jiffies_64();
	INIT_LIST_HEAD(&link->dev_node);
	init_completion(&link->drained);
	init_completion(&link->stopped);
	INIT_WORK(&link->drain_work, link_drain_work);
	INIT_WORK(&link->stop_work, link_stop_work);
	init_llist_head(&link->gone);
	init_llist_head(&link->kept);
	INIT_WORK(&link->destroy_work, link_destroy_work);
	INIT_WORK(&link->free_work, link_free_work);
	smcr_mib_inc(lgr->net, SMCR_MIB_LINKS);
	return link;
}

static int link_build(struct smcr_link *link)
{
	struct ib_device *ibdev = link->local.dev->ibdev;
	struct ib_pd *pd;
	int err;

	lockdep_assert_held(&link->qp_mutex);
	if (!smcr_wr_device_fits(link->local.dev)) {
		smcr_wr_device_log(link->local.dev);
		return -EOPNOTSUPP;
	}
	pd = ib_alloc_pd(ibdev, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	link->pd = pd;
	link->lkey = pd->local_dma_lkey;
	err = link_hold_gid(link);
	if (!err)
		err = smcr_wr_init(link);
	if (!err)
		err = smcr_wr_recv_init(link);
	if (!err)
		err = smcr_wr_cq_init(link);
	if (err)
		return err;
	err = link_create_qp(link);
	if (!err)
		err = smcr_wr_map(link);
	if (!err)
		err = link_to_init(link);
	if (!err)
		err = link_join_device(link);
	if (!err)
		err = smcr_wr_post_recvs(link);
	return err;
}

/* Count a link in n_qps, from its allocation until it has stopped. */
static bool link_count(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);

	if (atomic_inc_return(&sn->n_qps) <= READ_ONCE(sn->sysctl.max_qps))
		return true;
	atomic_dec(&sn->n_qps);
	smcr_mib_inc(net, SMCR_MIB_QPSREFUSED);
	return false;
}

static void link_uncount(struct net *net)
{
	atomic_dec(&smcr_pernet(net)->n_qps);
}

/**
 * smcr_link_new() - make a link without a queue pair
 * @lgr: its group; the link takes a reference
 * @port: local port; the link takes references to its device
 * @num: link number
 *
 * Context: process; does not call the device.
 * Return: the link in INIT with one reference, or an ERR_PTR: -EMFILE at the
 * namespace's limit of queue pairs, -ENODEV if the device is being removed, or
 * -ENOMEM.
 */
struct smcr_link *smcr_link_new(struct smcr_lgr *lgr,
				const struct smcr_port *port, u8 num)
{
	struct smcr_port local = *port;
	struct smcr_link *link;
	int err = -EMFILE;

	if (!smcr_ib_port_tryget(port))
		return ERR_PTR(-ENODEV);
	if (!link_count(lgr->net))
		goto err_port;
	link = link_alloc(lgr, port, num);
	if (link)
		return link;
	link_uncount(lgr->net);
	err = -ENOMEM;
err_port:
	smcr_ib_port_put(&local);
	return ERR_PTR(err);
}

/**
 * smcr_link_build() - create the queue pair of a link
 * @link: a link in INIT that is not built
 *
 * The new queue pair is in INIT with its receives posted, so a CLC message or
 * ADD LINK can name it. The link's group may end meanwhile: smcr_link_drain()
 * waits for this call.
 *
 * Context: process; calls the device.
 * Return: 0; -EOPNOTSUPP if the device's limits are too small, -ENODEV if the
 * device is being removed, -ESHUTDOWN if the link has failed, -ENOMEM, or the
 * device's error. The caller has the link fail or stop then.
 */
int smcr_link_build(struct smcr_link *link)
{
	int err = -ESHUTDOWN;

	mutex_lock(&link->qp_mutex);
	if (smcr_link_state(link) == SMCR_LINK_INIT)
		err = link_build(link);
	mutex_unlock(&link->qp_mutex);
	/* Pairs with make_go() in llc_add.c */
	smp_store_release(&link->built, err ?: 1);
	return err;
}

/**
 * smcr_link_set_peer() - note the remote end of a link
 * @link: a link in INIT
 * @peer: the remote end, checked by the codec
 *
 * Context: any.
 */
void smcr_link_set_peer(struct smcr_link *link,
			const struct smcr_link_peer *peer)
{
	memcpy(link->peer.gid, peer->gid, SMCR_GID_LEN);
	memcpy(link->peer.mac, peer->mac, SMCR_MAC_LEN);
	link->peer.mtu = peer->mtu;
	link->peer.psn = peer->psn;
	/* Pairs with link_up() in lgr_form.c */
	smp_store_release(&link->peer.qpn, peer->qpn);
}

static int link_connect(struct smcr_link *link)
{
	u8 mtu = min(link->local.mtu, link->peer.mtu);
	int err;

	lockdep_assert_held(&link->qp_mutex);
	if (smcr_link_state(link) != SMCR_LINK_INIT)
		return -EINVAL;
	err = link_to_rtr(link, mtu);
	if (!err)
		err = link_to_rts(link);
	if (err)
		return err;
	/* Pairs with smcr_link_was_ready() */
	smp_store_release(&link->mtu, mtu);
	return smcr_link_event(link, SMCR_LINK_EV_CONNECTED);
}

/**
 * smcr_link_connect() - bring the queue pair to RTS
 * @link: a link in INIT that is built and has its peer, with a reference
 *
 * The queue pair goes to RTR and to RTS at once: from here on the peer's first
 * SEND finds a receive, and registrations can be posted (3.5.1.4, 3.5.1.5). The
 * link's group may end meanwhile: smcr_link_stop() waits for this call before
 * it destroys the queue pair.
 *
 * Context: process; calls the device.
 * Return: 0; -EINVAL in another state; otherwise -errno. The caller has the
 * link fail then.
 */
int smcr_link_connect(struct smcr_link *link)
{
	int err;

	mutex_lock(&link->qp_mutex);
	err = link_connect(link);
	mutex_unlock(&link->qp_mutex);
	return err;
}

/* Drain the queue pair. One that is still in RESET has never held a request,
 * and cannot be drained. Returns false if a completion can still come.
 */
static bool link_drain_verbs(struct smcr_link *link)
{
	bool quiet = true;

	mutex_lock(&link->qp_mutex);
	if (link->initialised) {
		smcr_wr_recv_close(link);
		quiet = !smcr_wr_drain(link);
	}
	mutex_unlock(&link->qp_mutex);
	if (quiet)
		smcr_wr_flush(link);
	return quiet;
}

/* Destroy the queue pair and the completion queue, and unmap what they use.
 * Returns the device's error; no completion is handled then either.
 */
static int link_destroy_queues(struct smcr_link *link)
{
	int err = 0;

	mutex_lock(&link->qp_mutex);
	if (link->qp)
		err = ib_destroy_qp(link->qp);
	smcr_wr_cq_close(link);
	if (!err) {
		link->qp = NULL;
		err = smcr_wr_cq_destroy(link);
	}
	mutex_unlock(&link->qp_mutex);
	if (err)
		return err;
	smcr_wr_unmap(link);
	smcr_wr_recv_unmap(link);
	return 0;
}

static void link_destroy_verbs(struct smcr_link *link)
{
	unsigned long repeats = smcr_sysctl_qp_dead_time(link->lgr->net);
	int err = link_destroy_queues(link);

	if (err) {
		link_keep(link, err);
		/* The queue pair may still repeat writes from send space */
		schedule_timeout_uninterruptible(repeats);
	}
	if (link->sgid_attr)
		rdma_put_gid_attr(link->sgid_attr);
	link->sgid_attr = NULL;
	smcr_wr_flush(link);
}

/* Destroy what the device has kept of a link. Returns its last error. */
static int kept_destroy(struct smcr_link *link)
{
	struct smcr_link_gone *gone, *next;
	int err = link_destroy_queues(link);
	int gone_err;

	llist_for_each_entry_safe(gone, next, llist_del_all(&link->kept),
				  node) {
		gone_err = gone->destroy(gone);
		if (!gone_err)
			continue;
		llist_add(&gone->node, &link->kept);
		err = gone_err;
	}
	return err;
}

/* Nothing else uses the verbs objects. */
static void link_kept_destroy(struct smcr_link *link)
{
	bool pinned = test_bit(SMCR_LINK_F_PINNED, &link->flags);
	int err = kept_destroy(link);

	while (err && !pinned) {
		ssleep(1);
		err = kept_destroy(link);
	}
	if (err) {
		net_warn_ratelimited("%s has not destroyed all objects of smcr, which leaves it (error %d); memory that it may write to stays allocated, and smcr loaded, until the host is rebooted\n",
				     smcr_ib_dev_name(link->local.dev), err);
		return;
	}
	ib_dealloc_pd(link->pd);
	link_mem_put(link);
	if (pinned)
		module_put(THIS_MODULE);
}

/**
 * smcr_link_kept_destroy() - destroy what a device did not destroy before
 * @dev: device that smcr leaves; nothing owns a reference to it any more
 *
 * Context: process; sleeps. May wait for the adapter's firmware, and without an
 * end while the module is being unloaded.
 */
void smcr_link_kept_destroy(struct smcr_ibdev *dev)
{
	struct smcr_link *link, *next;

	llist_for_each_entry_safe(link, next, llist_del_all(&dev->kept),
				  kept_node)
		link_kept_destroy(link);
}

/**
 * smcr_link_drain() - end all requests of a link
 * @link: the link, in any state, with a reference
 *
 * The first half of smcr_link_stop(). The second half may take long: Soft-RoCE
 * waits up to 50 s until the netdev has freed the queue pair's last packet,
 * which a port that is down does not do. So connections are told between the
 * two.
 *
 * Context: process, sleeps for as long as the drain takes; never from a
 * completion handler.
 * Return: true if no completion can come, all are handled, and the peer cannot
 * write through the link; false if the device refused, and only
 * smcr_link_stop() makes sure of that.
 */
bool smcr_link_drain(struct smcr_link *link)
{
	unsigned long irq;

	might_sleep();
	if (test_and_set_bit(SMCR_LINK_F_STOPPING, &link->flags)) {
		wait_for_completion(&link->drained);
		return test_bit(SMCR_LINK_F_QUIET, &link->flags);
	}
	spin_lock_irqsave(&link->tx_lock, irq);
	smcr_link_fail_locked(link, -ESHUTDOWN);
	spin_unlock_irqrestore(&link->tx_lock, irq);
	link_leave_device(link);
	if (link_drain_verbs(link))
		set_bit(SMCR_LINK_F_QUIET, &link->flags);
	complete_all(&link->drained);
	return test_bit(SMCR_LINK_F_QUIET, &link->flags);
}

/**
 * smcr_link_stop() - take a link down
 * @link: the link, in any state, with a reference
 *
 * On return the link is DEAD: no completion is handled any more, and unless the
 * device has failed to destroy the queue pair, it touches neither send space
 * nor RMBs through it. Its RMB mappings can be removed. A second caller waits
 * until the first one is done.
 *
 * Context: process, sleeps for as long as the device takes; never from a
 * completion handler.
 */
void smcr_link_stop(struct smcr_link *link)
{
	smcr_link_drain(link);
	if (test_and_set_bit(SMCR_LINK_F_DESTROYING, &link->flags)) {
		wait_for_completion(&link->stopped);
		return;
	}
	link_destroy_verbs(link);
	link_uncount(link->lgr->net);
	WARN_ON_ONCE(smcr_link_event(link, SMCR_LINK_EV_DRAINED));
	smcr_link_verbs_put(link);
	complete_all(&link->stopped);
}

/**
 * smcr_link_stop_later() - take a link down in work items of its own
 * @link: a link that has failed
 *
 * smcr_lgr_link_stopped() follows when the link is DEAD.
 *
 * Context: any.
 */
void smcr_link_stop_later(struct smcr_link *link)
{
	smcr_link_get(link);
	if (!queue_work(smcr_drain_wq, &link->drain_work))
		smcr_link_put(link);
}

/**
 * smcr_link_destroy_later() - take an object off a link's device
 * @link: the link
 * @gone: the object; references of the caller to the link and to its verbs
 *	objects pass to it, and are dropped when the device has destroyed it or
 *	failed to
 *
 * A device that is out of order may take a minute for each object, and RMBs of
 * other groups must not wait for that. The objects of a link are destroyed one
 * after the other, so that they are one work item at a time.
 *
 * Context: any.
 */
void smcr_link_destroy_later(struct smcr_link *link,
			     struct smcr_link_gone *gone)
{
	/* The work item that takes the list over finds later ones, too. */
	if (!llist_add(&gone->node, &link->gone))
		return;
	smcr_link_get(link);
	if (!queue_work(smcr_stop_wq, &link->destroy_work))
		smcr_link_put(link);
}

/**
 * smcr_link_verbs_get() - keep a link's protection domain and device
 * @link: a link with a reference
 *
 * Context: any.
 * Return: false if they are gone already.
 */
bool smcr_link_verbs_get(struct smcr_link *link)
{
	return refcount_inc_not_zero(&link->verbs);
}

/**
 * smcr_link_verbs_put() - undo smcr_link_verbs_get()
 * @link: the link
 *
 * Context: process.
 */
void smcr_link_verbs_put(struct smcr_link *link)
{
	struct smcr_port port = link->local;

	if (!refcount_dec_and_test(&link->verbs))
		return;
	/* An object that the device keeps names the protection domain */
	if (link->pd && !test_bit(SMCR_LINK_F_KEPT, &link->flags)) {
		ib_dealloc_pd(link->pd);
		link->pd = NULL;
	}
	/* link->local.dev stays readable: the link owns its memory */
	smcr_ib_port_put(&port);
}

/**
 * smcr_link_get() - take another reference
 * @link: a link that the caller may use
 *
 * Context: any.
 * Return: @link.
 */
struct smcr_link *smcr_link_get(struct smcr_link *link)
{
	refcount_inc(&link->refs);
	return link;
}

/**
 * smcr_link_put() - drop a reference
 * @link: the link; the caller does not use it afterwards
 *
 * A connection may drop the last reference in softirq, so a work item stops the
 * link, unless it is stopped already, and frees it.
 *
 * Context: any.
 */
void smcr_link_put(struct smcr_link *link)
{
	if (refcount_dec_and_test(&link->refs))
		queue_work(smcr_stop_wq, &link->free_work);
}
