// SPDX-License-Identifier: GPL-2.0
/*
 * States of a connection: one table, one transition function.
 *
 * Orderly end, RFC 7609 Figure 22. "<-D" is a flag that arrived, "D->" a flag
 * that we send once all accepted bytes are written. A C implies D.
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
 * Once both C are exchanged, the connection is CLOSED without passing the two
 * outer boxes. This is the usual way after close() (3C, 4C).
 *
 * Abnormal end, Figure 23, from any state before our C:
 *
 *         A->  +---------------+ <-A, <-C, timer
 *      +------>| PeerAbortWait |----------------+
 *      |       +---------------+                v
 *   any state                               +--------+
 *      |       +---------------+  A posted  | CLOSED |
 *      +------>| ProcessAbort  |----------->+--------+
 *         <-A  +---------------+
 *
 * Two facts that the RFC's states leave out decide the rest, so four states
 * have two rows each: PeerCloseWait1 and 2 with and without our C,
 * AppCloseWait1 and 2 with and without the peer's C. No flag may follow our C,
 * not even A, so an abort then resets TCP and holds the element back. No A
 * follows the peer's C, so an abort then does not wait for one.
 *
 * Bytes that the peer put before its D or C are final. No event takes them from
 * the reader, which finds the end of the stream after the last of them. An
 * abnormal end drops unread bytes only if the peer had sent neither D nor C,
 * and not if it is a time-out without the local address (conn_end.c).
 */
#include <linux/compiler.h>
#include <linux/errno.h>

#include "conn_state.h"

/* Rows of the table. In the rows with _C, our C was sent (PEER_*) or the peer's
 * C arrived (APP_*).
 */
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
 * struct rule - effect of an event
 * @next: state afterwards, or %SAME
 * @actions: bits of enum smcr_conn_action
 */
struct rule {
	enum smcr_conn_state next;
	u32 actions;
};

#define SAME		SMCR_CONN_STATES

/* Codes of the table, four letters each so that its columns line up */
enum code {
	NEVR,	/* cannot happen: a bug of the caller */
	SKIP,	/* changes nothing */
	OPEN,	/* the handshake is done */
	FLSH,	/* shutdown: write all accepted bytes */
	HURY,	/* close: the same, and start the close timer */
	D_P1,	/* our D is first */
	D_A2,	/* our D follows the peer's D or C */
	C_P1,	/* our C is first */
	C_ST,	/* our C follows our D */
	C_PF,	/* our C follows the peer's D */
	C_LA,	/* our C follows the peer's C, and the connection ends */
	PD_A,	/* the peer's D is first */
	PD_P,	/* the peer's D follows our D or C */
	PC_A,	/* the peer's C is first */
	PC_S,	/* the peer's C follows its D */
	PC_F,	/* the peer's C follows our D */
	PC_L,	/* the peer's C follows our C, and the connection ends */
	ACTV,	/* 1A: send A, wait for the peer's A */
	PASV,	/* 2A: send A, wait for nothing */
	QUIT,	/* send nothing: end at once; the peer may still write */
	CLEN,	/* the same, but the peer said that it will not write */
	GONE,	/* the peer is gone, and no byte is lost with it */
	ENDF,	/* 1B: the awaited answer arrived */
	ENDQ,	/* 1B: the awaited answer did not arrive */
	ENDA,	/* 2B: our A was posted */
	NR_CODES
};

#define DO(name)	SMCR_CONN_ ## name
/* Abnormal end: drop unread bytes that are not final, and write no more */
#define BREAK		(DO(STOP_WRITES) | DO(RESET) | DO(RESET_TCP))
#define OUR_C		(DO(STOP_WRITES) | DO(SEND_CLOSE))
#define PEER_C		(DO(STOP_WRITES) | DO(EOF))
#define DONE		(DO(STOP_TIMER) | DO(CLOSE_TCP) | DO(FREE))

