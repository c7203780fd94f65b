// SPDX-License-Identifier: GPL-2.0
/*
 * The stage of the scenarios: it holds a message back, so that an exchange stands
 * at a step, and lets other messages come. A message that is held back also
 * holds those that follow it over the same link.
 */
#include "lsim_case.h"

struct hold st_held[2];
static u32 count0[2][16][2];

u32 st_seed;
bool st_trace, st_linux;

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
	return !holds(&st_held[0], qp, msg) && !holds(&st_held[1], qp, msg);
}

void st_hold(u8 host, enum smcr_llc_type type, bool reply)
{
	st_held[1] = st_held[0];
	st_held[0] = (struct hold){ .on = true, .host = host, .type = type, .reply = reply };
	lsim.gate = gate;
}

void st_let_go(void)
{
	memset(st_held, 0, sizeof(st_held));
	lsim.gate = NULL;
}

/* Everything happens that can without a timer, but for short delays */
void st_run(void)
{
	sim_pass(30);
}

/* A host that has lost a link has told its peer, a Linux peer a little later */
void st_told(void)
{
	st_run();
	if (st_linux)
		sim_pass(60);
}

void st_mark(void)
{
	u8 h;

	for (h = 0; h < 2; h++)
		memcpy(count0[h], lsim.host[h].sent, sizeof(count0[h]));
}

/* Messages of a kind that a host has sent since st_mark() */
u32 st_sent(u8 host, enum smcr_llc_type type, bool reply)
{
	return lsim.host[host].sent[type][reply] - count0[host][type][reply];
}

const struct smcr_llc_msg *st_last(u8 host, enum smcr_llc_type type, bool reply)
{
	return &lsim.host[host].last[type][reply];
}

struct smcr_link *st_link_of(u8 host, u8 num)
{
	struct smcr_lgr *lgr = lsim.host[host].lgr;
	u8 s;

	for (s = 0; s < SMCR_MAX_LINKS; s++)
		if (lgr->links[s] && lgr->links[s]->num == num)
			return lgr->links[s];
	return NULL;
}

bool st_is_active(u8 host, u8 num)
{
	const struct smcr_link *link = st_link_of(host, num);

	return link && link->state == SMCR_LINK_ACTIVE;
}

u8 st_links(u8 host)
{
	u8 n = 0, s;

	for (s = 0; s < SMCR_MAX_LINKS; s++)
		n += lsim.host[host].lgr->links[s] &&
		     lsim.host[host].lgr->links[s]->state == SMCR_LINK_ACTIVE;
	return n;
}

enum smcr_llc_step st_step_of(u8 host)
{
	return lsim.host[host].lgr->llc.flow.step;
}

bool st_dead(u8 host)
{
	return !host_alive(&lsim.host[host]);
}

bool st_has_held(u8 host)
{
	return !list_empty(&lsim.host[host].lgr->llc.held);
}

/* A host's queue pair of a link fails */
void st_break_link(u8 host, u8 num)
{
	qp_fail(st_link_of(host, num)->qp, -EIO);
}

/* The path of a link is lost */
void st_cut_link(u8 num)
{
	const struct smcr_link *link = st_link_of(SERVER, num);

	lsim.cut[link->qp->port][link->qp->peer_port] = true;
}

void st_heal_paths(void)
{
	memset(lsim.cut, 0, sizeof(lsim.cut));
}

/* A host handles nothing for a time */
void st_stall(u8 host, unsigned long ms)
{
	lsim.host[host].stalled = jiffies + ms;
}

/* The request that the busy client keeps, and the link that it came over */
static struct smcr_llc_msg kept;
static u8 kept_num;
static bool keeps;

static bool busy_ignores(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	if (qp->host != SERVER || msg->reply ||
	    (msg->type != SMCR_LLC_ADD_LINK && msg->type != SMCR_LLC_DELETE_LINK))
		return false;
	TRACE("client %s that", keeps ? "keeps" : "ignores");
	if (keeps) {
		kept = *msg;
		kept_num = qp->link->num;
		keeps = false;
	}
	return true;
}

/* The client is busy with a link that it has lost. As Linux does then, it keeps one
 * request that changes links, or none, and ignores the others
 */
void st_busy(bool keep)
{
	keeps = keep;
	kept_num = 0;
	lsim.ignores = busy_ignores;
}

/* A Linux client ignores other offers until it has given up the one that it kept */
static bool adding_ignores(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	if (st_sent(CLIENT, SMCR_LLC_DELETE_LINK, true))
		lsim.ignores = NULL;
	return lsim.ignores && qp->host == SERVER && !msg->reply &&
	       msg->type == SMCR_LLC_ADD_LINK &&
	       msg->add_link.link_num != kept.add_link.link_num;
}

