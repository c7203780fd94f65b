// SPDX-License-Identifier: GPL-2.0
/*
 * This module holds a SYN in the middle of its handling, so that the test can
 * close the listener meanwhile.
 *
 * While TCP handles a SYN it calls smcr_inner_outer() more than once to get the
 * listener's outer socket. A number N written to /proc/overlap holds the N-th
 * call that gets a socket, until the number 0 is written. The call runs in a
 * softirq, so another processor has to write that. Reading returns lines:
 *
 *   waiting 1		a call has got the socket and is held
 *   dropped 1		the last reference to that socket is gone
 *   destroyed 1	that socket was destroyed while the call was held
 *
 * with 0 instead of 1 where that is not so.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "probe.h"

/* Longest hold if a test fails; the kernel's watchdogs wait longer */
#define OVERLAP_MS	15000

static atomic_t countdown;
/* Only compared: the socket may be freed */
static void *held;
static bool dropped, destroyed;

/* struct sock *smcr_inner_outer(const struct sock *) */
static int leave_outer(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	void *sk = (void *)regs_return_value(regs);
	int ms;

	if (!sk || atomic_read(&countdown) <= 0 ||
	    atomic_dec_return(&countdown))
		return 0;
	WRITE_ONCE(held, sk);
	for (ms = 0; READ_ONCE(held) && ms < OVERLAP_MS; ms++)
		mdelay(1);
	WRITE_ONCE(held, NULL);
	return 0;
}

/* void sk_destruct(struct sock *): the last reference is gone */
static int enter_destruct(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	void *sk = (void *)regs_get_kernel_argument(regs, 0);

	return !sk || sk != READ_ONCE(held);
}

static int leave_destruct(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	WRITE_ONCE(dropped, true);
	return 0;
}

/* void sock_destruct(struct sock *), of smcr */
static int on_destroy(struct kprobe *kp, struct pt_regs *regs)
{
	void *sk = (void *)regs_get_kernel_argument(regs, 0);

	if (sk && sk == READ_ONCE(held))
		WRITE_ONCE(destroyed, true);
	return 0;
}

static struct kretprobe outer = {
	.kp.symbol_name	= "smcr_inner_outer",
	.handler	= leave_outer,
};

static struct kretprobe destruct = {
	.kp.symbol_name	= "sk_destruct",
	.entry_handler	= enter_destruct,
	.handler	= leave_destruct,
};

static struct kretprobe *rets[] = { &outer, &destruct };

static struct kprobe destroy = {
	.symbol_name	= "sock_destruct",
	.pre_handler	= on_destroy,
};

static ssize_t overlap_write(struct file *file, const char __user *from,
			     size_t len, loff_t *pos)
{
	u32 n;
	int err;

	err = kstrtou32_from_user(from, len, 0, &n);
	if (err)
		return err;
	WRITE_ONCE(held, NULL);
	if (n) {
		dropped = false;
		destroyed = false;
	}
	atomic_set(&countdown, n);
	return len;
}

static int overlap_show(struct seq_file *seq, void *v)
{
	seq_printf(seq, "waiting %d\ndropped %d\ndestroyed %d\n",
		   !!READ_ONCE(held), READ_ONCE(dropped),
		   READ_ONCE(destroyed));
	return 0;
}

PROBE_PROC_OPS(overlap);

static int __init overlap_init(void)
{
	int err = register_kretprobes(rets, ARRAY_SIZE(rets));

	if (err)
		return err;
	err = register_kprobe(&destroy);
	if (!err && !proc_create("overlap", 0600, NULL, &overlap_proc_ops)) {
		unregister_kprobe(&destroy);
		err = -ENOMEM;
	}
	if (err)
		unregister_kretprobes(rets, ARRAY_SIZE(rets));
	return err;
}

static void __exit overlap_exit(void)
{
	remove_proc_entry("overlap", NULL);
	unregister_kprobe(&destroy);
	unregister_kretprobes(rets, ARRAY_SIZE(rets));
}

module_init(overlap_init);
module_exit(overlap_exit);
MODULE_DESCRIPTION("Test only: a listener is closed while TCP uses it");
MODULE_LICENSE("GPL");
