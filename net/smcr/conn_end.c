// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a connection (RFC 7609 4.8): drives the state machine of
 * conn_state.c and carries out what it orders.
 *
 * An event may come from the application (process, outer sock lock held), from
 * CDC messages and completions (softirq), from TCP's callbacks (any context),
 * from a timer or from the group. All of them lead to smcr_conn_end_event(),
 * which runs under conn->lock and does at once what any context can do: flags,
 * wake-ups, CDC messages. Actions that need process context (TCP, the element)
 * are left in conn->actions for the connection's work item. Its function is the
 * socket layer's, because it ends TCP as well: see close.c.
 */
#include <linux/lockdep.h>
#include <net/sock.h>
#include <net/tcp_states.h>
#include <trace/events/smcr.h>

#include "cdc.h"
#include "conn.h"
#include "conn_end.h"
#include "conn_eof.h"
#include "conn_move.h"
#include "lgr.h"
#include "lgr_links.h"
#include "mib.h"
#include "tx.h"

/* Actions that need process context. */
#define WORK_ACTIONS	(SMCR_CONN_END_TCP_ACTIONS | SMCR_CONN_FREE | \
			 SMCR_CONN_QUARANTINE)

/**
 * smcr_conn_end_queue() - queue the connection's work item
 * @conn: the connection, counted by the caller
 *
 * Context: any.
 */
void smcr_conn_end_queue(struct smcr_conn *conn)
{
	/* Queued work owns a reference */
	smcr_conn_get(conn);
	if (!queue_work(smcr_close_wq, &conn->work))
		smcr_conn_put(conn);
}

/**
 * smcr_conn_end_arm() - (re)start the close timer
 * @conn: the connection
 * @msecs: when it fires, in ms from now
 *
 * The armed timer owns a reference, which is taken before it can fire.
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_end_arm(struct smcr_conn *conn, unsigned int msecs)
{
	lockdep_assert_held(&conn->lock);
	smcr_conn_get(conn);
	if (mod_timer(&conn->timer, jiffies + msecs_to_jiffies(msecs)))
		smcr_conn_put(conn);
	conn->last_una = conn->tx.una;
}

/**
 * smcr_conn_end_wait() - (re)start the close timer for what the connection
 *	waits for now
 * @conn: the connection
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_end_wait(struct smcr_conn *conn)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(conn->lgr->net)->sysctl;
	unsigned int msecs;

	/* The peer owes the answer to an abort, its FIN after both C, room for
	 * the rest of our bytes, or its own close. It may be without TCP, and
	 * then no FIN comes.
	 */
	if (conn->fsm.state == SMCR_CONN_PEER_ABORT_WAIT || conn->await_fin)
		msecs = READ_ONCE(ctl->abort_timeout_ms);
	else if (conn->flush != SMCR_CONN_FLUSH_NONE)
		msecs = READ_ONCE(ctl->orphan_timeout_ms);
	else
		msecs = READ_ONCE(ctl->close_timeout_ms);
	smcr_conn_end_arm(conn, msecs);
}

/**
 * smcr_conn_end_disarm() - stop the close timer
 * @conn: the connection, counted by the caller
 *
 * Context: any.
 */
void smcr_conn_end_disarm(struct smcr_conn *conn)
{
	if (timer_delete(&conn->timer))
		smcr_conn_put(conn);
}

static void end_timer(struct timer_list *timer)
{
	struct smcr_conn *conn = from_timer(conn, timer, timer);

	set_bit(SMCR_CONN_F_TIMEOUT, &conn->flags);
	smcr_conn_end_queue(conn);
	smcr_conn_put(conn);
}

/* The peer's stream has ended in order. Unread bytes stay readable. A C that
 * follows a D is no news: TCP has one FIN, which makes one edge.
 */
static void end_eof(struct smcr_conn *conn)
{
	struct sock *sk = conn->sk;

	if (!sk || sk->sk_state != TCP_ESTABLISHED)
		return;
	/* Pairs with the read barrier in rx_idle(): a reader that sees the end
	 * looks for the bytes before it, which are stored already
	 */
	smp_wmb();
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | RCV_SHUTDOWN);
	WRITE_ONCE(sk->sk_state, TCP_CLOSE_WAIT);
	sk->sk_state_change(sk);
	sk_wake_async(sk, SOCK_WAKE_WAITD,
		      sk->sk_shutdown == SHUTDOWN_MASK ? POLL_HUP : POLL_IN);
}

