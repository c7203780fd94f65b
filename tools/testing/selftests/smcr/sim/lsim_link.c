// SPDX-License-Identifier: GPL-2.0
/*
 * What link.c, wr*.c, rmb.c, ib.c, ib_spare.c, lgr_find.c, lgr_token.c, hs.c
 * and mib.c do for the files that run here.
 */
#include "conn.h"
#include "conn_end.h"
#include "conn_eof.h"
#include "conn_tcp.h"
#include "hs.h"
#include "llc_msg.h"
#include "lsim.h"
#include "neigh.h"
#include "spare.h"

/* Messages that a link may have sent and the peer not acknowledged */
#define MAX_SENDS	32

/* link.c */

int smcr_link_event(struct smcr_link *link, enum smcr_link_event event)
{
	enum smcr_link_state old = link->state;

	switch (event) {
	case SMCR_LINK_EV_CONNECTED:
		if (old != SMCR_LINK_INIT)
			return -EINVAL;
		link->state = SMCR_LINK_READY;
		break;
	case SMCR_LINK_EV_CONFIRMED:
		if (old != SMCR_LINK_READY)
			return -EINVAL;
		link->state = SMCR_LINK_ACTIVE;
		lsim_links++;
		TRACE("%s link %u is active", host_name(lsim.cur), link->num);
		break;
	case SMCR_LINK_EV_DRAINED:
		if (old != SMCR_LINK_FAILED)
			return -EINVAL;
		link->state = SMCR_LINK_DEAD;
		break;
	default:
		if (old >= SMCR_LINK_FAILED)
			return 0;
		link->state = SMCR_LINK_FAILED;
		break;
	}
	link->gate_open = link->state == SMCR_LINK_READY || link->state == SMCR_LINK_ACTIVE;
	return 0;
}

/* Is a link in order at both ends? */
static bool intact(const struct smcr_link *link)
{
	const struct ib_qp *peer = qp_peer(link->qp);

	return !link->qp->err && peer && !peer->err && peer->link->state == SMCR_LINK_ACTIVE;
}

void smcr_link_fail(struct smcr_link *link, int err)
{
	if (link->state >= SMCR_LINK_FAILED)
		return;
	/* No answer is missing on a link that is in order */
	if (lsim.calm && (err == -ETIMEDOUT || err == -EPROTO))
		HOLDS(!intact(link));
	TRACE("%s link %u failed: %s", host_name(lsim.cur), link->num, strerror(-err));
	HOLDS(!smcr_link_event(link, SMCR_LINK_EV_FAIL));
	link->fail_errno = err;
	if (!test_and_set_bit(SMCR_LINK_F_REPORTED, &link->flags))
		smcr_lgr_link_failed(link);
}

static void stop_work(struct work_struct *work)
{
	struct smcr_link *link = container_of(work, struct smcr_link, stop_work);

	if (smcr_link_drain(link))
		smcr_lgr_link_drained(link);
	smcr_link_stop(link);
	smcr_lgr_link_stopped(link);
	smcr_link_put(link);
}

static void free_work(struct work_struct *work)
{
	struct smcr_link *link = container_of(work, struct smcr_link, free_work);
	struct smcr_lgr *lgr = link->lgr;

	smcr_link_stop(link);
	krn_free(link);
	smcr_lgr_put(lgr);
}

struct smcr_link *smcr_link_new(struct smcr_lgr *lgr, const struct smcr_port *port, u8 num)
{
	u8 at = port_of_gid(port->gid);
	struct smcr_link *link;

	if (!lsim.host[lsim.cur].port[at].there)
		return ERR_PTR(-ENODEV);
	if (bad_luck())
		return ERR_PTR(-ENOMEM);
	link = krn_alloc(sizeof(*link));
	link->lgr = smcr_lgr_get(lgr);
	refcount_set(&link->refs, 1);
	link->num = num;
	link->psn = rnd_below(1 << 24);
	link->local = *port;
	link->last_rx = jiffies;
	link->last_cdc = jiffies;
	link->last_tx = jiffies;
	INIT_WORK(&link->stop_work, stop_work);
	INIT_WORK(&link->free_work, free_work);
	return link;
}

int smcr_link_build(struct smcr_link *link)
{
	u8 at = port_of_gid(link->local.gid);

	HOLDS(link->state == SMCR_LINK_INIT && !link->built);
	link->built = 1;
	if (!lsim.host[lsim.cur].port[at].there)
		link->built = -ENODEV;
	else if (lsim.poor[lsim.cur] & 1 << at || bad_luck())
		link->built = -ENOMEM;
	if (link->built < 0)
		return link->built;
	link->qp = qp_new(lsim.cur, at, link);
	link->qpn = link->qp->num;
	return 0;
}

