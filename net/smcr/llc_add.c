// SPDX-License-Identifier: GPL-2.0
/*
 * ADD LINK, in both roles (RFC 7609 3.5.1.6, 3.5.5.1.1, 3.5.5.1.2, A.3.2,
 * A.3.3, C.7).
 *
 *      server                                      client
 *        | ADD LINK: port, QP, link number ------------> |  over the carrier
 *        | <------------ ADD LINK, R: port, QP           |
 *        |                        both: QP to RTS, register the RMBs
 *        | ADD LINK CONTINUATION: keys of RMBs --------> |
 *        | <-- ADD LINK CONTINUATION, R: keys of RMBs    |
 *        |                        until both ends have told all keys
 *        | CONFIRM LINK -------------------------------> |  over the new link
 *        | <----------------------- CONFIRM LINK, R      |
 *
 * The group's work carries the exchange out. The RMB work builds and connects
 * the new link, maps the RMBs to it and registers them (SMCR_LGR_T_NEW_LINK),
 * which may take an adapter long. The new link has a slot from the start, so
 * that an RMB that is made meanwhile is mapped to it as well.
 *
 * The exchange begins when the RMB work is asked for the link. Its first
 * message, the server's offer or the client's agreement, follows when the
 * server's end is built, or the client's end is connected and the RMBs are
 * registered on it (add.making). Until then the peer knows nothing of this end
 * of the link. If that takes too long, the exchange ends: a server offers
 * nothing in a first contact, for which the client waits, and a client refuses.
 */
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "ib.h"
#include "lgr.h"
#include "lgr_links.h"
#include "lgr_policy.h"
#include "link.h"
#include "llc_exchange.h"
#include "llc_msg.h"
#include "mib.h"
#include "rmb.h"

/* Links that a client sets up in a second. A server adds seven to a new group,
 * and after that one in net.smcr.link_retry_min_ms.
 */
#define OFFERS_PER_SECOND	16u

/**
 * struct choice - the local end of a further link
 * @port: the port
 * @spare: the port was spare, and is kept; otherwise it is the carrier's
 * @open: there may be a spare port, for which a device is being asked; the
 *	group looks again after its answer
 * @far: the port is not on the peer's LAN by its addresses
 */
struct choice {
	struct smcr_port	port;
	bool			spare;
	bool			open;
	bool			far;
};

static bool same_port(const struct smcr_port *a, const struct smcr_port *b)
{
	return a->dev == b->dev && a->port == b->port;
}

static bool same_peer(const struct smcr_link *link, const u8 *gid,
		      const u8 *mac)
{
	return !memcmp(link->peer.gid, gid, SMCR_GID_LEN) &&
	       !memcmp(link->peer.mac, mac, SMCR_MAC_LEN);
}

static unsigned int live_nums(struct smcr_lgr *lgr, u8 *nums)
{
	unsigned int n = 0;
	int slot;

	spin_lock_bh(&lgr->conns_lock);
	for (slot = 0; slot < SMCR_MAX_LINKS; slot++)
		if (lgr->links[slot] && lgr->links[slot]->num)
			nums[n++] = lgr->links[slot]->num;
	spin_unlock_bh(&lgr->conns_lock);
	return n;
}

/* How often did a link to this port of the server fail, as far as the client
 * remembers? Older failures count together.
 */
static unsigned int times_tried(const struct smcr_llc *llc, const u8 *gid)
{
	unsigned int i, n = llc->n_tried / ARRAY_SIZE(llc->tried);

	for (i = 0; i < min_t(u32, llc->n_tried, ARRAY_SIZE(llc->tried)); i++)
		n += !memcmp(llc->tried[i], gid, SMCR_GID_LEN);
	return n;
}

/**
 * smcr_llc_add_near() - is a further link confined to the peer's LAN?
 * @lgr: the group
 *
 * Most ports that are not on the peer's LAN by their addresses do not reach the
 * peer, and the GID of such a port is nothing that each peer should know. In a
 * first contact data would wait for the link (3.5.1.6.2). Later such ports are
 * tried a few times, since the peer may have one on the same LAN, and without
 * an end only once the group has had a link with one.
 *
 * Context: the group's work.
 * Return: true if only ports on the peer's LAN may be used.
 */
bool smcr_llc_add_near(const struct smcr_lgr *lgr)
{
	return smcr_lgr_state(lgr) == SMCR_LGR_FORMING ||
	       (!lgr->llc.far_works &&
		lgr->llc.far_failures == SMCR_LLC_FAR_TRIES);
}

/* Choose the local port of a further link: an adapter port that no link uses,
 * or else one that only an asymmetric link uses, which the further link may
 * replace; or else, for a link that is asymmetric at this end, the port of the
 * carrier. A client asks for a link only if no link uses the port. An offer
 * that did not lead to a link may have named a port that does not reach the
 * peer, so the next offer names another one; and a client answers the next
 * offer of the same port with another one of its own.
 */
