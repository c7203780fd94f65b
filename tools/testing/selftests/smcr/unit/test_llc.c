// SPDX-License-Identifier: GPL-2.0
/*
 * LLC codec (llc_msg.c) compared with bytes written by hand from Figures 31 to
 * 40 of RFC 7609, in both dialects, and with broken input.
 */
#include "tap.h"
#include "llc_msg.h"

#define LEN		SMCR_ROCE_MSG_LEN
#define MAC		"02aabbccddee "
#define GID		"fe80000000000000 00aabbfffeccddee "
#define PAIR1		"a1a2a3a4 b1b2b3b4 c1c2c3c4c5c6c7c8 "
#define PAIR2		"d1d2d3d4 e1e2e3e4 f1f2f3f4f5f6f7f8 "
#define RMB1		"a1a2a3a4 c1c2c3c4c5c6c7c8 "
#define RMB2		"b1b2b3b4 d1d2d3d4d5d6d7d8 "
#define RMB3		"e1e2e3e4 f1f2f3f4f5f6f7f8 "
#define KEYS		"a1a2a3a4 b1b2b3b4 c1c2c3c4 d1d2d3d4 e1e2e3e4 f1f2f3f4 "
#define RFC		SMCR_DIALECT_RFC
#define LNX		SMCR_DIALECT_LINUX
#define BOTH		-1

/**
 * struct golden - a message as bytes and as host-order struct
 * @dialect: dialect that has this layout, or %BOTH
 * @bytes: the bytes as hex digits; missing ones are zero
 * @reserved: reserved bytes, as a mask of offsets
 * @msg: the message in host order
 */
struct golden {
	int dialect;
	const char *bytes;
	u64 reserved;
	struct smcr_llc_msg msg;
};

#define FROM(n)		(~0ULL << (n) & ((1ULL << LEN) - 1))
#define MAC_GID		.mac = { 2, 0xaa, 0xbb, 0xcc, 0xdd, 0xee },	\
			.gid = { 0xfe, 0x80, [9] = 0xaa, 0xbb, 0xff, 0xfe, \
				 0xcc, 0xdd, 0xee }

