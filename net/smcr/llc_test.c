// SPDX-License-Identifier: GPL-2.0
/*
 * TEST LINK: notices a dead peer or path on links that are idle (RFC 7609
 * 4.5.3, A.3.8, C.7.1). Each link has a test of its own.
 *
 * When a port, a netdev or a GID goes, the links that use it are tested at
 * once, so that connections move soon. In a group with a single link they
 * cannot move: if the port stays down, their end is only a matter of time, and
 * if it is back in a moment, as after a cable was moved or a switch has started
 * again, idle ones would have lived. TCP does not notice that either. So such a
 * link is not tested before net.smcr.test_link_interval_ms has passed anew.
 */
#include <linux/random.h>

#include "conn.h"
#include "conn_eof.h"
#include "conn_tcp.h"
#include "lgr.h"
#include "lgr_links.h"
#include "link.h"
#include "llc_exchange.h"
#include "llc_msg.h"
#include "mib.h"
#include "wr.h"

static void test_send(struct smcr_lgr *lgr, struct smcr_link *link)
{
	struct smcr_llc_test *test = &lgr->llc.test[link->slot];
	struct smcr_llc_msg *msg = &test->request;

	msg->type = SMCR_LLC_TEST_LINK;
	get_random_bytes(msg->test_link.data, sizeof(msg->test_link.data));
	test->sends = smcr_wr_sends(link);
	/* Before the message is posted: a reader of the old number gets a
	 * test that begins later.
	 */
	WRITE_ONCE(link->tests, link->tests + 1);
	if (smcr_llc_send(link, msg, SMCR_LLC_COOKIE_TEST))
		return;
	smcr_mib_inc(lgr->net, SMCR_MIB_TESTLINKSENT);
	test->sent = true;
	test->deadline = smcr_llc_deadline(lgr);
}

/* Did an event ask for a test of a link? It is spared for now if it is the only
 * one and no more than its port went down.
 */
static bool is_doubtful(struct smcr_lgr *lgr, struct smcr_link *link, bool only)
{
	bool lost = test_and_clear_bit(SMCR_LINK_F_PORT_LOST, &link->flags);

	if (lost && only)
		lgr->llc.test[link->slot].spared_at = jiffies ?: 1;
	return test_and_clear_bit(SMCR_LINK_F_DOUBTFUL, &link->flags) ||
	       (lost && !only);
}

/**
 * smcr_llc_test_now() - send TEST LINK over the links that may have failed, but
 *	not over those where one is unanswered (C.4), and take note of links
 *	that long packets have proved
 * @lgr: the group
 *
 * Context: the group's work.
 */
void smcr_llc_test_now(struct smcr_lgr *lgr)
{
	struct smcr_lgr_links links;
	struct smcr_link *link;
	bool doubtful;
	unsigned int i;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++) {
		link = links.link[i];
		smcr_lgr_link_proved(link);
		doubtful = is_doubtful(lgr, link, links.n == 1);
		if (lgr->llc.test[link->slot].sent)
			continue;
		if (test_and_clear_bit(SMCR_LINK_F_PROBE, &link->flags) ||
		    doubtful)
			test_send(lgr, link);
	}
	smcr_lgr_links_put(&links);
}

/* Test a link that has received nothing for net.smcr.test_link_interval_ms.
 * Return: jiffies when to look again, 0 for never.
 */
static unsigned long test_timer(struct smcr_lgr *lgr, struct smcr_link *link)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(lgr->net)->sysctl;
	unsigned int ms = READ_ONCE(ctl->test_link_interval_ms);
	struct smcr_llc_test *test = &lgr->llc.test[link->slot];
	unsigned long due = READ_ONCE(link->last_rx);

	/* A time that is over is forgotten before jiffies wrap around to it */
	if (test->spared_at && time_after(test->spared_at, due))
		due = test->spared_at;
	else
		test->spared_at = 0;
	due += msecs_to_jiffies(ms);
	if (ms && !test->sent && time_after_eq(jiffies, due))
		test_send(lgr, link);
	/* smcr_llc_test_now() may have sent a TEST LINK, whatever @ms is. */
	if (!test->sent)
		return ms ? due : 0;
	if (time_before(jiffies, test->deadline))
		return test->deadline;
	test->deadline = smcr_llc_time_left(link, READ_ONCE(test->delivered));
	if (test->deadline)
		return test->deadline;
	smcr_mib_inc(lgr->net, SMCR_MIB_LLCTIMEOUTS);
	smcr_link_fail(link, -ETIMEDOUT);
	return 0;
}

/**
 * smcr_llc_test_timers() - test the links that are due
 * @lgr: the group
 *
 * Context: the group's work.
 * Return: jiffies when to look again, 0 for never.
 */
unsigned long smcr_llc_test_timers(struct smcr_lgr *lgr)
{
	unsigned long next = 0, when;
	struct smcr_lgr_links links;
	unsigned int i;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++) {
		when = test_timer(lgr, links.link[i]);
		if (when && (!next || time_before(when, next)))
			next = when;
	}
	smcr_lgr_links_put(&links);
	return next;
}

/**
 * smcr_llc_testing() - is a TEST LINK of this host unanswered?
 * @lgr: the group
 *
 * Context: the group's work.
 * Return: true if one is, over any link.
 */
bool smcr_llc_testing(const struct smcr_lgr *lgr)
{
	int slot;

	for (slot = 0; slot < SMCR_MAX_LINKS; slot++)
		if (lgr->llc.test[slot].sent)
			return true;
	return false;
}

/* Connections wait for the answer to a TEST LINK; some of them perhaps for that
 * to the next one.
 */
static void test_answered(struct smcr_link *link)
{
	struct smcr_conn *conn;
	u32 slot = 0;

	while ((conn = smcr_lgr_conn_next(link->lgr, &slot))) {
		smcr_conn_eof_tested(conn, link);
		smcr_conn_tcp_tested(conn, link);
		smcr_conn_put(conn);
	}
	if (test_bit(SMCR_LINK_F_PROBE, &link->flags))
		smcr_llc_test_now(link->lgr);
}

/**
 * smcr_llc_test_recv() - handle TEST LINK, a request or a reply
 * @link: the link that the message came over
 * @msg: the message
 *
 * Context: the group's work.
 */
void smcr_llc_test_recv(struct smcr_link *link, const struct smcr_llc_msg *msg)
{
	struct smcr_llc_test *test = &link->lgr->llc.test[link->slot];
	struct smcr_llc_msg reply = *msg;

	if (!msg->reply) {
		reply.reply = true;
		smcr_llc_send(link, &reply, SMCR_LLC_COOKIE_NONE);
	} else if (!test->sent ||
		   !smcr_llc_msg_answers(msg, &test->request)) {
		smcr_llc_broken(link, "TEST LINK reply with other data");
	} else {
		test->sent = false;
		cmpxchg(&link->inbound, SMCR_LINK_I_ACCUSED,
			SMCR_LINK_I_UNPROVED);
		smcr_wr_handled(link, test->sends);
		test_answered(link);
	}
}
