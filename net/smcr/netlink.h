/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink family "smcr", through which smcr-ctl works.
 */
#ifndef _SMCR_NETLINK_H
#define _SMCR_NETLINK_H

#include <linux/types.h>

struct genl_family;
struct net;
struct sk_buff;
struct smcr_lgr;
struct smcr_link;
struct sock;

int __must_check smcr_netlink_init(void);
void smcr_netlink_exit(void);

/* For netlink_do.c and notify.c */
extern struct genl_family smcr_nl_family;

struct smcr_lgr * __must_check smcr_nl_lgr(struct net *net, u32 id);
int __must_check smcr_nl_lgr_fill(struct sk_buff *skb, struct smcr_lgr *lgr);
int __must_check smcr_nl_link_fill(struct sk_buff *skb, struct smcr_link *link);
int __must_check smcr_nl_addr_fill(struct sk_buff *skb,
				   const struct sock *inner, int attr);

#endif /* _SMCR_NETLINK_H */
