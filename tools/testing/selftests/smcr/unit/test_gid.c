// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of a GID (gid.c), on made-up GID tables.
 */
#include "tap.h"
#include "gid.h"

/* Addresses of this host */
static const u8 ll[16] = { 0xfe, 0x80, [8] = 2, [11] = 0xff, 0xfe, [15] = 2 };
static const u8 ll_private[16] = { 0xfe, 0x80, [8] = 9, 9, 9, 9, 9, 9, 9, 9 };
static const u8 v4[16] = { [10] = 0xff, 0xff, 10, 9, 0, 2 };
static const u8 v4_other[16] = { [10] = 0xff, 0xff, 10, 9, 0, 12 };
static const u8 v6[16] = { 0xfd, 0x09, [15] = 2 };
/* Addresses of its peer */
static const u8 peer_ll[16] = { 0xfe, 0x80, [8] = 2, [11] = 0xff, 0xfe, [15] = 1 };
static const u8 peer_v4[16] = { [10] = 0xff, 0xff, 10, 9, 0, 1 };
static const u8 peer_v6[16] = { 0xfd, 0x09, [15] = 1 };

struct row {
	const u8	*raw;
	bool		v2;
};

/* A table as drivers with both RoCE versions fill it */
static const struct row both[] = {
	{ ll, false }, { ll, true },
	{ v4_other, false }, { v4_other, true },
	{ v4, false }, { v4, true },
	{ v6, false }, { v6, true },
	{ ll_private, false }, { ll_private, true },
};

/* RoCEv2 only, as with Soft-RoCE */
static const struct row v2_only[] = {
	{ ll, true }, { v4_other, true }, { v4, true }, { v6, true },
	{ ll_private, true },
};

/* RoCEv1 only */
static const struct row v1_only[] = {
	{ v4, false }, { ll, false },
};

/* A netdev without IPv6 addresses, like that of a VLAN */
static const struct row v4_only[] = {
	{ v4, false }, { v4, true },
};

static struct smcr_gid table[16];
static u16 vlan = 0xffff;

static void fill(const struct row *rows, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		memcpy(table[i].raw, rows[i].raw, SMCR_GID_LEN);
		table[i].v2 = rows[i].v2;
		table[i].port = 1;
		table[i].index = (u16)i;
		table[i].vlan = 0xffff;
	}
}

/* Candidate number @skip, best first, in the order in which ib_port.c tries */
static int nth(u32 n, enum smcr_gid_kind kind, const u8 *peer,
	       const u8 *local, u32 skip)
{
	const struct smcr_gid_want want = {
		.kind = kind, .peer = peer, .local = local, .vlan = vlan,
	};
	unsigned int rank;
	int i;

	for (rank = 0; rank < SMCR_GID_RANKS; rank++) {
		i = smcr_gid_find(table, n, &want, rank, &skip);
		if (i >= 0)
			return i;
	}
	return -1;
}