static const struct golden goldens[] = {
	{ BOTH, "012c0000 " MAC GID "010203 05 c1c2c3c4 02",
	  FROM(35) | 1 << 2,
	  { .type = SMCR_LLC_CONFIRM_LINK, .confirm_link = {
		MAC_GID, .qpn = 0x010203, .link_num = 5,
		.link_uid = 0xc1c2c3c4, .max_links = 2 } } },
	{ BOTH, "012c0083 " MAC GID "010203 05 c1c2c3c4 08",
	  FROM(35) | 1 << 2,
	  { .type = SMCR_LLC_CONFIRM_LINK, .reply = true, .confirm_link = {
		MAC_GID, .qpn = 0x010203, .link_num = 5,
		.link_uid = 0xc1c2c3c4, .max_links = 8, .no_eye = true } } },
	{ RFC, "022c0000 " MAC GID "010203 02 05 d1d2d3",
	  FROM(34),
	  { .type = SMCR_LLC_ADD_LINK, .add_link = {
		MAC_GID, .qpn = 0x010203, .link_num = 2, .mtu = 5,
		.psn = 0xd1d2d3 } } },
	{ LNX, "022c0080 " MAC "0000 " GID "010203 02 05 d1d2d3",
	  FROM(36) | 3 << 10,
	  { .type = SMCR_LLC_ADD_LINK, .reply = true, .add_link = {
		MAC_GID, .qpn = 0x010203, .link_num = 2, .mtu = 5,
		.psn = 0xd1d2d3 } } },
	{ RFC, "022c01c0 " MAC GID "000000 02",
	  FROM(34),
	  { .type = SMCR_LLC_ADD_LINK, .reply = true, .add_link = {
		MAC_GID, .link_num = 2, .reject = true,
		.reason = SMCR_LLC_ADD_NO_PATH } } },
	{ LNX, "022c02c0 " MAC "0000 " GID "000000 02",
	  FROM(36) | 3 << 10,
	  { .type = SMCR_LLC_ADD_LINK, .reply = true, .add_link = {
		MAC_GID, .link_num = 2, .reject = true,
		.reason = SMCR_LLC_ADD_BAD_MTU } } },
	{ BOTH, "032c0000 02 02 0000 " PAIR1 PAIR2,
	  FROM(40) | 1 << 2 | 3 << 6,
	  { .type = SMCR_LLC_ADD_LINK_CONT, .add_cont = {
		.link_num = 2, .nr_left = 2, .pair = {
			{ 0xa1a2a3a4, 0xb1b2b3b4, 0xc1c2c3c4c5c6c7c8 },
			{ 0xd1d2d3d4, 0xe1e2e3e4, 0xf1f2f3f4f5f6f7f8 } } } } },
	{ BOTH, "032c0080 02 01 0000 " PAIR1,
	  FROM(40) | 1 << 2 | 3 << 6,
	  { .type = SMCR_LLC_ADD_LINK_CONT, .reply = true, .add_cont = {
		.link_num = 2, .nr_left = 1, .pair = {
			{ 0xa1a2a3a4, 0xb1b2b3b4, 0xc1c2c3c4c5c6c7c8 } } } } },
	{ BOTH, "032c0080 02 00",
	  FROM(40) | 1 << 2 | 3 << 6,
	  { .type = SMCR_LLC_ADD_LINK_CONT, .reply = true, .add_cont = {
		.link_num = 2 } } },
	{ BOTH, "042c0000 03 00010000",
	  FROM(9) | 1 << 2,
	  { .type = SMCR_LLC_DELETE_LINK, .delete_link = {
		.link_num = 3, .reason = SMCR_LLC_DEL_LOST_PATH } } },
	{ BOTH, "042c0060 00 00020000",
	  FROM(9) | 1 << 2,
	  { .type = SMCR_LLC_DELETE_LINK, .delete_link = {
		.reason = SMCR_LLC_DEL_OPERATOR, .all = true,
		.orderly = true } } },
	{ BOTH, "042c0080 09 00100000",
	  FROM(9) | 1 << 2,
	  { .type = SMCR_LLC_DELETE_LINK, .reply = true, .delete_link = {
		.link_num = 9, .reason = SMCR_LLC_DEL_NO_LINK } } },
	{ BOTH, "062c0000 02 " RMB1 "02 " RMB2 "03 " RMB3,
	  FROM(43) | 1 << 2,
	  { .type = SMCR_LLC_CONFIRM_RKEY, .confirm_rkey = {
		.nr_others = 2, .rkey = 0xa1a2a3a4,
		.vaddr = 0xc1c2c3c4c5c6c7c8, .other = {
			{ 2, 0xb1b2b3b4, 0xd1d2d3d4d5d6d7d8 },
			{ 3, 0xe1e2e3e4, 0xf1f2f3f4f5f6f7f8 } } } } },
	{ BOTH, "062c00b0 00 " RMB1,
	  FROM(43) | 1 << 2,
	  { .type = SMCR_LLC_CONFIRM_RKEY, .reply = true, .confirm_rkey = {
		.rkey = 0xa1a2a3a4, .vaddr = 0xc1c2c3c4c5c6c7c8,
		.negative = true, .retry = true } } },
	{ BOTH, "072c0000 000102030405060708090a0b0c0d0e0f",
	  FROM(20) | 1 << 2,
	  { .type = SMCR_LLC_TEST_LINK, .test_link = { .data = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } } } },
	{ BOTH, "072c0080 ffffffffffffffffffffffffffffffff",
	  FROM(20) | 1 << 2,
	  { .type = SMCR_LLC_TEST_LINK, .reply = true, .test_link = { .data = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } } } },
	{ BOTH, "082c00a0 03 04 " RMB2 "05 " RMB3 "06 " RMB1,
	  1 << 2,
	  { .type = SMCR_LLC_CONFIRM_RKEY_CONT, .reply = true, .rkey_cont = {
		.nr_left = 3, .negative = true, .other = {
			{ 4, 0xb1b2b3b4, 0xd1d2d3d4d5d6d7d8 },
			{ 5, 0xe1e2e3e4, 0xf1f2f3f4f5f6f7f8 },
			{ 6, 0xa1a2a3a4, 0xc1c2c3c4c5c6c7c8 } } } } },
	{ BOTH, "092c0000 08 00 0000 " KEYS "01020304 05060708",
	  FROM(40) | 1 << 2 | 3 << 6,
	  { .type = SMCR_LLC_DELETE_RKEY, .delete_rkey = {
		.count = 8, .rkey = { 0xa1a2a3a4, 0xb1b2b3b4, 0xc1c2c3c4,
		0xd1d2d3d4, 0xe1e2e3e4, 0xf1f2f3f4, 0x01020304,
		0x05060708 } } } },
	{ BOTH, "092c00a0 02 80 0000 a1a2a3a4 b1b2b3b4",
	  FROM(40) | 1 << 2 | 3 << 6,
	  { .type = SMCR_LLC_DELETE_RKEY, .reply = true, .delete_rkey = {
		.count = 2, .error_mask = 0x80, .negative = true,
		.rkey = { 0xa1a2a3a4, 0xb1b2b3b4 } } } },
};

