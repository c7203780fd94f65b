/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two SMC-R peers over a simulated fabric. Each peer runs the real pure files
 * of net/smcr; what is here stands for the glue around them (conn_end.c, tx.c,
 * rx.c, cdc.c), for the adapters and for the network.
 *
 * All state is in one static structure, so a run is a function of its seed.
 */
#ifndef _SMCR_SIM_H
#define _SMCR_SIM_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conn_state.h"
#include "failover.h"
#include "rnd.h"
#include "rtoken.h"
#include "tx_plan.h"
#include "urgent.h"

/* The -b option replaces one rule by a mistake */
enum sim_mistake {
	BUG_NONE, BUG_F_IGNORED, BUG_NO_DRAIN, BUG_EARLY_CDC, BUG_SS_CURSOR, BUG_NO_CAP,
	BUG_EARLY_REUSE, BUG_URGENT_ONCE, BUG_URGENT_NO_LIMIT, BUG_NOT_BACK,
	BUG_MERGE_UNASKED, BUG_MERGE_FORGOTTEN, BUG_CORK_UNTIMED, BUG_WOKEN_UNTIMED,
	BUG_PART_UNTOLD, NR_BUGS,
};

/* Flags after which a peer says no more */
#define FINAL	(SMCR_CDC_C | SMCR_CDC_A)

#define PORTS		3
#define MAX_CONNS	6
#define RMBS		3
#define ELEMS		3
#define MAX_RING	40
#define QP_OPS		24
#define QP_RECVS	64
#define MAX_WIRES	40
#define MAX_STREAM	8192	/* bytes of a stream, at most */
#define RETRY		400	/* ticks until a dead path shows, at most */
#define CORK		100	/* ticks for which a program may hold bytes */
#define WOKEN		4	/* ticks for which bytes are left to a program that was woken */
#define NONE		0xFF

enum op_kind { OP_WRITE, OP_CDC };

/**
 * struct op - a work request
 * @kind: RDMA write, or a message
 * @signal: its completion is reported
 * @numbered: @seq is that of a CDC message; F has none
 * @conn: index of the connection
 * @uid: generation of the connection
 * @seq: sequence number of the CDC message
 * @rkey: key of the peer's RMB
 * @len: bytes in @data
 * @pos: position behind the batch
 * @vaddr: address in the peer's memory
 * @data: bytes to write, or the message
 */
struct op {
	u8 kind;
	bool signal;
	bool numbered;
	u8 conn;
	u32 uid;
	u16 seq;
	u32 rkey;
	u32 len;
	u64 pos;
	u64 vaddr;
	u8 data[SMCR_ROCE_MSG_LEN];
};

/* State of a queue pair; DEAD: drained, nothing lands any more */
enum qp_state { QP_RTS, QP_ERR, QP_DEAD };

/**
 * struct qp - one end of a wire
 * @state: its state
 * @deaf: the adapter acknowledged what it did not place, and is dead
 * @broken: it took a part of a chain, and takes no more
 * @op: send queue; the counters below are modulo QP_OPS
 * @posted: work requests posted
 * @landed: of these, placed in the peer's memory or receive queue
 * @acked: acknowledged
 * @seen: whose completion the host has handled
 * @unsignaled: posted since the last signaled one
 * @recv: messages received and not handled
 * @got: messages received
 * @handled: messages handled
 * @rkey: keys of the local RMBs on this queue pair
 * @vaddr: addresses of the local RMBs on this queue pair
 * @dead_at: when packets of this queue pair have died
 */
struct qp {
	u8 state;
	bool deaf;
	bool broken;
	struct op op[QP_OPS];
	u32 posted, landed, acked, seen;
	u32 unsignaled;
	u8 recv[QP_RECVS][SMCR_ROCE_MSG_LEN];
	u32 got, handled;
	u32 rkey[RMBS];
	u64 vaddr[RMBS];
	u64 dead_at;
};

/**
 * struct wire - a pair of queue pairs and the path between them
 * @used: it exists
 * @up: its path is up; once down, it stays down
 * @notice: when the ends notice that it is down
 * @qp: the two ends, by host
 */
