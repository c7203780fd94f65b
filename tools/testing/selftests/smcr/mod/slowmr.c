// SPDX-License-Identifier: GPL-2.0
/*
 * While this module is loaded, all RDMA devices allocate, register and free
 * memory regions, connect queue pairs and tell the states of their ports as
 * slowly as it is told, and fail to allocate large regions, as a driver without
 * memory does. Files in
 * /sys/module/slowmr/parameters:
 *
 *   delay_ms	time that the allocation of a region takes
 *   qp_ms	time that a queue pair takes to go to RTR
 *   reg_ms	time that a queue pair needs to register a region
 *   free_ms	time that the end of a region takes
 *   port_ms	time that the state of a port takes
 *   max_pages	largest region that can be allocated, 0 for no bound
 *   waiting	number of allocations, registrations and queue pairs that wait
 *		now
 *   freeing	number of regions whose end waits now
 *   asking	number of questions for the state of a port that wait now
 *
 * A new time also applies to calls that wait already.
 *
 * A probe at the entry of Soft-RoCE's function that registers a region sends
 * each call to slow_reg(), which runs in the worker of the queue pair's send
 * queue and may sleep.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "probe.h"

static uint delay_ms;
module_param(delay_ms, uint, 0644);
static uint reg_ms;
module_param(reg_ms, uint, 0644);
static uint qp_ms;
module_param(qp_ms, uint, 0644);
static uint free_ms;
module_param(free_ms, uint, 0644);
static uint port_ms;
module_param(port_ms, uint, 0644);
static uint max_pages;
module_param(max_pages, uint, 0644);

static atomic_t waiting = ATOMIC_INIT(0);
static atomic_t freeing = ATOMIC_INIT(0);
static atomic_t asking = ATOMIC_INIT(0);

static int count_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read((atomic_t *)kp->arg));
}

static const struct kernel_param_ops count_ops = {
	.get = count_get,
};

module_param_cb(waiting, &count_ops, &waiting, 0444);
module_param_cb(freeing, &count_ops, &freeing, 0444);
module_param_cb(asking, &count_ops, &asking, 0444);

static void wait_for(const uint *ms, atomic_t *count)
{
	unsigned long begin = jiffies;

	atomic_inc(count);
	while (time_before(jiffies, begin + msecs_to_jiffies(READ_ONCE(*ms))))
		msleep(20);
	atomic_dec(count);
}

/* One pointer is enough: all devices of the test bed have the same driver. */
static struct ib_mr *(*real_alloc)(struct ib_pd *pd, enum ib_mr_type type,
				   u32 max_sg);
static int (*real_free)(struct ib_mr *mr, struct ib_udata *udata);
static int (*real_modify)(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			  struct ib_udata *udata);
static int (*real_port)(struct ib_device *dev, u32 port,
			struct ib_port_attr *attr);

static struct ib_mr *slow_alloc(struct ib_pd *pd, enum ib_mr_type type,
				u32 max_sg)
{
	if (READ_ONCE(max_pages) && max_sg > READ_ONCE(max_pages))
		return ERR_PTR(-ENOMEM);
	wait_for(&delay_ms, &waiting);
	return real_alloc(pd, type, max_sg);
}

static int slow_free(struct ib_mr *mr, struct ib_udata *udata)
{
	wait_for(&free_ms, &freeing);
	return real_free(mr, udata);
}

static int slow_modify(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata)
{
	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_RTR)
		wait_for(&qp_ms, &waiting);
	return real_modify(qp, attr, mask, udata);
}

static int slow_port(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	wait_for(&port_ms, &asking);
	return real_port(dev, port, attr);
}

struct rxe_qp;
struct rxe_send_wqe;

typedef int (*reg_func)(struct rxe_qp *qp, struct rxe_send_wqe *wqe);

/* Tasks in slow_reg() */
static struct probe_tasks inside;
static atomic_t running;
static struct kprobe probe;

static noinline int slow_reg(struct rxe_qp *qp, struct rxe_send_wqe *wqe)
{
	int err = -ENOMEM;

	wait_for(&reg_ms, &waiting);
	if (probe_pass_next(&inside))
		err = ((reg_func)probe.addr)(qp, wqe);
	atomic_dec(&running);
	return err;
}

static int on_reg(struct kprobe *kp, struct pt_regs *regs)
{
	if (probe_passes(&inside) || !READ_ONCE(reg_ms))
		return 0;
	atomic_inc(&running);
	instruction_pointer_set(regs, (unsigned long)slow_reg);
	return 1;
}

static struct kprobe probe = {
	.symbol_name = "rxe_reg_fast_mr",
	.pre_handler = on_reg,
};

static int slowmr_add(struct ib_device *dev)
{
	real_alloc = dev->ops.alloc_mr;
	dev->ops.alloc_mr = slow_alloc;
	real_free = dev->ops.dereg_mr;
	dev->ops.dereg_mr = slow_free;
	real_modify = dev->ops.modify_qp;
	dev->ops.modify_qp = slow_modify;
	real_port = dev->ops.query_port;
	dev->ops.query_port = slow_port;
	return 0;
}

static void slowmr_remove(struct ib_device *dev, void *data)
{
	dev->ops.alloc_mr = real_alloc;
	dev->ops.dereg_mr = real_free;
	dev->ops.modify_qp = real_modify;
	dev->ops.query_port = real_port;
}

static struct ib_client slowmr_client = {
	.name	= "slowmr",
	.add	= slowmr_add,
	.remove	= slowmr_remove,
};

static int __init slowmr_init(void)
{
	int err = register_kprobe(&probe);

	if (err)
		return err;
	err = ib_register_client(&slowmr_client);
	if (err)
		unregister_kprobe(&probe);
	return err;
}

static void __exit slowmr_exit(void)
{
	ib_unregister_client(&slowmr_client);
	unregister_kprobe(&probe);
	/* Calls that began before may still be inside */
	while (atomic_read(&waiting) || atomic_read(&freeing) ||
	       atomic_read(&asking) || atomic_read(&running))
		msleep(20);
}

module_init(slowmr_init);
module_exit(slowmr_exit);
MODULE_DESCRIPTION("Test only: slow or failing memory regions, slow queue pairs and ports");
MODULE_LICENSE("GPL");