#define CHOOSE(rows, kind, peer, local)					\
	(fill(rows, ARRAY_SIZE(rows)),					\
	 nth(ARRAY_SIZE(rows), SMCR_GID_##kind, peer, local, 0))

/* A port with a netdev, and two VLANs on it, of which one has only a link-local
 * GID
 */
static void vlans(void)
{
	static const struct row rows[] = {
		{ v4, true }, { v6, true }, { v4_other, true }, { ll, false },
	};
	u32 i;

	fill(rows, ARRAY_SIZE(rows));
	table[2].vlan = 5;
	table[3].vlan = 7;
	EXPECT_EQ(nth(ARRAY_SIZE(rows), SMCR_GID_ROUTABLE, NULL, v4, 0), 0);
	EXPECT_EQ(nth(ARRAY_SIZE(rows), SMCR_GID_ROUTABLE, NULL, v6, 0), 1);
	vlan = 5;
	EXPECT_EQ(nth(ARRAY_SIZE(rows), SMCR_GID_ROUTABLE, NULL, v4, 0), 2);
	EXPECT_EQ(nth(ARRAY_SIZE(rows), SMCR_GID_ROUTABLE, NULL, v4, 1), 0);
	EXPECT_EQ(nth(ARRAY_SIZE(rows), SMCR_GID_ROUTABLE, peer_v6, v6, 0), 2);
	EXPECT_EQ(nth(ARRAY_SIZE(rows), SMCR_GID_LINK_LOCAL, NULL, v4, 0), 2);
	vlan = 7;
	EXPECT_EQ(nth(ARRAY_SIZE(rows), SMCR_GID_ROUTABLE, NULL, v4, 0), 3);
	/* A VLAN without a GID of its own: each GID is tried once */
	vlan = 9;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		EXPECT(nth(ARRAY_SIZE(rows), SMCR_GID_ROUTABLE, NULL, v4, i) >= 0);
	EXPECT_EQ(nth(ARRAY_SIZE(rows), SMCR_GID_ROUTABLE, NULL, v4, i), -1);
	EXPECT_EQ(nth(ARRAY_SIZE(rows), SMCR_GID_ROUTABLE, NULL, v4, 0), 0);
	vlan = 0xffff;
}

static void kinds(void)
{
	static const u8 last[] = { 0xfe, 0xbf, 0xff };
	static const u8 site[] = { 0xfe, 0xc0 };
	static const u8 below[] = { 0xfe, 0x7f };

	EXPECT_EQ(smcr_gid_kind(ll), SMCR_GID_LINK_LOCAL);
	EXPECT_EQ(smcr_gid_kind(last), SMCR_GID_LINK_LOCAL);
	EXPECT_EQ(smcr_gid_kind(site), SMCR_GID_ROUTABLE);
	EXPECT_EQ(smcr_gid_kind(below), SMCR_GID_ROUTABLE);
	EXPECT_EQ(smcr_gid_kind(v4), SMCR_GID_ROUTABLE);
	EXPECT_EQ(smcr_gid_kind(v6), SMCR_GID_ROUTABLE);
}

static void preference(void)
{
	EXPECT_EQ(smcr_gid_prefer(SMCR_GID_AUTO, SMCR_GID_AUTO),
		  SMCR_GID_ROUTABLE);
	EXPECT_EQ(smcr_gid_prefer(SMCR_GID_AUTO, SMCR_GID_LINK_LOCAL),
		  SMCR_GID_LINK_LOCAL);
	EXPECT_EQ(smcr_gid_prefer(SMCR_GID_ROUTABLE, SMCR_GID_LINK_LOCAL),
		  SMCR_GID_ROUTABLE);
	EXPECT_EQ(smcr_gid_prefer(SMCR_GID_LINK_LOCAL, SMCR_GID_ROUTABLE),
		  SMCR_GID_LINK_LOCAL);
}

static void routable(void)
{
	EXPECT_EQ(CHOOSE(both, ROUTABLE, NULL, v4), 5);
	EXPECT_EQ(CHOOSE(both, ROUTABLE, NULL, v4_other), 3);
	EXPECT_EQ(CHOOSE(both, ROUTABLE, NULL, v6), 7);
	EXPECT_EQ(CHOOSE(v2_only, ROUTABLE, NULL, v4), 2);
	EXPECT_EQ(CHOOSE(v2_only, ROUTABLE, peer_v4, v4), 2);
	EXPECT_EQ(CHOOSE(v4_only, ROUTABLE, NULL, v6), 1);
}

static void link_local(void)
{
	EXPECT_EQ(CHOOSE(both, LINK_LOCAL, peer_ll, v4), 0);
	EXPECT_EQ(CHOOSE(both, LINK_LOCAL, peer_ll, ll_private), 8);
	EXPECT_EQ(CHOOSE(v2_only, LINK_LOCAL, peer_ll, v4), 0);
	EXPECT_EQ(CHOOSE(v1_only, LINK_LOCAL, peer_ll, v4), 1);
	EXPECT_EQ(CHOOSE(v4_only, LINK_LOCAL, peer_ll, v4), 1);
}

/* RoCEv2 on a link-local GID does not reach a peer whose port has RoCEv1 */
static void v1_means_link_local(void)
{
	EXPECT_EQ(CHOOSE(v1_only, ROUTABLE, NULL, v4), 1);
	EXPECT_EQ(CHOOSE(both, ROUTABLE, NULL, ll), 7);
	EXPECT_EQ(CHOOSE(both, LINK_LOCAL, NULL, ll), 0);
}

static void family(void)
{
	EXPECT_EQ(CHOOSE(both, ROUTABLE, peer_v6, v4), 7);
	EXPECT_EQ(CHOOSE(both, ROUTABLE, peer_v4, v6), 3);
	EXPECT_EQ(CHOOSE(v2_only, ROUTABLE, peer_v6, v4), 3);
	EXPECT_EQ(CHOOSE(v2_only, ROUTABLE, peer_ll, v4), 2);
	EXPECT(smcr_gid_alike(v4, peer_v4));
	EXPECT(smcr_gid_alike(v6, peer_v6));
	EXPECT(smcr_gid_alike(ll, peer_ll));
	EXPECT(!smcr_gid_alike(v6, peer_v4));
	EXPECT(!smcr_gid_alike(v6, peer_ll));
	EXPECT(!smcr_gid_alike(ll, peer_v4));
}

/* Whatever the handshake prefers, each entry is tried once */
static void all_in_turn(void)
{
	const u8 *peers[] = { NULL, peer_ll, peer_v4, peer_v6 };
	const u8 *locals[] = { v4, v6, ll };
	u32 i, k, p, l, seen;

	fill(both, ARRAY_SIZE(both));
	for (k = SMCR_GID_ROUTABLE; k < SMCR_GID_KINDS; k++) {
		for (p = 0; p < ARRAY_SIZE(peers); p++) {
			for (l = 0; l < ARRAY_SIZE(locals); l++) {
				seen = 0;
				for (i = 0; i < ARRAY_SIZE(both); i++)
					seen |= 1u << nth(ARRAY_SIZE(both), k,
							  peers[p], locals[l],
							  i);
				EXPECT_EQ(seen, (1u << ARRAY_SIZE(both)) - 1);
				EXPECT_EQ(nth(ARRAY_SIZE(both), k, peers[p],
					      locals[l], i), -1);
			}
		}
	}
	EXPECT_EQ(nth(0, SMCR_GID_ROUTABLE, NULL, v4, 0), -1);
}

static void types(void)
{
	fill(both, ARRAY_SIZE(both));
	EXPECT_EQ(smcr_gid_types(table, ARRAY_SIZE(both), 1), 15);
	EXPECT_EQ(smcr_gid_types(table, ARRAY_SIZE(both), 2), 0);
	fill(v2_only, ARRAY_SIZE(v2_only));
	EXPECT_EQ(smcr_gid_types(table, ARRAY_SIZE(v2_only), 1),
		  SMCR_GID_T_V2 | SMCR_GID_T_V2_LINK_LOCAL);
	fill(v1_only, ARRAY_SIZE(v1_only));
	EXPECT_EQ(smcr_gid_types(table, ARRAY_SIZE(v1_only), 1),
		  SMCR_GID_T_V1 | SMCR_GID_T_V1_LINK_LOCAL);
}

static const struct fact facts[] = {
	{ "a GID on the VLAN of the connection comes before all others", vlans },
	{ "fe80::/10 is link-local, all else is routable", kinds },
	{ "the setting decides, else the peer's kind, else routable",
	  preference },
	{ "routable: RoCEv2, the connection's own address first", routable },
	{ "link-local: RoCEv1 where the port has it", link_local },
	{ "RoCEv2 on link-local addresses is a last resort",
	  v1_means_link_local },
	{ "the family follows the peer's GID, else the TCP connection",
	  family },
	{ "each entry is tried once", all_in_turn },
	{ "each port has the types of its GIDs", types },
};

PROVE(facts, NULL);
