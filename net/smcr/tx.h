/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sending: copies user bytes to send space and posts them as RDMA writes and
 * CDC messages.
 */
#ifndef _SMCR_TX_H
#define _SMCR_TX_H

#include <linux/types.h>

struct msghdr;
struct smcr_conn;
struct sock;

void smcr_tx_init(struct smcr_conn *conn);
int __must_check smcr_tx_sendmsg(struct sock *sk, struct msghdr *msg,
				 size_t len);
void smcr_tx_push(struct smcr_conn *conn);
void smcr_tx_push_locked(struct smcr_conn *conn);
void smcr_tx_reclaim(struct smcr_conn *conn, u64 pos);
void smcr_tx_drained(struct smcr_conn *conn);
void smcr_tx_purge(struct smcr_conn *conn);
void smcr_tx_uncork(struct sock *sk);
u32 smcr_tx_space(const struct smcr_conn *conn);
bool smcr_tx_writeable(const struct smcr_conn *conn);
u32 smcr_tx_unacked(struct smcr_conn *conn);
u32 smcr_tx_unsent(const struct smcr_conn *conn);

#endif /* _SMCR_TX_H */
