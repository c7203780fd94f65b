/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Choice of the local port of a further link.
 */
#ifndef _SMCR_SPARE_H
#define _SMCR_SPARE_H

#include <linux/types.h>

#include "wire.h"

/**
 * struct smcr_spare - a GID of a port, as a candidate for a further link
 * @dev: the device; only compared
 * @port: port number on @dev
 * @ifindex: the netdev that carries @gid
 * @gid: the GID
 * @prefix: leading bits of @gid that number its subnet, 0..128; an IPv4 address
 *	counts as a mapped address
 * @v2: RoCEv2; otherwise RoCEv1
 * @vlan: VLAN ID of the GID's packets, 0xffff for untagged ones
 * @pages: pages of the largest memory region of @dev
 * @like_first: @gid is in a subnet of the first link's netdev, whose GID may be
 *	that of a virtual address
 * @lan: the netdev has a subnet of the peer's GID; or, if that is not known or
 *	link-local, one of the first link's netdev
 * @ready: the port is active and the netdev can send
 * @open: whether the port is ready depends on an answer of the device; not
 *	together with @ready
 * @used: a symmetric link of the group ends here; set by smcr_spare_use()
 * @asymmetric: an asymmetric link of the group ends here; likewise
 * @used_dev: a link of the group uses @dev; likewise
 *
 * smcr_spare_use() and smcr_spare_want.first also take a link's local end in
 * this form.
 */
struct smcr_spare {
	const void	*dev;
	u32		port;
	int		ifindex;
	u8		gid[SMCR_GID_LEN];
	u8		prefix;
	bool		v2;
	u16		vlan;
	u32		pages;
	bool		like_first;
	bool		lan;
	bool		ready;
	bool		open;
	bool		used;
	bool		asymmetric;
	bool		used_dev;
};

/**
 * struct smcr_spare_want - the local end that a further link needs
 * @first: local end of the group's first link; its @dev, @port, @ifindex,
 *	@prefix, @pages and flags are not looked at
 * @peer_gid: GID of the peer's end of the further link, or NULL if this host
 *	makes the offer
 * @first_peer: GID of the peer's end of the first link, or NULL
 * @asked: GID that the peer has named as that of a spare port, or NULL
 * @nth: 0 for the best candidate; a retry takes the next one
 * @pages: pages of the group's largest RMB
 * @near: only a candidate that is on the peer's LAN by its addresses
 */
struct smcr_spare_want {
	const struct smcr_spare	*first;
	const u8		*peer_gid;
	const u8		*first_peer;
	const u8		*asked;
	unsigned int		nth;
	u32			pages;
	bool			near;
};

/* What smcr_spare_choose() returns without a candidate */
#define SMCR_SPARE_NONE	(-1)	/* there is no spare port */
#define SMCR_SPARE_FAR	(-2)	/* there are only such as @near excludes */

void smcr_spare_use(struct smcr_spare *cand, u32 n,
		    const struct smcr_spare *end);
bool smcr_spare_suits(const struct smcr_spare *cand,
		      const struct smcr_spare_want *want);
bool smcr_spare_near(const struct smcr_spare *cand,
		     const struct smcr_spare_want *want);
int smcr_spare_choose(const struct smcr_spare *cand, u32 n,
		      const struct smcr_spare_want *want);
u32 smcr_spare_ports(const struct smcr_spare *cand, u32 n,
		     const struct smcr_spare_want *want);
bool smcr_spare_open(const struct smcr_spare *cand, u32 n,
		     const struct smcr_spare_want *want);

#endif /* _SMCR_SPARE_H */
