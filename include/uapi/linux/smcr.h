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

/* The number of Linux's AF_SMC, so that programs for AF_SMC work unchanged */
#ifndef AF_SMCR
#define AF_SMCR			43
#define PF_SMCR			AF_SMCR
#endif

/* Protocols of AF_SMCR, which select the address family of the connection */
#define SMCR_PROTO_IPV4		0
#define SMCR_PROTO_IPV6		1

/* Protocol of AF_INET and AF_INET6; larger than any number in a packet */
#ifndef IPPROTO_SMCR
#define IPPROTO_SMCR		257
#endif

#endif /* _UAPI_LINUX_SMCR_H */