struct wire {
	bool used;
	bool up;
	u64 notice[2];
	struct qp qp[2];
};

enum link_state { LNK_NONE, LNK_ACTIVE, LNK_FAILED };

/**
 * struct lnk - a link of a group, in the slot of one host
 * @state: its state
 * @num: link number
 * @wire: its wire
 * @port: port of each host
 */
struct lnk {
	u8 state;
	u8 num;
	u8 wire;
	u8 port[2];
};

enum elem_state { EL_FREE, EL_USED, EL_HELD };

/* URGENT: announced so, together with the byte. LATE: the byte may have been
 * announced, and read, as an ordinary one before
 */
enum sim_urgent { ORDINARY, LATE, URGENT };

struct elem {
	u8 state;
	u8 conn;
	u64 until;
	u8 mem[MAX_RING + SMCR_RMBE_EYE_LEN];
};

struct rmb {
	struct elem elem[ELEMS];
};

/* What follows once all bytes are written */
enum { FLUSH_NONE, FLUSH_DONE, FLUSH_CLOSE };

/**
 * struct conn - one end of a connection
 * @live: it exists: its element is not returned, or its C is not confirmed
 * @over: its element was returned
 * @uid: number of the connection, for both ends
 * @slot: slot of the link for its writes, or NONE
 * @rmb: RMB of its element
 * @el: the element
 * @peer_rmb: RToken id of the peer's RMB
 * @peer_el: element of the peer
 * @merging: the last look at the queued bytes left them to be merged with more
 * @corked: it left them because the program promised more
 * @leaving: it left them to a program that was woken
 * @stopped: it found no room in the send queue
 * @wants: the program found no room for its bytes
 * @cork_at: when the program's promise is over; 0 if the timer is not armed
 * @woken_at: the same for the time that a program has which was woken
 *
 * The rest is as in struct smcr_conn.
 */
struct conn {
	bool live, over;
	u32 uid;
	u8 slot;
	u8 rmb, el;
	u8 peer_rmb, peer_el;
	bool claimed;

	struct smcr_conn_fsm fsm;
	struct smcr_failover_tx fo_tx;
	struct smcr_failover_rx fo_rx;
	struct smcr_cdc_rx peer;
	struct smcr_ring ring, peer_ring;
	u64 una, nxt, end, told, signaled;
	u16 seq, flags;
	u8 flush;
	bool due, blocked, final, silent, mute, spare;
	u64 cons;
	u32 room;
	struct smcr_tx_r r;
	struct smcr_tx_burst burst;
	bool merging, corked, leaving, stopped, hold, wants, woken;
	u64 cork_at, woken_at;

	struct smcr_urgent_tx utx;
	struct smcr_urgent_rx urx;
	u64 oob;		/* position after the last byte that recv(MSG_OOB) took */
	u32 nr_marks;		/* urgent bytes that came */
	bool in_line;		/* SO_OOBINLINE is set */
	u8 urgent[MAX_STREAM];	/* of enum sim_urgent, of the bytes written */

	bool reset, ended, orphan, is_final;
	bool fin_due, fin_sent, rst_sent, fin_seen, rst_seen;
	bool lossy;		/* data may have been lost by an adapter */
	bool crowded;		/* the peer has moved too often */
	const char *why;
};

struct host {
	u8 id;
	bool dead;		/* the group has ended here */
	struct lnk link[SMCR_MAX_LINKS];
	struct rmb rmb[RMBS];
	struct smcr_rtoken_table tokens;
	struct smcr_rtoken token_mem[RMBS + 1];
	struct conn conn[MAX_CONNS];
};

struct sim {
	u64 rnd;
	u64 now;
	u32 step;
	u32 uid;
	u32 key;
	bool trace;
	u8 bug;			/* of enum sim_mistake */
	bool urgent;		/* programs send urgent bytes */
	enum smcr_dialect dialect;
	u8 ports[2];
	u8 next_num;
	struct wire wire[MAX_WIRES];
	struct host host[2];
	jmp_buf failed;
};

