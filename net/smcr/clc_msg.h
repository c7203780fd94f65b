/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CLC messages (RFC 7609, A.2): codec and every check that needs no state.
 *
 * A reader takes 8 bytes, calls smcr_clc_msg_header(), then takes exactly the
 * rest of the message and calls the decoder of the type it got.
 */
#ifndef _SMCR_CLC_MSG_H
#define _SMCR_CLC_MSG_H

#include "wire_clc.h"

/*
 * What is wrong with a received CLC message
 *
 * Format faults end the TCP connection (C.6). The faults from
 * %SMCR_CLC_NO_SMCR on are answered with a Decline, after which both go on
 * as TCP. A message with a fault of each kind gets the format fault.
 */
enum smcr_clc_fault {
	SMCR_CLC_OK = 0,
	SMCR_CLC_SHORT,		/* fewer bytes than the message says */
	SMCR_CLC_BAD_EYE,	/* first or last eye catcher */
	SMCR_CLC_BAD_TYPE,	/* unknown, or not the one asked for */
	SMCR_CLC_BAD_LENGTH,	/* impossible for type, version, content */
	SMCR_CLC_BAD_VERSION,	/* version 0 */
	SMCR_CLC_BAD_OFFSET,	/* prefix area lies outside the message */
	SMCR_CLC_BAD_SUBNET,	/* IPv4 length over 32, IPv6 over 128 */
	SMCR_CLC_BAD_PREFIXES,	/* more than 8 */
	SMCR_CLC_BAD_RMBE,	/* index 0, or the address wraps */
	SMCR_CLC_LATE_VALUE,	/* bad value where no Decline is allowed */
	SMCR_CLC_NO_SMCR,	/* version 2 peer without SMC-R v1 */
	SMCR_CLC_BAD_PEER_ID,	/* all zero */
	SMCR_CLC_BAD_GID,	/* zero or multicast */
	SMCR_CLC_BAD_MAC,	/* zero or multicast */
	SMCR_CLC_BAD_QPN,	/* 0 and 1 are never RC */
	SMCR_CLC_BAD_BSIZE,	/* beyond the dialect's largest */
	SMCR_CLC_BAD_MTU,	/* not 1..5 */
	SMCR_CLC_FAULT_MAX
};

/**
 * smcr_clc_fault_declines() - does this fault allow going on as TCP?
 * @fault: a fault, not %SMCR_CLC_OK
 *
 * Return: true for Decline and TCP, false for a reset of TCP (C.6).
 */
static inline bool smcr_clc_fault_declines(enum smcr_clc_fault fault)
{
	return fault >= SMCR_CLC_NO_SMCR;
}

/**
 * struct smcr_clc_header - what the first 8 bytes tell
 * @type: a known type
 * @length: of the whole message, within the bounds of its type
 * @version: 1..15; 2 and more are answered as 1
 * @flag: the F (Accept) or S (Decline) bit, meaningless otherwise
 */
struct smcr_clc_header {
	enum smcr_clc_type type;
	u16 length;
	u8 version;
	bool flag;
};

/**
 * struct smcr_clc_prefix - one IPv6 prefix of a Proposal
 * @addr: the prefix, network order
 * @len: significant bits, 0..128
 */
struct smcr_clc_prefix {
	u8 addr[16];
	u8 len;
};

/**
 * struct smcr_clc_proposal - SMC Proposal (A.2.2)
 * @version: as sent; 2 and more offer the Linux dialect
 * @peer_id: claimed identity of the client's stack
 * @gid: preferred GID
 * @mac: MAC of the same port
 * @v4_subnet: mask (RFC) or subnet number (Linux) in network order; zero on
 *	IPv6
 * @v4_len: significant bits, 0..32
 * @nr_prefixes: entries of @prefix in use; zero on IPv4
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
 * smcr_clc_proposal_fits() - does the Proposal suit the TCP connection?
 * @msg: decoded Proposal
 * @ipv6: the TCP connection runs over IPv6, and not over mapped addresses
 *
 * Return: false where IPv6 prefixes came over IPv4: a format fault, so RST.
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
 * @first_contact: F; no meaning in a Confirm of the RFC
 * @peer_id: of the sender
 * @gid: of the sender's port for this link
 * @mac: of the same port
 * @qpn: the sender's queue pair, 24 bits
 * @rkey: of the RMB, on that link
 * @rmbe_idx: element in the RMB, 1..255
 * @alert_token: opaque; names the connection in our CDC messages to it
 * @bsize: element size code
 * @mtu: MTU code, checked in a first contact only
 * @vaddr: of the RMB, on that link
 * @psn: first packet number the sender will use, 24 bits
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
 * @version: as sent; encoded as 1 whatever it says
 * @out_of_sync: S: the sender does not know the link group meant (C.4)
 * @peer_id: of the sender
 * @diagnosis: enum smcr_clc_diagnosis from smcr and Linux peers; log only
 */
struct smcr_clc_decline {
	u8 version;
	bool out_of_sync;
	u8 peer_id[SMCR_PEER_ID_LEN];
	u32 diagnosis;
};

/**
 * struct smcr_clc_expect - what the reader of an Accept or Confirm knows
 * @type: the type that is due
 * @first_contact: Confirm: the F that our Accept carried
 * @max_bsize: %SMCR_BSIZE_MAX, or %SMCR_BSIZE_LINUX_MAX where the group is,
 *	or may become, one of the Linux dialect
 */
struct smcr_clc_expect {
	enum smcr_clc_type type;
	bool first_contact;
	u8 max_bsize;
};

enum smcr_clc_fault smcr_clc_msg_header(const u8 *buf, size_t len,
					struct smcr_clc_header *hdr);
enum smcr_clc_fault smcr_clc_proposal_decode(const u8 *buf, size_t len,
					     struct smcr_clc_proposal *out);
enum smcr_clc_fault smcr_clc_accept_decode(const u8 *buf, size_t len,
					   const struct smcr_clc_expect *expect,
					   struct smcr_clc_accept *out);
enum smcr_clc_fault smcr_clc_decline_decode(const u8 *buf, size_t len,
					    struct smcr_clc_decline *out);

int smcr_clc_proposal_encode(u8 *buf, size_t cap,
			     const struct smcr_clc_proposal *in);
int smcr_clc_accept_encode(u8 *buf, size_t cap,
			   const struct smcr_clc_accept *in);
int smcr_clc_decline_encode(u8 *buf, size_t cap,
			    const struct smcr_clc_decline *in);

u64 smcr_clc_rmbe_addr(const struct smcr_clc_accept *msg);
const char *smcr_clc_fault_name(enum smcr_clc_fault fault);

#endif /* _SMCR_CLC_MSG_H */
