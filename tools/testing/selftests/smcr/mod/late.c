// SPDX-License-Identifier: GPL-2.0
/*
 * While this module is loaded, the handshake that forms a link group of smcr is
 * not informed that the group is ready: it stays in flight until its deadline,
 * like a handshake whose work runs too late. Other handshakes are not touched.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>

#include "hs.h"

/* Runs instead of the probed function, and returns to its caller. */
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

/* A probe with a post handler is never optimised into a jump; from a jump the
 * pre handler could not replace the call.
 */
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
MODULE_DESCRIPTION("Test only: leaders of first contacts miss its end");
MODULE_LICENSE("GPL");
