// SPDX-License-Identifier: GPL-2.0
/*
 * The recovery actions of RFC 7609 C.5, C.7, C.7.1 and C.8, R1 to R34, with the
 * outcome that the RFC asks for, and rules that have no letter.
 */
#include "lsim_case.h"

static void r2(void)
{
	lsim.host[SERVER].nr_ports = 1;
	lsim.host[CLIENT].nr_ports = 1;
	group_start();
	lsim.cur = CLIENT;
	smcr_llc_await_confirm(CLN);
	sim_pass(3900);
	HOLDS(!st_dead(CLIENT));
	sim_pass(200);
	HOLDS(st_dead(CLIENT) && CLN->llc.timed_out);
	lsim.cur = SERVER;
	smcr_lgr_give_up(SRV);
	st_run();
}

static void r3(void)
{
	st_hold(CLIENT, SMCR_LLC_CONFIRM_LINK, true);
	st_first_contact(1, 1, 1);
	sim_pass(5900);
	HOLDS(!st_dead(SERVER));
	sim_pass(200);
	HOLDS(st_dead(SERVER) && SRV->llc.timed_out);
}

/* Full packets of the server are lost: the group never becomes ACTIVE. The server
 * may decline (C.2) unless the client is Linux, which gets its probe later
 */
static void hole_server(void)
{
	lsim.host[SERVER].hole = true;
	st_first_contact(2, 2, 2);
	HOLDS(st_sent(CLIENT, SMCR_LLC_CONFIRM_LINK, true) == st_linux);
	HOLDS(lsim.host[SERVER].probes == 1);
	sim_pass(1000);
	HOLDS(st_dead(SERVER) && !SRV->llc.timed_out);
	HOLDS(SRV->llc.confirm_sent == st_linux);
	HOLDS(CLN->state == SMCR_LGR_FORMING && !st_sent(CLIENT, SMCR_LLC_ADD_LINK, true));
	lsim.cur = CLIENT;
	smcr_lgr_give_up(CLN);
	st_run();
}

/* Those of the client are lost: it may decline, and the server waits for that */
static void hole_client(void)
{
	lsim.host[CLIENT].hole = true;
	st_first_contact(2, 2, 2);
	HOLDS(lsim.host[CLIENT].probes == 1 && lsim.host[SERVER].probes == !st_linux);
	sim_pass(1000);
	HOLDS(st_dead(CLIENT) && !CLN->llc.timed_out && !CLN->llc.confirm_sent);
	HOLDS(SRV->state == SMCR_LGR_FORMING && SRV->llc.confirm_sent);
	HOLDS(!st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
	lsim.cur = SERVER;
	smcr_lgr_give_up(SRV);
	st_run();
}

/* Each end probes once, whatever links are added later */
static void no_hole(void)
{
	st_group(3);
	HOLDS(lsim.host[SERVER].probes == 1 && lsim.host[CLIENT].probes == 1);
	HOLDS(lsim.host[SERVER].mib[SMCR_MIB_PATHPROBES] == 1);
	HOLDS(lsim.host[CLIENT].mib[SMCR_MIB_PATHPROBES] == 1);
	st_ends_with(3);
}

static u8 number_of_further(u8 host)
{
	const struct smcr_lgr *lgr = lsim.host[host].lgr;
	u8 num = 0, i;

	for (i = 0; i < SMCR_MAX_LINKS; i++)
		if (lgr->links[i] && lgr->links[i]->num > num)
			num = lgr->links[i]->num;
	return num;
}

/* A further link loses long packets, which its end finds out: the next one has the
 * next smaller MTU at both ends, and with none left there is no other for a
 * while. Then one has the MTU of its port; its loss repeats no step
 */
static void hole_further(void)
{
	u8 h, n;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(2);
		for (n = 3; n; n--) {
			HOLDS(st_links(h) == 2 && st_link_of(h, 5 - n)->mtu == n);
			HOLDS(st_link_of(!h, 5 - n)->mtu == n);
			set_bit(SMCR_LINK_F_LONG_LOST, &st_link_of(h, 5 - n)->flags);
			qp_fail(st_link_of(h, 5 - n)->qp, -ETIMEDOUT);
			sim_pass(5000);
			HOLDS(lsim.host[h].listed_mtu == n && !lsim.host[!h].listed_mtu);
		}
		sim_pass(70000);
		HOLDS(st_links(h) == 1 && st_links(!h) == 1);
		sim_pass(NEGATIVE_MAX);
		HOLDS(st_links(h) == 2);
		n = number_of_further(h);
		HOLDS(st_link_of(h, n)->mtu == 3 && st_link_of(!h, n)->mtu == 3);
		set_bit(SMCR_LINK_F_LONG_LOST, &st_link_of(h, n)->flags);
		qp_fail(st_link_of(h, n)->qp, -ETIMEDOUT);
		sim_pass(70000);
		HOLDS(lsim.host[h].listed_mtu == 3);
		HOLDS(st_links(h) == 1 && st_links(!h) == 1);
	}
}

static void r4(void)
{
	lsim.cut[1][1] = true;
	st_hold(CLIENT, SMCR_LLC_DELETE_LINK, true);
	st_first_contact(2, 2, 2);
	HOLDS(st_step_of(SERVER) == SMCR_LLC_ADD_CONFIRM);
	/* The server's queue pair gives up */
	sim_pass(1000);
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(SRV->state == SMCR_LGR_FORMING);
	st_let_go();
	st_run();
	HOLDS(SRV->state == SMCR_LGR_ACTIVE && CLN->state == SMCR_LGR_ACTIVE);
	st_heal_paths();
	st_ends_with(2);
}

static void r5(void)
{
	st_group(1);
	lsim.cut[1][1] = true;
	st_ports_up(1);
	sim_pass(800);
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(SRV->grow.on && st_is_active(SERVER, 1) && st_links(SERVER) == 1);
	st_heal_paths();
	st_ends_with(2);
}

