// SPDX-License-Identifier: GPL-2.0
/*
 * Handshakes: what the steps of both roles share (RFC 7609 3.5, C.1 to C.6):
 * CLC messages, the Decline, and building the connection. hs.c has the life of
 * a handshake.
 */
#include <net/sock.h>

#include "close.h"
#include "conn.h"
#include "conn_move.h"
#include "fallback.h"
#include "hs.h"
#include "inner.h"
#include "lgr.h"
#include "lgr_links.h"
#include "mib.h"
#include "path.h"
#include "rmb.h"
#include "sock.h"
#include "tx.h"

/**
 * smcr_hs_decline_more() - step DECLINE: send the rest of the Decline
 * @hs: the handshake; ends when TCP has all of it
 *
 * Context: process, outer sock lock held.
 * Return: false, as no step follows.
 */
bool smcr_hs_decline_more(struct smcr_hs *hs)
{
	int ret = smcr_clc_send(smcr_sk(hs->sk)->inner, &hs->clc);

	sock_owned_by_me(hs->sk);
	if (ret < 0) {
		smcr_hs_fail(hs, ret);
	} else if (ret) {
		if (hs->first_contact && hs->lgr)
			smcr_fallback_crossing(hs->sk, hs->lgr->key.peer_id);
		smcr_hs_fallback(hs, hs->reason, 0);
	}
	return false;
}

static void put_decline(struct smcr_hs *hs, enum smcr_fallback_reason reason,
			bool sync)
{
	struct smcr_clc_decline msg = {
		.version = SMCR_VERSION,
		.out_of_sync = sync,
		.diagnosis = smcr_fallback_diag(reason),
	};

	sock_owned_by_me(hs->sk);
	smcr_peer_id_tell(sock_net(hs->sk), &hs->port, msg.peer_id);
	hs->clc.tx_len = smcr_clc_decline_encode(hs->clc.tx,
						 sizeof(hs->clc.tx), &msg);
	hs->clc.tx_off = 0;
	hs->reason = reason;
}

/**
 * smcr_hs_put_decline() - make a Decline the message that smcr_hs_send() sends
 * @hs: a client's handshake whose SYNs have crossed, with no message in hs->clc
 * @reason: why it declines
 *
 * Unlike smcr_hs_decline(), it does not end the handshake: the peer's message
 * must not reach the program.
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_put_decline(struct smcr_hs *hs, enum smcr_fallback_reason reason)
{
	put_decline(hs, reason, false);
}

static void hs_decline(struct smcr_hs *hs, enum smcr_fallback_reason reason,
		       bool sync)
{
	if (!smcr_hs_step(hs, SMCR_HS_DECLINE))
		return;
	put_decline(hs, reason, sync);
	smcr_hs_decline_more(hs);
}

/**
 * smcr_hs_decline() - send a Decline instead of the message that is due, and
 *	fall back to TCP (C.1)
 * @hs: the handshake
 * @reason: why it falls back; smcr_fallback_diag() makes it the diagnosis of
 *	the Decline
 *
 * Context: process, outer sock lock held. Not while the peer has to answer a
 * message of this side: a Decline must not chase that message.
 */
void smcr_hs_decline(struct smcr_hs *hs, enum smcr_fallback_reason reason)
{
	hs_decline(hs, reason, false);
}

