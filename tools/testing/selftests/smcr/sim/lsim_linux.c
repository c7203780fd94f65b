// SPDX-License-Identifier: GPL-2.0
/*
 * Deletions of links where one end is a Linux host, beside the same with smcr at
 * both ends.
 */
#include "lsim_case.h"

/* A Linux peer hears of a lost link when it gets no acknowledgment any more */
static void told_late(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(2);
		st_break_link(h, 2);
		sim_pass(30);
		HOLDS(st_sent(h, SMCR_LLC_DELETE_LINK, false) == !st_linux);
		st_told();
		HOLDS(st_sent(h, SMCR_LLC_DELETE_LINK, false) == 1);
		HOLDS(!st_is_active(SERVER, 2) && !st_is_active(CLIENT, 2));
		st_ends_with(2);
	}
}

/* A link that is being added is lost together with another one. A Linux client
 * takes the first DELETE LINK for that of the new link, and leaves the exchange
 * a little later
 */
static void adding_first(void)
{
	st_group(2);
	st_adding(SMCR_LLC_ADD_LINK_CONT, 2);
	st_held[0].on = false;
	st_hold(CLIENT, SMCR_LLC_ADD_LINK_CONT, true);
	st_break_link(SERVER, 2);
	st_break_link(SERVER, 3);
	sim_pass(20);
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) >= 1);
	if (st_linux) {
		HOLDS(st_last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 3);
		st_let_go();
		sim_pass(150);
		HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
		sim_pass(200);
	}
	st_let_go();
	st_run();
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 2);
	HOLDS(st_last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 2);
	st_ends_with(3);
}

/* An orderly deletion keeps the link in use, but not toward a Linux peer */
static void operators(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(2);
		lsim.cur = h;
		HOLDS(!smcr_llc_delete_ask(st_link_of(h, 2)));
		st_hold(h, SMCR_LLC_DELETE_LINK, false);
		sim_pass(30);
		HOLDS(st_is_active(h, 2) == !st_linux && st_is_active(!h, 2));
		HOLDS(st_sent(h, SMCR_LLC_DELETE_LINK, false) == !st_linux);
		st_told();
		HOLDS(st_sent(h, SMCR_LLC_DELETE_LINK, false) == 1);
		HOLDS(st_last(h, SMCR_LLC_DELETE_LINK, false)->delete_link.orderly == !st_linux);
		st_let_go();
		st_run();
		HOLDS(!st_is_active(SERVER, 2) && !st_is_active(CLIENT, 2));
		st_ends_with(2);
	}
}

const struct scase lsim_linux[] = {
	{ "told-late", "a Linux peer hears of a lost link when it is drained", told_late },
	{ "adding-first", "the link that is being added is deleted first", adding_first },
	{ "operator", "an administrator deletes a link, toward Linux like a lost one", operators },
	{ },
};
