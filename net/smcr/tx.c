// SPDX-License-Identifier: GPL-2.0
/*
 * Sending: send() copies user bytes to send space (tx_space.c), and RDMA writes
 * copy send space to the peer's element. One CDC message behind each chain of
 * writes announces the bytes (RFC 7609 4.7), and one call of ib_post_send(), so
 * one doorbell, posts the writes and the message.
 *
 * When the link fails, the connection moves to another one (conn_move.c), and
 * what is posted next is for failover.c to decide: the message that validates
 * the move, then the bytes from @una on once more, then new ones.
 *
 * Any holder of conn->lock may post: the caller of send(), the CQ handler that
 * saw the window open, the completion that freed a send slot.
 *
 * While bytes wait to be merged with later ones (tx_plan.c), send() adds to
 * them under the outer sock lock alone, and needs no reference to the
 * connection, which leaves its socket under that lock only. Three pairs of
 * barriers make this safe. Two are in tx_space.c, the third is here:
 *
 *	send() advances @end, then reads @merging: will somebody look?
 *	smcr_tx_look() clears @merging, then its caller reads @end.
 *	    One of them sees the other's store, so no byte is forgotten.
 *
 * Somebody looks whenever @una advances, and when the link is lost.
 */
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <trace/events/smcr.h>

#include "absence.h"
#include "cdc.h"
#include "conn.h"
#include "conn_end.h"
#include "conn_move.h"
#include "conn_tcp.h"
#include "lgr.h"
#include "mib.h"
#include "rx.h"
#include "sock.h"
#include "tx.h"
#include "tx_plan.h"
#include "wr.h"

/* A long send() posts writes each time this many bytes are copied, so that the
 * wire is busy while the rest is being copied.
 */
#define TX_BATCH	(64u * 1024)
/* Longest time that MSG_MORE or TCP_CORK holds bytes, the same as TCP's */
#define TX_CORK_TIME	(HZ / 5)
/* Time without progress after which TCP_USER_TIMEOUT begins, and after which a
 * completion is requested for a sender without room. TCP starts its clock with
 * its first probe or retransmission, which is not earlier.
 */
#define TX_STALL_TIME	(HZ / 5)
/* Least time between two answers to R that tell the peer nothing new */
#define TX_ANSWER_TIME	HZ
/* Longest time for which few bytes are left to a writer that was woken */
#define TX_WOKEN_TIME	msecs_to_jiffies(2)
/* Time after which send() looks for a chunk again; TCP's is not longer */
#define TX_MEMORY_TIME	(HZ / 5)

/**
 * smcr_tx_arm() - have the connection's sending looked at again
 * @conn: the connection
 * @delay: jiffies until then; it may be earlier
 *
 * The armed timer owns a reference.
 *
 * Context: any, conn->lock held.
 */
void smcr_tx_arm(struct smcr_conn *conn, unsigned long delay)
{
	struct timer_list *timer = &conn->tx_timer;
	unsigned long when = jiffies + delay;

	lockdep_assert_held(&conn->lock);
	/* The handler will wait for the lock */
	if (timer_pending(timer) && time_before_eq(timer->expires, when))
		return;
	smcr_conn_get(conn);
	if (timer_reduce(timer, when))
		smcr_conn_put(conn);
}

/* Request a completion, if none is to come for the bytes that were written. */
static void tx_ask(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->tx.signaled < conn->tx.nxt &&
	    smcr_failover_tx_act(&conn->tx.fo, conn->tx.una) ==
	    SMCR_FAILOVER_GO_ON && !smcr_wr_post_fence(conn->link))
		conn->tx.signaled = conn->tx.nxt;
}

/* The last writes may be in the peer's memory without being known to be. If the
 * peer reads, its next cursor tells; if it does not, a sender would wait for
 * room that there is. Returns true if a completion should be requested once
 * nothing has made progress for a while.
 */
static bool tx_starves(const struct smcr_conn *conn)
{
	return conn->tx.signaled < conn->tx.nxt && !smcr_tx_writeable(conn) &&
	       !smcr_conn_end_over(conn);
}

static void tx_feed(struct smcr_conn *conn)
{
	unsigned long idle = jiffies - conn->tx.progress;

	if (!tx_starves(conn))
		return;
	if (idle >= TX_STALL_TIME)
		tx_ask(conn);
	if (tx_starves(conn))
		smcr_tx_arm(conn, idle < TX_STALL_TIME ?
			    TX_STALL_TIME - idle : TX_STALL_TIME);
}

/* How long may the connection make no progress? Usually TCP_USER_TIMEOUT says,
 * while bytes wait. While the connection is away, the end of the stream may
 * wait as well, and the peer, who cannot know. Returns jiffies, 0 for no limit.
 */
