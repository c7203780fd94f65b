// SPDX-License-Identifier: GPL-2.0
/*
 * Link groups (RFC 7609 2.2, 3.5.3, 3.5.4): life cycle, work item, limits.
 * lgr_find.c has the lookups, lgr_links.c the links, lgr_token.c the alert
 * tokens and lgr_mem.c the RMBs.
 *
 * After first contact, only the group's work changes the links and the LLC
 * exchanges of a group. It sends, stores what it waits for, sets a deadline and
 * returns; it never waits for the peer. A second work item, the RMB work (see
 * lgr_mem.c), makes, cleans and frees RMBs, so that a device that takes long to
 * register or release memory does not delay the answer to an LLC message. It
 * also creates and connects the queue pairs (see lgr_form.c). Other contexts
 * ask either work for something by a bit in lgr->todo.
 *
 * A group ends in these steps (lgr_end()):
 *
 *   DEAD    off the namespace's list: handshakes no longer find the group, and
 *           the group's work does nothing more
 *   drain   by a work item on smcr_drain_wq: each link closes its gate and is
 *           drained, if it was ever connected ("gate before drain" in
 *           smcr.rst): no completion comes, no send slot holds a connection,
 *           and what the links had received is handled
 *   reset   its connections are reset, unless the peer had finished them
 *   stop    by another one on smcr_stop_wq: the links are destroyed
 *   put     the references of lgr->links[] are dropped
 *   unmap   by the RMB work, queued after the stop, which leaves it to a work
 *           item of each link to take the RMBs off the device; readers keep the
 *           pages
 *
 * Connections, handshakes and queued works hold the memory of the group and its
 * links until they drop their references.
 */
#include <linux/hashtable.h>
#include <linux/lockdep.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <trace/events/smcr.h>

#include "conn.h"
#include "conn_end.h"
#include "hs.h"
#include "lgr.h"
#include "lgr_change.h"
#include "lgr_links.h"
#include "lgr_policy.h"
#include "mib.h"
#include "notify.h"
#include "rmb.h"

/* A client keeps an idle group longer than a server by this, because the server
 * is the one to end it (3.5.4).
 */
#define LGR_CLIENT_EXTRA	(10 * HZ)
/* Retry interval of what waits for the end of an LLC exchange */
#define LGR_TICK		(HZ / 2)

static const enum smcr_lgr_state next_state[][SMCR_LGR_N_EVENTS] = {
	[SMCR_LGR_FORMING] = {
		[SMCR_LGR_EV_READY]   = SMCR_LGR_ACTIVE,
		[SMCR_LGR_EV_CLOSE]   = SMCR_LGR_CLOSING,
		[SMCR_LGR_EV_DEAD]    = SMCR_LGR_DEAD,
		[SMCR_LGR_EV_IDLE]    = SMCR_LGR_FORMING,
		[SMCR_LGR_EV_GIVE_UP] = SMCR_LGR_CLOSING,
	},
	[SMCR_LGR_ACTIVE] = {
		[SMCR_LGR_EV_READY]   = SMCR_LGR_ACTIVE,
		[SMCR_LGR_EV_CLOSE]   = SMCR_LGR_CLOSING,
		[SMCR_LGR_EV_DEAD]    = SMCR_LGR_DEAD,
		[SMCR_LGR_EV_IDLE]    = SMCR_LGR_CLOSING,
		[SMCR_LGR_EV_GIVE_UP] = SMCR_LGR_ACTIVE,
	},
	[SMCR_LGR_CLOSING] = {
		[SMCR_LGR_EV_READY]   = SMCR_LGR_CLOSING,
		[SMCR_LGR_EV_CLOSE]   = SMCR_LGR_CLOSING,
		[SMCR_LGR_EV_DEAD]    = SMCR_LGR_DEAD,
		[SMCR_LGR_EV_IDLE]    = SMCR_LGR_CLOSING,
		[SMCR_LGR_EV_GIVE_UP] = SMCR_LGR_CLOSING,
	},
	[SMCR_LGR_DEAD] = {
		[SMCR_LGR_EV_READY]   = SMCR_LGR_DEAD,
		[SMCR_LGR_EV_CLOSE]   = SMCR_LGR_DEAD,
		[SMCR_LGR_EV_DEAD]    = SMCR_LGR_DEAD,
		[SMCR_LGR_EV_IDLE]    = SMCR_LGR_DEAD,
		[SMCR_LGR_EV_GIVE_UP] = SMCR_LGR_DEAD,
	},
};

