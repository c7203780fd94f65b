// SPDX-License-Identifier: GPL-2.0
/*
 * CDC messages: from the receive completion to the connection's positions
 * (RFC 7609 4.7, A.4).
 *
 * This code runs in the CQ handler, or in process context for a parked message.
 * It looks up the alert token in the group of the link that the message came
 * over, so a peer reaches only connections of its own groups. cdc_msg.c checks
 * the whole message against the connection's state before any field is stored.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/lockdep.h>
#include <net/sock.h>
#include <trace/events/smcr.h>

#include "cdc.h"
#include "conn.h"
#include "conn_end.h"
#include "conn_eof.h"
#include "conn_move.h"
#include "lgr.h"
#include "lgr_links.h"
#include "link.h"
#include "mib.h"
#include "rx.h"
#include "tx.h"
#include "wr.h"

/* R requests the consumer position now (4.5.1, A.4), B with the next byte that
 * is read. See tx_plan.c.
 */
static void cdc_answer(struct smcr_conn *conn, u16 flags)
{
	if (!(flags & SMCR_CDC_R))
		return;
	smcr_tx_r_recv(&conn->tx.r);
	smcr_tx_answer(conn);
}

/* Send SIGURG, if the program has asked for it. A listener's child has no file
 * before it is accepted; smcr_conn_detach() comes before the file is freed.
 */
static void cdc_signal(struct sock *sk)
{
	if (!sk)
		return;
	read_lock(&sk->sk_callback_lock);
	sk_send_sigurg(sk);
	read_unlock(&sk->sk_callback_lock);
}

/* Will no reader take bytes that come now? The program has closed, though the
 * peer may not know yet, or it has shut down both directions.
 */
static bool cdc_unwanted(const struct smcr_conn *conn)
{
	if (conn->fsm.we_closed || conn->flush == SMCR_CONN_FLUSH_CLOSE)
		return true;
	return conn->sk && READ_ONCE(conn->sk->sk_shutdown) == SHUTDOWN_MASK;
}

/* Bytes that A announces may not be there: a peer that moves does not repeat
 * them. So neither they nor a D that comes with them count.
 */
static void cdc_take(struct smcr_conn *conn, struct smcr_cdc_result *res)
{
	struct smcr_cdc_rx rx = conn->rx.peer;
	u16 held = rx.held;
	bool more, urgent;

	if (res->raised & SMCR_CDC_A)
		res->prod = rx.prod;
	more = res->prod != rx.prod;
	smcr_cdc_apply(&rx, res);
	/* Before the bytes: a reader that finds them knows which is urgent. */
	urgent = smcr_rx_urgent_recv(conn, res->flags, rx.prod);
	conn->rx.peer.cons = rx.cons;
	conn->rx.peer.seq = rx.seq;
	/* Pairs with the acquire in smcr_rx_avail() */
	smp_store_release(&conn->rx.peer.prod, rx.prod);
	conn->rx.peer.flags = rx.flags;
	conn->rx.peer.held = rx.held;

	if (res->gap)
		smcr_mib_add(conn->lgr->net, SMCR_MIB_CDCGAPS, res->gap);
	cdc_answer(conn, res->flags);
	/* Up to the mark, a copy that went over another link may have come */
	if (res->cons > conn->tx.fo.mark)
		smcr_wr_consumed(conn->link, conn, res->cons);
	smcr_tx_reclaim(conn, res->cons);
	smcr_failover_tx_consumed(&conn->tx.fo, res->cons);
	if (res->raised & (SMCR_CDC_C | SMCR_CDC_A))
		smcr_failover_tx_silence(&conn->tx.fo);
	/* No byte is written to a peer that has closed (4.8.1, 4.8.2). */
	if (!(res->raised & (SMCR_CDC_C | SMCR_CDC_A))) {
		if (more)
			smcr_rx_announced(conn);
		smcr_tx_push_locked(conn);
	}
	/* Reset the connection, as TCP does, so that the peer learns of the
	 * loss.
	 */
	if (more && cdc_unwanted(conn))
		smcr_conn_end_reset_locked(conn, SMCR_RESET_UNREAD_DATA,
					   ECONNRESET);
	if (res->raised)
		smcr_conn_eof_raise(conn, res->raised);
	if (rx.held)
		smcr_conn_eof_held(conn, held, more);
	if (urgent)
		cdc_signal(conn->sk);
	if ((more || urgent) && conn->sk)
		conn->sk->sk_data_ready(conn->sk);
}

