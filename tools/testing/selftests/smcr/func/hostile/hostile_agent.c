// SPDX-License-Identifier: GPL-2.0
/*
 * The agent on the host under test runs echo servers and executes commands from
 * a control connection, one per line:
 *
 *   stat			replies with the counters and a final line "."
 *   connect KIND HOST PORT	ping(); replies "ok" or the reason of a failure
 *   word KIND HOST PORT	the same, but first awaits a word from the server
 *   sysctl NAME VALUE		sets net.smcr.NAME; replies "ok"
 *   stop			ends the agent
 */
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void echo_some(int fd)
{
	char buf[4096];
	ssize_t n = recv(fd, buf, sizeof(buf), 0);

	if (n <= 0 || send(fd, buf, n, MSG_NOSIGNAL) != n)
		close(fd);
}

static void echo_loop(int listener)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	ev.data.fd = listener;
	epoll_ctl(ep, EPOLL_CTL_ADD, listener, &ev);
	while (epoll_wait(ep, &ev, 1, -1) > 0) {
		if (ev.data.fd != listener) {
			echo_some(ev.data.fd);
			continue;
		}
		ev.events = EPOLLIN;
		ev.data.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (ev.data.fd >= 0)
			epoll_ctl(ep, EPOLL_CTL_ADD, ev.data.fd, &ev);
	}
}

/* With TCP_DEFER_ACCEPT, accept() returns a connection whose first bytes have
 * come. One without them is closed at once.
 */
static void defer_loop(int listener)
{
	char buf[WORD_LEN];
	ssize_t n;
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n > 0)
			send(fd, buf, n, MSG_NOSIGNAL);
		close(fd);
	}
}

/* @defer is for TCP_DEFER_ACCEPT, in seconds. */
static pid_t serve_start(const char *kind, const char *at, unsigned int port,
			 int defer, void (*loop)(int listener))
{
	const struct util_kind *k = util_kind_find(kind);
	int fd = util_socket(k, SOCK_CLOEXEC);
	union util_addr addr;
	int one = 1;
	pid_t pid;

	if (fd < 0)
		util_die("socket %s: %s", kind, util_errno_name(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (defer &&
	    setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &defer,
		       sizeof(defer)))
		util_die("TCP_DEFER_ACCEPT: %s", util_errno_name(errno));
	util_addr_parse(&addr, k->family, at, port);
	if (bind(fd, &addr.sa, util_addr_len(&addr)) || listen(fd, 128))
		util_die("listen %s: %s", at, util_errno_name(errno));
	pid = fork();
	if (pid) {
		close(fd);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	loop(fd);
	exit(0);
}

/**
 * echo_start() - start a process that echoes what it receives
 * @kind: kind of socket of its listener
 * @at: address to listen on
 * @port: port
 *
 * Return: its process ID; the process is killed when this one exits
 */
pid_t echo_start(const char *kind, const char *at, unsigned int port)
{
	return serve_start(kind, at, port, 0, echo_loop);
}

static int connect_in_time(int fd, const union util_addr *addr)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int err = 0;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (!connect(fd, &addr->sa, util_addr_len(addr)))
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	if (poll(&p, 1, 2 * WAIT_MS) != 1)
		err = EAGAIN;
	else
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len);
	fcntl(fd, F_SETFL, 0);
	return err;
}

static bool word(int fd, const char *want, char *why, size_t len)
{
	struct msg m = { 0 };
	int err = net_recv(fd, &m, WORD_LEN, WAIT_MS);

	if (!err && !memcmp(m.b, want, WORD_LEN))
		return true;
	/* A send has already consumed ECONNRESET */
	if (err == -ENODATA && hostile.reset)
		err = -ECONNRESET;
	snprintf(why, len, "recv %s %zu \"%.8s\"", util_errno_name(-err),
		 m.len, (char *)m.b);
	return false;
}

static bool ping_with(const char *kind, const char *to, unsigned int port,
		      bool first, char *why, size_t len)
{
	const struct util_kind *k = util_kind_find(kind);
	int fd = util_socket(k, SOCK_CLOEXEC);
	const char *from = getenv("FROM");
	union util_addr addr;
	bool good = false;
	int err;

	hostile.reset = false;
	if (from) {
		util_addr_parse(&addr, k->family, from, 0);
		if (bind(fd, &addr.sa, util_addr_len(&addr)))
			util_die("bind %s: %s", from, util_errno_name(errno));
	}
	util_addr_parse(&addr, k->family, to, port);
	err = connect_in_time(fd, &addr);
	if (err) {
		snprintf(why, len, "%s", util_errno_name(err));
	} else if (!first || word(fd, PONG, why, len)) {
		net_send(fd, PING, WORD_LEN);
		good = word(fd, PING, why, len);
	}
	close(fd);
	return good;
}

