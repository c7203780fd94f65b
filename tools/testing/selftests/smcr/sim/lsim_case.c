// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the scenarios.
 */
#include "lsim_case.h"

static bool case_run(const struct scase *c, u32 seed, u8 repeat)
{
	st_seed = seed + repeat * 100;
	st_linux = repeat % 4 == 3;
	st_fresh();
	if (setjmp(lsim.failed))
		return false;
	c->run();
	st_let_go();
	lsim.tamper = NULL;
	lsim.ignores = NULL;
	st_heal_paths();
	sim_close(SERVER);
	return true;
}

/* Run a scenario with several orders of events. */
static bool case_prove(const struct scase *c, u32 seed)
{
	bool ok = true;
	u8 i;

	for (i = 0; i < 8 && ok; i++)
		ok = case_run(c, seed, i);
	printf("%s - %s: %s\n", ok ? "ok" : "not ok", c->name, c->text);
	return ok;
}

/* Run the scenarios of a name, or all */
int cases_run(const char *only, bool trace)
{
	const struct scase *const lists[] = { lsim_collisions, lsim_recoveries, lsim_kinds,
						 lsim_memory, lsim_linux, lsim_peer };
	bool all = !strcmp(only, "all");
	const struct scase *c;
	u32 seed = 0, n = 0;
	int failed = 0;
	u8 i;

	st_trace = trace;
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		for (c = lists[i]; c->name; c++, seed += 1000) {
			if (!all && strcmp(only, c->name))
				continue;
			failed |= !case_prove(c, seed);
			n++;
		}
	}
	return failed || !n;
}