/**
 * smcr_hs_decline_sync() - like smcr_hs_decline(), but with S set: this host
 *	does not know the server's group (C.4)
 * @hs: the handshake
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_decline_sync(struct smcr_hs *hs)
{
	hs_decline(hs, SMCR_FALLBACK_OUT_OF_SYNC, true);
}

/**
 * smcr_hs_declined() - handle the peer's Decline in hs->clc
 * @hs: the handshake; ends
 *
 * If S is set, the client does not know the group, so the server tests the
 * group's links (C.4). Only a client from an address that the group is bound to
 * can cause that, because find_group() finds the group for no other address.
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_declined(struct smcr_hs *hs)
{
	struct smcr_clc_decline msg;

	sock_owned_by_me(hs->sk);
	if (smcr_clc_decline_decode(hs->clc.rx, hs->clc.rx_len, &msg)) {
		smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_BADCLC);
		smcr_hs_fail(hs, -ECONNRESET);
		return;
	}
	if (hs->client)
		smcr_hs_dest_good(hs);
	hs->long_lost = msg.diagnosis == SMCR_DIAG_MTU;
	if (!smcr_hs_other_dialect(hs, msg.diagnosis))
		smcr_hs_path_result(hs, false);
	if (msg.out_of_sync && hs->lgr && !hs->client)
		smcr_lgr_links_doubtful(hs->lgr);
	smcr_hs_fallback(hs, SMCR_FALLBACK_PEER_DECLINED, msg.diagnosis);
}

/* After crossed SYNs both ends are clients, and both send a Proposal. Is this
 * message the peer's? It gets no answer, so a bad value in it does not matter;
 * but a format fault must reset TCP (C.6).
 */
static bool crossed_syns(struct smcr_hs *hs)
{
	struct sock *inner = smcr_sk(hs->sk)->inner->sk;
	enum smcr_clc_fault fault;

	if (!hs->client || hs->step != SMCR_HS_ACCEPT ||
	    hs->clc.hdr.type != SMCR_CLC_PROPOSAL)
		return false;
	fault = smcr_clc_proposal_decode(hs->clc.rx, hs->clc.rx_len,
					 &hs->proposal);
	return (!fault || smcr_clc_fault_declines(fault)) &&
	       smcr_clc_proposal_fits(&hs->proposal, smcr_path_is_v6(inner));
}

/**
 * smcr_hs_tcp_errno() - why has TCP ended?
 * @hs: the handshake
 *
 * Context: process, outer sock lock held.
 * Return: -errno; -ECONNRESET if the peer has ended it, be it by a RST, by a
 * RST after a FIN, which is EPIPE to TCP, or by a FIN alone.
 */
int smcr_hs_tcp_errno(const struct smcr_hs *hs)
{
	int err;

	sock_owned_by_me(hs->sk);
	err = smcr_inner_errno(hs->sk);
	return err && err != EPIPE ? -err : -ECONNRESET;
}

/**
 * smcr_hs_recv() - receive the message that is due
 * @hs: the handshake
 * @want: type of the message
 *
 * Any other message but a Decline ends the handshake (C.6), and so does a FIN,
 * but not in step LLC: Linux's client is connected then, and if its program
 * calls shutdown(), the FIN may overtake the last LLC message. The group
 * decides.
 *
 * Context: process, outer sock lock held.
 * Return: 1 if the message is in hs->clc; 0 if more bytes must come, or the
 * handshake has ended.
 */
int smcr_hs_recv(struct smcr_hs *hs, enum smcr_clc_type want)
{
	int ret = smcr_clc_recv(smcr_sk(hs->sk)->inner, &hs->clc);
	int err = -ECONNRESET;

	sock_owned_by_me(hs->sk);
	if (!ret)
		return 0;
	if (ret > 0 && hs->clc.hdr.type == want)
		return 1;
	if (ret > 0 && hs->clc.hdr.type == SMCR_CLC_DECLINE) {
		smcr_hs_declined(hs);
		return 0;
	}
	if (ret > 0 && crossed_syns(hs)) {
		smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_CROSSEDSYNS);
		smcr_hs_fallback(hs, SMCR_FALLBACK_CROSSED_SYN, 0);
		return 0;
	}
	if (ret == -ECONNRESET || ret == -ENODATA) {
		err = smcr_hs_tcp_errno(hs);
		hs->cut = err == -ECONNRESET;
	} else if (ret != -ENOMEM) {
		smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_BADCLC);
	}
	if (ret != -ENODATA || hs->step != SMCR_HS_LLC)
		smcr_hs_fail(hs, err);
	return 0;
}

/**
 * smcr_hs_send() - send the message in hs->clc.tx
 * @hs: the handshake
 *
 * Context: process, outer sock lock held.
 * Return: 1 if TCP has all of it; 0 if TCP has no room for now, or the
 * handshake has ended.
 */
