// SPDX-License-Identifier: GPL-2.0
/*
 * A connection's view of the TCP connection below it: carries out what
 * tcp_watch.c orders, which explains it.
 *
 * The timer runs from the end of the handshake until the connection is over.
 * While TCP is open, the timer queues the connection's work item. The function
 * of that item belongs to the socket layer, which looks at TCP and sends the
 * probe (close.c). Once TCP has failed, the timer itself decides. If it runs
 * because bytes were written, and the peer has answered meanwhile, it goes on
 * to the time at which it would have run without them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/timer.h>

#include "conn.h"
#include "conn_end.h"
#include "conn_tcp.h"
#include "lgr.h"
#include "lgr_links.h"
#include "mib.h"
#include "tx.h"

/* Shortest time between two probes. TCP answers a segment that it has seen
 * before no more often than each half second (net.ipv4.tcp_invalid_ratelimit).
 */
#define TCP_LEAST_MS	1000

/* Longest time between two probes while bytes are written without an answer */
#define TCP_EARLY_MOST_MS	8000

/* Time between two looks for the answer to R */
#define TCP_LOOK_TIME	(HZ / 10)

/* Time after which a connection without TCP is asked again, without probes */
#define TCP_CHECK_TIME	(60 * HZ)

/* How long, in ms, a RST waits for the C that it may have overtaken, in
 * addition to the time in which a queue pair repeats a lost packet.
 */
#define TCP_RST_GRACE_MS	200

/* Get the time between two probes in jiffies, or 0 for never. */
static unsigned long tcp_interval(const struct smcr_conn *conn)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(conn->lgr->net)->sysctl;
	unsigned int ms = READ_ONCE(ctl->tcp_probe_ms);

	return ms ? msecs_to_jiffies(max_t(unsigned int, ms, TCP_LEAST_MS)) : 0;
}

/* The armed timer owns a reference, which is taken before it can fire. */
static void tcp_arm(struct smcr_conn *conn, unsigned long delay)
{
	lockdep_assert_held(&conn->lock);
	if (smcr_conn_end_over(conn))
		return;
	smcr_conn_get(conn);
	if (mod_timer(&conn->tcp_timer, jiffies + delay))
		smcr_conn_put(conn);
}

/* Arm the timer for @delay from now, when it runs unless bytes are written. */
static void tcp_rest(struct smcr_conn *conn, unsigned long delay)
{
	conn->tcp.due = jiffies + delay;
	tcp_arm(conn, delay);
}

/* Did the timer run for bytes that the peer has answered, and before it would
 * have run without them?
 */
static bool tcp_rests(struct smcr_conn *conn)
{
	struct smcr_conn_tcp *tcp = &conn->tcp;

	if (!smcr_tcp_early_answered(&tcp->early, conn->rx.peer.seq) ||
	    !time_before(jiffies, tcp->due))
		return false;
	tcp_arm(conn, tcp->due - jiffies);
	return true;
}

/* Count each time, but log once: the cause lasts, or comes back. */
static void tcp_say_silent(struct smcr_conn *conn)
{
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_TCPSILENT);
	if (conn->tcp.told)
		return;
	conn->tcp.told = true;
	pr_info_ratelimited("group %u: TCP is silent below connection %u, while its link works; the connection goes on. Check for a firewall that drops TCP, or forgets it after less than net.smcr.tcp_probe_ms\n",
			    conn->lgr->id, conn->id);
}

static void tcp_say_gone(struct smcr_conn *conn)
{
	set_bit(SMCR_CONN_F_TCP_GONE, &conn->flags);
	smcr_conn_end_queue(conn);
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_TCPLOST);
	pr_info_ratelimited("group %u: TCP below connection %u was reset, or has given up, while the peer answers over RDMA; the connection goes on without TCP. Check for a firewall that forgets TCP after less than net.smcr.tcp_probe_ms\n",
			    conn->lgr->id, conn->id);
}

