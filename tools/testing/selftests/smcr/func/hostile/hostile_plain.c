// SPDX-License-Identifier: GPL-2.0
/* Clients that send the option and are plain TCP all the same. */
#include "hostile.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/**
 * plain_echo() - check that the program has got exactly these bytes, and echoes others
 * @fd: the connection
 * @sent: the bytes
 * @c: the case
 */
void plain_echo(int fd, const struct msg *sent, const struct clc_case *c)
{
	struct msg m = { 0 };
	int err = net_recv(fd, &m, sent->len, WAIT_MS);

	if (err || memcmp(m.b, sent->b, sent->len))
		complain("\"%s\": %s after %zu bytes that came back", c->edits,
			 util_errno_name(-err), m.len);
	else if (!net_echo(fd))
		complain("\"%s\": TCP does not work afterwards", c->edits);
}

/**
 * plain_bytes() - send what the program of a client sends that has not seen the option
 *
 * That is text, another protocol, zeros, a part of the eye catcher and then other
 * bytes, or a part of it and no more.
 */
void plain_bytes(void)
{
	static const struct clc_case plain = PROGRAM("plain");
	static const char http[] = "GET / HTTP/1.0\r\n\r\n";
	static const uint8_t tls[] = { 0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3 };
	static const uint8_t part[] = { 0xe2, 0xd4, 0xc3, 0xd8 };
	struct msg m[4 + 3];
	struct stat_set then;
	size_t i;
	int fd;

	memset(m, 0, sizeof(m));
	msg_put(&m[0], http, sizeof(http) - 1);
	msg_put(&m[1], tls, sizeof(tls));
	msg_put(&m[2], NULL, MSG_ROOM / 2);
	msg_put(&m[3], part, sizeof(part));
	for (i = 0; i < 3; i++)
		msg_put(&m[4 + i], part, i + 1);
	for (i = 0; i < ARRAY_SIZE(m); i++) {
		agent_stat(&then);
		fd = net_dial(NULL, hostile.them, PORT_ECHO, true);
		net_send_slow(fd, m[i].b, i > 2 ? m[i].len : 0, 0);
		if (i < 3)
			net_send(fd, m[i].b, m[i].len);
		if (i > 3)
			shutdown(fd, SHUT_WR);
		if (i > 3 && net_recv(fd, &(struct msg){ 0 }, m[i].len, WAIT_MS))
			complain("%zu bytes and a FIN are not echoed", m[i].len);
		else if (i <= 3)
			plain_echo(fd, &m[i], &plain);
		close(fd);
		client_after(&then, &plain);
	}
}

/**
 * plain_urgent() - send a Proposal whose first byte is urgent
 *
 * That byte is not in the stream, and the rest is the program's.
 */
void plain_urgent(void)
{
	static const struct clc_case urgent = PROGRAM("0 is urgent");
	struct msg m, rest = { 0 };
	struct stat_set then;
	int fd;

	agent_stat(&then);
	msg_proposal4(&m);
	fd = net_dial(NULL, hostile.them, PORT_ECHO, true);
	if (send(fd, m.b, 1, MSG_OOB) != 1)
		complain("no urgent byte is sent");
	msg_put(&rest, m.b + 1, m.len - 1);
	net_send(fd, rest.b, rest.len);
	plain_echo(fd, &rest, &urgent);
	close(fd);
	client_after(&then, &urgent);
}

/**
 * plain_mute() - send nothing, or a part of an eye catcher, for as long as a handshake
 *	may take
 *
 * The client is plain TCP then, and a Proposal after that resets TCP.
 */
void plain_mute(void)
{
	static const struct clc_case mute = { "mute", R_RESET, 0, NULL, 0 };
	struct stat_set then;
	struct msg m, got;
	int fd[5];
	size_t i;

	msg_proposal4(&m);
	agent_stat(&then);
	deadline_begin();
	for (i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = net_dial(NULL, hostile.them, PORT_ECHO, true);
		net_send(fd[i], m.b, i < 4 ? i : 0);
	}
	stat_wait(&then, "FallbackNoProposal", ARRAY_SIZE(fd));
	deadline_end();
	for (i = 0; i < 4; i++) {
		memset(&got, 0, sizeof(got));
		if (net_recv(fd[i], &got, i, WAIT_MS) || memcmp(got.b, m.b, i))
			complain("%zu bytes do not come back", i);
		if (!net_echo(fd[i]))
			complain("TCP does not work after %zu bytes", i);
		close(fd[i]);
	}
	net_send(fd[4], m.b, m.len);
	client_reaction(fd[4], &mute);
	close(fd[4]);
	stat_wait(&then, "LateProposals", 1);
	agent_stat(&then);
	client_after(&then, &mute);
}
