// SPDX-License-Identifier: GPL-2.0
/*
 * The outer socket: protocols, families, creation, destruction, and the results
 * that handshakes report to it.
 *
 * A socket is made by socket(AF_SMCR, SOCK_STREAM, 0 or 1), by socket(AF_INET
 * or AF_INET6, SOCK_STREAM, IPPROTO_SMCR), or by accept(). The calls on it are
 * in sock_ops.c (connection), sock_io.c (bytes) and sockopt.c.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cgroup.h>
#include <linux/lockdep.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/percpu_counter.h>
#include <linux/security.h>
#include <linux/swap.h>
#include <net/inet_common.h>
#include <net/inet_connection_sock.h>
#include <net/ipv6.h>
#include <net/protocol.h>
#include <net/sock.h>
#include <net/tcp_states.h>
#include <net/transp_v6.h>

#include "conn_end.h"
#include "hs.h"
#include "inner.h"
#include "listen.h"
#include "sock.h"

/* Payload memory has accounts of its own, apart from TCP's, so that neither
 * protocol can starve the other. The limits are computed as TCP computes its
 * own.
 */
static atomic_long_t smcr_memory_allocated;
static DEFINE_PER_CPU(int, smcr_memory_fw_alloc);
static struct percpu_counter smcr_sockets_allocated;
static unsigned long smcr_memory_pressure;
static long smcr_mem[3];
static int smcr_wmem[3] = { 4096, 16384, 4 << 20 };
static int smcr_rmem[3] = { 4096, 131072, 6 << 20 };

static bool family_taken;

static void sock_destruct(struct sock *sk)
{
	/* inet_sock_destruct() warns about any other state */
	sk->sk_state = TCP_CLOSE;
	sock_set_flag(sk, SOCK_DEAD);
	WARN_ON_ONCE(smcr_sk(sk)->inner || smcr_sk(sk)->conn);
	sk_sockets_allocated_dec(sk);
	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, -1);
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6) {
		inet6_sock_destruct(sk);
		return;
	}
#endif
	inet_sock_destruct(sk);
}

/* Lock classes of outer sockets. Their locks are taken before those of TCP
 * sockets, so they differ from the class of inner sockets and from the one of
 * the address family, which TCP children have until they are adopted.
 */
static struct lock_class_key outer_slock_key;
static struct lock_class_key outer_lock_key;

/* Number of the newest socket */
static atomic_t sock_ids = ATOMIC_INIT(0);

/* Wake a writer that found no room. The caller knows that there is room now. */
static void sock_write_space(struct sock *sk)
{
	struct socket_wq *wq;

	rcu_read_lock();
	wq = rcu_dereference(sk->sk_wq);
	if (skwq_has_sleeper(wq))
		wake_up_interruptible_poll(&wq->wait, EPOLLOUT | EPOLLWRNORM |
						      EPOLLWRBAND);
	if (wq && wq->fasync_list &&
	    !(READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN))
		sock_wake_async(wq, SOCK_WAKE_SPACE, POLL_OUT);
	rcu_read_unlock();
}

static void init_common(struct sock *sk)
{
	const struct netns_ipv4 *ipv4 = &sock_net(sk)->ipv4;
	struct smcr_sock *smcr = smcr_sk(sk);

	sock_lock_init_class_and_name(sk, "slock-smcr", &outer_slock_key,
				      "sk_lock-smcr", &outer_lock_key);
	smcr->id = atomic_inc_return(&sock_ids);
	spin_lock_init(&smcr->accept_lock);
	INIT_LIST_HEAD(&smcr->accept_q);
	INIT_LIST_HEAD(&smcr->accept_node);
	INIT_LIST_HEAD(&smcr->listen_hs);
	INIT_DELAYED_WORK(&smcr->listen_work, smcr_listen_work);
	sk->sk_destruct = sock_destruct;
	sk->sk_write_space = sock_write_space;
	/* The sizes that TCP would have; getsockopt() reads the outer socket */
	WRITE_ONCE(sk->sk_sndbuf, READ_ONCE(ipv4->sysctl_tcp_wmem[1]));
	WRITE_ONCE(sk->sk_rcvbuf, READ_ONCE(ipv4->sysctl_tcp_rmem[1]));
	sk_sockets_allocated_inc(sk);
	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, 1);
}

