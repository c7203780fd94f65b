// SPDX-License-Identifier: GPL-2.0
/*
 * DELETE LINK of one link, in both roles (RFC 7609 3.5.5.1.3, 3.5.5.1.4, A.3.4,
 * C.7.1).
 *
 * Only a server deletes a link; its requests wait in llc->due until no exchange
 * is under way. A client that has lost a link asks its server to delete it and
 * goes on without waiting.
 *
 * A lost link has failed before DELETE LINK names it. A link that an
 * administrator deletes is in use until the exchange is over ("orderly"):
 *
 *      server                                        client
 *        | <------ DELETE LINK, O, if it was asked here |
 *        | DELETE LINK, O ----------------------------> |
 *        | <----------------------------- DELETE LINK,R | fails the link
 *        | fails the link                               |
 *
 * Each end then treats the link like a lost one.
 */
#include <linux/jiffies.h>
#include <net/sock.h>

#include "lgr.h"
#include "lgr_links.h"
#include "link.h"
#include "llc.h"
#include "llc_msg.h"
#include "mib.h"

/* Fail a link that both ends have agreed to delete. */
static void delete_end(struct smcr_link *link)
{
	set_bit(SMCR_LINK_F_DELETED, &link->flags);
	smcr_link_fail(link, test_bit(SMCR_LINK_F_OPERATOR, &link->flags) ?
			     -ECANCELED : -ECONNRESET);
}

static void delete_later(struct smcr_lgr *lgr, u8 num, u32 reason,
			 bool orderly)
{
	struct smcr_llc *llc = &lgr->llc;
	u8 i;

	for (i = 0; i < llc->n_due; i++)
		if (llc->due[i].num == num)
			return;
	if (llc->n_due == ARRAY_SIZE(llc->due))
		return;
	llc->due[llc->n_due++] = (struct smcr_llc_due){ num, reason, orderly };
	smcr_lgr_queue(lgr);
}

/* Client: ask the server to delete a link. The server may not answer. */
static void ask_delete(struct smcr_lgr *lgr, const struct smcr_link *link,
		       u32 reason, bool orderly)
{
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = {
			.link_num = link->num,
			.reason = reason,
			.orderly = orderly,
		},
	};
	struct smcr_link *carrier = smcr_lgr_link_carrier(lgr, link);

	if (!carrier)
		return;
	if (!smcr_llc_send(carrier, &msg, SMCR_LLC_COOKIE_NONE))
		smcr_mib_inc(lgr->net, SMCR_MIB_DELETELINKSENT);
	smcr_link_put(carrier);
}

/**
 * smcr_llc_tell_lost() - tell the peer that a link has failed
 * @lgr: the group
 * @link: the link, or one that was to be added
 *
 * Context: the group's work.
 */
void smcr_llc_tell_lost(struct smcr_lgr *lgr, const struct smcr_link *link)
{
	if (lgr->role == SMCR_SERVER)
		delete_later(lgr, link->num, SMCR_LLC_DEL_LOST_PATH, false);
	else
		ask_delete(lgr, link, SMCR_LLC_DEL_LOST_PATH, false);
}

/* A request to delete the group's only link ends the group; a server says so by
 * DELETE LINK (all). The answer to one that names an unknown link says that, as
 * C.7.1 asks.
 */
static void delete_request(struct smcr_link *link,
			   const struct smcr_llc_delete_link *msg)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_llc_msg reply = {
		.type = SMCR_LLC_DELETE_LINK,
		.reply = true,
		.delete_link = *msg,
	};
	struct smcr_link *gone = smcr_lgr_link_by_num(lgr, msg->link_num);
	struct smcr_link *carrier = smcr_lgr_link_carrier(lgr, gone);

	if (gone && !carrier && lgr->role == SMCR_SERVER) {
		smcr_lgr_close(lgr, SMCR_LGR_R_PEER);
		goto out;
	}
	if (gone && lgr->role == SMCR_SERVER) {
		delete_later(lgr, gone->num, msg->reason, msg->orderly);
		if (!msg->orderly)
			smcr_link_fail(gone, -ECONNRESET);
		goto out;
	}
	if (!gone)
		reply.delete_link.reason = SMCR_LLC_DEL_NO_LINK;
	/* The reply must not be flushed with the link that it names. */
	smcr_llc_send(carrier ?: link, &reply, SMCR_LLC_COOKIE_NONE);
	if (gone && !carrier) {
		smcr_lgr_terminate(lgr, SMCR_RESET_LINK_DOWN, ECONNRESET);
		goto out;
	}
	if (gone && gone == lgr->llc.add.link)
		smcr_llc_add_failed(lgr, false);
	else if (gone)
		delete_end(gone);
	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING &&
	    lgr->llc.flow.step == SMCR_LLC_IDLE)
		smcr_llc_ready(lgr);
