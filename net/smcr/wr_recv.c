// SPDX-License-Identifier: GPL-2.0
/*
 * Receive queue of one link.
 *
 * All buffers are posted from the start, and go back in batches. A CDC message
 * is handled where it lies; an LLC message is copied to the buffer's
 * descriptor, which the group's queue then holds until its work has handled
 * it, so a peer that sends faster than the group handles finds no receive
 * posted and has to wait, or its queue pair gives up.
 *
 * Buffers are freed with the link's last reference. Each message that waits
 * owns one, and the completion queue has gone before.
 */
#include <linux/net.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "cdc.h"
#include "llc.h"
#include "mib.h"
#include "wire_roce.h"
#include "wr.h"
#include "wr_verbs.h"

/* The largest batch of receives */
#define RECV_BATCH		16u
/* Malformed messages of a peer before its link is given up */
#define RECV_BAD_MAX		16u

/**
 * struct recv_buf - a receive buffer
 * @recv: for an LLC message on its way up
 * @cqe: names the buffer in its completion
 */
struct recv_buf {
	struct smcr_wr_recv	recv;
	struct ib_cqe		cqe;
};

/**
 * struct smcr_rq - receive queue of one link
 * @depth: buffers, a power of two
 * @batch: receives that go back at once
 * @lock: protects @open, @free, @n_free, @n_held, @wrs, @sges; leaf but for the
 *	driver, not hard irq
 * @open: receives may be posted
 * @free: buffers to be posted
 * @n_free: entries of @free
 * @n_held: buffers that an LLC message of the group's queue occupies
 * @n_bad: malformed messages seen; completions alone touch it
 * @bufs: the buffers' descriptors
 * @mem: SMCR_WR_STRIDE bytes for each
 * @dma: DMA address of the same
 * @wrs: one batch of receives and
 * @sges: their scatter entries
 */
struct smcr_rq {
	u32			depth;
	u32			batch;
	spinlock_t		lock;
	bool			open;
	struct list_head	free;
	u32			n_free;
	u32			n_held;
	u32			n_bad;
	struct recv_buf		*bufs;
	u8			*mem;
	u64			dma;
	struct ib_recv_wr	wrs[RECV_BATCH];
	struct ib_sge		sges[RECV_BATCH];
};

static u32 rbuf_off(const struct smcr_rq *rq, const struct recv_buf *rbuf)
{
	return (rbuf - rq->bufs) * SMCR_WR_STRIDE;
}

/* Post up to a batch of free buffers. */
static int recvs_post(struct smcr_link *link, u32 n)
{
	struct smcr_rq *rq = link->rq;
	struct recv_buf *rbuf;
	u32 i;

	lockdep_assert_held(&rq->lock);
	for (i = 0; i < n; i++) {
		rbuf = list_first_entry(&rq->free, struct recv_buf,
					recv.list);
		list_del(&rbuf->recv.list);
		ib_dma_sync_single_for_device(smcr_wr_ibdev(link),
					      rq->dma + rbuf_off(rq, rbuf),
					      SMCR_WR_STRIDE, DMA_FROM_DEVICE);
		smcr_wr_sge_dma(&rq->sges[i], link, rq->dma +
				rbuf_off(rq, rbuf), SMCR_WR_STRIDE);
		rq->wrs[i].wr_cqe = &rbuf->cqe;
		rq->wrs[i].sg_list = &rq->sges[i];
		rq->wrs[i].num_sge = 1;
		rq->wrs[i].next = i + 1 < n ? &rq->wrs[i + 1] : NULL;
	}
	rq->n_free -= n;
	return ib_post_recv(link->qp, rq->wrs, NULL);
}

/* A buffer is free; post it with others once a batch has gathered. */
static void rbuf_free(struct smcr_link *link, struct recv_buf *rbuf, bool held)
{
	struct smcr_rq *rq = link->rq;
	bool posted = false;
	int err = 0;

	spin_lock_bh(&rq->lock);
	rq->n_held -= held;
	list_add_tail(&rbuf->recv.list, &rq->free);
	rq->n_free++;
	if (rq->open && rq->n_free >= rq->batch) {
		err = recvs_post(link, rq->batch);
		posted = true;
	}
	spin_unlock_bh(&rq->lock);
	if (posted)
		smcr_wr_count(link, SMCR_MIB_RECVREPOSTS, 1);
	if (err)
		smcr_link_fail(link, err);
}

