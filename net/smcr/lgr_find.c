// SPDX-License-Identifier: GPL-2.0
/*
 * Lookups of link groups: by the peer, for handshakes (RFC 7609 3.5.2, 3.5.3),
 * and by number, for netlink and for the exit of a namespace or device.
 *
 * A server reuses a group only for the client TCP address that made its first
 * contact; see "group bound to an address" in smcr.rst.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/lockdep.h>
#include <linux/net.h>
#include <net/ipv6.h>

#include "lgr.h"
#include "lgr_policy.h"
#include "mib.h"

static atomic_t lgr_ids = ATOMIC_INIT(0);

static bool key_equal(const struct smcr_lgr_key *a,
		      const struct smcr_lgr_key *b)
{
	return !memcmp(a->peer_id, b->peer_id, sizeof(a->peer_id)) &&
	       !memcmp(a->gid, b->gid, sizeof(a->gid)) &&
	       !memcmp(a->mac, b->mac, sizeof(a->mac)) &&
	       ipv6_addr_equal(&a->addr, &b->addr) &&
	       a->ifindex == b->ifindex;
}

/* The groups with one peer in one role are in one chain. The peer chooses the
 * bytes that are hashed, so the hash has a random seed.
 */
static struct hlist_head *lgr_chain(struct smcr_net *sn, enum smcr_role role,
				    const struct smcr_lgr_key *key)
{
	static u32 seed __read_mostly;
	u32 hash;

	net_get_random_once(&seed, sizeof(seed));
	hash = jhash(key->peer_id, sizeof(key->peer_id), seed + role);
	if (role == SMCR_SERVER)
		hash = jhash(&key->addr, sizeof(key->addr), hash);
	return &sn->lgr_hash[hash % SMCR_LGR_BUCKETS];
}

/* Is another first contact with the same client under way? Then the handshake
 * follows that one.
 */
static bool lgr_forming(const struct smcr_lgr *new,
			const struct hlist_head *chain)
{
	const struct smcr_lgr *lgr;

	lockdep_assert_held(&smcr_pernet(new->net)->lgr_lock);
	hlist_for_each_entry(lgr, chain, node)
		if (lgr->role == SMCR_SERVER && new->role == SMCR_SERVER &&
		    smcr_lgr_state(lgr) == SMCR_LGR_FORMING &&
		    key_equal(&lgr->key, &new->key))
			return true;
	return false;
}

/**
 * smcr_lgr_publish() - put a group on the namespace's list
 * @lgr: a new group; the list takes a reference
 *
 * Handshakes can find the group after this.
 *
 * Context: process.
 * Return: 0; -EEXIST if this server is forming a group with the same client
 * already; -ESHUTDOWN if the namespace exits.
 */
int smcr_lgr_publish(struct smcr_lgr *lgr)
{
	struct smcr_net *sn = smcr_pernet(lgr->net);
	struct hlist_head *chain = lgr_chain(sn, lgr->role, &lgr->key);
	int err = 0;

	spin_lock_bh(&sn->lgr_lock);
	if (sn->dying) {
		err = -ESHUTDOWN;
	} else if (lgr_forming(lgr, chain)) {
		err = -EEXIST;
	} else {
		smcr_lgr_get(lgr);
		/* Ids are given under the lock, so the list is ordered by id,
		 * and smcr_lgr_next() can continue after any group.
		 */
		lgr->id = atomic_inc_return(&lgr_ids);
		list_add_tail(&lgr->list, &sn->lgrs);
		hlist_add_head(&lgr->node, chain);
	}
	spin_unlock_bh(&sn->lgr_lock);
	if (!err)
		smcr_mib_inc(lgr->net, SMCR_MIB_LINKGROUPS);
	return err;
}

/**
 * smcr_lgr_unpublish() - take a group off the namespace's list
 * @lgr: the group
 *
 * Context: process.
 * Return: true if the group was on the list; the list's reference passes to the
 * caller then.
 */
bool smcr_lgr_unpublish(struct smcr_lgr *lgr)
{
	struct smcr_net *sn = smcr_pernet(lgr->net);
	bool listed;

	spin_lock_bh(&sn->lgr_lock);
	listed = !list_empty(&lgr->list);
	list_del_init(&lgr->list);
	hlist_del_init(&lgr->node);
	spin_unlock_bh(&sn->lgr_lock);
	return listed;
}

static bool lgr_has_room(const struct smcr_lgr *lgr)
{
	lockdep_assert_held(&lgr->conns_lock);
	if (lgr->n_conns >= smcr_lgr_conn_limit(lgr)) {
		smcr_mib_inc(lgr->net, SMCR_MIB_GROUPSFULL);
		return false;
	}
	return smcr_lgr_policy_has_room(lgr->dialect, lgr->n_conns,
					READ_ONCE(lgr->n_rmbs));
}

