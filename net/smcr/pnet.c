// SPDX-License-Identifier: GPL-2.0
/*
 * PNET table: selects the RoCE port of a netdev where the port is on another
 * netdev.
 *
 * An entry says that a netdev, or a port of an RDMA device, belongs to a
 * physical network. A connection over a netdev of a network that also has ports
 * uses one of these ports, and no other one: the first that is ready, in the
 * order in which the entries were added. Other connections use a port that has
 * a GID on their netdev (ib_port.c). A further link of a group does not use a
 * port of a network that the first link's port is not in.
 *
 * An entry holds names and no reference to a netdev or device, so it may
 * precede its adapter and remains when the adapter is unplugged. Readers use
 * RCU.
 */
#include <linux/ctype.h>
#include <linux/lockdep.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "pnet.h"
#include "smcr.h"

#define PNET_ENTRIES_MAX	128

static struct smcr_pnet *pnet_of(const struct net *net)
{
	return &smcr_pernet(net)->pnet;
}

/**
 * smcr_pnet_net_init() - prepare a namespace's table
 * @net: the namespace
 *
 * Context: process.
 */
void smcr_pnet_net_init(struct net *net)
{
	struct smcr_pnet *pnet = pnet_of(net);

	spin_lock_init(&pnet->lock);
	INIT_LIST_HEAD(&pnet->entries);
	pnet->n = 0;
}

/**
 * smcr_pnet_net_exit() - free a namespace's table
 * @net: the namespace, without sockets; no request runs in it
 *
 * Context: process.
 */
void smcr_pnet_net_exit(struct net *net)
{
	struct smcr_pnet_entry *entry, *next;

	list_for_each_entry_safe(entry, next, &pnet_of(net)->entries, list)
		kfree_rcu(entry, rcu);
}

/* Is this a name without spaces and control characters? */
static bool name_valid(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isascii(*c) || !isgraph(*c) || *c == '/')
			return false;
	return c != name;
}

static const char *entry_fault(const struct smcr_pnet_entry *entry)
{
	if (!name_valid(entry->name))
		return "a name has printable characters, no space and no slash";
	if (!entry->netdev[0] == !entry->device[0])
		return "an entry has either a netdev or a device and its port";
	if (entry->netdev[0] && !dev_valid_name(entry->netdev))
		return "a netdev name has no space, slash or colon";
	if (entry->device[0] && (!name_valid(entry->device) || !entry->port))
		return "a device has a name and a port number from 1";
	return NULL;
}

/* Do two entries name the same netdev or port? */
static bool same_member(const struct smcr_pnet_entry *a,
			const struct smcr_pnet_entry *b)
{
	return !strcmp(a->netdev, b->netdev) && !strcmp(a->device, b->device) &&
	       a->port == b->port;
}

/* Find out why an entry cannot be added. A port may belong to several networks,
 * since netdevs of each may use it; a netdev belongs to one.
 */
static const char *clash(struct smcr_pnet *pnet,
			 const struct smcr_pnet_entry *new)
{
	const struct smcr_pnet_entry *entry;

	lockdep_assert_held(&pnet->lock);
	list_for_each_entry(entry, &pnet->entries, list) {
		if (!same_member(entry, new))
			continue;
		if (!strcmp(entry->name, new->name))
			return "this entry exists already";
		if (new->netdev[0])
			return "the netdev has an entry of another network";
	}
	return NULL;
}

/**
 * smcr_pnet_add() - add an entry
 * @net: the namespace
 * @like: contents of the entry, not checked
 * @extack: message if the entry is refused
 *
 * Context: process.
 * Return: 0, -EINVAL, -EEXIST, -ENOSPC or -ENOMEM.
 */
int smcr_pnet_add(struct net *net, const struct smcr_pnet_entry *like,
		  struct netlink_ext_ack *extack)
{
	struct smcr_pnet *pnet = pnet_of(net);
	const char *fault = entry_fault(like);
	struct smcr_pnet_entry *entry;
	int err = -EINVAL;

