/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wire format of CLC messages, which go over TCP (RFC 7609 A.2).
 */
#ifndef _SMCR_WIRE_CLC_H
#define _SMCR_WIRE_CLC_H

#include "wire.h"

/* First and last four bytes of each CLC message; the second is for SMC-D */
#define SMCR_EYE_CATCHER		0xE2D4C3D9U
#define SMCR_EYE_CATCHER_D		0xE2D4C3C4U

/* CLC messages, section A.2 */
enum smcr_clc_type {
	SMCR_CLC_PROPOSAL	= 1,
	SMCR_CLC_ACCEPT		= 2,
	SMCR_CLC_CONFIRM	= 3,
	SMCR_CLC_DECLINE	= 4,
};

#define SMCR_CLC_HDR_LEN		8
#define SMCR_CLC_PROPOSAL_LEN		52	/* no prefix, area offset 0 */
#define SMCR_CLC_ACCEPT_LEN		68	/* Accept and Confirm */
#define SMCR_CLC_DECLINE_LEN		28
#define SMCR_CLC_DECLINE_V2_LEN		44	/* 4 more words of diagnosis */
#define SMCR_CLC_MAX_LEN		4096	/* limit of smcr */

#define SMCR_CLC_F_FIRST		0x08	/* Accept: first contact */
#define SMCR_CLC_F_SYNC			0x08	/* Decline: out of sync */
#define SMCR_CLC_TYPEV1_MASK		0x03	/* version >= 2 only */

/**
 * enum smcr_clc_typev1 - version 1 types that a version 2 message offers
 * @SMCR_CLC_TYPEV1_R: SMC-R only
 * @SMCR_CLC_TYPEV1_D: SMC-D only
 * @SMCR_CLC_TYPEV1_N: neither; the prefix area is absent
 * @SMCR_CLC_TYPEV1_B: SMC-R and SMC-D
 */
enum smcr_clc_typev1 {
	SMCR_CLC_TYPEV1_R,
	SMCR_CLC_TYPEV1_D,
	SMCR_CLC_TYPEV1_N,
	SMCR_CLC_TYPEV1_B,
};

/*
 * Peer diagnosis of a Decline (A.2.5)
 *
 * The RFC leaves the values to the implementation. If Linux's AF_SMC has a
 * value with the same meaning, smcr uses that value, so that AF_SMC's tools
 * show it correctly. Values that only smcr has end in a byte of 0x80 or more.
 */
enum smcr_clc_diagnosis {
	SMCR_DIAG_MEMORY	= 0x01010000,
	SMCR_DIAG_LIMIT		= 0x01010080,	/* a sysctl or RFC limit */
	SMCR_DIAG_CONFIRM_LINK	= 0x02010000,	/* CONFIRM LINK failed */
	SMCR_DIAG_MTU		= 0x02010080,	/* long packets are lost */
	SMCR_DIAG_ADD_LINK	= 0x02020000,	/* ADD LINK timed out */
	SMCR_DIAG_CONFIG	= 0x03000000,
	SMCR_DIAG_POLICY	= 0x03000080,	/* the operator forbids it */
	SMCR_DIAG_LOCAL		= 0x03000081,	/* peer is this very host */
	SMCR_DIAG_NO_OPTION	= 0x03010000,	/* peer sent no TCP option */
	SMCR_DIAG_IPSEC		= 0x03020000,
	SMCR_DIAG_TCP_AUTH	= 0x03020080,	/* TCP-MD5 or TCP-AO */
	SMCR_DIAG_VRF		= 0x03020081,
	SMCR_DIAG_NO_RNIC	= 0x03030000,
	SMCR_DIAG_NO_SMCR	= 0x03030002,	/* peer has no SMC-R v1 */
	SMCR_DIAG_NO_GID	= 0x03030080,
	SMCR_DIAG_GID_KIND	= 0x03030081,	/* RoCEv1 meets RoCEv2 */
	SMCR_DIAG_MODE		= 0x03040000,
	SMCR_DIAG_EYE_CATCHER	= 0x03050000,	/* RMBE eye catcher mode */
	SMCR_DIAG_SOCKOPT	= 0x03060000,	/* FASTOPEN, ULP, REPAIR */
	SMCR_DIAG_SUBNET	= 0x03070000,
	SMCR_DIAG_VLAN		= 0x03080000,
	SMCR_DIAG_NO_LINK	= 0x030A0000,	/* no active link */
	SMCR_DIAG_WRONG_LINK	= 0x030B0000,	/* not a link of the group */
	SMCR_DIAG_VERSION	= 0x030C0000,
	SMCR_DIAG_BAD_VALUE	= 0x030C0080,	/* bad enumerated value */
	SMCR_DIAG_BAD_IDENTITY	= 0x030C0081,	/* peer ID, GID, MAC or QPN */
	SMCR_DIAG_OUT_OF_SYNC	= 0x04000000,	/* goes with S (C.4) */
	SMCR_DIAG_INTERNAL	= 0x09990000,
	SMCR_DIAG_RTOKEN	= 0x09990001,
	SMCR_DIAG_LINK_SETUP	= 0x09990002,
	SMCR_DIAG_REGISTRATION	= 0x09990003,
};

struct smcr_wire_clc_hdr {
	__be32 eye;
	u8 type;
	__be16 length;
	u8 version_flags;	/* version << 4 | flags */
} __packed;

/* A.2.2, Figure 26; the mask/prefix area starts @area_offset bytes after it */
struct smcr_wire_proposal {
	struct smcr_wire_clc_hdr hdr;
	u8 peer_id[SMCR_PEER_ID_LEN];
	u8 gid[SMCR_GID_LEN];
	u8 mac[SMCR_MAC_LEN];
	__be16 area_offset;
} __packed;

struct smcr_wire_area {
	u8 v4_subnet[4];
	u8 v4_len;
	u8 reserved[2];
	u8 nr_prefixes;
} __packed;

struct smcr_wire_prefix {
	u8 addr[16];
	u8 len;
} __packed;

/* A.2.3 and A.2.4, Figures 28 and 29 */
struct smcr_wire_accept {
	struct smcr_wire_clc_hdr hdr;
	u8 peer_id[SMCR_PEER_ID_LEN];
	u8 gid[SMCR_GID_LEN];
	u8 mac[SMCR_MAC_LEN];
	u8 qpn[3];
	__be32 rkey;
	u8 rmbe_idx;
	__be32 alert_token;
	u8 bsize_mtu;		/* size code << 4 | MTU code */
	u8 reserved1;
	__be64 vaddr;
	u8 reserved2;
	u8 psn[3];
	__be32 eye;
} __packed;

/* A.2.5, Figure 30 */
struct smcr_wire_decline {
	struct smcr_wire_clc_hdr hdr;
	u8 peer_id[SMCR_PEER_ID_LEN];
	__be32 diagnosis;
	u8 reserved[4];
	__be32 eye;
} __packed;

static_assert(sizeof(struct smcr_wire_clc_hdr) == SMCR_CLC_HDR_LEN);
static_assert(sizeof(struct smcr_wire_proposal) == 40);
static_assert(sizeof(struct smcr_wire_area) == 8);
static_assert(sizeof(struct smcr_wire_prefix) == 17);
static_assert(sizeof(struct smcr_wire_accept) == SMCR_CLC_ACCEPT_LEN);
static_assert(sizeof(struct smcr_wire_decline) == SMCR_CLC_DECLINE_LEN);

#endif /* _SMCR_WIRE_CLC_H */
