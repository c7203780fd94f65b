// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous, server side (RFC 7609 3.5.1, 3.5.2, 3.5.3). One function per
 * step.
 *
 * smcr_listen_work() takes children off TCP's accept queue as they arrive and
 * gives each an outer socket. If both SYNs carried the SMC option, the child
 * goes through a handshake before accept() can return it; otherwise it is
 * plain TCP.
 *
 * The client may not have seen the option: some paths remove it from SYN-ACKs.
 * Such a client is plain TCP, and nothing tells the server. So until the eye
 * catcher of a CLC message has come, the child may be either, and nothing is
 * taken from its stream. What comes first decides:
 *
 *   first bytes              result
 *   the eye catcher          SMC-R; a fault resets TCP from now on (C.6)
 *   a part of it             wait
 *   others                   TCP; the source is listed
 *   none or a part, FIN      TCP
 *   none or a part, in time  TCP; the source is listed. A Proposal that comes
 *                            later resets TCP (see fallback.c)
 *
 * smcr_fallback_wait() is the time to wait; but it is the whole time of the
 * handshake if a first contact with this host was completed before. The SYN-ACK
 * for a listed source has no option, so the wait is paid once. Nor has the
 * SYN-ACK for a source that is not on the link (net.smcr.on_link_only).
 *
 * A child reaches its listener only through hs->listener, a counted reference.
 * The listener's accept_lock covers the lists and counts that its children
 * change.
 */
#include <linux/net.h>
#include <linux/siphash.h>
#include <net/inet_connection_sock.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "addr.h"
#include "conn.h"
#include "conn_move.h"
#include "fallback.h"
#include "hs.h"
#include "inner.h"
#include "lgr.h"
#include "lgr_links.h"
#include "listen.h"
#include "llc.h"
#include "mib.h"
#include "option.h"
#include "path.h"
#include "rx.h"
#include "sock.h"
#include "sources.h"

/* Delay before a listener that could not take a child tries again */
#define LISTEN_RETRY_TIME	(HZ / 10)
/* How long to wait for the first bytes of a client where TCP_DEFER_ACCEPT has
 * let TCP wait for them already
 */
#define PROPOSAL_WAIT_MORE	(HZ / 2)

/* The place of a source in smcr_net.sources. The key is secret, so nobody can
 * choose addresses that share the counters of another source.
 */
static u64 source_hash(const struct sock *listener,
		       const struct in6_addr *addr)
{
	static siphash_key_t key __read_mostly;
	struct {
		struct in6_addr addr;
		u64 listener;
	} __aligned(SIPHASH_ALIGNMENT) from = {
		.addr = *addr,
		.listener = (unsigned long)listener,
	};

	net_get_random_once(&key, sizeof(key));
	return siphash(&from, sizeof(from), &key);
}

/* Has a listener as many handshakes as it may have, or as the source of a SYN
 * may have? This keeps silent clients of one address from taking all of them.
 * Children count from listen_join() on, so a burst of SYNs may exceed a limit.
 */
static bool listen_full(const struct sock *sk, const struct smcr_syn *syn)
{
	const struct smcr_net *sn = smcr_pernet(sock_net(sk));
	u64 hash = source_hash(sk, &syn->source);

	if (READ_ONCE(smcr_sk(sk)->n_pending) >=
	    READ_ONCE(sn->sysctl.max_handshakes))
		smcr_mib_inc(sock_net(sk), SMCR_MIB_HANDSHAKESREFUSED);
	else if (smcr_sources_count(&sn->sources, hash) >=
		 READ_ONCE(sn->sysctl.max_handshakes_per_source))
		smcr_mib_inc(sock_net(sk), SMCR_MIB_SOURCESREFUSED);
	else
		return false;
	atomic_inc(&smcr_sk(sk)->n_refused);
	return true;
}

/* TCP calls this for each SYN with the option; it does not echo the option if
 * the result is true. Without an adapter the result is true, whatever adapters
 * there were when the program called listen().
 */
