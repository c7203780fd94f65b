// SPDX-License-Identifier: GPL-2.0
/*
 * Commands to a running program, over a Unix socket, one to a connection. The
 * answer is a line, whose first character is the exit status of "tell".
 */
#define _GNU_SOURCE
#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define LINE_MAX_LEN	256

/* Held while a command is executed, and for good at the end of the program */
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;

static int local_socket(const char *path, struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		util_die("socket: %s", strerror(errno));
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(addr->sun_path))
		util_die("path %s is too long", path);
	memcpy(addr->sun_path, path, strlen(path));
	return fd;
}

static void serve_one(int fd)
{
	char reply[LINE_MAX_LEN] = "";
	char name[LINE_MAX_LEN];
	ssize_t n = read(fd, name, sizeof(name) - 1);
	bool ok;

	if (n <= 0)
		return;
	name[n] = 0;
	ok = fail_command(name, reply + 1, sizeof(reply) - 1);
	reply[0] = ok ? '0' : '1';
	if (write(fd, reply, strlen(reply)) < 0)
		perror("tell");
}

static void *serve_commands(void *arg)
{
	int lfd = (int)(intptr_t)arg;
	int fd;

	for (;;) {
		fd = accept(lfd, NULL, NULL);
		if (fd < 0)
			continue;
		pthread_mutex_lock(&busy);
		serve_one(fd);
		pthread_mutex_unlock(&busy);
		close(fd);
	}
	return NULL;
}

/**
 * fail_listen() - start to serve commands
 * @path: name of the Unix socket
 */
void fail_listen(const char *path)
{
	struct sockaddr_un addr;
	int fd = local_socket(path, &addr);
	pthread_t thread;

	unlink(path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 8))
		util_die("%s: %s", path, strerror(errno));
	if (pthread_create(&thread, NULL, serve_commands,
			   (void *)(intptr_t)fd))
		util_die("no thread");
	pthread_detach(thread);
}

/**
 * fail_unlisten() - serve no command any more
 * @path: name of the Unix socket
 */
void fail_unlisten(const char *path)
{
	unlink(path);
	pthread_mutex_lock(&busy);
}

/**
 * fail_tell() - send a command to a running program
 * @path: name of its Unix socket
 * @name: the command
 *
 * Return: exit status of this program: 0 for yes, 1 for no, 3 if the other
 * program has ended
 */
int fail_tell(const char *path, const char *name)
{
	char reply[LINE_MAX_LEN];
	struct sockaddr_un addr;
	int fd = local_socket(path, &addr);
	ssize_t n;

	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    send(fd, name, strlen(name), MSG_NOSIGNAL) < 0)
		return 3;
	n = read(fd, reply, sizeof(reply) - 1);
	if (n <= 0)
		return 3;
	reply[n] = 0;
	if (reply[1])
		puts(reply + 1);
	return reply[0] != '0';
}
