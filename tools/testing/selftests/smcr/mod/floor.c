// SPDX-License-Identifier: GPL-2.0
/*
 * The floor of a copying socket over RDMA WRITE + SEND: two tasks that stay in
 * the kernel, move bytes as an SMC-R connection must, and do nothing else. One
 * copy from user memory into send space, one chain of writes with a 44-byte
 * message behind it (inline where the device grants that), one copy out of the
 * receive ring to user memory, completions asked for only when half of the
 * send queue has none, receives posted in batches, the sleeping reader woken
 * from the completion's softirq. No system calls, sockets, groups, tokens, and
 * no check of what the peer says.
 *
 *	exec 3<>/proc/smcr_floor
 *	echo "server rxe0 10.9.0.1 7900 -" >&3              one host
 *	echo "client rxe0 10.9.0.2 7900 10.9.0.1 \
 *		rr|stream SIZE RING WARM COUNT" >&3          the other
 *	cat <&3
 *
 * The write makes the run, in the task that calls it; the read gives "name value" lines
 * for the measured part. RING is the size of the receive ring and of the send
 * space, of which, as in an RMBE, 4 bytes are not used. Queue pairs find each
 * other through a TCP connection.
 */
#include <linux/completion.h>
#include <linux/etherdevice.h>
#include <linux/inet.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/timex.h>
#include <linux/uaccess.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#define FLOOR_MSG_LEN		44
#define FLOOR_SQ		256u
#define FLOOR_RQ		512u
#define FLOOR_RECV_BATCH	16u
#define FLOOR_STRIDE		64u
#define FLOOR_MAX_WRITES	4u
/* Bytes of one chain, and copied before something is written, as in tx.c */
#define FLOOR_CHAIN_MAX		(112u * 1024)
#define FLOOR_COPY_MAX		(64u * 1024)
#define FLOOR_RING_MAX		(4u << 20)
#define FLOOR_ORIGIN		4u
#define FLOOR_TCP_TIMEOUT	(60 * HZ)

enum floor_mode {
	FLOOR_RR,
	FLOOR_STREAM,
};

/* Behind each chain of writes; cursors are plain byte counts here */
struct floor_msg {
	u64	prod;
	u64	cons;
	u8	blocked;
	u8	pad[27];
} __packed;

static_assert(sizeof(struct floor_msg) == FLOOR_MSG_LEN);

/* What each end tells the other over TCP; both run the same kernel */
struct floor_hello {
	u32	mode, size, ring, warm, count;
	u32	qpn, psn, mtu, rkey;
	u64	addr;
	u8	gid[16];
	u8	mac[ETH_ALEN];
};

struct floor_stats {
	u64	doorbells, requests, updates, send_cqes, recv_cqes, reposts;
};

/*
 * One end of a run. In positions of its own stream everything before @una is
 * with the peer, before @nxt written, before @end copied to send space;
 * @peer_cons is how far the peer has read. In those of the peer's stream @prod
 * is how far it has written, @cons how far this end has read, @told what the
 * peer knows of that. @signaled is the position that the last completion asked
 * for covers, @stop that the run was interrupted or failed. @lock protects all
 * from @una to @stats and is taken in softirq.
 */
struct floor {
	bool			server;
	char			dev_name[IB_DEVICE_NAME_MAX];
	__be32			local, remote;
	u16			port;
	struct floor_hello	mine, peer;
	struct socket		*listener, *tcp;

	struct ib_device	*dev;
	const struct ib_gid_attr *gid;
	struct ib_pd		*pd;
	struct ib_cq		*cq;
	struct ib_qp		*qp;
	struct ib_mr		*mr;
	u32			max_inline;
	u8			*ring, *space, *msgs, *sends;
	u64			ring_dma, space_dma, msgs_dma, sends_dma;
	u32			size;
	unsigned long		user;
	struct ib_cqe		send_cqe, recv_cqe[FLOOR_RQ], reg_cqe;
	struct ib_recv_wr	recv_wr[FLOOR_RECV_BATCH];
	struct ib_sge		recv_sge[FLOOR_RECV_BATCH];
	struct completion	reg_done;

