// SPDX-License-Identifier: GPL-2.0
/*
 * DELETE LINK of one link, in both roles (RFC 7609 3.5.5.1.3, 3.5.5.1.4, A.3.4,
 * C.7.1).
 *
 * Only a server deletes a link; its requests wait in llc->due until no exchange
 * is under way. A client that has lost a link asks its server to delete it and
 * goes on without waiting.
 */
#include <net/sock.h>

#include "lgr.h"
#include "lgr_links.h"
#include "link.h"
#include "llc.h"
#include "llc_msg.h"
#include "mib.h"

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
static void ask_delete(struct smcr_lgr *lgr, const struct smcr_link *link)
{
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = {
			.link_num = link->num,
			.reason = SMCR_LLC_DEL_LOST_PATH,
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
		ask_delete(lgr, link);
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
	if (gone && gone == lgr->llc.add.link) {
		smcr_llc_add_failed(lgr, false);
	} else if (gone) {
		set_bit(SMCR_LINK_F_DELETED, &gone->flags);
		smcr_link_fail(gone, -ECONNRESET);
	}
	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING &&
	    lgr->llc.flow.step == SMCR_LLC_IDLE)
		smcr_llc_ready(lgr);
out:
	if (gone)
		smcr_link_put(gone);
	if (carrier)
		smcr_link_put(carrier);
}

static void delete_done(struct smcr_lgr *lgr)
{
	struct smcr_llc *llc = &lgr->llc;

	smcr_llc_step(lgr, SMCR_LLC_EV_DELETE_DONE);
	llc->n_due--;
	memmove(llc->due, llc->due + 1, llc->n_due * sizeof(*llc->due));
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
	carrier = smcr_lgr_link_carrier(lgr, NULL);
	if (!carrier)
		return;
	if (!smcr_llc_send(carrier, &msg, SMCR_LLC_COOKIE_NONE)) {
		llc->link_request = msg;
		llc->delete_carrier = carrier;
		smcr_mib_inc(lgr->net, SMCR_MIB_DELETELINKSENT);
		smcr_llc_step(lgr, SMCR_LLC_EV_DELETE_SENT);
		WRITE_ONCE(llc->step_deadline, smcr_llc_deadline(lgr));
	}
	smcr_link_put(carrier);
}
