// SPDX-License-Identifier: GPL-2.0
/* Steps that send and receive. */
#define _GNU_SOURCE
#include "sem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#define VECS	(SEM_ARGS)
#define FILL_CHUNK	16384
#define FILL_QUIET_MS	600

static const struct sem_name msg_flags[] = {
	{ "dontwait", MSG_DONTWAIT }, { "peek", MSG_PEEK },
	{ "waitall", MSG_WAITALL }, { "trunc", MSG_TRUNC },
	{ "nosignal", MSG_NOSIGNAL }, { "more", MSG_MORE },
	{ "fastopen", MSG_FASTOPEN },
	{ "oob", MSG_OOB }, { "eor", MSG_EOR },
	{ "dontroute", MSG_DONTROUTE }, { "confirm", MSG_CONFIRM },
	{ "errqueue", MSG_ERRQUEUE }, { "cmsgcloexec", MSG_CMSG_CLOEXEC },
	{ 0 },
};

/* Value of the byte at position @pos, the same for every stream. */
static __u8 coded_byte(__u64 pos)
{
	return pos * 167 + (pos >> 8) * 13 + (pos >> 16) * 5;
}

/**
 * sem_coded_bytes() - make a part of a stream
 * @pos: its position
 * @len: its length
 *
 * Return: the bytes, which the caller frees.
 */
void *sem_coded_bytes(__u64 pos, size_t len)
{
	__u8 *buf = util_alloc(len);
	size_t i;

	for (i = 0; i < len; i++)
		buf[i] = coded_byte(pos + i);
	return buf;
}

static const char *judge(const void *buf, __u64 pos, size_t len)
{
	const __u8 *p = buf;
	size_t i;

	for (i = 0; i < len; i++)
		if (p[i] != coded_byte(pos + i))
			return SEM_WRONG;
	return "good";
}

/**
 * sem_reply_recv() - set the result of a step that received
 * @cmd: the step
 * @slot: descriptor
 * @buf: what it received
 * @n: how many bytes, or -1 with errno
 * @flags: MSG_* of the call
 */
void sem_reply_recv(struct sem_cmd *cmd, struct sem_fd *slot, const void *buf,
		    ssize_t n, int flags)
{
	if (n <= 0) {
		sem_reply_ret(cmd, n);
		return;
	}
	sem_reply(cmd, "%zd %s", n,
		  flags & MSG_TRUNC ? "dropped" : judge(buf, slot->rx, n));
	if (!(flags & MSG_PEEK))
		slot->rx += n;
}

/**
 * sem_reply_send() - set the result of a step that sent
 * @cmd: the step
 * @slot: descriptor
 * @n: how many bytes, or -1 with errno
 */
void sem_reply_send(struct sem_cmd *cmd, struct sem_fd *slot, ssize_t n)
{
	if (n > 0)
		slot->tx += n;
	sem_reply_ret(cmd, n);
}

/* Fill @vec with the lengths given by word @first and those after it. */
static int make_vec(const struct sem_cmd *cmd, int first, char *buf,
		    struct iovec *vec)
{
	int n = 0;
	int i;

	for (i = first; i < cmd->argc; i++) {
		vec[n].iov_base = buf;
		vec[n].iov_len = sem_num(cmd, i, 0);
		buf += vec[n++].iov_len;
	}
	return n;
}

static size_t sum_args(const struct sem_cmd *cmd, int first)
{
	size_t len = 0;
	int i;

	for (i = first; i < cmd->argc; i++)
		len += sem_num(cmd, i, 0);
	return len;
}

/* send NAME LENGTH [FLAGS] */
static void run_send(struct sem_cmd *cmd)
{
	int flags = sem_flags(msg_flags, sem_arg(cmd, 3, "0"));
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 2, 0);
	void *buf = sem_coded_bytes(slot->tx, len);

	sem_reply_send(cmd, slot, send(slot->fd, buf, len, flags));
	free(buf);
}