/**
 * smcr_wr_recv_release() - an LLC message has been handled
 * @recv: the message; its receive slot goes back, and so does the reference
 *	to its link
 *
 * Context: process or softirq.
 */
void smcr_wr_recv_release(struct smcr_wr_recv *recv)
{
	struct recv_buf *rbuf = container_of(recv, struct recv_buf, recv);
	struct smcr_link *link = recv->link;

	rbuf_free(link, rbuf, true);
	smcr_link_put(link);
}

/* The peer broke the protocol in a way that its link does not survive. */
static void recv_fatal(struct smcr_link *link, const char *what)
{
	/* Until its queue is flushed a link that was given up may fail again */
	if (smcr_link_state(link) < SMCR_LINK_FAILED)
		net_warn_ratelimited("smcr: link %u: %s; the link is given up. The peer's SMC-R is faulty\n",
				     link->num, what);
	smcr_link_fail(link, -EPROTO);
}

/* Hand an LLC message up in its buffer. */
static void recv_llc(struct smcr_link *link, struct recv_buf *rbuf,
		     const u8 *msg)
{
	struct smcr_rq *rq = link->rq;

	/* Nobody owns a link that is drained on its way to be freed */
	if (!refcount_inc_not_zero(&link->refs))
		return;
	spin_lock_bh(&rq->lock);
	rq->n_held++;
	spin_unlock_bh(&rq->lock);
	memcpy(rbuf->recv.msg, msg, SMCR_ROCE_MSG_LEN);
	rbuf->recv.link = link;
	smcr_llc_recv(&rbuf->recv);
}

/* Neither an LLC nor a CDC message. An RDMA write with immediate data lands
 * here too: it completes a receive without having written its buffer. An LLC
 * message of the wrong length fails the link at once, unless its opcode says
 * that it may be ignored (A.3, C.7.1); the rest is counted, to a bound.
 */
static void recv_bad(struct smcr_link *link, const struct ib_wc *wc,
		     const u8 *msg)
{
	bool readable = wc->opcode == IB_WC_RECV && wc->byte_len;
	bool cdc = readable && *msg >= SMCR_LLC_CLASS_CDC;

	smcr_mib_inc(smcr_wr_net(link),
		     cdc ? SMCR_MIB_BADCDC : SMCR_MIB_BADLLC);
	if (readable && *msg < SMCR_LLC_CLASS_OPTIONAL)
		recv_fatal(link, "LLC message of a wrong length");
	else if (++link->rq->n_bad > RECV_BAD_MAX)
		recv_fatal(link, "too many malformed messages");
}

static void recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct recv_buf *rbuf = container_of(wc->wr_cqe, struct recv_buf, cqe);
	struct smcr_link *link = cq->cq_context;
	struct smcr_rq *rq = link->rq;
	u32 off = rbuf_off(rq, rbuf);
	const u8 *msg = rq->mem + off;

	if (wc->status != IB_WC_SUCCESS) {
		/* The buffer stays unposted. A flush is how a dead queue pair
		 * without sends of ours is noticed.
		 */
		smcr_link_fail(link, smcr_wr_errno(wc->status));
		return;
	}
	WRITE_ONCE(link->last_rx, jiffies);
	smcr_wr_count(link, SMCR_MIB_RECVCOMPLETIONS, 1);
	ib_dma_sync_single_for_cpu(smcr_wr_ibdev(link), rq->dma + off,
				   SMCR_WR_STRIDE, DMA_FROM_DEVICE);
	if (wc->opcode != IB_WC_RECV || wc->wc_flags & IB_WC_WITH_IMM ||
	    wc->byte_len != SMCR_ROCE_MSG_LEN) {
		recv_bad(link, wc, msg);
	} else if (*msg >= SMCR_LLC_CLASS_CDC) {
		if (smcr_cdc_recv(link, msg, SMCR_ROCE_MSG_LEN))
			recv_bad(link, wc, msg);
	} else {
		recv_llc(link, rbuf, msg);
		return;
	}
	rbuf_free(link, rbuf, false);
	/* The message may have shown that the peer has handled some of ours */
	smcr_wr_wake(link);
}

