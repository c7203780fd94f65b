/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The SMC-R option of TCP's SYNs.
 */
#ifndef _SMCR_OPTION_H
#define _SMCR_OPTION_H

#include <linux/types.h>

struct sock;

void smcr_option_offer(struct sock *inner);
void smcr_option_answer(struct sock *inner,
			bool (*congested)(const struct sock *inner));
bool smcr_option_accepted(const struct sock *inner);
bool smcr_option_child_agreed(const struct sock *inner);
void smcr_option_withdraw(struct sock *inner);

#endif /* _SMCR_OPTION_H */
