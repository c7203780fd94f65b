/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RDMA devices: which port carries an address, DMA mapping, send chunks.
 */
#ifndef _SMCR_IB_H
#define _SMCR_IB_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "wire.h"

struct ib_device;
struct net;
struct net_device;
struct page;

/* Bytes of one send chunk: a power of two and a multiple of PAGE_SIZE. */
#define SMCR_CHUNK_SIZE		16384u

/**
 * struct smcr_ibdev - one RDMA device that smcr may use
 * @ibdev: the device; valid until ib.c has drained @refs on removal
 * @refs: one for the registration, one per link and per lookup result
 * @list: in ib.c's device list, under its lock
 * @chunk_lock: protects @chunks and @n_chunks; leaf, any context
 * @chunks: free send chunks, mapped for this device, last in first out
 * @n_chunks: chunks on @chunks
 * @chunks_out: chunks in use
 * @removing: set once on removal; no new link is built on the device
 *
 * Fields behind this comment belong to ib.c alone.
 */
struct smcr_ibdev {
	struct ib_device	*ibdev;
	refcount_t		refs;
	struct list_head	list;
	spinlock_t		chunk_lock;
	struct list_head	chunks;
	unsigned int		n_chunks;
	atomic_t		chunks_out;
	bool			removing;
	struct completion	released;
	u32			max_inline;
	u32			max_mr_pages;
	u32			max_send_sge;
};

/**
 * struct smcr_port - the local end of a RoCE path
 * @dev: device, with a reference that smcr_ib_port_put() drops; NULL if none
 * @port: port number on @dev
 * @sgid_index: GID table index; says RoCEv1 or v2 for the local side
 * @mtu: active path MTU of the port, as the RFC's enumeration (1..5)
 * @gid: the GID at @sgid_index, opaque on the wire
 * @mac: MAC address of the netdev that carries @gid
 * @ifindex: that netdev
 */
struct smcr_port {
	struct smcr_ibdev	*dev;
	u32			port;
	u16			sgid_index;
	u8			mtu;
	u8			gid[SMCR_GID_LEN];
	u8			mac[SMCR_MAC_LEN];
	int			ifindex;
};

/**
 * struct smcr_chunk - a piece of send space, mapped for one device
 * @list: in the device's free list
 * @dev: the device it is mapped for, counted in @dev->chunks_out
 * @vaddr: CPU address of SMCR_CHUNK_SIZE bytes
 * @dma: DMA address of the same, direction DMA_TO_DEVICE
 */
struct smcr_chunk {
	struct list_head	list;
	struct smcr_ibdev	*dev;
	void			*vaddr;
	u64			dma;
};

/* Why smcr_ib_port_find() found nothing. */
enum smcr_port_miss {
	SMCR_PORT_OK,
	SMCR_PORT_NO_RNIC,	/* no RoCE port on the netdev */
	SMCR_PORT_NO_GID,	/* a port, but no GID that can be used */
};

int smcr_ib_init(void);
void smcr_ib_exit(void);
enum smcr_port_miss smcr_ib_port_find(struct net_device *ndev,
				      const struct in6_addr *local,
				      struct smcr_port *out);
enum smcr_port_miss smcr_ib_port_find_gid(const struct net *net,
					  const u8 *gid, const u8 *mac,
					  struct smcr_port *out);
bool smcr_ib_port_usable(struct net_device *ndev);
bool smcr_ib_any(void);
void smcr_ib_port_get(const struct smcr_port *port);
void smcr_ib_port_put(struct smcr_port *port);
bool smcr_ib_gid_is_ours(const struct net *net, const u8 *gid);
int smcr_ib_walk(const struct net *net, int skip,
		 int (*fn)(const struct smcr_port *port, const char *dev,
			   bool active, void *arg), void *arg);

struct smcr_chunk *smcr_ib_chunk_get(struct smcr_ibdev *dev, gfp_t gfp);
void smcr_ib_chunk_put(struct smcr_chunk *chunk);
void smcr_ib_chunk_sync(const struct smcr_chunk *chunk, u32 off, u32 len);

#endif /* _SMCR_IB_H */
