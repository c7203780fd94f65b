// SPDX-License-Identifier: GPL-2.0
/*
 * Links of a link group: their slots, their choice, their loss (RFC 7609 2.2,
 * 2.3, 4.8.3).
 *
 * The slot of a link in its group is the index of everything that the group
 * keeps for the link: the mappings of the local RMBs (rmb.c), the peer's keys
 * (rtoken.c), the TEST LINK under way (llc_test.c). So a link keeps its slot
 * until nothing of it is left:
 *
 *   join     smcr_lgr_link_join() gives the link its slot; RMBs are mapped
 *   lost     the link has failed. The group's work looks at it once, in
 *            smcr_lgr_links_lost(). If no other link is ACTIVE, the group ends,
 *            and lgr_end() does the rest for all links
 *   drain    a work item of the link drains it; LLC messages and connections
 *            go on meanwhile over other links. Then each connection of the
 *            group learns that nothing more can come over this one
 *   stop     another one destroys it
 *   unmap    the RMB work unmaps the RMBs from the link
 *   leave    the peer's keys on the link are dropped and the slot is empty
 *
 * A connection or handshake may hold a reference to a link that has left. So
 * does each of its mappings until it is off the device (see rmb.c).
 */
#include <linux/lockdep.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "conn.h"
#include "conn_end.h"
#include "lgr.h"
#include "lgr_links.h"
#include "lgr_policy.h"
#include "mib.h"

/**
 * smcr_lgr_link_join() - give a link its slot in its group
 * @lgr: the group
 * @link: a new link that no other context knows; the group takes over the
 *	caller's reference
 *
 * Context: process.
 * Return: 0; -EMFILE if all slots are taken; -ESHUTDOWN if the group is DEAD.
 */
int smcr_lgr_link_join(struct smcr_lgr *lgr, struct smcr_link *link)
{
	int slot, err = -EMFILE;

	spin_lock_bh(&lgr->conns_lock);
	/* lgr_end() does not stop a link that comes after the state DEAD. */
	if (lgr->state == SMCR_LGR_DEAD)
		err = -ESHUTDOWN;
	for (slot = 0; err == -EMFILE && slot < SMCR_MAX_LINKS; slot++) {
		if (lgr->links[slot])
			continue;
		link->slot = slot;
		link->age = lgr->n_joined++;
		WRITE_ONCE(lgr->links[slot], link);
		err = 0;
	}
	spin_unlock_bh(&lgr->conns_lock);
	/* A failure before this was reported when the slot was empty. */
	if (!err && smcr_link_state(link) >= SMCR_LINK_FAILED)
		smcr_lgr_link_failed(link);
	return err;
}

/**
 * smcr_lgr_link_first() - create the first link of a group
 * @lgr: a FORMING group
 * @port: local port of the link
 *
 * Context: the RMB work.
 * Return: 0; -ESHUTDOWN if the group has ended; -errno as smcr_link_new() and
 * smcr_link_build().
 */
int smcr_lgr_link_first(struct smcr_lgr *lgr, const struct smcr_port *port)
{
	struct smcr_link *link;
	u8 num = 0;
	int err;

	if (lgr->role == SMCR_SERVER)
		num = smcr_link_nums_next(&lgr->nums, NULL, 0);
	link = smcr_link_new(lgr, port, num);
	if (IS_ERR(link))
		return PTR_ERR(link);
	err = smcr_link_build(link);
	if (!err)
		err = smcr_lgr_link_join(lgr, link);
	if (err) {
		smcr_link_stop(link);
		smcr_link_put(link);
	}
	return err;
}

/* A message that names the link may still be on its way over TCP. */
static void note_left(struct smcr_links_left *left,
		      const struct smcr_link *link)
{
	u32 i = left->n++ % ARRAY_SIZE(left->peer);

	left->peer[i] = link->peer;
	left->at[i] = jiffies;
}

/**
 * smcr_lgr_link_leave() - empty the slot of a link
 * @lgr: the group
 * @link: a link that is DEAD and to which no RMB is mapped; the group's
 *	reference is dropped
 *
 * Does nothing but drop the keys if the end of the group has taken the link.
 *
 * Context: the RMB work.
 */
