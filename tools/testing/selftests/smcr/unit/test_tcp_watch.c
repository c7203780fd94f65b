// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of TCP below a connection over RDMA (tcp_watch.c): what each
 * event does in each state.
 */
#include "tap.h"
#include "tcp_watch.h"

#define PROBE	SMCR_TCP_PROBE
#define TEST	SMCR_TCP_TEST
#define ASK	SMCR_TCP_ASK
#define LOST	(SMCR_TCP_SAY_GONE | SMCR_TCP_REST)

static enum smcr_tcp_watch watch;

static u32 step(enum smcr_tcp_event event)
{
	return smcr_tcp_watch_step(&watch, event);
}

/* Idle for @n intervals. Returns what the last one orders. */
static u32 idle(int n)
{
	u32 actions = 0;

	while (n--)
		actions = step(SMCR_TCP_EV_IDLE);
	return actions;
}

static void begin(void)
{
	watch = SMCR_TCP_HEARD;
}

static void silent(void)
{
	begin();
	idle(3);
	step(SMCR_TCP_EV_TESTED);
}

static void heard(void)
{
	begin();
	EXPECT_EQ(step(SMCR_TCP_EV_HEARD), 0);
	EXPECT_EQ(idle(1), PROBE);
	EXPECT_EQ(step(SMCR_TCP_EV_HEARD), 0);
	EXPECT_EQ(watch, SMCR_TCP_HEARD);
}

/* TCP answers each probe @rtt after it. The timer runs @late after its time, as
 * that of the kernel does. Every run probes, and nothing is ever missed.
 */
static void answers(unsigned long rtt, unsigned long late)
{
	const unsigned long interval = 1000;
	unsigned long asked = 0, heard = 0, now = 0;
	int n;

	begin();
	for (n = 0; n < 20; n++) {
		now += interval + late;
		EXPECT_EQ(smcr_tcp_watch_tick(&watch, now - heard, now - asked,
					      interval), PROBE);
		EXPECT_EQ(watch, SMCR_TCP_ASKED);
		asked = now;
		heard = now + rtt;
	}
}

static void answered(void)
{
	answers(0, 0);
	answers(0, 1);
	answers(1, 1);
	answers(3, 64);
}

/* The answer was slower than the timer is late: the probe is due later. */
static void slow_answer(void)
{
	begin();
	EXPECT_EQ(smcr_tcp_watch_tick(&watch, 1001, 1001, 1000), PROBE);
	EXPECT_EQ(smcr_tcp_watch_tick(&watch, 960, 1001, 1000), 0);
	EXPECT_EQ(watch, SMCR_TCP_HEARD);
	EXPECT_EQ(smcr_tcp_watch_tick(&watch, 1001, 1042, 1000), PROBE);
}

static void unanswered(void)
{
	begin();
	EXPECT_EQ(smcr_tcp_watch_tick(&watch, 1001, 1001, 1000), PROBE);
	EXPECT_EQ(smcr_tcp_watch_tick(&watch, 2002, 1001, 1000), PROBE);
	EXPECT_EQ(smcr_tcp_watch_tick(&watch, 3003, 1001, 1000), PROBE | TEST);
}

static void lost_probe(void)
{
	begin();
	EXPECT_EQ(idle(2), PROBE);
	EXPECT_EQ(step(SMCR_TCP_EV_HEARD), 0);
	/* It counts from the beginning again */
	EXPECT_EQ(idle(2), PROBE);
}

static void silence(void)
{
	begin();
	EXPECT_EQ(idle(3), PROBE | TEST);
	EXPECT_EQ(step(SMCR_TCP_EV_TESTED), SMCR_TCP_SAY_SILENT);
	EXPECT_EQ(watch, SMCR_TCP_SILENT);
	/* Said once, probed on, no further test for that */
	EXPECT_EQ(step(SMCR_TCP_EV_TESTED), 0);
	EXPECT_EQ(idle(1), PROBE);
	EXPECT_EQ(idle(20), PROBE);
	EXPECT_EQ(watch, SMCR_TCP_SILENT);
}

