// SPDX-License-Identifier: GPL-2.0
/*
 * Scenarios: each collision of RFC 7609 3.5.5.3 (K1 to K17) and each recovery
 * action of C.5, C.7, C.7.1 and C.8 (R1 to R34), with the outcome that the RFC
 * asks for.
 *
 * A scenario holds a message back, so that an exchange stands at a step, and
 * then lets other messages come. A message that is held back also holds those
 * that follow it over the same link.
 */
#include "llc_msg.h"
#include "lsim.h"

#define SRV	(lsim.host[SERVER].lgr)
#define CLN	(lsim.host[CLIENT].lgr)

/**
 * struct hold - a kind of message that is held back
 * @on: in use
 * @host: sender
 * @type: message type
 * @reply: flag R
 * @skip: messages of this kind to let pass first
 * @link: number of the link that carries it; 0: any
 */
struct hold {
	bool on;
	u8 host;
	u8 type;
	bool reply;
	u8 skip;
	u8 link;
};

static struct hold held[2];
static u32 count0[2][16][2];

static bool holds(struct hold *h, const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	if (!h->on || qp->host != h->host || msg->type != h->type || msg->reply != h->reply)
		return false;
	if (h->link && qp->link && qp->link->num != h->link)
		return false;
	if (!h->skip)
		return true;
	h->skip--;
	return false;
}

static bool gate(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	return !holds(&held[0], qp, msg) && !holds(&held[1], qp, msg);
}

static void hold(u8 host, enum smcr_llc_type type, bool reply)
{
	held[1] = held[0];
	held[0] = (struct hold){ .on = true, .host = host, .type = type, .reply = reply };
	lsim.gate = gate;
}

static void let_go(void)
{
	memset(held, 0, sizeof(held));
	lsim.gate = NULL;
}

/* Everything happens that can without a timer, but for short delays */
static void run(void)
{
	sim_pass(30);
}

static void mark(void)
{
	u8 h;

	for (h = 0; h < 2; h++)
		memcpy(count0[h], lsim.host[h].sent, sizeof(count0[h]));
}

/* Messages of a kind that a host has sent since mark() */
static u32 sent(u8 host, enum smcr_llc_type type, bool reply)
{
	return lsim.host[host].sent[type][reply] - count0[host][type][reply];
}

static const struct smcr_llc_msg *last(u8 host, enum smcr_llc_type type, bool reply)
{
	return &lsim.host[host].last[type][reply];
}

static struct smcr_link *link_of(u8 host, u8 num)
{
	struct smcr_lgr *lgr = lsim.host[host].lgr;
	u8 s;

	for (s = 0; s < SMCR_MAX_LINKS; s++)
		if (lgr->links[s] && lgr->links[s]->num == num)
			return lgr->links[s];
	return NULL;
}

static bool is_active(u8 host, u8 num)
{
	const struct smcr_link *link = link_of(host, num);

	return link && link->state == SMCR_LINK_ACTIVE;
}

static u8 links(u8 host)
{
	u8 n = 0, s;

	for (s = 0; s < SMCR_MAX_LINKS; s++)
		n += lsim.host[host].lgr->links[s] &&
		     lsim.host[host].lgr->links[s]->state == SMCR_LINK_ACTIVE;
	return n;
}

static enum smcr_llc_step step_of(u8 host)
{
	return lsim.host[host].lgr->llc.flow.step;
}

static bool dead(u8 host)
{
	return !host_alive(&lsim.host[host]);
}

static bool has_held(u8 host)
{
	return !list_empty(&lsim.host[host].lgr->llc.held);
}

/* A host's queue pair of a link fails */
static void break_link(u8 host, u8 num)
{
	qp_fail(link_of(host, num)->qp, -EIO);
}

/* The path of a link is lost */
static void cut_link(u8 num)
{
	const struct smcr_link *link = link_of(SERVER, num);

	lsim.cut[link->qp->port][link->qp->peer_port] = true;
}

static void heal_paths(void)
{
	memset(lsim.cut, 0, sizeof(lsim.cut));
}

/* A host handles nothing for a time */
static void stall(u8 host, unsigned long ms)
{
	lsim.host[host].stalled = jiffies + ms;
}

static void send_raw(u8 host, u8 num, const u8 *buf)
{
	lsim.honest = false;
	lsim.cur = host;
	HOLDS(!smcr_wr_post_llc(link_of(host, num), buf, 0));
}

/* A host sends a made-up message */
static void send(u8 host, u8 num, const struct smcr_llc_msg *msg)
{
	u8 buf[SMCR_ROCE_MSG_LEN];

	smcr_llc_msg_encode(buf, lsim.host[host].lgr->dialect, msg);
	send_raw(host, num, buf);
}

