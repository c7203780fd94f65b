// SPDX-License-Identifier: GPL-2.0
/*
 * Connection states (conn_state.c): the whole table, its properties, and every
 * interleaving of the events of two connected ends.
 */
#include "tap.h"
#include "conn_state.h"

#define ST(name)	SMCR_CONN_ ## name
#define EV(name)	SMCR_CONN_EV_ ## name

/* The fifteen places: a state, with the C that each end has sent or not */
static const struct smcr_conn_fsm places[] = {
	{ ST(INIT), false, false },
	{ ST(ACTIVE), false, false },
	{ ST(APPL_CLOSE_WAIT1), false, false },
	{ ST(APPL_CLOSE_WAIT1), false, true },
	{ ST(APPL_CLOSE_WAIT2), false, false },
	{ ST(APPL_CLOSE_WAIT2), false, true },
	{ ST(APPL_FIN_CLOSE_WAIT), false, true },
	{ ST(PEER_CLOSE_WAIT1), false, false },
	{ ST(PEER_CLOSE_WAIT1), true, false },
	{ ST(PEER_CLOSE_WAIT2), false, false },
	{ ST(PEER_CLOSE_WAIT2), true, false },
	{ ST(PEER_FIN_CLOSE_WAIT), true, false },
	{ ST(PEER_ABORT_WAIT), false, false },
	{ ST(PROCESS_ABORT), false, false },
	{ ST(CLOSED), false, false },
};

/*
 * The state that each event leads to, one letter for each state, events in the
 * order of their enum: A active; w x f AppCloseWait1, 2, Fin; p q r
 * PeerCloseWait1, 2, Fin; a PeerAbortWait; b ProcessAbort; . Closed; - no
 * change; ! impossible.
 */
static const char *const leads[ARRAY_SIZE(places)] = {
	/*                      est shut close fd fc pd pc pcu pa la as to ll pg */
	/* Init */		"A-.!!!!!!.!..!",
	/* Active */		"!--ppwwbba!a.!",
	/* AppCloseWait1 */	"!--xr--bba!a.!",
	/*  with peer's C */	"!--x.----b!b..",
	/* AppCloseWait2 */	"!--!r--bba!a.!",
	/*  with peer's C */	"!--!.----b!b..",
	/* AppFinCloseWait */	"!--!.----b!b..",
	/* PeerCloseWait1 */	"!--!-qfbba!a.!",
	/*  with our C */	"!--!!q....!..!",
	/* PeerCloseWait2 */	"!--!--fbba!a.!",
	/*  with our C */	"!--!!-....!..!",
	/* PeerFinCloseWait */	"!--!!-....!..!",
	/* PeerAbortWait */	"!-----...--..-",
	/* ProcessAbort */	"!---------.-.-",
	/* Closed */		"!-------------",
};

static const char letters[] = "iAwxfpqrab.";

#define NAME(value, name)	[value] = name,
static const char *const states[] = { SMCR_CONN_STATE_NAMES(NAME) };
static const char *const events[] = { SMCR_CONN_EVENT_NAMES(NAME) };

static void whole_table(void)
{
	struct smcr_conn_fsm fsm;
	unsigned int i, ev;
	u32 actions;
	char got;
	int ret;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		EXPECT_EQ(strlen(leads[i]), SMCR_CONN_EV_MAX);
		for (ev = 0; ev < SMCR_CONN_EV_MAX; ev++) {
			fsm = places[i];
			ret = smcr_conn_state_step(&fsm, ev, &actions);
			got = fsm.state == places[i].state ? '-' :
			      letters[fsm.state];
			if (ret)
				got = '!';
			if (got == leads[i][ev])
				continue;
			EXPECT(!"table entry");
			note("  place %u %s: %s leads to %c, not %c", i,
			     states[places[i].state], events[ev], got,
			     leads[i][ev]);
		}
	}
}