/* Close the socket if both directions have ended: TCP would be in TIME-WAIT or
 * past LAST-ACK, which a program does not see as a connection any more. Unread
 * bytes can still be read.
 */
static void end_both(struct smcr_conn *conn)
{
	struct sock *sk = conn->sk;

	if (!sk || sk->sk_state == TCP_CLOSE)
		return;
	switch (conn->fsm.state) {
	case SMCR_CONN_APPL_CLOSE_WAIT2:
	case SMCR_CONN_APPL_FIN_CLOSE_WAIT:
	case SMCR_CONN_PEER_CLOSE_WAIT2:
	case SMCR_CONN_PEER_FIN_CLOSE_WAIT:
		break;
	case SMCR_CONN_CLOSED:
		/* A peer that is gone ends its own direction only */
		if (sk->sk_shutdown & SEND_SHUTDOWN)
			break;
		return;
	default:
		return;
	}
	WRITE_ONCE(sk->sk_state, TCP_CLOSE);
	sk->sk_state_change(sk);
}

static bool peer_resets(const struct smcr_conn *conn)
{
	return conn->reset_reason == SMCR_RESET_PEER_ABORT ||
	       conn->reset_reason == SMCR_RESET_TCP_RST;
}

/* Return the errno of a reset. As with TCP, it is EPIPE if the peer's reset
 * comes after the peer's end.
 */
static int end_errno(const struct smcr_conn *conn, const struct sock *sk)
{
	return peer_resets(conn) && conn->reset_err == ECONNRESET &&
	       sk->sk_state == TCP_CLOSE_WAIT ? EPIPE : conn->reset_err;
}

/* @counted: the connection was established. One that was still being built may
 * go on as TCP, which its handshake counts.
 */
static void end_break(struct smcr_conn *conn, bool counted)
{
	struct sock *sk = conn->sk;

	if (!conn->reset_err) {
		conn->reset_reason = SMCR_RESET_PEER_ABORT;
		/* Pairs with the acquire in smcr_rx_avail() */
		smp_store_release(&conn->reset_err, ECONNRESET);
	}
	if (counted)
		smcr_mib_reset(conn->lgr->net, conn->reset_reason);
	trace_smcr_reset(conn->lgr->id, conn->id, conn->reset_reason);
	conn->flush = SMCR_CONN_FLUSH_NONE;
	if (!sk)
		return;
	/* The peer has all bytes, and resets after both directions have ended.
	 * TCP's connection would be over, so the program hears nothing; its
	 * close() may wait.
	 */
	if (sk->sk_state == TCP_CLOSE && peer_resets(conn) &&
	    conn->tx.una == READ_ONCE(conn->tx.end)) {
		if (conn->fsm.we_closed)
			sk->sk_state_change(sk);
		return;
	}
	WRITE_ONCE(sk->sk_err, end_errno(conn, sk));
	/* Pairs with the read barriers in smcr_sock_poll() and rx_idle() */
	smp_wmb();
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	WRITE_ONCE(sk->sk_state, TCP_CLOSE);
	sk_error_report(sk);
	sk->sk_state_change(sk);
}

/* Note what follows the last accepted byte; a close stays a close. If no byte
 * waits, the end begins to (tx.c).
 */
static void end_flush(struct smcr_conn *conn, enum smcr_conn_event event)
{
	if (conn->tx.una == READ_ONCE(conn->tx.end))
		conn->tx.progress = jiffies;
	if (event == SMCR_CONN_EV_APP_CLOSE)
		conn->flush = SMCR_CONN_FLUSH_CLOSE;
	else if (conn->flush == SMCR_CONN_FLUSH_NONE)
		conn->flush = SMCR_CONN_FLUSH_DONE;
}

