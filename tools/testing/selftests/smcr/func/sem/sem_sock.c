// SPDX-License-Identifier: GPL-2.0
/* Steps that create, bind, connect, query and close sockets. */
#define _GNU_SOURCE
#include "sem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct sem_name type_flags[] = {
	{ "nonblock", SOCK_NONBLOCK }, { "cloexec", SOCK_CLOEXEC }, { 0 },
};

static const struct sem_name hows[] = {
	{ "rd", SHUT_RD }, { "wr", SHUT_WR }, { "rdwr", SHUT_RDWR }, { 0 },
};

/* socket NAME [FLAGS] */
static void run_socket(struct sem_cmd *cmd)
{
	int fd = util_socket(sem_kind, sem_flags(type_flags,
						 sem_arg(cmd, 2, "0")));

	if (fd >= 0)
		sem_fd_add(cmd->argv[1], fd);
	sem_reply_ret(cmd, fd < 0 ? fd : 0);
}

/* bind NAME ADDRESS [LENGTH [FAMILY]] */
static void run_bind(struct sem_cmd *cmd)
{
	union util_addr addr;

	sem_addr(cmd->argv[2], &addr);
	if (cmd->argc > 4)
		addr.sa.sa_family = sem_num(cmd, 4, 0);
	sem_reply_ret(cmd, bind(sem_fd_number(cmd->argv[1]), &addr.sa,
				sem_num(cmd, 3, util_addr_len(&addr))));
}

/*
 * bindsoon NAME ADDRESS: bind as soon as no connection holds the port. The
 * deadline is shorter than the minute of TIME-WAIT, so a connection in that
 * state makes the step fail.
 */
static void run_bindsoon(struct sem_cmd *cmd)
{
	__u64 end = util_now_ms() + sem_deadline_ms;
	int fd = sem_fd_number(cmd->argv[1]);
	union util_addr addr;
	int rc;

	sem_addr(cmd->argv[2], &addr);
	do {
		rc = bind(fd, &addr.sa, util_addr_len(&addr));
		if (!rc || errno != EADDRINUSE)
			break;
		usleep(1000);
	} while (util_now_ms() < end);
	sem_reply_ret(cmd, rc);
}

/* listen NAME BACKLOG */
static void run_listen(struct sem_cmd *cmd)
{
	sem_reply_ret(cmd, listen(sem_fd_number(cmd->argv[1]),
				  sem_num(cmd, 2, 0)));
}

/* connect NAME ADDRESS [LENGTH [FAMILY]] */
static void run_connect(struct sem_cmd *cmd)
{
	union util_addr addr;
	socklen_t len;

	sem_addr(cmd->argv[2], &addr);
	len = util_addr_len(&addr);
	if (cmd->argc > 4)
		addr.sa.sa_family = sem_num(cmd, 4, 0);
	sem_reply_ret(cmd, connect(sem_fd_number(cmd->argv[1]), &addr.sa,
				   sem_num(cmd, 3, len)));
}

/* accept NAME LISTENER [FLAGS] [addr] */
static void run_accept(struct sem_cmd *cmd)
{
	union util_addr addr = { 0 };
	socklen_t len = sizeof(addr);
	char text[80];
	int fd;

	fd = accept4(sem_fd_number(cmd->argv[2]), &addr.sa, &len,
		     sem_flags(type_flags, sem_arg(cmd, 3, "0")));
	if (fd < 0) {
		sem_reply_ret(cmd, fd);
		return;
	}
	sem_fd_add(cmd->argv[1], fd);
	if (strcmp(sem_arg(cmd, 4, ""), "addr")) {
		sem_reply_ret(cmd, 0);
		return;
	}
	sem_addr_text(&addr, text, sizeof(text));
	sem_reply(cmd, "0 from %s len %u", text, len);
}

/* acceptbad LISTENER: accept() with an invalid pointer to the address */
static void run_acceptbad(struct sem_cmd *cmd)
{
	socklen_t len = sizeof(union util_addr);

	sem_reply_ret(cmd, accept(sem_fd_number(cmd->argv[1]),
				  (struct sockaddr *)8, &len));
}

/* close NAME */
static void run_close(struct sem_cmd *cmd)
{
	int fd = sem_fd_number(cmd->argv[1]);

	sem_fd_drop(cmd->argv[1]);
	sem_reply_ret(cmd, close(fd));
}

/* shutdown NAME HOW */
static void run_shutdown(struct sem_cmd *cmd)
{
	sem_reply_ret(cmd, shutdown(sem_fd_number(cmd->argv[1]),
				    sem_flags(hows, cmd->argv[2])));
}

static void name_reply(struct sem_cmd *cmd,
		       int (*call)(int, struct sockaddr *, socklen_t *))
{
	union util_addr addr = { 0 };
	socklen_t len = sem_num(cmd, 2, sizeof(addr));
	char text[80];

	if (call(sem_fd_number(cmd->argv[1]), &addr.sa, &len)) {
		sem_reply_ret(cmd, -1);
		return;
	}
	sem_addr_text(&addr, text, sizeof(text));
	sem_reply(cmd, "0 %s len %u", text, len);
}

