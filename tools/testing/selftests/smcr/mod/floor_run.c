// SPDX-License-Identifier: GPL-2.0
/*
 * The measured part: the data path between two queue pairs, and the ping-pong
 * and the stream that use it. Bytes are copied from user memory into send
 * space, written into the peer's ring by a chain of writes with a message
 * behind it, and copied to user memory there. Completions are handled in
 * softirq, which also sends what the window did not allow before.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

#include "floor.h"

#define FLOOR_MAX_WRITES	4u
/* Largest chain, and most bytes that are copied before a write, as in tx.c */
#define FLOOR_CHAIN_MAX		(512u * 1024)
#define FLOOR_COPY_MAX		(64u * 1024)
#define FLOOR_ORIGIN		4u

/* The message behind each chain of writes; its cursors are plain byte counts */
struct floor_msg {
	u64	prod;
	u64	cons;
	u8	blocked;
	u8	pad[27];
} __packed;

static_assert(sizeof(struct floor_msg) == FLOOR_MSG_LEN);

static u32 ring_len(const struct floor *f)
{
	return f->size - FLOOR_ORIGIN;
}

static u32 ring_off(const struct floor *f, u64 pos)
{
	u32 rem;

	div_u64_rem(pos, ring_len(f), &rem);
	return FLOOR_ORIGIN + rem;
}

/**
 * floor_run_stop() - end the run early
 * @f: this end
 * @err: why; the first call's counts
 *
 * Context: any but hard irq; the lock may be held.
 */
void floor_run_stop(struct floor *f, int err)
{
	if (!READ_ONCE(f->stop))
		WRITE_ONCE(f->stop, err);
	wake_up_all(&f->wait);
}

static int recvs_post(struct floor *f, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		u32 slot = f->free[--f->n_free];

		f->recv_sge[i] = (struct ib_sge){
			.addr = f->msgs_dma + slot * FLOOR_STRIDE,
			.length = FLOOR_STRIDE,
			.lkey = f->pd->local_dma_lkey,
		};
		f->recv_wr[i] = (struct ib_recv_wr){
			.wr_cqe = &f->recv_cqe[slot],
			.sg_list = &f->recv_sge[i],
			.num_sge = 1,
			.next = i + 1 < n ? &f->recv_wr[i + 1] : NULL,
		};
	}
	f->stats.reposts++;
	return ib_post_recv(f->qp, f->recv_wr, NULL);
}

static u32 write_fill(struct floor *f, u64 pos, u32 left, struct ib_cqe *cqe,
		      struct ib_rdma_wr *wr, struct ib_sge *sge)
{
	u32 from = (u32)(pos & (f->size - 1));
	u32 to = ring_off(f, pos);
	u32 len = min3(left, f->size - from, f->size - to);
	bool is_inline = len <= f->max_inline;

	sge->addr = is_inline ? (uintptr_t)f->space + from :
				f->space_dma + from;
	sge->length = len;
	sge->lkey = f->pd->local_dma_lkey;
	memset(wr, 0, sizeof(*wr));
	wr->wr.wr_cqe = cqe;
	wr->wr.opcode = IB_WR_RDMA_WRITE;
	wr->wr.send_flags = is_inline ? IB_SEND_INLINE : 0;
	wr->wr.sg_list = sge;
	wr->wr.num_sge = 1;
	wr->remote_addr = f->peer.addr + to;
	wr->rkey = f->peer.rkey;
	return len;
}

static void msg_fill(struct floor *f, struct floor_msg *msg,
		     struct ib_send_wr *wr, struct ib_sge *sge)
{
	u32 off = (f->head & (FLOOR_SQ - 1)) * FLOOR_STRIDE;

	sge->length = FLOOR_MSG_LEN;
	sge->lkey = f->pd->local_dma_lkey;
	if (f->max_inline >= FLOOR_MSG_LEN) {
		sge->addr = (uintptr_t)msg;
		wr->send_flags |= IB_SEND_INLINE;
	} else {
		memcpy(f->sends + off, msg, FLOOR_MSG_LEN);
		sge->addr = f->sends_dma + off;
	}
	wr->sg_list = sge;
	wr->num_sge = 1;
}

/* Post writes of up to @left bytes and the message behind them, with one
 * doorbell.
 */
