/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last changes of a link group, and their reasons: for displays and the
 * log.
 */
#ifndef _SMCR_LGR_CHANGE_H
#define _SMCR_LGR_CHANGE_H

#include <linux/types.h>
#include <uapi/linux/smcr.h>

enum smcr_lgr_event;
struct smcr_lgr;
struct smcr_link;

/**
 * struct smcr_lgr_change - the last changes of a link group
 * @reason: why the group is in its state
 * @at: jiffies_64 when it entered the state
 * @asked: who wants the group closed, the first one; 0 for nobody
 * @closing: reason of the group's work to close the group; only for that work
 * @num: number of the link that was added or lost last, 0 before the first
 * @link_reason: why that link was added or lost
 * @link_at: jiffies_64 when it was
 * @n_lost: lost links without a replacement; only for the group's work
 *
 * The group's conns_lock protects the fields without another rule.
 */
struct smcr_lgr_change {
	enum smcr_lgr_reason	reason;
	u64			at;
	enum smcr_lgr_reason	asked;
	enum smcr_lgr_reason	closing;
	u8			num;
	enum smcr_link_reason	link_reason;
	u64			link_at;
	u8			n_lost;
};

void smcr_lgr_change_init(struct smcr_lgr *lgr);
void smcr_lgr_change_state(struct smcr_lgr *lgr, enum smcr_lgr_event event);
void smcr_lgr_change_added(struct smcr_link *link);
void smcr_lgr_change_lost(struct smcr_link *link, struct smcr_link *other);
void smcr_lgr_change_read(struct smcr_lgr *lgr, struct smcr_lgr_change *out);
void smcr_lgr_close(struct smcr_lgr *lgr, enum smcr_lgr_reason reason);

#endif /* _SMCR_LGR_CHANGE_H */
