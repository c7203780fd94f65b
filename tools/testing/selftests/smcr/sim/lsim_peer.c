// SPDX-License-Identifier: GPL-2.0
/*
 * A peer that does not do what it is asked for, or does something too often, and
 * what a peer is told at the end.
 */
#include "lsim_case.h"

static bool ask_ignored(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	return qp->host == CLIENT && !msg->reply && msg->type == SMCR_LLC_DELETE_LINK;
}

/* The server does not do what the client asks for. The link that carried the
 * request is tested, and fails only without an answer to that
 */
static void r15_silent(void)
{
	u8 dead;

	for (dead = 0; dead < 2; st_again(&dead, 2)) {
		st_group(2);
		lsim.ignores = ask_ignored;
		if (dead)
			st_hold(SERVER, SMCR_LLC_TEST_LINK, true);
		port_set(CLIENT, 1, false);
		st_break_link(CLIENT, 2);
		st_told();
		HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
		HOLDS(!st_sent(CLIENT, SMCR_LLC_TEST_LINK, false));
		sim_pass(2100);
		HOLDS(st_sent(CLIENT, SMCR_LLC_TEST_LINK, false) == 1);
		HOLDS(st_is_active(CLIENT, 1));
		sim_pass(2100);
		HOLDS(st_dead(CLIENT) == dead);
		if (dead)
			continue;
		HOLDS(st_is_active(CLIENT, 1));
		lsim.ignores = NULL;
		st_ports_up(1);
		st_ends_with(1);
	}
}

/* A second request, which a Linux peer gets a little later, does not share the
 * fate of the first one
 */
static void r15_second(void)
{
	st_group(3);
	lsim.ignores = ask_ignored;
	st_break_link(CLIENT, 2);
	st_told();
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	sim_pass(1940);
	st_break_link(CLIENT, 3);
	sim_pass(200);
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 2);
	HOLDS(st_last(CLIENT, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 3);
}

static bool replies_ignored(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	return qp->host == CLIENT && msg->reply;
}

static bool links_unasked(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	return qp->host == CLIENT && !msg->reply && msg->type == SMCR_LLC_ADD_LINK;
}

/* The server does not answer a client's ADD LINK. The client waits for nothing: its
 * next exchange begins at once, and nothing has failed when an answer would be late
 */
static void link_unanswered(void)
{
	st_group(1);
	lsim.ignores = links_unasked;
	port_set(CLIENT, 1, true);
	sim_pass(1000);
	HOLDS(st_sent(CLIENT, SMCR_LLC_ADD_LINK, false));
	HOLDS(st_step_of(CLIENT) == SMCR_LLC_IDLE && !CLN->llc.step_deadline);
	st_need_rmb(CLIENT);
	st_run();
	HOLDS(st_sent(CLIENT, SMCR_LLC_CONFIRM_RKEY, false) == 1 && !CLN->llc.flow.rkey_ours);
	sim_pass(20000);
	HOLDS(st_is_active(CLIENT, 1) && st_is_active(SERVER, 1));
	HOLDS(!lsim.host[CLIENT].mib[SMCR_MIB_LLCTIMEOUTS]);
	lsim.ignores = NULL;
	port_set(SERVER, 1, true);
	st_ends_with(2);
}

/* The server offers a link by the number of another one: the link that carries the offer
 * has failed
 */
static void number_taken(void)
{
	struct smcr_llc_msg add = {
		.type = SMCR_LLC_ADD_LINK,
		.add_link = { .qpn = 99, .mtu = 3, .link_num = 1, .mac = { [5] = 7 } },
	};
	u8 num;

	port_gid(SERVER, 2, add.add_link.gid);
	for (num = 1; num < 3; st_again(&num, 3)) {
		st_group(2);
		lsim.ignores = links_unasked;
		port_set(CLIENT, 2, true);
		st_run();
		add.add_link.link_num = num;
		st_send(SERVER, 2, &add);
		st_run();
		HOLDS(!st_is_active(CLIENT, 2) && st_is_active(CLIENT, 1));
		HOLDS(lsim.host[CLIENT].mib[SMCR_MIB_BADLLC] == 1);
		HOLDS(!st_sent(CLIENT, SMCR_LLC_ADD_LINK, true));
	}
}

/* The link over which the client's reply to DELETE LINK has come */
static u8 replied_over;

