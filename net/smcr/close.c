// SPDX-License-Identifier: GPL-2.0
/*
 * Connection termination (RFC 7609 4.8): carries out what conn_state.c orders.
 *
 * An event may come from the application (process, outer sock lock held), from
 * CDC messages and completions (softirq), from TCP (softirq, inner slock held),
 * from a timer or from the group. All of them lead to smcr_close_event(), which
 * runs under conn->lock and does at once what any context can do: flags,
 * wake-ups, CDC messages. Actions that need process context (TCP, the element)
 * are left in conn->actions for the connection's work item.
 *
 * The work item takes the outer sock lock to end TCP and to release a socket
 * that was closed. It does not wait for the lock: if a reader holds it, in a
 * copy that may stall, smcr_sock_own() has the work item queued again when the
 * reader releases it. Nothing waits for the work item either: before it needs
 * the sock lock it has removed the connection from group, link and device. So a
 * stalled reader delays the end of its own socket and nothing else.
 */
#include <linux/net.h>
#include <net/sock.h>
#include <net/tcp_states.h>
#include <trace/events/smcr.h>

#include "close.h"
#include "conn.h"
#include "inner.h"
#include "lgr.h"
#include "mib.h"
#include "sock.h"
#include "tx.h"

/* How long, in ms, a RST waits for the C that it may have overtaken, in
 * addition to the time in which a queue pair repeats a lost packet.
 */
#define CLOSE_RST_GRACE_MS	200

/* Actions that need process context. */
#define WORK_ACTIONS	(SMCR_CONN_CLOSE_TCP | SMCR_CONN_RESET_TCP | \
			 SMCR_CONN_FREE | SMCR_CONN_QUARANTINE)

/* Actions that end TCP, which needs the outer sock lock. */
#define SOCK_ACTIONS	(SMCR_CONN_CLOSE_TCP | SMCR_CONN_RESET_TCP)

/**
 * smcr_close_queue() - queue the connection's work item
 * @conn: the connection, counted by the caller
 *
 * Context: any.
 */
void smcr_close_queue(struct smcr_conn *conn)
{
	/* Queued work owns a reference */
	smcr_conn_get(conn);
	if (!queue_work(smcr_close_wq, &conn->work))
		smcr_conn_put(conn);
}

/* An armed timer owns a reference, which is taken before it can fire. */
static void close_arm(struct smcr_conn *conn, unsigned int msecs)
{
	smcr_conn_get(conn);
	if (mod_timer(&conn->timer, jiffies + msecs_to_jiffies(msecs)))
		smcr_conn_put(conn);
	conn->last_una = conn->tx.una;
}

static void close_disarm(struct smcr_conn *conn)
{
	if (timer_delete(&conn->timer))
		smcr_conn_put(conn);
}

static void close_timer(struct timer_list *timer)
{
	struct smcr_conn *conn = from_timer(conn, timer, timer);

	set_bit(SMCR_CONN_F_TIMEOUT, &conn->flags);
	smcr_close_queue(conn);
	smcr_conn_put(conn);
}

/* How long, in ms, to wait for the peer: for the answer to an abort, for room
 * for the rest of our bytes, or for its own close.
 */
static unsigned int close_patience(const struct smcr_conn *conn)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(conn->lgr->net)->sysctl;

	if (conn->fsm.state == SMCR_CONN_PEER_ABORT_WAIT)
		return READ_ONCE(ctl->abort_timeout_ms);
	if (conn->flush != SMCR_CONN_FLUSH_NONE)
		return READ_ONCE(ctl->orphan_timeout_ms);
	return READ_ONCE(ctl->close_timeout_ms);
}

/* The peer's stream has ended in order. Unread bytes stay readable. */
static void close_eof(struct smcr_conn *conn)
{
	struct sock *sk = conn->sk;

	if (!sk)
		return;
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | RCV_SHUTDOWN);
	if (sk->sk_state == TCP_ESTABLISHED)
		WRITE_ONCE(sk->sk_state, TCP_CLOSE_WAIT);
	sk->sk_state_change(sk);
	sk_wake_async(sk, SOCK_WAKE_WAITD,
		      sk->sk_shutdown == SHUTDOWN_MASK ? POLL_HUP : POLL_IN);
}

