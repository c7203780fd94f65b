// SPDX-License-Identifier: GPL-2.0
/*
 * RMBs of a group: as many as it can have (RFC 7609 2.1), those that the peer has
 * not confirmed or has refused (A.3.5), and the handshakes that wait for one.
 */
#include "hs.h"
#include "lsim_case.h"

#define BIG	524288

/* Each element of @size bytes is an RMB of its own */
static void st_small_regions(u32 size)
{
	u8 h, p;

	for (h = 0; h < 2; h++)
		for (p = 0; p < MAX_PORTS; p++)
			lsim.host[h].port[p].dev.max_mr_pages = size / PAGE_SIZE;
}

/* A connection takes an element, and waits for it if need be. Return: 0 or the
 * error with which it is TCP, or joins a parallel group
 */
static int st_take(u8 host, u32 size)
{
	int err;
	u8 n;

	for (n = 0; n < 20; n++) {
		err = elem_take(host, size);
		if (err != -ENOSPC)
			return err;
		st_run();
	}
	return err;
}

/* Both hosts have as many RMBs as possible, each one in use but the first */
static void st_full(u8 nr_links)
{
	u8 h;

	st_group(nr_links);
	st_small_regions(BIG);
	for (h = 0; h < 2; h++) {
		while (lsim.host[h].lgr->n_rmbs < SMCR_MAX_RMBS)
			HOLDS(!st_take(h, BIG));
		st_run();
	}
	HOLDS(!check_rest());
}

static bool has_room(const struct smcr_lgr *lgr)
{
	return smcr_lgr_policy_has_room(lgr->dialect, 0, lgr->n_rmbs);
}

/* The peer takes 255 RMBs. No connection finds an element then, nor is one kept
 * waiting, and a server looks for another group
 */
static void rmbs_full(void)
{
	u8 h, n;

	st_full(2);
	for (h = 0; h < 2; h++) {
		HOLDS(lsim.host[!h].lgr->rtokens->nr == SMCR_MAX_RMBS);
		HOLDS(!has_room(lsim.host[h].lgr));
		/* One may be free, as an RMB is made before it is needed */
		for (n = 0; n < 2 && !st_take(h, BIG); n++)
			;
		HOLDS(n < 2);
		HOLDS(st_take(h, BIG) == -EMFILE);
		HOLDS(st_take(h, BIG / 2) == -EMFILE);
		HOLDS(lsim.host[h].lgr->n_rmbs == SMCR_MAX_RMBS);
		/* The first RMB has elements of another size */
		HOLDS(!st_take(h, 16384));
	}
	st_ends_with(2);
}

/* 128 continuations from each end tell all keys on a new link */
static void rmbs_told(void)
{
	st_full(2);
	lsim.max_regs = 3;
	st_ports_up(2);
	sim_pass(2000);
	HOLDS(st_is_active(SERVER, 3) && st_is_active(CLIENT, 3));
	HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK_CONT, false) == 128);
	HOLDS(st_sent(CLIENT, SMCR_LLC_ADD_LINK_CONT, true) == 128);
	HOLDS(SRV->rtokens->nr == SMCR_MAX_RMBS && CLN->rtokens->nr == SMCR_MAX_RMBS);
	st_ends_with(3);
}

/* The carrier fails in the midst of them */
static void rmbs_told_again(void)
{
	st_full(2);
	st_hold(CLIENT, SMCR_LLC_ADD_LINK_CONT, true);
	st_held[0].skip = 100;
	st_ports_up(2);
	st_run();
	HOLDS(st_step_of(SERVER) == SMCR_LLC_ADD_CONT);
	st_break_link(CLIENT, 1);
	st_run();
	st_let_go();
	sim_pass(10000);
	st_ends_with(3);
	HOLDS(SRV->rtokens->nr == SMCR_MAX_RMBS && CLN->rtokens->nr == SMCR_MAX_RMBS);
}

