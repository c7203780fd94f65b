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
#include <net/tcp_states.h>

#include "conn.h"
#include "conn_end.h"
#include "conn_eof.h"
#include "lgr.h"
#include "link.h"
#include "mib.h"
#include "rmb.h"
#include "rx.h"
#include "sock.h"
#include "tx.h"
#include "tx_plan.h"
#include "wr.h"

/* A reader that watched its link's completion queue and was late does not watch
 * again for this time, in jiffies, which doubles
 */
#define RX_PAUSE	msecs_to_jiffies(20)

/* Test whether the peer has finished its stream, so that all of it can be read.
 */
static bool rx_final(const struct smcr_conn *conn)
{
	/* Pairs with the release in smcr_conn_eof_raise(): @peer.prod covers
	 * the last bytes
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
	/* Pairs with the release in cdc_take(): the bytes are in the element,
	 * and a reset before they were announced shows below
	 */
	u64 end = smp_load_acquire(&conn->rx.peer.prod);
	u64 cons = READ_ONCE(conn->rx.cons);

	/* A reset drops unread bytes (4.8.2, 2A) unless they are final, but for
	 * those that it keeps. Pairs with the release in
	 * smcr_conn_end_reset_locked(), which comes after @kept
	 */
	if (smp_load_acquire(&conn->reset_err) && !rx_final(conn))
		end = READ_ONCE(conn->rx.spoilt) ? cons :
						   max(conn->rx.kept, cons);
	return end - cons;
}

/**
 * smcr_rx_readable() - test whether poll() reports the socket as readable
 * @conn: the connection
 * @target: bytes that the program waits for
 * @in_line: SO_OOBINLINE is set
 *
 * As with TCP, an urgent byte at the reader's position does not count, unless
 * it is in line. If the peer waits until an urgent byte is consumed, no more
 * bytes come than those before it.
 *
 * Context: any but hard irq.
 * Return: true if it does.
 */
bool smcr_rx_readable(struct smcr_conn *conn, u32 target, bool in_line)
{
	const struct smcr_urgent_rx *urgent = &conn->rx.urgent;
	u32 avail = smcr_rx_avail(conn);
	u64 cons;

	if (likely(!READ_ONCE(urgent->bits)))
		return avail && avail >= target;
	spin_lock_bh(&conn->lock);
	cons = conn->rx.cons;
	avail -= min_t(u64, avail, smcr_urgent_rx_from(urgent, cons) - cons);
	if (conn->rx.peer.prod == urgent->mark &&
	    smcr_urgent_rx_told(urgent, cons) < urgent->mark)
		target = 1;
	else if (smcr_urgent_rx_at_mark(urgent, cons) && !in_line)
		target++;
	spin_unlock_bh(&conn->lock);
	return avail && avail >= target;
}

/**
 * smcr_rx_queued() - count the bytes that recv() would find before urgent data
 * @conn: the connection
 * @in_line: SO_OOBINLINE is set, and urgent data counts
 *
 * Context: any but hard irq.
 * Return: bytes, for SIOCINQ.
 */
u32 smcr_rx_queued(struct smcr_conn *conn, bool in_line)
{
	const struct smcr_urgent_rx *urgent = &conn->rx.urgent;
	u32 avail = smcr_rx_avail(conn);
	u64 cons;

	if (likely(!READ_ONCE(urgent->bits)))
		return avail;
	spin_lock_bh(&conn->lock);
	cons = conn->rx.cons;
	if (avail)
		avail = smcr_urgent_rx_queued(urgent, cons, cons + avail,
					      in_line);
	spin_unlock_bh(&conn->lock);
	return avail;
}

/**
 * smcr_rx_left() - count the bytes that are left, for TCP_INQ
 * @conn: the connection
 *
 * Context: any.
 * Return: bytes, urgent ones included; as with TCP, the end of the stream
 * counts as one, so that a program goes on reading.
 */
u32 smcr_rx_left(const struct smcr_conn *conn)
{
	return rx_final(conn) + smcr_rx_avail(conn);
}