static const struct rule rules[NR_CODES] = {
	[OPEN] = { DO(ACTIVE), 0 },
	[FLSH] = { SAME, DO(FLUSH) },
	[HURY] = { SAME, DO(FLUSH) | DO(START_TIMER) },
	[D_P1] = { DO(PEER_CLOSE_WAIT1), DO(SEND_DONE) },
	[D_A2] = { DO(APPL_CLOSE_WAIT2), DO(SEND_DONE) },
	[C_P1] = { DO(PEER_CLOSE_WAIT1), OUR_C | DO(START_TIMER) },
	[C_ST] = { SAME, OUR_C | DO(START_TIMER) },
	[C_PF] = { DO(PEER_FIN_CLOSE_WAIT), OUR_C | DO(START_TIMER) },
	[C_LA] = { DO(CLOSED), OUR_C | DONE },
	[PD_A] = { DO(APPL_CLOSE_WAIT1), DO(EOF) },
	[PD_P] = { DO(PEER_CLOSE_WAIT2), DO(EOF) },
	[PC_A] = { DO(APPL_CLOSE_WAIT1), PEER_C },
	[PC_S] = { SAME, PEER_C },
	[PC_F] = { DO(APPL_FIN_CLOSE_WAIT), PEER_C },
	[PC_L] = { DO(CLOSED), DO(EOF) | DONE },
	[ACTV] = { DO(PEER_ABORT_WAIT), BREAK | DO(SEND_ABORT) |
					DO(START_TIMER) },
	[PASV] = { DO(PROCESS_ABORT), BREAK | DO(SEND_ABORT) |
				      DO(STOP_TIMER) },
	[QUIT] = { DO(CLOSED), BREAK | DO(STOP_TIMER) | DO(QUARANTINE) },
	[CLEN] = { DO(CLOSED), BREAK | DO(STOP_TIMER) | DO(FREE) },
	[GONE] = { DO(CLOSED), DO(STOP_WRITES) | DO(RESET_TCP) |
			       DO(STOP_TIMER) | DO(FREE) },
	[ENDF] = { DO(CLOSED), DO(STOP_TIMER) | DO(FREE) },
	[ENDQ] = { DO(CLOSED), DO(STOP_TIMER) | DO(QUARANTINE) },
	[ENDA] = { DO(CLOSED), DO(FREE) },
};

/* A row of the table: what the events of this end do, then the others */
#define APP(estd, shut, clos, fl_d, fl_c)				\
	[SMCR_CONN_EV_ESTABLISHED]	= estd,				\
	[SMCR_CONN_EV_APP_SHUTDOWN]	= shut,				\
	[SMCR_CONN_EV_APP_CLOSE]	= clos,				\
	[SMCR_CONN_EV_FLUSH_DONE]	= fl_d,				\
	[SMCR_CONN_EV_FLUSH_CLOSE]	= fl_c

#define NET(pe_d, pe_c, pe_u, pe_a, lo_a, a_st, time, lost, gone)	\
	[SMCR_CONN_EV_PEER_DONE]	= pe_d,				\
	[SMCR_CONN_EV_PEER_CLOSED]	= pe_c,				\
	[SMCR_CONN_EV_PEER_CLOSED_UNSENT] = pe_u,			\
	[SMCR_CONN_EV_PEER_ABORT]	= pe_a,				\
	[SMCR_CONN_EV_LOCAL_ABORT]	= lo_a,				\
	[SMCR_CONN_EV_ABORT_SENT]	= a_st,				\
	[SMCR_CONN_EV_TIMEOUT]		= time,				\
	[SMCR_CONN_EV_LINK_LOST]	= lost,				\
	[SMCR_CONN_EV_PEER_GONE]	= gone

static const u8 table[NR_ROWS][SMCR_CONN_EV_MAX] = {
	/*	    estd  shut  clos  fl_d  fl_c
	 *	    pe_d  pe_c  pe_u  pe_a  lo_a  a_st  time  lost  gone
	 */
	[INIT] = {
		APP(OPEN, SKIP, QUIT, NEVR, NEVR),
		NET(NEVR, NEVR, NEVR, NEVR, QUIT, NEVR, QUIT, QUIT, NEVR),
	},
	[ACTIVE] = {
		APP(NEVR, FLSH, HURY, D_P1, C_P1),
		NET(PD_A, PC_A, PASV, PASV, ACTV, NEVR, ACTV, QUIT, NEVR),
	},
	[APP_WAIT1] = {
		APP(NEVR, FLSH, HURY, D_A2, C_PF),
		NET(SKIP, PC_S, PASV, PASV, ACTV, NEVR, ACTV, QUIT, NEVR),
	},
	[APP_WAIT1_C] = {
		APP(NEVR, FLSH, HURY, D_A2, C_LA),
		NET(SKIP, SKIP, SKIP, SKIP, PASV, NEVR, PASV, CLEN, GONE),
	},
	[APP_WAIT2] = {
		APP(NEVR, SKIP, HURY, NEVR, C_PF),
		NET(SKIP, PC_S, PASV, PASV, ACTV, NEVR, ACTV, QUIT, NEVR),
	},
	[APP_WAIT2_C] = {
		APP(NEVR, SKIP, HURY, NEVR, C_LA),
		NET(SKIP, SKIP, SKIP, SKIP, PASV, NEVR, PASV, CLEN, GONE),
	},
	[APP_FIN] = {
		APP(NEVR, SKIP, HURY, NEVR, C_LA),
		NET(SKIP, SKIP, SKIP, SKIP, PASV, NEVR, PASV, CLEN, GONE),
	},
	[PEER_WAIT1] = {
		APP(NEVR, SKIP, HURY, NEVR, C_ST),
		NET(PD_P, PC_F, PASV, PASV, ACTV, NEVR, ACTV, QUIT, NEVR),
	},
	[PEER_WAIT1_C] = {
		APP(NEVR, SKIP, SKIP, NEVR, NEVR),
		NET(PD_P, PC_L, PC_L, CLEN, QUIT, NEVR, QUIT, QUIT, NEVR),
	},
	[PEER_WAIT2] = {
		APP(NEVR, SKIP, HURY, NEVR, C_ST),
		NET(SKIP, PC_F, PASV, PASV, ACTV, NEVR, ACTV, QUIT, NEVR),
	},
	[PEER_WAIT2_C] = {
		APP(NEVR, SKIP, SKIP, NEVR, NEVR),
		NET(SKIP, PC_L, PC_L, CLEN, QUIT, NEVR, QUIT, QUIT, NEVR),
	},
	[PEER_FIN] = {
		APP(NEVR, SKIP, SKIP, NEVR, NEVR),
		NET(SKIP, PC_L, PC_L, CLEN, QUIT, NEVR, QUIT, QUIT, NEVR),
	},
	[ABORT_WAIT] = {
		APP(NEVR, SKIP, SKIP, SKIP, SKIP),
		NET(SKIP, ENDF, ENDF, ENDF, SKIP, SKIP, ENDQ, ENDQ, SKIP),
	},
	[ABORT] = {
		APP(NEVR, SKIP, SKIP, SKIP, SKIP),
		NET(SKIP, SKIP, SKIP, SKIP, SKIP, ENDA, SKIP, ENDA, SKIP),
	},
	[CLOSED] = {
		APP(NEVR, SKIP, SKIP, SKIP, SKIP),
		NET(SKIP, SKIP, SKIP, SKIP, SKIP, SKIP, SKIP, SKIP, SKIP),
	},
};

