// SPDX-License-Identifier: GPL-2.0
/*
 * CLC messages. The input is used twice: as the byte stream that a peer sends,
 * and as the fields of messages to encode.
 */
#include <errno.h>

#include "clc_msg.h"
#include "fuzz.h"

static void check_header(const uint8_t *data, size_t size)
{
	struct smcr_clc_header hdr = { .length = 0xA5A5, .version = 0xA5 }, few;
	enum smcr_clc_fault fault = smcr_clc_msg_header(data, size, &hdr);
	uint8_t *eight;

	HOLDS(fault < SMCR_CLC_NO_SMCR);
	if (fault) {
		HOLDS(hdr.length == 0xA5A5 && hdr.version == 0xA5);
		return;
	}
	HOLDS(hdr.type >= SMCR_CLC_PROPOSAL && hdr.type <= SMCR_CLC_DECLINE);
	HOLDS(hdr.length >= SMCR_CLC_DECLINE_LEN && hdr.length <= SMCR_CLC_MAX_LEN);
	HOLDS(hdr.version >= 1 && hdr.version <= 15);

	/* A reader has only these bytes when it needs the length */
	eight = exact(data, SMCR_CLC_HDR_LEN);
	HOLDS(!smcr_clc_msg_header(eight, SMCR_CLC_HDR_LEN, &few));
	HOLDS(few.type == hdr.type && few.length == hdr.length &&
	      few.version == hdr.version && few.flag == hdr.flag);
	free(eight);
}

static void check_proposal_again(const struct smcr_clc_proposal *msg)
{
	uint8_t *buf = malloc(SMCR_CLC_MAX_LEN);
	struct smcr_clc_proposal again;
	int len = smcr_clc_proposal_encode(buf, SMCR_CLC_MAX_LEN, msg);

	HOLDS(len >= SMCR_CLC_PROPOSAL_LEN);
	HOLDS(smcr_clc_proposal_encode(buf, len - 1, msg) == -EMSGSIZE);
	HOLDS(smcr_clc_proposal_decode(buf, len, &again) == SMCR_CLC_OK);
	HOLDS(again.version == SMCR_VERSION);
	again.version = msg->version;
	HOLDS(!memcmp(&again, msg, sizeof(again)));
	free(buf);
}

static bool proposal_usable(const struct smcr_clc_proposal *msg)
{
	unsigned int i;

	for (i = 0; i < msg->nr_prefixes && i < SMCR_MAX_PREFIXES; i++)
		if (msg->prefix[i].len > 128)
			return false;
	return msg->nr_prefixes <= SMCR_MAX_PREFIXES && msg->v4_len <= 32;
}

/* Decode the whole message in memory of its own, and again without its last
 * byte
 */
static void check_proposal(const uint8_t *data, size_t size)
{
	struct smcr_clc_proposal msg, cut;
	struct smcr_clc_header hdr;
	uint8_t *copy;

	if (smcr_clc_proposal_decode(data, size, &msg))
		return;
	HOLDS(!smcr_clc_msg_header(data, size, &hdr));
	HOLDS(hdr.type == SMCR_CLC_PROPOSAL && hdr.length <= size);
	HOLDS(proposal_usable(&msg));
	HOLDS(smcr_clc_proposal_fits(&msg, true));
	check_proposal_again(&msg);

	copy = exact(data, hdr.length);
	HOLDS(!smcr_clc_proposal_decode(copy, hdr.length, &cut));
	HOLDS(!memcmp(&cut, &msg, sizeof(msg)));
	HOLDS(smcr_clc_proposal_decode(copy, hdr.length - 1, &cut) == SMCR_CLC_SHORT);
	free(copy);
}

