// SPDX-License-Identifier: GPL-2.0
/*
 * The inner TCP socket: what TCP does before a connection exists.
 *
 * TCP calls a socket's operations (icsk_af_ops) for each SYN and for each new
 * connection. An inner socket that listens or connects has a copy of them in
 * which this file replaces three functions. Of a listener:
 *
 *   conn_request	Children leave TCP's accept queue before the program
 *			accepts them, so TCP's count alone would let in more
 *			than the backlog. If TCP's count and ours together
 *			exceed it, the SYN is dropped, as TCP does for its own
 *			count, and so is the last segment of the three-way
 *			handshake. TCP's count does not change: TCP relies on it
 *			when it ends a listener, which "ss -K" does without a
 *			call to this module. So ss(8) shows TCP's count alone;
 *			getsockopt(TCP_INFO) adds ours (sockopt.c).
 *			TCP asks whether a SYN gets the option without naming
 *			the SYN, so its addresses are kept for the answer.
 *   syn_recv_sock	A child is a copy of the listener, with our callbacks
 *			and operations. They are removed before the lock of the
 *			new child is released. A child that is not adopted yet
 *			is therefore an ordinary TCP socket: it may move to
 *			another program's listener (net.ipv4.tcp_migrate_req),
 *			and may outlive this module. Only its sk_user_data is
 *			taken, by a tag without a pointer.
 *
 * Of a client, until it is connected:
 *
 *   rebuild_header	TCP calls it before it sends a SYN, and at the end of
 *			the three-way handshake in the state of that moment:
 *			TCP_SYN_RECV after crossed SYNs, else TCP_ESTABLISHED.
 *			TCP's own function finds a new route if the old one is
 *			not valid any more, then smcr_hs_syn() decides about the
 *			option.
 *
 * TCP has one set of operations for each address family, so there are few
 * copies; they last as long as the module. TCP calls them inside an RCU
 * section, and the module waits for a grace period before it is unloaded.
 */
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "inner.h"
#include "option.h"
#include "path.h"
#include "sock.h"

/* IPv4, IPv6, and IPv4 on an IPv6 socket; one to spare */
#define INNER_OPS	4

/**
 * struct inner_ops - operations of inner sockets
 * @tcp: TCP's own; does not change once it is set
 * @ops: the copy
 */
struct inner_ops {
	const struct inet_connection_sock_af_ops *tcp;
	struct inet_connection_sock_af_ops ops;
};

static struct inner_ops inner_ops[INNER_OPS];
/* The callbacks of a new TCP socket; set before @inner_ops */
static struct smcr_inner_orig callbacks;
/* Covers writes of the two above; a full entry is read without it */
static DEFINE_MUTEX(inner_ops_lock);

/* Return: NULL for TCP's own operations, which a socket may get back at any
 * time.
 */
static const struct inner_ops *ops_of(const struct sock *inner)
{
	const struct inet_connection_sock_af_ops *ops;
	int i;

	/* Pairs with the release in install() */
	ops = smp_load_acquire(&inet_csk(inner)->icsk_af_ops);
	for (i = 0; i < INNER_OPS; i++)
		if (ops == &inner_ops[i].ops)
			return &inner_ops[i];
	return NULL;
}

static const struct inet_connection_sock_af_ops *
tcp_ops_of(const struct sock *inner)
{
	const struct inner_ops *ours = ops_of(inner);

	return ours ? ours->tcp : READ_ONCE(inet_csk(inner)->icsk_af_ops);
}

/* Ready children count, in TCP's queue and in ours. Children in a handshake do
 * not, because silent peers would then keep all others out. Their number is
 * bounded by net.smcr.max_handshakes.
 */
static bool backlog_full(const struct sock *inner)
{
	const struct sock *sk;
	u32 ready = 0;

	rcu_read_lock();
	sk = smcr_inner_outer(inner);
	if (sk)
		ready = READ_ONCE(smcr_sk(sk)->accept_len);
	rcu_read_unlock();
	return ready && READ_ONCE(inner->sk_ack_backlog) + ready >
			READ_ONCE(inner->sk_max_ack_backlog);
}

