// SPDX-License-Identifier: GPL-2.0
/*
 * The send side of a connection's end, as tx.c is: what goes out, what waits,
 * and for what.
 */
#include "sim.h"

static void encode(struct conn *c, struct op *op, u64 prod, u16 flags)
{
	struct smcr_cdc_msg msg = {
		.seq = (u16)(c->seq + 1), .alert_token = c->uid, .flags = flags,
		.prod = smcr_cursor_from_pos(&c->peer_ring, prod),
		.cons = smcr_cursor_from_pos(&c->ring, conn_consumed(c)),
	};

	smcr_cdc_msg_encode(op->data, &msg);
}

static void post_f(struct host *h, struct conn *c)
{
	struct op op = { .kind = OP_CDC, .conn = (u8)(c - h->conn), .uid = c->uid };
	struct smcr_cdc_msg msg;

	smcr_failover_tx_f(&c->fo_tx, c->uid, &msg);
	smcr_cdc_msg_encode(op.data, &msg);
	qp_post(h, c->slot, &op);
	c->fo_tx.f_due = false;
	TRACE("host %u conn %u: F, seq %u, over slot %u; una %llu mark %llu", h->id, op.conn,
	      msg.seq, c->slot, c->una, c->fo_tx.mark);
}

/* Post the first @n writes of a plan */
static void post_writes(struct host *h, struct conn *c, const struct smcr_tx_plan *plan, u32 n,
			u64 pos)
{
	struct op op = { .kind = OP_WRITE, .conn = (u8)(c - h->conn), .uid = c->uid };
	u32 i, at;
	u64 vaddr;

	HOLDS(!smcr_rtoken_get(&h->tokens, c->peer_rmb, c->slot, &op.rkey, &vaddr));
	for (i = 0; i < n; i++) {
		op.vaddr = vaddr + c->peer_el * (MAX_RING + SMCR_RMBE_EYE_LEN) +
			   plan->seg[i].remote;
		op.len = plan->seg[i].len;
		for (at = 0; at < op.len; at++) {
			HOLDS(pos >= c->una && pos < c->end);
			op.data[at] = conn_byte_at(h, c, pos++);
		}
		qp_post(h, c->slot, &op);
	}
}

/* The message announces the byte before @pos as urgent */
static void note_urgent(struct conn *c, u64 pos, bool fresh)
{
	HOLDS(pos && pos <= c->end);
	if (c->urgent[pos - 1] != ORDINARY)
		return;
	c->urgent[pos - 1] = fresh ? URGENT : LATE;
	sim_urgents++;
}

static void announced(struct conn *c, const struct smcr_tx_plan *plan, u16 flags)
{
	if (flags & SMCR_CDC_U)
		note_urgent(c, plan->sent, plan->sent > c->nxt);
	/* Nothing goes behind an urgent byte that the peer has not consumed */
	if (sim.bug != BUG_URGENT_NO_LIMIT)
		HOLDS(c->peer.cons >= c->utx.mark || plan->sent <= c->utx.mark);
	smcr_urgent_tx_posted(&c->utx, plan->sent, flags);
}

static struct smcr_tx_line line(const struct conn *c)
{
	return (struct smcr_tx_line){
		.una = c->una, .nxt = c->nxt, .end = c->end, .signaled = c->signaled,
	};
}

/* The link fails within a chain: the message is not posted */
static void post_part(struct host *h, struct conn *c, const struct smcr_tx_plan *plan, u64 from)
{
	TRACE("host %u conn %u: a part of %llu to %llu over slot %u", h->id, (u8)(c - h->conn),
	      from, plan->sent, c->slot);
	post_writes(h, c, plan, 1 + rnd_below(plan->nr_segs), from);
	qp_break(h, c->slot);
	if (sim.bug != BUG_PART_UNTOLD)
		smcr_failover_tx_part(&c->fo_tx, plan->sent);
	c->stopped = true;
	sim_parts++;
}

