// SPDX-License-Identifier: GPL-2.0
/*
 * For how long a send queue has got no completion (silence.c), on a made-up
 * clock and queue.
 */
#include "tap.h"
#include "silence.h"

#define LIMIT	400
#define GAP	3
#define TICK	(LIMIT / 8)

static struct smcr_silence s;
static struct smcr_silence_view q;
static u32 head;
/* When the timer runs, if it is armed */
static unsigned long timer;
static bool armed;

/* Both the clock and the slot numbers wrap soon. */
static void begin(void)
{
	memset(&q, 0, sizeof(q));
	q.now = 0ul - LIMIT / 2;
	q.done = q.now;
	q.redundant = true;
	head = 0u - 5;
	q.tail = head;
	armed = false;
	smcr_silence_init(&s, LIMIT, GAP, 60, q.tail);
}

static void post_as(bool signaled)
{
	head += 2;
	q.loose = !signaled;
	if (smcr_silence_posted(&s, q.now, q.tail, head, signaled)) {
		EXPECT(!armed);
		armed = true;
		timer = s.due;
	}
}

/* A batch as the send queue posts it. Returns whether it asks. */
static bool post(void)
{
	bool signaled = smcr_silence_asks(&s, q.now, 64);

	post_as(signaled);
	return signaled;
}

static void all_done(void)
{
	q.tail = s.slot;
	q.done = q.now;
}

static enum smcr_silence_step tick(void)
{
	enum smcr_silence_step step = smcr_silence_tick(&s, &q);

	armed = step != SMCR_SILENCE_STOP;
	timer = s.due;
	if (step == SMCR_SILENCE_FENCE)
		post_as(true);
	return step;
}

/* Let the clock run until the timer says @step, or for @most. Returns the time
 * since @from.
 */
static long until(enum smcr_silence_step step, unsigned long from,
		  unsigned int most)
{
	for (; most; most--) {
		if (armed && q.now == timer && tick() == step)
			return (long)(q.now - from);
		q.now++;
	}
	return -1;
}

static void silent(void)
{
	unsigned long at;

	begin();
	at = q.now;
	EXPECT(post());
	EXPECT_EQ(until(SMCR_SILENCE_OVER, at, 2 * LIMIT), LIMIT);
	/* It is looked at again as long as nothing completes. */
	EXPECT_EQ(timer - q.now, TICK);
	q.now = timer;
	EXPECT_EQ(tick(), SMCR_SILENCE_OVER);
	all_done();
	q.now = timer;
	EXPECT_EQ(tick(), SMCR_SILENCE_STOP);
	begin();
	post();
	q.now += LIMIT - 1;
	s.due = q.now;
	EXPECT_EQ(tick(), SMCR_SILENCE_WAIT);
}

static void stream(void)
{
	unsigned long cut;
	long lasted;
	u32 i;

	/* A batch with each tick of the clock; completions come at once, until
	 * the path is cut
	 */
	begin();
	for (i = 0; i < 10 * LIMIT; i++, q.now++) {
		if (armed && q.now == timer)
			EXPECT(tick() <= SMCR_SILENCE_WAIT);
		EXPECT_EQ(post(), !(i % GAP));
		all_done();
	}
	EXPECT(armed);
	cut = q.now;
	for (lasted = -1; lasted < 0 && q.now - cut < 2 * LIMIT; q.now++) {
		if (armed && q.now == timer && tick() == SMCR_SILENCE_OVER)
			lasted = (long)(q.now - cut);
		post();
	}
	EXPECT(lasted >= LIMIT);
	EXPECT(lasted <= LIMIT + GAP);
}

static void progress(void)
{
	unsigned long at;
	u32 first;

	/* The first of two requests completes */
	begin();
	post_as(true);
	first = head;
	q.now += GAP;
	post_as(true);
	q.now += TICK - GAP;
	EXPECT_EQ(tick(), SMCR_SILENCE_WAIT);
	q.tail = first;
	q.done = q.now + 7;
	at = q.done;
	q.now = at;
	EXPECT_EQ(smcr_silence_lasts(&s, &q), 0);
	EXPECT_EQ(until(SMCR_SILENCE_OVER, at, 2 * LIMIT), LIMIT);
}

static void covered(void)
{
	unsigned long at;

	/* The last request has not asked */
	begin();
	EXPECT(post());
	q.now++;
	EXPECT(!post());
	all_done();
	EXPECT_EQ(until(SMCR_SILENCE_FENCE, q.now, LIMIT), TICK - 1);
	at = q.now;
	EXPECT_EQ(until(SMCR_SILENCE_OVER, at, 2 * LIMIT), LIMIT);
	/* All has completed, the fence as well */
	begin();
	post();
	post();
	all_done();
	EXPECT(until(SMCR_SILENCE_FENCE, q.now, LIMIT) >= 0);
	all_done();
	EXPECT(until(SMCR_SILENCE_STOP, q.now, LIMIT) >= 0);
	EXPECT(!armed);
}

