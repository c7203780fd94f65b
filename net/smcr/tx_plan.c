// SPDX-License-Identifier: GPL-2.0
/*
 * Window arithmetic of both directions (RFC 7609, 4.5.1 and 4.7).
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "tx_plan.h"

static u32 local_offset(const struct smcr_tx_view *view, u64 pos)
{
	u32 rem;

	div_u64_rem(view->local_start + pos, view->local_size, &rem);
	return rem;
}

/**
 * smcr_tx_plan() - the writes that the window allows right now
 * @view: the send side
 * @plan: result
 *
 * A write ends where the send ring or the peer's ring wraps, whichever comes
 * first (4.7.4). B is set when bytes are left over because the window is
 * closed, so that the peer reports each byte it reads (4.5.1); where @view
 * limits the plan there is nothing to wait for, and B stays clear.
 *
 * Context: the lock that guards the send side is held.
 */
void smcr_tx_plan(const struct smcr_tx_view *view, struct smcr_tx_plan *plan)
{
	u32 window = smcr_cursor_window(&view->peer_ring, view->sent,
					view->peer_cons);
	u32 left = min_t(u64, view->queued - view->sent, window);
	struct smcr_tx_seg *seg = plan->seg;
	u64 pos = view->sent;

	memset(plan, 0, sizeof(*plan));
	if (view->max_bytes)
		left = min_t(u32, left, view->max_bytes);
	for (; left && plan->nr_segs < SMCR_TX_MAX_SEGS; seg++) {
		seg->local = local_offset(view, pos);
		seg->remote = smcr_cursor_offset(&view->peer_ring, pos);
		seg->len = min_t(u32, left, view->local_size - seg->local);
		seg->len = min_t(u32, seg->len,
				 smcr_cursor_contig(&view->peer_ring, pos));
		pos += seg->len;
		left -= seg->len;
		plan->nr_segs++;
	}
	plan->sent = pos;
	plan->bytes = (u32)(pos - view->sent);
	plan->blocked = pos != view->queued && plan->bytes == window;
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
