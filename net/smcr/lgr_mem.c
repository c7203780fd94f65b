// SPDX-License-Identifier: GPL-2.0
/*
 * What a link group holds for its connections: alert tokens and RMBs
 * (RFC 7609 2.1, 3.5.5.2; laws 15 and 16).
 *
 * Tokens: lower half the slot in an array read under RCU, upper half the
 * number of the slot's use. Slots are tried in a ring from a random start, so
 * a value comes back only after all other slots and 65,536 uses of its own. At
 * least half of the slots are free, so that a try costs the same however many
 * connections there are.
 *
 * RMBs: the first one comes with first contact and is small; when 75 % of the
 * elements of a size are used and few are left, the next one is made,
 * registered and confirmed (CONFIRM RKEY) by the group's work, behind the back
 * of the handshakes. So these normally find a free element at once.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "conn.h"
#include "lgr.h"
#include "lgr_policy.h"
#include "mib.h"
#include "rmb.h"

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

/* Twice the slots; the old table goes after its readers. */
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
 * smcr_lgr_conn_limit() - how many connections a group may have
 * @lgr: the group
 *
 * Context: any.
 */
u32 smcr_lgr_conn_limit(const struct smcr_lgr *lgr)
{
	u32 limit = READ_ONCE(smcr_pernet(lgr->net)->sysctl.max_conns_per_lgr);

	if (lgr->dialect == SMCR_DIALECT_LINUX)
		return min_t(u32, limit, SMCR_LINUX_MAX_CONNS);
	return limit;
}

/**
 * smcr_lgr_conn_add() - give a connection its alert token
 * @lgr: the group
 * @conn: the connection; the table takes a reference
 *
 * Context: process.
 * Return: 0, -ESHUTDOWN if the group takes no more, -EMFILE at the limit,
 * -ENOMEM.
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
		if (err != -EAGAIN)
			return err;
		err = tokens_grow(lgr);
		if (err)
			return err;
	}
}

/**
 * smcr_lgr_conn_del() - take a connection's token back
 * @lgr: the group
 * @conn: the connection, counted by the caller
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
 * smcr_lgr_conn_find() - the connection that an alert token names
 * @lgr: the group the message came for
 * @token: the token
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
 * @slot: where to go on; 0 at the start
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

static void rmb_reg_done(struct smcr_wr_reg *reg, int err)
{
	struct smcr_rmb_map *map = container_of(reg, struct smcr_rmb_map, reg);

	if (!err) {
		/* Pairs with smcr_lgr_rmb_ready() */
		smp_store_release(&map->registered, true);
	}
	smcr_lgr_kick(map->link->lgr, SMCR_LGR_T_RMB_REG);
}

static unsigned int count_rmbs(struct smcr_lgr *lgr, u32 size)
{
	struct smcr_rmb *rmb;
	unsigned int n = 0;

	list_for_each_entry(rmb, &lgr->rmbs, list)
		n += rmb->elem_size == size;
	return n;
}

/* An RMB on the group's list, its keys known, not registered yet. */
static struct smcr_rmb *rmb_make(struct smcr_lgr *lgr, u32 size)
{
	struct smcr_link *link = lgr->links[0];
	struct smcr_rmb *rmb;
	u8 elems;
	int err;

	lockdep_assert_held(&lgr->mutex);
	if (!link)
		return ERR_PTR(-ESHUTDOWN);
	if (lgr->n_rmbs >= SMCR_MAX_RMBS)
		return ERR_PTR(-EMFILE);
	elems = smcr_lgr_policy_rmb_elements(link->local.dev->max_mr_pages *
					     PAGE_SIZE, size,
					     count_rmbs(lgr, size));
	if (!elems)
		return ERR_PTR(-EMSGSIZE);
	rmb = smcr_rmb_alloc(lgr->net, size, elems);
	if (IS_ERR(rmb))
		return rmb;
	err = smcr_rmb_map(rmb, link, 0);
	if (err) {
		smcr_rmb_put(rmb);
		return ERR_PTR(err);
	}
	list_add_tail(&rmb->list, &lgr->rmbs);
	lgr->n_rmbs++;
	return rmb;
}

/**
 * smcr_lgr_rmb_first() - the RMB that comes with first contact
 * @lgr: a FORMING group
 * @elem_size: bytes of its elements
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_lgr_rmb_first(struct smcr_lgr *lgr, u32 elem_size)
{
	struct smcr_rmb *rmb;

	mutex_lock(&lgr->mutex);
	rmb = rmb_make(lgr, elem_size);
	/* The CLC message carries its RToken (3.5.1.3). */
	if (!IS_ERR(rmb))
		rmb->confirmed = true;
	mutex_unlock(&lgr->mutex);
	return PTR_ERR_OR_ZERO(rmb);
}

