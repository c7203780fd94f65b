// SPDX-License-Identifier: GPL-2.0
/*
 * Load generator of the benchmark: the same calls over TCP, smcr or Linux's own
 * SMC-R.
 *
 *	load server KIND ADDR PORT BUF
 *	load client KIND ADDR PORT BUF rr|stream|nagle SIZE WARM COUNT
 *	load client KIND ADDR PORT BUF beside STREAMS WARM COUNT
 *	load client KIND ADDR PORT BUF crowd CONNECTIONS WARM COUNT
 *	load client KIND ADDR PORT BUF connect PARALLEL WARM COUNT
 *	load client KIND ADDR PORT BUF hold COUNT
 *
 * BUF is SO_RCVBUF and SO_SNDBUF of every socket, 0 to leave them unset. A
 * client prints "ns N" and "tsc N": nanoseconds and TSC cycles of the measured
 * run of COUNT, which follows a warm-up of WARM (for rr and stream on the same
 * connection). "nagle" is "stream" without TCP_NODELAY, which all other
 * connections have. The reader of a stream asks for at least 64 KB at a time.
 * "beside" does round trips of 64 bytes on one connection while STREAMS others
 * carry writes of 64 KB, and "crowd" does COUNT of them on all its connections
 * together, each of which begins the next one at once. Both print "p50 N",
 * "p99 N" and "p999 N" too, microseconds within which so many per cent, and per
 * mille, of the round trips ended, and "beside" the "bytes N" of all streams.
 * "hold" prints "held" when its connections are open and closes them at the end
 * of its input.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define IPPROTO_SMCR	257
#define THREADS		16
#define READ_LEAST	65536
#define HOLD_MAX	8192
#define CROWD_MAX	256
#define TRIP_SIZE	64
#define BULK_SIZE	65536

/* The first byte that the client sends on a connection */
#define SAY_RUN		'r'	/* a struct job follows */
#define SAY_TRIPS	't'	/* echo each 64 bytes until the end */
#define SAY_SINK	's'	/* read until the end */
#define SAY_ECHO	'e'	/* echo it, wait for the end */
#define SAY_HOLD	'h'	/* echo it, keep the connection */
#define SAY_DROP	'd'	/* echo it, close all kept connections */

struct job {
	uint32_t stream, size, warm, count;
};

static const struct kind {
	const char *name;
	int family, protocol;
} kinds[] = {
	{ "tcp4", AF_INET, IPPROTO_TCP },
	{ "smcr4", AF_INET, IPPROTO_SMCR },
	/* The family belongs to net/smc if that module was loaded first */
	{ "linux4", AF_SMC, 0 },
};

static const struct kind *kind;
static struct sockaddr_in addr;
static int bufsize;
static int nodelay = 1;
static int held[HOLD_MAX];
static int n_held;
static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER;

static void die(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_socket(void)
{
	int fd = socket(kind->family, SOCK_STREAM, kind->protocol);
	int one = 1;

	if (fd < 0)
		die("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &nodelay, sizeof(nodelay));
	if (!bufsize)
		return fd;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bufsize, sizeof(bufsize)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bufsize, sizeof(bufsize)))
		die("setsockopt");
	return fd;
}

/* Receive @len bytes; return -1 if the connection ends before or fails. */
static int get(int fd, void *buf, size_t len)
{
	char *to = buf;

	while (len) {
		ssize_t n = recv(fd, to, len, 0);

		if (n <= 0)
			return -1;
		to += n;
		len -= n;
	}
	return 0;
}

static int put(int fd, const void *buf, size_t len)
{
	const char *from = buf;

	while (len) {
		ssize_t n = send(fd, from, len, MSG_NOSIGNAL);

		if (n <= 0)
			return -1;
		from += n;
		len -= n;
	}
	return 0;
}

static size_t buffer_size(const struct job *job)
{
	return job->size < READ_LEAST ? READ_LEAST : job->size;
}

static int drain(int fd, char *buf, size_t size, uint64_t total)
{
	while (total) {
		ssize_t n = recv(fd, buf, total < size ? total : size, 0);

		if (n <= 0)
			return -1;
		total -= n;
	}
	return 0;
}

