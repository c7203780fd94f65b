// SPDX-License-Identifier: GPL-2.0
/*
 * Cursor arithmetic (cursor.h) compared with models that use no modulo.
 */
#include "tap.h"
#include "cursor.h"

static void geometry(void)
{
	struct smcr_ring rfc = smcr_cursor_ring(65536, SMCR_DIALECT_RFC);
	struct smcr_ring lnx = smcr_cursor_ring(65536, SMCR_DIALECT_LINUX);

	EXPECT_EQ(rfc.origin, 4);
	EXPECT_EQ(rfc.len, 65532);
	EXPECT_EQ(lnx.origin, 0);
	EXPECT_EQ(lnx.len, 65536);
	EXPECT_EQ(smcr_cursor_offset(&rfc, 0), 4);
	EXPECT_EQ(smcr_cursor_offset(&rfc, 65531), 65535);
	EXPECT_EQ(smcr_cursor_offset(&rfc, 65532), 4);
	EXPECT_EQ(smcr_cursor_contig(&rfc, 65531), 1);
	EXPECT_EQ(smcr_cursor_contig(&rfc, 65532), 65532);
	EXPECT_EQ(smcr_cursor_window(&rfc, 70000, 70000), 65532);
	EXPECT_EQ(smcr_cursor_window(&rfc, 65532, 0), 0);
}

/* A byte-by-byte cursor that wraps when it leaves the element */
static void byte_by_byte(void)
{
	struct smcr_ring ring = { .len = 7, .origin = 4 };
	struct smcr_cursor model = { .off = 4 }, cur;
	u64 pos, got;

	for (pos = 0; pos < 7ULL * 65536 * 3; pos++) {
		cur = smcr_cursor_from_pos(&ring, pos);
		if (cur.off != model.off || cur.wrap != model.wrap)
			EXPECT(!"cursor differs from the walk");
		got = ~0ULL;
		if (smcr_cursor_to_pos(&ring, model, pos, &got) || got != pos)
			EXPECT(!"position differs from the walk");
		if (++model.off == 11) {
			model.off = 4;
			model.wrap++;
		}
	}
}

/* The position that a cursor stands for, found by trying every advance */
static bool means(const struct smcr_ring *ring, struct smcr_cursor cur,
		  u64 old, u64 *pos)
{
	struct smcr_cursor ahead;

	for (*pos = old; *pos <= old + ring->len; ++*pos) {
		ahead = smcr_cursor_from_pos(ring, *pos);
		if (ahead.wrap == cur.wrap && ahead.off == cur.off)
			return true;
	}
	return false;
}

/* A wrap count that the positions of exhaustive() can lead to, or one beside */
static bool near(unsigned int wrap)
{
	return wrap < 16 || wrap >= 65536 - 16;
}

static void all_cursors(u64 old)
{
	struct smcr_ring ring = { .len = 5, .origin = 4 };
	struct smcr_cursor cur;
	unsigned int wrap;
	u64 got, want;
	int ret;

	for (wrap = 0; wrap < 65536; wrap += near(wrap) ? 1 : SPARSE) {
		cur.wrap = (u16)wrap;
		for (cur.off = 0; cur.off < 12; cur.off++) {
			got = ~0ULL;
			ret = smcr_cursor_to_pos(&ring, cur, old, &got);
			if (!means(&ring, cur, old, &want)) {
				EXPECT_EQ(ret, -ERANGE);
				want = ~0ULL;
			}
			EXPECT_EQ(got, want);
		}
	}
}

static void exhaustive(void)
{
	u64 old;

	for (old = 0; old < 6; old++)
		all_cursors(old);
	for (old = 5 * 65536 - 6; old < 5 * 65536 + 6; old++)
		all_cursors(old);
}