/* A host needs an RMB that the peer does not know */
static void need_rmb(u8 host)
{
	static u32 size;

	size = size == 32768 ? 65536 : 32768;
	elem_take(host, size);
}

static void close_by(u8 host)
{
	lsim.cur = host;
	smcr_lgr_kick(lsim.host[host].lgr, SMCR_LGR_T_CLOSE);
}

static void test_by(u8 host, u8 num)
{
	lsim.cur = host;
	smcr_lgr_link_doubtful(link_of(host, num));
}

static void ports_up(u8 port)
{
	port_set(SERVER, port, true);
	port_set(CLIENT, port, true);
}

/* A first contact, as far as the messages that are held let it go */
static void first_contact(u8 server_ports, u8 client_ports, u8 up)
{
	u8 p;

	lsim.host[SERVER].nr_ports = server_ports;
	lsim.host[CLIENT].nr_ports = client_ports;
	group_start();
	SRV->offer_linux = false;
	for (p = up; p < MAX_PORTS; p++) {
		lsim.host[SERVER].port[p].up = false;
		lsim.host[CLIENT].port[p].up = false;
	}
	group_enter();
	run();
}

/* Two groups with a number of links, and as many ports again that are down */
static void group(u8 nr_links)
{
	u8 n;

	first_contact(nr_links + 1, nr_links + 1, nr_links);
	for (n = 0; n < 20 && links(SERVER) < nr_links; n++)
		sim_pass(1000);
	HOLDS(links(SERVER) == nr_links && links(CLIENT) == nr_links);
	/* The last try to find more links is over */
	sim_pass(5000);
	HOLDS(!check_rest());
	mark();
}

/* Let an exchange that adds a link stand where the server's message is held */
static void adding(enum smcr_llc_type type, u8 port)
{
	hold(SERVER, type, false);
	ports_up(port);
	run();
	HOLDS(step_of(SERVER) == SMCR_LLC_ADD_REPLY || step_of(SERVER) == SMCR_LLC_ADD_CONT ||
	      step_of(SERVER) == SMCR_LLC_ADD_CONFIRM);
	mark();
}

/* The server deletes the second link, and its message is held */
static void deleting(u8 nr_links)
{
	group(nr_links);
	hold(SERVER, SMCR_LLC_DELETE_LINK, false);
	break_link(SERVER, 2);
	run();
	HOLDS(step_of(SERVER) == SMCR_LLC_DELETE);
	mark();
}

/* A host's CONFIRM RKEY is under way, and the message is held */
static void confirming(u8 host, u8 nr_links)
{
	group(nr_links);
	hold(host, SMCR_LLC_CONFIRM_RKEY, false);
	need_rmb(host);
	run();
	HOLDS(lsim.host[host].lgr->llc.flow.rkey_ours);
	mark();
}

/* The exchange goes on; both ends come to rest with a number of links */
static void ends_with(u8 nr_links)
{
	let_go();
	sim_settle();
	/* There may be an asymmetric link besides */
	HOLDS(links(SERVER) >= nr_links && links(CLIENT) == links(SERVER));
}

static const enum smcr_llc_type add_steps[] = {
	SMCR_LLC_ADD_LINK, SMCR_LLC_ADD_LINK_CONT, SMCR_LLC_CONFIRM_LINK,
};

/* Run a scenario at a step of ADD LINK */
#define AT_EACH_STEP(i) for (u8 i = 0; i < 3; again(&i, ARRAY_SIZE(add_steps)))

static void fresh(void);

static void again(u8 *i, u8 n)
{
	if (++*i < n) {
		if (!both_dead())
			sim_close(CLIENT);
		else
			sim_close(SERVER);
		fresh();
	}
}

static void k1(void)
{
	AT_EACH_STEP(i) {
		group(1);
		adding(add_steps[i], 1);
		test_by(CLIENT, 1);
		run();
		HOLDS(sent(SERVER, SMCR_LLC_TEST_LINK, true) == 1);
		ends_with(2);
	}
}

static void k2(void)
{
	const struct smcr_llc_msg msg = { .type = SMCR_LLC_ADD_LINK, .add_link.mtu = 3 };

	AT_EACH_STEP(i) {
		group(1);
		adding(add_steps[i], 1);
		send(CLIENT, 1, &msg);
		run();
		HOLDS(!sent(SERVER, SMCR_LLC_ADD_LINK, true) && !has_held(SERVER));
		ends_with(2);
		HOLDS(is_active(CLIENT, 1));
	}
}

