/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pause of somebody who was late: no further try for a time that doubles. Pure.
 *
 * Successes undo the doubling, SMCR_PAUSE_GOOD of them for one failure. Time
 * without a failure does not, since it may be time without a try. One success
 * does not either, and does not halve the pause: somebody who uses up a limit
 * of CPU time in each period is in time a few times and then late, and would
 * pause for the shortest time for ever. So whoever fails more often than once
 * in SMCR_PAUSE_GOOD times comes to the longest pause, and whoever fails less
 * often comes back to the shortest one.
 */
#ifndef _SMCR_PAUSE_H
#define _SMCR_PAUSE_H

#include <linux/minmax.h>
#include <linux/types.h>

/* Successes that undo one failure */
#define SMCR_PAUSE_GOOD		16
/* The longest pause is the shortest one, doubled so often */
#define SMCR_PAUSE_DOUBLINGS	7

/**
 * struct smcr_pause - the last pause
 * @begin: when it began, in jiffies
 * @length: how long it lasts; 0 before the first one
 * @debt: SMCR_PAUSE_GOOD for each failure, less one for each success since
 */
struct smcr_pause {
	unsigned long	begin;
	unsigned long	length;
	u32		debt;
};

static inline bool smcr_pause_over(const struct smcr_pause *pause,
				   unsigned long now)
{
	return now - pause->begin >= pause->length;
}

/**
 * smcr_pause_fail() - begin a pause after a failure
 * @pause: the last one, which is over
 * @now: the time
 * @least: length of the first pause
 */
static inline void smcr_pause_fail(struct smcr_pause *pause, unsigned long now,
				   unsigned long least)
{
	pause->debt = min_t(u32, pause->debt + SMCR_PAUSE_GOOD,
			    SMCR_PAUSE_GOOD * (SMCR_PAUSE_DOUBLINGS + 1));
	pause->length = least << (pause->debt / SMCR_PAUSE_GOOD - 1);
	pause->begin = now;
}

static inline void smcr_pause_succeed(struct smcr_pause *pause)
{
	if (pause->debt)
		pause->debt--;
}

#endif /* _SMCR_PAUSE_H */
