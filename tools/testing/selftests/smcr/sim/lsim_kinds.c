// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds of links (RFC 7609 2.2.1), and how many there are (2.2.2): an asymmetric link
 * and the symmetric one that replaces it, a single link, and the limits of both hosts.
 */
#include "lsim_case.h"
#include "llc_exchange.h"

/* A group with two links, of which the second is asymmetric: the second port of
 * @host is down
 */
static void st_asymmetric(u8 host, u8 ports)
{
	u8 n;

	lsim.host[SERVER].nr_ports = ports;
	lsim.host[CLIENT].nr_ports = ports;
	group_start();
	SRV->offer_linux = st_linux;
	lsim.host[host].port[ports - 1].up = false;
	group_enter();
	st_run();
	for (n = 0; n < 20 && st_links(SERVER) < ports; n++)
		sim_pass(1000);
	HOLDS(st_links(SERVER) == ports && st_links(CLIENT) == ports);
	sim_pass(5000);
	HOLDS(!check_rest() && group_grown());
	st_mark();
}

/* Has the server deleted link @num as an asymmetric one? */
static bool is_replaced(u8 num)
{
	const struct smcr_llc_msg *msg = st_last(SERVER, SMCR_LLC_DELETE_LINK, false);

	return st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1 && !msg->delete_link.all &&
	       msg->delete_link.orderly == !st_linux && msg->delete_link.link_num == num &&
	       msg->delete_link.reason == SMCR_LLC_DEL_ASYMMETRIC &&
	       !st_link_of(SERVER, num) && !st_link_of(CLIENT, num);
}

/* The server's link that was added last */
static const struct smcr_link *st_newest(void)
{
	const struct smcr_link *best = NULL;
	u8 s;

	for (s = 0; s < SMCR_MAX_LINKS; s++)
		if (SRV->links[s] && SRV->links[s]->state == SMCR_LINK_ACTIVE &&
		    (!best || SRV->links[s]->age > best->age))
			best = SRV->links[s];
	return best;
}

static u64 counted(u8 host, enum smcr_mib field)
{
	return lsim.host[host].mib[field];
}

static void replaced(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_asymmetric(h, 2);
		port_set(h, 1, true);
		st_run();
		/* Connections have time to leave the old link */
		HOLDS(st_is_active(SERVER, 3) && st_is_active(CLIENT, 3));
		HOLDS(st_is_active(SERVER, 2) && st_is_active(CLIENT, 2));
		HOLDS(!st_sent(SERVER, SMCR_LLC_DELETE_LINK, false));
		sim_pass(700);
		HOLDS(is_replaced(2));
		HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
		HOLDS(counted(SERVER, SMCR_MIB_LINKSREPLACED) == 1);
		HOLDS(counted(CLIENT, SMCR_MIB_LINKSREPLACED) == 1);
		HOLDS(!counted(SERVER, SMCR_MIB_LINKSFAILED));
		HOLDS(!counted(CLIENT, SMCR_MIB_LINKSFAILED));
		st_ends_with(2);
	}
}

/* An asymmetric link does not count toward the limit (2.2.2) */
static void limit(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_asymmetric(h, 2);
		SRV->max_links = 2;
		CLN->max_links = 2;
		port_set(h, 1, true);
		sim_pass(1000);
		HOLDS(is_replaced(2) && st_links(CLIENT) == 2);
	}
}

static void more(void)
{
	u8 num;

	st_asymmetric(CLIENT, 3);
	num = 3;
	HOLDS(st_is_active(SERVER, num) && port_of_gid(st_link_of(SERVER, num)->local.gid) == 2);
	port_set(CLIENT, 2, true);
	sim_pass(1000);
	HOLDS(is_replaced(num) && st_links(SERVER) == 3 && st_is_active(CLIENT, 4));
	st_ends_with(3);
}

/* Seven symmetric links and an asymmetric one, which shares the only spare port
 * of one end; the eighth port of @host is down. If @host is the client, the
 * asymmetric link comes last, otherwise first: its port 0 is the only one then.
 * Return: number of the asymmetric link
 */
