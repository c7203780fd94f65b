// SPDX-License-Identifier: GPL-2.0
/*
 * Growth of a link group: when a further link is offered or asked for, and when
 * an asymmetric link is deleted (RFC 7609 2.2.1, 2.2.2, 3.5.5.1, C.8).
 */
#include <linux/random.h>

#include "lgr.h"
#include "lgr_links.h"
#include "lgr_policy.h"

/* Time in which connections leave an asymmetric link before it is deleted; more
 * than conn_move.c waits for the completions of one.
 */
#define RETIRE_DELAY	(HZ / 2)

/* A client that refuses an offer has no port for a further link, and asks for
 * one when it has (3.5.5.1.2). So the timer that C.8 wants all the same, and
 * that each time takes a queue pair here, is as many times
 * net.smcr.link_retry_max_ms.
 */
#define REFUSED_TIMES	10

static u8 unneeded_of(const struct smcr_lgr_links *links)
{
	struct smcr_link_ends ends[SMCR_MAX_LINKS];

	return smcr_lgr_policy_unneeded(ends,
					smcr_lgr_links_ends(links, ends));
}

/* Say what a further link needs; @links keeps what @want names. */
static void want_of(struct smcr_lgr *lgr, const struct smcr_lgr_links *links,
		    const struct smcr_port *used,
		    struct smcr_ib_spare_want *want)
{
	*want = (struct smcr_ib_spare_want){
		.first = &used[0],
		.first_peer = links->link[0]->peer.gid,
		.asked = lgr->llc.add_asked ? lgr->llc.asked_gid : NULL,
		.pages = smcr_lgr_rmb_pages(lgr),
		.near = smcr_llc_add_near(lgr),
	};
}

/* Find the asymmetric link of a server's group without a free slot, if a
 * symmetric link can take this slot: the server has a port for it, and the
 * client has one, too. Return: the index of the asymmetric link in @links, or
 * -1.
 */
static int in_the_way(struct smcr_lgr *lgr, const struct smcr_lgr_links *links)
{
	struct smcr_port used[SMCR_MAX_LINKS];
	struct smcr_ib_spare_want want;
	struct smcr_link_ends ends[SMCR_MAX_LINKS];
	bool asked = lgr->llc.add_asked;
	unsigned int n;
	int i;

	if (lgr->role != SMCR_SERVER || links->n < SMCR_MAX_LINKS)
		return -1;
	i = smcr_lgr_policy_in_the_way(ends, smcr_lgr_links_ends(links, ends),
				       asked);
	n = smcr_lgr_links_ports(links, used);
	want_of(lgr, links, used, &want);
	if (i < 0 || n >= READ_ONCE(lgr->max_links) ||
	    smcr_ib_spare_ports(lgr->net, used, asked ? n : links->n,
				&want) <= 0)
		return -1;
	return i;
}

/**
 * smcr_lgr_link_unneeded() - does a server delete an asymmetric link?
 * @lgr: the group
 * @num: number of the link
 *
 * Context: the group's work.
 * Return: true if the link is ACTIVE and asymmetric, and either symmetric links
 * use both its ports, or a symmetric link needs its slot.
 */
bool smcr_lgr_link_unneeded(struct smcr_lgr *lgr, u8 num)
{
	struct smcr_lgr_links links;
	bool found = false;
	unsigned int i;
	u8 unneeded;
	int way;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	unneeded = unneeded_of(&links);
	way = in_the_way(lgr, &links);
	if (way >= 0)
		unneeded |= 1 << way;
	for (i = 0; i < links.n; i++)
		found |= unneeded & 1 << i && links.link[i]->num == num;
	smcr_lgr_links_put(&links);
	return found;
}

/**
 * smcr_lgr_grow_delay() - return the time until a lost link is replaced
 * @lgr: the group
 *
 * Context: any.
 * Return: jiffies.
 */