static bool listen_congested(const struct sock *inner)
{
	const struct sock *sk;
	struct smcr_syn syn;
	bool full = true;

	rcu_read_lock();
	smcr_inner_get_syn(&syn);
	sk = smcr_inner_outer(inner);
	if (sk && smcr_ib_any() && smcr_path_on_link(inner, &syn))
		full = listen_full(sk, &syn) ||
		       smcr_neglist_source_rests(sock_net(sk), &syn.source);
	rcu_read_unlock();
	return full;
}

/**
 * smcr_listen_start() - start to listen, or change the backlog
 * @sk: outer socket in mode INIT or LISTEN, bound or not
 * @backlog: argument of listen()
 *
 * Context: process, outer sock lock held.
 * Return: 0 or -errno.
 */
int smcr_listen_start(struct sock *sk, int backlog)
{
	struct socket *inner = smcr_sk(sk)->inner;
	bool again = smcr_sock_mode(sk) == SMCR_MODE_LISTEN;
	int err;

	sock_owned_by_me(sk);
	smcr_option_answer(inner->sk, listen_congested);
	/* Do this before TCP listens: a child may arrive at once. */
	if (!again) {
		smcr_sock_mode_set(sk, SMCR_MODE_LISTEN);
		WRITE_ONCE(sk->sk_state, TCP_LISTEN);
		smcr_inner_hook(sk);
	}
	err = smcr_inner_listen(sk, backlog);
	if (!err) {
		/* Do this after TCP's listen(), which clears it */
		smcr_inner_ack_later(inner);
		WRITE_ONCE(sk->sk_max_ack_backlog, backlog);
	} else if (!again) {
		smcr_sock_mode_set(sk, SMCR_MODE_INIT);
		WRITE_ONCE(sk->sk_state, TCP_CLOSE);
	}
	return err;
}

/**
 * smcr_listen_event() - TCP has a new child, or has stopped listening
 * @sk: outer socket that is or was in mode LISTEN, counted by the caller
 *
 * Context: any.
 */
void smcr_listen_event(struct sock *sk)
{
	/* Queued work owns a reference; work queued before has its own */
	sock_hold(sk);
	if (mod_delayed_work(smcr_hs_wq, &smcr_sk(sk)->listen_work, 0))
		sock_put(sk);
}

/* Is the source of a handshake beyond its share with this one? Its SYN may have
 * come in a burst, before others of the burst were counted.
 */
static bool source_congested(const struct smcr_hs *hs)
{
	const struct smcr_net *sn = smcr_pernet(sock_net(hs->sk));

	if (smcr_sources_count(&sn->sources, hs->source) <=
	    READ_ONCE(sn->sysctl.max_handshakes_per_source))
		return false;
	smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_SOURCESREFUSED);
	return true;
}

/* Count a handshake that begins or ends, at its listener and by source. */
static void listen_count(struct smcr_sock *lsk, const struct smcr_hs *hs, int n)
{
	lockdep_assert_held(&lsk->accept_lock);
	WRITE_ONCE(lsk->n_pending, lsk->n_pending + n);
	smcr_sources_add(&smcr_pernet(sock_net(hs->sk))->sources, hs->source,
			 n);
}

static bool __must_check listen_join(struct sock *listener, struct smcr_hs *hs)
{
	struct smcr_sock *lsk = smcr_sk(listener);
	struct in6_addr addr;
	bool open;

	smcr_path_peer_addr(smcr_sk(hs->sk)->inner->sk, &addr);
	hs->source = source_hash(listener, &addr);
	spin_lock_bh(&lsk->accept_lock);
	open = READ_ONCE(listener->sk_state) == TCP_LISTEN;
	if (open) {
		list_add_tail(&hs->listen_node, &lsk->listen_hs);
		listen_count(lsk, hs, 1);
	}
	spin_unlock_bh(&lsk->accept_lock);
	return open;
}

