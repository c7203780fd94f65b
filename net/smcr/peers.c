// SPDX-License-Identifier: GPL-2.0
/*
 * Servers that a client remembers, and hosts with which SMC-R has worked.
 *
 * A destination that resets or closes TCP during a handshake may be a middlebox
 * that only echoes the TCP option; then it belongs on the negative list
 * (neglist.c). Or it may be a server whose process was killed. The two look the
 * same. But a destination that has answered a Proposal before is no such
 * middlebox, so its closes are forgiven, unless it has done nothing else for a
 * while. Likewise, if a first contact with a host has been completed before,
 * one close in the last step of a first contact is forgiven.
 *
 * An entry of a host also has the kind of GID of its last first contact, or of
 * an Accept that named another kind than the Proposal. The next Proposal has a
 * GID of that kind: the server finds its link group by that GID, and Linux's
 * own SMC-R sends to that GID, whatever the Confirm names.
 *
 * A client whose Proposal has version 1 is not offered the Linux dialect, which
 * is the only one that Linux speaks. Linux then declines the first contact, and
 * the entry of that host makes the next one offer the dialect.
 *
 * A server that hears nothing from a client waits longer for it if its host has
 * an entry: the option and the Proposal do pass between the two.
 *
 * Only a valid answer or a completed first contact adds an entry. The number of
 * entries is limited; a new entry replaces the least recently used one. A lost
 * entry costs no more than plain TCP for a while. Handshakes look entries up
 * under RCU and write only fields that change, so they do not wait for each
 * other.
 */
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "peers.h"
#include "smcr.h"

/* Limit of entries of a namespace */
#define PEERS_MAX	1024u

/**
 * struct peer - a destination, or a host
 * @node: entry in smcr_peers.hash
 * @rcu: defers the free by a grace period, for lookups under RCU
 * @addr: TCP address, IPv4 as a mapped address
 * @port: TCP port, or SMCR_PEERS_HOST
 * @closed: the server has done nothing but close TCP since @closed_at; set
 *	under smcr_peers.lock, cleared without it
 * @closed_at: time of the first such close, in jiffies; under smcr_peers.lock
 * @used: time of the last valid answer, in jiffies, to the second; written
 *	without a lock
 * @kind: host: enum smcr_gid_kind to propose; written without a lock
 * @no_eye: host: as a client it has declined the RFC dialect; set without a
 *	lock, never cleared
 */
struct peer {
	struct hlist_node	node;
	struct rcu_head		rcu;
	struct in6_addr		addr;
	__be16			port;
	bool			closed;
	unsigned long		closed_at;
	unsigned long		used;
	u8			kind;
	bool			no_eye;
};

static struct smcr_peers *peers_of(struct net *net)
{
	return &smcr_pernet(net)->peers;
}

static u32 peer_hash(const struct in6_addr *addr, __be16 port)
{
	static u32 seed __read_mostly;

	net_get_random_once(&seed, sizeof(seed));
	return jhash(addr, sizeof(*addr), seed + (__force u16)port);
}

/* The caller holds peers->lock or is in an RCU section. */
static struct peer *peer_find(struct smcr_peers *peers,
			      const struct in6_addr *addr, __be16 port)
{
	struct peer *peer;

	hash_for_each_possible_rcu(peers->hash, peer, node,
				   peer_hash(addr, port),
				   lockdep_is_held(&peers->lock))
		if (peer->port == port && ipv6_addr_equal(&peer->addr, addr))
			return peer;
	return NULL;
}

static void peer_touch(struct peer *peer, enum smcr_gid_kind kind, bool good)
{
	if (READ_ONCE(peer->kind) != kind)
		WRITE_ONCE(peer->kind, kind);
	if (good && READ_ONCE(peer->closed))
		WRITE_ONCE(peer->closed, false);
	if (time_after(jiffies, READ_ONCE(peer->used) + HZ))
		WRITE_ONCE(peer->used, jiffies);
}

