// SPDX-License-Identifier: GPL-2.0
/*
 * CDC codec and checks (cdc_msg.c) compared with Figure 41 of RFC 7609, and
 * each rule about what a peer may announce.
 */
#include "tap.h"
#include "cdc_msg.h"

#define LEN	SMCR_ROCE_MSG_LEN

static const char golden[] =
	"fe2c0102 a1a2a3a4 0000 0304 00005678 0000 0506 00009abc b860";

static const struct smcr_cdc_msg golden_msg = {
	.seq = 0x0102, .alert_token = 0xa1a2a3a4,
	.prod = { .wrap = 0x0304, .off = 0x5678 },
	.cons = { .wrap = 0x0506, .off = 0x9abc },
	.flags = SMCR_CDC_B | SMCR_CDC_U | SMCR_CDC_R | SMCR_CDC_F |
		 SMCR_CDC_C | SMCR_CDC_A,
};

static void encoding(void)
{
	u8 want[LEN] = { 0 }, x[LEN + 1], y[LEN + 1];

	unhex(want, golden);
	memset(x, 0x5a, sizeof(x));
	memset(y, 0xa5, sizeof(y));
	smcr_cdc_msg_encode(x, &golden_msg);
	smcr_cdc_msg_encode(y, &golden_msg);
	EXPECT_BYTES(x, want, LEN);
	EXPECT_BYTES(y, want, LEN);
	EXPECT_EQ(x[LEN], 0x5a);
}

static void decoding(void)
{
	struct smcr_cdc_msg msg;
	u8 buf[LEN] = { 0 };

	memset(&msg, 0, sizeof(msg));
	unhex(buf, golden);
	EXPECT_EQ(smcr_cdc_msg_decode(buf, LEN, &msg), 0);
	EXPECT_EQ(msg.seq, golden_msg.seq);
	EXPECT_EQ(msg.alert_token, golden_msg.alert_token);
	EXPECT_EQ(msg.prod.wrap, golden_msg.prod.wrap);
	EXPECT_EQ(msg.prod.off, golden_msg.prod.off);
	EXPECT_EQ(msg.cons.wrap, golden_msg.cons.wrap);
	EXPECT_EQ(msg.cons.off, golden_msg.cons.off);
	EXPECT_EQ(msg.flags, golden_msg.flags);
}

static void flag_bits(void)
{
	static const struct { u8 at, bit; u16 flag; } bits[] = {
		{ 24, 0x80, SMCR_CDC_B }, { 24, 0x40, SMCR_CDC_P },
		{ 24, 0x20, SMCR_CDC_U }, { 24, 0x10, SMCR_CDC_R },
		{ 24, 0x08, SMCR_CDC_F }, { 25, 0x80, SMCR_CDC_D },
		{ 25, 0x40, SMCR_CDC_C }, { 25, 0x20, SMCR_CDC_A },
	};
	struct smcr_cdc_msg msg;
	u8 buf[LEN] = { 0xfe, LEN };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		buf[24] = 0;
		buf[25] = 0;
		buf[bits[i].at] = bits[i].bit;
		EXPECT_EQ(smcr_cdc_msg_decode(buf, LEN, &msg), 0);
		EXPECT_EQ(msg.flags, bits[i].flag);
	}
	buf[24] = 0x07;
	buf[25] = 0x1f;
	EXPECT_EQ(smcr_cdc_msg_decode(buf, LEN, &msg), 0);
	EXPECT_EQ(msg.flags, 0);
}

