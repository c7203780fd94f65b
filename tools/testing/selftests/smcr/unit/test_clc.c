// SPDX-License-Identifier: GPL-2.0
/*
 * CLC codec (clc_msg.c) compared with bytes written by hand from Figures 26 to
 * 30 of RFC 7609, and with broken input.
 */
#include "tap.h"
#include "clc_msg.h"

#define EYE	"e2d4c3d9 "
#define EYE_D	"e2d4c3c4 "
#define PEER	"123402aabbccddee "
#define GID	"fe80000000000000 00aabbfffeccddee "
#define MAC	"02aabbccddee "
#define NET1	"fd090000000000000000000000000001 "
#define NET2	"fd090000000000000000000000000002 "
#define VADDR	"c1c2c3c4c5c6c7c8 "
#define FILL	"7777777777777777777777777777777777777777 "

/* Filled by fill_goldens() */
static u8 proposal_v4[52], proposal_v6[86], proposal_linux[92];
static u8 accept_first[68], decline_sync[28];
static u8 eye[4], eye_d[4], peer_id[8], gid[16], mac[6];

static void fill_goldens(void)
{
	unhex(eye, EYE);
	unhex(eye_d, EYE_D);
	unhex(peer_id, PEER);
	unhex(gid, GID);
	unhex(mac, MAC);
	unhex(proposal_v4, EYE "01 0034 10" PEER GID
	      MAC "0000 ffffff00 18 0000 00" EYE);
	unhex(proposal_v6, EYE "01 0056 10" PEER GID
	      MAC "0000 00000000 00 0000 02" NET1 "40" NET2 "80" EYE);
	/* version 2, 40 more bytes before the area */
	unhex(proposal_linux, EYE "01 005c 28" PEER GID
	      MAC "0028" FILL FILL "0a090000 18 0000 00" EYE);
	unhex(accept_first, EYE "02 0044 18" PEER GID
	      MAC "010203 a1a2a3a4 07 b1b2b3b4 35 00" VADDR "00 d1d2d3" EYE);
	unhex(decline_sync, EYE "04 001c 18" PEER "04000000 00000000" EYE);
}

static const struct smcr_clc_expect first_accept = {
	.type = SMCR_CLC_ACCEPT, .max_bsize = SMCR_BSIZE_MAX,
};

static const struct smcr_clc_expect first_confirm = {
	.type = SMCR_CLC_CONFIRM, .first_contact = true,
	.max_bsize = SMCR_BSIZE_MAX,
};

static const struct smcr_clc_expect later_confirm = {
	.type = SMCR_CLC_CONFIRM, .max_bsize = SMCR_BSIZE_MAX,
};

/* All decoded structures in zeroed memory, so that memcmp() can compare them */
union any {
	struct smcr_clc_proposal proposal;
	struct smcr_clc_accept accept;
	struct smcr_clc_decline decline;
};

/* Decode a copy with a guarded end; an Accept counts as a first contact's */
static enum smcr_clc_fault decode(const u8 *buf, size_t len, u8 type,
				  union any *out)
{
	u8 *copy = exact_copy(buf, len);
	enum smcr_clc_fault fault;

	memset(out, 0xA5, sizeof(*out));
	switch (type) {
	case SMCR_CLC_PROPOSAL:
		fault = smcr_clc_proposal_decode(copy, len, &out->proposal);
		break;
	case SMCR_CLC_ACCEPT:
		fault = smcr_clc_accept_decode(copy, len, &first_accept,
					       &out->accept);
		break;
	case SMCR_CLC_CONFIRM:
		fault = smcr_clc_accept_decode(copy, len, &first_confirm,
					       &out->accept);
		break;
	default:
		fault = smcr_clc_decline_decode(copy, len, &out->decline);
	}
	release(copy);
	return fault;
}

/* The fault of a message with one changed byte */
static enum smcr_clc_fault with(const u8 *msg, size_t len, size_t at, u8 val)
{
	enum smcr_clc_fault fault;
	u8 *copy = exact_copy(msg, len);
	union any out;

