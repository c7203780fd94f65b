// SPDX-License-Identifier: GPL-2.0
/*
 * State of an entry of the negative list (negstate.c).
 */
#include "tap.h"
#include "negstate.h"
#include "wire.h"

#define BLOCK	100
#define LONGEST	1000
#define PROBE	50

static struct smcr_negstate s;
static struct smcr_negtime t;

/* The clock wraps soon. */
static void begin(void)
{
	memset(&s, 0, sizeof(s));
	t = (struct smcr_negtime){
		.now = 0ull - 60, .block = BLOCK, .max = LONGEST, .probe = PROBE,
	};
}

static void pass(u64 time)
{
	t.now += time;
}

static void blocks(void)
{
	begin();
	EXPECT(smcr_negstate_fail(&s, &t, 1));
	EXPECT_EQ(s.failures, 1);
	EXPECT(smcr_negstate_blocks(&s, &t));
	pass(BLOCK - 1);
	EXPECT(smcr_negstate_blocks(&s, &t));
	/* Its time is up: one connection tries, others wait for it */
	pass(1);
	EXPECT(!smcr_negstate_blocks(&s, &t));
	EXPECT(smcr_negstate_blocks(&s, &t));
	pass(PROBE - 1);
	EXPECT(smcr_negstate_blocks(&s, &t));
	/* Nothing was heard of the one: another tries */
	pass(1);
	EXPECT(!smcr_negstate_blocks(&s, &t));
}

static void counts_once(void)
{
	int i;

	begin();
	EXPECT(smcr_negstate_fail(&s, &t, 1));
	for (i = 0; i < 100; i++)
		EXPECT(!smcr_negstate_fail(&s, &t, 1));
	EXPECT_EQ(s.failures, 1);
	pass(BLOCK);
	EXPECT(!smcr_negstate_blocks(&s, &t));
	EXPECT(smcr_negstate_fail(&s, &t, 1));
	EXPECT(!smcr_negstate_fail(&s, &t, 1));
	EXPECT_EQ(s.failures, 2);
}

static void doubles(void)
{
	static const u64 times[] = { BLOCK, 2 * BLOCK, 4 * BLOCK, 8 * BLOCK, LONGEST, LONGEST };
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		EXPECT(smcr_negstate_fail(&s, &t, 1));
		EXPECT_EQ(s.until - t.now, times[i]);
		pass(times[i]);
		EXPECT(!smcr_negstate_blocks(&s, &t));
	}
	/* No number of failures makes the time short again */
	for (; i < 200; i++) {
		pass(LONGEST);
		EXPECT(smcr_negstate_fail(&s, &t, 1));
		EXPECT_EQ(s.until - t.now, LONGEST);
	}
	/* The limit holds for the first failure, too */
	begin();
	t.max = BLOCK / 2;
	EXPECT(smcr_negstate_fail(&s, &t, 1));
	EXPECT_EQ(s.until - t.now, BLOCK / 2);
}

/* A first failure of two is NOTED: s blocks nothing */
static void begin_noted(void)
{
	begin();
	EXPECT(smcr_negstate_fail(&s, &t, 2));
	EXPECT_EQ(s.failures, 1);
	EXPECT(smcr_negstate_noted(&s));
	EXPECT_EQ(s.until - t.now, LONGEST);
}

static void notes(void)
{
	int i;

	begin_noted();
	for (i = 0; i < 10; i++) {
		EXPECT(!smcr_negstate_rests(&s, &t));
		EXPECT(!smcr_negstate_blocks(&s, &t));
	}
	/* The next one in a row blocks, for the time of a first one */
	EXPECT(smcr_negstate_fail(&s, &t, 2));
	EXPECT_EQ(s.failures, 2);
	EXPECT(!smcr_negstate_noted(&s));
	EXPECT_EQ(s.until - t.now, BLOCK);
	EXPECT(smcr_negstate_rests(&s, &t));
	EXPECT(smcr_negstate_blocks(&s, &t));
	/* From then on each failure counts */
	pass(BLOCK);
	EXPECT(!smcr_negstate_forgotten(&s, t.now));
	EXPECT(!smcr_negstate_rests(&s, &t));
	EXPECT(!smcr_negstate_blocks(&s, &t));
	EXPECT(smcr_negstate_blocks(&s, &t));
	EXPECT(smcr_negstate_fail(&s, &t, 2));
	EXPECT_EQ(s.failures, 3);
	EXPECT_EQ(s.until - t.now, 2 * BLOCK);
	EXPECT(smcr_negstate_blocks(&s, &t));
}

static void notes_once(void)
{
	int i;

	begin_noted();
	for (i = 0; i < 100; i++)
		EXPECT(!smcr_negstate_fail(&s, &t, 2));
	EXPECT(smcr_negstate_noted(&s));
	EXPECT_EQ(s.failures, 1);
	/* Two connections begin, and both fail */
	EXPECT(!smcr_negstate_blocks(&s, &t));
	EXPECT(!smcr_negstate_blocks(&s, &t));
	EXPECT(smcr_negstate_fail(&s, &t, 2));
	EXPECT(!smcr_negstate_fail(&s, &t, 2));
	EXPECT_EQ(s.failures, 2);
}