/* 32 DELETE RKEY of each host delete 254 RMBs, and then there is room again */
static void rmbs_deleted(void)
{
	u8 h;

	st_full(2);
	st_mark();
	elems_return(SERVER);
	elems_return(CLIENT);
	sim_pass(70000);
	for (h = 0; h < 2; h++) {
		HOLDS(lsim.host[h].lgr->n_rmbs == 1 && lsim.host[h].lgr->rtokens->nr == 1);
		HOLDS(st_sent(h, SMCR_LLC_DELETE_RKEY, false) >= 32);
	}
	for (h = 0; h < 2; h++)
		HOLDS(has_room(lsim.host[h].lgr) && !st_take(h, BIG));
	st_ends_with(2);
}

/* Two handshakes wait for elements of different sizes; each one is woken */
static void sizes(void)
{
	struct smcr_hs hs = { };
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(1);
		HOLDS(!st_take(h, BIG));
		/* This one waits, and has asked for an RMB */
		INIT_LIST_HEAD(&hs.wait_node);
		lsim.cur = h;
		smcr_lgr_wait_elem(lsim.host[h].lgr, &hs, BIG / 2);
		HOLDS(elem_take(h, BIG / 2) == -ENOSPC);
		/* This one has an element, and the group would make more */
		HOLDS(!elem_take(h, BIG));
		while (lsim.host[h].nr_held)
			elem_return(h, 0);
		st_run();
		HOLDS(lsim.woken == 1);
		smcr_lgr_unwait(lsim.host[h].lgr, &hs);
	}
}

/* An RMB with elements of one size cannot be made; those of another can */
static void one_size(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(1);
		st_small_regions(BIG / 2);
		HOLDS(elem_take(h, BIG) == -ENOSPC);
		st_run();
		HOLDS(!st_take(h, BIG / 2));
		HOLDS(st_take(h, BIG) == -EMSGSIZE);
		st_ends_with(1);
	}
}

/* Elements of a new RMB are for connections when the peer has answered CONFIRM RKEY */
static void told_first(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(2);
		st_hold(!h, SMCR_LLC_CONFIRM_RKEY, true);
		HOLDS(elem_take(h, BIG) == -ENOSPC);
		st_run();
		HOLDS(st_sent(!h, SMCR_LLC_CONFIRM_RKEY, true) == 1);
		HOLDS(elem_take(h, BIG) == -ENOSPC);
		st_let_go();
		st_run();
		HOLDS(!elem_take(h, BIG));
		st_ends_with(2);
	}
}

static void refuse_rkeys(const struct ib_qp *qp, struct smcr_llc_msg *msg)
{
	if (msg->type == SMCR_LLC_CONFIRM_RKEY && msg->reply)
		msg->confirm_rkey.negative = true;
}

/* CONFIRM RKEY that is refused without C is not repeated by itself, but for the next
 * connection that needs an RMB
 */
static void refused(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(1);
		lsim.honest = false;
		lsim.tamper = refuse_rkeys;
		HOLDS(elem_take(h, BIG) == -ENOSPC);
		sim_pass(5000);
		HOLDS(st_sent(h, SMCR_LLC_CONFIRM_RKEY, false) == 1);
		HOLDS(lsim.host[h].lgr->n_rmbs == 1);
		HOLDS(elem_take(h, BIG) == -EDQUOT);
		lsim.tamper = NULL;
		HOLDS(!st_take(h, BIG));
		HOLDS(st_sent(h, SMCR_LLC_CONFIRM_RKEY, false) == 2);
	}
}

const struct scase lsim_memory[] = {
	{ "rmbs-255", "the peer takes 255 RMBs; there is no further one", rmbs_full },
	{ "rmbs-255", "ADD LINK tells the keys of 255 RMBs of each host", rmbs_told },
	{ "rmbs-255", "the same, if the carrier fails meanwhile", rmbs_told_again },
	{ "rmbs-255", "DELETE RKEY of all of them makes room again", rmbs_deleted },
	{ "rmb-told", "an RMB is used when CONFIRM RKEY has been answered", told_first },
	{ "rmb-refused", "CONFIRM RKEY refused without C is for the next connection", refused },
	{ "rmb-sizes", "a handshake that waits is not forgotten for another size", sizes },
	{ "rmb-sizes", "the error of one size is not that of another", one_size },
	{ },
};
