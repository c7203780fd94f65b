// SPDX-License-Identifier: GPL-2.0
/*
 * Wires, queue pairs and memory. A wire delivers what was posted in order, and
 * acknowledges it; wires are not ordered among each other. When a path goes
 * down, a part of what was posted may still land, as long as the sender's
 * packets live and the receiver's queue pair is not drained. Acknowledgements
 * are lost then.
 */
#include "sim.h"

u8 wire_new(void)
{
	u8 i;

	for (i = 0; i < MAX_WIRES; i++) {
		struct wire *w = &sim.wire[i];

		if (w->used && (w->qp[0].state != QP_DEAD || w->qp[1].state != QP_DEAD))
			continue;
		memset(w, 0, sizeof(*w));
		w->used = true;
		w->up = true;
		return i;
	}
	HOLDS(!"a free wire");
}

/* The path goes down; each end notices in its own time. An end that sends
 * nothing hears of it by a late DELETE LINK.
 */
void wire_cut(u8 wire)
{
	struct wire *w = &sim.wire[wire];
	u8 late;

	if (!w->up)
		return;
	w->up = false;
	w->notice[0] = sim.now + rnd_below(RETRY);
	w->notice[1] = sim.now + rnd_below(RETRY);
	late = (u8)rnd_below(8);
	if (late < 2 && w->qp[late].acked == w->qp[late].posted)
		w->notice[late] += 6 * RETRY;
}

/* An end that sends over a path that is down notices when its retries end */
static void notice_retries(struct host *h, u8 slot)
{
	struct wire *w = &sim.wire[h->link[slot].wire];

	if (!w->up && w->notice[h->id] > sim.now + RETRY)
		w->notice[h->id] = sim.now + 1 + rnd_below(RETRY);
}

/* An adapter acknowledges what it did not place, and dies (4.6.1) */
void wire_lie(u8 wire, u8 from)
{
	struct wire *w = &sim.wire[wire];
	struct qp *qp = &w->qp[from];
	u32 i;

	w->qp[!from].deaf = true;
	qp->acked = qp->landed + rnd_below(qp->posted - qp->landed + 1);
	wire_cut(wire);
	for (i = qp->landed; i < qp->posted; i++)
		sim.host[!from].conn[qp->op[i % QP_OPS].conn].lossy = true;
}

/* The send queue fails; the host notices at once, but after the present event */
void qp_break(struct host *h, u8 slot)
{
	u8 wire = h->link[slot].wire;

	wire_cut(wire);
	sim.wire[wire].notice[h->id] = sim.now;
	qp_of(h, slot)->broken = true;
}

void qp_error(struct host *h, u8 slot)
{
	struct qp *qp = qp_of(h, slot);

	wire_cut(h->link[slot].wire);
	qp->state = QP_ERR;
	qp->dead_at = sim.now + RETRY;
}

bool qp_room(const struct host *h, u8 slot, u32 ops)
{
	const struct qp *qp = qp_of(h, slot);

	return !qp->broken && qp->posted - qp->seen + ops <= QP_OPS;
}

/* Is a completion requested that will confirm bytes of @c? */
bool qp_asked(const struct host *h, u8 slot, const struct conn *c)
{
	const struct qp *qp = qp_of(h, slot);
	const struct op *op;
	bool found = false;
	u32 i;

	for (i = qp->seen; i != qp->posted; i++) {
		op = &qp->op[i % QP_OPS];
		if (op->numbered && h->conn + op->conn == c && op->uid == c->uid &&
		    op->pos > c->una)
			found = true;
		if (found && op->signal)
			return true;
	}
	return false;
}

void qp_post(struct host *h, u8 slot, const struct op *op)
{
	struct qp *qp = qp_of(h, slot);
	struct op *to = &qp->op[qp->posted % QP_OPS];

	HOLDS(qp->state == QP_RTS && qp_room(h, slot, 1));
	notice_retries(h, slot);
	*to = *op;
	qp->posted++;
	qp->unsignaled++;
	if (op->signal || qp->unsignaled >= QP_OPS / 3) {
		to->signal = true;
		qp->unsignaled = 0;
	}
}

/*
 * A write arrives: the key must be valid, and the element must serve the
 * connection that wrote, or none
 */
static void land_write(struct host *to, struct qp *qp, const struct op *op, bool ghost)
{
	struct elem *el;
	u64 off;
	u8 r;

	for (r = 0; r < RMBS && qp->rkey[r] != op->rkey; r++)
		;
	HOLDS(op->rkey && r < RMBS);
	off = op->vaddr - qp->vaddr[r];
	HOLDS(off < ELEMS * sizeof(el->mem));
	el = &to->rmb[r].elem[off / sizeof(el->mem)];
	off %= sizeof(el->mem);
	HOLDS(off + op->len <= sizeof(el->mem));
	if (el->state == EL_USED)
		HOLDS(el->conn == op->conn && to->conn[el->conn].uid == op->uid);
	if (el->state != EL_USED && el->state != EL_HELD)
		HOLDS(!"an element that no connection uses is not written");
	memcpy(el->mem + off, op->data, op->len);
	sim_ghosts += ghost;
}

static void land(u8 wire, u8 from)
{
	struct wire *w = &sim.wire[wire];
	struct qp *qp = &w->qp[from], *at = &w->qp[!from];
	const struct op *op = &qp->op[qp->landed % QP_OPS];

	if (op->kind == OP_WRITE) {
		land_write(&sim.host[!from], at, op, qp->state != QP_RTS);
	} else {
		if (at->got - at->handled == QP_RECVS)
			return;
		memcpy(at->recv[at->got++ % QP_RECVS], op->data, SMCR_ROCE_MSG_LEN);
	}
	qp->landed++;
}

/* One thing happens on a wire in one direction */
void wire_step(u8 wire, u8 from)
{
	struct wire *w = &sim.wire[wire];
	struct qp *qp = &w->qp[from], *at = &w->qp[!from];

	if (!w->used)
		return;
	if (qp->landed != qp->posted && at->state == QP_RTS && !at->deaf &&
	    (qp->state == QP_RTS || sim.now < qp->dead_at)) {
		if (w->up || one_in(6))
			land(wire, from);
	}
	if (w->up && qp->acked != qp->landed && !one_in(3))
		qp->acked++;
}

/* Handle send completions: a signaled one confirms all before it */
void qp_completions(struct host *h, u8 slot)
{
	struct qp *qp = qp_of(h, slot);
	u32 last = qp->acked;

	while (last != qp->seen &&
	       !qp->op[(last - 1) % QP_OPS].signal)
		last--;
	/* A push may fail a link, which handles completions, too */
	while ((s32)(last - qp->seen) > 0) {
		const struct op op = qp->op[qp->seen++ % QP_OPS];

		conn_confirmed(h, slot, &op);
	}
}

/* Handle one received message; false if there is none */
bool qp_receive(struct host *h, u8 slot)
{
	struct qp *qp = qp_of(h, slot);
	u8 buf[SMCR_ROCE_MSG_LEN];

	if (qp->handled == qp->got)
		return false;
	memcpy(buf, qp->recv[qp->handled++ % QP_RECVS], sizeof(buf));
	conn_recv(h, slot, buf);
	return true;
}

/* Nothing is on its way over a path that is up */
bool wire_idle(void)
{
	const struct wire *w;

	for (w = sim.wire; w < sim.wire + MAX_WIRES; w++)
		if (w->used && w->up && (w->qp[0].acked != w->qp[0].posted ||
					 w->qp[1].acked != w->qp[1].posted))
			return false;
	return true;
}
