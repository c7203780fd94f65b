// SPDX-License-Identifier: GPL-2.0
/*
 * The end of the peer's stream: D and C (RFC 7609 4.8.1), and when they count.
 *
 * A peer that follows the RFC sends D or C after its last byte, so they count
 * at once. A Linux peer sends them early:
 *
 * - When its program exits, it does not wait for bytes that it holds back until
 *   an earlier message of its own is complete. It writes them after C: when
 *   that completion comes, or when the exiting program, which may have to wait
 *   for a processor, unlocks the socket.
 * - When its program calls close() or shutdown(), it waits 2 s for room in the
 *   window; when its program exits, it does not wait. Its D or C then has B
 *   set, and it writes the rest as the window opens.
 *
 * In the Linux dialect, D and C are therefore held back (smcr_cdc_rx.held), and
 * the connection stays in its state. The reader gets bytes and no end of file,
 * and the peer gets window updates:
 *
 *          D or C, or bytes after it
 *                     |
 *      B, and unread  |   no B, or all is read
 *      bytes          |
 *          +----------+----------+
 *          v                     v       no answer for 1 s
 *      +------+ all is read +--------+<---+
 *      | NONE |------------>| PROBED |----+
 *      +------+             +--------+
 *                             |    | answered
 *            +----------------+----+--------------------+
 *            | C or D with B;      | C without B,        | D without B
 *            | C, little room      | much room           |
 *            v                     v                     |
 *       +-------+   C        +---------+  DELETE RKEY    v
 *       | GRACE |----------->| CLOSING |------------->counts
 *       +-------+ 250 ms     +---------+  or 1 s         ^
 *            |                                           |
 *            +-------------------------------------------+
 *                            D, 50 ms
 *
 * PROBED: A message with R has the peer write what it may, and a TEST LINK
 * follows, over the link of the peer's messages. The peer gets both after the
 * acknowledgment of its D or C. What it writes because of either comes before
 * its answer, since one queue pair delivers in order. That is all it has,
 * unless its socket is still locked, or it has no free send slot.
 *
 * GRACE: If B is set, there are probably more bytes; if the last byte just
 * filled the window, there are none. So the end of file comes late by this time
 * in that case, and after C if the window has no room for all that a peer may
 * hold back.
 *
 * CLOSING: C is sent, although the program here has not closed yet. No byte of
 * ours is lost by that, since a peer that has sent C reads no more. C lets the
 * peer free its connection, which it does only when it has unlocked the socket,
 * and unlocking comes with the write that had to wait. Its DELETE RKEY then
 * proves that it will write no more. If none comes for 1 s, nothing proves it:
 * a program that exits may wait for a processor as long, and have bytes left,
 * and one that has called shutdown(SHUT_RDWR) and keeps the socket open has
 * written all. The reader then gets ECONNRESET after the bytes that have come,
 * or with net.smcr.unproven_eof the end of file. Bytes that come later reset
 * the connection. They may even land after its end, so its element is held
 * back, as after an abnormal end. If bytes with B come after our C, the peer
 * frees its connection with the rest unwritten: DELETE RKEY, or the end of that
 * time, then resets the connection.
 *
 * If the link of the peer's messages has failed, the TEST LINK goes over the
 * link of our writes, and GRACE takes 1 s, in which the peer moves and writes
 * the rest. DELETE RKEY may come over another link than the last bytes, so in a
 * group with several links a TEST LINK follows it.
 *
 * A byte that arrives when D or C counts resets the connection, and a reader
 * that has not read the end of file gets ECONNRESET.
 *
 * While the connection is away (addr.c), its messages are parked, and may
 * announce more bytes, so no step follows.
 */
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/timer.h>

#include "conn.h"
#include "conn_end.h"
#include "conn_eof.h"
#include "lgr.h"
#include "lgr_links.h"
#include "link.h"
#include "mib.h"
#include "rx.h"
#include "tx.h"

/* How long a held D or C waits for the answer to a TEST LINK before another one
 * is sent, after the answer, after an answer over another link, to which the
 * peer may still be moving, and for DELETE RKEY
 */
#define EOF_RETRY	HZ
#define EOF_GRACE_D	(HZ / 20)
#define EOF_GRACE_C	(HZ / 4)
#define EOF_GRACE_MOVE	HZ
#define EOF_CLOSING	HZ