/* A handshake joins a FORMING group even if that has no room, because there
 * cannot be two FORMING groups with one client. After this the group does not
 * close as idle.
 */
static bool lgr_join(struct smcr_lgr *lgr)
{
	bool may;

	spin_lock_bh(&lgr->conns_lock);
	may = lgr->state == SMCR_LGR_FORMING ||
	      (lgr->state == SMCR_LGR_ACTIVE && lgr_has_room(lgr));
	if (may)
		WRITE_ONCE(lgr->n_joining, lgr->n_joining + 1);
	spin_unlock_bh(&lgr->conns_lock);
	return may;
}

/* Does a link of the group lead to this port of the peer? */
static bool lgr_has_peer(struct smcr_lgr *lgr, const struct smcr_lgr_key *key)
{
	const struct smcr_link *link;
	bool found = false;
	int i;

	spin_lock_bh(&lgr->conns_lock);
	for (i = 0; i < SMCR_MAX_LINKS && !found; i++) {
		link = lgr->links[i];
		found = link &&
			!memcmp(link->peer.gid, key->gid, SMCR_GID_LEN) &&
			!memcmp(link->peer.mac, key->mac, SMCR_MAC_LEN);
	}
	spin_unlock_bh(&lgr->conns_lock);
	return found;
}

/* A client whose Confirm had another GID than its Proposal may propose either
 * GID from then on.
 */
static bool lgr_is_for(struct smcr_lgr *lgr, const struct smcr_lgr_key *key)
{
	struct smcr_lgr_key other = *key;

	if (key_equal(&lgr->key, key))
		return true;
	memcpy(other.gid, lgr->key.gid, SMCR_GID_LEN);
	memcpy(other.mac, lgr->key.mac, SMCR_MAC_LEN);
	return key_equal(&lgr->key, &other) && lgr_has_peer(lgr, key);
}

/**
 * smcr_lgr_find_server() - find a group that a server may reuse
 * @net: namespace
 * @key: the client, from its Proposal and its TCP address
 *
 * Context: process or softirq.
 * Return: a group in state ACTIVE or FORMING, or NULL. The caller ends its use
 * with smcr_lgr_leave().
 */
struct smcr_lgr *smcr_lgr_find_server(struct net *net,
				      const struct smcr_lgr_key *key)
{
	struct smcr_net *sn = smcr_pernet(net);
	struct hlist_head *chain = lgr_chain(sn, SMCR_SERVER, key);
	struct smcr_lgr *lgr, *found = NULL;

	spin_lock_bh(&sn->lgr_lock);
	hlist_for_each_entry(lgr, chain, node) {
		if (lgr->role != SMCR_SERVER || !lgr_is_for(lgr, key) ||
		    !lgr_join(lgr))
			continue;
		found = smcr_lgr_get(lgr);
		break;
	}
	spin_unlock_bh(&sn->lgr_lock);
	return found;
}

/* Find the link that the Accept names, and join its group. A link has its peer
 * before it has a queue pair, and no connection may use it then, whatever the
 * server says.
 */
static struct smcr_link *lgr_join_link(struct smcr_lgr *lgr,
				       const struct smcr_lgr_key *key, u32 qpn)
{
	struct smcr_link *link, *found = NULL;
	int i;

	spin_lock_bh(&lgr->conns_lock);
	for (i = 0; i < SMCR_MAX_LINKS && !found; i++) {
		link = lgr->links[i];
		if (link && lgr->state <= SMCR_LGR_ACTIVE &&
		    smcr_link_was_ready(link) && link->peer.qpn == qpn &&
		    !memcmp(link->peer.gid, key->gid, SMCR_GID_LEN) &&
		    !memcmp(link->peer.mac, key->mac, SMCR_MAC_LEN))
			found = smcr_link_get(link);
	}
	if (found)
		WRITE_ONCE(lgr->n_joining, lgr->n_joining + 1);
	spin_unlock_bh(&lgr->conns_lock);
	return found;
}

/**
 * smcr_lgr_find_client() - find the group that an Accept names (3.5.2.2)
 * @net: namespace
 * @key: peer ID, GID and MAC address in the Accept
 * @qpn: queue pair number in the Accept
 * @link: result: the link that matched, with a reference
 *
 * Context: process.
 * Return: a group in which this host is the client: ACTIVE, or FORMING if the
 * server has ended its first contact earlier than this host. The caller ends
 * its use with smcr_lgr_leave(). NULL if no link matches: the peers are out of
 * sync (C.4).
 */
struct smcr_lgr *smcr_lgr_find_client(struct net *net,
				      const struct smcr_lgr_key *key, u32 qpn,
				      struct smcr_link **link)
{
	struct smcr_net *sn = smcr_pernet(net);
	struct hlist_head *chain = lgr_chain(sn, SMCR_CLIENT, key);
	struct smcr_lgr *lgr, *found = NULL;

