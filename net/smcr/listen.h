/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rendezvous, server side (RFC 7609 3.5).
 */
#ifndef _SMCR_LISTEN_H
#define _SMCR_LISTEN_H

struct sock;
struct smcr_hs;
struct work_struct;

int __must_check smcr_listen_start(struct sock *sk, int backlog);
void smcr_listen_stop(struct sock *sk);
void smcr_listen_leave(struct smcr_hs *hs);
void smcr_listen_event(struct sock *sk);
void smcr_listen_work(struct work_struct *work);
extern bool (*const smcr_listen_steps[])(struct smcr_hs *hs);

#endif /* _SMCR_LISTEN_H */
