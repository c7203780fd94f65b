// SPDX-License-Identifier: GPL-2.0
/*
 * Opens many connections in one process on command, so that a test controls their
 * number and can measure the cost of each.
 *
 *   crowd KIND HOST PORT serve [OPTION]	echoes until it gets input or its end
 *   crowd KIND HOST PORT client [OPTION]	executes commands from its input
 *
 * Commands, each answered with one line:
 *
 *   open N	open N more connections; "open TOTAL MICROSECONDS-EACH"
 *   all SIZE	send SIZE bytes and check the echo on each connection;
 *		"all CONNECTIONS-WITH-A-CORRECT-ECHO"
 *   ask N SIZE	the same N times on the last connection; "ask MICROSECONDS-EACH"
 *   send SIZE	send SIZE bytes on each, leave the echo unread; "send CONNECTIONS"
 *   fill	send on each until none accepts a byte for a second; "fill BYTES"
 *   drain	receive and check what "fill" sent; "drain CONNECTIONS"
 *   close N	close the last N connections; "close TOTAL"
 *
 * The exit status tells if a byte of an echo was wrong or missing.
 *
 * OPTION is set on each socket before its use: vrf=DEVICE binds it to DEVICE, ipsec
 * sets a policy that lets everything pass, ulp=NAME sets TCP_ULP. A server with
 * reset=N answers the Nth block of each connection by a reset.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <linux/xfrm.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util.h"

#define CONNS_MAX	16384
#define BLOCK_MAX	65536
#define LISTEN_BACKLOG	4096
#define EVENTS		64
#define FILL_QUIET_NS	1000000000ull
#define DRAIN_NS	60000000000ull

#ifndef IP_XFRM_POLICY
#define IP_XFRM_POLICY	17
#endif

static int fds[CONNS_MAX];
static __u64 sent[CONNS_MAX];
static __u64 filled[CONNS_MAX];		/* bytes of "fill" that are not back */
static unsigned int n_fds;
static unsigned int echoed[CONNS_MAX + 64];	/* blocks, by descriptor */
static unsigned int reset_at;
static const char *option_value;
static bool wrong;

static int set_vrf(int fd)
{
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, option_value,
			  strlen(option_value) + 1);
}

static int set_ulp(int fd)
{
	return setsockopt(fd, IPPROTO_TCP, TCP_ULP, option_value,
			  strlen(option_value));
}

/* Set a per-socket policy: everything passes without IPsec. */
static int set_ipsec(int fd)
{
	struct xfrm_userpolicy_info pol = {
		.sel.family = AF_INET,
		.action = XFRM_POLICY_ALLOW,
		.dir = XFRM_POLICY_OUT,
		.lft.hard_byte_limit = XFRM_INF,
		.lft.soft_byte_limit = XFRM_INF,
		.lft.hard_packet_limit = XFRM_INF,
		.lft.soft_packet_limit = XFRM_INF,
	};

	return setsockopt(fd, IPPROTO_IP, IP_XFRM_POLICY, &pol, sizeof(pol));
}

static void use_option(char *text)
{
	char *value = strchr(text, '=');

	if (value)
		*value++ = 0;
	option_value = value ? value : "";
	if (!strcmp(text, "vrf"))
		util_socket_hook = set_vrf;
	else if (!strcmp(text, "ulp"))
		util_socket_hook = set_ulp;
	else if (!strcmp(text, "ipsec"))
		util_socket_hook = set_ipsec;
	else if (!strcmp(text, "reset"))
		reset_at = atoi(option_value);
	else
		util_die("option %s is unknown", text);
}

static void more_files(void)
{
	struct rlimit lim = { CONNS_MAX + 64, CONNS_MAX + 64 };

	setrlimit(RLIMIT_NOFILE, &lim);
}

/* Byte @pos of connection @conn; a misplaced byte fails the check. */
static unsigned char byte_of(unsigned int conn, __u64 pos)
{
	return (unsigned char)(pos * 31 + (pos >> 8) + conn * 97 + 1);
}