static void end_flags(struct smcr_conn *conn, u32 actions)
{
	u16 flags = 0;

	if (actions & SMCR_CONN_SEND_DONE)
		flags |= SMCR_CDC_D;
	if (actions & SMCR_CONN_SEND_CLOSE)
		flags |= SMCR_CDC_C;
	if (actions & SMCR_CONN_SEND_ABORT)
		flags |= SMCR_CDC_A;
	if (!flags)
		return;
	conn->tx.flags |= flags;
	conn->tx.due = true;
}

/* The side that sent C second lets the first closer send the FIN, so that
 * TIME-WAIT stays with the first closer, as with TCP, and a server can bind its
 * port again. If the group has or had several links, the first closer waits for
 * the FIN as well, because the peer may repeat its last bytes over another link
 * until then.
 */
static void end_await_fin(struct smcr_conn *conn, u32 actions)
{
	if (!(actions & SMCR_CONN_CLOSE_TCP))
		return;
	WRITE_ONCE(conn->fin_first, !(actions & SMCR_CONN_SEND_CLOSE));
	if (conn->fin_first && !smcr_lgr_repeats(conn->lgr))
		return;
	WRITE_ONCE(conn->await_fin, true);
	smcr_conn_end_wait(conn);
}

/* After a reset no byte is repeated. If no A can tell the peer, because C was
 * sent already, TCP's RST does: any message would announce bytes that are not
 * there. A goes out also if the connection is away, and its answer counts.
 */
static void end_silence(struct smcr_conn *conn, u32 actions)
{
	smcr_failover_tx_silence(&conn->tx.fo);
	conn->tx.mute &= ~SMCR_TX_MUTE_AWAY;
	smcr_cdc_unpark(conn);
	if (!(actions & SMCR_CONN_SEND_ABORT))
		conn->tx.mute |= SMCR_TX_MUTE_END;
}

/**
 * smcr_conn_end_event() - apply an event to a connection
 * @conn: the connection
 * @event: what happened
 *
 * An event may order a message, so it pushes, and a push may raise an event: at
 * most one, so the two nest once. smcr_conn_end_flushed() raises
 * SMCR_CONN_EV_FLUSH_DONE or SMCR_CONN_EV_FLUSH_CLOSE after it has cleared
 * conn->flush, which only an event of the application sets. tx_post() raises
 * SMCR_CONN_EV_ABORT_SENT after A, which conn->tx.final makes the last message,
 * and a reset that orders A has cleared conn->flush before.
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_end_event(struct smcr_conn *conn, enum smcr_conn_event event)
{
	enum smcr_conn_state old = conn->fsm.state;
	u32 actions;

	lockdep_assert_held(&conn->lock);
	if (WARN_ON_ONCE(smcr_conn_state_step(&conn->fsm, event, &actions)))
		return;
	if (old != conn->fsm.state)
		trace_smcr_conn_state(conn->lgr->id, conn->id, old, event,
				      conn->fsm.state);
	if (actions & SMCR_CONN_EOF)
		end_eof(conn);
	if (actions & SMCR_CONN_RESET) {
		end_break(conn, old != SMCR_CONN_INIT);
		end_silence(conn, actions);
	}
	end_both(conn);
	if (actions & SMCR_CONN_FLUSH)
		end_flush(conn, event);
	end_flags(conn, actions);
	if (actions & SMCR_CONN_START_TIMER)
		smcr_conn_end_wait(conn);
	if (actions & SMCR_CONN_STOP_TIMER)
		smcr_conn_end_disarm(conn);
	end_await_fin(conn, actions);
	if (actions & WORK_ACTIONS) {
		conn->actions |= actions & WORK_ACTIONS;
		smcr_conn_end_queue(conn);
	}
	if (actions & SMCR_CONN_FLUSH || conn->tx.due)
		smcr_tx_push_locked(conn);
}

/**
 * smcr_conn_end_flushed() - go on with a close if all bytes are written
 * @conn: the connection
 *
 * The RFC lets a pending shutdown or close go on when the writes have completed
 * (4.8.1, 3A). Here D and C follow the writes on the same queue pair, which
 * delivers in order, so they cannot arrive first.
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_end_flushed(struct smcr_conn *conn)
{
	enum smcr_conn_flush flush = conn->flush;

	lockdep_assert_held(&conn->lock);
	if (flush == SMCR_CONN_FLUSH_NONE ||
	    conn->tx.nxt != READ_ONCE(conn->tx.end))
		return;
	conn->flush = SMCR_CONN_FLUSH_NONE;
	smcr_conn_end_event(conn, flush == SMCR_CONN_FLUSH_CLOSE ?
			 SMCR_CONN_EV_FLUSH_CLOSE : SMCR_CONN_EV_FLUSH_DONE);
}

/**
 * smcr_conn_end_confirmed() - go on with a close that waits for a completion,
 *	or for F to be posted
 * @conn: the connection
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_end_confirmed(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->actions & SMCR_CONN_CLOSE_TCP &&
	    smcr_conn_move_at_rest(conn))
		smcr_conn_end_queue(conn);
}

static bool reason_is_link(enum smcr_reset_reason reason)
{
	switch (reason) {
	case SMCR_RESET_LINK_DOWN:
	case SMCR_RESET_GROUP_DELETED:
	case SMCR_RESET_DEVICE_REMOVED:
	case SMCR_RESET_NETNS_EXIT:
	case SMCR_RESET_UNLOAD:
		return true;
	default:
		return false;
	}
}

/* Does this reason only take away what is not needed any more? It does if the
 * peer has closed and its application has read all that we wrote. A peer that
 * has waited too long for our close() sends a RST (4.8.1), which must not
 * disturb the slow reader here.
 */
