/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inner TCP socket: creation, callbacks, wait queue, release.
 */
#ifndef _SMCR_INNER_H
#define _SMCR_INNER_H

#include <linux/types.h>

struct sock;
struct socket;

/* How the TCP connection ended, if it did */
enum smcr_inner_end {
	SMCR_INNER_OPEN,
	SMCR_INNER_FIN,		/* a FIN came */
	SMCR_INNER_FAILED,	/* an error, or the socket is gone */
};

int smcr_inner_create(struct sock *sk, int family, int kern);
void smcr_inner_adopt(struct sock *sk, struct socket *inner);
void smcr_inner_graft(struct sock *sk, struct socket *parent);
void smcr_inner_ungraft(struct sock *sk);
void smcr_inner_hook(struct sock *sk);
void smcr_inner_unhook(struct sock *sk);
void smcr_inner_abort(struct sock *sk);
int smcr_inner_disconnect(struct sock *sk);
void smcr_inner_take_error(struct sock *sk);
void smcr_inner_release(struct sock *sk);
void smcr_inner_ack_later(struct socket *inner);
void smcr_inner_ack_now(struct socket *inner);
bool smcr_inner_smc_ok(const struct sock *sk, bool client);
bool smcr_inner_has_data(struct sock *sk);
enum smcr_inner_end smcr_inner_end(const struct sock *sk);

#endif /* _SMCR_INNER_H */
