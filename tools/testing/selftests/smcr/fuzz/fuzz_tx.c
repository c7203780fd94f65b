// SPDX-License-Identifier: GPL-2.0
/*
 * tx_plan.c compared with a flat stream: a writer, a peer's element into which
 * the plan's segments are written, and a reader that compares each byte with
 * the one that belongs at its position. The ring is small, so that it wraps
 * often.
 */
#include "fuzz.h"
#include "tx_plan.h"

#define MAX_RING	96

/**
 * struct stream - one direction of a connection
 * @tx: the send side
 * @rx: the receive side
 * @room: bytes that the sender queues before they are written
 * @element: the peer's element, eye catcher included
 */
struct stream {
	struct smcr_tx_view tx;
	struct smcr_rx_view rx;
	u32 room;
	u8 element[MAX_RING + SMCR_RMBE_EYE_LEN];
};

/* The byte that the application writes at a position */
static u8 byte_at(u64 pos)
{
	return (u8)((pos * 0x9E3779B97F4A7C15ULL) >> 56);
}

static void start(struct stream *s, struct fuzz *in)
{
	enum smcr_dialect dialect = take_bool(in) ? SMCR_DIALECT_LINUX : SMCR_DIALECT_RFC;
	u32 origin = smcr_dialect_origin(dialect);
	struct smcr_ring ring = smcr_cursor_ring(origin + 1 + take8(in) % MAX_RING, dialect);
	u64 begin = take64(in) >> (take8(in) | 2) % 64;

	memset(s, 0, sizeof(*s));
	memset(s->element, 0xEE, sizeof(s->element));
	s->tx.peer_ring = ring;
	s->rx.ring = ring;
	s->room = 1 + take8(in) % MAX_RING;
	take8(in);
	s->tx.queued = begin;
	s->tx.sent = begin;
	s->tx.peer_cons = begin;
	s->rx.prod = begin;
	s->rx.cons = begin;
	s->rx.told = begin;
}

static void app_write(struct stream *s, u32 len)
{
	for (; len && s->tx.queued - s->tx.sent < s->room; len--)
		s->tx.queued++;
}

/* Carry out the RDMA writes of a plan; each must be inside the ring */
static u32 carry_out(struct stream *s, const struct smcr_tx_plan *plan)
{
	const struct smcr_tx_seg *seg;
	u32 bytes = 0, begin = s->tx.peer_ring.origin, at;
	unsigned int i;

	HOLDS(plan->nr_segs <= SMCR_TX_MAX_SEGS);
	for (i = 0; i < plan->nr_segs; i++) {
		seg = &plan->seg[i];
		HOLDS(seg->len && seg->remote >= begin &&
		      seg->remote + seg->len <= begin + s->tx.peer_ring.len);
		for (at = 0; at < seg->len; at++)
			s->element[seg->remote + at] = byte_at(s->tx.sent + bytes + at);
		bytes += seg->len;
	}
	return bytes;
}

static void transmit(struct stream *s, u32 max, bool more)
{
	u32 len = s->tx.peer_ring.len, window = len - (u32)(s->tx.sent - s->tx.peer_cons);
	u64 want = s->tx.queued - s->tx.sent;
	struct smcr_tx_plan plan;
	bool rest;

	if (want > window) {
		want = window;
		/* A silly window */
		if (want * 5 < len && !more)
			want = 0;
	}
	if (max && want > max)
		want = max;
	s->tx.max_bytes = max;
	s->tx.more = more;
	smcr_tx_plan(&s->tx, &plan);
	HOLDS(carry_out(s, &plan) == plan.bytes && plan.bytes == want);
	HOLDS(plan.sent == s->tx.sent + want);
	rest = plan.sent < s->tx.queued && (s->tx.queued - plan.sent) * 10 < len;
	HOLDS(plan.blocked == (rest && want == window));
	HOLDS(plan.announce == (want || (plan.blocked && !s->tx.b_announced)));
	s->tx.sent = plan.sent;
	if (!plan.announce)
		return;
	s->tx.b_announced = plan.blocked;
	s->rx.prod = plan.sent;
	s->rx.b = plan.blocked;
}

/* Is an update due? At least a tenth of the ring was read since the last one,
 * and the window that the peer knows is less than half of the ring; on B or R
 * any byte that was read is enough.
 */
static bool update_due(const struct smcr_rx_view *rx)
{
	u64 gain = rx->cons - rx->told, window = rx->ring.len - (rx->prod - rx->told);

	if (rx->b || rx->r)
		return gain > 0;
	return gain && gain * 10 >= rx->ring.len && window * 2 < rx->ring.len;
}

static void app_read(struct stream *s, u32 len)
{
	for (; len && s->rx.cons < s->rx.prod; len--) {
		HOLDS(s->element[smcr_cursor_offset(&s->rx.ring, s->rx.cons)] ==
		      byte_at(s->rx.cons));
		s->rx.cons++;
	}
	HOLDS(smcr_rx_update_needed(&s->rx) == update_due(&s->rx));
}

static void tell(struct stream *s)
{
	s->rx.told = s->rx.cons;
	s->rx.r = false;
	s->tx.peer_cons = s->rx.cons;
}

/* If the reader reads all and sends each update that is due, the writer never
 * waits without end
 */
static void drain(struct stream *s)
{
	unsigned int rounds = 0;

	while (s->tx.sent < s->tx.queued) {
		HOLDS(rounds++ < 4 * MAX_RING);
		transmit(s, 0, false);
		app_read(s, MAX_RING);
		if (smcr_rx_update_needed(&s->rx))
			tell(s);
	}
	app_read(s, MAX_RING);
	HOLDS(s->rx.cons == s->tx.queued);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz in = { data, size };
	unsigned int i;
	struct stream s;

	start(&s, &in);
	while (in.left) {
		u8 op = take8(&in);

		switch (op % 8) {
		case 0:
		case 1:
			app_write(&s, take8(&in));
			break;
		case 2:
		case 3:
			transmit(&s, op & 8 ? 1 + take8(&in) : 0, op & 16);
			break;
		case 4:
			tell(&s);
			break;
		case 5:
			s.rx.r = true;
			break;
		default:
			app_read(&s, take8(&in));
			if (op & 8 && smcr_rx_update_needed(&s.rx))
				tell(&s);
		}
	}
	drain(&s);
	for (i = 0; i < s.tx.peer_ring.origin; i++)
		HOLDS(s.element[i] == 0xEE);
	return 0;
}
