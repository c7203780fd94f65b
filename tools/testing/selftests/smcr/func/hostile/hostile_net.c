// SPDX-License-Identifier: GPL-2.0
/* TCP sockets that send the SMC-R option without implementing SMC-R. */
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The same as in mod/synopt.c */
#define SYNOPT_MARK	_IO('y', 1)
#define SYNOPT_AGREED	_IO('y', 2)

static long ask_module(int fd, unsigned long cmd)
{
	static int dev = -1;
	long ret;

	if (dev < 0)
		dev = open("/dev/synopt", O_RDWR | O_CLOEXEC);
	if (dev < 0)
		util_die("/dev/synopt: %s", util_errno_name(errno));
	ret = ioctl(dev, cmd, (long)fd);
	if (ret < 0)
		util_die("synopt: %s", util_errno_name(errno));
	return ret;
}

/**
 * complain() - report that a case has failed
 * @fmt: printf format
 */
void complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	hostile.bad++;
}

/**
 * net_mark() - make a socket offer the SMC-R option, or accept an offer
 * @fd: TCP socket, before connect() or listen()
 */
void net_mark(int fd)
{
	ask_module(fd, SYNOPT_MARK);
}

/**
 * net_agreed() - check that both SYNs carried the option
 * @fd: connected socket that was marked
 *
 * Return: true if they did
 */
bool net_agreed(int fd)
{
	return ask_module(fd, SYNOPT_AGREED);
}

