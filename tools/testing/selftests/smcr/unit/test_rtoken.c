// SPDX-License-Identifier: GPL-2.0
/*
 * The peer's RMBs (rtoken.c), compared with a flat list of announced RTokens.
 */
#include "tap.h"
#include "rtoken.h"

static struct smcr_rtoken_table tbl;

static struct smcr_rtoken *fresh(void)
{
	return zalloc(sizeof(struct smcr_rtoken));
}

/* Add an RMB, and free its memory if the table did not take it */
static int add(u8 link, u32 rkey, u64 vaddr)
{
	struct smcr_rtoken *rt = fresh();
	int ret = smcr_rtoken_add(&tbl, rt, link, rkey, vaddr);

	if (!rt->id)
		release(rt);
	else
		EXPECT(ret == rt->id && tbl.slot[ret] == rt);
	return ret;
}

static void clear(void)
{
	unsigned int id;

	for (id = 1; id <= SMCR_MAX_RMBS; id++)
		release(smcr_rtoken_del(&tbl, (u8)id));
	EXPECT_EQ(tbl.nr, 0);
}

static void add_and_find(void)
{
	u64 vaddr;
	u32 rkey;
	int a, b;

	a = add(0, 0x1000, 0xA000);
	b = add(0, 0x1001, 0xB000);
	EXPECT(a > 0 && b > 0 && a != b);
	EXPECT_EQ(smcr_rtoken_find(&tbl, 0, 0x1000), a);
	EXPECT_EQ(smcr_rtoken_find(&tbl, 0, 0x1001), b);
	EXPECT_EQ(smcr_rtoken_find(&tbl, 0, 0x1002), -ENOENT);
	EXPECT_EQ(smcr_rtoken_find(&tbl, 1, 0x1000), -ENOENT);
	EXPECT_EQ(smcr_rtoken_find(&tbl, 8, 0x1000), -ENOENT);
	EXPECT_EQ(smcr_rtoken_get(&tbl, (u8)a, 0, &rkey, &vaddr), 0);
	EXPECT(rkey == 0x1000 && vaddr == 0xA000);
	EXPECT_EQ(smcr_rtoken_get(&tbl, (u8)a, 1, &rkey, &vaddr), -ENOENT);
	EXPECT_EQ(smcr_rtoken_get(&tbl, (u8)a, 8, &rkey, &vaddr), -ENOENT);
	EXPECT_EQ(smcr_rtoken_get(&tbl, 0, 0, &rkey, &vaddr), -ENOENT);
	clear();
	EXPECT_EQ(smcr_rtoken_find(&tbl, 0, 0x1000), -ENOENT);
}

static void repeats(void)
{
	int a = add(0, 7, 0xA000);

	EXPECT_EQ(add(0, 7, 0xA000), a);
	EXPECT_EQ(tbl.nr, 1);
	EXPECT_EQ(add(0, 7, 0xB000), -EEXIST);
	EXPECT_EQ(add(8, 7, 0xA000), -EINVAL);
	EXPECT_EQ(tbl.nr, 1);
	clear();
}

static void further_links(void)
{
	int a = add(0, 7, 0xA000), b = add(0, 8, 0xB000);

	EXPECT_EQ(smcr_rtoken_set(&tbl, (u8)a, 1, 70, 0xA100), 0);
	EXPECT_EQ(smcr_rtoken_set(&tbl, (u8)a, 1, 70, 0xA100), 0);
	EXPECT_EQ(smcr_rtoken_set(&tbl, (u8)a, 1, 71, 0xA100), -EEXIST);
	EXPECT_EQ(smcr_rtoken_set(&tbl, (u8)a, 1, 70, 0xA200), -EEXIST);
	EXPECT_EQ(smcr_rtoken_set(&tbl, (u8)b, 1, 70, 0xB100), -EEXIST);
	EXPECT_EQ(smcr_rtoken_set(&tbl, 200, 1, 72, 0), -ENOENT);
	EXPECT_EQ(smcr_rtoken_set(&tbl, (u8)b, 8, 72, 0), -EINVAL);
	EXPECT_EQ(smcr_rtoken_set(&tbl, (u8)b, 1, 72, 0xB100), 0);
	EXPECT_EQ(smcr_rtoken_find(&tbl, 1, 72), b);

	smcr_rtoken_drop_link(&tbl, 0);
	smcr_rtoken_drop_link(&tbl, 8);
	EXPECT_EQ(smcr_rtoken_find(&tbl, 0, 7), -ENOENT);
	EXPECT_EQ(smcr_rtoken_find(&tbl, 1, 70), a);
	EXPECT_EQ(smcr_rtoken_set(&tbl, (u8)b, 0, 7, 0xC000), 0);
	EXPECT_EQ(smcr_rtoken_find(&tbl, 0, 7), b);

	EXPECT_EQ(smcr_rtoken_lost(&tbl), -ENOENT);
	EXPECT_EQ(smcr_rtoken_claim(&tbl, (u8)a, 1), 0);
	smcr_rtoken_drop_link(&tbl, 1);
	EXPECT_EQ(smcr_rtoken_lost(&tbl), -ENOENT);
	smcr_rtoken_release(&tbl, (u8)a, 1);
	EXPECT_EQ(smcr_rtoken_lost(&tbl), a);
	clear();
}

