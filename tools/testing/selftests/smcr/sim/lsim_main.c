// SPDX-License-Identifier: GPL-2.0
/*
 * Runs: a seed decides the ports, the programs, the order of all events and the
 * faults. Then the faults end, and both groups must come to rest with the same
 * links and the same keys. At last one host ends the group.
 */
#include <unistd.h>

#include "lsim.h"

struct lsim lsim;

void lsim_broken(const char *file, int line, const char *what)
{
	const char *base = strrchr(file, '/');

	printf("# %s:%d: does not hold: %s (time %lu)\n", base ? base + 1 : file, line, what,
	       jiffies);
	longjmp(lsim.failed, 1);
}

/* One event of the fabric or of a host, at random. Return: false if none can
 * happen now
 */
static bool fabric_event(void)
{
	u8 n, at = (u8)rnd_below(MAX_QPS);

	for (n = 0; n < MAX_QPS; n++) {
		struct ib_qp *qp = &lsim.qp[(at + n) % MAX_QPS];

		if (!qp->used || (qp->landed == qp->posted && qp->acked == qp->posted &&
				  !qp->nr_regs))
			continue;
		if (qp_regs(qp))
			return true;
		if (one_in(2) ? qp_land(qp) || qp_ack(qp) : qp_ack(qp) || qp_land(qp))
			return true;
	}
	return false;
}

bool sim_event(void)
{
	u8 h = (u8)rnd_below(2);
	bool done;

	if (one_in(2))
		done = fabric_event() || works_run_one(h) || works_run_one(!h);
	else
		done = works_run_one(h) || works_run_one(!h) || fabric_event();
	if (!done)
		return false;
	check_step();
	return true;
}

/* Nothing can happen now: go to the next timer. Return: false if it is later
 * than @most
 */
bool sim_skip(unsigned long most)
{
	unsigned long next = fabric_next();

	next = min(next, works_next(SERVER));
	next = min(next, works_next(CLIENT));
	if (time_after(next, most)) {
		jiffies = most;
		return false;
	}
	jiffies = max(next, jiffies + 1);
	qp_retries();
	return true;
}

/* Let both hosts work for a time, without anything new */
void sim_pass(unsigned long ms)
{
	unsigned long end = jiffies + ms;
	u32 n = 0;

	do {
		while (sim_event())
			HOLDS(n++ < 100000);
	} while (sim_skip(end));
}

/* The handshakes end with TCP, which ends at both ends */
static void handshakes(void)
{
	u8 h;

	for (h = 0; h < 2; h++)
		if (host_alive(&lsim.host[h]) && !host_alive(&lsim.host[!h])) {
			lsim.cur = h;
			smcr_lgr_give_up(lsim.host[h].lgr);
		}
}

static const char *not_at_rest(void)
{
	const char *why = check_rest();

	if (!why && host_alive(&lsim.host[SERVER]) && !group_grown())
		why = "a group with spare ports at both ends has a further symmetric link";
	return why;
}

/*
 * Both hosts come to rest. A group whose spare ports do not reach each other
 * tries for ever, and so rests between two tries.
 */
void sim_settle(void)
{
	const char *why = "", *first = "";
	u32 n, i;

	for (n = 0; n < 100 && why; n++) {
		sim_pass(5000);
		handshakes();
		why = not_at_rest();
		first = why;
		for (i = 0; i < 400 && why; i++) {
			if (!sim_event())
				sim_skip(jiffies + 1000);
			why = not_at_rest();
		}
	}
	if (why)
		tell_rest();
	if (why)
		printf("# at rest does not hold: %s\n", first);
	HOLDS(!why);
}

bool both_dead(void)
{
	return !host_alive(&lsim.host[SERVER]) && !host_alive(&lsim.host[CLIENT]);
}

/* A host ends the group; nothing is left of it */
void sim_close(u8 host)
{
	u32 n;

	if (host_alive(&lsim.host[host])) {
		lsim.cur = host;
		smcr_lgr_kick(lsim.host[host].lgr, SMCR_LGR_T_CLOSE);
	}
	for (n = 0; n < 20 && !both_dead(); n++)
		sim_pass(5000);
	HOLDS(both_dead());
	elems_return(SERVER);
	elems_return(CLIENT);
	group_leave(SERVER);
	group_leave(CLIENT);
	sim_pass(1000);
	HOLDS(!lsim.nr_works);
	HOLDS(!lsim.allocs);
}