static void check_accept_again(const struct smcr_clc_accept *msg,
			       const struct smcr_clc_expect *expect)
{
	uint8_t *buf = malloc(SMCR_CLC_ACCEPT_LEN);
	struct smcr_clc_accept again, want;

	HOLDS(smcr_clc_accept_encode(buf, SMCR_CLC_ACCEPT_LEN - 1, msg) == -EMSGSIZE);
	HOLDS(smcr_clc_accept_encode(buf, SMCR_CLC_ACCEPT_LEN, msg) == SMCR_CLC_ACCEPT_LEN);
	HOLDS(!smcr_clc_accept_decode(buf, SMCR_CLC_ACCEPT_LEN, expect, &again));
	memcpy(&want, msg, sizeof(want));
	want.version = SMCR_VERSION;
	if (msg->type == SMCR_CLC_CONFIRM)
		want.first_contact = false;
	HOLDS(!memcmp(&again, &want, sizeof(want)));
	free(buf);
}

static void check_accept(const uint8_t *data, size_t size,
			 const struct smcr_clc_expect *expect)
{
	struct smcr_clc_accept msg;
	enum smcr_clc_fault fault = smcr_clc_accept_decode(data, size, expect, &msg);
	uint64_t first, element;

	if (expect->type == SMCR_CLC_CONFIRM && !expect->first_contact)
		HOLDS(!fault || !smcr_clc_fault_declines(fault));
	if (fault)
		return;
	HOLDS(msg.type == expect->type && msg.rmbe_idx && msg.bsize <= expect->max_bsize);
	HOLDS(msg.qpn <= SMCR_QPN_MAX && msg.psn <= SMCR_PSN_MASK);
	element = smcr_bsize_to_bytes(msg.bsize);
	first = smcr_clc_rmbe_addr(&msg);
	HOLDS(first >= msg.vaddr && first + element > first);
	if (expect->type == SMCR_CLC_ACCEPT ? msg.first_contact : expect->first_contact)
		HOLDS(msg.qpn > 1 && smcr_mtu_valid(msg.mtu) && !(msg.mac[0] & 1));
	check_accept_again(&msg, expect);
}

static void check_accepts(const uint8_t *data, size_t size)
{
	struct smcr_clc_expect expect;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		expect.type = i & 1 ? SMCR_CLC_CONFIRM : SMCR_CLC_ACCEPT;
		expect.first_contact = i & 2;
		expect.max_bsize = i & 4 ? SMCR_BSIZE_LINUX_MAX : SMCR_BSIZE_MAX;
		check_accept(data, size, &expect);
	}
}

static void check_decline(const uint8_t *data, size_t size)
{
	uint8_t buf[SMCR_CLC_DECLINE_LEN];
	struct smcr_clc_decline msg, again;

	if (smcr_clc_decline_decode(data, size, &msg))
		return;
	HOLDS(smcr_clc_decline_encode(buf, sizeof(buf), &msg) == sizeof(buf));
	HOLDS(!smcr_clc_decline_decode(buf, sizeof(buf), &again));
	HOLDS(again.version == SMCR_VERSION);
	again.version = msg.version;
	HOLDS(!memcmp(&again, &msg, sizeof(msg)));
}

/* The peer can decode each message that smcr encodes, unless it must refuse the
 * values
 */
static void say_proposal(struct fuzz *in)
{
	struct smcr_clc_proposal msg, got;
	enum smcr_clc_fault fault;
	uint8_t *buf;
	int len;

	memset(&msg, 0, sizeof(msg));
	msg.version = SMCR_VERSION;
	take(in, msg.peer_id, sizeof(msg.peer_id));
	take(in, msg.gid, sizeof(msg.gid));
	take(in, msg.mac, sizeof(msg.mac));
	take(in, msg.v4_subnet, sizeof(msg.v4_subnet));
	msg.v4_len = take8(in) % 40;
	msg.nr_prefixes = take8(in) % 10;
	if (msg.nr_prefixes <= SMCR_MAX_PREFIXES)
		take(in, msg.prefix, msg.nr_prefixes * sizeof(msg.prefix[0]));

	buf = malloc(SMCR_CLC_MAX_LEN);
	len = smcr_clc_proposal_encode(buf, SMCR_CLC_MAX_LEN, &msg);
	HOLDS((len == -EINVAL) == (msg.nr_prefixes > SMCR_MAX_PREFIXES));
	if (len > 0) {
		fault = smcr_clc_proposal_decode(buf, len, &got);
		HOLDS((fault == SMCR_CLC_BAD_SUBNET) == !proposal_usable(&msg));
		HOLDS(!fault || fault == SMCR_CLC_BAD_SUBNET ||
		      smcr_clc_fault_declines(fault));
		HOLDS(fault || !memcmp(&got, &msg, sizeof(got)));
	}
	free(buf);
}

