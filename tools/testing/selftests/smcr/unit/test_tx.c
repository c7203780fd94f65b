// SPDX-License-Identifier: GPL-2.0
/*
 * Send planning and window updates (tx_plan.c), alone and as two ends that
 * move a stream through real rings, CDC bytes and cursor checks.
 */
#include "tap.h"
#include "cdc_msg.h"
#include "tx_plan.h"

static struct smcr_tx_plan plan_of(struct smcr_tx_view view)
{
	struct smcr_tx_plan plan;

	memset(&plan, 0xa5, sizeof(plan));
	smcr_tx_plan(&view, &plan);
	return plan;
}

/* The second half of Figure 19: 10,004 bytes into a ring of 9,996 bytes; the
 * peer reads the whole ring at once
 */
static void full_window(void)
{
	struct smcr_tx_view v = {
		.peer_ring = { .len = 9996, .origin = 4 },
		.queued = 10996 + 10004, .sent = 10996, .peer_cons = 10996,
	};
	struct smcr_cursor cur;
	struct smcr_tx_plan p;

	p = plan_of(v);
	EXPECT_EQ(p.nr_segs, 2);
	EXPECT_EQ(p.seg[0].remote, 1004);
	EXPECT_EQ(p.seg[0].len, 8996);
	EXPECT_EQ(p.seg[1].remote, 4);
	EXPECT_EQ(p.seg[1].len, 1000);
	EXPECT_EQ(p.bytes, 9996);
	EXPECT(p.blocked && p.announce);
	EXPECT(p.cut);
	cur = smcr_cursor_from_pos(&v.peer_ring, p.sent);
	EXPECT_EQ(cur.off, 1004);
	EXPECT_EQ(cur.wrap, 2);

	v.sent = p.sent;
	v.b_announced = true;
	p = plan_of(v);
	EXPECT_EQ(p.nr_segs, 0);
	EXPECT(p.blocked && !p.announce);
	v.b_announced = false;
	p = plan_of(v);
	EXPECT(p.blocked && p.announce);

	v.peer_cons = v.sent;
	p = plan_of(v);
	EXPECT_EQ(p.bytes, 8);
	EXPECT(!p.blocked && p.announce);
}

static void open_window(void)
{
	struct smcr_tx_view v = {
		.peer_ring = { .len = 9996, .origin = 4 },
		.queued = 3000,
	};
	struct smcr_tx_plan p = plan_of(v);

	EXPECT_EQ(p.nr_segs, 1);
	EXPECT_EQ(p.seg[0].remote, 4);
	EXPECT_EQ(p.seg[0].len, 3000);
	EXPECT(!p.blocked && p.announce);
	EXPECT(!p.cut);
	/* A limit is not the window */
	v.max_bytes = 1000;
	EXPECT_EQ(plan_of(v).bytes, 1000);
	EXPECT(!plan_of(v).cut);
	v.max_bytes = 0;
	v.sent = 3000;
	p = plan_of(v);
	EXPECT(!p.nr_segs && !p.blocked && !p.announce);
}

/* The ring is full to the last byte, but no bytes are left over: the sender
 * does not wait
 */
static void full_but_done(void)
{
	struct smcr_tx_view v = {
		.peer_ring = { .len = 9996, .origin = 4 },
		.queued = 9996,
	};

	EXPECT(!plan_of(v).blocked);
	v.queued++;
	EXPECT(plan_of(v).blocked);
	v.max_bytes = 9995;
	EXPECT(!plan_of(v).blocked);
	EXPECT_EQ(plan_of(v).bytes, 9995);
}

/* B asks for an update for each byte read, which helps only if a short rest
 * waits
 */
static void blocked_rest(void)
{
	struct smcr_tx_view v = {
		.peer_ring = { .len = 1000, .origin = 4 },
		.queued = 1099, .sent = 1000,
	};

	EXPECT(plan_of(v).blocked);
	v.queued++;
	EXPECT(!plan_of(v).blocked && !plan_of(v).announce);
}

