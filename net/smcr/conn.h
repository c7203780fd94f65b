/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A connection: one local and one remote RMB element, the positions in both,
 * and the token that names the connection in its link group.
 */
#ifndef _SMCR_CONN_H
#define _SMCR_CONN_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "absence.h"
#include "cdc_msg.h"
#include "conn_eof.h"
#include "conn_state.h"
#include "conn_tcp.h"
#include "cursor.h"
#include "failover.h"
#include "link.h"
#include "pause.h"
#include "rmb.h"
#include "smcr.h"
#include "tx.h"
#include "urgent.h"
#include "wire.h"

struct sock;
struct smcr_clc_accept;
struct smcr_lgr;
struct smcr_link;

/* Bits of smcr_conn.flags */
enum smcr_conn_flag {
	SMCR_CONN_F_TCP_EVENT,	/* the TCP connection ended or failed */
	SMCR_CONN_F_TCP_FIN,	/* TCP's FIN was seen */
	SMCR_CONN_F_TCP_DATA,	/* bytes arrived over TCP */
	SMCR_CONN_F_TCP_TICK,	/* TCP shall be looked at, see conn_tcp.c */
	SMCR_CONN_F_TCP_GONE,	/* the connection goes on without TCP */
	SMCR_CONN_F_TIMEOUT,	/* the close timer fired */
	SMCR_CONN_F_UNLINKED,	/* token returned, element returned or soon */
	SMCR_CONN_F_READING,	/* a reader copies from the element */
	SMCR_CONN_F_RETURNED,	/* element returned to its RMB */
	SMCR_CONN_F_WAITING,	/* on its link's list of connections that wait
				 * for a send slot
				 */
};

/* What a connection does once all accepted bytes are written (4.8.1, 3A) */
enum smcr_conn_flush {
	SMCR_CONN_FLUSH_NONE,	/* nothing */
	SMCR_CONN_FLUSH_DONE,	/* raise %SMCR_CONN_EV_FLUSH_DONE */
	SMCR_CONN_FLUSH_CLOSE,	/* raise %SMCR_CONN_EV_FLUSH_CLOSE */
};

/**
 * struct smcr_conn_rx - the receive side of a connection
 * @peer: positions and flags from the peer's CDC messages; its prod is also
 *	read without the lock, with smp_load_acquire()
 * @cons: bytes that the application has read; advanced under the outer sock
 *	lock and smcr_conn.lock, so either lock is enough to read it
 * @arrived: position up to which the CPU sees the bytes, see smcr_rx_arrive();
 *	ahead of @peer.prod while a message is parked
 * @ring: geometry of the local element; set by smcr_conn_start()
 * @rmb: RMB of the element; counted until the connection is freed
 * @idx: index of the element, 1..255
 * @buf: first byte of the element
 * @kept: position up to which bytes stay readable after a reset that found the
 *	stream unfinished: 0 unless it was a time-out without the local address.
 *	Set before smcr_conn.reset_err; then constant
 * @end: how the connection ended, which decides when the element may be used
 *	again; set before SMCR_CONN_F_UNLINKED
 * @final: the peer's D or C arrived before any reset. The bytes up to
 *	@peer.prod are the whole stream and stay readable whatever happens
 *	afterwards. Set after @peer.prod; read with smp_load_acquire(). Only
 *	a Linux peer that writes on after its end clears it: see cdc_invalid()
 * @spoilt: the element's eye catcher was overwritten, so its bytes cannot be
 *	trusted; set once, under the outer sock lock
 * @err_told: a reader got the errno of the stream's early end
 * @pause: no reader watches the link's completion queue, as one was late; like
 *	@err_told under the outer sock lock
 * @link: link that the last message came over, counted: the next one most
 *	likely comes over it, too. The first message after a move of the peer
 *	does not change it yet. It stays while there are @readers
 * @next: that link if it is another one than @link, counted, or NULL; also read
 *	without the lock
 * @readers: readers that wait and use @link meanwhile, so that none of them
 *	needs a reference of its own. They change it under the outer sock lock:
 *	upward under smcr_conn.lock as well, downward with a release
 * @eof: a held D or C of the peer
 * @urgent: the urgent byte
 * @fo: moves of the peer that are being validated
 * @parks: CDC messages are parked: until the local end of the handshake is done
 *	(3.5.2.4), and while the local address is away (addr.c)
 * @parked: @parked_msg waits for the end of that
 * @parked_msg: the newest CDC message that arrived meanwhile; its cursors are
 *	absolute, so it stands for all messages before it
 *
 * @rmb, @idx and @buf are set before the connection has a token, and then
 * constant. All else without a rule of its own is under smcr_conn.lock.
 */
struct smcr_conn_rx {
	struct smcr_cdc_rx	peer;
	u64			cons;
	u64			arrived;
	struct smcr_ring	ring;
	struct smcr_rmb		*rmb;
	u8			idx;
	u8			*buf;
	u64			kept;
	enum smcr_rmbe_end	end;
	bool			final;
	bool			spoilt;
	bool			err_told;
	struct smcr_pause	pause;
	struct smcr_link	*link;
	struct smcr_link	*next;
	u32			readers;
	struct smcr_conn_eof	eof;
	struct smcr_urgent_rx	urgent;
	struct smcr_failover_rx	fo;
	bool			parks;
	bool			parked;
	struct smcr_cdc_msg	parked_msg;
};

