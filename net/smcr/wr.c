// SPDX-License-Identifier: GPL-2.0
/*
 * Send queue of one link. wr_setup.c builds it, wr_chunk.c has the send space,
 * wr_silence.c notices when nothing completes, wr_recv.c has the receive queue,
 * wr_drain.c waits for the last completion of both.
 *
 * Slots. Each work request takes the next slot. Slot numbers only count up, and
 * the queue completes in order, so a completion for one slot covers all slots
 * before it. Few requests ask for a completion:
 *
 *          tail                            head
 *    ------|--------*-----------------*----|------
 *     free   posted; * asks for a           free
 *            completion; never more than
 *            half of the queue without one, and in a group
 *            with other links not for long (wr_silence.c)
 *
 * Only completions move @tail, and those of one completion queue run one at a
 * time, so they need no lock; @head moves under link->tx_lock. A slot may be
 * reused as soon as @tail has passed it.
 *
 * References. The last slot of a batch owns a reference to its connection,
 * dropped when the slot is reclaimed: by a completion of its own or of a later
 * slot, or by smcr_wr_flush() when no completion can come any more. The slots
 * are freed with the link's last reference, after the queue pair and the
 * completion queue are gone, so a late completion never finds freed memory.
 *
 * Receives. A completion means that the peer's adapter has the message, not
 * that the peer has posted another receive. A peer whose softirqs are late runs
 * out of receives, and its adapter then stops the local one for the time of the
 * RNR timer. So the SENDs after the last one that the peer is known to have
 * handled are bounded. The bound assumes that the peer has as many receives as
 * this host:
 *
 *          handled          sends_done          sends
 *    ---------|------------------|----------------|------
 *     receive  at the peer's      posted           window ends
 *     is back  adapter
 *
 * The peer handles messages in order. When a consumer cursor shows that the
 * peer's program has read the bytes which a SEND announced, the peer has
 * handled that SEND and all before it. The reply to a TEST LINK shows the same;
 * the group sends one if no consumer cursor shows enough in time.
 *
 * Probes. Where a switch or a tunnel loses long packets, short ones pass, and
 * the first large write would end the link. So a first contact writes a full
 * packet of zeros, in the same chain as an LLC message. If it is lost, then so
 * is the message, as the queue is ordered. A write of no bytes comes before it:
 * a path that passes this but not the zeros loses long packets, any other one
 * loses all.
 *
 * Only wr_cqe and status of a failed completion are valid.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "conn.h"
#include "ib.h"
#include "lgr.h"
#include "lgr_links.h"
#include "link.h"
#include "llc.h"
#include "mib.h"
#include "smcr.h"
#include "wr.h"
#include "wr_verbs.h"

/* Slots that data leaves for LLC messages, registrations and fences */
#define WR_CTL_SLOTS		16u
/* With fewer free slots than this, replies to the peer's LLC messages wait */
#define WR_ANSWER_SLOTS		8u
/* Slots of the largest batch */
#define WR_BATCH_SLOTS		(SMCR_WR_MAX_WRITES + 1)
/* Slots of a probe */
#define WR_PROBE_SLOTS		2u
/* Time for which a connection that has posted counts as one that sends */
#define WR_SHARE_SPAN		(HZ / 10)

/* Waiting for a slot */

static void wait_add(struct smcr_link *link, struct smcr_conn *conn)
{
	lockdep_assert_held(&link->tx_lock);
	if (test_and_set_bit(SMCR_CONN_F_WAITING, &conn->flags))
		return;
	smcr_conn_get(conn);
	list_add_tail(&conn->wait_node, &link->wr->waiters);
}

static void wait_del(struct smcr_conn *conn)
{
	list_del_init(&conn->wait_node);
	clear_bit(SMCR_CONN_F_WAITING, &conn->flags);
}

static struct smcr_conn *wait_pop(struct smcr_link *link)
{
	struct smcr_conn *conn;

	lockdep_assert_held(&link->tx_lock);
	conn = list_first_entry_or_null(&link->wr->waiters, struct smcr_conn,
					wait_node);
	if (conn)
		wait_del(conn);
	return conn;
}

/**
 * smcr_wr_unwait() - stop waiting for a slot
 * @link: link that the connection leaves
 * @conn: the connection, counted by the caller
 *
 * Context: any but hard irq; the connection's lock held.
 */
void smcr_wr_unwait(struct smcr_link *link, struct smcr_conn *conn)
{
	unsigned long irq;
	bool waited;

	lockdep_assert_held(&conn->lock);
	spin_lock_irqsave(&link->tx_lock, irq);
	waited = test_bit(SMCR_CONN_F_WAITING, &conn->flags);
	if (waited)
		wait_del(conn);
	spin_unlock_irqrestore(&link->tx_lock, irq);
	if (waited)
		smcr_conn_put(conn);
}

/* Free slots, including those for control. */
static u32 wr_room(const struct smcr_wr *wr)
{
	/* Pairs with the release in slots_reclaim(), which has read the slots
	 * before @tail
	 */
	u32 tail = smp_load_acquire(&wr->tail);

	return wr->sq_depth - (READ_ONCE(wr->head) - tail);
}

static u32 wr_unacked(const struct smcr_wr *wr)
{
	return READ_ONCE(wr->sends) - READ_ONCE(wr->sends_done);
}

static u32 wr_unhandled(const struct smcr_wr *wr)
{
	return READ_ONCE(wr->sends) - READ_ONCE(wr->handled);
}

/* Does the peer have receives for one more SEND and @spare others? */
static bool wr_may_send(const struct smcr_wr *wr, u32 spare)
{
	if (wr->window && wr_unhandled(wr) + spare >= wr->window)
		return false;
	return wr_unacked(wr) + spare < READ_ONCE(wr->max_sends);
}