void smcr_link_set_peer(struct smcr_link *link, const struct smcr_link_peer *peer)
{
	link->peer = *peer;
}

int smcr_link_connect(struct smcr_link *link)
{
	HOLDS(link->built > 0);
	if (link->state != SMCR_LINK_INIT || bad_luck())
		return -EINVAL;
	link->mtu = min(link->local.mtu, link->peer.mtu);
	link->qp->peer_num = link->peer.qpn;
	link->qp->peer_port = port_of_gid(link->peer.gid);
	link->qp->rts = true;
	TRACE("%s link %u connects port %u to port %u", host_name(lsim.cur), link->num,
	      link->qp->port, link->qp->peer_port);
	return smcr_link_event(link, SMCR_LINK_EV_CONNECTED);
}

bool smcr_link_drain(struct smcr_link *link)
{
	struct ib_qp *qp = link->qp;

	if (test_and_set_bit(SMCR_LINK_F_STOPPING, &link->flags))
		return true;
	HOLDS(!smcr_link_event(link, SMCR_LINK_EV_FAIL));
	if (qp)
		qp_stop(qp);
	while (qp && qp_regs(qp))
		;
	while (qp && qp->acked != qp->posted)
		smcr_llc_sent(link, qp->wr[qp->acked++ % QP_MSGS].cookie, -EIO);
	set_bit(SMCR_LINK_F_QUIET, &link->flags);
	return true;
}

void smcr_link_stop(struct smcr_link *link)
{
	struct ib_qp *qp = link->qp;

	smcr_link_drain(link);
	if (test_and_set_bit(SMCR_LINK_F_DESTROYING, &link->flags))
		return;
	HOLDS(!smcr_link_event(link, SMCR_LINK_EV_DRAINED));
	if (qp)
		qp->link = NULL;
	link->qp = NULL;
}

void smcr_link_stop_later(struct smcr_link *link)
{
	smcr_link_get(link);
	if (!krn_queue(&link->stop_work, rnd_below(20), false))
		smcr_link_put(link);
}

struct smcr_link *smcr_link_get(struct smcr_link *link)
{
	refcount_inc(&link->refs);
	return link;
}

void smcr_link_put(struct smcr_link *link)
{
	if (refcount_dec_and_test(&link->refs))
		krn_queue(&link->free_work, 0, false);
}

/* wr*.c */

int smcr_wr_post_llc(struct smcr_link *link, const u8 *buf, u32 cookie,
		     const struct smcr_wr_probe *probe)
{
	struct ib_qp *qp = link->qp;
	struct smcr_llc_msg msg;
	struct llc_wr *wr;

	if (!link->gate_open)
		return -ENOTCONN;
	if (bad_luck() && one_in(4))
		return -ENOBUFS;
	HOLDS(qp->posted - qp->acked < QP_MSGS);
	wr = &qp->wr[qp->posted % QP_MSGS];
	memcpy(wr->buf, buf, sizeof(wr->buf));
	wr->cookie = cookie;
	wr->probe = probe;
	HOLDS(smcr_llc_msg_decode(buf, sizeof(wr->buf), link->lgr->dialect, &msg) == SMCR_LLC_OK);
	if (lsim.tamper) {
		lsim.tamper(qp, &msg);
		smcr_llc_msg_encode(wr->buf, link->lgr->dialect, &msg);
	}
	TRACE("%s sends %s%s, over link %u", host_name(lsim.cur), probe ? "a probe and " : "",
	      msg_text(&msg), link->num);
	lsim.host[lsim.cur].sent[msg.type][msg.reply]++;
	lsim.host[lsim.cur].last[msg.type][msg.reply] = msg;
	check_sent(qp, &msg);
	if (probe)
		check_probe(qp, &msg, probe);
	if (qp->acked == qp->posted)
		qp->moved = jiffies;
	qp->posted++;
	return 0;
}

bool smcr_wr_may_answer(const struct smcr_link *link)
{
	return !link->qp || link->qp->posted - link->qp->acked < MAX_SENDS;
}

void smcr_wr_recv_release(struct smcr_wr_recv *recv)
{
	smcr_link_put(recv->link);
	krn_free(recv);
}

