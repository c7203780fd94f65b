// SPDX-License-Identifier: GPL-2.0
/*
 * Table of the peer's RMBs, by number, and by key on a link through a hash.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "rtoken.h"

/* Keys often differ in one byte only, so all four bytes go into the index. */
static unsigned int bucket(u32 rkey)
{
	rkey ^= rkey >> 16;
	rkey ^= rkey >> 8;
	return rkey % SMCR_RTOKEN_BUCKETS;
}

static bool known_on(const struct smcr_rtoken *rt, u8 link)
{
	return rt->links & 1U << link;
}

static void chain_insert(struct smcr_rtoken_table *tbl, struct smcr_rtoken *rt,
			 u8 link)
{
	u8 *head = &tbl->head[link][bucket(rt->rkey[link])];

	rt->next[link] = *head;
	*head = rt->id;
}

static void chain_remove(struct smcr_rtoken_table *tbl, struct smcr_rtoken *rt,
			 u8 link)
{
	u8 *ref = &tbl->head[link][bucket(rt->rkey[link])];

	while (*ref != rt->id)
		ref = &tbl->slot[*ref]->next[link];
	*ref = rt->next[link];
}

/**
 * smcr_rtoken_find() - find the RMB that has a key on a link
 * @tbl: table of the group
 * @link: link index, 0..7
 * @rkey: key on that link
 *
 * Return: id of the RMB, 1..255, or -ENOENT.
 */
int smcr_rtoken_find(const struct smcr_rtoken_table *tbl, u8 link, u32 rkey)
{
	u8 id;

	if (link >= SMCR_MAX_LINKS)
		return -ENOENT;
	id = tbl->head[link][bucket(rkey)];
	while (id && tbl->slot[id]->rkey[link] != rkey)
		id = tbl->slot[id]->next[link];
	return id ? id : -ENOENT;
}

/* Bind a key to an RMB on a link, unless either has another binding there. */
static int bind(struct smcr_rtoken_table *tbl, struct smcr_rtoken *rt, u8 link,
		u32 rkey, u64 vaddr)
{
	if (known_on(rt, link))
		return rt->rkey[link] == rkey && rt->vaddr[link] == vaddr ?
		       0 : -EEXIST;
	if (smcr_rtoken_find(tbl, link, rkey) > 0)
		return -EEXIST;
	rt->rkey[link] = rkey;
	rt->vaddr[link] = vaddr;
	rt->links |= (u8)(1U << link);
	chain_insert(tbl, rt, link);
	return 0;
}

/**
 * smcr_rtoken_add() - add an RMB from CLC or CONFIRM RKEY
 * @tbl: table of the group
 * @mem: zeroed memory for the RMB; the table uses it if and only if @mem->id is
 *	set afterwards
 * @link: link index, 0..7
 * @rkey: key of the RMB on that link
 * @vaddr: address of the RMB on that link
 *
 * The RMB may be in the table already with this key and address (3.5.2.2).
 *
 * Return: id of the RMB, 1..255; -EEXIST if the key belongs to another RMB;
 * -ENOSPC if the table has 255 RMBs; -EINVAL for a bad link index.
 */
int smcr_rtoken_add(struct smcr_rtoken_table *tbl, struct smcr_rtoken *mem,
		    u8 link, u32 rkey, u64 vaddr)
{
	int id;

	if (link >= SMCR_MAX_LINKS)
		return -EINVAL;
	id = smcr_rtoken_find(tbl, link, rkey);
	if (id > 0)
		return tbl->slot[id]->vaddr[link] == vaddr ? id : -EEXIST;
	for (id = 1; id <= SMCR_MAX_RMBS && tbl->slot[id]; id++)
		;
	if (id > SMCR_MAX_RMBS)
		return -ENOSPC;
	mem->id = (u8)id;
	tbl->slot[id] = mem;
	tbl->nr++;
	bind(tbl, mem, link, rkey, vaddr);
	return id;
}

/**
 * smcr_rtoken_set() - set a known RMB's key on a further link
 * @tbl: table of the group
 * @id: the RMB
 * @link: link index, 0..7
 * @rkey: key of the RMB on that link
 * @vaddr: address of the RMB on that link
 *
 * Return: 0, also if the key is known already; -ENOENT if there is no such RMB;
 * -EEXIST if the RMB has another key on the link, or the key names another RMB;
 * -EINVAL for a bad link index.
 */
int smcr_rtoken_set(struct smcr_rtoken_table *tbl, u8 id, u8 link,
		    u32 rkey, u64 vaddr)
{
	if (link >= SMCR_MAX_LINKS)
		return -EINVAL;
	if (!tbl->slot[id])
		return -ENOENT;
	return bind(tbl, tbl->slot[id], link, rkey, vaddr);
}

/**
 * smcr_rtoken_get() - look up an RMB's key and address on a link
 * @tbl: table of the group
 * @id: the RMB
 * @link: link index, 0..7
 * @rkey: result: key of the RMB on that link
 * @vaddr: result: address of the RMB on that link
 *
 * Return: 0, or -ENOENT if the RMB is not known on this link or at all.
 */
int smcr_rtoken_get(const struct smcr_rtoken_table *tbl, u8 id, u8 link,
		    u32 *rkey, u64 *vaddr)
{
	const struct smcr_rtoken *rt = tbl->slot[id];

	if (link >= SMCR_MAX_LINKS || !rt || !known_on(rt, link))
		return -ENOENT;
	*rkey = rt->rkey[link];
	*vaddr = rt->vaddr[link];
	return 0;
}