static void choose_port(struct smcr_lgr *lgr, const struct smcr_link *carrier,
			const u8 *peer_gid, struct choice *choice)
{
	struct smcr_port used[SMCR_MAX_LINKS];
	struct smcr_ib_spare_want want = {
		.first = &carrier->local,
		.peer_gid = peer_gid,
		.first_peer = carrier->peer.gid,
		.asked = lgr->llc.add_asked ? lgr->llc.asked_gid : NULL,
		.nth = peer_gid ? times_tried(&lgr->llc, peer_gid) :
				  lgr->llc.add_failures,
		.pages = smcr_lgr_rmb_pages(lgr),
		.near = smcr_llc_add_near(lgr),
	};
	struct smcr_lgr_links links;
	unsigned int n;
	int found;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	n = smcr_lgr_links_ports(&links, used);
	if (lgr->role == SMCR_SERVER || peer_gid)
		want.n_asymmetric = links.n - n;
	found = smcr_ib_port_spare(lgr->net, used, links.n, &want,
				   &choice->port);
	smcr_lgr_links_put(&links);
	choice->spare = found >= 0;
	choice->open = found == -EINPROGRESS;
	choice->far = found > 0;
	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING &&
	    (found == -EXDEV || choice->open))
		lgr->llc.look_again = true;
	if (choice->spare)
		return;
	choice->port = carrier->local;
	choice->far = peer_gid && !smcr_ib_port_near(lgr->net, &choice->port,
						     peer_gid);
}

static void drop_choice(struct choice *choice)
{
	if (choice->spare)
		smcr_ib_port_drop(&choice->port);
}

/* Forget the exchange; the new link, if it is ACTIVE, stays in the group. */
static void add_end(struct smcr_lgr *lgr)
{
	struct smcr_llc_add *add = &lgr->llc.add;

	if (add->link)
		smcr_link_put(add->link);
	if (add->carrier)
		smcr_link_put(add->carrier);
	kfree(add->pairs);
	memset(add, 0, sizeof(*add));
	WRITE_ONCE(lgr->llc.step_deadline, 0);
}

/* Take a link out of the group that no connection uses and that has not failed
 * by itself, so LinksFailed does not count it.
 */
static void discard_link(struct smcr_link *link)
{
	if (test_and_set_bit(SMCR_LINK_F_LOST, &link->flags))
		return;
	smcr_link_fail(link, -ESHUTDOWN);
	smcr_link_stop_later(link);
}

/* Is the RMB work still to build a link that has not been made in time? */
static bool rmb_work_late(struct smcr_lgr *lgr)
{
	struct smcr_link *link;
	bool late = false;
	int slot;

	spin_lock_bh(&lgr->conns_lock);
	for (slot = 0; slot < SMCR_MAX_LINKS; slot++) {
		link = lgr->links[slot];
		late |= link && !READ_ONCE(link->built);
	}
	spin_unlock_bh(&lgr->conns_lock);
	return late;
}

/* Give the new link a slot, and have its local end made. */
static int new_link(struct smcr_lgr *lgr, struct smcr_link *carrier,
		    const struct choice *choice, u8 num)
{
	struct smcr_port local = choice->port;
	struct smcr_llc_add *add = &lgr->llc.add;
	struct smcr_link *link;
	int err;

	local.mtu = min(local.mtu, smcr_lgr_grow_mtu(lgr));
	if (!local.mtu)
		return -EMSGSIZE;
	if (rmb_work_late(lgr))
		return -EBUSY;
	link = smcr_link_new(lgr, &local, num);
	if (IS_ERR(link))
		return PTR_ERR(link);
	link->added = lgr->change.n_lost ? SMCR_LINK_R_REPLACEMENT :
					   SMCR_LINK_R_ADDED;
	err = smcr_lgr_link_join(lgr, link);
	if (err) {
		smcr_link_stop(link);
		smcr_link_put(link);
		return err;
	}
	add->link = smcr_link_get(link);
	add->carrier = smcr_link_get(carrier);
	add->making = true;
	add->spare = choice->spare;
	add->far = choice->far;
	smcr_lgr_kick(lgr, SMCR_LGR_T_NEW_LINK);
	return 0;
}

static void fill_add_link(struct smcr_llc_msg *msg,
			  const struct smcr_link *link, bool reply)
{
	*msg = (struct smcr_llc_msg){
		.type = SMCR_LLC_ADD_LINK,
		.reply = reply,
		.add_link = {
			.qpn = link->qpn,
			.link_num = link->num,
			.mtu = link->local.mtu,
			.psn = link->psn,
		},
	};
	memcpy(msg->add_link.mac, link->local.mac, SMCR_MAC_LEN);
	memcpy(msg->add_link.gid, link->local.gid, SMCR_GID_LEN);
}

/* Time to make the local end of the new link. Most peers wait for a message
 * meanwhile, as long as for an answer; the client of a later offer does not.
 */
static unsigned long make_deadline(const struct smcr_lgr *lgr)
{
	return jiffies + (smcr_llc_deadline(lgr) - jiffies) / 2;
}

/* Begin to make the server's end of the link to offer. If the spare port cannot
 * have one, the next offer names another port. The port of a single link can be
 * offered in its place: the client may have a second port.
 */
static int offer_link(struct smcr_lgr *lgr, struct smcr_link *carrier, u8 num)
{
	struct choice choice;
	int err;

	choose_port(lgr, carrier, NULL, &choice);
	err = new_link(lgr, carrier, &choice, num);
	drop_choice(&choice);
	if (!err || !choice.spare)
		return err;
	lgr->llc.add_failures++;
	if (smcr_lgr_connected(lgr) > 1)
		return err;
	choice = (struct choice){ .port = carrier->local };
	return new_link(lgr, carrier, &choice, num);
}

