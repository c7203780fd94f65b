// SPDX-License-Identifier: GPL-2.0
/*
 * Mistakes. The linker puts the functions here in front of those of net/smcr
 * (Makefile: WRAP), and each one replaces a rule if the -b option says so.
 */
#include "lsim_bug.h"

bool __wrap_smcr_llc_flow_may_start(const struct smcr_llc_flow *flow)
{
	if (lsim.bug == LBUG_TWO_FLOWS)
		return flow->step != SMCR_LLC_CLOSING;
	return __real_smcr_llc_flow_may_start(flow);
}

bool __wrap_smcr_llc_flow_may_change(const struct smcr_llc_flow *flow)
{
	if (lsim.bug == LBUG_TWO_FLOWS)
		return flow->step != SMCR_LLC_CLOSING;
	return __real_smcr_llc_flow_may_change(flow);
}

int __wrap_smcr_llc_flow_step(struct smcr_llc_flow *flow, enum smcr_llc_event event)
{
	int err = __real_smcr_llc_flow_step(flow, event);

	return lsim.bug == LBUG_TWO_FLOWS ? 0 : err;
}

enum smcr_llc_verdict __wrap_smcr_llc_flow_verdict(const struct smcr_llc_flow *flow,
						   const struct smcr_llc_msg *msg)
{
	enum smcr_llc_verdict verdict = __real_smcr_llc_flow_verdict(flow, msg);

	if (lsim.bug == LBUG_RKEY_YES && verdict == SMCR_LLC_NEGATIVE)
		return SMCR_LLC_PROCESS;
	return verdict;
}

int __wrap_smcr_llc_countdown_next(struct smcr_llc_countdown *cd, u8 nr_left, u8 per_msg)
{
	return __real_smcr_llc_countdown_next(cd, nr_left, per_msg +
					      (lsim.bug == LBUG_MISCOUNT));
}

void __wrap_smcr_rtoken_drop_link(struct smcr_rtoken_table *tbl, u8 link)
{
	if (lsim.bug != LBUG_KEYS_STAY)
		__real_smcr_rtoken_drop_link(tbl, link);
}

int __wrap_smcr_link_nums_next(struct smcr_link_nums *nums, const u8 *live, unsigned int nr_live)
{
	struct smcr_link_nums none = { 0 };

	if (lsim.bug == LBUG_NUM_AGAIN)
		nums = &none;
	return __real_smcr_link_nums_next(nums, live, nr_live);
}

/* A CONFIRM RKEY that is sent again has the keys of the first time */
void __wrap_smcr_llc_msg_encode(u8 *buf, enum smcr_dialect dialect, const struct smcr_llc_msg *in)
{
	struct smcr_llc_msg *first = &lsim.first_rkey[lsim.cur];

	if (lsim.bug == LBUG_OLD_SET && in->type == SMCR_LLC_CONFIRM_RKEY && !in->reply) {
		if (first->confirm_rkey.rkey != in->confirm_rkey.rkey)
			*first = *in;
		in = first;
	}
	__real_smcr_llc_msg_encode(buf, dialect, in);
}
