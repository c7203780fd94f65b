// SPDX-License-Identifier: GPL-2.0
/* Steps that query or await a state. Each wait is bounded by a deadline. */
#define _GNU_SOURCE
#include "sem.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#define POLL_ALL	(POLLIN | POLLPRI | POLLOUT | POLLRDHUP | \
			 POLLRDNORM | POLLWRNORM | POLLRDBAND | POLLWRBAND)

/* poll() and epoll use the same bits. */
static const struct sem_name events[] = {
	{ "in", POLLIN }, { "pri", POLLPRI }, { "out", POLLOUT },
	{ "err", POLLERR }, { "hup", POLLHUP }, { "nval", POLLNVAL },
	{ "rdnorm", POLLRDNORM }, { "rdband", POLLRDBAND },
	{ "wrnorm", POLLWRNORM }, { "wrband", POLLWRBAND },
	{ "rdhup", POLLRDHUP }, { "et", (int)EPOLLET },
	{ "oneshot", EPOLLONESHOT }, { "all", POLL_ALL }, { 0 },
};

static void mask_text(unsigned int mask, char *buf, size_t len)
{
	const struct sem_name *e;
	size_t used = 0;

	buf[0] = 0;
	for (e = events; strcmp(e->name, "et"); e++)
		if (mask & e->value && used < len)
			used += snprintf(buf + used, len - used, "%s%s",
					 used ? "+" : "", e->name);
}

static void reply_mask(struct sem_cmd *cmd, const char *word, int mask)
{
	char text[160];

	mask_text(mask, text, sizeof(text));
	sem_reply(cmd, "%s%s", word, text);
}

/* poll NAME [EVENTS [TIMEOUT_MS]] */
static void run_poll(struct sem_cmd *cmd)
{
	struct pollfd pfd = {
		.fd = sem_fd_number(cmd->argv[1]),
		.events = sem_flags(events, sem_arg(cmd, 2, "all")),
	};
	int n = poll(&pfd, 1, sem_num(cmd, 3, 0));

	if (n < 0)
		sem_reply_ret(cmd, n);
	else
		reply_mask(cmd, n ? "1 " : "0 ", pfd.revents);
}

/*
 * await NAME EVENTS: wait until all EVENTS are set, then reply with all events
 * that are. A sleeping poll() would return at once for any other event that is
 * set, so the loop polls without sleeping, once a millisecond.
 */
static void run_await(struct sem_cmd *cmd)
{
	int want = sem_flags(events, cmd->argv[2]);
	__u64 end = util_now_ms() + sem_deadline_ms;
	struct pollfd pfd = {
		.fd = sem_fd_number(cmd->argv[1]), .events = POLL_ALL,
	};

	for (;;) {
		if (poll(&pfd, 1, 0) < 0 && errno != EINTR) {
			sem_reply_ret(cmd, -1);
			return;
		}
		if ((pfd.revents & want) == want)
			break;
		if (util_now_ms() > end) {
			reply_mask(cmd, "TIMEOUT ", pfd.revents);
			return;
		}
		usleep(1000);
	}
	reply_mask(cmd, "", pfd.revents);
}

/* pollwait NAME EVENTS: sleep in poll() until one of EVENTS is set */
static void run_pollwait(struct sem_cmd *cmd)
{
	struct pollfd pfd = {
		.fd = sem_fd_number(cmd->argv[1]),
		.events = sem_flags(events, cmd->argv[2]),
	};
	int n = poll(&pfd, 1, sem_deadline_ms);

	if (n < 0)
		sem_reply_ret(cmd, n);
	else
		reply_mask(cmd, n ? "" : "TIMEOUT ", pfd.revents);
}