/**
 * smcr_lgr_event() - change a group's state and wake its waiters
 * @lgr: the group
 * @event: what happened
 *
 * Context: process or softirq.
 * Return: 1 if the state changed, else 0.
 */
int smcr_lgr_event(struct smcr_lgr *lgr, enum smcr_lgr_event event)
{
	enum smcr_lgr_state old, new;

	spin_lock_bh(&lgr->conns_lock);
	old = lgr->state;
	/* A connection or handshake joins under the same lock: before the
	 * event, which is then refused, or after it, when the group is CLOSING.
	 */
	if (event == SMCR_LGR_EV_IDLE && (lgr->n_conns || lgr->n_joining))
		new = old;
	else
		new = next_state[old][event];
	if (new != old)
		smcr_lgr_change_state(lgr, event);
	WRITE_ONCE(lgr->state, new);
	spin_unlock_bh(&lgr->conns_lock);
	if (old == new)
		return 0;
	trace_smcr_lgr_state(lgr->id, lgr->role, old, event, new);
	smcr_notify_lgr(lgr);
	smcr_lgr_wake(lgr);
	return 1;
}

/**
 * smcr_lgr_get() - take a reference to a group
 * @lgr: a group that the caller may use
 *
 * Context: any.
 * Return: @lgr.
 */
struct smcr_lgr *smcr_lgr_get(struct smcr_lgr *lgr)
{
	refcount_inc(&lgr->refs);
	return lgr;
}

static void lgr_uncount_live(struct smcr_net *sn)
{
	if (atomic_dec_and_test(&sn->n_live_lgrs))
		wake_up_var(&sn->n_live_lgrs);
}

static void lgr_uncount(struct smcr_net *sn)
{
	/* The waiter may free @sn at once, so the wait queue is not in it. */
	if (atomic_dec_and_test(&sn->n_lgrs))
		wake_up_var(&sn->n_lgrs);
}

static void lgr_free(struct smcr_lgr *lgr)
{
	struct smcr_net *sn = smcr_pernet(lgr->net);
	struct smcr_lgr_tokens *tokens;
	int id;

	WARN_ON_ONCE(lgr->n_conns || !list_empty(&lgr->rmbs) ||
		     !list_empty(&lgr->waiters));
	for (id = 1; id <= SMCR_MAX_RMBS; id++)
		kfree(lgr->rtokens->slot[id]);
	kfree(lgr->rtokens);
	tokens = rcu_dereference_protected(lgr->tokens, true);
	kvfree_rcu(tokens, rcu);
	/* A group that was never published is not in LinkGroups. */
	if (lgr->id)
		smcr_mib_inc(lgr->net, SMCR_MIB_LINKGROUPSFREED);
	if (lgr->state != SMCR_LGR_DEAD)
		lgr_uncount_live(sn);
	kfree(lgr);
	lgr_uncount(sn);
}

/**
 * smcr_lgr_put() - drop a reference to a group
 * @lgr: the group; the caller does not use it after this
 *
 * Context: any.
 */
void smcr_lgr_put(struct smcr_lgr *lgr)
{
	if (refcount_dec_and_test(&lgr->refs))
		lgr_free(lgr);
}

/**
 * smcr_lgr_queue() - queue the group's work
 * @lgr: the group; the caller holds a reference
 *
 * Context: any.
 */
void smcr_lgr_queue(struct smcr_lgr *lgr)
{
	/* Queued work owns a reference; if it was queued already, it has one */
	smcr_lgr_get(lgr);
	if (mod_delayed_work(smcr_wq, &lgr->work, 0))
		smcr_lgr_put(lgr);
}

