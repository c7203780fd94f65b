// SPDX-License-Identifier: GPL-2.0
/*
 * A relay between an honest smcr client on this host and an smcr server. It passes
 * CLC messages on and changes or delays one of them, so that the link group and RDMA
 * are real.
 * The client reaches the relay locally, which needs net.smcr.loopback on this host.
 */
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/**
 * struct relay_case - a change of one message and its expected effect
 * @type: type of the message
 * @edits: the change, for msg_edit()
 * @behind: bytes that follow it in the same segment, or NULL
 * @late: it is passed on when the server has got data over RDMA
 * @client: text that the result of the client's program contains
 * @rdma: connections over RDMA that the server counts; -1 for any number
 * @bad: expected growth of BadClc on the server
 * @ours: fallback counter of the client that grows by one, or NULL
 * @theirs: fallback counter of the server that grows by one, or NULL
 */
struct relay_case {
	int type;
	const char *edits;
	const char *behind;
	bool late;
	const char *client;
	int rdma;
	int bad;
	const char *ours;
	const char *theirs;
};

#define OK_RDMA(type, edits, behind) \
	{ type, edits, behind, false, "ok", 1, 0, NULL, NULL }
/* The client is connected once its Confirm is sent, so any later call may see the reset */
#define CONFIRM_BAD(edits) \
	{ CONFIRM, edits, NULL, false, "ECONNRESET", 0, 1, NULL, NULL }
#define ACCEPT_BAD(edits) \
	{ ACCEPT, edits, NULL, false, "ECONNRESET", 0, 0, NULL, NULL }
#define ACCEPT_TCP(edits, ours) \
	{ ACCEPT, edits, NULL, false, "ok", 0, 0, ours, "FallbackPeerDeclined" }

static const struct relay_case changed[] = {
	OK_RDMA(CONFIRM, "", NULL),
	/* More bytes over TCP: out of sync */
	{ CONFIRM, "", PONG PONG, false, "ECONNRESET", 1, 0, NULL, NULL },
	{ ACCEPT, "", PONG PONG, false, "ECONNRESET", -1, 0, NULL, NULL },
	/* Fields that are ignored, in a subsequent contact or always */
	OK_RDMA(CONFIRM, "61=ffffff", NULL), OK_RDMA(ACCEPT, "61=ffffff", NULL),
	OK_RDMA(CONFIRM, "7=1f 51=ff 60=ff", NULL),
	/* Another link, or values that do not belong to the link */
	CONFIRM_BAD("38=0abcde"), CONFIRM_BAD("38=000000"),
	CONFIRM_BAD("16=20010db8"), CONFIRM_BAD("32=5254ff"),
	CONFIRM_BAD("41=deadbeef"), CONFIRM_BAD("52=1234567800000000"),
	CONFIRM_BAD("8=bad0"), CONFIRM_BAD("45=00"),
	/* A Decline may not answer these (C.1) */
	CONFIRM_BAD("50=63"), CONFIRM_BAD("50=f3"),
	CONFIRM_BAD("52=ffffffffffffffff"),
	CONFIRM_BAD("0=00"), CONFIRM_BAD("1*00"), CONFIRM_BAD("5=0043"),
	CONFIRM_BAD("4=02"), CONFIRM_BAD("7=00"),
	/* The same faults in the Accept */
	ACCEPT_TCP("38=0abcde", "FallbackOutOfSync"),
	ACCEPT_TCP("16=20010db8", "FallbackOutOfSync"),
	ACCEPT_TCP("32=5254ff", "FallbackOutOfSync"),
	ACCEPT_TCP("8=bad0", "FallbackOutOfSync"),
	ACCEPT_TCP("50=63", "FallbackBadEnum"),
	ACCEPT_TCP("50=f3", "FallbackBadEnum"),
	ACCEPT_BAD("45=00"), ACCEPT_BAD("52=ffffffffffffffff"),
	ACCEPT_BAD("0=00"), ACCEPT_BAD("1*00"), ACCEPT_BAD("5=0043"),
	ACCEPT_BAD("4=03"),
};

static struct msg proposal;
/* Counters of the server before the handshake that is relayed */
static struct stat_set before;

static void local_stat(struct stat_set *s)
{
	FILE *f = fopen("/proc/net/smcr_stat", "re");
	size_t n;

	if (!f)
		util_die("smcr is not loaded here");
	n = fread(s->text, 1, sizeof(s->text) - 1, f);
	s->text[n] = 0;
	fclose(f);
}

