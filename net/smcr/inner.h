/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inner TCP socket: creation, callbacks, wait queue, release.
 */
#ifndef _SMCR_INNER_H
#define _SMCR_INNER_H

#include <linux/lockdep_types.h>
#include <linux/types.h>

struct file;
struct smcr_syn;
struct sock;
struct socket;

/* How the TCP connection ended, if it did */
enum smcr_inner_end {
	SMCR_INNER_OPEN,
	SMCR_INNER_FIN,		/* a FIN came, or TCP was closed */
	SMCR_INNER_FAILED,	/* an error, or the socket is gone */
};

/**
 * struct smcr_inner_orig - what an inner socket has as a TCP socket
 * @state_change: sk_state_change
 * @data_ready: sk_data_ready
 * @write_space: sk_write_space
 * @error_report: sk_error_report
 * @slock: lock class of its spinlock
 * @lock: that of its sock lock
 */
struct smcr_inner_orig {
	void	(*state_change)(struct sock *sk);
	void	(*data_ready)(struct sock *sk);
	void	(*write_space)(struct sock *sk);
	void	(*error_report)(struct sock *sk);

	struct lockdep_map	slock;
	struct lockdep_map	lock;
};

int __must_check smcr_inner_create(struct sock *sk, int family, int kern);
void smcr_inner_inherit(struct socket *inner, const struct sock *parent);
void smcr_inner_adopt(struct sock *sk, struct socket *inner);
void smcr_inner_graft(struct sock *sk, struct socket *parent);
void smcr_inner_ungraft(struct sock *sk);
void smcr_inner_lend(struct sock *sk, struct file *file);
void smcr_inner_hook(struct sock *sk);
void smcr_inner_reserve(struct sock *child);
void smcr_inner_strip(struct sock *inner,
		      const struct smcr_inner_orig *tcp);
struct sock *smcr_inner_outer(const struct sock *inner);
struct sock * __must_check smcr_inner_get(const struct sock *sk);
void smcr_inner_unhook(struct sock *sk);
void smcr_inner_reset(struct sock *inner);
void smcr_inner_abort(struct sock *sk);
int __must_check smcr_inner_disconnect(struct sock *sk);
void smcr_inner_take_error(struct sock *sk);
void smcr_inner_take_soft_error(struct sock *sk);
void smcr_inner_show(struct sock *sk);
void smcr_inner_enter(struct sock *sk);
void smcr_inner_leave(struct sock *sk);
void smcr_inner_release(struct sock *sk);
void smcr_inner_syn(struct sock *inner);
void smcr_inner_ack_later(struct socket *inner);
void smcr_inner_ack_now(struct socket *inner);
bool smcr_inner_ignored(struct sock *sk, unsigned long span);
bool smcr_inner_has_data(struct sock *sk);
enum smcr_inner_end smcr_inner_end(const struct sock *sk);
int smcr_inner_errno(const struct sock *sk);
unsigned int smcr_inner_user_timeout(const struct sock *sk);

/* inner_ops.c */
int __must_check smcr_inner_listen(struct sock *sk, int backlog);
void smcr_inner_watch_syn(struct sock *sk);
void smcr_inner_get_syn(struct smcr_syn *syn);
void smcr_inner_ops_end(struct sock *inner);

/* inner_idle.c */
bool __must_check smcr_inner_heard(const struct sock *sk, unsigned long *heard);
bool smcr_inner_probe(const struct sock *sk);
void smcr_inner_hold_port(struct sock *sk);
void smcr_inner_reserve_port(struct sock *sk);
void smcr_inner_free_port(struct sock *sk);
void smcr_inner_closed(struct sock *sk, struct sock *inner);
void smcr_inner_shutdown(struct sock *sk);

#endif /* _SMCR_INNER_H */
