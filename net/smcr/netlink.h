/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink family "smcr", through which smcr-ctl works.
 */
#ifndef _SMCR_NETLINK_H
#define _SMCR_NETLINK_H

#include <linux/types.h>

struct net;
struct smcr_lgr;

int __must_check smcr_netlink_init(void);
void smcr_netlink_exit(void);

/* Between the files netlink*.c */
struct smcr_lgr * __must_check smcr_nl_lgr(struct net *net, u32 id);

#endif /* _SMCR_NETLINK_H */