/* Without an answer it is the link that has failed, which others notice. */
static void no_answer(void)
{
	begin();
	EXPECT_EQ(idle(20), PROBE | TEST);
	EXPECT_EQ(watch, SMCR_TCP_TESTING);
}

static void comes_back(void)
{
	silent();
	EXPECT_EQ(step(SMCR_TCP_EV_HEARD), 0);
	EXPECT_EQ(watch, SMCR_TCP_HEARD);
	EXPECT_EQ(idle(3), PROBE | TEST);
	EXPECT_EQ(step(SMCR_TCP_EV_TESTED), SMCR_TCP_SAY_SILENT);
}

/* The answer to a test that something else asked for */
static void foreign_test(void)
{
	int n;

	for (n = 0; n < 3; n++) {
		begin();
		idle(n);
		EXPECT_EQ(step(SMCR_TCP_EV_TESTED), 0);
		EXPECT_EQ(idle(3 - n), PROBE | TEST);
	}
}

static const enum smcr_tcp_event open_events[] = {
	SMCR_TCP_EV_HEARD, SMCR_TCP_EV_IDLE, SMCR_TCP_EV_TESTED,
	SMCR_TCP_EV_ANSWERED, SMCR_TCP_EV_LIMIT, SMCR_TCP_EV_MOVED,
};

/* TCP was reset, in any of the states in which it is open */
static void doubted(enum smcr_tcp_watch before)
{
	watch = before;
	EXPECT_EQ(step(SMCR_TCP_EV_FAILED), TEST | SMCR_TCP_LIMIT);
	EXPECT_EQ(watch, SMCR_TCP_DOUBTED);
}

/* ... and the link has answered */
static void proving(enum smcr_tcp_watch before)
{
	doubted(before);
	EXPECT_EQ(step(SMCR_TCP_EV_TESTED), ASK);
	EXPECT_EQ(watch, SMCR_TCP_PROVING);
}

static void goes_on(void)
{
	int before, event;

	for (before = SMCR_TCP_HEARD; before <= SMCR_TCP_SILENT; before++) {
		doubted(before);
		/* Nothing that TCP said before matters any more */
		EXPECT_EQ(step(SMCR_TCP_EV_HEARD), 0);
		EXPECT_EQ(idle(5), 0);
		EXPECT_EQ(step(SMCR_TCP_EV_FAILED), 0);
		/* A message that was under way is no answer */
		EXPECT_EQ(step(SMCR_TCP_EV_ANSWERED), 0);
		EXPECT_EQ(step(SMCR_TCP_EV_TESTED), ASK);
		EXPECT_EQ(step(SMCR_TCP_EV_HEARD), 0);
		EXPECT_EQ(step(SMCR_TCP_EV_TESTED), 0);
		EXPECT_EQ(step(SMCR_TCP_EV_ANSWERED), LOST);
		EXPECT_EQ(watch, SMCR_TCP_GONE);
		for (event = 0; event < SMCR_TCP_EVENTS; event++)
			if (event != SMCR_TCP_EV_IDLE)
				EXPECT_EQ(step(event), 0);
		EXPECT_EQ(watch, SMCR_TCP_GONE);
	}
}

static void link_is_dead(void)
{
	doubted(SMCR_TCP_HEARD);
	EXPECT_EQ(step(SMCR_TCP_EV_LIMIT), SMCR_TCP_END);
	/* An answer that comes later does not help */
	EXPECT_EQ(step(SMCR_TCP_EV_TESTED), 0);
	EXPECT_EQ(watch, SMCR_TCP_ENDING);
}

/* The peer's address has a new owner, and the peer is mute; or its end was lost
 * alone, and its RST tells.
 */
