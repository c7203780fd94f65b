// SPDX-License-Identifier: GPL-2.0
/*
 * LLC exchanges of a link group (RFC 7609 3.5.5, A.3, C.7).
 *
 * LLC messages arrive in softirq and are queued in their receive slots; the
 * group's work handles them in order. llc_flow.c decides what a message means
 * in the exchange under way; the functions here act on it. Nothing waits for
 * the peer: a local request sets a deadline, and its answer or the deadline
 * moves the exchange on.
 *
 * A peer cannot make this host spend any amount of time on LLC messages: a
 * group handles LLC_PER_SECOND of them, and no request while the peer leaves
 * too many answers unacknowledged. Other messages wait in their receive slots,
 * so a peer that sends more finds no receive posted.
 *
 *   first contact (3.5.1.5, 3.5.1.6), one adapter on each side
 *
 *      server                               client
 *        | CONFIRM LINK ------------------------> |
 *        | <------------------- CONFIRM LINK, R   |
 *        | ADD LINK, the same port -------------> |
 *        | <----------- ADD LINK, R, refused (1)  | data may flow
 *        | data may flow                          |
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/net.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <trace/events/smcr.h>

#include "conn.h"
#include "lgr.h"
#include "link.h"
#include "llc.h"
#include "llc_msg.h"
#include "mib.h"
#include "rmb.h"
#include "wr.h"

/* Upper bound of net.smcr.llc_timeout_ms while the namespace exits or the
 * module is unloaded, so that a silent peer does not hold that up.
 */
#define TEARDOWN_MS	5000u

/* LLC messages that a group handles per second, with an equal share per jiffy.
 * A Linux peer starts two exchanges for each connection; at that rate the limit
 * is above the number of connections that two hosts make per second.
 */
#define LLC_PER_SECOND		8192

static const struct smcr_sysctl *llc_ctl(const struct smcr_lgr *lgr)
{
	return &smcr_pernet(lgr->net)->sysctl;
}

/**
 * smcr_llc_deadline() - return the deadline of a request that is sent now (C.7)
 * @lgr: the group
 *
 * Context: any.
 * Return: in jiffies.
 */
unsigned long smcr_llc_deadline(const struct smcr_lgr *lgr)
{
	unsigned int ms = READ_ONCE(llc_ctl(lgr)->llc_timeout_ms);

	if (READ_ONCE(smcr_pernet(lgr->net)->dying))
		ms = min(ms, TEARDOWN_MS);
	return jiffies + msecs_to_jiffies(ms);
}

/**
 * smcr_llc_hurry() - limit the deadline of the exchange under way
 * @lgr: the group; its namespace exits, or it was asked to close
 *
 * Context: the group's work.
 */
void smcr_llc_hurry(struct smcr_lgr *lgr)
{
	unsigned long deadline = READ_ONCE(lgr->llc.step_deadline);
	unsigned long latest = smcr_llc_deadline(lgr);

	if (deadline && time_after(deadline, latest))
		WRITE_ONCE(lgr->llc.step_deadline, latest);
}

/* A server waits longer than its client, so that the client's Decline reaches
 * it before the deadline (C.7).
 */
static unsigned long first_deadline(const struct smcr_lgr *lgr)
{
	unsigned int ms = READ_ONCE(llc_ctl(lgr)->confirm_link_timeout_ms);

	if (lgr->role == SMCR_SERVER)
		ms = smcr_sysctl_confirm_server_ms(lgr->net);
	return jiffies + msecs_to_jiffies(ms);
}

/**
 * smcr_llc_step() - move the group's exchanges on
 * @lgr: the group
 * @event: what happened
 *
 * Context: the group's work, or the creator of a group that is on no list yet.
 */
void smcr_llc_step(struct smcr_lgr *lgr, enum smcr_llc_event event)
{
	WARN_ON_ONCE(smcr_llc_flow_step(&lgr->llc.flow, event));
	/* The event may have ended the exchange that held messages wait for. */
	if (!list_empty(&lgr->llc.held))
		smcr_lgr_queue(lgr);
}

