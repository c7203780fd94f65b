/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A handshake: the rendezvous of one TCP connection (RFC 7609 3.5, C). It ends
 * with RDMA, with plain TCP, or with a reset of TCP.
 */
#ifndef _SMCR_HS_H
#define _SMCR_HS_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <uapi/linux/smcr.h>

#include "clc.h"
#include "genl_names.h"
#include "ib.h"

struct sock;
struct smcr_conn;
struct smcr_lgr;
struct smcr_lgr_key;
struct smcr_link;

/*
 * Steps. Each role goes down its column; a step ends when the event that it
 * waits for has come. One deadline covers all of them. Only a first contact
 * has the steps marked 1.
 *
 *      client                           server
 *      TCP       connect
 *      PROPOSE   send the Proposal      PROPOSAL  wait for the Proposal
 *      ACCEPT    wait for the Accept    GROUP     wait for a group, or an RMB
 *      GROUP     wait for an RMB        ACCEPT    send the Accept
 *    1 REG       connect the link       CONFIRM   wait for the Confirm
 *      CONFIRM   send the Confirm     1 REG       connect the link
 *    1 LLC       wait for the group   1 LLC       wait for the group
 *      DONE                             DEFER     wait for the first bytes
 *                                       DONE
 *
 * In step GROUP a group may have to make its first link and RMB, to leave state
 * FORMING, or to add an RMB; in step REG its link is connected and its first
 * RMB registered; in step LLC it has to become ACTIVE. Step DECLINE sends a
 * Decline, after which the connection falls back to TCP. It follows steps GROUP
 * and REG when they have waited for too long, since nothing has been sent that
 * a Decline would chase.
 *
 * Only a listener with TCP_DEFER_ACCEPT has step DEFER, which has a deadline of
 * its own. The connection is made then, with RDMA or as plain TCP after a
 * Decline, and the handshake keeps it from accept().
 */
#define SMCR_HS_STEP_NAMES(X)			\
	X(SMCR_HS_TCP, "tcp")			\
	X(SMCR_HS_PROPOSE, "propose")		\
	X(SMCR_HS_PROPOSAL, "proposal")		\
	X(SMCR_HS_GROUP, "group")		\
	X(SMCR_HS_ACCEPT, "accept")		\
	X(SMCR_HS_REG, "reg")			\
	X(SMCR_HS_CONFIRM, "confirm")		\
	X(SMCR_HS_LLC, "llc")			\
	X(SMCR_HS_DECLINE, "decline")		\
	X(SMCR_HS_DEFER, "defer")		\
	X(SMCR_HS_DONE, "done")

enum smcr_hs_step {
	SMCR_HS_STEP_NAMES(SMCR_ENUM_VALUE)
	SMCR_HS_STEPS
};

/* Bits of smcr_hs.events */
enum smcr_hs_event_bit {
	SMCR_HS_E_TCP,		/* the inner socket changed */
	SMCR_HS_E_TIMEOUT,	/* the deadline has passed */
	SMCR_HS_E_GROUP,	/* the group, or its RMBs, have changed */
	SMCR_HS_E_ABORT,	/* the application is gone */
};

