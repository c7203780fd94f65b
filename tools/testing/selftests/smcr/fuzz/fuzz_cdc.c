// SPDX-License-Identifier: GPL-2.0
/*
 * CDC messages on a model connection: its application reads and writes, the
 * peer sends whatever the input says. Each verdict must equal that of a second,
 * slower implementation, and no accepted cursor may leave the ring.
 */
#include "cdc_msg.h"
#include "fuzz.h"

/**
 * struct model - one end of a connection
 * @rx: receive side, under test
 * @lim: limits for the peer's cursors
 * @done: D has arrived
 * @end: producer position that arrived with D
 */
struct model {
	struct smcr_cdc_rx rx;
	struct smcr_cdc_limits lim;
	bool done;
	u64 end;
};

static struct smcr_ring take_ring(struct fuzz *in)
{
	static const u32 sizes[] = {
		5, 6, 16, 100, 1000, 16384, 524288, 0x20000000, 131072
	};
	u32 size = sizes[take_below(in, ARRAY_SIZE(sizes))];

	return smcr_cursor_ring(size, take_bool(in) ? SMCR_DIALECT_LINUX : SMCR_DIALECT_RFC);
}

/* Start in the middle of a connection, perhaps near a wrap of the wrap count */
static u64 take_start(struct fuzz *in, const struct smcr_ring *ring)
{
	u64 turns = (u64)take16(in) + (take_bool(in) ? 0x10000 : 0);

	return turns * ring->len + take32(in) % ring->len;
}

static void start(struct model *m, struct fuzz *in)
{
	memset(m, 0, sizeof(*m));
	m->lim.ring = take_ring(in);
	m->lim.peer_ring = take_ring(in);
	m->rx.prod = take_start(in, &m->lim.ring);
	m->rx.cons = take_start(in, &m->lim.peer_ring);
	m->rx.seq = take16(in);
	m->lim.cons = m->rx.prod;
	m->lim.sent = m->rx.cons;
}

/* Find a cursor's position by comparisons, where the code under test divides */
static bool reachable(const struct smcr_ring *ring, struct smcr_cursor cur, u64 old, u64 *pos)
{
	struct smcr_cursor was = smcr_cursor_from_pos(ring, old);
	s64 ahead = (s64)cur.off - was.off;

	if (cur.off < ring->origin || cur.off >= ring->origin + ring->len)
		return false;
	if (cur.wrap == (u16)(was.wrap + 1))
		ahead += ring->len;
	else if (cur.wrap != was.wrap)
		return false;
	if (ahead < 0 || ahead > ring->len)
		return false;
	*pos = old + (u64)ahead;
	return true;
}

static enum smcr_cdc_verdict judge(const struct model *m, const struct smcr_cdc_msg *msg)
{
	unsigned int ahead = (u16)(msg->seq - m->rx.seq);
	u64 prod, cons;

	if (m->rx.flags & (SMCR_CDC_C | SMCR_CDC_A))
		return SMCR_CDC_CLOSED;
	if (!ahead || ahead >= 0x8000)
		return SMCR_CDC_STALE;
	if (m->lim.new_link && ahead > 1)
		return SMCR_CDC_DATA_LOST;
	if (!reachable(&m->lim.ring, msg->prod, m->rx.prod, &prod) ||
	    prod > m->lim.cons + m->lim.ring.len)
		return SMCR_CDC_BAD_PROD;
	if (!reachable(&m->lim.peer_ring, msg->cons, m->rx.cons, &cons) || cons > m->lim.sent)
		return SMCR_CDC_BAD_CONS;
	if (m->done && prod != m->end)
		return SMCR_CDC_AFTER_DONE;
	if (!(msg->flags & SMCR_CDC_U) || (prod && prod == m->lim.urgent))
		return SMCR_CDC_ACCEPT;
	if (prod == m->rx.prod && !(m->rx.flags & SMCR_CDC_P))
		return SMCR_CDC_BAD_URGENT;
	if (m->lim.urgent > m->lim.cons)
		return SMCR_CDC_BAD_URGENT;
	return SMCR_CDC_ACCEPT;
}

static void check_codec(const uint8_t *buf, const struct smcr_cdc_msg *msg)
{
	uint8_t again[SMCR_ROCE_MSG_LEN], two[SMCR_ROCE_MSG_LEN];
	struct smcr_cdc_msg back;

	memset(again, 0x5A, sizeof(again));
	memset(two, 0xA5, sizeof(two));
	smcr_cdc_msg_encode(again, msg);
	smcr_cdc_msg_encode(two, msg);
	HOLDS(!memcmp(again, two, sizeof(two)));
	HOLDS(again[0] == buf[0] && again[1] == buf[1]);
	HOLDS(!smcr_cdc_msg_decode(again, sizeof(again), &back));
	HOLDS(back.seq == msg->seq && back.alert_token == msg->alert_token &&
	      back.prod.off == msg->prod.off && back.prod.wrap == msg->prod.wrap &&
	      back.cons.off == msg->cons.off && back.cons.wrap == msg->cons.wrap &&
	      back.flags == msg->flags);
}

