// SPDX-License-Identifier: GPL-2.0
/*
 * Makes random socket calls from several threads on the same few descriptors, in any
 * order: close during connect, Fast Open on a listener, data during a handshake. The
 * results do not matter; each call must return, and the kernel must not report a bug.
 *
 * Usage: races ADDRESS SECONDS SEED
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define AF_SMCR		43
#define IPPROTO_SMCR	257
#define N_FDS		12
#define N_THREADS	4
#define N_PROCESSES	3
#define N_PORTS		3
#define PORT		9000
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static int fds[N_FDS];
static const char *address;
static int port;
static time_t end;
/* 0xa5: neither zero nor ASCII, so easy to recognize in the wrong place */
static char bytes[70000];

static unsigned int pick(unsigned int *seed, unsigned int n)
{
	return rand_r(seed) % n;
}

static int one_of(unsigned int *seed)
{
	return fds[pick(seed, N_FDS)];
}

static void make_addr(unsigned int *seed, struct sockaddr_in *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->sin_family = AF_INET;
	addr->sin_port = htons(port + pick(seed, N_PORTS));
	inet_pton(AF_INET, pick(seed, 3) ? address : "127.0.0.1",
		  &addr->sin_addr);
}

static int make_socket(unsigned int *seed)
{
	int type = SOCK_STREAM | (pick(seed, 4) ? SOCK_NONBLOCK : 0);
	struct timeval wait = { .tv_usec = 50000 };
	int fd;

	fd = pick(seed, 2) ? socket(AF_SMCR, type, 0) :
			     socket(AF_INET, type, IPPROTO_SMCR);
	if (fd < 0) {
		perror("socket");
		exit(2);
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	return fd;
}

static void put(unsigned int *seed, int fd)
{
	dup2(fd, one_of(seed));
	close(fd);
}

static void do_replace(unsigned int *seed)
{
	put(seed, make_socket(seed));
}

static void do_bind(unsigned int *seed)
{
	struct sockaddr_in addr;

	make_addr(seed, &addr);
	bind(one_of(seed), (struct sockaddr *)&addr, sizeof(addr));
}

static void do_listen(unsigned int *seed)
{
	struct sockaddr_in addr;
	int fd = one_of(seed);
	int on = 1;

	make_addr(seed, &addr);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	bind(fd, (struct sockaddr *)&addr, sizeof(addr));
	listen(fd, pick(seed, 5));
}

static void do_connect(unsigned int *seed)
{
	struct sockaddr_in addr;

	make_addr(seed, &addr);
	connect(one_of(seed), (struct sockaddr *)&addr, sizeof(addr));
}

static void do_disconnect(unsigned int *seed)
{
	struct sockaddr addr = { .sa_family = AF_UNSPEC };

	connect(one_of(seed), &addr, sizeof(addr));
}

static void do_accept(unsigned int *seed)
{
	int fd = accept4(one_of(seed), NULL, NULL, SOCK_NONBLOCK);

	if (fd >= 0)
		put(seed, fd);
}

static void do_send(unsigned int *seed)
{
	send(one_of(seed), bytes, pick(seed, sizeof(bytes)),
	     MSG_NOSIGNAL | (pick(seed, 2) ? MSG_DONTWAIT : 0) |
	     (pick(seed, 4) ? 0 : MSG_MORE));
}

static void do_fastopen(unsigned int *seed)
{
	struct sockaddr_in addr;

	if (pick(seed, 6))
		return;
	make_addr(seed, &addr);
	sendto(one_of(seed), bytes, 100,
	       MSG_FASTOPEN | MSG_NOSIGNAL | MSG_DONTWAIT,
	       (struct sockaddr *)&addr, sizeof(addr));
}

static void do_recv(unsigned int *seed)
{
	char buf[20000];

	recv(one_of(seed), buf, pick(seed, sizeof(buf)),
	     (pick(seed, 2) ? MSG_DONTWAIT : 0) |
	     (pick(seed, 4) ? 0 : MSG_PEEK));
}

static void do_shutdown(unsigned int *seed)
{
	shutdown(one_of(seed), pick(seed, 3));
}

static void do_poll(unsigned int *seed)
{
	struct pollfd p = { one_of(seed), POLLIN | POLLOUT, 0 };

	poll(&p, 1, pick(seed, 20));
}

static void do_queue(unsigned int *seed)
{
	int val;

	ioctl(one_of(seed), pick(seed, 2) ? FIONREAD : TIOCOUTQ, &val);
}

static void do_tcp_option(unsigned int *seed)
{
	static const int names[] = { TCP_NODELAY, TCP_CORK };
	int on = pick(seed, 2);

	setsockopt(one_of(seed), IPPROTO_TCP, names[pick(seed, 2)], &on,
		   sizeof(on));
}

/* Options that force TCP; rarely, or every socket would fall back */
static void do_tcp_only(unsigned int *seed)
{
	int on = pick(seed, 2);

	switch (pick(seed, 16)) {
	case 0:
		setsockopt(one_of(seed), IPPROTO_TCP, TCP_ULP, "tls", 4);
		break;
	case 1:
		setsockopt(one_of(seed), IPPROTO_TCP, TCP_FASTOPEN, &on,
			   sizeof(on));
		break;
	}
}

static void do_linger(unsigned int *seed)
{
	struct linger val = { pick(seed, 2), pick(seed, 2) };

	setsockopt(one_of(seed), SOL_SOCKET, SO_LINGER, &val, sizeof(val));
}

static void do_buffer(unsigned int *seed)
{
	int val = pick(seed, 300000);

	setsockopt(one_of(seed), SOL_SOCKET,
		   pick(seed, 2) ? SO_SNDBUF : SO_RCVBUF, &val, sizeof(val));
}

static void do_names(unsigned int *seed)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int fd = one_of(seed);
	int err;

	getsockname(fd, (struct sockaddr *)&addr, &len);
	len = sizeof(addr);
	getpeername(fd, (struct sockaddr *)&addr, &len);
	len = sizeof(err);
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len);
}