/* Send an offer of add.link, or the empty one. */
static int send_offer(struct smcr_lgr *lgr, struct smcr_link *carrier,
		      const struct smcr_llc_msg *msg)
{
	int err = smcr_llc_send(carrier, msg, SMCR_LLC_COOKIE_STEP);

	if (err)
		return err;
	lgr->llc.link_request = *msg;
	smcr_mib_inc(lgr->net, SMCR_MIB_ADDLINKSENT);
	WRITE_ONCE(lgr->llc.step_deadline, smcr_llc_deadline(lgr));
	return 0;
}

/* Offer nothing: without ADD LINK, the client of a first contact ends the group
 * (C.7.1). It refuses an MTU code of 0, whatever ports it has (3.5.1.6.1), and
 * so does Linux. The other fields are those of the carrier, which both ends
 * have and no port of the client can use again.
 */
static int offer_nothing(struct smcr_lgr *lgr, struct smcr_link *carrier,
			 u8 num)
{
	struct smcr_llc_msg msg;

	fill_add_link(&msg, carrier, false);
	msg.add_link.link_num = num;
	msg.add_link.mtu = 0;
	smcr_mib_inc(lgr->net, SMCR_MIB_ADDLINKEMPTY);
	return send_offer(lgr, carrier, &msg);
}

/**
 * smcr_llc_add_offer() - begin to offer a link (server)
 * @lgr: a group in which no exchange is under way, or a first contact whose
 *	first link is confirmed
 * @carrier: an ACTIVE link
 *
 * A first contact is not lost if this host cannot create the link: the group
 * has one link, and tries again later.
 *
 * Context: the group's work.
 * Return: 0 or -errno; in a first contact, the carrier has failed then.
 */
int smcr_llc_add_offer(struct smcr_lgr *lgr, struct smcr_link *carrier)
{
	bool first = lgr->llc.flow.step == SMCR_LLC_FIRST_ADD;
	u8 live[SMCR_MAX_LINKS];
	int num, err;

	num = smcr_link_nums_next(&lgr->nums, live, live_nums(lgr, live));
	if (num < 0)
		return num;
	smcr_link_nums_drop(&lgr->llc.withdrawn, num);
	err = offer_link(lgr, carrier, num);
	if (err && !first)
		return err;
	smcr_llc_step(lgr, SMCR_LLC_EV_ADD_SENT);
	if (err)
		return offer_nothing(lgr, carrier, num);
	WRITE_ONCE(lgr->llc.step_deadline, make_deadline(lgr));
	return 0;
}

/**
 * smcr_llc_add_close() - end the exchange in a group that becomes CLOSING
 * @lgr: the group
 *
 * It sends no further message then, and the link that the RMB work is about to
 * make is not needed.
 *
 * Context: the group's work.
 */
void smcr_llc_add_close(struct smcr_lgr *lgr)
{
	if (lgr->llc.add.making)
		discard_link(lgr->llc.add.link);
	add_end(lgr);
}

/**
 * smcr_llc_add_flush() - drop the exchange of a group that ends
 * @lgr: the group; it has taken its links
 *
 * Context: the group's work.
 */
void smcr_llc_add_flush(struct smcr_lgr *lgr)
{
	add_end(lgr);
}

/* A link with a port that is not on the peer's LAN was not set up. */
static void far_failed(struct smcr_lgr *lgr)
{
	if (lgr->llc.far_failures == SMCR_LLC_FAR_TRIES)
		return;
	if (++lgr->llc.far_failures == SMCR_LLC_FAR_TRIES &&
	    !lgr->llc.far_works)
		smcr_mib_inc(lgr->net, SMCR_MIB_ADDLINKGIVENUP);
}

/**
 * smcr_llc_add_failed() - end the exchange without a new link
 * @lgr: the group
 * @tell: the peer may have its end of the link, so DELETE LINK must follow,
 *	unless the peer does not know of the link yet. In a first contact, data
 *	waits for that (3.5.1.6.2)
 *
 * Context: the group's work.
 */
void smcr_llc_add_failed(struct smcr_lgr *lgr, bool tell)
{
	struct smcr_link *link = lgr->llc.add.link;

	if (!link)
		return;
	tell &= !lgr->llc.add.making;
	smcr_llc_step(lgr, SMCR_LLC_EV_ADD_FAILED);
	lgr->llc.add_failures++;
	if (lgr->llc.add.far)
		far_failed(lgr);
	memcpy(lgr->llc.tried[lgr->llc.n_tried++ % ARRAY_SIZE(lgr->llc.tried)],
	       link->peer.gid, SMCR_GID_LEN);
	smcr_lgr_watch_begin(link);
	discard_link(link);
	if (tell)
		smcr_llc_tell_lost(lgr, link, false);
	add_end(lgr);
	smcr_lgr_grow_failed(lgr);
	/* A client waits for the server's DELETE LINK, but not without end. */
	if (tell && smcr_lgr_state(lgr) == SMCR_LGR_FORMING)
		WRITE_ONCE(lgr->llc.step_deadline, smcr_llc_deadline(lgr));
	smcr_lgr_queue(lgr);
}

