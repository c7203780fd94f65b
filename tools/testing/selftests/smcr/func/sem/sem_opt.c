// SPDX-License-Identifier: GPL-2.0
/* Steps that set and get socket options. */
#define _GNU_SOURCE
#include "sem.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>

#ifndef SO_TXREHASH
#define SO_TXREHASH 74
#endif
#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

static const struct sem_name levels[] = {
	{ "socket", SOL_SOCKET }, { "tcp", IPPROTO_TCP }, { "ip", IPPROTO_IP },
	{ "ipv6", IPPROTO_IPV6 }, { "udp", IPPROTO_UDP }, { 0 },
};

static const struct sem_name socket_opts[] = {
	{ "debug", SO_DEBUG }, { "reuseaddr", SO_REUSEADDR },
	{ "type", SO_TYPE }, { "error", SO_ERROR },
	{ "dontroute", SO_DONTROUTE }, { "broadcast", SO_BROADCAST },
	{ "sndbuf", SO_SNDBUF }, { "rcvbuf", SO_RCVBUF },
	{ "keepalive", SO_KEEPALIVE }, { "oobinline", SO_OOBINLINE },
	{ "priority", SO_PRIORITY }, { "linger", SO_LINGER },
	{ "reuseport", SO_REUSEPORT }, { "rcvlowat", SO_RCVLOWAT },
	{ "sndlowat", SO_SNDLOWAT }, { "rcvtimeo", SO_RCVTIMEO },
	{ "sndtimeo", SO_SNDTIMEO }, { "acceptconn", SO_ACCEPTCONN },
	{ "protocol", SO_PROTOCOL }, { "domain", SO_DOMAIN },
	{ "sndbufforce", SO_SNDBUFFORCE }, { "rcvbufforce", SO_RCVBUFFORCE },
	{ "timestamp", SO_TIMESTAMP }, { "mark", SO_MARK },
	{ "busypoll", SO_BUSY_POLL }, { "zerocopy", SO_ZEROCOPY },
	{ "maxpacing", SO_MAX_PACING_RATE }, { "passcred", SO_PASSCRED },
	{ "nofcs", SO_NOFCS }, { "incomingcpu", SO_INCOMING_CPU },
	{ "bindtodevice", SO_BINDTODEVICE }, { "peercred", SO_PEERCRED },
	{ "peekoff", SO_PEEK_OFF }, { "cookie", SO_COOKIE },
	{ "txrehash", SO_TXREHASH },
	{ "unknown", 9999 }, { 0 },
};

static const struct sem_name tcp_opts[] = {
	{ "nodelay", TCP_NODELAY }, { "maxseg", TCP_MAXSEG },
	{ "cork", TCP_CORK }, { "keepidle", TCP_KEEPIDLE },
	{ "keepintvl", TCP_KEEPINTVL }, { "keepcnt", TCP_KEEPCNT },
	{ "syncnt", TCP_SYNCNT }, { "linger2", TCP_LINGER2 },
	{ "deferaccept", TCP_DEFER_ACCEPT },
	{ "windowclamp", TCP_WINDOW_CLAMP }, { "quickack", TCP_QUICKACK },
	{ "usertimeout", TCP_USER_TIMEOUT },
	{ "notsentlowat", TCP_NOTSENT_LOWAT }, { "fastopen", TCP_FASTOPEN },
	{ "inq", TCP_INQ },
	{ "unknown", 9999 }, { 0 },
};

static const struct sem_name ip_opts[] = {
	{ "tos", IP_TOS }, { "ttl", IP_TTL }, { "freebind", IP_FREEBIND },
	{ "recverr", IP_RECVERR }, { "mtudiscover", IP_MTU_DISCOVER },
	{ "bindnoport", IP_BIND_ADDRESS_NO_PORT }, { "pktinfo", IP_PKTINFO },
	{ "v6only", IPV6_V6ONLY }, { "tclass", IPV6_TCLASS },
	{ "unicasthops", IPV6_UNICAST_HOPS }, { "unknown", 9999 }, { 0 },
};

static int level_of(const struct sem_cmd *cmd)
{
	return sem_flags(levels, cmd->argv[2]);
}

static int option_of(const struct sem_cmd *cmd)
{
	switch (level_of(cmd)) {
	case SOL_SOCKET:
		return sem_flags(socket_opts, cmd->argv[3]);
	case IPPROTO_TCP:
		return sem_flags(tcp_opts, cmd->argv[3]);
	default:
		return sem_flags(ip_opts, cmd->argv[3]);
	}
}

/* getopt NAME LEVEL OPTION [LENGTH] */
static void run_getopt(struct sem_cmd *cmd)
{
	socklen_t len = sem_num(cmd, 4, sizeof(int));
	int value = 0;
	int ret;

	ret = getsockopt(sem_fd_number(cmd->argv[1]), level_of(cmd),
			 option_of(cmd), &value, &len);
	if (ret < 0)
		sem_reply_ret(cmd, ret);
	else if (!strcmp(cmd->argv[3], "error"))
		sem_reply(cmd, "0 value %s len %u", util_errno_name(value),
			  len);
	else if (!strcmp(cmd->argv[3], "incomingcpu"))
		sem_reply(cmd, "0 %s", value < 0 ? "no CPU" : "a CPU");
	else
		sem_reply(cmd, "0 value %d len %u", value, len);
}

