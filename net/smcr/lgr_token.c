// SPDX-License-Identifier: GPL-2.0
/*
 * Alert tokens of a link group (RFC 7609 A.2.3): which connection a CDC message
 * is for.
 *
 * The lower half of a token is a slot in an array that is read under RCU, the
 * upper half counts the uses of that slot. Slots are tried in a ring from a
 * random start, so a token value returns only after all other slots and 65,536
 * uses of its own. At least half of the slots are free until the table has its
 * largest size, so a search costs the same for any number of connections.
 */
#include <linux/lockdep.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "conn.h"
#include "lgr.h"
#include "mib.h"

#define TOKENS_FIRST	64u
#define TOKENS_MAX	65536u

static struct smcr_lgr_tokens *tokens_alloc(u32 size)
{
	struct smcr_lgr_tokens *tokens;
	u32 i;

	tokens = kvzalloc(struct_size(tokens, slot, size), GFP_KERNEL);
	if (!tokens)
		return NULL;
	tokens->size = size;
	for (i = 0; i < size; i++)
		tokens->slot[i].gen = get_random_u16();
	return tokens;
}

/**
 * smcr_lgr_tokens_init() - give a new group its token table
 * @lgr: the group
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int smcr_lgr_tokens_init(struct smcr_lgr *lgr)
{
	struct smcr_lgr_tokens *tokens = tokens_alloc(TOKENS_FIRST);

	if (!tokens)
		return -ENOMEM;
	lgr->hint = get_random_u32_below(TOKENS_FIRST);
	rcu_assign_pointer(lgr->tokens, tokens);
	return 0;
}

static struct smcr_lgr_tokens *tokens_locked(const struct smcr_lgr *lgr)
{
	return rcu_dereference_protected(lgr->tokens,
					 lockdep_is_held(&lgr->conns_lock));
}

/* Replace the table by one with twice the slots; the old one is freed after its
 * RCU readers. The caller's next try looks at the new table.
 */
static int tokens_grow(struct smcr_lgr *lgr)
{
	struct smcr_lgr_tokens *new, *old;
	u32 size = READ_ONCE(lgr->n_conns);
	u32 i;

	new = tokens_alloc(min_t(u32, roundup_pow_of_two(size + 1) * 2,
				 TOKENS_MAX));
	if (!new)
		return -ENOMEM;
	spin_lock_bh(&lgr->conns_lock);
	old = tokens_locked(lgr);
	if (old->size >= new->size) {
		spin_unlock_bh(&lgr->conns_lock);
		kvfree(new);
		return 0;
	}
	for (i = 0; i < old->size; i++) {
		new->slot[i].gen = old->slot[i].gen;
		RCU_INIT_POINTER(new->slot[i].conn,
				 rcu_access_pointer(old->slot[i].conn));
	}
	rcu_assign_pointer(lgr->tokens, new);
	spin_unlock_bh(&lgr->conns_lock);
	kvfree_rcu(old, rcu);
	return 0;
}

static int token_give(struct smcr_lgr *lgr, struct smcr_conn *conn)
{
	struct smcr_lgr_tokens *tokens = tokens_locked(lgr);
	u32 i, slot;

	lockdep_assert_held(&lgr->conns_lock);
	if (lgr->n_conns >= tokens->size / 2 && tokens->size < TOKENS_MAX)
		return -EAGAIN;
	for (i = 0; i < tokens->size; i++) {
		slot = (lgr->hint + i) % tokens->size;
		if (rcu_access_pointer(tokens->slot[slot].conn))
			continue;
		lgr->hint = slot + 1;
		tokens->slot[slot].gen++;
		conn->token = (u32)tokens->slot[slot].gen << 16 | slot;
		rcu_assign_pointer(tokens->slot[slot].conn,
				   smcr_conn_get(conn));
		WRITE_ONCE(lgr->n_conns, lgr->n_conns + 1);
		return 0;
	}
	return -EAGAIN;
}

/**
 * smcr_lgr_conn_limit() - return how many connections a group may have
 * @lgr: the group
 *
 * Context: any.
 */
