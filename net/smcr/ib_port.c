// SPDX-License-Identifier: GPL-2.0
/*
 * RoCE ports and their GIDs: lookup of the port that carries an address.
 *
 * For each device this file keeps a copy of the GID tables (1024 entries on
 * some devices), ordered by netdev. The copy is made when the device is added,
 * and again on each GID event. Two hash tables, by netdev and by GID, index the
 * copies of all devices and are read under RCU: a connect() or a handshake
 * takes no shared lock, and does not walk over other netdevs' entries. A copy
 * is a hint: the device's own table is read again before an entry is used.
 *
 * The state and the MTU of a port are cached as well, since on some devices a
 * query is a firmware command. Events invalidate them, but events can be lost,
 * and none reports a new MTU. So the device is queried if the port is not known
 * to be active, at most once a second, and once if a netdev allows larger
 * packets than the port is known to send. If a port is cached as active but is
 * down, the link fails, and no more harm is done. A smaller netdev MTU is
 * noticed at once, since it is read on each lookup.
 */
#include <linux/etherdevice.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/timekeeping.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "ib.h"
#include "ib_gids.h"
#include "wr.h"

/**
 * struct ib_row - a GID table entry while a copy is being made
 * @gid: the entry
 * @ndev: its netdev; only compared
 * @net: the netdev's namespace; only compared
 */
struct ib_row {
	struct smcr_gid	gid;
	const void	*ndev;
	const void	*net;
};

/* Seats by netdev, owners by GID; read under RCU */
static DEFINE_HASHTABLE(ib_seats, 8);
static DEFINE_HASHTABLE(ib_owners, 8);
/* Devices in the order in which they were added; read under RCU */
LIST_HEAD(smcr_ib_devices);
/* Protects changes of the three above, and each device's @gids and @listed;
 * leaf, process context
 */
static DEFINE_SPINLOCK(ib_lock);

static u32 gid_hash(const u8 *gid)
{
	static u32 seed __read_mostly;

	net_get_random_once(&seed, sizeof(seed));
	return jhash(gid, SMCR_GID_LEN, seed);
}

/* Copies of GID tables */

static bool gid_is_v2(const struct ib_gid_attr *attr)
{
	return attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP;
}

static bool row_read(struct ib_device *ibdev, u32 port, int index,
		     struct ib_row *row)
{
	const struct ib_gid_attr *attr;
	struct net_device *ndev;

	attr = rdma_get_gid_attr(ibdev, port, index);
	if (IS_ERR(attr))
		return false;
	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	row->gid.port = port;
	row->gid.index = index;
	row->gid.v2 = gid_is_v2(attr);
	memcpy(row->gid.raw, attr->gid.raw, SMCR_GID_LEN);
	if (rdma_read_gid_l2_fields(attr, &row->gid.vlan, NULL))
		row->gid.vlan = 0xffff;
	row->ndev = ndev;
	row->net = ndev ? dev_net(ndev) : NULL;
	rcu_read_unlock();
	rdma_put_gid_attr(attr);
	return ndev;
}

/* Read as many entries as fit into @rows. Returns how many there are. */
static u32 rows_read(struct ib_device *ibdev, struct ib_row *rows, u32 n)
{
	struct ib_row row = {};
	u32 port, found = 0;
	int i, len;

	rdma_for_each_port(ibdev, port) {
		if (!rdma_protocol_roce(ibdev, port))
			continue;
		len = ibdev->port_data[port].immutable.gid_tbl_len;
		for (i = 0; i < len; i++) {
			if (!row_read(ibdev, port, i, &row))
				continue;
			if (found < n)
				rows[found] = row;
			found++;
		}
	}
	return found;
}

static int row_cmp(const void *a, const void *b)
{
	const struct ib_row *x = a, *y = b;

	if (x->ndev != y->ndev)
		return x->ndev < y->ndev ? -1 : 1;
	if (x->gid.port != y->gid.port)
		return x->gid.port < y->gid.port ? -1 : 1;
	return x->gid.index - y->gid.index;
}

