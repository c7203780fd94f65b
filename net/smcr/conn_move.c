// SPDX-License-Identifier: GPL-2.0
/*
 * A connection leaves a link (RFC 7609 4.6). failover.c decides what is posted
 * on the new link, and what a move of the peer means; tx.c and cdc.c carry that
 * out. This file has what comes before and after:
 *
 *   lost      The group's work finds that the connection's link has failed. The
 *             connection gets another ACTIVE link and the keys of the peer's
 *             RMB on it, all under conn->lock, and posts there at once. Without
 *             such a link, it is reset; without an ACTIVE one, when the group's
 *             end has drained the lost ones.
 *   drained   No message and no write can come over a link any more, and its
 *             adapter reads no send space. A move of the peer that waited for
 *             this is decided, and chunks that the old link's requests may have
 *             named are given back.
 *   ready     A link is new in the group. Connections move to it until the
 *             links have about the same number of them. Such a connection
 *             first posts nothing new until all before is confirmed: then the
 *             peer has nothing to drain, and nothing is repeated.
 *   timer     The writes of a dead link can no longer arrive, or a move of the
 *             peer has waited long enough, or there may be memory again to map
 *             send space for the new link's device.
 *
 * Each end chooses its link on its own, so the link that a connection writes
 * over (conn->link) may differ from the one that the peer's messages come over
 * (conn->rx.link).
 *
 * During the handshake a connection does not move by itself, since CLC messages
 * have named its link to the peer; but the client's Confirm may name another
 * link than the server's Accept. If its link fails, the connection of a server
 * waits for the Confirm. If that names the failed link, the connection moves as
 * soon as it starts. That of a client is reset.
 */
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/timer.h>
#include <trace/events/smcr.h>

#include "cdc.h"
#include "conn.h"
#include "conn_end.h"
#include "conn_move.h"
#include "lgr.h"
#include "lgr_links.h"
#include "mib.h"
#include "tx.h"
#include "wr.h"

/* How long a connection that shall move posts nothing */
#define MOVE_PATIENCE	(HZ / 4)

/* How long a connection whose send space cannot be mapped tries again, and how
 * often. When an adapter is lost, all its connections need memory at once, in
 * softirq or under a spinlock, where none can be waited for.
 */
#define MOVE_MAP_TIME	(10 * HZ)
#define MOVE_MAP_PAUSE	DIV_ROUND_UP(HZ, 20)

/**
 * struct move_target - a link that a connection could move to
 * @link: the link
 * @rkey: key of the peer's RMB on it
 * @vaddr: address of the peer's RMB on it
 */
struct move_target {
	struct smcr_link	*link;
	u32			rkey;
	u64			vaddr;
};

static void move_timer(struct timer_list *timer)
{
	struct smcr_conn *conn = from_timer(conn, timer, move_timer);

	spin_lock(&conn->lock);
	smcr_cdc_validate(conn);
	/* The last chance: other connections' requests may be complete now */
	smcr_conn_move_confirmed(conn);
	conn->tx.leave = false;
	smcr_tx_push_locked(conn);
	spin_unlock(&conn->lock);
	smcr_conn_put(conn);
}

/**
 * smcr_conn_move_init() - prepare a new connection for moves
 * @conn: connection whose link is set: the one that the handshake names
 *
 * Context: process.
 */
void smcr_conn_move_init(struct smcr_conn *conn)
{
	INIT_LIST_HEAD(&conn->tx.held);
	smcr_failover_tx_init(&conn->tx.fo, true);
	smcr_failover_rx_init(&conn->rx.fo, conn->link->slot);
	timer_setup(&conn->move_timer, move_timer, 0);
}

/**
 * smcr_conn_move_arm() - look at a connection's moves again at some time
 * @conn: the connection
 * @when: the time, of get_jiffies_64()
 *
 * The armed timer owns a reference.
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_move_arm(struct smcr_conn *conn, u64 when)
{
	lockdep_assert_held(&conn->lock);
	smcr_conn_get(conn);
	if (timer_reduce(&conn->move_timer, (unsigned long)when))
		smcr_conn_put(conn);
}

/**
 * smcr_conn_move_mapped() - go on after send space was mapped for a device
 * @conn: the connection
 * @err: 0; -ENOMEM, after which the timer tries again, or the connection is
 *	reset in the end; -ENODEV if the link's device is going away, and the
 *	group's work moves the connection
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_move_mapped(struct smcr_conn *conn, int err)
{
	struct smcr_conn_tx *tx = &conn->tx;
	u64 now = get_jiffies_64();

	lockdep_assert_held(&conn->lock);
	if (err != -ENOMEM) {
		tx->short_since = 0;
		return;
	}
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_MOVERETRIES);
	if (!tx->short_since)
		tx->short_since = now;
	if (now - tx->short_since >= MOVE_MAP_TIME)
		smcr_conn_end_reset_locked(conn, SMCR_RESET_LINK_DOWN, ENOBUFS);
	else
		smcr_conn_move_arm(conn, now + MOVE_MAP_PAUSE);
}

/**
 * smcr_conn_move_at_rest() - is no message left that a move would repeat?
 * @conn: the connection
 *
 * Context: any, conn->lock held.
 * Return: true if the peer's adapter has all messages, and with them all bytes.
 */
