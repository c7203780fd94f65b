// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of a peer's GID by ARP and by IPv6 neighbour discovery.
 *
 * RoCE has no message that passes without a queue pair at the other end. But a
 * GID is an IP address of the netdev that carries it, even a link-local GID, so
 * the kernel's neighbour tables can ask for it. An answer does not prove that
 * RoCE passes. A change from silence to an answer is a sign, though, that a
 * path has been repaired.
 */
#include <linux/in6.h>
#include <linux/jiffies.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <net/arp.h>
#include <net/ipv6_stubs.h>
#include <net/neighbour.h>

#include "neigh.h"
#include "wire.h"

/* An answer that is newer than this makes a question needless: several groups
 * may have lost paths to the same peer.
 */
#define NEIGH_FRESH	(HZ / 2)

static struct neigh_table *table_of(const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return &arp_tbl;
#if IS_ENABLED(CONFIG_IPV6)
	/* NULL if the host was booted without IPv6 */
	return ipv6_stub->nd_tbl;
#else
	return NULL;
#endif
}

/* Find or make the entry of an address. Return: the entry with a reference, or
 * NULL.
 */
static struct neighbour *entry_get(struct net_device *ndev,
				   struct in6_addr *addr)
{
	struct neigh_table *table = table_of(addr);
	struct neighbour *entry;
	void *key = addr;

	if (!table || !netif_running(ndev) || !netif_carrier_ok(ndev))
		return NULL;
	if (ipv6_addr_v4mapped(addr))
		key = &addr->s6_addr32[3];
	entry = neigh_lookup(table, key, ndev);
	if (!entry)
		entry = neigh_create(table, key, ndev);
	return IS_ERR(entry) ? NULL : entry;
}

/* An entry in use stays REACHABLE for half a minute without a question. PROBE
 * makes the table ask now; while the answer is awaited, packets still go out.
 */
static void entry_ask(struct neighbour *entry, u8 state)
{
	if (state & (NUD_REACHABLE | NUD_STALE | NUD_DELAY))
		neigh_update(entry, NULL, NUD_PROBE, 0, 0);
	else
		neigh_event_send(entry, NULL);
}

static bool entry_fresh(const struct neighbour *entry, u8 state)
{
	return state & NUD_REACHABLE &&
	       time_before(jiffies, READ_ONCE(entry->confirmed) + NEIGH_FRESH);
}

static enum smcr_neigh entry_ask_again(struct neighbour *entry)
{
	u8 state = READ_ONCE(entry->nud_state);

	/* Nobody asks for a static entry, or on a netdev without ARP. */
	if (state & (NUD_PERMANENT | NUD_NOARP))
		return SMCR_NEIGH_UNKNOWN;
	if (!entry_fresh(entry, state))
		entry_ask(entry, state);
	if (state & NUD_REACHABLE)
		return SMCR_NEIGH_ANSWERS;
	return state & NUD_FAILED ? SMCR_NEIGH_SILENT : SMCR_NEIGH_UNKNOWN;
}

/**
 * smcr_neigh_ask() - ask for the peer's end of a path once more
 * @net: namespace of @ifindex
 * @ifindex: the local netdev
 * @gid: the peer's GID
 *
 * A silent neighbour is known as such after the netdev's ucast_solicit or
 * mcast_solicit probes, which are three seconds by default.
 *
 * Context: process.
 * Return: what came of the earlier question; SMCR_NEIGH_UNKNOWN as well if the
 * netdev cannot send.
 */
enum smcr_neigh smcr_neigh_ask(struct net *net, int ifindex, const u8 *gid)
{
	enum smcr_neigh result = SMCR_NEIGH_UNKNOWN;
	struct neighbour *entry = NULL;
	struct net_device *ndev;
	struct in6_addr addr;

	BUILD_BUG_ON(sizeof(addr) != SMCR_GID_LEN);
	memcpy(&addr, gid, sizeof(addr));
	rcu_read_lock();
	ndev = dev_get_by_index_rcu(net, ifindex);
	if (ndev)
		entry = entry_get(ndev, &addr);
	if (entry) {
		result = entry_ask_again(entry);
		neigh_release(entry);
	}
	rcu_read_unlock();
	return result;
}
