/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Send chunks: the memory that send space consists of.
 */
#ifndef _SMCR_CHUNK_H
#define _SMCR_CHUNK_H

#include <linux/list.h>
#include <linux/types.h>

struct smcr_ibdev;

/* Bytes of one send chunk: a power of two and a multiple of PAGE_SIZE. */
#define SMCR_CHUNK_SIZE		16384u

/**
 * struct smcr_chunk_map - mapping of a send chunk for one device
 * @all: in the device's list of all mappings, under its @chunk_lock
 * @dev: the device; the mapping owns a reference of its @mem
 * @dma: DMA address of the chunk, direction DMA_TO_DEVICE; it means nothing
 *	once the device is removed
 * @next: the next mapping of the chunk
 */
struct smcr_chunk_map {
	struct list_head	all;
	struct smcr_ibdev	*dev;
	u64			dma;
	struct smcr_chunk_map	*next;
};

/**
 * struct smcr_chunk - a chunk of send space
 * @list: in the device's free list, in a link's cache, or in a connection's
 *	list of chunks that a link which it has left may still read
 * @vaddr: CPU address of SMCR_CHUNK_SIZE bytes
 * @mark: for wr_chunk.c: the send queue's head when the chunk went to the
 *	link's cache
 * @home: mapping for the device that the chunk was allocated for, and to whose
 *	pool it returns; @home.next lists the mappings for other devices, made
 *	when a connection moved to one of their links. The chunk's user may
 *	change that list
 */
struct smcr_chunk {
	struct list_head	list;
	void			*vaddr;
	u64			mark;
	struct smcr_chunk_map	home;
};

void smcr_chunks_init(struct smcr_ibdev *dev);
void smcr_chunks_unmap(struct smcr_ibdev *dev);
struct smcr_chunk * __must_check
smcr_chunk_get(struct smcr_ibdev *dev, gfp_t gfp, bool *fresh);
void smcr_chunk_put(struct smcr_chunk *chunk);
int __must_check smcr_chunk_dma(struct smcr_chunk *chunk,
				struct smcr_ibdev *dev, u64 *dma);

#endif /* _SMCR_CHUNK_H */
