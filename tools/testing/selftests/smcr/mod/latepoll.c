// SPDX-License-Identifier: GPL-2.0
/*
 * This module delays the softirq that polls smcr's completion queues, as on a
 * host whose softirqs are late.
 *
 * A number written to /proc/latepoll is the delay in milliseconds, 0 for none.
 * The test sets it to 0 before the last link is destroyed. Reading returns
 * "delayed" and the number of polls that were delayed.
 *
 * A probe at the entry of smcr's poll function sends each call to late_poll(),
 * which takes the queue off the list of queues to poll, and a timer puts it
 * there again.
 */
#include <linux/list.h>
#include <linux/irq_poll.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/timer.h>
#include <linux/uaccess.h>

#include "probe.h"

#define MAX_LATE	8

static struct late {
	struct irq_poll		*iop;
	struct timer_list	timer;
	bool			due;
} lates[MAX_LATE];

static DEFINE_SPINLOCK(lock);
static u32 delay_ms;
static u32 delayed;

/* Find the entry of a queue, or take a new one. */
static struct late *late_of(struct irq_poll *iop)
{
	int i;

	for (i = 0; i < MAX_LATE; i++)
		if (lates[i].iop == iop)
			return &lates[i];
	for (i = 0; i < MAX_LATE; i++)
		if (!lates[i].iop) {
			lates[i].iop = iop;
			return &lates[i];
		}
	return NULL;
}

static void on_timer(struct timer_list *timer)
{
	struct late *late = from_timer(late, timer, timer);

	spin_lock(&lock);
	late->due = true;
	spin_unlock(&lock);
	irq_poll_sched(late->iop);
}

static noinline int late_poll(struct irq_poll *iop, int budget)
{
	irq_poll_complete(iop);
	return 0;
}

static bool is_late(struct irq_poll *iop)
{
	struct late *late;
	bool wait = false;

	spin_lock_bh(&lock);
	late = late_of(iop);
	if (late && late->due) {
		late->due = false;
	} else if (late) {
		mod_timer(&late->timer, jiffies + msecs_to_jiffies(delay_ms));
		delayed++;
		wait = true;
	}
	spin_unlock_bh(&lock);
	return wait;
}

/* int cq_softirq(struct irq_poll *, int) of smcr; softirq */
static int on_poll(struct kprobe *kp, struct pt_regs *regs)
{
	struct irq_poll *iop = (void *)regs_get_kernel_argument(regs, 0);

	if (!READ_ONCE(delay_ms) || !is_late(iop))
		return 0;
	instruction_pointer_set(regs, (unsigned long)late_poll);
	return 1;
}

static struct kprobe probe = {
	.symbol_name = "cq_softirq",
	.pre_handler = on_poll,
};

static ssize_t latepoll_write(struct file *file, const char __user *from,
			      size_t len, loff_t *pos)
{
	u32 ms;
	int i, err;

	err = kstrtou32_from_user(from, len, 0, &ms);
	if (err)
		return err;
	WRITE_ONCE(delay_ms, ms);
	if (!ms)
		for (i = 0; i < MAX_LATE; i++)
			if (timer_delete_sync(&lates[i].timer))
				irq_poll_sched(lates[i].iop);
	return len;
}

static int latepoll_show(struct seq_file *seq, void *v)
{
	seq_printf(seq, "delayed %u\n", READ_ONCE(delayed));
	return 0;
}

PROBE_PROC_OPS(latepoll);

static int __init latepoll_init(void)
{
	int i, err;

	for (i = 0; i < MAX_LATE; i++)
		timer_setup(&lates[i].timer, on_timer, 0);
	err = register_kprobe(&probe);
	if (err)
		return err;
	if (proc_create("latepoll", 0600, NULL, &latepoll_proc_ops))
		return 0;
	unregister_kprobe(&probe);
	return -ENOMEM;
}

static void __exit latepoll_exit(void)
{
	int i;

	remove_proc_entry("latepoll", NULL);
	unregister_kprobe(&probe);
	for (i = 0; i < MAX_LATE; i++)
		timer_delete_sync(&lates[i].timer);
}

module_init(latepoll_init);
module_exit(latepoll_exit);
MODULE_DESCRIPTION("Test only: completions are polled late");
MODULE_LICENSE("GPL");
