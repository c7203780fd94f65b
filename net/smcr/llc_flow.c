// SPDX-License-Identifier: GPL-2.0
/*
 * LLC exchanges: which ones may run together, and what a message means in the
 * exchange that runs (RFC 7609, 3.5.5.3).
 *
 * Exchanges that change links run one at a time, and the server starts them:
 *
 *	first contact
 *	     |
 *	FirstConfirm -CONFIRM LINK-> FirstAdd
 *	                                | server: ADD LINK sent
 *	 Idle --server: ADD LINK sent-+ v
 *	  ^ |                         AddReply ---refused--> Idle
 *	  | |                            | agreed
 *	  | +-----client: agreed-------+ v
 *	  |                           AddCont
 *	  |                              | all RTokens told
 *	  |                              v
 *	  +-------CONFIRM LINK------- AddConfirm
 *
 *	 Idle --DELETE LINK sent--> Delete --reply--> Idle
 *
 * A client goes from FirstAdd directly to AddCont or Idle. CONFIRM RKEY and
 * DELETE RKEY exchanges of the two ends may run at the same time. A server
 * starts to change links between two of them, its client's as far as it knows:
 * a CONFIRM RKEY that it has answered goes on with continuations, while one
 * that is on its way may cross ADD LINK or DELETE LINK.
 */
#include <linux/build_bug.h>
#include <linux/array_size.h>
#include <linux/errno.h>

#include "llc_flow.h"

/* Rows of the tables: kinds of messages */
enum kind {
	CONF_REQ,
	CONF_REP,
	ADD_REQ,
	ADD_REP,
	CONT_REQ,
	CONT_REP,
	DEL_REQ,
	DEL_ALL,
	DEL_REP,
	RKEY_REQ,
	RKEY_REP,
	DROP_REQ,
	DROP_REP,
	TEST_REQ,
	TEST_REP,
	NR_KINDS
};

/* Columns of the tables: the steps; RKEY is the step Idle with a CONFIRM RKEY
 * or DELETE RKEY of this host under way
 */
enum column {
	IDLE,
	RKEY,
	FIRST,
	FIRST_ADD,
	REPLY,
	CONT,
	CONFIRM,
	DELETE,
	CLOSING,
	NR_COLUMNS
};

/* Table entries, of four letters so that the columns line up */
#define PROC	SMCR_LLC_PROCESS
#define NEGA	SMCR_LLC_NEGATIVE
#define QUEU	SMCR_LLC_QUEUE
#define DROP	SMCR_LLC_DROP
#define SYNC	SMCR_LLC_OUT_OF_SYNC
#define TERM	SMCR_LLC_TERMINATE
/* PROC if a CONFIRM RKEY or DELETE RKEY of this host is unanswered, else SYNC
 */
#define IFRK	SMCR_LLC_VERDICT_MAX

/* Verdicts of a server on its client's messages */
static const u8 at_server[NR_KINDS][NR_COLUMNS] = {
	/*	       IDLE  RKEY  FIRST F_ADD REPLY CONT  CNFRM DEL   CLOS */
	[CONF_REQ] = { SYNC, QUEU, SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, DROP },
	[CONF_REP] = { SYNC, SYNC, PROC, SYNC, SYNC, SYNC, PROC, SYNC, DROP },
	[ADD_REQ]  = { PROC, QUEU, DROP, DROP, DROP, DROP, DROP, QUEU, DROP },
	[ADD_REP]  = { SYNC, SYNC, SYNC, SYNC, PROC, SYNC, SYNC, SYNC, DROP },
	[CONT_REQ] = { SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, DROP },
	[CONT_REP] = { SYNC, SYNC, SYNC, SYNC, SYNC, PROC, SYNC, SYNC, DROP },
	[DEL_REQ]  = { PROC, QUEU, QUEU, QUEU, QUEU, QUEU, QUEU, QUEU, DROP },
	[DEL_ALL]  = { TERM, TERM, TERM, TERM, TERM, TERM, TERM, TERM, TERM },
	[DEL_REP]  = { SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, PROC, DROP },
	[RKEY_REQ] = { PROC, PROC, NEGA, NEGA, NEGA, NEGA, NEGA, NEGA, DROP },
	[RKEY_REP] = { IFRK, IFRK, IFRK, IFRK, IFRK, IFRK, IFRK, IFRK, DROP },
	[DROP_REQ] = { PROC, PROC, QUEU, QUEU, QUEU, QUEU, QUEU, QUEU, DROP },
	[DROP_REP] = { IFRK, IFRK, IFRK, IFRK, IFRK, IFRK, IFRK, IFRK, DROP },
	[TEST_REQ] = { PROC, PROC, PROC, PROC, PROC, PROC, PROC, PROC, DROP },
	[TEST_REP] = { PROC, PROC, PROC, PROC, PROC, PROC, PROC, PROC, DROP },
};