/**
 * struct smcr_conn - a connection
 * @refs: one for each owner: the creator, the token table, the socket, each
 *	send slot that carries its message, the queued @work, the link's wait
 *	list, each armed timer
 * @rcu: frees the connection after the RCU readers of the token table
 * @lgr: link group, counted until the connection is freed
 * @link: link that carries the connection's writes, counted; it changes under
 *	@lock when the connection moves (conn_move.c). Until smcr_conn_start()
 *	only the handshake changes it, so the handshake reads it without @lock
 * @id: number in traces and displays; unique on this host until 2^32
 *	connections later
 * @token: local alert token: slot | generation << 16 (A.2.3)
 * @peer_token: the peer's alert token
 * @lock: protects @fsm to @reset_err, @tx, @rx, @absence, @tcp and @last_una,
 *	but for the fields that name another rule; smcr.h has the lock order
 * @fsm: state in Figures 22 and 23; changed only by smcr_conn_end_event()
 * @flush: what follows once all accepted bytes are written
 * @actions: bits of enum smcr_conn_action that need process context; @work
 *	carries them out
 * @sk: outer socket, counted; NULL before smcr_conn_start() and after
 *	smcr_conn_detach()
 * @flags: bits of enum smcr_conn_flag, atomic
 * @await_fin: both ends sent C, and TCP stays open until the peer's FIN comes
 * @fin_first: our C was first, so our FIN is, too
 * @reset_reason: why the connection was reset; the first reason stays
 * @reset_err: errno of the reset for the application; also read without @lock
 * @tx: send side
 * @rx: receive side
 * @tcp: the TCP connection below
 * @wait_node: in the link's list of connections that wait for their turn; under
 *	the link's tx_lock
 * @turn_left: bytes that it may still post in its turn, see share.c; negative
 *	if its last turn had too many; likewise
 * @peer_rmb: RToken id of the peer's RMB, 0 once the connection has no claim
 *	to an element of it; under the group's rtoken_lock
 * @peer_idx: index of the peer's element; under the group's rtoken_lock
 * @peer_size: bytes of the peer's element
 * @charged: bytes charged to @sk for the local element; under the outer sock
 *	lock
 * @local: local address of TCP, IPv4 mapped; constant once @absence is in use
 * @absence: has it left the host? @absence.state is also read without the lock
 * @work: carries out the end of the connection in process context
 * @timer: close timer: waits for the peer's C, its A, its FIN or for progress
 *	of an orphan (4.8.1, 4.8.2)
 * @tx_timer: ends the wait for more bytes after 200 ms, as TCP's does, and the
 *	connection after TCP_USER_TIMEOUT, or when TCP would give up; sends an
 *	answer to R that had to wait; returns the chunk of an idle connection
 * @move_timer: opens the ring, or decides a move of the peer, some time after a
 *	link was left
 * @eof_timer: a held D or C of the peer waits, see conn_eof.c
 * @tcp_timer: TCP is looked at, see conn_tcp.c
 * @last_una: @tx.una when @timer was armed last, to see an orphan's progress
 */
struct smcr_conn {
	refcount_t		refs;
	struct rcu_head		rcu;
	struct smcr_lgr		*lgr;
	struct smcr_link	*link;
	u32			id;
	u32			token;
	u32			peer_token;

	spinlock_t		lock;
	struct smcr_conn_fsm	fsm;
	enum smcr_conn_flush	flush;
	u32			actions;
	bool			await_fin;
	bool			fin_first;
	struct sock		*sk;
	unsigned long		flags;
	enum smcr_reset_reason	reset_reason;
	int			reset_err;
	struct smcr_conn_tx	tx;
	struct smcr_conn_rx	rx;
	struct smcr_conn_tcp	tcp;
	struct list_head	wait_node;
	int			turn_left;

	u8			peer_rmb;
	u8			peer_idx;
	u32			peer_size;
	u32			charged;
	struct in6_addr		local;
	struct smcr_absence	absence;
	struct work_struct	work;
	struct timer_list	timer;
	struct timer_list	tx_timer;
	struct timer_list	move_timer;
	struct timer_list	eof_timer;
	struct timer_list	tcp_timer;
	u64			last_una;
};

struct smcr_conn * __must_check
smcr_conn_alloc(struct smcr_lgr *lgr, struct smcr_link *link, u32 sndbuf,
		work_func_t end_work);
struct smcr_conn *smcr_conn_get(struct smcr_conn *conn);
void smcr_conn_put(struct smcr_conn *conn);
int __must_check smcr_conn_elem_take(struct smcr_conn *conn, u32 size);
int __must_check smcr_conn_set_peer(struct smcr_conn *conn,
				    const struct smcr_link *link,
				    const struct smcr_clc_accept *msg,
				    bool may_add);
bool smcr_conn_may_charge(const struct sock *sk, u32 bytes);
int __must_check smcr_conn_charge(struct smcr_conn *conn, struct sock *sk,
				  u32 size);
void smcr_conn_uncharge(struct smcr_conn *conn, struct sock *sk);
int __must_check smcr_conn_start(struct smcr_conn *conn, struct sock *sk);
bool smcr_conn_size_valid(const struct smcr_lgr *lgr, u32 bytes);
bool __must_check smcr_conn_read_begin(struct smcr_conn *conn);
void smcr_conn_read_end(struct smcr_conn *conn);
void smcr_conn_unlink(struct smcr_conn *conn, enum smcr_rmbe_end end);
void smcr_conn_detach(struct smcr_conn *conn);

/* Events from the link layer */
void smcr_conn_sent(struct smcr_conn *conn, const struct smcr_link *link,
		    u64 pos, u16 seq);
void smcr_conn_tx_ready(struct smcr_conn *conn);
void smcr_conn_link_lost(struct smcr_conn *conn);
void smcr_conn_link_drained(struct smcr_conn *conn, u8 slot);
void smcr_conn_link_ready(struct smcr_conn *conn);

#endif /* _SMCR_CONN_H */