static void impossible(void)
{
	struct smcr_conn_fsm fsm;
	unsigned int i, ev;
	u32 actions;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		for (ev = 0; ev < SMCR_CONN_EV_MAX + 2; ev++) {
			fsm = places[i];
			actions = ~0U;
			if (!smcr_conn_state_step(&fsm, ev, &actions))
				continue;
			EXPECT_EQ(actions, 0);
			EXPECT(!memcmp(&fsm, &places[i], sizeof(fsm)));
		}
	}
}

/* Check the actions of each possible step, with the places before and after */
static void each_step(void (*check)(const struct smcr_conn_fsm *from,
				    unsigned int ev,
				    const struct smcr_conn_fsm *to,
				    u32 actions))
{
	struct smcr_conn_fsm fsm;
	unsigned int i, ev;
	u32 actions;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		for (ev = 0; ev < SMCR_CONN_EV_MAX; ev++) {
			fsm = places[i];
			if (!smcr_conn_state_step(&fsm, ev, &actions))
				check(&places[i], ev, &fsm, actions);
		}
	}
}

static void check_end(const struct smcr_conn_fsm *from, unsigned int ev,
		      const struct smcr_conn_fsm *to, u32 actions)
{
	u32 fate = actions & (ST(FREE) | ST(QUARANTINE));
	bool ends = to->state == ST(CLOSED) && from->state != ST(CLOSED);

	EXPECT_EQ(ends, fate == ST(FREE) || fate == ST(QUARANTINE));
	/* free if the peer has announced that it will not write again */
	if (ends)
		EXPECT_EQ(fate == ST(FREE), to->peer_closed ||
			  ev == EV(PEER_ABORT) ||
			  from->state == ST(PROCESS_ABORT));
	if (from->state == ST(CLOSED))
		EXPECT_EQ(actions, 0);
}

static void element_fate(void)
{
	each_step(check_end);
}

static void check_flags(const struct smcr_conn_fsm *from, unsigned int ev,
			const struct smcr_conn_fsm *to, u32 actions)
{
	u32 sends = actions & (ST(SEND_DONE) | ST(SEND_CLOSE) |
			       ST(SEND_ABORT));

	(void)ev;
	/* at most one flag, and none after the local C */
	EXPECT(!(sends & (sends - 1)));
	if (from->we_closed)
		EXPECT_EQ(sends, 0);
	EXPECT_EQ(to->we_closed, from->we_closed || sends == ST(SEND_CLOSE));
	if (sends & (ST(SEND_CLOSE) | ST(SEND_ABORT)))
		EXPECT(actions & ST(STOP_WRITES));
}

/* A connection that has not sent C, and has not ended */
static bool open_end(const struct smcr_conn_fsm *fsm)
{
	return fsm->state >= ST(ACTIVE) && fsm->state < ST(PEER_ABORT_WAIT) &&
	       !fsm->we_closed;
}

static void check_app(const struct smcr_conn_fsm *from, unsigned int ev,
		      const struct smcr_conn_fsm *to, u32 actions)
{
	bool unsaid = from->state == ST(ACTIVE) ||
		      from->state == ST(APPL_CLOSE_WAIT1);

	(void)to;
	if (ev == EV(ESTABLISHED))
		EXPECT_EQ(actions, 0);
	if (ev == EV(APP_SHUTDOWN))
		EXPECT_EQ(actions, unsaid ? ST(FLUSH) : 0);
	if (ev == EV(APP_CLOSE) && from->state != ST(INIT))
		EXPECT_EQ(actions, open_end(from) ?
			  ST(FLUSH) | ST(START_TIMER) : 0);
	if (ev == EV(FLUSH_DONE) && unsaid)
		EXPECT_EQ(actions, ST(SEND_DONE));
	if (ev == EV(FLUSH_CLOSE) && open_end(from))
		EXPECT(actions & ST(SEND_CLOSE));
}

static void app_events(void)
{
	each_step(check_app);
}