/* sendto NAME LENGTH ADDRESS */
static void run_sendto(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 2, 0);
	void *buf = sem_coded_bytes(slot->tx, len);
	union util_addr addr;

	sem_addr(cmd->argv[3], &addr);
	sem_reply_send(cmd, slot, sendto(slot->fd, buf, len, MSG_NOSIGNAL,
					 &addr.sa, util_addr_len(&addr)));
	free(buf);
}

/* write NAME LENGTH */
static void run_write(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 2, 0);
	void *buf = sem_coded_bytes(slot->tx, len);

	sem_reply_send(cmd, slot, write(slot->fd, buf, len));
	free(buf);
}

/* writev NAME LENGTH... */
static void run_writev(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	void *buf = sem_coded_bytes(slot->tx, sum_args(cmd, 2));
	struct iovec vec[VECS];
	int n = make_vec(cmd, 2, buf, vec);

	sem_reply_send(cmd, slot, writev(slot->fd, vec, n));
	free(buf);
}

/* sendmsg NAME FLAGS LENGTH... */
static void run_sendmsg(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	void *buf = sem_coded_bytes(slot->tx, sum_args(cmd, 3));
	struct iovec vec[VECS];
	struct msghdr msg = { .msg_iov = vec };

	msg.msg_iovlen = make_vec(cmd, 3, buf, vec);
	sem_reply_send(cmd, slot, sendmsg(slot->fd, &msg,
					  sem_flags(msg_flags, cmd->argv[2])));
	free(buf);
}

/* sendcmsg NAME LEVEL TYPE LENGTH [CLAIMED]: one byte, with a control message
 * of LENGTH zeros that claims to be of another length
 */
static void run_sendcmsg(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 4, 0), claimed = sem_num(cmd, 5, len);
	void *buf = sem_coded_bytes(slot->tx, 1);
	struct iovec vec = { .iov_base = buf, .iov_len = 1 };
	char control[CMSG_SPACE(64)] = { 0 };
	struct msghdr msg = {
		.msg_iov = &vec, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = CMSG_SPACE(len),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = sem_num(cmd, 2, 0);
	c->cmsg_type = sem_num(cmd, 3, 0);
	c->cmsg_len = CMSG_LEN(claimed);
	sem_reply_send(cmd, slot, sendmsg(slot->fd, &msg, MSG_NOSIGNAL));
	free(buf);
}

/* sendmmsg NAME FLAGS LENGTH...: one message per length */
static void run_sendmmsg(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	void *buf = sem_coded_bytes(slot->tx, sum_args(cmd, 3));
	struct mmsghdr msgs[VECS] = { 0 };
	struct iovec vec[VECS];
	int n = make_vec(cmd, 3, buf, vec);
	size_t sum = 0;
	int i;

	for (i = 0; i < n; i++) {
		msgs[i].msg_hdr.msg_iov = vec + i;
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	n = sendmmsg(slot->fd, msgs, n, sem_flags(msg_flags, cmd->argv[2]));
	for (i = 0; i < n; i++)
		sum += msgs[i].msg_len;
	slot->tx += sum;
	if (n < 0)
		sem_reply_ret(cmd, n);
	else
		sem_reply(cmd, "%d sum %zu", n, sum);
	free(buf);
}

/* recv NAME LENGTH [FLAGS] */
static void run_recv(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	int flags = sem_flags(msg_flags, sem_arg(cmd, 3, "0"));
	size_t len = sem_num(cmd, 2, 0);
	void *buf = util_alloc(len);

	sem_reply_recv(cmd, slot, buf, recv(slot->fd, buf, len, flags), flags);
	free(buf);
}

/* recvfrom NAME LENGTH: also replies with the length of the source address */
static void run_recvfrom(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 2, 0);
	void *buf = util_alloc(len);
	union util_addr addr;
	socklen_t alen = sizeof(addr);
	size_t used;
	ssize_t n;

	n = recvfrom(slot->fd, buf, len, 0, &addr.sa, &alen);
	sem_reply_recv(cmd, slot, buf, n, 0);
	used = strlen(cmd->reply);
	snprintf(cmd->reply + used, sizeof(cmd->reply) - used, " name %u",
		 n < 0 ? 0 : alen);
	free(buf);
}

