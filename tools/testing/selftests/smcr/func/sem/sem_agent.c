// SPDX-License-Identifier: GPL-2.0
/*
 * One end of a compared run: reads steps, one per line, executes each and
 * answers with one line.
 */
#define _GNU_SOURCE
#include "sem.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const struct util_kind *sem_kind;
int sem_deadline_ms = 20000;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Shared with forked children, which send and receive for their parent. */
static struct sem_fd *fds;

static const char spaces[] = { ' ', '\n', 0 };

static const struct sem_verb * const tables[] = {
	sem_sock_verbs, sem_data_verbs, sem_event_verbs, sem_opt_verbs,
	sem_proc_verbs, sem_uring_verbs,
};

/**
 * sem_reply() - set the result of a step
 * @cmd: the step
 * @fmt: printf format
 */
void sem_reply(struct sem_cmd *cmd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd->reply, sizeof(cmd->reply), fmt, ap);
	va_end(ap);
}

/**
 * sem_reply_ret() - set the result from a system call's return value
 * @cmd: the step
 * @ret: return value; if negative, the result names errno
 */
void sem_reply_ret(struct sem_cmd *cmd, long ret)
{
	if (ret < 0)
		sem_reply(cmd, "-1 %s", util_errno_name(errno));
	else
		sem_reply(cmd, "%ld", ret);
}

static struct sem_fd *fd_slot(const char *name)
{
	int i;

	for (i = 0; i < SEM_FDS; i++)
		if (!strcmp(fds[i].name, name))
			return fds + i;
	return NULL;
}

/**
 * sem_fd_find() - look a descriptor up by name
 * @name: name in the script; "bad" is a descriptor that is not open
 *
 * Return: its slot; an unknown name ends the agent
 */
struct sem_fd *sem_fd_find(const char *name)
{
	static struct sem_fd bad = { .name = "bad", .fd = SEM_BAD_FD };
	struct sem_fd *slot;

	if (!strcmp(name, bad.name))
		return &bad;
	pthread_mutex_lock(&lock);
	slot = fd_slot(name);
	pthread_mutex_unlock(&lock);
	if (!slot)
		util_die("script: no descriptor %s", name);
	return slot;
}

/**
 * sem_fd_number() - look a descriptor number up by name
 * @name: as for sem_fd_find()
 *
 * Return: the descriptor
 */
int sem_fd_number(const char *name)
{
	return sem_fd_find(name)->fd;
}

/**
 * sem_fd_add() - name a descriptor
 * @name: its name; replaces a descriptor of the same name
 * @fd: the descriptor
 *
 * Return: its slot
 */
struct sem_fd *sem_fd_add(const char *name, int fd)
{
	struct sem_fd *slot;

	pthread_mutex_lock(&lock);
	slot = fd_slot(name);
	if (!slot)
		slot = fd_slot("");
	if (!slot || strlen(name) >= SEM_NAME)
		util_die("script: no room for descriptor %s", name);
	memset(slot, 0, sizeof(*slot));
	snprintf(slot->name, sizeof(slot->name), "%s", name);
	slot->fd = fd;
	pthread_mutex_unlock(&lock);
	return slot;
}

/**
 * sem_fd_drop() - forget a name
 * @name: name in the script
 */
void sem_fd_drop(const char *name)
{
	struct sem_fd *slot = sem_fd_find(name);

	pthread_mutex_lock(&lock);
	slot->name[0] = 0;
	pthread_mutex_unlock(&lock);
}

static int value_of(const struct sem_name *names, const char *word)
{
	for (; names->name; names++)
		if (!strcmp(names->name, word))
			return names->value;
	util_die("script: no flag %s", word);
}

/**
 * sem_flags() - parse a set of flags
 * @names: table, terminated by an entry without a name
 * @text: names joined by +, or a number
 *
 * Return: the flags, ORed
 */
int sem_flags(const struct sem_name *names, const char *text)
{
	char copy[SEM_LINE];
	char *save = NULL;
	char *word;
	char *end;
	int flags;

	flags = strtol(text, &end, 0);
	if (!*end)
		return flags;
	flags = 0;
	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, "+", &save); word;
	     word = strtok_r(NULL, "+", &save))
		flags |= value_of(names, word);
	return flags;
}

/**
 * sem_arg() - get a word of a step
 * @cmd: the step
 * @i: index of the word
 * @other: default if the step has fewer words
 *
 * Return: the word
 */
const char *sem_arg(const struct sem_cmd *cmd, int i, const char *other)
{
	return i < cmd->argc ? cmd->argv[i] : other;
}

/**
 * sem_num() - get a number of a step
 * @cmd: the step
 * @i: index of the word
 * @other: default if the step has fewer words
 *
 * Return: the number
 */
long sem_num(const struct sem_cmd *cmd, int i, long other)
{
	return i < cmd->argc ? strtol(cmd->argv[i], NULL, 0) : other;
}

/**
 * sem_addr() - parse an address of the tested family
 * @text: HOST/PORT with a numeric host
 * @addr: result
 */
void sem_addr(const char *text, union util_addr *addr)
{
	char host[64];
	unsigned int port;

	if (sscanf(text, "%63[^/]/%u", host, &port) != 2)
		util_die("script: address %s", text);
	util_addr_parse(addr, sem_kind->family, host, port);
}

/**
 * sem_addr_text() - format an address
 * @addr: the address
 * @buf: buffer for the text
 * @len: size of @buf
 */
void sem_addr_text(const union util_addr *addr, char *buf, size_t len)
{
	char host[64];

	util_addr_host(addr, host, sizeof(host));
	snprintf(buf, len, "%s/%u", host, util_addr_port(addr));
}

/**
 * sem_execute() - execute one step
 * @cmd: the step; gets the reply
 */
void sem_execute(struct sem_cmd *cmd)
{
	const struct sem_verb *verb;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (verb = tables[i]; verb->name; verb++) {
			if (strcmp(verb->name, cmd->argv[0]))
				continue;
			if (cmd->argc < verb->min)
				util_die("script: %s needs %d words",
					 verb->name, verb->min);
			verb->run(cmd);
			return;
		}
	}
	util_die("script: no verb %s", cmd->argv[0]);
}

static void split_line(struct sem_cmd *cmd)
{
	char *save = NULL;
	char *word;

	cmd->argc = 0;
	for (word = strtok_r(cmd->line, spaces, &save);
	     word && cmd->argc < SEM_ARGS; word = strtok_r(NULL, spaces, &save))
		cmd->argv[cmd->argc++] = word;
	cmd->argv[cmd->argc] = NULL;
}

/**
 * sem_agent() - execute steps until the other end closes
 * @control: stream socket to the program that sends the steps
 */
void sem_agent(int control)
{
	FILE *in = fdopen(control, "r");
	FILE *out = fdopen(dup(control), "w");
	struct sem_cmd cmd;

	fds = mmap(NULL, SEM_FDS * sizeof(*fds), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!in || !out || fds == MAP_FAILED)
		util_die("agent: %s", strerror(errno));
	while (fgets(cmd.line, sizeof(cmd.line), in)) {
		split_line(&cmd);
		if (!cmd.argc)
			continue;
		sem_reply(&cmd, "?");
		sem_execute(&cmd);
		fprintf(out, "%s\n", cmd.reply);
		fflush(out);
	}
	/* _exit() ends threads that are still blocked on purpose. */
	_exit(0);
}