/* No peer that keeps to the protocol sends such a message. */
static void cdc_invalid(struct smcr_conn *conn, enum smcr_cdc_verdict verdict)
{
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_BADCDC);
	/* A stream that goes on after its end was cut short there. */
	if (verdict == SMCR_CDC_AFTER_DONE &&
	    conn->lgr->dialect == SMCR_DIALECT_LINUX)
		WRITE_ONCE(conn->rx.final, false);
	net_warn_ratelimited("group %u: impossible CDC message (%s); the connection is reset. The peer's SMC-R is faulty\n",
			     conn->lgr->id, smcr_cdc_verdict_name(verdict));
	smcr_conn_end_reset_locked(conn, SMCR_RESET_CDC_INVALID, ECONNRESET);
}

/* The peer announces bytes, but the bounce buffer that they came to is gone
 * with its link.
 */
static void cdc_gone(struct smcr_conn *conn)
{
	smcr_conn_end_reset_locked(conn, SMCR_RESET_DATA_LOST, ECONNRESET);
}

/* Returns true if the message was accepted. @slot: that of its link, as in
 * smcr_rx_arrive(). @new_link: it came over another link than the one before,
 * without F.
 */
static bool cdc_handle(struct smcr_conn *conn, u8 slot,
		       const struct smcr_cdc_msg *msg, bool new_link)
{
	struct smcr_cdc_limits lim = {
		.ring = conn->rx.ring,
		.peer_ring = conn->tx.ring,
		.cons = smcr_rx_consumed(conn),
		.sent = conn->tx.nxt,
		.urgent = conn->rx.urgent.mark,
		.new_link = new_link,
		.hold_ends = conn->lgr->dialect == SMCR_DIALECT_LINUX,
	};
	struct net *net = conn->lgr->net;
	struct smcr_cdc_result res;
	enum smcr_cdc_verdict verdict;

	lockdep_assert_held(&conn->lock);
	verdict = smcr_cdc_check(&conn->rx.peer, &lim, msg, &res);
	if (verdict == SMCR_CDC_ACCEPT) {
		trace_smcr_cdc_rx(conn->lgr->id, conn->id, msg->seq, res.prod,
				  res.cons, msg->flags);
		/* Bytes that come with A do not count. */
		if (res.raised & SMCR_CDC_A ||
		    smcr_rx_arrive(conn, slot, res.prod)) {
			cdc_take(conn, &res);
			return true;
		}
		cdc_gone(conn);
		return false;
	}
	if (!smcr_cdc_verdict_aborts(verdict)) {
		smcr_mib_inc(net, SMCR_MIB_CDCIGNORED);
		return false;
	}
	cdc_invalid(conn, verdict);
	return false;
}

/* Get the state from the messages that have come, the parked ones included,
 * which tell as well as the others whether a move of the peer lost any. Before
 * the connection starts, moves wait for its start.
 */
static const struct smcr_cdc_rx *cdc_newest(const struct smcr_conn *conn,
					    struct smcr_cdc_rx *buf)
{
	const struct smcr_cdc_msg *msg = &conn->rx.parked_msg;
	u16 last = SMCR_CDC_A;

	if (!conn->rx.parked || conn->fsm.state == SMCR_CONN_INIT)
		return &conn->rx.peer;
	if (conn->lgr->dialect == SMCR_DIALECT_RFC)
		last |= SMCR_CDC_C;
	*buf = conn->rx.peer;
	buf->seq = msg->seq;
	buf->flags |= msg->flags & last;
	smcr_cursor_to_pos(&conn->rx.ring, msg->prod, buf->prod, &buf->prod);
	return buf;
}

/**
 * smcr_cdc_waits() - does the peer wait for a connection that is away?
 * @conn: the connection
 *
 * Context: any, conn->lock held.
 * Return: true if a parked message announces bytes or the end of the stream.
 */
bool smcr_cdc_waits(const struct smcr_conn *conn)
{
	const struct smcr_cdc_rx *peer = &conn->rx.peer;
	struct smcr_cdc_rx buf;

	lockdep_assert_held(&conn->lock);
	if (likely(!conn->rx.parked))
		return false;
	return cdc_newest(conn, &buf)->prod != peer->prod ||
	       conn->rx.parked_msg.flags & ~peer->flags &
	       (SMCR_CDC_D | SMCR_CDC_C);
}

/* Keep a message until the local end of the handshake is done (3.5.2.4), or the
 * local address is back. The newest message is enough: cursors are absolute,
 * and the flags that must not get lost are carried over from the older one.
 */
