// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of a link group and of its links: why they happened, and when.
 *
 * A lost link leaves its group within milliseconds, so the group keeps what
 * happened to a link last. The log gets one line for a link that is lost and
 * one for its replacement, rate-limited; the counters count all of them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/printk.h>
#include <linux/spinlock.h>

#include "lgr.h"
#include "lgr_change.h"
#include "lgr_links.h"
#include "link.h"
#include "notify.h"

#define NAME(value, name)	[value] = name,
static const char *const link_reason_names[] = {
	SMCR_LINK_REASON_NAMES(NAME)
};

#undef NAME

/* What to check after a link was lost */
static const char *const advice[] = {
	[SMCR_LINK_R_NO_ANSWER] =
		"Check cables, switch ports and the peer, and that no firewall drops RoCE (UDP port 4791)",
	[SMCR_LINK_R_PEER_DELETED] =
		"The peer's \"smcr-ctl linkgroup show\" and its log have the reason",
	[SMCR_LINK_R_PEER_LEFT] =
		"The peer has lost the link; its log has the reason",
	[SMCR_LINK_R_PROTOCOL] =
		"The peer's SMC-R or its adapter is faulty; check both logs",
	[SMCR_LINK_R_REMOTE_ERROR] =
		"The peer's SMC-R or its adapter is faulty; check both logs",
	[SMCR_LINK_R_DEVICE_ERROR] =
		"Check the local adapter; the log lines of its driver may say more",
	[SMCR_LINK_R_DEVICE_REMOVED] =
		"The local RDMA device was removed",
	[SMCR_LINK_R_OPERATOR] =
		"\"smcr-ctl link del\" asked for it",
	[SMCR_LINK_R_ENDED] =
		"",
	[SMCR_LINK_R_REPLACED] =
		"",
};

/**
 * struct port_name - the local port of a link, for the log
 * @text: "rxe0/1", or "port 1" if the device is gone
 */
struct port_name {
	char text[80];
};

static const char *port_name(struct smcr_link *link, struct port_name *name)
{
	/* Keeps the device, which may be removed at any time. */
	if (!smcr_link_verbs_get(link)) {
		snprintf(name->text, sizeof(name->text), "port %u",
			 link->local.port);
		return name->text;
	}
	snprintf(name->text, sizeof(name->text), "%s/%u",
		 smcr_ib_dev_name(link->local.dev), link->local.port);
	smcr_link_verbs_put(link);
	return name->text;
}

/**
 * smcr_lgr_change_init() - begin with the reason of a new group
 * @lgr: a FORMING group that is on no list yet
 *
 * Context: process.
 */
void smcr_lgr_change_init(struct smcr_lgr *lgr)
{
	lgr->change.reason = SMCR_LGR_R_FIRST_CONTACT;
	lgr->change.at = get_jiffies_64();
}

/* Why does a group end that is not CLOSING? */
static enum smcr_lgr_reason end_reason(const struct smcr_lgr *lgr)
{
	switch (lgr->end_reason) {
	case SMCR_RESET_DEVICE_REMOVED:
		return SMCR_LGR_R_DEVICE_REMOVED;
	case SMCR_RESET_GROUP_DELETED:
		return SMCR_LGR_R_PEER;
	case SMCR_RESET_HANDSHAKE:
		return SMCR_LGR_R_HANDSHAKE;
	default:
		return SMCR_LGR_R_NO_LINK;
	}
}

/**
 * smcr_lgr_change_state() - store why a group's state changes
 * @lgr: the group, still in the old state
 * @event: the event that changes it
 *
 * A group that was CLOSING keeps its reason when it becomes DEAD.
 *
 * Context: any but hard irq; conns_lock held.
 */
void smcr_lgr_change_state(struct smcr_lgr *lgr, enum smcr_lgr_event event)
{
	struct smcr_lgr_change *change = &lgr->change;

	lockdep_assert_held(&lgr->conns_lock);
	change->at = get_jiffies_64();
	switch (event) {
	case SMCR_LGR_EV_READY:
		change->reason = SMCR_LGR_R_READY;
		break;
	case SMCR_LGR_EV_CLOSE:
	case SMCR_LGR_EV_IDLE:
		change->reason = change->closing;
		break;
	case SMCR_LGR_EV_GIVE_UP:
		change->reason = SMCR_LGR_R_HANDSHAKE;
		break;
	default:
		if (lgr->state != SMCR_LGR_CLOSING)
			change->reason = end_reason(lgr);
	}
}

