// SPDX-License-Identifier: GPL-2.0
/*
 * Plain TCP instead of RDMA.
 *
 * The outer socket becomes a proxy: the application keeps its file, socket and
 * wait queue, and calls pass to the inner socket without the outer lock. The
 * change is final.
 *
 * In a first contact both ends may find at the same time that RDMA fails, and
 * decline (C.2). Each Decline then precedes the bytes of the sender's program:
 *
 *      server                                        client
 *        | CONFIRM LINK -----------------------------> |
 *        |        lost --- acknowledgment, and reply --|
 *        | Decline ------------.   .---------- Decline |
 *        | <--------------------\-'                    |
 *        |                       `-------------------> |
 *
 * RFC 7609 does not say how to tell the Decline from the program's bytes, so
 * the beginning of the stream decides: a whole Decline with the peer's ID was
 * meant for the handshake. TCP delivers it in one piece, because it was sent in
 * one piece over an idle connection.
 *
 * The beginning of the stream also shows a Proposal that comes after this end
 * has given up waiting for it and gone on as TCP. The client still waits for an
 * answer and takes the program's bytes for one, so both ends are reset. Four
 * bytes, the eye catcher, make it a Proposal. They may come one by one, so
 * until they are clear the program finds no byte (smcr_fallback_holds()):
 *
 *   first bytes            result
 *   the eye catcher        both ends are reset
 *   a part of it           held, for smcr_fallback_wait() at most
 *   others                 the program's, with those held
 *   a part, FIN or RST     the program's
 *
 * A part that is held when the time is over, be it that of the server's wait or
 * the one above, is the program's: a client that is plain TCP may send one such
 * byte and wait for the answer. If the rest of the eye catcher comes before the
 * program has read a byte, both ends are reset all the same; if it comes after
 * that, all are the program's bytes.
 *
 * TCP's queue keeps the bytes meanwhile. The outer socket's sk_timer is for the
 * end of the time; it runs in softirq, so it tries again later if a thread has
 * the inner sock lock.
 */
#include <linux/netdevice.h>
#include <linux/tcp.h>
#include <net/l3mdev.h>
#include <net/proto_memory.h>
#include <net/sock.h>
#include <net/tcp.h>
#include <trace/events/smcr.h>

#include "clc.h"
#include "conn.h"
#include "fallback.h"
#include "inner.h"
#include "mib.h"
#include "notify.h"
#include "option.h"
#include "sock.h"

/* How long a server waits for the first bytes of a client */
#define PROPOSAL_WAIT	(3ul * HZ)
/* Delay before the timer looks again for a free sock lock */
#define HELD_RETRY_TIME	(HZ / 20)

/**
 * smcr_fallback_crossing() - expect a Decline of the peer that crosses ours
 * @sk: outer socket that has sent a Decline and is about to fall back
 * @peer_id: the peer ID in the peer's Decline
 *
 * Context: process, outer sock lock held.
 */
void smcr_fallback_crossing(struct sock *sk, const u8 *peer_id)
{
	struct smcr_sock *smcr = smcr_sk(sk);
	struct sock *inner = smcr->inner->sk;

	sock_owned_by_me(sk);
	lock_sock(inner);
	memcpy(smcr->crossing_id, peer_id, sizeof(smcr->crossing_id));
	WRITE_ONCE(smcr->head, SMCR_SOCK_HEAD_DECLINE);
	release_sock(inner);
}

/* Return: the length of the Decline at the beginning of @buf, or 0. */
static u32 crossed_len(const struct smcr_sock *smcr, const u8 *buf, size_t len)
{
	struct smcr_clc_decline msg;
	struct smcr_clc_header hdr;

	if (smcr_clc_msg_header(buf, len, &hdr) || hdr.length > len ||
	    smcr_clc_decline_decode(buf, hdr.length, &msg) ||
	    memcmp(msg.peer_id, smcr->crossing_id, SMCR_PEER_ID_LEN))
		return 0;
	return hdr.length;
}

/* The actor of tcp_read_sock(): consume a Decline if the stream begins with
 * it, and leave all other bytes.
 */
static int head_actor(read_descriptor_t *desc, struct sk_buff *skb,
		      unsigned int offset, size_t len)
{
	struct smcr_sock *smcr = desc->arg.data;
	u8 buf[SMCR_CLC_DECLINE_V2_LEN];

	sock_owned_by_me(smcr->inner->sk);
	desc->count = 0;
	if (smcr->head == SMCR_SOCK_HEAD_NONE)
		return 0;
	WRITE_ONCE(smcr->head, SMCR_SOCK_HEAD_NONE);
	len = min(len, sizeof(buf));
	if (skb_copy_bits(skb, offset, buf, len))
		return 0;
	return crossed_len(smcr, buf, len);
}