static void check_accepted(struct model *m, const struct smcr_cdc_msg *msg,
			   const struct smcr_cdc_result *res)
{
	struct smcr_cursor prod = smcr_cursor_from_pos(&m->lim.ring, res->prod);
	struct smcr_cursor cons = smcr_cursor_from_pos(&m->lim.peer_ring, res->cons);
	u16 before = m->rx.flags, sticky = SMCR_CDC_D | SMCR_CDC_C | SMCR_CDC_A;

	HOLDS(prod.off == msg->prod.off && prod.wrap == msg->prod.wrap);
	HOLDS(cons.off == msg->cons.off && cons.wrap == msg->cons.wrap);
	HOLDS(res->prod >= m->rx.prod && res->cons >= m->rx.cons);
	HOLDS(res->raised == (u16)(msg->flags & sticky & ~before));
	HOLDS((u16)(m->rx.seq + 1 + res->gap) == msg->seq);
	smcr_cdc_apply(&m->rx, res);
	HOLDS(m->rx.prod == res->prod && m->rx.cons == res->cons && m->rx.seq == msg->seq);
	HOLDS((m->rx.flags & sticky) == ((before | msg->flags) & sticky));
	HOLDS((m->rx.flags & ~sticky) == (msg->flags & ~sticky));
	if (msg->flags & SMCR_CDC_U)
		m->lim.urgent = res->prod;
	if (msg->flags & SMCR_CDC_D && !m->done) {
		m->done = true;
		m->end = res->prod;
	}
}

static void receive(struct model *m, const uint8_t *buf, size_t len)
{
	enum smcr_cdc_verdict verdict, want;
	struct smcr_cdc_result res;
	struct smcr_cdc_msg msg;
	struct smcr_cdc_rx before;

	if (smcr_cdc_msg_decode(buf, len, &msg)) {
		HOLDS(len != SMCR_ROCE_MSG_LEN || buf[0] != SMCR_CDC_TYPE ||
		      buf[1] != SMCR_ROCE_MSG_LEN);
		return;
	}
	check_codec(buf, &msg);
	before = m->rx;
	want = judge(m, &msg);
	verdict = smcr_cdc_check(&m->rx, &m->lim, &msg, &res);
	HOLDS(verdict == want);
	HOLDS(strcmp(smcr_cdc_verdict_name(verdict), "unknown"));
	HOLDS(!memcmp(&before, &m->rx, sizeof(before)));
	if (verdict != SMCR_CDC_ACCEPT)
		return;
	check_accepted(m, &msg, &res);
	m->lim.new_link = false;
}

/* A message that is nearly right, so that it gets past the first check */
static void send_near(struct model *m, struct fuzz *in)
{
	struct smcr_cdc_msg msg = { .alert_token = 1 };
	uint8_t buf[SMCR_ROCE_MSG_LEN];
	u8 odd = take8(in);

	msg.seq = (u16)(m->rx.seq + 1 + (odd & 1 ? take16(in) : 0));
	msg.prod = smcr_cursor_from_pos(&m->lim.ring,
					m->rx.prod + take32(in) % (m->lim.ring.len + 1));
	msg.cons = smcr_cursor_from_pos(&m->lim.peer_ring,
					m->rx.cons + take32(in) % (m->lim.sent - m->rx.cons + 1));
	msg.flags = odd & 2 ? take16(in) : 0;
	if (odd & 4)
		msg.prod.wrap = (u16)(msg.prod.wrap + take8(in) - 128);
	if (odd & 8)
		msg.cons.wrap = (u16)(msg.cons.wrap + take8(in) - 128);
	if (odd & 16)
		msg.prod.off = msg.prod.off + take8(in) - 128;
	if (odd & 32)
		msg.cons.off = msg.cons.off + take8(in) - 128;
	smcr_cdc_msg_encode(buf, &msg);
	receive(m, buf, sizeof(buf));
}

static void send_raw(struct model *m, struct fuzz *in)
{
	uint8_t raw[SMCR_ROCE_MSG_LEN + 4], *copy;
	size_t len = SMCR_ROCE_MSG_LEN;

	take(in, raw, len);
	if (raw[1] != SMCR_ROCE_MSG_LEN)
		len = raw[1] % sizeof(raw);
	copy = exact(raw, len);
	receive(m, copy, len);
	free(copy);
}

static void step(struct model *m, struct fuzz *in)
{
	u64 room;

	switch (take8(in) % 8) {
	case 0:
		room = m->rx.prod - m->lim.cons;
		m->lim.cons += take32(in) % (room + 1);
		break;
	case 1:
		room = smcr_cursor_window(&m->lim.peer_ring, m->lim.sent, m->rx.cons);
		m->lim.sent += take32(in) % (room + 1);
		break;
	case 2:
		m->lim.new_link = true;
		break;
	case 3:
		send_raw(m, in);
		break;
	default:
		send_near(m, in);
	}
	HOLDS(m->rx.prod >= m->lim.cons && m->rx.prod - m->lim.cons <= m->lim.ring.len);
	HOLDS(m->rx.cons <= m->lim.sent && m->lim.sent - m->rx.cons <= m->lim.peer_ring.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz in = { data, size };
	struct model m;

	start(&m, &in);
	while (in.left)
		step(&m, &in);
	return 0;
}
