/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rendezvous, client side (RFC 7609 3.5).
 */
#ifndef _SMCR_CONNECT_H
#define _SMCR_CONNECT_H

struct sock;
struct sockaddr;
struct smcr_hs;

int __must_check smcr_connect_start(struct sock *sk, struct sockaddr *addr,
				    int addr_len);
extern bool (*const smcr_connect_steps[])(struct smcr_hs *hs);

#endif /* _SMCR_CONNECT_H */
