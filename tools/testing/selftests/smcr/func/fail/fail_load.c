// SPDX-License-Identifier: GPL-2.0
/*
 * Connections in many states at once, under a paced load, for tests of links that
 * fail. The reader of each direction judges it:
 *
 *   exact	every byte came in its place, and then an end of file that the
 *		writer had announced by its last word
 *   errno	every byte that came was in its place, and then an errno
 *   broken	anything else: a wrong byte, an early end of file, or an errno
 *		although the peer's end had come before
 */
#define _GNU_SOURCE
#include "fail.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define ERRNO_MAX	256

struct fail_conn fail_conns[FAIL_CONNS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static unsigned int num_conns = FAIL_SHAPES;
static unsigned int left;		/* under lock: connections not ended */
static unsigned int errnos[ERRNO_MAX];	/* under lock: by errno */
static atomic_bool going;
static atomic_bool stopping;
static enum fail_lie lie_how;
static unsigned int hang_s = 60;
static __u32 shapes = (1 << FAIL_SHAPES) - 1;
static const char *second_address;

static struct {
	unsigned int exact;
	unsigned int errno_ended;
	unsigned int broken;
	unsigned int unwritten;
} results[FAIL_SHAPES];			/* under lock */

static const char *const lie_names[] = {
	"not", "flip", "skip", "twice", "other", "early", "more", "reset",
	"hang",
};

/**
 * fail_going() - has "go" or "stop" come?
 *
 * Return: true if readers that wait may read, and idle connections speak
 */
bool fail_going(void)
{
	return going;
}

/**
 * fail_stopping() - has "stop" come?
 *
 * Return: true if writers have to end in order
 */
bool fail_stopping(void)
{
	return stopping;
}

/**
 * fail_lie_of() - get the mistake that a writer has to make
 * @conn: its connection
 *
 * Return: the mistake, often FAIL_LIE_NOT
 */
enum fail_lie fail_lie_of(const struct fail_conn *conn)
{
	return conn->hello.index || conn->server ? FAIL_LIE_NOT : lie_how;
}

static void complain(const struct fail_conn *conn, const char *what)
{
	util_wrong_bytes();
	fprintf(stderr, "conn %u (%s) %s: %s; %llu bytes came, end %d eof %d",
		conn->hello.conn, fail_shape_names[conn->hello.shape],
		conn->rx.down ? "down" : "up", what, conn->rx.off,
		conn->rx.end, conn->eof);
	fprintf(stderr, " errno %s, writer's %s\n",
		util_errno_name(conn->rx_err), util_errno_name(conn->tx_err));
}

/* Returns an errno, 0 for a direction that is exact, or -1 for a broken one. A
 * socket reports an error only once: if the writer took it, the reader of the
 * same socket sees an end of file. EPIPE, though, says that the writer itself
 * came after the error.
 */
static int judge(const struct fail_conn *conn)
{
	int err = conn->rx_err;

	if (conn->bad) {
		complain(conn, "wrong byte");
		return -1;
	}
	if (conn->eof && conn->rx.end)
		return 0;
	if (conn->final) {
		complain(conn, "final bytes lost");
		return -1;
	}
	if (!err && conn->tx_err != EPIPE)
		err = conn->tx_err;
	if (!err) {
		complain(conn, "early end of file");
		return -1;
	}
	return err;
}

/* Count the results of a connection. The caller holds the lock. */
static void count(const struct fail_conn *conn)
{
	__u32 shape = conn->hello.shape;
	int err = 0;

	if (fail_conn_reads(conn)) {
		err = judge(conn);
		if (err < 0)
			results[shape].broken++;
		else if (err)
			results[shape].errno_ended++;
		else
			results[shape].exact++;
	}
	if (fail_conn_writes(conn) && !conn->tx.end) {
		results[shape].unwritten++;
		if (err <= 0)
			err = conn->tx_err;
	}
	if (err > 0)
		errnos[err % ERRNO_MAX]++;
}

/**
 * fail_ended() - event: the last thread of a connection has ended
 * @conn: the connection
 */
void fail_ended(struct fail_conn *conn)
{
	if (conn->fd >= 0)
		close(conn->fd);
	pthread_mutex_lock(&lock);
	count(conn);
	left--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void wake_all(void)
{
	unsigned int i;

	for (i = 0; i < num_conns; i++) {
		pthread_mutex_lock(&fail_conns[i].lock);
		pthread_cond_broadcast(&fail_conns[i].wake);
		pthread_mutex_unlock(&fail_conns[i].lock);
	}
	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static bool command_ready(char *reply, size_t len)
{
	unsigned int i, n = 0;

	for (i = 0; i < num_conns; i++) {
		struct fail_conn *conn = &fail_conns[i];

		pthread_mutex_lock(&conn->lock);
		if ((conn->tx_ready || !fail_conn_writes(conn)) &&
		    (conn->rx_ready || !fail_conn_reads(conn)))
			n++;
		else if (!*reply)
			snprintf(reply, len, "conn %u (%s): tx %d rx %d",
				 conn->hello.conn,
				 fail_shape_names[conn->hello.shape],
				 conn->tx_ready, conn->rx_ready);
		pthread_mutex_unlock(&conn->lock);
	}
	return n == num_conns;
}

/* Start to watch for new bytes and, with MARK, to measure gaps. */
static void watch(bool mark)
{
	unsigned int i;

	for (i = 0; i < num_conns; i++) {
		struct fail_conn *conn = &fail_conns[i];

		pthread_mutex_lock(&conn->lock);
		conn->came = false;
		if (mark)
			conn->gap_ns = 0;
		pthread_mutex_unlock(&conn->lock);
	}
}

static bool command_flows(char *reply, size_t len)
{
	unsigned int i, n = 0;

	for (i = 0; i < num_conns; i++) {
		struct fail_conn *conn = &fail_conns[i];

		pthread_mutex_lock(&conn->lock);
		if (fail_conn_flows(conn) && !conn->came && !n++)
			snprintf(reply, len, "conn %u (%s) is silent",
				 conn->hello.conn,
				 fail_shape_names[conn->hello.shape]);
		pthread_mutex_unlock(&conn->lock);
	}
	return !n;
}

static int by_number(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* A gap that is not over counts up to now. */
static bool command_gaps(char *reply, size_t len)
{
	unsigned int ms[FAIL_CONNS];
	unsigned int i, n = 0, stalled;

	for (i = 0; i < num_conns; i++) {
		struct fail_conn *conn = &fail_conns[i];
		__u64 gap;

		pthread_mutex_lock(&conn->lock);
		gap = util_now_ns() - conn->last_ns;
		if (gap < conn->gap_ns)
			gap = conn->gap_ns;
		if (fail_conn_flows(conn))
			ms[n++] = gap / 1000000;
		pthread_mutex_unlock(&conn->lock);
	}
	if (!n) {
		snprintf(reply, len, "no stream");
		return false;
	}
	qsort(ms, n, sizeof(ms[0]), by_number);
	snprintf(reply, len, "%u streams: longest gap median %u worst %u ms",
		 n, ms[n / 2], ms[n - 1]);
	for (stalled = 0; stalled < n; stalled++)
		if (ms[n - 1 - stalled] < 8 * fail_conns[0].hello.pace_ms)
			break;
	if (stalled)
		snprintf(reply + strlen(reply), len - strlen(reply),
			 "; %u stalled: median %u ms", stalled,
			 ms[n - 1 - stalled / 2]);
	return true;
}

/**
 * fail_command() - execute a command
 * @name: its name
 * @reply: result, an empty string before
 * @len: size of @reply
 *
 * Return: true if the answer is yes
 */
bool fail_command(const char *name, char *reply, size_t len)
{
	if (!strcmp(name, "ready"))
		return command_ready(reply, len);
	if (!strcmp(name, "flows"))
		return command_flows(reply, len);
	if (!strcmp(name, "gaps"))
		return command_gaps(reply, len);
	if (!strcmp(name, "mark") || !strcmp(name, "watch")) {
		watch(*name == 'm');
		return true;
	}
	if (!strcmp(name, "go") || !strcmp(name, "stop")) {
		going = true;
		stopping = stopping || *name == 's';
		wake_all();
		return true;
	}
	snprintf(reply, len, "command %s is unknown", name);
	return false;
}

static void start_thread(void *(*run)(void *arg), struct fail_conn *conn)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 1 << 18);
	err = pthread_create(&thread, &attr, run, conn);
	if (err)
		util_die("thread: %s", strerror(err));
}

static void start_conn(struct fail_conn *conn)
{
	bool writes = fail_conn_writes(conn);
	bool reads = fail_conn_reads(conn);

	conn->running = writes + reads;
	if (writes)
		start_thread(fail_writer, conn);
	if (reads)
		start_thread(fail_reader, conn);
}

static void full_read(int fd, void *buf, size_t len)
{
	ssize_t n = recv(fd, buf, len, MSG_WAITALL);

	if (n != (ssize_t)len)
		util_die("hello: %s", n < 0 ? strerror(errno) : "end of file");
}

static int accept_all(const struct util_kind *kind, const union util_addr *addr)
{
	int lfd = util_socket(kind, SOCK_CLOEXEC);
	struct fail_hello hello;
	unsigned int i;
	int one = 1;
	int fd;

	if (lfd < 0)
		util_die("socket: %s", strerror(errno));
	setsockopt(lfd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(lfd, &addr->sa, util_addr_len(addr)) || listen(lfd, 64))
		util_die("listen: %s", strerror(errno));
	puts("serving");
	fflush(stdout);
	for (i = 0; i < num_conns; i++) {
		fd = accept4(lfd, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			util_die("accept: %s", strerror(errno));
		full_read(fd, &hello, sizeof(hello));
		if (hello.magic != FAIL_MAGIC || hello.shape >= FAIL_SHAPES)
			util_die("hello is invalid");
		fail_conns[i].hello = hello;
		fail_conn_init(&fail_conns[i], fd, true);
	}
	return lfd;
}

/**
 * struct target - where to connect to
 * @kind: kind of socket
 * @addr: address of the server
 */
struct target {
	const struct util_kind *kind;
	union util_addr addr;
};

static int connect_one(const struct target *to)
{
	int fd = util_socket(to->kind, SOCK_CLOEXEC);

	if (fd < 0 || connect(fd, &to->addr.sa, util_addr_len(&to->addr)))
		util_die("connect: %s", strerror(errno));
	return fd;
}

static void connect_all(const struct target *to, const struct fail_hello *like)
{
	struct fail_hello hello = *like;
	unsigned int turn = 0;
	unsigned int i;
	int fd;

	for (i = 0; i < num_conns; i++, turn++) {
		while (!(shapes & 1 << turn % FAIL_SHAPES))
			turn++;
		hello.index = i;
		hello.conn = (like->conn + i) & 0xFFFF;
		hello.shape = turn % FAIL_SHAPES;
		hello.client_leads = (turn / FAIL_SHAPES + like->seed) & 1;
		if (lie_how)
			hello.client_leads = 1;
		fd = connect_one(&to[second_address && i & 1]);
		if (send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) !=
		    sizeof(hello))
			util_die("hello: %s", strerror(errno));
		fail_conns[i].hello = hello;
		fail_conn_init(&fail_conns[i], fd, false);
	}
}

static void show_conn(const struct fail_conn *conn)
{
	fprintf(stderr, "conn %u (%s, %s) hangs: sent %llu end %d errno %s;",
		conn->hello.conn, fail_shape_names[conn->hello.shape],
		conn->leads ? "leader" : "follower", conn->tx.off,
		conn->tx.end, util_errno_name(conn->tx_err));
	fprintf(stderr, " received %llu end %d over %d\n", conn->rx.off,
		conn->rx.end, conn->over);
}

static void show_hung(void)
{
	unsigned int i;

	for (i = 0; i < num_conns; i++) {
		struct fail_conn *conn = &fail_conns[i];

		pthread_mutex_lock(&conn->lock);
		if (conn->running)
			show_conn(conn);
		pthread_mutex_unlock(&conn->lock);
	}
}

/* Wait for the end of all connections; returns the number of those that have
 * not ended a while after "stop".
 */
static unsigned int await_all(void)
{
	struct timespec until = { 0 };
	unsigned int hung;
	int err = 0;

	pthread_mutex_lock(&lock);
	while (left && !err) {
		if (!stopping) {
			pthread_cond_wait(&changed, &lock);
			continue;
		}
		if (!until.tv_sec) {
			clock_gettime(CLOCK_MONOTONIC, &until);
			until.tv_sec += hang_s;
		}
		err = pthread_cond_timedwait(&changed, &lock, &until);
	}
	hung = left;
	pthread_mutex_unlock(&lock);
	if (hung)
		show_hung();
	return hung;
}

static int report(unsigned int hung)
{
	unsigned int exact = 0, ended = 0, broken = 0, unwritten = 0;
	int i;

	for (i = 0; i < FAIL_SHAPES; i++) {
		exact += results[i].exact;
		ended += results[i].errno_ended;
		broken += results[i].broken;
		unwritten += results[i].unwritten;
		if (results[i].errno_ended + results[i].broken +
		    results[i].unwritten)
			printf("%s exact %u errno %u broken %u unwritten %u\n",
			       fail_shape_names[i], results[i].exact,
			       results[i].errno_ended, results[i].broken,
			       results[i].unwritten);
	}
	for (i = 0; i < ERRNO_MAX; i++)
		if (errnos[i])
			printf("%s %u\n", util_errno_name(i), errnos[i]);
	printf("total exact %u errno %u broken %u unwritten %u hung %u\n",
	       exact, ended, broken, unwritten, hung);
	return util_status(!broken && !hung);
}

static __u32 shapes_parse(char *list)
{
	__u32 set = 0;
	char *name;
	int i;

	for (name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		for (i = 0; i < FAIL_SHAPES; i++)
			if (!strcmp(name, fail_shape_names[i]))
				break;
		if (i == FAIL_SHAPES)
			util_die("shape %s is unknown", name);
		set |= 1 << i;
	}
	if (!set)
		util_die("no shape");
	return set;
}

static enum fail_lie lie_parse(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lie_names); i++)
		if (!strcmp(name, lie_names[i]))
			return i;
	util_die("mistake %s is unknown", name);
}

