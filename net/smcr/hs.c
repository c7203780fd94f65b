// SPDX-License-Identifier: GPL-2.0
/*
 * Handshakes: their life, from smcr_hs_alloc() to their end (RFC 7609 3.5).
 * hs_step.c has what the steps of both roles share.
 *
 * A handshake is a state machine under one deadline. An event (of TCP, the
 * timer, the link group or the application) sets a bit in hs->events and queues
 * the work of the handshake. The work takes the outer sock lock, runs steps
 * until one has to wait for an event, and returns. It waits neither for a peer
 * nor for a program that holds the sock lock: smcr_sock_own() has it queued
 * again when the lock is released.
 *
 * A handshake ends exactly once, in hs_release(), called by:
 *
 *   smcr_hs_done()      the connection uses RDMA
 *   smcr_hs_fallback()  the connection falls back to TCP, for a reason
 *   smcr_hs_deferred()  one of these two was made, and accept() may return it
 *   smcr_hs_fail()      TCP is reset: a message is faulty (C.6), a peer is
 *                       silent (C.5), or the application is gone
 *   smcr_hs_cancel()    TCP refused to connect
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <net/sock.h>
#include <net/tcp.h>
#include <trace/events/smcr.h>

#include "addr.h"
#include "close.h"
#include "conn.h"
#include "conn_end.h"
#include "conn_tcp.h"
#include "connect.h"
#include "fallback.h"
#include "hs.h"
#include "inner.h"
#include "lgr.h"
#include "listen.h"
#include "mib.h"
#include "option.h"
#include "path.h"
#include "sock.h"

/* How often a client sends its SYN with the option, see connect.c */
#define HS_SYNS		2

static void hs_free_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct smcr_hs, rcu));
}

/**
 * smcr_hs_get() - take a reference
 * @hs: handshake that the caller has a reference to
 *
 * Context: any.
 * Return: @hs.
 */
struct smcr_hs *smcr_hs_get(struct smcr_hs *hs)
{
	refcount_inc(&hs->refs);
	return hs;
}

/**
 * smcr_hs_put() - drop a reference
 * @hs: handshake, which the caller must not use afterwards
 *
 * Context: any.
 */
void smcr_hs_put(struct smcr_hs *hs)
{
	if (!refcount_dec_and_test(&hs->refs))
		return;
	sock_put(hs->sk);
	call_rcu(&hs->rcu, hs_free_rcu);
}

/**
 * smcr_hs_queue() - queue the work of a handshake
 * @hs: the handshake, counted by the caller; the queued work has a reference of
 *	its own
 *
 * Context: any.
 */
void smcr_hs_queue(struct smcr_hs *hs)
{
	smcr_hs_get(hs);
	if (!queue_work(smcr_hs_wq, &hs->work))
		smcr_hs_put(hs);
}

/**
 * smcr_hs_kick() - report an event to a handshake
 * @hs: the handshake, counted by the caller
 * @event: what happened
 *
 * Context: any.
 */
void smcr_hs_kick(struct smcr_hs *hs, enum smcr_hs_event_bit event)
{
	set_bit(event, &hs->events);
	smcr_hs_queue(hs);
}

/**
 * smcr_hs_event() - a socket has changed; tell its handshake, if it has one
 * @sk: outer socket in mode HANDSHAKE, or a child that accept() may not return
 *
 * Context: any, in a callback of the inner socket, or of the outer one in step
 * DEFER.
 */
void smcr_hs_event(struct sock *sk)
{
	struct smcr_hs *hs;

	rcu_read_lock();
	hs = READ_ONCE(smcr_sk(sk)->hs);
	if (hs && refcount_inc_not_zero(&hs->refs)) {
		smcr_hs_kick(hs, SMCR_HS_E_TCP);
		smcr_hs_put(hs);
	}
	rcu_read_unlock();
}

/* The first SYN with the option is about to be sent. TCP has chosen its route
 * just now, which may be another one than smcr_path_check() has seen: the ports
 * and the source may decide which of several next hops it is, and a BPF program
 * may have changed the destination.
 */