out:
	if (gone)
		smcr_link_put(gone);
	if (carrier)
		smcr_link_put(carrier);
}

static void due_drop(struct smcr_llc *llc)
{
	llc->n_due--;
	memmove(llc->due, llc->due + 1, llc->n_due * sizeof(*llc->due));
}

/* Keep a link that works after all: no other one is left. */
static void keep(struct smcr_link *link)
{
	clear_bit(SMCR_LINK_F_ASKED, &link->flags);
	clear_bit(SMCR_LINK_F_OPERATOR, &link->flags);
}

static void due_forget(struct smcr_lgr *lgr)
{
	struct smcr_link *link;

	link = smcr_lgr_link_by_num(lgr, lgr->llc.due[0].num);
	due_drop(&lgr->llc);
	if (!link)
		return;
	keep(link);
	smcr_link_put(link);
}

static void delete_done(struct smcr_lgr *lgr)
{
	struct smcr_llc *llc = &lgr->llc;
	struct smcr_link *link = smcr_lgr_link_by_num(lgr, llc->due[0].num);

	smcr_llc_step(lgr, SMCR_LLC_EV_DELETE_DONE);
	due_drop(llc);
	if (link) {
		delete_end(link);
		smcr_link_put(link);
	}
	WRITE_ONCE(llc->step_deadline, 0);
	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING)
		smcr_llc_ready(lgr);
	smcr_lgr_queue(lgr);
}

/**
 * smcr_llc_delete_recv() - handle DELETE LINK of one link, a request or a reply
 * @link: the link that the message came over
 * @msg: the message
 *
 * Context: the group's work.
 */
void smcr_llc_delete_recv(struct smcr_link *link,
			  const struct smcr_llc_msg *msg)
{
	struct smcr_lgr *lgr = link->lgr;

	if (!msg->reply)
		delete_request(link, &msg->delete_link);
	else if (lgr->llc.flow.step != SMCR_LLC_DELETE)
		return;
	else if (!smcr_llc_msg_answers(msg, &lgr->llc.link_request))
		smcr_llc_broken(link, "DELETE LINK reply names another link");
	else
		delete_done(lgr);
}

/**
 * smcr_llc_second_thought() - a Linux client refuses ADD LINK after all
 * @lgr: the group
 * @msg: a message
 *
 * A Linux client that has agreed to ADD LINK and then gets DELETE LINK instead
 * of the next message of the exchange refuses ADD LINK after all. Its end of
 * the link is gone then, and it may or may not answer DELETE LINK.
 *
 * Context: the group's work.
 * Return: true if @msg is that refusal or that answer.
 */
bool smcr_llc_second_thought(struct smcr_lgr *lgr,
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

/**
 * smcr_llc_delete_carrier() - select the link for the DELETE LINK due first
 * @lgr: the group of a server, with a DELETE LINK that is due
 *
 * Context: the group's work.
 * Return: an ACTIVE link that it does not name, with a reference, or NULL.
 */
struct smcr_link *smcr_llc_delete_carrier(struct smcr_lgr *lgr)
{
	struct smcr_link *gone = smcr_lgr_link_by_num(lgr, lgr->llc.due[0].num);
	struct smcr_link *carrier = smcr_lgr_link_carrier(lgr, gone);

	if (gone)
		smcr_link_put(gone);
	return carrier;
}

/**
 * smcr_llc_delete_go() - send the DELETE LINK that is due first (server)
 * @lgr: the group
 *
 * Context: the group's work.
 */
void smcr_llc_delete_go(struct smcr_lgr *lgr)
{
	struct smcr_llc *llc = &lgr->llc;
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = {
			.link_num = llc->due[0].num,
			.reason = llc->due[0].reason,
			.orderly = llc->due[0].orderly,
		},
	};
	struct smcr_link *carrier;

	if (!llc->n_due || !smcr_llc_flow_may_start(&llc->flow))
		return;
	carrier = smcr_llc_delete_carrier(lgr);
	if (!carrier) {
		if (llc->due[0].orderly)
			due_forget(lgr);
		return;
	}
	if (!smcr_llc_send(carrier, &msg, SMCR_LLC_COOKIE_NONE)) {
		llc->link_request = msg;
		llc->delete_carrier = carrier;
		smcr_mib_inc(lgr->net, SMCR_MIB_DELETELINKSENT);
		smcr_llc_step(lgr, SMCR_LLC_EV_DELETE_SENT);
		WRITE_ONCE(llc->step_deadline, smcr_llc_deadline(lgr));
	}
	smcr_link_put(carrier);
}

