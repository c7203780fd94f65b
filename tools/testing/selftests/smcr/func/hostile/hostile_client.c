// SPDX-License-Identifier: GPL-2.0
/* A hostile client of an smcr server. */
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Diagnoses of a Decline */
#define D_LIMIT		0x01010080
#define D_NO_SMCR	0x03030002
#define D_SUBNET	0x03070000
#define D_VALUE		0x030C0080
#define D_IDENTITY	0x030C0081
#define D_CONFIRM_LINK	0x02010000

#define GOES_ON(edits)	{ edits, R_ACCEPT, 0, NULL, 0 }
#define RESET(edits)	{ edits, R_RESET, 0, NULL, 1 }
#define VALUE(edits)	{ edits, R_DECLINE, D_VALUE, "FallbackBadEnum", 1 }
#define WHO(edits)	{ edits, R_DECLINE, D_IDENTITY, "FallbackPeerId", 1 }
#define SUBNET(edits)	{ edits, R_DECLINE, D_SUBNET, "FallbackSubnet", 0 }
#define VERSION(edits)	{ edits, R_DECLINE, D_NO_SMCR, "FallbackVersion", 1 }
#define ZEROS16		"00000000000000000000000000000000"

static const struct clc_case frames4[] = {
	/* Reserved bits and bytes are ignored */
	GOES_ON(""), GOES_ON("45=ffff"), GOES_ON("7=1f"),
	/* Later versions, with bytes in the area for growth or after the prefixes */
	GOES_ON("7=20"), GOES_ON("7=23"), GOES_ON("7=f0"),
	GOES_ON("40+10 38=000a"), GOES_ON("40+4044 38=0fcc"),
	GOES_ON("7=20 48+4044"), GOES_ON("7=20 40+40 38=0028 88+38"),
	/* Eye catchers; a wrong first one makes it the program's bytes */
	PROGRAM("0=e3"), PROGRAM("1=d5"), PROGRAM("2=c2"), PROGRAM("3=d8"),
	RESET("4*e3"), RESET("3*d5"), RESET("2*c2"), RESET("1*d8"),
	RESET("3=c4"), RESET("4*e2d4c3c4"), RESET("3=c4 4*e2d4c3c4"),
	/* Type and version */
	RESET("4=00"), RESET("4=02"), RESET("4=03"), RESET("4=04"),
	RESET("4=05"), RESET("4=ff"), RESET("7=00"), RESET("7=0f"),
	/* Length too small, too large or over the limit; offset and prefix count */
	RESET("5=0000"), RESET("5=0007"), RESET("5=0008"), RESET("5=002b"),
	RESET("5=0033"), RESET("48+1"), RESET("5=ffff"), RESET("5=1001"),
	RESET("7=20 5=002b"), RESET("7=20 5=1001"),
	RESET("40+4045 38=0fcd"), RESET("38=0001"), RESET("38=fff8"),
	RESET("38=ffff"), RESET("38=0008"), RESET("40+10 38=0009"),
	RESET("40+10 38=000b"), RESET("7=20 40+10 38=000b"),
	RESET("47=01"), RESET("7=20 47=01"), RESET("47=09"), RESET("47=ff"),
	RESET("48+17"), RESET("48+153 47=09"), RESET("7=20 48+153 47=09"),
	/* IPv6 prefixes in an IPv4 Proposal */
	RESET("48+17 47=01"), RESET("48+136 47=08"),
	/* Length of the IPv4 subnet above 32 */
	RESET("44=21"), RESET("44=ff"),
	/* A format fault takes precedence over a bad value */
	RESET("8=0000000000000000 1*00"), RESET("16=ff 44=21"),
};

static const struct clc_case values4[] = {
	/* The subnet mask of Figure 26 instead of the subnet's number */
	GOES_ON("40=ffffff00"),
	SUBNET("44=17"), SUBNET("44=19"), SUBNET("44=00"), SUBNET("44=20"),
	SUBNET("40=0a090100"), SUBNET("40=00000000"), SUBNET("40=ffffffff"),
	/* Peer ID, GID and MAC */
	WHO("8=0000000000000000"), WHO("16=" ZEROS16), WHO("16=ff02"),
	WHO("32=000000000000"), WHO("32=01"), WHO("32=ffffffffffff"),
	/* Later versions without SMC-R version 1 */
	VERSION("7=21"), VERSION("7=22"), VERSION("7=22 40-8"),
	VERSION("3=c4 7=11 4*e2d4c3c4"), VERSION("7=f1"),
};

