/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A handshake: the rendezvous of one TCP connection, from its first CLC
 * message to RDMA, to plain TCP, or to its end (RFC 7609 3.5, C).
 */
#ifndef _SMCR_HS_H
#define _SMCR_HS_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <uapi/linux/smcr.h>

#include "clc.h"
#include "ib.h"

struct sock;
struct smcr_conn;
struct smcr_lgr;
struct smcr_lgr_key;
struct smcr_link;

/*
 * Steps. Both roles walk down their column; a step is left when the event it
 * waits for has come, all under one deadline.
 *
 *      client                      server
 *      TCP       connecting
 *      PROPOSE   send Proposal     PROPOSAL  wait for it
 *      ACCEPT    wait for it       GROUP     wait for a group or RMB
 *      GROUP     wait for an RMB   ACCEPT    send it
 *      REG       first contact: RMB being registered
 *      CONFIRM   send it           CONFIRM   wait for it
 *                                  REG
 *      LLC       first contact: wait for the group to be ready
 *      DONE                        DONE
 *
 * DECLINE sends a Decline, then plain TCP.
 */
enum smcr_hs_step {
	SMCR_HS_TCP,
	SMCR_HS_PROPOSE,
	SMCR_HS_PROPOSAL,
	SMCR_HS_GROUP,
	SMCR_HS_ACCEPT,
	SMCR_HS_REG,
	SMCR_HS_CONFIRM,
	SMCR_HS_LLC,
	SMCR_HS_DECLINE,
	SMCR_HS_DONE,
	SMCR_HS_STEPS
};

/* Bits of smcr_hs.events */
enum smcr_hs_event_bit {
	SMCR_HS_E_TCP,		/* the inner socket changed */
	SMCR_HS_E_TIMEOUT,	/* the deadline has passed */
	SMCR_HS_E_GROUP,	/* the group waited for has changed */
	SMCR_HS_E_REG,		/* the RMB's registration has completed */
	SMCR_HS_E_ABORT,	/* the application is gone */
};

/**
 * struct smcr_hs - a handshake in flight
 * @refs: owners: the socket, the queued work, the timer, the group's waiters
 * @sk: outer socket, counted
 * @listener: server: outer listening socket, counted until handed over
 * @listen_node: in the listener's list
 * @client: role
 * @step: see above; under the outer sock lock
 * @events: enum smcr_hs_event_bit, atomic bits, set anywhere
 * @work: runs the steps; owns the outer sock lock, waits neither for that nor
 *	for a peer
 * @timer: the deadline
 * @deadline: jiffies
 * @clc: message being received or sent
 * @port: our RoCE port; the device may go while the handshake has it
 * @lgr: group that is used or waited for, counted
 * @link: its link, counted
 * @conn: the connection being built, counted
 * @first_contact: we make @lgr
 * @offered: the peer may have our element's address
 * @cut: TCP has ended under the handshake
 * @drop: server: the child goes, once its lock is released; under the outer
 *	sock lock
 * @lock: with the outer sock lock, covers @lgr against hs_forsake(), which
 *	does not own the sock lock; a leaf
 * @wait_node: in smcr_lgr.waiters, under its conns_lock; owns a reference
 * @wait_size: bytes of the element that is waited for, 0 for none; likewise
 * @proposal: server: the client's Proposal
 * @accept: client: the server's Accept
 * @reason: why it falls back, once decided
 * @rcu: the inner socket's callbacks find the handshake under RCU
 */
struct smcr_hs {
	refcount_t		refs;
	struct sock		*sk;
	struct sock		*listener;
	struct list_head	listen_node;
	bool			client;
	enum smcr_hs_step	step;
	unsigned long		events;
	struct work_struct	work;
	struct timer_list	timer;
	unsigned long		deadline;
	struct smcr_clc		clc;
	struct smcr_port	port;
	struct smcr_lgr		*lgr;
	struct smcr_link	*link;
	struct smcr_conn	*conn;
	bool			first_contact;
	bool			offered;
	bool			cut;
	bool			drop;
	spinlock_t		lock;	/* covers lgr and port.dev */
	struct list_head	wait_node;
	u32			wait_size;
	union {
		struct smcr_clc_proposal proposal;
		struct smcr_clc_accept	accept;
	};
	enum smcr_fallback_reason reason;
	struct rcu_head		rcu;
};

struct smcr_hs *smcr_hs_alloc(struct sock *sk, bool client);
struct smcr_hs *smcr_hs_get(struct smcr_hs *hs);
void smcr_hs_put(struct smcr_hs *hs);
void smcr_hs_event(struct sock *sk);
void smcr_hs_arm(struct smcr_hs *hs, unsigned int msecs);
void smcr_hs_decline(struct smcr_hs *hs, enum smcr_fallback_reason reason);
void smcr_hs_decline_sync(struct smcr_hs *hs);
void smcr_hs_drop_group(struct smcr_hs *hs);
void smcr_hs_declined(struct smcr_hs *hs);
bool smcr_hs_decline_more(struct smcr_hs *hs);
void smcr_hs_unlock(struct smcr_hs *hs);
void smcr_hs_queue(struct smcr_hs *hs);
void smcr_hs_trace(const struct smcr_hs *hs, int err);
void smcr_hs_cancel(struct smcr_hs *hs);
int smcr_hs_recv(struct smcr_hs *hs, enum smcr_clc_type want);
int smcr_hs_send(struct smcr_hs *hs);
int smcr_hs_conn(struct smcr_hs *hs);
int smcr_hs_send_accept(struct smcr_hs *hs, enum smcr_clc_type type);
int smcr_hs_link_up(struct smcr_hs *hs, const struct smcr_clc_accept *msg);
bool smcr_hs_registered(struct smcr_hs *hs);
bool smcr_hs_from_here(const struct smcr_hs *hs);
bool smcr_hs_gid_credible(const struct smcr_hs *hs, const u8 *gid);
bool smcr_hs_llc(struct smcr_hs *hs);
void smcr_hs_fallback(struct smcr_hs *hs, enum smcr_fallback_reason reason,
		      u32 diagnosis);
void smcr_hs_fail(struct smcr_hs *hs, int err);
void smcr_hs_done(struct smcr_hs *hs);
void smcr_hs_abort(struct sock *sk);

/* hs_peer.c */
bool smcr_hs_path_blocked(struct smcr_hs *hs, const struct smcr_lgr_key *key);
void smcr_hs_path_result(struct smcr_hs *hs, bool good);
void smcr_hs_dest_good(struct smcr_hs *hs);
void smcr_hs_dest_failed(struct smcr_hs *hs);
enum smcr_gid_kind smcr_hs_gid_kind(const struct smcr_hs *hs);

/* Events from the link group layer */
void smcr_hs_kick(struct smcr_hs *hs, enum smcr_hs_event_bit event);

#endif /* _SMCR_HS_H */
