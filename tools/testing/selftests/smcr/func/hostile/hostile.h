/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hand-made peer for the CLC handshake. It builds messages from the figures of
 * RFC 7609, appendix A, and shares no code with the module.
 */
#ifndef SMCR_FUNC_HOSTILE_H
#define SMCR_FUNC_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util.h"

#define MSG_ROOM	8192
#define WAIT_MS		40000

/* The two words that programs exchange over a connection */
#define PING		"marco---"
#define PONG		"polo----"
#define WORD_LEN	8

/* Message types of RFC 7609, A.2 */
enum { PROPOSAL = 1, ACCEPT, CONFIRM, DECLINE };

/**
 * struct msg - bytes to send, or bytes received
 * @len: number of bytes
 * @b: the bytes
 */
struct msg {
	size_t len;
	uint8_t b[MSG_ROOM];
};

/* How the other end reacts to one of our messages */
enum reaction {
	R_ACCEPT,	/* the handshake goes on: an Accept */
	R_CONFIRM,	/* the handshake goes on: a Confirm */
	R_DECLINE,	/* a Decline, then TCP works */
	R_SYNC,		/* a Decline with S, then TCP works */
	R_TCP,		/* no message; TCP works */
	R_BYTES,	/* the same, and the program has got our bytes */
	R_RESET,	/* TCP is reset */
	R_OTHER,
};

/**
 * struct clc_case - one message and its expected effect
 * @edits: what is wrong with it, for msg_edit(), or a label
 * @want: expected reaction
 * @diag: expected diagnosis of the Decline
 * @fallback: counter that grows by one, or NULL
 * @bad: expected growth of BadClc
 */
struct clc_case {
	const char *edits;
	enum reaction want;
	uint32_t diag;
	const char *fallback;
	int bad;
};

/* The bytes are the program's */
#define PROGRAM(edits)	{ edits, R_BYTES, 0, "FallbackNoProposal", 0 }

/**
 * struct id - the identity that a peer claims
 * @peer: peer ID
 * @gid: GID of its port
 * @mac: MAC address of the same port
 */
struct id {
	uint8_t peer[8];
	uint8_t gid[16];
	uint8_t mac[6];
};

/**
 * struct stat_set - counters of the module under test
 * @text: text of /proc/net/smcr_stat, and a line "Sockets N" for its sockets
 */
struct stat_set {
	char text[8192];
};

/**
 * struct hostile - state that all files share
 * @us: our IPv4 address; hostile and honest servers listen on it
 * @them: IPv4 address of the host under test
 * @us6: our IPv6 address
 * @them6: IPv6 address of the host under test
 * @agent: control connection to "hostile agent" on the host under test
 * @id: the identity we claim
 * @seed: seed for the choice of cases; see sampled()
 * @every: one case in this many is tried
 * @bad: complaints so far
 * @reset: a send has reported the reset, so recv() will report end of file
 */
struct hostile {
	const char *us;
	const char *them;
	const char *us6;
	const char *them6;
	int agent;
	struct id id;
	__u64 seed;
	unsigned int every;
	int bad;
	bool reset;
};

extern struct hostile hostile;

/* Ports of the agent, of its servers (ECHO, MAPPED, DEFER) and of ours */
#define PORT_AGENT	7601
#define PORT_ECHO	7600
#define PORT_HOSTILE	7610
#define PORT_HONEST	7611
#define PORT_RELAY	7612
#define PORT_MAPPED	7602
#define PORT_DEFER	7603

/* hostile_msg.c */
void msg_put(struct msg *m, const void *p, size_t len);
void msg_num(struct msg *m, uint64_t val, int bytes);
void msg_proposal4(struct msg *m);
void msg_proposal6(struct msg *m);
void msg_accept(struct msg *m, int type);
void msg_decline(struct msg *m);
void msg_edit(struct msg *m, const char *edits);
uint64_t msg_get(const struct msg *m, size_t at, int bytes);
const char *msg_complaint(const struct msg *m, int type);

/* hostile_net.c */
void net_mark(int fd);
bool net_agreed(int fd);
int net_dial(const char *from, const char *to, unsigned int port, bool mark);
int net_listen(const char *at, unsigned int port, bool mark);
int net_accept(int fd);
void net_send(int fd, const void *p, size_t len);
void net_send_slow(int fd, const void *p, size_t len, int pause_ms);
void net_reset(int fd);
int net_recv(int fd, struct msg *m, size_t len, int ms);
int net_recv_clc(int fd, struct msg *m, int ms);
enum reaction net_reaction(int fd, struct msg *m, int ms);
bool net_reacts(int fd, const struct clc_case *c);
bool net_echo(int fd);
void complain(const char *fmt, ...);

/* hostile.c */
bool sampled(void);

/* hostile_agent.c */
int agent_main(const char *kind, const char *at, const char *at6);
void agent_dial(void);
void agent_stat(struct stat_set *s);
void agent_ask(const char *line);
void agent_answer(char *buf, size_t len);
long stat_value(const struct stat_set *s, const char *name);
long stat_delta(const struct stat_set *then, const char *name);
bool stat_wait(const struct stat_set *then, const char *name, long delta);
bool stat_settled(const struct stat_set *then);
void stat_case(const struct stat_set *then, const struct stat_set *now,
	       const struct clc_case *c);
void agent_sysctl(const char *name, int val);
void deadline_begin(void);
void deadline_end(void);
int deadline_ms(void);
pid_t echo_start(const char *kind, const char *at, unsigned int port);
bool ping(const char *kind, const char *to, unsigned int port, char *why,
	  size_t len);

/* hostile_client.c */
void client_after(const struct stat_set *then, const struct clc_case *c);
void client_reaction(int fd, const struct clc_case *c);

/* hostile_plain.c */
void plain_echo(int fd, const struct msg *sent, const struct clc_case *c);
void plain_bytes(void);
void plain_urgent(void);
void plain_mute(void);

/* hostile_broken.c */
int broken_main(int argc, char **argv);

/* hostile_client.c, hostile_server.c, hostile_relay.c, hostile_silent.c */

/**
 * struct group - cases that prove one fact
 * @name: name on the command line
 * @fact: what holds if there is no complaint
 * @run: runs the cases
 */
struct group {
	const char *name;
	const char *fact;
	void (*run)(void);
};

extern const struct group client_groups[];
extern const struct group server_groups[];
extern const struct group relay_groups[];

int silent_main(int argc, char **argv);
int times_main(int argc, char **argv);

#endif /* SMCR_FUNC_HOSTILE_H */