static void bytes_of(const struct golden *g, u8 *buf)
{
	memset(buf, 0, LEN);
	unhex(buf, g->bytes);
}

static bool in_dialect(const struct golden *g, int dialect)
{
	return g->dialect == BOTH || g->dialect == dialect;
}

static enum smcr_llc_fault decode(const u8 *buf, size_t len, int dialect,
				  struct smcr_llc_msg *out)
{
	u8 *copy = exact_copy(buf, len);
	enum smcr_llc_fault fault;

	fault = smcr_llc_msg_decode(copy, len, dialect, out);
	release(copy);
	return fault;
}

static void encoding(void)
{
	u8 want[LEN], x[LEN + 1], y[LEN + 1];
	unsigned int i;
	int dialect;

	for (i = 0; i < ARRAY_SIZE(goldens); i++) {
		for (dialect = RFC; dialect <= LNX; dialect++) {
			if (!in_dialect(&goldens[i], dialect))
				continue;
			bytes_of(&goldens[i], want);
			memset(x, 0x5a, sizeof(x));
			memset(y, 0xa5, sizeof(y));
			smcr_llc_msg_encode(x, dialect, &goldens[i].msg);
			smcr_llc_msg_encode(y, dialect, &goldens[i].msg);
			EXPECT_BYTES(x, want, LEN);
			EXPECT_BYTES(y, want, LEN);
			EXPECT_EQ(x[LEN], 0x5a);
		}
	}
}

/* Compare two host-order structs by their encodings */
static void decoding(void)
{
	struct smcr_llc_msg msg;
	u8 buf[LEN], again[LEN];
	unsigned int i;
	int dialect;

	for (i = 0; i < ARRAY_SIZE(goldens); i++) {
		for (dialect = RFC; dialect <= LNX; dialect++) {
			if (!in_dialect(&goldens[i], dialect))
				continue;
			bytes_of(&goldens[i], buf);
			EXPECT_EQ(decode(buf, LEN, dialect, &msg), SMCR_LLC_OK);
			EXPECT_EQ(msg.type, goldens[i].msg.type);
			EXPECT_EQ(msg.reply, goldens[i].msg.reply);
			smcr_llc_msg_encode(again, dialect, &msg);
			EXPECT_BYTES(again, buf, LEN);
		}
	}
}

static void fields(void)
{
	struct smcr_llc_msg msg;
	u8 buf[LEN];

	bytes_of(&goldens[0], buf);
	decode(buf, LEN, RFC, &msg);
	EXPECT_EQ(msg.confirm_link.qpn, 0x010203);
	EXPECT_EQ(msg.confirm_link.link_num, 5);
	EXPECT_EQ(msg.confirm_link.link_uid, 0xc1c2c3c4);
	EXPECT_EQ(msg.confirm_link.max_links, 2);
	EXPECT(!msg.confirm_link.no_eye);
	buf[3] = 0x01;
	decode(buf, LEN, RFC, &msg);
	EXPECT(!msg.confirm_link.no_eye);
	bytes_of(&goldens[16], buf);
	decode(buf, LEN, RFC, &msg);
	EXPECT(msg.rkey_cont.negative);
	buf[3] = 0x80;
	decode(buf, LEN, RFC, &msg);
	EXPECT(!msg.rkey_cont.negative);
	bytes_of(&goldens[2], buf);
	decode(buf, LEN, RFC, &msg);
	EXPECT_EQ(msg.add_link.psn, 0xd1d2d3);
	EXPECT_EQ(msg.add_link.mtu, 5);
}