	spinlock_t		lock;
	u64			una, nxt, end, peer_cons, told, prod, cons;
	u64			signaled;
	u32			head, tail, unsignaled;
	u32			n_free, free[FLOOR_RQ];
	bool			blocked, peer_blocked;
	int			stop;
	struct floor_stats	stats;
	wait_queue_head_t	wait;

	struct floor_stats	before;
	u64			ns, tsc;
	char			result[512];
};

static u32 ring_len(const struct floor *f)
{
	return f->size - FLOOR_ORIGIN;
}

static u32 ring_off(const struct floor *f, u64 pos)
{
	u32 rem;

	div_u64_rem(pos, ring_len(f), &rem);
	return FLOOR_ORIGIN + rem;
}

static void floor_stop(struct floor *f, int err)
{
	if (!READ_ONCE(f->stop))
		WRITE_ONCE(f->stop, err);
	wake_up_all(&f->wait);
}

/* The data path */

static int recvs_post(struct floor *f, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		u32 slot = f->free[--f->n_free];

		f->recv_sge[i] = (struct ib_sge){
			.addr = f->msgs_dma + slot * FLOOR_STRIDE,
			.length = FLOOR_STRIDE,
			.lkey = f->pd->local_dma_lkey,
		};
		f->recv_wr[i] = (struct ib_recv_wr){
			.wr_cqe = &f->recv_cqe[slot],
			.sg_list = &f->recv_sge[i],
			.num_sge = 1,
			.next = i + 1 < n ? &f->recv_wr[i + 1] : NULL,
		};
	}
	f->stats.reposts++;
	return ib_post_recv(f->qp, f->recv_wr, NULL);
}

static u32 write_fill(struct floor *f, u64 pos, u32 left,
		      struct ib_rdma_wr *wr, struct ib_sge *sge)
{
	u32 from = (u32)(pos & (f->size - 1));
	u32 to = ring_off(f, pos);
	u32 len = min3(left, f->size - from, f->size - to);
	bool is_inline = len <= f->max_inline;

	sge->addr = is_inline ? (uintptr_t)f->space + from :
				f->space_dma + from;
	sge->length = len;
	sge->lkey = f->pd->local_dma_lkey;
	memset(wr, 0, sizeof(*wr));
	wr->wr.wr_cqe = &f->send_cqe;
	wr->wr.opcode = IB_WR_RDMA_WRITE;
	wr->wr.send_flags = is_inline ? IB_SEND_INLINE : 0;
	wr->wr.sg_list = sge;
	wr->wr.num_sge = 1;
	wr->remote_addr = f->peer.addr + to;
	wr->rkey = f->peer.rkey;
	return len;
}

static void msg_fill(struct floor *f, struct floor_msg *msg,
		     struct ib_send_wr *wr, struct ib_sge *sge)
{
	u32 off = (f->head & (FLOOR_SQ - 1)) * FLOOR_STRIDE;

	sge->length = FLOOR_MSG_LEN;
	sge->lkey = f->pd->local_dma_lkey;
	if (f->max_inline >= FLOOR_MSG_LEN) {
		sge->addr = (uintptr_t)msg;
		wr->send_flags |= IB_SEND_INLINE;
	} else {
		memcpy(f->sends + off, msg, FLOOR_MSG_LEN);
		sge->addr = f->sends_dma + off;
	}
	wr->sg_list = sge;
	wr->num_sge = 1;
}

