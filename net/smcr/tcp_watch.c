// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of the TCP connection below a connection over RDMA: one table,
 * one transition function.
 *
 * The bytes do not pass through TCP, so for everything on its way TCP is idle:
 * a firewall, a NAT or a load balancer forgets the connection, often after a
 * few minutes, and answers its next segment with a RST, or drops it. So TCP is
 * probed (RFC 7609 4.5.3) when it was idle for net.smcr.tcp_probe_ms, by each
 * end, whether or not the program has set SO_KEEPALIVE. TCP carries out the
 * program's own keepalive as before.
 *
 *               idle: probe            idle: probe
 *      +-------+           +-------+             +----------+
 *      | HEARD |---------->| ASKED |------------>| REPEATED |
 *      +-------+           +-------+             +----------+
 *          ^                                          | idle:
 *          | a segment came, from any state           | probe, TEST LINK
 *          |                                          v
 *      +--------+      TEST LINK answered        +---------+--+ idle: probe,
 *      | SILENT |<-------------------------------| TESTING |<-+ TEST LINK
 *      +--------+                                +---------+
 *          |  ^
 *          +--+ idle: probe
 *
 * Silence of TCP ends nothing: whether the peer is there, its link tells, which
 * carries the bytes. If that does not answer TEST LINK, it has failed, and the
 * connection moves or ends as with any lost link. If it does, something between
 * the hosts drops TCP. That is counted and logged, and TCP is probed on, since
 * the way may come back, as after a restart of the firewall. A probe may be
 * lost, so two of them make no silence.
 *
 * A RST is no proof either. A firewall that has forgotten the connection sends
 * it, and so does anyone on the way. But it may also be all that tells of the
 * peer's end: its address has a new owner, which resets TCP while the old one
 * is mute (addr.c), or the connection was lost alone, without a link that could
 * carry A. The link works in both cases. So TCP's end, by a RST or because the
 * program's keepalive got no answer, casts doubt, and the peer's end of the
 * connection itself has to answer:
 *
 *      any state above
 *         |       |
 *  FAILED |       | RESET
 *         v       +---------+
 *    +---------+            |
 * +->| DOUBTED |            |      TEST LINK over the connection's link
 * |  +---------+            |
 * |       |     | limit     |
 * |       |     +-------+   |
 * |       | answered    |   |
 * |       v             v   v
 * |  +---------+ limit  +--------+
 * |  | PROVING |------->| ENDING | after a moment, or at the limit: reset
 * |  +---------+        +--------+
 * |     |   |               ^      R over the same link
 * +-----+   | answered      | limit
 *   moved   v               |
 *       +------+ interval +----------+
 *       | GONE |--------->| CHECKING | R once more
 *       |      |<---------|          |
 *       +------+ answered +----------+
 *
 * An idle TCP connection learns only from such a probe that the peer's address
 * has a new owner, while TCP that carries bytes learns it from the RST that the
 * first of them meets. So an answer to each write is looked for: if no message
 * of the peer has followed it for a second, TCP is probed, and while more bytes
 * are written without an answer, again after times that double. A message of
 * the peer ends that, and so does the answer to a probe, or silence that is
 * known, if nothing was written since. A busy connection, which hears from its
 * peer all the time, sends no probe; all that it has is a timer that runs each
 * second.
 *
 * The timer runs an interval after a probe, or later, and the answer to a probe
 * comes at once. So the answer is about as old as the probe when it is found.
 * It counts, since it is not older, and the next probe is due in the same run.
 *
 * DOUBTED: If the link does not answer in its time, it fails, and the
 * connection moves, or ends with the link. The limit, which is longer, is for
 * what else may happen.
 *
 * PROVING: A message with R requests the peer's consumer position, which the
 * peer's module answers at once, whatever its program does, unless its end of
 * the connection is over, or away. Any message of the connection is the answer.
 * The queue pair delivers in order, so none that comes after the answer to TEST
 * LINK was sent before the peer got that, and a RST that the peer sent was sent
 * earlier. A message that was under way over another link may be taken for the
 * answer. If the connection has moved, or R could not go out, both are sent
 * again.
 *
 * The peer cannot be asked if it is a Linux host, which answers R only with the
 * next byte that is read, nor after the C of either end, behind which no
 * message may come. The link decides then, and a timer bounds the wait for the
 * other C.
 *
 * GONE: TCP's socket is closed, and nothing brings it back. There are no more
 * probes. D, C and A alone decide about the connection's end, and so do a link
 * that is lost without another one, and the administrator, who uses smcr-ctl
 * (smcr_conn_end_abort()), since "ss -K" finds no TCP socket. The inner socket
 * keeps its port (inner_idle.c). No end waits for a FIN that cannot come: this
 * one does not at all, since TCP has ended, and the other one, which may not
 * know, no longer than for the answer to an abort (smcr_conn_end_wait()).
 *
 * CHECKING: Without TCP, nothing tells that the peer's end has gone later: that
 * it is away for good, which begins some time after the address's new owner may
 * have sent its RST, or was lost alone. So it is asked in place of TCP, each
 * net.smcr.tcp_probe_ms, or each minute without probes.
 *
 * ENDING is the RFC's reaction. It is taken with net.smcr.tcp_reset_ends, and
 * for a young connection: one whose peer has not sent a message yet may still
 * fail in the peer's handshake, which ends in a RST and no A (C.1, C.3). After
 * the longest time of a handshake it cannot. A RST after the peer's C ends the
 * connection as well, and does not come here: the peer reads and writes no
 * more, so all that it can still say is that its end is gone.
 *
 * The watch belongs to the connection (conn_tcp.c) and is protected by its
 * lock. The timer that tells HEARD from IDLE leads to the connection's work
 * item, which owns the outer sock lock while it looks at TCP and probes; if the
 * program holds that lock, the work item comes back when it is released. The
 * answer to TEST LINK comes from the group's work item.
 */