/* The server has got what the client's program wrote, and its own program has got no
 * connection.
 */
static void data_first(void)
{
	if (stat_wait(&before, "CdcReceived", 1) &&
	    (stat_delta(&before, "PassiveOpens") || stat_delta(&before, "RxBytes")))
		complain("data have opened a connection");
}

/* Pass a message on, changed if it is the one of @c; false if none arrives. */
static bool pass(int from, int to, const struct relay_case *c, struct msg *m)
{
	if (net_recv_clc(from, m, WAIT_MS))
		return false;
	if (m->b[4] == PROPOSAL)
		proposal = *m;
	if (m->b[4] == c->type) {
		msg_edit(m, c->edits);
		if (c->late)
			data_first();
		if (c->behind)
			msg_put(m, c->behind, strlen(c->behind));
	}
	net_send(to, m->b, m->len);
	return true;
}

static bool pump(int from, int to)
{
	char buf[512];
	ssize_t n = recv(from, buf, sizeof(buf), 0);

	if (n > 0)
		net_send(to, buf, n);
	return n > 0;
}

static void pump_both(int a, int b)
{
	struct pollfd p[2] = {
		{ .fd = a, .events = POLLIN }, { .fd = b, .events = POLLIN },
	};

	while (poll(p, 2, WAIT_MS) > 0) {
		if (p[0].revents && !pump(a, b))
			return;
		if (p[1].revents && !pump(b, a))
			return;
	}
}

/* Run the honest client in a child; its result can be read from @out. */
static pid_t client(int *out)
{
	char why[128] = "ok";
	int pipes[2];
	pid_t pid;

	if (pipe(pipes))
		util_die("pipe: %s", util_errno_name(errno));
	pid = fork();
	if (!pid) {
		ping("smcr4", hostile.us, PORT_RELAY, why, sizeof(why));
		if (write(pipes[1], why, strlen(why)) < 0)
			exit(1);
		exit(0);
	}
	close(pipes[1]);
	*out = pipes[0];
	return pid;
}

/* Relay one handshake; @from is the local address towards the server, or NULL. */
static void relay(const char *from, const struct relay_case *c, char *saw,
		  size_t len)
{
	int listener = net_listen(hostile.us, PORT_RELAY, true);
	struct msg m;
	int a, b, out;
	pid_t pid;
	ssize_t n;

	agent_stat(&before);
	pid = client(&out);
	a = net_accept(listener);
	b = net_dial(from, hostile.them, PORT_ECHO, true);
	if (pass(a, b, c, &m) && pass(b, a, c, &m) &&
	    (m.b[4] != ACCEPT || pass(a, b, c, &m)))
		pump_both(a, b);
	net_reset(a);
	net_reset(b);
	close(listener);
	n = read(out, saw, len - 1);
	saw[n < 0 ? 0 : n] = 0;
	close(out);
	waitpid(pid, NULL, 0);
}

static void one_more(const struct stat_set *then, const struct stat_set *now,
		     const char *name, const char *edits)
{
	long n = stat_value(now, "Fallbacks") - stat_value(then, "Fallbacks");

	if (n != !!name)
		complain("\"%s\": Fallbacks grew by %ld", edits, n);
	if (name && stat_value(now, name) != stat_value(then, name) + 1)
		complain("\"%s\": %s did not grow", edits, name);
}

static void honest(const struct stat_set *then)
{
	struct stat_set now;
	char why[128];

	agent_stat(&now);
	if (!ping("smcr4", hostile.them, PORT_ECHO, why, sizeof(why)))
		complain("a client after it: %s", why);
	stat_settled(then);
	if (stat_delta(&now, "PassiveOpens") != 1 ||
	    stat_delta(&now, "SubsequentContacts") != 1)
		complain("the client after it did not get its link group again");
}

