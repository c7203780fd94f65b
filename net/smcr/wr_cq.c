// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queue of one link, polled by a softirq or by a reader.
 *
 * Normally the device's event raises a softirq, which polls. This is a detour
 * for a program that sends a request and waits for the reply: the softirq finds
 * one message, and wakes the reader. If the device raises its event in process
 * context, as Soft-RoCE does, ksoftirqd has to be woken, too. So a reader that
 * goes to sleep may watch the queue. The event then wakes the reader, and the
 * reader polls:
 *
 *	event -- no watcher --> softirq polls --> wakes readers
 *	      -- a watcher ---> wakes it -------> it polls, and reads on
 *	                        \-- not within WATCH_TIME --> softirq polls
 *
 * The queue has messages of all connections of the link. A reader watches only
 * if the last WATCH_STREAK messages were all for its own connection, and stops
 * at the first one for another connection, so that other connections' messages
 * do not wake it. A reader that gets no CPU time, because its priority is low
 * or its cgroup is throttled, delays the other connections of the link by
 * WATCH_TIME, which is short. The reader of a link's only connection delays
 * none and has more time, which a busy host may need to run it; a connection
 * that comes in that time may wait for the rest of it, once. A reader that was
 * late learns that, and rx.c does not let it watch again for a time that
 * doubles, so a reader that is late again and again delays others ever more
 * seldom.
 *
 * The softirq and the watcher poll under @run, so completions are handled one
 * at a time, and a needless poll only finds the queue empty. After the queue is
 * empty it is armed and checked once more, so that each completion either is
 * handled or raises an event.
 *
 * An adapter whose firmware is dead makes completions in software. mlx4 and
 * mlx5 raise one event for them, whether or not the queue is armed, and arming
 * does not tell that one has come. So an event that comes after the softirq's
 * last poll, while it still counts as scheduled, is noted in @fresh.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/irq_poll.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

#include "ib.h"
#include "link.h"
#include "mib.h"
#include "wr.h"
#include "wr_verbs.h"

/* Completions that one ib_poll_cq() takes from the queue */
#define CQ_BATCH	8
/* Completions that the softirq handles before it lets other softirqs run */
#define CQ_BUDGET	256
/* Completions that a reader handles before it leaves the rest to the softirq */
#define WATCH_BUDGET	64
/* Consecutive messages for one connection that allow its reader to watch */
#define WATCH_STREAK	8
/* Time within which a watcher has to poll after an event, ... */
#define WATCH_TIME	(100 * NSEC_PER_USEC)
/* ... and if no other connection of the link can wait for it */
#define WATCH_ALONE	(10 * NSEC_PER_MSEC)

/**
 * struct smcr_wr_cq - completion queue of one link
 * @link: the link
 * @ib: the verbs object, NULL once it is destroyed
 * @open: completions are handled; cleared under @run and @lock
 * @vector: its completion vector
 * @run: held while completions are handled; BH is disabled, and the locks of
 *	links and connections are taken inside
 * @iop: the softirq
 * @fresh: the softirq was asked for since it began to poll
 * @broken: the adapter has reported an error of the queue
 * @lock: protects changes of @watcher, and that the watcher stays valid while
 *	an event wakes it; taken in hard irq, inside the driver's locks; only
 *	locks of the scheduler and of timers are taken inside
 * @watcher: the reader that an event wakes; read without @lock for comparison
 * @event: @watcher was woken and has not polled since. Set under @lock while
 *	there is a watcher; cleared under it, or by the watcher
 * @since: when @event was set; under @lock
 * @timer: hands the queue back to the softirq if the watcher does not poll. It
 *	is started under @lock by an event that finds it idle, and not stopped
 *	by a poll, since that would cost each message more than a timer that
 *	runs in vain does now and then
 * @last: connection of the last message; only compared; changed under @run,
 *	read without it
 * @streak: messages before it that were for @last as well, up to WATCH_STREAK;
 *	changed under @run, read without it
 */
struct smcr_wr_cq {
	struct smcr_link		*link;
	struct ib_cq			*ib;
	bool				open;
	u32				vector;
	spinlock_t			run;
	struct irq_poll			iop;
	bool				fresh;
	bool				broken;
	spinlock_t			lock;
	struct smcr_wr_watch		*watcher;
	bool				event;
	ktime_t				since;
	struct hrtimer			timer;
	const struct smcr_conn		*last;
	u32				streak;
};

/* Handle about @budget completions. Returns how many; if fewer than @budget,
 * none is left.
 */
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

/* Ask for the next event. Returns true if a completion may have come before,
 * which raises no event.
 */
static bool cq_arm(struct smcr_wr_cq *cq)
{
	return ib_req_notify_cq(cq->ib, IB_CQ_NEXT_COMP |
				IB_CQ_REPORT_MISSED_EVENTS) > 0;
}