	copy[at] = val;
	fault = decode(copy, len, msg[4], &out);
	release(copy);
	return fault;
}

#define WITH(msg, at, val)	with(msg, sizeof(msg), at, val)

static void proposal_v4_bytes(void)
{
	struct smcr_clc_proposal p = { .v4_subnet = { 255, 255, 255, 0 },
				       .v4_len = 24 };
	union any got;
	u8 buf[52];

	memcpy(p.peer_id, peer_id, sizeof(peer_id));
	memcpy(p.gid, gid, sizeof(gid));
	memcpy(p.mac, mac, sizeof(mac));
	EXPECT_EQ(smcr_clc_proposal_encode(buf, sizeof(buf), &p), 52);
	EXPECT_BYTES(buf, proposal_v4, sizeof(buf));
	EXPECT_EQ(decode(proposal_v4, 52, 1, &got), SMCR_CLC_OK);
	p.version = 1;
	EXPECT(!memcmp(&got, &p, sizeof(p)));
	EXPECT(smcr_clc_proposal_fits(&p, false));
	EXPECT(smcr_clc_proposal_fits(&p, true));
}

static void proposal_v6_bytes(void)
{
	struct smcr_clc_proposal p = { .nr_prefixes = 2 };
	union any got;
	u8 buf[86];

	memcpy(p.peer_id, peer_id, sizeof(peer_id));
	memcpy(p.gid, gid, sizeof(gid));
	memcpy(p.mac, mac, sizeof(mac));
	unhex(p.prefix[0].addr, NET1);
	p.prefix[0].len = 64;
	unhex(p.prefix[1].addr, NET2);
	p.prefix[1].len = 128;
	EXPECT_EQ(smcr_clc_proposal_encode(buf, sizeof(buf), &p), 86);
	EXPECT_BYTES(buf, proposal_v6, sizeof(buf));
	EXPECT_EQ(decode(proposal_v6, 86, 1, &got), SMCR_CLC_OK);
	p.version = 1;
	EXPECT(!memcmp(&got, &p, sizeof(p)));
	EXPECT(!smcr_clc_proposal_fits(&p, false));
}

static void proposal_linux_bytes(void)
{
	union any got;

	EXPECT_EQ(decode(proposal_linux, 92, 1, &got), SMCR_CLC_OK);
	EXPECT_EQ(got.proposal.version, 2);
	EXPECT_EQ(got.proposal.v4_len, 24);
	EXPECT_EQ(got.proposal.v4_subnet[0], 10);
	EXPECT_EQ(got.proposal.v4_subnet[1], 9);
	EXPECT_BYTES(got.proposal.gid, gid, 16);
}

static void fill_accept(struct smcr_clc_accept *a)
{
	memset(a, 0, sizeof(*a));
	a->type = SMCR_CLC_ACCEPT;
	a->version = 1;
	a->first_contact = true;
	memcpy(a->peer_id, peer_id, sizeof(peer_id));
	memcpy(a->gid, gid, sizeof(gid));
	memcpy(a->mac, mac, sizeof(mac));
	a->qpn = 0x010203;
	a->rkey = 0xA1A2A3A4;
	a->rmbe_idx = 7;
	a->alert_token = 0xB1B2B3B4;
	a->bsize = 3;
	a->mtu = 5;
	a->vaddr = 0xC1C2C3C4C5C6C7C8;
	a->psn = 0xD1D2D3;
}

static void accept_bytes(void)
{
	u8 buf[68], confirm[68];
	struct smcr_clc_accept a;
	union any got;

	fill_accept(&a);
	EXPECT_EQ(smcr_clc_accept_encode(buf, sizeof(buf), &a), 68);
	EXPECT_BYTES(buf, accept_first, sizeof(buf));
	EXPECT_EQ(decode(buf, 68, 2, &got), SMCR_CLC_OK);
	EXPECT(!memcmp(&got, &a, sizeof(a)));
	EXPECT(smcr_clc_rmbe_addr(&got.accept) ==
	       0xC1C2C3C4C5C6C7C8 + 6 * 131072);

	memcpy(confirm, accept_first, sizeof(confirm));
	confirm[4] = 3;
	confirm[7] = 0x10;
	a.type = SMCR_CLC_CONFIRM;
	EXPECT_EQ(smcr_clc_accept_encode(buf, sizeof(buf), &a), 68);
	EXPECT_BYTES(buf, confirm, sizeof(buf));
	EXPECT_EQ(decode(buf, 68, 3, &got), SMCR_CLC_OK);
	EXPECT(!got.accept.first_contact);
}