/* The peer's first D or C reaches the readers; repetitions do not */
static void check_peer(const struct smcr_conn_fsm *from, unsigned int ev,
		       const struct smcr_conn_fsm *to, u32 actions)
{
	bool aborts = from->state >= ST(PEER_ABORT_WAIT);
	u32 want = ST(EOF);

	if (ev == EV(PEER_DONE))
		EXPECT_EQ(actions,
			  smcr_conn_state_can_recv(from) ? ST(EOF) : 0);
	/* after the local C no local bytes can be unsent */
	if (ev == EV(PEER_CLOSED_UNSENT) && from->we_closed)
		ev = EV(PEER_CLOSED);
	if (ev != EV(PEER_CLOSED) || aborts)
		return;
	EXPECT(to->peer_closed);
	if (from->peer_closed)
		want = 0;
	else if (from->we_closed)
		want |= ST(STOP_TIMER) | ST(CLOSE_TCP) | ST(FREE);
	else
		want |= ST(STOP_WRITES);
	EXPECT_EQ(actions, want);
}

static void peer_events(void)
{
	each_step(check_peer);
}

static void flags_sent(void)
{
	each_step(check_flags);
}

/* Each place that waits for the peer has a timer */
static void check_timer(const struct smcr_conn_fsm *from, unsigned int ev,
			const struct smcr_conn_fsm *to, u32 actions)
{
	bool waits = to->we_closed || to->state == ST(PEER_ABORT_WAIT);
	bool waited = from->we_closed || from->state == ST(PEER_ABORT_WAIT);

	if (waits && !waited && to->state != ST(CLOSED))
		EXPECT(actions & ST(START_TIMER));
	if (ev == EV(APP_CLOSE) && to->state != ST(CLOSED) && actions)
		EXPECT(actions & ST(START_TIMER));
	if (to->state == ST(CLOSED) && from->state != ST(CLOSED) &&
	    from->state != ST(PROCESS_ABORT))
		EXPECT(actions & ST(STOP_TIMER));
}

static void timers(void)
{
	each_step(check_timer);
}

static void check_tcp(const struct smcr_conn_fsm *from, unsigned int ev,
		      const struct smcr_conn_fsm *to, u32 actions)
{
	bool was = from->state >= ST(PEER_ABORT_WAIT);
	bool is = to->state >= ST(PEER_ABORT_WAIT);
	u32 tcp = actions & (ST(CLOSE_TCP) | ST(RESET_TCP));

	EXPECT_EQ(!was && is, !!tcp);
	EXPECT(tcp != (ST(CLOSE_TCP) | ST(RESET_TCP)));
	/* a peer that is gone costs the application no bytes: no reset */
	EXPECT_EQ(!!(actions & ST(RESET)), tcp == ST(RESET_TCP) &&
		  ev != EV(PEER_GONE));
}

static void tcp_fate(void)
{
	each_step(check_tcp);
}

/* From each place, time with a working or a dead link ends the connection */
static void no_stranding(void)
{
	struct smcr_conn_fsm fsm;
	unsigned int i;
	u32 actions;

	for (i = 1; i < ARRAY_SIZE(places); i++) {
		fsm = places[i];
		EXPECT_EQ(smcr_conn_state_step(&fsm, EV(LINK_LOST), &actions),
			  0);
		EXPECT_EQ(fsm.state, ST(CLOSED));

		fsm = places[i];
		smcr_conn_state_step(&fsm, EV(TIMEOUT), &actions);
		if (fsm.state == ST(PROCESS_ABORT))
			smcr_conn_state_step(&fsm, EV(ABORT_SENT), &actions);
		if (fsm.state == ST(PEER_ABORT_WAIT))
			smcr_conn_state_step(&fsm, EV(TIMEOUT), &actions);
		EXPECT_EQ(fsm.state, ST(CLOSED));
	}
}