static void cdc_park(struct smcr_conn *conn, u8 slot,
		     const struct smcr_cdc_msg *msg)
{
	struct smcr_conn_rx *rx = &conn->rx;
	u16 last = rx->parked ? rx->parked_msg.seq : rx->peer.seq;
	bool waited = smcr_cdc_waits(conn);
	u16 lasting = 0;

	lockdep_assert_held(&conn->lock);
	if (smcr_seq_diff(msg->seq, last) <= 0)
		return;
	if (rx->parked)
		lasting = smcr_cdc_msg_lasting(&rx->parked_msg, msg);
	rx->parked = true;
	rx->parked_msg = *msg;
	rx->parked_msg.flags |= lasting;
	smcr_rx_arrive_parked(conn, slot, msg->prod);
	if (conn->fsm.state == SMCR_CONN_INIT)
		return;
	/* The time for which the peer waits begins; the push posts nothing */
	if (!waited && conn->tx.una == READ_ONCE(conn->tx.end))
		conn->tx.progress = jiffies;
	smcr_tx_push_locked(conn);
}

/* Handle a message that stands for the parked ones. None of them is missing. */
static bool cdc_newest_handle(struct smcr_conn *conn,
			      const struct smcr_cdc_msg *msg)
{
	conn->rx.parked = false;
	if (smcr_seq_diff(msg->seq, conn->rx.peer.seq) > 0)
		conn->rx.peer.seq = msg->seq - 1;
	return cdc_handle(conn, SMCR_FAILOVER_NO_LINK, msg, false);
}

/* Handle a message, or park it (@parks). A ends a connection that is away, too:
 * its peer may have learned from the address's new owner that TCP is over.
 * Returns true if the message was accepted.
 */
static bool cdc_deliver(struct smcr_conn *conn, u8 slot,
			const struct smcr_cdc_msg *msg, bool parks,
			bool new_link)
{
	if (likely(!parks))
		return cdc_handle(conn, slot, msg, new_link);
	if (msg->flags & SMCR_CDC_A && conn->fsm.state != SMCR_CONN_INIT)
		return cdc_newest_handle(conn, msg);
	cdc_park(conn, slot, msg);
	return true;
}

/* A move of the peer shows that bytes or messages were lost with a link, or
 * that the peer does not tell the truth (4.6.1). Once the connection is reset,
 * later messages of the peer, its A included, may show the same again. Returns
 * false then.
 */
static bool cdc_lost(struct smcr_conn *conn)
{
	conn->rx.fo.nr = 0;
	if (conn->reset_err)
		return false;
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_VALIDATIONSFAILED);
	smcr_conn_end_reset_locked(conn, SMCR_RESET_DATA_LOST, ECONNRESET);
	return true;
}

/* The peer has left a link that messages may still come from: drain it. */
static void cdc_fail_link(struct smcr_conn *conn)
{
	struct smcr_link *link = smcr_lgr_link_at(conn->lgr, conn->rx.fo.link);

	if (!link)
		return;
	smcr_link_fail(link, -ENOLINK);
	smcr_link_put(link);
}

/* The move of the peer is over, and it gets the credit that was held back. */
static void cdc_credit(struct smcr_conn *conn)
{
	if (conn->tx.told == smcr_rx_consumed(conn) ||
	    !smcr_conn_state_can_recv(&conn->fsm))
		return;
	conn->tx.due = true;
	smcr_tx_push_locked(conn);
}

/**
 * smcr_cdc_validate() - decide the moves of the peer that can be decided
 * @conn: the connection
 *
 * Context: any but hard irq, conn->lock held.
 */
void smcr_cdc_validate(struct smcr_conn *conn)
{
	struct smcr_failover_rx *fo = &conn->rx.fo;
	enum smcr_failover_step step;
	struct smcr_cdc_msg msg;
	struct smcr_cdc_rx buf;

	lockdep_assert_held(&conn->lock);
	if (conn->fsm.state == SMCR_CONN_CLOSED)
		fo->nr = 0;
	if (!fo->nr || conn->fsm.state == SMCR_CONN_INIT)
		return;
	do {
		step = smcr_failover_rx_step(fo, cdc_newest(conn, &buf),
					     get_jiffies_64(),
					     smcr_lgr_draining(conn->lgr),
					     smcr_lgr_connected(conn->lgr),
					     &msg);
		if (step == SMCR_FAILOVER_TAKE)
			cdc_deliver(conn, fo->link, &msg, conn->rx.parks,
				    false);
	} while (step == SMCR_FAILOVER_TAKE || step == SMCR_FAILOVER_VALID);
	if (step == SMCR_FAILOVER_RESET)
		cdc_lost(conn);
	else if (step == SMCR_FAILOVER_DRAIN)
		cdc_fail_link(conn);
	else if (step == SMCR_FAILOVER_NONE)
		cdc_credit(conn);
	if (fo->nr && time_before64(get_jiffies_64(), fo->stage[0].deadline))
		smcr_conn_move_arm(conn, fo->stage[0].deadline);
}

/**
 * smcr_cdc_unpark() - park no message any more, and drop the one that was
 * @conn: connection that is reset
 *
 * Context: any, conn->lock held.
 */