/**
 * ping() - connect, send a word, receive its echo, close
 * @kind: kind of socket
 * @to: address
 * @port: port
 * @why: reason of a failure: the errno of connect(), or what was received
 * @len: size of @why
 *
 * The socket is bound to the address in $FROM if that is set.
 *
 * Return: true on success
 */
bool ping(const char *kind, const char *to, unsigned int port, char *why,
	  size_t len)
{
	return ping_with(kind, to, port, false, why, len);
}

static long sockets_in_use(void)
{
	FILE *f = fopen("/proc/net/protocols", "re");
	char line[512], name[32];
	long n, sum = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%31s %*d %ld", name, &n) == 2 &&
		    !strncmp(name, "SMCR", 4))
			sum += n;
	if (f)
		fclose(f);
	return sum;
}

static void tell_stat(FILE *to)
{
	FILE *f = fopen("/proc/net/smcr_stat", "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		fputs(line, to);
	if (f)
		fclose(f);
	fprintf(to, "Sockets %ld\n.\n", sockets_in_use());
}

static void set_sysctl(const char *name, const char *val)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/net/smcr/%s", name);
	f = fopen(path, "we");
	if (!f || fputs(val, f) < 0 || fclose(f))
		util_die("%s: %s", path, util_errno_name(errno));
}

static void obey(FILE *to, char *line)
{
	char verb[16], a[40], b[64] = "", why[128] = "";
	unsigned int port = 0;
	bool good;

	if (sscanf(line, "%15s %39s %63s %u", verb, a, b, &port) < 1)
		return;
	if (!strcmp(verb, "stat")) {
		tell_stat(to);
	} else if (!strcmp(verb, "sysctl")) {
		set_sysctl(a, b);
		fputs("ok\n", to);
	} else {
		good = ping_with(a, b, port, *verb == 'w', why, sizeof(why));
		fprintf(to, "%s\n", good ? "ok" : why);
	}
	fflush(to);
}

/**
 * agent_main() - execute the commands of the hostile end
 * @kind: kind of socket of the echo servers, without 4 or 6
 * @at: IPv4 address to listen on
 * @at6: IPv6 address to listen on
 *
 * Return: exit status
 */
int agent_main(const char *kind, const char *at, const char *at6)
{
	int listener = net_listen(at, PORT_AGENT, false);
	char line[256], name[16];
	FILE *in, *out;
	int fd;

	snprintf(name, sizeof(name), "%s4", kind);
	echo_start(name, at, PORT_ECHO);
	serve_start(name, at, PORT_DEFER, WAIT_MS / 1000, defer_loop);
	snprintf(name, sizeof(name), "%s6", kind);
	echo_start(name, at6, PORT_ECHO);
	echo_start(name, "::", PORT_MAPPED);
	puts("serving");
	fflush(stdout);
	for (;;) {
		fd = accept(listener, NULL, NULL);
		in = fdopen(fd, "r");
		out = fdopen(dup(fd), "w");
		while (fgets(line, sizeof(line), in)) {
			if (!strcmp(line, "stop\n"))
				return 0;
			obey(out, line);
		}
		fclose(in);
		fclose(out);
	}
}

/**
 * agent_dial() - connect to the agent
 */
void agent_dial(void)
{
	hostile.agent = net_dial(NULL, hostile.them, PORT_AGENT, false);
}

/**
 * agent_ask() - send a command to the agent
 * @line: the command, without the newline
 */
void agent_ask(const char *line)
{
	char buf[256];

	snprintf(buf, sizeof(buf), "%s\n", line);
	net_send(hostile.agent, buf, strlen(buf));
}

/**
 * agent_answer() - receive a line from the agent
 * @buf: the line, without the newline
 * @len: size of @buf
 */
void agent_answer(char *buf, size_t len)
{
	struct pollfd p = { .fd = hostile.agent, .events = POLLIN };
	size_t n = 0;

	while (n < len - 1) {
		if (poll(&p, 1, 3 * WAIT_MS) != 1 ||
		    recv(hostile.agent, buf + n, 1, 0) != 1)
			util_die("the agent does not answer");
		if (buf[n] == '\n')
			break;
		n++;
	}
	buf[n] = 0;
}

static int slowness(void)
{
	const char *slow = getenv("SLOW");

	return slow ? atoi(slow) : 1;
}

/**
 * agent_sysctl() - set a sysctl on the host under test
 * @name: name without net.smcr
 * @val: value before multiplication by SLOW
 */
void agent_sysctl(const char *name, int val)
{
	char line[64];

	snprintf(line, sizeof(line), "sysctl %s %d", name, val * slowness());
	agent_ask(line);
	agent_answer(line, sizeof(line));
}

