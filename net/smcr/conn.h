/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A connection: one pair of RMBEs, its cursors and its place in a link group.
 */
#ifndef _SMCR_CONN_H
#define _SMCR_CONN_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "cdc_msg.h"
#include "conn_state.h"
#include "cursor.h"
#include "rmb.h"
#include "smcr.h"
#include "wire.h"

struct sock;
struct smcr_chunk;
struct smcr_clc_accept;
struct smcr_lgr;
struct smcr_link;

/* Bits of smcr_conn.flags */
enum smcr_conn_flag {
	SMCR_CONN_F_TCP_EVENT,	/* the TCP connection ended or failed */
	SMCR_CONN_F_TCP_FIN,	/* its end, not its failure, was seen */
	SMCR_CONN_F_TCP_RST,	/* its failure was seen */
	SMCR_CONN_F_TCP_DATA,	/* bytes came over it */
	SMCR_CONN_F_TIMEOUT,	/* the close timer fired */
	SMCR_CONN_F_UNLINKED,	/* token given back, element too or soon */
	SMCR_CONN_F_READING,	/* a reader copies from the element */
	SMCR_CONN_F_RETURNED,	/* element given back */
	SMCR_CONN_F_WAITING,	/* on a link's list of senders without a slot */
};

/**
 * struct smcr_conn_tx - sending, under smcr_conn.lock but for @end's bytes
 * @una: everything before is in the peer's memory for good; its send space
 *	has been returned
 * @nxt: written up to here; the producer position last announced
 * @end: the application's bytes are in send space up to here
 * @seq: sequence number of the last CDC message that carried one
 * @told: consumer position in the last CDC message
 * @ring: the peer's element
 * @raddr: the peer's address of byte 0 of its element, on the link in use
 * @rkey: key for it
 * @size: bytes of send space (SO_SNDBUF's half, as the program set it)
 * @n_slots: entries of @chunk; n_slots * SMCR_CHUNK_SIZE >= size + a chunk
 * @chunk: send space; byte p lies in slot (p / SMCR_CHUNK_SIZE) % n_slots.
 *	NULL where no byte is. Filled at @end by the sender under the sock
 *	lock, emptied behind @una under smcr_conn.lock; the chunk of @end is
 *	left alone while @filling
 * @signaled: position covered by the last completion that was asked for
 * @flags: D, C and A as far as they are ordered; in every message
 * @final: C or A is out: nothing may follow it (A.4)
 * @due: a message must go out whatever the window says
 * @filling: a sender copies into the chunk of @end
 * @hold: MSG_MORE or TCP_CORK: wait for more bytes
 * @n_sleepers: senders that wait for room in a blocking call
 * @blocked: the last message said B
 * @wanted: the peer asked for a consumer update with R, and none was sent
 */
struct smcr_conn_tx {
	u64			una;
	u64			nxt;
	u64			end;
	u64			told;
	u64			signaled;
	u16			seq;
	struct smcr_ring	ring;
	u64			raddr;
	u32			rkey;
	u32			size;
	u32			n_slots;
	struct smcr_chunk	**chunk;
	u16			flags;
	bool			final;
	bool			due;
	bool			filling;
	bool			hold;
	u32			n_sleepers;
	bool			blocked;
	bool			wanted;
};

/* What a connection does once its accepted bytes are out (4.8.1, 3A). */
enum smcr_conn_flush {
	SMCR_CONN_FLUSH_NONE,
	SMCR_CONN_FLUSH_DONE,
	SMCR_CONN_FLUSH_CLOSE,
};

/**
 * struct smcr_conn_rx - receiving, under smcr_conn.lock
 * @peer: what was accepted from the peer's CDC messages
 * @cons: bytes the application has read; advanced under the sock lock and
 *	smcr_conn.lock, so either is enough to read it
 * @ring: our element
 * @rmb: the RMB, with a reference while the element is taken
 * @idx: index of the element, 1..255
 * @buf: the element's first byte
 * @end: how the element is given back, set before SMCR_CONN_F_UNLINKED
 * @final: the peer's D or C came before any reset: the bytes up to @peer.prod
 *	are the whole stream, and stay readable whatever happens. Set once,
 *	after @peer.prod; read with smp_load_acquire()
 * @spoilt: somebody overwrote the element: its bytes cannot be trusted
 * @err_told: a reader was told that the stream ended early; under the sock
 *	lock
 * @parked: a CDC message came before the connection was ready (3.5.2.4)
 * @parked_msg: the newest of them; cursors are absolute, so it says it all
 */