/*
 * Verdicts of a client on its server's messages. The columns REPLY and DELETE
 * do not occur in a client. A reply to DELETE LINK says that the server has no
 * such link (C.7.1).
 */
static const u8 at_client[NR_KINDS][NR_COLUMNS] = {
	/*	       IDLE  RKEY  FIRST F_ADD REPLY CONT  CNFRM DEL   CLOS */
	[CONF_REQ] = { SYNC, QUEU, PROC, SYNC, SYNC, SYNC, PROC, SYNC, DROP },
	[CONF_REP] = { SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, DROP },
	[ADD_REQ]  = { PROC, PROC, SYNC, PROC, SYNC, SYNC, SYNC, SYNC, DROP },
	[ADD_REP]  = { SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, DROP },
	[CONT_REQ] = { SYNC, SYNC, SYNC, SYNC, SYNC, PROC, SYNC, SYNC, DROP },
	[CONT_REP] = { SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, SYNC, DROP },
	[DEL_REQ]  = { PROC, PROC, PROC, PROC, SYNC, PROC, PROC, SYNC, DROP },
	[DEL_ALL]  = { TERM, TERM, TERM, TERM, TERM, TERM, TERM, TERM, TERM },
	[DEL_REP]  = { PROC, PROC, PROC, PROC, SYNC, PROC, PROC, SYNC, DROP },
	[RKEY_REQ] = { PROC, PROC, NEGA, NEGA, SYNC, NEGA, NEGA, SYNC, DROP },
	[RKEY_REP] = { IFRK, IFRK, IFRK, IFRK, SYNC, IFRK, IFRK, SYNC, DROP },
	[DROP_REQ] = { PROC, PROC, QUEU, QUEU, SYNC, QUEU, QUEU, SYNC, DROP },
	[DROP_REP] = { IFRK, IFRK, IFRK, IFRK, SYNC, IFRK, IFRK, SYNC, DROP },
	[TEST_REQ] = { PROC, PROC, PROC, PROC, PROC, PROC, PROC, PROC, DROP },
	[TEST_REP] = { PROC, PROC, PROC, PROC, PROC, PROC, PROC, PROC, DROP },
};

static enum kind kind_of(const struct smcr_llc_msg *msg)
{
	bool rep = msg->reply;

	switch (msg->type) {
	case SMCR_LLC_CONFIRM_LINK:
		return rep ? CONF_REP : CONF_REQ;
	case SMCR_LLC_ADD_LINK:
		return rep ? ADD_REP : ADD_REQ;
	case SMCR_LLC_ADD_LINK_CONT:
		return rep ? CONT_REP : CONT_REQ;
	case SMCR_LLC_DELETE_LINK:
		if (rep)
			return DEL_REP;
		return msg->delete_link.all ? DEL_ALL : DEL_REQ;
	case SMCR_LLC_CONFIRM_RKEY:
	case SMCR_LLC_CONFIRM_RKEY_CONT:
		return rep ? RKEY_REP : RKEY_REQ;
	case SMCR_LLC_DELETE_RKEY:
		return rep ? DROP_REP : DROP_REQ;
	default:
		return rep ? TEST_REP : TEST_REQ;
	}
}

