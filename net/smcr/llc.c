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
 *        | probe, CONFIRM LINK -----------------> |
 *        | <------------ probe, CONFIRM LINK, R   |
 *        | ADD LINK, the same port -------------> |
 *        | <----------- ADD LINK, R, refused (1)  | data may flow
 *        | data may flow                          |
 *
 * A probe is a full packet of zeros, written to the element of the connection
 * that makes the first contact. If the path loses packets of this length, the
 * message behind it is missing, and C.2 and C.7 say what follows. A client of
 * the Linux dialect has no memory to write to before it answers, so there the
 * probe goes before ADD LINK.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/net.h>
#include <linux/slab.h>
#include <trace/events/smcr.h>

#include "conn.h"
#include "lgr.h"
#include "lgr_links.h"
#include "link.h"
#include "llc_exchange.h"
#include "llc_msg.h"
#include "mib.h"
#include "rmb.h"
#include "wr.h"

/* Upper bound of net.smcr.llc_timeout_ms while the namespace exits or the
 * module is unloaded, so that a silent peer does not hold that up.
 */
#define TEARDOWN_MS	5000u

/* While data goes on to arrive over a link, an answer is waited for this many
 * times net.smcr.llc_timeout_ms.
 */
#define ANSWER_TIMES	8

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
 * smcr_llc_time_left() - is an answer that has not come in time only late?
 * @link: the link that carries the request
 * @delivered: jiffies when the peer's adapter had received the request, or 0
 *	before
 *
 * The request may stand behind data in the send queue, and the answer behind
 * data in the peer's: together up to 500 requests and tens of megabytes, for
 * which a path may need longer than net.smcr.llc_timeout_ms. So that time
 * begins when the request is delivered, or with the last completion before it.
 * After the delivery the answer is late as long as data arrives over the link;
 * but a peer that sends data and never answers gets ANSWER_TIMES as much.
 *
 * Context: the group's work.
 * Return: the new deadline in jiffies, 0 if there is no time left.
 */
unsigned long smcr_llc_time_left(const struct smcr_link *link,
				 unsigned long delivered)
{
	unsigned long now = jiffies, time = smcr_llc_deadline(link->lgr) - now;
	unsigned long cdc = READ_ONCE(link->last_cdc), from = delivered;

	if (!delivered)
		from = READ_ONCE(link->last_tx);
	else if (time_before(now, delivered + ANSWER_TIMES * time) &&
		 time_after(cdc, delivered))
		from = cdc;
	if (!time_after(from + time, now))
		return 0;
	smcr_mib_inc(link->lgr->net, SMCR_MIB_LLCSLOW);
	return from + time;
}

