// SPDX-License-Identifier: GPL-2.0
/*
 * Urgent data (urgent.c), each side alone, and both as two ends that move a
 * stream through a ring.
 */
#include "tap.h"
#include "urgent.h"

#define NO_LIMIT	(~0ULL)
#define P		SMCR_CDC_P
#define PU		(SMCR_CDC_P | SMCR_CDC_U)

/* Figure 20: 500 urgent bytes at 1000, then 1000 more */
static void open_window(void)
{
	struct smcr_urgent_tx tx = {};

	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1000), NO_LIMIT);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1000, 1000), 0);
	smcr_urgent_tx_set(&tx, 1500);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1000), 1500);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1500, 1000), PU);
	smcr_urgent_tx_posted(&tx, 1500, PU);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1000), 1500);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1499), 1500);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1500, 1499), 0);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1500), NO_LIMIT);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 2500, 1500), 0);
}

/* Figure 21: the window is closed, so P goes first */
static void closed_window(void)
{
	struct smcr_urgent_tx tx = {};

	smcr_urgent_tx_set(&tx, 1500);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1000, 0), P);
	smcr_urgent_tx_posted(&tx, 1000, P);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1400, 1000), P);
	smcr_urgent_tx_posted(&tx, 1400, P);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1000), 1500);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1500, 1000), PU);
}

static void long_send(void)
{
	struct smcr_urgent_tx tx = {};

	smcr_urgent_tx_begin(&tx);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 0), NO_LIMIT);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 100, 0), P);
	smcr_urgent_tx_posted(&tx, 100, P);
	smcr_urgent_tx_set(&tx, 200);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 200, 0), PU);
	smcr_urgent_tx_posted(&tx, 200, PU);
	smcr_urgent_tx_end(&tx);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 200, 0), 0);
}

static void newer_byte(void)
{
	struct smcr_urgent_tx tx = {};

	smcr_urgent_tx_set(&tx, 10);
	smcr_urgent_tx_set(&tx, 20);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 0), 20);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 10, 0), P);
	smcr_urgent_tx_posted(&tx, 20, PU);
	smcr_urgent_tx_set(&tx, 30);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 19), 20);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 20, 19), P);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 20), 30);
}

static void after_move(void)
{
	struct smcr_urgent_tx tx = {};

	smcr_urgent_tx_set(&tx, 10);
	smcr_urgent_tx_posted(&tx, 10, PU);
	smcr_urgent_tx_moved(&tx, 9);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 10, 9), PU);
	smcr_urgent_tx_posted(&tx, 10, PU);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 10, 9), 0);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 9), 10);
	smcr_urgent_tx_moved(&tx, 10);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 10, 10), 0);
}

/* 5 bytes come, the last one is urgent */
static void out_of_line(void)
{
	struct smcr_urgent_rx rx = {};

	EXPECT(smcr_urgent_rx_recv(&rx, PU, 5, 0, 'u', false));
	EXPECT_EQ(rx.byte, 'u');
	EXPECT(rx.bits & SMCR_URGENT_UNREAD);
	EXPECT(!smcr_urgent_rx_at_mark(&rx, 0));
	EXPECT_EQ(smcr_urgent_rx_plain(&rx, 0, 5), 4);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 3), 3);
	smcr_urgent_rx_passed(&rx, 4);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 4), 5);
	EXPECT(smcr_urgent_rx_at_mark(&rx, 4));
	EXPECT_EQ(smcr_urgent_rx_plain(&rx, 4, 9), 0);
	EXPECT_EQ(smcr_urgent_rx_next(&rx, 4), 5);
	smcr_urgent_rx_passed(&rx, 5);
	EXPECT_EQ(rx.bits, 0);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 5), 5);
	EXPECT_EQ(smcr_urgent_rx_plain(&rx, 5, 9), 4);
}

static void in_line(void)
{
	struct smcr_urgent_rx rx = {};

	EXPECT(smcr_urgent_rx_recv(&rx, PU, 5, 4, 'u', true));
	EXPECT(smcr_urgent_rx_at_mark(&rx, 4));
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 4), 4);
	EXPECT_EQ(smcr_urgent_rx_plain(&rx, 4, 5), 0);
	EXPECT_EQ(smcr_urgent_rx_next(&rx, 4), 5);
	smcr_urgent_rx_passed(&rx, 5);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 5), 5);
}

