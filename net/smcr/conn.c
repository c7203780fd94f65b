// SPDX-License-Identifier: GPL-2.0
/*
 * Connections: building, binding to a group and a socket, lifetime.
 *
 * Who may hold a pointer to a connection, and until when:
 *
 *   the group's token table	until smcr_conn_unlink()
 *   its socket			until smcr_conn_detach()
 *   a send slot of its link	until the slot's work request is known to be
 *				complete, at the latest when the link drained
 *   its work, its timers	while queued or armed
 *   the link's wait list	until a slot is free, or the link drained
 *   CQ softirq			inside an RCU section, with a reference
 *
 * Each of them owns a counted reference. The last one, dropped in any
 * context, frees the send space and the memory; what needs process context
 * was done by close.c before.
 */
#include <linux/memcontrol.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "cdc.h"
#include "clc_msg.h"
#include "close.h"
#include "conn.h"
#include "lgr.h"
#include "mib.h"
#include "sock.h"
#include "tx.h"

static atomic_t conn_ids = ATOMIC_INIT(0);

/* Pages of a cgroup, at most, that RDMA leaves to everything else */
#define CGROUP_RESERVE	((32UL << 20) >> PAGE_SHIFT)

/* Send space is counted as if it were full: what a connection may use must be
 * there when its program sends (law 18).
 */
static bool send_reserve(struct net *net, u32 bytes)
{
	struct smcr_net *sn = smcr_pernet(net);
	unsigned long limit = READ_ONCE(sn->sysctl.max_send_bytes);

	if (atomic_long_add_return(bytes, &sn->send_bytes) <= limit)
		return true;
	atomic_long_sub(bytes, &sn->send_bytes);
	smcr_mib_inc(net, SMCR_MIB_SENDSPACEREFUSED);
	return false;
}

static void send_release(struct net *net, u32 bytes)
{
	atomic_long_sub(bytes, &smcr_pernet(net)->send_bytes);
}

/**
 * smcr_conn_alloc() - a connection of a group, without element and token yet
 * @lgr: the group; the connection takes a reference
 * @link: link it will write over; likewise
 * @sndbuf: bytes of send space it may use
 *
 * Context: process.
 * Return: the connection with one reference; ERR_PTR(-EDQUOT) at the
 * namespace's limit of send space, ERR_PTR(-ENOMEM).
 */
struct smcr_conn *smcr_conn_alloc(struct smcr_lgr *lgr, struct smcr_link *link,
				  u32 sndbuf)
{
	struct smcr_conn *conn;

	sndbuf = max_t(u32, sndbuf, SMCR_CHUNK_SIZE);
	if (!send_reserve(lgr->net, sndbuf))
		return ERR_PTR(-EDQUOT);
	conn = kzalloc(sizeof(*conn), GFP_KERNEL);
	if (!conn)
		goto err_release;
	conn->tx.n_slots = DIV_ROUND_UP(sndbuf, SMCR_CHUNK_SIZE) + 1;
	conn->tx.chunk = kcalloc(conn->tx.n_slots, sizeof(*conn->tx.chunk),
				 GFP_KERNEL);
	if (!conn->tx.chunk)
		goto err_free;
	conn->tx.size = sndbuf;
	refcount_set(&conn->refs, 1);
	spin_lock_init(&conn->lock);
	INIT_LIST_HEAD(&conn->wait_node);
	conn->id = atomic_inc_return(&conn_ids);
	conn->lgr = smcr_lgr_get(lgr);
	conn->link = smcr_link_get(link);
	conn->link_slot = smcr_lgr_link_slot(lgr, link);
	smcr_close_init(conn);
	smcr_mib_inc(lgr->net, SMCR_MIB_CONNSOPENED);
	return conn;
err_free:
	kfree(conn);
err_release:
	send_release(lgr->net, sndbuf);
	return ERR_PTR(-ENOMEM);
}

/**
 * smcr_conn_get() - one more reference
 * @conn: a connection the caller may use
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
 * @conn: not used by the caller any more
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
	kfree(conn->tx.chunk);
	send_release(lgr->net, conn->tx.size);
	if (conn->rx.rmb)
		smcr_rmb_put(conn->rx.rmb);
	smcr_mib_inc(lgr->net, SMCR_MIB_CONNSCLOSED);
	smcr_link_put(conn->link);
	kfree_rcu(conn, rcu);
	smcr_lgr_put(lgr);
}

/**
 * smcr_conn_elem_take() - give the connection an element and a token
 * @conn: a new connection
 * @size: bytes of the element, of the RFC's enumeration
 *
 * Context: process; takes the group's mutex.
 * Return: 0, -ENOSPC if no element is free (the group has been told to add
 * an RMB), -EMFILE if the group is full, -ESHUTDOWN if it takes no more.
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
	}
	return err;
}

/* If our C is out the peer has it, and the end is orderly: the peer's own C is
 * on the way here, and the CLC message has overtaken it. If the peer's C came,
 * it has waited for ours for as long as it does.
 */
