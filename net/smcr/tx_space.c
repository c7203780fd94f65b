// SPDX-License-Identifier: GPL-2.0
/*
 * Send space: the bytes that a program has sent, until the peer has them.
 *
 *                una          nxt            end
 *    ------------|------------|--------------|------------
 *      returned    written,     copied, not    free
 *                  not known    yet written
 *                  complete
 *
 * Send space consists of chunks of the device's pool. The chunk of position p
 * is in slot (p / SMCR_CHUNK_SIZE) % n_slots. It is taken when the first byte
 * is copied to it, and returned when @una has passed it or when no byte is
 * outstanding. If more bytes wait than a small chunk holds, and there is memory
 * for it, it is a large one, which is in several slots: a write then has fewer
 * scatter entries, and so can have more bytes.
 *
 * A request and its response leave no byte outstanding each time, and the links
 * and their locks are shared with other connections. So a connection whose
 * bytes are complete again and again within some milliseconds keeps its last
 * chunk, if it is a small one, until it has been idle for a moment. That one
 * counts for each connection anyway.
 *
 * Bytes are complete when a completion says so or when the peer's consumer
 * cursor has passed them: the peer has read them, and its queue pair drops a
 * late retransmission as a duplicate. So most sends need no completion.
 *
 * The namespace's limit counts the chunks in use, and at least a small one for
 * each connection. An idle connection has none, but may take one at any time. A
 * connection for whose one there is no room is not made, and while the limit is
 * reached, no connection takes a second one. send() then finds no room, as if
 * send space were full, until
 *
 *	bytes are complete. The connection has some, otherwise it would have no
 *	    chunk and could take one. From the refusal on, a completion is
 *	    requested for all that is written, so the connection goes on at the
 *	    pace at which its peer reads, with one chunk if need be.
 *	200 ms have passed. Others may have returned chunks, or there is memory
 *	    again, while a peer that does not read holds up this connection.
 *
 * The sender fills the chunk of @end, and changes @end and @filling, under the
 * outer sock lock, with or without conn->lock. All else is under conn->lock,
 * taken in process context and in softirq. Two pairs of barriers make this
 * safe:
 *
 *	smcr_tx_copy() sets @filling, then reads @una: may the chunk of @end go?
 *	smcr_tx_reclaim() advances @una, then reads @filling: is it in use?
 *	    One of them sees the other's store, so a chunk in use stays.
 *	smcr_tx_copied() advances @end, then clears @filling.
 *	smcr_tx_reclaim() reads @filling, then @end.
 *	    A chunk that has just got bytes is not taken for an empty one.
 */
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/percpu_counter.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "chunk.h"
#include "conn.h"
#include "conn_end.h"
#include "conn_move.h"
#include "lgr.h"
#include "link.h"
#include "mib.h"
#include "tx.h"
#include "tx_plan.h"
#include "wr.h"

/* Longest time that a packet is under way in the network */
#define TX_PACKET_LIFE	HZ
/* Bytes that a CPU adds to the namespace's count at once, so that senders on
 * different CPUs seldom write to the same cache line. Near the limit the sum of
 * all CPUs decides; each of them may exceed it by a chunk.
 */
#define SPACE_BATCH	((s32)(16 * SMCR_CHUNK_SIZE))
/* Longest time between two moments without an outstanding byte for which a
 * connection keeps its chunk, and the time for which it keeps it if no other
 * such moment comes
 */
#define SPACE_KEEP_GAP	msecs_to_jiffies(50)
#define SPACE_KEEP_TIME	msecs_to_jiffies(100)

static void send_count(struct net *net, s64 bytes)
{
	percpu_counter_add_batch(&smcr_pernet(net)->send_bytes, bytes,
				 SPACE_BATCH);
}

static bool send_fits(struct net *net, s64 bytes)
{
	struct smcr_net *sn = smcr_pernet(net);
	s64 limit = min_t(unsigned long, LONG_MAX,
			  READ_ONCE(sn->sysctl.max_send_bytes));

	return __percpu_counter_compare(&sn->send_bytes, limit - bytes,
					SPACE_BATCH) <= 0;
}

/* Count bytes, unless that exceeds the namespace's limit. */
static bool send_may_count(struct net *net, s64 bytes)
{
	if (!send_fits(net, bytes))
		return false;
	send_count(net, bytes);
	return true;
}

