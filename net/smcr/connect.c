// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous, client side (RFC 7609 3.5.1, 3.5.2). One function per step.
 *
 * Some paths drop SYNs with an option that they do not know. So only the first
 * two transmissions of a SYN have the option, and those that follow are TCP's
 * own, after 2 seconds by default. A server decides by the first SYN that
 * arrives, and all its SYN-ACKs agree with that, so the client follows the
 * SYN-ACK, whatever its own last SYN was like:
 *
 *   SYN-ACK  SYN repeated plainly  result
 *   option   yes or no             SMC-R
 *   none     no                    TCP: the server does not offer SMC-R
 *   none     yes                   TCP, and the destination is listed: it may
 *                                  be the option that was not answered
 *   crossed  no                    as by the option of the server's SYN
 *   crossed  yes                   TCP: which of the SYNs the server has got,
 *                                  its own SYN does not say. If that was one
 *                                  with the option, its Proposal resets both
 *
 * No SYN has the option if the route of the first one has a gateway
 * (net.smcr.on_link_only), and the result is TCP. A SYN is repeated plainly if
 * the route has got a gateway since.
 *
 * Nor has one if the negative list blocks the destination, or the path to it.
 *
 * If BPF programs may change the destination inside connect(), nothing can be
 * said about it before: the first SYN's route and address decide about adapter,
 * loopback and negative list, too, or step PROPOSE does; see late_reason().
 */
#include <linux/net.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "addr.h"
#include "conn.h"
#include "conn_move.h"
#include "connect.h"
#include "fallback.h"
#include "hs.h"
#include "inner.h"
#include "lgr.h"
#include "mib.h"
#include "option.h"
#include "path.h"
#include "sock.h"

/* Why the address that the program named cannot use SMC-R */
static enum smcr_fallback_reason
named_reason(struct sock *sk, const struct sockaddr *addr, int addr_len)
{
	struct sock *inner = smcr_sk(sk)->inner->sk;
	enum smcr_fallback_reason reason;
	struct in6_addr dst;
	__be16 port;

	reason = smcr_path_check(inner, addr, addr_len);
	if (reason == SMCR_FALLBACK_NONE &&
	    smcr_path_dest(inner, addr, addr_len, &dst, &port))
		reason = smcr_hs_dest_listed(sock_net(sk), &dst, port);
	return reason;
}

/**
 * smcr_connect_start() - start to connect
 * @sk: outer socket in mode INIT
 * @addr: destination
 * @addr_len: length of @addr
 *
 * Context: process, outer sock lock held. Does not wait; the handshake calls
 * smcr_sock_connected() when it ends.
 * Return: 0 if the connect is under way; 1 if the socket has fallen back and
 * the caller must let TCP connect; -errno.
 */
int smcr_connect_start(struct sock *sk, struct sockaddr *addr, int addr_len)
{
	struct socket *inner = smcr_sk(sk)->inner;
	enum smcr_fallback_reason reason;
	struct smcr_hs *hs;
	bool later;
	int err;

	sock_owned_by_me(sk);
	later = smcr_path_may_change(inner->sk, addr, addr_len);
	reason = smcr_fallback_check_conn(sk);
	if (reason == SMCR_FALLBACK_NONE && !later)
		reason = named_reason(sk, addr, addr_len);
	if (reason != SMCR_FALLBACK_NONE) {
		smcr_fallback(sk, reason, 0);
		return 1;
	}
	smcr_option_offer(inner->sk);
	hs = smcr_hs_alloc(sk, true);
	if (!hs)
		return -ENOMEM;
	hs->syn_judges = later;
	smcr_sock_mode_set(sk, SMCR_MODE_HANDSHAKE);
	smcr_inner_hook(sk);
	smcr_inner_ack_later(inner);
	smcr_inner_watch_syn(sk);
	err = kernel_connect(inner, addr, addr_len, O_NONBLOCK);
	/* The SYN-ACK kicks the handshake, or already has */
	if (!err || err == -EINPROGRESS) {
		smcr_inner_watch_syn(sk);
		return 0;
	}
	smcr_inner_ops_end(inner->sk);
	smcr_hs_cancel(hs);
	return err;
}