/**
 * smcr_llc_send() - send an LLC message
 * @link: the link; it fails if the message cannot be sent
 * @msg: the message
 * @cookie: passed to smcr_llc_sent() when the send has completed
 *
 * The send queue reserves more slots for LLC messages than the exchanges need.
 * If none is free, the peer no longer acknowledges messages.
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_llc_send(struct smcr_link *link, const struct smcr_llc_msg *msg,
		  enum smcr_llc_cookie cookie)
{
	struct smcr_lgr *lgr = link->lgr;
	u8 buf[SMCR_ROCE_MSG_LEN];
	int err;

	smcr_llc_msg_encode(buf, lgr->dialect, msg);
	err = smcr_wr_post_llc(link, buf, cookie);
	if (err) {
		smcr_link_fail(link, err);
		return err;
	}
	smcr_mib_inc(lgr->net, SMCR_MIB_LLCSENT);
	trace_smcr_llc_tx(lgr->id, link->num, msg->type, msg->reply);
	return 0;
}

/**
 * smcr_llc_broken() - fail a link, as the peer broke the protocol (C.7.1)
 * @link: the link
 * @what: description for the log
 *
 * Context: any.
 */
void smcr_llc_broken(struct smcr_link *link, const char *what)
{
	smcr_mib_inc(link->lgr->net, SMCR_MIB_BADLLC);
	net_warn_ratelimited("group %u link %u: bad LLC message (%s); the link is closed. The peer's SMC-R is faulty\n",
			     link->lgr->id, link->num, what);
	smcr_link_fail(link, -EPROTO);
}

/* The exchanges of the first contact are over; data may flow (3.5.1.6). */
static void llc_ready(struct smcr_lgr *lgr)
{
	WRITE_ONCE(lgr->llc.step_deadline, 0);
	smcr_lgr_event(lgr, SMCR_LGR_EV_READY);
}

static void llc_drop_add_link(struct smcr_lgr *lgr)
{
	struct smcr_link *link = lgr->llc.add_link;

	lgr->llc.add_link = NULL;
	if (!link)
		return;
	smcr_link_stop(link);
	smcr_link_put(link);
}

/**
 * smcr_llc_init() - initialise the LLC state of a new group
 * @lgr: the group
 *
 * Context: process.
 */
void smcr_llc_init(struct smcr_lgr *lgr)
{
	spin_lock_init(&lgr->llc.lock);
	INIT_LIST_HEAD(&lgr->llc.queue);
	INIT_LIST_HEAD(&lgr->llc.held);
	lgr->llc.flow.role = lgr->role;
}

/**
 * smcr_llc_first_contact() - begin the exchanges of a first contact
 * @lgr: a FORMING group that is on no list yet
 *
 * Context: process.
 */
void smcr_llc_first_contact(struct smcr_lgr *lgr)
{
	smcr_llc_step(lgr, SMCR_LLC_EV_FIRST);
}

/**
 * smcr_llc_flush() - drop all messages and exchanges of a group
 * @lgr: a group whose links have stopped
 *
 * Returns the receive slots of messages and drops the link offered by ADD LINK.
 *
 * Context: the group's work.
 */
void smcr_llc_flush(struct smcr_lgr *lgr)
{
	struct smcr_wr_recv *recv, *tmp;
	LIST_HEAD(list);

	spin_lock_bh(&lgr->llc.lock);
	list_splice_init(&lgr->llc.queue, &list);
	spin_unlock_bh(&lgr->llc.lock);
	list_splice_init(&lgr->llc.held, &list);
	list_for_each_entry_safe(recv, tmp, &list, list) {
		list_del_init(&recv->list);
		smcr_wr_recv_release(recv);
	}
	llc_drop_add_link(lgr);
	lgr->llc.rmb = NULL;
	lgr->llc.deleting = false;
}

/**
 * smcr_llc_recv() - queue a received LLC message
 * @recv: the message in its receive slot; the slot passes to the group
 *
 * Context: softirq.
 */
void smcr_llc_recv(struct smcr_wr_recv *recv)
{
	struct smcr_lgr *lgr = recv->link->lgr;

	smcr_mib_inc(lgr->net, SMCR_MIB_LLCRECEIVED);
	spin_lock_bh(&lgr->llc.lock);
	list_add_tail(&recv->list, &lgr->llc.queue);
	spin_unlock_bh(&lgr->llc.lock);
	smcr_lgr_queue(lgr);
}

