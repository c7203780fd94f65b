// SPDX-License-Identifier: GPL-2.0
/* As a hostile server of an smcr client. */
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define D_VALUE		0x030C0080
#define D_SYNC		0x04000000
#define D_IDENTITY	0x030C0081

#define RESET(edits)	{ edits, R_RESET, 0, NULL, 1 }
#define VALUE(edits)	{ edits, R_DECLINE, D_VALUE, "FallbackBadEnum", 1 }
#define SYNC(edits)	{ edits, R_SYNC, D_SYNC, "FallbackOutOfSync", 0 }
#define TCP(edits)	{ edits, R_TCP, 0, "FallbackPeerDeclined", 0 }
#define ZEROS16		"00000000000000000000000000000000"

static const struct clc_case accepts[] = {
	{ "", R_CONFIRM, 0, NULL, 0 },
	{ "7=1f 51=ff 60=ff", R_CONFIRM, 0, NULL, 0 },
	{ "7=28", R_CONFIRM, 0, NULL, 0 }, { "7=f8", R_CONFIRM, 0, NULL, 0 },
	{ "50=01", R_CONFIRM, 0, NULL, 0 }, { "50=f5", R_CONFIRM, 0, NULL, 0 },
	{ "45=ff", R_CONFIRM, 0, NULL, 0 },
	{ "8=0000000000000000", R_CONFIRM, 0, NULL, 0 },
	RESET("0=00"), RESET("1=00"), RESET("2=00"), RESET("3=00"),
	RESET("3=c4"), RESET("4*00"), RESET("3*00"), RESET("2*00"),
	RESET("1*00"), RESET("4*e2d4c3c4"),
	RESET("4=00"), RESET("4=01"), RESET("4=03"), RESET("4=04"),
	RESET("4=05"), RESET("4=ff"),
	RESET("5=0000"), RESET("5=0043"), RESET("64+1"), RESET("5=006c"),
	RESET("5=ffff"), RESET("7=20 64+40"), RESET("7=08"),
	RESET("45=00"), RESET("52=ffffffffffffffff"),
	RESET("52=fffffffffffe0001"),
	VALUE("50=30"), VALUE("50=36"), VALUE("50=3f"), VALUE("50=f0"),
	VALUE("38=000000"), VALUE("38=000001"), VALUE("16=" ZEROS16),
	VALUE("16=ff02"), VALUE("32=000000000000"), VALUE("32=01"),
	/* A link that is not ours: out of sync, whatever its values */
	SYNC("7=10"), SYNC("7=10 50=30"), SYNC("7=10 38=000001"),
	SYNC("7=10 16=" ZEROS16), SYNC("7=10 8=0000000000000000"),
	/* The client's own GID: it would talk to itself */
	{ "16=00000000000000000000ffff0a090001", R_DECLINE, D_IDENTITY,
	  "FallbackPeerId", 0 },
};

static const struct clc_case declines[] = {
	TCP(""), TCP("7=18"), TCP("7=17"), TCP("20=ffffffff"),
	TCP("16=ffffffff"), TCP("8=0000000000000000"), TCP("24+16 7=20"),
	TCP("24+16 7=28"), TCP("7=20"),
	RESET("24+16"), RESET("24+1"), RESET("20-1"), RESET("5=ffff"),
	RESET("4*00"), RESET("1*00"), RESET("0=00"), RESET("7=08"),
};

/* The host under test begins to connect to @to, with a socket of @kind;
 * returns our end. What is due is in @m, and is sent before the question comes,
 * if it is not empty; then the Proposal is there.
 */
static int called_at(const char *kind, const char *to, int listener,
		     const char *verb, struct msg *m)
{
	char line[128];
	int fd;

	snprintf(line, sizeof(line), "%s %s %s %u", verb, kind, to,
		 PORT_HOSTILE);
	agent_ask(line);
	fd = net_accept(listener);
	if (!net_agreed(fd))
		util_die("no option in the SYN");
	net_send(fd, m->b, m->len);
	if (net_recv_clc(fd, m, WAIT_MS) || msg_complaint(m, PROPOSAL))
		complain("not a Proposal");
	return fd;
}

static int called_early(int listener, const char *verb, struct msg *m)
{
	return called_at("smcr4", hostile.us, listener, verb, m);
}

/* Likewise, past its Proposal */
static int called(int listener, const char *verb, struct msg *proposal)
{
	proposal->len = 0;
	return called_early(listener, verb, proposal);
}

/* What its program saw */
static void outcome(const char *edits, const char *want)
{
	char line[128];

	agent_answer(line, sizeof(line));
	if (strcmp(line, want))
		complain("\"%s\": connect() and a word: %s, not %s", edits,
			 line, want);
}

