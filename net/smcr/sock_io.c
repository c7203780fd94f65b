// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes in and out of the outer socket: the path that they take in each mode,
 * poll, and the ioctls that count them.
 *
 * In mode FALLBACK a call passes to the inner socket without the outer lock.
 * inner.c then moves TCP's pending error to the outer socket, where
 * getsockopt(SO_ERROR) finds it. So each call looks for the error at the point
 * at which TCP would, and inner.c gives it back to TCP while a thread is in a
 * TCP call.
 */
#include <linux/fs.h>
#include <linux/net.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <linux/uaccess.h>
#include <asm/ioctls.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "conn.h"
#include "fallback.h"
#include "inner.h"
#include "rx.h"
#include "sock.h"
#include "tx.h"

/* Returned in place of an errno: the inner socket serves this call. */
#define ASK_TCP		1

static struct socket *inner_of(const struct socket *sock)
{
	return smcr_sk(sock->sk)->inner;
}

static bool in_state(const struct sock *sk, int mask)
{
	return (1 << READ_ONCE(sk->sk_state)) & mask;
}

/* TCP gets MSG_NOSIGNAL, because only this function knows whether an error
 * other than EPIPE was pending, which means no SIGPIPE.
 */
static int send_tcp(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct socket *inner = inner_of(sock);
	unsigned int flags = msg->msg_flags;
	struct sock *sk = sock->sk;
	int ret;

	ret = sock_error(sk);
	if (ret)
		return sk_stream_error(sk, flags, ret);
	/* A send with MSG_FASTOPEN connects */
	smcr_inner_lend(sk, sock->file);
	msg->msg_flags |= MSG_NOSIGNAL;
	smcr_inner_enter(sk);
	ret = READ_ONCE(inner->ops)->sendmsg(inner, msg, len);
	smcr_inner_leave(sk);
	msg->msg_flags = flags;
	if (ret == -EPIPE)
		ret = sk_stream_error(sk, flags, ret);
	return ret;
}

/* MSG_FASTOPEN: let TCP connect, or return its errno if it cannot. */
static int send_fastopen(struct sock *sk)
{
	switch (smcr_sk(sk)->mode) {
	case SMCR_MODE_INIT:
		smcr_fallback(sk, SMCR_FALLBACK_FASTOPEN, 0);
		return ASK_TCP;
	case SMCR_MODE_HANDSHAKE:
		return -EALREADY;
	case SMCR_MODE_RDMA:
	case SMCR_MODE_LISTEN:
		return -EISCONN;
	default:
		return -EINVAL;
	}
}

/* No control message has an effect on RDMA. TCP rejects those that it does not
 * know, unless the socket cannot send any more.
 */
static int check_control(struct sock *sk, struct msghdr *msg)
{
	struct sockcm_cookie unused;

	if (likely(!msg->msg_controllen) || sk->sk_shutdown & SEND_SHUTDOWN)
		return 0;
	sockcm_init(&unused, sk);
	return sock_cmsg_send(sk, msg, &unused) ? -EINVAL : 0;
}

/* Wait until there is a connection. Return: 0 for RDMA, ASK_TCP or -errno. */
static int send_ready(struct sock *sk, struct msghdr *msg)
{
	long timeo = sock_sndtimeo(sk, msg->msg_flags & MSG_DONTWAIT);
	int err;

	sock_owned_by_me(sk);
	if (smcr_sock_is_fallback(sk))
		return ASK_TCP;
	if (msg->msg_flags & MSG_FASTOPEN)
		return send_fastopen(sk);
	if (!in_state(sk, TCPF_ESTABLISHED | TCPF_CLOSE_WAIT)) {
		err = sk_stream_wait_connect(sk, &timeo);
		if (err)
			return sk_stream_error(sk, msg->msg_flags, err);
	}
	return smcr_sock_is_fallback(sk) ? ASK_TCP : check_control(sk, msg);
}

/**
 * smcr_sock_sendmsg() - serve the send family of calls
 * @sock: outer socket
 * @msg: what to send
 * @len: bytes
 *
 * Context: process.
 * Return: bytes accepted, or -errno.
 */