/**
 * smcr_lgr_queue_later() - queue the group's work with a delay
 * @lgr: the group; the caller holds a reference
 * @delay: in jiffies
 *
 * Does nothing if the work is queued already, perhaps for a message from the
 * peer, which must not wait for @delay.
 *
 * Context: any.
 */
void smcr_lgr_queue_later(struct smcr_lgr *lgr, unsigned long delay)
{
	smcr_lgr_get(lgr);
	if (!queue_delayed_work(smcr_wq, &lgr->work, delay))
		smcr_lgr_put(lgr);
}

/**
 * smcr_lgr_kick() - ask the group's work or the RMB work to do something
 * @lgr: the group; the caller holds a reference
 * @what: what to do
 *
 * Context: any.
 */
void smcr_lgr_kick(struct smcr_lgr *lgr, enum smcr_lgr_todo what)
{
	if (test_and_set_bit(what, &lgr->todo))
		return;
	if (what < SMCR_LGR_T_NEED_RMB) {
		smcr_lgr_queue(lgr);
		return;
	}
	smcr_lgr_get(lgr);
	if (mod_delayed_work(smcr_rmb_wq, &lgr->rmb_work, 0))
		smcr_lgr_put(lgr);
}

/**
 * smcr_lgr_terminate() - end a group without an LLC exchange
 * @lgr: the group
 * @reason: reason with which its connections are reset
 * @err: errno for its connections, positive
 *
 * If this is called more than once, the first reason and errno count.
 *
 * Context: any.
 */
void smcr_lgr_terminate(struct smcr_lgr *lgr, enum smcr_reset_reason reason,
			int err)
{
	spin_lock_bh(&lgr->conns_lock);
	if (!lgr->end_err) {
		WRITE_ONCE(lgr->end_reason, reason);
		lgr->end_err = err;
	}
	spin_unlock_bh(&lgr->conns_lock);
	smcr_lgr_kick(lgr, SMCR_LGR_T_TERMINATE);
}

/**
 * smcr_lgr_give_up() - end the group of a first contact that failed
 * @lgr: the group
 *
 * An ACTIVE group stays, because other handshakes and connections may use it.
 * Otherwise the followers are woken and find or form another group.
 *
 * Context: any.
 */
void smcr_lgr_give_up(struct smcr_lgr *lgr)
{
	if (smcr_lgr_event(lgr, SMCR_LGR_EV_GIVE_UP))
		smcr_lgr_terminate(lgr, SMCR_RESET_HANDSHAKE, ECONNRESET);
}

/**
 * smcr_lgr_leave() - end a handshake's use of its group
 * @lgr: from smcr_lgr_create() or a lookup; the caller's reference is dropped
 *
 * An idle group does not close until each handshake that joined it has left.
 *
 * Context: process.
 */
void smcr_lgr_leave(struct smcr_lgr *lgr)
{
	bool idle;

	spin_lock_bh(&lgr->conns_lock);
	WRITE_ONCE(lgr->n_joining, lgr->n_joining - 1);
	idle = !lgr->n_joining && !lgr->n_conns &&
	       lgr->state == SMCR_LGR_ACTIVE;
	if (idle)
		WRITE_ONCE(lgr->idle_since, jiffies);
	spin_unlock_bh(&lgr->conns_lock);
	if (idle)
		smcr_lgr_queue(lgr);
	smcr_lgr_put(lgr);
}

static struct smcr_lgr *lgr_alloc(struct net *net, enum smcr_role role,
				  const struct smcr_lgr_key *key);

/* Without the lock this is a hint; smcr_lgr_event() decides under it. */
static bool lgr_idle(const struct smcr_lgr *lgr)
{
	return smcr_lgr_state(lgr) == SMCR_LGR_ACTIVE &&
	       !READ_ONCE(lgr->n_conns) && !READ_ONCE(lgr->n_joining);
}