/* The most that Linux holds back by default until an earlier message is
 * complete
 */
#define EOF_BACKLOG	(64 * 1024)

/* The armed timer owns a reference, which is taken before it can fire. */
static void eof_arm(struct smcr_conn *conn, unsigned long delay)
{
	smcr_conn_get(conn);
	if (mod_timer(&conn->eof_timer, jiffies + delay))
		smcr_conn_put(conn);
}

/* Does the peer wait for room, or until an urgent byte is consumed? */
static bool eof_blocked(const struct smcr_conn *conn)
{
	return conn->rx.peer.flags & SMCR_CDC_B ||
	       conn->tx.told < conn->rx.urgent.mark;
}

/* Has the program read all bytes that arrived? */
static bool eof_drained(const struct smcr_conn *conn)
{
	return smcr_rx_consumed(conn) == conn->rx.peer.prod;
}

/* Is the peer not told yet that it may write to the whole element? */
static bool eof_untold(const struct smcr_conn *conn)
{
	return eof_drained(conn) && conn->tx.told != conn->rx.peer.prod;
}

/* Does the peer know of room for all that it may hold back? */
static bool eof_room(const struct smcr_conn *conn)
{
	return conn->rx.peer.prod + EOF_BACKLOG <=
	       conn->tx.told + conn->rx.ring.len;
}

/* Find the link for the test: that of the peer's messages. If it has failed,
 * the peer goes on over another one, which is probably that of our writes.
 */
static struct smcr_link *eof_link_get(const struct smcr_conn *conn)
{
	struct smcr_link *link = NULL;

	if (conn->rx.fo.link != SMCR_FAILOVER_NO_LINK)
		link = smcr_lgr_link_at(conn->lgr, conn->rx.fo.link);
	if (link && smcr_link_state(link) == SMCR_LINK_ACTIVE)
		return link;
	if (link)
		smcr_link_put(link);
	return smcr_link_get(conn->link);
}

static void eof_probe(struct smcr_conn *conn)
{
	struct smcr_conn_eof *eof = &conn->rx.eof;
	struct smcr_link *link = eof_link_get(conn);

	smcr_tx_request(conn);
	eof->step = SMCR_CONN_EOF_PROBED;
	smcr_lgr_link_probe(link, &eof->test);
	smcr_link_put(link);
	eof_arm(conn, EOF_RETRY);
}

static void eof_grace(struct smcr_conn *conn, unsigned long delay)
{
	conn->rx.eof.step = SMCR_CONN_EOF_GRACE;
	eof_arm(conn, delay);
}

/* Send C before the program closes. It stays in all later messages. */
static void eof_close(struct smcr_conn *conn)
{
	conn->tx.flags |= SMCR_CDC_C;
	smcr_tx_request(conn);
	conn->rx.eof.step = SMCR_CONN_EOF_CLOSING;
	eof_arm(conn, EOF_CLOSING);
}

/* The peer writes no more. If its last bytes came with B after our C, it has
 * dropped the rest.
 */
static void eof_over(struct smcr_conn *conn)
{
	if (conn->rx.eof.cut)
		smcr_conn_end_reset_locked(conn, SMCR_RESET_RMBE_CONFLICT,
					   ECONNRESET);
	else
		smcr_conn_eof_settle(conn);
}

/* The peer has written all that it could when it got the last message. */
static void eof_answered(struct smcr_conn *conn)
{
	bool closed = conn->rx.peer.held & SMCR_CDC_C;

	if (conn->rx.eof.freed)
		eof_over(conn);
	else if (eof_untold(conn))
		eof_probe(conn);
	else if (closed && (eof_blocked(conn) || !eof_room(conn)))
		eof_grace(conn, EOF_GRACE_C);
	else if (closed)
		eof_close(conn);
	else if (eof_blocked(conn))
		eof_grace(conn, EOF_GRACE_D);
	else
		smcr_conn_eof_settle(conn);
}

/* DELETE RKEY has not come in time. It clears @unproven if it comes before the
 * reader is at the end.
 */
static void eof_unproven(struct smcr_conn *conn)
{
	WRITE_ONCE(conn->rx.eof.unproven, true);
	if (!conn->rx.eof.cut)
		smcr_mib_inc(conn->lgr->net, SMCR_MIB_UNPROVENENDS);
	eof_over(conn);
}

