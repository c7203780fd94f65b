// SPDX-License-Identifier: GPL-2.0
/*
 * Connections: allocation, binding to a link group and a socket, lifetime.
 *
 * Holders of a pointer to a connection, each with a counted reference:
 *
 *   the group's token table	until smcr_conn_unlink()
 *   the connection's socket	until smcr_conn_detach()
 *   a send slot of its link	until the slot's work request is known to be
 *				complete, at the latest when the link is drained
 *   its work, its timers	while queued or armed
 *   the link's wait list	until a slot is free, or the link is drained
 *   the CQ handler		during one message, found under RCU
 *
 * The last reference may be dropped in any context. It frees the send space
 * and the memory; the work item has done before whatever needs process context.
 */
#include <linux/lockdep.h>
#include <linux/memcontrol.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "cdc.h"
#include "clc_msg.h"
#include "conn.h"
#include "conn_end.h"
#include "conn_eof.h"
#include "conn_move.h"
#include "conn_tcp.h"
#include "lgr.h"
#include "mib.h"
#include "sock.h"
#include "tx.h"

static atomic_t conn_ids = ATOMIC_INIT(0);

/* Upper limit of the pages that RDMA leaves free in a cgroup */
#define CGROUP_RESERVE	((32UL << 20) >> PAGE_SHIFT)

/**
 * smcr_conn_alloc() - allocate a connection, without element and token yet
 * @lgr: its group; the connection takes a reference
 * @link: link that will carry its writes; likewise
 * @sndbuf: bytes of send space that it may use, at least a chunk
 * @end_work: function of the work item; see smcr_conn_end_init()
 *
 * Context: process.
 * Return: the connection with one reference; ERR_PTR(-EDQUOT) when the
 * namespace's limit of send space is reached; ERR_PTR(-ENOMEM).
 */
struct smcr_conn *smcr_conn_alloc(struct smcr_lgr *lgr, struct smcr_link *link,
				  u32 sndbuf, work_func_t end_work)
{
	struct smcr_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);
	int err;

	if (!conn)
		return ERR_PTR(-ENOMEM);
	err = smcr_tx_space_init(conn, lgr->net, sndbuf);
	if (err) {
		kfree(conn);
		return ERR_PTR(err);
	}
	refcount_set(&conn->refs, 1);
	spin_lock_init(&conn->lock);
	INIT_LIST_HEAD(&conn->wait_node);
	conn->id = atomic_inc_return(&conn_ids);
	conn->lgr = smcr_lgr_get(lgr);
	conn->link = smcr_link_get(link);
	atomic_inc(&link->n_conns);
	conn->rx.link = smcr_link_get(link);
	conn->rx.parks = true;
	smcr_conn_end_init(conn, end_work);
	smcr_tx_init(conn);
	smcr_conn_move_init(conn);
	smcr_conn_eof_init(conn);
	smcr_conn_tcp_init(conn);
	smcr_mib_inc(lgr->net, SMCR_MIB_CONNSOPENED);
	return conn;
}

/**
 * smcr_conn_get() - take a reference
 * @conn: connection of which the caller has a reference, or that an owner
 *	with a reference keeps meanwhile
 *
 * Context: any.
 * Return: @conn.
 */
struct smcr_conn *smcr_conn_get(struct smcr_conn *conn)
{
	refcount_inc(&conn->refs);
	return conn;
}

/**
 * smcr_conn_put() - drop a reference
 * @conn: the connection; the last reference frees it
 *
 * Context: any.
 */
void smcr_conn_put(struct smcr_conn *conn)
{
	struct smcr_lgr *lgr = conn->lgr;

	if (!refcount_dec_and_test(&conn->refs))
		return;
	WARN_ON_ONCE(conn->sk);
	smcr_tx_purge(conn);
	if (conn->rx.rmb)
		smcr_rmb_put(conn->rx.rmb);
	smcr_mib_inc(lgr->net, SMCR_MIB_CONNSCLOSED);
	atomic_dec(&conn->link->n_conns);
	smcr_link_put(conn->link);
	smcr_link_put(conn->rx.link);
	if (conn->rx.next)
		smcr_link_put(conn->rx.next);
	kfree_rcu(conn, rcu);
	smcr_lgr_put(lgr);
}

