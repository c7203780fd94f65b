// SPDX-License-Identifier: GPL-2.0
/*
 * What the end of a handshake says about its peer: it updates the negative list
 * (neglist.c) and the servers that a client remembers (peers.c).
 */
#include <net/inet_sock.h>
#include <net/sock.h>

#include "hs.h"
#include "lgr.h"
#include "mib.h"
#include "path.h"
#include "sock.h"

/* How long a server must have left a Proposal unanswered before it counts as
 * silent when the program gives up
 */
#define HS_IGNORED	HZ

/* Negative list key of a client's destination, of the kind @kind. */
static void dest_key(const struct smcr_hs *hs, enum smcr_neglist_kind kind,
		     struct smcr_neglist_key *key)
{
	const struct sock *inner = smcr_sk(hs->sk)->inner->sk;

	memset(key, 0, sizeof(*key));
	key->kind = kind;
	smcr_path_peer_addr(inner, &key->addr);
	key->port = inet_sk(inner)->inet_dport;
}

/**
 * smcr_hs_dest_listed() - does the negative list keep the option from a SYN?
 * @net: namespace
 * @addr: the destination, IPv4 as a mapped address
 * @port: its TCP port
 *
 * A path that is on the list costs no handshake either, unless a group may
 * carry the connection over another one. This comes first, as it chooses no
 * connection that tries SMC-R again.
 *
 * Context: any but hard irq; the inner sock lock may be held.
 * Return: SMCR_FALLBACK_NONE, or why the connection must be plain TCP.
 */
enum smcr_fallback_reason smcr_hs_dest_listed(struct net *net,
					      const struct in6_addr *addr,
					      __be16 port)
{
	enum smcr_fallback_reason reason = smcr_neglist_rests(net, addr);
	struct smcr_neglist_key key;

	if (reason != SMCR_FALLBACK_NONE && !smcr_lgr_serves(net, addr))
		return reason;
	memset(&key, 0, sizeof(key));
	key.addr = *addr;
	key.port = port;
	key.kind = SMCR_NEGLIST_DESTINATION;
	if (smcr_neglist_blocks(net, &key))
		return SMCR_FALLBACK_NEG_DESTINATION;
	key.kind = SMCR_NEGLIST_SYN;
	return smcr_neglist_blocks(net, &key) ?
	       SMCR_FALLBACK_NEG_DESTINATION : SMCR_FALLBACK_NONE;
}

/**
 * smcr_hs_dest_check() - may the destination of the first SYN use SMC-R?
 * @hs: a client's handshake whose TCP socket has chosen address and route
 *
 * Context: any; either sock lock held.
 * Return: SMCR_FALLBACK_NONE, or why not.
 */
enum smcr_fallback_reason smcr_hs_dest_check(const struct smcr_hs *hs)
{
	const struct sock *inner = smcr_sk(hs->sk)->inner->sk;
	enum smcr_fallback_reason reason = smcr_path_check_route(inner);
	struct in6_addr addr;

	if (reason != SMCR_FALLBACK_NONE)
		return reason;
	smcr_path_peer_addr(inner, &addr);
	return smcr_hs_dest_listed(sock_net(inner), &addr,
				   inet_sk(inner)->inet_dport);
}

/* Negative list key of the path of a first contact, of the kind @kind. */
static void path_key(const struct smcr_hs *hs, const struct smcr_lgr_key *peer,
		     enum smcr_neglist_kind kind, struct smcr_neglist_key *key)
{
	memset(key, 0, sizeof(*key));
	key->kind = kind;
	smcr_path_peer_addr(smcr_sk(hs->sk)->inner->sk, &key->addr);
	memcpy(key->peer_id, peer->peer_id, SMCR_PEER_ID_LEN);
	memcpy(key->gid, hs->port.gid, SMCR_GID_LEN);
	memcpy(key->peer_gid, peer->gid, SMCR_GID_LEN);
}