static void frames(void)
{
	struct smcr_cdc_msg msg;
	unsigned int val;
	u8 buf[LEN * 2] = { 0 };
	u8 *copy;
	size_t len;

	unhex(buf, golden);
	for (len = 0; len <= sizeof(buf); len++) {
		copy = exact_copy(buf, len);
		EXPECT_EQ(smcr_cdc_msg_decode(copy, len, &msg),
			  len == LEN ? 0 : -EBADMSG);
		release(copy);
	}
	for (val = 0; val < 256; val++) {
		buf[0] = (u8)val;
		EXPECT_EQ(smcr_cdc_msg_decode(buf, LEN, &msg),
			  val == 0xfe ? 0 : -EBADMSG);
	}
	buf[0] = 0xfe;
	for (val = 0; val < 256; val++) {
		buf[1] = (u8)val;
		EXPECT_EQ(smcr_cdc_msg_decode(buf, LEN, &msg),
			  val == LEN ? 0 : -EBADMSG);
	}
}

/* Each byte except the reserved ones changes the result */
static void mutation(void)
{
	u8 buf[LEN] = { 0 }, a[LEN], b[LEN];
	struct smcr_cdc_msg msg;
	unsigned int at, val;
	bool spare;

	for (at = 2; at < LEN; at++) {
		spare = at == 8 || at == 9 || at == 16 || at == 17 || at > 25;
		for (val = 0; val < 256; val++) {
			memset(buf, 0, sizeof(buf));
			unhex(buf, golden);
			memcpy(a, buf, LEN);
			if (buf[at] == val || at == 24 || at == 25)
				continue;
			buf[at] = (u8)val;
			EXPECT_EQ(smcr_cdc_msg_decode(buf, LEN, &msg), 0);
			smcr_cdc_msg_encode(b, &msg);
			EXPECT_EQ(!memcmp(a, b, LEN), spare);
		}
	}
}

/*
 * A connection in mid-stream: rings of 16 KB with eye catchers. The peer has
 * written 20000 bytes, of which 10000 are read; this end has sent 30000 bytes,
 * of which the peer has announced 25000 as read.
 */
static struct smcr_cdc_rx rx;
static struct smcr_cdc_limits lim;
static struct smcr_cdc_result res;

static void mid_stream(void)
{
	memset(&rx, 0, sizeof(rx));
	memset(&lim, 0, sizeof(lim));
	lim.ring = smcr_cursor_ring(16384, SMCR_DIALECT_RFC);
	lim.peer_ring = lim.ring;
	rx.prod = 20000;
	rx.cons = 25000;
	rx.seq = 100;
	lim.cons = 10000;
	lim.sent = 30000;
}

/* A message that announces these positions, with the next sequence number */
static struct smcr_cdc_msg tell(u64 prod, u64 cons, u16 flags)
{
	struct smcr_cdc_msg msg = { .seq = rx.seq + 1, .flags = flags };

	msg.prod = smcr_cursor_from_pos(&lim.ring, prod);
	msg.cons = smcr_cursor_from_pos(&lim.peer_ring, cons);
	return msg;
}

static enum smcr_cdc_verdict check(struct smcr_cdc_msg msg)
{
	struct smcr_cdc_rx before = rx;
	enum smcr_cdc_verdict verdict;

	verdict = smcr_cdc_check(&rx, &lim, &msg, &res);
	EXPECT(!memcmp(&before, &rx, sizeof(rx)));
	return verdict;
}

static void accepts(void)
{
	mid_stream();
	EXPECT_EQ(check(tell(20001, 25001, SMCR_CDC_B | SMCR_CDC_R)),
		  SMCR_CDC_ACCEPT);
	EXPECT_EQ(res.prod, 20001);
	EXPECT_EQ(res.cons, 25001);
	EXPECT_EQ(res.gap, 0);
	EXPECT_EQ(res.raised, 0);
	smcr_cdc_apply(&rx, &res);
	EXPECT_EQ(rx.prod, 20001);
	EXPECT_EQ(rx.cons, 25001);
	EXPECT_EQ(rx.seq, 101);
	EXPECT_EQ(rx.flags, SMCR_CDC_B | SMCR_CDC_R);
	EXPECT_EQ(check(tell(20001, 25001, 0)), SMCR_CDC_ACCEPT);
	smcr_cdc_apply(&rx, &res);
	EXPECT_EQ(rx.flags, 0);
}