void smcr_lgr_link_leave(struct smcr_lgr *lgr, struct smcr_link *link)
{
	bool joined;

	spin_lock_bh(&lgr->rtoken_lock);
	smcr_rtoken_keep_link(lgr->rtokens, link->slot, link->age);
	smcr_rtoken_drop_link(lgr->rtokens, link->slot);
	set_bit(SMCR_LINK_F_LEFT, &link->flags);
	spin_unlock_bh(&lgr->rtoken_lock);
	spin_lock_bh(&lgr->conns_lock);
	joined = lgr->links[link->slot] == link;
	if (joined) {
		WRITE_ONCE(lgr->links[link->slot], NULL);
		note_left(&lgr->left, link);
	}
	spin_unlock_bh(&lgr->conns_lock);
	if (joined)
		smcr_link_put(link);
}

/**
 * smcr_lgr_link_at() - get the link in a slot
 * @lgr: the group
 * @slot: 0..SMCR_MAX_LINKS - 1
 *
 * Context: any but hard irq.
 * Return: the link with a reference, or NULL.
 */
struct smcr_link *smcr_lgr_link_at(struct smcr_lgr *lgr, int slot)
{
	struct smcr_link *link;

	spin_lock_bh(&lgr->conns_lock);
	link = lgr->links[slot];
	if (link)
		smcr_link_get(link);
	spin_unlock_bh(&lgr->conns_lock);
	return link;
}

/**
 * smcr_lgr_link_by_num() - find a link by its number
 * @lgr: the group
 * @num: link number (2.2.4)
 *
 * Context: any but hard irq.
 * Return: the link with a reference, also if it has failed; NULL if no link of
 * the group has the number.
 */
struct smcr_link *smcr_lgr_link_by_num(struct smcr_lgr *lgr, u8 num)
{
	struct smcr_link *link = NULL;
	int slot;

	spin_lock_bh(&lgr->conns_lock);
	for (slot = 0; slot < SMCR_MAX_LINKS && !link; slot++)
		if (lgr->links[slot] && lgr->links[slot]->num == num)
			link = smcr_link_get(lgr->links[slot]);
	spin_unlock_bh(&lgr->conns_lock);
	return link;
}

/**
 * smcr_lgr_link_named() - find the link that a Confirm names (3.5.2.3)
 * @lgr: the group
 * @gid: GID of the peer's end
 * @mac: its MAC address
 * @qpn: its queue pair number
 *
 * Context: any but hard irq.
 * Return: the link if it is ACTIVE, with a reference, or NULL.
 */
struct smcr_link *smcr_lgr_link_named(struct smcr_lgr *lgr, const u8 *gid,
				      const u8 *mac, u32 qpn)
{
	struct smcr_link *link = NULL;
	struct smcr_lgr_links links;
	unsigned int i;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n && !link; i++)
		if (links.link[i]->peer.qpn == qpn &&
		    !memcmp(links.link[i]->peer.gid, gid, SMCR_GID_LEN) &&
		    !memcmp(links.link[i]->peer.mac, mac, SMCR_MAC_LEN))
			link = smcr_link_get(links.link[i]);
	smcr_lgr_links_put(&links);
	return link;
}

/* How well a link suits smcr_lgr_link(); the highest rank is taken, and of
 * several such links the first.
 */
static int link_rank(const struct smcr_link *link)
{
	switch (smcr_link_state(link)) {
	case SMCR_LINK_ACTIVE:
		return 2;
	case SMCR_LINK_INIT:
	case SMCR_LINK_READY:
		return 1;
	default:
		return 0;
	}
}

/**
 * smcr_lgr_link() - select the link for a first contact or an LLC message
 * @lgr: the group
 *
 * Context: any but hard irq.
 * Return: the first ACTIVE link; without one the first link that is being set
 * up, or else one that has failed; with a reference. NULL if the group has no
 * link with a queue pair.
 */
struct smcr_link *smcr_lgr_link(struct smcr_lgr *lgr)
{
	struct smcr_link *best = NULL;
	int slot;

	spin_lock_bh(&lgr->conns_lock);
	for (slot = 0; slot < SMCR_MAX_LINKS; slot++) {
		struct smcr_link *link = lgr->links[slot];

		/* Pairs with smcr_link_build() */
		if (link && smp_load_acquire(&link->built) > 0 &&
		    (!best || link_rank(link) > link_rank(best)))
			best = link;
	}
	if (best)
		smcr_link_get(best);
	spin_unlock_bh(&lgr->conns_lock);
	return best;
}

