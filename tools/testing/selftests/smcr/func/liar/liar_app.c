// SPDX-License-Identifier: GPL-2.0
/*
 * Two programs that a script drives, to see what false messages of one host do to
 * the programs of the other. One end, "serve", is the server; the other, "lead",
 * reads commands from its standard input and answers each with one line. "C" before
 * a command executes it at the leading end, "S" at the server, over plain TCP.
 *
 *   connect NAME [ADDRESS]	open a connection, from this address; "ok" or an
 *				errno
 *   accept NAME		accept a connection; "ok" or an errno
 *   send NAME TEXT		"ok" or an errno
 *   recv NAME LEN		the bytes received; if fewer than LEN, followed by
 *				"EOF" or an errno
 *   stall NAME			start a child that receives into a page which
 *				faults until "lie go" (../mod/liar_main.c)
 *   stalled NAME		what the child received, or an errno
 *   close NAME, reset NAME	close, or close with a reset; "ok" or an errno
 *   stat COUNTER		value of the counter
 *   await COUNTER VALUE	wait for at least VALUE; value of the counter
 *   lie WORDS			write a command to /proc/liar; "ok" or an errno
 *   look NAME			a value from /proc/liar
 *   sh COMMAND			run a shell command; its status from system()
 *   quit			end the leading end
 *
 * usage: liar_app KIND ADDRESS PORT SECONDS serve|lead
 *
 * An errno is answered by its name. SECONDS limits each wait. The control
 * connection uses PORT + 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util.h"

#define MAX_CONNS	64
#define NAME_LEN	16
#define LINE_LEN	1024

/**
 * struct conn - a named connection
 * @name: its name, empty if the slot is free
 * @fd: its socket
 * @child: child process of "stall", or 0
 * @from: pipe from the child
 */
struct conn {
	char name[NAME_LEN];
	int fd;
	pid_t child;
	int from;
};

static struct conn conns[MAX_CONNS];
static const struct util_kind *kind;
static union util_addr addr, control;
static unsigned int patience;
static int listener = -1;

static void answer(char *out, const char *text)
{
	snprintf(out, LINE_LEN, "%s", text);
}

static void result(char *out, bool good)
{
	answer(out, good ? "ok" : util_errno_name(errno));
}

static struct conn *conn_find(const char *name)
{
	int i;

	for (i = 0; i < MAX_CONNS; i++)
		if (!strcmp(conns[i].name, name))
			return &conns[i];
	return NULL;
}

static void be_patient(int fd)
{
	struct timeval tv = { .tv_sec = patience };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)))
		util_die("SO_RCVTIMEO: %s", strerror(errno));
}

static void keep(char *out, const char *name, int fd)
{
	struct conn *conn = conn_find("");

	if (fd < 0 || !conn) {
		result(out, false);
		return;
	}
	be_patient(fd);
	snprintf(conn->name, NAME_LEN, "%s", name);
	conn->fd = fd;
	answer(out, "ok");
}

static void do_connect(char *out, char *name, char *arg)
{
	int fd = util_socket(kind, SOCK_CLOEXEC);
	union util_addr from;

	if (fd >= 0) {
		be_patient(fd);
		if (*arg)
			util_addr_parse(&from, kind->family, arg, 0);
		if ((*arg && bind(fd, &from.sa, util_addr_len(&from))) ||
		    connect(fd, &addr.sa, util_addr_len(&addr))) {
			result(out, false);
			close(fd);
			return;
		}
	}
	keep(out, name, fd);
}

static void do_accept(char *out, char *name, char *arg)
{
	(void)arg;
	keep(out, name, accept4(listener, NULL, NULL, SOCK_CLOEXEC));
}

static void do_send(char *out, char *name, char *arg)
{
	struct conn *conn = conn_find(name);
	ssize_t len = strlen(arg);

	result(out, conn && send(conn->fd, arg, len, MSG_NOSIGNAL) == len);
}