static void do_splice(unsigned int *seed)
{
	int fd = one_of(seed);
	int ends[2];

	if (pipe(ends))
		return;
	splice(fd, NULL, ends[1], NULL, 5000, SPLICE_F_NONBLOCK);
	splice(ends[0], NULL, one_of(seed), NULL, 5000, SPLICE_F_NONBLOCK);
	close(ends[0]);
	close(ends[1]);
}

/* Calls that lead to connections are listed more often */
static void (*const calls[])(unsigned int *seed) = {
	do_replace, do_replace, do_bind, do_listen, do_listen, do_connect,
	do_connect, do_connect, do_connect, do_connect, do_disconnect,
	do_accept, do_accept, do_accept, do_send, do_send, do_send,
	do_fastopen, do_recv, do_recv, do_recv, do_shutdown, do_poll,
	do_queue, do_tcp_option, do_tcp_only, do_linger, do_buffer,
	do_names, do_splice,
};

static void *run(void *arg)
{
	unsigned int seed = (uintptr_t)arg;

	while (time(NULL) < end)
		calls[pick(&seed, ARRAY_SIZE(calls))](&seed);
	return NULL;
}

static int process(unsigned int seed)
{
	pthread_t threads[N_THREADS];
	unsigned int i;

	for (i = 0; i < N_FDS; i++)
		fds[i] = make_socket(&seed);
	for (i = 0; i < N_THREADS; i++)
		if (pthread_create(&threads[i], NULL, run,
				   (void *)(uintptr_t)(seed * 31 + i)))
			return 2;
	for (i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int seed, i;
	int status, bad = 0;

	if (argc != 4) {
		fprintf(stderr, "Usage: %s ADDRESS SECONDS SEED\n", argv[0]);
		return 2;
	}
	address = argv[1];
	end = time(NULL) + atoi(argv[2]);
	seed = strtoul(argv[3], NULL, 0);
	printf("# seed %u\n", seed);
	fflush(stdout);
	signal(SIGPIPE, SIG_IGN);
	memset(bytes, 0xa5, sizeof(bytes));
	for (i = 0; i < N_PROCESSES; i++) {
		/* Two processes share their ports, one has its own */
		port = PORT + (i & 1) * N_PORTS;
		if (!fork())
			_exit(process(seed + i * 7919));
	}
	while (wait(&status) > 0)
		bad |= status;
	return !!bad;
}
