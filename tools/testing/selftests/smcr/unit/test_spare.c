// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of the local port of a further link (spare.c), on made-up hosts.
 */
#include "tap.h"
#include "spare.h"

#define V4(a, b, c, d)	{ [10] = 0xff, 0xff, a, b, c, d }
#define LL(n)		{ 0xfe, 0x80, [8] = 2, [11] = 0xff, 0xfe, [15] = n }
#define UNTAGGED	0xffff

/* Devices; only their addresses count */
static const char rxe0, rxe1, rxe2;

/* A port with a GID on a netdev of its own. Link 1 of the tests ends at the
 * first row.
 */
#define ROW(device, index, ...) {					\
	.dev = &(device), .port = 1, .ifindex = index, .v2 = true,	\
	.prefix = 96 + 24, .vlan = UNTAGGED, .ready = true,		\
	.gid = __VA_ARGS__ }

static const struct smcr_spare one_port[] = {
	ROW(rxe0, 2, V4(10, 9, 0, 2)),
};

static const struct smcr_spare one_subnet[] = {
	ROW(rxe0, 2, V4(10, 9, 0, 2)),
	ROW(rxe1, 3, V4(10, 9, 0, 12)),
};

/* Adapter n is in subnet n */
static const struct smcr_spare rails[] = {
	ROW(rxe0, 2, V4(10, 9, 1, 2)),
	ROW(rxe1, 3, V4(10, 9, 2, 2)),
	ROW(rxe2, 4, V4(10, 9, 3, 2)),
};

/* The third device is in the subnet of the first one, the second one is not */
static const struct smcr_spare mixed[] = {
	ROW(rxe0, 2, V4(10, 9, 0, 2)),
	ROW(rxe1, 3, V4(10, 8, 0, 2)),
	ROW(rxe2, 4, V4(10, 9, 0, 22)),
};

/* A copy of a host's rows, which the tests change */
static struct smcr_spare host[16];
static u32 ports;
static struct smcr_spare first;
static struct smcr_spare_want want;

static void setup(const struct smcr_spare *rows, u32 n)
{
	memcpy(host, rows, n * sizeof(*rows));
	ports = n;
	first = host[0];
	memset(&want, 0, sizeof(want));
	want.first = &first;
	smcr_spare_use(host, ports, &first);
}

#define SETUP(rows)	setup(rows, ARRAY_SIZE(rows))

static int choose(void)
{
	return smcr_spare_choose(host, ports, &want);
}

static int choose_for(const u8 *peer_gid)
{
	want.peer_gid = peer_gid;
	return choose();
}

static u32 spare_ports(void)
{
	return smcr_spare_ports(host, ports, &want);
}

/* A link uses all GIDs of its port */
static void no_spare(void)
{
	static const u8 peer[] = V4(10, 9, 0, 1);

	EXPECT_EQ(smcr_spare_choose(NULL, 0, &want), SMCR_SPARE_NONE);
	SETUP(one_port);
	EXPECT_EQ(choose(), -1);
	EXPECT_EQ(choose_for(peer), -1);
	EXPECT_EQ(spare_ports(), 0);
	SETUP(one_subnet);
	host[1].dev = host[0].dev;
	smcr_spare_use(host, ports, &first);
	EXPECT_EQ(choose(), -1);
	SETUP(one_subnet);
	smcr_spare_use(host, ports, &host[1]);
	EXPECT_EQ(choose(), -1);
	EXPECT_EQ(spare_ports(), 0);
}

static void second_port(void)
{
	static const u8 peer[] = V4(10, 9, 0, 11);

	SETUP(one_subnet);
	EXPECT_EQ(choose(), 1);
	EXPECT_EQ(choose_for(peer), 1);
	EXPECT_EQ(spare_ports(), 1);
}

