// SPDX-License-Identifier: GPL-2.0
/*
 * A connection's end, as conn_end.c, rx.c and cdc.c are with several links.
 * Bytes of a stream are coded by their position, so send space needs no memory;
 * that none below una is read is an invariant.
 */
#include "sim.h"

#define HOLD	(8 * RETRY)
/* Messages that a host has received are handled in less time than this */
#define PATIENCE	(4 * RETRY)

static void rx_steps(struct host *h, struct conn *c);

u8 conn_byte_at(const struct host *writer, const struct conn *c, u64 pos)
{
	return (u8)((pos + 131 * c->uid + 77 * writer->id + 1) * 0x9E3779B97F4A7C15ULL >> 56);
}

u8 *conn_element(struct host *h, const struct conn *c)
{
	return h->rmb[c->rmb].elem[c->el].mem;
}

/* The consumer position for the peer */
u64 conn_consumed(const struct conn *c)
{
	return smcr_urgent_rx_told(&c->urx, c->cons);
}

/* ---- opening ---- */

static bool take_element(struct host *h, struct conn *c, u8 i)
{
	u8 r, e;

	for (r = 0; r < RMBS; r++) {
		for (e = 0; e < ELEMS; e++) {
			struct elem *el = &h->rmb[r].elem[e];

			if (el->state != EL_FREE)
				continue;
			c->rmb = r;
			c->el = e;
			el->state = EL_USED;
			el->conn = i;
			return true;
		}
	}
	return false;
}

static u8 pick(const struct host *h, const struct conn *c, u8 but)
{
	struct smcr_failover_link cand[SMCR_MAX_LINKS];
	const struct conn *o;
	u32 rkey;
	u64 vaddr;
	int best;
	u8 i;

	for (i = 0; i < SMCR_MAX_LINKS; i++) {
		cand[i] = (struct smcr_failover_link){
			.slot = i, .active = h->link[i].state == LNK_ACTIVE && i != but,
			.complete = !smcr_rtoken_get(&h->tokens, c->peer_rmb, i, &rkey, &vaddr),
			.back = c->live && but == NONE && i == c->fo_tx.back &&
				sim.bug != BUG_NOT_BACK,
			.asymmetric = link_asymmetric(h, i),
		};
		for (o = h->conn; o < h->conn + MAX_CONNS; o++)
			cand[i].nr_conns += o->live && o->slot == i;
	}
	best = smcr_failover_pick(cand, SMCR_MAX_LINKS);
	return best < 0 ? NONE : (u8)best;
}

/* The peer's RMB of an element, by its key on a link of both ends */
static bool find_peer_rmb(struct host *h, struct conn *c, const struct conn *p)
{
	struct host *o = other(h);
	int id;
	u8 i, theirs;

	for (i = 0; i < SMCR_MAX_LINKS; i++) {
		theirs = h->link[i].state == LNK_ACTIVE ? link_by_wire(o, h->link[i].wire) : NONE;
		if (theirs == NONE || o->link[theirs].state != LNK_ACTIVE)
			continue;
		id = smcr_rtoken_find(&h->tokens, i, qp_of(o, theirs)->rkey[p->rmb]);
		if (id < 0)
			continue;
		c->peer_rmb = (u8)id;
		c->peer_el = p->el;
		return true;
	}
	return false;
}

static void start_end(struct host *h, struct conn *c, const struct conn *p, u16 seq, u16 peer_seq,
		      u8 slot)
{
	c->uid = sim.uid;
	c->peer_ring = p->ring;
	smcr_failover_tx_init(&c->fo_tx, true);
	smcr_failover_rx_init(&c->fo_rx, slot);
	c->fo_tx.ss = seq;
	c->seq = seq;
	c->peer.seq = peer_seq;
	c->room = 1 + rnd_below(2 * MAX_RING);
	c->in_line = one_in(3);
	HOLDS(!smcr_rtoken_claim(&h->tokens, c->peer_rmb, c->peer_el + 1));
	c->claimed = true;
	c->slot = slot;
	c->live = true;
}

static void drop_element(struct host *h, const struct conn *c)
{
	h->rmb[c->rmb].elem[c->el].state = EL_FREE;
}

