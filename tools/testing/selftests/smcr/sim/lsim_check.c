// SPDX-License-Identifier: GPL-2.0
/*
 * Invariants: of each message that is sent, after each step, and at rest.
 */
#include "lsim.h"

u64 lsim_links, lsim_msgs, lsim_steps, lsim_refused, lsim_ends, lsim_retries, lsim_conts;

static bool active(const struct smcr_link *link)
{
	return link && link->state == SMCR_LINK_ACTIVE;
}

static u8 nr_active(const struct smcr_lgr *lgr)
{
	u8 n = 0, s;

	for (s = 0; s < SMCR_MAX_LINKS; s++)
		n += active(lgr->links[s]);
	return n;
}

/* No number is given again before all 255 were given (2.2.4). A number that
 * still names a link is skipped.
 */
static void check_num(const struct smcr_lgr *lgr, u8 num)
{
	bool all = true, live;
	unsigned int n;
	u8 s;

	for (n = 1; n < 256; n++) {
		for (s = 0, live = false; s < SMCR_MAX_LINKS; s++)
			live |= lgr->links[s] && lgr->links[s] != lgr->llc.add.link &&
				lgr->links[s]->num == n;
		all &= live || lsim.nums[n / 8] & 1 << n % 8;
	}
	if (all)
		memset(lsim.nums, 0, sizeof(lsim.nums));
	HOLDS(!(lsim.nums[num / 8] & 1 << num % 8));
	lsim.nums[num / 8] |= 1 << num % 8;
}

/* A CONFIRM RKEY names all links that connections may use */
static void check_confirm_rkey(const struct smcr_lgr *lgr, const struct ib_qp *qp,
			       const struct smcr_llc_confirm_rkey *msg)
{
	u8 i, s;

	HOLDS(msg->nr_others + 1 == nr_active(lgr));
	for (i = 0; i < msg->nr_others && i < SMCR_LLC_CONFIRM_RKEY_OTHERS; i++) {
		for (s = 0; s < SMCR_MAX_LINKS; s++)
			if (active(lgr->links[s]) && lgr->links[s]->num == msg->other[i].link_num)
				break;
		HOLDS(s < SMCR_MAX_LINKS && lgr->links[s] != qp->link);
	}
	if (msg->nr_others > SMCR_LLC_CONFIRM_RKEY_OTHERS)
		lsim_conts++;
}

/* Does a host know that the peer's CONFIRM RKEY goes on? */
static bool awaits_cont(const struct smcr_lgr *lgr)
{
	return lgr->llc.theirs.left.left && lgr->llc.theirs_deadline;
}

static struct ib_qp *qp_by_num(const struct smcr_lgr *lgr, u8 num)
{
	u8 s;

	for (s = 0; s < SMCR_MAX_LINKS; s++)
		if (lgr->links[s] && lgr->links[s]->num == num)
			return lgr->links[s]->qp;
	return NULL;
}

/* The client has agreed to delete a link that it has been offered, and does not
 * answer the offer any more
 */
static void offer_moot(const struct smcr_lgr *lgr, u8 num)
{
	u8 server = !lgr->net->host, s;

	if (lsim.host[server].last[SMCR_LLC_ADD_LINK][false].add_link.link_num != num)
		return;
	for (s = 0; s < SMCR_MAX_LINKS; s++)
		if (lgr->links[s] && lgr->links[s]->qp)
			lgr->links[s]->qp->asked[SMCR_LLC_ADD_LINK] = 0;
}

/* A reply takes the link of its request, but not if both ends stop that link (3.3) */
static void check_reply(struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	if (msg->type == SMCR_LLC_DELETE_LINK && qp->link->lgr->role == SMCR_CLIENT)
		offer_moot(qp->link->lgr, msg->delete_link.link_num);
	if (msg->type == SMCR_LLC_DELETE_LINK && !qp->asked[msg->type])
		qp = qp_by_num(qp->link->lgr, msg->delete_link.link_num);
	HOLDS(!lsim.honest || (qp && qp->asked[msg->type]));
	if (qp && qp->asked[msg->type])
		qp->asked[msg->type]--;
}

