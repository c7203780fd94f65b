// SPDX-License-Identifier: GPL-2.0
/*
 * Decisions of a link group that are arithmetic only (RFC 7609, 2.2 and
 * 3.5.1.6).
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

/* Start over when each of the 255 numbers was used or names a live link. */
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
 * smcr_link_nums_take() - accept the server's number for a new link
 * @nums: numbers of the group
 * @num: the number
 * @live: numbers of the links that exist
 * @nr_live: length of @live
 *
 * The server sees to it that a number returns only after all 255 were used
 * (2.2.4). A client cannot check that, since an offer may be lost together with
 * the link that carries it.
 *
 * Return: 0; -EINVAL if @num is 0; -EEXIST if it names a live link, also one
 * that is being cleaned up.
 */
int smcr_link_nums_take(struct smcr_link_nums *nums, u8 num, const u8 *live,
			unsigned int nr_live)
{
	if (!num)
		return -EINVAL;
	if (num_live(num, live, nr_live))
		return -EEXIST;
	nums->used[num / 32] |= 1U << num % 32;
	return 0;
}

/**
 * smcr_link_nums_next() - choose a server's number for a new link (2.2.4)
 * @nums: numbers of the group
 * @live: numbers of the links that exist
 * @nr_live: length of @live
 *
 * Return: a number, 1..255, that was not used since all numbers were; -ENOSPC
 * if all numbers name live links.
 */
int smcr_link_nums_next(struct smcr_link_nums *nums, const u8 *live,
			unsigned int nr_live)
{
	unsigned int num;

	nums_recycle(nums, live, nr_live);
	for (num = 1; num <= SMCR_MAX_LINK_NUM; num++)
		if (!num_used(nums, (u8)num) &&
		    !smcr_link_nums_take(nums, (u8)num, live, nr_live))
			return (int)num;
	return -ENOSPC;
}

/**
 * smcr_link_nums_given() - was a number given to a link of the group?
 * @nums: numbers of the group
 * @num: the number
 *
 * Return: true if it was, in a server since the numbers were last exhausted.
 */
bool smcr_link_nums_given(const struct smcr_link_nums *nums, u8 num)
{
	return num_used(nums, num);
}

/**
 * smcr_link_nums_drop() - take a number out of a set
 * @nums: a set of numbers
 * @num: the number
 *
 * Return: true if it was in the set.
 */
bool smcr_link_nums_drop(struct smcr_link_nums *nums, u8 num)
{
	bool used = num_used(nums, num);

	nums->used[num / 32] &= ~(1U << num % 32);
	return used;
}

/**
 * smcr_lgr_policy_max_links() - return how many symmetric links a group may
 * have
 * @ours: local limit in CONFIRM LINK, 2..8
 * @theirs: the peer's limit; 0 says that it takes ours (2.2.2)
 *
 * Return: the smaller limit. It is at least 2, as the RFC knows no lower one: a
 * client that has no second port refuses ADD LINK.
 */
u8 smcr_lgr_policy_max_links(u8 ours, u8 theirs)
{
	return theirs ? max_t(u8, min_t(u8, ours, theirs), 2) : ours;
}

static bool same_local(const struct smcr_link_ends *a,
		       const struct smcr_link_ends *b)
{
	return a->dev == b->dev && a->port == b->port;
}

static bool same_remote(const struct smcr_link_ends *a,
			const struct smcr_link_ends *b)
{
	return !memcmp(a->peer_gid, b->peer_gid, SMCR_GID_LEN);
}

/* Find the oldest of the links that are not in @done. */
static unsigned int oldest(const struct smcr_link_ends *ends, unsigned int n,
			   u8 done)
{
	unsigned int i, best = n;

	for (i = 0; i < n; i++)
		if (!(done & 1 << i) &&
		    (best == n || (s32)(ends[i].age - ends[best].age) < 0))
			best = i;
	return best;
}

/**
 * smcr_lgr_policy_asymmetric() - find the asymmetric links of a group (2.2.1)
 * @ends: ports of the group's ACTIVE links
 * @n: entries of @ends, at most SMCR_MAX_LINKS
 *
 * A link is asymmetric if it shares a port with an older link that is
 * symmetric. So the symmetric links share no port, and a link that shares a
 * port only with an asymmetric one replaces that one. Both ends add links in
 * the same order and find the same.
 *
 * Return: bit i is set if link i is asymmetric.
 */
u8 smcr_lgr_policy_asymmetric(const struct smcr_link_ends *ends,
			      unsigned int n)
{
	u8 done = 0, asymmetric = 0;
	unsigned int i, j, k;

	for (k = 0; k < n; k++) {
		i = oldest(ends, n, done);
		for (j = 0; j < n; j++)
			if (done & ~asymmetric & 1 << j &&
			    (same_local(&ends[i], &ends[j]) ||
			     same_remote(&ends[i], &ends[j])))
				break;
		if (j < n)
			asymmetric |= 1 << i;
		done |= 1 << i;
	}
	return asymmetric;
}

/**
 * smcr_lgr_policy_unneeded() - find the links that others have replaced (2.2.1)
 * @ends: ports of the group's ACTIVE links
 * @n: entries of @ends, at most SMCR_MAX_LINKS
 *
 * An asymmetric link whose ports are both those of symmetric links survives
 * nothing that these do not survive.
 *
 * Return: bit i is set if link i is such a link.
 */
u8 smcr_lgr_policy_unneeded(const struct smcr_link_ends *ends, unsigned int n)
{
	u8 unneeded = 0, asymmetric = smcr_lgr_policy_asymmetric(ends, n);
	bool local, remote;
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		if (!(asymmetric & 1 << i))
			continue;
		local = false;
		remote = false;
		for (j = 0; j < n; j++) {
			if (asymmetric & 1 << j)
				continue;
			local |= same_local(&ends[i], &ends[j]);
			remote |= same_remote(&ends[i], &ends[j]);
		}
		if (local && remote)
			unneeded |= 1 << i;
	}
	return unneeded;
}

