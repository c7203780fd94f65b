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
#include "lgr_links.h"
#include "lgr_policy.h"
#include "link.h"
#include "llc_exchange.h"
#include "llc_msg.h"
#include "mib.h"
#include "rmb.h"

/* A peer that is changing links refuses CONFIRM RKEY with C. The request is
 * sent again at this interval, so many times, which is longer than an LLC
 * exchange may take (C.7). After that the answer counts as a refusal.
 */
#define RKEY_RETRY	(HZ / 20)
#define RKEY_TRIES	64u

/* Find the links that @keys names, in its order. Return: -EINVAL if one
 * is no link of the group, or is the carrier, or is named twice; -EAGAIN if it
 * was a link, since the peer may not have heard of its end.
 */
static int find_links(struct smcr_lgr *lgr, const struct smcr_llc_rkeys *keys,
		      struct smcr_lgr_links *named)
{
	struct smcr_link *link;
	u8 seen = 1u << keys->link->slot;
	u8 i;

	named->n = 0;
	for (i = 0; i < keys->n; i++) {
		link = smcr_lgr_link_by_num(lgr, keys->other[i].link_num);
		if (!link)
			return smcr_link_nums_given(&lgr->nums,
						    keys->other[i].link_num) ?
			       -EAGAIN : -EINVAL;
		named->link[named->n++] = link;
		if (seen & 1u << link->slot)
			return -EINVAL;
		seen |= 1u << link->slot;
	}
	return 0;
}

/* Has a link left the group since it was found? Its slot is empty then, or
 * another link's, which must not get its key.
 */
static bool have_left(struct smcr_lgr *lgr, const struct smcr_llc_rkeys *keys,
		      const struct smcr_lgr_links *named)
{
	bool left = test_bit(SMCR_LINK_F_LEFT, &keys->link->flags);
	unsigned int i;

	lockdep_assert_held(&lgr->rtoken_lock);
	for (i = 0; i < named->n; i++)
		left |= test_bit(SMCR_LINK_F_LEFT, &named->link[i]->flags);
	return left;
}

/* Find the RMB that @keys describes, if it is known. The peer repeats a CONFIRM
 * RKEY whose answer was lost, maybe over a link that has come since and on
 * which the RMB has no key yet.
 */
static int find_rmb(struct smcr_lgr *lgr, const struct smcr_llc_rkeys *keys,
		    const struct smcr_lgr_links *named)
{
	int id;
	u8 i;

	lockdep_assert_held(&lgr->rtoken_lock);
	id = smcr_rtoken_find(lgr->rtokens, keys->link->slot, keys->rkey);
	for (i = 0; i < keys->n && id < 0; i++)
		id = smcr_rtoken_find(lgr->rtokens, named->link[i]->slot,
				      keys->other[i].rkey);
	return id;
}

static int add_keys(struct smcr_lgr *lgr, const struct smcr_llc_rkeys *keys,
		    const struct smcr_lgr_links *named, struct smcr_rtoken *mem)
{
	int id, err = 0;
	u8 i;

	if (have_left(lgr, keys, named))
		return -EAGAIN;
	id = find_rmb(lgr, keys, named);
	if (id > 0)
		err = smcr_rtoken_set(lgr->rtokens, id, keys->link->slot,
				      keys->rkey, keys->vaddr);
	else
		id = smcr_rtoken_add(lgr->rtokens, mem, keys->link->slot,
				     keys->rkey, keys->vaddr);
	if (id < 0)
		return id;
	for (i = 0; i < keys->n && !err; i++)
		err = smcr_rtoken_set(lgr->rtokens, id, named->link[i]->slot,
				      keys->other[i].rkey,
				      keys->other[i].vaddr);
	/* All keys of a new RMB are stored, or none. */
	if (err && mem->id)
		smcr_rtoken_del(lgr->rtokens, id);
	return err;
}

/* A link without a key for an RMB has failed at the peer (C.7.1). */
static void fail_uncovered(struct smcr_lgr *lgr,
			   const struct smcr_llc_rkeys *keys,
			   const struct smcr_lgr_links *named)
{
	struct smcr_lgr_links links;
	unsigned int i, k;
	bool covered;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++) {
		covered = links.link[i] == keys->link;
		for (k = 0; k < named->n; k++)
			covered |= links.link[i] == named->link[k];
		if (!covered)
			smcr_link_fail(links.link[i], -EPROTO);
	}
	smcr_lgr_links_put(&links);
}

