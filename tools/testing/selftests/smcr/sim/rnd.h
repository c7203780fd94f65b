/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers of the simulators: xorshift64*.
 */
#ifndef _SMCR_SIM_RND_H
#define _SMCR_SIM_RND_H

#include <linux/types.h>

static inline u32 rnd_next(u64 *state, u32 n)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (u32)((*state * 0x2545F4914F6CDD1DULL >> 32) * n >> 32);
}

/* Neighbouring seeds differ at once */
static inline u64 rnd_seed(u64 seed)
{
	u64 state = (seed + 1) * 0x9E3779B97F4A7C15ULL;

	rnd_next(&state, 2);
	return state;
}

#endif
