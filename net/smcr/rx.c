// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving: recv() and splice() copy bytes from the element, and decide when
 * the peer needs a consumer update (RFC 7609 4.5.1).
 *
 * The peer can write to an element at any time, also where it must not. So
 * bytes are copied once, and nothing in the element is interpreted but the eye
 * catcher. Only the positions in conn->rx, which cdc.c has checked, say which
 * bytes are data.
 *
 * The reader holds the outer sock lock, so there is one reader at a time, and
 * only the reader advances the consumer position. It also takes conn->lock to
 * do so.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/lockdep.h>
#include <linux/sched/signal.h>
#include <linux/splice.h>
#include <linux/uio.h>
#include <linux/unaligned.h>
#include <net/busy_poll.h>
#include <net/sock.h>

#include "conn.h"
#include "conn_end.h"
#include "lgr.h"
#include "link.h"
#include "mib.h"
#include "rmb.h"
#include "rx.h"
#include "sock.h"
#include "tx.h"
#include "tx_plan.h"
#include "wr.h"

/* Test whether the peer has finished its stream, so that all of it can be read.
 */
static bool rx_final(const struct smcr_conn *conn)
{
	/* Pairs with the release in cdc_flags(): @peer.prod covers the last
	 * bytes
	 */
	return smp_load_acquire(&conn->rx.final) &&
	       !READ_ONCE(conn->rx.spoilt);
}

/**
 * smcr_rx_avail() - count the bytes that recv() would find
 * @conn: the connection
 *
 * Context: any.
 * Return: bytes.
 */
u32 smcr_rx_avail(const struct smcr_conn *conn)
{
	/* A reset drops unread bytes (4.8.2, 2A) unless they are final. */
	if (READ_ONCE(conn->reset_err) && !rx_final(conn))
		return 0;
	/* Pairs with the release in cdc_take(): the bytes are in the element */
	return smp_load_acquire(&conn->rx.peer.prod) -
	       READ_ONCE(conn->rx.cons);
}

/* Check the eye catcher in front of the data (4.4.1). If it was overwritten,
 * something wrote outside of its own element, and none of the bytes in this one
 * can be trusted.
 */
static int rx_check_eye(struct smcr_conn *conn)
{
	if (!conn->rx.ring.origin)
		return 0;
	smcr_rmb_sync_for_cpu(conn->rx.rmb, conn->rx.idx, 0,
			      SMCR_RMBE_EYE_LEN);
	if (get_unaligned_be32(conn->rx.buf) == SMCR_RMBE_EYE_CATCHER)
		return 0;
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_RMBEEYECATCHERBAD);
	net_warn_ratelimited("group %u: the eye catcher of an RMB element was overwritten; the connection is reset. The peer's SMC-R is faulty\n",
			     conn->lgr->id);
	WRITE_ONCE(conn->rx.spoilt, true);
	smcr_conn_end_reset(conn, SMCR_RESET_EYE_CATCHER, ECONNRESET);
	return -ECONNRESET;
}

/* Send a consumer update if the peer needs one. While a move of the peer is
 * being validated it gets none (4.6.1); smcr_cdc_validate() makes up for it.
 */
static void rx_update(struct smcr_conn *conn)
{
	struct smcr_rx_view view = {
		.ring = conn->rx.ring,
		.prod = conn->rx.peer.prod,
		.cons = conn->rx.cons,
		.told = conn->tx.told,
		.b = conn->rx.peer.flags & SMCR_CDC_B,
		.r = conn->tx.wanted,
	};

	lockdep_assert_held(&conn->lock);
	if (!smcr_conn_state_can_recv(&conn->fsm) || conn->rx.fo.nr ||
	    !smcr_rx_update_needed(&view))
		return;
	conn->tx.due = true;
	smcr_tx_push_locked(conn);
}

/* Copies @len bytes at @from to @to; returns the bytes copied or -errno. */
typedef ssize_t (*rx_actor)(void *to, const u8 *from, u32 len);

/* Pass @len bytes at @pos to @actor. They are at most a whole ring, so they
 * wrap at most once, and @actor is called once or twice.
 */