static void r6(void)
{
	st_hold(SERVER, SMCR_LLC_ADD_LINK, false);
	st_first_contact(1, 1, 1);
	HOLDS(st_step_of(CLIENT) == SMCR_LLC_FIRST_ADD);
	sim_pass(4100);
	HOLDS(st_dead(CLIENT));
}

static void r7(void)
{
	st_hold(CLIENT, SMCR_LLC_ADD_LINK, true);
	st_first_contact(1, 1, 1);
	HOLDS(st_step_of(SERVER) == SMCR_LLC_ADD_REPLY);
	sim_pass(6100);
	HOLDS(st_dead(SERVER));
}

/* A message of ADD LINK is missing, and the carrier fails, toward a Linux peer when
 * a TEST LINK is missing, too. Only the timer of the host that waits for it can tell
 */
static void add_lost(u8 host, enum smcr_llc_type type, bool reply, u8 skip)
{
	st_hold(host, type, reply);
	st_held[0].skip = skip;
	st_ports_up(2);
	st_run();
	st_stall(host, st_linux ? 4100 : 2100);
	sim_pass(2070);
	if (st_linux) {
		HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
		sim_pass(2000);
	}
	HOLDS(!st_is_active(!host, 1));
	st_let_go();
	sim_pass(2500);
	HOLDS(!st_link_of(SERVER, 1) && !st_link_of(CLIENT, 1));
	HOLDS(st_is_active(SERVER, 2) && st_is_active(CLIENT, 2));
	st_ends_with(3);
}

/* The server cannot create a queue pair for its offer */
static void no_offer(void)
{
	u8 i, ports;

	for (i = 0; i < 2; st_again(&i, 2)) {
		ports = i + 1;
		lsim.host[SERVER].nr_ports = ports;
		lsim.host[CLIENT].nr_ports = ports;
		group_start();
		SRV->offer_linux = st_linux;
		lsim.poor[SERVER] = 0xFF;
		group_enter();
		st_run();
		HOLDS(SRV->state == SMCR_LGR_ACTIVE && CLN->state == SMCR_LGR_ACTIVE);
		HOLDS(st_links(SERVER) == 1 && st_links(CLIENT) == 1);
		HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false) == 1);
		HOLDS(!st_last(SERVER, SMCR_LLC_ADD_LINK, false)->add_link.mtu);
		HOLDS(st_last(CLIENT, SMCR_LLC_ADD_LINK, true)->add_link.reject);
		HOLDS(lsim.host[SERVER].mib[SMCR_MIB_ADDLINKEMPTY] == 1);
		/* It goes on trying, but without a message */
		sim_pass(10000);
		HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false) == 1);
		lsim.poor[SERVER] = 0;
		sim_pass(70000);
		HOLDS(st_links(SERVER) == ports);
		st_ends_with(ports);
	}
}

/* The RMB work of a host is inside the adapter for a minute. Its group answers
 * meanwhile, and has its second link after that
 */
static void late_link(void)
{
	u8 h, i;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(1);
		lsim.host[h].inside = jiffies + 60000;
		st_ports_up(1);
		sim_pass(30000);
		HOLDS(st_links(SERVER) == 1 && st_links(CLIENT) == 1);
		st_test_by(!h, 1);
		sim_pass(1000);
		HOLDS(st_sent(h, SMCR_LLC_TEST_LINK, true));
		sim_pass(200000);
		for (i = 0; i < 2; i++)
			HOLDS(!lsim.host[i].mib[SMCR_MIB_LLCTIMEOUTS] &&
			      !lsim.host[i].mib[SMCR_MIB_LINKSFAILED]);
		st_ends_with(2);
	}
}

/* The same in a first contact, which does not wait for that */
static void late_offer(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		lsim.host[SERVER].nr_ports = 2;
		lsim.host[CLIENT].nr_ports = 2;
		group_start();
		SRV->offer_linux = st_linux;
		lsim.host[h].inside = jiffies + 60000;
		group_enter();
		sim_pass(3000);
		HOLDS(SRV->state == SMCR_LGR_ACTIVE && CLN->state == SMCR_LGR_ACTIVE);
		HOLDS(st_links(SERVER) == 1 && st_links(CLIENT) == 1);
		HOLDS(lsim.host[SERVER].mib[SMCR_MIB_ADDLINKEMPTY] == (h == SERVER));
		HOLDS(st_last(CLIENT, SMCR_LLC_ADD_LINK, true)->add_link.reject);
		sim_pass(200000);
		st_ends_with(2);
	}
}

/* A group closes while a link is being made. The peer does not answer, so it ends at
 * its deadline
 */
static void late_close(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(1);
		lsim.host[h].inside = jiffies + 60000;
		st_ports_up(1);
		st_run();
		HOLDS(lsim.host[h].lgr->llc.add.making);
		st_hold(SERVER, SMCR_LLC_DELETE_LINK, false);
		st_close_by(h);
		st_run();
		HOLDS(st_step_of(h) == SMCR_LLC_CLOSING);
		sim_pass(10000);
		HOLDS(st_dead(h));
		st_let_go();
		if (!st_dead(!h))
			sim_close(!h);
	}
}

/* A client tells keys before the server, whose adapter takes its time, has asked */
static void early_keys(void)
{
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_ADD_LINK_CONT,
		.reply = true,
	};

	st_group(1);
	st_hold(CLIENT, SMCR_LLC_ADD_LINK, true);
	st_ports_up(1);
	st_run();
	lsim.host[SERVER].inside = jiffies + 60000;
	st_let_go();
	st_run();
	HOLDS(st_step_of(SERVER) == SMCR_LLC_ADD_CONT);
	msg.add_cont.link_num = SRV->llc.add.link->num;
	st_hold(SERVER, SMCR_LLC_ADD_LINK_CONT, false);
	st_send(CLIENT, 1, &msg);
	st_run();
	HOLDS(st_dead(SERVER) && lsim.host[SERVER].mib[SMCR_MIB_BADLLC] == 1);
	st_let_go();
	sim_pass(40000);
	HOLDS(st_dead(CLIENT));
}

