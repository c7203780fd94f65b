// SPDX-License-Identifier: GPL-2.0
/*
 * Steps that go through io_uring. Each makes a ring for one request, so that
 * the steps of several threads do not meet.
 */
#define _GNU_SOURCE
#include "sem.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Not in older headers: SOCKET_URING_OP_* */
#define OP_SIOCINQ	0
#define OP_SIOCOUTQ	1

/**
 * struct ring - an io_uring for one request
 * @fd: its descriptor
 * @p: what the kernel says of it
 * @len: bytes of @mem
 * @mem: both queues
 * @sqe: the one request
 */
struct ring {
	int fd;
	struct io_uring_params p;
	size_t len;
	void *mem;
	struct io_uring_sqe *sqe;
};

/* Without io_uring the steps would fail alike over TCP and over smcr. */
static void ring_open(struct ring *r)
{
	size_t sq, cq;

	memset(r, 0, sizeof(*r));
	r->fd = syscall(__NR_io_uring_setup, 1, &r->p);
	if (r->fd < 0)
		util_die("io_uring: setup: %s", strerror(errno));
	sq = r->p.sq_off.array + r->p.sq_entries * sizeof(__u32);
	cq = r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe);
	r->len = sq > cq ? sq : cq;
	r->mem = mmap(NULL, r->len, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQ_RING);
	r->sqe = mmap(NULL, sizeof(*r->sqe), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQES);
	if (r->mem == MAP_FAILED || r->sqe == MAP_FAILED)
		util_die("io_uring: mmap: %s", strerror(errno));
}

static void ring_close(struct ring *r)
{
	munmap(r->mem, r->len);
	munmap(r->sqe, sizeof(*r->sqe));
	close(r->fd);
}

static __u32 *ring_word(struct ring *r, __u32 off)
{
	return (__u32 *)((char *)r->mem + off);
}

/* Wait for the next completion, which the caller then takes. */
static struct io_uring_cqe *ring_wait(struct ring *r, unsigned int submit)
{
	__u32 *head = ring_word(r, r->p.cq_off.head);
	__u32 *tail = ring_word(r, r->p.cq_off.tail);
	struct io_uring_cqe *cqes = (void *)ring_word(r, r->p.cq_off.cqes);
	int ret;

	while (submit || *head == __atomic_load_n(tail, __ATOMIC_ACQUIRE)) {
		ret = syscall(__NR_io_uring_enter, r->fd, submit, 1,
			      IORING_ENTER_GETEVENTS, NULL, 0);
		if (ret < 0 && errno != EINTR)
			util_die("io_uring: enter: %s", strerror(errno));
		if (ret > 0)
			submit = 0;
	}
	return &cqes[*head & *ring_word(r, r->p.cq_off.ring_mask)];
}

/* Take all completions of the request: one, and for a send without a copy a
 * second one. Return the result of the first, or -1 with errno.
 */
static int ring_run(struct ring *r, __u32 *flags)
{
	__u32 *tail = ring_word(r, r->p.sq_off.tail);
	struct io_uring_cqe *cqe;
	bool more;
	int res;

	*ring_word(r, r->p.sq_off.array) = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	cqe = ring_wait(r, 1);
	res = cqe->res;
	*flags = cqe->flags;
	more = *flags & IORING_CQE_F_MORE;
	++*ring_word(r, r->p.cq_off.head);
	while (more) {
		more = ring_wait(r, 0)->flags & IORING_CQE_F_MORE;
		++*ring_word(r, r->p.cq_off.head);
	}
	if (res >= 0)
		return res;
	errno = -res;
	return -1;
}

static int run_one(const struct io_uring_sqe *sqe, __u32 *flags)
{
	struct ring r;
	int res, err;

	ring_open(&r);
	*r.sqe = *sqe;
	res = ring_run(&r, flags);
	err = errno;
	ring_close(&r);
	errno = err;
	return res;
}

/* urecv NAME LENGTH: says also whether the kernel knows of more bytes */
static void run_urecv(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 2, 0);
	void *buf = util_alloc(len);
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_RECV, .fd = slot->fd,
		.addr = (uintptr_t)buf, .len = len,
	};
	__u32 flags;

	sem_reply_recv(cmd, slot, buf, run_one(&sqe, &flags), 0);
	if (flags & IORING_CQE_F_SOCK_NONEMPTY)
		strncat(cmd->reply, " more",
			sizeof(cmd->reply) - strlen(cmd->reply) - 1);
	free(buf);
}

static void send_by(struct sem_cmd *cmd, __u8 opcode)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 2, 0);
	void *buf = sem_coded_bytes(slot->tx, len);
	struct io_uring_sqe sqe = {
		.opcode = opcode, .fd = slot->fd, .addr = (uintptr_t)buf,
		.len = len, .msg_flags = MSG_NOSIGNAL,
	};
	__u32 flags;

	sem_reply_send(cmd, slot, run_one(&sqe, &flags));
	free(buf);
}

/* usend NAME LENGTH */
static void run_usend(struct sem_cmd *cmd)
{
	send_by(cmd, IORING_OP_SEND);
}

/* usendzc NAME LENGTH: without a copy */
static void run_usendzc(struct sem_cmd *cmd)
{
	send_by(cmd, IORING_OP_SEND_ZC);
}

/* uqueue NAME in|out: SIOCINQ or SIOCOUTQ */
static void run_uqueue(struct sem_cmd *cmd)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_URING_CMD,
		.fd = sem_fd_number(cmd->argv[1]),
		.cmd_op = strcmp(cmd->argv[2], "in") ? OP_SIOCOUTQ : OP_SIOCINQ,
	};
	__u32 flags;

	sem_reply_ret(cmd, run_one(&sqe, &flags));
}

/* uconnect NAME ADDRESS */
static void run_uconnect(struct sem_cmd *cmd)
{
	union util_addr addr;
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_CONNECT,
		.fd = sem_fd_number(cmd->argv[1]),
		.addr = (uintptr_t)&addr,
	};
	__u32 flags;

	sem_addr(cmd->argv[2], &addr);
	sqe.off = util_addr_len(&addr);
	sem_reply_ret(cmd, run_one(&sqe, &flags));
}

/* uaccept NAME LISTENER: says also whether another connection waits */
static void run_uaccept(struct sem_cmd *cmd)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_ACCEPT,
		.fd = sem_fd_number(cmd->argv[2]),
	};
	__u32 flags;
	int fd = run_one(&sqe, &flags);

	if (fd < 0) {
		sem_reply_ret(cmd, fd);
		return;
	}
	sem_fd_add(cmd->argv[1], fd);
	sem_reply(cmd, flags & IORING_CQE_F_SOCK_NONEMPTY ? "0 more" : "0");
}

const struct sem_verb sem_uring_verbs[] = {
	{ "urecv", 3, run_urecv },
	{ "usend", 3, run_usend },
	{ "usendzc", 3, run_usendzc },
	{ "uqueue", 3, run_uqueue },
	{ "uconnect", 3, run_uconnect },
	{ "uaccept", 3, run_uaccept },
	{ 0 },
};
