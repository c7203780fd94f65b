// SPDX-License-Identifier: GPL-2.0
/*
 * How connections share a send queue (share.c), on a made-up clock and path: a
 * queue that completes in order, at a rate, each request some time after its
 * last byte was sent.
 */
#include <linux/math64.h>

#include "tap.h"
#include "share.h"

#define US		1000ull
#define MS		(1000 * US)
#define SECOND		(1000 * MS)
#define BATCH		SMCR_SHARE_TURN
/* Batches that the model's queue holds */
#define QUEUE		16384
#define SPAN		25

static struct smcr_share s;

/**
 * struct wire - a send queue and what is behind it
 * @rate: bytes a second
 * @delay: time from the last byte of a request to its completion
 * @free: when the wire has sent all that is posted
 * @done: bytes that are complete; what share.c sees wraps
 * @tail: slots that are complete
 * @head: slots that are posted
 * @req: requests, by slot
 */
struct wire {
	u64	rate;
	u64	delay;
	u64	free;
	u64	done;
	u32	tail;
	u32	head;
	struct {
		u64	at;
		u64	end;
		u32	bytes;
	} req[QUEUE];
};

static struct wire path;
static u64 now;

static void begin(u64 rate, u64 delay)
{
	memset(&path, 0, sizeof(path));
	path.rate = rate;
	path.delay = delay;
	smcr_share_init(&s);
	now = SECOND;
	/* Two connections send from here on */
	smcr_share_sends(&s, 1, 5, SPAN, false);
	smcr_share_sends(&s, 2, 5, SPAN, false);
}

static void put(u32 bytes)
{
	u32 i = path.head++ % QUEUE;

	if (path.free < now)
		path.free = now;
	path.free += bytes * SECOND / path.rate;
	path.req[i].at = now;
	path.req[i].end = path.free + path.delay;
	path.req[i].bytes = bytes;
}

/* Post a batch if it is admitted. Returns whether it was. */
static bool post(u32 bytes)
{
	if (!smcr_share_admits(&s, bytes, path.done))
		return false;
	if (smcr_share_probes(&s, bytes)) {
		put(0);
		smcr_share_probed(&s, now, path.head);
	}
	put(bytes);
	if (smcr_share_posted(&s, bytes))
		smcr_share_asked(&s);
	return true;
}

/* Let the next request complete. The host handles it @late afterwards, with all
 * others that have come until then. Returns the longest time of a large batch.
 */
static u64 done_next(u64 late, bool waits)
{
	u64 most = 0;

	if (path.tail == path.head)
		return 0;
	if (now < path.req[path.tail % QUEUE].end)
		now = path.req[path.tail % QUEUE].end;
	now += late;
	while (path.tail != path.head && path.req[path.tail % QUEUE].end <= now) {
		u32 i = path.tail++ % QUEUE;

		path.done += path.req[i].bytes;
		if (path.req[i].bytes > SMCR_SHARE_SMALL &&
		    now - path.req[i].at > most)
			most = now - path.req[i].at;
	}
	if (smcr_share_looks(&s))
		smcr_share_look(&s, now, path.done, path.tail, waits);
	return most;
}

/* Writers that always have bytes, for @time. @most is the longest time of a
 * batch in its second half. Returns the bytes a second in that half.
 */
static u64 stream(u64 time, u64 late, u64 *most)
{
	u64 half = now + time / 2, end = now + time, from = 0, done = 0, lasts;

	*most = 0;
	while (now < end) {
		while (post(BATCH))
			;
		smcr_share_drains(&s, now);
		lasts = done_next(late, true);
		if (now >= half && !from) {
			from = now;
			done = path.done;
		} else if (from && lasts > *most) {
			*most = lasts;
		}
	}
	return mul_u64_u64_div_u64(path.done - done, SECOND, now - from);
}

static void alone(void)
{
	int i;

	smcr_share_init(&s);
	for (i = 0; i < 100; i++) {
		EXPECT(!smcr_share_sends(&s, 1, 0ul - 50 + i, SPAN, true));
		EXPECT(smcr_share_admits(&s, BATCH, 0));
		EXPECT(!smcr_share_posted(&s, BATCH));
	}
	/* The same if another one uses the link and sends nothing */
	EXPECT(!smcr_share_sends(&s, 1, 100, SPAN, false));
}

static void several(void)
{
	smcr_share_init(&s);
	EXPECT(!smcr_share_sends(&s, 1, 0ul - 5, SPAN, false));
	EXPECT(smcr_share_sends(&s, 2, 0ul - 4, SPAN, false));
	EXPECT(smcr_share_sends(&s, 2, SPAN - 5, SPAN, false));
	EXPECT(!smcr_share_sends(&s, 2, SPAN - 4, SPAN, false));
	EXPECT(smcr_share_sends(&s, 1, SPAN, SPAN, false));
	EXPECT(!smcr_share_sends(&s, 1, SPAN + 1, SPAN, true));
}

static void small(void)
{
	begin(100 << 20, 50 * US);
	while (post(BATCH))
		;
	EXPECT(!smcr_share_admits(&s, SMCR_SHARE_SMALL + 1, path.done));
	EXPECT(smcr_share_admits(&s, SMCR_SHARE_SMALL, path.done));
	EXPECT(smcr_share_admits(&s, 0, path.done));
	/* Also while the queue has to become empty */
	EXPECT(smcr_share_drains(&s, now));
	EXPECT(smcr_share_admits(&s, SMCR_SHARE_SMALL, path.done));
}

/* The longest time from one large batch to the next, beside small ones every
 * @every ns for 3 seconds, on a host that is @late
 */