static enum column column_of(const struct smcr_llc_flow *flow)
{
	switch (flow->step) {
	case SMCR_LLC_IDLE:
		return flow->rkey_ours ? RKEY : IDLE;
	case SMCR_LLC_FIRST_CONFIRM:
		return FIRST;
	case SMCR_LLC_FIRST_ADD:
		return FIRST_ADD;
	case SMCR_LLC_ADD_REPLY:
		return REPLY;
	case SMCR_LLC_ADD_CONT:
		return CONT;
	case SMCR_LLC_ADD_CONFIRM:
		return CONFIRM;
	case SMCR_LLC_DELETE:
		return DELETE;
	default:
		return CLOSING;
	}
}

/**
 * smcr_llc_flow_verdict() - decide what to do with a message that arrived
 * @flow: exchanges of the group
 * @msg: decoded message
 *
 * Covers the roles and the collisions of section 3.5.5.3. The caller checks
 * whether links and RMBs exist, and whether a reply repeats what the request
 * said. It calls this again for a held message when the exchange is over.
 *
 * Context: the group's work.
 * Return: the verdict.
 */
enum smcr_llc_verdict smcr_llc_flow_verdict(const struct smcr_llc_flow *flow,
					    const struct smcr_llc_msg *msg)
{
	enum column col = column_of(flow);
	enum kind kind = kind_of(msg);
	u8 entry;

	entry = flow->role == SMCR_SERVER ? at_server[kind][col] :
					    at_client[kind][col];
	if (entry != IFRK)
		return entry;
	return flow->rkey_ours ? SMCR_LLC_PROCESS : SMCR_LLC_OUT_OF_SYNC;
}

/**
 * struct move - one permitted transition
 * @from: present step
 * @event: the event
 * @next: next step
 * @client: permitted in a client
 * @server: permitted in a server
 */
struct move {
	enum smcr_llc_step from;
	enum smcr_llc_event event;
	enum smcr_llc_step next;
	bool client;
	bool server;
};