/* read NAME LENGTH */
static void run_read(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 2, 0);
	void *buf = util_alloc(len);

	sem_reply_recv(cmd, slot, buf, read(slot->fd, buf, len), 0);
	free(buf);
}

/* readv NAME LENGTH... */
static void run_readv(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	void *buf = util_alloc(sum_args(cmd, 2));
	struct iovec vec[VECS];
	int n = make_vec(cmd, 2, buf, vec);

	sem_reply_recv(cmd, slot, buf, readv(slot->fd, vec, n), 0);
	free(buf);
}

static void reply_control(struct sem_cmd *cmd, struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	char *end = cmd->reply + strlen(cmd->reply);
	size_t room = cmd->reply + sizeof(cmd->reply) - end;
	int inq;

	if (c && c->cmsg_level == IPPROTO_TCP && c->cmsg_type == TCP_CM_INQ) {
		memcpy(&inq, CMSG_DATA(c), sizeof(inq));
		snprintf(end, room, " flags %x inq %d", msg->msg_flags, inq);
	} else {
		snprintf(end, room, " flags %x control %zu", msg->msg_flags,
			 msg->msg_controllen);
	}
}

/* recvmsg NAME FLAGS LENGTH... */
static void run_recvmsg(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	int flags = sem_flags(msg_flags, cmd->argv[2]);
	void *buf = util_alloc(sum_args(cmd, 3));
	struct iovec vec[VECS];
	char control[128];
	struct msghdr msg = {
		.msg_iov = vec, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;

	msg.msg_iovlen = make_vec(cmd, 3, buf, vec);
	n = recvmsg(slot->fd, &msg, flags);
	sem_reply_recv(cmd, slot, buf, n, flags);
	if (n >= 0)
		reply_control(cmd, &msg);
	free(buf);
}

/* recvmmsg NAME FLAGS LENGTH...: one message per length */
static void run_recvmmsg(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	int flags = sem_flags(msg_flags, cmd->argv[2]);
	char *buf = util_alloc(sum_args(cmd, 3));
	struct mmsghdr msgs[VECS] = { 0 };
	struct iovec vec[VECS];
	int n = make_vec(cmd, 3, buf, vec);
	const char *verdict = "good";
	size_t sum = 0;
	int i;

	for (i = 0; i < n; i++) {
		msgs[i].msg_hdr.msg_iov = vec + i;
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	n = recvmmsg(slot->fd, msgs, n, flags, NULL);
	for (i = 0; i < n; i++) {
		if (strcmp(judge(vec[i].iov_base, slot->rx, msgs[i].msg_len),
			   "good"))
			verdict = SEM_WRONG;
		slot->rx += msgs[i].msg_len;
		sum += msgs[i].msg_len;
	}
	if (n < 0)
		sem_reply_ret(cmd, n);
	else
		sem_reply(cmd, "%d sum %zu %s", n, sum, verdict);
	free(buf);
}

/* oob NAME OFFSET [FLAGS]: receive the urgent byte, which must be that at
 * OFFSET from the reader's position
 */
static void run_oob(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	int flags = sem_flags(msg_flags, sem_arg(cmd, 3, "0"));
	__u8 byte;
	ssize_t n = recv(slot->fd, &byte, 1, flags | MSG_OOB);

	if (n <= 0)
		sem_reply_ret(cmd, n);
	else
		sem_reply(cmd, "%zd %s", n,
			  judge(&byte, slot->rx + sem_num(cmd, 2, 0), 1));
}

/* skip NAME LENGTH: the next bytes are urgent and not in the stream */
static void run_skip(struct sem_cmd *cmd)
{
	sem_fd_find(cmd->argv[1])->rx += sem_num(cmd, 2, 0);
	sem_reply(cmd, "0");
}

/* recvall NAME LENGTH: call recv() until LENGTH bytes are there */
static void run_recvall(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t want = sem_num(cmd, 2, 0);
	char *buf = util_alloc(want);
	const char *end = "";
	size_t got = 0;
	ssize_t n;

	while (got < want) {
		n = recv(slot->fd, buf + got, want - got, 0);
		if (n <= 0) {
			end = n ? util_errno_name(errno) : "end";
			break;
		}
		got += n;
	}
	sem_reply(cmd, "%s %s%s", got == want ? "all" : "part",
		  judge(buf, slot->rx, got), end);
	slot->rx += got;
	free(buf);
}

/* sendall NAME LENGTH: call send() until LENGTH bytes are taken */
static void run_sendall(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 2, 0);
	char *buf = sem_coded_bytes(slot->tx, len);
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = send(slot->fd, buf + done, len - done, MSG_NOSIGNAL);
		if (n < 0)
			break;
		done += n;
	}
	slot->tx += done;
	if (done < len)
		sem_reply_ret(cmd, -1);
	else
		sem_reply(cmd, "all");
	free(buf);
}