/* Run the server's half of the warm-up or of the measured run. */
static int serve_part(int fd, const struct job *job, char *buf, uint32_t count)
{
	if (job->stream)
		return drain(fd, buf, buffer_size(job),
			     (uint64_t)count * job->size) ||
		       put(fd, buf, 1);
	while (count--) {
		if (get(fd, buf, job->size) || put(fd, buf, job->size))
			return -1;
	}
	return 0;
}

/* Run the client's half of it. */
static int ask_part(int fd, const struct job *job, char *buf, uint32_t count)
{
	if (!job->stream) {
		while (count--) {
			if (put(fd, buf, job->size) || get(fd, buf, job->size))
				return -1;
		}
		return 0;
	}
	while (count--) {
		if (put(fd, buf, job->size))
			return -1;
	}
	return get(fd, buf, 1);
}

static void serve_run(int fd)
{
	struct job job;
	char *buf, end;

	if (get(fd, &job, sizeof(job)))
		return;
	buf = calloc(1, buffer_size(&job));
	if (buf && !serve_part(fd, &job, buf, job.warm) &&
	    !serve_part(fd, &job, buf, job.count))
		get(fd, &end, 1);
	free(buf);
}

static void keep(int fd)
{
	pthread_mutex_lock(&held_lock);
	if (n_held < HOLD_MAX)
		held[n_held++] = fd;
	else
		close(fd);
	pthread_mutex_unlock(&held_lock);
}

static void drop(void)
{
	pthread_mutex_lock(&held_lock);
	while (n_held)
		close(held[--n_held]);
	pthread_mutex_unlock(&held_lock);
}

static void *trips_thread(void *arg)
{
	int fd = (intptr_t)arg;
	char buf[TRIP_SIZE];

	while (!get(fd, buf, sizeof(buf)) && !put(fd, buf, sizeof(buf)))
		;
	close(fd);
	return NULL;
}

static void *sink_thread(void *arg)
{
	char *buf = malloc(BULK_SIZE);
	int fd = (intptr_t)arg;

	while (buf && recv(fd, buf, BULK_SIZE, 0) > 0)
		;
	free(buf);
	close(fd);
	return NULL;
}

/* Serve a connection beside those that the server's threads serve by turns. */
static void serve_beside(int fd, void *(*serve)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd))
		die("pthread_create");
	pthread_detach(thread);
}

static void serve_conn(int fd)
{
	char say = 0, end;

	if (get(fd, &say, 1))
		goto out;
	if (say == SAY_HOLD) {
		keep(fd);
		put(fd, &say, 1);
		return;
	}
	if (say == SAY_TRIPS || say == SAY_SINK) {
		serve_beside(fd, say == SAY_TRIPS ? trips_thread : sink_thread);
		return;
	}
	if (say == SAY_DROP)
		drop();
	if (say == SAY_RUN)
		serve_run(fd);
	else if (!put(fd, &say, 1))
		get(fd, &end, 1);
out:
	close(fd);
}

static void *server_thread(void *arg)
{
	int listener = *(int *)arg;

	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd >= 0)
			serve_conn(fd);
		else if (errno != EINTR && errno != ECONNABORTED)
			die("accept");
	}
	return NULL;
}

static int server(void)
{
	int fd = open_socket();
	pthread_t thread;
	int i;

	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("bind");
	if (listen(fd, 128))
		die("listen");
	printf("serving\n");
	fflush(stdout);
	for (i = 1; i < THREADS; i++) {
		if (pthread_create(&thread, NULL, server_thread, &fd))
			die("pthread_create");
	}
	server_thread(&fd);
	return 0;
}

static int open_conn(void)
{
	int fd = open_socket();

	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("connect");
	return fd;
}

static int say_conn(char say)
{
	int fd = open_conn();

	if (put(fd, &say, 1) || get(fd, &say, 1))
		die("first byte");
	return fd;
}

struct clock {
	uint64_t ns, tsc;
};

static struct clock now(void)
{
	struct clock clock;
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	clock.ns = ts.tv_sec * 1000000000ull + ts.tv_nsec;
	clock.tsc = __rdtsc();
	return clock;
}

static void report(struct clock begin)
{
	struct clock end = now();

	printf("ns %llu\ntsc %llu\n", (unsigned long long)(end.ns - begin.ns),
	       (unsigned long long)(end.tsc - begin.tsc));
}