/* The handshake is over at both ends at once; TCP carries it */
void conn_open(u8 i)
{
	struct conn *c[2] = { &sim.host[0].conn[i], &sim.host[1].conn[i] };
	u8 slot[2] = { NONE, NONE };
	u16 seq[2];
	u8 e;

	if (c[0]->live || c[1]->live || sim.host[0].dead || sim.host[1].dead)
		return;
	for (e = 0; e < 2; e++) {
		struct host *h = &sim.host[e];

		memset(c[e], 0, sizeof(*c[e]));
		c[e]->slot = NONE;
		if (!take_element(h, c[e], i)) {
			if (e)
				drop_element(&sim.host[0], c[0]);
			return;
		}
		c[e]->ring = smcr_cursor_ring(smcr_dialect_origin(sim.dialect) + 4 +
					      rnd_below(MAX_RING - 3), sim.dialect);
		seq[e] = one_in(2) ? 0 : (u16)(0xFFF0 + rnd_below(40));
	}
	/* The server names the link, and the client must have it, too */
	if (find_peer_rmb(&sim.host[0], c[0], c[1]) && find_peer_rmb(&sim.host[1], c[1], c[0]))
		slot[0] = pick(&sim.host[0], c[0], NONE);
	if (slot[0] != NONE)
		slot[1] = link_by_wire(&sim.host[1], sim.host[0].link[slot[0]].wire);
	if (slot[1] == NONE || sim.host[1].link[slot[1]].state != LNK_ACTIVE) {
		drop_element(&sim.host[0], c[0]);
		drop_element(&sim.host[1], c[1]);
		return;
	}
	sim.uid++;
	start_end(&sim.host[0], c[0], c[1], seq[0], seq[1], slot[0]);
	start_end(&sim.host[1], c[1], c[0], seq[1], seq[0], slot[1]);
	TRACE("conn %u (uid %u) opens, rings %u and %u, slots %u and %u", i, sim.uid,
	      c[0]->ring.len, c[1]->ring.len, c[0]->slot, c[1]->slot);
	for (e = 0; e < 2; e++)
		conn_event(&sim.host[e], c[e], SMCR_CONN_EV_ESTABLISHED);
}

/* ---- moving ---- */

/* @from: the link that it leaves, unless that has failed */
static void start_move(struct host *h, struct conn *c, u8 to, u8 from)
{
	struct smcr_failover_move move = {
		.una = c->una, .nxt = c->nxt, .seq = c->seq, .ring_len = c->peer_ring.len,
		.until = sim.now + RETRY, .in_order = from,
		.silent = c->peer.flags & FINAL || c->flags & SMCR_CDC_A || c->reset,
	};

	c->slot = to;
	sim_moves++;
	if (sim.bug != BUG_URGENT_ONCE)
		smcr_urgent_tx_moved(&c->utx, c->peer.cons);
	if (smcr_failover_tx_move(&c->fo_tx, &move) || !c->final) {
		c->final = false;
		c->due = true;
	}
	c->signaled = c->una;
	c->merging = false;
	c->corked = false;
	c->leaving = false;
	TRACE("host %u conn %u: moves to slot %u, una %llu nxt %llu end %llu seq %u ss %u cap %llu",
	      h->id, (u8)(c - h->conn), to, c->una, c->nxt, c->end, c->seq, c->fo_tx.ss,
	      c->fo_tx.cap);
	conn_push(h, c);
}

/* No message is left that a move would repeat */
static bool at_rest(const struct conn *c)
{
	return c->fsm.state == SMCR_CONN_CLOSED && !c->due &&
	       smcr_failover_tx_quiet(&c->fo_tx, c->seq);
}

static void find_link(struct host *h, struct conn *c)
{
	u8 to = at_rest(c) || c->mute ? NONE : pick(h, c, NONE);

	if (to != NONE)
		start_move(h, c, to, SMCR_FAILOVER_NO_LINK);
}

void conn_link_failed(struct host *h, u8 slot)
{
	struct conn *c;

	for (c = h->conn; c < h->conn + MAX_CONNS; c++) {
		if (!c->live || c->slot != slot)
			continue;
		c->slot = NONE;
		find_link(h, c);
	}
}

void conn_rebalance(struct host *h, struct conn *c)
{
	u8 to;

	if (!c->live || c->slot == NONE || at_rest(c) || c->fsm.state == SMCR_CONN_INIT ||
	    c->una != c->nxt || !smcr_failover_tx_quiet(&c->fo_tx, c->seq))
		return;
	to = pick(h, c, c->slot);
	if (to != NONE)
		start_move(h, c, to, c->slot);
}

