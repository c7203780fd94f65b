// SPDX-License-Identifier: GPL-2.0
/*
 * Window arithmetic of both directions (RFC 7609, 4.5.1 and 4.7), and small
 * writes that are merged (4.5.2).
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "tx_plan.h"

/* Bytes that are few whatever the size of the ring */
#define TX_BURST_FEW	8u

/* Test whether @bytes are worth a write and a CDC message of their own, that
 * is, a fifth of the peer's ring. The threshold must be below half of the ring.
 * A sender that waits for it then leaves the ring more than half full, which
 * poll() reports as readable whatever SO_RCVLOWAT says, or the receiver sends
 * an update (smcr_rx_update_overdue()); otherwise sender and reader could wait
 * for each other. The threshold must be below a quarter, too: the ring is 4
 * bytes shorter than the element, because of the eye catcher (4.4.1). A sender
 * that writes a quarter of the element at a time would leave the last quarter
 * of the ring empty.
 */
static bool worthwhile(const struct smcr_tx_view *view, u32 bytes)
{
	return (u64)bytes * 5 >= view->peer_ring.len;
}

/* Shorten a plan of @len bytes that leaves the urgent byte alone. */
static u32 not_alone(const struct smcr_tx_view *view, u32 len)
{
	return view->urgent && view->sent + len + 1 == view->urgent && len > 1 ?
	       len - 1 : len;
}

/* Compute how many bytes of the window the plan may use. */
static u32 usable(const struct smcr_tx_view *view)
{
	u32 window = smcr_cursor_window(&view->peer_ring, view->sent,
					view->peer_cons);

	if (window && view->spare)
		window--;
	if (window && view->keep &&
	    (!view->urgent || view->urgent - view->sent > window))
		window--;
	return not_alone(view, window);
}

/**
 * smcr_tx_plan() - plan the writes that the window admits now
 * @view: the send side
 * @plan: result
 *
 * A write ends where the peer's ring wraps (4.7.4). With @view->spare, the last
 * byte of the window stays unused. After a move to another link (failover.c)
 * there is room then for one byte that the peer has not seen yet, and when the
 * peer has read that byte, it has validated the move.
 *
 * The reader must know the position of an urgent byte before it has read all
 * bytes in front, as it looks there whether it is at the mark. Only the message
 * with the urgent byte tells (4.7.5). So a plan does not end right before one,
 * and with @view->keep a full ring has room for one that follows. urgent.c has
 * the rest of the rule.
 *
 * To avoid silly windows, a peer that reads few bytes at a time must not cause
 * small writes. If the window, not the application, limits the plan to less
 * than a fifth of the ring, the plan is empty until the window is larger. The
 * peer reports that: its window is below half of the ring, so it sends an
 * update for each tenth of the ring that it reads (4.5.1). With B set it would
 * report each byte, which helps only if fewer bytes than a tenth of the ring
 * are left to write. So the plan sets B if it closes the window, or finds it
 * closed, and less than a tenth of the ring is left. If @view->max_bytes limits
 * the plan, the writer is not blocked by the window and B stays clear.
 *
 * Context: any, lock of the send side held.
 */
void smcr_tx_plan(const struct smcr_tx_view *view, struct smcr_tx_plan *plan)
{
	u64 queued = view->queued - view->sent, rest;
	struct smcr_tx_seg *seg = plan->seg;
	u32 window = usable(view);
	u64 pos = view->sent;
	u32 left;

	memset(plan, 0, sizeof(*plan));
	left = min_t(u64, queued, window);
	if (left < queued && !worthwhile(view, left) && !view->more)
		left = 0;
	plan->cut = left < queued;
	if (view->max_bytes)
		left = min_t(u32, left, view->max_bytes);
	left = not_alone(view, left);
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
	/* The plan is blocked if the rest would fit into the peer's ring before
	 * the peer's 10 % rule (4.5.1) reports the room.
	 */
	rest = view->queued - pos;
	plan->blocked = plan->bytes == window && rest &&
			rest * 10 < view->peer_ring.len;
	plan->announce = plan->nr_segs ||
			 (plan->blocked && !view->b_announced);
}

/* Merging of small writes
 *
 * Each message costs both hosts as much as tens of kilobytes do, so the pieces
 * of a program that writes faster than the adapter sends should leave together.
 * A message that is alone must not wait, nor should the second one, as many
 * programs send a header and then a body. So bytes wait behind two messages
 * that are not complete, or behind 128 KB or half a ring of them, and leave
 * together once a completion, or the peer's consumer cursor, has advanced @una.
 * A short rest that the window has cut off waits for one message only: the room
 * that lets it go wakes the writer as well, which adds the next bytes to it.
 * Few bytes wait for that writer, too. A program that writes as much as an
 * element holds leaves 4 to 6 of them behind each time, and alone they would
 * cost as much as the next write.
 *
 * Liveness: bytes wait only while a completion is to come for a position above
 * @una. It advances @una, and the caller looks at the bytes again. When the
 * link fails instead, the connection moves, and @signaled is @una. So a message
 * behind which bytes may have to wait requests a completion, if none is to
 * come. The first message of a burst, that is, one that is posted while all
 * bytes before it are complete and none waited, does so only if the window has
 * cut it off: a program that sends a request and waits for the answer would pay
 * for the completion and has no use for it. A timer limits the wait for a
 * writer, which may be kept from the processor.
 */

static bool burst_begins(const struct smcr_tx_burst *burst,
			 const struct smcr_tx_line *line)
{
	return line->una == line->nxt && !burst->waited;
}