/**
 * deadline_ms() - handshake deadline between deadline_begin() and deadline_end()
 *
 * Return: milliseconds
 */
int deadline_ms(void)
{
	return 4000 * slowness();
}

/**
 * deadline_begin() - limit handshakes of the host under test to deadline_ms()
 */
void deadline_begin(void)
{
	agent_sysctl("confirm_link_timeout_ms", 2600);
	agent_sysctl("handshake_timeout_ms", 4000);
}

/**
 * deadline_end() - restore the timeouts that the test bed uses
 */
void deadline_end(void)
{
	agent_sysctl("handshake_timeout_ms", 20000);
	agent_sysctl("confirm_link_timeout_ms", 8000);
}

/**
 * agent_stat() - read the counters of the host under test
 * @s: result
 */
void agent_stat(struct stat_set *s)
{
	size_t n = 0;
	ssize_t got;

	agent_ask("stat");
	do {
		got = recv(hostile.agent, s->text + n,
			   sizeof(s->text) - 1 - n, 0);
		if (got <= 0)
			util_die("no counters from the agent");
		n += got;
		s->text[n] = 0;
	} while (n < 3 || strcmp(s->text + n - 3, "\n.\n"));
}

/**
 * stat_value() - get one counter
 * @s: counters
 * @name: name of the counter
 *
 * Return: its value; an unknown name ends the program
 */
long stat_value(const struct stat_set *s, const char *name)
{
	size_t len = strlen(name);
	const char *p = s->text;

	while (p && *p) {
		if (!strncmp(p, name, len) && p[len] == ' ')
			return atol(p + len);
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	util_die("no counter %s", name);
}

/**
 * stat_delta() - read the growth of a counter
 * @then: counters at the start
 * @name: name of the counter
 *
 * Return: the growth
 */
long stat_delta(const struct stat_set *then, const char *name)
{
	struct stat_set now;

	agent_stat(&now);
	return stat_value(&now, name) - stat_value(then, name);
}

/**
 * stat_wait() - wait until a counter has grown
 * @then: counters at the start
 * @name: name of the counter
 * @delta: expected growth, exactly
 *
 * Return: false after a complaint that it has grown too far or not in time
 */
bool stat_wait(const struct stat_set *then, const char *name, long delta)
{
	__u64 end = util_now_ms() + WAIT_MS;
	long got;

	while ((got = stat_delta(then, name)) != delta) {
		if (got > delta || util_now_ms() > end) {
			complain("%s grew by %ld, not %ld", name, got, delta);
			return false;
		}
		usleep(5000);
	}
	return true;
}

static long open_now(const struct stat_set *s, const char *up,
		     const char *down)
{
	return stat_value(s, up) - stat_value(s, down);
}

/**
 * stat_settled() - wait until no more objects exist than at the start
 * @then: counters at the start
 *
 * Compares the numbers of sockets, running handshakes, link groups, links and
 * connections.
 *
 * Return: false after a complaint that they do not match in time
 */
bool stat_settled(const struct stat_set *then)
{
	static const char *const pairs[][2] = {
		{ "HandshakesStarted", "HandshakesEnded" },
		{ "LinkGroups", "LinkGroupsFreed" },
		{ "Links", "LinksFreed" },
		{ "ConnsOpened", "ConnsClosed" },
	};
	__u64 end = util_now_ms() + WAIT_MS;
	const char *what = NULL;
	struct stat_set now;
	size_t i;

	while (util_now_ms() < end) {
		agent_stat(&now);
		what = stat_value(&now, "Sockets") !=
		       stat_value(then, "Sockets") ? "Sockets" : NULL;
		for (i = 0; i < ARRAY_SIZE(pairs) && !what; i++)
			if (open_now(&now, pairs[i][0], pairs[i][1]) !=
			    open_now(then, pairs[i][0], pairs[i][1]))
				what = pairs[i][0];
		if (!what)
			return true;
		usleep(5000);
	}
	complain("%s: not back at its initial value", what);
	return false;
}

/**
 * stat_case() - compare the growth of counters with what a case expects
 * @then: counters before the case
 * @now: counters after stat_settled()
 * @c: the case
 */
void stat_case(const struct stat_set *then, const struct stat_set *now,
	       const struct clc_case *c)
{
	long all = stat_value(now, "Fallbacks") - stat_value(then, "Fallbacks");
	long bad = stat_value(now, "BadClc") - stat_value(then, "BadClc");

	if (bad != c->bad)
		complain("\"%s\": BadClc grew by %ld", c->edits, bad);
	if (all != !!c->fallback)
		complain("\"%s\": Fallbacks grew by %ld", c->edits, all);
	if (c->fallback &&
	    stat_value(now, c->fallback) != stat_value(then, c->fallback) + 1)
		complain("\"%s\": %s did not grow", c->edits, c->fallback);
}
