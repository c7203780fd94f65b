// SPDX-License-Identifier: GPL-2.0
/*
 * The socket's side of the end of a connection (RFC 7609 4.8): shutdown(),
 * close(), what TCP reports, and the end of TCP. The state machine is driven
 * by conn_end.c.
 *
 * A connection's work item takes the outer sock lock to end TCP and to release
 * a socket that was closed. It does not wait for the lock: if a reader holds
 * it, in a copy that may stall, smcr_sock_own() has the work item queued again
 * when the reader releases it. Nothing waits for the work item either: before
 * it needs the sock lock it has removed the connection from group, link and
 * device. So a stalled reader delays the end of its own socket and nothing
 * else.
 */
#include <linux/lockdep.h>
#include <linux/net.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "close.h"
#include "conn.h"
#include "conn_end.h"
#include "conn_tcp.h"
#include "inner.h"
#include "lgr.h"
#include "mib.h"
#include "sock.h"
#include "tx.h"

/* Does TCP have to stay open for that FIN? */
static bool close_awaits_fin(const struct smcr_conn *conn,
			     const struct sock *sk)
{
	return READ_ONCE(conn->await_fin) &&
	       smcr_inner_end(sk) == SMCR_INNER_OPEN;
}

/**
 * smcr_close_tcp_event() - TCP may have seen a FIN, a RST or an error
 * @sk: outer socket in mode RDMA
 *
 * Context: any; TCP's events come under the inner socket's sk_callback_lock,
 * but not all of them under its slock; process context, outer sock lock held.
 */