/* select NAME */
static void run_select(struct sem_cmd *cmd)
{
	int fd = sem_fd_number(cmd->argv[1]);
	struct timeval now = { 0, 0 };
	fd_set sets[3];
	int i;
	int n;

	for (i = 0; i < 3; i++) {
		FD_ZERO(&sets[i]);
		FD_SET(fd, &sets[i]);
	}
	n = select(fd + 1, &sets[0], &sets[1], &sets[2], &now);
	if (n < 0)
		sem_reply_ret(cmd, n);
	else
		sem_reply(cmd, "%d %s%s%s", n,
			  FD_ISSET(fd, &sets[0]) ? "r" : "",
			  FD_ISSET(fd, &sets[1]) ? "w" : "",
			  FD_ISSET(fd, &sets[2]) ? "x" : "");
}

/* ep NAME */
static void run_ep(struct sem_cmd *cmd)
{
	int fd = epoll_create1(0);

	if (fd >= 0)
		sem_fd_add(cmd->argv[1], fd);
	sem_reply_ret(cmd, fd < 0 ? fd : 0);
}

static void ctl(struct sem_cmd *cmd, int op)
{
	int fd = sem_fd_number(cmd->argv[2]);
	struct epoll_event ev = {
		.events = sem_flags(events, sem_arg(cmd, 3, "0")),
		.data.fd = fd,
	};

	sem_reply_ret(cmd, epoll_ctl(sem_fd_number(cmd->argv[1]), op, fd,
				     &ev));
}

/* epadd EPOLL NAME EVENTS */
static void run_epadd(struct sem_cmd *cmd)
{
	ctl(cmd, EPOLL_CTL_ADD);
}

/* epmod EPOLL NAME EVENTS */
static void run_epmod(struct sem_cmd *cmd)
{
	ctl(cmd, EPOLL_CTL_MOD);
}

/* epdel EPOLL NAME */
static void run_epdel(struct sem_cmd *cmd)
{
	ctl(cmd, EPOLL_CTL_DEL);
}

static void reply_epoll(struct sem_cmd *cmd, int timeout)
{
	struct epoll_event ev;
	int n = epoll_wait(sem_fd_number(cmd->argv[1]), &ev, 1, timeout);

	if (n <= 0)
		sem_reply_ret(cmd, n);
	else
		reply_mask(cmd, "1 ", ev.events);
}

/* epwait EPOLL: reply with what is ready now; one descriptor per set */
static void run_epwait(struct sem_cmd *cmd)
{
	reply_epoll(cmd, 0);
}

/* epawait EPOLL: sleep until a descriptor is ready */
static void run_epawait(struct sem_cmd *cmd)
{
	reply_epoll(cmd, sem_deadline_ms);
}

/*
 * epedge EPOLL EVENTS: gather edges until all EVENTS have been seen. One
 * segment may cause one edge or two, so the reply leaves their number out.
 */
static void run_epedge(struct sem_cmd *cmd)
{
	unsigned int want = sem_flags(events, cmd->argv[2]);
	__u64 end = util_now_ms() + sem_deadline_ms;
	int ep = sem_fd_number(cmd->argv[1]);
	unsigned int seen = 0;
	struct epoll_event ev;

	while ((seen & want) != want) {
		if (epoll_wait(ep, &ev, 1, 100) == 1)
			seen |= ev.events;
		if (util_now_ms() > end) {
			reply_mask(cmd, "TIMEOUT ", seen);
			return;
		}
	}
	reply_mask(cmd, "", seen);
}

static unsigned long request_of(const char *name)
{
	static const struct sem_name requests[] = {
		{ "inq", SIOCINQ }, { "outq", SIOCOUTQ },
		{ "outqnsd", SIOCOUTQNSD }, { "atmark", SIOCATMARK },
		{ "unknown", 0x89ef }, { 0 },
	};

	return sem_flags(requests, name);
}

/* ioctl NAME REQUEST */
static void run_ioctl(struct sem_cmd *cmd)
{
	int value = -7;
	int ret = ioctl(sem_fd_number(cmd->argv[1]),
			request_of(cmd->argv[2]), &value);

	if (ret < 0)
		sem_reply_ret(cmd, ret);
	else
		sem_reply(cmd, "%d value %d", ret, value);
}

