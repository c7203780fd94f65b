// SPDX-License-Identifier: GPL-2.0
/* The writer and the reader of a connection, one thread each. */
#define _GNU_SOURCE
#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <time.h>
#include <unistd.h>

#define HALF_SENDS	8
#define RR_SIZE		300
#define RECV_MOST	0x4000

const char *const fail_shape_names[FAIL_SHAPES] = {
	"stream", "half", "closing", "window", "sendfile", "rr", "idle",
	"ended", "gone",
};

/**
 * fail_conn_init() - initialize a connection
 * @conn: the connection; @conn->hello is set
 * @fd: its socket
 * @server: this end is the server
 */
void fail_conn_init(struct fail_conn *conn, int fd, bool server)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&conn->wake, &attr);
	pthread_mutex_init(&conn->lock, NULL);
	conn->fd = fd;
	conn->server = server;
	conn->leads = server != conn->hello.client_leads;
	conn->rnd_tx = conn->hello.seed + conn->hello.conn * 4 + server;
	conn->rnd_rx = conn->rnd_tx + 2;
	conn->polls = util_random(&conn->rnd_tx) & 1;
	conn->tx.conn = conn->hello.conn;
	conn->tx.down = server;
	conn->rx.conn = conn->hello.conn;
	conn->rx.down = !server;
	conn->last_ns = util_now_ns();
}

/**
 * fail_conn_writes() - does this end write?
 * @conn: the connection
 *
 * Return: false if its peer has closed the socket, and so reads nothing
 */
bool fail_conn_writes(const struct fail_conn *conn)
{
	return conn->leads || (conn->hello.shape != FAIL_CLOSING &&
			       conn->hello.shape != FAIL_GONE);
}

/**
 * fail_conn_reads() - does this end read?
 * @conn: the connection
 *
 * Return: false if it closes the socket when it has written
 */
bool fail_conn_reads(const struct fail_conn *conn)
{
	return !conn->leads || (conn->hello.shape != FAIL_CLOSING &&
				conn->hello.shape != FAIL_GONE);
}

/**
 * fail_conn_flows() - do bytes come at the pace of the peer's writer?
 * @conn: the connection
 *
 * Return: true until the reader has ended
 */
bool fail_conn_flows(const struct fail_conn *conn)
{
	switch (conn->hello.shape) {
	case FAIL_STREAM:
	case FAIL_SENDFILE:
	case FAIL_RR:
		return !conn->over;
	case FAIL_HALF:
		return conn->leads && !conn->over;
	default:
		return false;
	}
}

/* Wait until the reader of this end or a command changes something. The caller
 * holds the lock.
 */
static void nap(struct fail_conn *conn)
{
	pthread_cond_wait(&conn->wake, &conn->lock);
}

/* Pace the load: the pause is random, and "stop" ends it. */
static void pause_writer(struct fail_conn *conn)
{
	__u64 ms = conn->hello.pace_ms;
	struct timespec ts;
	__u64 end;
	int err = 0;

	end = util_now_ns();
	end += (ms / 2 + util_random(&conn->rnd_tx) % (ms + 1)) * 1000000;
	ts.tv_sec = end / 1000000000;
	ts.tv_nsec = end % 1000000000;
	pthread_mutex_lock(&conn->lock);
	while (!fail_stopping() && !err)
		err = pthread_cond_timedwait(&conn->wake, &conn->lock, &ts);
	pthread_mutex_unlock(&conn->lock);
}

static void ready(struct fail_conn *conn, bool *flag)
{
	pthread_mutex_lock(&conn->lock);
	*flag = true;
	pthread_mutex_unlock(&conn->lock);
}