static int init_outer(struct sock *sk, int family)
{
	int err;

	init_common(sk);
	err = smcr_inner_create(sk, family, !sk->sk_net_refcnt);
	if (err)
		return err;
	if (sk->sk_socket) {
		/* SOL_SOCKET options have to reach the inner socket too */
		set_bit(SOCK_CUSTOM_SOCKOPT, &sk->sk_socket->flags);
		set_bit(SOCK_SUPPORT_ZC, &sk->sk_socket->flags);
		smcr_inner_graft(sk, sk->sk_socket);
	}
	return 0;
}

/* inet_create() and inet6_create() call this in the context of socket(). */
static int proto_init(struct sock *sk)
{
	return init_outer(sk, sk->sk_family);
}

/* Only sk_common_release() calls this function and the next, for a socket()
 * that failed half way: proto_ops never go through struct proto.
 */
static void proto_destroy(struct sock *sk)
{
	smcr_inner_release(sk);
}

static void proto_unhash(struct sock *sk)
{
}

/**
 * smcr_sock_own() - take an outer sock lock in a work item without waiting
 * @sk: outer socket, counted by the caller
 * @work: the work item that needs the lock
 *
 * A program can hold the lock of its socket for as long as it likes: a copy to
 * or from its memory runs under the lock, and a page may be one that FUSE or
 * userfaultfd never provides. A work item that waited for such a lock would
 * occupy one of the slots that a workqueue has for the whole host, so no work
 * item waits. If the lock is taken, this function sets a bit for the work item,
 * the work item returns, and sock_release_cb() queues it when the lock is
 * released.
 *
 * No wake-up is lost: the bit is set under the slock while the lock is owned,
 * and release_sock() looks at the bit under the slock before it releases the
 * lock. The bit owns no reference: the work item is found through the socket,
 * which the owner of the lock holds.
 *
 * The owner of the outer sock lock waits only briefly for the inner one. A
 * program whose socket is not in mode FALLBACK takes the outer lock before a
 * call in which TCP copies under the inner lock (sockopt.c); the other calls
 * that pass to TCP do not copy under it. In mode FALLBACK no work item uses
 * the inner socket.
 *
 * Context: process; no sock lock held.
 * Return: true if the caller owns the lock now; release_sock() ends that.
 */
bool smcr_sock_own(struct sock *sk, enum smcr_sock_deferred work)
{
	bool got;

	spin_lock_bh(&sk->sk_lock.slock);
	got = !sk->sk_lock.owned;
	if (got)
		sk->sk_lock.owned = 1;
	else
		__set_bit(work, &smcr_sk(sk)->deferred);
	spin_unlock_bh(&sk->sk_lock.slock);
	/* As in lock_sock_nested(), but as a trylock, since nothing waited */
	if (got)
		mutex_acquire(&sk->sk_lock.dep_map, 0, 1, _RET_IP_);
	return got;
}

/* release_sock() calls this under the slock while its own caller still owns the
 * sock lock, so smcr->hs and smcr->conn do not change here.
 */
static void sock_release_cb(struct sock *sk)
{
	struct smcr_sock *smcr = smcr_sk(sk);
	unsigned long deferred = smcr->deferred;

	lockdep_assert_held(&sk->sk_lock.slock);
	sock_owned_by_me(sk);
	if (likely(!deferred))
		return;
	smcr->deferred = 0;
	if (test_bit(SMCR_SOCK_D_HS, &deferred) && smcr->hs)
		smcr_hs_queue(smcr->hs);
	if (test_bit(SMCR_SOCK_D_LISTEN, &deferred))
		smcr_listen_event(sk);
	if (test_bit(SMCR_SOCK_D_CLOSE, &deferred) && smcr->conn)
		smcr_conn_end_queue(smcr->conn);
}