static const struct clc_case all6[] = {
	GOES_ON(""), GOES_ON("65+119 47=08"), GOES_ON("40+10 38=000a"),
	GOES_ON("45=ffff"), GOES_ON("48+17 47=02"),
	RESET("65+136 47=09"), RESET("7=20 65+136 47=09"), RESET("64=81"),
	RESET("64=ff"), RESET("47=00"), RESET("47=02"), RESET("47=ff"),
	RESET("44=21"), RESET("65+119 47=08 183=81"), RESET("1*00"),
	RESET("7=20 47=02"),
	SUBNET("64=3f"), SUBNET("64=41"), SUBNET("64=80"), SUBNET("64=00"),
	SUBNET("48=fd08"), SUBNET("48-17 47=00"),
	WHO("16=" ZEROS16), WHO("32=01"),
};

/* Declines in place of a Proposal */
static const struct clc_case declines[] = {
	{ "", R_TCP, 0, "FallbackPeerDeclined", 0 },
	{ "7=18", R_TCP, 0, "FallbackPeerDeclined", 0 },
	{ "7=17", R_TCP, 0, "FallbackPeerDeclined", 0 },
	{ "20=ffffffff", R_TCP, 0, "FallbackPeerDeclined", 0 },
	{ "16=ffffffff", R_TCP, 0, "FallbackPeerDeclined", 0 },
	{ "8=0000000000000000", R_TCP, 0, "FallbackPeerDeclined", 0 },
	{ "24+16 7=20", R_TCP, 0, "FallbackPeerDeclined", 0 },
	{ "24+16 7=28", R_TCP, 0, "FallbackPeerDeclined", 0 },
	RESET("24+16"), RESET("24+1"), RESET("20-1"), RESET("5=ffff"),
	RESET("4*00"), RESET("1*00"), PROGRAM("0=00"), RESET("7=08"),
	RESET("24+15 7=20"), RESET("24+17 7=20"),
};

/* Messages in place of the Confirm of a first contact */
static const struct clc_case confirms[] = {
	RESET("0=00"), RESET("3=c4"), RESET("4*00"), RESET("1*00"),
	RESET("4=00"), RESET("4=01"), RESET("4=02"), RESET("4=04"),
	RESET("4=05"), RESET("5=0043"), RESET("64+1"), RESET("5=0000"),
	RESET("5=ffff"), RESET("7=00"), RESET("8=ffffffffffffffff"),
	RESET("8=0000000000000000"), RESET("45=00"),
	RESET("52=ffffffffffffffff"), RESET("52=fffffffffffe0001"),
	RESET("50=00 45=00"),
	VALUE("50=63"), VALUE("50=f3"), VALUE("50=30"), VALUE("50=36"),
	VALUE("50=3f"), VALUE("50=ff"),
	WHO("38=000000"), WHO("38=000001"), WHO("16=" ZEROS16),
	WHO("16=ff02"), WHO("32=000000000000"), WHO("32=01"),
};

/**
 * client_after() - check that nothing is left over and that an honest client is served
 *	over RDMA
 * @then: counters before the case
 * @c: the case
 */
void client_after(const struct stat_set *then, const struct clc_case *c)
{
	struct stat_set now;
	char why[128];

	stat_settled(then);
	agent_stat(&now);
	stat_case(then, &now, c);
	if (!ping("smcr4", hostile.them, PORT_ECHO, why, sizeof(why)))
		complain("\"%s\": an honest client after it: %s", c->edits, why);
	stat_settled(then);
	if (stat_delta(&now, "PassiveOpens") != 1)
		complain("\"%s\": no RDMA for an honest client", c->edits);
}

/* Check that handshakes in flight do not keep an honest client from RDMA. */
static void honest_meanwhile(void)
{
	struct stat_set now;
	char why[128];

	agent_stat(&now);
	if (!ping("smcr4", hostile.them, PORT_ECHO, why, sizeof(why)))
		complain("an honest client meanwhile: %s", why);
	if (stat_delta(&now, "PassiveOpens") != 1)
		complain("no RDMA for an honest client meanwhile");
}

/**
 * client_reaction() - check how the host under test reacts
 * @fd: the connection
 * @c: what is expected
 */
void client_reaction(int fd, const struct clc_case *c)
{
	if (!net_reacts(fd, c))
		return;
	if ((c->want == R_DECLINE || c->want == R_TCP) && !net_echo(fd))
		complain("\"%s\": TCP does not work afterwards", c->edits);
}