static void leave_locked(struct smcr_sock *lsk, struct smcr_hs *hs)
{
	list_del_init(&hs->listen_node);
	listen_count(lsk, hs, -1);
}

/**
 * smcr_listen_leave() - take a handshake that ends off its listener's list
 * @hs: a server's handshake
 *
 * Context: process.
 */
void smcr_listen_leave(struct smcr_hs *hs)
{
	struct smcr_sock *lsk = smcr_sk(hs->listener);

	spin_lock_bh(&lsk->accept_lock);
	if (!list_empty(&hs->listen_node))
		leave_locked(lsk, hs);
	spin_unlock_bh(&lsk->accept_lock);
}

static unsigned long proposal_wait(const struct sock *child,
				   unsigned long defer)
{
	unsigned long wait = smcr_fallback_wait(smcr_sk(child)->inner->sk);

	return defer < wait - PROPOSAL_WAIT_MORE ? wait - defer :
						   PROPOSAL_WAIT_MORE;
}

/* Start the handshake of a child whose SYNs both carried the option. */
static void listen_handshake(struct sock *listener, struct sock *child)
{
	unsigned long defer = READ_ONCE(smcr_sk(listener)->defer);
	struct smcr_hs *hs;

	lock_sock(child);
	hs = smcr_hs_alloc(child, false);
	if (!hs) {
		release_sock(child);
		smcr_sock_drop_child(child);
		return;
	}
	smcr_hs_get(hs);
	smcr_hs_source_tries(hs);
	sock_hold(listener);
	hs->listener = listener;
	hs->defer_until = defer ? jiffies + defer : 0;
	smcr_sock_mode_set(child, SMCR_MODE_HANDSHAKE);
	if (listen_join(listener, hs)) {
		smcr_hs_arm(hs, READ_ONCE(smcr_pernet(sock_net(child))
					  ->sysctl.handshake_timeout_ms));
		smcr_hs_wake(hs, jiffies + proposal_wait(child, defer));
		/* The Proposal may have come before the callbacks were set. */
		smcr_hs_kick(hs, SMCR_HS_E_TCP);
	} else {
		smcr_hs_fail(hs, -ECONNABORTED);
	}
	smcr_hs_unlock(hs);
	smcr_hs_put(hs);
}

/* Why a child has no option. Nothing marks the child of a SYN that
 * listen_congested() refused, so this guesses by the list and by the count of
 * refused SYNs, and by the route back. The guess is wrong for a SYN without the
 * option from a listed source or through a gateway, and after a refused SYN
 * that led to no child.
 */
static enum smcr_fallback_reason no_option(struct smcr_sock *listener,
					   const struct sock *child)
{
	if (!smcr_ib_any())
		return SMCR_FALLBACK_NO_RNIC;
	if (smcr_path_has_gateway(smcr_sk(child)->inner->sk))
		return SMCR_FALLBACK_GATEWAY;
	if (smcr_hs_source_listed(child))
		return SMCR_FALLBACK_NEG_SOURCE;
	if (atomic_dec_if_positive(&listener->n_refused) >= 0)
		return SMCR_FALLBACK_CONGESTED;
	return SMCR_FALLBACK_NO_OPTION;
}

static void listen_child(struct sock *listener, struct socket *inner)
{
	struct sock *child = smcr_sock_alloc_child(listener, inner);

	if (!child) {
		sock_release(inner);
		return;
	}
	if (smcr_option_child_agreed(inner->sk)) {
		listen_handshake(listener, child);
		return;
	}
	smcr_fallback(child, no_option(smcr_sk(listener), child), 0);
	smcr_inner_ack_now(inner);
	if (!smcr_sock_accept_ready(listener, child))
		smcr_sock_drop_child(child);
}

/* Look before kernel_accept(), which allocates a socket and its inode even if
 * the queue is empty. No child is missed: TCP queues a child before it reports
 * it.
 */
