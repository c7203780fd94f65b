// SPDX-License-Identifier: GPL-2.0
/*
 * Setup and teardown of a link's send queue, within the limits of the device
 * and the peer, in the order that link.c documents.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "chunk.h"
#include "ib.h"
#include "link.h"
#include "wr.h"
#include "wr_verbs.h"

/* SENDs outstanding toward a Linux peer, which has 48 receives */
#define LINUX_SENDS		32u

/* Entries that the device allows each queue, including one for the drain. */
static u32 max_depth(const struct smcr_ibdev *dev)
{
	return min(dev->max_qp_wr, dev->max_cqe / 2);
}

/**
 * smcr_wr_depth() - choose the entries of a queue
 * @link: a new link, on a device for which smcr_wr_device_fits() is true
 * @want: how many are wanted, a power of two
 *
 * Context: any.
 * Return: @want, or the largest power of two that the device allows with one
 * entry for the drain.
 */
u32 smcr_wr_depth(const struct smcr_link *link, u32 want)
{
	u32 max = max_depth(link->local.dev);

	return min_t(u32, want, rounddown_pow_of_two(max - 1));
}

/**
 * smcr_wr_sq_depth() - send slots of a link
 * @link: link after smcr_wr_init()
 *
 * Context: any.
 * Return: a power of two. The queue pair has room for one more request, that of
 * the drain.
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
 *
 * A batch of one turn (share.c), while several connections send. The scatter
 * entries of a write limit it as well, see smcr_tx_max_bytes().
 *
 * Context: any.
 */
u32 smcr_wr_max_bytes(const struct smcr_link *link)
{
	return READ_ONCE(link->wr->share.several) ? SMCR_SHARE_TURN : U32_MAX;
}

/**
 * smcr_wr_device_fits() - are a device's limits large enough for a link?
 * @dev: the device
 *
 * Context: any.
 * Return: false if its queues are too short, or take no scatter entries.
 */
bool smcr_wr_device_fits(const struct smcr_ibdev *dev)
{
	return max_depth(dev) > SMCR_WR_MIN_DEPTH && dev->max_send_sge;
}

/**
 * smcr_wr_device_log() - log which limit of a device is too small
 * @dev: a device for which smcr_wr_device_fits() is false
 *
 * Context: any.
 */
void smcr_wr_device_log(const struct smcr_ibdev *dev)
{
	const char *name = smcr_ib_dev_name(dev);

	if (max_depth(dev) <= SMCR_WR_MIN_DEPTH)
		net_warn_ratelimited("%s: max_qp_wr %u, max_cqe %u, but at least %u and %u are needed; connections over it use TCP\n",
				     name, dev->max_qp_wr, dev->max_cqe,
				     SMCR_WR_MIN_DEPTH + 1,
				     2 * (SMCR_WR_MIN_DEPTH + 1));
	else
		net_warn_ratelimited("%s: max_send_sge 0, but at least 1 is needed; connections over it use TCP\n",
				     name);
}

/**
 * smcr_wr_init() - allocate the send queue of a link
 * @link: a new link, on a device for which smcr_wr_device_fits() is true
 *
 * Context: process.
 * Return: 0 or -ENOMEM; in both cases smcr_wr_free() undoes it.
 */
int smcr_wr_init(struct smcr_link *link)
{
	struct smcr_wr *wr = kzalloc(sizeof(*wr), GFP_KERNEL);
	u32 receives, i;

	if (!wr)
		return -ENOMEM;
	INIT_LIST_HEAD(&wr->waiters);
	for (i = 0; i < SMCR_CHUNK_KINDS; i++)
		INIT_LIST_HEAD(&wr->chunks[i]);
	spin_lock_init(&wr->chunk_lock);
	link->wr = wr;
	smcr_wr_silence_init(link);
	smcr_share_init(&wr->share);
	wr->sq_depth = smcr_wr_depth(link, SMCR_WR_SQ_DEPTH);
	/* Slot numbers wrap soon after the start, so that tests see it */
	wr->head = -4 * wr->sq_depth;
	wr->tail = wr->head;
	wr->passed = wr->tail;
	wr->signal_at = wr->sq_depth / 2;
	wr->max_sends = U32_MAX;
	/* SENDs that a peer with as many receives is sure to have receives for:
	 * it may hold back a batch of them before it posts it, and some are
	 * left for LLC messages.
	 */
	receives = smcr_wr_depth(link, SMCR_WR_RQ_DEPTH);
	wr->window = receives - smcr_wr_recv_batch(receives) -
		     2 * SMCR_WR_CTL_SENDS;
	wr->max_sge = min(link->local.dev->max_send_sge, SMCR_WR_MAX_SGE);
	wr->slots = kvcalloc(wr->sq_depth, sizeof(*wr->slots), GFP_KERNEL);
	if (!wr->slots)
		return -ENOMEM;
	for (i = 0; i < wr->sq_depth; i++)
		wr->slots[i].cqe.done = smcr_wr_send_done;
	return 0;
}

/**
 * smcr_wr_limit_sends() - bound the SENDs toward a peer of the Linux dialect
 * @link: link that carried no data yet
 *
 * Such a peer has few receives for all connections of the link, and a SEND
 * without a receive costs it the link. So this bounds the SENDs that are not
 * complete, and has more of them ask for a completion.
 *
 * Context: any but hard irq.
 */
void smcr_wr_limit_sends(struct smcr_link *link)
{
	struct smcr_wr *wr = link->wr;
	unsigned long irq;

	spin_lock_irqsave(&link->tx_lock, irq);
	WRITE_ONCE(wr->max_sends, LINUX_SENDS);
	wr->window = 0;
	wr->signal_at = LINUX_SENDS / 2;
	spin_unlock_irqrestore(&link->tx_lock, irq);
}

/* Map the zeros of probes, which a whole page holds. */
static int map_zeros(struct smcr_link *link)
{
	u64 dma;

	static_assert(PAGE_SIZE >= 4096);
	dma = ib_dma_map_page(smcr_wr_ibdev(link), ZERO_PAGE(0), 0, PAGE_SIZE,
			      DMA_TO_DEVICE);
	if (ib_dma_mapping_error(smcr_wr_ibdev(link), dma))
		return -ENOMEM;
	link->wr->zero_dma = dma;
	return 0;
}

/**
 * smcr_wr_map() - map zeros, and buffers for messages if they do not fit inline
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

	if (map_zeros(link))
		return -ENOMEM;
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
 * @link: link without a queue pair; smcr_wr_map() need not have been called
 *
 * Context: process.
 */
void smcr_wr_unmap(struct smcr_link *link)
{
	struct smcr_wr *wr = link->wr;

	if (!wr)
		return;
	if (wr->zero_dma)
		ib_dma_unmap_page(smcr_wr_ibdev(link), wr->zero_dma, PAGE_SIZE,
				  DMA_TO_DEVICE);
	if (wr->send_dma)
		ib_dma_unmap_single(smcr_wr_ibdev(link), wr->send_dma,
				    wr->sq_depth * SMCR_WR_STRIDE,
				    DMA_TO_DEVICE);
	wr->zero_dma = 0;
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
	WARN_ON_ONCE(wr->chunk_bytes);
	kfree(wr->send_buf);
	kvfree(wr->slots);
	kfree(wr);
	link->wr = NULL;
}
