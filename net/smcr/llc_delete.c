// SPDX-License-Identifier: GPL-2.0
/*
 * DELETE LINK of one link, in both roles (RFC 7609 3.5.5.1.3, 3.5.5.1.4, A.3.4,
 * C.7.1).
 *
 * Only a server deletes a link; its requests wait in llc->due until no exchange
 * is under way. A client asks its server to delete a link that it has lost or
 * that its administrator deletes. The request stays in llc->due until the
 * server's DELETE LINK, or its answer that it has no such link, shows that the
 * server takes no more messages from the link.
 *
 * A lost link has failed before DELETE LINK names it. A link that an
 * administrator deletes, or that is not needed any more because symmetric links
 * use both its ports, is in use until the exchange is over ("orderly"):
 *
 *      server                                        client
 *        | <------ DELETE LINK, O, if it was asked here |
 *        | DELETE LINK, O ----------------------------> |
 *        | <----------------------------- DELETE LINK,R | fails the link
 *        | fails the link                               |
 *
 * Each end then treats the link like a lost one.
 *
 * A Linux peer does not survive an orderly deletion under load. When it gets
 * DELETE LINK, it moves its connections at once, and writes again what no
 * completion of the old link has confirmed by then. But it still takes later
 * completions for confirmations, and gives the send space of these bytes back
 * to its programs, so that newer bytes are written in the place of older ones.
 * So toward a Linux peer this end fails the link first, like a lost one. DELETE
 * LINK follows when the peer gets no acknowledgment over the link any more.
 *
 * In the middle of ADD LINK, a Linux client answers any DELETE LINK, gives the
 * new link up, and deletes no other link, whatever DELETE LINK names. So if its
 * server has lost the new link and others, the new one is deleted first. The
 * client leaves the exchange a little after its answer.
 */
#include <net/sock.h>

#include "lgr.h"
#include "lgr_links.h"
#include "link.h"
#include "llc_exchange.h"
#include "llc_msg.h"
#include "mib.h"

/* Time from the drain of a link until a Linux peer has handled acknowledgments
 * that were sent before; how long the drain may keep DELETE LINK; and time from
 * its answer until a Linux client has left the exchange. A message about links
 * that comes earlier is ignored.
 */
#define ACKS_LAND	msecs_to_jiffies(50)
#define QUIET_LIMIT	HZ
#define EXCHANGE_LEFT	(HZ / 4)

/* For how long DELETE LINK is repeated toward a Linux client that does not
 * answer it. Such a client has been seen to take tens of seconds to destroy a
 * link, and a Soft-RoCE adapter may take 50 s for the queue pair alone.
 */
#define ANSWER_LIMIT	(120 * HZ)

/* Fail a link that both ends have agreed to delete. */
static void delete_end(struct smcr_link *link, u32 reason)
{
	int err = -ECONNRESET;

	if (test_bit(SMCR_LINK_F_OPERATOR, &link->flags)) {
		err = -ECANCELED;
	} else if (reason == SMCR_LLC_DEL_ASYMMETRIC) {
		set_bit(SMCR_LINK_F_UNNEEDED, &link->flags);
		err = -EALREADY;
	}
	set_bit(SMCR_LINK_F_DELETED, &link->flags);
	smcr_link_fail(link, err);
}

/* Return: the new entry, or NULL if there is one for the link already, or no
 * room.
 */
static struct smcr_llc_due *due_add(struct smcr_llc *llc, u8 num, u32 reason,
				    bool orderly)
{
	struct smcr_llc_due *due = &llc->due[llc->n_due];
	u8 i;

	for (i = 0; i < llc->n_due; i++)
		if (llc->due[i].num == num)
			return NULL;
	if (llc->n_due == ARRAY_SIZE(llc->due))
		return NULL;
	*due = (struct smcr_llc_due){
		.num = num, .since = jiffies, .reason = reason,
		.orderly = orderly,
	};
	llc->n_due++;
	return due;
}

static void due_del(struct smcr_llc *llc, u8 i)
{
	llc->n_due--;
	memmove(llc->due + i, llc->due + i + 1,
		(llc->n_due - i) * sizeof(*llc->due));
}

/* Let the entry of the link that is being added go before all others. None of
 * them is under way.
 */
static void due_first(struct smcr_llc *llc, const struct smcr_llc_due *due)
{
	struct smcr_llc_due first = *due;
	u8 i;

	for (i = (u8)(due - llc->due); i; i--)
		llc->due[i] = llc->due[i - 1];
	llc->due[0] = first;
}