/* A client that agrees to the empty offer is faulty */
static void agree_to_nothing(const struct ib_qp *qp, struct smcr_llc_msg *msg)
{
	if (qp->host != CLIENT || msg->type != SMCR_LLC_ADD_LINK || !msg->reply)
		return;
	msg->add_link.reject = false;
	msg->add_link.mtu = 3;
	msg->add_link.qpn = 99;
}

static void nothing_agreed(void)
{
	lsim.honest = false;
	lsim.host[SERVER].nr_ports = 1;
	lsim.host[CLIENT].nr_ports = 1;
	group_start();
	lsim.poor[SERVER] = 0xFF;
	lsim.tamper = agree_to_nothing;
	group_enter();
	st_run();
	HOLDS(st_dead(SERVER) && lsim.host[SERVER].mib[SMCR_MIB_BADLLC] == 1);
	sim_pass(40000);
	HOLDS(st_dead(CLIENT));
}

/* Only the server's second adapter cannot: the client's one is used all the same */
static void other_offer(void)
{
	lsim.host[SERVER].nr_ports = 3;
	lsim.host[CLIENT].nr_ports = 2;
	group_start();
	SRV->offer_linux = st_linux;
	lsim.poor[SERVER] = 1 << 1;
	group_enter();
	sim_pass(5000);
	HOLDS(!lsim.host[SERVER].mib[SMCR_MIB_ADDLINKEMPTY]);
	HOLDS(st_links(SERVER) >= 2 && st_links(CLIENT) == st_links(SERVER));
	sim_pass(70000);
	HOLDS(group_grown());
}

static void r8(void)
{
	st_group(2);
	add_lost(CLIENT, SMCR_LLC_ADD_LINK, true, 0);
}

static void r9(void)
{
	st_group(2);
	add_lost(SERVER, SMCR_LLC_ADD_LINK_CONT, false, 0);
}

static void r10(void)
{
	st_hold(SERVER, SMCR_LLC_CONFIRM_LINK, false);
	st_held[0].link = 2;
	st_first_contact(2, 2, 2);
	HOLDS(st_step_of(CLIENT) == SMCR_LLC_ADD_CONFIRM);
	st_stall(SERVER, 2500);
	sim_pass(2100);
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(CLN->state == SMCR_LGR_FORMING);
	sim_pass(500);
	HOLDS(CLN->state == SMCR_LGR_ACTIVE && st_links(CLIENT) == 1);
	st_ends_with(2);
}

static void r11(void)
{
	st_group(1);
	st_hold(SERVER, SMCR_LLC_CONFIRM_LINK, false);
	st_ports_up(1);
	st_run();
	HOLDS(st_step_of(CLIENT) == SMCR_LLC_ADD_CONFIRM);
	st_stall(SERVER, 2500);
	sim_pass(2100);
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(st_is_active(CLIENT, 1) && st_links(CLIENT) == 1 && CLN->grow.on);
	st_ends_with(2);
}

static void r12(void)
{
	st_group(2);
	add_lost(CLIENT, SMCR_LLC_ADD_LINK_CONT, true, 0);
}

static void r13(void)
{
	st_hold(SERVER, SMCR_LLC_ADD_LINK_CONT, false);
	st_first_contact(2, 2, 2);
	HOLDS(st_step_of(CLIENT) == SMCR_LLC_ADD_CONT);
	sim_pass(4100);
	HOLDS(st_dead(CLIENT));
}

static void r14(void)
{
	st_group(2);
	st_need_rmb(SERVER);
	st_run();
	st_need_rmb(SERVER);
	st_run();
	/* Three RMBs take two continuations */
	HOLDS(SRV->n_rmbs == 3);
	add_lost(SERVER, SMCR_LLC_ADD_LINK_CONT, false, 1);
}

static void r15(void)
{
	st_group(3);
	st_hold(CLIENT, SMCR_LLC_DELETE_LINK, false);
	st_break_link(CLIENT, 3);
	st_told();
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	st_break_link(CLIENT, 1);
	st_told();
	/* One more for each of both links, over the survivor */
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 3);
	HOLDS(st_is_active(CLIENT, 2));
	st_ends_with(3);
}

static void r15_last(void)
{
	st_group(2);
	st_hold(CLIENT, SMCR_LLC_DELETE_LINK, false);
	st_break_link(CLIENT, 2);
	st_told();
	st_break_link(CLIENT, 1);
	st_told();
	HOLDS(st_dead(CLIENT));
}

static void r16(void)
{
	st_group(1);
	st_cut_link(1);
	st_close_by(SERVER);
	st_run();
	HOLDS(!st_dead(SERVER) && st_step_of(SERVER) == SMCR_LLC_CLOSING);
	sim_pass(600);
	HOLDS(st_dead(SERVER));
	st_heal_paths();
}

/* The first link is silent, and nobody has noticed */
static void r16_other(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(2);
		st_cut_link(1);
		st_close_by(h);
		sim_pass(400);
		HOLDS(!st_dead(SERVER) && !st_dead(CLIENT));
		/* The client's request and the server's own take a retry time each */
		sim_pass(h == CLIENT ? 700 : 200);
		HOLDS(st_dead(SERVER) && st_dead(CLIENT));
		HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 2);
		HOLDS(h == SERVER || st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 2);
		st_heal_paths();
	}
}

