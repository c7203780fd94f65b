// SPDX-License-Identifier: GPL-2.0
/*
 * LLC exchanges: any sequence of messages and of events, in both roles.
 */
#include "fuzz.h"
#include "llc_flow.h"

static bool same(const struct smcr_llc_flow *a, const struct smcr_llc_flow *b)
{
	return a->role == b->role && a->step == b->step && a->rkey_ours == b->rkey_ours &&
	       a->rkey_theirs == b->rkey_theirs;
}

static void check_place(const struct smcr_llc_flow *flow)
{
	HOLDS(flow->step < SMCR_LLC_STEP_MAX);
	HOLDS(smcr_llc_flow_may_start(flow) ==
	      (flow->step == SMCR_LLC_IDLE && !flow->rkey_ours));
	HOLDS(smcr_llc_flow_may_change(flow) ==
	      (smcr_llc_flow_may_start(flow) && !flow->rkey_theirs));
	if (flow->role == SMCR_CLIENT)
		HOLDS(flow->step != SMCR_LLC_ADD_REPLY && flow->step != SMCR_LLC_DELETE);
	/* The server changes links only when its RKEY exchange is over */
	else if (flow->rkey_ours || flow->rkey_theirs)
		HOLDS(flow->step == SMCR_LLC_IDLE || flow->step == SMCR_LLC_FIRST_CONFIRM ||
		      flow->step == SMCR_LLC_FIRST_ADD);
}

/* From each step, the events that timeouts raise lead back to Idle */
static void check_way_out(const struct smcr_llc_flow *flow)
{
	static const enum smcr_llc_event out[] = {
		SMCR_LLC_EV_RKEY_DONE, SMCR_LLC_EV_PEER_RKEY_DONE,
		SMCR_LLC_EV_CONFIRMED, SMCR_LLC_EV_ADD_FAILED, SMCR_LLC_EV_DELETE_DONE,
	};
	struct smcr_llc_flow copy = *flow;
	unsigned int i;

	if (flow->step == SMCR_LLC_CLOSING)
		return;
	for (i = 0; i < ARRAY_SIZE(out); i++)
		smcr_llc_flow_step(&copy, out[i]);
	HOLDS(smcr_llc_flow_may_change(&copy));
}

static void event(struct smcr_llc_flow *flow, enum smcr_llc_event ev)
{
	struct smcr_llc_flow before = *flow;
	int err = smcr_llc_flow_step(flow, ev);

	if (err)
		HOLDS(same(&before, flow));
	if (before.step == SMCR_LLC_CLOSING)
		HOLDS(flow->step == SMCR_LLC_CLOSING && !flow->rkey_ours && !flow->rkey_theirs &&
		      (err || ev == SMCR_LLC_EV_CLOSE));
	if (ev == SMCR_LLC_EV_CLOSE)
		HOLDS(!err && flow->step == SMCR_LLC_CLOSING);
	check_place(flow);
	check_way_out(flow);
}

static bool is_rkey(enum smcr_llc_type type)
{
	return type == SMCR_LLC_CONFIRM_RKEY || type == SMCR_LLC_CONFIRM_RKEY_CONT ||
	       type == SMCR_LLC_DELETE_RKEY;
}

static void check_verdict(const struct smcr_llc_flow *flow, const struct smcr_llc_msg *msg,
			  enum smcr_llc_verdict verdict)
{
	bool all = msg->type == SMCR_LLC_DELETE_LINK && !msg->reply && msg->delete_link.all;

	HOLDS(verdict < SMCR_LLC_VERDICT_MAX);
	HOLDS((verdict == SMCR_LLC_TERMINATE) == all);
	if (flow->step == SMCR_LLC_CLOSING) {
		HOLDS(all || verdict == SMCR_LLC_DROP);
		return;
	}
	if (verdict == SMCR_LLC_NEGATIVE)
		HOLDS(!msg->reply && is_rkey(msg->type) && msg->type != SMCR_LLC_DELETE_RKEY);
	if (verdict == SMCR_LLC_QUEUE)
		HOLDS(!msg->reply && !smcr_llc_flow_may_start(flow));
	if (msg->type == SMCR_LLC_TEST_LINK)
		HOLDS(verdict == SMCR_LLC_PROCESS);
	if (is_rkey(msg->type) && msg->reply)
		HOLDS(verdict == (flow->rkey_ours ? SMCR_LLC_PROCESS : SMCR_LLC_OUT_OF_SYNC));
}

static void message(struct smcr_llc_flow *flow, struct fuzz *in)
{
	uint8_t buf[SMCR_ROCE_MSG_LEN];
	struct smcr_llc_flow before = *flow;
	enum smcr_llc_verdict verdict;
	struct smcr_llc_msg msg;

	take(in, buf, sizeof(buf));
	if (smcr_llc_msg_decode(buf, sizeof(buf), SMCR_DIALECT_RFC, &msg))
		return;
	verdict = smcr_llc_flow_verdict(flow, &msg);
	HOLDS(same(&before, flow));
	check_verdict(flow, &msg, verdict);
	if (verdict == SMCR_LLC_TERMINATE)
		event(flow, SMCR_LLC_EV_CLOSE);
}

/* A message of which only the kind matters: two bytes of input instead of 44 */
static void short_message(struct smcr_llc_flow *flow, struct fuzz *in)
{
	struct smcr_llc_msg msg = { .type = 1 + take8(in) % 9 };
	u8 bits = take8(in);

	if (msg.type == 5)
		return;
	msg.reply = bits & 1;
	if (msg.type == SMCR_LLC_DELETE_LINK)
		msg.delete_link.all = bits & 2;
	check_verdict(flow, &msg, smcr_llc_flow_verdict(flow, &msg));
}

/* A countdown ends, and its messages together have as many entries as the first
 * one announced
 */
static void countdown(struct fuzz *in)
{
	struct smcr_llc_countdown cd = { 0 };
	u8 first = take8(in), per_msg = 2 + take_bool(in), left = first;
	unsigned int told = 0;
	int more = 1;

	while (more > 0) {
		told += left < per_msg ? left : per_msg;
		more = smcr_llc_countdown_next(&cd, left, per_msg);
		HOLDS(more >= 0);
		left = left > per_msg ? left - per_msg : 0;
		if (more > 0 && take8(in) == 0xFF) {
			HOLDS(smcr_llc_countdown_next(&cd, left + 1, per_msg) < 0);
			return;
		}
	}
	HOLDS(told == first);
	HOLDS(smcr_llc_countdown_next(&cd, 0, per_msg) == 0);
	HOLDS(smcr_llc_countdown_next(&cd, 1, per_msg) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz in = { data, size };
	struct smcr_llc_flow flow = { .role = take_bool(&in) ? SMCR_SERVER : SMCR_CLIENT };

	while (in.left) {
		switch (take8(&in) % 4) {
		case 0:
			message(&flow, &in);
			break;
		case 1:
			short_message(&flow, &in);
			break;
		case 2:
			countdown(&in);
			break;
		default:
			event(&flow, take8(&in) % SMCR_LLC_EV_MAX);
		}
	}
	return 0;
}