static void serve_word(int fd, const char *edits)
{
	struct msg m = { 0 };

	if (net_recv(fd, &m, WORD_LEN, WAIT_MS) ||
	    memcmp(m.b, PING, WORD_LEN))
		complain("\"%s\": no TCP then", edits);
	else
		net_send(fd, m.b, WORD_LEN);
}

static void counters(const struct stat_set *then, const struct clc_case *c)
{
	struct stat_set now;

	stat_settled(then);
	agent_stat(&now);
	stat_case(then, &now, c);
}

/* Its program then connects to who is honest, by RDMA. */
static void afterwards(const struct stat_set *then, const struct clc_case *c)
{
	struct stat_set now;
	char line[128];

	counters(then, c);
	agent_stat(&now);
	snprintf(line, sizeof(line), "connect smcr4 %s %u", hostile.us,
		 PORT_HONEST);
	agent_ask(line);
	outcome("an honest server then", "ok");
	stat_settled(then);
	if (stat_delta(&now, "ActiveOpens") != 1)
		complain("\"%s\": no RDMA with an honest server", c->edits);
}

static void check_reaction(int fd, const struct clc_case *c)
{
	enum reaction got = R_TCP;
	struct msg m;

	if (c->want != R_TCP)
		got = net_reaction(fd, &m, WAIT_MS);
	if (got != c->want) {
		complain("\"%s\": reaction %d, not %d", c->edits, got, c->want);
		return;
	}
	if ((got == R_DECLINE || got == R_SYNC) &&
	    msg_get(&m, 16, 4) != c->diag)
		complain("\"%s\": diagnosis %08x", c->edits,
			 (unsigned int)msg_get(&m, 16, 4));
	if (got != R_RESET && got != R_CONFIRM)
		serve_word(fd, c->edits);
}

static bool is_tcp(const struct clc_case *c)
{
	return c->want != R_RESET && c->want != R_CONFIRM;
}

static void finish(int fd, const struct stat_set *then,
		   const struct clc_case *c)
{
	if (is_tcp(c))
		outcome(c->edits, "ok");
	close(fd);
	if (!is_tcp(c))
		outcome(c->edits, "ECONNRESET");
	afterwards(then, c);
}

static void try_reply(int listener, int type, const struct clc_case *c)
{
	struct stat_set then;
	struct msg m;
	int fd;

	agent_stat(&then);
	fd = called(listener, "connect", &m);
	if (type == ACCEPT)
		msg_accept(&m, ACCEPT);
	else
		msg_decline(&m);
	msg_edit(&m, c->edits);
	net_send(fd, m.b, m.len);
	check_reaction(fd, c);
	finish(fd, &then, c);
}

static int begin(void)
{
	int listener = net_listen(hostile.us, PORT_HOSTILE, true);
	struct stat_set then;
	char line[128];

	echo_start("smcr4", hostile.us, PORT_HONEST);
	agent_stat(&then);
	snprintf(line, sizeof(line), "connect smcr4 %s %u", hostile.us,
		 PORT_HONEST);
	agent_ask(line);
	outcome("an honest server at first", "ok");
	stat_wait(&then, "ConnsClosed", 1);
	return listener;
}

static void group_accepts(void)
{
	int listener = begin();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(accepts); i++)
		if (sampled())
			try_reply(listener, ACCEPT, &accepts[i]);
}

static void group_declines(void)
{
	int listener = begin();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(declines); i++)
		if (sampled())
			try_reply(listener, DECLINE, &declines[i]);
}

/* What smcr itself says in its Proposal */
static void group_proposal(void)
{
	static const struct clc_case tcp = TCP("");
	int listener = begin();
	struct stat_set then;
	struct msg m, d;
	int fd;

	agent_stat(&then);
	fd = called(listener, "connect", &m);
	if (m.len != 52)
		complain("%zu bytes over IPv4", m.len);
	if (msg_get(&m, 40, 4) != 0x0a090000 || m.b[44] != 24 || m.b[47])
		complain("not the subnet");
	if (msg_get(&m, 45, 2) || m.b[7] != 0x10)
		complain("reserved bits or bytes");
	if (m.b[16] == 0xff || m.b[32] & 1)
		complain("multicast GID or MAC");
	msg_decline(&d);
	net_send(fd, d.b, d.len);
	serve_word(fd, "");
	finish(fd, &then, &tcp);
}

/* The IPv6 prefixes of a Proposal: each once, though the host under test has
 * several addresses in each (see hostile_clc_server.sh).
 */