/* Is it time to ask the peer by TEST LINK what it has handled? */
static bool wr_ask(struct smcr_wr *wr)
{
	if (wr->asked || !wr->window || wr_unhandled(wr) < wr->window / 2)
		return false;
	wr->asked = true;
	return true;
}

/* Remember one connection whose consumer cursor will show what the peer has
 * handled; not needed below a quarter of the window. If that connection's
 * reader makes no progress for a quarter of the window, take another one.
 */
static void wr_probe(struct smcr_wr *wr, const struct smcr_wr_batch *batch)
{
	u32 some = wr->window / 4;

	if (!some || !batch->n_writes || !batch->counts ||
	    wr_unhandled(wr) < some ||
	    (wr->probe_conn && wr->sends - wr->probe_send < some))
		return;
	WRITE_ONCE(wr->probe_conn, batch->conn->id);
	wr->probe_pos = batch->pos;
	wr->probe_send = wr->sends;
}

/* The peer has handled @sends SENDs or more. */
static void wr_handled(struct smcr_wr *wr, u32 sends)
{
	if ((s32)(sends - wr->handled) > 0)
		WRITE_ONCE(wr->handled, sends);
}

/**
 * smcr_wr_sends() - number of SENDs posted so far
 * @link: the link
 *
 * Context: any.
 * Return: the number; it wraps at 32 bits.
 */
u32 smcr_wr_sends(struct smcr_link *link)
{
	return READ_ONCE(link->wr->sends);
}

/**
 * smcr_wr_handled() - take note of what the peer has handled
 * @link: the link
 * @sends: SENDs that the peer has handled: what smcr_wr_sends() returned when
 *	the TEST LINK that the peer replied to was posted
 *
 * If that is not enough for the connections that wait, the peer is asked again.
 *
 * Context: process or softirq, no lock of a connection held.
 */
void smcr_wr_handled(struct smcr_link *link, u32 sends)
{
	struct smcr_wr *wr = link->wr;
	unsigned long irq;
	bool ask;

	spin_lock_irqsave(&link->tx_lock, irq);
	wr_handled(wr, sends);
	wr->asked = false;
	ask = !list_empty(&wr->waiters) && wr_ask(wr);
	spin_unlock_irqrestore(&link->tx_lock, irq);
	if (ask)
		smcr_lgr_link_doubtful(link);
	smcr_wr_wake(link);
}

/**
 * smcr_wr_consumed() - take note that the peer's program has read bytes
 * @link: the link
 * @conn: the connection that carried them
 * @pos: the peer's consumer position: all bytes before it are read
 *
 * Wakes no connection. If the CDC message came over @link, too, its completion
 * handler calls smcr_wr_wake() afterwards. If it came over another link, as
 * each end chooses its own, the reply to TEST LINK wakes the connections that
 * wait on @link: wr_ask() has asked for it before they had to wait.
 *
 * Context: softirq; the connection's lock held.
 */
void smcr_wr_consumed(struct smcr_link *link, const struct smcr_conn *conn,
		      u64 pos)
{
	struct smcr_wr *wr = link->wr;
	unsigned long irq;

	lockdep_assert_held(&conn->lock);
	if (READ_ONCE(wr->probe_conn) != conn->id)
		return;
	spin_lock_irqsave(&link->tx_lock, irq);
	if (wr->probe_conn == conn->id && pos >= wr->probe_pos) {
		wr_handled(wr, wr->probe_send);
		WRITE_ONCE(wr->probe_conn, 0);
	}
	spin_unlock_irqrestore(&link->tx_lock, irq);
}

/* Is there room for a batch of @n requests, beside what LLC messages need? */
static bool wr_has_room(const struct smcr_wr *wr, u32 n)
{
	return wr_room(wr) >= n + WR_CTL_SLOTS &&
	       wr_may_send(wr, SMCR_WR_CTL_SENDS);
}

/* May a batch of @bytes be posted, as far as other bytes are concerned? It must
 * be if no completion is to come that would wake those who wait.
 */
static bool wr_admits(const struct smcr_wr *wr, u32 bytes)
{
	return smcr_share_admits(&wr->share, bytes,
				 READ_ONCE(wr->bytes_done)) ||
	       !smcr_silence_waits(&wr->silence, READ_ONCE(wr->tail));
}

/* May a connection post a batch of @n requests now? Connections that wait come
 * first, and the one whose turn it is may go on until its bytes are used up
 * (share.c). A small batch does not wait for other connections, as long as it
 * leaves room for what they wait to post.
 */
static bool wr_may_post(struct smcr_link *link,
			const struct smcr_wr_batch *batch, u32 n)
{
	struct smcr_conn *conn = batch->conn;
	struct smcr_wr *wr = link->wr;
	bool turn = wr->turn == conn && conn->turn_left > 0;

	lockdep_assert_held(&link->tx_lock);
	if (smcr_share_sends(&wr->share, conn->id, jiffies, WR_SHARE_SPAN,
			     atomic_read(&link->n_conns) < 2) &&
	    batch->bytes <= SMCR_SHARE_SMALL &&
	    wr_has_room(wr, n + WR_BATCH_SLOTS))
		return true;
	if ((turn || list_empty(&wr->waiters)) && wr_has_room(wr, n) &&
	    wr_admits(wr, batch->bytes)) {
		if (turn)
			conn->turn_left -= batch->bytes;
		return true;
	}
	if (wr->turn == conn)
		wr->turn = NULL;
	return false;
}

/* A connection has to wait. Return: a completion must be requested for all that
 * is posted.
 */