/* The client is not busy any more. Return: false if it has kept nothing */
bool st_unbusy(void)
{
	struct ib_qp *qp;

	lsim.ignores = NULL;
	if (!kept_num)
		return false;
	st_mark();
	lsim.ignores = adding_ignores;
	qp = st_link_of(SERVER, kept_num)->qp;
	smcr_llc_msg_encode(qp->wr[qp->posted++ % QP_MSGS].buf, SRV->dialect, &kept);
	return true;
}

void st_send_raw(u8 host, u8 num, const u8 *buf)
{
	lsim.honest = false;
	lsim.cur = host;
	HOLDS(!smcr_wr_post_llc(st_link_of(host, num), buf, 0, NULL));
}

/* A host sends a made-up message */
void st_send(u8 host, u8 num, const struct smcr_llc_msg *msg)
{
	u8 buf[SMCR_ROCE_MSG_LEN];

	smcr_llc_msg_encode(buf, lsim.host[host].lgr->dialect, msg);
	st_send_raw(host, num, buf);
}

/* A host needs an RMB that the peer does not know */
void st_need_rmb(u8 host)
{
	static u32 size;

	size = size == 32768 ? 65536 : 32768;
	elem_take(host, size);
}

void st_close_by(u8 host)
{
	lsim.cur = host;
	smcr_lgr_kick(lsim.host[host].lgr, SMCR_LGR_T_CLOSE);
}

void st_test_by(u8 host, u8 num)
{
	lsim.cur = host;
	smcr_lgr_link_doubtful(st_link_of(host, num));
}

void st_ports_up(u8 port)
{
	port_set(SERVER, port, true);
	port_set(CLIENT, port, true);
}

/* A first contact, as far as the messages that are held let it go */
void st_first_contact(u8 server_ports, u8 client_ports, u8 up)
{
	u8 p;

	lsim.host[SERVER].nr_ports = server_ports;
	lsim.host[CLIENT].nr_ports = client_ports;
	group_start();
	SRV->offer_linux = st_linux;
	for (p = up; p < MAX_PORTS; p++) {
		lsim.host[SERVER].port[p].up = false;
		lsim.host[CLIENT].port[p].up = false;
	}
	group_enter();
	st_run();
}

/* Two groups with a number of links, and as many ports again that are down */
void st_group(u8 nr_links)
{
	u8 n;

	st_first_contact(nr_links + 1, nr_links + 1, nr_links);
	for (n = 0; n < 20 && st_links(SERVER) < nr_links; n++)
		sim_pass(1000);
	HOLDS(st_links(SERVER) == nr_links && st_links(CLIENT) == nr_links);
	/* The last try to find more links is over */
	sim_pass(5000);
	HOLDS(!check_rest());
	st_mark();
}

/* Let an exchange that adds a link stand where the server's message is held */
void st_adding(enum smcr_llc_type type, u8 port)
{
	st_hold(SERVER, type, false);
	st_ports_up(port);
	st_run();
	HOLDS(st_step_of(SERVER) == SMCR_LLC_ADD_REPLY || st_step_of(SERVER) == SMCR_LLC_ADD_CONT ||
	      st_step_of(SERVER) == SMCR_LLC_ADD_CONFIRM);
	st_mark();
}

/* The server deletes the second link, and its message is held */
void st_deleting(u8 nr_links)
{
	st_group(nr_links);
	st_hold(SERVER, SMCR_LLC_DELETE_LINK, false);
	st_break_link(SERVER, 2);
	st_told();
	HOLDS(st_step_of(SERVER) == SMCR_LLC_DELETE);
	st_mark();
}

/* A host's CONFIRM RKEY is under way, and the message is held */
void st_confirming(u8 host, u8 nr_links)
{
	st_group(nr_links);
	st_hold(host, SMCR_LLC_CONFIRM_RKEY, false);
	st_need_rmb(host);
	st_run();
	HOLDS(lsim.host[host].lgr->llc.flow.rkey_ours);
	st_mark();
}

/* The exchange goes on; both ends come to rest with a number of links */
void st_ends_with(u8 nr_links)
{
	st_let_go();
	sim_settle();
	/* There may be an asymmetric link besides */
	HOLDS(st_links(SERVER) >= nr_links && st_links(CLIENT) == st_links(SERVER));
}

void st_fresh(void)
{
	sim_reset(st_seed++);
	lsim.trace = st_trace;
	st_let_go();
	st_mark();
}

/* Begin anew for the next turn of a scenario. */
void st_again(u8 *i, u8 n)
{
	if (++*i < n) {
		if (!both_dead())
			sim_close(CLIENT);
		else
			sim_close(SERVER);
		st_fresh();
	}
}
