// SPDX-License-Identifier: GPL-2.0
/*
 * Send chunks: the memory that send space consists of, and its mappings.
 *
 * Each device has a pool of free chunks that are mapped for it, so that a send
 * normally neither allocates nor maps. A chunk belongs to the connection that
 * took it. When the connection moves to a link of another device, the chunk is
 * mapped for that device as well, once a work request is to name it. The
 * further mappings go when the chunk returns to its pool.
 *
 * A device's list has all mappings for the device, of chunks that are free or
 * in use, so that the removal of the device unmaps them without waiting for the
 * connections. A chunk in use whose devices are all gone is memory, and no
 * more.
 */
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "chunk.h"
#include "ib.h"

/* Free chunks of each kind that a device keeps, in bytes. Beyond that, returned
 * chunks are freed.
 */
#define CHUNK_BYTES_KEPT	(16u << 20)

static unsigned int chunk_order(enum smcr_chunk_kind kind)
{
	return get_order(smcr_chunk_bytes(kind));
}

static void chunk_free(struct smcr_chunk *chunk)
{
	free_pages((unsigned long)chunk->vaddr, chunk_order(chunk->kind));
	kfree(chunk);
}

/* Map a chunk. Once the device has unmapped all chunks, none is mapped any
 * more, so the device exists here.
 */
static int chunk_map(struct smcr_chunk *chunk, struct smcr_chunk_map *map,
		     struct smcr_ibdev *dev)
{
	struct ib_device *ibdev = dev->ibdev;
	int err = -ENODEV;

	spin_lock_bh(&dev->chunk_lock);
	if (!dev->gone) {
		map->dma = ib_dma_map_single(ibdev, chunk->vaddr,
					     smcr_chunk_bytes(chunk->kind),
					     DMA_TO_DEVICE);
		err = ib_dma_mapping_error(ibdev, map->dma) ? -ENOMEM : 0;
	}
	if (!err) {
		map->dev = dev;
		map->len = smcr_chunk_bytes(chunk->kind);
		smcr_ib_dev_hold(dev);
		list_add(&map->all, &dev->chunk_maps);
	}
	spin_unlock_bh(&dev->chunk_lock);
	return err;
}

static void map_end(struct smcr_chunk_map *map)
{
	lockdep_assert_held(&map->dev->chunk_lock);
	list_del_init(&map->all);
	ib_dma_unmap_single(map->dev->ibdev, map->dma, map->len,
			    DMA_TO_DEVICE);
}

/* Drop the mappings for other devices than the chunk's own. */
static void chunk_unmap_others(struct smcr_chunk *chunk)
{
	struct smcr_chunk_map *map;
	struct smcr_ibdev *dev;

	while ((map = chunk->home.next)) {
		dev = map->dev;
		chunk->home.next = map->next;
		spin_lock_bh(&dev->chunk_lock);
		if (!dev->gone)
			map_end(map);
		spin_unlock_bh(&dev->chunk_lock);
		smcr_ib_dev_drop(dev);
		kfree(map);
	}
}

/**
 * smcr_chunk_new() - allocate a chunk of send space
 * @dev: device, kept at least by smcr_ib_dev_hold()
 * @kind: its size; a large one is not worth a wait for memory
 * @gfp: how to allocate
 *
 * The pages are not charged to a cgroup, since chunks pass from one user to the
 * next.
 *
 * Context: as @gfp allows; not hard irq.
 * Return: the chunk, or NULL if there is no memory or the device is gone.
 */
struct smcr_chunk *smcr_chunk_new(struct smcr_ibdev *dev,
				  enum smcr_chunk_kind kind, gfp_t gfp)
{
	struct smcr_chunk *chunk;
	struct page *page;

	gfp |= __GFP_NOWARN;
	chunk = kzalloc(sizeof(*chunk), gfp);
	if (!chunk)
		return NULL;
	chunk->kind = kind;
	/* It costs less to do without a large one than to compact memory */
	if (kind == SMCR_CHUNK_LARGE)
		gfp = (gfp | __GFP_NORETRY) & ~__GFP_DIRECT_RECLAIM;
	page = alloc_pages_node(dev->node, gfp, chunk_order(kind));
	if (!page) {
		kfree(chunk);
		return NULL;
	}
	chunk->vaddr = page_address(page);
	if (!chunk_map(chunk, &chunk->home, dev))
		return chunk;
	chunk_free(chunk);
	return NULL;
}

/**
 * smcr_chunks_init() - prepare a new device's pool
 * @dev: the device
 *
 * Context: process.
 */