/* At the limit, ask an idle group to close, so that a later first contact finds
 * room. This one falls back to TCP: it does not wait for an LLC exchange.
 */
static void lgr_make_room(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);
	struct smcr_lgr *lgr;

	smcr_mib_inc(net, SMCR_MIB_GROUPSREFUSED);
	spin_lock_bh(&sn->lgr_lock);
	list_for_each_entry(lgr, &sn->lgrs, list) {
		if (lgr_idle(lgr)) {
			smcr_lgr_kick(lgr, SMCR_LGR_T_MAKE_ROOM);
			break;
		}
	}
	spin_unlock_bh(&sn->lgr_lock);
}

static struct smcr_lgr *lgr_alloc_counted(struct net *net, enum smcr_role role,
					  const struct smcr_lgr_key *key)
{
	struct smcr_net *sn = smcr_pernet(net);
	struct smcr_lgr *lgr;

	/* An application may keep the memory of a DEAD group for any time. Such
	 * a group does not count toward the limit, but the exit of the
	 * namespace waits for it.
	 */
	atomic_inc(&sn->n_lgrs);
	if (atomic_inc_return(&sn->n_live_lgrs) >
	    READ_ONCE(sn->sysctl.max_lgrs)) {
		lgr_make_room(net);
		lgr = ERR_PTR(-EMFILE);
	} else {
		lgr = lgr_alloc(net, role, key);
	}
	if (!IS_ERR(lgr))
		return lgr;
	lgr_uncount_live(sn);
	lgr_uncount(sn);
	return lgr;
}

/**
 * smcr_lgr_create() - create a group for a first contact
 * @net: namespace
 * @role: local role
 * @key: the peer; for a client the contents of the Accept
 * @port: local port of the first link
 * @elem_size: bytes of an element of the first RMB
 *
 * Context: process.
 * Return: the group, FORMING; the caller waits for smcr_lgr_formed(), and ends
 * its use with smcr_lgr_leave(). Otherwise an ERR_PTR: -EEXIST if this server
 * forms a group with the same client already, -EMFILE at the limit of groups,
 * -ESHUTDOWN if the namespace ends, or -ENOMEM.
 */
struct smcr_lgr *smcr_lgr_create(struct net *net, enum smcr_role role,
				 const struct smcr_lgr_key *key,
				 const struct smcr_port *port, u32 elem_size)
{
	struct smcr_lgr *lgr;
	int err;

	lgr = lgr_alloc_counted(net, role, key);
	if (IS_ERR(lgr))
		return lgr;
	smcr_llc_first_contact(lgr);
	/* Followers have to find the group before it has a link. */
	err = smcr_lgr_publish(lgr);
	if (err) {
		smcr_lgr_leave(lgr);
		return ERR_PTR(err);
	}
	smcr_lgr_form_begin(lgr, port, elem_size);
	return lgr;
}

static void lgr_wait(struct smcr_lgr *lgr, struct smcr_hs *hs)
{
	lockdep_assert_held(&lgr->conns_lock);
	if (list_empty(&hs->wait_node)) {
		smcr_hs_get(hs);
		list_add_tail(&hs->wait_node, &lgr->waiters);
	}
}

/**
 * smcr_lgr_wait() - wake a handshake at the next change of a group
 * @lgr: the group
 * @hs: the handshake; it is kicked with SMCR_HS_E_GROUP, once
 *
 * Context: process.
 */
void smcr_lgr_wait(struct smcr_lgr *lgr, struct smcr_hs *hs)
{
	spin_lock_bh(&lgr->conns_lock);
	lgr_wait(lgr, hs);
	spin_unlock_bh(&lgr->conns_lock);
}

/**
 * smcr_lgr_wait_elem() - wake a handshake when the group has an element for it
 * @lgr: the group
 * @hs: the handshake
 * @size: bytes of the element
 *
 * Like smcr_lgr_wait(), but free elements of @size wake the handshake, too. To
 * miss no wake-up, the caller looks for an element after this call. It calls
 * smcr_lgr_unwait() when it has one or needs none any more.
 *
 * Context: process.
 */
