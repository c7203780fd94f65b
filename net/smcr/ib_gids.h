/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of GID tables and the list of devices, between ib_port.c and
 * ib_walk.c.
 */
#ifndef _SMCR_IB_GIDS_H
#define _SMCR_IB_GIDS_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <uapi/linux/smcr.h>

#include "ib.h"
#include "port_state.h"

/**
 * struct ib_seat - the GIDs that a device has on a netdev
 * @node: in ib_seats
 * @dev: the device; its structure exists as long as a lookup finds the seat
 * @ndev: the netdev; only compared, never dereferenced
 * @net: the netdev's namespace; only compared, never dereferenced
 * @gids: in smcr_ib_gids.table
 * @n: entries of @gids
 */
struct ib_seat {
	struct hlist_node	node;
	struct smcr_ibdev	*dev;
	const void		*ndev;
	const void		*net;
	const struct smcr_gid	*gids;
	u32			n;
};

/**
 * struct ib_owner - the seat that a GID belongs to
 * @node: in ib_owners
 * @gid: the GID
 * @seat: the seat
 */
struct ib_owner {
	struct hlist_node	node;
	const struct smcr_gid	*gid;
	const struct ib_seat	*seat;
};

/**
 * struct smcr_ib_gids - a copy of a device's GID tables, replaced as a whole
 * @rcu: frees the copy
 * @seats: one for each netdev
 * @owners: one for each GID
 * @n_seats: entries of @seats
 * @n: entries of @table and @owners
 * @table: the GIDs, ordered by netdev, port and index
 */
struct smcr_ib_gids {
	struct rcu_head	rcu;
	struct ib_seat	*seats;
	struct ib_owner	*owners;
	u32		n_seats;
	u32		n;
	struct smcr_gid	table[] __counted_by(n);
};

/* Devices in the order in which they were added; changed in ib_port.c, read
 * under RCU
 */
extern struct list_head smcr_ib_devices;

/* ib_port.c */
u32 smcr_ib_port_ask(struct smcr_ibdev *dev, u32 port, u32 mtu);
void smcr_ib_ports_ask(struct smcr_ibdev *dev);
bool __must_check smcr_ib_dev_tryget(struct smcr_ibdev *dev,
				     const struct net *net);
bool __must_check smcr_ib_port_try(const struct smcr_ib_hit *hit,
				   struct smcr_port *out);

/* ib.c */
void smcr_ib_ready_later(struct smcr_ibdev *dev);
void smcr_ib_ask_later(struct smcr_ibdev *dev);

/* ib_walk.c */
void smcr_ib_tell(const struct smcr_ibdev *dev,
		  enum smcr_nl_device_change change);
void smcr_ib_tell_later(void);

#endif /* _SMCR_IB_GIDS_H */