/**
 * smcr_llc_sent() - handle the send completion of an LLC message
 * @link: the link
 * @cookie: enum smcr_llc_cookie, from smcr_llc_send()
 * @err: 0 if the message was delivered; -errno if the link has failed
 *
 * Context: softirq.
 */
void smcr_llc_sent(struct smcr_link *link, u32 cookie, int err)
{
	struct smcr_lgr *lgr = link->lgr;

	if (cookie == SMCR_LLC_COOKIE_CONFIRM && !err)
		WRITE_ONCE(lgr->llc.confirm_sent, true);
	if (cookie == SMCR_LLC_COOKIE_DELETE_ALL)
		smcr_lgr_kick(lgr, SMCR_LGR_T_DELETED);
}

static void confirm_fill(struct smcr_link *link, struct smcr_llc_msg *msg,
			 bool reply, bool no_eye)
{
	*msg = (struct smcr_llc_msg){
		.type = SMCR_LLC_CONFIRM_LINK,
		.reply = reply,
		.confirm_link = {
			.qpn = link->qpn,
			.link_num = link->num,
			.link_uid = link->uid,
			.max_links = SMCR_MAX_LINKS,
			.no_eye = no_eye,
		},
	};
	memcpy(msg->confirm_link.mac, link->local.mac, SMCR_MAC_LEN);
	memcpy(msg->confirm_link.gid, link->local.gid, SMCR_GID_LEN);
}

/**
 * smcr_llc_confirm_link() - send the CONFIRM LINK of a first contact (server)
 * @lgr: a FORMING group whose link is READY and whose RMB is registered
 *
 * Context: process.
 * Return: 0, -ENOTCONN if the group has ended, or -errno of the send.
 */
int smcr_llc_confirm_link(struct smcr_lgr *lgr)
{
	struct smcr_link *link = smcr_lgr_link(lgr);
	struct smcr_llc_msg msg;
	int err;

	/* The group's work may end the group at any time. */
	if (!link)
		return -ENOTCONN;
	WRITE_ONCE(lgr->llc.step_deadline, first_deadline(lgr));
	confirm_fill(link, &msg, false, lgr->offer_linux);
	err = smcr_llc_send(link, &msg, SMCR_LLC_COOKIE_CONFIRM);
	smcr_link_put(link);
	smcr_mib_inc(lgr->net, SMCR_MIB_CONFIRMLINKSENT);
	smcr_lgr_queue(lgr);
	return err;
}

/**
 * smcr_llc_await_confirm() - set the deadline for CONFIRM LINK (client)
 * @lgr: a FORMING group whose Confirm is about to be sent
 *
 * Context: process.
 */
void smcr_llc_await_confirm(struct smcr_lgr *lgr)
{
	WRITE_ONCE(lgr->llc.step_deadline, first_deadline(lgr));
	smcr_lgr_queue(lgr);
}

static bool confirm_matches(const struct smcr_link *link,
			    const struct smcr_llc_confirm_link *msg)
{
	return msg->qpn == link->peer.qpn &&
	       !memcmp(msg->gid, link->peer.gid, SMCR_GID_LEN) &&
	       !memcmp(msg->mac, link->peer.mac, SMCR_MAC_LEN);
}

static void confirmed(struct smcr_lgr *lgr, struct smcr_link *link,
		      const struct smcr_llc_confirm_link *msg)
{
	WRITE_ONCE(link->peer_uid, msg->link_uid);
	WRITE_ONCE(lgr->max_links,
		   smcr_lgr_policy_max_links(SMCR_MAX_LINKS, msg->max_links));
	/* Refused if the link has failed meanwhile */
	if (smcr_link_event(link, SMCR_LINK_EV_CONFIRMED))
		smcr_link_fail(link, -EPROTO);
	smcr_llc_step(lgr, SMCR_LLC_EV_CONFIRMED);
	WRITE_ONCE(lgr->llc.step_deadline, first_deadline(lgr));
}

/* A group has the Linux dialect if request and reply carry the Linux flags. */
static void dialect_set(struct smcr_link *link, bool no_eye)
{
	WRITE_ONCE(link->lgr->dialect,
		   no_eye ? SMCR_DIALECT_LINUX : SMCR_DIALECT_RFC);
	if (no_eye)
		smcr_wr_limit_sends(link);
}