void smcr_lgr_wait_elem(struct smcr_lgr *lgr, struct smcr_hs *hs, u32 size)
{
	spin_lock_bh(&lgr->conns_lock);
	hs->wait_size = size;
	lgr_wait(lgr, hs);
	spin_unlock_bh(&lgr->conns_lock);
}

/**
 * smcr_lgr_unwait() - undo smcr_lgr_wait() or smcr_lgr_wait_elem()
 * @lgr: the group
 * @hs: the handshake; the caller holds a reference
 *
 * If the handshake was woken for an element after its last look for one, the
 * wake-up passes to another waiter.
 *
 * Context: process.
 */
void smcr_lgr_unwait(struct smcr_lgr *lgr, struct smcr_hs *hs)
{
	bool waited;
	u32 size;

	spin_lock_bh(&lgr->conns_lock);
	waited = !list_empty(&hs->wait_node);
	list_del_init(&hs->wait_node);
	size = hs->wait_size;
	hs->wait_size = 0;
	spin_unlock_bh(&lgr->conns_lock);
	if (waited)
		smcr_hs_put(hs);
	else if (size)
		smcr_lgr_wake_elems(lgr, size, 1);
}

/* Wake the first waiter for an element of @size bytes, or of any size if that
 * is 0. Return: false if there is none.
 */
static bool lgr_wake_one(struct smcr_lgr *lgr, u32 size)
{
	struct smcr_hs *hs, *found = NULL;

	spin_lock_bh(&lgr->conns_lock);
	list_for_each_entry(hs, &lgr->waiters, wait_node) {
		if (!size || hs->wait_size == size) {
			found = hs;
			list_del_init(&hs->wait_node);
			break;
		}
	}
	spin_unlock_bh(&lgr->conns_lock);
	if (!found)
		return false;
	smcr_hs_kick(found, SMCR_HS_E_GROUP);
	smcr_hs_put(found);
	return true;
}

/**
 * smcr_lgr_wake() - wake all handshakes that wait for a group
 * @lgr: the group
 *
 * Context: process or softirq.
 */
void smcr_lgr_wake(struct smcr_lgr *lgr)
{
	size_t n;

	/* A handshake that is woken may wait again before the loop ends */
	spin_lock_bh(&lgr->conns_lock);
	n = list_count_nodes(&lgr->waiters);
	spin_unlock_bh(&lgr->conns_lock);
	while (n-- && lgr_wake_one(lgr, 0))
		;
}

/**
 * smcr_lgr_wake_elems() - wake handshakes that wait for elements
 * @lgr: the group
 * @size: bytes of each element that became free
 * @n: number of these elements, and so of handshakes to wake
 *
 * Context: process.
 */
void smcr_lgr_wake_elems(struct smcr_lgr *lgr, u32 size, u32 n)
{
	while (n-- && lgr_wake_one(lgr, size))
		;
}

/**
 * smcr_lgr_wake_rmb() - wake handshakes that wait for the elements of a new RMB
 * @lgr: the group
 * @rmb: the RMB, confirmed
 *
 * The group stores one wanted size only, so if handshakes wait for others, all
 * waiters are woken and ask once more.
 *
 * Context: the group's work.
 */
void smcr_lgr_wake_rmb(struct smcr_lgr *lgr, const struct smcr_rmb *rmb)
{
	const struct smcr_hs *hs;
	bool others = false;

	spin_lock_bh(&lgr->conns_lock);
	list_for_each_entry(hs, &lgr->waiters, wait_node)
		others |= hs->wait_size && hs->wait_size != rmb->elem_size;
	spin_unlock_bh(&lgr->conns_lock);
	if (others)
		smcr_lgr_wake(lgr);
	else
		smcr_lgr_wake_elems(lgr, rmb->elem_size, rmb->n_elems);
}

static void lgr_reset_conns(struct smcr_lgr *lgr)
{
	struct smcr_conn *conn;
	u32 slot = 0;

	while ((conn = smcr_lgr_conn_next(lgr, &slot))) {
		smcr_conn_end_lost(conn, lgr->end_reason, lgr->end_err);
		smcr_conn_put(conn);
	}
}

