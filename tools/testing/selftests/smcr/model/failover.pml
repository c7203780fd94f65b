/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Failover of one direction of a connection (RFC 7609, 4.6): a stream of cells
 * from a sender S to a receiver R, over the links 0 to LINKS - 1. S begins on
 * link 0 and moves to the next link when its link has failed.
 *
 * The element has RING cells, and the cell of position p is p % RING. A write
 * stores its position, so a reader that finds another number reads wrong bytes.
 *
 * A link is an ordered queue of what S posted on it and R's adapter has not
 * executed: writes (W), which reach the element without R's software, CDC
 * messages (C) and the failover validation message (F). R's adapter puts C and
 * F into the receive queue of the link, which R's software reads in order. When
 * a link dies, the rest of the queue is lost, or it arrives late (a ghost
 * write), also after S has left the link, until R's end of the queue pair is in
 * state ERR ("closed" here). The ends notice the failure one after the other.
 *
 * 4.6.1: the adapter of a dead link may acknowledge what it does not store
 * ("broken").
 *
 * Only the numbers of links, cells and failures are bounded. The choices at the
 * start fix how many links die. So a run in which too few links die to help S
 * or R out of a deadlock is among those searched, and each maximal run has to
 * end with the whole stream and its end, or with a reset. Positions and
 * sequence numbers are absolute: cursors and their wrap counts are tested
 * elsewhere (unit, fuzz).
 *
 * Each macro that starts with BUG_ takes one rule away; README.md lists them.
 */
#ifndef LINKS
#define LINKS	2
#endif
#ifndef RING
#define RING	2
#endif
#ifndef TOTAL
#define TOTAL	4
#endif
#ifndef LEAST_DEATHS
#define LEAST_DEATHS	0
#endif
#define NONE	255
#define SEQS	16

#define MAX(a, b)	((a) > (b) -> (a) : (b))

mtype = { W, C, F };

/* Links */
chan net[LINKS] = [8] of { mtype, byte, byte, bit };
chan rq[LINKS] = [8] of { mtype, byte, byte, bit };
bit dead[LINKS];	/* packets are late or lost from now on */
bit lost[LINKS];	/* nothing that was posted arrives any more */
byte acked[LINKS];	/* sequence number of the last acknowledged C */
byte credit[LINKS];	/* consumer position under way to S, 0 for none */
byte deaths;		/* links that have yet to die */
bit may_break;
byte broken = NONE;	/* link whose adapter stores nothing any more */

/* Sender */
byte cur;		/* link in use */
byte nxt;		/* position that is written next */
byte seq;		/* sequence number of the last C */
byte ss;		/* last C whose completion was seen */
byte una;		/* position up to which completions were seen */
byte cons_s;		/* R's consumer position, as far as S knows */
byte end_of[SEQS];	/* producer position of each C */
bit left[LINKS];
byte start[LINKS];	/* nxt when S came to the link */
byte lowest;		/* lowest position that may be under way on cur */
byte low[LINKS];	/* the same of a link that S has left, NONE for none */
bit moving;		/* F was sent, what follows it was not */
bit fin_s;		/* D was sent */

/* Receiver */
byte ring[RING];
byte sr;		/* sequence number of the last C that was handled */
byte prod;		/* producer position */
byte cons;		/* consumer position */
byte cl;		/* link that credit is sent over */
#ifdef BUG_DRAIN_LAST
byte last;		/* link of the last message handled */
#endif
bit closed[LINKS];	/* R's end of the link is in state ERR */
#ifdef BARE
bit bare[LINKS];	/* F was valid, and what follows it has not come */
byte f_ss[LINKS];	/* SS in the F that S sent on the link */
#endif
bit fin_r;		/* D was received */
bit reset;

byte i, j;
mtype kind;
byte a, b;
bit fin;

/* Post on S's link; a link that has lost a packet delivers no later one. */
#define POST(k, x, y, z)	if :: lost[cur] :: else -> net[cur]!k(x, y, z) fi

inline post_cdc()
{
	seq++;
	end_of[seq] = nxt;
	printf("S: CDC %d on link %d: producer %d, D %d\n", seq, cur, nxt,
	       fin_s);
	POST(C, seq, nxt, fin_s)
}

/* Can nothing that S posted on link l arrive any more? S learns that from the
 * DELETE LINK exchange that names l, or because the lifetime of a packet is
 * over.
 */
#define GONE(l)	(lost[l] || len(net[l]) == 0)

/* R has read a position first posted on S's present link. So R has handled F
 * and has closed the links that S left before.
 */
#ifdef CAP_TIME
#define SEEN	false
#else
#ifdef BUG_CAP_EARLY
#define SEEN	(cons_s >= start[cur])
#else
#define SEEN	(cons_s > start[cur])
#endif
#endif

/* May S write up to position p, in spite of what may be under way on a link
 * that it has left?
 */
#ifdef BUG_NO_CAP
#define MAY(p)	true
#else
#define HIT(l, p)	(left[l] && low[l] != NONE && (p) > low[l] + RING && \
			 !GONE(l) && !SEEN)