/* Client: answer CONFIRM LINK; the flags of the request select the dialect. */
static void confirm_request(struct smcr_link *link,
			    const struct smcr_llc_confirm_link *msg)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_llc_msg reply;

	if (!confirm_matches(link, msg) ||
	    smcr_link_nums_take(&lgr->nums, msg->link_num, NULL, 0)) {
		smcr_llc_broken(link, "CONFIRM LINK names another link");
		return;
	}
	link->num = msg->link_num;
	dialect_set(link, msg->no_eye);
	confirm_fill(link, &reply, true, msg->no_eye);
	/* The limit in the reply is at most the server's (2.2.2). */
	reply.confirm_link.max_links =
		smcr_lgr_policy_max_links(SMCR_MAX_LINKS, msg->max_links);
	if (!smcr_llc_send(link, &reply, SMCR_LLC_COOKIE_CONFIRM))
		confirmed(lgr, link, msg);
}

static int offer_link(struct smcr_lgr *lgr, struct smcr_link *link)
{
	u8 num = smcr_link_nums_next(&lgr->nums, &link->num, 1);
	struct smcr_llc_msg msg = { .type = SMCR_LLC_ADD_LINK };
	struct smcr_link *new;

	new = smcr_link_create(lgr, &link->local, num);
	if (IS_ERR(new))
		return PTR_ERR(new);
	lgr->llc.add_link = new;
	msg.add_link.qpn = new->qpn;
	msg.add_link.link_num = num;
	msg.add_link.mtu = new->local.mtu;
	msg.add_link.psn = new->psn;
	memcpy(msg.add_link.mac, new->local.mac, SMCR_MAC_LEN);
	memcpy(msg.add_link.gid, new->local.gid, SMCR_GID_LEN);
	lgr->llc.link_request = msg;
	smcr_mib_inc(lgr->net, SMCR_MIB_ADDLINKSENT);
	return smcr_llc_send(link, &msg, SMCR_LLC_COOKIE_NONE);
}

/* Server: the client has confirmed the first link. Offer a second link, which
 * on a server with one adapter is on the same port, in case the client has a
 * second adapter (3.5.1.6). The client fails the link if no offer comes
 * (C.7.1), so a server that cannot make the offer ends the group.
 */
static void confirm_reply(struct smcr_link *link,
			  const struct smcr_llc_confirm_link *msg)
{
	struct smcr_lgr *lgr = link->lgr;

	if (!confirm_matches(link, msg) || msg->link_num != link->num) {
		smcr_llc_broken(link, "CONFIRM LINK reply names another link");
		return;
	}
	if (msg->no_eye && !lgr->offer_linux) {
		smcr_llc_broken(link, "CONFIRM LINK reply in another dialect");
		return;
	}
	dialect_set(link, msg->no_eye);
	confirmed(lgr, link, msg);
	if (offer_link(lgr, link)) {
		smcr_lgr_terminate(lgr, SMCR_RESET_LINK_DOWN, ECONNRESET);
		return;
	}
	smcr_llc_step(lgr, SMCR_LLC_EV_ADD_SENT);
}

/* Client: refuse ADD LINK; with one adapter there is no second path. */
static void add_request(struct smcr_link *link,
			const struct smcr_llc_add_link *msg)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_llc_msg reply = {
		.type = SMCR_LLC_ADD_LINK,
		.reply = true,
		.add_link = {
			.link_num = msg->link_num,
			.reject = true,
			.reason = smcr_mtu_valid(msg->mtu) ?
				  SMCR_LLC_ADD_NO_PATH : SMCR_LLC_ADD_BAD_MTU,
		},
	};
	bool first = lgr->llc.flow.step == SMCR_LLC_FIRST_ADD;

	memcpy(reply.add_link.mac, link->local.mac, SMCR_MAC_LEN);
	memcpy(reply.add_link.gid, link->local.gid, SMCR_GID_LEN);
	if (smcr_llc_send(link, &reply, SMCR_LLC_COOKIE_NONE))
		return;
	smcr_mib_inc(lgr->net, SMCR_MIB_ADDLINKREFUSED);
	if (!first)
		return;
	smcr_llc_step(lgr, SMCR_LLC_EV_ADD_REFUSED);
	llc_ready(lgr);
}

