// SPDX-License-Identifier: GPL-2.0
/*
 * Deletions of links where one end is a Linux host, and a Linux client that does not
 * answer while it is busy with a lost link, beside the same with smcr at both ends.
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

/* A client takes long to destroy its end of a lost link, and answers DELETE LINK when
 * it has done, or has ignored it. That does not hurt the other link of a Linux client
 */
static void destroys(void)
{
	u8 keep;

	for (keep = 0; keep < 2; st_again(&keep, 2)) {
		st_group(2);
		port_set(CLIENT, 1, false);
		st_busy(keep);
		st_break_link(CLIENT, 2);
		sim_pass(1100);
		HOLDS(st_step_of(SERVER) == SMCR_LLC_DELETE);
		sim_pass(1100);
		HOLDS(st_dead(SERVER) == !st_linux);
		if (!st_linux)
			continue;
		HOLDS(st_sent(SERVER, SMCR_LLC_TEST_LINK, false) == 1);
		/* Other exchanges may run before it is repeated */
		HOLDS(st_step_of(SERVER) == SMCR_LLC_IDLE);
		sim_pass(20000);
		HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) >= 4);
		HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) <= 7);
		HOLDS(!st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
		HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
		HOLDS(st_unbusy() == keep);
		/* The answer ends it, if it comes late; then Linux needs a little time */
		st_run();
		HOLDS(SRV->llc.n_due == !keep);
		port_set(CLIENT, 1, true);
		sim_pass(200);
		HOLDS(!st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
		st_ends_with(2);
		HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
	}
}

/* A client does not answer at all: the group goes on without that, and ignores the
 * answer if it comes after all
 */
static void destroys_ever(void)
{
	u8 keep;

	for (keep = 0; st_linux && keep < 2; st_again(&keep, 2)) {
		st_group(2);
		port_set(CLIENT, 1, false);
		st_busy(keep);
		st_break_link(CLIENT, 2);
		sim_pass(118000);
		HOLDS(SRV->llc.n_due == 1);
		HOLDS(!lsim.host[SERVER].mib[SMCR_MIB_DELETELINKUNANSWERED]);
		st_need_rmb(SERVER);
		sim_pass(7000);
		HOLDS(!SRV->llc.n_due);
		HOLDS(lsim.host[SERVER].mib[SMCR_MIB_DELETELINKUNANSWERED] == 1);
		HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
		/* What had to wait goes on */
		HOLDS(st_sent(SERVER, SMCR_LLC_CONFIRM_RKEY, false) == 1);
		HOLDS(st_sent(CLIENT, SMCR_LLC_CONFIRM_RKEY, true) == 1);
		HOLDS(st_unbusy() == keep);
		st_ports_up(1);
		st_ends_with(2);
		HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
		HOLDS(!lsim.host[SERVER].mib[SMCR_MIB_BADLLC]);
	}
}

/* Two links are lost: the client gets as much time for the second one */
static void destroys_two(void)
{
	if (!st_linux)
		return;
	st_group(3);
	st_busy(false);
	st_break_link(SERVER, 2);
	st_break_link(SERVER, 3);
	sim_pass(130000);
	HOLDS(lsim.host[SERVER].mib[SMCR_MIB_DELETELINKUNANSWERED] == 1);
	HOLDS(SRV->llc.n_due == 1);
	sim_pass(125000);
	HOLDS(lsim.host[SERVER].mib[SMCR_MIB_DELETELINKUNANSWERED] == 2);
	HOLDS(!SRV->llc.n_due);
	HOLDS(st_is_active(SERVER, 1));
}

/* The client does not answer TEST LINK either: the carrier has failed */
static void destroys_dead(void)
{
	st_group(2);
	port_set(CLIENT, 1, false);
	st_busy(true);
	st_break_link(CLIENT, 2);
	st_hold(CLIENT, SMCR_LLC_TEST_LINK, true);
	sim_pass(4300);
	HOLDS(st_dead(SERVER));
}

/* A client deletes an RMB while it is slow. Linux's program waits in close() until
 * that is answered
 */