static void take_decline(struct sock *sk, struct sock *inner)
{
	read_descriptor_t desc = { .arg.data = smcr_sk(sk), .count = 1 };

	if (tcp_read_sock(inner, &desc, head_actor) > 0)
		smcr_mib_inc(sock_net(sk), SMCR_MIB_CROSSEDDECLINES);
}

/* Give SO_RCVLOWAT to TCP, which may call data_ready at once, nested if
 * data_ready is the caller. Inner sock lock or slock held.
 */
static void pass_lowat(struct sock *sk)
{
	struct socket *inner = smcr_sk(sk)->inner;
	int lowat = READ_ONCE(sk->sk_rcvlowat);

	sock_owned_by_me(inner->sk);
	if (smcr_sk(sk)->head == SMCR_SOCK_HEAD_PREFIX)
		/* TCP has to report the whole eye catcher */
		lowat = min_t(int, lowat, sizeof(__be32));
	else if (smcr_sk(sk)->head)
		return;
	if (lowat != inner->sk->sk_rcvlowat)
		READ_ONCE(inner->ops)->set_rcvlowat(inner->sk, lowat);
}

/**
 * smcr_fallback_lowat() - pass a new SO_RCVLOWAT to TCP
 * @sk: outer socket in mode FALLBACK
 *
 * TCP reports no data as long as there are fewer than SO_RCVLOWAT bytes. It has
 * to report every byte until the connection is plain TCP and no CLC message may
 * come any more, so it gets the value only then. A recv() that waits already
 * when one may come returns with fewer bytes, if any.
 *
 * Context: process, outer sock lock held.
 */
void smcr_fallback_lowat(struct sock *sk)
{
	struct sock *inner = smcr_sk(sk)->inner->sk;

	sock_owned_by_me(sk);
	lock_sock(inner);
	pass_lowat(sk);
	release_sock(inner);
}

/**
 * smcr_fallback_wait() - how long may the beginning of a Proposal take?
 * @inner: the TCP socket that gets it
 *
 * Context: any.
 * Return: the time in jiffies.
 */
unsigned long smcr_fallback_wait(const struct sock *inner)
{
	return max(PROPOSAL_WAIT, 3ul * READ_ONCE(inet_csk(inner)->icsk_rto));
}

/* The time is over: what is held is the program's. */
static void hand_over(struct sock *sk, struct sock *inner)
{
	sock_owned_by_me(inner);
	if (smcr_sk(sk)->head != SMCR_SOCK_HEAD_PROPOSAL)
		return;
	WRITE_ONCE(smcr_sk(sk)->head, SMCR_SOCK_HEAD_PREFIX);
	pass_lowat(sk);
	inner->sk_data_ready(inner);
}

static void held_timer(struct timer_list *timer)
{
	struct sock *sk = from_timer(sk, timer, sk_timer);
	struct sock *inner = smcr_inner_get(sk);

	if (!inner)
		goto out;
	bh_lock_sock(inner);
	rcu_read_lock();
	if (smcr_inner_outer(inner) == sk) {
		if (sock_owned_by_user(inner))
			sk_reset_timer(sk, timer, jiffies + HELD_RETRY_TIME);
		else
			hand_over(sk, inner);
	}
	rcu_read_unlock();
	bh_unlock_sock(inner);
	sock_put(inner);
out:
	sock_put(sk);
}

/**
 * smcr_fallback_late() - expect a Proposal that is too late
 * @sk: outer socket that is about to fall back although the peer may take the
 *	connection for SMC-R; nothing of its stream was read
 *
 * Context: process, outer sock lock held.
 */
void smcr_fallback_late(struct sock *sk)
{
	struct smcr_sock *smcr = smcr_sk(sk);
	struct sock *inner = smcr->inner->sk;

	sock_owned_by_me(sk);
	timer_setup(&sk->sk_timer, held_timer, 0);
	lock_sock(inner);
	smcr->head_seq = tcp_sk(inner)->copied_seq;
	WRITE_ONCE(smcr->head, smcr_clc_look(inner) == SMCR_CLC_START_PART ?
			       SMCR_SOCK_HEAD_PREFIX :
			       SMCR_SOCK_HEAD_PROPOSAL);
	release_sock(inner);
}

/**
 * smcr_fallback_holds() - are the bytes in TCP's queue not the program's yet?
 * @sk: outer socket in mode FALLBACK; no thread waits in TCP for its stream
 *
 * The answer "no" is final, unless the program connects again. It may come
 * while a segment with FIN is being handled: TCP's lock keeps a reader out
 * until smcr_fallback_data_event() has looked at its bytes.
 *
 * Context: any.
 * Return: true also if there are no bytes, but some of a Proposal may come.
 */