static void third_port(void)
{
	static const u8 peer[] = V4(10, 9, 0, 21), elsewhere[] = V4(10, 8, 0, 1);

	SETUP(mixed);
	EXPECT_EQ(spare_ports(), 2);
	EXPECT_EQ(choose(), 2);
	EXPECT_EQ(choose_for(peer), 2);
	EXPECT_EQ(choose_for(elsewhere), 1);
	smcr_spare_use(host, ports, &host[2]);
	EXPECT_EQ(choose_for(peer), 1);
	EXPECT_EQ(spare_ports(), 1);
	/* One port may have GIDs on two netdevs */
	SETUP(mixed);
	host[1].dev = host[2].dev;
	EXPECT_EQ(spare_ports(), 1);
}

static void rail(void)
{
	static const u8 peer2[] = V4(10, 9, 2, 1), peer3[] = V4(10, 9, 3, 1);

	SETUP(rails);
	EXPECT_EQ(choose(), 1);
	EXPECT_EQ(choose_for(peer2), 1);
	EXPECT_EQ(choose_for(peer3), 2);
	smcr_spare_use(host, ports, &host[1]);
	EXPECT_EQ(choose_for(peer2), 2);
}

static void peer_elsewhere(void)
{
	static const u8 peer[] = V4(192, 168, 7, 1);

	SETUP(mixed);
	EXPECT_EQ(choose_for(peer), 1);
	SETUP(one_subnet);
	EXPECT_EQ(choose_for(peer), 1);
}

/* Each retry takes the next candidate, in the order of their ranks */
static void retries(void)
{
	static const int order[] = { 2, 1, 2, 1 };

	SETUP(mixed);
	for (want.nth = 0; want.nth < ARRAY_SIZE(order); want.nth++)
		EXPECT_EQ(choose(), order[want.nth]);
	want.nth = ~0U;
	EXPECT_EQ(choose(), 1);
	SETUP(one_subnet);
	for (want.nth = 0; want.nth < 3; want.nth++)
		EXPECT_EQ(choose(), 1);
	SETUP(one_port);
	want.nth = 3;
	EXPECT_EQ(choose(), -1);
}

/* The same GIDs on the netdev of the bond, at the ports of both its members */
static void bond(void)
{
	static const struct smcr_spare rows[] = {
		ROW(rxe0, 9, V4(10, 9, 0, 2)),
		ROW(rxe1, 9, V4(10, 9, 0, 2)),
		ROW(rxe1, 9, V4(10, 9, 0, 3)),
	};
	static const struct smcr_spare beside[] = {
		ROW(rxe2, 4, V4(10, 9, 0, 22)),
		ROW(rxe0, 9, V4(10, 9, 0, 2)),
		ROW(rxe1, 9, V4(10, 9, 0, 2)),
	};

	SETUP(rows);
	EXPECT_EQ(choose(), -1);
	EXPECT_EQ(spare_ports(), 0);
	SETUP(beside);
	EXPECT_EQ(choose(), 1);
	EXPECT_EQ(spare_ports(), 1);
}

static void vlan(void)
{
	static const struct smcr_spare rows[] = {
		ROW(rxe0, 5, V4(10, 31, 0, 2)),
		ROW(rxe1, 3, V4(10, 31, 0, 12)),
		ROW(rxe1, 6, V4(10, 31, 0, 13)),
		ROW(rxe1, 7, V4(10, 31, 0, 14)),
	};

	SETUP(rows);
	first.vlan = 31;
	host[2].vlan = 32;
	host[3].vlan = 31;
	EXPECT_EQ(choose(), 3);
	EXPECT_EQ(spare_ports(), 1);
	host[3].vlan = 0;
	EXPECT_EQ(choose(), -1);
	EXPECT(!smcr_spare_suits(&host[1], &want));
	first.vlan = UNTAGGED;
	EXPECT_EQ(choose(), 1);
}

