/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LLC messages (RFC 7609, A.3): codec for both dialects and every check that
 * needs no state. llc_flow.h decides what a message means at the moment.
 */
#ifndef _SMCR_LLC_MSG_H
#define _SMCR_LLC_MSG_H

#include "wire_roce.h"

/*
 * What is wrong with a received LLC message
 *
 * %SMCR_LLC_IGNORED is dropped and counted; each later one means that the
 * peer broke the protocol: the link has failed (C.7.1).
 */
enum smcr_llc_fault {
	SMCR_LLC_OK = 0,
	SMCR_LLC_IGNORED,	/* unknown, but optional by its opcode */
	SMCR_LLC_BAD_LENGTH,	/* not 44 bytes, or length byte not 44 */
	SMCR_LLC_BAD_TYPE,	/* unknown and required, or not LLC at all */
	SMCR_LLC_BAD_LINK_NUM,	/* 0 */
	SMCR_LLC_BAD_QPN,	/* 0 or 1 */
	SMCR_LLC_BAD_COUNT,	/* more entries than can exist, or none */
	SMCR_LLC_BAD_PADDING,	/* an entry beyond the count is not zero */
	SMCR_LLC_DUPLICATE,	/* one link or RMB listed twice */
	SMCR_LLC_FAULT_MAX
};

/**
 * struct smcr_llc_pair - one RMB on the new link (Figure 34)
 * @ref_rkey: its key on the link that carries the message
 * @rkey: its key on the new link
 * @vaddr: its address on the new link
 */
struct smcr_llc_pair {
	u32 ref_rkey;
	u32 rkey;
	u64 vaddr;
};

/**
 * struct smcr_llc_link_rkey - one RMB on a named link (Figure 37)
 * @link_num: which link
 * @rkey: the RMB's key there
 * @vaddr: the RMB's address there
 */
struct smcr_llc_link_rkey {
	u8 link_num;
	u32 rkey;
	u64 vaddr;
};

/**
 * struct smcr_llc_confirm_link - CONFIRM LINK (A.3.1)
 * @mac: of the sender's port
 * @gid: of the sender's port
 * @qpn: the sender's queue pair
 * @link_num: given by the server, echoed by the client
 * @link_uid: opaque, for display
 * @max_links: see smcr_lgr_policy_max_links()
 * @no_eye: the sender offers (request) or takes (reply) the Linux dialect
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
 * @mac: of the sender's port for the new link
 * @gid: of the same port
 * @qpn: the sender's new queue pair; 0 in a client's request and a refusal
 * @link_num: of the new link; 0 in a client's request
 * @mtu: MTU code, not checked by the codec: a bad one is refused, reason 2
 * @psn: first packet number the sender will use, 24 bits
 * @reject: Z, in replies
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
 * @link_num: the new link
 * @nr_left: RMBs still to tell, these included
 * @pair: the first min(@nr_left, 2) are valid
 */
struct smcr_llc_add_cont {
	u8 link_num;
	u8 nr_left;
	struct smcr_llc_pair pair[SMCR_LLC_ADD_CONT_PAIRS];
};

/**
 * struct smcr_llc_delete_link - DELETE LINK (A.3.4)
 * @link_num: which one; no meaning with @all
 * @reason: enum smcr_llc_delete_reason
 * @all: A: the whole group
 * @orderly: O
 */
struct smcr_llc_delete_link {
	u8 link_num;
	u32 reason;
	bool all;
	bool orderly;
};

/**
 * struct smcr_llc_confirm_rkey - CONFIRM RKEY (A.3.5)
 * @nr_others: links besides this one, 0..7; over 2 a continuation follows
 * @rkey: the new RMB on the link that carries the message
 * @vaddr: the same
 * @other: the first min(@nr_others, 2) are valid
 * @negative: Z, in replies
 * @retry: C, with @negative: try again after the change in progress
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
 * @nr_left: links still to tell, these included
 * @other: the first min(@nr_left, 3) are valid
 * @negative: Z, in replies
 */
struct smcr_llc_rkey_cont {
	u8 nr_left;
	struct smcr_llc_link_rkey other[SMCR_LLC_RKEY_CONT_OTHERS];
	bool negative;
};

/**
 * struct smcr_llc_delete_rkey - DELETE RKEY (A.3.7)
 * @count: 1..8
 * @error_mask: in a negative reply, 0x80 >> i: @rkey[i] was not known
 * @rkey: keys on the link that carries the message
 * @negative: Z, in replies
 */
struct smcr_llc_delete_rkey {
	u8 count;
	u8 error_mask;
	u32 rkey[SMCR_LLC_DELETE_RKEYS];
	bool negative;
};

/* TEST LINK (A.3.8): the reply must bring back the same bytes */
struct smcr_llc_test_link {
	u8 data[SMCR_LLC_TEST_DATA_LEN];
};

/**
 * struct smcr_llc_msg - any LLC message, in host order
 * @type: which member of the union holds
 * @reply: R
 */
struct smcr_llc_msg {
	enum smcr_llc_type type;
	bool reply;
	/* private: the kernel-doc of each type says it */
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