int smcr_sock_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	int ret;

	if (smcr_sock_is_fallback(sk))
		return send_tcp(sock, msg, len);
	lock_sock(sk);
	ret = send_ready(sk, msg);
	if (!ret)
		ret = smcr_tx_sendmsg(sk, msg, len);
	else if (ret == ASK_TCP)
		goto tcp;
	release_sock(sk);
	return ret;
tcp:
	release_sock(sk);
	return send_tcp(sock, msg, len);
}

/* The result of recv() when TCP has no bytes and no pending error of its own */
static ssize_t recv_tcp_end(struct socket *sock, ssize_t ret)
{
	const struct sock *inner = inner_of(sock)->sk;
	int err;

	if (ret && ret != -ENOTCONN)
		return ret;
	/* The stream ended in order before the error */
	if (sock_flag(inner, SOCK_DONE))
		return ret;
	err = sock_error(sock->sk);
	return err ? : ret;
}

/* getsockopt(SO_PEEK_OFF) reads the outer socket, but TCP counts in its own. */
static void show_peek_off(struct sock *sk, const struct sock *inner)
{
	int off = READ_ONCE(inner->sk_peek_off);

	if (READ_ONCE(sk->sk_peek_off) != off)
		WRITE_ONCE(sk->sk_peek_off, off);
}

/* Wait until the first bytes are known to be the program's (see fallback.c). A
 * thread that waits in TCP might find them before. The results are those of TCP
 * without a byte; smcr_inner_enter() has been called, so errors stay in TCP.
 * Return: ASK_TCP, 0 at the end of the stream, or -errno.
 */
static int recv_held(struct sock *sk, bool nonblock)
{
	struct sock *inner = smcr_sk(sk)->inner->sk;
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	long timeo = sock_rcvtimeo(sk, nonblock);
	int ret = ASK_TCP;

	add_wait_queue(sk_sleep(sk), &wait);
	lock_sock(inner);
	while (smcr_fallback_holds(sk)) {
		ret = sock_error(inner);
		if (ret || inner->sk_shutdown & RCV_SHUTDOWN)
			break;
		ret = -EAGAIN;
		if (!timeo)
			break;
		ret = sock_intr_errno(timeo);
		if (signal_pending(current))
			break;
		release_sock(inner);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(inner);
		ret = ASK_TCP;
	}
	release_sock(inner);
	remove_wait_queue(sk_sleep(sk), &wait);
	return ret;
}

/* Look before a read of the stream in mode FALLBACK. */
static int recv_may(struct sock *sk, bool nonblock)
{
	return likely(!smcr_fallback_holds(sk)) ? ASK_TCP :
						  recv_held(sk, nonblock);
}

static int recv_tcp(struct socket *sock, struct msghdr *msg, size_t len,
		    int flags)
{
	struct socket *inner = inner_of(sock);
	int ret = ASK_TCP;

	/* Only the inner socket has an error queue */
	if (!smcr_sock_is_fallback(sock->sk))
		return READ_ONCE(inner->ops)->recvmsg(inner, msg, len, flags);
	smcr_inner_enter(sock->sk);
	if (!(flags & (MSG_ERRQUEUE | MSG_OOB)))
		ret = recv_may(sock->sk, flags & MSG_DONTWAIT);
	if (ret == ASK_TCP)
		ret = READ_ONCE(inner->ops)->recvmsg(inner, msg, len, flags);
	smcr_inner_leave(sock->sk);
	show_peek_off(sock->sk, inner->sk);
	if (!len || flags & (MSG_ERRQUEUE | MSG_OOB))
		return ret;
	return recv_tcp_end(sock, ret);
}

static int recv_unconnected(struct sock *sk)
{
	int err;

	if (sk->sk_state == TCP_LISTEN)
		return -ENOTCONN;
	err = sock_error(sk);
	if (err)
		return err;
	return sk->sk_shutdown & RCV_SHUTDOWN ? 0 : -ENOTCONN;
}

