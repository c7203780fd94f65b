// SPDX-License-Identifier: GPL-2.0
/*
 * The inner TCP socket.
 *
 * While the program has the outer socket, the inner one uses its wait queue, so
 * a thread that sleeps or polls there is woken by either. The inner socket's
 * callbacks notify the layer that waits for TCP at the moment:
 *
 *   mode        event                            goes to
 *   LISTEN      data_ready, end of the listener  smcr_listen_event()
 *   HANDSHAKE   any                              smcr_hs_event()
 *   RDMA        FIN, RST, error that ends TCP    smcr_close_tcp_event()
 *               data                             smcr_close_tcp_data_event()
 *   FALLBACK    error                            moves sk_err to the outer
 *                                                socket, unless a thread is
 *                                                in TCP
 *               data, if a CLC message may come  smcr_fallback_data_event(),
 *                                                then to the program unless
 *                                                smcr_fallback_holds() it
 *               any, until accept() (DEFER)      smcr_hs_event()
 *
 * sk_user_data points to the outer socket. It is tagged, so that a TCP child,
 * which is a copy of the listener, does not inherit the pointer; inner_ops.c
 * gives the child TCP's callbacks back and leaves the tag without a pointer in
 * it. The tag keeps the field for the outer socket: whoever else wants it is
 * refused. That is a BPF program which puts new connections into a map of
 * sockets; its close() of TCP would not find its own data in the field, and
 * not close. Until the child is adopted its events go to TCP, so the function
 * that adopts it looks at its state and queue afterwards.
 */
#include <linux/in.h>
#include <linux/lockdep.h>
#include <linux/memcontrol.h>
#include <linux/net.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "close.h"
#include "fallback.h"
#include "hs.h"
#include "inner.h"
#include "listen.h"
#include "sock.h"

enum inner_event {
	INNER_STATE,
	INNER_DATA,
	INNER_SPACE,
	INNER_ERROR,
};

static struct sock *inner_sk(const struct sock *sk)
{
	return smcr_sk(sk)->inner->sk;
}

/* Only a pointer that this file has set has exactly this tag. */
static struct sock *outer_of(const struct sock *inner)
{
	const rwlock_t *lock = &inner->sk_callback_lock;
	uintptr_t data;

	data = (uintptr_t)rcu_dereference_check(__sk_user_data(inner),
						lockdep_is_held(lock));
	if ((data & ~SK_USER_DATA_PTRMASK) != SK_USER_DATA_NOCOPY)
		return NULL;
	return (struct sock *)(data & SK_USER_DATA_PTRMASK);
}

static void move_error(struct sock *sk, struct sock *inner)
{
	int err = sock_error(inner);

	if (err)
		WRITE_ONCE(sk->sk_err, -err);
}

static void return_error(struct sock *sk, struct sock *inner)
{
	int err = sock_error(sk);

	if (err)
		WRITE_ONCE(inner->sk_err, -err);
}

/* After each move, look again whether a thread has entered or left TCP. */
static void pass_error(struct sock *sk, struct sock *inner)
{
	/* TCP's listener was ended ("ss -K"), and poll() hides the errors of
	 * one that listens. TCP wakes the pollers after this.
	 */
	if (READ_ONCE(sk->sk_state) == TCP_LISTEN &&
	    READ_ONCE(inner->sk_state) != TCP_LISTEN)
		WRITE_ONCE(sk->sk_state, TCP_CLOSE);
	move_error(sk, inner);
	/* Pairs with smcr_inner_enter() */
	smp_mb();
	if (!atomic_read(&smcr_sk(sk)->in_tcp))
		return;
	return_error(sk, inner);
	/* Pairs with smcr_inner_leave() */
	smp_mb();
	if (!atomic_read(&smcr_sk(sk)->in_tcp))
		move_error(sk, inner);
}

/**
 * smcr_inner_enter() - note that a thread is about to wait in TCP
 * @sk: outer socket in mode FALLBACK
 *
 * A pending error is kept in the outer socket, where getsockopt(SO_ERROR) and
 * poll() find it. But TCP looks for it in its own socket, and some errors do
 * not end the connection (IP_RECVERR, TLS): a reader would sleep on. So while a
 * thread is in TCP an error stays there, and smcr_inner_leave() moves what is
 * left of it to the outer socket.
 *
 * Context: process.
 */