/* Server: handle the reply to ADD LINK. A client that agrees has two ports.
 * This end cannot use a second link, so DELETE LINK removes it before data
 * flows (3.5.1.6.2). The local end of the link is freed when the client has
 * answered DELETE LINK (3.5.5.1.3).
 */
static void add_reply(struct smcr_link *link, const struct smcr_llc_msg *msg)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_llc_msg del = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = {
			.link_num = msg->add_link.link_num,
			.reason = SMCR_LLC_DEL_LOST_PATH,
			.orderly = true,
		},
	};

	if (!smcr_llc_msg_answers(msg, &lgr->llc.link_request)) {
		smcr_llc_broken(link, "ADD LINK reply names another link");
		return;
	}
	if (msg->add_link.reject) {
		llc_drop_add_link(lgr);
		smcr_mib_inc(lgr->net, SMCR_MIB_ADDLINKREFUSED);
		smcr_llc_step(lgr, SMCR_LLC_EV_ADD_REFUSED);
		llc_ready(lgr);
		return;
	}
	smcr_llc_step(lgr, SMCR_LLC_EV_ADD_AGREED);
	smcr_llc_step(lgr, SMCR_LLC_EV_ADD_FAILED);
	if (smcr_llc_send(link, &del, SMCR_LLC_COOKIE_NONE))
		return;
	lgr->llc.link_request = del;
	smcr_mib_inc(lgr->net, SMCR_MIB_DELETELINKSENT);
	smcr_llc_step(lgr, SMCR_LLC_EV_DELETE_SENT);
	WRITE_ONCE(lgr->llc.step_deadline, smcr_llc_deadline(lgr));
}

static bool is_link_num(const struct smcr_lgr *lgr, u8 num)
{
	int i;

	for (i = 0; i < SMCR_MAX_LINKS; i++)
		if (lgr->links[i] && lgr->links[i]->num == num)
			return true;
	return false;
}

/* A request to delete the group's only link ends the group; a server says so by
 * DELETE LINK (all). The answer to one that names an unknown link says that, as
 * C.7.1 asks.
 */
static void delete_one(struct smcr_link *link,
		       const struct smcr_llc_delete_link *msg)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_llc_msg reply = {
		.type = SMCR_LLC_DELETE_LINK,
		.reply = true,
		.delete_link = *msg,
	};
	bool known = is_link_num(lgr, msg->link_num);

	if (known && lgr->role == SMCR_SERVER) {
		smcr_lgr_kick(lgr, SMCR_LGR_T_CLOSE);
		return;
	}
	if (!known)
		reply.delete_link.reason = SMCR_LLC_DEL_NO_LINK;
	smcr_llc_send(link, &reply, SMCR_LLC_COOKIE_NONE);
	if (known)
		smcr_lgr_terminate(lgr, SMCR_RESET_LINK_DOWN, ECONNRESET);
}

static void delete_done(struct smcr_lgr *lgr)
{
	smcr_llc_step(lgr, SMCR_LLC_EV_DELETE_DONE);
	llc_drop_add_link(lgr);
	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING)
		llc_ready(lgr);
	WRITE_ONCE(lgr->llc.step_deadline, 0);
}

static void recv_delete_link(struct smcr_link *link,
			     const struct smcr_llc_msg *msg)
{
	struct smcr_lgr *lgr = link->lgr;

	if (!msg->reply) {
		delete_one(link, &msg->delete_link);
		return;
	}
	if (lgr->llc.flow.step != SMCR_LLC_DELETE)
		return;
	if (!smcr_llc_msg_answers(msg, &lgr->llc.link_request)) {
		smcr_llc_broken(link, "DELETE LINK reply names another link");
		return;
	}
	delete_done(lgr);
}

/* A Linux client that has agreed to ADD LINK and then gets DELETE LINK instead
 * of the next message of the exchange refuses ADD LINK after all. Its end of
 * the link is gone then, and it may or may not answer DELETE LINK. Return: true
 * if @msg is that refusal or that answer.
 */