static u8 st_seven(u8 host)
{
	u8 n;

	if (host == CLIENT) {
		st_asymmetric(CLIENT, MAX_PORTS);
		return 8;
	}
	lsim.host[SERVER].nr_ports = MAX_PORTS;
	lsim.host[CLIENT].nr_ports = MAX_PORTS;
	group_start();
	SRV->offer_linux = st_linux;
	for (n = 1; n < MAX_PORTS; n++)
		lsim.host[SERVER].port[n].up = false;
	group_enter();
	for (n = 1; n < MAX_PORTS; n++) {
		sim_pass(5000);
		if (n < MAX_PORTS - 1)
			port_set(SERVER, n, true);
	}
	HOLDS(st_links(SERVER) == 8 && st_links(CLIENT) == 8);
	sim_pass(60000);
	HOLDS(!check_rest() && group_grown());
	st_mark();
	return 2;
}

/* They take all slots, so the asymmetric link is deleted before the eighth
 * symmetric one is added
 */
static void eight(void)
{
	u8 h, num;

	for (h = 0; h < 2; st_again(&h, 2)) {
		num = st_seven(h);
		port_set(h, MAX_PORTS - 1, true);
		sim_pass(900);
		HOLDS(is_replaced(num) && st_links(SERVER) == 7);
		HOLDS(counted(SERVER, SMCR_MIB_LINKSREPLACED) == 1);
		sim_pass(5000);
		HOLDS(st_links(SERVER) == 8 && st_links(CLIENT) == 8);
		HOLDS(st_is_active(SERVER, 9) && st_is_active(CLIENT, 9));
		HOLDS(st_sent(SERVER, SMCR_LLC_DELETE_LINK, false) == 1);
		st_ends_with(8);
	}
}

/* If the symmetric link cannot be added, no asymmetric one comes back */
static void eight_later(void)
{
	u8 h, spare;

	for (h = 0; h < 2; st_again(&h, 2)) {
		spare = st_seven(h) == 2 ? 1 : 7;
		lsim.cut[7][spare] = true;
		port_set(h, MAX_PORTS - 1, true);
		sim_pass(60000);
		HOLDS(st_links(SERVER) == 7 && st_links(CLIENT) == 7);
		st_heal_paths();
		sim_pass(70000);
		HOLDS(st_links(SERVER) == 8 && st_links(CLIENT) == 8);
		st_ends_with(8);
	}
}

/* The symmetric link cannot be added */
static void kept(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_asymmetric(h, 2);
		lsim.cut[1][1] = true;
		port_set(h, 1, true);
		sim_pass(3000);
		HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
		HOLDS(st_is_active(SERVER, 2) && st_is_active(CLIENT, 2));
		st_heal_paths();
		sim_pass(10000);
		HOLDS(!st_link_of(SERVER, 2) && !st_link_of(CLIENT, 2));
		st_ends_with(2);
	}
}

/* A host has no memory for the symmetric link, and has some later */
static void poor(void)
{
	u8 h;

	for (h = 0; h < 4; st_again(&h, 4)) {
		st_asymmetric(h & 1, 2);
		lsim.poor[h >> 1] = 0xFF;
		port_set(h & 1, 1, true);
		sim_pass(3000);
		HOLDS(st_is_active(SERVER, 2) && st_is_active(CLIENT, 2));
		HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
		lsim.poor[h >> 1] = 0;
		sim_pass(70000);
		HOLDS(!st_link_of(SERVER, 2) && !st_link_of(CLIENT, 2));
		st_ends_with(2);
	}
}

/* The server's port comes back while the client's port of the asymmetric link is
 * down for a moment, which the link survives
 */