static struct proto smcr_prot = {
	.name			= "SMCR",
	.owner			= THIS_MODULE,
	.init			= proto_init,
	.destroy		= proto_destroy,
	.unhash			= proto_unhash,
	.release_cb		= sock_release_cb,
	.ioctl			= smcr_sock_prot_ioctl,
	.no_autobind		= true,
	.obj_size		= sizeof(struct smcr_sock),
	.memory_allocated	= &smcr_memory_allocated,
	.per_cpu_fw_alloc	= &smcr_memory_fw_alloc,
	.sockets_allocated	= &smcr_sockets_allocated,
	.memory_pressure	= &smcr_memory_pressure,
	.sysctl_mem		= smcr_mem,
	.sysctl_wmem		= smcr_wmem,
	.sysctl_rmem		= smcr_rmem,
};

static struct inet_protosw smcr_protosw = {
	.type		= SOCK_STREAM,
	.protocol	= IPPROTO_SMCR,
	.prot		= &smcr_prot,
	.ops		= &smcr_sock_inet_ops,
};

#if IS_ENABLED(CONFIG_IPV6)
static struct proto smcr6_prot = {
	.name			= "SMCRv6",
	.owner			= THIS_MODULE,
	.init			= proto_init,
	.destroy		= proto_destroy,
	.unhash			= proto_unhash,
	.release_cb		= sock_release_cb,
	.ioctl			= smcr_sock_prot_ioctl,
	.no_autobind		= true,
	.obj_size		= sizeof(struct smcr6_sock),
	.ipv6_pinfo_offset	= offsetof(struct smcr6_sock, np),
	.memory_allocated	= &smcr_memory_allocated,
	.per_cpu_fw_alloc	= &smcr_memory_fw_alloc,
	.sockets_allocated	= &smcr_sockets_allocated,
	.memory_pressure	= &smcr_memory_pressure,
	.sysctl_mem		= smcr_mem,
	.sysctl_wmem		= smcr_wmem,
	.sysctl_rmem		= smcr_rmem,
};

static struct inet_protosw smcr6_protosw = {
	.type		= SOCK_STREAM,
	.protocol	= IPPROTO_SMCR,
	.prot		= &smcr6_prot,
	.ops		= &smcr_sock_inet6_ops,
};

static int register_inet6(void)
{
	int err = proto_register(&smcr6_prot, 1);

	if (err)
		return err;
	err = inet6_register_protosw(&smcr6_protosw);
	if (err)
		proto_unregister(&smcr6_prot);
	return err;
}

static void unregister_inet6(void)
{
	inet6_unregister_protosw(&smcr6_protosw);
}

static void unregister_proto6(void)
{
	proto_unregister(&smcr6_prot);
}
#else
static int register_inet6(void)
{
	return 0;
}

static void unregister_inet6(void)
{
}

static void unregister_proto6(void)
{
}
#endif

static int family_create(struct net *net, struct socket *sock, int protocol,
			 int kern)
{
	struct sock *sk;
	int err;

	if (sock->type != SOCK_STREAM)
		return -ESOCKTNOSUPPORT;
	if (protocol != SMCR_PROTO_IPV4 && protocol != SMCR_PROTO_IPV6)
		return -EPROTONOSUPPORT;
	sk = sk_alloc(net, PF_SMCR, GFP_KERNEL, &smcr_prot, kern);
	if (!sk)
		return -ENOBUFS;
	sock->ops = &smcr_sock_ops;
	sock->state = SS_UNCONNECTED;
	sock_init_data(sock, sk);
	sk->sk_protocol = protocol;
	/* As inet_create() does for the other families */
	sk->sk_txrehash = READ_ONCE(net->core.sysctl_txrehash);
	err = init_outer(sk, protocol == SMCR_PROTO_IPV6 ? AF_INET6 : AF_INET);
	if (err) {
		sk_common_release(sk);
		sock->sk = NULL;
	}
	return err;
}

static const struct net_proto_family smcr_family = {
	.family	= PF_SMCR,
	.create	= family_create,
	.owner	= THIS_MODULE,
};