bool smcr_fallback_holds(const struct sock *sk)
{
	const struct sock *inner;

	if (likely(READ_ONCE(smcr_sk(sk)->head) != SMCR_SOCK_HEAD_PROPOSAL))
		return false;
	inner = smcr_sk(sk)->inner->sk;
	return !sock_flag(inner, SOCK_DONE) &&
	       READ_ONCE(inner->sk_state) != TCP_CLOSE;
}

/* What does the stream begin with? A byte that was read, by the program or by
 * TLS, an urgent byte and the end of the stream show that no Proposal comes.
 */
static enum smcr_clc_start late_start(struct sock *sk, struct sock *inner)
{
	enum smcr_clc_start start = smcr_clc_look(inner);

	if (tcp_sk(inner)->copied_seq != smcr_sk(sk)->head_seq)
		return SMCR_CLC_START_OTHER;
	if (start != SMCR_CLC_START_WHOLE && sock_flag(inner, SOCK_DONE))
		return SMCR_CLC_START_OTHER;
	return start;
}

static bool late_proposal(struct sock *sk, struct sock *inner)
{
	enum smcr_clc_start start = late_start(sk, inner);

	if (start == SMCR_CLC_START_NONE)
		return false;
	if (start == SMCR_CLC_START_PART) {
		if (smcr_sk(sk)->head == SMCR_SOCK_HEAD_PROPOSAL &&
		    !timer_pending(&sk->sk_timer))
			sk_reset_timer(sk, &sk->sk_timer,
				       jiffies + smcr_fallback_wait(inner));
		return false;
	}
	sk_stop_timer(sk, &sk->sk_timer);
	WRITE_ONCE(smcr_sk(sk)->head, SMCR_SOCK_HEAD_NONE);
	return start == SMCR_CLC_START_WHOLE;
}

/**
 * smcr_fallback_data_event() - look for a CLC message in TCP's new bytes
 * @sk: outer socket, in mode FALLBACK or about to be
 * @inner: its TCP socket, whose data_ready is still ours if one may come
 *
 * The program's calls take the inner sock lock, so the message is gone before
 * they can read it.
 *
 * Context: any, inner sock lock or slock held.
 * Return: true if it is a Proposal; then the caller must call
 * smcr_inner_reset() before it releases the lock.
 */
bool smcr_fallback_data_event(struct sock *sk, struct sock *inner)
{
	bool late = false;

	switch (smcr_sk(sk)->head) {
	case SMCR_SOCK_HEAD_NONE:
		return false;
	case SMCR_SOCK_HEAD_DECLINE:
		take_decline(sk, inner);
		break;
	case SMCR_SOCK_HEAD_PROPOSAL:
	case SMCR_SOCK_HEAD_PREFIX:
		late = late_proposal(sk, inner);
		break;
	}
	if (late)
		smcr_mib_inc(sock_net(sk), SMCR_MIB_LATEPROPOSALS);
	else
		pass_lowat(sk);
	return late;
}

static bool enter(struct sock *sk, enum smcr_fallback_reason reason,
		  u32 peer_diagnosis)
{
	struct smcr_sock *smcr = smcr_sk(sk);
	struct sock *inner = smcr->inner->sk;
	bool late;

	smcr_sock_owned(sk);
	if (smcr_sock_is_fallback(sk) ||
	    WARN_ON_ONCE(smcr->mode == SMCR_MODE_RDMA))
		return false;
	smcr->fallback = reason;
	smcr->peer_diagnosis = peer_diagnosis;
	/* The lock keeps readers and new bytes out from here to the new mode */
	lock_sock(inner);
	late = smcr_fallback_data_event(sk, inner);
	smcr_sock_mode_set(sk, SMCR_MODE_FALLBACK);
	/* The next SYN, or the answer to one, must not offer a handshake */
	smcr_option_withdraw(inner);
	smcr_inner_unhook(sk);
	pass_lowat(sk);
	if (late)
		smcr_inner_reset(inner);
	release_sock(inner);
	/* An error since the handshake last looked at TCP */
	smcr_inner_take_error(sk);
	return true;
}

/**
 * smcr_fallback() - fall back to TCP, for good
 * @sk: outer socket, not in mode RDMA; nothing happens if it is TCP already
 * @reason: why; counted and traced
 * @peer_diagnosis: diagnosis of the Decline that caused it, or 0
 *
 * Context: process, outer sock lock held (or @sk a child that no program and
 * no handshake has yet).
 */
void smcr_fallback(struct sock *sk, enum smcr_fallback_reason reason,
		   u32 peer_diagnosis)
{
	if (!enter(sk, reason, peer_diagnosis))
		return;
	smcr_mib_fallback(sock_net(sk), reason);
	trace_smcr_fallback(atomic64_read(&sk->sk_cookie), reason,
			    peer_diagnosis);
	smcr_notify_fallback(smcr_sk(sk)->inner->sk, reason, peer_diagnosis);
}

