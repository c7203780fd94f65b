// SPDX-License-Identifier: GPL-2.0
/*
 * This module makes Soft-RoCE report smaller limits, and grant less inline
 * data, than it supports.
 *
 * Each write to /proc/devcap is one "name value"; the value -1 restores what
 * Soft-RoCE reports:
 *
 *   sge, wr, cqe, mr
 *	for devices created from now on: scatter entries of a send, work
 *	requests of a queue, entries of a completion queue, pages of a memory
 *	region
 *   inline
 *	bytes of inline data that a queue pair gets, whatever it asked for
 *   mtu
 *	active MTU of each port, enum ib_mtu
 *   driver
 *	number of enum rdma_driver_id that the device shows while smcr builds a
 *	link
 *
 * Reading returns "name value" lines. The largest requests that smcr posted
 * since the last write: "posted_sge", the most scatter entries of one send
 * request, and "posted_inline", the most inline bytes of one. And "queried", how
 * often a port was asked for its attributes.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>

#include "link.h"
#include "probe.h"

enum {
	CAP_SGE, CAP_WR, CAP_CQE, CAP_MR, CAP_INLINE, CAP_MTU, CAP_DRIVER, CAPS
};

static const char *const names[CAPS] = {
	"sge", "wr", "cqe", "mr", "inline", "mtu", "driver",
};

static int caps[CAPS] = { -1, -1, -1, -1, -1, -1, -1 };
static u32 posted_sge, posted_inline;
static atomic_t queried;

struct call {
	void	*arg;
	int	old;
};

static struct call *call_of(struct kretprobe_instance *ri)
{
	return (void *)ri->data;
}

/* int rxe_query_device(struct ib_device *, struct ib_device_attr *, ...) */
static int enter_attr(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	call_of(ri)->arg = (void *)regs_get_kernel_argument(regs, 1);
	return 0;
}

static int leave_query(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ib_device_attr *attr = call_of(ri)->arg;

	if (caps[CAP_SGE] >= 0)
		attr->max_send_sge = caps[CAP_SGE];
	if (caps[CAP_WR] >= 0)
		attr->max_qp_wr = caps[CAP_WR];
	if (caps[CAP_CQE] >= 0)
		attr->max_cqe = caps[CAP_CQE];
	if (caps[CAP_MR] >= 0)
		attr->max_fast_reg_page_list_len = caps[CAP_MR];
	return 0;
}

/* int rxe_query_port(struct ib_device *, u32 port, struct ib_port_attr *) */
static int enter_port(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	call_of(ri)->arg = (void *)regs_get_kernel_argument(regs, 2);
	atomic_inc(&queried);
	return 0;
}

static int leave_port(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ib_port_attr *attr = call_of(ri)->arg;

	if (caps[CAP_MTU] >= 0)
		attr->active_mtu = caps[CAP_MTU];
	return 0;
}

/* ib_create_qp_kernel(struct ib_pd *, struct ib_qp_init_attr *, ...) */
static int leave_create(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ib_qp_init_attr *attr = call_of(ri)->arg;

	if (caps[CAP_INLINE] >= 0)
		attr->cap.max_inline_data = caps[CAP_INLINE];
	return 0;
}

/* smcr_link_build(struct smcr_link *) */
static int enter_link(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct smcr_link *link = (void *)regs_get_kernel_argument(regs, 0);
	struct ib_device *ibdev = link->local.dev->ibdev;

	call_of(ri)->arg = ibdev;
	call_of(ri)->old = ibdev->ops.driver_id;
	if (caps[CAP_DRIVER] >= 0)
		ibdev->ops.driver_id = caps[CAP_DRIVER];
	return 0;
}

static int leave_link(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct ib_device *ibdev = call_of(ri)->arg;

	ibdev->ops.driver_id = call_of(ri)->old;
	return 0;
}

/* rxe_post_send(struct ib_qp *, const struct ib_send_wr *, ...) */
static int on_post(struct kprobe *kp, struct pt_regs *regs)
{
	const struct ib_send_wr *wr;
	int i;

	wr = (void *)regs_get_kernel_argument(regs, 1);
	for (; wr; wr = wr->next) {
		u32 len = 0;

		posted_sge = max_t(u32, posted_sge, wr->num_sge);
		if (!(wr->send_flags & IB_SEND_INLINE))
			continue;
		for (i = 0; i < wr->num_sge; i++)
			len += wr->sg_list[i].length;
		posted_inline = max(posted_inline, len);
	}
	return 0;
}

static struct kretprobe query = {
	.kp.symbol_name	= "rxe_query_device",
	.entry_handler	= enter_attr,
	.handler	= leave_query,
	.data_size	= sizeof(struct call),
};

static struct kretprobe port = {
	.kp.symbol_name	= "rxe_query_port",
	.entry_handler	= enter_port,
	.handler	= leave_port,
	.data_size	= sizeof(struct call),
};

static struct kretprobe create = {
	.kp.symbol_name	= "ib_create_qp_kernel",
	.entry_handler	= enter_attr,
	.handler	= leave_create,
	.data_size	= sizeof(struct call),
};

static struct kretprobe build = {
	.kp.symbol_name	= "smcr_link_build",
	.entry_handler	= enter_link,
	.handler	= leave_link,
	.data_size	= sizeof(struct call),
};

static struct kretprobe *rets[] = { &query, &port, &create, &build };

static struct kprobe post = {
	.symbol_name	= "rxe_post_send",
	.pre_handler	= on_post,
};

static ssize_t devcap_write(struct file *file, const char __user *from,
			    size_t len, loff_t *pos)
{
	char line[32] = {}, name[16];
	int value, i;

	if (len >= sizeof(line) || copy_from_user(line, from, len) ||
	    sscanf(line, "%15s %d", name, &value) != 2)
		return -EINVAL;
	i = match_string(names, CAPS, name);
	if (i < 0)
		return i;
	caps[i] = value;
	posted_sge = 0;
	posted_inline = 0;
	return len;
}

static int devcap_show(struct seq_file *seq, void *v)
{
	seq_printf(seq, "posted_sge %u\nposted_inline %u\nqueried %d\n",
		   posted_sge, posted_inline, atomic_read(&queried));
	return 0;
}

PROBE_PROC_OPS(devcap);

static int __init devcap_init(void)
{
	int err = register_kretprobes(rets, ARRAY_SIZE(rets));

	if (err)
		return err;
	err = register_kprobe(&post);
	if (!err && !proc_create("devcap", 0600, NULL, &devcap_proc_ops)) {
		unregister_kprobe(&post);
		err = -ENOMEM;
	}
	if (err)
		unregister_kretprobes(rets, ARRAY_SIZE(rets));
	return err;
}

static void __exit devcap_exit(void)
{
	remove_proc_entry("devcap", NULL);
	unregister_kprobe(&post);
	unregister_kretprobes(rets, ARRAY_SIZE(rets));
}

module_init(devcap_init);
module_exit(devcap_exit);
MODULE_DESCRIPTION("Test only: Soft-RoCE with the limits of other adapters");
MODULE_LICENSE("GPL");
