// SPDX-License-Identifier: GPL-2.0
/*
 * Moves position-coded streams over a chosen kind of socket and checks that exactly
 * the bytes that were sent arrive, and none after them.
 */
#define _GNU_SOURCE
#include "io.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/**
 * struct options - the command line
 * @kind: kind of socket
 * @addr: address of the server
 * @job: job of the connections
 * @mode: word after the port
 * @count: number of connections (many, seq, hold, flood) or of messages (rr)
 * @self: run the server in a child of this process
 * @early: option that forces TCP, or NULL
 * @peer: address of the other host as text, or NULL for the one in @addr
 */
struct options {
	const struct util_kind *kind;
	union util_addr addr;
	struct io_job job;
	const char *mode;
	unsigned int count;
	bool self;
	const char *early;
	const char *peer;
};

static const char usage[] =
"usage: smcr_io KIND HOST PORT MODE [OPTIONS]\n"
"KIND  tcp4 smcr4 inet4 fall4, or with 6\n"
"MODE  serve    serve clients until one of them sends quit\n"
"      stream   --up and --down bytes at once, then end of file\n"
"      half     all bytes up, shutdown(SHUT_WR), then all bytes down\n"
"      sizes    streams of 1 byte to 16 MB, one after the other\n"
"      ways     one stream for each call that sends or receives\n"
"      rr       --count requests of --size bytes, each answered\n"
"      many     --count streams at once in one epoll loop\n"
"      seq      connect, a byte each way, close; --count times\n"
"      hold     open --count connections, print \"held\", wait for end of input\n"
"      flood    send and receive until the connection ends\n"
"      quit     end the server\n"
"OPTIONS\n"
"  -u, --up N  -d, --down N  -w, --wsize N  -r, --rsize N   bytes, k m g\n"
"  -n, --count N  -s, --size N  -D, --delay-us N (server's reader)\n"
"  -S, --send WAY  -R, --recv WAY  -H, --sha  -e, --epoll  -E, --edge\n"
"  -x, --random SEED  -c, --cut (forgive any early end)  -F, --self (no server)\n"
"  -a, --errno (forgive an errno, but not an early end of file)\n"
"  -O, --option fastopen|repair|md5 (before the connection)  -P, --peer HOST\n";

static const struct option long_options[] = {
	{ "up", 1, NULL, 'u' }, { "down", 1, NULL, 'd' },
	{ "wsize", 1, NULL, 'w' }, { "rsize", 1, NULL, 'r' },
	{ "count", 1, NULL, 'n' }, { "size", 1, NULL, 's' },
	{ "delay-us", 1, NULL, 'D' }, { "send", 1, NULL, 'S' },
	{ "recv", 1, NULL, 'R' }, { "sha", 0, NULL, 'H' },
	{ "epoll", 0, NULL, 'e' }, { "edge", 0, NULL, 'E' },
	{ "random", 1, NULL, 'x' }, { "cut", 0, NULL, 'c' },
	{ "self", 0, NULL, 'F' }, { "help", 0, NULL, 'h' },
	{ "option", 1, NULL, 'O' }, { "peer", 1, NULL, 'P' },
	{ "errno", 0, NULL, 'a' }, { 0 },
};

/* Print the error; preserves errno. */
static bool fail(const char *call, unsigned int conn)
{
	int err = errno;

	fprintf(stderr, "conn %u %s: %s\n", conn, call,
		util_errno_name(err));
	errno = err;
	return false;
}

static void close_keeping_errno(int fd)
{
	int err = errno;

	close(fd);
	errno = err;
}

/* Connect and send the job; returns the socket or -1 with errno set. */
static int open_conn(const struct options *opt, const struct io_job *job)
{
	int fd = util_socket(opt->kind, 0);

	if (fd < 0) {
		fail("socket", job->conn);
		return -1;
	}
	if (connect(fd, &opt->addr.sa, util_addr_len(&opt->addr))) {
		fail("connect", job->conn);
		close_keeping_errno(fd);
		return -1;
	}
	if (io_full_write(fd, job, sizeof(*job))) {
		fail("job", job->conn);
		close_keeping_errno(fd);
		return -1;
	}
	return fd;
}

static bool run_job(const struct options *opt, const struct io_job *job)
{
	int fd = open_conn(opt, job);
	bool ok;

	if (fd < 0)
		return io_err_forgiven(job->flags, errno);
	ok = io_run(fd, job, false);
	if (close(fd))
		return fail("close", job->conn);
	return ok;
}

static bool mode_job(const struct options *opt)
{
	return run_job(opt, &opt->job);
}