/**
 * smcr_conn_elem_take() - give the connection an element and a token
 * @conn: a new connection
 * @size: bytes of the element, a value of the RFC's enumeration
 *
 * Context: process; takes the group's mutex.
 * Return: 0; -ENOSPC if no element is free, and the group's work will add an
 * RMB; -EMFILE if the group is full; -ESHUTDOWN if it takes no more
 * connections; -ENOLINK if the connection's link has failed; another -errno if
 * the group could not make its last RMB.
 */
int smcr_conn_elem_take(struct smcr_conn *conn, u32 size)
{
	struct smcr_rmb *rmb;
	int err;
	u8 idx;

	rmb = smcr_lgr_elem_take(conn->lgr, size, &idx);
	if (IS_ERR(rmb))
		return PTR_ERR(rmb);
	conn->rx.rmb = rmb;
	conn->rx.idx = idx;
	conn->rx.buf = smcr_rmb_elem_addr(rmb, idx);
	err = smcr_lgr_conn_add(conn->lgr, conn);
	if (err) {
		smcr_lgr_elem_return(conn->lgr, rmb, idx, 0,
				     SMCR_RMBE_END_UNUSED, 0);
		conn->rx.rmb = NULL;
		smcr_rmb_put(rmb);
		return err;
	}
	/* Pairs with the group's work, which looks for the connections of a
	 * failed link: either it finds this one, or the failure shows here.
	 */
	smp_mb();
	return smcr_link_state(conn->link) < SMCR_LINK_FAILED ? 0 : -ENOLINK;
}

/* The peer gave the element of @conn to a new connection. If our C was sent,
 * the peer has received it and the end is orderly: the peer's own C is still
 * on its way, and its CLC message has overtaken the C. The same holds if the
 * peer's C was answered before the program here has closed (conn_eof.c). No
 * byte is repeated then: the new connection would get it. Otherwise @conn is
 * reset; if the peer's C arrived, the peer has stopped waiting for ours.
 */
static void close_overtaken(struct smcr_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (conn->fsm.we_closed)
		smcr_failover_tx_silence(&conn->tx.fo);
	else if (!smcr_conn_eof_freed(conn, true))
		smcr_conn_end_reset_locked(conn, SMCR_RESET_RMBE_CONFLICT,
					   ECONNRESET);
	spin_unlock_bh(&conn->lock);
}

/* The peer offered an element that another connection here still uses, so for
 * the peer that connection has ended (4.4.2). End it here before the new
 * connection uses the element, since two connections must not write to it. The
 * element's in-use bit stays set and passes to the new connection.
 */
static void take_over(struct smcr_lgr *lgr, u8 rmb, u8 idx)
{
	struct smcr_conn *old;
	u32 slot = 0;

	while ((old = smcr_lgr_conn_next(lgr, &slot))) {
		bool hit;

		spin_lock_bh(&lgr->rtoken_lock);
		hit = old->peer_rmb == rmb && old->peer_idx == idx;
		if (hit)
			old->peer_rmb = 0;
		spin_unlock_bh(&lgr->rtoken_lock);
		if (hit)
			close_overtaken(old);
		smcr_conn_put(old);
	}
}

/* Find the RMB that @msg names by its key and address on a link. Once the link
 * has left the group, its slot may be another link's.
 */
