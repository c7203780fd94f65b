/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many handshakes each source has at each listener. Pure.
 *
 * This is asked for each SYN, whoever sends it, so the answer takes the same
 * short time however many handshakes there are. A source has one counter
 * in each row, found by a keyed hash of listener and address. Others may share
 * it, so the smaller of both counters is what counts. It is never too low. It
 * is too high only if others share the counters of both rows, so a source that
 * fills its share stands in nobody's way, but for one pair in
 * SMCR_SOURCES_SLOTS^2.
 */
#ifndef _SMCR_SOURCES_H
#define _SMCR_SOURCES_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define SMCR_SOURCES_SLOTS	512u

/**
 * struct smcr_sources - handshakes of a namespace by listener and source
 * @n: two rows of counters; changed and read without a lock
 */
struct smcr_sources {
	atomic_t	n[2][SMCR_SOURCES_SLOTS];
};

/**
 * smcr_sources_add() - a handshake begins or ends
 * @sources: the counters
 * @hash: hash of listener and source, the same at both times
 * @n: 1 or -1
 */
static inline void smcr_sources_add(struct smcr_sources *sources, u64 hash,
				    int n)
{
	atomic_add(n, &sources->n[0][(u32)hash % SMCR_SOURCES_SLOTS]);
	atomic_add(n, &sources->n[1][(hash >> 32) % SMCR_SOURCES_SLOTS]);
}

/**
 * smcr_sources_count() - number of handshakes of a source at a listener
 * @sources: the counters
 * @hash: hash of both
 *
 * Return: the number, or rarely more.
 */
static inline u32 smcr_sources_count(const struct smcr_sources *sources,
				     u64 hash)
{
	int a = atomic_read(&sources->n[0][(u32)hash % SMCR_SOURCES_SLOTS]);
	int b = atomic_read(&sources->n[1][(hash >> 32) % SMCR_SOURCES_SLOTS]);

	/* The end of a handshake may be seen before its beginning. */
	return max_t(int, min_t(int, a, b), 0);
}

#endif /* _SMCR_SOURCES_H */