static unsigned long tx_limit(const struct smcr_conn *conn)
{
	const struct smcr_conn_tx *tx = &conn->tx;
	bool ours;

	if (likely(!tx->user_timeout && !tx->patience) ||
	    smcr_conn_end_over(conn))
		return 0;
	ours = tx->una != READ_ONCE(tx->end) ||
	       (tx->patience && conn->flush != SMCR_CONN_FLUSH_NONE);
	return smcr_absence_limit(tx->user_timeout, tx->patience, ours,
				  smcr_cdc_waits(conn));
}

/* TCP_USER_TIMEOUT runs while bytes wait for the peer's adapter to acknowledge
 * them, or to be written because the peer does not read, and none makes
 * progress. A peer that takes some bytes now and then is alive. Bytes in the
 * peer's memory wait for nothing; they may be there without being known to be,
 * so a completion is requested first.
 *
 * Returns true if the time is up, and the connection was reset.
 */
static bool tx_overdue(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;
	unsigned long idle = jiffies - tx->progress;
	unsigned long limit = tx_limit(conn);

	if (!limit)
		return false;
	if (idle < TX_STALL_TIME) {
		smcr_tx_arm(conn, TX_STALL_TIME - idle);
		return false;
	}
	tx_ask(conn);
	if (idle - TX_STALL_TIME < limit) {
		smcr_tx_arm(conn, TX_STALL_TIME + limit - idle);
		return false;
	}
	smcr_conn_end_reset_locked(conn, tx->mute & SMCR_TX_MUTE_AWAY ?
				   SMCR_RESET_ADDRESS_GONE :
				   SMCR_RESET_USER_TIMEOUT, ETIMEDOUT);
	return true;
}

/**
 * smcr_tx_answer() - have an answer to R sent, if one is owed
 * @conn: the connection
 *
 * An answer that tells the peer nothing new only shows that this end lives. It
 * goes out once a second at most, so that a peer cannot have this host send a
 * message for each of its own.
 *
 * Context: any, conn->lock held; the caller pushes.
 */
void smcr_tx_answer(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;
	unsigned long since = jiffies - tx->answered;

	lockdep_assert_held(&conn->lock);
	if (!tx->r.owed)
		return;
	if (tx->told != smcr_rx_consumed(conn) || since >= TX_ANSWER_TIME)
		tx->due = true;
	else
		smcr_tx_arm(conn, TX_ANSWER_TIME - since);
}

static void tx_timer(struct timer_list *timer)
{
	struct smcr_conn *conn = from_timer(conn, timer, tx_timer);
	struct smcr_conn_tx *tx = &conn->tx;
	long held;

	spin_lock(&conn->lock);
	held = tx->hold_until - jiffies;
	if (tx->hold && held > 0)
		smcr_tx_arm(conn, held);
	else
		WRITE_ONCE(tx->hold, false);
	WRITE_ONCE(tx->woken, false);
	smcr_tx_answer(conn);
	smcr_tx_retry(conn);
	smcr_tx_unkeep(conn);
	tx_feed(conn);
	if (!tx_overdue(conn))
		smcr_tx_push_locked(conn);
	spin_unlock(&conn->lock);
	smcr_conn_put(conn);
}

/**
 * smcr_tx_init() - initialize the send side's timer of a new connection
 * @conn: the connection
 *
 * Context: process.
 */
void smcr_tx_init(struct smcr_conn *conn)
{
	timer_setup(&conn->tx_timer, tx_timer, 0);
	conn->tx.answered = jiffies - TX_ANSWER_TIME;
}

/**
 * smcr_tx_set_user_timeout() - TCP_USER_TIMEOUT
 * @conn: the connection
 * @msecs: how long accepted bytes may make no progress; 0 for no limit
 *
 * Context: process.
 */
void smcr_tx_set_user_timeout(struct smcr_conn *conn, unsigned int msecs)
{
	spin_lock_bh(&conn->lock);
	conn->tx.user_timeout = msecs_to_jiffies(msecs);
	if (tx_limit(conn))
		smcr_tx_arm(conn, TX_STALL_TIME);
	spin_unlock_bh(&conn->lock);
}

/**
 * smcr_tx_pause() - post nothing until smcr_tx_resume() or an abort
 * @conn: the connection
 * @patience: jiffies for which TCP retransmits, see tx_limit()
 *
 * Context: any, conn->lock held.
 */
void smcr_tx_pause(struct smcr_conn *conn, unsigned long patience)
{
	struct smcr_conn_tx *tx = &conn->tx;

	lockdep_assert_held(&conn->lock);
	tx->mute |= SMCR_TX_MUTE_AWAY;
	tx->patience = patience;
	if (!tx->user_timeout || tx->una == READ_ONCE(tx->end))
		tx->progress = jiffies;
	if (tx_limit(conn))
		smcr_tx_arm(conn, TX_STALL_TIME);
}