/* Writes of up to @left bytes and the message behind them: one doorbell. */
static int chain_post(struct floor *f, u32 left, bool blocked)
{
	struct ib_rdma_wr writes[FLOOR_MAX_WRITES];
	struct ib_send_wr send = { .opcode = IB_WR_SEND };
	struct ib_sge sge[FLOOR_MAX_WRITES + 1];
	struct floor_msg msg;
	u64 pos = f->nxt;
	u32 n = 0, i;

	while (left && n < FLOOR_MAX_WRITES) {
		u32 len = write_fill(f, pos, left, &writes[n], &sge[n]);

		pos += len;
		left -= len;
		n++;
	}
	for (i = 0; i < n; i++)
		writes[i].wr.next = i + 1 < n ? &writes[i + 1].wr : &send;
	memset(&msg, 0, sizeof(msg));
	msg.prod = pos;
	msg.cons = f->cons;
	msg.blocked = blocked;
	send.wr_cqe = &f->send_cqe;
	send.send_flags = IB_SEND_SOLICITED;
	msg_fill(f, &msg, &send, &sge[n]);
	n++;
	f->unsignaled += n;
	if (f->unsignaled >= FLOOR_SQ / 2 ||
	    pos - f->signaled >= f->size / 2) {
		send.send_flags |= IB_SEND_SIGNALED;
		/* The completion of all posted so far */
		f->signaled = pos;
		f->unsignaled = 0;
	}
	f->head += n;
	f->nxt = pos;
	f->told = f->cons;
	f->blocked = blocked;
	f->stats.doorbells++;
	f->stats.requests += n;
	f->stats.updates += n == 1;
	return ib_post_send(f->qp, n > 1 ? &writes[0].wr : &send, NULL);
}

/* All that the window allows; @due: say something in any case. */
static void push_locked(struct floor *f, bool due)
{
	int err = 0;

	while (!err && !f->stop) {
		u32 window = ring_len(f) - (u32)(f->nxt - f->peer_cons);
		u32 left = min_t(u64, f->end - f->nxt, window);
		bool blocked = left == window && f->end - f->nxt > left;

		left = min(left, FLOOR_CHAIN_MAX);
		if (!due && !left && (!blocked || f->blocked))
			break;
		/* Room for the largest chain and the drain */
		if (FLOOR_SQ - (f->head - READ_ONCE(f->tail)) <
		    FLOOR_MAX_WRITES + 1)
			break;
		err = chain_post(f, left, blocked);
		due = false;
	}
	if (err)
		floor_stop(f, err);
}

static void send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct floor *f = cq->cq_context;

	if (wc->status != IB_WC_SUCCESS) {
		floor_stop(f, -EIO);
		return;
	}
	spin_lock(&f->lock);
	/* Not exact while more is posted, which frees slots later only */
	f->tail = f->head - f->unsignaled;
	f->una = max(f->una, f->signaled);
	f->stats.send_cqes++;
	push_locked(f, false);
	spin_unlock(&f->lock);
	wake_up_interruptible_sync_poll(&f->wait, EPOLLOUT);
}

static void recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct floor *f = cq->cq_context;
	u32 slot = wc->wr_cqe - f->recv_cqe;
	struct floor_msg *msg = (void *)(f->msgs + slot * FLOOR_STRIDE);

	if (wc->status != IB_WC_SUCCESS) {
		floor_stop(f, -EIO);
		return;
	}
	ib_dma_sync_single_for_cpu(f->dev, f->msgs_dma + slot * FLOOR_STRIDE,
				   FLOOR_STRIDE, DMA_FROM_DEVICE);
	spin_lock(&f->lock);
	f->peer_cons = msg->cons;
	f->una = max(f->una, msg->cons);
	f->signaled = max(f->signaled, f->una);
	f->peer_blocked = msg->blocked;
	/* The bytes are there before the reader sees the position */
	smp_store_release(&f->prod, msg->prod);
	f->stats.recv_cqes++;
	f->free[f->n_free++] = slot;
	if (f->n_free >= FLOOR_RECV_BATCH)
		recvs_post(f, FLOOR_RECV_BATCH);
	push_locked(f, false);
	spin_unlock(&f->lock);
	wake_up_interruptible_sync_poll(&f->wait, EPOLLIN);
}