static void hs_first_syn(struct smcr_hs *hs, struct sock *inner)
{
	enum smcr_fallback_reason reason = SMCR_FALLBACK_NONE;

	if (hs->syn_judges)
		reason = smcr_hs_dest_check(hs);
	else if (smcr_path_has_gateway(inner))
		reason = SMCR_FALLBACK_GATEWAY;
	if (reason == SMCR_FALLBACK_NONE)
		return;
	smcr_option_withdraw(inner);
	WRITE_ONCE(hs->syn_reason, reason);
}

/* Have all SYNs so far had the option, so that the next one will? This file
 * alone withdraws it from a client that waits for an answer.
 */
static bool hs_offers(const struct smcr_hs *hs)
{
	return READ_ONCE(hs->syn_reason) == SMCR_FALLBACK_NONE &&
	       !READ_ONCE(hs->syn_plain);
}

/* A SYN with the option was not answered. */
static void hs_next_syn(struct smcr_hs *hs, struct sock *inner)
{
	if (READ_ONCE(inet_csk(inner)->icsk_retransmits) < HS_SYNS &&
	    !smcr_path_has_gateway(inner))
		return;
	smcr_option_withdraw(inner);
	WRITE_ONCE(hs->syn_plain, true);
	smcr_mib_inc(sock_net(inner), SMCR_MIB_SYNSPLAIN);
}

/**
 * smcr_hs_syn() - TCP is about to send a client's SYN, or is connected
 * @sk: outer socket in mode HANDSHAKE
 * @inner: its TCP socket, in TCP_SYN_SENT, in TCP_SYN_RECV after crossed SYNs,
 *	or connected
 *
 * connect.c explains how many SYNs have the option.
 *
 * Context: any, inner sock lock or slock held.
 */
void smcr_hs_syn(struct sock *sk, struct sock *inner)
{
	struct smcr_hs *hs;

	rcu_read_lock();
	hs = READ_ONCE(smcr_sk(sk)->hs);
	if (hs && inner->sk_state == TCP_SYN_RECV) {
		WRITE_ONCE(hs->crossed, true);
	} else if (hs && inner->sk_state == TCP_SYN_SENT &&
		   hs_offers(hs)) {
		if (tcp_rtx_queue_empty(inner))
			hs_first_syn(hs, inner);
		else
			hs_next_syn(hs, inner);
	}
	rcu_read_unlock();
}

/**
 * smcr_hs_ack_waits() - may the ACK of a SYN-ACK wait for the Proposal?
 * @sk: outer socket in mode HANDSHAKE
 * @inner: its TCP socket
 *
 * Context: any, in a callback of the inner socket.
 * Return: false if @sk is a client that is connected, and a SYN or the SYN-ACK
 * was without the option.
 */
bool smcr_hs_ack_waits(const struct sock *sk, const struct sock *inner)
{
	const struct smcr_hs *hs;
	bool waits = true;

	rcu_read_lock();
	hs = READ_ONCE(smcr_sk(sk)->hs);
	if (hs && hs->client && READ_ONCE(inner->sk_state) == TCP_ESTABLISHED)
		waits = hs_offers(hs) && smcr_option_accepted(inner);
	rcu_read_unlock();
	return waits;
}

/**
 * smcr_hs_trace() - trace a step of a handshake
 * @hs: the handshake
 * @err: -errno if it fails, or 0
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_trace(const struct smcr_hs *hs, int err)
{
	sock_owned_by_me(hs->sk);
	trace_smcr_handshake(atomic64_read(&hs->sk->sk_cookie), hs->client,
			     hs->step, err);
}

/*
 * Steps that may follow each step. DECLINE follows wherever no message of this
 * side waits for an answer (C.1); any step may be the last one.
 *
 *   client   TCP -> PROPOSE -> ACCEPT -> GROUP -+-> REG -+-> CONFIRM -> LLC
 *                                               +--------+
 *   server   PROPOSAL -> GROUP -> ACCEPT -> CONFIRM -> REG -> LLC
 *
 *   DECLINE  from each but TCP, a client's CONFIRM and a server's ACCEPT
 *   DEFER    from a server's PROPOSAL, CONFIRM, LLC and DECLINE
 *   DONE     from each
 */
