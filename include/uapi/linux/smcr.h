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
#include <linux/types.h>

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

/* Level of getsockopt() for the option of smcr itself, as SOL_TCP is that of
 * TCP
 */
#ifndef SOL_SMCR
#define SOL_SMCR		IPPROTO_SMCR
#endif

/* Its value is a struct smcr_info; later versions may append fields. */
#define SMCR_INFO		1

/**
 * enum smcr_carrier - what carries the bytes of a socket
 * @SMCR_CARRIER_NONE: there is no connection, or it is not known yet
 * @SMCR_CARRIER_RDMA: RDMA
 * @SMCR_CARRIER_TCP: TCP, or what this listener accepts is TCP
 */
enum smcr_carrier {
	SMCR_CARRIER_NONE,
	SMCR_CARRIER_RDMA,
	SMCR_CARRIER_TCP,
};

/**
 * struct smcr_info - value of SMCR_INFO
 * @carrier: enum smcr_carrier
 * @fallback: enum smcr_fallback_reason: why it is TCP
 * @reset: enum smcr_reset_reason: why the RDMA connection was reset
 */
struct smcr_info {
	__u32	carrier;
	__u32	fallback;
	__u32	reset;
};

#endif /* _UAPI_LINUX_SMCR_H */
