/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Local addresses of connections that leave the host.
 */
#ifndef _SMCR_ADDR_H
#define _SMCR_ADDR_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct net;
struct smcr_conn;
struct smcr_net;
struct sock;

/**
 * struct smcr_addr - the watch over the addresses of a namespace
 * @work: looks at the connections
 * @lock: protects @stopped, and queues @work; a leaf, any context
 * @stopped: the namespace exits, and @work is not queued any more
 */
struct smcr_addr {
	struct delayed_work	work;
	spinlock_t		lock;
	bool			stopped;
};

int __must_check smcr_addr_init(void);
void smcr_addr_exit(void);
void smcr_addr_net_init(struct net *net);
void smcr_addr_net_exit(struct net *net);
bool smcr_addr_here(const struct sock *inner);
void smcr_addr_watch(struct smcr_conn *conn, const struct sock *inner);
void smcr_addr_kick(struct smcr_net *sn);

#endif /* _SMCR_ADDR_H */