static void inherit_flags(struct sock *child, const struct sock *parent)
{
	static const enum sock_flags flags[] = {
		SOCK_URGINLINE, SOCK_KEEPOPEN, SOCK_LINGER, SOCK_BROADCAST,
		SOCK_DBG, SOCK_LOCALROUTE, SOCK_RXQ_OVFL, SOCK_NOFCS,
		SOCK_RCVTSTAMP, SOCK_RCVTSTAMPNS, SOCK_TSTAMP_NEW,
		SOCK_RCVMARK, SOCK_WIFI_STATUS, SOCK_SELECT_ERR_QUEUE,
		SOCK_ZEROCOPY,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		sock_valbool_flag(child, flags[i], sock_flag(parent, flags[i]));
}

static void inherit_busy_poll(struct sock *child, const struct sock *parent)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	child->sk_ll_usec = READ_ONCE(parent->sk_ll_usec);
	child->sk_prefer_busy_poll = READ_ONCE(parent->sk_prefer_busy_poll);
	child->sk_busy_poll_budget = READ_ONCE(parent->sk_busy_poll_budget);
#endif
}

/* Copy what a TCP child inherits from its listener, except for what
 * smcr_inner_show() copies from the child itself.
 */
static void inherit(struct sock *child, const struct sock *parent)
{
	inherit_flags(child, parent);
	inherit_busy_poll(child, parent);
	child->sk_userlocks = parent->sk_userlocks;
	child->sk_sndbuf = READ_ONCE(parent->sk_sndbuf);
	child->sk_rcvbuf = READ_ONCE(parent->sk_rcvbuf);
	child->sk_rcvlowat = READ_ONCE(parent->sk_rcvlowat);
	child->sk_sndtimeo = READ_ONCE(parent->sk_sndtimeo);
	child->sk_rcvtimeo = READ_ONCE(parent->sk_rcvtimeo);
	child->sk_lingertime = READ_ONCE(parent->sk_lingertime);
	child->sk_max_pacing_rate = READ_ONCE(parent->sk_max_pacing_rate);
	child->sk_tsflags = READ_ONCE(parent->sk_tsflags);
	child->sk_txrehash = READ_ONCE(parent->sk_txrehash);
	child->sk_reuse = parent->sk_reuse;
	child->sk_reuseport = parent->sk_reuseport;
	child->sk_uid = parent->sk_uid;
	smcr_sk(child)->nodelay = READ_ONCE(smcr_sk(parent)->nodelay);
	smcr_sk(child)->cork = READ_ONCE(smcr_sk(parent)->cork);
	smcr_sk(child)->rcvbuf_set = READ_ONCE(smcr_sk(parent)->rcvbuf_set);
	smcr_sk(child)->sndbuf_set = READ_ONCE(smcr_sk(parent)->sndbuf_set);
	smcr_sk(child)->orig = smcr_sk(parent)->orig;
}

/* A child belongs to its listener's cgroup, as with TCP; BPF programs, network
 * class and priority depend on it. A child that a work item makes starts in the
 * root cgroup.
 */
static void inherit_cgroup(struct sock *child, const struct sock *parent)
{
#ifdef CONFIG_SOCK_CGROUP_DATA
	struct cgroup *old = sock_cgroup_ptr(&child->sk_cgrp_data);
	struct sock_cgroup_data data = parent->sk_cgrp_data;
	struct cgroup *new = sock_cgroup_ptr(&data);

	cgroup_get(new);
	cgroup_bpf_get(new);
	child->sk_cgrp_data = data;
	cgroup_bpf_put(old);
	cgroup_put(old);
#endif
}

/* Charge the child's memory to its listener's cgroup. This comes before the
 * first charge.
 */
static void inherit_memcg(struct sock *child, const struct sock *parent)
{
#ifdef CONFIG_MEMCG
	if (!mem_cgroup_sockets_enabled || !parent->sk_memcg ||
	    child->sk_memcg)
		return;
	css_get(&parent->sk_memcg->css);
	child->sk_memcg = parent->sk_memcg;
#endif
}

/**
 * smcr_sock_alloc_child() - make the outer socket of an accepted TCP connection
 * @parent: outer listener, counted by the caller
 * @inner: the TCP socket, from TCP's accept; the child owns it on success
 *
 * The child has no struct socket until accept(). It is in mode INIT. The caller
 * changes that to HANDSHAKE or FALLBACK, then looks at the inner socket's state
 * and queue, because earlier events were lost, and finally passes the child to
 * smcr_sock_accept_ready() or smcr_sock_drop_child().
 *
 * Context: process.
 * Return: the child with one reference, or NULL.
 */