static void lengths(void)
{
	struct smcr_llc_msg msg;
	unsigned int i;
	u8 buf[LEN * 2];
	size_t len;

	for (i = 0; i < ARRAY_SIZE(goldens); i++) {
		memset(buf, 0, sizeof(buf));
		unhex(buf, goldens[i].bytes);
		for (len = 0; len <= sizeof(buf); len++)
			EXPECT_EQ(decode(buf, len, RFC, &msg) ==
				  SMCR_LLC_BAD_LENGTH, len != LEN);
		for (len = 0; len < 256; len++) {
			buf[1] = (u8)len;
			EXPECT_EQ(decode(buf, LEN, LNX, &msg) ==
				  SMCR_LLC_BAD_LENGTH, len != LEN);
		}
	}
}

static void opcodes(void)
{
	enum smcr_llc_fault want;
	struct smcr_llc_msg msg;
	u8 buf[LEN] = { 0 };
	unsigned int type;

	for (type = 0; type < 256; type++) {
		if ((type >= 1 && type <= 4) || (type >= 6 && type <= 9))
			continue;
		want = type >> 6 == 2 ? SMCR_LLC_IGNORED : SMCR_LLC_BAD_TYPE;
		buf[0] = (u8)type;
		buf[1] = LEN;
		EXPECT_EQ(decode(buf, LEN, RFC, &msg), want);
		buf[1] = 200;
		EXPECT_EQ(decode(buf, LEN, RFC, &msg), want);
	}
}

/*
 * A change of a byte has no effect if the byte is reserved; otherwise it
 * changes the result, or the message is refused.
 */
static void mutate(const struct golden *g, int dialect)
{
	u8 buf[LEN], a[LEN], b[LEN];
	struct smcr_llc_msg msg;
	unsigned int at, val;

	bytes_of(g, buf);
	decode(buf, LEN, dialect, &msg);
	smcr_llc_msg_encode(a, dialect, &msg);
	for (at = 0; at < LEN; at++) {
		for (val = rnd_below(SPARSE); val < 256; val += SPARSE) {
			bytes_of(g, buf);
			if (buf[at] == val)
				continue;
			buf[at] = (u8)val;
			if (decode(buf, LEN, dialect, &msg)) {
				EXPECT(!(g->reserved >> at & 1));
				continue;
			}
			smcr_llc_msg_encode(b, dialect, &msg);
			if (g->reserved >> at & 1)
				EXPECT_BYTES(b, a, LEN);
			else if (at > 3)
				EXPECT_EQ(!memcmp(a, b, LEN), 0);
		}
	}
}

/* Without messages that have half reserved bytes, or bytes whose meaning
 * depends on another byte
 */
static void mutation(void)
{
	unsigned int i;
	int dialect;

	for (i = 0; i < ARRAY_SIZE(goldens); i++) {
		if (goldens[i].msg.type == SMCR_LLC_ADD_LINK ||
		    goldens[i].msg.type == SMCR_LLC_DELETE_RKEY ||
		    (goldens[i].msg.type == SMCR_LLC_DELETE_LINK &&
		     goldens[i].msg.delete_link.all))
			continue;
		for (dialect = RFC; dialect <= LNX; dialect++)
			mutate(&goldens[i], dialect);
	}
}

/* The same bytes in the other dialect: GID and QPN are two bytes further on */
static void add_link_layouts(void)
{
	struct smcr_llc_msg msg;
	u8 rfc[LEN], lnx[LEN];
	u8 gid[16];

	unhex(gid, GID);
	smcr_llc_msg_encode(rfc, RFC, &goldens[2].msg);
	smcr_llc_msg_encode(lnx, LNX, &goldens[2].msg);
	EXPECT_BYTES(rfc + 10, gid, 16);
	EXPECT_BYTES(lnx + 12, gid, 16);
	EXPECT_EQ(rfc[29], 2);
	EXPECT_EQ(lnx[31], 2);
	EXPECT_EQ(decode(lnx, LEN, LNX, &msg), SMCR_LLC_OK);
	EXPECT_EQ(msg.add_link.qpn, 0x010203);
	EXPECT_EQ(decode(lnx, LEN, RFC, &msg), SMCR_LLC_OK);
	EXPECT(msg.add_link.qpn != 0x010203);
}

