/* SPDX-License-Identifier: GPL-2.0 */
/*
 * net.smcr: what can be set, per namespace. Documented for the administrator
 * in Documentation/networking/smcr-sysctl.rst.
 */
#ifndef _SMCR_SYSCTL_H
#define _SMCR_SYSCTL_H

#include <linux/types.h>

struct net;
struct smcr_sysctl_names;

/**
 * struct smcr_sysctl - a namespace's values; read with READ_ONCE(), any context
 * @transparent: 1: TCP sockets of user programs become SMC-R ones
 * @loopback: 1: RDMA also to the host's own addresses
 * @strict_subnet: 1: a client's own address must be in the subnet that matches
 * @rmem: receive element where the program set no SO_RCVBUF, bytes
 * @wmem: send space where the program set no SO_SNDBUF, bytes
 * @qp_timeout: local ACK timeout of queue pairs: 4.096 us << qp_timeout
 * @qp_retry: how often a queue pair sends again before its link fails
 * @rnr_retry: the same when the peer has no receive posted
 * @gid_kind: enum smcr_gid_kind to name to peers
 * @traffic_class: of the packets of links
 * @service_level: likewise
 * @handshake_timeout_ms: absolute deadline of a rendezvous; later than the
 *	server's wait for CONFIRM LINK
 * @confirm_link_timeout_ms: client's wait for CONFIRM LINK (C.7); the server's
 *	is smcr_sysctl_confirm_server_ms()
 * @llc_timeout_ms: wait for any other LLC reply
 * @test_link_interval_ms: idle time after which a link is tested, 0: never
 * @lgr_linger_ms: how long a server keeps a group without connections
 * @rmb_linger_ms: how long an RMB without connections stays registered
 * @close_timeout_ms: wait for the peer's close (4.8.1)
 * @abort_timeout_ms: wait for the peer's answer to an abort (4.8.2)
 * @orphan_timeout_ms: how long an orphan may make no progress
 * @negative_ms: how long a peer that failed is plain TCP, the first time; 0:
 *	it never is
 * @negative_max_ms: the longest time it is, doubled with each failure
 * @exclude: program names that @transparent leaves alone; RCU
 * @max_handshakes: rendezvous in flight, per listener
 * @max_handshakes_per_source: the same from one address
 * @max_lgrs: link groups
 * @max_qps: their queue pairs
 * @max_conns_per_lgr: connections of one group
 * @max_orphans: connections that outlive their socket
 * @max_rmb_bytes: memory of all RMBs
 * @max_send_bytes: memory of all send space
 *
 * From @max_handshakes on, only the initial user namespace may write.
 */
struct smcr_sysctl {
	unsigned int	transparent;
	unsigned int	loopback;
	unsigned int	strict_subnet;
	unsigned int	rmem;
	unsigned int	wmem;
	unsigned int	qp_timeout;
	unsigned int	qp_retry;
	unsigned int	rnr_retry;
	unsigned int	gid_kind;
	unsigned int	traffic_class;
	unsigned int	service_level;
	unsigned int	handshake_timeout_ms;
	unsigned int	confirm_link_timeout_ms;
	unsigned int	llc_timeout_ms;
	unsigned int	test_link_interval_ms;
	unsigned int	lgr_linger_ms;
	unsigned int	rmb_linger_ms;
	unsigned int	close_timeout_ms;
	unsigned int	abort_timeout_ms;
	unsigned int	orphan_timeout_ms;
	unsigned int	negative_ms;
	unsigned int	negative_max_ms;
	struct smcr_sysctl_names __rcu *exclude;
	unsigned int	max_handshakes;
	unsigned int	max_handshakes_per_source;
	unsigned int	max_lgrs;
	unsigned int	max_qps;
	unsigned int	max_conns_per_lgr;
	unsigned int	max_orphans;
	unsigned long	max_rmb_bytes;
	unsigned long	max_send_bytes;
};

int smcr_sysctl_net_init(struct net *net);
void smcr_sysctl_net_exit(struct net *net);

bool smcr_sysctl_excluded(const struct net *net, const char *comm);
unsigned long smcr_sysctl_qp_dead_time(const struct net *net);
unsigned int smcr_sysctl_qp_repeat_ms(const struct net *net);
unsigned int smcr_sysctl_confirm_server_ms(const struct net *net);

#endif /* _SMCR_SYSCTL_H */