/* The keys on links that have left */
static void past_links(void)
{
	int a = add(0, 0x1000, 0xA000), b = add(0, 0x1001, 0xB000);

	EXPECT_EQ(smcr_rtoken_set(&tbl, (u8)a, 1, 0x1000, 0xC000), 0);
	EXPECT_EQ(smcr_rtoken_find_past(&tbl, 7, 0x1000, 0xA000), -ENOENT);
	smcr_rtoken_keep_link(&tbl, 0, 7);
	smcr_rtoken_drop_link(&tbl, 0);
	EXPECT_EQ(smcr_rtoken_find(&tbl, 0, 0x1000), -ENOENT);
	EXPECT_EQ(smcr_rtoken_find_past(&tbl, 7, 0x1000, 0xA000), a);
	EXPECT_EQ(smcr_rtoken_find_past(&tbl, 7, 0x1001, 0xB000), b);
	EXPECT_EQ(smcr_rtoken_find_past(&tbl, 7, 0x1001, 0xA000), -ENOENT);
	EXPECT_EQ(smcr_rtoken_find_past(&tbl, 8, 0x1001, 0xB000), -ENOENT);
	EXPECT_EQ(smcr_rtoken_find_past(&tbl, 0, 0, 0), -ENOENT);
	/* the last two links of an RMB count */
	smcr_rtoken_keep_link(&tbl, 1, 8);
	smcr_rtoken_drop_link(&tbl, 1);
	EXPECT_EQ(smcr_rtoken_set(&tbl, (u8)a, 0, 0x1005, 0xD000), 0);
	smcr_rtoken_keep_link(&tbl, 0, 9);
	EXPECT_EQ(smcr_rtoken_find_past(&tbl, 7, 0x1000, 0xA000), -ENOENT);
	EXPECT_EQ(smcr_rtoken_find_past(&tbl, 8, 0x1000, 0xC000), a);
	EXPECT_EQ(smcr_rtoken_find_past(&tbl, 9, 0x1005, 0xD000), a);
	EXPECT_EQ(smcr_rtoken_find_past(&tbl, 7, 0x1001, 0xB000), b);
	/* they go with the RMB */
	release(smcr_rtoken_del(&tbl, (u8)a));
	EXPECT_EQ(smcr_rtoken_find_past(&tbl, 9, 0x1005, 0xD000), -ENOENT);
	clear();
}

static void full(void)
{
	struct smcr_rtoken *rt;
	unsigned int i;
	u64 vaddr;
	u32 rkey;

	for (i = 0; i < 255; i++)
		EXPECT(add(0, i << 8, i) > 0);
	EXPECT_EQ(add(0, 0xFFFFFF, 0), -ENOSPC);
	EXPECT_EQ(add(0, 5 << 8, 5), smcr_rtoken_find(&tbl, 0, 5 << 8));
	rt = smcr_rtoken_del(&tbl, 77);
	EXPECT(rt && !rt->id);
	release(rt);
	EXPECT_EQ(add(0, 0xFFFFFF, 0), 77);
	EXPECT(!smcr_rtoken_del(&tbl, 0));
	smcr_rtoken_drop_link(&tbl, 0);
	for (i = 1; i < 256; i++)
		EXPECT_EQ(smcr_rtoken_get(&tbl, (u8)i, 0, &rkey, &vaddr),
			  -ENOENT);
	clear();
	EXPECT(!smcr_rtoken_del(&tbl, 1));
}

