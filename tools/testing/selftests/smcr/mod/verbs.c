// SPDX-License-Identifier: GPL-2.0
/*
 * This module makes Soft-RoCE behave like other adapters: it replaces verbs of
 * each Soft-RoCE device by functions of its own, which call the replaced ones.
 *
 * Each write to /proc/verbs is one "name value"; all values are 0 at first:
 *
 *   refuse	1: a queue pair in the error state takes no request (hns during
 *		a reset; ocrdma)
 *   dead	1: once a queue pair is in the error state, the firmware is dead
 *		for it, as mlx5 sees that: its completion queues are not armed
 *		any more, and a request that is posted raises one event. The
 *		request's completion, and the event, come after the next poll,
 *		but while the poller has not ended. The device has drain
 *		functions of its own, which do not return
 *   slowarm	microseconds that the arming of a completion queue takes
 *   cqerr	1: each completion queue of smcr that is polled has an error from
 *		then on: it is reported once, and no completion comes any more
 *   keepqp	1: a queue pair is not destroyed, as the firmware does not answer
 *		(bnxt_re)
 *   keepmr	1: the same for memory regions
 *
 * Reading returns "name value" lines: "refused" requests, "late" events,
 * "broken" queues and the reports of them ("reported"), calls of the drain
 * functions ("drained"), objects that were not destroyed ("kept").
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "probe.h"

enum { REFUSE, DEAD, SLOWARM, CQERR, KEEPQP, KEEPMR, SETTINGS };

static const char *const names[] = {
	"refuse", "dead", "slowarm", "cqerr", "keepqp", "keepmr"
};

static int settings[SETTINGS];
static atomic_t refused, late, broken, reported, drained, kept;
static DECLARE_WAIT_QUEUE_HEAD(undead);

/* Verbs of Soft-RoCE, as in struct ib_device_ops */
static struct {
	int (*modify_qp)(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			 struct ib_udata *udata);
	int (*destroy_qp)(struct ib_qp *qp, struct ib_udata *udata);
	int (*post_send)(struct ib_qp *qp, const struct ib_send_wr *wr,
			 const struct ib_send_wr **bad);
	int (*post_recv)(struct ib_qp *qp, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad);
	int (*poll_cq)(struct ib_cq *cq, int n, struct ib_wc *wc);
	int (*req_notify_cq)(struct ib_cq *cq, enum ib_cq_notify_flags flags);
	int (*destroy_cq)(struct ib_cq *cq, struct ib_udata *udata);
	int (*dereg_mr)(struct ib_mr *mr, struct ib_udata *udata);
} rxe;
/* Queue pairs in the error state and their completion queues, completion queues
 * with a late event, and those with an error, by address
 */
static DEFINE_XARRAY(errors);
static DEFINE_XARRAY_FLAGS(lates, XA_FLAGS_LOCK_IRQ);
static DEFINE_XARRAY_FLAGS(brokens, XA_FLAGS_LOCK_IRQ);

static bool is_on(int setting)
{
	return READ_ONCE(settings[setting]);
}

static unsigned long key_of(const void *object)
{
	return (unsigned long)object / sizeof(long);
}

static bool in_error(const void *object)
{
	return xa_load(&errors, key_of(object));
}

static int verbs_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			   struct ib_udata *udata)
{
	int err = rxe.modify_qp(qp, attr, mask, udata);

	if (err || !(mask & IB_QP_STATE) || attr->qp_state != IB_QPS_ERR)
		return err;
	xa_store(&errors, key_of(qp), qp, GFP_KERNEL);
	xa_store(&errors, key_of(qp->send_cq), qp, GFP_KERNEL);
	xa_store(&errors, key_of(qp->recv_cq), qp, GFP_KERNEL);
	return 0;
}

/* Is an object of this kind not destroyed? */
static bool keeps(int setting)
{
	if (!is_on(setting))
		return false;
	atomic_inc(&kept);
	return true;
}