/* The fault of a message with one changed byte */
static enum smcr_llc_fault with(unsigned int nr, unsigned int at, u8 val)
{
	struct smcr_llc_msg msg;
	u8 buf[LEN];

	bytes_of(&goldens[nr], buf);
	buf[at] = val;
	return decode(buf, LEN, goldens[nr].dialect == LNX ? LNX : RFC, &msg);
}

static void confirm_link_rules(void)
{
	struct smcr_llc_msg msg;
	u8 buf[LEN];

	EXPECT_EQ(with(0, 29, 0), SMCR_LLC_BAD_LINK_NUM);
	bytes_of(&goldens[0], buf);
	memset(buf + 26, 0, 3);
	EXPECT_EQ(decode(buf, LEN, RFC, &msg), SMCR_LLC_BAD_QPN);
	buf[28] = 1;
	EXPECT_EQ(decode(buf, LEN, RFC, &msg), SMCR_LLC_BAD_QPN);
	buf[28] = 2;
	EXPECT_EQ(decode(buf, LEN, RFC, &msg), SMCR_LLC_OK);
}

/* An invitation or a refusal names no link; a refusal may have a bad MTU */
static void add_link_rules(void)
{
	struct smcr_llc_msg msg;
	u8 buf[LEN] = { 2, LEN, 0, 0 };

	EXPECT_EQ(decode(buf, LEN, RFC, &msg), SMCR_LLC_OK);
	buf[3] = 0xc0;
	EXPECT_EQ(decode(buf, LEN, RFC, &msg), SMCR_LLC_OK);
	buf[3] = 0x80;
	EXPECT_EQ(decode(buf, LEN, RFC, &msg), SMCR_LLC_BAD_LINK_NUM);
	buf[29] = 1;
	EXPECT_EQ(decode(buf, LEN, RFC, &msg), SMCR_LLC_BAD_QPN);
	buf[28] = 2;
	EXPECT_EQ(decode(buf, LEN, RFC, &msg), SMCR_LLC_OK);
	EXPECT_EQ(with(2, 30, 0), SMCR_LLC_OK);
	EXPECT_EQ(with(2, 30, 15), SMCR_LLC_OK);
}

static void continuation_rules(void)
{
	struct smcr_llc_msg msg;
	u8 buf[LEN];

	EXPECT_EQ(with(6, 4, 0), SMCR_LLC_BAD_LINK_NUM);
	EXPECT_EQ(with(6, 5, 255), SMCR_LLC_OK);
	EXPECT_EQ(with(6, 5, 1), SMCR_LLC_BAD_PADDING);
	EXPECT_EQ(with(7, 39, 1), SMCR_LLC_BAD_PADDING);
	EXPECT_EQ(with(8, 8, 1), SMCR_LLC_BAD_PADDING);
	bytes_of(&goldens[6], buf);
	memcpy(buf + 24, buf + 8, 4);
	EXPECT_EQ(decode(buf, LEN, RFC, &msg), SMCR_LLC_DUPLICATE);
	bytes_of(&goldens[7], buf);
	memset(buf + 8, 0, 4);
	EXPECT_EQ(decode(buf, LEN, RFC, &msg), SMCR_LLC_OK);
}

