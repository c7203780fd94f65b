// SPDX-License-Identifier: GPL-2.0
/*
 * Choice of the local port of a further link (RFC 7609 2.2.1, 3.5.1.6).
 *
 * A further link makes a group survive the loss of a port, so it begins at a
 * port that no symmetric link of the group uses. The links of a group are
 * equal, so the GID has the VLAN of the first link's GID, its RoCE version and
 * its kind.
 *
 * The RFC asks for a port on the same LAN. Addresses tell this only in part: a
 * port in the subnet of the peer's GID is on the peer's LAN, but a port in
 * another subnet may reach the peer as well, for example if adapter n of each
 * host is in a subnet of its own. Such a port is the second choice, and the
 * exchange of CONFIRM LINK shows whether it reaches the peer. If it does not,
 * the retry takes another port. More often it belongs to a network that the
 * peer is not on, so llc_add.c excludes such ports in a first contact, which
 * would wait, and after some failures.
 */
#include <linux/string.h>

#include "gid.h"
#include "spare.h"

/* Number of ranks of rank_of(), which begin at 0 */
#define SPARE_RANKS	8

/**
 * smcr_spare_use() - mark the candidates that a link uses
 * @cand: candidates
 * @n: entries of @cand
 * @end: local end of the link; its @dev, @port and @ifindex count, and
 *	@asymmetric says what link it is
 *
 * Two ports of a bond carry the same GIDs on the same netdev. The peer cannot
 * tell them apart, and the bond decides which one receives a packet. So a link
 * on one of them uses the other one, too.
 *
 * Context: any.
 */
void smcr_spare_use(struct smcr_spare *cand, u32 n,
		    const struct smcr_spare *end)
{
	for (; n--; cand++) {
		if (cand->dev == end->dev)
			cand->used_dev = true;
		if ((cand->dev != end->dev || cand->port != end->port) &&
		    cand->ifindex != end->ifindex)
			continue;
		if (end->asymmetric)
			cand->asymmetric = true;
		else
			cand->used = true;
	}
}

/**
 * smcr_spare_suits() - can a GID carry a further link?
 * @cand: the GID
 * @want: what the link needs
 *
 * Whether the port is ready or in use does not count here.
 *
 * Context: any.
 * Return: true if the GID resembles that of the first link, and the device can
 * have the group's RMBs.
 */
bool smcr_spare_suits(const struct smcr_spare *cand,
		      const struct smcr_spare_want *want)
{
	if (cand->v2 != want->first->v2 || cand->vlan != want->first->vlan)
		return false;
	if (want->peer_gid && !smcr_gid_alike(cand->gid, want->peer_gid))
		return false;
	if (cand->pages < want->pages)
		return false;
	return smcr_gid_alike(cand->gid, want->first->gid);
}

static bool prefix_equal(const u8 *a, const u8 *b, unsigned int bits)
{
	unsigned int bytes = bits / 8, rest = bits % 8;

	if (memcmp(a, b, bytes))
		return false;
	return !rest || !((a[bytes] ^ b[bytes]) >> (8 - rest));
}

static bool in_subnet_of(const struct smcr_spare *cand, const u8 *gid)
{
	return gid && prefix_equal(cand->gid, gid, cand->prefix);
}

/* Is a candidate in the subnet of the peer's end? Before the peer has named its
 * end, both ends of the first link take its place, and the port that the peer
 * has told of. Each LAN has the subnet of the link-local addresses, so there
 * the other addresses of the netdev decide.
 */
static bool in_subnet(const struct smcr_spare *cand,
		      const struct smcr_spare_want *want)
{
	if (smcr_gid_kind(cand->gid) == SMCR_GID_LINK_LOCAL)
		return cand->lan;
	if (want->peer_gid)
		return in_subnet_of(cand, want->peer_gid);
	return cand->like_first || in_subnet_of(cand, want->first->gid) ||
	       in_subnet_of(cand, want->first_peer) ||
	       in_subnet_of(cand, want->asked);
}