/* Wait for the end of the handshake, as TCP's recv() waits during its own. */
static int recv_wait(struct sock *sk, long timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int disconnects = sk->sk_disconnects;
	int err = 0;

	add_wait_queue(sk_sleep(sk), &wait);
	while (in_state(sk, TCPF_SYN_SENT | TCPF_SYN_RECV)) {
		err = -EAGAIN;
		if (!timeo)
			break;
		err = sock_intr_errno(timeo);
		if (signal_pending(current))
			break;
		err = 0;
		release_sock(sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(sk);
		/* Another thread has disconnected the socket meanwhile */
		err = -EPIPE;
		if (disconnects != sk->sk_disconnects)
			break;
		err = 0;
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return err;
}

/* As with TCP, a call for urgent data (MSG_OOB) does not wait for a handshake.
 * Return: 0 for RDMA or (*@end is set) the stream's end, ASK_TCP, -errno.
 */
static int recv_ready(struct sock *sk, int flags, bool *end)
{
	int err;

	sock_owned_by_me(sk);
	if (!(flags & MSG_OOB) && in_state(sk, TCPF_SYN_SENT | TCPF_SYN_RECV)) {
		err = recv_wait(sk, sock_rcvtimeo(sk, flags & MSG_DONTWAIT));
		if (err)
			return err;
	}
	switch (smcr_sk(sk)->mode) {
	case SMCR_MODE_RDMA:
		return 0;
	case SMCR_MODE_FALLBACK:
		return ASK_TCP;
	default:
		if (flags & MSG_OOB)
			return sk->sk_state == TCP_LISTEN ? -ENOTCONN : -EINVAL;
		err = recv_unconnected(sk);
		*end = !err;
		return err;
	}
}

/* Has the program set TCP_INQ? */
static bool recv_inq_set(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(smcr_sk(sk)->inner->sk);

	/* Only setsockopt() changes it, and a call may miss that */
	return data_race(!!tp->recvmsg_inq);
}

/* Count the bytes that are left for the next call, if the program wants to know
 * that, or io_uring does.
 */
static int recv_left(const struct sock *sk, const struct msghdr *msg)
{
	const struct smcr_conn *conn = smcr_sk(sk)->conn;

	sock_owned_by_me(sk);
	if (!msg->msg_get_inq && !recv_inq_set(sk))
		return -1;
	return conn ? smcr_rx_left(conn) : 0;
}

/* The caller holds no lock, because put_cmsg() may wait for the program's page
 * without end.
 */
static void recv_tell_left(const struct sock *sk, struct msghdr *msg, int left)
{
	if (left < 0)
		return;
	msg->msg_get_inq = 1;
	msg->msg_inq = left;
	if (recv_inq_set(sk))
		put_cmsg(msg, SOL_TCP, TCP_CM_INQ, sizeof(left), &left);
}

/**
 * smcr_sock_recvmsg() - serve the recv family of calls
 * @sock: outer socket
 * @msg: where the bytes go
 * @len: maximum number of bytes
 * @flags: MSG_*
 *
 * Context: process.
 * Return: bytes read, 0 at the end of the stream, or -errno.
 */
int smcr_sock_recvmsg(struct socket *sock, struct msghdr *msg, size_t len,
		      int flags)
{
	struct sock *sk = sock->sk;
	bool end = false;
	int ret, left;

	if (smcr_sock_is_fallback(sk) || flags & MSG_ERRQUEUE)
		return recv_tcp(sock, msg, len, flags);
	lock_sock(sk);
	ret = recv_ready(sk, flags, &end);
	if (!ret && flags & MSG_OOB)
		ret = smcr_rx_recv_urgent(sk, msg, len, flags);
	else if (!ret && !end)
		ret = smcr_rx_recvmsg(sk, msg, len, flags);
	else if (ret == ASK_TCP)
		goto tcp;
	left = ret < 0 ? -1 : recv_left(sk, msg);
	release_sock(sk);
	recv_tell_left(sk, msg, left);
	return ret;
tcp:
	release_sock(sk);
	return recv_tcp(sock, msg, len, flags);
}

static ssize_t splice_tcp(struct socket *sock, loff_t *ppos,
			  struct pipe_inode_info *pipe, size_t len,
			  unsigned int flags)
{
	struct socket *inner = inner_of(sock);
	ssize_t ret;

	/* TCP looks for O_NONBLOCK in the file */
	smcr_inner_lend(sock->sk, sock->file);
	smcr_inner_enter(sock->sk);
	ret = recv_may(sock->sk, sock->file->f_flags & O_NONBLOCK);
	if (ret == ASK_TCP)
		ret = READ_ONCE(inner->ops)->splice_read(inner, ppos, pipe,
							 len, flags);
	smcr_inner_leave(sock->sk);
	return recv_tcp_end(sock, ret);
}

/**
 * smcr_sock_splice_read() - splice() out of the socket
 * @sock: outer socket
 * @ppos: must be 0
 * @pipe: where the bytes go, locked
 * @len: maximum number of bytes
 * @flags: SPLICE_F_*
 *
 * Context: process.
 * Return: bytes moved, 0 at the end of the stream, or -errno.
 */
ssize_t smcr_sock_splice_read(struct socket *sock, loff_t *ppos,
			      struct pipe_inode_info *pipe, size_t len,
			      unsigned int flags)
{
	bool nonblock = sock->file->f_flags & O_NONBLOCK;
	struct sock *sk = sock->sk;
	bool end = false;
	ssize_t ret;

	if (smcr_sock_is_fallback(sk))
		return splice_tcp(sock, ppos, pipe, len, flags);
	if (*ppos)
		return -ESPIPE;
	lock_sock(sk);
	ret = recv_ready(sk, nonblock ? MSG_DONTWAIT : 0, &end);
	if (!ret && !end)
		ret = smcr_rx_splice(sk, pipe, len, nonblock);
	else if (ret == ASK_TCP)
		goto tcp;
	release_sock(sk);
	return ret;
tcp:
	release_sock(sk);
	return splice_tcp(sock, ppos, pipe, len, flags);
}

/**
 * smcr_sock_splice_eof() - send held bytes when a sendfile() ends early
 * @sock: outer socket
 *
 * Context: process.
 */
void smcr_sock_splice_eof(struct socket *sock)
{
	struct socket *inner = inner_of(sock);
	struct sock *sk = sock->sk;

	if (smcr_sock_is_fallback(sk)) {
		if (READ_ONCE(inner->ops)->splice_eof)
			READ_ONCE(inner->ops)->splice_eof(inner);
		return;
	}
	lock_sock(sk);
	if (smcr_sk(sk)->mode == SMCR_MODE_RDMA && !smcr_sk(sk)->cork)
		smcr_tx_uncork(sk);
	release_sock(sk);
}

static __poll_t poll_readable(struct sock *sk, struct smcr_conn *conn)
{
	__poll_t mask = 0;
	u32 target;

	if (!conn)
		return 0;
	/* More bytes than the window can hold would never arrive */
	target = sock_rcvlowat(sk, 0, READ_ONCE(conn->rx.ring.len) / 2);
	if (smcr_rx_readable(conn, target, sock_flag(sk, SOCK_URGINLINE)))
		mask = EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(conn->rx.urgent.bits) &
	    (SMCR_URGENT_PENDING | SMCR_URGENT_UNREAD))
		mask |= EPOLLPRI;
	return mask;
}

static bool has_room(const struct smcr_conn *conn)
{
	return !conn || smcr_tx_writeable(conn);
}

static __poll_t poll_writable(struct sock *sk, const struct smcr_conn *conn)
{
	if (READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN || has_room(conn))
		return EPOLLOUT | EPOLLWRNORM;
	sk_set_bit(SOCKWQ_ASYNC_NOSPACE, sk);
	set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	/* Room that appeared before the bit was set caused no wake-up; pairs
	 * with the test of the bit in tx.c
	 */
	smp_mb__after_atomic();
	return has_room(conn) ? EPOLLOUT | EPOLLWRNORM : 0;
}

/* The connection is freed after an RCU grace period, so poll() may look at it
 * without the sock lock.
 */
static __poll_t poll_conn(struct sock *sk)
{
	struct smcr_conn *conn;
	__poll_t mask;

	rcu_read_lock();
	conn = READ_ONCE(smcr_sk(sk)->conn);
	mask = poll_readable(sk, conn);
	mask |= poll_writable(sk, conn);
	rcu_read_unlock();
	return mask;
}

static __poll_t poll_own(struct sock *sk)
{
	int state = READ_ONCE(sk->sk_state);
	int shutdown = READ_ONCE(sk->sk_shutdown);
	__poll_t mask = 0;

	if (state == TCP_LISTEN)
		return READ_ONCE(smcr_sk(sk)->accept_len) ?
			EPOLLIN | EPOLLRDNORM : 0;
	if (shutdown == SHUTDOWN_MASK || state == TCP_CLOSE)
		mask |= EPOLLHUP;
	if (shutdown & RCV_SHUTDOWN)
		mask |= EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
	if (state != TCP_SYN_SENT && state != TCP_SYN_RECV)
		mask |= poll_conn(sk);
	return mask;
}

/* ICMP messages are in TCP's error queue, also if TCP goes on connecting. If it
 * does not, the handshake is about to say so: a program that read SO_ERROR too
 * early would take the attempt for a success.
 */
static __poll_t poll_icmp(const struct sock *sk, const struct sock *inner)
{
	if (skb_queue_empty_lockless(&inner->sk_error_queue))
		return 0;
	if (smcr_sock_mode(sk) == SMCR_MODE_HANDSHAKE &&
	    (READ_ONCE(inner->sk_err) ||
	     READ_ONCE(inner->sk_state) == TCP_CLOSE))
		return 0;
	return EPOLLERR;
}

/* If TCP's bytes become the program's after this has looked, the program is
 * woken.
 */
static __poll_t poll_tcp(struct file *file, struct sock *sk,
			 struct socket *inner)
{
	__poll_t mask = READ_ONCE(inner->ops)->poll(file, inner, NULL);

	if (smcr_fallback_holds(sk) &&
	    !(READ_ONCE(inner->sk->sk_shutdown) & RCV_SHUTDOWN))
		mask &= ~(EPOLLIN | EPOLLRDNORM);
	/* TCP shows an error before it reports it, and the program asks the
	 * outer socket which one it is
	 */
	if (mask & EPOLLERR)
		smcr_inner_take_error(sk);
	return mask;
}

/**
 * smcr_sock_poll() - serve poll, select and epoll
 * @file: the socket's file, for TCP
 * @sock: outer socket
 * @wait: the caller's poll table. In every mode it waits on the outer queue,
 *	which the inner socket wakes, too
 *
 * Context: process.
 * Return: the mask that TCP would return in this state.
 */
__poll_t smcr_sock_poll(struct file *file, struct socket *sock,
			struct poll_table_struct *wait)
{
	struct socket *inner = inner_of(sock);
	struct sock *sk = sock->sk;
	__poll_t mask;

	sock_poll_wait(file, sock, wait);
	if (smcr_sock_is_fallback(sk))
		mask = poll_tcp(file, sk, inner);
	else
		mask = poll_own(sk) | poll_icmp(sk, inner->sk);
	/* Pairs with smp_wmb() in end_break() and smcr_sock_connected(): if
	 * poll() sees that the connection has ended, it sees the error, too
	 */
	smp_rmb();
	/* TCP's poll() of a listener shows no error of an earlier connection */
	if (READ_ONCE(sk->sk_err) && READ_ONCE(sk->sk_state) != TCP_LISTEN)
		mask |= EPOLLERR;
	return mask;
}

static int ioctl_rdma(struct sock *sk, unsigned int cmd, int *val)
{
	bool in_line = sock_flag(sk, SOCK_URGINLINE);
	struct smcr_conn *conn;
	int err = 0;

	lock_sock(sk);
	conn = smcr_sk(sk)->conn;
	*val = 0;
	switch (cmd) {
	case SIOCINQ:
		*val = conn ? smcr_rx_queued(conn, in_line) : 0;
		break;
	case SIOCOUTQ:
		*val = conn ? smcr_tx_unacked(conn) : 0;
		break;
	case SIOCOUTQNSD:
		*val = conn ? smcr_tx_unsent(conn) : 0;
		break;
	case SIOCATMARK:
		*val = conn && smcr_rx_at_mark(conn);
		break;
	default:
		err = -ENOIOCTLCMD;
	}
	release_sock(sk);
	return err;
}

/* TCP's bytes during a handshake are not the program's. */
static bool counts_rdma(const struct sock *sk)
{
	enum smcr_sock_mode mode = smcr_sock_mode(sk);

	return mode == SMCR_MODE_RDMA || mode == SMCR_MODE_HANDSHAKE;
}

/**
 * smcr_sock_ioctl() - serve SIOCINQ and its like; pass the rest to TCP
 * @sock: outer socket
 * @cmd: request
 * @arg: user address of the answer
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_sock_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct socket *inner = inner_of(sock);
	int val;

	if (counts_rdma(sock->sk) && !ioctl_rdma(sock->sk, cmd, &val))
		return put_user(val, (int __user *)arg);
	if (cmd == SIOCINQ && smcr_fallback_holds(sock->sk))
		return put_user(0, (int __user *)arg);
	return READ_ONCE(inner->ops)->ioctl(inner, cmd, arg);
}

/**
 * smcr_sock_prot_ioctl() - serve SIOCINQ and SIOCOUTQ of io_uring
 * @sk: outer socket, in a call on its file
 * @cmd: request
 * @val: result
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_sock_prot_ioctl(struct sock *sk, int cmd, int *val)
{
	struct sock *inner = smcr_sk(sk)->inner->sk;

	if (counts_rdma(sk))
		return ioctl_rdma(sk, cmd, val);
	if (cmd == SIOCINQ && smcr_fallback_holds(sk)) {
		*val = 0;
		return 0;
	}
	return READ_ONCE(inner->sk_prot)->ioctl(inner, cmd, val);
}

#ifdef CONFIG_COMPAT
/**
 * smcr_sock_compat_ioctl() - ioctls whose argument differs for 32 bit
 * @sock: outer socket
 * @cmd: request
 * @arg: user address
 *
 * Context: process.
 * Return: 0 or -errno; -ENOIOCTLCMD sends the caller to smcr_sock_ioctl().
 */
int smcr_sock_compat_ioctl(struct socket *sock, unsigned int cmd,
			   unsigned long arg)
{
	struct socket *inner = inner_of(sock);

	return READ_ONCE(inner->ops)->compat_ioctl(inner, cmd, arg);
}
#endif

/**
 * smcr_sock_mmap() - mmap() for TCP_ZEROCOPY_RECEIVE, in mode FALLBACK only
 * @file: the socket's file
 * @sock: outer socket
 * @vma: the mapping
 *
 * The peer may write an RMB element at any time, so its pages are not mapped.
 *
 * Context: process.
 * Return: 0 or -errno; -ENODEV unless the socket is plain TCP.
 */
int smcr_sock_mmap(struct file *file, struct socket *sock,
		   struct vm_area_struct *vma)
{
	struct socket *inner = inner_of(sock);

	if (smcr_sock_is_fallback(sock->sk) && READ_ONCE(inner->ops)->mmap)
		return READ_ONCE(inner->ops)->mmap(file, inner, vma);
	return sock_no_mmap(file, sock, vma);
}

/**
 * smcr_sock_gettstamp() - get the time of the last packet, which only TCP knows
 * @sock: outer socket
 * @stamp: user address of the answer
 * @timeval: microseconds rather than nanoseconds
 * @time32: the old layout
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_sock_gettstamp(struct socket *sock, void __user *stamp,
			bool timeval, bool time32)
{
	struct socket *inner = inner_of(sock);

	return READ_ONCE(inner->ops)->gettstamp(inner, stamp, timeval, time32);
}

/**
 * smcr_sock_set_rcvlowat() - SO_RCVLOWAT
 * @sk: outer socket
 * @val: bytes, not negative
 *
 * Context: process, outer sock lock held.
 * Return: 0.
 */
int smcr_sock_set_rcvlowat(struct sock *sk, int val)
{
	const struct netns_ipv4 *ipv4 = &sock_net(sk)->ipv4;
	int cap = READ_ONCE(ipv4->sysctl_tcp_rmem[2]) >> 1;

	sock_owned_by_me(sk);
	/* TCP's own limits */
	if (sk->sk_userlocks & SOCK_RCVBUF_LOCK)
		cap = READ_ONCE(sk->sk_rcvbuf) >> 1;
	WRITE_ONCE(sk->sk_rcvlowat, min(val, cap) ? : 1);
	if (smcr_sock_is_fallback(sk))
		smcr_fallback_lowat(sk);
	/* Fewer bytes may be enough now */
	sk->sk_data_ready(sk);
	return 0;
}
