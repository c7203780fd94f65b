/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link groups (RFC 7609 2.2): the links, RMBs and connections between two
 * hosts.
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

#include "genl_names.h"
#include "lgr_change.h"
#include "lgr_find.h"
#include "lgr_form.h"
#include "lgr_grow.h"
#include "lgr_links.h"
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

/*
 * States of a link group. Only smcr_lgr_event() changes the state.
 *
 *   FORMING --ADD LINK answered--> ACTIVE --idle for lgr_linger_ms,
 *     |  |                           |      peer or host ends it--> CLOSING
 *     |  +----- first contact failed, host ends it ----------------> |
 *     |                              |                               |
 *     +------------- link lost ------+-------- DELETE LINK done -----+
 *                         |
 *                         v
 *                       DEAD
 *
 * FORMING  first contact is under way (3.5.1); followers wait for its end
 * ACTIVE   new connections may join
 * CLOSING  no connection may join; DELETE LINK (all) is under way (3.5.4), or
 *	    the first contact has failed
 * DEAD     off the namespace's list; links are stopped, connections are reset
 *
 * Event IDLE is refused while the group is in use, GIVE_UP once it is ACTIVE.
 */
#define SMCR_LGR_EVENT_NAMES(X)			\
	X(SMCR_LGR_EV_READY, "ready")		\
	X(SMCR_LGR_EV_CLOSE, "close")		\
	X(SMCR_LGR_EV_DEAD, "dead")		\
	X(SMCR_LGR_EV_IDLE, "idle")		\
	X(SMCR_LGR_EV_GIVE_UP, "give-up")

enum smcr_lgr_event {
	SMCR_LGR_EVENT_NAMES(SMCR_ENUM_VALUE)
	SMCR_LGR_N_EVENTS
};

/* Bits of smcr_lgr.todo: what the works of the group have to do */
enum smcr_lgr_todo {
	/* For the group's work */
	SMCR_LGR_T_LINK_FAILED,
	SMCR_LGR_T_TERMINATE,	/* end at once, for smcr_lgr.end_reason */
	SMCR_LGR_T_RMB_REG,	/* a registration has ended */
	SMCR_LGR_T_RMB_IDLE,	/* an RMB was idle for rmb_linger_ms */
	SMCR_LGR_T_CLOSE,	/* end by DELETE LINK (all) */
	SMCR_LGR_T_MAKE_ROOM,	/* the same, if the group is idle */
	SMCR_LGR_T_DELETED,	/* our DELETE LINK (all) was delivered */
	SMCR_LGR_T_TEST,	/* a link is in doubt, or proved */
	SMCR_LGR_T_GROW,	/* a port may have become spare */
	SMCR_LGR_T_LINK_DELETE,	/* delete links for smcr-ctl */
	/* For the RMB work */
	SMCR_LGR_T_NEED_RMB,	/* 75 % of the elements are used */
	SMCR_LGR_T_FORM,	/* a first contact needs a link and an RMB */
	SMCR_LGR_T_CLEAN,	/* zero elements, look for idle RMBs */
	SMCR_LGR_T_LINK_STOPPED,	/* a link that was lost is DEAD */
	SMCR_LGR_T_NEW_LINK,	/* a link is to be built or connected */
	SMCR_LGR_T_FREE,	/* the peer has forgotten RMBs */
	SMCR_LGR_T_FREE_ALL,	/* the links of the DEAD group have stopped */
};