/* Server: end the exchange, although the client may still agree to it. */
static void withdraw(struct smcr_lgr *lgr)
{
	if (!lgr->llc.add.making) {
		smcr_link_nums_take(&lgr->llc.withdrawn,
				    lgr->llc.add.link->num, NULL, 0);
		smcr_mib_inc(lgr->net, SMCR_MIB_ADDLINKWITHDRAWN);
	}
	smcr_llc_add_failed(lgr, false);
}

/**
 * smcr_llc_add_withdraw() - a Linux peer does not go on with ADD LINK in time
 * @lgr: the group; ADD LINK or its continuation was sent
 *
 * A Linux host that cleans up a link keeps the next message about links until
 * that is done, which takes as long as its adapter takes, or ignores it. So the
 * missing answer says nothing about the carrier; TEST LINK does.
 *
 * Context: the group's work.
 */
void smcr_llc_add_withdraw(struct smcr_lgr *lgr)
{
	smcr_lgr_link_doubtful(lgr->llc.add.carrier);
	if (lgr->llc.flow.step == SMCR_LLC_ADD_REPLY)
		withdraw(lgr);
	else
		smcr_llc_add_failed(lgr, true);
}

/**
 * smcr_llc_add_late() - a Linux client answers an offer that was withdrawn
 * @lgr: the group
 * @msg: a message
 *
 * If the client has agreed, it waits for the next message of the exchange, and
 * ignores another offer that was sent meanwhile.
 *
 * Context: the group's work.
 * Return: true if @msg is that answer, the first one to this offer.
 */
bool smcr_llc_add_late(struct smcr_lgr *lgr, const struct smcr_llc_msg *msg)
{
	if (msg->type != SMCR_LLC_ADD_LINK || !msg->reply ||
	    !smcr_link_nums_drop(&lgr->llc.withdrawn, msg->add_link.link_num))
		return false;
	if (msg->add_link.reject)
		return true;
	if (lgr->llc.flow.step == SMCR_LLC_ADD_REPLY)
		withdraw(lgr);
	smcr_llc_tell_undone(lgr, msg->add_link.link_num);
	smcr_lgr_grow_asked(lgr, smcr_lgr_grow_delay(lgr));
	return true;
}

/* Is the new link's port in another subnet than the carrier's? The peer may
 * have named a GID of its own in that subnet.
 */
static bool is_far(const struct smcr_lgr *lgr)
{
	const struct smcr_llc_add *add = &lgr->llc.add;

	return add->far || !smcr_ib_port_near(lgr->net, &add->carrier->local,
					      add->link->local.gid);
}

/**
 * smcr_llc_add_confirmed() - the new link is confirmed and may be used
 * @lgr: the group
 *
 * Context: the group's work.
 */
void smcr_llc_add_confirmed(struct smcr_lgr *lgr)
{
	smcr_mib_inc(lgr->net, SMCR_MIB_LINKSADDED);
	lgr->llc.add_failures = 0;
	lgr->llc.n_tried = 0;
	lgr->llc.far_works |= is_far(lgr);
	lgr->llc.add_asked = false;
	smcr_lgr_watch_end(lgr->llc.add.link);
	add_end(lgr);
	smcr_lgr_links_balance(lgr);
	smcr_lgr_grow_again(lgr, 0);
	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING)
		smcr_llc_ready(lgr);
	/* An RMB that was registered meanwhile is told now. */
	smcr_lgr_kick(lgr, SMCR_LGR_T_RMB_REG);
}

/* Client: tell the server about a spare port (3.5.5.1.2), or that an offer may
 * be accepted now. The server may not answer.
 */
static void ask_link(struct smcr_lgr *lgr, struct smcr_link *carrier)
{
	struct smcr_llc_msg msg = { .type = SMCR_LLC_ADD_LINK };
	u8 mtu = smcr_lgr_grow_mtu(lgr);
	struct choice choice;

	/* It could agree to no offer. */
	if (!mtu)
		return;
	choose_port(lgr, carrier, NULL, &choice);
	if (!choice.spare && !lgr->llc.add_missed)
		return;
	msg.add_link.mtu = min(choice.port.mtu, mtu);
	memcpy(msg.add_link.mac, choice.port.mac, SMCR_MAC_LEN);
	memcpy(msg.add_link.gid, choice.port.gid, SMCR_GID_LEN);
	drop_choice(&choice);
	if (!smcr_llc_send(carrier, &msg, SMCR_LLC_COOKIE_NONE))
		smcr_mib_inc(lgr->net, SMCR_MIB_ADDLINKSENT);
}

/**
 * smcr_llc_add_start() - offer a further link (server) or ask for one (client)
 * @lgr: an ACTIVE group in which no exchange is under way
 *
 * Context: the group's work.
 */
void smcr_llc_add_start(struct smcr_lgr *lgr)
{
	struct smcr_link *carrier = smcr_lgr_link_carrier(lgr, NULL);

	if (!carrier)
		return;
	/* A DELETE LINK that is due goes first: the client may still be adding
	 * the link that it names.
	 */
	if (lgr->role == SMCR_CLIENT)
		ask_link(lgr, carrier);
	else if (!lgr->llc.n_due)
		smcr_llc_add_offer(lgr, carrier);
	smcr_link_put(carrier);
}

/* May the peer's end of a link be where ADD LINK says? CLC messages are checked
 * alike. RDMA to a GID of this host would loop back to it, as the first link of
 * a group of this host with itself does (net.smcr.loopback).
 */