/* Free the RTokens whose links are gone. The peer repeats a CONFIRM RKEY if it
 * still has the RMB.
 */
static void drop_lost(struct smcr_lgr *lgr)
{
	struct smcr_rtoken *mem;
	int id;

	do {
		mem = NULL;
		spin_lock_bh(&lgr->rtoken_lock);
		id = smcr_rtoken_lost(lgr->rtokens);
		if (id > 0)
			mem = smcr_rtoken_del(lgr->rtokens, id);
		spin_unlock_bh(&lgr->rtoken_lock);
		kfree(mem);
	} while (mem);
}

/* Store the keys of the peer's RMB on the links that were found. */
static int store_keys(struct smcr_lgr *lgr, const struct smcr_llc_rkeys *keys,
		      const struct smcr_lgr_links *named)
{
	struct smcr_rtoken *mem;
	int err;

	drop_lost(lgr);
	mem = kzalloc(sizeof(*mem), GFP_KERNEL);
	if (!mem)
		return -ENOMEM;
	spin_lock_bh(&lgr->rtoken_lock);
	err = add_keys(lgr, keys, named, mem);
	if (mem->id)
		mem = NULL;
	spin_unlock_bh(&lgr->rtoken_lock);
	kfree(mem);
	return err;
}

/* Store the new RMB of the peer that @keys describes. */
static int learn_keys(struct smcr_lgr *lgr, const struct smcr_llc_rkeys *keys)
{
	struct smcr_lgr_links named;
	int err;

	err = find_links(lgr, keys, &named);
	if (!err)
		err = store_keys(lgr, keys, &named);
	if (!err)
		fail_uncovered(lgr, keys, &named);
	smcr_lgr_links_put(&named);
	return err;
}

/* Note whether the peer's exchange waits for a continuation. Until that comes,
 * links do not change (3.5.5.3), but no longer than for the time of an answer:
 * a peer that sends none must not keep a lost link from being deleted.
 */
static void theirs_note(struct smcr_lgr *lgr)
{
	struct smcr_llc *llc = &lgr->llc;

	llc->theirs_deadline = 0;
	if (llc->theirs.left.left) {
		llc->theirs_deadline = smcr_llc_deadline(lgr);
		smcr_llc_step(lgr, SMCR_LLC_EV_PEER_RKEY);
	} else if (llc->flow.rkey_theirs) {
		smcr_llc_step(lgr, SMCR_LLC_EV_PEER_RKEY_DONE);
		/* For exchanges that had to wait */
		smcr_lgr_queue(lgr);
	}
}

static void theirs_drop(struct smcr_lgr *lgr)
{
	memset(&lgr->llc.theirs, 0, sizeof(lgr->llc.theirs));
	theirs_note(lgr);
}

/**
 * smcr_llc_rkey_late() - the peer's CONFIRM RKEY does not go on in time
 * @lgr: the group
 *
 * Links may change from now on, so a continuation that comes after all is
 * refused.
 *
 * Context: the group's work.
 */
void smcr_llc_rkey_late(struct smcr_lgr *lgr)
{
	lgr->llc.theirs_deadline = 0;
	/* A group that ends has no exchange any more. */
	if (!lgr->llc.flow.rkey_theirs)
		return;
	smcr_mib_inc(lgr->net, SMCR_MIB_LLCTIMEOUTS);
	smcr_llc_step(lgr, SMCR_LLC_EV_PEER_RKEY_DONE);
	smcr_lgr_queue(lgr);
}

/**
 * smcr_llc_rkey_answer() - reply to CONFIRM RKEY or its continuation
 * @link: the link that the request came over
 * @msg: the request
 * @negative: set Z: the RMB is refused, which ends the peer's exchange
 * @retry: set C: the peer may try again later
 *
 * Context: the group's work.
 */