/**
 * smcr_hs_path_check() - look for the path of a first contact in the negative
 *	list
 * @hs: a handshake with a port, about to form a group; the port's MTU becomes
 *	what the list allows
 * @key: the group's key
 *
 * Context: process, outer sock lock held.
 * Return: SMCR_FALLBACK_NONE, or why the connection must be plain TCP.
 */
enum smcr_fallback_reason smcr_hs_path_check(struct smcr_hs *hs,
					     const struct smcr_lgr_key *key)
{
	struct net *net = sock_net(hs->sk);
	struct smcr_neglist_key neg;
	u8 mtu;

	sock_owned_by_me(hs->sk);
	path_key(hs, key, SMCR_NEGLIST_PATH, &neg);
	if (smcr_neglist_blocks(net, &neg))
		return SMCR_FALLBACK_NEG_PATH;
	neg.kind = SMCR_NEGLIST_MTU;
	mtu = smcr_neglist_mtu(net, &neg, hs->port.mtu);
	if (!mtu)
		return SMCR_FALLBACK_MTU;
	if (mtu < hs->port.mtu)
		smcr_mib_inc(net, SMCR_MIB_MTUREDUCED);
	hs->port.mtu = mtu;
	return SMCR_FALLBACK_NONE;
}

/* Did the server end TCP, after it has shown in an earlier handshake that it
 * speaks SMC-R? Then its process may have been killed, which is no failure of
 * SMC-R.
 */
static bool forgiven(struct smcr_hs *hs, const struct in6_addr *addr,
		     __be16 port, unsigned int ms)
{
	struct net *net = sock_net(hs->sk);

	if (!hs->client || !hs->cut ||
	    !smcr_peers_forgive(net, addr, port, ms))
		return false;
	smcr_mib_inc(net, SMCR_MIB_NEGATIVEFORGIVEN);
	return true;
}

/**
 * smcr_hs_long_lost() - does the path of a first contact lose long packets?
 * @hs: a handshake in step LLC, of a first contact that fails
 *
 * Context: process, outer sock lock held.
 * Return: true if this end or the peer has seen it.
 */
bool smcr_hs_long_lost(const struct smcr_hs *hs)
{
	sock_owned_by_me(hs->sk);
	return hs->long_lost ||
	       test_bit(SMCR_LINK_F_LONG_LOST, &hs->link->flags);
}

/* Did the client's adapter refuse the probe? Then its memory is not accessible
 * before it answers CONFIRM LINK, although its Proposal does not look like
 * Linux's, and the path is in order.
 */
static bool probe_refused(const struct smcr_hs *hs)
{
	const struct smcr_llc *llc = &hs->lgr->llc;
	struct smcr_link_change change;

	if (hs->client || llc->probe_late || READ_ONCE(llc->confirm_sent))
		return false;
	smcr_link_change(hs->link, &change);
	return change.reason == SMCR_LINK_R_REMOTE_ERROR;
}

/* Did the client end TCP before it can have seen RDMA fail? Then its program
 * has given up, and the path may be in order. A link that has failed here says
 * otherwise, as it may after a FIN, which does not end step LLC.
 */
static bool given_up(const struct smcr_hs *hs)
{
	return !hs->client && hs->cut &&
	       time_before(jiffies, hs->verdict_from) &&
	       smcr_link_state(hs->link) < SMCR_LINK_FAILED;
}

static void path_good(struct smcr_hs *hs)
{
	struct net *net = sock_net(hs->sk);
	struct smcr_neglist_key key;

	path_key(hs, &hs->lgr->key, SMCR_NEGLIST_PATH, &key);
	smcr_neglist_succeed(net, &key);
	key.kind = SMCR_NEGLIST_MTU;
	/* Otherwise smcr_lgr_link_proved() tells it */
	if (!smcr_link_unproved(READ_ONCE(hs->link->inbound)))
		smcr_neglist_mtu_proved(net, &key, hs->link->local.mtu,
					hs->link->mtu);
	smcr_peers_met(net, &key.addr, hs->client ?
		       smcr_gid_kind(hs->port.gid) :
		       smcr_peers_gid_kind(net, &key.addr));
}

