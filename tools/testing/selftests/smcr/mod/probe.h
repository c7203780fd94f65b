/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the test modules that replace calls of kernel functions, or that
 * have a file in /proc.
 */
#ifndef _PROBE_H
#define _PROBE_H

#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#define PROBE_TASKS	16

/**
 * struct probe_tasks - tasks that are about to pass a probe once more
 * @task: the tasks, or NULL
 *
 * A probe at the entry of a function sends each call to a function of the
 * module instead. When that one calls the probed function itself, the probe
 * has to let this call pass.
 */
struct probe_tasks {
	struct task_struct	*task[PROBE_TASKS];
};

/**
 * probe_pass_next() - let the next call of this task pass the probe
 * @tasks: the module's tasks
 *
 * Context: process, in the task that calls the probed function next.
 * Return: false if there are too many such tasks.
 */
static inline bool probe_pass_next(struct probe_tasks *tasks)
{
	int i;

	for (i = 0; i < PROBE_TASKS; i++)
		if (!cmpxchg(&tasks->task[i], NULL, current))
			return true;
	return false;
}

/**
 * probe_passes() - does this call pass the probe?
 * @tasks: the module's tasks
 *
 * Context: the probe's handler.
 * Return: true once after each probe_pass_next() of this task.
 */
static inline bool probe_passes(struct probe_tasks *tasks)
{
	int i;

	for (i = 0; i < PROBE_TASKS; i++)
		if (cmpxchg(&tasks->task[i], current, NULL) == current)
			return true;
	return false;
}

/* NAME_proc_ops for a file in /proc, from NAME_show() and NAME_write() */
#define PROBE_PROC_OPS(name)						\
static int name##_open(struct inode *inode, struct file *file)		\
{									\
	return single_open(file, name##_show, NULL);			\
}									\
									\
static const struct proc_ops name##_proc_ops = {			\
	.proc_open	= name##_open,					\
	.proc_read	= seq_read,					\
	.proc_lseek	= seq_lseek,					\
	.proc_write	= name##_write,					\
	.proc_release	= single_release,				\
}

#endif /* _PROBE_H */
