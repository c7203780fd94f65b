// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that stall in a socket call, because a page they pass to it faults and
 * does not arrive (../mod/stall.c). All but "cork" hold the sock lock meanwhile.
 *
 *   stalled KIND ADDRESS readers N	N connections to itself; one thread per
 *					connection stalls in recv()
 *   stalled KIND ADDRESS writers N	the same, in send()
 *   stalled KIND ADDRESS listeners N	N listeners; one thread per listener stalls
 *					in setsockopt(SO_LINGER), and a client
 *					connects to each
 *   stalled KIND ADDRESS shared PORT	one listener with SO_REUSEPORT and SO_MARK 7;
 *					a thread stalls in setsockopt(SO_LINGER)
 *   stalled KIND ADDRESS cork		a listener accepts while a thread stalls in
 *					setsockopt(TCP_CORK) on it
 *   stalled KIND ADDRESS ends		two connections to itself whose other ends
 *					close while threads stall; ends the stalls
 *
 * "ends" prints "good" or "bad" and a fact in each line, and is over. All others
 * print "stalled" when all threads have stalled. For readers and writers, a line
 * of input then closes the other end of each connection. A further line, or the end
 * of the input, ends the program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util.h"

#define STACK_SIZE	(64 * 1024)
#define ACCEPT_MS	30000
#define FILES_MAX	4096
#define SHARED_MARK	7
#define PART		100
#define LINGER_S	60

static const struct util_kind *kind;
static const char *address;
static long page_size;
static char *gap;	/* an ordinary page, followed by one that does not arrive */

static void say(const char *word)
{
	puts(word);
	fflush(stdout);
}

static bool await_line(void)
{
	char line[16];

	return fgets(line, sizeof(line), stdin);
}

static void map_gap(void)
{
	int fd = open("/dev/smcr_stall", O_RDWR);
	void *stall;

	page_size = sysconf(_SC_PAGESIZE);
	gap = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stall = mmap(gap + page_size, page_size, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_FIXED, fd, 0);
	if (fd < 0 || gap == MAP_FAILED || stall == MAP_FAILED)
		util_die("/dev/smcr_stall: %s", strerror(errno));
	close(fd);
}

static int n_stalled(void)
{
	char text[16] = "";
	int fd = open("/dev/smcr_stall", O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		util_die("/dev/smcr_stall: %s", strerror(errno));
	close(fd);
	return atoi(text);
}

static void await_stalled(int n)
{
	while (n_stalled() < n)
		usleep(10000);
}

static pthread_t start(void *(*func)(void *arg), int fd)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	err = pthread_create(&thread, &attr, func, (void *)(long)fd);
	if (err)
		util_die("pthread_create: %s", strerror(err));
	pthread_attr_destroy(&attr);
	return thread;
}

static void *stall_recv(void *arg)
{
	recv((long)arg, gap + page_size, 1, 0);
	return NULL;
}

static void *stall_send(void *arg)
{
	return (void *)send((long)arg, gap + page_size, 1, MSG_NOSIGNAL);
}

static void *recv_two_parts(void *arg)
{
	char buf[2 * PART];

	return (void *)recv((long)arg, buf, sizeof(buf), MSG_WAITALL);
}

/* The value begins in the ordinary page: its first word is copied before the kernel
 * takes the sock lock, its second word, which stalls, under the lock.
 */
static void *stall_linger(void *arg)
{
	setsockopt((long)arg, SOL_SOCKET, SO_LINGER, gap + page_size -
		   sizeof(int), 2 * sizeof(int));
	return NULL;
}

static void *stall_cork(void *arg)
{
	setsockopt((long)arg, IPPROTO_TCP, TCP_CORK, gap + page_size,
		   sizeof(int));
	return NULL;
}

static int listener(union util_addr *addr, int port)
{
	int mark = SHARED_MARK, one = 1;
	socklen_t len;
	int fd;

	util_addr_parse(addr, kind->family, address, port);
	len = util_addr_len(addr);
	fd = util_socket(kind, 0);
	/* Connections of an earlier test may be in TIME_WAIT on this port */
	if (port && (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one,
				sizeof(one)) ||
		     setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one,
				sizeof(one)) ||
		     setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark))))
		util_die("setsockopt: %s", strerror(errno));
	if (fd < 0 || bind(fd, &addr->sa, len) || listen(fd, 8) ||
	    getsockname(fd, &addr->sa, &len))
		util_die("listen: %s", strerror(errno));
	return fd;
}

static int client(const union util_addr *addr, int flags)
{
	int fd = util_socket(kind, flags);

	if (fd < 0 || (connect(fd, &addr->sa, util_addr_len(addr)) &&
		       errno != EINPROGRESS))
		util_die("connect: %s", strerror(errno));
	return fd;
}

/* Make a connection; end[0] and end[1] are its ends. */
static void pair(int end[2])
{
	union util_addr addr;
	int lfd = listener(&addr, 0);

	end[0] = client(&addr, 0);
	end[1] = accept(lfd, NULL, NULL);
	if (end[1] < 0)
		util_die("accept: %s", strerror(errno));
	close(lfd);
}

static void await_unread(int fd, int n)
{
	int unread;

	while (!ioctl(fd, FIONREAD, &unread) && unread != n)
		usleep(1000);
}

static void await_event(int fd, short event)
{
	struct pollfd pfd = { .fd = fd, .events = event };

	while (poll(&pfd, 1, ACCEPT_MS) == 1 && !(pfd.revents & event))
		usleep(1000);
	if (!(pfd.revents & event))
		util_die("poll: %s", strerror(errno));
}