/**
 * smcr_rx_at_mark() - test whether the reader is at the urgent byte
 * @conn: the connection
 *
 * Context: any but hard irq.
 * Return: true if it is, for SIOCATMARK.
 */
bool smcr_rx_at_mark(struct smcr_conn *conn)
{
	bool at;

	spin_lock_bh(&conn->lock);
	at = smcr_urgent_rx_at_mark(&conn->rx.urgent, conn->rx.cons);
	spin_unlock_bh(&conn->lock);
	return at;
}

/* Sync the bytes at [@from, @to) and the eye catcher. The bytes wrap at most
 * once.
 */
static bool rx_sync(struct smcr_conn *conn, const struct smcr_ring *ring,
		    u8 slot, u64 from, u64 to)
{
	struct smcr_rmb *rmb = conn->rx.rmb;
	u8 idx = conn->rx.idx;
	u32 off, part;

	while (from < to) {
		off = smcr_cursor_offset(ring, from);
		part = min_t(u64, to - from, smcr_cursor_contig(ring, from));
		if (!smcr_rmb_sync_for_cpu(rmb, slot, idx, off, part))
			return false;
		from += part;
	}
	return !ring->origin ||
	       smcr_rmb_sync_for_cpu(rmb, slot, idx, 0, SMCR_RMBE_EYE_LEN);
}

static bool rx_arrive(struct smcr_conn *conn, const struct smcr_ring *ring,
		      u8 slot, u64 pos)
{
	lockdep_assert_held(&conn->lock);
	if (pos <= conn->rx.arrived)
		return true;
	if (unlikely(smcr_rmb_syncs(conn->rx.rmb)) &&
	    !rx_sync(conn, ring, slot, conn->rx.arrived, pos))
		return false;
	conn->rx.arrived = pos;
	return true;
}

/**
 * smcr_rx_arrive() - event: a message announces bytes
 * @conn: the connection
 * @slot: slot of the link that the message came over, and so the bytes that no
 *	message before it has announced; %SMCR_FAILOVER_NO_LINK if the link is
 *	gone, or the message stands for parked ones
 * @pos: position up to which there are bytes, which has been checked
 *
 * Context: any, conn->lock held.
 * Return: false if the bytes were in a bounce buffer that is gone.
 */
bool smcr_rx_arrive(struct smcr_conn *conn, u8 slot, u64 pos)
{
	return rx_arrive(conn, &conn->rx.ring, slot, pos);
}

/**
 * smcr_rx_arrive_parked() - event: a message that announces bytes is parked
 * @conn: the connection
 * @slot: slot of the link that it came over
 * @prod: its producer cursor, which has not been checked
 *
 * The link's mapping may be gone when the message is handled, and the next one
 * may come over another link. If the bytes cannot be had, the connection is
 * reset when the message is handled.
 *
 * Context: any, conn->lock held.
 */
void smcr_rx_arrive_parked(struct smcr_conn *conn, u8 slot,
			   struct smcr_cursor prod)
{
	struct smcr_ring ring = conn->rx.ring;
	u64 pos;

	if (!ring.len)
		ring = smcr_cursor_ring(conn->rx.rmb->elem_size,
					READ_ONCE(conn->lgr->dialect));
	if (!smcr_cursor_to_pos(&ring, prod, conn->rx.arrived, &pos))
		rx_arrive(conn, &ring, slot, pos);
}

/* Check the eye catcher in front of the data (4.4.1). If it was overwritten,
 * something wrote outside of its own element, and none of the bytes in this one
 * can be trusted.
 */
static int rx_check_eye(struct smcr_conn *conn)
{
	if (!conn->rx.ring.origin)
		return 0;
	if (get_unaligned_be32(conn->rx.buf) == SMCR_RMBE_EYE_CATCHER)
		return 0;
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_RMBEEYECATCHERBAD);
	net_warn_ratelimited("group %u: the eye catcher of an RMB element was overwritten; the connection is reset. The peer's SMC-R is faulty\n",
			     conn->lgr->id);
	WRITE_ONCE(conn->rx.spoilt, true);
	smcr_conn_end_reset(conn, SMCR_RESET_EYE_CATCHER, ECONNRESET);
	return -ECONNRESET;
}