void smcr_inner_enter(struct sock *sk)
{
	atomic_inc(&smcr_sk(sk)->in_tcp);
	/* Pairs with pass_error() */
	smp_mb__after_atomic();
	if (READ_ONCE(sk->sk_err))
		return_error(sk, inner_sk(sk));
}

/**
 * smcr_inner_leave() - note that the thread has returned from TCP
 * @sk: outer socket in mode FALLBACK
 *
 * Context: process.
 */
void smcr_inner_leave(struct sock *sk)
{
	struct sock *inner = inner_sk(sk);

	if (atomic_dec_and_test(&smcr_sk(sk)->in_tcp) &&
	    READ_ONCE(inner->sk_err))
		move_error(sk, inner);
}

/* Return true if TCP must be reset instead. */
static bool call_tcp(struct sock *sk, struct sock *inner,
		     enum inner_event event)
{
	const struct smcr_sock *smcr = smcr_sk(sk);

	switch (event) {
	case INNER_STATE:
		smcr->orig.state_change(inner);
		break;
	case INNER_DATA:
		if (smcr_fallback_data_event(sk, inner))
			return true;
		if (!smcr_fallback_holds(sk))
			smcr->orig.data_ready(inner);
		break;
	case INNER_SPACE:
		smcr->orig.write_space(inner);
		break;
	case INNER_ERROR:
		pass_error(sk, inner);
		smcr->orig.error_report(inner);
		break;
	}
	return false;
}

static bool tcp_ending(const struct sock *inner)
{
	return READ_ONCE(inner->sk_state) == TCP_CLOSE ||
	       READ_ONCE(inner->sk_shutdown) & RCV_SHUTDOWN;
}

/* Does TCP have bytes that nobody has read? tcp_inq() counts none from an
 * urgent byte on. Without the inner sock lock or slock a FIN may count as a
 * byte.
 */
static bool has_data(const struct sock *inner)
{
	const struct tcp_sock *tp = tcp_sk(inner);

	return tp->rcv_nxt - tp->copied_seq >
	       (sock_flag(inner, SOCK_DONE) ? 1 : 0);
}

/* An error ends TCP if it closes the socket, which TCP does before it reports
 * the error.
 */
static int tcp_error(const struct sock *inner)
{
	return READ_ONCE(inner->sk_state) == TCP_CLOSE ?
	       READ_ONCE(inner->sk_err) : 0;
}

/* With IP_RECVERR, TCP reports an ICMP message as a pending error, and lives
 * on. It says nothing about RDMA, so the program does not get it while TCP
 * carries none of its bytes.
 */
static void drop_soft_error(struct sock *inner)
{
	if (READ_ONCE(inner->sk_state) != TCP_CLOSE)
		sock_error(inner);
}

/* Return true if TCP must be reset. */
static bool tell(struct sock *sk, struct sock *inner, enum inner_event event)
{
	bool reset;

	switch (smcr_sock_mode(sk)) {
	case SMCR_MODE_INIT:
		break;
	case SMCR_MODE_LISTEN:
		if (READ_ONCE(inner->sk_state) != TCP_LISTEN ||
		    event == INNER_DATA)
			smcr_listen_event(sk);
		break;
	case SMCR_MODE_HANDSHAKE:
		if (event == INNER_ERROR)
			drop_soft_error(inner);
		/* Without the option no Proposal follows to carry the ACK */
		if (!smcr_hs_ack_waits(sk, inner))
			inet_csk_exit_pingpong_mode(inner);
		smcr_hs_event(sk);
		/* An ICMP message that does not end the attempt */
		if (event == INNER_ERROR && !READ_ONCE(inner->sk_err))
			smcr_sk(sk)->orig.error_report(inner);
		break;
	case SMCR_MODE_RDMA:
		if (event == INNER_ERROR)
			drop_soft_error(inner);
		if (event == INNER_DATA && has_data(inner))
			smcr_close_tcp_data_event(sk);
		if (!tcp_ending(inner))
			break;
		smcr_inner_closed(sk, inner);
		smcr_close_tcp_event(sk);
		break;
	case SMCR_MODE_FALLBACK:
		reset = call_tcp(sk, inner, event);
		/* Only step DEFER has a handshake in this mode */
		smcr_hs_event(sk);
		return reset;
	}
	return false;
}