/**
 * smcr_tx_space_net_init() - prepare a namespace's count of send space
 * @net: the namespace
 *
 * Context: process, namespace init.
 * Return: 0 or -ENOMEM.
 */
int smcr_tx_space_net_init(struct net *net)
{
	return percpu_counter_init(&smcr_pernet(net)->send_bytes, 0,
				   GFP_KERNEL);
}

/**
 * smcr_tx_space_net_exit() - undo smcr_tx_space_net_init()
 * @net: the namespace, which has no connection any more
 *
 * Context: process, namespace exit.
 */
void smcr_tx_space_net_exit(struct net *net)
{
	percpu_counter_destroy(&smcr_pernet(net)->send_bytes);
}

static struct smcr_chunk **space_slot(const struct smcr_conn *conn, u64 pos)
{
	u32 slot;

	div_u64_rem(pos / SMCR_CHUNK_SIZE, conn->tx.n_slots, &slot);
	return &conn->tx.chunk[slot];
}

/* Bytes that count for a connection with @in_use bytes of chunks */
static s64 space_counted(u32 in_use)
{
	return max(in_use, SMCR_CHUNK_SIZE);
}

static bool space_use(struct smcr_conn *conn, u32 bytes)
{
	struct smcr_conn_tx *tx = &conn->tx;
	s64 more = space_counted(tx->in_use + bytes) -
		   space_counted(tx->in_use);

	lockdep_assert_held(&conn->lock);
	if (more && !send_may_count(conn->lgr->net, more))
		return false;
	tx->in_use += bytes;
	return true;
}

static void space_unuse(struct smcr_conn *conn, u32 bytes)
{
	struct smcr_conn_tx *tx = &conn->tx;
	s64 less = space_counted(tx->in_use) -
		   space_counted(tx->in_use - bytes);

	tx->in_use -= bytes;
	if (less)
		send_count(conn->lgr->net, -less);
}

static u64 chunk_end(const struct smcr_chunk *chunk)
{
	return chunk->pos + smcr_chunk_bytes(chunk->kind);
}

/* Give back a chunk. If a link that the connection has left may still read it,
 * that waits for the link's drain, and the chunk counts until then, whatever
 * else the connection uses.
 */
static void space_put(struct smcr_conn *conn, struct smcr_chunk *chunk)
{
	u32 bytes = smcr_chunk_bytes(chunk->kind);
	struct smcr_conn_tx *tx = &conn->tx;

	space_unuse(conn, bytes);
	if (tx->left && chunk->pos <= tx->left_end) {
		list_add(&chunk->list, &tx->held);
		send_count(conn->lgr->net, bytes);
	} else {
		smcr_wr_chunk_put(conn->link, chunk);
	}
}

/* Empty the slot of @pos, a multiple of SMCR_CHUNK_SIZE. With the last one that
 * has the chunk, the chunk goes back.
 */
static void slot_drop(struct smcr_conn *conn, u64 pos)
{
	struct smcr_chunk **slot = space_slot(conn, pos), *chunk = *slot;

	*slot = NULL;
	if (chunk && pos + SMCR_CHUNK_SIZE == chunk_end(chunk))
		space_put(conn, chunk);
}

/* Give back the chunk of @end, as no byte is outstanding. */
static void space_drop_last(struct smcr_conn *conn)
{
	u64 pos = round_down(conn->tx.end, SMCR_CHUNK_SIZE), end;

	if (!*space_slot(conn, pos))
		return;
	end = chunk_end(*space_slot(conn, pos));
	for (; pos < end; pos += SMCR_CHUNK_SIZE)
		slot_drop(conn, pos);
}

/* No byte is outstanding, and nobody copies to the chunk of @end: give it back,
 * or keep it for the next bytes.
 */
static void space_rest(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;
	const struct smcr_chunk *chunk = *space_slot(conn, tx->end);
	unsigned long gap = jiffies - tx->emptied;

	tx->emptied = jiffies;
	if (!chunk || chunk->kind != SMCR_CHUNK_SMALL || gap > SPACE_KEEP_GAP ||
	    (!tx->kept && smcr_conn_end_over(conn))) {
		space_drop_last(conn);
	} else if (!tx->kept) {
		tx->kept = true;
		smcr_tx_arm(conn, SPACE_KEEP_TIME);
	}
}

