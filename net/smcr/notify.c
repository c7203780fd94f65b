// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink notifications: a multicast group for each kind, in each namespace.
 *
 * Nobody has to listen, and no sender waits: without a listener a notification
 * costs a look at a bitmap. A namespace sends at most NOTIFY_PER_SECOND of each
 * kind, so that a storm, of fallbacks for example, burdens neither the host nor
 * those who listen for something else. The number of those that were dropped
 * follows within a second, and NotificationsDropped counts them.
 */
#include <linux/jiffies.h>
#include <linux/netlink.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "genl.h"
#include "lgr.h"
#include "link.h"
#include "mib.h"
#include "netlink.h"
#include "notify.h"
#include "smcr.h"

#define NOTIFY_PER_SECOND	100
/* Bytes of the attributes of the largest notification, that of a link */
#define NOTIFY_LEN		512

static_assert((int)SMCR_NL_MONITOR_DEVICE == SMCR_NLGRP_DEVICE);
static_assert((int)SMCR_NL_MONITOR_LINKGROUP == SMCR_NLGRP_LINKGROUP);
static_assert((int)SMCR_NL_MONITOR_LINK == SMCR_NLGRP_LINK);
static_assert((int)SMCR_NL_MONITOR_FALLBACK == SMCR_NLGRP_FALLBACK);

/* The family is registered; read under RCU */
static bool started;

/**
 * struct ntf - a notification being filled
 * @net: its namespace
 * @kind: its multicast group
 * @skb: the message
 * @hdr: its header
 */
struct ntf {
	struct net *net;
	enum smcr_nl_monitor kind;
	struct sk_buff *skb;
	void *hdr;
};

static bool ntf_begin(struct ntf *ntf, u8 cmd)
{
	ntf->skb = genlmsg_new(NOTIFY_LEN, GFP_ATOMIC);
	if (!ntf->skb)
		return false;
	ntf->hdr = genlmsg_put(ntf->skb, 0, 0, &smcr_nl_family, 0, cmd);
	if (ntf->hdr)
		return true;
	nlmsg_free(ntf->skb);
	return false;
}

/* Send the notification, or free it if @err says that it is not complete. */
static void ntf_end(struct ntf *ntf, int err)
{
	rcu_read_lock();
	if (err || !READ_ONCE(started)) {
		nlmsg_free(ntf->skb);
	} else {
		genlmsg_end(ntf->skb, ntf->hdr);
		genlmsg_multicast_netns(&smcr_nl_family, ntf->net, ntf->skb, 0,
					ntf->kind, GFP_ATOMIC);
	}
	rcu_read_unlock();
}

/* Count a notification. Return: false if there were too many in this second. */
static bool in_rate(struct net *net, enum smcr_nl_monitor kind)
{
	struct smcr_notify *notify = &smcr_pernet(net)->notify;
	struct smcr_notify_rate *rate = &notify->rate[kind];
	bool may, tell = false;

	spin_lock_bh(&notify->lock);
	if (time_after_eq(jiffies, rate->since + HZ)) {
		rate->since = jiffies;
		rate->sent = 0;
	}
	may = rate->sent < NOTIFY_PER_SECOND;
	if (may)
		rate->sent++;
	else
		tell = !rate->dropped++;
	spin_unlock_bh(&notify->lock);
	if (tell)
		schedule_delayed_work(&notify->work, HZ);
	if (!may)
		smcr_mib_inc(net, SMCR_MIB_NOTIFICATIONSDROPPED);
	return may;
}

static void tell_dropped(struct net *net, enum smcr_nl_monitor kind, u32 count)
{
	struct ntf ntf = { .net = net, .kind = kind };
	int err;

	if (!ntf_begin(&ntf, SMCR_CMD_DROPPED_NTF))
		return;
	err = nla_put_u32(ntf.skb, SMCR_A_DROPPED_MONITOR, kind) ||
	      nla_put_u32(ntf.skb, SMCR_A_DROPPED_COUNT, count);
	ntf_end(&ntf, err);
}

static void notify_work(struct work_struct *work)
{
	struct smcr_notify *notify = container_of(to_delayed_work(work),
						  struct smcr_notify, work);
	struct net *net = container_of(notify, struct smcr_net, notify)->net;
	u32 kind, dropped;

	for (kind = 0; kind < SMCR_NOTIFY_KINDS; kind++) {
		spin_lock_bh(&notify->lock);
		dropped = notify->rate[kind].dropped;
		notify->rate[kind].dropped = 0;
		spin_unlock_bh(&notify->lock);
		if (dropped)
			tell_dropped(net, kind, dropped);
	}
}

/**
 * smcr_notify_net_init() - prepare the notifications of a namespace
 * @net: the namespace
 *
 * Context: process.
 */
void smcr_notify_net_init(struct net *net)
{
	struct smcr_notify *notify = &smcr_pernet(net)->notify;

	spin_lock_init(&notify->lock);
	INIT_DELAYED_WORK(&notify->work, notify_work);
}

