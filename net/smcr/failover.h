/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a connection moves to another link of its group (RFC 7609, 4.6). Pure
 * functions over the two structures below; failover.c has the pictures.
 */
#ifndef _SMCR_FAILOVER_H
#define _SMCR_FAILOVER_H

#include "cdc_msg.h"
#include "tx_plan.h"

/* No link: none yet, or it is gone and drained */
#define SMCR_FAILOVER_NO_LINK	0xFF
/* Moves of the peer that may wait for a drain at the same time */
#define SMCR_FAILOVER_MOVES	3
/* smcr_failover_tx.cap while all positions are open */
#define SMCR_FAILOVER_OPEN	(~0ULL)

/**
 * struct smcr_failover_tx - send side of a connection that moves
 * @replay: next byte to replay; @mark or more if no replay is under way
 * @mark: producer position at the last move; the peer may have seen it, so no
 *	CDC message may carry a lower one
 * @low: lowest position whose write may still be under way on the present link.
 *	The consumer cursor may be beyond it: the peer may have read a copy that
 *	came over an earlier link
 * @part: position up to which the present link may write bytes that do not
 *	count as posted: it has failed within a chain of requests. 0 if it has
 *	not
 * @cap: no byte at this position or beyond may be written, because a write of
 *	a dead link may still hit its location in the ring
 * @until: time at which no write of a dead link can arrive any more: the retry
 *	time of its queue pair after the move, or some time after its drain
 * @ss: SS, the newest sequence number whose message a completion confirmed
 * @back: slot of the link that was left in order, until a message behind F is
 *	confirmed, or %SMCR_FAILOVER_NO_LINK
 * @f_due: F must be sent before all else
 * @settled: the peer has handled a message of the present link, or knows the
 *	link from the handshake, so its next drain is that of this link
 * @blind: the peer may drain another link than the dead one, so only @until
 *	lifts @cap
 *
 * Protected by smcr_conn.lock. Times are in any unit that the caller chooses.
 */
struct smcr_failover_tx {
	u64 replay;
	u64 mark;
	u64 low;
	u64 part;
	u64 cap;
	u64 until;
	u16 ss;
	u8 back;
	bool f_due;
	bool settled;
	bool blind;
};

/**
 * struct smcr_failover_move - a connection at the time of its move
 * @una: position up to which the peer's memory holds all bytes for good
 * @nxt: position up to which bytes were posted as writes at any time, but for
 *	smcr_failover_tx.part
 * @seq: sequence number of the last CDC message
 * @ring_len: bytes of the peer's ring
 * @until: time at which no write of the old link can arrive any more: now plus
 *	the retry time of its queue pair
 * @in_order: slot of the old link if that has not failed, and nothing is
 *	outstanding on it; else %SMCR_FAILOVER_NO_LINK
 * @silent: no byte may be written: A was sent, or the peer sent C or A
 */
struct smcr_failover_move {
	u64 una;
	u64 nxt;
	u16 seq;
	u32 ring_len;
	u64 until;
	u8 in_order;
	bool silent;
};

/**
 * enum smcr_failover_act - what a sender posts next
 * @SMCR_FAILOVER_SEND_F: the message of smcr_failover_tx_f(), alone
 * @SMCR_FAILOVER_REPLAY: writes that smcr_failover_tx_clip() bounds; a CDC
 *	message goes with them only if they reach smcr_failover_tx.mark, and
 *	without one their completion does not count
 * @SMCR_FAILOVER_GO_ON: anything; smcr_failover_tx_clip() bounds new writes
 */
enum smcr_failover_act {
	SMCR_FAILOVER_SEND_F,
	SMCR_FAILOVER_REPLAY,
	SMCR_FAILOVER_GO_ON,
};

/**
 * struct smcr_failover_stage - one move of the peer that is being validated
 * @link: slot of the link that its F came over
 * @gone: that link is drained; its slot may name another link now
 * @parked: a message came behind F
 * @lied: a message behind F announced data after D
 * @f_seq: sequence number of F
 * @first: sequence number of the first message behind F, if @parked
 * @nr: messages behind F
 * @msg: the newest of them, with the lasting flags of all of them
 * @deadline: time until which a move waits for the first message behind F, and
 *	for the messages that F confirms
 */
struct smcr_failover_stage {
	u8 link;
	bool gone;
	bool parked;
	bool lied;
	u16 f_seq;
	u16 first;
	u16 nr;
	struct smcr_cdc_msg msg;
	u64 deadline;
};

/**
 * struct smcr_failover_rx - receive side of a connection whose peer moves
 * @link: slot of the link that the last accepted message came over, at first
 *	the one that the handshake named, or %SMCR_FAILOVER_NO_LINK
 * @nr: moves in @stage
 * @bare: bits of links, by slot, over which a valid F came that no message
 *	followed in time: the peer has left such a link again, or a message will
 *	begin its move
 * @bare_seq: sequence numbers of these F, by slot
 * @ring: if the peer is a Linux host, the geometry of the local element;
 *	otherwise of length 0
 * @stage: moves of the peer that are not validated yet, oldest first
 *
 * Protected by smcr_conn.lock.
 */
