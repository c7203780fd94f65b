/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Window arithmetic (RFC 7609, 4.5.1 and 4.7): which bytes to write next, which
 * wait to be written together with later ones (4.5.2), and when to send the
 * peer a window update, or to request one. Pure functions; the callers hold
 * smcr_conn.lock.
 */
#ifndef _SMCR_TX_PLAN_H
#define _SMCR_TX_PLAN_H

#include "cursor.h"

/* One plan wraps at the end of the peer's ring at most once. */
#define SMCR_TX_MAX_SEGS	2

/**
 * struct smcr_tx_view - the send side of a connection
 * @peer_ring: the peer's element
 * @queued: position up to which the application's bytes are in send space
 * @sent: position up to which they were written to the peer
 * @peer_cons: position up to which the peer has read
 * @max_bytes: upper limit of bytes in this plan; 0 for no limit
 * @b_announced: the last CDC message that we sent had B set
 * @urgent: position after an urgent byte that is not written yet, not before
 *	@queued; 0 for none
 * @spare: leave the last byte of the ring unused
 * @keep: keep another byte of the ring for an urgent byte
 * @more: @max_bytes cut the plan before this one short, and this one goes on
 *	in the same window
 *
 * Invariants: @peer_cons <= @sent <= @queued, and
 * @sent - @peer_cons <= peer_ring.len.
 */
struct smcr_tx_view {
	struct smcr_ring peer_ring;
	u64 queued;
	u64 sent;
	u64 peer_cons;
	u32 max_bytes;
	u64 urgent;
	bool b_announced;
	bool spare;
	bool keep;
	bool more;
};

/**
 * struct smcr_tx_seg - one RDMA write
 * @remote: offset in the peer's element
 * @len: bytes
 */
struct smcr_tx_seg {
	u32 remote;
	u32 len;
};

/**
 * struct smcr_tx_plan - one chain of writes and the CDC message behind it
 * @seg: the writes, in order
 * @nr_segs: number of writes; 0 if nothing can be written
 * @bytes: sum of their lengths
 * @sent: smcr_tx_view.sent after the writes, the producer position to announce
 * @blocked: set B: the window is closed, and few bytes are left to write
 * @cut: the window, not @max_bytes, leaves bytes to write
 * @announce: a CDC message must go out, since the plan has writes or sets B
 *	where the last message did not
 */
struct smcr_tx_plan {
	struct smcr_tx_seg seg[SMCR_TX_MAX_SEGS];
	u8 nr_segs;
	u32 bytes;
	u64 sent;
	bool blocked;
	bool cut;
	bool announce;
};

/* Bytes that wait for no further ones */
#define SMCR_TX_BURST_WHOLE	(64u * 1024)

/**
 * struct smcr_tx_line - positions of the send side, as in struct smcr_conn_tx
 * @una: bytes before are complete
 * @nxt: bytes before are posted
 * @end: bytes before are queued
 * @signaled: a completion was requested for the bytes before, or has arrived
 *
 * Invariants: @una <= @nxt <= @end, @una <= @signaled <= @nxt.
 */
struct smcr_tx_line {
	u64 una;
	u64 nxt;
	u64 end;
	u64 signaled;
};

/**
 * struct smcr_tx_burst - the last data messages of a connection
 * @last: position behind the last one
 * @before: position behind the one before
 * @waited: bytes have waited since the last one
 * @cut: the window ended the last one
 */
struct smcr_tx_burst {
	u64 last;
	u64 before;
	bool waited;
	bool cut;
};

/**
 * struct smcr_rx_view - the receive side, as far as window updates need it
 * @ring: our element
 * @prod: position up to which the peer announced data
 * @cons: position up to which the application has read
 * @told: consumer position in the last CDC message that we sent
 * @b: the peer's last message had B set
 * @r: the peer requested an update (R) and was told of no byte since, or it
 *	waits until an urgent byte is consumed (4.7.5)
 */
struct smcr_rx_view {
	struct smcr_ring ring;
	u64 prod;
	u64 cons;
	u64 told;
	bool b;
	bool r;
};

/**
 * struct smcr_tx_r - requests for a consumer position (R) in both directions
 * @ask: the next message has R set
 * @owed: the peer has requested the position, and no message has gone out since
 * @wanted: the peer has requested the position, and was told of no byte since
 */
struct smcr_tx_r {
	bool ask;
	bool owed;
	bool wanted;
};

void smcr_tx_plan(const struct smcr_tx_view *view, struct smcr_tx_plan *plan);
bool smcr_tx_burst_holds(const struct smcr_tx_burst *burst,
			 const struct smcr_tx_line *line, u32 ring_len);
bool smcr_tx_burst_leaves(const struct smcr_tx_burst *burst,
			  const struct smcr_tx_line *line, u32 ring_len);
bool smcr_tx_burst_asks(const struct smcr_tx_burst *burst,
			const struct smcr_tx_line *line,
			const struct smcr_tx_plan *plan);
void smcr_tx_burst_posted(struct smcr_tx_burst *burst,
			  const struct smcr_tx_plan *plan);
void smcr_tx_r_recv(struct smcr_tx_r *r);
bool smcr_tx_r_sets(const struct smcr_tx_r *r, bool capped, bool news);
void smcr_tx_r_posted(struct smcr_tx_r *r, bool told);
bool smcr_rx_update_needed(const struct smcr_rx_view *view);
bool smcr_rx_update_overdue(const struct smcr_rx_view *view);

#endif /* _SMCR_TX_PLAN_H */