static void close_overtaken(struct smcr_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (!conn->fsm.we_closed)
		smcr_close_reset_locked(conn, SMCR_RESET_RMBE_CONFLICT,
					ECONNRESET);
	spin_unlock_bh(&conn->lock);
}

/* The peer handed out an element that it gave to another connection before:
 * that one has ended without our knowing (4.4.2). It must not write any more;
 * the element's in-use bit passes to the new connection.
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

static int rtoken_claim(struct smcr_conn *conn,
			const struct smcr_clc_accept *msg, bool may_add,
			bool *conflict)
{
	struct smcr_lgr *lgr = conn->lgr;
	struct smcr_rtoken *mem = NULL;
	u64 vaddr = 0;
	int id, err;
	u32 rkey;

	if (may_add) {
		mem = kzalloc(sizeof(*mem), GFP_KERNEL);
		if (!mem)
			return -ENOMEM;
	}
	spin_lock_bh(&lgr->rtoken_lock);
	id = smcr_rtoken_find(lgr->rtokens, conn->link_slot, msg->rkey);
	if (id < 0 && mem) {
		id = smcr_rtoken_add(lgr->rtokens, mem, conn->link_slot,
				     msg->rkey, msg->vaddr);
		if (mem->id)
			mem = NULL;
	}
	err = id > 0 ? smcr_rtoken_get(lgr->rtokens, id, conn->link_slot,
				       &rkey, &vaddr) : id;
	if (!err && vaddr != msg->vaddr)
		err = -EINVAL;
	if (!err)
		err = smcr_rtoken_claim(lgr->rtokens, id, msg->rmbe_idx);
	if (err == -EBUSY) {
		*conflict = true;
		err = 0;
	}
	if (!err) {
		conn->peer_rmb = id;
		conn->peer_idx = msg->rmbe_idx;
	}
	spin_unlock_bh(&lgr->rtoken_lock);
	kfree(mem);
	return err;
}

/* The old connection may have let go of the element by itself meanwhile. */
static int reclaim(struct smcr_conn *conn, u8 rmb)
{
	struct smcr_lgr *lgr = conn->lgr;
	int err;

	spin_lock_bh(&lgr->rtoken_lock);
	err = smcr_rtoken_claim(lgr->rtokens, rmb, conn->peer_idx);
	if (err == -EBUSY)
		err = 0;
	if (!err)
		conn->peer_rmb = rmb;
	spin_unlock_bh(&lgr->rtoken_lock);
	return err;
}

/**
 * smcr_conn_set_peer() - take the peer's end from its Accept or Confirm
 * @conn: connection with an element of its own
 * @msg: the message, checked by the codec
 * @may_add: first contact: the RToken in @msg is new to the group
 *
 * Context: process.
 * Return: 0, -ENOENT if the RToken is not known in the group, -EINVAL if its
 * address is another one, -ENOMEM.
 */
int smcr_conn_set_peer(struct smcr_conn *conn,
		       const struct smcr_clc_accept *msg, bool may_add)
{
	u32 size = smcr_bsize_to_bytes(msg->bsize);
	bool conflict = false;
	u8 rmb, idx;
	int err;

	err = rtoken_claim(conn, msg, may_add, &conflict);
	if (err)
		return err;
	if (conflict) {
		rmb = conn->peer_rmb;
		idx = conn->peer_idx;
		conn->peer_rmb = 0;
		take_over(conn->lgr, rmb, idx);
		err = reclaim(conn, rmb);
		if (err)
			return err;
	}
	conn->peer_token = msg->alert_token;
	conn->peer_size = size;
	conn->tx.rkey = msg->rkey;
	conn->tx.raddr = msg->vaddr + (u64)(msg->rmbe_idx - 1) * size;
	return 0;
}

/**
 * smcr_conn_size_valid() - has the group's dialect such an element size?
 * @lgr: the group, past CONFIRM LINK
 * @bytes: size of the peer's element, of the wire's enumeration
 *
 * Context: any.
 */
bool smcr_conn_size_valid(const struct smcr_lgr *lgr, u32 bytes)
{
	return lgr->dialect == SMCR_DIALECT_LINUX ||
	       bytes <= SMCR_RMBE_SIZE_MAX;
}