static void decline_bytes(void)
{
	struct smcr_clc_decline d;
	union any got;
	u8 buf[28];

	memset(&d, 0, sizeof(d));
	d.version = 1;
	d.out_of_sync = true;
	d.diagnosis = SMCR_DIAG_OUT_OF_SYNC;
	memcpy(d.peer_id, peer_id, sizeof(peer_id));
	EXPECT_EQ(smcr_clc_decline_encode(buf, sizeof(buf), &d), 28);
	EXPECT_BYTES(buf, decline_sync, sizeof(buf));
	EXPECT_EQ(decode(buf, 28, 4, &got), SMCR_CLC_OK);
	EXPECT(!memcmp(&got, &d, sizeof(d)));
	d.out_of_sync = false;
	smcr_clc_decline_encode(buf, sizeof(buf), &d);
	EXPECT_EQ(buf[7], 0x10);
}

static void decline_v2(void)
{
	u8 buf[44] = { 0 };
	union any got;

	unhex(buf, EYE "04 002c 28" PEER "03070000");
	memcpy(buf + 40, eye, 4);
	EXPECT_EQ(decode(buf, 44, 4, &got), SMCR_CLC_OK);
	EXPECT_EQ(got.decline.version, 2);
	EXPECT(got.decline.out_of_sync);
	EXPECT_EQ(got.decline.diagnosis, 0x03070000);
	buf[7] = 0x18;
	EXPECT_EQ(decode(buf, 44, 4, &got), SMCR_CLC_BAD_LENGTH);
}

/* Encoding into two buffers with different contents must give the same bytes */
static void encoders_write_all(void)
{
	struct smcr_clc_decline d = { .diagnosis = 1 };
	struct smcr_clc_proposal p = { 0 };
	static u8 x[256], y[256];
	struct smcr_clc_accept a;
	int len;

	fill_accept(&a);
	for (p.nr_prefixes = 0; p.nr_prefixes <= 8; p.nr_prefixes++) {
		memset(x, 0x5A, sizeof(x));
		memset(y, 0xA5, sizeof(y));
		len = smcr_clc_proposal_encode(x, sizeof(x), &p);
		EXPECT_EQ(len, 52 + 17 * p.nr_prefixes);
		smcr_clc_proposal_encode(y, sizeof(y), &p);
		EXPECT_BYTES(x, y, (size_t)len);
		EXPECT_EQ(x[len], 0x5A);
	}
	memset(x, 0x5A, sizeof(x));
	memset(y, 0xA5, sizeof(y));
	smcr_clc_accept_encode(x, sizeof(x), &a);
	smcr_clc_accept_encode(y, sizeof(y), &a);
	EXPECT_BYTES(x, y, 68);
	EXPECT_EQ(x[68], 0x5A);
	memset(x, 0x5A, sizeof(x));
	memset(y, 0xA5, sizeof(y));
	smcr_clc_decline_encode(x, sizeof(x), &d);
	smcr_clc_decline_encode(y, sizeof(y), &d);
	EXPECT_BYTES(x, y, 28);
	EXPECT_EQ(x[28], 0x5A);
}

static void encoders_respect_room(void)
{
	struct smcr_clc_decline d = { 0 };
	struct smcr_clc_proposal p = { 0 };
	struct smcr_clc_accept a;
	u8 buf[256] = { 0 };

	fill_accept(&a);
	EXPECT_EQ(smcr_clc_proposal_encode(buf, 51, &p), -EMSGSIZE);
	EXPECT_EQ(smcr_clc_accept_encode(buf, 67, &a), -EMSGSIZE);
	EXPECT_EQ(smcr_clc_decline_encode(buf, 27, &d), -EMSGSIZE);
	p.nr_prefixes = 9;
	EXPECT_EQ(smcr_clc_proposal_encode(buf, 256, &p), -EINVAL);
	EXPECT_EQ(buf[0], 0);
}