static int rtoken_find(const struct smcr_link *link,
		       const struct smcr_clc_accept *msg)
{
	const struct smcr_lgr *lgr = link->lgr;
	u64 vaddr;
	u32 rkey;
	int id;

	lockdep_assert_held(&lgr->rtoken_lock);
	if (test_bit(SMCR_LINK_F_LEFT, &link->flags))
		return smcr_rtoken_find_past(lgr->rtokens, link->age, msg->rkey,
					     msg->vaddr);
	if (READ_ONCE(lgr->links[link->slot]) != link)
		return -ENOTCONN;
	id = smcr_rtoken_find(lgr->rtokens, link->slot, msg->rkey);
	if (id > 0 && (smcr_rtoken_get(lgr->rtokens, id, link->slot, &rkey,
				       &vaddr) || vaddr != msg->vaddr))
		return -EINVAL;
	return id;
}

/* Claim the element that @msg offers. If another connection uses it, @busy is
 * its RToken id, and @conn has no claim yet.
 */
static int rtoken_claim(struct smcr_conn *conn, const struct smcr_link *link,
			const struct smcr_clc_accept *msg, bool may_add,
			u8 *busy)
{
	struct smcr_lgr *lgr = conn->lgr;
	struct smcr_rtoken *mem = NULL;
	int id, err;

	if (may_add) {
		mem = kzalloc(sizeof(*mem), GFP_KERNEL);
		if (!mem)
			return -ENOMEM;
	}
	spin_lock_bh(&lgr->rtoken_lock);
	id = rtoken_find(link, msg);
	if (id == -ENOENT && mem) {
		id = smcr_rtoken_add(lgr->rtokens, mem, link->slot, msg->rkey,
				     msg->vaddr);
		if (mem->id)
			mem = NULL;
	}
	err = id > 0 ? smcr_rtoken_claim(lgr->rtokens, id, msg->rmbe_idx) : id;
	if (err == -EBUSY) {
		*busy = id;
		err = 0;
	} else if (!err) {
		conn->peer_rmb = id;
	}
	conn->peer_idx = msg->rmbe_idx;
	spin_unlock_bh(&lgr->rtoken_lock);
	kfree(mem);
	return err;
}

/* Claim the element for @conn after take_over(). The old connection may have
 * released the element by itself meanwhile, so the bit may be clear or set; and
 * the peer may have deleted the RMB, after which its id may name another one.
 */
static int reclaim(struct smcr_conn *conn, const struct smcr_link *link,
		   const struct smcr_clc_accept *msg)
{
	struct smcr_lgr *lgr = conn->lgr;
	int id, err;

	spin_lock_bh(&lgr->rtoken_lock);
	id = rtoken_find(link, msg);
	err = id > 0 ? smcr_rtoken_claim(lgr->rtokens, id, conn->peer_idx) : id;
	if (err == -EBUSY)
		err = 0;
	if (!err)
		conn->peer_rmb = id;
	spin_unlock_bh(&lgr->rtoken_lock);
	return err;
}

/* Look up the peer's RMB, of which the connection has claimed an element, on
 * the connection's link.
 */
static int rtoken_lookup(const struct smcr_conn *conn, u32 *rkey, u64 *vaddr)
{
	struct smcr_lgr *lgr = conn->lgr;
	u8 slot = conn->link->slot;
	int err = -ENOTCONN;

	spin_lock_bh(&lgr->rtoken_lock);
	if (READ_ONCE(lgr->links[slot]) == conn->link)
		err = smcr_rtoken_get(lgr->rtokens, conn->peer_rmb, slot, rkey,
				      vaddr);
	spin_unlock_bh(&lgr->rtoken_lock);
	return err;
}

/**
 * smcr_conn_set_peer() - store the peer's element from its Accept or Confirm
 * @conn: connection that has its local element
 * @link: link that @msg names; the connection may use another one
 * @msg: the message, checked by the codec
 * @may_add: first contact: the group does not know the RToken in @msg yet
 *
 * If the link of a server's connection has failed, the connection has no keys
 * for its writes yet; it gets those of another link when it starts.
 *
 * Context: process.
 * Return: 0; -ENOENT if the group does not know the RToken; -ENOTCONN if a link
 * has left the group; -EINVAL if the group knows the RToken with another
 * address; -ENOMEM; another -errno if the RToken cannot be added or the element
 * cannot be claimed.
 */