/* Map an error from building the local end to a fallback reason. */
static enum smcr_fallback_reason errno_reason(int err)
{
	switch (err) {
	case -ENOMEM:
	case -ENOBUFS:
		return SMCR_FALLBACK_MEMORY;
	case -EMFILE:
	case -EDQUOT:
	case -ENOSPC:
	case -ESHUTDOWN:
		return SMCR_FALLBACK_RESOURCE_LIMIT;
	case -EOPNOTSUPP:
	case -E2BIG:
	case -EMSGSIZE:
		return SMCR_FALLBACK_DEVICE_LIMIT;
	case -ENODEV:
		return SMCR_FALLBACK_NO_RNIC;
	default:
		return SMCR_FALLBACK_QP;
	}
}

/* What the SYNs have said, see the table above. */
static enum smcr_fallback_reason syn_result(struct smcr_hs *hs)
{
	bool smc = smcr_option_accepted(smcr_sk(hs->sk)->inner->sk);

	if (hs->syn_reason != SMCR_FALLBACK_NONE)
		return hs->syn_reason;
	if (hs->syn_plain && hs->crossed) {
		smcr_fallback_late(hs->sk);
		smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_CROSSEDSYNS);
		return SMCR_FALLBACK_CROSSED_SYN;
	}
	if (smc)
		return SMCR_FALLBACK_NONE;
	smcr_hs_dest_syn(hs, !hs->syn_plain);
	return hs->syn_plain ? SMCR_FALLBACK_SYN_UNANSWERED :
			       SMCR_FALLBACK_NO_OPTION;
}

/* Why TCP has given up, as a negative errno */
static int tcp_errno(const struct smcr_hs *hs, struct sock *inner)
{
	int err = sock_error(inner) ? : -ECONNREFUSED;
	int soft = READ_ONCE(hs->sk->sk_err_soft);

	return err == -ETIMEDOUT && soft ? -soft : err;
}

/* Step TCP: wait for the three-way handshake (3.5.1.1). */
static bool step_tcp(struct smcr_hs *hs)
{
	struct sock *inner = smcr_sk(hs->sk)->inner->sk;
	int state = READ_ONCE(inner->sk_state);
	enum smcr_fallback_reason reason;

	if (state == TCP_SYN_SENT || state == TCP_SYN_RECV)
		return false;
	smcr_inner_ops_end(inner);
	if (state == TCP_CLOSE) {
		smcr_hs_fail(hs, tcp_errno(hs, inner));
		return false;
	}
	reason = syn_result(hs);
	if (reason != SMCR_FALLBACK_NONE) {
		smcr_hs_fallback(hs, reason, 0);
		return false;
	}
	smcr_hs_arm(hs, READ_ONCE(smcr_pernet(sock_net(hs->sk))
				  ->sysctl.handshake_timeout_ms));
	return smcr_hs_step(hs, SMCR_HS_PROPOSE);
}

/* An IPv6 socket that connects to an IPv4 address is not asked about its first
 * SYN (smcr_inner_watch_syn()). If BPF programs may have changed the address,
 * it is judged here, after the server has agreed to SMC-R.
 */
static enum smcr_fallback_reason late_reason(const struct smcr_hs *hs)
{
	const struct sock *inner = smcr_sk(hs->sk)->inner->sk;

	return hs->syn_judges && inner->sk_family == AF_INET6 &&
	       !smcr_path_is_v6(inner) ? smcr_hs_dest_check(hs) :
					 SMCR_FALLBACK_NONE;
}