static ssize_t rx_copy(struct smcr_conn *conn, u64 pos, u32 len,
		       rx_actor actor, void *to)
{
	u32 done = 0;

	while (done < len) {
		u32 off = smcr_cursor_offset(&conn->rx.ring, pos + done);
		u32 part = min(len - done,
			       smcr_cursor_contig(&conn->rx.ring, pos + done));
		ssize_t n;

		smcr_rmb_sync_for_cpu(conn->rx.rmb, conn->rx.idx, off, part);
		n = actor(to, conn->rx.buf + off, part);
		smcr_rmb_sync_for_device(conn->rx.rmb, conn->rx.idx, off,
					 part);
		if (n < 0)
			return done ? done : n;
		done += n;
		if (n < part)
			break;
	}
	return done;
}

static ssize_t rx_to_msg(void *to, const u8 *from, u32 len)
{
	struct msghdr *msg = to;
	size_t n = copy_to_iter(from, len, &msg->msg_iter);

	return n ? n : -EFAULT;
}

static ssize_t rx_to_nowhere(void *to, const u8 *from, u32 len)
{
	return len;
}

/* Get the errno of a stream that ended early. One reader gets it even if a
 * send() or getsockopt() has taken the pending error before, since a reader
 * must not take an abnormal end for the end of the stream.
 */
static int rx_error(struct sock *sk, struct smcr_conn *conn)
{
	int err = sock_error(sk);

	sock_owned_by_me(sk);
	if (!conn)
		return err;
	if (!err && !conn->rx.err_told)
		err = -READ_ONCE(conn->reset_err);
	conn->rx.err_told |= err;
	return err;
}

/* Decide what follows when the caller found no bytes beyond the @seen ones: the
 * end of the stream (1), an errno, or to look again and wait (0). More bytes,
 * and the end behind them, may have arrived since the caller looked, so this
 * function first tests for the end and then counts the bytes again.
 */
static int rx_idle(struct sock *sk, struct smcr_conn *conn, u32 seen)
{
	int err;

	if (conn && rx_final(conn))
		return smcr_rx_avail(conn) <= seen;
	err = rx_error(sk, conn);
	if (err)
		return err;
	if (READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN)
		return !conn || smcr_rx_avail(conn) <= seen;
	return conn ? 0 : -ENOTCONN;
}

/* Test whether the wait is over. A reader that watches its link's completion
 * queue polls it first.
 */
static bool rx_roused(struct sock *sk, struct smcr_conn *conn, u32 seen,
		      struct smcr_link *link, struct wait_queue_entry *wait)
{
	smcr_wr_cq_poll(link, conn, wait);
	return READ_ONCE(sk->sk_err) ||
	       READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN ||
	       smcr_rx_avail(conn) > seen;
}

/* SO_BUSY_POLL: a reader that finds its message before it sleeps saves the time
 * of an interrupt and of a wake-up. The reader does not hold the outer sock
 * lock while it polls.
 */
static void rx_spin(struct sock *sk, struct smcr_conn *conn, u32 seen,
		    struct smcr_link *link, struct wait_queue_entry *wait)
{
	unsigned long begin = busy_loop_current_time();

	while (sk_can_busy_loop(sk) && !need_resched() &&
	       !sk_busy_loop_timeout(sk, begin) &&
	       !rx_roused(sk, conn, seen, link, wait) &&
	       smcr_wr_cq_spin(link, wait))
		cpu_relax();
}

/* The condition of sk_wait_event(), which evaluates it twice: before the reader
 * sleeps, without the outer sock lock, when @awake is set and the reader may
 * spin; and after the sleep, with the lock.
 */
static bool rx_look(struct sock *sk, struct smcr_conn *conn, u32 seen,
		    struct smcr_link *link, struct wait_queue_entry *wait,
		    bool *awake)
{
	if (*awake)
		rx_spin(sk, conn, seen, link, wait);
	*awake = false;
	return rx_roused(sk, conn, seen, link, wait);
}

/* Get the link that the next message most likely comes over. */
static struct smcr_link *rx_link_get(struct smcr_conn *conn)
{
	struct smcr_link *link;