void conn_link_drained(struct host *h, u8 slot)
{
	struct conn *c;

	for (c = h->conn; c < h->conn + MAX_CONNS; c++) {
		if (!c->live)
			continue;
		HOLDS(c->slot != slot);
		smcr_failover_rx_drained(&c->fo_rx, slot);
		rx_steps(h, c);
	}
}

/* ---- the end ---- */

static void give_element(struct host *h, struct conn *c, bool held)
{
	struct elem *el = &h->rmb[c->rmb].elem[c->el];

	HOLDS(el->state == EL_USED && el->conn == c - h->conn);
	if (sim.bug == BUG_EARLY_REUSE && !held) {
		el->state = EL_FREE;
	} else {
		el->state = EL_HELD;
		el->until = sim.now + HOLD;
	}
	c->over = true;
	if (c->claimed)
		smcr_rtoken_release(&h->tokens, c->peer_rmb, c->peer_el + 1);
	c->claimed = false;
}

void conn_event(struct host *h, struct conn *c, enum smcr_conn_event ev)
{
	u32 actions;

	HOLDS(!smcr_conn_state_step(&c->fsm, ev, &actions));
	if (actions & SMCR_CONN_STOP_WRITES)
		c->silent = true;
	if (actions & SMCR_CONN_RESET) {
		c->reset = true;
		c->flush = FLUSH_NONE;
	}
	if (actions & SMCR_CONN_RESET || c->peer.flags & FINAL)
		smcr_failover_tx_silence(&c->fo_tx);
	if (actions & SMCR_CONN_RESET && !(actions & SMCR_CONN_SEND_ABORT))
		c->mute = true;
	if (actions & SMCR_CONN_FLUSH)
		c->flush = ev == SMCR_CONN_EV_APP_CLOSE ? FLUSH_CLOSE :
			   c->flush == FLUSH_NONE ? FLUSH_DONE : c->flush;
	if (actions & (SMCR_CONN_SEND_DONE | SMCR_CONN_SEND_CLOSE | SMCR_CONN_SEND_ABORT)) {
		HOLDS(!(c->flags & FINAL));
		if (actions & SMCR_CONN_SEND_DONE)
			c->flags |= SMCR_CDC_D;
		if (actions & SMCR_CONN_SEND_CLOSE)
			c->flags |= SMCR_CDC_C;
		if (actions & SMCR_CONN_SEND_ABORT)
			c->flags |= SMCR_CDC_A;
		c->due = true;
	}
	if (actions & SMCR_CONN_RESET_TCP)
		c->rst_sent = true;
	if (actions & SMCR_CONN_CLOSE_TCP)
		c->fin_due = true;
	if (actions & (SMCR_CONN_FREE | SMCR_CONN_QUARANTINE))
		give_element(h, c, actions & SMCR_CONN_QUARANTINE);
	if (actions)
		TRACE("host %u conn %u: event %u, state %u, actions %x", h->id, (u8)(c - h->conn),
		      ev, c->fsm.state, actions);
	if (actions & SMCR_CONN_FLUSH || c->due)
		conn_push(h, c);
}

static bool harmless(const struct conn *c)
{
	return c->fsm.peer_closed && c->end == c->peer.cons &&
	       (c->fsm.state == SMCR_CONN_APPL_CLOSE_WAIT1 ||
		c->fsm.state == SMCR_CONN_APPL_CLOSE_WAIT2 ||
		c->fsm.state == SMCR_CONN_APPL_FIN_CLOSE_WAIT);
}

void conn_reset(struct host *h, struct conn *c, const char *why)
{
	if (c->fsm.state == SMCR_CONN_CLOSED)
		return;
	TRACE("host %u conn %u: reset: %s", h->id, (u8)(c - h->conn), why);
	if (!c->why)
		c->why = why;
	conn_event(h, c, SMCR_CONN_EV_LOCAL_ABORT);
}