#define MAY(p)	(!HIT(0, p) && !HIT(1, p))
#endif

/* Nothing that is under way on link l arrives any more. */
inline lose(l)
{
	lost[l] = 1;
	low[l] = NONE;
	do
	:: len(net[l]) > 0 -> net[l]?_, _, _, _
	:: else -> break
	od;
	skip
}

/* S sees the completion of a C, and so of all that it posted before. */
inline complete()
{
	ss = acked[cur];
	una = end_of[ss];
	lowest = MAX(lowest, una);
	printf("S: CDC %d is complete, all below %d is acknowledged\n", ss, una);
#ifndef BUG_SS_CURSOR
	/* No longer needed: fewer states */
	i = ss;
	do
	:: end_of[i] > 0 -> end_of[i] = 0; i--
	:: else -> break
	od;
	i = 0
#endif
}

/* S has seen that its link has failed. It moves to the next link and sends F
 * there.
 */
inline leave()
{
#ifdef BUG_CAP_CURSOR
	lowest = MAX(lowest, cons_s);
#else
	/* A position that R has read may be under way all the same, if it is
	 * a replay and R got the first copy from an earlier link.
	 */
	if
	:: cons_s > start[cur] || cur == 0 -> lowest = MAX(lowest, cons_s)
	:: else
	fi;
#endif
	low[cur] = (lowest >= nxt || (moving && cur > 0) -> NONE : lowest);
	left[cur] = 1;
	start[cur] = 0;
	acked[cur] = 0;
	credit[cur] = 0;
	if
	:: GONE(cur) -> lose(cur)
	:: else
	fi;
	cur++;
	moving = 1;
	start[cur] = nxt;
#ifdef BUG_SS_CURSOR
	/* The last C whose data R has read */
	j = 0;
	do
	:: j < ss && end_of[j + 1] <= cons_s -> j++
	:: else -> break
	od;
#else
	j = ss;
#endif
	printf("S: moves to link %d, F with SS %d\n", cur, j);
	POST(F, j, 0, 0);
#ifdef BARE
	f_ss[cur] = j;
#endif
	j = 0
}

/* S repeats what is not known to have arrived, and tells R once, with a new
 * sequence number, at the position that it had reached. R may know of that
 * position already.
 */
inline replay()
{
#ifdef BUG_REPLAY_READ
	i = una;
#else
	i = MAX(una, cons_s);
#endif
	lowest = i;
	printf("S: writes positions from %d to below %d again on link %d\n", i,
	       nxt, cur);
	do
	:: i < nxt -> POST(W, i, 0, 0);
		i++;
#ifdef BUG_REPLAY_BELOW
		if
		:: i < nxt ->
			seq++;
			end_of[seq] = i;
			printf("S: CDC %d on link %d: producer %d\n", seq, cur,
			       i);
			POST(C, seq, i, 0)
		:: else
		fi
#endif
	:: else -> break
	od;
#ifdef BUG_NO_FLAGS
	seq++;
	end_of[seq] = nxt;
	printf("S: CDC %d on link %d: producer %d\n", seq, cur, nxt);
	POST(C, seq, nxt, 0);
#else
	post_cdc();
#endif
	moving = 0;
	i = 0
}

/* A consumer position replaces the one under way: positions are absolute. */
#define SEND_CREDIT	if :: left[cl] -> skip :: else -> credit[cl] = cons fi

/* R closes its end of link l; what it has received there stays in its receive
 * queue.
 */
inline close(l)
{
	printf("R: closes link %d\n", l);
	closed[l] = 1;
	lose(l);
#ifdef BUG_DRAIN_DROPS
	do
	:: len(rq[l]) > 0 -> rq[l]?_, _, _, _
	:: else -> break
	od;
#endif
	do
	:: closed[cl] -> cl = (cl + 1) % LINKS;
#ifndef BUG_CREDIT_ONCE
		SEND_CREDIT
#endif
	:: else -> break
	od;
	skip
}

/* Has R closed the links that S left before link l, and read what they have
 * brought? R learns which these are from DELETE LINK, which travels ahead of F.
 */
#ifdef BUG_NO_CLOSE
#define SHUT(l)	true
#else
#define SHUT(l)	closed[l]
#endif
#define OVER(l)	(!left[l] || (SHUT(l) && len(rq[l]) == 0))

#ifdef BUG_NO_DRAIN
#define DRAINED(l)	true
#else
#ifdef BUG_DRAIN_LAST
#define DRAINED(l)	(last == l || OVER(last))
#else
#define DRAINED(l)	(((l) == 0 || OVER(0)) && ((l) == 1 || OVER(1)))
#endif
#endif

/* With BARE, R may find an F valid although the links that S left before are
 * not drained: SR >= SS. What follows that F needs the drain.
 */
#if defined(BARE) && !defined(BUG_F_ENDS)
#define BEHIND(l)	(!bare[l] || DRAINED(l))
#else
#define BEHIND(l)	true
#endif