/* The lock keeps the outer socket from being freed: smcr_inner_release() takes
 * it for writing to clear the pointer to the outer socket.
 */
static void inner_event(struct sock *inner, enum inner_event event)
{
	bool reset = false;
	struct sock *sk;

	read_lock_bh(&inner->sk_callback_lock);
	sk = outer_of(inner);
	if (sk)
		reset = tell(sk, inner, event);
	read_unlock_bh(&inner->sk_callback_lock);
	/* Not under the lock, which the event of the error takes again */
	if (reset)
		smcr_inner_reset(inner);
}

static void inner_state_change(struct sock *inner)
{
	inner_event(inner, INNER_STATE);
}

static void inner_data_ready(struct sock *inner)
{
	inner_event(inner, INNER_DATA);
}

static void inner_write_space(struct sock *inner)
{
	inner_event(inner, INNER_SPACE);
}

static void inner_error_report(struct sock *inner)
{
	inner_event(inner, INNER_ERROR);
}

/**
 * smcr_inner_syn() - TCP is about to send a SYN, or is connected
 * @inner: TCP socket with the operations of inner_ops.c
 *
 * Context: any, inner sock lock or slock held.
 */
void smcr_inner_syn(struct sock *inner)
{
	struct sock *sk;

	read_lock_bh(&inner->sk_callback_lock);
	sk = outer_of(inner);
	if (sk && smcr_sock_mode(sk) == SMCR_MODE_HANDSHAKE)
		smcr_hs_syn(sk, inner);
	read_unlock_bh(&inner->sk_callback_lock);
}

/**
 * smcr_inner_outer() - find the outer socket of an inner one
 * @inner: any TCP socket
 *
 * Context: any, in an RCU section. The outer socket of a listener is freed
 * after a grace period (see smcr_inner_listen()); other outer sockets are not.
 * Return: the outer socket, or NULL if @inner has none.
 */
struct sock *smcr_inner_outer(const struct sock *inner)
{
	return outer_of(inner);
}

/* ss(8) and BPF programs name a connection by the cookie of TCP's socket, and
 * getsockopt(SO_COOKIE) reads the outer one.
 */
static void share_cookie(struct sock *sk, struct sock *inner)
{
	u32 half[2];

	sock_diag_save_cookie(inner, half);
	atomic64_set(&sk->sk_cookie, (u64)half[1] << 32 | half[0]);
}

static void attach(struct sock *sk, struct socket *inner)
{
	write_lock_bh(&inner->sk->sk_callback_lock);
	/* For kill_fasync(), which uses the outer socket's list */
	sock_set_flag(inner->sk, SOCK_FASYNC);
	__rcu_assign_sk_user_data_with_flags(inner->sk, sk,
					     SK_USER_DATA_NOCOPY);
	write_unlock_bh(&inner->sk->sk_callback_lock);
	share_cookie(sk, inner->sk);
	WRITE_ONCE(smcr_sk(sk)->inner, inner);
}

#ifdef CONFIG_DEBUG_LOCK_ALLOC
/* Lock classes of inner sockets. Their locks are taken inside the outer ones,
 * and have to differ from those of other TCP sockets. Lockdep forgets them with
 * the module, and TCP may use a socket longer, to send a FIN again, so
 * smcr_inner_release() gives back TCP's own classes.
 */
static struct lock_class_key inner_slock_key;
static struct lock_class_key inner_lock_key;

static void keys_save(struct smcr_sock *smcr, const struct sock *inner)
{
	smcr->orig.slock = inner->sk_lock.slock.dep_map;
	smcr->orig.lock = inner->sk_lock.dep_map;
}

/* Softirqs may hold or wait for the lock right now, so the lock itself is not
 * initialized again; only its lockdep class changes. Nor does the socket hold
 * the module, as it would after sock_lock_init_class_and_name().
 */
static void rekey(struct sock *inner, struct lock_class_key *slock_key,
		  const char *slock_name, struct lock_class_key *lock_key,
		  const char *lock_name)
{
	local_bh_disable();
	bh_lock_sock(inner);
	lockdep_set_class_and_name(&inner->sk_lock.slock, slock_key,
				   slock_name);
	lockdep_init_map(&inner->sk_lock.dep_map, lock_name, lock_key, 0);
	bh_unlock_sock(inner);
	local_bh_enable();
}