/* Connections and handshakes do not wait for this. */
static void lgr_stop_work(struct work_struct *work)
{
	struct smcr_lgr *lgr = container_of(work, struct smcr_lgr, end.stop);

	smcr_lgr_links_stop(&lgr->end.links);
	smcr_llc_flush(lgr);
	/* No registration is under way once the links have stopped. */
	smcr_lgr_kick(lgr, SMCR_LGR_T_FREE_ALL);
	smcr_lgr_links_put(&lgr->end.links);
	smcr_lgr_put(lgr);
}

/* The group's work does nothing any more, so this takes its place. */
static void lgr_drain_work(struct work_struct *work)
{
	struct smcr_lgr *lgr = container_of(work, struct smcr_lgr, end.drain);

	smcr_lgr_links_drain(lgr, &lgr->end.links);
	lgr_reset_conns(lgr);
	lgr_uncount_live(smcr_pernet(lgr->net));
	smcr_lgr_wake(lgr);
	queue_work(smcr_stop_wq, &lgr->end.stop);
}

/* A device may take long to drain and to destroy the links, and LLC messages of
 * other groups must not wait for that.
 */
static void lgr_end(struct smcr_lgr *lgr)
{
	if (!smcr_lgr_event(lgr, SMCR_LGR_EV_DEAD))
		return;
	/* The reference of the list, or another one, is for the work. */
	if (!smcr_lgr_unpublish(lgr))
		smcr_lgr_get(lgr);
	smcr_lgr_links_end(lgr, &lgr->end.links);
	queue_work(smcr_drain_wq, &lgr->end.drain);
}

static unsigned long lgr_linger(const struct smcr_lgr *lgr)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(lgr->net)->sysctl;
	unsigned long linger = msecs_to_jiffies(READ_ONCE(ctl->lgr_linger_ms));

	return lgr->role == SMCR_CLIENT ? linger + LGR_CLIENT_EXTRA : linger;
}

static void lgr_close(struct smcr_lgr *lgr, enum smcr_lgr_event event,
		      enum smcr_lgr_reason why, u32 reason)
{
	lgr->change.closing = why;
	if (smcr_lgr_event(lgr, event))
		smcr_llc_delete_all(lgr, reason);
}

static void lgr_todo(struct smcr_lgr *lgr)
{
	if (test_and_clear_bit(SMCR_LGR_T_LINK_FAILED, &lgr->todo))
		smcr_lgr_links_lost(lgr);
	smcr_llc_process(lgr);
	/* After the messages, which may end the exchange that this waits for */
	if (test_and_clear_bit(SMCR_LGR_T_RMB_REG, &lgr->todo))
		smcr_lgr_rmb_registered(lgr);
	if (test_and_clear_bit(SMCR_LGR_T_CLOSE, &lgr->todo)) {
		lgr_close(lgr, SMCR_LGR_EV_CLOSE, READ_ONCE(lgr->change.asked),
			  SMCR_LLC_DEL_OPERATOR);
		/* If the group was CLOSING already, its deadline may be far. */
		smcr_llc_hurry(lgr);
	}
	if (test_and_clear_bit(SMCR_LGR_T_MAKE_ROOM, &lgr->todo))
		lgr_close(lgr, SMCR_LGR_EV_IDLE, SMCR_LGR_R_MAKE_ROOM,
			  SMCR_LLC_DEL_OPERATOR);
	if (test_and_clear_bit(SMCR_LGR_T_DELETED, &lgr->todo) &&
	    lgr->role == SMCR_SERVER)
		smcr_lgr_terminate(lgr, SMCR_RESET_GROUP_DELETED, ECONNRESET);
	if (test_and_clear_bit(SMCR_LGR_T_TEST, &lgr->todo))
		smcr_llc_test_now(lgr);
	smcr_llc_add_go(lgr);
	if (test_and_clear_bit(SMCR_LGR_T_LINK_DELETE, &lgr->todo))
		smcr_llc_delete_links(lgr);
	smcr_llc_delete_go(lgr);
	if (test_and_clear_bit(SMCR_LGR_T_GROW, &lgr->todo))
		smcr_lgr_grow_ready(lgr);
	if (test_and_clear_bit(SMCR_LGR_T_RMB_IDLE, &lgr->todo) &&
	    !smcr_llc_delete_rkeys(lgr))
		/* Another exchange is under way; try again after it. */
		set_bit(SMCR_LGR_T_RMB_IDLE, &lgr->todo);
}

