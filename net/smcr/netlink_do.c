// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink family "smcr": requests that change something. genl.c lets
 * only an administrator of the host make them. For the end of a connection one
 * of the namespace is enough, as for that of a TCP connection; the generator of
 * genl.c has no word for this, so the function checks it.
 */
#include <linux/capability.h>
#include <linux/netlink.h>
#include <net/genetlink.h>

#include "conn.h"
#include "conn_end.h"
#include "genl.h"
#include "lgr.h"
#include "lgr_change.h"
#include "lgr_links.h"
#include "link.h"
#include "llc.h"
#include "netlink.h"
#include "pnet.h"
#include "smcr.h"

/* Find the group that a request names. */
static struct smcr_lgr *asked_lgr(struct genl_info *info, int attr)
{
	struct smcr_lgr *lgr;

	lgr = smcr_nl_lgr(genl_info_net(info), nla_get_u32(info->attrs[attr]));
	if (!lgr)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attr],
				    "no link group has this number");
	return lgr;
}

/**
 * smcr_nl_linkgroup_del_doit() - end a link group
 * @skb: the request
 * @info: its attributes
 *
 * Context: process.
 * Return: 0 or -errno. DELETE LINK (all) is sent after the call.
 */
int smcr_nl_linkgroup_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct smcr_lgr *lgr;

	if (GENL_REQ_ATTR_CHECK(info, SMCR_A_LINKGROUP_LINKGROUP))
		return -EINVAL;
	lgr = asked_lgr(info, SMCR_A_LINKGROUP_LINKGROUP);
	if (!lgr)
		return -ENOENT;
	smcr_lgr_close(lgr, SMCR_LGR_R_OPERATOR);
	smcr_lgr_put(lgr);
	return 0;
}

/* Find a link by its number. */
static struct smcr_link *link_of(struct smcr_lgr *lgr, u32 num)
{
	return num <= U8_MAX ? smcr_lgr_link_by_num(lgr, num) : NULL;
}

/* Find the link of a number that only one group has.
 * Return: the link with a reference, or an ERR_PTR.
 */
static struct smcr_link *only_link(struct genl_info *info, u32 num)
{
	struct smcr_link *link = NULL, *found = NULL;
	struct net *net = genl_info_net(info);
	struct smcr_lgr *lgr;

	for (lgr = smcr_lgr_next(net, NULL); lgr;
	     lgr = smcr_lgr_next(net, lgr)) {
		link = link_of(lgr, num);
		if (link && found)
			break;
		found = link ?: found;
	}
	if (!lgr)
		return found ?: ERR_PTR(-ENOENT);
	smcr_lgr_put(lgr);
	smcr_link_put(link);
	smcr_link_put(found);
	NL_SET_ERR_MSG(info->extack,
		       "several link groups have a link of this number; name the group: \"link del LINK linkgroup GROUP\"");
	return ERR_PTR(-ENOTUNIQ);
}

static struct smcr_link *asked_link(struct genl_info *info)
{
	u32 num = nla_get_u32(info->attrs[SMCR_A_LINK_LINK]);
	struct smcr_link *link;
	struct smcr_lgr *lgr;

	if (info->attrs[SMCR_A_LINK_LINKGROUP]) {
		lgr = asked_lgr(info, SMCR_A_LINK_LINKGROUP);
		if (!lgr)
			return ERR_PTR(-ESRCH);
		link = link_of(lgr, num) ?: ERR_PTR(-ENOENT);
		smcr_lgr_put(lgr);
	} else {
		link = only_link(info, num);
	}
	if (link == ERR_PTR(-ENOENT))
		NL_SET_ERR_MSG(info->extack, "no link has this number");
	return link;
}

/**
 * smcr_nl_link_del_doit() - delete a link, a drill for its loss
 * @skb: the request
 * @info: its attributes
 *
 * Context: process.
 * Return: 0 or -errno. DELETE LINK is sent after the call.
 */
int smcr_nl_link_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct smcr_link *link;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, SMCR_A_LINK_LINK))
		return -EINVAL;
	link = asked_link(info);
	if (IS_ERR(link))
		return PTR_ERR(link);
	err = smcr_llc_delete_ask(link);
	if (err == -EBUSY)
		NL_SET_ERR_MSG(info->extack,
			       "it is the only link of its group that works; to end the group and its connections, use \"linkgroup terminate\"");
	else if (err)
		NL_SET_ERR_MSG(info->extack,
			       "the link is not active, or its group closes already");
	smcr_link_put(link);
	return err;
}

/* Find a connection by its number.
 * Return: the connection with a reference, or NULL.
 */
static struct smcr_conn *asked_conn(struct net *net, u32 id)
{
	struct smcr_conn *conn;
	struct smcr_lgr *lgr;
	u32 slot;

	for (lgr = smcr_lgr_next(net, NULL); lgr;
	     lgr = smcr_lgr_next(net, lgr)) {
		slot = 0;
		while ((conn = smcr_lgr_conn_next(lgr, &slot))) {
			if (conn->id == id) {
				smcr_lgr_put(lgr);
				return conn;
			}
			smcr_conn_put(conn);
			cond_resched();
		}
	}
	return NULL;
}

/**
 * smcr_nl_conn_abort_doit() - end a connection
 * @skb: the request
 * @info: its attributes
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_nl_conn_abort_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[SMCR_A_CONN_CONN];
	struct net *net = genl_info_net(info);
	struct smcr_conn *conn;
	int err;

	if (!netlink_ns_capable(skb, net->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	if (GENL_REQ_ATTR_CHECK(info, SMCR_A_CONN_CONN))
		return -EINVAL;
	conn = asked_conn(net, nla_get_u32(attr));
	if (!conn) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "no connection has this number");
		return -ENOENT;
	}
	err = smcr_conn_end_abort(conn);
	if (err == -EBUSY)
		NL_SET_ERR_MSG(info->extack,
			       "handshake not complete: try again, or use \"ss -K\"");
	else if (err)
		NL_SET_ERR_MSG(info->extack, "the connection is over already");
	smcr_conn_put(conn);
	return err;
}

/* Copy the attributes of a PNET entry; what is absent stays empty. */
static void asked_entry(const struct genl_info *info,
			struct smcr_pnet_entry *entry)
{
	struct nlattr **attrs = info->attrs;

	memset(entry, 0, sizeof(*entry));
	if (attrs[SMCR_A_PNET_NAME])
		nla_strscpy(entry->name, attrs[SMCR_A_PNET_NAME],
			    sizeof(entry->name));
	if (attrs[SMCR_A_PNET_NETDEV])
		nla_strscpy(entry->netdev, attrs[SMCR_A_PNET_NETDEV],
			    sizeof(entry->netdev));
	if (attrs[SMCR_A_PNET_DEVICE])
		nla_strscpy(entry->device, attrs[SMCR_A_PNET_DEVICE],
			    sizeof(entry->device));
	if (attrs[SMCR_A_PNET_PORT])
		entry->port = nla_get_u32(attrs[SMCR_A_PNET_PORT]);
}

/**
 * smcr_nl_pnet_add_doit() - add an entry to the PNET table
 * @skb: the request
 * @info: its attributes
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_nl_pnet_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct smcr_pnet_entry entry;

	asked_entry(info, &entry);
	return smcr_pnet_add(genl_info_net(info), &entry, info->extack);
}

/**
 * smcr_nl_pnet_del_doit() - delete entries of the PNET table
 * @skb: the request
 * @info: its attributes
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_nl_pnet_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct smcr_pnet_entry entry;

	asked_entry(info, &entry);
	return smcr_pnet_del(genl_info_net(info), &entry, info->extack);
}