static void one_signal(void)
{
	struct smcr_urgent_rx rx = {};

	EXPECT(smcr_urgent_rx_recv(&rx, P, 0, 0, 0, false));
	EXPECT_EQ(rx.bits, SMCR_URGENT_PENDING);
	EXPECT(!smcr_urgent_rx_recv(&rx, P, 4, 0, 0, false));
	EXPECT_EQ(smcr_urgent_rx_plain(&rx, 0, 4), 4);
	EXPECT(!smcr_urgent_rx_recv(&rx, PU, 5, 0, 'u', false));
	EXPECT(!(rx.bits & SMCR_URGENT_PENDING));
	EXPECT(smcr_urgent_rx_recv(&rx, P, 5, 0, 0, false));
	EXPECT(!smcr_urgent_rx_recv(&rx, 0, 5, 0, 0, false));
	EXPECT(!(rx.bits & SMCR_URGENT_PENDING));
}

static void repeated(void)
{
	struct smcr_urgent_rx rx = {};

	EXPECT(smcr_urgent_rx_recv(&rx, PU, 5, 0, 'u', false));
	rx.bits &= ~SMCR_URGENT_UNREAD;
	EXPECT(!smcr_urgent_rx_recv(&rx, PU, 5, 0, 'u', false));
	EXPECT(!(rx.bits & SMCR_URGENT_UNREAD));
	smcr_urgent_rx_passed(&rx, 5);
	EXPECT(!smcr_urgent_rx_recv(&rx, PU, 5, 5, 0, false));
	EXPECT_EQ(rx.bits, 0);
	/* The byte before was read before it became urgent */
	EXPECT(!smcr_urgent_rx_recv(&rx, PU, 9, 9, 0, false));
	EXPECT_EQ(rx.bits, 0);
	EXPECT_EQ(rx.mark, 9);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 9), 9);
	EXPECT_EQ(smcr_urgent_rx_plain(&rx, 9, 12), 3);
}

/* The program reads nothing: only the newest of three urgent bytes is left */
static void gap(void)
{
	struct smcr_urgent_rx rx = {};

	smcr_urgent_rx_recv(&rx, PU, 1, 0, 'a', false);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 0), 1);
	smcr_urgent_rx_recv(&rx, PU, 2, 0, 'b', false);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 0), 2);
	smcr_urgent_rx_recv(&rx, PU, 6, 0, 'c', false);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 0), 2);
	EXPECT_EQ(smcr_urgent_rx_from(&rx, 0), 2);
	EXPECT_EQ(smcr_urgent_rx_plain(&rx, 0, 6), 0);
	EXPECT_EQ(smcr_urgent_rx_next(&rx, 0), 2);
	smcr_urgent_rx_passed(&rx, 2);
	EXPECT_EQ(smcr_urgent_rx_plain(&rx, 2, 6), 3);
	smcr_urgent_rx_passed(&rx, 5);
	EXPECT_EQ(rx.byte, 'c');
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 5), 6);
	smcr_urgent_rx_passed(&rx, 6);
	EXPECT_EQ(rx.bits, 0);
}

#define RING	32

/**
 * struct pair - two ends and the ring between them
 * @tx: send side
 * @rx: receive side
 * @ring: the receiver's element
 * @end: bytes that the program gave to the sender
 * @nxt: bytes written and announced
 * @acked: consumer position that the sender knows
 * @cons: bytes that the reader has passed
 * @marks: one bit for each of the last 64 bytes: it was urgent when announced
 * @in_line: SO_OOBINLINE is set
 */
struct pair {
	struct smcr_urgent_tx tx;
	struct smcr_urgent_rx rx;
	u8 ring[RING];
	u64 end;
	u64 nxt;
	u64 acked;
	u64 cons;
	u64 marks;
	bool in_line;
};

static u8 coded(u64 pos)
{
	return (u8)(pos * 167 + (pos >> 8) * 13);
}