static bool send_block(unsigned int conn, size_t size)
{
	static unsigned char block[BLOCK_MAX];
	size_t i, done;
	ssize_t ret;

	for (i = 0; i < size; i++)
		block[i] = byte_of(conn, sent[conn] + i);
	for (done = 0; done < size; done += ret) {
		ret = send(fds[conn], block + done, size - done, MSG_NOSIGNAL);
		if (ret <= 0)
			return false;
	}
	sent[conn] += size;
	return true;
}

/* Receive and check the echo of the last @size bytes sent. */
static bool recv_block(unsigned int conn, size_t size)
{
	static unsigned char block[BLOCK_MAX];
	__u64 pos = sent[conn] - size;
	size_t i, got;
	ssize_t ret;

	for (got = 0; got < size; got += ret) {
		ret = recv(fds[conn], block + got, size - got, MSG_WAITALL);
		if (ret < 0)
			return false;
		if (!ret)
			break;
	}
	for (i = 0; i < got; i++)
		if (block[i] != byte_of(conn, pos + i))
			break;
	if (i == size)
		return true;
	errno = EILSEQ;
	util_wrong_bytes();
	wrong = true;
	return false;
}

static bool round_trip(unsigned int conn, size_t size)
{
	if (send_block(conn, size) && recv_block(conn, size))
		return true;
	fprintf(stderr, "conn %u: %s\n", conn, util_errno_name(errno));
	return false;
}

static void do_open(const struct util_kind *kind, const union util_addr *addr,
		    unsigned int n)
{
	__u64 begin = util_now_ns();
	unsigned int i;

	for (i = 0; i < n && n_fds < CONNS_MAX; i++) {
		int fd = util_socket(kind, 0);

		if (fd < 0 || connect(fd, &addr->sa, util_addr_len(addr))) {
			fprintf(stderr, "connect %u: %s\n", n_fds,
				util_errno_name(errno));
			break;
		}
		sent[n_fds] = 0;
		filled[n_fds] = 0;
		fds[n_fds++] = fd;
	}
	printf("open %u %llu\n", n_fds,
	       n ? (util_now_ns() - begin) / 1000 / n : 0);
}

static void do_all(size_t size)
{
	unsigned int i, right = 0;

	for (i = 0; i < n_fds; i++)
		right += round_trip(i, size);
	printf("all %u\n", right);
}

static void do_ask(unsigned int n, size_t size)
{
	__u64 begin = util_now_ns();
	unsigned int i;

	for (i = 0; i < n && n_fds; i++)
		if (!round_trip(n_fds - 1, size))
			break;
	if (i < n)
		puts("ask failed");
	else
		printf("ask %llu\n", (util_now_ns() - begin) / 1000 / (n + !n));
}

static void do_send(size_t size)
{
	unsigned int i, right = 0;

	for (i = 0; i < n_fds; i++)
		right += send_block(i, size);
	printf("send %u\n", right);
}

/* Send what the connection accepts at once, or a block. Returns the bytes. */
static size_t fill_one(unsigned int conn)
{
	static unsigned char block[BLOCK_MAX];
	ssize_t ret;
	size_t i;

	for (i = 0; i < sizeof(block); i++)
		block[i] = byte_of(conn, sent[conn] + i);
	ret = send(fds[conn], block, sizeof(block), MSG_NOSIGNAL | MSG_DONTWAIT);
	if (ret <= 0)
		return 0;
	sent[conn] += ret;
	filled[conn] += ret;
	return ret;
}

static void do_fill(void)
{
	__u64 total = 0, last = util_now_ns();
	unsigned int i;
	size_t n;

	do {
		n = 0;
		for (i = 0; i < n_fds; i++)
			n += fill_one(i);
		total += n;
		if (n)
			last = util_now_ns();
		else
			usleep(1000);
	} while (util_now_ns() - last < FILL_QUIET_NS);
	printf("fill %llu\n", total);
}

/* Receive what has come back. Returns false if the connection fails. */
static bool drain_one(unsigned int conn)
{
	static unsigned char block[BLOCK_MAX];
	__u64 pos = sent[conn] - filled[conn];
	ssize_t ret, i;

	ret = recv(fds[conn], block, sizeof(block), MSG_DONTWAIT);
	if (ret < 0)
		return errno == EAGAIN;
	for (i = 0; i < ret; i++)
		if (block[i] != byte_of(conn, pos + i))
			return false;
	filled[conn] -= ret;
	return ret;
}

