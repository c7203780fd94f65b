/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of the LLC exchanges of a link group, and what a message means in it
 * (RFC 7609, 3.5.5.3). The tables are in llc_flow.c.
 */
#ifndef _SMCR_LLC_FLOW_H
#define _SMCR_LLC_FLOW_H

#include "llc_msg.h"

/**
 * enum smcr_llc_step - step of the exchange that changes links
 * @SMCR_LLC_IDLE: no such exchange is under way
 * @SMCR_LLC_FIRST_CONFIRM: first contact; CONFIRM LINK on the first link
 * @SMCR_LLC_FIRST_ADD: first link is confirmed; the server's ADD LINK is due
 * @SMCR_LLC_ADD_REPLY: server only: ADD LINK was sent, or will be when the link
 *	is built; its reply is due
 * @SMCR_LLC_ADD_CONT: ADD LINK was agreed to, or will be when the client's link
 *	is connected; RTokens are being exchanged
 * @SMCR_LLC_ADD_CONFIRM: CONFIRM LINK on the new link
 * @SMCR_LLC_DELETE: server only: DELETE LINK was sent, its reply is due
 * @SMCR_LLC_CLOSING: this host sent DELETE LINK (all) or failed to; messages
 *	other than the peer's DELETE LINK (all) are dropped
 * @SMCR_LLC_STEP_MAX: number of values
 */
enum smcr_llc_step {
	SMCR_LLC_IDLE,
	SMCR_LLC_FIRST_CONFIRM,
	SMCR_LLC_FIRST_ADD,
	SMCR_LLC_ADD_REPLY,
	SMCR_LLC_ADD_CONT,
	SMCR_LLC_ADD_CONFIRM,
	SMCR_LLC_DELETE,
	SMCR_LLC_CLOSING,
	SMCR_LLC_STEP_MAX
};

/**
 * enum smcr_llc_event - event that moves an exchange on
 * @SMCR_LLC_EV_FIRST: the first link of a new group waits for CONFIRM LINK
 * @SMCR_LLC_EV_CONFIRMED: CONFIRM LINK went both ways and was correct
 * @SMCR_LLC_EV_ADD_SENT: server: ADD LINK was sent, or will be
 * @SMCR_LLC_EV_ADD_AGREED: a positive reply was sent or will be (client), or
 *	came (server)
 * @SMCR_LLC_EV_ADD_REFUSED: a negative reply was sent (client) or came (server)
 * @SMCR_LLC_EV_TOKENS_DONE: both ends know all RTokens of the new link
 * @SMCR_LLC_EV_ADD_FAILED: the exchange ended otherwise: deadline, failed link
 * @SMCR_LLC_EV_DELETE_SENT: server: DELETE LINK of one link was sent
 * @SMCR_LLC_EV_DELETE_DONE: server: its reply came, or the link has failed
 * @SMCR_LLC_EV_RKEY_SENT: CONFIRM RKEY or DELETE RKEY was sent
 * @SMCR_LLC_EV_RKEY_DONE: its reply came
 * @SMCR_LLC_EV_PEER_RKEY: a CONFIRM RKEY of the peer was answered, and its
 *	continuation is due
 * @SMCR_LLC_EV_PEER_RKEY_DONE: the last continuation came, or none will
 * @SMCR_LLC_EV_CLOSE: the group is closing
 * @SMCR_LLC_EV_MAX: number of values
 */
enum smcr_llc_event {
	SMCR_LLC_EV_FIRST,
	SMCR_LLC_EV_CONFIRMED,
	SMCR_LLC_EV_ADD_SENT,
	SMCR_LLC_EV_ADD_AGREED,
	SMCR_LLC_EV_ADD_REFUSED,
	SMCR_LLC_EV_TOKENS_DONE,
	SMCR_LLC_EV_ADD_FAILED,
	SMCR_LLC_EV_DELETE_SENT,
	SMCR_LLC_EV_DELETE_DONE,
	SMCR_LLC_EV_RKEY_SENT,
	SMCR_LLC_EV_RKEY_DONE,
	SMCR_LLC_EV_PEER_RKEY,
	SMCR_LLC_EV_PEER_RKEY_DONE,
	SMCR_LLC_EV_CLOSE,
	SMCR_LLC_EV_MAX
};

/**
 * enum smcr_llc_verdict - what to do with a decoded message
 * @SMCR_LLC_PROCESS: handle the message now
 * @SMCR_LLC_NEGATIVE: answer CONFIRM RKEY with Z and C set (A.3.5)
 * @SMCR_LLC_QUEUE: hold the message until the exchange is over
 * @SMCR_LLC_DROP: ignore the message
 * @SMCR_LLC_OUT_OF_SYNC: fail the link that the message came over (C.7.1)
 * @SMCR_LLC_TERMINATE: the peer has ended the group: end it at once
 * @SMCR_LLC_VERDICT_MAX: number of values
 */
enum smcr_llc_verdict {
	SMCR_LLC_PROCESS,
	SMCR_LLC_NEGATIVE,
	SMCR_LLC_QUEUE,
	SMCR_LLC_DROP,
	SMCR_LLC_OUT_OF_SYNC,
	SMCR_LLC_TERMINATE,
	SMCR_LLC_VERDICT_MAX
};

/**
 * struct smcr_llc_flow - the exchanges of one link group
 * @role: local role in the group
 * @step: step of the exchange that changes links
 * @rkey_ours: a CONFIRM RKEY or DELETE RKEY of this host waits for its answer
 * @rkey_theirs: a CONFIRM RKEY of the peer waits for its continuation
 *
 * Only smcr_llc_flow_step() changes the fields from @step on. There is no lock:
 * the creator of the group uses the structure before the group is on a list,
 * and only the group's work after that.
 */
struct smcr_llc_flow {
	enum smcr_role role;
	enum smcr_llc_step step;
	bool rkey_ours;
	bool rkey_theirs;
};

/**
 * struct smcr_llc_countdown - "entries left" of a continued exchange
 * @left: value that the next message must carry
 * @started: the first message has come; its value was free
 *
 * All zero at the start; one for each direction of each exchange.
 */
struct smcr_llc_countdown {
	u8 left;
	bool started;
};

enum smcr_llc_verdict smcr_llc_flow_verdict(const struct smcr_llc_flow *flow,
					    const struct smcr_llc_msg *msg);
int smcr_llc_flow_step(struct smcr_llc_flow *flow, enum smcr_llc_event event);
bool smcr_llc_flow_may_start(const struct smcr_llc_flow *flow);
bool smcr_llc_flow_may_change(const struct smcr_llc_flow *flow);
void smcr_llc_countdown_skip(struct smcr_llc_countdown *cd, u8 nr_left);
int smcr_llc_countdown_next(struct smcr_llc_countdown *cd, u8 nr_left,
			    u8 per_msg);

#endif /* _SMCR_LLC_FLOW_H */