void smcr_chunks_init(struct smcr_ibdev *dev)
{
	int i;

	spin_lock_init(&dev->chunk_lock);
	for (i = 0; i < SMCR_CHUNK_KINDS; i++)
		INIT_LIST_HEAD(&dev->chunks[i]);
	INIT_LIST_HEAD(&dev->chunk_maps);
}

/**
 * smcr_chunks_unmap() - unmap all chunks from a device, and free its pool
 * @dev: device that is being removed; the posting gates of its links are
 *	closed
 *
 * Whoever has found a gate open may still sync a chunk for the device, under
 * RCU (wr.c: writes_prepare()). After the wait for them nobody does.
 *
 * Context: process; sleeps.
 */
void smcr_chunks_unmap(struct smcr_ibdev *dev)
{
	struct smcr_chunk_map *map, *next_map;
	struct smcr_chunk *chunk, *next;
	LIST_HEAD(free);
	int i;

	synchronize_rcu();
	spin_lock_bh(&dev->chunk_lock);
	dev->gone = true;
	list_for_each_entry_safe(map, next_map, &dev->chunk_maps, all)
		map_end(map);
	for (i = 0; i < SMCR_CHUNK_KINDS; i++) {
		list_splice_init(&dev->chunks[i], &free);
		dev->n_free[i] = 0;
	}
	spin_unlock_bh(&dev->chunk_lock);
	list_for_each_entry_safe(chunk, next, &free, list) {
		smcr_ib_dev_drop(dev);
		chunk_free(chunk);
	}
}

/**
 * smcr_chunk_get() - take a free chunk of send space
 * @dev: device, kept at least by smcr_ib_dev_hold()
 * @kind: its size
 *
 * Context: any but hard irq; the connection's lock may be held.
 * Return: the chunk, or NULL if none is free.
 */
struct smcr_chunk *smcr_chunk_get(struct smcr_ibdev *dev,
				  enum smcr_chunk_kind kind)
{
	struct smcr_chunk *chunk;

	spin_lock_bh(&dev->chunk_lock);
	chunk = list_first_entry_or_null(&dev->chunks[kind], struct smcr_chunk,
					 list);
	if (chunk) {
		list_del(&chunk->list);
		dev->n_free[kind]--;
	}
	spin_unlock_bh(&dev->chunk_lock);
	return chunk;
}

/**
 * smcr_chunk_put() - give a chunk back to its device's pool
 * @chunk: a chunk that no posted work request names; another peer's bytes may
 *	be put into it next, see smcr_wr_chunk_put()
 *
 * Context: any but hard irq.
 */
void smcr_chunk_put(struct smcr_chunk *chunk)
{
	u32 most = CHUNK_BYTES_KEPT / smcr_chunk_bytes(chunk->kind);
	struct smcr_ibdev *dev = chunk->home.dev;
	bool keep;

	chunk_unmap_others(chunk);
	spin_lock_bh(&dev->chunk_lock);
	keep = !dev->gone && dev->n_free[chunk->kind] < most;
	if (keep) {
		list_add(&chunk->list, &dev->chunks[chunk->kind]);
		dev->n_free[chunk->kind]++;
	} else if (!dev->gone) {
		/* Unmap under the lock, so that removal waits for it */
		map_end(&chunk->home);
	}
	spin_unlock_bh(&dev->chunk_lock);
	if (keep)
		return;
	chunk_free(chunk);
	smcr_ib_dev_drop(dev);
}

static int chunk_map_more(struct smcr_chunk *chunk, struct smcr_ibdev *dev,
			  u64 *dma)
{
	struct smcr_chunk_map *map = kzalloc(sizeof(*map), GFP_ATOMIC);
	int err;

	if (!map)
		return -ENOMEM;
	err = chunk_map(chunk, map, dev);
	if (err) {
		kfree(map);
		return err;
	}
	map->next = chunk->home.next;
	chunk->home.next = map;
	*dma = map->dma;
	return 0;
}

/**
 * smcr_chunk_dma() - get a chunk's address for a device
 * @chunk: a chunk of which the caller is the only user
 * @dev: the device, kept at least by smcr_ib_dev_hold()
 * @dma: result: DMA address of the chunk
 *
 * Maps the chunk if it is not mapped for the device yet. A mapping ends when
 * the device is removed: then the address is of no use, and the posting gate
 * refuses the work request that has it.
 *
 * Context: any but hard irq.
 * Return: 0; -ENOMEM; -ENODEV if the device is gone.
 */
int smcr_chunk_dma(struct smcr_chunk *chunk, struct smcr_ibdev *dev, u64 *dma)
{
	struct smcr_chunk_map *map;

	for (map = &chunk->home; map; map = map->next) {
		if (map->dev == dev) {
			*dma = map->dma;
			return 0;
		}
	}
	return chunk_map_more(chunk, dev, dma);
}