static struct smcr_ib_gids *gids_alloc(u32 n)
{
	struct smcr_ib_gids *gids;
	size_t size;

	size = ALIGN(struct_size(gids, table, n), sizeof(void *));
	gids = kvzalloc(size + n * (sizeof(*gids->seats) +
				    sizeof(*gids->owners)), GFP_KERNEL);
	if (!gids)
		return NULL;
	gids->n = n;
	gids->seats = (void *)gids + size;
	gids->owners = (void *)(gids->seats + n);
	return gids;
}

static struct smcr_ib_gids *gids_make(struct smcr_ibdev *dev,
				      const struct ib_row *rows, u32 n)
{
	struct smcr_ib_gids *gids = gids_alloc(n);
	struct ib_seat *seat = NULL;
	u32 i;

	if (!gids)
		return NULL;
	for (i = 0; i < n; i++) {
		gids->table[i] = rows[i].gid;
		if (!seat || seat->ndev != rows[i].ndev) {
			seat = &gids->seats[gids->n_seats++];
			seat->dev = dev;
			seat->ndev = rows[i].ndev;
			seat->net = rows[i].net;
			seat->gids = &gids->table[i];
		}
		seat->n++;
		gids->owners[i].gid = &gids->table[i];
		gids->owners[i].seat = seat;
	}
	return gids;
}

static struct smcr_ib_gids *gids_read(struct smcr_ibdev *dev)
{
	struct smcr_ib_gids *gids = NULL;
	struct ib_row *rows;
	u32 n;

	lockdep_assert_held(&dev->port_mutex);
	n = rows_read(dev->ibdev, NULL, 0);
	rows = kvcalloc(max(n, 1u), sizeof(*rows), GFP_KERNEL);
	if (!rows)
		return NULL;
	/* Entries may have come or gone between the two walks */
	n = min(rows_read(dev->ibdev, rows, n), n);
	sort(rows, n, sizeof(*rows), row_cmp, NULL);
	gids = gids_make(dev, rows, n);
	kvfree(rows);
	return gids;
}

static void gids_hash(struct smcr_ib_gids *gids)
{
	u32 i;

	lockdep_assert_held(&ib_lock);
	for (i = 0; i < gids->n_seats; i++)
		hash_add_rcu(ib_seats, &gids->seats[i].node,
			     (unsigned long)gids->seats[i].ndev);
	for (i = 0; i < gids->n; i++)
		hash_add_rcu(ib_owners, &gids->owners[i].node,
			     gid_hash(gids->table[i].raw));
}

static void gids_unhash(struct smcr_ib_gids *gids)
{
	u32 i;

	lockdep_assert_held(&ib_lock);
	for (i = 0; i < gids->n_seats; i++)
		hash_del_rcu(&gids->seats[i].node);
	for (i = 0; i < gids->n; i++)
		hash_del_rcu(&gids->owners[i].node);
}

/* Replace a device's copy by @new, which may be NULL. The new copy is hashed
 * before the old one is unhashed, so that no lookup misses a GID that stays.
 */
static void gids_replace(struct smcr_ibdev *dev, struct smcr_ib_gids *new,
			 bool listed)
{
	struct smcr_ib_gids *old;

	lockdep_assert_held(&ib_lock);
	old = rcu_dereference_protected(dev->gids, lockdep_is_held(&ib_lock));
	if (new && listed)
		gids_hash(new);
	rcu_assign_pointer(dev->gids, new);
	if (old && dev->listed)
		gids_unhash(old);
	dev->listed = listed;
	if (old)
		kvfree_rcu(old, rcu);
}

