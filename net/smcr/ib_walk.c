// SPDX-License-Identifier: GPL-2.0
/*
 * RoCE ports by device and number: displays, notifications, the PNET table.
 * ib_port.c has the copies of GID tables and finds ports by netdev.
 */
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#include "ib.h"
#include "ib_gids.h"
#include "notify.h"
#include "smcr.h"

static void ib_dev_put(struct smcr_ibdev *dev)
{
	struct smcr_port port = { .dev = dev };

	smcr_ib_port_put(&port);
}

/* Notifications */

static bool seat_has_port(const struct ib_seat *seat, u32 port)
{
	u32 i;

	for (i = 0; i < seat->n; i++)
		if (seat->gids[i].port == port)
			return true;
	return false;
}

/* Has a port a GID in a namespace? */
static bool net_has_port(const struct net *net, const struct smcr_ibdev *dev,
			 u32 port)
{
	const struct smcr_ib_gids *gids = rcu_dereference(dev->gids);
	u32 i;

	for (i = 0; gids && i < gids->n_seats; i++)
		if (gids->seats[i].net == net &&
		    seat_has_port(&gids->seats[i], port))
			return true;
	return false;
}

/**
 * smcr_ib_ports_in() - count the ports of a device in a namespace
 * @dev: the device, whose structure the caller keeps
 * @net: the namespace
 *
 * Context: any.
 * Return: how many ports have a GID there; a hint.
 */
u32 smcr_ib_ports_in(const struct smcr_ibdev *dev, const struct net *net)
{
	u32 port, n = 0;

	rcu_read_lock();
	for (port = 0; port < dev->n_ports; port++)
		n += net_has_port(net, dev, port);
	rcu_read_unlock();
	return n;
}

/* Report what happened to a port to the namespaces that may use it. */
static void port_tell(const struct smcr_ibdev *dev, u32 port, bool active,
		      enum smcr_nl_device_change change)
{
	struct net *net;

	rcu_read_lock();
	for_each_net_rcu(net)
		if (smcr_notify_wanted(net, SMCR_NL_MONITOR_DEVICE) &&
		    rdma_dev_access_netns(dev->ibdev, net) &&
		    net_has_port(net, dev, port))
			smcr_notify_device(net, smcr_ib_dev_name(dev),
					   port, active, change);
	rcu_read_unlock();
}

/**
 * smcr_ib_tell() - report that a device has come or goes away
 * @dev: the device, with a reference; lookups find it
 * @change: what happens
 *
 * Context: process.
 */
void smcr_ib_tell(const struct smcr_ibdev *dev,
		  enum smcr_nl_device_change change)
{
	u32 port;

	rdma_for_each_port(dev->ibdev, port)
		port_tell(dev, port,
			  change == SMCR_NL_DEVICE_ADDED &&
			  READ_ONCE(dev->ports[port]) & PORT_ACTIVE, change);
}

/* Find a port with an event to report, with a reference to its device. */
static struct smcr_ibdev *port_to_tell(u32 *port)
{
	struct smcr_ibdev *dev;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &smcr_ib_devices, list) {
		for (*port = 0; *port < dev->n_ports; (*port)++)
			if (READ_ONCE(dev->ports[*port]) & PORT_TELL &&
			    refcount_inc_not_zero(&dev->refs))
				goto out;
	}
	dev = NULL;
out:
	rcu_read_unlock();
	return dev;
}

/* An event does not have the state of the port, so the device is asked. */
static void ib_tell(struct work_struct *work)
{
	struct smcr_ibdev *dev;
	u32 port, old;

	while ((dev = port_to_tell(&port))) {
		do {
			old = READ_ONCE(dev->ports[port]);
		} while (cmpxchg(&dev->ports[port], old,
				 old & ~PORT_TELL) != old);
		old = smcr_ib_port_ask(dev, port, 0);
		port_tell(dev, port, old & PORT_ACTIVE, SMCR_NL_DEVICE_EVENT);
		ib_dev_put(dev);
	}
}

static DECLARE_WORK(ib_tell_work, ib_tell);

/**
 * smcr_ib_tell_later() - report events of ports, which PORT_TELL marks
 *
 * Context: any.
 */
void smcr_ib_tell_later(void)
{
	queue_work(smcr_rmb_wq, &ib_tell_work);
}

/* Ports that the PNET table names */

/* Find the GID of a rank on a port, in all its netdevs of a namespace. @nth is
 * the number of such GIDs to skip.
 */
static bool seat_gid(struct smcr_ibdev *dev, const struct net *net, u32 port,
		     const struct smcr_gid_want *want, unsigned int rank,
		     u32 *nth, struct smcr_ib_hit *hit)
{
	const struct smcr_ib_gids *gids = rcu_dereference(dev->gids);
	const struct ib_seat *seat;
	u32 s, i;

	for (s = 0; gids && s < gids->n_seats; s++) {
		seat = &gids->seats[s];
		for (i = 0; i < seat->n && seat->net == net; i++) {
			if (seat->gids[i].port != port ||
			    smcr_gid_rank(&seat->gids[i], want) != rank ||
			    (*nth)--)
				continue;
			hit->dev = dev;
			hit->gid = seat->gids[i];
			hit->ndev = seat->ndev;
			return true;
		}
	}
	return false;
}

/* Find a device by its name; under RCU, by which ib_core frees the device. */
static struct smcr_ibdev *named_dev(const char *name)
{
	struct smcr_ibdev *dev;