static bool is_second_thought(struct smcr_lgr *lgr,
			      const struct smcr_llc_msg *msg)
{
	struct smcr_llc *llc = &lgr->llc;

	if (lgr->dialect != SMCR_DIALECT_LINUX || lgr->role != SMCR_SERVER ||
	    !msg->reply)
		return false;
	if (msg->type == SMCR_LLC_ADD_LINK && msg->add_link.reject &&
	    llc->flow.step == SMCR_LLC_DELETE) {
		llc->delete_moot = true;
		delete_done(lgr);
		return true;
	}
	if (msg->type == SMCR_LLC_DELETE_LINK && llc->delete_moot &&
	    llc->flow.step != SMCR_LLC_DELETE &&
	    smcr_llc_msg_answers(msg, &llc->link_request)) {
		llc->delete_moot = false;
		return true;
	}
	return false;
}

static void recv_test_link(struct smcr_link *link,
			   const struct smcr_llc_msg *msg)
{
	struct smcr_llc *llc = &link->lgr->llc;
	struct smcr_llc_msg reply = *msg;

	if (!msg->reply) {
		reply.reply = true;
		smcr_llc_send(link, &reply, SMCR_LLC_COOKIE_NONE);
	} else if (!llc->test_sent ||
		   !smcr_llc_msg_answers(msg, &llc->test_request)) {
		smcr_llc_broken(link, "TEST LINK reply with other data");
	} else {
		llc->test_sent = false;
		smcr_wr_handled(link, llc->test_sends);
	}
}

static void llc_dispatch(struct smcr_link *link, const struct smcr_llc_msg *msg)
{
	switch (msg->type) {
	case SMCR_LLC_CONFIRM_LINK:
		if (msg->reply)
			confirm_reply(link, &msg->confirm_link);
		else
			confirm_request(link, &msg->confirm_link);
		break;
	case SMCR_LLC_ADD_LINK:
		/* A client's request for a link is ignored: there is no second
		 * port.
		 */
		if (msg->reply)
			add_reply(link, msg);
		else if (link->lgr->role == SMCR_CLIENT)
			add_request(link, &msg->add_link);
		break;
	case SMCR_LLC_DELETE_LINK:
		recv_delete_link(link, msg);
		break;
	case SMCR_LLC_CONFIRM_RKEY:
		smcr_llc_rkey_confirm(link, msg);
		break;
	case SMCR_LLC_DELETE_RKEY:
		smcr_llc_rkey_delete(link, msg);
		break;
	case SMCR_LLC_TEST_LINK:
		recv_test_link(link, msg);
		break;
	default:
		/* Continuations: no exchange here has one. */
		smcr_llc_broken(link, smcr_llc_type_name(msg->type));
		break;
	}
}

/* The peer has sent DELETE LINK (all). A server answers with its own DELETE
 * LINK (all) before it ends the group (3.5.4).
 */
static void llc_terminated(struct smcr_lgr *lgr)
{
	if (lgr->role == SMCR_SERVER &&
	    smcr_lgr_state(lgr) != SMCR_LGR_CLOSING)
		smcr_lgr_kick(lgr, SMCR_LGR_T_CLOSE);
	else
		smcr_lgr_terminate(lgr, SMCR_RESET_GROUP_DELETED, ECONNRESET);
}

/* Return: false if the message has to wait for the end of an exchange. */
static bool llc_handle(struct smcr_lgr *lgr, struct smcr_wr_recv *recv)
{
	struct smcr_link *link = recv->link;
	enum smcr_llc_verdict verdict;
	enum smcr_llc_fault fault;
	struct smcr_llc_msg msg;

	if (smcr_link_state(link) >= SMCR_LINK_FAILED)
		return true;
	fault = smcr_llc_msg_decode(recv->msg, sizeof(recv->msg), lgr->dialect,
				    &msg);
	if (fault == SMCR_LLC_IGNORED) {
		smcr_mib_inc(lgr->net, SMCR_MIB_BADLLC);
		return true;
	}
	if (fault) {
		smcr_llc_broken(link, smcr_llc_fault_name(fault));
		return true;
	}
	trace_smcr_llc_rx(lgr->id, link->num, msg.type, msg.reply);
	if (msg.type == SMCR_LLC_DELETE_LINK && !msg.reply &&
	    msg.delete_link.all) {
		llc_terminated(lgr);
		return true;
	}
	if (is_second_thought(lgr, &msg))
		return true;
	verdict = smcr_llc_flow_verdict(&lgr->llc.flow, &msg);
	if (verdict == SMCR_LLC_PROCESS)
		llc_dispatch(link, &msg);
	else if (verdict == SMCR_LLC_NEGATIVE)
		smcr_llc_rkey_answer(link, &msg, true, true);
	else if (verdict == SMCR_LLC_OUT_OF_SYNC)
		smcr_llc_broken(link, smcr_llc_type_name(msg.type));
	return verdict != SMCR_LLC_QUEUE;
}