static void not_ready(void)
{
	st_asymmetric(SERVER, 2);
	port_set(CLIENT, 1, false);
	port_set(SERVER, 1, true);
	st_run();
	HOLDS(st_sent(CLIENT, SMCR_LLC_ADD_LINK, true) == 1);
	HOLDS(st_last(CLIENT, SMCR_LLC_ADD_LINK, true)->add_link.reject);
	HOLDS(st_is_active(SERVER, 2) && st_is_active(CLIENT, 2));
	port_set(CLIENT, 1, true);
	sim_pass(5000);
	HOLDS(!st_link_of(SERVER, 2) && st_links(SERVER) == 2);
	st_ends_with(2);
}

/* It fails before the asymmetric one is deleted */
static void lost(void)
{
	u8 h;

	for (h = 0; h < 4; st_again(&h, 4)) {
		st_asymmetric(h & 1, 2);
		port_set(h & 1, 1, true);
		st_run();
		HOLDS(st_is_active(SERVER, 3) && st_is_active(SERVER, 2));
		st_break_link(h >> 1, 3);
		sim_pass(700);
		HOLDS(!st_is_active(SERVER, 3));
		HOLDS(st_is_active(SERVER, 2) && st_is_active(CLIENT, 2));
		st_ends_with(2);
		HOLDS(!st_link_of(SERVER, 2) && !st_link_of(CLIENT, 2));
	}
}

/* It fails while DELETE LINK waits for the end of another exchange */
static void lost_queued(void)
{
	st_asymmetric(SERVER, 2);
	port_set(SERVER, 1, true);
	st_run();
	st_hold(SERVER, SMCR_LLC_CONFIRM_RKEY, false);
	st_need_rmb(SERVER);
	sim_pass(600);
	HOLDS(SRV->llc.flow.rkey_ours && SRV->llc.n_due == 1);
	st_break_link(SERVER, 3);
	st_told();
	st_let_go();
	st_run();
	HOLDS(st_is_active(SERVER, 2) && st_is_active(CLIENT, 2));
	HOLDS(st_last(SERVER, SMCR_LLC_DELETE_LINK, false)->delete_link.link_num == 3);
	st_ends_with(2);
	HOLDS(!st_link_of(SERVER, 2) && !st_link_of(CLIENT, 2));
}

/* It fails while the asymmetric link is being deleted */
static void lost_late(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_asymmetric(h, 2);
		st_hold(SERVER, SMCR_LLC_DELETE_LINK, false);
		port_set(h, 1, true);
		sim_pass(700);
		HOLDS(st_step_of(SERVER) == SMCR_LLC_DELETE && st_is_active(CLIENT, 2));
		st_break_link(CLIENT, 3);
		st_told();
		st_let_go();
		st_run();
		HOLDS(st_links(SERVER) == 1 && st_is_active(CLIENT, 1));
		st_ends_with(2);
	}
}

/* The first link fails, and the asymmetric one takes its place */
static void first_lost(void)
{
	u8 h;

	for (h = 0; h < 2; st_again(&h, 2)) {
		st_asymmetric(h, 2);
		port_set(h, 1, true);
		st_run();
		HOLDS(st_is_active(SERVER, 3));
		st_break_link(h, 1);
		sim_pass(700);
		HOLDS(st_is_active(SERVER, 2) && st_is_active(CLIENT, 2));
		st_ends_with(2);
		HOLDS(st_links(SERVER) == 2);
	}
}

/* Two spare ports of each host, of which only the server's first one and the
 * client's second one reach each other
 */
static void turns(void)
{
	lsim.cut[1][1] = true;
	lsim.cut[2][1] = true;
	lsim.cut[2][2] = true;
	st_first_contact(3, 3, 1);
	sim_pass(3000);
	HOLDS(st_links(SERVER) == 1);
	st_ports_up(1);
	st_ports_up(2);
	sim_pass(30000);
	HOLDS(st_links(SERVER) >= 2 && st_links(CLIENT) == st_links(SERVER));
	HOLDS(port_of_gid(st_newest()->local.gid) == 1);
	HOLDS(port_of_gid(st_newest()->peer.gid) == 2);
}

/* Ports that ADD LINK requests of a host have named, and those of a first contact */
static u8 named[2], named_first[2];

