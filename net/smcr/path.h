/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From TCP addresses to RoCE ports and subnets.
 */
#ifndef _SMCR_PATH_H
#define _SMCR_PATH_H

#include <linux/in6.h>
#include <linux/types.h>
#include <uapi/linux/smcr.h>

#include "gid.h"

/**
 * struct smcr_syn - a SYN that a listener gets
 * @source: its source; IPv4 as a mapped address
 * @dest: its destination
 * @sport: its source port
 * @iif: netdev over which it came
 * @mark: mark with which TCP looks for the route back
 */
struct smcr_syn {
	struct in6_addr	source;
	struct in6_addr	dest;
	__be16		sport;
	int		iif;
	u32		mark;
};

struct net;
struct smcr_clc_proposal;
struct smcr_port;
struct sock;
struct sockaddr;

enum smcr_fallback_reason __must_check
smcr_path_check(struct sock *inner, const struct sockaddr *addr, int addr_len);
bool smcr_path_may_change(const struct sock *inner, const struct sockaddr *addr,
			  int addr_len);
enum smcr_fallback_reason __must_check
smcr_path_check_route(const struct sock *inner);
enum smcr_fallback_reason __must_check
smcr_path_port(struct sock *inner, enum smcr_gid_kind kind, const u8 *peer_gid,
	       struct smcr_port *port);
void smcr_path_subnet_fill(struct sock *inner, const struct smcr_port *port,
			   struct smcr_clc_proposal *msg);
bool smcr_path_subnet_match(struct sock *inner, const struct smcr_port *port,
			    const struct smcr_clc_proposal *msg);
bool __must_check smcr_path_dest(const struct sock *inner,
				 const struct sockaddr *addr, int addr_len,
				 struct in6_addr *dst, __be16 *port);
bool smcr_path_has_gateway(const struct sock *inner);
bool smcr_path_on_link(const struct sock *inner, const struct smcr_syn *syn);
void smcr_path_peer_addr(const struct sock *inner, struct in6_addr *addr);
void smcr_path_local_addr(const struct sock *inner, struct in6_addr *addr);
bool smcr_path_has_addr(struct net *net, const struct in6_addr *addr);
bool smcr_path_is_v6(const struct sock *inner);
bool smcr_path_is_local(const struct sock *inner);

#endif /* _SMCR_PATH_H */