u32 smcr_wr_sends(struct smcr_link *link)
{
	return link->qp ? link->qp->posted : 0;
}

void smcr_wr_handled(struct smcr_link *link, u32 sends)
{
}

void smcr_wr_limit_sends(struct smcr_link *link)
{
}

/* rmb.c. The number of pages is the number of the RMB */

u32 smcr_rmb_room(const struct net *net)
{
	return U32_MAX;
}

struct smcr_rmb *smcr_rmb_alloc(struct smcr_link *link, u32 elem_size, u16 n_elems)
{
	struct smcr_rmb *rmb = krn_try_alloc(sizeof(*rmb));

	if (!rmb)
		return ERR_PTR(-ENOMEM);
	refcount_set(&rmb->refs, 1);
	rmb->net = link->lgr->net;
	rmb->n_pages = ++lsim.rmbs;
	rmb->elem_size = elem_size;
	rmb->n_elems = n_elems;
	rmb->n_free = n_elems;
	rmb->idle_since = jiffies;
	return rmb;
}

void smcr_rmb_put(struct smcr_rmb *rmb)
{
	if (refcount_dec_and_test(&rmb->refs))
		krn_free(rmb);
}

int smcr_rmb_map(struct smcr_rmb *rmb, struct smcr_link *link, int slot)
{
	struct smcr_rmb_map *map = &rmb->maps[slot];
	struct key *key;

	if (bad_luck())
		return -ENOMEM;
	key = &lsim.key[++lsim.keys];
	HOLDS(lsim.keys < MAX_KEYS && !map->link && slot == link->slot);
	/* Keys of one number on several adapters differ in the last byte */
	map->rkey = lsim.keys << 8 | rnd_below(256);
	map->iova = (u64)krn_random() << 12;
	map->link = smcr_link_get(link);
	*key = (struct key){
		.qp = link->qpn, .rmb = rmb->n_pages, .host = lsim.cur, .vaddr = map->iova,
	};
	return 0;
}

static void reg_done(struct smcr_wr_reg *reg, int err)
{
	struct smcr_rmb_map *map = container_of(reg, struct smcr_rmb_map, reg);

	map->registered = !err;
	map->pending = false;
	map->done(map->link);
}

int smcr_rmb_register(struct smcr_rmb *rmb, int slot, void (*done)(struct smcr_link *link))
{
	struct smcr_rmb_map *map = &rmb->maps[slot];
	struct ib_qp *qp;

	if (!map->link || !map->link->gate_open)
		return -ENOTCONN;
	/* It takes a request only if the queue pair does */
	if (bad_luck() && one_in(4)) {
		smcr_link_fail(map->link, -EIO);
		return -EIO;
	}
	qp = map->link->qp;
	if (qp->nr_regs == lsim.max_regs)
		return -EAGAIN;
	map->reg.done = reg_done;
	map->done = done;
	map->pending = true;
	qp->reg[qp->nr_regs++] = &map->reg;
	return 0;
}

void smcr_rmb_unmap(struct smcr_rmb *rmb, int slot)
{
	struct smcr_rmb_map *map = &rmb->maps[slot];
	struct smcr_link *link = map->link;

	if (!link)
		return;
	HOLDS(!map->pending);
	memset(map, 0, sizeof(*map));
	smcr_link_put(link);
}

int smcr_rmb_elem_take(struct smcr_rmb *rmb, bool eye_catcher)
{
	if (!rmb->n_free)
		return -ENOSPC;
	rmb->n_free--;
	return 1;
}

bool smcr_rmb_elem_return(struct smcr_rmb *rmb, u8 idx, u32 dirty, enum smcr_rmbe_end end,
			  unsigned long release_at)
{
	rmb->idle_since = jiffies;
	if (end == SMCR_RMBE_END_ABNORMAL) {
		rmb->n_unclean++;
		return true;
	}
	rmb->n_free++;
	return false;
}

unsigned long smcr_rmb_clean(struct smcr_rmb *rmb, u32 *freed)
{
	*freed = rmb->n_unclean;
	rmb->n_free += rmb->n_unclean;
	rmb->n_unclean = 0;
	return 0;
}

u16 smcr_rmb_in_use(const struct smcr_rmb *rmb)
{
	return rmb->n_elems - rmb->n_free;
}

/* ib.c, ib_walk.c, ib_spare.c */

