// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that make and end a connection: bind, connect, listen, accept,
 * shutdown, close. Their states, waits and errors are TCP's.
 *
 * The outer sock lock is released during each wait. In mode FALLBACK a call
 * that may wait passes to the inner socket without it.
 */
#include <linux/module.h>
#include <linux/net.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <net/inet_common.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "close.h"
#include "conn.h"
#include "conn_end.h"
#include "connect.h"
#include "fallback.h"
#include "hs.h"
#include "inner.h"
#include "listen.h"
#include "sock.h"

/* Returned in place of an errno: the inner socket serves this call. */
#define ASK_TCP		1

static struct socket *inner_of(const struct socket *sock)
{
	return smcr_sk(sock->sk)->inner;
}

/* For calls after which TCP may send: TCP then sees the program's file. */
static struct socket *inner_with_file(struct socket *sock)
{
	smcr_inner_lend(sock->sk, sock->file);
	return inner_of(sock);
}

static int ops_bind(struct socket *sock, struct sockaddr *addr, int len)
{
	struct socket *inner = inner_with_file(sock);
	int err = READ_ONCE(inner->ops)->bind(inner, addr, len);

	if (!err)
		smcr_inner_show(sock->sk);
	return err;
}

static void drop_accept_q(struct sock *sk)
{
	struct smcr_sock *smcr = smcr_sk(sk);
	struct smcr_sock *child, *next;
	LIST_HEAD(gone);

	spin_lock_bh(&smcr->accept_lock);
	list_splice_init(&smcr->accept_q, &gone);
	WRITE_ONCE(smcr->accept_len, 0);
	WRITE_ONCE(sk->sk_ack_backlog, 0);
	spin_unlock_bh(&smcr->accept_lock);
	list_for_each_entry_safe(child, next, &gone, accept_node) {
		list_del_init(&child->accept_node);
		smcr_sock_drop_child(&child->inet.sk);
	}
}

/* No child joins the queue after the state has changed: see
 * smcr_sock_accept_ready().
 */
static void end_listen(struct sock *sk)
{
	sock_owned_by_me(sk);
	spin_lock_bh(&smcr_sk(sk)->accept_lock);
	WRITE_ONCE(sk->sk_state, TCP_CLOSE);
	spin_unlock_bh(&smcr_sk(sk)->accept_lock);
	smcr_listen_stop(sk);
	drop_accept_q(sk);
}

/**
 * smcr_sock_listener_gone() - TCP's listener was destroyed, as "ss -K" does
 * @sk: outer socket in mode LISTEN
 *
 * As with TCP, accept() fails, an error is pending, the children that were not
 * accepted yet are reset, and the program may listen again.
 *
 * Context: process, outer sock lock held.
 */
void smcr_sock_listener_gone(struct sock *sk)
{
	sock_owned_by_me(sk);
	/* Set before poll() sees the state; TCP may not have set its own yet */
	smcr_inner_take_error(sk);
	if (!sk->sk_err)
		WRITE_ONCE(sk->sk_err, ECONNABORTED);
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	smcr_sock_mode_set(sk, SMCR_MODE_INIT);
	end_listen(sk);
	sk->sk_state_change(sk);
	sk_error_report(sk);
}

/**
 * smcr_sock_end() - end what a socket is doing when it is closed
 * @sk: outer socket
 * @timeout: jiffies for which SO_LINGER lets close() wait until an RDMA
 *	connection's bytes are out
 *
 * If smcr_sk(sk)->conn is still set on return, the connection lives on as an
 * orphan and close.c releases the inner socket. Otherwise the caller does.
 *
 * Context: process, outer sock lock held; released while lingering.
 */
void smcr_sock_end(struct sock *sk, long timeout)
{
	sock_owned_by_me(sk);
	switch (smcr_sk(sk)->mode) {
	case SMCR_MODE_LISTEN:
		end_listen(sk);
		break;
	case SMCR_MODE_HANDSHAKE:
		smcr_hs_abort(sk);
		break;
	case SMCR_MODE_RDMA:
		smcr_close_release(sk, timeout);
		break;
	default:
		break;
	}
}

/* As with TCP's disconnect, the peer gets a reset. */
static void cut_rdma(struct sock *sk)
{
	struct smcr_conn *conn = smcr_sk(sk)->conn;

	if (!conn)
		return;
	smcr_conn_get(conn);
	smcr_conn_end_reset(conn, SMCR_RESET_DISCONNECT, ECONNRESET);
	smcr_conn_detach(conn);
	smcr_conn_put(conn);
}