static ssize_t send_now(struct sem_fd *slot, size_t len)
{
	void *buf = sem_coded_bytes(slot->tx, len);
	ssize_t n = send(slot->fd, buf, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	free(buf);
	if (n > 0)
		slot->tx += n;
	return n;
}

/* Send until there is no room for another byte; returns the bytes taken. */
static __u64 send_until_full(struct sem_fd *slot)
{
	__u64 begin = slot->tx;

	while (send_now(slot, FILL_CHUNK) > 0)
		;
	while (send_now(slot, 1) > 0)
		;
	return slot->tx - begin;
}

/*
 * fill NAME VARIABLE: send without blocking until there is no room for another
 * byte and none appears for FILL_QUIET_MS, as bytes in flight still free room.
 */
static void run_fill(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	struct pollfd pfd = { .fd = slot->fd, .events = POLLOUT };
	__u64 begin = slot->tx;

	while (send_until_full(slot) && errno == EAGAIN)
		poll(&pfd, 1, FILL_QUIET_MS);
	if (errno == EAGAIN)
		sem_reply(cmd, "%llu",
			  (slot->tx - begin));
	else
		sem_reply_ret(cmd, -1);
}

/* sendfile NAME LENGTH */
static void run_sendfile(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 2, 0);
	void *buf = sem_coded_bytes(slot->tx, len);
	int file = memfd_create("sendfile", MFD_CLOEXEC);
	off_t pos = 0;

	if (file < 0 || write(file, buf, len) != (ssize_t)len)
		util_die("memfd: %s", strerror(errno));
	sem_reply_send(cmd, slot, sendfile(slot->fd, file, &pos, len));
	close(file);
	free(buf);
}

/* splicein NAME LENGTH [nonblock]: from a pipe to the socket */
static void run_splicein(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 2, 0);
	void *buf = sem_coded_bytes(slot->tx, len);
	int flags = cmd->argc > 3 ? SPLICE_F_NONBLOCK : 0;
	int pipefd[2];

	if (pipe(pipefd) || write(pipefd[1], buf, len) != (ssize_t)len)
		util_die("pipe: %s", strerror(errno));
	sem_reply_send(cmd, slot, splice(pipefd[0], NULL, slot->fd, NULL, len,
					 flags));
	close(pipefd[0]);
	close(pipefd[1]);
	free(buf);
}