static void put_proposal(struct smcr_hs *hs)
{
	struct smcr_clc_proposal msg = { .version = SMCR_VERSION };
	struct sock *inner = smcr_sk(hs->sk)->inner->sk;

	hs->here = smcr_addr_here(inner);
	smcr_peer_id_tell(sock_net(hs->sk), &hs->port, msg.peer_id);
	memcpy(msg.gid, hs->port.gid, SMCR_GID_LEN);
	memcpy(msg.mac, hs->port.mac, SMCR_MAC_LEN);
	smcr_path_subnet_fill(inner, &hs->port, &msg);
	hs->clc.tx_len = smcr_clc_proposal_encode(hs->clc.tx,
						  sizeof(hs->clc.tx), &msg);
}

/* Step PROPOSE: send the Proposal (3.5.1.2). A destination on the negative list
 * may reset TCP when a CLC message comes, so it gets no Decline either.
 *
 * After crossed SYNs the peer is a client, too, and sends a Proposal or a
 * Decline by itself. A Decline of this end takes the place of the Proposal
 * then, and step ACCEPT takes the peer's message off the stream.
 */
static bool step_propose(struct smcr_hs *hs)
{
	struct sock *inner = smcr_sk(hs->sk)->inner->sk;
	enum smcr_fallback_reason reason;

	if (!hs->clc.tx_len) {
		reason = late_reason(hs);
		if (reason == SMCR_FALLBACK_NEG_DESTINATION && !hs->crossed) {
			smcr_hs_fallback(hs, reason, 0);
			return false;
		}
		if (reason == SMCR_FALLBACK_NONE)
			reason = smcr_path_port(inner, smcr_hs_gid_kind(hs),
						NULL, &hs->port);
		if (reason != SMCR_FALLBACK_NONE && !hs->crossed) {
			smcr_hs_decline(hs, reason);
			return false;
		}
		if (reason != SMCR_FALLBACK_NONE)
			smcr_hs_put_decline(hs, reason);
		else
			put_proposal(hs);
	}
	if (!smcr_hs_send(hs))
		return false;
	return smcr_hs_step(hs, SMCR_HS_ACCEPT);
}

static void accept_key(const struct smcr_hs *hs, struct smcr_lgr_key *key)
{
	const struct smcr_clc_accept *msg = &hs->accept;

	memset(key, 0, sizeof(*key));
	smcr_path_peer_addr(smcr_sk(hs->sk)->inner->sk, &key->addr);
	memcpy(key->peer_id, msg->peer_id, SMCR_PEER_ID_LEN);
	memcpy(key->gid, msg->gid, SMCR_GID_LEN);
	memcpy(key->mac, msg->mac, SMCR_MAC_LEN);
}

/* If the proposed GID cannot reach the GID that the server named, use a local
 * GID in the Confirm that can, if there is one. A subsequent contact uses the
 * GIDs of its link.
 */
static void follow_gid(struct smcr_hs *hs)
{
	const u8 *theirs = hs->accept.gid;
	struct smcr_port port;

	if (smcr_gid_alike(hs->port.gid, theirs) ||
	    smcr_path_port(smcr_sk(hs->sk)->inner->sk, smcr_gid_kind(theirs),
			   theirs, &port) != SMCR_FALLBACK_NONE)
		return;
	smcr_ib_port_drop(&hs->port);
	hs->port = port;
}

/* First contact (3.5.1.3), or the server chose to form a parallel group
 * (3.5.3).
 */
static bool first_contact(struct smcr_hs *hs, const struct smcr_lgr_key *key)
{
	enum smcr_fallback_reason reason;
	int err;

	if (!smcr_hs_gid_credible(hs, hs->accept.gid)) {
		smcr_hs_decline(hs, SMCR_FALLBACK_PEER_ID);
		return false;
	}
	if (smcr_hs_other_kind(hs)) {
		smcr_hs_decline(hs, SMCR_FALLBACK_GID_KIND);
		return false;
	}
	follow_gid(hs);
	reason = smcr_hs_path_check(hs, key);
	if (reason != SMCR_FALLBACK_NONE) {
		smcr_hs_decline(hs, reason);
		return false;
	}
	err = smcr_hs_form(hs, SMCR_CLIENT, key);
	if (err) {
		smcr_hs_decline(hs, errno_reason(err));
		return false;
	}
	return smcr_hs_step(hs, SMCR_HS_GROUP);
}

