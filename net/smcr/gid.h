/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Choice of the netdev's GID that a handshake names.
 */
#ifndef _SMCR_GID_H
#define _SMCR_GID_H

#include <linux/types.h>

#include "wire.h"

/**
 * enum smcr_gid_kind - kinds of GIDs; also the values of net.smcr.gid_kind
 * @SMCR_GID_AUTO: no preference, or not known
 * @SMCR_GID_ROUTABLE: an IP address that routers forward: RoCEv2
 * @SMCR_GID_LINK_LOCAL: an address in fe80::/10: RoCEv1 if the port has it
 * @SMCR_GID_KINDS: number of values
 */
enum smcr_gid_kind {
	SMCR_GID_AUTO,
	SMCR_GID_ROUTABLE,
	SMCR_GID_LINK_LOCAL,
	SMCR_GID_KINDS
};

/**
 * struct smcr_gid - an entry of a port's GID table
 * @raw: the GID
 * @v2: RoCEv2; otherwise RoCEv1
 * @port: port number
 * @index: index in the port's table
 * @vlan: VLAN ID of the packets that it sends, 0xffff for untagged ones
 */
struct smcr_gid {
	u8	raw[SMCR_GID_LEN];
	bool	v2;
	u32	port;
	u16	index;
	u16	vlan;
};

/**
 * struct smcr_gid_want - the GID that a handshake prefers
 * @kind: the kind; not SMCR_GID_AUTO
 * @peer: GID that the peer named, or NULL
 * @local: local address of the TCP connection; IPv4 as a mapped address
 * @vlan: VLAN ID of the TCP connection's netdev, 0xffff if that is no VLAN
 */
struct smcr_gid_want {
	enum smcr_gid_kind	kind;
	u16			vlan;
	const u8		*peer;
	const u8		*local;
};

/* Number of ranks of smcr_gid_rank(), which begin at 0 */
#define SMCR_GID_RANKS	32

/* Bits of smcr_gid_types(), with the same values as SMCR_NL_GID_TYPE_... */
#define SMCR_GID_T_V2			0x1
#define SMCR_GID_T_V2_LINK_LOCAL	0x2
#define SMCR_GID_T_V1			0x4
#define SMCR_GID_T_V1_LINK_LOCAL	0x8

enum smcr_gid_kind smcr_gid_kind(const u8 *gid);
enum smcr_gid_kind smcr_gid_prefer(enum smcr_gid_kind setting,
				   enum smcr_gid_kind hint);
bool smcr_gid_alike(const u8 *a, const u8 *b);
unsigned int smcr_gid_rank(const struct smcr_gid *gid,
			   const struct smcr_gid_want *want);
int smcr_gid_find(const struct smcr_gid *table, u32 n,
		  const struct smcr_gid_want *want, unsigned int rank,
		  u32 *skip);
u32 smcr_gid_types(const struct smcr_gid *table, u32 n, u32 port);

#endif /* _SMCR_GID_H */
