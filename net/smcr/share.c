// SPDX-License-Identifier: GPL-2.0
/*
 * How the connections of a link share its send queue.
 *
 * A queue pair sends in the order of posting, so a message waits for all bytes
 * that other connections have posted before it: for milliseconds, if each of
 * them may post a whole ring. What they post early helps nobody, as the adapter
 * needs no more than the bytes that it sends until it hears of a completion. So
 * while several connections send, the bytes in flight are bounded, and
 *
 *	small	batches, which are most requests and replies, do not wait,
 *	large	ones wait in turns: a connection may post 64 KB in each, and
 *		what it posts beyond that, its next turns lack.
 *
 * The bound is what the link completes within the time that an empty queue
 * takes for a request, which keeps the path busy, and within 2 ms more, so that
 * a host that handles completions late does not stop it. A batch may begin
 * below the bound and end beyond it. Small batches count, too, and might fill
 * the bound alone. So one large batch may always be in flight.
 *
 * Rate. Bytes that complete while some wait, over at least 8 ms. If the bound
 * holds up the path, the queue completes it once in the time of an empty queue,
 * and the 2 ms make the next bound larger than this one. So a bound that is too
 * small grows until the path is the limit. While nothing waits, the rate says
 * how much the programs write, and is not measured.
 *
 * Time of an empty queue. In a queue that is never empty, a request takes the
 * bound divided by the rate, whatever the path. So once a second, if large
 * batches wait, they wait until all that is posted has completed. Then a fence
 * is posted, and behind it the batches again. Small batches that were posted
 * meanwhile and a host that is busy make such a time longer, so the shorter one
 * of the last two counts.
 */
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "share.h"

/* Least bound: a large batch and the one behind it */
#define SHARE_LEAST	SMCR_SHARE_TURN
#define SHARE_MOST	(1024u << 20)
/* Time that is added to that of an empty queue */
#define SHARE_MORE	(2ull * 1000 * 1000)
/* Shortest measurement of the rate */
#define SHARE_PERIOD	(8ull * 1000 * 1000)
/* Time from one measurement of an empty queue to the next */
#define SHARE_PROBES	(1000ull * 1000 * 1000)
#define SHARE_SECOND	(1000ull * 1000 * 1000)

/**
 * smcr_share_init() - begin with an empty send queue
 * @s: the state
 */
void smcr_share_init(struct smcr_share *s)
{
	memset(s, 0, sizeof(*s));
	s->limit = SHARE_LEAST;
}

/**
 * smcr_share_sends() - a connection wants to post a batch
 * @s: the state
 * @conn: its id, not 0
 * @now: jiffies
 * @span: jiffies for which a connection counts as sending
 * @alone: no other connection uses the link
 *
 * Return: true if others send as well.
 */
bool smcr_share_sends(struct smcr_share *s, u32 conn, unsigned long now,
		      unsigned long span, bool alone)
{
	if (s->last != conn)
		s->until = s->last ? now + span : now;
	s->last = conn;
	WRITE_ONCE(s->several, !alone && (long)(s->until - now) > 0);
	if (!s->several) {
		s->since = 0;
		s->mark = s->posted;
	}
	return s->several;
}

static u32 in_flight(const struct smcr_share *s, u32 done)
{
	return s->posted - done;
}

/**
 * smcr_share_admits() - may a batch be posted, as far as bytes are concerned?
 * @s: the state
 * @bytes: its bytes
 * @done: bytes that are complete
 */
bool smcr_share_admits(const struct smcr_share *s, u32 bytes, u32 done)
{
	if (!s->several || bytes <= SMCR_SHARE_SMALL)
		return true;
	if ((s32)(done - s->mark) >= 0)
		return true;
	return s->probe != SMCR_SHARE_DRAIN && in_flight(s, done) < s->limit;
}

/**
 * smcr_share_drains() - a large batch waits: shall the queue become empty?
 * @s: the state
 * @now: the time
 *
 * Return: true if that begins now; a completion must be requested for all that
 * is posted.
 */
bool smcr_share_drains(struct smcr_share *s, u64 now)
{
	if (s->probe != SMCR_SHARE_REST || now < s->probe_due)
		return false;
	s->probe = SMCR_SHARE_DRAIN;
	s->mark = s->posted;
	return true;
}