/* Have the softirq poll. Context: any. */
static void cq_kick(struct smcr_wr_cq *cq)
{
	/* Pairs with the barriers in cq_softirq(): it polls after this, or sees
	 * @fresh at its end, or is scheduled here
	 */
	smp_store_mb(cq->fresh, true);
	irq_poll_sched(&cq->iop);
}

/* Arm the queue only after irq_poll_complete(): before it, irq_poll_sched() by
 * an event does nothing, since the softirq counts as scheduled. All this is
 * under @run: smcr_wr_cq_close() waits for irq_poll_complete(), and then for
 * the rest at @run.
 */
static int cq_softirq(struct irq_poll *iop, int budget)
{
	struct smcr_wr_cq *cq = container_of(iop, struct smcr_wr_cq, iop);
	int done;

	spin_lock(&cq->run);
	/* Pairs with cq_kick() */
	smp_store_mb(cq->fresh, false);
	done = cq_handle(cq, budget);
	if (done < budget) {
		irq_poll_complete(iop);
		/* Pairs with cq_kick(): first complete, then look */
		smp_mb();
		if (cq_arm(cq) || READ_ONCE(cq->fresh))
			irq_poll_sched(iop);
	}
	spin_unlock(&cq->run);
	return min(done, budget);
}

static s64 watch_time(const struct smcr_wr_cq *cq)
{
	return atomic_read(&cq->link->n_conns) > 1 ? WATCH_TIME : WATCH_ALONE;
}

/* Have the timer run at the end of the watcher's time. The handler of a timer
 * that is queued already takes @lock later, and finds @event and @since.
 */
static void cq_timer_start(struct smcr_wr_cq *cq)
{
	ktime_t end = ktime_add_ns(cq->since, watch_time(cq));

	lockdep_assert_held(&cq->lock);
	if (!hrtimer_is_queued(&cq->timer))
		hrtimer_start(&cq->timer, end, HRTIMER_MODE_ABS);
}

/* The device's completion event. Context: any, also hard irq. The driver may
 * hold a lock that ib_poll_cq() takes, so this must not poll.
 */
static void cq_event(struct ib_cq *ib, void *context)
{
	struct smcr_link *link = context;
	struct smcr_wr_cq *cq = link->cq;
	struct smcr_wr_watch *watcher;
	unsigned long irq;

	spin_lock_irqsave(&cq->lock, irq);
	watcher = cq->open ? cq->watcher : NULL;
	if (watcher) {
		if (!cq->event)
			cq->since = ktime_get();
		WRITE_ONCE(cq->event, true);
		watcher->wait->func(watcher->wait, TASK_NORMAL, 0, NULL);
		cq_timer_start(cq);
	}
	spin_unlock_irqrestore(&cq->lock, irq);
	if (!watcher)
		cq_kick(cq);
}

/* The queue has overrun, or the adapter cannot write to it: no completion comes
 * any more. May run in hard irq. The link's structure outlives the queue, and
 * the destruction of the queue waits for this handler.
 */
static void cq_error(struct ib_event *event, void *context)
{
	struct smcr_link *link = context;

	if (event->event != IB_EVENT_CQ_ERR)
		return;
	/* Before the link fails: its drain looks at this */
	WRITE_ONCE(link->cq->broken, true);
	smcr_link_fail(link, -EIO);
}

static bool cq_event_take(struct smcr_wr_cq *cq)
{
	return READ_ONCE(cq->event) && xchg(&cq->event, false);
}

/* End the watch. From then on only the reader uses its structure. */
static void cq_watcher_end(struct smcr_wr_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	/* Pairs with the acquire in cq_unwatch(): the reader sees @late */
	smp_store_release(&cq->watcher, NULL);
}

/* If the watcher has not polled within its time, the softirq takes over. The
 * timer was perhaps started by an earlier event.
 */
static enum hrtimer_restart cq_late(struct hrtimer *timer)
{
	struct smcr_wr_cq *cq = container_of(timer, struct smcr_wr_cq, timer);
	bool late = false;
	unsigned long irq;

	spin_lock_irqsave(&cq->lock, irq);
	if (!READ_ONCE(cq->event)) {
		/* The watcher has polled, or there is none */
	} else if (ktime_sub(ktime_get(), cq->since) < watch_time(cq)) {
		cq_timer_start(cq);
	} else if (cq_event_take(cq)) {
		cq->watcher->late = true;
		cq_watcher_end(cq);
		late = true;
	}
	spin_unlock_irqrestore(&cq->lock, irq);
	if (late) {
		smcr_wr_count(cq->link, SMCR_MIB_READERPOLLSLATE, 1);
		cq_kick(cq);
	}
	return HRTIMER_NORESTART;
}

