// SPDX-License-Identifier: GPL-2.0
/*
 * For how long has a send queue got no completion that it waits for? The
 * arithmetic of wr_silence.c, which explains it.
 */
#include <linux/minmax.h>

#include "silence.h"

/* Ticks within the limit: of a stall of the host, one tick at most counts */
#define SILENCE_TICKS	8
/* Bytes that are written without a request that asks for a completion. They
 * take less than the limit also where many connections share a slow path.
 */
#define SILENCE_BYTES	(256u << 10)

static bool is_later(unsigned long a, unsigned long b)
{
	return (long)(a - b) > 0;
}

static unsigned long later_of(unsigned long a, unsigned long b)
{
	return is_later(a, b) ? a : b;
}

/**
 * smcr_silence_waits() - is a completion to come?
 * @s: the state
 * @tail: all slots before this one are complete
 */
bool smcr_silence_waits(const struct smcr_silence *s, u32 tail)
{
	return (s32)(s->slot - tail) > 0;
}

/**
 * smcr_silence_init() - begin with an empty send queue
 * @s: the state
 * @limit: time after which silence is a failure
 * @gap: time after which a batch shall ask for a completion
 * @max_tick: longest time for which the timer is exact
 * @tail: number of the queue's next slot
 */
void smcr_silence_init(struct smcr_silence *s, unsigned long limit,
		       unsigned long gap, unsigned long max_tick, u32 tail)
{
	*s = (struct smcr_silence){
		.limit	= limit,
		.gap	= gap,
		.tick	= min_t(unsigned long, max_tick,
				limit / SILENCE_TICKS ?: 1),
		.slot	= tail,
	};
}

/**
 * smcr_silence_asks() - shall a batch ask for a completion?
 * @s: the state
 * @now: the time
 * @bytes: bytes that the batch writes
 */
bool smcr_silence_asks(struct smcr_silence *s, unsigned long now, u32 bytes)
{
	s->bytes += bytes;
	return now - s->asked >= s->gap || s->bytes >= SILENCE_BYTES;
}

/**
 * smcr_silence_posted() - requests are posted
 * @s: the state
 * @now: the time
 * @tail: all slots before this one are complete
 * @end: the slot behind the requests
 * @signaled: the last one asks for a completion
 *
 * Return: true if the timer must be armed for @s->due.
 */
bool smcr_silence_posted(struct smcr_silence *s, unsigned long now, u32 tail,
			 u32 end, bool signaled)
{
	if (signaled) {
		if (!smcr_silence_waits(s, tail))
			s->began = now;
		s->slot = end;
		s->asked = now;
		s->bytes = 0;
	}
	if (s->ticking)
		return false;
	s->ticking = true;
	s->due = now + s->tick;
	return true;
}

/**
 * smcr_silence_lasts() - for how long is the queue silent?
 * @s: the state
 * @view: the queue
 *
 * Return: the time since the request that is outstanding was posted, or since
 * the last success after that; 0 if no request is known to be outstanding.
 */
unsigned long smcr_silence_lasts(const struct smcr_silence *s,
				 const struct smcr_silence_view *view)
{
	unsigned long began = later_of(s->began, view->done);

	if (!smcr_silence_waits(s, view->tail))
		return 0;
	return view->now - began;
}

/**
 * smcr_silence_tick() - the timer runs
 * @s: the state
 * @view: the queue
 *
 * A tick that is late by a quarter or more shows that this host stood still, or
 * is busy. It may have completions that it could not handle, so the time by
 * which the tick is late does not count as silence.
 *
 * Return: what to do.
 */
enum smcr_silence_step smcr_silence_tick(struct smcr_silence *s,
					 const struct smcr_silence_view *view)
{
	unsigned long late = later_of(view->now, s->due) - s->due, lasts;

	s->due = view->now + s->tick;
	if (!smcr_silence_waits(s, view->tail)) {
		s->ticking = view->redundant && view->loose;
		if (!s->ticking)
			return SMCR_SILENCE_STOP;
		/* A batch would have asked if traffic went on. */
		return view->now - s->asked >= 2 * s->gap ?
		       SMCR_SILENCE_FENCE : SMCR_SILENCE_WAIT;
	}
	lasts = smcr_silence_lasts(s, view);
	if (late > s->gap && late > s->tick / 4) {
		lasts -= min_t(unsigned long, late, lasts);
		s->began = view->now - lasts;
	}
	if (lasts >= s->limit)
		return SMCR_SILENCE_OVER;
	s->due = view->now + min_t(unsigned long, s->limit - lasts, s->tick);
	return SMCR_SILENCE_WAIT;
}