void smcr_close_tcp_event(struct sock *sk)
{
	enum smcr_inner_end end = smcr_inner_end(sk);
	struct smcr_conn *conn;

	/* The caller keeps @sk from being released. */
	lockdep_assert(lockdep_sock_is_held(sk) ||
		       lockdep_is_held(&smcr_sk(sk)->inner->sk
					->sk_callback_lock));
	if (end == SMCR_INNER_OPEN)
		return;
	rcu_read_lock();
	conn = READ_ONCE(smcr_sk(sk)->conn);
	/* Report a FIN once, not each of TCP's steps to TIME-WAIT */
	if (conn && (end != SMCR_INNER_FIN ||
		     !test_and_set_bit(SMCR_CONN_F_TCP_FIN, &conn->flags)) &&
	    refcount_inc_not_zero(&conn->refs)) {
		set_bit(SMCR_CONN_F_TCP_EVENT, &conn->flags);
		smcr_conn_end_queue(conn);
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
 * Context: any, inner slock or inner sock lock held.
 */
void smcr_close_tcp_data_event(struct sock *sk)
{
	struct smcr_conn *conn;

	lockdep_assert(lockdep_sock_is_held(smcr_sk(sk)->inner->sk));
	rcu_read_lock();
	conn = READ_ONCE(smcr_sk(sk)->conn);
	if (conn && !test_and_set_bit(SMCR_CONN_F_TCP_DATA, &conn->flags) &&
	    refcount_inc_not_zero(&conn->refs)) {
		set_bit(SMCR_CONN_F_TCP_EVENT, &conn->flags);
		smcr_conn_end_queue(conn);
		smcr_conn_put(conn);
	}
	rcu_read_unlock();
}

/* Does this errno of TCP end the connection at once? It does if an
 * administrator has ended TCP ("ss -K"). If TCP has given up (SO_KEEPALIVE), it
 * does as far as TCP decides at all. The peer does not send C because of that,
 * so nothing has to be waited for.
 */
static bool ends_here(const struct smcr_conn *conn, int err)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(conn->lgr->net)->sysctl;

	if (!err || err == ECONNRESET || err == EPIPE)
		return false;
	return err == ECONNABORTED || conn->fsm.peer_closed ||
	       READ_ONCE(ctl->tcp_reset_ends);
}

/* Has the peer said that its stream ends, also if that does not count yet? */
static bool peer_ends(const struct smcr_conn *conn)
{
	u16 flags = conn->rx.peer.flags | conn->rx.peer.held;

	lockdep_assert_held(&conn->lock);
	return flags & (SMCR_CDC_D | SMCR_CDC_C);
}

/* TCP may overtake what the peer's queue pair sent before. So a FIN proves
 * nothing until the peer's C has arrived, which must be soon. After D it proves
 * nothing either, and nothing need follow soon: Linux passes shutdown(SHUT_WR)
 * on to TCP, and its program may then read for as long as it likes. Whether a
 * RST ends the connection (4.8.2), the peer decides: see tcp_watch.c.
 */
static void close_tcp(struct smcr_conn *conn, struct sock *sk)
{
	enum smcr_inner_end end = smcr_inner_end(sk);
	int err = smcr_inner_errno(sk);

	spin_lock_bh(&conn->lock);
	if (smcr_conn_end_over(conn))
		goto out;
	if (ends_here(conn, err))
		smcr_conn_end_reset_locked(conn, SMCR_RESET_TCP_RST, err);
	else if (end == SMCR_INNER_FAILED && conn->fsm.peer_closed)
		smcr_conn_end_reset_locked(conn, SMCR_RESET_TCP_RST,
					   ECONNRESET);
	else if (test_bit(SMCR_CONN_F_TCP_DATA, &conn->flags))
		smcr_conn_end_reset_locked(conn, SMCR_RESET_TCP_DATA,
					   ECONNRESET);
	else if (end == SMCR_INNER_FAILED)
		smcr_conn_tcp_failed(conn, err);
	else if (end == SMCR_INNER_FIN && !peer_ends(conn))
		smcr_conn_end_wait(conn);
out:
	spin_unlock_bh(&conn->lock);
}

/* Look at the idle TCP connection, if it is time: see tcp_watch.c. After a FIN
 * the end is near, and TCP is not watched any more.
 */
static void close_watch(struct smcr_conn *conn, struct sock *sk)
{
	unsigned long heard;

	if (test_and_clear_bit(SMCR_CONN_F_TCP_GONE, &conn->flags) &&
	    smcr_sk(sk)->inner && !smcr_conn_end_over(conn))
		smcr_inner_reserve_port(sk);
	if (!test_and_clear_bit(SMCR_CONN_F_TCP_TICK, &conn->flags) ||
	    !smcr_inner_heard(sk, &heard))
		return;
	if (smcr_conn_tcp_tick(conn, heard) && smcr_inner_probe(sk))
		smcr_mib_inc(conn->lgr->net, SMCR_MIB_TCPPROBES);
}

static void close_sock(struct smcr_conn *conn, struct sock *sk, u32 actions)
{
	bool let_go;

	if (!smcr_sock_own(sk, SMCR_SOCK_D_CLOSE)) {
		/* Kept for the next run, which starts after this one's end */
		spin_lock_bh(&conn->lock);
		conn->actions |= actions & SMCR_CONN_END_TCP_ACTIONS;
		spin_unlock_bh(&conn->lock);
		return;
	}
	if (smcr_sk(sk)->conn != conn)
		goto out;
	close_watch(conn, sk);
	/* A RST does not wait: it tells the peer that our C may be lost. */
	if (!(actions & SMCR_CONN_RESET_TCP) && close_awaits_fin(conn, sk)) {
		if (actions & SMCR_CONN_CLOSE_TCP && READ_ONCE(conn->fin_first))
			smcr_inner_shutdown(sk);
		goto out;
	}
	let_go = sock_flag(sk, SOCK_DEAD) && smcr_conn_end_done(conn);
	if (actions & SMCR_CONN_RESET_TCP)
		smcr_inner_abort(sk);
	else if (actions & SMCR_CONN_CLOSE_TCP && !let_go)
		smcr_inner_shutdown(sk);
	if (let_go) {
		smcr_inner_release(sk);
		smcr_conn_detach(conn);
		atomic_dec(&smcr_pernet(conn->lgr->net)->orphans);
		smcr_mib_inc(conn->lgr->net, SMCR_MIB_ORPHANSCLOSED);
	}
out:
	release_sock(sk);
}

/**
 * smcr_close_work() - the work item of a connection
 * @work: in the connection, whose reference it owns
 *
 * Context: process.
 */
void smcr_close_work(struct work_struct *work)
{
	struct smcr_conn *conn = container_of(work, struct smcr_conn, work);
	struct sock *sk;
	u32 actions;

	spin_lock_bh(&conn->lock);
	sk = conn->sk;
	if (sk)
		sock_hold(sk);
	spin_unlock_bh(&conn->lock);
	smcr_conn_end_timeout(conn);
	if (test_and_clear_bit(SMCR_CONN_F_TCP_EVENT, &conn->flags) && sk)
		close_tcp(conn, sk);
	actions = smcr_conn_end_act(conn, sk && close_awaits_fin(conn, sk));
	if (sk) {
		close_sock(conn, sk, actions);
		sock_put(sk);
	}
	smcr_conn_put(conn);
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

	sock_owned_by_me(sk);
	if (!conn)
		return 0;
	spin_lock_bh(&conn->lock);
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | how);
	WRITE_ONCE(conn->tx.hold, false);
	if (how & SEND_SHUTDOWN)
		smcr_conn_end_event(conn, SMCR_CONN_EV_APP_SHUTDOWN);
	spin_unlock_bh(&conn->lock);
	sk->sk_state_change(sk);
	return 0;
}