bool smcr_conn_move_at_rest(const struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return (conn->tx.final || !conn->tx.due) &&
	       smcr_failover_tx_quiet(&conn->tx.fo, conn->tx.seq);
}

/* Look up the peer's RMB on a link. Once the link has left the group, its slot
 * may be another link's.
 */
static bool target_keys(const struct smcr_conn *conn,
			struct move_target *target)
{
	struct smcr_lgr *lgr = conn->lgr;
	u8 slot = target->link->slot;
	bool found;

	spin_lock_bh(&lgr->rtoken_lock);
	found = READ_ONCE(lgr->links[slot]) == target->link &&
		!smcr_rtoken_get(lgr->rtokens, conn->peer_rmb, slot,
				 &target->rkey, &target->vaddr);
	spin_unlock_bh(&lgr->rtoken_lock);
	return found;
}

/* The connections of a link, so weighted that a move away from @from is worth
 * it only if @link has at least two fewer.
 */
static u32 load(const struct smcr_link *link, const struct smcr_link *from)
{
	u32 n = 2 * atomic_read(&link->n_conns);

	return from && link != from ? n + 3 : n;
}

/* Choose the best link for @conn, or without it the best one for a new
 * connection. Returns its index in @links, or a negative value. @from: its
 * present link, if that has not failed.
 */
static int choose(const struct smcr_lgr_links *links,
		  const struct smcr_conn *conn, struct move_target *target,
		  const struct smcr_link *from)
{
	struct smcr_failover_link cand[SMCR_MAX_LINKS];
	unsigned int i;

	for (i = 0; i < links->n; i++) {
		target[i].link = links->link[i];
		cand[i] = (struct smcr_failover_link){
			.slot = i,
			.active = true,
			.complete = !conn || target_keys(conn, &target[i]),
			.back = conn && !from &&
				links->link[i]->slot == conn->tx.fo.back,
			.asymmetric = links->asymmetric & 1 << i,
			.nr_conns = load(links->link[i], from),
		};
	}
	return smcr_failover_pick(cand, links->n);
}

/**
 * smcr_conn_move_first() - choose the link of a new connection
 * @lgr: its group
 *
 * Context: process.
 * Return: the ACTIVE link with the fewest connections, with a reference;
 * asymmetric links come last. NULL if no link is ACTIVE.
 */
struct smcr_link *smcr_conn_move_first(struct smcr_lgr *lgr)
{
	struct move_target target[SMCR_MAX_LINKS];
	struct smcr_link *link = NULL;
	struct smcr_lgr_links links;
	int best;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	best = choose(&links, NULL, target, NULL);
	if (best >= 0)
		link = smcr_link_get(links.link[best]);
	smcr_lgr_links_put(&links);
	return link;
}

/**
 * smcr_conn_move_to() - use the link that the Confirm names
 * @conn: connection before smcr_conn_start()
 * @link: an ACTIVE link of the group, which the client has chosen
 *
 * Does nothing once the connection has ended, or uses the link already.
 *
 * Context: process.
 */
void smcr_conn_move_to(struct smcr_conn *conn, struct smcr_link *link)
{
	struct smcr_link *old = conn->link;

	spin_lock_bh(&conn->lock);
	if (old == link || conn->fsm.state != SMCR_CONN_INIT) {
		spin_unlock_bh(&conn->lock);
		return;
	}
	conn->link = smcr_link_get(link);
	atomic_inc(&link->n_conns);
	smcr_failover_rx_accepted(&conn->rx.fo, link->slot);
	/* The link may have failed meanwhile. The report that it is drained
	 * takes the lock after this, or has come already.
	 */
	if (test_bit(SMCR_LINK_F_QUIET, &link->flags) ||
	    smcr_link_state(link) == SMCR_LINK_DEAD)
		smcr_failover_rx_drained(&conn->rx.fo, link->slot);
	spin_unlock_bh(&conn->lock);
	atomic_dec(&old->n_conns);
	smcr_link_put(old);
}

/**
 * smcr_conn_move_waits() - has the link of a handshake failed?
 * @conn: connection before smcr_conn_start()
 *
 * Context: any.
 * Return: true if the connection is a server's, and moves when it starts.
 */
