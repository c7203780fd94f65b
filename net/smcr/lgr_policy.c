// SPDX-License-Identifier: GPL-2.0
/*
 * Arithmetic choices of a link group (RFC 7609, 2.2 and 3.5.1.6).
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "lgr_policy.h"

static bool num_used(const struct smcr_link_nums *nums, u8 num)
{
	return nums->used[num / 32] & 1U << num % 32;
}

static bool num_live(unsigned int num, const u8 *live, unsigned int nr_live)
{
	while (nr_live--)
		if (live[nr_live] == num)
			return true;
	return false;
}

static void num_mark(struct smcr_link_nums *nums, u8 num)
{
	nums->used[num / 32] |= 1U << num % 32;
}

/* All 255 were used, or live: start over */
static void nums_recycle(struct smcr_link_nums *nums, const u8 *live,
			 unsigned int nr_live)
{
	unsigned int num;

	for (num = 1; num <= SMCR_MAX_LINK_NUM; num++)
		if (!num_used(nums, (u8)num) && !num_live(num, live, nr_live))
			return;
	memset(nums->used, 0, sizeof(nums->used));
}

/**
 * smcr_link_nums_take() - accept the number of a new link, in a client
 * @nums: numbers of the group
 * @num: what the server chose
 * @live: numbers of the links that exist
 * @nr_live: how many
 *
 * Return: 0; -EINVAL for 0; -EEXIST if it is live, or was used before all
 * 255 were (2.2.4).
 */
int smcr_link_nums_take(struct smcr_link_nums *nums, u8 num, const u8 *live,
			unsigned int nr_live)
{
	if (!num)
		return -EINVAL;
	nums_recycle(nums, live, nr_live);
	if (num_used(nums, num) || num_live(num, live, nr_live))
		return -EEXIST;
	num_mark(nums, num);
	return 0;
}

/**
 * smcr_link_nums_next() - number for a new link, in a server (2.2.4)
 * @nums: numbers of the group
 * @live: numbers of the links that exist
 * @nr_live: how many
 *
 * Return: 1..255, not used since all of them were; -ENOSPC if all are live.
 */
int smcr_link_nums_next(struct smcr_link_nums *nums, const u8 *live,
			unsigned int nr_live)
{
	unsigned int num;

	for (num = 1; num <= SMCR_MAX_LINK_NUM; num++)
		if (!smcr_link_nums_take(nums, (u8)num, live, nr_live))
			return (int)num;
	return -ENOSPC;
}

/**
 * smcr_lgr_policy_max_links() - symmetric links that the group may have
 * @ours: what we sent in CONFIRM LINK, 1..8
 * @theirs: what the peer sent; 0 says that it takes ours (2.2.2)
 *
 * Return: the smaller one.
 */
u8 smcr_lgr_policy_max_links(u8 ours, u8 theirs)
{
	return theirs ? min_t(u8, ours, theirs) : ours;
}

/**
 * smcr_lgr_policy_add_link() - what a client answers to ADD LINK
 * @view: what it knows
 *
 * Without a spare port of ours the link would start at a port that is in use:
 * parallel if it also ends at one, which is forbidden, else asymmetric, of
 * which a group has at most one. With a spare port it is asymmetric if it
 * ends at a port in use, else symmetric (3.5.1.6.1, 3.5.5.1.1).
 *
 * Return: 0 to agree, otherwise the reason for the refusal, enum
 * smcr_llc_add_reason.
 */
u8 smcr_lgr_policy_add_link(const struct smcr_add_link_view *view)
{
	bool asymmetric = view->same_peer_port != !view->spare_port;

	if (!smcr_mtu_valid(view->mtu))
		return SMCR_LLC_ADD_BAD_MTU;
	if (view->same_peer_port && !view->spare_port)
		return SMCR_LLC_ADD_NO_PATH;
	if (asymmetric && view->has_asymmetric)
		return SMCR_LLC_ADD_NO_PATH;
	if (!asymmetric && view->nr_symmetric >= view->max_links)
		return SMCR_LLC_ADD_NO_PATH;
	return 0;
}

/**
 * smcr_lgr_policy_has_room() - may one more connection join the group?
 * @dialect: of the group
 * @nr_conns: connections it has, those in handshake included
 * @nr_rmbs: our RMBs in it
 *
 * Return: false at 255 connections with a Linux peer, and where neither an
 * element is to be had for sure nor another RMB.
 */
bool smcr_lgr_policy_has_room(enum smcr_dialect dialect, unsigned int nr_conns,
			      unsigned int nr_rmbs)
{
	if (dialect == SMCR_DIALECT_LINUX)
		return nr_conns < SMCR_LINUX_MAX_CONNS;
	return nr_rmbs < SMCR_MAX_RMBS;
}

/**
 * smcr_lgr_policy_rmb_elements() - elements of the next RMB of a size class
 * @mr_bytes: what one memory region of the device can map
 * @size: bytes of an element
 * @nr_rmbs: RMBs of this size class that the group has
 *
 * The first is small, since most groups stay small; each further one has four
 * times as many, so that a busy group seldom registers.
 *
 * Return: 1..255, or 0 if not even one element fits.
 */
u8 smcr_lgr_policy_rmb_elements(u32 mr_bytes, u32 size, unsigned int nr_rmbs)
{
	u32 fit = min_t(u32, mr_bytes / size, SMCR_MAX_RMBES);
	u32 want = SMCR_MAX_RMBES;

	if (nr_rmbs < 3)
		want = SMCR_FIRST_RMB_ELEMENTS << (2 * nr_rmbs);
	return (u8)min_t(u32, want, fit);
}

/**
 * smcr_lgr_policy_want_rmb() - is it time to register another RMB?
 * @used: elements of the size class in use or quarantined
 * @total: elements of the size class
 *
 * Return: true from 75 % on, so that a new connection finds a free element, but
 * not with more free ones than a burst of connections takes: a quarter of
 * thousands is memory for nothing.
 */
bool smcr_lgr_policy_want_rmb(unsigned int used, unsigned int total)
{
	return used * 4 >= total * 3 && total - used < SMCR_SPARE_ELEMENTS;
}