static bool end_harmless(const struct smcr_conn *conn,
			 enum smcr_reset_reason reason)
{
	if (conn->fsm.state != SMCR_CONN_APPL_CLOSE_WAIT1 &&
	    conn->fsm.state != SMCR_CONN_APPL_CLOSE_WAIT2 &&
	    conn->fsm.state != SMCR_CONN_APPL_FIN_CLOSE_WAIT)
		return false;
	return conn->fsm.peer_closed &&
	       READ_ONCE(conn->tx.end) == conn->rx.peer.cons &&
	       (reason_is_link(reason) || reason == SMCR_RESET_TCP_RST ||
		reason == SMCR_RESET_RMBE_CONFLICT);
}

/* Does the reader get the bytes that were announced before it gets the errno?
 * TCP's reader does, whatever the errno. Here it does only after a time-out of
 * a connection whose address has left the host, which says nothing against the
 * peer: what had been announced could be read until then.
 */
static bool end_keeps(const struct smcr_conn *conn,
		      enum smcr_reset_reason reason, int err)
{
	return reason == SMCR_RESET_ADDRESS_GONE ||
	       (err == ETIMEDOUT && conn->tx.mute & SMCR_TX_MUTE_AWAY);
}

/**
 * smcr_conn_end_reset_locked() - end a connection at once (4.8.2)
 * @conn: the connection
 * @reason: counted and traced
 * @err: errno for the application, positive
 *
 * Bytes that the peer put before its D or C stay readable, and after a time-out
 * without the local address those that it had announced.
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_end_reset_locked(struct smcr_conn *conn,
				enum smcr_reset_reason reason, int err)
{
	lockdep_assert_held(&conn->lock);
	if (end_harmless(conn, reason)) {
		smcr_conn_end_event(conn, SMCR_CONN_EV_PEER_GONE);
		return;
	}
	if (!conn->reset_err) {
		conn->reset_reason = reason;
		if (end_keeps(conn, reason, err))
			conn->rx.kept = conn->rx.peer.prod;
		/* Pairs with the acquire in smcr_rx_avail() */
		smp_store_release(&conn->reset_err, err);
	}
	smcr_conn_end_event(conn, reason_is_link(reason) ?
			 SMCR_CONN_EV_LINK_LOST : SMCR_CONN_EV_LOCAL_ABORT);
}

/**
 * smcr_conn_end_reset() - smcr_conn_end_reset_locked() that takes conn->lock
 * @conn: the connection
 * @reason: counted and traced
 * @err: errno for the application, positive
 *
 * Context: any, conn->lock not held.
 */
