/* SPDX-License-Identifier: GPL-2.0 */
/* A connection moves from a link that is lost to another one */
#ifndef _SMCR_CONN_MOVE_H
#define _SMCR_CONN_MOVE_H

#include <linux/types.h>

struct smcr_conn;
struct smcr_lgr;
struct smcr_link;

void smcr_conn_move_init(struct smcr_conn *conn);
void smcr_conn_move_arm(struct smcr_conn *conn, u64 when);
void smcr_conn_move_mapped(struct smcr_conn *conn, int err);
bool smcr_conn_move_at_rest(const struct smcr_conn *conn);
void smcr_conn_move_confirmed(struct smcr_conn *conn);
struct smcr_link * __must_check smcr_conn_move_first(struct smcr_lgr *lgr);
void smcr_conn_move_to(struct smcr_conn *conn, struct smcr_link *link);
bool smcr_conn_move_waits(const struct smcr_conn *conn);
bool smcr_conn_move_can_start(const struct smcr_conn *conn);
void smcr_conn_move_started(struct smcr_conn *conn);

#endif /* _SMCR_CONN_MOVE_H */
