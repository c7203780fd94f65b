// SPDX-License-Identifier: GPL-2.0
/*
 * Handshakes of each source (sources.h), beside exact counts.
 */
#include "tap.h"
#include "sources.h"

/* Sources that are counted exactly, too */
#define EXACT	64

static struct smcr_sources s;

static u64 hash_of(u32 slot0, u32 slot1)
{
	return (u64)slot1 << 32 | slot0;
}

static void add(u64 hash, int n)
{
	for (; n > 0; n--)
		smcr_sources_add(&s, hash, 1);
	for (; n < 0; n++)
		smcr_sources_add(&s, hash, -1);
}

static void one_source(void)
{
	const u64 hash = hash_of(17, 400);

	memset(&s, 0, sizeof(s));
	EXPECT_EQ(smcr_sources_count(&s, hash), 0);
	add(hash, 3);
	EXPECT_EQ(smcr_sources_count(&s, hash), 3);
	add(hash, -3);
	EXPECT_EQ(smcr_sources_count(&s, hash), 0);
}

/* Slots beyond the last one, in both halves of a hash */
static void high_bits(void)
{
	memset(&s, 0, sizeof(s));
	add(~0ull, 2);
	add(0, 1);
	EXPECT_EQ(smcr_sources_count(&s, ~0ull), 2);
	EXPECT_EQ(smcr_sources_count(&s, 0), 1);
	EXPECT_EQ(smcr_sources_count(&s, hash_of(SMCR_SOURCES_SLOTS - 1,
						 SMCR_SOURCES_SLOTS - 1)), 2);
}

/* Whoever shares one counter with a source that has its share is not counted
 * with it.
 */
static void shares_one(void)
{
	memset(&s, 0, sizeof(s));
	add(hash_of(5, 6), 256);
	EXPECT_EQ(smcr_sources_count(&s, hash_of(5, 7)), 0);
	EXPECT_EQ(smcr_sources_count(&s, hash_of(4, 6)), 0);
	add(hash_of(5, 7), 1);
	EXPECT_EQ(smcr_sources_count(&s, hash_of(5, 7)), 1);
	EXPECT_EQ(smcr_sources_count(&s, hash_of(5, 6)), 256);
}

/* A reader may see the end of a handshake before its beginning. */
static void half_removed(void)
{
	memset(&s, 0, sizeof(s));
	atomic_add(-1, &s.n[1][9]);
	EXPECT_EQ(smcr_sources_count(&s, hash_of(9, 9)), 0);
}

static void never_too_low(void)
{
	u64 hash[EXACT];
	u32 n[EXACT] = { 0 };
	u32 i, step, high = 0;

	memset(&s, 0, sizeof(s));
	for (i = 0; i < EXACT; i++)
		hash[i] = rnd();
	for (step = 0; step < steps(20000); step++) {
		i = rnd_below(EXACT);
		if (n[i] && !rnd_below(2)) {
			add(hash[i], -1);
			n[i]--;
		} else {
			add(hash[i], 1);
			n[i]++;
		}
		EXPECT(smcr_sources_count(&s, hash[i]) >= n[i]);
		high += smcr_sources_count(&s, hash[i]) > n[i];
	}
	note("%u of %u answers too high", high, step);
	for (i = 0; i < EXACT; i++)
		add(hash[i], -(int)n[i]);
	for (i = 0; i < SMCR_SOURCES_SLOTS; i++)
		EXPECT(!atomic_read(&s.n[0][i]) && !atomic_read(&s.n[1][i]));
}

static const struct fact facts[] = {
	{ "a source has as many handshakes as began and did not end", one_source },
	{ "each bit of a hash leads to a counter", high_bits },
	{ "a source that has its share stands in nobody's way", shares_one },
	{ "no count is below zero", half_removed },
	{ "no count is too low, and all are zero in the end", never_too_low },
};

PROVE(facts, NULL);
