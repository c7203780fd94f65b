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
 * outstanding. Bytes are complete when a completion says so or when the peer's
 * consumer cursor has passed them: the peer has read them, and its queue pair
 * drops a late retransmission as a duplicate. So most sends need no completion.
 *
 * The namespace's limit counts the chunks in use, and at least one for each
 * connection. An idle connection has none, but may take one at any time. A
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

static void send_count(struct net *net, s64 chunks)
{
	percpu_counter_add_batch(&smcr_pernet(net)->send_bytes,
				 chunks * SMCR_CHUNK_SIZE, SPACE_BATCH);
}

/* Count a chunk, unless that exceeds the namespace's limit. */
static bool send_may_count(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);
	s64 limit = min_t(unsigned long, LONG_MAX,
			  READ_ONCE(sn->sysctl.max_send_bytes));

	if (__percpu_counter_compare(&sn->send_bytes, limit - SMCR_CHUNK_SIZE,
				     SPACE_BATCH) > 0)
		return false;
	send_count(net, 1);
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

static struct smcr_chunk **space_slot(struct smcr_conn *conn, u64 pos)
{
	u32 slot;

	div_u64_rem(pos / SMCR_CHUNK_SIZE, conn->tx.n_slots, &slot);
	return &conn->tx.chunk[slot];
}

/* Give back the chunk in @slot, which begins at or before @pos. If a link that
 * the connection has left may still read it, that waits for the link's drain,
 * and the chunk counts until then, in addition to the connection's one.
 */
static void space_drop(struct smcr_conn *conn, struct smcr_chunk **slot,
		       u64 pos)
{
	struct smcr_conn_tx *tx = &conn->tx;
	bool last;

	if (!*slot)
		return;
	last = !--tx->n_chunks;
	if (tx->left && round_down(pos, SMCR_CHUNK_SIZE) <= tx->left_end) {
		list_add(&(*slot)->list, &tx->held);
		if (last)
			send_count(conn->lgr->net, 1);
	} else {
		smcr_wr_chunk_put(conn->link, *slot);
		if (!last)
			send_count(conn->lgr->net, -1);
	}
	*slot = NULL;
}

static void space_drop_held(struct smcr_conn *conn)
{
	struct smcr_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &conn->tx.held, list) {
		list_del(&chunk->list);
		smcr_wr_chunk_put(conn->link, chunk);
		send_count(conn->lgr->net, -1);
	}
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
	if (sock && test_and_clear_bit(SOCK_NOSPACE, &sock->flags))
		sk->sk_write_space(sk);
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
	u64 chunk;

	lockdep_assert_held(&conn->lock);
	if (pos <= tx->una || WARN_ON_ONCE(pos > tx->nxt))
		return;
	for (chunk = round_down(tx->una, SMCR_CHUNK_SIZE);
	     chunk + SMCR_CHUNK_SIZE <= pos; chunk += SMCR_CHUNK_SIZE)
		space_drop(conn, space_slot(conn, chunk), chunk);
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
		space_drop(conn, space_slot(conn, pos), pos);
	if (tx->signaled < pos)
		tx->signaled = pos;
	space_wake(conn);
}

/* Count the slots for @size bytes, which may begin anywhere in a chunk. */
static u32 slots_for(u32 size)
{
	return DIV_ROUND_UP(size, SMCR_CHUNK_SIZE) + 1;
}

static struct smcr_chunk **slots_alloc(u32 n)
{
	return kcalloc(n, sizeof(struct smcr_chunk *), GFP_KERNEL);
}

/**
 * smcr_tx_space_init() - give a new connection its send space
 * @conn: the connection
 * @net: its namespace, in which one chunk of it counts from now on
 * @size: bytes that may wait to be sent; at least a chunk is taken
 *
 * Context: process.
 * Return: 0; -EDQUOT if the namespace's limit is reached; -ENOMEM.
 */
int smcr_tx_space_init(struct smcr_conn *conn, struct net *net, u32 size)
{
	struct smcr_conn_tx *tx = &conn->tx;

	if (!send_may_count(net)) {
		smcr_mib_inc(net, SMCR_MIB_SENDSPACEREFUSED);
		return -EDQUOT;
	}
	tx->size = max_t(u32, size, SMCR_CHUNK_SIZE);
	tx->n_slots = slots_for(tx->size);
	tx->chunk = slots_alloc(tx->n_slots);
	if (tx->chunk)
		return 0;
	send_count(net, -1);
	return -ENOMEM;
}