typedef void (*maker)(struct msg *m);

static void try_first(const char *to, unsigned int port, maker make,
		      const struct clc_case *c)
{
	struct stat_set then;
	struct msg m;
	int fd;

	agent_stat(&then);
	fd = net_dial(NULL, to, port, true);
	make(&m);
	msg_edit(&m, c->edits);
	net_send(fd, m.b, m.len);
	if (c->want == R_BYTES)
		plain_echo(fd, &m, c);
	else
		client_reaction(fd, c);
	close(fd);
	client_after(&then, c);
}

static void try_all(const char *to, unsigned int port, maker make,
		    const struct clc_case *c, size_t n)
{
	for (; n--; c++)
		if (sampled())
			try_first(to, port, make, c);
}

static void group_frames4(void)
{
	try_all(hostile.them, PORT_ECHO, msg_proposal4, frames4,
		ARRAY_SIZE(frames4));
}

static void group_values4(void)
{
	try_all(hostile.them, PORT_ECHO, msg_proposal4, values4,
		ARRAY_SIZE(values4));
}

static void group_six(void)
{
	static const struct clc_case mapped4 = GOES_ON("");
	static const struct clc_case mapped6 = RESET("");

	try_all(hostile.them6, PORT_ECHO, msg_proposal6, all6,
		ARRAY_SIZE(all6));
	try_first(hostile.them, PORT_MAPPED, msg_proposal4, &mapped4);
	try_first(hostile.them, PORT_MAPPED, msg_proposal6, &mapped6);
}

static void group_declines(void)
{
	try_all(hostile.them, PORT_ECHO, msg_decline, declines,
		ARRAY_SIZE(declines));
}

/* A Decline is not the program's first bytes, which accept() waits for. */
static void group_deferred(void)
{
	static const struct clc_case declined = {
		"to a listener that waits", R_TCP, 0, "FallbackPeerDeclined", 0
	};
	struct stat_set then;
	struct msg m;
	int fd;

	agent_stat(&then);
	fd = net_dial(NULL, hostile.them, PORT_DEFER, true);
	msg_decline(&m);
	net_send(fd, m.b, m.len);
	stat_wait(&then, "AcceptsDeferred", 1);
	if (!net_echo(fd))
		complain("accept() has not waited for the program's bytes");
	close(fd);
	client_after(&then, &declined);
}

/* Send a valid Proposal and receive the Accept of a first contact. */
static int propose(struct msg *accept)
{
	int fd = net_dial(NULL, hostile.them, PORT_ECHO, true);
	struct msg m;

	msg_proposal4(&m);
	net_send(fd, m.b, m.len);
	if (net_reaction(fd, accept, WAIT_MS) != R_ACCEPT)
		complain("no Accept");
	else if (!(accept->b[7] & 8))
		complain("no first contact");
	return fd;
}

static void group_confirms(void)
{
	struct stat_set then;
	struct msg m;
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(confirms); i++) {
		if (!sampled())
			continue;
		agent_stat(&then);
		fd = propose(&m);
		msg_accept(&m, CONFIRM);
		msg_edit(&m, confirms[i].edits);
		net_send(fd, m.b, m.len);
		client_reaction(fd, &confirms[i]);
		close(fd);
		client_after(&then, &confirms[i]);
	}
}

/* Learn the server's peer ID and GID from its Accept, then claim them. */
static void group_impostor(void)
{
	static const struct clc_case impostor = {
		"the server's own name", R_DECLINE, D_IDENTITY,
		"FallbackPeerId", 0
	};
	struct stat_set then;
	struct msg accept, m;
	int part, fd;

	agent_stat(&then);
	close(propose(&accept));
	stat_settled(&then);
	for (part = 0; part < 3; part++) {
		agent_stat(&then);
		fd = net_dial(NULL, hostile.them, PORT_ECHO, true);
		msg_proposal4(&m);
		if (part != 1)
			memcpy(m.b + 8, accept.b + 8, 8);
		if (part != 0)
			memcpy(m.b + 16, accept.b + 16, 16);
		net_send(fd, m.b, m.len);
		client_reaction(fd, &impostor);
		close(fd);
		client_after(&then, &impostor);
	}
	/* Our own identity in the Proposal, the server's GID in the Confirm */
	agent_stat(&then);
	fd = propose(&accept);
	msg_accept(&m, CONFIRM);
	memcpy(m.b + 16, accept.b + 16, 16);
	net_send(fd, m.b, m.len);
	client_reaction(fd, &impostor);
	close(fd);
	client_after(&then, &impostor);
}

