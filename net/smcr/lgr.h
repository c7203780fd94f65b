/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link groups (RFC 7609 2.2): the links, RMBs and connections that two hosts
 * share.
 */
#ifndef _SMCR_LGR_H
#define _SMCR_LGR_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "lgr_mem.h"
#include "lgr_policy.h"
#include "link.h"
#include "llc.h"
#include "rmb.h"
#include "rtoken.h"
#include "smcr.h"
#include "wire.h"

struct smcr_conn;
struct smcr_hs;
struct smcr_ibdev;
struct smcr_rmb;

/*
 * Life of a link group. Only smcr_lgr_event() changes the state.
 *
 *   FORMING --ADD LINK answered--> ACTIVE --no connection for long,
 *     |  |                           |      peer's or our wish--> CLOSING
 *     |  +----- first contact given up, our wish ------------------> |
 *     |                              |                               |
 *     +------------- link lost ------+-------- DELETE LINK done -----+
 *                         |
 *                         v
 *                       DEAD
 *
 * FORMING  first contact under way (3.5.1); followers wait for it
 * ACTIVE   new connections may use it
 * CLOSING  takes no new connection; DELETE LINK (all) is on its way (3.5.4),
 *	    or the first contact has been given up
 * DEAD     off the namespace's list; links stop, connections are reset
 */
enum smcr_lgr_state {
	SMCR_LGR_FORMING,
	SMCR_LGR_ACTIVE,
	SMCR_LGR_CLOSING,
	SMCR_LGR_DEAD,
	SMCR_LGR_N_STATES,
};

enum smcr_lgr_event {
	SMCR_LGR_EV_READY,
	SMCR_LGR_EV_CLOSE,
	SMCR_LGR_EV_DEAD,
	SMCR_LGR_EV_IDLE,	/* refused while somebody uses the group */
	SMCR_LGR_EV_GIVE_UP,	/* refused once the group is ACTIVE */
	SMCR_LGR_N_EVENTS,
};

/* Bits of smcr_lgr.todo: what the works of the group have to do */
enum smcr_lgr_todo {
	/* For the group's work */
	SMCR_LGR_T_LINK_FAILED,
	SMCR_LGR_T_TERMINATE,	/* at once, for smcr_lgr.end_reason */
	SMCR_LGR_T_RMB_REG,	/* a registration completed */
	SMCR_LGR_T_RMB_IDLE,	/* an RMB has been idle for long */
	SMCR_LGR_T_CLOSE,	/* DELETE LINK (all) in due form */
	SMCR_LGR_T_MAKE_ROOM,	/* the same, if nobody uses the group */
	SMCR_LGR_T_DELETED,	/* ours has been delivered */
	SMCR_LGR_T_TEST,	/* peer or device raise doubts: alive? */
	/* For the RMB work */
	SMCR_LGR_T_NEED_RMB,	/* 75 % of the elements are used */
	SMCR_LGR_T_CLEAN,	/* elements wait to be zeroed, or an RMB may
				 * have become idle
				 */
	SMCR_LGR_T_FREE,	/* the peer has forgotten RMBs */
	SMCR_LGR_T_FREE_ALL,	/* the links of a DEAD group have stopped */
};

/**
 * struct smcr_lgr_key - what a server reuses a group by (law 21)
 * @peer_id: claimed by the peer
 * @gid: of the peer's port
 * @mac: of the same
 * @addr: TCP address of the peer; IPv4 as a mapped address
 * @ifindex: our netdev, which has one VLAN, as a group must (2.2)
 */
struct smcr_lgr_key {
	u8		peer_id[SMCR_PEER_ID_LEN];
	u8		gid[SMCR_GID_LEN];
	u8		mac[SMCR_MAC_LEN];
	struct in6_addr	addr;
	int		ifindex;
};

/**
 * struct smcr_lgr - a link group
 * @list: in smcr_net.lgrs, under its lock, until DEAD
 * @node: in smcr_net.lgr_hash, likewise
 * @refs: owners: the list, each link, each connection, each handshake that
 *	uses it, each queued work
 * @net: the namespace; not counted: its exit terminates groups and waits
 * @mib: the namespace's counters
 * @id: number for displays, given when the group joins @list; 0 before
 * @role: ours; part of every match
 * @state: changed only by smcr_lgr_event(), under @conns_lock
 * @dialect: fixed at CONFIRM LINK
 * @offer_linux: server: the Proposal's version allows the Linux dialect
 * @key: the peer; on the client @addr and @ifindex are unused
 * @mutex: protects @rmbs, @rmb_size, @rmb_awaited and @rmb_err; process
 *	context, no sock lock inside. Handshakes take elements under it, so it
 *	is never held while memory is allocated, zeroed, registered or freed, or
 *	a link is drained
 * @links: links by slot; a slot is set under @conns_lock, and emptied under
 *	@mutex too
 * @nums: link numbers given so far (2.2.4)
 * @max_links: smaller of both ends' limits (2.2.2)
 * @rmbs: RMBs, under @mutex; only the RMB work takes one off
 * @n_rmbs: entries of @rmbs
 * @rmb_size: element size asked for with SMCR_LGR_T_NEED_RMB
 * @rmb_awaited: a handshake waits for an RMB
 * @rmb_err: why it cannot be had, 0 if not known; for one who waits
 * @rtokens: the peer's RMBs, under @rtoken_lock
 * @rtoken_lock: leaf, any context
 * @conns_lock: protects @tokens' slots, @n_conns, @n_joining, @hint, @waiters
 *	and the state; leaf, any context
 * @tokens: alert token table
 * @n_conns: connections with a token
 * @n_joining: handshakes that have found or made the group and not left it
 * @hint: slot to try next
 * @waiters: handshakes that wait for the group to change, or for an element
 * @llc: exchanges and the queue of received messages, see llc.h
 * @work: the group's work, on smcr_wq: messages, timers, @todo. Owns a
 *	reference to the group while queued. It never waits for firmware
 *	because of an RMB
 * @rmb_work: the RMB work, on smcr_rmb_wq: what may, see lgr_mem.c. Owns a
 *	reference to the group while queued
 * @todo: enum smcr_lgr_todo, atomic bits
 * @end_reason: why it ended
 * @end_err: errno for its connections
 * @idle_since: jiffies when the last connection or handshake left
 */
