// SPDX-License-Identifier: GPL-2.0
/*
 * Which of a netdev's GIDs a handshake names.
 *
 * A GID is 16 bytes to the peer, which cannot see whether it stands for RoCEv1
 * or RoCEv2, and the two do not meet. Other implementations of SMC-R use
 * RoCEv1, and name link-local GIDs. So a link-local GID means RoCEv1 on both
 * ends, where their ports have it, and any other one means RoCEv2:
 *
 *	client				server
 *	Proposal, routable GID	------>
 *				<------	Accept, GID of the Proposal's kind;
 *					others: link-local
 *	Confirm, GID of the
 *	Accept's kind		------>
 *
 * RoCEv2 over IPv4 does not meet RoCEv2 over IPv6 either, hence the family of
 * the address counts next.
 */
#include <linux/string.h>

#include "gid.h"

/* What a kind's GIDs are worth, best first */
enum tier { TIER_V2, TIER_V2_LINK_LOCAL, TIER_V1, TIER_V1_LINK_LOCAL };

static const u8 tiers[SMCR_GID_KINDS][4] = {
	[SMCR_GID_ROUTABLE] = {
		[TIER_V2]		= 0,
		[TIER_V1_LINK_LOCAL]	= 1,
		[TIER_V2_LINK_LOCAL]	= 2,
		[TIER_V1]		= 3,
	},
	[SMCR_GID_LINK_LOCAL] = {
		[TIER_V1_LINK_LOCAL]	= 0,
		[TIER_V2_LINK_LOCAL]	= 1,
		[TIER_V2]		= 2,
		[TIER_V1]		= 3,
	},
};

/**
 * smcr_gid_kind() - what does a GID stand for?
 * @gid: ours or the peer's
 *
 * Context: any.
 */
enum smcr_gid_kind smcr_gid_kind(const u8 *gid)
{
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80 ?
	       SMCR_GID_LINK_LOCAL : SMCR_GID_ROUTABLE;
}

/**
 * smcr_gid_prefer() - the kind to name
 * @setting: net.smcr.gid_kind
 * @hint: what the peer uses, as far as it is known
 *
 * Context: any.
 * Return: SMCR_GID_ROUTABLE or SMCR_GID_LINK_LOCAL.
 */
enum smcr_gid_kind smcr_gid_prefer(enum smcr_gid_kind setting,
				   enum smcr_gid_kind hint)
{
	if (setting != SMCR_GID_AUTO)
		return setting;
	return hint != SMCR_GID_AUTO ? hint : SMCR_GID_ROUTABLE;
}

static bool is_mapped(const u8 *gid)
{
	static const u8 prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid, prefix, sizeof(prefix));
}

/**
 * smcr_gid_alike() - may two ends with these GIDs meet?
 * @a: a GID
 * @b: another
 *
 * Context: any.
 */
bool smcr_gid_alike(const u8 *a, const u8 *b)
{
	return smcr_gid_kind(a) == smcr_gid_kind(b) &&
	       is_mapped(a) == is_mapped(b);
}

static enum tier tier_of(const struct smcr_gid *gid)
{
	bool link_local = smcr_gid_kind(gid->raw) == SMCR_GID_LINK_LOCAL;

	if (gid->v2)
		return link_local ? TIER_V2_LINK_LOCAL : TIER_V2;
	return link_local ? TIER_V1_LINK_LOCAL : TIER_V1;
}

/* Another family than that of the peer's address, or of ours if the peer has
 * not named one that has a family.
 */
static bool other_family(const struct smcr_gid *gid,
			 const struct smcr_gid_want *want)
{
	const u8 *like = want->local;

	if (smcr_gid_kind(gid->raw) == SMCR_GID_LINK_LOCAL)
		return false;
	if (want->peer && smcr_gid_kind(want->peer) == SMCR_GID_ROUTABLE)
		like = want->peer;
	return is_mapped(gid->raw) != is_mapped(like);
}

/**
 * smcr_gid_rank() - what a GID is worth for a handshake
 * @gid: the GID
 * @want: what is wanted
 *
 * Context: any.
 * Return: 0 for the best, below SMCR_GID_RANKS.
 */
unsigned int smcr_gid_rank(const struct smcr_gid *gid,
			   const struct smcr_gid_want *want)
{
	unsigned int rank = 4 * tiers[want->kind][tier_of(gid)];

	if (other_family(gid, want))
		rank += 2;
	if (memcmp(gid->raw, want->local, SMCR_GID_LEN))
		rank++;
	return rank;
}

/**
 * smcr_gid_find() - a GID of a certain rank
 * @table: GIDs of a netdev
 * @n: entries
 * @want: what is wanted
 * @rank: the rank
 * @skip: how many to pass over; lowered by those that were
 *
 * Context: any.
 * Return: its place in @table, or -1.
 */
int smcr_gid_find(const struct smcr_gid *table, u32 n,
		  const struct smcr_gid_want *want, unsigned int rank,
		  u32 *skip)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (smcr_gid_rank(&table[i], want) == rank && !(*skip)--)
			return i;
	return -1;
}

/**
 * smcr_gid_types() - what a port has, for displays
 * @table: GIDs of a netdev
 * @n: entries
 * @port: the port
 *
 * Context: any.
 * Return: bits SMCR_GID_T_...
 */
u32 smcr_gid_types(const struct smcr_gid *table, u32 n, u32 port)
{
	static const u32 bits[] = {
		[TIER_V2]		= SMCR_GID_T_V2,
		[TIER_V2_LINK_LOCAL]	= SMCR_GID_T_V2_LINK_LOCAL,
		[TIER_V1]		= SMCR_GID_T_V1,
		[TIER_V1_LINK_LOCAL]	= SMCR_GID_T_V1_LINK_LOCAL,
	};
	u32 i, types = 0;

	for (i = 0; i < n; i++)
		if (table[i].port == port)
			types |= bits[tier_of(&table[i])];
	return types;
}