/**
 * struct smcr_lgr_key - identity of a group's peer
 * @peer_id: peer ID from the CLC message
 * @gid: GID of the peer's port
 * @mac: MAC address of the peer's port
 * @addr: TCP address of the peer; IPv4 as a mapped address
 * @ifindex: local netdev; it has one VLAN, as a group must (2.2)
 *
 * A server reuses a group only for an equal key. @addr is the only field that a
 * client cannot make up; see "group bound to an address" in smcr.rst.
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
 * @list: entry in smcr_net.lgrs until DEAD, under smcr_net.lgr_lock
 * @node: entry in smcr_net.lgr_hash, likewise
 * @refs: references of the list, each link, each connection, each handshake
 *	that uses the group, and each queued work
 * @net: the namespace, without a reference: its exit waits for its groups
 * @mib: the namespace's counters
 * @id: number for displays, given when the group joins @list; 0 before
 * @role: local role; part of every match
 * @state: changed only by smcr_lgr_event(), under @conns_lock; read anywhere
 * @change: last changes and their reasons, see lgr_change.h
 * @dialect: fixed at CONFIRM LINK
 * @offer_linux: server: the Proposal's version allows the Linux dialect
 * @key: the peer; a client finds the group without @addr and @ifindex of it
 * @mutex: protects @rmbs, the other fields named rmb_, @n_rmbs and the flags of
 *	each RMB; process context, no sock lock inside. Handshakes take elements
 *	under it, so it is never held while memory is allocated, zeroed, mapped
 *	or freed, or while a link is drained
 * @links: links by slot, each with a reference, under @conns_lock; see
 *	lgr_links.c
 * @left: links that have left
 * @n_joined: links that ever joined, modulo 2^32; under @conns_lock
 * @nums: link numbers given so far (2.2.4)
 * @max_links: the smaller one of both ends' limits (2.2.2)
 * @rmbs: RMBs, under @mutex; only the RMB work takes one off
 * @n_rmbs: entries of @rmbs; read anywhere as a hint
 * @rmb_size: element size for SMCR_LGR_T_NEED_RMB
 * @rmb_awaited: a handshake waits for an RMB
 * @rmb_err: why the last RMB for a handshake that waits could not be made, or
 *	0. The next handshake without an element of @rmb_err_size gets it
 * @rmb_err_size: element size of that RMB
 * @stopping: the links of the DEAD group are being drained; set by the group's
 *	work, read anywhere
 * @redundant: connections may move to another link; a hint
 * @repeats: see smcr_lgr_repeats(); written by the group's work, read anywhere
 * @form: the first link and RMB, see lgr_form.h
 * @grow: the next link, see lgr_grow.h
 * @rtokens: the peer's RMBs, under @rtoken_lock
 * @rtoken_lock: protects @rtokens and smcr_conn.peer_rmb; leaf, any context but
 *	hard irq
 * @conns_lock: protects the slots of @tokens, @n_conns, @n_joining, @hint,
 *	@waiters, @state, @links, @left, @end_reason and @end_err; leaf, any
 *	context but hard irq
 * @tokens: alert token table
 * @n_conns: connections with an alert token; read anywhere as a hint
 * @n_joining: handshakes that have found or made the group and not left it;
 *	read anywhere as a hint
 * @hint: slot of @tokens to try next
 * @waiters: handshakes that wait for a change of the group or for an element
 * @llc: LLC exchanges and the queue of received messages, see llc.h
 * @work: the group's work, on smcr_wq: LLC messages, timers, @todo. It owns a
 *	reference to the group while queued, and never waits for the adapter
 * @rmb_work: the RMB work, on smcr_rmb_wq, which may wait for that; see
 *	lgr_mem.c and lgr_form.c. It owns a reference to the group while queued
 * @end: the end of the DEAD group's links
 * @todo: enum smcr_lgr_todo, atomic bits
 * @end_reason: reset reason for the group's connections
 * @end_err: errno for the group's connections, positive; 0 before its end
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
	struct smcr_lgr_change	change;
	enum smcr_dialect	dialect;
	bool			offer_linux;
	struct smcr_lgr_key	key;

	struct mutex		mutex;
	struct smcr_link	*links[SMCR_MAX_LINKS];
	struct smcr_links_left	left;
	u32			n_joined;
	struct smcr_link_nums	nums;
	u8			max_links;
	struct list_head	rmbs;
	u16			n_rmbs;
	u32			rmb_size;
	bool			rmb_awaited;
	bool			stopping;
	bool			redundant;
	bool			repeats;
	struct smcr_lgr_form	form;
	struct smcr_lgr_grow	grow;
	int			rmb_err;
	u32			rmb_err_size;
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
	struct smcr_lgr_end	end;
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
void smcr_lgr_net_look(struct net *net);
void smcr_lgr_net_close(struct net *net);
void smcr_lgr_net_told(struct net *net);
void smcr_lgr_net_exit(struct net *net);

struct smcr_lgr * __must_check
smcr_lgr_create(struct net *net, enum smcr_role role,
		const struct smcr_lgr_key *key, const struct smcr_port *port,
		u32 elem_size);
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
void smcr_lgr_wait(struct smcr_lgr *lgr, struct smcr_hs *hs);
void smcr_lgr_wait_elem(struct smcr_lgr *lgr, struct smcr_hs *hs, u32 size);
void smcr_lgr_unwait(struct smcr_lgr *lgr, struct smcr_hs *hs);
void smcr_lgr_wake(struct smcr_lgr *lgr);
void smcr_lgr_wake_elems(struct smcr_lgr *lgr, u32 size, u32 n);
void smcr_lgr_wake_rmb(struct smcr_lgr *lgr, const struct smcr_rmb *rmb);

#endif /* _SMCR_LGR_H */
