// SPDX-License-Identifier: GPL-2.0
/*
 * Two ends of a connection, built from the pure files, exchange messages. The
 * input decides what the programs do, and which CDC messages are lost,
 * duplicated or overtaken. Both ends keep to the protocol, so:
 *
 * - no message is judged impossible,
 * - each byte that is read is the byte that was written at its position,
 * - a reader sees the end of the stream after its last byte, also if the
 *   connection is reset after the end was announced,
 * - no end writes to a peer that has sent C or A, nor into an element that the
 *   peer has freed,
 * - whatever happened before, reading, writing and closing end the connection.
 */
#include "cdc_msg.h"
#include "conn_state.h"
#include "fuzz.h"
#include "tx_plan.h"

#define MAX_RING	64
#define MAX_WIRE	12
#define FINAL		(SMCR_CDC_C | SMCR_CDC_A)

/**
 * struct wire - CDC messages on their way to one end
 * @msg: the messages, oldest first
 * @nr: number of messages
 */
struct wire {
	u8 msg[MAX_WIRE][SMCR_ROCE_MSG_LEN];
	unsigned int nr;
};

/**
 * struct end - one of the two ends
 * @peer: the other end
 * @fsm: state of the connection
 * @tx: send side
 * @rx: receive side: what the peer has announced
 * @ring: geometry of this end's element
 * @in: messages on their way to this end
 * @cons: consumer position: the program has read the bytes before
 * @told: consumer position in the last message to the peer
 * @seq: sequence number of this end's last message
 * @flags: D, C and A that this end sends with each message
 * @flush: event to raise when all is written, or SMCR_CONN_EV_MAX
 * @r: requests for a consumer position
 * @silent: no more RDMA writes
 * @eof: readers see the end of the stream
 * @reset: readers see ECONNRESET
 * @rst: this end's TCP sent RST
 * @orphan: the program has closed the socket
 * @ended: the program has shut down or closed the socket
 * @freed: the element is freed
 * @room: bytes that the program may write before the peer has read them
 * @element: receive ring
 */
struct end {
	struct end *peer;
	struct smcr_conn_fsm fsm;
	struct smcr_tx_view tx;
	struct smcr_cdc_rx rx;
	struct smcr_ring ring;
	struct wire in;
	u64 cons;
	u64 told;
	u16 seq;
	u16 flags;
	enum smcr_conn_event flush;
	struct smcr_tx_r r;
	bool silent;
	bool eof;
	bool reset;
	bool rst;
	bool orphan;
	bool ended;
	bool freed;
	u32 room;
	u8 element[MAX_RING + SMCR_RMBE_EYE_LEN];
};

static void event(struct end *e, enum smcr_conn_event ev);

/* The byte at a position of an end's stream; the two streams differ */
static u8 byte_at(const struct end *writer, u64 pos)
{
	return (u8)((pos + writer->ring.origin + 1) * 0x9E3779B97F4A7C15ULL >> 56) ^
	       (writer < writer->peer ? 0x55 : 0);
}

static void say(struct end *e, u16 now)
{
	struct smcr_cdc_msg msg = {
		.seq = (u16)(e->seq + 1), .alert_token = 1, .flags = e->flags | now,
		.prod = smcr_cursor_from_pos(&e->tx.peer_ring, e->tx.sent),
		.cons = smcr_cursor_from_pos(&e->ring, e->cons),
	};
	struct wire *out = &e->peer->in;

	e->seq = msg.seq;
	/* A full wire loses its oldest message, never the last one sent */
	if (out->nr == MAX_WIRE)
		memmove(out->msg[0], out->msg[1], --out->nr * sizeof(out->msg[0]));
	smcr_cdc_msg_encode(out->msg[out->nr++], &msg);
	smcr_tx_r_posted(&e->r, e->told != e->cons);
	e->told = e->cons;
}

