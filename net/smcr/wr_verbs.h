/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the send queue, the receive queue and the send space of a link share.
 * Only wr*.c include this header: no other file posts or polls.
 */
#ifndef _SMCR_WR_VERBS_H
#define _SMCR_WR_VERBS_H

#include <linux/cache.h>
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/timer.h>
#include <rdma/ib_verbs.h>

#include "ib.h"
#include "lgr.h"
#include "link.h"
#include "mib.h"
#include "share.h"
#include "silence.h"
#include "wr.h"

/* Distance of two message buffers: no two share a cache line of 64 bytes */
#define SMCR_WR_STRIDE		64u
/* Shortest queue that a link works with */
#define SMCR_WR_MIN_DEPTH	64u

/* SENDs that data leaves for LLC messages */
#define SMCR_WR_CTL_SENDS	4u
/* Bytes of chunks that a link keeps for its next send */
#define SMCR_WR_CHUNK_BYTES_KEPT	(128u << 10)

enum smcr_wr_kind {
	SMCR_WR_WRITE,
	SMCR_WR_LONG,		/* a write that fills a packet */
	SMCR_WR_CDC,
	SMCR_WR_FENCE,
	SMCR_WR_PROBE,
	SMCR_WR_LLC,
	SMCR_WR_REG,
};

/**
 * struct smcr_wr_slot - a slot of the send queue
 * @cqe: names the slot in its completion
 * @kind: what was posted
 * @cookie: LLC message: the argument for smcr_llc_sent(); probe: enum
 *	smcr_link_passed, what its success shows
 * @counts: CDC message: the connection learns of its completion
 * @seq: CDC message: its sequence number
 * @pos: CDC message: send position that is complete with it
 * @conn: CDC message, or write that ends a batch: the connection, with a
 *	reference
 * @bytes: the same: bytes of the batch
 * @reg: registration: the caller's structure
 */
struct smcr_wr_slot {
	struct ib_cqe		cqe;
	enum smcr_wr_kind		kind;
	u32			cookie;
	bool			counts;
	u16			seq;
	u64			pos;
	struct smcr_conn	*conn;
	u32			bytes;
	struct smcr_wr_reg	*reg;
};

/* LLC messages that may wait for a slot; more than a group has under way */
#define SMCR_WR_LLC_WAIT	16u

/**
 * struct smcr_wr_llc - an LLC message that waits for a slot
 * @msg: the message
 * @cookie: the argument for smcr_llc_sent()
 * @probe: where to write a full packet first, in the group, or NULL for none
 */
struct smcr_wr_llc {
	u8				msg[SMCR_ROCE_MSG_LEN];
	u32				cookie;
	const struct smcr_wr_probe	*probe;
};

/**
 * struct smcr_wr_drain - the last request of a queue
 * @cqe: names it in its completion
 * @done: completed by that
 */
struct smcr_wr_drain {
	struct ib_cqe		cqe;
	struct completion	done;
};

/**
 * struct smcr_wr - send queue of one link
 * @sq_depth: slots, a power of two
 * @max_sge: scatter entries of one request, 1..SMCR_WR_MAX_SGE
 * @signal_at: a batch that brings @unsignaled to this asks for a completion
 * @max_sends: bound on SENDs that are not complete
 * @window: bound on SENDs that the peer may not have handled yet, 0 for none
 * @slots: the slots
 * @send_buf: SMCR_WR_STRIDE bytes for each slot if the device takes no inline
 *	data, otherwise NULL
 * @send_dma: DMA address of @send_buf
 * @zero_dma: DMA address of a page of zeros, mapped as long as @send_dma
 * @link: the link
 * @head: number of the slot that is posted next; read without the lock
 * @unsignaled: requests since the last one that asks for a completion
 * @sends: SENDs posted; read without the lock
 * @share: bytes in flight, and how many may be; @share.several is read without
 *	the lock
 * @silence: state of wr_silence.c
 * @handled: SENDs that the peer has handled for certain
 * @asked: the reply to a TEST LINK will move @handled
 * @probe_conn: id of the connection whose consumer cursor will show that more
 *	SENDs are handled, 0 for none; read without the lock
 * @probe_pos: when its cursor is there, ...
 * @probe_send: ... so many SENDs are handled
 * @llc_first: index of the oldest entry of @llc
 * @llc_n: their number; read without the lock
 * @waiters: connections that wait, each with a reference; receive completions
 *	look without the lock whether there are any
 * @turn: the waiter that may post next; only compared
 * @llc: LLC messages that found no slot, a ring
 * @tail: number of the slot that is reclaimed next; changed by smcr_wr_flush(),
 *	too, after the last completion
 * @sends_done: SENDs that are complete
 * @bytes_done: bytes of batches that are complete
 * @chunk_lock: protects @chunks to @drained; leaf, not taken in hard irq
 * @chunks: send chunks of this link, of each kind, newest first
 * @chunk_bytes: bytes of them
 * @passed: @tail in 64 bits, when chunks were last spilled
 * @drained: no request is outstanding, and none will be posted
 * @sq_drain: last request of the send queue, private to wr_drain.c
 * @rq_drain: last request of the receive queue, likewise
 * @silence_timer: looks at @silence
 *
 * The fields are in groups, each in cache lines of its own, so that those who
 * write one do not take away what others read: set up before the link is used,
 * or soon after; changed with each post; changed seldom; changed by completions
 * alone; the cache of chunks. The second and third are under link->tx_lock.
 */