#define TO(step)	BIT(SMCR_HS_##step)
static const u16 hs_next[][SMCR_HS_STEPS] = {
	[SMCR_CLIENT] = {
		[SMCR_HS_TCP]	   = TO(PROPOSE) | TO(DONE),
		[SMCR_HS_PROPOSE]  = TO(ACCEPT) | TO(DECLINE) | TO(DONE),
		[SMCR_HS_ACCEPT]   = TO(GROUP) | TO(DECLINE) | TO(DONE),
		[SMCR_HS_GROUP]	   = TO(REG) | TO(CONFIRM) | TO(DECLINE) |
				     TO(DONE),
		[SMCR_HS_REG]	   = TO(CONFIRM) | TO(DECLINE) | TO(DONE),
		[SMCR_HS_CONFIRM]  = TO(LLC) | TO(DONE),
		[SMCR_HS_LLC]	   = TO(DECLINE) | TO(DONE),
		[SMCR_HS_DECLINE]  = TO(DONE),
	},
	[SMCR_SERVER] = {
		[SMCR_HS_PROPOSAL] = TO(GROUP) | TO(DECLINE) | TO(DEFER) |
				     TO(DONE),
		[SMCR_HS_GROUP]	   = TO(ACCEPT) | TO(DECLINE) | TO(DONE),
		[SMCR_HS_ACCEPT]   = TO(CONFIRM) | TO(DONE),
		[SMCR_HS_CONFIRM]  = TO(REG) | TO(DECLINE) | TO(DEFER) |
				     TO(DONE),
		[SMCR_HS_REG]	   = TO(LLC) | TO(DECLINE) | TO(DONE),
		[SMCR_HS_LLC]	   = TO(DECLINE) | TO(DEFER) | TO(DONE),
		[SMCR_HS_DECLINE]  = TO(DEFER) | TO(DONE),
		[SMCR_HS_DEFER]	   = TO(DONE),
	},
};

#undef TO

/* Change the step. No other function does. */
static int __must_check hs_move(struct smcr_hs *hs, enum smcr_hs_step next)
{
	enum smcr_role role = hs->client ? SMCR_CLIENT : SMCR_SERVER;

	sock_owned_by_me(hs->sk);
	if (!(hs_next[role][hs->step] & BIT(next)))
		return -EPROTO;
	hs->step = next;
	return 0;
}

/* Step GROUP begins. Both ends began at about the same time and have about the
 * same deadline, or Linux's 6 s for each message. A Decline must arrive before
 * the other end's, and a client begins to wait when the server has done so. If
 * the peer's message was late, little time is left.
 */
static void hs_group_begin(struct smcr_hs *hs)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(sock_net(hs->sk))->sysctl;
	unsigned int ms = READ_ONCE(ctl->handshake_timeout_ms);
	unsigned long left = 0;

	if (time_before(jiffies, hs->deadline))
		left = hs->deadline - jiffies;
	hs->group_limit = jiffies + (hs->client ? left / 4 * 3 : left / 2);
	hs->late = left < msecs_to_jiffies(ms) / 2;
}

/* Step LLC begins. The client's queue pair repeats what is lost for at least
 * this long before the client can see that RDMA fails.
 */
static void hs_llc_begin(struct smcr_hs *hs)
{
	unsigned int ms = smcr_sysctl_qp_repeat_ms(sock_net(hs->sk));

	hs->verdict_from = jiffies + msecs_to_jiffies(ms);
}

/**
 * smcr_hs_step() - go to the next step
 * @hs: the handshake; ends if the step may not follow, which is a bug
 * @next: the step
 *
 * Context: process, outer sock lock held.
 * Return: true if the step may run at once, false if the handshake has ended.
 */
bool smcr_hs_step(struct smcr_hs *hs, enum smcr_hs_step next)
{
	bool waited = hs->step == SMCR_HS_GROUP || hs->step == SMCR_HS_REG;
	int err = hs_move(hs, next);

	if (WARN_ON_ONCE(err)) {
		smcr_hs_fail(hs, err);
		return false;
	}
	if (waited)
		smcr_hs_wake(hs, hs->deadline);
	if (next == SMCR_HS_GROUP)
		hs_group_begin(hs);
	if (next == SMCR_HS_LLC)
		hs_llc_begin(hs);
	return true;
}

