// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queue of one link, and who polls it.
 *
 * The device's event raises a softirq, which polls. For a program that asks and
 * waits for the answer this is a detour: the softirq finds one message, and
 * wakes the reader. A device that raises its event in process context, as
 * Soft-RoCE does, wakes ksoftirqd for it too. So a reader that goes to sleep
 * may watch the queue. Then the event wakes the reader, which polls itself:
 *
 *	event -- no watcher --> softirq polls --> wakes readers
 *	      -- a watcher ---> wakes it -------> it polls, and reads on
 *	                        \-- not within WATCH_TIME --> softirq polls
 *
 * The queue has messages of all connections of the link. A reader watches only
 * if the last WATCH_STREAK messages were all for its own connection, and stops
 * as soon as there is one for another, so that it is not woken for others'
 * messages. A reader that does not get a processor, because its priority is low
 * or its cgroup has used up its time, delays the other connections of the link
 * once, by WATCH_TIME, and watches no longer.
 *
 * Whoever polls holds @run, so completions are handled one at a time, and a
 * poll that was not needed finds nothing. Whoever has emptied the queue arms it
 * and looks again, so no completion is left without an event.
 */
#include <linux/list.h>
#include <linux/irq_poll.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

#include "ib.h"
#include "link.h"
#include "mib.h"
#include "wr.h"
#include "wr_verbs.h"

/* Completions that are taken from the queue at once */
#define CQ_BATCH	8
/* Completions a softirq handles before others have their turn */
#define CQ_BUDGET	256
/* Completions a reader handles before it leaves the rest to the softirq */
#define WATCH_BUDGET	64
/* Messages in a row for one connection, for its reader to watch */
#define WATCH_STREAK	8
/* Time that a watcher has to poll */
#define WATCH_TIME	(HZ / 100 + 1)

/**
 * struct smcr_wr_cq - completion queue of one link
 * @link: the link
 * @ib: the queue; goes to NULL under @run
 * @run: held while completions are handled, outside of all locks of links and
 *	connections; BH
 * @iop: the softirq
 * @lock: protects @watcher; taken in hard irq, inside the driver's locks; leaf
 *	but for the scheduler and the timer
 * @watcher: wait queue entry of the reader that an event wakes
 * @event: the watcher was woken and has not polled since
 * @timer: sees to it that somebody does
 * @last: connection of the last message; only compared
 * @streak: messages before it that were for @last as well, to WATCH_STREAK;
 *	both change under @run
 */
struct smcr_wr_cq {
	struct smcr_link		*link;
	struct ib_cq			*ib;
	spinlock_t			run;
	struct irq_poll			iop;
	spinlock_t			lock;
	struct wait_queue_entry		*watcher;
	bool				event;
	struct timer_list		timer;
	const struct smcr_conn		*last;
	u32				streak;
};

/* Handle up to @budget completions. Return: how many; less if none is left. */
static int cq_handle(struct smcr_wr_cq *cq, int budget)
{
	struct ib_wc wc[CQ_BATCH];
	int done = 0, n, i;

	lockdep_assert_held(&cq->run);
	do {
		n = ib_poll_cq(cq->ib, CQ_BATCH, wc);
		for (i = 0; i < n; i++)
			wc[i].wr_cqe->done(cq->ib, &wc[i]);
		done += max(n, 0);
	} while (n == CQ_BATCH && done < budget);
	return done;
}

/* Ask for the next event. Return: true if a completion came before that. */
static bool cq_arm(struct smcr_wr_cq *cq)
{
	return ib_req_notify_cq(cq->ib, IB_CQ_NEXT_COMP |
				IB_CQ_REPORT_MISSED_EVENTS) > 0;
}

/* Arming comes after irq_poll_complete(): an event before it would find the
 * softirq scheduled, and be lost.
 */
static int cq_softirq(struct irq_poll *iop, int budget)
{
	struct smcr_wr_cq *cq = container_of(iop, struct smcr_wr_cq, iop);
	int done;

	spin_lock(&cq->run);
	done = cq_handle(cq, budget);
	spin_unlock(&cq->run);
	if (done < budget) {
		irq_poll_complete(iop);
		if (cq_arm(cq))
			irq_poll_sched(iop);
	}
	return min(done, budget);
}

/* A completion has come. Context: any, also hard irq; the driver may hold a
 * lock that ib_poll_cq() takes.
 */
