// SPDX-License-Identifier: GPL-2.0
/*
 * Building and freeing the send queue of a link, within what the device and the
 * peer can do; link.c has the order.
 */
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "ib.h"
#include "link.h"
#include "wr.h"
#include "wr_verbs.h"

/* SENDs outstanding toward a Linux peer, which has 48 receives */
#define LINUX_SENDS		32u

/**
 * smcr_wr_sq_depth() - send slots of a link
 * @link: link after smcr_wr_init()
 *
 * Context: any.
 * Return: a power of two. The queue pair has room for one request more, the
 * drain's.
 */
u32 smcr_wr_sq_depth(const struct smcr_link *link)
{
	return link->wr->sq_depth;
}

/**
 * smcr_wr_max_sge() - scatter entries that a request of a link may have
 * @link: link after smcr_wr_init()
 *
 * Context: any.
 */
u32 smcr_wr_max_sge(const struct smcr_link *link)
{
	return link->wr->max_sge;
}

/**
 * smcr_wr_max_bytes() - bytes of send space that one batch may write
 * @link: the link
 * @pos: send position of the first
 *
 * Send space is chunks, and a write has a scatter entry for each chunk that it
 * touches. Except from the start of a chunk, a write of so many bytes touches
 * as many chunks as the device has entries.
 *
 * Context: any.
 */
u32 smcr_wr_max_bytes(const struct smcr_link *link, u64 pos)
{
	u32 off = pos & (SMCR_CHUNK_SIZE - 1);

	return min(link->wr->max_sge * SMCR_CHUNK_SIZE - off,
		   (SMCR_WR_MAX_SGE - 1) * SMCR_CHUNK_SIZE);
}

/**
 * smcr_wr_device_fits() - can a device carry a link at all?
 * @dev: the device
 *
 * Says in the log what it lacks.
 *
 * Context: any.
 * Return: false if its queues are too short, or gather no memory.
 */
bool smcr_wr_device_fits(const struct smcr_ibdev *dev)
{
	const char *name = smcr_ib_dev_name(dev);

	if (smcr_wr_max_depth(dev) <= SMCR_WR_MIN_DEPTH)
		net_warn_ratelimited("smcr: %s: max_qp_wr %u, max_cqe %u, of which %u and %u are needed; its connections are plain TCP\n",
				     name, dev->max_qp_wr, dev->max_cqe,
				     SMCR_WR_MIN_DEPTH + 1,
				     2 * (SMCR_WR_MIN_DEPTH + 1));
	else if (!dev->max_send_sge)
		net_warn_ratelimited("smcr: %s: max_send_sge 0, of which 1 is needed; its connections are plain TCP\n",
				     name);
	else
		return true;
	return false;
}

/* SENDs for which a peer with as many receives as this host has one posted: the
 * last of them wait for a batch, and LLC messages come on top.
 */
static u32 peer_window(u32 receives)
{
	return receives - smcr_wr_recv_batch(receives) - 2 * SMCR_WR_CTL_SENDS;
}

/**
 * smcr_wr_init() - memory for the send queue of a link
 * @link: a new link, on a device that can carry it
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 * smcr_wr_free() undoes it in either case.
 */
int smcr_wr_init(struct smcr_link *link)
{
	struct smcr_wr *wr = kzalloc(sizeof(*wr), GFP_KERNEL);
	u32 i;

	if (!wr)
		return -ENOMEM;
	INIT_LIST_HEAD(&wr->waiters);
	INIT_LIST_HEAD(&wr->chunks);
	spin_lock_init(&wr->chunk_lock);
	link->wr = wr;
	wr->sq_depth = smcr_wr_depth(link, SMCR_WR_SQ_DEPTH);
	/* Slot numbers go round soon after the start, not in a month */
	wr->head = -4 * wr->sq_depth;
	wr->tail = wr->head;
	wr->passed = wr->tail;
	wr->signal_at = wr->sq_depth / 2;
	wr->max_sends = U32_MAX;
	wr->window = peer_window(smcr_wr_depth(link, SMCR_WR_RQ_DEPTH));
	wr->max_sge = min(link->local.dev->max_send_sge, SMCR_WR_MAX_SGE);
	wr->slots = kvcalloc(wr->sq_depth, sizeof(*wr->slots), GFP_KERNEL);
	if (!wr->slots)
		return -ENOMEM;
	for (i = 0; i < wr->sq_depth; i++)
		wr->slots[i].cqe.done = smcr_wr_send_done;
	return 0;
}

/**
 * smcr_wr_limit_sends() - the peer speaks the Linux dialect
 * @link: link that carried no data yet
 *
 * Its receives are few for all connections, and one too many SENDs costs it
 * the link. So the number outstanding is bounded, and completions
 * come often enough to know it.
 *
 * Context: any but hard irq.
 */
void smcr_wr_limit_sends(struct smcr_link *link)
{
	struct smcr_wr *wr = link->wr;
	unsigned long irq;

	spin_lock_irqsave(&link->tx_lock, irq);
	wr->max_sends = LINUX_SENDS;
	wr->window = 0;
	wr->signal_at = LINUX_SENDS / 2;
	spin_unlock_irqrestore(&link->tx_lock, irq);
}

/**
 * smcr_wr_map() - buffers for messages that cannot go inline
 * @link: link with a queue pair
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int smcr_wr_map(struct smcr_link *link)
{
	struct smcr_wr *wr = link->wr;
	u32 bytes = wr->sq_depth * SMCR_WR_STRIDE;
	u64 dma;

	if (link->max_inline >= SMCR_ROCE_MSG_LEN)
		return 0;
	wr->send_buf = kzalloc(bytes, GFP_KERNEL);
	if (!wr->send_buf)
		return -ENOMEM;
	dma = ib_dma_map_single(smcr_wr_ibdev(link), wr->send_buf, bytes,
				DMA_TO_DEVICE);
	if (ib_dma_mapping_error(smcr_wr_ibdev(link), dma))
		return -ENOMEM;
	wr->send_dma = dma;
	return 0;
}

/**
 * smcr_wr_unmap() - undo smcr_wr_map()
 * @link: link without a queue pair; may not have been mapped
 *
 * Context: process.
 */
void smcr_wr_unmap(struct smcr_link *link)
{
	struct smcr_wr *wr = link->wr;

	if (!wr || !wr->send_dma)
		return;
	ib_dma_unmap_single(smcr_wr_ibdev(link), wr->send_dma,
			    wr->sq_depth * SMCR_WR_STRIDE, DMA_TO_DEVICE);
	wr->send_dma = 0;
}

/**
 * smcr_wr_free() - free the send queue's memory
 * @link: link without a queue pair; smcr_wr_init() may have failed
 *
 * Context: process.
 */
void smcr_wr_free(struct smcr_link *link)
{
	struct smcr_wr *wr = link->wr;

	if (!wr)
		return;
	WARN_ON_ONCE(wr->head != wr->tail || !list_empty(&wr->waiters));
	WARN_ON_ONCE(wr->n_chunks);
	kfree(wr->send_buf);
	kvfree(wr->slots);
	kfree(wr);
	link->wr = NULL;
}