static bool wr_wait(struct smcr_link *link, const struct smcr_wr_batch *batch)
{
	struct smcr_wr *wr = link->wr;

	wait_add(link, batch->conn);
	if (smcr_share_admits(&wr->share, batch->bytes,
			      READ_ONCE(wr->bytes_done)))
		return false;
	smcr_wr_count(link, SMCR_MIB_TXTURNS, 1);
	return smcr_share_drains(&wr->share, ktime_get_ns());
}

/* What has completed tells how fast the link is. */
static void wr_look(struct smcr_wr *wr)
{
	if (smcr_share_looks(&wr->share))
		smcr_share_look(&wr->share, ktime_get_ns(),
				READ_ONCE(wr->bytes_done), READ_ONCE(wr->tail),
				!list_empty(&wr->waiters));
}

static bool llc_post_waiting(struct smcr_link *link);

/**
 * smcr_wr_wake() - let post what waits: LLC messages, then the connections,
 *	one turn each
 * @link: the link
 *
 * A connection that finds no room puts itself on the list under tx_lock. So
 * this function looks at the list under tx_lock, too: @tail moves without the
 * lock, and a look that came after @tail has moved, but before the connection
 * is on the list, would miss it, perhaps with the last completion outstanding.
 * Before each wake-up there is room for the largest batch: no connection is
 * woken in vain, and the loop ends.
 *
 * Context: softirq or process; no lock of a connection held.
 */
void smcr_wr_wake(struct smcr_link *link)
{
	struct smcr_wr *wr = link->wr;
	struct smcr_conn *conn;
	unsigned long irq;
	bool report;

	do {
		conn = NULL;
		spin_lock_irqsave(&link->tx_lock, irq);
		report = wr->llc_n && llc_post_waiting(link);
		wr_look(wr);
		if (wr_has_room(wr, WR_BATCH_SLOTS) &&
		    wr_admits(wr, SMCR_SHARE_TURN))
			conn = wait_pop(link);
		if (conn)
			smcr_share_turn(&conn->turn_left);
		wr->turn = conn;
		spin_unlock_irqrestore(&link->tx_lock, irq);
		if (report)
			smcr_link_report(link);
		if (conn) {
			smcr_conn_tx_ready(conn);
			smcr_conn_put(conn);
		}
	} while (conn);
}

/* Completions of the send queue */

/**
 * struct wr_run - adjacent slots of one connection, reported to it in one call
 * @conn: the connection with a reference, or NULL
 * @pos: position of the last slot
 * @seq: sequence number of its message
 */
struct wr_run {
	struct smcr_conn	*conn;
	u64			pos;
	u16			seq;
};

static void run_end(const struct smcr_link *link, struct wr_run *run, int err)
{
	if (!run->conn)
		return;
	if (!err)
		smcr_conn_sent(run->conn, link, run->pos, run->seq);
	smcr_conn_put(run->conn);
	run->conn = NULL;
}

/* Take over a slot's reference to its connection. */
static void run_add(const struct smcr_link *link, struct wr_run *run,
		    const struct smcr_wr_slot *slot, int err)
{
	if (!slot->counts) {
		smcr_conn_put(slot->conn);
		return;
	}
	if (run->conn == slot->conn)
		smcr_conn_put(slot->conn);	/* the run owns one already */
	else
		run_end(link, run, err);
	run->conn = slot->conn;
	run->pos = slot->pos;
	run->seq = slot->seq;
}

/* The peer has got packets of a length. */
static void link_passed(struct smcr_link *link, enum smcr_link_passed passed)
{
	if (link->passed < passed)
		WRITE_ONCE(link->passed, passed);
}

/* Reclaim the slots before @end. @err is 0 if all of their requests succeeded.
 * Called by completions (one at a time) and, after the last of them, by
 * smcr_wr_flush(); BH disabled, no lock of the link held.
 */
static void slots_reclaim(struct smcr_link *link, u32 end, int err)
{
	struct smcr_wr *wr = link->wr;
	struct wr_run run = {};
	u32 i;

	lockdep_assert_in_softirq();
	lockdep_assert_not_held(&link->tx_lock);
	for (i = wr->tail; i != end; i++) {
		struct smcr_wr_slot slot = wr->slots[i & (wr->sq_depth - 1)];

		if (slot.kind == SMCR_WR_CDC || slot.kind == SMCR_WR_LLC)
			WRITE_ONCE(wr->sends_done, wr->sends_done + 1);
		WRITE_ONCE(wr->bytes_done, wr->bytes_done + slot.bytes);
		/* From here on another request may take the slot */
		smp_store_release(&wr->tail, i + 1);
		switch (slot.kind) {
		case SMCR_WR_LONG:
			if (!err)
				link_passed(link, SMCR_LINK_P_FULL);
			fallthrough;
		case SMCR_WR_CDC:
		case SMCR_WR_WRITE:
			if (slot.conn)
				run_add(link, &run, &slot, err);
			break;
		case SMCR_WR_LLC:
			if (!err)
				link_passed(link, SMCR_LINK_P_SHORT);
			if (slot.cookie)
				smcr_llc_sent(link, slot.cookie, err);
			break;
		case SMCR_WR_REG:
			slot.reg->done(slot.reg, err);
			break;
		case SMCR_WR_PROBE:
			if (!err)
				link_passed(link, slot.cookie);
			break;
		case SMCR_WR_FENCE:
			break;
		}
	}
	run_end(link, &run, err);
}

/* Does this request fill a packet? */
static bool slot_is_long(const struct smcr_wr_slot *slot)
{
	return slot->kind == SMCR_WR_LONG ||
	       (slot->kind == SMCR_WR_PROBE &&
		slot->cookie == SMCR_LINK_P_FULL);
}

/* A queue pair has run out of retries for a request: has it failed because of
 * the length of a packet? Not if a request before it filled a packet, too: the
 * peer has got that, although it has asked for no completion. The packet may
 * also be one of the peer's, whose queue pair has failed first.
 */
