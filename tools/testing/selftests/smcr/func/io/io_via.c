// SPDX-License-Identifier: GPL-2.0
/* All calls that send or receive on a stream socket. */
#define _GNU_SOURCE
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#define VECS	3
#define PIPE_MAX_BYTES	65536

static const char * const send_names[IO_SEND_COUNT] = {
	"write", "send", "writev", "sendmsg", "sendmmsg", "more", "dontwait",
	"sendfile", "splice",
};

static const char * const recv_names[IO_RECV_COUNT] = {
	"read", "recv", "readv", "recvmsg", "recvmmsg", "peek", "waitall",
	"dontwait", "splice",
};

static int name_find(const char * const *names, int count, const char *name)
{
	int i;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	util_die("way %s is unknown", name);
}

/**
 * io_send_via_find() - look up a way to send by its name
 * @name: one of send_names
 *
 * Return: enum io_send_via; an unknown name ends the program
 */
int io_send_via_find(const char *name)
{
	return name_find(send_names, IO_SEND_COUNT, name);
}

/**
 * io_recv_via_find() - look up a way to receive by its name
 * @name: one of recv_names
 *
 * Return: enum io_recv_via; an unknown name ends the program
 */
int io_recv_via_find(const char *name)
{
	return name_find(recv_names, IO_RECV_COUNT, name);
}

/* Split a buffer into a short, an empty and a long vector. */
static void split(struct iovec vec[VECS], const void *buf, size_t len)
{
	size_t first = len / 3;

	vec[0] = (struct iovec){ (char *)buf, first };
	vec[1] = (struct iovec){ (char *)buf + first, 0 };
	vec[2] = (struct iovec){ (char *)buf + first, len - first };
}

static int wait_for(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	return poll(&pfd, 1, -1) < 0 ? -1 : 0;
}

static ssize_t send_msg(int fd, const void *buf, size_t len)
{
	struct iovec vec[VECS];
	struct msghdr msg = { .msg_iov = vec, .msg_iovlen = VECS };

	split(vec, buf, len);
	return sendmsg(fd, &msg, MSG_NOSIGNAL);
}

static ssize_t send_mmsg(int fd, const void *buf, size_t len)
{
	struct mmsghdr msgs[2] = { 0 };
	struct iovec vec[VECS];
	int n;

	split(vec, buf, len);
	msgs[0].msg_hdr.msg_iov = vec;
	msgs[0].msg_hdr.msg_iovlen = 1;
	msgs[1].msg_hdr.msg_iov = vec + 2;
	msgs[1].msg_hdr.msg_iovlen = 1;
	if (!vec[0].iov_len)
		return send_msg(fd, buf, len);
	n = sendmmsg(fd, msgs, 2, MSG_NOSIGNAL);
	if (n <= 0)
		return n;
	if (n == 2 && msgs[0].msg_len != vec[0].iov_len)
		util_die("sendmmsg continued after a short message");
	return msgs[0].msg_len + (n == 2 ? msgs[1].msg_len : 0);
}

static ssize_t send_dontwait(int fd, const void *buf, size_t len)
{
	ssize_t n = send(fd, buf, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno == EAGAIN && !wait_for(fd, POLLOUT))
		errno = EINTR;
	return n;
}

/*
 * TCP references the file's pages instead of copying them. The file therefore
 * holds each byte at its offset in the stream, and a byte sent keeps its value.
 */
static ssize_t send_file(struct io_dir *dir, const void *buf, size_t len)
{
	off_t pos = dir->off;

	if (dir->file < 0)
		dir->file = memfd_create("stream", MFD_CLOEXEC);
	if (dir->file < 0)
		return -1;
	if (pwrite(dir->file, buf, len, pos) != (ssize_t)len)
		return -1;
	return sendfile(dir->fd, dir->file, &pos, len);
}

static ssize_t send_splice(struct io_dir *dir, const void *buf, size_t len)
{
	size_t done = 0;
	ssize_t n;

	if (dir->pipe[0] < 0 && pipe2(dir->pipe, O_CLOEXEC))
		return -1;
	if (len > PIPE_MAX_BYTES)
		len = PIPE_MAX_BYTES;
	n = write(dir->pipe[1], buf, len);
	if (n <= 0)
		return n;
	len = n;
	while (done < len) {
		n = splice(dir->pipe[0], NULL, dir->fd, NULL, len - done, 0);
		if (n <= 0)
			return done ? (ssize_t)done : n;
		done += n;
	}
	return done;
}

/**
 * io_send_some() - make one send call of the kind that the job names
 * @dir: the direction
 * @buf: bytes from io_dir_produce()
 * @len: their number
 *
 * Return: bytes taken, or -1 with errno set (EINTR: try again)
 */