/**
 * smcr_tx_unkeep() - give back the chunk of a connection that is idle or over
 * @conn: the connection; nothing happens if it keeps none
 *
 * Context: any, conn->lock held.
 */
void smcr_tx_unkeep(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;
	unsigned long idle = jiffies - tx->emptied;

	lockdep_assert_held(&conn->lock);
	if (!tx->kept)
		return;
	if (idle < SPACE_KEEP_TIME && !smcr_conn_end_over(conn)) {
		smcr_tx_arm(conn, SPACE_KEEP_TIME - idle);
		return;
	}
	tx->kept = false;
	/* Pairs with the barrier in space_fill(): a sender that begins now
	 * waits for the lock
	 */
	if (!smp_load_acquire(&tx->filling) && tx->una == READ_ONCE(tx->end))
		space_drop_last(conn);
}

static void space_drop_held(struct smcr_conn *conn)
{
	struct smcr_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &conn->tx.held, list) {
		list_del(&chunk->list);
		send_count(conn->lgr->net,
			   -(s64)smcr_chunk_bytes(chunk->kind));
		smcr_wr_chunk_put(conn->link, chunk);
	}
}

/**
 * smcr_tx_may_leave() - may the connection leave a link that goes on?
 * @conn: connection of which no request is under way
 *
 * Context: any, conn->lock held.
 * Return: false while requests of others may name one of its chunks, which
 * would go from the new link to other peers without waiting for them.
 */
bool smcr_tx_may_leave(const struct smcr_conn *conn)
{
	u64 pos = round_down(conn->tx.una, SMCR_CHUNK_SIZE);
	u64 end = READ_ONCE(conn->tx.end);
	const struct smcr_chunk *chunk;

	lockdep_assert_held(&conn->lock);
	for (; pos <= end; pos += SMCR_CHUNK_SIZE) {
		chunk = *space_slot(conn, pos);
		if (chunk && !smcr_wr_chunk_passed(conn->link, chunk))
			return false;
	}
	return true;
}

/**
 * smcr_tx_left() - event: the connection leaves its link
 * @conn: the connection
 * @lost: requests of the link may name the chunks until it is drained;
 *	otherwise none does, see smcr_tx_may_leave()
 *
 * Context: any, conn->lock held.
 */
void smcr_tx_left(struct smcr_conn *conn, bool lost)
{
	struct smcr_conn_tx *tx = &conn->tx;
	u32 i;

	lockdep_assert_held(&conn->lock);
	if (lost) {
		tx->left |= BIT(conn->link->slot);
		tx->left_end = READ_ONCE(tx->end);
	}
	/* The marks are slot numbers of the old link */
	for (i = 0; i < tx->n_slots; i++)
		if (tx->chunk[i])
			tx->chunk[i]->mark = 0;
}

/**
 * smcr_tx_drained() - no link that the connection has left reads send space
 *	any more
 * @conn: the connection
 *
 * Context: any, conn->lock held.
 */
void smcr_tx_drained(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;

	lockdep_assert_held(&conn->lock);
	space_drop_held(conn);
	smcr_failover_tx_drained(&tx->fo, get_jiffies_64() + TX_PACKET_LIFE);
	if (tx->fo.cap != SMCR_FAILOVER_OPEN)
		smcr_conn_move_arm(conn, tx->fo.until);
}

/**
 * smcr_tx_space() - count the bytes that may still be copied to send space
 * @conn: the connection
 *
 * Context: any. Without the outer sock lock or conn->lock, the result is a
 * hint.
 * Return: bytes; 0 as well while there is no chunk for them.
 */
u32 smcr_tx_space(const struct smcr_conn *conn)
{
	u32 used = READ_ONCE(conn->tx.end) - READ_ONCE(conn->tx.una);
	u32 size = READ_ONCE(conn->tx.size);

	return used < size && !READ_ONCE(conn->tx.pressed) ? size - used : 0;
}

/**
 * smcr_tx_writeable() - test whether poll() reports the socket as writable
 * @conn: the connection
 *
 * A third of the space must be free, as with TCP, so that a writer is not
 * woken for a few bytes.
 *
 * Context: any.
 * Return: true if it does.
 */