/* In place of a Proposal: messages due later or from the server. In place of a
 * Confirm: messages of another type.
 */
static void group_order(void)
{
	static const struct clc_case bad = RESET("out of order");
	struct stat_set then;
	struct msg m[3];
	size_t i;
	int fd;

	memset(m, 0, sizeof(m));
	msg_accept(&m[0], ACCEPT);
	msg_accept(&m[1], CONFIRM);
	msg_put(&m[2], "\xe2\xd4\xc3\xd9\xe2\xd4\xc3\xd9", 8);
	for (i = 0; i < ARRAY_SIZE(m); i++) {
		agent_stat(&then);
		fd = net_dial(NULL, hostile.them, PORT_ECHO, true);
		net_send(fd, m[i].b, m[i].len);
		client_reaction(fd, &bad);
		close(fd);
		client_after(&then, &bad);
	}
	for (i = 0; i < 2; i++) {
		agent_stat(&then);
		fd = propose(&m[0]);
		if (i)
			msg_accept(&m[0], ACCEPT);
		else
			msg_proposal4(&m[0]);
		net_send(fd, m[0].b, m[0].len);
		client_reaction(fd, &bad);
		close(fd);
		client_after(&then, &bad);
	}
}

/* Send a message and the bytes that follow it in one segment. */
static int send_both(struct msg *m, const void *more, size_t len)
{
	int fd = net_dial(NULL, hostile.them, PORT_ECHO, true);

	msg_put(m, more, len);
	net_send(fd, m->b, m->len);
	return fd;
}

static void word_back(int fd)
{
	struct msg m = { 0 };

	if (net_recv(fd, &m, WORD_LEN, WAIT_MS) ||
	    memcmp(m.b, PONG, WORD_LEN))
		complain("the word after the message arrived as \"%.8s\"", (char *)m.b);
	if (!net_echo(fd))
		complain("TCP does not work afterwards");
}

static void group_pipelined(void)
{
	static const struct clc_case gone = {
		"with a word behind", R_TCP, 0, "FallbackPeerDeclined", 0
	};
	static const struct clc_case who = {
		"with a word behind", R_DECLINE, D_IDENTITY,
		"FallbackPeerId", 1
	};
	static const struct clc_case bad = RESET("with garbage behind");
	struct stat_set then;
	struct msg m, answer;
	enum reaction got;
	int fd, i;

	/* Bytes after a Decline belong to the program */
	agent_stat(&then);
	msg_decline(&m);
	fd = send_both(&m, PONG, WORD_LEN);
	word_back(fd);
	close(fd);
	client_after(&then, &gone);
	/* Bytes after a Proposal that is declined do, too */
	agent_stat(&then);
	msg_proposal4(&m);
	msg_edit(&m, "8=0000000000000000");
	fd = send_both(&m, PONG, WORD_LEN);
	if (net_reaction(fd, &answer, WAIT_MS) != R_DECLINE)
		complain("no Decline");
	word_back(fd);
	close(fd);
	client_after(&then, &who);
	/* Bytes after a valid Proposal must be a Confirm */
	for (i = 0; i < 2; i++) {
		agent_stat(&then);
		msg_proposal4(&m);
		fd = send_both(&m, i ? m.b : (const void *)PONG PONG,
			       i ? m.len : 2 * WORD_LEN);
		got = net_reaction(fd, &answer, WAIT_MS);
		if (got == R_ACCEPT)
			got = net_reaction(fd, &answer, WAIT_MS);
		if (got != R_RESET)
			complain("garbage after a Proposal: reaction %d", got);
		close(fd);
		client_after(&then, &bad);
	}
}

/* A Decline is valid in place of Confirm, or after it until CONFIRM LINK; anything
 * else after Confirm is not (C.2, C.6).
 */