/**
 * smcr_lgr_link_carrier() - select the link for an LLC message
 * @lgr: the group
 * @but: a link that shall not be taken, or NULL
 *
 * Context: any but hard irq.
 * Return: the first ACTIVE link, with a reference, or NULL.
 */
struct smcr_link *smcr_lgr_link_carrier(struct smcr_lgr *lgr,
					const struct smcr_link *but)
{
	struct smcr_link *link, *found = NULL;
	int slot;

	spin_lock_bh(&lgr->conns_lock);
	for (slot = 0; slot < SMCR_MAX_LINKS && !found; slot++) {
		link = lgr->links[slot];
		if (link && link != but &&
		    smcr_link_state(link) == SMCR_LINK_ACTIVE)
			found = smcr_link_get(link);
	}
	spin_unlock_bh(&lgr->conns_lock);
	return found;
}

/**
 * smcr_lgr_links_ends() - list the ports of links
 * @links: links that are connected
 * @ends: result: an entry for each link, valid while @links keeps the links
 *
 * Context: any.
 * Return: number of entries.
 */
unsigned int smcr_lgr_links_ends(const struct smcr_lgr_links *links,
				 struct smcr_link_ends *ends)
{
	unsigned int i;

	for (i = 0; i < links->n; i++) {
		const struct smcr_link *link = links->link[i];

		ends[i] = (struct smcr_link_ends){
			.dev = link->local.dev,
			.port = link->local.port,
			.peer_gid = link->peer.gid,
			.age = link->age,
		};
	}
	return links->n;
}

/**
 * smcr_lgr_links_get() - get the links of a group that have not failed
 * @lgr: the group
 * @min: the least state: SMCR_LINK_INIT for all, SMCR_LINK_ACTIVE for those
 *	that connections may use
 * @links: result, for smcr_lgr_links_put()
 *
 * Context: any but hard irq.
 */
void smcr_lgr_links_get(struct smcr_lgr *lgr, enum smcr_link_state min,
			struct smcr_lgr_links *links)
{
	struct smcr_link_ends ends[SMCR_MAX_LINKS];
	enum smcr_link_state state;
	int slot;

	links->n = 0;
	spin_lock_bh(&lgr->conns_lock);
	for (slot = 0; slot < SMCR_MAX_LINKS; slot++) {
		if (!lgr->links[slot])
			continue;
		state = smcr_link_state(lgr->links[slot]);
		if (state >= min && state <= SMCR_LINK_ACTIVE)
			links->link[links->n++] =
				smcr_link_get(lgr->links[slot]);
	}
	spin_unlock_bh(&lgr->conns_lock);
	/* Before READY, the peer's end of a link may not be known. */
	links->asymmetric = 0;
	if (min == SMCR_LINK_ACTIVE && links->n > 1)
		links->asymmetric =
			smcr_lgr_policy_asymmetric(ends,
						   smcr_lgr_links_ends(links,
								       ends));
}

/**
 * smcr_lgr_links_put() - drop the references of smcr_lgr_links_get()
 * @links: the links
 *
 * Context: any.
 */
void smcr_lgr_links_put(struct smcr_lgr_links *links)
{
	while (links->n)
		smcr_link_put(links->link[--links->n]);
}

/**
 * smcr_lgr_links_ports() - list the local ports of links
 * @links: ACTIVE links
 * @ports: result: @links->n ports, those of symmetric links first. While @links
 *	keeps the links, their devices may be compared
 *
 * Context: any.
 * Return: number of symmetric links.
 */
unsigned int smcr_lgr_links_ports(const struct smcr_lgr_links *links,
				  struct smcr_port *ports)
{
	unsigned int i, n = 0, last = links->n;

	for (i = 0; i < links->n; i++) {
		if (links->asymmetric & 1 << i)
			ports[--last] = links->link[i]->local;
		else
			ports[n++] = links->link[i]->local;
	}
	return n;
}

/**
 * smcr_lgr_connected() - count the links that may carry messages
 * @lgr: the group
 *
 * Context: any but hard irq; a connection's lock may be held.
 * Return: number of links that are connected and have not failed.
 */