static void rkey_rules(void)
{
	unsigned int n;

	for (n = 2; n < 256; n++)
		EXPECT_EQ(with(12, 4, (u8)n),
			  n <= 7 ? SMCR_LLC_OK : SMCR_LLC_BAD_COUNT);
	EXPECT_EQ(with(12, 4, 1), SMCR_LLC_BAD_PADDING);
	EXPECT_EQ(with(12, 17, 0), SMCR_LLC_BAD_LINK_NUM);
	EXPECT_EQ(with(12, 30, 2), SMCR_LLC_DUPLICATE);
	EXPECT_EQ(with(13, 20, 1), SMCR_LLC_BAD_PADDING);
	for (n = 3; n < 256; n++)
		EXPECT_EQ(with(16, 4, (u8)n),
			  n <= 7 ? SMCR_LLC_OK : SMCR_LLC_BAD_COUNT);
	EXPECT_EQ(with(16, 4, 0), SMCR_LLC_BAD_COUNT);
	EXPECT_EQ(with(16, 31, 4), SMCR_LLC_DUPLICATE);
	for (n = 0; n < 256; n++)
		EXPECT_EQ(with(17, 4, (u8)n),
			  n >= 1 && n <= 8 ? SMCR_LLC_OK : SMCR_LLC_BAD_COUNT);
}

/* Encoders read no entry beyond the count */
static void counts_bound_encoders(void)
{
	struct smcr_llc_msg msg = goldens[12].msg;
	u8 buf[LEN];

	msg.confirm_rkey.nr_others = 0;
	smcr_llc_msg_encode(buf, RFC, &msg);
	EXPECT_EQ(buf[17], 0);
	EXPECT_EQ(buf[30], 0);
	msg.confirm_rkey.nr_others = 7;
	smcr_llc_msg_encode(buf, RFC, &msg);
	EXPECT_EQ(buf[4], 7);
	EXPECT_EQ(buf[43], 0);
	msg = goldens[17].msg;
	msg.delete_rkey.count = 1;
	smcr_llc_msg_encode(buf, RFC, &msg);
	EXPECT_EQ(buf[12], 0);
	msg = goldens[6].msg;
	msg.add_cont.nr_left = 200;
	smcr_llc_msg_encode(buf, RFC, &msg);
	EXPECT_EQ(buf[40], 0);
	msg.add_cont.nr_left = 1;
	smcr_llc_msg_encode(buf, RFC, &msg);
	EXPECT_EQ(buf[24], 0);
}

/* For any 44 bytes: a decoded message that is encoded and decoded again does
 * not change
 */
static void random_bytes(void)
{
	u8 buf[LEN], first[LEN], second[LEN];
	unsigned int i, at, good = 0, all = steps(200000);
	struct smcr_llc_msg msg;

	for (i = 0; i < all; i++) {
		for (at = 0; at < LEN; at++)
			buf[at] = rnd_below(4) ? 0 : (u8)rnd();
		buf[0] = 1 + rnd_below(9);
		buf[1] = LEN;
		if (smcr_llc_msg_decode(buf, LEN, i & 1, &msg))
			continue;
		good++;
		smcr_llc_msg_encode(first, i & 1, &msg);
		EXPECT_EQ(smcr_llc_msg_decode(first, LEN, i & 1, &msg),
			  SMCR_LLC_OK);
		smcr_llc_msg_encode(second, i & 1, &msg);
		EXPECT_BYTES(second, first, LEN);
	}
	EXPECT(good > all / 200);
}

static void names(void)
{
	unsigned int i;

	for (i = 0; i < SMCR_LLC_FAULT_MAX; i++)
		EXPECT(smcr_llc_fault_name(i) && *smcr_llc_fault_name(i));
	for (i = 0; i < ARRAY_SIZE(goldens); i++)
		EXPECT(strcmp(smcr_llc_type_name(goldens[i].msg.type),
			      "unknown"));
	EXPECT(!strcmp(smcr_llc_type_name(5), "unknown"));
}

/* Requests of each kind that a reply is compared with, one for each byte that
 * the comparison depends on
 */
static void judge(const struct smcr_llc_msg *request,
		  struct smcr_llc_msg reply, bool want)
{
	reply.reply = true;
	EXPECT_EQ(smcr_llc_msg_answers(&reply, request), want);
}

