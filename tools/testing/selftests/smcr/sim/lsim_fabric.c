// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs and paths. A queue pair delivers its messages in order, and queue
 * pairs are not ordered among each other. When the path goes down, messages may
 * have landed without being acknowledged, and a few more may still land. So
 * may messages of a queue pair that has failed or was destroyed, for a time. A
 * queue pair whose peer does not acknowledge goes to the error state after the
 * retry time.
 */
#include "llc_msg.h"
#include "lsim.h"

/* An IPv4 address; each port has a subnet of its own, or all share one */
void port_gid(u8 host, u8 port, u8 *gid)
{
	memset(gid, 0, SMCR_GID_LEN);
	gid[10] = 0xFF;
	gid[11] = 0xFF;
	gid[12] = 10;
	gid[13] = 9;
	gid[14] = lsim.rails ? port : 0;
	gid[15] = (u8)(1 + port * 2 + host);
}

u8 port_of_gid(const u8 *gid)
{
	return (gid[15] - 1) / 2;
}

bool path_up(u8 server_port, u8 client_port)
{
	const struct port *s = &lsim.host[SERVER].port[server_port];
	const struct port *c = &lsim.host[CLIENT].port[client_port];

	return s->there && s->up && c->there && c->up && !lsim.cut[server_port][client_port] &&
	       (!lsim.rails || server_port == client_port);
}

struct ib_qp *qp_new(u8 host, u8 port, struct smcr_link *link)
{
	u8 i;

	for (i = 0; i < MAX_QPS && lsim.qp[i].used; i++)
		if (!lsim.qp[i].link && time_after(jiffies, lsim.qp[i].dead_at))
			break;
	HOLDS(i < MAX_QPS);
	lsim.qp[i] = (struct ib_qp){
		.used = true, .host = host, .port = port, .link = link,
		.num = (++lsim.qps + 1) * MAX_QPS + i,
	};
	return &lsim.qp[i];
}

/* Return: the queue pair that receives from @qp, or NULL */
struct ib_qp *qp_peer(const struct ib_qp *qp)
{
	struct ib_qp *to = &lsim.qp[qp->peer_num % MAX_QPS];

	if (!qp->rts || !to->used || !to->link || to->num != qp->peer_num ||
	    to->peer_num != qp->num || !to->rts)
		return NULL;
	return to;
}

static bool qp_path(const struct ib_qp *qp)
{
	return qp->host == SERVER ? path_up(qp->port, qp->peer_port) :
				    path_up(qp->peer_port, qp->port);
}

static void decode(const u8 *buf, struct smcr_llc_msg *msg)
{
	smcr_llc_msg_decode(buf, SMCR_ROCE_MSG_LEN, lsim.host[SERVER].lgr ?
			    lsim.host[SERVER].lgr->dialect : SMCR_DIALECT_RFC, msg);
}

static void deliver(struct ib_qp *to, const u8 *buf)
{
	struct smcr_wr_recv *recv;

	if (!to->link->refs.n)
		return;
	lsim.cur = to->host;
	recv = krn_alloc(sizeof(*recv));
	recv->link = smcr_link_get(to->link);
	memcpy(recv->msg, buf, SMCR_ROCE_MSG_LEN);
	to->link->last_rx = jiffies;
	smcr_llc_recv(recv);
	lsim_msgs++;
}

/* Say in a few words what a message contains */
const char *msg_text(const struct smcr_llc_msg *msg)
{
	static char text[80];
	const char *reply = msg->reply ? " reply" : "";

	switch (msg->type) {
	case SMCR_LLC_ADD_LINK:
		snprintf(text, sizeof(text), "ADD LINK%s of link %u%s", reply,
			 msg->add_link.link_num, msg->add_link.reject ? ", refused" : "");
		break;
	case SMCR_LLC_ADD_LINK_CONT:
		snprintf(text, sizeof(text), "ADD LINK CONTINUATION%s, %u left", reply,
			 msg->add_cont.nr_left);
		break;
	case SMCR_LLC_DELETE_LINK:
		snprintf(text, sizeof(text), "DELETE LINK%s of link %u%s, reason %x", reply,
			 msg->delete_link.link_num, msg->delete_link.all ? " (all)" : "",
			 msg->delete_link.reason);
		break;
	case SMCR_LLC_CONFIRM_RKEY:
		snprintf(text, sizeof(text), "CONFIRM RKEY%s of RMB %u, %u others%s%s", reply,
			 lsim.key[msg->confirm_rkey.rkey >> 8].rmb, msg->confirm_rkey.nr_others,
			 msg->confirm_rkey.negative ? ", refused" : "",
			 msg->confirm_rkey.retry ? " with C" : "");
		break;
	case SMCR_LLC_CONFIRM_RKEY_CONT:
		snprintf(text, sizeof(text), "CONFIRM RKEY CONTINUATION%s, %u left%s", reply,
			 msg->rkey_cont.nr_left, msg->rkey_cont.negative ? ", refused" : "");
		break;
	case SMCR_LLC_DELETE_RKEY:
		snprintf(text, sizeof(text), "DELETE RKEY%s of %u RMBs, first %u, mask %x", reply,
			 msg->delete_rkey.count, lsim.key[msg->delete_rkey.rkey[0] >> 8].rmb,
			 msg->delete_rkey.error_mask);
		break;
	default:
		snprintf(text, sizeof(text), "%s%s", smcr_llc_type_name(msg->type), reply);
	}
	return text;
}

/* Is a full packet that goes before the next message lost, each time it is sent? */
static bool qp_stuck(const struct ib_qp *qp)
{
	return qp->landed != qp->posted && qp->wr[qp->landed % QP_MSGS].probe &&
	       lsim.host[qp->host].hole;
}

