// SPDX-License-Identifier: GPL-2.0
/*
 * State of an entry of the negative list (neglist.c).
 *
 *             fail                     time is up
 *   (none) ----------> BLOCKED -------------------------> PROBING
 *      ^                 ^  twice as long as before  fail    |
 *      |                 +-----------------------------------+
 *      +-----------------------------------------------------+
 *                             succeed
 *
 * When the time is up, one connection tries SMC-R again; connections that start
 * meanwhile use TCP. A failure while the entry is BLOCKED changes nothing: its
 * connection began before the entry, so a hundred connections that fail at once
 * count as one failure.
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
	state->probing = true;
	state->until = time->now + time->probe;
}

static void block(struct smcr_negstate *state, const struct smcr_negtime *time)
{
	u32 shift = min_t(u32, state->failures, NEGSTATE_MAX_SHIFT);

	state->failures++;
	state->probing = false;
	state->until = time->now + min_t(u64, time->block << shift, time->max);
}

static bool known(const struct smcr_negstate *state,
		  const struct smcr_negtime *time)
{
	return state->failures && !state->probing &&
	       !time_is_up(state, time->now);
}

/**
 * smcr_negstate_blocks() - must a connection use TCP?
 * @state: state of the entry
 * @time: the time; its @block is 0 if no entry blocks
 *
 * Return: true if it must; false if it is the one that tries SMC-R again.
 */
bool smcr_negstate_blocks(struct smcr_negstate *state,
			  const struct smcr_negtime *time)
{
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
	return time->block && !time_is_up(state, time->now) && !state->mtu;
}

/**
 * smcr_negstate_fail() - a connection has failed
 * @state: state of the entry; all zero if it is new
 * @time: the time
 *
 * Return: false if that was known.
 */
bool smcr_negstate_fail(struct smcr_negstate *state,
			const struct smcr_negtime *time)
{
	if (known(state, time))
		return false;
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
	if (state->probing && offered > state->mtu) {
		state->probing = false;
		state->until = time->now;
	}
	return mtu > state->mtu;
}