/**
 * smcr_ib_port_ask() - query a port's state and MTU, and cache them
 * @dev: the device; the caller keeps it from removal, or is a work of it
 * @port: the port's number
 * @mtu: MTU code that the netdev allows, 0 if that is not known
 *
 * If an event comes during the query, the result may be outdated: the caller
 * may use it, but it is not cached, and the port is asked again for groups that
 * wait for the answer.
 *
 * Context: process; queries the device.
 * Return: PORT_MTU and PORT_ACTIVE of the port.
 */
u32 smcr_ib_port_ask(struct smcr_ibdev *dev, u32 port, u32 mtu)
{
	u32 old = READ_ONCE(dev->ports[port]);
	struct ib_port_attr attr = {};
	u32 state, found;

	if (ib_query_port(dev->ibdev, port, &attr))
		attr.state = IB_PORT_DOWN;
	state = port_answer(attr.active_mtu, attr.state == IB_PORT_ACTIVE,
			    port_asked(old, mtu), ktime_get_seconds());
	found = cmpxchg(&dev->ports[port], old,
			(old & (PORT_EVENTS | PORT_TELL)) | state);
	if (found != old && found & PORT_WANTED)
		smcr_ib_ask_later(dev);
	else if (found == old && port_is_news(state, old))
		smcr_ib_ready_later(dev);
	return state;
}

/**
 * smcr_ib_ports_ask() - query the ports that are due, and cache their states
 * @dev: the device
 *
 * The device may take as long as it takes for a command of its firmware, so
 * neither a group's work nor an event's handler does this.
 *
 * Context: process; queries the device.
 */
void smcr_ib_ports_ask(struct smcr_ibdev *dev)
{
	u32 port, state;

	rdma_for_each_port(dev->ibdev, port) {
		state = READ_ONCE(dev->ports[port]);
		if (port_due(state, ktime_get_seconds()))
			smcr_ib_port_ask(dev, port, 0);
	}
}

/**
 * smcr_ib_port_event() - invalidate the cached state and MTU of a port, and
 *	have the event reported
 * @dev: the device
 * @port: the port's number
 *
 * Work items or the next handshake query the device. The event handler must not
 * do so: the query takes rtnl on some devices, and ib_core reports some
 * events under rtnl.
 *
 * Context: any.
 */
void smcr_ib_port_event(struct smcr_ibdev *dev, u32 port)
{
	u32 old;

	if (port >= dev->n_ports)
		return;
	do {
		old = READ_ONCE(dev->ports[port]);
	} while (cmpxchg(&dev->ports[port], old,
			 port_void(old)) != old);
	smcr_ib_tell_later();
}

/**
 * smcr_ib_ports_mtu_changed() - have the ports asked again for their MTU
 * @dev: the device; the MTU of a netdev with one of its GIDs has changed
 *
 * The driver knows the new MTU by now. A handshake may have asked before.
 *
 * Context: any.
 */
void smcr_ib_ports_mtu_changed(struct smcr_ibdev *dev)
{
	u32 port, old;

	for (port = 0; port < dev->n_ports; port++) {
		do {
			old = READ_ONCE(dev->ports[port]);
		} while (cmpxchg(&dev->ports[port], old,
				 port_want(old & ~PORT_ASKED, 0)) != old);
	}
}

/* Do lookups find a GID of a device? */
static bool gid_known(const struct smcr_ibdev *dev, const struct smcr_gid *gid)
{
	const struct ib_owner *owner;

	hash_for_each_possible_rcu(ib_owners, owner, node, gid_hash(gid->raw))
		if (owner->seat->dev == dev && owner->gid->port == gid->port &&
		    owner->gid->v2 == gid->v2 &&
		    !memcmp(owner->gid->raw, gid->raw, SMCR_GID_LEN))
			return true;
	return false;
}

/* Does a new copy have a GID that lookups do not find yet? */
static bool gids_appeared(const struct smcr_ibdev *dev,
			  const struct smcr_ib_gids *gids)
{
	bool known = true;
	u32 i;

	rcu_read_lock();
	for (i = 0; i < gids->n && known; i++)
		known = gid_known(dev, &gids->table[i]);
	rcu_read_unlock();
	return !known;
}

