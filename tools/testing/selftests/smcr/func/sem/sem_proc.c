// SPDX-License-Identifier: GPL-2.0
/* Steps in threads and child processes, and signals. */
#define _GNU_SOURCE
#include "sem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS	16

/**
 * struct sem_thread - a step that runs in a thread of its own
 * @name: name in the script, empty if the slot is free
 * @thread: the thread, to signal and join it
 * @tid: thread ID, to read its state in /proc
 * @cmd: the step
 * @done: the step has its reply
 */
struct sem_thread {
	char name[SEM_NAME];
	pthread_t thread;
	atomic_int tid;
	struct sem_cmd cmd;
	atomic_bool done;
};

static struct sem_thread threads[THREADS];
static atomic_int pipe_signals;
static atomic_int user_signals;
static atomic_int urgent_signals;

static struct sem_thread *thread_find(const char *name)
{
	int i;

	for (i = 0; i < THREADS; i++)
		if (!strcmp(threads[i].name, name))
			return threads + i;
	util_die("script: no thread %s", name);
}

/* Copy the words of @from after the first @skip ones, with their storage. */
static void copy_words(struct sem_cmd *to, const struct sem_cmd *from,
		       int skip)
{
	size_t used = 0;
	int i;

	to->argc = 0;
	for (i = skip; i < from->argc; i++) {
		to->argv[to->argc++] = to->line + used;
		used += 1 + snprintf(to->line + used, sizeof(to->line) - used,
				     "%s", from->argv[i]);
	}
	to->argv[to->argc] = NULL;
	sem_reply(to, "?");
}

static void *thread_main(void *arg)
{
	struct sem_thread *t = arg;

	atomic_store(&t->tid, syscall(SYS_gettid));
	sem_execute(&t->cmd);
	atomic_store(&t->done, true);
	return NULL;
}

/* thread NAME VERB...: start a step in a thread, do not wait for it */
static void run_thread(struct sem_cmd *cmd)
{
	struct sem_thread *t = thread_find("");

	snprintf(t->name, sizeof(t->name), "%s", cmd->argv[1]);
	copy_words(&t->cmd, cmd, 2);
	atomic_store(&t->tid, 0);
	atomic_store(&t->done, false);
	if (pthread_create(&t->thread, NULL, thread_main, t))
		util_die("pthread_create");
	sem_reply(cmd, "started");
}

static char task_state(int tid)
{
	char path[64];
	char line[256];
	char *paren = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return 'X';
	if (fgets(line, sizeof(line), f))
		paren = strrchr(line, ')');
	fclose(f);
	return paren ? paren[2] : 'X';
}

/*
 * A thread sleeps interruptibly only in the system call of its step or,
 * briefly, on a lock of libc. Five looks, 1 ms apart, tell the two apart.
 */
static bool sleeps(const struct sem_thread *t)
{
	int i;

	for (i = 0; i < 5; i++) {
		if (!t->tid || task_state(t->tid) != 'S')
			return false;
		usleep(1000);
	}
	return true;
}

/* blocked NAME: wait until the thread sleeps in its call or has ended */
static void run_blocked(struct sem_cmd *cmd)
{
	__u64 end = util_now_ms() + sem_deadline_ms;
	struct sem_thread *t = thread_find(cmd->argv[1]);

	while (!t->done && !sleeps(t)) {
		if (util_now_ms() > end) {
			sem_reply(cmd, "TIMEOUT");
			return;
		}
	}
	sem_reply(cmd, t->done ? "ended" : "blocked");
}

/* join NAME: wait for the thread and reply with its reply */
static void run_join(struct sem_cmd *cmd)
{
	__u64 end = util_now_ms() + sem_deadline_ms;
	struct sem_thread *t = thread_find(cmd->argv[1]);

	while (!t->done) {
		if (util_now_ms() > end) {
			sem_reply(cmd, "TIMEOUT still in its call");
			return;
		}
		usleep(1000);
	}
	pthread_join(t->thread, NULL);
	memcpy(cmd->reply, t->cmd.reply, sizeof(cmd->reply));
	t->name[0] = 0;
}

static void on_signal(int sig)
{
	if (sig == SIGPIPE)
		atomic_fetch_add(&pipe_signals, 1);
	else if (sig == SIGURG)
		atomic_fetch_add(&urgent_signals, 1);
	else
		atomic_fetch_add(&user_signals, 1);
}

/* signals restart|norestart: catch SIGUSR1 with or without SA_RESTART, and
 * SIGPIPE
 */
static void run_signals(struct sem_cmd *cmd)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGPIPE, &sa, NULL);
	if (!strcmp(cmd->argv[1], "restart"))
		sa.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &sa, NULL);
	sem_reply(cmd, "0");
}

