/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receiving: copies bytes from the RMB element to the reader and sends window
 * updates.
 */
#ifndef _SMCR_RX_H
#define _SMCR_RX_H

#include <linux/types.h>

#include "cursor.h"

struct msghdr;
struct pipe_inode_info;
struct smcr_conn;
struct smcr_link;
struct sock;

int __must_check smcr_rx_recvmsg(struct sock *sk, struct msghdr *msg,
				 size_t len, int flags);
ssize_t __must_check smcr_rx_splice(struct sock *sk,
				    struct pipe_inode_info *pipe, size_t len,
				    bool nonblock);
int __must_check smcr_rx_recv_urgent(struct sock *sk, struct msghdr *msg,
				     size_t len, int flags);
bool __must_check smcr_rx_arrive(struct smcr_conn *conn, u8 slot, u64 pos);
void smcr_rx_arrive_parked(struct smcr_conn *conn, u8 slot,
			   struct smcr_cursor prod);
void smcr_rx_link_seen(struct smcr_conn *conn, struct smcr_link *link);
bool smcr_rx_urgent_recv(struct smcr_conn *conn, u16 flags, u64 prod);
u32 smcr_rx_avail(const struct smcr_conn *conn);
u32 smcr_rx_queued(struct smcr_conn *conn, bool in_line);
u32 smcr_rx_left(const struct smcr_conn *conn);
bool smcr_rx_readable(struct smcr_conn *conn, u32 target, bool in_line);
bool smcr_rx_at_mark(struct smcr_conn *conn);
void smcr_rx_announced(struct smcr_conn *conn);
u64 smcr_rx_consumed(const struct smcr_conn *conn);

#endif /* _SMCR_RX_H */