static void program(u8 host)
{
	struct lhost *h = &lsim.host[host];
	u32 size = 16384u << rnd_below(one_in(3) ? 5 : 2);
	u32 n;

	if (!h->lgr)
		return;
	if (one_in(2)) {
		for (n = 1 + rnd_below(4); n && h->nr_held < PROGRAM_HELD; n--)
			elem_take(host, size);
	} else if (one_in(6)) {
		elems_return(host);
	} else if (h->nr_held) {
		elem_return(host, (u16)rnd_below(h->nr_held));
	}
}

static struct ib_qp *any_qp(void)
{
	u8 n, at = (u8)rnd_below(MAX_QPS);

	for (n = 0; n < MAX_QPS; n++) {
		struct ib_qp *qp = &lsim.qp[(at + n) % MAX_QPS];

		if (qp->used && !qp->err && qp->link && qp->link->refs.n)
			return qp;
	}
	return NULL;
}

static u8 nr_qps(void)
{
	u8 i, n = 0;

	for (i = 0; i < MAX_QPS; i++)
		n += lsim.qp[i].used && lsim.qp[i].rts && !lsim.qp[i].err;
	return n;
}

/* Is there an active link besides that of a queue pair? */
static bool others_intact(const struct ib_qp *but)
{
	const struct ib_qp *qp, *peer;

	for (qp = lsim.qp; qp < lsim.qp + MAX_QPS; qp++) {
		peer = qp->used ? qp_peer(qp) : NULL;
		if (peer && qp != but && peer != but && !qp->err && !peer->err && qp->link &&
		    qp->link->state == SMCR_LINK_ACTIVE && peer->link->state == SMCR_LINK_ACTIVE)
			return true;
	}
	return false;
}

static void fault(u8 host)
{
	struct lhost *h = &lsim.host[host];
	struct ib_qp *qp = any_qp();
	u8 port = (u8)rnd_below(h->nr_ports);
	bool *cut = &lsim.cut[rnd_below(lsim.host[0].nr_ports)][rnd_below(lsim.host[1].nr_ports)];
	bool spare = nr_qps() > 3;

	if (lsim.calm) {
		if (qp && others_intact(qp) && !one_in(3))
			qp_fail(qp, -EIO);
		return;
	}
	/* What is down comes up again before more goes down, mostly */
	if (h->lgr && !h->port[port].up && !one_in(3)) {
		port_set(host, port, true);
		return;
	}
	switch (rnd_below(8)) {
	case 0:
		if (qp && (spare || one_in(60)))
			qp_fail(qp, -EIO);
		break;
	case 1:
		if (*cut || spare || one_in(60))
			*cut = !*cut;
		lsim.down_at = jiffies;
		break;
	case 2:
		h->stalled = jiffies + rnd_below(one_in(10) ? 6000 : 1000);
		break;
	case 3:
		if (h->lgr && (spare || one_in(60)))
			port_remove(host, port);
		break;
	case 4:
		if (qp) {
			lsim.cur = qp->host;
			smcr_lgr_link_doubtful(qp->link);
		}
		break;
	case 5:
		if (h->lgr) {
			lsim.cur = host;
			smcr_lgr_port_ready(&h->port[port].dev);
		}
		break;
	default:
		if (!h->lgr)
			break;
		if (!h->port[port].up)
			port_set(host, port, true);
		else if (spare || one_in(60))
			port_set(host, port, false);
	}
}

static void step(void)
{
	u32 what = rnd_below(100);
	u8 host = (u8)rnd_below(2);

	lsim_steps++;
	jiffies += rnd_below(3);
	if (what < 80) {
		/* A host that waits does so for its timers */
		if (!sim_event() && one_in(3))
			sim_skip(jiffies + 1 + rnd_below(1500));
	} else if (what < 95) {
		program(host);
	} else if (what < 98 || one_in(2)) {
		handshakes();
	} else {
		fault(host);
	}
	qp_retries();
	check_step();
}

