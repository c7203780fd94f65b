// SPDX-License-Identifier: GPL-2.0
/*
 * Send space of one link.
 *
 * A peer's consumer cursor frees send space before a completion does. If the
 * peer lies about its cursor, the local adapter may still have to read a chunk
 * that is free already. Were it reused for another peer, the adapter would send
 * that peer's bytes to the liar. So a chunk stays with the link, whose
 * connections all go to the same peer, until the requests that may name it are
 * complete. For the same reason a connection does not leave a link that goes on
 * while requests of an earlier user may name a chunk which it has taken there:
 * its new link would not wait for them.
 *
 * Old bytes of a chunk never leave the host: a scatter entry covers only the
 * bytes that were copied for the connection that posts it.
 */
#include <rdma/ib_verbs.h>

#include "chunk.h"
#include "ib.h"
#include "link.h"
#include "wr.h"
#include "wr_verbs.h"

/* With more bytes of chunks a link asks for a completion, to free some */
#define CHUNK_BYTES_WAIT	(512u << 10)

/* Slot numbers have 32 bits, and may wrap while a chunk is in the link's cache.
 * So marks have 64 bits: @passed follows the queue's tail, and a slot number
 * that is less than 2^31 away from it has one 64-bit value.
 */
static u64 slot_64(const struct smcr_wr *wr, u32 slot)
{
	lockdep_assert_held(&wr->chunk_lock);
	return wr->passed + (s32)(slot - (u32)wr->passed);
}

/* The device has read all memory that requests before the tail name. */
static void passed_update(struct smcr_wr *wr)
{
	/* Pairs with the release in slots_reclaim() */
	u32 tail = smp_load_acquire(&wr->tail);

	lockdep_assert_held(&wr->chunk_lock);
	wr->passed = max(wr->passed, slot_64(wr, tail));
}

/**
 * smcr_wr_chunk_get() - take a free chunk of send space
 * @link: link that will send it
 * @kind: its size
 *
 * Context: any but hard irq; the connection's lock may be held.
 * Return: the chunk, or NULL if none is free.
 */
struct smcr_chunk *smcr_wr_chunk_get(struct smcr_link *link,
				     enum smcr_chunk_kind kind)
{
	struct smcr_wr *wr = link->wr;
	struct smcr_chunk *chunk;

	spin_lock_bh(&wr->chunk_lock);
	chunk = list_first_entry_or_null(&wr->chunks[kind], struct smcr_chunk,
					 list);
	if (chunk) {
		list_del(&chunk->list);
		wr->chunk_bytes -= smcr_chunk_bytes(kind);
	}
	spin_unlock_bh(&wr->chunk_lock);
	return chunk ?: smcr_chunk_get(link->local.dev, kind);
}

/* Move chunks of one kind to @spill, oldest first, until @keep bytes are left,
 * or a request may still name the next one.
 */
static void chunks_move(struct smcr_wr *wr, enum smcr_chunk_kind kind,
			u32 keep, struct list_head *spill)
{
	struct smcr_chunk *chunk;

	lockdep_assert_held(&wr->chunk_lock);
	while (wr->chunk_bytes > keep && !list_empty(&wr->chunks[kind])) {
		chunk = list_last_entry(&wr->chunks[kind], struct smcr_chunk,
					list);
		if (!wr->drained && wr->passed < chunk->mark)
			break;
		chunk->mark = 0;
		list_move(&chunk->list, spill);
		wr->chunk_bytes -= smcr_chunk_bytes(kind);
	}
}

/**
 * smcr_wr_chunks_spill() - return chunks to the device's pool, large ones first
 * @wr: the send queue
 * @keep: bytes to keep; chunks that a request may still name stay as well
 *
 * Context: any but hard irq.
 * Return: bytes of the chunks that stay.
 */
u32 smcr_wr_chunks_spill(struct smcr_wr *wr, u32 keep)
{
	struct smcr_chunk *chunk, *next;
	LIST_HEAD(spill);
	u32 left;

	spin_lock_bh(&wr->chunk_lock);
	passed_update(wr);
	chunks_move(wr, SMCR_CHUNK_LARGE, keep, &spill);
	chunks_move(wr, SMCR_CHUNK_SMALL, keep, &spill);
	left = wr->chunk_bytes;
	spin_unlock_bh(&wr->chunk_lock);
	list_for_each_entry_safe(chunk, next, &spill, list)
		smcr_chunk_put(chunk);
	return left;
}

/**
 * smcr_wr_chunk_passed() - are requests of a chunk's earlier users complete?
 * @link: the link whose connection has taken the chunk
 * @chunk: the chunk, in use since
 *
 * Context: any but hard irq; the connection's lock may be held.
 * Return: false while a request that was posted before the chunk went to the
 * link's cache is outstanding.
 */
bool smcr_wr_chunk_passed(struct smcr_link *link,
			  const struct smcr_chunk *chunk)
{
	struct smcr_wr *wr = link->wr;
	bool passed;

	spin_lock_bh(&wr->chunk_lock);
	passed_update(wr);
	passed = wr->drained || wr->passed >= chunk->mark;
	spin_unlock_bh(&wr->chunk_lock);
	return passed;
}

/**
 * smcr_wr_chunk_put() - give a chunk of send space back
 * @link: link whose requests may still name the chunk
 * @chunk: a chunk whose bytes the peer has consumed, as it says
 *
 * Other connections of the link may use the chunk at once, other links only
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
	list_add(&chunk->list, &wr->chunks[chunk->kind]);
	wr->chunk_bytes += smcr_chunk_bytes(chunk->kind);
	drained = wr->drained;
	full = wr->chunk_bytes > CHUNK_BYTES_WAIT;
	spin_unlock_bh(&wr->chunk_lock);
	if (drained)
		smcr_wr_chunks_spill(wr, 0);
	else if (full && smcr_wr_chunks_spill(wr, SMCR_WR_CHUNK_BYTES_KEPT) >
		 CHUNK_BYTES_WAIT)
		smcr_wr_post_fence(link);
}