bool smcr_conn_move_waits(const struct smcr_conn *conn)
{
	return conn->lgr->role == SMCR_SERVER &&
	       smcr_link_state(conn->link) >= SMCR_LINK_FAILED;
}

/**
 * smcr_conn_move_can_start() - is there a link for a connection that starts?
 * @conn: the connection, which knows its peer
 *
 * The group's work may have passed the connection by before it got its link.
 *
 * Context: any but hard irq, conn->lock held.
 * Return: true if its link, or another one with the peer's keys, is in use.
 */
bool smcr_conn_move_can_start(const struct smcr_conn *conn)
{
	struct move_target target[SMCR_MAX_LINKS];
	struct smcr_lgr_links links;
	int best;

	lockdep_assert_held(&conn->lock);
	if (smcr_link_state(conn->link) < SMCR_LINK_FAILED)
		return true;
	smcr_lgr_links_get(conn->lgr, SMCR_LINK_ACTIVE, &links);
	best = choose(&links, conn, target, NULL);
	smcr_lgr_links_put(&links);
	return best >= 0;
}

static bool no_more_bytes(const struct smcr_conn *conn)
{
	return conn->reset_err || conn->tx.flags & SMCR_CDC_A ||
	       conn->rx.peer.flags & (SMCR_CDC_C | SMCR_CDC_A);
}

/* Move to another link. @lost: the old one takes no work request any more;
 * otherwise none of the connection's requests is under way.
 */
static void move_to(struct smcr_conn *conn, const struct move_target *target,
		    bool lost)
{
	struct smcr_conn_tx *tx = &conn->tx;
	struct smcr_link *old = conn->link;
	struct smcr_failover_move move = {
		.una = tx->una,
		.nxt = tx->nxt,
		.seq = tx->seq,
		.ring_len = tx->ring.len,
		.until = get_jiffies_64() +
			 smcr_sysctl_qp_dead_time(conn->lgr->net),
		.in_order = smcr_link_state(old) < SMCR_LINK_FAILED ?
			    old->slot : SMCR_FAILOVER_NO_LINK,
		.silent = no_more_bytes(conn),
	};

	lockdep_assert_held(&conn->lock);
	smcr_wr_unwait(old, conn);
	smcr_tx_left(conn, lost);
	tx->leave = false;
	smcr_urgent_tx_moved(&tx->urgent, conn->rx.peer.cons);
	conn->link = smcr_link_get(target->link);
	atomic_inc(&conn->link->n_conns);
	tx->rkey = target->rkey;
	tx->raddr = target->vaddr +
		    (u64)(conn->peer_idx - 1) * conn->peer_size;
	if (smcr_failover_tx_move(&tx->fo, &move) || !tx->final) {
		tx->final = false;
		tx->due = true;
	}
	tx->signaled = tx->una;
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_CONNSMOVED);
	trace_smcr_conn_move(conn->lgr->id, conn->id, old->num,
			     conn->link->num, move.una, move.nxt);
	smcr_tx_push_locked(conn);
	atomic_dec(&old->n_conns);
	smcr_link_put(old);
}

/* Move to a link that works. @used: the old one may have brought bytes that are
 * not handled yet. If the last link has just failed, too, the group's work is
 * about to look at it, and then ends the connection after the drain of both, or
 * has it move to a link that has come meanwhile.
 */
static void leave_link(struct smcr_conn *conn, bool used)
{
	struct move_target target[SMCR_MAX_LINKS];
	struct smcr_lgr_links links;
	int best;

	lockdep_assert_held(&conn->lock);
	/* What is left to do then needs no link. */
	if (conn->tx.mute & SMCR_TX_MUTE_END ||
	    (conn->fsm.state == SMCR_CONN_CLOSED &&
	     smcr_conn_move_at_rest(conn)))
		return;
	smcr_lgr_links_get(conn->lgr, SMCR_LINK_ACTIVE, &links);
	best = choose(&links, conn, target, NULL);
	if (best >= 0 && conn->fsm.state != SMCR_CONN_INIT)
		move_to(conn, &target[best], used);
	else if (links.n || !used)
		smcr_conn_end_lost_locked(conn, SMCR_RESET_LINK_DOWN,
					  ECONNRESET);
	smcr_lgr_links_put(&links);
}

/**
 * smcr_conn_move_started() - leave a link that failed during the handshake
 * @conn: the connection, just started
 *
 * F is its first message then (4.6.1): for the peer it begins on the link that
 * the handshake named. It has posted nothing there, so no request of the old
 * link can name its send space.
 *
 * Context: any but hard irq, conn->lock held.
 */