/**
 * smcr_llc_delete_ask() - ask the group's work to delete a link
 * @link: the link
 *
 * Context: process.
 * Return: 0; -ENOTCONN if the link or its group is not ACTIVE; -EBUSY if no
 * other link would be left.
 */
int smcr_llc_delete_ask(struct smcr_link *link)
{
	struct smcr_lgr *lgr = link->lgr;
	const struct smcr_link *other;
	int slot, err = -EBUSY;

	spin_lock_bh(&lgr->conns_lock);
	for (slot = 0; slot < SMCR_MAX_LINKS; slot++) {
		other = lgr->links[slot];
		if (other && other != link &&
		    smcr_link_state(other) == SMCR_LINK_ACTIVE &&
		    !test_bit(SMCR_LINK_F_OPERATOR, &other->flags))
			err = 0;
	}
	if (smcr_link_state(link) != SMCR_LINK_ACTIVE ||
	    lgr->state != SMCR_LGR_ACTIVE)
		err = -ENOTCONN;
	if (!err)
		set_bit(SMCR_LINK_F_OPERATOR, &link->flags);
	spin_unlock_bh(&lgr->conns_lock);
	if (!err)
		smcr_lgr_kick(lgr, SMCR_LGR_T_LINK_DELETE);
	return err;
}

/* A client fails the link at the deadline if the server has not deleted it. */
static void delete_asked(struct smcr_lgr *lgr, const struct smcr_link *link)
{
	if (lgr->role == SMCR_SERVER) {
		delete_later(lgr, link->num, SMCR_LLC_DEL_OPERATOR, true);
		return;
	}
	ask_delete(lgr, link, SMCR_LLC_DEL_OPERATOR, true);
	lgr->llc.ask_deadline = smcr_llc_deadline(lgr);
}

/**
 * smcr_llc_delete_links() - delete the links of smcr_llc_delete_ask()
 * @lgr: the group
 *
 * Context: the group's work.
 */
void smcr_llc_delete_links(struct smcr_lgr *lgr)
{
	struct smcr_lgr_links links;
	unsigned int i;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++)
		if (test_bit(SMCR_LINK_F_OPERATOR, &links.link[i]->flags) &&
		    !test_and_set_bit(SMCR_LINK_F_ASKED,
				      &links.link[i]->flags))
			delete_asked(lgr, links.link[i]);
	smcr_lgr_links_put(&links);
}

/* The server has not deleted a link in time. */
static void delete_alone(struct smcr_lgr *lgr, struct smcr_link *link)
{
	struct smcr_link *other = smcr_lgr_link_carrier(lgr, link);

	if (!other) {
		keep(link);
		return;
	}
	smcr_mib_inc(lgr->net, SMCR_MIB_LLCTIMEOUTS);
	smcr_link_fail(link, -ECANCELED);
	smcr_link_put(other);
}

/**
 * smcr_llc_delete_timer() - fail links that the server has not deleted (client)
 * @lgr: the group
 *
 * Context: the group's work.
 * Return: jiffies when to look again, 0 for never.
 */
unsigned long smcr_llc_delete_timer(struct smcr_lgr *lgr)
{
	struct smcr_lgr_links links;
	unsigned int i;

	if (!lgr->llc.ask_deadline ||
	    time_before(jiffies, lgr->llc.ask_deadline))
		return lgr->llc.ask_deadline;
	lgr->llc.ask_deadline = 0;
	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++)
		if (test_bit(SMCR_LINK_F_ASKED, &links.link[i]->flags))
			delete_alone(lgr, links.link[i]);
	smcr_lgr_links_put(&links);
	return 0;
}
