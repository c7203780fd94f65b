/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the LLC exchanges (llc*.c) call of each other.
 */
#ifndef _SMCR_LLC_EXCHANGE_H
#define _SMCR_LLC_EXCHANGE_H

#include "llc.h"

void smcr_llc_ready(struct smcr_lgr *lgr);
int __must_check smcr_llc_ask_confirm(struct smcr_link *link,
				      enum smcr_llc_cookie cookie);
void smcr_llc_rkey_lost(struct smcr_link *link);
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