/* CONFIRM LINK names the link that carries it, and a limit of links. The client's one
 * is not above the server's (2.2.2).
 */
static void check_confirm_link(const struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	const struct smcr_llc_confirm_link *conf = &msg->confirm_link;
	u8 most = SMCR_MAX_LINKS;

	if (msg->reply)
		most = lsim.host[!qp->host].last[msg->type][false].confirm_link.max_links;
	HOLDS(conf->link_num == qp->link->num && conf->qpn == qp->link->qpn);
	HOLDS(conf->max_links >= 2 && conf->max_links <= most);
}

/* A message is about to be sent: the exchange that it begins may begin */
void check_sent(struct ib_qp *qp, const struct smcr_llc_msg *msg)
{
	const struct smcr_lgr *lgr = qp->link->lgr;
	const struct smcr_llc_flow *flow = &lgr->llc.flow;
	bool idle = flow->step == SMCR_LLC_IDLE && !flow->rkey_ours;

	if (msg->reply)
		check_reply(qp, msg);
	if (!lsim.honest)
		return;
	switch (msg->type) {
	case SMCR_LLC_CONFIRM_LINK:
		check_confirm_link(qp, msg);
		break;
	case SMCR_LLC_ADD_LINK:
		if (msg->reply) {
			lsim_refused += msg->add_link.reject;
			break;
		}
		if (lgr->role == SMCR_CLIENT)
			break;
		HOLDS(flow->step == SMCR_LLC_ADD_REPLY && !flow->rkey_ours);
		HOLDS(!awaits_cont(lgr));
		check_num(lgr, msg->add_link.link_num);
		break;
	case SMCR_LLC_DELETE_LINK:
		if (!msg->reply && !msg->delete_link.all && lgr->role == SMCR_SERVER)
			HOLDS(idle && !awaits_cont(lgr));
		break;
	case SMCR_LLC_CONFIRM_RKEY:
		if (!msg->reply) {
			HOLDS(idle);
			check_confirm_rkey(lgr, qp, &msg->confirm_rkey);
		} else {
			lsim_retries += msg->confirm_rkey.retry;
			HOLDS(flow->step == SMCR_LLC_IDLE || msg->confirm_rkey.negative);
		}
		break;
	case SMCR_LLC_DELETE_RKEY:
		HOLDS(msg->reply || idle);
		break;
	case SMCR_LLC_ADD_LINK_CONT:
		lsim_conts += msg->add_cont.nr_left > SMCR_LLC_ADD_CONT_PAIRS;
		break;
	default:
		break;
	}
}

/* A probe is about to be sent. It goes over the first link of a first contact,
 * before data may flow, once, and into the first RMB of the peer, behind the eye
 * catcher. A Linux client has answered CONFIRM LINK by then.
 */
void check_probe(struct ib_qp *qp, const struct smcr_llc_msg *msg,
		 const struct smcr_wr_probe *probe)
{
	const struct smcr_lgr *lgr = qp->link->lgr;
	const struct key *key = &lsim.key[probe->rkey >> 8];
	enum smcr_llc_type type = SMCR_LLC_CONFIRM_LINK;

	HOLDS(lgr->state == SMCR_LGR_FORMING && lgr->links[0] == qp->link);
	HOLDS(!lsim.host[qp->host].probes++);
	HOLDS(key->qp == qp->peer_num && key->host != qp->host);
	HOLDS(probe->raddr == key->vaddr + SMCR_RMBE_EYE_LEN);
	if (lgr->role == SMCR_SERVER && lgr->offer_linux) {
		type = SMCR_LLC_ADD_LINK;
		HOLDS(qp->link->state == SMCR_LINK_ACTIVE);
	}
	HOLDS(msg->type == type && msg->reply == (lgr->role == SMCR_CLIENT));
}