static void destroys_rmb(void)
{
	st_group(2);
	st_need_rmb(CLIENT);
	st_run();
	HOLDS(CLN->n_rmbs == 2);
	elems_return(CLIENT);
	port_set(CLIENT, 1, false);
	st_busy(true);
	st_break_link(SERVER, 2);
	st_told();
	HOLDS(st_step_of(SERVER) == SMCR_LLC_DELETE);
	lsim.host[CLIENT].sn.sysctl.rmb_linger_ms = 0;
	lsim.cur = CLIENT;
	smcr_lgr_kick(CLN, SMCR_LGR_T_CLEAN);
	st_run();
	HOLDS(st_step_of(SERVER) == SMCR_LLC_DELETE);
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_RKEY, false) == 1);
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_RKEY, true) == st_linux);
	HOLDS(st_has_held(SERVER) == !st_linux);
	HOLDS(st_unbusy());
	port_set(CLIENT, 1, true);
	st_ends_with(2);
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_RKEY, true) == !st_linux);
}

/* A client is busy with a link that it has lost, and does not answer ADD LINK. A
 * Linux client is not at fault: the group goes on with the link that it has, and
 * gets another one later
 */
static void busy(void)
{
	st_group(2);
	port_set(CLIENT, 1, false);
	st_break_link(CLIENT, 2);
	st_told();
	st_busy(false);
	sim_pass(1000);
	HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false) == 1);
	HOLDS(st_step_of(SERVER) == SMCR_LLC_ADD_REPLY);
	st_mark();
	sim_pass(2000);
	if (!st_linux) {
		HOLDS(st_dead(SERVER));
		return;
	}
	HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
	HOLDS(st_sent(SERVER, SMCR_LLC_TEST_LINK, false) == 1);
	HOLDS(lsim.host[SERVER].mib[SMCR_MIB_ADDLINKWITHDRAWN] == 1);
	/* The time between tries doubles, from the end of each of them */
	HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false) == 0);
	sim_pass(20000);
	HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false) >= 2);
	HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false) <= 4);
	st_unbusy();
	st_ports_up(1);
	st_ends_with(2);
	HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
}

/* If nothing comes over the carrier any more, it has failed */
static void busy_dead(void)
{
	st_group(2);
	port_set(CLIENT, 1, false);
	st_break_link(CLIENT, 2);
	st_told();
	st_busy(false);
	st_hold(CLIENT, SMCR_LLC_TEST_LINK, true);
	sim_pass(3100);
	HOLDS(st_dead(SERVER) == !st_linux);
	sim_pass(2000);
	HOLDS(st_dead(SERVER));
}

/* The client has kept ADD LINK, and answers it when the server has withdrawn it,
 * or even while the next one is under way
 */
static void kept(void)
{
	u8 again;

	if (!st_linux)
		return;
	for (again = 0; again < 2; st_again(&again, 2)) {
		st_group(2);
		port_set(CLIENT, 1, false);
		st_break_link(CLIENT, 2);
		st_told();
		st_busy(true);
		sim_pass(3100);
		HOLDS(lsim.host[SERVER].mib[SMCR_MIB_ADDLINKWITHDRAWN] == 1);
		if (again) {
			sim_pass(2500);
			HOLDS(st_step_of(SERVER) == SMCR_LLC_ADD_REPLY);
			HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false) == 2);
		}
		HOLDS(st_unbusy());
		port_set(CLIENT, 1, true);
		st_run();
		/* The link is given up at the client, too, and a new one follows */
		HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
		HOLDS(st_last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 3);
		HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
		HOLDS(!st_link_of(CLIENT, 3));
		st_ends_with(2);
	}
}

const struct scase lsim_linux[] = {
	{ "told-late", "a Linux peer hears of a lost link when it is drained", told_late },
	{ "adding-first", "the link that is being added is deleted first", adding_first },
	{ "operator", "an administrator deletes a link, toward Linux like a lost one", operators },
	{ "destroys", "a Linux client may take long to answer DELETE LINK", destroys },
	{ "destroys", "the group does not wait for the answer without end", destroys_ever },
	{ "destroys", "but not if it does not answer TEST LINK either", destroys_dead },
	{ "destroys", "a Linux client's DELETE RKEY is answered meanwhile", destroys_rmb },
	{ "destroys", "a second link has the same time as the first one", destroys_two },
	{ "busy", "a Linux client that does not answer ADD LINK keeps its other link", busy },
	{ "busy", "but not if it does not answer TEST LINK either", busy_dead },
	{ "kept", "a Linux client answers ADD LINK when it was withdrawn", kept },
	{ },
};