/* The group has ended, and all links are drained */
void conn_lost(struct host *h, struct conn *c)
{
	if (!c->live)
		return;
	c->slot = NONE;
	HOLDS(!c->fo_rx.nr);
	if (!c->why)
		c->why = "group";
	if (c->fsm.state == SMCR_CONN_CLOSED)
		c->rst_sent |= c->fin_due && !c->fin_sent;
	else
		conn_event(h, c, harmless(c) ? SMCR_CONN_EV_PEER_GONE : SMCR_CONN_EV_LINK_LOST);
	c->fin_due = false;
}

void conn_timeout(struct host *h, struct conn *c)
{
	if (c->live && c->fsm.state != SMCR_CONN_CLOSED)
		conn_event(h, c, SMCR_CONN_EV_TIMEOUT);
}

/* TCP: a FIN when all is confirmed; what the peer sent arrives some time */
void conn_tcp(struct host *h, struct conn *c)
{
	struct conn *p = peer_of(h, c);
	struct elem *el = &h->rmb[c->rmb].elem[c->el];

	if (!c->live)
		return;
	if (c->fin_due && !c->fin_sent && at_rest(c))
		c->fin_sent = true;
	if (p->uid == c->uid) {
		c->fin_seen |= p->fin_sent;
		if (p->rst_sent && !c->rst_seen) {
			c->rst_seen = true;
			if (harmless(c))
				conn_event(h, c, SMCR_CONN_EV_PEER_GONE);
			else
				conn_reset(h, c, "tcp");
		}
	}
	if (!c->over)
		return;
	/* Final bytes stay readable */
	if (!c->orphan && c->is_final && c->cons != c->peer.prod)
		return;
	if (el->state == EL_HELD && el->conn == (u8)(c - h->conn) &&
	    (sim.now >= el->until || (c->fin_seen && !c->rst_sent && !c->rst_seen)))
		el->state = EL_FREE;
	/* The last reference goes with the last message */
	if ((el->state != EL_HELD || el->conn != (u8)(c - h->conn)) &&
	    (c->fin_sent || c->rst_sent) && (at_rest(c) || c->slot == NONE || c->rst_sent) &&
	    (p->uid != c->uid || !p->live || p->fin_seen || p->rst_seen || p->over))
		c->live = false;
}

/* ---- receiving ---- */

static void raised(struct host *h, struct conn *c, u16 flags)
{
	if (flags & (SMCR_CDC_D | SMCR_CDC_C) && !(flags & SMCR_CDC_A) && !c->reset)
		c->is_final = true;
	if (flags & SMCR_CDC_C && c->nxt != c->end && !c->why)
		c->why = "unsent";
	if (flags & SMCR_CDC_A)
		conn_event(h, c, SMCR_CONN_EV_PEER_ABORT);
	else if (flags & SMCR_CDC_C)
		conn_event(h, c, c->nxt != c->end ? SMCR_CONN_EV_PEER_CLOSED_UNSENT :
					       SMCR_CONN_EV_PEER_CLOSED);
	else if (flags & SMCR_CDC_D)
		conn_event(h, c, SMCR_CONN_EV_PEER_DONE);
}

/* The peer waits until an urgent byte is consumed */
bool conn_urgent_due(const struct conn *c)
{
	return c->urx.mark > c->told && c->urx.mark <= conn_consumed(c);
}

/* Before the producer position @prod is stored */
static void urgent_recv(struct host *h, struct conn *c, u16 flags, u64 prod)
{
	bool can = smcr_conn_state_can_recv(&c->fsm);
	const struct conn *p = peer_of(h, c);
	u64 mark = c->urx.mark;
	u8 byte = 0;

	if (flags & SMCR_CDC_A || (!can && !(flags & SMCR_CDC_U)))
		return;
	if (can && flags & SMCR_CDC_U && prod > c->cons)
		byte = conn_element(h, c)[smcr_cursor_offset(&c->ring, prod - 1)];
	/* A reader that has P and no byte left is not at the mark. An end that
	 * reads no more takes no notice that P is gone.
	 */
	HOLDS(!can || !(flags & SMCR_CDC_U) || prod != c->peer.prod + 1 ||
	      !(c->urx.bits & SMCR_URGENT_PENDING));
	smcr_urgent_rx_recv(&c->urx, flags, prod, c->cons, byte, c->in_line);
	if (c->urx.mark != mark) {
		/* It is urgent, at its place, and comes once */
		HOLDS(c->urx.mark > mark && p->uid == c->uid &&
		      p->urgent[c->urx.mark - 1] != ORDINARY);
		/* A peer that moves repeats no byte for an end that has closed */
		HOLDS(c->orphan || !can || prod <= c->cons ||
		      c->urx.byte == conn_byte_at(other(h), c, c->urx.mark - 1));
		c->nr_marks++;
	}
	if (can && conn_urgent_due(c) && !c->fo_rx.nr)
		c->due = true;
}