/* Wait for the answer to a TEST LINK; another one may be under way before. */
static void tcp_limit(struct smcr_conn *conn)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(conn->lgr->net)->sysctl;

	tcp_arm(conn, 2 * msecs_to_jiffies(READ_ONCE(ctl->llc_timeout_ms)) +
		      msecs_to_jiffies(TCP_RST_GRACE_MS));
}

static bool tcp_asks(const struct smcr_conn *conn)
{
	return conn->tcp.watch == SMCR_TCP_PROVING ||
	       conn->tcp.watch == SMCR_TCP_CHECKING;
}

/* Could R not go out yet? An end that is away would ask later, but if its TCP
 * has failed meanwhile, it ends as over TCP.
 */
static bool tcp_unasked(const struct smcr_conn *conn)
{
	return conn->tx.r.ask &&
	       (!conn->tx.mute || conn->tcp.watch == SMCR_TCP_CHECKING);
}

/* May another message of the peer come because of R? */
static bool tcp_can_ask(const struct smcr_conn *conn)
{
	return conn->lgr->dialect == SMCR_DIALECT_RFC && !conn->tx.final &&
	       !conn->fsm.peer_closed;
}

/* Has a message come since tcp_ask()? Sequence numbers wrap around, positions
 * do not.
 */
static bool tcp_answered(const struct smcr_conn *conn)
{
	const struct smcr_cdc_rx *peer = &conn->rx.peer;

	return peer->seq != conn->tcp.seq ||
	       peer->prod + peer->cons != conn->tcp.bytes;
}

/* Ask the peer's end of the connection. Its answer may have to wait for what
 * follows a move: until the writes of a dead link cannot arrive any more. The
 * timer looks for it, so that other messages need not.
 */
static void tcp_ask(struct smcr_conn *conn)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(conn->lgr->net)->sysctl;

	conn->tcp.test.age = conn->link->age;
	conn->tcp.seq = conn->rx.peer.seq;
	conn->tcp.bytes = conn->rx.peer.prod + conn->rx.peer.cons;
	conn->tcp.until = jiffies +
			  msecs_to_jiffies(READ_ONCE(ctl->llc_timeout_ms)) +
			  smcr_sysctl_qp_dead_time(conn->lgr->net);
	tcp_arm(conn, TCP_LOOK_TIME);
	smcr_tx_request(conn);
}

static void tcp_grace(struct smcr_conn *conn)
{
	tcp_arm(conn, msecs_to_jiffies(TCP_RST_GRACE_MS +
			smcr_sysctl_qp_repeat_ms(conn->lgr->net)));
}

static void tcp_act(struct smcr_conn *conn, u32 actions)
{
	lockdep_assert_held(&conn->lock);
	if (actions & SMCR_TCP_TEST)
		smcr_lgr_link_probe(conn->link, &conn->tcp.test);
	if (actions & SMCR_TCP_SAY_SILENT)
		tcp_say_silent(conn);
	if (actions & SMCR_TCP_LIMIT)
		tcp_limit(conn);
	if (actions & SMCR_TCP_ASK && tcp_can_ask(conn))
		tcp_ask(conn);
	if (actions & SMCR_TCP_GRACE)
		tcp_grace(conn);
	if (actions & SMCR_TCP_SAY_GONE)
		tcp_say_gone(conn);
	if (actions & SMCR_TCP_REST) {
		conn->tcp.early.on = false;
		tcp_rest(conn, tcp_interval(conn) ? : TCP_CHECK_TIME);
	}
	if (actions & SMCR_TCP_SAY_MUTE)
		smcr_mib_inc(conn->lgr->net, SMCR_MIB_TCPUNANSWERED);
	if (actions & SMCR_TCP_END)
		smcr_conn_end_reset_locked(conn, SMCR_RESET_TCP_RST,
					   conn->tcp.err);
}