static int floor_send(struct floor *f, u32 left)
{
	const u8 __user *from = (u8 __user *)f->user;

	while (left && !f->stop) {
		u32 off = f->end & (f->size - 1);
		u32 room = f->size - (u32)(f->end - READ_ONCE(f->una));
		u32 n = min3(left, room, f->size - off);

		n = min(n, FLOOR_COPY_MAX);
		if (!n) {
			if (wait_event_interruptible(f->wait, f->stop ||
						     f->end - READ_ONCE(f->una)
						     <= f->size / 3 * 2))
				return -EINTR;
			continue;
		}
		if (copy_from_user(f->space + off, from, n))
			return -EFAULT;
		spin_lock_bh(&f->lock);
		f->end += n;
		push_locked(f, false);
		spin_unlock_bh(&f->lock);
		from += n;
		left -= n;
	}
	return f->stop;
}

static int floor_read(struct floor *f, u32 n)
{
	u8 __user *to = (u8 __user *)f->user;
	u32 off = ring_off(f, f->cons);
	u32 first = min(n, f->size - off);
	u32 window;
	bool due;

	if (copy_to_user(to, f->ring + off, first) ||
	    (n > first && copy_to_user(to + first, f->ring + FLOOR_ORIGIN,
				       n - first)))
		return -EFAULT;
	spin_lock_bh(&f->lock);
	f->cons += n;
	window = ring_len(f) - (u32)(f->prod - f->told);
	due = f->peer_blocked ||
	      (window < ring_len(f) / 2 &&
	       (f->cons - f->told) * 10 >= ring_len(f));
	if (due)
		push_locked(f, true);
	spin_unlock_bh(&f->lock);
	return 0;
}

static int floor_recv(struct floor *f, u64 left)
{
	while (left && !f->stop) {
		/* Pairs with the release in recv_done() */
		u64 avail = smp_load_acquire(&f->prod) - f->cons;
		u32 n = min3(avail, left, (u64)f->mine.size);

		if (!n) {
			if (wait_event_interruptible(f->wait, f->stop ||
						     READ_ONCE(f->prod) !=
						     f->cons))
				return -EINTR;
			continue;
		}
		if (floor_read(f, n))
			return -EFAULT;
		left -= n;
	}
	return f->stop;
}

static int round_rr(struct floor *f, u32 count)
{
	int err = 0;

	while (!err && count--) {
		if (!f->server)
			err = floor_send(f, f->mine.size);
		if (!err)
			err = floor_recv(f, f->mine.size);
		if (!err && f->server)
			err = floor_send(f, f->mine.size);
	}
	return err;
}

static int round_stream(struct floor *f, u32 count)
{
	int err = 0;

	if (f->server) {
		err = floor_recv(f, (u64)count * f->mine.size);
		return err ?: floor_send(f, 1);
	}
	while (!err && count--)
		err = floor_send(f, f->mine.size);
	return err ?: floor_recv(f, 1);
}

static int floor_measure(struct floor *f)
{
	int (*round)(struct floor *f, u32 count) =
		f->mine.mode == FLOOR_RR ? round_rr : round_stream;
	u64 ns, tsc;
	int err;

	err = round(f, f->mine.warm);
	if (err)
		return err;
	f->before = f->stats;
	ns = ktime_get_ns();
	tsc = get_cycles();
	err = round(f, f->mine.count);
	f->tsc = get_cycles() - tsc;
	f->ns = ktime_get_ns() - ns;
	return err;
}

/* TCP */

static int tcp_open(struct socket **sock, __be32 addr, u16 port)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = addr,
		.sin_port = htons(port),
	};
	int err;

	err = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP,
			       sock);
	if (err)
		return err;
	(*sock)->sk->sk_reuse = SK_CAN_REUSE;
	(*sock)->sk->sk_rcvtimeo = FLOOR_TCP_TIMEOUT;
	(*sock)->sk->sk_sndtimeo = FLOOR_TCP_TIMEOUT;
	return kernel_bind(*sock, (struct sockaddr *)&sin, sizeof(sin));
}

