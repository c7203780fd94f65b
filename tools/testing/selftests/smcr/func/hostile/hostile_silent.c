// SPDX-License-Identifier: GPL-2.0
/* Silent clients of an smcr server, and the times of honest clients meanwhile. */
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/**
 * silent_main() - hold connections that send an eye catcher and no more
 * @argc: number of arguments
 * @argv: address, port, number of connections, source addresses
 *
 * Without the eye catcher they would be taken for TCP. One further connection sends
 * a byte of a Proposal per second. Prints "held" when all are open, then waits for
 * input or its end.
 *
 * Return: exit status
 */
int silent_main(int argc, char **argv)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	unsigned int port, n, i;
	struct msg m;
	size_t at = 4;
	int fd = -1;

	if (argc < 4)
		util_die("silent ADDRESS PORT COUNT SOURCE...");
	port = atoi(argv[1]);
	n = atoi(argv[2]);
	msg_proposal4(&m);
	for (i = 0; i <= n; i++) {
		fd = net_dial(argv[3 + i % (argc - 3)], argv[0], port, true);
		net_send(fd, m.b, at);
	}
	puts("held");
	while (!poll(&in, 1, 1000))
		if (at < m.len)
			net_send(fd, m.b + at++, 1);
	return 0;
}

/**
 * struct connector - one honest client
 * @thread: its thread
 * @us: duration of its ping() in microseconds, 0 if it failed
 */
struct connector {
	pthread_t thread;
	uint64_t us;
};

static const char *honest_to, *honest_kind;
static unsigned int honest_port;

static void *connector_run(void *arg)
{
	struct connector *c = arg;
	__u64 begin = util_now_ns();
	char why[128];

	if (ping(honest_kind, honest_to, honest_port, why, sizeof(why)))
		c->us = (util_now_ns() - begin) / 1000;
	else
		fprintf(stderr, "%s\n", why);
	return NULL;
}

static int by_time(const void *a, const void *b)
{
	const struct connector *x = a, *y = b;

	return x->us < y->us ? -1 : x->us > y->us;
}

static void median(const char *name, struct connector *c, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!c[i].us)
			util_die("%s: connection %u of %u failed", name, i, n);
	qsort(c, n, sizeof(*c), by_time);
	printf("%s %lu\n", name, (unsigned long)c[n / 2].us);
}

/**
 * times_main() - print median durations of ping()
 * @argc: number of arguments
 * @argv: kind, address, port, number of calls in sequence, number in parallel
 *
 * Return: exit status
 */
int times_main(int argc, char **argv)
{
	unsigned int seq, par, i;
	struct connector *c;

	if (argc != 5)
		util_die("times KIND ADDRESS PORT SEQUENCE PARALLEL");
	honest_kind = argv[0];
	honest_to = argv[1];
	honest_port = atoi(argv[2]);
	seq = atoi(argv[3]);
	par = atoi(argv[4]);
	c = util_alloc((seq + par + 1) * sizeof(*c));
	for (i = 0; i < seq; i++)
		connector_run(&c[i]);
	if (seq)
		median("one", c, seq);
	memset(c, 0, par * sizeof(*c));
	for (i = 0; i < par; i++)
		if (pthread_create(&c[i].thread, NULL, connector_run, &c[i]))
			util_die("no thread");
	for (i = 0; i < par; i++)
		pthread_join(c[i].thread, NULL);
	if (par)
		median("many", c, par);
	free(c);
	return 0;
}