/* A plan writes less than a fifth of the ring only if the application has no
 * more bytes, or if the plan before was cut short
 */
static void silly_window(void)
{
	struct smcr_tx_view v = {
		.peer_ring = { .len = 1000, .origin = 4 },
		.queued = 5000, .sent = 1000, .peer_cons = 199,
	};

	EXPECT_EQ(plan_of(v).bytes, 0);
	EXPECT(!plan_of(v).announce);
	v.more = true;
	EXPECT_EQ(plan_of(v).bytes, 199);
	v.more = false;
	v.queued = 1199;
	EXPECT_EQ(plan_of(v).bytes, 199);
	v.queued = 5000;
	v.peer_cons = 200;
	EXPECT_EQ(plan_of(v).bytes, 200);
}

/* Writes of a quarter of the buffer's size use the whole ring, although the eye
 * catcher makes the ring 4 bytes smaller
 */
static void fourth_write(void)
{
	struct smcr_tx_view v = {
		.peer_ring = { .len = 262140, .origin = 4 },
		.queued = 5 * 65536, .sent = 3 * 65536,
	};

	EXPECT_EQ(plan_of(v).bytes, 65532);
}

static void ring_wrap(void)
{
	struct smcr_tx_view v = {
		.peer_ring = { .len = 100, .origin = 4 },
		.queued = 344, .sent = 280, .peer_cons = 280,
	};
	struct smcr_tx_plan p;

	p = plan_of(v);
	EXPECT_EQ(p.nr_segs, 2);
	EXPECT_EQ(p.seg[0].len, 20);
	EXPECT_EQ(p.seg[0].remote, 84);
	EXPECT_EQ(p.seg[1].len, 44);
	EXPECT_EQ(p.seg[1].remote, 4);
	EXPECT_EQ(p.bytes, 64);
}

static bool update(u32 len, u32 window_told, u32 window_now, bool b, bool r)
{
	struct smcr_rx_view v = { .ring = { .len = len, .origin = 4 } };

	v.prod = 1000000;
	v.told = v.prod - (len - window_told);
	v.cons = v.prod - (len - window_now);
	v.b = b;
	v.r = r;
	return smcr_rx_update_needed(&v);
}

/* The three examples of section 4.5.1, and their limits */
static void update_rule(void)
{
	EXPECT(!update(65536, 51200, 65536, false, false));
	EXPECT(!update(65536, 30720, 31744, false, false));
	EXPECT(update(65536, 30720, 65536, false, false));
	EXPECT(update(10000, 3000, 10000, false, false));

	EXPECT(update(1000, 499, 599, false, false));
	EXPECT(!update(1000, 499, 598, false, false));
	EXPECT(!update(1000, 500, 1000, false, false));
	EXPECT(update(1001, 500, 1001, false, false));
}

static void update_forced(void)
{
	EXPECT(update(1000, 900, 901, true, false));
	EXPECT(update(1000, 900, 901, false, true));
	EXPECT(!update(1000, 0, 0, true, true));
}

/* ---- requests for the position ------------------------------------------ */

/**
 * struct asker - one of two ends that write no bytes
 * @r: its requests and the peer's
 * @capped: it has moved, and each message asks
 * @said: messages that it has sent
 * @asked: those of them with R
 */
struct asker {
	struct smcr_tx_r r;
	bool capped;
	unsigned int said;
	unsigned int asked;
};

/* Returns true if the message has R. */
static bool say(struct asker *e, bool news)
{
	bool r = smcr_tx_r_sets(&e->r, e->capped, news);

	smcr_tx_r_posted(&e->r, news);
	e->said++;
	e->asked += r;
	return r;
}

/* A message of @from arrives, then its answer, and the answer to that ... */
static void talk(struct asker *from, struct asker *to, bool news)
{
	unsigned int turns;

	for (turns = 0; turns < 100 && say(from, news); turns++) {
		struct asker *next = to;

		smcr_tx_r_recv(&to->r);
		to = from;
		from = next;
		news = false;
	}
}

