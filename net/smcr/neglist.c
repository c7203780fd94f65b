// SPDX-License-Identifier: GPL-2.0
/*
 * Negative list: destinations and paths on which SMC-R failed.
 *
 * A middlebox that echoes unknown TCP options, or a firewall that blocks RoCE,
 * makes each connection to a peer fail in the same way. Past the point of no
 * return (C.3) RFC 7609 allows nothing but a reset of TCP. So the first
 * connection is reset, and those after it use plain TCP; where RDMA fails, the
 * second one tries again. Where SYNs with the option are dropped, or the
 * SYN-ACK loses it, the first connection takes seconds to become plain TCP, and
 * those after it take TCP's time.
 *
 * A path that loses long packets has an entry of a kind of its own, as that
 * blocks large MTUs only. negstate.c has the states of an entry.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "mib.h"
#include "neglist.h"
#include "smcr.h"

/* Entries of a kind in a namespace, and as many that are noted. A new one
 * replaces the one like it that expires first
 */
#define NEGLIST_MAX		1024u

/**
 * struct entry - a destination or path on the list
 * @node: entry in smcr_neglist.hash
 * @key: the destination or path
 * @state: its state
 *
 * smcr_neglist.lock covers all of it.
 */
struct entry {
	struct hlist_node	node;
	struct smcr_neglist_key	key;
	struct smcr_negstate	state;
};

static struct smcr_neglist *list_of(struct net *net)
{
	return &smcr_pernet(net)->neglist;
}

/* All paths to a host are in one chain, for smcr_neglist_rests(). */
static u32 key_hash(const struct smcr_neglist_key *key)
{
	static u32 seed __read_mostly;

	net_get_random_once(&seed, sizeof(seed));
	if (key->kind == SMCR_NEGLIST_PATH || key->kind == SMCR_NEGLIST_MTU)
		return jhash(&key->addr, sizeof(key->addr), seed + key->kind);
	return jhash(key, sizeof(*key), seed);
}

static void get_time(const struct net *net, struct smcr_negtime *time)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(net)->sysctl;

	*time = (struct smcr_negtime) {
		.now = get_jiffies_64(),
		.block = msecs_to_jiffies(READ_ONCE(ctl->negative_ms)),
		.max = msecs_to_jiffies(READ_ONCE(ctl->negative_max_ms)),
		.probe = msecs_to_jiffies(READ_ONCE(ctl->handshake_timeout_ms)),
	};
}

static void entry_free(struct smcr_neglist *list, struct entry *entry)
{
	lockdep_assert_held(&list->lock);
	hash_del(&entry->node);
	WRITE_ONCE(list->n[entry->key.kind], list->n[entry->key.kind] - 1);
	list->n_noted[entry->key.kind] -= smcr_negstate_noted(&entry->state);
	kfree(entry);
}

static struct entry *entry_find(struct smcr_neglist *list,
				const struct smcr_neglist_key *key)
{
	struct entry *entry;

	lockdep_assert_held(&list->lock);
	hash_for_each_possible(list->hash, entry, node, key_hash(key))
		if (!memcmp(&entry->key, key, sizeof(*key)))
			return entry;
	return NULL;
}

/**
 * smcr_neglist_has() - is a peer on the list?
 * @net: namespace
 * @key: destination, path or source
 *
 * Context: any.
 * Return: true if it is on the list, whether or not its time is over.
 */
bool smcr_neglist_has(struct net *net, const struct smcr_neglist_key *key)
{
	struct smcr_neglist *list = list_of(net);
	bool has;

	if (!READ_ONCE(list->n[key->kind]))
		return false;
	spin_lock_bh(&list->lock);
	has = entry_find(list, key);
	spin_unlock_bh(&list->lock);
	return has;
}