/* Disconnect for connect(AF_UNSPEC), a failed connect(), and shutdown() while
 * listening or connecting. The socket can be used again.
 */
static int disconnect(struct sock *sk)
{
	int state = sk->sk_state;
	int err;

	sock_owned_by_me(sk);
	switch (smcr_sk(sk)->mode) {
	case SMCR_MODE_LISTEN:
		end_listen(sk);
		break;
	case SMCR_MODE_HANDSHAKE:
		smcr_hs_abort(sk);
		break;
	case SMCR_MODE_RDMA:
		cut_rdma(sk);
		break;
	default:
		break;
	}
	smcr_sock_mode_set(sk, SMCR_MODE_INIT);
	err = smcr_inner_disconnect(sk);
	smcr_inner_show(sk);
	WRITE_ONCE(sk->sk_state, TCP_CLOSE);
	WRITE_ONCE(sk->sk_shutdown, 0);
	if (state != TCP_CLOSE && state != TCP_LISTEN)
		WRITE_ONCE(sk->sk_err, ECONNRESET);
	sock_reset_flag(sk, SOCK_DONE);
	sk_error_report(sk);
	return err;
}

static int disconnect_sock(struct socket *sock)
{
	int err = disconnect(sock->sk);

	sock->state = err ? SS_DISCONNECTING : SS_UNCONNECTED;
	return err;
}

