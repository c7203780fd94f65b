// SPDX-License-Identifier: GPL-2.0
/*
 * Runs: a seed decides the topology, the programs, the order of all events and
 * the faults. Then the faults end, all that is under way comes to rest, and the
 * programs close.
 */
#include <unistd.h>

#include "sim.h"

struct sim sim;
u64 sim_moves, sim_ghosts, sim_resets, sim_links, sim_bytes, sim_crowded, sim_steps, sim_drains,
	sim_urgents, sim_oobs, sim_merges, sim_corks, sim_leaves, sim_parts;

void sim_broken(const char *file, int line, const char *what)
{
	printf("# %s:%d: does not hold: %s (step %u, time %llu)\n", file, line, what, sim.step,
	       sim.now);
	longjmp(sim.failed, 1);
}

static u8 any_slot(const struct host *h)
{
	u8 n, i, at = (u8)rnd_below(SMCR_MAX_LINKS);

	for (n = 0; n < SMCR_MAX_LINKS; n++) {
		i = (at + n) % SMCR_MAX_LINKS;
		if (h->link[i].state != LNK_NONE)
			return i;
	}
	return NONE;
}

static void fabric(struct host *h)
{
	u8 slot = any_slot(h);

	if (slot != NONE)
		wire_step(h->link[slot].wire, (u8)rnd_below(2));
}

static void handle(struct host *h)
{
	u8 slot = any_slot(h);

	if (slot == NONE)
		return;
	if (h->link[slot].state != LNK_FAILED)
		qp_receive(h, slot);
	else
		link_drain(h, slot);
}

static void complete(struct host *h)
{
	u8 slot = any_slot(h);

	if (slot != NONE && h->link[slot].state != LNK_FAILED)
		qp_completions(h, slot);
}

/* A path that is down shows */
static void notice(struct host *h)
{
	const struct wire *w;
	u8 i;

	for (i = 0; i < SMCR_MAX_LINKS; i++) {
		if (h->link[i].state == LNK_NONE || h->link[i].state == LNK_FAILED)
			continue;
		w = &sim.wire[h->link[i].wire];
		if (!w->up && sim.now >= w->notice[h->id])
			link_fail(h, i, "path");
	}
}

static void program(struct host *h)
{
	struct conn *c = &h->conn[rnd_below(MAX_CONNS)];

	switch (rnd_below(64)) {
	case 0:
		conn_shutdown(h, c);
		break;
	case 1:
		conn_close(h, c);
		break;
	case 2:
		if (one_in(8))
			conn_abort(h, c);
		break;
	case 3: case 4: case 5:
		conn_open((u8)rnd_below(MAX_CONNS));
		break;
	case 6: case 7:
		conn_timer(h, c);
		break;
	case 8: case 9: case 10: case 11:
		conn_tcp(h, c);
		break;
	case 12:
		conn_rebalance(h, c);
		break;
	case 13:
		conn_read_urgent(h, c);
		break;
	default:
		if (one_in(2))
			conn_write(h, c, 1 + rnd_below(24), sim.urgent && one_in(6), one_in(8));
		else
			conn_read(h, c, 1 + rnd_below(one_in(3) ? 2 * MAX_RING : 12));
	}
}

static void fault(struct host *h)
{
	u8 slot = any_slot(h), wire;

	if (slot == NONE)
		return;
	wire = h->link[slot].wire;
	switch (rnd_below(8)) {
	case 0:
		link_fail(h, slot, "QP error");
		break;
	case 1:
		wire_lie(wire, (u8)rnd_below(2));
		break;
	case 2: case 3:
		if (!sim.host[0].dead && !sim.host[1].dead)
			link_add((u8)rnd_below(sim.ports[0]), (u8)rnd_below(sim.ports[1]));
		break;
	default:
		if (links_active(h) > 1 || one_in(8))
			wire_cut(wire);
	}
}

/* No byte waits without something that will send it */
static void check_held(void)
{
	struct host *h;
	u8 i;

	for (h = sim.host; h < sim.host + 2; h++)
		for (i = 0; i < MAX_CONNS; i++)
			conn_check_held(h, &h->conn[i]);
}