static void note_lost(struct smcr_link *link, const struct smcr_wr_slot *slot)
{
	const struct smcr_wr *wr = link->wr;
	const struct smcr_wr_slot *first;
	u32 i = wr->tail;

	if (smcr_link_state(link) >= SMCR_LINK_FAILED)
		return;
	if (READ_ONCE(link->inbound) == SMCR_LINK_I_ACCUSED)
		set_bit(SMCR_LINK_F_LONG_LOST, &link->flags);
	if (!slot_is_long(slot) || link->passed != SMCR_LINK_P_SHORT)
		return;
	/* At the latest, this ends at @slot itself */
	do
		first = &wr->slots[i++ & (wr->sq_depth - 1)];
	while (!slot_is_long(first));
	if (first == slot)
		set_bit(SMCR_LINK_F_LONG_LOST, &link->flags);
}

/**
 * smcr_wr_long_waits() - does a link perhaps lose long packets?
 * @link: a link on which nothing has completed for long
 *
 * Context: any; tx_lock held.
 * Return: true if a request that fills a packet is outstanding, and no such
 * request has ever completed, but shorter ones have; or if the peer's are lost,
 * as it seems.
 */
bool smcr_wr_long_waits(const struct smcr_link *link)
{
	const struct smcr_wr *wr = link->wr;
	u32 i;

	lockdep_assert_held(&link->tx_lock);
	if (READ_ONCE(link->inbound) == SMCR_LINK_I_ACCUSED)
		return true;
	if (READ_ONCE(link->passed) != SMCR_LINK_P_SHORT)
		return false;
	/* Posts are excluded, and completions do not change a slot */
	for (i = smp_load_acquire(&wr->tail); i != wr->head; i++)
		if (slot_is_long(&wr->slots[i & (wr->sq_depth - 1)]))
			return true;
	return false;
}

/**
 * smcr_wr_errno() - the errno for a failed completion
 * @status: its status
 *
 * Context: any.
 * Return: -errno, which the link's connections report.
 */
int smcr_wr_errno(enum ib_wc_status status)
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

/**
 * smcr_wr_send_done() - handle a completion of the send queue
 * @cq: the completion queue
 * @wc: the completion; it covers its request and all requests before
 *
 * Context: softirq; completions of one queue run one at a time.
 */
void smcr_wr_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smcr_wr_slot *slot = container_of(wc->wr_cqe,
						 struct smcr_wr_slot, cqe);
	struct smcr_link *link = cq->cq_context;
	struct smcr_wr *wr = link->wr;
	u32 posted, ahead;
	int err = 0;

	if (wc->status != IB_WC_SUCCESS) {
		err = smcr_wr_errno(wc->status);
		if (wc->status == IB_WC_RETRY_EXC_ERR)
			note_lost(link, slot);
		smcr_link_fail(link, err);
	} else {
		smcr_wr_stamp(&link->last_tx);
		if (slot->kind <= SMCR_WR_FENCE)
			smcr_wr_count(link, SMCR_MIB_SENDCOMPLETIONS, 1);
	}
	/* A completion for a slot that is not posted would reclaim slots that
	 * are in use.
	 */
	ahead = (u32)(slot - wr->slots) - wr->tail;
	ahead &= wr->sq_depth - 1;
	posted = READ_ONCE(wr->head) - wr->tail;
	if (WARN_ON_ONCE(ahead >= posted))
		return;
	slots_reclaim(link, wr->tail + ahead + 1, err);
	smcr_wr_wake(link);
	smcr_wr_chunks_spill(wr, SMCR_WR_CHUNK_BYTES_KEPT);
}

/* Posting */

static struct smcr_wr_slot *slot_next(struct smcr_wr *wr, u32 i,
				      enum smcr_wr_kind kind)
{
	struct smcr_wr_slot *slot;

	slot = &wr->slots[(wr->head + i) & (wr->sq_depth - 1)];
	slot->kind = kind;
	slot->conn = NULL;
	slot->reg = NULL;
	slot->cookie = 0;
	slot->bytes = 0;
	return slot;
}

static int gate_check(const struct smcr_link *link)
{
	lockdep_assert_held(&link->tx_lock);
	if (link->gate_open)
		return 0;
	return link->fail_errno ?: -ENOTCONN;
}

/* Post @n requests whose slots are filled in; the last one asks for a
 * completion if @signaled. Returns how many were posted; if fewer than @n, the
 * caller fails the link. @head moves first, since completions may come before
 * ib_post_send() returns.
 */
static u32 chain_post(struct smcr_link *link, const struct ib_send_wr *first,
		      u32 n, bool signaled, int *err)
{
	const struct ib_send_wr *bad = first, *cur;
	struct smcr_wr *wr = link->wr;
	u32 posted = 0;

	lockdep_assert_held(&link->tx_lock);
	WRITE_ONCE(wr->head, wr->head + n);
	wr->unsignaled = signaled ? 0 : wr->unsignaled + n;
	if (signaled)
		smcr_share_asked(&wr->share);
	smcr_wr_silence_posted(link, signaled);
	*err = ib_post_send(link->qp, first, &bad);
	if (likely(!*err))
		return n;
	for (cur = first; cur && cur != bad; cur = cur->next)
		posted++;
	WRITE_ONCE(wr->head, wr->head - (n - posted));
	return posted;
}

static void message_sge(struct smcr_link *link, const struct smcr_wr_slot *slot,
			const u8 *msg, struct ib_send_wr *send,
			struct ib_sge *sge)
{
	struct smcr_wr *wr = link->wr;
	u32 off = (slot - wr->slots) * SMCR_WR_STRIDE;

