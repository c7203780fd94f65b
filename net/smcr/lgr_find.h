/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The link groups of a namespace, and how they are found.
 */
#ifndef _SMCR_LGR_FIND_H
#define _SMCR_LGR_FIND_H

#include <linux/types.h>

struct in6_addr;
struct net;
struct smcr_lgr;
struct smcr_lgr_key;
struct smcr_link;

int __must_check smcr_lgr_publish(struct smcr_lgr *lgr);
bool __must_check smcr_lgr_unpublish(struct smcr_lgr *lgr);
struct smcr_lgr * __must_check
smcr_lgr_find_server(struct net *net, const struct smcr_lgr_key *key);
struct smcr_lgr * __must_check
smcr_lgr_find_client(struct net *net, const struct smcr_lgr_key *key, u32 qpn,
		     struct smcr_link **link);
bool smcr_lgr_had_link(struct net *net, const struct smcr_lgr_key *key,
		       u32 qpn);
bool smcr_lgr_serves(struct net *net, const struct in6_addr *addr);
struct smcr_lgr * __must_check smcr_lgr_next(struct net *net,
					     struct smcr_lgr *prev);

#endif /* _SMCR_LGR_FIND_H */
