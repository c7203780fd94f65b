/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LLC messages (RFC 7609, A.3): codec for both dialects, and the checks that
 * need no state. llc_flow.c decides what a message means in the exchange under
 * way.
 */
#ifndef _SMCR_LLC_MSG_H
#define _SMCR_LLC_MSG_H

#include "wire_roce.h"

/*
 * Faults of a received LLC message
 *
 * A message with %SMCR_LLC_IGNORED is dropped and counted. Each fault after
 * that one means that the peer broke the protocol, so the link has failed
 * (C.7.1).
 */
enum smcr_llc_fault {
	SMCR_LLC_OK = 0,
	SMCR_LLC_IGNORED,	/* unknown type, of the optional class */
	SMCR_LLC_BAD_LENGTH,	/* not 44 bytes, or length byte not 44 */
	SMCR_LLC_BAD_TYPE,	/* unknown type, not of the optional class */
	SMCR_LLC_BAD_LINK_NUM,	/* link number 0 */
	SMCR_LLC_BAD_QPN,	/* queue pair number 0 or 1 */
	SMCR_LLC_BAD_COUNT,	/* more entries than can exist, or none */
	SMCR_LLC_BAD_PADDING,	/* an entry beyond the count is not zero */
	SMCR_LLC_DUPLICATE,	/* one link or RMB listed twice */
	SMCR_LLC_FAULT_MAX
};

/**
 * struct smcr_llc_pair - one RMB on the new link (Figure 34)
 * @ref_rkey: key of the RMB on the link that carries the message
 * @rkey: key of the RMB on the new link
 * @vaddr: address of the RMB on the new link
 */
struct smcr_llc_pair {
	u32 ref_rkey;
	u32 rkey;
	u64 vaddr;
};

/**
 * struct smcr_llc_link_rkey - one RMB on a named link (Figure 37)
 * @link_num: number of the link
 * @rkey: key of the RMB on that link
 * @vaddr: address of the RMB on that link
 */
struct smcr_llc_link_rkey {
	u8 link_num;
	u32 rkey;
	u64 vaddr;
};

/**
 * struct smcr_llc_confirm_link - CONFIRM LINK (A.3.1)
 * @mac: MAC address of the sender's port
 * @gid: GID of the sender's port
 * @qpn: the sender's queue pair number
 * @link_num: link number, given by the server and echoed by the client
 * @link_uid: link user ID, opaque, for display
 * @max_links: see smcr_lgr_policy_max_links()
 * @no_eye: the sender offers (request) or accepts (reply) the Linux dialect,
 *	which has no eye catcher
 */
struct smcr_llc_confirm_link {
	u8 mac[SMCR_MAC_LEN];
	u8 gid[SMCR_GID_LEN];
	u32 qpn;
	u8 link_num;
	u32 link_uid;
	u8 max_links;
	bool no_eye;
};

/**
 * struct smcr_llc_add_link - ADD LINK (A.3.2)
 * @mac: MAC address of the sender's port for the new link
 * @gid: GID of the same port
 * @qpn: number of the sender's new queue pair; 0 in a client's request and in a
 *	refusal
 * @link_num: number of the new link; 0 in a client's request
 * @mtu: MTU code. The codec does not check it; the reply refuses a bad one with
 *	reason 2
 * @psn: first packet sequence number that the sender will use, 24 bits
 * @reject: flag Z of a reply
 * @reason: enum smcr_llc_add_reason, with @reject
 */
struct smcr_llc_add_link {
	u8 mac[SMCR_MAC_LEN];
	u8 gid[SMCR_GID_LEN];
	u32 qpn;
	u8 link_num;
	u8 mtu;
	u32 psn;
	bool reject;
	u8 reason;
};

/**
 * struct smcr_llc_add_cont - ADD LINK CONTINUATION (A.3.3)
 * @link_num: number of the new link
 * @nr_left: RMBs that are left to send, those in this message included
 * @pair: RMBs; the first min(@nr_left, 2) are valid
 */