void smcr_cdc_unpark(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->rx.parked)
		conn->rx.peer.seq = conn->rx.parked_msg.seq;
	conn->rx.parked = false;
	conn->rx.parks = false;
}

/**
 * smcr_cdc_replay() - handle the message that was parked
 * @conn: connection that has just become ACTIVE, or was away
 *
 * Context: any, conn->lock held.
 */
void smcr_cdc_replay(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->rx.parks = false;
	if (conn->rx.parked)
		cdc_newest_handle(conn, &conn->rx.parked_msg);
	smcr_cdc_validate(conn);
}

/* Returns false if the link has to fail: the peer moves too often. */
static bool cdc_dispatch(struct smcr_conn *conn, struct smcr_link *link,
			 const struct smcr_cdc_msg *msg)
{
	const struct smcr_cdc_rx *newest = &conn->rx.peer;
	struct net *net = conn->lgr->net;
	bool parks = conn->rx.parks;
	struct smcr_cdc_rx buf;
	bool others = false;
	u64 deadline = 0;

	if (unlikely(parks))
		newest = cdc_newest(conn, &buf);

	if (msg->flags & SMCR_CDC_F) {
		others = smcr_lgr_redundant(conn->lgr) ||
			 smcr_lgr_draining(conn->lgr);
		deadline = get_jiffies_64() + smcr_sysctl_qp_dead_time(net);
		trace_smcr_cdc_rx(conn->lgr->id, conn->id, msg->seq, 0, 0,
				  msg->flags);
		smcr_mib_inc(net, SMCR_MIB_VALIDATIONSRECEIVED);
	}
	switch (smcr_failover_rx_recv(&conn->rx.fo, newest, link->slot, msg,
				      others, deadline)) {
	case SMCR_FAILOVER_HANDLE:
		smcr_rx_link_seen(conn, link);
		cdc_deliver(conn, link->slot, msg, parks, false);
		break;
	case SMCR_FAILOVER_HANDLE_NEW:
		if (!cdc_deliver(conn, link->slot, msg, parks, true))
			break;
		smcr_failover_rx_accepted(&conn->rx.fo, link->slot);
		break;
	case SMCR_FAILOVER_PARKED:
		break;
	case SMCR_FAILOVER_IGNORE:
		smcr_mib_inc(net, SMCR_MIB_CDCIGNORED);
		break;
	case SMCR_FAILOVER_LOST:
		/* The messages of one link arrive all, and in order. */
		if (link->slot == conn->rx.fo.link)
			cdc_invalid(conn, SMCR_CDC_DATA_LOST);
		else if (!cdc_lost(conn))
			smcr_mib_inc(net, SMCR_MIB_CDCIGNORED);
		break;
	case SMCR_FAILOVER_OVERFLOW:
		return false;
	}
	smcr_cdc_validate(conn);
	return true;
}

/* @bytes have come over a link whose peer does not probe its path. They are one
 * write, or two that meet at the end of the ring, so if they are twice a packet
 * long, a full packet has arrived.
 */
static void cdc_prove(struct smcr_link *link, u64 bytes)
{
	if (bytes < 2 * smcr_mtu_bytes(link->mtu))
		return;
	WRITE_ONCE(link->inbound, SMCR_LINK_I_ARRIVED);
	smcr_lgr_kick(link->lgr, SMCR_LGR_T_TEST);
}

/**
 * smcr_cdc_recv() - event: a CDC message arrived
 * @link: link that it came over
 * @msg: its bytes, valid during the call
 * @len: bytes that the completion reported
 *
 * Context: CQ handler: softirq, or a reader that polls, BH disabled.
 * Return: 0; -EBADMSG if it is not a CDC message, which the caller counts.
 */
int smcr_cdc_recv(struct smcr_link *link, const u8 *msg, u32 len)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_cdc_msg cdc;
	struct smcr_conn *conn;
	u64 arrived;
	bool ok;

	if (smcr_cdc_msg_decode(msg, len, &cdc))
		return -EBADMSG;
	smcr_mib_count(lgr->mib, SMCR_MIB_CDCRECEIVED, 1);
	conn = smcr_lgr_conn_find(lgr, cdc.alert_token);
	if (!conn) {
		smcr_mib_inc(lgr->net, SMCR_MIB_CDCIGNORED);
		return 0;
	}
	smcr_wr_cq_seen(link, conn);
	spin_lock_bh(&conn->lock);
	arrived = conn->rx.arrived;
	ok = cdc_dispatch(conn, link, &cdc);
	if (unlikely(smcr_link_unproved(READ_ONCE(link->inbound))))
		cdc_prove(link, conn->rx.arrived - arrived);
	spin_unlock_bh(&conn->lock);
	smcr_conn_put(conn);
	if (!ok)
		smcr_link_fail(link, -EPROTO);
	return 0;
}
