/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A connection's view of the TCP connection below it.
 */
#ifndef _SMCR_CONN_TCP_H
#define _SMCR_CONN_TCP_H

#include <linux/types.h>

#include "lgr_links.h"
#include "tcp_watch.h"

struct smcr_conn;

/**
 * struct smcr_conn_tcp - what a connection knows of the TCP connection below it
 * @watch: see tcp_watch.c
 * @test: the last TEST LINK that @watch asked for; its @age is that of the link
 *	over which the peer was asked last in any way
 * @since: jiffies when the handshake was done
 * @asked: jiffies just before the last probe; at first, @since
 * @seq: sequence number of the peer's last message when its end of the
 *	connection was asked last
 * @bytes: sum of the peer's positions then
 * @until: jiffies at which the time for its answer is over
 * @err: errno for the program if the connection ends with TCP
 * @told: silence was logged
 * @early: are bytes unanswered?
 * @due: jiffies at which the timer runs if none are
 *
 * All under smcr_conn.lock; @watch is also read without it, as a hint.
 */
struct smcr_conn_tcp {
	enum smcr_tcp_watch	watch;
	struct smcr_link_test	test;
	unsigned long		since;
	unsigned long		asked;
	u16			seq;
	u64			bytes;
	unsigned long		until;
	int			err;
	bool			told;
	struct smcr_tcp_early	early;
	unsigned long		due;
};

void smcr_conn_tcp_init(struct smcr_conn *conn);
void smcr_conn_tcp_start(struct smcr_conn *conn);
void smcr_conn_tcp_wrote(struct smcr_conn *conn);
bool __must_check smcr_conn_tcp_tick(struct smcr_conn *conn,
				     unsigned long heard);
void smcr_conn_tcp_failed(struct smcr_conn *conn, int err);
bool smcr_conn_tcp_ending(const struct smcr_conn *conn);

/* Events from the link group layer */
void smcr_conn_tcp_tested(struct smcr_conn *conn, const struct smcr_link *link);

#endif /* _SMCR_CONN_TCP_H */
