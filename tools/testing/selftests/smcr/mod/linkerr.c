// SPDX-License-Identifier: GPL-2.0
/*
 * After this module is loaded, the next connection that takes an element loses
 * its link first: the link gets the event that its queue pair has failed. File
 * in /sys/module/linkerr/parameters:
 *
 *   hits	connections whose link has failed like that, 0 or 1
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "conn.h"
#include "link.h"

static uint hits;
module_param(hits, uint, 0444);

static atomic_t left = ATOMIC_INIT(1);

/* int smcr_conn_elem_take(struct smcr_conn *conn, u32 size); its caller keeps
 * the queue pair by a reference to the link, which has not failed.
 */
static int on_take(struct kprobe *kp, struct pt_regs *regs)
{
	struct smcr_conn *conn = (void *)regs_get_kernel_argument(regs, 0);
	struct ib_event event = { .event = IB_EVENT_QP_FATAL };
	struct ib_qp *qp = conn->link->qp;

	if (!qp || atomic_dec_if_positive(&left) < 0)
		return 0;
	hits++;
	event.device = qp->device;
	event.element.qp = qp;
	qp->event_handler(&event, qp->qp_context);
	return 0;
}

static struct kprobe take = {
	.symbol_name	= "smcr_conn_elem_take",
	.pre_handler	= on_take,
};

static int __init linkerr_init(void)
{
	return register_kprobe(&take);
}

static void __exit linkerr_exit(void)
{
	unregister_kprobe(&take);
}

module_init(linkerr_init);
module_exit(linkerr_exit);
MODULE_DESCRIPTION("Test only: a link fails while a connection takes an element");
MODULE_LICENSE("GPL");
