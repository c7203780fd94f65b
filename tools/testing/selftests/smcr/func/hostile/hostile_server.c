// SPDX-License-Identifier: GPL-2.0
/* A hostile server of an smcr client. */
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
	/* An unknown link without F: out of sync, whatever its values */
	SYNC("7=10"), SYNC("7=10 50=30"), SYNC("7=10 38=000001"),
	SYNC("7=10 16=" ZEROS16), SYNC("7=10 8=0000000000000000"),
	/* The client's own GID: RDMA to it would loop back to the client */
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

/* Let the host under test connect to @to with a socket of @kind and return our end.
 * Bytes in @m are sent before the Proposal arrives; on return @m holds the Proposal.
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

/* Like called_early(), but sends nothing before the Proposal. */
static int called(int listener, const char *verb, struct msg *proposal)
{
	proposal->len = 0;
	return called_early(listener, verb, proposal);
}

/* Compare what the program on the host under test saw with @want. */
static void outcome(const char *edits, const char *want)
{
	char line[128];

	agent_answer(line, sizeof(line));
	if (strcmp(line, want))
		complain("\"%s\": ping() of the program: %s, not %s", edits,
			 line, want);
}

static void serve_word(int fd, const char *edits)
{
	struct msg m = { 0 };

	if (net_recv(fd, &m, WORD_LEN, WAIT_MS) ||
	    memcmp(m.b, PING, WORD_LEN))
		complain("\"%s\": TCP does not work afterwards", edits);
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

/* Check that the host under test then reaches an honest server over RDMA. */
static void afterwards(const struct stat_set *then, const struct clc_case *c)
{
	struct stat_set now;
	char line[128];

	counters(then, c);
	agent_stat(&now);
	snprintf(line, sizeof(line), "connect smcr4 %s %u", hostile.us,
		 PORT_HONEST);
	agent_ask(line);
	outcome("an honest server after it", "ok");
	stat_settled(then);
	if (stat_delta(&now, "ActiveOpens") != 1)
		complain("\"%s\": no RDMA with an honest server", c->edits);
}

static bool is_tcp(const struct clc_case *c)
{
	return c->want != R_RESET && c->want != R_CONFIRM;
}

static void check_reaction(int fd, const struct clc_case *c)
{
	if (net_reacts(fd, c) && is_tcp(c))
		serve_word(fd, c->edits);
}

static void finish(int fd, const struct stat_set *then,
		   const struct clc_case *c)
{
	if (is_tcp(c))
		outcome(c->edits, "ok");
	/* After a Confirm a FIN would end nothing before the deadline, as it
	 * may overtake an LLC message
	 */
	if (c->want == R_CONFIRM)
		net_reset(fd);
	else
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
	outcome("an honest server, before any case", "ok");
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

/* The Proposal that smcr itself sends */
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
		complain("the IPv4 Proposal has %zu bytes", m.len);
	if (msg_get(&m, 40, 4) != 0x0a090000 || m.b[44] != 24 || m.b[47])
		complain("wrong subnet");
	if (msg_get(&m, 45, 2) || m.b[7] != 0x10)
		complain("wrong version, reserved bits or reserved bytes");
	if (m.b[16] == 0xff || m.b[32] & 1)
		complain("multicast GID or MAC");
	msg_decline(&d);
	net_send(fd, d.b, d.len);
	serve_word(fd, "");
	finish(fd, &then, &tcp);
}

/* A Proposal lists each IPv6 prefix once, though the host under test has several
 * addresses in each (see hostile_clc_server.sh).
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

/* A server that echoes the option but does not speak SMC-R */
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
		/* End of file within the header: no complete message */
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

	/* Bytes after a Decline belong to the program */
	agent_stat(&then);
	fd = called(listener, "word", &p);
	msg_decline(&m);
	msg_put(&m, PONG, WORD_LEN);
	net_send(fd, m.b, m.len);
	serve_word(fd, tcp.edits);
	finish(fd, &then, &tcp);
	/* Crossed SYNs: both ends are clients; a Proposal, then bytes of the program */
	agent_stat(&then);
	fd = called(listener, "word", &p);
	msg_proposal4(&m);
	msg_put(&m, PONG, WORD_LEN);
	net_send(fd, m.b, m.len);
	serve_word(fd, crossed.edits);
	finish(fd, &then, &crossed);
	/* Only a Decline may follow an Accept before CONFIRM LINK */
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

/* An Accept of one byte per segment, one before the Proposal, a bad one of one byte
 * per segment, and one that a Decline follows.
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

/* Silence at several points of an Accept, and bytes that trickle in */
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

/* Valid Accept, Confirm, and then no CONFIRM LINK: when its timer expires, the client
 * cannot fall back to TCP any more (C.7).
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
	{ "six", "its IPv6 Proposal lists each prefix once", group_six },
	{ "accepts", "a fault in an Accept gets a reset, a Decline or a Decline with S",
	  group_accepts },
	{ "declines", "a Decline of 28 or 44 bytes leads to TCP, a malformed one to a reset",
	  group_declines },
	{ "banner", "a server that only echoes the option gets a reset",
	  group_banner },
	{ "pipelined", "bytes after a Decline or after crossed SYNs reach the program",
	  group_pipelined },
	{ "slow", "an early or slow Accept works, and a Decline after it leads to TCP",
	  group_slow },
	{ "cut", "an Accept that is cut off after any byte gets a reset",
	  group_cut },
	{ "deadline", "an Accept that never becomes complete ends in ETIMEDOUT at one deadline",
	  group_deadline },
	{ "phantom", "no CONFIRM LINK after an Accept leads to a reset, never to TCP",
	  group_phantom },
	{ }
};