static void step(void)
{
	struct host *h = &sim.host[rnd_below(2)];
	u32 what = rnd_below(200);

	sim.step++;
	sim_steps++;
	sim.now += rnd_below(3);
	notice(h);
	if (what < 80)
		fabric(h);
	else if (what < 130)
		handle(h);
	else if (what < 145)
		complete(h);
	else if (what < 198)
		program(h);
	else
		fault(h);
	check_held();
}

static bool busy(void)
{
	const struct conn *c;
	const struct host *h;
	u8 i;

	for (h = sim.host; h < sim.host + 2; h++) {
		for (c = h->conn; c < h->conn + MAX_CONNS; c++)
			if (conn_busy(c))
				return true;
		for (i = 0; i < SMCR_MAX_LINKS; i++)
			if (h->link[i].state == LNK_FAILED ||
			    (h->link[i].state != LNK_NONE && !sim.wire[h->link[i].wire].up))
				return true;
	}
	return !wire_idle();
}

static void tell_conn(const struct host *h, const struct conn *c)
{
	u8 i = (u8)(c - h->conn);

	TRACE("host %u conn %u: state %u slot %u seq %u ss %u parked %u, %s", h->id, i,
	      c->fsm.state, c->slot, c->seq, c->fo_tx.ss, c->fo_rx.nr,
	      c->why ? c->why : "no reset");
	TRACE("host %u conn %u: una %llu nxt %llu end %llu cap %llu until %llu, read %llu of %llu",
	      h->id, i, c->una, c->nxt, c->end, c->fo_tx.cap, c->fo_tx.until, c->cons,
	      c->peer.prod);
	TRACE("host %u conn %u: flags %x of peer %x final %u due %u flush %u", h->id, i, c->flags,
	      c->peer.flags, c->final, c->due, c->flush);
}

static void tell_link(const struct host *h, u8 slot)
{
	const struct qp *qp = qp_of(h, slot);

	TRACE("host %u slot %u: state %u up %u, posted %u landed %u acked %u", h->id, slot,
	      h->link[slot].state, sim.wire[h->link[slot].wire].up, qp->posted, qp->landed,
	      qp->acked);
}

/* Say what does not end */
static void tell_busy(void)
{
	const struct conn *c;
	const struct host *h;
	u8 i;

	for (h = sim.host; h < sim.host + 2; h++) {
		for (c = h->conn; c < h->conn + MAX_CONNS; c++)
			if (conn_busy(c))
				tell_conn(h, c);
		for (i = 0; i < SMCR_MAX_LINKS; i++)
			if (h->link[i].state != LNK_NONE)
				tell_link(h, i);
	}
}

static void settle_host(struct host *h)
{
	struct conn *c;
	u8 i, n;

	notice(h);
	for (i = 0; i < SMCR_MAX_LINKS; i++) {
		for (n = 0; n < 8 && h->link[i].state != LNK_NONE; n++)
			wire_step(h->link[i].wire, n & 1);
		if (h->link[i].state == LNK_FAILED) {
			link_drain(h, i);
			continue;
		}
		while (h->link[i].state != LNK_NONE && h->link[i].state != LNK_FAILED &&
		       qp_receive(h, i))
			;
		if (h->link[i].state != LNK_NONE && h->link[i].state != LNK_FAILED)
			qp_completions(h, i);
	}
	for (c = h->conn; c < h->conn + MAX_CONNS; c++) {
		conn_read(h, c, 2 * MAX_RING);
		conn_timer(h, c);
		conn_tcp(h, c);
	}
}

/* Nothing new happens: all that waits for messages or time must end */
static void settle(void)
{
	unsigned int round, quiet = 0;

	for (round = 0; round < 400 && quiet < 4; round++) {
		sim.step++;
		sim.now += RETRY / 16;
		settle_host(&sim.host[round & 1]);
		settle_host(&sim.host[!(round & 1)]);
		check_held();
		quiet = busy() ? 0 : quiet + 1;
	}
	if (!quiet)
		tell_busy();
	HOLDS(quiet);
}