unsigned long smcr_lgr_grow_delay(const struct smcr_lgr *lgr)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(lgr->net)->sysctl;

	return msecs_to_jiffies(READ_ONCE(ctl->link_retry_min_ms));
}

/* Would a further link add redundancy? A server offers one in any case if the
 * group has a single link, because the client may have a spare port. A client
 * that asks has a spare port, with which a port of an asymmetric link makes a
 * symmetric one (3.5.5.1.2). The limit is that of the symmetric links, but each
 * link takes a slot. If none is free, the client asks all the same, and
 * in_the_way() is what the server does. Return: 1 or 0; -EINPROGRESS if a
 * device is being asked for a port, without which the link might be asymmetric.
 */
static int wants_link(struct smcr_lgr *lgr, const struct smcr_lgr_links *links)
{
	bool server = lgr->role == SMCR_SERVER, any;
	bool full = links->n == SMCR_MAX_LINKS;
	struct smcr_port used[SMCR_MAX_LINKS];
	struct smcr_ib_spare_want want;
	unsigned int n;
	int ports;

	n = smcr_lgr_links_ports(links, used);
	if (!n || n >= READ_ONCE(lgr->max_links) || (full && server))
		return 0;
	want_of(lgr, links, used, &want);
	if (!(server && lgr->llc.add_asked))
		n = links->n;
	ports = smcr_ib_spare_ports(lgr->net, used, n, &want);
	any = (server && links->n == 1) ||
	      (!server && !full && lgr->llc.add_missed);
	return ports < 0 ? ports : ports || any;
}

/* Begin to add a link, or to delete the asymmetric link whose slot it needs;
 * the end of that link makes the group look for a further link again.
 * Return: 1; 0 if the group wants no link; -EINPROGRESS, see wants_link().
 */
static int grow_now(struct smcr_lgr *lgr)
{
	struct smcr_lgr_links links;
	int way, wants = 1;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	way = in_the_way(lgr, &links);
	if (way >= 0)
		smcr_llc_delete_unneeded(links.link[way]);
	else
		wants = wants_link(lgr, &links);
	smcr_lgr_links_put(&links);
	if (way < 0 && wants > 0)
		smcr_llc_add_start(lgr);
	return wants;
}

/* The time after a try that has failed */
static unsigned long grow_pause(const struct smcr_lgr *lgr)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(lgr->net)->sysctl;
	u32 ms = smcr_lgr_policy_retry_ms(lgr->grow.tries,
					  READ_ONCE(ctl->link_retry_min_ms),
					  READ_ONCE(ctl->link_retry_max_ms));

	return msecs_to_jiffies(ms);
}

static void count_try(struct smcr_lgr *lgr)
{
	if (lgr->grow.tries < U8_MAX)
		lgr->grow.tries++;
}

/* Does a further link have to wait? The end of an exchange queues the work
 * again, and so does a link that has just failed: its loss sets the time of the
 * next try. A Linux client that has not answered a message about links first
 * answers TEST LINK, and DELETE LINK: if it is just slow, it might handle two
 * offers at the same time.
 */
static bool must_wait(const struct smcr_lgr *lgr)
{
	if (!smcr_llc_flow_may_change(&lgr->llc.flow) ||
	    test_bit(SMCR_LGR_T_LINK_FAILED, &lgr->todo))
		return true;
	return lgr->role == SMCR_SERVER &&
	       lgr->dialect == SMCR_DIALECT_LINUX &&
	       (lgr->llc.n_due || lgr->llc.due_at || smcr_llc_testing(lgr));
}

/**
 * smcr_lgr_grow() - add a link to a group that may have one more (C.8)
 * @lgr: the group
 *
 * A server offers a link, a client asks for one. Until the group has it, the
 * next try follows after a time that doubles. If a try goes on for that long,
 * smcr_lgr_grow_failed() sets the time when it ends. While a device is asked
 * for a port, the group looks each second; the answer has it look at once.
 *
 * Context: the group's work.
 * Return: jiffies of the next try, 0 if none is due.
 */