/* Let an entry wait until a Linux peer gets no acknowledgment over the link
 * any more.
 */
static void due_await_quiet(const struct smcr_lgr *lgr,
			    struct smcr_llc_due *due)
{
	if (lgr->dialect != SMCR_DIALECT_LINUX)
		return;
	due->awaits_quiet = true;
	due->go_at = jiffies + QUIET_LIMIT;
}

/* Has an entry waited long enough? */
static bool due_ready(struct smcr_lgr *lgr, struct smcr_llc_due *due)
{
	struct smcr_link *link;

	if (!due->awaits_quiet)
		return true;
	link = smcr_lgr_link_by_num(lgr, due->num);
	if (!due->quiet &&
	    (!link || test_bit(SMCR_LINK_F_QUIET, &link->flags))) {
		due->quiet = true;
		due->go_at = jiffies + ACKS_LAND;
	}
	if (link)
		smcr_link_put(link);
	due->awaits_quiet = time_before(jiffies, due->go_at);
	return !due->awaits_quiet;
}

/* The peer has left a link, and asks for its deletion. */
static void due_peer_left(struct smcr_llc *llc, u8 num)
{
	u8 i;

	for (i = 0; i < llc->n_due; i++) {
		if (llc->due[i].num != num)
			continue;
		llc->due[i].quiet = true;
		llc->due[i].awaits_quiet = false;
	}
}

/**
 * smcr_llc_delete_timer() - when does a DELETE LINK have to wait no longer?
 * @lgr: the group
 *
 * Context: the group's work.
 * Return: in jiffies, 0 if none waits.
 */
unsigned long smcr_llc_delete_timer(struct smcr_lgr *lgr)
{
	struct smcr_llc *llc = &lgr->llc;
	unsigned long next = llc->due_at;
	u8 i;

	if (next && time_after_eq(jiffies, next)) {
		next = 0;
		llc->due_at = 0;
		smcr_lgr_queue(lgr);
	}
	for (i = 0; i < llc->n_due; i++) {
		struct smcr_llc_due *due = &llc->due[i];

		if (!due->awaits_quiet)
			continue;
		if (due_ready(lgr, due))
			smcr_lgr_queue(lgr);
		else if (!next || time_before(due->go_at, next))
			next = due->go_at;
	}
	return next;
}

/* Return: the new entry, or NULL. */
static struct smcr_llc_due *delete_later(struct smcr_lgr *lgr, u8 num,
					 u32 reason, bool orderly)
{
	struct smcr_llc_due *due = due_add(&lgr->llc, num, reason, orderly);

	if (due)
		smcr_lgr_queue(lgr);
	return due;
}

/* Client: ask the server to delete a link. */
static void ask_delete(struct smcr_lgr *lgr, struct smcr_llc_due *due)
{
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_DELETE_LINK,
		.delete_link = {
			.link_num = due->num,
			.reason = due->reason,
			.orderly = due->orderly,
		},
	};
	struct smcr_link *gone = smcr_lgr_link_by_num(lgr, due->num);
	struct smcr_link *carrier = smcr_lgr_link_carrier(lgr, gone);

	if (gone)
		smcr_link_put(gone);
	if (!carrier)
		return;
	due->carrier = carrier;
	lgr->llc.ask_deadline = smcr_llc_deadline(lgr);
	if (!smcr_llc_send(carrier, &msg, SMCR_LLC_COOKIE_NONE))
		smcr_mib_inc(lgr->net, SMCR_MIB_DELETELINKSENT);
	smcr_link_put(carrier);
}

/* Client: ask the server to delete the links for which this is due. */
static void ask_due(struct smcr_lgr *lgr)
{
	struct smcr_llc *llc = &lgr->llc;
	u8 i;

	for (i = 0; i < llc->n_due; i++)
		if (!llc->due[i].carrier && due_ready(lgr, &llc->due[i]))
			ask_delete(lgr, &llc->due[i]);
}

/* Client: the server has deleted a link, or has no such link. */
static void asked_done(struct smcr_lgr *lgr, u8 num)
{
	struct smcr_llc *llc = &lgr->llc;
	u8 i;

	for (i = 0; i < llc->n_due; i++) {
		if (llc->due[i].num != num)
			continue;
		due_del(llc, i);
		if (!llc->n_due)
			llc->ask_deadline = 0;
		/* For CONFIRM RKEY and DELETE RKEY that had to wait */
		smcr_lgr_queue(lgr);
		return;
	}
}

