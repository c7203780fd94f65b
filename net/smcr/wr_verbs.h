/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the send and the receive queue of a link share. Only wr.c and wr_recv.c
 * include this: verbs end there.
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

/* Bytes from one message buffer to the next: no two share a cache line */
#define SMCR_WR_STRIDE		64u
/* A queue shorter than this is not worth having */
#define SMCR_WR_MIN_DEPTH	64u

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

/* Entries of a queue: as many as wanted, or a power of two that the device
 * can do with one more for the drain; 0 if that is too few.
 */
static inline u32 smcr_wr_depth(const struct smcr_link *link, u32 want)
{
	const struct smcr_ibdev *dev = link->local.dev;
	u32 max = min(dev->max_qp_wr, dev->max_cqe / 2);

	if (max <= SMCR_WR_MIN_DEPTH)
		return 0;
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