ssize_t io_send_some(struct io_dir *dir, const void *buf, size_t len)
{
	struct iovec vec[VECS];
	bool last = len == io_dir_left(dir);

	switch (dir->job->send_via) {
	case IO_SEND_SEND:
		return send(dir->fd, buf, len, MSG_NOSIGNAL);
	case IO_SEND_WRITEV:
		split(vec, buf, len);
		return writev(dir->fd, vec, VECS);
	case IO_SEND_SENDMSG:
		return send_msg(dir->fd, buf, len);
	case IO_SEND_SENDMMSG:
		return send_mmsg(dir->fd, buf, len);
	case IO_SEND_MORE:
		return send(dir->fd, buf, len,
			    MSG_NOSIGNAL | (last ? 0 : MSG_MORE));
	case IO_SEND_DONTWAIT:
		return send_dontwait(dir->fd, buf, len);
	case IO_SEND_SENDFILE:
		return send_file(dir, buf, len);
	case IO_SEND_SPLICE:
		return send_splice(dir, buf, len);
	default:
		return write(dir->fd, buf, len);
	}
}

static ssize_t recv_msg(int fd, void *buf, size_t len)
{
	struct iovec vec[VECS];
	struct msghdr msg = { .msg_iov = vec, .msg_iovlen = VECS };

	split(vec, buf, len);
	return recvmsg(fd, &msg, 0);
}

static ssize_t recv_mmsg(int fd, void *buf, size_t len)
{
	struct mmsghdr msgs[1] = { 0 };
	struct iovec vec[VECS];
	int n;

	split(vec, buf, len);
	msgs[0].msg_hdr.msg_iov = vec;
	msgs[0].msg_hdr.msg_iovlen = VECS;
	n = recvmmsg(fd, msgs, 1, MSG_WAITFORONE, NULL);
	return n < 0 ? -1 : (ssize_t)msgs[0].msg_len;
}

static ssize_t recv_peek(int fd, void *buf, size_t len)
{
	ssize_t seen = recv(fd, buf, len, MSG_PEEK);
	char *peeked;
	ssize_t n;

	if (seen <= 0)
		return seen;
	peeked = util_alloc(seen);
	memcpy(peeked, buf, seen);
	n = recv(fd, buf, seen, 0);
	if (n != seen || memcmp(peeked, buf, seen))
		util_die("MSG_PEEK returned %zd bytes, recv then %zd or other bytes", seen, n);
	free(peeked);
	return n;
}

static ssize_t recv_dontwait(int fd, void *buf, size_t len)
{
	ssize_t n = recv(fd, buf, len, MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN && !wait_for(fd, POLLIN))
		errno = EINTR;
	return n;
}

static ssize_t recv_splice(struct io_dir *dir, void *buf, size_t len)
{
	size_t done = 0;
	ssize_t got;
	ssize_t n;

	if (dir->pipe[0] < 0 && pipe2(dir->pipe, O_CLOEXEC))
		return -1;
	got = splice(dir->fd, NULL, dir->pipe[1], NULL, len, 0);
	while (got > 0 && done < (size_t)got) {
		n = read(dir->pipe[0], (char *)buf + done, got - done);
		if (n <= 0)
			return -1;
		done += n;
	}
	return got;
}

/**
 * io_recv_some() - make one receive call of the kind that the job names
 * @dir: the direction
 * @buf: buffer
 * @len: size of @buf
 *
 * Return: bytes received, 0 at end of file, or -1 with errno set (EINTR: try again)
 */
ssize_t io_recv_some(struct io_dir *dir, void *buf, size_t len)
{
	struct iovec vec[VECS];

	switch (dir->job->recv_via) {
	case IO_RECV_RECV:
		return recv(dir->fd, buf, len, 0);
	case IO_RECV_READV:
		split(vec, buf, len);
		return readv(dir->fd, vec, VECS);
	case IO_RECV_RECVMSG:
		return recv_msg(dir->fd, buf, len);
	case IO_RECV_RECVMMSG:
		return recv_mmsg(dir->fd, buf, len);
	case IO_RECV_PEEK:
		return recv_peek(dir->fd, buf, len);
	case IO_RECV_WAITALL:
		return recv(dir->fd, buf, len, MSG_WAITALL);
	case IO_RECV_DONTWAIT:
		return recv_dontwait(dir->fd, buf, len);
	case IO_RECV_SPLICE:
		return recv_splice(dir, buf, len);
	default:
		return read(dir->fd, buf, len);
	}
}
