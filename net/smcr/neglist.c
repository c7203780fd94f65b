// SPDX-License-Identifier: GPL-2.0
/*
 * Negative list: destinations and paths on which SMC-R failed.
 *
 * A middlebox that echoes unknown TCP options, or a firewall that blocks RoCE,
 * makes each connection to a peer fail in the same way. Past the point of no
 * return (C.3) RFC 7609 allows nothing but a reset of TCP. So the first
 * connection is reset, and those after it use plain TCP. Where SYNs with the
 * option are dropped, or the SYN-ACK loses it, the first connection takes
 * seconds to become plain TCP, and those after it take TCP's time.
 *
 *             fail                     time is up
 *   (none) ----------> BLOCKED -------------------------> PROBING
 *      ^                 ^  twice as long as before  fail    |
 *      |                 +-----------------------------------+
 *      +-----------------------------------------------------+
 *                             succeed
 *
 * When the time is up, one connection tries SMC-R again; connections that start
 * meanwhile use TCP. A failure while the entry is BLOCKED changes nothing: its
 * connection began before the entry, so a hundred connections that fail at once
 * count as one failure.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/net.h>
#include <linux/slab.h>

#include "mib.h"
#include "neglist.h"
#include "smcr.h"

/* Entries of a kind in a namespace. A new one replaces the one of its kind that
 * expires first
 */
#define NEGLIST_MAX		1024u
/* Limit of doublings, against overflow; see also net.smcr.negative_max_ms */
#define NEGLIST_MAX_SHIFT	20u

/**
 * struct entry - a destination or path on the list
 * @node: entry in smcr_neglist.hash
 * @key: the destination or path
 * @until: end of state BLOCKED or PROBING, in 64-bit jiffies
 * @failures: failures in a row
 * @probing: state PROBING: a connection tries SMC-R again
 *
 * smcr_neglist.lock covers all of it.
 */
struct entry {
	struct hlist_node	node;
	struct smcr_neglist_key	key;
	u64			until;
	u32			failures;
	bool			probing;
};

static struct smcr_neglist *list_of(struct net *net)
{
	return &smcr_pernet(net)->neglist;
}

static u32 key_hash(const struct smcr_neglist_key *key)
{
	static u32 seed __read_mostly;

	net_get_random_once(&seed, sizeof(seed));
	return jhash(key, sizeof(*key), seed);
}

/* Return: the jiffies for which an entry blocks RDMA after so many failures in
 * a row.
 */
static u64 block_time(const struct net *net, u32 failures)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(net)->sysctl;
	u64 ms = READ_ONCE(ctl->negative_ms);

	ms <<= min(failures - 1, NEGLIST_MAX_SHIFT);
	ms = min_t(u64, ms, READ_ONCE(ctl->negative_max_ms));
	return msecs_to_jiffies(ms);
}

static void entry_free(struct smcr_neglist *list, struct entry *entry)
{
	lockdep_assert_held(&list->lock);
	hash_del(&entry->node);
	WRITE_ONCE(list->n[entry->key.kind], list->n[entry->key.kind] - 1);
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
	const struct smcr_sysctl *ctl = &smcr_pernet(net)->sysctl;
	struct smcr_neglist *list = list_of(net);
	struct entry *entry;
	u64 now, probe;
	bool blocked;

	if (!READ_ONCE(list->n[key->kind]))
		return false;
	probe = msecs_to_jiffies(READ_ONCE(ctl->handshake_timeout_ms));
	now = get_jiffies_64();
	spin_lock_bh(&list->lock);
	entry = entry_find(list, key);
	blocked = entry && READ_ONCE(ctl->negative_ms) &&
		  time_before64(now, entry->until);
	if (entry && !blocked) {
		entry->probing = true;
		entry->until = now + probe;
	}
	spin_unlock_bh(&list->lock);
	return blocked;
}