unsigned int smcr_lgr_connected(struct smcr_lgr *lgr)
{
	enum smcr_link_state state;
	unsigned int n = 0;
	int slot;

	spin_lock_bh(&lgr->conns_lock);
	for (slot = 0; slot < SMCR_MAX_LINKS; slot++) {
		if (!lgr->links[slot])
			continue;
		state = smcr_link_state(lgr->links[slot]);
		n += state == SMCR_LINK_READY || state == SMCR_LINK_ACTIVE;
	}
	spin_unlock_bh(&lgr->conns_lock);
	return n;
}

/**
 * smcr_lgr_repeats() - may the peer repeat over another link what it wrote?
 * @lgr: the group
 *
 * A peer that lost a link repeats what that link did not confirm, at any time
 * until its FIN. So this stays true when only one link is left.
 *
 * Context: any.
 * Return: true if both ends have ever agreed to a second link.
 */
bool smcr_lgr_repeats(const struct smcr_lgr *lgr)
{
	return READ_ONCE(lgr->repeats);
}

/**
 * smcr_lgr_draining() - may a failed link still deliver what it has received?
 * @lgr: the group
 *
 * Context: any but hard irq; a connection's lock may be held.
 * Return: true if a link that was connected has failed and is not drained.
 */
bool smcr_lgr_draining(struct smcr_lgr *lgr)
{
	bool draining = READ_ONCE(lgr->stopping);
	int slot;

	spin_lock_bh(&lgr->conns_lock);
	for (slot = 0; slot < SMCR_MAX_LINKS && !draining; slot++)
		draining = lgr->links[slot] &&
			   smcr_link_state(lgr->links[slot]) ==
			   SMCR_LINK_FAILED &&
			   smcr_link_was_ready(lgr->links[slot]) &&
			   !test_bit(SMCR_LINK_F_QUIET,
				     &lgr->links[slot]->flags);
	spin_unlock_bh(&lgr->conns_lock);
	return draining;
}

/* Tell all connections of the group that a link is lost. */
static void tell_lost(struct smcr_lgr *lgr)
{
	struct smcr_conn *conn;
	u32 slot = 0;

	while ((conn = smcr_lgr_conn_next(lgr, &slot))) {
		smcr_conn_link_lost(conn);
		smcr_conn_put(conn);
	}
}

/* Count how long the connections of @link were without a link: from the last
 * sign of life of its adapter or its peer until now, when they have moved.
 */
static void count_failover(struct smcr_lgr *lgr, const struct smcr_link *link)
{
	unsigned long rx = READ_ONCE(link->last_rx);
	unsigned long tx = READ_ONCE(link->last_tx);
	unsigned int ms;

	ms = jiffies_to_msecs(jiffies - (time_after(tx, rx) ? tx : rx));
	if (ms < 100)
		smcr_mib_inc(lgr->net, SMCR_MIB_FAILOVERSHORT);
	else if (ms < 1000)
		smcr_mib_inc(lgr->net, SMCR_MIB_FAILOVERMEDIUM);
	else if (ms < 10000)
		smcr_mib_inc(lgr->net, SMCR_MIB_FAILOVERLONG);
	else
		smcr_mib_inc(lgr->net, SMCR_MIB_FAILOVERLONGER);
}

/* Tell all connections of the group that nothing comes from @link any more. */
static void tell_drained(struct smcr_lgr *lgr, const struct smcr_link *link)
{
	struct smcr_conn *conn;
	u32 slot = 0;

	while ((conn = smcr_lgr_conn_next(lgr, &slot))) {
		smcr_conn_link_drained(conn, link->slot);
		smcr_conn_put(conn);
	}
}

/* Tell the negative list what is known of long packets over a link. */
static void tell_mtu(const struct smcr_link *link, bool lost)
{
	const struct smcr_lgr *lgr = link->lgr;
	struct smcr_neglist_key key;

	memset(&key, 0, sizeof(key));
	key.kind = SMCR_NEGLIST_MTU;
	key.addr = lgr->key.addr;
	memcpy(key.peer_id, lgr->key.peer_id, SMCR_PEER_ID_LEN);
	memcpy(key.gid, link->local.gid, SMCR_GID_LEN);
	memcpy(key.peer_gid, link->peer.gid, SMCR_GID_LEN);
	if (lost)
		smcr_neglist_mtu_lost(lgr->net, &key, link->mtu);
	else
		smcr_neglist_mtu_proved(lgr->net, &key, link->local.mtu,
					link->mtu);
}