/* Do what TCP does when its own queue is full. */
static bool refused(const struct sock *inner, struct dst_entry *dst)
{
	if (!backlog_full(inner))
		return false;
	NET_INC_STATS(sock_net(inner), LINUX_MIB_LISTENOVERFLOWS);
	dst_release(dst);
	tcp_listendrop(inner);
	return true;
}

/* The SYN that this CPU handles. On PREEMPT_RT another SYN may come in between;
 * that costs one of the two connections RDMA, or the wait for a Proposal, or
 * sends the option through a gateway.
 */
static DEFINE_PER_CPU(struct smcr_syn, current_syn);

/**
 * smcr_inner_get_syn() - get the SYN that TCP handles
 * @syn: result
 *
 * Context: softirq, in smc_hs_congested() of a listener with the operations of
 * this file.
 */
void smcr_inner_get_syn(struct smcr_syn *syn)
{
	*syn = *this_cpu_ptr(&current_syn);
}

static int conn_request(struct sock *inner, struct sk_buff *skb)
{
	struct smcr_syn *syn = this_cpu_ptr(&current_syn);

	if (refused(inner, NULL))
		return 0;
	if (skb->protocol == htons(ETH_P_IP)) {
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, &syn->source);
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &syn->dest);
	} else {
		syn->source = ipv6_hdr(skb)->saddr;
		syn->dest = ipv6_hdr(skb)->daddr;
	}
	syn->sport = tcp_hdr(skb)->source;
	syn->iif = skb->skb_iif;
	syn->mark = inet_request_mark(inner, skb);
	return tcp_ops_of(inner)->conn_request(inner, skb);
}

/* @child has been locked since it was made, or is NULL. TCP has given the child
 * of an IPv6 listener other operations of its own if the peer uses IPv4.
 */
static struct sock *strip(struct sock *child)
{
	if (!child)
		return NULL;
	smcr_option_answer(child, NULL);
	smcr_inner_ops_end(child);
	smcr_inner_strip(child, &callbacks);
	smcr_inner_reserve(child);
	return child;
}

typedef void (*child_init)(struct sock *child, const struct sock *listener);

/* Some kernels pass a function that initializes the child further. */
typedef struct sock *(*syn_recv_plain)(const struct sock *listener,
				       struct sk_buff *skb,
				       struct request_sock *req,
				       struct dst_entry *dst,
				       struct request_sock *unhash, bool *own);
typedef struct sock *(*syn_recv_init)(const struct sock *listener,
				      struct sk_buff *skb,
				      struct request_sock *req,
				      struct dst_entry *dst,
				      struct request_sock *unhash, bool *own,
				      child_init init);

static void *tcp_syn_recv(const struct sock *inner)
{
	return (void *)tcp_ops_of(inner)->syn_recv_sock;
}

static struct sock *
__maybe_unused recv_plain(const struct sock *inner, struct sk_buff *skb,
			  struct request_sock *req, struct dst_entry *dst,
			  struct request_sock *unhash, bool *own)
{
	syn_recv_plain func = tcp_syn_recv(inner);

	if (refused(inner, dst))
		return NULL;
	return strip(func(inner, skb, req, dst, unhash, own));
}

static struct sock *
__maybe_unused recv_init(const struct sock *inner, struct sk_buff *skb,
			 struct request_sock *req, struct dst_entry *dst,
			 struct request_sock *unhash, bool *own,
			 child_init init)
{
	syn_recv_init func = tcp_syn_recv(inner);

	if (refused(inner, dst))
		return NULL;
	return strip(func(inner, skb, req, dst, unhash, own, init));
}

static int rebuild_header(struct sock *inner)
{
	int err = tcp_ops_of(inner)->rebuild_header(inner);

	smcr_inner_syn(inner);
	return err;
}

