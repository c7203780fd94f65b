/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink notifications, which "smcr-ctl monitor" prints.
 */
#ifndef _SMCR_NOTIFY_H
#define _SMCR_NOTIFY_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <uapi/linux/smcr.h>

struct net;
struct smcr_lgr;
struct smcr_link;
struct sock;

/* Kinds of notifications: enum smcr_nl_monitor */
#define SMCR_NOTIFY_KINDS	(SMCR_NL_MONITOR_MAX + 1)

/**
 * struct smcr_notify_rate - what a namespace has sent of one kind
 * @since: jiffies when the second began that @sent counts
 * @sent: notifications in that second
 * @dropped: notifications that were not sent, and that listeners do not know of
 */
struct smcr_notify_rate {
	unsigned long	since;
	u32		sent;
	u32		dropped;
};

/**
 * struct smcr_notify - notifications of a namespace
 * @lock: protects @rate; leaf, any context but hard irq
 * @rate: by enum smcr_nl_monitor
 * @work: tells listeners what was dropped
 */
struct smcr_notify {
	spinlock_t		lock;
	struct smcr_notify_rate	rate[SMCR_NOTIFY_KINDS];
	struct delayed_work	work;
};

void smcr_notify_net_init(struct net *net);
void smcr_notify_net_exit(struct net *net);
void smcr_notify_start(void);
void smcr_notify_stop(void);

bool smcr_notify_wanted(struct net *net, enum smcr_nl_monitor kind);
void smcr_notify_device(struct net *net, const char *dev, u32 port,
			bool active, enum smcr_nl_device_change change);
void smcr_notify_lgr(struct smcr_lgr *lgr);
void smcr_notify_link(struct smcr_link *link);
void smcr_notify_fallback(const struct sock *inner,
			  enum smcr_fallback_reason reason, u32 diagnosis);

#endif /* _SMCR_NOTIFY_H */
