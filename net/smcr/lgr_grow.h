/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Growth of a link group, and the paths that it has lost.
 */
#ifndef _SMCR_LGR_GROW_H
#define _SMCR_LGR_GROW_H

#include <linux/types.h>

#include "wire.h"

struct smcr_lgr;
struct smcr_link;

/**
 * struct smcr_lost_path - a path over which a link was lost or could not be set
 *	up
 * @ifindex: the local netdev
 * @gid: the peer's GID
 * @asked: its neighbour was asked for since it was lost
 * @silent: the neighbour did not answer
 */
struct smcr_lost_path {
	int	ifindex;
	u8	gid[SMCR_GID_LEN];
	bool	asked;
	bool	silent;
};

/**
 * struct smcr_lgr_grow - what a group knows of its next link
 * @on: a further link is looked for
 * @tries: tries so far
 * @at: jiffies of the next try
 * @last: jiffies of the last one, 0 before
 * @mtu: until @mtu_until, the largest MTU code of further links, as longer
 *	packets were lost; with 0 there can be none
 * @mtu_until: in jiffies
 * @path: lost paths, in no order
 * @n_paths: entries of @path
 * @watch_at: jiffies when the neighbours of @path are asked for again
 *
 * Only the group's work uses it.
 */
struct smcr_lgr_grow {
	bool			on;
	u8			tries;
	unsigned long		at;
	unsigned long		last;
	u8			mtu;
	unsigned long		mtu_until;
	struct smcr_lost_path	path[SMCR_MAX_LINKS];
	unsigned int		n_paths;
	unsigned long		watch_at;
};

bool smcr_lgr_link_unneeded(struct smcr_lgr *lgr, u8 num);
unsigned long smcr_lgr_grow(struct smcr_lgr *lgr);
unsigned long smcr_lgr_grow_delay(const struct smcr_lgr *lgr);
void smcr_lgr_grow_again(struct smcr_lgr *lgr, unsigned long delay);
void smcr_lgr_grow_ready(struct smcr_lgr *lgr);
void smcr_lgr_grow_asked(struct smcr_lgr *lgr, unsigned long delay);
void smcr_lgr_grow_failed(struct smcr_lgr *lgr);
void smcr_lgr_grow_refused(struct smcr_lgr *lgr);
u8 smcr_lgr_grow_mtu(const struct smcr_lgr *lgr);
void smcr_lgr_grow_smaller(struct smcr_lgr *lgr, u8 mtu);
unsigned long smcr_lgr_retire(struct smcr_lgr *lgr);

/* lgr_watch.c */
void smcr_lgr_watch_begin(const struct smcr_link *link);
void smcr_lgr_watch_end(const struct smcr_link *link);
unsigned long smcr_lgr_watch(struct smcr_lgr *lgr);

#endif /* _SMCR_LGR_GROW_H */
