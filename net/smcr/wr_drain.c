// SPDX-License-Identifier: GPL-2.0
/*
 * Drain of a link's queue pair: waits until each completion has come and was
 * handled. A request that is the last one of its queue, in the error state,
 * tells that by its own completion.
 *
 * ib_drain_qp() does the same, but
 *
 * - it returns, after a warning, if the device refuses that request. Some
 *   adapters do so while they are being reset (hns), or always (ocrdma). Their
 *   completions may still come. So the request is posted here, and a device
 *   that refuses it is not drained: destroying the queue pair ends its
 *   requests.
 * - it waits without an end. A device that never completes the request is not
 *   drained either.
 *
 * mlx4 and mlx5 have drain functions of their own, which wait without an end,
 * too, and are not used. These adapters take the request as any other one while
 * their firmware works. If it dies afterwards, the driver completes the request
 * when the queue is polled, and raises one event for that; see @fresh in
 * wr_cq.c. If it is dead already, the driver refuses the request.
 *
 * Some adapters (bnxt_re) make the completions of a queue pair in error in
 * software, and raise an event only if the completion queue is armed at that
 * moment. So a timer has the queue polled until the drain is over.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/net.h>
#include <linux/timer.h>
#include <rdma/ib_verbs.h>

#include "ib.h"
#include "link.h"
#include "mib.h"
#include "wr.h"
#include "wr_verbs.h"

/* Interval of polls without an event */
#define DRAIN_POLL	(HZ / 10)
/* Time after which a device is taken for one that does not drain */
#define DRAIN_MAX	(60 * HZ)

/**
 * struct drain_timer - polls a completion queue for as long as a drain takes
 * @timer: the timer
 * @link: the link
 */
struct drain_timer {
	struct timer_list	timer;
	struct smcr_link	*link;
};

static void drain_poll(struct timer_list *timer)
{
	struct drain_timer *drain = from_timer(drain, timer, timer);

	smcr_wr_cq_kick(drain->link);
	mod_timer(timer, jiffies + DRAIN_POLL);
}

static void drain_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct smcr_wr_drain *drain = container_of(wc->wr_cqe,
						   struct smcr_wr_drain, cqe);

	complete(&drain->done);
}

static void drain_init(struct smcr_wr_drain *drain)
{
	drain->cqe.done = drain_done;
	init_completion(&drain->done);
}

static int drain_wait(struct smcr_wr_drain *drain)
{
	return wait_for_completion_timeout(&drain->done, DRAIN_MAX) ?
	       0 : -ETIMEDOUT;
}

/* The gate is closed, so nothing else posts to the queue. */
static int drain_send(struct smcr_link *link)
{
	struct smcr_wr_drain *drain = &link->wr->sq_drain;
	struct ib_rdma_wr wr = {
		.wr.wr_cqe = &drain->cqe,
		.wr.opcode = IB_WR_RDMA_WRITE,
	};
	int err;

	drain_init(drain);
	err = ib_post_send(link->qp, &wr.wr, NULL);
	return err ?: drain_wait(drain);
}

static int drain_recv(struct smcr_link *link)
{
	struct smcr_wr_drain *drain = &link->wr->rq_drain;
	struct ib_recv_wr wr = { .wr_cqe = &drain->cqe };
	int err;

	drain_init(drain);
	err = ib_post_recv(link->qp, &wr, NULL);
	return err ?: drain_wait(drain);
}

static int drain_queues(struct smcr_link *link)
{
	struct drain_timer drain = { .link = link };
	int err;

	timer_setup_on_stack(&drain.timer, drain_poll, 0);
	mod_timer(&drain.timer, jiffies + DRAIN_POLL);
	err = drain_send(link);
	if (!err)
		err = drain_recv(link);
	timer_delete_sync(&drain.timer);
	destroy_timer_on_stack(&drain.timer);
	return err;
}

/**
 * smcr_wr_drain() - put the queue pair into error and wait for its completions
 * @link: link whose gate and receive queue are closed
 *
 * All completions are handled then, as the queue's pollers take turns.
 *
 * Context: process; sleeps.
 * Return: 0; -errno if the device refuses the error state or the drain, or the
 * completion queue is broken. Completions may come until the queue pair is
 * destroyed.
 */
int smcr_wr_drain(struct smcr_link *link)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	int err;

	smcr_wr_silence_stop(link);
	err = ib_modify_qp(link->qp, &attr, IB_QP_STATE);
	/* The completions of the drain's own requests would not come. */
	if (!err && smcr_wr_cq_broken(link))
		err = -EIO;
	if (!err)
		err = drain_queues(link);
	if (!err)
		return 0;
	smcr_wr_count(link, SMCR_MIB_LINKSUNDRAINED, 1);
	net_warn_ratelimited("%s does not drain queue pair %u (error %d); destroying it undrained\n",
			     smcr_ib_dev_name(link->local.dev), link->qpn, err);
	return err;
}