static void forgets(void)
{
	int i;

	begin_noted();
	pass(LONGEST - 1);
	EXPECT(!smcr_negstate_forgotten(&s, t.now));
	pass(1);
	EXPECT(smcr_negstate_forgotten(&s, t.now));
	/* Whether or not a connection has begun, the next failure is a first one */
	for (i = 0; i < 2; i++) {
		if (i)
			EXPECT(!smcr_negstate_blocks(&s, &t));
		EXPECT(smcr_negstate_forgotten(&s, t.now));
		EXPECT(smcr_negstate_fail(&s, &t, 2));
		EXPECT(smcr_negstate_noted(&s));
		EXPECT_EQ(s.failures, 1);
		EXPECT_EQ(s.until - t.now, LONGEST);
		pass(LONGEST);
	}
}

/* The failure is remembered until a connection that knows of it can fail */
static void waits(void)
{
	begin_noted();
	pass(LONGEST - 1);
	EXPECT(!smcr_negstate_blocks(&s, &t));
	pass(PROBE - 1);
	EXPECT(!smcr_negstate_forgotten(&s, t.now));
	/* Later ones do not prolong that */
	EXPECT(!smcr_negstate_blocks(&s, &t));
	pass(1);
	EXPECT(smcr_negstate_forgotten(&s, t.now));
	begin_noted();
	pass(LONGEST - 1);
	EXPECT(!smcr_negstate_blocks(&s, &t));
	pass(PROBE - 1);
	EXPECT(smcr_negstate_fail(&s, &t, 2));
	EXPECT_EQ(s.failures, 2);
	/* One that begins early does not make it shorter */
	begin_noted();
	EXPECT(!smcr_negstate_blocks(&s, &t));
	pass(LONGEST - 1);
	EXPECT(!smcr_negstate_forgotten(&s, t.now));
}

static void disabled(void)
{
	begin();
	EXPECT(smcr_negstate_mtu_lost(&s, &t, SMCR_MTU_4096));
	t.block = 0;
	EXPECT(!smcr_negstate_blocks(&s, &t));
	EXPECT_EQ(smcr_negstate_mtu(&s, &t, SMCR_MTU_4096), SMCR_MTU_4096);
	s = (struct smcr_negstate){};
	EXPECT(smcr_negstate_fail(&s, &t, 2));
	EXPECT(smcr_negstate_forgotten(&s, t.now));
}

/* Each first contact fails until the MTU is @fits; return what the last offers */
static u8 step_down(u8 full, u8 fits)
{
	u8 mtu = full, n;

	for (n = 1; mtu > fits && n <= SMCR_MTU_4096; n++) {
		EXPECT(smcr_negstate_mtu_lost(&s, &t, mtu));
		EXPECT_EQ(s.failures, n);
		EXPECT_EQ(smcr_negstate_mtu(&s, &t, full), mtu - 1);
		mtu = smcr_negstate_mtu(&s, &t, full);
	}
	return mtu;
}

static void steps_down(void)
{
	u8 full, fits;

	for (full = SMCR_MTU_256; full <= SMCR_MTU_4096; full++) {
		for (fits = 0; fits < full; fits++) {
			begin();
			EXPECT_EQ(step_down(full, fits), fits);
			/* It works, and the list remembers that a longer one does not */
			EXPECT(!fits || !smcr_negstate_mtu_works(&s, &t, fits, fits));
			EXPECT_EQ(smcr_negstate_mtu(&s, &t, full), fits);
			/* A port whose MTU is smaller is not concerned */
			EXPECT_EQ(smcr_negstate_mtu(&s, &t, SMCR_MTU_256), fits ? SMCR_MTU_256 : 0);
		}
	}
}

/* Connections that began together, and others with what the first has taught */
static void together(void)
{
	int i;

	begin();
	EXPECT(smcr_negstate_mtu_lost(&s, &t, SMCR_MTU_4096));
	for (i = 0; i < 100; i++)
		EXPECT(!smcr_negstate_mtu_lost(&s, &t, SMCR_MTU_4096));
	EXPECT_EQ(s.mtu, SMCR_MTU_2048);
	EXPECT_EQ(s.failures, 1);
	EXPECT(smcr_negstate_mtu_lost(&s, &t, SMCR_MTU_2048));
	EXPECT(!smcr_negstate_mtu_lost(&s, &t, SMCR_MTU_2048));
	EXPECT(!smcr_negstate_mtu_lost(&s, &t, SMCR_MTU_4096));
	EXPECT_EQ(s.mtu, SMCR_MTU_1024);
	EXPECT_EQ(s.failures, 2);
}