static bool listen_has_child(const struct sock *sk)
{
	const struct sock *inner = smcr_sk(sk)->inner->sk;

	return !reqsk_queue_empty(&inet_csk(inner)->icsk_accept_queue);
}

/* Did TCP's listener end by itself (ss -K)? smcr_listen_start() changes both
 * states under one hold of the outer sock lock, so it never looks like that.
 */
static bool listen_lost(const struct sock *sk)
{
	return READ_ONCE(smcr_sk(sk)->inner->sk->sk_state) != TCP_LISTEN;
}

static int listen_accept(struct sock *sk, struct socket **inner)
{
	int err = -EINVAL;

	if (!smcr_sock_own(sk, SMCR_SOCK_D_LISTEN))
		return -EAGAIN;
	if (sk->sk_state == TCP_LISTEN && listen_lost(sk))
		smcr_sock_listener_gone(sk);
	else if (sk->sk_state == TCP_LISTEN && listen_has_child(sk))
		err = kernel_accept(smcr_sk(sk)->inner, inner, O_NONBLOCK);
	release_sock(sk);
	return err;
}

/**
 * smcr_listen_work() - take children off the inner listener
 * @work: the listener's work; owns a reference to the listener
 *
 * What is allocated here is charged to no cgroup until accept() does that. A
 * charge to the listener's cgroup would wait for it, for seconds if it is above
 * its memory.high, with the listener's lock, and in one of the slots that all
 * listeners of the host share.
 *
 * Context: process.
 */
void smcr_listen_work(struct work_struct *work)
{
	struct smcr_sock *lsk = container_of(to_delayed_work(work),
					     struct smcr_sock, listen_work);
	struct sock *sk = &lsk->inet.sk;
	struct socket *inner;
	int err;

	while (!(err = listen_accept(sk, &inner)))
		listen_child(sk, inner);
	/* There was no memory for a child. It stays in TCP's accept queue, and
	 * TCP does not report it again.
	 */
	if (err != -EAGAIN && err != -EINVAL) {
		sock_hold(sk);
		if (!queue_delayed_work(smcr_hs_wq, &lsk->listen_work,
					LISTEN_RETRY_TIME))
			sock_put(sk);
	}
	sock_put(sk);
}

/**
 * smcr_listen_stop() - abort all handshakes of a listener that ends
 * @sk: outer socket, no longer in state TCP_LISTEN, so that no handshake joins
 *
 * Context: process.
 */
void smcr_listen_stop(struct sock *sk)
{
	struct smcr_sock *lsk = smcr_sk(sk);
	struct smcr_hs *hs;

	for (;;) {
		spin_lock_bh(&lsk->accept_lock);
		hs = list_first_entry_or_null(&lsk->listen_hs, struct smcr_hs,
					      listen_node);
		if (hs) {
			leave_locked(lsk, hs);
			smcr_hs_get(hs);
		}
		spin_unlock_bh(&lsk->accept_lock);
		if (!hs)
			return;
		smcr_hs_kick(hs, SMCR_HS_E_ABORT);
		smcr_hs_put(hs);
	}
}

static enum smcr_fallback_reason fault_reason(enum smcr_clc_fault fault)
{
	switch (fault) {
	case SMCR_CLC_NO_SMCR:
		return SMCR_FALLBACK_VERSION;
	case SMCR_CLC_BAD_PEER_ID:
	case SMCR_CLC_BAD_GID:
	case SMCR_CLC_BAD_MAC:
	case SMCR_CLC_BAD_QPN:
		return SMCR_FALLBACK_PEER_ID;
	default:
		return SMCR_FALLBACK_BAD_ENUM;
	}
}

/* A message has a fault: decline where the RFC allows it, otherwise reset TCP
 * (C.6).
 */
