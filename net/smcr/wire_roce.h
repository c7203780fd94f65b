/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RFC 7609 messages on a link: LLC (A.3) and CDC (A.4). Both are exactly 44
 * bytes long; the first byte tells which one it is.
 */
#ifndef _SMCR_WIRE_ROCE_H
#define _SMCR_WIRE_ROCE_H

#include "wire.h"

#define SMCR_ROCE_MSG_LEN		44

/* A.3: the two high bits of an unknown opcode say how to handle the message */
#define SMCR_LLC_CLASS_MASK		0xC0

#define SMCR_LLC_CLASS_OPTIONAL		0x80	/* discard silently */
#define SMCR_LLC_CLASS_CDC		0xC0
#define SMCR_CDC_TYPE			0xFE

enum smcr_llc_type {
	SMCR_LLC_CONFIRM_LINK		= 1,
	SMCR_LLC_ADD_LINK		= 2,
	SMCR_LLC_ADD_LINK_CONT		= 3,
	SMCR_LLC_DELETE_LINK		= 4,
	SMCR_LLC_CONFIRM_RKEY		= 6,
	SMCR_LLC_TEST_LINK		= 7,
	SMCR_LLC_CONFIRM_RKEY_CONT	= 8,
	SMCR_LLC_DELETE_RKEY		= 9,
};

/* Number of entries in one message: A.3.3, A.3.5, A.3.6, A.3.7, A.3.8 */
#define SMCR_LLC_ADD_CONT_PAIRS		2
#define SMCR_LLC_CONFIRM_RKEY_OTHERS	2
#define SMCR_LLC_RKEY_CONT_OTHERS	3
#define SMCR_LLC_DELETE_RKEYS		8
#define SMCR_LLC_TEST_DATA_LEN		16

#define SMCR_LLC_F_REPLY		0x80
#define SMCR_LLC_F_NO_EYE		0x03	/* CONFIRM LINK: Linux */
#define SMCR_LLC_F_ADD_REJECT		0x40	/* ADD LINK: Z */
#define SMCR_LLC_F_DELETE_ALL		0x40	/* DELETE LINK: A */
#define SMCR_LLC_F_DELETE_ORDERLY	0x20	/* DELETE LINK: O */
#define SMCR_LLC_F_RKEY_NEGATIVE	0x20	/* RKEY messages: Z */
#define SMCR_LLC_F_RKEY_RETRY		0x10	/* CONFIRM RKEY: C */

/* A.3.2: why a client refused an ADD LINK */
enum smcr_llc_add_reason {
	SMCR_LLC_ADD_NO_PATH	= 1,
	SMCR_LLC_ADD_BAD_MTU	= 2,
};

/* A.3.4: why a link or group is deleted; the last one only in a reply */
enum smcr_llc_delete_reason {
	SMCR_LLC_DEL_LOST_PATH	= 0x00010000,
	SMCR_LLC_DEL_OPERATOR	= 0x00020000,
	SMCR_LLC_DEL_INACTIVE	= 0x00030000,
	SMCR_LLC_DEL_PROTOCOL	= 0x00040000,
	SMCR_LLC_DEL_ASYMMETRIC	= 0x00050000,
	SMCR_LLC_DEL_NO_LINK	= 0x00100000,
};

struct smcr_wire_llc_hdr {
	u8 type;
	u8 length;
	u8 reason;		/* ADD LINK: low nibble; otherwise reserved */
	u8 flags;
} __packed;

/* Figure 31 */
struct smcr_wire_confirm_link {
	struct smcr_wire_llc_hdr hdr;
	u8 mac[SMCR_MAC_LEN];
	u8 gid[SMCR_GID_LEN];
	u8 qpn[3];
	u8 link_num;
	__be32 link_uid;
	u8 max_links;
	u8 reserved[9];
} __packed;

/* Figure 32, from the GID on; Linux puts two reserved bytes before it */
struct smcr_wire_add_link_tail {
	u8 gid[SMCR_GID_LEN];
	u8 qpn[3];
	u8 link_num;
	u8 mtu;			/* low nibble */
	u8 psn[3];
} __packed;