static void answered(void)
{
	struct asker a = {}, b = {};

	a.r.ask = true;
	talk(&a, &b, false);
	EXPECT_EQ(a.said, 1);
	EXPECT_EQ(b.said, 1);
	/* Nothing was read meanwhile: the next byte is reported, and no other */
	EXPECT(b.r.wanted && !b.r.owed);
	EXPECT_EQ(say(&b, true), false);
	EXPECT(!b.r.wanted);
	/* A position that the peer does not have is all that it wants */
	a.r.ask = true;
	EXPECT(say(&a, false));
	smcr_tx_r_recv(&b.r);
	EXPECT(!say(&b, true));
	EXPECT(!b.r.wanted && !b.r.owed);
}

/* Many requests that arrive before a message goes out, get this one */
static void answered_once(void)
{
	struct asker e = {};
	int n;

	for (n = 0; n < 50; n++)
		smcr_tx_r_recv(&e.r);
	say(&e, false);
	EXPECT(!e.r.owed);
}

static void both_moved(void)
{
	struct asker a = { .capped = true }, b = { .capped = true };

	/* The message behind F asks, and so does one with news; no answer does */
	talk(&a, &b, false);
	talk(&b, &a, false);
	EXPECT_EQ(a.said, 2);
	EXPECT_EQ(b.said, 2);
	EXPECT_EQ(a.asked + b.asked, 2);
	talk(&a, &b, true);
	EXPECT_EQ(a.asked, 2);
	EXPECT_EQ(b.said, 3);
	/* An answer with news asks, and ends with the news */
	smcr_tx_r_recv(&a.r);
	talk(&a, &b, true);
	EXPECT_EQ(a.asked, 3);
	EXPECT_EQ(b.said, 4);
}

/* ---- two ends, one stream ---------------------------------------------- */

/**
 * struct sim - one direction of a connection, and the way back for cursors
 * @ring: geometry of the receiver's element
 * @element: its bytes, with the eye catcher and a guard at the end
 * @tx: the sender's state
 * @back: the sender's checks of the receiver's messages
 * @view: the receiver's state
 * @rx: the receiver's checks
 * @seq: sequence numbers of the two ends
 * @wire: CDC messages on their way to the receiver, oldest first
 * @nr_wire: number of messages in @wire
 * @writes: number of RDMA writes
 * @updates: number of window updates
 * @each: the receiver sends an update for each byte that it reads, whatever the
 *	rule says
 */
struct sim {
	struct smcr_ring ring;
	u8 element[4096 + 16];
	struct smcr_tx_view tx;
	struct smcr_cdc_rx back;
	struct smcr_rx_view view;
	struct smcr_cdc_rx rx;
	u16 seq[2];
	u8 wire[4][SMCR_ROCE_MSG_LEN];
	unsigned int nr_wire;
	unsigned long writes;
	unsigned long updates;
	bool each;
};

static struct sim sim;

/* The byte that belongs at a position of the stream */
static u8 stream(u64 pos)
{
	return (u8)((pos * 0x9E3779B97F4A7C15ULL) >> 56);
}

static void sim_init_size(u32 size, enum smcr_dialect dialect)
{
	memset(&sim, 0, sizeof(sim));
	memset(sim.element, 0xEE, sizeof(sim.element));
	sim.ring = smcr_cursor_ring(size, dialect);
	sim.tx.peer_ring = sim.ring;
	sim.view.ring = sim.ring;
	/* near the end of the wrap count, and of 32 bits */
	sim.tx.sent = (u64)sim.ring.len * (65536 * rnd_below(3) + 65534);
	if (rnd_below(2))
		sim.tx.sent = 0;
	sim.tx.queued = sim.tx.sent;
	sim.tx.peer_cons = sim.tx.sent;
	sim.view.prod = sim.tx.sent;
	sim.view.cons = sim.tx.sent;
	sim.view.told = sim.tx.sent;
	sim.rx.prod = sim.tx.sent;
	sim.back.cons = sim.tx.sent;
}