/**
 * smcr_tx_resume() - undo smcr_tx_pause()
 * @conn: the connection
 *
 * The caller pushes the bytes and the credit that have waited.
 *
 * Context: any, conn->lock held.
 */
void smcr_tx_resume(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;

	lockdep_assert_held(&conn->lock);
	tx->mute &= ~SMCR_TX_MUTE_AWAY;
	tx->patience = 0;
	tx->progress = jiffies;
}

/**
 * smcr_tx_unsent() - count the accepted bytes that are not written yet
 * @conn: the connection
 *
 * Context: any.
 * Return: bytes, for SIOCOUTQNSD.
 */
u32 smcr_tx_unsent(const struct smcr_conn *conn)
{
	return READ_ONCE(conn->tx.end) - READ_ONCE(conn->tx.nxt);
}

/**
 * smcr_tx_unacked() - count the accepted bytes that may not be at the peer yet
 * @conn: the connection
 *
 * Writes without a completion of their own would count until the peer's next
 * message. So the call requests a completion, and a program that polls until
 * the count is zero gets there.
 *
 * Context: process.
 * Return: bytes, for SIOCOUTQ.
 */
u32 smcr_tx_unacked(struct smcr_conn *conn)
{
	u32 left;

	spin_lock_bh(&conn->lock);
	left = READ_ONCE(conn->tx.end) - conn->tx.una;
	tx_ask(conn);
	spin_unlock_bh(&conn->lock);
	return left;
}

static void tx_view(struct smcr_conn *conn, struct smcr_tx_view *view,
		    bool more)
{
	*view = (struct smcr_tx_view){
		.peer_ring = conn->tx.ring,
		/* Pairs with smcr_tx_copied(): the bytes are there */
		.queued = smp_load_acquire(&conn->tx.end),
		.sent = conn->tx.nxt,
		.peer_cons = conn->rx.peer.cons,
		.b_announced = conn->tx.blocked,
		.urgent = conn->tx.urgent.next,
		.spare = READ_ONCE(conn->lgr->redundant),
		/* Linux takes no notice of P */
		.keep = conn->lgr->dialect == SMCR_DIALECT_RFC,
		.more = more,
	};
	view->queued = smcr_urgent_tx_limit(&conn->tx.urgent, view->peer_cons,
					    view->sent, view->queued);
	smcr_failover_tx_clip(&conn->tx.fo, get_jiffies_64(), view);
	view->max_bytes = smcr_tx_max_bytes(conn, view->sent);
}

static struct smcr_tx_line tx_line(const struct smcr_conn *conn)
{
	return (struct smcr_tx_line){
		.una = conn->tx.una,
		.nxt = conn->tx.nxt,
		.end = READ_ONCE(conn->tx.end),
		.signaled = conn->tx.signaled,
	};
}

static void tx_encode(struct smcr_conn *conn, u8 *buf, u64 prod, u64 cons,
		      u16 flags)
{
	struct smcr_cdc_msg msg = {
		.seq = conn->tx.seq + 1,
		.alert_token = conn->peer_token,
		.prod = smcr_cursor_from_pos(&conn->tx.ring, prod),
		.cons = smcr_cursor_from_pos(&conn->rx.ring, cons),
		.flags = flags,
	};

	smcr_cdc_msg_encode(buf, &msg);
}

static void tx_posted(struct smcr_conn *conn, const struct smcr_tx_plan *plan,
		      const struct smcr_wr_batch *batch, u64 cons, u16 flags)
{
	struct smcr_mib_cpu __percpu *mib = conn->lgr->mib;
	struct smcr_conn_tx *tx = &conn->tx;
	u32 fresh = plan->sent > tx->nxt ? plan->sent - tx->nxt : 0;

	smcr_mib_count(mib, SMCR_MIB_RDMAWRITES, batch->n_writes);
	if (fresh < plan->bytes)
		smcr_mib_count(mib, SMCR_MIB_TXBYTESREPLAYED,
			       plan->bytes - fresh);
	if (!batch->message)
		return;
	tx->seq++;
	trace_smcr_cdc_tx(conn->lgr->id, conn->id, tx->seq, plan->sent, cons,
			  flags);
	WRITE_ONCE(tx->nxt, plan->sent);
	if (fresh) {
		tx->progress = jiffies;
		if (!conn->tcp.early.on)
			smcr_conn_tcp_wrote(conn);
	}
	if (tx->r.owed && tx->told == cons && !plan->bytes)
		tx->answered = jiffies;
	smcr_tx_r_posted(&tx->r, tx->told != cons);
	tx->told = cons;
	smcr_urgent_tx_posted(&tx->urgent, plan->sent, flags);
	tx->blocked = flags & SMCR_CDC_B;
	tx->due = false;
	tx->final = flags & SMCR_CDC_A ||
		    (flags & SMCR_CDC_C && conn->fsm.we_closed);
	if (batch->signal)
		tx->signaled = plan->sent;
	smcr_mib_count(mib, SMCR_MIB_CDCSENT, 1);
	if (plan->bytes) {
		smcr_tx_burst_posted(&tx->burst, plan);
		smcr_mib_count(mib, SMCR_MIB_TXMESSAGES, 1);
		smcr_mib_count(mib, SMCR_MIB_TXBYTES, fresh);
	} else {
		smcr_mib_count(mib, SMCR_MIB_CURSORUPDATES, 1);
	}
	if (flags & SMCR_CDC_B)
		smcr_mib_count(mib, SMCR_MIB_WRITERBLOCKED, 1);
}