static void can(void)
{
	struct smcr_conn_fsm fsm = { 0 };
	u32 actions;

	EXPECT(!smcr_conn_state_can_send(&fsm));
	EXPECT(!smcr_conn_state_can_recv(&fsm));
	smcr_conn_state_step(&fsm, EV(ESTABLISHED), &actions);
	EXPECT(smcr_conn_state_can_send(&fsm));
	EXPECT(smcr_conn_state_can_recv(&fsm));
	smcr_conn_state_step(&fsm, EV(APP_SHUTDOWN), &actions);
	EXPECT_EQ(actions, ST(FLUSH));
	EXPECT(smcr_conn_state_can_send(&fsm));
	smcr_conn_state_step(&fsm, EV(FLUSH_DONE), &actions);
	EXPECT(!smcr_conn_state_can_send(&fsm));
	EXPECT(smcr_conn_state_can_recv(&fsm));
	smcr_conn_state_step(&fsm, EV(PEER_DONE), &actions);
	EXPECT_EQ(actions, ST(EOF));
	EXPECT(!smcr_conn_state_can_recv(&fsm));

	fsm = places[1];
	smcr_conn_state_step(&fsm, EV(PEER_DONE), &actions);
	EXPECT(smcr_conn_state_can_send(&fsm));
	EXPECT(!smcr_conn_state_can_recv(&fsm));
	smcr_conn_state_step(&fsm, EV(PEER_CLOSED), &actions);
	EXPECT(!smcr_conn_state_can_send(&fsm));
}

/* ---- two ends ----------------------------------------------------------- */

/**
 * struct end - one end of a connection in the exhaustive walk
 * @fsm: its state
 * @want: 1 for a shutdown and 2 for a close that is not flushed yet, or 0
 * @did: what the application has done: 0, 1 shutdown, 2 close, 3 abort
 * @abort_due: an A was ordered and is not reported as sent yet
 * @freed: the element was freed
 * @held: the element was put into quarantine
 */
struct end {
	struct smcr_conn_fsm fsm;
	u8 want, did, abort_due, freed, held;
};

#define PIPE	4

/**
 * struct world - both ends and the flags on their way between them
 * @end: the two ends
 * @pipe: pipe[i] holds the flags for end i, oldest first: 'D', 'C' or 'A'
 */
struct world {
	struct end end[2];
	char pipe[2][PIPE + 1];
};

static struct world *seen;
static unsigned int nr_seen, nr_ends, nr_orderly;

static void push(struct world *w, int to, char flag)
{
	size_t len = strlen(w->pipe[to]);

	if (len == PIPE) {
		EXPECT(!"more flags than a connection can send");
		return;
	}
	w->pipe[to][len] = flag;
}

static bool step(struct world *w, int me, enum smcr_conn_event ev)
{
	struct end *e = &w->end[me];
	u32 actions;

	if (smcr_conn_state_step(&e->fsm, ev, &actions)) {
		EXPECT(!"the two ends never do what cannot happen");
		return false;
	}
	if (actions & ST(SEND_DONE))
		push(w, !me, 'D');
	if (actions & ST(SEND_CLOSE))
		push(w, !me, 'C');
	if (actions & ST(SEND_ABORT)) {
		push(w, !me, 'A');
		e->abort_due = 1;
	}
	if (actions & ST(RESET))
		e->want = 0;
	e->freed |= !!(actions & ST(FREE));
	e->held |= !!(actions & ST(QUARANTINE));
	return true;
}

/* Let event number @what happen at one end. False if it cannot happen now. */
static bool happens(struct world *w, int me, int what)
{
	struct end *e = &w->end[me];
	bool over = e->fsm.state >= ST(PEER_ABORT_WAIT);
	char flag;

	switch (what) {
	case 0:
		if (e->did >= 1 || over)
			return false;
		e->did = 1;
		e->want = 1;
		return step(w, me, EV(APP_SHUTDOWN));
	case 1:
		if (e->did >= 2 || over)
			return false;
		e->did = 2;
		e->want = 2;
		return step(w, me, EV(APP_CLOSE));
	case 2:
		if (e->did >= 3 || over)
			return false;
		e->did = 3;
		return step(w, me, EV(LOCAL_ABORT));
	case 3:
		if (!e->want || over)
			return false;
		what = e->want;
		e->want = 0;
		return step(w, me, what == 2 ? EV(FLUSH_CLOSE) :
					       EV(FLUSH_DONE));
	case 4:
		if (!e->abort_due)
			return false;
		e->abort_due = 0;
		return step(w, me, EV(ABORT_SENT));
	case 5:
		if (w->pipe[me][0] != 'C' || !smcr_conn_state_can_send(&e->fsm))
			return false;
		memmove(w->pipe[me], w->pipe[me] + 1, PIPE);
		return step(w, me, EV(PEER_CLOSED_UNSENT));
	default:
		flag = w->pipe[me][0];
		if (!flag)
			return false;
		memmove(w->pipe[me], w->pipe[me] + 1, PIPE);
		/* after C or A smcr_cdc_check() ignores the peer's messages */
		if (e->fsm.peer_closed)
			return true;
		return step(w, me, flag == 'D' ? EV(PEER_DONE) :
				   flag == 'C' ? EV(PEER_CLOSED) :
						 EV(PEER_ABORT));
	}
}