/* setopt NAME LEVEL OPTION VALUE [LENGTH] */
static void run_setopt(struct sem_cmd *cmd)
{
	int value = sem_num(cmd, 4, 0);

	sem_reply_ret(cmd, setsockopt(sem_fd_number(cmd->argv[1]),
				      level_of(cmd), option_of(cmd), &value,
				      sem_num(cmd, 5, sizeof(value))));
}

/* setoptbad NAME LEVEL OPTION: with an invalid pointer to the value */
static void run_setoptbad(struct sem_cmd *cmd)
{
	sem_reply_ret(cmd, setsockopt(sem_fd_number(cmd->argv[1]),
				      level_of(cmd), option_of(cmd),
				      (void *)8, sizeof(int)));
}

/* getoptbad NAME LEVEL OPTION: with an invalid pointer to the value */
static void run_getoptbad(struct sem_cmd *cmd)
{
	socklen_t len = sizeof(int);

	sem_reply_ret(cmd, getsockopt(sem_fd_number(cmd->argv[1]),
				      level_of(cmd), option_of(cmd),
				      (void *)8, &len));
}

/* setlinger NAME ON SECONDS */
static void run_setlinger(struct sem_cmd *cmd)
{
	struct linger value = {
		.l_onoff = sem_num(cmd, 2, 0), .l_linger = sem_num(cmd, 3, 0),
	};

	sem_reply_ret(cmd, setsockopt(sem_fd_number(cmd->argv[1]), SOL_SOCKET,
				      SO_LINGER, &value, sizeof(value)));
}

/* getlinger NAME */
static void run_getlinger(struct sem_cmd *cmd)
{
	struct linger value = { 0 };
	socklen_t len = sizeof(value);
	int ret = getsockopt(sem_fd_number(cmd->argv[1]), SOL_SOCKET,
			     SO_LINGER, &value, &len);

	if (ret < 0)
		sem_reply_ret(cmd, ret);
	else
		sem_reply(cmd, "0 on %d time %d", value.l_onoff,
			  value.l_linger);
}

/* settimeo NAME rcvtimeo|sndtimeo MILLISECONDS */
static void run_settimeo(struct sem_cmd *cmd)
{
	long ms = sem_num(cmd, 3, 0);
	struct timeval value = {
		.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000,
	};

	sem_reply_ret(cmd, setsockopt(sem_fd_number(cmd->argv[1]), SOL_SOCKET,
				      sem_flags(socket_opts, cmd->argv[2]),
				      &value, sizeof(value)));
}

/* gettimeo NAME rcvtimeo|sndtimeo */
static void run_gettimeo(struct sem_cmd *cmd)
{
	struct timeval value = { 0 };
	socklen_t len = sizeof(value);
	int ret = getsockopt(sem_fd_number(cmd->argv[1]), SOL_SOCKET,
			     sem_flags(socket_opts, cmd->argv[2]), &value,
			     &len);

	if (ret < 0)
		sem_reply_ret(cmd, ret);
	else
		sem_reply(cmd, "0 %ld.%06ld", (long)value.tv_sec,
			  (long)value.tv_usec);
}

/* congestion NAME [VALUE] */
static void run_congestion(struct sem_cmd *cmd)
{
	int fd = sem_fd_number(cmd->argv[1]);
	const char *name = sem_arg(cmd, 2, NULL);
	char value[16] = "";
	socklen_t len = sizeof(value);

	if (name)
		sem_reply_ret(cmd, setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION,
					      name, strlen(name)));
	else if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, value, &len))
		sem_reply_ret(cmd, -1);
	else
		sem_reply(cmd, "0 %.15s len %u", value, len);
}

/* md5 NAME ADDRESS: set a key for this peer */
static void run_md5(struct sem_cmd *cmd)
{
	struct tcp_md5sig key = { .tcpm_keylen = 4, .tcpm_key = "smcr" };
	union util_addr addr;

	sem_addr(cmd->argv[2], &addr);
	memcpy(&key.tcpm_addr, &addr, sizeof(key.tcpm_addr));
	sem_reply_ret(cmd, setsockopt(sem_fd_number(cmd->argv[1]), IPPROTO_TCP,
				      TCP_MD5SIG, &key, sizeof(key)));
}

/* tcpinfo NAME: reply with the TCP state */
static void run_tcpinfo(struct sem_cmd *cmd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);
	int ret = getsockopt(sem_fd_number(cmd->argv[1]), IPPROTO_TCP,
			     TCP_INFO, &info, &len);

	if (ret < 0)
		sem_reply_ret(cmd, ret);
	else
		sem_reply(cmd, "0 state %u", info.tcpi_state);
}

const struct sem_verb sem_opt_verbs[] = {
	{ "getopt", 4, run_getopt },
	{ "setopt", 5, run_setopt },
	{ "setoptbad", 4, run_setoptbad },
	{ "getoptbad", 4, run_getoptbad },
	{ "setlinger", 4, run_setlinger },
	{ "getlinger", 2, run_getlinger },
	{ "settimeo", 4, run_settimeo },
	{ "gettimeo", 3, run_gettimeo },
	{ "congestion", 2, run_congestion },
	{ "md5", 3, run_md5 },
	{ "tcpinfo", 2, run_tcpinfo },
	{ 0 },
};