static void try(const struct relay_case *c)
{
	struct stat_set then, now, here, here_now;
	char saw[128];

	agent_stat(&then);
	local_stat(&here);
	relay(NULL, c, saw, sizeof(saw));
	stat_settled(&then);
	agent_stat(&now);
	local_stat(&here_now);
	if (!strstr(saw, c->client))
		complain("%d \"%s\": the client saw %s", c->type, c->edits, saw);
	if (c->rdma >= 0 && stat_value(&now, "PassiveOpens") -
	    stat_value(&then, "PassiveOpens") != c->rdma)
		complain("%d \"%s\": wrong number of RDMA connections", c->type, c->edits);
	if (stat_value(&now, "BadClc") - stat_value(&then, "BadClc") != c->bad)
		complain("%d \"%s\": wrong growth of BadClc", c->type, c->edits);
	one_more(&then, &now, c->theirs, c->edits);
	one_more(&here, &here_now, c->ours, c->edits);
	honest(&then);
}

static void group_changed(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(changed); i++)
		if (sampled())
			try(&changed[i]);
}

/* The client's first bytes overtake its Confirm (3.5.2.4). */
static void group_early(void)
{
	static const struct relay_case plain = OK_RDMA(CONFIRM, "", NULL);
	static const struct relay_case early = {
		.type = CONFIRM, .edits = "", .late = true, .client = "ok", .rdma = 1,
	};

	try(&plain);
	try(&early);
}

static int claim(const char *from, struct msg *accept)
{
	int fd = net_dial(from, hostile.them, PORT_ECHO, true);

	net_send(fd, proposal.b, proposal.len);
	if (net_reaction(fd, accept, WAIT_MS) != R_ACCEPT)
		complain("no Accept");
	return fd;
}

/* A peer ID, a GID and a MAC prove nothing, so the server binds a group to the
 * client address of its first contact.
 */
static void group_binding(void)
{
	static const struct relay_case plain = OK_RDMA(CONFIRM, "", NULL);
	struct stat_set then;
	struct msg accept;
	const char *other;
	int fd;

	try(&plain);
	agent_stat(&then);
	other = getenv("OTHER");
	fd = claim(other, &accept);
	if (!(accept.b[7] & 8))
		complain("another address was let into the honest client's group");
	close(fd);
	honest(&then);
}

/* S in a Decline only makes the server test the links (C.4). */
static void group_sync(void)
{
	static const struct relay_case plain = OK_RDMA(CONFIRM, "", NULL);
	struct stat_set then;
	struct msg m;
	int fd, i;

	try(&plain);
	for (i = 0; i < 2; i++) {
		agent_stat(&then);
		fd = claim(hostile.us, &m);
		if (m.b[7] & 8)
			complain("not a subsequent contact");
		msg_decline(&m);
		if (i)
			msg_edit(&m, "7=18");
		net_send(fd, m.b, m.len);
		if (!net_echo(fd))
			complain("TCP does not work afterwards");
		close(fd);
		stat_settled(&then);
		if (i && stat_delta(&then, "TestLinkSent") < 1)
			complain("no link was tested");
		if (stat_delta(&then, "LinksFailed"))
			complain("a link failed");
		honest(&then);
	}
	/* A reset ends only its own connection */
	agent_stat(&then);
	net_reset(claim(hostile.us, &m));
	honest(&then);
}

/* The client learns the dialect of a first contact from CONFIRM LINK, and only then
 * finds that the element is larger than the dialect allows. Another address makes it a
 * first contact; the group stays on both hosts for a while. The MTU stays that of the
 * bed's ports: with a smaller one at one end, the path would not carry full packets.
 */
static void group_dialect(void)
{
	static const struct relay_case large = ACCEPT_BAD("50=65");
	struct stat_set then;
	char saw[128];

	agent_stat(&then);
	relay(getenv("OTHER"), &large, saw, sizeof(saw));
	if (strcmp(saw, "ECONNRESET"))
		complain("the client saw %s", saw);
	stat_wait(&then, "FirstContacts", 1);
	stat_wait(&then, "HandshakesEnded", 1);
	if (stat_delta(&then, "BadClc") || stat_delta(&then, "Fallbacks"))
		complain("the server counted a fault or a fallback");
}

const struct group relay_groups[] = {
	{ "changed",
	  "each field of a subsequent contact is checked; bytes after a message reset it",
	  group_changed },
	{ "early", "data that overtake the Confirm wait for it, and none is lost",
	  group_early },
	{ "binding", "an honest client's peer ID from another address makes a first contact",
	  group_binding },
	{ "sync", "a Decline with S leads to TCP; the links are tested and stay",
	  group_sync },
	{ "dialect",
	  "an element larger than the dialect of a first contact allows leads to a reset",
	  group_dialect },
	{ }
};