static void check_token(const struct smcr_lgr *lgr, const struct smcr_rtoken *rt)
{
	const struct key *key, *first = NULL;
	const struct smcr_link *link;
	u8 s;

	for (s = 0; s < SMCR_MAX_LINKS; s++) {
		if (!(rt->links & 1 << s))
			continue;
		link = lgr->links[s];
		HOLDS(link);
		key = &lsim.key[rt->rkey[s] >> 8];
		HOLDS(key->qp == link->peer.qpn && key->host != lgr->net->host);
		HOLDS(key->vaddr == rt->vaddr[s]);
		HOLDS(!first || first->rmb == key->rmb);
		first = key;
	}
}

static void check_tokens(const struct smcr_lgr *lgr)
{
	const struct smcr_rtoken_table *tbl = lgr->rtokens;
	unsigned int id, n = 0;

	for (id = 1; id <= SMCR_MAX_RMBS && n < tbl->nr; id++) {
		if (!tbl->slot[id])
			continue;
		n++;
		check_token(lgr, tbl->slot[id]);
	}
	HOLDS(n == tbl->nr);
}

static void check_links(const struct smcr_lgr *lgr)
{
	const struct smcr_link *a, *b;
	u8 i, j;

	for (i = 0; i < SMCR_MAX_LINKS; i++) {
		a = lgr->links[i];
		for (j = 0; a && j < i; j++) {
			b = lgr->links[j];
			if (!b)
				continue;
			HOLDS(!a->num || a->num != b->num);
			if (active(a) && active(b))
				HOLDS(a->local.dev != b->local.dev ||
				      memcmp(a->peer.gid, b->peer.gid, SMCR_GID_LEN));
		}
	}
}

/* After each step */
void check_step(void)
{
	u8 h;

	for (h = 0; h < 2; h++) {
		const struct smcr_lgr *lgr = lsim.host[h].lgr;

		if (!host_alive(&lsim.host[h]))
			continue;
		check_links(lgr);
		check_tokens(lgr);
		if (lgr->role == SMCR_SERVER)
			HOLDS(!lgr->llc.flow.rkey_ours || lgr->llc.flow.step == SMCR_LLC_IDLE);
	}
}

/* Was each request answered that a link has got? A server need not answer those that
 * change links, and no host a continuation about a link that it has lost (C.7.1).
 */
static bool all_answered(const struct smcr_lgr *lgr, const struct ib_qp *qp)
{
	u8 type;

	for (type = 0; type < ARRAY_SIZE(qp->asked); type++) {
		if (lgr->role == SMCR_SERVER &&
		    (type == SMCR_LLC_ADD_LINK || type == SMCR_LLC_DELETE_LINK))
			continue;
		if (qp->asked[type] && type != SMCR_LLC_ADD_LINK_CONT)
			return false;
	}
	return true;
}

static const char *rest_host(const struct smcr_lgr *lgr)
{
	const struct smcr_llc *llc = &lgr->llc;
	u8 s;

	if (lgr->state != SMCR_LGR_ACTIVE)
		return "the group is active";
	HOLDS(lsim.host[lgr->net->host].probes == 1 && !lsim.host[lgr->net->host].hole);
	if (llc->flow.step != SMCR_LLC_IDLE || llc->flow.rkey_ours || llc->flow.rkey_theirs)
		return "no exchange is under way";
	if (!list_empty(&llc->queue) || !list_empty(&llc->held))
		return "no message waits";
	if (llc->step_deadline || llc->rkey_deadline || llc->rkey_retry_at ||
	    llc->theirs_deadline)
		return "no timer of an exchange runs";
	if (llc->n_due || llc->add.link || llc->rmb || llc->deleting || llc->ours.link)
		return "no exchange is due";
	for (s = 0; s < SMCR_MAX_LINKS; s++) {
		if (lgr->links[s] && lgr->links[s]->state != SMCR_LINK_ACTIVE)
			return "each link is active";
		if (llc->test[s].sent)
			return "no TEST LINK is unanswered";
		if (lsim.honest && lgr->links[s] && !all_answered(lgr, lgr->links[s]->qp))
			return "each request was answered";
	}
	return NULL;
}