static void truncation(void)
{
	static const struct { const u8 *msg; size_t len; } all[] = {
		{ proposal_v4, 52 }, { proposal_v6, 86 },
		{ proposal_linux, 92 }, { accept_first, 68 },
		{ decline_sync, 28 },
	};
	size_t i, len;
	union any out;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		for (len = 0; len < all[i].len; len++)
			EXPECT_EQ(decode(all[i].msg, len, all[i].msg[4], &out),
				  SMCR_CLC_SHORT);
}

/*
 * A change of a byte has no effect if the byte is reserved; otherwise it
 * changes the result, or the message is refused.
 */
static void mutate(const u8 *msg, size_t len, const u8 *reserved,
		   size_t nr_reserved)
{
	union any plain, changed;
	size_t at, i;
	u8 copy[128];
	unsigned int val;
	bool spare;

	EXPECT_EQ(decode(msg, len, msg[4], &plain), SMCR_CLC_OK);
	for (at = 0; at < len; at++) {
		spare = false;
		for (i = 0; i < nr_reserved; i++)
			spare |= reserved[i] == at;
		memcpy(copy, msg, len);
		for (val = rnd_below(SPARSE); val < 256; val += SPARSE) {
			copy[at] = (u8)val;
			if (val == msg[at])
				continue;
			if (decode(copy, len, msg[4], &changed)) {
				EXPECT(!spare);
				continue;
			}
			if (at == 7)	/* has reserved bits and others */
				continue;
			EXPECT_EQ(!memcmp(&plain, &changed, sizeof(plain)),
				  spare);
		}
	}
}

static void mutation(void)
{
	static const u8 in_proposal[] = { 45, 46 };
	static const u8 in_accept[] = { 51, 60 };
	static const u8 in_decline[] = { 20, 21, 22, 23 };

	mutate(proposal_v4, 52, in_proposal, 2);
	mutate(proposal_v6, 86, in_proposal, 2);
	mutate(accept_first, 68, in_accept, 2);
	mutate(decline_sync, 28, in_decline, 4);
}

/* Version 1 ignores the bits of byte 7 that the RFC reserves */
static void reserved_bits(void)
{
	u8 low;

	for (low = 0; low < 16; low++)
		EXPECT_EQ(WITH(proposal_v4, 7, 0x10 | low), SMCR_CLC_OK);
	for (low = 8; low < 16; low++) {
		EXPECT_EQ(WITH(accept_first, 7, 0x10 | low), SMCR_CLC_OK);
		EXPECT_EQ(WITH(decline_sync, 7, 0x10 | low), SMCR_CLC_OK);
	}
}

static void header_rules(void)
{
	static const u8 tls[8] = { 0x16, 3, 1, 2, 0, 1, 0, 1 };
	struct smcr_clc_header hdr = { 0 };

	EXPECT_EQ(smcr_clc_msg_header(accept_first, 8, &hdr), SMCR_CLC_OK);
	EXPECT_EQ(hdr.type, SMCR_CLC_ACCEPT);
	EXPECT_EQ(hdr.length, 68);
	EXPECT_EQ(hdr.version, 1);
	EXPECT(hdr.flag);
	EXPECT_EQ(smcr_clc_msg_header(tls, 8, &hdr), SMCR_CLC_BAD_EYE);
	EXPECT_EQ(WITH(proposal_v4, 7, 0x00), SMCR_CLC_BAD_VERSION);
	EXPECT_EQ(WITH(proposal_v4, 0, 0xE3), SMCR_CLC_BAD_EYE);
	EXPECT_EQ(WITH(proposal_v4, 51, 0xD8), SMCR_CLC_BAD_EYE);
	EXPECT_EQ(WITH(decline_sync, 27, 0xD8), SMCR_CLC_BAD_EYE);
	EXPECT_EQ(WITH(accept_first, 64, 0), SMCR_CLC_BAD_EYE);
}

