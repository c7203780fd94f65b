// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIRM RKEY and DELETE RKEY in both directions: the exchanges by which the
 * ends of a link group tell each other about RMBs (RFC 7609 3.5.5.2, A.3.5,
 * A.3.7).
 */
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "conn.h"
#include "conn_end.h"
#include "lgr.h"
#include "link.h"
#include "llc.h"
#include "llc_msg.h"
#include "mib.h"
#include "rmb.h"

/* A peer that is changing links refuses CONFIRM RKEY with C. The request is
 * sent again at this interval, so many times, which is longer than an LLC
 * exchange may take (C.7). After that the answer counts as a refusal.
 */
#define RKEY_RETRY	(HZ / 20)
#define RKEY_TRIES	64u

/* Store a new RMB of the peer. The group has one link, so a message that names
 * others is refused.
 */
static int learn_rkey(struct smcr_link *link,
		      const struct smcr_llc_confirm_rkey *msg)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_rtoken *mem;
	int id;

	if (msg->nr_others)
		return -EINVAL;
	mem = kzalloc(sizeof(*mem), GFP_KERNEL);
	if (!mem)
		return -ENOMEM;
	spin_lock_bh(&lgr->rtoken_lock);
	id = smcr_rtoken_add(lgr->rtokens, mem, smcr_lgr_link_slot(lgr, link),
			     msg->rkey, msg->vaddr);
	if (mem->id)
		mem = NULL;
	spin_unlock_bh(&lgr->rtoken_lock);
	kfree(mem);
	return id < 0 ? id : 0;
}

/**
 * smcr_llc_rkey_answer() - reply to CONFIRM RKEY or its continuation
 * @link: the link that the request came over
 * @msg: the request
 * @negative: set Z: the RMB is refused
 * @retry: set C: the peer may try again later
 *
 * Context: the group's work.
 */
void smcr_llc_rkey_answer(struct smcr_link *link,
			  const struct smcr_llc_msg *msg, bool negative,
			  bool retry)
{
	struct smcr_llc_msg reply = *msg;

	reply.reply = true;
	if (msg->type == SMCR_LLC_CONFIRM_RKEY) {
		reply.confirm_rkey.negative = negative;
		reply.confirm_rkey.retry = retry;
	} else {
		reply.rkey_cont.negative = negative;
	}
	smcr_llc_send(link, &reply, SMCR_LLC_COOKIE_NONE);
}

/* Our exchange is over: run the group's work again for held messages and for
 * exchanges that had to wait.
 */
static void rkey_done(struct smcr_lgr *lgr)
{
	lgr->llc.rkey_deadline = 0;
	smcr_llc_step(lgr, SMCR_LLC_EV_RKEY_DONE);
	smcr_lgr_queue(lgr);
}

static void confirm_rkey_done(struct smcr_lgr *lgr,
			      const struct smcr_llc_confirm_rkey *msg)
{
	struct smcr_llc *llc = &lgr->llc;
	struct smcr_rmb *rmb = llc->rmb;

	llc->rmb = NULL;
	rkey_done(lgr);
	if (msg->negative && msg->retry && ++llc->rkey_tries < RKEY_TRIES) {
		/* The peer was changing links; send it again later (A.3.5). */
		llc->rkey_retry_at = jiffies + RKEY_RETRY;
		return;
	}
	llc->rkey_tries = 0;
	if (msg->negative) {
		smcr_lgr_rmb_refused(lgr, rmb);
		return;
	}
	mutex_lock(&lgr->mutex);
	rmb->confirmed = true;
	WRITE_ONCE(rmb->idle_since, jiffies);
	mutex_unlock(&lgr->mutex);
	/* The RMB may stay unused; its time to linger starts now. */
	smcr_lgr_kick(lgr, SMCR_LGR_T_CLEAN);
	smcr_lgr_wake_rmb(lgr, rmb);
}

/**
 * smcr_llc_rkey_confirm() - handle CONFIRM RKEY, a request or a reply
 * @link: the link that the message came over
 * @msg: the message
 *
 * Context: the group's work.
 */
void smcr_llc_rkey_confirm(struct smcr_link *link,
			   const struct smcr_llc_msg *msg)
{
	struct smcr_lgr *lgr = link->lgr;

	if (!msg->reply) {
		smcr_llc_rkey_answer(link, msg,
				     learn_rkey(link, &msg->confirm_rkey),
				     false);
		return;
	}
	if (!lgr->llc.rmb ||
	    !smcr_llc_msg_answers(msg, &lgr->llc.rkey_request))
		smcr_llc_broken(link, "CONFIRM RKEY reply to nothing");
	else
		confirm_rkey_done(lgr, &msg->confirm_rkey);
}

/* Reset the connections that write to an RMB which the peer deletes. The peer
 * has ended its side of these connections without a message that arrived here.
 */
static void abort_users(struct smcr_lgr *lgr, u8 id)
{
	struct smcr_conn *conn;
	u32 slot = 0;

	while ((conn = smcr_lgr_conn_next(lgr, &slot))) {
		bool hit;

		/* The id may name another RMB next. */
		spin_lock_bh(&lgr->rtoken_lock);
		hit = conn->peer_rmb == id;
		if (hit)
			conn->peer_rmb = 0;
		spin_unlock_bh(&lgr->rtoken_lock);
		if (hit)
			smcr_conn_end_lost(conn, SMCR_RESET_RMBE_CONFLICT,
					   ECONNRESET);
		smcr_conn_put(conn);
	}
}