/* The watcher's poll. The softirq takes what it leaves. */
static void cq_watcher_run(struct smcr_wr_cq *cq, struct smcr_wr_watch *watch)
{
	bool more = false;

	watch->polled = true;
	spin_lock_bh(&cq->run);
	if (cq->open)
		more = cq_handle(cq, WATCH_BUDGET) >= WATCH_BUDGET ||
		       cq_arm(cq);
	if (more)
		cq_kick(cq);
	spin_unlock_bh(&cq->run);
	smcr_wr_count(cq->link, SMCR_MIB_READERPOLLS, 1);
}

static void cq_unwatch(struct smcr_wr_cq *cq, struct smcr_wr_watch *watch)
{
	unsigned long irq;
	bool event = false;

	/* Pairs with the release in cq_watcher_end() */
	if (smp_load_acquire(&cq->watcher) != watch)
		return;
	spin_lock_irqsave(&cq->lock, irq);
	if (cq->watcher == watch) {
		event = cq_event_take(cq);
		cq_watcher_end(cq);
	}
	spin_unlock_irqrestore(&cq->lock, irq);
	if (event)
		cq_watcher_run(cq, watch);
}

/**
 * smcr_wr_cq_seen() - note the connection that a CDC message is for
 * @link: the link that received it
 * @conn: the connection
 *
 * Context: a receive completion, so @run is held.
 */
void smcr_wr_cq_seen(struct smcr_link *link, const struct smcr_conn *conn)
{
	struct smcr_wr_cq *cq = link->cq;

	lockdep_assert_held(&cq->run);
	if (cq->last != conn) {
		WRITE_ONCE(cq->last, conn);
		WRITE_ONCE(cq->streak, 0);
	} else if (cq->streak < WATCH_STREAK) {
		WRITE_ONCE(cq->streak, cq->streak + 1);
	}
}

/**
 * smcr_wr_cq_watch() - let the next event wake a reader, if the next message is
 *	likely for its connection
 * @link: link of its connection
 * @watch: the reader
 *
 * A link has at most one watcher. Does nothing if there is another one, or if
 * the last messages were not all for @watch->conn.
 *
 * Context: process. smcr_wr_cq_unwatch() must follow.
 */
void smcr_wr_cq_watch(struct smcr_link *link, struct smcr_wr_watch *watch)
{
	struct smcr_wr_cq *cq = link->cq;
	unsigned long irq;

	if (READ_ONCE(cq->last) != watch->conn ||
	    READ_ONCE(cq->streak) < WATCH_STREAK)
		return;
	spin_lock_irqsave(&cq->lock, irq);
	if (!cq->watcher)
		WRITE_ONCE(cq->watcher, watch);
	spin_unlock_irqrestore(&cq->lock, irq);
}

/**
 * smcr_wr_cq_poll() - poll for a watcher if there was an event
 * @link: the link
 * @watch: as given to smcr_wr_cq_watch()
 *
 * Ends the watch if there was a message for another connection. Does nothing
 * for a reader that does not watch.
 *
 * Context: process; BH enabled. The sock lock may be held.
 */
void smcr_wr_cq_poll(struct smcr_link *link, struct smcr_wr_watch *watch)
{
	struct smcr_wr_cq *cq = link->cq;

	if (READ_ONCE(cq->watcher) != watch)
		return;
	if (cq_event_take(cq))
		cq_watcher_run(cq, watch);
	if (READ_ONCE(cq->last) != watch->conn)
		cq_unwatch(cq, watch);
}

/**
 * smcr_wr_cq_spin() - poll for a watcher that does not sleep yet
 * @link: the link
 * @watch: as given to smcr_wr_cq_watch()
 *
 * The queue may be armed; an event meanwhile is left to smcr_wr_cq_poll().
 *
 * Context: process; BH enabled, no lock held: the caller may poll for long.
 * Return: false if the reader does not watch, and the softirq polls.
 */
bool smcr_wr_cq_spin(struct smcr_link *link, const struct smcr_wr_watch *watch)
{
	struct smcr_wr_cq *cq = link->cq;
	int done = 0;

	if (READ_ONCE(cq->watcher) != watch)
		return false;
	if (!spin_trylock_bh(&cq->run))
		return true;
	if (cq->open)
		done = cq_handle(cq, WATCH_BUDGET);
	spin_unlock_bh(&cq->run);
	smcr_wr_count(link, SMCR_MIB_READERSPINS, done);
	return true;
}

/**
 * smcr_wr_cq_unwatch() - end the watch of a reader
 * @link: the link
 * @watch: as given to smcr_wr_cq_watch(), which may have done nothing
 *
 * On return nobody else uses @watch. Polls if there was an event that the
 * reader has not handled.
 *
 * Context: process; BH enabled. The sock lock may be held.
 */