/* Build the writes of a plan. */
static int tx_fill(struct smcr_conn *conn, const struct smcr_tx_plan *plan,
		   struct smcr_wr_batch *batch)
{
	u64 pos = plan->sent - plan->bytes;
	int err = 0;
	u32 i;

	for (i = 0; i < plan->nr_segs && !err; i++) {
		err = smcr_tx_gather(conn, &batch->writes[i], &plan->seg[i],
				     pos);
		pos += plan->seg[i].len;
	}
	return err;
}

/* Post one chain of writes and its message; writes that are repeated go without
 * one until the last of them (4.6.2). Request a completion with C and A, after
 * which no message would release the references of the send slots, with the
 * first D, so that a reset after it finds whether the peer has all bytes, when
 * half of the send space has none requested, while send() finds no chunk, at
 * the end of a replay, and for bytes that will wait behind this message
 * (tx_plan.c). If the send space cannot be mapped for the new link's device,
 * conn_move.c tries again.
 */
static int tx_post(struct smcr_conn *conn, const struct smcr_tx_plan *plan)
{
	struct smcr_conn_tx *tx = &conn->tx;
	struct smcr_tx_line line = tx_line(conn);
	struct smcr_wr_batch batch __uninitialized;
	u64 cons = smcr_rx_consumed(conn);
	u16 flags = tx->flags;
	int err;

	lockdep_assert_held(&conn->lock);
	if (plan->blocked)
		flags |= SMCR_CDC_B;
	if (smcr_tx_r_sets(&tx->r, tx->fo.cap != SMCR_FAILOVER_OPEN,
			   plan->bytes || tx->told != cons))
		flags |= SMCR_CDC_R;
	if (!(flags & SMCR_CDC_A))
		flags |= smcr_urgent_tx_flags(&tx->urgent, plan->sent,
					      READ_ONCE(tx->end),
					      conn->rx.peer.cons);
	err = tx_fill(conn, plan, &batch);
	if (unlikely(err || tx->short_since))
		smcr_conn_move_mapped(conn, err);
	if (err)
		return err;
	batch.n_writes = plan->nr_segs;
	batch.conn = conn;
	batch.pos = plan->sent;
	batch.bytes = plan->bytes;
	batch.seq = tx->seq + 1;
	batch.message = plan->sent >= tx->fo.mark;
	batch.counts = batch.message;
	batch.signal = batch.message &&
		       ((flags & (SMCR_CDC_C | SMCR_CDC_A)) ||
			(flags & SMCR_CDC_D && tx->signaled < plan->sent) ||
			tx->fo.replay < tx->fo.mark ||
			plan->sent - tx->signaled >= tx->size / 2 ||
			tx->pressed ||
			smcr_tx_burst_asks(&tx->burst, &line, plan));
	if (batch.message)
		tx_encode(conn, batch.cdc, plan->sent, cons, flags);
	err = smcr_wr_post(conn->link, &batch);
	if (unlikely(err)) {
		if (batch.part)
			smcr_failover_tx_part(&tx->fo, plan->sent);
		return err;
	}
	tx_posted(conn, plan, &batch, cons, flags);
	if (batch.message && flags & SMCR_CDC_A)
		smcr_conn_end_event(conn, SMCR_CONN_EV_ABORT_SENT);
	return 0;
}