static void first_message(void)
{
	mid_stream();
	memset(&rx, 0, sizeof(rx));
	lim.cons = 0;
	lim.sent = 0;
	EXPECT_EQ(check(tell(0, 0, 0)), SMCR_CDC_ACCEPT);
	EXPECT_EQ(res.seq, 1);
	rx.seq = 0xffff;
	EXPECT_EQ(check(tell(16380, 0, 0)), SMCR_CDC_ACCEPT);
	EXPECT_EQ(res.seq, 0);
	EXPECT_EQ(res.prod, 16380);
}

static void producer_bounds(void)
{
	struct smcr_cdc_msg msg;

	mid_stream();
	EXPECT_EQ(check(tell(10000 + 16380, 25000, 0)), SMCR_CDC_ACCEPT);
	EXPECT_EQ(check(tell(10000 + 16381, 25000, 0)), SMCR_CDC_BAD_PROD);
	EXPECT_EQ(check(tell(19999, 25000, 0)), SMCR_CDC_BAD_PROD);
	EXPECT_EQ(check(tell(20000 + 2 * 16380, 25000, 0)), SMCR_CDC_BAD_PROD);
	msg = tell(20000, 25000, 0);
	msg.prod.off = 3;
	EXPECT_EQ(check(msg), SMCR_CDC_BAD_PROD);
	msg.prod.off = 16384;
	EXPECT_EQ(check(msg), SMCR_CDC_BAD_PROD);
	msg.prod.off = 0xffffffff;
	EXPECT_EQ(check(msg), SMCR_CDC_BAD_PROD);
	msg = tell(20000, 25000, 0);
	msg.prod.wrap--;
	EXPECT_EQ(check(msg), SMCR_CDC_BAD_PROD);
	msg.prod.wrap += 2;
	EXPECT_EQ(check(msg), SMCR_CDC_BAD_PROD);
	lim.cons = 20000;
	EXPECT_EQ(check(msg), SMCR_CDC_ACCEPT);
	EXPECT_EQ(res.prod, 36380);
}

static void consumer_bounds(void)
{
	struct smcr_cdc_msg msg;

	mid_stream();
	EXPECT_EQ(check(tell(20000, 30000, 0)), SMCR_CDC_ACCEPT);
	EXPECT_EQ(res.cons, 30000);
	EXPECT_EQ(check(tell(20000, 30001, 0)), SMCR_CDC_BAD_CONS);
	EXPECT_EQ(check(tell(20000, 24999, 0)), SMCR_CDC_BAD_CONS);
	msg = tell(20000, 25000, 0);
	msg.cons.off = 0;
	EXPECT_EQ(check(msg), SMCR_CDC_BAD_CONS);
	msg.cons.off = 16384;
	EXPECT_EQ(check(msg), SMCR_CDC_BAD_CONS);
	msg = tell(20000, 25000, 0);
	msg.cons.wrap += 1;
	EXPECT_EQ(check(msg), SMCR_CDC_BAD_CONS);
	lim.peer_ring = smcr_cursor_ring(32768, SMCR_DIALECT_RFC);
	EXPECT_EQ(check(tell(20000, 29999, 0)), SMCR_CDC_ACCEPT);
}

static void linux_origin(void)
{
	struct smcr_cdc_msg msg;

	mid_stream();
	lim.ring = smcr_cursor_ring(16384, SMCR_DIALECT_LINUX);
	lim.peer_ring = lim.ring;
	EXPECT_EQ(check(tell(10000 + 16384, 25000, 0)), SMCR_CDC_ACCEPT);
	EXPECT_EQ(check(tell(10000 + 16385, 25000, 0)), SMCR_CDC_BAD_PROD);
	msg = tell(16384 * 2 - 10000, 25000, 0);
	rx.prod = 16384;
	msg.prod.off = 0;
	EXPECT_EQ(check(msg), SMCR_CDC_ACCEPT);
}