static int verbs_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	xa_erase(&errors, key_of(qp));
	xa_erase(&errors, key_of(qp->send_cq));
	xa_erase(&errors, key_of(qp->recv_cq));
	return keeps(KEEPQP) ? -ETIMEDOUT : rxe.destroy_qp(qp, udata);
}

static int verbs_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	return keeps(KEEPMR) ? -ETIMEDOUT : rxe.dereg_mr(mr, udata);
}

static bool refuses(const struct ib_qp *qp)
{
	if (!is_on(REFUSE) || !in_error(qp))
		return false;
	atomic_inc(&refused);
	return true;
}

/* Raise one event, which finds the poller at its end. */
static void end_poll(struct ib_cq *cq)
{
	unsigned long flags;

	xa_lock_irqsave(&lates, flags);
	__xa_store(&lates, key_of(cq), cq, GFP_ATOMIC);
	xa_unlock_irqrestore(&lates, flags);
	cq->comp_handler(cq, cq->cq_context);
}

static int verbs_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			   const struct ib_send_wr **bad)
{
	int err;

	if (refuses(qp)) {
		*bad = wr;
		return -EIO;
	}
	err = rxe.post_send(qp, wr, bad);
	if (!err && is_on(DEAD) && in_error(qp))
		end_poll(qp->send_cq);
	return err;
}

static int verbs_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			   const struct ib_recv_wr **bad)
{
	int err;

	if (refuses(qp)) {
		*bad = wr;
		return -EIO;
	}
	err = rxe.post_recv(qp, wr, bad);
	if (!err && is_on(DEAD) && in_error(qp))
		end_poll(qp->recv_cq);
	return err;
}

/* Has the completion queue an error? If one is due, report it. */
static bool is_broken(struct ib_cq *cq)
{
	struct ib_event event = {
		.device = cq->device,
		.event = IB_EVENT_CQ_ERR,
		.element.cq = cq,
	};
	unsigned long flags;

	if (xa_load(&brokens, key_of(cq)))
		return true;
	if (!is_on(CQERR) || !cq->res.kern_name ||
	    strcmp(cq->res.kern_name, "smcr"))
		return false;
	xa_lock_irqsave(&brokens, flags);
	__xa_store(&brokens, key_of(cq), cq, GFP_ATOMIC);
	xa_unlock_irqrestore(&brokens, flags);
	atomic_inc(&broken);
	if (cq->event_handler) {
		atomic_inc(&reported);
		cq->event_handler(&event, cq->cq_context);
	}
	return true;
}

static int verbs_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	unsigned long flags;

	xa_lock_irqsave(&brokens, flags);
	__xa_erase(&brokens, key_of(cq));
	xa_unlock_irqrestore(&brokens, flags);
	return rxe.destroy_cq(cq, udata);
}

static int verbs_poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc)
{
	unsigned long flags;
	void *found;

	if (is_broken(cq))
		return 0;
	xa_lock_irqsave(&lates, flags);
	found = __xa_erase(&lates, key_of(cq));
	xa_unlock_irqrestore(&lates, flags);
	if (!found)
		return rxe.poll_cq(cq, n, wc);
	atomic_inc(&late);
	cq->comp_handler(cq, cq->cq_context);
	return 0;
}

static int verbs_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	if (is_on(DEAD) && in_error(cq))
		return 0;
	if (is_on(SLOWARM))
		mdelay(DIV_ROUND_UP(READ_ONCE(settings[SLOWARM]), 1000));
	return rxe.req_notify_cq(cq, flags);
}

/* Whoever calls this waits for the end of "dead". */
static void verbs_drain(struct ib_qp *qp)
{
	atomic_inc(&drained);
	wait_event(undead, !is_on(DEAD));
}

static void verbs_set_drain(struct ib_device *ibdev, bool on)
{
	ibdev->ops.drain_sq = on ? verbs_drain : NULL;
	ibdev->ops.drain_rq = on ? verbs_drain : NULL;
}