static void group_late(void)
{
	static const struct clc_case declined = {
		"Decline", R_TCP, 0, "FallbackPeerDeclined", 0
	};
	static const struct clc_case late[] = {
		{ "garbage after Confirm", R_RESET, 0, NULL, 1 },
		{ "Confirm twice", R_RESET, 0, NULL, 1 },
		/* No end: it may overtake the reply to CONFIRM LINK */
		{ "end of file after Confirm", R_DECLINE, D_CONFIRM_LINK,
		  "FallbackConfirmLink", 0 },
	};
	struct stat_set then;
	struct msg m, accept;
	size_t i;
	int fd;

	for (i = 0; i < 2; i++) {
		agent_stat(&then);
		fd = propose(&accept);
		msg_accept(&m, CONFIRM);
		if (i)
			net_send(fd, m.b, m.len);
		msg_decline(&m);
		msg_put(&m, PONG, WORD_LEN);
		net_send(fd, m.b, m.len);
		word_back(fd);
		close(fd);
		client_after(&then, &declined);
	}
	for (i = 0; i < ARRAY_SIZE(late); i++) {
		agent_stat(&then);
		fd = propose(&accept);
		msg_accept(&m, CONFIRM);
		if (i == 1)
			msg_put(&m, m.b, m.len);
		else if (!i)
			msg_put(&m, PING PONG, 2 * WORD_LEN);
		net_send(fd, m.b, m.len);
		if (i == 2) {
			shutdown(fd, SHUT_WR);
			net_reacts(fd, &late[i]);
		} else {
			client_reaction(fd, &late[i]);
		}
		close(fd);
		client_after(&then, &late[i]);
	}
}

/* Cut a Proposal off after each byte that follows the eye catcher, and a Confirm
 * after every ninth.
 */
static void group_cut(void)
{
	static const struct clc_case cut = { "cut off", R_RESET, 0, NULL, 0 };
	struct stat_set then;
	struct msg m, accept;
	int fd[68], phase;
	size_t i, n;

	for (phase = 0; phase < 2; phase++) {
		agent_stat(&then);
		if (phase)
			msg_accept(&m, CONFIRM);
		else
			msg_proposal4(&m);
		/* One Confirm at a time: first contacts of one peer ID are serialized */
		n = phase ? 8 : m.len;
		for (i = phase ? 0 : 4; i < n; i++) {
			if (!phase)
				fd[i] = net_dial(NULL, hostile.them, PORT_ECHO,
						 true);
			else
				fd[i] = propose(&accept);
			net_send(fd[i], m.b, phase ? i * 9 : i);
			if (!phase)
				continue;
			shutdown(fd[i], SHUT_WR);
			client_reaction(fd[i], &cut);
			close(fd[i]);
		}
		for (i = 4; i < n && !phase; i++) {
			shutdown(fd[i], SHUT_WR);
			client_reaction(fd[i], &cut);
			close(fd[i]);
		}
		client_after(&then, &cut);
	}
}

/* Reset TCP at each point of the exchange. */
static void group_gone(void)
{
	static const struct clc_case gone = { "gone", R_RESET, 0, NULL, 0 };
	struct stat_set then;
	struct msg m, accept;
	int fd, point;

	for (point = 0; point < 6; point++) {
		agent_stat(&then);
		if (point < 3) {
			fd = net_dial(NULL, hostile.them, PORT_ECHO, true);
			msg_proposal4(&m);
		} else {
			fd = propose(&accept);
			msg_accept(&m, CONFIRM);
		}
		/* Send nothing, half the message or all of it */
		net_send(fd, m.b, m.len * (point % 3) / 2);
		net_reset(fd);
		stat_wait(&then, "HandshakesEnded", 1);
		client_after(&then, &gone);
	}
}

/* One deadline holds for a whole handshake, even if bytes trickle in. */
static void group_deadline(void)
{
	static const struct clc_case late = { "slow", R_RESET, 0, NULL, 0 };
	struct stat_set then;
	struct msg m, accept;
	int fd[50];
	size_t i;

	agent_stat(&then);
	deadline_begin();
	fd[48] = propose(&accept);
	fd[49] = net_dial(NULL, hostile.them, PORT_ECHO, true);
	msg_proposal4(&m);
	for (i = 0; i < 48; i++) {
		fd[i] = net_dial(NULL, hostile.them, PORT_ECHO, true);
		net_send(fd[i], m.b, 4 + i);
	}
	honest_meanwhile();
	net_send_slow(fd[49], m.b, m.len - 1, 2 * deadline_ms() / 50);
	for (i = 0; i < ARRAY_SIZE(fd); i++) {
		client_reaction(fd[i], &late);
		close(fd[i]);
	}
	stat_wait(&then, "HandshakeTimeouts", ARRAY_SIZE(fd));
	deadline_end();
	client_after(&then, &late);
}

/* A Proposal is complete when most of the time has passed. Nothing is wrong with the
 * server's adapter, so its handshake does not give up what is left.
 */
