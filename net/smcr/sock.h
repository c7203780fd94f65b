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
 * sock lock; FALLBACK is final for the life of the socket (law 4), so a reader
 * that sees it without the lock may go straight to the inner socket.
 *
 *   INIT --listen()--> LISTEN
 *    |
 *    +--connect()/accepted--> HANDSHAKE --> RDMA --> (closed)
 *    |                            |
 *    +--asked for TCP features----+-------> FALLBACK
 *
 * connect(AF_UNSPEC), and a connect() that fails, lead back to INIT from
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
 * Bits of smcr_sock.deferred: works that found the socket in use. See
 * smcr_sock_own().
 */
enum smcr_sock_deferred {
	SMCR_SOCK_D_HS,		/* the handshake's work */
	SMCR_SOCK_D_LISTEN,	/* the listener's */
	SMCR_SOCK_D_CLOSE,	/* the connection's */
};

/**
 * struct smcr_sock - the outer socket
 * @inet: generic socket; must be first. sk_state mirrors what TCP's would be
 * @id: number for traces; children have them in the order of TCP's accept
 * @mode: see above; written under the sock lock, read with READ_ONCE()
 * @inner: TCP socket, created with the outer one; the same until
 *	smcr_inner_release(), NULL then. An application's call may use it
 *	without the lock, as its file keeps the socket from being released
 * @conn: the RDMA connection, with a reference; set in mode RDMA, under the
 *	sock lock
 * @hs: the handshake in flight, with a reference; under the sock lock
 * @fallback: why this is plain TCP, SMCR_FALLBACK_NONE before
 * @peer_diagnosis: of the Decline that caused it, or 0
 * @crossing: our Decline may cross one of the peer's, which is not for the
 *	program; under the inner sock lock
 * @crossing_id: the peer's ID, constant while @crossing
 * @fallback_asked: set by an option or flag that only TCP can serve, before
 *	connect() or listen(): the reason to fall back with
 * @cork: TCP_CORK is set
 * @nodelay: TCP_NODELAY is set
 * @rcvbuf_set: the program set SO_RCVBUF, so it sizes the RMBE (law 16)
 * @sndbuf_set: the program set SO_SNDBUF, so it sizes the send space
 * @deferred: enum smcr_sock_deferred, under the slock: works to queue when the
 *	sock lock is released
 * @n_refused: a listener's SYNs that got no handshake at its limit, and whose
 *	child has not come yet
 * @accept_lock: protects @accept_q, @accept_len, @n_pending and @listen_hs of
 *	a listener; any context, a leaf
 * @accept_q: children that are ready for accept(), each with the reference
 *	of its creation
 * @accept_node: a child's place in its listener's @accept_q
 * @accept_len: entries of @accept_q; read without the lock by who only counts
 * @n_pending: a listener's children in handshake
 * @listen_hs: a listener's handshakes in flight, under @accept_lock
 * @listen_work: accepts TCP children; owns a reference while queued
 * @in_tcp: threads in a call of TCP's that may wait, in mode FALLBACK
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
	bool			crossing;
	u8			crossing_id[SMCR_PEER_ID_LEN];
	enum smcr_fallback_reason fallback_asked;
	bool			cork;
	bool			nodelay;
	bool			rcvbuf_set;
	bool			sndbuf_set;
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
	struct smcr_inner_callbacks orig;
};

/**
 * struct smcr6_sock - the outer socket of IPPROTO_SMCR over AF_INET6
 * @smcr: must be first
 * @np: inet6_create() finds it through proto.ipv6_pinfo_offset
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

/* sock.c */
int smcr_sock_register(void);
void smcr_sock_unregister(void);
void smcr_sock_exit(void);
struct sock *smcr_sock_alloc_child(struct sock *parent, struct socket *inner);
void smcr_sock_drop_child(struct sock *child);
bool smcr_sock_own(struct sock *sk, enum smcr_sock_deferred work);
void smcr_sock_mode_set(struct sock *sk, enum smcr_sock_mode mode);
void smcr_sock_connected(struct sock *sk, int err);
bool smcr_sock_accept_ready(struct sock *listener, struct sock *child);
void smcr_sock_wake_error(struct sock *sk, int err);

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