u32 smcr_ib_ports_in(const struct smcr_ibdev *dev, const struct net *net)
{
	const struct lhost *h = &lsim.host[net->host];
	u8 at;

	for (at = 0; at < h->nr_ports; at++)
		if (h->port[at].there && &h->port[at].dev == dev)
			return 1;
	return 0;
}

void smcr_ib_dev_hold(struct smcr_ibdev *dev)
{
}

void smcr_ib_port_drop(struct smcr_port *port)
{
	port->dev = NULL;
}

static void spare_of(const struct smcr_port *port, struct smcr_spare *spare)
{
	*spare = (struct smcr_spare){
		.dev = port->dev, .port = port->port, .ifindex = port->ifindex, .v2 = port->v2,
		.vlan = port->vlan, .prefix = 96 + 24,
	};
	memcpy(spare->gid, port->gid, SMCR_GID_LEN);
}

static void port_fill(u8 at, struct smcr_port *out)
{
	*out = (struct smcr_port){
		.dev = &lsim.host[lsim.cur].port[at].dev, .port = 1, .mtu = 3, .v2 = true,
		.vlan = 0xFFFF, .ifindex = at + 2,
	};
	port_gid(lsim.cur, at, out->gid);
	out->mac[5] = out->gid[15];
}

static bool same_subnet(const u8 *a, const u8 *b)
{
	return !memcmp(a, b, SMCR_GID_LEN - 1);
}

static u32 candidates(const struct smcr_port *used, unsigned int n_used,
		      const struct smcr_ib_spare_want *want, struct smcr_spare *cand, u8 *ports)
{
	unsigned int n_symmetric = n_used - want->n_asymmetric;
	const struct lhost *h = &lsim.host[lsim.cur];
	struct smcr_spare end;
	struct smcr_port port;
	u32 n = 0;
	u8 at;

	for (at = 0; at < h->nr_ports; at++) {
		if (!h->port[at].there)
			continue;
		port_fill(at, &port);
		spare_of(&port, &cand[n]);
		cand[n].ready = h->port[at].up;
		cand[n].lan = same_subnet(port.gid, want->peer_gid ?: want->first->gid);
		ports[n++] = at;
	}
	while (n_used--) {
		spare_of(&used[n_used], &end);
		end.asymmetric = n_used >= n_symmetric;
		smcr_spare_use(cand, n, &end);
	}
	return n;
}

static void want_of(const struct smcr_ib_spare_want *want, struct smcr_spare *first,
		    struct smcr_spare_want *what)
{
	spare_of(want->first, first);
	*what = (struct smcr_spare_want){
		.first = first, .peer_gid = want->peer_gid, .first_peer = want->first_peer,
		.asked = want->asked, .nth = want->nth, .near = want->near,
	};
}

int smcr_ib_port_spare(struct net *net, const struct smcr_port *used, unsigned int n_used,
		       const struct smcr_ib_spare_want *want, struct smcr_port *out)
{
	struct smcr_spare cand[MAX_PORTS], first;
	struct smcr_spare_want what;
	u8 ports[MAX_PORTS];
	int i;

	want_of(want, &first, &what);
	memset(out, 0, sizeof(*out));
	i = smcr_spare_choose(cand, candidates(used, n_used, want, cand, ports), &what);
	if (i < 0)
		return i == SMCR_SPARE_FAR ? -EXDEV : -ENOENT;
	port_fill(ports[i], out);
	return !smcr_spare_near(&cand[i], &what);
}

int smcr_ib_spare_ports(struct net *net, const struct smcr_port *used, unsigned int n_used,
			const struct smcr_ib_spare_want *want)
{
	struct smcr_spare cand[MAX_PORTS], first;
	struct smcr_spare_want what;
	u8 ports[MAX_PORTS];

	want_of(want, &first, &what);
	return smcr_spare_ports(cand, candidates(used, n_used, want, cand, ports), &what);
}

u32 smcr_ib_least_pages(const struct net *net, const struct smcr_port *like, u32 least)
{
	const struct lhost *h = &lsim.host[net->host];
	u32 pages = U32_MAX / PAGE_SIZE;
	u8 at;

	for (at = 0; at < h->nr_ports; at++)
		if (h->port[at].there && h->port[at].dev.max_mr_pages >= least)
			pages = min(pages, h->port[at].dev.max_mr_pages);
	return pages;
}

bool smcr_ib_gid_is_ours(const struct net *net, const u8 *gid)
{
	return (gid[15] - 1) % 2 == net->host;
}

bool smcr_ib_port_near(struct net *net, const struct smcr_port *port, const u8 *gid)
{
	return same_subnet(port->gid, gid);
}

