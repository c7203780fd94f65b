// SPDX-License-Identifier: GPL-2.0
/*
 * This module lets smcr's workqueues of link groups and of RMBs run fewer items
 * at once, so that a test needs few groups to fill them. Parameter:
 *
 *   max	items at once; the kernel's default is back when the module is
 *		unloaded
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/workqueue.h>

static int max = 4;
module_param(max, int, 0444);

static const char *const names[] = { "smcr_wq", "smcr_rmb_wq" };

/* Kallsyms does not export its lookup, but a probe finds it. */
static int wqsize_set(int n)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*lookup)(const char *name);
	struct workqueue_struct **wq;
	int i, err = register_kprobe(&probe);

	if (err)
		return err;
	lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		wq = (void *)lookup(names[i]);
		if (!wq)
			return -ENOENT;
		workqueue_set_max_active(*wq, n);
	}
	return 0;
}

static int __init wqsize_init(void)
{
	return wqsize_set(max);
}

static void __exit wqsize_exit(void)
{
	wqsize_set(WQ_DFL_ACTIVE);
}

module_init(wqsize_init);
module_exit(wqsize_exit);
MODULE_DESCRIPTION("Test only: smcr's workqueues run few items at once");
MODULE_LICENSE("GPL");