static u64 beside(u64 every, u64 late)
{
	u64 last = now, most = 0, due = now, end = now + 3 * SECOND;

	while (now < end) {
		for (; due <= now; due += every)
			EXPECT(post(SMCR_SHARE_SMALL));
		if (post(BATCH))
			last = now;
		else
			smcr_share_drains(&s, now);
		done_next(late, true);
		if (now - last > most)
			most = now - last;
	}
	return most;
}

/* Large batches go on beside small ones that never leave the queue empty, and
 * beside those that fill the bound alone since the host has become slow.
 */
static void large(void)
{
	begin(30 << 20, 1 * MS);
	EXPECT(beside(200 * US, 0) < 20 * MS);
	EXPECT(beside(180 * US, 6 * MS) < 60 * MS);
}

/* Rates and delays of a fast network, a slow one and the test bed */
static const struct {
	u64	rate;
	u64	delay;
} paths[] = {
	{ 12000ull << 20,	5 * US },
	{ 12000ull << 20,	100 * US },
	{ 3000ull << 20,	20 * US },
	{ 600 << 20,		3 * MS },
	{ 600 << 20,		20 * MS },
	{ 100 << 20,		50 * US },
	{ 30 << 20,		1 * MS },
};

static void full(void)
{
	u64 rate, most, want;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		begin(paths[i].rate, paths[i].delay);
		rate = stream(4 * SECOND, 0, &most);
		/* Two batches are in flight at least, as one may pass */
		want = 3 * MS + paths[i].delay * 2 +
		       2 * BATCH * SECOND / paths[i].rate;
		if (rate < paths[i].rate / 100 * 95 || most > want)
			note("path %u: %llu of %llu B/s, %llu of %llu us", i,
			     rate, paths[i].rate, most / US, want / US);
		EXPECT(rate >= paths[i].rate / 100 * 95);
		EXPECT(most <= want);
	}
}

/* Completions that are handled late, as on a busy host, cost little. */
static void late(void)
{
	u64 rate, most;

	begin(30 << 20, 1 * MS);
	rate = stream(4 * SECOND, 1 * MS, &most);
	EXPECT(rate >= (30 << 20) / 100 * 90);
	EXPECT(most <= 9 * MS);
}

/* The path becomes ten times as slow, and fast again. */
static void changes(void)
{
	u64 rate, most;

	begin(600 << 20, 100 * US);
	stream(3 * SECOND, 0, &most);
	path.rate = 60 << 20;
	rate = stream(3 * SECOND, 0, &most);
	EXPECT(rate >= (60 << 20) / 100 * 95);
	EXPECT(most <= 6 * MS);
	path.rate = 600 << 20;
	rate = stream(3 * SECOND, 0, &most);
	EXPECT(rate >= (600 << 20) / 100 * 95);
}

/* A writer that pauses tells nothing about the path. */
static void pauses(void)
{
	u32 limit;
	u64 most;

	begin(600 << 20, 100 * US);
	stream(2 * SECOND, 0, &most);
	limit = s.limit;
	EXPECT(limit > 1 << 20);
	while (done_next(0, false))
		;
	now += 3 * SECOND;
	while (now < 20 * SECOND) {
		post(BATCH);
		done_next(0, false);
		now += 10 * MS;
	}
	EXPECT_EQ(s.limit, limit);
}

/* All but one stop while a fence is under way, and go on long afterwards. */
static void stops(void)
{
	u64 most;

	begin(30 << 20, 1 * MS);
	stream(500 * MS, 0, &most);
	now += SECOND;
	while (post(BATCH))
		;
	EXPECT(smcr_share_drains(&s, now));
	while (s.probe == SMCR_SHARE_DRAIN) {
		done_next(0, true);
		post(BATCH);
	}
	EXPECT(!smcr_share_sends(&s, 2, 5 + SPAN, SPAN, false));
	while (path.tail != path.head)
		done_next(0, false);
	now += 5 * SECOND;
	EXPECT(smcr_share_sends(&s, 1, 6 + SPAN, SPAN, false));
	smcr_share_look(&s, now, path.done, path.tail, false);
	EXPECT(s.base[0] <= 2 * MS);
	EXPECT(s.limit <= 200 << 10);
}

/* While bytes wait, a completion is to come, whatever the bound was before. */
static void asks(void)
{
	u32 quiet = 0;

	begin(30 << 20, 1 * MS);
	while (smcr_share_admits(&s, 8192, path.done)) {
		put(8192);
		quiet += 8192;
		if (smcr_share_posted(&s, 8192)) {
			smcr_share_asked(&s);
			quiet = 0;
		}
		EXPECT(quiet < s.limit / 4);
	}
}

static void turns(void)
{
	int left = 0;

	smcr_share_turn(&left);
	EXPECT_EQ(left, BATCH);
	/* What is left of a turn is lost, and what was too much is owed */
	smcr_share_turn(&left);
	EXPECT_EQ(left, BATCH);
	left -= BATCH + BATCH / 2;
	smcr_share_turn(&left);
	EXPECT_EQ(left, BATCH / 2);
}

static const struct fact facts[] = {
	{ "a connection that sends alone has no bound", alone },
	{ "two that send within some time count as several", several },
	{ "small batches wait for no bytes of others", small },
	{ "large batches go on beside any number of small ones", large },
	{ "a path is filled, and a batch waits little longer than it takes", full },
	{ "a host that is late costs little", late },
	{ "the bound follows the path", changes },
	{ "a writer that pauses leaves the bound as it is", pauses },
	{ "the time of a fence counts though the others have stopped", stops },
	{ "completions are asked for while bytes wait", asks },
	{ "turns of connections are equal in bytes", turns },
};

PROVE(facts, NULL);