static void sim_init(void)
{
	u32 size = 16 + rnd_below(4080);

	sim_init_size(size, rnd_below(2));
}

/* The application writes some bytes; the sender has room for 4096 */
static void sim_write(u32 len)
{
	u32 room = 4096 - (u32)(sim.tx.queued - sim.tx.sent);

	sim.tx.queued += len < room ? len : room;
}

/* The sender does RDMA writes, then sends a CDC message */
static void sim_send(void)
{
	struct smcr_cdc_msg msg = { 0 };
	struct smcr_tx_plan p;
	unsigned int i;
	u32 sum = 0, at;

	if (sim.nr_wire == ARRAY_SIZE(sim.wire))
		return;
	smcr_tx_plan(&sim.tx, &p);
	EXPECT(p.nr_segs <= SMCR_TX_MAX_SEGS);
	for (i = 0; i < p.nr_segs; i++) {
		EXPECT(p.seg[i].len > 0);
		EXPECT(p.seg[i].remote >= sim.ring.origin);
		EXPECT(p.seg[i].remote + p.seg[i].len <=
		       sim.ring.origin + sim.ring.len);
		for (at = 0; at < p.seg[i].len; at++)
			sim.element[p.seg[i].remote + at] =
				stream(sim.tx.sent + sum + at);
		sum += p.seg[i].len;
		sim.writes++;
	}
	EXPECT_EQ(sum, p.bytes);
	EXPECT(p.sent == sim.tx.sent + sum);
	sim.tx.sent = p.sent;
	if (!p.announce)
		return;
	sim.tx.b_announced = p.blocked;
	msg.seq = ++sim.seq[0];
	msg.prod = smcr_cursor_from_pos(&sim.ring, sim.tx.sent);
	msg.cons.off = 4;
	msg.flags = p.blocked ? SMCR_CDC_B : 0;
	smcr_cdc_msg_encode(sim.wire[sim.nr_wire++], &msg);
}

/* The receiver tells the sender what was read */
static void sim_update(void)
{
	struct smcr_cdc_limits lim = {
		.ring = { .len = 100, .origin = 4 }, .peer_ring = sim.ring,
		.sent = sim.tx.sent,
	};
	struct smcr_cdc_msg msg = { .prod = { .off = 4 } };
	struct smcr_cdc_result res;

	sim.updates++;
	sim.view.told = sim.view.cons;
	msg.seq = ++sim.seq[1];
	msg.cons = smcr_cursor_from_pos(&sim.ring, sim.view.cons);
	EXPECT_EQ(smcr_cdc_check(&sim.back, &lim, &msg, &res),
		  SMCR_CDC_ACCEPT);
	smcr_cdc_apply(&sim.back, &res);
	sim.tx.peer_cons = sim.back.cons;
}

/* The receiver handles one CDC message */
static void sim_deliver(void)
{
	struct smcr_cdc_limits lim = {
		.ring = sim.ring, .peer_ring = { .len = 100, .origin = 4 },
		.cons = sim.view.cons,
	};
	struct smcr_cdc_result res;
	struct smcr_cdc_msg msg;

	if (!sim.nr_wire)
		return;
	EXPECT_EQ(smcr_cdc_msg_decode(sim.wire[0], SMCR_ROCE_MSG_LEN, &msg), 0);
	memmove(sim.wire, sim.wire + 1, sizeof(sim.wire[0]) * 3);
	sim.nr_wire--;
	EXPECT_EQ(smcr_cdc_check(&sim.rx, &lim, &msg, &res), SMCR_CDC_ACCEPT);
	smcr_cdc_apply(&sim.rx, &res);
	sim.view.prod = sim.rx.prod;
	sim.view.b = sim.rx.flags & SMCR_CDC_B;
	if (smcr_rx_update_overdue(&sim.view))
		sim_update();
}