/**
 * smcr_share_probes() - shall a fence go before a batch?
 * @s: the state; the batch is admitted
 * @bytes: its bytes
 */
bool smcr_share_probes(const struct smcr_share *s, u32 bytes)
{
	return s->probe == SMCR_SHARE_DRAIN && s->several &&
	       bytes > SMCR_SHARE_SMALL;
}

/**
 * smcr_share_probed() - the fence is posted
 * @s: the state
 * @now: the time
 * @end: slot behind the fence
 */
void smcr_share_probed(struct smcr_share *s, u64 now, u32 end)
{
	s->probe = SMCR_SHARE_SENT;
	s->probe_at = now;
	s->probe_end = end;
	/* The queue was empty for a while */
	s->since = 0;
}

/**
 * smcr_share_posted() - count a batch
 * @s: the state
 * @bytes: its bytes
 *
 * Return: true if it must request a completion, so that those that wait for
 * bytes to complete go on in time.
 */
bool smcr_share_posted(struct smcr_share *s, u32 bytes)
{
	s->posted += bytes;
	s->quiet += bytes;
	if (bytes > SMCR_SHARE_SMALL)
		s->mark = s->posted;
	return s->several && s->quiet >= s->limit / 4;
}

/**
 * smcr_share_asked() - the last request that was posted asks for a completion
 * @s: the state
 */
void smcr_share_asked(struct smcr_share *s)
{
	s->quiet = 0;
}

static void share_bound(struct smcr_share *s)
{
	u64 time = min_t(u64, s->base[0], s->base[1]) + SHARE_MORE;
	u64 limit = mul_u64_u64_div_u64(s->rate, time, SHARE_SECOND);

	s->limit = max_t(u64, min_t(u64, limit, SHARE_MOST), SHARE_LEAST);
}

static void share_base(struct smcr_share *s, u64 time)
{
	s->base[1] = s->base[0] ? : time;
	s->base[0] = time;
	share_bound(s);
}

/* A faster link counts at once, a slower one, which may be a host that was
 * busy, bit by bit.
 */
static void share_rate(struct smcr_share *s, u64 bytes, u64 time)
{
	u64 rate = mul_u64_u64_div_u64(bytes, SHARE_SECOND, time);

	if (rate > s->rate)
		s->rate = s->rate ? s->rate + (rate - s->rate) / 2 : rate;
	else
		s->rate -= (s->rate - rate) / 4;
	share_bound(s);
}

/**
 * smcr_share_looks() - shall completions be reported?
 * @s: the state
 *
 * Return: true while several connections send, and until a fence is complete
 * even if all but one have stopped: what comes later says nothing of its time.
 */
bool smcr_share_looks(const struct smcr_share *s)
{
	return s->several || s->probe == SMCR_SHARE_SENT;
}

/**
 * smcr_share_look() - requests have completed
 * @s: the state
 * @now: the time
 * @done: bytes that are complete
 * @tail: slots before this one are complete
 * @waits: large batches wait
 */
void smcr_share_look(struct smcr_share *s, u64 now, u32 done, u32 tail,
		     bool waits)
{
	u32 bytes = done - s->from;

	/* It must not be left behind by 2^31 bytes of small batches. */
	if ((s32)(done - s->mark) > 0)
		s->mark = done;
	if (s->probe == SMCR_SHARE_SENT && (s32)(tail - s->probe_end) >= 0) {
		s->probe = SMCR_SHARE_REST;
		s->probe_due = now + SHARE_PROBES;
		share_base(s, min_t(u64, now - s->probe_at, SHARE_SECOND));
	}
	if (!waits || s->probe == SMCR_SHARE_DRAIN) {
		s->since = 0;
	} else if (!s->since) {
		s->since = now;
		s->from = done;
	} else if (now - s->since >= SHARE_PERIOD && bytes >= SHARE_LEAST) {
		share_rate(s, bytes, now - s->since);
		s->since = now;
		s->from = done;
	}
}

/**
 * smcr_share_turn() - the turn of a connection begins
 * @left: bytes that it may post in it; negative if its last turn had too many
 */
void smcr_share_turn(int *left)
{
	*left = min_t(int, *left, 0) + SMCR_SHARE_TURN;
}