extern struct sim sim;
extern u64 sim_moves, sim_ghosts, sim_resets, sim_links, sim_bytes, sim_crowded, sim_steps,
	sim_drains, sim_urgents, sim_oobs, sim_merges, sim_corks, sim_leaves, sim_parts;

_Noreturn void sim_broken(const char *file, int line, const char *what);

#define HOLDS(cond)	do { if (!(cond)) sim_broken(__FILE__, __LINE__, #cond); } while (0)
#define TRACE(fmt, ...)							\
	do {								\
		if (sim.trace)						\
			printf("# %6llu " fmt "\n", sim.now, ##__VA_ARGS__); \
	} while (0)

static inline u32 rnd_below(u32 n)
{
	return rnd_next(&sim.rnd, n);
}

static inline bool one_in(u32 n)
{
	return !rnd_below(n);
}

static inline struct host *other(const struct host *h)
{
	return &sim.host[!h->id];
}

static inline struct conn *peer_of(const struct host *h, const struct conn *c)
{
	return &other(h)->conn[c - h->conn];
}

static inline struct qp *qp_of(const struct host *h, u8 slot)
{
	return &sim.wire[h->link[slot].wire].qp[h->id];
}

/* sim_fabric.c: wires, queue pairs, memory */
u8 wire_new(void);
void wire_cut(u8 wire);
void wire_step(u8 wire, u8 from);
bool wire_idle(void);
void wire_lie(u8 wire, u8 from);
void qp_break(struct host *h, u8 slot);
void qp_error(struct host *h, u8 slot);
bool qp_room(const struct host *h, u8 slot, u32 ops);
bool qp_asked(const struct host *h, u8 slot, const struct conn *c);
void qp_post(struct host *h, u8 slot, const struct op *op);
void qp_completions(struct host *h, u8 slot);
bool qp_receive(struct host *h, u8 slot);

/* sim_link.c: links of a host */
u8 link_by_wire(const struct host *h, u8 wire);
unsigned int links_active(const struct host *h);
void link_fail(struct host *h, u8 slot, const char *why);
bool link_drain(struct host *h, u8 slot);
bool link_asymmetric(const struct host *h, u8 slot);
void link_add(u8 port0, u8 port1);
void group_end(struct host *h, const char *why);

/* sim_conn.c: connections */
void conn_event(struct host *h, struct conn *c, enum smcr_conn_event ev);
u8 conn_byte_at(const struct host *writer, const struct conn *c, u64 pos);
u8 *conn_element(struct host *h, const struct conn *c);
u64 conn_consumed(const struct conn *c);
void conn_reset(struct host *h, struct conn *c, const char *why);
bool conn_urgent_due(const struct conn *c);
void conn_open(u8 i);
void conn_recv(struct host *h, u8 slot, const u8 *buf);
void conn_link_failed(struct host *h, u8 slot);
void conn_link_drained(struct host *h, u8 slot);
void conn_lost(struct host *h, struct conn *c);
void conn_timer(struct host *h, struct conn *c);
void conn_tcp(struct host *h, struct conn *c);
void conn_rebalance(struct host *h, struct conn *c);
void conn_timeout(struct host *h, struct conn *c);
bool conn_busy(const struct conn *c);
void conn_check_end(struct host *h, struct conn *c);

/* sim_tx.c: sending */
void conn_push(struct host *h, struct conn *c);
void conn_confirmed(struct host *h, u8 slot, const struct op *op);
void conn_reclaim(struct conn *c, u64 pos);
void conn_check_held(struct host *h, struct conn *c);

/* sim_app.c: programs */
void conn_write(struct host *h, struct conn *c, u32 len, bool urgent, bool more);
void conn_read_urgent(struct host *h, struct conn *c);
void conn_announced(struct host *h, struct conn *c);
void conn_read(struct host *h, struct conn *c, u32 len);
void conn_shutdown(struct host *h, struct conn *c);
void conn_close(struct host *h, struct conn *c);
void conn_abort(struct host *h, struct conn *c);

#endif