void smcr_llc_rkey_answer(struct smcr_link *link,
			  const struct smcr_llc_msg *msg, bool negative,
			  bool retry)
{
	struct smcr_llc_msg reply = *msg;

	if (negative)
		theirs_drop(link->lgr);
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
	smcr_llc_rkey_flush(lgr);
	smcr_llc_step(lgr, SMCR_LLC_EV_RKEY_DONE);
	smcr_lgr_queue(lgr);
}

/* Does the peer have a key on each link that connections may use? */
static bool covers_links(struct smcr_lgr *lgr,
			 const struct smcr_llc_rkeys *keys)
{
	struct smcr_lgr_links links;
	unsigned int i;
	bool all = true, covered;
	u8 k;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++) {
		covered = links.link[i] == keys->link;
		for (k = 0; k < keys->n; k++)
			covered |= keys->other[k].link_num ==
				   links.link[i]->num;
		all &= covered;
	}
	smcr_lgr_links_put(&links);
	return all;
}

/* The peer knows the keys of an RMB on each link that connections may use. */
static void note_told(struct smcr_lgr *lgr, struct smcr_rmb *rmb)
{
	struct smcr_lgr_links links;
	unsigned int i;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++)
		rmb->maps[links.link[i]->slot].told = true;
	smcr_lgr_links_put(&links);
}

/* Our CONFIRM RKEY is over. @retry: it is to be sent again, since the links
 * have changed.
 */
static void confirm_rkey_done(struct smcr_lgr *lgr, bool negative, bool retry)
{
	struct smcr_llc *llc = &lgr->llc;
	struct smcr_rmb *rmb = llc->rmb;

	llc->rmb = NULL;
	/* A link that is being added was made for the RMBs that were confirmed
	 * by then: this one's key on it may be missing.
	 */
	if (!negative && (!covers_links(lgr, &llc->ours) ||
			  (llc->add.link && !llc->add.making)))
		retry = true;
	rkey_done(lgr);
	if (retry && ++llc->rkey_tries < RKEY_TRIES) {
		/* Links were changing; send it again later (A.3.5). */
		llc->rkey_retry_at = jiffies + RKEY_RETRY;
		return;
	}
	llc->rkey_tries = 0;
	if (negative || retry) {
		smcr_lgr_rmb_refused(lgr, rmb);
		return;
	}
	mutex_lock(&lgr->mutex);
	note_told(lgr, rmb);
	rmb->confirmed = true;
	WRITE_ONCE(rmb->idle_since, jiffies);
	mutex_unlock(&lgr->mutex);
	/* The RMB may stay unused; its time to linger starts now. */
	smcr_lgr_kick(lgr, SMCR_LGR_T_CLEAN);
	smcr_lgr_wake_rmb(lgr, rmb);
}

/* Send the next continuation of our CONFIRM RKEY, or end it. */
static void send_rest(struct smcr_lgr *lgr)
{
	struct smcr_llc_rkeys *keys = &lgr->llc.ours;
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_CONFIRM_RKEY_CONT,
		.rkey_cont.nr_left = keys->n - keys->told,
	};
	u8 n = min_t(u8, msg.rkey_cont.nr_left, SMCR_LLC_RKEY_CONT_OTHERS);

	if (!n) {
		confirm_rkey_done(lgr, false, false);
		return;
	}
	memcpy(msg.rkey_cont.other, keys->other + keys->told,
	       n * sizeof(*keys->other));
	keys->told += n;
	lgr->llc.rkey_deadline = smcr_llc_deadline(lgr);
	smcr_llc_send(keys->link, &msg, SMCR_LLC_COOKIE_RKEY);
}

/* Keys on more than two other links follow in continuations; the peer's RMB is
 * stored when all are known.
 */