static int tcp_connect(struct floor *f)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = f->remote,
		.sin_port = htons(f->port),
	};
	int err;

	if (!f->server) {
		err = tcp_open(&f->tcp, f->local, 0);
		return err ?: kernel_connect(f->tcp, (struct sockaddr *)&sin,
					     sizeof(sin), 0);
	}
	err = tcp_open(&f->listener, f->local, f->port);
	if (!err)
		err = kernel_listen(f->listener, 1);
	if (!err)
		err = kernel_accept(f->listener, &f->tcp, 0);
	if (!err)
		f->tcp->sk->sk_rcvtimeo = FLOOR_TCP_TIMEOUT;
	return err;
}

/* Each end sends @out and gets @in. */
static int tcp_swap(struct floor *f, void *out, void *in, u32 len)
{
	struct msghdr msg = { .msg_flags = MSG_WAITALL };
	struct kvec vec = { .iov_base = out, .iov_len = len };
	int n;

	n = kernel_sendmsg(f->tcp, &msg, &vec, 1, len);
	if (n != len)
		return n < 0 ? n : -EIO;
	vec.iov_base = in;
	vec.iov_len = len;
	msg = (struct msghdr){ .msg_flags = MSG_WAITALL };
	n = kernel_recvmsg(f->tcp, &msg, &vec, 1, len, MSG_WAITALL);
	if (n != len)
		return n < 0 ? n : -EIO;
	return 0;
}

static int tcp_barrier(struct floor *f)
{
	u8 out = 1, in;

	return tcp_swap(f, &out, &in, 1);
}

/* Verbs */

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
	f->user = vm_mmap(NULL, 0, PAGE_ALIGN(f->mine.size),
			  PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(f->user))
		return f->user;
	/* Or else one page of zeroes would stand for all */
	if (clear_user((u8 __user *)f->user, f->mine.size))
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

static int floor_qp(struct floor *f)
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
	u32 i;

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
	f->send_cqe.done = send_done;
	for (i = 0; i < FLOOR_RQ; i++) {
		f->recv_cqe[i].done = recv_done;
		f->free[f->n_free++] = i;
	}
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
		floor_stop(f, -EIO);
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

static int recvs_fill(struct floor *f)
{
	int err = 0;

	while (!err && f->n_free)
		err = recvs_post(f, min(f->n_free, FLOOR_RECV_BATCH));
	return err;
}

/* One run */

static int floor_set_up(struct floor *f)
{
	int err;

	err = floor_dev(f);
	if (!err)
		err = floor_mem(f);
	if (!err)
		err = floor_qp(f);
	if (!err)
		err = floor_mr(f);
	if (!err)
		err = floor_init_state(f);
	return err ?: recvs_fill(f);
}

static int floor_join(struct floor *f)
{
	int err;

	err = tcp_swap(f, &f->mine, &f->peer, sizeof(f->mine));
	if (!err)
		err = floor_rtr(f);
	if (!err)
		err = floor_rts(f);
	if (!err)
		err = floor_register(f);
	return err ?: tcp_barrier(f);
}

/* The client says what shall be done. */
static int floor_agree(struct floor *f)
{
	struct floor_hello ask = f->mine;
	int err;

	err = tcp_swap(f, &ask, &f->peer, sizeof(ask));
	if (err || !f->server)
		return err;
	f->mine = f->peer;
	if (f->mine.ring > FLOOR_RING_MAX || !is_power_of_2(f->mine.ring) ||
	    f->mine.ring < PAGE_SIZE || f->mine.size > FLOOR_RING_MAX)
		return -EINVAL;
	return 0;
}