/* May one more message be handled now? A reply needs no answer, so it is
 * handled even if there is no room for an answer. Otherwise two hosts could
 * wait for each other's acknowledgements without end.
 */
static bool llc_in_pace(struct smcr_llc *llc, const struct smcr_wr_recv *recv)
{
	unsigned long now = jiffies;

	if (now != llc->pace_at) {
		llc->pace_at = now;
		llc->pace_left = DIV_ROUND_UP(LLC_PER_SECOND, HZ);
	}
	if (smcr_link_state(recv->link) >= SMCR_LINK_FAILED)
		return true;
	return llc->pace_left && (recv->msg[3] & SMCR_LLC_F_REPLY ||
				  smcr_wr_may_answer(recv->link));
}

static void llc_process(struct smcr_lgr *lgr)
{
	struct smcr_wr_recv *recv, *tmp;
	struct smcr_llc *llc = &lgr->llc;
	LIST_HEAD(list);

	list_splice_init(&llc->held, &list);
	spin_lock_bh(&llc->lock);
	list_splice_tail_init(&llc->queue, &list);
	spin_unlock_bh(&llc->lock);
	list_for_each_entry_safe(recv, tmp, &list, list) {
		if (!llc_in_pace(llc, recv))
			break;
		list_del_init(&recv->list);
		if (llc_handle(lgr, recv)) {
			llc->pace_left -= !!llc->pace_left;
			smcr_wr_recv_release(recv);
		} else {
			list_add_tail(&recv->list, &llc->held);
		}
	}
	if (list_empty(&list))
		return;
	spin_lock_bh(&llc->lock);
	list_splice(&list, &llc->queue);
	spin_unlock_bh(&llc->lock);
	smcr_lgr_queue_later(lgr, 1);
}

/**
 * smcr_llc_process() - handle the messages that have arrived
 * @lgr: the group
 *
 * Held messages are tried again as soon as another message has ended the
 * exchange that they wait for.
 *
 * Context: the group's work.
 */
void smcr_llc_process(struct smcr_lgr *lgr)
{
	struct smcr_llc_flow *flow = &lgr->llc.flow;
	enum smcr_llc_step step;
	bool rkey_ours;

	do {
		step = flow->step;
		rkey_ours = flow->rkey_ours;
		llc_process(lgr);
	} while (!list_empty(&lgr->llc.held) &&
		 (step != flow->step || rkey_ours != flow->rkey_ours));
}

/**
 * smcr_llc_delete_all() - send DELETE LINK (all) (3.5.4)
 * @lgr: a group that has just become CLOSING
 * @reason: reason code of the message
 *
 * A server ends the group when the message is delivered, a client when the
 * server's own DELETE LINK (all) arrives.
 *
 * Context: the group's work.
 */
void smcr_llc_delete_all(struct smcr_lgr *lgr, u32 reason)
{
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = {
			.reason = reason,
			.all = true,
			.orderly = true,
		},
	};
	struct smcr_link *link = lgr->links[0];

	smcr_llc_step(lgr, SMCR_LLC_EV_CLOSE);
	WRITE_ONCE(lgr->llc.step_deadline, smcr_llc_deadline(lgr));
	if (!link || smcr_link_state(link) != SMCR_LINK_ACTIVE ||
	    smcr_llc_send(link, &msg, SMCR_LLC_COOKIE_DELETE_ALL))
		smcr_lgr_terminate(lgr, SMCR_RESET_GROUP_DELETED, ECONNRESET);
	else
		smcr_mib_inc(lgr->net, SMCR_MIB_DELETELINKSENT);
}

