// SPDX-License-Identifier: GPL-2.0
/*
 * The pause of somebody who was late (pause.h), on a made-up clock.
 */
#include "tap.h"
#include "pause.h"

#define LEAST	5
#define MOST	(LEAST << SMCR_PAUSE_DOUBLINGS)

static struct smcr_pause p;
/* The clock wraps soon. */
static unsigned long now;

static void begin(void)
{
	memset(&p, 0, sizeof(p));
	now = 0ul - 40;
}

/* Late @idle after the end of the pause. Returns the length of the next one. */
static unsigned long late(unsigned long idle)
{
	while (!smcr_pause_over(&p, now))
		now++;
	now += idle;
	smcr_pause_fail(&p, now, LEAST);
	EXPECT(!smcr_pause_over(&p, now));
	EXPECT(!smcr_pause_over(&p, now + p.length - 1));
	EXPECT(smcr_pause_over(&p, now + p.length));
	return p.length;
}

static void well(int times)
{
	while (times--)
		smcr_pause_succeed(&p);
}

static void none(void)
{
	begin();
	EXPECT(smcr_pause_over(&p, now));
	EXPECT(smcr_pause_over(&p, now + (~0ul >> 1) + 5));
	well(1);
	EXPECT(smcr_pause_over(&p, now));
	EXPECT_EQ(late(0), LEAST);
}

static void doubles(void)
{
	unsigned long want;

	begin();
	for (want = LEAST; want < MOST; want *= 2)
		EXPECT_EQ(late(0), want);
	EXPECT_EQ(late(0), MOST);
	EXPECT_EQ(late(0), MOST);
}

static void without_success(void)
{
	begin();
	EXPECT_EQ(late(0), LEAST);
	EXPECT_EQ(late(100 * LEAST), 2 * LEAST);
	EXPECT_EQ(late(100 * MOST), 4 * LEAST);
}

static void some_successes(void)
{
	int i;

	begin();
	for (i = 0; i < 4 * SMCR_PAUSE_DOUBLINGS; i++) {
		late(0);
		well(SMCR_PAUSE_GOOD / 2);
	}
	EXPECT_EQ(late(0), MOST);
}

static void many_successes(void)
{
	begin();
	late(0);
	late(0);
	EXPECT_EQ(late(0), 4 * LEAST);
	well(SMCR_PAUSE_GOOD);
	EXPECT_EQ(late(0), 4 * LEAST);
	well(2 * SMCR_PAUSE_GOOD);
	EXPECT_EQ(late(0), 2 * LEAST);
	while (late(0) < MOST)
		;
	late(0);
	well((SMCR_PAUSE_DOUBLINGS + 1) * SMCR_PAUSE_GOOD);
	EXPECT_EQ(late(0), LEAST);
	well(1000);
	EXPECT_EQ(late(0), LEAST);
}

static void rare(void)
{
	int i;

	begin();
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(late(0), LEAST);
		well(SMCR_PAUSE_GOOD);
	}
}

static const struct fact facts[] = {
	{ "no pause before the first failure", none },
	{ "a pause is twice as long as the last one, to a limit", doubles },
	{ "time without a success does not end this", without_success },
	{ "nor do fewer successes than undo the failures",
	  some_successes },
	{ "as many as that do", many_successes },
	{ "somebody who is seldom late pauses for the least time", rare },
};

PROVE(facts, NULL);
