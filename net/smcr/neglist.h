/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Negative list: destinations and paths on which SMC-R failed. Connections use
 * plain TCP there for a while, instead of failing one after the other.
 */
#ifndef _SMCR_NEGLIST_H
#define _SMCR_NEGLIST_H

#include <linux/hashtable.h>
#include <linux/in6.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/linux/smcr.h>

#include "negstate.h"
#include "wire.h"

struct net;

/**
 * struct smcr_neglist_key - a destination or path
 * @addr: the peer's TCP address, IPv4 as a mapped address. Part of a path too:
 *	the peer ID and GID are only claims, and a stranger must not get another
 *	host on the list
 * @port: destination or SYN: its TCP port
 * @kind: enum smcr_neglist_kind
 * @peer_id: path or MTU: peer ID that the peer claims
 * @gid: path or MTU: local GID
 * @peer_gid: path or MTU: GID that the peer claims
 *
 * All bytes are hashed and compared, so zero it before filling it in.
 */
struct smcr_neglist_key {
	struct in6_addr	addr;
	__be16		port;
	u8		kind;
	u8		peer_id[SMCR_PEER_ID_LEN];
	u8		gid[SMCR_GID_LEN];
	u8		peer_gid[SMCR_GID_LEN];
};

#define SMCR_NEGLIST_KINDS	(SMCR_NEGLIST_MTU + 1)

/**
 * struct smcr_neglist - negative list of a namespace
 * @lock: covers @hash, its entries, @n_noted, and changes of @n; any context, a
 *	leaf
 * @hash: entries by key
 * @n: number of entries of each kind, so that a flood of one does not replace
 *	those of another; read without the lock, to skip the lookup if there are
 *	none
 * @n_noted: how many of @n are in state NOTED, so that a flood of these does
 *	not replace the others either
 */
struct smcr_neglist {
	spinlock_t	lock;
	DECLARE_HASHTABLE(hash, 6);
	unsigned int	n[SMCR_NEGLIST_KINDS];
	unsigned int	n_noted[SMCR_NEGLIST_KINDS];
};

/**
 * struct smcr_neglist_info - copy of an entry, for netlink
 * @key: the destination or path
 * @state: enum smcr_neglist_state
 * @failures: failures in a row
 * @mtu: kind SMCR_NEGLIST_MTU: MTU code that first contacts offer, 0 for none
 * @remaining_ms: time until SMC-R is tried again, or until the failure of a
 *	noted entry is forgotten; 0 if the next connection tries SMC-R, or one
 *	is trying it now
 */
struct smcr_neglist_info {
	struct smcr_neglist_key	key;
	u8			state;
	u32			failures;
	u8			mtu;
	u64			remaining_ms;
};

typedef int (*smcr_neglist_show_fn)(const struct smcr_neglist_info *info,
				    void *arg);

void smcr_neglist_net_init(struct net *net);
void smcr_neglist_net_exit(struct net *net);
bool smcr_neglist_has(struct net *net, const struct smcr_neglist_key *key);
enum smcr_fallback_reason smcr_neglist_rests(struct net *net,
					     const struct in6_addr *addr);
bool smcr_neglist_source_rests(struct net *net, const struct in6_addr *addr);
bool smcr_neglist_blocks(struct net *net, const struct smcr_neglist_key *key);
void smcr_neglist_fail(struct net *net, const struct smcr_neglist_key *key);
u8 smcr_neglist_mtu(struct net *net, const struct smcr_neglist_key *key,
		    u8 full);
void smcr_neglist_succeed(struct net *net, const struct smcr_neglist_key *key);
int __must_check smcr_neglist_walk(struct net *net, u32 *pos,
				   smcr_neglist_show_fn show, void *arg);

/* Events from the link group layer, and from handshakes */
void smcr_neglist_mtu_lost(struct net *net, const struct smcr_neglist_key *key,
			   u8 mtu);
void smcr_neglist_mtu_proved(struct net *net,
			     const struct smcr_neglist_key *key, u8 offered,
			     u8 mtu);

#endif /* _SMCR_NEGLIST_H */