bool smcr_tx_writeable(const struct smcr_conn *conn)
{
	return smcr_tx_space(conn) >= READ_ONCE(conn->tx.size) / 3;
}

/* Wake writers, but only if one found no room before: an edge-triggered poller
 * must not see an edge for each reclaimed byte.
 */
static void space_wake(struct smcr_conn *conn)
{
	struct sock *sk = conn->sk;
	struct socket *sock;

	lockdep_assert_held(&conn->lock);
	if (!sk || !smcr_tx_writeable(conn))
		return;
	rcu_read_lock();
	sock = READ_ONCE(sk->sk_socket);
	if (sock && test_and_clear_bit(SOCK_NOSPACE, &sock->flags)) {
		WRITE_ONCE(conn->tx.woken, true);
		sk->sk_write_space(sk);
	}
	rcu_read_unlock();
}

/**
 * smcr_tx_retry() - let send() look for a chunk again
 * @conn: the connection; nothing happens unless send() found no chunk
 *
 * Context: any, conn->lock held.
 */
void smcr_tx_retry(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;

	lockdep_assert_held(&conn->lock);
	if (!tx->pressed)
		return;
	WRITE_ONCE(tx->pressed, false);
	/* Pairs with the barriers of those who set SOCK_NOSPACE */
	smp_mb();
	space_wake(conn);
}

/**
 * smcr_tx_reclaim() - return the send space of complete bytes
 * @conn: the connection
 * @pos: all bytes before this position are complete
 *
 * Context: any, conn->lock held.
 */
void smcr_tx_reclaim(struct smcr_conn *conn, u64 pos)
{
	struct smcr_conn_tx *tx = &conn->tx;
	u64 at;

	lockdep_assert_held(&conn->lock);
	if (pos <= tx->una || WARN_ON_ONCE(pos > tx->nxt))
		return;
	for (at = round_down(tx->una, SMCR_CHUNK_SIZE);
	     at + SMCR_CHUNK_SIZE <= pos; at += SMCR_CHUNK_SIZE)
		slot_drop(conn, at);
	tx->progress = jiffies;
	WRITE_ONCE(tx->pressed, false);
	/* Pairs with the barrier in space_fill(): the slots are empty */
	smp_store_release(&tx->una, pos);
	/* Pairs with the barrier in space_fill(): is the chunk in use? */
	smp_mb();
	/* Pairs with the release in smcr_tx_copied(): if not, it may have got
	 * bytes
	 */
	if (!smp_load_acquire(&tx->filling) && pos == READ_ONCE(tx->end))
		space_rest(conn);
	if (tx->signaled < pos)
		tx->signaled = pos;
	space_wake(conn);
}

/* Is a large chunk half of @size bytes of send space at most? */
static bool size_takes_large(u32 size)
{
	return size >= 2 * SMCR_CHUNK_LARGE_SIZE;
}

/* Count the slots for @size bytes, which may begin anywhere in a slot, and for
 * the rest of the last chunk.
 */
static u32 slots_for(u32 size)
{
	return DIV_ROUND_UP(size, SMCR_CHUNK_SIZE) + 1 +
	       SMCR_CHUNK_LARGE_SIZE / SMCR_CHUNK_SIZE - 1;
}

static struct smcr_chunk **slots_alloc(u32 n)
{
	return kcalloc(n, sizeof(struct smcr_chunk *), GFP_KERNEL);
}

/**
 * smcr_tx_space_check() - is there send space for a new connection?
 * @net: its namespace
 *
 * Counts a refusal. What is there now may be gone when smcr_tx_space_init()
 * asks for it.
 *
 * Context: any.
 * Return: 0; -EDQUOT if the namespace's limit is reached.
 */
int smcr_tx_space_check(struct net *net)
{
	if (send_fits(net, space_counted(0)))
		return 0;
	smcr_mib_inc(net, SMCR_MIB_SENDSPACEREFUSED);
	return -EDQUOT;
}

/**
 * smcr_tx_space_init() - give a new connection its send space
 * @conn: the connection
 * @net: its namespace, in which a small chunk of it counts from now on
 * @size: bytes that may wait to be sent, at least SMCR_CHUNK_SIZE are taken
 *
 * Context: process.
 * Return: 0; -EDQUOT if the namespace's limit is reached; -ENOMEM.
 */
