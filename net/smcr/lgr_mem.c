// SPDX-License-Identifier: GPL-2.0
/*
 * RMBs of a link group (RFC 7609 2.1, 3.5.5.2).
 *
 * The first RMB, which is small, is made for a first contact. When 75 % of the
 * elements of a size are used and few are free, the next RMB is made,
 * registered and confirmed (CONFIRM RKEY) in the background, so that a
 * handshake normally finds a free element at once.
 *
 * The RMB work. An adapter may take seconds to register memory, and zeroing
 * elements takes as long as there are bytes. In the group's work this
 * would hold up the answers to the peer's LLC messages, and the peer gives up
 * a link whose LLC messages are not answered in time. A second work item of
 * the group therefore makes, cleans and frees RMBs, and builds and connects
 * links (lgr_form.c). Its workqueue runs nothing but such items.
 *
 * - The RMB work owns a reference to the group while it is queued or running.
 *   The group keeps its namespace, whose exit waits for its groups. A work
 *   item on one workqueue never runs twice at a time.
 * - Only the RMB work takes RMBs off lgr->rmbs (under lgr->mutex) and empties
 *   their maps, so it uses the RMBs on the list without the mutex. It does not
 *   wait until the device has released them, which takes a minute if the
 *   adapter is out of order: RMBs of healthy groups would wait for that, too,
 *   and with them handshakes and answers to ADD LINK CONTINUATION. A work item
 *   of the link waits for it; see the top of rmb.c. Other contexts hold
 *   the mutex while they look at the list. A connection uses the memory of its
 *   RMB by a reference. The group's work keeps a pointer to the RMB of its
 *   CONFIRM RKEY (llc.rmb); that RMB stays on the list, because it is not
 *   marked forgotten, and lgr_end() clears the pointer before it asks the RMB
 *   work to free all RMBs.
 * - The RMB work makes an RMB without any lock. No other context knows the RMB
 *   until it is on the list. Its mapping owns a reference to the link and
 *   counts in the link's verbs objects, so the removal of a device waits for
 *   the call into the driver that is under way. If the group has become DEAD
 *   meanwhile, rmb_publish() refuses the RMB, and the RMB work frees it.
 * - The group's work tells the peer about a new RMB when its registration has
 *   completed (SMCR_LGR_T_RMB_REG), and asks the peer to forget an idle one
 *   (SMCR_LGR_T_RMB_IDLE). After the peer's answer the RMB is marked forgotten
 *   and the RMB work frees it (SMCR_LGR_T_FREE).
 * - Neither work waits for the other. When a group ends, lgr_end() stops the
 *   links without looking at RMBs and then asks the RMB work to free all of
 *   them (SMCR_LGR_T_FREE_ALL). This also makes an RMB work run now that was
 *   due later; a DEAD group queues none for later. The removal of a device
 *   waits for the links' verbs objects, which count each RMB that the device
 *   has. The exit of a namespace, and so the unload of the module, waits for
 *   the last reference to the group.
 */
#include <linux/lockdep.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "conn.h"
#include "lgr.h"
#include "lgr_form.h"
#include "lgr_links.h"
#include "lgr_policy.h"
#include "mib.h"
#include "rmb.h"

/* A device whose memory regions hold fewer elements makes no RMB smaller. It
 * may have no link of the group then.
 */
#define LEAST_ELEMS	4

static void rmb_reg_done(struct smcr_link *link)
{
	smcr_lgr_kick(link->lgr, SMCR_LGR_T_RMB_REG);
	if (test_and_clear_bit(SMCR_LINK_F_REGS_LEFT, &link->flags))
		smcr_lgr_kick(link->lgr, SMCR_LGR_T_NEW_LINK);
}

/* Post a registration. The send queue of a link that is being added may have no
 * room for all RMBs at once; rmb_reg_done() has the others posted then.
 */
static int reg_post(struct smcr_rmb *rmb, int slot)
{
	struct smcr_link *link = rmb->maps[slot].link;
	int err = smcr_rmb_register(rmb, slot, rmb_reg_done);

	if (err != -EAGAIN || smcr_link_state(link) != SMCR_LINK_READY)
		return err;
	set_bit(SMCR_LINK_F_REGS_LEFT, &link->flags);
	/* Pairs with rmb_reg_done(): either the last registration under way
	 * ends after this and finds the bit, or there is room now.
	 */
	smp_mb__after_atomic();
	err = smcr_rmb_register(rmb, slot, rmb_reg_done);
	return err == -EAGAIN ? 0 : err;
}

