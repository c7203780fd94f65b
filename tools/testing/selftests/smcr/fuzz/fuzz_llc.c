// SPDX-License-Identifier: GPL-2.0
/*
 * LLC messages of both dialects. The input is used twice: as the bytes that a
 * completion reported, and as the fields of a message to encode.
 */
#include "fuzz.h"
#include "llc_msg.h"

/* Entries of a list that are in this message */
static unsigned int listed(unsigned int count, unsigned int room)
{
	return count < room ? count : room;
}

/* Fields without a meaning in this message are not compared */
static void drop_unsaid(struct smcr_llc_msg *msg)
{
	struct smcr_llc_delete_rkey *del = &msg->delete_rkey;
	unsigned int i;

	switch (msg->type) {
	case SMCR_LLC_ADD_LINK:
		if (!msg->add_link.reject)
			msg->add_link.reason = 0;
		break;
	case SMCR_LLC_DELETE_LINK:
		if (msg->delete_link.all)
			msg->delete_link.link_num = 0;
		break;
	case SMCR_LLC_DELETE_RKEY:
		for (i = del->count; i < SMCR_LLC_DELETE_RKEYS; i++)
			del->rkey[i] = 0;
		break;
	default:
		break;
	}
}

static void check_bounds(const struct smcr_llc_msg *msg)
{
	const struct smcr_llc_add_link *add = &msg->add_link;

	switch (msg->type) {
	case SMCR_LLC_CONFIRM_LINK:
		HOLDS(msg->confirm_link.link_num && msg->confirm_link.qpn > 1 &&
		      msg->confirm_link.qpn <= SMCR_QPN_MAX);
		break;
	case SMCR_LLC_ADD_LINK:
		HOLDS(add->qpn <= SMCR_QPN_MAX && add->psn <= SMCR_PSN_MASK && add->mtu < 16);
		HOLDS(!msg->reply || add->reject || (add->link_num && add->qpn > 1));
		break;
	case SMCR_LLC_ADD_LINK_CONT:
		HOLDS(msg->add_cont.link_num);
		break;
	case SMCR_LLC_DELETE_LINK:
	case SMCR_LLC_TEST_LINK:
		break;
	case SMCR_LLC_CONFIRM_RKEY:
		HOLDS(msg->confirm_rkey.nr_others < SMCR_MAX_LINKS);
		break;
	case SMCR_LLC_CONFIRM_RKEY_CONT:
		HOLDS(msg->rkey_cont.nr_left && msg->rkey_cont.nr_left < SMCR_MAX_LINKS);
		break;
	case SMCR_LLC_DELETE_RKEY:
		HOLDS(msg->delete_rkey.count && msg->delete_rkey.count <= SMCR_LLC_DELETE_RKEYS);
		break;
	}
}

/* Encoded and decoded again it is the same, and the encoder writes each byte */
static void check_again(const struct smcr_llc_msg *msg, enum smcr_dialect dialect)
{
	uint8_t *buf = malloc(SMCR_ROCE_MSG_LEN), two[SMCR_ROCE_MSG_LEN];
	struct smcr_llc_msg again;

	memset(buf, 0x5A, SMCR_ROCE_MSG_LEN);
	memset(two, 0xA5, sizeof(two));
	smcr_llc_msg_encode(buf, dialect, msg);
	smcr_llc_msg_encode(two, dialect, msg);
	HOLDS(!memcmp(buf, two, sizeof(two)));
	HOLDS(!smcr_llc_msg_decode(buf, SMCR_ROCE_MSG_LEN, dialect, &again));
	HOLDS(!memcmp(&again, msg, sizeof(again)));
	free(buf);
}

static void check_bytes(const uint8_t *data, size_t size, enum smcr_dialect dialect)
{
	enum smcr_llc_fault fault;
	struct smcr_llc_msg msg;

	fault = smcr_llc_msg_decode(data, size, dialect, &msg);
	HOLDS(fault < SMCR_LLC_FAULT_MAX && strcmp(smcr_llc_fault_name(fault), "unknown"));
	if (fault == SMCR_LLC_IGNORED)
		HOLDS((data[0] & SMCR_LLC_CLASS_MASK) == SMCR_LLC_CLASS_OPTIONAL);
	if (fault)
		return;
	HOLDS(size == SMCR_ROCE_MSG_LEN && data[1] == SMCR_ROCE_MSG_LEN);
	HOLDS(strcmp(smcr_llc_type_name(msg.type), "unknown"));
	check_bounds(&msg);
	drop_unsaid(&msg);
	check_again(&msg, dialect);
}

static void take_port(struct fuzz *in, u8 *mac, u8 *gid)
{
	take(in, mac, SMCR_MAC_LEN);
	take(in, gid, SMCR_GID_LEN);
}

static void take_link_rkeys(struct fuzz *in, struct smcr_llc_link_rkey *other,
			    unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		other[i].link_num = take8(in);
		other[i].rkey = take32(in);
		other[i].vaddr = take64(in);
	}
}

