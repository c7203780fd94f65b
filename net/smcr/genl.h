/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/smcr.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_SMCR_GEN_H
#define _LINUX_SMCR_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/smcr_netlink.h>

/* Ops table for smcr */
extern const struct genl_split_ops smcr_nl_ops[12];
extern const struct genl_multicast_group smcr_nl_mcgrps[4];

int smcr_nl_device_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int smcr_nl_linkgroup_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int smcr_nl_link_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int smcr_nl_conn_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int smcr_nl_stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int smcr_nl_negative_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);
int smcr_nl_link_del_doit(struct sk_buff *skb, struct genl_info *info);
int smcr_nl_linkgroup_del_doit(struct sk_buff *skb, struct genl_info *info);
int smcr_nl_pnet_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int smcr_nl_pnet_add_doit(struct sk_buff *skb, struct genl_info *info);
int smcr_nl_pnet_del_doit(struct sk_buff *skb, struct genl_info *info);
int smcr_nl_conn_abort_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	SMCR_NLGRP_DEVICE,
	SMCR_NLGRP_LINKGROUP,
	SMCR_NLGRP_LINK,
	SMCR_NLGRP_FALLBACK,
};

#endif /* _LINUX_SMCR_GEN_H */
