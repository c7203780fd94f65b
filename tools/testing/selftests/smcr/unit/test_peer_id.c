// SPDX-License-Identifier: GPL-2.0
/*
 * The peer ID of a stack (peer_id.h), on a made-up clock.
 */
#include "tap.h"
#include "peer_id.h"

#define SECOND	1000000000ull

/* Some time in 2026 */
static const u64 start = 1790000000 * SECOND;

static const u8 mac_a[SMCR_MAC_LEN] = { 0x52, 0x54, 0, 0x12, 0x34, 0x56 };
static const u8 mac_b[SMCR_MAC_LEN] = { 0x52, 0x54, 0, 0x12, 0x34, 0x57 };
static const u8 mac_random[SMCR_MAC_LEN] = { 0x02, 1, 2, 3, 4, 5 };

/* Stacks that start at the same time have numbers of their own. */
static void at_once(void)
{
	u64 first = smcr_peer_id_next(0, start), last = first;
	unsigned int i;

	for (i = 1; i < 65536; i++) {
		EXPECT_EQ(smcr_peer_id_next(last, start), last + 1);
		last = smcr_peer_id_next(last, start);
	}
	EXPECT_EQ(last - first, 65535);
}

/* A host starts seven stacks a second for two hours, then restarts. */
static void after_restart(void)
{
	u64 now = start, first = 0, last = 0, next;
	unsigned int second, i;

	for (second = 0; second < 7200; second++) {
		for (i = 0; i < 7; i++) {
			last = smcr_peer_id_next(last, now);
			first = first ?: last;
		}
		now += SECOND;
	}
	next = smcr_peer_id_next(0, now);
	EXPECT(next > last);
	/* What peers see of it is none of the old numbers. */
	EXPECT(next - first < 65536);
}

/* A crowd of stacks is forgotten by the clock, not only by a restart. */
static void after_crowd(void)
{
	u64 last = smcr_peer_id_next(0, start);
	unsigned int i;

	for (i = 0; i < 1000; i++)
		last = smcr_peer_id_next(last, start);
	EXPECT(smcr_peer_id_next(0, start + 100 * SECOND) <= last);
	EXPECT(smcr_peer_id_next(0, start + 140 * SECOND) > last);
	last = smcr_peer_id_next(last, start + 1000 * SECOND);
	EXPECT_EQ(last, smcr_peer_id_next(0, start + 1000 * SECOND));
}

static void clock_set_back(void)
{
	u64 last = smcr_peer_id_next(0, start);

	EXPECT_EQ(smcr_peer_id_next(last, start - 1000 * SECOND), last + 1);
	EXPECT_EQ(smcr_peer_id_next(last, 0), last + 1);
}

static void of_port(void)
{
	struct smcr_peer_id id;

	memset(&id, 0, sizeof(id));
	EXPECT(smcr_peer_id_due(&id, false) && smcr_peer_id_due(&id, true));
	smcr_peer_id_make(&id, 0x51234, mac_random, false);
	EXPECT_EQ(id.raw[0], 0x12);
	EXPECT_EQ(id.raw[1], 0x34);
	EXPECT(!memcmp(id.raw + 2, mac_random, sizeof(mac_random)));
	EXPECT(!smcr_peer_id_due(&id, false) && smcr_peer_id_due(&id, true));
	smcr_peer_id_make(&id, 0x51235, mac_a, true);
	EXPECT_EQ(id.raw[1], 0x35);
	EXPECT(!memcmp(id.raw + 2, mac_a, sizeof(mac_a)));
	EXPECT(memcmp(id.raw + 2, mac_b, sizeof(mac_b)));
	EXPECT(!smcr_peer_id_due(&id, false) && !smcr_peer_id_due(&id, true));
}

static const struct fact facts[] = {
	{ "stacks that start at once have numbers of their own", at_once },
	{ "no number returns after a restart", after_restart },
	{ "the clock catches up with many stacks at once", after_crowd },
	{ "no number returns when the clock is set back", clock_set_back },
	{ "a peer ID has the MAC of the first port, and keeps it", of_port },
};

PROVE(facts, NULL);