static void cq_event(struct ib_cq *ib, void *context)
{
	struct smcr_link *link = context;
	struct smcr_wr_cq *cq = link->cq;
	struct wait_queue_entry *watcher;
	unsigned long irq;

	spin_lock_irqsave(&cq->lock, irq);
	watcher = cq->watcher;
	if (watcher) {
		/* Before the timer is looked at: one that is pending will see
		 * it
		 */
		smp_store_mb(cq->event, true);
		watcher->func(watcher, TASK_NORMAL, 0, NULL);
		if (!timer_pending(&cq->timer))
			mod_timer(&cq->timer, jiffies + WATCH_TIME);
	}
	spin_unlock_irqrestore(&cq->lock, irq);
	if (!watcher)
		irq_poll_sched(&cq->iop);
}

static bool cq_event_take(struct smcr_wr_cq *cq)
{
	return READ_ONCE(cq->event) && xchg(&cq->event, false);
}

/* The watcher has not polled in time, or there was no event since. */
static void cq_late(struct timer_list *timer)
{
	struct smcr_wr_cq *cq = from_timer(cq, timer, timer);
	unsigned long irq;

	if (!cq_event_take(cq))
		return;
	spin_lock_irqsave(&cq->lock, irq);
	WRITE_ONCE(cq->watcher, NULL);
	spin_unlock_irqrestore(&cq->lock, irq);
	smcr_wr_count(cq->link, SMCR_MIB_READERPOLLSLATE, 1);
	irq_poll_sched(&cq->iop);
}

/* The watcher handles what there is. */
static void cq_watcher_run(struct smcr_wr_cq *cq)
{
	bool more = false;

	spin_lock_bh(&cq->run);
	if (cq->ib)
		more = cq_handle(cq, WATCH_BUDGET) >= WATCH_BUDGET ||
		       cq_arm(cq);
	if (more)
		irq_poll_sched(&cq->iop);
	spin_unlock_bh(&cq->run);
	smcr_wr_count(cq->link, SMCR_MIB_READERPOLLS, 1);
}

static void cq_unwatch(struct smcr_wr_cq *cq, struct wait_queue_entry *wait)
{
	unsigned long irq;

	if (READ_ONCE(cq->watcher) != wait)
		return;
	spin_lock_irqsave(&cq->lock, irq);
	if (cq->watcher == wait)
		WRITE_ONCE(cq->watcher, NULL);
	spin_unlock_irqrestore(&cq->lock, irq);
	if (cq_event_take(cq))
		cq_watcher_run(cq);
}

/**
 * smcr_wr_cq_seen() - a message of the peer is for a connection
 * @link: the link it came on
 * @conn: the connection
 *
 * Context: a receive completion.
 */
void smcr_wr_cq_seen(struct smcr_link *link, const struct smcr_conn *conn)
{
	struct smcr_wr_cq *cq = link->cq;

	if (cq->last != conn) {
		WRITE_ONCE(cq->last, conn);
		WRITE_ONCE(cq->streak, 0);
	} else if (cq->streak < WATCH_STREAK) {
		WRITE_ONCE(cq->streak, cq->streak + 1);
	}
}

/**
 * smcr_wr_cq_watch() - have the next event wake a reader, if it is likely the
 *	reader's
 * @link: link of its connection
 * @conn: the connection
 * @wait: how to wake it; on its socket's queue already, so that it is woken in
 *	any case
 *
 * One reader a link; others, and the rest of the time, the softirq serves.
 *
 * Context: process. smcr_wr_cq_unwatch() must follow.
 */
void smcr_wr_cq_watch(struct smcr_link *link, const struct smcr_conn *conn,
		      struct wait_queue_entry *wait)
{
	struct smcr_wr_cq *cq = link->cq;
	unsigned long irq;

	if (READ_ONCE(cq->last) != conn ||
	    READ_ONCE(cq->streak) < WATCH_STREAK)
		return;
	spin_lock_irqsave(&cq->lock, irq);
	if (!cq->watcher)
		WRITE_ONCE(cq->watcher, wait);
	spin_unlock_irqrestore(&cq->lock, irq);
}

/**
 * smcr_wr_cq_poll() - handle what an event has told a watcher of
 * @link: the link
 * @conn: connection of the watcher
 * @wait: as given to smcr_wr_cq_watch()
 *
 * Does nothing for a reader that does not watch.
 *
 * Context: process; BH enabled. The sock lock may be held.
 */
void smcr_wr_cq_poll(struct smcr_link *link, const struct smcr_conn *conn,
		     struct wait_queue_entry *wait)
{
	struct smcr_wr_cq *cq = link->cq;

	if (READ_ONCE(cq->watcher) != wait)
		return;
	if (cq_event_take(cq))
		cq_watcher_run(cq);
	if (READ_ONCE(cq->last) != conn)
		cq_unwatch(cq, wait);
}