static void heal(void)
{
	u8 h, p;

	memset(lsim.cut, 0, sizeof(lsim.cut));
	lsim.faulty = false;
	for (h = 0; h < 2; h++) {
		lsim.host[h].stalled = 0;
		for (p = 0; p < lsim.host[h].nr_ports; p++)
			if (lsim.host[h].lgr && (!p || !one_in(6)))
				port_set(h, p, true);
	}
}

void sim_reset(u64 seed)
{
	memset(&lsim, 0, offsetof(struct lsim, key));
	memset(lsim.host, 0, sizeof(lsim.host));
	lsim.gate = NULL;
	lsim.tamper = NULL;
	lsim.ignores = NULL;
	lsim.in_alloc = NULL;
	lsim.rnd = rnd_seed(seed);
	lsim.honest = true;
	jiffies = 1000;
	krn_spins = 0;
	lsim.retry = 500;
	lsim.late = 1;
	lsim.max_regs = PENDING_REGS;
	lsim.nums[0] = 2;
}

static void sysctl_vary(struct smcr_sysctl *ctl)
{
	ctl->test_link_interval_ms = 500 << rnd_below(6);
	ctl->link_retry_min_ms = 20 + rnd_below(1000);
	ctl->link_retry_max_ms = 2000;
	ctl->rmb_linger_ms = one_in(3) ? 0 : 100 << rnd_below(6);
}

static void start(void)
{
	u8 most = 3;

	lsim.calm = one_in(4);
	lsim.rails = !lsim.calm && one_in(3);
	lsim.retry = 100 + rnd_below(1200);
	lsim.late = 1 + rnd_below(200);
	lsim.roce_only = one_in(2);
	if (one_in(4))
		lsim.max_regs = 3;
	if (one_in(8))
		most = MAX_PORTS;
	lsim.host[SERVER].nr_ports = (u8)(1 + rnd_below(most));
	lsim.host[CLIENT].nr_ports = one_in(2) ? lsim.host[SERVER].nr_ports :
						 (u8)(1 + rnd_below(most));
	group_start();
	lsim.host[rnd_below(2)].hole = !lsim.calm && one_in(50);
	sysctl_vary(&lsim.host[SERVER].sn.sysctl);
	sysctl_vary(&lsim.host[CLIENT].sn.sysctl);
	group_enter();
	lsim.faulty = !lsim.calm && one_in(4);
}

static bool run(u64 seed, u8 bug, bool trace, u32 steps)
{
	u32 i;

	sim_reset(seed);
	lsim.bug = bug;
	lsim.trace = trace;
	if (setjmp(lsim.failed))
		return false;
	start();
	for (i = 0; i < steps && !both_dead(); i++)
		step();
	heal();
	/* There was a link in order all the time */
	HOLDS(!lsim.calm || (host_alive(&lsim.host[SERVER]) && host_alive(&lsim.host[CLIENT])));
	if (host_alive(&lsim.host[SERVER]) || host_alive(&lsim.host[CLIENT]))
		sim_settle();
	lsim_ends += both_dead();
	sim_close((u8)rnd_below(2));
	return true;
}

static void tell_counts(u64 nr)
{
	printf("# %llu seeds, %llu steps, %llu messages, %llu link ends, %llu ADD LINK refused\n",
	       nr, lsim_steps, lsim_msgs, lsim_links, lsim_refused);
	printf("# %llu CONFIRM RKEY refused with C, %llu continuations, %llu groups ended early\n",
	       lsim_retries, lsim_conts, lsim_ends);
}

/* lsim [-s SEED] [-n SEEDS] [-l STEPS] [-b MISTAKE] [-t] [-k CASE|all] */
int main(int argc, char **argv)
{
	u64 seed = 1, nr = 1000, i;
	bool trace = false;
	u32 steps = 600, bug = LBUG_NONE;
	int opt;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((opt = getopt(argc, argv, "s:n:l:b:tk:")) != -1) {
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
		case 'k':
			return cases_run(optarg, trace);
		default:
			return 2;
		}
	}
	if (bug >= NR_LBUGS)
		return 2;
	for (i = 0; i < nr; i++) {
		if (!run(seed + i, (u8)bug, trace, steps)) {
			printf("# seed %llu breaks after %llu seeds\n", seed + i, i + 1);
			return 1;
		}
	}
	tell_counts(nr);
	return 0;
}
