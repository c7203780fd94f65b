/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work requests of one link: send slots, receive buffers, completions.
 */
#ifndef _SMCR_WR_H
#define _SMCR_WR_H

#include <linux/list.h>
#include <linux/types.h>

#include "chunk.h"
#include "wire_roce.h"

struct smcr_conn;
struct smcr_ibdev;
struct smcr_link;
struct ib_cq;
struct ib_mr;
struct wait_queue_entry;

/* Depths of the queues where the device allows them; powers of two. A receive
 * stays posted for each SEND that a peer which runs smcr can have outstanding.
 */
#define SMCR_WR_SQ_DEPTH	256u
#define SMCR_WR_RQ_DEPTH	512u
/* Scatter entries of one RDMA write, if the device allows so many. */
#define SMCR_WR_MAX_SGE		8u
/* RDMA writes that go out with one CDC message. */
#define SMCR_WR_MAX_WRITES	4u

/**
 * struct smcr_wr_sge - a range of local memory, mapped for the link's device
 * @dma: its DMA address
 * @vaddr: its CPU address, used when the write goes inline
 * @len: bytes
 */
struct smcr_wr_sge {
	u64	dma;
	void	*vaddr;
	u32	len;
};

/**
 * struct smcr_wr_write - one RDMA write
 * @raddr: the peer's virtual address
 * @rkey: the peer's RKey for it on this link
 * @n_sge: entries in @sge, 1..SMCR_WR_MAX_SGE
 * @sge: the local bytes
 */
struct smcr_wr_write {
	u64			raddr;
	u32			rkey;
	u32			n_sge;
	struct smcr_wr_sge	sge[SMCR_WR_MAX_SGE];
};

/**
 * struct smcr_wr_batch - RDMA writes and the CDC message that announces them
 * @conn: the connection; the batch's last send slot owns a reference
 * @pos: send position (bytes) that the end of this batch reaches
 * @bytes: bytes that @writes write
 * @seq: sequence number of the message
 * @n_writes: entries of @writes, may be zero if there is a message
 * @signal: ask for a completion, whatever the number of unsignaled requests
 * @message: a message follows the writes
 * @counts: the completion confirms @pos and @seq to the connection
 * @part: result of smcr_wr_post(): it failed, but a part of the requests was
 *	posted
 * @cdc: the encoded CDC message
 * @writes: the RDMA writes
 */
struct smcr_wr_batch {
	struct smcr_conn	*conn;
	u64			pos;
	u32			bytes;
	u16			seq;
	u32			n_writes;
	bool			signal;
	bool			message;
	bool			counts;
	bool			part;
	u8			cdc[SMCR_ROCE_MSG_LEN];
	struct smcr_wr_write	writes[SMCR_WR_MAX_WRITES];
};

/**
 * struct smcr_wr_probe - where the peer takes a full packet
 * @raddr: the peer's virtual address; at least 4096 bytes from there on are
 *	this connection's to write
 * @rkey: the peer's RKey for it
 */
struct smcr_wr_probe {
	u64	raddr;
	u32	rkey;
};

/**
 * struct smcr_wr_recv - a received LLC message, still in its receive slot
 * @list: for the queue of the layer above
 * @link: the link that received it, with a reference
 * @msg: its 44 bytes
 *
 * smcr_wr_recv_release() returns the slot to the receive queue. So a peer that
 * floods a group runs into its own RNR limit, and uses no more memory here.
 */
struct smcr_wr_recv {
	struct list_head	list;
	struct smcr_link	*link;
	u8			msg[SMCR_ROCE_MSG_LEN];
};

/**
 * struct smcr_wr_watch - a reader that may watch the completion queue of a link
 * @conn: its connection; only compared
 * @wait: its wait queue entry, on its socket's wait queue already, so that the
 *	softirq can wake it as well
 * @polled: it was woken and polled in time, perhaps before it was late
 * @late: it was woken and did not poll in time; valid once the watch has ended
 *
 * The reader keeps it in memory until smcr_wr_cq_unwatch() returns.
 */