static void rekey_ours(struct sock *inner)
{
	rekey(inner, &inner_slock_key, "slock-smcr-inner", &inner_lock_key,
	      "sk_lock-smcr-inner");
}

static void rekey_tcps(const struct smcr_sock *smcr, struct sock *inner)
{
	rekey(inner, smcr->orig.slock.key, smcr->orig.slock.name,
	      smcr->orig.lock.key, smcr->orig.lock.name);
}
#else
static void keys_save(struct smcr_sock *smcr, const struct sock *inner) { }
static void rekey_ours(struct sock *inner) { }
static void rekey_tcps(const struct smcr_sock *smcr, struct sock *inner) { }
#endif

/**
 * smcr_inner_create() - make the TCP socket of a new outer one
 * @sk: outer socket, not visible to anyone yet
 * @family: AF_INET or AF_INET6
 * @kern: the outer socket belongs to the kernel
 *
 * The TCP socket is made in the caller's context, so that owner, security
 * label, cgroup and namespace are those of a TCP socket that the program makes.
 *
 * Context: process.
 * Return: 0 or -errno of socket().
 */
int smcr_inner_create(struct sock *sk, int family, int kern)
{
	struct smcr_sock *smcr = smcr_sk(sk);
	struct socket *inner;
	int err;

	err = __sock_create(sock_net(sk), family, SOCK_STREAM, IPPROTO_TCP,
			    &inner, kern);
	if (err)
		return err;
	if (kern)
		sk_net_refcnt_upgrade(inner->sk);
	keys_save(smcr, inner->sk);
	rekey_ours(inner->sk);
	smcr->orig.state_change = inner->sk->sk_state_change;
	smcr->orig.data_ready = inner->sk->sk_data_ready;
	smcr->orig.write_space = inner->sk->sk_write_space;
	smcr->orig.error_report = inner->sk->sk_error_report;
	attach(sk, inner);
	return 0;
}

#ifdef CONFIG_MEMCG
/* TCP has charged what the socket holds to the protocol, but to no cgroup.
 * Charge the pages again, to both, then uncharge them from the protocol alone.
 * While softirqs are off, the kernel charges as it does for bytes that arrive:
 * past the cgroup's limit, rather than wait until it has room.
 */
static bool charge_held(struct sock *inner, struct mem_cgroup *memcg)
{
	int pages;
	bool good;

	sk_mem_reclaim(inner);
	pages = sk_mem_pages(inner->sk_forward_alloc +
			     atomic_read(&inner->sk_rmem_alloc));
	inner->sk_memcg = memcg;
	local_bh_disable();
	good = !pages || __sk_mem_schedule(inner, pages << PAGE_SHIFT,
					   SK_MEM_RECV);
	local_bh_enable();
	inner->sk_memcg = NULL;
	sk_mem_reclaim(inner);
	return good;
}

/* Charge the socket to a cgroup, as TCP does for a program that accepts. If TCP
 * has no room for the pages a second time, the socket is not charged.
 */
static void charge_to(struct sock *inner, struct mem_cgroup *memcg)
{
	if (!mem_cgroup_sockets_enabled || !memcg || inner->sk_memcg ||
	    !charge_held(inner, memcg))
		return;
	css_get(&memcg->css);
	inner->sk_memcg = memcg;
}
#endif

/**
 * smcr_inner_inherit() - give an accepted TCP socket to the listener's user
 * @inner: TCP socket straight from TCP's accept, perhaps in a work item
 * @parent: outer listener
 *
 * Until a program accepts the socket, its user and memory cgroup are the
 * listener's. TCP has copied the other cgroups from the inner listener.
 *
 * Context: process, no lock of @inner held.
 */
void smcr_inner_inherit(struct socket *inner, const struct sock *parent)
{
	struct sock *sk = inner->sk;

	SOCK_INODE(inner)->i_uid = parent->sk_uid;
	lock_sock(sk);
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_uid = parent->sk_uid;
	write_unlock_bh(&sk->sk_callback_lock);
#ifdef CONFIG_MEMCG
	charge_to(sk, parent->sk_memcg);
#endif
	release_sock(sk);
}