int smcr_hs_send(struct smcr_hs *hs)
{
	int ret = smcr_clc_send(smcr_sk(hs->sk)->inner, &hs->clc);

	sock_owned_by_me(hs->sk);
	if (ret < 0) {
		hs->cut = ret == -ECONNRESET || ret == -EPIPE;
		smcr_hs_fail(hs, ret);
		return 0;
	}
	return ret;
}

/**
 * smcr_hs_from_here() - may the peer be this very host?
 * @hs: the handshake
 *
 * Context: process.
 * Return: true if net.smcr.loopback is set and the peer's TCP address is local.
 */
bool smcr_hs_from_here(const struct smcr_hs *hs)
{
	const struct smcr_net *sn = smcr_pernet(sock_net(hs->sk));

	return READ_ONCE(sn->sysctl.loopback) &&
	       smcr_path_is_local(smcr_sk(hs->sk)->inner->sk);
}

/**
 * smcr_hs_gid_credible() - may the peer be at the GID that it claims?
 * @hs: the handshake
 * @gid: GID in a Proposal, or in the Accept or Confirm of a first contact
 *
 * Reject a remote peer that claims one of our own GIDs; RDMA to it would loop
 * back to this host.
 *
 * Context: process.
 * Return: false if the peer is remote and @gid is local.
 */
bool smcr_hs_gid_credible(const struct smcr_hs *hs, const u8 *gid)
{
	return !smcr_ib_gid_is_ours(sock_net(hs->sk), gid) ||
	       smcr_hs_from_here(hs);
}

static u32 elem_size(const struct sock *sk)
{
	u32 bytes = smcr_sk(sk)->rcvbuf_set ? sk->sk_rcvbuf / 2 :
		    READ_ONCE(smcr_pernet(sock_net(sk))->sysctl.rmem);

	return smcr_bsize_to_bytes(smcr_bytes_to_bsize(bytes));
}

static u32 send_size(const struct sock *sk)
{
	return smcr_sk(sk)->sndbuf_set ? sk->sk_sndbuf / 2 :
	       READ_ONCE(smcr_pernet(sock_net(sk))->sysctl.wmem);
}

/**
 * smcr_hs_form() - first contact: begin to form the group
 * @hs: the handshake, with a port
 * @role: local role
 * @key: the peer
 *
 * A connection that will get no memory needs no queue pair either, and the
 * queue pair is most of what a first contact costs. So the limits of memory
 * come first. smcr_hs_conn() follows in step GROUP.
 *
 * Context: process, outer sock lock held.
 * Return: 0; -EDQUOT at a limit of memory; or like smcr_lgr_create().
 */
int smcr_hs_form(struct smcr_hs *hs, enum smcr_role role,
		 const struct smcr_lgr_key *key)
{
	struct net *net = sock_net(hs->sk);
	u32 size = elem_size(hs->sk);
	struct smcr_lgr *lgr;
	int err;

	sock_owned_by_me(hs->sk);
	err = smcr_rmb_check(net, size);
	if (!err)
		err = smcr_tx_space_check(net);
	if (err)
		return err;
	lgr = smcr_lgr_create(net, role, key, &hs->port, size);
	if (IS_ERR(lgr))
		return PTR_ERR(lgr);
	hs->lgr = lgr;
	hs->first_contact = true;
	return 0;
}

/* Bytes of the element: those that were charged, or that the first RMB was made
 * for, even if an option has changed since.
 */
static u32 conn_size(const struct smcr_hs *hs)
{
	if (hs->conn)
		return hs->conn->charged;
	return hs->first_contact ? hs->lgr->form.elem_size : elem_size(hs->sk);
}

/**
 * smcr_hs_conn() - build the connection: link, RMB element, alert token
 * @hs: the handshake, with a group
 *
 * Context: process, outer sock lock held.
 * Return: 0; -EINPROGRESS if the group must make its first link and RMB, or
 * -ENOSPC if it must add an RMB, before SMCR_HS_E_GROUP comes; another -errno.
 */
