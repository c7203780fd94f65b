// SPDX-License-Identifier: GPL-2.0
/*
 * While this module is loaded, all RDMA devices allocate and register memory
 * regions as slowly as it is told, and fail to allocate large ones, as a driver
 * without memory does. Files in /sys/module/slowmr/parameters:
 *
 *   delay_ms	time that the allocation of a region takes
 *   reg_ms	time that a queue pair needs to register a region
 *   max_pages	largest region that can be allocated, 0 for no bound
 *   waiting	number of allocations and registrations that wait now
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
static uint max_pages;
module_param(max_pages, uint, 0644);

static atomic_t waiting = ATOMIC_INIT(0);

static int waiting_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&waiting));
}

static const struct kernel_param_ops waiting_ops = {
	.get = waiting_get,
};

module_param_cb(waiting, &waiting_ops, NULL, 0444);

static void wait_for(const uint *ms)
{
	unsigned long begin = jiffies;

	atomic_inc(&waiting);
	while (time_before(jiffies, begin + msecs_to_jiffies(READ_ONCE(*ms))))
		msleep(20);
	atomic_dec(&waiting);
}

/* One pointer is enough: all devices of the test bed have the same driver. */
static struct ib_mr *(*real_alloc)(struct ib_pd *pd, enum ib_mr_type type,
				   u32 max_sg);

static struct ib_mr *slow_alloc(struct ib_pd *pd, enum ib_mr_type type,
				u32 max_sg)
{
	if (READ_ONCE(max_pages) && max_sg > READ_ONCE(max_pages))
		return ERR_PTR(-ENOMEM);
	wait_for(&delay_ms);
	return real_alloc(pd, type, max_sg);
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

	wait_for(&reg_ms);
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
	return 0;
}

static void slowmr_remove(struct ib_device *dev, void *data)
{
	dev->ops.alloc_mr = real_alloc;
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
	while (atomic_read(&waiting) || atomic_read(&running))
		msleep(20);
}

module_init(slowmr_init);
module_exit(slowmr_exit);
MODULE_DESCRIPTION("Test only: slow or failing memory regions");
MODULE_LICENSE("GPL");