void smcr_conn_end_reset(struct smcr_conn *conn, enum smcr_reset_reason reason,
			 int err)
{
	spin_lock_bh(&conn->lock);
	smcr_conn_end_reset_locked(conn, reason, err);
	spin_unlock_bh(&conn->lock);
}

/**
 * smcr_conn_end_abort() - an administrator ends a connection
 * @conn: the connection, counted by the caller
 *
 * Both ends get what tcp_abort() gives those of a TCP connection, which "ss -K"
 * calls. That needs the TCP socket below, which may be closed: see tcp_watch.c.
 *
 * Context: any, conn->lock not held.
 * Return: 0; -EBUSY before the handshake is done; -ENOENT if TCP and the
 * application are done with it.
 */
int smcr_conn_end_abort(struct smcr_conn *conn)
{
	int err = 0;

	spin_lock_bh(&conn->lock);
	if (conn->fsm.state == SMCR_CONN_INIT)
		err = -EBUSY;
	else if (smcr_conn_end_over(conn))
		err = -ENOENT;
	else
		smcr_conn_end_reset_locked(conn, SMCR_RESET_OPERATOR,
					   ECONNABORTED);
	spin_unlock_bh(&conn->lock);
	return err;
}

/**
 * smcr_conn_end_lost_locked() - end a connection that cannot send any more
 * @conn: the connection
 * @reason: counted and traced
 * @err: errno for the application, positive
 *
 * If a connection that is CLOSED waits for the confirmation of its C, the peer
 * may not have that C, so TCP ends with a RST.
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_end_lost_locked(struct smcr_conn *conn,
			       enum smcr_reset_reason reason, int err)
{
	lockdep_assert_held(&conn->lock);
	if (reason == SMCR_RESET_RMBE_CONFLICT &&
	    smcr_conn_eof_freed(conn, false))
		return;
	smcr_conn_end_reset_locked(conn, reason, err);
	if (!(conn->actions & SMCR_CONN_CLOSE_TCP) || !reason_is_link(reason) ||
	    smcr_conn_move_at_rest(conn))
		return;
	conn->actions &= ~SMCR_CONN_CLOSE_TCP;
	conn->actions |= SMCR_CONN_RESET_TCP;
	conn->tx.mute |= SMCR_TX_MUTE_END;
	smcr_conn_end_queue(conn);
}

/**
 * smcr_conn_end_lost() - the group has ended, or the peer has deleted the RMB
 *	that the connection writes to
 * @conn: the connection
 * @reason: counted and traced
 * @err: errno for the application, positive
 *
 * Context: any, conn->lock not held.
 */
void smcr_conn_end_lost(struct smcr_conn *conn, enum smcr_reset_reason reason,
			int err)
{
	spin_lock_bh(&conn->lock);
	smcr_conn_end_lost_locked(conn, reason, err);
	spin_unlock_bh(&conn->lock);
}

/**
 * smcr_conn_end_over() - are TCP and the application done with a connection?
 * @conn: the connection
 *
 * The socket can then be released, though the element may still wait for the
 * peer (PeerAbortWait).
 *
 * Context: any; a hint without conn->lock.
 */
bool smcr_conn_end_over(const struct smcr_conn *conn)
{
	enum smcr_conn_state state = READ_ONCE(conn->fsm.state);

	return state == SMCR_CONN_CLOSED ||
	       state == SMCR_CONN_PROCESS_ABORT ||
	       state == SMCR_CONN_PEER_ABORT_WAIT;
}

/**
 * smcr_conn_end_timeout() - the close timer has fired
 * @conn: the connection
 *
 * An orphan whose peer still takes bytes gets more time.
 *
 * Context: process, the connection's work item.
 */
void smcr_conn_end_timeout(struct smcr_conn *conn)
{
	if (!test_and_clear_bit(SMCR_CONN_F_TIMEOUT, &conn->flags))
		return;
	spin_lock_bh(&conn->lock);
	if (conn->flush == SMCR_CONN_FLUSH_CLOSE &&
	    conn->tx.una != conn->last_una) {
		smcr_conn_end_wait(conn);
	} else if (conn->fsm.state != SMCR_CONN_CLOSED) {
		if (!conn->reset_err) {
			conn->reset_reason =
				conn->flush == SMCR_CONN_FLUSH_CLOSE ?
				SMCR_RESET_ORPHAN_TIMEOUT :
				SMCR_RESET_CLOSE_TIMEOUT;
			/* Pairs with the acquire in smcr_rx_avail() */
			smp_store_release(&conn->reset_err, ETIMEDOUT);
		}
		smcr_conn_end_event(conn, SMCR_CONN_EV_TIMEOUT);
	}
	WRITE_ONCE(conn->await_fin, false);
	spin_unlock_bh(&conn->lock);
}

