// SPDX-License-Identifier: GPL-2.0
/*
 * Arithmetic choices of a link group (lgr_policy.c).
 */
#include "tap.h"
#include "lgr_policy.h"

static void numbers(void)
{
	struct smcr_link_nums nums = { 0 };
	const u8 live[] = { 1, 2 };
	bool used[256] = { false };
	int i, num;

	for (i = 0; i < 255; i++) {
		num = smcr_link_nums_next(&nums, NULL, 0);
		EXPECT(num >= 1 && num <= 255 && !used[num]);
		used[num] = true;
	}
	/* all were used once: numbers return, except those in use */
	for (i = 0; i < 253; i++) {
		num = smcr_link_nums_next(&nums, live, 2);
		EXPECT(num > 2 && used[num]);
		used[num] = false;
	}
	EXPECT_EQ(smcr_link_nums_next(&nums, live, 1), 2);
}

static void numbers_start(void)
{
	struct smcr_link_nums nums = { 0 };

	EXPECT_EQ(smcr_link_nums_next(&nums, NULL, 0), 1);
	EXPECT_EQ(smcr_link_nums_next(&nums, NULL, 0), 2);
}

/* A number in use that this table has not given out is in use all the same */
static void numbers_live(void)
{
	struct smcr_link_nums nums = { 0 };
	const u8 live[] = { 1, 3 };
	int i;

	EXPECT_EQ(smcr_link_nums_take(&nums, 3, live, 2), -EEXIST);
	EXPECT_EQ(smcr_link_nums_next(&nums, live, 2), 2);
	EXPECT_EQ(smcr_link_nums_next(&nums, live, 2), 4);
	for (i = 5; i < 256; i++)
		EXPECT_EQ(smcr_link_nums_next(&nums, live, 2), i);
	EXPECT_EQ(smcr_link_nums_next(&nums, live, 2), 2);
}

static void numbers_exhausted(void)
{
	struct smcr_link_nums nums = { 0 };
	u8 live[255];
	int i;

	for (i = 0; i < 255; i++)
		live[i] = (u8)smcr_link_nums_next(&nums, live, (u8)i);
	EXPECT_EQ(smcr_link_nums_next(&nums, live, 255), -ENOSPC);
}

static void numbers_taken(void)
{
	struct smcr_link_nums nums = { 0 };
	const u8 live[] = { 7 };

	EXPECT_EQ(smcr_link_nums_take(&nums, 0, NULL, 0), -EINVAL);
	EXPECT_EQ(smcr_link_nums_take(&nums, 7, NULL, 0), 0);
	EXPECT_EQ(smcr_link_nums_take(&nums, 7, live, 1), -EEXIST);
	EXPECT_EQ(smcr_link_nums_take(&nums, 9, live, 1), 0);
	EXPECT(smcr_link_nums_given(&nums, 9));
	EXPECT(!smcr_link_nums_given(&nums, 10));
	/* A client may not have seen some of the numbers in between */
	EXPECT_EQ(smcr_link_nums_take(&nums, 9, live, 1), 0);
	EXPECT_EQ(smcr_link_nums_take(&nums, 7, live, 1), -EEXIST);
	EXPECT_EQ(smcr_link_nums_take(&nums, 7, NULL, 0), 0);
}

static void numbers_dropped(void)
{
	struct smcr_link_nums nums = { 0 };

	EXPECT(!smcr_link_nums_drop(&nums, 0));
	EXPECT(!smcr_link_nums_drop(&nums, 255));
	EXPECT_EQ(smcr_link_nums_take(&nums, 255, NULL, 0), 0);
	EXPECT_EQ(smcr_link_nums_take(&nums, 254, NULL, 0), 0);
	EXPECT(smcr_link_nums_drop(&nums, 255));
	EXPECT(!smcr_link_nums_drop(&nums, 255));
	EXPECT(smcr_link_nums_given(&nums, 254));
}

static void max_links(void)
{
	EXPECT_EQ(smcr_lgr_policy_max_links(8, 2), 2);
	EXPECT_EQ(smcr_lgr_policy_max_links(2, 8), 2);
	EXPECT_EQ(smcr_lgr_policy_max_links(2, 0), 2);
	EXPECT_EQ(smcr_lgr_policy_max_links(2, 1), 2);
	EXPECT_EQ(smcr_lgr_policy_max_links(8, 1), 2);
	EXPECT_EQ(smcr_lgr_policy_max_links(8, 255), 8);
}