static bool end_credible(const struct smcr_link *carrier,
			 const struct smcr_llc_add_link *msg)
{
	const struct net *net = carrier->lgr->net;

	if (!smcr_gid_usable(msg->gid) || !smcr_mac_usable(msg->mac))
		return false;
	return !smcr_ib_gid_is_ours(net, msg->gid) ||
	       smcr_ib_gid_is_ours(net, carrier->peer.gid);
}

/* Both ends have agreed: have the new link's queue pair brought to RTS, and the
 * RMBs registered on it.
 */
static void connect_link(struct smcr_lgr *lgr,
			 const struct smcr_llc_add_link *msg)
{
	struct smcr_link_peer peer = {
		.mtu = msg->mtu,
		.qpn = msg->qpn,
		.psn = msg->psn,
	};

	memcpy(peer.gid, msg->gid, SMCR_GID_LEN);
	memcpy(peer.mac, msg->mac, SMCR_MAC_LEN);
	WRITE_ONCE(lgr->repeats, true);
	smcr_lgr_form_connect(lgr->llc.add.link, &peer);
}

static void refuse(struct smcr_link *link, u8 num, u8 reason)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_llc_msg reply = {
		.type = SMCR_LLC_ADD_LINK,
		.reply = true,
		.add_link = {
			.link_num = num,
			.reject = true,
			.reason = reason,
		},
	};

	memcpy(reply.add_link.mac, link->local.mac, SMCR_MAC_LEN);
	memcpy(reply.add_link.gid, link->local.gid, SMCR_GID_LEN);
	if (smcr_llc_send(link, &reply, SMCR_LLC_COOKIE_NONE))
		return;
	smcr_mib_inc(lgr->net, SMCR_MIB_ADDLINKREFUSED);
	smcr_llc_step(lgr, SMCR_LLC_EV_ADD_REFUSED);
	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING)
		smcr_llc_ready(lgr);
}

/* What the client knows when ADD LINK arrives; see lgr_policy.c. */
static void add_view(struct smcr_lgr *lgr, const struct smcr_llc_add_link *msg,
		     bool spare, struct smcr_add_link_view *view)
{
	struct smcr_lgr_links links;
	unsigned int i;

	*view = (struct smcr_add_link_view){
		.mtu = msg->mtu,
		.spare_port = spare,
		.max_links = lgr->max_links,
	};
	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++) {
		if (links.asymmetric & 1 << i) {
			view->has_asymmetric = true;
			continue;
		}
		view->nr_symmetric++;
		view->same_peer_port |= same_peer(links.link[i], msg->gid,
						  msg->mac);
	}
	smcr_lgr_links_put(&links);
}

/* Client: count an offer. A server could offer a link and delete it again
 * thousands of times in a second, each of which takes a queue pair here.
 * Return: false if there were too many.
 */
static bool in_offer_rate(struct smcr_llc *llc)
{
	if (!llc->n_offers || time_after_eq(jiffies, llc->offers_at + HZ)) {
		llc->offers_at = jiffies;
		llc->n_offers = 0;
	}
	if (llc->n_offers >= OFFERS_PER_SECOND)
		return false;
	llc->n_offers++;
	return true;
}

/* Client: the link cannot be made. The server makes no other offer for long, so
 * ask for one later, when there may be memory again.
 */
static void agree_later(struct smcr_lgr *lgr)
{
	lgr->llc.add_missed = true;
	smcr_lgr_grow_failed(lgr);
}

/* Client: agree to ADD LINK over the chosen port, once the link is connected.
 * Return: the reason of a refusal, or 0.
 */
static u8 agree(struct smcr_link *link, const struct smcr_llc_add_link *msg,
		const struct choice *choice)
{
	struct smcr_lgr *lgr = link->lgr;

	if (!in_offer_rate(&lgr->llc) ||
	    new_link(lgr, link, choice, msg->link_num)) {
		agree_later(lgr);
		return SMCR_LLC_ADD_NO_PATH;
	}
	connect_link(lgr, msg);
	smcr_llc_step(lgr, SMCR_LLC_EV_ADD_AGREED);
	WRITE_ONCE(lgr->llc.step_deadline, make_deadline(lgr));
	return 0;
}

/* Does an asymmetric link end at a port that no symmetric link uses? */
static bool has_own_port(struct smcr_lgr *lgr)
{
	struct smcr_port ports[SMCR_MAX_LINKS];
	struct smcr_lgr_links links;
	unsigned int i, k, n;
	bool own = false;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	n = smcr_lgr_links_ports(&links, ports);
	for (i = n; i < links.n && !own; i++) {
		for (k = 0; k < n && !same_port(&ports[i], &ports[k]); k++)
			;
		own = k == n;
	}
	smcr_lgr_links_put(&links);
	return own;
}

/* Client: answer ADD LINK (3.5.1.6.1). Without a spare port, though an
 * asymmetric link has a port of its own, that port is not ready at the moment,
 * or a device is being asked whether it is. The server tries again late, so the
 * client asks when the port is ready.
 */
