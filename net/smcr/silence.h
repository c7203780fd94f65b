/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For how long has a send queue got no completion that it waits for?
 *
 * Times are jiffies, slot numbers count up and wrap at 32 bits.
 */
#ifndef _SMCR_SILENCE_H
#define _SMCR_SILENCE_H

#include <linux/types.h>

/**
 * struct smcr_silence - what a send queue waits for, and since when
 * @limit: a silence of this time is a failure
 * @gap: a batch asks for a completion if none did for this time
 * @tick: time between two looks at the queue
 * @slot: slot behind the last request that asked for a completion; that request
 *	is outstanding until the queue's tail has reached this slot
 * @asked: when it was posted
 * @bytes: bytes written since a request asked
 * @began: when the queue began to wait, if the request before @slot is
 *	outstanding
 * @ticking: the timer is armed
 * @due: when the timer shall run
 */
struct smcr_silence {
	unsigned long	limit;
	unsigned long	gap;
	unsigned long	tick;
	u32		slot;
	unsigned long	asked;
	u32		bytes;
	unsigned long	began;
	bool		ticking;
	unsigned long	due;
};

/**
 * struct smcr_silence_view - the send queue at one time
 * @now: the time
 * @done: when the last request succeeded
 * @tail: all slots before this one are complete
 * @loose: the last posted request has not asked for a completion
 * @redundant: connections could move to another link
 */
struct smcr_silence_view {
	unsigned long	now;
	unsigned long	done;
	u32		tail;
	bool		loose;
	bool		redundant;
};

/* What to do at a tick */
enum smcr_silence_step {
	SMCR_SILENCE_STOP,	/* nothing is outstanding: no further tick */
	SMCR_SILENCE_WAIT,	/* look again at @due */
	SMCR_SILENCE_FENCE,	/* the same; post a fence, too */
	SMCR_SILENCE_OVER,	/* the same; the limit is reached */
};

void smcr_silence_init(struct smcr_silence *s, unsigned long limit,
		       unsigned long gap, unsigned long max_tick, u32 tail);
bool smcr_silence_asks(struct smcr_silence *s, unsigned long now, u32 bytes);
bool smcr_silence_posted(struct smcr_silence *s, unsigned long now, u32 tail,
			 u32 end, bool signaled);
enum smcr_silence_step smcr_silence_tick(struct smcr_silence *s,
					 const struct smcr_silence_view *view);
bool smcr_silence_waits(const struct smcr_silence *s, u32 tail);
unsigned long smcr_silence_lasts(const struct smcr_silence *s,
				 const struct smcr_silence_view *view);

#endif /* _SMCR_SILENCE_H */