static void peer_del(struct smcr_peers *peers, struct peer *peer)
{
	lockdep_assert_held(&peers->lock);
	hash_del_rcu(&peer->node);
	peers->n--;
	kfree_rcu(peer, rcu);
}

/* If there are too many entries, free the least recently used one. */
static void evict(struct smcr_peers *peers)
{
	struct peer *peer, *oldest = NULL;
	int i;

	lockdep_assert_held(&peers->lock);
	if (peers->n < PEERS_MAX)
		return;
	hash_for_each(peers->hash, i, peer, node)
		if (!oldest || time_before(READ_ONCE(peer->used),
					   READ_ONCE(oldest->used)))
			oldest = peer;
	peer_del(peers, oldest);
}

static void peer_add(struct smcr_peers *peers, const struct in6_addr *addr,
		     __be16 port, enum smcr_gid_kind kind, bool good)
{
	struct peer *new;

	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return;
	new->addr = *addr;
	new->port = port;
	new->used = jiffies;
	new->kind = kind;
	new->closed = !good;
	new->closed_at = jiffies;
	spin_lock(&peers->lock);
	if (peer_find(peers, addr, port)) {
		kfree(new);
	} else {
		evict(peers);
		hash_add_rcu(peers->hash, &new->node, peer_hash(addr, port));
		peers->n++;
	}
	spin_unlock(&peers->lock);
}

/* Update the entry of a server, or add one if there is memory. Unless @good,
 * the server's next close of TCP is not forgiven because of this.
 */
static void peer_note(struct smcr_peers *peers, const struct in6_addr *addr,
		      __be16 port, enum smcr_gid_kind kind, bool good)
{
	struct peer *peer;

	rcu_read_lock();
	peer = peer_find(peers, addr, port);
	if (peer)
		peer_touch(peer, kind, good);
	rcu_read_unlock();
	if (!peer)
		peer_add(peers, addr, port, kind, good);
}

/**
 * smcr_peers_good() - note that a server gave a Proposal a valid answer
 * @net: namespace
 * @addr: the server's TCP address, IPv4 as a mapped address
 * @port: the server's TCP port
 *
 * Context: process.
 */
void smcr_peers_good(struct net *net, const struct in6_addr *addr,
		     __be16 port)
{
	peer_note(peers_of(net), addr, port, SMCR_GID_AUTO, true);
}

/**
 * smcr_peers_met() - note that a first contact with a host was completed
 * @net: namespace
 * @addr: the host's TCP address, IPv4 as a mapped address
 * @kind: kind of GID to propose to it
 *
 * Context: process.
 */
void smcr_peers_met(struct net *net, const struct in6_addr *addr,
		    enum smcr_gid_kind kind)
{
	peer_note(peers_of(net), addr, SMCR_PEERS_HOST, kind, true);
}

/**
 * smcr_peers_want_kind() - note which kind of GID a server wants
 * @net: namespace
 * @addr: the server's TCP address, IPv4 as a mapped address
 * @kind: kind of GID in its Accept
 *
 * Context: process.
 */
void smcr_peers_want_kind(struct net *net, const struct in6_addr *addr,
			  enum smcr_gid_kind kind)
{
	peer_note(peers_of(net), addr, SMCR_PEERS_HOST, kind, false);
}

/**
 * smcr_peers_want_no_eye() - note that a client speaks the Linux dialect only
 * @net: namespace
 * @addr: the client's TCP address, IPv4 as a mapped address
 * @kind: kind of GID in its Proposal
 *
 * Context: process.
 */
void smcr_peers_want_no_eye(struct net *net, const struct in6_addr *addr,
			    enum smcr_gid_kind kind)
{
	struct smcr_peers *peers = peers_of(net);
	struct peer *peer;

	peer_note(peers, addr, SMCR_PEERS_HOST, kind, false);
	rcu_read_lock();
	peer = peer_find(peers, addr, SMCR_PEERS_HOST);
	if (peer)
		WRITE_ONCE(peer->no_eye, true);
	rcu_read_unlock();
}

