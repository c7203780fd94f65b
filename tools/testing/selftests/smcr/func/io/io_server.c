// SPDX-License-Identifier: GPL-2.0
/* The server: one thread per connection, which runs the job that the client sends. */
#define _GNU_SOURCE
#include "io.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static unsigned int running;	/* under lock: connections being served */
static unsigned int failed;	/* under lock: connections that failed */
static int listener;
static pthread_t acceptor;	/* the thread in accept() */
static atomic_bool quitting;	/* accept() has to end, by a signal */
static atomic_bool stopped;	/* accept() has ended */
static __u32 forgiving;		/* enum io_flag that holds before the job is known */

static bool job_sane(const struct io_job *job)
{
	return job->magic == IO_MAGIC && job->mode <= IO_QUIT &&
	       job->wsize && job->wsize <= IO_CHUNK &&
	       job->rsize && job->rsize <= IO_CHUNK &&
	       (job->mode != IO_RR || job->up <= IO_CHUNK);
}

static void on_signal(int sig)
{
	(void)sig;
}

/* End accept(). shutdown() of a listening socket does so over TCP and smcr, but
 * Linux's own SMC-R refuses it. A signal does it there; one that arrives before
 * accept() begins is lost, so it is repeated.
 */
static void stop_accepting(void)
{
	if (!shutdown(listener, SHUT_RDWR))
		return;
	quitting = true;
	while (!stopped) {
		pthread_kill(acceptor, SIGUSR1);
		usleep(1000);
	}
}

static bool serve_one(int fd)
{
	struct io_job job;

	if (io_full_read(fd, &job, sizeof(job))) {
		if (io_err_forgiven(forgiving, errno))
			return true;
		fprintf(stderr, "no job: %s\n", util_errno_name(errno));
		return false;
	}
	if (!job_sane(&job)) {
		fprintf(stderr, "invalid job\n");
		return false;
	}
	if (job.mode == IO_QUIT)
		stop_accepting();
	return io_run(fd, &job, true);
}

static void *serve_thread(void *arg)
{
	int fd = (int)(intptr_t)arg;
	bool ok = serve_one(fd);

	close(fd);
	pthread_mutex_lock(&lock);
	if (!ok)
		failed++;
	if (!--running)
		pthread_cond_signal(&idle);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/**
 * io_listen() - open a listening socket
 * @kind: kind of socket
 * @addr: address to listen on; with port 0 the kernel chooses one
 * @backlog: argument of listen()
 *
 * Return: the descriptor; an error ends the program
 */
int io_listen(const struct util_kind *kind, const union util_addr *addr,
	      int backlog)
{
	int fd = util_socket(kind, 0);
	int one = 1;

	if (fd < 0)
		util_die("socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, &addr->sa, util_addr_len(addr)))
		util_die("bind: %s", strerror(errno));
	if (listen(fd, backlog))
		util_die("listen: %s", strerror(errno));
	return fd;
}

static void start_thread(int fd)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	pthread_mutex_lock(&lock);
	running++;
	pthread_mutex_unlock(&lock);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 1 << 18);
	err = pthread_create(&thread, &attr, serve_thread,
			     (void *)(intptr_t)fd);
	if (err)
		util_die("thread: %s", strerror(err));
}

/**
 * io_serve() - accept and serve until a client sends IO_QUIT
 * @lfd: listening socket; closed on return
 * @flags: enum io_flag that holds for a connection before its job is known
 *
 * Return: number of connections that failed
 */
int io_serve(int lfd, __u32 flags)
{
	struct sigaction wake = { .sa_handler = on_signal };
	int fd;

	forgiving = flags;
	listener = lfd;
	acceptor = pthread_self();
	sigaction(SIGUSR1, &wake, NULL);
	for (;;) {
		fd = accept(lfd, NULL, NULL);
		if (fd >= 0)
			start_thread(fd);
		else if (errno == EINVAL || quitting)
			break;
		else if (errno != EINTR && errno != ECONNABORTED)
			util_die("accept: %s", strerror(errno));
	}
	stopped = true;
	close(lfd);
	pthread_mutex_lock(&lock);
	while (running)
		pthread_cond_wait(&idle, &lock);
	pthread_mutex_unlock(&lock);
	return failed;
}