/* The next message arrives. Return: false if nothing can arrive */
bool qp_land(struct ib_qp *qp)
{
	struct ib_qp *to = qp_peer(qp);
	const struct llc_wr *wr = &qp->wr[qp->landed % QP_MSGS];
	struct smcr_llc_msg msg = { };

	if (!qp->used || qp->landed == qp->posted || !to || to->err || qp_stuck(qp))
		return false;
	if (qp->err && time_after(jiffies, qp->dead_at))
		return false;
	/* What is on its way when a path goes down may arrive */
	if (!qp_path(qp) && (time_after(jiffies, lsim.down_at + 20) || !one_in(6) ||
			     (lsim.rails && qp->port != qp->peer_port)))
		return false;
	decode(wr->buf, &msg);
	if (lsim.gate && !lsim.gate(qp, &msg))
		return false;
	TRACE("%s gets %s, over link %u", host_name(to->host), msg_text(&msg), to->link->num);
	qp->landed++;
	if (lsim.ignores && lsim.ignores(qp, &msg))
		return true;
	if (!msg.reply && msg.type < ARRAY_SIZE(to->asked))
		to->asked[msg.type]++;
	deliver(to, wr->buf);
	return true;
}

/* The next message is acknowledged. Return: false if none is */
bool qp_ack(struct ib_qp *qp)
{
	u32 cookie;

	if (!qp->used || qp->err || qp->acked == qp->landed || !qp_path(qp))
		return false;
	lsim.cur = qp->host;
	cookie = qp->wr[qp->acked++ % QP_MSGS].cookie;
	qp->moved = jiffies;
	qp->link->last_tx = jiffies;
	smcr_llc_sent(qp->link, cookie, 0);
	return true;
}

/* The registrations under way end */
bool qp_regs(struct ib_qp *qp)
{
	struct smcr_wr_reg *reg;

	if (!qp->nr_regs)
		return false;
	lsim.cur = qp->host;
	reg = qp->reg[0];
	qp->nr_regs--;
	memmove(qp->reg, qp->reg + 1, qp->nr_regs * sizeof(*qp->reg));
	reg->done(reg, qp->err ? -EIO : 0);
	return true;
}

/* A queue pair takes no more requests; packets of the last ones may be late */
void qp_stop(struct ib_qp *qp)
{
	if (!qp->err)
		qp->dead_at = jiffies + (one_in(2) ? 0 : rnd_below(lsim.late));
	qp->err = true;
}

void qp_fail(struct ib_qp *qp, int err)
{
	if (!qp->used || qp->err)
		return;
	TRACE("%s link %u: queue pair fails", host_name(qp->host), qp->link->num);
	lsim.cur = qp->host;
	qp_stop(qp);
	smcr_link_fail(qp->link, err);
}

/* Queue pairs that were not acknowledged for the retry time fail */
void qp_retries(void)
{
	struct ib_qp *qp;

	for (qp = lsim.qp; qp < lsim.qp + MAX_QPS; qp++) {
		if (!qp->used || qp->err || qp->acked == qp->posted)
			continue;
		if (time_before(jiffies, qp->moved + lsim.retry))
			continue;
		/* A scenario holds the message back, or the host is slow */
		if (qp_path(qp) && !qp_stuck(qp) &&
		    (qp->acked != qp->landed || (qp_peer(qp) && !qp_peer(qp)->err)))
			continue;
		qp_fail(qp, -ETIMEDOUT);
	}
}

/* Return: when the next queue pair gives up */
unsigned long fabric_next(void)
{
	unsigned long next = jiffies + 1000000;
	const struct ib_qp *qp;

	for (qp = lsim.qp; qp < lsim.qp + MAX_QPS; qp++)
		if (qp->used && !qp->err && qp->acked != qp->posted &&
		    time_before(qp->moved + lsim.retry, next))
			next = max(qp->moved + lsim.retry, jiffies + 1);
	return next;
}

static void port_lost(struct smcr_link *link)
{
	if (link->refs.n)
		smcr_lgr_link_port_lost(link);
}

/* A port goes down or comes up; smcr hears about it */
void port_set(u8 host, u8 port, bool up)
{
	struct lhost *h = &lsim.host[host];
	const struct ib_qp *qp;

	if (h->port[port].there && h->port[port].up == up)
		return;
	TRACE("%s port %u goes %s", host_name(host), port, up ? "up" : "down");
	h->port[port].there |= up;
	h->port[port].up = up;
	lsim.cur = host;
	if (up) {
		smcr_lgr_port_ready(&h->port[port].dev);
		return;
	}
	lsim.down_at = jiffies;
	for (qp = lsim.qp; qp < lsim.qp + MAX_QPS; qp++)
		if (qp->used && qp->link && qp->host == host && qp->port == port)
			port_lost(qp->link);
}

/* An adapter is removed */
void port_remove(u8 host, u8 port)
{
	struct lhost *h = &lsim.host[host];
	struct ib_qp *qp;

	TRACE("%s port %u is removed", host_name(host), port);
	lsim.down_at = jiffies;
	h->port[port].there = false;
	h->port[port].up = false;
	for (qp = lsim.qp; qp < lsim.qp + MAX_QPS; qp++)
		if (qp->used && qp->link && qp->host == host && qp->port == port) {
			lsim.cur = host;
			qp_stop(qp);
			smcr_link_fail(qp->link, -ENODEV);
		}
	lsim.cur = host;
	smcr_lgr_device_removed(&h->port[port].dev);
}