	spin_lock_bh(&conn->lock);
	link = smcr_link_get(conn->rx.link);
	spin_unlock_bh(&conn->lock);
	return link;
}

/* Wait for more bytes than the @seen ones, which MSG_PEEK left in the element.
 */
static int rx_wait(struct sock *sk, struct smcr_conn *conn, u32 seen,
		   long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct smcr_link *link;
	bool awake = true;
	int ret;

	if (smcr_rx_avail(conn) > seen)
		return 0;
	if (!*timeo)
		return -EAGAIN;
	if (signal_pending(current))
		return sock_intr_errno(*timeo);
	link = rx_link_get(conn);
	add_wait_queue(sk_sleep(sk), &wait);
	sk_set_bit(SOCKWQ_ASYNC_WAITDATA, sk);
	smcr_wr_cq_watch(link, conn, &wait);
	ret = sk_wait_event(sk, timeo,
			    rx_look(sk, conn, seen, link, &wait, &awake),
			    &wait);
	smcr_wr_cq_unwatch(link, &wait);
	sk_clear_bit(SOCKWQ_ASYNC_WAITDATA, sk);
	remove_wait_queue(sk_sleep(sk), &wait);
	smcr_link_put(link);
	/* Negative: another thread has disconnected the socket meanwhile */
	return min(ret, 0);
}

static ssize_t rx_read(struct smcr_conn *conn, u64 pos, u32 len,
		       rx_actor actor, void *to, bool peek)
{
	ssize_t n;
	int err;

	if (!smcr_conn_read_begin(conn))
		return -ECONNRESET;
	err = rx_check_eye(conn);
	n = err ? err : rx_copy(conn, pos, len, actor, to);
	/* Before smcr_conn_read_end(), which returns the element of an unlinked
	 * connection once no final byte is unread
	 */
	if (n > 0 && !peek) {
		smcr_mib_count(conn->lgr->mib, SMCR_MIB_RXBYTES, n);
		spin_lock_bh(&conn->lock);
		WRITE_ONCE(conn->rx.cons, conn->rx.cons + n);
		rx_update(conn);
		spin_unlock_bh(&conn->lock);
	}
	smcr_conn_read_end(conn);
	return n;
}

static int rx_loop(struct sock *sk, struct smcr_conn *conn, struct msghdr *msg,
		   size_t len, int flags, long timeo)
{
	size_t target = sock_rcvlowat(sk, flags & MSG_WAITALL, len);
	bool peek = flags & MSG_PEEK;
	rx_actor actor = flags & MSG_TRUNC ? rx_to_nowhere : rx_to_msg;
	u32 skip = max(sk_peek_offset(sk, flags), 0);
	size_t done = 0;
	int err = 0;

	do {
		u32 seen = peek ? skip + done : 0;
		u32 avail = smcr_rx_avail(conn);
		u64 pos = conn->rx.cons + seen;
		ssize_t n;

		avail -= min(avail, seen);
		if (avail) {
			n = rx_read(conn, pos, min_t(size_t, avail, len - done),
				    actor, msg, peek);
			if (n < 0) {
				err = n;
				break;
			}
			done += n;
			continue;
		}
		/* A call that has bytes leaves an error to the next call */
		if (done >= target || (done && READ_ONCE(sk->sk_err)))
			break;
		err = rx_idle(sk, conn, seen);
		if (err)
			break;
		err = rx_wait(sk, conn, seen, &timeo);
		if (err)
			break;
	} while (done < len);
	if (peek)
		sk_peek_offset_fwd(sk, done);
	else
		sk_peek_offset_bwd(sk, done);
	if (done)
		return done;
	return err > 0 ? 0 : err;
}

/**
 * smcr_rx_recvmsg() - recv() on an RDMA connection
 * @sk: outer socket in mode RDMA
 * @msg: destination of the bytes
 * @len: most bytes to read
 * @flags: MSG_DONTWAIT, MSG_PEEK, MSG_WAITALL and MSG_TRUNC (discard the bytes)
 *	have TCP's meaning; MSG_OOB is refused
 *
 * Context: process, outer sock lock held; released while waiting for bytes.
 * Return: bytes read, 0 at the end of the stream, -errno.
 */