static void tcp_event(struct smcr_conn *conn, enum smcr_tcp_event event)
{
	lockdep_assert_held(&conn->lock);
	tcp_act(conn, smcr_tcp_watch_step(&conn->tcp.watch, event));
	if (tcp_asks(conn) && !tcp_can_ask(conn))
		tcp_act(conn, smcr_tcp_watch_step(&conn->tcp.watch,
						  SMCR_TCP_EV_ANSWERED));
}

/* The time of TEST LINK, of a look or of the grace is over, or that between two
 * questions.
 */
static void tcp_expired(struct smcr_conn *conn)
{
	bool asks = tcp_asks(conn);

	if (conn->tcp.watch == SMCR_TCP_GONE) {
		if (!tcp_rests(conn))
			tcp_event(conn, SMCR_TCP_EV_IDLE);
	} else if (asks && (tcp_answered(conn) || !tcp_can_ask(conn))) {
		tcp_event(conn, SMCR_TCP_EV_ANSWERED);
	} else if (conn->link->age != conn->tcp.test.age) {
		tcp_event(conn, SMCR_TCP_EV_MOVED);
	} else if (asks && time_before(jiffies, conn->tcp.until)) {
		tcp_arm(conn, TCP_LOOK_TIME);
	} else if (asks && tcp_unasked(conn)) {
		tcp_event(conn, SMCR_TCP_EV_MOVED);
	} else {
		tcp_event(conn, SMCR_TCP_EV_LIMIT);
	}
}

static void tcp_timer(struct timer_list *timer)
{
	struct smcr_conn *conn = from_timer(conn, timer, tcp_timer);

	spin_lock(&conn->lock);
	if (conn->tcp.watch >= SMCR_TCP_DOUBTED) {
		if (!smcr_conn_end_over(conn) && !timer_pending(timer))
			tcp_expired(conn);
	} else if (!tcp_rests(conn)) {
		set_bit(SMCR_CONN_F_TCP_TICK, &conn->flags);
		smcr_conn_end_queue(conn);
	}
	spin_unlock(&conn->lock);
	smcr_conn_put(conn);
}

/**
 * smcr_conn_tcp_init() - initialize the timer of a new connection
 * @conn: the connection
 *
 * Context: process.
 */
void smcr_conn_tcp_init(struct smcr_conn *conn)
{
	timer_setup(&conn->tcp_timer, tcp_timer, 0);
}

/**
 * smcr_conn_tcp_start() - begin to watch TCP
 * @conn: connection whose handshake is done
 *
 * Context: process.
 */
void smcr_conn_tcp_start(struct smcr_conn *conn)
{
	unsigned long interval = tcp_interval(conn);

	spin_lock_bh(&conn->lock);
	conn->tcp.since = jiffies;
	conn->tcp.asked = jiffies;
	if (interval)
		tcp_rest(conn, interval);
	spin_unlock_bh(&conn->lock);
}

/**
 * smcr_conn_tcp_wrote() - event: bytes were written, and @early is not on
 * @conn: the connection
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_tcp_wrote(struct smcr_conn *conn)
{
	struct smcr_conn_tcp *tcp = &conn->tcp;
	unsigned long wait = msecs_to_jiffies(TCP_LEAST_MS);

	lockdep_assert_held(&conn->lock);
	smcr_tcp_early_begin(&tcp->early, conn->rx.peer.seq, wait);
	/* In the other states the timer waits for something else */
	if (!tcp_interval(conn) || smcr_conn_end_over(conn) ||
	    (tcp->watch > SMCR_TCP_SILENT && tcp->watch != SMCR_TCP_GONE))
		return;
	smcr_conn_get(conn);
	if (timer_reduce(&conn->tcp_timer, jiffies + wait))
		smcr_conn_put(conn);
}

/**
 * smcr_conn_tcp_tick() - the timer ran, and TCP is open in both directions
 * @conn: the connection
 * @heard: when the last segment of the peer came, in jiffies
 *
 * Context: process, the connection's work item.
 * Return: true if the caller shall send a probe.
 */
