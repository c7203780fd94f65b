/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SMC-R sockets: what all files of the module share.
 *
 *   application
 *      | sock.c sock_ops.c sock_io.c sockopt.c    the socket's calls
 *      | inner.c inner_ops.c inner_idle.c option.c
 *      | fallback.c close.c addr.c transparent.c  TCP below it, its end
 *   connect.c listen.c hs.c hs_step.c hs_peer.c path.c pnet.c
 *      | clc.c clc_msg.c neglist.c negstate.c peers.c
 *      | peer_id.c                                rendezvous over TCP
 *   conn.c conn_end.c conn_eof.c conn_state.c conn_tcp.c tcp_watch.c
 *      | tx.c tx_plan.c rx.c cdc.c cdc_msg.c cursor.h urgent.c failover.c
 *      | conn_move.c absence.c                    one connection
 *   lgr.c lgr_change.c lgr_find.c lgr_grow.c lgr_links.c
 *      | lgr_mem.c lgr_policy.c lgr_token.c lgr_watch.c
 *      | llc.c llc_add.c llc_delete.c llc_rkey.c
 *      | llc_test.c llc_msg.c llc_flow.c
 *      | rmb.c rtoken.c                           one link group
 *   link.c wr*.c silence.c share.c chunk.c ib.c ib_port.c
 *      | ib_walk.c ib_spare.c gid.c spare.c
 *      | neigh.c                                  one queue pair, devices
 *   ib_core
 *
 *   beside them: main.c netlink.c netlink_do.c notify.c genl.c sysctl.c mib.c
 *   trace.c
 *
 * A file calls its own layer and the layers below it. It calls a layer above
 * only through the event functions that the upper layer's header declares.
 *
 * Lock order (outermost first)
 *
 *   process    outer sock lock > inner (TCP) sock lock
 *              outer sock lock > lgr->mutex > link->qp_mutex > link->tx_lock;
 *              no sock lock is taken inside lgr->mutex
 *   softirq    cq->run or inner slock > conn->lock > link->tx_lock > driver;
 *              a reader that polls a completion queue holds cq->run, too, with
 *              BH disabled
 *   any        smcr_net.lgr_lock > lgr->conns_lock
 *              outer or inner slock > a workqueue's own locks: release_cb and
 *              TCP's callbacks queue work; addr->lock, too
 *   hard irq   ibdev->links_lock > link->tx_lock; driver > cq->lock
 *   leaves     hs->lock, a listener's accept_lock, lgr->conns_lock,
 *              lgr->rtoken_lock, lgr->llc.lock, RMB and chunk locks, and the
 *              locks of the device list, neglist.c, notify.c, peer_id.c,
 *              peers.c and pnet.c: no other lock is taken inside them
 *
 * No lock is held while waiting for a peer.
 */
#ifndef _SMCR_H
#define _SMCR_H

#include <linux/percpu_counter.h>
#include <linux/types.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <uapi/linux/smcr.h>

#include "addr.h"
#include "mib.h"
#include "neglist.h"
#include "notify.h"
#include "peer_id.h"
#include "peers.h"
#include "pnet.h"
#include "sources.h"
#include "sysctl.h"
#include "wire.h"

struct ctl_table_header;
struct workqueue_struct;

/* Hash chains of a namespace's link groups; a power of two */
#define SMCR_LGR_BUCKETS	256

/**
 * struct smcr_net - what a network namespace owns
 * @net: the namespace
 * @mib: counters, per CPU; see mib.c
 * @sysctl: the namespace's net.smcr values
 * @sysctl_hdr: registration of the namespace's sysctl table
 * @peer_id: this stack's peer ID (RFC 7609 A.2.1), see peer_id.c
 * @lgr_lock: protects @lgrs, @lgr_hash and changes of @dying; taken in process
 *	context
 * @lgrs: link groups of this namespace, both roles, by id
 * @lgr_hash: the same groups by peer, for handshakes
 * @n_lgrs: groups that exist, including those that have left @lgrs
 * @n_live_lgrs: groups whose links are not all drained
 * @n_qps: queue pairs of the groups' links
 * @rmb_bytes: bytes of RMB pages held by the namespace's groups
 * @send_bytes: bytes of send space in use, at least a chunk for each connection
 * @orphans: connections that outlive the close() of their socket
 * @handshakes: handshakes in flight
 * @sources: those of listeners, by listener and source
 * @neglist: negative list: destinations and paths on which SMC-R failed
 * @peers: servers that this namespace's clients remember
 * @pnet: PNET table: netdevs and ports that are tied together
 * @addr: watch over the local addresses of connections
 * @notify: netlink notifications
 * @mptcp_told: 1 after the log has said that a program asks for MPTCP
 * @dying: the namespace is being torn down: no group may be added, and peers
 *	have little time to answer; also read without @lgr_lock
 */
struct smcr_net {
	struct net		*net;
	struct smcr_mib_cpu __percpu *mib;
	struct smcr_sysctl	sysctl;
	struct ctl_table_header	*sysctl_hdr;
	struct smcr_peer_id	peer_id;

	spinlock_t		lgr_lock;
	struct list_head	lgrs;
	struct hlist_head	lgr_hash[SMCR_LGR_BUCKETS];
	atomic_t		n_lgrs;
	atomic_t		n_live_lgrs;
	atomic_t		n_qps;
	atomic_long_t		rmb_bytes;
	struct percpu_counter	send_bytes;
	atomic_t		orphans;
	atomic_t		handshakes;
	struct smcr_sources	sources;
	struct smcr_neglist	neglist;
	struct smcr_peers	peers;
	struct smcr_pnet	pnet;
	struct smcr_addr	addr;
	struct smcr_notify	notify;
	int			mptcp_told;
	bool			dying;
};

extern unsigned int smcr_net_id;

/* A workqueue runs a bounded number of work items at once, for the whole host.
 * Work items that wait for different resources therefore run on different
 * queues, and no work item waits for a program or a peer.
 */
/* Listeners and handshakes, whose verbs calls may wait for firmware */
extern struct workqueue_struct *smcr_hs_wq;
/* The end of connections; WQ_MEM_RECLAIM, because it frees memory */
extern struct workqueue_struct *smcr_close_wq;
/* Makes and cleans RMBs, which may wait for firmware and for memory. It
 * has no WQ_MEM_RECLAIM, so nothing on the queues that have it may wait for it.
 */
extern struct workqueue_struct *smcr_rmb_wq;
/* Link groups and LLC answers; WQ_MEM_RECLAIM, too. An item of it never waits
 * for a device, except to build a queue pair
 */
extern struct workqueue_struct *smcr_wq;
/* Drains of lost links and of groups that end; WQ_MEM_RECLAIM, too */
extern struct workqueue_struct *smcr_drain_wq;
/* Destruction of drained links and of memory regions; a device that is out of
 * order may take a minute for each. WQ_MEM_RECLAIM, too
 */
extern struct workqueue_struct *smcr_stop_wq;

static inline struct smcr_net *smcr_pernet(const struct net *net)
{
	return net_generic(net, smcr_net_id);
}

#endif /* _SMCR_H */