/**
 * smcr_ib_gids_update() - copy a device's GID tables again
 * @dev: the device
 *
 * If there is no memory the old copy stays. Entries are checked before use, so
 * at worst connections from a new address use TCP.
 *
 * Context: process.
 * Return: true if a GID has appeared, so that groups may find a spare port. It
 * may also be true while the device is being added or removed.
 */
bool smcr_ib_gids_update(struct smcr_ibdev *dev)
{
	struct smcr_ib_gids *gids;
	bool appeared = false;

	mutex_lock(&dev->port_mutex);
	gids = gids_read(dev);
	if (gids) {
		appeared = gids_appeared(dev, gids);
		spin_lock(&ib_lock);
		gids_replace(dev, gids, dev->listed);
		spin_unlock(&ib_lock);
	}
	mutex_unlock(&dev->port_mutex);
	return appeared;
}

/**
 * smcr_ib_ports_add() - make a new device's ports known to lookups
 * @dev: the device; its events are subscribed to already
 *
 * Context: process; queries the device.
 * Return: 0 or -ENOMEM.
 */
int smcr_ib_ports_add(struct smcr_ibdev *dev)
{
	struct smcr_ib_gids *gids;
	u32 port;

	rdma_for_each_port(dev->ibdev, port)
		smcr_ib_port_ask(dev, port, 0);
	mutex_lock(&dev->port_mutex);
	gids = gids_read(dev);
	if (gids) {
		spin_lock(&ib_lock);
		gids_replace(dev, gids, true);
		list_add_tail_rcu(&dev->list, &smcr_ib_devices);
		spin_unlock(&ib_lock);
	}
	mutex_unlock(&dev->port_mutex);
	if (gids)
		smcr_ib_tell(dev, SMCR_NL_DEVICE_ADDED);
	return gids ? 0 : -ENOMEM;
}

/**
 * smcr_ib_ports_del() - hide a device's ports from lookups
 * @dev: the device
 *
 * Events may still come. Lookups that began before may still take references to
 * the device until the last one is dropped; the structure outlives these
 * lookups.
 *
 * Context: process.
 */
void smcr_ib_ports_del(struct smcr_ibdev *dev)
{
	smcr_ib_tell(dev, SMCR_NL_DEVICE_REMOVED);
	spin_lock(&ib_lock);
	list_del_rcu(&dev->list);
	gids_replace(dev, NULL, false);
	spin_unlock(&ib_lock);
}

/**
 * smcr_ib_ports_free() - free the copy that a late event may have made
 * @dev: a device whose ports are hidden, without further events
 *
 * Context: process.
 */
void smcr_ib_ports_free(struct smcr_ibdev *dev)
{
	spin_lock(&ib_lock);
	gids_replace(dev, NULL, false);
	spin_unlock(&ib_lock);
}

/* Lookups */

static void ib_dev_put(struct smcr_ibdev *dev)
{
	struct smcr_port port = { .dev = dev };

	smcr_ib_port_put(&port);
}

/**
 * smcr_ib_dev_tryget() - take a reference to a device, for a namespace
 * @dev: a device that a lookup under RCU has found
 * @net: the namespace
 *
 * After "rdma system set netns exclusive" each device belongs to one namespace.
 *
 * Context: any; under RCU.
 * Return: false if the namespace may not use the device, or it goes away.
 */
bool smcr_ib_dev_tryget(struct smcr_ibdev *dev, const struct net *net)
{
	if (!refcount_inc_not_zero(&dev->refs))
		return false;
	if (rdma_dev_access_netns(dev->ibdev, net))
		return true;
	ib_dev_put(dev);
	return false;
}