/**
 * smcr_lgr_policy_in_the_way() - find the link whose slot a symmetric one needs
 *	(2.2.1, 2.2.2)
 * @ends: ports of the group's ACTIVE links
 * @n: entries of @ends, at most SMCR_MAX_LINKS
 * @asked: the client has a port that no link uses
 *
 * The RFC adds the symmetric link before it deletes the asymmetric one, but a
 * group has eight links at most (A.3.5). A group of seven symmetric links can
 * spare the asymmetric one meanwhile.
 *
 * Return: index of the asymmetric link of a group with %SMCR_MAX_LINKS links,
 * if the client has a port for a symmetric one: that of this link, or with
 * @asked another one; -1 if there is none, or if smcr_lgr_policy_unneeded()
 * makes room.
 */
int smcr_lgr_policy_in_the_way(const struct smcr_link_ends *ends,
			       unsigned int n, bool asked)
{
	u8 asymmetric = smcr_lgr_policy_asymmetric(ends, n);
	bool shared;
	unsigned int i, j;

	if (n < SMCR_MAX_LINKS || smcr_lgr_policy_unneeded(ends, n))
		return -1;
	for (i = 0; i < n; i++) {
		if (!(asymmetric & 1 << i))
			continue;
		shared = false;
		for (j = 0; j < n; j++)
			shared |= !(asymmetric & 1 << j) &&
				  same_remote(&ends[i], &ends[j]);
		if (asked || !shared)
			return (int)i;
	}
	return -1;
}

/**
 * smcr_lgr_policy_add_link() - decide a client's answer to ADD LINK
 * @view: what the client knows
 *
 * A port that only an asymmetric link uses counts as spare, because the new
 * link replaces that link. Without a spare local port the new link would start
 * at a port of a symmetric link. It would be parallel to an existing link if
 * the peer's port is in use, too, which is forbidden; otherwise it would be
 * asymmetric, and a group has at most one asymmetric link. With a spare local
 * port the link is asymmetric if the peer's port is in use, else symmetric
 * (3.5.1.6.1, 3.5.5.1.1).
 *
 * Return: 0 to agree, otherwise the reason of the refusal, enum
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
 * smcr_lgr_policy_retry_ms() - decide when to try to add a link again (C.8)
 * @tries: tries that have failed since the last success
 * @min_ms: time before the first retry
 * @max_ms: longest time; it takes precedence over @min_ms
 *
 * Return: milliseconds. Each retry doubles the time.
 */
unsigned int smcr_lgr_policy_retry_ms(unsigned int tries, u32 min_ms,
				      u32 max_ms)
{
	u64 ms = min_ms;

	/* The time has 32 bits, so 32 doublings exceed any limit */
	return (unsigned int)min_t(u64, ms << min_t(u32, tries, 32), max_ms);
}

/**
 * smcr_lgr_policy_has_room() - may one more connection join the group?
 * @dialect: of the group
 * @nr_conns: connections it has, those in handshake included
 * @nr_rmbs: our RMBs in it
 *
 * Return: false if the group cannot have another RMB; in the Linux dialect also
 * at 255 connections.
 */
bool smcr_lgr_policy_has_room(enum smcr_dialect dialect, unsigned int nr_conns,
			      unsigned int nr_rmbs)
{
	if (dialect == SMCR_DIALECT_LINUX && nr_conns >= SMCR_LINUX_MAX_CONNS)
		return false;
	return nr_rmbs < SMCR_MAX_RMBS;
}

/**
 * smcr_lgr_policy_rmb_elements() - decide the size of the next RMB
 * @mr_bytes: bytes that one memory region of the device can map
 * @size: bytes of an element
 * @nr_rmbs: RMBs of this element size that the group has
 * @left: bytes that the namespace may still use for RMBs
 *
 * The first RMB is small, because most groups stay small. Each further RMB has
 * four times as many elements, so that a busy group seldom makes one; but it
 * takes an eighth of @left at most, or as much as a first one, so that a few
 * groups do not leave the others without memory.
 *
 * Return: number of elements, 1..255, or 0 if not even one element fits into a
 * memory region. It is 1 if none fits into @left.
 */
u8 smcr_lgr_policy_rmb_elements(u32 mr_bytes, u32 size, unsigned int nr_rmbs,
				u32 left)
{
	u32 fit = min_t(u32, mr_bytes / size, SMCR_MAX_RMBES);
	u32 most = left / size;
	u32 want = SMCR_MAX_RMBES;

	if (nr_rmbs < 3)
		want = SMCR_FIRST_RMB_ELEMENTS << (2 * nr_rmbs);
	if (most / 8 > SMCR_FIRST_RMB_ELEMENTS)
		most /= 8;
	else
		most = min_t(u32, most, SMCR_FIRST_RMB_ELEMENTS);
	want = min_t(u32, want, most ? most : 1);
	return (u8)min_t(u32, want, fit);
}

/**
 * smcr_lgr_policy_want_rmb() - should the group make another RMB?
 * @used: elements of the size class that are not free
 * @total: elements of the size class
 *
 * Return: true if at least 75 % are used, so that a new connection finds a free
 * element; but false with %SMCR_SPARE_ELEMENTS free elements or more, which are
 * enough for a burst of connections.
 */
bool smcr_lgr_policy_want_rmb(unsigned int used, unsigned int total)
{
	return used * 4 >= total * 3 && total - used < SMCR_SPARE_ELEMENTS;
}
