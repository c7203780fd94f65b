// SPDX-License-Identifier: GPL-2.0
/*
 * Loading this module puts every queue pair of smcr into the error state, as a
 * device does after a fault. The peer is not informed. With the parameter
 * "device" it does so on that RDMA device only.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#define QPERR_MAX	64

/* The first members of the resource tracker's roots, of which there is one for
 * each kind of object; the type is private to ib_core.
 */
struct root {
	struct xarray	xa;
	u32		next_id;
};

static unsigned int qperr_hit;

static char *device;
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "name of the RDMA device, default: all");

static bool qperr_wanted(const struct rdma_restrack_entry *res)
{
	return !res->user && res->kern_name && !strcmp(res->kern_name, "smcr");
}

/* A reference keeps the queue pair: its destruction waits for the last one. */
static unsigned int qperr_gather(struct ib_device *dev, struct ib_qp **qps)
{
	struct root *root = (struct root *)dev->res + RDMA_RESTRACK_QP;
	struct rdma_restrack_entry *res;
	unsigned int n = 0;
	unsigned long id;

	xa_lock(&root->xa);
	xa_for_each(&root->xa, id, res)
		if (n < QPERR_MAX && qperr_wanted(res) &&
		    rdma_restrack_get(res))
			qps[n++] = container_of(res, struct ib_qp, res);
	xa_unlock(&root->xa);
	return n;
}

static int qperr_add(struct ib_device *dev)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct ib_qp **qps;
	unsigned int i, n;

	if (device && strcmp(device, dev_name(&dev->dev)))
		return 0;
	qps = kcalloc(QPERR_MAX, sizeof(*qps), GFP_KERNEL);
	if (!qps)
		return -ENOMEM;
	n = qperr_gather(dev, qps);
	for (i = 0; i < n; i++) {
		if (!ib_modify_qp(qps[i], &attr, IB_QP_STATE))
			qperr_hit++;
		rdma_restrack_put(&qps[i]->res);
	}
	kfree(qps);
	return 0;
}

static struct ib_client qperr_client = {
	.name	= "qperr",
	.add	= qperr_add,
};

static int __init qperr_init(void)
{
	int err = ib_register_client(&qperr_client);

	if (err)
		return err;
	ib_unregister_client(&qperr_client);
	pr_info("%u queue pairs are in error now\n", qperr_hit);
	return qperr_hit ? 0 : -ENOENT;
}

static void __exit qperr_exit(void)
{
}

module_init(qperr_init);
module_exit(qperr_exit);
MODULE_DESCRIPTION("Test only: put smcr's queue pairs into the error state");
MODULE_LICENSE("GPL");