static void earlier(unsigned long *next, unsigned long when)
{
	if (!*next || time_before(when, *next))
		*next = when;
}

/* Return: jiffies when the work has to run again, 0 if nothing is due. */
static unsigned long lgr_timers(struct smcr_lgr *lgr)
{
	unsigned long next = smcr_llc_timers(lgr);
	unsigned long idle, retire = smcr_lgr_retire(lgr);
	unsigned long watch = smcr_lgr_watch(lgr);
	unsigned long grow = smcr_lgr_grow(lgr);

	if (test_bit(SMCR_LGR_T_RMB_REG, &lgr->todo) ||
	    test_bit(SMCR_LGR_T_RMB_IDLE, &lgr->todo))
		earlier(&next, jiffies + LGR_TICK);
	if (watch)
		earlier(&next, watch);
	if (grow)
		earlier(&next, grow);
	if (retire)
		earlier(&next, retire);
	if (lgr_idle(lgr)) {
		idle = READ_ONCE(lgr->idle_since) + lgr_linger(lgr);
		if (time_after_eq(jiffies, idle))
			lgr_close(lgr, SMCR_LGR_EV_IDLE, SMCR_LGR_R_IDLE,
				  SMCR_LLC_DEL_INACTIVE);
		else
			earlier(&next, idle);
	}
	return next;
}

static void lgr_work(struct work_struct *work)
{
	struct smcr_lgr *lgr = container_of(to_delayed_work(work),
					    struct smcr_lgr, work);
	unsigned long next = 0;

	if (smcr_lgr_state(lgr) != SMCR_LGR_DEAD) {
		lgr_todo(lgr);
		WRITE_ONCE(lgr->redundant, smcr_lgr_redundant(lgr));
		next = lgr_timers(lgr);
	}
	if (test_and_clear_bit(SMCR_LGR_T_TERMINATE, &lgr->todo))
		lgr_end(lgr);
	if (smcr_lgr_state(lgr) != SMCR_LGR_DEAD && next)
		smcr_lgr_queue_later(lgr, time_after(next, jiffies) ?
				     next - jiffies : LGR_TICK);
	smcr_lgr_put(lgr);
}

static struct smcr_lgr *lgr_alloc(struct net *net, enum smcr_role role,
				  const struct smcr_lgr_key *key)
{
	struct smcr_lgr *lgr = kzalloc(sizeof(*lgr), GFP_KERNEL);

	if (!lgr)
		return ERR_PTR(-ENOMEM);
	lgr->rtokens = kzalloc(sizeof(*lgr->rtokens), GFP_KERNEL);
	if (!lgr->rtokens || smcr_lgr_tokens_init(lgr)) {
		kfree(lgr->rtokens);
		kfree(lgr);
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&lgr->refs, 1);
	INIT_LIST_HEAD(&lgr->list);
	INIT_HLIST_NODE(&lgr->node);
	INIT_LIST_HEAD(&lgr->rmbs);
	INIT_LIST_HEAD(&lgr->waiters);
	mutex_init(&lgr->mutex);
	spin_lock_init(&lgr->rtoken_lock);
	spin_lock_init(&lgr->conns_lock);
	INIT_DELAYED_WORK(&lgr->work, lgr_work);
	INIT_DELAYED_WORK(&lgr->rmb_work, smcr_lgr_rmb_work);
	INIT_WORK(&lgr->end.drain, lgr_drain_work);
	INIT_WORK(&lgr->end.stop, lgr_stop_work);
	lgr->net = net;
	lgr->mib = smcr_pernet(net)->mib;
	lgr->role = role;
	lgr->key = *key;
	lgr->max_links = SMCR_MAX_LINKS;
	lgr->form.result = -EINPROGRESS;
	lgr->grow.mtu = SMCR_MTU_4096;
	lgr->grow.mtu_until = jiffies;
	lgr->idle_since = jiffies;
	lgr->n_joining = 1;
	smcr_lgr_change_init(lgr);
	smcr_llc_init(lgr);
	return lgr;
}

