/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RDMA devices: their ports and GIDs.
 */
#ifndef _SMCR_IB_H
#define _SMCR_IB_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "chunk.h"
#include "gid.h"
#include "wire.h"

struct ib_device;
struct net;
struct net_device;
struct smcr_ib_events;
struct smcr_ib_gids;

/**
 * struct smcr_ibdev - one RDMA device that smcr may use
 * @ibdev: the device; valid while the caller owns one of @refs
 * @refs: owners that keep the device itself: its registration, each link until
 *	its verbs objects are gone, each lookup that runs. Removal waits for
 *	zero
 * @mem: owners that keep this structure: its registration, each link, each
 *	chunk mapping, each port that smcr_ib_port_find() returned. So a program
 *	that keeps its connection open does not delay removal
 * @released: completed when @refs reaches zero
 * @rcu: frees the structure after lookups under RCU
 * @list: in ib_port.c's list of devices; changed under ib_port.c's ib_lock,
 *	read under RCU
 * @gids: copy of the GID tables; changed under ib_lock, read under RCU
 * @listed: lookups find the device; under ib_lock
 * @port_mutex: serialises the copying of GID tables, so that an older copy
 *	never replaces a newer one; process context, ib_lock is taken inside
 * @links_lock: protects @links, @vectors and changes of @removing; taken in any
 *	context, hard irq too. A link's tx_lock is taken inside
 * @links: links that have a queue pair on the device
 * @removing: the device is being removed; no new link is built on it. Read
 *	without @links_lock as a hint
 * @vectors: completion queues of links by completion vector; under @links_lock
 * @n_vectors: entries of @vectors
 * @node: NUMA node for memory that the device uses
 * @chunk_lock: protects @chunks, @chunk_maps, @n_free, @gone; leaf, not taken
 *	in hard irq
 * @chunks: free send chunks of each kind, last in first out
 * @chunk_maps: mappings of all send chunks, free or in use
 * @n_free: entries of each of @chunks
 * @gone: all chunks are unmapped, and none is mapped any more
 * @max_mr_pages: pages that one fast registration may hold
 * @pages_told: the log has said that a group's RMBs have more; read and written
 *	without a lock
 * @max_qp_wr: work requests of one queue
 * @max_cqe: entries of one completion queue
 * @max_send_sge: scatter entries of one work request
 * @events: subscription to the device's events, private to ib.c
 * @n_ports: entries of @ports
 * @kept: links with objects that the device did not destroy; lock-free list
 * @ports: state and MTU by port number, see port_state.h; read without a lock,
 *	written with cmpxchg()
 */
struct smcr_ibdev {
	struct ib_device	*ibdev;
	refcount_t		refs;
	struct kref		mem;
	struct completion	released;
	struct rcu_head		rcu;
	struct list_head	list;
	struct smcr_ib_gids __rcu *gids;
	bool			listed;
	struct mutex		port_mutex;

	spinlock_t		links_lock;
	struct list_head	links;
	bool			removing;
	u32			*vectors;
	u32			n_vectors;

	int			node;
	spinlock_t		chunk_lock;
	struct list_head	chunks[SMCR_CHUNK_KINDS];
	struct list_head	chunk_maps;
	u32			n_free[SMCR_CHUNK_KINDS];
	bool			gone;

	u32			max_mr_pages;
	bool			pages_told;
	u32			max_qp_wr;
	u32			max_cqe;
	u32			max_send_sge;
	struct smcr_ib_events	*events;
	struct llist_head	kept;
	u32			n_ports;
	u32			ports[] __counted_by(n_ports);
};

/**
 * struct smcr_port - the local end of a RoCE path
 * @dev: device; NULL if none. A port from smcr_ib_port_find() keeps the
 *	structure only, until smcr_ib_port_drop(). smcr_ib_port_tryget() keeps
 *	the device itself, until smcr_ib_port_put()
 * @port: port number on @dev
 * @sgid_index: GID table index; it selects RoCEv1 or v2 for the local end
 * @mtu: path MTU of the port and its netdev, as the RFC's enumeration (1..5)
 * @v2: @gid is one of RoCEv2; otherwise of RoCEv1
 * @vlan: VLAN ID of the packets that @gid sends, 0xffff for untagged ones
 * @gid: the GID at @sgid_index, opaque on the wire
 * @mac: MAC address of the netdev that carries @gid
 * @ifindex: index of that netdev
 */
struct smcr_port {
	struct smcr_ibdev	*dev;
	u32			port;
	u16			sgid_index;
	u8			mtu;
	bool			v2;
	u16			vlan;
	u8			gid[SMCR_GID_LEN];
	u8			mac[SMCR_MAC_LEN];
	int			ifindex;
};

/**
 * struct smcr_ib_hit - a GID that a lookup found
 * @dev: its device, with a reference
 * @gid: the GID
 * @ndev: its netdev; only compared
 */
struct smcr_ib_hit {
	struct smcr_ibdev	*dev;
	struct smcr_gid		gid;
	const void		*ndev;
};