struct smcr_llc_add_cont {
	u8 link_num;
	u8 nr_left;
	struct smcr_llc_pair pair[SMCR_LLC_ADD_CONT_PAIRS];
};

/**
 * struct smcr_llc_delete_link - DELETE LINK (A.3.4)
 * @link_num: number of the link; no meaning with @all
 * @reason: enum smcr_llc_delete_reason
 * @all: flag A: delete all links, which ends the group
 * @orderly: flag O
 */
struct smcr_llc_delete_link {
	u8 link_num;
	u32 reason;
	bool all;
	bool orderly;
};

/**
 * struct smcr_llc_confirm_rkey - CONFIRM RKEY (A.3.5)
 * @nr_others: number of other links, 0..7; if over 2, a continuation follows
 * @rkey: key of the new RMB on the link that carries the message
 * @vaddr: address of the new RMB on the same link
 * @other: the RMB on the other links; the first min(@nr_others, 2) are valid
 * @negative: flag Z of a reply
 * @retry: flag C of a negative reply: send the request again after the change
 *	of links under way
 */
struct smcr_llc_confirm_rkey {
	u8 nr_others;
	u32 rkey;
	u64 vaddr;
	struct smcr_llc_link_rkey other[SMCR_LLC_CONFIRM_RKEY_OTHERS];
	bool negative;
	bool retry;
};

/**
 * struct smcr_llc_rkey_cont - CONFIRM RKEY CONTINUATION (A.3.6)
 * @nr_left: links that are left to send, those in this message included
 * @other: the RMB on these links; the first min(@nr_left, 3) are valid
 * @negative: flag Z of a reply
 */
struct smcr_llc_rkey_cont {
	u8 nr_left;
	struct smcr_llc_link_rkey other[SMCR_LLC_RKEY_CONT_OTHERS];
	bool negative;
};

/**
 * struct smcr_llc_delete_rkey - DELETE RKEY (A.3.7)
 * @count: number of entries in @rkey, 1..8
 * @error_mask: of a negative reply: bit 0x80 >> i is set if @rkey[i] was not
 *	known
 * @rkey: keys on the link that carries the message
 * @negative: flag Z of a reply
 */
struct smcr_llc_delete_rkey {
	u8 count;
	u8 error_mask;
	u32 rkey[SMCR_LLC_DELETE_RKEYS];
	bool negative;
};

/* TEST LINK (A.3.8); the reply repeats the bytes of the request */
struct smcr_llc_test_link {
	u8 data[SMCR_LLC_TEST_DATA_LEN];
};

/**
 * struct smcr_llc_msg - any LLC message, in host order
 * @type: message type, which selects the member of the union
 * @reply: flag R
 */
struct smcr_llc_msg {
	enum smcr_llc_type type;
	bool reply;
	/* private: each type has kernel-doc of its own */
	union {
		struct smcr_llc_confirm_link confirm_link;
		struct smcr_llc_add_link add_link;
		struct smcr_llc_add_cont add_cont;
		struct smcr_llc_delete_link delete_link;
		struct smcr_llc_confirm_rkey confirm_rkey;
		struct smcr_llc_rkey_cont rkey_cont;
		struct smcr_llc_delete_rkey delete_rkey;
		struct smcr_llc_test_link test_link;
	};
};

enum smcr_llc_fault smcr_llc_msg_decode(const u8 *buf, size_t len,
					enum smcr_dialect dialect,
					struct smcr_llc_msg *out);
void smcr_llc_msg_encode(u8 *buf, enum smcr_dialect dialect,
			 const struct smcr_llc_msg *in);
bool smcr_llc_msg_answers(const struct smcr_llc_msg *reply,
			  const struct smcr_llc_msg *request);
const char *smcr_llc_type_name(enum smcr_llc_type type);
const char *smcr_llc_fault_name(enum smcr_llc_fault fault);

#endif /* _SMCR_LLC_MSG_H */
