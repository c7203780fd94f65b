// SPDX-License-Identifier: GPL-2.0
/*
 * State of an entry of the negative list (neglist.c).
 *
 *            fail                       time is up
 *   (none) ---------> BLOCKED -------------------------> PROBING
 *      |                 ^ ^  twice as long as before  fail |
 *      | fail            | +--------------------------------+
 *      +-------> NOTED --+
 *                    fail again
 *
 * A success leads back to (none) from each state. Kinds of failure after which
 * RFC 7609 has the next connection try again (3.5.1.6.4) are NOTED first. That
 * blocks nothing, and is forgotten when the time is up. The others lead to
 * BLOCKED at once.
 *
 * When the time of BLOCKED is up, one connection tries SMC-R again; connections
 * that start meanwhile use TCP. A failure while the entry is BLOCKED, or NOTED
 * and no connection has begun since, changes nothing: its connection began
 * before the entry, so a hundred connections that fail at once count as one
 * failure.
 *
 * A path that loses long packets blocks only an MTU, and all larger ones. While
 * it is BLOCKED, first contacts offer the next smaller one. If that fails, too,
 * the one below is offered, down to none: then they use TCP. When the time is
 * up, one first contact offers the MTU of its port again, and the entry stays
 * until such a large one works:
 *
 *   port 4096:  4096 fails  2048 fails  1024 works ... time is up: 4096 fails
 *   entry:      2048        1024        1024           1024, twice as long
 */
#include <linux/minmax.h>

#include "negstate.h"

/* Limit of doublings, against overflow */
#define NEGSTATE_MAX_SHIFT	20u

static bool time_is_up(const struct smcr_negstate *state, u64 now)
{
	return (s64)(now - state->until) >= 0;
}

static void try_again(struct smcr_negstate *state,
		      const struct smcr_negtime *time)
{
	state->trying = true;
	state->until = time->now + time->probe;
}

/* The failure must not be forgotten before the connection that now tries SMC-R
 * can fail, too.
 */
static void try_noted(struct smcr_negstate *state,
		      const struct smcr_negtime *time)
{
	u64 until = state->until;

	if (state->trying || time_is_up(state, time->now))
		return;
	try_again(state, time);
	if (time_is_up(state, until))
		state->until = until;
}

static void count(struct smcr_negstate *state, const struct smcr_negtime *time,
		  u64 span)
{
	state->failures++;
	state->trying = false;
	state->until = time->now + min_t(u64, span, time->max);
}

/* So long that programs which connect rarely do not find a first failure each
 * time.
 */
static void note(struct smcr_negstate *state, const struct smcr_negtime *time)
{
	count(state, time, time->block ? time->max : 0);
}

static void block(struct smcr_negstate *state, const struct smcr_negtime *time)
{
	u32 shift = min_t(u32, state->blocks, NEGSTATE_MAX_SHIFT);

	count(state, time, time->block << shift);
	state->blocks++;
}

static bool known(const struct smcr_negstate *state,
		  const struct smcr_negtime *time)
{
	return state->failures && !state->trying &&
	       !time_is_up(state, time->now);
}

/**
 * smcr_negstate_noted() - is an entry NOTED?
 * @state: state of the entry
 *
 * Return: true if it is, and therefore blocks nothing.
 */
bool smcr_negstate_noted(const struct smcr_negstate *state)
{
	return state->failures && !state->blocks;
}

/**
 * smcr_negstate_forgotten() - does an entry count as none?
 * @state: state of the entry
 * @now: the time
 *
 * Return: true if it is NOTED, and its time is up.
 */
bool smcr_negstate_forgotten(const struct smcr_negstate *state, u64 now)
{
	return smcr_negstate_noted(state) && time_is_up(state, now);
}

/**
 * smcr_negstate_blocks() - must a connection use TCP?
 * @state: state of the entry
 * @time: the time; its @block is 0 if no entry blocks
 *
 * Return: true if it must; false if it is the one that tries SMC-R again, or
 * the entry is NOTED.
 */
bool smcr_negstate_blocks(struct smcr_negstate *state,
			  const struct smcr_negtime *time)
{
	if (smcr_negstate_noted(state)) {
		try_noted(state, time);
		return false;
	}
	if (time->block && !time_is_up(state, time->now))
		return true;
	try_again(state, time);
	return false;
}

/**
 * smcr_negstate_rests() - would a first contact have to use TCP?
 * @state: state of the entry of a path
 * @time: the time; its @block is 0 if no entry blocks
 *
 * Unlike smcr_negstate_blocks(), this only looks: a path is not known before
 * the handshake, so the connection that asks may not be the one that tries.
 *
 * Return: false also if a smaller MTU is left to be tried.
 */
bool smcr_negstate_rests(const struct smcr_negstate *state,
			 const struct smcr_negtime *time)
{
	return time->block && !smcr_negstate_noted(state) &&
	       !time_is_up(state, time->now) && !state->mtu;
}

/**
 * smcr_negstate_fail() - a connection has failed
 * @state: state of the entry; all zero if it is new
 * @time: the time
 * @limit: how many failures in a row lead to BLOCKED
 *
 * Return: false if that was known.
 */
bool smcr_negstate_fail(struct smcr_negstate *state,
			const struct smcr_negtime *time, u32 limit)
{
	if (smcr_negstate_forgotten(state, time->now))
		state->failures = 0;
	if (known(state, time))
		return false;
	if (!state->blocks && state->failures + 1 < limit)
		note(state, time);
	else
		block(state, time);
	return true;
}

/**
 * smcr_negstate_mtu() - choose the MTU that a first contact offers
 * @state: state of the entry
 * @time: the time; its @block is 0 if no entry blocks
 * @full: MTU code of the port
 *
 * Return: the code to offer, 0 for none.
 */
u8 smcr_negstate_mtu(struct smcr_negstate *state,
		     const struct smcr_negtime *time, u8 full)
{
	return smcr_negstate_blocks(state, time) ? min_t(u8, full, state->mtu) :
						   full;
}

/**
 * smcr_negstate_mtu_lost() - packets as long as an MTU are lost
 * @state: state of the entry; all zero if it is new
 * @time: the time
 * @mtu: MTU code that was used
 *
 * Return: false if that was known.
 */
bool smcr_negstate_mtu_lost(struct smcr_negstate *state,
			    const struct smcr_negtime *time, u8 mtu)
{
	bool smaller = !state->failures || mtu <= state->mtu;

	if (!smaller && known(state, time))
		return false;
	if (smaller)
		state->mtu = mtu ? mtu - 1 : 0;
	block(state, time);
	return true;
}

/**
 * smcr_negstate_mtu_works() - a first contact with an MTU has succeeded
 * @state: state of the entry
 * @time: the time
 * @offered: MTU code that this end offered
 * @mtu: MTU code that was used: that of the peer if it is smaller
 *
 * If the peer has made the MTU of a try smaller, nothing is learnt and nothing
 * was lost, so the next first contact tries again. Otherwise two ends whose
 * times are up at different moments might never try at the same one. A first
 * contact with the MTU that is left says nothing about a try that is under way.
 *
 * Return: true if the entry is not needed any more.
 */
bool smcr_negstate_mtu_works(struct smcr_negstate *state,
			     const struct smcr_negtime *time, u8 offered,
			     u8 mtu)
{
	if (state->trying && offered > state->mtu) {
		state->trying = false;
		state->until = time->now;
	}
	return mtu > state->mtu;
}