unsigned long smcr_lgr_grow(struct smcr_lgr *lgr)
{
	int begun;

	if (!lgr->grow.on || smcr_lgr_state(lgr) != SMCR_LGR_ACTIVE)
		return 0;
	if (must_wait(lgr))
		return 0;
	if (time_before(jiffies, lgr->grow.at))
		return lgr->grow.at;
	begun = grow_now(lgr);
	if (begun < 0) {
		lgr->grow.at = jiffies + HZ;
		return lgr->grow.at;
	}
	if (!begun) {
		lgr->grow.on = false;
		lgr->llc.add_asked = false;
		return 0;
	}
	lgr->grow.at = jiffies + grow_pause(lgr);
	lgr->grow.last = jiffies;
	count_try(lgr);
	lgr->llc.add_counted = true;
	return lgr->grow.at;
}

/* Set the time of the next try; tries are net.smcr.link_retry_min_ms apart. */
static void grow_after(struct smcr_lgr *lgr, unsigned long delay)
{
	unsigned long first = lgr->grow.last + smcr_lgr_grow_delay(lgr);

	lgr->grow.on = true;
	lgr->grow.at = jiffies + delay;
	if (lgr->grow.last && time_before(lgr->grow.at, first))
		lgr->grow.at = first;
	smcr_lgr_queue(lgr);
}

/**
 * smcr_lgr_grow_again() - look for a further link anew
 * @lgr: a group of which a link that was in use has gone, or a link or a spare
 *	port has come
 * @delay: jiffies until the first try
 *
 * Context: the group's work.
 */
void smcr_lgr_grow_again(struct smcr_lgr *lgr, unsigned long delay)
{
	lgr->grow.tries = 0;
	lgr->llc.far_failures = 0;
	grow_after(lgr, delay);
}

/* Has an ACTIVE group a spare port, and may it have one more link? A client may
 * also have refused an offer because the port was not ready.
 */
static bool has_spare(struct smcr_lgr *lgr)
{
	struct smcr_port used[SMCR_MAX_LINKS];
	struct smcr_ib_spare_want want;
	struct smcr_lgr_links links;
	bool spare = false;
	unsigned int n;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	n = smcr_lgr_links_ports(&links, used);
	if (n && n < READ_ONCE(lgr->max_links)) {
		want_of(lgr, &links, used, &want);
		/* Ports that were given up are tried again. */
		want.near = false;
		spare = lgr->llc.add_missed ||
			smcr_ib_spare_ports(lgr->net, used, links.n, &want) > 0;
	}
	smcr_lgr_links_put(&links);
	return spare;
}

/**
 * smcr_lgr_grow_ready() - look for a further link, as a port may be spare
 * @lgr: the group
 *
 * Nothing has changed for the peer, so without a spare port it gets no offer.
 * All groups of a host may hear of a port at the same time, so they begin one
 * after the other, about one a millisecond.
 *
 * Context: the group's work.
 */
void smcr_lgr_grow_ready(struct smcr_lgr *lgr)
{
	/* This group is one of them. */
	u32 groups = atomic_read(&smcr_pernet(lgr->net)->n_live_lgrs);
	u32 ms;

	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING) {
		lgr->llc.look_again = true;
	} else if (has_spare(lgr)) {
		ms = get_random_u32_below(min_t(u32, groups, 1000));
		smcr_lgr_grow_again(lgr, msecs_to_jiffies(ms));
	}
}

/**
 * smcr_lgr_grow_asked() - look for a further link, as the client wants one
 * @lgr: a server's group
 * @delay: jiffies until the next try
 *
 * A client may ask because a port has come, so its ADD LINK is answered without
 * a delay. But it also asks by its own timer, so the time between failures goes
 * on doubling. A client that keeps asking does not make this host build a queue
 * pair for each request.
 *
 * Context: the group's work.
 */