int smcr_tx_space_init(struct smcr_conn *conn, struct net *net, u32 size)
{
	struct smcr_conn_tx *tx = &conn->tx;

	if (!send_may_count(net, space_counted(0))) {
		smcr_mib_inc(net, SMCR_MIB_SENDSPACEREFUSED);
		return -EDQUOT;
	}
	tx->size = max_t(u32, size, SMCR_CHUNK_SIZE);
	tx->n_slots = slots_for(tx->size);
	tx->chunk = slots_alloc(tx->n_slots);
	if (tx->chunk)
		return 0;
	send_count(net, -space_counted(0));
	return -ENOMEM;
}

/* Put the chunks of the bytes from @una on into more slots. Returns the old
 * ones.
 */
static struct smcr_chunk **space_move(struct smcr_conn *conn,
				      struct smcr_chunk **slots, u32 n)
{
	struct smcr_conn_tx *tx = &conn->tx;
	struct smcr_chunk **old = tx->chunk;
	u64 pos = round_down(tx->una, SMCR_CHUNK_SIZE);
	u32 i, left;

	for (left = tx->n_slots; left; left--) {
		div_u64_rem(pos / SMCR_CHUNK_SIZE, n, &i);
		slots[i] = *space_slot(conn, pos);
		pos += SMCR_CHUNK_SIZE;
	}
	tx->chunk = slots;
	tx->n_slots = n;
	return old;
}

/**
 * smcr_tx_space_resize() - change how many bytes may wait to be sent
 * @conn: the connection
 * @size: bytes, at least SMCR_CHUNK_SIZE are taken. If more of them wait now,
 *	send() finds no room until enough of them are complete
 *
 * Without memory the connection keeps what it has: SO_SNDBUF cannot fail.
 *
 * Context: process, outer sock lock held, so nobody copies to send space.
 */
void smcr_tx_space_resize(struct smcr_conn *conn, u32 size)
{
	struct smcr_chunk **slots = NULL;
	u32 n;

	size = max_t(u32, size, SMCR_CHUNK_SIZE);
	n = slots_for(size);
	if (n > conn->tx.n_slots) {
		slots = slots_alloc(n);
		if (!slots)
			return;
	}
	spin_lock_bh(&conn->lock);
	if (slots)
		slots = space_move(conn, slots, n);
	WRITE_ONCE(conn->tx.size, size);
	space_wake(conn);
	spin_unlock_bh(&conn->lock);
	kfree(slots);
}

/**
 * smcr_tx_purge() - return all send space
 * @conn: connection whose last reference is gone, so that no sender and no
 *	posted write can still use the chunks
 *
 * Context: any.
 */
void smcr_tx_purge(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;
	u64 pos = round_down(tx->una, SMCR_CHUNK_SIZE);
	u32 left;

	for (left = tx->n_slots; left; left--) {
		slot_drop(conn, pos);
		pos += SMCR_CHUNK_SIZE;
	}
	space_drop_held(conn);
	send_count(conn->lgr->net, -space_counted(0));
	kfree(tx->chunk);
}

/**
 * smcr_tx_max_bytes() - count the bytes that one message may write
 * @conn: the connection
 * @pos: position of the first byte
 *
 * A write needs a scatter entry for each chunk that it touches.
 *
 * Context: any, conn->lock held.
 * Return: bytes from @pos on, with those behind @end in its chunk; 0 if @pos is
 * in no chunk.
 */
u32 smcr_tx_max_bytes(const struct smcr_conn *conn, u64 pos)
{
	u32 entries = smcr_wr_max_sge(conn->link);
	u64 end = READ_ONCE(conn->tx.end), at = pos;

	while (entries-- && at < end)
		at = chunk_end(*space_slot(conn, at));
	return min_t(u64, at - pos, smcr_wr_max_bytes(conn->link));
}

/**
 * smcr_tx_gather() - build the write of one segment from its chunks
 * @conn: the connection
 * @wr: result
 * @seg: the segment
 * @pos: position of its first byte
 *
 * Context: any, conn->lock held.
 * Return: 0, or -errno if a chunk cannot be mapped for the link's device.
 */
