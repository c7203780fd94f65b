// SPDX-License-Identifier: GPL-2.0
/*
 * Receive queue of one link.
 *
 * All buffers are posted from the start, and are posted again in batches. A CDC
 * message is handled in its buffer. An LLC message is copied to the buffer's
 * descriptor, which stays on the group's queue until its work has handled the
 * message. So a peer that sends faster than the group handles finds no receive
 * posted, and has to wait until its queue pair's RNR retries run out.
 *
 * Buffers are freed with the link's last reference. Each LLC message that waits
 * owns a reference, and the completion queue is destroyed before.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

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
/* Malformed messages that a peer may send before its link fails */
#define RECV_BAD_MAX		16u

/**
 * struct recv_buf - a receive buffer
 * @recv: an LLC message while the group's queue holds it; its list node links
 *	the free buffers, too
 * @cqe: names the buffer in its completion
 */
struct recv_buf {
	struct smcr_wr_recv	recv;
	struct ib_cqe		cqe;
};

/**
 * struct smcr_rq - receive queue of one link
 * @depth: number of buffers, a power of two
 * @batch: receives that are posted again in one call
 * @lock: protects @open, @free, @n_free, @n_held, @wrs, @sges; only the
 *	driver's locks are taken inside; not taken in hard irq
 * @open: receives may be posted
 * @free: buffers that are not posted and hold no LLC message
 * @n_free: entries of @free
 * @n_held: buffers that hold an LLC message of the group's queue
 * @n_bad: malformed messages seen; touched by completions alone
 * @bufs: the buffers' descriptors
 * @mem: SMCR_WR_STRIDE bytes for each buffer
 * @dma: DMA address of @mem
 * @wrs: one batch of receives
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

/* Post @n free buffers, at most RECV_BATCH. */
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

/* Free a buffer, and post a batch of free buffers once there is one. @held: the
 * buffer held an LLC message.
 */
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
 * smcr_wr_recv_release() - give the receive slot of an LLC message back
 * @recv: the message, which has been handled; its reference to the link is
 *	dropped
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

/* Fail the link, since the peer broke the protocol. */
static void recv_fatal(struct smcr_link *link, const char *what)
{
	/* Log it once: a link that has failed may still receive messages until
	 * its queue is flushed
	 */
	if (smcr_link_state(link) < SMCR_LINK_FAILED)
		net_warn_ratelimited("link %u: %s; the link is closed. The peer's SMC-R is faulty\n",
				     link->num, what);
	smcr_link_fail(link, -EPROTO);
}

/* Queue an LLC message for the group, in its buffer's descriptor. */
static void recv_llc(struct smcr_link *link, struct recv_buf *rbuf,
		     const u8 *msg)
{
	struct smcr_rq *rq = link->rq;

	/* The last reference is gone: link_free_work() drains the link, then
	 * frees it
	 */
	if (!refcount_inc_not_zero(&link->refs))
		return;
	spin_lock_bh(&rq->lock);
	rq->n_held++;
	spin_unlock_bh(&rq->lock);
	memcpy(rbuf->recv.msg, msg, SMCR_ROCE_MSG_LEN);
	rbuf->recv.link = link;
	smcr_llc_recv(&rbuf->recv);
}

/* Handle a receive that is neither a valid LLC nor a valid CDC message. An RDMA
 * write with immediate data comes here too: it completes a receive without
 * writing to its buffer. An LLC message of a wrong length fails the link at
 * once, unless its opcode says that it may be ignored (A.3, C.7.1). All others
 * are counted, and fail the link when there are more than RECV_BAD_MAX.
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
		/* The buffer stays unposted. A link without sends of its own
		 * notices the error state of its queue pair only by the flush
		 * of its receives.
		 */
		smcr_link_fail(link, smcr_wr_errno(wc->status));
		return;
	}
	smcr_wr_stamp(&link->last_rx);
	smcr_wr_count(link, SMCR_MIB_RECVCOMPLETIONS, 1);
	ib_dma_sync_single_for_cpu(smcr_wr_ibdev(link), rq->dma + off,
				   SMCR_WR_STRIDE, DMA_FROM_DEVICE);
	if (wc->opcode != IB_WC_RECV || wc->wc_flags & IB_WC_WITH_IMM ||
	    wc->byte_len != SMCR_ROCE_MSG_LEN) {
		recv_bad(link, wc, msg);
	} else if (*msg >= SMCR_LLC_CLASS_CDC) {
		smcr_wr_stamp(&link->last_cdc);
		if (smcr_cdc_recv(link, msg, SMCR_ROCE_MSG_LEN))
			recv_bad(link, wc, msg);
	} else {
		recv_llc(link, rbuf, msg);
		return;
	}
	rbuf_free(link, rbuf, false);
	/* A consumer cursor may have shown that the peer has handled SENDs.
	 * smcr_wr_consumed() noted that under tx_lock, so the list is read
	 * after any connection that did not see it has been added.
	 */
	if (!list_empty(&link->wr->waiters))
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
 * smcr_wr_recv_close() - stop posting receives
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
 * Return: a power of two. The queue pair has room for one more request, that of
 * the drain.
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
 * smcr_wr_recv_init() - allocate and map the receive queue of a link
 * @link: a new link
 *
 * Context: process.
 * Return: 0 or -ENOMEM; in both cases smcr_wr_recv_unmap() and
 * smcr_wr_recv_free() undo it.
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
 * smcr_wr_recv_unmap() - unmap the buffers
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