static void accepted(struct host *h, struct conn *c, struct smcr_cdc_result *res)
{
	bool more = res->prod != c->peer.prod;
	u64 mark = c->urx.mark;

	/* Bytes that A announces may not be here, and nobody may read them */
	if (res->raised & SMCR_CDC_A)
		res->prod = c->peer.prod;
	/* Nothing came behind an urgent byte that this end did not consume */
	HOLDS(res->prod == c->peer.prod || c->told >= mark);
	urgent_recv(h, c, res->flags, res->prod);
	smcr_cdc_apply(&c->peer, res);
	if (res->flags & SMCR_CDC_R) {
		smcr_tx_r_recv(&c->r);
		c->due |= !c->final;
	}
	if (sim.bug == BUG_SS_CURSOR && res->cons == c->nxt)
		smcr_failover_tx_done(&c->fo_tx, c->seq, c->nxt, true);
	conn_reclaim(c, res->cons);
	smcr_failover_tx_consumed(&c->fo_tx, res->cons);
	if (!(res->raised & FINAL)) {
		if (more)
			conn_announced(h, c);
		conn_push(h, c);
	}
	if (more && (c->fsm.we_closed || c->flush == FLUSH_CLOSE))
		conn_reset(h, c, "unread");
	if (res->raised)
		raised(h, c, res->raised);
}

static void handle(struct host *h, struct conn *c, u8 slot, const struct smcr_cdc_msg *msg,
		   bool new_link)
{
	struct smcr_cdc_limits lim = {
		.ring = c->ring, .peer_ring = c->peer_ring, .cons = conn_consumed(c),
		.sent = c->nxt, .urgent = c->urx.mark, .new_link = new_link,
	};
	struct smcr_cdc_result res;
	enum smcr_cdc_verdict verdict = smcr_cdc_check(&c->peer, &lim, msg, &res);

	TRACE("host %u conn %u: got seq %u flags %04x over slot %u: %s", h->id, (u8)(c - h->conn),
	      msg->seq, msg->flags, slot, smcr_cdc_verdict_name(verdict));
	/* Both ends keep to the protocol, so no message is impossible */
	HOLDS(!smcr_cdc_verdict_aborts(verdict));
	if (verdict != SMCR_CDC_ACCEPT)
		return;
	if (new_link)
		smcr_failover_rx_accepted(&c->fo_rx, slot);
	accepted(h, c, &res);
}

/* A reset for lost data is right only if an adapter lied, or if the peer has
 * moved more often than this end can keep apart
 */
static void bytes_lost(struct host *h, struct conn *c)
{
	if (c->reset)
		return;
	TRACE("host %u conn %u: lost", h->id, (u8)(c - h->conn));
	HOLDS(c->lossy || peer_of(h, c)->lossy || c->crowded);
	sim_crowded += c->crowded;
	conn_reset(h, c, "data lost");
}

static bool draining(const struct host *h)
{
	u8 i;

	for (i = 0; i < SMCR_MAX_LINKS; i++)
		if (h->link[i].state == LNK_FAILED)
			return true;
	return false;
}

/* What was held back while the peer's move was validated */
static void credit(struct host *h, struct conn *c)
{
	if (c->told == conn_consumed(c) || !smcr_conn_state_can_recv(&c->fsm))
		return;
	c->due = true;
	conn_push(h, c);
}

/* Does the peer take a link for failed, or will it? */
static bool link_left(const struct host *h, u8 slot)
{
	const struct wire *w = &sim.wire[h->link[slot].wire];

	return !w->up || w->qp[!h->id].state != QP_RTS;
}

