// SPDX-License-Identifier: GPL-2.0
/*
 * States of a connection: one table, one transition function.
 *
 * Orderly end, RFC 7609 Figure 22. "<-D" is a flag that came, "D->" one that
 * we send once everything accepted is written; C stands for D as well.
 *
 *                          +-----------------+
 *            +------------>|     CLOSED      |<------------+
 *            |             +-----------------+             |
 *            | C->                                     <-C |
 *   +-----------------+    +-----------------+    +------------------+
 *   | AppFinCloseWait |    |     ACTIVE      |    | PeerFinCloseWait |
 *   +-----------------+    +-----------------+    +------------------+
 *            ^              | D->, C->      | <-D, <-C         ^
 *            | <-C          v               v                  | C->
 *            |     +----------------+  +---------------+       |
 *            +-----| PeerCloseWait1 |  | AppCloseWait1 |-------+
 *            |     +----------------+  +---------------+       |
 *            |              | <-D           | D->              |
 *            |              v               v                  |
 *            |     +----------------+  +---------------+       |
 *            +-----| PeerCloseWait2 |  | AppCloseWait2 |-------+
 *                  +----------------+  +---------------+
 *
 * When both C are exchanged the two outer boxes are skipped: the connection
 * is CLOSED. After close() that is the usual way (3C, 4C).
 *
 * Abnormal end, Figure 23, from any state in which our C is not out:
 *
 *         A->  +---------------+ <-A, <-C, timer
 *      +------>| PeerAbortWait |----------------+
 *      |       +---------------+                v
 *   any state                               +--------+
 *      |       +---------------+  A is out  | CLOSED |
 *      +------>| ProcessAbort  |----------->+--------+
 *         <-A  +---------------+
 *
 * Two facts beside the RFC's state decide the rest, so four states have two
 * rows: PeerCloseWait1 and 2 with and without our C, AppCloseWait1 and 2 with
 * and without the peer's C. After our C no flag may follow, A included: an
 * abort then resets TCP and holds the element back. After the peer's C no A
 * will come, so an abort does not wait for one.
 */
#include <linux/array_size.h>
#include <linux/errno.h>

#include "conn_state.h"

/* Rows of the table; _C: the C that the comment above speaks of is there */
enum row {
	INIT,
	ACTIVE,
	APP_WAIT1,
	APP_WAIT1_C,
	APP_WAIT2,
	APP_WAIT2_C,
	APP_FIN,
	PEER_WAIT1,
	PEER_WAIT1_C,
	PEER_WAIT2,
	PEER_WAIT2_C,
	PEER_FIN,
	ABORT_WAIT,
	ABORT,
	CLOSED,
	NR_ROWS
};

/**
 * struct rule - what an event does in a row
 * @kind: %GO moves, %IGNORE changes nothing, %NEVER is a caller's mistake
 * @next: state afterwards
 * @actions: bits of enum smcr_conn_action
 */
struct rule {
	enum { NEVER, IGNORE, GO } kind;
	enum smcr_conn_state next;
	u32 actions;
};

#define TO(state, acts)	{ .kind = GO, .next = SMCR_CONN_ ## state, \
			  .actions = (acts) }
#define SKIP		{ .kind = IGNORE }
#define EV(name)	[SMCR_CONN_EV_ ## name]
#define DO(name)	SMCR_CONN_ ## name

/* Everything pending is worthless and nobody writes any more */
#define BREAK		(DO(STOP_WRITES) | DO(RESET) | DO(RESET_TCP))
/* Wait for something of the peer's, but not for ever (4.8.1) */
#define OUR_C		(DO(STOP_WRITES) | DO(SEND_CLOSE) | DO(START_TIMER))
#define LAST_C		(DO(STOP_WRITES) | DO(SEND_CLOSE) | DO(STOP_TIMER) | \
			 DO(CLOSE_TCP) | DO(FREE))
#define PEER_C		(DO(STOP_TIMER) | DO(CLOSE_TCP) | DO(FREE))
#define HURRY		(DO(FLUSH) | DO(START_TIMER))