/**
 * smcr_spare_near() - is a candidate on the peer's LAN, by its addresses?
 * @cand: the GID
 * @want: what the link needs
 *
 * Context: any.
 * Return: true if GID or netdev are in a subnet that leads to the peer.
 */
bool smcr_spare_near(const struct smcr_spare *cand,
		     const struct smcr_spare_want *want)
{
	return cand->lan || in_subnet(cand, want);
}

static bool may_serve(const struct smcr_spare *cand,
		      const struct smcr_spare_want *want)
{
	return !cand->used && smcr_spare_suits(cand, want) &&
	       (!want->near || smcr_spare_near(cand, want));
}

static bool is_spare(const struct smcr_spare *cand,
		     const struct smcr_spare_want *want)
{
	return cand->ready && may_serve(cand, want);
}

/* Rank a candidate, 0 is the best. Two ports of one device share its fate. A
 * symmetric link that begins at the port of an asymmetric one replaces it, so
 * such a port comes last: with an unused port the group keeps both links.
 */
static unsigned int rank_of(const struct smcr_spare *cand,
			    const struct smcr_spare_want *want)
{
	return (cand->asymmetric ? 4 : 0) + (in_subnet(cand, want) ? 0 : 2) +
	       cand->used_dev;
}

static u32 spares_count(const struct smcr_spare *cand, u32 n,
			const struct smcr_spare_want *want)
{
	u32 count = 0;

	while (n--)
		count += is_spare(&cand[n], want);
	return count;
}

/**
 * smcr_spare_choose() - choose the local end of a further link
 * @cand: candidates, with the group's links marked by smcr_spare_use()
 * @n: entries of @cand
 * @want: what the link needs; after the last candidate @want->nth begins with
 *	the best one again
 *
 * Context: any.
 * Return: index in @cand; SMCR_SPARE_NONE or SMCR_SPARE_FAR.
 */
int smcr_spare_choose(const struct smcr_spare *cand, u32 n,
		      const struct smcr_spare_want *want)
{
	u32 i, skip = spares_count(cand, n, want);
	struct smcr_spare_want all = *want;
	unsigned int rank;

	all.near = false;
	if (!skip)
		return spares_count(cand, n, &all) ? SMCR_SPARE_FAR :
						     SMCR_SPARE_NONE;
	skip = want->nth % skip;
	for (rank = 0; rank < SPARE_RANKS; rank++)
		for (i = 0; i < n; i++)
			if (is_spare(&cand[i], want) &&
			    rank_of(&cand[i], want) == rank && !skip--)
				return (int)i;
	return SMCR_SPARE_NONE;
}

/**
 * smcr_spare_open() - may an answer of a device make a candidate spare?
 * @cand: candidates, with the group's links marked by smcr_spare_use()
 * @n: entries of @cand
 * @want: what a further link needs
 *
 * Context: any.
 * Return: true if it may.
 */
bool smcr_spare_open(const struct smcr_spare *cand, u32 n,
		     const struct smcr_spare_want *want)
{
	while (n--)
		if (cand[n].open && may_serve(&cand[n], want))
			return true;
	return false;
}

static bool same_port(const struct smcr_spare *a, const struct smcr_spare *b)
{
	return (a->dev == b->dev && a->port == b->port) ||
	       a->ifindex == b->ifindex;
}

/**
 * smcr_spare_ports() - count the spare ports
 * @cand: candidates, with the group's links marked by smcr_spare_use()
 * @n: entries of @cand
 * @want: what a further link needs
 *
 * Context: any.
 * Return: how many ports have candidates. The ports of a bond count once.
 */
u32 smcr_spare_ports(const struct smcr_spare *cand, u32 n,
		     const struct smcr_spare_want *want)
{
	u32 i, k, count = 0;

	for (i = 0; i < n; i++) {
		if (!is_spare(&cand[i], want))
			continue;
		for (k = 0; k < i; k++)
			if (is_spare(&cand[k], want) &&
			    same_port(&cand[k], &cand[i]))
				break;
		count += k == i;
	}
	return count;
}