static void add_request(struct smcr_link *link,
			const struct smcr_llc_add_link *msg)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_add_link_view view;
	u8 live[SMCR_MAX_LINKS];
	struct choice choice;
	u8 reason;

	lgr->llc.add_missed = false;
	choose_port(lgr, link, msg->gid, &choice);
	add_view(lgr, msg, choice.spare, &view);
	reason = smcr_lgr_policy_add_link(&view);
	if (!reason && (choice.open || !end_credible(link, msg) ||
			!smcr_gid_alike(msg->gid, choice.port.gid) ||
			(choice.far && smcr_llc_add_near(lgr))))
		reason = SMCR_LLC_ADD_NO_PATH;
	if (!reason && (!smcr_add_link_names_link(msg) ||
			smcr_link_nums_take(&lgr->nums, msg->link_num, live,
					    live_nums(lgr, live))))
		smcr_llc_broken(link, "ADD LINK names a link in use");
	else if (!reason)
		reason = agree(link, msg, &choice);
	if (reason)
		refuse(link, msg->link_num, reason);
	if (choice.open || (reason == SMCR_LLC_ADD_NO_PATH && !choice.spare &&
			    has_own_port(lgr)))
		lgr->llc.add_missed = true;
	drop_choice(&choice);
}

/* Would the new link be parallel to another one? */
static bool is_parallel(struct smcr_lgr *lgr,
			const struct smcr_llc_add_link *msg)
{
	const struct smcr_link *new = lgr->llc.add.link;
	struct smcr_lgr_links links;
	bool parallel = false;
	unsigned int i;

	smcr_lgr_links_get(lgr, SMCR_LINK_ACTIVE, &links);
	for (i = 0; i < links.n; i++)
		parallel |= same_port(&links.link[i]->local, &new->local) &&
			    same_peer(links.link[i], msg->gid, msg->mac);
	smcr_lgr_links_put(&links);
	return parallel;
}

/* Server: the client has refused ADD LINK. If the offer was empty, this host
 * makes another one when it may be able to create a link; otherwise later, or
 * when the client asks.
 */
static void add_refused(struct smcr_lgr *lgr)
{
	struct smcr_link *new = lgr->llc.add.link;

	smcr_mib_inc(lgr->net, SMCR_MIB_ADDLINKREFUSED);
	smcr_llc_step(lgr, SMCR_LLC_EV_ADD_REFUSED);
	if (new) {
		lgr->llc.add_asked = false;
		if (lgr->llc.add.far)
			far_failed(lgr);
		discard_link(new);
		smcr_lgr_grow_refused(lgr);
	} else {
		smcr_lgr_grow_failed(lgr);
	}
	add_end(lgr);
	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING)
		smcr_llc_ready(lgr);
}

/* Server: handle the reply to ADD LINK (3.5.1.6.2). A client must not agree to
 * a parallel link, whose loss the other one would share; DELETE LINK removes it
 * (C.7.1). Nor can it agree to an empty offer.
 */
static void add_reply(struct smcr_link *link, const struct smcr_llc_msg *msg)
{
	struct smcr_lgr *lgr = link->lgr;

	if (lgr->llc.add.making ||
	    !smcr_llc_msg_answers(msg, &lgr->llc.link_request) ||
	    (!lgr->llc.add.link && !msg->add_link.reject)) {
		smcr_llc_broken(link, "ADD LINK reply names another link");
		return;
	}
	if (msg->add_link.reject) {
		add_refused(lgr);
		return;
	}
	smcr_llc_step(lgr, SMCR_LLC_EV_ADD_AGREED);
	WRITE_ONCE(lgr->llc.step_deadline, make_deadline(lgr));
	if (!smcr_add_link_names_link(&msg->add_link) ||
	    !end_credible(link, &msg->add_link) ||
	    !smcr_mtu_valid(msg->add_link.mtu) ||
	    is_parallel(lgr, &msg->add_link))
		smcr_llc_add_failed(lgr, true);
	else
		connect_link(lgr, &msg->add_link);
}

/**
 * smcr_llc_add_recv() - handle ADD LINK, a request or a reply
 * @link: the link that the message came over
 * @msg: the message
 *
 * Context: the group's work.
 */
void smcr_llc_add_recv(struct smcr_link *link, const struct smcr_llc_msg *msg)
{
	struct smcr_lgr *lgr = link->lgr;

	if (msg->reply) {
		add_reply(link, msg);
	} else if (lgr->role == SMCR_CLIENT) {
		add_request(link, &msg->add_link);
	} else {
		lgr->llc.add_asked = true;
		memcpy(lgr->llc.asked_gid, msg->add_link.gid, SMCR_GID_LEN);
		smcr_lgr_grow_asked(lgr, 0);
	}
}

/* May the keys on the new link be told? */
static bool registered(struct smcr_lgr *lgr)
{
	const struct smcr_link *link = lgr->llc.add.link;
	const struct smcr_rmb *rmb;
	bool all = true;

	mutex_lock(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list)
		if (rmb->confirmed && !rmb->deleting)
			all &= smcr_rmb_registered(rmb, link->slot);
	mutex_unlock(&lgr->mutex);
	return all;
}

/* The server's end of the link is built, or the client's end is connected: the
 * peer learns of it.
 */
static void made(struct smcr_lgr *lgr)
{
	struct smcr_llc_add *add = &lgr->llc.add;
	struct smcr_llc_msg msg;
	int err;

	add->making = false;
	fill_add_link(&msg, add->link, lgr->role == SMCR_CLIENT);
	if (lgr->role == SMCR_SERVER) {
		err = send_offer(lgr, add->carrier, &msg);
	} else {
		WRITE_ONCE(lgr->llc.step_deadline, smcr_llc_deadline(lgr));
		err = smcr_llc_send(add->carrier, &msg, SMCR_LLC_COOKIE_STEP);
	}
	if (err)
		smcr_llc_add_failed(lgr, false);
}