#undef APP
#undef NET

static enum row row_of(const struct smcr_conn_fsm *fsm)
{
	switch (fsm->state) {
	case SMCR_CONN_INIT:
		return INIT;
	case SMCR_CONN_ACTIVE:
		return ACTIVE;
	case SMCR_CONN_APPL_CLOSE_WAIT1:
		return fsm->peer_closed ? APP_WAIT1_C : APP_WAIT1;
	case SMCR_CONN_APPL_CLOSE_WAIT2:
		return fsm->peer_closed ? APP_WAIT2_C : APP_WAIT2;
	case SMCR_CONN_APPL_FIN_CLOSE_WAIT:
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
 * smcr_conn_state_step() - apply an event to a connection's state
 * @fsm: the connection's state; changed on success
 * @event: what happened
 * @actions: what the caller must do now, bits of enum smcr_conn_action; 0 if
 *	nothing
 *
 * The caller carries the actions out or queues them before it releases the
 * lock, in the order of their bits.
 *
 * Context: any, the connection's lock held.
 * Return: 0, also if the event changes nothing; -EPROTO if the event cannot
 * happen in this state, which is a bug of the caller and leaves @fsm unchanged.
 */
int smcr_conn_state_step(struct smcr_conn_fsm *fsm, enum smcr_conn_event event,
			 u32 *actions)
{
	const struct rule *rule;
	enum code code;

	*actions = 0;
	if ((unsigned int)event >= SMCR_CONN_EV_MAX)
		return -EPROTO;
	code = table[row_of(fsm)][event];
	if (code == NEVR)
		return -EPROTO;
	if (event == SMCR_CONN_EV_PEER_CLOSED ||
	    event == SMCR_CONN_EV_PEER_CLOSED_UNSENT)
		WRITE_ONCE(fsm->peer_closed, true);
	if (code == SKIP)
		return 0;
	rule = &rules[code];
	if (rule->actions & SMCR_CONN_SEND_CLOSE)
		fsm->we_closed = true;
	if (rule->next != SAME)
		WRITE_ONCE(fsm->state, rule->next);
	*actions = rule->actions;
	return 0;
}

/**
 * smcr_conn_state_can_send() - test whether accepted bytes may still be written
 * @fsm: the connection's state
 *
 * Return: true if so, also while a shutdown or close waits until the bytes
 * accepted before it are written.
 */
bool smcr_conn_state_can_send(const struct smcr_conn_fsm *fsm)
{
	enum row row = row_of(fsm);

	return row == ACTIVE || row == APP_WAIT1;
}

/**
 * smcr_conn_state_can_recv() - test whether the peer may still announce bytes
 * @fsm: the connection's state
 *
 * Return: false once D, C or A arrived; bytes in the element may still be read.
 */
bool smcr_conn_state_can_recv(const struct smcr_conn_fsm *fsm)
{
	enum row row = row_of(fsm);

	return row == ACTIVE || row == PEER_WAIT1 || row == PEER_WAIT1_C;
}