static void ops_fill(struct inner_ops *ours, struct sock *sk,
		     const struct inet_connection_sock_af_ops *tcp)
{
	lockdep_assert_held(&inner_ops_lock);
	callbacks = smcr_sk(sk)->orig;
	ours->ops = *tcp;
	ours->ops.conn_request = conn_request;
	ours->ops.syn_recv_sock =
		__builtin_choose_expr(__same_type(tcp->syn_recv_sock,
						  syn_recv_plain),
				      recv_plain, recv_init);
	ours->ops.rebuild_header = rebuild_header;
	/* Pairs with the acquire in ops_find() */
	smp_store_release(&ours->tcp, tcp);
}

static struct inner_ops *
ops_find(const struct inet_connection_sock_af_ops *tcp)
{
	int i;

	for (i = 0; i < INNER_OPS; i++)
		/* Pairs with the release in ops_fill() */
		if (smp_load_acquire(&inner_ops[i].tcp) == tcp)
			return &inner_ops[i];
	return NULL;
}

static struct inner_ops *
ops_for(struct sock *sk, const struct inet_connection_sock_af_ops *tcp)
{
	struct inner_ops *found = ops_find(tcp), *free;

	if (found)
		return found;
	mutex_lock(&inner_ops_lock);
	found = ops_find(tcp);
	free = ops_find(NULL);
	if (!found && free) {
		ops_fill(free, sk, tcp);
		found = free;
	}
	mutex_unlock(&inner_ops_lock);
	return found;
}

/* Give the inner socket the copy of its operations. */
static int install(struct sock *sk)
{
	struct sock *inner = smcr_sk(sk)->inner->sk;
	struct inet_connection_sock *icsk = inet_csk(inner);
	struct inner_ops *ours;

	if (ops_of(inner))
		return 0;
	ours = ops_for(sk, icsk->icsk_af_ops);
	if (!ours)
		return -EOPNOTSUPP;
	/* Pairs with the acquire in ops_of() */
	smp_store_release(&icsk->icsk_af_ops, &ours->ops);
	return 0;
}

/**
 * smcr_inner_listen() - let the inner socket listen
 * @sk: outer socket, in mode LISTEN or FALLBACK
 * @backlog: the backlog of listen()
 *
 * Context: process, outer sock lock held.
 * Return: 0 or -errno.
 */
int smcr_inner_listen(struct sock *sk, int backlog)
{
	struct socket *inner = smcr_sk(sk)->inner;
	int err;

	sock_owned_by_me(sk);
	/* In softirq, the outer socket is found through the inner one */
	sock_set_flag(sk, SOCK_RCU_FREE);
	err = install(sk);
	return err ? : READ_ONCE(inner->ops)->listen(inner, backlog);
}

/**
 * smcr_inner_watch_syn() - have smcr_hs_syn() called before a SYN is sent
 * @sk: outer socket whose inner one is about to connect, or has just sent its
 *	first SYN
 *
 * An IPv6 socket that connects to an IPv4 address gets other operations from
 * connect(), so call this again after that; only smcr_path_check() looks at the
 * route of its first SYN. If there is no copy for them, the SYN keeps the
 * option.
 *
 * Context: process, outer sock lock held.
 */
void smcr_inner_watch_syn(struct sock *sk)
{
	sock_owned_by_me(sk);
	install(sk);
}

/**
 * smcr_inner_ops_end() - give TCP its operations back
 * @inner: TCP socket that no longer listens or connects, is about to close, or
 *	is a child that is new and still locked; nothing happens if it has TCP's
 *	own
 *
 * Context: any.
 */
void smcr_inner_ops_end(struct sock *inner)
{
	const struct inner_ops *ours = ops_of(inner);

	if (ours)
		WRITE_ONCE(inet_csk(inner)->icsk_af_ops, ours->tcp);
}