void smcr_conn_move_started(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (smcr_link_state(conn->link) < SMCR_LINK_FAILED)
		return;
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_HANDSHAKESMOVED);
	leave_link(conn, false);
}

/* Does a server's handshake wait for the Confirm? */
static bool awaits_confirm(const struct smcr_conn *conn)
{
	return conn->fsm.state == SMCR_CONN_INIT &&
	       conn->lgr->role == SMCR_SERVER;
}

/**
 * smcr_conn_link_lost() - event: a link is lost, and others are ACTIVE
 * @conn: a connection of the group, counted by the caller
 *
 * Does nothing if the connection's link is not lost, or if the Confirm is still
 * to name the link of a server's connection. A connection that moves to the
 * link at this moment, for the balance, chose it under conn->lock when it was
 * ACTIVE. So the lock is taken before the look: either that move is seen here,
 * or it sees that the link has failed.
 *
 * Context: the group's work.
 */
void smcr_conn_link_lost(struct smcr_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (test_bit(SMCR_LINK_F_LOST, &conn->link->flags) &&
	    !awaits_confirm(conn))
		leave_link(conn, true);
	spin_unlock_bh(&conn->lock);
}

/**
 * smcr_conn_link_drained() - event: a link of the group is drained or DEAD
 * @conn: a connection of the group, counted by the caller
 * @slot: slot of the link
 *
 * Context: process.
 */
void smcr_conn_link_drained(struct smcr_conn *conn, u8 slot)
{
	spin_lock_bh(&conn->lock);
	smcr_failover_rx_drained(&conn->rx.fo, slot);
	smcr_cdc_validate(conn);
	conn->tx.left &= ~BIT(slot);
	if (!conn->tx.left)
		smcr_tx_drained(conn);
	spin_unlock_bh(&conn->lock);
}

/* May the connection leave its link now, without anything to repeat? */
static bool may_leave(const struct smcr_conn *conn)
{
	return conn->tx.una == conn->tx.nxt &&
	       !(conn->tx.mute & SMCR_TX_MUTE_END) &&
	       smcr_failover_tx_quiet(&conn->tx.fo, conn->tx.seq) &&
	       smcr_tx_may_leave(conn);
}

/* Move to a link with fewer connections, if there still is one. */
static void balance(struct smcr_conn *conn)
{
	struct move_target target[SMCR_MAX_LINKS];
	struct smcr_lgr_links links;
	int best;

	lockdep_assert_held(&conn->lock);
	smcr_lgr_links_get(conn->lgr, SMCR_LINK_ACTIVE, &links);
	best = choose(&links, conn, target, conn->link);
	if (best >= 0 && target[best].link != conn->link) {
		smcr_mib_inc(conn->lgr->net, SMCR_MIB_CONNSBALANCED);
		move_to(conn, &target[best], false);
	}
	smcr_lgr_links_put(&links);
}

/**
 * smcr_conn_move_confirmed() - go on with a move that waits for a completion
 * @conn: the connection
 *
 * Context: any but hard irq, conn->lock held.
 */
void smcr_conn_move_confirmed(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->tx.leave || !may_leave(conn))
		return;
	conn->tx.leave = false;
	balance(conn);
	smcr_tx_push_locked(conn);
}

static bool wants_to_leave(struct smcr_conn *conn)
{
	struct move_target target[SMCR_MAX_LINKS];
	struct smcr_lgr_links links;
	bool wants;
	int best;

	lockdep_assert_held(&conn->lock);
	if (conn->fsm.state == SMCR_CONN_INIT ||
	    conn->fsm.state == SMCR_CONN_CLOSED ||
	    conn->tx.mute & SMCR_TX_MUTE_END ||
	    smcr_link_state(conn->link) != SMCR_LINK_ACTIVE)
		return false;
	smcr_lgr_links_get(conn->lgr, SMCR_LINK_ACTIVE, &links);
	best = choose(&links, conn, target, conn->link);
	wants = best >= 0 && target[best].link != conn->link;
	smcr_lgr_links_put(&links);
	return wants;
}

/**
 * smcr_conn_link_ready() - event: a link of the group is new
 * @conn: a connection of the group, counted by the caller
 *
 * If the connection moves, it may have to wait for the completion of its last
 * request, which is asked for. If none comes in time, it stays.
 *
 * Context: the group's work.
 */
void smcr_conn_link_ready(struct smcr_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (wants_to_leave(conn)) {
		conn->tx.leave = true;
		smcr_conn_move_confirmed(conn);
	}
	if (conn->tx.leave) {
		smcr_conn_move_arm(conn, get_jiffies_64() + MOVE_PATIENCE);
		smcr_wr_post_fence(conn->link);
	}
	spin_unlock_bh(&conn->lock);
}