static void note_port(const struct ib_qp *qp, struct smcr_llc_msg *msg)
{
	if (msg->type != SMCR_LLC_ADD_LINK || msg->reply)
		return;
	named[qp->host] |= 1 << port_of_gid(msg->add_link.gid);
	if (lsim.host[qp->host].lgr->state == SMCR_LGR_FORMING)
		named_first[qp->host] |= 1 << port_of_gid(msg->add_link.gid);
}

/* A first contact of hosts whose ports are in subnets of their own. It is over at
 * once, and has told nothing about the second ports.
 */
static void st_apart(u8 server_ports, u8 client_ports)
{
	lsim.rails = true;
	lsim.tamper = note_port;
	memset(named, 0, sizeof(named));
	memset(named_first, 0, sizeof(named_first));
	st_first_contact(server_ports, client_ports, MAX_PORTS);
	HOLDS(SRV->state == SMCR_LGR_ACTIVE && CLN->state == SMCR_LGR_ACTIVE);
	HOLDS(named_first[SERVER] == 1 && !named_first[CLIENT]);
}

/* A host has a second port that does not reach the peer. It tries that port later, a
 * few times; after that the server offers its first port, seldom, and is refused
 */
static void apart(void)
{
	u8 host;
	u32 qps;

	for (host = 0; host < 2; st_again(&host, 2)) {
		st_apart(host == SERVER ? 2 : 1, host == CLIENT ? 2 : 1);
		qps = lsim.qps;
		sim_pass(600000);
		HOLDS(named[host] & 2);
		HOLDS(counted(host, SMCR_MIB_ADDLINKGIVENUP) == 1);
		HOLDS(lsim.qps - qps <= 2 * SMCR_LLC_FAR_TRIES + 4);
		st_mark();
		memset(named, 0, sizeof(named));
		qps = lsim.qps;
		sim_pass(600000);
		HOLDS(!(named[host] & 2) && lsim.qps - qps <= 1);
		HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false) <= 1);
		HOLDS(!st_sent(CLIENT, SMCR_LLC_ADD_LINK, false));
		HOLDS(st_is_active(SERVER, 1) && !check_rest());
	}
}

/* Second ports that reach each other get a link soon after the first contact. Without
 * a path they get it when a port comes up again at either end, and such a path is not
 * given up a second time
 */
static void apart_later(void)
{
	u8 host;

	st_apart(2, 2);
	sim_pass(2000);
	HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
	sim_close(CLIENT);
	st_fresh();
	for (host = 0; host < 2; st_again(&host, 2)) {
		lsim.cut[1][1] = true;
		lsim.roce_only = true;
		st_apart(2, 2);
		sim_pass(1800000);
		HOLDS(st_links(SERVER) == 1);
		st_heal_paths();
		port_set(host, 1, false);
		port_set(host, 1, true);
		sim_pass(3000);
		HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
		lsim.cut[1][1] = true;
		sim_pass(1800000);
		HOLDS(st_links(SERVER) == 1);
		st_heal_paths();
		sim_pass(130000);
		HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
	}
}

/* A port of a host has one more address */
static void st_address(u8 host, u8 port)
{
	lsim.cur = host;
	smcr_lgr_port_ready(&lsim.host[host].port[port].dev);
}

/* An event of a port that the group uses, or that it cannot use, leads to no offer.
 * An event during the first contact is not forgotten
 */
static void events(void)
{
	u32 qps;
	u8 n;

	st_first_contact(2, 1, 1);
	sim_pass(5000);
	st_mark();
	qps = lsim.qps;
	for (n = 0; n < 10; n++) {
		st_address(SERVER, 0);
		st_address(SERVER, 1);
		st_address(CLIENT, 0);
		sim_pass(2000);
	}
	HOLDS(lsim.qps == qps && !st_sent(SERVER, SMCR_LLC_ADD_LINK, false));
	port_set(SERVER, 1, true);
	st_run();
	HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
	sim_close(CLIENT);
	st_fresh();
	st_hold(CLIENT, SMCR_LLC_ADD_LINK, true);
	st_first_contact(2, 1, 1);
	HOLDS(SRV->state == SMCR_LGR_FORMING);
	port_set(SERVER, 1, true);
	st_let_go();
	st_run();
	HOLDS(st_links(SERVER) == 2 && st_links(CLIENT) == 2);
}

