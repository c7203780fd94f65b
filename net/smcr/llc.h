/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LLC exchanges of a link group (RFC 7609 3.5.5, A.3, C.7).
 */
#ifndef _SMCR_LLC_H
#define _SMCR_LLC_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "lgr_policy.h"
#include "llc_flow.h"
#include "wr.h"

struct smcr_lgr;
struct smcr_link;
struct smcr_rmb;

/**
 * struct smcr_llc_test - the TEST LINK of one link
 * @sent: a TEST LINK of ours is unanswered
 * @spared_at: jiffies when the port of a group's only link went down last, or 0
 * @deadline: jiffies when the link has failed without a reply (C.7.1)
 * @delivered: jiffies when the peer's adapter had received the TEST LINK, or 0
 *	before; set in softirq
 * @sends: sends of the link before the TEST LINK; its reply shows that the peer
 *	has handled them
 * @request: the TEST LINK, with the random bytes that the reply must repeat
 *	(A.3.8)
 */
struct smcr_llc_test {
	bool			sent;
	unsigned long		spared_at;
	unsigned long		deadline;
	unsigned long		delivered;
	u32			sends;
	struct smcr_llc_msg	request;
};

/**
 * struct smcr_llc_rkeys - keys of one RMB on several links, the subject of a
 *	CONFIRM RKEY with its continuations (A.3.5, A.3.6)
 * @link: link that carries the exchange; of ours with a reference, of the
 *	peer's only for comparison
 * @rkey: key on @link
 * @vaddr: address on @link
 * @n: entries of @other
 * @told: entries of @other that were sent; not used for the peer's exchange
 * @left: what is left of the peer's exchange; not used for ours
 * @other: the RMB on the other links
 */
struct smcr_llc_rkeys {
	struct smcr_link		*link;
	u32				rkey;
	u64				vaddr;
	u8				n;
	u8				told;
	struct smcr_llc_countdown	left;
	struct smcr_llc_link_rkey	other[SMCR_MAX_LINKS - 1];
};

/**
 * struct smcr_llc_add - the exchange that adds a link (3.5.5.1.1)
 * @link: the new link, with a reference, or NULL: no such exchange, or ADD LINK
 *	has offered nothing
 * @carrier: link that carries the exchange, with a reference
 * @making: this end of @link is not made yet, so the peer does not know of it
 * @spare: @link is on a port that no link uses
 * @far: the local port of @link is not on the peer's LAN by its addresses
 * @pairs: keys of the local RMBs, told in continuations; NULL until the RMBs
 *	are registered on @link
 * @n_pairs: entries of @pairs
 * @told: entries of @pairs that were sent
 * @left: what is left of the peer's continuations
 */
struct smcr_llc_add {
	struct smcr_link		*link;
	struct smcr_link		*carrier;
	bool				making;
	bool				spare;
	bool				far;
	struct smcr_llc_pair		*pairs;
	u8				n_pairs;
	u8				told;
	struct smcr_llc_countdown	left;
};

/**
 * struct smcr_llc_due - a DELETE LINK of one link that is not over
 * @num: number of the link
 * @since: jiffies when it became the first one that is to be sent
 * @reason: reason code
 * @orderly: flag O
 * @awaits_quiet: a Linux peer may still get acknowledgments over the link, so
 *	the message waits until @go_at, in jiffies
 * @quiet: it gets no new ones: the link is drained, or the peer has left it
 * @go_at: see @awaits_quiet
 * @carrier: client: link that carried the request, only for comparison, or NULL
 */
struct smcr_llc_due {
	u8			num;
	unsigned long		since;
	u32			reason;
	bool			orderly;
	bool			awaits_quiet;
	bool			quiet;
	unsigned long		go_at;
	const struct smcr_link	*carrier;
};

