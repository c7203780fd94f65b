/* SPDX-License-Identifier: GPL-2.0 */
/*
 * States of a connection (RFC 7609, 4.8.1 and 4.8.2). The figures and the
 * table are in conn_state.c.
 */
#ifndef _SMCR_CONN_STATE_H
#define _SMCR_CONN_STATE_H

#include <linux/types.h>

/**
 * enum smcr_conn_state - states of Figures 22 and 23
 * @SMCR_CONN_INIT: rendezvous in progress; the figures have no name for it
 * @SMCR_CONN_ACTIVE: bytes flow both ways
 * @SMCR_CONN_APP_CLOSE_WAIT1: peer sent D or C, we neither
 * @SMCR_CONN_APP_CLOSE_WAIT2: peer sent D or C, then we D
 * @SMCR_CONN_APP_FIN_CLOSE_WAIT: we sent D, peer C; our C is due
 * @SMCR_CONN_PEER_CLOSE_WAIT1: we sent D or C, peer neither
 * @SMCR_CONN_PEER_CLOSE_WAIT2: we sent D or C, peer D
 * @SMCR_CONN_PEER_FIN_CLOSE_WAIT: peer sent D first, we C; its C is due
 * @SMCR_CONN_PEER_ABORT_WAIT: we sent A; the peer's is due
 * @SMCR_CONN_PROCESS_ABORT: our A is on its way, nothing more is awaited
 * @SMCR_CONN_CLOSED: final
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
 * @SMCR_CONN_EV_ESTABLISHED: rendezvous done, last LLC step included
 * @SMCR_CONN_EV_APP_SHUTDOWN: shutdown(SHUT_WR)
 * @SMCR_CONN_EV_APP_CLOSE: close() or shutdown(SHUT_RDWR), and nothing
 *	unread; with unread bytes raise %SMCR_CONN_EV_LOCAL_ABORT (3A)
 * @SMCR_CONN_EV_FLUSH_DONE: all accepted bytes are written; shutdown was the
 *	most that the application asked for
 * @SMCR_CONN_EV_FLUSH_CLOSE: all accepted bytes are written; it asked to close
 * @SMCR_CONN_EV_PEER_DONE: D came
 * @SMCR_CONN_EV_PEER_CLOSED: C came, and no accepted byte is unwritten
 * @SMCR_CONN_EV_PEER_CLOSED_UNSENT: C came, and some are (4A)
 * @SMCR_CONN_EV_PEER_ABORT: A came
 * @SMCR_CONN_EV_LOCAL_ABORT: TCP RST, unread bytes at close, linger 0, a dead
 *	process, a protocol violation of the peer
 * @SMCR_CONN_EV_ABORT_SENT: the CDC message with our A is out
 * @SMCR_CONN_EV_TIMEOUT: the timer that %SMCR_CONN_START_TIMER started ran out
 * @SMCR_CONN_EV_LINK_LOST: no link is left to send or receive on
 * @SMCR_CONN_EV_PEER_GONE: after the peer's C, and with every byte that we
 *	wrote read by its application, its link, its TCP connection or its
 *	element went away
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
 * @SMCR_CONN_STOP_WRITES: no RDMA write from now on
 * @SMCR_CONN_EOF: wake readers; after what is buffered they see the end
 * @SMCR_CONN_RESET: wake everybody with ECONNRESET; drop what is unsent, and
 *	what is unread of a stream that the peer had not finished
 * @SMCR_CONN_FLUSH: write what is accepted, then raise %SMCR_CONN_EV_FLUSH_DONE
 *	or %SMCR_CONN_EV_FLUSH_CLOSE
 * @SMCR_CONN_SEND_DONE: send D
 * @SMCR_CONN_SEND_CLOSE: send C
 * @SMCR_CONN_SEND_ABORT: send A, then raise %SMCR_CONN_EV_ABORT_SENT
 * @SMCR_CONN_START_TIMER: start, or restart, the one close timer
 * @SMCR_CONN_STOP_TIMER: stop it
 * @SMCR_CONN_CLOSE_TCP: close the TCP connection with FIN
 * @SMCR_CONN_RESET_TCP: close it with RST
 * @SMCR_CONN_FREE: the element may be used again once it is zeroed
 * @SMCR_CONN_QUARANTINE: the peer may still write it: hold it back (4.4.2)
 *
 * Each way into %SMCR_CONN_CLOSED has exactly one of the last two.
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
 * struct smcr_conn_fsm - where a connection stands
 * @state: the RFC's state
 * @we_closed: our C was ordered; nothing but RST may follow
 * @peer_closed: the peer's C came; it will not write or send again
 *
 * All zero at the start. Guarded by the connection's lock; only
 * smcr_conn_state_step() changes it.
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