int smcr_conn_set_peer(struct smcr_conn *conn, const struct smcr_link *link,
		       const struct smcr_clc_accept *msg, bool may_add)
{
	u32 size = smcr_bsize_to_bytes(msg->bsize);
	u64 vaddr = 0;
	u32 rkey = 0;
	u8 busy = 0;
	int err;

	err = rtoken_claim(conn, link, msg, may_add, &busy);
	if (err)
		return err;
	if (busy) {
		take_over(conn->lgr, busy, msg->rmbe_idx);
		err = reclaim(conn, link, msg);
		if (err)
			return err;
	}
	err = rtoken_lookup(conn, &rkey, &vaddr);
	if (err && !smcr_conn_move_waits(conn))
		return err;
	conn->peer_token = msg->alert_token;
	conn->peer_size = size;
	conn->tx.rkey = rkey;
	conn->tx.raddr = vaddr + (u64)(msg->rmbe_idx - 1) * size;
	return 0;
}

/**
 * smcr_conn_size_valid() - test whether the group's dialect has an element size
 * @lgr: the group, past CONFIRM LINK
 * @bytes: size of the peer's element, a value of the wire's enumeration
 *
 * Context: any.
 * Return: true if it has.
 */
bool smcr_conn_size_valid(const struct smcr_lgr *lgr, u32 bytes)
{
	return lgr->dialect == SMCR_DIALECT_LINUX ||
	       bytes <= SMCR_RMBE_SIZE_MAX;
}

#ifdef CONFIG_MEMCG
/* Page cache that the cgroup can reclaim before the OOM killer runs. Pages of
 * its child cgroups are not counted, so the estimate errs toward TCP.
 */
static unsigned long cgroup_file_pages(const struct mem_cgroup *memcg)
{
	const struct mem_cgroup_per_node *node;
	unsigned long pages = 0;
	int nid, zone;

	for_each_node_state(nid, N_MEMORY) {
		node = memcg->nodeinfo[nid];
		for (zone = 0; zone < MAX_NR_ZONES; zone++)
			pages += READ_ONCE(node->lru_zone_size[zone]
						[LRU_INACTIVE_FILE]) +
				 READ_ONCE(node->lru_zone_size[zone]
						[LRU_ACTIVE_FILE]);
	}
	return pages;
}

static bool cgroup_fits(const struct mem_cgroup *memcg, unsigned long pages,
			unsigned long spare)
{
	const struct page_counter *mem = &memcg->memory;
	unsigned long limit = min(READ_ONCE(mem->max), READ_ONCE(mem->high));
	unsigned long used = atomic_long_read(&mem->usage);

	used -= min(used, spare);
	return used + pages + min(limit / 4, CGROUP_RESERVE) <= limit;
}
#endif

/**
 * smcr_conn_may_charge() - test whether the cgroup has room for an element
 * @sk: outer socket
 * @bytes: size of the element
 *
 * A charge that reaches a cgroup's limit invokes the OOM killer, and so does
 * the program's next page or socket if RDMA took the last pages. So RDMA
 * leaves a quarter of the limit free, but at most CGROUP_RESERVE.
 *
 * Context: process.
 * Return: true if the element may be charged.
 */
bool smcr_conn_may_charge(const struct sock *sk, u32 bytes)
{
#ifdef CONFIG_MEMCG
	struct mem_cgroup *memcg = sk->sk_memcg;
	unsigned long spare;

	if (!mem_cgroup_sockets_enabled || !memcg)
		return true;
	spare = cgroup_file_pages(memcg);
	for (; memcg; memcg = parent_mem_cgroup(memcg))
		if (!cgroup_fits(memcg, sk_mem_pages(bytes), spare))
			return false;
#endif
	return true;
}