struct smcr_wr_watch {
	const struct smcr_conn	*conn;
	struct wait_queue_entry	*wait;
	bool			polled;
	bool			late;
};

/**
 * struct smcr_wr_reg - registration of a memory region
 * @mr: the region; its rkey is the key to register
 * @done: called once, with 0 or -errno; softirq or BH disabled
 *
 * The caller keeps the structure in memory until @done is called.
 */
struct smcr_wr_reg {
	struct ib_mr	*mr;
	void		(*done)(struct smcr_wr_reg *reg, int err);
};

/* Setup and teardown; link.c calls them in the order that it documents */
bool smcr_wr_device_fits(const struct smcr_ibdev *dev);
void smcr_wr_device_log(const struct smcr_ibdev *dev);
int __must_check smcr_wr_init(struct smcr_link *link);
u32 smcr_wr_sq_depth(const struct smcr_link *link);
u32 smcr_wr_max_sge(const struct smcr_link *link);
void smcr_wr_limit_sends(struct smcr_link *link);
void smcr_wr_silence_limit(struct smcr_link *link, u8 timeout, u8 retries);
int __must_check smcr_wr_map(struct smcr_link *link);
int __must_check smcr_wr_drain(struct smcr_link *link);
void smcr_wr_flush(struct smcr_link *link);
void smcr_wr_unmap(struct smcr_link *link);
void smcr_wr_free(struct smcr_link *link);
int __must_check smcr_wr_recv_init(struct smcr_link *link);
u32 smcr_wr_rq_depth(const struct smcr_link *link);
int __must_check smcr_wr_post_recvs(struct smcr_link *link);
void smcr_wr_recv_close(struct smcr_link *link);
void smcr_wr_recv_unmap(struct smcr_link *link);
void smcr_wr_recv_free(struct smcr_link *link);
int __must_check smcr_wr_cq_init(struct smcr_link *link);
struct ib_cq *smcr_wr_cq_verbs(const struct smcr_link *link);
void smcr_wr_cq_close(struct smcr_link *link);
int __must_check smcr_wr_cq_destroy(struct smcr_link *link);
void smcr_wr_cq_free(struct smcr_link *link);

/* Sending */
u32 smcr_wr_max_bytes(const struct smcr_link *link);
int __must_check smcr_wr_post(struct smcr_link *link,
			      struct smcr_wr_batch *batch);
void smcr_wr_unwait(struct smcr_link *link, struct smcr_conn *conn);
int smcr_wr_post_fence(struct smcr_link *link);
struct smcr_chunk * __must_check
smcr_wr_chunk_get(struct smcr_link *link, enum smcr_chunk_kind kind);
bool smcr_wr_chunk_passed(struct smcr_link *link,
			  const struct smcr_chunk *chunk);
void smcr_wr_chunk_put(struct smcr_link *link, struct smcr_chunk *chunk);

u32 smcr_wr_sends(struct smcr_link *link);
void smcr_wr_handled(struct smcr_link *link, u32 sends);
void smcr_wr_consumed(struct smcr_link *link, const struct smcr_conn *conn,
		      u64 pos);

/* Control */
bool smcr_wr_may_answer(const struct smcr_link *link);
int __must_check smcr_wr_post_llc(struct smcr_link *link, const u8 *msg,
				  u32 cookie,
				  const struct smcr_wr_probe *probe);
int __must_check smcr_wr_post_reg(struct smcr_link *link,
				  struct smcr_wr_reg *reg);

/* Receiving */
void smcr_wr_recv_release(struct smcr_wr_recv *recv);
void smcr_wr_cq_seen(struct smcr_link *link, const struct smcr_conn *conn);
void smcr_wr_cq_watch(struct smcr_link *link, struct smcr_wr_watch *watch);
void smcr_wr_cq_poll(struct smcr_link *link, struct smcr_wr_watch *watch);
bool smcr_wr_cq_spin(struct smcr_link *link,
		     const struct smcr_wr_watch *watch);
void smcr_wr_cq_unwatch(struct smcr_link *link, struct smcr_wr_watch *watch);

#endif /* _SMCR_WR_H */