/* 1A: tell the peer and wait for its A */
#define ACTIVE_ABORT	TO(PEER_ABORT_WAIT, BREAK | DO(SEND_ABORT) | \
			   DO(START_TIMER))
/* 2A, and an abort towards a peer that is silent for good after its C */
#define PASSIVE_ABORT	TO(PROCESS_ABORT, BREAK | DO(SEND_ABORT) | \
			   DO(STOP_TIMER))
/* The end where no A may follow our C; the peer made no promise */
#define SILENT_ABORT	TO(CLOSED, BREAK | DO(STOP_TIMER) | DO(QUARANTINE))
/* The end where the peer promised not to write again */
#define CLEAN_ABORT	TO(CLOSED, BREAK | DO(STOP_TIMER) | DO(FREE))

/* Rows in which the peer has not sent C, and we have not */
#define OPEN_ABORTS						\
	EV(PEER_CLOSED_UNSENT)	= PASSIVE_ABORT,		\
	EV(PEER_ABORT)		= PASSIVE_ABORT,		\
	EV(LOCAL_ABORT)		= ACTIVE_ABORT,			\
	EV(TIMEOUT)		= ACTIVE_ABORT,			\
	EV(LINK_LOST)		= SILENT_ABORT

/* Rows in which we sent C and the peer did not */
#define WE_CLOSED_ROW						\
	EV(APP_SHUTDOWN)	= SKIP,				\
	EV(APP_CLOSE)		= SKIP,				\
	EV(PEER_CLOSED)		= TO(CLOSED, DO(EOF) | PEER_C),	\
	EV(PEER_ABORT)		= CLEAN_ABORT,			\
	EV(LOCAL_ABORT)		= SILENT_ABORT,			\
	EV(TIMEOUT)		= SILENT_ABORT,			\
	EV(LINK_LOST)		= SILENT_ABORT

/* Rows in which the peer sent C and we did not: it is silent from then on */
#define PEER_CLOSED_ROW						\
	EV(APP_CLOSE)		= TO_SAME_HURRY,		\
	EV(FLUSH_CLOSE)		= TO(CLOSED, LAST_C),		\
	EV(PEER_DONE)		= SKIP,				\
	EV(PEER_CLOSED)		= SKIP,				\
	EV(PEER_CLOSED_UNSENT)	= SKIP,				\
	EV(PEER_ABORT)		= SKIP,				\
	EV(LOCAL_ABORT)		= PASSIVE_ABORT,		\
	EV(TIMEOUT)		= PASSIVE_ABORT,		\
	EV(LINK_LOST)		= CLEAN_ABORT

/* Rows in which only one thing is awaited and all else has lost its sense */
#define FINAL_ROW						\
	EV(APP_SHUTDOWN)	= SKIP,				\
	EV(APP_CLOSE)		= SKIP,				\
	EV(FLUSH_DONE)		= SKIP,				\
	EV(FLUSH_CLOSE)		= SKIP,				\
	EV(PEER_DONE)		= SKIP,				\
	EV(LOCAL_ABORT)		= SKIP