/* The application reads some bytes, and the rule decides on an update */
static void sim_read(u32 len)
{
	u32 off;

	while (len-- && sim.view.cons < sim.view.prod) {
		off = smcr_cursor_offset(&sim.ring, sim.view.cons);
		if (sim.element[off] != stream(sim.view.cons))
			EXPECT(!"the stream arrives unchanged");
		sim.view.cons++;
	}
	if (smcr_rx_update_needed(&sim.view) ||
	    (sim.each && sim.view.told != sim.view.cons))
		sim_update();
}

/* With the updates of the rule alone, all queued bytes arrive */
static void sim_drain(void)
{
	unsigned int i;

	for (i = 0; i < 100000 && sim.view.cons < sim.tx.queued; i++) {
		sim_send();
		sim_deliver();
		sim_read(1 + rnd_below(64));
	}
	EXPECT(sim.view.cons == sim.tx.queued);
	for (i = 0; i < sim.ring.origin; i++)
		EXPECT_EQ(sim.element[i], 0xEE);
	for (i = 0; i < 16; i++)
		EXPECT_EQ(sim.element[sim.ring.origin + sim.ring.len + i],
			  0xEE);
}

static void random_stream(void)
{
	unsigned int step, all = steps(1000000);

	sim_init();
	for (step = 0; step < all; step++) {
		if (step % 5000 == 4999) {
			sim_drain();
			sim_init();
		}
		sim.tx.max_bytes = rnd_below(4) ? 0 : 1 + rnd_below(100);
		switch (rnd_below(4)) {
		case 0:
			sim_write(rnd_below(200));
			break;
		case 1:
			sim_send();
			break;
		case 2:
			sim_deliver();
			break;
		default:
			sim_read(rnd_below(200));
		}
	}
	sim.tx.max_bytes = 0;
	sim_drain();
}

/* The reader waits for some bytes, at most as many as poll() lets it */
static void patient_stream(void)
{
	u32 least = 1 + rnd_below(sim.ring.len / 2), unread, len, i;
	u64 end = sim.tx.sent + 20ULL * sim.ring.len;

	for (i = 0; i < 100000 && sim.view.cons < end; i++) {
		len = rnd_below(sim.ring.len);
		sim_write(len < end - sim.tx.queued ? len :
						      end - sim.tx.queued);
		sim_send();
		sim_deliver();
		unread = sim.view.prod - sim.view.cons;
		if (unread >= least || sim.view.prod == end)
			sim_read(least + rnd_below(unread));
	}
	EXPECT(sim.view.cons == end);
}

static void patient_reader(void)
{
	unsigned int round, all = steps(20000);

	for (round = 0; round < all; round++) {
		sim_init();
		patient_stream();
	}
}

/* A stream of 1 MB through a ring of 4 KB to a reader of @piece bytes */
static void sim_pieces(u32 piece, bool each)
{
	u64 end;

	sim_init_size(4096, SMCR_DIALECT_LINUX);
	sim.each = each;
	end = sim.tx.sent + (1 << 20);
	while (sim.view.cons < end) {
		sim_write(end - sim.tx.queued < 4096 ? end - sim.tx.queued :
						       4096);
		sim_send();
		sim_deliver();
		sim_read(piece);
	}
}

/* 256 rings: at most five writes for each, and those that wraps add */
static void small_reads(void)
{
	sim_pieces(128, false);
	EXPECT(sim.writes <= 1536);
	EXPECT(sim.updates <= 2560);
	sim_pieces(1, false);
	EXPECT(sim.writes <= 1536);
	/* there may be an update for each byte of the last tenth of the ring */
	EXPECT(sim.updates <= 2560 + 410);
	sim_pieces(1, true);
	EXPECT(sim.writes <= 1536);
}