static void bad_clc(struct smcr_hs *hs, enum smcr_clc_fault fault,
		    bool may_decline)
{
	smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_BADCLC);
	if (may_decline && smcr_clc_fault_declines(fault))
		smcr_hs_decline(hs, fault_reason(fault));
	else
		smcr_hs_fail(hs, -ECONNRESET);
}

/* Reject a remote peer that claims the GID or the peer ID of this host. Only
 * this host itself may name them (net.smcr.loopback).
 */
static enum smcr_fallback_reason check_identity(struct smcr_hs *hs)
{
	const u8 *id = hs->proposal.peer_id;

	if (!smcr_hs_gid_credible(hs, hs->proposal.gid) ||
	    (smcr_peer_id_is_ours(sock_net(hs->sk), id) &&
	     !smcr_hs_from_here(hs)))
		return SMCR_FALLBACK_PEER_ID;
	return SMCR_FALLBACK_NONE;
}

static enum smcr_fallback_reason check_proposal(struct smcr_hs *hs)
{
	struct sock *inner = smcr_sk(hs->sk)->inner->sk;
	enum smcr_fallback_reason reason;

	reason = smcr_fallback_check_conn(hs->sk);
	if (reason == SMCR_FALLBACK_NONE && source_congested(hs))
		reason = SMCR_FALLBACK_CONGESTED;
	if (reason == SMCR_FALLBACK_NONE)
		reason = check_identity(hs);
	if (reason == SMCR_FALLBACK_NONE)
		reason = smcr_path_port(inner, smcr_hs_gid_kind(hs),
					hs->proposal.gid, &hs->port);
	if (reason == SMCR_FALLBACK_NONE &&
	    !smcr_path_subnet_match(inner, &hs->port, &hs->proposal))
		reason = SMCR_FALLBACK_SUBNET;
	if (reason == SMCR_FALLBACK_NONE)
		hs->here = smcr_addr_here(inner);
	return reason;
}

/* The client is plain TCP, see the table above. */
static void no_proposal(struct smcr_hs *hs, bool list)
{
	if (list)
		smcr_hs_source(hs, false);
	smcr_hs_fallback(hs, SMCR_FALLBACK_NO_PROPOSAL, 0);
}

/* Does the client speak CLC? If it does not, the handshake has ended; if it is
 * not known yet, SMCR_HS_E_TCP or SMCR_HS_E_TIMEOUT must come.
 */
static bool client_speaks(struct smcr_hs *hs)
{
	enum smcr_clc_start start;
	bool fin;

	start = smcr_clc_peek(smcr_sk(hs->sk)->inner, &fin);
	if (start == SMCR_CLC_START_WHOLE && hs->waited &&
	    !time_before(jiffies, hs->deadline)) {
		smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_HANDSHAKETIMEOUTS);
		smcr_hs_fail(hs, -ETIMEDOUT);
		return false;
	}
	if (start == SMCR_CLC_START_WHOLE) {
		smcr_hs_wake(hs, hs->deadline);
		return true;
	}
	if (start == SMCR_CLC_START_OTHER || fin) {
		no_proposal(hs, start == SMCR_CLC_START_OTHER);
		return false;
	}
	if (!hs->waited)
		return false;
	if (smcr_hs_source_known(hs) && time_before(jiffies, hs->deadline)) {
		hs->waited = false;
		smcr_hs_wake(hs, hs->deadline);
		return false;
	}
	smcr_fallback_late(hs->sk);
	no_proposal(hs, true);
	return false;
}

/* Step PROPOSAL: wait for the Proposal (3.5.1.2), and check it before anything
 * is allocated for it.
 */