static void do_recv(char *out, char *name, char *arg)
{
	struct conn *conn = conn_find(name);
	size_t len = strtoul(arg, NULL, 0), done = 0;
	ssize_t n = -1;

	if (!conn || len >= LINE_LEN - NAME_LEN) {
		answer(out, "EINVAL");
		return;
	}
	while (done < len) {
		n = recv(conn->fd, out + done, len - done, 0);
		if (n <= 0)
			break;
		done += n;
	}
	out[done] = 0;
	if (done < len)
		answer(out + done, n ? util_errno_name(errno) : "EOF");
}

static void do_urgent(char *out, char *name, char *arg)
{
	struct conn *conn = conn_find(name);
	ssize_t n;

	(void)arg;
	if (!conn)
		return;
	n = recv(conn->fd, out, 1, MSG_OOB);
	if (n == 1)
		out[1] = 0;
	else
		answer(out, n ? util_errno_name(errno) : "EOF");
}

/* Runs in a child process, as the page fault holds the mmap lock of its address
 * space until the page arrives.
 */
static void stall_child(int fd, int back)
{
	int file = open("/proc/liar", O_RDWR | O_CLOEXEC);
	char *page = MAP_FAILED;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (file >= 0)
		page = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE,
			    MAP_SHARED, file, 0);
	n = page == MAP_FAILED ? -1 : recv(fd, page, getpagesize(), 0);
	if (n > 0)
		n = write(back, page, n);
	else if (n < 0)
		dprintf(back, "%s", util_errno_name(errno));
	_exit(n < 0);
}

static void do_stall(char *out, char *name, char *arg)
{
	struct conn *conn = conn_find(name);
	int pipes[2];
	pid_t pid;

	(void)arg;
	if (!conn || pipe(pipes)) {
		answer(out, "EINVAL");
		return;
	}
	pid = fork();
	if (!pid)
		stall_child(conn->fd, pipes[1]);
	close(pipes[1]);
	conn->child = pid;
	conn->from = pipes[0];
	result(out, pid > 0);
}

static void do_stalled(char *out, char *name, char *arg)
{
	struct conn *conn = conn_find(name);
	ssize_t n;

	(void)arg;
	if (!conn || conn->child <= 0) {
		answer(out, "EINVAL");
		return;
	}
	n = read(conn->from, out, LINE_LEN - 1);
	out[n > 0 ? n : 0] = 0;
	close(conn->from);
	waitpid(conn->child, NULL, 0);
	conn->child = 0;
}

static void conn_end(char *out, char *name, bool reset)
{
	struct linger linger = { .l_onoff = reset };
	struct conn *conn = conn_find(name);

	if (!conn) {
		answer(out, "EINVAL");
		return;
	}
	setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	result(out, !close(conn->fd));
	conn->name[0] = 0;
}

static void do_close(char *out, char *name, char *arg)
{
	(void)arg;
	conn_end(out, name, false);
}

static void do_reset(char *out, char *name, char *arg)
{
	(void)arg;
	conn_end(out, name, true);
}

static void file_value(char *out, const char *path, const char *name)
{
	char word[64], value[64];
	FILE *file = fopen(path, "r");

	answer(out, "none");
	if (!file)
		return;
	while (fscanf(file, "%63s %63s", word, value) == 2)
		if (!strcmp(word, name))
			answer(out, value);
	fclose(file);
}

static void do_stat(char *out, char *name, char *arg)
{
	(void)arg;
	file_value(out, "/proc/net/smcr_stat", name);
}

static void do_await(char *out, char *name, char *arg)
{
	__u64 end = util_now_ms() + patience * 1000ull;

	for (;;) {
		do_stat(out, name, arg);
		if (strtoull(out, NULL, 0) >= strtoull(arg, NULL, 0) ||
		    util_now_ms() > end)
			return;
		usleep(5000);
	}
}

static void do_look(char *out, char *name, char *arg)
{
	(void)arg;
	file_value(out, "/proc/liar", name);
}