static unsigned int count_rmbs(struct smcr_lgr *lgr, u32 size)
{
	struct smcr_rmb *rmb;
	unsigned int n = 0;

	lockdep_assert_held(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list)
		n += rmb->elem_size == size;
	return n;
}

/**
 * smcr_lgr_rmb_pages() - size of the largest RMB of a group
 * @lgr: the group
 *
 * Context: process; takes the group's mutex.
 * Return: its pages; a device of which a memory region has fewer can have no
 * link of the group.
 */
u32 smcr_lgr_rmb_pages(struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb;
	u32 pages = 0;

	mutex_lock(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list)
		pages = max(pages, rmb->n_pages);
	mutex_unlock(&lgr->mutex);
	return pages;
}

/* An RMB must fit the memory regions of all devices that it is mapped to, and
 * should fit those of devices that a further link may use later.
 */
static int count_wanted(struct smcr_lgr *lgr,
			const struct smcr_lgr_links *links, u32 size)
{
	u32 pages = smcr_ib_least_pages(lgr->net, &links->link[0]->local,
					LEAST_ELEMS * size / PAGE_SIZE);
	int n = -EMFILE;
	unsigned int i;

	for (i = 0; i < links->n; i++)
		pages = min(pages, links->link[i]->local.dev->max_mr_pages);
	mutex_lock(&lgr->mutex);
	if (lgr->n_rmbs < SMCR_MAX_RMBS)
		n = smcr_lgr_policy_rmb_elements(pages * PAGE_SIZE, size,
						 count_rmbs(lgr, size),
						 smcr_rmb_room(lgr->net));
	mutex_unlock(&lgr->mutex);
	return n ? n : -EMSGSIZE;
}

static void rmb_discard(struct smcr_rmb *rmb)
{
	int slot;

	for (slot = 0; slot < SMCR_MAX_LINKS; slot++)
		smcr_rmb_unmap(rmb, slot);
	smcr_rmb_put(rmb);
}

/* Map an RMB to a link, unless it is mapped already. A link that has failed
 * needs no mapping, and one that is not built gets it in rmbs_extend().
 */
static int rmb_map(struct smcr_rmb *rmb, struct smcr_link *link)
{
	int err;

	if (rmb->maps[link->slot].link || link->built <= 0)
		return 0;
	err = smcr_rmb_map(rmb, link, link->slot);
	return smcr_link_state(link) >= SMCR_LINK_FAILED ? 0 : err;
}

static struct smcr_rmb *rmb_try(const struct smcr_lgr_links *links, u32 size,
				u16 elems)
{
	struct smcr_rmb *rmb;
	unsigned int i;
	int err = 0;

	rmb = smcr_rmb_alloc(links->link[0], size, elems);
	if (IS_ERR(rmb))
		return rmb;
	for (i = 0; i < links->n && !err; i++)
		err = rmb_map(rmb, links->link[i]);
	if (!err)
		return rmb;
	rmb_discard(rmb);
	return ERR_PTR(err);
}

/* Create an RMB: allocate it and map it to all links. It is not registered and
 * on no list. A driver may need contiguous memory for the tables of a large
 * region, and a host that has been up for long may have none. Or another group
 * has just taken what the namespace had left. Halve the number of elements
 * until it works.
 */
static struct smcr_rmb *rmb_create(struct smcr_lgr *lgr,
				   const struct smcr_lgr_links *links, u32 size)
{
	int n = count_wanted(lgr, links, size);
	struct smcr_rmb *rmb;
	int elems;

	if (n < 0)
		return ERR_PTR(n);
	for (elems = n; elems; elems /= 2) {
		rmb = rmb_try(links, size, elems);
		if (rmb != ERR_PTR(-ENOMEM) && rmb != ERR_PTR(-E2BIG) &&
		    rmb != ERR_PTR(-EDQUOT))
			break;
	}
	if (!IS_ERR(rmb) && elems < n)
		smcr_mib_inc(lgr->net, SMCR_MIB_RMBSSMALLER);
	return rmb;
}

/* The end of the group frees the RMBs that are on the list, so none is added to
 * a DEAD group. smcr_lgr_links_end() takes the mutex after the state has
 * changed: an RMB that is added before is freed.
 */