static bool step_proposal(struct smcr_hs *hs)
{
	struct sock *inner = smcr_sk(hs->sk)->inner->sk;
	enum smcr_fallback_reason reason;
	enum smcr_clc_fault fault;

	if (!hs->clc.rx_len && !client_speaks(hs))
		return false;
	if (!smcr_hs_recv(hs, SMCR_CLC_PROPOSAL))
		return false;
	fault = smcr_clc_proposal_decode(hs->clc.rx, hs->clc.rx_len,
					 &hs->proposal);
	smcr_clc_recv_next(&hs->clc);
	if (!fault && !smcr_clc_proposal_fits(&hs->proposal,
					      smcr_path_is_v6(inner)))
		fault = SMCR_CLC_BAD_PREFIXES;
	if (fault) {
		bad_clc(hs, fault, true);
		return false;
	}
	smcr_hs_source(hs, true);
	reason = check_proposal(hs);
	if (reason != SMCR_FALLBACK_NONE) {
		smcr_hs_decline(hs, reason);
		return false;
	}
	return smcr_hs_step(hs, SMCR_HS_GROUP);
}

static void proposal_key(struct smcr_hs *hs, struct smcr_lgr_key *key)
{
	memset(key, 0, sizeof(*key));
	memcpy(key->peer_id, hs->proposal.peer_id, SMCR_PEER_ID_LEN);
	memcpy(key->gid, hs->proposal.gid, SMCR_GID_LEN);
	memcpy(key->mac, hs->proposal.mac, SMCR_MAC_LEN);
	smcr_path_peer_addr(smcr_sk(hs->sk)->inner->sk, &key->addr);
	key->ifindex = hs->port.ifindex;
}

/* Find the client's group, or form one. A group that another handshake is
 * forming is found too, so two handshakes never form the same group.
 */
static int __must_check find_group(struct smcr_hs *hs)
{
	struct smcr_lgr_key key;
	int err;

	proposal_key(hs, &key);
	hs->first_contact = false;
	hs->lgr = smcr_lgr_find_server(sock_net(hs->sk), &key);
	if (hs->lgr)
		return 0;
	hs->reason = smcr_hs_path_check(hs, &key);
	if (hs->reason != SMCR_FALLBACK_NONE)
		return -EHOSTUNREACH;
	err = smcr_hs_form(hs, SMCR_SERVER, &key);
	if (err)
		return err == -EEXIST ? -EAGAIN : err;
	hs->lgr->offer_linux = smcr_hs_offers_linux(hs);
	hs->lgr->llc.probe_late = smcr_hs_probes_late(hs);
	return 0;
}

static enum smcr_fallback_reason group_reason(const struct smcr_hs *hs, int err)
{
	switch (err) {
	case -EHOSTUNREACH:
		return hs->reason;
	case -ENOMEM:
	case -ENOBUFS:
		return SMCR_FALLBACK_MEMORY;
	case -EOPNOTSUPP:
	case -E2BIG:
	case -EMSGSIZE:
		return SMCR_FALLBACK_DEVICE_LIMIT;
	case -ENODEV:
		return SMCR_FALLBACK_NO_RNIC;
	default:
		return SMCR_FALLBACK_RESOURCE_LIMIT;
	}
}

/* Step GROUP (3.5.2.1): the first handshake that finds no group for its client
 * forms one; it is the leader of a first contact, and waits until the group has
 * a link and an RMB. A follower waits for that group only, never for the group
 * of another client, and looks again when the group has changed.
 */
static bool step_group(struct smcr_hs *hs)
{
	int err = 0;

	if (hs->lgr && !hs->first_contact &&
	    smcr_lgr_state(hs->lgr) != SMCR_LGR_FORMING &&
	    smcr_lgr_state(hs->lgr) != SMCR_LGR_ACTIVE)
		smcr_hs_drop_group(hs);
	if (!hs->lgr)
		err = find_group(hs);
	if (err == -EAGAIN)
		return true;
	if (!err && !hs->first_contact) {
		smcr_lgr_wait(hs->lgr, hs);
		/* Without a link that works, it is about to end */
		if (smcr_lgr_state(hs->lgr) == SMCR_LGR_FORMING ||
		    !smcr_lgr_connected(hs->lgr))
			return smcr_hs_group_wait(hs);
	}
	if (!err)
		err = smcr_hs_conn(hs);
	if (err == -EINPROGRESS || err == -ENOSPC)
		return smcr_hs_group_wait(hs);
	/* It is ending, or its last slots are taken: look for another. Or the
	 * link has failed, perhaps while an RMB was waited for: take another.
	 */
	if ((err == -ESHUTDOWN || err == -EMFILE || err == -ENOLINK) &&
	    hs->lgr && !hs->first_contact) {
		smcr_hs_drop_group(hs);
		return true;
	}
	if (err) {
		smcr_hs_decline(hs, group_reason(hs, err));
		return false;
	}
	return smcr_hs_step(hs, SMCR_HS_ACCEPT);
}