/* Offsets near 2^32 must not pass a check because an addition overflows */
static void huge_offsets(void)
{
	struct smcr_ring ring = smcr_cursor_ring(524288, SMCR_DIALECT_RFC);
	struct smcr_cursor cur = { 0 };
	u64 got;

	cur.off = 0xFFFFFFFF;
	EXPECT_EQ(smcr_cursor_to_pos(&ring, cur, 0, &got), -ERANGE);
	cur.off = 524288;
	EXPECT_EQ(smcr_cursor_to_pos(&ring, cur, 0, &got), -ERANGE);
	cur.off = 524287;
	EXPECT_EQ(smcr_cursor_to_pos(&ring, cur, 0, &got), 0);
	EXPECT_EQ(got, 524283);
	cur.off = 3;
	EXPECT_EQ(smcr_cursor_to_pos(&ring, cur, 0, &got), -ERANGE);
}

/* A million advances of random size in random rings, with the wrap count */
static void random_advance(void)
{
	struct smcr_ring ring = { .len = 16380, .origin = 4 };
	struct smcr_cursor model, cur;
	unsigned int i, all = steps(1000000);
	u64 pos = 0, got;
	u32 step;

	model.off = ring.origin;
	model.wrap = 0;
	for (i = 0; i < all; i++) {
		if (i % 10000 == 0) {
			ring.origin = rnd_below(2) * 4;
			ring.len = 1 + rnd_below(65536);
			pos = (rnd() >> 20) * ring.len;
			model.off = ring.origin;
			model.wrap = (u16)(pos / ring.len);
		}
		step = rnd_below(ring.len + 1);
		model.off += step;
		while (model.off >= ring.origin + ring.len) {
			model.off -= ring.len;
			model.wrap++;
		}
		got = 0;
		if (smcr_cursor_to_pos(&ring, model, pos, &got) ||
		    got != pos + step)
			EXPECT(!"position after the advance");
		pos += step;
		cur = smcr_cursor_from_pos(&ring, pos);
		if (cur.off != model.off || cur.wrap != model.wrap)
			EXPECT(!"cursor after the advance");
	}
}

static void serial_numbers(void)
{
	EXPECT(smcr_seq_diff(1, 0) == 1);
	EXPECT(smcr_seq_diff(0, 0xFFFF) == 1);
	EXPECT(smcr_seq_diff(0xFFFF, 0) == -1);
	EXPECT(smcr_seq_diff(5, 5) == 0);
	EXPECT(smcr_seq_diff(0x7FFF, 0) > 0);
	EXPECT(smcr_seq_diff(0x8000, 0) < 0);
}

static void size_codes(void)
{
	u8 code;

	for (code = 0; code <= 5; code++) {
		EXPECT_EQ(smcr_bsize_to_bytes(code), 1024 << (code + 4));
		EXPECT_EQ(smcr_bytes_to_bsize(smcr_bsize_to_bytes(code)), code);
		EXPECT_EQ(smcr_bytes_to_bsize(smcr_bsize_to_bytes(code) - 1),
			  code);
	}
	EXPECT_EQ(smcr_bytes_to_bsize(0), 0);
	EXPECT_EQ(smcr_bytes_to_bsize(16385), 1);
	EXPECT_EQ(smcr_bytes_to_bsize(524289), 5);
	EXPECT_EQ(smcr_bytes_to_bsize(0xFFFFFFFF), 5);
	EXPECT_EQ(smcr_bsize_to_bytes(15), 512U << 20);
	EXPECT(!smcr_mtu_valid(0));
	EXPECT(smcr_mtu_valid(1));
	EXPECT(smcr_mtu_valid(5));
	EXPECT(!smcr_mtu_valid(6));
}

static const struct fact facts[] = {
	{ "data starts at 4 with an eye catcher, at 0 without", geometry },
	{ "a cursor that walks byte by byte agrees, with its wrap count", byte_by_byte },
	{ "a cursor is accepted if and only if it lies 0..len ahead", exhaustive },
	{ "offsets near 2^32 are refused", huge_offsets },
	{ "10^6 random advances agree with a cursor that uses no positions", random_advance },
	{ "sequence numbers compare in 16-bit serial arithmetic", serial_numbers },
	{ "only known RMBE size and MTU codes are valid", size_codes },
};

PROVE(facts, NULL);