/* Close the socket if both directions have ended: TCP would be in TIME-WAIT or
 * past LAST-ACK, which a program does not see as a connection any more. Unread
 * bytes can still be read.
 */
static void close_both(struct smcr_conn *conn)
{
	struct sock *sk = conn->sk;

	if (!sk || sk->sk_state == TCP_CLOSE)
		return;
	switch (conn->fsm.state) {
	case SMCR_CONN_APP_CLOSE_WAIT2:
	case SMCR_CONN_APP_FIN_CLOSE_WAIT:
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

/* Return the errno of a reset. As with TCP, it is EPIPE if the reset comes
 * after the peer's end.
 */
static int close_errno(const struct smcr_conn *conn, const struct sock *sk)
{
	bool peers = conn->reset_reason == SMCR_RESET_PEER_ABORT ||
		     conn->reset_reason == SMCR_RESET_TCP_RST;

	return peers && sk->sk_state == TCP_CLOSE_WAIT ? EPIPE :
							 conn->reset_err;
}

/* @counted: the connection was established. One that was still being built may
 * go on as TCP, which its handshake counts.
 */
static void close_break(struct smcr_conn *conn, bool counted)
{
	struct sock *sk = conn->sk;

	if (!conn->reset_err) {
		conn->reset_reason = SMCR_RESET_PEER_ABORT;
		WRITE_ONCE(conn->reset_err, ECONNRESET);
	}
	if (counted)
		smcr_mib_reset(conn->lgr->net, conn->reset_reason);
	trace_smcr_reset(conn->lgr->id, conn->id, conn->reset_reason);
	conn->flush = SMCR_CONN_FLUSH_NONE;
	if (!sk)
		return;
	WRITE_ONCE(sk->sk_err, close_errno(conn, sk));
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	WRITE_ONCE(sk->sk_state, TCP_CLOSE);
	sk_error_report(sk);
	sk->sk_state_change(sk);
}

/* Note what follows the last accepted byte; a close stays a close. */
static void close_flush(struct smcr_conn *conn, enum smcr_conn_event event)
{
	if (event == SMCR_CONN_EV_APP_CLOSE)
		conn->flush = SMCR_CONN_FLUSH_CLOSE;
	else if (conn->flush == SMCR_CONN_FLUSH_NONE)
		conn->flush = SMCR_CONN_FLUSH_DONE;
}

static void close_flags(struct smcr_conn *conn, u32 actions)
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
 * port again.
 */
static void close_second(struct smcr_conn *conn, u32 actions)
{
	const u32 second = SMCR_CONN_SEND_CLOSE | SMCR_CONN_CLOSE_TCP;

	if ((actions & second) != second)
		return;
	conn->await_fin = true;
	close_arm(conn, close_patience(conn));
}

/* Does TCP have to stay open for that FIN? */
static bool close_awaits_fin(const struct smcr_conn *conn,
			     const struct sock *sk)
{
	return READ_ONCE(conn->await_fin) &&
	       smcr_inner_end(sk) == SMCR_INNER_OPEN;
}

/**
 * smcr_close_event() - apply an event to a connection
 * @conn: the connection
 * @event: what happened
 *
 * Context: any, conn->lock held.
 */
void smcr_close_event(struct smcr_conn *conn, enum smcr_conn_event event)
{
	enum smcr_conn_state old = conn->fsm.state;
	u32 actions;

	if (WARN_ON_ONCE(smcr_conn_state_step(&conn->fsm, event, &actions)))
		return;
	if (old != conn->fsm.state)
		trace_smcr_conn_state(conn->lgr->id, conn->id, old, event,
				      conn->fsm.state);
	if (actions & SMCR_CONN_EOF)
		close_eof(conn);
	if (actions & SMCR_CONN_RESET)
		close_break(conn, old != SMCR_CONN_INIT);
	close_both(conn);
	if (actions & SMCR_CONN_FLUSH)
		close_flush(conn, event);
	close_flags(conn, actions);
	if (actions & SMCR_CONN_START_TIMER)
		close_arm(conn, close_patience(conn));
	if (actions & SMCR_CONN_STOP_TIMER)
		close_disarm(conn);
	close_second(conn, actions);
	if (actions & WORK_ACTIONS) {
		conn->actions |= actions & WORK_ACTIONS;
		smcr_close_queue(conn);
	}
	if (actions & SMCR_CONN_FLUSH || conn->tx.due)
		smcr_tx_push_locked(conn);
}

/**
 * smcr_close_flushed() - go on with a close if all accepted bytes are written
 * @conn: the connection
 *
 * The RFC lets a pending shutdown or close go on when the writes have completed
 * (4.8.1, 3A). Here D and C follow the writes on the same queue pair, which
 * delivers in order, so they cannot arrive first.
 *
 * Context: any, conn->lock held.
 */
void smcr_close_flushed(struct smcr_conn *conn)
{
	enum smcr_conn_flush flush = conn->flush;

	if (flush == SMCR_CONN_FLUSH_NONE || conn->tx.nxt != conn->tx.end)
		return;
	conn->flush = SMCR_CONN_FLUSH_NONE;
	smcr_close_event(conn, flush == SMCR_CONN_FLUSH_CLOSE ?
			 SMCR_CONN_EV_FLUSH_CLOSE : SMCR_CONN_EV_FLUSH_DONE);
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
static bool close_harmless(const struct smcr_conn *conn,
			   enum smcr_reset_reason reason)
{
	if (conn->fsm.state != SMCR_CONN_APP_CLOSE_WAIT1 &&
	    conn->fsm.state != SMCR_CONN_APP_CLOSE_WAIT2 &&
	    conn->fsm.state != SMCR_CONN_APP_FIN_CLOSE_WAIT)
		return false;
	return conn->fsm.peer_closed && conn->tx.end == conn->rx.peer.cons &&
	       (reason_is_link(reason) || reason == SMCR_RESET_TCP_RST ||
		reason == SMCR_RESET_RMBE_CONFLICT);
}

/**
 * smcr_close_reset_locked() - end a connection at once (4.8.2)
 * @conn: the connection
 * @reason: counted and traced
 * @err: errno for the application, positive
 *
 * Bytes that the peer put before its D or C stay readable.
 *
 * Context: any, conn->lock held.
 */
void smcr_close_reset_locked(struct smcr_conn *conn,
			     enum smcr_reset_reason reason, int err)
{
	if (close_harmless(conn, reason)) {
		smcr_close_event(conn, SMCR_CONN_EV_PEER_GONE);
		return;
	}
	if (!conn->reset_err) {
		conn->reset_reason = reason;
		WRITE_ONCE(conn->reset_err, err);
	}
	smcr_close_event(conn, reason_is_link(reason) ?
			 SMCR_CONN_EV_LINK_LOST : SMCR_CONN_EV_LOCAL_ABORT);
}

/**
 * smcr_close_reset() - like smcr_close_reset_locked(), but takes conn->lock
 * @conn: the connection
 * @reason: counted and traced
 * @err: errno for the application, positive
 *
 * Context: any, conn->lock not held.
 */
void smcr_close_reset(struct smcr_conn *conn, enum smcr_reset_reason reason,
		      int err)
{
	spin_lock_bh(&conn->lock);
	smcr_close_reset_locked(conn, reason, err);
	spin_unlock_bh(&conn->lock);
}

/**
 * smcr_close_tcp_event() - TCP may have seen a FIN, a RST or an error
 * @sk: outer socket in mode RDMA
 *
 * Context: softirq, inner slock held; or process, outer sock lock held.
 */
void smcr_close_tcp_event(struct sock *sk)
{
	enum smcr_inner_end end = smcr_inner_end(sk);
	struct smcr_conn *conn;

	if (end == SMCR_INNER_OPEN)
		return;
	rcu_read_lock();
	conn = READ_ONCE(smcr_sk(sk)->conn);
	/* Report a FIN once, not each of TCP's steps to TIME-WAIT */
	if (conn && (end != SMCR_INNER_FIN ||
		     !test_and_set_bit(SMCR_CONN_F_TCP_FIN, &conn->flags)) &&
	    refcount_inc_not_zero(&conn->refs)) {
		set_bit(SMCR_CONN_F_TCP_EVENT, &conn->flags);
		smcr_close_queue(conn);
		smcr_conn_put(conn);
	}
	rcu_read_unlock();
}

/**
 * smcr_close_tcp_data_event() - TCP has bytes
 * @sk: outer socket in mode RDMA
 *
 * The peer's bytes belong on RDMA. A peer that sends some over TCP takes the
 * connection for plain TCP and would never see ours: out of sync (C.6).
 *
 * Context: softirq, inner slock held.
 */
void smcr_close_tcp_data_event(struct sock *sk)
{
	struct smcr_conn *conn;

	rcu_read_lock();
	conn = READ_ONCE(smcr_sk(sk)->conn);
	if (conn && !test_and_set_bit(SMCR_CONN_F_TCP_DATA, &conn->flags) &&
	    refcount_inc_not_zero(&conn->refs)) {
		set_bit(SMCR_CONN_F_TCP_EVENT, &conn->flags);
		smcr_close_queue(conn);
		smcr_conn_put(conn);
	}
	rcu_read_unlock();
}

/* Are TCP and the application done with the connection? The socket can then be
 * released, though the element may still wait for the peer (PeerAbortWait).
 */
static bool close_over(const struct smcr_conn *conn)
{
	return conn->fsm.state == SMCR_CONN_CLOSED ||
	       conn->fsm.state == SMCR_CONN_PROCESS_ABORT ||
	       conn->fsm.state == SMCR_CONN_PEER_ABORT_WAIT;
}

/* TCP may overtake what the peer's queue pair sent before. So a FIN proves
 * nothing until the peer's C has arrived, which must be soon. A RST ends the
 * connection (4.8.2). But if the peer's C is on its way, so are all bytes
 * before it, and they get a moment to arrive.
 */
static void close_tcp(struct smcr_conn *conn, struct sock *sk)
{
	enum smcr_inner_end end = smcr_inner_end(sk);

	spin_lock_bh(&conn->lock);
	if (close_over(conn))
		goto out;
	if (end == SMCR_INNER_FAILED && conn->fsm.peer_closed)
		smcr_close_reset_locked(conn, SMCR_RESET_TCP_RST, ECONNRESET);
	else if (end == SMCR_INNER_FAILED &&
		 !test_and_set_bit(SMCR_CONN_F_TCP_RST, &conn->flags))
		close_arm(conn, CLOSE_RST_GRACE_MS +
			  smcr_sysctl_qp_repeat_ms(conn->lgr->net));
	else if (test_bit(SMCR_CONN_F_TCP_DATA, &conn->flags))
		smcr_close_reset_locked(conn, SMCR_RESET_TCP_DATA, ECONNRESET);
	else if (end == SMCR_INNER_FIN && !conn->fsm.peer_closed)
		close_arm(conn, close_patience(conn));
out:
	spin_unlock_bh(&conn->lock);
}

/* An orphan whose peer still takes bytes gets more time. */
static void close_timeout(struct smcr_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (test_bit(SMCR_CONN_F_TCP_RST, &conn->flags) && !close_over(conn)) {
		smcr_close_reset_locked(conn, SMCR_RESET_TCP_RST, ECONNRESET);
	} else if (conn->flush == SMCR_CONN_FLUSH_CLOSE &&
		   conn->tx.una != conn->last_una) {
		close_arm(conn, close_patience(conn));
	} else if (conn->fsm.state != SMCR_CONN_CLOSED) {
		if (!conn->reset_err) {
			conn->reset_reason =
				conn->flush == SMCR_CONN_FLUSH_CLOSE ?
				SMCR_RESET_ORPHAN_TIMEOUT :
				SMCR_RESET_CLOSE_TIMEOUT;
			WRITE_ONCE(conn->reset_err, ETIMEDOUT);
		}
		smcr_close_event(conn, SMCR_CONN_EV_TIMEOUT);
	}
	WRITE_ONCE(conn->await_fin, false);
	spin_unlock_bh(&conn->lock);
}

static void close_sock(struct smcr_conn *conn, struct sock *sk, u32 actions)
{
	bool let_go;

	if (!smcr_sock_own(sk, SMCR_SOCK_D_CLOSE)) {
		/* Kept for the next run, which starts after this one's end */
		spin_lock_bh(&conn->lock);
		conn->actions |= actions & SOCK_ACTIONS;
		spin_unlock_bh(&conn->lock);
		return;
	}
	if (smcr_sk(sk)->conn != conn || close_awaits_fin(conn, sk))
		goto out;
	let_go = sock_flag(sk, SOCK_DEAD) && close_over(conn);
	if (actions & SMCR_CONN_RESET_TCP)
		smcr_inner_abort(sk);
	else if (actions & SMCR_CONN_CLOSE_TCP && !let_go)
		kernel_sock_shutdown(smcr_sk(sk)->inner, SHUT_RDWR);
	if (let_go) {
		if (conn->await_fin)
			close_disarm(conn);
		smcr_inner_release(sk);
		smcr_conn_detach(conn);
		atomic_dec(&smcr_pernet(conn->lgr->net)->orphans);
		smcr_mib_inc(conn->lgr->net, SMCR_MIB_ORPHANSCLOSED);
	}
out:
	release_sock(sk);
}

static void close_work(struct work_struct *work)
{
	struct smcr_conn *conn = container_of(work, struct smcr_conn, work);
	struct sock *sk;
	u32 actions;

	spin_lock_bh(&conn->lock);
	sk = conn->sk;
	if (sk)
		sock_hold(sk);
	spin_unlock_bh(&conn->lock);
	if (test_and_clear_bit(SMCR_CONN_F_TIMEOUT, &conn->flags))
		close_timeout(conn);
	if (test_and_clear_bit(SMCR_CONN_F_TCP_EVENT, &conn->flags) && sk)
		close_tcp(conn, sk);
	spin_lock_bh(&conn->lock);
	actions = conn->actions;
	conn->actions = 0;
	spin_unlock_bh(&conn->lock);
	if (actions & SMCR_CONN_FREE)
		smcr_conn_unlink(conn, SMCR_RMBE_END_ORDERLY);
	else if (actions & SMCR_CONN_QUARANTINE)
		smcr_conn_unlink(conn, SMCR_RMBE_END_ABNORMAL);
	if (sk) {
		close_sock(conn, sk, actions);
		sock_put(sk);
	}
	smcr_conn_put(conn);
}

static void close_cork_timer(struct timer_list *timer)
{
	struct smcr_conn *conn = from_timer(conn, timer, cork_timer);

	spin_lock(&conn->lock);
	conn->tx.hold = false;
	smcr_tx_push_locked(conn);
	spin_unlock(&conn->lock);
	smcr_conn_put(conn);
}

/**
 * smcr_close_init() - initialize the work item and timers of a new connection
 * @conn: the connection
 *
 * Context: process.
 */
void smcr_close_init(struct smcr_conn *conn)
{
	INIT_WORK(&conn->work, close_work);
	timer_setup(&conn->timer, close_timer, 0);
	timer_setup(&conn->cork_timer, close_cork_timer, 0);
}

/**
 * smcr_close_shutdown() - shutdown() on an RDMA connection (4.8.1)
 * @sk: outer socket in mode RDMA
 * @how: RCV_SHUTDOWN, SEND_SHUTDOWN or both
 *
 * The RFC resets a connection that is shut down both ways with unread bytes.
 * With TCP they can be read until close(), and so it is here: this function
 * sends D, and close() decides about unread bytes.
 *
 * Context: process, outer sock lock held.
 * Return: 0.
 */
int smcr_close_shutdown(struct sock *sk, int how)
{
	struct smcr_conn *conn = smcr_sk(sk)->conn;

	if (!conn)
		return 0;
	spin_lock_bh(&conn->lock);
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | how);
	conn->tx.hold = false;
	if (how & SEND_SHUTDOWN)
		smcr_close_event(conn, SMCR_CONN_EV_APP_SHUTDOWN);
	spin_unlock_bh(&conn->lock);
	sk->sk_state_change(sk);
	return 0;
}

/* SO_LINGER: wait until the peer has all bytes, or the time is up. */
static void close_linger(struct sock *sk, struct smcr_conn *conn, long timeout)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(sk_sleep(sk), &wait);
	while (timeout && !signal_pending(current)) {
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		if (!smcr_tx_unacked(conn) || close_over(conn))
			break;
		sk_wait_event(sk, &timeout,
			      READ_ONCE(conn->tx.una) ==
			      READ_ONCE(conn->tx.end) || sk->sk_err, &wait);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
}

static bool orphan_count(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);

	if (atomic_inc_return(&sn->orphans) <=
	    READ_ONCE(sn->sysctl.max_orphans)) {
		smcr_mib_inc(net, SMCR_MIB_ORPHANSOPENED);
		return true;
	}
	atomic_dec(&sn->orphans);
	return false;
}

/* Leave a connection that still waits for something as an orphan. If there are
 * too many of them, it ends with a reset, as with TCP.
 */
static bool close_orphan(struct smcr_conn *conn, const struct sock *sk)
{
	if (close_over(conn) && !close_awaits_fin(conn, sk))
		return false;
	if (orphan_count(conn->lgr->net))
		return true;
	if (!close_over(conn))
		smcr_close_reset(conn, SMCR_RESET_ORPHAN_LIMIT, ECONNRESET);
	return false;
}

/**
 * smcr_close_release() - close() on an RDMA connection (4.8.1)
 * @sk: outer socket in mode RDMA; becomes an orphan when this returns
 * @timeout: jiffies for which SO_LINGER lets close() wait until the bytes are
 *	out, or 0
 *
 * With unread bytes, or SO_LINGER of zero seconds, the connection is reset
 * (3A). Otherwise it lives on until its accepted bytes are written and the peer
 * has closed, too, or a timer says that the peer never will; and, if the peer
 * closed first, until the peer's FIN has come. If there are more orphans than
 * net.smcr.max_orphans, it is reset instead. If smcr_sk(sk)->conn is still set
 * on return, close_work() releases the inner socket and drops the connection's
 * reference to @sk; otherwise the caller ends the inner socket.
 *
 * Context: process, outer sock lock held; released while waiting.
 */
void smcr_close_release(struct sock *sk, long timeout)
{
	struct smcr_conn *conn = smcr_sk(sk)->conn;
	bool unread, abort;

	if (!conn)
		return;
	smcr_conn_get(conn);
	/* The peer's C is not awaited any more */
	if (test_bit(SMCR_CONN_F_TCP_RST, &conn->flags))
		smcr_close_reset(conn, SMCR_RESET_TCP_RST, ECONNRESET);
	unread = conn->rx.peer.prod != conn->rx.cons;
	abort = unread ||
		(sock_flag(sk, SOCK_LINGER) && !sk->sk_lingertime);
	spin_lock_bh(&conn->lock);
	conn->tx.hold = false;
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	if (abort && !close_over(conn))
		smcr_close_reset_locked(conn, unread ? SMCR_RESET_UNREAD_DATA :
					SMCR_RESET_LINGER, ECONNRESET);
	else
		smcr_close_event(conn, SMCR_CONN_EV_APP_CLOSE);
	spin_unlock_bh(&conn->lock);
	if (timeout && !abort)
		close_linger(sk, conn, timeout);
	if (!close_orphan(conn, sk)) {
		if (conn->await_fin)
			close_disarm(conn);
		if (conn->reset_err)
			smcr_inner_abort(sk);
		smcr_conn_detach(conn);
	}
	smcr_conn_put(conn);
}
