// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's services: memory, works, warnings, namespaces.
 */
#include <stdarg.h>

#include "lsim.h"

unsigned long jiffies;
int krn_spins;
unsigned int smcr_net_id;
struct workqueue_struct *smcr_hs_wq, *smcr_close_wq, *smcr_rmb_wq, *smcr_wq;

void krn_warn(const char *file, int line, const char *what)
{
	lsim_broken(file, line, what);
}

void krn_log(const char *fmt, ...)
{
	va_list args;

	if (!lsim.trace)
		return;
	printf("# %7lu %s logs: ", jiffies, host_name(lsim.cur));
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

void *krn_alloc(size_t size)
{
	void *mem = calloc(1, size);

	HOLDS(mem);
	lsim.allocs++;
	return mem;
}

void *krn_try_alloc(size_t size)
{
	if (lsim.in_alloc)
		lsim.in_alloc(size);
	return bad_luck() ? NULL : krn_alloc(size);
}

void krn_free(const void *mem)
{
	if (!mem)
		return;
	lsim.allocs--;
	free((void *)mem);
}

u32 krn_random(void)
{
	return rnd_below(U32_MAX);
}

struct net *krn_net(void)
{
	return &lsim.host[lsim.cur].net;
}

void *krn_pernet(const struct net *net)
{
	return &lsim.host[net->host].sn;
}

/* Queue a work, or if @again set its time anew. Return: false if it was queued */
bool krn_queue(struct work_struct *work, unsigned long delay, bool again)
{
	bool was = work->pending;

	if (!was) {
		HOLDS(lsim.nr_works < MAX_WORKS);
		lsim.work[lsim.nr_works++] = work;
		work->pending = true;
		work->host = lsim.cur;
	}
	if (!was || again)
		work->at = jiffies + delay;
	return !was;
}

/* When a work may run */
static unsigned long due_at(const struct work_struct *work)
{
	const struct lhost *h = &lsim.host[work->host];
	unsigned long at = max(work->at, h->stalled);

	return h->lgr && work == &h->lgr->rmb_work.work ? max(at, h->inside) : at;
}

static bool may_run(const struct work_struct *work, u8 host)
{
	return work->host == host && !time_before(jiffies, due_at(work));
}

bool works_due(u8 host)
{
	u8 i;

	for (i = 0; i < lsim.nr_works; i++)
		if (may_run(lsim.work[i], host))
			return true;
	return false;
}

/* Run one of the works of a host that are due, at random */
unsigned int krn_handled;

bool works_run_one(u8 host)
{
	u8 n, i, at = lsim.nr_works ? (u8)rnd_below(lsim.nr_works) : 0;

	for (n = 0; n < lsim.nr_works; n++) {
		struct work_struct *work;

		i = (at + n) % lsim.nr_works;
		work = lsim.work[i];
		if (!may_run(work, host))
			continue;
		lsim.work[i] = lsim.work[--lsim.nr_works];
		work->pending = false;
		lsim.cur = host;
		work->func(work);
		HOLDS(!krn_spins);
		return true;
	}
	return false;
}

/* A work of a host sleeps meanwhile: run the others, be they due or not */
void works_run_others(u8 host)
{
	u8 i;

	for (i = 0; i < lsim.nr_works; i++) {
		struct work_struct *work = lsim.work[i];

		if (work->host != host || work == &lsim.host[host].lgr->work.work)
			continue;
		lsim.work[i] = lsim.work[--lsim.nr_works];
		work->pending = false;
		work->func(work);
		i = (u8)-1;
	}
}

void works_run_due(u8 host)
{
	u32 n = 0;

	while (works_run_one(host))
		HOLDS(n++ < 10000);
}

/* Return: when the next work of a host is due */
unsigned long works_next(u8 host)
{
	unsigned long next = jiffies + 1000000, at;
	u8 i;

	for (i = 0; i < lsim.nr_works; i++) {
		if (lsim.work[i]->host != host)
			continue;
		at = due_at(lsim.work[i]);
		if (time_before(at, next))
			next = at;
	}
	return next;
}
