/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The front end of tap.h in user space: a program that prints TAP.
 */
#ifndef _SMCR_UNIT_TAP_USER_H
#define _SMCR_UNIT_TAP_USER_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SPARSE	1

#define note(fmt, ...)	printf("# " fmt "\n", ##__VA_ARGS__)

static inline void tap_fail(const char *file, int line, const char *what)
{
	note("%s:%d: %s", file, line, what);
}

/* From the environment, else from the clock */
static inline u64 tap_seed(void)
{
	const char *env = getenv("SEED");
	struct timespec ts;

	if (env && *env)
		return strtoull(env, NULL, 0);
	clock_gettime(CLOCK_REALTIME, &ts);
	return (u64)ts.tv_sec * 1000000000ULL + (u64)ts.tv_nsec;
}

static inline void *zalloc(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		abort();
	return p;
}

static inline void release(void *p)
{
	free(p);
}

static inline unsigned int steps(unsigned int all)
{
	return all;
}

static int tap_run(const struct fact *facts, unsigned int nr)
{
	unsigned int i, bad = 0;

	printf("TAP version 13\n1..%u\n", nr);
	for (i = 0; i < nr; i++) {
		tap_misses = 0;
		facts[i].check();
		bad += !!tap_misses;
		printf("%sok %u %s\n", tap_misses ? "not " : "", i + 1,
		       facts[i].says);
		fflush(stdout);
	}
	return bad ? 1 : 0;
}

int main(void)
{
	u64 seed = tap_seed();

	note("SEED=%llu", seed);
	rnd_init(seed);
	if (tap_file.prepare)
		tap_file.prepare();
	return tap_run(tap_file.facts, tap_file.nr);
}

#endif