static void group_tardy(void)
{
	static const struct clc_case on = GOES_ON("tardy");
	struct stat_set then;
	struct msg m;
	int fd;

	agent_stat(&then);
	deadline_begin();
	fd = net_dial(NULL, hostile.them, PORT_ECHO, true);
	msg_proposal4(&m);
	net_send_slow(fd, m.b, m.len, deadline_ms() * 7 / 10 / m.len);
	client_reaction(fd, &on);
	close(fd);
	deadline_end();
	client_after(&then, &on);
}

/* Send each byte of a message in a segment of its own. */
static void group_slow(void)
{
	static const struct clc_case on = GOES_ON("");
	static const struct clc_case who = WHO("");
	struct stat_set then;
	struct msg m;
	int fd;

	agent_stat(&then);
	fd = net_dial(NULL, hostile.them, PORT_ECHO, true);
	msg_proposal4(&m);
	net_send_slow(fd, m.b, m.len, 0);
	client_reaction(fd, &on);
	close(fd);
	client_after(&then, &on);

	agent_stat(&then);
	fd = net_dial(NULL, hostile.them, PORT_ECHO, true);
	net_send_slow(fd, m.b, m.len, 0);
	client_reaction(fd, &on);
	msg_accept(&m, CONFIRM);
	msg_edit(&m, "38=000001");
	net_send_slow(fd, m.b, m.len, 0);
	client_reaction(fd, &who);
	close(fd);
	client_after(&then, &who);
}

/* Edits of valid Confirms that name a queue pair which does not exist. CONFIRM LINK is
 * never delivered, so the server may still send a Decline (C.2).
 */
static const char *const phantoms[] = {
	"", "7=1f 51=ff 60=ff", "50=01", "50=55", "61=ffffff", "38=ffffff",
	"45=ff", "52=0000000000000000", "46=00000000", "46=ffffffff",
	"41=00000000", "41=ffffffff",
};

static void group_phantom(void)
{
	static const struct clc_case none = GOES_ON("phantom");
	static const struct clc_case gone = {
		"phantom", R_DECLINE, D_CONFIRM_LINK, "FallbackConfirmLink", 0
	};
	int fd[ARRAY_SIZE(phantoms)];
	struct stat_set then;
	struct msg m, accept;
	size_t i;

	agent_stat(&then);
	for (i = 0; i < ARRAY_SIZE(phantoms); i++) {
		/* A peer ID of its own, so that no first contact waits for another */
		hostile.id.peer[1] = i;
		fd[i] = propose(&accept);
		msg_accept(&m, CONFIRM);
		msg_edit(&m, phantoms[i]);
		net_send(fd[i], m.b, m.len);
	}
	honest_meanwhile();
	for (i = 0; i < ARRAY_SIZE(phantoms); i++) {
		client_reaction(fd[i], &gone);
		close(fd[i]);
	}
	stat_wait(&then, "LinksFailed", ARRAY_SIZE(phantoms));
	stat_wait(&then, "FallbackConfirmLink", ARRAY_SIZE(phantoms));
	stat_settled(&then);
	agent_stat(&then);
	client_after(&then, &none);
}

/**
 * struct crossed - bytes that a client sends after the server's Decline
 * @before: bytes before the client's own Decline, may be empty
 * @edits: what is wrong with the Decline, for msg_edit()
 * @twice: a second, valid Decline follows
 * @taken: number of bytes that do not reach the program
 */
struct crossed {
	const char *before;
	const char *edits;
	bool twice;
	size_t taken;
};

static const struct crossed crossed[] = {
	{ "", "", false, 28 }, { "", "", true, 28 },
	{ "", "7=18 16=ffffffffff", false, 28 },
	{ "", "24+16 7=20", false, 44 }, { "", "24+16 7=28", true, 44 },
	/* The client's program has sent, so it has fallen back already: all is data */
	{ PING, "", false, 0 },
	/* Another peer ID, a wrong length, not a Decline */
	{ "", "8=ffffffff", false, 0 }, { "", "23-1", false, 0 },
	{ "", "24+1", false, 0 }, { "", "24+16", false, 0 },
	{ "", "0=e3", false, 0 }, { "", "1*d8", false, 0 },
	{ "", "4=01", false, 0 }, { "", "5=0008", false, 0 },
	{ "", "5=ffff", false, 0 }, { "", "7=00", false, 0 },
};

/* A peer ID for each, so that no first contact waits for another */
static void crossed_id(size_t i)
{
	hostile.id.peer[1] = i;
}