static bool forget_rkey(struct smcr_link *link, u32 rkey)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_rtoken *mem = NULL;
	bool used = false;
	int id;

	spin_lock_bh(&lgr->rtoken_lock);
	id = smcr_rtoken_find(lgr->rtokens, smcr_lgr_link_slot(lgr, link),
			      rkey);
	if (id > 0) {
		used = smcr_rtoken_in_use(lgr->rtokens, id);
		mem = smcr_rtoken_del(lgr->rtokens, id);
	}
	spin_unlock_bh(&lgr->rtoken_lock);
	if (used)
		abort_users(lgr, id);
	kfree(mem);
	return id > 0;
}

static void delete_rkey_request(struct smcr_link *link,
				const struct smcr_llc_msg *msg)
{
	struct smcr_llc_msg reply = *msg;
	u8 mask = 0;
	int i;

	for (i = 0; i < msg->delete_rkey.count; i++)
		if (!forget_rkey(link, msg->delete_rkey.rkey[i]))
			mask |= 0x80 >> i;
	reply.reply = true;
	reply.delete_rkey.negative = mask;
	reply.delete_rkey.error_mask = mask;
	smcr_llc_send(link, &reply, SMCR_LLC_COOKIE_NONE);
}

/**
 * smcr_llc_rkey_delete() - handle DELETE RKEY, a request or a reply
 * @link: the link that the message came over
 * @msg: the message
 *
 * Context: the group's work.
 */
void smcr_llc_rkey_delete(struct smcr_link *link,
			  const struct smcr_llc_msg *msg)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_llc *llc = &lgr->llc;

	if (!msg->reply) {
		delete_rkey_request(link, msg);
	} else if (llc->deleting &&
		   smcr_llc_msg_answers(msg, &llc->rkey_request)) {
		/* After a negative reply, too, the peer does not know these
		 * RMBs any more.
		 */
		smcr_lgr_rmbs_deleted(lgr);
		llc->deleting = false;
		rkey_done(lgr);
	} else {
		smcr_llc_broken(link, "DELETE RKEY reply to nothing");
	}
}

/**
 * smcr_llc_confirm_rkey() - send CONFIRM RKEY for a new RMB (3.5.5.2.1)
 * @lgr: the group
 * @rmb: the RMB, registered
 *
 * Context: the group's work; the group's mutex is held.
 * Return: false if another exchange is under way; the caller tries again after
 * it.
 */
bool smcr_llc_confirm_rkey(struct smcr_lgr *lgr, struct smcr_rmb *rmb)
{
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_CONFIRM_RKEY,
		.confirm_rkey = {
			.rkey = rmb->maps[0].rkey,
			.vaddr = rmb->maps[0].iova,
		},
	};

	lockdep_assert_held(&lgr->mutex);
	if (lgr->llc.rmb == rmb)
		return true;
	if (!smcr_llc_flow_may_start(&lgr->llc.flow))
		return false;
	if (smcr_llc_send(lgr->links[0], &msg, SMCR_LLC_COOKIE_NONE))
		return true;
	smcr_mib_inc(lgr->net, SMCR_MIB_CONFIRMRKEYSENT);
	lgr->llc.rmb = rmb;
	lgr->llc.rkey_request = msg;
	lgr->llc.rkey_deadline = smcr_llc_deadline(lgr);
	smcr_llc_step(lgr, SMCR_LLC_EV_RKEY_SENT);
	return true;
}

/**
 * smcr_llc_delete_rkeys() - send DELETE RKEY for idle RMBs (3.5.5.2.2)
 * @lgr: the group
 *
 * One message names up to eight RMBs that were idle for net.smcr.rmb_linger_ms.
 *
 * Context: the group's work; the group's mutex is not held.
 * Return: false if another exchange is under way; the caller tries again after
 * it.
 */
bool smcr_llc_delete_rkeys(struct smcr_lgr *lgr)
{
	struct smcr_llc_msg msg = { .type = SMCR_LLC_DELETE_RKEY };
	struct smcr_llc_delete_rkey *del = &msg.delete_rkey;
	struct smcr_rmb *rmb;
	unsigned long when;

	if (!smcr_llc_flow_may_start(&lgr->llc.flow))
		return false;
	mutex_lock(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list) {
		when = smcr_lgr_rmb_idle_at(lgr, rmb);
		if (!when || time_before(jiffies, when))
			continue;
		if (del->count == SMCR_LLC_DELETE_RKEYS)
			break;
		rmb->deleting = true;
		del->rkey[del->count++] = rmb->maps[0].rkey;
	}
	mutex_unlock(&lgr->mutex);
	if (!del->count)
		return true;
	lgr->llc.deleting = true;
	if (smcr_llc_send(lgr->links[0], &msg, SMCR_LLC_COOKIE_NONE))
		return true;
	lgr->llc.rkey_request = msg;
	smcr_mib_inc(lgr->net, SMCR_MIB_DELETERKEYSENT);
	lgr->llc.rkey_deadline = smcr_llc_deadline(lgr);
	smcr_llc_step(lgr, SMCR_LLC_EV_RKEY_SENT);
	return true;
}
