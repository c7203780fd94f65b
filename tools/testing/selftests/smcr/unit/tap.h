/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small test harness. A test file is a list of facts; each has a function
 * that checks it with EXPECT() and EXPECT_EQ(), and PROVE() is the last line of
 * the file. The same files run in two places: tap_user.h makes each a program
 * that prints TAP, tap_kunit.h makes each a KUnit suite of smcr_kunit.ko. What
 * both front ends provide:
 *
 *   tap_fail()		fails the fact that is being checked, and says why
 *   note()		prints a comment
 *   tap_seed()		seed of the random numbers
 *   zalloc(), release()	zeroed memory, whose bounds a sanitizer checks
 *   steps()		how many of so many random steps to take
 *   SPARSE		distance between the values that a long loop tries; 1
 *			for all of them
 */
#ifndef _SMCR_UNIT_TAP_H
#define _SMCR_UNIT_TAP_H

#include <linux/types.h>

struct fact {
	const char *says;
	void (*check)(void);
};

/**
 * struct tap_file - what PROVE() says about a test file
 * @facts: its facts
 * @nr: number of them
 * @prepare: called before the first, or NULL
 */
struct tap_file {
	const struct fact *facts;
	unsigned int nr;
	void (*prepare)(void);
};

/* Defined by PROVE() at the end of the file */
static const struct tap_file tap_file;

#define PROVE(list, before)						\
	static const struct tap_file tap_file = {			\
		.facts = (list), .nr = ARRAY_SIZE(list), .prepare = before,\
	}

/* Misses of the fact that is being checked */
static unsigned int tap_misses;

/* Random numbers: xorshift64*. The front ends print the seed, so that a run
 * can be repeated.
 */
static u64 rnd_state;

static inline void rnd_init(u64 seed)
{
	rnd_state = seed ? seed : 1;
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

#ifdef __KERNEL__
#include "tap_kunit.h"
#else
#include "tap_user.h"
#endif

/* Print only the first few misses of a fact */
static inline bool tap_miss(const char *file, int line, const char *what)
{
	if (++tap_misses <= 5)
		tap_fail(file, line, what);
	return tap_misses <= 5;
}

#define EXPECT(cond)							\
	do {								\
		if (!(cond))						\
			tap_miss(__FILE__, __LINE__, #cond);		\
	} while (0)

static inline void tap_equal(const char *file, int line, const char *what,
			     long long got, long long want)
{
	if (got != want && tap_miss(file, line, what))
		note("  got %lld, want %lld", got, want);
}

#define EXPECT_EQ(got, want)						\
	tap_equal(__FILE__, __LINE__, #got " == " #want,		\
		  (long long)(got), (long long)(want))

static inline void tap_hex(const char *what, const u8 *p, size_t len)
{
	char text[240] = "";
	size_t i, at = 0;

	for (i = 0; i < len && at < sizeof(text) - 4; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%02x",
				       i % 4 ? "" : " ", p[i]);
	note("  %s%s", what, text);
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

/* A copy in an allocation of its own size, so that the sanitizer sees a read
 * beyond it
 */
static inline u8 *exact_copy(const void *p, size_t len)
{
	u8 *copy = zalloc(len ? len : 1);

	memcpy(copy, p, len);
	return copy;
}

static inline u8 tap_digit(char c)
{
	return (u8)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

/* Convert hex digits to bytes; blanks are skipped */
static inline size_t unhex(u8 *out, const char *text)
{
	size_t len = 0;

	for (; *text; text++) {
		if (*text == ' ')
			continue;
		out[len] = (u8)(tap_digit(*text++) << 4);
		out[len++] |= tap_digit(*text);
	}
	return len;
}

#endif
