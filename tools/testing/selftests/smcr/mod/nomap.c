// SPDX-License-Identifier: GPL-2.0
/*
 * This module makes the mapping of send space for another device than its own
 * fail, as on a host that has no memory in softirq. A connection needs such a
 * mapping when it moves to another adapter. File in /sys/module/nomap/parameters:
 *
 *   on		while it is set, such a mapping fails with ENOMEM
 */
#include <linux/kprobes.h>
#include <linux/module.h>

#include "chunk.h"

static bool on;
module_param(on, bool, 0644);

/* Runs instead of smcr_chunk_dma(). */
static noinline int no_map(struct smcr_chunk *chunk, struct smcr_ibdev *dev,
			   u64 *dma)
{
	return -ENOMEM;
}

static int on_dma(struct kprobe *kp, struct pt_regs *regs)
{
	struct smcr_chunk *chunk = (void *)regs_get_kernel_argument(regs, 0);

	if (!READ_ONCE(on) ||
	    (void *)regs_get_kernel_argument(regs, 1) == chunk->home.dev)
		return 0;
	instruction_pointer_set(regs, (unsigned long)no_map);
	return 1;
}

static struct kprobe probe = {
	.symbol_name = "smcr_chunk_dma",
	.pre_handler = on_dma,
};

static int __init nomap_init(void)
{
	return register_kprobe(&probe);
}

static void __exit nomap_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(nomap_init);
module_exit(nomap_exit);
MODULE_DESCRIPTION("Test only: no memory to map send space for a new adapter");
MODULE_LICENSE("GPL");