bool smcr_conn_tcp_tick(struct smcr_conn *conn, unsigned long heard)
{
	unsigned long interval = tcp_interval(conn), limit;
	struct smcr_conn_tcp *tcp = &conn->tcp;
	unsigned long now = jiffies;
	unsigned long idle = now - heard;
	u32 actions = 0;
	u64 sent;

	if (!interval)
		return false;
	spin_lock_bh(&conn->lock);
	if (smcr_conn_end_over(conn))
		goto out;
	sent = conn->tx.nxt;
	limit = smcr_tcp_early_limit(&tcp->early, sent,
				     idle <= now - tcp->asked ||
				     tcp->watch == SMCR_TCP_SILENT, interval);
	actions = smcr_tcp_watch_tick(&tcp->watch, idle, now - tcp->asked,
				      limit);
	if (actions & SMCR_TCP_PROBE) {
		tcp->asked = now;
		smcr_tcp_early_probed(&tcp->early, sent,
				      msecs_to_jiffies(TCP_EARLY_MOST_MS));
	}
	tcp_act(conn, actions);
	tcp_rest(conn, idle < interval ? interval - idle : interval);
	if (tcp->early.on)
		tcp_arm(conn, idle < limit ? limit - idle :
			min(tcp->early.wait, interval));
out:
	spin_unlock_bh(&conn->lock);
	return actions & SMCR_TCP_PROBE;
}

/* May the peer's handshake still fail? */
static bool tcp_young(const struct smcr_conn *conn)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(conn->lgr->net)->sysctl;
	unsigned int ms = READ_ONCE(ctl->handshake_timeout_ms);

	return !conn->rx.peer.seq &&
	       time_before(jiffies, conn->tcp.since + msecs_to_jiffies(ms));
}

/**
 * smcr_conn_tcp_failed() - TCP was reset or has given up
 * @conn: the connection, not over; the peer has not closed
 * @err: TCP's errno: that of the program if the connection ends with TCP
 *
 * Only the first call has an effect.
 *
 * Context: any, conn->lock held.
 */
void smcr_conn_tcp_failed(struct smcr_conn *conn, int err)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(conn->lgr->net)->sysctl;

	if (!conn->tcp.err) {
		conn->tcp.err = err && err != EPIPE ? err : ECONNRESET;
		if (conn->tcp.err == ECONNRESET)
			smcr_lgr_link_accuse(conn->link);
	}
	tcp_event(conn, READ_ONCE(ctl->tcp_reset_ends) || tcp_young(conn) ?
		  SMCR_TCP_EV_RESET : SMCR_TCP_EV_FAILED);
}

/**
 * smcr_conn_tcp_ending() - is a connection about to end with TCP?
 * @conn: the connection
 *
 * Context: any; a hint without conn->lock.
 */
bool smcr_conn_tcp_ending(const struct smcr_conn *conn)
{
	return READ_ONCE(conn->tcp.watch) == SMCR_TCP_ENDING;
}

/**
 * smcr_conn_tcp_tested() - the peer has answered a TEST LINK
 * @conn: a connection of the group
 * @link: the link; its last test was answered
 *
 * Context: process.
 */
void smcr_conn_tcp_tested(struct smcr_conn *conn, const struct smcr_link *link)
{
	spin_lock_bh(&conn->lock);
	if (!smcr_link_tested(link, &conn->tcp.test) ||
	    smcr_conn_end_over(conn))
		goto out;
	/* A RST that has overtaken the C */
	if (conn->tcp.watch == SMCR_TCP_DOUBTED && conn->fsm.peer_closed)
		tcp_event(conn, SMCR_TCP_EV_LIMIT);
	else
		tcp_event(conn, SMCR_TCP_EV_TESTED);
out:
	spin_unlock_bh(&conn->lock);
}
