/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of the TCP connection below a connection over RDMA;
 * tcp_watch.c has the figure and the table.
 */
#ifndef _SMCR_TCP_WATCH_H
#define _SMCR_TCP_WATCH_H

#include <linux/types.h>

/**
 * enum smcr_tcp_watch - what is known of TCP
 * @SMCR_TCP_HEARD: nothing is wrong
 * @SMCR_TCP_ASKED: one probe is unanswered
 * @SMCR_TCP_REPEATED: two probes are
 * @SMCR_TCP_TESTING: more are, and a TEST LINK is under way
 * @SMCR_TCP_SILENT: TCP is silent, but the link has answered
 * @SMCR_TCP_DOUBTED: TCP was reset or has given up; a TEST LINK is under way
 * @SMCR_TCP_PROVING: the link has answered, and the peer's end of the
 *	connection is asked
 * @SMCR_TCP_ENDING: TCP was reset, and so is the connection in a moment
 * @SMCR_TCP_GONE: the connection lives without TCP
 * @SMCR_TCP_CHECKING: the same, and the peer's end is asked once more
 * @SMCR_TCP_WATCHES: number of states
 */
enum smcr_tcp_watch {
	SMCR_TCP_HEARD,
	SMCR_TCP_ASKED,
	SMCR_TCP_REPEATED,
	SMCR_TCP_TESTING,
	SMCR_TCP_SILENT,
	SMCR_TCP_DOUBTED,
	SMCR_TCP_PROVING,
	SMCR_TCP_ENDING,
	SMCR_TCP_GONE,
	SMCR_TCP_CHECKING,
	SMCR_TCP_WATCHES
};

/**
 * enum smcr_tcp_event - what happened
 * @SMCR_TCP_EV_HEARD: the timer ran, and a segment came after the last probe
 * @SMCR_TCP_EV_IDLE: the timer ran, and none has come within the interval, or
 *	the time of %SMCR_TCP_REST is over
 * @SMCR_TCP_EV_TESTED: the TEST LINK of %SMCR_TCP_TEST was answered
 * @SMCR_TCP_EV_ANSWERED: the peer's end of the connection has answered
 *	%SMCR_TCP_ASK, or it cannot be asked
 * @SMCR_TCP_EV_FAILED: TCP was reset or has given up, and the peer decides
 * @SMCR_TCP_EV_RESET: the same, and the connection is to end (4.8.2)
 * @SMCR_TCP_EV_LIMIT: the time of %SMCR_TCP_LIMIT, %SMCR_TCP_ASK or
 *	%SMCR_TCP_GRACE is over, or the peer has closed meanwhile
 * @SMCR_TCP_EV_MOVED: the time is over, and an end has moved to another link
 * @SMCR_TCP_EVENTS: number of events
 */
enum smcr_tcp_event {
	SMCR_TCP_EV_HEARD,
	SMCR_TCP_EV_IDLE,
	SMCR_TCP_EV_TESTED,
	SMCR_TCP_EV_ANSWERED,
	SMCR_TCP_EV_FAILED,
	SMCR_TCP_EV_RESET,
	SMCR_TCP_EV_LIMIT,
	SMCR_TCP_EV_MOVED,
	SMCR_TCP_EVENTS
};

/**
 * enum smcr_tcp_action - what the caller does
 * @SMCR_TCP_PROBE: send a probe over TCP
 * @SMCR_TCP_TEST: send a TEST LINK over the connection's link
 * @SMCR_TCP_SAY_SILENT: count and log that TCP is silent
 * @SMCR_TCP_LIMIT: start the timer for the answer to that TEST LINK
 * @SMCR_TCP_ASK: request the peer's consumer position, and start the timer for
 *	its answer
 * @SMCR_TCP_GRACE: start the timer for what a RST may have overtaken
 * @SMCR_TCP_SAY_GONE: count and log that the connection lives without TCP
 * @SMCR_TCP_REST: start the timer for the next question
 * @SMCR_TCP_SAY_MUTE: count that the peer's end did not answer
 * @SMCR_TCP_END: reset the connection (4.8.2)
 */
enum smcr_tcp_action {
	SMCR_TCP_PROBE		= 1 << 0,
	SMCR_TCP_TEST		= 1 << 1,
	SMCR_TCP_SAY_SILENT	= 1 << 2,
	SMCR_TCP_LIMIT		= 1 << 3,
	SMCR_TCP_ASK		= 1 << 4,
	SMCR_TCP_GRACE		= 1 << 5,
	SMCR_TCP_SAY_GONE	= 1 << 6,
	SMCR_TCP_REST		= 1 << 7,
	SMCR_TCP_SAY_MUTE	= 1 << 8,
	SMCR_TCP_END		= 1 << 9,
};

/**
 * struct smcr_tcp_early - has the peer answered what was written?
 * @on: bytes were written, and the timer looks for an answer earlier than after
 *	the interval
 * @seq: sequence number of the peer's last message when @on was set
 * @sent: position up to which bytes had been written at the last probe
 * @wait: TCP is probed if it was idle for this long
 */
struct smcr_tcp_early {
	bool		on;
	u16		seq;
	u64		sent;
	unsigned long	wait;
};

u32 smcr_tcp_watch_step(enum smcr_tcp_watch *watch, enum smcr_tcp_event event);
u32 smcr_tcp_watch_tick(enum smcr_tcp_watch *watch, unsigned long heard,
			unsigned long asked, unsigned long interval);
void smcr_tcp_early_begin(struct smcr_tcp_early *early, u16 seq,
			  unsigned long wait);
bool smcr_tcp_early_answered(struct smcr_tcp_early *early, u16 seq);
unsigned long smcr_tcp_early_limit(struct smcr_tcp_early *early, u64 sent,
				   bool known, unsigned long interval);
void smcr_tcp_early_probed(struct smcr_tcp_early *early, u64 sent,
			   unsigned long most);

#endif /* _SMCR_TCP_WATCH_H */