/**
 * smcr_inner_adopt() - give an accepted TCP socket to an outer child
 * @sk: outer socket without an inner one; orig holds TCP's own callbacks, as
 *	saved when the listener was made
 * @inner: established TCP socket, straight from TCP's accept
 *
 * Earlier events were lost, so the caller looks at state and queue afterwards.
 *
 * Context: process, no lock of either socket held.
 */
void smcr_inner_adopt(struct sock *sk, struct socket *inner)
{
	rekey_ours(inner->sk);
	lock_sock(inner->sk);
	attach(sk, inner);
	release_sock(inner->sk);
	smcr_inner_hook(sk);
}

/**
 * smcr_inner_graft() - let the inner socket wake waiters of the outer one
 * @sk: outer socket
 * @parent: the socket that the application holds
 *
 * The inner sock keeps its own struct socket, because TCP Fast Open, TLS and
 * IPV6_ADDRFORM take sk->sk_socket for a TCP socket, and call or change its
 * operations. The inode number, by which ss(8) finds a socket's process, is
 * copied instead; the inner inode is in no table. An accepted socket has its
 * file already, one from socket() gets it in smcr_inner_lend().
 *
 * Context: process.
 */
void smcr_inner_graft(struct sock *sk, struct socket *parent)
{
	struct socket *own = smcr_sk(sk)->inner;

	SOCK_INODE(own)->i_ino = SOCK_INODE(parent)->i_ino;
	SOCK_INODE(own)->i_uid = SOCK_INODE(parent)->i_uid;
	write_lock_bh(&own->sk->sk_callback_lock);
	rcu_assign_pointer(own->sk->sk_wq, &parent->wq);
	WRITE_ONCE(own->file, parent->file);
	own->sk->sk_uid = SOCK_INODE(parent)->i_uid;
	write_unlock_bh(&own->sk->sk_callback_lock);
}

/**
 * smcr_inner_lend() - let TCP see the program's file
 * @sk: outer socket, in a call of its program
 * @file: the outer socket's file, or NULL
 *
 * TCP reads O_NONBLOCK (splice()) and the process to signal (SIGURG) from it,
 * netfilter its owner. No reference is taken, because the file holds the
 * socket: smcr_inner_ungraft() clears the pointer before the file is freed.
 *
 * Context: process.
 */
void smcr_inner_lend(struct sock *sk, struct file *file)
{
	struct socket *own = smcr_sk(sk)->inner;

	if (READ_ONCE(own->file) == file)
		return;
	write_lock_bh(&own->sk->sk_callback_lock);
	WRITE_ONCE(own->file, file);
	write_unlock_bh(&own->sk->sk_callback_lock);
}

/**
 * smcr_inner_ungraft() - undo smcr_inner_graft() and smcr_inner_lend()
 * @sk: outer socket; nothing happens if its inner one was released
 *
 * Code that looks at the file holds sk_callback_lock (netfilter), owns the
 * inner sock lock, or holds the slock of a sock lock without an owner (SIGURG,
 * and code that looks at packets that TCP sends).
 *
 * Context: process; before the outer struct socket or its file may be freed. No
 * call of the program is under way. The outer sock lock may be held.
 */
void smcr_inner_ungraft(struct sock *sk)
{
	struct socket *own = smcr_sk(sk)->inner;

	if (!own)
		return;
	lock_sock(own->sk);
	write_lock_bh(&own->sk->sk_callback_lock);
	rcu_assign_pointer(own->sk->sk_wq, &own->wq);
	WRITE_ONCE(own->file, NULL);
	write_unlock_bh(&own->sk->sk_callback_lock);
	release_sock(own->sk);
}

/**
 * smcr_inner_hook() - install the callbacks of this file
 * @sk: outer socket; harmless if they are there already
 *
 * Context: process.
 */
void smcr_inner_hook(struct sock *sk)
{
	struct sock *inner = inner_sk(sk);

	write_lock_bh(&inner->sk_callback_lock);
	inner->sk_state_change = inner_state_change;
	inner->sk_data_ready = inner_data_ready;
	inner->sk_write_space = inner_write_space;
	inner->sk_error_report = inner_error_report;
	write_unlock_bh(&inner->sk_callback_lock);
}

/**
 * smcr_inner_reserve() - keep sk_user_data of a child for its outer socket
 * @child: TCP child that is new and still locked
 *
 * Context: softirq.
 */