struct sock *smcr_sock_alloc_child(struct sock *parent, struct socket *inner)
{
	struct sock *sk;

	sk = sk_alloc(sock_net(parent), parent->sk_family, GFP_KERNEL,
		      parent->sk_prot, 0);
	if (!sk)
		return NULL;
	sock_init_data(NULL, sk);
	sk->sk_type = parent->sk_type;
	sk->sk_protocol = parent->sk_protocol;
	sk->sk_state = TCP_SYN_RECV;
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6)
		inet_sk(sk)->pinet6 = &((struct smcr6_sock *)sk)->np;
#endif
	init_common(sk);
	inherit(sk, parent);
	inherit_cgroup(sk, parent);
	inherit_memcg(sk, parent);
	security_sk_clone(parent, sk);
	smcr_inner_inherit(inner, parent);
	smcr_inner_adopt(sk, inner);
	smcr_inner_show(sk);
	return sk;
}

/**
 * smcr_sock_drop_child() - end a child that no accept() will return
 * @child: from smcr_sock_alloc_child(); the reference of its creation is
 *	consumed
 *
 * The peer gets a RST, as from a TCP listener that is closed.
 *
 * No program has the child, so no copy stalls under its lock, and a work item
 * may wait for the lock.
 *
 * Context: process, the child's lock not held; the listener's may be.
 */
void smcr_sock_drop_child(struct sock *child)
{
	/* The listener's lock has the same class and is never taken inside */
	lock_sock_nested(child, SINGLE_DEPTH_NESTING);
	/* SO_LINGER of zero seconds: close() resets at once */
	sock_set_flag(child, SOCK_LINGER);
	child->sk_lingertime = 0;
	sock_set_flag(child, SOCK_DEAD);
	if (smcr_sk(child)->mode != SMCR_MODE_RDMA)
		smcr_inner_abort(child);
	smcr_sock_end(child, 0);
	if (!smcr_sk(child)->conn)
		smcr_inner_release(child);
	release_sock(child);
	sock_put(child);
}

/**
 * smcr_sock_mode_set() - change what the outer socket is
 * @sk: outer socket
 * @mode: the new mode
 *
 * Context: process, outer sock lock held (or @sk a child that no program and
 * no handshake has yet).
 */
void smcr_sock_mode_set(struct sock *sk, enum smcr_sock_mode mode)
{
	smcr_sock_owned(sk);
	WARN_ON_ONCE(smcr_sock_is_fallback(sk) &&
		     mode != SMCR_MODE_FALLBACK);
	WRITE_ONCE(smcr_sk(sk)->mode, mode);
}

/* The connection is made; an error that has come meanwhile ends it. */
static void state_established(struct sock *sk)
{
	if (!((1 << sk->sk_state) & (TCPF_SYN_SENT | TCPF_SYN_RECV)))
		return;
	WRITE_ONCE(sk->sk_state, READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN ?
		   TCP_CLOSE_WAIT : TCP_ESTABLISHED);
	/* A reset stores sk_err before sk_state: see end_break() */
	smp_mb();
	if (READ_ONCE(sk->sk_err))
		WRITE_ONCE(sk->sk_state, TCP_CLOSE);
}

/**
 * smcr_sock_connected() - report the result of a connect()
 * @sk: outer socket
 * @err: 0 if it is connected, in mode RDMA or FALLBACK; otherwise a positive
 *	errno: the mode becomes INIT, and the program may try again
 *
 * Context: process, outer sock lock held.
 */
void smcr_sock_connected(struct sock *sk, int err)
{
	sock_owned_by_me(sk);
	if (!err) {
		smcr_inner_show(sk);
		/* As TCP does when the SYN-ACK comes */
		WRITE_ONCE(sk->sk_err_soft, 0);
		state_established(sk);
		sk->sk_state_change(sk);
		sk_wake_async(sk, SOCK_WAKE_IO, POLL_OUT);
		return;
	}
	if (!smcr_sock_is_fallback(sk))
		smcr_sock_mode_set(sk, SMCR_MODE_INIT);
	WRITE_ONCE(sk->sk_err, err);
	/* Pairs with the read barrier in smcr_sock_poll() */
	smp_wmb();
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	WRITE_ONCE(sk->sk_state, TCP_CLOSE);
	sk->sk_state_change(sk);
	sk_error_report(sk);
}