static void sequence(void)
{
	struct smcr_cdc_msg msg;
	unsigned int seq;
	s16 ahead;

	mid_stream();
	for (seq = 0; seq < 65536; seq++) {
		msg = tell(20000, 25000, 0);
		msg.seq = (u16)seq;
		ahead = smcr_seq_diff(msg.seq, 100);
		EXPECT_EQ(check(msg),
			  ahead > 0 ? SMCR_CDC_ACCEPT : SMCR_CDC_STALE);
		if (ahead > 0)
			EXPECT_EQ(res.gap, ahead - 1);
	}
	msg.seq = 100;
	msg.prod.off = 0;
	EXPECT_EQ(check(msg), SMCR_CDC_STALE);
}

static void new_link(void)
{
	struct smcr_cdc_msg msg;

	mid_stream();
	lim.new_link = true;
	EXPECT_EQ(check(tell(20000, 25000, 0)), SMCR_CDC_ACCEPT);
	msg = tell(20000, 25000, 0);
	msg.seq = 102;
	EXPECT_EQ(check(msg), SMCR_CDC_DATA_LOST);
	msg.seq = 100;
	EXPECT_EQ(check(msg), SMCR_CDC_STALE);
	msg.seq = 102;
	lim.new_link = false;
	EXPECT_EQ(check(msg), SMCR_CDC_ACCEPT);
	/* In the Linux dialect, a gap in which no byte was announced is none */
	lim.new_link = true;
	msg = tell(rx.prod, 25000, 0);
	msg.seq = 102;
	EXPECT_EQ(check(msg), SMCR_CDC_DATA_LOST);
	lim.hold_ends = true;
	EXPECT_EQ(check(msg), SMCR_CDC_ACCEPT);
	msg = tell(rx.prod + 1, 25000, 0);
	msg.seq = 102;
	EXPECT_EQ(check(msg), SMCR_CDC_DATA_LOST);
}

static void after_close(void)
{
	u16 last;

	for (last = SMCR_CDC_A; last <= SMCR_CDC_C; last <<= 1) {
		mid_stream();
		EXPECT_EQ(check(tell(20500, 25000, last)), SMCR_CDC_ACCEPT);
		EXPECT_EQ(res.raised, last);
		smcr_cdc_apply(&rx, &res);
		EXPECT_EQ(check(tell(20600, 25000, 0)), SMCR_CDC_CLOSED);
		EXPECT_EQ(check(tell(0, 0, SMCR_CDC_A)), SMCR_CDC_CLOSED);
		EXPECT_EQ(check(tell(0, 0, SMCR_CDC_F)), SMCR_CDC_CLOSED);
	}
}

static void after_done(void)
{
	mid_stream();
	EXPECT_EQ(check(tell(20500, 25000, SMCR_CDC_D)), SMCR_CDC_ACCEPT);
	EXPECT_EQ(res.raised, SMCR_CDC_D);
	smcr_cdc_apply(&rx, &res);
	EXPECT_EQ(check(tell(20501, 25000, SMCR_CDC_D)), SMCR_CDC_AFTER_DONE);
	EXPECT_EQ(check(tell(20501, 25000, 0)), SMCR_CDC_AFTER_DONE);
	EXPECT_EQ(check(tell(20500, 26000, 0)), SMCR_CDC_ACCEPT);
	smcr_cdc_apply(&rx, &res);
	EXPECT(rx.flags & SMCR_CDC_D);
	EXPECT_EQ(check(tell(20500, 26000, SMCR_CDC_D | SMCR_CDC_C)),
		  SMCR_CDC_ACCEPT);
	EXPECT_EQ(res.raised, SMCR_CDC_C);
}