void smcr_lgr_grow_asked(struct smcr_lgr *lgr, unsigned long delay)
{
	grow_after(lgr, delay);
}

/**
 * smcr_lgr_grow_failed() - try again later to add a link (C.8)
 * @lgr: a group whose last try has just failed
 *
 * Whatever failed, be it CONFIRM LINK or the new link itself, the time from
 * here to the next try is twice the last one: a path that is silent costs a
 * queue pair at both ends for each try. Both ends count, whoever has begun.
 *
 * Context: the group's work.
 */
void smcr_lgr_grow_failed(struct smcr_lgr *lgr)
{
	if (!lgr->llc.add_counted)
		count_try(lgr);
	lgr->llc.add_counted = false;
	grow_after(lgr, grow_pause(lgr));
}

/**
 * smcr_lgr_grow_refused() - offer a further link again much later (C.8)
 * @lgr: a server's group, whose client has refused the last offer
 *
 * No path has failed, so the times between failures begin anew.
 *
 * Context: the group's work.
 */
void smcr_lgr_grow_refused(struct smcr_lgr *lgr)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(lgr->net)->sysctl;
	u32 ms = READ_ONCE(ctl->link_retry_max_ms);

	lgr->grow.tries = 0;
	grow_after(lgr, REFUSED_TIMES * msecs_to_jiffies(ms));
}

/**
 * smcr_lgr_grow_mtu() - largest MTU code of a further link
 * @lgr: the group
 *
 * Context: the group's work.
 * Return: the code; 0 if there can be no further link for now.
 */
u8 smcr_lgr_grow_mtu(const struct smcr_lgr *lgr)
{
	return time_before(jiffies, lgr->grow.mtu_until) ? lgr->grow.mtu :
							   SMCR_MTU_4096;
}

/**
 * smcr_lgr_grow_smaller() - give further links a smaller MTU for a while
 * @lgr: a group of which a link was lost
 * @mtu: MTU code of the link, which has passed short packets only
 *
 * The path may be mended later, and what looks like a path that loses long
 * packets may have been a cable without a carrier for a moment. So after
 * net.smcr.negative_max_ms the next link has the MTU of its port. If it is lost
 * in the same way, no step is repeated.
 *
 * Context: the group's work.
 */
void smcr_lgr_grow_smaller(struct smcr_lgr *lgr, u8 mtu)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(lgr->net)->sysctl;

	lgr->grow.mtu = min_t(u8, lgr->grow.mtu, mtu - 1);
	lgr->grow.mtu_until = jiffies +
			msecs_to_jiffies(READ_ONCE(ctl->negative_max_ms));
}

/**
 * smcr_lgr_retire() - delete the asymmetric links that others have replaced
 *	(2.2.1)
 * @lgr: the group; does nothing in a client
 *
 * Connections leave such a link when its replacement is ACTIVE. It is deleted
 * when they have had time for that at both ends.
 *
 * Context: the group's work.
 * Return: jiffies when this has to be called again, 0 for never.
 */
unsigned long smcr_lgr_retire(struct smcr_lgr *lgr)
{
	struct smcr_lgr_links links;
	bool due = false;
	unsigned int i;
	u8 unneeded;

	if (lgr->role != SMCR_SERVER || smcr_lgr_state(lgr) != SMCR_LGR_ACTIVE)
		return 0;
	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	unneeded = unneeded_of(&links);
	if (!unneeded)
		lgr->llc.retire_at = 0;
	else if (!lgr->llc.retire_at)
		lgr->llc.retire_at = jiffies + RETIRE_DELAY;
	else
		due = time_after_eq(jiffies, lgr->llc.retire_at);
	for (i = 0; due && i < links.n; i++)
		if (unneeded & 1 << i)
			smcr_llc_delete_unneeded(links.link[i]);
	smcr_lgr_links_put(&links);
	return due ? 0 : lgr->llc.retire_at;
}