static int rmb_publish(struct smcr_lgr *lgr, struct smcr_rmb *rmb,
		       bool confirmed)
{
	int err = -ESHUTDOWN;

	mutex_lock(&lgr->mutex);
	if (smcr_lgr_state(lgr) != SMCR_LGR_DEAD) {
		rmb->confirmed = confirmed;
		list_add_tail(&rmb->list, &lgr->rmbs);
		WRITE_ONCE(lgr->n_rmbs, lgr->n_rmbs + 1);
		err = 0;
	}
	mutex_unlock(&lgr->mutex);
	return err;
}

/* Create an RMB and add it to the group's list. That may take long, and
 * handshakes take elements of other RMBs meanwhile, so no lock is held.
 */
static struct smcr_rmb *rmb_add(struct smcr_lgr *lgr, u32 size, bool confirmed)
{
	struct smcr_rmb *rmb = ERR_PTR(-ESHUTDOWN);
	struct smcr_lgr_links links;

	smcr_lgr_links_get(lgr, SMCR_LINK_INIT, &links);
	if (links.n)
		rmb = rmb_create(lgr, &links, size);
	smcr_lgr_links_put(&links);
	if (!IS_ERR(rmb) && rmb_publish(lgr, rmb, confirmed)) {
		rmb_discard(rmb);
		rmb = ERR_PTR(-ESHUTDOWN);
	}
	return rmb;
}

/**
 * smcr_lgr_rmb_first() - make the first RMB of a group
 * @lgr: a FORMING group
 * @elem_size: bytes of one element
 *
 * Context: the RMB work.
 * Return: 0 or -errno.
 */
int smcr_lgr_rmb_first(struct smcr_lgr *lgr, u32 elem_size)
{
	/* The CLC message carries its RToken (3.5.1.3). */
	return PTR_ERR_OR_ZERO(rmb_add(lgr, elem_size, true));
}

static bool link_takes_regs(const struct smcr_link *link)
{
	enum smcr_link_state state = smcr_link_state(link);

	return state == SMCR_LINK_READY || state == SMCR_LINK_ACTIVE;
}

/* Register an RMB on each link that takes work requests. A registration on
 * another link is posted when that link is connected, or never. If the first
 * one cannot be posted, return its error. If a later one cannot, the RMB is of
 * use on the other links, so that link fails.
 */
static int rmb_register(struct smcr_rmb *rmb)
{
	struct smcr_rmb_map *map;
	bool posted = false;
	int slot, err;

	for (slot = 0; slot < SMCR_MAX_LINKS; slot++) {
		map = &rmb->maps[slot];
		if (!map->link || !link_takes_regs(map->link))
			continue;
		err = 0;
		if (!READ_ONCE(map->pending) && !READ_ONCE(map->registered))
			err = reg_post(rmb, slot);
		if (err && smcr_link_state(map->link) >= SMCR_LINK_FAILED)
			continue;
		if (err && !posted)
			return err;
		if (err)
			smcr_link_fail(map->link, err);
		posted = true;
	}
	return 0;
}

/**
 * smcr_lgr_rmb_ready() - may the peer write to a connection's element?
 * @conn: the connection
 *
 * Context: any.
 * Return: true once the RMB of the element is registered.
 */
bool smcr_lgr_rmb_ready(const struct smcr_conn *conn)
{
	return smcr_rmb_registered(conn->rx.rmb, conn->link->slot);
}