static void rkey_answers(void)
{
	struct smcr_llc_msg ask = {
		.type = SMCR_LLC_CONFIRM_RKEY,
		.confirm_rkey = {
			.nr_others = 2, .rkey = 7, .vaddr = 8,
			.other = { { 1, 2, 3 }, { 4, 5, 6 } },
		},
	};
	struct smcr_llc_msg got = ask;

	got.confirm_rkey.negative = true;
	got.confirm_rkey.retry = true;
	judge(&ask, got, true);
	got.confirm_rkey.rkey++;
	judge(&ask, got, false);
	got = ask;
	got.confirm_rkey.vaddr++;
	judge(&ask, got, false);
	got = ask;
	got.confirm_rkey.nr_others--;
	judge(&ask, got, false);
	got = ask;
	got.confirm_rkey.other[1].link_num++;
	judge(&ask, got, false);
	got = ask;
	got.confirm_rkey.other[0].rkey++;
	judge(&ask, got, false);
	got = ask;
	got.confirm_rkey.other[1].vaddr++;
	judge(&ask, got, false);
	/* Entries beyond the room of one message are not compared */
	ask.confirm_rkey.nr_others = 7;
	judge(&ask, ask, true);
}

static void delete_rkey_answers(void)
{
	struct smcr_llc_msg ask = {
		.type = SMCR_LLC_DELETE_RKEY,
		.delete_rkey = { .count = 2, .rkey = { 1, 2 } },
	};
	struct smcr_llc_msg got = ask;

	got.delete_rkey.negative = true;
	got.delete_rkey.error_mask = 0x40;
	judge(&ask, got, true);
	got.delete_rkey.count = 1;
	judge(&ask, got, false);
	got = ask;
	got.delete_rkey.rkey[1] = 3;
	judge(&ask, got, false);
}

static void link_answers(void)
{
	struct smcr_llc_msg ask = {
		.type = SMCR_LLC_ADD_LINK,
		.add_link = { .link_num = 2, .qpn = 17, .mtu = 3 },
	};
	struct smcr_llc_msg got = ask;

	got.add_link.qpn = 18;
	got.add_link.mtu = 1;
	judge(&ask, got, true);
	got.add_link.link_num = 3;
	judge(&ask, got, false);
	got.add_link.link_num = 0;
	judge(&ask, got, false);
	got.add_link.reject = true;
	judge(&ask, got, true);
	got.add_link.link_num = 3;
	judge(&ask, got, false);

	ask = (struct smcr_llc_msg){ .type = SMCR_LLC_DELETE_LINK };
	ask.delete_link.link_num = 2;
	got = ask;
	got.delete_link.reason = SMCR_LLC_DEL_NO_LINK;
	judge(&ask, got, true);
	got.delete_link.link_num = 1;
	judge(&ask, got, false);
}

static void answers(void)
{
	struct smcr_llc_msg ask = { .type = SMCR_LLC_TEST_LINK }, got, none;
	unsigned int i;

	memset(&none, 0, sizeof(none));
	for (i = 0; i < SMCR_LLC_TEST_DATA_LEN; i++) {
		got = ask;
		judge(&ask, got, true);
		got.test_link.data[i] ^= 1;
		judge(&ask, got, false);
	}
	judge(&none, ask, false);
	got.type = SMCR_LLC_DELETE_RKEY;
	judge(&ask, got, false);
	rkey_answers();
	delete_rkey_answers();
	link_answers();
}

static const struct fact facts[] = {
	{ "each message of both dialects has the bytes of its figure, all written", encoding },
	{ "each message of both dialects is decoded from those bytes", decoding },
	{ "fields are decoded to their members, and only 0x03 means the Linux dialect", fields },
	{ "any length but 44, counted or stated, fails the link", lengths },
	{ "unknown opcodes are ignored if optional, and fail the link otherwise", opcodes },
	{ "each byte is reserved, decoded or refused", mutation },
	{ "ADD LINK differs between the dialects by two bytes", add_link_layouts },
	{ "CONFIRM LINK names a link and a possible queue pair", confirm_link_rules },
	{ "ADD LINK names a link only in a positive reply", add_link_rules },
	{ "ADD LINK CONTINUATION has no duplicate and zeros behind its count", continuation_rules },
	{ "RKEY messages keep to the counts of their figures", rkey_rules },
	{ "encoders take no entry beyond the count or the room", counts_bound_encoders },
	{ "decoding and encoding any bytes reaches a fixed point", random_bytes },
	{ "a reply answers the request that it repeats, and no other", answers },
	{ "each fault and message kind has a name", names },
};

PROVE(facts, NULL);