u32 smcr_lgr_conn_limit(const struct smcr_lgr *lgr)
{
	u32 limit = READ_ONCE(smcr_pernet(lgr->net)->sysctl.max_conns_per_lgr);

	if (READ_ONCE(lgr->dialect) == SMCR_DIALECT_LINUX)
		return min_t(u32, limit, SMCR_LINUX_MAX_CONNS);
	return limit;
}

/**
 * smcr_lgr_conn_add() - give a connection its alert token
 * @lgr: the group
 * @conn: the connection; the table takes a reference
 *
 * Context: process.
 * Return: 0, -ESHUTDOWN if the group is CLOSING or DEAD, -EMFILE at the limit
 * of connections, or -ENOMEM.
 */
int smcr_lgr_conn_add(struct smcr_lgr *lgr, struct smcr_conn *conn)
{
	u32 limit = smcr_lgr_conn_limit(lgr);
	int err;

	for (;;) {
		spin_lock_bh(&lgr->conns_lock);
		if (lgr->state > SMCR_LGR_ACTIVE)
			err = -ESHUTDOWN;
		else if (lgr->n_conns >= limit)
			err = -EMFILE;
		else
			err = token_give(lgr, conn);
		spin_unlock_bh(&lgr->conns_lock);
		if (err == -EMFILE)
			smcr_mib_inc(lgr->net, SMCR_MIB_GROUPSFULL);
		if (err != -EAGAIN)
			return err;
		err = tokens_grow(lgr);
		if (err)
			return err;
	}
}

/**
 * smcr_lgr_conn_del() - release a connection's alert token
 * @lgr: the group
 * @conn: the connection; the caller holds a reference. The table's reference is
 *	dropped
 *
 * Does nothing if the connection has no slot in the table.
 *
 * Context: process.
 */
void smcr_lgr_conn_del(struct smcr_lgr *lgr, struct smcr_conn *conn)
{
	struct smcr_lgr_tokens *tokens;
	struct smcr_lgr_slot *slot;
	bool last = false, mine = false;

	spin_lock_bh(&lgr->conns_lock);
	tokens = tokens_locked(lgr);
	slot = &tokens->slot[conn->token & 0xffff];
	if ((conn->token & 0xffff) < tokens->size &&
	    rcu_access_pointer(slot->conn) == conn) {
		RCU_INIT_POINTER(slot->conn, NULL);
		WRITE_ONCE(lgr->n_conns, lgr->n_conns - 1);
		last = !lgr->n_conns;
		mine = true;
	}
	if (last)
		WRITE_ONCE(lgr->idle_since, jiffies);
	spin_unlock_bh(&lgr->conns_lock);
	if (mine)
		smcr_conn_put(conn);
	if (last)
		smcr_lgr_queue(lgr);
}

/**
 * smcr_lgr_conn_find() - find the connection of an alert token
 * @lgr: the group of the link that the CDC message came over
 * @token: the alert token
 *
 * Context: any.
 * Return: the connection with a reference, or NULL.
 */
struct smcr_conn *smcr_lgr_conn_find(struct smcr_lgr *lgr, u32 token)
{
	struct smcr_lgr_tokens *tokens;
	struct smcr_conn *conn = NULL;
	u32 slot = token & 0xffff;

	rcu_read_lock();
	tokens = rcu_dereference(lgr->tokens);
	if (slot < tokens->size)
		conn = rcu_dereference(tokens->slot[slot].conn);
	if (conn && (conn->token != token ||
		     !refcount_inc_not_zero(&conn->refs)))
		conn = NULL;
	rcu_read_unlock();
	return conn;
}

/**
 * smcr_lgr_conn_next() - walk the connections of a group
 * @lgr: the group
 * @slot: position of the walk, 0 at the start; updated
 *
 * Context: any.
 * Return: the next connection with a reference, or NULL.
 */
struct smcr_conn *smcr_lgr_conn_next(struct smcr_lgr *lgr, u32 *slot)
{
	struct smcr_lgr_tokens *tokens;
	struct smcr_conn *conn = NULL;

	rcu_read_lock();
	tokens = rcu_dereference(lgr->tokens);
	while (!conn && *slot < tokens->size) {
		conn = rcu_dereference(tokens->slot[(*slot)++].conn);
		if (conn && !refcount_inc_not_zero(&conn->refs))
			conn = NULL;
	}
	rcu_read_unlock();
	return conn;
}
