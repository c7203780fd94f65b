/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket that the application holds (the outer socket) and the TCP socket
 * below it (the inner socket).
 */
#ifndef _SMCR_SOCK_H
#define _SMCR_SOCK_H

#include <linux/ipv6.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <net/inet_sock.h>
#include <net/sock.h>

#include "inner.h"
#include "smcr.h"

struct smcr_conn;
struct smcr_hs;

/*
 * What the outer socket is at the moment. The mode changes under the outer
 * sock lock. FALLBACK is final for the life of the socket, so a reader that
 * sees it without the lock may use the inner socket at once.
 *
 *   INIT --listen()--> LISTEN
 *    |
 *    +--connect()/accepted--> HANDSHAKE --> RDMA --> (closed)
 *    |                            |
 *    +--asked for TCP features----+-------> FALLBACK
 *
 * connect(AF_UNSPEC) and a failed connect() return the socket to INIT from
 * every mode but FALLBACK.
 */
enum smcr_sock_mode {
	SMCR_MODE_INIT,
	SMCR_MODE_LISTEN,
	SMCR_MODE_HANDSHAKE,
	SMCR_MODE_RDMA,
	SMCR_MODE_FALLBACK,
};

/*
 * Bits of smcr_sock.deferred: work items that found the sock lock taken. See
 * smcr_sock_own().
 */
enum smcr_sock_deferred {
	SMCR_SOCK_D_HS,		/* the handshake's work item */
	SMCR_SOCK_D_LISTEN,	/* the listener's */
	SMCR_SOCK_D_CLOSE,	/* the connection's */
};

/* What may stand at the beginning of the stream of a connection in mode
 * FALLBACK, before the program's bytes. See fallback.c.
 */
enum smcr_sock_head {
	SMCR_SOCK_HEAD_NONE,
	SMCR_SOCK_HEAD_DECLINE,		/* crosses ours: it is removed */
	SMCR_SOCK_HEAD_PROPOSAL,	/* is too late: TCP is reset */
	SMCR_SOCK_HEAD_PREFIX,		/* likewise, if nothing was read yet */
};

/**
 * struct smcr_sock - the outer socket
 * @inet: generic socket; must be first. Its sk_state is what TCP's would be
 * @id: number of the socket; children are numbered in the order in which TCP
 *	accepted them
 * @mode: see above; written under the sock lock, read with READ_ONCE()
 * @inner: TCP socket, created with the outer one; unchanged until
 *	smcr_inner_release() sets it to NULL. An application's call may use it
 *	without the lock, because its file keeps the socket from being released
 * @conn: the RDMA connection, with a reference; set in mode RDMA, written
 *	under the sock lock, read without it under RCU
 * @hs: the handshake in flight, with a reference; written under the sock lock,
 *	read without it under RCU
 * @fallback: why the socket is plain TCP; SMCR_FALLBACK_NONE until it is
 * @peer_diagnosis: diagnosis of the Decline that caused the fallback, or 0
 * @head: what the program must not read; under the inner sock lock or slock
 * @crossing_id: the peer's ID in a Decline that crosses ours, constant while
 *	@head expects one
 * @head_seq: where the stream begins in which @head expects a Proposal
 * @fallback_asked: the reason to fall back with, set before connect() or
 *	listen() by an option that only TCP can serve; under the sock lock
 * @cork: TCP_CORK is set; written under the sock lock
 * @nodelay: TCP_NODELAY is set; written under the sock lock
 * @defer: TCP_DEFER_ACCEPT in jiffies, or 0; written under the sock lock
 * @rcvbuf_set: the program set SO_RCVBUF, which sizes the RMB element then
 * @sndbuf_set: the program set SO_SNDBUF, which sizes the send space then
 * @port_held: TCP keeps its port although no program has bound it, see
 *	inner_idle.c; under the inner sock lock or slock
 * @deferred: bits of enum smcr_sock_deferred, under the slock: work items to
 *	queue when the sock lock is released
 * @n_refused: a listener's SYNs that got no handshake because of its limit, and
 *	whose child has not come yet
 * @accept_lock: protects @accept_q, @accept_len, @n_pending and @listen_hs of a
 *	listener, and @accept_node of its children; sk_state leaves TCP_LISTEN
 *	under it and the sock lock. Any context, a leaf
 * @accept_q: children that are ready for accept(), each with the reference
 *	of its creation
 * @accept_node: a child's entry in its listener's @accept_q
 * @accept_len: entries of @accept_q; also read without the lock
 * @n_pending: a listener's children in a handshake; also read without the lock
 * @listen_hs: a listener's handshakes in flight, under @accept_lock
 * @listen_work: accepts TCP children; owns a reference while queued
 * @in_tcp: threads in a TCP call that may wait, in mode FALLBACK
 * @orig: TCP's own callbacks of the inner socket, see inner.c
 */
