// SPDX-License-Identifier: GPL-2.0
/*
 * LLC exchanges (llc_flow.c): the whole tables, and the collisions of RFC
 * 7609, 3.5.5.3, one by one.
 */
#include "tap.h"
#include "llc_flow.h"

#define STEP(name)	SMCR_LLC_ ## name
#define EV(name)	SMCR_LLC_EV_ ## name

/* All kinds of messages that verdicts depend on */
static const struct kind {
	const char *name;
	enum smcr_llc_type type;
	bool reply, all;
} kinds[] = {
	{ "CONFIRM LINK", SMCR_LLC_CONFIRM_LINK, false, false },
	{ "CONFIRM LINK reply", SMCR_LLC_CONFIRM_LINK, true, false },
	{ "ADD LINK", SMCR_LLC_ADD_LINK, false, false },
	{ "ADD LINK reply", SMCR_LLC_ADD_LINK, true, false },
	{ "ADD LINK CONT", SMCR_LLC_ADD_LINK_CONT, false, false },
	{ "ADD LINK CONT reply", SMCR_LLC_ADD_LINK_CONT, true, false },
	{ "DELETE LINK", SMCR_LLC_DELETE_LINK, false, false },
	{ "DELETE LINK all", SMCR_LLC_DELETE_LINK, false, true },
	{ "DELETE LINK reply", SMCR_LLC_DELETE_LINK, true, false },
	{ "CONFIRM RKEY", SMCR_LLC_CONFIRM_RKEY, false, false },
	{ "CONFIRM RKEY reply", SMCR_LLC_CONFIRM_RKEY, true, false },
	{ "CONFIRM RKEY CONT", SMCR_LLC_CONFIRM_RKEY_CONT, false, false },
	{ "CONFIRM RKEY CONT reply", SMCR_LLC_CONFIRM_RKEY_CONT, true, false },
	{ "DELETE RKEY", SMCR_LLC_DELETE_RKEY, false, false },
	{ "DELETE RKEY reply", SMCR_LLC_DELETE_RKEY, true, false },
	{ "TEST LINK", SMCR_LLC_TEST_LINK, false, false },
	{ "TEST LINK reply", SMCR_LLC_TEST_LINK, true, false },
};

/*
 * The verdict of each step on each kind, in the order of the list above: P
 * process, N negative, Q queue, D drop, S out of sync, T terminate, r process
 * if a local RKEY request waits for its reply, otherwise out of sync. The first
 * line is Idle without a local request, the second is Idle with a local RKEY
 * request.
 */
static const char *const at_server[] = {
	/* Idle */		"SSPSSSPTSPSPSPSPP",
	/*  with RKEY */	"QSQSSSQTSPPPPPPPP",
	/* FirstConfirm */	"SPDSSSQTSNrNrQrPP",
	/* FirstAdd */		"SSDSSSQTSNrNrQrPP",
	/* AddReply */		"SSDPSSQTSNrNrQrPP",
	/* AddCont */		"SSDSSPQTSNrNrQrPP",
	/* AddConfirm */	"SPDSSSQTSNrNrQrPP",
	/* Delete */		"SSQSSSQTPNrNrQrPP",
	/* Closing */		"DDDDDDDTDDDDDDDDD",
};

static const char *const at_client[] = {
	/* Idle */		"SSPSSSPTPPSPSPSPP",
	/*  with RKEY */	"QSPSSSPTPPPPPPPPP",
	/* FirstConfirm */	"PSSSSSPTPNrNrQrPP",
	/* FirstAdd */		"SSPSSSPTPNrNrQrPP",
	/* AddReply */		"SSSSSSSTSSSSSSSPP",
	/* AddCont */		"SSSSPSPTPNrNrQrPP",
	/* AddConfirm */	"PSSSSSPTPNrNrQrPP",
	/* Delete */		"SSSSSSSTSSSSSSSPP",
	/* Closing */		"DDDDDDDTDDDDDDDDD",
};