static void eof_expired(struct smcr_conn *conn)
{
	switch (conn->rx.eof.step) {
	case SMCR_CONN_EOF_NONE:
		break;
	case SMCR_CONN_EOF_PROBED:
		eof_probe(conn);
		break;
	case SMCR_CONN_EOF_GRACE:
		if (conn->rx.fo.nr)
			eof_probe(conn);
		else if (conn->rx.peer.held & SMCR_CDC_C)
			eof_close(conn);
		else
			smcr_conn_eof_settle(conn);
		break;
	case SMCR_CONN_EOF_CLOSING:
		if (conn->rx.fo.nr)
			eof_probe(conn);
		else
			eof_unproven(conn);
		break;
	}
}

static void eof_timer(struct timer_list *timer)
{
	struct smcr_conn *conn = from_timer(conn, timer, eof_timer);

	spin_lock(&conn->lock);
	if (conn->rx.peer.held && !smcr_conn_end_over(conn) &&
	    !timer_pending(timer)) {
		if (conn->rx.parks)
			eof_arm(conn, EOF_RETRY);
		else
			eof_expired(conn);
	}
	spin_unlock(&conn->lock);
	smcr_conn_put(conn);
}

/**
 * smcr_conn_eof_init() - initialize the timer of a new connection
 * @conn: the connection
 *
 * Context: process.
 */
void smcr_conn_eof_init(struct smcr_conn *conn)
{
	timer_setup(&conn->eof_timer, eof_timer, 0);
}

/* A D or C arrived. TCP's FIN may have overtaken it and started the close
 * timer, which otherwise runs only after a close here.
 */
static void eof_fin(struct smcr_conn *conn)
{
	if (!conn->fsm.we_closed && conn->flush != SMCR_CONN_FLUSH_CLOSE)
		smcr_conn_end_disarm(conn);
}

/* The peer has closed, and does not take the bytes that wait here. TCP would
 * send them in CLOSE_WAIT, and get a RST: EPIPE. After a shutdown here it would
 * be in CLOSING, and the RST ECONNRESET.
 */
static void eof_unsent(struct smcr_conn *conn)
{
	if (!conn->reset_err && !smcr_conn_end_over(conn) &&
	    conn->flush == SMCR_CONN_FLUSH_NONE) {
		conn->reset_reason = SMCR_RESET_PEER_CLOSED;
		/* Pairs with the acquire in smcr_rx_avail(): the bytes before C
		 * are final
		 */
		smp_store_release(&conn->reset_err, EPIPE);
	}
	smcr_conn_end_event(conn, SMCR_CONN_EV_PEER_CLOSED_UNSENT);
}

/**
 * smcr_conn_eof_raise() - handle flags that end the peer's stream
 * @conn: the connection
 * @raised: those of D, C and A that count now and did not before
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_eof_raise(struct smcr_conn *conn, u16 raised)
{
	lockdep_assert_held(&conn->lock);
	if (raised & (SMCR_CDC_D | SMCR_CDC_C) && !(raised & SMCR_CDC_A) &&
	    !conn->reset_err) {
		/* Pairs with the acquire in rx_final(): a reader that sees the
		 * end sees all bytes before it
		 */
		smp_store_release(&conn->rx.final, true);
		eof_fin(conn);
	}
	/* Either a send() that goes on now is seen here, or it sees C */
	smcr_tx_look(conn);
	if (raised & SMCR_CDC_A)
		smcr_conn_end_event(conn, SMCR_CONN_EV_PEER_ABORT);
	else if (raised & SMCR_CDC_C && conn->tx.nxt != READ_ONCE(conn->tx.end))
		eof_unsent(conn);
	else if (raised & SMCR_CDC_C)
		smcr_conn_end_event(conn, SMCR_CONN_EV_PEER_CLOSED);
	else if (raised & SMCR_CDC_D)
		smcr_conn_end_event(conn, SMCR_CONN_EV_PEER_DONE);
}