/* May this end still write to the other's element? */
static bool may_write(const struct end *e)
{
	return smcr_conn_state_can_send(&e->fsm) &&
	       e->fsm.state < ST(PEER_ABORT_WAIT);
}

static void examine(const struct world *w)
{
	const struct end *a = &w->end[0], *b = &w->end[1];

	EXPECT(!(a->freed && may_write(b)));
	EXPECT(!(b->freed && may_write(a)));
	EXPECT(!(a->freed && a->held));
	EXPECT(!(b->freed && b->held));
}

/* When no event is left, both ends are closed, and no timer was needed */
static void examine_end(const struct world *w)
{
	bool orderly = w->end[0].freed && w->end[1].freed;

	EXPECT_EQ(w->end[0].fsm.state, ST(CLOSED));
	EXPECT_EQ(w->end[1].fsm.state, ST(CLOSED));
	if (w->end[0].did != 3 && w->end[1].did != 3)
		EXPECT(orderly);
	nr_ends++;
	nr_orderly += orderly;
}

static void remember(const struct world *w)
{
	unsigned int i;

	for (i = 0; i < nr_seen; i++)
		if (!memcmp(&seen[i], w, sizeof(*w)))
			return;
	if (nr_seen == 20000) {
		EXPECT(!"the walk ends");
		return;
	}
	seen[nr_seen++] = *w;
}

static void two_ends(void)
{
	struct world w, next;
	unsigned int at;
	int me, what;
	bool quiet;

	nr_seen = 0;
	nr_ends = 0;
	nr_orderly = 0;
	seen = zalloc(20001 * sizeof(*seen));
	memset(&w, 0, sizeof(w));
	w.end[0].fsm.state = ST(ACTIVE);
	w.end[1].fsm.state = ST(ACTIVE);
	remember(&w);
	for (at = 0; at < nr_seen; at++) {
		quiet = true;
		for (me = 0; me < 2; me++) {
			for (what = 0; what < 7; what++) {
				memcpy(&next, &seen[at], sizeof(next));
				if (!happens(&next, me, what))
					continue;
				quiet = false;
				examine(&next);
				remember(&next);
			}
		}
		if (quiet)
			examine_end(&seen[at]);
	}
	note("%u situations, %u ends", nr_seen, nr_ends);
	EXPECT(nr_orderly > 0);
	release(seen);
}

static const struct fact facts[] = {
	{ "each event in each state leads where Figures 22 and 23 say", whole_table },
	{ "an impossible event changes nothing", impossible },
	{ "each way to Closed either frees the element or holds it back", element_fate },
	{ "a step sends one flag at most, and none after the local C", flags_sent },
	{ "shutdown and close flush first, then send D or C", app_events },
	{ "D and C of the peer reach the readers once", peer_events },
	{ "each wait for the peer has a timer", timers },
	{ "TCP is closed or reset exactly once, and reset with the readers", tcp_fate },
	{ "a timer or a dead link ends each state", no_stranding },
	{ "sending and receiving are possible until the flags end them", can },
	{ "two ends close, whatever crosses, and neither frees memory in use", two_ends },
};

PROVE(facts, NULL);