/* In the Linux dialect bytes may follow D and C until these count. */
static void held_ends(void)
{
	u16 end;

	for (end = SMCR_CDC_C; end <= SMCR_CDC_D; end <<= 1) {
		mid_stream();
		lim.hold_ends = true;
		EXPECT_EQ(check(tell(20500, 25000, end | SMCR_CDC_B)),
			  SMCR_CDC_ACCEPT);
		EXPECT_EQ(res.raised, 0);
		smcr_cdc_apply(&rx, &res);
		EXPECT_EQ(rx.held, end);
		EXPECT_EQ(rx.flags, SMCR_CDC_B);
		/* The end is not forgotten, and bytes follow */
		EXPECT_EQ(check(tell(20600, 25000, 0)), SMCR_CDC_ACCEPT);
		EXPECT_EQ(res.prod, 20600);
		EXPECT_EQ(res.raised, 0);
		smcr_cdc_apply(&rx, &res);
		EXPECT_EQ(rx.held, end);
		EXPECT_EQ(rx.flags, 0);
		EXPECT_EQ(check(tell(20600, 25000, end | SMCR_CDC_A)),
			  SMCR_CDC_ACCEPT);
		EXPECT_EQ(res.raised, end | SMCR_CDC_A);
		EXPECT_EQ(res.held, 0);
		/* It counts */
		rx.held = 0;
		rx.flags = end;
		EXPECT_EQ(check(tell(20601, 25000, end)), SMCR_CDC_AFTER_DONE);
		EXPECT_EQ(check(tell(20601, 25000, 0)), SMCR_CDC_AFTER_DONE);
	}
	EXPECT_EQ(check(tell(20600, 25000, end)), SMCR_CDC_ACCEPT);
	EXPECT_EQ(check(tell(20600, 25000, SMCR_CDC_D | SMCR_CDC_C)),
		  SMCR_CDC_ACCEPT);
	EXPECT_EQ(res.raised, SMCR_CDC_C);
	EXPECT_EQ(res.held, 0);
	smcr_cdc_apply(&rx, &res);
	EXPECT_EQ(check(tell(20600, 25000, SMCR_CDC_C)), SMCR_CDC_CLOSED);
	EXPECT_EQ(check(tell(20601, 25000, SMCR_CDC_C)), SMCR_CDC_AFTER_DONE);
}

static void urgent(void)
{
	mid_stream();
	EXPECT_EQ(check(tell(20000, 25000, SMCR_CDC_U)), SMCR_CDC_BAD_URGENT);
	EXPECT_EQ(check(tell(20000, 25000, SMCR_CDC_U | SMCR_CDC_P)),
		  SMCR_CDC_BAD_URGENT);
	EXPECT_EQ(check(tell(20001, 25000, SMCR_CDC_U)), SMCR_CDC_ACCEPT);
	EXPECT_EQ(check(tell(20000, 25000, SMCR_CDC_P)), SMCR_CDC_ACCEPT);
	smcr_cdc_apply(&rx, &res);
	EXPECT_EQ(check(tell(20000, 25000, SMCR_CDC_P | SMCR_CDC_U)),
		  SMCR_CDC_ACCEPT);
	mid_stream();
	rx.prod = 0;
	lim.cons = 0;
	EXPECT_EQ(check(tell(0, 25000, SMCR_CDC_U)), SMCR_CDC_BAD_URGENT);
}

/* The byte at 19999 is urgent */
static void one_urgent_byte(void)
{
	mid_stream();
	lim.urgent = 20000;
	lim.cons = 19999;
	EXPECT_EQ(check(tell(20000, 25000, SMCR_CDC_U)), SMCR_CDC_ACCEPT);
	EXPECT_EQ(check(tell(20001, 25000, SMCR_CDC_U)), SMCR_CDC_BAD_URGENT);
	EXPECT_EQ(check(tell(20001, 25000, SMCR_CDC_P)), SMCR_CDC_ACCEPT);
	lim.cons = 20000;
	EXPECT_EQ(check(tell(20001, 25000, SMCR_CDC_U)), SMCR_CDC_ACCEPT);
}