#include <linux/compiler.h>

#include "tcp_watch.h"

/**
 * struct rule - effect of an event
 * @next: state afterwards
 * @actions: bits of enum smcr_tcp_action
 */
struct rule {
	enum smcr_tcp_watch next;
	u32 actions;
};

/* Codes of the table, four letters each so that its columns line up */
enum code {
	SKIP,	/* changes nothing */
	HERD,	/* TCP is well */
	ASK1,	/* the first probe */
	ASK2,	/* the second one */
	TEST,	/* a further one, and TEST LINK */
	ASKS,	/* a probe of a silent TCP connection */
	SLNT,	/* TCP is silent, and the link is not */
	DOUB,	/* TCP has failed: TEST LINK */
	PROV,	/* the link is not dead: R */
	OBEY,	/* TCP has failed: end in a moment */
	GONE,	/* go on without TCP */
	CHEK,	/* R once more */
	BACK,	/* still go on without TCP */
	OVER,	/* end now */
	MUTE,	/* the same, as the peer's end does not answer */
	NR_CODES
};

#define DO(name)	SMCR_TCP_ ## name

static const struct rule rules[NR_CODES] = {
	[HERD] = { DO(HEARD), 0 },
	[ASK1] = { DO(ASKED), DO(PROBE) },
	[ASK2] = { DO(REPEATED), DO(PROBE) },
	[TEST] = { DO(TESTING), DO(PROBE) | DO(TEST) },
	[ASKS] = { DO(SILENT), DO(PROBE) },
	[SLNT] = { DO(SILENT), DO(SAY_SILENT) },
	[DOUB] = { DO(DOUBTED), DO(TEST) | DO(LIMIT) },
	[PROV] = { DO(PROVING), DO(ASK) },
	[OBEY] = { DO(ENDING), DO(GRACE) },
	[GONE] = { DO(GONE), DO(SAY_GONE) | DO(REST) },
	[CHEK] = { DO(CHECKING), DO(ASK) },
	[BACK] = { DO(GONE), DO(REST) },
	[OVER] = { DO(ENDING), DO(END) },
	[MUTE] = { DO(ENDING), DO(SAY_MUTE) | DO(END) },
};

/* A row of the table */
#define ON(herd, idle, fail, rset, test, answ, limt, move)		\
	[SMCR_TCP_EV_HEARD]	= herd,					\
	[SMCR_TCP_EV_IDLE]	= idle,					\
	[SMCR_TCP_EV_FAILED]	= fail,					\
	[SMCR_TCP_EV_RESET]	= rset,					\
	[SMCR_TCP_EV_TESTED]	= test,					\
	[SMCR_TCP_EV_ANSWERED]	= answ,					\
	[SMCR_TCP_EV_LIMIT]	= limt,					\
	[SMCR_TCP_EV_MOVED]	= move