/* Post the message that validates a move, alone (4.6.1). */
static int tx_post_f(struct smcr_conn *conn)
{
	struct smcr_wr_batch batch;
	struct smcr_cdc_msg msg;
	int err;

	lockdep_assert_held(&conn->lock);
	batch.conn = conn;
	batch.bytes = 0;
	batch.n_writes = 0;
	batch.message = true;
	batch.counts = false;
	batch.signal = false;
	smcr_failover_tx_f(&conn->tx.fo, conn->peer_token, &msg);
	smcr_cdc_msg_encode(batch.cdc, &msg);
	err = smcr_wr_post(conn->link, &batch);
	if (err)
		return err;
	conn->tx.fo.f_due = false;
	trace_smcr_cdc_tx(conn->lgr->id, conn->id, msg.seq, 0, 0, msg.flags);
	smcr_mib_count(conn->lgr->mib, SMCR_MIB_CDCSENT, 1);
	smcr_mib_count(conn->lgr->mib, SMCR_MIB_VALIDATIONSSENT, 1);
	/* If C was confirmed before the move, no completion follows. */
	smcr_conn_end_confirmed(conn);
	return 0;
}

/* No more bytes come, or these may not wait for them. */
static bool tx_hurries(const struct smcr_conn *conn)
{
	return conn->flush != SMCR_CONN_FLUSH_NONE || conn->tx.urgent.next;
}

/* Does the program promise more bytes? It gets 200 ms for them. */
static bool tx_corked(const struct smcr_conn *conn)
{
	const struct smcr_conn_tx *tx = &conn->tx;

	return tx->hold && !tx_hurries(conn) &&
	       READ_ONCE(tx->end) - tx->nxt < tx->size / 2;
}

/* Do bytes wait to be written together with later ones? They ride with a
 * message that goes anyway, and do not wait while a sender has no room for
 * later ones.
 */
static bool tx_merges(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;
	struct smcr_tx_line line = tx_line(conn);

	if (tx->due || tx_hurries(conn) || !smcr_tx_space(conn) ||
	    !smcr_tx_burst_holds(&tx->burst, &line, tx->ring.len))
		return false;
	tx->burst.waited = true;
	WRITE_ONCE(tx->merging, true);
	return true;
}

/* Are the bytes left to a writer that was woken, as it has room for later ones?
 * Its send() takes the lock, because @merging is clear, and pushes. If it does
 * not come in time, the timer pushes.
 */
static bool tx_leaves(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;
	struct smcr_tx_line line = tx_line(conn);

	if (!READ_ONCE(tx->woken) || tx->due || tx_hurries(conn) ||
	    !smcr_tx_burst_leaves(&tx->burst, &line, tx->ring.len))
		return false;
	smcr_tx_arm(conn, TX_WOKEN_TIME);
	return true;
}

/**
 * smcr_tx_look() - have each send() from now on take conn->lock
 * @conn: connection whose queued bytes the caller will look at
 *
 * The caller sees the bytes of all earlier ones.
 *
 * Context: any, conn->lock held.
 */
void smcr_tx_look(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->tx.merging)
		return;
	WRITE_ONCE(conn->tx.merging, false);
	/* Pairs with the barrier in tx_joined() */
	smp_mb();
}

/* A peer whose C is held back does not read any more. */
static bool tx_may_write(const struct smcr_conn *conn)
{
	return smcr_conn_state_can_send(&conn->fsm) &&
	       !(conn->rx.peer.held & SMCR_CDC_C);
}

/* What a turn of smcr_tx_push_locked() found */
enum tx_turn {
	TX_IDLE,	/* nothing to post */
	TX_POSTED,
	TX_STOPPED,	/* no free send slot, or the link is closed, or a replay
			 * waits for writes of a dead link
			 */
};

static enum tx_turn tx_push_replay(struct smcr_conn *conn)
{
	struct smcr_tx_plan plan;
	struct smcr_tx_view view;

	tx_view(conn, &view, false);
	smcr_tx_plan(&view, &plan);
	if (!plan.nr_segs) {
		WARN_ON_ONCE(view.queued == conn->tx.fo.mark);
		smcr_conn_move_arm(conn, conn->tx.fo.until);
		return TX_STOPPED;
	}
	if (tx_post(conn, &plan))
		return TX_STOPPED;
	smcr_failover_tx_replayed(&conn->tx.fo, plan.sent);
	return TX_POSTED;
}

/* Bytes wait for other connections of the link. The peer does not have to wait
 * for what the message says beside them, such as room for its own bytes.
 */
static void tx_post_alone(struct smcr_conn *conn)
{
	struct smcr_tx_plan plan = {
		.sent = conn->tx.nxt,
		.blocked = conn->tx.blocked,
	};

	/* Without a free slot, it waits as well. */
	tx_post(conn, &plan);
}

/* @more: the turn before posted all that one chain can hold. */
static enum tx_turn tx_push_new(struct smcr_conn *conn, bool *more)
{
	struct smcr_conn_tx *tx = &conn->tx;
	struct smcr_tx_plan plan = {
		.sent = tx->nxt,
		.blocked = tx->blocked,
	};
	struct smcr_tx_view view;
	int err;