/**
 * smcr_wr_post_recvs() - fill the receive queue
 * @link: link with a queue pair in INIT
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_wr_post_recvs(struct smcr_link *link)
{
	struct smcr_rq *rq = link->rq;
	int err = 0;

	spin_lock_bh(&rq->lock);
	while (!err && rq->n_free)
		err = recvs_post(link, min(rq->n_free, RECV_BATCH));
	rq->open = !err;
	spin_unlock_bh(&rq->lock);
	return err;
}

/**
 * smcr_wr_recv_close() - post no receive any more
 * @link: link that is about to be drained
 *
 * Context: process.
 */
void smcr_wr_recv_close(struct smcr_link *link)
{
	spin_lock_bh(&link->rq->lock);
	link->rq->open = false;
	spin_unlock_bh(&link->rq->lock);
}

/**
 * smcr_wr_rq_depth() - receive buffers of a link
 * @link: link after smcr_wr_recv_init()
 *
 * Context: any.
 * Return: a power of two. The queue pair has room for one request more, the
 * drain's.
 */
u32 smcr_wr_rq_depth(const struct smcr_link *link)
{
	return link->rq->depth;
}

static int recv_map(struct smcr_link *link)
{
	struct smcr_rq *rq = link->rq;
	u64 dma;

	dma = ib_dma_map_single(smcr_wr_ibdev(link), rq->mem,
				rq->depth * SMCR_WR_STRIDE, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(smcr_wr_ibdev(link), dma))
		return -ENOMEM;
	rq->dma = dma;
	return 0;
}

/**
 * smcr_wr_recv_init() - memory for the receive queue of a link
 * @link: a new link
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 * smcr_wr_recv_unmap() and smcr_wr_recv_free() undo it in either case.
 */
int smcr_wr_recv_init(struct smcr_link *link)
{
	struct smcr_rq *rq = kzalloc(sizeof(*rq), GFP_KERNEL);
	u32 i;

	if (!rq)
		return -ENOMEM;
	link->rq = rq;
	spin_lock_init(&rq->lock);
	INIT_LIST_HEAD(&rq->free);
	rq->depth = smcr_wr_depth(link, SMCR_WR_RQ_DEPTH);
	rq->batch = smcr_wr_recv_batch(rq->depth);
	rq->bufs = kvcalloc(rq->depth, sizeof(*rq->bufs), GFP_KERNEL);
	rq->mem = kcalloc(rq->depth, SMCR_WR_STRIDE, GFP_KERNEL);
	if (!rq->bufs || !rq->mem)
		return -ENOMEM;
	for (i = 0; i < rq->depth; i++) {
		rq->bufs[i].cqe.done = recv_done;
		list_add_tail(&rq->bufs[i].recv.list, &rq->free);
	}
	rq->n_free = rq->depth;
	return recv_map(link);
}

/**
 * smcr_wr_recv_unmap() - take the buffers from the device
 * @link: link without a queue pair; smcr_wr_recv_init() may have failed
 *
 * Context: process.
 */
void smcr_wr_recv_unmap(struct smcr_link *link)
{
	struct smcr_rq *rq = link->rq;

	if (!rq || !rq->dma)
		return;
	ib_dma_unmap_single(smcr_wr_ibdev(link), rq->dma,
			    rq->depth * SMCR_WR_STRIDE, DMA_FROM_DEVICE);
	rq->dma = 0;
}

/**
 * smcr_wr_recv_free() - free the receive queue's memory
 * @link: link without a queue pair; smcr_wr_recv_init() may have failed
 *
 * Context: process.
 */
void smcr_wr_recv_free(struct smcr_link *link)
{
	struct smcr_rq *rq = link->rq;

	if (!rq)
		return;
	WARN_ON_ONCE(rq->n_held);
	kfree(rq->mem);
	kvfree(rq->bufs);
	kfree(rq);
	link->rq = NULL;
}