static void crossed_try(int fd, const struct crossed *c, bool at_once)
{
	struct msg decline, m = { 0 }, back = { 0 };
	size_t head = strlen(c->before);

	msg_decline(&decline);
	msg_edit(&decline, c->edits);
	msg_put(&m, c->before, head);
	msg_put(&m, decline.b, decline.len);
	if (c->twice) {
		msg_decline(&decline);
		msg_put(&m, decline.b, decline.len);
	}
	if (!at_once)
		net_send(fd, m.b, m.len);
	msg_put(&m, PONG, WORD_LEN);
	if (at_once)
		net_send(fd, m.b, m.len);
	else
		net_send(fd, PONG, WORD_LEN);
	if (net_recv(fd, &back, m.len - c->taken, WAIT_MS) ||
	    memcmp(back.b, m.b, head) ||
	    memcmp(back.b + head, m.b + head + c->taken, back.len - head))
		complain("\"%s%s\": %zu bytes arrived, not %zu", c->before,
			 c->edits, back.len, m.len - c->taken);
	if (!net_echo(fd))
		complain("\"%s%s\": TCP does not work afterwards", c->before, c->edits);
}

/* Begin the first contact of peer @id; its CONFIRM LINK cannot arrive. */
static int crossed_contact(size_t id)
{
	struct msg m;
	int fd;

	crossed_id(id);
	fd = propose(&m);
	msg_accept(&m, CONFIRM);
	net_send(fd, m.b, m.len);
	return fd;
}

static void group_crossed(void)
{
	static const struct clc_case none = GOES_ON("crossed");
	static const struct clc_case half = RESET("half a Decline");
	int fd[2 * ARRAY_SIZE(crossed)], half_fd;
	struct stat_set then;
	size_t i, taken = 0;
	struct msg m;

	agent_stat(&then);
	for (i = 0; i < ARRAY_SIZE(fd); i++)
		fd[i] = crossed_contact(i);
	half_fd = crossed_contact(i);
	msg_decline(&m);
	net_send(half_fd, m.b, m.len / 2);
	client_reaction(half_fd, &half);
	close(half_fd);
	for (i = 0; i < ARRAY_SIZE(fd); i++) {
		if (net_reaction(fd[i], &m, WAIT_MS) != R_DECLINE)
			complain("%zu: no Decline", i);
		crossed_id(i);
		crossed_try(fd[i], &crossed[i / 2], i % 2);
		taken += !!crossed[i / 2].taken;
		close(fd[i]);
	}
	stat_wait(&then, "CrossedDeclines", taken);
	stat_settled(&then);
	agent_stat(&then);
	client_after(&then, &none);
}

/* Claim a GID without a route, so that CONFIRM LINK cannot be sent. */
static void group_nowhere(void)
{
	static const struct clc_case nowhere = {
		"no route", R_DECLINE, D_CONFIRM_LINK,
		"FallbackConfirmLink", 0
	};
	struct stat_set then;
	struct msg m, accept;
	int fd;

	agent_stat(&then);
	fd = propose(&accept);
	msg_accept(&m, CONFIRM);
	msg_edit(&m, "16=20010db8000000000000000000000001");
	net_send(fd, m.b, m.len);
	client_reaction(fd, &nowhere);
	close(fd);
	client_after(&then, &nowhere);
}

/* Claim one peer ID many times. The first contact waits for its Confirm until the
 * deadline. Each other handshake waits for that group, but for half of the time
 * only, since TCP still works then.
 */
static void group_followers(void)
{
	static const struct clc_case first = {
		"first contact", R_RESET, 0, NULL, 0
	};
	static const struct clc_case behind = {
		"follower", R_DECLINE, D_LIMIT, NULL, 0
	};
	struct msg m, accept;
	struct stat_set then;
	int fd[8];
	size_t i;

	agent_stat(&then);
	deadline_begin();
	fd[0] = propose(&accept);
	msg_proposal4(&m);
	for (i = 1; i < ARRAY_SIZE(fd); i++) {
		fd[i] = net_dial(NULL, hostile.them, PORT_ECHO, true);
		net_send(fd[i], m.b, m.len);
	}
	honest_meanwhile();
	for (i = 1; i < ARRAY_SIZE(fd); i++) {
		client_reaction(fd[i], &behind);
		close(fd[i]);
	}
	client_reaction(fd[0], &first);
	close(fd[0]);
	stat_wait(&then, "HandshakeTimeouts", 1);
	stat_wait(&then, "GroupTimeouts", i - 1);
	deadline_end();
	stat_settled(&then);
	agent_stat(&then);
	client_after(&then, &first);
}