static void confirm_rkey_request(struct smcr_link *link,
				 const struct smcr_llc_msg *msg)
{
	const struct smcr_llc_confirm_rkey *conf = &msg->confirm_rkey;
	struct smcr_llc_rkeys *keys = &link->lgr->llc.theirs;
	u8 n = min_t(u8, conf->nr_others, SMCR_LLC_CONFIRM_RKEY_OTHERS);
	int err;

	/* The peer may have lost the link that carried the first messages, and
	 * begins again over another one.
	 */
	if (keys->left.left && keys->link == link) {
		smcr_llc_broken(link, "CONFIRM RKEY within another one");
		return;
	}
	*keys = (struct smcr_llc_rkeys){
		.link = link,
		.rkey = conf->rkey,
		.vaddr = conf->vaddr,
		.n = n,
		.left = { .left = conf->nr_others - n, .started = true },
	};
	memcpy(keys->other, conf->other, n * sizeof(*keys->other));
	theirs_note(link->lgr);
	err = keys->left.left ? 0 : learn_keys(link->lgr, keys);
	smcr_llc_rkey_answer(link, msg, err,
			     err == -EAGAIN || err == -ENOMEM);
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

	if (!msg->reply)
		confirm_rkey_request(link, msg);
	else if (!lgr->llc.rmb ||
		 !smcr_llc_msg_answers(msg, &lgr->llc.rkey_request))
		smcr_llc_broken(link, "CONFIRM RKEY reply to nothing");
	else if (msg->confirm_rkey.negative)
		confirm_rkey_done(lgr, true, msg->confirm_rkey.retry);
	else
		send_rest(lgr);
}

static void rkey_cont_request(struct smcr_link *link,
			      const struct smcr_llc_msg *msg)
{
	struct smcr_llc_rkeys *keys = &link->lgr->llc.theirs;
	u8 n = min_t(u8, msg->rkey_cont.nr_left, SMCR_LLC_RKEY_CONT_OTHERS);
	int more;

	if (keys->link != link || !keys->left.left) {
		smcr_llc_broken(link, "CONFIRM RKEY CONTINUATION of nothing");
		return;
	}
	more = smcr_llc_countdown_next(&keys->left, msg->rkey_cont.nr_left,
				       SMCR_LLC_RKEY_CONT_OTHERS);
	if (more < 0 || keys->n + n > ARRAY_SIZE(keys->other)) {
		smcr_llc_broken(link, "CONFIRM RKEY CONTINUATION miscounts");
		return;
	}
	if (!link->lgr->llc.flow.rkey_theirs) {
		/* See smcr_llc_rkey_late(). */
		smcr_llc_rkey_answer(link, msg, true, false);
		return;
	}
	memcpy(keys->other + keys->n, msg->rkey_cont.other,
	       n * sizeof(*keys->other));
	keys->n += n;
	theirs_note(link->lgr);
	smcr_llc_rkey_answer(link, msg, !more && learn_keys(link->lgr, keys),
			     false);
}

/**
 * smcr_llc_rkey_cont() - handle CONFIRM RKEY CONTINUATION, a request or a reply
 * @link: the link that the message came over
 * @msg: the message
 *
 * Context: the group's work.
 */
void smcr_llc_rkey_cont(struct smcr_link *link, const struct smcr_llc_msg *msg)
{
	struct smcr_llc *llc = &link->lgr->llc;

	if (!msg->reply)
		rkey_cont_request(link, msg);
	else if (!llc->rmb || llc->ours.told <= SMCR_LLC_CONFIRM_RKEY_OTHERS)
		smcr_llc_broken(link, "CONFIRM RKEY CONTINUATION unasked");
	else if (msg->rkey_cont.negative)
		/* This reply has no flag C, and the peer may have begun to
		 * change links after it accepted the first keys.
		 */
		confirm_rkey_done(link->lgr, true, true);
	else
		send_rest(link->lgr);
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
	id = smcr_rtoken_find(lgr->rtokens, link->slot, rkey);
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
		smcr_lgr_rmbs_deleted(lgr, llc->ours.link->slot,
				      &llc->rkey_request.delete_rkey);
		llc->deleting = false;
		rkey_done(lgr);
		/* Another message may name more. */
		smcr_lgr_kick(lgr, SMCR_LGR_T_RMB_IDLE);
	} else {
		smcr_llc_broken(link, "DELETE RKEY reply to nothing");
	}
}

