/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RMBs: receive memory that the peer writes into (RFC 7609 2.1, 4.4).
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

/* State of an element. FREE elements are zeroed; the eye catcher comes when one
 * is taken.
 */
enum smcr_rmbe_state {
	SMCR_RMBE_FREE,
	SMCR_RMBE_USED,
	SMCR_RMBE_DIRTY,	/* waits to be zeroed off the close path */
	SMCR_RMBE_QUARANTINE,	/* a late write may still land in it */
};

/* How a connection left its element (4.4.2). */
enum smcr_rmbe_end {
	SMCR_RMBE_END_UNUSED,	/* never offered to the peer */
	SMCR_RMBE_END_ORDERLY,	/* both sides sent C */
	SMCR_RMBE_END_ABNORMAL,	/* wait before reuse */
};

/**
 * struct smcr_rmb_elem - one RMBE
 * @state: under the RMB's lock
 * @dirty: payload bytes from the element's start that may be non-zero
 * @release_at: jiffies when a quarantined element may be zeroed
 */
struct smcr_rmb_elem {
	enum smcr_rmbe_state	state;
	u32			dirty;
	unsigned long		release_at;
};

/**
 * struct smcr_rmb_map - an RMB as one link's device sees it
 * @link: the link, with a reference; NULL when the slot is free. The map also
 *	counts in the link's verbs objects
 * @mr: memory region on the link's protection domain
 * @sgt: DMA mapping
 * @dma: DMA address of each page; NULL if the device needs no cache
 *	maintenance. Under the RMB's lock
 * @rkey: key for the peer, known once mapped
 * @iova: the peer's address of byte 0 of the RMB, random but for the page
 *	offset
 * @reg: its registration
 * @done: who is told when that has ended
 * @pending: it is posted and has not ended
 * @registered: it has ended well; read with smp_load_acquire()
 */
struct smcr_rmb_map {
	struct smcr_link	*link;
	struct ib_mr		*mr;
	struct sg_table		sgt;
	u64			*dma;
	u32			rkey;
	u64			iova;
	struct smcr_wr_reg	reg;
	void			(*done)(struct smcr_wr_reg *reg, int err);
	bool			pending;
	bool			registered;
};

/**
 * struct smcr_rmb - one RMB with its elements, all of one size
 * @list: in the group's list, under the group's mutex
 * @refs: one for the group, one per connection that has or had an element;
 *	the pages are freed with the last
 * @net: namespace whose cap the pages count against
 * @n_pages: pages of the memory
 * @vaddr: the memory, contiguous for the CPU
 * @elem_size: bytes of one element, a size of the RFC's enumeration
 * @n_elems: elements, 1..255; element i of the wire is @elems[i - 1]
 * @n_free: elements in state FREE
 * @n_unclean: elements in state DIRTY or QUARANTINE
 * @hint: where the next free element is looked for, so that they are used
 *	first in first out
 * @lock: protects @elems, @n_free, @n_unclean, @hint and each map's @dma; leaf
 *	but for cache maintenance, any context but hard irq
 * @elems: the elements
 * @maps: one per link of the group, by link slot; changed by who builds the
 *	RMB, then by the group's RMB work
 * @n_synced: maps that need cache maintenance
 * @confirmed: the peer knows its rkeys (CLC first contact or CONFIRM RKEY)
 * @deleting: the peer has been asked to forget it (DELETE RKEY), or has refused
 *	it (CONFIRM RKEY); no element may be taken. Under the group's mutex
 * @forgotten: the peer has answered: the RMB work unmaps it. Likewise
 * @idle_since: jiffies when its last element was returned
 */
struct smcr_rmb {
	struct list_head	list;
	refcount_t		refs;
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
	bool			confirmed;
	bool			deleting;
	bool			forgotten;
	unsigned long		idle_since;
};

struct smcr_rmb *smcr_rmb_alloc(struct smcr_link *link, u32 elem_size,
				u16 n_elems);
void smcr_rmb_put(struct smcr_rmb *rmb);
int smcr_rmb_map(struct smcr_rmb *rmb, struct smcr_link *link, int slot);
int smcr_rmb_register(struct smcr_rmb *rmb, int slot,
		      void (*done)(struct smcr_wr_reg *reg, int err));
void smcr_rmb_unmap(struct smcr_rmb *rmb, int slot);

int smcr_rmb_elem_take(struct smcr_rmb *rmb, bool eye_catcher);
bool smcr_rmb_elem_return(struct smcr_rmb *rmb, u8 idx, u32 dirty,
			  enum smcr_rmbe_end end, unsigned long release_at);
unsigned long smcr_rmb_clean(struct smcr_rmb *rmb, u32 *freed);
u16 smcr_rmb_in_use(const struct smcr_rmb *rmb);
void *smcr_rmb_elem_addr(const struct smcr_rmb *rmb, u8 idx);
void smcr_rmb_sync_for_cpu(struct smcr_rmb *rmb, u8 idx, u32 off, u32 len);
void smcr_rmb_sync_for_device(struct smcr_rmb *rmb, u8 idx, u32 off, u32 len);

#endif /* _SMCR_RMB_H */
