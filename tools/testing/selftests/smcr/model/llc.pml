/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Serialisation of LLC exchanges (RFC 7609, 3.5.5.3, C.7.1) between a server S
 * and a client C with the verdict tables of llc_flow.c, which run.sh turns into
 * tables.pml.
 *
 * The group has link 0, which never fails, and at times link 1, which may fail.
 * Each end has its first RMB, which both know, and may add a further one and
 * delete it. A link delivers messages in order, and two links do so
 * independently. CONFIRM RKEY and DELETE RKEY go over either link, CONFIRM
 * LINK over the new one, all others over link 0. A reply goes over the link of
 * the request. With THIRD, CONFIRM RKEY and DELETE RKEY may also go over link
 * 2, which exists all the time.
 *
 * The choices at the start fix how often each end does what it may do, so a
 * deadlock cannot hide behind something else that an end might do. When nothing
 * can happen any more, no exchange may be under way, and both ends have to
 * agree on links and RTokens.
 *
 * A message that an end handles must not be out of sync: both ends are correct.
 *
 * Each macro that starts with BUG_ takes one rule away.
 */
#include "tables.pml"

#define S	0
#define C	1
#define PEER	(1 - me)

/* Limits of the choices at the start; run.sh sets the others */
#ifndef ADDS
#define ADDS	1
#endif
#ifndef ADD_ASKS
#define ADD_ASKS	1
#endif
#ifndef DELS
#define DELS	1
#endif
#ifndef DEL_ASKS
#define DEL_ASKS	1
#endif
#ifndef FAILS
#define FAILS	0
#endif
#ifndef TESTS
#define TESTS	0
#endif
#ifndef RMBS
#define RMBS	1
#endif

/* Messages to end e over link l; x is the number of link 1 (of CONFIRM RKEY: 0
 * if it has no RToken for link 1), or says whether ADD LINK CONTINUATION has
 * the RToken of the further RMB, or whether the reply is negative.
 */
chan to[6] = [6] of { mtype, byte };
#define TO(e, l)	to[3 * (e) + (l)]

/* Links that an end has */
#define NO	0
#define ADDING	1
#define UP	2

byte step[2] = FIRST;	/* column of the tables without RKEY */
byte rkey[2];		/* request under way: 0, 1 CONFIRM RKEY, 2 DELETE RKEY */
byte rkey_link[2];	/* link that it went over */
byte link[2];		/* link 1 */
byte num[2];		/* number of link 1; no number is used again */
bit shut[2];		/* this end of link 1 has failed or is deleted */
bit asked;		/* C has asked for DELETE LINK */
byte rkey_has[2];	/* link 1 of the last request, as HAS() */
bit tested[2];		/* TEST LINK is unanswered */
bit refused[2];		/* the last CONFIRM RKEY was refused with C */

/* Held messages */
bit held_add;		/* in S */
chan held_del = [3] of { byte };	/* in S */
bit held_drop[6];	/* by end and link, as to[] */

/* The further RMB of each end */
#define NONE	0
#define WANTED	1
#define TOLD	2
#define GONE	3
#define REFUSED	4
byte rmb[2];
bit known0[2], known1[2];	/* the peer's RMB is known for link 0, link 1 */

/* What is still going to happen */
byte adds, add_asks, dels, del_asks, fails, tests[2];
bit refuse, drops[2];
bit bad;		/* link 1 loses messages from now on */

byte me, ln, x, v;
mtype k;

#define COLUMN	(step[me] == IDLE && rkey[me] -> RKEY : step[me])

#ifdef BUG_LINKS_ANY_TIME
#define MAY_START	(step[S] == IDLE)
#else
#define MAY_START	(step[S] == IDLE && rkey[S] == 0)
#endif

inline send(kind, value, l)
{
	if
	:: l == 1 && (shut[me] || shut[PEER]) -> skip
	:: else ->
		printf("%d: sends %e %d on link %d\n", me, kind, value, l);
		TO(PEER, l)!kind(value)
	fi
}

/* Link 1 no longer exists at this end, or has failed here. A request that went
 * over it is not answered any more, and what arrived over it is dropped.
 */
inline shut_link()
{
	shut[me] = 1;
	if
	:: rkey[me] && rkey_link[me] == 1 ->
#ifdef BUG_WAIT
		skip
#else
		rkey[me] = 0; rkey_link[me] = 0
#endif
	:: else
	fi;
	held_drop[3 * me + 1] = 0;
	do
	:: len(TO(me, 1)) > 0 -> TO(me, 1)?_, _
	:: else -> break
	od;
	tested[me] = 0
}

inline remove_link()
{
	shut_link();
	link[me] = NO;
	known1[me] = 0
}