static void count_elems(struct smcr_lgr *lgr, u32 size, u32 *used, u32 *total)
{
	struct smcr_rmb *rmb;

	lockdep_assert_held(&lgr->mutex);
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
 * smcr_lgr_elem_take() - take an element for a new connection
 * @lgr: the group
 * @elem_size: bytes of the element
 * @idx: result: the element's index in the RMB
 *
 * Context: process.
 * Return: the RMB with a reference; ERR_PTR(-ENOSPC) if no element is free and
 * the RMB work has been asked for another RMB; the error of the RMB work if the
 * last RMB of this size that was asked for could not be made.
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
	if (!found && lgr->rmb_err && lgr->rmb_err_size == elem_size) {
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
 * smcr_lgr_elem_return() - return an element that a connection has used
 * @lgr: the group
 * @rmb: the RMB; the caller holds a reference
 * @idx: the element's index
 * @dirty: see smcr_rmb_elem_return()
 * @end: how the connection ended
 * @release_at: see smcr_rmb_elem_return()
 *
 * Context: process.
 */
void smcr_lgr_elem_return(struct smcr_lgr *lgr, struct smcr_rmb *rmb, u8 idx,
			  u32 dirty, enum smcr_rmbe_end end,
			  unsigned long release_at)
{
	bool unclean = smcr_rmb_elem_return(rmb, idx, dirty, end, release_at);

	if (!unclean)
		smcr_lgr_wake_elems(lgr, rmb->elem_size, 1);
	/* The first RMB is never deleted. */
	if (unclean || (READ_ONCE(lgr->n_rmbs) > 1 && !smcr_rmb_in_use(rmb)))
		smcr_lgr_kick(lgr, SMCR_LGR_T_CLEAN);
}

/* Return: the RMB that is not confirmed yet, registered or not, or NULL. */
static struct smcr_rmb *rmb_unconfirmed(struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb;

	lockdep_assert_held(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list)
		if (!rmb->confirmed && !rmb->deleting)
			return rmb;
	return NULL;
}

/* Is an RMB registered on each link that connections may use? */
static bool rmb_registered(struct smcr_lgr *lgr, const struct smcr_rmb *rmb)
{
	struct smcr_lgr_links links;
	bool all = true;
	unsigned int i;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++)
		all &= smcr_rmb_registered(rmb, links.link[i]->slot);
	smcr_lgr_links_put(&links);
	return all;
}

/* A registration on a link that came last may be under way. */
static bool rmb_pending(const struct smcr_rmb *rmb)
{
	int slot;

	for (slot = 0; slot < SMCR_MAX_LINKS; slot++)
		/* Pairs with reg_done() in rmb.c */
		if (smp_load_acquire(&rmb->maps[slot].pending))
			return true;
	return false;
}

static bool rmbs_forgotten(struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb;

	lockdep_assert_held(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list)
		if (rmb->forgotten)
			return true;
	return false;
}

/**
 * smcr_lgr_rmb_registered() - continue after the registration of an RMB
 * @lgr: the group
 *
 * In a first contact this wakes the handshakes. Later it sends CONFIRM RKEY
 * (3.5.5.2.1). An RMB that the peer has forgotten meanwhile can be freed now.
 *
 * Context: the group's work.
 */
void smcr_lgr_rmb_registered(struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb;
	bool forgotten;

	mutex_lock(&lgr->mutex);
	forgotten = rmbs_forgotten(lgr);
	rmb = rmb_unconfirmed(lgr);
	if (rmb && rmb_registered(lgr, rmb) &&
	    !smcr_llc_confirm_rkey(lgr, rmb))
		/* Another exchange is under way; try again after it. */
		set_bit(SMCR_LGR_T_RMB_REG, &lgr->todo);
	mutex_unlock(&lgr->mutex);
	if (forgotten)
		smcr_lgr_kick(lgr, SMCR_LGR_T_FREE);
	/* The elements of a later RMB are free when it is confirmed. */
	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING)
		smcr_lgr_wake(lgr);
}

/**
 * smcr_lgr_rmb_refused() - discard an RMB that the peer has refused
 * @lgr: the group
 * @rmb: the RMB of a CONFIRM RKEY whose reply has Z set
 *
 * Context: the group's work, its mutex not held.
 */
void smcr_lgr_rmb_refused(struct smcr_lgr *lgr, struct smcr_rmb *rmb)
{
	mutex_lock(&lgr->mutex);
	lgr->rmb_err = -EDQUOT;
	lgr->rmb_err_size = rmb->elem_size;
	rmb->deleting = true;
	rmb->forgotten = true;
	mutex_unlock(&lgr->mutex);
	smcr_lgr_kick(lgr, SMCR_LGR_T_FREE);
	smcr_lgr_wake(lgr);
}

/**
 * smcr_lgr_rmbs_deleted() - free the RMBs that DELETE RKEY named
 * @lgr: the group; the peer has answered DELETE RKEY
 * @slot: slot of the link that carried it
 * @del: the message
 *
 * Context: the group's work, its mutex not held.
 */
void smcr_lgr_rmbs_deleted(struct smcr_lgr *lgr, u8 slot,
			   const struct smcr_llc_delete_rkey *del)
{
	struct smcr_rmb *rmb;
	u8 i;

	mutex_lock(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list)
		for (i = 0; i < del->count; i++)
			if (rmb->deleting &&
			    rmb->maps[slot].rkey == del->rkey[i])
				rmb->forgotten = true;
	mutex_unlock(&lgr->mutex);
	smcr_lgr_kick(lgr, SMCR_LGR_T_FREE);
}