/**
 * smcr_fallback_listener() - listen as plain TCP
 * @sk: outer socket that is about to listen
 * @reason: why; not counted here, since each child is counted with it
 *
 * Context: process, outer sock lock held.
 */
void smcr_fallback_listener(struct sock *sk, enum smcr_fallback_reason reason)
{
	sock_owned_by_me(sk);
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
 * smcr_fallback_check() - does this socket have to be plain TCP from the start?
 * @sk: outer socket, before connect() or listen()
 *
 * Context: process, outer sock lock held.
 * Return: the reason, or SMCR_FALLBACK_NONE.
 */
enum smcr_fallback_reason smcr_fallback_check(struct sock *sk)
{
	const struct sock *inner = smcr_sk(sk)->inner->sk;

	smcr_sock_owned(sk);
	if (smcr_sk(sk)->fallback_asked)
		return smcr_sk(sk)->fallback_asked;
	if (has_tcp_auth(inner))
		return SMCR_FALLBACK_MD5;
	if (has_xfrm_policy(inner))
		return SMCR_FALLBACK_IPSEC;
	if (in_vrf(inner))
		return SMCR_FALLBACK_VRF;
	/* It would look as if the peer had sent a FIN, or keep the Proposal
	 * from being sent. A child has such a flag from the peer.
	 */
	if (smcr_sock_mode(sk) == SMCR_MODE_INIT &&
	    READ_ONCE(inner->sk_shutdown))
		return SMCR_FALLBACK_SHUTDOWN;
	return SMCR_FALLBACK_NONE;
}

/**
 * smcr_fallback_check_conn() - does this connection have to be plain TCP?
 * @sk: outer socket, before connect(), or a new child
 *
 * Like smcr_fallback_check(), but also checks for memory, which may be
 * different for the next connection.
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

struct reason_diag {
	enum smcr_fallback_reason	reason;
	u32				diag;
};

static const struct reason_diag diags[] = {
	{ SMCR_FALLBACK_NO_RNIC,	SMCR_DIAG_NO_RNIC },
	{ SMCR_FALLBACK_NO_GID,		SMCR_DIAG_NO_GID },
	{ SMCR_FALLBACK_SUBNET,		SMCR_DIAG_SUBNET },
	{ SMCR_FALLBACK_GATEWAY,	SMCR_DIAG_SUBNET },
	{ SMCR_FALLBACK_IPSEC,		SMCR_DIAG_IPSEC },
	{ SMCR_FALLBACK_MD5,		SMCR_DIAG_TCP_AUTH },
	{ SMCR_FALLBACK_VRF,		SMCR_DIAG_VRF },
	{ SMCR_FALLBACK_LOCAL_ADDR,	SMCR_DIAG_LOCAL },
	{ SMCR_FALLBACK_RESOURCE_LIMIT,	SMCR_DIAG_LIMIT },
	{ SMCR_FALLBACK_CONGESTED,	SMCR_DIAG_LIMIT },
	{ SMCR_FALLBACK_MEMORY,		SMCR_DIAG_MEMORY },
	{ SMCR_FALLBACK_QP,		SMCR_DIAG_LINK_SETUP },
	{ SMCR_FALLBACK_VERSION,	SMCR_DIAG_NO_SMCR },
	{ SMCR_FALLBACK_PEER_ID,	SMCR_DIAG_BAD_IDENTITY },
	{ SMCR_FALLBACK_BAD_ENUM,	SMCR_DIAG_BAD_VALUE },
	{ SMCR_FALLBACK_OUT_OF_SYNC,	SMCR_DIAG_OUT_OF_SYNC },
	{ SMCR_FALLBACK_CONFIRM_LINK,	SMCR_DIAG_CONFIRM_LINK },
	{ SMCR_FALLBACK_NEG_PATH,	SMCR_DIAG_CONFIRM_LINK },
	{ SMCR_FALLBACK_DEVICE_LIMIT,	SMCR_DIAG_LINK_SETUP },
	{ SMCR_FALLBACK_GID_KIND,	SMCR_DIAG_GID_KIND },
	{ SMCR_FALLBACK_LINK_LOST,	SMCR_DIAG_NO_LINK },
	{ SMCR_FALLBACK_MTU,		SMCR_DIAG_MTU },
};

/**
 * smcr_fallback_diag() - map a reason to the diagnosis of a Decline
 * @reason: why the connection falls back
 *
 * Context: any.
 * Return: SMCR_DIAG_*.
 */
u32 smcr_fallback_diag(enum smcr_fallback_reason reason)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(diags); i++)
		if (diags[i].reason == reason)
			return diags[i].diag;
	return SMCR_DIAG_CONFIG;
}
