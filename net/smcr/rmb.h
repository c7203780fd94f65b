/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RMBs: receive memory that the peer writes to (RFC 7609 2.1, 4.4).
 */
#ifndef _SMCR_RMB_H
#define _SMCR_RMB_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "wire.h"
#include "wr.h"

struct ib_mr;
struct net;
struct smcr_link;
struct smcr_rmb_gone;

/* State of an element. FREE elements are zero; smcr_rmb_elem_take() writes the
 * eye catcher.
 */
enum smcr_rmbe_state {
	SMCR_RMBE_FREE,
	SMCR_RMBE_USED,
	SMCR_RMBE_DIRTY,	/* waits to be zeroed off the close path */
	SMCR_RMBE_QUARANTINE,	/* a late write may still land in it */
};

/* How the connection of an element ended (4.4.2) */
enum smcr_rmbe_end {
	SMCR_RMBE_END_UNUSED,	/* the peer never knew the element */
	SMCR_RMBE_END_ORDERLY,	/* both sides sent C */
	SMCR_RMBE_END_ABNORMAL,	/* quarantine before reuse */
};

/**
 * struct smcr_rmb_elem - one element (RMBE)
 * @state: under the RMB's lock
 * @dirty: bytes from the element's start that may not be zero
 * @release_at: jiffies when a quarantined element may be zeroed
 */
struct smcr_rmb_elem {
	enum smcr_rmbe_state	state;
	u32			dirty;
	unsigned long		release_at;
};

/**
 * struct smcr_rmb_map - mapping of an RMB to one link's device
 * @link: the link, with a reference; NULL when the slot is free. The map also
 *	counts in the link's verbs objects
 * @mr: memory region on the link's protection domain
 * @sgt: DMA mapping
 * @gone: becomes the owner of @mr and @sgt when the mapping ends
 * @dma: DMA address of each page, if the mapping has to be synced: the device
 *	is not coherent, or writes to bounce buffers. Under the RMB's lock
 * @direct: the mapping needs no sync; with @dma NULL and this false there is
 *	no mapping. Under the RMB's lock
 * @rkey: key for the peer, set by smcr_rmb_map()
 * @iova: address of byte 0 of the RMB for the peer, random but for the page
 *	offset
 * @reg: registration request
 * @done: called when the registration has ended
 * @pending: the registration is posted and has not ended; cleared with
 *	smp_store_release()
 * @registered: the registration has succeeded; set with smp_store_release()
 * @told: the peer knows @rkey, or is about to; only for the group's work
 */
struct smcr_rmb_map {
	struct smcr_link	*link;
	struct ib_mr		*mr;
	struct sg_table		sgt;
	struct smcr_rmb_gone	*gone;
	u64			*dma;
	bool			direct;
	u32			rkey;
	u64			iova;
	struct smcr_wr_reg	reg;
	void			(*done)(struct smcr_link *link);
	bool			pending;
	bool			registered;
	bool			told;
};

/**
 * struct smcr_rmb - one RMB with its elements, all of one size
 * @list: entry in smcr_lgr.rmbs, under the group's mutex
 * @refs: one of the group, one of each connection that has or had an element,
 *	and one of each mapping that has ended, until it is off the device or
 *	the device has failed to take it off
 * @mem: owners that keep the structure and the pages: all of @refs, and each
 *	memory region that a device keeps
 * @net: namespace; the pages count against its cap (net.smcr.max_rmb_bytes)
 * @n_pages: pages of the memory
 * @vaddr: the memory, virtually contiguous
 * @elem_size: bytes of one element, a size of the RFC's enumeration
 * @n_elems: elements, 1..255; element i of the wire is @elems[i - 1]
 * @n_free: elements in state FREE; read anywhere as a hint
 * @n_unclean: elements in state DIRTY or QUARANTINE; read anywhere as a hint
 * @hint: index at which the search for a free element starts, so that elements
 *	are used first in, first out
 * @lock: protects @elems, @n_free, @n_unclean, @hint, @n_synced, @syncs and
 *	each map's @dma and @direct; leaf but for syncs, any context but hard
 *	irq
 * @elems: the elements
 * @maps: one per link of the group, by link slot; changed by smcr_rmb_map()
 *	before the RMB is on a list, then by the group's RMB work
 * @n_synced: maps that have to be synced; read anywhere as a hint
 * @syncs: there is or was such a map; read anywhere
 * @confirmed: the peer knows the RMB's keys, from CLC or CONFIRM RKEY. Under
 *	the group's mutex
 * @deleting: DELETE RKEY for the RMB was sent, or the peer has refused it in
 *	reply to CONFIRM RKEY; no element may be taken. Under the group's mutex
 * @forgotten: the peer has answered, so the RMB work frees the RMB. Under the
 *	group's mutex
 * @idle_since: jiffies when the last element was returned, or the RMB was made
 *	or confirmed
 */
