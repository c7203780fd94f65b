// SPDX-License-Identifier: GPL-2.0
/*
 * hostile - a hand-made peer for the CLC handshake
 *
 * usage: hostile agent KIND ADDRESS ADDRESS6
 *        hostile list client|server|relay
 *        hostile run client|server|relay GROUP
 *        hostile stop
 *        hostile silent|times|broken ...
 *
 * The agent runs on the host under test. The environment gives the addresses (US,
 * THEM, US6, THEM6) and SLOW, a factor for deadlines. On the debug kernel SEED
 * selects one case in three, unless SMCR_SOAK is set.
 */
#define _GNU_SOURCE
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct hostile hostile;

static const struct group *groups_of(const char *role)
{
	if (!strcmp(role, "client"))
		return client_groups;
	if (!strcmp(role, "server"))
		return server_groups;
	return relay_groups;
}

static const char *need(const char *name)
{
	const char *val = getenv(name);

	if (!val)
		util_die("%s is not set", name);
	return val;
}

/**
 * sampled() - decide whether to run the next case
 *
 * Return: true if every case runs or the seed has selected this one
 */
bool sampled(void)
{
	return util_random(&hostile.seed) % hostile.every == 0;
}

static void choose(void)
{
	const char *kernel = getenv("BED_KERNEL");
	const char *seed = getenv("SEED");

	hostile.every = 1;
	if (!kernel || !strcmp(kernel, "release") || getenv("SMCR_SOAK"))
		return;
	hostile.every = 3;
	hostile.seed = seed ? strtoull(seed, NULL, 0) : (__u64)time(NULL);
	printf("one case in three, SEED=%llu\n", hostile.seed);
}

/* The peer ID and MAC are made up; the GID is real, so that RoCE can reach it. */
static void set_identity(void)
{
	union util_addr addr;
	uint8_t gid[16] = { [10] = 0xff, [11] = 0xff };

	hostile.us = need("US");
	hostile.them = need("THEM");
	hostile.us6 = need("US6");
	hostile.them6 = need("THEM6");
	util_addr_parse(&addr, AF_INET, hostile.us, 0);
	memcpy(gid + 12, &addr.v4.sin_addr, 4);
	memcpy(hostile.id.gid, gid, 16);
	memcpy(hostile.id.peer, "\xba\xd0\x52\x54\x00\xbb\xbb\xbb", 8);
	memcpy(hostile.id.mac, "\x52\x54\x00\xbb\xbb\xbb", 6);
}

static void set_up(void)
{
	set_identity();
	agent_dial();
}

/* Let an honest client set up its link group, so that counters are steady then. */
static void first_contact(void)
{
	struct stat_set then;
	char why[128];

	agent_stat(&then);
	if (!ping("smcr4", hostile.them, PORT_ECHO, why, sizeof(why)))
		util_die("an honest client, before any case: %s", why);
	stat_wait(&then, "ConnsClosed", 1);
}

static int run_group(const char *role, const char *name)
{
	const struct group *g;

	set_up();
	choose();
	if (strcmp(role, "server"))
		first_contact();
	for (g = groups_of(role); g->name; g++) {
		if (strcmp(g->name, name))
			continue;
		g->run();
		return hostile.bad ? 1 : 0;
	}
	util_die("no group %s", name);
}

int main(int argc, char **argv)
{
	const struct group *g;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 5 && !strcmp(argv[1], "agent"))
		return agent_main(argv[2], argv[3], argv[4]);
	if (argc == 3 && !strcmp(argv[1], "list")) {
		for (g = groups_of(argv[2]); g->name; g++)
			printf("%s\t%s\n", g->name, g->fact);
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "run"))
		return run_group(argv[2], argv[3]);
	if (argc == 2 && !strcmp(argv[1], "stop")) {
		set_up();
		agent_ask("stop");
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "silent"))
		return silent_main(argc - 2, argv + 2);
	if (argc > 2 && !strcmp(argv[1], "times"))
		return times_main(argc - 2, argv + 2);
	if (argc > 2 && !strcmp(argv[1], "broken")) {
		set_identity();
		return broken_main(argc - 2, argv + 2);
	}
	util_die("usage: see hostile.c");
}