/* Find candidate number @nth, best first, with a reference to its device. */
static bool find_gid(const struct net_device *ndev,
		     const struct smcr_gid_want *want, u32 nth,
		     struct smcr_ib_hit *hit)
{
	const struct ib_seat *seat;
	unsigned int rank;
	int i;

	hit->dev = NULL;
	rcu_read_lock();
	for (rank = 0; rank < SMCR_GID_RANKS && !hit->dev; rank++) {
		hash_for_each_possible_rcu(ib_seats, seat, node,
					   (unsigned long)ndev) {
			if (seat->ndev != ndev)
				continue;
			i = smcr_gid_find(seat->gids, seat->n, want, rank,
					  &nth);
			if (i < 0)
				continue;
			if (smcr_ib_dev_tryget(seat->dev, dev_net(ndev))) {
				hit->dev = seat->dev;
				hit->gid = seat->gids[i];
				hit->ndev = ndev;
				break;
			}
			/* The device is being removed, or belongs to another
			 * namespace: try the next GID
			 */
			nth = 0;
		}
	}
	rcu_read_unlock();
	return hit->dev;
}

/**
 * smcr_ib_port_fill() - describe the port of a GID that a lookup found
 * @hit: the GID; it is only a hint, so the device's GID table is read again
 * @out: the port, with the MTU of the netdev. @hit's reference to the device
 *	passes to it, in case of failure too, for smcr_ib_port_put()
 *
 * Context: process.
 * Return: false if the table has another entry by now.
 */
bool smcr_ib_port_fill(const struct smcr_ib_hit *hit, struct smcr_port *out)
{
	const struct ib_gid_attr *attr;
	struct net_device *ndev;
	bool same = false;

	memset(out, 0, sizeof(*out));
	out->dev = hit->dev;
	out->port = hit->gid.port;
	out->sgid_index = hit->gid.index;
	out->v2 = hit->gid.v2;
	memcpy(out->gid, hit->gid.raw, SMCR_GID_LEN);
	attr = rdma_get_gid_attr(hit->dev->ibdev, out->port, out->sgid_index);
	if (IS_ERR(attr))
		return false;
	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	if (ndev && ndev == hit->ndev && gid_is_v2(attr) == out->v2 &&
	    !memcmp(attr->gid.raw, out->gid, SMCR_GID_LEN)) {
		out->ifindex = ndev->ifindex;
		/* enum ib_mtu; 0 if the netdev's MTU is below all of them */
		out->mtu = iboe_get_mtu(READ_ONCE(ndev->mtu));
		same = !rdma_read_gid_l2_fields(attr, &out->vlan, out->mac);
	}
	rcu_read_unlock();
	rdma_put_gid_attr(attr);
	return same;
}

static bool port_usable(struct smcr_port *port, u32 state)
{
	port->mtu = min_t(u32, port->mtu, state & PORT_MTU);
	return state & PORT_ACTIVE && smcr_mtu_valid(port->mtu);
}

/**
 * smcr_ib_port_ready() - is a port active, with a usable MTU?
 * @port: the port, from smcr_ib_port_fill(); its MTU becomes the smaller one of
 *	netdev and port
 *
 * Context: process; may query the device.
 */
bool smcr_ib_port_ready(struct smcr_port *port)
{
	u32 state = READ_ONCE(port->dev->ports[port->port]);

	if (port_must_ask(state, port->mtu, ktime_get_seconds()))
		state = smcr_ib_port_ask(port->dev, port->port, port->mtu);
	return port_usable(port, state);
}

/**
 * smcr_ib_port_known() - is a port known to be active, with a usable MTU?
 * @port: as for smcr_ib_port_ready()
 *
 * The caller does not wait for the device. If that is to be asked, a work item
 * does so, and groups look again if they can use the port then.
 *
 * Context: any.
 * Return: 1 if it is, 0 if not; -EINPROGRESS if that depends on the answer,
 * after which groups look again in any case.
 */