void smcr_inner_reserve(struct sock *child)
{
	__rcu_assign_sk_user_data_with_flags(child, NULL, SK_USER_DATA_NOCOPY);
}

/**
 * smcr_inner_strip() - replace this file's callbacks by TCP's
 * @inner: TCP socket
 * @tcp: TCP's own callbacks
 *
 * Callbacks that an upper layer protocol has installed stay.
 *
 * Context: any; sk_callback_lock held for writing, or the slock of a new child.
 */
void smcr_inner_strip(struct sock *inner,
		      const struct smcr_inner_orig *tcp)
{
	lockdep_assert(lockdep_is_held_type(&inner->sk_callback_lock, 0) ||
		       lockdep_is_held(&inner->sk_lock.slock));
	if (inner->sk_state_change == inner_state_change)
		inner->sk_state_change = tcp->state_change;
	if (inner->sk_data_ready == inner_data_ready)
		inner->sk_data_ready = tcp->data_ready;
	if (inner->sk_write_space == inner_write_space)
		inner->sk_write_space = tcp->write_space;
	if (inner->sk_error_report == inner_error_report)
		inner->sk_error_report = tcp->error_report;
}

/**
 * smcr_inner_unhook() - give TCP its callbacks back, for plain TCP
 * @sk: outer socket, about to be in mode FALLBACK, or in INIT again
 *
 * This file still gets errors, because getsockopt(SO_ERROR) looks at the outer
 * socket, and data while a CLC message may come with it.
 *
 * Context: process, outer sock lock held (or @sk a child that no program and no
 * handshake has yet).
 */
void smcr_inner_unhook(struct sock *sk)
{
	struct sock *inner = inner_sk(sk);

	smcr_sock_owned(sk);
	write_lock_bh(&inner->sk_callback_lock);
	smcr_inner_strip(inner, &smcr_sk(sk)->orig);
	inner->sk_error_report = inner_error_report;
	if (smcr_sk(sk)->head)
		inner->sk_data_ready = inner_data_ready;
	write_unlock_bh(&inner->sk_callback_lock);
}

/**
 * smcr_inner_take_error() - move a pending TCP error to the outer socket
 * @sk: outer socket; the error stays while a thread is in TCP
 *
 * Context: process.
 */
void smcr_inner_take_error(struct sock *sk)
{
	pass_error(sk, inner_sk(sk));
}

/**
 * smcr_inner_take_soft_error() - move an error that did not end connect()
 * @sk: outer socket that connects
 *
 * An ICMP message that comes while connect() holds TCP's socket, as those of
 * this host's own packet filter do, does not end the attempt. SO_ERROR tells of
 * it, and it is the error of an attempt that gets no other answer. TCP stores
 * it after it has reported it, so nobody can wait for it.
 *
 * Context: process.
 */
void smcr_inner_take_soft_error(struct sock *sk)
{
	int err = xchg(&inner_sk(sk)->sk_err_soft, 0);

	if (err)
		WRITE_ONCE(sk->sk_err_soft, err);
}

/**
 * smcr_inner_show() - copy what TCP changes by itself to the outer socket
 * @sk: outer socket, which getsockopt() reads at SOL_SOCKET; no byte has been
 *	read since it was made or disconnected
 *
 * bind() and connect() to a link-local address bind TCP's socket to a device. A
 * child has the device and the mark of its SYN. A packet leaves the numbers of
 * its CPU and of its device's queue, by which servers spread connections. A
 * disconnect ends SO_PEEK_OFF.
 *
 * Context: process.
 */
void smcr_inner_show(struct sock *sk)
{
	const struct sock *inner = inner_sk(sk);

	WRITE_ONCE(sk->sk_bound_dev_if, READ_ONCE(inner->sk_bound_dev_if));
	WRITE_ONCE(sk->sk_mark, READ_ONCE(inner->sk_mark));
	WRITE_ONCE(sk->sk_incoming_cpu, READ_ONCE(inner->sk_incoming_cpu));
#ifdef CONFIG_NET_RX_BUSY_POLL
	WRITE_ONCE(sk->sk_napi_id, READ_ONCE(inner->sk_napi_id));
#endif
	WRITE_ONCE(sk->sk_peek_off, READ_ONCE(inner->sk_peek_off));
}

