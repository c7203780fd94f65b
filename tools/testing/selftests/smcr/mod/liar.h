/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the module liar share: smcr's functions and the commands of
 * /proc/liar. A command gets the newest link group, or NULL if it needs none,
 * and the words behind its name, or NULL if there are none.
 */
#ifndef _LIAR_H
#define _LIAR_H

#include <linux/types.h>

#include "lgr.h"

struct net;
struct seq_file;
struct smcr_conn;
struct smcr_link;
struct smcr_wr_batch;

/**
 * struct liar_smcr - pointers to functions that smcr does not export
 * @lgr_next: smcr_lgr_next()
 * @lgr_put: smcr_lgr_put()
 * @lgr_get: smcr_lgr_get()
 * @lgr_terminate: smcr_lgr_terminate()
 * @link_any: smcr_lgr_link()
 * @link_at: smcr_lgr_link_at()
 * @link_put: smcr_link_put()
 * @link_fail: smcr_link_fail()
 * @conn_next: smcr_lgr_conn_next()
 * @conn_put: smcr_conn_put()
 * @wr_post: smcr_wr_post()
 * @wr_post_llc: smcr_wr_post_llc()
 */
struct liar_smcr {
	struct smcr_lgr *(*lgr_next)(struct net *net, struct smcr_lgr *prev);
	void (*lgr_put)(struct smcr_lgr *lgr);
	struct smcr_lgr *(*lgr_get)(struct smcr_lgr *lgr);
	void (*lgr_terminate)(struct smcr_lgr *lgr,
			      enum smcr_reset_reason reason, int err);
	struct smcr_link *(*link_any)(struct smcr_lgr *lgr);
	struct smcr_link *(*link_at)(struct smcr_lgr *lgr, int slot);
	void (*link_put)(struct smcr_link *link);
	void (*link_fail)(struct smcr_link *link, int err);
	struct smcr_conn *(*conn_next)(struct smcr_lgr *lgr, u32 *slot);
	void (*conn_put)(struct smcr_conn *conn);
	int (*wr_post)(struct smcr_link *link, struct smcr_wr_batch *batch);
	int (*wr_post_llc)(struct smcr_link *link, const u8 *msg, u32 cookie,
			   const struct smcr_wr_probe *probe);
};

/* Filled in first when the module is loaded */
extern struct liar_smcr liar_smcr;

/* liar_main.c */
struct smcr_lgr *liar_newest_group(void);
struct smcr_link *liar_link(struct smcr_lgr *lgr, int nth);
struct smcr_link *liar_link_via(struct smcr_lgr *lgr);
int liar_hex_bytes(const char *text, u8 *out, size_t max);

/* liar_msg.c */
int liar_msg_cdc(struct smcr_lgr *lgr, char *args);
int liar_msg_put(struct smcr_lgr *lgr, char *args);
int liar_msg_elem(struct smcr_lgr *lgr, char *args);
int liar_msg_say(struct smcr_lgr *lgr, const u8 *msg);
int liar_msg_llc(struct smcr_lgr *lgr, char *args);
int liar_msg_rkeys(struct smcr_lgr *lgr, char *args);
int liar_msg_raw(struct smcr_lgr *lgr, char *args);
int liar_msg_imm(struct smcr_lgr *lgr, char *args);

/* liar_hook.c */
int liar_hook_init(void);
void liar_hook_exit(void);
int liar_hook_set(struct smcr_lgr *lgr, char *args);
int liar_hook_dup(struct smcr_lgr *lgr, char *args);
int liar_hook_catch(struct smcr_lgr *lgr, char *args);
void liar_hook_offer(u8 idx);
int liar_hook_name(struct smcr_lgr *lgr, char *args);
int liar_hook_clear(struct smcr_lgr *lgr, char *args);
u32 liar_hook_hits(void);
void liar_hook_show_caught(struct seq_file *seq);

#endif /* _LIAR_H */
