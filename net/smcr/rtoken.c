// SPDX-License-Identifier: GPL-2.0
/*
 * The peer's RMBs: by number, and by key on a link through a small hash.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "rtoken.h"

/* Keys that differ only in their last byte are common: fold all four in */
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
 * smcr_rtoken_find() - the RMB that has a key on a link
 * @tbl: table of the group
 * @link: link index, 0..7
 * @rkey: key on that link
 *
 * Return: its id, 1..255, or -ENOENT.
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

/* Bind a key, unless the RMB, or the key, is bound to something else */
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
 * smcr_rtoken_add() - learn an RMB from CLC or CONFIRM RKEY
 * @tbl: table of the group
 * @mem: zeroed memory for it; taken if and only if @mem->id is set afterwards
 * @link: link index, 0..7
 * @rkey: its key on that link
 * @vaddr: its address on that link
 *
 * An RMB that is already known by this key and address is fine (3.5.2.2).
 *
 * Return: its id, 1..255; -EEXIST if the key belongs to another RMB; -ENOSPC
 * beyond 255 RMBs; -EINVAL for a bad link index.
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
 * smcr_rtoken_set() - learn a known RMB's key on a further link
 * @tbl: table of the group
 * @id: the RMB
 * @link: link index, 0..7
 * @rkey: its key on that link
 * @vaddr: its address on that link
 *
 * Return: 0, also if that is known already; -ENOENT without such an RMB;
 * -EEXIST if the RMB has another key on the link, or the key another RMB;
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
 * smcr_rtoken_get() - where to write on a link
 * @tbl: table of the group
 * @id: the RMB
 * @link: link index, 0..7
 * @rkey: its key there
 * @vaddr: its address there
 *
 * Return: 0, or -ENOENT if the RMB is not known, or not on this link.
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
 * smcr_rtoken_del() - forget an RMB (DELETE RKEY, 3.5.5.2.2)
 * @tbl: table of the group
 * @id: the RMB; reset connections that still use it first
 *
 * Return: the memory that smcr_rtoken_add() took, or NULL without such an
 * RMB.
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
 * smcr_rtoken_drop_link() - forget all keys on a link that is gone
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
 * smcr_rtoken_complete() - can each RMB be written over this link?
 * @tbl: table of the group
 * @link: link index, 0..7
 *
 * Return: false if an RMB is unknown on the link: then no connection may use
 * it (3.5.5.2.3, C.7.1).
 */
bool smcr_rtoken_complete(const struct smcr_rtoken_table *tbl, u8 link)
{
	unsigned int id;

	if (link >= SMCR_MAX_LINKS)
		return false;
	for (id = 1; id <= SMCR_MAX_RMBS; id++)
		if (tbl->slot[id] && !known_on(tbl->slot[id], link))
			return false;
	return true;
}

/**
 * smcr_rtoken_claim() - take an element for a connection
 * @tbl: table of the group
 * @id: the RMB
 * @idx: the element, 1..255
 *
 * Return: 0; -EBUSY if a connection has it: reset that one (4.4.2), release,
 * claim again; -ENOENT without such an RMB; -EINVAL for index 0.
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
 * smcr_rtoken_release() - give an element back; no harm if it is free
 * @tbl: table of the group
 * @id: the RMB
 * @idx: the element
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
 * smcr_rtoken_in_use() - does any connection use an element of this RMB?
 * @tbl: table of the group
 * @id: the RMB
 *
 * Return: true if at least one element is claimed.
 */
bool smcr_rtoken_in_use(const struct smcr_rtoken_table *tbl, u8 id)
{
	return tbl->slot[id] && tbl->slot[id]->nr_used;
}
