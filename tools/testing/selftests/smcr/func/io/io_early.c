// SPDX-License-Identifier: GPL-2.0
/* Options that only TCP supports, set before a connection exists. */
#define _GNU_SOURCE
#include "io.h"

#include <linux/tcp.h>
#include <string.h>

static union util_addr peer;

static int set_int(int fd, int option, int value)
{
	return setsockopt(fd, IPPROTO_TCP, option, &value, sizeof(value));
}

static int early_fastopen(int fd)
{
	return set_int(fd, TCP_FASTOPEN_CONNECT, 1);
}

static int early_repair(int fd)
{
	if (set_int(fd, TCP_REPAIR, TCP_REPAIR_ON))
		return -1;
	return set_int(fd, TCP_REPAIR, TCP_REPAIR_OFF);
}

static int early_md5(int fd)
{
	struct tcp_md5sig key = { .tcpm_keylen = 4, .tcpm_key = "smcr" };

	memcpy(&key.tcpm_addr, &peer, util_addr_len(&peer));
	return setsockopt(fd, IPPROTO_TCP, TCP_MD5SIG, &key, sizeof(key));
}

static const struct {
	const char *name;
	int (*set)(int fd);
} options[] = {
	{ "fastopen", early_fastopen },
	{ "repair", early_repair },
	{ "md5", early_md5 },
};

/**
 * io_early_use() - have an option set on every new socket
 * @name: fastopen, repair or md5; any other name ends the program
 * @addr: address of the other host, for md5
 */
void io_early_use(const char *name, const union util_addr *addr)
{
	size_t i;

	peer = *addr;
	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].name, name))
			util_socket_hook = options[i].set;
	if (!util_socket_hook)
		util_die("option %s is unknown", name);
}