static void usage(void)
{
	fputs("Usage: fail_load [OPTIONS] KIND ADDRESS PORT PATH serve|load\n"
	      "       fail_load PATH tell COMMAND\n"
	      "Move position-coded streams in many states until told to stop; PATH is a\n"
	      "Unix socket for commands. The server prints \"serving\" when it listens, the\n"
	      "client when all connections are open; both print their results at the end.\n"
	      "  -n N      connections, the same at both ends\n"
	      "  -s SEED   seed of sizes and pauses, and of who leads\n"
	      "  -S LIST   shapes, in turn: stream half closing window sendfile rr idle\n"
	      "            ended gone\n"
	      "  -p MS     mean pause between two sends of a writer (20)\n"
	      "  -w BYTES  largest send (2000)\n"
	      "  -a ADDR   every second connection of the client goes to this IPv6\n"
	      "            address; KIND is smcr4 or another kind that ends in 4\n"
	      "  -t S      time limit from \"stop\" to the last end (60)\n"
	      "  -X HOW    the client's writer of the first connection errs: flip skip\n"
	      "            twice other early more reset hang\n"
	      "Commands: ready (are all connections in the state of their shape?), go (read\n"
	      "and speak where that was held back), stop (end in order), mark (measure gaps\n"
	      "from now on), gaps, watch, flows (has each stream moved since \"watch\"?)\n",
	      stderr);
	exit(2);
}