/* The spare byte is not missed before the window closes */
static void spare_byte(void)
{
	struct smcr_tx_view v = {
		.peer_ring = { .len = 9996, .origin = 4 },
		.queued = 9996, .sent = 0, .peer_cons = 0, .spare = true,
	};
	struct smcr_tx_plan p = plan_of(v);

	EXPECT_EQ(p.bytes, 9995);
	EXPECT(p.blocked && p.announce);
	v.sent = p.sent;
	v.b_announced = true;
	p = plan_of(v);
	EXPECT_EQ(p.nr_segs, 0);
	EXPECT(p.blocked && !p.announce);
	v.peer_cons = 9995;
	p = plan_of(v);
	EXPECT_EQ(p.bytes, 1);
	v.queued = 9995 + 9995;
	p = plan_of(v);
	EXPECT_EQ(p.bytes, 9995);
	EXPECT(!p.blocked);
}

/* The ring is full for all but an urgent byte */
static void urgent_room(void)
{
	struct smcr_tx_view v = {
		.peer_ring = { .len = 9996, .origin = 4 },
		.queued = 9996, .sent = 0, .peer_cons = 0, .spare = true,
		.keep = true,
	};

	EXPECT_EQ(plan_of(v).bytes, 9994);
	EXPECT(plan_of(v).blocked);
	v.sent = 9994;
	EXPECT_EQ(plan_of(v).bytes, 0);
	v.queued = 9995;
	v.urgent = 9995;
	EXPECT_EQ(plan_of(v).bytes, 1);
	EXPECT(!plan_of(v).blocked);
	/* It stays with the ordinary byte in front */
	v.queued = 9996;
	v.urgent = 9996;
	EXPECT_EQ(plan_of(v).bytes, 0);
	EXPECT(plan_of(v).blocked);
}

/* Neither the window nor a limit separates the urgent byte from those before */
static void urgent_together(void)
{
	struct smcr_tx_view v = {
		.peer_ring = { .len = 1000, .origin = 4 },
		.queued = 1301, .sent = 300, .peer_cons = 300, .urgent = 1301,
	};

	EXPECT_EQ(plan_of(v).bytes, 999);
	EXPECT(plan_of(v).blocked);
	v.keep = true;
	EXPECT_EQ(plan_of(v).bytes, 999);
	v.queued = 1300;
	v.urgent = 1300;
	EXPECT_EQ(plan_of(v).bytes, 1000);
	EXPECT(!plan_of(v).blocked);
	v.max_bytes = 999;
	EXPECT_EQ(plan_of(v).bytes, 998);
	v.max_bytes = 1;
	EXPECT_EQ(plan_of(v).bytes, 1);
	v.sent = 1298;
	EXPECT_EQ(plan_of(v).bytes, 1);
	v.max_bytes = 0;
	/* Late writes may land where the urgent byte would go */
	v.sent = 1290;
	v.queued = 1299;
	EXPECT_EQ(plan_of(v).bytes, 8);
}

/* One end whose program queues bytes and whose adapter completes messages */
struct sender {
	struct smcr_tx_burst burst;
	struct smcr_tx_line line;
	u32 n_asked;
};

/* Queue @len bytes, and post all but the last @rest bytes, which the window cuts
 * off, unless they wait; returns true if posted.
 */
static bool queue_cut(struct sender *s, u32 len, u32 rest)
{
	struct smcr_tx_plan plan = { .cut = rest };
	bool asks;

	s->line.end += len;
	if (smcr_tx_burst_holds(&s->burst, &s->line, 65532)) {
		s->burst.waited = true;
		return false;
	}
	plan.sent = s->line.end - rest;
	plan.bytes = (u32)(plan.sent - s->line.nxt);
	asks = smcr_tx_burst_asks(&s->burst, &s->line, &plan);
	smcr_tx_burst_posted(&s->burst, &plan);
	if (asks)
		s->line.signaled = plan.sent;
	s->n_asked += asks;
	s->line.nxt = plan.sent;
	return true;
}

