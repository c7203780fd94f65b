/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The peer ID of a TCP/IP stack, which is a network namespace (RFC 7609 A.2.1):
 * a 2-byte instance number and the MAC address of a RoCE port. The functions in
 * this header are pure.
 *
 * The MAC is unique, and the number tells the stacks apart that have used it:
 * namespaces share the ports of their host, and a host restarts. A peer must
 * not take one stack for another one that it remembers, so numbers follow the
 * clock, in units of an eighth of a second. Within two hours none returns, not
 * even after a restart, unless more than seven stacks a second started just
 * before it. A namespace takes its number when it first speaks SMC-R, so those
 * that never do take none.
 */
#ifndef _SMCR_PEER_ID_H
#define _SMCR_PEER_ID_H

#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#include "wire.h"

struct net;
struct smcr_port;

/* Nanoseconds of one unit, as a power of two: 134 ms */
#define SMCR_PEER_ID_SHIFT	27

/**
 * struct smcr_peer_id - peer ID of a namespace
 * @raw: as in CLC messages
 * @made: @raw is valid
 * @of_port: its MAC is that of a port, so it does not change any more
 *
 * Protected by a lock of peer_id.c.
 */
struct smcr_peer_id {
	u8	raw[SMCR_PEER_ID_LEN];
	bool	made;
	bool	of_port;
};

/**
 * smcr_peer_id_next() - return the number of a stack that starts
 * @last: the last one that this function returned, 0 before the first
 * @now: the time of day in nanoseconds
 *
 * Return: the number, of which peer IDs have the lower 16 bits.
 */
static inline u64 smcr_peer_id_next(u64 last, u64 now)
{
	return max_t(u64, last + 1, now >> SMCR_PEER_ID_SHIFT);
}

/* Is a peer ID to be made, now that the MAC of a port is known or not? */
static inline bool smcr_peer_id_due(const struct smcr_peer_id *id, bool port)
{
	return !id->made || (port && !id->of_port);
}

/**
 * smcr_peer_id_make() - make a peer ID
 * @id: the peer ID
 * @num: from smcr_peer_id_next()
 * @mac: MAC address
 * @port: it is that of a port
 */
static inline void smcr_peer_id_make(struct smcr_peer_id *id, u64 num,
				     const u8 *mac, bool port)
{
	id->raw[0] = (u8)(num >> 8);
	id->raw[1] = (u8)num;
	memcpy(id->raw + 2, mac, SMCR_MAC_LEN);
	id->made = true;
	id->of_port = port;
}

void smcr_peer_id_tell(struct net *net, const struct smcr_port *port, u8 *raw);
bool smcr_peer_id_is_ours(struct net *net, const u8 *raw);

#endif /* _SMCR_PEER_ID_H */