/* Note the keys of an RMB on all links that connections may use. */
static void note_keys(struct smcr_lgr *lgr, const struct smcr_rmb *rmb)
{
	struct smcr_llc_rkeys *keys = &lgr->llc.ours;
	const struct smcr_rmb_map *map;
	struct smcr_lgr_links links;
	unsigned int i;

	keys->rkey = rmb->maps[keys->link->slot].rkey;
	keys->vaddr = rmb->maps[keys->link->slot].iova;
	keys->n = 0;
	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++) {
		if (links.link[i] == keys->link)
			continue;
		map = &rmb->maps[links.link[i]->slot];
		keys->other[keys->n++] = (struct smcr_llc_link_rkey){
			.link_num = links.link[i]->num,
			.rkey = map->rkey,
			.vaddr = map->iova,
		};
	}
	smcr_lgr_links_put(&links);
}

/* May an exchange of ours begin? Not while a link that has failed here is being
 * deleted:
 *
 * - The peer should hear of the lost link first, and it refuses CONFIRM RKEY
 *   with C while a link is being deleted, which costs RKEY_RETRY.
 * - The failed link may have carried a CONFIRM RKEY that the peer has not
 *   handled, and that is repeated over another link now. When DELETE LINK is
 *   over, the peer handles no message of the link any more, so the first one
 *   cannot come last and leave the peer keys of an RMB that was deleted
 *   meanwhile.
 */
static bool may_start(const struct smcr_lgr *lgr)
{
	return smcr_llc_flow_may_start(&lgr->llc.flow) && !lgr->llc.n_due;
}

/* Begin an exchange of ours over an ACTIVE link. Return: false without one. */
static bool rkey_carrier(struct smcr_lgr *lgr)
{
	struct smcr_llc_rkeys *keys = &lgr->llc.ours;

	memset(keys, 0, sizeof(*keys));
	keys->link = smcr_lgr_link_carrier(lgr, NULL);
	return keys->link;
}

static void rkey_sent(struct smcr_lgr *lgr, const struct smcr_llc_msg *msg)
{
	lgr->llc.rkey_request = *msg;
	lgr->llc.rkey_deadline = smcr_llc_deadline(lgr);
	smcr_llc_step(lgr, SMCR_LLC_EV_RKEY_SENT);
}

/**
 * smcr_llc_rkey_flush() - forget our exchange in a group that ends
 * @lgr: the group
 *
 * Context: the group's work.
 */
void smcr_llc_rkey_flush(struct smcr_lgr *lgr)
{
	struct smcr_llc_rkeys *keys = &lgr->llc.ours;

	if (keys->link)
		smcr_link_put(keys->link);
	keys->link = NULL;
}

/**
 * smcr_llc_rkey_lost() - a link has failed, and others are ACTIVE
 * @link: the link
 *
 * An exchange of ours over the link starts again over another one: the peer may
 * have handled the request or not, and both exchanges may be repeated. One of
 * the peer's is dropped.
 *
 * Context: the group's work.
 */
void smcr_llc_rkey_lost(struct smcr_link *link)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_llc *llc = &lgr->llc;

	if (llc->theirs.link == link)
		theirs_drop(lgr);
	if (llc->ours.link != link || !llc->flow.rkey_ours)
		return;
	llc->rmb = NULL;
	llc->deleting = false;
	rkey_done(lgr);
	smcr_lgr_kick(lgr, SMCR_LGR_T_RMB_REG);
	smcr_lgr_kick(lgr, SMCR_LGR_T_RMB_IDLE);
}

/**
 * smcr_llc_confirm_rkey() - send CONFIRM RKEY for a new RMB (3.5.5.2.1)
 * @lgr: the group
 * @rmb: the RMB, registered
 *
 * Context: the group's work; the group's mutex is held.
 * Return: false if another exchange is under way, or the link has just failed;
 * the caller tries again after that.
 */
bool smcr_llc_confirm_rkey(struct smcr_lgr *lgr, struct smcr_rmb *rmb)
{
	struct smcr_llc_msg msg = { .type = SMCR_LLC_CONFIRM_RKEY };
	struct smcr_llc_rkeys *keys = &lgr->llc.ours;

	lockdep_assert_held(&lgr->mutex);
	if (lgr->llc.rmb == rmb)
		return true;
	if (!may_start(lgr))
		return false;
	if (!rkey_carrier(lgr))
		return true;
	note_keys(lgr, rmb);
	msg.confirm_rkey.rkey = keys->rkey;
	msg.confirm_rkey.vaddr = keys->vaddr;
	msg.confirm_rkey.nr_others = keys->n;
	keys->told = min_t(u8, keys->n, SMCR_LLC_CONFIRM_RKEY_OTHERS);
	memcpy(msg.confirm_rkey.other, keys->other,
	       keys->told * sizeof(*keys->other));
	if (smcr_llc_send(keys->link, &msg, SMCR_LLC_COOKIE_RKEY)) {
		smcr_llc_rkey_flush(lgr);
		return false;
	}
	smcr_mib_inc(lgr->net, SMCR_MIB_CONFIRMRKEYSENT);
	lgr->llc.rmb = rmb;
	rkey_sent(lgr, &msg);
	return true;
}