	send->sg_list = sge;
	send->num_sge = 1;
	if (!wr->send_buf) {
		send->send_flags |= IB_SEND_INLINE;
		smcr_wr_sge_inline(sge, msg, SMCR_ROCE_MSG_LEN);
		return;
	}
	memcpy(wr->send_buf + off, msg, SMCR_ROCE_MSG_LEN);
	ib_dma_sync_single_for_device(smcr_wr_ibdev(link), wr->send_dma + off,
				      SMCR_ROCE_MSG_LEN, DMA_TO_DEVICE);
	smcr_wr_sge_dma(sge, link, wr->send_dma + off, SMCR_ROCE_MSG_LEN);
}

/**
 * struct wr_writes - a batch's RDMA writes, but for their slots
 * @wrs: the requests
 * @sges: their scatter entries
 * @kinds: what they are
 */
struct wr_writes {
	struct ib_rdma_wr	wrs[SMCR_WR_MAX_WRITES];
	struct ib_sge		sges[SMCR_WR_MAX_WRITES][SMCR_WR_MAX_SGE];
	enum smcr_wr_kind	kinds[SMCR_WR_MAX_WRITES];
};

static u32 write_len(const struct smcr_wr_write *write)
{
	u32 i, len = 0;

	for (i = 0; i < write->n_sge; i++)
		len += write->sge[i].len;
	return len;
}

static void write_build(const struct smcr_link *link, struct wr_writes *writes,
			u32 i, const struct smcr_wr_write *write)
{
	u32 j, len = write_len(write);
	bool is_inline = len <= link->max_inline;
	struct ib_rdma_wr *wr = &writes->wrs[i];
	struct ib_sge *sge = writes->sges[i];

	for (j = 0; j < write->n_sge; j++) {
		const struct smcr_wr_sge *from = &write->sge[j];

		if (is_inline) {
			smcr_wr_sge_inline(&sge[j], from->vaddr, from->len);
			continue;
		}
		ib_dma_sync_single_for_device(smcr_wr_ibdev(link), from->dma,
					      from->len, DMA_TO_DEVICE);
		smcr_wr_sge_dma(&sge[j], link, from->dma, from->len);
	}
	writes->kinds[i] = len >= smcr_mtu_bytes(link->mtu) ? SMCR_WR_LONG :
							      SMCR_WR_WRITE;
	wr->wr.opcode = IB_WR_RDMA_WRITE;
	wr->wr.send_flags = is_inline ? IB_SEND_INLINE : 0;
	wr->wr.ex.imm_data = 0;
	wr->wr.sg_list = sge;
	wr->wr.num_sge = write->n_sge;
	wr->remote_addr = write->raddr;
	wr->rkey = write->rkey;
}

static void writes_build(const struct smcr_link *link,
			 const struct smcr_wr_batch *batch,
			 struct wr_writes *writes)
{
	u32 i;

	for (i = 0; i < batch->n_writes; i++)
		write_build(link, writes, i, &batch->writes[i]);
}

/* Build the writes of a batch before tx_lock is taken, since the connections of
 * a link wait for each other there. Returns false if they are not built: they
 * will be under the lock if the batch can be posted after all.
 *
 * The link may fail meanwhile, and its device be removed. But what is synced
 * stays mapped, and the device is there, until smcr_chunks_unmap() has waited
 * for all who have found the gate open.
 */
static bool writes_prepare(const struct smcr_link *link,
			   const struct smcr_wr_batch *batch,
			   struct wr_writes *writes)
{
	bool open;

	/* It most likely goes on waiting. */
	if (test_bit(SMCR_CONN_F_WAITING, &batch->conn->flags))
		return false;
	rcu_read_lock();
	/* Pairs with link_event() */
	open = smp_load_acquire(&link->gate_open);
	if (open)
		writes_build(link, batch, writes);
	rcu_read_unlock();
	return open;
}

/* Give the writes their slots, and chain them before @send. */
static struct ib_send_wr *writes_chain(struct smcr_wr *wr,
				       struct wr_writes *writes, u32 n,
				       struct ib_send_wr *send)
{
	u32 i;

	for (i = 0; i < n; i++) {
		struct ib_send_wr *cur = &writes->wrs[i].wr;

		cur->wr_cqe = &slot_next(wr, i, writes->kinds[i])->cqe;
		cur->next = i + 1 < n ? &writes->wrs[i + 1].wr : send;
	}
	return n ? &writes->wrs[0].wr : send;
}

static u32 batch_len(const struct smcr_wr_batch *batch)
{
	return batch->n_writes + batch->message;
}

/* Give the last slot of a batch its reference to the connection. */
static void batch_own(struct smcr_wr_slot *slot,
		      const struct smcr_wr_batch *batch)
{
	slot->conn = smcr_conn_get(batch->conn);
	slot->counts = batch->counts;
	slot->pos = batch->pos;
	slot->seq = batch->seq;
	slot->bytes = batch->bytes;
}

/* A batch was posted in part: the reference goes to the last slot that was,
 * since the adapter may read the connection's send space until the drain. A
 * completion of that slot has to wait for tx_lock before it fails the link.
 */
static void batch_own_part(struct smcr_wr *wr, struct smcr_conn *conn)
{
	struct smcr_wr_slot *slot;

	slot = &wr->slots[(wr->head - 1) & (wr->sq_depth - 1)];
	slot->conn = conn;
	slot->counts = false;
}