/* The exchange that changes links has reached its deadline (C.7.1). */
static void step_timeout(struct smcr_lgr *lgr)
{
	WRITE_ONCE(lgr->llc.step_deadline, 0);
	WRITE_ONCE(lgr->llc.timed_out, true);
	smcr_mib_inc(lgr->net, SMCR_MIB_LLCTIMEOUTS);
	if (lgr->llc.flow.step == SMCR_LLC_CLOSING)
		smcr_lgr_terminate(lgr, SMCR_RESET_GROUP_DELETED, ECONNRESET);
	else if (lgr->llc.flow.step != SMCR_LLC_IDLE)
		smcr_lgr_terminate(lgr, SMCR_RESET_LINK_DOWN, ECONNRESET);
}

static void test_idle_link(struct smcr_lgr *lgr, struct smcr_link *link)
{
	struct smcr_llc_msg *msg = &lgr->llc.test_request;

	msg->type = SMCR_LLC_TEST_LINK;
	get_random_bytes(msg->test_link.data, sizeof(msg->test_link.data));
	lgr->llc.test_sends = smcr_wr_sends(link);
	if (smcr_llc_send(link, msg, SMCR_LLC_COOKIE_NONE))
		return;
	smcr_mib_inc(lgr->net, SMCR_MIB_TESTLINKSENT);
	lgr->llc.test_sent = true;
	lgr->llc.test_deadline = smcr_llc_deadline(lgr);
}

/**
 * smcr_llc_test_now() - send TEST LINK unless one is unanswered (C.4)
 * @lgr: the group
 *
 * Context: the group's work.
 */
void smcr_llc_test_now(struct smcr_lgr *lgr)
{
	struct smcr_link *link = lgr->links[0];

	if (link && smcr_link_state(link) == SMCR_LINK_ACTIVE &&
	    !lgr->llc.test_sent)
		test_idle_link(lgr, link);
}

/* Test a link that has received nothing for net.smcr.test_link_interval_ms, so
 * that a dead peer is noticed (4.5.3, A.3.8). Return: jiffies when to look
 * again, 0 for never.
 */
static unsigned long test_timer(struct smcr_lgr *lgr)
{
	unsigned int ms = READ_ONCE(llc_ctl(lgr)->test_link_interval_ms);
	struct smcr_link *link = lgr->links[0];
	unsigned long due;

	if (!link || smcr_link_state(link) != SMCR_LINK_ACTIVE)
		return 0;
	due = READ_ONCE(link->last_rx) + msecs_to_jiffies(ms);
	if (ms && !lgr->llc.test_sent && time_after_eq(jiffies, due))
		test_idle_link(lgr, link);
	/* smcr_llc_test_now() may have sent a TEST LINK, whatever @ms is. */
	if (!lgr->llc.test_sent)
		return ms ? due : 0;
	if (time_after_eq(jiffies, lgr->llc.test_deadline)) {
		smcr_mib_inc(lgr->net, SMCR_MIB_LLCTIMEOUTS);
		smcr_link_fail(link, -ETIMEDOUT);
		return 0;
	}
	return lgr->llc.test_deadline;
}

static void sooner(unsigned long *next, unsigned long when)
{
	if (when && (!*next || time_before(when, *next)))
		*next = when;
}

/**
 * smcr_llc_timers() - handle deadlines that have passed
 * @lgr: the group
 *
 * Context: the group's work.
 * Return: jiffies of the next deadline, 0 if there is none.
 */
unsigned long smcr_llc_timers(struct smcr_lgr *lgr)
{
	struct smcr_llc *llc = &lgr->llc;
	unsigned long next;

	next = READ_ONCE(llc->step_deadline);
	if (next && time_after_eq(jiffies, next))
		step_timeout(lgr);
	if (llc->rkey_deadline && time_after_eq(jiffies, llc->rkey_deadline)) {
		llc->rkey_deadline = 0;
		smcr_mib_inc(lgr->net, SMCR_MIB_LLCTIMEOUTS);
		smcr_link_fail(lgr->links[0], -ETIMEDOUT);
	}
	if (llc->rkey_retry_at && time_after_eq(jiffies, llc->rkey_retry_at)) {
		llc->rkey_retry_at = 0;
		smcr_lgr_kick(lgr, SMCR_LGR_T_RMB_REG);
	}
	next = test_timer(lgr);
	sooner(&next, READ_ONCE(llc->step_deadline));
	sooner(&next, llc->rkey_deadline);
	sooner(&next, llc->rkey_retry_at);
	return next;
}