/**
 * smcr_neglist_blocks() - must a connection use TCP instead of SMC-R?
 * @net: namespace
 * @key: destination or path that the connection is about to use, or its source
 *
 * Context: any.
 * Return: true if it must use TCP. If false, the caller may be the connection
 * that tries SMC-R again; then smcr_neglist_fail() or smcr_neglist_succeed()
 * should follow. If neither does, another connection tries after
 * net.smcr.handshake_timeout_ms.
 */
bool smcr_neglist_blocks(struct net *net, const struct smcr_neglist_key *key)
{
	struct smcr_neglist *list = list_of(net);
	struct smcr_negtime time;
	struct entry *entry;
	bool blocked;

	if (!READ_ONCE(list->n[key->kind]))
		return false;
	get_time(net, &time);
	spin_lock_bh(&list->lock);
	entry = entry_find(list, key);
	blocked = entry && smcr_negstate_blocks(&entry->state, &time);
	spin_unlock_bh(&list->lock);
	return blocked;
}

static bool host_rests(struct net *net, const struct in6_addr *addr, u8 kind)
{
	struct smcr_neglist_key key = { .kind = kind, .addr = *addr };
	struct smcr_neglist *list = list_of(net);
	struct smcr_negtime time;
	struct entry *entry;
	bool rests = false;

	if (!READ_ONCE(list->n[kind]))
		return false;
	get_time(net, &time);
	spin_lock_bh(&list->lock);
	hash_for_each_possible(list->hash, entry, node, key_hash(&key))
		if (entry->key.kind == kind &&
		    ipv6_addr_equal(&entry->key.addr, addr) &&
		    smcr_negstate_rests(&entry->state, &time))
			rests = true;
	spin_unlock_bh(&list->lock);
	return rests;
}

/**
 * smcr_neglist_rests() - would a first contact with a host be plain TCP?
 * @net: namespace
 * @addr: the host's TCP address, IPv4 as a mapped address
 *
 * The handshake would find that its path is blocked, and decline, which costs a
 * round trip. A host of several paths rests if one of them does.
 *
 * Context: any.
 * Return: the reason it would have, or SMCR_FALLBACK_NONE. That one may be the
 * first whose path is not blocked any more.
 */
enum smcr_fallback_reason smcr_neglist_rests(struct net *net,
					     const struct in6_addr *addr)
{
	if (host_rests(net, addr, SMCR_NEGLIST_PATH))
		return SMCR_FALLBACK_NEG_PATH;
	if (host_rests(net, addr, SMCR_NEGLIST_MTU))
		return SMCR_FALLBACK_MTU;
	return SMCR_FALLBACK_NONE;
}

/**
 * smcr_neglist_source_rests() - must the SYN-ACK to a host lack the option?
 * @net: namespace
 * @addr: the source of the SYN, IPv4 as a mapped address
 *
 * This only looks at the list: anybody can send a SYN from that address, and
 * would use up the host's next try each time. smcr_neglist_blocks() should
 * follow when TCP's handshake is complete.
 *
 * Context: any.
 * Return: true if it must.
 */
bool smcr_neglist_source_rests(struct net *net, const struct in6_addr *addr)
{
	return host_rests(net, addr, SMCR_NEGLIST_SOURCE);
}

/**
 * smcr_neglist_mtu() - choose the MTU that a first contact offers
 * @net: namespace
 * @key: its path, of the kind SMCR_NEGLIST_MTU
 * @full: MTU code of the port
 *
 * If @full is returned, smcr_neglist_mtu_lost() or smcr_neglist_mtu_proved()
 * should follow, as after smcr_neglist_blocks().
 *
 * Context: any.
 * Return: the code to offer; 0 if none is left, and it must use TCP.
 */
u8 smcr_neglist_mtu(struct net *net, const struct smcr_neglist_key *key,
		    u8 full)
{
	struct smcr_neglist *list = list_of(net);
	struct smcr_negtime time;
	struct entry *entry;
	u8 mtu = full;

	if (!READ_ONCE(list->n[key->kind]))
		return full;
	get_time(net, &time);
	spin_lock_bh(&list->lock);
	entry = entry_find(list, key);
	if (entry)
		mtu = smcr_negstate_mtu(&entry->state, &time, full);
	spin_unlock_bh(&list->lock);
	return mtu;
}