#ifdef CONFIG_MEMCG
/* What the cgroup can give back without anybody being killed for it. Pages of
 * cgroups below it are not seen: the error is on the side of TCP.
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
 * smcr_conn_may_charge() - has a program's cgroup room for an element?
 * @sk: outer socket
 * @bytes: size of the element
 *
 * A charge that hits a cgroup's limit wakes the killer, and so does the
 * program's next page or socket if RDMA took the last ones. So some are left.
 *
 * Context: process.
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

static bool charge(struct sock *sk, u32 size)
{
	int need = size - sk->sk_forward_alloc;

	if (!smcr_conn_may_charge(sk, size))
		return false;
	if (need > 0 && !__sk_mem_schedule(sk, need, SK_MEM_RECV))
		return false;
	sk_mem_charge(sk, size);
	return true;
}

/**
 * smcr_conn_charge() - charge the element to the program (law 18)
 * @conn: a new connection
 * @sk: the socket it is made for
 * @size: bytes of its element
 *
 * Before the peer hears of the element: there is still TCP then.
 *
 * Context: process, outer sock lock held.
 * Return: 0, or -ENOBUFS when the protocol or the cgroup has no room.
 */
int smcr_conn_charge(struct smcr_conn *conn, struct sock *sk, u32 size)
{
	if (!charge(sk, size)) {
		smcr_mib_inc(conn->lgr->net, SMCR_MIB_CHARGESREFUSED);
		return -ENOBUFS;
	}
	conn->charged = size;
	return 0;
}

/**
 * smcr_conn_uncharge() - undo smcr_conn_charge()
 * @conn: the connection
 * @sk: the socket that was charged, if any was
 *
 * Context: process, outer sock lock held.
 */
void smcr_conn_uncharge(struct smcr_conn *conn, struct sock *sk)
{
	sk_mem_uncharge(sk, conn->charged);
	sk_mem_reclaim(sk);
	conn->charged = 0;
}

/**
 * smcr_conn_start() - the rendezvous is over: bytes may flow
 * @conn: a connection that knows its peer, of a group that is ACTIVE; charged
 * @sk: its outer socket; both get a reference to each other
 *
 * What arrived before is handled now (3.5.2.4).
 *
 * Context: process, outer sock lock held.
 * Return: 0, or -ECONNRESET when the group has died meanwhile, or the peer's
 * element is of no size that its dialect has.
 */
int smcr_conn_start(struct smcr_conn *conn, struct sock *sk)
{
	enum smcr_dialect dialect = conn->lgr->dialect;
	u32 size = conn->rx.rmb->elem_size;

	/* First contact: the dialect was not known when the size came. */
	if (!smcr_conn_size_valid(conn->lgr, conn->peer_size))
		return -ECONNRESET;
	spin_lock_bh(&conn->lock);
	if (conn->fsm.state != SMCR_CONN_INIT) {
		spin_unlock_bh(&conn->lock);
		return -ECONNRESET;
	}
	sock_hold(sk);
	conn->sk = sk;
	WRITE_ONCE(smcr_sk(sk)->conn, smcr_conn_get(conn));
	WRITE_ONCE(sk->sk_state, TCP_ESTABLISHED);
	conn->tx.ring = smcr_cursor_ring(conn->peer_size, dialect);
	conn->rx.ring = smcr_cursor_ring(size, dialect);
	smcr_close_event(conn, SMCR_CONN_EV_ESTABLISHED);
	smcr_cdc_replay(conn);
	spin_unlock_bh(&conn->lock);
	return 0;
}

static u32 dirty_bytes(const struct smcr_conn *conn)
{
	u64 prod = conn->rx.peer.prod;

	if (prod >= conn->rx.ring.len)
		return conn->rx.rmb->elem_size;
	return conn->rx.ring.origin + (u32)prod;
}

/* Has the reader a claim to bytes in the element? conn->lock held. */
static bool elem_kept(const struct smcr_conn *conn)
{
	return test_bit(SMCR_CONN_F_READING, &conn->flags) ||
	       (conn->sk && conn->rx.final && !conn->rx.spoilt &&
		conn->rx.cons != conn->rx.peer.prod);
}

/* Give the element of an unlinked connection back, once, as soon as nobody
 * has a claim to it.
 */
