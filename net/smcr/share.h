/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the connections of a link share its send queue, see share.c.
 *
 * Times are in ns. Counts of bytes and slots wrap at 32 bits.
 */
#ifndef _SMCR_SHARE_H
#define _SMCR_SHARE_H

#include <linux/types.h>

/* A batch of at most this many bytes waits for no bytes of other connections */
#define SMCR_SHARE_SMALL	4096u
/* Bytes of a turn, and of a batch while several connections send */
#define SMCR_SHARE_TURN		(64u << 10)

/* Measurement of the time that an empty send queue takes for a request */
enum smcr_share_probe {
	SMCR_SHARE_REST,	/* none until it is due */
	SMCR_SHARE_DRAIN,	/* large batches wait for what is posted */
	SMCR_SHARE_SENT,	/* a fence is under way */
};

/**
 * struct smcr_share - what is in flight on a link, and how much of it may be
 * @posted: bytes of all batches posted
 * @quiet: bytes posted since a request asked for a completion
 * @last: id of the connection that has posted last
 * @until: jiffies until which several connections count as sending
 * @several: they do, or did when one of them posted last
 * @limit: with so many bytes in flight, a large batch waits
 * @mark: the last large batch ends here, or all that was posted when the queue
 *	began to become empty: when this is complete, a large batch may go
 * @rate: bytes in a second that the link completes, 0 while that is unknown
 * @since: when the measurement of the rate began, 0 if there is none
 * @from: bytes complete then
 * @base: times that an empty queue took for a request, the last two, or 0
 * @probe: the measurement of @base
 * @probe_due: when the next one may begin
 * @probe_at: when the fence was posted
 * @probe_end: slot behind the fence
 */
struct smcr_share {
	u32			posted;
	u32			quiet;
	u32			last;
	unsigned long		until;
	bool			several;
	u32			limit;
	u32			mark;
	u64			rate;
	u64			since;
	u32			from;
	u64			base[2];
	enum smcr_share_probe	probe;
	u64			probe_due;
	u64			probe_at;
	u32			probe_end;
};

void smcr_share_init(struct smcr_share *s);
bool smcr_share_sends(struct smcr_share *s, u32 conn, unsigned long now,
		      unsigned long span, bool alone);
bool smcr_share_admits(const struct smcr_share *s, u32 bytes, u32 done);
bool smcr_share_drains(struct smcr_share *s, u64 now);
bool smcr_share_probes(const struct smcr_share *s, u32 bytes);
void smcr_share_probed(struct smcr_share *s, u64 now, u32 end);
bool smcr_share_posted(struct smcr_share *s, u32 bytes);
void smcr_share_asked(struct smcr_share *s);
bool smcr_share_looks(const struct smcr_share *s);
void smcr_share_look(struct smcr_share *s, u64 now, u32 done, u32 tail,
		     bool waits);
void smcr_share_turn(int *left);

#endif /* _SMCR_SHARE_H */