static bool note_reply(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	if (qp->host != CLIENT || !msg->reply || msg->type != SMCR_LLC_DELETE_LINK)
		return false;
	replied_over = qp_peer(qp)->link->num;
	return true;
}

/* The server asks over a link to delete one. What the client sends over link 2 stays in
 * its send queue, and is flushed if the link stops.
 */
static void st_delete_over(u8 over, u8 num)
{
	const struct smcr_llc_msg del = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = { .link_num = num, .reason = SMCR_LLC_DEL_LOST_PATH },
	};

	replied_over = 0;
	lsim.ignores = note_reply;
	st_hold(CLIENT, SMCR_LLC_DELETE_LINK, true);
	st_held[0].link = 2;
	st_send(SERVER, over, &del);
	st_run();
	HOLDS(!st_is_active(CLIENT, num));
	HOLDS(st_sent(CLIENT, SMCR_LLC_DELETE_LINK, true) == 1);
}

/* The reply is not flushed with the link that it names. Otherwise it takes the
 * link of the request: the server may have lost another one
 */
static void reply_link(void)
{
	u8 num;

	for (num = 2; num < 4; st_again(&num, 4)) {
		st_group(3);
		st_delete_over(2, num);
		HOLDS(replied_over == (num == 2));
		st_let_go();
		st_run();
		HOLDS(replied_over == num - 1);
	}
}

/* A server offers a link and deletes it, over and over. That does not make its
 * client create as many queue pairs
 */
static void many_offers(void)
{
	struct smcr_llc_msg add = {
		.type = SMCR_LLC_ADD_LINK,
		.add_link = { .qpn = 99, .mtu = 3, .mac = { [5] = 7 } },
	};
	struct smcr_llc_msg del = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link.reason = SMCR_LLC_DEL_LOST_PATH,
	};
	u32 qps;

	st_group(1);
	port_gid(SERVER, 1, add.add_link.gid);
	lsim.ignores = replies_ignored;
	qps = lsim.qps;
	for (add.add_link.link_num = 50; add.add_link.link_num < 150; add.add_link.link_num++) {
		del.delete_link.link_num = add.add_link.link_num;
		st_send(SERVER, 1, &add);
		sim_pass(2);
		st_send(SERVER, 1, &del);
		sim_pass(3);
	}
	HOLDS(lsim.qps - qps >= 8 && lsim.qps - qps <= 16);
	HOLDS(st_is_active(CLIENT, 1) && st_is_active(SERVER, 1));
	lsim.ignores = NULL;
	sim_pass(1000);
	st_ports_up(1);
	sim_pass(5000);
	HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
}

/* What the server does next, with the message held back, over link 1 */
static void st_ask(enum smcr_llc_type type)
{
	switch (type) {
	case SMCR_LLC_TEST_LINK:
		st_test_by(SERVER, 1);
		break;
	case SMCR_LLC_CONFIRM_RKEY:
		st_need_rmb(SERVER);
		break;
	case SMCR_LLC_ADD_LINK:
		st_ports_up(2);
		break;
	default:
		st_break_link(SERVER, 2);
		break;
	}
}

/* A host's data goes over link 1, if @host is one, and is acknowledged */
static void st_data(u32 seconds, int host)
{
	u32 i;

	for (i = 0; i < 4 * seconds; i++) {
		if (host >= 0 && st_is_active(SERVER, 1) && st_is_active(CLIENT, 1)) {
			st_link_of((u8)host, 1)->last_tx = jiffies;
			st_link_of(!host, 1)->last_rx = jiffies;
			st_link_of(!host, 1)->last_cdc = jiffies;
		}
		sim_pass(250);
	}
}

static const u8 late_types[] = {
	SMCR_LLC_TEST_LINK, SMCR_LLC_CONFIRM_RKEY, SMCR_LLC_ADD_LINK, SMCR_LLC_DELETE_LINK,
};

/* A message stands behind data, or its answer does. The link does not fail while it
 * makes progress
 */
static void slow(void)
{
	bool reply;
	u8 i;

	for (i = 0; i < 2 * ARRAY_SIZE(late_types); st_again(&i, 2 * ARRAY_SIZE(late_types))) {
		reply = i & 1;
		/* This client may answer TEST LINK before an offer, and then takes
		 * two offers for a fault
		 */
		if (st_linux && !reply && late_types[i / 2] == SMCR_LLC_ADD_LINK)
			continue;
		st_group(2);
		st_hold(reply ? CLIENT : SERVER, late_types[i / 2], reply);
		st_ask(late_types[i / 2]);
		st_data(12, reply ? CLIENT : SERVER);
		HOLDS(st_is_active(SERVER, 1));
		HOLDS(st_linux || lsim.host[SERVER].mib[SMCR_MIB_LLCSLOW]);
		st_ends_with(2);
	}
}