struct smcr_wr {
	u32			sq_depth;
	u32			max_sge;
	u32			signal_at;
	u32			max_sends;
	u32			window;
	struct smcr_wr_slot	*slots;
	u8			*send_buf;
	u64			send_dma;
	u64			zero_dma;
	struct smcr_link	*link;

	u32			head ____cacheline_aligned_in_smp;
	u32			unsignaled;
	u32			sends;
	struct smcr_share	share;
	struct smcr_silence	silence;

	u32			handled ____cacheline_aligned_in_smp;
	bool			asked;
	u32			probe_conn;
	u64			probe_pos;
	u32			probe_send;
	u32			llc_first;
	u32			llc_n;
	struct list_head	waiters;
	const struct smcr_conn	*turn;
	struct smcr_wr_llc	llc[SMCR_WR_LLC_WAIT];

	u32			tail ____cacheline_aligned_in_smp;
	u32			sends_done;
	u32			bytes_done;

	spinlock_t		chunk_lock ____cacheline_aligned_in_smp;
	struct list_head	chunks[SMCR_CHUNK_KINDS];
	u32			chunk_bytes;
	u64			passed;
	bool			drained;

	struct smcr_wr_drain	sq_drain ____cacheline_aligned_in_smp;
	struct smcr_wr_drain	rq_drain;
	struct timer_list	silence_timer;
};

u32 smcr_wr_depth(const struct smcr_link *link, u32 want);
u32 smcr_wr_chunks_spill(struct smcr_wr *wr, u32 keep);

/* Receives that one ib_post_recv() posts again, for a queue of @depth */
static inline u32 smcr_wr_recv_batch(u32 depth)
{
	return min(depth / 8, 16u);
}

void smcr_wr_silence_init(struct smcr_link *link);
bool smcr_wr_silence_asks(struct smcr_link *link, u32 bytes);
void smcr_wr_silence_posted(struct smcr_link *link, bool signaled);
void smcr_wr_silence_stop(struct smcr_link *link);
void smcr_wr_cq_catch_up(struct smcr_link *link);
void smcr_wr_cq_kick(struct smcr_link *link);
bool smcr_wr_cq_broken(const struct smcr_link *link);
void smcr_wr_wake(struct smcr_link *link);
void smcr_wr_send_done(struct ib_cq *cq, struct ib_wc *wc);
int smcr_wr_errno(enum ib_wc_status status);
bool smcr_wr_long_waits(const struct smcr_link *link);

static inline struct net *smcr_wr_net(const struct smcr_link *link)
{
	return link->lgr->net;
}

static inline void smcr_wr_count(const struct smcr_link *link,
				 enum smcr_mib field, u64 n)
{
	smcr_mib_count(link->lgr->mib, field, n);
}

static inline struct ib_device *smcr_wr_ibdev(const struct smcr_link *link)
{
	return link->local.dev->ibdev;
}

/* A write takes the cache line from all other processors, so a jiffy that is
 * there already is not written again with each message.
 */
static inline void smcr_wr_stamp(unsigned long *stamp)
{
	unsigned long now = jiffies;

	if (READ_ONCE(*stamp) != now)
		WRITE_ONCE(*stamp, now);
}

/* Two functions for two kinds of scatter entries, so that the compiler tells a
 * CPU address from a DMA address: the CPU copies the bytes of an inline entry
 * while it posts, the adapter reads those of the other kind later.
 */
static inline void smcr_wr_sge_inline(struct ib_sge *sge, const void *vaddr,
				      u32 len)
{
	sge->addr = (uintptr_t)vaddr;
	sge->length = len;
	sge->lkey = 0;
}

static inline void smcr_wr_sge_dma(struct ib_sge *sge,
				   const struct smcr_link *link, u64 dma,
				   u32 len)
{
	sge->addr = dma;
	sge->length = len;
	sge->lkey = link->lkey;
}

#endif /* _SMCR_WR_VERBS_H */