/* If the list is full, free the entry of this kind that expires first. */
static void evict(struct smcr_neglist *list, u8 kind)
{
	struct entry *entry, *first = NULL;
	int i;

	lockdep_assert_held(&list->lock);
	if (list->n[kind] < NEGLIST_MAX)
		return;
	hash_for_each(list->hash, i, entry, node)
		if (entry->key.kind == kind &&
		    (!first || time_before64(entry->until, first->until)))
			first = entry;
	entry_free(list, first);
}

/* Tell the administrator what to check. */
static void entry_log(const struct smcr_neglist_key *key, u32 failures)
{
	switch (key->kind) {
	case SMCR_NEGLIST_DESTINATION:
		pr_warn_ratelimited("%pI6c port %u echoed the SMC-R option and then broke the handshake (failure %u in a row); connections to it use plain TCP for a while. Check for a proxy or firewall that copies TCP options; see \"smcr-ctl negative show\"\n",
				    &key->addr, ntohs(key->port), failures);
		break;
	case SMCR_NEGLIST_PATH:
		pr_warn_ratelimited("RDMA does not work between local GID %pI6 and GID %pI6 of %pI6c (failure %u in a row); connections over this path use plain TCP for a while. Check that UDP port 4791 (RoCEv2) is open and that the MTU fits; see \"smcr-ctl negative show\"\n",
				    key->gid, key->peer_gid, &key->addr,
				    failures);
		break;
	case SMCR_NEGLIST_SYN:
		pr_warn_ratelimited("%pI6c port %u answered no SYN with the SMC-R option, but one without it (failure %u in a row); connections to it use plain TCP for a while. Check for a firewall that drops TCP option 254; see \"smcr-ctl negative show\"\n",
				    &key->addr, ntohs(key->port), failures);
		break;
	case SMCR_NEGLIST_SOURCE:
		pr_warn_ratelimited("%pI6c sent a SYN with the SMC-R option and no SMC-R message after it (failure %u in a row); its connections use plain TCP for a while. Check for a proxy or firewall that removes TCP option 254 from SYN-ACKs; see \"smcr-ctl negative show\"\n",
				    &key->addr, failures);
		break;
	}
}

/**
 * smcr_neglist_fail() - put a destination, path or source on the list
 * @net: namespace
 * @key: on which SMC-R failed
 *
 * Logs what the administrator should check. If there is no memory for an entry,
 * the next connection fails like this one.
 *
 * Context: process.
 */
void smcr_neglist_fail(struct net *net, const struct smcr_neglist_key *key)
{
	struct smcr_neglist *list = list_of(net);
	struct entry *entry, *new;
	u64 now = get_jiffies_64();
	bool known = false;
	u32 failures = 1;

	if (!READ_ONCE(smcr_pernet(net)->sysctl.negative_ms))
		return;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	spin_lock_bh(&list->lock);
	entry = entry_find(list, key);
	if (entry) {
		known = !entry->probing && time_before64(now, entry->until);
	} else if (new) {
		evict(list, key->kind);
		new->key = *key;
		hash_add(list->hash, &new->node, key_hash(key));
		WRITE_ONCE(list->n[key->kind], list->n[key->kind] + 1);
		entry = new;
		new = NULL;
	}
	if (entry && !known) {
		failures = ++entry->failures;
		entry->probing = false;
		entry->until = now + block_time(net, failures);
	}
	spin_unlock_bh(&list->lock);
	kfree(new);
	if (!entry || known)
		return;
	smcr_mib_inc(net, SMCR_MIB_NEGATIVEADDED);
	entry_log(key, failures);
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
	u64 now = get_jiffies_64();

	info->key = entry->key;
	info->failures = entry->failures;
	info->remaining_ms = 0;
	if (!entry->probing && time_before64(now, entry->until))
		info->remaining_ms = jiffies64_to_msecs(entry->until - now);
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
		if (pos--)
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
 * If entries are added or removed meanwhile, others may be missed or shown
 * twice.
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