/**
 * struct smcr_hs - a handshake in flight
 * @refs: references of the socket, the queued work, the armed timer, the list
 *	of the group's waiters, and of callers for as long as they use it
 * @sk: outer socket, counted
 * @listener: server: outer listening socket, counted; NULL once the child has
 *	been given to it or dropped
 * @listen_node: entry in the listener's list, under its accept_lock
 * @source: server: hash of listener and client address in smcr_net.sources
 * @client: true for a client
 * @step: current step, see above; hs.c's hs_move() alone changes it
 * @events: enum smcr_hs_event_bit; atomic bits, set in any context
 * @work: runs the steps under the outer sock lock; waits neither for that lock
 *	nor for a peer
 * @timer: expires at @deadline, or earlier if a step waits for less
 * @deadline: end of the whole handshake, in jiffies; in step DEFER, of the wait
 *	for the client's first bytes
 * @defer_until: server: what @deadline is in step DEFER, or 0 without that step
 * @group_limit: end of the wait in steps GROUP and REG, in jiffies; a server's
 *	step REG has one of its own
 * @verdict_from: in step LLC, in jiffies: a client that ends TCP before this
 *	time has given up
 * @clc: CLC messages being received and sent
 * @port: local RoCE port; does not delay the removal of its device
 * @lgr: group that the handshake uses or waits for, counted
 * @link: link of @lgr that the connection shall use, counted
 * @named: client, subsequent contact: link that the Accept names, counted
 * @conn: the connection being built, counted
 * @syn_reason: client: why no SYN had the option, by the first one's route;
 *	written under the inner sock lock or slock until TCP is connected
 * @syn_judges: client: the route of the first SYN decides about SMC-R, not the
 *	program's address; constant
 * @syn_plain: client: the SYN was repeated without the option; like @syn_reason
 * @crossed: client: the server's SYN crossed this one's; like @syn_reason
 * @waited: server: the time to wait for the first bytes is over, in step
 *	PROPOSAL for those of a Proposal, in step DEFER for the program's
 * @late: the peer was so late that the wait until @group_limit tells nothing of
 *	the local adapter
 * @first_contact: this handshake forms @lgr
 * @here: the host had the local address of TCP when the Proposal was made, or
 *	came
 * @offered: the peer may know the address of the local element
 * @cut: the peer ended TCP during the handshake
 * @long_lost: the peer's Decline says that the path loses long packets
 * @drop: server: smcr_hs_unlock() must drop the child
 * @lock: covers the change of @lgr to NULL against hs_forsake(), which runs in
 *	@work without the sock lock; only steps, in @work too, set @lgr. A leaf
 * @wait_node: entry in smcr_lgr.waiters, under smcr_lgr.conns_lock; owns a
 *	reference while it is in the list
 * @wait_size: size of the element that the handshake waits for, in bytes, or 0;
 *	under smcr_lgr.conns_lock
 * @proposal: server: the client's Proposal
 * @accept: client: the server's Accept
 * @reason: in step DECLINE, in a client's step ACCEPT after a Decline, or when
 *	find_group() finds the path listed: why it falls back
 * @wakeup: in step DEFER: what sk_state_change of @sk was before
 * @readable: in step DEFER: what sk_data_ready of @sk was before
 * @rcu: the callbacks of the inner socket find the handshake under RCU
 *
 * The outer sock lock covers every field with no other rule here.
 */
struct smcr_hs {
	refcount_t		refs;
	struct sock		*sk;
	struct sock		*listener;
	struct list_head	listen_node;
	u64			source;
	bool			client;
	enum smcr_hs_step	step;
	unsigned long		events;
	struct work_struct	work;
	struct timer_list	timer;
	unsigned long		deadline;
	unsigned long		defer_until;
	unsigned long		group_limit;
	unsigned long		verdict_from;
	struct smcr_clc		clc;
	struct smcr_port	port;
	struct smcr_lgr		*lgr;
	struct smcr_link	*link;
	struct smcr_link	*named;
	struct smcr_conn	*conn;
	enum smcr_fallback_reason syn_reason;
	bool			syn_judges;
	bool			syn_plain;
	bool			crossed;
	bool			waited;
	bool			late;
	bool			first_contact;
	bool			here;
	bool			offered;
	bool			cut;
	bool			long_lost;
	bool			drop;
	spinlock_t		lock;	/* covers lgr going NULL */
	struct list_head	wait_node;
	u32			wait_size;
	union {
		struct smcr_clc_proposal proposal;
		struct smcr_clc_accept	accept;
	};
	enum smcr_fallback_reason reason;
	void			(*wakeup)(struct sock *sk);
	void			(*readable)(struct sock *sk);
	struct rcu_head		rcu;
};