static void take_links(struct fuzz *in, struct smcr_llc_msg *msg)
{
	struct smcr_llc_confirm_link *confirm = &msg->confirm_link;
	struct smcr_llc_add_link *add = &msg->add_link;

	if (msg->type == SMCR_LLC_CONFIRM_LINK) {
		take_port(in, confirm->mac, confirm->gid);
		confirm->qpn = take32(in) & SMCR_QPN_MAX;
		confirm->link_num = take8(in);
		confirm->link_uid = take32(in);
		confirm->max_links = take8(in);
		confirm->no_eye = take_bool(in);
		return;
	}
	take_port(in, add->mac, add->gid);
	add->qpn = take32(in) & SMCR_QPN_MAX;
	add->link_num = take8(in);
	add->mtu = take8(in) & 0xF;
	add->psn = take32(in) & SMCR_PSN_MASK;
	add->reject = take_bool(in);
	add->reason = take8(in) & 0xF;
}

static void take_lists(struct fuzz *in, struct smcr_llc_msg *msg)
{
	struct smcr_llc_confirm_rkey *rkey = &msg->confirm_rkey;
	struct smcr_llc_rkey_cont *cont = &msg->rkey_cont;
	struct smcr_llc_add_cont *add = &msg->add_cont;
	unsigned int i;

	if (msg->type == SMCR_LLC_CONFIRM_RKEY) {
		rkey->nr_others = take8(in) % 9;
		rkey->rkey = take32(in);
		rkey->vaddr = take64(in);
		rkey->negative = take_bool(in);
		rkey->retry = take_bool(in);
		take_link_rkeys(in, rkey->other,
				listed(rkey->nr_others, SMCR_LLC_CONFIRM_RKEY_OTHERS));
	} else if (msg->type == SMCR_LLC_CONFIRM_RKEY_CONT) {
		cont->nr_left = take8(in) % 9;
		cont->negative = take_bool(in);
		take_link_rkeys(in, cont->other,
				listed(cont->nr_left, SMCR_LLC_RKEY_CONT_OTHERS));
	} else {
		add->link_num = take8(in);
		add->nr_left = take8(in);
		for (i = 0; i < listed(add->nr_left, SMCR_LLC_ADD_CONT_PAIRS); i++) {
			add->pair[i].ref_rkey = take32(in);
			add->pair[i].rkey = take32(in);
			add->pair[i].vaddr = take64(in);
		}
	}
}

static void take_rest(struct fuzz *in, struct smcr_llc_msg *msg)
{
	struct smcr_llc_delete_link *link = &msg->delete_link;
	struct smcr_llc_delete_rkey *rkey = &msg->delete_rkey;
	unsigned int i;

	if (msg->type == SMCR_LLC_TEST_LINK) {
		take(in, msg->test_link.data, SMCR_LLC_TEST_DATA_LEN);
	} else if (msg->type == SMCR_LLC_DELETE_LINK) {
		link->link_num = take8(in);
		link->reason = take32(in);
		link->all = take_bool(in);
		link->orderly = take_bool(in);
	} else {
		rkey->count = take8(in) % 10;
		rkey->error_mask = take8(in);
		rkey->negative = take_bool(in);
		for (i = 0; i < listed(rkey->count, SMCR_LLC_DELETE_RKEYS); i++)
			rkey->rkey[i] = take32(in);
	}
}

/* The peer can decode each encoded message, unless it breaks a rule */
static void say(struct fuzz *in, enum smcr_dialect dialect)
{
	static const enum smcr_llc_type types[] = {
		SMCR_LLC_CONFIRM_LINK, SMCR_LLC_ADD_LINK, SMCR_LLC_ADD_LINK_CONT,
		SMCR_LLC_DELETE_LINK, SMCR_LLC_CONFIRM_RKEY, SMCR_LLC_TEST_LINK,
		SMCR_LLC_CONFIRM_RKEY_CONT, SMCR_LLC_DELETE_RKEY,
	};
	uint8_t buf[SMCR_ROCE_MSG_LEN];
	struct smcr_llc_msg msg, got;
	enum smcr_llc_fault fault;

	memset(&msg, 0, sizeof(msg));
	msg.type = types[take_below(in, ARRAY_SIZE(types))];
	msg.reply = take_bool(in);
	switch (msg.type) {
	case SMCR_LLC_CONFIRM_LINK:
	case SMCR_LLC_ADD_LINK:
		take_links(in, &msg);
		break;
	case SMCR_LLC_ADD_LINK_CONT:
	case SMCR_LLC_CONFIRM_RKEY:
	case SMCR_LLC_CONFIRM_RKEY_CONT:
		take_lists(in, &msg);
		break;
	default:
		take_rest(in, &msg);
	}
	drop_unsaid(&msg);
	smcr_llc_msg_encode(buf, dialect, &msg);
	fault = smcr_llc_msg_decode(buf, sizeof(buf), dialect, &got);
	HOLDS(fault != SMCR_LLC_IGNORED && fault != SMCR_LLC_BAD_LENGTH &&
	      fault != SMCR_LLC_BAD_TYPE && fault != SMCR_LLC_BAD_PADDING);
	HOLDS(fault || !memcmp(&got, &msg, sizeof(got)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz fields = { data, size };

	check_bytes(data, size, SMCR_DIALECT_RFC);
	check_bytes(data, size, SMCR_DIALECT_LINUX);
	say(&fields, size & 1 ? SMCR_DIALECT_LINUX : SMCR_DIALECT_RFC);
	return 0;
}