static enum smcr_llc_verdict ask(enum smcr_role role, enum smcr_llc_step step,
				 bool rkey, const struct kind *kind)
{
	struct smcr_llc_flow flow = { role, step, rkey, false };
	struct smcr_llc_msg msg;

	memset(&msg, 0, sizeof(msg));
	msg.type = kind->type;
	msg.reply = kind->reply;
	if (kind->all)
		msg.delete_link.all = true;
	return smcr_llc_flow_verdict(&flow, &msg);
}

static void one_role(enum smcr_role role, const char *const *rows)
{
	unsigned int step, rkey, k;
	const char *row;
	char want, got;

	for (step = 0; step < SMCR_LLC_STEP_MAX; step++) {
		for (rkey = 0; rkey < 2; rkey++) {
			for (k = 0; k < ARRAY_SIZE(kinds); k++) {
				row = rows[step ? step + 1 : rkey];
				EXPECT_EQ(strlen(row), ARRAY_SIZE(kinds));
				want = row[k] == 'r' ? "SP"[rkey] : row[k];
				got = "PNQDST"[ask(role, step, rkey, &kinds[k])];
				if (got == want)
					continue;
				EXPECT(!"table entry");
				note("  %s in step %u: %c, not %c",
				     kinds[k].name, step, got, want);
			}
		}
	}
}

static void server_table(void)
{
	one_role(SMCR_SERVER, at_server);
}

static void client_table(void)
{
	one_role(SMCR_CLIENT, at_client);
}

static enum smcr_llc_verdict verdict(enum smcr_role role,
				     enum smcr_llc_step step, bool rkey,
				     const char *name)
{
	unsigned int k = 0;

	while (k < ARRAY_SIZE(kinds) - 1 && strcmp(kinds[k].name, name))
		k++;
	EXPECT(!strcmp(kinds[k].name, name));
	return ask(role, step, rkey, &kinds[k]);
}

#define SERVER(step, rkey, name)	verdict(SMCR_SERVER, step, rkey, name)
#define CLIENT(step, rkey, name)	verdict(SMCR_CLIENT, step, rkey, name)

/* 3.5.5.3.1 */
static void during_add_link(void)
{
	enum smcr_llc_step step;

	for (step = STEP(ADD_REPLY); step <= STEP(ADD_CONFIRM); step++) {
		EXPECT_EQ(SERVER(step, false, "TEST LINK"), STEP(PROCESS));
		EXPECT_EQ(SERVER(step, false, "ADD LINK"), STEP(DROP));
		EXPECT_EQ(SERVER(step, false, "DELETE LINK"), STEP(QUEUE));
		EXPECT_EQ(SERVER(step, false, "DELETE LINK all"),
			  STEP(TERMINATE));
		EXPECT_EQ(SERVER(step, false, "CONFIRM RKEY"), STEP(NEGATIVE));
	}
	EXPECT_EQ(CLIENT(STEP(IDLE), false, "ADD LINK"), STEP(PROCESS));
}

/* 3.5.5.3.2 */
static void during_delete_link(void)
{
	EXPECT_EQ(SERVER(STEP(DELETE), false, "TEST LINK"), STEP(PROCESS));
	EXPECT_EQ(SERVER(STEP(DELETE), false, "ADD LINK"), STEP(QUEUE));
	EXPECT_EQ(SERVER(STEP(DELETE), false, "DELETE LINK"), STEP(QUEUE));
	EXPECT_EQ(SERVER(STEP(DELETE), false, "DELETE LINK all"),
		  STEP(TERMINATE));
	EXPECT_EQ(SERVER(STEP(DELETE), false, "CONFIRM RKEY"), STEP(NEGATIVE));
}

