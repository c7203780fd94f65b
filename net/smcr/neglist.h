/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Negative list: where SMC-R failed lately, so that connections go by plain TCP
 * for a while instead of failing one after the other.
 */
#ifndef _SMCR_NEGLIST_H
#define _SMCR_NEGLIST_H

#include <linux/hashtable.h>
#include <linux/in6.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "wire.h"

struct net;

enum smcr_neglist_kind {
	SMCR_NEGLIST_DESTINATION,	/* agreed on SMC-R, then broke CLC */
	SMCR_NEGLIST_PATH,		/* CLC went well, RDMA did not */
};

/**
 * struct smcr_neglist_key - what is to be left alone; zeroed before it is
 *	filled in, since all its bytes are compared
 * @addr: the peer's TCP address, IPv4 as mapped. Part of a path too: a peer ID
 *	and a GID are claims, and a stranger must not have others shut out
 * @port: destination: its TCP port
 * @kind: which of the other fields count
 * @peer_id: path: the peer's claim
 * @gid: path: ours
 * @peer_gid: path: the peer's
 */
struct smcr_neglist_key {
	struct in6_addr	addr;
	__be16		port;
	u8		kind;
	u8		peer_id[SMCR_PEER_ID_LEN];
	u8		gid[SMCR_GID_LEN];
	u8		peer_gid[SMCR_GID_LEN];
};

/**
 * struct smcr_neglist - a namespace's list
 * @lock: protects @hash and what is in it; process context
 * @hash: entries by key
 * @n: entries; read without the lock to see that there is nothing to look up
 */
struct smcr_neglist {
	spinlock_t	lock;
	DECLARE_HASHTABLE(hash, 6);
	unsigned int	n;
};

/**
 * struct smcr_neglist_info - an entry as it is shown
 * @key: what it is about
 * @failures: in a row
 * @remaining_ms: until SMC-R is tried again
 */
struct smcr_neglist_info {
	struct smcr_neglist_key	key;
	u32			failures;
	u64			remaining_ms;
};

typedef int (*smcr_neglist_show_fn)(const struct smcr_neglist_info *info,
				    void *arg);

void smcr_neglist_net_init(struct net *net);
void smcr_neglist_net_exit(struct net *net);
bool smcr_neglist_blocks(struct net *net, const struct smcr_neglist_key *key);
void smcr_neglist_fail(struct net *net, const struct smcr_neglist_key *key);
void smcr_neglist_succeed(struct net *net, const struct smcr_neglist_key *key);
int smcr_neglist_walk(struct net *net, u32 *pos, smcr_neglist_show_fn show,
		      void *arg);

#endif /* _SMCR_NEGLIST_H */