/* Does the end tell of its further RMB when a link is added? */
#ifdef BUG_CONT_DELETED
#define TELLS(e)	(rmb[e] == TOLD)
#else
#define TELLS(e)	(rmb[e] == TOLD && rkey[e] != 2)
#endif

/* S: ADD LINK; link 1 is a new link with a new number. */
inline add_link()
{
	num[S]++;
	link[S] = ADDING;
	bad = 0;
	step[S] = REPLY;
	send(ADD_REQ, num[S], 0)
}

inline delete_link()
{
	step[S] = DELETE;
	send(DEL_REQ, num[S], 0)
}

inline confirm_link()
{
	if
	:: k == CONF_REQ && step[me] == FIRST ->
		step[me] = FIRST_ADD;
		send(CONF_REP, 0, ln)
	:: k == CONF_REQ && step[me] == CONFIRM ->
		send(CONF_REP, 0, ln);
		step[me] = IDLE;
		link[me] = UP
	:: k == CONF_REP && step[me] == FIRST -> add_link()
	:: k == CONF_REP && step[me] == CONFIRM ->
		step[me] = IDLE;
		link[me] = UP
	fi
}

inline add()
{
	if
	:: k == ADD_REQ && me == S ->
		if
		:: link[S] == NO -> add_link()
		:: else
		fi
	:: k == ADD_REQ && me == C && refuse ->
		refuse = 0;
		step[C] = IDLE;
		send(ADD_REP, 1, 0)
	:: k == ADD_REQ && me == C && !refuse ->
		assert(link[C] == NO);
		num[C] = x;
		link[C] = ADDING;
		asked = 0;
		step[C] = CONT;
		send(ADD_REP, 0, 0)
	:: k == ADD_REP && x ->
		step[S] = IDLE;
		link[S] = NO
	:: k == ADD_REP && !x ->
		step[S] = CONT;
		send(CONT_REQ, TELLS(S), 0)
	:: k == CONT_REQ ->
		known1[C] = x;
		step[C] = CONFIRM;
		shut[C] = 0;
		send(CONT_REP, TELLS(C), 0)
	:: k == CONT_REP ->
		known1[S] = x;
		step[S] = CONFIRM;
		shut[S] = 0;
		send(CONF_REQ, 0, 1)
	fi
}

inline del()
{
	if
	:: k == DEL_REQ && me == S ->
		if
		:: link[S] != NO && num[S] == x -> delete_link()
		:: else -> send(DEL_REP, x, 0)
		fi
	:: k == DEL_REQ && me == C ->
		if
		:: link[C] != NO && num[C] == x ->
			remove_link();
			step[C] = IDLE
		:: else
		fi;
		asked = (asked && num[C] != x);
		send(DEL_REP, x, 0)
	:: k == DEL_REP && me == S ->
		step[S] = IDLE;
		remove_link()
	/* S has no such link. */
	:: k == DEL_REP && me == C ->
		asked = (asked && num[C] != x)
	fi
}

/* Number of the link 1 that CONFIRM RKEY has an RToken for, 0 for none */
#define HAS(e)	((link[e] == UP) -> num[e] : 0)
#define OLD	(step[me] != IDLE || rkey_has[me] != HAS(me))

inline rkeys()
{
	if
	:: k == RKEY_REQ ->
		if
		:: x == HAS(me) ->
			known0[me] = 1;
			known1[me] = (x != 0);
			send(RKEY_REP, 0, ln)
		/* The request was sent before link 1 was added or deleted, over
		 * a slower link than that exchange.
		 */
		:: else ->
#if !defined(THIRD) || defined(BUG_UNCOVERED)
			/* Link 1 would have to fail (C.7.1). */
			assert(false);
#endif
			send(RKEY_REP, 1, ln)
		fi
#ifndef BUG_REPLY_OLD
	/* The reply was slow: link 1 was or is being added since. */
	:: k == RKEY_REP && !x && OLD ->
		rkey[me] = 0; rkey_link[me] = 0;
		refused[me] = 1
	:: k == RKEY_REP && !x && !OLD ->
#else
	:: k == RKEY_REP && !x ->
#endif
		rkey[me] = 0; rkey_link[me] = 0;
		refused[me] = 0;
		rmb[me] = TOLD
	/* C was set: the same again with the links that there are then */
	:: k == RKEY_REP && x ->
		rkey[me] = 0; rkey_link[me] = 0;
		refused[me] = 1;
#ifdef BUG_NEG_REFUSES
		rmb[me] = REFUSED
#endif
	:: k == DROP_REQ ->
		known0[me] = 0;
		known1[me] = 0;
		send(DROP_REP, 0, ln)
	:: k == DROP_REP ->
		rkey[me] = 0; rkey_link[me] = 0;
		rmb[me] = GONE
	fi
}