static void rx_steps(struct host *h, struct conn *c)
{
	struct smcr_cdc_msg msg;

	if (!c->fo_rx.nr)
		return;
	while (c->fsm.state != SMCR_CONN_CLOSED) {
		u8 slot = c->fo_rx.link;

		switch (smcr_failover_rx_step(&c->fo_rx, &c->peer, sim.now, draining(h),
					      links_active(h), &msg)) {
		case SMCR_FAILOVER_NONE:
			credit(h, c);
			return;
		case SMCR_FAILOVER_WAIT:
			return;
		case SMCR_FAILOVER_DRAIN:
			if (sim.bug == BUG_NO_DRAIN) {
				smcr_failover_rx_drained(&c->fo_rx, slot);
				break;
			}
			sim_drains += h->link[slot].state == LNK_ACTIVE;
			/* F must not cost a link that is in order, unless an adapter lied */
			HOLDS(link_left(h, slot) || c->lossy || peer_of(h, c)->lossy);
			link_fail(h, slot, "F");
			return;
		case SMCR_FAILOVER_RESET:
			bytes_lost(h, c);
			c->fo_rx.nr = 0;
			return;
		case SMCR_FAILOVER_TAKE:
			handle(h, c, c->fo_rx.link, &msg, false);
			break;
		default:
			break;
		}
	}
	c->fo_rx.nr = 0;
}

void conn_recv(struct host *h, u8 slot, const u8 *buf)
{
	struct smcr_cdc_msg msg;
	struct conn *c;

	HOLDS(!smcr_cdc_msg_decode(buf, SMCR_ROCE_MSG_LEN, &msg));
	for (c = h->conn; c < h->conn + MAX_CONNS; c++)
		if (c->live && c->uid == msg.alert_token)
			break;
	if (c == h->conn + MAX_CONNS || c->fsm.state == SMCR_CONN_CLOSED)
		return;
	if (sim.bug == BUG_F_IGNORED) {
		if (!(msg.flags & SMCR_CDC_F))
			handle(h, c, slot, &msg, false);
		return;
	}
	switch (smcr_failover_rx_recv(&c->fo_rx, &c->peer, slot, &msg,
				      links_active(h) > 1 || draining(h), sim.now + PATIENCE)) {
	case SMCR_FAILOVER_HANDLE:
		handle(h, c, slot, &msg, false);
		break;
	case SMCR_FAILOVER_HANDLE_NEW:
		handle(h, c, slot, &msg, true);
		break;
	case SMCR_FAILOVER_LOST:
		bytes_lost(h, c);
		return;
	case SMCR_FAILOVER_OVERFLOW:
		c->crowded = true;
		link_fail(h, slot, "overflow");
		return;
	case SMCR_FAILOVER_PARKED:
		TRACE("host %u conn %u: parked seq %u flags %04x of slot %u", h->id,
		      (u8)(c - h->conn), msg.seq, msg.flags, slot);
		break;
	default:
		break;
	}
	rx_steps(h, c);
}

void conn_timer(struct host *h, struct conn *c)
{
	if (!c->live)
		return;
	rx_steps(h, c);
	if (c->cork_at && sim.now >= c->cork_at) {
		c->cork_at = 0;
		c->hold = false;
	}
	if (c->woken_at && sim.now >= c->woken_at) {
		c->woken_at = 0;
		c->woken = false;
	}
	/* Found no link when its own failed, and one has come since */
	if (c->slot == NONE && !h->dead)
		find_link(h, c);
	conn_push(h, c);
}

/* Something is under way that only time or messages can end */
bool conn_busy(const struct conn *c)
{
	if (!c->live || c->reset)
		return false;
	if (c->fsm.state == SMCR_CONN_CLOSED)
		return !c->fin_sent;
	if (c->fo_rx.nr || c->due || c->flush != FLUSH_NONE)
		return true;
	if (c->nxt != c->end && !(c->peer.flags & FINAL))
		return true;
	return !c->orphan && c->cons != c->peer.prod;
}

/* All is quiet: the streams are whole, or both ends know that they are not */
void conn_check_end(struct host *h, struct conn *c)
{
	struct conn *p = peer_of(h, c);
	bool broken;

	if (!c->live || !p->live || c->uid != p->uid)
		return;
	broken = c->reset || p->reset;
	HOLDS(broken == (c->rst_sent || p->rst_sent) || sim.host[0].dead || sim.host[1].dead);
	if (broken) {
		sim_resets++;
		HOLDS(c->why || p->why);
		return;
	}
	HOLDS(c->orphan || c->cons == p->end || c->flags & FINAL);
}