/* Handshakes run in parallel, so children get ready in any order. Keep those
 * that are ready in the order in which TCP accepted them, which is the order of
 * their numbers.
 */
static void accept_insert(struct smcr_sock *listener, struct smcr_sock *child)
{
	struct list_head *after = &listener->accept_q;
	struct smcr_sock *pos;

	lockdep_assert_held(&listener->accept_lock);
	list_for_each_entry_reverse(pos, &listener->accept_q, accept_node) {
		if ((s32)(child->id - pos->id) > 0) {
			after = &pos->accept_node;
			break;
		}
	}
	list_add(&child->accept_node, after);
}

/**
 * smcr_sock_accept_ready() - queue a child for accept()
 * @listener: outer listener, counted by the caller
 * @child: child in mode RDMA or FALLBACK; the queue takes over the reference
 *	of its creation
 *
 * Context: process; the child's lock may be held, the listener's too.
 * Return: false if the listener no longer listens. The child is not queued
 * then, and the caller drops it without holding its lock.
 */
bool smcr_sock_accept_ready(struct sock *listener, struct sock *child)
{
	struct smcr_sock *smcr = smcr_sk(listener);
	bool listening;

	state_established(child);
	spin_lock_bh(&smcr->accept_lock);
	listening = listener->sk_state == TCP_LISTEN;
	if (listening) {
		accept_insert(smcr, smcr_sk(child));
		WRITE_ONCE(smcr->accept_len, smcr->accept_len + 1);
		sk_acceptq_added(listener);
	}
	spin_unlock_bh(&smcr->accept_lock);
	if (listening)
		listener->sk_data_ready(listener);
	return listening;
}

static void register_family(void)
{
	int err = sock_register(&smcr_family);

	family_taken = err;
	if (err)
		pr_warn("address family %d is in use (is smc.ko loaded?): IPPROTO_SMCR (%d) works, AF_SMCR is not available\n",
			AF_SMCR, IPPROTO_SMCR);
}

/**
 * smcr_sock_register() - register the protocols and the address family
 *
 * It is not an error if address family 43 is in use already.
 *
 * Context: process, last step of the module's init.
 * Return: 0 or -errno.
 */
int smcr_sock_register(void)
{
	unsigned long limit = max(nr_free_buffer_pages() / 16, 128UL);
	int err;

	smcr_mem[0] = limit / 4 * 3;
	smcr_mem[1] = limit;
	smcr_mem[2] = smcr_mem[0] * 2;
	err = percpu_counter_init(&smcr_sockets_allocated, 0, GFP_KERNEL);
	if (err)
		return err;
	err = proto_register(&smcr_prot, 1);
	if (err)
		goto out_counter;
	err = register_inet6();
	if (err)
		goto out_proto;
	inet_register_protosw(&smcr_protosw);
	register_family();
	return 0;
out_proto:
	proto_unregister(&smcr_prot);
out_counter:
	percpu_counter_destroy(&smcr_sockets_allocated);
	return err;
}

/**
 * smcr_sock_unregister() - let programs make no new sockets
 *
 * No socket is left: each pins the module.
 *
 * Context: process, module exit, first. smcr_sock_exit() follows when groups
 * are gone and RCU callbacks have run.
 */
void smcr_sock_unregister(void)
{
	if (!family_taken)
		sock_unregister(PF_SMCR);
	inet_unregister_protosw(&smcr_protosw);
	unregister_inet6();
}

/**
 * smcr_sock_exit() - unregister struct proto and free its counters
 *
 * Context: process, module exit, last.
 */
void smcr_sock_exit(void)
{
	unregister_proto6();
	proto_unregister(&smcr_prot);
	percpu_counter_destroy(&smcr_sockets_allocated);
}