/* Find the group of a subsequent contact: peer ID, GID, MAC and QPN name the
 * link, whatever the server's TCP address is (3.5.2.2). If the link has left
 * its group, the keys that the Accept gives for it name no RMB any more, so the
 * Confirm cannot name another link. But the server has the right group, which
 * other connections use, so the Decline has no S. Returns false if the
 * handshake has declined.
 */
static bool find_group(struct smcr_hs *hs, const struct smcr_lgr_key *key)
{
	hs->lgr = smcr_lgr_find_client(sock_net(hs->sk), key, hs->accept.qpn,
				       &hs->named);
	if (!hs->lgr) {
		if (smcr_lgr_had_link(sock_net(hs->sk), key, hs->accept.qpn))
			smcr_hs_decline(hs, SMCR_FALLBACK_LINK_LOST);
		else
			smcr_hs_decline_sync(hs);
		return false;
	}
	hs->link = smcr_link_get(hs->named);
	return true;
}

static bool subsequent_contact(struct smcr_hs *hs,
			       const struct smcr_lgr_key *key)
{
	return find_group(hs, key) && smcr_hs_step(hs, SMCR_HS_GROUP);
}

/* A Linux server takes only a Confirm that names its own link. */
static bool may_leave(const struct smcr_hs *hs)
{
	return READ_ONCE(hs->lgr->dialect) != SMCR_DIALECT_LINUX;
}

/* If the link that the Accept names has failed here, and the group has another
 * one, confirm over that one (3.5.2.3).
 */
static void leave_failed_link(struct smcr_hs *hs)
{
	struct smcr_link *other;

	if (smcr_link_state(hs->link) < SMCR_LINK_FAILED || !may_leave(hs))
		return;
	other = smcr_conn_move_first(hs->lgr);
	if (!other)
		return;
	/* It has no token yet, so the group's work does not know it. */
	if (hs->conn)
		smcr_conn_move_to(hs->conn, other);
	smcr_link_put(hs->link);
	hs->link = other;
	smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_HANDSHAKESMOVED);
}

/* The link has failed while the connection took its element. The connection has
 * a token by then, so the group's work may have ended it with the link, and a
 * new one begins over another link. Returns false if there is none.
 */
static bool begin_again(struct smcr_hs *hs)
{
	struct smcr_link *other = NULL;

	if (may_leave(hs))
		other = smcr_lgr_link_carrier(hs->lgr, hs->link);
	if (!other)
		return false;
	smcr_link_put(other);
	smcr_hs_drop_group(hs);
	return true;
}

/* Step ACCEPT after a Decline: the SYNs have crossed, and the peer's Proposal
 * or Decline must not reach the program. smcr_hs_recv() handles the Proposal.
 */
static bool await_crossing(struct smcr_hs *hs)
{
	if (smcr_hs_recv(hs, SMCR_CLC_DECLINE))
		smcr_hs_declined(hs);
	return false;
}

/* Step ACCEPT: wait for the Accept (3.5.1.3). */
static bool step_accept(struct smcr_hs *hs)
{
	struct smcr_clc_expect expect = {
		.type = SMCR_CLC_ACCEPT,
		.max_bsize = SMCR_BSIZE_LINUX_MAX,
	};
	enum smcr_clc_fault fault;
	struct smcr_lgr_key key;

	if (hs->reason != SMCR_FALLBACK_NONE)
		return await_crossing(hs);
	if (!smcr_hs_recv(hs, SMCR_CLC_ACCEPT))
		return false;
	fault = smcr_clc_accept_decode(hs->clc.rx, hs->clc.rx_len, &expect,
				       &hs->accept);
	smcr_clc_recv_next(&hs->clc);
	if (fault) {
		smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_BADCLC);
		if (smcr_clc_fault_declines(fault))
			smcr_hs_decline(hs, SMCR_FALLBACK_BAD_ENUM);
		else
			smcr_hs_fail(hs, -ECONNRESET);
		return false;
	}
	smcr_hs_dest_good(hs);
	accept_key(hs, &key);
	return hs->accept.first_contact ? first_contact(hs, &key) :
					  subsequent_contact(hs, &key);
}

