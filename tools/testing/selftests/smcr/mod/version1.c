// SPDX-License-Identifier: GPL-2.0
/*
 * This module makes smcr take every SMC Proposal for one of version 1, which
 * Linux sent before it knew SMC version 2. The server then does not offer the
 * Linux dialect to a Linux client.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

#include "clc_msg.h"

/* The Proposal that the decoder fills. */
struct call {
	struct smcr_clc_proposal *msg;
};

static int decode_begin(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	call->msg = (void *)regs_get_kernel_argument(regs, 2);
	return 0;
}

static int decode_end(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	call->msg->version = 1;
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name	= "smcr_clc_proposal_decode",
	.entry_handler	= decode_begin,
	.handler	= decode_end,
	.data_size	= sizeof(struct call),
};

static int __init version1_init(void)
{
	return register_kretprobe(&probe);
}

static void __exit version1_exit(void)
{
	unregister_kretprobe(&probe);
}

module_init(version1_init);
module_exit(version1_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test only: SMC Proposals are of version 1");
