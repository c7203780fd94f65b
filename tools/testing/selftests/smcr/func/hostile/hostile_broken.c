// SPDX-License-Identifier: GPL-2.0
/* Clients whose first contacts fail, as RDMA does not reach them. */
#define _GNU_SOURCE
#include "hostile.h"

#include <stdlib.h>
#include <unistd.h>

/* How many try at once */
#define AT_ONCE	16

static void set_number(unsigned int n)
{
	hostile.id.peer[0] = n >> 8;
	hostile.id.peer[1] = n;
}

static int offer(const char *to, unsigned int port, unsigned int n)
{
	int fd = net_dial(NULL, to, port, true);
	struct msg m;

	set_number(n);
	msg_proposal4(&m);
	net_send(fd, m.b, m.len);
	return fd;
}

/* Claim a GID without a route, so that CONFIRM LINK cannot be sent. */
static void confirm(int fd, unsigned int n)
{
	struct msg m;

	if (net_reaction(fd, &m, WAIT_MS) != R_ACCEPT)
		util_die("first contact %u: no Accept", n);
	set_number(n);
	msg_accept(&m, CONFIRM);
	msg_edit(&m, "16=20010db8000000000000000000000001");
	net_send(fd, m.b, m.len);
}

/**
 * broken_main() - make first contacts that fail at the server
 * @argc: number of arguments
 * @argv: address, port, number of the first one, how many
 *
 * Each claims a peer ID that its number makes, so each is a path of its own.
 *
 * Return: exit status
 */
int broken_main(int argc, char **argv)
{
	unsigned int port, n, end, i, some;
	int fd[AT_ONCE];
	struct msg m;

	if (argc != 4)
		util_die("broken ADDRESS PORT FIRST COUNT");
	port = atoi(argv[1]);
	n = atoi(argv[2]);
	for (end = n + atoi(argv[3]); n < end; n += some) {
		some = end - n < AT_ONCE ? end - n : AT_ONCE;
		for (i = 0; i < some; i++)
			fd[i] = offer(argv[0], port, n + i);
		for (i = 0; i < some; i++)
			confirm(fd[i], n + i);
		for (i = 0; i < some; i++) {
			if (net_reaction(fd[i], &m, WAIT_MS) != R_DECLINE)
				util_die("first contact %u: no Decline", n + i);
			close(fd[i]);
		}
	}
	return 0;
}
