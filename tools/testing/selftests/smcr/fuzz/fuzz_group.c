// SPDX-License-Identifier: GPL-2.0
/*
 * What a link group keeps about its peer: RTokens compared with a table without
 * a hash, link numbers compared with a set, and the arithmetic choices.
 */
#include <errno.h>

#include "fuzz.h"
#include "lgr_policy.h"
#include "rtoken.h"

/**
 * struct plain - an RMB of the peer
 * @known: the RMB is in the table
 * @on: links on which the RMB is known
 * @rkey: its RKey on each link
 * @vaddr: its virtual address on each link
 * @claimed: elements that serve a connection
 */
struct plain {
	bool known;
	bool on[SMCR_MAX_LINKS];
	u32 rkey[SMCR_MAX_LINKS];
	u64 vaddr[SMCR_MAX_LINKS];
	bool claimed[SMCR_MAX_RMBES + 1];
};

/**
 * struct group - both tables
 * @tbl: the table under test
 * @rmb: the plain table, by id
 */
struct group {
	struct smcr_rtoken_table tbl;
	struct plain rmb[SMCR_MAX_RMBS + 1];
};

/* Few RKeys, most of them in one bucket */
static u32 take_rkey(struct fuzz *in)
{
	return take8(in) % 32 * 0x01000040U;
}

static int plain_find(const struct group *g, u8 link, u32 rkey)
{
	int id;

	for (id = 1; id <= SMCR_MAX_RMBS && link < SMCR_MAX_LINKS; id++)
		if (g->rmb[id].known && g->rmb[id].on[link] && g->rmb[id].rkey[link] == rkey)
			return id;
	return -ENOENT;
}

static void plain_bind(struct plain *rmb, u8 link, u32 rkey, u64 vaddr)
{
	rmb->on[link] = true;
	rmb->rkey[link] = rkey;
	rmb->vaddr[link] = vaddr;
}

static void do_add(struct group *g, u8 link, u32 rkey, u64 vaddr)
{
	struct smcr_rtoken *mem = calloc(1, sizeof(*mem));
	int old = plain_find(g, link, rkey), id;

	id = smcr_rtoken_add(&g->tbl, mem, link, rkey, vaddr);
	if (mem->id)
		HOLDS(mem->id == id && !g->rmb[id].known);
	else
		free(mem);
	if (link >= SMCR_MAX_LINKS) {
		HOLDS(id == -EINVAL);
	} else if (old > 0) {
		HOLDS(id == (g->rmb[old].vaddr[link] == vaddr ? old : -EEXIST));
	} else if (id > 0) {
		HOLDS(!g->rmb[id].known);
		memset(&g->rmb[id], 0, sizeof(g->rmb[id]));
		g->rmb[id].known = true;
		plain_bind(&g->rmb[id], link, rkey, vaddr);
	} else {
		HOLDS(id == -ENOSPC && g->tbl.nr == SMCR_MAX_RMBS);
	}
}

static void do_set(struct group *g, u8 id, u8 link, u32 rkey, u64 vaddr)
{
	struct plain *rmb = &g->rmb[id];
	int err = smcr_rtoken_set(&g->tbl, id, link, rkey, vaddr);

	if (link >= SMCR_MAX_LINKS) {
		HOLDS(err == -EINVAL);
	} else if (!rmb->known) {
		HOLDS(err == -ENOENT);
	} else if (rmb->on[link]) {
		HOLDS(err == (rmb->rkey[link] == rkey && rmb->vaddr[link] == vaddr ? 0 : -EEXIST));
	} else if (plain_find(g, link, rkey) > 0) {
		HOLDS(err == -EEXIST);
	} else {
		HOLDS(!err);
		plain_bind(rmb, link, rkey, vaddr);
	}
}

static void do_del(struct group *g, u8 id)
{
	struct smcr_rtoken *mem = smcr_rtoken_del(&g->tbl, id);

	HOLDS(!!mem == g->rmb[id].known);
	if (mem)
		HOLDS(!mem->id);
	free(mem);
	g->rmb[id].known = false;
}

static void do_drop(struct group *g, u8 link)
{
	unsigned int id;

	smcr_rtoken_drop_link(&g->tbl, link);
	for (id = 0; id <= SMCR_MAX_RMBS && link < SMCR_MAX_LINKS; id++)
		g->rmb[id].on[link] = false;
}

static void do_claim(struct group *g, u8 id, u8 idx)
{
	struct plain *rmb = &g->rmb[id];
	int err = smcr_rtoken_claim(&g->tbl, id, idx);

	if (!rmb->known)
		HOLDS(err == -ENOENT);
	else if (!idx)
		HOLDS(err == -EINVAL);
	else
		HOLDS(err == (rmb->claimed[idx] ? -EBUSY : 0));
	if (!err)
		rmb->claimed[idx] = true;
}

static void do_release(struct group *g, u8 id, u8 idx)
{
	unsigned int i;
	bool any = false;

	smcr_rtoken_release(&g->tbl, id, idx);
	g->rmb[id].claimed[idx] = false;
	for (i = 0; i <= SMCR_MAX_RMBES; i++)
		any |= g->rmb[id].claimed[i];
	HOLDS(smcr_rtoken_in_use(&g->tbl, id) == (g->rmb[id].known && any));
}

