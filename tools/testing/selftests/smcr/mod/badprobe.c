// SPDX-License-Identifier: GPL-2.0
/*
 * This module gives a wrong key to the next probe of a first contact that this
 * host sends, so that the peer's adapter refuses it, as if the peer's memory was
 * not accessible yet.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

#include "wr.h"

static atomic_t left = ATOMIC_INIT(1);

static int on_post_llc(struct kprobe *kp, struct pt_regs *regs)
{
	struct smcr_wr_probe *probe;

	probe = (void *)regs_get_kernel_argument(regs, 3);
	if (probe && atomic_dec_if_positive(&left) >= 0)
		probe->rkey ^= 0xFF;
	return 0;
}

static struct kprobe probe_post_llc = {
	.symbol_name = "smcr_wr_post_llc",
	.pre_handler = on_post_llc,
};

static int __init badprobe_init(void)
{
	return register_kprobe(&probe_post_llc);
}

static void __exit badprobe_exit(void)
{
	unregister_kprobe(&probe_post_llc);
}

module_init(badprobe_init);
module_exit(badprobe_exit);
MODULE_DESCRIPTION("Test only: the key of a probe is wrong");
MODULE_LICENSE("GPL");