struct smcr_rmb {
	struct list_head	list;
	refcount_t		refs;
	refcount_t		mem;
	struct net		*net;
	u32			n_pages;
	void			*vaddr;
	u32			elem_size;
	u16			n_elems;
	u16			n_free;
	u16			n_unclean;
	u16			hint;
	spinlock_t		lock;
	struct smcr_rmb_elem	*elems;
	struct smcr_rmb_map	maps[SMCR_MAX_LINKS];
	u32			n_synced;
	bool			syncs;
	bool			confirmed;
	bool			deleting;
	bool			forgotten;
	unsigned long		idle_since;
};

u32 smcr_rmb_room(const struct net *net);
int __must_check smcr_rmb_check(struct net *net, u32 elem_size);
struct smcr_rmb * __must_check smcr_rmb_alloc(struct smcr_link *link,
					      u32 elem_size, u16 n_elems);
void smcr_rmb_put(struct smcr_rmb *rmb);
int __must_check smcr_rmb_map(struct smcr_rmb *rmb, struct smcr_link *link,
			      int slot);
int __must_check smcr_rmb_register(struct smcr_rmb *rmb, int slot,
				   void (*done)(struct smcr_link *link));
void smcr_rmb_unmap(struct smcr_rmb *rmb, int slot);

/**
 * smcr_rmb_registered() - may the peer write to an RMB over a link?
 * @rmb: the RMB
 * @slot: slot of the link, which has not failed
 *
 * Context: any.
 * Return: true once the RMB is registered; its key and address can be read
 * then.
 */
static inline bool smcr_rmb_registered(const struct smcr_rmb *rmb, int slot)
{
	/* Pairs with reg_done() in rmb.c */
	return smp_load_acquire(&rmb->maps[slot].registered);
}

/**
 * smcr_rmb_syncs() - does the CPU have to sync what it reads?
 * @rmb: the RMB
 *
 * Context: any.
 * Return: true if the RMB has or had a mapping that has to be synced.
 */
static inline bool smcr_rmb_syncs(const struct smcr_rmb *rmb)
{
	return READ_ONCE(rmb->syncs);
}

int __must_check smcr_rmb_elem_take(struct smcr_rmb *rmb, bool eye_catcher);
bool __must_check smcr_rmb_elem_return(struct smcr_rmb *rmb, u8 idx, u32 dirty,
				       enum smcr_rmbe_end end,
				       unsigned long release_at);
unsigned long __must_check smcr_rmb_clean(struct smcr_rmb *rmb, u32 *freed);
u16 smcr_rmb_in_use(const struct smcr_rmb *rmb);
void *smcr_rmb_elem_addr(const struct smcr_rmb *rmb, u8 idx);
bool __must_check smcr_rmb_sync_for_cpu(struct smcr_rmb *rmb, u8 slot, u8 idx,
					u32 off, u32 len);
void smcr_rmb_sync_for_device(struct smcr_rmb *rmb, u8 idx, u32 off, u32 len);

#endif /* _SMCR_RMB_H */
