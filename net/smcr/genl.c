// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/smcr.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "genl.h"

#include <uapi/linux/smcr_netlink.h>

/* SMCR_CMD_LINK_GET - dump */
static const struct nla_policy smcr_link_get_nl_policy[SMCR_A_LINK_LINKGROUP + 1] = {
	[SMCR_A_LINK_LINKGROUP] = { .type = NLA_U32, },
};

/* SMCR_CMD_CONN_GET - dump */
static const struct nla_policy smcr_conn_get_nl_policy[SMCR_A_CONN_LINKGROUP + 1] = {
	[SMCR_A_CONN_LINKGROUP] = { .type = NLA_U32, },
};

/* SMCR_CMD_LINK_DEL - do */
static const struct nla_policy smcr_link_del_nl_policy[SMCR_A_LINK_LINK + 1] = {
	[SMCR_A_LINK_LINKGROUP] = { .type = NLA_U32, },
	[SMCR_A_LINK_LINK] = { .type = NLA_U32, },
};

/* SMCR_CMD_LINKGROUP_DEL - do */
static const struct nla_policy smcr_linkgroup_del_nl_policy[SMCR_A_LINKGROUP_LINKGROUP + 1] = {
	[SMCR_A_LINKGROUP_LINKGROUP] = { .type = NLA_U32, },
};

/* SMCR_CMD_PNET_ADD - do */
static const struct nla_policy smcr_pnet_add_nl_policy[SMCR_A_PNET_PORT + 1] = {
	[SMCR_A_PNET_NAME] = { .type = NLA_NUL_STRING, .len = 16, },
	[SMCR_A_PNET_NETDEV] = { .type = NLA_NUL_STRING, .len = 15, },
	[SMCR_A_PNET_DEVICE] = { .type = NLA_NUL_STRING, .len = 63, },
	[SMCR_A_PNET_PORT] = { .type = NLA_U32, },
};

/* SMCR_CMD_PNET_DEL - do */
static const struct nla_policy smcr_pnet_del_nl_policy[SMCR_A_PNET_PORT + 1] = {
	[SMCR_A_PNET_NAME] = { .type = NLA_NUL_STRING, .len = 16, },
	[SMCR_A_PNET_NETDEV] = { .type = NLA_NUL_STRING, .len = 15, },
	[SMCR_A_PNET_DEVICE] = { .type = NLA_NUL_STRING, .len = 63, },
	[SMCR_A_PNET_PORT] = { .type = NLA_U32, },
};

/* SMCR_CMD_CONN_ABORT - do */
static const struct nla_policy smcr_conn_abort_nl_policy[SMCR_A_CONN_CONN + 1] = {
	[SMCR_A_CONN_CONN] = { .type = NLA_U32, },
};

/* Ops table for smcr */
const struct genl_split_ops smcr_nl_ops[12] = {
	{
		.cmd	= SMCR_CMD_DEVICE_GET,
		.dumpit	= smcr_nl_device_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= SMCR_CMD_LINKGROUP_GET,
		.dumpit	= smcr_nl_linkgroup_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= SMCR_CMD_LINK_GET,
		.dumpit		= smcr_nl_link_get_dumpit,
		.policy		= smcr_link_get_nl_policy,
		.maxattr	= SMCR_A_LINK_LINKGROUP,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= SMCR_CMD_CONN_GET,
		.dumpit		= smcr_nl_conn_get_dumpit,
		.policy		= smcr_conn_get_nl_policy,
		.maxattr	= SMCR_A_CONN_LINKGROUP,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= SMCR_CMD_STATS_GET,
		.dumpit	= smcr_nl_stats_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= SMCR_CMD_NEGATIVE_GET,
		.dumpit	= smcr_nl_negative_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= SMCR_CMD_LINK_DEL,
		.doit		= smcr_nl_link_del_doit,
		.policy		= smcr_link_del_nl_policy,
		.maxattr	= SMCR_A_LINK_LINK,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SMCR_CMD_LINKGROUP_DEL,
		.doit		= smcr_nl_linkgroup_del_doit,
		.policy		= smcr_linkgroup_del_nl_policy,
		.maxattr	= SMCR_A_LINKGROUP_LINKGROUP,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= SMCR_CMD_PNET_GET,
		.dumpit	= smcr_nl_pnet_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= SMCR_CMD_PNET_ADD,
		.doit		= smcr_nl_pnet_add_doit,
		.policy		= smcr_pnet_add_nl_policy,
		.maxattr	= SMCR_A_PNET_PORT,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SMCR_CMD_PNET_DEL,
		.doit		= smcr_nl_pnet_del_doit,
		.policy		= smcr_pnet_del_nl_policy,
		.maxattr	= SMCR_A_PNET_PORT,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SMCR_CMD_CONN_ABORT,
		.doit		= smcr_nl_conn_abort_doit,
		.policy		= smcr_conn_abort_nl_policy,
		.maxattr	= SMCR_A_CONN_CONN,
		.flags		= GENL_CMD_CAP_DO,
	},
};

const struct genl_multicast_group smcr_nl_mcgrps[] = {
	[SMCR_NLGRP_DEVICE] = { "device", },
	[SMCR_NLGRP_LINKGROUP] = { "linkgroup", },
	[SMCR_NLGRP_LINK] = { "link", },
	[SMCR_NLGRP_FALLBACK] = { "fallback", },
};