int smcr_ib_port_known(struct smcr_port *port)
{
	u32 *known = &port->dev->ports[port->port];
	u32 state, old = READ_ONCE(*known);

	if (port_must_ask(old, port->mtu, ktime_get_seconds())) {
		while ((state = cmpxchg(known, old,
					port_want(old, port->mtu))) != old)
			old = state;
		smcr_ib_ask_later(port->dev);
	}
	if (port_is_open(old, port->mtu))
		return -EINPROGRESS;
	return port_usable(port, old);
}

/**
 * smcr_ib_gid_valid() - is the GID of a port still in the device's GID table?
 * @port: the port; the caller keeps its device from removal
 *
 * Context: any.
 */
bool smcr_ib_gid_valid(const struct smcr_port *port)
{
	const struct ib_gid_attr *attr;
	bool same;

	attr = rdma_get_gid_attr(port->dev->ibdev, port->port,
				 port->sgid_index);
	if (IS_ERR(attr))
		return false;
	same = !memcmp(attr->gid.raw, port->gid, SMCR_GID_LEN);
	rdma_put_gid_attr(attr);
	return same;
}

/**
 * smcr_ib_port_try() - use the port of a GID, if it is ready
 * @hit: the GID that a lookup found; its reference to the device is dropped
 * @out: the port, for smcr_ib_port_drop()
 *
 * Context: process; may query the device.
 * Return: false if the port cannot be used.
 */
bool smcr_ib_port_try(const struct smcr_ib_hit *hit, struct smcr_port *out)
{
	bool found = smcr_ib_port_fill(hit, out) && smcr_ib_port_ready(out);
	struct smcr_port busy = *out;

	if (found)
		smcr_ib_dev_hold(out->dev);
	smcr_ib_port_put(&busy);
	return found;
}

/**
 * smcr_ib_port_find() - find a port on the LAN of a netdev
 * @ndev: netdev that carries the connection's address
 * @want: the preferred GID
 * @out: the port, for smcr_ib_port_drop(); its @dev is NULL if there is none. A
 *	port that is not dropped for long does not delay its device's removal
 *
 * Context: process; may query the device.
 * Return: SMCR_PORT_OK, or why there is none.
 */
enum smcr_port_miss smcr_ib_port_find(struct net_device *ndev,
				      const struct smcr_gid_want *want,
				      struct smcr_port *out)
{
	struct smcr_ib_hit hit;
	u32 nth;

	for (nth = 0; find_gid(ndev, want, nth, &hit); nth++)
		if (smcr_ib_port_try(&hit, out))
			return SMCR_PORT_OK;
	memset(out, 0, sizeof(*out));
	return nth ? SMCR_PORT_NO_GID : SMCR_PORT_NO_RNIC;
}

/**
 * smcr_ib_port_usable() - may a connection over a netdev use RDMA?
 * @ndev: netdev of the route
 *
 * A cheap hint for connect(); smcr_ib_port_find() decides later.
 *
 * Context: any.
 * Return: true if the netdev carries a GID of a RoCE port.
 */
bool smcr_ib_port_usable(struct net_device *ndev)
{
	const struct ib_seat *seat;
	bool found = false;

	rcu_read_lock();
	hash_for_each_possible_rcu(ib_seats, seat, node, (unsigned long)ndev) {
		found = seat->ndev == ndev &&
			smcr_ib_dev_tryget(seat->dev, dev_net(ndev));
		if (!found)
			continue;
		ib_dev_put(seat->dev);
		break;
	}
	rcu_read_unlock();
	return found;
}

/**
 * smcr_ib_on_netdev() - has a device a GID on a netdev?
 * @dev: the device; a listed one, under RCU
 * @ndev: the netdev
 *
 * Context: any.
 */
bool smcr_ib_on_netdev(const struct smcr_ibdev *dev,
		       const struct net_device *ndev)
{
	const struct ib_seat *seat;

	hash_for_each_possible_rcu(ib_seats, seat, node, (unsigned long)ndev)
		if (seat->ndev == ndev && seat->dev == dev)
			return true;
	return false;
}