/**
 * smcr_lgr_rmb_register() - post the registration of the first RMB
 * @lgr: a FORMING group whose link is in RTS
 *
 * The waiting handshakes are woken when it is done; see
 * smcr_lgr_rmb_ready().
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_lgr_rmb_register(struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb;
	int err = -ENOENT;

	mutex_lock(&lgr->mutex);
	rmb = list_first_entry_or_null(&lgr->rmbs, struct smcr_rmb, list);
	if (rmb)
		err = smcr_rmb_register(rmb, 0, rmb_reg_done);
	mutex_unlock(&lgr->mutex);
	return err;
}

/**
 * smcr_lgr_rmb_ready() - may the peer write to a connection's element?
 * @conn: the connection
 *
 * Context: any.
 */
bool smcr_lgr_rmb_ready(const struct smcr_conn *conn)
{
	const struct smcr_rmb_map *map = &conn->rx.rmb->maps[conn->link_slot];

	/* Pairs with rmb_reg_done() */
	return smp_load_acquire(&map->registered);
}

static void count_elems(struct smcr_lgr *lgr, u32 size, u32 *used, u32 *total)
{
	struct smcr_rmb *rmb;

	*used = 0;
	*total = 0;
	list_for_each_entry(rmb, &lgr->rmbs, list) {
		if (rmb->elem_size != size || rmb->deleting)
			continue;
		*used += smcr_rmb_in_use(rmb);
		*total += rmb->n_elems;
	}
}

static bool want_more(struct smcr_lgr *lgr, u32 size)
{
	u32 used, total;

	count_elems(lgr, size, &used, &total);
	return !total || smcr_lgr_policy_want_rmb(used, total);
}

/**
 * smcr_lgr_elem_take() - an element for a new connection
 * @lgr: the group
 * @elem_size: its size
 * @idx: the element's index in the RMB
 *
 * Context: process.
 * Return: the RMB with a reference; ERR_PTR(-ENOSPC) when none is free, and
 * the group's work has been asked for an RMB; ERR_PTR(-errno) when the last
 * one could not be had.
 */
struct smcr_rmb *smcr_lgr_elem_take(struct smcr_lgr *lgr, u32 elem_size,
				    u8 *idx)
{
	struct smcr_rmb *rmb, *found = NULL;
	int ret, err = -ENOSPC;

	mutex_lock(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list) {
		if (rmb->elem_size != elem_size || !rmb->confirmed ||
		    rmb->deleting)
			continue;
		ret = smcr_rmb_elem_take(rmb, true);
		if (ret < 0)
			continue;
		*idx = ret;
		refcount_inc(&rmb->refs);
		found = rmb;
		break;
	}
	if (!found && lgr->rmb_err) {
		err = lgr->rmb_err;
		lgr->rmb_err = 0;
	} else if (want_more(lgr, elem_size)) {
		lgr->rmb_awaited = !found;
		lgr->rmb_size = elem_size;
		smcr_lgr_kick(lgr, SMCR_LGR_T_NEED_RMB);
	}
	mutex_unlock(&lgr->mutex);
	return found ? found : ERR_PTR(err);
}

/**
 * smcr_lgr_elem_return() - an element that a connection has used
 * @lgr: the group
 * @rmb: the RMB, counted by the caller
 * @idx: the element
 * @dirty: as for smcr_rmb_elem_return(), like the rest
 * @end: how the connection ended
 * @release_at: end of a quarantine
 *
 * Context: process.
 */
void smcr_lgr_elem_return(struct smcr_lgr *lgr, struct smcr_rmb *rmb, u8 idx,
			  u32 dirty, enum smcr_rmbe_end end,
			  unsigned long release_at)
{
	bool unclean = smcr_rmb_elem_return(rmb, idx, dirty, end, release_at);

	/* The only RMB stays, however idle it is */
	if (unclean || (READ_ONCE(lgr->n_rmbs) > 1 && !smcr_rmb_in_use(rmb)))
		smcr_lgr_kick(lgr, SMCR_LGR_T_CLEAN);
	else
		smcr_lgr_wake(lgr);
}

/* An RMB that is registered, or about to be, and not confirmed yet. */
static struct smcr_rmb *rmb_unconfirmed(struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb;

	list_for_each_entry(rmb, &lgr->rmbs, list)
		if (!rmb->confirmed && !rmb->deleting)
			return rmb;
	return NULL;
}

/**
 * smcr_lgr_rmb_more() - make the next RMB, in the background
 * @lgr: the group
 *
 * Context: the group's work.
 */