/**
 * smcr_conn_charge() - charge the element's memory to the socket's cgroup
 * @conn: a new connection
 * @sk: outer socket that the connection is made for
 * @size: bytes of its element
 *
 * The caller charges before it names the element to the peer, as until then
 * the connection can still fall back to TCP.
 *
 * Context: process, outer sock lock held.
 * Return: 0, or -ENOBUFS when the protocol or the cgroup has no room.
 */
int smcr_conn_charge(struct smcr_conn *conn, struct sock *sk, u32 size)
{
	int need = size - sk->sk_forward_alloc;

	sock_owned_by_me(sk);
	if (!smcr_conn_may_charge(sk, size) ||
	    (need > 0 && !__sk_mem_schedule(sk, need, SK_MEM_RECV))) {
		smcr_mib_inc(conn->lgr->net, SMCR_MIB_CHARGESREFUSED);
		return -ENOBUFS;
	}
	sk_mem_charge(sk, size);
	conn->charged = size;
	return 0;
}

/**
 * smcr_conn_uncharge() - undo smcr_conn_charge()
 * @conn: the connection
 * @sk: outer socket; nothing happens if it was not charged
 *
 * Context: process, outer sock lock held.
 */
void smcr_conn_uncharge(struct smcr_conn *conn, struct sock *sk)
{
	sock_owned_by_me(sk);
	sk_mem_uncharge(sk, conn->charged);
	sk_mem_reclaim(sk);
	conn->charged = 0;
}

/**
 * smcr_conn_start() - bind a connection to its socket after the handshake
 * @conn: charged connection that knows its peer, in a group that is ACTIVE
 * @sk: its outer socket; both get a reference to each other
 *
 * From here on bytes may flow. A CDC message that arrived before is handled
 * now (3.5.2.4). If the link that the handshake named has failed, the
 * connection moves to another one.
 *
 * Context: process, outer sock lock held.
 * Return: 0, or -ECONNRESET when the group died meanwhile, or the link without
 * another one to move to, or the group's dialect does not have the size of the
 * peer's element.
 */
int smcr_conn_start(struct smcr_conn *conn, struct sock *sk)
{
	enum smcr_dialect dialect = conn->lgr->dialect;
	u32 size = conn->rx.rmb->elem_size;

	sock_owned_by_me(sk);
	/* In a first contact, the size arrived before the dialect was known. */
	if (!smcr_conn_size_valid(conn->lgr, conn->peer_size))
		return -ECONNRESET;
	spin_lock_bh(&conn->lock);
	if (conn->fsm.state != SMCR_CONN_INIT ||
	    !smcr_conn_move_can_start(conn)) {
		spin_unlock_bh(&conn->lock);
		return -ECONNRESET;
	}
	sock_hold(sk);
	conn->sk = sk;
	WRITE_ONCE(smcr_sk(sk)->conn, smcr_conn_get(conn));
	WRITE_ONCE(sk->sk_state, TCP_ESTABLISHED);
	conn->tx.ring = smcr_cursor_ring(conn->peer_size, dialect);
	conn->rx.ring = smcr_cursor_ring(size, dialect);
	if (dialect == SMCR_DIALECT_LINUX)
		smcr_failover_rx_linux(&conn->rx.fo, &conn->rx.ring);
	smcr_conn_end_event(conn, SMCR_CONN_EV_ESTABLISHED);
	smcr_conn_move_started(conn);
	smcr_cdc_replay(conn);
	spin_unlock_bh(&conn->lock);
	return 0;
}

/* Test whether a reader may still need bytes in the element: it copies now, or
 * the socket has unread bytes that are final, or that the reset keeps.
 */
static bool elem_kept(const struct smcr_conn *conn)
{
	u64 end = conn->rx.final ? conn->rx.peer.prod : conn->rx.kept;

	lockdep_assert_held(&conn->lock);
	return test_bit(SMCR_CONN_F_READING, &conn->flags) ||
	       (conn->sk && !READ_ONCE(conn->rx.spoilt) && conn->rx.cons < end);
}

