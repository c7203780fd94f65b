// SPDX-License-Identifier: GPL-2.0
/*
 * The lower bound of what a copying socket over RDMA WRITE + SEND costs: two
 * tasks that stay in the kernel, move bytes as an SMC-R connection must, and do
 * nothing else. Bytes are copied once from user memory into send space, written
 * by one chain of writes with a 44-byte message behind it (inline if the device
 * allows that), and copied once from the receive ring to user memory.
 * Completions are asked for only when half of the send queue has none, receives
 * are posted in batches, and the completion's softirq wakes the sleeping
 * reader. There are no system calls, sockets, groups or tokens, and the peer's
 * messages are not checked.
 *
 *	exec 3<>/proc/smcr_floor
 *	echo "server rxe0 10.9.0.1 7900 -" >&3              one host
 *	echo "client rxe0 10.9.0.2 7900 10.9.0.1 \
 *		rr|stream SIZE RING WARM COUNT" >&3          the other
 *	cat <&3
 *
 * The write does the run in the calling task; the read returns "name value"
 * lines for the measured part. RING is the size of the receive ring and of the
 * send space; as in an RMBE, 4 bytes of the ring are not used. The two ends
 * exchange the names of their queue pairs over a TCP connection.
 *
 * This file has the sequence of a run, from the command to the result; the data
 * path is in floor_run.c, the verbs for setup and teardown in floor_qp.c.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/inet.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include "floor.h"

#define FLOOR_RING_MAX		(4u << 20)
#define FLOOR_TCP_TIMEOUT	(60 * HZ)

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

/* Send @out to the other end, and receive @in from it. */
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

/* One run */

static int floor_set_up(struct floor *f)
{
	int err = floor_qp_set_up(f);

	return err ?: floor_run_prepare(f);
}

static int floor_join(struct floor *f)
{
	int err;

	err = tcp_swap(f, &f->mine, &f->peer, sizeof(f->mine));
	if (!err)
		err = floor_qp_connect(f);
	return err ?: tcp_barrier(f);
}

/* The server takes the parameters of the run from the client. */
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

static int floor_once(struct floor *f)
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
		err = floor_run_measure(f);
	return err ?: tcp_barrier(f);
}

static void floor_tear_down(struct floor *f)
{
	floor_qp_tear_down(f);
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
		err = floor_once(f);
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