static const u8 table[SMCR_TCP_WATCHES][SMCR_TCP_EVENTS] = {
	/*    herd  idle  fail  rset  test  answ  limt  move */
	[DO(HEARD)] = {
		ON(SKIP, ASK1, DOUB, OBEY, SKIP, SKIP, SKIP, SKIP),
	},
	[DO(ASKED)] = {
		ON(HERD, ASK2, DOUB, OBEY, SKIP, SKIP, SKIP, SKIP),
	},
	[DO(REPEATED)] = {
		ON(HERD, TEST, DOUB, OBEY, SKIP, SKIP, SKIP, SKIP),
	},
	[DO(TESTING)] = {
		ON(HERD, TEST, DOUB, OBEY, SLNT, SKIP, SKIP, SKIP),
	},
	[DO(SILENT)] = {
		ON(HERD, ASKS, DOUB, OBEY, SKIP, SKIP, SKIP, SKIP),
	},
	[DO(DOUBTED)] = {
		ON(SKIP, SKIP, SKIP, SKIP, PROV, SKIP, OVER, DOUB),
	},
	[DO(PROVING)] = {
		ON(SKIP, SKIP, SKIP, SKIP, SKIP, GONE, MUTE, DOUB),
	},
	[DO(ENDING)] = {
		ON(SKIP, SKIP, SKIP, SKIP, SKIP, SKIP, OVER, OVER),
	},
	[DO(GONE)] = {
		ON(SKIP, CHEK, SKIP, SKIP, SKIP, SKIP, SKIP, SKIP),
	},
	[DO(CHECKING)] = {
		ON(SKIP, SKIP, SKIP, SKIP, SKIP, BACK, MUTE, CHEK),
	},
};

#undef ON

/**
 * smcr_tcp_watch_step() - apply an event
 * @watch: what is known; changed
 * @event: what happened
 *
 * Context: any, the connection's lock held.
 * Return: bits of enum smcr_tcp_action.
 */
u32 smcr_tcp_watch_step(enum smcr_tcp_watch *watch, enum smcr_tcp_event event)
{
	enum code code = table[*watch][event];

	if (code == SKIP)
		return 0;
	WRITE_ONCE(*watch, rules[code].next);
	return rules[code].actions;
}

/**
 * smcr_tcp_watch_tick() - the timer ran
 * @watch: what is known; changed
 * @heard: time since the last segment of the peer
 * @asked: time since the last probe, or since the watch began
 * @interval: idle time after which TCP is probed
 *
 * Context: any, the connection's lock held.
 * Return: bits of enum smcr_tcp_action.
 */
u32 smcr_tcp_watch_tick(enum smcr_tcp_watch *watch, unsigned long heard,
			unsigned long asked, unsigned long interval)
{
	u32 actions = 0;

	if (heard <= asked)
		actions |= smcr_tcp_watch_step(watch, SMCR_TCP_EV_HEARD);
	if (heard >= interval)
		actions |= smcr_tcp_watch_step(watch, SMCR_TCP_EV_IDLE);
	return actions;
}

/**
 * smcr_tcp_early_begin() - bytes were written, the first ones since the peer
 *	has answered
 * @early: what is known of the answer; changed
 * @seq: sequence number of the peer's last message
 * @wait: time for the answer
 *
 * Context: any, the connection's lock held.
 */
void smcr_tcp_early_begin(struct smcr_tcp_early *early, u16 seq,
			  unsigned long wait)
{
	early->on = true;
	early->seq = seq;
	early->sent = ~0ULL;
	early->wait = wait;
}

/**
 * smcr_tcp_early_answered() - the timer ran: has a message of the peer come?
 * @early: what is known of the answer; changed
 * @seq: sequence number of the peer's last message
 *
 * After 65,536 messages in between it seems that none has come, which costs a
 * probe.
 *
 * Context: any, the connection's lock held.
 * Return: true if one has come since smcr_tcp_early_begin().
 */
bool smcr_tcp_early_answered(struct smcr_tcp_early *early, u16 seq)
{
	if (!early->on || seq == early->seq)
		return false;
	early->on = false;
	return true;
}

/**
 * smcr_tcp_early_limit() - compute the idle time after which TCP is probed now
 * @early: what is known of the answer; changed
 * @sent: position up to which bytes are written
 * @known: the last probe was answered, or TCP is known to be silent
 * @interval: that time without bytes that want an answer
 *
 * Context: any, the connection's lock held.
 * Return: the time.
 */
unsigned long smcr_tcp_early_limit(struct smcr_tcp_early *early, u64 sent,
				   bool known, unsigned long interval)
{
	if (known && sent == early->sent)
		early->on = false;
	return early->on && early->wait < interval ? early->wait : interval;
}

/**
 * smcr_tcp_early_probed() - TCP is probed
 * @early: what is known of the answer; changed
 * @sent: position up to which bytes are written
 * @most: longest time until the next probe, if more are
 *
 * Context: any, the connection's lock held.
 */
void smcr_tcp_early_probed(struct smcr_tcp_early *early, u64 sent,
			   unsigned long most)
{
	early->sent = sent;
	early->wait = 2 * early->wait < most ? 2 * early->wait : most;
}