static void lasting_flags(void)
{
	struct smcr_cdc_msg old, new;

	mid_stream();
	old = tell(20001, 25000, SMCR_CDC_FLAGS);
	new = tell(20001, 25001, 0);
	EXPECT_EQ(smcr_cdc_msg_lasting(&old, &new),
		  SMCR_CDC_D | SMCR_CDC_C | SMCR_CDC_A | SMCR_CDC_R |
		  SMCR_CDC_U);
	new = tell(20002, 25001, 0);
	EXPECT_EQ(smcr_cdc_msg_lasting(&old, &new),
		  SMCR_CDC_D | SMCR_CDC_C | SMCR_CDC_A | SMCR_CDC_R);
	old.flags = 0;
	EXPECT_EQ(smcr_cdc_msg_lasting(&old, &new), 0);
}

/* Whichever 44 bytes arrive, only possible positions are accepted */
static void random_messages(void)
{
	unsigned int i, at, accepted = 0, all = steps(500000);
	enum smcr_cdc_verdict verdict;
	struct smcr_cdc_msg msg;
	u8 buf[LEN];

	for (i = 0; i < all; i++) {
		mid_stream();
		lim.new_link = rnd_below(8) == 0;
		lim.hold_ends = rnd_below(2);
		rx.flags = rnd_below(8) ? 0 : (u16)rnd() & SMCR_CDC_FLAGS;
		msg = tell(20000 + rnd_below(20000), 25000 + rnd_below(9000),
			   (u16)rnd());
		smcr_cdc_msg_encode(buf, &msg);
		for (at = rnd_below(3); at; at--)
			buf[2 + rnd_below(24)] = (u8)rnd();
		if (smcr_cdc_msg_decode(buf, LEN, &msg))
			continue;
		verdict = smcr_cdc_check(&rx, &lim, &msg, &res);
		if (verdict != SMCR_CDC_ACCEPT)
			continue;
		accepted++;
		EXPECT(res.prod >= rx.prod);
		EXPECT(res.prod - lim.cons <= lim.ring.len);
		EXPECT(res.cons >= rx.cons && res.cons <= lim.sent);
		EXPECT(!(rx.flags & (SMCR_CDC_C | SMCR_CDC_A)));
		EXPECT(!(rx.flags & SMCR_CDC_D) || res.prod == rx.prod);
	}
	EXPECT(accepted > all / 500);
}

static void names(void)
{
	int i;

	for (i = 0; i < SMCR_CDC_VERDICT_MAX; i++) {
		EXPECT(smcr_cdc_verdict_name(i) && *smcr_cdc_verdict_name(i));
		EXPECT_EQ(smcr_cdc_verdict_aborts(i), i >= SMCR_CDC_DATA_LOST);
	}
}

static const struct fact facts[] = {
	{ "a CDC message has the bytes of Figure 41, all written", encoding },
	{ "a CDC message is decoded from those bytes", decoding },
	{ "each flag has its bit, reserved bits are dropped", flag_bits },
	{ "type, length byte and length are exact", frames },
	{ "each byte is decoded or reserved", mutation },
	{ "a newer possible message is taken over", accepts },
	{ "the first sequence number is 1, and 0 follows 65535", first_message },
	{ "a producer cursor outside what is possible aborts", producer_bounds },
	{ "a consumer cursor outside what is possible aborts", consumer_bounds },
	{ "without eye catchers cursors start at 0", linux_origin },
	{ "older or equal is stale, a gap is counted", sequence },
	{ "a gap on a new link aborts", new_link },
	{ "messages after C or A are ignored", after_close },
	{ "data after D aborts", after_done },
	{ "a Linux peer's D and C are held, and end the stream later", held_ends },
	{ "U needs new data or an earlier P", urgent },
	{ "there is one urgent byte until it is consumed, and U may be repeated", one_urgent_byte },
	{ "a message that stands for an older one keeps the flags that last", lasting_flags },
	{ "no sequence of bytes gets an impossible position accepted", random_messages },
	{ "each verdict has a name, and aborts or not", names },
};

PROVE(facts, NULL);