static void hs_timer(struct timer_list *timer)
{
	struct smcr_hs *hs = from_timer(hs, timer, timer);

	smcr_hs_kick(hs, SMCR_HS_E_TIMEOUT);
	smcr_hs_put(hs);
}

/**
 * smcr_hs_arm() - set the deadline of the whole handshake (C.5)
 * @hs: the handshake
 * @msecs: time from now, in ms
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_arm(struct smcr_hs *hs, unsigned int msecs)
{
	unsigned long time = msecs_to_jiffies(msecs);

	sock_owned_by_me(hs->sk);
	WRITE_ONCE(hs->deadline, jiffies + time);
	smcr_hs_wake(hs, hs->deadline);
}

/**
 * smcr_hs_wake() - set the time of the next timeout
 * @hs: the handshake, with a deadline
 * @when: in jiffies; if it is after the deadline, the deadline counts
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_wake(struct smcr_hs *hs, unsigned long when)
{
	sock_owned_by_me(hs->sk);
	/* The armed timer owns a reference; it may fire at once */
	smcr_hs_get(hs);
	if (mod_timer(&hs->timer, time_before(when, hs->deadline) ?
				  when : hs->deadline))
		smcr_hs_put(hs);
}

/* Run steps as far as events allow. A step returns true if the next one may run
 * at once, false if it waits for an event or the handshake has ended.
 */
static void hs_walk(struct smcr_hs *hs, bool (*const *steps)(struct smcr_hs *))
{
	sock_owned_by_me(hs->sk);
	do {
		smcr_hs_trace(hs, 0);
	} while (steps[hs->step] && steps[hs->step](hs));
}

/* The deadline has passed while a call of the program holds the sock lock. The
 * handshake ends after that call; but if it leads a first contact, its group
 * ends now, so that the followers need not wait for the call.
 */
static void hs_forsake(struct smcr_hs *hs)
{
	struct smcr_lgr *lgr = NULL;

	spin_lock_bh(&hs->lock);
	if (hs->first_contact && hs->lgr &&
	    smcr_lgr_state(hs->lgr) == SMCR_LGR_FORMING)
		lgr = smcr_lgr_get(hs->lgr);
	spin_unlock_bh(&hs->lock);
	if (!lgr)
		return;
	smcr_lgr_give_up(lgr);
	smcr_lgr_put(lgr);
}

/* Steps that neither send nor receive do not see TCP fail, so look here. A FIN
 * is no failure: a Decline may come before it in the stream.
 */
static bool hs_tcp_failed(const struct smcr_hs *hs)
{
	sock_owned_by_me(hs->sk);
	return (hs->step == SMCR_HS_GROUP || hs->step == SMCR_HS_REG) &&
	       smcr_inner_end(hs->sk) == SMCR_INNER_FAILED;
}

/* Has the handshake missed its deadline? A server that has heard nothing has
 * not: step PROPOSAL or DEFER decides what that means.
 */
static bool hs_expired(struct smcr_hs *hs)
{
	sock_owned_by_me(hs->sk);
	if (!test_and_clear_bit(SMCR_HS_E_TIMEOUT, &hs->events))
		return false;
	if (hs->step == SMCR_HS_PROPOSAL && !hs->clc.rx_len) {
		hs->waited = true;
		return false;
	}
	if (hs->step == SMCR_HS_DEFER) {
		hs->waited = !time_before(jiffies, hs->deadline);
		return false;
	}
	return !time_before(jiffies, hs->deadline);
}

static void hs_timed_out(struct smcr_hs *hs)
{
	/* It may have ended, or have got to step DEFER */
	if (hs->step == SMCR_HS_DONE || time_before(jiffies, hs->deadline))
		return;
	smcr_mib_inc(sock_net(hs->sk), SMCR_MIB_HANDSHAKETIMEOUTS);
	smcr_hs_fail(hs, -ETIMEDOUT);
}