static void path_bad(struct smcr_hs *hs)
{
	struct net *net = sock_net(hs->sk);
	struct smcr_neglist_key key;

	path_key(hs, &hs->lgr->key, SMCR_NEGLIST_PATH, &key);
	if (smcr_hs_long_lost(hs)) {
		key.kind = SMCR_NEGLIST_MTU;
		smcr_neglist_mtu_lost(net, &key, hs->link->mtu);
	} else if (probe_refused(hs)) {
		smcr_peers_want_no_eye(net, &key.addr,
				       smcr_gid_kind(hs->proposal.gid));
	} else if (!given_up(hs) &&
		   !forgiven(hs, &key.addr, SMCR_PEERS_HOST, 0)) {
		smcr_neglist_fail(net, &key);
	}
}

/**
 * smcr_hs_path_result() - note for the path how a handshake ends
 * @hs: the handshake
 * @good: RDMA works
 *
 * Only step LLC of a first contact says something about the path. A failure
 * there means that RDMA does not work, unless the group ended for a local
 * reason or at the peer's request, or has become ACTIVE. If the server ended
 * TCP, only the first such failure in a row may be an accident: a server for
 * which RDMA does not work ends TCP too. A client for which it does not work
 * ends TCP too, but not at once.
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_path_result(struct smcr_hs *hs, bool good)
{
	enum smcr_reset_reason reason;

	sock_owned_by_me(hs->sk);
	if (!hs->first_contact || hs->step != SMCR_HS_LLC)
		return;
	reason = READ_ONCE(hs->lgr->end_reason);
	if (reason != SMCR_RESET_NONE && reason != SMCR_RESET_LINK_DOWN)
		return;
	if (good)
		path_good(hs);
	else if (smcr_lgr_state(hs->lgr) != SMCR_LGR_ACTIVE)
		path_bad(hs);
}

/**
 * smcr_hs_path_slow() - note that the local adapter makes no link in time
 * @hs: a handshake that has waited for too long
 *
 * Does nothing in a subsequent contact, or if the peer left too little time to
 * tell. The next connections over the path need not wait as long.
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_path_slow(const struct smcr_hs *hs)
{
	struct smcr_neglist_key key;

	sock_owned_by_me(hs->sk);
	if (!hs->first_contact || hs->late)
		return;
	path_key(hs, &hs->lgr->key, SMCR_NEGLIST_PATH, &key);
	smcr_neglist_fail(sock_net(hs->sk), &key);
}

/**
 * smcr_hs_dest_good() - note that the server gave the Proposal a valid answer
 * @hs: a client's handshake
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_dest_good(struct smcr_hs *hs)
{
	struct net *net = sock_net(hs->sk);
	struct smcr_neglist_key key;

	sock_owned_by_me(hs->sk);
	dest_key(hs, SMCR_NEGLIST_DESTINATION, &key);
	smcr_neglist_succeed(net, &key);
	smcr_peers_good(net, &key.addr, key.port);
	smcr_hs_dest_syn(hs, true);
}

/**
 * smcr_hs_dest_failed() - note that a handshake fails, if the destination may
 *	be the cause
 * @hs: the handshake
 *
 * The server echoed the option and then gave the Proposal no answer or an
 * invalid one, or its process was killed.
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_dest_failed(struct smcr_hs *hs)
{
	struct net *net = sock_net(hs->sk);
	struct smcr_neglist_key key;

	sock_owned_by_me(hs->sk);
	if (!hs->client ||
	    (hs->step != SMCR_HS_PROPOSE && hs->step != SMCR_HS_ACCEPT))
		return;
	dest_key(hs, SMCR_NEGLIST_DESTINATION, &key);
	if (!forgiven(hs, &key.addr, key.port,
		      READ_ONCE(smcr_pernet(net)->sysctl.handshake_timeout_ms)))
		smcr_neglist_fail(net, &key);
}

/**
 * smcr_hs_dest_left() - note that the program gives up, if the destination may
 *	be the cause
 * @hs: the handshake
 *
 * A program whose time to connect is shorter than that of a handshake would
 * never reach a host that echoes the option and does not speak SMC-R. A server
 * that has given a valid answer before is only slow now.
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_dest_left(struct smcr_hs *hs)
{
	struct net *net = sock_net(hs->sk);
	struct smcr_neglist_key key;

	sock_owned_by_me(hs->sk);
	if (!hs->client || hs->step != SMCR_HS_ACCEPT ||
	    !smcr_inner_ignored(hs->sk, HS_IGNORED))
		return;
	dest_key(hs, SMCR_NEGLIST_DESTINATION, &key);
	if (!smcr_peers_known(net, &key.addr, key.port))
		smcr_neglist_fail(net, &key);
}

/**
 * smcr_hs_dest_syn() - note whether SYNs with the option arrive
 * @hs: a client's handshake
 * @answered: the destination has answered one; if false, only one without
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_dest_syn(struct smcr_hs *hs, bool answered)
{
	struct smcr_neglist_key key;

	sock_owned_by_me(hs->sk);
	dest_key(hs, SMCR_NEGLIST_SYN, &key);
	if (answered)
		smcr_neglist_succeed(sock_net(hs->sk), &key);
	else
		smcr_neglist_fail(sock_net(hs->sk), &key);
}

/* Negative list key of a client's host. */
static void source_key(const struct sock *sk, struct smcr_neglist_key *key)
{
	memset(key, 0, sizeof(*key));
	key->kind = SMCR_NEGLIST_SOURCE;
	smcr_path_peer_addr(smcr_sk(sk)->inner->sk, &key->addr);
}

