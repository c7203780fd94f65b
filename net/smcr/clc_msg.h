/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CLC messages (RFC 7609, A.2): codec, and all checks that need no state.
 *
 * A reader takes 8 bytes from the stream, calls smcr_clc_msg_header(), takes
 * exactly the rest of the message, and calls the decoder of its type.
 */
#ifndef _SMCR_CLC_MSG_H
#define _SMCR_CLC_MSG_H

#include "wire_clc.h"

/*
 * Faults of a received CLC message
 *
 * A format fault resets the TCP connection (C.6). A fault from
 * %SMCR_CLC_NO_SMCR on is answered with a Decline, after which both sides fall
 * back to TCP. If a message has faults of both kinds, the decoder returns the
 * format fault.
 */
enum smcr_clc_fault {
	SMCR_CLC_OK = 0,
	SMCR_CLC_SHORT,		/* fewer bytes than the header says */
	SMCR_CLC_BAD_EYE,	/* first or last eye catcher */
	SMCR_CLC_BAD_TYPE,	/* unknown, or not the expected one */
	SMCR_CLC_BAD_LENGTH,	/* impossible for type, version or content */
	SMCR_CLC_BAD_VERSION,	/* version 0 */
	SMCR_CLC_BAD_OFFSET,	/* prefix area is outside the message */
	SMCR_CLC_BAD_SUBNET,	/* IPv4 length over 32, IPv6 over 128 */
	SMCR_CLC_BAD_PREFIXES,	/* more than 8 */
	SMCR_CLC_BAD_RMBE,	/* index 0, or the address wraps */
	SMCR_CLC_LATE_VALUE,	/* bad value where no Decline is allowed */
	SMCR_CLC_NO_SMCR,	/* the peer does not offer SMC-R v1 */
	SMCR_CLC_BAD_PEER_ID,	/* all zero */
	SMCR_CLC_BAD_GID,	/* zero or multicast */
	SMCR_CLC_BAD_MAC,	/* zero or multicast */
	SMCR_CLC_BAD_QPN,	/* 0 or 1, which are never RC QPs */
	SMCR_CLC_BAD_BSIZE,	/* beyond the largest of the dialect */
	SMCR_CLC_BAD_MTU,	/* not 1..5 */
	SMCR_CLC_FAULT_MAX
};

/**
 * smcr_clc_fault_declines() - is a fault answered with a Decline?
 * @fault: a fault, not %SMCR_CLC_OK
 *
 * Return: true for a Decline, false for a reset of TCP (C.6).
 */
static inline bool smcr_clc_fault_declines(enum smcr_clc_fault fault)
{
	return fault >= SMCR_CLC_NO_SMCR;
}

/**
 * struct smcr_clc_header - header of a CLC message
 * @type: one of enum smcr_clc_type
 * @length: length of the whole message, within the bounds of its type
 * @version: 1..15; the answer has version 1 in any case
 * @flag: F in an Accept, S in a Decline; undefined in other messages
 */
struct smcr_clc_header {
	enum smcr_clc_type type;
	u16 length;
	u8 version;
	bool flag;
};

/**
 * struct smcr_clc_prefix - one IPv6 prefix of a Proposal
 * @addr: the prefix, in network byte order
 * @len: number of significant bits, 0..128
 */
struct smcr_clc_prefix {
	u8 addr[16];
	u8 len;
};

/**
 * struct smcr_clc_proposal - SMC Proposal (A.2.2)
 * @version: as sent; 2 or more offers the Linux dialect
 * @peer_id: peer ID that the client claims
 * @gid: GID that the client prefers
 * @mac: MAC address of the port with @gid
 * @v4_subnet: subnet mask (RFC) or subnet number (Linux, smcr) in network byte
 *	order; zero with IPv6
 * @v4_len: number of significant bits, 0..32
 * @nr_prefixes: number of entries in @prefix; 0 with IPv4
 * @prefix: IPv6 prefixes of the client's interface
 */
struct smcr_clc_proposal {
	u8 version;
	u8 peer_id[SMCR_PEER_ID_LEN];
	u8 gid[SMCR_GID_LEN];
	u8 mac[SMCR_MAC_LEN];
	u8 v4_subnet[4];
	u8 v4_len;
	u8 nr_prefixes;
	struct smcr_clc_prefix prefix[SMCR_MAX_PREFIXES];
};