static int open_honest(void)
{
	int fd = util_socket(util_kind_find("smcr4"), SOCK_CLOEXEC);
	union util_addr addr;

	util_addr_parse(&addr, AF_INET, hostile.them, PORT_ECHO);
	if (connect(fd, &addr.sa, util_addr_len(&addr)) || !net_echo(fd))
		util_die("an honest client: %s", util_errno_name(errno));
	return fd;
}

static void group_limits(void)
{
	static const struct clc_case full = {
		"no group allowed", R_DECLINE, D_LIMIT,
		"FallbackResourceLimit", 0
	};
	struct stat_set then;
	struct msg m;
	int fd, used;

	/* A connection keeps its group in use: at the limit, idle groups are freed */
	used = open_honest();
	agent_stat(&then);
	agent_sysctl("max_lgrs", 0);
	fd = net_dial(NULL, hostile.them, PORT_ECHO, true);
	msg_proposal4(&m);
	net_send(fd, m.b, m.len);
	client_reaction(fd, &full);
	close(fd);
	agent_sysctl("max_lgrs", 1024);
	if (stat_delta(&then, "LinkGroups") || stat_delta(&then, "ConnsOpened"))
		complain("a group or connection was created in spite of the limit");
	client_after(&then, &full);
	close(used);
}

static void group_unmarked(void)
{
	static const struct clc_case tcp = {
		"no option", R_TCP, 0, "FallbackNoOption", 0
	};
	struct stat_set then;
	int fd;

	agent_stat(&then);
	fd = net_dial(NULL, hostile.them, PORT_ECHO, false);
	client_reaction(fd, &tcp);
	close(fd);
	client_after(&then, &tcp);
}

const struct group client_groups[] = {
	{ "frames4", "an IPv4 Proposal with a format fault is reset; reserved fields are ignored",
	  group_frames4 },
	{ "values4",
	  "an IPv4 Proposal with a bad value gets a Decline with its diagnosis, then TCP",
	  group_values4 },
	{ "six", "IPv6 takes 8 prefixes, resets 9, declines foreign ones; mapped is IPv4",
	  group_six },
	{ "impostor", "a remote peer that claims the server's peer ID or GID is declined",
	  group_impostor },
	{ "declines",
	  "a Decline of 28 or 44 bytes as first message leads to TCP, a malformed one to a reset",
	  group_declines },
	{ "deferred", "accept() of a listener that waits for bytes waits after a Decline, too",
	  group_deferred },
	{ "confirms",
	  "a fault in a first Confirm leads to a reset or a Decline, and no group stays",
	  group_confirms },
	{ "order", "a CLC message that is out of order leads to a reset",
	  group_order },
	{ "plain", "bytes that are no CLC message are the program's", plain_bytes },
	{ "urgent", "a Proposal whose first byte is urgent is the program's bytes", plain_urgent },
	{ "mute", "a silent client is TCP in the end, and a Proposal after that a reset",
	  plain_mute },
	{ "pipelined", "bytes after a Decline or a declined Proposal reach the program",
	  group_pipelined },
	{ "late", "after Confirm a Decline or an end leads to TCP, other bytes to a reset",
	  group_late },
	{ "tardy", "a Proposal that comes late, but in time, gets an Accept",
	  group_tardy },
	{ "slow", "messages sent one byte per segment get the same reaction",
	  group_slow },
	{ "cut", "a message that is cut off behind its eye catcher leads to a reset",
	  group_cut },
	{ "gone", "a TCP reset at any point of the exchange leaves nothing over",
	  group_gone },
	{ "deadline", "a message that never becomes complete leads to a reset at one deadline",
	  group_deadline },
	{ "followers", "who waits for a silent client's group is TCP in the end",
	  group_followers },
	{ "phantom", "made-up queue pairs and memory get a Decline after RDMA fails, then TCP",
	  group_phantom },
	{ "crossed", "a Decline that crosses the server's is not data, everything else is",
	  group_crossed },
	{ "nowhere", "a GID without a route gets a Decline, then TCP",
	  group_nowhere },
	{ "limits", "at the limit of groups the server declines before it creates any object",
	  group_limits },
	{ "unmarked", "a SYN without the option leads to TCP without CLC",
	  group_unmarked },
	{ }
};