/* Messages of a kind may be several: DELETE RKEY over two links, DELETE LINK
 * for two link numbers.
 */
inline hold()
{
	if
	:: k == ADD_REQ && me == S -> assert(!held_add); held_add = 1
	:: k == DEL_REQ && me == S -> held_del!x
	:: k == DROP_REQ ->
		assert(!held_drop[3 * me + ln]); held_drop[3 * me + ln] = 1
	:: else -> assert(false)
	fi
}

/* Handle message k with x, which came to me over link ln. */
inline handle()
{
	v = (me == S -> AT_SERVER(k, COLUMN) : AT_CLIENT(k, COLUMN));
	v = (v == IFRK -> (rkey[me] -> PROC : SYNC) : v);
	printf("%d: %e %d over link %d in column %d, verdict %d\n", me, k, x,
	       ln, COLUMN, v);
	/* No message is out of sync between two correct ends. */
	assert(v != SYNC);
	if
	:: v == NEGA -> send(RKEY_REP, 1, ln)
#ifdef BUG_HELD_DROPPED
	:: v == QUEU -> skip
#else
	:: v == QUEU -> hold()
#endif
	:: v == PROC && (k == CONF_REQ || k == CONF_REP) -> confirm_link()
	:: v == PROC && (k == ADD_REQ || k == ADD_REP ||
			 k == CONT_REQ || k == CONT_REP) -> add()
	:: v == PROC && (k == DEL_REQ || k == DEL_REP) -> del()
	:: v == PROC && (k == RKEY_REQ || k == RKEY_REP ||
			 k == DROP_REQ || k == DROP_REP) -> rkeys()
	:: v == PROC && k == TEST_REQ -> send(TEST_REP, 0, ln)
	:: v == PROC && k == TEST_REP -> tested[me] = 0
	:: else
	fi;
	me = 0; ln = 0; k = 0; x = 0; v = 0
}

#define VERDICT(e, kind) \
	((e) == S -> AT_SERVER(kind, COL(e)) : AT_CLIENT(kind, COL(e)))
#define COL(e)	(step[e] == IDLE && rkey[e] -> RKEY : step[e])

/* Before an end starts anything, it handles what it holds, if it may. */
#define READY(e) \
	(!((held_drop[3 * (e)] || held_drop[3 * (e) + 1] || \
	    held_drop[3 * (e) + 2]) && \
	   VERDICT(e, DROP_REQ) != QUEU) && \
	 !((e) == S && held_add && VERDICT(S, ADD_REQ) != QUEU) && \
	 !((e) == S && len(held_del) > 0 && VERDICT(S, DEL_REQ) != QUEU))

/* What was refused is sent again until the peer accepts it. The refusals while
 * the peer changes links are left out: they change nothing, and a deadlock of
 * the peer could hide behind them.
 */
#define AGAIN(e)	(!refused[e] || step[1 - (e)] == IDLE)

/* No RMB is added or deleted while link 1 has failed and is not yet deleted:
 * the peer may still get an earlier request over it.
 */
#ifdef BUG_RKEY_AGAIN
#define SOUND(e)	true
#else
#define SOUND(e)	(link[e] != UP || !shut[e])
#endif
#ifdef BUG_RKEY_ANY_TIME
#define MAY_RKEY(e)	(READY(e) && step[e] != FIRST && rkey[e] == 0)
#else
#define MAY_RKEY(e)	(READY(e) && step[e] == IDLE && rkey[e] == 0 && \
			 SOUND(e))
#endif

/* Link 2 is there all the time. */
#ifdef THIRD
#define IF_THIRD(what)	what
#else
#define IF_THIRD(what)
#endif

/* What either end may do */
#define RECEIVE(e, l) \
	:: d_step { READY(e) && nempty(TO(e, l)) -> \
		me = e; ln = l; TO(e, l)?k, x; handle() }

#define HELD_DROP(e, l) \
	:: d_step { held_drop[3 * (e) + l] && \
		    VERDICT(e, DROP_REQ) != QUEU -> \
		held_drop[3 * (e) + l] = 0; \
		me = e; ln = l; k = DROP_REQ; handle() }

#define ASK(e, state, kind, value, l) \
	:: d_step { MAY_RKEY(e) && rmb[e] == state && \
		    (state == WANTED -> AGAIN(e) : drops[e]) && \
		    (l != 1 || (link[e] == UP && !shut[e])) -> \
		me = e; \
		rkey[me] = value; \
		rkey_link[me] = l; \
		rkey_has[me] = HAS(me); \
		x = HAS(me); send(kind, x, l); x = 0; \
		me = 0 }

