// SPDX-License-Identifier: GPL-2.0
/* A connection from its job to its end: blocking threads or one epoll loop. */
#define _GNU_SOURCE
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/**
 * struct io_conn - a connection in an epoll loop
 * @fd: non-blocking socket
 * @job: its job
 * @tx: direction that this end sends
 * @rx: direction that this end receives
 * @opened: connect() has succeeded and the job is sent
 * @done: both directions have ended
 */
struct io_conn {
	int fd;
	struct io_job job;
	struct io_dir tx;
	struct io_dir rx;
	bool opened;
	bool done;
};

/**
 * io_full_write() - write a whole buffer
 * @fd: socket, blocking or not
 * @buf: the bytes
 * @len: their number
 *
 * Return: 0, or -1 with errno set
 */
int io_full_write(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n > 0) {
			p += n;
			len -= n;
		} else if (n < 0 && errno == EAGAIN) {
			if (util_wait_fd(fd, POLLOUT))
				return -1;
		} else if (n < 0 && errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

/**
 * io_full_read() - fill a buffer
 * @fd: socket, blocking or not
 * @buf: the buffer
 * @len: its size
 *
 * Return: 0, or -1 with errno set (ENODATA for an early end of file)
 */
int io_full_read(int fd, void *buf, size_t len)
{
	char *p = buf;

	while (len) {
		ssize_t n = recv(fd, p, len, 0);

		if (n > 0) {
			p += n;
			len -= n;
		} else if (!n) {
			errno = ENODATA;
			return -1;
		} else if (errno == EAGAIN) {
			if (util_wait_fd(fd, POLLIN))
				return -1;
		} else if (errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

static void send_all(struct io_dir *dir)
{
	char *buf = util_alloc(dir->job->wsize);

	while (io_dir_left(dir) && !dir->err) {
		size_t len = io_dir_size(dir, dir->job->wsize);
		ssize_t n;

		len = io_dir_produce(dir, buf, len);
		n = io_send_some(dir, buf, len);
		if (n > 0)
			io_dir_sent(dir, buf, n);
		else if (errno != EINTR)
			dir->err = errno;
	}
	if (!dir->err && shutdown(dir->fd, SHUT_WR))
		dir->err = errno;
	dir->ended = true;
	free(buf);
}

static void recv_all(struct io_dir *dir, unsigned int delay_us)
{
	char *buf = util_alloc(dir->job->rsize);

	while (!dir->ended && !dir->err && !dir->bad) {
		ssize_t n = io_recv_some(dir, buf, io_dir_size(dir,
							       dir->job->rsize));

		if (n > 0)
			io_dir_check(dir, buf, n);
		else if (!n)
			dir->ended = true;
		else if (errno != EINTR)
			dir->err = errno;
		/* Not a wait for anything: this makes the reader slow. */
		if (delay_us)
			usleep(delay_us);
	}
	free(buf);
}

static void *send_thread(void *arg)
{
	send_all(arg);
	return NULL;
}

static bool run_both(struct io_dir *tx, struct io_dir *rx, unsigned int delay)
{
	pthread_attr_t attr;
	pthread_t writer;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 18);
	err = pthread_create(&writer, &attr, send_thread, tx);
	if (err)
		util_die("thread: %s", strerror(err));
	recv_all(rx, delay);
	pthread_join(writer, NULL);
	return true;
}

static bool run_rr(int fd, const struct io_job *job, bool server)
{
	size_t size = job->up;
	__u8 *mine = util_alloc(size);
	__u8 *came = util_alloc(size);
	struct io_dir out;
	struct io_dir in;
	__u64 i;
	bool ok = true;

	io_dir_init(&out, job, fd, server);
	io_dir_init(&in, job, fd, !server);
	out.total = size * job->down;
	in.total = out.total;
	for (i = 0; i < job->down && ok; i++) {
		if (!server) {
			io_dir_produce(&out, mine, size);
			ok = !io_full_write(fd, mine, size);
			io_dir_sent(&out, mine, size);
		}
		ok = ok && !io_full_read(fd, came, size) &&
		     io_dir_check(&in, came, size);
		if (server && ok) {
			io_dir_produce(&out, mine, size);
			ok = !io_full_write(fd, mine, size);
			io_dir_sent(&out, mine, size);
		}
	}
	if (!ok && errno == ENODATA)
		util_wrong_bytes();
	if (!ok)
		fprintf(stderr, "conn %u rr: message %llu: %s\n", job->conn,
			i, util_errno_name(errno));
	free(mine);
	free(came);
	return ok;
}

static bool run_byte(int fd, const struct io_job *job, bool server)
{
	char byte = job->conn;
	char came = ~byte;
	bool ok;

	ok = server || !io_full_write(fd, &byte, 1);
	ok = ok && !io_full_read(fd, &came, 1);
	if (ok && came != byte) {
		errno = EILSEQ;
		util_wrong_bytes();
		ok = false;
	}
	if (ok && server)
		ok = !io_full_write(fd, &byte, 1);
	if (!ok && io_err_forgiven(job->flags, errno))
		return true;
	if (!ok && errno == ENODATA)
		util_wrong_bytes();
	if (!ok)
		fprintf(stderr, "conn %u byte: %s\n", job->conn,
			util_errno_name(errno));
	return ok;
}

static bool use_epoll(struct io_conn *conns, unsigned int count, int flags);

static bool run_epoll(int fd, const struct io_job *job, bool server)
{
	struct io_conn conn = { .fd = fd, .job = *job, .opened = true };
	int fl = fcntl(fd, F_GETFL);

	if (fl < 0 || fcntl(fd, F_SETFL, fl | O_NONBLOCK))
		util_die("O_NONBLOCK: %s", strerror(errno));
	io_dir_init(&conn.tx, &conn.job, fd, server);
	io_dir_init(&conn.rx, &conn.job, fd, !server);
	return use_epoll(&conn, 1, job->flags);
}

static bool run_threads(int fd, const struct io_job *job, bool server)
{
	struct io_dir tx;
	struct io_dir rx;
	bool ok;

	io_dir_init(&tx, job, fd, server);
	io_dir_init(&rx, job, fd, !server);
	if (job->mode == IO_HALF && server) {
		recv_all(&rx, job->delay_us);
		send_all(&tx);
	} else if (job->mode == IO_HALF) {
		send_all(&tx);
		recv_all(&rx, 0);
	} else {
		run_both(&tx, &rx, server ? job->delay_us : 0);
	}
	ok = io_dir_done(&tx, "send");
	ok = io_dir_done(&rx, "receive") && ok;
	io_dir_release(&tx);
	io_dir_release(&rx);
	return ok;
}

/**
 * io_run() - run a job on a connection
 * @fd: socket; stays open
 * @job: the job; already sent or received
 * @server: true at the server
 *
 * Return: true on success, false after a message on stderr
 */
bool io_run(int fd, const struct io_job *job, bool server)
{
	switch (job->mode) {
	case IO_RR:
		return run_rr(fd, job, server);
	case IO_BYTE:
		return run_byte(fd, job, server);
	case IO_QUIT:
		return true;
	default:
		if (job->flags & IO_F_EPOLL)
			return run_epoll(fd, job, server);
		return run_threads(fd, job, server);
	}
}

/* Send once if level-triggered, until EAGAIN if edge-triggered. */
static void poll_send(struct io_conn *conn, char *buf)
{
	struct io_dir *dir = &conn->tx;

	while (io_dir_left(dir) && !dir->err) {
		size_t len = io_dir_size(dir, conn->job.wsize);
		ssize_t n;

		len = io_dir_produce(dir, buf, len);
		n = send(conn->fd, buf, len, MSG_NOSIGNAL);
		if (n > 0)
			io_dir_sent(dir, buf, n);
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR)
			dir->err = errno;
		if (!(conn->job.flags & IO_F_EDGE) && io_dir_left(dir))
			return;
	}
	if (!dir->ended && !dir->err && shutdown(conn->fd, SHUT_WR))
		dir->err = errno;
	dir->ended = true;
}

static void poll_recv(struct io_conn *conn, char *buf)
{
	struct io_dir *dir = &conn->rx;

	while (!dir->ended && !dir->err && !dir->bad) {
		ssize_t n = recv(conn->fd, buf,
				 io_dir_size(dir, conn->job.rsize), 0);

		if (n > 0)
			io_dir_check(dir, buf, n);
		else if (!n)
			dir->ended = true;
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR)
			dir->err = errno;
		if (!(conn->job.flags & IO_F_EDGE))
			return;
	}
}

static __u32 wanted_events(const struct io_conn *conn)
{
	if (conn->job.flags & IO_F_EDGE)
		return EPOLLIN | EPOLLOUT | EPOLLET;
	return (conn->rx.ended ? 0 : EPOLLIN) |
	       (conn->tx.ended ? 0 : EPOLLOUT);
}

/* The connection is established or has failed: send its job or take the error. */
static void conn_opened(struct io_conn *conn)
{
	socklen_t len = sizeof(conn->tx.err);

	if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &conn->tx.err, &len))
		conn->tx.err = errno;
	if (!conn->tx.err &&
	    io_full_write(conn->fd, &conn->job, sizeof(conn->job)))
		conn->tx.err = errno;
	conn->opened = true;
}