static void set_linger(int fd, int seconds)
{
	struct linger linger = { .l_onoff = 1, .l_linger = seconds };

	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		util_die("SO_LINGER: %s", strerror(errno));
}

static void fact(bool good, const char *text)
{
	printf("%s %s\n", good ? "good" : "bad", text);
}

static void end_stalls(void)
{
	int fd = open("/dev/smcr_stall", O_WRONLY);

	if (fd < 0 || write(fd, "go", 2) != 2)
		util_die("/dev/smcr_stall: %s", strerror(errno));
	close(fd);
}

/* The byte was being copied from the program when the peer closed. It cannot arrive,
 * so close() does not linger for it.
 */
static void judge_sender(int fd, pthread_t sender)
{
	void *ret;
	__u64 begin;

	pthread_join(sender, &ret);
	fact((long)ret == 1, "send() takes a byte, though the peer has closed");
	set_linger(fd, LINGER_S);
	begin = util_now_ms();
	close(fd);
	fact(util_now_ms() - begin < LINGER_S * 1000 / 2,
	     "close() does not wait for a byte that cannot arrive");
}

/* The reader has a part of what it waits for when the connection is reset, and before
 * it runs, another call takes the pending error. As with TCP, the reader returns the
 * part. It must not take the reset for the end of the stream then.
 */
static void judge_reader(int fd, pthread_t reader)
{
	void *ret;
	char c;

	pthread_join(reader, &ret);
	fact((long)ret == PART, "MSG_WAITALL returns what came before the reset");
	fact(recv(fd, &c, 1, 0) == -1 && errno == ECONNRESET,
	     "the next recv() returns ECONNRESET, and no end of file");
}

static void ends(void)
{
	int late[2], cut[2], err = 0;
	pthread_t sender, reader;
	socklen_t len = sizeof(err);

	pair(late);
	pair(cut);
	if (send(cut[0], gap, PART, 0) != PART)
		util_die("send: %s", strerror(errno));
	await_unread(cut[1], PART);
	reader = start(recv_two_parts, cut[1]);
	await_unread(cut[1], 0);
	sender = start(stall_send, late[1]);
	start(stall_linger, cut[1]);
	await_stalled(2);
	close(late[0]);
	set_linger(cut[0], 0);
	close(cut[0]);
	await_event(late[1], POLLRDHUP);
	await_event(cut[1], POLLERR);
	fact(!getsockopt(cut[1], SOL_SOCKET, SO_ERROR, &err, &len) &&
	     err == ECONNRESET, "SO_ERROR takes the error of the reset");
	end_stalls();
	judge_reader(cut[1], reader);
	judge_sender(late[1], sender);
}

static void connections(int n, void *(*func)(void *arg), const char *byte)
{
	union util_addr addr;
	int lfd = listener(&addr, 0);
	int *far = util_alloc(n * sizeof(*far));
	int i, fd;

	for (i = 0; i < n; i++) {
		far[i] = client(&addr, 0);
		fd = accept(lfd, NULL, NULL);
		if (fd < 0)
			util_die("accept: %s", strerror(errno));
		start(func, fd);
		if (byte && send(far[i], byte, 1, 0) != 1)
			util_die("send: %s", strerror(errno));
	}
	close(lfd);
	await_stalled(n);
	say("stalled");
	if (!await_line())
		return;
	for (i = 0; i < n; i++)
		close(far[i]);
	free(far);
	say("closed");
}

static void listeners(int n)
{
	int already = n_stalled();
	union util_addr *addr = util_alloc(n * sizeof(*addr));
	int i;

	for (i = 0; i < n; i++)
		start(stall_linger, listener(&addr[i], 0));
	await_stalled(already + n);
	for (i = 0; i < n; i++)
		client(&addr[i], SOCK_NONBLOCK);
	free(addr);
	say("stalled");
}

static void shared(int port)
{
	int already = n_stalled();
	union util_addr addr;

	start(stall_linger, listener(&addr, port));
	await_stalled(already + 1);
	say("stalled");
}

/* The option value must be copied before the lock is taken: the stalled call must not
 * keep others from the listener.
 */
static void cork(void)
{
	int already = n_stalled();
	union util_addr addr;
	struct pollfd pfd = { .events = POLLIN };

	pfd.fd = listener(&addr, 0);
	start(stall_cork, pfd.fd);
	await_stalled(already + 1);
	client(&addr, SOCK_NONBLOCK);
	if (poll(&pfd, 1, ACCEPT_MS) != 1 || accept(pfd.fd, NULL, NULL) < 0)
		util_die("the listener does not accept the connection");
	say("stalled");
}

static void raise_limit(void)
{
	struct rlimit limit = { FILES_MAX, FILES_MAX };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		util_die("setrlimit: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	int n = argc > 4 ? atoi(argv[4]) : 0;

	kind = argc > 3 ? util_kind_find(argv[1]) : NULL;
	if (!kind)
		util_die("stalled KIND ADDRESS MODE [N]");
	address = argv[2];
	raise_limit();
	map_gap();
	if (!strcmp(argv[3], "readers"))
		connections(n, stall_recv, "x");
	else if (!strcmp(argv[3], "writers"))
		connections(n, stall_send, NULL);
	else if (!strcmp(argv[3], "listeners"))
		listeners(n);
	else if (!strcmp(argv[3], "shared"))
		shared(n);
	else if (!strcmp(argv[3], "ends"))
		ends();
	else
		cork();
	if (strcmp(argv[3], "ends"))
		await_line();
	fflush(stdout);
	/* _exit() does not wait for the stalled threads */
	_exit(0);
}
