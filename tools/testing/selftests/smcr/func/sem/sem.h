/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCR_FUNC_SEM_H
#define SMCR_FUNC_SEM_H

#include "util.h"

#define SEM_NAME	16	/* longest name of a descriptor or thread, + 1 */
#define SEM_FDS		64
#define SEM_ARGS	24
#define SEM_LINE	1024
#define SEM_WRONG	"BAD"	/* in a reply: a received byte is wrong */
#define SEM_BAD_FD	1000	/* never open: no agent has that many */

/**
 * struct sem_fd - a descriptor that a script has named
 * @name: its name, empty if the slot is free
 * @fd: the descriptor
 * @tx: bytes sent through it; selects the value of the next byte
 * @rx: bytes received through it
 */
struct sem_fd {
	char name[SEM_NAME];
	int fd;
	__u64 tx;
	__u64 rx;
};

/**
 * struct sem_cmd - one step of a script, in execution
 * @argc: number of words
 * @argv: the words; argv[0] is the verb
 * @line: storage for the words
 * @reply: result as text
 */
struct sem_cmd {
	int argc;
	char *argv[SEM_ARGS + 1];
	char line[SEM_LINE];
	char reply[SEM_LINE];
};

/**
 * struct sem_verb - one kind of step
 * @name: its first word
 * @min: least number of words, the verb included
 * @run: executes the step and sets the reply
 */
struct sem_verb {
	const char *name;
	int min;
	void (*run)(struct sem_cmd *cmd);
};

/**
 * struct sem_name - the name of a constant
 * @name: name in scripts, lower case
 * @value: value of the constant
 */
struct sem_name {
	const char *name;
	int value;
};

extern const struct util_kind *sem_kind;
/* Limit of every wait, from the environment variable SEM_DEADLINE_MS */
extern int sem_deadline_ms;
extern const struct sem_verb sem_sock_verbs[];
extern const struct sem_verb sem_data_verbs[];
extern const struct sem_verb sem_event_verbs[];
extern const struct sem_verb sem_opt_verbs[];
extern const struct sem_verb sem_proc_verbs[];
extern const struct sem_verb sem_uring_verbs[];

/* sem_agent.c */
void sem_agent(int control);
void sem_execute(struct sem_cmd *cmd);
struct sem_fd *sem_fd_find(const char *name);
struct sem_fd *sem_fd_add(const char *name, int fd);
int sem_fd_number(const char *name);
void sem_fd_drop(const char *name);
void sem_reply(struct sem_cmd *cmd, const char *fmt, ...);
void sem_reply_ret(struct sem_cmd *cmd, long ret);
int sem_flags(const struct sem_name *names, const char *text);
const char *sem_arg(const struct sem_cmd *cmd, int i, const char *other);
long sem_num(const struct sem_cmd *cmd, int i, long other);
void sem_addr(const char *text, union util_addr *addr);
void sem_addr_text(const union util_addr *addr, char *buf, size_t len);

/* sem_data.c */
void *sem_coded_bytes(__u64 pos, size_t len);
void sem_reply_recv(struct sem_cmd *cmd, struct sem_fd *slot, const void *buf,
		    ssize_t n, int flags);
void sem_reply_send(struct sem_cmd *cmd, struct sem_fd *slot, ssize_t n);

#endif /* SMCR_FUNC_SEM_H */