/**
 * smcr_lgr_rmb_idle_at() - return when an idle RMB may be deleted
 * @lgr: the group
 * @rmb: one of its RMBs
 *
 * The first RMB stays as long as the group.
 *
 * Context: process; the group's mutex is held.
 * Return: jiffies at which the RMB has been idle for net.smcr.rmb_linger_ms; 0
 * if it is in use, not confirmed, being deleted, or the first one.
 */
unsigned long smcr_lgr_rmb_idle_at(struct smcr_lgr *lgr, struct smcr_rmb *rmb)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(lgr->net)->sysctl;

	lockdep_assert_held(&lgr->mutex);
	if (list_is_first(&rmb->list, &lgr->rmbs) || !rmb->confirmed ||
	    rmb->deleting || smcr_rmb_in_use(rmb))
		return 0;
	return (READ_ONCE(rmb->idle_since) +
		msecs_to_jiffies(READ_ONCE(ctl->rmb_linger_ms))) ?: 1;
}

/* The RMB work; the rules are at the top of this file. */

/* Free the RMBs that the peer has forgotten, or all RMBs of a DEAD group whose
 * links have stopped. An RMB is not freed while it is being registered on a new
 * link; smcr_lgr_rmb_registered() asks again after that.
 */
static void rmbs_drop(struct smcr_lgr *lgr, bool all)
{
	struct smcr_rmb *rmb, *tmp;
	LIST_HEAD(gone);

	mutex_lock(&lgr->mutex);
	list_for_each_entry_safe(rmb, tmp, &lgr->rmbs, list) {
		if (all || (rmb->forgotten && !rmb_pending(rmb))) {
			list_move_tail(&rmb->list, &gone);
			WRITE_ONCE(lgr->n_rmbs, lgr->n_rmbs - 1);
		}
	}
	mutex_unlock(&lgr->mutex);
	list_for_each_entry_safe(rmb, tmp, &gone, list) {
		list_del_init(&rmb->list);
		rmb_discard(rmb);
	}
}

static int rmb_add_registered(struct smcr_lgr *lgr, u32 size)
{
	struct smcr_rmb *rmb = rmb_add(lgr, size, false);
	int err;

	if (IS_ERR(rmb))
		return PTR_ERR(rmb);
	err = rmb_register(rmb);
	if (!err)
		return 0;
	mutex_lock(&lgr->mutex);
	list_del_init(&rmb->list);
	WRITE_ONCE(lgr->n_rmbs, lgr->n_rmbs - 1);
	mutex_unlock(&lgr->mutex);
	rmb_discard(rmb);
	return err;
}

static struct smcr_rmb *rmb_after(struct smcr_lgr *lgr, struct smcr_rmb *rmb)
{
	struct list_head *next;

	mutex_lock(&lgr->mutex);
	next = rmb ? rmb->list.next : lgr->rmbs.next;
	rmb = next == &lgr->rmbs ? NULL :
	      list_entry(next, struct smcr_rmb, list);
	mutex_unlock(&lgr->mutex);
	return rmb;
}

/* Map all RMBs to links that were built, and register them on those that were
 * connected since. A link on which that fails is of no use.
 */
static void rmbs_extend(struct smcr_lgr *lgr)
{
	struct smcr_lgr_links links;
	struct smcr_rmb *rmb = NULL;
	unsigned int i;
	int err = 0;

	smcr_lgr_links_get(lgr, SMCR_LINK_INIT, &links);
	while (links.n && (rmb = rmb_after(lgr, rmb))) {
		for (i = 0; i < links.n; i++) {
			err = rmb_map(rmb, links.link[i]);
			if (err)
				smcr_link_fail(links.link[i], err);
		}
		/* The first link refuses requests only when it fails. */
		err = rmb_register(rmb);
		if (err)
			break;
	}
	/* A first contact would wait for the registration. */
	if (err && smcr_lgr_state(lgr) == SMCR_LGR_FORMING)
		smcr_link_fail(links.link[0], err);
	smcr_lgr_links_put(&links);
	smcr_lgr_kick(lgr, SMCR_LGR_T_RMB_REG);
}

/* Remove what the group keeps for links that are DEAD. */
static void links_clear(struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb;
	struct smcr_link *link;
	int slot;

	for (slot = 0; slot < SMCR_MAX_LINKS; slot++) {
		link = smcr_lgr_link_at(lgr, slot);
		if (!link)
			continue;
		if (test_bit(SMCR_LINK_F_DRAINED, &link->flags)) {
			for (rmb = NULL; (rmb = rmb_after(lgr, rmb));)
				if (rmb->maps[slot].link == link)
					smcr_rmb_unmap(rmb, slot);
			smcr_lgr_link_leave(lgr, link);
		}
		smcr_link_put(link);
	}
}

