/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sysctls of net.smcr, per namespace. Documentation/networking/
 * smcr-sysctl.rst describes them for administrators.
 */
#ifndef _SMCR_SYSCTL_H
#define _SMCR_SYSCTL_H

#include <linux/types.h>

struct net;
struct smcr_sysctl_names;

/**
 * struct smcr_sysctl - values of a namespace
 * @transparent: 1: TCP sockets of user programs become SMC-R sockets
 * @transparent_mptcp: 1: @transparent takes MPTCP sockets as TCP ones
 * @loopback: 1: RDMA also to the host's own addresses
 * @strict_subnet: 1: the subnet that matches must contain the client's address
 * @on_link_only: 1: no option through a gateway
 * @rmem: bytes of the RMB element if the program set no SO_RCVBUF
 * @wmem: bytes of send space if the program set no SO_SNDBUF
 * @qp_timeout: local ACK timeout of queue pairs: 4.096 us << qp_timeout
 * @qp_retry: retries of a queue pair before its link fails
 * @rnr_retry: the same if the peer has no receive posted
 * @gid_kind: enum smcr_gid_kind of the GIDs to use
 * @traffic_class: traffic class of the packets of links
 * @service_level: service level of the packets of links
 * @handshake_timeout_ms: absolute deadline of a handshake; later than the end
 *	of the server's wait for CONFIRM LINK
 * @confirm_link_timeout_ms: client's wait for CONFIRM LINK (C.7); the server's
 *	wait is smcr_sysctl_confirm_server_ms()
 * @llc_timeout_ms: wait for any other LLC reply
 * @test_link_interval_ms: idle time after which a link is tested; 0: never
 * @tcp_probe_ms: idle time after which TCP is probed; 0: never
 * @tcp_reset_ends: 1: a RST of TCP ends the connection, whatever the peer says
 * @link_retry_min_ms: time until the next try to restore a lost link (C.8);
 *	each failure doubles it
 * @link_retry_max_ms: longest such time; it takes precedence
 * @lgr_linger_ms: time for which a server keeps a group without connections
 * @rmb_linger_ms: time for which an RMB without connections stays registered
 * @close_timeout_ms: wait for the peer's close (4.8.1)
 * @unproven_eof: a reader gets the end of file where nothing proves that a
 *	Linux peer has written all; otherwise ECONNRESET
 * @abort_timeout_ms: wait for the peer's answer to an abort (4.8.2)
 * @orphan_timeout_ms: time for which an orphan may make no progress
 * @address_gone: enum smcr_absence_mode: what happens to connections whose
 *	local address has left the host
 * @address_gone_ms: time until they stop
 * @negative_ms: time on the negative list after a peer's first failure; 0: no
 *	peer is listed
 * @negative_max_ms: longest time on the negative list; each failure doubles the
 *	time up to this. A failure is noted for as long
 * @exclude: program names that @transparent excludes; read under RCU, written
 *	under sysctl.c's write_mutex
 * @max_handshakes: most handshakes in progress, per listener
 * @max_handshakes_per_source: the same from one address
 * @max_lgrs: most link groups
 * @max_qps: most queue pairs
 * @max_conns_per_lgr: most connections of one group
 * @max_orphans: most connections that outlive their socket
 * @max_rmb_bytes: most bytes of all RMBs
 * @max_send_bytes: most bytes of all send space in use
 *
 * A write may change a value at any time, so all but @exclude are read with
 * READ_ONCE(), in any context. @max_handshakes and all values after it can be
 * written only in the initial user namespace.
 */
struct smcr_sysctl {
	unsigned int	transparent;
	unsigned int	transparent_mptcp;
	unsigned int	loopback;
	unsigned int	strict_subnet;
	unsigned int	on_link_only;
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
	unsigned int	tcp_probe_ms;
	unsigned int	tcp_reset_ends;
	unsigned int	link_retry_min_ms;
	unsigned int	link_retry_max_ms;
	unsigned int	lgr_linger_ms;
	unsigned int	rmb_linger_ms;
	unsigned int	close_timeout_ms;
	unsigned int	unproven_eof;
	unsigned int	abort_timeout_ms;
	unsigned int	orphan_timeout_ms;
	unsigned int	address_gone;
	unsigned int	address_gone_ms;
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

int __must_check smcr_sysctl_net_init(struct net *net);
void smcr_sysctl_net_exit(struct net *net);

bool smcr_sysctl_excluded(const struct net *net, const char *comm);
unsigned long smcr_sysctl_qp_dead_time(const struct net *net);
unsigned int smcr_sysctl_qp_repeat_ms(const struct net *net);
unsigned int smcr_sysctl_confirm_server_ms(const struct net *net);

#endif /* _SMCR_SYSCTL_H */