static void old_loose(void)
{
	unsigned long at;

	/* Requests of a group that had one link then need no fence, ... */
	begin();
	q.redundant = false;
	post_as(true);
	post_as(false);
	all_done();
	EXPECT(until(SMCR_SILENCE_STOP, q.now, LIMIT) >= 0);
	/* ... and a later one does not wait for as long as they did. */
	q.now += 10 * LIMIT;
	q.redundant = true;
	at = q.now;
	EXPECT(post());
	EXPECT_EQ(until(SMCR_SILENCE_OVER, at, 2 * LIMIT), LIMIT);
}

static void volume(void)
{
	u32 i;

	begin();
	EXPECT(post());
	for (i = 0; i < 20 && !smcr_silence_asks(&s, q.now, 16384); i++)
		post_as(false);
	EXPECT_EQ(i, 15);
	post_as(true);
	EXPECT(!smcr_silence_asks(&s, q.now, 16384));
}

static void stall(void)
{
	unsigned long at;

	/* The host stands still for longer than the limit */
	begin();
	at = q.now;
	post();
	q.now = timer + 3 * LIMIT;
	EXPECT_EQ(tick(), SMCR_SILENCE_WAIT);
	EXPECT_EQ(smcr_silence_lasts(&s, &q), TICK);
	EXPECT_EQ(until(SMCR_SILENCE_OVER, at, 2 * LIMIT), 4 * LIMIT);
	/* A tick that is late by no more than a quarter is on time. */
	begin();
	at = q.now;
	post();
	q.now = timer + TICK / 4;
	EXPECT_EQ(tick(), SMCR_SILENCE_WAIT);
	EXPECT_EQ(until(SMCR_SILENCE_OVER, at, 2 * LIMIT), LIMIT);
	/* Even if each tick is late, it comes to an end. */
	begin();
	post();
	for (at = 0; at < 100; at++) {
		q.now = timer + TICK;
		if (tick() == SMCR_SILENCE_OVER)
			break;
	}
	EXPECT_EQ(at, LIMIT / TICK - 1);
}

static void short_limit(void)
{
	unsigned long at;

	begin();
	smcr_silence_init(&s, 1, GAP, 60, q.tail);
	at = q.now;
	post();
	EXPECT_EQ(until(SMCR_SILENCE_OVER, at, 10), 1);
	/* The ticks of a long one are short. */
	smcr_silence_init(&s, 100000, GAP, 60, q.tail);
	EXPECT_EQ(s.tick, 60);
}

/* A path that answers within twice a random time, until it is cut. The silence
 * is over when no packet has passed for the limit, and not much later.
 */
static void random_run(void)
{
	u32 rtt = 1 + rnd_below(LIMIT / 8), pace = 1 + rnd_below(LIMIT / 4);
	u32 i, seen, run = rnd_below(20 * LIMIT);
	unsigned long acked, lost;

	begin();
	seen = q.tail;
	acked = q.now;
	for (i = 0; i < run; i++, q.now++) {
		if (armed && q.now == timer)
			EXPECT(tick() != SMCR_SILENCE_OVER);
		if (!rnd_below(pace))
			post();
		if (q.now - acked < rtt)
			continue;
		/* What was outstanding at the last answer is complete. */
		acked = q.now;
		if (seen != q.tail) {
			q.tail = seen;
			q.done = q.now;
		}
		seen = s.slot;
	}
	lost = q.now;
	for (i = 0; i < 10 * LIMIT; i++, q.now++) {
		if (armed && q.now == timer && tick() == SMCR_SILENCE_OVER)
			break;
		if (!rnd_below(pace))
			post();
		if (s.slot == q.tail)
			lost = q.now + 1;
	}
	EXPECT(q.now - lost <= LIMIT);
	EXPECT(q.now - acked + rtt >= LIMIT);
}

static void random_runs(void)
{
	u32 i, n = steps(2000);

	for (i = 0; i < n; i++)
		random_run();
}

static const struct fact facts[] = {
	{ "a request without a completion is silent since its post", silent },
	{ "a stream is silent within a gap of the cut", stream },
	{ "each completion begins anew", progress },
	{ "a fence covers the last requests", covered },
	{ "old requests shorten no later silence", old_loose },
	{ "a batch asks when many bytes have not", volume },
	{ "a stall of the host is no silence", stall },
	{ "short and long limits have their ticks", short_limit },
	{ "random traffic: neither too early nor late", random_runs },
};

PROVE(facts, NULL);