/**
 * smcr_tx_burst_holds() - decide whether queued bytes wait for later ones
 * @burst: the last data messages
 * @line: positions
 * @ring_len: bytes of the peer's ring
 *
 * The caller may write the bytes all the same, and must if no later ones can
 * come. If it does not, it sets @burst->waited, and asks again when @line->una
 * has moved.
 *
 * Context: any, lock of the send side held.
 * Return: true if the bytes behind @line->nxt wait.
 */
bool smcr_tx_burst_holds(const struct smcr_tx_burst *burst,
			 const struct smcr_tx_line *line, u32 ring_len)
{
	u32 many = max_t(u32, 2 * SMCR_TX_BURST_WHOLE, ring_len / 2);
	u64 waiting = line->end - line->nxt;

	if (line->signaled <= line->una || waiting >= SMCR_TX_BURST_WHOLE)
		return false;
	if (burst->cut && waiting < ring_len / 4)
		return true;
	return burst->before > line->una || line->nxt - line->una >= many;
}

/**
 * smcr_tx_burst_leaves() - decide whether queued bytes are left to a writer
 *	that was woken because there is room again
 * @burst: the last data messages
 * @line: positions
 * @ring_len: bytes of the peer's ring
 *
 * They wait until it has written, and for some time at most.
 *
 * Context: any, lock of the send side held.
 * Return: true if the bytes behind @line->nxt wait.
 */
bool smcr_tx_burst_leaves(const struct smcr_tx_burst *burst,
			  const struct smcr_tx_line *line, u32 ring_len)
{
	return burst->cut && line->end - line->nxt <
	       max_t(u32, ring_len / 64, TX_BURST_FEW);
}

/**
 * smcr_tx_burst_asks() - decide whether the next message requests a completion
 *	for the sake of bytes that will wait behind it
 * @burst: the last data messages
 * @line: positions before the message
 * @plan: its writes
 *
 * Context: any, lock of the send side held.
 * Return: true if it does.
 */
bool smcr_tx_burst_asks(const struct smcr_tx_burst *burst,
			const struct smcr_tx_line *line,
			const struct smcr_tx_plan *plan)
{
	return plan->bytes && line->signaled <= line->una &&
	       (plan->cut || !burst_begins(burst, line));
}

/**
 * smcr_tx_burst_posted() - a data message was posted
 * @burst: the last data messages
 * @plan: its writes
 *
 * Context: any, lock of the send side held.
 */
void smcr_tx_burst_posted(struct smcr_tx_burst *burst,
			  const struct smcr_tx_plan *plan)
{
	burst->before = burst->last;
	burst->last = plan->sent;
	burst->waited = false;
	burst->cut = plan->cut;
}

/* R requests the consumer position (4.5.1)
 *
 * It is answered at once, also if the peer has the position already (A.4): the
 * answer shows that this end of the connection lives, whatever its program
 * does (tcp_watch.c). A request that tells the peer nothing new is answered a
 * second time when the next byte is read, since it is about that (failover.c).
 *
 * Any number of requests is answered by the next message, and no message that
 * only answers is a request, so two ends cannot keep each other busy.
 * smcr_tx_answer() limits how often a message goes out just for that.
 */

/**
 * smcr_tx_r_recv() - event: a message with R arrived; an answer is due
 * @r: requests of both ends
 *
 * Context: any, lock of the send side held.
 */
void smcr_tx_r_recv(struct smcr_tx_r *r)
{
	r->owed = true;
	r->wanted = true;
}

/**
 * smcr_tx_r_sets() - decide whether the next message has R set
 * @r: requests of both ends
 * @capped: a move to another link keeps a part of the peer's ring closed, and
 *	each message of this end asks (failover.c)
 * @news: the message has bytes, or a position that the peer does not have
 *
 * Two ends that have both moved would answer each other without end if a
 * message asked that only answers.
 *
 * Context: any, lock of the send side held.
 * Return: true if it has.
 */
bool smcr_tx_r_sets(const struct smcr_tx_r *r, bool capped, bool news)
{
	return r->ask || (capped && (news || !r->owed));
}

/**
 * smcr_tx_r_posted() - a message was posted
 * @r: requests of both ends
 * @told: it has a position that the peer did not have
 *
 * Context: any, lock of the send side held.
 */
void smcr_tx_r_posted(struct smcr_tx_r *r, bool told)
{
	r->ask = false;
	r->owed = false;
	if (told)
		r->wanted = false;
}

/**
 * smcr_rx_update_needed() - test whether the peer needs a consumer update
 * @view: the receive side
 *
 * A message of its own goes out if bytes were read since the last message and
 * the peer is blocked (B), waits for an urgent byte to be consumed or requested
 * an update (R), or if the window that the peer knows is below half of the ring
 * and would grow by a tenth of the ring or more (4.5.1). Each message with data
 * carries the consumer cursor, too.
 *
 * Context: any, lock of the receive side held.
 * Return: true if a CDC message must go out now.
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

/**
 * smcr_rx_update_overdue() - test whether bytes that came need an update
 * @view: the receive side
 *
 * smcr_rx_update_needed() is asked when bytes are read. While the peer knows of
 * half of the ring, they need no update, and the peer may fill its window then.
 * A reader that waits for more bytes than have come (SO_RCVLOWAT, MSG_PEEK)
 * reads none, and a sender that avoids silly windows waits for room: neither
 * would go on. With half of the ring unread, poll() reports the socket as
 * readable whatever SO_RCVLOWAT says.
 *
 * Context: any, lock of the receive side held.
 * Return: true if a CDC message must go out although no byte was read.
 */
bool smcr_rx_update_overdue(const struct smcr_rx_view *view)
{
	u64 unread = view->prod - view->cons;
	u32 window = smcr_cursor_window(&view->ring, view->prod, view->told);

	return (u64)window * 4 < view->ring.len &&
	       unread * 2 < view->ring.len && smcr_rx_update_needed(view);
}