/**
 * smcr_notify_net_exit() - end the notifications of a namespace
 * @net: the namespace; it has no socket and no group any more
 *
 * Context: process.
 */
void smcr_notify_net_exit(struct net *net)
{
	cancel_delayed_work_sync(&smcr_pernet(net)->notify.work);
}

/**
 * smcr_notify_start() - begin to send, as the family is registered
 *
 * Context: process.
 */
void smcr_notify_start(void)
{
	WRITE_ONCE(started, true);
}

/**
 * smcr_notify_stop() - end sending, so that the family can be unregistered
 *
 * Context: process.
 */
void smcr_notify_stop(void)
{
	WRITE_ONCE(started, false);
	synchronize_rcu();
}

/**
 * smcr_notify_wanted() - does anybody listen?
 * @net: the namespace
 * @kind: kind of the notification
 *
 * Context: any.
 */
bool smcr_notify_wanted(struct net *net, enum smcr_nl_monitor kind)
{
	bool wanted;

	rcu_read_lock();
	wanted = READ_ONCE(started) &&
		 genl_has_listeners(&smcr_nl_family, net, kind);
	rcu_read_unlock();
	return wanted;
}

/**
 * smcr_notify_device() - report a change of a port
 * @net: a namespace that may use the port
 * @dev: name of the device
 * @port: port number
 * @active: the port is active
 * @change: what happened
 *
 * Context: any but hard irq.
 */
void smcr_notify_device(struct net *net, const char *dev, u32 port,
			bool active, enum smcr_nl_device_change change)
{
	struct ntf ntf = { .net = net, .kind = SMCR_NL_MONITOR_DEVICE };
	u32 state = active ? SMCR_NL_PORT_STATE_ACTIVE :
			     SMCR_NL_PORT_STATE_DOWN;
	int err;

	if (!smcr_notify_wanted(net, ntf.kind) || !in_rate(net, ntf.kind) ||
	    !ntf_begin(&ntf, SMCR_CMD_DEVICE_NTF))
		return;
	err = nla_put_string(ntf.skb, SMCR_A_DEVICE_DEVICE, dev) ||
	      nla_put_u32(ntf.skb, SMCR_A_DEVICE_PORT, port) ||
	      nla_put_u32(ntf.skb, SMCR_A_DEVICE_STATE, state) ||
	      nla_put_u32(ntf.skb, SMCR_A_DEVICE_CHANGE, change);
	ntf_end(&ntf, err);
}

/**
 * smcr_notify_lgr() - report that the state of a group has changed
 * @lgr: the group
 *
 * Context: any but hard irq, no lock of the group held.
 */
void smcr_notify_lgr(struct smcr_lgr *lgr)
{
	struct ntf ntf = { .net = lgr->net, .kind = SMCR_NL_MONITOR_LINKGROUP };

	/* Without a number it is on no list, and nobody has seen it. */
	if (!lgr->id || !smcr_notify_wanted(lgr->net, ntf.kind) ||
	    !in_rate(lgr->net, ntf.kind) ||
	    !ntf_begin(&ntf, SMCR_CMD_LINKGROUP_NTF))
		return;
	ntf_end(&ntf, smcr_nl_lgr_fill(ntf.skb, lgr));
}

/**
 * smcr_notify_link() - report that a link was added or lost
 * @link: the link
 *
 * Context: process.
 */
void smcr_notify_link(struct smcr_link *link)
{
	struct net *net = link->lgr->net;
	struct ntf ntf = { .net = net, .kind = SMCR_NL_MONITOR_LINK };

	if (!smcr_notify_wanted(net, ntf.kind) || !in_rate(net, ntf.kind) ||
	    !ntf_begin(&ntf, SMCR_CMD_LINK_NTF))
		return;
	ntf_end(&ntf, smcr_nl_link_fill(ntf.skb, link));
}

/**
 * smcr_notify_fallback() - report that a connection fell back to TCP
 * @inner: its TCP socket
 * @reason: why
 * @diagnosis: diagnosis of the peer's Decline, or 0
 *
 * Context: process.
 */
void smcr_notify_fallback(const struct sock *inner,
			  enum smcr_fallback_reason reason, u32 diagnosis)
{
	struct net *net = sock_net(inner);
	struct ntf ntf = { .net = net, .kind = SMCR_NL_MONITOR_FALLBACK };
	int err;

	if (!smcr_notify_wanted(net, ntf.kind) || !in_rate(net, ntf.kind) ||
	    !ntf_begin(&ntf, SMCR_CMD_FALLBACK_NTF))
		return;
	err = nla_put_u32(ntf.skb, SMCR_A_FALLBACK_REASON, reason) ||
	      nla_put_u32(ntf.skb, SMCR_A_FALLBACK_DIAGNOSIS, diagnosis) ||
	      smcr_nl_addr_fill(ntf.skb, inner, SMCR_A_FALLBACK_LOCAL);
	ntf_end(&ntf, err);
}
