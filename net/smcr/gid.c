// SPDX-License-Identifier: GPL-2.0
/*
 * Choice of the netdev's GID that a handshake names.
 *
 * A GID on the wire is 16 bytes. They do not tell the peer whether the GID
 * stands for RoCEv1 or RoCEv2, and these two do not interoperate. Other
 * implementations of SMC-R use RoCEv1, and name link-local GIDs. So a
 * link-local GID means RoCEv1 at both ends if their ports have it, and any
 * other GID means RoCEv2:
 *
 *	client				server
 *	Proposal, routable GID	------>
 *				<------	Accept, GID of the Proposal's kind;
 *					other implementations: link-local
 *	Confirm, GID of the
 *	Accept's kind		------>
 *
 * RoCEv2 over IPv4 does not interoperate with RoCEv2 over IPv6 either, so the
 * address family is the second criterion. Ahead of both is the VLAN: the peer's
 * GIDs are on that of the TCP connection. The GIDs of one netdev have the same,
 * but a port that the PNET table names may have several netdevs.
 */
#include <linux/string.h>

#include "gid.h"

/* Types of GIDs; tiers[] ranks them for each kind, 0 is the best */
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
 * smcr_gid_kind() - the kind of a GID
 * @gid: a local GID or the peer's
 *
 * Context: any.
 */
enum smcr_gid_kind smcr_gid_kind(const u8 *gid)
{
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80 ?
	       SMCR_GID_LINK_LOCAL : SMCR_GID_ROUTABLE;
}

/**
 * smcr_gid_prefer() - choose the kind of GID to name
 * @setting: value of net.smcr.gid_kind
 * @hint: the kind that the peer uses, SMCR_GID_AUTO if unknown
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
 * smcr_gid_alike() - are two GIDs of the same kind and address family?
 * @a: a GID
 * @b: another GID
 *
 * Ends with GIDs that are not alike cannot interoperate.
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

/* Is the address family of a GID another one than that of the peer's GID? If
 * the peer has named no routable GID, the local address takes its place.
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
 * smcr_gid_rank() - rank a GID for a handshake
 * @gid: the GID
 * @want: what the handshake prefers
 *
 * Context: any.
 * Return: 0 for the best, below SMCR_GID_RANKS.
 */
unsigned int smcr_gid_rank(const struct smcr_gid *gid,
			   const struct smcr_gid_want *want)
{
	unsigned int rank = 4 * tiers[want->kind][tier_of(gid)];

	if (gid->vlan != want->vlan)
		rank += SMCR_GID_RANKS / 2;
	if (other_family(gid, want))
		rank += 2;
	if (memcmp(gid->raw, want->local, SMCR_GID_LEN))
		rank++;
	return rank;
}

/**
 * smcr_gid_find() - find a GID of a given rank
 * @table: GIDs of a netdev
 * @n: entries of @table
 * @want: what the handshake prefers
 * @rank: the rank
 * @skip: number of such GIDs to skip; lowered by each one that is skipped
 *
 * Context: any.
 * Return: its index in @table, or -1.
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
 * smcr_gid_types() - types of GIDs that a port has, for displays
 * @table: GIDs of a netdev
 * @n: entries of @table
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