/* SO_LINGER: wait until the peer has all bytes, or the time is up. */
static void close_linger(struct sock *sk, struct smcr_conn *conn, long timeout)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	sock_owned_by_me(sk);
	add_wait_queue(sk_sleep(sk), &wait);
	while (timeout && !signal_pending(current)) {
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		if (!smcr_tx_unacked(conn) || smcr_conn_end_over(conn))
			break;
		sk_wait_event(sk, &timeout,
			      READ_ONCE(conn->tx.una) ==
			      READ_ONCE(conn->tx.end) ||
			      READ_ONCE(sk->sk_err) || smcr_conn_end_over(conn),
			      &wait);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
}

static bool __must_check orphan_count(struct net *net)
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
	if (smcr_conn_end_over(conn) && !close_awaits_fin(conn, sk))
		return false;
	if (orphan_count(conn->lgr->net))
		return true;
	if (!smcr_conn_end_over(conn))
		smcr_conn_end_reset(conn, SMCR_RESET_ORPHAN_LIMIT, ECONNRESET);
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
 * on return, smcr_close_work() releases the inner socket and drops the
 * connection's reference to @sk; otherwise the caller ends the inner socket.
 *
 * Context: process, outer sock lock held; released while waiting.
 */
void smcr_close_release(struct sock *sk, long timeout)
{
	struct smcr_conn *conn = smcr_sk(sk)->conn;
	bool unread, abort;

	sock_owned_by_me(sk);
	if (!conn)
		return;
	smcr_conn_get(conn);
	/* The peer's C is not awaited any more */
	if (smcr_conn_tcp_ending(conn))
		smcr_conn_end_reset(conn, SMCR_RESET_TCP_RST, ECONNRESET);
	spin_lock_bh(&conn->lock);
	unread = conn->rx.peer.prod != conn->rx.cons;
	abort = unread ||
		(sock_flag(sk, SOCK_LINGER) && !sk->sk_lingertime);
	WRITE_ONCE(conn->tx.hold, false);
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	if (abort && !smcr_conn_end_over(conn))
		smcr_conn_end_reset_locked(conn, unread ?
					   SMCR_RESET_UNREAD_DATA :
					   SMCR_RESET_LINGER, ECONNRESET);
	else
		smcr_conn_end_event(conn, SMCR_CONN_EV_APP_CLOSE);
	spin_unlock_bh(&conn->lock);
	if (timeout && !abort)
		close_linger(sk, conn, timeout);
	if (!close_orphan(conn, sk)) {
		if (READ_ONCE(conn->reset_err))
			smcr_inner_abort(sk);
		smcr_conn_detach(conn);
	}
	smcr_conn_put(conn);
}