/**
 * smcr_llc_ask_again() - repeat the requests that a failed link carried
 * @lgr: the group, of a client; does nothing in a server
 * @link: the link
 *
 * Context: the group's work.
 */
void smcr_llc_ask_again(struct smcr_lgr *lgr, const struct smcr_link *link)
{
	struct smcr_llc *llc = &lgr->llc;
	u8 i;

	if (lgr->role != SMCR_CLIENT)
		return;
	for (i = 0; i < llc->n_due; i++)
		if (llc->due[i].carrier == link)
			ask_delete(lgr, &llc->due[i]);
}

/* Keep a link that works after all: no other one is left. */
static void keep(struct smcr_link *link)
{
	clear_bit(SMCR_LINK_F_ASKED, &link->flags);
	clear_bit(SMCR_LINK_F_OPERATOR, &link->flags);
}

/* The server has not deleted a link in time. */
static void delete_alone(struct smcr_lgr *lgr, struct smcr_link *link)
{
	struct smcr_link *other = smcr_lgr_link_carrier(lgr, link);

	if (!other) {
		keep(link);
		return;
	}
	smcr_link_fail(link, -ECANCELED);
	smcr_link_put(other);
}

/**
 * smcr_llc_ask_timeout() - the server does not delete a link (client)
 * @lgr: the group
 *
 * The server may wait for the end of another exchange, so the missing DELETE
 * LINK does not show that the link which carried the request has failed. TEST
 * LINK does. The server may keep a lost link until it notices the failure by
 * itself. A link that an administrator deletes fails here.
 *
 * Context: the group's work.
 */
void smcr_llc_ask_timeout(struct smcr_lgr *lgr)
{
	struct smcr_lgr_links links;
	unsigned int i;

	smcr_mib_inc(lgr->net, SMCR_MIB_LLCTIMEOUTS);
	lgr->llc.ask_deadline = 0;
	/* Those without a carrier are still to be sent. */
	for (i = lgr->llc.n_due; i--;)
		if (lgr->llc.due[i].carrier)
			due_del(&lgr->llc, i);
	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++)
		if (test_bit(SMCR_LINK_F_ASKED, &links.link[i]->flags))
			delete_alone(lgr, links.link[i]);
	smcr_lgr_links_put(&links);
	smcr_lgr_links_doubtful(lgr);
	smcr_lgr_queue(lgr);
}

/**
 * smcr_llc_tell_lost() - tell the peer that a link has failed
 * @lgr: the group
 * @link: the link, or one that was to be added
 * @used: connections may have used the link
 *
 * Context: the group's work.
 */
void smcr_llc_tell_lost(struct smcr_lgr *lgr, const struct smcr_link *link,
			bool used)
{
	struct smcr_llc_due *due;
	u32 reason = SMCR_LLC_DEL_LOST_PATH;

	if (test_bit(SMCR_LINK_F_OPERATOR, &link->flags))
		reason = SMCR_LLC_DEL_OPERATOR;
	due = delete_later(lgr, link->num, reason, false);
	if (due && used)
		due_await_quiet(lgr, due);
	else if (due)
		due_first(&lgr->llc, due);
	if (lgr->role == SMCR_CLIENT)
		ask_due(lgr);
}

/**
 * smcr_llc_tell_undone() - tell a Linux client that a link will not be added
 * @lgr: the group of a server
 * @num: number of the link, which this end has given up
 *
 * The client is in the middle of ADD LINK, so this goes before the others.
 *
 * Context: the group's work.
 */
void smcr_llc_tell_undone(struct smcr_lgr *lgr, u8 num)
{
	struct smcr_llc_due *due;

	due = delete_later(lgr, num, SMCR_LLC_DEL_LOST_PATH, false);
	if (due && lgr->llc.flow.step != SMCR_LLC_DELETE)
		due_first(&lgr->llc, due);
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
		due_peer_left(&lgr->llc, gone->num);
		if (!msg->orderly)
			smcr_link_fail(gone, -ECONNRESET);
		goto out;
	}
	if (lgr->role == SMCR_CLIENT)
		asked_done(lgr, msg->link_num);
	if (!gone)
		reply.delete_link.reason = SMCR_LLC_DEL_NO_LINK;
	/* The reply must not be flushed with the link that it names. Otherwise
	 * it takes the link of the request, because another link may have
	 * failed at the peer, which would then miss the reply.
	 */
	smcr_llc_send(gone == link && carrier ? carrier : link, &reply,
		      SMCR_LLC_COOKIE_NONE);
	if (gone && !carrier) {
		smcr_lgr_terminate(lgr, SMCR_RESET_LINK_DOWN, ECONNRESET);
		goto out;
	}
	if (gone && gone == lgr->llc.add.link)
		smcr_llc_add_failed(lgr, false);
	else if (gone)
		delete_end(gone, msg->reason);
	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING &&
	    lgr->llc.flow.step == SMCR_LLC_IDLE)
		smcr_llc_ready(lgr);