/* Post a fence, whose time in the queue share.c wants to know. */
static int batch_probe(struct smcr_link *link)
{
	struct ib_rdma_wr write = {
		.wr.opcode	= IB_WR_RDMA_WRITE,
		.wr.send_flags	= IB_SEND_SIGNALED,
	};
	struct smcr_wr *wr = link->wr;
	int err;

	write.wr.wr_cqe = &slot_next(wr, 0, SMCR_WR_FENCE)->cqe;
	smcr_share_probed(&wr->share, ktime_get_ns(), wr->head + 1);
	chain_post(link, &write.wr, 1, true, &err);
	if (!err) {
		smcr_wr_count(link, SMCR_MIB_DOORBELLS, 1);
		smcr_wr_count(link, SMCR_MIB_WORKREQUESTS, 1);
	}
	return err;
}

/* Build the message behind @batch's writes. */
static void batch_message(struct smcr_link *link, struct smcr_wr_batch *batch,
			  struct ib_send_wr *send, struct ib_sge *sge)
{
	struct smcr_wr *wr = link->wr;
	struct smcr_wr_slot *slot;

	WRITE_ONCE(wr->sends, wr->sends + 1);
	wr_probe(wr, batch);
	slot = slot_next(wr, batch->n_writes, SMCR_WR_CDC);
	batch_own(slot, batch);
	send->wr_cqe = &slot->cqe;
	send->send_flags = IB_SEND_SOLICITED;
	message_sge(link, slot, batch->cdc, send, sge);
}

static int batch_post(struct smcr_link *link, struct smcr_wr_batch *batch,
		      struct wr_writes *writes, bool *unused_ref)
{
	struct ib_send_wr send = { .opcode = IB_WR_SEND };
	struct ib_send_wr *first, *last = &send;
	u32 n = batch_len(batch), posted;
	struct smcr_wr *wr = link->wr;
	struct ib_sge sge;
	bool signal;
	int err;

	lockdep_assert_held(&link->tx_lock);
	if (unlikely(smcr_share_probes(&wr->share, batch->bytes))) {
		err = batch_probe(link);
		if (err)
			return err;
	}
	first = writes_chain(wr, writes, batch->n_writes,
			     batch->message ? &send : NULL);
	if (batch->message) {
		batch_message(link, batch, &send, &sge);
	} else {
		last = &writes->wrs[batch->n_writes - 1].wr;
		batch_own(container_of(last->wr_cqe, struct smcr_wr_slot, cqe),
			  batch);
	}
	signal = smcr_share_posted(&wr->share, batch->bytes);
	signal |= smcr_wr_silence_asks(link, batch->bytes) || batch->signal ||
		  wr->unsignaled + n >= wr->signal_at;
	if (signal)
		last->send_flags |= IB_SEND_SIGNALED;
	posted = chain_post(link, first, n, signal, &err);
	batch->part = posted && err;
	if (unlikely(posted && posted < n))
		batch_own_part(wr, batch->conn);
	*unused_ref = !posted;
	return err;
}

/**
 * smcr_wr_post() - send RDMA writes and the CDC message behind them
 * @link: the link
 * @batch: what to send; the bytes that it points to must stay until the
 *	requests are complete, the structure itself need not
 *
 * All requests go out with one doorbell, in this order on the wire. If only
 * some of them can be posted the link fails, so that no later CDC message
 * announces bytes that were not written.
 *
 * Context: softirq or BH disabled; the connection's lock held. Does not call
 * back into the connection.
 * Return: 0; -EAGAIN if there are too few slots, or too many bytes of several
 * connections in flight, or if other connections wait already: the connection
 * waits, and smcr_conn_tx_ready() is called when it is its turn; otherwise why
 * the link is closed.
 */
int smcr_wr_post(struct smcr_link *link, struct smcr_wr_batch *batch)
{
	bool unused_ref = false, report = false, drain = false, built, ask;
	struct wr_writes writes __uninitialized;
	u32 n = batch_len(batch);
	unsigned long irq;
	int err;

	lockdep_assert_held(&batch->conn->lock);
	batch->part = false;
	if (WARN_ON_ONCE(!n || batch->n_writes > SMCR_WR_MAX_WRITES))
		return -EINVAL;
	built = writes_prepare(link, batch, &writes);
	spin_lock_irqsave(&link->tx_lock, irq);
	err = gate_check(link);
	if (!err && !wr_may_post(link, batch, n)) {
		drain = wr_wait(link, batch);
		err = -EAGAIN;
	} else if (!err) {
		if (unlikely(!built))
			writes_build(link, batch, &writes);
		err = batch_post(link, batch, &writes, &unused_ref);
		if (err)
			report = smcr_link_fail_locked(link, err);
	}
	ask = wr_ask(link->wr);
	spin_unlock_irqrestore(&link->tx_lock, irq);
	if (unlikely(ask))
		smcr_lgr_link_doubtful(link);
	/* Without a free slot, a request that asks is outstanding. */
	if (unlikely(drain))
		smcr_wr_post_fence(link);
	if (unlikely(err)) {
		if (unused_ref)
			smcr_conn_put(batch->conn);
		if (report)
			smcr_link_report(link);
		return err;
	}
	smcr_wr_count(link, SMCR_MIB_DOORBELLS, 1);
	smcr_wr_count(link, SMCR_MIB_WORKREQUESTS, n);
	return 0;
}

/* Post one request outside of the data path; it always asks for a completion.
 * The caller holds tx_lock, and this function drops it.
 */
static int control_post(struct smcr_link *link, struct ib_send_wr *send,
			unsigned long irq)
	__releases(&link->tx_lock)
{
	bool report = false;
	int err;

	lockdep_assert_held(&link->tx_lock);
	send->send_flags |= IB_SEND_SIGNALED;
	chain_post(link, send, 1, true, &err);
	if (err)
		report = smcr_link_fail_locked(link, err);
	spin_unlock_irqrestore(&link->tx_lock, irq);
	if (report)
		smcr_link_report(link);
	return err;
}