static void peer_is_mute(void)
{
	int before;

	for (before = SMCR_TCP_HEARD; before <= SMCR_TCP_SILENT; before++) {
		proving(before);
		EXPECT_EQ(step(SMCR_TCP_EV_LIMIT),
			  SMCR_TCP_SAY_MUTE | SMCR_TCP_END);
		EXPECT_EQ(step(SMCR_TCP_EV_ANSWERED), 0);
		EXPECT_EQ(watch, SMCR_TCP_ENDING);
	}
}

static void gone(void)
{
	proving(SMCR_TCP_HEARD);
	EXPECT_EQ(step(SMCR_TCP_EV_ANSWERED), LOST);
}

/* Without TCP the connection is asked in its place, and said to be so once. */
static void checked(void)
{
	int n;

	gone();
	for (n = 0; n < 20; n++) {
		EXPECT_EQ(step(SMCR_TCP_EV_IDLE), ASK);
		EXPECT_EQ(watch, SMCR_TCP_CHECKING);
		EXPECT_EQ(step(SMCR_TCP_EV_TESTED), 0);
		/* It has moved, or R could not go out */
		EXPECT_EQ(step(SMCR_TCP_EV_MOVED), ASK);
		EXPECT_EQ(step(SMCR_TCP_EV_ANSWERED), SMCR_TCP_REST);
		EXPECT_EQ(watch, SMCR_TCP_GONE);
	}
}

/* The peer's end went away after it had answered, or was lost alone. */
static void mute_later(void)
{
	gone();
	EXPECT_EQ(step(SMCR_TCP_EV_IDLE), ASK);
	EXPECT_EQ(step(SMCR_TCP_EV_ANSWERED), SMCR_TCP_REST);
	EXPECT_EQ(step(SMCR_TCP_EV_IDLE), ASK);
	EXPECT_EQ(step(SMCR_TCP_EV_LIMIT), SMCR_TCP_SAY_MUTE | SMCR_TCP_END);
	EXPECT_EQ(watch, SMCR_TCP_ENDING);
}

static void other_link(void)
{
	doubted(SMCR_TCP_SILENT);
	EXPECT_EQ(step(SMCR_TCP_EV_MOVED), TEST | SMCR_TCP_LIMIT);
	EXPECT_EQ(step(SMCR_TCP_EV_MOVED), TEST | SMCR_TCP_LIMIT);
	EXPECT_EQ(step(SMCR_TCP_EV_TESTED), ASK);
	EXPECT_EQ(step(SMCR_TCP_EV_MOVED), TEST | SMCR_TCP_LIMIT);
	EXPECT_EQ(step(SMCR_TCP_EV_TESTED), ASK);
	EXPECT_EQ(step(SMCR_TCP_EV_ANSWERED), LOST);
}

static void obeys(void)
{
	int before;

	for (before = SMCR_TCP_HEARD; before <= SMCR_TCP_SILENT; before++) {
		watch = before;
		EXPECT_EQ(step(SMCR_TCP_EV_RESET), SMCR_TCP_GRACE);
		EXPECT_EQ(step(SMCR_TCP_EV_TESTED), 0);
		EXPECT_EQ(step(SMCR_TCP_EV_RESET), 0);
		EXPECT_EQ(step(SMCR_TCP_EV_FAILED), 0);
		EXPECT_EQ(step(SMCR_TCP_EV_LIMIT), SMCR_TCP_END);
	}
}

/* Only a failure of TCP leads out of the states in which it is open. */
static void nothing_else_ends(void)
{
	u32 n = steps(20000);

	begin();
	for (; n; n--) {
		EXPECT(!(step(open_events[rnd_below(ARRAY_SIZE(open_events))]) &
			 (SMCR_TCP_END | SMCR_TCP_SAY_GONE)));
		EXPECT(watch <= SMCR_TCP_SILENT);
	}
}

#define INTERVAL	60000
#define MOST		8000

static struct smcr_tcp_early early;

/* Bytes up to @sent are written, TCP was heard @heard ago and probed @asked
 * ago. Returns how long TCP has to be idle for a probe.
 */
static unsigned long limit(u64 sent, unsigned long heard, unsigned long asked)
{
	return smcr_tcp_early_limit(&early, sent, heard <= asked, INTERVAL);
}

