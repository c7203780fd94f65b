/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LLC exchanges of a link group (RFC 7609 3.5.5, A.3, C.7).
 */
#ifndef _SMCR_LLC_H
#define _SMCR_LLC_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "llc_flow.h"

struct smcr_lgr;
struct smcr_link;
struct smcr_rmb;
struct smcr_wr_recv;

/**
 * struct smcr_llc - LLC state of a group
 * @lock: protects @queue; leaf, any context but hard irq
 * @queue: received messages in their receive slots, oldest first
 * @pace_at: jiffy for which @pace_left holds
 * @pace_left: messages that the group's work may still handle in that jiffy
 * @held: messages that wait until the exchange under way is over (3.5.5.3)
 * @flow: exchanges under way
 * @confirm_sent: our CONFIRM LINK of the first contact was delivered, so a
 *	Decline is no longer possible (C.2). Set in softirq, read by handshakes
 * @timed_out: the exchange that changes links was not answered in time; read
 *	by handshakes
 * @step_deadline: jiffies when the exchange that changes links has failed, 0
 *	for no deadline; the first one is set by a handshake
 * @rkey_deadline: jiffies when our CONFIRM RKEY or DELETE RKEY has failed
 *	(C.7), 0 for no deadline
 * @rmb: RMB of our CONFIRM RKEY under way, or NULL; no reference: it stays on
 *	the group's list meanwhile
 * @link_request: our last request that changes links
 * @rkey_request: our last CONFIRM RKEY or DELETE RKEY
 * @test_request: our last TEST LINK, with the random bytes that the reply must
 *	repeat (A.3.8)
 * @rkey_retry_at: jiffies when a CONFIRM RKEY that the peer refused with C is
 *	sent again, 0 for never
 * @rkey_tries: refusals with C in a row
 * @deleting: our DELETE RKEY is under way; it names the RMBs marked deleting
 * @add_link: server: the link offered with ADD LINK, with a reference
 * @delete_moot: the exchange of the DELETE LINK in @link_request is over, but
 *	the peer may still answer it
 * @test_sent: a TEST LINK of ours is unanswered
 * @test_deadline: jiffies when the link of that TEST LINK has failed (C.7.1)
 * @test_sends: sends of that link before the TEST LINK; its reply shows that
 *	the peer has handled them
 *
 * Only the group's work uses the fields from @pace_at on, but for those whose
 * description names another context.
 */
struct smcr_llc {
	spinlock_t		lock;
	struct list_head	queue;
	unsigned long		pace_at;
	u32			pace_left;
	struct list_head	held;
	struct smcr_llc_flow	flow;
	bool			confirm_sent;
	bool			timed_out;
	unsigned long		step_deadline;
	unsigned long		rkey_deadline;
	struct smcr_rmb		*rmb;
	bool			deleting;
	struct smcr_link	*add_link;
	bool			delete_moot;
	bool			test_sent;
	unsigned long		test_deadline;
	u32			test_sends;
	struct smcr_llc_msg	link_request;
	struct smcr_llc_msg	rkey_request;
	struct smcr_llc_msg	test_request;
	unsigned long		rkey_retry_at;
	u32			rkey_tries;
};

/* Cookies of LLC messages, by which smcr_llc_sent() tells them apart */
enum smcr_llc_cookie {
	SMCR_LLC_COOKIE_NONE,
	SMCR_LLC_COOKIE_CONFIRM,
	SMCR_LLC_COOKIE_DELETE_ALL,
};

void smcr_llc_init(struct smcr_lgr *lgr);
void smcr_llc_flush(struct smcr_lgr *lgr);
void smcr_llc_process(struct smcr_lgr *lgr);
unsigned long smcr_llc_timers(struct smcr_lgr *lgr);
void smcr_llc_first_contact(struct smcr_lgr *lgr);
int __must_check smcr_llc_confirm_link(struct smcr_lgr *lgr);
void smcr_llc_await_confirm(struct smcr_lgr *lgr);
bool __must_check smcr_llc_confirm_rkey(struct smcr_lgr *lgr,
					struct smcr_rmb *rmb);
bool __must_check smcr_llc_delete_rkeys(struct smcr_lgr *lgr);
void smcr_llc_test_now(struct smcr_lgr *lgr);
void smcr_llc_delete_all(struct smcr_lgr *lgr, u32 reason);
void smcr_llc_hurry(struct smcr_lgr *lgr);

/* Between llc.c and llc_rkey.c */
unsigned long smcr_llc_deadline(const struct smcr_lgr *lgr);
void smcr_llc_step(struct smcr_lgr *lgr, enum smcr_llc_event event);
int smcr_llc_send(struct smcr_link *link, const struct smcr_llc_msg *msg,
		  enum smcr_llc_cookie cookie);
void smcr_llc_broken(struct smcr_link *link, const char *what);
void smcr_llc_rkey_answer(struct smcr_link *link,
			  const struct smcr_llc_msg *msg, bool negative,
			  bool retry);
void smcr_llc_rkey_confirm(struct smcr_link *link,
			   const struct smcr_llc_msg *msg);
void smcr_llc_rkey_delete(struct smcr_link *link,
			  const struct smcr_llc_msg *msg);

/* Events from the link layer, softirq */
void smcr_llc_recv(struct smcr_wr_recv *recv);
void smcr_llc_sent(struct smcr_link *link, u32 cookie, int err);

#endif /* _SMCR_LLC_H */