static int control_check(const struct smcr_link *link)
{
	int err;

	lockdep_assert_held(&link->tx_lock);
	err = gate_check(link);
	if (err)
		return err;
	return wr_room(link->wr) ? 0 : -EAGAIN;
}

/**
 * smcr_wr_may_answer() - is there room for the reply to an LLC message?
 * @link: the link
 *
 * A peer that sends a request has a receive for the reply, so the bound on
 * SENDs that it may not have handled does not count here.
 *
 * Context: any; a hint.
 * Return: false while too many messages to the peer are unacknowledged.
 */
bool smcr_wr_may_answer(const struct smcr_link *link)
{
	const struct smcr_wr *wr = link->wr;

	return wr_room(wr) >= WR_ANSWER_SLOTS && !READ_ONCE(wr->llc_n) &&
	       wr_unacked(wr) < READ_ONCE(wr->max_sends);
}

/**
 * smcr_wr_post_fence() - have all posted requests reclaimed soon
 * @link: the link
 *
 * Posts an RDMA write of no bytes, which touches no memory (its RKey is not
 * checked), unless the last posted request asks for a completion.
 *
 * Context: any but hard irq; the connection's lock may be held.
 * Return: 0; -EAGAIN if no slot is free; otherwise why the link is closed.
 */
int smcr_wr_post_fence(struct smcr_link *link)
{
	struct ib_rdma_wr write = { .wr.opcode = IB_WR_RDMA_WRITE };
	unsigned long irq;
	int err;

	spin_lock_irqsave(&link->tx_lock, irq);
	err = control_check(link);
	if (err || !link->wr->unsignaled) {
		spin_unlock_irqrestore(&link->tx_lock, irq);
		return err;
	}
	write.wr.wr_cqe = &slot_next(link->wr, 0, SMCR_WR_FENCE)->cqe;
	err = control_post(link, &write.wr, irq);
	if (!err) {
		smcr_wr_count(link, SMCR_MIB_DOORBELLS, 1);
		smcr_wr_count(link, SMCR_MIB_WORKREQUESTS, 1);
	}
	return err;
}

/**
 * struct probe_wrs - the requests of a probe
 * @none: write of no bytes
 * @full: write of a full packet
 * @sge: its zeros
 */
struct probe_wrs {
	struct ib_rdma_wr	none;
	struct ib_rdma_wr	full;
	struct ib_sge		sge;
};

static struct ib_send_wr *probe_write(struct smcr_link *link, u32 i,
				      struct ib_rdma_wr *write,
				      enum smcr_link_passed shows)
{
	struct smcr_wr_slot *slot = slot_next(link->wr, i, SMCR_WR_PROBE);

	slot->cookie = shows;
	*write = (struct ib_rdma_wr) {
		.wr.opcode	= IB_WR_RDMA_WRITE,
		.wr.wr_cqe	= &slot->cqe,
		.wr.send_flags	= IB_SEND_SIGNALED,
	};
	return &write->wr;
}

/* Chain a probe before @send. */
static struct ib_send_wr *probe_build(struct smcr_link *link,
				      const struct smcr_wr_probe *probe,
				      struct probe_wrs *wrs,
				      struct ib_send_wr *send)
{
	struct ib_send_wr *none, *full;

	none = probe_write(link, 0, &wrs->none, SMCR_LINK_P_SHORT);
	full = probe_write(link, 1, &wrs->full, SMCR_LINK_P_FULL);
	smcr_wr_sge_dma(&wrs->sge, link, link->wr->zero_dma,
			smcr_mtu_bytes(link->mtu));
	full->sg_list = &wrs->sge;
	full->num_sge = 1;
	wrs->full.remote_addr = probe->raddr;
	wrs->full.rkey = probe->rkey;
	none->next = full;
	full->next = send;
	return none;
}

/* May an LLC message be posted now? The window bounds data only, which leaves
 * room for LLC messages: a peer that sends more requests has the receives for
 * the replies.
 */
static bool llc_has_room(const struct smcr_wr *wr,
			 const struct smcr_wr_probe *probe)
{
	u32 slots = probe ? WR_PROBE_SLOTS + 1 : 1;

	return wr_room(wr) >= slots && wr_unacked(wr) < wr->max_sends;
}

static int llc_post(struct smcr_link *link, const u8 *msg, u32 cookie,
		    const struct smcr_wr_probe *probe)
{
	struct ib_send_wr send = {
		.opcode		= IB_WR_SEND,
		.send_flags	= IB_SEND_SOLICITED | IB_SEND_SIGNALED,
	};
	u32 before = probe ? WR_PROBE_SLOTS : 0;
	struct ib_send_wr *first = &send;
	struct smcr_wr_slot *slot;
	struct probe_wrs wrs;
	struct ib_sge sge;
	int err;

	lockdep_assert_held(&link->tx_lock);
	WRITE_ONCE(link->wr->sends, link->wr->sends + 1);
	if (probe)
		first = probe_build(link, probe, &wrs, &send);
	slot = slot_next(link->wr, before, SMCR_WR_LLC);
	slot->cookie = cookie;
	send.wr_cqe = &slot->cqe;
	message_sge(link, slot, msg, &send, &sge);
	chain_post(link, first, before + 1, true, &err);
	return err;
}

/* Keep an LLC message until there is room for it. */
static int llc_keep(struct smcr_wr *wr, const u8 *msg, u32 cookie,
		    const struct smcr_wr_probe *probe)
{
	struct smcr_wr_llc *llc;

	if (wr->llc_n == SMCR_WR_LLC_WAIT)
		return -EAGAIN;
	llc = &wr->llc[(wr->llc_first + wr->llc_n) % SMCR_WR_LLC_WAIT];
	memcpy(llc->msg, msg, sizeof(llc->msg));
	llc->cookie = cookie;
	llc->probe = probe;
	WRITE_ONCE(wr->llc_n, wr->llc_n + 1);
	return 0;
}