static void r17(void)
{
	st_group(3);
	st_hold(SERVER, SMCR_LLC_DELETE_LINK, false);
	st_break_link(SERVER, 3);
	st_told();
	HOLDS(st_step_of(SERVER) == SMCR_LLC_DELETE);
	st_break_link(SERVER, 1);
	st_told();
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 2);
	HOLDS(st_is_active(SERVER, 2));
	st_ends_with(3);
}

static void rkey_lost(u8 host)
{
	st_confirming(host, 2);
	sim_pass(2100);
	HOLDS(!st_is_active(host, 1) && st_is_active(host, 2));
	st_ends_with(2);
	HOLDS(st_sent(host, SMCR_LLC_CONFIRM_RKEY, false) >= 1);
}

static void r18(void)
{
	rkey_lost(CLIENT);
}

static void r19(void)
{
	rkey_lost(SERVER);
}

/* Another reason for a test does not repeat it, and so does not defer its end (C.4) */
static void test_lost(u8 host)
{
	st_group(2);
	st_hold(!host, SMCR_LLC_TEST_LINK, true);
	st_test_by(host, 2);
	sim_pass(1500);
	st_test_by(host, 2);
	sim_pass(600);
	HOLDS(st_sent(host, SMCR_LLC_TEST_LINK, false) == 1);
	HOLDS(!st_is_active(host, 2) && st_is_active(host, 1));
	HOLDS(st_sent(host, SMCR_LLC_DELETE_LINK, false) == 1);
	st_ends_with(2);
}

static void r20(void)
{
	test_lost(CLIENT);
}

static void r21(void)
{
	test_lost(SERVER);
}

/* Change the messages that a scenario is about */
static u8 spoil_host;
static void (*spoil_fn)(struct smcr_llc_msg *msg);

static void spoil_one(const struct ib_qp *qp, struct smcr_llc_msg *msg)
{
	if (qp->host == spoil_host)
		spoil_fn(msg);
}

static void spoil(u8 host, void (*fn)(struct smcr_llc_msg *msg))
{
	lsim.honest = false;
	spoil_host = host;
	spoil_fn = fn;
	lsim.tamper = spoil_one;
}

static void spoil_end(void)
{
	lsim.tamper = NULL;
}

static void wrong_qpn(struct smcr_llc_msg *msg)
{
	if (msg->type == SMCR_LLC_CONFIRM_LINK)
		msg->confirm_link.qpn ^= 1;
}

static void r22(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(1);
		spoil(h, wrong_qpn);
		st_ports_up(1);
		sim_pass(700);
		HOLDS(st_sent(!h, SMCR_LLC_DELETE_LINK, false) >= 1);
		HOLDS(st_is_active(SERVER, 1) && st_links(SERVER) == 1);
		spoil_end();
		st_ends_with(2);
	}
}

static void r22_first(void)
{
	spoil(SERVER, wrong_qpn);
	st_first_contact(1, 1, 1);
	HOLDS(st_dead(CLIENT));
	spoil_end();
}

static void bad_mtu(struct smcr_llc_msg *msg)
{
	if (msg->type == SMCR_LLC_ADD_LINK)
		msg->add_link.mtu = 9;
}

static void r23(void)
{
	st_group(1);
	spoil(SERVER, bad_mtu);
	st_ports_up(1);
	st_run();
	HOLDS(st_last(CLIENT, SMCR_LLC_ADD_LINK, true)->add_link.reject);
	HOLDS(st_last(CLIENT, SMCR_LLC_ADD_LINK, true)->add_link.reason == SMCR_LLC_ADD_BAD_MTU);
	HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
	spoil_end();
	st_ends_with(2);
}

static void same_gid(struct smcr_llc_msg *msg)
{
	if (msg->type == SMCR_LLC_ADD_LINK && msg->reply) {
		port_gid(CLIENT, 0, msg->add_link.gid);
		msg->add_link.mac[5] = msg->add_link.gid[15];
	}
}

static void r24(void)
{
	/* The server's second link has the port of the first one */
	spoil(CLIENT, same_gid);
	st_first_contact(1, 2, 2);
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) >= 1);
	HOLDS(st_links(SERVER) == 1);
	spoil_end();
	st_ends_with(2);
}

static void r25(void)
{
	st_group(1);
	st_need_rmb(SERVER);
	st_run();
	st_need_rmb(SERVER);
	st_run();
	/* The client's end of the new link fails, and a continuation crosses */
	st_hold(SERVER, SMCR_LLC_ADD_LINK_CONT, false);
	st_ports_up(1);
	st_run();
	HOLDS(st_step_of(CLIENT) == SMCR_LLC_ADD_CONT);
	st_break_link(CLIENT, CLN->llc.add.link->num);
	st_told();
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	st_let_go();
	st_run();
	HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
	st_ends_with(2);
}

static void r25_server(void)
{
	st_group(1);
	/* The same at the server, when the client's reply is on its way */
	st_hold(CLIENT, SMCR_LLC_ADD_LINK, true);
	st_ports_up(1);
	st_run();
	st_break_link(SERVER, SRV->llc.add.link->num);
	st_told();
	st_let_go();
	st_run();
	HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
	st_ends_with(2);
}

static void miscount(struct smcr_llc_msg *msg)
{
	static u8 nth;

	if (msg->type == SMCR_LLC_ADD_LINK_CONT && ++nth % 2 == 0)
		msg->add_cont.nr_left = 2;
}

static void r26(void)
{
	st_group(2);
	st_need_rmb(SERVER);
	st_run();
	st_need_rmb(SERVER);
	st_run();
	HOLDS(SRV->n_rmbs == 3);
	spoil(SERVER, miscount);
	st_ports_up(2);
	st_run();
	HOLDS(!st_is_active(CLIENT, 1) && st_is_active(CLIENT, 2));
	spoil_end();
	st_ends_with(3);
}