/**
 * smcr_lgr_link_proved() - take note of a long packet that has come from a peer
 *	that does not probe
 * @link: the link; nothing happens if none has come
 *
 * The first contact has told the negative list nothing, as it has proved one
 * direction only.
 *
 * Context: the group's work.
 */
void smcr_lgr_link_proved(struct smcr_link *link)
{
	if (READ_ONCE(link->inbound) != SMCR_LINK_I_ARRIVED)
		return;
	WRITE_ONCE(link->inbound, SMCR_LINK_I_PROVED);
	tell_mtu(link, false);
}

/* A link in use was lost, and it has passed short packets only. That may be a
 * further link, since a first contact probes the first one, or a link with
 * Linux, which does not. The next one gets a smaller MTU, as does the next
 * first contact over this path.
 */
static void long_lost(struct smcr_lgr *lgr, const struct smcr_link *link)
{
	smcr_lgr_grow_smaller(lgr, link->mtu);
	tell_mtu(link, true);
}

/* A link has failed or was deleted. The loss of the last one ends the group
 * (4.8.3).
 */
static void link_lost(struct smcr_lgr *lgr, struct smcr_link *link)
{
	bool unneeded = test_bit(SMCR_LINK_F_UNNEEDED, &link->flags);
	struct smcr_link *other = smcr_lgr_link_carrier(lgr, link);
	bool used = atomic_read(&link->n_conns) && !unneeded;
	bool new = link == lgr->llc.add.link;

	smcr_mib_inc(lgr->net, unneeded ? SMCR_MIB_LINKSREPLACED :
					  SMCR_MIB_LINKSFAILED);
	smcr_lgr_change_lost(link, other);
	if (test_bit(SMCR_LINK_F_LONG_LOST, &link->flags) &&
	    smcr_lgr_state(lgr) == SMCR_LGR_ACTIVE)
		long_lost(lgr, link);
	if (other) {
		smcr_link_put(other);
		smcr_llc_link_lost(link);
		tell_lost(lgr);
		if (used)
			count_failover(lgr, link);
		smcr_link_stop_later(link);
		if (!unneeded)
			smcr_lgr_watch_begin(link);
		/* What took the link down may have passed by then. For a link
		 * that never came into use, smcr_llc_add_failed() has set the
		 * time.
		 */
		if (!new)
			smcr_lgr_grow_again(lgr, smcr_lgr_grow_delay(lgr));
	} else if (smcr_lgr_state(lgr) == SMCR_LGR_CLOSING) {
		smcr_lgr_terminate(lgr, SMCR_RESET_GROUP_DELETED, ECONNRESET);
	} else {
		smcr_lgr_terminate(lgr, SMCR_RESET_LINK_DOWN, ECONNRESET);
	}
}

/**
 * smcr_lgr_links_lost() - handle links that have failed, each once
 * @lgr: the group
 *
 * Context: the group's work.
 */
void smcr_lgr_links_lost(struct smcr_lgr *lgr)
{
	struct smcr_link *link;
	int slot;

	for (slot = 0; slot < SMCR_MAX_LINKS; slot++) {
		link = smcr_lgr_link_at(lgr, slot);
		if (!link)
			continue;
		if (smcr_link_state(link) >= SMCR_LINK_FAILED &&
		    !smcr_llc_add_makes(link) &&
		    !test_and_set_bit(SMCR_LINK_F_LOST, &link->flags))
			link_lost(lgr, link);
		smcr_link_put(link);
	}
}

/**
 * smcr_lgr_links_balance() - let connections move to a link that is new
 * @lgr: a group of which one more link is ACTIVE
 *
 * Context: the group's work.
 */
void smcr_lgr_links_balance(struct smcr_lgr *lgr)
{
	struct smcr_conn *conn;
	u32 slot = 0;

	while ((conn = smcr_lgr_conn_next(lgr, &slot))) {
		smcr_conn_link_ready(conn);
		smcr_conn_put(conn);
	}
}

/**
 * smcr_lgr_links_end() - take all links from a group that ends
 * @lgr: a DEAD group
 * @links: result: its links, with the group's references; all have failed
 *
 * After this no context finds a link in the group.
 *
 * Context: the group's work.
 */
