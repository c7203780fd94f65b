/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A link: one reliable-connected queue pair of a link group (RFC 7609 2.2).
 */
#ifndef _SMCR_LINK_H
#define _SMCR_LINK_H

#include <linux/cache.h>
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "genl_names.h"
#include "ib.h"
#include "mtu_proof.h"
#include "wire.h"

struct ib_gid_attr;
struct ib_pd;
struct ib_qp;
struct smcr_lgr;
struct smcr_link_change;
struct smcr_rq;
struct smcr_wr;
struct smcr_wr_cq;

/*
 * Life of a link. Only smcr_link_event() changes the state.
 *
 *    INIT --connected--> READY --confirmed--> ACTIVE
 *      |                   |                    |
 *      +------ fail -------+------- fail -------+--> FAILED --drained--> DEAD
 *
 * INIT    the QP is being created, or is in INIT with its receives posted
 * READY   the QP is in RTS; CONFIRM LINK is not exchanged yet (3.5.1.5)
 * ACTIVE  connections may use the link
 * FAILED  the posting gate is closed, the QP is in ERR or on its way there
 * DEAD    the QP is drained: no further completion can come
 */
#define SMCR_LINK_EVENT_NAMES(X)		\
	X(SMCR_LINK_EV_CONNECTED, "connected")	\
	X(SMCR_LINK_EV_CONFIRMED, "confirmed")	\
	X(SMCR_LINK_EV_FAIL, "fail")		\
	X(SMCR_LINK_EV_DRAINED, "drained")

enum smcr_link_event {
	SMCR_LINK_EVENT_NAMES(SMCR_ENUM_VALUE)
	SMCR_LINK_N_EVENTS
};

/* Bits of smcr_link.flags */
enum smcr_link_flag {
	SMCR_LINK_F_REPORTED,	/* the failure was reported to the group */
	SMCR_LINK_F_STOPPING,	/* smcr_link_drain() has begun */
	SMCR_LINK_F_QUIET,	/* it has no completion left */
	SMCR_LINK_F_DESTROYING,	/* smcr_link_stop() has gone on */
	SMCR_LINK_F_LOST,	/* the group has handled the failure */
	SMCR_LINK_F_DELETED,	/* the peer knows of its end */
	SMCR_LINK_F_OPERATOR,	/* an administrator wants its end */
	SMCR_LINK_F_ASKED,	/* the group's work has begun to delete it */
	SMCR_LINK_F_UNNEEDED,	/* deleted, as symmetric links replaced it */
	SMCR_LINK_F_DOUBTFUL,	/* TEST LINK shall be sent at once */
	SMCR_LINK_F_PORT_LOST,	/* the same, if the group has another link */
	SMCR_LINK_F_PROBE,	/* the same, after one that is unanswered */
	SMCR_LINK_F_DRAINED,	/* it is DEAD, and the connections know */
	SMCR_LINK_F_LEFT,	/* it has left its group; under rtoken_lock */
	SMCR_LINK_F_REGS_LEFT,	/* RMBs wait for room to be registered on it */
	SMCR_LINK_F_LONG_LOST,	/* it has failed as a full packet was lost, and
				 * none before had passed, but short ones had
				 */
	SMCR_LINK_F_KEPT,	/* the device did not destroy all of it */
	SMCR_LINK_F_PINNED,	/* and the module is pinned until it has */
};

/**
 * struct smcr_link_peer - the remote end of a link, from CLC or ADD LINK
 * @gid: peer's GID, opaque
 * @mac: peer's MAC address
 * @mtu: the peer's path MTU enumeration (1..5); the link uses the smaller one
 *	of both ends
 * @qpn: peer's queue pair number
 * @psn: first packet sequence number that the peer sends
 */
struct smcr_link_peer {
	u8	gid[SMCR_GID_LEN];
	u8	mac[SMCR_MAC_LEN];
	u8	mtu;
	u32	qpn;
	u32	psn;
};

