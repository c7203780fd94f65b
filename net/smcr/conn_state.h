/* SPDX-License-Identifier: GPL-2.0 */
/*
 * States of a connection (RFC 7609, 4.8.1 and 4.8.2); conn_state.c has the
 * figures and the table.
 */
#ifndef _SMCR_CONN_STATE_H
#define _SMCR_CONN_STATE_H

#include <linux/types.h>

/**
 * enum smcr_conn_state - states of Figures 22 and 23
 * @SMCR_CONN_INIT: handshake in progress; the figures have no name for it
 * @SMCR_CONN_ACTIVE: bytes flow both ways
 * @SMCR_CONN_APP_CLOSE_WAIT1: peer sent D or C, we sent neither
 * @SMCR_CONN_APP_CLOSE_WAIT2: peer sent D or C, then we sent D
 * @SMCR_CONN_APP_FIN_CLOSE_WAIT: we sent D, then peer sent C; our C is due
 * @SMCR_CONN_PEER_CLOSE_WAIT1: we sent D or C, peer sent neither
 * @SMCR_CONN_PEER_CLOSE_WAIT2: we sent D or C, then peer sent D
 * @SMCR_CONN_PEER_FIN_CLOSE_WAIT: peer sent D, then we sent C; its C is due
 * @SMCR_CONN_PEER_ABORT_WAIT: we sent A; the peer's A is due
 * @SMCR_CONN_PROCESS_ABORT: our A waits to be posted; nothing else is awaited
 * @SMCR_CONN_CLOSED: final state
 * @SMCR_CONN_STATE_MAX: number of values
 */
enum smcr_conn_state {
	SMCR_CONN_INIT,
	SMCR_CONN_ACTIVE,
	SMCR_CONN_APP_CLOSE_WAIT1,
	SMCR_CONN_APP_CLOSE_WAIT2,
	SMCR_CONN_APP_FIN_CLOSE_WAIT,
	SMCR_CONN_PEER_CLOSE_WAIT1,
	SMCR_CONN_PEER_CLOSE_WAIT2,
	SMCR_CONN_PEER_FIN_CLOSE_WAIT,
	SMCR_CONN_PEER_ABORT_WAIT,
	SMCR_CONN_PROCESS_ABORT,
	SMCR_CONN_CLOSED,
	SMCR_CONN_STATE_MAX
};

/**
 * enum smcr_conn_event - what can happen to a connection
 * @SMCR_CONN_EV_ESTABLISHED: the handshake is done, its last LLC step included
 * @SMCR_CONN_EV_APP_SHUTDOWN: shutdown(SHUT_WR) or shutdown(SHUT_RDWR)
 * @SMCR_CONN_EV_APP_CLOSE: close() without unread bytes; with unread bytes the
 *	caller raises %SMCR_CONN_EV_LOCAL_ABORT instead (3A)
 * @SMCR_CONN_EV_FLUSH_DONE: all accepted bytes are written after a shutdown
 * @SMCR_CONN_EV_FLUSH_CLOSE: all accepted bytes are written after a close
 * @SMCR_CONN_EV_PEER_DONE: D arrived
 * @SMCR_CONN_EV_PEER_CLOSED: C arrived, and all accepted bytes are written
 * @SMCR_CONN_EV_PEER_CLOSED_UNSENT: C arrived, and some accepted bytes are not
 *	written (4A)
 * @SMCR_CONN_EV_PEER_ABORT: A arrived
 * @SMCR_CONN_EV_LOCAL_ABORT: this end resets the connection: TCP RST, unread
 *	bytes at close, linger 0, a protocol violation of the peer, a limit
 * @SMCR_CONN_EV_ABORT_SENT: the CDC message with our A was posted
 * @SMCR_CONN_EV_TIMEOUT: the timer that %SMCR_CONN_START_TIMER started expired
 * @SMCR_CONN_EV_LINK_LOST: no link is left to send or receive on
 * @SMCR_CONN_EV_PEER_GONE: the peer sent C, its application has read every
 *	byte that we wrote, and now its link, its TCP connection or its element
 *	went away
 * @SMCR_CONN_EV_MAX: number of values
 */