struct smcr_wire_add_link {
	struct smcr_wire_llc_hdr hdr;
	u8 mac[SMCR_MAC_LEN];
	struct smcr_wire_add_link_tail tail;
	u8 reserved[10];
} __packed;

struct smcr_wire_add_link_linux {
	struct smcr_wire_llc_hdr hdr;
	u8 mac[SMCR_MAC_LEN];
	u8 reserved1[2];
	struct smcr_wire_add_link_tail tail;
	u8 reserved2[8];
} __packed;

/* Figure 34 */
struct smcr_wire_rkey_pair {
	__be32 ref_rkey;
	__be32 rkey;
	__be64 vaddr;
} __packed;

/* Figure 33 */
struct smcr_wire_add_link_cont {
	struct smcr_wire_llc_hdr hdr;
	u8 link_num;
	u8 nr_left;
	u8 reserved1[2];
	struct smcr_wire_rkey_pair pair[SMCR_LLC_ADD_CONT_PAIRS];
	u8 reserved2[4];
} __packed;

/* Figure 35 */
struct smcr_wire_delete_link {
	struct smcr_wire_llc_hdr hdr;
	u8 link_num;
	__be32 reason;
	u8 reserved[35];
} __packed;

/* Figure 37 */
struct smcr_wire_link_rkey {
	u8 link_num;
	__be32 rkey;
	__be64 vaddr;
} __packed;

/* Figure 36 */
struct smcr_wire_confirm_rkey {
	struct smcr_wire_llc_hdr hdr;
	u8 nr_others;
	__be32 rkey;
	__be64 vaddr;
	struct smcr_wire_link_rkey other[SMCR_LLC_CONFIRM_RKEY_OTHERS];
	u8 reserved;
} __packed;

/* Figure 38, without its reserved last byte: three entries leave no room */
struct smcr_wire_confirm_rkey_cont {
	struct smcr_wire_llc_hdr hdr;
	u8 nr_left;
	struct smcr_wire_link_rkey other[SMCR_LLC_RKEY_CONT_OTHERS];
} __packed;

/* Figure 39 */
struct smcr_wire_delete_rkey {
	struct smcr_wire_llc_hdr hdr;
	u8 count;
	u8 error_mask;
	u8 reserved1[2];
	__be32 rkey[SMCR_LLC_DELETE_RKEYS];
	u8 reserved2[4];
} __packed;

/* Figure 40 */
struct smcr_wire_test_link {
	struct smcr_wire_llc_hdr hdr;
	u8 data[SMCR_LLC_TEST_DATA_LEN];
	u8 reserved[24];
} __packed;

/* Figure 41 */
struct smcr_wire_cdc {
	u8 type;
	u8 length;
	__be16 seq;
	__be32 alert_token;
	u8 reserved1[2];
	__be16 prod_wrap;
	__be32 prod;
	u8 reserved2[2];
	__be16 cons_wrap;
	__be32 cons;
	__be16 flags;		/* enum smcr_cdc_flag */
	u8 reserved3[18];
} __packed;

static_assert(sizeof(struct smcr_wire_confirm_link) == SMCR_ROCE_MSG_LEN);
static_assert(sizeof(struct smcr_wire_add_link) == SMCR_ROCE_MSG_LEN);
static_assert(sizeof(struct smcr_wire_add_link_linux) == SMCR_ROCE_MSG_LEN);
static_assert(sizeof(struct smcr_wire_add_link_cont) == SMCR_ROCE_MSG_LEN);
static_assert(sizeof(struct smcr_wire_delete_link) == SMCR_ROCE_MSG_LEN);
static_assert(sizeof(struct smcr_wire_confirm_rkey) == SMCR_ROCE_MSG_LEN);
static_assert(sizeof(struct smcr_wire_confirm_rkey_cont) == SMCR_ROCE_MSG_LEN);
static_assert(sizeof(struct smcr_wire_delete_rkey) == SMCR_ROCE_MSG_LEN);
static_assert(sizeof(struct smcr_wire_test_link) == SMCR_ROCE_MSG_LEN);
static_assert(sizeof(struct smcr_wire_cdc) == SMCR_ROCE_MSG_LEN);

#endif /* _SMCR_WIRE_ROCE_H */
