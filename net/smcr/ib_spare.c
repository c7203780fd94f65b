// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup of the local port of a further link. spare.c chooses; this file
 * collects what it has to know about the host's GIDs.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/inetdevice.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>

#include "ib.h"
#include "pnet.h"
#include "spare.h"
#include "wr.h"

/**
 * struct spare_set - the candidates for a further link
 * @n: entries of @hits and @cand
 * @hits: GIDs, each with a reference to its device
 * @cand: what spare.c knows of them
 * @first: local end of the group's first link
 * @want: what the further link needs; names @first
 * @port: @first as a port, with a reference to its device; without a device if
 *	that is being removed
 */
struct spare_set {
	u32			n;
	struct smcr_ib_hit	*hits;
	struct smcr_spare	*cand;
	struct smcr_spare	first;
	struct smcr_spare_want	want;
	struct smcr_port	port;
};

static void spare_of(const struct smcr_port *port, struct smcr_spare *spare)
{
	memset(spare, 0, sizeof(*spare));
	spare->dev = port->dev;
	spare->port = port->port;
	spare->ifindex = port->ifindex;
	memcpy(spare->gid, port->gid, SMCR_GID_LEN);
	spare->v2 = port->v2;
	spare->vlan = port->vlan;
	spare->pages = port->dev->max_mr_pages;
}

/* Find the shortest prefix of a netdev's IPv4 subnets that contain an address.
 * Each address in such a subnet is on the netdev's LAN.
 */
static u8 prefix4(const struct net_device *ndev, __be32 addr)
{
	struct in_device *in_dev = __in_dev_get_rcu(ndev);
	const struct in_ifaddr *ifa;
	u8 len = 32;

	if (!in_dev)
		return len;
	in_dev_for_each_ifa_rcu(ifa, in_dev)
		if (inet_ifa_match(addr, ifa))
			len = min(len, ifa->ifa_prefixlen);
	return len;
}

/* Like prefix4(), for IPv6. */
static u8 prefix6(const struct net_device *ndev, const struct in6_addr *addr)
{
	struct inet6_dev *in6 = __in6_dev_get(ndev);
	const struct inet6_ifaddr *ifa;
	u8 len = 128;

	if (!in6)
		return len;
	list_for_each_entry_rcu(ifa, &in6->addr_list, if_list)
		if (ipv6_prefix_equal(&ifa->addr, addr, ifa->prefix_len))
			len = min_t(u8, len, ifa->prefix_len);
	return len;
}

/* Has a netdev a subnet that contains an address? Under RCU. */
static bool subnet4(const struct net_device *ndev, __be32 addr)
{
	struct in_device *in_dev = __in_dev_get_rcu(ndev);
	const struct in_ifaddr *ifa;

	if (!in_dev)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in_dev)
		if (inet_ifa_match(addr, ifa))
			return true;
	return false;
}

/* Like subnet4(), for IPv6. The subnet of the link-local addresses does not
 * count, as each LAN has it.
 */
static bool subnet6(const struct net_device *ndev, const struct in6_addr *addr)
{
	struct inet6_dev *in6 = __in6_dev_get(ndev);
	const struct inet6_ifaddr *ifa;

	if (!in6 || ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL)
		return false;
	list_for_each_entry_rcu(ifa, &in6->addr_list, if_list)
		if (ipv6_prefix_equal(&ifa->addr, addr, ifa->prefix_len))
			return true;
	return false;
}

static bool subnet_of(const struct net_device *ndev, const u8 *gid)
{
	struct in6_addr addr;

	memcpy(&addr, gid, sizeof(addr));
	if (ipv6_addr_v4mapped(&addr))
		return subnet4(ndev, addr.s6_addr32[3]);
	return subnet6(ndev, &addr);
}

/* Has a netdev a subnet of another netdev? Under RCU. */
static bool subnet_shared(const struct net_device *ndev,
			  const struct net_device *other)
{
	struct in_device *in_dev = __in_dev_get_rcu(other);
	struct inet6_dev *in6 = __in6_dev_get(other);
	const struct inet6_ifaddr *ifa6;
	const struct in_ifaddr *ifa;

	if (in_dev) {
		in_dev_for_each_ifa_rcu(ifa, in_dev)
			if (subnet4(ndev, ifa->ifa_local))
				return true;
	}
	if (in6) {
		list_for_each_entry_rcu(ifa6, &in6->addr_list, if_list)
			if (subnet6(ndev, &ifa6->addr))
				return true;
	}
	return false;
}