/* Server: as far as the client knows, there is no exchange. In a first contact
 * it waits for an offer. The old number is taken until the link has left.
 */
static int offer_unmade(struct smcr_lgr *lgr, struct smcr_link *carrier,
			bool spare)
{
	struct choice choice = { .port = carrier->local };
	u8 live[SMCR_MAX_LINKS];
	int num;

	num = smcr_link_nums_next(&lgr->nums, live, live_nums(lgr, live));
	if (num >= 0)
		smcr_link_nums_drop(&lgr->llc.withdrawn, num);
	lgr->llc.add_failures += spare;
	if (num >= 0 && spare && smcr_lgr_connected(lgr) == 1 &&
	    !new_link(lgr, carrier, &choice, num)) {
		WRITE_ONCE(lgr->llc.step_deadline, make_deadline(lgr));
		return 0;
	}
	if (smcr_lgr_state(lgr) == SMCR_LGR_FORMING)
		return num < 0 ? num : offer_nothing(lgr, carrier, num);
	smcr_llc_step(lgr, SMCR_LLC_EV_ADD_FAILED);
	return 0;
}

/* The local end of the new link is not made in time, or cannot be made. */
static void unmade(struct smcr_lgr *lgr)
{
	struct smcr_llc_add *add = &lgr->llc.add;
	struct smcr_link *carrier = smcr_link_get(add->carrier);
	bool spare = add->spare;
	u8 num = add->link->num;

	discard_link(add->link);
	add_end(lgr);
	if (lgr->role == SMCR_CLIENT) {
		smcr_llc_step(lgr, SMCR_LLC_EV_ADD_FAILED);
		agree_later(lgr);
		refuse(carrier, num, SMCR_LLC_ADD_NO_PATH);
	} else if (offer_unmade(lgr, carrier, spare)) {
		smcr_lgr_terminate(lgr, SMCR_RESET_LINK_DOWN, ECONNRESET);
	}
	smcr_link_put(carrier);
}

/**
 * smcr_llc_add_overdue() - has the RMB work taken too long?
 * @lgr: the group; its exchange that changes links has reached its deadline
 *
 * Then the exchange ends, and the carrier, which is in order, does not fail.
 * The RMB work may be inside the device, for as long as that takes. Until a
 * server has told its first keys, the next message is its own.
 *
 * Context: the group's work.
 * Return: true if the exchange has ended.
 */
bool smcr_llc_add_overdue(struct smcr_lgr *lgr)
{
	if (lgr->llc.add.making)
		unmade(lgr);
	else if (lgr->role == SMCR_SERVER && !lgr->llc.add.pairs &&
		 lgr->llc.flow.step == SMCR_LLC_ADD_CONT)
		smcr_llc_add_failed(lgr, true);
	else
		return false;
	return true;
}

/**
 * smcr_llc_add_makes() - is a link being made for ADD LINK?
 * @link: a link that has failed
 *
 * Context: the group's work.
 * Return: true if smcr_llc_add_go() looks at it.
 */
bool smcr_llc_add_makes(const struct smcr_link *link)
{
	const struct smcr_llc_add *add = &link->lgr->llc.add;

	return add->making && add->link == link;
}

/* Go on once the local end of the new link is made. */
static void make_go(struct smcr_lgr *lgr)
{
	const struct smcr_link *link = lgr->llc.add.link;
	enum smcr_link_state state = smcr_link_state(link);

	if (state >= SMCR_LINK_FAILED)
		unmade(lgr);
	/* Pairs with smcr_link_build() */
	else if (lgr->role == SMCR_SERVER ? smp_load_acquire(&link->built) > 0 :
					    state == SMCR_LINK_READY &&
					    registered(lgr))
		made(lgr);
}

/* Note the keys of the RMBs that the peer knows. Those that it does not know
 * yet are told by CONFIRM RKEY later, for all links.
 */
static int note_pairs(struct smcr_lgr *lgr)
{
	struct smcr_llc_add *add = &lgr->llc.add;
	struct smcr_llc_pair *pairs;
	struct smcr_rmb *rmb;
	u8 n = 0;

	pairs = kcalloc(SMCR_MAX_RMBS, sizeof(*pairs), GFP_KERNEL);
	if (!pairs)
		return -ENOMEM;
	mutex_lock(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list) {
		if (!rmb->confirmed || rmb->deleting)
			continue;
		rmb->maps[add->link->slot].told = true;
		pairs[n].ref_rkey = rmb->maps[add->carrier->slot].rkey;
		pairs[n].rkey = rmb->maps[add->link->slot].rkey;
		pairs[n++].vaddr = rmb->maps[add->link->slot].iova;
	}
	mutex_unlock(&lgr->mutex);
	add->pairs = pairs;
	add->n_pairs = n;
	return 0;
}