static bool queue(struct sender *s, u32 len)
{
	return queue_cut(s, len, 0);
}

static void confirm(struct sender *s, u64 pos)
{
	s->line.una = pos;
	if (s->line.signaled < pos)
		s->line.signaled = pos;
}

static void alone(void)
{
	struct sender s = {};
	int i;

	for (i = 0; i < 10; i++) {
		EXPECT(queue(&s, 64));
		confirm(&s, s.line.nxt);
	}
	EXPECT_EQ(s.n_asked, 0);
}

static void two_free(void)
{
	struct sender s = {};

	EXPECT(queue(&s, 100));
	EXPECT_EQ(s.n_asked, 0);
	EXPECT(queue(&s, 100));
	EXPECT_EQ(s.n_asked, 1);
	EXPECT(!queue(&s, 100));
	EXPECT(!queue(&s, 100));
	confirm(&s, 100);
	EXPECT(queue(&s, 0));
	EXPECT_EQ(s.line.nxt, 400);
	/* The completion that was requested has not arrived yet */
	EXPECT_EQ(s.n_asked, 1);
	EXPECT(!queue(&s, 100));
	confirm(&s, 200);
	EXPECT(queue(&s, 0));
	EXPECT_EQ(s.n_asked, 2);
}

/* A message without data, such as a window update, requests none */
static void no_data(void)
{
	struct sender s = {};
	struct smcr_tx_plan plan = { .sent = 100 };

	queue(&s, 100);
	EXPECT(!smcr_tx_burst_asks(&s.burst, &s.line, &plan));
	plan.bytes = 1;
	EXPECT(smcr_tx_burst_asks(&s.burst, &s.line, &plan));
}

/* All is complete, but bytes have waited: this is no new burst */
static void burst_goes_on(void)
{
	struct sender s = {};

	queue(&s, 100);
	queue(&s, 100);
	EXPECT(!queue(&s, 100));
	confirm(&s, 200);
	EXPECT(queue(&s, 0));
	EXPECT_EQ(s.n_asked, 2);
	EXPECT(queue(&s, 100));
	EXPECT(!queue(&s, 100));
	/* Now nothing waits */
	confirm(&s, 300);
	EXPECT(queue(&s, 0));
	EXPECT_EQ(s.n_asked, 3);
	confirm(&s, 500);
	EXPECT(queue(&s, 100));
	EXPECT_EQ(s.n_asked, 3);
	EXPECT(queue(&s, 100));
	EXPECT_EQ(s.n_asked, 4);
	EXPECT(!queue(&s, 100));
}

static void enough_queued(void)
{
	struct sender s = {};

	queue(&s, 100);
	queue(&s, 100);
	EXPECT(!queue(&s, SMCR_TX_BURST_WHOLE - 1));
	EXPECT(queue(&s, 1));
}

/* A large message alone is as much as two small ones */
static void enough_under_way(void)
{
	struct sender s = {};

	queue(&s, 10);
	queue(&s, 2 * SMCR_TX_BURST_WHOLE);
	confirm(&s, 10);
	EXPECT(!queue(&s, 10));
	s.line.una++;
	EXPECT(queue(&s, 0));
}

/* The window has room for all but a few bytes, and gets more room before the
 * adapter has reported those before
 */
static void cut_off(void)
{
	struct sender s = {};

	EXPECT(queue_cut(&s, 1000, 5));
	EXPECT_EQ(s.n_asked, 1);
	confirm(&s, 500);
	EXPECT(!queue(&s, 0));
	EXPECT(!queue(&s, 100));
	EXPECT(queue(&s, SMCR_TX_BURST_WHOLE));
	confirm(&s, s.line.nxt);
	EXPECT(queue_cut(&s, 1000, 5));
	confirm(&s, s.line.nxt);
	EXPECT(queue(&s, 0));
	EXPECT_EQ(s.line.nxt, s.line.end);
	/* A quarter of the ring is no short rest */
	confirm(&s, s.line.nxt);
	EXPECT(queue_cut(&s, 20000, 65532 / 4 - 1));
	EXPECT(!queue(&s, 0));
	EXPECT(queue(&s, 1));
}