/**
 * smcr_rx_consumed() - compute the consumer position for the peer
 * @conn: the connection
 *
 * Context: any, conn->lock held.
 * Return: the position; an urgent byte at the reader's position counts as
 * consumed.
 */
u64 smcr_rx_consumed(const struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return smcr_urgent_rx_told(&conn->rx.urgent, conn->rx.cons);
}

/* The peer waits until an urgent byte is consumed (4.7.5). */
static bool rx_urgent_due(const struct smcr_conn *conn)
{
	u64 mark = conn->rx.urgent.mark;

	return mark > conn->tx.told && mark <= smcr_rx_consumed(conn);
}

/* Send a consumer update if the peer needs one, because bytes were read or
 * because some came. While a move of the peer is being validated it gets none
 * (4.6.1); smcr_cdc_validate() makes up for it.
 */
static void rx_update(struct smcr_conn *conn, bool read)
{
	struct smcr_rx_view view = {
		.ring = conn->rx.ring,
		.prod = conn->rx.peer.prod,
		.cons = smcr_rx_consumed(conn),
		.told = conn->tx.told,
		.b = conn->rx.peer.flags & SMCR_CDC_B,
		.r = conn->tx.r.wanted || rx_urgent_due(conn),
	};

	lockdep_assert_held(&conn->lock);
	if (read ? !smcr_rx_update_needed(&view) :
		   !smcr_rx_update_overdue(&view))
		return;
	if (!smcr_conn_state_can_recv(&conn->fsm) || conn->rx.fo.nr)
		return;
	conn->tx.due = true;
	smcr_tx_push_locked(conn);
}

/**
 * smcr_rx_announced() - event: the peer has announced bytes
 * @conn: the connection
 *
 * The peer may wait for room that no read will report.
 *
 * Context: any, conn->lock held.
 */