static void write_segs(struct end *e, const struct smcr_tx_plan *plan)
{
	const struct smcr_tx_seg *seg;
	u64 pos = e->tx.sent;
	unsigned int i;
	u32 at;

	for (i = 0; i < plan->nr_segs; i++) {
		seg = &plan->seg[i];
		HOLDS(seg->remote >= e->peer->ring.origin &&
		      seg->remote + seg->len <= e->peer->ring.origin + e->peer->ring.len);
		HOLDS(!e->peer->freed && !(e->rx.flags & FINAL) && !(e->flags & FINAL));
		for (at = 0; at < seg->len; at++)
			e->peer->element[seg->remote + at] = byte_at(e, pos++);
	}
}

static void transmit(struct end *e)
{
	struct smcr_tx_plan plan;

	if (!e->silent) {
		smcr_tx_plan(&e->tx, &plan);
		write_segs(e, &plan);
		e->tx.sent = plan.sent;
		if (plan.announce && !(e->flags & FINAL)) {
			e->tx.b_announced = plan.blocked;
			say(e, plan.blocked ? SMCR_CDC_B : 0);
		}
	}
	if (e->flush != SMCR_CONN_EV_MAX && e->tx.sent == e->tx.queued) {
		enum smcr_conn_event ev = e->flush;

		e->flush = SMCR_CONN_EV_MAX;
		event(e, ev);
	}
}

static void tell_flags(struct end *e, u32 actions)
{
	u16 flags = 0;

	if (actions & SMCR_CONN_SEND_DONE)
		flags |= SMCR_CDC_D;
	if (actions & SMCR_CONN_SEND_CLOSE)
		flags |= SMCR_CDC_C;
	if (actions & SMCR_CONN_SEND_ABORT)
		flags |= SMCR_CDC_A;
	if (!flags)
		return;
	HOLDS(!(e->flags & FINAL));
	e->flags |= flags;
	say(e, 0);
}

static void event(struct end *e, enum smcr_conn_event ev)
{
	u32 actions;

	HOLDS(!smcr_conn_state_step(&e->fsm, ev, &actions));
	if (actions & SMCR_CONN_STOP_WRITES)
		e->silent = true;
	if (actions & SMCR_CONN_EOF)
		e->eof = true;
	if (actions & SMCR_CONN_RESET) {
		e->reset = true;
		e->tx.queued = e->tx.sent;
		e->flush = SMCR_CONN_EV_MAX;
	}
	tell_flags(e, actions);
	if (actions & SMCR_CONN_RESET_TCP)
		e->rst = true;
	if (actions & SMCR_CONN_FREE)
		e->freed = true;
	if (actions & SMCR_CONN_FLUSH) {
		e->flush = ev == SMCR_CONN_EV_APP_CLOSE ?
			   SMCR_CONN_EV_FLUSH_CLOSE : SMCR_CONN_EV_FLUSH_DONE;
		transmit(e);
	}
	if (actions & SMCR_CONN_SEND_ABORT)
		event(e, SMCR_CONN_EV_ABORT_SENT);
}

static void abort_orphan(struct end *e)
{
	if (e->orphan && e->cons != e->rx.prod)
		event(e, SMCR_CONN_EV_LOCAL_ABORT);
}

/* A message without data, like a reply to R; it replaces lost ones */
static void repeat(struct end *e, bool ask)
{
	if (!(e->flags & FINAL) && e->fsm.state != SMCR_CONN_CLOSED)
		say(e, (e->tx.b_announced ? SMCR_CDC_B : 0) | (ask ? SMCR_CDC_R : 0));
}

static void accepted(struct end *e, const struct smcr_cdc_result *res)
{
	smcr_cdc_apply(&e->rx, res);
	e->tx.peer_cons = e->rx.cons;
	if (res->flags & SMCR_CDC_R)
		smcr_tx_r_recv(&e->r);
	if (!(res->raised & FINAL))
		transmit(e);
	if (e->r.owed)
		repeat(e, false);
	if (res->raised & SMCR_CDC_A)
		event(e, SMCR_CONN_EV_PEER_ABORT);
	else if (res->raised & SMCR_CDC_C)
		event(e, e->tx.sent == e->tx.queued ? SMCR_CONN_EV_PEER_CLOSED :
						      SMCR_CONN_EV_PEER_CLOSED_UNSENT);
	else if (res->raised & SMCR_CDC_D)
		event(e, SMCR_CONN_EV_PEER_DONE);
	abort_orphan(e);
}