/* 3.5.5.3.3 */
static void during_confirm_rkey(void)
{
	EXPECT_EQ(SERVER(STEP(IDLE), true, "TEST LINK"), STEP(PROCESS));
	EXPECT_EQ(CLIENT(STEP(IDLE), true, "TEST LINK"), STEP(PROCESS));
	EXPECT_EQ(SERVER(STEP(IDLE), true, "ADD LINK"), STEP(QUEUE));
	EXPECT_EQ(CLIENT(STEP(IDLE), true, "ADD LINK"), STEP(PROCESS));
	EXPECT_EQ(SERVER(STEP(IDLE), true, "DELETE LINK"), STEP(QUEUE));
	EXPECT_EQ(CLIENT(STEP(IDLE), true, "DELETE LINK"), STEP(PROCESS));
	EXPECT_EQ(SERVER(STEP(IDLE), true, "DELETE LINK all"),
		  STEP(TERMINATE));
	EXPECT_EQ(CLIENT(STEP(IDLE), true, "DELETE LINK all"),
		  STEP(TERMINATE));
	EXPECT_EQ(SERVER(STEP(IDLE), true, "CONFIRM LINK"), STEP(QUEUE));
	EXPECT_EQ(CLIENT(STEP(IDLE), true, "CONFIRM LINK"), STEP(QUEUE));
	EXPECT_EQ(SERVER(STEP(IDLE), true, "CONFIRM RKEY"), STEP(PROCESS));
	EXPECT_EQ(CLIENT(STEP(IDLE), true, "CONFIRM RKEY"), STEP(PROCESS));
}

/* The negative reply to a client's CONFIRM RKEY arrives during ADD LINK */
static void crossed_rkey(void)
{
	struct smcr_llc_flow flow = { SMCR_CLIENT, STEP(IDLE), false, false };

	EXPECT_EQ(smcr_llc_flow_step(&flow, EV(RKEY_SENT)), 0);
	EXPECT_EQ(smcr_llc_flow_step(&flow, EV(ADD_AGREED)), 0);
	EXPECT_EQ(flow.step, STEP(ADD_CONT));
	EXPECT_EQ(CLIENT(flow.step, flow.rkey_ours, "CONFIRM RKEY reply"),
		  STEP(PROCESS));
	EXPECT_EQ(smcr_llc_flow_step(&flow, EV(RKEY_DONE)), 0);
	EXPECT_EQ(CLIENT(flow.step, flow.rkey_ours, "CONFIRM RKEY reply"),
		  STEP(OUT_OF_SYNC));
	EXPECT_EQ(smcr_llc_flow_step(&flow, EV(RKEY_SENT)), -EPROTO);
	EXPECT_EQ(smcr_llc_flow_step(&flow, EV(TOKENS_DONE)), 0);
	EXPECT_EQ(smcr_llc_flow_step(&flow, EV(CONFIRMED)), 0);
	EXPECT(smcr_llc_flow_may_start(&flow));
}

/*
 * The step that each event leads to, one letter for each step, events in the
 * order of their enum up to DELETE_DONE: i Idle, f FirstConfirm, a FirstAdd, r
 * AddReply, c AddCont, k AddConfirm, d Delete; . impossible.
 */
static const char *const server_moves[] = {
	/*                 first conf sent agr ref tok fail dels deld */
	/* Idle */		"f.r....d.",
	/* FirstConfirm */	".a.......",
	/* FirstAdd */		"..r...i..",
	/* AddReply */		"...ci.i..",
	/* AddCont */		".....ki..",
	/* AddConfirm */	".i....i..",
	/* Delete */		"........i",
	/* Closing */		".........",
};

static const char *const client_moves[] = {
	/* Idle */		"f..ci....",
	/* FirstConfirm */	".a.......",
	/* FirstAdd */		"...ci.i..",
	/* AddReply */		".........",
	/* AddCont */		".....ki..",
	/* AddConfirm */	".i....i..",
	/* Delete */		".........",
	/* Closing */		".........",
};

static void moves(enum smcr_role role, const char *const *rows)
{
	struct smcr_llc_flow flow;
	unsigned int step, ev;
	char got;

	for (step = 0; step < SMCR_LLC_STEP_MAX; step++) {
		for (ev = 0; ev <= EV(DELETE_DONE); ev++) {
			flow = (struct smcr_llc_flow){ role, step, false, false };
			got = '.';
			if (!smcr_llc_flow_step(&flow, ev))
				got = "ifarckd-"[flow.step];
			else
				EXPECT_EQ(flow.step, step);
			EXPECT_EQ(got, rows[step][ev]);
			EXPECT(!flow.rkey_ours);
		}
	}
}

static void all_moves(void)
{
	moves(SMCR_SERVER, server_moves);
	moves(SMCR_CLIENT, client_moves);
}