struct smcr_sock {
	struct inet_sock	inet;
	u32			id;
	enum smcr_sock_mode	mode;
	struct socket		*inner;
	struct smcr_conn	*conn;
	struct smcr_hs		*hs;
	enum smcr_fallback_reason fallback;
	u32			peer_diagnosis;
	enum smcr_sock_head	head;
	u8			crossing_id[SMCR_PEER_ID_LEN];
	u32			head_seq;
	enum smcr_fallback_reason fallback_asked;
	bool			cork;
	bool			nodelay;
	unsigned long		defer;
	bool			rcvbuf_set;
	bool			sndbuf_set;
	bool			port_held;
	unsigned long		deferred;

	atomic_t		n_refused;
	spinlock_t		accept_lock;	/* covers the next five */
	struct list_head	accept_q;
	struct list_head	accept_node;
	u32			accept_len;
	u32			n_pending;
	struct list_head	listen_hs;
	struct delayed_work	listen_work;

	atomic_t		in_tcp;
	struct smcr_inner_orig orig;
};

/**
 * struct smcr6_sock - the outer socket of IPPROTO_SMCR over AF_INET6
 * @smcr: must be first
 * @np: IPv6 data; inet6_create() finds it through proto.ipv6_pinfo_offset
 */
struct smcr6_sock {
	struct smcr_sock	smcr;
	struct ipv6_pinfo	np;
};

static inline struct smcr_sock *smcr_sk(const struct sock *sk)
{
	return (struct smcr_sock *)sk;
}

static inline enum smcr_sock_mode smcr_sock_mode(const struct sock *sk)
{
	return READ_ONCE(smcr_sk(sk)->mode);
}

static inline bool smcr_sock_is_fallback(const struct sock *sk)
{
	return smcr_sock_mode(sk) == SMCR_MODE_FALLBACK;
}

/**
 * smcr_sock_owned() - assert that the caller owns the outer sock lock
 * @sk: outer socket. A child that accept() has not returned yet has no struct
 *	socket and is not checked: without a handshake it needs no lock
 *
 * Context: process.
 */
static inline void smcr_sock_owned(const struct sock *sk)
{
	if (sk->sk_socket)
		sock_owned_by_me(sk);
}

/* sock.c */
int __must_check smcr_sock_register(void);
void smcr_sock_unregister(void);
void smcr_sock_exit(void);
struct sock * __must_check
smcr_sock_alloc_child(struct sock *parent, struct socket *inner);
void smcr_sock_drop_child(struct sock *child);
bool __must_check smcr_sock_own(struct sock *sk, enum smcr_sock_deferred work);
void smcr_sock_mode_set(struct sock *sk, enum smcr_sock_mode mode);
void smcr_sock_connected(struct sock *sk, int err);
bool __must_check smcr_sock_accept_ready(struct sock *listener,
					 struct sock *child);

/* sock_ops.c */
extern const struct proto_ops smcr_sock_ops;
extern const struct proto_ops smcr_sock_inet_ops;
extern const struct proto_ops smcr_sock_inet6_ops;
void smcr_sock_end(struct sock *sk, long timeout);
void smcr_sock_listener_gone(struct sock *sk);

/* sock_io.c */
int smcr_sock_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int smcr_sock_recvmsg(struct socket *sock, struct msghdr *msg, size_t len,
		      int flags);
ssize_t smcr_sock_splice_read(struct socket *sock, loff_t *ppos,
			      struct pipe_inode_info *pipe, size_t len,
			      unsigned int flags);
void smcr_sock_splice_eof(struct socket *sock);
__poll_t smcr_sock_poll(struct file *file, struct socket *sock,
			struct poll_table_struct *wait);
int smcr_sock_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg);
int smcr_sock_prot_ioctl(struct sock *sk, int cmd, int *val);
int smcr_sock_compat_ioctl(struct socket *sock, unsigned int cmd,
			   unsigned long arg);
int smcr_sock_mmap(struct file *file, struct socket *sock,
		   struct vm_area_struct *vma);
int smcr_sock_gettstamp(struct socket *sock, void __user *stamp,
			bool timeval, bool time32);
int smcr_sock_set_rcvlowat(struct sock *sk, int val);

/* sockopt.c */
int smcr_sockopt_set(struct socket *sock, int level, int optname,
		     sockptr_t optval, unsigned int optlen);
int smcr_sockopt_get(struct socket *sock, int level, int optname,
		     char __user *optval, int __user *optlen);

#endif /* _SMCR_SOCK_H */