static int verbs_add(struct ib_device *ibdev);
static void verbs_remove(struct ib_device *ibdev, void *data);

static struct ib_client client = {
	.name	= "verbs",
	.add	= verbs_add,
	.remove	= verbs_remove,
};

/* Replace a verb. */
#define TAKE(ibdev, verb) do {						\
	rxe.verb = (ibdev)->ops.verb;					\
	(ibdev)->ops.verb = verbs_ ## verb;				\
} while (0)

static int verbs_add(struct ib_device *ibdev)
{
	if (ibdev->ops.driver_id != RDMA_DRIVER_RXE)
		return -EOPNOTSUPP;
	TAKE(ibdev, modify_qp);
	TAKE(ibdev, destroy_qp);
	TAKE(ibdev, post_send);
	TAKE(ibdev, post_recv);
	TAKE(ibdev, poll_cq);
	TAKE(ibdev, req_notify_cq);
	TAKE(ibdev, destroy_cq);
	TAKE(ibdev, dereg_mr);
	verbs_set_drain(ibdev, is_on(DEAD));
	ib_set_client_data(ibdev, &client, ibdev);
	return 0;
}

static void verbs_remove(struct ib_device *ibdev, void *data)
{
	verbs_set_drain(ibdev, false);
	ibdev->ops.modify_qp = rxe.modify_qp;
	ibdev->ops.destroy_qp = rxe.destroy_qp;
	ibdev->ops.post_send = rxe.post_send;
	ibdev->ops.post_recv = rxe.post_recv;
	ibdev->ops.poll_cq = rxe.poll_cq;
	ibdev->ops.req_notify_cq = rxe.req_notify_cq;
	ibdev->ops.destroy_cq = rxe.destroy_cq;
	ibdev->ops.dereg_mr = rxe.dereg_mr;
}

/* The drain functions are set when a device is added, so add all again. */
static int verbs_again(void)
{
	ib_unregister_client(&client);
	return ib_register_client(&client);
}

static ssize_t verbs_write(struct file *file, const char __user *from,
			   size_t len, loff_t *pos)
{
	char line[32] = {}, name[16];
	int value, i, err = 0;

	if (len >= sizeof(line) || copy_from_user(line, from, len) ||
	    sscanf(line, "%15s %d", name, &value) != 2)
		return -EINVAL;
	i = match_string(names, SETTINGS, name);
	if (i < 0)
		return i;
	WRITE_ONCE(settings[i], value);
	if (i == DEAD) {
		wake_up_all(&undead);
		err = verbs_again();
	}
	return err ?: len;
}

static int verbs_show(struct seq_file *seq, void *v)
{
	seq_printf(seq, "refused %d\nlate %d\nbroken %d\nreported %d\n",
		   atomic_read(&refused), atomic_read(&late),
		   atomic_read(&broken), atomic_read(&reported));
	seq_printf(seq, "drained %d\nkept %d\n", atomic_read(&drained),
		   atomic_read(&kept));
	return 0;
}

PROBE_PROC_OPS(verbs);

static int __init verbs_init(void)
{
	int err = ib_register_client(&client);

	if (err)
		return err;
	if (proc_create("verbs", 0600, NULL, &verbs_proc_ops))
		return 0;
	ib_unregister_client(&client);
	return -ENOMEM;
}

/* A verb that was called before may still run here for a moment. */
static void __exit verbs_exit(void)
{
	remove_proc_entry("verbs", NULL);
	WRITE_ONCE(settings[DEAD], 0);
	wake_up_all(&undead);
	ib_unregister_client(&client);
	synchronize_rcu();
	msleep(100);
	xa_destroy(&errors);
	xa_destroy(&lates);
	xa_destroy(&brokens);
}

module_init(verbs_init);
module_exit(verbs_exit);
MODULE_DESCRIPTION("Test only: Soft-RoCE with the manners of other adapters");
MODULE_LICENSE("GPL");