/* Post a chain of writes and its message; without message if @flags is NULL */
static bool post(struct host *h, struct conn *c, const struct smcr_tx_plan *plan, u64 from,
		 const u16 *flags)
{
	struct op op = {
		.kind = OP_CDC, .conn = (u8)(c - h->conn), .uid = c->uid, .numbered = true,
	};
	struct smcr_tx_line at = line(c);

	c->stopped = !qp_room(h, c->slot, plan->nr_segs + 1U);
	if (c->stopped)
		return false;
	if (plan->nr_segs && one_in(100)) {
		post_part(h, c, plan, from);
		return false;
	}
	post_writes(h, c, plan, plan->nr_segs, from);
	if (!flags)
		return true;
	op.pos = plan->sent;
	op.seq = (u16)(c->seq + 1);
	encode(c, &op, plan->sent, *flags);
	op.signal = *flags & FINAL || c->fo_tx.replay < c->fo_tx.mark ||
		    plan->sent - c->signaled >= c->room / 2 ||
		    smcr_tx_burst_asks(&c->burst, &at, plan) || one_in(6);
	if (plan->bytes)
		smcr_tx_burst_posted(&c->burst, plan);
	qp_post(h, c->slot, &op);
	if (op.signal)
		c->signaled = plan->sent;
	c->seq = op.seq;
	announced(c, plan, *flags);
	if (plan->sent > c->nxt)
		c->nxt = plan->sent;
	smcr_tx_r_posted(&c->r, c->told != conn_consumed(c));
	c->told = conn_consumed(c);
	c->blocked = *flags & SMCR_CDC_B;
	c->due = false;
	c->final = *flags & FINAL;
	TRACE("host %u conn %u: seq %u prod %llu cons %llu flags %04x over slot %u", h->id, op.conn,
	      op.seq, plan->sent, c->cons, *flags, c->slot);
	return true;
}

static void flushed(struct host *h, struct conn *c)
{
	u8 flush = c->flush;

	if (flush == FLUSH_NONE || c->nxt != c->end || c->slot == NONE ||
	    smcr_failover_tx_act(&c->fo_tx, c->una) != SMCR_FAILOVER_GO_ON)
		return;
	c->flush = FLUSH_NONE;
	conn_event(h, c, flush == FLUSH_CLOSE ? SMCR_CONN_EV_FLUSH_CLOSE : SMCR_CONN_EV_FLUSH_DONE);
}

static void clip(struct conn *c, struct smcr_tx_view *view)
{
	u64 limit = smcr_urgent_tx_limit(&c->utx, view->peer_cons, view->sent, view->queued);

	if (sim.bug != BUG_URGENT_NO_LIMIT)
		view->queued = limit;
	smcr_failover_tx_clip(&c->fo_tx, sim.bug == BUG_NO_CAP ? ~0ULL : sim.now, view);
}

static u16 urgent_flags(const struct conn *c, const struct smcr_tx_plan *plan)
{
	return c->flags & SMCR_CDC_A ? 0 :
	       smcr_urgent_tx_flags(&c->utx, plan->sent, c->end, c->peer.cons);
}

static u16 request(const struct conn *c, const struct smcr_tx_plan *plan)
{
	bool news = plan->bytes || c->told != conn_consumed(c);

	return smcr_tx_r_sets(&c->r, c->fo_tx.cap != SMCR_FAILOVER_OPEN, news) ? SMCR_CDC_R : 0;
}

static bool push_replay(struct host *h, struct conn *c, struct smcr_tx_view *view)
{
	struct smcr_tx_plan plan;
	u16 flags = c->flags;
	bool tell;

	clip(c, view);
	smcr_tx_plan(view, &plan);
	/* The rest waits for the writes of a dead link */
	if (!plan.nr_segs) {
		HOLDS(view->queued < c->fo_tx.mark);
		return false;
	}
	tell = plan.sent >= c->fo_tx.mark || sim.bug == BUG_EARLY_CDC;
	flags |= urgent_flags(c, &plan) | request(c, &plan);
	if (!post(h, c, &plan, view->sent, tell ? &flags : NULL))
		return false;
	smcr_failover_tx_replayed(&c->fo_tx, plan.sent);
	TRACE("host %u conn %u: replayed %llu to %llu", h->id, (u8)(c - h->conn), view->sent,
	      plan.sent);
	return true;
}

static bool hurries(const struct conn *c)
{
	return c->flush != FLUSH_NONE || c->utx.next;
}

static bool corks(struct conn *c)
{
	c->corked = c->hold && !hurries(c) && c->end != c->nxt && c->end - c->nxt < c->room / 2;
	sim_corks += c->corked;
	return c->corked;
}

static bool merges(struct conn *c)
{
	struct smcr_tx_line at = line(c);

	if (sim.bug == BUG_MERGE_UNASKED)
		at.signaled = at.nxt;
	c->merging = !c->due && !hurries(c) && c->end - c->una < c->room && c->end != c->nxt &&
		     smcr_tx_burst_holds(&c->burst, &at, c->peer_ring.len);
	c->burst.waited |= c->merging;
	sim_merges += c->merging;
	return c->merging;
}

static bool leaves(struct conn *c)
{
	struct smcr_tx_line at = line(c);

	c->leaving = c->woken && !c->due && !hurries(c) && c->end != c->nxt &&
		     smcr_tx_burst_leaves(&c->burst, &at, c->peer_ring.len);
	if (c->leaving && !c->woken_at && sim.bug != BUG_WOKEN_UNTIMED)
		c->woken_at = sim.now + WOKEN;
	sim_leaves += c->leaving;
	return c->leaving;
}

