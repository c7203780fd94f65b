// SPDX-License-Identifier: GPL-2.0
/*
 * Negative list.
 *
 * A middlebox that echoes TCP options it does not know, or a firewall on the
 * port of RoCE, makes each connection to a peer fail in the same way. RFC 7609
 * has no remedy once the point of no return is passed but to reset TCP, so the
 * first connection pays; those after it are plain TCP.
 *
 *             fail                     time is up
 *   (none) ----------> BLOCKED -------------------------> PROBING
 *      ^                 ^  twice as long as before  fail    |
 *      |                 +-----------------------------------+
 *      +-----------------------------------------------------+
 *                             succeed
 *
 * When the time is up one connection tries again, and those that come while it
 * does stay with TCP. Failures of connections that began before the entry was
 * there change nothing: a hundred at once are one failure.
 */
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "mib.h"
#include "neglist.h"
#include "smcr.h"

/* Entries of a namespace; beyond, the one that ends first makes room */
#define NEGLIST_MAX		1024u
/* Doublings of the time; past that net.smcr.negative_max_ms rules anyway */
#define NEGLIST_MAX_SHIFT	20u

/**
 * struct entry - something to be left alone, under smcr_neglist.lock
 * @node: in smcr_neglist.hash
 * @key: what
 * @until: jiffies: BLOCKED or PROBING until then
 * @failures: in a row
 * @probing: a connection tries whether it works again
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
	return jhash(key, sizeof(*key), 0);
}

static u64 ms_to_jiffies64(const struct net *net, u32 failures)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(net)->sysctl;
	u64 ms = READ_ONCE(ctl->negative_ms);

	ms <<= min(failures - 1, NEGLIST_MAX_SHIFT);
	ms = min_t(u64, ms, READ_ONCE(ctl->negative_max_ms));
	return msecs_to_jiffies(ms);
}

static void entry_free(struct smcr_neglist *list, struct entry *entry)
{
	hash_del(&entry->node);
	WRITE_ONCE(list->n, list->n - 1);
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
 * smcr_neglist_blocks() - is SMC-R to be left alone here?
 * @net: namespace
 * @key: what a connection is about to try
 *
 * Context: process.
 * Return: true if so. False may make the caller the one who tries again:
 * smcr_neglist_fail() or smcr_neglist_succeed() should follow; if neither
 * does, the next one tries after as long as a handshake may take.
 */
bool smcr_neglist_blocks(struct net *net, const struct smcr_neglist_key *key)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(net)->sysctl;
	struct smcr_neglist *list = list_of(net);
	struct entry *entry;
	u64 now, probe;
	bool blocked;

	if (!READ_ONCE(list->n))
		return false;
	probe = msecs_to_jiffies(READ_ONCE(ctl->handshake_timeout_ms));
	now = get_jiffies_64();
	spin_lock(&list->lock);
	entry = entry_find(list, key);
	blocked = entry && READ_ONCE(ctl->negative_ms) &&
		  time_before64(now, entry->until);
	if (entry && !blocked) {
		entry->probing = true;
		entry->until = now + probe;
	}
	spin_unlock(&list->lock);
	return blocked;
}

/* Make room for one more. */
static void evict(struct smcr_neglist *list)
{
	struct entry *entry, *first = NULL;
	int i;

	if (list->n < NEGLIST_MAX)
		return;
	hash_for_each(list->hash, i, entry, node)
		if (!first || time_before64(entry->until, first->until))
			first = entry;
	entry_free(list, first);
}

/**
 * smcr_neglist_fail() - SMC-R did not work
 * @net: namespace
 * @key: where
 *
 * Says in the log what to look at. Without memory the next connection fails as
 * this one did.
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
	spin_lock(&list->lock);
	entry = entry_find(list, key);
	if (entry) {
		known = !entry->probing && time_before64(now, entry->until);
	} else if (new) {
		evict(list);
		new->key = *key;
		hash_add(list->hash, &new->node, key_hash(key));
		WRITE_ONCE(list->n, list->n + 1);
		entry = new;
		new = NULL;
	}
	if (entry && !known) {
		failures = ++entry->failures;
		entry->probing = false;
		entry->until = now + ms_to_jiffies64(net, failures);
	}
	spin_unlock(&list->lock);
	kfree(new);
	if (!entry || known)
		return;
	smcr_mib_inc(net, SMCR_MIB_NEGATIVEADDED);
	if (key->kind == SMCR_NEGLIST_DESTINATION)
		pr_warn_ratelimited("smcr: %pI6c port %u agreed on SMC-R and then broke the handshake (failure %u in a row): plain TCP for a while. Check for a proxy or firewall on the way that copies TCP options; see \"smcr-ctl negative\"\n",
				    &key->addr, ntohs(key->port), failures);
	else
		pr_warn_ratelimited("smcr: no RDMA between %pI6 here and %pI6 of %pI6c (failure %u in a row): plain TCP for a while. Check that UDP port 4791 (RoCEv2) passes and that the MTU fits; see \"smcr-ctl negative\"\n",
				    key->gid, key->peer_gid, &key->addr,
				    failures);
}

/**
 * smcr_neglist_succeed() - SMC-R works
 * @net: namespace
 * @key: where
 *
 * Context: process.
 */
void smcr_neglist_succeed(struct net *net, const struct smcr_neglist_key *key)
{
	struct smcr_neglist *list = list_of(net);
	struct entry *entry;

	if (!READ_ONCE(list->n))
		return;
	spin_lock(&list->lock);
	entry = entry_find(list, key);
	if (entry)
		entry_free(list, entry);
	spin_unlock(&list->lock);
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

/* The entry at place @pos in the table. */
static bool entry_at(struct smcr_neglist *list, u32 pos,
		     struct smcr_neglist_info *info)
{
	bool found = false;
	struct entry *entry;
	int i;

	spin_lock(&list->lock);
	hash_for_each(list->hash, i, entry, node) {
		if (pos--)
			continue;
		entry_read(entry, info);
		found = true;
		break;
	}
	spin_unlock(&list->lock);
	return found;
}

/**
 * smcr_neglist_walk() - show all entries
 * @net: namespace
 * @pos: which comes next; moves on
 * @show: called for each without a lock; ends the walk if it is not 0
 * @arg: for @show
 *
 * Entries that come and go meanwhile may be missed or shown twice.
 *
 * Context: process.
 * Return: 0 at the end, or what @show returned.
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
 * smcr_neglist_net_init() - an empty list
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
 * smcr_neglist_net_exit() - forget everything
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

	hash_for_each_safe(list->hash, i, next, entry, node)
		entry_free(list, entry);
}