struct smcr_failover_rx {
	u8 link;
	u8 nr;
	u8 bare;
	u16 bare_seq[SMCR_MAX_LINKS];
	struct smcr_ring ring;
	struct smcr_failover_stage stage[SMCR_FAILOVER_MOVES];
};

/**
 * enum smcr_failover_recv - what to do with a CDC message
 * @SMCR_FAILOVER_HANDLE: smcr_cdc_check() judges it
 * @SMCR_FAILOVER_HANDLE_NEW: likewise, with smcr_cdc_limits.new_link; if
 *	accepted, smcr_failover_rx_accepted() follows
 * @SMCR_FAILOVER_PARKED: kept; smcr_failover_rx_step() follows
 * @SMCR_FAILOVER_IGNORE: drop it
 * @SMCR_FAILOVER_LOST: data was lost: reset the connection
 * @SMCR_FAILOVER_OVERFLOW: the peer moves too often: fail the link that the
 *	message came over
 */
enum smcr_failover_recv {
	SMCR_FAILOVER_HANDLE,
	SMCR_FAILOVER_HANDLE_NEW,
	SMCR_FAILOVER_PARKED,
	SMCR_FAILOVER_IGNORE,
	SMCR_FAILOVER_LOST,
	SMCR_FAILOVER_OVERFLOW,
};

/**
 * enum smcr_failover_step - state of the oldest move
 * @SMCR_FAILOVER_NONE: no move is being validated
 * @SMCR_FAILOVER_WAIT: a message, a drain or the deadline decides
 * @SMCR_FAILOVER_DRAIN: likewise, and smcr_failover_rx.link must fail and drain
 * @SMCR_FAILOVER_RESET: data was lost, or the peer lied: reset the connection
 * @SMCR_FAILOVER_VALID: the move holds nothing back any more, and no message
 *	behind F is to be handled
 * @SMCR_FAILOVER_TAKE: the move is validated: handle the message behind F
 */
enum smcr_failover_step {
	SMCR_FAILOVER_NONE,
	SMCR_FAILOVER_WAIT,
	SMCR_FAILOVER_DRAIN,
	SMCR_FAILOVER_RESET,
	SMCR_FAILOVER_VALID,
	SMCR_FAILOVER_TAKE,
};

/**
 * struct smcr_failover_link - a link that a connection could move to
 * @slot: its slot in the group
 * @active: it is ACTIVE
 * @complete: the peer's RMB of the connection has an RToken on it
 * @back: the connection's link has failed, and this one is
 *	smcr_failover_tx.back
 * @asymmetric: it shares a port with another link at one end (2.2.1)
 * @nr_conns: connections that it carries
 */
struct smcr_failover_link {
	u8 slot;
	bool active;
	bool complete;
	bool back;
	bool asymmetric;
	u32 nr_conns;
};

void smcr_failover_tx_init(struct smcr_failover_tx *fo, bool known);
bool smcr_failover_tx_done(struct smcr_failover_tx *fo, u16 seq, u64 pos,
			   bool present);
void smcr_failover_tx_consumed(struct smcr_failover_tx *fo, u64 cons);
void smcr_failover_tx_part(struct smcr_failover_tx *fo, u64 pos);
bool smcr_failover_tx_move(struct smcr_failover_tx *fo,
			   const struct smcr_failover_move *move);
void smcr_failover_tx_drained(struct smcr_failover_tx *fo, u64 until);
enum smcr_failover_act smcr_failover_tx_act(struct smcr_failover_tx *fo,
					    u64 una);
void smcr_failover_tx_f(const struct smcr_failover_tx *fo, u32 token,
			struct smcr_cdc_msg *msg);
void smcr_failover_tx_clip(struct smcr_failover_tx *fo, u64 now,
			   struct smcr_tx_view *view);
void smcr_failover_tx_replayed(struct smcr_failover_tx *fo, u64 pos);
void smcr_failover_tx_silence(struct smcr_failover_tx *fo);
bool smcr_failover_tx_quiet(const struct smcr_failover_tx *fo, u16 seq);

void smcr_failover_rx_init(struct smcr_failover_rx *fo, u8 link);
void smcr_failover_rx_linux(struct smcr_failover_rx *fo,
			    const struct smcr_ring *ring);
enum smcr_failover_recv
smcr_failover_rx_recv(struct smcr_failover_rx *fo, const struct smcr_cdc_rx *rx,
		      u8 link, const struct smcr_cdc_msg *msg, bool others,
		      u64 deadline);
void smcr_failover_rx_accepted(struct smcr_failover_rx *fo, u8 link);
void smcr_failover_rx_drained(struct smcr_failover_rx *fo, u8 link);
enum smcr_failover_step
smcr_failover_rx_step(struct smcr_failover_rx *fo, const struct smcr_cdc_rx *rx,
		      u64 now, bool draining, unsigned int nr_links,
		      struct smcr_cdc_msg *msg);

int smcr_failover_pick(const struct smcr_failover_link *link, unsigned int nr);

#endif /* _SMCR_FAILOVER_H */