/**
 * struct smcr_llc - LLC state of a group
 * @lock: protects @queue; leaf, any context but hard irq
 * @queue: received messages in their receive slots, oldest first
 * @pace_at: jiffy for which @pace_left holds
 * @pace_left: messages that the group's work may still handle in that jiffy
 * @held: messages that wait until the exchange under way is over (3.5.5.3)
 * @held_due: something has happened that @held may have waited for
 * @flow: exchanges under way
 * @confirm_sent: our CONFIRM LINK of the first contact was delivered, so a
 *	Decline is no longer possible (C.2). Set in softirq, read by handshakes
 * @probe: data area of the element that the peer has named to the handshake;
 *	constant once @probe_due is set
 * @probe_due: a full packet goes there before a message, see probe_goes(); set
 *	by the handshake, cleared by the sender of the message
 * @probe_late: server: after CONFIRM LINK, for Linux; set before the Accept
 * @step_deadline: jiffies when the exchange that changes links has failed, or
 *	0; the first one is set by a handshake
 * @step_delivered: jiffies when the peer's adapter had received our last
 *	message of that exchange, or 0 before; set in softirq
 * @timed_out: it was not answered in time; read by handshakes
 * @rkey_deadline: jiffies when our CONFIRM RKEY or DELETE RKEY has failed, or 0
 * @rkey_delivered: as @step_delivered
 * @rmb: RMB of our CONFIRM RKEY under way, or NULL; it stays on lgr->rmbs
 * @ours: the keys of our CONFIRM RKEY; its link also carries our DELETE RKEY
 * @theirs: the keys that the peer's CONFIRM RKEY has named so far
 * @theirs_deadline: jiffies until which that keeps links from changing, or 0
 * @link_request: our last request that changes links
 * @rkey_request: our last CONFIRM RKEY or DELETE RKEY
 * @test: TEST LINK by slot
 * @rkey_retry_at: jiffies when a CONFIRM RKEY refused with C is repeated, or 0
 * @rkey_tries: refusals with C in a row
 * @deleting: our DELETE RKEY is under way; it names the RMBs marked deleting
 * @add: the exchange that adds a link
 * @withdrawn: server: links of offers that a Linux client has not answered
 * @add_failures: exchanges in a row that have added no link
 * @tried: client: GIDs of the server's ends of those exchanges, the last ones
 * @n_tried: client: number of those exchanges
 * @add_counted: smcr_lgr_grow.tries counts the try that is under way
 * @far_failures: of these, those with a port that is not on the peer's LAN by
 *	its addresses, at most SMCR_LLC_FAR_TRIES
 * @far_works: the group has had a link with such a port
 * @look_again: the first contact has not tried each port that may be spare
 * @add_asked: server: the client's request for a link is not answered yet
 * @asked_gid: the GID in that request
 * @add_missed: client: an offer was refused, as a port was not ready, no link
 *	could be made, or there were too many; so the server has to be asked
 * @offers_at: client: jiffies when a second began for which @n_offers counts
 * @n_offers: client: offers in that second that were agreed to
 * @retire_at: server: jiffies when replaced asymmetric links are deleted, or 0
 * @n_due: entries of @due; while there is one, no CONFIRM RKEY or DELETE RKEY
 *	of ours begins, see may_start() in llc_rkey.c
 * @due: server: links to delete; the first one's exchange is under way in step
 *	DELETE. Client: links that the server was asked to delete
 * @due_at: server: jiffies before which a Linux peer gets no ADD LINK and no
 *	DELETE LINK, or 0
 * @ask_deadline: client: jiffies when it no longer waits for that, or 0
 * @delete_carrier: link that carries our DELETE LINK, only for comparison
 * @delete_moot: the DELETE LINK in @link_request is over, but not answered
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
	bool			held_due;
	struct smcr_llc_flow	flow;
	bool			confirm_sent;
	struct smcr_wr_probe	probe;
	bool			probe_due;
	bool			probe_late;
	unsigned long		step_deadline;
	unsigned long		step_delivered;
	bool			timed_out;
	unsigned long		rkey_deadline;
	unsigned long		rkey_delivered;
	struct smcr_rmb		*rmb;
	struct smcr_llc_rkeys	ours;
	struct smcr_llc_rkeys	theirs;
	unsigned long		theirs_deadline;
	bool			deleting;
	struct smcr_llc_add	add;
	struct smcr_link_nums	withdrawn;
	u32			add_failures;
	u8			tried[SMCR_MAX_LINKS][SMCR_GID_LEN];
	u32			n_tried;
	bool			add_counted;
	u8			far_failures;
	bool			far_works;
	bool			look_again;
	bool			add_asked;
	u8			asked_gid[SMCR_GID_LEN];
	bool			add_missed;
	unsigned long		offers_at;
	u32			n_offers;
	unsigned long		retire_at;
	u8			n_due;
	struct smcr_llc_due	due[SMCR_MAX_LINKS];
	unsigned long		due_at;
	unsigned long		ask_deadline;
	const struct smcr_link	*delete_carrier;
	bool			delete_moot;
	struct smcr_llc_test	test[SMCR_MAX_LINKS];
	struct smcr_llc_msg	link_request;
	struct smcr_llc_msg	rkey_request;
	unsigned long		rkey_retry_at;
	u32			rkey_tries;
};

void smcr_llc_init(struct smcr_lgr *lgr);
void smcr_llc_flush(struct smcr_lgr *lgr);
void smcr_llc_process(struct smcr_lgr *lgr);
unsigned long smcr_llc_timers(struct smcr_lgr *lgr);
void smcr_llc_first_contact(struct smcr_lgr *lgr);
void smcr_llc_probe(struct smcr_lgr *lgr, const struct smcr_wr_probe *probe);
int __must_check smcr_llc_confirm_link(struct smcr_lgr *lgr);
void smcr_llc_await_confirm(struct smcr_lgr *lgr);
bool __must_check smcr_llc_confirm_rkey(struct smcr_lgr *lgr,
					struct smcr_rmb *rmb);
bool __must_check smcr_llc_delete_rkeys(struct smcr_lgr *lgr);
void smcr_llc_delete_all(struct smcr_lgr *lgr, u32 reason);
void smcr_llc_hurry(struct smcr_lgr *lgr);
void smcr_llc_link_lost(struct smcr_link *link);

/* llc_test.c */
void smcr_llc_test_now(struct smcr_lgr *lgr);
bool smcr_llc_testing(const struct smcr_lgr *lgr);

/* llc_add.c */
void smcr_llc_add_start(struct smcr_lgr *lgr);
bool smcr_llc_add_near(const struct smcr_lgr *lgr);
bool smcr_llc_add_makes(const struct smcr_link *link);
void smcr_llc_add_go(struct smcr_lgr *lgr);

/* llc_delete.c */
void smcr_llc_delete_go(struct smcr_lgr *lgr);
int __must_check smcr_llc_delete_ask(struct smcr_link *link);
void smcr_llc_delete_links(struct smcr_lgr *lgr);
void smcr_llc_delete_unneeded(struct smcr_link *link);

/* Events from the link layer, softirq */
void smcr_llc_recv(struct smcr_wr_recv *recv);
void smcr_llc_sent(struct smcr_link *link, u32 cookie, int err);

#endif /* _SMCR_LLC_H */