/**
 * smcr_hs_source_tries() - note that a client may send a Proposal
 * @hs: a server's handshake that begins
 *
 * If the client's host is on the negative list, its next connections are plain
 * TCP until this one has shown what the host sends.
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_source_tries(const struct smcr_hs *hs)
{
	struct smcr_neglist_key key;

	sock_owned_by_me(hs->sk);
	source_key(hs->sk, &key);
	/* The SYN-ACK had the option, so the answer comes too late */
	smcr_neglist_blocks(sock_net(hs->sk), &key);
}

/**
 * smcr_hs_source() - note whether a client sends a Proposal
 * @hs: a server's handshake
 * @speaks: it has sent one
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_source(struct smcr_hs *hs, bool speaks)
{
	struct smcr_neglist_key key;

	sock_owned_by_me(hs->sk);
	source_key(hs->sk, &key);
	if (speaks)
		smcr_neglist_succeed(sock_net(hs->sk), &key);
	else
		smcr_neglist_fail(sock_net(hs->sk), &key);
}

/**
 * smcr_hs_source_listed() - was the option kept from a client?
 * @sk: outer socket of a new child
 *
 * Context: process.
 * Return: true if the client's host is on the negative list.
 */
bool smcr_hs_source_listed(const struct sock *sk)
{
	struct smcr_neglist_key key;

	source_key(sk, &key);
	return smcr_neglist_has(sock_net(sk), &key);
}

/**
 * smcr_hs_source_known() - has the path from a client carried SMC-R before?
 * @hs: a server's handshake
 *
 * Context: process, outer sock lock held.
 * Return: true if a first contact with the client's host was completed.
 */
bool smcr_hs_source_known(const struct smcr_hs *hs)
{
	struct in6_addr addr;

	sock_owned_by_me(hs->sk);
	smcr_path_peer_addr(smcr_sk(hs->sk)->inner->sk, &addr);
	return smcr_peers_known(sock_net(hs->sk), &addr, SMCR_PEERS_HOST);
}

/**
 * smcr_hs_gid_kind() - choose the kind of GID to name to the peer
 * @hs: the handshake; on a server it has the Proposal
 *
 * net.smcr.gid_kind decides. If it is 0, a server names the kind that the
 * Proposal has, a client the kind that this server is known to use.
 *
 * Context: process, outer sock lock held.
 * Return: SMCR_GID_ROUTABLE or SMCR_GID_LINK_LOCAL.
 */
