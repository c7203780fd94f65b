/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One end of a run, shared by the files of the module floor: floor_main.c has
 * the sequence of a run, floor_qp.c the verbs for setup and teardown,
 * floor_run.c the data path that is measured.
 */
#ifndef _FLOOR_H
#define _FLOOR_H

#include <linux/completion.h>
#include <linux/if_ether.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

struct socket;

#define FLOOR_MSG_LEN		44
#define FLOOR_SQ		256u
#define FLOOR_RQ		512u
#define FLOOR_RECV_BATCH	16u
#define FLOOR_STRIDE		64u
/* The reader of a stream asks for at least so many bytes */
#define FLOOR_READ_LEAST	65536u

enum floor_mode {
	FLOOR_RR,
	FLOOR_STREAM,
};

/* Sent by each end to the other over TCP, in the layout of the kernel that both
 * run
 */
struct floor_hello {
	u32	mode, size, ring, warm, count;
	u32	qpn, psn, mtu, rkey;
	u64	addr;
	u8	gid[16];
	u8	mac[ETH_ALEN];
};

struct floor_stats {
	u64	doorbells, requests, updates, send_cqes, recv_cqes, reposts;
};

/* One chain of requests. Its completion says that all requests before @head are
 * done and that the peer has all bytes before @pos.
 */
struct floor_sent {
	struct ib_cqe	cqe;
	u32		head;
	u64		pos;
};

/*
 * One end of a run. Positions in the stream that this end sends: the peer has
 * all bytes before @una, all bytes before @nxt are written, all bytes before
 * @end are copied to send space, and the peer has read all bytes before
 * @peer_cons. Positions in the peer's stream: the peer has written all bytes
 * before @prod, this end has read all bytes before @cons, and the peer knows
 * that about all bytes before @told. The last completion that was asked for
 * covers the bytes before @signaled. The slot of a chain's first request in the
 * send queue is also the chain's index in @sent. @stop is not zero if the run was
 * interrupted or has failed. @lock protects all fields from @una to @stats, and
 * @sent, and is taken in softirq.
 */
struct floor {
	bool			server;
	char			dev_name[IB_DEVICE_NAME_MAX];
	__be32			local, remote;
	u16			port;
	struct floor_hello	mine, peer;
	struct socket		*listener, *tcp;

	struct ib_device	*dev;
	const struct ib_gid_attr *gid;
	struct ib_pd		*pd;
	struct ib_cq		*cq;
	struct ib_qp		*qp;
	struct ib_mr		*mr;
	u32			max_inline;
	u8			*ring, *space, *msgs, *sends;
	u64			ring_dma, space_dma, msgs_dma, sends_dma;
	u32			size;
	unsigned long		user;
	struct floor_sent	sent[FLOOR_SQ];
	struct ib_cqe		recv_cqe[FLOOR_RQ], reg_cqe;
	struct ib_recv_wr	recv_wr[FLOOR_RECV_BATCH];
	struct ib_sge		recv_sge[FLOOR_RECV_BATCH];
	struct completion	reg_done;

	spinlock_t		lock;
	u64			una, nxt, end, peer_cons, told, prod, cons;
	u64			signaled;
	u32			head, tail, unsignaled;
	u32			n_free, free[FLOOR_RQ];
	bool			blocked, peer_blocked;
	int			stop;
	struct floor_stats	stats;
	wait_queue_head_t	wait;

	struct floor_stats	before;
	u64			ns, tsc;
	char			result[512];
};

static inline u32 floor_user_bytes(const struct floor *f)
{
	return max(f->mine.size, FLOOR_READ_LEAST);
}

/* floor_qp.c */
int floor_qp_set_up(struct floor *f);
int floor_qp_connect(struct floor *f);
void floor_qp_tear_down(struct floor *f);

/* floor_run.c */
int floor_run_prepare(struct floor *f);
int floor_run_measure(struct floor *f);
void floor_run_stop(struct floor *f, int err);

#endif /* _FLOOR_H */