void smcr_rx_announced(struct smcr_conn *conn)
{
	rx_update(conn, false);
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

/* Return the result of a call that has read nothing. The errno of an element
 * that is gone, or not to be trusted, is that of the reset: it is taken here,
 * so that the next call does not return it again.
 */
static ssize_t rx_nothing(struct sock *sk, struct smcr_conn *conn, ssize_t err)
{
	if (err == -ECONNRESET)
		err = rx_error(sk, conn) ? : err;
	return min_t(ssize_t, err, 0);
}

/* The peer's stream has ended, and its last byte is read. If nothing proves
 * that it was the last (conn_eof.c), one reader gets an errno. Returns what
 * rx_idle() does.
 */
static int rx_end(struct smcr_conn *conn)
{
	const struct smcr_net *sn = smcr_pernet(conn->lgr->net);

	if (likely(!READ_ONCE(conn->rx.eof.unproven)) || conn->rx.err_told ||
	    READ_ONCE(sn->sysctl.unproven_eof))
		return 1;
	conn->rx.err_told = true;
	return -ECONNRESET;
}

/* Decide what follows when the caller found no bytes beyond the @seen ones: the
 * end of the call (1), an errno, or to look again and wait (0). More bytes, and
 * the end or the time-out behind them, may have come since the caller looked,
 * so this function first tests for that and then counts the bytes again.
 *
 * A call that has bytes (@done) returns them. So it must leave the errno, also
 * if another thread has taken the pending error, to the next call, which would
 * otherwise return the end of the stream.
 */
static int rx_idle(struct sock *sk, struct smcr_conn *conn, u32 seen, bool done)
{
	int shutdown = READ_ONCE(sk->sk_shutdown);
	int err;

	/* Pairs with smp_wmb() in end_break() and end_eof(): a reset that
	 * begins meanwhile is not taken for the end of the stream, and no byte
	 * before that end is missed
	 */
	smp_rmb();
	if (conn && rx_final(conn)) {
		if (smcr_rx_avail(conn) > seen)
			return 0;
		return done ? 1 : rx_end(conn);
	}
	if (READ_ONCE(sk->sk_err) || (conn && READ_ONCE(conn->reset_err))) {
		if (conn && smcr_rx_avail(conn) > seen)
			return 0;
		err = done ? 1 : rx_error(sk, conn);
		if (err)
			return err;
	}
	if (shutdown & RCV_SHUTDOWN)
		return !conn || smcr_rx_avail(conn) <= seen;
	return conn ? 0 : -ENOTCONN;
}

/* Test whether the wait is over. A reader that watches its link's completion
 * queue polls it first.
 */
static bool rx_roused(struct sock *sk, struct smcr_conn *conn, u32 seen,
		      struct smcr_link *link, struct smcr_wr_watch *watch)
{
	smcr_wr_cq_poll(link, watch);
	return READ_ONCE(sk->sk_err) ||
	       READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN ||
	       smcr_rx_avail(conn) > seen;
}

/* SO_BUSY_POLL: a reader that finds its message before it sleeps saves the time
 * of an interrupt and of a wake-up. The reader does not hold the outer sock
 * lock while it polls.
 */
static void rx_spin(struct sock *sk, struct smcr_conn *conn, u32 seen,
		    struct smcr_link *link, struct smcr_wr_watch *watch)
{
	unsigned long begin = busy_loop_current_time();

	while (sk_can_busy_loop(sk) && !need_resched() &&
	       !sk_busy_loop_timeout(sk, begin) &&
	       !rx_roused(sk, conn, seen, link, watch) &&
	       smcr_wr_cq_spin(link, watch))
		cpu_relax();
}

/* The condition of sk_wait_event(), which evaluates it twice: before the reader
 * sleeps, without the outer sock lock, when @awake is set and the reader may
 * spin; and after the sleep, with the lock.
 */
static bool rx_look(struct sock *sk, struct smcr_conn *conn, u32 seen,
		    struct smcr_link *link, struct smcr_wr_watch *watch,
		    bool *awake)
{
	if (*awake)
		rx_spin(sk, conn, seen, link, watch);
	*awake = false;
	return rx_roused(sk, conn, seen, link, watch);
}

/* Note whether a reader that watched was late. Context: outer sock lock. */
static void rx_watched(struct smcr_conn *conn,
		       const struct smcr_wr_watch *watch)
{
	if (unlikely(watch->late))
		smcr_pause_fail(&conn->rx.pause, jiffies, RX_PAUSE);
	else if (watch->polled)
		smcr_pause_succeed(&conn->rx.pause);
}

/* Go on to the link that the last message came over, but not while readers use
 * the one before: the last of them does it, or the next one to wait.
 */
static void rx_link_next(struct smcr_conn *conn)
{
	struct smcr_conn_rx *rx = &conn->rx;

	lockdep_assert_held(&conn->lock);
	/* Pairs with the release in rx_link_end() */
	if (likely(!rx->next) || smp_load_acquire(&rx->readers))
		return;
	smcr_link_put(rx->link);
	rx->link = rx->next;
	WRITE_ONCE(rx->next, NULL);
}

/**
 * smcr_rx_link_seen() - event: a message came over a link
 * @conn: the connection that it is for
 * @link: the link; the next message most likely comes over it, too
 *
 * Context: softirq, conn->lock held.
 */
void smcr_rx_link_seen(struct smcr_conn *conn, struct smcr_link *link)
{
	struct smcr_conn_rx *rx = &conn->rx;

	lockdep_assert_held(&conn->lock);
	if (likely(rx->link == link && !rx->next))
		return;
	if (rx->next)
		smcr_link_put(rx->next);
	WRITE_ONCE(rx->next, rx->link == link ? NULL : smcr_link_get(link));
	rx_link_next(conn);
}

/* Get the link that the next message most likely comes over. The connection
 * keeps it until rx_link_end(), and the caller keeps the connection.
 */
static struct smcr_link *rx_link_begin(struct smcr_conn *conn)
{
	struct smcr_link *link;

	spin_lock_bh(&conn->lock);
	rx_link_next(conn);
	conn->rx.readers++;
	link = conn->rx.link;
	spin_unlock_bh(&conn->lock);
	return link;
}

static void rx_link_end(struct smcr_conn *conn)
{
	/* Pairs with the acquire in rx_link_next(): the link is not used any
	 * more
	 */
	smp_store_release(&conn->rx.readers, conn->rx.readers - 1);
	if (likely(!READ_ONCE(conn->rx.next)))
		return;
	spin_lock_bh(&conn->lock);
	rx_link_next(conn);
	spin_unlock_bh(&conn->lock);
}

/* Wait for more bytes than the @seen ones, which MSG_PEEK left in the element.
 */
static int rx_wait(struct sock *sk, struct smcr_conn *conn, u32 seen,
		   long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct smcr_wr_watch watch = { .conn = conn, .wait = &wait };
	struct smcr_link *link;
	bool awake = true;
	int ret;

	if (smcr_rx_avail(conn) > seen)
		return 0;
	if (!*timeo)
		return -EAGAIN;
	if (signal_pending(current))
		return sock_intr_errno(*timeo);
	link = rx_link_begin(conn);
	add_wait_queue(sk_sleep(sk), &wait);
	sk_set_bit(SOCKWQ_ASYNC_WAITDATA, sk);
	if (smcr_pause_over(&conn->rx.pause, jiffies))
		smcr_wr_cq_watch(link, &watch);
	ret = sk_wait_event(sk, timeo,
			    rx_look(sk, conn, seen, link, &watch, &awake),
			    &wait);
	smcr_wr_cq_unwatch(link, &watch);
	rx_watched(conn, &watch);
	sk_clear_bit(SOCKWQ_ASYNC_WAITDATA, sk);
	remove_wait_queue(sk_sleep(sk), &wait);
	rx_link_end(conn);
	/* Negative: another thread has disconnected the socket meanwhile */
	return min(ret, 0);
}

/* The reader is done with @n more bytes. This comes before
 * smcr_conn_read_end(), which returns the element of an unlinked connection
 * once no final byte is unread.
 */
static void rx_advance(struct smcr_conn *conn, u64 n)
{
	smcr_mib_count(conn->lgr->mib, SMCR_MIB_RXBYTES, n);
	spin_lock_bh(&conn->lock);
	WRITE_ONCE(conn->rx.cons, conn->rx.cons + n);
	if (conn->rx.urgent.bits)
		smcr_urgent_rx_passed(&conn->rx.urgent, conn->rx.cons);
	if (conn->rx.peer.held)
		smcr_conn_eof_read(conn);
	rx_update(conn, true);
	spin_unlock_bh(&conn->lock);
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
	if (n > 0 && !peek)
		rx_advance(conn, n);
	smcr_conn_read_end(conn);
	return n;
}

/**
 * struct rx_call - a call that reads
 * @actor: takes the bytes
 * @to: first argument of @actor
 * @peek: the bytes stay
 * @seen: with @peek, bytes that the call has passed; otherwise 0
 * @timeo: time that the call may still wait
 * @moved: result: bytes were read or passed
 * @stop: result: the call ends here, before an urgent byte
 */
struct rx_call {
	rx_actor	actor;
	void		*to;
	bool		peek;
	u32		seen;
	long		timeo;
	bool		moved;
	bool		stop;
};

/* Find the next bytes of a reader, @avail at most. Returns true if the urgent
 * byte is the next one. The lock is for the rare case. Bits that are set just
 * now belong to bytes beyond @avail.
 */
static bool rx_part(const struct sock *sk, struct smcr_conn *conn, u64 pos,
		    u32 avail, struct smcr_urgent_part *part)
{
	const struct smcr_urgent_rx *urgent = &conn->rx.urgent;
	bool mark;

	part->place = SMCR_URGENT_RING;
	part->next = pos + avail;
	if (likely(!READ_ONCE(urgent->bits)))
		return false;
	spin_lock_bh(&conn->lock);
	mark = smcr_urgent_rx_at_mark(urgent, pos);
	smcr_urgent_rx_part(urgent, pos, pos + avail,
			    sock_flag(sk, SOCK_URGINLINE), part);
	spin_unlock_bh(&conn->lock);
	return mark;
}

/* Does the peer wait until the urgent byte is consumed? */
static bool rx_held_up(struct smcr_conn *conn)
{
	bool held_up;

	spin_lock_bh(&conn->lock);
	held_up = smcr_rx_consumed(conn) < conn->rx.urgent.mark;
	spin_unlock_bh(&conn->lock);
	return held_up;
}

/* Pass bytes that are not in the ring. The reader gets the one that is kept
 * apart. Returns the bytes that it got, or -errno.
 */
static ssize_t rx_pass(struct smcr_conn *conn, struct rx_call *call, u64 pos,
		       const struct smcr_urgent_part *part, bool mark)
{
	ssize_t n = 0;

	if (!smcr_conn_read_begin(conn))
		return -ECONNRESET;
	if (part->place == SMCR_URGENT_APART)
		n = call->actor(call->to, &part->byte, 1);
	if (n >= 0) {
		call->moved = true;
		if (call->peek)
			call->seen += part->next - pos;
		else
			rx_advance(conn, part->next - pos);
		/* With SO_PEEK_OFF there are unread bytes before this one, so
		 * nothing may come behind it
		 */
		call->stop = call->peek && mark && n && rx_held_up(conn);
	}
	smcr_conn_read_end(conn);
	return n;
}

/* Read what comes next, at most @len bytes. A call that has bytes (@done) stops
 * before an urgent byte, and at one a signal ends it, as with TCP.
 */
static ssize_t rx_next(struct sock *sk, struct smcr_conn *conn,
		       struct rx_call *call, size_t len, bool done)
{
	u32 avail = smcr_rx_avail(conn);
	u64 pos = conn->rx.cons + call->seen;
	struct smcr_urgent_part part;
	bool mark;
	ssize_t n;

	call->moved = false;
	avail -= min(avail, call->seen);
	mark = rx_part(sk, conn, pos, avail, &part);
	call->stop = mark && done;
	if (!avail || call->stop)
		return 0;
	if (mark && signal_pending(current))
		return call->timeo ? sock_intr_errno(call->timeo) : -EAGAIN;
	if (part.place != SMCR_URGENT_RING && len)
		return rx_pass(conn, call, pos, &part, mark);
	n = rx_read(conn, pos, min_t(size_t, part.next - pos, len),
		    call->actor, call->to, call->peek);
	if (n > 0 && call->peek)
		call->seen += n;
	call->moved = n >= 0;
	return n;
}

static int rx_loop(struct sock *sk, struct smcr_conn *conn, struct msghdr *msg,
		   size_t len, int flags)
{
	size_t target = sock_rcvlowat(sk, flags & MSG_WAITALL, len);
	struct rx_call call = {
		.actor = flags & MSG_TRUNC ? rx_to_nowhere : rx_to_msg,
		.to = msg,
		.peek = flags & MSG_PEEK,
		.seen = max(sk_peek_offset(sk, flags), 0),
		.timeo = sock_rcvtimeo(sk, flags & MSG_DONTWAIT),
	};
	size_t done = 0;
	int err = 0;

	do {
		ssize_t n = rx_next(sk, conn, &call, len - done, done);

		if (n < 0) {
			err = n;
			break;
		}
		done += n;
		if (call.stop)
			break;
		if (call.moved)
			continue;
		if (done >= target)
			break;
		err = rx_idle(sk, conn, call.seen, done);
		if (err)
			break;
		err = rx_wait(sk, conn, call.seen, &call.timeo);
		if (err)
			break;
	} while (done < len);
	if (call.peek)
		sk_peek_offset_fwd(sk, done);
	else
		sk_peek_offset_bwd(sk, done);
	if (done)
		return done;
	return rx_nothing(sk, conn, err);
}

/**
 * smcr_rx_recvmsg() - recv() on an RDMA connection
 * @sk: outer socket in mode RDMA
 * @msg: destination of the bytes
 * @len: most bytes to read
 * @flags: MSG_DONTWAIT, MSG_PEEK, MSG_WAITALL and MSG_TRUNC (discard the bytes)
 *	have TCP's meaning; MSG_OOB is for smcr_rx_recv_urgent()
 *
 * Context: process, outer sock lock held; released while waiting for bytes.
 * Return: bytes read, 0 at the end of the stream, -errno.
 */
int smcr_rx_recvmsg(struct sock *sk, struct msghdr *msg, size_t len, int flags)
{
	struct smcr_conn *conn = smcr_sk(sk)->conn;
	int ret;

	sock_owned_by_me(sk);
	if (!conn) {
		ret = rx_idle(sk, conn, 0, false);
		return ret > 0 ? 0 : ret;
	}
	smcr_conn_get(conn);
	ret = rx_loop(sk, conn, msg, len, flags);
	smcr_conn_put(conn);
	return ret;
}

static u8 rx_byte(struct smcr_conn *conn, u64 pos)
{
	u32 off = smcr_cursor_offset(&conn->rx.ring, pos);
	u8 byte;

	byte = conn->rx.buf[off];
	smcr_rmb_sync_for_device(conn->rx.rmb, conn->rx.idx, off, 1);
	return byte;
}

/**
 * smcr_rx_urgent_recv() - event: a message with or without urgent data came
 * @conn: the connection
 * @flags: flags of the message
 * @prod: its producer position
 *
 * Context: any, conn->lock held, before @prod is stored.
 * Return: true if the program gets SIGURG.
 */
bool smcr_rx_urgent_recv(struct smcr_conn *conn, u16 flags, u64 prod)
{
	struct smcr_urgent_rx *urgent = &conn->rx.urgent;
	u64 mark = urgent->mark;
	bool can, signal, in_line;
	u8 byte = 0;

	lockdep_assert_held(&conn->lock);
	if (likely(!(flags & (SMCR_CDC_P | SMCR_CDC_U)) && !urgent->bits))
		return false;
	can = smcr_conn_state_can_recv(&conn->fsm);
	/* Nobody reads the byte after a reset. But the peer may repeat U when
	 * it moves, and smcr_cdc_check() must know it then.
	 */
	if (flags & SMCR_CDC_A || (!can && !(flags & SMCR_CDC_U)))
		return false;
	if (can && flags & SMCR_CDC_U && prod > conn->rx.cons)
		byte = rx_byte(conn, prod - 1);
	in_line = conn->sk && sock_flag(conn->sk, SOCK_URGINLINE);
	signal = smcr_urgent_rx_recv(urgent, flags, prod, conn->rx.cons, byte,
				     in_line);
	if (urgent->mark != mark)
		smcr_mib_count(conn->lgr->mib, SMCR_MIB_URGENTRECEIVED, 1);
	if (!can)
		return false;
	if (rx_urgent_due(conn) && !conn->rx.fo.nr)
		conn->tx.due = true;
	return signal;
}

/* Take the urgent byte. Returns 1, or TCP's result if there is none. */
static int rx_take_urgent(struct sock *sk, struct smcr_conn *conn, bool peek,
			  u8 *byte)
{
	struct smcr_urgent_rx *urgent = &conn->rx.urgent;
	u8 bits = urgent->bits;

	lockdep_assert_held(&conn->lock);
	if (sock_flag(sk, SOCK_URGINLINE) ||
	    !(bits & (SMCR_URGENT_PENDING | SMCR_URGENT_UNREAD)))
		return -EINVAL;
	if (sk->sk_state == TCP_CLOSE && !rx_final(conn))
		return -ENOTCONN;
	if (!(bits & SMCR_URGENT_UNREAD))
		return sk->sk_state == TCP_CLOSE ||
		       sk->sk_shutdown & RCV_SHUTDOWN ? 0 : -EAGAIN;
	*byte = urgent->byte;
	if (!peek)
		WRITE_ONCE(urgent->bits, bits & ~SMCR_URGENT_UNREAD);
	return 1;
}

/* Check the eye catcher before the program gets an urgent byte, which was
 * copied when it came. If the element has been returned, there is nothing to
 * check. After a reset, recv(MSG_OOB) of TCP returns ENOTCONN and leaves the
 * pending error to recv(), and so does this one.
 */
static int rx_check_urgent(struct smcr_conn *conn)
{
	int err;

	if (!(READ_ONCE(conn->rx.urgent.bits) & SMCR_URGENT_UNREAD) ||
	    !smcr_conn_read_begin(conn))
		return 0;
	err = rx_check_eye(conn);
	smcr_conn_read_end(conn);
	return err ? -ENOTCONN : 0;
}

/**
 * smcr_rx_recv_urgent() - recv(MSG_OOB) on an RDMA connection
 * @sk: outer socket in mode RDMA
 * @msg: destination of the byte
 * @len: bytes that the program asks for
 * @flags: MSG_PEEK and MSG_TRUNC have TCP's meaning
 *
 * Does not wait, as with TCP.
 *
 * Context: process, outer sock lock held.
 * Return: 1; 0 if none comes any more or @len is 0; -EAGAIN if the byte has not
 * come yet; -EINVAL if there is none; -ENOTCONN after a reset; -EFAULT.
 */
int smcr_rx_recv_urgent(struct sock *sk, struct msghdr *msg, size_t len,
			int flags)
{
	struct smcr_conn *conn = smcr_sk(sk)->conn;
	int ret;
	u8 byte;

	sock_owned_by_me(sk);
	if (!conn)
		return -EINVAL;
	ret = rx_check_urgent(conn);
	if (ret)
		return ret;
	spin_lock_bh(&conn->lock);
	ret = rx_take_urgent(sk, conn, flags & MSG_PEEK, &byte);
	spin_unlock_bh(&conn->lock);
	if (ret != 1)
		return ret;
	msg->msg_flags |= MSG_OOB;
	if (!len) {
		msg->msg_flags |= MSG_TRUNC;
		return 0;
	}
	if (!(flags & MSG_TRUNC) && memcpy_to_msg(msg, &byte, 1))
		return -EFAULT;
	return 1;
}

struct rx_splice {
	struct pipe_inode_info	*pipe;
	bool			full;
};

/* Copy the bytes to new pages for the pipe. The pipe must not get pages of the
 * RMB, as the peer could change bytes that the pipe's reader has checked. The
 * buffer's operations are not the module's: the pipe may outlive it.
 */
static ssize_t rx_to_pipe(void *to, const u8 *from, u32 len)
{
	struct rx_splice *splice = to;
	struct pipe_inode_info *pipe = splice->pipe;
	ssize_t done = 0;

	while (done < len) {
		u32 part = min_t(u32, len - done, PAGE_SIZE);
		struct pipe_buffer buf = {
			.ops = &nosteal_pipe_buf_ops,
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
	struct rx_call call = {
		.actor = rx_to_pipe,
		.to = splice,
		.timeo = timeo,
	};
	size_t done = 0;
	ssize_t n = 0;

	while (done < len && !splice->full) {
		n = rx_next(sk, conn, &call, len - done, done);
		if (n < 0)
			break;
		done += n;
		if (call.moved)
			continue;
		if (done)
			break;
		n = rx_idle(sk, conn, 0, false);
		if (n)
			break;
		n = rx_wait(sk, conn, 0, &call.timeo);
		if (n)
			break;
	}
	if (done)
		return done;
	return rx_nothing(sk, conn, n);
}

/**
 * smcr_rx_splice() - splice() from an RDMA connection
 * @sk: outer socket in mode RDMA
 * @pipe: destination of the bytes, locked by the caller
 * @len: most bytes to move
 * @nonblock: the file is non-blocking. As with TCP, SPLICE_F_NONBLOCK is about
 *	the pipe
 *
 * Context: process, outer sock lock held; released while waiting for bytes.
 * Return: bytes moved, 0 at the end of the stream, -errno.
 */
ssize_t smcr_rx_splice(struct sock *sk, struct pipe_inode_info *pipe,
		       size_t len, bool nonblock)
{
	struct rx_splice splice = { .pipe = pipe };
	struct smcr_conn *conn = smcr_sk(sk)->conn;
	long timeo = sock_rcvtimeo(sk, nonblock);
	ssize_t ret;

	sock_owned_by_me(sk);
	if (!conn) {
		ret = rx_idle(sk, conn, 0, false);
		return ret > 0 ? 0 : ret;
	}
	smcr_conn_get(conn);
	ret = rx_splice_loop(sk, conn, &splice, len, timeo);
	smcr_conn_put(conn);
	return ret;
}