void smcr_lgr_links_end(struct smcr_lgr *lgr, struct smcr_lgr_links *links)
{
	unsigned int i;
	int slot;

	links->n = 0;
	mutex_lock(&lgr->mutex);
	spin_lock_bh(&lgr->conns_lock);
	WRITE_ONCE(lgr->stopping, true);
	for (slot = 0; slot < SMCR_MAX_LINKS; slot++) {
		if (lgr->links[slot])
			links->link[links->n++] = lgr->links[slot];
		WRITE_ONCE(lgr->links[slot], NULL);
	}
	spin_unlock_bh(&lgr->conns_lock);
	for (i = 0; i < links->n; i++)
		smcr_link_fail(links->link[i], -ESHUTDOWN);
	mutex_unlock(&lgr->mutex);
}

/**
 * smcr_lgr_links_drain() - drain the links of a group that ends
 * @lgr: a DEAD group
 * @links: its links, from smcr_lgr_links_end()
 *
 * On return, the group's connections have all that the peer has sent: what a
 * link had received is handled, and a move of the peer that waited for a drain
 * is decided. A link that was never connected has brought nothing, and the RMB
 * work may be inside its device, so the connections do not wait for it.
 *
 * Context: smcr_drain_wq.
 */
void smcr_lgr_links_drain(struct smcr_lgr *lgr,
			  const struct smcr_lgr_links *links)
{
	unsigned int i;

	for (i = 0; i < links->n; i++)
		if (smcr_link_was_ready(links->link[i]) &&
		    !smcr_link_drain(links->link[i]))
			smcr_link_stop(links->link[i]);
	WRITE_ONCE(lgr->stopping, false);
	for (i = 0; i < links->n; i++)
		tell_drained(lgr, links->link[i]);
}

/**
 * smcr_lgr_links_stop() - take the links of a group that ends down
 * @links: its links; those that were ever connected are drained
 *
 * This may take long (smcr_link_drain()), so the group has reset its
 * connections before.
 *
 * Context: smcr_stop_wq.
 */
void smcr_lgr_links_stop(const struct smcr_lgr_links *links)
{
	unsigned int i;

	for (i = 0; i < links->n; i++)
		smcr_link_stop(links->link[i]);
}

/**
 * smcr_lgr_link_failed() - handle the failure of a link
 * @link: the link; its gate is closed
 *
 * Context: any.
 */
void smcr_lgr_link_failed(struct smcr_link *link)
{
	smcr_lgr_kick(link->lgr, SMCR_LGR_T_LINK_FAILED);
}

/**
 * smcr_lgr_link_drained() - nothing comes from a link that was lost any more
 * @link: the link; smcr_lgr_link_stopped() follows
 *
 * Context: process.
 */
void smcr_lgr_link_drained(struct smcr_link *link)
{
	tell_drained(link->lgr, link);
	/* For a DELETE LINK that waits for this */
	smcr_lgr_queue(link->lgr);
}

/**
 * smcr_lgr_link_stopped() - a link that was lost is DEAD
 * @link: the link
 *
 * Context: process.
 */
void smcr_lgr_link_stopped(struct smcr_link *link)
{
	tell_drained(link->lgr, link);
	set_bit(SMCR_LINK_F_DRAINED, &link->flags);
	smcr_lgr_kick(link->lgr, SMCR_LGR_T_LINK_STOPPED);
}

/**
 * smcr_lgr_link_doubtful() - send TEST LINK over a link that may have failed
 * @link: the link
 *
 * Context: any.
 */
void smcr_lgr_link_doubtful(struct smcr_link *link)
{
	set_bit(SMCR_LINK_F_DOUBTFUL, &link->flags);
	smcr_lgr_kick(link->lgr, SMCR_LGR_T_TEST);
}

/**
 * smcr_lgr_link_accuse() - test a link after a RST, which the loss of the
 *	peer's long packets may have caused
 * @link: the link of the connection whose TCP was reset
 *
 * When Linux's adapter gets no acknowledgment, it gives up the queue pair, and
 * Linux resets TCP. This end cannot see what was lost. But if no long packet
 * has ever come, and a TEST LINK runs out of retries now, the next link has a
 * smaller MTU. If the peer answers, all is well.
 *
 * Context: any.
 */
void smcr_lgr_link_accuse(struct smcr_link *link)
{
	if (cmpxchg(&link->inbound, SMCR_LINK_I_UNPROVED,
		    SMCR_LINK_I_ACCUSED) == SMCR_LINK_I_UNPROVED)
		smcr_lgr_link_doubtful(link);
}