static void k3(void)
{
	AT_EACH_STEP(i) {
		group(2);
		adding(add_steps[i], 2);
		break_link(CLIENT, 2);
		run();
		HOLDS(sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
		HOLDS(has_held(SERVER) && !sent(SERVER, SMCR_LLC_DELETE_LINK, false));
		let_go();
		run();
		HOLDS(last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 2);
		ends_with(3);
	}
}

/* The link that carries the exchange is the one that the client has lost */
static void k3_carrier(void)
{
	group(2);
	adding(SMCR_LLC_ADD_LINK, 2);
	break_link(CLIENT, 1);
	run();
	HOLDS(last(CLIENT, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 1);
	ends_with(3);
	HOLDS(!link_of(SERVER, 1) && is_active(SERVER, 2));
}

static void k4(void)
{
	AT_EACH_STEP(i) {
		group(1);
		adding(add_steps[i], 1);
		close_by(CLIENT);
		run();
		let_go();
		run();
		HOLDS(dead(SERVER) && dead(CLIENT));
	}
}

static void k5(void)
{
	group(1);
	adding(SMCR_LLC_ADD_LINK, 1);
	need_rmb(CLIENT);
	run();
	HOLDS(sent(CLIENT, SMCR_LLC_CONFIRM_RKEY, false) == 1);
	HOLDS(last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
	HOLDS(last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.retry);
	ends_with(2);
	HOLDS(last(CLIENT, SMCR_LLC_CONFIRM_RKEY, false)->confirm_rkey.nr_others == 1);
	HOLDS(!last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
}

static void k6(void)
{
	deleting(2);
	test_by(CLIENT, 1);
	run();
	HOLDS(sent(SERVER, SMCR_LLC_TEST_LINK, true) == 1);
	ends_with(2);
}

static void k7(void)
{
	const struct smcr_llc_msg msg = { .type = SMCR_LLC_ADD_LINK, .add_link.mtu = 3 };

	deleting(2);
	send(CLIENT, 1, &msg);
	run();
	HOLDS(has_held(SERVER) && !sent(SERVER, SMCR_LLC_ADD_LINK, false));
	ends_with(2);
	HOLDS(!has_held(SERVER) && sent(SERVER, SMCR_LLC_ADD_LINK, false));
}

static void k8(void)
{
	deleting(3);
	break_link(CLIENT, 3);
	run();
	HOLDS(sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(has_held(SERVER) && is_active(SERVER, 3));
	let_go();
	run();
	HOLDS(sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 3);
	ends_with(3);
}

static void k9(void)
{
	u8 h;

	for (h = 0; h < 2; again(&h, 2)) {
		deleting(2);
		close_by(h);
		run();
		let_go();
		run();
		HOLDS(dead(SERVER) && dead(CLIENT));
	}
}

static void k10(void)
{
	deleting(2);
	need_rmb(CLIENT);
	run();
	HOLDS(last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
	HOLDS(last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.retry);
	ends_with(2);
	HOLDS(!last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
}

static void k11(void)
{
	u8 h;

	for (h = 0; h < 2; again(&h, 2)) {
		confirming(h, 2);
		test_by(!h, 1);
		run();
		HOLDS(sent(h, SMCR_LLC_TEST_LINK, true) == 1);
		ends_with(2);
	}
}

static void k12(void)
{
	const struct smcr_llc_msg msg = { .type = SMCR_LLC_ADD_LINK, .add_link.mtu = 3 };

	confirming(SERVER, 1);
	send(CLIENT, 1, &msg);
	run();
	HOLDS(has_held(SERVER));
	ends_with(1);
	HOLDS(!has_held(SERVER) && sent(SERVER, SMCR_LLC_ADD_LINK, false));
}

static void k13(void)
{
	confirming(CLIENT, 1);
	ports_up(1);
	run();
	/* The client has handled ADD LINK, and its reply follows CONFIRM RKEY */
	HOLDS(sent(SERVER, SMCR_LLC_ADD_LINK, false) == 1);
	HOLDS(sent(CLIENT, SMCR_LLC_ADD_LINK, true) == 1);
	let_go();
	run();
	HOLDS(last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.retry);
	ends_with(2);
	HOLDS(last(CLIENT, SMCR_LLC_CONFIRM_RKEY, false)->confirm_rkey.nr_others == 1);
	HOLDS(!last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
}

static void k14(void)
{
	confirming(SERVER, 2);
	break_link(CLIENT, 2);
	run();
	HOLDS(sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(has_held(SERVER) && is_active(SERVER, 2));
	let_go();
	run();
	HOLDS(last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 2);
	ends_with(2);
}

static void k15(void)
{
	confirming(CLIENT, 2);
	break_link(SERVER, 2);
	run();
	HOLDS(sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(sent(CLIENT, SMCR_LLC_DELETE_LINK, true) == 1 && !is_active(CLIENT, 2));
	let_go();
	run();
	HOLDS(last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.retry);
	ends_with(2);
	HOLDS(!last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
}

static void k16(void)
{
	u8 h;

	for (h = 0; h < 4; again(&h, 4)) {
		confirming(h & 1, 2);
		close_by(h >> 1);
		run();
		let_go();
		run();
		HOLDS(dead(SERVER) && dead(CLIENT));
	}
}

static void k17(void)
{
	confirming(SERVER, 2);
	need_rmb(CLIENT);
	run();
	HOLDS(sent(CLIENT, SMCR_LLC_CONFIRM_RKEY, false) == 1);
	HOLDS(!last(SERVER, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
	ends_with(2);
	HOLDS(!last(CLIENT, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
	HOLDS(sent(SERVER, SMCR_LLC_CONFIRM_RKEY, false) == 0);
}

static void k17_link(void)
{
	const struct smcr_llc_msg msg = {
		.type = SMCR_LLC_CONFIRM_LINK,
		.confirm_link = { .qpn = 77, .link_num = 2, .max_links = 8 },
	};

	confirming(SERVER, 2);
	send(CLIENT, 2, &msg);
	run();
	HOLDS(has_held(SERVER) && is_active(SERVER, 2));
	let_go();
	run();
	HOLDS(!is_active(SERVER, 2) && is_active(SERVER, 1));
	ends_with(2);
}

/* Recovery actions */

static void r2(void)
{
	lsim.host[SERVER].nr_ports = 1;
	lsim.host[CLIENT].nr_ports = 1;
	group_start();
	lsim.cur = CLIENT;
	smcr_llc_await_confirm(CLN);
	sim_pass(3900);
	HOLDS(!dead(CLIENT));
	sim_pass(200);
	HOLDS(dead(CLIENT) && CLN->llc.timed_out);
	lsim.cur = SERVER;
	smcr_lgr_give_up(SRV);
	run();
}

static void r3(void)
{
	hold(CLIENT, SMCR_LLC_CONFIRM_LINK, true);
	first_contact(1, 1, 1);
	sim_pass(5900);
	HOLDS(!dead(SERVER));
	sim_pass(200);
	HOLDS(dead(SERVER) && SRV->llc.timed_out);
}

static void r4(void)
{
	lsim.cut[1][1] = true;
	hold(CLIENT, SMCR_LLC_DELETE_LINK, true);
	first_contact(2, 2, 2);
	HOLDS(step_of(SERVER) == SMCR_LLC_ADD_CONFIRM);
	/* The server's queue pair gives up */
	sim_pass(1000);
	HOLDS(sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(SRV->state == SMCR_LGR_FORMING);
	let_go();
	run();
	HOLDS(SRV->state == SMCR_LGR_ACTIVE && CLN->state == SMCR_LGR_ACTIVE);
	heal_paths();
	ends_with(2);
}

static void r5(void)
{
	group(1);
	lsim.cut[1][1] = true;
	ports_up(1);
	sim_pass(800);
	HOLDS(sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(SRV->growing && is_active(SERVER, 1) && links(SERVER) == 1);
	heal_paths();
	ends_with(2);
}

static void r6(void)
{
	hold(SERVER, SMCR_LLC_ADD_LINK, false);
	first_contact(1, 1, 1);
	HOLDS(step_of(CLIENT) == SMCR_LLC_FIRST_ADD);
	sim_pass(4100);
	HOLDS(dead(CLIENT));
}

static void r7(void)
{
	hold(CLIENT, SMCR_LLC_ADD_LINK, true);
	first_contact(1, 1, 1);
	HOLDS(step_of(SERVER) == SMCR_LLC_ADD_REPLY);
	sim_pass(6100);
	HOLDS(dead(SERVER));
}

/* A message of ADD LINK is missing, and the carrier fails */
static void add_lost(u8 host, enum smcr_llc_type type, bool reply, u8 skip)
{
	hold(host, type, reply);
	held[0].skip = skip;
	ports_up(2);
	sim_pass(2100);
	HOLDS(!is_active(SERVER, 1) || !is_active(CLIENT, 1));
	let_go();
	sim_pass(2500);
	HOLDS(!link_of(SERVER, 1) && !link_of(CLIENT, 1));
	HOLDS(is_active(SERVER, 2) && is_active(CLIENT, 2));
	ends_with(3);
}

static void r8(void)
{
	group(2);
	add_lost(CLIENT, SMCR_LLC_ADD_LINK, true, 0);
}

static void r9(void)
{
	group(2);
	stall(SERVER, 0);
	add_lost(SERVER, SMCR_LLC_ADD_LINK_CONT, false, 0);
}

static void r10(void)
{
	hold(SERVER, SMCR_LLC_CONFIRM_LINK, false);
	held[0].link = 2;
	first_contact(2, 2, 2);
	HOLDS(step_of(CLIENT) == SMCR_LLC_ADD_CONFIRM);
	stall(SERVER, 2500);
	sim_pass(2100);
	HOLDS(sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(CLN->state == SMCR_LGR_FORMING);
	sim_pass(500);
	HOLDS(CLN->state == SMCR_LGR_ACTIVE && links(CLIENT) == 1);
	ends_with(2);
}

static void r11(void)
{
	group(1);
	hold(SERVER, SMCR_LLC_CONFIRM_LINK, false);
	ports_up(1);
	run();
	HOLDS(step_of(CLIENT) == SMCR_LLC_ADD_CONFIRM);
	stall(SERVER, 2500);
	sim_pass(2100);
	HOLDS(sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	HOLDS(is_active(CLIENT, 1) && links(CLIENT) == 1 && CLN->growing);
	ends_with(2);
}

static void r12(void)
{
	group(2);
	add_lost(CLIENT, SMCR_LLC_ADD_LINK_CONT, true, 0);
}

static void r13(void)
{
	hold(SERVER, SMCR_LLC_ADD_LINK_CONT, false);
	first_contact(2, 2, 2);
	HOLDS(step_of(CLIENT) == SMCR_LLC_ADD_CONT);
	sim_pass(4100);
	HOLDS(dead(CLIENT));
}

static void r14(void)
{
	group(2);
	need_rmb(SERVER);
	run();
	need_rmb(SERVER);
	run();
	/* Three RMBs take two continuations */
	HOLDS(SRV->n_rmbs == 3);
	add_lost(SERVER, SMCR_LLC_ADD_LINK_CONT, false, 1);
}

static void r15(void)
{
	group(3);
	hold(CLIENT, SMCR_LLC_DELETE_LINK, false);
	break_link(CLIENT, 3);
	run();
	HOLDS(sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	break_link(CLIENT, 1);
	run();
	/* One more for each of both links, over the survivor */
	HOLDS(sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 3);
	HOLDS(is_active(CLIENT, 2));
	ends_with(3);
}

static void r15_last(void)
{
	group(2);
	hold(CLIENT, SMCR_LLC_DELETE_LINK, false);
	break_link(CLIENT, 2);
	run();
	break_link(CLIENT, 1);
	run();
	HOLDS(dead(CLIENT));
}

static void r16(void)
{
	group(1);
	cut_link(1);
	close_by(SERVER);
	run();
	HOLDS(!dead(SERVER) && step_of(SERVER) == SMCR_LLC_CLOSING);
	sim_pass(600);
	HOLDS(dead(SERVER));
	heal_paths();
}

static void r17(void)
{
	group(3);
	hold(SERVER, SMCR_LLC_DELETE_LINK, false);
	break_link(SERVER, 3);
	run();
	HOLDS(step_of(SERVER) == SMCR_LLC_DELETE);
	break_link(SERVER, 1);
	run();
	HOLDS(sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 2);
	HOLDS(is_active(SERVER, 2));
	ends_with(3);
}

static void rkey_lost(u8 host)
{
	confirming(host, 2);
	sim_pass(2100);
	HOLDS(!is_active(host, 1) && is_active(host, 2));
	ends_with(2);
	HOLDS(sent(host, SMCR_LLC_CONFIRM_RKEY, false) >= 1);
}

static void r18(void)
{
	rkey_lost(CLIENT);
}

static void r19(void)
{
	rkey_lost(SERVER);
}

static void test_lost(u8 host)
{
	group(2);
	hold(!host, SMCR_LLC_TEST_LINK, true);
	test_by(host, 2);
	sim_pass(2100);
	HOLDS(!is_active(host, 2) && is_active(host, 1));
	HOLDS(sent(host, SMCR_LLC_DELETE_LINK, false) == 1);
	ends_with(2);
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

	for (h = 0; h < 2; again(&h, 2)) {
		group(1);
		spoil(h, wrong_qpn);
		ports_up(1);
		sim_pass(700);
		HOLDS(sent(!h, SMCR_LLC_DELETE_LINK, false) >= 1);
		HOLDS(is_active(SERVER, 1) && links(SERVER) == 1);
		spoil_end();
		ends_with(2);
	}
}

static void r22_first(void)
{
	spoil(SERVER, wrong_qpn);
	first_contact(1, 1, 1);
	HOLDS(dead(CLIENT));
	spoil_end();
}

static void bad_mtu(struct smcr_llc_msg *msg)
{
	if (msg->type == SMCR_LLC_ADD_LINK)
		msg->add_link.mtu = 9;
}

static void r23(void)
{
	group(1);
	spoil(SERVER, bad_mtu);
	ports_up(1);
	run();
	HOLDS(last(CLIENT, SMCR_LLC_ADD_LINK, true)->add_link.reject);
	HOLDS(last(CLIENT, SMCR_LLC_ADD_LINK, true)->add_link.reason == SMCR_LLC_ADD_BAD_MTU);
	HOLDS(is_active(SERVER, 1) && is_active(CLIENT, 1));
	spoil_end();
	ends_with(2);
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
	first_contact(1, 2, 2);
	HOLDS(sent(SERVER, SMCR_LLC_DELETE_LINK, false) >= 1);
	HOLDS(links(SERVER) == 1);
	spoil_end();
	ends_with(2);
}

static void r25(void)
{
	group(1);
	need_rmb(SERVER);
	run();
	need_rmb(SERVER);
	run();
	/* The client's end of the new link fails, and a continuation crosses */
	hold(SERVER, SMCR_LLC_ADD_LINK_CONT, false);
	ports_up(1);
	run();
	HOLDS(step_of(CLIENT) == SMCR_LLC_ADD_CONT);
	break_link(CLIENT, CLN->llc.add.link->num);
	run();
	HOLDS(sent(CLIENT, SMCR_LLC_DELETE_LINK, false) == 1);
	let_go();
	run();
	HOLDS(is_active(SERVER, 1) && is_active(CLIENT, 1));
	ends_with(2);
}

static void r25_server(void)
{
	group(1);
	/* The same at the server, when the client's reply is on its way */
	hold(CLIENT, SMCR_LLC_ADD_LINK, true);
	ports_up(1);
	run();
	break_link(SERVER, SRV->llc.add.link->num);
	run();
	let_go();
	run();
	HOLDS(is_active(SERVER, 1) && is_active(CLIENT, 1));
	ends_with(2);
}

static void miscount(struct smcr_llc_msg *msg)
{
	static u8 nth;

	if (msg->type == SMCR_LLC_ADD_LINK_CONT && ++nth % 2 == 0)
		msg->add_cont.nr_left = 2;
}

static void r26(void)
{
	group(2);
	need_rmb(SERVER);
	run();
	need_rmb(SERVER);
	run();
	HOLDS(SRV->n_rmbs == 3);
	spoil(SERVER, miscount);
	ports_up(2);
	run();
	HOLDS(!is_active(CLIENT, 1) && is_active(CLIENT, 2));
	spoil_end();
	ends_with(3);
}

static void unknown_link(u8 host)
{
	const struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = { .link_num = 77, .reason = SMCR_LLC_DEL_LOST_PATH },
	};

	group(2);
	send(host, 1, &msg);
	run();
	HOLDS(sent(!host, SMCR_LLC_DELETE_LINK, true) == 1);
	HOLDS(last(!host, SMCR_LLC_DELETE_LINK, true)->delete_link.reason ==
	      SMCR_LLC_DEL_NO_LINK);
	HOLDS(links(SERVER) == 2 && links(CLIENT) == 2);
}

static void r27(void)
{
	unknown_link(CLIENT);
	/* The client has lost a link that the server is deleting */
	sim_close(SERVER);
	fresh();
	deleting(2);
	break_link(CLIENT, 2);
	run();
	ends_with(2);
}

static void r28(void)
{
	const struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = { .link_num = 77, .reason = SMCR_LLC_DEL_LOST_PATH },
	};

	group(2);
	/* The server does not wait for the reply */
	hold(CLIENT, SMCR_LLC_DELETE_LINK, true);
	send(SERVER, 1, &msg);
	run();
	HOLDS(sent(CLIENT, SMCR_LLC_DELETE_LINK, true) == 1);
	HOLDS(last(CLIENT, SMCR_LLC_DELETE_LINK, true)->delete_link.reason ==
	      SMCR_LLC_DEL_NO_LINK);
	HOLDS(links(CLIENT) == 2);
}

static void r29(void)
{
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_CONFIRM_RKEY,
		.confirm_rkey.vaddr = 0x5000,
	};
	u8 h;

	for (h = 0; h < 2; again(&h, 2)) {
		group(2);
		lsim.key[++lsim.keys] = (struct key){
			.qp = link_of(h, 1)->qpn, .rmb = 99, .host = h, .vaddr = 0x5000,
		};
		msg.confirm_rkey.rkey = lsim.keys << 8;
		hold(!h, SMCR_LLC_CONFIRM_RKEY, true);
		send(h, 1, &msg);
		run();
		HOLDS(sent(!h, SMCR_LLC_CONFIRM_RKEY, true) == 1);
		HOLDS(!last(!h, SMCR_LLC_CONFIRM_RKEY, true)->confirm_rkey.negative);
		HOLDS(is_active(!h, 1) && !is_active(!h, 2));
	}
}

static void r30(void)
{
	const struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_RKEY,
		.delete_rkey = { .count = 2, .rkey = { 0x12345678, 0x77 } },
	};
	u8 h;

	for (h = 0; h < 2; again(&h, 2)) {
		group(2);
		hold(!h, SMCR_LLC_DELETE_RKEY, true);
		send(h, 1, &msg);
		run();
		HOLDS(last(!h, SMCR_LLC_DELETE_RKEY, true)->delete_rkey.negative);
		HOLDS(last(!h, SMCR_LLC_DELETE_RKEY, true)->delete_rkey.error_mask == 0xC0);
		HOLDS(links(SERVER) == 2);
	}
	let_go();
}

static void wrong_data(struct smcr_llc_msg *msg)
{
	if (msg->type == SMCR_LLC_TEST_LINK && msg->reply)
		msg->test_link.data[3] ^= 0x40;
}

static void r31(void)
{
	u8 h;

	for (h = 0; h < 2; again(&h, 2)) {
		group(2);
		spoil(!h, wrong_data);
		test_by(h, 2);
		run();
		HOLDS(!is_active(h, 2) && is_active(h, 1));
		spoil_end();
		ends_with(2);
	}
}

static void r32(void)
{
	const u8 buf[SMCR_ROCE_MSG_LEN] = { SMCR_LLC_CLASS_OPTIONAL | 5, SMCR_ROCE_MSG_LEN };
	struct ib_qp *qp;
	u8 h;

	for (h = 0; h < 2; again(&h, 2)) {
		group(2);
		lsim.honest = false;
		qp = link_of(h, 1)->qp;
		memcpy(qp->wr[qp->posted++ % QP_MSGS].buf, buf, sizeof(buf));
		run();
		HOLDS(lsim.host[!h].mib[SMCR_MIB_BADLLC] == 1);
		HOLDS(is_active(!h, 1));
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
	{ 1, { SMCR_LLC_ADD_LINK, false, .add_link = { .mtu = 3, .gid = { [10] = 0xFF, 0xFF } } } },
};

static void r33(void)
{
	u8 i;

	for (i = 0; i < 2 * ARRAY_SIZE(unexpected); again(&i, 2 * ARRAY_SIZE(unexpected))) {
		group(2);
		if (unexpected[i / 2].by & 1 << i % 2) {
			ports_up(2 - (unexpected[i / 2].by == 3));
			let_go();
			sim_settle();
			mark();
			send(i % 2, 2, &unexpected[i / 2].msg);
			run();
			HOLDS(!is_active(!(i % 2), 2) && is_active(!(i % 2), 1));
		}
	}
}

static void r34(void)
{
	group(2);
	/* The path of the second link is silent: the retry timer restores it */
	cut_link(2);
	test_by(SERVER, 2);
	sim_pass(3000);
	HOLDS(links(SERVER) == 1 && links(CLIENT) == 1);
	heal_paths();
	sim_pass(9000);
	HOLDS(links(SERVER) == 2 && links(CLIENT) == 2);
	/* Its port goes down, and comes up */
	port_set(SERVER, 1, false);
	port_remove(CLIENT, 1);
	break_link(SERVER, SRV->links[1]->num);
	sim_pass(100000);
	HOLDS(links(SERVER) == 1);
	ports_up(1);
	sim_pass(2000);
	HOLDS(links(SERVER) == 2);
	ends_with(2);
}

/* Other rules */

/* A link number returns when all 255 were used, also if the client has refused
 * or not seen some
 */
static void numbers(void)
{
	u32 n;

	group(1);
	for (n = 0; n < 600; n++) {
		u8 num;

		if (n % 5 == 4) {
			/* The client has no port, and refuses */
			port_set(SERVER, 1, true);
			sim_pass(3000);
			port_set(SERVER, 1, false);
			continue;
		}
		ports_up(1);
		sim_pass(3000);
		HOLDS(links(SERVER) == 2 && links(CLIENT) == 2);
		num = SRV->links[1] ? SRV->links[1]->num : 0;
		break_link(n & 1, num);
		port_set(SERVER, 1, false);
		port_set(CLIENT, 1, false);
		sim_pass(3000);
		HOLDS(is_active(SERVER, 1) && is_active(CLIENT, 1));
		need_rmb(n & 1);
		elems_return(n & 1);
	}
	ends_with(1);
}

/* A client's CONFIRM RKEY is late: its link has failed at the client. The server,
 * whose own CONFIRM RKEY is under way, has not handled the client's DELETE LINK.
 */
static void late_rkey(void)
{
	group(2);
	lsim.host[CLIENT].sn.sysctl.rmb_linger_ms = 0;
	hold(SERVER, SMCR_LLC_CONFIRM_RKEY, false);
	hold(CLIENT, SMCR_LLC_CONFIRM_RKEY, false);
	held[0].link = 1;
	need_rmb(SERVER);
	need_rmb(CLIENT);
	run();
	HOLDS(sent(CLIENT, SMCR_LLC_CONFIRM_RKEY, false) == 1);
	/* The message is on its way when the queue pair fails */
	link_of(CLIENT, 1)->qp->dead_at = jiffies + 1000;
	link_of(CLIENT, 1)->qp->err = true;
	lsim.cur = CLIENT;
	smcr_link_fail(link_of(CLIENT, 1), -EIO);
	sim_pass(100);
	/* It is not repeated before the server deletes the link */
	HOLDS(has_held(SERVER) && sent(CLIENT, SMCR_LLC_CONFIRM_RKEY, false) == 1);
	elems_return(CLIENT);
	held[0].on = false;
	run();
	ends_with(2);
}

struct scase {
	const char *name;
	const char *text;
	void (*run)(void);
};

static const struct scase cases[] = {
	{ "K1", "TEST LINK during ADD LINK is answered at once", k1 },
	{ "K2", "a client's ADD LINK during ADD LINK is ignored", k2 },
	{ "K3", "a client's DELETE LINK during ADD LINK waits", k3 },
	{ "K3", "if the link carries ADD LINK, the exchange fails", k3_carrier },
	{ "K4", "a client's DELETE LINK (all) during ADD LINK ends the group", k4 },
	{ "K5", "a client's CONFIRM RKEY during ADD LINK is refused and redone", k5 },
	{ "K6", "TEST LINK during DELETE LINK is answered at once", k6 },
	{ "K7", "a client's ADD LINK during DELETE LINK waits", k7 },
	{ "K8", "a client's DELETE LINK during DELETE LINK waits", k8 },
	{ "K9", "DELETE LINK (all) of either end during DELETE LINK ends the group", k9 },
	{ "K10", "a client's CONFIRM RKEY during DELETE LINK is refused and redone", k10 },
	{ "K11", "TEST LINK during CONFIRM RKEY is answered at once", k11 },
	{ "K12", "a client's ADD LINK during CONFIRM RKEY waits", k12 },
	{ "K13", "ADD LINK goes on, the CONFIRM RKEY that it crosses is redone", k13 },
	{ "K14", "a client's DELETE LINK during the server's CONFIRM RKEY waits", k14 },
	{ "K15", "DELETE LINK goes on, the CONFIRM RKEY that it crosses is redone", k15 },
	{ "K16", "DELETE LINK (all) during CONFIRM RKEY ends the group", k16 },
	{ "K17", "CONFIRM RKEYs of both ends cross without a refusal", k17 },
	{ "K17", "CONFIRM LINK during CONFIRM RKEY waits, then fails its link", k17_link },
	{ "R2", "the client has no CONFIRM LINK: the group ends", r2 },
	{ "R3", "the server has no CONFIRM LINK reply: the group ends", r3 },
	{ "R4", "no reply on the second link: data wait for DELETE LINK", r4 },
	{ "R5", "the same later: DELETE LINK, and a new try", r5 },
	{ "R6", "the client has no ADD LINK: the group ends", r6 },
	{ "R7", "first contact, no ADD LINK reply: the group ends", r7 },
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
	{ "R27", "a client's DELETE LINK of an unknown link is answered", r27 },
	{ "R28", "a server's DELETE LINK of an unknown link is answered", r28 },
	{ "R29", "a link without an RKey in CONFIRM RKEY has failed", r29 },
	{ "R30", "DELETE RKEY of unknown keys is refused with a mask", r30 },
	{ "R31", "a TEST LINK reply with other data fails the link", r31 },
	{ "R32", "an unknown message of the optional class is ignored", r32 },
	{ "R33", "a message that nothing waits for fails its link", r33 },
	{ "R34", "a lost link is restored by the timer and by a port", r34 },
	{ "numbers", "link numbers return after all 255, some of them refused", numbers },
	{ "rkey-again", "CONFIRM RKEY is repeated after its lost link is deleted", late_rkey },
};

static u32 fresh_seed;
static bool fresh_trace;

static void fresh(void)
{
	sim_reset(fresh_seed++);
	lsim.trace = fresh_trace;
	let_go();
	mark();
}

static bool case_run(const struct scase *c, u8 repeat)
{
	fresh_seed = (u32)(c - cases) * 1000 + repeat * 100;
	fresh();
	if (setjmp(lsim.failed))
		return false;
	c->run();
	let_go();
	lsim.tamper = NULL;
	heal_paths();
	sim_close(SERVER);
	return true;
}

/* Run the scenarios of a name, or all, with several orders of events each */
int cases_run(const char *only, bool trace)
{
	const struct scase *c;
	bool all = !strcmp(only, "all"), ok;
	int failed = 0;
	u32 n = 0;
	u8 i;

	fresh_trace = trace;
	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		if (!all && strcmp(only, c->name))
			continue;
		for (i = 0, ok = true; i < 8 && ok; i++)
			ok = case_run(c, i);
		failed |= !ok;
		n++;
		printf("%s - %s: %s\n", ok ? "ok" : "not ok", c->name, c->text);
	}
	return failed || !n;
}