/**
 * struct smcr_link - one queue pair of a link group
 * @lgr: the group; the link owns a reference to it
 * @state: changed under @tx_lock, by link.c's link_event() alone; read without
 *	a lock by smcr_link_state()
 * @gate_open: requests may be posted; once the link fails this stays false;
 *	changed under @tx_lock, read without it by writes_prepare()
 * @slot: index in the group's @links and of all that the group keeps by link;
 *	set by smcr_lgr_link_join(), then constant
 * @num: link number, unique in the group; a number is reused only after all
 *	255 were used (2.2.4)
 * @mtu: path MTU of the queue pair, as the RFC's enumeration: the smaller one
 *	of both ends; written before READY, read anywhere, 0 before
 * @passed: enum smcr_link_passed; written by completions, read anywhere
 * @inbound: what is known of the peer's long packets; see mtu_proof.h
 * @max_inline: bytes that fit inline, 0 if the device takes no inline data
 * @lkey: local key of @pd, for DMA addresses
 * @qp: the queue pair
 * @wr: send queue, private to wr*.c
 * @rq: receive queue, private to wr_recv.c
 * @cq: one completion queue for both, private to wr_cq.c
 * @local: device, port and GID of the local end. @local.dev can be dereferenced
 *	as long as the link exists, @local.dev->ibdev only while a reference of
 *	@verbs is held
 * @age: number of links that joined the group earlier, modulo 2^32; set by
 *	smcr_lgr_link_join(), then constant
 * @uid: local link user ID, sent in CONFIRM LINK for the peer's displays
 * @peer_uid: the peer's link user ID
 * @built: 1 if smcr_link_build() has created the queue pair, or -errno; else 0
 * @peer: the remote end; without a queue pair number until
 *	smcr_link_set_peer(), then constant
 * @qpn: local queue pair number
 * @psn: first packet sequence number that this end sends, random
 * @pd: the link's own protection domain (2.1)
 * @sgid_attr: the GID table entry that @local names, with a reference
 * @initialised: @qp has left RESET, so it may hold requests
 * @added: why the link was added; set before the link joins its group
 * @refs: owners: the group's slot, each connection that uses the link, each
 *	LLC message that waits to be handled, each queued work item
 * @verbs: users of @pd and of the device: the queue pair, and each mapped RMB
 *	until @destroy_work has taken it off the device
 * @mem: owners that keep this structure: all of @refs, and the device's @kept
 * @n_conns: connections that write over the link; atomic
 * @tx_lock: protects changes of @state, @gate_open, @fail_errno, and the
 *	fields of @wr that say so; taken in hard irq too, where devices report
 *	dead queue pairs
 * @fail_errno: why the link failed (-errno), 0 before
 * @changed: jiffies_64 of the last change of @state; under @tx_lock
 * @last_rx: jiffies of the last receive completion, for TEST LINK; written by
 *	receive completions with smcr_wr_stamp(), read without a lock
 * @last_cdc: jiffies of the last CDC message that was received, likewise
 * @last_tx: jiffies of the last successful completion of a send, likewise
 * @qp_mutex: serialises the state changes of @qp in process context with the
 *	destruction of @qp and of the completion queue; @tx_lock is taken
 *	inside
 * @tests: TEST LINKs that were begun, modulo 2^32; written by the group's work,
 *	read anywhere
 * @flags: enum smcr_link_flag, atomic bits
 * @dev_node: in the device's list of links, under the device's @links_lock
 * @drained: completed when smcr_link_drain() has ended
 * @stopped: completed when the link is DEAD
 * @drain_work: drains a link that its group has lost; owns a reference, which
 *	passes to @stop_work
 * @stop_work: destroys what is left of it
 * @gone: objects on the device that nothing uses any more
 * @destroy_work: takes them off it; owns a reference while queued
 * @kept: objects of these that the device did not destroy
 * @kept_node: in the device's @kept, once it did not destroy an object
 * @free_work: frees the link in process context
 *
 * In groups like those of struct smcr_wr: what messages read, what changes when
 * connections come and go, what posts write, what completions write, the rest.
 */
struct smcr_link {
	struct smcr_lgr		*lgr;
	enum smcr_link_state	state;
	bool			gate_open;
	u8			slot;
	u8			num;
	u8			mtu;
	u8			passed;
	enum smcr_link_inbound	inbound;
	u32			max_inline;
	u32			lkey;
	struct ib_qp		*qp;
	struct smcr_wr		*wr;
	struct smcr_rq		*rq;
	struct smcr_wr_cq	*cq;
	struct smcr_port	local;
	u32			age;
	u32			uid;
	u32			peer_uid;
	int			built;
	struct smcr_link_peer	peer;
	u32			qpn;
	u32			psn;
	struct ib_pd		*pd;
	const struct ib_gid_attr *sgid_attr;
	bool			initialised;
	enum smcr_link_reason	added;

	refcount_t		refs ____cacheline_aligned_in_smp;
	refcount_t		verbs;
	refcount_t		mem;
	atomic_t		n_conns;

	spinlock_t		tx_lock ____cacheline_aligned_in_smp;
	int			fail_errno;
	u64			changed;

	unsigned long		last_rx ____cacheline_aligned_in_smp;
	unsigned long		last_cdc;
	unsigned long		last_tx;

	struct mutex		qp_mutex ____cacheline_aligned_in_smp;
	u32			tests;
	unsigned long		flags;
	struct list_head	dev_node;
	struct completion	drained;
	struct completion	stopped;
	struct work_struct	drain_work;
	struct work_struct	stop_work;
	struct llist_head	gone;
	struct work_struct	destroy_work;
	struct llist_head	kept;
	struct llist_node	kept_node;
	struct work_struct	free_work;
};

struct smcr_link * __must_check
smcr_link_new(struct smcr_lgr *lgr, const struct smcr_port *port, u8 num);
void smcr_link_set_peer(struct smcr_link *link,
			const struct smcr_link_peer *peer);
int __must_check smcr_link_build(struct smcr_link *link);
int __must_check smcr_link_connect(struct smcr_link *link);
int __must_check smcr_link_event(struct smcr_link *link,
				 enum smcr_link_event event);
void smcr_link_change(struct smcr_link *link, struct smcr_link_change *out);
void smcr_link_fail(struct smcr_link *link, int err);
bool smcr_link_fail_locked(struct smcr_link *link, int err);
void smcr_link_report(struct smcr_link *link);
void smcr_link_device_failed(struct smcr_ibdev *dev, int err);
void smcr_link_port_down(struct smcr_ibdev *dev, u32 port);
void smcr_link_netdev_down(struct smcr_ibdev *dev, const struct net *net,
			   int ifindex);
void smcr_link_gids_changed(struct smcr_ibdev *dev);
bool smcr_link_drain(struct smcr_link *link);
void smcr_link_stop(struct smcr_link *link);
void smcr_link_stop_later(struct smcr_link *link);
struct smcr_link *smcr_link_get(struct smcr_link *link);
void smcr_link_put(struct smcr_link *link);
bool __must_check smcr_link_verbs_get(struct smcr_link *link);
void smcr_link_verbs_put(struct smcr_link *link);

static inline enum smcr_link_state smcr_link_state(const struct smcr_link *l)
{
	return smp_load_acquire(&l->state); /* pairs with link_event() */
}

#endif /* _SMCR_LINK_H */