static void start(void)
{
	static const u8 eye[8] = { 0xE2, 0xD4, 0xC3, 0xD9, 0xFF };
	static const u8 eye_d[4] = { 0xE2, 0xD4, 0xC3, 0xC4 };
	u8 buf[4];
	size_t i;

	EXPECT_EQ(smcr_clc_msg_start(eye, 0), SMCR_CLC_START_NONE);
	for (i = 1; i < 4; i++)
		EXPECT_EQ(smcr_clc_msg_start(eye, i), SMCR_CLC_START_PART);
	EXPECT_EQ(smcr_clc_msg_start(eye, 4), SMCR_CLC_START_WHOLE);
	EXPECT_EQ(smcr_clc_msg_start(eye, 8), SMCR_CLC_START_WHOLE);
	EXPECT_EQ(smcr_clc_msg_start(eye_d, 4), SMCR_CLC_START_WHOLE);
	for (i = 0; i < 4; i++) {
		memcpy(buf, eye, 4);
		buf[i] ^= 1;
		EXPECT_EQ(smcr_clc_msg_start(buf, i + 1),
			  SMCR_CLC_START_OTHER);
		EXPECT_EQ(smcr_clc_msg_start(buf, 4), SMCR_CLC_START_OTHER);
	}
}

static void wrong_type(void)
{
	u8 buf[68], type;
	union any out;

	memcpy(buf, accept_first, sizeof(buf));
	EXPECT_EQ(decode(buf, 68, SMCR_CLC_CONFIRM, &out), SMCR_CLC_BAD_TYPE);
	EXPECT_EQ(decode(buf, 68, SMCR_CLC_PROPOSAL, &out), SMCR_CLC_BAD_TYPE);
	EXPECT_EQ(decode(buf, 68, SMCR_CLC_DECLINE, &out), SMCR_CLC_BAD_TYPE);
	for (type = 5; type; type++) {
		buf[4] = type;
		EXPECT_EQ(decode(buf, 68, SMCR_CLC_ACCEPT, &out),
			  SMCR_CLC_BAD_TYPE);
	}
}

/* All 65,536 lengths of each type and version */
static void lengths(void)
{
	u8 hdr[8], type, version;
	struct smcr_clc_header out;
	unsigned int len;
	bool good;

	memcpy(hdr, eye, 4);
	for (type = 1; type <= 4; type++) {
		for (version = 1; version <= 2; version++) {
			for (len = 0; len < 65536; len++) {
				hdr[4] = type;
				hdr[5] = (u8)(len >> 8);
				hdr[6] = (u8)len;
				hdr[7] = (u8)(version << 4);
				if (type == 1)
					good = len >= (version == 1 ? 52 : 44) && len <= 4096;
				else if (type == 4)
					good = len == 28 || (version == 2 && len == 44);
				else
					good = len == 68;
				EXPECT_EQ(smcr_clc_msg_header(hdr, 8, &out),
					  good ? SMCR_CLC_OK : SMCR_CLC_BAD_LENGTH);
			}
		}
	}
}

/* Build a Proposal with any values, also impossible ones */
static enum smcr_clc_fault shaped(u8 version, u16 length, u16 offset,
				  u8 nr_prefixes, u8 prefix_len)
{
	enum smcr_clc_fault fault;
	union any out;
	u8 *buf;
	int i;

	buf = zalloc(8192);
	memcpy(buf, proposal_v4, 38);
	buf[5] = (u8)(length >> 8);
	buf[6] = (u8)length;
	buf[7] = (u8)(version << 4);
	buf[38] = (u8)(offset >> 8);
	buf[39] = (u8)offset;
	if (40 + offset + 8 + 17 * 8 < 8192) {
		buf[40 + offset + 7] = nr_prefixes;
		for (i = 0; i < 8; i++)
			buf[40 + offset + 8 + 17 * i + 16] = prefix_len;
	}
	memcpy(buf + length - 4, eye, 4);
	fault = decode(buf, length, SMCR_CLC_PROPOSAL, &out);
	release(buf);
	return fault;
}