/**
 * smcr_lgr_link_port_lost() - a link's port, netdev or GID may have gone
 * @link: the link; tested by TEST LINK if its group has another one
 *
 * Context: any.
 */
void smcr_lgr_link_port_lost(struct smcr_link *link)
{
	set_bit(SMCR_LINK_F_PORT_LOST, &link->flags);
	smcr_lgr_kick(link->lgr, SMCR_LGR_T_TEST);
}

/**
 * smcr_lgr_link_probe() - send a TEST LINK that begins after this call
 * @link: the link
 * @test: result; smcr_link_tested() tells its answer
 *
 * smcr_conn_eof_tested() and smcr_conn_tcp_tested() report the answer.
 *
 * Context: any.
 */
void smcr_lgr_link_probe(struct smcr_link *link, struct smcr_link_test *test)
{
	/* A test that begins after the counter was read has a higher number. */
	test->age = link->age;
	test->nr = READ_ONCE(link->tests) + 1;
	set_bit(SMCR_LINK_F_PROBE, &link->flags);
	smcr_lgr_kick(link->lgr, SMCR_LGR_T_TEST);
}

/**
 * smcr_lgr_links_doubtful() - send TEST LINK over all links of a group
 * @lgr: the group, which the peer may have lost
 *
 * Context: any but hard irq.
 */
void smcr_lgr_links_doubtful(struct smcr_lgr *lgr)
{
	struct smcr_lgr_links links;
	unsigned int i;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++)
		smcr_lgr_link_doubtful(links.link[i]);
	smcr_lgr_links_put(&links);
}

/* Does the group have a link on a device, and no ACTIVE link on another? */
static bool lgr_needs(struct smcr_lgr *lgr, const struct smcr_ibdev *dev)
{
	bool uses = false, survives = false;
	const struct smcr_link *link;
	int slot;

	spin_lock_bh(&lgr->conns_lock);
	for (slot = 0; slot < SMCR_MAX_LINKS; slot++) {
		link = lgr->links[slot];
		if (!link)
			continue;
		if (link->local.dev == dev)
			uses = true;
		else if (smcr_link_state(link) == SMCR_LINK_ACTIVE)
			survives = true;
	}
	spin_unlock_bh(&lgr->conns_lock);
	return uses && !survives;
}

/**
 * smcr_lgr_device_removed() - end the groups that only a device connects
 * @dev: the device; its links have failed, and no new link can be made on it
 *
 * Does not wait for their end; ib.c waits for the device's references.
 *
 * Context: process.
 */
void smcr_lgr_device_removed(struct smcr_ibdev *dev)
{
	struct smcr_lgr *lgr;
	struct net *net;

	down_read(&net_rwsem);
	for_each_net(net)
		for (lgr = smcr_lgr_next(net, NULL); lgr;
		     lgr = smcr_lgr_next(net, lgr))
			if (lgr_needs(lgr, dev))
				smcr_lgr_terminate(lgr,
						   SMCR_RESET_DEVICE_REMOVED,
						   ECONNRESET);
	up_read(&net_rwsem);
}

/* How many ports of a device do the symmetric links of a group use? */
static u32 ports_used(struct smcr_lgr *lgr, const struct smcr_ibdev *dev)
{
	struct smcr_port port[SMCR_MAX_LINKS];
	struct smcr_lgr_links links;
	u32 used = 0;
	unsigned int n;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	n = smcr_lgr_links_ports(&links, port);
	while (n--)
		used += port[n].dev == dev;
	smcr_lgr_links_put(&links);
	return used;
}

/**
 * smcr_lgr_port_ready() - a port may be used, or has one more GID
 * @dev: its device
 *
 * Groups whose symmetric links do not use all ports of the device look for a
 * further link. A host may have thousands of groups, and an address more is
 * such an event.
 *
 * Context: process.
 */
void smcr_lgr_port_ready(struct smcr_ibdev *dev)
{
	struct smcr_lgr *lgr;
	struct net *net;
	u32 ports;

	down_read(&net_rwsem);
	for_each_net(net) {
		ports = smcr_ib_ports_in(dev, net);
		if (!ports)
			continue;
		for (lgr = smcr_lgr_next(net, NULL); lgr;
		     lgr = smcr_lgr_next(net, lgr))
			if (ports_used(lgr, dev) < ports)
				smcr_lgr_kick(lgr, SMCR_LGR_T_GROW);
	}
	up_read(&net_rwsem);
}