struct smcr_lgr {
	struct list_head	list;
	struct hlist_node	node;
	refcount_t		refs;
	struct net		*net;
	struct smcr_mib_cpu __percpu *mib;
	u32			id;
	enum smcr_role		role;
	enum smcr_lgr_state	state;
	enum smcr_dialect	dialect;
	bool			offer_linux;
	struct smcr_lgr_key	key;

	struct mutex		mutex;
	struct smcr_link	*links[SMCR_MAX_LINKS];
	struct smcr_link_nums	nums;
	u8			max_links;
	struct list_head	rmbs;
	u16			n_rmbs;
	u32			rmb_size;
	bool			rmb_awaited;
	int			rmb_err;
	spinlock_t		rtoken_lock;
	struct smcr_rtoken_table *rtokens;

	spinlock_t		conns_lock;
	struct smcr_lgr_tokens __rcu *tokens;
	u32			n_conns;
	u32			n_joining;
	u32			hint;
	struct list_head	waiters;

	struct smcr_llc		llc;
	struct delayed_work	work;
	struct delayed_work	rmb_work;
	unsigned long		todo;
	enum smcr_reset_reason	end_reason;
	int			end_err;
	unsigned long		idle_since;
};

static inline enum smcr_lgr_state smcr_lgr_state(const struct smcr_lgr *lgr)
{
	return READ_ONCE(lgr->state);
}

void smcr_lgr_net_init(struct net *net);
void smcr_lgr_net_exit(struct net *net);

struct smcr_lgr *smcr_lgr_create(struct net *net, enum smcr_role role,
				 const struct smcr_lgr_key *key,
				 const struct smcr_port *port);
struct smcr_lgr *smcr_lgr_get(struct smcr_lgr *lgr);
void smcr_lgr_put(struct smcr_lgr *lgr);
void smcr_lgr_leave(struct smcr_lgr *lgr);
void smcr_lgr_give_up(struct smcr_lgr *lgr);
int smcr_lgr_event(struct smcr_lgr *lgr, enum smcr_lgr_event event);
void smcr_lgr_terminate(struct smcr_lgr *lgr, enum smcr_reset_reason reason,
			int err);
void smcr_lgr_kick(struct smcr_lgr *lgr, enum smcr_lgr_todo what);
void smcr_lgr_queue(struct smcr_lgr *lgr);
void smcr_lgr_queue_later(struct smcr_lgr *lgr, unsigned long delay);
struct smcr_link *smcr_lgr_link(struct smcr_lgr *lgr);
int smcr_lgr_link_slot(const struct smcr_lgr *lgr,
		       const struct smcr_link *link);
void smcr_lgr_wait(struct smcr_lgr *lgr, struct smcr_hs *hs);
void smcr_lgr_wait_elem(struct smcr_lgr *lgr, struct smcr_hs *hs, u32 size);
void smcr_lgr_unwait(struct smcr_lgr *lgr, struct smcr_hs *hs);
void smcr_lgr_wake(struct smcr_lgr *lgr);
void smcr_lgr_wake_elems(struct smcr_lgr *lgr, u32 size, u32 n);
void smcr_lgr_wake_rmb(struct smcr_lgr *lgr, const struct smcr_rmb *rmb);
const char *smcr_lgr_state_name(enum smcr_lgr_state state);

/* lgr_find.c */
int smcr_lgr_publish(struct smcr_lgr *lgr);
bool smcr_lgr_unpublish(struct smcr_lgr *lgr);
struct smcr_lgr *smcr_lgr_find_server(struct net *net,
				      const struct smcr_lgr_key *key);
struct smcr_lgr *smcr_lgr_find_client(struct net *net,
				      const struct smcr_lgr_key *key, u32 qpn,
				      struct smcr_link **link);
/* Walks: a group with a reference, or NULL; the one of @prev is dropped */
struct smcr_lgr *smcr_lgr_next(struct net *net, struct smcr_lgr *prev);

/* Events from the link layer */
void smcr_lgr_link_failed(struct smcr_link *link);
void smcr_lgr_link_doubtful(struct smcr_link *link);
void smcr_lgr_device_removed(struct smcr_ibdev *dev);

#endif /* _SMCR_LGR_H */