static void tries_full(void)
{
	begin();
	EXPECT_EQ(step_down(SMCR_MTU_4096, SMCR_MTU_1024), SMCR_MTU_1024);
	EXPECT_EQ(s.until - t.now, 2 * BLOCK);
	pass(2 * BLOCK);
	/* One first contact offers all that its port has */
	EXPECT_EQ(smcr_negstate_mtu(&s, &t, SMCR_MTU_4096), SMCR_MTU_4096);
	EXPECT_EQ(smcr_negstate_mtu(&s, &t, SMCR_MTU_4096), SMCR_MTU_1024);
	/* It fails: no step is taken twice */
	EXPECT(smcr_negstate_mtu_lost(&s, &t, SMCR_MTU_4096));
	EXPECT_EQ(s.until - t.now, 4 * BLOCK);
	EXPECT_EQ(smcr_negstate_mtu(&s, &t, SMCR_MTU_4096), SMCR_MTU_1024);
	/* The peer offers less than this host, so nothing is learnt */
	pass(4 * BLOCK);
	EXPECT_EQ(smcr_negstate_mtu(&s, &t, SMCR_MTU_4096), SMCR_MTU_4096);
	EXPECT(!smcr_negstate_mtu_works(&s, &t, SMCR_MTU_4096, SMCR_MTU_1024));
	EXPECT_EQ(smcr_negstate_mtu(&s, &t, SMCR_MTU_4096), SMCR_MTU_4096);
	/* It works: the entry is not needed */
	EXPECT(smcr_negstate_mtu_works(&s, &t, SMCR_MTU_4096, SMCR_MTU_4096));
	EXPECT(smcr_negstate_mtu_works(&s, &t, SMCR_MTU_2048, SMCR_MTU_2048));
}

/* A first contact with what is left succeeds while another one tries more */
static void beside_try(void)
{
	begin();
	EXPECT_EQ(step_down(SMCR_MTU_4096, SMCR_MTU_2048), SMCR_MTU_2048);
	pass(BLOCK);
	EXPECT_EQ(smcr_negstate_mtu(&s, &t, SMCR_MTU_4096), SMCR_MTU_4096);
	EXPECT(!smcr_negstate_mtu_works(&s, &t, SMCR_MTU_2048, SMCR_MTU_2048));
	/* The loss is news, and the time doubles */
	EXPECT(smcr_negstate_mtu_lost(&s, &t, SMCR_MTU_4096));
	EXPECT_EQ(s.failures, 2);
	EXPECT_EQ(s.until - t.now, 2 * BLOCK);
}

/* Both ends have lost the path, and the time of each is up at another moment */
static void both_ends(void)
{
	struct smcr_negstate other;
	u8 here, there;
	int i;

	begin();
	EXPECT(smcr_negstate_mtu_lost(&s, &t, SMCR_MTU_4096));
	pass(PROBE / 2);
	other = (struct smcr_negstate){};
	EXPECT(smcr_negstate_mtu_lost(&other, &t, SMCR_MTU_4096));
	pass(BLOCK - PROBE / 2);
	for (i = 0; i < 3 * PROBE; i++, pass(1)) {
		here = smcr_negstate_mtu(&s, &t, SMCR_MTU_4096);
		there = smcr_negstate_mtu(&other, &t, SMCR_MTU_4096);
		if (here == there && here == SMCR_MTU_4096)
			break;
		EXPECT(!smcr_negstate_mtu_works(&s, &t, here, SMCR_MTU_2048));
		EXPECT(!smcr_negstate_mtu_works(&other, &t, there, SMCR_MTU_2048));
	}
	EXPECT_EQ(i, PROBE / 2);
}

static void bytes(void)
{
	EXPECT_EQ(smcr_mtu_bytes(0), 0);
	EXPECT_EQ(smcr_mtu_bytes(SMCR_MTU_256), 256);
	EXPECT_EQ(smcr_mtu_bytes(SMCR_MTU_1024), 1024);
	EXPECT_EQ(smcr_mtu_bytes(SMCR_MTU_4096), 4096);
}

static const struct fact facts[] = {
	{ "an entry blocks for its time, then one connection at a time tries", blocks },
	{ "failures that an entry could not prevent count once", counts_once },
	{ "each failure doubles the time, up to a limit", doubles },
	{ "a first failure of two blocks nothing, the second does", notes },
	{ "failures of connections that began before the first count with it", notes_once },
	{ "a first failure is forgotten after its time", forgets },
	{ "a first failure is not forgotten while a connection tries", waits },
	{ "a time of 0 blocks nothing", disabled },
	{ "each lost MTU leads to the next smaller one, and then to none", steps_down },
	{ "connections that lose the same MTU together take one step", together },
	{ "the whole MTU is tried again, and no step is repeated", tries_full },
	{ "a smaller MTU that works says nothing about a try", beside_try },
	{ "two ends try the whole MTU at the same time", both_ends },
	{ "an MTU code is a number of bytes", bytes },
};

PROVE(facts, NULL);
