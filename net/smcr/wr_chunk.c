// SPDX-License-Identifier: GPL-2.0
/*
 * Send space of one link.
 *
 * A peer's consumer cursor frees send space before a completion does. A lie in
 * it would have our adapter read a chunk that carries some other peer's bytes
 * by then. So such chunks stay with the link, whose connections all go to one
 * peer, until the requests that may name them are complete.
 *
 * Old bytes of a chunk do not leave the host: a scatter entry covers what was
 * copied for the connection that posts it, and nothing else of the chunk.
 */
#include <rdma/ib_verbs.h>

#include "ib.h"
#include "link.h"
#include "wr.h"
#include "wr_verbs.h"

/* Chunks that a link lets wait for a completion before it asks for one */
#define CHUNKS_WAIT		32u

/* Slot numbers have 32 bits, and a chunk may rest in the cache while they go
 * round. @passed follows the queue with each completion, so a number that lies
 * less than half a round from it is known in full.
 */
static u64 slot_64(const struct smcr_wr *wr, u32 slot)
{
	lockdep_assert_held(&wr->chunk_lock);
	return wr->passed + (s32)(slot - (u32)wr->passed);
}

/**
 * smcr_wr_chunk_get() - take a chunk of send space
 * @link: link it will be sent on
 * @gfp: how to allocate if none is free
 * @fresh: set if it was allocated
 *
 * Context: as @gfp allows; not hard irq.
 * Return: the chunk, or NULL if there is no memory or the device has gone.
 */
struct smcr_chunk *smcr_wr_chunk_get(struct smcr_link *link, gfp_t gfp,
				     bool *fresh)
{
	struct smcr_wr *wr = link->wr;
	struct smcr_chunk *chunk;

	spin_lock_bh(&wr->chunk_lock);
	chunk = list_first_entry_or_null(&wr->chunks, struct smcr_chunk, list);
	if (chunk) {
		list_del(&chunk->list);
		wr->n_chunks--;
	}
	spin_unlock_bh(&wr->chunk_lock);
	return chunk ?: smcr_ib_chunk_get(link->local.dev, gfp, fresh);
}

/**
 * smcr_wr_chunks_spill() - give chunks to the device's pool, oldest first
 * @wr: the send queue
 * @keep: chunks to keep; those that a request may still name stay as well
 *
 * Context: any but hard irq.
 * Return: chunks that stay.
 */
u32 smcr_wr_chunks_spill(struct smcr_wr *wr, u32 keep)
{
	struct smcr_chunk *chunk, *next;
	LIST_HEAD(spill);
	u32 tail, left;

	/* Pairs with slots_reclaim(): the device has read what it passed */
	tail = smp_load_acquire(&wr->tail);
	spin_lock_bh(&wr->chunk_lock);
	wr->passed = max(wr->passed, slot_64(wr, tail));
	while (wr->n_chunks > keep) {
		chunk = list_last_entry(&wr->chunks, struct smcr_chunk, list);
		if (!wr->drained && wr->passed < chunk->mark)
			break;
		list_move(&chunk->list, &spill);
		wr->n_chunks--;
	}
	left = wr->n_chunks;
	spin_unlock_bh(&wr->chunk_lock);
	list_for_each_entry_safe(chunk, next, &spill, list)
		smcr_ib_chunk_put(chunk);
	return left;
}

/**
 * smcr_wr_chunk_put() - give a chunk of send space back
 * @link: link whose requests may still name the chunk
 * @chunk: a chunk whose bytes the peer says it has
 *
 * The chunk serves other connections of the link at once, and other links only
 * when all requests posted so far are complete; see the top of this file.
 *
 * Context: any but hard irq; the connection's lock may be held.
 */
void smcr_wr_chunk_put(struct smcr_link *link, struct smcr_chunk *chunk)
{
	struct smcr_wr *wr = link->wr;
	bool drained, full;

	spin_lock_bh(&wr->chunk_lock);
	chunk->mark = slot_64(wr, READ_ONCE(wr->head));
	list_add(&chunk->list, &wr->chunks);
	wr->n_chunks++;
	drained = wr->drained;
	full = wr->n_chunks > CHUNKS_WAIT;
	spin_unlock_bh(&wr->chunk_lock);
	if (drained)
		smcr_wr_chunks_spill(wr, 0);
	else if (full && smcr_wr_chunks_spill(wr, SMCR_WR_CHUNKS_KEPT) >
		 CHUNKS_WAIT)
		smcr_wr_post_fence(link);
}
