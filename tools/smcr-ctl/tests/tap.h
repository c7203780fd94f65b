/* SPDX-License-Identifier: GPL-2.0 */
/* TAP output of the unit tests */
#ifndef SMCR_CTL_TAP_H
#define SMCR_CTL_TAP_H

#include <stdbool.h>
#include <stdio.h>

static int tap_count, tap_bad;

static inline void tap(bool good, const char *name)
{
	tap_bad += !good;
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++tap_count, name);
}

static inline int tap_end(void)
{
	printf("1..%d\n", tap_count);
	return tap_bad ? 1 : 0;
}

#endif