/* Was the RMB idle for long, or named by a DELETE RKEY that was lost? */
static bool may_delete(struct smcr_lgr *lgr, struct smcr_rmb *rmb)
{
	unsigned long when = smcr_lgr_rmb_idle_at(lgr, rmb);

	lockdep_assert_held(&lgr->mutex);
	if (rmb->deleting)
		return !rmb->forgotten;
	return when && time_after_eq(jiffies, when);
}

/* Return: an ACTIVE link, with a reference, on which the peer knows the RMB's
 * key, or NULL.
 */
static struct smcr_link *told_link(struct smcr_lgr *lgr,
				   const struct smcr_rmb *rmb)
{
	struct smcr_link *link = NULL;
	struct smcr_lgr_links links;
	unsigned int i;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n && !link; i++)
		if (rmb->maps[links.link[i]->slot].told)
			link = smcr_link_get(links.link[i]);
	smcr_lgr_links_put(&links);
	return link;
}

/* Note the keys of the RMBs to delete, on the link that carries the exchange.
 * A link that was added while a DELETE RKEY was under way is no carrier for the
 * repetition: the peer does not know the RMB's key there, and would not delete
 * its keys on the other links. An RMB whose keys the peer knows on no link is
 * forgotten. Return: true if there is one.
 */
static bool note_deleted(struct smcr_lgr *lgr,
			 struct smcr_llc_delete_rkey *del)
{
	struct smcr_llc_rkeys *keys = &lgr->llc.ours;
	bool forgotten = false;
	struct smcr_rmb *rmb;

	lockdep_assert_held(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list) {
		if (del->count == SMCR_LLC_DELETE_RKEYS)
			break;
		if (!may_delete(lgr, rmb))
			continue;
		if (!keys->link)
			keys->link = told_link(lgr, rmb);
		if (keys->link && !rmb->maps[keys->link->slot].told)
			continue;
		rmb->deleting = true;
		if (keys->link)
			del->rkey[del->count++] =
				rmb->maps[keys->link->slot].rkey;
		else
			rmb->forgotten = true;
		forgotten |= rmb->forgotten;
	}
	return forgotten;
}

/**
 * smcr_llc_delete_rkeys() - send DELETE RKEY for idle RMBs (3.5.5.2.2)
 * @lgr: the group
 *
 * One message names up to eight RMBs that were idle for net.smcr.rmb_linger_ms.
 *
 * Context: the group's work; the group's mutex is not held.
 * Return: false if another exchange is under way, or the link has just failed;
 * the caller tries again after that.
 */
bool smcr_llc_delete_rkeys(struct smcr_lgr *lgr)
{
	struct smcr_llc_msg msg = { .type = SMCR_LLC_DELETE_RKEY };
	struct smcr_llc_rkeys *keys = &lgr->llc.ours;
	bool forgotten;

	if (!may_start(lgr))
		return false;
	memset(keys, 0, sizeof(*keys));
	mutex_lock(&lgr->mutex);
	forgotten = note_deleted(lgr, &msg.delete_rkey);
	mutex_unlock(&lgr->mutex);
	if (forgotten)
		smcr_lgr_kick(lgr, SMCR_LGR_T_FREE);
	if (!keys->link)
		return true;
	if (smcr_llc_send(keys->link, &msg, SMCR_LLC_COOKIE_RKEY)) {
		smcr_llc_rkey_flush(lgr);
		return false;
	}
	lgr->llc.deleting = true;
	smcr_mib_inc(lgr->net, SMCR_MIB_DELETERKEYSENT);
	rkey_sent(lgr, &msg);
	return true;
}