/**
 * smcr_ib_any() - does the host have a usable RDMA device?
 *
 * Context: any.
 * Return: true if it has one; a hint.
 */
bool smcr_ib_any(void)
{
	return !list_empty(&smcr_ib_devices);
}

/**
 * smcr_ib_gid_is_ours() - does a local netdev have this GID?
 * @net: namespace of the netdev
 * @gid: a GID that a peer claims
 *
 * Context: any.
 * Return: true if one has it.
 */
bool smcr_ib_gid_is_ours(const struct net *net, const u8 *gid)
{
	const struct ib_owner *owner;
	bool found = false;

	rcu_read_lock();
	hash_for_each_possible_rcu(ib_owners, owner, node, gid_hash(gid)) {
		found = owner->seat->net == net &&
			!memcmp(owner->gid->raw, gid, SMCR_GID_LEN);
		if (found)
			break;
	}
	rcu_read_unlock();
	return found;
}

/* Add a device's GIDs for smcr_ib_gids_like(); @found GIDs are listed already.
 * Returns how many are listed then.
 */
static u32 gids_like(struct smcr_ibdev *dev, const struct net *net,
		     const struct smcr_port *like, struct smcr_ib_hit *hits,
		     u32 n, u32 found)
{
	const struct smcr_ib_gids *gids = rcu_dereference(dev->gids);
	const struct ib_seat *seat;
	u32 i, s;

	for (s = 0; gids && s < gids->n_seats; s++) {
		seat = &gids->seats[s];
		for (i = 0; i < seat->n && seat->net == net; i++) {
			if (seat->gids[i].v2 != like->v2 ||
			    !smcr_gid_alike(seat->gids[i].raw, like->gid))
				continue;
			if (found < n) {
				if (!smcr_ib_dev_tryget(dev, net))
					return found;
				hits[found].dev = dev;
				hits[found].gid = seat->gids[i];
				hits[found].ndev = seat->ndev;
			}
			found++;
		}
	}
	return found;
}

/**
 * smcr_ib_gids_like() - list the GIDs of a namespace that resemble a port's GID
 * @net: the namespace
 * @like: the port; the GIDs have the RoCE version, kind and address family of
 *	its GID
 * @hits: the GIDs, each with a reference to its device: smcr_ib_port_put() of
 *	what smcr_ib_port_fill() made of it
 * @n: entries of @hits
 *
 * Context: any.
 * Return: how many there are. GIDs beyond the first @n are only counted, and
 * those that the namespace may not use are counted with them.
 */
u32 smcr_ib_gids_like(const struct net *net, const struct smcr_port *like,
		      struct smcr_ib_hit *hits, u32 n)
{
	struct smcr_ibdev *dev;
	u32 found = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &smcr_ib_devices, list)
		found = gids_like(dev, net, like, hits, n, found);
	rcu_read_unlock();
	return found;
}

/**
 * smcr_ib_least_pages() - smallest memory region of the devices of a namespace
 * @net: the namespace
 * @like: a port; only devices with a GID that resembles its GID count, see
 *	smcr_ib_gids_like()
 * @least: devices with fewer pages do not count either
 *
 * Context: any.
 * Return: pages of one region.
 */
u32 smcr_ib_least_pages(const struct net *net, const struct smcr_port *like,
			u32 least)
{
	u32 pages = U32_MAX / PAGE_SIZE;
	struct smcr_ibdev *dev;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &smcr_ib_devices, list)
		if (dev->max_mr_pages >= least && smcr_wr_device_fits(dev) &&
		    rdma_dev_access_netns(dev->ibdev, net) &&
		    gids_like(dev, net, like, NULL, 0, 0))
			pages = min(pages, dev->max_mr_pages);
	rcu_read_unlock();
	return pages;
}
