// SPDX-License-Identifier: GPL-2.0
/*
 * The queue pair of one end, with its device, memory, completion queue and
 * memory region: setup, connection to the other end, teardown.
 */
#include <linux/err.h>
#include <linux/etherdevice.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/scatterlist.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "floor.h"

static u8 *mem_get(struct floor *f, u32 bytes, u64 *dma)
{
	u8 *mem = (u8 *)__get_free_pages(GFP_KERNEL | __GFP_ZERO,
					 get_order(bytes));

	if (!mem)
		return NULL;
	*dma = ib_dma_map_single(f->dev, mem, bytes, DMA_BIDIRECTIONAL);
	return mem;
}

static void mem_put(struct floor *f, u8 *mem, u32 bytes, u64 dma)
{
	if (!mem)
		return;
	ib_dma_unmap_single(f->dev, dma, bytes, DMA_BIDIRECTIONAL);
	free_pages((unsigned long)mem, get_order(bytes));
}

static int floor_mem(struct floor *f)
{
	f->size = f->mine.ring;
	f->ring = mem_get(f, f->size, &f->ring_dma);
	f->space = mem_get(f, f->size, &f->space_dma);
	f->msgs = mem_get(f, FLOOR_RQ * FLOOR_STRIDE, &f->msgs_dma);
	f->sends = mem_get(f, FLOOR_SQ * FLOOR_STRIDE, &f->sends_dma);
	f->user = vm_mmap(NULL, 0, PAGE_ALIGN(floor_user_bytes(f)),
			  PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(f->user))
		return f->user;
	/* Without this all pages would map the one zero page */
	if (clear_user((u8 __user *)f->user, floor_user_bytes(f)))
		return -EFAULT;
	return f->ring && f->space && f->msgs && f->sends ? 0 : -ENOMEM;
}

static int floor_dev(struct floor *f)
{
	struct ib_port_attr attr;
	struct net_device *ndev;
	union ib_gid gid;
	int err;

	f->dev = ib_device_get_by_name(f->dev_name, RDMA_DRIVER_UNKNOWN);
	if (!f->dev)
		return -ENODEV;
	ipv6_addr_set_v4mapped(f->local, (struct in6_addr *)gid.raw);
	f->gid = rdma_find_gid(f->dev, &gid, IB_GID_TYPE_ROCE_UDP_ENCAP, NULL);
	if (IS_ERR(f->gid)) {
		err = PTR_ERR(f->gid);
		f->gid = NULL;
		return err;
	}
	memcpy(f->mine.gid, gid.raw, sizeof(f->mine.gid));
	rcu_read_lock();
	ndev = rcu_dereference(f->gid->ndev);
	ether_addr_copy(f->mine.mac, ndev->dev_addr);
	rcu_read_unlock();
	err = ib_query_port(f->dev, f->gid->port_num, &attr);
	f->mine.mtu = attr.active_mtu;
	return err;
}

static int floor_queues(struct floor *f)
{
	struct ib_qp_init_attr attr = {
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
		.cap = {
			.max_send_wr = FLOOR_SQ + 1,
			.max_recv_wr = FLOOR_RQ + 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = FLOOR_MSG_LEN,
		},
	};

	f->pd = ib_alloc_pd(f->dev, 0);
	if (IS_ERR(f->pd))
		return PTR_ERR(f->pd);
	f->cq = ib_alloc_cq_any(f->dev, f, FLOOR_SQ + FLOOR_RQ + 2,
				IB_POLL_SOFTIRQ);
	if (IS_ERR(f->cq))
		return PTR_ERR(f->cq);
	attr.send_cq = f->cq;
	attr.recv_cq = f->cq;
	f->qp = ib_create_qp(f->pd, &attr);
	if (IS_ERR(f->qp))
		return PTR_ERR(f->qp);
	f->max_inline = attr.cap.max_inline_data;
	f->mine.qpn = f->qp->qp_num;
	f->mine.psn = get_random_u32() & 0xffffff;
	return 0;
}

static int floor_mr(struct floor *f)
{
	struct scatterlist sg;
	int n;

	f->mr = ib_alloc_mr(f->pd, IB_MR_TYPE_MEM_REG, f->size / PAGE_SIZE);
	if (IS_ERR(f->mr))
		return PTR_ERR(f->mr);
	sg_init_one(&sg, f->ring, f->size);
	sg_dma_address(&sg) = f->ring_dma;
	sg_dma_len(&sg) = f->size;
	n = ib_map_mr_sg(f->mr, &sg, 1, NULL, PAGE_SIZE);
	if (n != 1)
		return n < 0 ? n : -EINVAL;
	f->mine.rkey = f->mr->rkey;
	f->mine.addr = f->mr->iova;
	return 0;
}