/* The same in a continuation of CONFIRM RKEY, of which one key is left */
static void r26_rkey(void)
{
	const struct smcr_llc_msg msg = {
		.type = SMCR_LLC_CONFIRM_RKEY,
		.confirm_rkey = {
			.nr_others = 3,
			.rkey = 0x4700,
			.other = { { 2, 0x4701, 0x5000 }, { 3, 0x4702, 0x6000 } },
		},
	};
	const struct smcr_llc_msg cont = {
		.type = SMCR_LLC_CONFIRM_RKEY_CONT,
		.rkey_cont = {
			.nr_left = 2,
			.other = { { 4, 0x4703, 0x7000 }, { 5, 0x4704, 0x8000 } },
		},
	};
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(4);
		st_hold(!h, SMCR_LLC_CONFIRM_RKEY, true);
		st_send(h, 1, &msg);
		st_send(h, 1, &cont);
		st_run();
		HOLDS(!st_sent(!h, SMCR_LLC_CONFIRM_RKEY_CONT, true));
		HOLDS(!st_is_active(!h, 1) && st_links(!h) == 3);
		HOLDS(lsim.host[!h].mib[SMCR_MIB_BADLLC] == 1);
	}
}

static void unknown_link(u8 host)
{
	const struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = { .link_num = 77, .reason = SMCR_LLC_DEL_LOST_PATH },
	};

	st_group(2);
	st_send(host, 1, &msg);
	st_run();
	HOLDS(st_sent(!host, SMCR_LLC_DELETE_LINK, true) == 1);
	HOLDS(st_last(!host, SMCR_LLC_DELETE_LINK, true)->delete_link.reason ==
	      SMCR_LLC_DEL_NO_LINK);
	HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
}

static void r27(void)
{
	unknown_link(CLIENT);
	/* The client has lost a link that the server is deleting */
	sim_close(SERVER);
	st_fresh();
	st_deleting(2);
	st_break_link(CLIENT, 2);
	st_told();
	st_ends_with(2);
}

static void r28(void)
{
	const struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = { .link_num = 77, .reason = SMCR_LLC_DEL_LOST_PATH },
	};

	st_group(2);
	/* The server does not wait for the reply */
	st_hold(CLIENT, SMCR_LLC_DELETE_LINK, true);
	st_send(SERVER, 1, &msg);
	st_run();
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, true) == 1);
	HOLDS(st_last(CLIENT, SMCR_LLC_DELETE_LINK, true)->delete_link.reason ==
	      SMCR_LLC_DEL_NO_LINK);
	HOLDS(st_links(CLIENT) == 2);
}

static void r29(void)
{
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_CONFIRM_RKEY,
		.confirm_rkey.vaddr = 0x5000,
	};
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(2);
		lsim.key[++lsim.keys] = (struct key){
			.qp = st_link_of(h, 1)->qpn, .rmb = 99, .host = h, .vaddr = 0x5000,
		};
		msg.confirm_rkey.rkey = lsim.keys << 8;
		st_hold(!h, SMCR_LLC_CONFIRM_RKEY, true);
		st_send(h, 1, &msg);
		st_run();
		HOLDS(st_sent(!h, SMCR_LLC_CONFIRM_RKEY, true) == 1);
		HOLDS(!st_last(!h, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
		HOLDS(st_is_active(!h, 1) && !st_is_active(!h, 2));
	}
}

static void r30(void)
{
	const struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_RKEY,
		.delete_rkey = { .count = 2, .rkey = { 0x12345678, 0x77 } },
	};
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(2);
		st_hold(!h, SMCR_LLC_DELETE_RKEY, true);
		st_send(h, 1, &msg);
		st_run();
		HOLDS(st_last(!h, SMCR_LLC_DELETE_RKEY, true)->delete_rkey.negative);
		HOLDS(st_last(!h, SMCR_LLC_DELETE_RKEY, true)->delete_rkey.error_mask == 0xC0);
		HOLDS(st_links(SERVER) == 2);
	}
	st_let_go();
}

static void wrong_data(struct smcr_llc_msg *msg)
{
	if (msg->type == SMCR_LLC_TEST_LINK && msg->reply)
		msg->test_link.data[3] ^= 0x40;
}

static void r31(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(2);
		spoil(!h, wrong_data);
		st_test_by(h, 2);
		st_run();
		HOLDS(!st_is_active(h, 2) && st_is_active(h, 1));
		spoil_end();
		st_ends_with(2);
	}
}

static void r32(void)
{
	const u8 buf[SMCR_ROCE_MSG_LEN] = { SMCR_LLC_CLASS_OPTIONAL | 5, SMCR_ROCE_MSG_LEN };
	struct ib_qp *qp;
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(2);
		lsim.honest = false;
		qp = st_link_of(h, 1)->qp;
		memcpy(qp->wr[qp->posted++ % QP_MSGS].buf, buf, sizeof(buf));
		st_run();
		HOLDS(lsim.host[!h].mib[SMCR_MIB_LLCIGNORED] == 1);
		HOLDS(!lsim.host[!h].mib[SMCR_MIB_BADLLC]);
		HOLDS(st_is_active(!h, 1));
	}
}