void smcr_lgr_rmb_more(struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb = NULL;
	int err = 0;

	mutex_lock(&lgr->mutex);
	if (smcr_lgr_state(lgr) == SMCR_LGR_ACTIVE && lgr->rmb_size &&
	    !rmb_unconfirmed(lgr) && want_more(lgr, lgr->rmb_size)) {
		rmb = rmb_make(lgr, lgr->rmb_size);
		err = PTR_ERR_OR_ZERO(rmb);
		if (!err) {
			err = smcr_rmb_register(rmb, 0, rmb_reg_done);
			if (err)
				smcr_lgr_rmb_drop(lgr, rmb);
		}
	}
	/* What nobody waits for may work the next time */
	if (lgr->rmb_awaited)
		lgr->rmb_err = err;
	mutex_unlock(&lgr->mutex);
	if (err)
		smcr_lgr_wake(lgr);
}

/**
 * smcr_lgr_rmb_registered() - a registration has completed
 * @lgr: the group
 *
 * First contact: its handshake goes on. Later: the peer is told (3.5.5.2.1).
 *
 * Context: the group's work.
 */
void smcr_lgr_rmb_registered(struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb;

	mutex_lock(&lgr->mutex);
	rmb = rmb_unconfirmed(lgr);
	if (rmb && rmb->maps[0].registered &&
	    !smcr_llc_confirm_rkey(lgr, rmb))
		/* Another exchange is under way: after it. */
		set_bit(SMCR_LGR_T_RMB_REG, &lgr->todo);
	mutex_unlock(&lgr->mutex);
	smcr_lgr_wake(lgr);
}

/**
 * smcr_lgr_rmb_drop() - take an RMB out of the group
 * @lgr: the group
 * @rmb: the RMB; the peer does not know it, or has forgotten it
 *
 * Context: process, the group's mutex held.
 */
void smcr_lgr_rmb_drop(struct smcr_lgr *lgr, struct smcr_rmb *rmb)
{
	int slot;

	lockdep_assert_held(&lgr->mutex);
	for (slot = 0; slot < SMCR_MAX_LINKS; slot++)
		smcr_rmb_unmap(rmb, slot);
	list_del_init(&rmb->list);
	lgr->n_rmbs--;
	smcr_rmb_put(rmb);
}

/**
 * smcr_lgr_rmbs_unmap() - a link has stopped: its keys go
 * @lgr: the group
 * @slot: the link's slot
 *
 * Context: process, the group's mutex held.
 */
void smcr_lgr_rmbs_unmap(struct smcr_lgr *lgr, int slot)
{
	struct smcr_rmb *rmb;

	list_for_each_entry(rmb, &lgr->rmbs, list)
		smcr_rmb_unmap(rmb, slot);
}

/**
 * smcr_lgr_rmbs_free() - the group ends: let all RMBs go
 * @lgr: the group; all its links have stopped
 *
 * Context: process, the group's mutex held.
 */
void smcr_lgr_rmbs_free(struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb, *tmp;

	list_for_each_entry_safe(rmb, tmp, &lgr->rmbs, list)
		smcr_lgr_rmb_drop(lgr, rmb);
}

/**
 * smcr_lgr_rmb_idle_at() - when will an RMB have been idle for long?
 * @lgr: the group
 * @rmb: one of its RMBs
 *
 * The first RMB stays as long as the group.
 *
 * Context: process, the group's mutex held.
 * Return: in jiffies; 0 if the RMB is in use, or has to stay.
 */
unsigned long smcr_lgr_rmb_idle_at(struct smcr_lgr *lgr, struct smcr_rmb *rmb)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(lgr->net)->sysctl;

	if (list_is_first(&rmb->list, &lgr->rmbs) || !rmb->confirmed ||
	    rmb->deleting || smcr_rmb_in_use(rmb))
		return 0;
	return (rmb->idle_since +
		msecs_to_jiffies(READ_ONCE(ctl->rmb_linger_ms))) ?: 1;
}

/**
 * smcr_lgr_rmbs_clean() - zero what connections left, delete idle RMBs
 * @lgr: the group
 *
 * Context: the group's work.
 */
void smcr_lgr_rmbs_clean(struct smcr_lgr *lgr)
{
	unsigned long when, next = 0;
	struct smcr_rmb *rmb;
	bool idle = false;

	mutex_lock(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list) {
		when = smcr_rmb_clean(rmb);
		if (!when) {
			when = smcr_lgr_rmb_idle_at(lgr, rmb);
			idle |= when && time_after_eq(jiffies, when);
		}
		if (when && (!next || time_before(when, next)))
			next = when;
	}
	lgr->clean_at = next;
	if (idle)
		smcr_llc_delete_rkeys(lgr);
	mutex_unlock(&lgr->mutex);
	smcr_lgr_wake(lgr);
}