static bool conn_event(struct io_conn *conn, __u32 events, char *buf)
{
	bool failed;

	if (!conn->opened) {
		if (!(events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
			return false;
		conn_opened(conn);
		/* SO_ERROR has consumed the error; recv() would return end of file. */
		if (conn->tx.err)
			events = 0;
	}
	/* Receive first: a socket reports an error only once, and recv() after
	 * a send() that failed with it returns end of file.
	 */
	if (events & (EPOLLIN | EPOLLERR | EPOLLHUP))
		poll_recv(conn, buf);
	if (!conn->rx.err && !conn->tx.err && !conn->tx.ended)
		poll_send(conn, buf);
	failed = conn->tx.err || conn->rx.err || conn->rx.bad;
	conn->done = failed || (conn->tx.ended && conn->rx.ended);
	return conn->done;
}

static void conn_watch(int ep, int op, struct io_conn *conn)
{
	struct epoll_event ev = {
		.events = wanted_events(conn),
		.data.ptr = conn,
	};

	if (epoll_ctl(ep, op, conn->fd, &ev))
		util_die("epoll_ctl: %s", strerror(errno));
}

static void epoll_loop(int ep, unsigned int left, int flags, char *buf)
{
	struct epoll_event evs[64];
	int i;
	int n;

	while (left) {
		n = epoll_wait(ep, evs, 64, -1);
		if (n < 0 && errno != EINTR)
			util_die("epoll_wait: %s", strerror(errno));
		for (i = 0; i < n; i++) {
			struct io_conn *conn = evs[i].data.ptr;

			if (conn->done)
				continue;
			if (conn_event(conn, evs[i].events, buf)) {
				left--;
				epoll_ctl(ep, EPOLL_CTL_DEL, conn->fd, NULL);
			} else if (!(flags & IO_F_EDGE)) {
				conn_watch(ep, EPOLL_CTL_MOD, conn);
			}
		}
	}
}

/* Print how many connections ended with an errno. */
static void count_errors(const struct io_conn *conns, unsigned int count)
{
	unsigned int i, failed = 0;
	int err = 0;

	for (i = 0; i < count; i++) {
		if (!conns[i].tx.err && !conns[i].rx.err)
			continue;
		err = conns[i].tx.err ? conns[i].tx.err : conns[i].rx.err;
		failed++;
	}
	if (failed)
		printf("# %u of %u ended with an errno, the last %s\n",
		       failed, count, util_errno_name(err));
}

static bool use_epoll(struct io_conn *conns, unsigned int count, int flags)
{
	__u32 most = conns->job.wsize > conns->job.rsize ?
			conns->job.wsize : conns->job.rsize;
	int ep = epoll_create1(EPOLL_CLOEXEC);
	char *buf = util_alloc(most);
	unsigned int i;
	bool ok = true;

	for (i = 0; i < count; i++)
		conn_watch(ep, EPOLL_CTL_ADD, conns + i);
	epoll_loop(ep, count, flags, buf);
	for (i = 0; i < count; i++) {
		ok = io_dir_done(&conns[i].tx, "send") && ok;
		ok = io_dir_done(&conns[i].rx, "receive") && ok;
	}
	close(ep);
	free(buf);
	return ok;
}

/**
 * io_many() - open many connections at once and run a job on each
 * @addr: address of the server
 * @kind: kind of socket
 * @job: the job, IO_STREAM only; each connection gets its own @conn
 * @count: number of connections
 *
 * Return: true if all succeeded
 */
bool io_many(const union util_addr *addr, const struct util_kind *kind,
	     const struct io_job *job, unsigned int count)
{
	struct io_conn *conns = util_alloc(count * sizeof(*conns));
	unsigned int i;
	bool ok;

	for (i = 0; i < count; i++) {
		struct io_conn *conn = conns + i;

		conn->job = *job;
		conn->job.conn += i;
		conn->fd = util_socket(kind, SOCK_NONBLOCK);
		if (conn->fd < 0)
			util_die("socket: %s", strerror(errno));
		if (connect(conn->fd, &addr->sa, util_addr_len(addr)) &&
		    errno != EINPROGRESS)
			util_die("connect %u: %s", i, strerror(errno));
		io_dir_init(&conn->tx, &conn->job, conn->fd, false);
		io_dir_init(&conn->rx, &conn->job, conn->fd, true);
	}
	ok = use_epoll(conns, count, job->flags);
	count_errors(conns, count);
	for (i = 0; i < count; i++)
		close(conns[i].fd);
	free(conns);
	return ok;
}