static void silence(struct sock *sk, struct sock *inner)
{
	write_lock_bh(&inner->sk_callback_lock);
	smcr_inner_strip(inner, &smcr_sk(sk)->orig);
	smcr_inner_ops_end(inner);
	rcu_assign_sk_user_data(inner, NULL);
	write_unlock_bh(&inner->sk_callback_lock);
}

/**
 * smcr_inner_reset() - reset a plain TCP connection, and drop what has come
 * @inner: TCP socket
 *
 * Both programs see what a RST of the other end does. TCP lets a data_ready
 * callback do this: it does not touch the segment any more, and looks at the
 * state before it goes on.
 *
 * Context: any, inner sock lock or slock held.
 */
void smcr_inner_reset(struct sock *inner)
{
	sock_owned_by_me(inner);
	tcp_disconnect(inner, 0);
	/* A socket that TCP itself has reset cannot be used either */
	WRITE_ONCE(inner->sk_shutdown, SHUTDOWN_MASK);
	inner->sk_state_change(inner);
}

/**
 * smcr_inner_abort() - reset the TCP connection
 * @sk: outer socket; nothing happens if its inner one was released
 *
 * The peer gets a RST. The inner socket reports no event any more.
 *
 * Context: process, outer sock lock held.
 */
void smcr_inner_abort(struct sock *sk)
{
	struct socket *inner = smcr_sk(sk)->inner;

	sock_owned_by_me(sk);
	if (!inner)
		return;
	silence(sk, inner->sk);
	smcr_inner_free_port(sk);
	tcp_abort(inner->sk, ECONNABORTED);
}

/**
 * smcr_inner_disconnect() - end the TCP connection, so that a new one can start
 * @sk: outer socket in mode INIT
 *
 * Like connect(AF_UNSPEC) on TCP, but leaves no error pending.
 *
 * Context: process, outer sock lock held.
 * Return: 0 or -errno.
 */
int smcr_inner_disconnect(struct sock *sk)
{
	struct sockaddr addr = { .sa_family = AF_UNSPEC };
	struct socket *inner = smcr_sk(sk)->inner;
	int err;

	sock_owned_by_me(sk);
	smcr_inner_free_port(sk);
	err = READ_ONCE(inner->ops)->connect(inner, &addr, sizeof(addr),
					     O_NONBLOCK);
	/* A reset has detached it: see smcr_inner_abort() */
	lock_sock(inner->sk);
	attach(sk, inner);
	smcr_inner_ops_end(inner->sk);
	release_sock(inner->sk);
	/* Drop the error; the outer socket has its own */
	sock_error(inner->sk);
	return err;
}

/**
 * smcr_inner_release() - close the TCP socket
 * @sk: outer socket; nothing happens if its inner one was released
 *
 * SO_LINGER counts only in mode FALLBACK, where this function may wait for TCP,
 * so the caller holds no lock unless TCP was reset. In the other modes the
 * wait, if any, was for the RDMA connection.
 *
 * Context: process; outer sock lock held except in mode FALLBACK, or @sk not
 * visible to anyone.
 */
void smcr_inner_release(struct sock *sk)
{
	struct socket *inner = smcr_sk(sk)->inner;

	if (!inner)
		return;
	silence(sk, inner->sk);
	/* No event starts the timer of fallback.c again */
	sk_stop_timer(sk, &sk->sk_timer);
	smcr_inner_ungraft(sk);
	WRITE_ONCE(smcr_sk(sk)->inner, NULL);
	if (!smcr_sock_is_fallback(sk)) {
		lock_sock(inner->sk);
		sock_reset_flag(inner->sk, SOCK_LINGER);
		release_sock(inner->sk);
	}
	rekey_tcps(smcr_sk(sk), inner->sk);
	sock_release(inner);
}

/**
 * smcr_inner_ack_later() - acknowledge with the next bytes that are sent
 * @inner: TCP socket that is about to connect, to listen, or to send
 *
 * In a handshake each segment is answered with one that has bytes and can carry
 * the acknowledgment. The same holds for a SYN-ACK, and for what a child gets
 * before accept(). TCP finds this out by itself only after a few turns. If no
 * bytes follow, the acknowledgment is sent after TCP's delay.
 *
 * Context: process.
 */
void smcr_inner_ack_later(struct socket *inner)
{
	tcp_sock_set_quickack(inner->sk, 0);
}