static void area_bounds(void)
{
	EXPECT_EQ(shaped(1, 52, 0, 0, 0), SMCR_CLC_OK);
	EXPECT_EQ(shaped(1, 52, 1, 0, 0), SMCR_CLC_BAD_OFFSET);
	EXPECT_EQ(shaped(1, 52, 0xFFFF, 0, 0), SMCR_CLC_BAD_OFFSET);
	EXPECT_EQ(shaped(1, 62, 10, 0, 0), SMCR_CLC_OK);
	EXPECT_EQ(shaped(1, 62, 9, 0, 0), SMCR_CLC_BAD_LENGTH);
	EXPECT_EQ(shaped(1, 62, 11, 0, 0), SMCR_CLC_BAD_OFFSET);
	EXPECT_EQ(shaped(1, 53, 0, 0, 0), SMCR_CLC_BAD_LENGTH);
	EXPECT_EQ(shaped(1, 52, 0, 1, 0), SMCR_CLC_BAD_LENGTH);
	EXPECT_EQ(shaped(1, 52 + 17, 0, 1, 64), SMCR_CLC_OK);
	EXPECT_EQ(shaped(1, 52 + 17, 0, 0, 0), SMCR_CLC_BAD_LENGTH);
	EXPECT_EQ(shaped(1, 52 + 17 * 8, 0, 8, 128), SMCR_CLC_OK);
	EXPECT_EQ(shaped(1, 52 + 17 * 9, 0, 9, 0), SMCR_CLC_BAD_PREFIXES);
	EXPECT_EQ(shaped(1, 52, 0, 255, 0), SMCR_CLC_BAD_PREFIXES);
	EXPECT_EQ(shaped(1, 52 + 17, 0, 1, 129), SMCR_CLC_BAD_SUBNET);
	EXPECT_EQ(WITH(proposal_v4, 44, 32), SMCR_CLC_OK);
	EXPECT_EQ(WITH(proposal_v4, 44, 33), SMCR_CLC_BAD_SUBNET);
}

/* Version 2 may append bytes to the prefixes, but may not omit any */
static void area_growth(void)
{
	EXPECT_EQ(shaped(2, 52, 0, 0, 0), SMCR_CLC_OK);
	EXPECT_EQ(shaped(2, 200, 40, 0, 0), SMCR_CLC_OK);
	EXPECT_EQ(shaped(2, 4096, 40, 8, 1), SMCR_CLC_OK);
	EXPECT_EQ(shaped(2, 52, 0, 1, 0), SMCR_CLC_BAD_LENGTH);
	EXPECT_EQ(shaped(2, 91, 40, 0, 0), SMCR_CLC_BAD_OFFSET);
	EXPECT_EQ(shaped(3, 200, 40, 2, 1), SMCR_CLC_OK);
	EXPECT_EQ(shaped(15, 200, 40, 2, 1), SMCR_CLC_OK);
}

static void no_smcr(void)
{
	u8 short_n[44] = { 0 }, smcd[52], accept[68];
	union any out;

	EXPECT_EQ(WITH(proposal_linux, 7, 0x20), SMCR_CLC_OK);
	EXPECT_EQ(WITH(proposal_linux, 7, 0x21), SMCR_CLC_NO_SMCR);
	EXPECT_EQ(WITH(proposal_linux, 7, 0x22), SMCR_CLC_NO_SMCR);
	EXPECT_EQ(WITH(proposal_linux, 7, 0x23), SMCR_CLC_OK);
	unhex(short_n, EYE "01 002c 22");
	memcpy(short_n + 40, eye, 4);
	EXPECT_EQ(decode(short_n, 44, 1, &out), SMCR_CLC_NO_SMCR);

	memcpy(smcd, proposal_v4, sizeof(smcd));
	smcd[3] = 0xC4;
	EXPECT_EQ(decode(smcd, 52, 1, &out), SMCR_CLC_BAD_EYE);
	smcd[7] = 0x11;
	memcpy(smcd + 48, eye_d, 4);
	EXPECT_EQ(decode(smcd, 52, 1, &out), SMCR_CLC_NO_SMCR);
	memcpy(accept, accept_first, sizeof(accept));
	accept[3] = 0xC4;
	accept[7] = 0x19;
	EXPECT_EQ(decode(accept, 68, 2, &out), SMCR_CLC_BAD_EYE);
}