/**
 * smcr_clc_proposal_fits() - does a Proposal fit its TCP connection?
 * @msg: decoded Proposal
 * @ipv6: the TCP connection runs over IPv6, not over mapped addresses
 *
 * Return: false if IPv6 prefixes came over IPv4, which is a format fault.
 */
static inline bool smcr_clc_proposal_fits(const struct smcr_clc_proposal *msg,
					  bool ipv6)
{
	return ipv6 || !msg->nr_prefixes;
}

/**
 * struct smcr_clc_accept - SMC Accept and SMC Confirm (A.2.3, A.2.4)
 * @type: %SMCR_CLC_ACCEPT or %SMCR_CLC_CONFIRM
 * @version: as sent
 * @first_contact: F; has no meaning in a Confirm
 * @peer_id: peer ID of the sender
 * @gid: GID of the sender's port for the link
 * @mac: MAC address of that port
 * @qpn: number of the sender's queue pair, 24 bits
 * @rkey: RKey of the sender's RMB on the link
 * @rmbe_idx: index of the element in the RMB, 1..255
 * @alert_token: names the connection in CDC messages to the sender; opaque
 * @bsize: size code of the element
 * @mtu: MTU code; checked in a first contact only
 * @vaddr: virtual address of the RMB on the link
 * @psn: first packet sequence number of the sender's queue pair, 24 bits
 */
struct smcr_clc_accept {
	enum smcr_clc_type type;
	u8 version;
	bool first_contact;
	u8 peer_id[SMCR_PEER_ID_LEN];
	u8 gid[SMCR_GID_LEN];
	u8 mac[SMCR_MAC_LEN];
	u32 qpn;
	u32 rkey;
	u8 rmbe_idx;
	u32 alert_token;
	u8 bsize;
	u8 mtu;
	u64 vaddr;
	u32 psn;
};

/**
 * struct smcr_clc_decline - SMC Decline (A.2.5)
 * @version: as sent; ignored by the encoder, which sends 1
 * @out_of_sync: S: the sender does not know the link group (C.4)
 * @peer_id: peer ID of the sender
 * @diagnosis: enum smcr_clc_diagnosis from smcr and Linux peers; only reported
 */
struct smcr_clc_decline {
	u8 version;
	bool out_of_sync;
	u8 peer_id[SMCR_PEER_ID_LEN];
	u32 diagnosis;
};

/**
 * struct smcr_clc_expect - what the receiver of an Accept or Confirm expects
 * @type: the type that is due
 * @first_contact: for a Confirm: F of the Accept that it answers
 * @max_bsize: %SMCR_BSIZE_MAX, or %SMCR_BSIZE_LINUX_MAX if the group uses the
 *	Linux dialect, or may come to use it
 */
struct smcr_clc_expect {
	enum smcr_clc_type type;
	bool first_contact;
	u8 max_bsize;
};

/* What the first bytes of a stream are */
enum smcr_clc_start {
	SMCR_CLC_START_NONE,	/* nothing has come */
	SMCR_CLC_START_PART,	/* a part of the eye catcher */
	SMCR_CLC_START_WHOLE,	/* the eye catcher */
	SMCR_CLC_START_OTHER,	/* not a CLC message */
};

enum smcr_clc_start __must_check
smcr_clc_msg_start(const u8 *buf, size_t len);
enum smcr_clc_fault __must_check
smcr_clc_msg_header(const u8 *buf, size_t len, struct smcr_clc_header *hdr);
enum smcr_clc_fault __must_check
smcr_clc_proposal_decode(const u8 *buf, size_t len,
			 struct smcr_clc_proposal *out);
enum smcr_clc_fault __must_check
smcr_clc_accept_decode(const u8 *buf, size_t len,
		       const struct smcr_clc_expect *expect,
		       struct smcr_clc_accept *out);
enum smcr_clc_fault __must_check
smcr_clc_decline_decode(const u8 *buf, size_t len,
			struct smcr_clc_decline *out);

int smcr_clc_proposal_encode(u8 *buf, size_t cap,
			     const struct smcr_clc_proposal *in);
int smcr_clc_accept_encode(u8 *buf, size_t cap,
			   const struct smcr_clc_accept *in);
int smcr_clc_decline_encode(u8 *buf, size_t cap,
			    const struct smcr_clc_decline *in);

u64 smcr_clc_rmbe_addr(const struct smcr_clc_accept *msg);

#endif /* _SMCR_CLC_MSG_H */