/* A first contact waits until its group has a link and an RMB. */
static bool group_first(struct smcr_hs *hs)
{
	int err = smcr_hs_conn(hs);

	if (err == -EINPROGRESS)
		return smcr_hs_group_wait(hs);
	if (!err)
		err = smcr_conn_set_peer(hs->conn, hs->link, &hs->accept, true);
	if (err) {
		smcr_hs_decline(hs, errno_reason(err));
		return false;
	}
	smcr_hs_link_up(hs, &hs->accept);
	return smcr_hs_step(hs, SMCR_HS_REG);
}

/* Step GROUP: take an element. A subsequent contact waits if the group must add
 * an RMB first (3.5.5.2.1, Figure 13), or if the group is still FORMING: the
 * server may offer it over TCP before the local work of its first contact has
 * made it ACTIVE.
 */
static bool step_group(struct smcr_hs *hs)
{
	struct smcr_lgr_key key;
	int err;

	if (hs->first_contact)
		return group_first(hs);
	smcr_lgr_wait(hs->lgr, hs);
	if (smcr_lgr_state(hs->lgr) == SMCR_LGR_FORMING)
		return smcr_hs_group_wait(hs);
	if (!smcr_conn_size_valid(hs->lgr,
				  smcr_bsize_to_bytes(hs->accept.bsize))) {
		smcr_hs_decline(hs, SMCR_FALLBACK_BAD_ENUM);
		return false;
	}
	leave_failed_link(hs);
	err = smcr_hs_conn(hs);
	if (err == -ENOSPC)
		return smcr_hs_group_wait(hs);
	if (err == -ENOLINK && begin_again(hs)) {
		accept_key(hs, &key);
		return find_group(hs, &key);
	}
	if (!err)
		err = smcr_conn_set_peer(hs->conn, hs->named, &hs->accept,
					 false);
	if (err) {
		smcr_hs_decline(hs, errno_reason(err));
		return false;
	}
	return smcr_hs_step(hs, SMCR_HS_CONFIRM);
}

/* Step REG: wait until the link is connected and the first RMB registered. */
static bool step_reg(struct smcr_hs *hs)
{
	if (!smcr_hs_await_rmb(hs))
		return false;
	smcr_llc_await_confirm(hs->lgr);
	return smcr_hs_step(hs, SMCR_HS_CONFIRM);
}

/* Step CONFIRM: send the Confirm (3.5.1.4, 3.5.2.4). After it, data may flow
 * over an existing group; in a new group the LLC exchange comes first.
 */
static bool step_confirm(struct smcr_hs *hs)
{
	if (!smcr_hs_send_accept(hs, SMCR_CLC_CONFIRM))
		return false;
	if (!hs->first_contact) {
		smcr_hs_done(hs);
		return false;
	}
	return smcr_hs_step(hs, SMCR_HS_LLC);
}

/* Steps of a client; each runs under the outer sock lock. */
bool (*const smcr_connect_steps[SMCR_HS_STEPS])(struct smcr_hs *hs) = {
	[SMCR_HS_TCP]		= step_tcp,
	[SMCR_HS_PROPOSE]	= step_propose,
	[SMCR_HS_ACCEPT]	= step_accept,
	[SMCR_HS_GROUP]		= step_group,
	[SMCR_HS_REG]		= step_reg,
	[SMCR_HS_CONFIRM]	= step_confirm,
	[SMCR_HS_LLC]		= smcr_hs_llc,
	[SMCR_HS_DECLINE]	= smcr_hs_decline_more,
};