static void group_six(void)
{
	static const struct clc_case tcp = TCP("");
	struct msg m = { 0 }, d;
	struct stat_set then;
	size_t i, found = 0;
	int listener, fd;

	begin();
	listener = net_listen(hostile.us6, PORT_HOSTILE, true);
	agent_stat(&then);
	fd = called_at("smcr6", hostile.us6, listener, "connect", &m);
	if (m.b[47] != 2 || m.len != 52 + 2 * 17)
		complain("%u prefixes, %zu bytes", m.b[47], m.len);
	for (i = 48; i + 17 < m.len; i += 17) {
		if (msg_get(&m, i + 8, 8) || m.b[i + 16] != 64)
			complain("not a prefix of 64 bits");
		found += msg_get(&m, i, 8) == 0xfd09000000000000 ||
			 msg_get(&m, i, 8) == 0xfd0a000000000000;
	}
	if (found != 2 || !memcmp(m.b + 48, m.b + 65, 16))
		complain("not the prefixes fd09::/64 and fd0a::/64");
	msg_decline(&d);
	net_send(fd, d.b, d.len);
	serve_word(fd, "");
	finish(fd, &then, &tcp);
}

/* A server that echoes the option and is no SMC-R peer at all */
static void group_banner(void)
{
	static const struct clc_case bad = RESET("a banner");
	static const char *const banners[] = {
		"220 mail.example.org ESMTP ready\r\n", "SSH-2.0-none\r\n", "HTTP",
	};
	int listener = begin();
	struct stat_set then;
	struct msg m;
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(banners); i++) {
		agent_stat(&then);
		fd = called(listener, "connect", &m);
		net_send(fd, banners[i], strlen(banners[i]));
		/* Less than a header and an end is no message either */
		if (strlen(banners[i]) < 8)
			shutdown(fd, SHUT_WR);
		check_reaction(fd, &bad);
		close(fd);
		outcome(banners[i], "ECONNRESET");
		counters(&then, strlen(banners[i]) < 8 ?
			 &(struct clc_case){ "", R_RESET, 0, NULL, 0 } :
			 &bad);
	}
	agent_stat(&then);
	afterwards(&then, &(struct clc_case){ "", R_RESET, 0, NULL, 0 });
}

static void group_pipelined(void)
{
	static const struct clc_case tcp = TCP("Decline with a word behind");
	static const struct clc_case crossed = {
		"crossed SYNs", R_TCP, 0, "FallbackCrossedSyn", 0
	};
	static const struct clc_case bad = RESET("garbage behind");
	int listener = begin();
	struct stat_set then;
	struct msg m, p;
	int fd, i;

	/* What is behind a Decline is for the program */
	agent_stat(&then);
	fd = called(listener, "word", &p);
	msg_decline(&m);
	msg_put(&m, PONG, WORD_LEN);
	net_send(fd, m.b, m.len);
	serve_word(fd, tcp.edits);
	finish(fd, &then, &tcp);
	/* Both were clients: a Proposal, then what the program sends */
	agent_stat(&then);
	fd = called(listener, "word", &p);
	msg_proposal4(&m);
	msg_put(&m, PONG, WORD_LEN);
	net_send(fd, m.b, m.len);
	serve_word(fd, crossed.edits);
	finish(fd, &then, &crossed);
	/* The client is not done: only a Decline may follow an Accept */
	for (i = 0; i < 2; i++) {
		agent_stat(&then);
		fd = called(listener, "connect", &p);
		msg_accept(&m, ACCEPT);
		if (i)
			msg_put(&m, m.b, m.len);
		else
			msg_put(&m, PONG PONG, 2 * WORD_LEN);
		net_send(fd, m.b, m.len);
		if (net_reaction(fd, &p, WAIT_MS) == R_CONFIRM)
			check_reaction(fd, &bad);
		close(fd);
		outcome(bad.edits, "ECONNRESET");
		afterwards(&then, &bad);
	}
}

/* An answer before the question, one byte a segment, and one with a Decline
 * behind Accept.
 */
