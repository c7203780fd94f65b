// SPDX-License-Identifier: GPL-2.0
/*
 * The collisions of RFC 7609 3.5.5.3, K1 to K17, with the outcome that the RFC
 * asks for.
 */
#include "lsim_case.h"

static const enum smcr_llc_type add_steps[] = {
	SMCR_LLC_ADD_LINK, SMCR_LLC_ADD_LINK_CONT, SMCR_LLC_CONFIRM_LINK,
};

/* Run a scenario at a step of ADD LINK */
#define AT_EACH_STEP(i) for (u8 i = 0; i < 3; st_again(&i, ARRAY_SIZE(add_steps)))

static void k1(void)
{
	AT_EACH_STEP(i) {
		st_group(1);
		st_adding(add_steps[i], 1);
		st_test_by(CLIENT, 1);
		st_run();
		HOLDS(st_sent(SERVER, SMCR_LLC_TEST_LINK, true) == 1);
		st_ends_with(2);
	}
}

static void k2(void)
{
	const struct smcr_llc_msg msg = { .type = SMCR_LLC_ADD_LINK, .add_link.mtu = 3 };

	AT_EACH_STEP(i) {
		st_group(1);
		st_adding(add_steps[i], 1);
		st_send(CLIENT, 1, &msg);
		st_run();
		HOLDS(!st_sent(SERVER, SMCR_LLC_ADD_LINK, true) && !st_has_held(SERVER));
		st_ends_with(2);
		HOLDS(st_is_active(CLIENT, 1));
	}
}

static void k3(void)
{
	AT_EACH_STEP(i) {
		st_group(2);
		st_adding(add_steps[i], 2);
		st_break_link(CLIENT, 2);
		st_told();
		HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
		HOLDS(st_has_held(SERVER) && !st_sent(SERVER, SMCR_LLC_DELETE_LINK, false));
		st_let_go();
		st_run();
		HOLDS(st_last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 2);
		st_ends_with(3);
	}
}

/* The link that carries the exchange is the one that the client has lost */
static void k3_carrier(void)
{
	st_group(2);
	st_adding(SMCR_LLC_ADD_LINK, 2);
	st_break_link(CLIENT, 1);
	st_told();
	HOLDS(st_last(CLIENT, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 1);
	st_ends_with(3);
	HOLDS(!st_link_of(SERVER, 1) && st_is_active(SERVER, 2));
}

static void k4(void)
{
	AT_EACH_STEP(i) {
		st_group(1);
		st_adding(add_steps[i], 1);
		st_close_by(CLIENT);
		st_run();
		st_let_go();
		st_run();
		HOLDS(st_dead(SERVER) && st_dead(CLIENT));
	}
}

/* It names no link, whatever its number is */
static void k4_number(void)
{
	const struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link.all = true,
	};
	u8 buf[SMCR_ROCE_MSG_LEN];

	AT_EACH_STEP(i) {
		st_group(1);
		st_adding(add_steps[i], 1);
		smcr_llc_msg_encode(buf, CLN->dialect, &msg);
		/* The field behind the header */
		buf[4] = SRV->llc.add.link->num;
		st_send_raw(CLIENT, 1, buf);
		st_run();
		HOLDS(st_step_of(SERVER) == SMCR_LLC_CLOSING || st_dead(SERVER));
		st_let_go();
		st_run();
		HOLDS(st_dead(SERVER) && st_dead(CLIENT));
	}
}

/* The server ends the group in the middle of ADD LINK, and the client deletes the
 * new link before it hears of that
 */
static void k4_crossed(void)
{
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link.reason = SMCR_LLC_DEL_LOST_PATH,
	};

	AT_EACH_STEP(i) {
		st_group(1);
		st_adding(add_steps[i], 1);
		msg.delete_link.link_num = SRV->llc.add.link->num;
		st_hold(SERVER, SMCR_LLC_DELETE_LINK, false);
		st_close_by(SERVER);
		st_run();
		HOLDS(st_step_of(SERVER) == SMCR_LLC_CLOSING);
		st_send(CLIENT, 1, &msg);
		st_run();
		st_let_go();
		st_run();
		HOLDS(st_dead(SERVER) && st_dead(CLIENT));
	}
}