	list_for_each_entry_rcu(dev, &smcr_ib_devices, list)
		if (!strcmp(smcr_ib_dev_name(dev), name))
			return dev;
	return NULL;
}

/* Find candidate number @nth, best first, with a reference to its device. */
static bool named_gid(const struct net *net, const char *name, u32 port,
		      const struct smcr_gid_want *want, u32 nth,
		      struct smcr_ib_hit *hit)
{
	struct smcr_ibdev *dev;
	unsigned int rank;
	bool found = false;

	rcu_read_lock();
	dev = named_dev(name);
	for (rank = 0; dev && !found && rank < SMCR_GID_RANKS; rank++)
		found = seat_gid(dev, net, port, want, rank, &nth, hit);
	found = found && smcr_ib_dev_tryget(dev, net);
	rcu_read_unlock();
	return found;
}

/**
 * smcr_ib_port_named() - find a port by its device's name and its number
 * @net: namespace of one of its netdevs
 * @name: name of the device
 * @num: the port's number
 * @want: the preferred GID
 * @out: the port, for smcr_ib_port_drop(); its @dev is NULL if there is none
 *
 * Context: process; may query the device.
 * Return: SMCR_PORT_OK, or why the port cannot be used.
 */
enum smcr_port_miss smcr_ib_port_named(const struct net *net, const char *name,
				       u32 num,
				       const struct smcr_gid_want *want,
				       struct smcr_port *out)
{
	struct smcr_ib_hit hit;
	u32 nth;

	for (nth = 0; named_gid(net, name, num, want, nth, &hit); nth++)
		if (smcr_ib_port_try(&hit, out))
			return SMCR_PORT_OK;
	memset(out, 0, sizeof(*out));
	return nth ? SMCR_PORT_NO_GID : SMCR_PORT_NO_RNIC;
}

/**
 * smcr_ib_named_usable() - may a connection use a port that the table names?
 * @net: namespace of the connection
 * @name: name of the device
 * @num: the port's number
 *
 * A cheap hint for connect(); smcr_ib_port_named() decides later.
 *
 * Context: any.
 * Return: true if the port has a GID in the namespace.
 */
bool smcr_ib_named_usable(const struct net *net, const char *name, u32 num)
{
	struct smcr_ibdev *dev;
	bool usable;

	rcu_read_lock();
	dev = named_dev(name);
	usable = dev && net_has_port(net, dev, num) &&
		 smcr_ib_dev_tryget(dev, net);
	if (usable)
		ib_dev_put(dev);
	rcu_read_unlock();
	return usable;
}

/* Displays */

/* Find the first GID that a port has in a namespace, and the types of all GIDs
 * that it has there.
 */
static const struct smcr_gid *port_gids(const struct smcr_ib_gids *gids,
					u32 port, const struct net *net,
					struct smcr_ib_hit *hit, u32 *types)
{
	const struct smcr_gid *gid, *first = NULL;
	const struct ib_seat *seat;
	u32 i;

	*types = 0;
	for (seat = gids->seats; seat < gids->seats + gids->n_seats; seat++) {
		if (seat->net != net)
			continue;
		*types |= smcr_gid_types(seat->gids, seat->n, port);
		for (i = 0; i < seat->n; i++) {
			gid = &seat->gids[i];
			if (gid->port != port ||
			    (first && first->index < gid->index))
				continue;
			first = gid;
			hit->gid = *gid;
			hit->ndev = seat->ndev;
		}
	}
	return first;
}

/* Find port number @nth of a namespace, with a reference to its device. */
static bool find_port(const struct net *net, int nth, struct smcr_ib_hit *hit,
		      u32 *types)
{
	struct smcr_ib_gids *gids;
	struct smcr_ibdev *dev;
	u32 port;

	hit->dev = NULL;
	rcu_read_lock();
	list_for_each_entry_rcu(dev, &smcr_ib_devices, list) {
		gids = rcu_dereference(dev->gids);
		for (port = 0; gids && port < dev->n_ports; port++) {
			if (!port_gids(gids, port, net, hit, types) ||
			    !smcr_ib_dev_tryget(dev, net))
				continue;
			hit->dev = dev;
			if (!nth--)
				goto out;
			ib_dev_put(dev);
			hit->dev = NULL;
		}
	}
out:
	rcu_read_unlock();
	return hit->dev;
}

/**
 * smcr_ib_walk() - show each port that a namespace may use
 * @net: the namespace
 * @pos: where to begin: 0, or what an earlier call returned
 * @fn: called with each port, which has its first GID, and its
 *	smcr_ib_port_info; a non-zero result ends the walk, and the next walk
 *	begins with this port
 * @arg: for @fn
 *
 * Context: process; queries the devices. No lock is held while @fn runs.
 * Return: @pos for the next call.
 */
int smcr_ib_walk(const struct net *net, int pos, smcr_ib_walk_fn fn,
		 void *arg)
{
	struct smcr_ib_port_info info;
	struct smcr_port port;
	struct smcr_ib_hit hit;
	int stop = 0;

	for (; !stop && find_port(net, pos, &hit, &info.gid_types);
	     pos += !stop) {
		if (smcr_ib_port_fill(&hit, &port)) {
			smcr_ib_port_ask(port.dev, port.port, port.mtu);
			info.active = smcr_ib_port_ready(&port);
			info.dev = smcr_ib_dev_name(port.dev);
			stop = fn(&port, &info, arg);
		}
		smcr_ib_port_put(&port);
	}
	return pos;
}