static long wait_connected(struct sock *sk, long timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(sk_sleep(sk), &wait);
	while ((1 << READ_ONCE(sk->sk_state)) &
	       (TCPF_SYN_SENT | TCPF_SYN_RECV)) {
		release_sock(sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(sk);
		if (signal_pending(current) || !timeo)
			break;
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return timeo;
}

static int connect_begin(struct socket *sock, struct sockaddr *addr, int len)
{
	struct sock *sk = sock->sk;
	int err;

	if (sk->sk_state != TCP_CLOSE)
		return -EISCONN;
	/* Forget the error of an earlier attempt, as TCP does here */
	WRITE_ONCE(sk->sk_err, 0);
	sock_reset_flag(sk, SOCK_DONE);
	/* It returns 1, which is ASK_TCP, if the socket fell back */
	err = smcr_connect_start(sk, addr, len);
	if (err)
		return err;
	smcr_inner_show(sk);
	smcr_inner_take_soft_error(sk);
	WRITE_ONCE(sk->sk_state, TCP_SYN_SENT);
	sock->state = SS_CONNECTING;
	return -EINPROGRESS;
}

static int connect_failed(struct socket *sock)
{
	int err = sock_error(sock->sk) ? : -ECONNABORTED;

	/* Another thread may have made the socket fall back meanwhile */
	if (smcr_sock_is_fallback(sock->sk))
		return err;
	sock->sk->sk_disconnects++;
	disconnect_sock(sock);
	return err;
}

static int connect_wait(struct socket *sock, int err, int flags)
{
	struct socket *inner = inner_of(sock);
	struct sock *sk = sock->sk;
	long timeo = sock_sndtimeo(sk, flags & O_NONBLOCK);
	int dis = sk->sk_disconnects;

	if ((1 << READ_ONCE(sk->sk_state)) & (TCPF_SYN_SENT | TCPF_SYN_RECV)) {
		if (!timeo)
			return err;
		timeo = wait_connected(sk, timeo);
		if (!timeo)
			return err;
		if (signal_pending(current))
			return sock_intr_errno(timeo);
		if (dis != sk->sk_disconnects)
			return -EPIPE;
	}
	if (READ_ONCE(sk->sk_state) == TCP_CLOSE)
		return connect_failed(sock);
	sock->state = SS_CONNECTED;
	/* TCP connected without waiting, so its state is still SS_CONNECTING */
	lock_sock(inner->sk);
	inner->state = SS_CONNECTED;
	release_sock(inner->sk);
	return 0;
}

static int connect_locked(struct socket *sock, struct sockaddr *addr, int len,
			  int flags)
{
	int err;

	sock_owned_by_me(sock->sk);
	if (smcr_sock_is_fallback(sock->sk))
		return ASK_TCP;
	if (addr->sa_family == AF_UNSPEC) {
		/* A thread that waits for the old one must not get the new */
		sock->sk->sk_disconnects++;
		return disconnect_sock(sock);
	}
	switch (sock->state) {
	case SS_CONNECTED:
		return -EISCONN;
	case SS_CONNECTING:
		return connect_wait(sock, -EALREADY, flags);
	case SS_UNCONNECTED:
		err = connect_begin(sock, addr, len);
		if (err != -EINPROGRESS)
			return err;
		return connect_wait(sock, err, flags);
	default:
		return -EINVAL;
	}
}

/* Copy TCP's state for getsockopt(SO_ACCEPTCONN), which reads the outer
 * socket.
 */
static void show_listening(struct sock *sk)
{
	const struct sock *inner = smcr_sk(sk)->inner->sk;

	if (READ_ONCE(inner->sk_state) == TCP_LISTEN)
		WRITE_ONCE(sk->sk_state, TCP_LISTEN);
	else if (sk->sk_state == TCP_LISTEN)
		WRITE_ONCE(sk->sk_state, TCP_CLOSE);
}

static int connect_tcp(struct socket *sock, struct sockaddr *addr, int len,
		       int flags)
{
	struct socket *inner = inner_with_file(sock);
	int err;

	/* TCP forgets an earlier connection's error; inner.c moved it here */
	if (addr->sa_family != AF_UNSPEC &&
	    READ_ONCE(inner->state) == SS_UNCONNECTED)
		WRITE_ONCE(sock->sk->sk_err, 0);
	err = READ_ONCE(inner->ops)->connect(inner, addr, len, flags);
	smcr_inner_show(sock->sk);
	smcr_inner_take_soft_error(sock->sk);
	show_listening(sock->sk);
	/* inner.c has moved TCP's error to the outer socket */
	if (err == -ECONNABORTED)
		err = sock_error(sock->sk) ? : err;
	return err;
}

static int ops_connect(struct socket *sock, struct sockaddr *addr, int len,
		       int flags)
{
	struct sock *sk = sock->sk;
	int err;

	if (len < sizeof(addr->sa_family))
		return -EINVAL;
	inner_with_file(sock);
	lock_sock(sk);
	err = connect_locked(sock, addr, len, flags);
	release_sock(sk);
	if (err == ASK_TCP)
		err = connect_tcp(sock, addr, len, flags);
	return err;
}

static int listen_locked(struct socket *sock, int backlog)
{
	enum smcr_fallback_reason reason;
	struct sock *sk = sock->sk;

	sock_owned_by_me(sk);
	switch (smcr_sk(sk)->mode) {
	case SMCR_MODE_FALLBACK:
		return smcr_inner_listen(sk, backlog);
	case SMCR_MODE_LISTEN:
		return smcr_listen_start(sk, backlog);
	case SMCR_MODE_INIT:
		if (sock->state != SS_UNCONNECTED)
			return -EINVAL;
		reason = smcr_fallback_check(sk);
		if (reason == SMCR_FALLBACK_NONE)
			return smcr_listen_start(sk, backlog);
		smcr_fallback_listener(sk, reason);
		return smcr_inner_listen(sk, backlog);
	default:
		return -EINVAL;
	}
}

static int ops_listen(struct socket *sock, int backlog)
{
	int err;

	inner_with_file(sock);
	lock_sock(sock->sk);
	err = listen_locked(sock, backlog);
	if (smcr_sock_is_fallback(sock->sk))
		show_listening(sock->sk);
	release_sock(sock->sk);
	return err;
}

static struct sock * __must_check accept_dequeue(struct sock *sk)
{
	struct smcr_sock *smcr = smcr_sk(sk);
	struct smcr_sock *child;

	spin_lock_bh(&smcr->accept_lock);
	child = list_first_entry_or_null(&smcr->accept_q, struct smcr_sock,
					 accept_node);
	if (child) {
		list_del_init(&child->accept_node);
		WRITE_ONCE(smcr->accept_len, smcr->accept_len - 1);
		sk_acceptq_removed(sk);
	}
	spin_unlock_bh(&smcr->accept_lock);
	return child ? &child->inet.sk : NULL;
}

/* The wait is exclusive, so one child wakes one acceptor. */
static int accept_wait(struct sock *sk, long timeo)
{
	struct smcr_sock *smcr = smcr_sk(sk);
	DEFINE_WAIT(wait);
	int err;

	for (;;) {
		prepare_to_wait_exclusive(sk_sleep(sk), &wait,
					  TASK_INTERRUPTIBLE);
		release_sock(sk);
		if (!READ_ONCE(smcr->accept_len))
			timeo = schedule_timeout(timeo);
		sched_annotate_sleep();
		lock_sock(sk);
		err = 0;
		if (READ_ONCE(smcr->accept_len))
			break;
		err = -EINVAL;
		if (sk->sk_state != TCP_LISTEN)
			break;
		err = sock_intr_errno(timeo);
		if (signal_pending(current))
			break;
		err = -EAGAIN;
		if (!timeo)
			break;
	}
	finish_wait(sk_sleep(sk), &wait);
	return err;
}

static int accept_locked(struct sock *sk, struct proto_accept_arg *arg,
			 struct sock **child)
{
	int err;

	sock_owned_by_me(sk);
	if (smcr_sock_is_fallback(sk))
		return ASK_TCP;
	if (sk->sk_state != TCP_LISTEN)
		return -EINVAL;
	while (!(*child = accept_dequeue(sk))) {
		long timeo = sock_rcvtimeo(sk, arg->flags & O_NONBLOCK);

		if (!timeo)
			return -EAGAIN;
		err = accept_wait(sk, timeo);
		if (err)
			return err;
	}
	arg->is_empty = !READ_ONCE(smcr_sk(sk)->accept_len);
	return 0;
}

/* The listener's work has made the sockets, and is charged to no cgroup. As
 * with TCP, the program that accepts them pays for them.
 */
static void accept_charge(struct sock *child)
{
	struct socket *inner = smcr_sk(child)->inner;
	gfp_t gfp = GFP_KERNEL | __GFP_NOFAIL;

	kmem_cache_charge(child, gfp);
	kmem_cache_charge(inner->sk, gfp);
	kmem_cache_charge(container_of(inner, struct socket_alloc, socket),
			  gfp);
}

static void accept_graft(struct sock *child, struct socket *newsock)
{
	accept_charge(child);
	lock_sock(child);
	sock_graft(child, newsock);
	smcr_inner_graft(child, newsock);
	set_bit(SOCK_CUSTOM_SOCKOPT, &newsock->flags);
	set_bit(SOCK_SUPPORT_ZC, &newsock->flags);
	newsock->state = SS_CONNECTED;
	release_sock(child);
}

static int __must_check accept_tcp_inner(struct socket *listener,
					 struct socket **inner,
					 struct proto_accept_arg *arg)
{
	const struct proto_ops *ops = READ_ONCE(listener->ops);
	struct socket *sock;
	int err;

	err = sock_create_lite(listener->sk->sk_family, SOCK_STREAM,
			       IPPROTO_TCP, &sock);
	if (err)
		return err;
	sock->ops = ops;
	__module_get(ops->owner);
	err = ops->accept(listener, sock, arg);
	if (err) {
		sock_release(sock);
		return err;
	}
	*inner = sock;
	return 0;
}

/* The children of a listener that is plain TCP are plain TCP. */
static int accept_tcp(struct socket *sock, struct socket *newsock,
		      struct proto_accept_arg *arg)
{
	struct sock *sk = sock->sk;
	struct socket *inner;
	struct sock *child;
	int err;

	err = accept_tcp_inner(inner_of(sock), &inner, arg);
	if (err)
		return err;
	child = smcr_sock_alloc_child(sk, inner);
	if (!child) {
		sock_release(inner);
		return -ENOMEM;
	}
	lock_sock(child);
	smcr_fallback(child, smcr_sk(sk)->fallback, 0);
	release_sock(child);
	accept_graft(child, newsock);
	return 0;
}

static int ops_accept(struct socket *sock, struct socket *newsock,
		      struct proto_accept_arg *arg)
{
	struct sock *child = NULL;
	int err;

	lock_sock(sock->sk);
	err = accept_locked(sock->sk, arg, &child);
	release_sock(sock->sk);
	if (err == ASK_TCP)
		return accept_tcp(sock, newsock, arg);
	if (!err)
		accept_graft(child, newsock);
	return err;
}

static int ops_getname(struct socket *sock, struct sockaddr *addr, int peer)
{
	struct socket *inner = inner_of(sock);
	enum smcr_sock_mode mode = smcr_sock_mode(sock->sk);
	int state = READ_ONCE(sock->sk->sk_state);

	/* TCP may be connected before the handshake is done, and stays
	 * connected after both directions of the stream have ended.
	 */
	if (peer == 1 &&
	    (mode == SMCR_MODE_HANDSHAKE || mode == SMCR_MODE_RDMA) &&
	    (state == TCP_SYN_SENT || state == TCP_CLOSE))
		return -ENOTCONN;
	/* TCP may also have ended before: see tcp_watch.c. 2 asks for the name
	 * of the peer whatever TCP's state is.
	 */
	if (peer && mode == SMCR_MODE_RDMA)
		peer = 2;
	return READ_ONCE(inner->ops)->getname(inner, addr, peer);
}

static int inner_shutdown(struct socket *sock, int how)
{
	struct socket *inner = inner_of(sock);

	return READ_ONCE(inner->ops)->shutdown(inner, how);
}

static int shutdown_locked(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;
	int mask = how + 1;

	sock_owned_by_me(sk);
	switch (READ_ONCE(sk->sk_state)) {
	case TCP_LISTEN:
		if (mask & RCV_SHUTDOWN)
			return disconnect_sock(sock);
		return 0;
	case TCP_SYN_SENT:
		return disconnect_sock(sock);
	case TCP_CLOSE:
		WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | mask);
		if (smcr_sk(sk)->mode == SMCR_MODE_INIT)
			inner_shutdown(sock, how);
		return -ENOTCONN;
	default:
		return smcr_close_shutdown(sk, mask);
	}
}

/* If a non-blocking connect() was not repeated, shutdown() finds out whether
 * it has succeeded.
 */
static void settle_state(struct socket *sock)
{
	if (sock->state != SS_CONNECTING)
		return;
	if ((1 << READ_ONCE(sock->sk->sk_state)) &
	    (TCPF_SYN_SENT | TCPF_SYN_RECV | TCPF_CLOSE))
		sock->state = SS_DISCONNECTING;
	else
		sock->state = SS_CONNECTED;
}

static int ops_shutdown(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;
	int err;

	if (how < SHUT_RD || how > SHUT_RDWR)
		return -EINVAL;
	lock_sock(sk);
	if (smcr_sock_is_fallback(sk)) {
		release_sock(sk);
		err = inner_shutdown(sock, how);
		show_listening(sk);
		return err;
	}
	settle_state(sock);
	err = shutdown_locked(sock, how);
	sk->sk_state_change(sk);
	release_sock(sk);
	return err;
}

/* The outer socket becomes an orphan here. With an RDMA connection that still
 * has bytes to send it lives on, because close() must not lose bytes that
 * send() has accepted.
 */
static int ops_release(struct socket *sock)
{
	struct sock *sk = sock->sk;
	long timeout = 0;
	bool ours;

	if (!sk)
		return 0;
	if (sock_flag(sk, SOCK_LINGER) && !(current->flags & PF_EXITING))
		timeout = sk->sk_lingertime;
	lock_sock(sk);
	smcr_sock_end(sk, timeout);
	smcr_inner_ungraft(sk);
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	sock_orphan(sk);
	sock->sk = NULL;
	ours = !smcr_sk(sk)->conn;
	if (ours && !smcr_sock_is_fallback(sk)) {
		smcr_inner_release(sk);
		ours = false;
	}
	release_sock(sk);
	/* With SO_LINGER TCP waits here */
	if (ours)
		smcr_inner_release(sk);
	sock_put(sk);
	return 0;
}

#ifdef CONFIG_COMPAT
#define COMPAT_IOCTL	.compat_ioctl = smcr_sock_compat_ioctl,
#else
#define COMPAT_IOCTL
#endif

/* All address families share one set of functions. */
#define SMCR_OPS(_family) {						\
	.family		= _family,					\
	.owner		= THIS_MODULE,					\
	.release	= ops_release,					\
	.bind		= ops_bind,					\
	.connect	= ops_connect,					\
	.socketpair	= sock_no_socketpair,				\
	.accept		= ops_accept,					\
	.getname	= ops_getname,					\
	.poll		= smcr_sock_poll,				\
	.ioctl		= smcr_sock_ioctl,				\
	COMPAT_IOCTL							\
	.gettstamp	= smcr_sock_gettstamp,				\
	.listen		= ops_listen,					\
	.shutdown	= ops_shutdown,					\
	.setsockopt	= smcr_sockopt_set,				\
	.getsockopt	= smcr_sockopt_get,				\
	.sendmsg	= smcr_sock_sendmsg,				\
	.recvmsg	= smcr_sock_recvmsg,				\
	.mmap		= smcr_sock_mmap,				\
	.splice_read	= smcr_sock_splice_read,			\
	.splice_eof	= smcr_sock_splice_eof,				\
	.set_peek_off	= sk_set_peek_off,				\
	.set_rcvlowat	= smcr_sock_set_rcvlowat,			\
}

const struct proto_ops smcr_sock_ops = SMCR_OPS(PF_SMCR);
const struct proto_ops smcr_sock_inet_ops = SMCR_OPS(PF_INET);
const struct proto_ops smcr_sock_inet6_ops = SMCR_OPS(PF_INET6);