/* Make the next RMB if it is still wanted. The group stores one wanted size
 * only, so if that one is not wanted any more, handshakes that wait for another
 * size have to ask again. The confirmation of an RMB, or an error, wakes them
 * otherwise.
 */
static void rmb_more(struct smcr_lgr *lgr)
{
	bool may, wanted;
	int err = 0;
	u32 size;

	mutex_lock(&lgr->mutex);
	size = lgr->rmb_size;
	may = smcr_lgr_state(lgr) == SMCR_LGR_ACTIVE && size &&
	      !rmb_unconfirmed(lgr);
	wanted = may && want_more(lgr, size);
	mutex_unlock(&lgr->mutex);
	if (wanted)
		err = rmb_add_registered(lgr, size);
	mutex_lock(&lgr->mutex);
	/* Without a waiter the error is dropped; the next try may succeed. */
	if (lgr->rmb_awaited) {
		lgr->rmb_err = err;
		lgr->rmb_err_size = size;
	}
	mutex_unlock(&lgr->mutex);
	if (err || (may && !wanted))
		smcr_lgr_wake(lgr);
}

/* Zero the elements of an RMB that are due. If it was idle for rmb_linger_ms,
 * ask the group's work for DELETE RKEY. Return: jiffies when to look at the RMB
 * again, 0 for never.
 */
static unsigned long rmb_clean(struct smcr_lgr *lgr, struct smcr_rmb *rmb)
{
	unsigned long when;
	u32 freed;

	when = smcr_rmb_clean(rmb, &freed);
	smcr_lgr_wake_elems(lgr, rmb->elem_size, freed);
	if (when)
		return when;
	mutex_lock(&lgr->mutex);
	when = smcr_lgr_rmb_idle_at(lgr, rmb);
	mutex_unlock(&lgr->mutex);
	if (!when || time_before(jiffies, when))
		return when;
	smcr_lgr_kick(lgr, SMCR_LGR_T_RMB_IDLE);
	return 0;
}

/* Handshakes may take elements of the same RMBs meanwhile. Return: jiffies when
 * to look again, 0 for never.
 */
static unsigned long rmbs_clean(struct smcr_lgr *lgr)
{
	unsigned long when, next = 0;
	struct smcr_rmb *rmb = NULL;

	while ((rmb = rmb_after(lgr, rmb))) {
		when = rmb_clean(lgr, rmb);
		if (when && (!next || time_before(when, next)))
			next = when;
	}
	return next;
}

/**
 * smcr_lgr_rmb_work() - form a group; make, clean and free its RMBs
 * @work: smcr_lgr.rmb_work, which owns a reference to the group
 *
 * Context: process, on smcr_rmb_wq.
 */
void smcr_lgr_rmb_work(struct work_struct *work)
{
	struct smcr_lgr *lgr = container_of(to_delayed_work(work),
					    struct smcr_lgr, rmb_work);
	unsigned long next, delay;

	smcr_lgr_form_work(lgr);
	if (test_and_clear_bit(SMCR_LGR_T_FREE_ALL, &lgr->todo))
		rmbs_drop(lgr, true);
	if (test_and_clear_bit(SMCR_LGR_T_FREE, &lgr->todo))
		rmbs_drop(lgr, false);
	if (test_and_clear_bit(SMCR_LGR_T_LINK_STOPPED, &lgr->todo))
		links_clear(lgr);
	if (test_and_clear_bit(SMCR_LGR_T_NEW_LINK, &lgr->todo)) {
		smcr_lgr_form_links(lgr);
		rmbs_extend(lgr);
	}
	/* Each run cleans, so the value of the bit does not matter. The bit is
	 * cleared first, so an element that is returned after this queues
	 * another run.
	 */
	test_and_clear_bit(SMCR_LGR_T_CLEAN, &lgr->todo);
	next = rmbs_clean(lgr);
	if (test_and_clear_bit(SMCR_LGR_T_NEED_RMB, &lgr->todo))
		rmb_more(lgr);
	if (next && smcr_lgr_state(lgr) != SMCR_LGR_DEAD) {
		delay = time_after(next, jiffies) ? next - jiffies : 1;
		smcr_lgr_get(lgr);
		if (!queue_delayed_work(smcr_rmb_wq, &lgr->rmb_work, delay))
			smcr_lgr_put(lgr);
	}
	smcr_lgr_put(lgr);
}