struct smcr_hs * __must_check smcr_hs_alloc(struct sock *sk, bool client);
struct smcr_hs *smcr_hs_get(struct smcr_hs *hs);
void smcr_hs_put(struct smcr_hs *hs);
void smcr_hs_event(struct sock *sk);
void smcr_hs_syn(struct sock *sk, struct sock *inner);
bool smcr_hs_ack_waits(const struct sock *sk, const struct sock *inner);
void smcr_hs_arm(struct smcr_hs *hs, unsigned int msecs);
void smcr_hs_wake(struct smcr_hs *hs, unsigned long when);
void smcr_hs_drop_group(struct smcr_hs *hs);
void smcr_hs_unlock(struct smcr_hs *hs);
bool __must_check smcr_hs_step(struct smcr_hs *hs, enum smcr_hs_step next);
void smcr_hs_queue(struct smcr_hs *hs);
void smcr_hs_trace(const struct smcr_hs *hs, int err);
void smcr_hs_cancel(struct smcr_hs *hs);
void smcr_hs_fallback(struct smcr_hs *hs, enum smcr_fallback_reason reason,
		      u32 diagnosis);
void smcr_hs_fail(struct smcr_hs *hs, int err);
void smcr_hs_done(struct smcr_hs *hs);
void smcr_hs_deferred(struct smcr_hs *hs);
void smcr_hs_abort(struct sock *sk);

/* hs_step.c */
void smcr_hs_decline(struct smcr_hs *hs, enum smcr_fallback_reason reason);
void smcr_hs_put_decline(struct smcr_hs *hs, enum smcr_fallback_reason reason);
void smcr_hs_decline_sync(struct smcr_hs *hs);
void smcr_hs_declined(struct smcr_hs *hs);
bool smcr_hs_decline_more(struct smcr_hs *hs);
int smcr_hs_tcp_errno(const struct smcr_hs *hs);
int __must_check smcr_hs_recv(struct smcr_hs *hs, enum smcr_clc_type want);
int __must_check smcr_hs_send(struct smcr_hs *hs);
int __must_check smcr_hs_form(struct smcr_hs *hs, enum smcr_role role,
			      const struct smcr_lgr_key *key);
int __must_check smcr_hs_conn(struct smcr_hs *hs);
bool smcr_hs_group_wait(struct smcr_hs *hs);
int __must_check smcr_hs_send_accept(struct smcr_hs *hs,
				     enum smcr_clc_type type);
void smcr_hs_link_up(struct smcr_hs *hs, const struct smcr_clc_accept *msg);
bool smcr_hs_await_rmb(struct smcr_hs *hs);
bool smcr_hs_from_here(const struct smcr_hs *hs);
bool smcr_hs_gid_credible(const struct smcr_hs *hs, const u8 *gid);
bool smcr_hs_llc(struct smcr_hs *hs);

/* hs_peer.c */
enum smcr_fallback_reason __must_check
smcr_hs_dest_listed(struct net *net, const struct in6_addr *addr, __be16 port);
enum smcr_fallback_reason __must_check
smcr_hs_dest_check(const struct smcr_hs *hs);
enum smcr_fallback_reason __must_check
smcr_hs_path_check(struct smcr_hs *hs, const struct smcr_lgr_key *key);
void smcr_hs_path_result(struct smcr_hs *hs, bool good);
void smcr_hs_path_slow(const struct smcr_hs *hs);
bool smcr_hs_long_lost(const struct smcr_hs *hs);
void smcr_hs_dest_good(struct smcr_hs *hs);
void smcr_hs_dest_failed(struct smcr_hs *hs);
void smcr_hs_dest_left(struct smcr_hs *hs);
void smcr_hs_dest_syn(struct smcr_hs *hs, bool answered);
void smcr_hs_source_tries(const struct smcr_hs *hs);
void smcr_hs_source(struct smcr_hs *hs, bool speaks);
bool smcr_hs_source_known(const struct smcr_hs *hs);
bool smcr_hs_source_listed(const struct sock *sk);
enum smcr_gid_kind smcr_hs_gid_kind(const struct smcr_hs *hs);
bool smcr_hs_other_kind(struct smcr_hs *hs);
bool smcr_hs_offers_linux(const struct smcr_hs *hs);
bool smcr_hs_probes_late(const struct smcr_hs *hs);
bool smcr_hs_other_dialect(struct smcr_hs *hs, u32 diagnosis);

/* Events from the link group layer */
void smcr_hs_kick(struct smcr_hs *hs, enum smcr_hs_event_bit event);

#endif /* _SMCR_HS_H */