int smcr_hs_conn(struct smcr_hs *hs)
{
	u32 size = conn_size(hs);
	struct smcr_conn *conn;
	int err;

	sock_owned_by_me(hs->sk);
	if (hs->first_contact) {
		smcr_lgr_wait(hs->lgr, hs);
		err = smcr_lgr_formed(hs->lgr);
		if (err)
			return err;
	}
	if (!hs->link)
		hs->link = smcr_conn_move_first(hs->lgr) ?:
			   smcr_lgr_link(hs->lgr);
	if (!hs->link)
		return -ESHUTDOWN;
	/* While the group adds an RMB, hs->conn waits for the next call. */
	if (!hs->conn) {
		conn = smcr_conn_alloc(hs->lgr, hs->link, send_size(hs->sk),
				       smcr_close_work);
		if (IS_ERR(conn))
			return PTR_ERR(conn);
		hs->conn = conn;
		err = smcr_conn_charge(conn, hs->sk, size);
		if (err)
			return err;
	}
	smcr_lgr_wait_elem(hs->lgr, hs, size);
	err = smcr_conn_elem_take(hs->conn, size);
	if (!err)
		smcr_lgr_unwait(hs->lgr, hs);
	return err;
}

/**
 * smcr_hs_group_wait() - step GROUP or REG: wait for the group or an element
 * @hs: the handshake; declines if it has waited for too long
 *
 * Whatever holds the group up, be it an adapter that is slow to make a queue
 * pair or to register an RMB, or a peer that leaves an exchange unanswered, TCP
 * still works.
 *
 * Context: process, outer sock lock held.
 * Return: false, as no step follows before SMCR_HS_E_GROUP.
 */
bool smcr_hs_group_wait(struct smcr_hs *hs)
{
	sock_owned_by_me(hs->sk);
	if (time_before(jiffies, hs->group_limit)) {
		smcr_hs_wake(hs, hs->group_limit);
		return false;
	}
	smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_GROUPTIMEOUTS);
	smcr_hs_path_slow(hs);
	smcr_hs_decline(hs, SMCR_FALLBACK_RESOURCE_LIMIT);
	return false;
}

/* Describe the local end of the connection. Once the peer has this message, it
 * may write to the element.
 */
static void fill_accept(struct smcr_hs *hs, struct smcr_clc_accept *msg)
{
	const struct smcr_conn *conn = hs->conn;
	const struct smcr_rmb_map *map = &conn->rx.rmb->maps[conn->link->slot];

	msg->version = SMCR_VERSION;
	msg->first_contact = hs->first_contact;
	smcr_peer_id_tell(sock_net(hs->sk), &hs->link->local, msg->peer_id);
	memcpy(msg->gid, hs->link->local.gid, SMCR_GID_LEN);
	memcpy(msg->mac, hs->link->local.mac, SMCR_MAC_LEN);
	msg->qpn = hs->link->qpn;
	msg->psn = hs->link->psn;
	msg->mtu = hs->link->local.mtu;
	msg->rkey = map->rkey;
	msg->vaddr = map->iova;
	msg->rmbe_idx = conn->rx.idx;
	msg->alert_token = conn->token;
	msg->bsize = smcr_bytes_to_bsize(conn->rx.rmb->elem_size);
	hs->offered = true;
}

/**
 * smcr_hs_send_accept() - send an Accept or Confirm, or the rest of it
 * @hs: the handshake, with a connection
 * @type: SMCR_CLC_ACCEPT or SMCR_CLC_CONFIRM
 *
 * Context: process, outer sock lock held.
 * Return: like smcr_hs_send().
 */
int smcr_hs_send_accept(struct smcr_hs *hs, enum smcr_clc_type type)
{
	struct smcr_clc_accept msg = { .type = type };

	sock_owned_by_me(hs->sk);
	if (!hs->clc.tx_len) {
		fill_accept(hs, &msg);
		hs->clc.tx_len = smcr_clc_accept_encode(hs->clc.tx,
							sizeof(hs->clc.tx),
							&msg);
	}
	return smcr_hs_send(hs);
}