/* spliceout NAME LENGTH [nonblock]: from the socket to a pipe */
static void run_spliceout(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t len = sem_num(cmd, 2, 0);
	void *buf = util_alloc(len);
	int flags = cmd->argc > 3 ? SPLICE_F_NONBLOCK : 0;
	int pipefd[2];
	ssize_t n;
	int err;

	if (pipe(pipefd))
		util_die("pipe: %s", strerror(errno));
	n = splice(slot->fd, NULL, pipefd[1], NULL, len, flags);
	err = errno;
	if (n > 0 && read(pipefd[0], buf, n) != n)
		util_die("the pipe holds fewer than %zd bytes", n);
	errno = err;
	sem_reply_recv(cmd, slot, buf, n, 0);
	close(pipefd[0]);
	close(pipefd[1]);
	free(buf);
}

/* Return the last @good bytes of a usable page, followed by an unusable one. */
static char *half_page(size_t good)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + page, page, PROT_NONE))
		util_die("mmap: %s", strerror(errno));
	return p + page - good;
}

/* sendfault NAME GOOD LENGTH: send a buffer that faults after GOOD bytes */
static void run_sendfault(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	size_t good = sem_num(cmd, 2, 0);
	char *buf = half_page(good);
	void *bytes = sem_coded_bytes(slot->tx, good);

	memcpy(buf, bytes, good);
	free(bytes);
	sem_reply_send(cmd, slot, send(slot->fd, buf, sem_num(cmd, 3, 0), 0));
}

/* recvfault NAME GOOD LENGTH: receive into a buffer that faults after GOOD */
static void run_recvfault(struct sem_cmd *cmd)
{
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	char *buf = half_page(sem_num(cmd, 2, 0));
	ssize_t n = recv(slot->fd, buf, sem_num(cmd, 3, 0), 0);

	sem_reply_recv(cmd, slot, buf, n, 0);
}

/* hugevec NAME: sendmsg() with one vector more than IOV_MAX */
static void run_hugevec(struct sem_cmd *cmd)
{
	struct iovec *vec = util_alloc((IOV_MAX + 1) * sizeof(*vec));
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	struct msghdr msg = { .msg_iov = vec, .msg_iovlen = IOV_MAX + 1 };

	sem_reply_ret(cmd, sendmsg(slot->fd, &msg, 0));
	free(vec);
}

/* manyvec NAME: writev() with IOV_MAX vectors of one byte each */
static void run_manyvec(struct sem_cmd *cmd)
{
	struct iovec *vec = util_alloc(IOV_MAX * sizeof(*vec));
	struct sem_fd *slot = sem_fd_find(cmd->argv[1]);
	char *buf = sem_coded_bytes(slot->tx, IOV_MAX);
	int i;

	for (i = 0; i < IOV_MAX; i++)
		vec[i] = (struct iovec){ buf + i, 1 };
	sem_reply_send(cmd, slot, writev(slot->fd, vec, IOV_MAX));
	free(vec);
	free(buf);
}

const struct sem_verb sem_data_verbs[] = {
	{ "send", 3, run_send },
	{ "sendto", 4, run_sendto },
	{ "write", 3, run_write },
	{ "writev", 2, run_writev },
	{ "sendmsg", 4, run_sendmsg },
	{ "sendcmsg", 5, run_sendcmsg },
	{ "sendmmsg", 4, run_sendmmsg },
	{ "recv", 3, run_recv },
	{ "oob", 3, run_oob },
	{ "skip", 3, run_skip },
	{ "recvfrom", 3, run_recvfrom },
	{ "read", 3, run_read },
	{ "readv", 2, run_readv },
	{ "recvmsg", 4, run_recvmsg },
	{ "recvmmsg", 4, run_recvmmsg },
	{ "recvall", 3, run_recvall },
	{ "sendall", 3, run_sendall },
	{ "fill", 3, run_fill },
	{ "sendfile", 3, run_sendfile },
	{ "splicein", 3, run_splicein },
	{ "spliceout", 3, run_spliceout },
	{ "sendfault", 4, run_sendfault },
	{ "recvfault", 4, run_recvfault },
	{ "hugevec", 2, run_hugevec },
	{ "manyvec", 2, run_manyvec },
	{ 0 },
};