static void send_some(struct pair *p)
{
	p->end += 1 + rnd_below(RING);
	if (rnd_below(3) == 0)
		smcr_urgent_tx_set(&p->tx, p->end);
}

/* Write what the window and urgent data admit, and announce it. */
static void push(struct pair *p)
{
	u64 limit = smcr_urgent_tx_limit(&p->tx, p->acked), pos;
	u16 flags;

	EXPECT(limit >= p->nxt);
	if (limit > p->end)
		limit = p->end;
	if (limit > p->acked + RING)
		limit = p->acked + RING;
	for (pos = p->nxt; pos < limit; pos++) {
		p->ring[pos % RING] = coded(pos);
		p->marks &= ~(1ULL << pos % 64);
	}
	p->nxt = limit;
	flags = smcr_urgent_tx_flags(&p->tx, p->nxt, p->acked);
	smcr_urgent_tx_posted(&p->tx, p->nxt, flags);
	if (flags & SMCR_CDC_U)
		p->marks |= 1ULL << (p->nxt - 1) % 64;
	smcr_urgent_rx_recv(&p->rx, flags, p->nxt, p->cons,
			    p->ring[(p->nxt + RING - 1) % RING], p->in_line);
}

/* Is the byte at this position one that was announced as urgent? */
static bool was_urgent(const struct pair *p, u64 pos)
{
	return p->marks & 1ULL << pos % 64;
}

/* Read up to @len bytes; each must be the right one. */
static void read_some(struct pair *p, u64 len)
{
	u64 end = p->nxt, next, plain;

	while (len && p->cons < end) {
		plain = smcr_urgent_rx_plain(&p->rx, p->cons, end);
		for (; plain && len; plain--, len--, p->cons++) {
			EXPECT(!was_urgent(p, p->cons));
			EXPECT_EQ(p->ring[p->cons % RING], coded(p->cons));
		}
		smcr_urgent_rx_passed(&p->rx, p->cons);
		if (!len || p->cons == end)
			break;
		next = smcr_urgent_rx_next(&p->rx, p->cons);
		if (next == p->rx.mark)
			EXPECT_EQ(p->rx.byte, coded(next - 1));
		for (; p->cons < next; p->cons++)
			EXPECT(was_urgent(p, p->cons));
		smcr_urgent_rx_passed(&p->rx, p->cons);
	}
	p->acked = smcr_urgent_rx_told(&p->rx, p->cons);
}

/* No byte gets lost, none is urgent that was not, and neither end waits for the
 * other: with all plain bytes read, the sender may go on
 */
static void random_stream(void)
{
	unsigned int i, all = steps(1000000);
	struct pair p;

	memset(&p, 0, sizeof(p));
	for (i = 0; i < all; i++) {
		if (p.cons == p.end)
			p.in_line = rnd_below(2);
		switch (rnd_below(4)) {
		case 0:
			if (p.end - p.acked < RING)
				send_some(&p);
			break;
		case 1:
			p.acked = smcr_urgent_rx_told(&p.rx, p.cons);
			break;
		case 2:
			read_some(&p, rnd_below(RING));
			break;
		}
		push(&p);
		EXPECT(p.nxt - p.acked <= RING);
		if (rnd_below(50))
			continue;
		read_some(&p, RING);
		push(&p);
		EXPECT(p.nxt == p.end || p.nxt > p.cons);
	}
}

static const struct fact facts[] = {
	{ "writes end at the urgent byte until it is consumed, as in Figure 20", open_window },
	{ "while the window is closed messages have P, as in Figure 21", closed_window },
	{ "messages of a long send have P before its last byte is known", long_send },
	{ "a newer urgent byte moves the position, but one that was announced stays", newer_byte },
	{ "U is repeated once after a move", after_move },
	{ "an urgent byte is told as consumed when all before it is read", out_of_line },
	{ "in line it is told when it is read itself", in_line },
	{ "P and the U behind it make one signal", one_signal },
	{ "a U that is repeated or late gives the reader nothing, and is known", repeated },
	{ "urgent bytes that a newer one follows are dropped, and only those", gap },
	{ "10^6 random steps lose no other byte, and neither end hangs", random_stream },
};

PROVE(facts, NULL);