/* All combinations of both ends' ports, an asymmetric link, and room */
static void add_link(void)
{
	struct smcr_add_link_view v = { .mtu = 3, .nr_symmetric = 1,
					.max_links = 2 };

	v.same_peer_port = true;
	v.spare_port = false;
	EXPECT_EQ(smcr_lgr_policy_add_link(&v), SMCR_LLC_ADD_NO_PATH);
	v.spare_port = true;
	EXPECT_EQ(smcr_lgr_policy_add_link(&v), 0);
	v.has_asymmetric = true;
	EXPECT_EQ(smcr_lgr_policy_add_link(&v), SMCR_LLC_ADD_NO_PATH);

	v.same_peer_port = false;
	EXPECT_EQ(smcr_lgr_policy_add_link(&v), 0);
	v.nr_symmetric = 2;
	EXPECT_EQ(smcr_lgr_policy_add_link(&v), SMCR_LLC_ADD_NO_PATH);
	v.spare_port = false;
	EXPECT_EQ(smcr_lgr_policy_add_link(&v), SMCR_LLC_ADD_NO_PATH);
	v.has_asymmetric = false;
	EXPECT_EQ(smcr_lgr_policy_add_link(&v), 0);
}

/* Device and port n of the local host, and GID n of the peer */
#define ENDS(l, r, a)	{ .dev = &local[l], .port = 1, .peer_gid = remote[r], .age = a }

static const char local[4];
static const u8 remote[4][SMCR_GID_LEN] = { { 1 }, { 2 }, { 3 }, { 4 } };

/* Both functions for the links in @ends */
#define KINDS(ends, asymmetric, unneeded)						\
	do {										\
		EXPECT_EQ(smcr_lgr_policy_asymmetric(ends, ARRAY_SIZE(ends)),		\
			  asymmetric);							\
		EXPECT_EQ(smcr_lgr_policy_unneeded(ends, ARRAY_SIZE(ends)), unneeded);	\
	} while (0)

static void asymmetric(void)
{
	const struct smcr_link_ends one[] = { ENDS(0, 0, 0) };
	const struct smcr_link_ends two[] = { ENDS(0, 0, 0), ENDS(1, 1, 1) };
	const struct smcr_link_ends here[] = { ENDS(0, 0, 0), ENDS(0, 1, 1) };
	const struct smcr_link_ends there[] = { ENDS(1, 0, 8), ENDS(0, 0, 7) };
	const struct smcr_link_ends beside[] = {
		ENDS(0, 0, 0), ENDS(1, 1, 1), ENDS(2, 1, 2),
	};
	struct smcr_link_ends port2[] = { ENDS(0, 0, 0), ENDS(0, 1, 1) };

	EXPECT_EQ(smcr_lgr_policy_asymmetric(one, 0), 0);
	KINDS(one, 0, 0);
	KINDS(two, 0, 0);
	KINDS(here, 2, 0);
	KINDS(there, 1, 0);
	KINDS(beside, 4, 0);
	/* Two ports of one device are two ports */
	port2[1].port = 2;
	KINDS(port2, 0, 0);
}

/* The link that replaces an asymmetric one shares a port with it, and is
 * symmetric all the same
 */
static void unneeded(void)
{
	struct smcr_link_ends here[] = { ENDS(0, 0, 0), ENDS(0, 1, 1), ENDS(1, 1, 2) };
	struct smcr_link_ends there[] = { ENDS(1, 1, 9), ENDS(1, 0, 8), ENDS(0, 0, 7) };
	const struct smcr_link_ends wrapped[] = {
		ENDS(1, 1, 1), ENDS(0, 1, 0), ENDS(0, 0, 0xFFFFFFFF),
	};
	/* The symmetric links use one port of the asymmetric one */
	const struct smcr_link_ends kept[] = {
		ENDS(0, 0, 0), ENDS(0, 1, 1), ENDS(1, 2, 2),
	};
	/* Without the first one the second one is symmetric */
	const struct smcr_link_ends first_lost[] = { ENDS(0, 1, 1), ENDS(1, 1, 2) };

	KINDS(here, 2, 2);
	KINDS(there, 2, 2);
	KINDS(wrapped, 2, 2);
	KINDS(kept, 2, 0);
	KINDS(first_lost, 2, 0);
	/* The order of age counts, not that of slots */
	here[1].age = 3;
	here[2].age = 1;
	KINDS(here, 2, 2);
}