static void hs_work(struct work_struct *work)
{
	struct smcr_hs *hs = container_of(work, struct smcr_hs, work);
	struct sock *sk = hs->sk;
	bool expired;

	if (!smcr_sock_own(sk, SMCR_SOCK_D_HS)) {
		if (test_bit(SMCR_HS_E_TIMEOUT, &hs->events) &&
		    !time_before(jiffies, READ_ONCE(hs->deadline)))
			hs_forsake(hs);
		smcr_hs_put(hs);
		return;
	}
	if (hs->step == SMCR_HS_DONE)
		goto out;
	if (test_and_clear_bit(SMCR_HS_E_ABORT, &hs->events)) {
		smcr_hs_fail(hs, -ECONNABORTED);
	} else if (hs_tcp_failed(hs)) {
		smcr_hs_fail(hs, smcr_hs_tcp_errno(hs));
	} else {
		/* What has come counts even after the deadline: it may be this
		 * host or the program that stood still, and not the peer.
		 */
		expired = hs_expired(hs);
		hs_walk(hs, hs->client ? smcr_connect_steps :
					 smcr_listen_steps);
		if (expired)
			hs_timed_out(hs);
	}
out:
	smcr_hs_unlock(hs);
	smcr_hs_put(hs);
}

/**
 * smcr_hs_unlock() - release the outer sock lock
 * @hs: handshake that may just have ended, counted by the caller
 *
 * A child that accept() cannot return is dropped here, which takes its lock.
 *
 * Context: process, outer sock lock held; released.
 */
void smcr_hs_unlock(struct smcr_hs *hs)
{
	bool drop = hs->drop;

	sock_owned_by_me(hs->sk);
	hs->drop = false;
	release_sock(hs->sk);
	if (drop)
		smcr_sock_drop_child(hs->sk);
}

/**
 * smcr_hs_alloc() - start a handshake
 * @sk: outer socket, which gets a reference to the handshake
 * @client: true for a client
 *
 * Context: process, outer sock lock held.
 * Return: the handshake, whose one reference @sk owns, or NULL.
 */
struct smcr_hs *smcr_hs_alloc(struct sock *sk, bool client)
{
	struct smcr_hs *hs = kzalloc(sizeof(*hs), GFP_KERNEL);

	sock_owned_by_me(sk);
	if (!hs)
		return NULL;
	refcount_set(&hs->refs, 1);
	sock_hold(sk);
	hs->sk = sk;
	hs->client = client;
	hs->step = client ? SMCR_HS_TCP : SMCR_HS_PROPOSAL;
	spin_lock_init(&hs->lock);
	INIT_LIST_HEAD(&hs->wait_node);
	INIT_LIST_HEAD(&hs->listen_node);
	INIT_WORK(&hs->work, hs_work);
	timer_setup(&hs->timer, hs_timer, 0);
	smcr_clc_init(&hs->clc);
	smcr_mib_inc(sock_net(sk), SMCR_MIB_HANDSHAKESSTARTED);
	atomic_inc(&smcr_pernet(sock_net(sk))->handshakes);
	WRITE_ONCE(smcr_sk(sk)->hs, hs);
	return hs;
}

/**
 * smcr_hs_drop_group() - leave the link group
 * @hs: the handshake; its connection and link, if any, are dropped too
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_drop_group(struct smcr_hs *hs)
{
	struct smcr_lgr *lgr = hs->lgr;

	sock_owned_by_me(hs->sk);
	if (lgr)
		smcr_lgr_unwait(lgr, hs);
	if (hs->conn) {
		smcr_conn_uncharge(hs->conn, hs->sk);
		smcr_conn_unlink(hs->conn, hs->offered ?
				 SMCR_RMBE_END_ABNORMAL :
				 SMCR_RMBE_END_UNUSED);
		smcr_conn_put(hs->conn);
	}
	if (hs->link)
		smcr_link_put(hs->link);
	if (hs->named)
		smcr_link_put(hs->named);
	hs->conn = NULL;
	hs->link = NULL;
	hs->named = NULL;
	spin_lock_bh(&hs->lock);
	hs->lgr = NULL;
	spin_unlock_bh(&hs->lock);
	if (lgr)
		smcr_lgr_leave(lgr);
}

/* Give back what only messages of the handshake need. */
static void hs_strip(struct smcr_hs *hs)
{
	sock_owned_by_me(hs->sk);
	smcr_hs_drop_group(hs);
	smcr_ib_port_drop(&hs->port);
	smcr_clc_free(&hs->clc);
}