static const struct smcr_link *link_by_num(const struct smcr_lgr *lgr, u8 num)
{
	u8 s;

	for (s = 0; s < SMCR_MAX_LINKS; s++)
		if (lgr->links[s] && lgr->links[s]->num == num)
			return lgr->links[s];
	return NULL;
}

static const char *rest_links(const struct smcr_lgr *lgr, const struct smcr_lgr *peer)
{
	const struct smcr_link *link, *far;
	u8 s;

	for (s = 0; s < SMCR_MAX_LINKS; s++) {
		link = lgr->links[s];
		if (!link)
			continue;
		far = link_by_num(peer, link->num);
		if (!far || far->peer.qpn != link->qpn || link->peer.qpn != far->qpn)
			return "both ends have the same links";
	}
	return NULL;
}

/* Does the peer know a key of an RMB on each link, and no RMB beside ours? */
static const char *rest_rmbs(const struct smcr_lgr *lgr, const struct smcr_lgr *peer)
{
	const struct smcr_rmb *rmb;
	u32 rkey, n = 0;
	u64 vaddr;
	int id, at;
	u8 s;

	list_for_each_entry(rmb, &lgr->rmbs, list) {
		n++;
		if (!rmb->confirmed || rmb->deleting || rmb->forgotten)
			return "each RMB is confirmed";
		id = 0;
		for (s = 0; s < SMCR_MAX_LINKS; s++) {
			const struct smcr_link *far;

			if (!lgr->links[s])
				continue;
			if (!rmb->maps[s].registered || rmb->maps[s].link != lgr->links[s])
				return "each RMB is registered on each link";
			far = link_by_num(peer, lgr->links[s]->num);
			at = smcr_rtoken_find(peer->rtokens, far->slot, rmb->maps[s].rkey);
			if (at <= 0 || (id && at != id) ||
			    smcr_rtoken_get(peer->rtokens, at, far->slot, &rkey, &vaddr) ||
			    vaddr != rmb->maps[s].iova)
				return "the peer has the RMB's keys on all links";
			id = at;
		}
	}
	for (id = 1; id <= SMCR_MAX_RMBS; id++)
		n -= peer->rtokens->slot[id] && peer->rtokens->slot[id]->links;
	return n ? "the peer has no key of another RMB" : NULL;
}

static void tell_rmb(u8 host, const struct smcr_rmb *rmb)
{
	const struct smcr_rmb_map *map;

	TRACE("%s RMB %u: confirmed %u, deleting %u", host_name(host), rmb->n_pages,
	      rmb->confirmed, rmb->deleting);
	for (map = rmb->maps; map < rmb->maps + SMCR_MAX_LINKS; map++)
		if (map->link)
			TRACE("- link %u: registered %u, pending %u, told %u", map->link->num,
			      map->registered, map->pending, map->told);
}

static void tell_rtoken(u8 host, const struct smcr_rtoken *rt)
{
	u8 s;

	for (s = 0; rt && s < SMCR_MAX_LINKS; s++)
		if (rt->links & 1 << s)
			TRACE("%s RToken %u, slot %u: RMB %u", host_name(host), rt->id, s,
			      lsim.key[rt->rkey[s] >> 8].rmb);
}