/* Step ACCEPT: send the Accept (3.5.1.2, 3.5.2.1). A Decline must not chase it
 * (C.1).
 */
static bool step_accept(struct smcr_hs *hs)
{
	if (!smcr_hs_send_accept(hs, SMCR_CLC_ACCEPT))
		return false;
	return smcr_hs_step(hs, SMCR_HS_CONFIRM);
}

/* Does the Confirm name the link of the Accept, in whatever state that is? */
static bool names_ours(const struct smcr_link *link,
		       const struct smcr_clc_accept *msg)
{
	return link->peer.qpn == msg->qpn &&
	       !memcmp(link->peer.gid, msg->gid, SMCR_GID_LEN) &&
	       !memcmp(link->peer.mac, msg->mac, SMCR_MAC_LEN);
}

/* Use the link that the Confirm names. The client may choose any link of the
 * group (3.5.2.3), and the keys in the Confirm are those of this link. If it is
 * the link of the Accept and has failed since, the connection begins on it all
 * the same, and moves.
 */
static bool take_link(struct smcr_hs *hs, const struct smcr_clc_accept *msg)
{
	struct smcr_link *link;

	link = smcr_lgr_link_named(hs->lgr, msg->gid, msg->mac, msg->qpn);
	if (!link)
		return names_ours(hs->conn->link, msg);
	smcr_conn_move_to(hs->conn, link);
	smcr_link_put(link);
	return true;
}

static bool confirm_subsequent(struct smcr_hs *hs,
			       const struct smcr_clc_accept *msg)
{
	if (!take_link(hs, msg) ||
	    smcr_conn_set_peer(hs->conn, hs->conn->link, msg, false)) {
		/* A client may name another link that has failed here. */
		if (smcr_link_state(hs->link) == SMCR_LINK_ACTIVE)
			smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_BADCLC);
		smcr_hs_fail(hs, -ECONNRESET);
		return false;
	}
	smcr_hs_done(hs);
	return false;
}

static bool confirm_first(struct smcr_hs *hs,
			  const struct smcr_clc_accept *msg)
{
	unsigned int ms;
	int err;

	if (!smcr_hs_gid_credible(hs, msg->gid)) {
		smcr_hs_decline(hs, SMCR_FALLBACK_PEER_ID);
		return false;
	}
	err = smcr_conn_set_peer(hs->conn, hs->link, msg, true);
	if (err) {
		/* The Decline takes the place of CONFIRM LINK (C.2) */
		smcr_hs_decline(hs, SMCR_FALLBACK_QP);
		return false;
	}
	smcr_hs_link_up(hs, msg);
	/* The client waits for CONFIRM LINK, and a Decline must come before it
	 * gives up; its time is most likely the same as the local one.
	 */
	ms = READ_ONCE(smcr_pernet(sock_net(hs->sk))
		       ->sysctl.confirm_link_timeout_ms);
	hs->group_limit = jiffies + msecs_to_jiffies(ms) / 2;
	hs->late = false;
	return smcr_hs_step(hs, SMCR_HS_REG);
}