/* RFC 7609 wants the next connection to try again after a fallback in a first
 * contact (3.5.1.6.4). Other failures reset connections or delay them by
 * seconds, or the next connection tries a smaller MTU.
 */
static u32 limit_of(u8 kind)
{
	return kind == SMCR_NEGLIST_PATH ? 2 : 1;
}

static bool alike(const struct entry *a, const struct entry *b)
{
	return a->key.kind == b->key.kind &&
	       smcr_negstate_noted(&a->state) == smcr_negstate_noted(&b->state);
}

/* If there are too many entries like a new one, or like one that was noted and
 * is listed now, free the other one that expires first.
 */
static void evict(struct smcr_neglist *list, const struct entry *new)
{
	u32 n = list->n_noted[new->key.kind];
	struct entry *entry, *first = NULL;
	int i;

	lockdep_assert_held(&list->lock);
	if (!smcr_negstate_noted(&new->state))
		n = list->n[new->key.kind] - n;
	if (n < NEGLIST_MAX)
		return;
	hash_for_each(list->hash, i, entry, node)
		if (entry != new && alike(entry, new) &&
		    (!first || time_before64(entry->state.until,
					     first->state.until)))
			first = entry;
	entry_free(list, first);
}

static void mtu_log(const struct smcr_neglist_key *key,
		    const struct smcr_negstate *state, u8 mtu)
{
	char next[40] = "use plain TCP";

	if (state->mtu)
		snprintf(next, sizeof(next), "use a RoCE MTU of %u",
			 smcr_mtu_bytes(state->mtu));
	pr_warn_ratelimited("RoCE packets of MTU %u are lost between local GID %pI6c and GID %pI6c of %pI6c, where shorter ones pass (failure %u in a row); connections over this path %s for a while. Check the MTU of all switches and tunnels between the hosts; see \"smcr-ctl -d negative show\"\n",
			    smcr_mtu_bytes(mtu), key->gid, key->peer_gid,
			    &key->addr, state->failures, next);
}

static const char *path_next(const struct smcr_negstate *state)
{
	return smcr_negstate_noted(state) ?
	       "the next connection over this path tries it again" :
	       "connections over this path use plain TCP for a while";
}

/* Tell the administrator what to check. */
static void entry_log(const struct smcr_neglist_key *key,
		      const struct smcr_negstate *state, u8 mtu)
{
	switch (key->kind) {
	case SMCR_NEGLIST_DESTINATION:
		pr_warn_ratelimited("%pI6c port %u echoed the SMC-R option and then broke the handshake (failure %u in a row); connections to it use plain TCP for a while. Check for a proxy or firewall that copies TCP options; see \"smcr-ctl negative show\"\n",
				    &key->addr, ntohs(key->port),
				    state->failures);
		break;
	case SMCR_NEGLIST_PATH:
		pr_warn_ratelimited("RDMA does not work between local GID %pI6c and GID %pI6c of %pI6c (failure %u in a row); %s. Check that UDP port 4791 (RoCEv2) is open and that the MTU fits; see \"smcr-ctl -d negative show\"\n",
				    key->gid, key->peer_gid, &key->addr,
				    state->failures, path_next(state));
		break;
	case SMCR_NEGLIST_SYN:
		pr_warn_ratelimited("%pI6c port %u answered no SYN with the SMC-R option, but one without it (failure %u in a row); connections to it use plain TCP for a while. Check for a firewall that drops TCP option 254; see \"smcr-ctl negative show\"\n",
				    &key->addr, ntohs(key->port),
				    state->failures);
		break;
	case SMCR_NEGLIST_SOURCE:
		pr_warn_ratelimited("%pI6c sent a SYN with the SMC-R option and no SMC-R message after it (failure %u in a row); its connections use plain TCP for a while. Check for a proxy or firewall that removes TCP option 254 from SYN-ACKs; see \"smcr-ctl negative show\"\n",
				    &key->addr, state->failures);
		break;
	case SMCR_NEGLIST_MTU:
		mtu_log(key, state, mtu);
		break;
	}
}