/* Return the element of an unlinked connection to its RMB, once, unless a
 * reader may still need it.
 */
static void elem_return(struct smcr_conn *conn)
{
	struct smcr_lgr *lgr = conn->lgr;
	enum smcr_rmbe_end end;
	bool kept;
	u32 dirty;
	u64 prod;

	if (!conn->rx.rmb)
		return;
	spin_lock_bh(&conn->lock);
	kept = elem_kept(conn) ||
	       test_and_set_bit(SMCR_CONN_F_RETURNED, &conn->flags);
	end = conn->rx.end;
	spin_unlock_bh(&conn->lock);
	if (kept)
		return;
	/* After a reset, the peer may have written bytes that it did not
	 * announce, so the whole element is zeroed.
	 */
	dirty = conn->rx.rmb->elem_size;
	if (end == SMCR_RMBE_END_ORDERLY && !READ_ONCE(conn->reset_err)) {
		prod = READ_ONCE(conn->rx.peer.prod);
		if (prod < conn->rx.ring.len)
			dirty = conn->rx.ring.origin + (u32)prod;
	}
	smcr_lgr_elem_return(lgr, conn->rx.rmb, conn->rx.idx, dirty, end,
			     jiffies + smcr_sysctl_qp_dead_time(lgr->net));
}

/**
 * smcr_conn_read_begin() - keep the element while a reader copies from it
 * @conn: the connection
 *
 * The next connection that gets the element may belong to another program. So
 * the element is not returned while a reader copies from it, nor while bytes
 * that stay readable are unread. No work waits for the reader: a reader that
 * stalls in the copy returns the element itself, in smcr_conn_read_end().
 *
 * Context: process, outer sock lock held, so there is one reader at a time.
 * Return: true, and the caller calls smcr_conn_read_end(); false when the
 * element was returned already.
 */
bool smcr_conn_read_begin(struct smcr_conn *conn)
{
	bool gone;

	set_bit(SMCR_CONN_F_READING, &conn->flags);
	/* Pairs with the barrier in smcr_conn_unlink(): either this reader sees
	 * UNLINKED, or smcr_conn_unlink() sees READING
	 */
	smp_mb__after_atomic();
	if (!test_bit(SMCR_CONN_F_UNLINKED, &conn->flags))
		return true;
	spin_lock_bh(&conn->lock);
	gone = test_bit(SMCR_CONN_F_RETURNED, &conn->flags);
	spin_unlock_bh(&conn->lock);
	if (gone)
		smcr_conn_read_end(conn);
	return !gone;
}

/**
 * smcr_conn_read_end() - end what smcr_conn_read_begin() began
 * @conn: the connection; the consumer position covers the bytes that were read
 *
 * Context: process, outer sock lock held.
 */
void smcr_conn_read_end(struct smcr_conn *conn)
{
	clear_bit(SMCR_CONN_F_READING, &conn->flags);
	/* Pairs with the barrier in smcr_conn_unlink(), as above */
	smp_mb__after_atomic();
	if (test_bit(SMCR_CONN_F_UNLINKED, &conn->flags))
		elem_return(conn);
}

static bool mark_unlinked(struct smcr_conn *conn, enum smcr_rmbe_end end)
{
	bool first;

	spin_lock_bh(&conn->lock);
	first = !test_bit(SMCR_CONN_F_UNLINKED, &conn->flags);
	if (first)
		conn->rx.end = end;
	/* elem_return() reads @end under the lock, if it sees the bit */
	set_bit(SMCR_CONN_F_UNLINKED, &conn->flags);
	spin_unlock_bh(&conn->lock);
	return first;
}

/**
 * smcr_conn_unlink() - return the token, the element and the peer's element
 * @conn: connection that will neither send nor receive any more
 * @end: how it ended, which decides when the element may be used again
 *
 * An element with unread bytes that stay readable, see elem_kept(), stays with
 * the connection until they are read or the socket is closed. Only the first
 * call has an effect.
 *
 * Context: process.
 */
