/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the send queue, the receive queue and the send space of a link share.
 * Only wr*.c include this: verbs end there.
 */
#ifndef _SMCR_WR_VERBS_H
#define _SMCR_WR_VERBS_H

#include <linux/log2.h>
#include <linux/minmax.h>
#include <rdma/ib_verbs.h>

#include "ib.h"
#include "lgr.h"
#include "link.h"
#include "mib.h"
#include "wr.h"

/* Bytes from one message buffer to the next: no two share a cache line */
#define SMCR_WR_STRIDE		64u
/* A queue shorter than this is not worth having */
#define SMCR_WR_MIN_DEPTH	64u

/* SENDs that data leaves to LLC messages */
#define SMCR_WR_CTL_SENDS	4u
/* Chunks that a link keeps for its next send */
#define SMCR_WR_CHUNKS_KEPT	8u

enum smcr_wr_kind {
	SMCR_WR_WRITE,
	SMCR_WR_CDC,
	SMCR_WR_FENCE,
	SMCR_WR_LLC,
	SMCR_WR_REG,
};

/**
 * struct smcr_wr_slot - a place in the send queue
 * @cqe: names the slot in its completion
 * @kind: what was posted
 * @cookie: of an LLC message, for smcr_llc_sent()
 * @pos: of a CDC message: what is complete with it
 * @conn: of a CDC message, with a reference
 * @reg: of a registration
 */
struct smcr_wr_slot {
	struct ib_cqe		cqe;
	enum smcr_wr_kind		kind;
	u32			cookie;
	u64			pos;
	struct smcr_conn	*conn;
	struct smcr_wr_reg	*reg;
};

/**
 * struct smcr_wr - send queue of one link
 * @sq_depth: slots, a power of two
 * @max_sge: scatter entries of one request, 1..SMCR_WR_MAX_SGE
 * @head: slot number posted next; under link->tx_lock
 * @tail: slot number reclaimed next; moved by completions alone
 * @unsignaled: requests since the last that asks for a completion; under
 *	link->tx_lock
 * @signal_at: as many @unsignaled requests ask for one
 * @max_sends: SENDs the peer has receives for
 * @sends: SENDs posted; under link->tx_lock
 * @sends_done: those that are complete; moved by completions alone
 * @window: SENDs that the peer may not have handled yet, 0 for any number
 * @handled: SENDs that it has handled for certain; like the next five under
 *	link->tx_lock
 * @asked: a TEST LINK was asked for, and its reply will say more
 * @probe_conn: connection whose reader shows that more are; only compared
 * @probe_pos: when it has read up to there
 * @probe_send: so many are
 * @waiters: connections that found no slot, each with a reference; under
 *	link->tx_lock
 * @turn: the one of them that is being served; only compared, under
 *	link->tx_lock
 * @slots: the slots
 * @send_buf: SMCR_WR_STRIDE bytes a slot, where the device takes no inline data
 * @send_dma: DMA address of the same
 * @writes: one batch's RDMA writes and
 * @sges: their scatter entries, built under link->tx_lock
 * @chunk_lock: protects @chunks, @n_chunks, @passed, @drained; leaf, not hard
 *	irq
 * @chunks: send chunks of this link, newest first
 * @n_chunks: entries of @chunks
 * @passed: @tail as it was last looked at, in 64 bits
 * @drained: no request is outstanding and none will be
 */
struct smcr_wr {
	u32			sq_depth;
	u32			max_sge;
	u32			head;
	u32			tail;
	u32			unsignaled;
	u32			signal_at;
	u32			max_sends;
	u32			sends;
	u32			sends_done;
	u32			window;
	u32			handled;
	bool			asked;
	const struct smcr_conn	*probe_conn;
	u64			probe_pos;
	u32			probe_send;
	struct list_head	waiters;
	const struct smcr_conn	*turn;
	struct smcr_wr_slot		*slots;
	u8			*send_buf;
	u64			send_dma;
	struct ib_rdma_wr	writes[SMCR_WR_MAX_WRITES];
	struct ib_sge		sges[SMCR_WR_MAX_WRITES][SMCR_WR_MAX_SGE];

	spinlock_t		chunk_lock;
	struct list_head	chunks;
	u32			n_chunks;
	u64			passed;
	bool			drained;
};

u32 smcr_wr_chunks_spill(struct smcr_wr *wr, u32 keep);

/* Receives that go back with one ib_post_recv(), of a queue of @depth */
static inline u32 smcr_wr_recv_batch(u32 depth)
{
	return min(depth / 8, 16u);
}

void smcr_wr_wake(struct smcr_link *link);
void smcr_wr_send_done(struct ib_cq *cq, struct ib_wc *wc);

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

/* Two kinds of scatter entries, never to be mixed up (law 19): the CPU copies
 * an inline one while it posts, the adapter reads the other when it likes.
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
	sge->lkey = link->pd->local_dma_lkey;
}

/* Entries that the device allows each queue, one of them for the drain. */
static inline u32 smcr_wr_max_depth(const struct smcr_ibdev *dev)
{
	return min(dev->max_qp_wr, dev->max_cqe / 2);
}

/* Entries of a queue: as many as wanted, or a power of two that the device can
 * do with one more for the drain. smcr_wr_device_fits() has seen to a minimum.
 */
static inline u32 smcr_wr_depth(const struct smcr_link *link, u32 want)
{
	u32 max = smcr_wr_max_depth(link->local.dev);

	return min_t(u32, want, rounddown_pow_of_two(max - 1));
}

/* Why a completion failed: what the connections of the link will see. */
static inline int smcr_wr_errno(enum ib_wc_status status)
{
	switch (status) {
	case IB_WC_RETRY_EXC_ERR:
	case IB_WC_RNR_RETRY_EXC_ERR:
		return -ETIMEDOUT;
	case IB_WC_REM_ACCESS_ERR:
	case IB_WC_REM_INV_REQ_ERR:
	case IB_WC_REM_OP_ERR:
		return -EREMOTEIO;
	case IB_WC_WR_FLUSH_ERR:
		return -ENOTCONN;
	default:
		return -EIO;
	}
}

#endif /* _SMCR_WR_VERBS_H */