#define END(e) \
	RECEIVE(e, 0) \
	RECEIVE(e, 1) \
	IF_THIRD(RECEIVE(e, 2)) \
	HELD_DROP(e, 0) \
	HELD_DROP(e, 1) \
	IF_THIRD(HELD_DROP(e, 2)) \
	ASK(e, WANTED, RKEY_REQ, 1, 0) \
	ASK(e, WANTED, RKEY_REQ, 1, 1) \
	IF_THIRD(ASK(e, WANTED, RKEY_REQ, 1, 2)) \
	ASK(e, TOLD, DROP_REQ, 2, 0) \
	ASK(e, TOLD, DROP_REQ, 2, 1) \
	IF_THIRD(ASK(e, TOLD, DROP_REQ, 2, 2)) \
	:: d_step { tests[e] > 0 && step[e] != FIRST && !tested[e] -> \
		tests[e]--; me = e; tested[e] = 1; \
		send(TEST_REQ, 0, 0); me = 0 }
active proctype model()
{
	select(adds : 0 .. ADDS);
	select(add_asks : 0 .. ADD_ASKS);
	select(dels : 0 .. DELS);
	select(del_asks : 0 .. DEL_ASKS);
	select(fails : 0 .. FAILS);
	select(refuse : 0 .. 1);
	select(x : 0 .. RMBS); rmb[S] = x;
	select(x : 0 .. RMBS); rmb[C] = x;
	select(x : 0 .. RMBS); drops[S] = x;
	select(x : 0 .. RMBS); drops[C] = x;
	select(x : 0 .. TESTS); tests[S] = x;
	select(x : 0 .. TESTS); tests[C] = x;
	d_step { x = 0; shut[S] = 1; shut[C] = 1; send(CONF_REQ, 0, 0) }

	do
	END(S)
	END(C)

	/* Server */
	:: d_step { held_add && VERDICT(S, ADD_REQ) != QUEU ->
		held_add = 0; me = S; k = ADD_REQ; handle() }
	:: d_step { nempty(held_del) && VERDICT(S, DEL_REQ) != QUEU ->
		me = S; k = DEL_REQ; held_del?x; handle() }
	:: d_step { adds > 0 && READY(S) && MAY_START && link[S] == NO ->
		adds--; me = S; add_link() }
	:: d_step { dels > 0 && READY(S) && MAY_START && link[S] == UP ->
		dels--; me = S; delete_link() }
	/* Its end of link 1 has failed. */
	:: d_step { READY(S) && MAY_START && link[S] == UP && shut[S] ->
		me = S; delete_link() }
	:: d_step { bad && link[S] == UP && !shut[S] -> me = S; shut_link() }
	/* CONFIRM LINK is not answered in time. */
	:: d_step { bad && step[S] == CONFIRM ->
		me = S; shut_link(); delete_link() }

	/* Client */
	:: d_step { add_asks > 0 && step[C] == IDLE && link[C] == NO ->
		add_asks--; me = C; send(ADD_REQ, 0, 0); me = 0 }
	:: d_step { del_asks > 0 && link[C] == UP && !asked ->
		del_asks--; me = C; asked = 1; send(DEL_REQ, num[C], 0);
		me = 0 }
	:: d_step { bad && link[C] == UP && !shut[C] ->
		me = C; shut_link();
		if
		:: !asked -> asked = 1; send(DEL_REQ, num[C], 0)
		:: else
		fi;
		me = 0 }
	:: d_step { bad && step[C] == CONFIRM ->
		me = C; remove_link(); step[C] = IDLE;
		asked = 1; send(DEL_REQ, num[C], 0); me = 0 }

	/* Link 1 */
	:: d_step { fails > 0 && !bad && link[S] != NO -> fails--; bad = 1;
		printf("link 1 fails\n") }
	:: d_step { bad && nempty(to[1]) -> to[1]?_, _; printf("lost\n") }
	:: d_step { bad && nempty(to[4]) -> to[4]?_, _; printf("lost\n") }

	:: timeout -> break
	od;

	assert(step[S] == IDLE && step[C] == IDLE);
	assert(!rkey[S] && !rkey[C] && !asked && !tested[S] && !tested[C]);
	assert(!held_add && len(held_del) == 0 && !held_drop[0] && !held_drop[1] &&
	       !held_drop[2] && !held_drop[3] && !held_drop[4] &&
	       !held_drop[5]);
	assert(link[S] == link[C] && (link[S] == NO || num[S] == num[C]));
	assert(rmb[S] != WANTED && rmb[C] != WANTED);
	assert(rmb[S] != REFUSED && rmb[C] != REFUSED);
	/* An end knows the RTokens of its peer's RMB. */
	assert(known0[S] == (rmb[C] == TOLD) && known0[C] == (rmb[S] == TOLD));
	assert(known1[S] == (known0[S] && link[S] == UP));
	assert(known1[C] == (known0[C] && link[C] == UP));
}
