/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PNET table: netdevs and RoCE ports that an administrator has tied together.
 */
#ifndef _SMCR_PNET_H
#define _SMCR_PNET_H

#include <linux/if.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "ib.h"

struct net;
struct net_device;
struct netlink_ext_ack;

/* Bytes of a network's name, without the final zero byte */
#define SMCR_PNET_NAME_LEN	16
/* Bytes of a device's name, with it; IB_DEVICE_NAME_MAX */
#define SMCR_PNET_DEV_LEN	64

/**
 * struct smcr_pnet_entry - a netdev or a port of a physical network
 * @list: in smcr_pnet.entries
 * @rcu: frees the entry
 * @name: name of the network
 * @netdev: name of the netdev; empty for a port
 * @device: name of the port's device; empty for a netdev
 * @port: number of the port on @device
 *
 * Constant while the entry is on the list. Names, so that the entry outlives
 * netdev and device, which need not exist.
 */
struct smcr_pnet_entry {
	struct list_head	list;
	struct rcu_head		rcu;
	char			name[SMCR_PNET_NAME_LEN + 1];
	char			netdev[IFNAMSIZ];
	char			device[SMCR_PNET_DEV_LEN];
	u32			port;
};

/**
 * struct smcr_pnet - the table of a namespace
 * @lock: protects changes of @entries, and @n; leaf, process context
 * @entries: the entries, oldest first; read under RCU
 * @n: their number
 */
struct smcr_pnet {
	spinlock_t		lock;
	struct list_head	entries;
	u32			n;
};

typedef int (*smcr_pnet_walk_fn)(const struct smcr_pnet_entry *entry,
				 void *arg);

void smcr_pnet_net_init(struct net *net);
void smcr_pnet_net_exit(struct net *net);
int __must_check smcr_pnet_add(struct net *net,
			       const struct smcr_pnet_entry *like,
			       struct netlink_ext_ack *extack);
int __must_check smcr_pnet_del(struct net *net,
			       const struct smcr_pnet_entry *like,
			       struct netlink_ext_ack *extack);
int smcr_pnet_walk(struct net *net, u32 *pos, smcr_pnet_walk_fn fn, void *arg);
bool smcr_pnet_any(const struct net *net);
bool smcr_pnet_tied(const struct net_device *dev);
bool smcr_pnet_usable(const struct net_device *dev);
bool smcr_pnet_apart(struct net *net, const struct smcr_port *port,
		     const struct smcr_port *first);
enum smcr_port_miss __must_check
smcr_pnet_port(const struct net_device *dev, const struct smcr_gid_want *want,
	       struct smcr_port *out);

#endif /* _SMCR_PNET_H */