out:
	if (gone)
		smcr_link_put(gone);
	if (carrier)
		smcr_link_put(carrier);
}

static void due_forget(struct smcr_lgr *lgr)
{
	struct smcr_link *link;

	link = smcr_lgr_link_by_num(lgr, lgr->llc.due[0].num);
	due_del(&lgr->llc, 0);
	/* For the next entry, and for exchanges that had to wait */
	smcr_lgr_queue(lgr);
	if (!link)
		return;
	keep(link);
	smcr_link_put(link);
}

static void delete_done(struct smcr_lgr *lgr)
{
	struct smcr_llc *llc = &lgr->llc;
	struct smcr_link *link = smcr_lgr_link_by_num(lgr, llc->due[0].num);
	u32 reason = llc->due[0].reason;

	if (llc->flow.step == SMCR_LLC_DELETE)
		smcr_llc_step(lgr, SMCR_LLC_EV_DELETE_DONE);
	if (lgr->dialect == SMCR_DIALECT_LINUX)
		llc->due_at = jiffies + EXCHANGE_LEFT;
	due_del(llc, 0);
	/* The next one has had to wait for this one. */
	if (llc->n_due)
		llc->due[0].since = jiffies;
	if (link) {
		delete_end(link, reason);
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
	else if (lgr->role == SMCR_CLIENT)
		asked_done(lgr, msg->delete_link.link_num);
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
 * smcr_llc_delete_late() - a Linux client answers a DELETE LINK that is to be
 *	repeated
 * @lgr: the group
 * @msg: a message
 *
 * Context: the group's work.
 * Return: true if @msg is that answer.
 */
bool smcr_llc_delete_late(struct smcr_lgr *lgr, const struct smcr_llc_msg *msg)
{
	const struct smcr_llc *llc = &lgr->llc;

	if (lgr->dialect != SMCR_DIALECT_LINUX || lgr->role != SMCR_SERVER ||
	    msg->type != SMCR_LLC_DELETE_LINK || !msg->reply ||
	    llc->flow.step != SMCR_LLC_IDLE || !llc->n_due ||
	    llc->due[0].num != msg->delete_link.link_num ||
	    !smcr_llc_msg_answers(msg, &llc->link_request))
		return false;
	delete_done(lgr);
	return true;
}

/**
 * smcr_llc_add_undone() - the client's end of a link that is being added has
 *	failed
 * @lgr: the group
 * @msg: a message
 *
 * The client has left the exchange that adds the link, so its DELETE LINK does
 * not wait for the end of that exchange, which could only be the deadline that
 * fails the carrier. A group that ends has left the exchange, too.
 *
 * Context: the group's work.
 * Return: true if @msg is that DELETE LINK; the server's own one follows.
 */
bool smcr_llc_add_undone(struct smcr_lgr *lgr, const struct smcr_llc_msg *msg)
{
	const struct smcr_link *new = lgr->llc.add.link;

	if (lgr->role != SMCR_SERVER || !new || msg->reply ||
	    msg->type != SMCR_LLC_DELETE_LINK || msg->delete_link.all ||
	    msg->delete_link.link_num != new->num ||
	    lgr->llc.flow.step == SMCR_LLC_CLOSING)
		return false;
	smcr_llc_add_failed(lgr, true);
	return true;
}

/* Is the DELETE LINK that is due first without a cause by now? A link that
 * works stays if no other one is left, or if a link that had replaced it has
 * failed meanwhile.
 */
static bool due_moot(struct smcr_lgr *lgr, const struct smcr_link *carrier)
{
	const struct smcr_llc_due *due = &lgr->llc.due[0];

	if (!carrier || !due->orderly)
		return due->orderly;
	return due->reason == SMCR_LLC_DEL_ASYMMETRIC &&
	       !smcr_lgr_link_unneeded(lgr, due->num);
}

/* Toward a Linux peer, fail a link that works before DELETE LINK names it,
 * unless the peer has left the link already. Return: false if DELETE LINK has
 * to wait.
 */
static bool due_left(struct smcr_lgr *lgr)
{
	struct smcr_llc_due *due = &lgr->llc.due[0];
	struct smcr_link *link;

	if (lgr->dialect != SMCR_DIALECT_LINUX || !due->orderly || due->quiet)
		return due_ready(lgr, due);
	due->orderly = false;
	due_await_quiet(lgr, due);
	link = smcr_lgr_link_by_num(lgr, due->num);
	if (link) {
		delete_end(link, due->reason);
		smcr_link_put(link);
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

/* Server: send the DELETE LINK that is due first over @carrier. */
static void delete_send(struct smcr_lgr *lgr, struct smcr_link *carrier)
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

	if (smcr_llc_send(carrier, &msg, SMCR_LLC_COOKIE_STEP))
		return;
	llc->link_request = msg;
	llc->delete_carrier = carrier;
	smcr_mib_inc(lgr->net, SMCR_MIB_DELETELINKSENT);
	smcr_llc_step(lgr, SMCR_LLC_EV_DELETE_SENT);
	WRITE_ONCE(llc->step_deadline, smcr_llc_deadline(lgr));
}

/**
 * smcr_llc_delete_again() - a Linux client has not answered DELETE LINK in time
 * @lgr: the group of a server
 * @carrier: an ACTIVE link that DELETE LINK does not name
 *
 * A Linux client answers when it has destroyed its end of the link. How long
 * that takes depends on its adapter: with Soft-RoCE, until a port that is down
 * comes up, at most 50 s. Meanwhile it uses its other links, and answers TEST
 * LINK; or it has ignored DELETE LINK. So DELETE LINK is repeated, and its
 * requests that had to wait for the end of this exchange are answered before
 * that.
 *
 * This end has left the link, so the missing answer hurts no connection. But as
 * long as the answer is awaited, the group gets neither a further link nor an
 * RMB. After ANSWER_LIMIT none will come; the carrier is in order, or else TEST
 * LINK fails it. So the group goes on as if the answer had come. One that comes
 * after all is ignored.
 *
 * Context: the group's work.
 */
void smcr_llc_delete_again(struct smcr_lgr *lgr, struct smcr_link *carrier)
{
	struct smcr_llc *llc = &lgr->llc;

	smcr_lgr_link_doubtful(carrier);
	if (time_after_eq(jiffies, llc->due[0].since + ANSWER_LIMIT)) {
		smcr_mib_inc(lgr->net, SMCR_MIB_DELETELINKUNANSWERED);
		delete_done(lgr);
		return;
	}
	smcr_llc_step(lgr, SMCR_LLC_EV_DELETE_DONE);
	llc->due_at = smcr_llc_deadline(lgr);
}

/**
 * smcr_llc_delete_go() - send the DELETE LINK that is due first (server), or
 *	those that waited (client)
 * @lgr: the group
 *
 * Context: the group's work.
 */
void smcr_llc_delete_go(struct smcr_lgr *lgr)
{
	struct smcr_llc *llc = &lgr->llc;
	struct smcr_link *carrier;

	if (lgr->role == SMCR_CLIENT) {
		ask_due(lgr);
		return;
	}
	if (!llc->n_due || !smcr_llc_flow_may_change(&llc->flow) ||
	    (llc->due_at && time_before(jiffies, llc->due_at)))
		return;
	carrier = smcr_llc_delete_carrier(lgr);
	if (due_moot(lgr, carrier))
		due_forget(lgr);
	else if (carrier && due_left(lgr))
		delete_send(lgr, carrier);
	if (carrier)
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

/* A client fails the link at the deadline if the server has not deleted it; and
 * at once, if that is a Linux host.
 */
static void delete_asked(struct smcr_lgr *lgr, struct smcr_link *link)
{
	if (lgr->role == SMCR_CLIENT && lgr->dialect == SMCR_DIALECT_LINUX) {
		delete_alone(lgr, link);
		return;
	}
	delete_later(lgr, link->num, SMCR_LLC_DEL_OPERATOR, true);
	if (lgr->role == SMCR_CLIENT)
		ask_due(lgr);
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

/**
 * smcr_llc_delete_unneeded() - delete a link that symmetric links have replaced
 * @link: an ACTIVE link of a server's group
 *
 * Context: the group's work.
 */
void smcr_llc_delete_unneeded(struct smcr_link *link)
{
	struct smcr_lgr *lgr = link->lgr;

	if (test_bit(SMCR_LINK_F_ASKED, &link->flags) ||
	    !due_add(&lgr->llc, link->num, SMCR_LLC_DEL_ASYMMETRIC, true))
		return;
	set_bit(SMCR_LINK_F_ASKED, &link->flags);
	smcr_lgr_queue(lgr);
}
