/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plain TCP instead of RDMA: final, counted, invisible to the program.
 */
#ifndef _SMCR_FALLBACK_H
#define _SMCR_FALLBACK_H

#include <linux/types.h>
#include <uapi/linux/smcr.h>

struct sock;

void smcr_fallback(struct sock *sk, enum smcr_fallback_reason reason,
		   u32 peer_diagnosis);
void smcr_fallback_crossing(struct sock *sk, const u8 *peer_id);
unsigned long smcr_fallback_wait(const struct sock *inner);
void smcr_fallback_late(struct sock *sk);
bool smcr_fallback_holds(const struct sock *sk);
bool __must_check
smcr_fallback_data_event(struct sock *sk, struct sock *inner);
void smcr_fallback_lowat(struct sock *sk);
void smcr_fallback_listener(struct sock *sk, enum smcr_fallback_reason reason);
enum smcr_fallback_reason smcr_fallback_check(struct sock *sk);
enum smcr_fallback_reason smcr_fallback_check_conn(struct sock *sk);
u32 smcr_fallback_diag(enum smcr_fallback_reason reason);

#endif /* _SMCR_FALLBACK_H */