/* Where is the time of delivery of a message noted? */
static unsigned long *delivered_at(const struct smcr_link *link, u32 cookie)
{
	struct smcr_llc *llc = &link->lgr->llc;

	switch (cookie) {
	case SMCR_LLC_COOKIE_TEST:
		return &llc->test[link->slot].delivered;
	case SMCR_LLC_COOKIE_RKEY:
		return &llc->rkey_delivered;
	case SMCR_LLC_COOKIE_STEP:
		return &llc->step_delivered;
	default:
		return NULL;
	}
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

/* Have the messages that are held looked at again. */
static void look_at_held(struct smcr_lgr *lgr)
{
	lgr->llc.held_due = true;
	if (!list_empty(&lgr->llc.held))
		smcr_lgr_queue(lgr);
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
	look_at_held(lgr);
}

/**
 * smcr_llc_probe() - prove a first contact's path with a full packet
 * @lgr: a FORMING group, before its handshake sends Confirm or CONFIRM LINK
 * @probe: the data area of the element that the peer has named, on the first
 *	link; nothing of a program is in it yet
 *
 * Context: process.
 */
void smcr_llc_probe(struct smcr_lgr *lgr, const struct smcr_wr_probe *probe)
{
	lgr->llc.probe = *probe;
	/* Pairs with probe_goes() in the group's work */
	smp_store_release(&lgr->llc.probe_due, true);
}

/* Does a probe go before this message? See the figure at the top. Once data may
 * flow, none goes: a server that has sent CONFIRM LINK too early may have left
 * it due.
 */
static bool probe_goes(const struct smcr_lgr *lgr,
		       const struct smcr_llc_msg *msg)
{
	/* Pairs with smcr_llc_probe() */
	if (!smp_load_acquire(&lgr->llc.probe_due) ||
	    smcr_lgr_state(lgr) != SMCR_LGR_FORMING)
		return false;
	return msg->type == (lgr->llc.probe_late ? SMCR_LLC_ADD_LINK :
						   SMCR_LLC_CONFIRM_LINK);
}

/**
 * smcr_llc_send() - send an LLC message
 * @link: the link; it fails if the message cannot be sent
 * @msg: the message
 * @cookie: passed to smcr_llc_sent() when the send has completed
 *
 * Data leaves slots for LLC messages. If none is free, the message waits; if
 * too many wait, the peer no longer acknowledges messages.
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_llc_send(struct smcr_link *link, const struct smcr_llc_msg *msg,
		  enum smcr_llc_cookie cookie)
{
	unsigned long *delivered = delivered_at(link, cookie);
	struct smcr_lgr *lgr = link->lgr;
	bool probe = probe_goes(lgr, msg);
	u8 buf[SMCR_ROCE_MSG_LEN];
	int err;

	if (delivered)
		WRITE_ONCE(*delivered, 0);
	smcr_llc_msg_encode(buf, lgr->dialect, msg);
	err = smcr_wr_post_llc(link, buf, cookie,
			       probe ? &lgr->llc.probe : NULL);
	if (err) {
		smcr_link_fail(link, err);
		return err;
	}
	if (probe) {
		WRITE_ONCE(lgr->llc.probe_due, false);
		smcr_mib_inc(lgr->net, SMCR_MIB_PATHPROBES);
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

/**
 * smcr_llc_ready() - the exchanges of the first contact are over (3.5.1.6)
 * @lgr: a FORMING group, in which data may flow now
 *
 * Context: the group's work.
 */
void smcr_llc_ready(struct smcr_lgr *lgr)
{
	WRITE_ONCE(lgr->llc.step_deadline, 0);
	smcr_lgr_event(lgr, SMCR_LGR_EV_READY);
	/* Ports that the first contact has left out are tried now. */
	if (lgr->llc.look_again)
		smcr_lgr_kick(lgr, SMCR_LGR_T_GROW);
	lgr->llc.look_again = false;
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
 * @lgr: a DEAD group whose links have stopped
 *
 * Returns the receive slots of messages and drops the link offered by ADD LINK.
 *
 * Context: process, when the group's work does nothing any more.
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
	smcr_llc_add_flush(lgr);
	smcr_llc_rkey_flush(lgr);
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
	unsigned long *delivered = delivered_at(link, cookie);
	struct smcr_lgr *lgr = link->lgr;

	if (delivered && !err)
		WRITE_ONCE(*delivered, jiffies ?: 1);
	if (cookie == SMCR_LLC_COOKIE_CONFIRM && !err)
		WRITE_ONCE(lgr->llc.confirm_sent, true);
	/* If it was not delivered, the link has failed: smcr_llc_link_lost() */
	if (cookie == SMCR_LLC_COOKIE_DELETE_ALL && !err)
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
 * smcr_llc_ask_confirm() - send CONFIRM LINK over a link (server)
 * @link: a link that is READY; the registered RMBs may be used over it
 * @cookie: passed to smcr_llc_sent()
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_llc_ask_confirm(struct smcr_link *link, enum smcr_llc_cookie cookie)
{
	struct smcr_llc_msg msg;

	confirm_fill(link, &msg, false, link->lgr->offer_linux);
	smcr_mib_inc(link->lgr->net, SMCR_MIB_CONFIRMLINKSENT);
	return smcr_llc_send(link, &msg, cookie);
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
	int err;

	/* The group's work may end the group at any time. */
	if (!link)
		return -ENOTCONN;
	WRITE_ONCE(lgr->llc.step_deadline, first_deadline(lgr));
	err = smcr_llc_ask_confirm(link, SMCR_LLC_COOKIE_CONFIRM);
	smcr_link_put(link);
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

/* Does CONFIRM LINK come over the link that is being set up, and name it? */
static bool confirm_matches(const struct smcr_link *link,
			    const struct smcr_llc_confirm_link *msg)
{
	const struct smcr_llc *llc = &link->lgr->llc;

	if (llc->flow.step == SMCR_LLC_ADD_CONFIRM && link != llc->add.link)
		return false;
	return msg->qpn == link->peer.qpn &&
	       !memcmp(msg->gid, link->peer.gid, SMCR_GID_LEN) &&
	       !memcmp(msg->mac, link->peer.mac, SMCR_MAC_LEN);
}

static void confirmed(struct smcr_lgr *lgr, struct smcr_link *link,
		      const struct smcr_llc_confirm_link *msg)
{
	bool first = lgr->llc.flow.step == SMCR_LLC_FIRST_CONFIRM;

	WRITE_ONCE(link->peer_uid, msg->link_uid);
	/* Linux does not probe the path, and has few receives: connections may
	 * post from the next event on
	 */
	if (lgr->dialect == SMCR_DIALECT_LINUX) {
		WRITE_ONCE(link->inbound, SMCR_LINK_I_UNPROVED);
		smcr_wr_limit_sends(link);
	}
	/* Refused if the link has failed meanwhile */
	if (smcr_link_event(link, SMCR_LINK_EV_CONFIRMED))
		smcr_link_fail(link, -EPROTO);
	else
		smcr_lgr_change_added(link);
	smcr_llc_step(lgr, SMCR_LLC_EV_CONFIRMED);
	if (!first) {
		smcr_llc_add_confirmed(lgr);
		return;
	}
	WRITE_ONCE(lgr->max_links,
		   smcr_lgr_policy_max_links(SMCR_MAX_LINKS, msg->max_links));
	WRITE_ONCE(lgr->llc.step_deadline, first_deadline(lgr));
}

/* A group has the Linux dialect if request and reply carry the Linux flags. */
static void dialect_set(struct smcr_link *link, bool no_eye)
{
	WRITE_ONCE(link->lgr->dialect,
		   no_eye ? SMCR_DIALECT_LINUX : SMCR_DIALECT_RFC);
}

/* Client: does the request name the link as the server named it before? In a
 * first contact it gives the link its number.
 */
static bool confirm_numbers(struct smcr_link *link,
			    const struct smcr_llc_confirm_link *msg)
{
	if (link->lgr->llc.flow.step != SMCR_LLC_FIRST_CONFIRM)
		return msg->link_num == link->num;
	if (smcr_link_nums_take(&link->lgr->nums, msg->link_num, NULL, 0))
		return false;
	link->num = msg->link_num;
	dialect_set(link, msg->no_eye);
	return true;
}

/* Client: answer CONFIRM LINK; the flags of the first request select the
 * dialect.
 */
static void confirm_request(struct smcr_link *link,
			    const struct smcr_llc_confirm_link *msg)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_llc_msg reply;

	if (!confirm_matches(link, msg) || !confirm_numbers(link, msg)) {
		smcr_llc_broken(link, "CONFIRM LINK names another link");
		return;
	}
	confirm_fill(link, &reply, true,
		     lgr->dialect == SMCR_DIALECT_LINUX);
	/* The limit in the reply is at most the server's (2.2.2). */
	reply.confirm_link.max_links =
		smcr_lgr_policy_max_links(SMCR_MAX_LINKS, msg->max_links);
	if (!smcr_llc_send(link, &reply, SMCR_LLC_COOKIE_CONFIRM))
		confirmed(lgr, link, msg);
}

/* Server: the client has confirmed a link. After the first one, offer a second
 * link, which on a server with one adapter is on the same port, in case the
 * client has a second adapter (3.5.1.6). If the offer cannot be sent, the link
 * has failed, and the group ends with it.
 */
static void confirm_reply(struct smcr_link *link,
			  const struct smcr_llc_confirm_link *msg)
{
	struct smcr_lgr *lgr = link->lgr;
	bool first = lgr->llc.flow.step == SMCR_LLC_FIRST_CONFIRM;

	if (!confirm_matches(link, msg) || msg->link_num != link->num) {
		smcr_llc_broken(link, "CONFIRM LINK reply names another link");
		return;
	}
	if (first && msg->no_eye && !lgr->offer_linux) {
		smcr_llc_broken(link, "CONFIRM LINK reply in another dialect");
		return;
	}
	if (first)
		dialect_set(link, msg->no_eye);
	confirmed(lgr, link, msg);
	if (first && smcr_llc_add_offer(lgr, link))
		smcr_lgr_terminate(lgr, SMCR_RESET_LINK_DOWN, ECONNRESET);
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
		smcr_llc_add_recv(link, msg);
		break;
	case SMCR_LLC_ADD_LINK_CONT:
		smcr_llc_add_cont(link, msg);
		break;
	case SMCR_LLC_DELETE_LINK:
		smcr_llc_delete_recv(link, msg);
		break;
	case SMCR_LLC_CONFIRM_RKEY:
		smcr_llc_rkey_confirm(link, msg);
		break;
	case SMCR_LLC_CONFIRM_RKEY_CONT:
		smcr_llc_rkey_cont(link, msg);
		break;
	case SMCR_LLC_DELETE_RKEY:
		smcr_llc_rkey_delete(link, msg);
		break;
	case SMCR_LLC_TEST_LINK:
		smcr_llc_test_recv(link, msg);
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
		smcr_lgr_close(lgr, SMCR_LGR_R_PEER);
	else
		smcr_lgr_terminate(lgr, SMCR_RESET_GROUP_DELETED, ECONNRESET);
}

static bool link_gone(struct smcr_lgr *lgr, u8 num)
{
	struct smcr_link *link;
	bool gone;

	if (!smcr_link_nums_given(&lgr->nums, num))
		return false;
	link = smcr_lgr_link_by_num(lgr, num);
	gone = !link || smcr_link_state(link) >= SMCR_LINK_FAILED;
	if (link)
		smcr_link_put(link);
	return gone;
}

/* Does a message belong to an exchange that was over before it came? The link
 * that carried it is in order then. This host may have ended an ADD LINK
 * exchange because its end of the new link has failed, and the peer had not
 * heard of that. Or this host has repeated DELETE LINK over another carrier,
 * and both are answered.
 */
static bool is_late(struct smcr_lgr *lgr, const struct smcr_llc_msg *msg)
{
	const struct smcr_llc *llc = &lgr->llc;

	switch (msg->type) {
	case SMCR_LLC_ADD_LINK:
		/* An offer without a link was empty, and its number is new. */
		if (llc->flow.step == SMCR_LLC_ADD_REPLY && !llc->add.link)
			return false;
		return msg->reply && link_gone(lgr, msg->add_link.link_num);
	case SMCR_LLC_ADD_LINK_CONT:
		return link_gone(lgr, msg->add_cont.link_num);
	case SMCR_LLC_DELETE_LINK:
		if (!msg->reply || lgr->role == SMCR_CLIENT)
			return false;
		if (llc->flow.step == SMCR_LLC_DELETE &&
		    smcr_llc_msg_answers(msg, &llc->link_request))
			return false;
		return link_gone(lgr, msg->delete_link.link_num);
	default:
		return false;
	}
}

/* May a request be answered in the middle of an exchange that changes links? A
 * peer that follows the RFC begins no exchange while it knows of another one
 * (3.5.5.3), so its request waits for no more than a round trip. Linux sends
 * DELETE RKEY at any time, close() waits there until it is answered, and Linux
 * itself may take tens of seconds to end an exchange about links. An RMB loses
 * its keys on all links, whichever there are, so it need not wait. CONFIRM RKEY
 * depends on the links, and is refused.
 */
static bool may_overtake(const struct smcr_lgr *lgr,
			 const struct smcr_llc_msg *msg)
{
	return lgr->dialect == SMCR_DIALECT_LINUX &&
	       msg->type == SMCR_LLC_DELETE_RKEY;
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
		smcr_mib_inc(lgr->net, SMCR_MIB_LLCIGNORED);
		return true;
	}
	if (fault) {
		smcr_llc_broken(link, smcr_llc_fault_name(fault));
		return true;
	}
	trace_smcr_llc_rx(lgr->id, link->num, msg.type, msg.reply);
	if (smcr_llc_add_late(lgr, &msg) ||
	    smcr_llc_second_thought(lgr, &msg) ||
	    smcr_llc_delete_late(lgr, &msg) ||
	    smcr_llc_add_undone(lgr, &msg) || is_late(lgr, &msg))
		return true;
	verdict = smcr_llc_flow_verdict(&lgr->llc.flow, &msg);
	if (verdict == SMCR_LLC_QUEUE && may_overtake(lgr, &msg))
		verdict = SMCR_LLC_PROCESS;
	if (verdict == SMCR_LLC_PROCESS)
		llc_dispatch(link, &msg);
	else if (verdict == SMCR_LLC_NEGATIVE)
		smcr_llc_rkey_answer(link, &msg, true, true);
	else if (verdict == SMCR_LLC_OUT_OF_SYNC)
		smcr_llc_broken(link, smcr_llc_type_name(msg.type));
	else if (verdict == SMCR_LLC_TERMINATE)
		llc_terminated(lgr);
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

static void llc_process(struct smcr_lgr *lgr, bool held)
{
	struct smcr_wr_recv *recv, *tmp;
	struct smcr_llc *llc = &lgr->llc;
	LIST_HEAD(list);

	if (held)
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

/* Is it time to look at the messages that are held? They wait for the end of an
 * exchange or of their link. So a peer that has many messages held does not
 * make each further one costly.
 */
static bool held_are_due(struct smcr_lgr *lgr)
{
	bool due = lgr->llc.held_due;

	lgr->llc.held_due = false;
	return due;
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
	do {
		llc_process(lgr, held_are_due(lgr));
	} while (!list_empty(&lgr->llc.held) && lgr->llc.held_due);
}

/* Send DELETE LINK (all) over the next link. If that fails, the link fails,
 * too, and smcr_llc_link_lost() tries another one (C.7.1).
 */
static void send_delete_all(struct smcr_lgr *lgr)
{
	struct smcr_link *link = smcr_lgr_link_carrier(lgr, NULL);

	lgr->llc.delete_carrier = link;
	if (!link) {
		smcr_lgr_terminate(lgr, SMCR_RESET_GROUP_DELETED, ECONNRESET);
		return;
	}
	if (!smcr_llc_send(link, &lgr->llc.link_request,
			   SMCR_LLC_COOKIE_DELETE_ALL))
		smcr_mib_inc(lgr->net, SMCR_MIB_DELETELINKSENT);
	smcr_link_put(link);
}

/**
 * smcr_llc_delete_all() - send DELETE LINK (all) (3.5.4)
 * @lgr: a group that has just become CLOSING
 * @reason: reason code of the message
 *
 * A server ends the group when the message is delivered, a client when the
 * server's own DELETE LINK (all) arrives. If a link fails before that, the
 * message is sent again over another one, until the deadline.
 *
 * Context: the group's work.
 */
void smcr_llc_delete_all(struct smcr_lgr *lgr, u32 reason)
{
	lgr->llc.link_request = (struct smcr_llc_msg){
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = {
			.reason = reason,
			.all = true,
			.orderly = true,
		},
	};
	smcr_llc_add_close(lgr);
	smcr_llc_step(lgr, SMCR_LLC_EV_CLOSE);
	WRITE_ONCE(lgr->llc.step_deadline, smcr_llc_deadline(lgr));
	send_delete_all(lgr);
}

/**
 * smcr_llc_link_lost() - a link has failed, and others are ACTIVE
 * @link: the link
 *
 * Ends the exchanges that it carried, and has the peer told (3.5.5.1.3,
 * 3.5.5.1.4). In a CLOSING group no exchange is left but DELETE LINK (all).
 *
 * Context: the group's work.
 */
void smcr_llc_link_lost(struct smcr_link *link)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_llc *llc = &lgr->llc;

	llc->test[link->slot].sent = false;
	llc->test[link->slot].spared_at = 0;
	/* Some may be the link's own. */
	look_at_held(lgr);
	if (llc->flow.step == SMCR_LLC_CLOSING) {
		if (link == llc->delete_carrier)
			send_delete_all(lgr);
		return;
	}
	smcr_llc_rkey_lost(link);
	smcr_llc_ask_again(lgr, link);
	if (llc->flow.step == SMCR_LLC_DELETE && link == llc->delete_carrier) {
		/* llc->due still has it, for another carrier. */
		WRITE_ONCE(llc->step_deadline, 0);
		smcr_llc_step(lgr, SMCR_LLC_EV_DELETE_DONE);
	}
	if (link == llc->add.link) {
		smcr_llc_add_failed(lgr, true);
		return;
	}
	if (link == llc->add.carrier)
		smcr_llc_add_failed(lgr, true);
	if (!test_bit(SMCR_LINK_F_DELETED, &link->flags))
		smcr_llc_tell_lost(lgr, link, true);
}

/* Is an exchange that changes links only late, behind data on its carrier? In a
 * first contact there is no data. With a Linux peer the deadline fails no link,
 * but leads to TEST LINK. Return: the new deadline, or 0.
 */
static unsigned long step_time_left(struct smcr_lgr *lgr)
{
	unsigned long delivered = READ_ONCE(lgr->llc.step_delivered), left = 0;
	struct smcr_link *carrier = NULL;

	if (smcr_lgr_state(lgr) != SMCR_LGR_ACTIVE ||
	    lgr->dialect == SMCR_DIALECT_LINUX)
		return 0;
	switch (lgr->llc.flow.step) {
	case SMCR_LLC_ADD_REPLY:
	case SMCR_LLC_ADD_CONT:
		carrier = smcr_link_get(lgr->llc.add.carrier);
		break;
	case SMCR_LLC_DELETE:
		carrier = smcr_llc_delete_carrier(lgr);
		break;
	default:
		break;
	}
	if (carrier) {
		left = smcr_llc_time_left(carrier, delivered);
		smcr_link_put(carrier);
	}
	return left;
}

/* An exchange that changes links was not answered (C.7). A CONFIRM LINK that is
 * missing fails the new link; everything else fails the link that carries the
 * exchange, unless the peer is a Linux host. Return: false if the group has to
 * end.
 */
static bool timeout_handled(struct smcr_lgr *lgr)
{
	struct smcr_llc *llc = &lgr->llc;
	struct smcr_link *carrier;

	switch (llc->flow.step) {
	case SMCR_LLC_ADD_CONFIRM:
		smcr_llc_add_failed(lgr, true);
		return true;
	case SMCR_LLC_ADD_REPLY:
	case SMCR_LLC_ADD_CONT:
		if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING)
			return false;
		if (lgr->dialect == SMCR_DIALECT_LINUX)
			smcr_llc_add_withdraw(lgr);
		else
			smcr_link_fail(llc->add.carrier, -ETIMEDOUT);
		return true;
	case SMCR_LLC_DELETE:
		if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING)
			return false;
		carrier = smcr_llc_delete_carrier(lgr);
		if (!carrier)
			return false;
		if (lgr->dialect == SMCR_DIALECT_LINUX)
			smcr_llc_delete_again(lgr, carrier);
		else
			smcr_link_fail(carrier, -ETIMEDOUT);
		smcr_link_put(carrier);
		return true;
	case SMCR_LLC_IDLE:
		return smcr_lgr_state(lgr) != SMCR_LGR_FORMING;
	default:
		return false;
	}
}