/* A program writes as much as the element holds, which is 4 bytes more than the
 * ring
 */
static void left_to_writer(void)
{
	struct sender s = {};

	queue_cut(&s, 65536, 4);
	EXPECT(smcr_tx_burst_leaves(&s.burst, &s.line, 65532));
	confirm(&s, s.line.nxt);
	EXPECT(smcr_tx_burst_leaves(&s.burst, &s.line, 65532));
	s.line.end += 65532 / 64 - 5;
	EXPECT(smcr_tx_burst_leaves(&s.burst, &s.line, 65532));
	s.line.end++;
	EXPECT(!smcr_tx_burst_leaves(&s.burst, &s.line, 65532));
}

/* In a small ring a 64th is less than what such a program leaves */
static void left_in_small_ring(void)
{
	struct sender s = {};

	queue_cut(&s, 100, 7);
	EXPECT(smcr_tx_burst_leaves(&s.burst, &s.line, 96));
	s.line.end++;
	EXPECT(!smcr_tx_burst_leaves(&s.burst, &s.line, 96));
}

/* Few bytes that the program has written last are no rest */
static void nothing_left(void)
{
	struct sender s = {};

	queue(&s, 65536);
	s.line.end += 4;
	EXPECT(!smcr_tx_burst_leaves(&s.burst, &s.line, 65532));
}

/* Without a completion to come, nothing waits; a move leaves none */
static void nothing_to_wait_for(void)
{
	struct sender s = {};

	queue(&s, 100);
	queue(&s, 100);
	EXPECT(!queue(&s, 100));
	s.line.signaled = s.line.una;
	EXPECT(queue(&s, 0));
}

static const struct fact facts[] = {
	{ "a window is filled across the wrap and B is set, as in Figure 19", full_window },
	{ "an open window takes all in one write", open_window },
	{ "B means bytes left over, not a full ring or a limit", full_but_done },
	{ "B is for a rest shorter than a tenth of the ring", blocked_rest },
	{ "a small window is left alone until a fifth of the ring is open", silly_window },
	{ "four writes of a quarter fill the ring", fourth_write },
	{ "a plan splits at the wrap of the peer's ring", ring_wrap },
	{ "updates follow the 50 % and 10 % rule of section 4.5.1", update_rule },
	{ "B and R get an update for each byte read, and none without a byte", update_forced },
	{ "R is answered at once, and with the next byte read if nothing was new", answered },
	{ "one message answers any number of R", answered_once },
	{ "two ends that have both moved do not answer each other without end", both_moved },
	{ "a sender that may move leaves the last byte of the ring unused", spare_byte },
	{ "a full ring has room for an urgent byte", urgent_room },
	{ "an urgent byte is not written alone after those before it", urgent_together },
	{ "small reads, and updates byte by byte, cause no small writes", small_reads },
	{ "a message that is alone neither waits nor requests a completion", alone },
	{ "two messages of a burst go at once, the second with a request", two_free },
	{ "a message without data requests no completion", no_data },
	{ "a burst whose bytes have waited goes on", burst_goes_on },
	{ "64 KB do not wait", enough_queued },
	{ "bytes wait behind 128 KB that are under way", enough_under_way },
	{ "a rest that the window cuts off waits for the message before", cut_off },
	{ "few bytes that the window cuts off are left to a writer", left_to_writer },
	{ "up to 7 bytes are few in any ring", left_in_small_ring },
	{ "a short write is not left to a writer", nothing_left },
	{ "nothing waits without a requested completion", nothing_to_wait_for },
	{ "10^6 random steps move the stream unchanged, and neither end hangs", random_stream },
	{ "a reader that waits for half a ring does not wait for its sender", patient_reader },
};

PROVE(facts, NULL);