static void kind(void)
{
	static const struct smcr_spare rows[] = {
		ROW(rxe0, 2, V4(10, 9, 0, 2)),
		ROW(rxe1, 3, LL(12)),
		ROW(rxe1, 3, { 0xfd, 0x09, [15] = 12 }),
		ROW(rxe1, 3, V4(10, 9, 0, 12)),
	};
	static const u8 peer6[] = { 0xfd, 0x09, [15] = 11 };

	SETUP(rows);
	EXPECT_EQ(choose(), 3);
	EXPECT_EQ(spare_ports(), 1);
	EXPECT_EQ(choose_for(peer6), -1);
	want.peer_gid = NULL;
	host[3].v2 = false;
	EXPECT_EQ(choose(), -1);
	first.v2 = false;
	EXPECT_EQ(choose(), 3);
}

/* The prefix of link-local addresses says nothing about the LAN, but the other
 * subnets of the netdev do
 */
static void link_local(void)
{
	static const struct smcr_spare rows[] = {
		ROW(rxe0, 2, LL(2)),
		ROW(rxe1, 3, V4(10, 9, 0, 12)),
		ROW(rxe1, 3, LL(12)),
		ROW(rxe2, 4, LL(22)),
	};
	static const u8 peer[] = LL(21);

	SETUP(rows);
	host[2].prefix = 128;
	host[3].prefix = 64;
	EXPECT_EQ(choose(), 2);
	EXPECT_EQ(choose_for(peer), 2);
	EXPECT_EQ(spare_ports(), 2);
	host[3].lan = true;
	EXPECT_EQ(choose(), 3);
	EXPECT_EQ(choose_for(peer), 3);
	want.near = true;
	EXPECT_EQ(spare_ports(), 1);
	host[3].ready = false;
	EXPECT_EQ(choose(), SMCR_SPARE_FAR);
	EXPECT_EQ(spare_ports(), 0);
}

/* Ports of networks that the peer may not be on */
static void far(void)
{
	static const u8 peer[] = V4(10, 8, 0, 1), third[] = V4(10, 9, 3, 1);

	SETUP(mixed);
	want.near = true;
	EXPECT_EQ(choose(), 2);
	EXPECT_EQ(spare_ports(), 1);
	want.nth = 1;
	EXPECT_EQ(choose(), 2);
	EXPECT(smcr_spare_near(&host[2], &want));
	EXPECT(!smcr_spare_near(&host[1], &want));
	/* The peer's end may tell of the other network */
	EXPECT_EQ(choose_for(peer), 1);
	EXPECT_EQ(spare_ports(), 1);
	SETUP(rails);
	want.near = true;
	EXPECT_EQ(choose(), SMCR_SPARE_FAR);
	EXPECT_EQ(spare_ports(), 0);
	want.asked = third;
	EXPECT_EQ(choose(), 2);
	want.asked = NULL;
	want.first_peer = third;
	EXPECT_EQ(choose(), 2);
	/* The GID is that of a virtual address, the netdev has others */
	want.first_peer = NULL;
	host[1].lan = true;
	host[2].lan = true;
	EXPECT_EQ(choose(), 1);
	host[2].like_first = true;
	EXPECT_EQ(choose(), 2);
	host[2].lan = false;
	host[1].ready = false;
	host[2].ready = false;
	EXPECT_EQ(choose(), SMCR_SPARE_NONE);
}

/* The group's RMBs are larger than a memory region of the second device. */
static void pages(void)
{
	static const u8 peer[] = V4(10, 9, 0, 11);
	u32 i;

	SETUP(mixed);
	for (i = 0; i < ports; i++)
		host[i].pages = 512;
	want.pages = 512;
	EXPECT_EQ(choose(), 2);
	EXPECT_EQ(spare_ports(), 2);
	want.pages = 513;
	EXPECT_EQ(choose(), SMCR_SPARE_NONE);
	EXPECT_EQ(spare_ports(), 0);
	host[1].pages = 513;
	EXPECT_EQ(choose(), 1);
	EXPECT_EQ(choose_for(peer), 1);
	EXPECT_EQ(spare_ports(), 1);
}