static void check_all(void)
{
	u8 i;

	for (i = 0; i < MAX_CONNS; i++) {
		conn_check_end(&sim.host[0], &sim.host[0].conn[i]);
		conn_check_end(&sim.host[1], &sim.host[1].conn[i]);
	}
}

static void finish(void)
{
	struct conn *c;
	struct host *h;

	settle();
	check_all();
	for (h = sim.host; h < sim.host + 2; h++)
		for (c = h->conn; c < h->conn + MAX_CONNS; c++)
			conn_close(h, c);
	settle();
	for (h = sim.host; h < sim.host + 2; h++)
		for (c = h->conn; c < h->conn + MAX_CONNS; c++)
			/* A lost C shows by the close timer only */
			if (c->reset || c->lossy || peer_of(h, c)->lossy)
				conn_timeout(h, c);
	for (h = sim.host; h < sim.host + 2; h++)
		for (c = h->conn; c < h->conn + MAX_CONNS; c++)
			if (c->live && c->fsm.state != SMCR_CONN_CLOSED)
				tell_conn(h, c);
	for (h = sim.host; h < sim.host + 2; h++)
		for (c = h->conn; c < h->conn + MAX_CONNS; c++)
			HOLDS(!c->live || c->fsm.state == SMCR_CONN_CLOSED);
}

static void start(u64 seed)
{
	u8 e;

	memset(&sim, 0, offsetof(struct sim, failed));
	sim.rnd = rnd_seed(seed);
	sim.dialect = one_in(4) ? SMCR_DIALECT_LINUX : SMCR_DIALECT_RFC;
	sim.key = rnd_below(1 << 20);
	sim.urgent = one_in(2);
	for (e = 0; e < 2; e++) {
		sim.host[e].id = e;
		sim.ports[e] = (u8)(1 + rnd_below(PORTS));
	}
}

static bool run(u64 seed, u8 bug, bool trace, u32 steps)
{
	u8 i;

	start(seed);
	sim.bug = bug;
	sim.trace = trace;
	if (setjmp(sim.failed))
		return false;
	link_add(0, 0);
	link_add(sim.ports[0] > 1, sim.ports[1] > 1);
	for (i = 0; i < MAX_CONNS; i++)
		conn_open(i);
	while (sim.step < steps)
		step();
	finish();
	return true;
}

static void tell_counts(u64 nr)
{
	printf("# %llu seeds, %llu steps, %llu links, %llu moves, %llu late writes\n", nr,
	       sim_steps, sim_links, sim_moves, sim_ghosts);
	printf("# %llu drains of a live link, %llu resets (%llu crowded), %llu bytes read\n",
	       sim_drains, sim_resets, sim_crowded, sim_bytes);
	printf("# %llu urgent bytes, %llu of them taken out of line\n", sim_urgents, sim_oobs);
	printf("# %llu waits to merge bytes, %llu for a promise, %llu for a writer\n",
	       sim_merges, sim_corks, sim_leaves);
	printf("# %llu chains that broke\n", sim_parts);
}

/* sim [-s SEED] [-n SEEDS] [-l STEPS] [-b MISTAKE] [-t] */
int main(int argc, char **argv)
{
	u64 seed = 1, nr = 1000, i;
	bool trace = false;
	u32 steps = 1500, bug = BUG_NONE;
	int opt;

	while ((opt = getopt(argc, argv, "s:n:l:b:t")) != -1) {
		switch (opt) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			nr = strtoull(optarg, NULL, 0);
			break;
		case 'l':
			steps = (u32)strtoul(optarg, NULL, 0);
			break;
		case 'b':
			bug = (u32)strtoul(optarg, NULL, 0);
			break;
		case 't':
			trace = true;
			break;
		default:
			return 2;
		}
	}
	if (bug >= NR_BUGS)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < nr; i++) {
		if (!run(seed + i, (u8)bug, trace, steps)) {
			printf("# seed %llu breaks after %llu seeds\n", seed + i, i + 1);
			return 1;
		}
	}
	tell_counts(nr);
	return 0;
}
