// SPDX-License-Identifier: GPL-2.0
/*
 * This module counts the completion queues that exist, by completion vector.
 *
 * /proc/vectors shows "vector number" lines, one for each vector that had a
 * queue since the module was loaded.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "probe.h"

#define VECTORS	64

static DEFINE_XARRAY(queues);	/* vectors by address of the queue */
static atomic_t number[VECTORS];
static bool seen[VECTORS];

/* __ib_create_cq(device, comp_handler, event_handler, cq_context, attr, ...) */
static int enter_create(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct ib_cq_init_attr *attr;

	attr = (void *)regs_get_kernel_argument(regs, 4);
	*(u32 *)ri->data = attr->comp_vector;
	return 0;
}

static int leave_create(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	unsigned long cq = regs_return_value(regs);
	u32 vector = *(u32 *)ri->data;

	if (IS_ERR_VALUE(cq) || vector >= VECTORS ||
	    xa_is_err(xa_store(&queues, cq >> 3, xa_mk_value(vector),
			       GFP_ATOMIC)))
		return 0;
	seen[vector] = true;
	atomic_inc(&number[vector]);
	return 0;
}

/* ib_destroy_cq_user(struct ib_cq *, struct ib_udata *) */
static int on_destroy(struct kprobe *kp, struct pt_regs *regs)
{
	unsigned long cq = regs_get_kernel_argument(regs, 0);
	void *vector = xa_erase(&queues, cq >> 3);

	if (xa_is_value(vector))
		atomic_dec(&number[xa_to_value(vector)]);
	return 0;
}

static struct kretprobe create = {
	.kp.symbol_name	= "__ib_create_cq",
	.entry_handler	= enter_create,
	.handler	= leave_create,
	.data_size	= sizeof(u32),
};

static struct kprobe destroy = {
	.symbol_name	= "ib_destroy_cq_user",
	.pre_handler	= on_destroy,
};

static int vectors_show(struct seq_file *seq, void *v)
{
	int i;

	for (i = 0; i < VECTORS; i++)
		if (seen[i])
			seq_printf(seq, "%d %d\n", i, atomic_read(&number[i]));
	return 0;
}

static int __init vectors_init(void)
{
	int err = register_kretprobe(&create);

	if (err)
		return err;
	err = register_kprobe(&destroy);
	if (!err && !proc_create_single("vectors", 0400, NULL, vectors_show)) {
		unregister_kprobe(&destroy);
		err = -ENOMEM;
	}
	if (err)
		unregister_kretprobe(&create);
	return err;
}

static void __exit vectors_exit(void)
{
	remove_proc_entry("vectors", NULL);
	unregister_kprobe(&destroy);
	unregister_kretprobe(&create);
	xa_destroy(&queues);
}

module_init(vectors_init);
module_exit(vectors_exit);
MODULE_DESCRIPTION("Test only: completion queues by completion vector");
MODULE_LICENSE("GPL");
