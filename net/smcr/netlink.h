/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink family "smcr", the source of what smcr-ctl shows.
 */
#ifndef _SMCR_NETLINK_H
#define _SMCR_NETLINK_H

int __must_check smcr_netlink_init(void);
void smcr_netlink_exit(void);

#endif /* _SMCR_NETLINK_H */
