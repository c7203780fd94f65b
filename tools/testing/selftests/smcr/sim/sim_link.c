// SPDX-License-Identifier: GPL-2.0
/*
 * Links of a host: slots, failure, drain, and the end of the group.
 */
#include "sim.h"

u8 link_by_wire(const struct host *h, u8 wire)
{
	u8 i;

	for (i = 0; i < SMCR_MAX_LINKS; i++)
		if (h->link[i].state != LNK_NONE && h->link[i].wire == wire)
			return i;
	return NONE;
}

static u8 link_free_slot(const struct host *h)
{
	u8 i;

	for (i = 0; i < SMCR_MAX_LINKS && h->link[i].state != LNK_NONE; i++)
		;
	return i < SMCR_MAX_LINKS ? i : NONE;
}

unsigned int links_active(const struct host *h)
{
	unsigned int i, n = 0;

	for (i = 0; i < SMCR_MAX_LINKS; i++)
		n += h->link[i].state == LNK_ACTIVE;
	return n;
}

/* A link is asymmetric if it shares a port with an older one at one end */
bool link_asymmetric(const struct host *h, u8 slot)
{
	const struct lnk *a = &h->link[slot], *b;

	for (b = h->link; b < h->link + SMCR_MAX_LINKS; b++) {
		if (b == a || b->state == LNK_NONE || b->state == LNK_FAILED)
			continue;
		if (b->num < a->num && (b->port[0] == a->port[0] || b->port[1] == a->port[1]))
			return true;
	}
	return false;
}

/* The adapter makes keys of the local RMBs for a queue pair */
static void link_add_keys(struct host *h, u8 slot)
{
	struct qp *qp = qp_of(h, slot);
	u8 r;

	for (r = 0; r < RMBS; r++) {
		sim.key += 1 + rnd_below(300);
		qp->rkey[r] = sim.key;
		qp->vaddr[r] = (u64)sim.key << 16;
	}
}

/*
 * This host takes a link for failed: no work request can be posted any more,
 * the connections leave, and the drain follows in work of its own.
 */
void link_fail(struct host *h, u8 slot, const char *why)
{
	struct lnk *l = &h->link[slot];
	bool early = one_in(2);

	if (l->state == LNK_NONE || l->state == LNK_FAILED)
		return;
	TRACE("host %u: link %u (slot %u) failed: %s", h->id, l->num, slot, why);
	if (early)
		qp_completions(h, slot);
	l->state = LNK_FAILED;
	qp_error(h, slot);
	conn_link_failed(h, slot);
}

/*
 * All that was received is handled, then nothing of the link is left. Returns
 * true if the drain went a step on.
 */
bool link_drain(struct host *h, u8 slot)
{
	struct qp *qp = qp_of(h, slot);

	if (h->link[slot].state != LNK_FAILED)
		return false;
	if (qp->handled != qp->got)
		return qp_receive(h, slot);
	qp_completions(h, slot);
	qp->state = QP_DEAD;
	TRACE("host %u: link %u (slot %u) drained", h->id, h->link[slot].num, slot);
	/* The slot is free from here on: what a move may post is on other links */
	h->link[slot] = (struct lnk){ .state = LNK_NONE };
	smcr_rtoken_drop_link(&h->tokens, slot);
	conn_link_drained(h, slot);
	if (!links_active(h))
		group_end(h, "last link");
	return true;
}

/* All links fail and drain, and then the connections end */
void group_end(struct host *h, const char *why)
{
	struct conn *c;
	u8 i;

	if (h->dead)
		return;
	for (i = 0; i < SMCR_MAX_LINKS; i++)
		link_fail(h, i, why);
	if (h->dead)
		return;
	for (i = 0; i < SMCR_MAX_LINKS; i++)
		while (h->link[i].state == LNK_FAILED && !h->dead)
			link_drain(h, i);
	if (h->dead)
		return;
	h->dead = true;
	TRACE("host %u: group ended: %s", h->id, why);
	for (c = h->conn; c < h->conn + MAX_CONNS; c++)
		conn_lost(h, c);
}

/* A link appears at both ends at once, and both know all keys of the peer */
void link_add(u8 port0, u8 port1)
{
	u8 slot[2], wire, end, r, num;

	slot[0] = link_free_slot(&sim.host[0]);
	slot[1] = link_free_slot(&sim.host[1]);
	if (slot[0] == NONE || slot[1] == NONE)
		return;
	wire = wire_new();
	num = sim.next_num % 255 + 1;
	sim.next_num = num;
	for (end = 0; end < 2; end++) {
		sim.host[end].link[slot[end]] = (struct lnk){
			.state = LNK_ACTIVE, .num = num, .wire = wire,
			.port = { port0, port1 },
		};
		link_add_keys(&sim.host[end], slot[end]);
	}
	for (end = 0; end < 2; end++) {
		struct host *h = &sim.host[end];
		const struct qp *qp = qp_of(other(h), slot[!end]);

		for (r = 0; r < RMBS; r++) {
			/* The ids are those of the first link: r + 1 */
			if (!h->tokens.slot[r + 1])
				HOLDS(smcr_rtoken_add(&h->tokens, &h->token_mem[r + 1],
						      slot[end], qp->rkey[r], qp->vaddr[r]) ==
				      r + 1);
			else
				HOLDS(!smcr_rtoken_set(&h->tokens, r + 1, slot[end],
						       qp->rkey[r], qp->vaddr[r]));
		}
	}
	sim_links++;
}