static bool may_write(const struct conn *c)
{
	return smcr_conn_state_can_send(&c->fsm) && !c->silent;
}

static bool push_new(struct host *h, struct conn *c, struct smcr_tx_view *view, bool *more)
{
	struct smcr_tx_plan plan = { .sent = c->nxt, .blocked = c->blocked };
	u16 flags = c->flags;

	c->merging = false;
	c->corked = false;
	c->leaving = false;
	if (c->final)
		return false;
	view->more = *more;
	if (may_write(c) && !corks(c) && !merges(c) && !leaves(c)) {
		clip(c, view);
		smcr_tx_plan(view, &plan);
	}
	if (!plan.announce && !c->due)
		return false;
	if (plan.blocked)
		flags |= SMCR_CDC_B;
	flags |= urgent_flags(c, &plan) | request(c, &plan);
	if (!post(h, c, &plan, c->nxt, &flags))
		return false;
	*more = plan.bytes;
	if (flags & SMCR_CDC_A)
		conn_event(h, c, SMCR_CONN_EV_ABORT_SENT);
	return true;
}

static struct smcr_tx_view new_view(const struct conn *c)
{
	return (struct smcr_tx_view){
		.peer_ring = c->peer_ring, .queued = c->end, .sent = c->nxt,
		.peer_cons = c->peer.cons, .b_announced = c->blocked, .spare = c->spare,
		.urgent = c->utx.next, .keep = sim.dialect == SMCR_DIALECT_RFC,
	};
}

void conn_push(struct host *h, struct conn *c)
{
	bool more = false, on = true;

	if (c->fsm.state == SMCR_CONN_INIT)
		return;
	/* The group's links change, and with them whether a byte is left unused */
	if (one_in(10))
		c->spare = !c->spare;
	c->stopped = false;
	while (on && c->live && c->slot != NONE && !c->mute) {
		struct smcr_tx_view view = new_view(c);

		view.max_bytes = 1 + rnd_below(MAX_RING);
		switch (smcr_failover_tx_act(&c->fo_tx, c->una)) {
		case SMCR_FAILOVER_SEND_F:
			on = qp_room(h, c->slot, 1);
			c->stopped = !on;
			if (on)
				post_f(h, c);
			break;
		case SMCR_FAILOVER_REPLAY:
			on = push_replay(h, c, &view);
			break;
		default:
			on = push_new(h, c, &view, &more);
		}
	}
	flushed(h, c);
}

void conn_reclaim(struct conn *c, u64 pos)
{
	if (pos <= c->una)
		return;
	HOLDS(pos <= c->nxt);
	c->una = pos;
	if (c->signaled < pos)
		c->signaled = pos;
	if (c->wants && c->end - c->una < c->room) {
		c->wants = false;
		c->woken = true;
	}
}

void conn_confirmed(struct host *h, u8 slot, const struct op *op)
{
	struct conn *c = &h->conn[op->conn];
	bool present = c->slot == slot || c->slot == NONE;

	if (!c->live || c->uid != op->uid)
		return;
	if (op->numbered && smcr_failover_tx_done(&c->fo_tx, op->seq, op->pos, present))
		conn_reclaim(c, op->pos);
	if (sim.bug != BUG_MERGE_FORGOTTEN || !c->merging)
		conn_push(h, c);
}

/* Bytes on a working link wait for a completion, for the program within its
 * time, for room in the send queue, for late writes of a dead link, or for the
 * window
 */
void conn_check_held(struct host *h, struct conn *c)
{
	struct smcr_tx_view view = new_view(c);
	struct smcr_tx_plan plan;

	if (!c->live || c->slot == NONE || qp_of(h, c->slot)->state != QP_RTS ||
	    c->nxt == c->end || c->final || c->mute || !may_write(c) || c->peer.flags & FINAL ||
	    smcr_failover_tx_act(&c->fo_tx, c->una) != SMCR_FAILOVER_GO_ON)
		return;
	if (c->merging) {
		HOLDS(c->signaled > c->una);
		HOLDS(qp_asked(h, c->slot, c));
	} else if (c->corked) {
		HOLDS(c->cork_at);
	} else if (c->leaving) {
		HOLDS(c->woken_at);
	} else if (!c->stopped && c->fo_tx.cap == SMCR_FAILOVER_OPEN) {
		clip(c, &view);
		smcr_tx_plan(&view, &plan);
		HOLDS(!plan.nr_segs);
	}
}