/* Take the oldest LLC message that waits; it stays valid under tx_lock. */
static const struct smcr_wr_llc *llc_take(struct smcr_wr *wr)
{
	const struct smcr_wr_llc *llc = &wr->llc[wr->llc_first];

	wr->llc_first = (wr->llc_first + 1) % SMCR_WR_LLC_WAIT;
	WRITE_ONCE(wr->llc_n, wr->llc_n - 1);
	return llc;
}

/* Post the LLC messages that wait, as far as there is room. Return: the caller
 * has to report that the link has failed.
 */
static bool llc_post_waiting(struct smcr_link *link)
{
	struct smcr_wr *wr = link->wr;
	const struct smcr_wr_llc *llc;
	int err = 0;

	lockdep_assert_held(&link->tx_lock);
	while (!err && !gate_check(link) && wr->llc_n &&
	       llc_has_room(wr, wr->llc[wr->llc_first].probe)) {
		llc = llc_take(wr);
		err = llc_post(link, llc->msg, llc->cookie, llc->probe);
	}
	return err && smcr_link_fail_locked(link, err);
}

/* The link is drained: no message that waits is sent any more. */
static void llc_drop_waiting(struct smcr_link *link)
{
	unsigned long irq;
	u32 cookie;
	bool any;

	do {
		cookie = 0;
		spin_lock_irqsave(&link->tx_lock, irq);
		any = link->wr->llc_n;
		if (any)
			cookie = llc_take(link->wr)->cookie;
		spin_unlock_irqrestore(&link->tx_lock, irq);
		if (cookie)
			smcr_llc_sent(link, cookie, -ENOTCONN);
	} while (any);
}

/**
 * smcr_wr_post_llc() - send an LLC message
 * @link: the link; with a probe, it has carried no data yet
 * @msg: its 44 bytes; copied
 * @cookie: for smcr_llc_sent(), or 0 for no such call
 * @probe: where to write a full packet first, or NULL for none; must stay as
 *	long as the link
 *
 * If a probe's packet is lost, the message is lost, too.
 *
 * A message that finds no slot, or too many SENDs outstanding, waits for a
 * completion, and later messages behind it.
 *
 * Context: any but hard irq.
 * Return: 0; -EAGAIN if too many messages wait; otherwise why the link is
 * closed. On an error smcr_llc_sent() is not called.
 */
int smcr_wr_post_llc(struct smcr_link *link, const u8 *msg, u32 cookie,
		     const struct smcr_wr_probe *probe)
{
	struct smcr_wr *wr = link->wr;
	bool report = false;
	unsigned long irq;
	int err;

	spin_lock_irqsave(&link->tx_lock, irq);
	err = gate_check(link);
	if (!err && (wr->llc_n || !llc_has_room(wr, probe))) {
		err = llc_keep(wr, msg, cookie, probe);
	} else if (!err) {
		err = llc_post(link, msg, cookie, probe);
		if (err)
			report = smcr_link_fail_locked(link, err);
	}
	spin_unlock_irqrestore(&link->tx_lock, irq);
	if (report)
		smcr_link_report(link);
	return err;
}

/**
 * smcr_wr_post_reg() - register a memory region for the peer's writes
 * @link: a link from READY on
 * @reg: the region
 *
 * Context: any but hard irq.
 * Return: 0; -EAGAIN if no slot is free; otherwise why the link is closed. On
 * an error @reg->done is not called.
 */
int smcr_wr_post_reg(struct smcr_link *link, struct smcr_wr_reg *reg)
{
	struct ib_reg_wr wr = {
		.wr.opcode	= IB_WR_REG_MR,
		.mr		= reg->mr,
		.key		= reg->mr->rkey,
		.access		= IB_ACCESS_LOCAL_WRITE |
				  IB_ACCESS_REMOTE_WRITE,
	};
	struct smcr_wr_slot *slot;
	unsigned long irq;
	int err;

	spin_lock_irqsave(&link->tx_lock, irq);
	err = control_check(link);
	if (err) {
		spin_unlock_irqrestore(&link->tx_lock, irq);
		return err;
	}
	slot = slot_next(link->wr, 0, SMCR_WR_REG);
	slot->reg = reg;
	wr.wr.wr_cqe = &slot->cqe;
	return control_post(link, &wr.wr, irq);
}

/* Teardown, in the order that link.c documents */

static void waiters_drop(struct smcr_link *link)
{
	struct smcr_conn *conn;
	unsigned long irq;

	do {
		spin_lock_irqsave(&link->tx_lock, irq);
		conn = wait_pop(link);
		spin_unlock_irqrestore(&link->tx_lock, irq);
		if (conn)
			smcr_conn_put(conn);
	} while (conn);
}

/**
 * smcr_wr_flush() - drop what waits, and the references that send slots own
 * @link: link that is drained, or has no queue pair and completion queue;
 *	smcr_wr_init() may have failed
 *
 * No completion can come any more, so this function may move @tail. The slots
 * that are left succeeded without asking for a completion, or failed without
 * reporting one.
 *
 * Context: process.
 */
void smcr_wr_flush(struct smcr_link *link)
{
	struct smcr_wr *wr = link->wr;

	if (!wr)
		return;
	local_bh_disable();
	slots_reclaim(link, wr->head, -ENOTCONN);
	llc_drop_waiting(link);
	local_bh_enable();
	waiters_drop(link);
	spin_lock_bh(&wr->chunk_lock);
	wr->drained = true;
	spin_unlock_bh(&wr->chunk_lock);
	smcr_wr_chunks_spill(wr, 0);
}