int smcr_tx_gather(struct smcr_conn *conn, struct smcr_wr_write *wr,
		   const struct smcr_tx_seg *seg, u64 pos)
{
	struct smcr_ibdev *dev = conn->link->local.dev;
	u32 left = seg->len;

	wr->raddr = conn->tx.raddr + seg->remote;
	wr->rkey = conn->tx.rkey;
	wr->n_sge = 0;
	while (left) {
		struct smcr_chunk *chunk = *space_slot(conn, pos);
		u32 off = pos - chunk->pos;
		u32 len = min_t(u64, left, chunk_end(chunk) - pos);
		struct smcr_wr_sge *sge = &wr->sge[wr->n_sge++];
		int err = smcr_chunk_dma(chunk, dev, &sge->dma);

		if (err)
			return err;
		sge->dma += off;
		sge->vaddr = chunk->vaddr + off;
		sge->len = len;
		pos += len;
		left -= len;
	}
	return 0;
}

/* Which chunk may the connection take for @len more bytes? Returns
 * SMCR_CHUNK_KINDS if none.
 */
static enum smcr_chunk_kind space_count(struct smcr_conn *conn, u32 len)
{
	enum smcr_chunk_kind kind = SMCR_CHUNK_KINDS;
	struct smcr_conn_tx *tx = &conn->tx;

	spin_lock_bh(&conn->lock);
	if (size_takes_large(tx->size) &&
	    tx->end - tx->una + len > SMCR_CHUNK_SIZE &&
	    space_use(conn, SMCR_CHUNK_LARGE_SIZE))
		kind = SMCR_CHUNK_LARGE;
	else if (space_use(conn, SMCR_CHUNK_SIZE))
		kind = SMCR_CHUNK_SMALL;
	else
		WRITE_ONCE(tx->pressed, true);
	spin_unlock_bh(&conn->lock);
	if (kind == SMCR_CHUNK_KINDS)
		smcr_mib_inc(conn->lgr->net, SMCR_MIB_SENDSPACEWAITS);
	return kind;
}

/* There is no memory for a chunk that was counted: a small one is next, or the
 * sender waits.
 */
static void space_uncount(struct smcr_conn *conn, enum smcr_chunk_kind kind)
{
	struct smcr_conn_tx *tx = &conn->tx;
	bool large = kind == SMCR_CHUNK_LARGE;

	spin_lock_bh(&conn->lock);
	if (large) {
		space_unuse(conn, SMCR_CHUNK_LARGE_SIZE - SMCR_CHUNK_SIZE);
	} else {
		space_unuse(conn, SMCR_CHUNK_SIZE);
		WRITE_ONCE(tx->pressed, true);
	}
	spin_unlock_bh(&conn->lock);
	smcr_mib_inc(conn->lgr->net, large ? SMCR_MIB_TXCHUNKSSMALLER :
					     SMCR_MIB_TXCHUNKWAITS);
}

static void space_add(struct smcr_conn *conn, struct smcr_chunk *chunk)
{
	u64 pos = round_down(conn->tx.end, SMCR_CHUNK_SIZE);

	lockdep_assert_held(&conn->lock);
	chunk->pos = pos;
	for (; pos < chunk_end(chunk); pos += SMCR_CHUNK_SIZE)
		*space_slot(conn, pos) = chunk;
}

/* Take a free chunk of the connection's link. Requests of that link may still
 * name it for an earlier user, so the connection must not move meanwhile. The
 * lock sees to that, and the link needs no further reference. A connection that
 * is about to move takes one of the device's pool, which nothing names. Returns
 * the device, with a reference to its structure, if none is free, and NULL
 * otherwise.
 */
static struct smcr_ibdev *space_take_free(struct smcr_conn *conn,
					  enum smcr_chunk_kind kind)
{
	struct smcr_ibdev *dev;
	struct smcr_chunk *chunk;

	spin_lock_bh(&conn->lock);
	dev = conn->link->local.dev;
	chunk = conn->tx.leave ? smcr_chunk_get(dev, kind) :
				 smcr_wr_chunk_get(conn->link, kind);
	if (chunk) {
		space_add(conn, chunk);
		dev = NULL;
	} else {
		smcr_ib_dev_hold(dev);
	}
	spin_unlock_bh(&conn->lock);
	return dev;
}

