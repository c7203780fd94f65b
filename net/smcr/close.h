/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connection termination (RFC 7609 4.8).
 */
#ifndef _SMCR_CLOSE_H
#define _SMCR_CLOSE_H

#include <linux/types.h>
#include <uapi/linux/smcr.h>

#include "conn_state.h"

struct smcr_conn;
struct sock;

int smcr_close_shutdown(struct sock *sk, int how);
void smcr_close_release(struct sock *sk, long timeout);
void smcr_close_tcp_event(struct sock *sk);
void smcr_close_tcp_data_event(struct sock *sk);
/* Events from the connection and link group layers */
void smcr_close_queue(struct smcr_conn *conn);
void smcr_close_init(struct smcr_conn *conn);
void smcr_close_event(struct smcr_conn *conn, enum smcr_conn_event event);
void smcr_close_flushed(struct smcr_conn *conn);
void smcr_close_reset(struct smcr_conn *conn, enum smcr_reset_reason reason,
		      int err);
void smcr_close_reset_locked(struct smcr_conn *conn,
			     enum smcr_reset_reason reason, int err);

#endif /* _SMCR_CLOSE_H */