/* sigpipes: reply with the number of SIGPIPEs since the last query */
static void run_sigpipes(struct sem_cmd *cmd)
{
	sem_reply(cmd, "%d", atomic_exchange(&pipe_signals, 0));
}

/* kill NAME: send SIGUSR1 to a thread and wait until it is handled */
static void run_kill(struct sem_cmd *cmd)
{
	__u64 end = util_now_ms() + sem_deadline_ms;
	struct sem_thread *t = thread_find(cmd->argv[1]);
	int before = user_signals;

	if (t->done) {
		sem_reply(cmd, "ended");
		return;
	}
	pthread_kill(t->thread, SIGUSR1);
	while (user_signals == before) {
		if (util_now_ms() > end) {
			sem_reply(cmd, "TIMEOUT");
			return;
		}
		usleep(1000);
	}
	sem_reply(cmd, "0");
}

/* sigurg NAME: catch the SIGURG of a socket */
static void run_sigurg(struct sem_cmd *cmd)
{
	struct sigaction sa = {
		.sa_handler = on_signal, .sa_flags = SA_RESTART,
	};

	atomic_store(&urgent_signals, 0);
	sigaction(SIGURG, &sa, NULL);
	sem_reply_ret(cmd, fcntl(sem_fd_number(cmd->argv[1]), F_SETOWN,
				 getpid()));
}

/* awaiturg COUNT: wait until so many SIGURG have come since sigurg */
static void run_awaiturg(struct sem_cmd *cmd)
{
	__u64 end = util_now_ms() + sem_deadline_ms;
	int want = sem_num(cmd, 1, 0);

	while (urgent_signals != want && util_now_ms() <= end)
		usleep(1000);
	sem_reply(cmd, "%d", urgent_signals);
}

/* sigio NAME: have the kernel send SIGUSR1 when the socket becomes ready */
static void run_sigio(struct sem_cmd *cmd)
{
	int fd = sem_fd_number(cmd->argv[1]);
	int ret = fcntl(fd, F_SETOWN, getpid());

	ret = ret ? ret : fcntl(fd, F_SETSIG, SIGUSR1);
	ret = ret ? ret : fcntl(fd, F_SETFL, O_ASYNC);
	atomic_store(&user_signals, 0);
	sem_reply_ret(cmd, ret);
}

/* sigwait: wait for a signal since the last sigio or sigwait */
static void run_sigwait(struct sem_cmd *cmd)
{
	__u64 end = util_now_ms() + sem_deadline_ms;

	while (!atomic_exchange(&user_signals, 0)) {
		if (util_now_ms() > end) {
			sem_reply(cmd, "TIMEOUT");
			return;
		}
		usleep(1000);
	}
	sem_reply(cmd, "came");
}

/* child VERB...: execute a step in a child process, which then exits */
static void run_child(struct sem_cmd *cmd)
{
	struct sem_cmd sub;
	int pipefd[2];
	ssize_t n;
	pid_t pid;

	copy_words(&sub, cmd, 1);
	if (pipe(pipefd))
		util_die("pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		util_die("fork: %s", strerror(errno));
	if (!pid) {
		sem_execute(&sub);
		n = write(pipefd[1], sub.reply, strlen(sub.reply) + 1);
		_exit(n < 0);
	}
	close(pipefd[1]);
	n = read(pipefd[0], cmd->reply, sizeof(cmd->reply));
	if (n <= 0)
		sem_reply(cmd, "the child exited without a reply");
	close(pipefd[0]);
	waitpid(pid, NULL, 0);
}

/* notbefore MILLISECONDS VERB...: the step must take at least that long */
static void run_notbefore(struct sem_cmd *cmd)
{
	__u64 begin = util_now_ms();
	struct sem_cmd sub;
	long ms = sem_num(cmd, 1, 0);

	copy_words(&sub, cmd, 2);
	sem_execute(&sub);
	/* A timeout counts jiffies, the first of which may be almost over; with
	 * HZ=100, as in the debug kernel, it is 10 ms. The clock drops 1 ms.
	 */
	if (util_now_ms() - begin + 11 < (__u64)ms)
		sem_reply(cmd, "%.900s TOO SOON", sub.reply);
	else
		memcpy(cmd->reply, sub.reply, sizeof(cmd->reply));
}

const struct sem_verb sem_proc_verbs[] = {
	{ "thread", 3, run_thread },
	{ "blocked", 2, run_blocked },
	{ "join", 2, run_join },
	{ "signals", 2, run_signals },
	{ "sigpipes", 1, run_sigpipes },
	{ "sigurg", 2, run_sigurg },
	{ "awaiturg", 2, run_awaiturg },
	{ "kill", 2, run_kill },
	{ "sigio", 2, run_sigio },
	{ "sigwait", 1, run_sigwait },
	{ "child", 2, run_child },
	{ "notbefore", 3, run_notbefore },
	{ 0 },
};