/**
 * smcr_conn_eof_settle() - let a held D or C count
 * @conn: the connection
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_eof_settle(struct smcr_conn *conn)
{
	u16 raised = conn->rx.peer.held & ~conn->rx.peer.flags;

	lockdep_assert_held(&conn->lock);
	conn->rx.peer.held = 0;
	conn->rx.eof.step = SMCR_CONN_EOF_NONE;
	if (timer_delete(&conn->eof_timer))
		smcr_conn_put(conn);
	if (!raised)
		return;
	conn->rx.peer.flags |= raised;
	if (raised & SMCR_CDC_C)
		smcr_failover_tx_silence(&conn->tx.fo);
	smcr_conn_eof_raise(conn, raised);
}

/**
 * smcr_conn_eof_held() - a message arrived, and a D or C is held back
 * @conn: the connection
 * @before: what was held back before it
 * @more: it announces more bytes
 *
 * A message without anything new, such as one of the many consumer updates of a
 * peer that has sent D and reads on, leaves the present step alone.
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_eof_held(struct smcr_conn *conn, u16 before, bool more)
{
	struct smcr_conn_eof *eof = &conn->rx.eof;

	lockdep_assert_held(&conn->lock);
	if (more && before && !eof->early) {
		eof->early = true;
		smcr_mib_inc(conn->lgr->net, SMCR_MIB_EARLYENDS);
	}
	if (more)
		eof->cut = conn->tx.flags & SMCR_CDC_C &&
			   !conn->fsm.we_closed &&
			   conn->rx.peer.flags & SMCR_CDC_B;
	if (before != conn->rx.peer.held)
		eof_fin(conn);
	else if (!more && (eof->step != SMCR_CONN_EOF_NONE ||
			   eof_blocked(conn)))
		return;
	if (eof_blocked(conn) && !eof_drained(conn))
		eof->step = SMCR_CONN_EOF_NONE;
	else
		eof_probe(conn);
}

/**
 * smcr_conn_eof_read() - bytes were read, and a D or C is held back
 * @conn: the connection
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_eof_read(struct smcr_conn *conn)
{
	enum smcr_conn_eof_step step = conn->rx.eof.step;

	lockdep_assert_held(&conn->lock);
	if (smcr_conn_end_over(conn))
		return;
	if (eof_untold(conn) && (step == SMCR_CONN_EOF_NONE ||
				 step == SMCR_CONN_EOF_GRACE))
		eof_probe(conn);
}

/**
 * smcr_conn_eof_tested() - the peer has answered a TEST LINK
 * @conn: a connection of the group
 * @link: the link; its last test was answered
 *
 * Context: process.
 */
void smcr_conn_eof_tested(struct smcr_conn *conn, const struct smcr_link *link)
{
	const struct smcr_conn_eof *eof = &conn->rx.eof;

	spin_lock_bh(&conn->lock);
	if (!conn->rx.peer.held || eof->step != SMCR_CONN_EOF_PROBED ||
	    conn->rx.parks || conn->rx.fo.nr ||
	    !smcr_link_tested(link, &eof->test))
		goto out;
	if (link->slot == conn->rx.fo.link)
		eof_answered(conn);
	else
		eof_grace(conn, EOF_GRACE_MOVE);
out:
	spin_unlock_bh(&conn->lock);
}

/**
 * smcr_conn_eof_freed() - the peer has deleted the RMB of a connection, or uses
 *	its element for another one
 * @conn: the connection
 * @by_tcp: a CLC message has said so, not DELETE RKEY
 *
 * The message may be handled before the last bytes: TCP and RDMA overtake each
 * other, DELETE RKEY may come over another link, and a move of the peer may be
 * under validation. TEST LINK comes after the bytes.
 *
 * Context: any, conn->lock held.
 * Return: true if that follows from the peer's C; the connection then goes on
 * to its end without the element.
 */
bool smcr_conn_eof_freed(struct smcr_conn *conn, bool by_tcp)
{
	lockdep_assert_held(&conn->lock);
	if (smcr_conn_end_over(conn))
		return false;
	if (!(conn->rx.peer.held & SMCR_CDC_C)) {
		WRITE_ONCE(conn->rx.eof.unproven, false);
		return conn->tx.flags & SMCR_CDC_C && !conn->fsm.we_closed;
	}
	if (conn->rx.eof.cut || conn->rx.parks)
		return false;
	conn->rx.eof.freed = true;
	if (by_tcp || conn->rx.fo.nr || smcr_lgr_repeats(conn->lgr))
		eof_probe(conn);
	else
		smcr_conn_eof_settle(conn);
	return true;
}