/* The server echoes one block after the other, so no connection may wait. */
static void do_drain(void)
{
	__u64 end = util_now_ns() + DRAIN_NS;
	unsigned int i, right;
	bool failed = false;

	do {
		right = 0;
		for (i = 0; i < n_fds && !failed; i++) {
			if (filled[i])
				failed = !drain_one(i);
			right += !filled[i];
		}
		usleep(1000);
	} while (right < n_fds && !failed && util_now_ns() < end);
	printf("drain %u\n", right);
}

static void do_close(unsigned int n)
{
	while (n-- && n_fds)
		close(fds[--n_fds]);
	printf("close %u\n", n_fds);
}

static void client(const struct util_kind *kind, const union util_addr *addr)
{
	unsigned int n, size;
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "open %u", &n) == 1)
			do_open(kind, addr, n);
		else if (sscanf(line, "ask %u %u", &n, &size) == 2)
			do_ask(n, size <= BLOCK_MAX ? size : 0);
		else if (sscanf(line, "all %u", &n) == 1)
			do_all(n <= BLOCK_MAX ? n : 0);
		else if (sscanf(line, "send %u", &n) == 1)
			do_send(n <= BLOCK_MAX ? n : 0);
		else if (!strcmp(line, "fill\n"))
			do_fill();
		else if (!strcmp(line, "drain\n"))
			do_drain();
		else if (sscanf(line, "close %u", &n) == 1)
			do_close(n);
		else
			util_die("unknown command %s", line);
		fflush(stdout);
	}
}

static void watch(int epfd, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &ev))
		util_die("epoll: %s", strerror(errno));
}

/* Echo one block. Returns false if @fd is to be closed. */
static bool echo(int fd)
{
	static const struct linger abort = { .l_onoff = 1 };
	static unsigned char block[BLOCK_MAX];
	ssize_t len, done, ret;

	len = recv(fd, block, sizeof(block), 0);
	if (++echoed[fd] == reset_at) {
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
		return false;
	}
	for (done = 0; done < len; done += ret) {
		ret = send(fd, block + done, len - done, MSG_NOSIGNAL);
		if (ret <= 0)
			return false;
	}
	return len > 0;
}

static void serve(const struct util_kind *kind, const union util_addr *addr)
{
	struct epoll_event ev[EVENTS];
	int epfd = epoll_create1(0);
	int one = 1;
	int i, n, fd, lfd;

	lfd = util_socket(kind, SOCK_NONBLOCK);
	if (lfd < 0 ||
	    setsockopt(lfd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(lfd, &addr->sa, util_addr_len(addr)) ||
	    listen(lfd, LISTEN_BACKLOG))
		util_die("listen: %s", strerror(errno));
	util_socket_hook = NULL;
	watch(epfd, lfd);
	watch(epfd, 0);
	puts("serving");
	fflush(stdout);
	for (;;) {
		n = epoll_wait(epfd, ev, EVENTS, -1);
		for (i = 0; i < n; i++) {
			if (!ev[i].data.fd)
				return;
			if (ev[i].data.fd != lfd) {
				if (!echo(ev[i].data.fd))
					close(ev[i].data.fd);
				continue;
			}
			fd = accept(lfd, NULL, NULL);
			if (fd < 0)
				continue;
			echoed[fd] = 0;
			watch(epfd, fd);
		}
	}
}

int main(int argc, char **argv)
{
	const struct util_kind *kind;
	union util_addr addr;

	if (argc < 5)
		util_die("usage: crowd KIND HOST PORT serve|client [OPTION]");
	kind = util_kind_find(argv[1]);
	if (!kind)
		util_die("kind %s is unknown", argv[1]);
	util_addr_parse(&addr, kind->family, argv[2], atoi(argv[3]));
	if (argc > 5)
		use_option(argv[5]);
	more_files();
	if (!strcmp(argv[4], "serve"))
		serve(kind, &addr);
	else
		client(kind, &addr);
	return util_status(!wrong);
}