static void not_ready(void)
{
	static const u8 peer[] = V4(10, 9, 0, 21);

	SETUP(mixed);
	host[2].ready = false;
	EXPECT_EQ(choose_for(peer), 1);
	EXPECT_EQ(spare_ports(), 1);
	host[1].ready = false;
	EXPECT_EQ(choose_for(peer), -1);
}

/* The second port of a device is worth less than a port of another device, and
 * more than one in another subnet
 */
static void same_device(void)
{
	static const u8 elsewhere[] = V4(10, 8, 0, 1);

	SETUP(mixed);
	host[1].dev = &rxe0;
	host[1].port = 2;
	smcr_spare_use(host, ports, &first);
	memcpy(host[1].gid, one_subnet[1].gid, SMCR_GID_LEN);
	EXPECT_EQ(choose(), 2);
	host[2].ready = false;
	EXPECT_EQ(choose(), 1);
	host[2].ready = true;
	memcpy(host[2].gid, elsewhere, SMCR_GID_LEN);
	EXPECT_EQ(choose(), 1);
}

/* A port that only an asymmetric link uses is the last choice; a symmetric link
 * leaves no choice.
 */
static void asymmetric(void)
{
	static const u8 peer[] = V4(10, 9, 0, 11);
	struct smcr_spare end;

	SETUP(one_subnet);
	end = host[1];
	end.asymmetric = true;
	smcr_spare_use(host, ports, &end);
	EXPECT_EQ(choose(), 1);
	EXPECT_EQ(choose_for(peer), 1);
	EXPECT_EQ(spare_ports(), 1);
	smcr_spare_use(host, ports, &host[0]);
	end = host[1];
	end.asymmetric = false;
	smcr_spare_use(host, ports, &end);
	EXPECT_EQ(choose(), -1);
	EXPECT_EQ(spare_ports(), 0);
	/* The unused port comes first, though it is in another subnet */
	SETUP(mixed);
	end = host[2];
	end.asymmetric = true;
	smcr_spare_use(host, ports, &end);
	EXPECT_EQ(choose_for(peer), 1);
	want.nth = 1;
	EXPECT_EQ(choose_for(peer), 2);
	EXPECT_EQ(spare_ports(), 2);
}

/* Is the spare port of one_subnet, with a prefix of @bits, preferred to one in
 * another subnet if the peer's GID differs in bit @bit, counted from the first?
 */
static bool preferred(unsigned int bits, unsigned int bit)
{
	u8 peer[SMCR_GID_LEN];

	SETUP(mixed);
	host[1].prefix = 128;
	host[2].prefix = (u8)bits;
	memcpy(peer, host[2].gid, sizeof(peer));
	if (bit < 128)
		peer[bit / 8] ^= 0x80 >> bit % 8;
	return choose_for(peer) == 2;
}

static void prefixes(void)
{
	unsigned int bits, bit;

	/* A mapped address has its own bits from 96 on */
	for (bits = 96; bits <= 128; bits++)
		for (bit = 96; bit <= 128; bit++)
			EXPECT_EQ(preferred(bits, bit), bit >= bits);
}

static const struct fact facts[] = {
	{ "a port that a link uses is no spare", no_spare },
	{ "one subnet: the unused port", second_port },
	{ "three ports: the one in the subnet, else the other", third_port },
	{ "rails: the port in the subnet of the peer's GID", rail },
	{ "a peer in none of the subnets: any unused port", peer_elsewhere },
	{ "retries take the candidates in turn", retries },
	{ "a bond's ports are one port", bond },
	{ "the VLAN is that of the first link", vlan },
	{ "RoCE version, kind and family are those of the first link", kind },
	{ "link-local: any unused port, by the netdev's other subnets", link_local },
	{ "ports of other networks can be left out", far },
	{ "a device that cannot have the group's RMBs is left out", pages },
	{ "a port that is not ready is no spare", not_ready },
	{ "a port of another device is preferred to a second port", same_device },
	{ "a port of an asymmetric link comes after all unused ports", asymmetric },
	{ "the subnet is the prefix of the candidate's GID", prefixes },
};

PROVE(facts, NULL);