/* Why smcr_ib_port_find() found nothing. */
enum smcr_port_miss {
	SMCR_PORT_OK,
	SMCR_PORT_NO_RNIC,	/* no RoCE port on the netdev */
	SMCR_PORT_NO_GID,	/* a port, but no usable GID or not active */
};

int __must_check smcr_ib_init(void);
void smcr_ib_exit(void);
void smcr_ib_port_drop(struct smcr_port *port);
bool __must_check smcr_ib_port_tryget(const struct smcr_port *port);
void smcr_ib_port_put(struct smcr_port *port);

void smcr_ib_dev_hold(struct smcr_ibdev *dev);
void smcr_ib_dev_drop(struct smcr_ibdev *dev);

u32 smcr_ib_vector_get(struct smcr_ibdev *dev);
void smcr_ib_vector_put(struct smcr_ibdev *dev, u32 vector);
const char *smcr_ib_dev_name(const struct smcr_ibdev *dev);

/* ib_port.c */

/**
 * struct smcr_ib_port_info - what displays show besides struct smcr_port
 * @dev: name of the port's device
 * @active: the port is active, and its path MTU is usable
 * @gid_types: bits SMCR_GID_T_...: types of its GIDs in the namespace
 */
struct smcr_ib_port_info {
	const char	*dev;
	bool		active;
	u32		gid_types;
};

u32 smcr_ib_least_pages(const struct net *net, const struct smcr_port *like,
			u32 least);
typedef int (*smcr_ib_walk_fn)(const struct smcr_port *port,
			       const struct smcr_ib_port_info *info,
			       void *arg);

int __must_check smcr_ib_ports_add(struct smcr_ibdev *dev);
void smcr_ib_ports_del(struct smcr_ibdev *dev);
void smcr_ib_ports_free(struct smcr_ibdev *dev);
void smcr_ib_port_event(struct smcr_ibdev *dev, u32 port);
bool smcr_ib_gids_update(struct smcr_ibdev *dev);
void smcr_ib_ports_mtu_changed(struct smcr_ibdev *dev);
enum smcr_port_miss __must_check
smcr_ib_port_find(struct net_device *ndev, const struct smcr_gid_want *want,
		  struct smcr_port *out);
bool __must_check smcr_ib_port_fill(const struct smcr_ib_hit *hit,
				    struct smcr_port *out);
bool __must_check smcr_ib_port_ready(struct smcr_port *port);
int __must_check smcr_ib_port_known(struct smcr_port *port);
bool __must_check smcr_ib_gid_valid(const struct smcr_port *port);
u32 __must_check smcr_ib_gids_like(const struct net *net,
				   const struct smcr_port *like,
				   struct smcr_ib_hit *hits, u32 n);
bool smcr_ib_port_usable(struct net_device *ndev);
bool smcr_ib_on_netdev(const struct smcr_ibdev *dev,
		       const struct net_device *ndev);
bool smcr_ib_any(void);
bool smcr_ib_gid_is_ours(const struct net *net, const u8 *gid);

/* ib_walk.c */
enum smcr_port_miss __must_check
smcr_ib_port_named(const struct net *net, const char *name, u32 num,
		   const struct smcr_gid_want *want, struct smcr_port *out);
u32 smcr_ib_ports_in(const struct smcr_ibdev *dev, const struct net *net);
bool smcr_ib_named_usable(const struct net *net, const char *name, u32 num);
int smcr_ib_walk(const struct net *net, int pos, smcr_ib_walk_fn fn,
		 void *arg);

/* ib_spare.c */

/**
 * struct smcr_ib_spare_want - the local end that a further link needs
 * @first: local end of the group's first link; the GID of the further one has
 *	the same RoCE version, kind, address family and VLAN
 * @peer_gid: GID of the peer's end of the further link, or NULL if this host
 *	makes the offer
 * @first_peer: GID of the peer's end of the first link
 * @asked: GID that the peer has named as that of a spare port, or NULL
 * @nth: 0 for the best port; each retry adds 1 and so tries them in turn
 * @n_asymmetric: number of the last entries of "used" that may be chosen if no
 *	other port is spare: the ports of asymmetric links
 * @pages: pages of the group's largest RMB, which the device has to register
 * @near: only ports that are on the peer's LAN by their addresses
 */
struct smcr_ib_spare_want {
	const struct smcr_port	*first;
	const u8		*peer_gid;
	const u8		*first_peer;
	const u8		*asked;
	unsigned int		nth;
	unsigned int		n_asymmetric;
	u32			pages;
	bool			near;
};

int __must_check
smcr_ib_port_spare(struct net *net, const struct smcr_port *used,
		   unsigned int n_used, const struct smcr_ib_spare_want *want,
		   struct smcr_port *out);
int __must_check
smcr_ib_spare_ports(struct net *net, const struct smcr_port *used,
		    unsigned int n_used,
		    const struct smcr_ib_spare_want *want);
bool smcr_ib_port_near(struct net *net, const struct smcr_port *port,
		       const u8 *gid);

#endif /* _SMCR_IB_H */
