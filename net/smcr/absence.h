/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Has the local address of a connection left the host, and what follows?
 */
#ifndef _SMCR_ABSENCE_H
#define _SMCR_ABSENCE_H

#include <linux/types.h>

/**
 * enum smcr_absence_state - where the address is
 * @SMCR_ABSENCE_FOREIGN: it was not the host's when the connection began, as
 *	IP_FREEBIND and IP_TRANSPARENT allow, or the connection is over: nobody
 *	looks for it
 * @SMCR_ABSENCE_HERE: the host has it
 * @SMCR_ABSENCE_GONE: it has gone, and the connection goes on for a while
 * @SMCR_ABSENCE_AWAY: the connection has stopped
 */
enum smcr_absence_state {
	SMCR_ABSENCE_FOREIGN,
	SMCR_ABSENCE_HERE,
	SMCR_ABSENCE_GONE,
	SMCR_ABSENCE_AWAY,
};

/**
 * enum smcr_absence_found - the result of a look
 * @SMCR_ABSENCE_FOUND: the host has the address
 * @SMCR_ABSENCE_MISSED: it has not
 * @SMCR_ABSENCE_UNSURE: IPv6 finds out whether another host has it
 */
enum smcr_absence_found {
	SMCR_ABSENCE_FOUND,
	SMCR_ABSENCE_MISSED,
	SMCR_ABSENCE_UNSURE,
};

/* Values of net.smcr.address_gone */
enum smcr_absence_mode {
	SMCR_ABSENCE_IGNORE,	/* the connection goes on */
	SMCR_ABSENCE_STOP,	/* it stops after net.smcr.address_gone_ms */
	SMCR_ABSENCE_END,	/* it ends at once */
	SMCR_ABSENCE_MODES
};

/* What the caller does */
enum smcr_absence_step {
	SMCR_ABSENCE_NOTHING,
	SMCR_ABSENCE_LATER,	/* look again after the rest of the grace */
	SMCR_ABSENCE_PAUSE,	/* stop the connection */
	SMCR_ABSENCE_RESUME,	/* the connection goes on */
	SMCR_ABSENCE_RESET,	/* end the connection */
};

/**
 * struct smcr_absence - the watch over an address
 * @state: where it is
 * @since: when it was missed first, in jiffies, if it is not here
 */
struct smcr_absence {
	enum smcr_absence_state	state;
	unsigned long		since;
};

/**
 * struct smcr_absence_view - what a look needs besides its result
 * @mode: net.smcr.address_gone
 * @grace: net.smcr.address_gone_ms in jiffies
 * @now: the time in jiffies
 */
struct smcr_absence_view {
	enum smcr_absence_mode	mode;
	unsigned long		grace;
	unsigned long		now;
};

/**
 * smcr_absence_limit() - how long may a connection make no progress?
 * @user_timeout: TCP_USER_TIMEOUT in jiffies, or 0
 * @patience: for how long TCP retransmits, in jiffies, or 0 if the connection
 *	is not away
 * @ours: bytes or the end of the stream of this host wait
 * @peers: those of the peer do. TCP_USER_TIMEOUT is about what this host sends,
 *	so it does not count for them
 *
 * Return: jiffies, 0 for no limit.
 */
static inline unsigned long
smcr_absence_limit(unsigned long user_timeout, unsigned long patience,
		   bool ours, bool peers)
{
	if (ours)
		return user_timeout ? user_timeout : patience;
	return peers ? patience : 0;
}

enum smcr_absence_step smcr_absence_look(struct smcr_absence *absence,
					 enum smcr_absence_found found,
					 const struct smcr_absence_view *view);
unsigned long smcr_absence_rest(const struct smcr_absence *absence,
				const struct smcr_absence_view *view);
unsigned int smcr_absence_patience_ms(unsigned int retries);

#endif /* _SMCR_ABSENCE_H */
