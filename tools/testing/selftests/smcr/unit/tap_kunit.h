/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The front end of tap.h in the kernel: a KUnit suite, in which each fact is a
 * parameter of the only case.
 */
#ifndef _SMCR_UNIT_TAP_KUNIT_H
#define _SMCR_UNIT_TAP_KUNIT_H

#include <kunit/test.h>
#include <kunit/test-bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

/* Parameter of the module, or a random number; see mod/kunit_main.c */
u64 smcr_kunit_seed(void);

/*
 * The kernel under test is emulated and instrumented, and a fact that takes a
 * minute counts as a hung task there: long loops are cut short.
 */
#define SPARSE	10

#define note(fmt, ...)							\
	kunit_info(kunit_get_current_test(), fmt "\n", ##__VA_ARGS__)

static noinline void __maybe_unused tap_fail(const char *file, int line,
					     const char *what)
{
	KUNIT_FAIL(kunit_get_current_test(), "%s:%d: %s", file, line, what);
}

/* A fact ends here if there is no memory. */
static noinline void * __maybe_unused zalloc(size_t size)
{
	void *p = kvzalloc(size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(kunit_get_current_test(), p);
	return p;
}

static inline void release(void *p)
{
	kvfree(p);
}

static inline unsigned int steps(unsigned int all)
{
	note("a loop of %u, cut to %u", all, all / SPARSE);
	return all / SPARSE;
}

static void check_fact(struct kunit *test)
{
	const struct fact *fact = test->param_value;

	tap_misses = 0;
	fact->check();
}

static const void *next_fact(const void *prev, char *desc)
{
	const struct fact *fact = tap_file.facts;

	if (prev)
		fact = (const struct fact *)prev + 1;
	if (fact == tap_file.facts + tap_file.nr)
		return NULL;
	strscpy(desc, fact->says, KUNIT_PARAM_DESC_SIZE);
	return fact;
}

static int tap_prepare(struct kunit_suite *suite)
{
	u64 seed = smcr_kunit_seed();

	kunit_info(suite, "SEED=%llu\n", seed);
	rnd_init(seed);
	if (tap_file.prepare)
		tap_file.prepare();
	return 0;
}

static struct kunit_case tap_cases[] = {
	KUNIT_CASE_PARAM(check_fact, next_fact),
	{}
};

static struct kunit_suite tap_suite = {
	.name		= "smcr_" KBUILD_BASENAME,
	.suite_init	= tap_prepare,
	.test_cases	= tap_cases,
};

kunit_test_suite(tap_suite);

#endif
