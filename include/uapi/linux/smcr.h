/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * SMC-R sockets (RFC 7609): numbers that programs use.
 *
 *   socket(AF_SMCR, SOCK_STREAM, SMCR_PROTO_IPV4 or SMCR_PROTO_IPV6)
 *   socket(AF_INET or AF_INET6, SOCK_STREAM, IPPROTO_SMCR)
 */
#ifndef _UAPI_LINUX_SMCR_H
#define _UAPI_LINUX_SMCR_H

#include <linux/smcr_netlink.h>

/* The address family number of Linux's AF_SMC, for programs written for it */
#ifndef AF_SMCR
#define AF_SMCR			43
#define PF_SMCR			AF_SMCR
#endif

/* Protocol argument of AF_SMCR: which addresses the socket has */
#define SMCR_PROTO_IPV4		0
#define SMCR_PROTO_IPV6		1

/* Protocol number for AF_INET and AF_INET6; beyond those that fit a packet */
#ifndef IPPROTO_SMCR
#define IPPROTO_SMCR		257
#endif

#endif /* _UAPI_LINUX_SMCR_H */