static const struct rule rules[NR_ROWS][SMCR_CONN_EV_MAX] = {
	[INIT] = {
		EV(ESTABLISHED)		= TO(ACTIVE, 0),
		EV(APP_SHUTDOWN)	= SKIP,
		EV(APP_CLOSE)		= SILENT_ABORT,
		EV(LOCAL_ABORT)		= SILENT_ABORT,
		EV(TIMEOUT)		= SILENT_ABORT,
		EV(LINK_LOST)		= SILENT_ABORT,
	},
	[ACTIVE] = {
		EV(APP_SHUTDOWN)	= TO(ACTIVE, DO(FLUSH)),
		EV(APP_CLOSE)		= TO(ACTIVE, HURRY),
		EV(FLUSH_DONE)		= TO(PEER_CLOSE_WAIT1, DO(SEND_DONE)),
		EV(FLUSH_CLOSE)		= TO(PEER_CLOSE_WAIT1, OUR_C),
		EV(PEER_DONE)		= TO(APP_CLOSE_WAIT1, DO(EOF)),
		EV(PEER_CLOSED)		= TO(APP_CLOSE_WAIT1,
					     DO(STOP_WRITES) | DO(EOF)),
		OPEN_ABORTS,
	},
	[APP_WAIT1] = {
		EV(APP_SHUTDOWN)	= TO(APP_CLOSE_WAIT1, DO(FLUSH)),
		EV(APP_CLOSE)		= TO(APP_CLOSE_WAIT1, HURRY),
		EV(FLUSH_DONE)		= TO(APP_CLOSE_WAIT2, DO(SEND_DONE)),
		EV(FLUSH_CLOSE)		= TO(PEER_FIN_CLOSE_WAIT, OUR_C),
		EV(PEER_DONE)		= SKIP,
		EV(PEER_CLOSED)		= TO(APP_CLOSE_WAIT1,
					     DO(STOP_WRITES) | DO(EOF)),
		OPEN_ABORTS,
	},
#define TO_SAME_HURRY	TO(APP_CLOSE_WAIT1, HURRY)
	[APP_WAIT1_C] = {
		EV(APP_SHUTDOWN)	= TO(APP_CLOSE_WAIT1, DO(FLUSH)),
		EV(FLUSH_DONE)		= TO(APP_CLOSE_WAIT2, DO(SEND_DONE)),
		PEER_CLOSED_ROW,
	},
#undef TO_SAME_HURRY
	[APP_WAIT2] = {
		EV(APP_SHUTDOWN)	= SKIP,
		EV(APP_CLOSE)		= TO(APP_CLOSE_WAIT2, HURRY),
		EV(FLUSH_CLOSE)		= TO(PEER_FIN_CLOSE_WAIT, OUR_C),
		EV(PEER_DONE)		= SKIP,
		EV(PEER_CLOSED)		= TO(APP_CLOSE_WAIT2,
					     DO(STOP_WRITES) | DO(EOF)),
		OPEN_ABORTS,
	},
#define TO_SAME_HURRY	TO(APP_CLOSE_WAIT2, HURRY)
	[APP_WAIT2_C] = {
		EV(APP_SHUTDOWN)	= SKIP,
		PEER_CLOSED_ROW,
	},
#undef TO_SAME_HURRY
#define TO_SAME_HURRY	TO(APP_FIN_CLOSE_WAIT, HURRY)
	[APP_FIN] = {
		EV(APP_SHUTDOWN)	= SKIP,
		PEER_CLOSED_ROW,
	},
#undef TO_SAME_HURRY
	[PEER_WAIT1] = {
		EV(APP_SHUTDOWN)	= SKIP,
		EV(APP_CLOSE)		= TO(PEER_CLOSE_WAIT1, HURRY),
		EV(FLUSH_CLOSE)		= TO(PEER_CLOSE_WAIT1, OUR_C),
		EV(PEER_DONE)		= TO(PEER_CLOSE_WAIT2, DO(EOF)),
		EV(PEER_CLOSED)		= TO(APP_FIN_CLOSE_WAIT,
					     DO(STOP_WRITES) | DO(EOF)),
		OPEN_ABORTS,
	},
	[PEER_WAIT1_C] = {
		EV(PEER_DONE)		= TO(PEER_CLOSE_WAIT2, DO(EOF)),
		WE_CLOSED_ROW,
	},
	[PEER_WAIT2] = {
		EV(APP_SHUTDOWN)	= SKIP,
		EV(APP_CLOSE)		= TO(PEER_CLOSE_WAIT2, HURRY),
		EV(FLUSH_CLOSE)		= TO(PEER_CLOSE_WAIT2, OUR_C),
		EV(PEER_DONE)		= SKIP,
		EV(PEER_CLOSED)		= TO(APP_FIN_CLOSE_WAIT,
					     DO(STOP_WRITES) | DO(EOF)),
		OPEN_ABORTS,
	},
	[PEER_WAIT2_C] = {
		EV(PEER_DONE)		= SKIP,
		WE_CLOSED_ROW,
	},
	[PEER_FIN] = {
		EV(PEER_DONE)		= SKIP,
		WE_CLOSED_ROW,
	},
	[ABORT_WAIT] = {
		FINAL_ROW,
		EV(PEER_CLOSED)		= TO(CLOSED, DO(STOP_TIMER) | DO(FREE)),
		EV(PEER_CLOSED_UNSENT)	= TO(CLOSED, DO(STOP_TIMER) | DO(FREE)),
		EV(PEER_ABORT)		= TO(CLOSED, DO(STOP_TIMER) | DO(FREE)),
		EV(ABORT_SENT)		= SKIP,
		EV(TIMEOUT)		= TO(CLOSED, DO(QUARANTINE)),
		EV(LINK_LOST)		= TO(CLOSED, DO(STOP_TIMER) |
						     DO(QUARANTINE)),
	},
	[ABORT] = {
		FINAL_ROW,
		EV(PEER_CLOSED)		= SKIP,
		EV(PEER_CLOSED_UNSENT)	= SKIP,
		EV(PEER_ABORT)		= SKIP,
		EV(ABORT_SENT)		= TO(CLOSED, DO(FREE)),
		EV(TIMEOUT)		= SKIP,
		EV(LINK_LOST)		= TO(CLOSED, DO(FREE)),
	},
	[CLOSED] = {
		FINAL_ROW,
		EV(PEER_CLOSED)		= SKIP,
		EV(PEER_CLOSED_UNSENT)	= SKIP,
		EV(PEER_ABORT)		= SKIP,
		EV(ABORT_SENT)		= SKIP,
		EV(TIMEOUT)		= SKIP,
		EV(LINK_LOST)		= SKIP,
	},
};