/**
 * smcr_inner_ack_now() - acknowledge as TCP does at the start of a connection
 * @inner: TCP socket of a connection that is plain TCP after all
 *
 * Context: process.
 */
void smcr_inner_ack_now(struct socket *inner)
{
	tcp_sock_set_quickack(inner->sk, 1);
}

/**
 * smcr_inner_ignored() - does the peer leave unanswered what TCP has sent?
 * @sk: outer socket, to whose peer bytes were sent
 * @span: for how long, in jiffies
 *
 * Context: process, outer sock lock held.
 * Return: true if TCP is established, the peer's TCP has acknowledged all
 * bytes, the last of which were sent that long ago, and the peer has never sent
 * one.
 */
bool smcr_inner_ignored(struct sock *sk, unsigned long span)
{
	struct sock *inner = inner_sk(sk);
	const struct tcp_sock *tp = tcp_sk(inner);
	bool ignored;

	sock_owned_by_me(sk);
	lock_sock(inner);
	ignored = inner->sk_state == TCP_ESTABLISHED &&
		  tp->snd_una == tp->write_seq && !tp->bytes_received &&
		  tcp_jiffies32 - tp->lsndtime >= span;
	release_sock(inner);
	return ignored;
}

/**
 * smcr_inner_has_data() - does TCP have unread bytes?
 * @sk: outer socket
 *
 * Context: process, outer sock lock held.
 */
bool smcr_inner_has_data(struct sock *sk)
{
	struct sock *inner = inner_sk(sk);
	bool has;

	sock_owned_by_me(sk);
	lock_sock(inner);
	has = has_data(inner);
	release_sock(inner);
	return has;
}

/* Get the inner sock in an RCU section, or NULL if it was released. Struct
 * socket and the memory of a TCP sock last for an RCU grace period, so the
 * caller needs no lock.
 */
static struct sock *inner_rcu(const struct sock *sk)
{
	const struct socket *sock = READ_ONCE(smcr_sk(sk)->inner);

	return sock ? READ_ONCE(sock->sk) : NULL;
}

/**
 * smcr_inner_get() - get the TCP socket, for a timer of the outer one
 * @sk: outer socket, counted by the caller
 *
 * A sock that TCP has freed may be another connection's already. So the caller
 * locks the result, and uses it only if smcr_inner_outer() of it is @sk.
 *
 * Context: any.
 * Return: the inner sock with a reference, or NULL if it was released.
 */
struct sock *smcr_inner_get(const struct sock *sk)
{
	struct sock *inner;

	rcu_read_lock();
	inner = inner_rcu(sk);
	if (inner && !refcount_inc_not_zero(&inner->sk_refcnt))
		inner = NULL;
	rcu_read_unlock();
	return inner;
}

/**
 * smcr_inner_end() - has TCP ended, and how?
 * @sk: outer socket
 *
 * Context: any.
 * Return: enum smcr_inner_end.
 */
enum smcr_inner_end smcr_inner_end(const struct sock *sk)
{
	enum smcr_inner_end end = SMCR_INNER_FAILED;
	const struct sock *inner;

	rcu_read_lock();
	inner = inner_rcu(sk);
	if (inner && !tcp_error(inner))
		end = tcp_ending(inner) ? SMCR_INNER_FIN : SMCR_INNER_OPEN;
	rcu_read_unlock();
	return end;
}

/**
 * smcr_inner_errno() - why has TCP failed?
 * @sk: outer socket, not in mode FALLBACK
 *
 * Context: any.
 * Return: a positive errno, or 0 if TCP has not failed or is gone.
 */
int smcr_inner_errno(const struct sock *sk)
{
	const struct sock *inner;
	int err = 0;

	rcu_read_lock();
	inner = inner_rcu(sk);
	if (inner)
		err = tcp_error(inner);
	rcu_read_unlock();
	return err;
}

/**
 * smcr_inner_user_timeout() - get TCP_USER_TIMEOUT
 * @sk: outer socket whose inner one was not released
 *
 * Context: process, outer sock lock held.
 * Return: milliseconds, or 0.
 */
unsigned int smcr_inner_user_timeout(const struct sock *sk)
{
	sock_owned_by_me(sk);
	return READ_ONCE(inet_csk(inner_sk(sk))->icsk_user_timeout);
}