static void elem_return(struct smcr_conn *conn)
{
	enum smcr_rmbe_end end = conn->rx.end;
	struct smcr_lgr *lgr = conn->lgr;
	bool kept;
	u32 dirty;

	if (!conn->rx.rmb)
		return;
	spin_lock_bh(&conn->lock);
	kept = elem_kept(conn) ||
	       test_and_set_bit(SMCR_CONN_F_RETURNED, &conn->flags);
	spin_unlock_bh(&conn->lock);
	if (kept)
		return;
	/* A peer that answered our abort may have written bytes that it did
	 * not announce.
	 */
	dirty = end == SMCR_RMBE_END_ORDERLY && !conn->reset_err ?
		dirty_bytes(conn) : conn->rx.rmb->elem_size;
	smcr_lgr_elem_return(lgr, conn->rx.rmb, conn->rx.idx, dirty, end,
			     jiffies + smcr_sysctl_qp_dead_time(lgr->net));
}

/**
 * smcr_conn_read_begin() - a reader is about to copy from the element
 * @conn: the connection
 *
 * Another connection, of another program, may get the element next, so it is
 * not given back while somebody copies, nor while bytes that the peer finished
 * are unread. Nobody waits for the reader: a reader that stalls in the copy
 * gives the element back itself in the end.
 *
 * Context: process, outer sock lock held: one reader at a time.
 * Return: false when the element is gone already.
 */
bool smcr_conn_read_begin(struct smcr_conn *conn)
{
	bool gone;

	set_bit(SMCR_CONN_F_READING, &conn->flags);
	/* Pairs with smcr_conn_unlink(): one of the two sees the other's bit */
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
 * smcr_conn_read_end() - the reader has copied, and counted what it took
 * @conn: the connection
 *
 * Context: process, outer sock lock held.
 */
void smcr_conn_read_end(struct smcr_conn *conn)
{
	clear_bit(SMCR_CONN_F_READING, &conn->flags);
	/* Pairs with smcr_conn_unlink() */
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
	/* Pairs with smcr_conn_read_end(), which goes by @end */
	smp_mb__before_atomic();
	set_bit(SMCR_CONN_F_UNLINKED, &conn->flags);
	spin_unlock_bh(&conn->lock);
	return first;
}

/**
 * smcr_conn_unlink() - give token, element and the peer's element back
 * @conn: connection that will neither send nor receive any more
 * @end: how it ended, which decides when the element may be used again
 *
 * An element with bytes that the peer finished and the application has not
 * read stays with the connection until they are read, or the socket is closed.
 *
 * Harmless when called again.
 *
 * Context: process.
 */
void smcr_conn_unlink(struct smcr_conn *conn, enum smcr_rmbe_end end)
{
	struct smcr_lgr *lgr = conn->lgr;

	if (!mark_unlinked(conn, end))
		return;
	smcr_lgr_conn_del(lgr, conn);
	spin_lock_bh(&lgr->rtoken_lock);
	if (conn->peer_rmb)
		smcr_rtoken_release(lgr->rtokens, conn->peer_rmb,
				    conn->peer_idx);
	conn->peer_rmb = 0;
	spin_unlock_bh(&lgr->rtoken_lock);
	/* Pairs with smcr_conn_read_begin() */
	smp_mb();
	elem_return(conn);
}

/**
 * smcr_conn_detach() - part a connection from its socket
 * @conn: the connection; may go on without a socket (PeerAbortWait)
 *
 * Context: process, the socket's lock held. The socket's reference to the
 * connection and the connection's to the socket are dropped; the caller has
 * one of each of its own.
 */
void smcr_conn_detach(struct smcr_conn *conn)
{
	struct sock *sk;

	spin_lock_bh(&conn->lock);
	sk = conn->sk;
	conn->sk = NULL;
	spin_unlock_bh(&conn->lock);
	if (!sk)
		return;
	/* It may have been kept for this socket's reader */
	if (test_bit(SMCR_CONN_F_UNLINKED, &conn->flags))
		elem_return(conn);
	smcr_conn_uncharge(conn, sk);
	WRITE_ONCE(smcr_sk(sk)->conn, NULL);
	smcr_conn_put(conn);
	sock_put(sk);
}

/**
 * smcr_conn_sent() - the link layer: bytes are in the peer's memory
 * @conn: the connection, counted by the caller
 * @pos: everything before is there
 *
 * Context: softirq.
 */
void smcr_conn_sent(struct smcr_conn *conn, u64 pos)
{
	spin_lock_bh(&conn->lock);
	smcr_tx_reclaim(conn, pos);
	spin_unlock_bh(&conn->lock);
}

/**
 * smcr_conn_tx_ready() - the link layer: a send slot is free again
 * @conn: the connection, counted by the caller
 *
 * Context: softirq.
 */
void smcr_conn_tx_ready(struct smcr_conn *conn)
{
	smcr_tx_push(conn);
}