static int chain_post(struct floor *f, u32 left, bool blocked)
{
	struct floor_sent *sent = &f->sent[f->head & (FLOOR_SQ - 1)];
	struct ib_rdma_wr writes[FLOOR_MAX_WRITES];
	struct ib_send_wr send = { .opcode = IB_WR_SEND };
	struct ib_sge sge[FLOOR_MAX_WRITES + 1];
	struct floor_msg msg;
	u64 pos = f->nxt;
	u32 n = 0, i;

	while (left && n < FLOOR_MAX_WRITES) {
		u32 len = write_fill(f, pos, left, &sent->cqe, &writes[n],
				     &sge[n]);

		pos += len;
		left -= len;
		n++;
	}
	for (i = 0; i < n; i++)
		writes[i].wr.next = i + 1 < n ? &writes[i + 1].wr : &send;
	memset(&msg, 0, sizeof(msg));
	msg.prod = pos;
	msg.cons = f->cons;
	msg.blocked = blocked;
	send.wr_cqe = &sent->cqe;
	send.send_flags = IB_SEND_SOLICITED;
	msg_fill(f, &msg, &send, &sge[n]);
	n++;
	f->unsignaled += n;
	if (f->unsignaled >= FLOOR_SQ / 2 ||
	    pos - f->signaled >= f->size / 2) {
		send.send_flags |= IB_SEND_SIGNALED;
		/* The completion covers all bytes posted so far */
		f->signaled = pos;
		f->unsignaled = 0;
	}
	f->head += n;
	sent->head = f->head;
	sent->pos = pos;
	f->nxt = pos;
	f->told = f->cons;
	f->blocked = blocked;
	f->stats.doorbells++;
	f->stats.requests += n;
	f->stats.updates += n == 1;
	return ib_post_send(f->qp, n > 1 ? &writes[0].wr : &send, NULL);
}

/* Send what the window allows; @due: send a message in any case. f->lock is
 * held.
 */
static void push_locked(struct floor *f, bool due)
{
	int err = 0;

	lockdep_assert_held(&f->lock);
	while (!err && !f->stop) {
		u32 window = ring_len(f) - (u32)(f->nxt - f->peer_cons);
		u32 left = min_t(u64, f->end - f->nxt, window);
		bool blocked = left == window && f->end - f->nxt > left;

		left = min(left, FLOOR_CHAIN_MAX);
		if (!due && !left && (!blocked || f->blocked))
			break;
		/* Keep room for the largest chain and the drain */
		if (FLOOR_SQ - (f->head - READ_ONCE(f->tail)) <
		    FLOOR_MAX_WRITES + 1)
			break;
		err = chain_post(f, left, blocked);
		due = false;
	}
	if (err)
		floor_run_stop(f, err);
}

static void send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct floor_sent *sent = container_of(wc->wr_cqe, struct floor_sent,
					       cqe);
	struct floor *f = cq->cq_context;

	if (wc->status != IB_WC_SUCCESS) {
		floor_run_stop(f, -EIO);
		return;
	}
	spin_lock(&f->lock);
	f->tail = sent->head;
	f->una = max(f->una, sent->pos);
	f->stats.send_cqes++;
	push_locked(f, false);
	spin_unlock(&f->lock);
	wake_up_interruptible_sync_poll(&f->wait, EPOLLOUT);
}

static void recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct floor *f = cq->cq_context;
	u32 slot = wc->wr_cqe - f->recv_cqe;
	struct floor_msg *msg = (void *)(f->msgs + slot * FLOOR_STRIDE);

	if (wc->status != IB_WC_SUCCESS) {
		floor_run_stop(f, -EIO);
		return;
	}
	ib_dma_sync_single_for_cpu(f->dev, f->msgs_dma + slot * FLOOR_STRIDE,
				   FLOOR_STRIDE, DMA_FROM_DEVICE);
	spin_lock(&f->lock);
	f->peer_cons = msg->cons;
	f->una = max(f->una, msg->cons);
	f->signaled = max(f->signaled, f->una);
	f->peer_blocked = msg->blocked;
	/* The bytes must be visible before the reader sees the position */
	smp_store_release(&f->prod, msg->prod);
	f->stats.recv_cqes++;
	f->free[f->n_free++] = slot;
	if (f->n_free >= FLOOR_RECV_BATCH)
		recvs_post(f, FLOOR_RECV_BATCH);
	push_locked(f, false);
	spin_unlock(&f->lock);
	wake_up_interruptible_sync_poll(&f->wait, EPOLLIN);
}