void smcr_wr_cq_unwatch(struct smcr_link *link, struct smcr_wr_watch *watch)
{
	cq_unwatch(link->cq, watch);
}

/**
 * smcr_wr_cq_catch_up() - handle all completions that have come so far
 * @link: link that is not drained yet
 *
 * Context: softirq or process; no lock of a link or connection held.
 */
void smcr_wr_cq_catch_up(struct smcr_link *link)
{
	int all = smcr_wr_sq_depth(link) + smcr_wr_rq_depth(link) + 2;
	struct smcr_wr_cq *cq = link->cq;

	spin_lock_bh(&cq->run);
	if (cq->open)
		cq_handle(cq, all);
	spin_unlock_bh(&cq->run);
}

/**
 * smcr_wr_cq_kick() - have the queue polled, without an event
 * @link: link whose completion queue exists
 *
 * Context: any.
 */
void smcr_wr_cq_kick(struct smcr_link *link)
{
	cq_kick(link->cq);
}

/**
 * smcr_wr_cq_broken() - has the adapter reported an error of the queue?
 * @link: link whose completion queue exists
 *
 * Context: any.
 * Return: true if no completion will come.
 */
bool smcr_wr_cq_broken(const struct smcr_link *link)
{
	return READ_ONCE(link->cq->broken);
}

/**
 * smcr_wr_cq_verbs() - the verbs object of a link's completion queue
 * @link: link after smcr_wr_cq_init()
 *
 * Context: process.
 */
struct ib_cq *smcr_wr_cq_verbs(const struct smcr_link *link)
{
	return link->cq->ib;
}

static int cq_create(struct smcr_wr_cq *cq)
{
	struct smcr_link *link = cq->link;
	struct ib_cq_init_attr attr = {
		.cqe = smcr_wr_sq_depth(link) + smcr_wr_rq_depth(link) + 2,
		.comp_vector = smcr_ib_vector_get(link->local.dev),
	};
	struct ib_cq *ib;

	ib = ib_create_cq(smcr_wr_ibdev(link), cq_event, cq_error, link,
			  &attr);
	if (IS_ERR(ib)) {
		smcr_ib_vector_put(link->local.dev, attr.comp_vector);
		return PTR_ERR(ib);
	}
	cq->ib = ib;
	cq->open = true;
	cq->vector = attr.comp_vector;
	/* The queue is empty, so no completion can come before the arming */
	cq_arm(cq);
	return 0;
}

/**
 * smcr_wr_cq_init() - create one completion queue for both queues of a link
 * @link: link with an allocated send queue and receive queue
 *
 * Context: process.
 * Return: 0 or -errno; in both cases smcr_wr_cq_close(), smcr_wr_cq_destroy()
 * and smcr_wr_cq_free() undo it.
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
	hrtimer_init(&cq->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	cq->timer.function = cq_late;
	link->cq = cq;
	return cq_create(cq);
}

/**
 * smcr_wr_cq_close() - handle no completion any more
 * @link: the link; smcr_wr_cq_init() may have failed
 *
 * An event does nothing afterwards, since the softirq is disabled. A reader may
 * still watch; its polls find that the queue is closed.
 *
 * Context: process; sleeps; qp_mutex held.
 */
void smcr_wr_cq_close(struct smcr_link *link)
{
	struct smcr_wr_cq *cq = link->cq;

	lockdep_assert_held(&link->qp_mutex);
	if (!cq || !cq->open)
		return;
	irq_poll_disable(&cq->iop);
	spin_lock_bh(&cq->run);
	spin_lock_irq(&cq->lock);
	cq->open = false;
	spin_unlock_irq(&cq->lock);
	spin_unlock_bh(&cq->run);
	/* No event can start it any more */
	hrtimer_cancel(&cq->timer);
}

/**
 * smcr_wr_cq_destroy() - destroy the completion queue
 * @link: link without a queue pair, after smcr_wr_cq_close()
 *
 * Context: process; sleeps.
 * Return: 0 if no event can come any more, or the device's error.
 */
int smcr_wr_cq_destroy(struct smcr_link *link)
{
	struct smcr_wr_cq *cq = link->cq;
	int err;

	if (!cq || !cq->ib)
		return 0;
	/* ib_destroy_cq() does not return the error */
	err = ib_destroy_cq_user(cq->ib, NULL);
	if (err)
		return err;
	cq->ib = NULL;
	smcr_ib_vector_put(link->local.dev, cq->vector);
	return 0;
}

/**
 * smcr_wr_cq_free() - free the memory of the completion queue
 * @link: link without references; smcr_wr_cq_init() may have failed
 *
 * Context: process.
 */
void smcr_wr_cq_free(struct smcr_link *link)
{
	kfree(link->cq);
	link->cq = NULL;
}