static void in_the_way(void)
{
	struct smcr_link_ends ends[SMCR_MAX_LINKS];
	const u8 gid[SMCR_MAX_LINKS][SMCR_GID_LEN] = {
		{ 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { 6 }, { 7 }, { 8 },
	};
	static const char dev[SMCR_MAX_LINKS];
	u8 i;

	for (i = 0; i < SMCR_MAX_LINKS; i++)
		ends[i] = (struct smcr_link_ends){
			.dev = &dev[i], .port = 1, .peer_gid = gid[i], .age = i,
		};
	EXPECT_EQ(smcr_lgr_policy_in_the_way(ends, SMCR_MAX_LINKS, true), -1);
	/* It shares a local port: the client's port is there */
	ends[7].dev = &dev[2];
	EXPECT_EQ(smcr_lgr_policy_in_the_way(ends, SMCR_MAX_LINKS, false), 7);
	EXPECT_EQ(smcr_lgr_policy_in_the_way(ends, SMCR_MAX_LINKS - 1, true), -1);
	/* Another link makes room without this */
	ends[7].peer_gid = gid[3];
	EXPECT_EQ(smcr_lgr_policy_in_the_way(ends, SMCR_MAX_LINKS, true), -1);
	/* It shares the client's port: the client has to have another one */
	ends[7].dev = &dev[7];
	EXPECT_EQ(smcr_lgr_policy_in_the_way(ends, SMCR_MAX_LINKS, false), -1);
	EXPECT_EQ(smcr_lgr_policy_in_the_way(ends, SMCR_MAX_LINKS, true), 7);
}

static void add_link_mtu(void)
{
	struct smcr_add_link_view v = { .spare_port = true, .nr_symmetric = 1,
					.max_links = 2 };

	for (v.mtu = 0; v.mtu < 16; v.mtu++)
		EXPECT_EQ(smcr_lgr_policy_add_link(&v),
			  v.mtu >= 1 && v.mtu <= 5 ? 0 : SMCR_LLC_ADD_BAD_MTU);
	v.mtu = 0;
	v.spare_port = false;
	v.same_peer_port = true;
	EXPECT_EQ(smcr_lgr_policy_add_link(&v), SMCR_LLC_ADD_BAD_MTU);
}

static void add_link_names(void)
{
	struct smcr_llc_add_link msg = { .link_num = 1, .qpn = 2 };

	EXPECT(smcr_add_link_names_link(&msg));
	msg.qpn = 1;
	EXPECT(!smcr_add_link_names_link(&msg));
	msg.qpn = 2;
	msg.link_num = 0;
	EXPECT(!smcr_add_link_names_link(&msg));
}

static void retry(void)
{
	static const u32 ms[] = { 1000, 2000, 4000, 8000, 16000, 32000, 60000 };
	unsigned int i, last = 0;

	for (i = 0; i < ARRAY_SIZE(ms); i++)
		EXPECT_EQ(smcr_lgr_policy_retry_ms(i, 1000, 60000), ms[i]);
	for (; i < 200; i++)
		EXPECT_EQ(smcr_lgr_policy_retry_ms(i, 1000, 60000), 60000);
	EXPECT_EQ(smcr_lgr_policy_retry_ms(~0U, 1000, 60000), 60000);
	for (i = 0; i < 40; i++) {
		EXPECT(smcr_lgr_policy_retry_ms(i, 100, ~0U) >= last);
		last = smcr_lgr_policy_retry_ms(i, 100, ~0U);
	}
	EXPECT_EQ(last, ~0U);
	EXPECT_EQ(smcr_lgr_policy_retry_ms(40, ~0U, ~0U), ~0U);
}

static void retry_limit(void)
{
	EXPECT_EQ(smcr_lgr_policy_retry_ms(0, 1000, 1000), 1000);
	EXPECT_EQ(smcr_lgr_policy_retry_ms(9, 1000, 1000), 1000);
	EXPECT_EQ(smcr_lgr_policy_retry_ms(0, 1000, 500), 500);
	EXPECT_EQ(smcr_lgr_policy_retry_ms(3, 1000, 500), 500);
}

static void room(void)
{
	EXPECT(smcr_lgr_policy_has_room(SMCR_DIALECT_LINUX, 254, 254));
	EXPECT(!smcr_lgr_policy_has_room(SMCR_DIALECT_LINUX, 254, 255));
	EXPECT(!smcr_lgr_policy_has_room(SMCR_DIALECT_LINUX, 255, 1));
	EXPECT(smcr_lgr_policy_has_room(SMCR_DIALECT_RFC, 5000, 254));
	EXPECT(!smcr_lgr_policy_has_room(SMCR_DIALECT_RFC, 10, 255));
}

/* Peers with 63 connections each, as long as each has its elements. Return: the
 * number of peers.
 */
static unsigned int peers_served(u32 left)
{
	unsigned int peers, used, total, nr;
	u32 n;

	for (peers = 0; peers < 1000; peers++) {
		for (total = 0, nr = 0, used = 0; used < 63; used++) {
			while (!total || smcr_lgr_policy_want_rmb(used, total)) {
				n = smcr_lgr_policy_rmb_elements(0xFFFFFFFF, 131072, nr++, left);
				if (left < n * 131072)
					break;
				left -= n * 131072;
				total += n;
			}
			if (used == total)
				return peers;
		}
	}
	return peers;
}

static void rmb_share(void)
{
	const u32 big = 0xFFFFFFFF, size = 131072;

	/* An eighth of what is left, but no less than a first RMB has */
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(big, size, 3, 800 * size), 100);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(big, size, 2, 800 * size), 64);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(big, size, 3, 8 * size), 4);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(big, size, 0, 8 * size), 4);
	/* All that is left, and one that will be refused */
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(big, size, 3, 3 * size), 3);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(big, size, 0, 3 * size + 1), 3);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(big, size, 0, size - 1), 1);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(size - 1, size, 0, 0), 0);
	/* 32 would be all */
	EXPECT(peers_served(256 << 20) >= 16);
}