static int floor_init_state(struct floor *f)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = f->gid->port_num,
		.qp_access_flags = IB_ACCESS_LOCAL_WRITE |
				   IB_ACCESS_REMOTE_WRITE,
	};

	return ib_modify_qp(f->qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			    IB_QP_PORT | IB_QP_ACCESS_FLAGS);
}

static int floor_rtr(struct floor *f)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = min(f->mine.mtu, f->peer.mtu),
		.dest_qp_num = f->peer.qpn,
		.rq_psn = f->peer.psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = IB_RNR_TIMER_122_88,
	};
	union ib_gid gid;

	memcpy(gid.raw, f->peer.gid, sizeof(gid.raw));
	attr.ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_grh(&attr.ah_attr, &gid, 0, f->gid->index, 64, 0);
	rdma_ah_set_port_num(&attr.ah_attr, f->gid->port_num);
	ether_addr_copy(attr.ah_attr.roce.dmac, f->peer.mac);
	return ib_modify_qp(f->qp, &attr, IB_QP_STATE | IB_QP_AV |
			    IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
			    IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
}

static int floor_rts(struct floor *f)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.timeout = 17,
		.retry_cnt = 6,
		.rnr_retry = 6,
		.sq_psn = f->mine.psn,
		.max_rd_atomic = 1,
	};

	return ib_modify_qp(f->qp, &attr, IB_QP_STATE | IB_QP_TIMEOUT |
			    IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
			    IB_QP_MAX_QP_RD_ATOMIC);
}

static void reg_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct floor *f = cq->cq_context;

	if (wc->status != IB_WC_SUCCESS)
		floor_run_stop(f, -EIO);
	complete(&f->reg_done);
}

static int floor_register(struct floor *f)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.wr.send_flags = IB_SEND_SIGNALED,
		.wr.wr_cqe = &f->reg_cqe,
		.mr = f->mr,
		.key = f->mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};
	int err;

	f->reg_cqe.done = reg_done;
	err = ib_post_send(f->qp, &wr.wr, NULL);
	if (err)
		return err;
	wait_for_completion(&f->reg_done);
	return f->stop;
}

/**
 * floor_qp_set_up() - allocate the queue pair and all that it needs
 * @f: this end; device, address and sizes are known
 *
 * Fills in @f->mine for the other end. On return receives can be posted.
 *
 * Context: process context, in the task that will do the run.
 * Return: 0 or -errno; in both cases floor_qp_tear_down() undoes it.
 */
int floor_qp_set_up(struct floor *f)
{
	int err;

	err = floor_dev(f);
	if (!err)
		err = floor_mem(f);
	if (!err)
		err = floor_queues(f);
	if (!err)
		err = floor_mr(f);
	return err ?: floor_init_state(f);
}

/**
 * floor_qp_connect() - bring the queue pair to RTS and register the ring
 * @f: this end; @f->peer is known
 *
 * Context: process context, sleeps until the ring is registered.
 * Return: 0 or -errno.
 */
int floor_qp_connect(struct floor *f)
{
	int err;

	err = floor_rtr(f);
	if (!err)
		err = floor_rts(f);
	return err ?: floor_register(f);
}

/**
 * floor_qp_tear_down() - undo floor_qp_set_up(), also if it has failed
 * @f: this end
 *
 * Context: process context, in the task that did the run; may sleep.
 */
void floor_qp_tear_down(struct floor *f)
{
	if (!IS_ERR_OR_NULL(f->qp)) {
		ib_drain_qp(f->qp);
		ib_destroy_qp(f->qp);
	}
	if (!IS_ERR_OR_NULL(f->mr))
		ib_dereg_mr(f->mr);
	if (!IS_ERR_OR_NULL(f->cq))
		ib_free_cq(f->cq);
	if (!IS_ERR_OR_NULL(f->pd))
		ib_dealloc_pd(f->pd);
	if (f->dev) {
		mem_put(f, f->ring, f->size, f->ring_dma);
		mem_put(f, f->space, f->size, f->space_dma);
		mem_put(f, f->msgs, FLOOR_RQ * FLOOR_STRIDE, f->msgs_dma);
		mem_put(f, f->sends, FLOOR_SQ * FLOOR_STRIDE, f->sends_dma);
	}
	if (f->user && !IS_ERR_VALUE(f->user))
		vm_munmap(f->user, PAGE_ALIGN(floor_user_bytes(f)));
	if (f->gid)
		rdma_put_gid_attr(f->gid);
	if (f->dev)
		ib_device_put(f->dev);
}