/* neigh.c */

enum smcr_neigh smcr_neigh_ask(struct net *net, int ifindex, const u8 *gid)
{
	u8 ours = (u8)(ifindex - 2), theirs = port_of_gid(gid);
	bool server = net->host == SERVER;

	if (!lsim.host[net->host].port[ours].up)
		return SMCR_NEIGH_UNKNOWN;
	if (lsim.roce_only || path_up(server ? ours : theirs, server ? theirs : ours))
		return SMCR_NEIGH_ANSWERS;
	return SMCR_NEIGH_SILENT;
}

/* lgr_find.c: a host has one group */

int smcr_lgr_publish(struct smcr_lgr *lgr)
{
	lsim.host[lgr->net->host].listed = true;
	lgr->id = 1;
	smcr_lgr_get(lgr);
	return 0;
}

bool smcr_lgr_unpublish(struct smcr_lgr *lgr)
{
	struct lhost *h = &lsim.host[lgr->net->host];
	bool was = h->listed;

	h->listed = false;
	return was;
}

struct smcr_lgr *smcr_lgr_next(struct net *net, struct smcr_lgr *prev)
{
	struct lhost *h = &lsim.host[net->host];

	if (prev) {
		smcr_lgr_put(prev);
		return NULL;
	}
	return h->listed ? smcr_lgr_get(h->lgr) : NULL;
}

/* lgr_token.c, conn*.c, hs.c: a group has no connections */

int smcr_lgr_tokens_init(struct smcr_lgr *lgr)
{
	lgr->tokens = krn_alloc(sizeof(*lgr->tokens));
	return 0;
}

struct smcr_conn *smcr_lgr_conn_next(struct smcr_lgr *lgr, u32 *slot)
{
	return NULL;
}

void smcr_conn_put(struct smcr_conn *conn)
{
}

/* There are no connections, so none moves. */
void smcr_conn_link_ready(struct smcr_conn *conn) { }
void smcr_conn_link_lost(struct smcr_conn *conn) { }
void smcr_conn_link_drained(struct smcr_conn *conn, u8 slot) { }

void smcr_conn_eof_tested(struct smcr_conn *conn, const struct smcr_link *link)
{
}

void smcr_conn_tcp_tested(struct smcr_conn *conn, const struct smcr_link *link)
{
}

/* Reasons and notifications are for displays. */
void smcr_lgr_change_init(struct smcr_lgr *lgr) { }
void smcr_lgr_change_state(struct smcr_lgr *lgr, enum smcr_lgr_event event) { }
void smcr_lgr_change_added(struct smcr_link *link) { }
void smcr_lgr_change_lost(struct smcr_link *link, struct smcr_link *other) { }
void smcr_notify_lgr(struct smcr_lgr *lgr) { }

void smcr_lgr_close(struct smcr_lgr *lgr, enum smcr_lgr_reason reason)
{
	lgr->change.asked = reason;
	smcr_lgr_kick(lgr, SMCR_LGR_T_CLOSE);
}

void smcr_conn_end_lost(struct smcr_conn *conn, enum smcr_reset_reason reason, int err)
{
}

struct smcr_hs *smcr_hs_get(struct smcr_hs *hs)
{
	return hs;
}

void smcr_hs_put(struct smcr_hs *hs)
{
}

void smcr_hs_kick(struct smcr_hs *hs, enum smcr_hs_event_bit event)
{
	lsim.woken++;
}

/* neglist.c: there is no list, but a group learns of its paths */
void smcr_neglist_mtu_lost(struct net *net, const struct smcr_neglist_key *key, u8 mtu)
{
	lsim.host[net->host].listed_mtu = mtu;
}

void smcr_neglist_mtu_proved(struct net *net, const struct smcr_neglist_key *key, u8 offered,
			     u8 mtu)
{
}

/* mib.c, sysctl.c */

void smcr_mib_add(const struct net *net, enum smcr_mib field, u64 n)
{
	lsim.host[net->host].mib[field] += n;
	/* Two hosts that keep to the protocol never see it broken */
	HOLDS(field != SMCR_MIB_BADLLC || !lsim.honest);
}

unsigned int smcr_sysctl_confirm_server_ms(const struct net *net)
{
	const struct smcr_net *sn = krn_pernet(net);

	return sn->sysctl.confirm_link_timeout_ms + sn->sysctl.confirm_link_timeout_ms / 2;
}