/* Without progress it fails as soon as ever, and a peer that goes on to send data does
 * not keep it for ever
 */
static void slow_end(void)
{
	u8 i;

	for (i = 0; i < 3; st_again(&i, 3)) {
		st_group(1);
		st_hold(i ? CLIENT : SERVER, SMCR_LLC_TEST_LINK, i);
		st_test_by(SERVER, 1);
		st_data(i == 2 ? 17 : 3, i == 2 ? CLIENT : -1);
		HOLDS(st_dead(SERVER));
	}
}

/* GIDs and MAC addresses that a peer's port cannot have */
static const struct {
	u8 gid[SMCR_GID_LEN], mac[SMCR_MAC_LEN];
} wrong_ends[] = {
	{ { 0 }, { [5] = 7 } },
	{ { 0xff, 0x02, [15] = 1 }, { [5] = 7 } },
	{ { [10] = 0xff, 0xff, 10, 9, 0, 9 }, { 0 } },
	{ { [10] = 0xff, 0xff, 10, 9, 0, 9 }, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
	{ { [10] = 0xff, 0xff, 10, 9, 0, 9 }, { 0x01, 0, 0x5e, 0, 0, 1 } },
	/* The client's own second port */
	{ { [10] = 0xff, 0xff, 10, 9, 0, 4 }, { [5] = 4 } },
};

static u8 wrong_end;

static void change_end(const struct ib_qp *qp, struct smcr_llc_msg *msg)
{
	if (qp->host != CLIENT || msg->type != SMCR_LLC_ADD_LINK || !msg->reply ||
	    msg->add_link.reject)
		return;
	memcpy(msg->add_link.gid, wrong_ends[wrong_end].gid, SMCR_GID_LEN);
	memcpy(msg->add_link.mac, wrong_ends[wrong_end].mac, SMCR_MAC_LEN);
	/* The server's own second port */
	if (wrong_end == ARRAY_SIZE(wrong_ends) - 1)
		msg->add_link.gid[15] = 3;
}

/* An offer that names an end which the server cannot have is refused, and so is a
 * client's agreement
 */
static void wrong_end_refused(void)
{
	struct smcr_llc_msg add = {
		.type = SMCR_LLC_ADD_LINK,
		.add_link = { .qpn = 99, .mtu = 3, .link_num = 50 },
	};
	u32 qps;
	u8 i;

	for (i = 0; i < ARRAY_SIZE(wrong_ends); st_again(&i, ARRAY_SIZE(wrong_ends))) {
		st_group(1);
		port_set(CLIENT, 1, true);
		sim_pass(5000);
		lsim.ignores = replies_ignored;
		qps = lsim.qps;
		st_mark();
		memcpy(add.add_link.gid, wrong_ends[i].gid, SMCR_GID_LEN);
		memcpy(add.add_link.mac, wrong_ends[i].mac, SMCR_MAC_LEN);
		st_send(SERVER, 1, &add);
		st_run();
		HOLDS(lsim.qps == qps && st_sent(CLIENT, SMCR_LLC_ADD_LINK, true) == 1);
		HOLDS(st_last(CLIENT, SMCR_LLC_ADD_LINK, true)->add_link.reason ==
		      SMCR_LLC_ADD_NO_PATH);
	}
	lsim.ignores = NULL;
	sim_close(CLIENT);
	st_fresh();
	for (i = 0; i < ARRAY_SIZE(wrong_ends); st_again(&i, ARRAY_SIZE(wrong_ends))) {
		st_group(1);
		wrong_end = i;
		lsim.honest = false;
		lsim.tamper = change_end;
		st_ports_up(1);
		st_run();
		HOLDS(st_links(SERVER) == 1);
		HOLDS(st_step_of(SERVER) != SMCR_LLC_ADD_CONT);
		HOLDS(!st_sent(SERVER, SMCR_LLC_ADD_LINK_CONT, false));
		lsim.tamper = NULL;
		sim_pass(10000);
		st_ends_with(2);
	}
}

static bool answers_ignored(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	return qp->host == SERVER && msg->reply && msg->type == SMCR_LLC_TEST_LINK;
}

/* A client leaves an exchange open and has many messages held. They are looked at when
 * it is over, and not with each message that comes meanwhile
 */
static void many_held(void)
{
	struct smcr_llc_msg del = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = { .reason = SMCR_LLC_DEL_LOST_PATH, .link_num = 99 },
	};
	struct smcr_llc_msg test = { .type = SMCR_LLC_TEST_LINK };
	unsigned int handled;
	u8 i;

	st_group(2);
	st_hold(CLIENT, SMCR_LLC_ADD_LINK, true);
	st_ports_up(2);
	st_run();
	HOLDS(st_step_of(SERVER) == SMCR_LLC_ADD_REPLY);
	lsim.ignores = answers_ignored;
	for (i = 0; i < 40; i++) {
		st_send(CLIENT, 2, &del);
		sim_pass(5);
	}
	HOLDS(st_has_held(SERVER));
	handled = krn_handled;
	for (i = 0; i < 40; i++) {
		st_send(CLIENT, 2, &test);
		sim_pass(5);
	}
	HOLDS(krn_handled - handled <= 40 + 4);
	st_let_go();
	sim_pass(500);
	HOLDS(!st_has_held(SERVER));
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, true) == 40);
	lsim.ignores = NULL;
	st_ends_with(3);
}