/**
 * floor_run_prepare() - post all receives, so that the peer may begin
 * @f: this end; its queue pair is in INIT
 *
 * Context: process context; nothing else uses the queue pair yet.
 * Return: 0, or -errno if a receive cannot be posted.
 */
int floor_run_prepare(struct floor *f)
{
	int err = 0;
	u32 i;

	for (i = 0; i < FLOOR_SQ; i++)
		f->sent[i].cqe.done = send_done;
	for (i = 0; i < FLOOR_RQ; i++) {
		f->recv_cqe[i].done = recv_done;
		f->free[f->n_free++] = i;
	}
	while (!err && f->n_free)
		err = recvs_post(f, min(f->n_free, FLOOR_RECV_BATCH));
	return err;
}

static int floor_send(struct floor *f, u32 left)
{
	const u8 __user *from = (u8 __user *)f->user;

	while (left && !f->stop) {
		u32 off = f->end & (f->size - 1);
		u32 room = f->size - (u32)(f->end - READ_ONCE(f->una));
		u32 n = min3(left, room, f->size - off);

		n = min(n, FLOOR_COPY_MAX);
		if (!n) {
			if (wait_event_interruptible(f->wait, f->stop ||
						     f->end - READ_ONCE(f->una)
						     <= f->size / 3 * 2))
				return -EINTR;
			continue;
		}
		if (copy_from_user(f->space + off, from, n))
			return -EFAULT;
		spin_lock_bh(&f->lock);
		f->end += n;
		push_locked(f, false);
		spin_unlock_bh(&f->lock);
		from += n;
		left -= n;
	}
	return f->stop;
}

static int floor_read(struct floor *f, u32 n)
{
	u8 __user *to = (u8 __user *)f->user;
	u32 off = ring_off(f, f->cons);
	u32 first = min(n, f->size - off);
	u32 window;
	bool due;

	if (copy_to_user(to, f->ring + off, first) ||
	    (n > first && copy_to_user(to + first, f->ring + FLOOR_ORIGIN,
				       n - first)))
		return -EFAULT;
	spin_lock_bh(&f->lock);
	f->cons += n;
	window = ring_len(f) - (u32)(f->prod - f->told);
	due = f->peer_blocked ||
	      (window < ring_len(f) / 2 &&
	       (f->cons - f->told) * 10 >= ring_len(f));
	if (due)
		push_locked(f, true);
	spin_unlock_bh(&f->lock);
	return 0;
}

static int floor_recv(struct floor *f, u64 left)
{
	while (left && !f->stop) {
		/* Pairs with the release in recv_done() */
		u64 avail = smp_load_acquire(&f->prod) - f->cons;
		u32 n = min3(avail, left, (u64)floor_user_bytes(f));

		if (!n) {
			if (wait_event_interruptible(f->wait, f->stop ||
						     READ_ONCE(f->prod) !=
						     f->cons))
				return -EINTR;
			continue;
		}
		if (floor_read(f, n))
			return -EFAULT;
		left -= n;
	}
	return f->stop;
}

static int round_rr(struct floor *f, u32 count)
{
	int err = 0;

	while (!err && count--) {
		if (!f->server)
			err = floor_send(f, f->mine.size);
		if (!err)
			err = floor_recv(f, f->mine.size);
		if (!err && f->server)
			err = floor_send(f, f->mine.size);
	}
	return err;
}

static int round_stream(struct floor *f, u32 count)
{
	int err = 0;

	if (f->server) {
		err = floor_recv(f, (u64)count * f->mine.size);
		return err ?: floor_send(f, 1);
	}
	while (!err && count--)
		err = floor_send(f, f->mine.size);
	return err ?: floor_recv(f, 1);
}

/**
 * floor_run_measure() - warm up, then do the measured rounds
 * @f: this end, connected to the other end
 *
 * Context: process context, in the task that owns the memory at @f->user; may
 *	sleep.
 * Return: 0, or -errno if the run was interrupted or failed.
 */
int floor_run_measure(struct floor *f)
{
	int (*round)(struct floor *f, u32 count) =
		f->mine.mode == FLOOR_RR ? round_rr : round_stream;
	u64 ns, tsc;
	int err;

	err = round(f, f->mine.warm);
	if (err)
		return err;
	f->before = f->stats;
	ns = ktime_get_ns();
	tsc = get_cycles();
	err = round(f, f->mine.count);
	f->tsc = get_cycles() - tsc;
	f->ns = ktime_get_ns() - ns;
	return err;
}