	/* True in most calls, and in the last turn of all others */
	if (tx->final || (tx->nxt == READ_ONCE(tx->end) && !tx->due) ||
	    tx->leave)
		return TX_IDLE;
	if (tx_may_write(conn) && !tx_corked(conn) && !tx_merges(conn) &&
	    !tx_leaves(conn)) {
		tx_view(conn, &view, *more);
		if (tx->fo.cap != SMCR_FAILOVER_OPEN &&
		    view.queued < READ_ONCE(tx->end))
			smcr_conn_move_arm(conn, tx->fo.until);
		smcr_tx_plan(&view, &plan);
	}
	if (!plan.announce && !tx->due)
		return TX_IDLE;
	err = tx_post(conn, &plan);
	if (err == -EAGAIN && plan.bytes && tx->due)
		tx_post_alone(conn);
	if (err)
		return TX_STOPPED;
	*more = plan.bytes;
	return TX_POSTED;
}

/**
 * smcr_tx_push_locked() - post the writes and messages that can go out now
 * @conn: the connection
 *
 * If the link has no free send slot, smcr_conn_tx_ready() comes later. A link
 * that is failing takes no work request; the group moves its connections to
 * another link or resets them.
 *
 * Context: any, conn->lock held.
 */
void smcr_tx_push_locked(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;
	enum tx_turn turn = TX_STOPPED;
	bool more = false;

	lockdep_assert_held(&conn->lock);
	if (conn->fsm.state == SMCR_CONN_INIT)
		return;
	smcr_tx_look(conn);
	do {
		if (tx->mute)
			break;
		switch (smcr_failover_tx_act(&tx->fo, tx->una)) {
		case SMCR_FAILOVER_SEND_F:
			turn = tx_post_f(conn) ? TX_STOPPED : TX_POSTED;
			break;
		case SMCR_FAILOVER_REPLAY:
			turn = tx_push_replay(conn);
			break;
		case SMCR_FAILOVER_GO_ON:
			turn = tx_push_new(conn, &more);
			break;
		}
	} while (turn == TX_POSTED);
	if (turn == TX_IDLE)
		smcr_conn_end_flushed(conn);
	if (tx_limit(conn) || tx_starves(conn))
		smcr_tx_arm(conn, TX_STALL_TIME);
}

/**
 * smcr_tx_request() - request the peer's consumer position (R)
 * @conn: the connection
 *
 * The message goes out as soon as the connection may post one. While a move of
 * the peer is being validated, it gets no credit, and so no message just for
 * this.
 *
 * Context: any, conn->lock held.
 */
void smcr_tx_request(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->tx.r.ask = true;
	if (conn->rx.fo.nr)
		return;
	conn->tx.due = true;
	smcr_tx_push_locked(conn);
}

/**
 * smcr_tx_push() - like smcr_tx_push_locked(), but takes conn->lock
 * @conn: the connection
 *
 * Context: softirq or process.
 */
void smcr_tx_push(struct smcr_conn *conn)
{
	spin_lock_bh(&conn->lock);
	smcr_tx_push_locked(conn);
	spin_unlock_bh(&conn->lock);
}

/* Return -EPIPE if a send cannot go on. sk_stream_error() replaces EPIPE by a
 * pending error; if some bytes were accepted, that error stays for the next
 * call.
 */
static int tx_error(struct sock *sk)
{
	return READ_ONCE(sk->sk_err) ||
	       READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN ||
	       !smcr_sk(sk)->conn ? -EPIPE : 0;
}

/* Copy bytes that are lost, as a bad address is an error also then. There may
 * be gigabytes of them, so a signal ends the call, as it would end a wait.
 */
static int tx_swallow(struct msghdr *msg)
{
	void *page = (void *)__get_free_page(GFP_KERNEL);
	int done = 0;
	size_t n;

	if (!page)
		return -ENOBUFS;
	while ((n = min_t(size_t, msg_data_left(msg), PAGE_SIZE)) &&
	       copy_from_iter_full(page, n, &msg->msg_iter)) {
		done += n;
		if (signal_pending(current))
			break;
		cond_resched();
	}
	free_page((unsigned long)page);
	return done ? done : -EFAULT;
}

/* Send to a peer that has closed and reads no more. As with TCP, the first
 * send() succeeds and its bytes are lost, and the next one returns EPIPE: TCP's
 * peer would answer with a RST, which is EPIPE in CLOSE_WAIT. The first call
 * returns EPIPE, too, if the connection is CLOSED already.
 */
static int tx_to_closed(struct smcr_conn *conn, struct msghdr *msg)
{
	int n;

	if (READ_ONCE(conn->fsm.state) == SMCR_CONN_CLOSED)
		return -EPIPE;
	n = tx_swallow(msg);
	if (n > 0)
		smcr_conn_end_reset(conn, SMCR_RESET_PEER_CLOSED, EPIPE);
	return n;
}

