// SPDX-License-Identifier: GPL-2.0
/*
 * This module makes send space fail, as on a host without memory. Files in
 * /sys/module/nomap/parameters:
 *
 *   on		while it is set, the mapping of a chunk for another device than
 *		its own fails with ENOMEM. A connection needs such a mapping
 *		when it moves to another adapter
 *   none	while it is set, there are no chunks
 *   small	while it is set, there are no chunks of 64 KB
 */
#include <linux/kprobes.h>
#include <linux/module.h>

#include "chunk.h"

static bool on, none, small;
module_param(on, bool, 0644);
module_param(none, bool, 0644);
module_param(small, bool, 0644);

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

/* Runs instead of smcr_wr_chunk_get() and smcr_chunk_new(). */
static noinline void *no_chunk(void)
{
	return NULL;
}

static int on_get(struct kprobe *kp, struct pt_regs *regs)
{
	if (!READ_ONCE(none) &&
	    !(READ_ONCE(small) &&
	      regs_get_kernel_argument(regs, 1) == SMCR_CHUNK_LARGE))
		return 0;
	instruction_pointer_set(regs, (unsigned long)no_chunk);
	return 1;
}

static struct kprobe dma = {
	.symbol_name = "smcr_chunk_dma",
	.pre_handler = on_dma,
};

static struct kprobe get = {
	.symbol_name = "smcr_wr_chunk_get",
	.pre_handler = on_get,
};

static struct kprobe new = {
	.symbol_name = "smcr_chunk_new",
	.pre_handler = on_get,
};

static struct kprobe *probes[] = { &dma, &get, &new };

static int __init nomap_init(void)
{
	return register_kprobes(probes, ARRAY_SIZE(probes));
}

static void __exit nomap_exit(void)
{
	unregister_kprobes(probes, ARRAY_SIZE(probes));
}

module_init(nomap_init);
module_exit(nomap_exit);
MODULE_DESCRIPTION("Test only: no memory to map send space for a new adapter");
MODULE_LICENSE("GPL");