inline take_bare(l)
{
	printf("R: F alone, SR %d >= SS %d\n", sr, f_ss[l]);
	rq[l]?_, _, _, _;
	f_ss[l] = 0;
	bare[l] = 1
}

inline handle(l)
{
	rq[l]?kind, a, b, fin;
	if
	:: kind == F ->
#ifndef BUG_F_IGNORED
		if
		:: sr < a -> printf("R: F, SR %d < SS %d\n", sr, a); reset = 1
		:: else -> printf("R: F, SR %d >= SS %d\n", sr, a)
		fi
#else
		skip
#endif
	:: kind == C && a <= sr	/* older than what is known */
	:: else ->
		printf("R: CDC %d of link %d: producer %d\n", a, l, b);
		sr = a;
		if
		:: b < prod -> reset = 1
		:: else -> prod = b
		fi;
		fin_r = fin
	fi;
#ifdef BUG_DRAIN_LAST
	last = l;
#endif
#ifdef BARE
	bare[l] = 0;
	f_ss[l] = 0;
#endif
	kind = 0; a = 0; b = 0; fin = 0
}

/* R's adapter executes the oldest packet of link l. */
inline execute(l)
{
	net[l]?kind, a, b, fin;
	if
	:: broken == l -> printf("link %d: acknowledged, not stored\n", l)
	:: broken != l && kind == W ->
		printf("link %d: write of position %d arrives in cell %d\n", l,
		       a, a % RING);
		ring[a % RING] = a
	:: else ->
		printf("link %d: message %d arrives\n", l, a);
		rq[l]!kind(a, b, fin)
	fi;
	if
	:: kind == C && !left[l] -> acked[l] = a
	:: else
	fi;
	if
	:: left[l] && len(net[l]) == 0 -> lost[l] = 1; low[l] = NONE
	:: else
	fi;
	kind = 0; a = 0; b = 0; fin = 0
}

/* What happens on link l */
#define DIES(l, when) \
	:: d_step { deaths > 0 && !dead[l] && (when) -> \
		printf("link %d dies\n", l); \
		deaths--; dead[l] = 1 }
#ifdef BARE
#define LINK_BARE(l) \
	:: d_step { !reset && rq[l]?[F, _, _, _] && sr >= f_ss[l] && \
		    !DRAINED(l) -> take_bare(l) }
#else
#define LINK_BARE(l)
#endif
#define LINK(l) \
	:: d_step { dead[l] && may_break && broken == NONE && \
		    nempty(net[l]) -> broken = l } \
	:: d_step { dead[l] && !lost[l] && nempty(net[l]) -> \
		printf("link %d: the rest is lost\n", l); \
		lose(l) } \
	:: d_step { nempty(net[l]) && nfull(rq[l]) -> execute(l) } \
	:: d_step { dead[l] && !closed[l] -> close(l) } \
	:: d_step { !reset && nempty(rq[l]) && BEHIND(l) && \
		    (!(rq[l]?[F, _, _, _]) || DRAINED(l)) -> handle(l) } \
	LINK_BARE(l) \
	:: d_step { credit[l] > 0 -> \
		printf("S: consumer %d over link %d\n", credit[l], l); \
		cons_s = MAX(cons_s, credit[l]); credit[l] = 0 } \
	:: d_step { dead[l] && credit[l] > 0 -> \
		printf("link %d: consumer %d is lost\n", l, credit[l]); \
		credit[l] = 0 }

active proctype model()
{
	select(deaths : LEAST_DEATHS .. LINKS - 1);
	select(may_break : 0 .. 1);
	select(cl : 0 .. LINKS - 1);
	i = 0;
	do
	:: i < RING -> ring[i] = NONE; i++
	:: else -> i = 0; break
	od;

	do
	/* Sender */
	:: d_step { !moving && nxt < TOTAL && nxt < cons_s + RING &&
		    MAY(nxt + 1) && len(net[cur]) < 7 ->
		POST(W, nxt, 0, 0);
		printf("S: writes position %d on link %d\n", nxt, cur);
		nxt++;
		post_cdc() }
	:: d_step { !moving && nxt == TOTAL && !fin_s && nfull(net[cur]) ->
		fin_s = 1; post_cdc() }
	:: d_step { acked[cur] > ss -> complete() }
	:: d_step { dead[cur] -> leave() }
	:: d_step { moving && MAY(nxt) -> replay() }

	/* Links and what R does with each */
	DIES(0, true)
	DIES(1, LINKS == 2 || cur == 1)
	LINK(0)
	LINK(1)
#if LINKS > 2
	LINK(2)
#endif

	/* Receiver */
	:: d_step { !reset && cons < prod ->
		printf("R: reads position %d from cell %d\n", cons,
		       cons % RING);
		assert(ring[cons % RING] == cons);
		cons++;
		SEND_CREDIT }
	:: reset -> break
	:: fin_r && cons == prod -> break
	od;
	/* A reset needs a reason: a link that stored nothing. */
	assert(reset || cons == TOTAL);
	assert(!reset || broken != NONE)
}