static void zero(u8 *p, size_t len)
{
	memset(p, 0, len);
}

static void identity(void)
{
	u8 buf[68];
	union any out;

	memcpy(buf, proposal_v4, 52);
	zero(buf + 8, 8);
	EXPECT_EQ(decode(buf, 52, 1, &out), SMCR_CLC_BAD_PEER_ID);
	memcpy(buf, proposal_v4, 52);
	zero(buf + 16, 16);
	EXPECT_EQ(decode(buf, 52, 1, &out), SMCR_CLC_BAD_GID);
	EXPECT_EQ(WITH(proposal_v4, 16, 0xFF), SMCR_CLC_BAD_GID);
	memcpy(buf, proposal_v4, 52);
	zero(buf + 32, 6);
	EXPECT_EQ(decode(buf, 52, 1, &out), SMCR_CLC_BAD_MAC);
	EXPECT_EQ(WITH(proposal_v4, 32, 0x01), SMCR_CLC_BAD_MAC);

	EXPECT_EQ(WITH(accept_first, 16, 0xFF), SMCR_CLC_BAD_GID);
	EXPECT_EQ(WITH(accept_first, 32, 0x03), SMCR_CLC_BAD_MAC);
	memcpy(buf, accept_first, 68);
	zero(buf + 38, 3);
	EXPECT_EQ(decode(buf, 68, 2, &out), SMCR_CLC_BAD_QPN);
	buf[40] = 1;
	EXPECT_EQ(decode(buf, 68, 2, &out), SMCR_CLC_BAD_QPN);
	buf[40] = 2;
	EXPECT_EQ(decode(buf, 68, 2, &out), SMCR_CLC_OK);
}

static void enumerations(void)
{
	struct smcr_clc_expect lnx = { .type = SMCR_CLC_ACCEPT,
				       .max_bsize = SMCR_BSIZE_LINUX_MAX };
	struct smcr_clc_accept out;
	u8 buf[68], code;

	memcpy(buf, accept_first, 68);
	for (code = 0; code < 16; code++) {
		EXPECT_EQ(WITH(accept_first, 50, (u8)(code << 4 | 5)),
			  code <= 5 ? SMCR_CLC_OK : SMCR_CLC_BAD_BSIZE);
		EXPECT_EQ(WITH(accept_first, 50, 0x30 | code),
			  code >= 1 && code <= 5 ? SMCR_CLC_OK :
						   SMCR_CLC_BAD_MTU);
		buf[50] = (u8)(code << 4 | 5);
		EXPECT_EQ(smcr_clc_accept_decode(buf, 68, &lnx, &out),
			  SMCR_CLC_OK);
	}
}

/* Without F the link exists already, and the MTU is ignored (A.2.3) */
static void subsequent(void)
{
	struct smcr_clc_accept out;
	u8 buf[68];

	memcpy(buf, accept_first, 68);
	buf[7] = 0x10;
	buf[50] = 0x30;
	EXPECT_EQ(smcr_clc_accept_decode(buf, 68, &first_accept, &out),
		  SMCR_CLC_OK);
	buf[50] = 0x60;
	EXPECT_EQ(smcr_clc_accept_decode(buf, 68, &first_accept, &out),
		  SMCR_CLC_BAD_BSIZE);

	buf[4] = 3;
	EXPECT_EQ(smcr_clc_accept_decode(buf, 68, &later_confirm, &out),
		  SMCR_CLC_LATE_VALUE);
	EXPECT_EQ(smcr_clc_accept_decode(buf, 68, &first_confirm, &out),
		  SMCR_CLC_BAD_BSIZE);
	buf[50] = 0x3F;
	EXPECT_EQ(smcr_clc_accept_decode(buf, 68, &later_confirm, &out),
		  SMCR_CLC_OK);
	EXPECT_EQ(smcr_clc_accept_decode(buf, 68, &first_confirm, &out),
		  SMCR_CLC_BAD_MTU);
	EXPECT(!smcr_clc_fault_declines(SMCR_CLC_LATE_VALUE));
	EXPECT(smcr_clc_fault_declines(SMCR_CLC_BAD_MTU));
}

