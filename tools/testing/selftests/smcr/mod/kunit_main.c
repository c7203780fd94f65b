// SPDX-License-Identifier: GPL-2.0
/*
 * smcr_kunit.ko runs the unit tests (../unit) in the kernel: it consists of
 * them, of copies of the pure files of net/smcr, and of this file. KUnit runs
 * the suites when the module is loaded, if the kernel was booted with
 * kunit.enable=1, and keeps what they print in
 * /sys/kernel/debug/kunit/smcr_test_NAME/results.
 */
#include <linux/module.h>
#include <linux/random.h>

u64 smcr_kunit_seed(void);

static unsigned long long seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "seed of the random numbers, or 0 for a random one");

u64 smcr_kunit_seed(void)
{
	return seed ? seed : get_random_u64();
}

MODULE_DESCRIPTION("Test only: the unit tests of smcr, in the kernel");
MODULE_LICENSE("GPL");
