// SPDX-License-Identifier: GPL-2.0
/*
 * This module makes kernel_accept() fail, as on a host without memory for
 * accepted sockets. Files in /sys/module/noaccept/parameters:
 *
 *   on		while it is set, kernel_accept() fails with ENOBUFS
 *   failed	number of its calls that have failed so far
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/net.h>

static bool on;
module_param(on, bool, 0644);

static atomic_t failed = ATOMIC_INIT(0);

static int failed_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&failed));
}

static const struct kernel_param_ops failed_ops = {
	.get = failed_get,
};

module_param_cb(failed, &failed_ops, NULL, 0444);

/* Runs instead of kernel_accept(). */
static noinline int no_accept(struct socket *sock, struct socket **newsock,
			      int flags)
{
	atomic_inc(&failed);
	return -ENOBUFS;
}

static int on_accept(struct kprobe *kp, struct pt_regs *regs)
{
	if (!READ_ONCE(on))
		return 0;
	instruction_pointer_set(regs, (unsigned long)no_accept);
	return 1;
}

static struct kprobe probe = {
	.symbol_name = "kernel_accept",
	.pre_handler = on_accept,
};

static int __init noaccept_init(void)
{
	return register_kprobe(&probe);
}

static void __exit noaccept_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(noaccept_init);
module_exit(noaccept_exit);
MODULE_DESCRIPTION("Test only: accepting a connection fails in the kernel");
MODULE_LICENSE("GPL");
