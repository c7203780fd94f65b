// SPDX-License-Identifier: GPL-2.0
/*
 * While this module is loaded, memory regions of all RDMA devices are had as
 * from a slow adapter, or from one whose driver finds no memory for large ones.
 * In /sys/module/slowmr/parameters:
 *
 *   delay_ms	how long it takes to have one
 *   max_pages	the largest that can be had, 0 for no bound
 *   waiting	how many are being had at the moment
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

static uint delay_ms;
module_param(delay_ms, uint, 0644);
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

/* The bed's devices are all of one driver. */
static struct ib_mr *(*real_alloc)(struct ib_pd *pd, enum ib_mr_type type,
				   u32 max_sg);

static struct ib_mr *slow_alloc(struct ib_pd *pd, enum ib_mr_type type,
				u32 max_sg)
{
	if (READ_ONCE(max_pages) && max_sg > READ_ONCE(max_pages))
		return ERR_PTR(-ENOMEM);
	atomic_inc(&waiting);
	msleep(READ_ONCE(delay_ms));
	atomic_dec(&waiting);
	return real_alloc(pd, type, max_sg);
}

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
	return ib_register_client(&slowmr_client);
}

static void __exit slowmr_exit(void)
{
	ib_unregister_client(&slowmr_client);
	/* Who came before is still inside */
	while (atomic_read(&waiting))
		msleep(20);
}

module_init(slowmr_init);
module_exit(slowmr_exit);
MODULE_DESCRIPTION("Memory regions as from a slow or a poor adapter");
MODULE_LICENSE("GPL");