/**
 * smcr_lgr_net_init() - prepare a namespace for groups
 * @net: namespace
 *
 * Context: process.
 */
void smcr_lgr_net_init(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);

	spin_lock_init(&sn->lgr_lock);
	INIT_LIST_HEAD(&sn->lgrs);
	hash_init(sn->lgr_hash);
	atomic_set(&sn->n_lgrs, 0);
	atomic_set(&sn->n_live_lgrs, 0);
	atomic_set(&sn->n_qps, 0);
}

/**
 * smcr_lgr_net_look() - have all groups of a namespace look at what is due
 * @net: namespace
 *
 * A new value of a time that they wait for counts from then on.
 *
 * Context: process.
 */
void smcr_lgr_net_look(struct net *net)
{
	struct smcr_lgr *lgr;

	for (lgr = smcr_lgr_next(net, NULL); lgr;
	     lgr = smcr_lgr_next(net, lgr)) {
		smcr_lgr_queue(lgr);
		smcr_lgr_kick(lgr, SMCR_LGR_T_CLEAN);
	}
}

/*
 * The end of a namespace. cleanup_net() takes all namespaces that have ended
 * since its last run, in one work item of the host, and calls a step for each
 * of them before it takes the next step:
 *
 *   pre_exit  smcr_lgr_net_close()  the groups are asked to close
 *   pre_exit  smcr_lgr_net_told()   waits until the peers are told, and the
 *				     links drained
 *	       the netdevs go, and with them the GIDs of the links
 *   exit      smcr_lgr_net_exit()   waits for the memory of the groups
 *
 * So a peer is told while the links still work, and the groups of all these
 * namespaces end at the same time: namespaces with peers that do not answer
 * take as long as one of them, and none waits for another's run. The module's
 * exit takes the same steps for all namespaces.
 *
 * No lock but the list's of pernet operations is held meanwhile, which the
 * groups' work does not take. No group comes in between: smcr_lgr_publish()
 * refuses it.
 */

/**
 * smcr_lgr_net_close() - ask all groups of a namespace to close
 * @net: namespace; it has no socket any more
 *
 * Each group sends DELETE LINK (all) to its peer (4.8.3) and ends after that,
 * at the latest at the exchange's deadline, which smcr_llc_deadline() bounds.
 *
 * Context: process.
 */
void smcr_lgr_net_close(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);
	struct smcr_lgr *lgr;

	spin_lock_bh(&sn->lgr_lock);
	WRITE_ONCE(sn->dying, true);
	spin_unlock_bh(&sn->lgr_lock);
	for (lgr = smcr_lgr_next(net, NULL); lgr; lgr = smcr_lgr_next(net, lgr))
		smcr_lgr_close(lgr, SMCR_LGR_R_EXIT);
}

/**
 * smcr_lgr_net_told() - wait until the links of a namespace are drained
 * @net: namespace, after smcr_lgr_net_close()
 *
 * Context: process.
 */
void smcr_lgr_net_told(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);

	wait_var_event(&sn->n_live_lgrs, !atomic_read(&sn->n_live_lgrs));
}

/**
 * smcr_lgr_net_exit() - wait until no group refers to a namespace
 * @net: namespace, after smcr_lgr_net_told()
 *
 * Context: process.
 */
void smcr_lgr_net_exit(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);

	wait_var_event(&sn->n_lgrs, !atomic_read(&sn->n_lgrs));
}