enum smcr_gid_kind smcr_hs_gid_kind(const struct smcr_hs *hs)
{
	struct net *net = sock_net(hs->sk);
	enum smcr_gid_kind hint;
	struct in6_addr addr;

	sock_owned_by_me(hs->sk);
	if (hs->client) {
		smcr_path_peer_addr(smcr_sk(hs->sk)->inner->sk, &addr);
		hint = smcr_peers_gid_kind(net, &addr);
	} else {
		hint = smcr_gid_kind(hs->proposal.gid);
	}
	return smcr_gid_prefer(READ_ONCE(smcr_pernet(net)->sysctl.gid_kind),
			       hint);
}

/**
 * smcr_hs_other_kind() - does the server want another kind of GID?
 * @hs: a client's handshake with the Accept of a first contact
 *
 * A Confirm with a GID of the Accept's kind would be too late for Linux's own
 * SMC-R, which sends to the GID of the Proposal. So the next Proposal to this
 * host has that kind, unless net.smcr.gid_kind forbids it. In that case the
 * Confirm is the only message that can follow the server.
 *
 * Context: process, outer sock lock held.
 * Return: true if this connection must be plain TCP, and the next one need not.
 */
bool smcr_hs_other_kind(struct smcr_hs *hs)
{
	enum smcr_gid_kind kind = smcr_gid_kind(hs->accept.gid);
	struct net *net = sock_net(hs->sk);
	struct in6_addr addr;

	sock_owned_by_me(hs->sk);
	if (READ_ONCE(smcr_pernet(net)->sysctl.gid_kind) != SMCR_GID_AUTO ||
	    kind == smcr_gid_kind(hs->port.gid))
		return false;
	smcr_path_peer_addr(smcr_sk(hs->sk)->inner->sk, &addr);
	smcr_peers_want_kind(net, &addr, kind);
	return true;
}

/**
 * smcr_hs_probes_late() - may the client be Linux's own SMC-R?
 * @hs: a server's handshake with the Proposal
 *
 * Linux makes its memory accessible when it answers CONFIRM LINK. It proposes
 * link-local GIDs, also those kernels whose Proposals do not tell that they
 * are Linux's.
 *
 * Context: process, outer sock lock held.
 * Return: true if nothing may be written to it before that.
 */
bool smcr_hs_probes_late(const struct smcr_hs *hs)
{
	return smcr_hs_offers_linux(hs) ||
	       smcr_gid_kind(hs->proposal.gid) == SMCR_GID_LINK_LOCAL;
}

/**
 * smcr_hs_offers_linux() - should CONFIRM LINK offer the Linux dialect?
 * @hs: a server's handshake with the Proposal
 *
 * Linux sends Proposals of version 2. Older kernels send version 1; such a host
 * has declined before.
 *
 * Context: process, outer sock lock held.
 */
bool smcr_hs_offers_linux(const struct smcr_hs *hs)
{
	struct in6_addr addr;

	sock_owned_by_me(hs->sk);
	if (hs->proposal.version >= 2)
		return true;
	smcr_path_peer_addr(smcr_sk(hs->sk)->inner->sk, &addr);
	return smcr_peers_no_eye(sock_net(hs->sk), &addr);
}

/**
 * smcr_hs_other_dialect() - did the client decline the dialect of CONFIRM LINK?
 * @hs: the handshake
 * @diagnosis: diagnosis of the client's Decline
 *
 * RDMA works over the path then, and the next first contact with this host
 * offers the Linux dialect.
 *
 * Context: process, outer sock lock held.
 */
bool smcr_hs_other_dialect(struct smcr_hs *hs, u32 diagnosis)
{
	struct in6_addr addr;

	sock_owned_by_me(hs->sk);
	if (hs->client || hs->step != SMCR_HS_LLC || hs->lgr->offer_linux ||
	    diagnosis != SMCR_DIAG_EYE_CATCHER)
		return false;
	smcr_path_peer_addr(smcr_sk(hs->sk)->inner->sk, &addr);
	smcr_peers_want_no_eye(sock_net(hs->sk), &addr,
			       smcr_gid_kind(hs->proposal.gid));
	return true;
}