/**
 * smcr_peers_no_eye() - does a client speak the Linux dialect only?
 * @net: namespace
 * @addr: the client's TCP address, IPv4 as a mapped address
 *
 * Context: any.
 * Return: true if it does; false if it does not or is not known.
 */
bool smcr_peers_no_eye(struct net *net, const struct in6_addr *addr)
{
	const struct peer *peer;
	bool no_eye;

	rcu_read_lock();
	peer = peer_find(peers_of(net), addr, SMCR_PEERS_HOST);
	no_eye = peer && READ_ONCE(peer->no_eye);
	rcu_read_unlock();
	return no_eye;
}

/**
 * smcr_peers_gid_kind() - kind of GID to propose to a server
 * @net: namespace
 * @addr: the server's TCP address, IPv4 as a mapped address
 *
 * Context: any.
 * Return: the kind, or SMCR_GID_AUTO if it is not known.
 */
enum smcr_gid_kind smcr_peers_gid_kind(struct net *net,
				       const struct in6_addr *addr)
{
	enum smcr_gid_kind kind = SMCR_GID_AUTO;
	const struct peer *peer;

	rcu_read_lock();
	peer = peer_find(peers_of(net), addr, SMCR_PEERS_HOST);
	if (peer)
		kind = READ_ONCE(peer->kind);
	rcu_read_unlock();
	return kind;
}

/**
 * smcr_peers_known() - does a server or a host speak SMC-R?
 * @net: namespace
 * @addr: its TCP address, IPv4 as a mapped address
 * @port: the server's TCP port, or SMCR_PEERS_HOST for the host
 *
 * Context: any.
 * Return: true if the server has given a Proposal a valid answer, or a first
 * contact with the host has got far, and that is not forgotten.
 */
bool smcr_peers_known(struct net *net, const struct in6_addr *addr,
		      __be16 port)
{
	bool known;

	rcu_read_lock();
	known = peer_find(peers_of(net), addr, port);
	rcu_read_unlock();
	return known;
}

/**
 * smcr_peers_forgive() - is a server's close of TCP in a handshake forgiven?
 * @net: namespace
 * @addr: the server's TCP address, IPv4 as a mapped address
 * @port: the server's TCP port, or SMCR_PEERS_HOST
 * @ms: for how long after a first close further closes are forgiven, unless
 *	the server gives a valid answer in between; with 0 only the first is
 *
 * Context: process.
 * Return: true if the server is known, and its closes have not gone on for
 * @ms. False if it is not known, which says nothing against it.
 */
bool smcr_peers_forgive(struct net *net, const struct in6_addr *addr,
			__be16 port, unsigned int ms)
{
	struct smcr_peers *peers = peers_of(net);
	bool forgive = false;
	struct peer *peer;

	spin_lock(&peers->lock);
	peer = peer_find(peers, addr, port);
	if (peer && !READ_ONCE(peer->closed)) {
		peer->closed_at = jiffies;
		WRITE_ONCE(peer->closed, true);
		forgive = true;
	} else if (peer) {
		forgive = time_before(jiffies, peer->closed_at +
				      msecs_to_jiffies(ms));
	}
	spin_unlock(&peers->lock);
	return forgive;
}

/**
 * smcr_peers_net_init() - initialise an empty table
 * @net: namespace
 *
 * Context: process, namespace init.
 */
void smcr_peers_net_init(struct net *net)
{
	struct smcr_peers *peers = peers_of(net);

	spin_lock_init(&peers->lock);
	hash_init(peers->hash);
}

/**
 * smcr_peers_net_exit() - free all entries
 * @net: namespace without handshakes
 *
 * Context: process, namespace exit.
 */
void smcr_peers_net_exit(struct net *net)
{
	struct smcr_peers *peers = peers_of(net);
	struct hlist_node *next;
	struct peer *peer;
	int i;

	spin_lock(&peers->lock);
	hash_for_each_safe(peers->hash, i, next, peer, node)
		peer_del(peers, peer);
	spin_unlock(&peers->lock);
}
