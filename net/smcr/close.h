/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket's side of the end of a connection (RFC 7609 4.8).
 */
#ifndef _SMCR_CLOSE_H
#define _SMCR_CLOSE_H

struct sock;
struct work_struct;

void smcr_close_work(struct work_struct *work);
int smcr_close_shutdown(struct sock *sk, int how);
void smcr_close_release(struct sock *sk, long timeout);
void smcr_close_tcp_event(struct sock *sk);
void smcr_close_tcp_data_event(struct sock *sk);

#endif /* _SMCR_CLOSE_H */
