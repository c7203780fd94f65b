/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Table of the peer's RMBs in one link group. An RMB has an (rkey, virtual
 * address) pair, its RToken, on each link (RFC 7609, 2.1), and up to 255
 * elements; each element serves one connection at a time (3.5.2.2).
 */
#ifndef _SMCR_RTOKEN_H
#define _SMCR_RTOKEN_H

#include "wire.h"

#define SMCR_RTOKEN_BUCKETS	64
/* Links that have left, of which an RMB's keys are still known */
#define SMCR_RTOKEN_PAST	2

/**
 * struct smcr_rtoken_past - an RMB's key on a link that has left
 * @vaddr: address of the RMB
 * @rkey: key of the RMB
 * @age: age of the link, which no later link of the group has
 * @valid: the other fields are set
 */
struct smcr_rtoken_past {
	u64 vaddr;
	u32 rkey;
	u32 age;
	bool valid;
};

/**
 * struct smcr_rtoken - one RMB of the peer
 * @vaddr: address of the RMB, by link index
 * @rkey: key of the RMB, by link index
 * @used: bit i is set if element i serves a connection
 * @past: keys on the links that have left last
 * @nr_past: number of keys that were ever stored in @past, modulo 256
 * @next: id of the next RMB in the hash chain, by link index; 0 ends the chain
 * @nr_used: number of bits set in @used
 * @id: number of the RMB in the table, 1..255
 * @links: bit i is set if @vaddr and @rkey are known for link index i
 *
 * The caller of smcr_rtoken_add() allocates the structure, zeroed, and frees it
 * after smcr_rtoken_del(). Other files use only the functions below.
 */
struct smcr_rtoken {
	u64 vaddr[SMCR_MAX_LINKS];
	u32 rkey[SMCR_MAX_LINKS];
	u32 used[(SMCR_MAX_RMBES + 32) / 32];
	struct smcr_rtoken_past past[SMCR_RTOKEN_PAST];
	u8 nr_past;
	u8 next[SMCR_MAX_LINKS];
	u8 nr_used;
	u8 id;
	u8 links;
};

/**
 * struct smcr_rtoken_table - the peer's RMBs in one link group
 * @slot: RMBs by id; slot 0 stays empty
 * @head: id of the first RMB of each hash chain, by link index
 * @nr: number of RMBs in the table
 *
 * All zero at the start. A link index, 0..7, is the local slot of the link in
 * its group, not the link number of the wire. The caller of each function holds
 * smcr_lgr.rtoken_lock.
 */
struct smcr_rtoken_table {
	struct smcr_rtoken *slot[SMCR_MAX_RMBS + 1];
	u8 head[SMCR_MAX_LINKS][SMCR_RTOKEN_BUCKETS];
	u8 nr;
};

int smcr_rtoken_add(struct smcr_rtoken_table *tbl, struct smcr_rtoken *mem,
		    u8 link, u32 rkey, u64 vaddr);
int smcr_rtoken_set(struct smcr_rtoken_table *tbl, u8 id, u8 link,
		    u32 rkey, u64 vaddr);
int smcr_rtoken_find(const struct smcr_rtoken_table *tbl, u8 link, u32 rkey);
int smcr_rtoken_get(const struct smcr_rtoken_table *tbl, u8 id, u8 link,
		    u32 *rkey, u64 *vaddr);
struct smcr_rtoken *smcr_rtoken_del(struct smcr_rtoken_table *tbl, u8 id);
void smcr_rtoken_drop_link(struct smcr_rtoken_table *tbl, u8 link);
void smcr_rtoken_keep_link(struct smcr_rtoken_table *tbl, u8 link, u32 age);
int smcr_rtoken_find_past(const struct smcr_rtoken_table *tbl, u32 age,
			  u32 rkey, u64 vaddr);
int smcr_rtoken_lost(const struct smcr_rtoken_table *tbl);

int smcr_rtoken_claim(struct smcr_rtoken_table *tbl, u8 id, u8 idx);
void smcr_rtoken_release(struct smcr_rtoken_table *tbl, u8 id, u8 idx);
bool smcr_rtoken_in_use(const struct smcr_rtoken_table *tbl, u8 id);

#endif /* _SMCR_RTOKEN_H */