static int client_run(const struct job *job)
{
	char *buf = calloc(1, job->size), say = SAY_RUN;
	int fd = open_conn();
	struct clock begin;

	if (!buf || put(fd, &say, 1) || put(fd, job, sizeof(*job)))
		die("job");
	if (ask_part(fd, job, buf, job->warm))
		die("warm-up");
	begin = now();
	if (ask_part(fd, job, buf, job->count))
		die("run");
	report(begin);
	close(fd);
	free(buf);
	return 0;
}

/* Round trips of one or of many connections. Each takes the next number and
 * stores its time there, so that all are busy until the last one.
 */
struct trips {
	uint32_t count;
	atomic_uint next;
	uint32_t *us;
};

static int open_trips(void)
{
	char say = SAY_TRIPS;
	int fd = open_conn();

	if (put(fd, &say, 1))
		die("first byte");
	return fd;
}

static void trips_run(struct trips *trips, int fd)
{
	char buf[TRIP_SIZE] = { 0 };
	uint32_t i;

	while ((i = atomic_fetch_add(&trips->next, 1)) < trips->count) {
		struct clock begin = now();

		if (put(fd, buf, sizeof(buf)) || get(fd, buf, sizeof(buf)))
			die("round trip");
		trips->us[i] = (now().ns - begin.ns) / 1000;
	}
}

static void trips_begin(struct trips *trips, uint32_t count)
{
	trips->count = count;
	atomic_init(&trips->next, 0);
	trips->us = calloc(count ?: 1, sizeof(*trips->us));
	if (!trips->us)
		die("calloc");
}

static int us_order(const void *a, const void *b)
{
	uint32_t us = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return us < other ? -1 : us > other;
}

static void trips_report(struct trips *trips)
{
	uint32_t n = trips->count;

	qsort(trips->us, n, sizeof(*trips->us), us_order);
	printf("p50 %u\np99 %u\np999 %u\n", trips->us[n / 2],
	       trips->us[n - 1 - n / 100], trips->us[n - 1 - n / 1000]);
}

/* One of the streams beside round trips. @open is set when its first bytes were
 * accepted.
 */
struct bulk {
	atomic_bool *stop;
	atomic_bool open;
	atomic_ullong bytes;
	pthread_t thread;
};

static void *bulk_thread(void *arg)
{
	char *buf = calloc(1, BULK_SIZE), say = SAY_SINK;
	struct bulk *bulk = arg;
	int fd = open_conn();

	if (!buf || put(fd, &say, 1))
		die("first byte");
	while (!atomic_load(bulk->stop)) {
		if (put(fd, buf, BULK_SIZE))
			die("stream");
		atomic_fetch_add(&bulk->bytes, BULK_SIZE);
		atomic_store(&bulk->open, true);
	}
	/* The next run begins when this one's bytes have arrived */
	shutdown(fd, SHUT_WR);
	if (recv(fd, buf, 1, 0))
		die("end of the stream");
	close(fd);
	free(buf);
	return NULL;
}

static uint64_t bulk_bytes(struct bulk *bulk, uint32_t n)
{
	uint64_t sum = 0;

	while (n--)
		sum += atomic_load(&bulk[n].bytes);
	return sum;
}

static int client_beside(uint32_t streams, uint32_t warm, uint32_t count)
{
	static struct bulk bulk[THREADS];
	struct trips warmup, trips;
	atomic_bool stop = false;
	struct clock begin;
	uint64_t bytes;
	uint32_t i;
	int fd;

	if (streams > THREADS || !count)
		return 2;
	fd = open_trips();
	for (i = 0; i < streams; i++) {
		bulk[i].stop = &stop;
		if (pthread_create(&bulk[i].thread, NULL, bulk_thread,
				   &bulk[i]))
			die("pthread_create");
		while (!atomic_load(&bulk[i].open))
			usleep(1000);
	}
	trips_begin(&warmup, warm);
	trips_begin(&trips, count);
	trips_run(&warmup, fd);
	begin = now();
	bytes = bulk_bytes(bulk, streams);
	trips_run(&trips, fd);
	bytes = bulk_bytes(bulk, streams) - bytes;
	report(begin);
	trips_report(&trips);
	printf("bytes %llu\n", (unsigned long long)bytes);
	atomic_store(&stop, true);
	for (i = 0; i < streams; i++)
		pthread_join(bulk[i].thread, NULL);
	close(fd);
	return 0;
}