	if (fault)
		goto out;
	entry = kmemdup(like, sizeof(*like), GFP_KERNEL_ACCOUNT);
	if (!entry)
		return -ENOMEM;
	spin_lock(&pnet->lock);
	fault = clash(pnet, entry);
	err = fault ? -EEXIST : 0;
	if (!err && pnet->n == PNET_ENTRIES_MAX) {
		fault = "the table is full";
		err = -ENOSPC;
	}
	if (!err) {
		list_add_tail_rcu(&entry->list, &pnet->entries);
		pnet->n++;
	}
	spin_unlock(&pnet->lock);
	if (err)
		kfree(entry);
out:
	if (err)
		NL_SET_ERR_MSG_FMT(extack, "%s", fault);
	return err;
}

/* Does an entry match a pattern? An empty member of the pattern matches all
 * entries.
 */
static bool matches(const struct smcr_pnet_entry *entry,
		    const struct smcr_pnet_entry *like)
{
	if (like->name[0] && strcmp(entry->name, like->name))
		return false;
	if (!like->netdev[0] && !like->device[0])
		return true;
	return same_member(entry, like);
}

/**
 * smcr_pnet_del() - delete entries
 * @net: the namespace
 * @like: the entry; all entries of its name without a netdev and a device; all
 *	entries if it is empty
 * @extack: message if there is no such entry
 *
 * Connections keep the port that they have.
 *
 * Context: process.
 * Return: 0; -ENOENT if @like is not empty and there is no such entry.
 */
int smcr_pnet_del(struct net *net, const struct smcr_pnet_entry *like,
		  struct netlink_ext_ack *extack)
{
	bool any = !like->name[0] && !like->netdev[0] && !like->device[0];
	struct smcr_pnet *pnet = pnet_of(net);
	struct smcr_pnet_entry *entry, *next;
	u32 n = 0;

	spin_lock(&pnet->lock);
	list_for_each_entry_safe(entry, next, &pnet->entries, list) {
		if (!matches(entry, like))
			continue;
		list_del_rcu(&entry->list);
		kfree_rcu(entry, rcu);
		n++;
	}
	pnet->n -= n;
	spin_unlock(&pnet->lock);
	if (n || any)
		return 0;
	NL_SET_ERR_MSG(extack, "there is no such entry");
	return -ENOENT;
}

/**
 * smcr_pnet_walk() - show each entry
 * @net: the namespace
 * @pos: where to begin, 0 for the first entry; moved past each entry that was
 *	shown
 * @fn: called with each entry, under RCU; a value other than 0 ends the walk
 * @arg: for @fn
 *
 * Context: any.
 * Return: 0, or the value of @fn that ended the walk.
 */
int smcr_pnet_walk(struct net *net, u32 *pos, smcr_pnet_walk_fn fn, void *arg)
{
	const struct smcr_pnet_entry *entry;
	u32 i = 0;
	int err = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(entry, &pnet_of(net)->entries, list) {
		if (i++ < *pos)
			continue;
		err = fn(entry, arg);
		if (err)
			break;
		(*pos)++;
	}
	rcu_read_unlock();
	return err;
}

/* Find port number @nth of a netdev's network; under RCU. A netdev may be
 * renamed meanwhile: a lookup that reads half of a name finds no entry, or the
 * entry of another netdev, and only its connection is affected.
 */
static const struct smcr_pnet_entry *
nth_port(const struct net_device *dev, u32 nth)
{
	const struct list_head *entries = &pnet_of(dev_net(dev))->entries;
	const struct smcr_pnet_entry *entry, *own = NULL;

	list_for_each_entry_rcu(entry, entries, list) {
		if (entry->netdev[0] && !strcmp(entry->netdev, dev->name)) {
			own = entry;
			break;
		}
	}
	if (!own)
		return NULL;
	list_for_each_entry_rcu(entry, entries, list)
		if (entry->device[0] && !strcmp(entry->name, own->name) &&
		    !nth--)
			return entry;
	return NULL;
}

/**
 * smcr_pnet_any() - does a namespace's table have entries?
 * @net: the namespace
 *
 * Context: any.
 */