/* End the handshake. The caller reports the result, with hs_deliver(). */
static void hs_release(struct smcr_hs *hs)
{
	struct sock *sk = hs->sk;

	sock_owned_by_me(hs->sk);
	WARN_ON_ONCE(hs_move(hs, SMCR_HS_DONE));
	if (timer_delete(&hs->timer))
		smcr_hs_put(hs);
	hs_strip(hs);
	if (hs->listener)
		smcr_listen_leave(hs);
	WRITE_ONCE(smcr_sk(sk)->hs, NULL);
	smcr_mib_inc(sock_net(sk), SMCR_MIB_HANDSHAKESENDED);
	atomic_dec(&smcr_pernet(sock_net(sk))->handshakes);
}

/**
 * smcr_hs_cancel() - undo smcr_hs_alloc() after TCP refused to connect
 * @hs: a client's handshake; ends
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_cancel(struct smcr_hs *hs)
{
	struct sock *sk = hs->sk;

	sock_owned_by_me(hs->sk);
	hs_release(hs);
	smcr_inner_unhook(sk);
	smcr_sock_mode_set(sk, SMCR_MODE_INIT);
	smcr_hs_put(hs);
}

/* Report the result of a handshake that hs_release() has ended, and drop the
 * reference of the socket.
 */
static void hs_deliver(struct smcr_hs *hs, int err)
{
	struct sock *sk = hs->sk;
	struct sock *listener = hs->listener;

	sock_owned_by_me(hs->sk);
	hs->listener = NULL;
	if (hs->client)
		smcr_sock_connected(sk, -err);
	else
		hs->drop = err || !smcr_sock_accept_ready(listener, sk);
	if (listener)
		sock_put(listener);
	smcr_hs_put(hs);
}

/* TCP_DEFER_ACCEPT: if accept() must not return the child yet, go to step DEFER
 * instead of ending the handshake. TCP takes a CLC message for the client's
 * first bytes, so it does not withhold the child. In step PROPOSAL that message
 * is a Decline; a child from which none has come was withheld by TCP already.
 * As no program has the socket, nothing but the handshake needs its wake-ups.
 */
static bool __must_check hs_defer(struct smcr_hs *hs)
{
	struct sock *sk = hs->sk;

	sock_owned_by_me(hs->sk);
	if (!hs->defer_until || !time_before(jiffies, hs->defer_until) ||
	    (hs->step == SMCR_HS_PROPOSAL && !hs->clc.rx_len))
		return false;
	if (WARN_ON_ONCE(hs_move(hs, SMCR_HS_DEFER)))
		return false;
	hs_strip(hs);
	hs->waited = false;
	hs->wakeup = sk->sk_state_change;
	hs->readable = sk->sk_data_ready;
	WRITE_ONCE(sk->sk_state_change, smcr_hs_event);
	WRITE_ONCE(sk->sk_data_ready, smcr_hs_event);
	WRITE_ONCE(hs->deadline, hs->defer_until);
	smcr_hs_wake(hs, hs->deadline);
	smcr_mib_inc(sock_net(sk), SMCR_MIB_ACCEPTSDEFERRED);
	return true;
}

static void hs_undefer(struct smcr_hs *hs, int err)
{
	struct sock *sk = hs->sk;

	sock_owned_by_me(hs->sk);
	WRITE_ONCE(sk->sk_state_change, hs->wakeup);
	WRITE_ONCE(sk->sk_data_ready, hs->readable);
	if (smcr_sock_is_fallback(sk))
		smcr_inner_unhook(sk);
	hs_release(hs);
	hs_deliver(hs, err);
}

/**
 * smcr_hs_deferred() - the wait for the client's first bytes is over
 * @hs: a server's handshake in step DEFER; ends
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_deferred(struct smcr_hs *hs)
{
	smcr_hs_trace(hs, 0);
	hs_undefer(hs, 0);
}

/**
 * smcr_hs_fallback() - fall back to TCP
 * @hs: the handshake; ends
 * @reason: counted and traced
 * @diagnosis: of the peer's Decline, or 0
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_fallback(struct smcr_hs *hs, enum smcr_fallback_reason reason,
		      u32 diagnosis)
{
	bool defer;

	sock_owned_by_me(hs->sk);
	if (hs->first_contact && hs->lgr)
		smcr_lgr_give_up(hs->lgr);
	defer = hs_defer(hs);
	if (!defer)
		hs_release(hs);
	/* In mode FALLBACK a program may copy under the inner sock lock */
	smcr_inner_ack_now(smcr_sk(hs->sk)->inner);
	smcr_fallback(hs->sk, reason, diagnosis);
	if (defer) {
		/* It shall hear of bytes, and may have missed some */
		smcr_inner_hook(hs->sk);
		smcr_hs_kick(hs, SMCR_HS_E_TCP);
	} else {
		hs_deliver(hs, 0);
	}
}