/* Messages that an idle group does not expect; sent by the server, the client */
static const struct {
	u8 by;
	struct smcr_llc_msg msg;
} unexpected[] = {
	{ 3, { SMCR_LLC_CONFIRM_LINK, false, .confirm_link = { .qpn = 9, .link_num = 1 } } },
	{ 3, { SMCR_LLC_CONFIRM_LINK, true, .confirm_link = { .qpn = 9, .link_num = 1 } } },
	{ 3, { SMCR_LLC_ADD_LINK, true, .add_link = { .qpn = 9, .link_num = 99, .mtu = 3 } } },
	{ 3, { SMCR_LLC_ADD_LINK_CONT, false, .add_cont = { .link_num = 99 } } },
	{ 3, { SMCR_LLC_ADD_LINK_CONT, true, .add_cont = { .link_num = 99 } } },
	{ 2, { SMCR_LLC_DELETE_LINK, true, .delete_link = { .link_num = 99 } } },
	{ 3, { SMCR_LLC_CONFIRM_RKEY, true, .confirm_rkey = { .rkey = 1 } } },
	{ 3, { SMCR_LLC_CONFIRM_RKEY_CONT, false,
	       .rkey_cont = { .nr_left = 1, .other = { { .link_num = 1 } } } } },
	{ 3, { SMCR_LLC_CONFIRM_RKEY_CONT, true,
	       .rkey_cont = { .nr_left = 1, .other = { { .link_num = 1 } } } } },
	{ 3, { SMCR_LLC_DELETE_RKEY, true, .delete_rkey = { .count = 1, .rkey = { 7 } } } },
	{ 3, { SMCR_LLC_TEST_LINK, true, .test_link = { .data = { 1 } } } },
	/* A client's ADD LINK names no link; that of a server must */
	{ 1, { SMCR_LLC_ADD_LINK, false,
	       .add_link = { .mtu = 3, .gid = { [10] = 0xFF, 0xFF }, .mac = { [5] = 7 } } } },
};

static void r33(void)
{
	u8 i;

	for (i = 0; i < 2 * ARRAY_SIZE(unexpected); st_again(&i, 2 * ARRAY_SIZE(unexpected))) {
		st_group(2);
		if (unexpected[i / 2].by & 1 << i % 2) {
			st_ports_up(2 - (unexpected[i / 2].by == 3));
			st_let_go();
			sim_settle();
			st_mark();
			st_send(i % 2, 2, &unexpected[i / 2].msg);
			st_run();
			HOLDS(!st_is_active(!(i % 2), 2) && st_is_active(!(i % 2), 1));
		}
	}
}

static void r34(void)
{
	st_group(2);
	/* The path of the second link is silent: the retry timer restores it */
	st_cut_link(2);
	st_test_by(SERVER, 2);
	sim_pass(3000);
	HOLDS(st_links(SERVER) == 1 && st_links(CLIENT) == 1);
	st_heal_paths();
	sim_pass(9000);
	HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
	/* Its port goes down, and comes up */
	port_set(SERVER, 1, false);
	port_remove(CLIENT, 1);
	st_break_link(SERVER, SRV->links[1]->num);
	sim_pass(100000);
	HOLDS(st_links(SERVER) == 1);
	st_ports_up(1);
	sim_pass(2000);
	HOLDS(st_links(SERVER) == 2);
	st_ends_with(2);
}

static bool asks_ignored(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	return qp->host == CLIENT && msg->type == SMCR_LLC_ADD_LINK && !msg->reply;
}

/* The client has no second port in the first contact, and does not ask when it has one */
static void refused(void)
{
	st_group(1);
	HOLDS(st_last(CLIENT, SMCR_LLC_ADD_LINK, true)->add_link.reject);
	lsim.ignores = asks_ignored;
	port_set(CLIENT, 1, true);
	sim_pass(585000);
	HOLDS(!st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
	HOLDS(st_links(SERVER) == 1);
	sim_pass(25000);
	HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false) == 1);
	HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
	lsim.ignores = NULL;
	st_ends_with(2);
}

/* The paths of a port are silent: the time between tries doubles */
static void tries_doubled(void)
{
	unsigned long at = jiffies, gap = 0, last;
	u32 n, tries = 0;

	st_cut_link(2);
	st_test_by(SERVER, 2);
	sim_pass(3000);
	HOLDS(st_links(SERVER) == 1 && st_links(CLIENT) == 1);
	for (n = 0; n < 1200 && gap < 30000; n++) {
		sim_pass(100);
		if (st_sent(SERVER, SMCR_LLC_ADD_LINK, false) == tries)
			continue;
		HOLDS(++tries == st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
		last = gap;
		gap = jiffies - at;
		at = jiffies;
		/* Each try takes up to two seconds until it fails. The client
		 * asks by its own timer, so the first ones may be close.
		 */
		HOLDS(tries < 4 || (gap > last + last / 4 && gap <= 2 * last + 2500));
	}
	HOLDS(gap >= 30000 && tries >= 5 && tries <= 7);
	/* This try fails, too */
	sim_pass(5000);
	HOLDS(st_links(SERVER) == 1);
}

/* Nothing tells that the paths are good, and then a port event does */
static void doubles(void)
{
	st_group(2);
	lsim.roce_only = true;
	tries_doubled();
	st_heal_paths();
	port_set(one_in(2) ? SERVER : CLIENT, 1, false);
	st_ports_up(1);
	sim_pass(3000);
	HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
	st_ends_with(2);
}

static u64 paths_back(void)
{
	return lsim.host[SERVER].mib[SMCR_MIB_PATHSBACK] +
	       lsim.host[CLIENT].mib[SMCR_MIB_PATHSBACK];
}

/* A neighbour that answers again tells that its path is good */
static void neighbours(void)
{
	st_group(2);
	tries_doubled();
	HOLDS(!paths_back());
	st_heal_paths();
	sim_pass(3000);
	HOLDS(paths_back());
	HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
	st_ends_with(2);
}

/* Other rules */

/* The number of the server's link besides link 1 */
static u8 other_num(void)
{
	u8 s;

	for (s = 0; s < SMCR_MAX_LINKS; s++)
		if (SRV->links[s] && SRV->links[s]->num != 1 &&
		    SRV->links[s]->state == SMCR_LINK_ACTIVE)
			return SRV->links[s]->num;
	return 0;
}

/* A link number returns when all 255 were used, also if the client has refused
 * or not seen some
 */
static void numbers(void)
{
	u32 n;

	st_group(1);
	for (n = 0; n < 600; n++) {
		u8 num;

		if (n % 5 == 4) {
			/* The client has no port, and refuses */
			port_set(SERVER, 1, true);
			sim_pass(3000);
			port_set(SERVER, 1, false);
			continue;
		}
		st_ports_up(1);
		sim_pass(3000);
		HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
		num = other_num();
		st_break_link(n & 1, num);
		port_set(SERVER, 1, false);
		port_set(CLIENT, 1, false);
		sim_pass(3000);
		HOLDS(st_is_active(SERVER, 1) && st_is_active(CLIENT, 1));
		st_need_rmb(n & 1);
		elems_return(n & 1);
	}
	st_ends_with(1);
}

/* A host begins CONFIRM RKEY again over another link, and the peer has not
 * noticed that the first one has failed
 */
static void moved_rkey(void)
{
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_CONFIRM_RKEY,
		.confirm_rkey.nr_others = 3,
		.confirm_rkey.other = { { .link_num = 2 }, { .link_num = 3 } },
	};
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(4);
		st_hold(!h, SMCR_LLC_CONFIRM_RKEY, true);
		st_send(h, 1, &msg);
		st_run();
		HOLDS(st_sent(!h, SMCR_LLC_CONFIRM_RKEY, true) == 1);
		st_send(h, 2, &msg);
		st_run();
		HOLDS(st_sent(!h, SMCR_LLC_CONFIRM_RKEY, true) == 2);
		HOLDS(st_links(!h) == 4);
		/* Over the same link it breaks the protocol */
		st_send(h, 2, &msg);
		st_run();
		HOLDS(!st_is_active(!h, 2));
	}
}