bool smcr_pnet_any(const struct net *net)
{
	return !list_empty(&pnet_of(net)->entries);
}

/**
 * smcr_pnet_tied() - does the table name the port of a netdev's connections?
 * @dev: the netdev
 *
 * Context: any.
 * Return: true if it does, whether or not the port exists.
 */
bool smcr_pnet_tied(const struct net_device *dev)
{
	bool tied;

	rcu_read_lock();
	tied = nth_port(dev, 0);
	rcu_read_unlock();
	return tied;
}

/**
 * smcr_pnet_usable() - may a connection over a tied netdev use RDMA?
 * @dev: a netdev that smcr_pnet_tied() is true for
 *
 * A hint for connect(); smcr_pnet_port() decides later.
 *
 * Context: any.
 * Return: true if a port that is tied to @dev exists and has a GID.
 */
bool smcr_pnet_usable(const struct net_device *dev)
{
	const struct smcr_pnet_entry *entry;
	bool usable = false;
	u32 nth = 0;

	rcu_read_lock();
	while (!usable && (entry = nth_port(dev, nth++)))
		usable = smcr_ib_named_usable(dev_net(dev), entry->device,
					      entry->port);
	rcu_read_unlock();
	return usable;
}

/* Does an entry name a port or the netdev of its GID? Under RCU. */
static bool is_member(struct net *net, const struct smcr_pnet_entry *entry,
		      const struct smcr_port *port)
{
	const struct net_device *ndev;

	if (entry->device[0])
		return port->dev && entry->port == port->port &&
		       !strcmp(entry->device, smcr_ib_dev_name(port->dev));
	ndev = dev_get_by_index_rcu(net, port->ifindex);
	return ndev && !strcmp(entry->netdev, ndev->name);
}

/* Is a port in a network? Under RCU. */
static bool in_network(struct net *net, const char *name,
		       const struct smcr_port *port)
{
	const struct smcr_pnet_entry *entry;

	list_for_each_entry_rcu(entry, &pnet_of(net)->entries, list)
		if (!strcmp(entry->name, name) && is_member(net, entry, port))
			return true;
	return false;
}

/**
 * smcr_pnet_apart() - does the table keep a port out of a group?
 * @net: the namespace
 * @port: a port that a further link of the group might use; the caller keeps
 *	its device from removal
 * @first: port of the group's first link, likewise, or without a device
 *
 * Context: any.
 * Return: true if @port is in a network, and in none that @first is in.
 */
bool smcr_pnet_apart(struct net *net, const struct smcr_port *port,
		     const struct smcr_port *first)
{
	const struct smcr_pnet_entry *entry;
	bool apart = false;

	rcu_read_lock();
	list_for_each_entry_rcu(entry, &pnet_of(net)->entries, list) {
		if (!is_member(net, entry, port))
			continue;
		apart = !in_network(net, entry->name, first);
		if (!apart)
			break;
	}
	rcu_read_unlock();
	return apart;
}

/**
 * smcr_pnet_port() - find the port that is tied to a netdev
 * @dev: the netdev
 * @want: the preferred GID
 * @out: the port, for smcr_ib_port_drop(); its @dev is NULL if there is none
 *
 * Context: process; may query the device.
 * Return: SMCR_PORT_OK, or why no port that is tied to @dev can be used.
 */
enum smcr_port_miss smcr_pnet_port(const struct net_device *dev,
				   const struct smcr_gid_want *want,
				   struct smcr_port *out)
{
	enum smcr_port_miss miss = SMCR_PORT_NO_RNIC;
	const struct smcr_pnet_entry *found;
	struct smcr_pnet_entry copy;
	u32 nth;

	memset(out, 0, sizeof(*out));
	for (nth = 0; nth < PNET_ENTRIES_MAX; nth++) {
		rcu_read_lock();
		found = nth_port(dev, nth);
		if (found)
			copy = *found;
		rcu_read_unlock();
		if (!found)
			break;
		miss = smcr_ib_port_named(dev_net(dev), copy.device, copy.port,
					  want, out);
		if (miss == SMCR_PORT_OK)
			break;
	}
	return miss;
}