/* The exchange that changes links has reached its deadline (C.7.1). */
static void step_timeout(struct smcr_lgr *lgr)
{
	unsigned long left;

	if (smcr_llc_add_overdue(lgr))
		return;
	left = step_time_left(lgr);
	WRITE_ONCE(lgr->llc.step_deadline, left);
	if (left)
		return;
	smcr_mib_inc(lgr->net, SMCR_MIB_LLCTIMEOUTS);
	if (timeout_handled(lgr))
		return;
	WRITE_ONCE(lgr->llc.timed_out, true);
	if (lgr->llc.flow.step == SMCR_LLC_CLOSING)
		smcr_lgr_terminate(lgr, SMCR_RESET_GROUP_DELETED, ECONNRESET);
	else
		smcr_lgr_terminate(lgr, SMCR_RESET_LINK_DOWN, ECONNRESET);
}

/* CONFIRM RKEY or DELETE RKEY has reached its deadline (C.7.1). */
static void rkey_timeout(struct smcr_lgr *lgr)
{
	struct smcr_llc *llc = &lgr->llc;

	llc->rkey_deadline = smcr_llc_time_left(llc->ours.link,
						READ_ONCE(llc->rkey_delivered));
	if (llc->rkey_deadline)
		return;
	smcr_mib_inc(lgr->net, SMCR_MIB_LLCTIMEOUTS);
	smcr_link_fail(llc->ours.link, -ETIMEDOUT);
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
	if (llc->rkey_deadline && time_after_eq(jiffies, llc->rkey_deadline))
		rkey_timeout(lgr);
	if (llc->theirs_deadline &&
	    time_after_eq(jiffies, llc->theirs_deadline))
		smcr_llc_rkey_late(lgr);
	if (llc->rkey_retry_at && time_after_eq(jiffies, llc->rkey_retry_at)) {
		llc->rkey_retry_at = 0;
		smcr_lgr_kick(lgr, SMCR_LGR_T_RMB_REG);
	}
	if (llc->ask_deadline && time_after_eq(jiffies, llc->ask_deadline))
		smcr_llc_ask_timeout(lgr);
	next = smcr_llc_test_timers(lgr);
	sooner(&next, READ_ONCE(llc->step_deadline));
	sooner(&next, llc->rkey_deadline);
	sooner(&next, llc->theirs_deadline);
	sooner(&next, llc->rkey_retry_at);
	sooner(&next, llc->ask_deadline);
	sooner(&next, smcr_llc_delete_timer(lgr));
	return next;
}