static bool deletes_ignored(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	return msg->type == SMCR_LLC_DELETE_LINK;
}

/* The namespace of a host ends */
static void end_namespace(u8 host)
{
	lsim.cur = host;
	lsim.host[host].sn.sysctl.llc_timeout_ms = 60000;
	smcr_lgr_net_close(&lsim.host[host].net);
}

/* A namespace ends: one message tells the peer that all links go, that this is no
 * failure, and that an operator is the reason
 */
static void told_end(void)
{
	const struct smcr_llc_delete_link *del;
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_group(2);
		end_namespace(h);
		st_run();
		del = &st_last(h, SMCR_LLC_DELETE_LINK, false)->delete_link;
		HOLDS(st_sent(h, SMCR_LLC_DELETE_LINK, false) == 1);
		HOLDS(del->all && del->orderly && !del->link_num);
		HOLDS(del->reason == SMCR_LLC_DEL_OPERATOR);
		HOLDS(st_dead(SERVER) && st_dead(CLIENT));
	}
}

/* The server does not answer, and its adapter acknowledges all: the end of the
 * client's namespace does not wait for as long as an answer may take otherwise
 */
static void silent_end(void)
{
	st_group(1);
	lsim.ignores = deletes_ignored;
	end_namespace(CLIENT);
	sim_pass(4900);
	HOLDS(!st_dead(CLIENT));
	sim_pass(200);
	HOLDS(st_dead(CLIENT));
}

/* An idle group says so to the peer */
static void told_idle(void)
{
	const struct smcr_llc_delete_link *del;

	st_group(1);
	lsim.host[SERVER].sn.sysctl.lgr_linger_ms = 1000;
	lsim.cur = SERVER;
	/* The handshake keeps the memory of the group only */
	SRV->n_joining--;
	smcr_lgr_queue(SRV);
	sim_pass(1100);
	SRV->n_joining++;
	del = &st_last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link;
	HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(del->all && del->orderly && del->reason == SMCR_LLC_DEL_INACTIVE);
	HOLDS(st_dead(SERVER) && st_dead(CLIENT));
}

const struct scase lsim_peer[] = {
	{ "R15", "no answer to a client's DELETE LINK: the carrier is tested", r15_silent },
	{ "R15", "another one that waits to be sent is not forgotten then", r15_second },
	{ "asked", "a client's ADD LINK may remain without an answer", link_unanswered },
	{ "number", "a number that names another link fails the link of the offer", number_taken },
	{ "reply", "a reply to DELETE LINK does not take the link that it deletes", reply_link },
	{ "slow", "a message or an answer behind data fails no link", slow },
	{ "slow", "without progress, or without end, it does", slow_end },
	{ "held", "messages that are held are looked at when that is of use", many_held },
	{ "ends", "an end that the peer cannot have is refused", wrong_end_refused },
	{ "offers", "a client does not follow each of too many offers", many_offers },
	{ "exit", "a namespace that ends tells the peer why", told_end },
	{ "exit", "its end does not wait for a silent peer without end", silent_end },
	{ "exit", "so does a group that nobody uses any more", told_idle },
	{ },
};