/* Message @i on the wire arrives now. It stays on the wire if it is to arrive
 * twice.
 */
static void deliver(struct end *e, unsigned int i, bool twice)
{
	struct smcr_cdc_limits lim = {
		.ring = e->ring, .peer_ring = e->tx.peer_ring, .cons = e->cons,
		.sent = e->tx.sent,
	};
	struct smcr_cdc_result res;
	enum smcr_cdc_verdict verdict;
	struct smcr_cdc_msg msg;

	if (i >= e->in.nr)
		return;
	HOLDS(!smcr_cdc_msg_decode(e->in.msg[i], SMCR_ROCE_MSG_LEN, &msg));
	if (!twice)
		memmove(e->in.msg[i], e->in.msg[i + 1],
			(--e->in.nr - i) * sizeof(e->in.msg[0]));
	if (e->fsm.state == SMCR_CONN_CLOSED)
		return;
	verdict = smcr_cdc_check(&e->rx, &lim, &msg, &res);
	HOLDS(!smcr_cdc_verdict_aborts(verdict));
	if (verdict == SMCR_CDC_ACCEPT)
		accepted(e, &res);
}

/* Message @i on the wire is lost, unless it has C or A: RoCE would repeat it */
static void lose(struct end *e, unsigned int i)
{
	struct smcr_cdc_msg msg;

	if (i >= e->in.nr)
		return;
	HOLDS(!smcr_cdc_msg_decode(e->in.msg[i], SMCR_ROCE_MSG_LEN, &msg));
	if (!(msg.flags & FINAL))
		memmove(e->in.msg[i], e->in.msg[i + 1],
			(--e->in.nr - i) * sizeof(e->in.msg[0]));
}

static void app_write(struct end *e, u32 len)
{
	if (e->ended || e->reset || e->silent || !smcr_conn_state_can_send(&e->fsm))
		return;
	for (; len && e->tx.queued - e->tx.peer_cons < e->room; len--)
		e->tx.queued++;
	transmit(e);
}

static void app_read(struct end *e, u32 len)
{
	struct smcr_rx_view view = { .ring = e->ring, .prod = e->rx.prod, .told = e->told };

	/* A stream that ended before the reset stays readable */
	if (e->orphan || (e->reset && !e->eof))
		return;
	for (; len && e->cons < e->rx.prod; len--) {
		HOLDS(e->element[smcr_cursor_offset(&e->ring, e->cons)] ==
		      byte_at(e->peer, e->cons));
		e->cons++;
	}
	if (e->eof && e->cons == e->rx.prod)
		HOLDS(e->cons == e->peer->tx.queued && e->peer->ended);
	if (e->reset)
		return;
	view.cons = e->cons;
	view.b = e->rx.flags & SMCR_CDC_B;
	view.r = e->r.wanted;
	if (smcr_rx_update_needed(&view) && !(e->flags & FINAL))
		say(e, e->tx.b_announced ? SMCR_CDC_B : 0);
}

static void app_shutdown(struct end *e)
{
	if (e->ended)
		return;
	e->ended = true;
	event(e, SMCR_CONN_EV_APP_SHUTDOWN);
}

static void app_close(struct end *e)
{
	if (e->orphan)
		return;
	e->ended = true;
	e->orphan = true;
	event(e, e->cons == e->rx.prod ? SMCR_CONN_EV_APP_CLOSE : SMCR_CONN_EV_LOCAL_ABORT);
}

static void tcp_reset(struct end *e)
{
	if (e->peer->rst)
		event(e, SMCR_CONN_EV_LOCAL_ABORT);
}