static void do_lie(char *out, char *name, char *arg)
{
	char text[LINE_LEN];
	int fd = open("/proc/liar", O_WRONLY | O_CLOEXEC);

	snprintf(text, sizeof(text), "%s %s", name, arg);
	result(out, fd >= 0 && write(fd, text, strlen(text)) > 0);
	if (fd >= 0)
		close(fd);
}

static void do_sh(char *out, char *name, char *arg)
{
	char text[LINE_LEN * 2];

	snprintf(text, sizeof(text), "%s %s", name, arg);
	snprintf(out, LINE_LEN, "%d", system(text));
}

static const struct {
	const char *name;
	void (*run)(char *out, char *name, char *arg);
} commands[] = {
	{ "connect", do_connect }, { "accept", do_accept },
	{ "send", do_send }, { "recv", do_recv }, { "urgent", do_urgent },
	{ "close", do_close }, { "reset", do_reset },
	{ "stat", do_stat }, { "await", do_await },
	{ "lie", do_lie }, { "look", do_look }, { "sh", do_sh },
	{ "stall", do_stall }, { "stalled", do_stalled },
};

static void command(char *line, char *out)
{
	char *verb = strsep(&line, " "), *name = strsep(&line, " ");
	size_t i;

	answer(out, "EINVAL");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(verb, commands[i].name))
			commands[i].run(out, name ? name : "",
					line ? line : "");
}

static FILE *stream(int fd, const char *mode)
{
	FILE *file = fdopen(dup(fd), mode);

	if (!file)
		util_die("fdopen: %s", strerror(errno));
	setlinebuf(file);
	return file;
}

static int listen_at(const struct util_kind *how, const union util_addr *at)
{
	int fd = util_socket(how, SOCK_CLOEXEC), one = 1;

	if (fd < 0)
		util_die("socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, &at->sa, util_addr_len(at)) || listen(fd, MAX_CONNS))
		util_die("listen: %s", strerror(errno));
	return fd;
}

static int serve(const struct util_kind *tcp)
{
	char line[LINE_LEN], out[LINE_LEN];
	FILE *in, *back;
	int fd;

	listener = listen_at(kind, &addr);
	be_patient(listener);
	fd = listen_at(tcp, &control);
	puts("serving");
	fflush(stdout);
	fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		util_die("accept: %s", strerror(errno));
	in = stream(fd, "r");
	back = stream(fd, "w");
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = 0;
		command(line, out);
		fprintf(back, "%s\n", out);
	}
	return 0;
}

static void relay(FILE *to, FILE *from, const char *line, char *out)
{
	fprintf(to, "%s\n", line);
	if (!fgets(out, LINE_LEN, from))
		util_die("the server's end has closed");
	out[strcspn(out, "\n")] = 0;
}

static int lead(const struct util_kind *tcp)
{
	int fd = util_socket(tcp, SOCK_CLOEXEC);
	char line[LINE_LEN], out[LINE_LEN];
	FILE *to, *from;

	if (fd < 0 || connect(fd, &control.sa, util_addr_len(&control)))
		util_die("connect: %s", strerror(errno));
	to = stream(fd, "w");
	from = stream(fd, "r");
	setlinebuf(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (!strcmp(line, "quit"))
			break;
		if (line[0] == 'S')
			relay(to, from, line + 2, out);
		else
			command(line + 2, out);
		puts(out);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct util_kind *tcp;
	unsigned int port;

	if (argc != 6)
		util_die("usage: liar_app KIND ADDRESS PORT SECONDS serve|lead");
	kind = util_kind_find(argv[1]);
	if (!kind)
		util_die("unknown kind of socket %s", argv[1]);
	tcp = util_kind_find(kind->family == AF_INET6 ? "tcp6" : "tcp4");
	port = strtoul(argv[3], NULL, 0);
	patience = strtoul(argv[4], NULL, 0);
	util_addr_parse(&addr, kind->family, argv[2], port);
	util_addr_parse(&control, kind->family, argv[2], port + 1);
	return !strcmp(argv[5], "serve") ? serve(tcp) : lead(tcp);
}
