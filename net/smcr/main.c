// SPDX-License-Identifier: GPL-2.0
/*
 * SMC-R sockets (RFC 7609): module entry and exit.
 */
#include <linux/module.h>

static int __init smcr_init(void)
{
	return 0;
}

static void __exit smcr_exit(void)
{
}

module_init(smcr_init);
module_exit(smcr_exit);

MODULE_DESCRIPTION("SMC-R sockets: TCP connections over RDMA (RFC 7609)");
MODULE_LICENSE("GPL");