static void check_lookups(const struct group *g, u8 id, u8 link, u32 rkey)
{
	unsigned int i, nr = 0;
	u64 vaddr;
	u32 key;
	int err;

	HOLDS(smcr_rtoken_find(&g->tbl, link, rkey) == plain_find(g, link, rkey));
	for (i = 1; i <= SMCR_MAX_RMBS; i++)
		nr += g->rmb[i].known;
	HOLDS(g->tbl.nr == nr);
	err = smcr_rtoken_get(&g->tbl, id, link, &key, &vaddr);
	if (link >= SMCR_MAX_LINKS || !g->rmb[id].known || !g->rmb[id].on[link])
		HOLDS(err == -ENOENT);
	else
		HOLDS(!err && key == g->rmb[id].rkey[link] && vaddr == g->rmb[id].vaddr[link]);
}

static void rtokens(struct fuzz *in)
{
	struct group *g = calloc(1, sizeof(*g));
	unsigned int id;

	while (in->left) {
		u8 op = take8(in), link = take8(in) % (SMCR_MAX_LINKS + 1);
		u32 rkey = op & 0x80 ? take32(in) : take_rkey(in);
		u8 which = take8(in);

		switch (op % 8) {
		case 0:
			do_del(g, which);
			break;
		case 1:
			do_drop(g, link);
			break;
		case 2:
			do_claim(g, which, take8(in));
			break;
		case 3:
			do_release(g, which, take8(in));
			break;
		case 4:
			do_set(g, which, link, rkey, which & 1);
			break;
		default:
			do_add(g, link, rkey, which & 1);
		}
		check_lookups(g, which, link, rkey);
	}
	for (id = 0; id <= SMCR_MAX_RMBS; id++)
		do_del(g, id);
	HOLDS(!g->tbl.nr);
	free(g);
}

/* Start over when each number was used or names a live link. */
static void forget_used(bool *used, const u8 *live, unsigned int nr)
{
	unsigned int i;

	for (i = 1; i <= SMCR_MAX_LINK_NUM; i++)
		if (!used[i] && !(nr && memchr(live, (int)i, nr)))
			return;
	memset(used, 0, SMCR_MAX_LINK_NUM + 1);
}

/*
 * No number that is chosen here returns before all were used, and none is in
 * use. A number that the peer chose may return earlier, but not while it is in
 * use.
 */
static void link_numbers(struct fuzz *in)
{
	struct smcr_link_nums nums = { 0 };
	bool used[SMCR_MAX_LINK_NUM + 1] = { 0 };
	u8 live[SMCR_MAX_LINKS];
	unsigned int nr = 0;

	while (in->left) {
		u8 op = take8(in), num = take8(in);
		int got;

		if (op & 1) {
			forget_used(used, live, nr);
			got = smcr_link_nums_next(&nums, live, nr);
			HOLDS(got >= 1 && got <= SMCR_MAX_LINK_NUM);
			HOLDS(!used[got] && !(nr && memchr(live, got, nr)));
		} else {
			bool is_live = nr && memchr(live, num, nr);

			got = smcr_link_nums_take(&nums, num, live, nr);
			HOLDS(got == (!num ? -EINVAL : is_live ? -EEXIST : 0));
			got = got ? 0 : num;
		}
		used[got] = got;
		HOLDS(!got || smcr_link_nums_given(&nums, (u8)got));
		if (got && op & 2 && nr < SMCR_MAX_LINKS)
			live[nr++] = (u8)got;
		else if (op & 4 && nr)
			nr--;
	}
}

static void choices(struct fuzz *in)
{
	struct smcr_add_link_view view = {
		.mtu = take8(in), .same_peer_port = take_bool(in),
		.spare_port = take_bool(in), .has_asymmetric = take_bool(in),
		.nr_symmetric = take8(in) % 10, .max_links = 1 + take8(in) % SMCR_MAX_LINKS,
	};
	u8 reason = smcr_lgr_policy_add_link(&view), ours, theirs, links;
	u32 mr = take32(in), size = 1 + take32(in) % 0x1FFFFFFF, nr = take8(in);
	u8 elements = smcr_lgr_policy_rmb_elements(mr, size, nr, take32(in));

	HOLDS(reason <= SMCR_LLC_ADD_BAD_MTU);
	HOLDS((reason == SMCR_LLC_ADD_BAD_MTU) == !smcr_mtu_valid(view.mtu));
	/* Two ports have at most one link, and these have theirs already */
	if (view.same_peer_port && !view.spare_port)
		HOLDS(reason);
	if (!reason && view.same_peer_port != view.spare_port)
		HOLDS(view.nr_symmetric < view.max_links || view.same_peer_port);

	HOLDS((u64)elements * size <= mr && !elements == (mr < size));
	HOLDS(smcr_lgr_policy_want_rmb(elements, elements));
	HOLDS(!elements || !smcr_lgr_policy_want_rmb(0, elements));

	ours = 2 + take8(in) % (SMCR_MAX_LINKS - 1);
	theirs = take8(in);
	links = smcr_lgr_policy_max_links(ours, theirs);
	HOLDS(links >= 2 && links <= ours);
	HOLDS(!theirs || links <= theirs || links == 2);
	if (smcr_lgr_policy_has_room(SMCR_DIALECT_LINUX, take16(in), nr))
		HOLDS(!smcr_lgr_policy_has_room(SMCR_DIALECT_LINUX, SMCR_LINUX_MAX_CONNS, nr));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz in = { data, size };

	switch (take8(&in) % 3) {
	case 0:
		choices(&in);
		break;
	case 1:
		link_numbers(&in);
		break;
	default:
		rtokens(&in);
	}
	return 0;
}
