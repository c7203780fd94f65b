// SPDX-License-Identifier: GPL-2.0
/*
 * States of a connection: any sequence of events, one for each byte of input.
 */
#include "conn_state.h"
#include "fuzz.h"

#define ALL_ACTIONS	(2U * SMCR_CONN_QUARANTINE - 1)

/**
 * struct seen - what has happened so far
 * @orders: all actions so far
 * @peer_silent: the peer's C or A has arrived, so the peer writes no more
 * @timer: the close timer runs
 */
struct seen {
	u32 orders;
	bool peer_silent;
	bool timer;
};

static void note_event(struct seen *seen, enum smcr_conn_event ev)
{
	if (ev == SMCR_CONN_EV_PEER_CLOSED || ev == SMCR_CONN_EV_PEER_CLOSED_UNSENT ||
	    ev == SMCR_CONN_EV_PEER_ABORT)
		seen->peer_silent = true;
	if (ev == SMCR_CONN_EV_TIMEOUT)
		seen->timer = false;
}

/* Each flag is sent at most once, and none after C or A. TCP is closed or
 * reset, and the element is freed or quarantined, never both.
 */
static void check_orders(const struct seen *seen, u32 now)
{
	u32 once = SMCR_CONN_SEND_DONE | SMCR_CONN_SEND_CLOSE | SMCR_CONN_SEND_ABORT |
		   SMCR_CONN_CLOSE_TCP | SMCR_CONN_RESET_TCP | SMCR_CONN_FREE |
		   SMCR_CONN_QUARANTINE | SMCR_CONN_RESET;
	u32 flags = SMCR_CONN_SEND_DONE | SMCR_CONN_SEND_CLOSE | SMCR_CONN_SEND_ABORT;

	HOLDS(!(now & ~ALL_ACTIONS));
	HOLDS(!(now & seen->orders & once));
	if (seen->orders & (SMCR_CONN_SEND_CLOSE | SMCR_CONN_SEND_ABORT))
		HOLDS(!(now & flags));
	HOLDS(!(now & SMCR_CONN_CLOSE_TCP) || !((seen->orders | now) & SMCR_CONN_RESET_TCP));
	HOLDS(!(now & SMCR_CONN_FREE) || !(now & SMCR_CONN_QUARANTINE));
	/* TCP is closed only after both ends have sent C or A */
	if (now & SMCR_CONN_CLOSE_TCP)
		HOLDS(seen->peer_silent && (seen->orders | now) & SMCR_CONN_SEND_CLOSE);
	/* An element that the peer may still write to must not be freed */
	if (now & SMCR_CONN_FREE)
		HOLDS(seen->peer_silent);
}

static void check_closed(const struct smcr_conn_fsm *fsm, const struct seen *seen)
{
	u32 ends = seen->orders & (SMCR_CONN_FREE | SMCR_CONN_QUARANTINE);
	u32 tcp = seen->orders & (SMCR_CONN_CLOSE_TCP | SMCR_CONN_RESET_TCP);

	if (fsm->state != SMCR_CONN_CLOSED) {
		HOLDS(!ends);
		return;
	}
	HOLDS(ends == SMCR_CONN_FREE || ends == SMCR_CONN_QUARANTINE);
	HOLDS(tcp == SMCR_CONN_CLOSE_TCP || tcp == SMCR_CONN_RESET_TCP);
	HOLDS(!seen->timer);
}

/* From each state, an abort, its A sent and the timer end the connection */
static void check_way_out(const struct smcr_conn_fsm *fsm)
{
	static const enum smcr_conn_event out[] = {
		SMCR_CONN_EV_LOCAL_ABORT, SMCR_CONN_EV_ABORT_SENT, SMCR_CONN_EV_TIMEOUT,
	};
	struct smcr_conn_fsm copy = *fsm;
	unsigned int i;
	u32 actions;

	for (i = 0; i < ARRAY_SIZE(out); i++)
		smcr_conn_state_step(&copy, out[i], &actions);
	HOLDS(copy.state == SMCR_CONN_CLOSED);
}

static void event(struct smcr_conn_fsm *fsm, struct seen *seen, enum smcr_conn_event ev)
{
	struct smcr_conn_fsm before = *fsm;
	u32 now = 0xFFFFFFFF;

	if (smcr_conn_state_step(fsm, ev, &now)) {
		HOLDS(!now && fsm->state == before.state &&
		      fsm->we_closed == before.we_closed &&
		      fsm->peer_closed == before.peer_closed);
		return;
	}
	note_event(seen, ev);
	HOLDS(fsm->state < SMCR_CONN_STATES);
	if (before.state == SMCR_CONN_CLOSED)
		HOLDS(fsm->state == SMCR_CONN_CLOSED && !now);
	check_orders(seen, now);
	seen->orders |= now;
	HOLDS(fsm->we_closed == !!(seen->orders & SMCR_CONN_SEND_CLOSE));
	if (now & SMCR_CONN_START_TIMER)
		seen->timer = true;
	if (now & SMCR_CONN_STOP_TIMER)
		seen->timer = false;
	if (before.state != SMCR_CONN_INIT) {
		HOLDS(!smcr_conn_state_can_send(fsm) || smcr_conn_state_can_send(&before));
		HOLDS(!smcr_conn_state_can_recv(fsm) || smcr_conn_state_can_recv(&before));
	}
	check_closed(fsm, seen);
	check_way_out(fsm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smcr_conn_fsm fsm = { 0 };
	struct seen seen = { 0 };
	size_t i;

	for (i = 0; i < size; i++) {
		enum smcr_conn_event ev = data[i] % (SMCR_CONN_EV_MAX + 1);

		event(&fsm, &seen, ev);
	}
	return 0;
}