static void rkey_and_close(void)
{
	struct smcr_llc_flow flow;
	unsigned int role, step, ev, rkey;
	bool free;

	for (role = SMCR_CLIENT; role <= SMCR_SERVER; role++) {
		for (step = 0; step < SMCR_LLC_STEP_MAX; step++) {
			for (rkey = 0; rkey < 2; rkey++) {
				free = step == STEP(IDLE) && !rkey;
				flow = (struct smcr_llc_flow){ role, step, rkey, false };
				EXPECT_EQ(smcr_llc_flow_may_start(&flow), free);
				EXPECT_EQ(smcr_llc_flow_step(&flow, EV(RKEY_SENT)),
					  free ? 0 : -EPROTO);
				EXPECT_EQ(flow.rkey_ours, free || rkey);
				flow = (struct smcr_llc_flow){ role, step, rkey, false };
				EXPECT_EQ(smcr_llc_flow_step(&flow, EV(RKEY_DONE)),
					  rkey ? 0 : -EPROTO);
				EXPECT(!flow.rkey_ours);
				for (ev = EV(ADD_SENT); rkey && ev <= EV(DELETE_SENT);
				     ev += EV(DELETE_SENT) - EV(ADD_SENT)) {
					flow = (struct smcr_llc_flow){ role, step, true, false };
					EXPECT_EQ(smcr_llc_flow_step(&flow, ev), -EPROTO);
				}
				flow = (struct smcr_llc_flow){ role, step, rkey, false };
				EXPECT_EQ(smcr_llc_flow_step(&flow, EV(CLOSE)), 0);
				EXPECT_EQ(flow.step, STEP(CLOSING));
				EXPECT(!flow.rkey_ours);
			}
		}
	}
}

/* A host that knows of an RKEY exchange of its peer does not change links, but may
 * have an RKEY exchange of its own
 */
static void rkey_of_peer(void)
{
	struct smcr_llc_flow flow;
	unsigned int role, step;

	for (role = SMCR_CLIENT; role <= SMCR_SERVER; role++) {
		for (step = STEP(FIRST_CONFIRM); step < SMCR_LLC_STEP_MAX; step++) {
			flow = (struct smcr_llc_flow){ role, step, false, false };
			EXPECT(!smcr_llc_flow_may_change(&flow));
			EXPECT_EQ(smcr_llc_flow_step(&flow, EV(PEER_RKEY)), -EPROTO);
			EXPECT(!flow.rkey_theirs);
		}
		flow = (struct smcr_llc_flow){ role, STEP(IDLE), false, false };
		EXPECT(smcr_llc_flow_may_change(&flow));
		EXPECT_EQ(smcr_llc_flow_step(&flow, EV(PEER_RKEY_DONE)), -EPROTO);
		EXPECT_EQ(smcr_llc_flow_step(&flow, EV(PEER_RKEY)), 0);
		EXPECT(!smcr_llc_flow_may_change(&flow));
		EXPECT_EQ(smcr_llc_flow_step(&flow, EV(ADD_SENT)), -EPROTO);
		EXPECT_EQ(smcr_llc_flow_step(&flow, EV(DELETE_SENT)), -EPROTO);
		EXPECT(smcr_llc_flow_may_start(&flow));
		EXPECT_EQ(smcr_llc_flow_step(&flow, EV(RKEY_SENT)), 0);
		EXPECT_EQ(smcr_llc_flow_step(&flow, EV(PEER_RKEY_DONE)), 0);
		EXPECT(!smcr_llc_flow_may_change(&flow));
		EXPECT_EQ(smcr_llc_flow_step(&flow, EV(RKEY_DONE)), 0);
		EXPECT(smcr_llc_flow_may_change(&flow));
		EXPECT_EQ(smcr_llc_flow_step(&flow, EV(PEER_RKEY)), 0);
		EXPECT_EQ(smcr_llc_flow_step(&flow, EV(CLOSE)), 0);
		EXPECT(!flow.rkey_theirs);
	}
}