static u8 qps_left(void)
{
	const struct ib_qp *qp;
	u8 n = 0;

	for (qp = lsim.qp; qp < lsim.qp + MAX_QPS; qp++)
		n += qp->used && qp->link;
	return n;
}

/* Two hosts with one port each: the offer is refused, and no queue pair of it is left */
static void no_second(void)
{
	const struct smcr_llc_add_link *reply = &st_last(CLIENT, SMCR_LLC_ADD_LINK, true)->add_link;

	st_first_contact(1, 1, 1);
	HOLDS(st_sent(SERVER, SMCR_LLC_ADD_LINK, false) == 1);
	HOLDS(st_sent(CLIENT, SMCR_LLC_ADD_LINK, true) == 1);
	HOLDS(reply->reject && reply->reason == SMCR_LLC_ADD_NO_PATH);
	HOLDS(SRV->state == SMCR_LGR_ACTIVE && CLN->state == SMCR_LGR_ACTIVE);
	HOLDS(lsim.host[SERVER].mib[SMCR_MIB_ADDLINKREFUSED] == 1);
	HOLDS(lsim.qps == 3 && qps_left() == 2);
	st_ends_with(1);
}

static u8 links_limit;

static void set_limit(const struct ib_qp *qp, struct smcr_llc_msg *msg)
{
	if (qp->host == SERVER && msg->type == SMCR_LLC_CONFIRM_LINK)
		msg->confirm_link.max_links = links_limit;
}

/* The client takes the server's limit, which is 2 at least; 0 stands for none */
static void limits(void)
{
	static const struct {
		u8 server, both;
	} of[] = { { 0, 8 }, { 1, 2 }, { 2, 2 }, { 5, 5 }, { 8, 8 }, { 255, 8 } };
	u8 i;

	for (i = 0; i < ARRAY_SIZE(of); st_again(&i, ARRAY_SIZE(of))) {
		lsim.tamper = set_limit;
		links_limit = of[i].server;
		lsim.honest = false;
		st_first_contact(1, 1, 1);
		lsim.tamper = NULL;
		HOLDS(st_last(CLIENT, SMCR_LLC_CONFIRM_LINK, true)->confirm_link.max_links ==
		      of[i].both);
		HOLDS(SRV->max_links == of[i].both && CLN->max_links == of[i].both);
		st_ends_with(1);
	}
}

const struct scase lsim_kinds[] = {
	{ "alone", "without a second port, the offer is refused with reason 1", no_second },
	{ "limit", "the client's limit of links is that of the server, if it can be", limits },
	{ "asym", "a symmetric link replaces an asymmetric one, of either end", replaced },
	{ "asym-limit", "the same at the limit of symmetric links", limit },
	{ "asym-more", "the same beside two symmetric links", more },
	{ "asym-eight", "seven symmetric links and an asymmetric one become eight", eight },
	{ "asym-eight", "the same, if the eighth port cannot be reached at first", eight_later },
	{ "asym-kept", "without the symmetric link, the asymmetric one stays", kept },
	{ "asym-kept", "the same, if a host cannot create the symmetric link at first", poor },
	{ "asym-kept", "the same, if its port is not ready when the offer comes", not_ready },
	{ "asym-lost", "the same, if the symmetric link fails soon", lost },
	{ "asym-lost", "the same, if it fails when DELETE LINK is due", lost_queued },
	{ "asym-deleted", "the same during DELETE LINK: a new one is added", lost_late },
	{ "ports", "each end tries its spare ports in turn", turns },
	{ "apart", "a port that may be on another network is tried later, and given up", apart },
	{ "apart", "second ports in another subnet get a link if they can", apart_later },
	{ "events", "only a port that the group can use makes it look for a link", events },
	{ "asym-first", "the first link fails: the asymmetric one takes its place", first_lost },
	{ },
};