/**
 * smcr_hs_fail() - reset TCP (C.5, C.6)
 * @hs: the handshake; ends
 * @err: -errno for connect(); -ECONNABORTED if the application or the listener
 *	is gone, or TCP was ended on this host (ss -K), which says nothing about
 *	the peer
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_fail(struct smcr_hs *hs, int err)
{
	sock_owned_by_me(hs->sk);
	smcr_hs_trace(hs, err);
	/* The connection is made; dropping the child resets it */
	if (hs->step == SMCR_HS_DEFER) {
		hs_undefer(hs, err);
		return;
	}
	if (err != -ECONNABORTED) {
		smcr_hs_dest_failed(hs);
		smcr_hs_path_result(hs, false);
	}
	if (hs->first_contact && hs->lgr)
		smcr_lgr_give_up(hs->lgr);
	hs_release(hs);
	smcr_inner_abort(hs->sk);
	hs_deliver(hs, err);
}

/**
 * smcr_hs_done() - finish a handshake that has succeeded
 * @hs: the handshake, with a connection of an ACTIVE group; ends
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_done(struct smcr_hs *hs)
{
	struct smcr_conn *conn = hs->conn;
	struct sock *sk = hs->sk;
	struct net *net = sock_net(sk);
	bool defer;
	int err;

	sock_owned_by_me(hs->sk);
	err = smcr_conn_start(conn, sk);
	if (err) {
		smcr_hs_fail(hs, err);
		return;
	}
	/* The program may have set these meanwhile */
	smcr_tx_set_user_timeout(conn, smcr_inner_user_timeout(sk));
	if (hs->here)
		smcr_addr_watch(conn, smcr_sk(sk)->inner->sk);
	if (smcr_sk(sk)->sndbuf_set)
		smcr_tx_space_resize(conn, sk->sk_sndbuf / 2);
	smcr_hs_path_result(hs, true);
	hs->conn = NULL;
	if (!hs->first_contact)
		smcr_mib_inc(net, SMCR_MIB_SUBSEQUENTCONTACTS);
	smcr_mib_inc(net, SMCR_MIB_HANDSHAKESDONE);
	smcr_mib_inc(net, hs->client ? SMCR_MIB_ACTIVEOPENS :
				       SMCR_MIB_PASSIVEOPENS);
	smcr_hs_trace(hs, 0);
	defer = hs_defer(hs);
	if (!defer)
		hs_release(hs);
	smcr_inner_hold_port(sk);
	/* Before TCP's events reach the connection, which judges them by age */
	smcr_conn_tcp_start(conn);
	smcr_sock_mode_set(sk, SMCR_MODE_RDMA);
	/* Handle events that TCP reported to the handshake */
	if (smcr_inner_has_data(sk))
		smcr_conn_end_reset(conn, SMCR_RESET_TCP_DATA, ECONNRESET);
	smcr_close_tcp_event(sk);
	smcr_conn_put(conn);
	if (defer)
		smcr_hs_kick(hs, SMCR_HS_E_TCP);
	else
		hs_deliver(hs, 0);
}

/**
 * smcr_hs_abort() - the application closes or disconnects the socket
 * @sk: outer socket in mode HANDSHAKE
 *
 * Many programs give up sooner than a handshake does, which is then the only
 * sign that a server is silent.
 *
 * Context: process, outer sock lock held.
 */
void smcr_hs_abort(struct sock *sk)
{
	struct smcr_hs *hs = smcr_sk(sk)->hs;

	sock_owned_by_me(sk);
	if (!hs)
		return;
	smcr_hs_dest_left(hs);
	smcr_hs_fail(hs, -ECONNABORTED);
}
