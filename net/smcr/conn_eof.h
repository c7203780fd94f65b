/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of the peer's stream.
 */
#ifndef _SMCR_CONN_EOF_H
#define _SMCR_CONN_EOF_H

#include <linux/types.h>

struct smcr_conn;
struct smcr_link;

void smcr_conn_eof_init(struct smcr_conn *conn);
void smcr_conn_eof_raise(struct smcr_conn *conn, u16 raised);
void smcr_conn_eof_held(struct smcr_conn *conn, u16 before, bool more);
void smcr_conn_eof_read(struct smcr_conn *conn);
void smcr_conn_eof_settle(struct smcr_conn *conn);
bool __must_check smcr_conn_eof_freed(struct smcr_conn *conn, bool by_tcp);

/* Events from the link group layer */
void smcr_conn_eof_tested(struct smcr_conn *conn, const struct smcr_link *link);

#endif /* _SMCR_CONN_EOF_H */
