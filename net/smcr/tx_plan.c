// SPDX-License-Identifier: GPL-2.0
/*
 * Window arithmetic of both directions (RFC 7609, 4.5.1 and 4.7).
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "tx_plan.h"

/* A piece of a stream that is worth a write and a CDC message of its own: a
 * quarter of the peer's ring. Less than half, so that a reader waits neither
 * for a message longer than what the ring has (poll() calls half of it
 * readable whatever SO_RCVLOWAT says) nor for a sender that waits for it.
 */
static bool worthwhile(const struct smcr_tx_view *view, u32 bytes)
{
	return (u64)bytes * 4 >= view->peer_ring.len;
}

/* Does the 10 % rule of the receiver tell late that the rest fits? */
static bool short_rest(const struct smcr_tx_view *view, u64 bytes)
{
	return bytes && bytes * 10 < view->peer_ring.len;
}

/**
 * smcr_tx_plan() - the writes that the window allows right now
 * @view: the send side
 * @plan: result
 *
 * A write ends where the peer's ring wraps (4.7.4).
 *
 * Silly windows: a reader of small pieces must not make the sender write such.
 * Where the window, not the application, limits a write to less than a quarter
 * of the ring, nothing is written until more of it is open. The peer reports
 * that: its window is below half, so each tenth of the ring that it reads is
 * told (4.5.1). B would have it report each byte, which is of use only for a
 * rest that is shorter than that. So B is set when the window is closed and
 * less than a tenth of the ring is left to write; where @view limits the plan
 * there is nothing to wait for, and B stays clear.
 *
 * Context: the lock that guards the send side is held.
 */
void smcr_tx_plan(const struct smcr_tx_view *view, struct smcr_tx_plan *plan)
{
	u32 window = smcr_cursor_window(&view->peer_ring, view->sent,
					view->peer_cons);
	u64 queued = view->queued - view->sent;
	u32 left = min_t(u64, queued, window);
	struct smcr_tx_seg *seg = plan->seg;
	u64 pos = view->sent;

	memset(plan, 0, sizeof(*plan));
	if (left < queued && !worthwhile(view, left) && !view->more)
		left = 0;
	if (view->max_bytes)
		left = min_t(u32, left, view->max_bytes);
	for (; left && plan->nr_segs < SMCR_TX_MAX_SEGS; seg++) {
		seg->remote = smcr_cursor_offset(&view->peer_ring, pos);
		seg->len = min_t(u32, left,
				 smcr_cursor_contig(&view->peer_ring, pos));
		pos += seg->len;
		left -= seg->len;
		plan->nr_segs++;
	}
	plan->sent = pos;
	plan->bytes = (u32)(pos - view->sent);
	plan->blocked = plan->bytes == window &&
			short_rest(view, view->queued - pos);
	plan->announce = plan->nr_segs ||
			 (plan->blocked && !view->b_announced);
}

/**
 * smcr_rx_update_needed() - must the peer be told what was read?
 * @view: the receive side
 *
 * A message for its own sake goes out if the peer waits (B) or asked (R), or
 * if the window it knows is below half of the ring and would grow by a tenth
 * of the ring or more (4.5.1). Every other CDC message carries the consumer
 * cursor anyway.
 *
 * Context: the lock that guards the receive side is held.
 * Return: true if a CDC message should go out now.
 */
bool smcr_rx_update_needed(const struct smcr_rx_view *view)
{
	u64 gain = view->cons - view->told;
	u32 window;

	if (!gain)
		return false;
	if (view->b || view->r)
		return true;
	window = smcr_cursor_window(&view->ring, view->prod, view->told);
	return window < view->ring.len - window && gain * 10 >= view->ring.len;
}