static void step(struct end *e, struct fuzz *in)
{
	u8 op = take8(in);

	switch (op % 16) {
	case 0: case 1: case 2:
		app_write(e, 1 + op / 16 * 5);
		break;
	case 3: case 4: case 5:
		app_read(e, 1 + op / 16 * 5);
		break;
	case 6: case 7: case 8: case 9:
		deliver(e, op / 16 % 4, op & 0x80);
		break;
	case 10:
		lose(e, op / 16);
		break;
	case 11: case 12:
		repeat(e, op & 0x80);
		break;
	case 13:
		app_shutdown(e);
		break;
	case 14:
		if (op & 0x80)
			app_close(e);
		break;
	default:
		tcp_reset(e);
		if (op == 0xFF)
			event(e, SMCR_CONN_EV_LOCAL_ABORT);
	}
}

static void arrive(struct end *e)
{
	while (e->in.nr)
		deliver(e, 0, false);
}

/* All messages on the wire arrive, and the programs read all bytes */
static void settle(struct end *a, struct end *b)
{
	unsigned int rounds;

	for (rounds = 0; rounds < 4 * MAX_RING; rounds++) {
		bool idle = !a->in.nr && !b->in.nr && a->tx.sent == a->tx.queued &&
			    b->tx.sent == b->tx.queued && a->cons == a->rx.prod &&
			    b->cons == b->rx.prod;

		if (rounds > 2 && idle)
			return;
		repeat(a, false);
		repeat(b, false);
		arrive(a);
		arrive(b);
		app_read(a, MAX_RING);
		app_read(b, MAX_RING);
	}
}

/* All bytes are read, unless the program has closed before they arrived */
static void check_all_read(const struct end *e)
{
	HOLDS(e->orphan || e->cons == e->peer->tx.queued);
}

static void finish(struct end *a, struct end *b)
{
	bool broken;

	settle(a, b);
	broken = a->reset || b->reset;
	if (!broken) {
		check_all_read(a);
		check_all_read(b);
	}
	app_close(a);
	app_close(b);
	settle(a, b);
	HOLDS(broken || (!a->reset && !b->reset));
	tcp_reset(a);
	tcp_reset(b);
	arrive(a);
	arrive(b);
	if (!broken) {
		HOLDS(a->freed && b->freed);
		return;
	}
	event(a, SMCR_CONN_EV_TIMEOUT);
	event(b, SMCR_CONN_EV_TIMEOUT);
	HOLDS(a->fsm.state == SMCR_CONN_CLOSED && b->fsm.state == SMCR_CONN_CLOSED);
}

static void start_end(struct end *e, struct end *peer, struct fuzz *in, enum smcr_dialect dialect)
{
	u32 size = smcr_dialect_origin(dialect) + 1 + take8(in) % MAX_RING;
	u64 begin = take64(in) >> (take8(in) | 8) % 64;

	memset(e, 0, sizeof(*e));
	e->peer = peer;
	e->ring = smcr_cursor_ring(size, dialect);
	e->cons = begin;
	e->told = begin;
	e->rx.prod = begin;
	e->flush = SMCR_CONN_EV_MAX;
	e->room = 1 + take8(in) % MAX_RING;
	take8(in);
	e->seq = take16(in);
}

static void join(struct end *a, const struct end *b)
{
	a->tx.peer_ring = b->ring;
	a->tx.queued = b->cons;
	a->tx.sent = b->cons;
	a->tx.peer_cons = b->cons;
	a->rx.cons = b->cons;
	a->rx.seq = b->seq;
	event(a, SMCR_CONN_EV_ESTABLISHED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz in = { data, size };
	enum smcr_dialect dialect = take_bool(&in) ? SMCR_DIALECT_LINUX : SMCR_DIALECT_RFC;
	struct end end[2];
	u8 turn;

	start_end(&end[0], &end[1], &in, dialect);
	start_end(&end[1], &end[0], &in, dialect);
	join(&end[0], &end[1]);
	join(&end[1], &end[0]);
	while (in.left) {
		turn = take8(&in);
		step(&end[turn & 1], &in);
	}
	finish(&end[0], &end[1]);
	return 0;
}