/* Put the chunks of the bytes from @una to @end into more slots. Returns the
 * old ones.
 */
static struct smcr_chunk **space_move(struct smcr_conn *conn,
				      struct smcr_chunk **slots, u32 n)
{
	struct smcr_conn_tx *tx = &conn->tx;
	struct smcr_chunk **old = tx->chunk;
	u64 pos = round_down(tx->una, SMCR_CHUNK_SIZE);
	u32 i;

	for (; pos <= tx->end; pos += SMCR_CHUNK_SIZE) {
		div_u64_rem(pos / SMCR_CHUNK_SIZE, n, &i);
		slots[i] = *space_slot(conn, pos);
	}
	tx->chunk = slots;
	tx->n_slots = n;
	return old;
}

/**
 * smcr_tx_space_resize() - change how many bytes may wait to be sent
 * @conn: the connection
 * @size: bytes; at least a chunk is taken. If more of them wait now, send()
 *	finds no room until enough of them are complete
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
	u32 i;

	for (i = 0; i < tx->n_slots; i++)
		if (tx->chunk[i])
			smcr_wr_chunk_put(conn->link, tx->chunk[i]);
	send_count(conn->lgr->net, -(s64)max(tx->n_chunks, 1u));
	space_drop_held(conn);
	kfree(tx->chunk);
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
		u32 off = pos & (SMCR_CHUNK_SIZE - 1);
		u32 len = min(left, SMCR_CHUNK_SIZE - off);
		struct smcr_chunk *chunk = *space_slot(conn, pos);
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

/* May the connection take a chunk? Its first one has been counted. */
static bool space_chunk_count(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;
	bool may;

	spin_lock_bh(&conn->lock);
	may = !tx->n_chunks || send_may_count(conn->lgr->net);
	if (may)
		tx->n_chunks++;
	else
		WRITE_ONCE(tx->pressed, true);
	spin_unlock_bh(&conn->lock);
	if (!may)
		smcr_mib_inc(conn->lgr->net, SMCR_MIB_SENDSPACEWAITS);
	return may;
}

/* There is no memory for the chunk that was counted. */
static void space_chunk_uncount(struct smcr_conn *conn)
{
	struct smcr_conn_tx *tx = &conn->tx;

	spin_lock_bh(&conn->lock);
	if (--tx->n_chunks)
		send_count(conn->lgr->net, -1);
	WRITE_ONCE(tx->pressed, true);
	spin_unlock_bh(&conn->lock);
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_TXCHUNKWAITS);
}

/* Take a chunk from the connection's link. Requests of that link may still name
 * it for an earlier user, so if the connection has moved meanwhile, the chunk
 * goes back, and the connection takes one from its new link.
 */
static void space_chunk_get(struct smcr_conn *conn, struct smcr_chunk **slot)
{
	struct smcr_chunk *chunk;
	struct smcr_link *link;
	bool fresh, moved;

	if (!space_chunk_count(conn))
		return;
	do {
		spin_lock_bh(&conn->lock);
		link = smcr_link_get(conn->link);
		spin_unlock_bh(&conn->lock);
		fresh = false;
		chunk = smcr_wr_chunk_get(link, GFP_KERNEL, &fresh);
		if (fresh)
			smcr_mib_inc(conn->lgr->net, SMCR_MIB_TXCHUNKALLOCS);
		spin_lock_bh(&conn->lock);
		moved = conn->link != link;
		if (!moved)
			*slot = chunk;
		spin_unlock_bh(&conn->lock);
		if (moved && chunk)
			smcr_wr_chunk_put(link, chunk);
		smcr_link_put(link);
	} while (moved);
	if (!chunk)
		space_chunk_uncount(conn);
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
		space_drop(conn, space_slot(conn, tx->end), tx->end);
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
	u32 off = tx->end & (SMCR_CHUNK_SIZE - 1);
	struct smcr_chunk **slot = space_slot(conn, tx->end);
	size_t len = min_t(size_t, space, SMCR_CHUNK_SIZE - off);
	int n = -ENOBUFS;

	len = min(len, msg_data_left(msg));
	space_fill(conn);
	if (!*slot)
		space_chunk_get(conn, slot);
	if (*slot)
		n = copy_from_iter_full((*slot)->vaddr + off, len,
					&msg->msg_iter) ? len : -EFAULT;
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