/* More prefixes than allowed, in a message that is right otherwise */
static void say_prefixes(struct fuzz *in)
{
	size_t len = SMCR_CLC_PROPOSAL_LEN, more = take8(in) % 16 * sizeof(struct smcr_wire_prefix);
	struct smcr_clc_proposal msg = { .peer_id = { 1 }, .gid = { 2 }, .mac = { 4 } }, got;
	uint8_t *buf = malloc(len + more);
	unsigned int nr = more / sizeof(struct smcr_wire_prefix);
	enum smcr_clc_fault fault;

	HOLDS(smcr_clc_proposal_encode(buf, len, &msg) == (int)len);
	memmove(buf + len - 4 + more, buf + len - 4, 4);
	memset(buf + len - 4, 0, more);
	buf[len - 5] = (uint8_t)nr;
	len += more;
	buf[5] = (uint8_t)(len >> 8);
	buf[6] = (uint8_t)len;
	fault = smcr_clc_proposal_decode(buf, len, &got);
	HOLDS(fault == (nr > SMCR_MAX_PREFIXES ? SMCR_CLC_BAD_PREFIXES : SMCR_CLC_OK));
	HOLDS(fault || got.nr_prefixes == nr);
	free(buf);
}

static void say_accept(struct fuzz *in)
{
	struct smcr_clc_expect expect = { .max_bsize = SMCR_BSIZE_LINUX_MAX };
	uint8_t buf[SMCR_CLC_ACCEPT_LEN];
	struct smcr_clc_accept msg, got;
	uint64_t span;

	memset(&msg, 0, sizeof(msg));
	msg.version = SMCR_VERSION;
	msg.type = take_bool(in) ? SMCR_CLC_CONFIRM : SMCR_CLC_ACCEPT;
	msg.first_contact = msg.type == SMCR_CLC_ACCEPT && take_bool(in);
	take(in, msg.peer_id, sizeof(msg.peer_id));
	take(in, msg.gid, sizeof(msg.gid));
	take(in, msg.mac, sizeof(msg.mac));
	msg.qpn = take32(in) & SMCR_QPN_MAX;
	msg.rkey = take32(in);
	msg.rmbe_idx = take8(in);
	msg.alert_token = take32(in);
	msg.bsize = take8(in) & 0xF;
	msg.mtu = take8(in) & 0xF;
	msg.vaddr = take64(in);
	msg.psn = take32(in) & SMCR_PSN_MASK;

	expect.type = msg.type;
	span = (uint64_t)msg.rmbe_idx * smcr_bsize_to_bytes(msg.bsize);
	HOLDS(smcr_clc_accept_encode(buf, sizeof(buf), &msg) == sizeof(buf));
	if (!smcr_clc_accept_decode(buf, sizeof(buf), &expect, &got))
		HOLDS(!memcmp(&got, &msg, sizeof(got)));
	else
		HOLDS(!span || msg.first_contact || msg.vaddr > UINT64_MAX - span);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz fields = { data, size };

	check_header(data, size);
	check_proposal(data, size);
	check_accepts(data, size);
	check_decline(data, size);
	say_proposal(&fields);
	say_prefixes(&fields);
	fields = (struct fuzz){ data, size };
	say_accept(&fields);
	return 0;
}