static void allow_files(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

/* Fill in the targets of the client: the first one, and that of IPv6 if there
 * is one.
 */
static void targets_parse(struct target *to, const char *name,
			  const char *address, unsigned int port)
{
	char six[16];

	to[0].kind = util_kind_find(name);
	util_addr_parse(&to[0].addr, to[0].kind->family, address, port);
	if (!second_address)
		return;
	snprintf(six, sizeof(six), "%.*s6", (int)strlen(name) - 1, name);
	to[1].kind = util_kind_find(six);
	if (!to[1].kind)
		util_die("unknown kind of socket %s", six);
	util_addr_parse(&to[1].addr, to[1].kind->family, second_address, port);
}

static void init_conns(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attr);
	left = num_conns;
}

int main(int argc, char **argv)
{
	struct fail_hello hello = {
		.magic = FAIL_MAGIC, .pace_ms = 20, .size = 2000,
	};
	struct target to[2];
	unsigned int i;
	int lfd = -1;
	int c;

	while ((c = getopt(argc, argv, "n:s:S:p:w:t:a:X:")) != -1) {
		switch (c) {
		case 'n':
			num_conns = util_size_parse(optarg);
			break;
		case 's':
			hello.seed = util_size_parse(optarg);
			break;
		case 'S':
			shapes = shapes_parse(optarg);
			break;
		case 'p':
			hello.pace_ms = util_size_parse(optarg);
			break;
		case 'w':
			hello.size = util_size_parse(optarg);
			break;
		case 't':
			hang_s = util_size_parse(optarg);
			break;
		case 'a':
			second_address = optarg;
			break;
		case 'X':
			lie_how = lie_parse(optarg);
			break;
		default:
			usage();
		}
	}
	argv += optind;
	if (argc - optind == 3 && !strcmp(argv[1], "tell"))
		return fail_tell(argv[0], argv[2]);
	if (argc - optind != 5 || !num_conns || num_conns > FAIL_CONNS ||
	    !hello.size || hello.size > FAIL_BUF)
		usage();
	/* sendfile() has no MSG_NOSIGNAL. */
	signal(SIGPIPE, SIG_IGN);
	allow_files();
	init_conns();
	targets_parse(to, argv[0], argv[1], atoi(argv[2]));
	hello.conn = hello.seed * FAIL_CONNS;
	if (!strcmp(argv[4], "serve"))
		lfd = accept_all(to[0].kind, &to[0].addr);
	else
		connect_all(to, &hello);
	fail_listen(argv[3]);
	for (i = 0; i < num_conns; i++)
		start_conn(&fail_conns[i]);
	if (lfd < 0) {
		puts("serving");
		fflush(stdout);
	} else {
		close(lfd);
	}
	c = report(await_all());
	fail_unlisten(argv[3]);
	return c;
}
