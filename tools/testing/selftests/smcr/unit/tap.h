/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small TAP harness. A test program is a list of facts; each has a function
 * that checks it with EXPECT() and EXPECT_EQ().
 */
#ifndef _SMCR_UNIT_TAP_H
#define _SMCR_UNIT_TAP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/types.h>

struct fact {
	const char *says;
	void (*check)(void);
};

static unsigned int tap_misses;

/* Print only the first few misses of a fact */
static inline bool tap_miss(const char *file, int line, const char *what)
{
	if (++tap_misses <= 5)
		printf("# %s:%d: %s\n", file, line, what);
	return tap_misses <= 5;
}

#define EXPECT(cond)							\
	do {								\
		if (!(cond))						\
			tap_miss(__FILE__, __LINE__, #cond);		\
	} while (0)

#define EXPECT_EQ(got, want)						\
	do {								\
		long long got_ = (long long)(got);			\
		long long want_ = (long long)(want);			\
									\
		if (got_ != want_ &&					\
		    tap_miss(__FILE__, __LINE__, #got " == " #want))	\
			printf("#   got %lld, want %lld\n", got_, want_);\
	} while (0)

static inline void tap_hex(const char *what, const u8 *p, size_t len)
{
	size_t i;

	printf("#   %s", what);
	for (i = 0; i < len; i++)
		printf("%s%02x", i % 4 ? "" : " ", p[i]);
	printf("\n");
}

static inline void tap_bytes(const char *file, int line, const char *what,
			     const u8 *got, const u8 *want, size_t len)
{
	if (!memcmp(got, want, len) || !tap_miss(file, line, what))
		return;
	tap_hex("got ", got, len);
	tap_hex("want", want, len);
}

#define EXPECT_BYTES(got, want, len)					\
	tap_bytes(__FILE__, __LINE__, #got " == " #want, got, want, len)

static inline int tap_run(const struct fact *facts, unsigned int nr)
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

/* Random numbers: xorshift64*, seeded by SEED or the clock. The seed is
 * printed, so that a run can be repeated.
 */
static u64 rnd_state;

static inline void rnd_init(void)
{
	const char *env = getenv("SEED");
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	rnd_state = (u64)ts.tv_sec * 1000000000ULL + (u64)ts.tv_nsec;
	if (env && *env)
		rnd_state = strtoull(env, NULL, 0);
	printf("# SEED=%llu\n", (unsigned long long)rnd_state);
	if (!rnd_state)
		rnd_state = 1;
}

static inline u64 rnd(void)
{
	rnd_state ^= rnd_state >> 12;
	rnd_state ^= rnd_state << 25;
	rnd_state ^= rnd_state >> 27;
	return rnd_state * 0x2545F4914F6CDD1DULL;
}

/* A number from 0 to n-1 */
static inline u32 rnd_below(u32 n)
{
	return (u32)((rnd() >> 32) * n >> 32);
}

/* A copy in an allocation of its own size, so that the sanitizer sees a read
 * beyond it
 */
static inline u8 *exact_copy(const void *p, size_t len)
{
	u8 *copy = malloc(len ? len : 1);

	if (!copy)
		abort();
	memcpy(copy, p, len);
	return copy;
}

/* Convert hex digits to bytes; blanks are skipped */
static inline size_t unhex(u8 *out, const char *text)
{
	char pair[3] = "";
	size_t len = 0;

	for (; *text; text++) {
		if (*text == ' ')
			continue;
		pair[0] = text[0];
		pair[1] = *++text;
		out[len++] = (u8)strtoul(pair, NULL, 16);
	}
	return len;
}

#endif
