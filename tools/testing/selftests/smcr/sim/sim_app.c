// SPDX-License-Identifier: GPL-2.0
/*
 * What the programs at the ends of a connection do, and what they must find:
 * each byte at its place, each urgent byte once, and the end of the stream after
 * the last byte.
 */
#include "sim.h"

/* @more: the program promises more bytes (MSG_MORE, TCP_CORK) */
void conn_write(struct host *h, struct conn *c, u32 len, bool urgent, bool more)
{
	u64 end = c->end;
	u32 early;

	if (!c->live || c->ended || c->reset || c->peer.flags & FINAL ||
	    !smcr_conn_state_can_send(&c->fsm))
		return;
	/* A long send() with MSG_OOB writes before its last byte is known */
	early = urgent && one_in(4) ? rnd_below(len + 1) : 0;
	if (early)
		smcr_urgent_tx_begin(&c->utx);
	for (; len && c->end - c->una < c->room && c->end < MAX_STREAM; len--) {
		c->end++;
		if (early && len == early)
			conn_push(h, c);
	}
	c->wants = len && c->end - c->una >= c->room;
	if (c->end != end)
		c->woken = false;
	if (urgent && c->end != end && !c->reset && !c->final) {
		smcr_urgent_tx_set(&c->utx, c->end);
		c->due = true;
	}
	if (early && smcr_urgent_tx_end(&c->utx))
		c->due = true;
	c->hold = more;
	if (c->hold && !c->cork_at && sim.bug != BUG_CORK_UNTIMED)
		c->cork_at = sim.now + CORK;
	conn_push(h, c);
}

static void update(struct host *h, struct conn *c, bool (*rule)(const struct smcr_rx_view *view))
{
	struct smcr_rx_view view = {
		.ring = c->ring, .prod = c->peer.prod, .told = c->told, .cons = conn_consumed(c),
		.b = c->peer.flags & SMCR_CDC_B, .r = c->r.wanted || conn_urgent_due(c),
	};

	/* No credit while a move is validated */
	if (c->reset || c->fo_rx.nr || c->final || c->flags & FINAL ||
	    !rule(&view))
		return;
	c->due = true;
	conn_push(h, c);
}

void conn_announced(struct host *h, struct conn *c)
{
	update(h, c, smcr_rx_update_overdue);
}

static void read_byte(struct host *h, struct conn *c, u8 byte)
{
	const struct host *o = other(h);

	if (byte != conn_byte_at(o, c, c->cons))
		TRACE("host %u conn %u: wrong byte at %llu of %llu", h->id, (u8)(c - h->conn),
		      c->cons, c->peer.prod);
	HOLDS(byte == conn_byte_at(o, c, c->cons));
	c->cons++;
	sim_bytes++;
}

/* Pass bytes that are not in the ring: all of them were urgent */
static void pass_urgent(struct host *h, struct conn *c, const struct smcr_urgent_part *part)
{
	const struct conn *p = peer_of(h, c);
	bool older = c->urx.bits & SMCR_URGENT_OLDER && c->urx.older == c->cons;
	u64 pos;

	HOLDS(part->next <= c->peer.prod);
	if (p->uid == c->uid)
		for (pos = c->cons; pos < part->next; pos++)
			HOLDS(p->urgent[pos] != ORDINARY);
	/* With SO_OOBINLINE the urgent byte is in the stream; a newer one does not take it out */
	HOLDS((part->place == SMCR_URGENT_APART) ==
	      (older || (c->in_line && part->next == c->urx.mark)));
	if (part->place == SMCR_URGENT_APART)
		read_byte(h, c, part->byte);
	else
		c->cons = part->next;
}

static void read_stream(struct host *h, struct conn *c, u32 len)
{
	const struct conn *p = peer_of(h, c);
	struct smcr_urgent_part part;

	while (len && c->cons < c->peer.prod) {
		smcr_urgent_rx_part(&c->urx, c->cons, c->peer.prod, c->in_line, &part);
		if (part.place != SMCR_URGENT_RING) {
			pass_urgent(h, c, &part);
			len--;
		}
		for (; c->cons < part.next && len; len--) {
			/* An urgent byte does not come as an ordinary one */
			HOLDS(p->uid != c->uid || p->urgent[c->cons] != URGENT);
			read_byte(h, c, conn_element(h, c)[smcr_cursor_offset(&c->ring, c->cons)]);
		}
		smcr_urgent_rx_passed(&c->urx, c->cons);
	}
}

/* A whole stream had each urgent byte */
static void check_urgent(const struct conn *c, const struct conn *p)
{
	u32 sure = 0, may = 0;
	u64 pos;

	for (pos = 0; pos < p->end; pos++) {
		sure += p->urgent[pos] == URGENT;
		may += p->urgent[pos] != ORDINARY;
	}
	HOLDS(c->nr_marks >= sure && c->nr_marks <= may);
}

void conn_read(struct host *h, struct conn *c, u32 len)
{
	const struct conn *p = peer_of(h, c);

	if (!c->live || c->orphan || (c->reset && !c->is_final))
		return;
	if (one_in(16))
		c->in_line = !c->in_line;
	/* The element of a connection that is over stays with its reader */
	if (c->over && h->rmb[c->rmb].elem[c->el].state != EL_HELD)
		return;
	read_stream(h, c, len);
	if (c->is_final && c->cons == c->peer.prod && p->uid == c->uid) {
		if (c->cons != p->end || !p->ended)
			TRACE("host %u conn %u: end at %llu, written %llu", h->id,
			      (u8)(c - h->conn), c->cons, p->end);
		HOLDS(c->cons == p->end && p->ended);
		check_urgent(c, p);
	}
	update(h, c, smcr_rx_update_needed);
}

/* recv(MSG_OOB) */
void conn_read_urgent(struct host *h, struct conn *c)
{
	if (!c->live || c->orphan || c->reset || c->in_line ||
	    !(c->urx.bits & SMCR_URGENT_UNREAD))
		return;
	HOLDS(c->urx.mark > c->oob);
	HOLDS(c->urx.byte == conn_byte_at(other(h), c, c->urx.mark - 1));
	c->oob = c->urx.mark;
	c->urx.bits &= ~SMCR_URGENT_UNREAD;
	sim_oobs++;
}

void conn_shutdown(struct host *h, struct conn *c)
{
	if (!c->live || c->ended)
		return;
	c->ended = true;
	conn_event(h, c, SMCR_CONN_EV_APP_SHUTDOWN);
}

void conn_close(struct host *h, struct conn *c)
{
	if (!c->live || c->orphan)
		return;
	c->ended = true;
	c->orphan = true;
	if (c->cons == c->peer.prod)
		conn_event(h, c, SMCR_CONN_EV_APP_CLOSE);
	else
		conn_abort(h, c);
}

void conn_abort(struct host *h, struct conn *c)
{
	if (!c->live)
		return;
	c->ended = true;
	c->orphan = true;
	conn_reset(h, c, "program");
}