enum smcr_conn_event {
	SMCR_CONN_EV_ESTABLISHED,
	SMCR_CONN_EV_APP_SHUTDOWN,
	SMCR_CONN_EV_APP_CLOSE,
	SMCR_CONN_EV_FLUSH_DONE,
	SMCR_CONN_EV_FLUSH_CLOSE,
	SMCR_CONN_EV_PEER_DONE,
	SMCR_CONN_EV_PEER_CLOSED,
	SMCR_CONN_EV_PEER_CLOSED_UNSENT,
	SMCR_CONN_EV_PEER_ABORT,
	SMCR_CONN_EV_LOCAL_ABORT,
	SMCR_CONN_EV_ABORT_SENT,
	SMCR_CONN_EV_TIMEOUT,
	SMCR_CONN_EV_LINK_LOST,
	SMCR_CONN_EV_PEER_GONE,
	SMCR_CONN_EV_MAX
};

/**
 * enum smcr_conn_action - what the caller does, in the order of the bits
 * @SMCR_CONN_STOP_WRITES: post no RDMA write from now on
 * @SMCR_CONN_EOF: wake readers; they see the end of the stream after the bytes
 *	in the element
 * @SMCR_CONN_RESET: wake readers and writers with ECONNRESET; drop unsent
 *	bytes, and unread bytes unless they are final (D or C came after them)
 * @SMCR_CONN_FLUSH: write all accepted bytes, then raise
 *	%SMCR_CONN_EV_FLUSH_DONE or %SMCR_CONN_EV_FLUSH_CLOSE
 * @SMCR_CONN_SEND_DONE: send D
 * @SMCR_CONN_SEND_CLOSE: send C
 * @SMCR_CONN_SEND_ABORT: send A, then raise %SMCR_CONN_EV_ABORT_SENT
 * @SMCR_CONN_START_TIMER: start or restart the close timer
 * @SMCR_CONN_STOP_TIMER: stop the close timer
 * @SMCR_CONN_CLOSE_TCP: close the TCP connection with FIN
 * @SMCR_CONN_RESET_TCP: close the TCP connection with RST
 * @SMCR_CONN_FREE: return the element; it may be used again once it is zeroed
 * @SMCR_CONN_QUARANTINE: return the element, and hold it back before reuse,
 *	since the peer may still write to it (4.4.2)
 *
 * Each transition into %SMCR_CONN_CLOSED orders exactly one of the last two.
 */
enum smcr_conn_action {
	SMCR_CONN_STOP_WRITES	= 1 << 0,
	SMCR_CONN_EOF		= 1 << 1,
	SMCR_CONN_RESET		= 1 << 2,
	SMCR_CONN_FLUSH		= 1 << 3,
	SMCR_CONN_SEND_DONE	= 1 << 4,
	SMCR_CONN_SEND_CLOSE	= 1 << 5,
	SMCR_CONN_SEND_ABORT	= 1 << 6,
	SMCR_CONN_START_TIMER	= 1 << 7,
	SMCR_CONN_STOP_TIMER	= 1 << 8,
	SMCR_CONN_CLOSE_TCP	= 1 << 9,
	SMCR_CONN_RESET_TCP	= 1 << 10,
	SMCR_CONN_FREE		= 1 << 11,
	SMCR_CONN_QUARANTINE	= 1 << 12,
};

/**
 * struct smcr_conn_fsm - state of a connection
 * @state: the RFC's state
 * @we_closed: our C was ordered; only a TCP RST may follow
 * @peer_closed: the peer's C arrived; the peer will not write or send again
 *
 * All zero at the start. Protected by the connection's lock; only
 * smcr_conn_state_step() changes it. @state and @peer_closed are also read
 * without the lock.
 */
struct smcr_conn_fsm {
	enum smcr_conn_state state;
	bool we_closed;
	bool peer_closed;
};

int smcr_conn_state_step(struct smcr_conn_fsm *fsm, enum smcr_conn_event event,
			 u32 *actions);
bool smcr_conn_state_can_send(const struct smcr_conn_fsm *fsm);
bool smcr_conn_state_can_recv(const struct smcr_conn_fsm *fsm);
const char *smcr_conn_state_name(enum smcr_conn_state state);
const char *smcr_conn_event_name(enum smcr_conn_event event);

#endif /* _SMCR_CONN_STATE_H */
