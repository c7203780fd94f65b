/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the LLC exchanges (llc*.c) call of each other.
 */
#ifndef _SMCR_LLC_EXCHANGE_H
#define _SMCR_LLC_EXCHANGE_H

#include "llc.h"

/* Cookies of LLC messages, by which smcr_llc_sent() tells them apart */
enum smcr_llc_cookie {
	SMCR_LLC_COOKIE_NONE,
	SMCR_LLC_COOKIE_CONFIRM,
	SMCR_LLC_COOKIE_DELETE_ALL,
	/* The time of their delivery is noted */
	SMCR_LLC_COOKIE_TEST,
	SMCR_LLC_COOKIE_RKEY,
	SMCR_LLC_COOKIE_STEP,
};

/* Failures in a row after which a group uses no more ports that are not on the
 * peer's LAN by their addresses; each of the ports has had its turn by then
 */
#define SMCR_LLC_FAR_TRIES	SMCR_MAX_LINKS

/* llc_test.c */
unsigned long smcr_llc_test_timers(struct smcr_lgr *lgr);
void smcr_llc_test_recv(struct smcr_link *link, const struct smcr_llc_msg *msg);

/* llc_add.c */
int smcr_llc_add_offer(struct smcr_lgr *lgr, struct smcr_link *carrier);
void smcr_llc_add_recv(struct smcr_link *link, const struct smcr_llc_msg *msg);
void smcr_llc_add_cont(struct smcr_link *link, const struct smcr_llc_msg *msg);
void smcr_llc_add_confirmed(struct smcr_lgr *lgr);
void smcr_llc_add_failed(struct smcr_lgr *lgr, bool tell);
void smcr_llc_add_close(struct smcr_lgr *lgr);
void smcr_llc_add_flush(struct smcr_lgr *lgr);
void smcr_llc_add_withdraw(struct smcr_lgr *lgr);
bool smcr_llc_add_overdue(struct smcr_lgr *lgr);
bool __must_check smcr_llc_add_late(struct smcr_lgr *lgr,
				    const struct smcr_llc_msg *msg);

/* llc_delete.c */
void smcr_llc_delete_recv(struct smcr_link *link,
			  const struct smcr_llc_msg *msg);
bool __must_check smcr_llc_second_thought(struct smcr_lgr *lgr,
					  const struct smcr_llc_msg *msg);
bool __must_check smcr_llc_delete_late(struct smcr_lgr *lgr,
				       const struct smcr_llc_msg *msg);
bool __must_check smcr_llc_add_undone(struct smcr_lgr *lgr,
				      const struct smcr_llc_msg *msg);
void smcr_llc_tell_lost(struct smcr_lgr *lgr, const struct smcr_link *link,
			bool used);
void smcr_llc_tell_undone(struct smcr_lgr *lgr, u8 num);
void smcr_llc_delete_again(struct smcr_lgr *lgr, struct smcr_link *carrier);
unsigned long smcr_llc_delete_timer(struct smcr_lgr *lgr);
void smcr_llc_ask_again(struct smcr_lgr *lgr, const struct smcr_link *link);
void smcr_llc_ask_timeout(struct smcr_lgr *lgr);
struct smcr_link * __must_check smcr_llc_delete_carrier(struct smcr_lgr *lgr);

/* llc.c, llc_rkey.c */
void smcr_llc_ready(struct smcr_lgr *lgr);
int __must_check smcr_llc_ask_confirm(struct smcr_link *link,
				      enum smcr_llc_cookie cookie);
void smcr_llc_rkey_lost(struct smcr_link *link);
void smcr_llc_rkey_late(struct smcr_lgr *lgr);
void smcr_llc_rkey_cont(struct smcr_link *link, const struct smcr_llc_msg *msg);
void smcr_llc_rkey_flush(struct smcr_lgr *lgr);
unsigned long smcr_llc_deadline(const struct smcr_lgr *lgr);
unsigned long smcr_llc_time_left(const struct smcr_link *link,
				 unsigned long delivered);
void smcr_llc_step(struct smcr_lgr *lgr, enum smcr_llc_event event);
int smcr_llc_send(struct smcr_link *link, const struct smcr_llc_msg *msg,
		  enum smcr_llc_cookie cookie);
void smcr_llc_broken(struct smcr_link *link, const char *what);
void smcr_llc_rkey_answer(struct smcr_link *link,
			  const struct smcr_llc_msg *msg, bool negative,
			  bool retry);
void smcr_llc_rkey_confirm(struct smcr_link *link,
			   const struct smcr_llc_msg *msg);
void smcr_llc_rkey_delete(struct smcr_link *link,
			  const struct smcr_llc_msg *msg);

#endif /* _SMCR_LLC_EXCHANGE_H */
