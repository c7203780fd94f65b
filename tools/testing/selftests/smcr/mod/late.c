// SPDX-License-Identifier: GPL-2.0
/*
 * While this module is loaded, the handshake that forms a link group of smcr
 * never finds out that the group is ready: it stays in flight until its
 * deadline, as one does whose work came too late. The others are left alone.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>

#include "hs.h"

/* What runs instead: it returns to the caller of the function. */
static noinline notrace void late_nothing(void)
{
}

static int on_done(struct kprobe *kp, struct pt_regs *regs)
{
	struct smcr_hs *hs = (void *)regs_get_kernel_argument(regs, 0);

	if (!hs->first_contact)
		return 0;
	instruction_pointer_set(regs, (unsigned long)late_nothing);
	return 1;
}

NOKPROBE_SYMBOL(on_done);

/* A probe that has one is never made a jump, which could not skip anything. */
static void on_after(struct kprobe *kp, struct pt_regs *regs,
		     unsigned long flags)
{
}

NOKPROBE_SYMBOL(on_after);

static struct kprobe probe = {
	.symbol_name = "smcr_hs_done",
	.pre_handler = on_done,
	.post_handler = on_after,
};

static int __init late_init(void)
{
	return register_kprobe(&probe);
}

static void __exit late_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(late_init);
module_exit(late_exit);
MODULE_DESCRIPTION("Leaders of first contacts of smcr miss that it is over");
MODULE_LICENSE("GPL");
