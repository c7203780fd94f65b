/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of the peer's stream.
 */
#ifndef _SMCR_CONN_EOF_H
#define _SMCR_CONN_EOF_H

#include <linux/types.h>

#include "lgr_links.h"

struct smcr_conn;
struct smcr_link;

/* Steps of a held D or C, see conn_eof.c */
enum smcr_conn_eof_step {
	SMCR_CONN_EOF_NONE,	/* nothing is held, or the peer is blocked */
	SMCR_CONN_EOF_PROBED,	/* R and a TEST LINK were sent */
	SMCR_CONN_EOF_GRACE,	/* answered; waits for the timer */
	SMCR_CONN_EOF_CLOSING,	/* C was sent; waits for DELETE RKEY */
};

/**
 * struct smcr_conn_eof - a held D or C of the peer
 * @step: what it waits for
 * @test: the TEST LINK
 * @early: bytes came after a D or C
 * @cut: the last bytes came after our early C, with B: the peer had more
 * @freed: the peer has freed its end of the connection
 * @unproven: nothing has proved in time that the peer writes no more, so a late
 *	write may still land in the element; set before @final of struct
 *	smcr_conn_rx, and then also read without the lock
 */
struct smcr_conn_eof {
	enum smcr_conn_eof_step	step;
	struct smcr_link_test	test;
	bool			early;
	bool			cut;
	bool			freed;
	bool			unproven;
};

void smcr_conn_eof_init(struct smcr_conn *conn);
void smcr_conn_eof_raise(struct smcr_conn *conn, u16 raised);
void smcr_conn_eof_held(struct smcr_conn *conn, u16 before, bool more);
void smcr_conn_eof_read(struct smcr_conn *conn);
void smcr_conn_eof_settle(struct smcr_conn *conn);
bool __must_check smcr_conn_eof_freed(struct smcr_conn *conn, bool by_tcp);

/* Events from the link group layer */
void smcr_conn_eof_tested(struct smcr_conn *conn, const struct smcr_link *link);

#endif /* _SMCR_CONN_EOF_H */
