/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Send chunks: the memory that send space consists of.
 */
#ifndef _SMCR_CHUNK_H
#define _SMCR_CHUNK_H

#include <linux/list.h>
#include <linux/types.h>

struct smcr_ibdev;

/* Bytes of a small and of a large send chunk: powers of two. Where a page is
 * larger than a chunk, the chunk takes a page
 */
#define SMCR_CHUNK_SIZE		16384u
#define SMCR_CHUNK_LARGE_SIZE	65536u

enum smcr_chunk_kind {
	SMCR_CHUNK_SMALL,
	SMCR_CHUNK_LARGE,
	SMCR_CHUNK_KINDS,
};

static inline u32 smcr_chunk_bytes(enum smcr_chunk_kind kind)
{
	return kind == SMCR_CHUNK_LARGE ? SMCR_CHUNK_LARGE_SIZE :
					  SMCR_CHUNK_SIZE;
}

/**
 * struct smcr_chunk_map - mapping of a send chunk for one device
 * @all: in the device's list of all mappings, under its @chunk_lock
 * @dev: the device; the mapping owns a reference of its @mem
 * @dma: DMA address of the chunk, direction DMA_TO_DEVICE; it means nothing
 *	once the device is removed
 * @len: bytes of the chunk
 * @next: the next mapping of the chunk
 */
struct smcr_chunk_map {
	struct list_head	all;
	struct smcr_ibdev	*dev;
	u64			dma;
	u32			len;
	struct smcr_chunk_map	*next;
};

/**
 * struct smcr_chunk - a chunk of send space
 * @list: in the device's free list, in a link's cache, or in a connection's
 *	list of chunks that a link which it has left may still read
 * @vaddr: CPU address of its bytes
 * @kind: how many these are
 * @pos: for tx_space.c: send position of the first of them
 * @mark: for wr_chunk.c: the send queue's head when the chunk went to the
 *	link's cache; 0 in the device's pool, and after a move to another link
 * @home: mapping for the device that the chunk was allocated for, and to whose
 *	pool it returns; @home.next lists the mappings for other devices, made
 *	when a connection moved to one of their links. The chunk's user may
 *	change that list
 */
struct smcr_chunk {
	struct list_head	list;
	void			*vaddr;
	enum smcr_chunk_kind	kind;
	u64			pos;
	u64			mark;
	struct smcr_chunk_map	home;
};

void smcr_chunks_init(struct smcr_ibdev *dev);
void smcr_chunks_unmap(struct smcr_ibdev *dev);
struct smcr_chunk * __must_check
smcr_chunk_new(struct smcr_ibdev *dev, enum smcr_chunk_kind kind, gfp_t gfp);
struct smcr_chunk * __must_check
smcr_chunk_get(struct smcr_ibdev *dev, enum smcr_chunk_kind kind);
void smcr_chunk_put(struct smcr_chunk *chunk);
int __must_check smcr_chunk_dma(struct smcr_chunk *chunk,
				struct smcr_ibdev *dev, u64 *dma);

#endif /* _SMCR_CHUNK_H */
