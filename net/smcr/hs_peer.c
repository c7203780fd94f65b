// SPDX-License-Identifier: GPL-2.0
/*
 * What the end of a handshake says about the peer: whether the next handshakes
 * with it, or on its path, are worth the trouble.
 */
#include <net/inet_sock.h>
#include <net/sock.h>

#include "hs.h"
#include "lgr.h"
#include "mib.h"
#include "path.h"
#include "sock.h"

/* The destination that a client talks CLC with. */
static void dest_key(const struct smcr_hs *hs, struct smcr_neglist_key *key)
{
	const struct sock *inner = smcr_sk(hs->sk)->inner->sk;

	memset(key, 0, sizeof(*key));
	key->kind = SMCR_NEGLIST_DESTINATION;
	smcr_path_peer_addr(inner, &key->addr);
	key->port = inet_sk(inner)->inet_dport;
}

/* The path of a first contact. */
static void path_key(const struct smcr_hs *hs, const struct smcr_lgr_key *peer,
		     struct smcr_neglist_key *key)
{
	memset(key, 0, sizeof(*key));
	key->kind = SMCR_NEGLIST_PATH;
	smcr_path_peer_addr(smcr_sk(hs->sk)->inner->sk, &key->addr);
	memcpy(key->peer_id, peer->peer_id, SMCR_PEER_ID_LEN);
	memcpy(key->gid, hs->port.gid, SMCR_GID_LEN);
	memcpy(key->peer_gid, peer->gid, SMCR_GID_LEN);
}

/**
 * smcr_hs_path_blocked() - did a first contact with this peer fail lately?
 * @hs: a handshake with a port, about to make a group
 * @key: the group's
 *
 * Context: process, outer sock lock held.
 * Return: true if the connection should be plain TCP.
 */
bool smcr_hs_path_blocked(struct smcr_hs *hs, const struct smcr_lgr_key *key)
{
	struct smcr_neglist_key neg;

	path_key(hs, key, &neg);
	return smcr_neglist_blocks(sock_net(hs->sk), &neg);
}

/* Has the server ended TCP, and shown before that it knows SMC-R? Then its
 * process may have been killed.
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

static void path_good(struct smcr_hs *hs, const struct smcr_neglist_key *key)
{
	struct net *net = sock_net(hs->sk);

	smcr_neglist_succeed(net, key);
	if (hs->client)
		smcr_peers_met(net, &key->addr,
			       smcr_gid_kind(hs->port.gid));
}

/**
 * smcr_hs_path_result() - how a handshake ends, for its path
 * @hs: the handshake
 * @good: RDMA works
 *
 * In step LLC of a first contact it is RDMA that fails, unless the group ends
 * for a reason of this host's or at the peer's wish, or has become ACTIVE. Of
 * a server that ends TCP
 * only the first such failure in a row may be an accident: a server without
 * RDMA ends it too.
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_path_result(struct smcr_hs *hs, bool good)
{
	enum smcr_reset_reason reason;
	struct smcr_neglist_key key;

	if (!hs->first_contact || hs->step != SMCR_HS_LLC)
		return;
	reason = READ_ONCE(hs->lgr->end_reason);
	if (reason != SMCR_RESET_NONE && reason != SMCR_RESET_LINK_DOWN)
		return;
	if (!good && smcr_lgr_state(hs->lgr) == SMCR_LGR_ACTIVE)
		return;
	path_key(hs, &hs->lgr->key, &key);
	if (good)
		path_good(hs, &key);
	else if (!forgiven(hs, &key.addr, SMCR_PEERS_HOST, 0))
		smcr_neglist_fail(sock_net(hs->sk), &key);
}

/**
 * smcr_hs_dest_good() - the server answered the Proposal as it should
 * @hs: a client's handshake
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_dest_good(struct smcr_hs *hs)
{
	struct net *net = sock_net(hs->sk);
	struct smcr_neglist_key key;

	dest_key(hs, &key);
	smcr_neglist_succeed(net, &key);
	smcr_peers_good(net, &key.addr, key.port);
}

/**
 * smcr_hs_dest_failed() - a handshake fails, perhaps for its destination
 * @hs: the handshake
 *
 * The server, which had echoed the option, answered the Proposal not at all or
 * with something else; or its process was killed.
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_dest_failed(struct smcr_hs *hs)
{
	struct net *net = sock_net(hs->sk);
	struct smcr_neglist_key key;

	if (!hs->client ||
	    (hs->step != SMCR_HS_PROPOSE && hs->step != SMCR_HS_ACCEPT))
		return;
	dest_key(hs, &key);
	if (!forgiven(hs, &key.addr, key.port,
		      READ_ONCE(smcr_pernet(net)->sysctl.handshake_timeout_ms)))
		smcr_neglist_fail(net, &key);
}

/**
 * smcr_hs_gid_kind() - the kind of GID to name to the peer
 * @hs: the handshake, on the server with the Proposal
 *
 * What is set; if nothing is, what the Proposal has, or what the last first
 * contact with the server had.
 *
 * Context: process.
 * Return: SMCR_GID_ROUTABLE or SMCR_GID_LINK_LOCAL.
 */
enum smcr_gid_kind smcr_hs_gid_kind(const struct smcr_hs *hs)
{
	struct net *net = sock_net(hs->sk);
	enum smcr_gid_kind hint;
	struct in6_addr addr;

	if (hs->client) {
		smcr_path_peer_addr(smcr_sk(hs->sk)->inner->sk, &addr);
		hint = smcr_peers_gid_kind(net, &addr);
	} else {
		hint = smcr_gid_kind(hs->proposal.gid);
	}
	return smcr_gid_prefer(READ_ONCE(smcr_pernet(net)->sysctl.gid_kind),
			       hint);
}
