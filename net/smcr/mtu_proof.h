/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of packets as long as a link's MTU. Short ones may pass where
 * these are lost: a switch without jumbo frames, a tunnel.
 */
#ifndef _SMCR_MTU_PROOF_H
#define _SMCR_MTU_PROOF_H

/* The longest packets that the peer is known to have got; see smcr_link.passed
 */
enum smcr_link_passed {
	SMCR_LINK_P_NONE,
	SMCR_LINK_P_SHORT,
	SMCR_LINK_P_FULL,	/* with as many bytes as the path MTU */
};

/* Long packets from the peer; see smcr_link.inbound. A peer that probes the
 * path of a link, as smcr does, learns itself that they are lost.
 *
 *               long packet            group's work
 *   UNPROVED -----------------> ARRIVED -------> PROVED
 *    |    ^                        ^
 *    |    | TEST LINK answered     | long packet
 *    v    |                        |
 *   ACCUSED -----------------------+
 *
 * A link begins as PROVED. If the peer does not probe, the group's work makes
 * it UNPROVED before it is ACTIVE. CDC messages tell of long packets. A RST of
 * TCP accuses the link (smcr_lgr_link_accuse()), and the answer to TEST LINK
 * acquits it; both use cmpxchg(), so neither overwrites ARRIVED.
 */
enum smcr_link_inbound {
	SMCR_LINK_I_PROVED,	/* they arrive, or the peer probes */
	SMCR_LINK_I_ARRIVED,	/* they arrive; the negative list is not told */
	SMCR_LINK_I_UNPROVED,	/* none has come, and the peer does not probe */
	SMCR_LINK_I_ACCUSED,	/* none has come, and the peer has reset TCP */
};

/* May the peer's long packets be lost, and neither end know? */
static inline bool smcr_link_unproved(enum smcr_link_inbound inbound)
{
	return inbound >= SMCR_LINK_I_UNPROVED;
}

#endif /* _SMCR_MTU_PROOF_H */
