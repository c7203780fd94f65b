/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of net/smcr (__real_) and those that the linker puts in front of
 * them (__wrap_).
 */
#ifndef _SMCR_LSIM_BUG_H
#define _SMCR_LSIM_BUG_H

#include "lsim.h"

bool __real_smcr_llc_flow_may_start(const struct smcr_llc_flow *flow);
bool __wrap_smcr_llc_flow_may_start(const struct smcr_llc_flow *flow);
bool __real_smcr_llc_flow_may_change(const struct smcr_llc_flow *flow);
bool __wrap_smcr_llc_flow_may_change(const struct smcr_llc_flow *flow);
int __real_smcr_llc_flow_step(struct smcr_llc_flow *flow, enum smcr_llc_event event);
int __wrap_smcr_llc_flow_step(struct smcr_llc_flow *flow, enum smcr_llc_event event);
enum smcr_llc_verdict __real_smcr_llc_flow_verdict(const struct smcr_llc_flow *flow,
						   const struct smcr_llc_msg *msg);
enum smcr_llc_verdict __wrap_smcr_llc_flow_verdict(const struct smcr_llc_flow *flow,
						   const struct smcr_llc_msg *msg);
int __real_smcr_llc_countdown_next(struct smcr_llc_countdown *cd, u8 nr_left, u8 per_msg);
int __wrap_smcr_llc_countdown_next(struct smcr_llc_countdown *cd, u8 nr_left, u8 per_msg);
void __real_smcr_rtoken_drop_link(struct smcr_rtoken_table *tbl, u8 link);
void __wrap_smcr_rtoken_drop_link(struct smcr_rtoken_table *tbl, u8 link);
int __real_smcr_link_nums_next(struct smcr_link_nums *nums, const u8 *live, unsigned int nr_live);
int __wrap_smcr_link_nums_next(struct smcr_link_nums *nums, const u8 *live, unsigned int nr_live);
void __real_smcr_llc_msg_encode(u8 *buf, enum smcr_dialect dialect, const struct smcr_llc_msg *in);
void __wrap_smcr_llc_msg_encode(u8 *buf, enum smcr_dialect dialect, const struct smcr_llc_msg *in);

#endif