/* Count a failure for an entry. Returns false if it was known. */
static bool entry_fail(struct entry *entry, const struct smcr_negtime *time,
		       u8 mtu)
{
	return mtu ? smcr_negstate_mtu_lost(&entry->state, time, mtu) :
		     smcr_negstate_fail(&entry->state, time,
					limit_of(entry->key.kind));
}

/* Add an entry that has failed. */
static void entry_add(struct smcr_neglist *list, struct entry *new)
{
	u8 kind = new->key.kind;

	evict(list, new);
	hash_add(list->hash, &new->node, key_hash(&new->key));
	WRITE_ONCE(list->n[kind], list->n[kind] + 1);
	list->n_noted[kind] += smcr_negstate_noted(&new->state);
}

/* An entry that was noted has failed again. */
static void entry_list(struct smcr_neglist *list, struct entry *entry)
{
	evict(list, entry);
	list->n_noted[entry->key.kind]--;
}

/* Put a failure on the list. @mtu is 0 but for SMCR_NEGLIST_MTU. */
static void failed(struct net *net, const struct smcr_neglist_key *key, u8 mtu)
{
	struct smcr_neglist *list = list_of(net);
	bool news = false, was_noted;
	struct smcr_negstate state;
	struct entry *entry, *new;
	struct smcr_negtime time;

	get_time(net, &time);
	if (!time.block)
		return;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	spin_lock_bh(&list->lock);
	entry = entry_find(list, key);
	if (entry) {
		was_noted = smcr_negstate_noted(&entry->state);
		news = entry_fail(entry, &time, mtu);
		if (was_noted && !smcr_negstate_noted(&entry->state))
			entry_list(list, entry);
	} else if (new) {
		entry = new;
		entry->key = *key;
		news = entry_fail(entry, &time, mtu);
		entry_add(list, entry);
		new = NULL;
	}
	if (news)
		state = entry->state;
	spin_unlock_bh(&list->lock);
	kfree(new);
	if (!news)
		return;
	smcr_mib_inc(net, smcr_negstate_noted(&state) ?
			  SMCR_MIB_NEGATIVENOTED : SMCR_MIB_NEGATIVEADDED);
	entry_log(key, &state, mtu);
}

/**
 * smcr_neglist_fail() - put a destination, path or source on the list
 * @net: namespace
 * @key: on which SMC-R failed
 *
 * The first failure of a path is only noted; the next one in a row lists it.
 * Logs what the administrator should check. If there is no memory for an entry,
 * the next connection fails like this one.
 *
 * Context: process.
 */
void smcr_neglist_fail(struct net *net, const struct smcr_neglist_key *key)
{
	failed(net, key, 0);
}

/**
 * smcr_neglist_mtu_lost() - put a path on the list that loses long packets
 * @net: namespace
 * @key: the path, of the kind SMCR_NEGLIST_MTU
 * @mtu: MTU code of the link that lost them
 *
 * Like smcr_neglist_fail(). The next first contact offers a smaller MTU.
 *
 * Context: process.
 */
void smcr_neglist_mtu_lost(struct net *net, const struct smcr_neglist_key *key,
			   u8 mtu)
{
	failed(net, key, mtu);
}

/**
 * smcr_neglist_mtu_proved() - note that long packets pass over a path
 * @net: namespace
 * @key: the path, of the kind SMCR_NEGLIST_MTU
 * @offered: MTU code that this end offered
 * @mtu: MTU code of its link
 *
 * Takes the path off the list if that is larger than what the list allows.
 *
 * Context: process.
 */
