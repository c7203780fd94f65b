// SPDX-License-Identifier: GPL-2.0
/*
 * Notices that the path of a link is silent.
 *
 * A queue pair reports a silent path when its retries are exhausted. Their time
 * is nominally 4.096 us * 2^timeout * (retries + 1). But the specification lets
 * an adapter take four times that, and Soft-RoCE takes half as long again. A
 * group with another link need not wait: a request that has no completion for
 * the nominal time fails its link, and connections move as they do when the
 * queue pair reports it.
 *
 * Time. The queue is silent since a request that asks for a completion was
 * posted to a queue that waited for none, or since the last success after that:
 *
 *            post*           post*                         given up
 *    ----------*----------------*-------------------------------|---> time
 *              |                     | completion of the first  |
 *         silent since          silent since <---- limit ------>|
 *
 * The queue pair's own timer begins anew with an acknowledgment, too, so the
 * silence is never taken for longer than it is. Most requests do not ask for a
 * completion. To begin soon after the first packet that is lost, a batch asks
 * for one if none did for SILENCE_GAP_MS, or for 256 KB: a path that is only
 * slow shows progress that often. What is posted within the gap, with nothing
 * behind it, is covered by a fence at the next tick. Groups with a single link
 * save all this.
 *
 * Timer. It ticks several times within the limit, as long as something is
 * outstanding. A post only arms it when it does not tick. The ticks are so
 * short that the timer wheel is exact, and that a tick which comes late tells
 * when this host, and not the path, stood still (silence.c).
 *
 * Decision. At the limit, the completions that the adapter has reported are
 * handled first, since the softirq may be late. The link then fails if the
 * group has another ACTIVE link that is not silent itself. If all of them are,
 * moving is no use, and the queue pairs decide. This is looked at again with
 * each tick. A limit below SILENCE_LEAST_MS would be within what softirqs and
 * work items of a busy host take, so shorter times are left to the adapter.
 *
 * A peer without receives for the time of the RNR timers is silent as well.
 * wr.c ("Receives") bounds the SENDs so that this does not last. If it does,
 * connections move to another link; nothing is lost.
 *
 * Lifetime. Only posts arm the timer, and the tick itself, both under tx_lock
 * with the gate open. smcr_wr_drain() shuts it down when the gate is closed.
 * @wr->silence is protected by tx_lock.
 */
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/timer.h>

#include "lgr.h"
#include "lgr_links.h"
#include "link.h"
#include "mib.h"
#include "silence.h"
#include "wr.h"
#include "wr_verbs.h"

/* Time after which a batch asks for a completion */
#define SILENCE_GAP_MS		5
/* Lower bound of the limit */
#define SILENCE_LEAST_MS	100
/* The timer wheel is exact below 64 jiffies. */
#define SILENCE_MAX_TICK	60ul

static void silence_view(const struct smcr_link *link,
			 struct smcr_silence_view *view)
{
	const struct smcr_wr *wr = link->wr;

	lockdep_assert_held(&link->tx_lock);
	/* Pairs with the release in slots_reclaim(): @done is not older */
	view->tail = smp_load_acquire(&wr->tail);
	view->done = READ_ONCE(link->last_tx);
	view->now = jiffies;
	view->loose = wr->unsignaled;
	view->redundant = READ_ONCE(link->lgr->redundant);
}

static void silence_arm(struct smcr_wr *wr)
{
	mod_timer(&wr->silence_timer, wr->silence.due);
}

static enum smcr_silence_step silence_step(struct smcr_link *link)
{
	struct smcr_silence *silence = &link->wr->silence;
	enum smcr_silence_step step = SMCR_SILENCE_STOP;
	struct smcr_silence_view view;
	unsigned long irq;

	spin_lock_irqsave(&link->tx_lock, irq);
	if (link->gate_open) {
		silence_view(link, &view);
		step = smcr_silence_tick(silence, &view);
	}
	if (step != SMCR_SILENCE_STOP)
		silence_arm(link->wr);
	spin_unlock_irqrestore(&link->tx_lock, irq);
	return step;
}

/* Has the link been silent for half of its limit? */
static bool silence_doubtful(struct smcr_link *link)
{
	const struct smcr_silence *silence = &link->wr->silence;
	struct smcr_silence_view view;
	unsigned long irq, lasts;

	spin_lock_irqsave(&link->tx_lock, irq);
	silence_view(link, &view);
	lasts = smcr_silence_lasts(silence, &view);
	spin_unlock_irqrestore(&link->tx_lock, irq);
	return lasts >= silence->limit / 2;
}