/* Step CONFIRM: wait for the Confirm (3.5.1.4, 3.5.2.3). */
static bool step_confirm(struct smcr_hs *hs)
{
	struct smcr_clc_expect expect = {
		.type = SMCR_CLC_CONFIRM,
		.first_contact = hs->first_contact,
		.max_bsize = hs->lgr->offer_linux ?
			     SMCR_BSIZE_LINUX_MAX : SMCR_BSIZE_MAX,
	};
	struct smcr_clc_accept msg;
	enum smcr_clc_fault fault;

	if (!smcr_hs_recv(hs, SMCR_CLC_CONFIRM))
		return false;
	fault = smcr_clc_accept_decode(hs->clc.rx, hs->clc.rx_len, &expect,
				       &msg);
	smcr_clc_recv_next(&hs->clc);
	if (fault) {
		bad_clc(hs, fault, hs->first_contact);
		return false;
	}
	if (memcmp(msg.peer_id, hs->proposal.peer_id, SMCR_PEER_ID_LEN)) {
		smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_BADCLC);
		smcr_hs_fail(hs, -ECONNRESET);
		return false;
	}
	return hs->first_contact ? confirm_first(hs, &msg) :
				   confirm_subsequent(hs, &msg);
}

/* Step REG: wait until the link is connected and the first RMB registered, then
 * send CONFIRM LINK. Not earlier, because the client may write as soon as its
 * link is confirmed.
 */
static bool step_reg(struct smcr_hs *hs)
{
	if (!smcr_hs_await_rmb(hs))
		return false;
	if (smcr_llc_confirm_link(hs->lgr)) {
		smcr_hs_decline(hs, SMCR_FALLBACK_CONFIRM_LINK);
		return false;
	}
	return smcr_hs_step(hs, SMCR_HS_LLC);
}

/* Has the connection ended before its client sent a byte? Then TCP would have
 * forgotten it by itself. The inner socket's error was moved to the outer one.
 */
static bool child_gone(const struct sock *sk)
{
	return READ_ONCE(sk->sk_err) ||
	       smcr_inner_end(sk) == SMCR_INNER_FAILED;
}

static bool child_has_data(struct sock *sk)
{
	const struct sock *inner = smcr_sk(sk)->inner->sk;
	const struct smcr_conn *conn = smcr_sk(sk)->conn;

	sock_owned_by_me(sk);
	/* An urgent byte counts, too */
	if (smcr_sock_is_fallback(sk))
		return !skb_queue_empty_lockless(&inner->sk_receive_queue);
	return conn && (smcr_rx_avail(conn) ||
			READ_ONCE(conn->rx.urgent.bits));
}

static bool child_has_end(const struct sock *sk)
{
	if (smcr_sock_is_fallback(sk))
		return smcr_inner_end(sk) == SMCR_INNER_FIN;
	return READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN;
}

/* Step DEFER (TCP_DEFER_ACCEPT): accept() returns the child once it has bytes
 * or the end of its stream, or when the time is over.
 */
static bool step_defer(struct smcr_hs *hs)
{
	struct sock *sk = hs->sk;
	bool data = child_has_data(sk);

	if (!data && child_gone(sk))
		smcr_hs_fail(hs, -ECONNRESET);
	else if (data || child_has_end(sk) || hs->waited)
		smcr_hs_deferred(hs);
	return false;
}

/* Steps of a server; each runs under the outer sock lock. */
bool (*const smcr_listen_steps[SMCR_HS_STEPS])(struct smcr_hs *hs) = {
	[SMCR_HS_PROPOSAL]	= step_proposal,
	[SMCR_HS_GROUP]		= step_group,
	[SMCR_HS_ACCEPT]	= step_accept,
	[SMCR_HS_CONFIRM]	= step_confirm,
	[SMCR_HS_REG]		= step_reg,
	[SMCR_HS_LLC]		= smcr_hs_llc,
	[SMCR_HS_DECLINE]	= smcr_hs_decline_more,
	[SMCR_HS_DEFER]		= step_defer,
};
