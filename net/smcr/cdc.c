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
#include "lgr.h"
#include "link.h"
#include "mib.h"
#include "tx.h"
#include "wr.h"

static void cdc_flags(struct smcr_conn *conn, const struct smcr_cdc_result *res)
{
	if (res->raised & (SMCR_CDC_D | SMCR_CDC_C) && !conn->reset_err) {
		/* Pairs with the acquire in rx_final(): a reader that sees the
		 * end sees all bytes before it
		 */
		smp_store_release(&conn->rx.final, true);
	}
	if (res->raised & SMCR_CDC_A)
		smcr_conn_end_event(conn, SMCR_CONN_EV_PEER_ABORT);
	else if (res->raised & SMCR_CDC_C)
		smcr_conn_end_event(conn, conn->tx.nxt != conn->tx.end ?
				 SMCR_CONN_EV_PEER_CLOSED_UNSENT :
				 SMCR_CONN_EV_PEER_CLOSED);
	else if (res->raised & SMCR_CDC_D)
		smcr_conn_end_event(conn, SMCR_CONN_EV_PEER_DONE);
}

/* R requests the consumer position now, if the peer does not have it (4.5.1); B
 * requests it with the next byte that is read. One message of ours answers any
 * number of R, so that two peers cannot keep each other busy.
 */
static void cdc_answer(struct smcr_conn *conn, u16 flags)
{
	if (!(flags & SMCR_CDC_R) || conn->tx.wanted)
		return;
	conn->tx.wanted = true;
	if (conn->tx.told != conn->rx.cons)
		conn->tx.due = true;
}

static void cdc_take(struct smcr_conn *conn, const struct smcr_cdc_result *res)
{
	bool more = res->prod != conn->rx.peer.prod;
	struct smcr_cdc_rx rx = conn->rx.peer;

	smcr_cdc_apply(&rx, res);
	conn->rx.peer.cons = rx.cons;
	conn->rx.peer.seq = rx.seq;
	/* Pairs with the acquire in smcr_rx_avail() */
	smp_store_release(&conn->rx.peer.prod, rx.prod);
	conn->rx.peer.flags = rx.flags;

	if (res->gap)
		smcr_mib_add(conn->lgr->net, SMCR_MIB_CDCGAPS, res->gap);
	cdc_answer(conn, res->flags);
	smcr_wr_consumed(conn->link, conn, res->cons);
	smcr_tx_reclaim(conn, res->cons);
	/* No byte is written to a peer that has closed (4.8.1, 4.8.2). */
	if (!(res->raised & (SMCR_CDC_C | SMCR_CDC_A)))
		smcr_tx_push_locked(conn);
	/* If the application has closed, though the peer may not know yet, no
	 * reader will take these bytes. Reset the connection, as TCP does, so
	 * that the peer learns of the loss.
	 */
	if (more && (conn->fsm.we_closed ||
		     conn->flush == SMCR_CONN_FLUSH_CLOSE))
		smcr_conn_end_reset_locked(conn, SMCR_RESET_UNREAD_DATA,
					   ECONNRESET);
	if (res->raised)
		cdc_flags(conn, res);
	if (more && conn->sk)
		conn->sk->sk_data_ready(conn->sk);
}

static void cdc_handle(struct smcr_conn *conn, const struct smcr_cdc_msg *msg)
{
	struct smcr_cdc_limits lim = {
		.ring = conn->rx.ring,
		.peer_ring = conn->tx.ring,
		.cons = conn->rx.cons,
		.sent = conn->tx.nxt,
	};
	struct net *net = conn->lgr->net;
	struct smcr_cdc_result res;
	enum smcr_cdc_verdict verdict;

	lockdep_assert_held(&conn->lock);
	verdict = smcr_cdc_check(&conn->rx.peer, &lim, msg, &res);
	if (verdict == SMCR_CDC_ACCEPT) {
		trace_smcr_cdc_rx(conn->lgr->id, conn->id, msg->seq, res.prod,
				  res.cons, msg->flags);
		cdc_take(conn, &res);
		return;
	}
	if (!smcr_cdc_verdict_aborts(verdict)) {
		smcr_mib_inc(net, SMCR_MIB_CDCIGNORED);
		return;
	}
	smcr_mib_inc(net, SMCR_MIB_BADCDC);
	net_warn_ratelimited("group %u: impossible CDC message (%s); the connection is reset. The peer's SMC-R is faulty\n",
			     conn->lgr->id, smcr_cdc_verdict_name(verdict));
	smcr_conn_end_reset_locked(conn, SMCR_RESET_CDC_INVALID, ECONNRESET);
}

/* Keep a message until the local end of the handshake is done (3.5.2.4). The
 * newest message is enough: cursors are absolute, and the flags that must not
 * get lost are carried over from the older one.
 */
static void cdc_park(struct smcr_conn *conn, const struct smcr_cdc_msg *msg)
{
	struct smcr_conn_rx *rx = &conn->rx;
	u16 sticky = 0;

	lockdep_assert_held(&conn->lock);
	if (rx->parked && smcr_seq_diff(msg->seq, rx->parked_msg.seq) <= 0)
		return;
	if (rx->parked)
		sticky = rx->parked_msg.flags &
			 (SMCR_CDC_D | SMCR_CDC_C | SMCR_CDC_A | SMCR_CDC_R);
	rx->parked = true;
	rx->parked_msg = *msg;
	rx->parked_msg.flags |= sticky;
}

/**
 * smcr_cdc_replay() - handle the message that arrived during the handshake
 * @conn: connection that has just become ACTIVE
 *
 * Context: any, conn->lock held.
 */
void smcr_cdc_replay(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->rx.parked)
		return;
	conn->rx.parked = false;
	cdc_handle(conn, &conn->rx.parked_msg);
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
	if (conn->fsm.state == SMCR_CONN_INIT)
		cdc_park(conn, &cdc);
	else
		cdc_handle(conn, &cdc);
	spin_unlock_bh(&conn->lock);
	smcr_conn_put(conn);
	return 0;
}