static enum row row_of(const struct smcr_conn_fsm *fsm)
{
	switch (fsm->state) {
	case SMCR_CONN_INIT:
		return INIT;
	case SMCR_CONN_ACTIVE:
		return ACTIVE;
	case SMCR_CONN_APP_CLOSE_WAIT1:
		return fsm->peer_closed ? APP_WAIT1_C : APP_WAIT1;
	case SMCR_CONN_APP_CLOSE_WAIT2:
		return fsm->peer_closed ? APP_WAIT2_C : APP_WAIT2;
	case SMCR_CONN_APP_FIN_CLOSE_WAIT:
		return APP_FIN;
	case SMCR_CONN_PEER_CLOSE_WAIT1:
		return fsm->we_closed ? PEER_WAIT1_C : PEER_WAIT1;
	case SMCR_CONN_PEER_CLOSE_WAIT2:
		return fsm->we_closed ? PEER_WAIT2_C : PEER_WAIT2;
	case SMCR_CONN_PEER_FIN_CLOSE_WAIT:
		return PEER_FIN;
	case SMCR_CONN_PEER_ABORT_WAIT:
		return ABORT_WAIT;
	case SMCR_CONN_PROCESS_ABORT:
		return ABORT;
	default:
		return CLOSED;
	}
}

/**
 * smcr_conn_state_step() - let an event happen to a connection
 * @fsm: the connection's place; changed on success
 * @event: what happened
 * @actions: what to do now, bits of enum smcr_conn_action; 0 if nothing
 *
 * Context: any; the connection's lock is held. Carry the actions out, or
 * queue them, before it is released, in the order of their bits.
 * Return: 0, also where the event changes nothing; -EPROTO where it cannot
 * happen, which is a mistake of the caller and leaves @fsm alone.
 */