static void rmbe(void)
{
	u8 buf[68];
	union any out;

	EXPECT_EQ(WITH(accept_first, 45, 0), SMCR_CLC_BAD_RMBE);
	EXPECT_EQ(WITH(accept_first, 45, 255), SMCR_CLC_OK);
	memcpy(buf, accept_first, 68);
	memset(buf + 52, 0, 8);
	EXPECT_EQ(decode(buf, 68, 2, &out), SMCR_CLC_OK);
	/* index 7 of 128 KB: it may end where the address space ends */
	memcpy(buf, accept_first, 68);
	memset(buf + 52, 0xFF, 8);
	EXPECT_EQ(decode(buf, 68, 2, &out), SMCR_CLC_BAD_RMBE);
	buf[57] = 0xF1;
	buf[58] = 0xFF;
	buf[59] = 0xFF;
	EXPECT_EQ(decode(buf, 68, 2, &out), SMCR_CLC_OK);
}

/* If both the format and a value are bad, the format decides (C.6) */
static void format_first(void)
{
	u8 buf[68];
	union any out;

	memcpy(buf, accept_first, 68);
	buf[50] = 0xF0;
	buf[67] = 0;
	EXPECT_EQ(decode(buf, 68, 2, &out), SMCR_CLC_BAD_EYE);
	buf[67] = 0xD9;
	buf[45] = 0;
	EXPECT_EQ(decode(buf, 68, 2, &out), SMCR_CLC_BAD_RMBE);
	memcpy(buf, proposal_v4, 52);
	buf[16] = 0xFF;
	buf[44] = 33;
	EXPECT_EQ(decode(buf, 52, 1, &out), SMCR_CLC_BAD_SUBNET);
}

static const struct fact facts[] = {
	{ "IPv4 Proposal has the bytes of Figure 26", proposal_v4_bytes },
	{ "IPv6 Proposal has the bytes of Figures 26 and 27", proposal_v6_bytes },
	{ "a Linux version 2 Proposal is read through its offset", proposal_linux_bytes },
	{ "Accept and Confirm have the bytes of Figures 28 and 29", accept_bytes },
	{ "Decline has the bytes of Figure 30", decline_bytes },
	{ "a version 2 Decline of 44 bytes is read", decline_v2 },
	{ "encoders write every byte, and none beyond", encoders_write_all },
	{ "encoders refuse a buffer that is too small", encoders_respect_room },
	{ "a message cut at any length is short", truncation },
	{ "each byte is reserved, decoded or refused", mutation },
	{ "reserved bits of the version byte are not validated", reserved_bits },
	{ "eye catchers and version 0 are format faults", header_rules },
	{ "the first bytes that differ from both eye catchers end the doubt", start },
	{ "an unexpected type is a format fault", wrong_type },
	{ "each length is judged by type and version", lengths },
	{ "the prefix area must fit exactly in version 1", area_bounds },
	{ "later versions may grow behind the prefix area", area_growth },
	{ "peers without SMC-R v1 are declined", no_smcr },
	{ "impossible peer ID, GID, MAC and QPN are declined", identity },
	{ "unknown size and MTU codes are refused", enumerations },
	{ "a subsequent contact does not check the MTU and allows no Decline", subsequent },
	{ "RMBE index 0 and wrapping addresses are format faults", rmbe },
	{ "a format fault outweighs a bad value", format_first },
};

PROVE(facts, fill_goldens);