/* Send the next keys. Return: -errno if the carrier has failed. */
static int send_cont(struct smcr_lgr *lgr, bool reply)
{
	struct smcr_llc_add *add = &lgr->llc.add;
	struct smcr_llc_msg msg = {
		.type = SMCR_LLC_ADD_LINK_CONT,
		.reply = reply,
		.add_cont = {
			.link_num = add->link->num,
			.nr_left = add->n_pairs - add->told,
		},
	};
	u8 n = min_t(u8, msg.add_cont.nr_left, SMCR_LLC_ADD_CONT_PAIRS);

	memcpy(msg.add_cont.pair, add->pairs + add->told,
	       n * sizeof(*add->pairs));
	add->told += n;
	WRITE_ONCE(lgr->llc.step_deadline, smcr_llc_deadline(lgr));
	return smcr_llc_send(add->carrier, &msg, SMCR_LLC_COOKIE_STEP);
}

/* Store the key of one of the peer's RMBs on the new link. Only this exchange
 * tells keys on it, so a key that is known there was told twice.
 *
 * A Linux peer counts a connection as an RMB before it has one, and tells the
 * keys of RMBs that it has not confirmed yet, so its entries may be empty or
 * name an unknown RMB.
 */
static int learn_pair(struct smcr_lgr *lgr, const struct smcr_llc_pair *pair)
{
	const struct smcr_llc_add *add = &lgr->llc.add;
	u64 vaddr;
	u32 rkey;
	int id;

	lockdep_assert_held(&lgr->rtoken_lock);
	id = smcr_rtoken_find(lgr->rtokens, add->carrier->slot, pair->ref_rkey);
	if (id < 0)
		return lgr->dialect == SMCR_DIALECT_LINUX ? 0 : id;
	if (!smcr_rtoken_get(lgr->rtokens, id, add->link->slot, &rkey, &vaddr))
		return -EEXIST;
	return smcr_rtoken_set(lgr->rtokens, id, add->link->slot, pair->rkey,
			       pair->vaddr);
}

/* Store the peer's keys on the new link. */
static int learn_pairs(struct smcr_lgr *lgr,
		       const struct smcr_llc_add_cont *msg)
{
	u8 n = min_t(u8, msg->nr_left, SMCR_LLC_ADD_CONT_PAIRS);
	int err = 0;
	u8 i;

	spin_lock_bh(&lgr->rtoken_lock);
	for (i = 0; i < n && !err; i++)
		err = learn_pair(lgr, &msg->pair[i]);
	spin_unlock_bh(&lgr->rtoken_lock);
	return err;
}

/* All keys are told; the server goes on with CONFIRM LINK on the new link. */
static void tokens_done(struct smcr_lgr *lgr)
{
	smcr_llc_step(lgr, SMCR_LLC_EV_TOKENS_DONE);
	WRITE_ONCE(lgr->llc.step_deadline, smcr_llc_deadline(lgr));
	if (lgr->role == SMCR_SERVER &&
	    smcr_llc_ask_confirm(lgr->llc.add.link, SMCR_LLC_COOKIE_NONE))
		smcr_llc_add_failed(lgr, true);
}

/**
 * smcr_llc_add_cont() - handle ADD LINK CONTINUATION, a request or a reply
 * @link: the link that the message came over
 * @msg: the message
 *
 * Context: the group's work.
 */
void smcr_llc_add_cont(struct smcr_link *link, const struct smcr_llc_msg *msg)
{
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_llc_add *add = &lgr->llc.add;
	int more;

	if (!add->link || add->making || link != add->carrier ||
	    msg->add_cont.link_num != add->link->num) {
		smcr_llc_broken(link, "ADD LINK CONTINUATION of another link");
		return;
	}
	if (msg->reply && !add->pairs) {
		smcr_llc_broken(link, "ADD LINK CONTINUATION reply, unasked");
		return;
	}
	if (lgr->dialect == SMCR_DIALECT_LINUX)
		smcr_llc_countdown_skip(&add->left, msg->add_cont.nr_left);
	more = smcr_llc_countdown_next(&add->left, msg->add_cont.nr_left,
				       SMCR_LLC_ADD_CONT_PAIRS);
	if (more < 0) {
		smcr_llc_broken(link, "ADD LINK CONTINUATION miscounts");
		return;
	}
	if (learn_pairs(lgr, &msg->add_cont)) {
		smcr_llc_broken(link, "ADD LINK CONTINUATION with wrong keys");
		return;
	}
	if (!add->pairs && note_pairs(lgr)) {
		smcr_llc_add_failed(lgr, true);
		return;
	}
	/* A client answers each request. A server asks until all is told. */
	if (!msg->reply && send_cont(lgr, true))
		return;
	more |= add->told < add->n_pairs;
	if (!more)
		tokens_done(lgr);
	else if (msg->reply)
		send_cont(lgr, false);
}

/**
 * smcr_llc_add_go() - go on with what has waited for the RMB work
 * @lgr: the group
 *
 * Tells the peer of the new link, and then, at a server, the first keys once
 * the RMBs are registered.
 *
 * Context: the group's work.
 */
void smcr_llc_add_go(struct smcr_lgr *lgr)
{
	const struct smcr_llc *llc = &lgr->llc;

	if (llc->add.making)
		make_go(lgr);
	if (lgr->role != SMCR_SERVER || llc->flow.step != SMCR_LLC_ADD_CONT ||
	    llc->add.pairs ||
	    smcr_link_state(llc->add.link) != SMCR_LINK_READY ||
	    !registered(lgr))
		return;
	if (note_pairs(lgr) || send_cont(lgr, false))
		smcr_llc_add_failed(lgr, true);
}
