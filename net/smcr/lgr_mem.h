/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Alert tokens and RMBs of a link group (RFC 7609 2.1, 3.5.5.2).
 */
#ifndef _SMCR_LGR_MEM_H
#define _SMCR_LGR_MEM_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "rmb.h"

struct smcr_conn;
struct smcr_lgr;
struct smcr_llc_delete_rkey;

/**
 * struct smcr_lgr_slot - one entry of the alert token table
 * @conn: the connection, with a reference, or NULL; written under
 *	smcr_lgr.conns_lock, read under RCU
 * @gen: upper half of the alert token; counts the uses of the slot
 */
struct smcr_lgr_slot {
	struct smcr_conn __rcu	*conn;
	u16			gen;
};

/**
 * struct smcr_lgr_tokens - alert token table of a group (A.2.3)
 * @rcu: frees the table after a larger one has replaced it
 * @size: number of entries in @slot
 * @slot: slots, indexed by the lower half of the alert token
 */
struct smcr_lgr_tokens {
	struct rcu_head		rcu;
	u32			size;
	struct smcr_lgr_slot	slot[] __counted_by(size);
};

/* Tokens */
int __must_check smcr_lgr_tokens_init(struct smcr_lgr *lgr);
u32 smcr_lgr_conn_limit(const struct smcr_lgr *lgr);
int __must_check smcr_lgr_conn_add(struct smcr_lgr *lgr,
				   struct smcr_conn *conn);
void smcr_lgr_conn_del(struct smcr_lgr *lgr, struct smcr_conn *conn);
struct smcr_conn * __must_check smcr_lgr_conn_find(struct smcr_lgr *lgr,
						   u32 token);
struct smcr_conn * __must_check smcr_lgr_conn_next(struct smcr_lgr *lgr,
						   u32 *slot);

/* RMBs and their elements */
bool smcr_lgr_rmb_ready(const struct smcr_conn *conn);
void smcr_lgr_rmb_registered(struct smcr_lgr *lgr);
void smcr_lgr_rmb_refused(struct smcr_lgr *lgr, struct smcr_rmb *rmb);
void smcr_lgr_rmbs_deleted(struct smcr_lgr *lgr, u8 slot,
			   const struct smcr_llc_delete_rkey *del);
u32 smcr_lgr_rmb_pages(struct smcr_lgr *lgr);
unsigned long smcr_lgr_rmb_idle_at(struct smcr_lgr *lgr, struct smcr_rmb *rmb);
int __must_check smcr_lgr_rmb_first(struct smcr_lgr *lgr, u32 elem_size);
void smcr_lgr_rmb_work(struct work_struct *work);
struct smcr_rmb * __must_check smcr_lgr_elem_take(struct smcr_lgr *lgr,
						  u32 elem_size, u8 *idx);
void smcr_lgr_elem_return(struct smcr_lgr *lgr, struct smcr_rmb *rmb, u8 idx,
			  u32 dirty, enum smcr_rmbe_end end,
			  unsigned long release_at);

#endif /* _SMCR_LGR_MEM_H */