static void k5(void)
{
	st_group(1);
	st_adding(SMCR_LLC_ADD_LINK, 1);
	st_need_rmb(CLIENT);
	st_run();
	HOLDS(st_sent(CLIENT, SMCR_LLC_CONFIRM_RKEY, false) == 1);
	HOLDS(st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
	HOLDS(st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.retry);
	st_ends_with(2);
	HOLDS(st_last(CLIENT, SMCR_LLC_CONFIRM_RKEY, false)->confirm_rkey.nr_others == 1);
	HOLDS(!st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
}

static void k6(void)
{
	st_deleting(2);
	st_test_by(CLIENT, 1);
	st_run();
	HOLDS(st_sent(SERVER, SMCR_LLC_TEST_LINK, true) == 1);
	st_ends_with(2);
}

static void k7(void)
{
	const struct smcr_llc_msg msg = { .type = SMCR_LLC_ADD_LINK, .add_link.mtu = 3 };

	st_deleting(2);
	st_send(CLIENT, 1, &msg);
	st_run();
	HOLDS(st_has_held(SERVER) && !st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
	st_ends_with(2);
	HOLDS(!st_has_held(SERVER) && st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
}

static void k8(void)
{
	st_deleting(3);
	st_break_link(CLIENT, 3);
	st_told();
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(st_has_held(SERVER) && st_is_active(SERVER, 3));
	st_let_go();
	st_run();
	/* A Linux client needs a little time after its answer */
	if (st_linux)
		sim_pass(250);
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(st_last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 3);
	st_ends_with(3);
}

static void k9(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_deleting(2);
		st_close_by(h);
		st_run();
		st_let_go();
		st_run();
		HOLDS(st_dead(SERVER) && st_dead(CLIENT));
	}
}

static void k10(void)
{
	st_deleting(2);
	st_need_rmb(CLIENT);
	st_run();
	HOLDS(st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
	HOLDS(st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.retry);
	st_ends_with(2);
	HOLDS(!st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
}

static void k11(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_confirming(h, 2);
		st_test_by(!h, 1);
		st_run();
		HOLDS(st_sent(h, SMCR_LLC_TEST_LINK, true) == 1);
		st_ends_with(2);
	}
}

static void k12(void)
{
	const struct smcr_llc_msg msg = { .type = SMCR_LLC_ADD_LINK, .add_link.mtu = 3 };

	st_confirming(SERVER, 1);
	st_send(CLIENT, 1, &msg);
	st_run();
	HOLDS(st_has_held(SERVER));
	st_ends_with(1);
	HOLDS(!st_has_held(SERVER) && st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
}

static void k13(void)
{
	st_confirming(CLIENT, 1);
	st_ports_up(1);
	st_run();
	/* The client has handled ADD LINK, and its reply follows CONFIRM RKEY */
	HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false) == 1);
	HOLDS(st_sent(CLIENT, SMCR_LLC_ADD_LINK, true) == 1);
	st_let_go();
	/* It is not redone before this look */
	st_hold(SERVER, SMCR_LLC_CONFIRM_LINK, false);
	st_run();
	HOLDS(st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.retry);
	st_ends_with(2);
	HOLDS(st_last(CLIENT, SMCR_LLC_CONFIRM_RKEY, false)->confirm_rkey.nr_others == 1);
	HOLDS(!st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
}

/* The client's CONFIRM RKEY was answered, and its continuation is held */
static void continuing(void)
{
	st_group(4);
	st_hold(CLIENT, SMCR_LLC_CONFIRM_RKEY_CONT, false);
	st_need_rmb(CLIENT);
	st_run();
	HOLDS(st_sent(CLIENT, SMCR_LLC_CONFIRM_RKEY_CONT, false) == 1);
}

/* The server knows of the exchange, so it does not begin to change links */
static void k13_cont(void)
{
	continuing();
	st_ports_up(4);
	st_run();
	HOLDS(!st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
	st_let_go();
	st_run();
	HOLDS(!st_last(SERVER, SMCR_LLC_CONFIRM_RKEY_CONT, true)->rkey_cont.negative);
	HOLDS(st_sent(CLIENT, SMCR_LLC_CONFIRM_RKEY, false) == 1);
	HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
	st_ends_with(5);
	HOLDS(CLN->n_rmbs == 2);
}

/* Answers to CONFIRM RKEY that the client has not sent are ignored */
static bool answers_ignored(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	return qp->host == SERVER && msg->reply &&
	       (msg->type == SMCR_LLC_CONFIRM_RKEY || msg->type == SMCR_LLC_CONFIRM_RKEY_CONT);
}

/* A continuation that does not come keeps no link from being changed, and is refused
 * when it comes after all
 */
static void k13_late(void)
{
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_CONFIRM_RKEY,
		.confirm_rkey = {
			.nr_others = 3,
			.rkey = 0x4700,
			.other = { { 2, 0x4701, 0x5000 }, { 3, 0x4702, 0x6000 } },
		},
	};
	const struct smcr_llc_msg cont = {
		.type = SMCR_LLC_CONFIRM_RKEY_CONT,
		.rkey_cont = { .nr_left = 1, .other = { { 4, 0x4703, 0x7000 } } },
	};

	st_group(4);
	lsim.ignores = answers_ignored;
	st_send(CLIENT, 1, &msg);
	st_run();
	HOLDS(!st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
	st_ports_up(4);
	sim_pass(1900);
	HOLDS(!st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
	HOLDS(!lsim.host[SERVER].mib[SMCR_MIB_LLCTIMEOUTS]);
	sim_pass(200);
	HOLDS(st_links(SERVER) == 5 && st_links(CLIENT) == 5);
	HOLDS(lsim.host[SERVER].mib[SMCR_MIB_LLCTIMEOUTS] == 1);
	st_send(CLIENT, 1, &cont);
	st_run();
	HOLDS(st_last(SERVER, SMCR_LLC_CONFIRM_RKEY_CONT, true)->rkey_cont.negative);
	lsim.ignores = NULL;
	st_ends_with(5);
}

static void k14(void)
{
	st_confirming(SERVER, 2);
	st_break_link(CLIENT, 2);
	st_told();
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(st_has_held(SERVER) && st_is_active(SERVER, 2));
	st_let_go();
	st_run();
	HOLDS(st_last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 2);
	st_ends_with(2);
}

static void k15(void)
{
	st_confirming(CLIENT, 2);
	st_break_link(SERVER, 2);
	st_told();
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, true) == 1 && !st_is_active(CLIENT, 2));
	st_let_go();
	st_run();
	HOLDS(st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.retry);
	st_ends_with(2);
	HOLDS(!st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
}

static void k15_cont(void)
{
	continuing();
	st_break_link(SERVER, 2);
	st_told();
	HOLDS(!st_sent(SERVER, SMCR_LLC_DELETE_LINK, false));
	st_let_go();
	st_run();
	HOLDS(st_last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 2);
	/* The continuation has named the link, so CONFIRM RKEY is redone */
	st_ends_with(4);
	HOLDS(!st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
	HOLDS(CLN->n_rmbs == 2);
}

static void k16(void)
{
	u8 h;

	for (h = 0; h < 4; st_again(&h, 4)) {
		st_confirming(h & 1, 2);
		st_close_by(h >> 1);
		st_run();
		st_let_go();
		st_run();
		HOLDS(st_dead(SERVER) && st_dead(CLIENT));
	}
}

static void k17(void)
{
	st_confirming(SERVER, 2);
	st_need_rmb(CLIENT);
	st_run();
	HOLDS(st_sent(CLIENT, SMCR_LLC_CONFIRM_RKEY, false) == 1);
	HOLDS(!st_last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
	st_ends_with(2);
	HOLDS(!st_last(CLIENT, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
	HOLDS(st_sent(SERVER, SMCR_LLC_CONFIRM_RKEY, false) == 0);
}

static void k17_link(void)
{
	const struct smcr_llc_msg msg = {
		.type = SMCR_LLC_CONFIRM_LINK,
		.confirm_link = { .qpn = 77, .link_num = 2, .max_links = 8 },
	};

	st_confirming(SERVER, 2);
	st_send(CLIENT, 2, &msg);
	st_run();
	HOLDS(st_has_held(SERVER) && st_is_active(SERVER, 2));
	st_let_go();
	st_run();
	HOLDS(!st_is_active(SERVER, 2) && st_is_active(SERVER, 1));
	st_ends_with(2);
}

const struct scase lsim_collisions[] = {
	{ "K1", "TEST LINK during ADD LINK is answered at once", k1 },
	{ "K2", "a client's ADD LINK during ADD LINK is ignored", k2 },
	{ "K3", "a client's DELETE LINK during ADD LINK waits", k3 },
	{ "K3", "if the link carries ADD LINK, the exchange fails", k3_carrier },
	{ "K4", "a client's DELETE LINK (all) during ADD LINK ends the group", k4 },
	{ "K4", "even if it has the number of the link that is added", k4_number },
	{ "K4", "the server's one crosses a DELETE LINK of the new link", k4_crossed },
	{ "K5", "a client's CONFIRM RKEY during ADD LINK is refused and redone", k5 },
	{ "K6", "TEST LINK during DELETE LINK is answered at once", k6 },
	{ "K7", "a client's ADD LINK during DELETE LINK waits", k7 },
	{ "K8", "a client's DELETE LINK during DELETE LINK waits", k8 },
	{ "K9", "DELETE LINK (all) of either end during DELETE LINK ends the group", k9 },
	{ "K10", "a client's CONFIRM RKEY during DELETE LINK is refused and redone", k10 },
	{ "K11", "TEST LINK during CONFIRM RKEY is answered at once", k11 },
	{ "K12", "a client's ADD LINK during CONFIRM RKEY waits", k12 },
	{ "K13", "ADD LINK goes on, the CONFIRM RKEY that it crosses is redone", k13 },
	{ "K13", "ADD LINK waits for the continuation of CONFIRM RKEY", k13_cont },
	{ "K13", "but not without an end, and the late one is refused", k13_late },
	{ "K14", "a client's DELETE LINK during the server's CONFIRM RKEY waits", k14 },
	{ "K15", "DELETE LINK goes on, the CONFIRM RKEY that it crosses is redone", k15 },
	{ "K15", "DELETE LINK waits for the continuation of CONFIRM RKEY", k15_cont },
	{ "K16", "DELETE LINK (all) during CONFIRM RKEY ends the group", k16 },
	{ "K17", "CONFIRM RKEYs of both ends cross without a refusal", k17 },
	{ "K17", "CONFIRM LINK during CONFIRM RKEY waits, then fails its link", k17_link },
	{ },
};