static int tx_sleep(struct sock *sk, struct smcr_conn *conn, long *timeo,
		    struct wait_queue_entry *wait)
{
	int err;

	if (!*timeo)
		return -EAGAIN;
	if (signal_pending(current))
		return sock_intr_errno(*timeo);
	err = sk_wait_event(sk, timeo, READ_ONCE(sk->sk_err) ||
			    READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN ||
			    smcr_tx_writeable(conn), wait);
	/* Negative: another thread has disconnected the socket meanwhile */
	return min(err, 0);
}

/* Wait for room in send space. A non-blocking call sets SOCK_NOSPACE and
 * returns -EAGAIN; poll() gets the wake-up, and a program that has asked for
 * SIGIO the signal, for which SOCKWQ_ASYNC_NOSPACE has to be set as well. The
 * first wake-up clears the bits, so a sender that sets them must be on the wait
 * queue before.
 */
static int tx_wait(struct sock *sk, struct smcr_conn *conn, long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int err = 0;

	add_wait_queue(sk_sleep(sk), &wait);
	if (!*timeo)
		sk_set_bit(SOCKWQ_ASYNC_NOSPACE, sk);
	set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	/* Pairs with space_wake(), which tests the bit after @una has moved:
	 * room that appeared before the bit was set caused no wake-up, but is
	 * seen here
	 */
	smp_mb__after_atomic();
	if (!smcr_tx_space(conn))
		err = tx_sleep(sk, conn, timeo, &wait);
	remove_wait_queue(sk_sleep(sk), &wait);
	return err;
}

/* send() has found no chunk, see tx_space.c. There is room again when bytes are
 * complete, and after a while, since nothing tells of memory.
 */
static void tx_press(struct smcr_conn *conn)
{
	spin_lock_bh(&conn->lock);
	tx_ask(conn);
	smcr_tx_arm(conn, TX_MEMORY_TIME);
	spin_unlock_bh(&conn->lock);
}

/* Make the last byte urgent. Even if the window is closed, a message tells the
 * peer (4.7.6).
 */
static void tx_urgent(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	smcr_urgent_tx_set(&conn->tx.urgent, conn->tx.end);
	conn->tx.due = true;
	smcr_mib_count(conn->lgr->mib, SMCR_MIB_URGENTSENT, 1);
}

/* Will the bytes that were copied last go out with others that wait? */
static bool tx_joined(const struct smcr_conn *conn)
{
	const struct smcr_conn_tx *tx = &conn->tx;

	/* Pairs with the barrier in smcr_tx_look() */
	smp_mb();
	return READ_ONCE(tx->merging) && !READ_ONCE(tx->hold) &&
	       tx->end - READ_ONCE(tx->nxt) < SMCR_TX_BURST_WHOLE &&
	       smcr_tx_space(conn);
}

/* MSG_MORE or TCP_CORK: from the first promise on, more bytes have some time to
 * come.
 */
static void tx_hold(struct smcr_conn *conn, bool hold)
{
	struct smcr_conn_tx *tx = &conn->tx;

	if (hold && !tx->hold) {
		tx->hold_until = jiffies + TX_CORK_TIME;
		smcr_tx_arm(conn, TX_CORK_TIME);
	}
	WRITE_ONCE(tx->hold, hold);
}

/* Write the @done bytes that were copied to send space, unless MSG_MORE or
 * TCP_CORK promises more. With these, or an urgent byte, nobody may see the
 * bytes before it is known what is special about them.
 */
static void tx_queued(struct smcr_conn *conn, struct msghdr *msg, u32 done,
		      bool cork)
{
	struct smcr_conn_tx *tx = &conn->tx;
	bool last = !msg_data_left(msg);

	/* The barrier in tx_joined() orders this store like that of @end */
	WRITE_ONCE(tx->woken, false);
	if (cork || msg->msg_flags & (MSG_MORE | MSG_OOB)) {
		spin_lock_bh(&conn->lock);
		smcr_tx_copied(conn, done);
	} else {
		smcr_tx_copied(conn, done);
		if (tx_joined(conn))
			return;
		spin_lock_bh(&conn->lock);
	}
	/* The peer's C came during the copy, after tx_to_closed() could see it.
	 * These bytes cannot be written, so nothing may wait for that.
	 */
	if (conn->fsm.peer_closed && !smcr_conn_end_over(conn))
		smcr_conn_end_reset_locked(conn, SMCR_RESET_PEER_CLOSED, EPIPE);
	if (last && msg->msg_flags & MSG_OOB)
		tx_urgent(conn);
	if (tx->una == tx->end - done)
		tx->progress = jiffies;
	if (!last && tx->end - tx->nxt < TX_BATCH)
		goto out;
	tx_hold(conn, cork || msg->msg_flags & MSG_MORE);
	smcr_tx_push_locked(conn);
out:
	spin_unlock_bh(&conn->lock);
}