/**
 * smcr_wr_cq_spin() - poll for a watcher that does not sleep yet
 * @link: the link
 * @wait: as given to smcr_wr_cq_watch()
 *
 * The queue may be armed: an event meanwhile is left to smcr_wr_cq_poll().
 *
 * Context: process; BH enabled, no lock held: the caller goes on for a while.
 * Return: false if the reader does not watch, and a softirq polls.
 */
bool smcr_wr_cq_spin(struct smcr_link *link, struct wait_queue_entry *wait)
{
	struct smcr_wr_cq *cq = link->cq;
	int done = 0;

	if (READ_ONCE(cq->watcher) != wait)
		return false;
	if (!spin_trylock_bh(&cq->run))
		return true;
	if (cq->ib)
		done = cq_handle(cq, WATCH_BUDGET);
	spin_unlock_bh(&cq->run);
	smcr_wr_count(link, SMCR_MIB_READERSPINS, done);
	return true;
}

/**
 * smcr_wr_cq_unwatch() - the reader waits no longer
 * @link: the link
 * @wait: as given to smcr_wr_cq_watch(), which may have done nothing
 *
 * Context: process; BH enabled. The sock lock may be held.
 */
void smcr_wr_cq_unwatch(struct smcr_link *link, struct wait_queue_entry *wait)
{
	cq_unwatch(link->cq, wait);
}

/**
 * smcr_wr_cq_verbs() - the completion queue as a queue pair names it
 * @link: link after smcr_wr_cq_init()
 *
 * Context: process.
 */
struct ib_cq *smcr_wr_cq_verbs(const struct smcr_link *link)
{
	return link->cq->ib;
}

/* Queues take turns with the device's interrupts. */
static u32 cq_vector(const struct ib_device *ibdev)
{
	static atomic_t turn;

	return (u32)atomic_inc_return(&turn) %
	       max_t(u32, ibdev->num_comp_vectors, 1);
}

static int cq_create(struct smcr_wr_cq *cq)
{
	struct smcr_link *link = cq->link;
	struct ib_cq_init_attr attr = {
		.cqe = smcr_wr_sq_depth(link) + smcr_wr_rq_depth(link) + 2,
		.comp_vector = cq_vector(smcr_wr_ibdev(link)),
	};
	struct ib_cq *ib;

	ib = ib_create_cq(smcr_wr_ibdev(link), cq_event, NULL, link, &attr);
	if (IS_ERR(ib))
		return PTR_ERR(ib);
	cq->ib = ib;
	/* It is empty */
	cq_arm(cq);
	return 0;
}

/**
 * smcr_wr_cq_init() - a completion queue for both queues of a link
 * @link: link whose send queue and receive queue have memory
 *
 * Context: process.
 * Return: 0 or -errno.
 * smcr_wr_cq_destroy() and smcr_wr_cq_free() undo it in either case.
 */
int smcr_wr_cq_init(struct smcr_link *link)
{
	struct smcr_wr_cq *cq = kzalloc(sizeof(*cq), GFP_KERNEL);

	if (!cq)
		return -ENOMEM;
	cq->link = link;
	spin_lock_init(&cq->run);
	spin_lock_init(&cq->lock);
	irq_poll_init(&cq->iop, CQ_BUDGET, cq_softirq);
	timer_setup(&cq->timer, cq_late, 0);
	link->cq = cq;
	return cq_create(cq);
}

/**
 * smcr_wr_cq_destroy() - give the completion queue back to the device
 * @link: link without a queue pair; smcr_wr_cq_init() may have failed
 *
 * A reader may still watch, and finds no queue to poll.
 *
 * Context: process; sleeps.
 */
void smcr_wr_cq_destroy(struct smcr_link *link)
{
	struct smcr_wr_cq *cq = link->cq;
	struct ib_cq *ib;

	if (!cq || !cq->ib)
		return;
	/* No event comes without a queue pair */
	timer_shutdown_sync(&cq->timer);
	irq_poll_disable(&cq->iop);
	spin_lock_bh(&cq->run);
	ib = cq->ib;
	cq->ib = NULL;
	spin_unlock_bh(&cq->run);
	ib_destroy_cq(ib);
}

/**
 * smcr_wr_cq_free() - free the memory of the completion queue
 * @link: link that nobody refers to; smcr_wr_cq_init() may have failed
 *
 * Context: process.
 */
void smcr_wr_cq_free(struct smcr_link *link)
{
	kfree(link->cq);
	link->cq = NULL;
}