/* Say which RMBs and RTokens two groups have */
void tell_rest(void)
{
	const struct smcr_lgr *lgr;
	const struct smcr_rmb *rmb;
	unsigned int id;
	u8 h, s;

	for (h = 0; h < 2; h++) {
		if (!host_alive(&lsim.host[h]))
			continue;
		lgr = lsim.host[h].lgr;
		for (s = 0; s < SMCR_MAX_LINKS; s++)
			if (lgr->links[s])
				TRACE("%s slot %u: link %u, state %u", host_name(h), s,
				      lgr->links[s]->num, lgr->links[s]->state);
		list_for_each_entry(rmb, &lgr->rmbs, list)
			tell_rmb(h, rmb);
		for (id = 1; id <= SMCR_MAX_RMBS; id++)
			tell_rtoken(h, lgr->rtokens->slot[id]);
	}
}

/* Return: what does not hold of two groups at rest, or NULL */
const char *check_rest(void)
{
	const struct smcr_lgr *a = lsim.host[SERVER].lgr, *b = lsim.host[CLIENT].lgr;
	bool alive = host_alive(&lsim.host[SERVER]);
	const char *why;

	if (alive != host_alive(&lsim.host[CLIENT]))
		return "both groups have ended, or none";
	if (!alive)
		return NULL;
	why = rest_host(a);
	why = why ?: rest_host(b);
	why = why ?: rest_links(a, b);
	why = why ?: rest_links(b, a);
	why = why ?: rest_rmbs(a, b);
	why = why ?: rest_rmbs(b, a);
	return why;
}

/* The links that share no port with another of them, the oldest ones first */
static u8 symmetric(const struct smcr_lgr *lgr, const struct smcr_link **sym)
{
	const struct smcr_link *link;
	u32 age;
	u8 n = 0, s, i;

	for (age = 0; age < lgr->n_joined; age++) {
		for (s = 0; s < SMCR_MAX_LINKS; s++)
			if (active(lgr->links[s]) && lgr->links[s]->age == age)
				break;
		if (s == SMCR_MAX_LINKS)
			continue;
		link = lgr->links[s];
		for (i = 0; i < n; i++)
			if (sym[i]->local.dev == link->local.dev ||
			    !memcmp(sym[i]->peer.gid, link->peer.gid, SMCR_GID_LEN))
				break;
		if (i == n)
			sym[n++] = link;
	}
	return n;
}

/* Does a symmetric link use a port? */
static bool port_used(u8 host, u8 port)
{
	const struct smcr_link *sym[SMCR_MAX_LINKS];
	u8 n = symmetric(lsim.host[host].lgr, sym);

	while (n--)
		if (port_of_gid(sym[n]->local.gid) == port)
			return true;
	return false;
}

/* Have symmetric links replaced each asymmetric one that they can? */
static bool all_replaced(void)
{
	const struct smcr_lgr *lgr = lsim.host[SERVER].lgr;
	const struct smcr_link *sym[SMCR_MAX_LINKS], *link;
	u8 s, i, n = symmetric(lgr, sym);

	for (s = 0; s < SMCR_MAX_LINKS; s++) {
		link = lgr->links[s];
		for (i = 0; i < n && link != sym[i]; i++)
			;
		if (!active(link) || i < n)
			continue;
		if (port_used(SERVER, port_of_gid(link->local.gid)) &&
		    port_used(CLIENT, port_of_gid(link->peer.gid)))
			return false;
	}
	return true;
}

static bool port_spare(u8 host, u8 port)
{
	const struct port *p = &lsim.host[host].port[port];

	return p->there && p->up && !port_used(host, port);
}

/* Has a group at rest no pair of spare ports that reach each other, and so as
 * many symmetric links as it can have? An asymmetric link is only beside those.
 */
bool group_grown(void)
{
	const struct smcr_link *sym[SMCR_MAX_LINKS];
	u8 s, c;

	if (!all_replaced())
		return false;
	if (symmetric(lsim.host[SERVER].lgr, sym) >= lsim.host[SERVER].lgr->max_links)
		return true;
	for (s = 0; s < lsim.host[SERVER].nr_ports; s++)
		for (c = 0; c < lsim.host[CLIENT].nr_ports; c++)
			if (port_spare(SERVER, s) && port_spare(CLIENT, c) && path_up(s, c))
				return false;
	return true;
}