static int call_sockname(int fd, struct sockaddr *sa, socklen_t *len)
{
	return getsockname(fd, sa, len);
}

static int call_peername(int fd, struct sockaddr *sa, socklen_t *len)
{
	return getpeername(fd, sa, len);
}

/* sockname NAME [LENGTH] */
static void run_sockname(struct sem_cmd *cmd)
{
	name_reply(cmd, call_sockname);
}

/* peername NAME [LENGTH] */
static void run_peername(struct sem_cmd *cmd)
{
	name_reply(cmd, call_peername);
}

/* port NAME VARIABLE: reply with the local port; not logged, see store_var() */
static void run_port(struct sem_cmd *cmd)
{
	union util_addr addr;
	socklen_t len = sizeof(addr);

	if (getsockname(sem_fd_number(cmd->argv[1]), &addr.sa, &len))
		sem_reply_ret(cmd, -1);
	else
		sem_reply(cmd, "%u", util_addr_port(&addr));
}

/* dup NAME NEW */
static void run_dup(struct sem_cmd *cmd)
{
	struct sem_fd *from = sem_fd_find(cmd->argv[1]);
	int fd = dup(from->fd);
	struct sem_fd *to;

	if (fd < 0) {
		sem_reply_ret(cmd, fd);
		return;
	}
	to = sem_fd_add(cmd->argv[2], fd);
	to->tx = from->tx;
	to->rx = from->rx;
	sem_reply_ret(cmd, 0);
}

/* pass NAME NEW: pass over a Unix socket; NAME is closed before NEW arrives */
static void run_pass(struct sem_cmd *cmd)
{
	struct sem_fd *from = sem_fd_find(cmd->argv[1]);
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec vec = { "x", 1 };
	struct msghdr msg = {
		.msg_iov = &vec, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	__u64 tx = from->tx;
	__u64 rx = from->rx;
	struct sem_fd *to;
	char byte;
	int sv[2];
	int fd;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sv))
		util_die("socketpair: %s", strerror(errno));
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &from->fd, sizeof(int));
	if (sendmsg(sv[0], &msg, 0) != 1)
		util_die("SCM_RIGHTS: %s", strerror(errno));
	close(from->fd);
	sem_fd_drop(cmd->argv[1]);
	vec.iov_base = &byte;
	msg.msg_controllen = sizeof(control);
	if (recvmsg(sv[1], &msg, 0) != 1)
		util_die("SCM_RIGHTS: %s", strerror(errno));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	to = sem_fd_add(cmd->argv[2], fd);
	to->tx = tx;
	to->rx = rx;
	close(sv[0]);
	close(sv[1]);
	sem_reply(cmd, "0");
}

/* getfl NAME, getfd NAME, setfl NAME VALUE */
static void run_getfl(struct sem_cmd *cmd)
{
	int fl = fcntl(sem_fd_number(cmd->argv[1]), F_GETFL);

	if (fl < 0)
		sem_reply_ret(cmd, fl);
	else
		sem_reply(cmd, "%s%s", fl & O_NONBLOCK ? "nonblock " : "",
			  (fl & O_ACCMODE) == O_RDWR ? "rdwr" : "?");
}

static void run_setfl(struct sem_cmd *cmd)
{
	static const struct sem_name names[] = {
		{ "nonblock", O_NONBLOCK }, { "async", O_ASYNC }, { 0 },
	};

	sem_reply_ret(cmd, fcntl(sem_fd_number(cmd->argv[1]), F_SETFL,
				 sem_flags(names, cmd->argv[2])));
}

static void run_getfd(struct sem_cmd *cmd)
{
	sem_reply_ret(cmd, fcntl(sem_fd_number(cmd->argv[1]), F_GETFD));
}

/* lseek NAME */
static void run_lseek(struct sem_cmd *cmd)
{
	sem_reply_ret(cmd, lseek(sem_fd_number(cmd->argv[1]), 0, SEEK_SET));
}

/* isatype NAME: reply with the file type that fstat() reports */
static void run_isatype(struct sem_cmd *cmd)
{
	struct stat st;

	if (fstat(sem_fd_number(cmd->argv[1]), &st))
		sem_reply_ret(cmd, -1);
	else
		sem_reply(cmd, "%s", S_ISSOCK(st.st_mode) ? "socket" : "?");
}

const struct sem_verb sem_sock_verbs[] = {
	{ "socket", 2, run_socket },
	{ "bind", 3, run_bind },
	{ "bindsoon", 3, run_bindsoon },
	{ "listen", 3, run_listen },
	{ "connect", 3, run_connect },
	{ "accept", 3, run_accept },
	{ "acceptbad", 2, run_acceptbad },
	{ "close", 2, run_close },
	{ "shutdown", 3, run_shutdown },
	{ "sockname", 2, run_sockname },
	{ "peername", 2, run_peername },
	{ "port", 3, run_port },
	{ "dup", 3, run_dup },
	{ "pass", 3, run_pass },
	{ "getfl", 2, run_getfl },
	{ "setfl", 3, run_setfl },
	{ "lseek", 2, run_lseek },
	{ "isatype", 2, run_isatype },
	{ "getfd", 2, run_getfd },
	{ 0 },
};