static void elements(void)
{
	u8 a = (u8)add(0, 7, 0xA000), b = (u8)add(0, 8, 0xB000);
	unsigned int idx;

	EXPECT(!smcr_rtoken_in_use(&tbl, a));
	EXPECT_EQ(smcr_rtoken_claim(&tbl, a, 0), -EINVAL);
	EXPECT_EQ(smcr_rtoken_claim(&tbl, 99, 1), -ENOENT);
	for (idx = 1; idx < 256; idx++)
		EXPECT_EQ(smcr_rtoken_claim(&tbl, a, (u8)idx), 0);
	for (idx = 1; idx < 256; idx++)
		EXPECT_EQ(smcr_rtoken_claim(&tbl, a, (u8)idx), -EBUSY);
	EXPECT(!smcr_rtoken_in_use(&tbl, b));
	EXPECT_EQ(smcr_rtoken_claim(&tbl, b, 31), 0);
	smcr_rtoken_release(&tbl, b, 32);
	EXPECT(smcr_rtoken_in_use(&tbl, b));
	smcr_rtoken_release(&tbl, b, 31);
	smcr_rtoken_release(&tbl, b, 31);
	EXPECT(!smcr_rtoken_in_use(&tbl, b));
	for (idx = 1; idx < 256; idx++) {
		EXPECT(smcr_rtoken_in_use(&tbl, a));
		smcr_rtoken_release(&tbl, a, (u8)idx);
	}
	EXPECT(!smcr_rtoken_in_use(&tbl, a));
	EXPECT(!smcr_rtoken_in_use(&tbl, 99));
	smcr_rtoken_release(&tbl, 99, 1);
	clear();
}

/* The RTokens that the peer has announced, as a plain list */
static struct {
	u8 id, links;
	u32 rkey[SMCR_MAX_LINKS];
	u64 vaddr[SMCR_MAX_LINKS];
} model[256];

static int model_find(u8 link, u32 rkey)
{
	int i;

	for (i = 1; i < 256; i++)
		if (model[i].id && (model[i].links & 1 << link) &&
		    model[i].rkey[link] == rkey)
			return i;
	return -ENOENT;
}

static void model_bind(int id, u8 link, u32 rkey, u64 vaddr)
{
	model[id].id = (u8)id;
	model[id].links |= (u8)(1 << link);
	model[id].rkey[link] = rkey;
	model[id].vaddr[link] = vaddr;
}

static void random_add(u8 link, u32 rkey, u64 vaddr)
{
	int known = model_find(link, rkey);
	int id = add(link, rkey, vaddr);

	if (known > 0) {
		if (model[known].vaddr[link] != vaddr)
			known = -EEXIST;
		EXPECT_EQ(id, known);
	} else if (id > 0) {
		EXPECT(!model[id].id);
		model_bind(id, link, rkey, vaddr);
	}
}

static void random_set(u8 id, u8 link, u32 rkey, u64 vaddr)
{
	int ret = smcr_rtoken_set(&tbl, id, link, rkey, vaddr);
	bool same = model[id].rkey[link] == rkey &&
		    model[id].vaddr[link] == vaddr;

	if (!model[id].id)
		EXPECT_EQ(ret, -ENOENT);
	else if (model[id].links & 1 << link)
		EXPECT_EQ(ret, same ? 0 : -EEXIST);
	else if (model_find(link, rkey) > 0)
		EXPECT_EQ(ret, -EEXIST);
	else
		model_bind(id, link, rkey, vaddr);
}

static void random_history(void)
{
	unsigned int i, id, all = steps(300000);
	u64 vaddr;
	u32 rkey;
	u8 link;

	memset(model, 0, sizeof(model));
	for (i = 0; i < all; i++) {
		link = (u8)rnd_below(SMCR_MAX_LINKS);
		rkey = rnd_below(400) * 0x101;
		vaddr = rnd_below(2);
		id = 1 + rnd_below(255);
		switch (rnd_below(100)) {
		case 0:
			smcr_rtoken_drop_link(&tbl, link);
			for (id = 1; id < 256; id++)
				model[id].links &= (u8)~(1 << link);
			break;
		case 1 ... 20:
			release(smcr_rtoken_del(&tbl, (u8)id));
			memset(&model[id], 0, sizeof(model[id]));
			break;
		case 21 ... 60:
			random_set((u8)id, link, rkey, vaddr);
			break;
		default:
			random_add(link, rkey, vaddr);
		}
		rkey = rnd_below(400) * 0x101;
		EXPECT_EQ(smcr_rtoken_find(&tbl, link, rkey),
			  model_find(link, rkey));
	}
	clear();
}

static const struct fact facts[] = {
	{ "an RMB is found by its RKey on the link that it was announced for", add_and_find },
	{ "the same RToken may be announced again, a different one may not", repeats },
	{ "RKeys for further links can be added and deleted", further_links },
	{ "the keys on the last two links that left are known", past_links },
	{ "the table takes 255 RMBs and no more", full },
	{ "an element serves one connection", elements },
	{ "300,000 random changes agree with a plain list", random_history },
};

PROVE(facts, NULL);