static int floor_run(struct floor *f)
{
	int err;

	init_completion(&f->reg_done);
	init_waitqueue_head(&f->wait);
	spin_lock_init(&f->lock);
	err = tcp_connect(f);
	if (!err)
		err = floor_agree(f);
	if (!err)
		err = floor_set_up(f);
	if (!err)
		err = floor_join(f);
	if (!err)
		err = floor_measure(f);
	return err ?: tcp_barrier(f);
}

static void floor_tear_down(struct floor *f)
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
		vm_munmap(f->user, PAGE_ALIGN(f->mine.size));
	if (f->gid)
		rdma_put_gid_attr(f->gid);
	if (f->dev)
		ib_device_put(f->dev);
	if (f->tcp)
		sock_release(f->tcp);
	if (f->listener)
		sock_release(f->listener);
}

static void floor_report(struct floor *f)
{
	struct floor_stats *a = &f->before, *b = &f->stats;

	snprintf(f->result, sizeof(f->result),
		 "ns %llu\ntsc %llu\nDoorbells %llu\nWorkRequests %llu\nCursorUpdates %llu\nSendCompletions %llu\nRecvCompletions %llu\nRecvReposts %llu\nInline %u\n",
		 f->ns, f->tsc, b->doorbells - a->doorbells,
		 b->requests - a->requests, b->updates - a->updates,
		 b->send_cqes - a->send_cqes, b->recv_cqes - a->recv_cqes,
		 b->reposts - a->reposts, f->max_inline);
}

/* /proc/smcr_floor */

static int floor_parse(struct floor *f, char *text)
{
	char role[8], local[16], remote[16], mode[8] = "";
	int n;

	n = sscanf(text, "%7s %63s %15s %hu %15s %7s %u %u %u %u", role,
		   f->dev_name, local, &f->port, remote, mode, &f->mine.size,
		   &f->mine.ring, &f->mine.warm, &f->mine.count);
	if (n < 5)
		return -EINVAL;
	f->server = !strcmp(role, "server");
	f->local = in_aton(local);
	f->remote = in_aton(remote);
	f->mine.mode = strcmp(mode, "rr") ? FLOOR_STREAM : FLOOR_RR;
	if (f->server)
		return 0;
	if (n != 10 || !f->mine.size || f->mine.size > FLOOR_RING_MAX ||
	    !is_power_of_2(f->mine.ring) || f->mine.ring < PAGE_SIZE ||
	    f->mine.ring > FLOOR_RING_MAX)
		return -EINVAL;
	return 0;
}

static ssize_t floor_write(struct file *file, const char __user *buf,
			   size_t len, loff_t *ppos)
{
	struct floor *f;
	char text[160];
	int err;

	if (len >= sizeof(text) || copy_from_user(text, buf, len))
		return -EINVAL;
	text[len] = 0;
	f = kvzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	err = floor_parse(f, text);
	if (!err) {
		err = floor_run(f);
		floor_tear_down(f);
		floor_report(f);
	}
	kfree(file->private_data);
	file->private_data = err ? NULL : kstrdup(f->result, GFP_KERNEL);
	kvfree(f);
	*ppos = 0;
	return err ?: len;
}

static ssize_t floor_result(struct file *file, char __user *buf, size_t len,
			    loff_t *ppos)
{
	const char *text = file->private_data;

	if (!text)
		return 0;
	return simple_read_from_buffer(buf, len, ppos, text, strlen(text));
}

static int floor_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static const struct proc_ops floor_ops = {
	.proc_write	= floor_write,
	.proc_read	= floor_result,
	.proc_release	= floor_release,
	.proc_lseek	= noop_llseek,
};

static int __init floor_module_init(void)
{
	return proc_create("smcr_floor", 0600, NULL, &floor_ops) ? 0 : -ENOMEM;
}
module_init(floor_module_init);

static void __exit floor_module_exit(void)
{
	remove_proc_entry("smcr_floor", NULL);
}
module_exit(floor_module_exit);

MODULE_DESCRIPTION("smcr tests: floor of a copying socket over RDMA");
MODULE_LICENSE("GPL");