/**
 * smcr_hs_link_up() - first contact: begin to connect the link and to register
 *	the RMB
 * @hs: the handshake
 * @msg: the peer's Accept or Confirm
 *
 * smcr_hs_await_rmb() follows in step REG.
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_link_up(struct smcr_hs *hs, const struct smcr_clc_accept *msg)
{
	struct smcr_link_peer peer = {
		.mtu = msg->mtu,
		.qpn = msg->qpn,
		.psn = msg->psn,
	};

	sock_owned_by_me(hs->sk);
	memcpy(peer.gid, msg->gid, SMCR_GID_LEN);
	memcpy(peer.mac, msg->mac, SMCR_MAC_LEN);
	smcr_lgr_form_connect(hs->link, &peer);
}

/**
 * smcr_hs_await_rmb() - step REG: wait until the link is connected and the
 *	first RMB registered
 * @hs: the handshake; declines if its group has failed, or takes too long
 *
 * Context: process, outer sock lock held.
 * Return: true if the peer may write to the connection's element, and the next
 * LLC message probes the path; false if SMCR_HS_E_GROUP must come first, or the
 * handshake has ended.
 */
bool smcr_hs_await_rmb(struct smcr_hs *hs)
{
	struct smcr_wr_probe probe = {
		.raddr = hs->conn->tx.raddr + SMCR_RMBE_EYE_LEN,
		.rkey = hs->conn->tx.rkey,
	};

	sock_owned_by_me(hs->sk);
	/* Before the looks below, so that no wake-up is missed */
	smcr_lgr_wait(hs->lgr, hs);
	if (smcr_lgr_state(hs->lgr) != SMCR_LGR_FORMING) {
		smcr_hs_decline(hs, SMCR_FALLBACK_QP);
		return false;
	}
	if (!smcr_lgr_rmb_ready(hs->conn))
		return smcr_hs_group_wait(hs);
	/* An element has at least 16 KB, and a packet at most 4 KB of data. */
	smcr_llc_probe(hs->lgr, &probe);
	return true;
}

/* The group has failed, and no whole Decline has come. Decline, unless
 *  - the local CONFIRM LINK has been delivered (C.2),
 *  - the peer let the exchange time out (C.7.1), or
 *  - a part of the peer's message has come, whose rest the program would read.
 */
static void llc_failed(struct smcr_hs *hs)
{
	if (READ_ONCE(hs->lgr->llc.confirm_sent) ||
	    READ_ONCE(hs->lgr->llc.timed_out) || hs->clc.rx_len) {
		smcr_hs_fail(hs, -ECONNRESET);
	} else {
		smcr_hs_path_result(hs, false);
		smcr_hs_decline(hs, smcr_hs_long_lost(hs) ?
				    SMCR_FALLBACK_MTU :
				    SMCR_FALLBACK_CONFIRM_LINK);
	}
}

/**
 * smcr_hs_llc() - step LLC: wait for the end of the first contact
 * @hs: the handshake
 *
 * Each side may decline over TCP until its CONFIRM LINK has been delivered
 * (C.2). After that it can only reset TCP.
 *
 * Context: process, outer sock lock held.
 * Return: false, as no step follows.
 */
bool smcr_hs_llc(struct smcr_hs *hs)
{
	enum smcr_lgr_state state;

	sock_owned_by_me(hs->sk);
	smcr_lgr_wait(hs->lgr, hs);
	state = smcr_lgr_state(hs->lgr);
	if (state == SMCR_LGR_ACTIVE) {
		smcr_lgr_unwait(hs->lgr, hs);
		smcr_hs_done(hs);
	} else if (smcr_hs_recv(hs, SMCR_CLC_DECLINE)) {
		/* No other message may come in this step. */
		smcr_hs_declined(hs);
	} else if (hs->step == SMCR_HS_LLC && state != SMCR_LGR_FORMING) {
		llc_failed(hs);
	}
	return false;
}