int smcr_rx_recvmsg(struct sock *sk, struct msghdr *msg, size_t len, int flags)
{
	struct smcr_conn *conn = smcr_sk(sk)->conn;
	long timeo = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	int ret;

	sock_owned_by_me(sk);
	if (flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (!conn) {
		ret = rx_idle(sk, conn, 0);
		return ret > 0 ? 0 : ret;
	}
	smcr_conn_get(conn);
	ret = rx_loop(sk, conn, msg, len, flags, timeo);
	smcr_conn_put(conn);
	return ret;
}

/* The pipe gets ordinary pages, which its reader may steal. */
static const struct pipe_buf_operations rx_pipe_ops = {
	.release	= generic_pipe_buf_release,
	.try_steal	= generic_pipe_buf_try_steal,
	.get		= generic_pipe_buf_get,
};

struct rx_splice {
	struct pipe_inode_info	*pipe;
	struct sock		*sk;
	bool			full;
};

/* Copy the bytes to new pages for the pipe. The pipe must not get pages of the
 * RMB, as the peer could change bytes that the pipe's reader has checked.
 */
static ssize_t rx_to_pipe(void *to, const u8 *from, u32 len)
{
	struct rx_splice *splice = to;
	struct pipe_inode_info *pipe = splice->pipe;
	ssize_t done = 0;

	while (done < len) {
		u32 part = min_t(u32, len - done, PAGE_SIZE);
		struct pipe_buffer buf = {
			.ops = &rx_pipe_ops,
			.len = part,
		};
		ssize_t n;

		if (pipe_full(pipe->head, pipe->tail, pipe->max_usage)) {
			splice->full = true;
			break;
		}
		buf.page = alloc_page(GFP_USER);
		if (!buf.page)
			return done ? done : -ENOMEM;
		memcpy(page_address(buf.page), from + done, part);
		n = add_to_pipe(pipe, &buf);
		if (n < 0)
			return done ? done : n;
		done += part;
	}
	return done ? done : -EAGAIN;
}

static ssize_t rx_splice_loop(struct sock *sk, struct smcr_conn *conn,
			      struct rx_splice *splice, size_t len, long timeo)
{
	size_t done = 0;
	ssize_t n = 0;

	while (done < len && !splice->full) {
		u32 avail = smcr_rx_avail(conn);

		if (avail) {
			n = rx_read(conn, conn->rx.cons,
				    min_t(size_t, avail, len - done),
				    rx_to_pipe, splice, false);
			if (n < 0)
				break;
			done += n;
			continue;
		}
		if (done)
			break;
		n = rx_idle(sk, conn, 0);
		if (n)
			break;
		n = rx_wait(sk, conn, 0, &timeo);
		if (n)
			break;
	}
	if (done)
		return done;
	return n > 0 ? 0 : n;
}

/**
 * smcr_rx_splice() - splice() from an RDMA connection
 * @sk: outer socket in mode RDMA
 * @pipe: destination of the bytes, locked by the caller
 * @len: most bytes to move
 * @flags: SPLICE_F_*
 * @nonblock: the file is non-blocking
 *
 * Context: process, outer sock lock held; released while waiting for bytes.
 * Return: bytes moved, 0 at the end of the stream, -errno.
 */
ssize_t smcr_rx_splice(struct sock *sk, struct pipe_inode_info *pipe,
		       size_t len, unsigned int flags, bool nonblock)
{
	struct rx_splice splice = { .pipe = pipe, .sk = sk };
	struct smcr_conn *conn = smcr_sk(sk)->conn;
	long timeo = sock_rcvtimeo(sk, nonblock || flags & SPLICE_F_NONBLOCK);
	ssize_t ret;

	sock_owned_by_me(sk);
	if (!conn) {
		ret = rx_idle(sk, conn, 0);
		return ret > 0 ? 0 : ret;
	}
	smcr_conn_get(conn);
	ret = rx_splice_loop(sk, conn, &splice, len, timeo);
	smcr_conn_put(conn);
	return ret;
}