int smcr_conn_state_step(struct smcr_conn_fsm *fsm, enum smcr_conn_event event,
			 u32 *actions)
{
	const struct rule *rule;

	*actions = 0;
	if ((unsigned int)event >= SMCR_CONN_EV_MAX)
		return -EPROTO;
	rule = &rules[row_of(fsm)][event];
	if (rule->kind == NEVER)
		return -EPROTO;
	if (event == SMCR_CONN_EV_PEER_CLOSED ||
	    event == SMCR_CONN_EV_PEER_CLOSED_UNSENT)
		fsm->peer_closed = true;
	if (rule->kind == IGNORE)
		return 0;
	if (rule->actions & SMCR_CONN_SEND_CLOSE)
		fsm->we_closed = true;
	fsm->state = rule->next;
	*actions = rule->actions;
	return 0;
}

/**
 * smcr_conn_state_can_send() - may the application's bytes still go out?
 * @fsm: the connection's place
 *
 * True also while a shutdown or close waits for bytes accepted before it.
 */
bool smcr_conn_state_can_send(const struct smcr_conn_fsm *fsm)
{
	enum row row = row_of(fsm);

	return row == ACTIVE || row == APP_WAIT1;
}

/**
 * smcr_conn_state_can_recv() - may the peer still announce bytes?
 * @fsm: the connection's place
 *
 * What is already in the element may be read after that.
 */
bool smcr_conn_state_can_recv(const struct smcr_conn_fsm *fsm)
{
	enum row row = row_of(fsm);

	return row == ACTIVE || row == PEER_WAIT1 || row == PEER_WAIT1_C;
}

/**
 * smcr_conn_state_name() - the RFC's name of a state
 * @state: any value
 */
const char *smcr_conn_state_name(enum smcr_conn_state state)
{
	static const char *const names[] = {
		[SMCR_CONN_INIT]		= "Init",
		[SMCR_CONN_ACTIVE]		= "Active",
		[SMCR_CONN_APP_CLOSE_WAIT1]	= "AppCloseWait1",
		[SMCR_CONN_APP_CLOSE_WAIT2]	= "AppCloseWait2",
		[SMCR_CONN_APP_FIN_CLOSE_WAIT]	= "AppFinCloseWait",
		[SMCR_CONN_PEER_CLOSE_WAIT1]	= "PeerCloseWait1",
		[SMCR_CONN_PEER_CLOSE_WAIT2]	= "PeerCloseWait2",
		[SMCR_CONN_PEER_FIN_CLOSE_WAIT]	= "PeerFinCloseWait",
		[SMCR_CONN_PEER_ABORT_WAIT]	= "PeerAbortWait",
		[SMCR_CONN_PROCESS_ABORT]	= "ProcessAbort",
		[SMCR_CONN_CLOSED]		= "Closed",
	};

	if ((unsigned int)state >= ARRAY_SIZE(names))
		return "unknown";
	return names[state];
}

/**
 * smcr_conn_event_name() - an event as text for logs and traces
 * @event: any value
 */
const char *smcr_conn_event_name(enum smcr_conn_event event)
{
	static const char *const names[] = {
		[SMCR_CONN_EV_ESTABLISHED]		= "established",
		[SMCR_CONN_EV_APP_SHUTDOWN]		= "app-shutdown",
		[SMCR_CONN_EV_APP_CLOSE]		= "app-close",
		[SMCR_CONN_EV_FLUSH_DONE]		= "flushed-done",
		[SMCR_CONN_EV_FLUSH_CLOSE]		= "flushed-close",
		[SMCR_CONN_EV_PEER_DONE]		= "peer-done",
		[SMCR_CONN_EV_PEER_CLOSED]		= "peer-closed",
		[SMCR_CONN_EV_PEER_CLOSED_UNSENT]	= "peer-closed-early",
		[SMCR_CONN_EV_PEER_ABORT]		= "peer-abort",
		[SMCR_CONN_EV_LOCAL_ABORT]		= "local-abort",
		[SMCR_CONN_EV_ABORT_SENT]		= "abort-sent",
		[SMCR_CONN_EV_TIMEOUT]			= "timeout",
		[SMCR_CONN_EV_LINK_LOST]		= "link-lost",
	};

	if ((unsigned int)event >= ARRAY_SIZE(names))
		return "unknown";
	return names[event];
}
