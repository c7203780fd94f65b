// SPDX-License-Identifier: GPL-2.0
/*
 * Has the local address of a connection left the host, and what follows? The
 * decisions of addr.c, which explains them.
 *
 *                 missed             missed for the grace
 *     +------+  --------->  +------+  ----------------->  +------+
 *     | HERE |              | GONE |                      | AWAY |
 *     +------+  <---------  +------+                      +------+
 *        ^        found                                      |
 *        +---------------------------------------------------+
 *                         found: RESUME
 */
#include "absence.h"

/* TCP's shortest and longest time between two retransmissions, in ms */
#define PATIENCE_RTO_MIN	200u
#define PATIENCE_RTO_MAX	120000u

/**
 * smcr_absence_rest() - how much of the grace is left?
 * @absence: the watch, in state GONE
 * @view: settings and time
 *
 * Return: jiffies, 0 if it is over.
 */
unsigned long smcr_absence_rest(const struct smcr_absence *absence,
				const struct smcr_absence_view *view)
{
	unsigned long lasts = view->now - absence->since;

	return lasts < view->grace ? view->grace - lasts : 0;
}

static enum smcr_absence_step missed(struct smcr_absence *absence,
				     const struct smcr_absence_view *view)
{
	if (view->mode == SMCR_ABSENCE_END) {
		absence->state = SMCR_ABSENCE_FOREIGN;
		return SMCR_ABSENCE_RESET;
	}
	if (absence->state == SMCR_ABSENCE_AWAY)
		return SMCR_ABSENCE_NOTHING;
	if (absence->state == SMCR_ABSENCE_HERE) {
		absence->state = SMCR_ABSENCE_GONE;
		absence->since = view->now;
	}
	if (smcr_absence_rest(absence, view))
		return SMCR_ABSENCE_LATER;
	absence->state = SMCR_ABSENCE_AWAY;
	return SMCR_ABSENCE_PAUSE;
}

/**
 * smcr_absence_look() - the address was looked for
 * @absence: the watch
 * @found: what was found
 * @view: settings and time
 *
 * While IPv6 is not sure, nothing changes: neither has an address gone that is
 * kept while its netdev is down, nor has one returned that another host may
 * have.
 *
 * Return: what to do.
 */
enum smcr_absence_step smcr_absence_look(struct smcr_absence *absence,
					 enum smcr_absence_found found,
					 const struct smcr_absence_view *view)
{
	bool away = absence->state == SMCR_ABSENCE_AWAY;

	if (absence->state == SMCR_ABSENCE_FOREIGN)
		return SMCR_ABSENCE_NOTHING;
	if (view->mode == SMCR_ABSENCE_IGNORE)
		found = SMCR_ABSENCE_FOUND;
	switch (found) {
	case SMCR_ABSENCE_FOUND:
		absence->state = SMCR_ABSENCE_HERE;
		return away ? SMCR_ABSENCE_RESUME : SMCR_ABSENCE_NOTHING;
	case SMCR_ABSENCE_MISSED:
		return missed(absence, view);
	default:
		return SMCR_ABSENCE_NOTHING;
	}
}

/**
 * smcr_absence_patience_ms() - for how long does TCP retransmit?
 * @retries: net.ipv4.tcp_retries2
 *
 * TCP counts the retries as if the first came after its shortest time, each
 * further one after twice the time before, and none after more than its longest
 * time.
 *
 * Return: milliseconds.
 */
unsigned int smcr_absence_patience_ms(unsigned int retries)
{
	unsigned int rto = PATIENCE_RTO_MIN, sum = rto, i;

	for (i = 0; i < retries; i++) {
		rto = 2 * rto < PATIENCE_RTO_MAX ? 2 * rto : PATIENCE_RTO_MAX;
		sum += rto;
	}
	return sum;
}