/**
 * smcr_conn_end_done() - like smcr_conn_end_over(), and may TCP end?
 * @conn: the connection
 *
 * Context: the connection's work item.
 */
bool smcr_conn_end_done(struct smcr_conn *conn)
{
	bool waits;

	spin_lock_bh(&conn->lock);
	waits = conn->actions & SMCR_CONN_CLOSE_TCP;
	spin_unlock_bh(&conn->lock);
	return smcr_conn_end_over(conn) && !waits;
}

/* Which of the ordered actions have to wait? Our C may have to be repeated over
 * another link. Until it is confirmed, the connection stays in the group, and
 * TCP open: if the last link fails before, a RST tells the peer, which would
 * take a FIN for a sign that C is about to come.
 *
 * The peer may have to repeat its C and its last bytes, too, if the group has
 * or had another link. So the element is held until the peer's FIN says that it
 * will not.
 */
static u32 actions_waiting(const struct smcr_conn *conn, bool await_fin)
{
	lockdep_assert_held(&conn->lock);
	if (conn->tx.mute & SMCR_TX_MUTE_END)
		return 0;
	if (conn->actions & SMCR_CONN_CLOSE_TCP &&
	    !smcr_conn_move_at_rest(conn))
		return conn->actions & (SMCR_CONN_CLOSE_TCP | SMCR_CONN_FREE);
	return await_fin && smcr_lgr_repeats(conn->lgr) ?
	       conn->actions & SMCR_CONN_FREE : 0;
}

/* May the peer still write to the element of a connection that is CLOSED? */
static bool peer_may_write(const struct smcr_conn *conn)
{
	if (conn->rx.eof.unproven)
		return true;
	return smcr_lgr_repeats(conn->lgr) &&
	       !(conn->rx.peer.flags & SMCR_CDC_A) &&
	       !test_bit(SMCR_CONN_F_TCP_FIN, &conn->flags);
}

/**
 * smcr_conn_end_act() - carry out actions that need process context
 * @conn: the connection
 * @await_fin: TCP stays open until the peer's FIN comes
 *
 * Removes the connection from its group, link and device if that was ordered.
 * Actions that have to wait are left for a later call.
 *
 * Context: process, the connection's work item.
 * Return: the actions that are left, which end TCP: bits of
 * SMCR_CONN_END_TCP_ACTIONS.
 */
u32 smcr_conn_end_act(struct smcr_conn *conn, bool await_fin)
{
	u32 actions, waiting;
	bool late;

	spin_lock_bh(&conn->lock);
	waiting = actions_waiting(conn, await_fin);
	actions = conn->actions & ~waiting;
	conn->actions = waiting;
	late = peer_may_write(conn);
	spin_unlock_bh(&conn->lock);
	if (actions & SMCR_CONN_QUARANTINE ||
	    (actions & SMCR_CONN_FREE && late))
		smcr_conn_unlink(conn, SMCR_RMBE_END_ABNORMAL);
	else if (actions & SMCR_CONN_FREE)
		smcr_conn_unlink(conn, SMCR_RMBE_END_ORDERLY);
	return actions & SMCR_CONN_END_TCP_ACTIONS;
}

/**
 * smcr_conn_end_init() - initialize the work item and timer of a new connection
 * @conn: the connection
 * @work: the socket layer's function of the work item, which calls
 *	smcr_conn_end_timeout() and smcr_conn_end_act() and ends TCP
 *
 * Context: process.
 */
void smcr_conn_end_init(struct smcr_conn *conn, work_func_t work)
{
	INIT_WORK(&conn->work, work);
	timer_setup(&conn->timer, end_timer, 0);
}
