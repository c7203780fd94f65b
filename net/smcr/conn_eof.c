// SPDX-License-Identifier: GPL-2.0
/*
 * The end of the peer's stream: D and C (RFC 7609 4.8.1), and when they count.
 *
 * A peer that follows the RFC sends D or C after its last byte, so they count
 * at once. A Linux peer sends them early:
 *
 * - When its program exits, it does not wait for bytes that it holds back until
 *   an earlier message of its own is complete. It writes them when that
 *   completion comes, just after C.
 * - When its program calls close() or shutdown(), it waits 2 s for room in the
 *   window; when its program exits, it does not wait. Its D or C then has B
 *   set, and it writes the rest as the window opens.
 *
 * In the Linux dialect, D and C are therefore held back (smcr_cdc_rx.held), and
 * the connection stays in its state. The reader gets bytes and no end of file,
 * and the peer gets window updates:
 *
 *             D or C, or any later message
 *                          |
 *        B, window full    |    no B, or the window was open
 *        +-----------------+-----------------+
 *        v                                   v
 *    +------+  read: window update       +--------+
 *    | FULL |--------------------------->| PROBED |<--+ no answer for 1 s
 *    +------+                            +--------+---+
 *                                          |    |
 *                    answered, B set or C  |    | answered, D without B
 *                                  +-------+    |
 *                                  v            v
 *                              +-------+      +-------+
 *                              | GRACE |----->| ENDED |
 *                              +-------+ 50 ms+-------+
 *
 * PROBED waits for the answer to a TEST LINK that is sent after the D or C
 * arrived, and after the window update, over the link of the peer's messages.
 * The peer gets this TEST LINK after the acknowledgment of its D or C, and
 * after the update. So what it writes because of either comes before its
 * answer, since one queue pair delivers in order. GRACE allows for an answer
 * that overtakes a write which waits for a send slot: with B there are probably
 * more bytes. It also allows for a peer under load that answers before it has
 * handled the completion which lets it write the rest after C. So the end of
 * file comes 50 ms late after C, and if the last byte just filled the window.
 * A peer that takes longer still cuts the stream short; its later bytes then
 * reset the connection.
 *
 * If that link has failed, the TEST LINK goes over the link of our writes, and
 * GRACE takes 1 s, in which the peer moves and writes the rest.
 *
 * DELETE RKEY for the peer's RMB proves that the peer has freed its connection,
 * so a held C then counts. A byte that arrives when D or C counts resets the
 * connection, and a reader that has not read the end of file gets ECONNRESET.
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

/* How long a held D or C waits for an answer before another TEST LINK is sent,
 * and how long it waits after the answer if B is set, or if the answer came
 * over another link, to which the peer may still be moving
 */
#define EOF_RETRY	HZ
#define EOF_GRACE	(HZ / 20)
#define EOF_MOVE	HZ

/* The armed timer owns a reference, which is taken before it can fire. */
static void eof_arm(struct smcr_conn *conn, unsigned long delay)
{
	smcr_conn_get(conn);
	if (mod_timer(&conn->eof_timer, jiffies + delay))
		smcr_conn_put(conn);
}

/* Does the peer know of room in the window? */
static bool eof_room(const struct smcr_conn *conn)
{
	return conn->rx.peer.prod - conn->tx.told < conn->rx.ring.len;
}

static bool eof_blocked(const struct smcr_conn *conn)
{
	return conn->rx.peer.flags & SMCR_CDC_B;
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

/* A test that begins after the counter was read has a higher number. */
static void eof_probe(struct smcr_conn *conn)
{
	struct smcr_link *link = eof_link_get(conn);

	conn->rx.grace = false;
	conn->rx.probed = link->age;
	conn->rx.probe = READ_ONCE(link->tests) + 1;
	conn->rx.probing = true;
	smcr_lgr_link_probe(link);
	smcr_link_put(link);
	eof_arm(conn, EOF_RETRY);
}

static void eof_timer(struct timer_list *timer)
{
	struct smcr_conn *conn = from_timer(conn, timer, eof_timer);

	spin_lock(&conn->lock);
	if (conn->rx.peer.held && !smcr_conn_end_over(conn)) {
		if (conn->rx.grace && !conn->rx.fo.nr)
			smcr_conn_eof_settle(conn);
		else if (!eof_blocked(conn) || eof_room(conn))
			eof_probe(conn);
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
	}
	if (raised & SMCR_CDC_A)
		smcr_conn_end_event(conn, SMCR_CONN_EV_PEER_ABORT);
	else if (raised & SMCR_CDC_C)
		smcr_conn_end_event(conn, conn->tx.nxt != conn->tx.end ?
				 SMCR_CONN_EV_PEER_CLOSED_UNSENT :
				 SMCR_CONN_EV_PEER_CLOSED);
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
	conn->rx.probing = false;
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
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_eof_held(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->rx.probing = false;
	conn->rx.grace = false;
	/* TCP's FIN may have overtaken the C that it announced. */
	if (conn->rx.peer.held & SMCR_CDC_C && !conn->fsm.we_closed &&
	    conn->flush == SMCR_CONN_FLUSH_NONE &&
	    !test_bit(SMCR_CONN_F_TCP_RST, &conn->flags))
		smcr_conn_end_disarm(conn);
	if (!eof_blocked(conn) || eof_room(conn))
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
	lockdep_assert_held(&conn->lock);
	if (!conn->rx.probing && eof_room(conn))
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
	bool same;

	spin_lock_bh(&conn->lock);
	if (!conn->rx.peer.held || !conn->rx.probing || conn->rx.grace ||
	    conn->rx.probed != link->age || conn->rx.fo.nr ||
	    (s32)(READ_ONCE(link->tests) - conn->rx.probe) < 0)
		goto out;
	same = link->slot == conn->rx.fo.link;
	if (same && !eof_blocked(conn) &&
	    !(conn->rx.peer.held & SMCR_CDC_C)) {
		smcr_conn_eof_settle(conn);
	} else {
		conn->rx.grace = true;
		eof_arm(conn, same ? EOF_GRACE : EOF_MOVE);
	}
out:
	spin_unlock_bh(&conn->lock);
}
