// SPDX-License-Identifier: GPL-2.0
/*
 * Sends a byte on many connections at once, so that a test can count the packets
 * that leave a host before the first answer.
 *
 *   burst KIND ADDRESS PORT serve COUNT     prints "serving"; echoes one byte on each
 *					connection
 *   burst KIND ADDRESS PORT send COUNT      opens the connections and prints "open";
 *					after a line of input sends and prints
 *					"sent"; after the next reads the echoes
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

#define LISTEN_BACKLOG	1024

static int listener(const struct util_kind *kind, const union util_addr *addr)
{
	int fd = util_socket(kind, 0);
	int one = 1;

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, &addr->sa, util_addr_len(addr)) ||
	    listen(fd, LISTEN_BACKLOG))
		util_die("listen: %s", strerror(errno));
	return fd;
}

static void say(const char *word)
{
	puts(word);
	fflush(stdout);
}

static void await_line(void)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		util_die("no line of input");
}

/* The byte of connection @i, to detect an echo on the wrong connection. */
static char byte_of(unsigned int i)
{
	return 'A' + i % 26;
}

static void serve(int *fds, unsigned int n, int lfd)
{
	unsigned int i;
	char byte;

	say("serving");
	for (i = 0; i < n; i++) {
		fds[i] = accept(lfd, NULL, NULL);
		if (fds[i] < 0)
			util_die("accept %u: %s", i, strerror(errno));
	}
	for (i = 0; i < n; i++)
		if (read(fds[i], &byte, 1) != 1 || write(fds[i], &byte, 1) != 1)
			util_die("echo %u: %s", i, strerror(errno));
	for (i = 0; i < n; i++)
		if (read(fds[i], &byte, 1))
			util_die("connection %u: no end of file", i);
}

static void send_all(int *fds, unsigned int n, const struct util_kind *kind,
		     const union util_addr *addr)
{
	unsigned int i;
	char byte;

	for (i = 0; i < n; i++) {
		fds[i] = util_socket(kind, 0);
		if (connect(fds[i], &addr->sa, util_addr_len(addr)))
			util_die("connect %u: %s", i, strerror(errno));
	}
	say("open");
	await_line();
	for (i = 0; i < n; i++) {
		byte = byte_of(i);
		if (send(fds[i], &byte, 1, MSG_DONTWAIT) != 1)
			util_die("send %u: %s", i, strerror(errno));
	}
	say("sent");
	await_line();
	for (i = 0; i < n; i++) {
		if (read(fds[i], &byte, 1) != 1)
			util_die("connection %u: no echo", i);
		if (byte != byte_of(i)) {
			fprintf(stderr, "connection %u: a wrong byte\n", i);
			exit(UTIL_WRONG_BYTES);
		}
	}
}

int main(int argc, char **argv)
{
	const struct util_kind *kind;
	union util_addr addr;
	unsigned int n, i;
	int *fds;

	if (argc != 6)
		util_die("usage: burst KIND ADDRESS PORT serve|send COUNT");
	kind = util_kind_find(argv[1]);
	if (!kind)
		util_die("unknown kind of socket %s", argv[1]);
	util_addr_parse(&addr, kind->family, argv[2], atoi(argv[3]));
	n = util_size_parse(argv[5]);
	fds = util_alloc(n * sizeof(*fds));
	if (!strcmp(argv[4], "serve"))
		serve(fds, n, listener(kind, &addr));
	else
		send_all(fds, n, kind, &addr);
	for (i = 0; i < n; i++)
		close(fds[i]);
	free(fds);
	return 0;
}