#define MOVE(from, event, next, client, server)			\
	{ SMCR_LLC_ ## from, SMCR_LLC_EV_ ## event,		\
	  SMCR_LLC_ ## next, client, server }

static const struct move moves[] = {
	MOVE(IDLE, FIRST, FIRST_CONFIRM, true, true),
	MOVE(FIRST_CONFIRM, CONFIRMED, FIRST_ADD, true, true),
	MOVE(FIRST_ADD, ADD_SENT, ADD_REPLY, false, true),
	MOVE(FIRST_ADD, ADD_AGREED, ADD_CONT, true, false),
	MOVE(FIRST_ADD, ADD_REFUSED, IDLE, true, false),
	MOVE(FIRST_ADD, ADD_FAILED, IDLE, true, true),
	MOVE(IDLE, ADD_SENT, ADD_REPLY, false, true),
	MOVE(IDLE, ADD_AGREED, ADD_CONT, true, false),
	MOVE(IDLE, ADD_REFUSED, IDLE, true, false),
	MOVE(ADD_REPLY, ADD_AGREED, ADD_CONT, false, true),
	MOVE(ADD_REPLY, ADD_REFUSED, IDLE, false, true),
	MOVE(ADD_REPLY, ADD_FAILED, IDLE, false, true),
	MOVE(ADD_CONT, TOKENS_DONE, ADD_CONFIRM, true, true),
	MOVE(ADD_CONT, ADD_FAILED, IDLE, true, true),
	MOVE(ADD_CONFIRM, CONFIRMED, IDLE, true, true),
	MOVE(ADD_CONFIRM, ADD_FAILED, IDLE, true, true),
	MOVE(IDLE, DELETE_SENT, DELETE, false, true),
	MOVE(DELETE, DELETE_DONE, IDLE, false, true),
};

/* Move the RKEY exchanges on; those of the two ends may run together. */
static int rkey_step(struct smcr_llc_flow *flow, enum smcr_llc_event event)
{
	bool ok;

	switch (event) {
	case SMCR_LLC_EV_RKEY_SENT:
		ok = smcr_llc_flow_may_start(flow);
		flow->rkey_ours |= ok;
		break;
	case SMCR_LLC_EV_RKEY_DONE:
		ok = flow->rkey_ours;
		flow->rkey_ours = false;
		break;
	case SMCR_LLC_EV_PEER_RKEY:
		ok = flow->step == SMCR_LLC_IDLE;
		flow->rkey_theirs |= ok;
		break;
	default:
		ok = flow->rkey_theirs;
		flow->rkey_theirs = false;
		break;
	}
	return ok ? 0 : -EPROTO;
}

/**
 * smcr_llc_flow_step() - move an exchange on
 * @flow: exchanges of the group
 * @event: what happened
 *
 * Context: the group's work, or the creator of a group that is on no list yet.
 * Return: 0; -EPROTO if the event is not permitted in the present step, which
 * is an error of the caller; @flow does not change then.
 */
int smcr_llc_flow_step(struct smcr_llc_flow *flow, enum smcr_llc_event event)
{
	const struct move *m;
	unsigned int i;

	if (event == SMCR_LLC_EV_CLOSE) {
		flow->step = SMCR_LLC_CLOSING;
		flow->rkey_ours = false;
		flow->rkey_theirs = false;
		return 0;
	}
	if (event >= SMCR_LLC_EV_RKEY_SENT &&
	    event <= SMCR_LLC_EV_PEER_RKEY_DONE)
		return rkey_step(flow, event);
	/* An exchange that this host starts has to wait for RKEY exchanges. */
	if ((flow->rkey_ours || flow->rkey_theirs) &&
	    (event == SMCR_LLC_EV_ADD_SENT || event == SMCR_LLC_EV_DELETE_SENT))
		return -EPROTO;
	for (i = 0; i < ARRAY_SIZE(moves); i++) {
		m = &moves[i];
		if (m->from != flow->step || m->event != event)
			continue;
		if (flow->role == SMCR_SERVER ? !m->server : !m->client)
			continue;
		flow->step = m->next;
		return 0;
	}
	return -EPROTO;
}

/**
 * smcr_llc_flow_may_start() - may this host start an RKEY exchange?
 * @flow: exchanges of the group
 *
 * This is the rule for CONFIRM RKEY and DELETE RKEY of both ends. TEST LINK,
 * ADD LINK and DELETE LINK of a client, and DELETE LINK (all) may be sent at
 * any time.
 *
 * Return: true if no exchange is under way but RKEY exchanges of the peer.
 */
bool smcr_llc_flow_may_start(const struct smcr_llc_flow *flow)
{
	return flow->step == SMCR_LLC_IDLE && !flow->rkey_ours;
}

/**
 * smcr_llc_flow_may_change() - may this host start to change links?
 * @flow: exchanges of the group
 *
 * This is the rule for ADD LINK and DELETE LINK of a server.
 *
 * Return: true if no exchange is under way, as far as this host knows.
 */
bool smcr_llc_flow_may_change(const struct smcr_llc_flow *flow)
{
	return smcr_llc_flow_may_start(flow) && !flow->rkey_theirs;
}

/**
 * smcr_llc_countdown_skip() - accept a count that is lower than expected
 * @cd: countdown of one direction of one exchange
 * @nr_left: the count in the message
 *
 * A Linux peer begins with the number of its connections, and ends with 0 when
 * it has no more RMBs.
 */
void smcr_llc_countdown_skip(struct smcr_llc_countdown *cd, u8 nr_left)
{
	if (cd->started && nr_left < cd->left)
		cd->left = nr_left;
}

/**
 * smcr_llc_countdown_next() - check "entries left" of a continued exchange
 * @cd: countdown of one direction of one exchange
 * @nr_left: the count in the message
 * @per_msg: number of entries that this message can hold
 *
 * The first message sets the count. Each ADD LINK CONTINUATION holds 2 entries,
 * CONFIRM RKEY holds 2, and each continuation of that 3 (A.3.3, A.3.6). After
 * the last entry the count stays 0.
 *
 * Return: 1 if more messages must follow, 0 if this was the last, -EPROTO if
 * the count is wrong: the link has failed (C.7.1).
 */
int smcr_llc_countdown_next(struct smcr_llc_countdown *cd, u8 nr_left,
			    u8 per_msg)
{
	if (cd->started && nr_left != cd->left)
		return -EPROTO;
	cd->started = true;
	cd->left = nr_left > per_msg ? nr_left - per_msg : 0;
	return cd->left > 0;
}
