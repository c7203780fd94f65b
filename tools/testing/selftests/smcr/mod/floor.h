/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One end of a run, which the files of the module floor share: floor_main.c has
 * the order of things, floor_qp.c the verbs that set up and tear down,
 * floor_run.c what is measured.
 */
#ifndef _FLOOR_H
#define _FLOOR_H

#include <linux/completion.h>
#include <linux/if_ether.h>
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

enum floor_mode {
	FLOOR_RR,
	FLOOR_STREAM,
};

/* What each end tells the other over TCP; both run the same kernel */
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

/*
 * One end of a run. In positions of its own stream everything before @una is
 * with the peer, before @nxt written, before @end copied to send space;
 * @peer_cons is how far the peer has read. In those of the peer's stream @prod
 * is how far it has written, @cons how far this end has read, @told what the
 * peer knows of that. @signaled is the position that the last completion asked
 * for covers, @stop that the run was interrupted or failed. @lock protects all
 * from @una to @stats and is taken in softirq.
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
	struct ib_cqe		send_cqe, recv_cqe[FLOOR_RQ], reg_cqe;
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

/* floor_qp.c */
int floor_qp_set_up(struct floor *f);
int floor_qp_connect(struct floor *f);
void floor_qp_tear_down(struct floor *f);

/* floor_run.c */
int floor_run_prepare(struct floor *f);
int floor_run_measure(struct floor *f);
void floor_run_stop(struct floor *f, int err);

#endif /* _FLOOR_H */
