/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of a connection (RFC 7609 4.8).
 */
#ifndef _SMCR_CONN_END_H
#define _SMCR_CONN_END_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <uapi/linux/smcr.h>

#include "conn_state.h"

struct smcr_conn;

/* Actions of enum smcr_conn_action that end TCP, which needs the outer sock
 * lock
 */
#define SMCR_CONN_END_TCP_ACTIONS	(SMCR_CONN_CLOSE_TCP | \
					 SMCR_CONN_RESET_TCP)

void smcr_conn_end_init(struct smcr_conn *conn, work_func_t work);
void smcr_conn_end_queue(struct smcr_conn *conn);
void smcr_conn_end_arm(struct smcr_conn *conn, unsigned int msecs);
void smcr_conn_end_wait(struct smcr_conn *conn);
void smcr_conn_end_disarm(struct smcr_conn *conn);
void smcr_conn_end_event(struct smcr_conn *conn, enum smcr_conn_event event);
void smcr_conn_end_flushed(struct smcr_conn *conn);
void smcr_conn_end_confirmed(struct smcr_conn *conn);
void smcr_conn_end_reset(struct smcr_conn *conn, enum smcr_reset_reason reason,
			 int err);
void smcr_conn_end_reset_locked(struct smcr_conn *conn,
				enum smcr_reset_reason reason, int err);
void smcr_conn_end_lost_locked(struct smcr_conn *conn,
			       enum smcr_reset_reason reason, int err);
int __must_check smcr_conn_end_abort(struct smcr_conn *conn);
bool smcr_conn_end_over(const struct smcr_conn *conn);
void smcr_conn_end_timeout(struct smcr_conn *conn);
u32 smcr_conn_end_act(struct smcr_conn *conn, bool await_fin);
bool smcr_conn_end_done(struct smcr_conn *conn);

/* Events from the link group layer */
void smcr_conn_end_lost(struct smcr_conn *conn, enum smcr_reset_reason reason,
			int err);

#endif /* _SMCR_CONN_END_H */