static void group_slow(void)
{
	static const struct clc_case on = { "slow", R_CONFIRM, 0, NULL, 0 };
	static const struct clc_case tcp = TCP("Decline after Accept");
	static const struct clc_case value = VALUE("slow");
	int listener = begin();
	struct stat_set then;
	struct msg m, p;
	int fd;

	agent_stat(&then);
	fd = called(listener, "connect", &p);
	msg_accept(&m, ACCEPT);
	net_send_slow(fd, m.b, m.len, 0);
	check_reaction(fd, &on);
	finish(fd, &then, &on);

	agent_stat(&then);
	p = m;
	fd = called_early(listener, "connect", &p);
	check_reaction(fd, &on);
	finish(fd, &then, &on);

	agent_stat(&then);
	fd = called(listener, "connect", &p);
	msg_edit(&m, "50=30");
	net_send_slow(fd, m.b, m.len, 0);
	check_reaction(fd, &value);
	finish(fd, &then, &value);

	agent_stat(&then);
	fd = called(listener, "connect", &p);
	msg_accept(&m, ACCEPT);
	net_send(fd, m.b, m.len);
	check_reaction(fd, &on);
	msg_decline(&m);
	net_send(fd, m.b, m.len);
	serve_word(fd, tcp.edits);
	finish(fd, &then, &tcp);
}

static void group_cut(void)
{
	static const struct clc_case cut = { "cut off", R_RESET, 0, NULL, 0 };
	int listener = begin();
	struct stat_set then;
	struct msg m, p;
	size_t len;
	int fd;

	agent_stat(&then);
	msg_accept(&m, ACCEPT);
	for (len = 0; len < m.len; len++) {
		if (!sampled())
			continue;
		fd = called(listener, "connect", &p);
		net_send(fd, m.b, len);
		shutdown(fd, SHUT_WR);
		check_reaction(fd, &cut);
		close(fd);
		outcome(cut.edits, "ECONNRESET");
	}
	afterwards(&then, &cut);
}

/* Silence at each place, and bytes that trickle in */
static void group_deadline(void)
{
	static const struct clc_case late = { "late", R_RESET, 0, NULL, 0 };
	static const size_t lens[] = { 0, 7, 8, 67 };
	int listener = begin();
	struct stat_set then;
	struct msg m, p;
	size_t i;
	int fd;

	agent_stat(&then);
	deadline_begin();
	msg_accept(&m, ACCEPT);
	for (i = 0; i <= ARRAY_SIZE(lens); i++) {
		fd = called(listener, "connect", &p);
		if (i < ARRAY_SIZE(lens))
			net_send(fd, m.b, lens[i]);
		else
			net_send_slow(fd, m.b, m.len - 1, deadline_ms() / 50);
		check_reaction(fd, &late);
		close(fd);
		outcome(late.edits, "ETIMEDOUT");
	}
	stat_wait(&then, "HandshakeTimeouts", ARRAY_SIZE(lens) + 1);
	deadline_end();
	afterwards(&then, &late);
}

/* A good Accept, a Confirm, and then no CONFIRM LINK: after that timer there
 * is no way back to TCP (C.7).
 */
static void group_phantom(void)
{
	static const struct clc_case gone = { "phantom", R_RESET, 0, NULL, 0 };
	static const char *const edits[] = { "", "38=ffffff" };
	int listener = begin();
	struct stat_set then;
	struct msg m, p;
	size_t i;
	int fd;

	agent_sysctl("confirm_link_timeout_ms", 3000);
	for (i = 0; i < ARRAY_SIZE(edits); i++) {
		agent_stat(&then);
		fd = called(listener, "connect", &p);
		msg_accept(&m, ACCEPT);
		msg_edit(&m, edits[i]);
		net_send(fd, m.b, m.len);
		if (net_reaction(fd, &p, WAIT_MS) != R_CONFIRM)
			complain("no Confirm");
		check_reaction(fd, &gone);
		close(fd);
		outcome(gone.edits, "ECONNRESET");
		afterwards(&then, &gone);
	}
	agent_sysctl("confirm_link_timeout_ms", 8000);
}

const struct group server_groups[] = {
	{ "proposal", "smcr's own Proposal has the form of Figure 26",
	  group_proposal },
	{ "six", "over IPv6 its Proposal lists each prefix once", group_six },
	{ "accepts", "each field of an Accept: reset, Decline, Decline with S",
	  group_accepts },
	{ "declines", "a Decline of 28 or 44 bytes: TCP; a broken one: reset",
	  group_declines },
	{ "banner", "a server that only echoes the option: reset",
	  group_banner },
	{ "pipelined", "bytes behind a Decline, or after crossed SYNs, are the program's",
	  group_pipelined },
	{ "slow", "an Accept early, or slow, is as good; a Decline after it: TCP",
	  group_slow },
	{ "cut", "an Accept cut off behind any byte: reset", group_cut },
	{ "deadline", "silent, or slow without an end: ETIMEDOUT at one deadline",
	  group_deadline },
	{ "phantom", "no CONFIRM LINK after an Accept: reset, never TCP",
	  group_phantom },
	{ }
};