void smcr_neglist_mtu_proved(struct net *net,
			     const struct smcr_neglist_key *key, u8 offered,
			     u8 mtu)
{
	struct smcr_neglist *list = list_of(net);
	struct smcr_negtime time;
	struct entry *entry;

	if (!READ_ONCE(list->n[key->kind]))
		return;
	get_time(net, &time);
	spin_lock_bh(&list->lock);
	entry = entry_find(list, key);
	if (entry &&
	    smcr_negstate_mtu_works(&entry->state, &time, offered, mtu))
		entry_free(list, entry);
	spin_unlock_bh(&list->lock);
}

/**
 * smcr_neglist_succeed() - take a destination, path or source off the list
 * @net: namespace
 * @key: on which SMC-R works
 *
 * Context: process.
 */
void smcr_neglist_succeed(struct net *net, const struct smcr_neglist_key *key)
{
	struct smcr_neglist *list = list_of(net);
	struct entry *entry;

	if (!READ_ONCE(list->n[key->kind]))
		return;
	spin_lock_bh(&list->lock);
	entry = entry_find(list, key);
	if (entry)
		entry_free(list, entry);
	spin_unlock_bh(&list->lock);
}

static void entry_read(const struct entry *entry,
		       struct smcr_neglist_info *info)
{
	const struct smcr_negstate *state = &entry->state;
	u64 now = get_jiffies_64();

	info->key = entry->key;
	info->state = SMCR_NEGLIST_BLOCKED;
	if (smcr_negstate_noted(state))
		info->state = SMCR_NEGLIST_NOTED;
	else if (state->trying)
		info->state = SMCR_NEGLIST_PROBING;
	info->failures = state->failures;
	info->mtu = state->mtu;
	info->remaining_ms = 0;
	if (info->state != SMCR_NEGLIST_PROBING &&
	    time_before64(now, state->until))
		info->remaining_ms = jiffies64_to_msecs(state->until - now);
}

/* Copy the entry at position @pos of the table; false if there is none. */
static bool entry_at(struct smcr_neglist *list, u32 pos,
		     struct smcr_neglist_info *info)
{
	bool found = false;
	struct entry *entry;
	int i;

	spin_lock_bh(&list->lock);
	hash_for_each(list->hash, i, entry, node) {
		if (smcr_negstate_forgotten(&entry->state, get_jiffies_64()) ||
		    pos--)
			continue;
		entry_read(entry, info);
		found = true;
		break;
	}
	spin_unlock_bh(&list->lock);
	return found;
}

/**
 * smcr_neglist_walk() - call a function for all entries
 * @net: namespace
 * @pos: position of the next entry; advanced
 * @show: called for each entry, without a lock; the walk ends if it returns a
 *	value other than 0
 * @arg: argument of @show
 *
 * If entries are added, removed or forgotten meanwhile, others may be missed or
 * shown twice.
 *
 * Context: process.
 * Return: 0 at the end of the list, otherwise the return value of @show.
 */
int smcr_neglist_walk(struct net *net, u32 *pos, smcr_neglist_show_fn show,
		      void *arg)
{
	struct smcr_neglist_info info;
	int err;

	for (; entry_at(list_of(net), *pos, &info); ++*pos) {
		err = show(&info, arg);
		if (err)
			return err;
	}
	return 0;
}

/**
 * smcr_neglist_net_init() - initialise an empty list
 * @net: namespace
 *
 * Context: process, namespace init.
 */
void smcr_neglist_net_init(struct net *net)
{
	struct smcr_neglist *list = list_of(net);

	spin_lock_init(&list->lock);
	hash_init(list->hash);
}

/**
 * smcr_neglist_net_exit() - free all entries
 * @net: namespace without handshakes
 *
 * Context: process, namespace exit.
 */
void smcr_neglist_net_exit(struct net *net)
{
	struct smcr_neglist *list = list_of(net);
	struct hlist_node *next;
	struct entry *entry;
	int i;

	spin_lock_bh(&list->lock);
	hash_for_each_safe(list->hash, i, next, entry, node)
		entry_free(list, entry);
	spin_unlock_bh(&list->lock);
}
