// SPDX-License-Identifier: GPL-2.0
/*
 * Plain TCP instead of RDMA.
 *
 * The outer socket becomes a proxy: file, socket and wait queue stay what the
 * application holds, and calls pass to the inner socket without the outer
 * lock (law 4). It is never undone.
 */
#include <linux/netdevice.h>
#include <linux/tcp.h>
#include <net/l3mdev.h>
#include <net/proto_memory.h>
#include <net/sock.h>
#include <trace/events/smcr.h>

#include "conn.h"
#include "fallback.h"
#include "inner.h"
#include "mib.h"
#include "sock.h"

static bool enter(struct sock *sk, enum smcr_fallback_reason reason,
		  u32 peer_diagnosis)
{
	struct smcr_sock *smcr = smcr_sk(sk);

	if (smcr_sock_is_fallback(sk) ||
	    WARN_ON_ONCE(smcr->mode == SMCR_MODE_RDMA))
		return false;
	smcr->fallback = reason;
	smcr->peer_diagnosis = peer_diagnosis;
	smcr_sock_mode_set(sk, SMCR_MODE_FALLBACK);
	/* The next SYN, or an answer to one, must not promise a handshake */
	tcp_sk(smcr->inner->sk)->syn_smc = 0;
	smcr_inner_unhook(sk);
	/* Events between a handshake's last look and here */
	smcr_inner_take_error(sk);
	return true;
}

/**
 * smcr_fallback() - go on as plain TCP, for good
 * @sk: outer socket, not in mode RDMA; nothing happens if it is TCP already
 * @reason: why; counted and traced
 * @peer_diagnosis: of the Decline that caused it, or 0
 *
 * Context: process, outer sock lock held (or @sk not visible to anyone).
 */
void smcr_fallback(struct sock *sk, enum smcr_fallback_reason reason,
		   u32 peer_diagnosis)
{
	if (!enter(sk, reason, peer_diagnosis))
		return;
	smcr_mib_fallback(sock_net(sk), reason);
	trace_smcr_fallback(smcr_sk(sk)->id, reason, peer_diagnosis);
}

/**
 * smcr_fallback_listener() - listen as plain TCP
 * @sk: outer socket that is about to listen
 * @reason: why; its children count it, one connection each
 *
 * Context: process, outer sock lock held.
 */
void smcr_fallback_listener(struct sock *sk, enum smcr_fallback_reason reason)
{
	enter(sk, reason, 0);
}

static bool has_tcp_auth(const struct sock *inner)
{
#ifdef CONFIG_TCP_MD5SIG
	if (rcu_access_pointer(tcp_sk(inner)->md5sig_info))
		return true;
#endif
#ifdef CONFIG_TCP_AO
	if (rcu_access_pointer(tcp_sk(inner)->ao_info))
		return true;
#endif
	return false;
}

static bool has_xfrm_policy(const struct sock *inner)
{
#ifdef CONFIG_XFRM
	return rcu_access_pointer(inner->sk_policy[0]) ||
	       rcu_access_pointer(inner->sk_policy[1]);
#else
	return false;
#endif
}

static bool in_vrf(const struct sock *inner)
{
	int ifindex = READ_ONCE(inner->sk_bound_dev_if);

	return ifindex && (netif_index_is_l3_master(sock_net(inner), ifindex) ||
			   l3mdev_master_ifindex_by_index(sock_net(inner),
							  ifindex));
}

/**
 * smcr_fallback_check() - must this socket be plain TCP from the start?
 * @sk: outer socket, before connect() or listen()
 *
 * Context: process, outer sock lock held.
 * Return: the reason, or SMCR_FALLBACK_NONE.
 */
enum smcr_fallback_reason smcr_fallback_check(struct sock *sk)
{
	const struct sock *inner = smcr_sk(sk)->inner->sk;

	if (smcr_sk(sk)->fallback_asked)
		return smcr_sk(sk)->fallback_asked;
	if (has_tcp_auth(inner))
		return SMCR_FALLBACK_MD5;
	if (has_xfrm_policy(inner))
		return SMCR_FALLBACK_IPSEC;
	if (in_vrf(inner))
		return SMCR_FALLBACK_VRF;
	return SMCR_FALLBACK_NONE;
}

/**
 * smcr_fallback_check_conn() - must this connection be plain TCP?
 * @sk: outer socket, before connect(), or a new child
 *
 * As smcr_fallback_check(), and what may be otherwise for the next one.
 *
 * Context: process, outer sock lock held.
 * Return: the reason, or SMCR_FALLBACK_NONE.
 */
enum smcr_fallback_reason smcr_fallback_check_conn(struct sock *sk)
{
	enum smcr_fallback_reason reason = smcr_fallback_check(sk);

	if (reason != SMCR_FALLBACK_NONE)
		return reason;
	if (sk_memory_allocated(sk) > sk_prot_mem_limits(sk, 2) ||
	    !smcr_conn_may_charge(sk, SMCR_RMBE_SIZE_MIN))
		return SMCR_FALLBACK_MEMORY;
	return SMCR_FALLBACK_NONE;
}