struct member {
	struct trips *trips;
	pthread_t thread;
	int fd;
};

static void *member_thread(void *arg)
{
	struct member *member = arg;

	trips_run(member->trips, member->fd);
	return NULL;
}

static void crowd_run(struct member *member, uint32_t n, struct trips *trips)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		member[i].trips = trips;
		if (pthread_create(&member[i].thread, NULL, member_thread,
				   &member[i]))
			die("pthread_create");
	}
	for (i = 0; i < n; i++)
		pthread_join(member[i].thread, NULL);
}

static int client_crowd(uint32_t n, uint32_t warm, uint32_t count)
{
	static struct member member[CROWD_MAX];
	struct trips warmup, trips;
	struct clock begin;
	uint32_t i;

	if (!n || n > CROWD_MAX || !count)
		return 2;
	for (i = 0; i < n; i++)
		member[i].fd = open_trips();
	trips_begin(&warmup, warm);
	trips_begin(&trips, count);
	crowd_run(member, n, &warmup);
	begin = now();
	crowd_run(member, n, &trips);
	report(begin);
	trips_report(&trips);
	for (i = 0; i < n; i++)
		close(member[i].fd);
	return 0;
}

static void *connect_thread(void *arg)
{
	uint32_t n = *(uint32_t *)arg;

	while (n--)
		close(say_conn(SAY_ECHO));
	return NULL;
}

static void connect_part(uint32_t parallel, uint32_t count)
{
	pthread_t thread[THREADS];
	uint32_t share = count / parallel, i;

	for (i = 0; i < parallel; i++) {
		if (pthread_create(&thread[i], NULL, connect_thread, &share))
			die("pthread_create");
	}
	for (i = 0; i < parallel; i++)
		pthread_join(thread[i], NULL);
}

static int client_connect(uint32_t parallel, uint32_t warm, uint32_t count)
{
	struct clock begin;

	if (!parallel || parallel > THREADS)
		return 2;
	connect_part(parallel, warm);
	begin = now();
	connect_part(parallel, count);
	report(begin);
	return 0;
}

static int client_hold(int count)
{
	char c;

	while (count--)
		held[n_held++] = say_conn(SAY_HOLD);
	printf("held\n");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	close(say_conn(SAY_DROP));
	drop();
	return 0;
}

static int client(int argc, char **argv)
{
	uint32_t arg[3] = { 0 };
	int i;

	for (i = 0; i < argc - 1 && i < 3; i++)
		arg[i] = strtoul(argv[i + 1], NULL, 0);
	if (argc == 4 && (!strcmp(argv[0], "rr") ||
			  !strcmp(argv[0], "stream") ||
			  !strcmp(argv[0], "nagle"))) {
		nodelay = strcmp(argv[0], "nagle") != 0;
		return client_run(&(struct job){
			.stream = strcmp(argv[0], "rr") != 0,
			.size = arg[0],
			.warm = arg[1],
			.count = arg[2],
		});
	}
	if (argc == 4 && !strcmp(argv[0], "beside"))
		return client_beside(arg[0], arg[1], arg[2]);
	if (argc == 4 && !strcmp(argv[0], "crowd"))
		return client_crowd(arg[0], arg[1], arg[2]);
	if (argc == 4 && !strcmp(argv[0], "connect"))
		return client_connect(arg[0], arg[1], arg[2]);
	if (argc == 2 && !strcmp(argv[0], "hold") && arg[0] <= HOLD_MAX)
		return client_hold(arg[0]);
	fprintf(stderr, "load: see the top of load.c\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct rlimit files = { HOLD_MAX + 64, HOLD_MAX + 64 };
	size_t i;

	signal(SIGPIPE, SIG_IGN);
	setrlimit(RLIMIT_NOFILE, &files);
	for (i = 0; argc >= 6 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(argv[2], kinds[i].name))
			kind = &kinds[i];
	}
	if (!kind) {
		fprintf(stderr, "load: see the top of load.c\n");
		return 2;
	}
	addr.sin_family = AF_INET;
	inet_pton(AF_INET, argv[3], &addr.sin_addr);
	addr.sin_port = htons(atoi(argv[4]));
	bufsize = atoi(argv[5]);
	if (!strcmp(argv[1], "server"))
		return server();
	return client(argc - 6, argv + 6);
}
