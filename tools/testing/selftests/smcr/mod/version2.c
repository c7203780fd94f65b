// SPDX-License-Identifier: GPL-2.0
/*
 * This module sets version 2 in the SMC Proposals of this host, as Linux and
 * z/OS do, instead of smcr's 1. A server then offers the Linux dialect, so that
 * two smcr hosts can test it; without this module they never use it with each
 * other.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

#include "wire_clc.h"

/* The buffer that the encoder fills. */
struct call {
	struct smcr_wire_clc_hdr *hdr;
};

static int encode_begin(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	call->hdr = (struct smcr_wire_clc_hdr *)regs_get_kernel_argument(regs, 0);
	return 0;
}

static int encode_end(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	if ((int)regs_return_value(regs) > 0)
		call->hdr->version_flags = 2 << 4;
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name	= "smcr_clc_proposal_encode",
	.entry_handler	= encode_begin,
	.handler	= encode_end,
	.data_size	= sizeof(struct call),
};

static int __init version2_init(void)
{
	return register_kretprobe(&probe);
}

static void __exit version2_exit(void)
{
	unregister_kretprobe(&probe);
}

module_init(version2_init);
module_exit(version2_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test only: SMC Proposals of version 2");