static bool mode_sizes(const struct options *opt)
{
	static const __u32 sizes[] = {
		1, 2, 3, 7, 8, 9, 63, 64, 65, 1023, 4095, 4096, 4097, 16384,
		65532, 65535, 65536, 65537, 131068, 131072, 131073, 262145,
		1 << 20, (1 << 20) + 1, 4 << 20, 16 << 20,
	};
	struct io_job job = opt->job;
	bool ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		job.up = sizes[i];
		job.down = sizes[i];
		job.conn = i;
		ok = run_job(opt, &job) && ok;
	}
	return ok;
}

static bool mode_ways(const struct options *opt)
{
	struct io_job job = opt->job;
	bool ok = true;
	bool one;
	int way;

	for (way = 0; way < IO_SEND_COUNT + IO_RECV_COUNT; way++) {
		job.conn = way;
		job.send_via = way < IO_SEND_COUNT ? way : IO_SEND_WRITE;
		job.recv_via = way < IO_SEND_COUNT ? IO_RECV_READ :
						     way - IO_SEND_COUNT;
		one = run_job(opt, &job);
		if (!one)
			fprintf(stderr, "way %u/%u failed\n", job.send_via,
				job.recv_via);
		ok = one && ok;
	}
	return ok;
}

static int compare_u64(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a;
	__u64 y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

static bool mode_seq(const struct options *opt)
{
	__u64 *times = util_alloc(opt->count * sizeof(*times));
	struct io_job job = opt->job;
	unsigned int i;
	bool ok = true;

	job.mode = IO_BYTE;
	for (i = 0; i < opt->count && ok; i++) {
		__u64 begin = util_now_ns();

		job.conn = i;
		ok = run_job(opt, &job);
		times[i] = util_now_ns() - begin;
	}
	qsort(times, i, sizeof(*times), compare_u64);
	printf("# %u connections, median %llu us\n", i,
	       times[i / 2] / 1000);
	free(times);
	return ok;
}

static bool mode_rr(const struct options *opt)
{
	__u64 begin = util_now_ns();
	bool ok = run_job(opt, &opt->job);

	printf("# %llu messages of %llu bytes, mean %llu us\n",
	       opt->job.down,
	       opt->job.up,
	       ((util_now_ns() - begin) /
				    (opt->job.down * 1000 + 1)));
	return ok;
}

static bool mode_many(const struct options *opt)
{
	return io_many(&opt->addr, opt->kind, &opt->job, opt->count);
}

/* Prints "held" when all connections are open, for the script to wait for. */
static bool mode_hold(const struct options *opt)
{
	int *fds = util_alloc(opt->count * sizeof(*fds));
	struct io_job job = opt->job;
	bool ok = true;
	unsigned int i;
	char byte;

	job.mode = IO_BYTE;
	for (i = 0; i < opt->count; i++) {
		job.conn = i;
		fds[i] = open_conn(opt, &job);
		ok = ok && fds[i] >= 0;
	}
	puts(ok ? "held" : "not held");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	for (i = 0; i < opt->count; i++) {
		if (fds[i] < 0)
			continue;
		job.conn = i;
		ok = io_run(fds[i], &job, false) && ok;
		close(fds[i]);
	}
	free(fds);
	return ok;
}

static bool mode_serve(const struct options *opt)
{
	int lfd = io_listen(opt->kind, &opt->addr, 1024);
	int bad;

	puts("serving");
	fflush(stdout);
	bad = io_serve(lfd, opt->job.flags);
	printf("# %d connections failed\n", bad);
	return !bad;
}

static const struct {
	const char *name;
	bool (*run)(const struct options *opt);
	enum io_mode mode;
} modes[] = {
	{ "serve", mode_serve, IO_STREAM },
	{ "stream", mode_job, IO_STREAM },
	{ "half", mode_job, IO_HALF },
	{ "sizes", mode_sizes, IO_STREAM },
	{ "ways", mode_ways, IO_STREAM },
	{ "rr", mode_rr, IO_RR },
	{ "many", mode_many, IO_STREAM },
	{ "seq", mode_seq, IO_BYTE },
	{ "hold", mode_hold, IO_BYTE },
	{ "flood", mode_many, IO_STREAM },
	{ "quit", mode_job, IO_QUIT },
};

static void parse_option(struct options *opt, int c)
{
	switch (c) {
	case 'u':
		opt->job.up = util_size_parse(optarg);
		break;
	case 'd':
		opt->job.down = util_size_parse(optarg);
		break;
	case 'w':
		opt->job.wsize = util_size_parse(optarg);
		break;
	case 'r':
		opt->job.rsize = util_size_parse(optarg);
		break;
	case 'n':
		opt->count = util_size_parse(optarg);
		break;
	case 's':
		opt->job.up = util_size_parse(optarg);
		break;
	case 'D':
		opt->job.delay_us = util_size_parse(optarg);
		break;
	case 'S':
		opt->job.send_via = io_send_via_find(optarg);
		break;
	case 'R':
		opt->job.recv_via = io_recv_via_find(optarg);
		break;
	case 'H':
		opt->job.flags |= IO_F_SHA;
		break;
	case 'e':
		opt->job.flags |= IO_F_EPOLL;
		break;
	case 'E':
		opt->job.flags |= IO_F_EPOLL | IO_F_EDGE;
		break;
	case 'x':
		opt->job.seed = util_size_parse(optarg);
		opt->job.flags |= IO_F_RANDOM;
		printf("# seed %llu\n", opt->job.seed);
		break;
	case 'c':
		opt->job.flags |= IO_F_CUT;
		break;
	case 'a':
		opt->job.flags |= IO_F_ERRNO;
		break;
	case 'O':
		opt->early = optarg;
		break;
	case 'P':
		opt->peer = optarg;
		break;
	case 'F':
		opt->self = true;
		break;
	case 'h':
		fputs(usage, stdout);
		exit(0);
	default:
		fputs(usage, stderr);
		exit(2);
	}
}

static void use_early(const struct options *opt)
{
	union util_addr peer = opt->addr;

	if (opt->peer)
		util_addr_parse(&peer, opt->kind->family, opt->peer, 0);
	if (opt->early)
		io_early_use(opt->early, &peer);
}

static void parse(struct options *opt, int argc, char **argv)
{
	int c;

	memset(opt, 0, sizeof(*opt));
	opt->job.magic = IO_MAGIC;
	opt->job.up = 1 << 20;
	opt->job.down = 1 << 20;
	opt->job.wsize = 65536;
	opt->job.rsize = 65536;
	opt->count = 1;
	while ((c = getopt_long(argc, argv, "u:d:w:r:n:s:D:S:R:HeEx:caO:P:Fh",
				long_options, NULL)) != -1)
		parse_option(opt, c);
	if (argc - optind != 4) {
		fputs(usage, stderr);
		exit(2);
	}
	opt->kind = util_kind_find(argv[optind]);
	util_addr_parse(&opt->addr, opt->kind->family, argv[optind + 1],
			strtoul(argv[optind + 2], NULL, 10));
	opt->mode = argv[optind + 3];
	use_early(opt);
	if (!strcmp(opt->mode, "rr"))
		opt->job.down = opt->count;
	if (!strcmp(opt->mode, "flood")) {
		opt->job.up = 1ULL << 44;
		opt->job.down = 1ULL << 44;
		opt->job.flags |= IO_F_EPOLL;
		if (!(opt->job.flags & IO_F_ERRNO))
			opt->job.flags |= IO_F_CUT;
	}
}

/* The child inherits a listening socket, so the client need not wait for it. */
static pid_t start_self(struct options *opt)
{
	int lfd = io_listen(opt->kind, &opt->addr, 1024);
	socklen_t len = sizeof(opt->addr);
	pid_t pid;

	if (getsockname(lfd, &opt->addr.sa, &len))
		util_die("getsockname: %s", strerror(errno));
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		util_die("fork: %s", strerror(errno));
	if (!pid)
		exit(util_status(!io_serve(lfd, opt->job.flags)));
	close(lfd);
	return pid;
}

static bool stop_self(struct options *opt, pid_t pid)
{
	int status;

	opt->job.mode = IO_QUIT;
	if (!run_job(opt, &opt->job))
		return false;
	if (waitpid(pid, &status, 0) != pid)
		return false;
	if (WIFEXITED(status) && WEXITSTATUS(status) == UTIL_WRONG_BYTES)
		util_wrong_bytes();
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	struct options opt;
	pid_t pid = 0;
	bool ok = false;
	size_t i;

	signal(SIGPIPE, SIG_IGN);
	parse(&opt, argc, argv);
	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(modes[i].name, opt.mode))
			break;
	if (i == ARRAY_SIZE(modes))
		util_die("mode %s is unknown, try --help", opt.mode);
	opt.job.mode = modes[i].mode;
	if (opt.self)
		pid = start_self(&opt);
	ok = modes[i].run(&opt);
	if (opt.self)
		ok = stop_self(&opt, pid) && ok;
	return util_status(ok);
}