/* Take a chunk, or allocate one. No request names a new one, so it is right for
 * whatever link the connection has moved to meanwhile. If the device is removed
 * meanwhile, that is like a lack of memory: the sender tries again.
 */
static bool space_take(struct smcr_conn *conn, enum smcr_chunk_kind kind)
{
	struct smcr_ibdev *dev = space_take_free(conn, kind);
	struct smcr_chunk *chunk;

	if (!dev)
		return true;
	chunk = smcr_chunk_new(dev, kind, GFP_KERNEL);
	smcr_ib_dev_drop(dev);
	if (!chunk)
		return false;
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_TXCHUNKALLOCS);
	spin_lock_bh(&conn->lock);
	space_add(conn, chunk);
	spin_unlock_bh(&conn->lock);
	return true;
}

/* Take a chunk for the byte at @end, and at best for @len bytes from there on.
 */
static bool space_chunk_get(struct smcr_conn *conn, u32 len)
{
	enum smcr_chunk_kind kind = space_count(conn, len);

	if (kind == SMCR_CHUNK_LARGE) {
		if (space_take(conn, kind))
			return true;
		space_uncount(conn, kind);
		kind = SMCR_CHUNK_SMALL;
	}
	if (kind == SMCR_CHUNK_SMALL) {
		if (space_take(conn, kind))
			return true;
		space_uncount(conn, kind);
	}
	return false;
}

/* Keep the chunk of @end until smcr_tx_copied() or space_unfill(). */
static void space_fill(struct smcr_conn *conn)
{
	WRITE_ONCE(conn->tx.filling, true);
	/* Pairs with the barriers in smcr_tx_reclaim() */
	smp_mb();
	if (READ_ONCE(conn->tx.una) != conn->tx.end)
		return;
	/* The chunk may be on its way back. Behind the lock it is gone, or it
	 * stays.
	 */
	spin_lock_bh(&conn->lock);
	spin_unlock_bh(&conn->lock);
}

/* A copy has failed: the chunk of @end may go. */
static void space_unfill(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;

	spin_lock_bh(&conn->lock);
	WRITE_ONCE(tx->filling, false);
	if (tx->una == tx->end)
		space_drop_last(conn);
	spin_unlock_bh(&conn->lock);
}

/**
 * smcr_tx_copy() - copy a program's bytes to send space
 * @conn: the connection
 * @msg: the bytes
 * @space: result of smcr_tx_space(), not 0
 *
 * Copies to the end of a chunk at most, and nothing if one of the bytes cannot
 * be read. The bytes do not count before smcr_tx_copied().
 *
 * Context: process, outer sock lock held.
 * Return: bytes; -EFAULT; -ENOBUFS without memory or at the namespace's limit,
 * and smcr_tx_space() is 0 until smcr_tx_retry().
 */
int smcr_tx_copy(struct smcr_conn *conn, struct msghdr *msg, u32 space)
{
	struct smcr_conn_tx *tx = &conn->tx;
	struct smcr_chunk **slot = space_slot(conn, tx->end), *chunk;
	size_t len = min_t(size_t, space, msg_data_left(msg));
	int n = -ENOBUFS;

	space_fill(conn);
	if (*slot || space_chunk_get(conn, len)) {
		chunk = *slot;
		len = min_t(u64, len, chunk_end(chunk) - tx->end);
		n = copy_from_iter_full(chunk->vaddr + (tx->end - chunk->pos),
					len, &msg->msg_iter) ? len : -EFAULT;
	}
	if (n < 0)
		space_unfill(conn);
	return n;
}

/**
 * smcr_tx_copied() - count bytes that were copied to send space
 * @conn: the connection
 * @n: result of smcr_tx_copy()
 *
 * Context: process, outer sock lock held.
 */
void smcr_tx_copied(struct smcr_conn *conn, u32 n)
{
	struct smcr_conn_tx *tx = &conn->tx;

	/* Pairs with the acquire in tx_view() */
	smp_store_release(&tx->end, tx->end + n);
	/* Pairs with the acquire in smcr_tx_reclaim() */
	smp_store_release(&tx->filling, false);
}
