/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Servers that a client remembers, and hosts with which SMC-R has worked.
 */
#ifndef _SMCR_PEERS_H
#define _SMCR_PEERS_H

#include <linux/hashtable.h>
#include <linux/in6.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "gid.h"

struct net;

/**
 * struct smcr_peers - servers and hosts that a namespace remembers
 * @lock: covers @n and changes of @hash; process context, a leaf
 * @hash: entries by address and port; read under RCU
 * @n: number of entries
 */
struct smcr_peers {
	spinlock_t	lock;
	DECLARE_HASHTABLE(hash, 8);
	unsigned int	n;
};

/* Port of the entry of a host, as opposed to a destination */
#define SMCR_PEERS_HOST		0

void smcr_peers_net_init(struct net *net);
void smcr_peers_net_exit(struct net *net);
void smcr_peers_good(struct net *net, const struct in6_addr *addr,
		     __be16 port);
void smcr_peers_met(struct net *net, const struct in6_addr *addr,
		    enum smcr_gid_kind kind);
void smcr_peers_want_kind(struct net *net, const struct in6_addr *addr,
			  enum smcr_gid_kind kind);
void smcr_peers_want_no_eye(struct net *net, const struct in6_addr *addr,
			    enum smcr_gid_kind kind);
bool smcr_peers_no_eye(struct net *net, const struct in6_addr *addr);
enum smcr_gid_kind smcr_peers_gid_kind(struct net *net,
				       const struct in6_addr *addr);
bool smcr_peers_known(struct net *net, const struct in6_addr *addr,
		      __be16 port);
bool smcr_peers_forgive(struct net *net, const struct in6_addr *addr,
			__be16 port, unsigned int ms);

#endif /* _SMCR_PEERS_H */