static int stream(const char *host, unsigned int port, union util_addr *addr)
{
	bool v6 = strchr(host, ':');
	int one = 1;
	int fd;

	fd = util_socket(util_kind_find(v6 ? "tcp6" : "tcp4"), SOCK_CLOEXEC);
	if (fd < 0)
		util_die("socket: %s", util_errno_name(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	util_addr_parse(addr, v6 ? AF_INET6 : AF_INET, host, port);
	return fd;
}

/**
 * net_dial() - open a TCP connection
 * @from: local address, or NULL
 * @to: remote address
 * @port: port
 * @mark: offer the option, which the server must then echo
 *
 * Return: the socket; failure ends the program
 */
int net_dial(const char *from, const char *to, unsigned int port, bool mark)
{
	union util_addr addr, local;
	int fd = stream(to, port, &addr);

	hostile.reset = false;
	if (mark)
		net_mark(fd);
	if (from) {
		util_addr_parse(&local, addr.sa.sa_family, from, 0);
		if (bind(fd, &local.sa, util_addr_len(&local)))
			util_die("bind %s: %s", from, util_errno_name(errno));
	}
	if (connect(fd, &addr.sa, util_addr_len(&addr)))
		util_die("connect %s: %s", to, util_errno_name(errno));
	if (mark && !net_agreed(fd))
		util_die("%s did not echo the option", to);
	return fd;
}

/**
 * net_listen() - open a listener
 * @at: address
 * @port: port
 * @mark: accept the option
 *
 * Return: the socket; failure ends the program
 */
int net_listen(const char *at, unsigned int port, bool mark)
{
	union util_addr addr;
	int fd = stream(at, port, &addr);

	if (mark)
		net_mark(fd);
	if (bind(fd, &addr.sa, util_addr_len(&addr)) || listen(fd, 64))
		util_die("listen %s %u: %s", at, port, util_errno_name(errno));
	return fd;
}

/**
 * net_accept() - accept the next connection of a marked listener
 * @fd: listener
 *
 * Return: its socket; failure ends the program
 */
int net_accept(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int one = 1;
	int conn;

	hostile.reset = false;
	if (poll(&p, 1, WAIT_MS) != 1)
		util_die("no connection arrives");
	conn = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	if (conn < 0)
		util_die("accept: %s", util_errno_name(errno));
	setsockopt(conn, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return conn;
}

/**
 * net_send() - send; a connection that is closed or reset is no failure
 * @fd: socket
 * @p: bytes
 * @len: number of bytes
 */
void net_send(int fd, const void *p, size_t len)
{
	ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

	if (n < 0 && errno != EPIPE && errno != ECONNRESET)
		util_die("send: %s", util_errno_name(errno));
	hostile.reset |= n < 0;
}

static void wait_sent(int fd)
{
	struct tcp_info info;
	socklen_t len;

	do {
		len = sizeof(info);
		if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
			return;
	} while (info.tcpi_unacked && info.tcpi_state == TCP_ESTABLISHED);
}

/**
 * net_send_slow() - send each byte in a segment of its own
 * @fd: socket
 * @p: bytes
 * @len: number of bytes
 * @pause_ms: pause after each byte; 0 to wait for its acknowledgment instead
 */
void net_send_slow(int fd, const void *p, size_t len, int pause_ms)
{
	const char *b = p;

	while (len--) {
		if (send(fd, b++, 1, MSG_NOSIGNAL) < 0) {
			hostile.reset = true;
			return;
		}
		if (pause_ms)
			usleep(pause_ms * 1000);
		else
			wait_sent(fd);
	}
}

/**
 * net_reset() - close with a reset
 * @fd: socket
 */
void net_reset(int fd)
{
	struct linger now = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

/**
 * net_recv() - receive an exact number of bytes
 * @fd: socket
 * @m: message to append them to
 * @len: number of bytes
 * @ms: timeout of each recv()
 *
 * Return: 0, -ETIMEDOUT, -ENODATA at end of file, or another -errno
 */
int net_recv(int fd, struct msg *m, size_t len, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	while (len) {
		if (poll(&p, 1, ms) != 1)
			return -ETIMEDOUT;
		n = recv(fd, m->b + m->len, len, 0);
		if (n < 0)
			return -errno;
		if (!n)
			return -ENODATA;
		m->len += n;
		len -= n;
	}
	return 0;
}

/**
 * net_recv_clc() - receive a CLC message
 * @fd: socket
 * @m: the message
 * @ms: timeout of each recv()
 *
 * Return: 0, an error of net_recv(), or -EPROTO if the length cannot be valid
 */
int net_recv_clc(int fd, struct msg *m, int ms)
{
	int err;

	m->len = 0;
	err = net_recv(fd, m, 8, ms);
	if (err)
		return err;
	if (msg_get(m, 5, 2) < 12 || msg_get(m, 5, 2) > MSG_ROOM)
		return -EPROTO;
	return net_recv(fd, m, msg_get(m, 5, 2) - 8, ms);
}

/**
 * net_reaction() - receive the reaction of the other end
 * @fd: socket
 * @m: the message, if it sends one
 * @ms: timeout of each recv()
 *
 * Return: the reaction; R_OTHER for a malformed message
 */
enum reaction net_reaction(int fd, struct msg *m, int ms)
{
	static const enum reaction of_type[] = {
		[ACCEPT] = R_ACCEPT, [CONFIRM] = R_CONFIRM,
		[DECLINE] = R_DECLINE,
	};
	int err = net_recv_clc(fd, m, ms);
	const char *what;

	if (err == -ECONNRESET || (err == -ENODATA && hostile.reset))
		return R_RESET;
	if (err) {
		printf("answer: %s after %zu bytes\n", util_errno_name(-err),
		       m->len);
		return R_OTHER;
	}
	if (m->b[4] < ACCEPT || m->b[4] > DECLINE)
		return R_OTHER;
	what = msg_complaint(m, m->b[4]);
	if (what) {
		printf("answer of type %d: %s\n", m->b[4], what);
		return R_OTHER;
	}
	if (m->b[4] == DECLINE && m->b[7] & 8)
		return R_SYNC;
	return of_type[m->b[4]];
}

/**
 * net_reacts() - compare the reaction of the other end with what a case expects
 * @fd: socket
 * @c: the case
 *
 * Complains about another reaction, and about another diagnosis of a Decline.
 * That TCP works after it remains to be checked.
 *
 * Return: true if the reaction is the expected one
 */
bool net_reacts(int fd, const struct clc_case *c)
{
	enum reaction got = R_TCP;
	struct msg m;

	if (c->want != R_TCP)
		got = net_reaction(fd, &m, WAIT_MS);
	if (got != c->want) {
		complain("\"%s\": reaction %d, not %d", c->edits, got, c->want);
		return false;
	}
	if ((got == R_DECLINE || got == R_SYNC) &&
	    msg_get(&m, 16, 4) != c->diag)
		complain("\"%s\": diagnosis %08x", c->edits,
			 (unsigned int)msg_get(&m, 16, 4));
	return true;
}

/**
 * net_echo() - check that plain TCP reaches the echo server
 * @fd: socket
 *
 * Return: true if the next bytes received are the word that was sent
 */
bool net_echo(int fd)
{
	struct msg m = { 0 };
	int err;

	net_send(fd, PING, WORD_LEN);
	err = net_recv(fd, &m, WORD_LEN, WAIT_MS);
	if (!err && !memcmp(m.b, PING, WORD_LEN))
		return true;
	printf("TCP: %s, %zu bytes \"%.8s\"\n", util_errno_name(-err), m.len,
	       (char *)m.b);
	return false;
}