static void rmb_elements(void)
{
	const u32 rxe = 512 * 4096, plenty = 0xFFFFFFFF;

	EXPECT_EQ(smcr_lgr_policy_rmb_elements(rxe, 131072, 0, plenty), 4);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(rxe, 131072, 1, plenty), 16);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(rxe, 131072, 9, plenty), 16);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(rxe, 16384, 1, plenty), 16);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(rxe, 16384, 2, plenty), 64);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(rxe, 16384, 3, plenty), 128);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(rxe, 524288, 0, plenty), 4);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(0xFFFFFFFF, 16384, 3, plenty), 255);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(0xFFFFFFFF, 16384, 2, plenty), 64);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(0xFFFFFFFF, 16384, 254, plenty), 255);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(65536, 131072, 0, plenty), 0);
	EXPECT_EQ(smcr_lgr_policy_rmb_elements(131072, 131072, 5, plenty), 1);
}

static void watermark(void)
{
	EXPECT(!smcr_lgr_policy_want_rmb(2, 4));
	EXPECT(smcr_lgr_policy_want_rmb(3, 4));
	EXPECT(!smcr_lgr_policy_want_rmb(191, 255));
	EXPECT(smcr_lgr_policy_want_rmb(192, 255));
	EXPECT(smcr_lgr_policy_want_rmb(0, 0));
	EXPECT(smcr_lgr_policy_want_rmb(1, 1));
	EXPECT(!smcr_lgr_policy_want_rmb(3936, 4000));
	EXPECT(smcr_lgr_policy_want_rmb(3937, 4000));
}

static const struct fact facts[] = {
	{ "a link number returns only after all 255 were used, never while in use", numbers },
	{ "link numbers start at 1", numbers_start },
	{ "a number in use is never given out", numbers_live },
	{ "255 links leave no number", numbers_exhausted },
	{ "a client refuses a number that is in use or was used", numbers_taken },
	{ "a number can be taken out of a set, once", numbers_dropped },
	{ "the smaller link limit holds, and 0 means no limit", max_links },
	{ "a parallel link and a second asymmetric one are refused", add_link },
	{ "a link that shares a port with an older symmetric one is asymmetric", asymmetric },
	{ "it is not needed when symmetric links use both its ports", unneeded },
	{ "in a group of eight links it makes way for a symmetric one", in_the_way },
	{ "a bad MTU is refused with its own reason", add_link_mtu },
	{ "a server's ADD LINK names a link and a queue pair", add_link_names },
	{ "retries wait twice as long each time, up to a limit", retry },
	{ "the limit of that time holds for the first retry, too", retry_limit },
	{ "a group has at most 255 RMBs, one with Linux also 255 connections", room },
	{ "RMBs grow from 4 elements to what one region maps", rmb_elements },
	{ "an RMB leaves memory to other groups", rmb_share },
	{ "another RMB is wanted when 75 % are used and less than 64 are free", watermark },
};

PROVE(facts, NULL);
