// SPDX-License-Identifier: GPL-2.0
/*
 * Does what the library of smc_run (smc-tools) does: the TCP sockets of an
 * unmodified program become AF_SMC ones. Preload it on a host that has Linux's
 * own SMC-R, which has no setting like net.smcr.transparent.
 */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SMC_FAMILY	43
#define TYPE_MASK	0xf

int socket(int domain, int type, int protocol)
{
	if ((domain == AF_INET || domain == AF_INET6) &&
	    (type & TYPE_MASK) == SOCK_STREAM &&
	    (protocol == 0 || protocol == IPPROTO_TCP)) {
		protocol = domain == AF_INET6;
		domain = SMC_FAMILY;
	}
	return syscall(SYS_socket, domain, type, protocol);
}