/* First contact at both ends; there is no adapter for a second link */
static void first_contact(void)
{
	struct smcr_llc_flow s = { SMCR_SERVER, STEP(IDLE), false, false };
	struct smcr_llc_flow c = { SMCR_CLIENT, STEP(IDLE), false, false };

	EXPECT_EQ(smcr_llc_flow_step(&s, EV(FIRST)), 0);
	EXPECT_EQ(smcr_llc_flow_step(&c, EV(FIRST)), 0);
	EXPECT_EQ(CLIENT(c.step, false, "CONFIRM LINK"), STEP(PROCESS));
	EXPECT_EQ(smcr_llc_flow_step(&c, EV(CONFIRMED)), 0);
	EXPECT_EQ(SERVER(s.step, false, "CONFIRM LINK reply"), STEP(PROCESS));
	EXPECT_EQ(smcr_llc_flow_step(&s, EV(CONFIRMED)), 0);
	EXPECT(!smcr_llc_flow_may_start(&s) && !smcr_llc_flow_may_start(&c));
	EXPECT_EQ(smcr_llc_flow_step(&s, EV(ADD_SENT)), 0);
	EXPECT_EQ(CLIENT(c.step, false, "ADD LINK"), STEP(PROCESS));
	EXPECT_EQ(smcr_llc_flow_step(&c, EV(ADD_REFUSED)), 0);
	EXPECT_EQ(SERVER(s.step, false, "ADD LINK reply"), STEP(PROCESS));
	EXPECT_EQ(smcr_llc_flow_step(&s, EV(ADD_REFUSED)), 0);
	EXPECT(smcr_llc_flow_may_start(&s) && smcr_llc_flow_may_start(&c));
}

static void countdown(void)
{
	struct smcr_llc_countdown cd = { 0 };

	EXPECT_EQ(smcr_llc_countdown_next(&cd, 5, 2), 1);
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 3, 2), 1);
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 1, 2), 0);
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 0, 2), 0);
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 1, 2), -EPROTO);
	smcr_llc_countdown_skip(&cd, 1);
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 1, 2), -EPROTO);
	memset(&cd, 0, sizeof(cd));
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 5, 2), 1);
	smcr_llc_countdown_skip(&cd, 0);
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 0, 2), 0);

	memset(&cd, 0, sizeof(cd));
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 255, 2), 1);
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 252, 2), -EPROTO);
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 253, 2), 1);

	memset(&cd, 0, sizeof(cd));
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 7, 2), 1);
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 5, 3), 1);
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 2, 3), 0);

	memset(&cd, 0, sizeof(cd));
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 2, 2), 0);
	memset(&cd, 0, sizeof(cd));
	EXPECT_EQ(smcr_llc_countdown_next(&cd, 0, 2), 0);
}

/* 3.5.4: a closing client waits for it, a closing server need not send more */
static void delete_all(void)
{
	enum smcr_llc_step step;

	for (step = STEP(IDLE); step < SMCR_LLC_STEP_MAX; step++) {
		EXPECT_EQ(SERVER(step, false, "DELETE LINK all"), STEP(TERMINATE));
		EXPECT_EQ(CLIENT(step, false, "DELETE LINK all"), STEP(TERMINATE));
	}
}

static const struct fact facts[] = {
	{ "a server judges each message in each step", server_table },
	{ "a client judges each message in each step", client_table },
	{ "collisions with ADD LINK follow section 3.5.5.3.1", during_add_link },
	{ "collisions with DELETE LINK follow section 3.5.5.3.2", during_delete_link },
	{ "collisions with CONFIRM RKEY follow section 3.5.5.3.3", during_confirm_rkey },
	{ "DELETE LINK (all) ends a group in each step, also if it is closing", delete_all },
	{ "a client's CONFIRM RKEY may cross the server's ADD LINK", crossed_rkey },
	{ "each event in each step leads where the figure says", all_moves },
	{ "RKEY exchanges wait for link changes, and CLOSE ends all", rkey_and_close },
	{ "a host that knows of its peer's CONFIRM RKEY changes no link", rkey_of_peer },
	{ "a first contact with one adapter ends in Idle at both ends", first_contact },
	{ "counts of continued exchanges go down without gaps", countdown },
};

PROVE(facts, NULL);