void smcr_conn_unlink(struct smcr_conn *conn, enum smcr_rmbe_end end)
{
	struct smcr_lgr *lgr = conn->lgr;

	if (!mark_unlinked(conn, end))
		return;
	if (timer_delete(&conn->move_timer))
		smcr_conn_put(conn);
	if (timer_delete(&conn->eof_timer))
		smcr_conn_put(conn);
	/* The timer will not do it any more, and the socket may stay open */
	spin_lock_bh(&conn->lock);
	smcr_tx_unkeep(conn);
	spin_unlock_bh(&conn->lock);
	if (timer_delete(&conn->tx_timer))
		smcr_conn_put(conn);
	if (timer_delete(&conn->tcp_timer))
		smcr_conn_put(conn);
	smcr_lgr_conn_del(lgr, conn);
	spin_lock_bh(&lgr->rtoken_lock);
	if (conn->peer_rmb)
		smcr_rtoken_release(lgr->rtokens, conn->peer_rmb,
				    conn->peer_idx);
	conn->peer_rmb = 0;
	spin_unlock_bh(&lgr->rtoken_lock);
	/* Pairs with the barriers of smcr_conn_read_begin() and _end() */
	smp_mb();
	elem_return(conn);
}

/**
 * smcr_conn_detach() - separate a connection from its socket
 * @conn: the connection; it may go on without a socket (PeerAbortWait)
 *
 * Drops the socket's reference to the connection and the connection's to the
 * socket; the caller has references of its own to both.
 *
 * From now on no event of TCP finds the connection. If an action waits for the
 * peer's FIN, the work item runs once more, and without a socket it does not
 * wait. An action that is ordered later finds no socket either.
 *
 * Context: process, outer sock lock held.
 */
void smcr_conn_detach(struct smcr_conn *conn)
{
	struct sock *sk;
	u32 left;

	spin_lock_bh(&conn->lock);
	sk = conn->sk;
	conn->sk = NULL;
	left = conn->actions;
	spin_unlock_bh(&conn->lock);
	if (!sk)
		return;
	sock_owned_by_me(sk);
	if (READ_ONCE(conn->await_fin))
		smcr_conn_end_disarm(conn);
	if (left)
		smcr_conn_end_queue(conn);
	/* The element may have been kept for this socket's reader */
	if (test_bit(SMCR_CONN_F_UNLINKED, &conn->flags))
		elem_return(conn);
	smcr_conn_uncharge(conn, sk);
	WRITE_ONCE(smcr_sk(sk)->conn, NULL);
	smcr_conn_put(conn);
	sock_put(sk);
}

/**
 * smcr_conn_sent() - event: bytes have reached the peer's memory
 * @conn: the connection, counted by the caller
 * @link: link of the completion
 * @pos: position up to which they have
 * @seq: sequence number of the last CDC message that has reached the peer's
 *	adapter
 *
 * Posts the bytes that have waited for these.
 *
 * Context: CQ handler: softirq, or a reader that polls, BH disabled.
 */
void smcr_conn_sent(struct smcr_conn *conn, const struct smcr_link *link,
		    u64 pos, u16 seq)
{
	spin_lock_bh(&conn->lock);
	if (smcr_failover_tx_done(&conn->tx.fo, seq, pos, conn->link == link))
		smcr_tx_reclaim(conn, pos);
	if (READ_ONCE(conn->tx.end) != conn->tx.nxt)
		smcr_tx_push_locked(conn);
	smcr_conn_move_confirmed(conn);
	smcr_conn_end_confirmed(conn);
	spin_unlock_bh(&conn->lock);
}

/**
 * smcr_conn_tx_ready() - event: a send slot is free again
 * @conn: connection that waited for one, counted by the caller
 *
 * Context: softirq or process.
 */
void smcr_conn_tx_ready(struct smcr_conn *conn)
{
	smcr_tx_push(conn);
}
