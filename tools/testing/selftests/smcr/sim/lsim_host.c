// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: what the handshakes do with them, and the programs that need elements.
 */
#include "lsim.h"

static void sysctl_set(struct smcr_sysctl *ctl)
{
	*ctl = (struct smcr_sysctl){
		.confirm_link_timeout_ms = 4000, .llc_timeout_ms = 2000,
		.test_link_interval_ms = 30000, .link_retry_min_ms = 1000,
		.link_retry_max_ms = 60000, .lgr_linger_ms = 600000, .rmb_linger_ms = 60000,
		.negative_max_ms = NEGATIVE_MAX,
		.max_lgrs = 10, .max_qps = 1000, .max_conns_per_lgr = 1000,
	};
}

static void port_use(u8 host, u8 at, struct smcr_port *port)
{
	*port = (struct smcr_port){
		.dev = &lsim.host[host].port[at].dev, .port = 1, .mtu = 3, .v2 = true,
		.vlan = 0xFFFF, .ifindex = at + 2,
	};
	port_gid(host, at, port->gid);
	port->mac[5] = port->gid[15];
}

static void group_create(u8 host, enum smcr_role role)
{
	struct lhost *h = &lsim.host[host];
	struct smcr_lgr_key key = { .ifindex = 2 };
	struct smcr_port port;

	lsim.cur = host;
	h->net.host = host;
	h->sn.lgrs = (struct list_head){ &h->sn.lgrs, &h->sn.lgrs };
	port_use(host, 0, &port);
	h->lgr = smcr_lgr_create(&h->net, role, &key, &port, 16384);
	HOLDS(!IS_ERR(h->lgr));
	h->lgr->offer_linux = role == SMCR_SERVER && lsim.rnd % 4 == 0;
	HOLDS(smcr_lgr_formed(h->lgr) == -EINPROGRESS);
	works_run_due(host);
	HOLDS(!smcr_lgr_formed(h->lgr));
}

/* What Accept or Confirm of the peer says: link and first RMB */
static void group_learn(u8 host)
{
	struct smcr_lgr *lgr = lsim.host[host].lgr, *peer = lsim.host[!host].lgr;
	const struct smcr_link *far = peer->links[0];
	struct smcr_link_peer end = { .mtu = 3, .qpn = far->qpn, .psn = far->psn };
	const struct smcr_rmb *rmb;
	struct smcr_wr_probe probe;
	struct smcr_rtoken *mem;

	lsim.cur = host;
	memcpy(end.gid, far->local.gid, SMCR_GID_LEN);
	memcpy(end.mac, far->local.mac, SMCR_MAC_LEN);
	smcr_lgr_form_connect(lgr->links[0], &end);
	works_run_due(host);
	while (qp_regs(lgr->links[0]->qp))
		;
	rmb = list_entry(peer->rmbs.next, struct smcr_rmb, list);
	mem = krn_alloc(sizeof(*mem));
	HOLDS(smcr_rtoken_add(lgr->rtokens, mem, 0, rmb->maps[0].rkey, rmb->maps[0].iova) == 1);
	probe.raddr = rmb->maps[0].iova + SMCR_RMBE_EYE_LEN;
	probe.rkey = rmb->maps[0].rkey;
	smcr_llc_probe(lgr, &probe);
}

/* A first contact, up to the point at which the server sends CONFIRM LINK */
void group_start(void)
{
	u8 h, p;

	for (h = 0; h < 2; h++) {
		sysctl_set(&lsim.host[h].sn.sysctl);
		for (p = 0; p < lsim.host[h].nr_ports; p++)
			lsim.host[h].port[p] = (struct port){ .there = true, .up = true };
	}
	for (h = 0; h < 2; h++)
		for (p = 0; p < MAX_PORTS; p++)
			lsim.host[h].port[p].dev.max_mr_pages = 256;
	group_create(SERVER, SMCR_SERVER);
	group_create(CLIENT, SMCR_CLIENT);
	group_learn(CLIENT);
	group_learn(SERVER);
}

/* The client has sent Confirm; the server goes on with CONFIRM LINK */
void group_enter(void)
{
	lsim.cur = CLIENT;
	smcr_llc_await_confirm(lsim.host[CLIENT].lgr);
	lsim.cur = SERVER;
	lsim.host[SERVER].lgr->llc.probe_late = lsim.host[SERVER].lgr->offer_linux;
	HOLDS(!smcr_llc_confirm_link(lsim.host[SERVER].lgr));
}

/* The last handshake leaves a group */
void group_leave(u8 host)
{
	struct lhost *h = &lsim.host[host];
	struct smcr_lgr *lgr = h->lgr;

	if (!lgr)
		return;
	lsim.cur = host;
	h->lgr = NULL;
	smcr_lgr_leave(lgr);
}

/* A connection wants an element; it tries again if there is none. Return: 0 or
 * -errno
 */
int elem_take(u8 host, u32 size)
{
	struct lhost *h = &lsim.host[host];
	struct smcr_rmb *rmb;
	u8 idx;

	if (!host_alive(h) || smcr_lgr_state(h->lgr) != SMCR_LGR_ACTIVE || h->nr_held == MAX_HELD)
		return -EINVAL;
	lsim.cur = host;
	rmb = smcr_lgr_elem_take(h->lgr, size, &idx);
	if (!IS_ERR(rmb))
		h->held[h->nr_held++] = (struct held){ rmb, idx };
	return PTR_ERR_OR_ZERO(rmb);
}

void elem_return(u8 host, u16 i)
{
	struct lhost *h = &lsim.host[host];
	struct held *held = &h->held[i];
	struct smcr_rmb *rmb = held->rmb;

	lsim.cur = host;
	smcr_lgr_elem_return(h->lgr, rmb, held->idx, 1,
			     one_in(4) ? SMCR_RMBE_END_ABNORMAL : SMCR_RMBE_END_ORDERLY, jiffies);
	smcr_rmb_put(rmb);
	*held = h->held[--h->nr_held];
}

void elems_return(u8 host)
{
	while (lsim.host[host].nr_held)
		elem_return(host, 0);
}