/**
 * smcr_rtoken_del() - remove an RMB (DELETE RKEY, 3.5.5.2.2)
 * @tbl: table of the group
 * @id: the RMB; the caller resets the connections that still use it
 *
 * Return: the memory that was passed to smcr_rtoken_add(), for the caller to
 * free, or NULL if there is no such RMB.
 */
struct smcr_rtoken *smcr_rtoken_del(struct smcr_rtoken_table *tbl, u8 id)
{
	struct smcr_rtoken *rt = tbl->slot[id];
	u8 link;

	if (!rt)
		return NULL;
	for (link = 0; link < SMCR_MAX_LINKS; link++)
		if (known_on(rt, link))
			chain_remove(tbl, rt, link);
	tbl->slot[id] = NULL;
	tbl->nr--;
	rt->id = 0;
	return rt;
}

/**
 * smcr_rtoken_drop_link() - remove all keys on a link that is gone
 * @tbl: table of the group
 * @link: link index, 0..7
 */
void smcr_rtoken_drop_link(struct smcr_rtoken_table *tbl, u8 link)
{
	unsigned int id;

	if (link >= SMCR_MAX_LINKS)
		return;
	for (id = 1; id <= SMCR_MAX_RMBS; id++)
		if (tbl->slot[id])
			tbl->slot[id]->links &= (u8)~(1U << link);
	memset(tbl->head[link], 0, sizeof(tbl->head[link]));
}

/**
 * smcr_rtoken_keep_link() - keep the keys on a link that is about to leave
 * @tbl: table of the group
 * @link: link index, 0..7
 * @age: age of the link
 *
 * A message that names the link may still be on its way over TCP.
 * smcr_rtoken_drop_link() follows.
 */
void smcr_rtoken_keep_link(struct smcr_rtoken_table *tbl, u8 link, u32 age)
{
	struct smcr_rtoken *rt;
	unsigned int id;

	if (link >= SMCR_MAX_LINKS)
		return;
	for (id = 1; id <= SMCR_MAX_RMBS; id++) {
		rt = tbl->slot[id];
		if (!rt || !known_on(rt, link))
			continue;
		rt->past[rt->nr_past++ % SMCR_RTOKEN_PAST] =
			(struct smcr_rtoken_past){
				.vaddr = rt->vaddr[link],
				.rkey = rt->rkey[link],
				.age = age,
				.valid = true,
			};
	}
}

/**
 * smcr_rtoken_find_past() - find the RMB that had a key on a link that has left
 * @tbl: table of the group
 * @age: age of the link
 * @rkey: key on that link
 * @vaddr: address on that link
 *
 * Return: id of the RMB, 1..255, or -ENOENT.
 */
int smcr_rtoken_find_past(const struct smcr_rtoken_table *tbl, u32 age,
			  u32 rkey, u64 vaddr)
{
	const struct smcr_rtoken_past *past;
	unsigned int id, i;

	for (id = 1; id <= SMCR_MAX_RMBS; id++) {
		for (i = 0; tbl->slot[id] && i < SMCR_RTOKEN_PAST; i++) {
			past = &tbl->slot[id]->past[i];
			if (past->valid && past->age == age &&
			    past->rkey == rkey && past->vaddr == vaddr)
				return (int)id;
		}
	}
	return -ENOENT;
}

/**
 * smcr_rtoken_lost() - find an RMB that has no key any more
 * @tbl: table of the group
 *
 * The links on which the keys were known are gone. So no message can name the
 * RMB again, not even a DELETE RKEY.
 *
 * Return: id of an RMB that no connection uses, or -ENOENT.
 */
int smcr_rtoken_lost(const struct smcr_rtoken_table *tbl)
{
	unsigned int id;

	for (id = 1; id <= SMCR_MAX_RMBS; id++)
		if (tbl->slot[id] && !tbl->slot[id]->links &&
		    !tbl->slot[id]->nr_used)
			return (int)id;
	return -ENOENT;
}

/**
 * smcr_rtoken_claim() - mark an element as used by a connection
 * @tbl: table of the group
 * @id: the RMB
 * @idx: the element, 1..255
 *
 * Return: 0; -EBUSY if a connection uses the element already: the caller resets
 * that connection (4.4.2), releases the element and claims it again; -ENOENT if
 * there is no such RMB; -EINVAL if @idx is 0.
 */
int smcr_rtoken_claim(struct smcr_rtoken_table *tbl, u8 id, u8 idx)
{
	struct smcr_rtoken *rt = tbl->slot[id];

	if (!rt)
		return -ENOENT;
	if (!idx)
		return -EINVAL;
	if (rt->used[idx / 32] & 1U << idx % 32)
		return -EBUSY;
	rt->used[idx / 32] |= 1U << idx % 32;
	rt->nr_used++;
	return 0;
}

/**
 * smcr_rtoken_release() - mark an element as unused; it may be unused already
 * @tbl: table of the group
 * @id: the RMB
 * @idx: the element, 1..255
 */
void smcr_rtoken_release(struct smcr_rtoken_table *tbl, u8 id, u8 idx)
{
	struct smcr_rtoken *rt = tbl->slot[id];

	if (!rt || !(rt->used[idx / 32] & 1U << idx % 32))
		return;
	rt->used[idx / 32] &= ~(1U << idx % 32);
	rt->nr_used--;
}

/**
 * smcr_rtoken_in_use() - does a connection use an element of an RMB?
 * @tbl: table of the group
 * @id: the RMB
 *
 * Return: true if at least one element is claimed, false also if there is no
 * such RMB.
 */
bool smcr_rtoken_in_use(const struct smcr_rtoken_table *tbl, u8 id)
{
	return tbl->slot[id] && tbl->slot[id]->nr_used;
}
