// SPDX-License-Identifier: GPL-2.0
/*
 * This module delays calls of ib_modify_qp() that bring a queue pair to a given
 * state, or lets them fail.
 *
 * Each write to /proc/qpstep is one command:
 *
 *   hold STATE [COUNT]	the next change to STATE, or the next COUNT ones, wait
 *	for "go", but no longer than a minute
 *   go			let the changes that wait continue
 *   fail STATE COUNT	the next COUNT changes to STATE fail with EIO
 *
 * STATE is a number of enum ib_qp_state: 1 INIT, 2 RTR, 3 RTS, 6 ERR. Reading
 * returns "name value" lines: "held" is the number of changes that wait,
 * "failed" counts the changes that failed, "destroyed" counts the queue pairs
 * that were destroyed while a change of their state waited, if it was the last
 * one to begin to wait.
 *
 * A probe at the function's entry sends each call to step_modify(), which runs
 * in the caller's context and may sleep.
 */
#include <linux/completion.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>

#include "probe.h"

#define HOLD_MAX	(60 * HZ)

static struct step {
	int			hold;
	atomic_t		holds;
	atomic_t		waiting;
	int			fail;
	atomic_t		fails;
	struct ib_qp		*held;
	struct completion	go;
	atomic_t		failed;
	atomic_t		destroyed;
} step = { .hold = -1, .fail = -1 };

/* Tasks in step_modify() */
static struct probe_tasks inside;
static atomic_t running;

static noinline int step_modify(struct ib_qp *qp, struct ib_qp_attr *attr,
				int mask)
{
	int err = -EIO;

	if (mask & IB_QP_STATE && attr->qp_state == step.fail &&
	    atomic_dec_if_positive(&step.fails) >= 0) {
		atomic_inc(&step.failed);
		goto out;
	}
	if (mask & IB_QP_STATE && attr->qp_state == step.hold &&
	    atomic_dec_if_positive(&step.holds) >= 0) {
		WRITE_ONCE(step.held, qp);
		atomic_inc(&step.waiting);
		wait_for_completion_timeout(&step.go, HOLD_MAX);
		atomic_dec(&step.waiting);
		WRITE_ONCE(step.held, NULL);
	}
	if (probe_pass_next(&inside))
		err = ib_modify_qp(qp, attr, mask);
out:
	atomic_dec(&running);
	return err;
}

static int on_modify(struct kprobe *kp, struct pt_regs *regs)
{
	if (probe_passes(&inside))
		return 0;
	atomic_inc(&running);
	instruction_pointer_set(regs, (unsigned long)step_modify);
	return 1;
}

static int on_destroy(struct kprobe *kp, struct pt_regs *regs)
{
	if ((void *)regs_get_kernel_argument(regs, 0) == READ_ONCE(step.held))
		atomic_inc(&step.destroyed);
	return 0;
}

static struct kprobe probe_modify = {
	.symbol_name = "ib_modify_qp",
	.pre_handler = on_modify,
};

static struct kprobe probe_destroy = {
	.symbol_name = "ib_destroy_qp_user",
	.pre_handler = on_destroy,
};

static struct kprobe *probes[] = { &probe_modify, &probe_destroy };

static ssize_t step_write(struct file *file, const char __user *from,
			  size_t len, loff_t *pos)
{
	char line[32] = {};
	int state, count = 1;

	if (len >= sizeof(line) || copy_from_user(line, from, len))
		return -EINVAL;
	if (!strncmp(line, "go", 2)) {
		atomic_set(&step.holds, 0);
		complete_all(&step.go);
	} else if (sscanf(line, "hold %d %d", &state, &count) >= 1) {
		reinit_completion(&step.go);
		WRITE_ONCE(step.hold, state);
		atomic_set(&step.holds, count);
	} else if (sscanf(line, "fail %d %d", &state, &count) == 2) {
		WRITE_ONCE(step.fail, state);
		atomic_set(&step.fails, count);
	} else {
		return -EINVAL;
	}
	return len;
}

static int step_show(struct seq_file *seq, void *v)
{
	seq_printf(seq, "held %d\nfailed %d\ndestroyed %d\n",
		   atomic_read(&step.waiting), atomic_read(&step.failed),
		   atomic_read(&step.destroyed));
	return 0;
}

PROBE_PROC_OPS(step);

static int __init step_init(void)
{
	int err;

	init_completion(&step.go);
	err = register_kprobes(probes, ARRAY_SIZE(probes));
	if (err)
		return err;
	if (proc_create("qpstep", 0600, NULL, &step_proc_ops))
		return 0;
	unregister_kprobes(probes, ARRAY_SIZE(probes));
	return -ENOMEM;
}

static void __exit step_exit(void)
{
	remove_proc_entry("qpstep", NULL);
	unregister_kprobes(probes, ARRAY_SIZE(probes));
	complete_all(&step.go);
	while (atomic_read(&running))
		schedule_timeout_uninterruptible(1);
}

module_init(step_init);
module_exit(step_exit);
MODULE_DESCRIPTION("Test only: changes of queue pairs come late, or fail");
MODULE_LICENSE("GPL");