	spin_lock_bh(&sn->lgr_lock);
	hlist_for_each_entry(lgr, chain, node) {
		if (lgr->role != SMCR_CLIENT ||
		    memcmp(lgr->key.peer_id, key->peer_id, SMCR_PEER_ID_LEN))
			continue;
		*link = lgr_join_link(lgr, key, qpn);
		if (!*link)
			continue;
		found = smcr_lgr_get(lgr);
		break;
	}
	spin_unlock_bh(&sn->lgr_lock);
	return found;
}

static bool end_equal(const struct smcr_link_peer *end,
		      const struct smcr_lgr_key *key, u32 qpn)
{
	return end->qpn == qpn &&
	       !memcmp(end->gid, key->gid, SMCR_GID_LEN) &&
	       !memcmp(end->mac, key->mac, SMCR_MAC_LEN);
}

/* An Accept names the link only for as long as a handshake may take; after that
 * the server may have given the queue pair number to another link.
 */
static bool link_left(struct smcr_lgr *lgr, const struct smcr_lgr_key *key,
		      u32 qpn)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(lgr->net)->sysctl;
	const struct smcr_links_left *left = &lgr->left;
	unsigned long age;
	bool found = false;
	u32 i;

	age = msecs_to_jiffies(READ_ONCE(ctl->handshake_timeout_ms));
	spin_lock_bh(&lgr->conns_lock);
	for (i = 0; i < min_t(u32, left->n, ARRAY_SIZE(left->peer)); i++)
		found |= lgr->state <= SMCR_LGR_ACTIVE &&
			 time_before(jiffies, left->at[i] + age) &&
			 end_equal(&left->peer[i], key, qpn);
	spin_unlock_bh(&lgr->conns_lock);
	return found;
}

/**
 * smcr_lgr_had_link() - has a link that an Accept names left a group?
 * @net: namespace
 * @key: peer ID, GID and MAC address in the Accept
 * @qpn: queue pair number in the Accept
 *
 * Context: process.
 * Return: true if the link has failed and left a group that goes on, so that
 * the peers are not out of sync.
 */
bool smcr_lgr_had_link(struct net *net, const struct smcr_lgr_key *key,
		       u32 qpn)
{
	struct smcr_net *sn = smcr_pernet(net);
	struct hlist_head *chain = lgr_chain(sn, SMCR_CLIENT, key);
	struct smcr_lgr *lgr;
	bool found = false;

	spin_lock_bh(&sn->lgr_lock);
	hlist_for_each_entry(lgr, chain, node)
		found |= lgr->role == SMCR_CLIENT &&
			 !memcmp(lgr->key.peer_id, key->peer_id,
				 SMCR_PEER_ID_LEN) &&
			 link_left(lgr, key, qpn);
	spin_unlock_bh(&sn->lgr_lock);
	return found;
}

/**
 * smcr_lgr_serves() - has a client an ACTIVE group with a server?
 * @net: namespace
 * @addr: the server's TCP address, IPv4 as a mapped address
 *
 * Context: any but hard irq.
 * Return: true if the next contact with the server may use one.
 */
bool smcr_lgr_serves(struct net *net, const struct in6_addr *addr)
{
	struct smcr_net *sn = smcr_pernet(net);
	const struct smcr_lgr *lgr;
	bool found = false;

	spin_lock_bh(&sn->lgr_lock);
	list_for_each_entry(lgr, &sn->lgrs, list)
		found |= lgr->role == SMCR_CLIENT &&
			 smcr_lgr_state(lgr) == SMCR_LGR_ACTIVE &&
			 ipv6_addr_equal(&lgr->key.addr, addr);
	spin_unlock_bh(&sn->lgr_lock);
	return found;
}

/**
 * smcr_lgr_next() - walk the groups of a namespace
 * @net: namespace
 * @prev: the group that the last call returned, whose reference is dropped; or
 *	NULL
 *
 * Context: process.
 * Return: the group with the next higher id, with a reference, or NULL.
 */
struct smcr_lgr *smcr_lgr_next(struct net *net, struct smcr_lgr *prev)
{
	struct smcr_net *sn = smcr_pernet(net);
	u32 id = prev ? prev->id : 0;
	struct smcr_lgr *lgr, *next = NULL;

	spin_lock_bh(&sn->lgr_lock);
	/* If @prev has left the list, search from the start. */
	lgr = prev && !list_empty(&prev->list) ? prev : NULL;
	lgr = list_prepare_entry(lgr, &sn->lgrs, list);
	list_for_each_entry_continue(lgr, &sn->lgrs, list) {
		if (lgr->id > id) {
			next = smcr_lgr_get(lgr);
			break;
		}
	}
	spin_unlock_bh(&sn->lgr_lock);
	if (prev)
		smcr_lgr_put(prev);
	return next;
}