static int tx_send(struct sock *sk, struct smcr_conn *conn, struct msghdr *msg,
		   long *timeo)
{
	u32 space = smcr_tx_space(conn);
	int n;

	if (!space) {
		/* Without room for more, corked bytes need not wait, nor does
		 * the word that urgent data is to come
		 */
		smcr_tx_uncork(sk);
		return tx_wait(sk, conn, timeo);
	}
	n = smcr_tx_copy(conn, msg, space);
	if (n > 0)
		tx_queued(conn, msg, n, smcr_sk(sk)->cork);
	if (n != -ENOBUFS)
		return n;
	/* The next turn waits */
	tx_press(conn);
	return 0;
}

/* A send() with MSG_OOB begins. If it has to wait for room, its peer learns
 * that urgent data is to come, and may read faster.
 */
static void tx_urgent_begin(struct smcr_conn *conn, bool waits)
{
	spin_lock_bh(&conn->lock);
	smcr_urgent_tx_begin(&conn->tx.urgent);
	if (waits && !smcr_tx_space(conn))
		conn->tx.due = true;
	spin_unlock_bh(&conn->lock);
}

/* A send() with MSG_OOB ends. If it ends early, the last byte that was accepted
 * is urgent, as with TCP. If none was, the peer must not go on expecting one.
 */
static void tx_urgent_end(struct smcr_conn *conn, bool early)
{
	spin_lock_bh(&conn->lock);
	if (early)
		tx_urgent(conn);
	if (smcr_urgent_tx_end(&conn->tx.urgent))
		conn->tx.due = true;
	smcr_tx_push_locked(conn);
	spin_unlock_bh(&conn->lock);
}

/* The sock lock is released while a call waits, and another thread may detach
 * the connection then.
 */
static void tx_keep(struct smcr_conn *conn, bool *counted)
{
	if (!*counted)
		smcr_conn_get(conn);
	*counted = true;
}

/**
 * smcr_tx_sendmsg() - send() on an RDMA connection
 * @sk: outer socket in mode RDMA
 * @msg: what to send; MSG_DONTWAIT, MSG_MORE, MSG_OOB and MSG_NOSIGNAL have
 *	TCP's meaning
 * @len: bytes
 *
 * Accepted bytes are written to the peer, also after close(), or the connection
 * is reset.
 *
 * Context: process, outer sock lock held; released while waiting for room or
 * memory.
 * Return: bytes accepted, or -errno if none were.
 */
int smcr_tx_sendmsg(struct sock *sk, struct msghdr *msg, size_t len)
{
	struct smcr_conn *conn = smcr_sk(sk)->conn;
	long timeo = sock_sndtimeo(sk, msg->msg_flags & MSG_DONTWAIT);
	bool oob = msg->msg_flags & MSG_OOB, counted = false;
	size_t done = 0;
	int err;

	sock_owned_by_me(sk);
	if (!conn)
		return sk_stream_error(sk, msg->msg_flags, -EPIPE);
	err = tx_error(sk);
	if (oob)
		tx_urgent_begin(conn, timeo);
	while (!err && msg_data_left(msg)) {
		if (READ_ONCE(conn->fsm.peer_closed)) {
			err = tx_to_closed(conn, msg);
			done += max(err, 0);
			break;
		}
		if (!smcr_tx_space(conn))
			tx_keep(conn, &counted);
		err = tx_send(sk, conn, msg, &timeo);
		if (err > 0) {
			done += err;
			err = 0;
		}
		if (!err)
			err = tx_error(sk);
	}
	if (oob)
		tx_urgent_end(conn, done && msg_data_left(msg));
	/* Bytes of a call that ended early are in send space */
	if (err)
		smcr_tx_push(conn);
	if (counted)
		smcr_conn_put(conn);
	if (done)
		return done;
	return err ? sk_stream_error(sk, msg->msg_flags, err) : 0;
}

/**
 * smcr_tx_uncork() - write the bytes that MSG_MORE or TCP_CORK held back
 * @sk: outer socket in mode RDMA
 *
 * Context: process, outer sock lock held.
 */
void smcr_tx_uncork(struct sock *sk)
{
	struct smcr_conn *conn = smcr_sk(sk)->conn;

	sock_owned_by_me(sk);
	if (!conn)
		return;
	spin_lock_bh(&conn->lock);
	WRITE_ONCE(conn->tx.hold, false);
	smcr_tx_push_locked(conn);
	spin_unlock_bh(&conn->lock);
}
