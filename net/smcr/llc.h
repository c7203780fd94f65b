/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LLC exchanges of a link group (RFC 7609 3.5.5, A.3, C.7).
 */
#ifndef _SMCR_LLC_H
#define _SMCR_LLC_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct smcr_lgr;
struct smcr_link;
struct smcr_rmb;
struct smcr_wr_recv;

/* The one exchange of ours that may be under way in a group (3.5.5.3). */
enum smcr_llc_xchg {
	SMCR_LLC_X_NONE,
	SMCR_LLC_X_WAIT_CONFIRM,	/* client: server's CONFIRM LINK */
	SMCR_LLC_X_WAIT_ADD,		/* client: server's ADD LINK */
	SMCR_LLC_X_CONFIRM_LINK,	/* server: reply due */
	SMCR_LLC_X_ADD_LINK,		/* server: reply due */
	SMCR_LLC_X_DELETE_LINK,		/* reply, or the server's own, due */
	SMCR_LLC_X_CONFIRM_RKEY,	/* reply due */
	SMCR_LLC_X_DELETE_RKEY,		/* reply due */
};

/**
 * struct smcr_llc - LLC state of a group; the group's work alone changes it
 * @lock: protects @queue; leaf, any context
 * @queue: received messages in their receive slots, oldest first
 * @xchg: exchange under way
 * @deadline: jiffies when it has failed (C.7)
 * @rmb: the RMB it is about, with a reference
 * @add_link: server: the link offered with ADD LINK, with a reference
 * @test_sent: a TEST LINK of ours is unanswered
 * @test_deadline: jiffies when its link has failed (C.7.1)
 * @test_data: random bytes that the reply must repeat (A.3.8)
 */
struct smcr_llc {
	spinlock_t		lock;
	struct list_head	queue;
	enum smcr_llc_xchg	xchg;
	unsigned long		deadline;
	struct smcr_rmb		*rmb;
	struct smcr_link	*add_link;
	bool			test_sent;
	unsigned long		test_deadline;
	u8			test_data[16];
};

void smcr_llc_init(struct smcr_lgr *lgr);
void smcr_llc_flush(struct smcr_lgr *lgr);
void smcr_llc_process(struct smcr_lgr *lgr);
unsigned long smcr_llc_timers(struct smcr_lgr *lgr);
void smcr_llc_first_contact(struct smcr_lgr *lgr);
void smcr_llc_confirm_rkey(struct smcr_lgr *lgr, struct smcr_rmb *rmb);
void smcr_llc_delete_rkeys(struct smcr_lgr *lgr);
void smcr_llc_delete_all(struct smcr_lgr *lgr);

/* Events from the link layer, softirq */
void smcr_llc_recv(struct smcr_wr_recv *recv);
void smcr_llc_sent(struct smcr_link *link, u32 cookie, int err);

#endif /* _SMCR_LLC_H */
