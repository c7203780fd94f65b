/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sending: copies user bytes to send space and posts them as RDMA writes and
 * CDC messages.
 */
#ifndef _SMCR_TX_H
#define _SMCR_TX_H

#include <linux/list.h>
#include <linux/types.h>

#include "cursor.h"
#include "failover.h"
#include "tx_plan.h"
#include "urgent.h"

struct msghdr;
struct net;
struct smcr_chunk;
struct smcr_conn;
struct smcr_tx_seg;
struct smcr_wr_write;
struct sock;

/**
 * enum smcr_tx_mute - why a connection may post nothing
 * @SMCR_TX_MUTE_END: no message may go out any more, not even to another link
 * @SMCR_TX_MUTE_AWAY: the local address has left the host, see addr.c; an abort
 *	ends this, so that A can go out
 */
enum smcr_tx_mute {
	SMCR_TX_MUTE_END	= 1 << 0,
	SMCR_TX_MUTE_AWAY	= 1 << 1,
};

/**
 * struct smcr_conn_tx - the send side of a connection
 * @una: the peer's memory holds all bytes before this position for good, and
 *	their send space has been returned
 * @nxt: bytes before this position were posted as writes; the producer
 *	position in the last CDC message
 * @end: bytes before this position were copied to send space
 * @seq: sequence number of the last CDC message
 * @told: consumer position in the last CDC message
 * @ring: geometry of the peer's element; set by smcr_conn_start()
 * @raddr: address of byte 0 of the peer's element in the peer's memory
 * @rkey: remote key of the peer's RMB on smcr_conn.link
 * @size: bytes of send space: half of SO_SNDBUF, that is, the value that the
 *	program set. It changes under the outer sock lock and smcr_conn.lock,
 *	and is also read without them
 * @n_slots: entries of @chunk; enough for @size bytes and what chunks have
 *	before and behind. Both change only together, under these two locks, and
 *	never shrink
 * @in_use: bytes of the chunks in @chunk, and of one that send() is about to
 *	put there; they count against the namespace's limit, see tx_space.c
 * @chunk: send space. The byte at position p lies in the chunk in slot
 *	(p / SMCR_CHUNK_SIZE) % n_slots; a slot without bytes is NULL. A large
 *	chunk is in as many slots as it has bytes for. The sender fills the
 *	chunk of @end under the outer sock lock; smcr_tx_reclaim() empties the
 *	slots before @una under smcr_conn.lock, but leaves the chunk of @end
 *	while @filling is set
 * @signaled: position up to which a completion was requested or has arrived
 * @flags: those of D, C and A that the state machine ordered, and a C that
 *	conn_eof.c ordered before it; every message carries them
 * @final: the state machine's C, or A, was posted; no message may follow (A.4)
 * @due: a message must go out even if the window admits no bytes
 * @filling: a sender copies into the chunk of @end
 * @pressed: send() found no chunk, and none of the bytes under way has become
 *	complete since, nor has the time passed after which it looks again
 * @kept: the connection keeps its last chunk while no byte is outstanding, and
 *	the timer will look whether it has become idle
 * @emptied: jiffies when the last outstanding byte became complete
 * @merging: bytes wait to be merged with later ones, and a requested completion
 *	will have them looked at
 * @woken: a writer that had no room was woken, and has not written since
 * @hold: MSG_MORE or TCP_CORK: wait for more bytes
 * @hold_until: jiffies when that wait ends
 * @progress: jiffies when bytes were written or became complete last, or began
 *	to wait with none before them
 * @user_timeout: TCP_USER_TIMEOUT in jiffies, 0 for none
 * @patience: while the connection is away, jiffies for which TCP retransmits,
 *	otherwise 0
 * @blocked: the last message had B set
 * @r: requests for a consumer position
 * @answered: jiffies when R was answered last without news
 * @mute: bits of enum smcr_tx_mute; nothing is posted while one is set
 * @leave: post nothing new until all is confirmed, then move to a link with
 *	fewer connections
 * @left: bits of the slots of links that the connection has left and that are
 *	not drained yet, whose adapters may still read send space
 * @left_end: @end when the connection left a link last: the chunks up to there
 *	may be named by requests of that link
 * @held: chunks that wait until @left is empty
 * @burst: the last data messages, which decide whether bytes wait for later
 *	ones
 * @short_since: when there was no memory to map the send space for the new
 *	link's device, of get_jiffies_64(); 0 if there is
 * @urgent: the urgent byte
 * @fo: the move to another link
 *
 * All under smcr_conn.lock but for the bytes in the chunk of @end, and for @end
 * and @filling, which send() changes under the outer sock lock, under which it
 * also clears @woken. @una, @nxt, @pressed, @merging and @hold are also read
 * without smcr_conn.lock.
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
	u32			in_use;
	struct smcr_chunk	**chunk;
	u16			flags;
	bool			final;
	bool			due;
	bool			filling;
	bool			pressed;
	bool			kept;
	bool			merging;
	bool			woken;
	bool			hold;
	bool			blocked;
	unsigned long		emptied;
	struct smcr_tx_r	r;
	unsigned long		answered;
	u8			mute;
	bool			leave;
	unsigned long		hold_until;
	unsigned long		progress;
	unsigned long		user_timeout;
	unsigned long		patience;
	u8			left;
	u64			left_end;
	struct list_head	held;
	struct smcr_tx_burst	burst;
	u64			short_since;
	struct smcr_urgent_tx	urgent;
	struct smcr_failover_tx	fo;
};

void smcr_tx_init(struct smcr_conn *conn);
void smcr_tx_arm(struct smcr_conn *conn, unsigned long delay);
void smcr_tx_set_user_timeout(struct smcr_conn *conn, unsigned int msecs);
int __must_check smcr_tx_sendmsg(struct sock *sk, struct msghdr *msg,
				 size_t len);
void smcr_tx_pause(struct smcr_conn *conn, unsigned long patience);
void smcr_tx_resume(struct smcr_conn *conn);
void smcr_tx_push(struct smcr_conn *conn);
void smcr_tx_push_locked(struct smcr_conn *conn);
void smcr_tx_look(struct smcr_conn *conn);
void smcr_tx_request(struct smcr_conn *conn);
void smcr_tx_answer(struct smcr_conn *conn);
void smcr_tx_uncork(struct sock *sk);
u32 smcr_tx_unacked(struct smcr_conn *conn);
u32 smcr_tx_unsent(const struct smcr_conn *conn);

/* tx_space.c */
int __must_check smcr_tx_space_net_init(struct net *net);
void smcr_tx_space_net_exit(struct net *net);
int __must_check smcr_tx_space_check(struct net *net);
int __must_check smcr_tx_space_init(struct smcr_conn *conn, struct net *net,
				    u32 size);
void smcr_tx_space_resize(struct smcr_conn *conn, u32 size);
u32 smcr_tx_space(const struct smcr_conn *conn);
bool smcr_tx_writeable(const struct smcr_conn *conn);
int __must_check smcr_tx_copy(struct smcr_conn *conn, struct msghdr *msg,
			      u32 space);
void smcr_tx_copied(struct smcr_conn *conn, u32 n);
u32 smcr_tx_max_bytes(const struct smcr_conn *conn, u64 pos);
int __must_check smcr_tx_gather(struct smcr_conn *conn,
				struct smcr_wr_write *wr,
				const struct smcr_tx_seg *seg, u64 pos);
void smcr_tx_retry(struct smcr_conn *conn);
void smcr_tx_unkeep(struct smcr_conn *conn);
void smcr_tx_reclaim(struct smcr_conn *conn, u64 pos);
bool smcr_tx_may_leave(const struct smcr_conn *conn);
void smcr_tx_left(struct smcr_conn *conn, bool lost);
void smcr_tx_drained(struct smcr_conn *conn);
void smcr_tx_purge(struct smcr_conn *conn);

#endif /* _SMCR_TX_H */