/* Is a candidate's netdev on the peer's LAN, by its subnets? Under RCU. */
static void spare_lan(struct net *net, const struct net_device *ndev,
		      const struct smcr_spare_want *want,
		      struct smcr_spare *spare)
{
	const struct net_device *first;

	first = dev_get_by_index_rcu(net, want->first->ifindex);
	spare->like_first = first && subnet_of(first, spare->gid);
	if (want->peer_gid &&
	    smcr_gid_kind(want->peer_gid) != SMCR_GID_LINK_LOCAL)
		spare->lan = subnet_of(ndev, want->peer_gid);
	else
		spare->lan = first && subnet_shared(ndev, first);
}

/* A netdev in a VRF is never used: its addresses are those of another network.
 */
static bool netdev_ready(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev) &&
	       !netif_is_l3_slave(ndev);
}

/* Read from the netdev whether it can send, and its subnets. */
static void spare_netdev(struct net *net, const struct smcr_spare_want *want,
			 struct smcr_spare *spare)
{
	struct net_device *ndev;
	struct in6_addr addr;

	memcpy(&addr, spare->gid, sizeof(addr));
	rcu_read_lock();
	ndev = dev_get_by_index_rcu(net, spare->ifindex);
	spare->ready = ndev && netdev_ready(ndev);
	if (spare->ready && ipv6_addr_v4mapped(&addr))
		spare->prefix = 96 + prefix4(ndev, addr.s6_addr32[3]);
	else if (spare->ready)
		spare->prefix = prefix6(ndev, &addr);
	if (spare->ready)
		spare_lan(net, ndev, want, spare);
	rcu_read_unlock();
}

/* Say once for a device why groups have no link over it. RMBs are sized so that
 * the devices of the time can have them; this one has come later.
 */
static void log_pages(struct smcr_ibdev *dev, u32 pages)
{
	if (READ_ONCE(dev->pages_told))
		return;
	WRITE_ONCE(dev->pages_told, true);
	pr_info("%s: a memory region has at most %u pages, but a link group needs %u; the group gets no link over this adapter, a later group may\n",
		smcr_ib_dev_name(dev), dev->max_mr_pages, pages);
}

/* Fill a candidate. A device whose limits are too small for a link is none, nor
 * is a port that is not ready, or that the PNET table puts into another
 * network. The state of the port matters only if the GID can carry the link and
 * the netdev can send: a port that is down normally has no carrier either.
 */
static void spare_fill(struct net *net, const struct smcr_ib_hit *hit,
		       const struct spare_set *set, struct smcr_spare *spare)
{
	struct smcr_port port;
	int known;

	/* The hit keeps its reference */
	if (!smcr_ib_port_fill(hit, &port) || !smcr_wr_device_fits(port.dev))
		return;
	spare_of(&port, spare);
	if (spare->pages < set->want.pages)
		log_pages(port.dev, set->want.pages);
	if (!smcr_spare_suits(spare, &set->want) ||
	    smcr_pnet_apart(net, &port, &set->port))
		return;
	spare_netdev(net, &set->want, spare);
	known = spare->ready ? smcr_ib_port_known(&port) : 0;
	spare->ready = known > 0;
	spare->open = known < 0;
}

static void set_free(struct spare_set *set)
{
	struct smcr_port port;

	while (set->n--) {
		port.dev = set->hits[set->n].dev;
		smcr_ib_port_put(&port);
	}
	if (set->port.dev)
		smcr_ib_port_put(&set->port);
	kvfree(set->hits);
	kvfree(set->cand);
}

static int set_alloc(struct spare_set *set, u32 n)
{
	set->hits = kvcalloc(n, sizeof(*set->hits), GFP_KERNEL);
	set->cand = kvcalloc(n, sizeof(*set->cand), GFP_KERNEL);
	if (set->hits && set->cand)
		return 0;
	kvfree(set->hits);
	kvfree(set->cand);
	return -ENOMEM;
}

/* Collect the candidates and mark those that the group's links use. The caller
 * frees a set that was made.
 */