static void write_first(void)
{
	begin();
	smcr_tcp_early_begin(&early, 7, 1000);
}

static void peer_answers(void)
{
	write_first();
	EXPECT(smcr_tcp_early_answered(&early, 8));
	EXPECT(!early.on);
	EXPECT_EQ(limit(64, 1000, 1000), INTERVAL);
	/* There is nothing to be answered any more */
	EXPECT(!smcr_tcp_early_answered(&early, 9));
}

static void peer_is_quiet(void)
{
	write_first();
	EXPECT(!smcr_tcp_early_answered(&early, 7));
	EXPECT_EQ(limit(64, 1000, 5000), 1000);
	EXPECT_EQ(smcr_tcp_watch_tick(&watch, 1000, 5000, 1000), PROBE);
	smcr_tcp_early_probed(&early, 64, MOST);
	/* TCP answers, and nothing was written since: the rest is patience */
	EXPECT_EQ(limit(64, 2000, 2000), INTERVAL);
	EXPECT(!early.on);
}

static void writes_on(void)
{
	static const unsigned long waits[] = { 1000, 2000, 4000, 8000, 8000 };
	unsigned int i;

	write_first();
	for (i = 0; i < ARRAY_SIZE(waits); i++) {
		EXPECT_EQ(limit(64 * i, 0, 0), waits[i]);
		smcr_tcp_early_probed(&early, 64 * i, MOST);
	}
	EXPECT(early.on);
	EXPECT(smcr_tcp_early_answered(&early, 8));
	/* The next time begins anew */
	smcr_tcp_early_begin(&early, 8, 1000);
	EXPECT_EQ(limit(640, 0, 0), 1000);
}

static void short_interval(void)
{
	write_first();
	smcr_tcp_early_probed(&early, 64, MOST);
	EXPECT_EQ(smcr_tcp_early_limit(&early, 65, true, 1500), 1500);
	EXPECT(early.on);
}

/* Neither TCP nor the peer answers: three probes, then the link decides. */
static void tcp_is_quiet(void)
{
	int n;

	write_first();
	for (n = 0; n < 3; n++) {
		EXPECT(limit(64, 30000, 1000) < INTERVAL);
		EXPECT_EQ(step(SMCR_TCP_EV_IDLE), n < 2 ? PROBE : PROBE | TEST);
		smcr_tcp_early_probed(&early, 64, MOST);
	}
	EXPECT_EQ(smcr_tcp_early_limit(&early, 64, true, INTERVAL), INTERVAL);
}

static const struct fact facts[] = {
	{ "an idle TCP connection is probed, an answered one is well", heard },
	{ "an answer that is as old as its probe counts", answered },
	{ "after a slow answer the next probe waits", slow_answer },
	{ "what came before a probe is no answer to it", unanswered },
	{ "one lost probe is no silence", lost_probe },
	{ "silence is said once, after the link has answered", silence },
	{ "without the link's answer nothing is said", no_answer },
	{ "after silence, a segment begins anew", comes_back },
	{ "only a TEST LINK for this counts", foreign_test },
	{ "after a RST the answers of link and connection let it go on", goes_on },
	{ "after a RST it ends if the link answers alone", peer_is_mute },
	{ "after a RST a link without an answer ends it", link_is_dead },
	{ "without TCP the connection is asked again and again", checked },
	{ "and ends when it does not answer any more", mute_later },
	{ "a connection that has moved asks its new link", other_link },
	{ "where TCP decides, a RST ends it after a moment", obeys },
	{ "silence never ends a connection", nothing_else_ends },
	{ "bytes that the peer answers cost TCP no probe", peer_answers },
	{ "bytes without an answer cost one, if TCP answers", peer_is_quiet },
	{ "further ones cost more, after times that double", writes_on },
	{ "a shorter interval is not made longer", short_interval },
	{ "without any answer TCP is probed until silence is known",
	  tcp_is_quiet },
};

PROVE(facts, NULL);