/* A CONFIRM RKEY names one link twice, in its continuation again. So the key on
 * another link is missing, but the count is right.
 */
static void twice_named(void)
{
	const struct smcr_llc_msg msg = {
		.type = SMCR_LLC_CONFIRM_RKEY,
		.confirm_rkey = {
			.nr_others = 3,
			.rkey = 0x4700,
			.other = { { 2, 0x4701, 0x5000 }, { 3, 0x4702, 0x6000 } },
		},
	};
	const struct smcr_llc_msg cont = {
		.type = SMCR_LLC_CONFIRM_RKEY_CONT,
		.rkey_cont = { .nr_left = 1, .other = { { 3, 0x4702, 0x6000 } } },
	};
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(4);
		st_hold(!h, SMCR_LLC_CONFIRM_RKEY, true);
		st_send(h, 1, &msg);
		st_send(h, 1, &cont);
		st_run();
		HOLDS(st_sent(!h, SMCR_LLC_CONFIRM_RKEY_CONT, true) == 1);
		HOLDS(st_last(!h, SMCR_LLC_CONFIRM_RKEY_CONT, true)->rkey_cont.negative);
		HOLDS(st_links(!h) == 4);
	}
}

/* A client's CONFIRM RKEY is late: its link has failed at the client. The server,
 * whose own CONFIRM RKEY is under way, has not handled the client's DELETE LINK.
 */
static void late_rkey(void)
{
	st_group(2);
	lsim.host[CLIENT].sn.sysctl.rmb_linger_ms = 0;
	st_hold(SERVER, SMCR_LLC_CONFIRM_RKEY, false);
	st_hold(CLIENT, SMCR_LLC_CONFIRM_RKEY, false);
	st_held[0].link = 1;
	st_need_rmb(SERVER);
	st_need_rmb(CLIENT);
	st_run();
	HOLDS(st_sent(CLIENT, SMCR_LLC_CONFIRM_RKEY, false) == 1);
	/* The message is on its way when the queue pair fails */
	st_link_of(CLIENT, 1)->qp->dead_at = jiffies + 1000;
	st_link_of(CLIENT, 1)->qp->err = true;
	lsim.cur = CLIENT;
	smcr_link_fail(st_link_of(CLIENT, 1), -EIO);
	sim_pass(100);
	/* It is not repeated before the server deletes the link */
	HOLDS(st_has_held(SERVER) && st_sent(CLIENT, SMCR_LLC_CONFIRM_RKEY, false) == 1);
	elems_return(CLIENT);
	st_held[0].on = false;
	st_run();
	st_ends_with(2);
}

/* A new link has less room for registrations than the group has RMBs */
static void many_rmbs(void)
{
	u8 h, n;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(1);
		for (n = 0; n < 8; n++) {
			st_need_rmb(h);
			st_run();
		}
		HOLDS(lsim.host[h].lgr->n_rmbs > 4);
		lsim.max_regs = 2;
		st_ports_up(1);
		st_run();
		HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
		HOLDS(!lsim.host[h].mib[SMCR_MIB_LINKSFAILED]);
		st_ends_with(2);
	}
}

/* A link leaves the group while the memory for a key on it is allocated */
static void leave_in_alloc(size_t size)
{
	if (size != sizeof(struct smcr_rtoken))
		return;
	lsim.in_alloc = NULL;
	works_run_others(lsim.cur);
}

static void left_meanwhile(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(2);
		st_hold(!h, SMCR_LLC_CONFIRM_RKEY, false);
		st_need_rmb(!h);
		st_run();
		/* The request and the loss of the link come at the same time */
		st_stall(h, 100);
		st_let_go();
		st_run();
		st_break_link(h, 2);
		lsim.in_alloc = leave_in_alloc;
		sim_pass(100);
		HOLDS(!lsim.in_alloc);
		st_ends_with(2);
		HOLDS(lsim.host[h].mib[SMCR_MIB_LINKSFAILED] == 1);
	}
}