struct smcr_conn_rx {
	struct smcr_cdc_rx	peer;
	u64			cons;
	struct smcr_ring	ring;
	struct smcr_rmb		*rmb;
	u8			idx;
	u8			*buf;
	enum smcr_rmbe_end	end;
	bool			final;
	bool			spoilt;
	bool			err_told;
	bool			parked;
	struct smcr_cdc_msg	parked_msg;
};

/**
 * struct smcr_conn - a connection
 * @refs: owners: the token table, the socket, each send slot, each queued
 *	work, the link's wait list, an armed timer
 * @rcu: the token table is read under RCU
 * @lgr: the group, counted until the last reference is gone
 * @link: link used for writing, counted likewise
 * @link_slot: its slot in the group
 * @id: number for traces and displays, unique in the namespace's life
 * @token: our alert token: slot | generation << 16 (A.2.3)
 * @peer_token: the peer's
 * @lock: see the lock order in smcr.h
 * @fsm: Figures 22 and 23; changed only by smcr_close_event()
 * @flush: what follows when all accepted bytes are written
 * @actions: enum smcr_conn_action that need process context; done by @work
 * @sk: outer socket, counted; NULL once the application's side is gone
 * @flags: enum smcr_conn_flag, atomic bits
 * @await_fin: closed by both, us second: the peer ends TCP
 * @reset_reason: why it was reset, once
 * @reset_err: errno for the application
 * @tx: sending
 * @rx: receiving
 * @wait_node: in the link's list of connections without a send slot
 * @peer_rmb: rtoken id of the peer's RMB, 0 if its element is not ours; under
 *	the group's rtoken_lock
 * @peer_idx: the peer's element
 * @peer_size: its bytes
 * @charged: bytes charged to @sk for the element
 * @work: close and reset work; process context
 * @timer: FIN-wait-like timers of 4.8.1 and 4.8.2
 * @cork_timer: ends the wait for more bytes, as TCP's does after 200 ms
 * @last_una: @tx.una when the orphan timer was set, to see progress
 */
struct smcr_conn {
	refcount_t		refs;
	struct rcu_head		rcu;
	struct smcr_lgr		*lgr;
	struct smcr_link	*link;
	u8			link_slot;
	u32			id;
	u32			token;
	u32			peer_token;

	spinlock_t		lock;
	struct smcr_conn_fsm	fsm;
	enum smcr_conn_flush	flush;
	u32			actions;
	bool			await_fin;
	struct sock		*sk;
	unsigned long		flags;
	enum smcr_reset_reason	reset_reason;
	int			reset_err;
	struct smcr_conn_tx	tx;
	struct smcr_conn_rx	rx;
	struct list_head	wait_node;

	u8			peer_rmb;
	u8			peer_idx;
	u32			peer_size;
	u32			charged;
	struct work_struct	work;
	struct timer_list	timer;
	struct timer_list	cork_timer;
	u64			last_una;
};

struct smcr_conn *smcr_conn_alloc(struct smcr_lgr *lgr, struct smcr_link *link,
				  u32 sndbuf);
struct smcr_conn *smcr_conn_get(struct smcr_conn *conn);
void smcr_conn_put(struct smcr_conn *conn);
int smcr_conn_elem_take(struct smcr_conn *conn, u32 size);
int smcr_conn_set_peer(struct smcr_conn *conn,
		       const struct smcr_clc_accept *msg, bool may_add);
bool smcr_conn_may_charge(const struct sock *sk, u32 bytes);
int smcr_conn_charge(struct smcr_conn *conn, struct sock *sk, u32 size);
void smcr_conn_uncharge(struct smcr_conn *conn, struct sock *sk);
int smcr_conn_start(struct smcr_conn *conn, struct sock *sk);
bool smcr_conn_size_valid(const struct smcr_lgr *lgr, u32 bytes);
bool smcr_conn_read_begin(struct smcr_conn *conn);
void smcr_conn_read_end(struct smcr_conn *conn);
void smcr_conn_unlink(struct smcr_conn *conn, enum smcr_rmbe_end end);
void smcr_conn_detach(struct smcr_conn *conn);

/* Events from the link layer, softirq */
void smcr_conn_sent(struct smcr_conn *conn, u64 pos);
void smcr_conn_tx_ready(struct smcr_conn *conn);

#endif /* _SMCR_CONN_H */