static int __must_check
set_make(struct net *net, const struct smcr_port *used, unsigned int n_used,
	 const struct smcr_ib_spare_want *want, struct spare_set *set)
{
	u32 i, n = max(smcr_ib_gids_like(net, want->first, NULL, 0), 1u);
	unsigned int n_symmetric = n_used - want->n_asymmetric;
	struct smcr_spare end;

	if (set_alloc(set, n))
		return -ENOMEM;
	spare_of(want->first, &set->first);
	set->want = (struct smcr_spare_want){
		.first = &set->first,
		.peer_gid = want->peer_gid,
		.first_peer = want->first_peer,
		.asked = want->asked,
		.nth = want->nth,
		.pages = want->pages,
		.near = want->near,
	};
	set->port = *want->first;
	if (!smcr_ib_port_tryget(&set->port))
		set->port.dev = NULL;
	/* GIDs may have come or gone between the two walks */
	set->n = min(smcr_ib_gids_like(net, want->first, set->hits, n), n);
	for (i = 0; i < set->n; i++)
		spare_fill(net, &set->hits[i], set, &set->cand[i]);
	while (n_used--) {
		spare_of(&used[n_used], &end);
		end.asymmetric = n_used >= n_symmetric;
		smcr_spare_use(set->cand, set->n, &end);
	}
	return 0;
}

/**
 * smcr_ib_port_spare() - find the local port of a further link of a group
 * @net: the group's namespace
 * @used: local ends of the group's links; the devices are only compared
 * @n_used: entries of @used
 * @want: what the link needs
 * @out: the port, for smcr_ib_port_drop(); its @dev is NULL if there is none. A
 *	port that is not dropped for long does not delay its device's removal
 *
 * A port in the subnet of the peer's GID is preferred. Without @want->near one
 * in another subnet may be found; CONFIRM LINK tells whether it reaches the
 * peer.
 *
 * The device is not asked for the state of a port, as the answer may take long;
 * what is known of the port decides. See smcr_ib_port_known().
 *
 * Context: process; allocates memory.
 * Return: 0; 1 if the port is not on the peer's LAN by its addresses; -ENOENT
 * if no port is spare, also if the peer's GID does not interoperate with the
 * group's; -EINPROGRESS if one may be, which a device is being asked for;
 * -EXDEV if only such are that @want->near excludes; -ENOMEM.
 */
int smcr_ib_port_spare(struct net *net, const struct smcr_port *used,
		       unsigned int n_used,
		       const struct smcr_ib_spare_want *want,
		       struct smcr_port *out)
{
	struct spare_set set;
	int err, i;

	memset(out, 0, sizeof(*out));
	err = set_make(net, used, n_used, want, &set);
	if (err)
		return err;
	i = smcr_spare_choose(set.cand, set.n, &set.want);
	/* The port may have changed since it was looked at */
	if (i >= 0 && smcr_ib_port_fill(&set.hits[i], out) &&
	    smcr_ib_port_known(out) > 0) {
		smcr_ib_dev_hold(out->dev);
		err = !smcr_spare_near(&set.cand[i], &set.want);
	} else {
		memset(out, 0, sizeof(*out));
		err = i == SMCR_SPARE_FAR ? -EXDEV : -ENOENT;
		if (smcr_spare_open(set.cand, set.n, &set.want))
			err = -EINPROGRESS;
	}
	set_free(&set);
	return err;
}

/**
 * smcr_ib_spare_ports() - count the spare ports of a group
 * @net: the group's namespace
 * @used: local ends of the group's links, and those that are about to be used;
 *	the devices are only compared
 * @n_used: entries of @used
 * @want: what a further link needs
 *
 * Context: as smcr_ib_port_spare().
 * Return: how many there are; 0 also if there is no memory; -EINPROGRESS if
 * there may be one, which a device is being asked for.
 */
int smcr_ib_spare_ports(struct net *net, const struct smcr_port *used,
			unsigned int n_used,
			const struct smcr_ib_spare_want *want)
{
	struct spare_set set;
	int count;

	if (set_make(net, used, n_used, want, &set))
		return 0;
	count = smcr_spare_ports(set.cand, set.n, &set.want);
	if (!count && smcr_spare_open(set.cand, set.n, &set.want))
		count = -EINPROGRESS;
	set_free(&set);
	return count;
}

/**
 * smcr_ib_port_near() - is a GID of the peer on the LAN of a port?
 * @net: the port's namespace
 * @port: the port; its device is not looked at
 * @gid: the GID
 *
 * Context: any.
 * Return: true if the port's netdev has a subnet that contains @gid, or if @gid
 * is link-local, which tells nothing.
 */
bool smcr_ib_port_near(struct net *net, const struct smcr_port *port,
		       const u8 *gid)
{
	const struct net_device *ndev;
	bool near;

	if (smcr_gid_kind(gid) == SMCR_GID_LINK_LOCAL)
		return true;
	rcu_read_lock();
	ndev = dev_get_by_index_rcu(net, port->ifindex);
	near = ndev && subnet_of(ndev, gid);
	rcu_read_unlock();
	return near;
}
