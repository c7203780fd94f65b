/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of an entry of the negative list. Times are 64-bit jiffies.
 */
#ifndef _SMCR_NEGSTATE_H
#define _SMCR_NEGSTATE_H

#include <linux/types.h>

/**
 * struct smcr_negstate - state of an entry
 * @until: end of state NOTED, BLOCKED or PROBING
 * @failures: failures in a row; 0 for a new entry
 * @blocks: how many of them led to state BLOCKED
 * @trying: a connection tries SMC-R: state PROBING, or state NOTED with a
 *	connection that began after the failure
 * @mtu: path that loses long packets: the largest MTU code that first contacts
 *	offer, 0 if none is left. Entries of other kinds have 0
 */
struct smcr_negstate {
	u64	until;
	u32	failures;
	u32	blocks;
	bool	trying;
	u8	mtu;
};

/**
 * struct smcr_negtime - the time, and how long things last
 * @now: the time
 * @block: time of state BLOCKED the first time, 0 if the list is disabled
 * @max: its limit, and the time of state NOTED
 * @probe: time of state PROBING
 */
struct smcr_negtime {
	u64	now;
	u64	block;
	u64	max;
	u64	probe;
};

bool smcr_negstate_noted(const struct smcr_negstate *state);
bool smcr_negstate_forgotten(const struct smcr_negstate *state, u64 now);
bool smcr_negstate_blocks(struct smcr_negstate *state,
			  const struct smcr_negtime *time);
bool smcr_negstate_rests(const struct smcr_negstate *state,
			 const struct smcr_negtime *time);
bool smcr_negstate_fail(struct smcr_negstate *state,
			const struct smcr_negtime *time, u32 limit);
u8 smcr_negstate_mtu(struct smcr_negstate *state,
		     const struct smcr_negtime *time, u8 full);
bool smcr_negstate_mtu_lost(struct smcr_negstate *state,
			    const struct smcr_negtime *time, u8 mtu);
bool smcr_negstate_mtu_works(struct smcr_negstate *state,
			     const struct smcr_negtime *time, u8 offered,
			     u8 mtu);

#endif /* _SMCR_NEGSTATE_H */