static void store_link(struct smcr_lgr *lgr, u8 num,
		       enum smcr_link_reason reason)
{
	spin_lock_bh(&lgr->conns_lock);
	lgr->change.num = num;
	lgr->change.link_reason = reason;
	lgr->change.link_at = get_jiffies_64();
	spin_unlock_bh(&lgr->conns_lock);
}

/**
 * smcr_lgr_change_added() - store, report and log that a link has become ACTIVE
 * @link: the link
 *
 * Context: the group's work.
 */
void smcr_lgr_change_added(struct smcr_link *link)
{
	struct smcr_lgr *lgr = link->lgr;
	struct port_name name;

	store_link(lgr, link->num, link->added);
	smcr_notify_link(link);
	if (link->added != SMCR_LINK_R_REPLACEMENT)
		return;
	if (lgr->change.n_lost)
		lgr->change.n_lost--;
	pr_info_ratelimited("group %u: link %u (%s) replaces a lost link\n",
			    lgr->id, link->num, port_name(link, &name));
}

/* Was the link in use? The failure of another one ends a first contact or an
 * ADD LINK, which is tried again and again.
 */
static bool was_used(const struct smcr_link *link)
{
	const struct smcr_lgr *lgr = link->lgr;

	return link != lgr->llc.add.link &&
	       smcr_lgr_state(lgr) == SMCR_LGR_ACTIVE;
}

/**
 * smcr_lgr_change_lost() - store, report and log that a link was lost
 * @link: the link; it has failed
 * @other: an ACTIVE link of the group, or NULL: the group ends
 *
 * The log does not tell of a link that symmetric links have replaced.
 *
 * Context: the group's work.
 */
void smcr_lgr_change_lost(struct smcr_link *link, struct smcr_link *other)
{
	struct port_name name, other_name;
	struct smcr_lgr *lgr = link->lgr;
	struct smcr_link_change change;

	if (!was_used(link))
		return;
	smcr_link_change(link, &change);
	store_link(lgr, link->num, change.reason);
	smcr_notify_link(link);
	if (test_bit(SMCR_LINK_F_UNNEEDED, &link->flags))
		return;
	if (lgr->change.n_lost < U8_MAX)
		lgr->change.n_lost++;
	if (other)
		pr_warn_ratelimited("group %u: link %u (%s) is lost, reason %s; link %u (%s) carries on. %s\n",
				    lgr->id, link->num, port_name(link, &name),
				    link_reason_names[change.reason],
				    other->num, port_name(other, &other_name),
				    advice[change.reason]);
	else
		pr_warn_ratelimited("group %u: link %u (%s) is lost, reason %s; the group has no other link and ends. %s\n",
				    lgr->id, link->num, port_name(link, &name),
				    link_reason_names[change.reason],
				    advice[change.reason]);
}

/**
 * smcr_lgr_change_read() - copy the last changes of a group
 * @lgr: the group
 * @out: result
 *
 * Context: any but hard irq.
 */
void smcr_lgr_change_read(struct smcr_lgr *lgr, struct smcr_lgr_change *out)
{
	spin_lock_bh(&lgr->conns_lock);
	*out = lgr->change;
	spin_unlock_bh(&lgr->conns_lock);
}

/**
 * smcr_lgr_close() - ask the group's work to end a group by DELETE LINK (all)
 * @lgr: the group
 * @reason: why; if this is called more than once, the first reason counts
 *
 * Context: any but hard irq.
 */
void smcr_lgr_close(struct smcr_lgr *lgr, enum smcr_lgr_reason reason)
{
	spin_lock_bh(&lgr->conns_lock);
	if (!lgr->change.asked)
		WRITE_ONCE(lgr->change.asked, reason);
	spin_unlock_bh(&lgr->conns_lock);
	smcr_lgr_kick(lgr, SMCR_LGR_T_CLOSE);
}