/* The port of the only link is down for a moment; that of one of two is tested */
static void blink(void)
{
	u8 i, h;

	for (i = 0; i < 4; st_again(&i, 4)) {
		h = i & 1;
		st_group(1 + i / 2);
		port_set(h, 0, false);
		sim_pass(5000);
		HOLDS(st_sent(h, SMCR_LLC_TEST_LINK, false) == i / 2);
		HOLDS(!st_dead(h) && st_is_active(h, 1) == !(i / 2));
		port_set(h, 0, true);
		st_ends_with(1 + i / 2);
		HOLDS(lsim.host[h].mib[SMCR_MIB_LINKSFAILED] == i / 2);
		HOLDS(lsim.host[!h].mib[SMCR_MIB_LINKSFAILED] == i / 2);
	}
}

/* A port that stays down is noticed an interval later */
static void gone(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(1);
		/* Only this host tests the link */
		lsim.host[!h].sn.sysctl.test_link_interval_ms = 0;
		sim_pass(20000);
		port_set(h, 0, false);
		sim_pass(29000);
		HOLDS(!st_dead(h));
		sim_pass(4000);
		HOLDS(st_dead(h));
		sim_close(!h);
	}
}

const struct scase lsim_recoveries[] = {
	{ "R2", "the client has no CONFIRM LINK: the group ends", r2 },
	{ "R3", "the server has no CONFIRM LINK reply: the group ends", r3 },
	{ "R4", "no reply on the second link: data wait for DELETE LINK", r4 },
	{ "R5", "the same later: DELETE LINK, and a new try", r5 },
	{ "R6", "the client has no ADD LINK: the group ends", r6 },
	{ "R7", "first contact, no ADD LINK reply: the group ends", r7 },
	{ "no-offer", "a server that cannot make the offer has one link for now", no_offer },
	{ "late", "an adapter that takes a minute for a link holds up no message", late_link },
	{ "late", "a first contact does not wait for such an adapter", late_offer },
	{ "late", "nor does the end of a group whose peer is silent", late_close },
	{ "late", "keys of a link that come unasked: the carrier fails", early_keys },
	{ "no-offer", "a client that agrees to an empty offer ends the group", nothing_agreed },
	{ "no-offer", "a port of the server that cannot have a link harms no other", other_offer },
	{ "R8", "no ADD LINK reply later: the carrier has failed", r8 },
	{ "R9", "the client has no continuation: the carrier has failed", r9 },
	{ "R10", "first contact, no CONFIRM LINK on link 2: DELETE LINK, data wait", r10 },
	{ "R11", "the same later: DELETE LINK, the carrier stays", r11 },
	{ "R12", "no reply to a continuation: the carrier has failed", r12 },
	{ "R13", "first contact, the server owes RKeys: the group ends", r13 },
	{ "R14", "the server owes RKeys later: the carrier has failed", r14 },
	{ "R15", "the carrier of a client's DELETE LINK fails: both are deleted", r15 },
	{ "R15", "if it was the last link, the group ends", r15_last },
	{ "R16", "DELETE LINK (all) is not delivered: the group ends", r16 },
	{ "R16", "DELETE LINK (all) is tried over each link", r16_other },
	{ "R17", "the carrier of a server's DELETE LINK fails: both are deleted", r17 },
	{ "R18", "no answer to a client's CONFIRM RKEY: its link has failed", r18 },
	{ "R19", "no answer to a server's CONFIRM RKEY: its link has failed", r19 },
	{ "R20", "no answer to a client's TEST LINK: the link has failed", r20 },
	{ "R21", "no answer to a server's TEST LINK: the link has failed", r21 },
	{ "R22", "wrong CONFIRM LINK: DELETE LINK over another link", r22 },
	{ "R22", "wrong CONFIRM LINK in a first contact: the group ends", r22_first },
	{ "R23", "ADD LINK with a bad MTU is refused with reason 2", r23 },
	{ "R24", "an agreement to a parallel link: DELETE LINK", r24 },
	{ "R25", "a message about a link that the client has lost is ignored", r25 },
	{ "R25", "the same at the server", r25_server },
	{ "R26", "a wrong count in a continuation fails its link", r26 },
	{ "R26", "the same with CONFIRM RKEY", r26_rkey },
	{ "R27", "a client's DELETE LINK of an unknown link is answered", r27 },
	{ "R28", "a server's DELETE LINK of an unknown link is answered", r28 },
	{ "R29", "a link without an RKey in CONFIRM RKEY has failed", r29 },
	{ "R30", "DELETE RKEY of unknown keys is refused with a mask", r30 },
	{ "R31", "a TEST LINK reply with other data fails the link", r31 },
	{ "R32", "an unknown message of the optional class is ignored", r32 },
	{ "R33", "a message that nothing waits for fails its link", r33 },
	{ "R34", "a lost link is restored by the timer and by a port", r34 },
	{ "R34", "a refused offer is repeated, though the client does not ask", refused },
	{ "R34", "the time between tries that fail doubles", doubles },
	{ "R34", "a neighbour that answers again ends that time", neighbours },
	{ "mtu", "the server's long packets are lost: no group, and no data", hole_server },
	{ "mtu", "the client's long packets are lost: the same", hole_client },
	{ "mtu", "each end of a first contact proves its path once", no_hole },
	{ "mtu", "a further link gets a smaller MTU after each one that is lost", hole_further },
	{ "port", "the port of the only link may be down for a moment", blink },
	{ "port", "if it stays down, the group ends after the test's interval", gone },
	{ "numbers", "link numbers return after all 255, some of them refused", numbers },
	{ "many-rmbs", "a new link registers more RMBs than its send queue holds", many_rmbs },
	{ "rkey-moved", "CONFIRM RKEY begins again over another link", moved_rkey },
	{ "rkey-twice", "CONFIRM RKEY that names a link twice is refused", twice_named },
	{ "rkey-left", "CONFIRM RKEY that names a link which leaves meanwhile", left_meanwhile },
	{ "rkey-again", "CONFIRM RKEY is repeated after its lost link is deleted", late_rkey },
	{ },
};