/* Send a buffer; returns 0 or an errno. */
static int send_buf(struct fail_conn *conn, const __u8 *buf, size_t len)
{
	int flags = MSG_NOSIGNAL | (conn->polls ? MSG_DONTWAIT : 0);
	ssize_t n;

	while (len) {
		n = send(conn->fd, buf, len, flags);
		if (n > 0) {
			buf += n;
			len -= n;
		} else if (errno == EAGAIN && conn->polls) {
			if (util_wait_fd(conn->fd, POLLOUT))
				return errno;
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

/*
 * TCP references the file's pages instead of copying them. The file therefore
 * holds each byte at its offset in the stream, and a byte sent keeps its value.
 */
static int send_file(struct fail_conn *conn, int file, const __u8 *buf,
		     size_t len)
{
	off_t pos = conn->tx.off;
	off_t end = pos + len;
	ssize_t n;

	if (pwrite(file, buf, len, pos) != (ssize_t)len)
		return errno;
	while (pos < end) {
		n = sendfile(conn->fd, file, &pos, end - pos);
		if (n <= 0 && errno != EINTR && errno != EAGAIN)
			return n ? errno : EIO;
	}
	return 0;
}

static int send_size(struct fail_conn *conn, size_t len, int file)
{
	__u8 buf[FAIL_BUF];
	int err;

	fail_fill(&conn->tx, buf, len);
	if (file >= 0)
		err = send_file(conn, file, buf, len);
	else
		err = send_buf(conn, buf, len);
	if (!err)
		conn->tx.off += len;
	return err;
}

static int send_some(struct fail_conn *conn, int file)
{
	return send_size(conn, 1 + util_random(&conn->rnd_tx) %
			 conn->hello.size, file);
}

static int send_all_of(struct fail_conn *conn, __u64 total)
{
	int err = 0;

	while (!err && conn->tx.off < total)
		err = send_size(conn, total / 3 + 1, -1);
	return err;
}

/* The mistakes that the reader of the other end has to find */
static int lie(struct fail_conn *conn, enum fail_lie how)
{
	const struct linger now = { .l_onoff = 1 };
	__u8 buf[8];
	int err;

	err = send_size(conn, (-conn->tx.off & 7) + 8, -1);
	if (err)
		return err;
	fail_fill(&conn->tx, buf, 8);
	switch (how) {
	case FAIL_LIE_FLIP:
		buf[5] ^= 16;
		break;
	case FAIL_LIE_SKIP:
		conn->tx.off += 8;
		return 0;
	case FAIL_LIE_TWICE:
		conn->tx.off -= 8;
		return 0;
	case FAIL_LIE_OTHER:
		buf[6] ^= 1;
		break;
	case FAIL_LIE_RESET:
		setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		close(conn->fd);
		conn->fd = -1;
		errno = ECONNRESET;
		return errno;
	case FAIL_LIE_HANG:
		for (;;)
			pause();
	default:
		return 0;
	}
	conn->tx.off += 8;
	return send_buf(conn, buf, 8);
}

/* The last word, and the end of the direction */
static int end_writing(struct fail_conn *conn)
{
	enum fail_lie how = fail_lie_of(conn);
	__u8 buf[16];
	size_t len;
	int err = how ? lie(conn, how) : 0;

	if (err)
		return err;
	len = fail_end_fill(&conn->tx, buf);
	if (how == FAIL_LIE_MORE)
		buf[len++] = 0;
	if (how != FAIL_LIE_EARLY)
		err = send_buf(conn, buf, len);
	if (err)
		return err;
	conn->tx.end = true;
	return shutdown(conn->fd, SHUT_WR) ? errno : 0;
}

static int write_stream(struct fail_conn *conn)
{
	int file = -1;
	int err = 0;

	if (conn->hello.shape == FAIL_SENDFILE) {
		file = memfd_create("stream", MFD_CLOEXEC);
		if (file < 0)
			util_die("memfd: %s", strerror(errno));
	}
	while (!err && !fail_stopping()) {
		err = send_some(conn, file);
		ready(conn, &conn->tx_ready);
		pause_writer(conn);
	}
	if (file >= 0)
		close(file);
	return err ? err : end_writing(conn);
}

static int write_half(struct fail_conn *conn)
{
	int err = 0;
	int i;

	if (!conn->leads)
		return write_stream(conn);
	for (i = 0; i < HALF_SENDS && !err; i++)
		err = send_some(conn, -1);
	return err ? err : end_writing(conn);
}

/* Write until the socket takes no more; only then the writer may block. */
static int write_window(struct fail_conn *conn)
{
	__u8 buf[FAIL_BUF];
	ssize_t n;

	do {
		fail_fill(&conn->tx, buf, sizeof(buf));
		n = send(conn->fd, buf, sizeof(buf),
			 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0)
			conn->tx.off += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0 && errno != EAGAIN)
		return errno;
	ready(conn, &conn->tx_ready);
	return write_stream(conn);
}

static int write_rr(struct fail_conn *conn)
{
	bool idle = conn->hello.shape == FAIL_IDLE;
	bool leads = conn->leads;
	int err = 0;
	__u64 len;

	for (;;) {
		pthread_mutex_lock(&conn->lock);
		conn->tx_ready |= idle || conn->rx.off;
		for (;;) {
			len = conn->rx.off - conn->tx.off;
			if (conn->over || (conn->rx.end && !leads))
				break;
			if (leads ? !len && (!idle || fail_going()) : len)
				break;
			nap(conn);
		}
		pthread_mutex_unlock(&conn->lock);
		if (conn->over || conn->rx.end || (leads && fail_stopping()))
			return end_writing(conn);
		if (leads)
			len = 1 + util_random(&conn->rnd_tx) % RR_SIZE;
		err = send_size(conn, len, -1);
		if (err)
			return err;
		if (leads)
			pause_writer(conn);
	}
}

static int write_ended(struct fail_conn *conn)
{
	int err;

	if (conn->leads) {
		err = send_all_of(conn, FAIL_FINAL);
		return err ? err : end_writing(conn);
	}
	pthread_mutex_lock(&conn->lock);
	conn->tx_ready = true;
	while (!fail_stopping())
		nap(conn);
	pthread_mutex_unlock(&conn->lock);
	return end_writing(conn);
}

static int write_closed(struct fail_conn *conn)
{
	bool gone = conn->hello.shape == FAIL_GONE;
	int err;

	err = send_all_of(conn, gone ? FAIL_FINAL : FAIL_PENDING);
	if (!err)
		err = end_writing(conn);
	close(conn->fd);
	conn->fd = -1;
	return err;
}

static int (*const write_shape[FAIL_SHAPES])(struct fail_conn *conn) = {
	[FAIL_STREAM]	= write_stream,
	[FAIL_HALF]	= write_half,
	[FAIL_CLOSING]	= write_closed,
	[FAIL_WINDOW]	= write_window,
	[FAIL_SENDFILE]	= write_stream,
	[FAIL_RR]	= write_rr,
	[FAIL_IDLE]	= write_rr,
	[FAIL_ENDED]	= write_ended,
	[FAIL_GONE]	= write_closed,
};

/* The last thread of the connection reports its end. */
static void thread_ends(struct fail_conn *conn)
{
	bool last;

	pthread_mutex_lock(&conn->lock);
	last = !--conn->running;
	pthread_cond_broadcast(&conn->wake);
	pthread_mutex_unlock(&conn->lock);
	if (last)
		fail_ended(conn);
}

/**
 * fail_writer() - thread that writes
 * @arg: the connection
 *
 * Return: NULL
 */
void *fail_writer(void *arg)
{
	struct fail_conn *conn = arg;
	int err = write_shape[conn->hello.shape](conn);

	pthread_mutex_lock(&conn->lock);
	conn->tx_err = err;
	conn->tx_ready = true;
	pthread_mutex_unlock(&conn->lock);
	thread_ends(conn);
	return NULL;
}

/* Wait for what precedes the first recv(). The reader of bytes that are final
 * waits until their end has come, without reading them.
 */
static void reader_begins(struct fail_conn *conn)
{
	struct pollfd pfd = { .fd = conn->fd, .events = POLLRDHUP };
	__u32 shape = conn->hello.shape;

	if (!conn->leads && (shape == FAIL_ENDED || shape == FAIL_GONE)) {
		while (poll(&pfd, 1, -1) < 0)
			;
		pthread_mutex_lock(&conn->lock);
		conn->final = pfd.revents & POLLRDHUP &&
			      !(pfd.revents & POLLERR);
		pthread_mutex_unlock(&conn->lock);
	} else if (shape != FAIL_WINDOW && shape != FAIL_CLOSING) {
		return;
	}
	pthread_mutex_lock(&conn->lock);
	conn->rx_ready = true;
	while (!fail_going())
		nap(conn);
	pthread_mutex_unlock(&conn->lock);
}

static ssize_t recv_some(struct fail_conn *conn, __u8 *buf)
{
	size_t len = 1 + util_random(&conn->rnd_rx) % RECV_MOST;
	ssize_t n;

	if (!conn->polls)
		return recv(conn->fd, buf, len, 0);
	if (util_wait_fd(conn->fd, POLLIN))
		return -1;
	n = recv(conn->fd, buf, len, MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		errno = EINTR;
	return n;
}

static void bytes_came(struct fail_conn *conn, const __u8 *buf, size_t len,
		       __u8 *part)
{
	__u64 now = util_now_ns();

	pthread_mutex_lock(&conn->lock);
	conn->bad = !fail_word_check(&conn->rx, buf, len, part);
	if (now - conn->last_ns > conn->gap_ns)
		conn->gap_ns = now - conn->last_ns;
	conn->last_ns = now;
	conn->came = true;
	conn->rx_ready = conn->rx_ready || conn->hello.shape != FAIL_HALF ||
			 conn->leads || conn->rx.end;
	pthread_cond_broadcast(&conn->wake);
	pthread_mutex_unlock(&conn->lock);
}

static int read_all(struct fail_conn *conn)
{
	__u8 part[8] = { 0 };
	__u8 buf[RECV_MOST];
	ssize_t n;
	int err;

	for (;;) {
		n = recv_some(conn, buf);
		if (n > 0) {
			bytes_came(conn, buf, n, part);
			if (!conn->bad)
				continue;
			/* Let the other threads end. */
			shutdown(conn->fd, SHUT_RDWR);
			return 0;
		}
		err = n ? errno : 0;
		if (err == EINTR)
			continue;
		if (!conn->rx.end && !fail_part_check(&conn->rx, part))
			conn->bad = true;
		conn->eof = !n;
		return err;
	}
}

/**
 * fail_reader() - thread that reads
 * @arg: the connection
 *
 * Return: NULL
 */
void *fail_reader(void *arg)
{
	struct fail_conn *conn = arg;
	int err;

	if (conn->hello.shape == FAIL_IDLE ||
	    (conn->hello.shape == FAIL_ENDED && conn->leads))
		ready(conn, &conn->rx_ready);
	reader_begins(conn);
	err = read_all(conn);
	pthread_mutex_lock(&conn->lock);
	conn->rx_err = err;
	conn->rx_ready = true;
	conn->over = true;
	pthread_mutex_unlock(&conn->lock);
	thread_ends(conn);
	return NULL;
}
