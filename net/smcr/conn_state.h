/* SPDX-License-Identifier: GPL-2.0 */
/*
 * States of a connection (RFC 7609, 4.8.1 and 4.8.2); conn_state.c has the
 * figures and the table.
 */
#ifndef _SMCR_CONN_STATE_H
#define _SMCR_CONN_STATE_H

#include <linux/types.h>
#include <uapi/linux/smcr_netlink.h>

#include "genl_names.h"

/* Number of states */
#define SMCR_CONN_STATES	(SMCR_CONN_MAX + 1)

/*
 * Events, and their names in traces:
 *
 * ESTABLISHED	the handshake is done, its last LLC step included
 * APP_SHUTDOWN	shutdown(SHUT_WR) or shutdown(SHUT_RDWR)
 * APP_CLOSE	close() without unread bytes; with unread bytes the caller
 *		raises LOCAL_ABORT instead (3A)
 * FLUSH_DONE	all accepted bytes are written after a shutdown
 * FLUSH_CLOSE	all accepted bytes are written after a close
 * PEER_DONE	D arrived
 * PEER_CLOSED	C arrived, and all accepted bytes are written
 * PEER_CLOSED_UNSENT
 *		C arrived, and some accepted bytes are not written (4A)
 * PEER_ABORT	A arrived
 * LOCAL_ABORT	this end resets the connection: TCP RST, unread bytes at
 *		close, linger 0, a protocol violation of the peer, a limit
 * ABORT_SENT	the CDC message with our A was posted
 * TIMEOUT	the timer that SMCR_CONN_START_TIMER started expired
 * LINK_LOST	no link is left to send or receive on
 * PEER_GONE	the peer sent C, its application has read every byte that we
 *		wrote, and now its link, its TCP connection or its element went
 *		away
 */
#define SMCR_CONN_EVENT_NAMES(X)					\
	X(SMCR_CONN_EV_ESTABLISHED, "established")			\
	X(SMCR_CONN_EV_APP_SHUTDOWN, "app-shutdown")			\
	X(SMCR_CONN_EV_APP_CLOSE, "app-close")				\
	X(SMCR_CONN_EV_FLUSH_DONE, "flush-done")			\
	X(SMCR_CONN_EV_FLUSH_CLOSE, "flush-close")			\
	X(SMCR_CONN_EV_PEER_DONE, "peer-done")				\
	X(SMCR_CONN_EV_PEER_CLOSED, "peer-closed")			\
	X(SMCR_CONN_EV_PEER_CLOSED_UNSENT, "peer-closed-unsent")	\
	X(SMCR_CONN_EV_PEER_ABORT, "peer-abort")			\
	X(SMCR_CONN_EV_LOCAL_ABORT, "local-abort")			\
	X(SMCR_CONN_EV_ABORT_SENT, "abort-sent")			\
	X(SMCR_CONN_EV_TIMEOUT, "timeout")				\
	X(SMCR_CONN_EV_LINK_LOST, "link-lost")				\
	X(SMCR_CONN_EV_PEER_GONE, "peer-gone")

enum smcr_conn_event {
	SMCR_CONN_EVENT_NAMES(SMCR_ENUM_VALUE)
	SMCR_CONN_EV_MAX
};

/**
 * enum smcr_conn_action - what the caller does, in the order of the bits
 * @SMCR_CONN_STOP_WRITES: post no RDMA write from now on
 * @SMCR_CONN_EOF: wake readers; they see the end of the stream after the bytes
 *	in the element
 * @SMCR_CONN_RESET: wake readers and writers with an errno; drop unsent
 *	bytes, and unread bytes unless they are final (D or C came after them)
 *	or conn_end.c keeps them
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

#endif /* _SMCR_CONN_STATE_H */