/* Can connections move to another link that is not silent, too? */
static bool silence_avoidable(struct smcr_link *link)
{
	struct smcr_lgr_links links;
	bool found = false;
	unsigned int i;

	smcr_lgr_links_get(link->lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n && !found; i++)
		found = links.link[i] != link &&
			!silence_doubtful(links.link[i]);
	smcr_lgr_links_put(&links);
	return found;
}

/* Fail the link if it is still silent. */
static void silence_end(struct smcr_link *link)
{
	struct smcr_silence *silence = &link->wr->silence;
	struct smcr_silence_view view;
	bool report = false;
	unsigned long irq;

	spin_lock_irqsave(&link->tx_lock, irq);
	silence_view(link, &view);
	if (link->state == SMCR_LINK_ACTIVE &&
	    smcr_silence_lasts(silence, &view) >= silence->limit) {
		if (smcr_wr_long_waits(link))
			set_bit(SMCR_LINK_F_LONG_LOST, &link->flags);
		report = smcr_link_fail_locked(link, -ETIMEDOUT);
	}
	spin_unlock_irqrestore(&link->tx_lock, irq);
	if (!report)
		return;
	smcr_wr_count(link, SMCR_MIB_LINKSSILENT, 1);
	smcr_link_report(link);
}

static void silence_tick(struct timer_list *timer)
{
	struct smcr_wr *wr = from_timer(wr, timer, silence_timer);
	struct smcr_link *link = wr->link;

	switch (silence_step(link)) {
	case SMCR_SILENCE_FENCE:
		/* Without a free slot, a request that asks is outstanding. */
		smcr_wr_post_fence(link);
		break;
	case SMCR_SILENCE_OVER:
		smcr_wr_cq_catch_up(link);
		if (silence_avoidable(link))
			silence_end(link);
		break;
	default:
		break;
	}
}

/**
 * smcr_wr_silence_init() - prepare the timer
 * @link: link after the allocation of its send queue
 *
 * Context: process.
 */
void smcr_wr_silence_init(struct smcr_link *link)
{
	link->wr->link = link;
	timer_setup(&link->wr->silence_timer, silence_tick, 0);
}

/**
 * smcr_wr_silence_limit() - set the time after which silence is a failure
 * @link: link whose gate is still closed
 * @timeout: the queue pair's local ACK timeout, 4.096 us << @timeout
 * @retries: its retry count
 *
 * Context: process.
 */
void smcr_wr_silence_limit(struct smcr_link *link, u8 timeout, u8 retries)
{
	u64 ns = (4096ull << timeout) * (retries + 1);
	unsigned long limit = usecs_to_jiffies(div_u64(ns, 1000));

	/* One more, as a post may come at the end of its jiffy. */
	limit = max(limit, msecs_to_jiffies(SILENCE_LEAST_MS)) + 1;
	smcr_silence_init(&link->wr->silence, limit,
			  msecs_to_jiffies(SILENCE_GAP_MS), SILENCE_MAX_TICK,
			  link->wr->tail);
}

/**
 * smcr_wr_silence_asks() - shall a batch ask for a completion?
 * @link: the link
 * @bytes: bytes that the batch writes
 *
 * Context: tx_lock held.
 * Return: true if no request did for a while, and the group has other links.
 */
bool smcr_wr_silence_asks(struct smcr_link *link, u32 bytes)
{
	lockdep_assert_held(&link->tx_lock);
	return READ_ONCE(link->lgr->redundant) &&
	       smcr_silence_asks(&link->wr->silence, jiffies, bytes);
}

/**
 * smcr_wr_silence_posted() - requests are posted
 * @link: the link; @head has moved already
 * @signaled: the last request asks for a completion
 *
 * Context: tx_lock held.
 */
void smcr_wr_silence_posted(struct smcr_link *link, bool signaled)
{
	struct smcr_wr *wr = link->wr;

	lockdep_assert_held(&link->tx_lock);
	if (smcr_silence_posted(&wr->silence, jiffies, READ_ONCE(wr->tail),
				wr->head, signaled))
		silence_arm(wr);
}

/**
 * smcr_wr_silence_stop() - stop the timer for good
 * @link: link whose gate is closed
 *
 * Context: process; sleeps until the timer does not run.
 */
void smcr_wr_silence_stop(struct smcr_link *link)
{
	timer_shutdown_sync(&link->wr->silence_timer);
}