/* fionbio NAME 0|1 */
static void run_fionbio(struct sem_cmd *cmd)
{
	int value = sem_num(cmd, 2, 0);

	sem_reply_ret(cmd, ioctl(sem_fd_number(cmd->argv[1]), FIONBIO,
				 &value));
}

/* awaitq NAME inq|outq VALUE: wait until the queue holds VALUE bytes */
static void run_awaitq(struct sem_cmd *cmd)
{
	__u64 end = util_now_ms() + sem_deadline_ms;
	int fd = sem_fd_number(cmd->argv[1]);
	int want = sem_num(cmd, 3, 0);
	int value = -1;

	for (;;) {
		if (ioctl(fd, request_of(cmd->argv[2]), &value) < 0) {
			sem_reply_ret(cmd, -1);
			return;
		}
		if (value == want)
			break;
		if (util_now_ms() > end) {
			sem_reply(cmd, "TIMEOUT %d", value);
			return;
		}
		usleep(1000);
	}
	sem_reply(cmd, "%d", value);
}

/* awaitpeek NAME LENGTH: wait until recv() would find so many bytes */
static void run_awaitpeek(struct sem_cmd *cmd)
{
	__u64 end = util_now_ms() + sem_deadline_ms;
	int fd = sem_fd_number(cmd->argv[1]);
	ssize_t want = sem_num(cmd, 2, 0);
	char buf[4096];
	ssize_t n;

	while ((n = recv(fd, buf, sizeof(buf), MSG_PEEK | MSG_DONTWAIT |
			 MSG_TRUNC)) < want && util_now_ms() <= end)
		usleep(1000);
	sem_reply(cmd, "%s%zd", n < want ? "TIMEOUT " : "", n);
}

/* awaitoob NAME: wait until the urgent byte of which the socket knows has come */
static void run_awaitoob(struct sem_cmd *cmd)
{
	__u64 end = util_now_ms() + sem_deadline_ms;
	int fd = sem_fd_number(cmd->argv[1]);
	ssize_t n;
	char byte;

	while ((n = recv(fd, &byte, 1, MSG_OOB | MSG_PEEK)) < 0 &&
	       errno == EAGAIN && util_now_ms() <= end)
		usleep(1000);
	sem_reply_ret(cmd, n);
}

/* mark NAME: reply with what a reader can learn of urgent data */
static void run_mark(struct sem_cmd *cmd)
{
	struct pollfd pfd = {
		.fd = sem_fd_number(cmd->argv[1]), .events = POLLIN | POLLPRI,
	};
	int mark = -1, inq = -1;
	char text[160];

	ioctl(pfd.fd, SIOCATMARK, &mark);
	ioctl(pfd.fd, SIOCINQ, &inq);
	poll(&pfd, 1, 0);
	mask_text(pfd.revents, text, sizeof(text));
	sem_reply(cmd, "mark %d inq %d poll %s", mark, inq, text);
}

const struct sem_verb sem_event_verbs[] = {
	{ "poll", 2, run_poll },
	{ "await", 3, run_await },
	{ "pollwait", 3, run_pollwait },
	{ "select", 2, run_select },
	{ "ep", 2, run_ep },
	{ "epadd", 4, run_epadd },
	{ "epmod", 4, run_epmod },
	{ "epdel", 3, run_epdel },
	{ "epwait", 2, run_epwait },
	{ "epawait", 2, run_epawait },
	{ "epedge", 3, run_epedge },
	{ "ioctl", 3, run_ioctl },
	{ "fionbio", 3, run_fionbio },
	{ "awaitq", 4, run_awaitq },
	{ "awaitpeek", 3, run_awaitpeek },
	{ "awaitoob", 2, run_awaitoob },
	{ "mark", 2, run_mark },
	{ 0 },
};
