// SPDX-License-Identifier: GPL-2.0
/*
 * Failover (failover.c): each rule of a move, at both ends, below, at and above
 * its bounds.
 */
#include "tap.h"
#include "failover.h"

#define RING	100
#define RETRY	1000

/* A sender that has sent messages up to @seq; a completion confirmed @ss */
static struct smcr_failover_tx sender(u16 ss)
{
	struct smcr_failover_tx fo;

	smcr_failover_tx_init(&fo, true);
	fo.ss = ss;
	return fo;
}

static struct smcr_failover_move moving(u64 una, u64 nxt)
{
	return (struct smcr_failover_move){
		.una = una, .nxt = nxt, .seq = 9, .ring_len = RING, .until = RETRY,
		.in_order = SMCR_FAILOVER_NO_LINK,
	};
}

/* Completions of the link that is left have confirmed all before @una */
static bool move(struct smcr_failover_tx *fo, u64 una, u64 nxt)
{
	struct smcr_failover_move m = moving(una, nxt);

	if (!fo->f_due)
		smcr_failover_tx_done(fo, fo->ss, una, true);
	return smcr_failover_tx_move(fo, &m);
}

/* Position up to which the next plan may write */
static u64 limit(struct smcr_failover_tx *fo, u64 sent, u64 now)
{
	struct smcr_tx_view view = { .sent = sent, .queued = 1ULL << 40 };

	smcr_failover_tx_clip(fo, now, &view);
	return view.queued;
}

static void post_f(struct smcr_failover_tx *fo, u64 una)
{
	EXPECT_EQ(smcr_failover_tx_act(fo, una), SMCR_FAILOVER_SEND_F);
	fo->f_due = false;
}

static void ss_rule(void)
{
	struct smcr_failover_tx fo;

	smcr_failover_tx_init(&fo, true);
	EXPECT_EQ(fo.ss, 0);
	smcr_failover_tx_consumed(&fo, 50);
	EXPECT_EQ(fo.ss, 0);
	smcr_failover_tx_done(&fo, 3, 0, true);
	EXPECT_EQ(fo.ss, 3);
	smcr_failover_tx_done(&fo, 2, 0, true);
	EXPECT_EQ(fo.ss, 3);
	fo.ss = 0xFFFE;
	smcr_failover_tx_done(&fo, 0xFFFF, 0, true);
	smcr_failover_tx_done(&fo, 0, 0, true);
	smcr_failover_tx_done(&fo, 0xFFFF, 0, true);
	EXPECT_EQ(fo.ss, 0);
	/* half the number space ahead is the past */
	smcr_failover_tx_done(&fo, 0x8000, 0, true);
	EXPECT_EQ(fo.ss, 0);
	smcr_failover_tx_done(&fo, 0x7FFF, 0, true);
	EXPECT_EQ(fo.ss, 0x7FFF);
}

/* A completion of a link that was left */
static void ss_late(void)
{
	struct smcr_failover_tx fo = sender(3);

	move(&fo, 10, 30);
	EXPECT(smcr_failover_tx_done(&fo, 5, 0, false));
	EXPECT_EQ(fo.ss, 5);
	post_f(&fo, 10);
	EXPECT(!smcr_failover_tx_done(&fo, 7, 0, false));
	EXPECT_EQ(fo.ss, 5);
	EXPECT_EQ(smcr_failover_tx_act(&fo, 10), SMCR_FAILOVER_REPLAY);
	EXPECT(smcr_failover_tx_done(&fo, 8, 0, true));
	EXPECT_EQ(fo.ss, 8);
}

static void f_message(void)
{
	struct smcr_failover_tx fo = sender(0xFFFF);
	u8 buf[SMCR_ROCE_MSG_LEN];
	struct smcr_cdc_msg msg;

	move(&fo, 10, 30);
	smcr_failover_tx_f(&fo, 0x12345678, &msg);
	smcr_cdc_msg_encode(buf, &msg);
	EXPECT(!smcr_cdc_msg_decode(buf, sizeof(buf), &msg));
	EXPECT_EQ(msg.seq, 0xFFFF);
	EXPECT_EQ(msg.alert_token, 0x12345678);
	EXPECT_EQ(msg.flags, SMCR_CDC_F);
	EXPECT_EQ(msg.prod.off + msg.prod.wrap + msg.cons.off + msg.cons.wrap, 0);
}

static void replay_order(void)
{
	struct smcr_tx_view view = { .sent = 30, .queued = 90, .peer_cons = 5 };
	struct smcr_failover_tx fo = sender(3);

	EXPECT_EQ(smcr_failover_tx_act(&fo, 10), SMCR_FAILOVER_GO_ON);
	EXPECT(move(&fo, 10, 30));
	EXPECT_EQ(smcr_failover_tx_act(&fo, 10), SMCR_FAILOVER_SEND_F);
	EXPECT_EQ(smcr_failover_tx_act(&fo, 10), SMCR_FAILOVER_SEND_F);
	post_f(&fo, 10);
	EXPECT_EQ(smcr_failover_tx_act(&fo, 10), SMCR_FAILOVER_REPLAY);
	smcr_failover_tx_clip(&fo, 0, &view);
	EXPECT_EQ(view.sent, 10);
	EXPECT_EQ(view.queued, 30);
	smcr_failover_tx_replayed(&fo, 29);
	EXPECT_EQ(smcr_failover_tx_act(&fo, 10), SMCR_FAILOVER_REPLAY);
	smcr_failover_tx_replayed(&fo, 30);
	EXPECT_EQ(smcr_failover_tx_act(&fo, 10), SMCR_FAILOVER_GO_ON);
	EXPECT_EQ(limit(&fo, 30, 0), 10 + RING);
}

/* Space below una is gone; the replay skips what the peer has meanwhile read */
static void replay_skips(void)
{
	struct smcr_failover_tx fo = sender(3);

	move(&fo, 10, 30);
	post_f(&fo, 10);
	EXPECT_EQ(smcr_failover_tx_act(&fo, 20), SMCR_FAILOVER_REPLAY);
	EXPECT_EQ(fo.replay, 20);
	EXPECT_EQ(smcr_failover_tx_act(&fo, 15), SMCR_FAILOVER_REPLAY);
	EXPECT_EQ(fo.replay, 20);
	EXPECT_EQ(smcr_failover_tx_act(&fo, 30), SMCR_FAILOVER_GO_ON);
	EXPECT_EQ(fo.cap, 10 + RING);
}

static void no_replay(void)
{
	struct smcr_failover_move m = moving(10, 30);
	struct smcr_failover_tx fo = sender(9);

	/* nothing to replay; the last message is confirmed */
	EXPECT(!move(&fo, 30, 30));
	post_f(&fo, 30);
	EXPECT_EQ(smcr_failover_tx_act(&fo, 30), SMCR_FAILOVER_GO_ON);
	EXPECT_EQ(fo.cap, SMCR_FAILOVER_OPEN);
	/* an aborted connection writes nothing, but has A to repeat */
	fo = sender(8);
	m.silent = true;
	EXPECT(smcr_failover_tx_move(&fo, &m));
	post_f(&fo, 10);
	EXPECT_EQ(smcr_failover_tx_act(&fo, 10), SMCR_FAILOVER_GO_ON);
}

static void cap_opens(void)
{
	struct smcr_failover_tx fo = sender(3);

	move(&fo, 10, 30);
	/* the proof counts from F on only */
	smcr_failover_tx_consumed(&fo, 31);
	EXPECT_EQ(fo.cap, 10 + RING);
	post_f(&fo, 10);
	smcr_failover_tx_replayed(&fo, 30);
	smcr_failover_tx_consumed(&fo, 29);
	smcr_failover_tx_consumed(&fo, 30);
	EXPECT_EQ(limit(&fo, 30, RETRY - 1), 10 + RING);
	smcr_failover_tx_consumed(&fo, 31);
	EXPECT_EQ(limit(&fo, 31, 0), 1ULL << 40);
}

/* A full ring: nothing beyond the mark can be announced, so time decides */
static void cap_full_ring(void)
{
	struct smcr_failover_tx fo = sender(3);

	move(&fo, 10, 10 + RING);
	post_f(&fo, 10);
	smcr_failover_tx_replayed(&fo, 10 + RING);
	smcr_failover_tx_consumed(&fo, 10 + RING);
	EXPECT_EQ(limit(&fo, 10 + RING, RETRY - 1), 10 + RING);
	EXPECT_EQ(limit(&fo, 10 + RING, RETRY), 1ULL << 40);
	EXPECT_EQ(fo.cap, SMCR_FAILOVER_OPEN);
}

/* The ring was filled when the group had one link; it has more links now */
static void replay_full_ring(void)
{
	struct smcr_tx_view view = { .peer_ring = { .len = RING }, .peer_cons = 10,
				     .sent = 10 + RING, .queued = 10 + RING, .spare = true };
	struct smcr_failover_tx fo = sender(3);
	struct smcr_tx_plan plan;

	move(&fo, 10, 10 + RING);
	post_f(&fo, 10);
	smcr_failover_tx_replayed(&fo, 10 + RING - 1);
	smcr_failover_tx_clip(&fo, 0, &view);
	smcr_tx_plan(&view, &plan);
	EXPECT_EQ(plan.sent, 10 + RING);
}

static void cap_second_move(void)
{
	struct smcr_failover_tx fo = sender(3);

	move(&fo, 10, 30);
	post_f(&fo, 10);
	smcr_failover_tx_replayed(&fo, 20);
	move(&fo, 20, 30);
	EXPECT_EQ(fo.cap, 10 + RING);
	EXPECT_EQ(fo.replay, 20);
	post_f(&fo, 20);
	smcr_failover_tx_replayed(&fo, 30);
	/* the peer may never have heard of the link between */
	smcr_failover_tx_consumed(&fo, 31);
	EXPECT_EQ(limit(&fo, 31, RETRY - 1), 10 + RING);
	EXPECT_EQ(limit(&fo, 31, RETRY), 1ULL << 40);
	/* but it knows the present one */
	move(&fo, 40, 50);
	post_f(&fo, 40);
	smcr_failover_tx_replayed(&fo, 50);
	smcr_failover_tx_consumed(&fo, 51);
	EXPECT_EQ(limit(&fo, 51, 0), 1ULL << 40);
}

/* The peer's cursor is ahead of what completions of the link have confirmed: the
 * peer has read copies that came over the link before, and those of this link
 * are under way
 */
static void cap_read_twice(void)
{
	struct smcr_tx_view view = { .sent = 120, .queued = 130 };
	struct smcr_failover_move m = moving(20, 120);
	struct smcr_failover_tx fo = sender(3);

	move(&fo, 0, 30);
	post_f(&fo, 0);
	smcr_failover_tx_replayed(&fo, 30);
	EXPECT_EQ(limit(&fo, 30, RETRY), 1ULL << 40);
	smcr_failover_tx_consumed(&fo, 20);
	m.until = 2 * RETRY;
	smcr_failover_tx_move(&fo, &m);
	EXPECT_EQ(fo.cap, RING);
	post_f(&fo, 20);
	/* The replay waits, too */
	smcr_failover_tx_clip(&fo, RETRY, &view);
	EXPECT_EQ(view.sent, 20);
	EXPECT_EQ(view.queued, RING);
	smcr_failover_tx_replayed(&fo, RING);
	smcr_failover_tx_clip(&fo, 2 * RETRY - 1, &view);
	EXPECT_EQ(view.sent, RING);
	EXPECT_EQ(view.queued, RING);
	smcr_failover_tx_clip(&fo, 2 * RETRY, &view);
	EXPECT_EQ(view.queued, 120);
	/* A byte beyond the mark shows that the writes before it have arrived */
	fo = sender(3);
	move(&fo, 0, 30);
	post_f(&fo, 0);
	smcr_failover_tx_replayed(&fo, 30);
	smcr_failover_tx_consumed(&fo, 40);
	m = moving(40, 120);
	smcr_failover_tx_move(&fo, &m);
	EXPECT_EQ(fo.cap, 40 + RING);
}

/* A link that died before F went over it does not count as one between */
static void cap_unused_link(void)
{
	struct smcr_failover_tx fo = sender(3);

	move(&fo, 10, 30);
	move(&fo, 10, 30);
	post_f(&fo, 10);
	smcr_failover_tx_replayed(&fo, 30);
	smcr_failover_tx_consumed(&fo, 31);
	EXPECT_EQ(limit(&fo, 31, 0), 1ULL << 40);
}

/* All messages are confirmed, so the peer does not drain the old link. It may
 * hold writes of a chain that was posted in part
 */
static void cap_part(void)
{
	struct smcr_failover_tx fo = sender(9);

	smcr_failover_tx_done(&fo, 9, 30, true);
	smcr_failover_tx_part(&fo, 50);
	EXPECT(!move(&fo, 30, 30));
	post_f(&fo, 30);
	smcr_failover_tx_consumed(&fo, 31);
	EXPECT_EQ(limit(&fo, 31, RETRY - 1), 30 + RING);
	EXPECT_EQ(limit(&fo, 31, RETRY), 1ULL << 40);
	/* It is about that link alone */
	move(&fo, 40, 40);
	EXPECT_EQ(fo.cap, SMCR_FAILOVER_OPEN);
	/* A part of a replay is below the mark, and lies behind what is known */
	move(&fo, 40, 60);
	post_f(&fo, 40);
	smcr_failover_tx_part(&fo, 50);
	move(&fo, 40, 60);
	EXPECT_EQ(fo.cap, 40 + RING);
}

/* The peer has handled nothing yet and does not know the link, so it would not
 * drain it
 */
static void cap_first_message(void)
{
	struct smcr_failover_tx fo;

	smcr_failover_tx_init(&fo, false);
	move(&fo, 0, 30);
	post_f(&fo, 0);
	smcr_failover_tx_replayed(&fo, 30);
	smcr_failover_tx_consumed(&fo, 31);
	EXPECT_EQ(limit(&fo, 31, RETRY - 1), RING);
	EXPECT_EQ(limit(&fo, 31, RETRY), 1ULL << 40);
	/* one answer settles it */
	smcr_failover_tx_init(&fo, false);
	smcr_failover_tx_consumed(&fo, 0);
	EXPECT(!fo.settled);
	smcr_failover_tx_consumed(&fo, 1);
	EXPECT(fo.settled);
}

static void quiet(void)
{
	struct smcr_failover_tx fo = sender(8);

	EXPECT(!smcr_failover_tx_quiet(&fo, 9));
	smcr_failover_tx_done(&fo, 9, 0, true);
	EXPECT(smcr_failover_tx_quiet(&fo, 9));
	move(&fo, 10, 30);
	EXPECT(!smcr_failover_tx_quiet(&fo, 9));
	post_f(&fo, 10);
	EXPECT(!smcr_failover_tx_quiet(&fo, 9));
	smcr_failover_tx_replayed(&fo, 30);
	EXPECT(smcr_failover_tx_quiet(&fo, 9));
}

static struct smcr_cdc_msg message(u16 seq, u16 flags)
{
	return (struct smcr_cdc_msg){
		.seq = seq, .flags = flags, .prod = { .off = 4U + seq % 50 },
	};
}

static int recv_at(struct smcr_failover_rx *fo, u16 sr, u8 link, u16 seq, u16 flags)
{
	struct smcr_cdc_msg msg = message(seq, flags);
	struct smcr_cdc_rx rx = { .seq = sr };

	return (int)smcr_failover_rx_recv(fo, &rx, link, &msg, false, RETRY);
}

static int step_at(struct smcr_failover_rx *fo, u16 sr, u64 now)
{
	struct smcr_cdc_rx rx = { .seq = sr };
	struct smcr_cdc_msg msg;

	return (int)smcr_failover_rx_step(fo, &rx, now, false, 0, &msg);
}

/* The same two in a group with another link */
static int recv_among(struct smcr_failover_rx *fo, u16 sr, u8 link, u16 seq, u16 flags)
{
	struct smcr_cdc_msg msg = message(seq, flags);
	struct smcr_cdc_rx rx = { .seq = sr };

	return (int)smcr_failover_rx_recv(fo, &rx, link, &msg, true, RETRY);
}

static int step_among(struct smcr_failover_rx *fo, u16 sr, u64 now)
{
	struct smcr_cdc_rx rx = { .seq = sr };
	struct smcr_cdc_msg msg;

	return (int)smcr_failover_rx_step(fo, &rx, now, false, 2, &msg);
}

/* A receiver that got its last message over link 0 */
static struct smcr_failover_rx receiver(void)
{
	struct smcr_failover_rx fo;

	smcr_failover_rx_init(&fo, 0);
	return fo;
}

static void without_f(void)
{
	struct smcr_failover_rx fo = receiver();

	EXPECT_EQ(step_at(&fo, 5, 0), SMCR_FAILOVER_NONE);
	EXPECT_EQ(recv_at(&fo, 5, 0, 6, 0), SMCR_FAILOVER_HANDLE);
	EXPECT_EQ(recv_at(&fo, 5, 0, 9, 0), SMCR_FAILOVER_HANDLE);
	EXPECT_EQ(recv_at(&fo, 5, 1, 4, 0), SMCR_FAILOVER_IGNORE);
	EXPECT_EQ(recv_at(&fo, 5, 1, 5, 0), SMCR_FAILOVER_IGNORE);
	EXPECT_EQ(recv_at(&fo, 5, 1, 6, 0), SMCR_FAILOVER_HANDLE_NEW);
	EXPECT_EQ(recv_at(&fo, 5, 1, 7, 0), SMCR_FAILOVER_LOST);
	EXPECT_EQ(recv_at(&fo, 0xFFFF, 1, 0, 0), SMCR_FAILOVER_HANDLE_NEW);
	EXPECT_EQ(recv_at(&fo, 0xFFFF, 1, 1, 0), SMCR_FAILOVER_LOST);
	smcr_failover_rx_accepted(&fo, 1);
	EXPECT_EQ(recv_at(&fo, 6, 1, 9, 0), SMCR_FAILOVER_HANDLE);
	EXPECT_EQ(recv_at(&fo, 6, 0, 6, 0), SMCR_FAILOVER_IGNORE);
}

/* A Linux peer sends no F for a half-closed connection */
static void without_f_linux(void)
{
	static const struct smcr_ring ring = { .len = 16384 };
	struct smcr_cdc_rx rx = { .seq = 5, .prod = 3 * 16384 + 10 };
	struct smcr_cdc_msg msg = { .seq = 9, .prod = { .wrap = 3, .off = 10 } };
	struct smcr_failover_rx fo = receiver();

	EXPECT_EQ((int)smcr_failover_rx_recv(&fo, &rx, 1, &msg, true, RETRY),
		  SMCR_FAILOVER_LOST);
	smcr_failover_rx_linux(&fo, &ring);
	EXPECT_EQ((int)smcr_failover_rx_recv(&fo, &rx, 1, &msg, true, RETRY),
		  SMCR_FAILOVER_HANDLE_NEW);
	msg.prod.off = 11;
	EXPECT_EQ((int)smcr_failover_rx_recv(&fo, &rx, 1, &msg, true, RETRY),
		  SMCR_FAILOVER_LOST);
	msg.prod.off = 10;
	msg.prod.wrap = 4;
	EXPECT_EQ((int)smcr_failover_rx_recv(&fo, &rx, 1, &msg, true, RETRY),
		  SMCR_FAILOVER_LOST);
	msg.prod.wrap = 3;
	msg.seq = 5;
	EXPECT_EQ((int)smcr_failover_rx_recv(&fo, &rx, 1, &msg, true, RETRY),
		  SMCR_FAILOVER_IGNORE);
	/* Not while another move is validated */
	EXPECT_EQ(recv_at(&fo, 5, 2, 5, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	msg.seq = 9;
	EXPECT_EQ((int)smcr_failover_rx_recv(&fo, &rx, 1, &msg, true, RETRY),
		  SMCR_FAILOVER_LOST);
}

static void first_ever(void)
{
	struct smcr_failover_rx fo;

	smcr_failover_rx_init(&fo, SMCR_FAILOVER_NO_LINK);
	EXPECT_EQ(recv_at(&fo, 0, 3, 2, 0), SMCR_FAILOVER_LOST);
	EXPECT_EQ(recv_at(&fo, 0, 3, 1, 0), SMCR_FAILOVER_HANDLE_NEW);
	EXPECT_EQ(recv_at(&fo, 0, 3, 0, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_at(&fo, 0, RETRY - 1), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(step_at(&fo, 0, RETRY), SMCR_FAILOVER_VALID);
	EXPECT_EQ(recv_at(&fo, 0, 3, 2, 0), SMCR_FAILOVER_HANDLE);
}

/* After the drain SR decides */
static void after_drain(void)
{
	static const struct {
		u16 sr, f;
		int step;
	} rows[] = {
		{ 5, 4, SMCR_FAILOVER_TAKE },
		{ 5, 5, SMCR_FAILOVER_TAKE },
		{ 5, 6, SMCR_FAILOVER_RESET },
		{ 0xFFFF, 0xFFFF, SMCR_FAILOVER_TAKE },
		{ 0xFFFF, 0, SMCR_FAILOVER_RESET },
		{ 0, 0xFFFF, SMCR_FAILOVER_TAKE },
		{ 0x7000, 1, SMCR_FAILOVER_TAKE },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct smcr_failover_rx fo = receiver();

		EXPECT_EQ(recv_at(&fo, rows[i].sr, 1, rows[i].f, SMCR_CDC_F),
			  SMCR_FAILOVER_PARKED);
		EXPECT_EQ(recv_at(&fo, rows[i].sr, 1, rows[i].sr + 3, 0), SMCR_FAILOVER_PARKED);
		EXPECT_EQ(step_at(&fo, rows[i].sr, 0), SMCR_FAILOVER_DRAIN);
		smcr_failover_rx_drained(&fo, 2);
		EXPECT_EQ(step_at(&fo, rows[i].sr, 0), SMCR_FAILOVER_DRAIN);
		smcr_failover_rx_drained(&fo, 0);
		EXPECT_EQ(step_at(&fo, rows[i].sr, 0), rows[i].step);
	}
}

/* Messages of the old link that were on their way count before SR is judged */
static void late_messages(void)
{
	struct smcr_failover_rx fo = receiver();

	EXPECT_EQ(recv_at(&fo, 4, 1, 6, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(recv_at(&fo, 4, 1, 9, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(recv_at(&fo, 4, 0, 5, 0), SMCR_FAILOVER_HANDLE);
	EXPECT_EQ(recv_at(&fo, 5, 0, 6, 0), SMCR_FAILOVER_HANDLE);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(step_at(&fo, 6, 0), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(step_at(&fo, 9, 0), SMCR_FAILOVER_NONE);
	EXPECT_EQ(recv_at(&fo, 9, 1, 12, 0), SMCR_FAILOVER_HANDLE);
}

/* Rebalancing: the old link stays */
static void without_drain(void)
{
	struct smcr_failover_rx fo = receiver();

	recv_at(&fo, 4, 1, 5, SMCR_CDC_F);
	EXPECT_EQ(step_at(&fo, 4, 0), SMCR_FAILOVER_WAIT);
	recv_at(&fo, 4, 1, 6, 0);
	EXPECT_EQ(step_at(&fo, 4, 0), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(step_at(&fo, 5, 0), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(fo.link, 1);
	/* one message was outstanding */
	recv_at(&fo, 6, 0, 6, SMCR_CDC_F);
	EXPECT_EQ(step_at(&fo, 6, 0), SMCR_FAILOVER_WAIT);
	recv_at(&fo, 6, 0, 8, 0);
	EXPECT_EQ(step_at(&fo, 6, 0), SMCR_FAILOVER_DRAIN);
}

static void deadline(void)
{
	struct smcr_failover_rx fo = receiver();

	/* all that F confirms has come: nothing waits any more */
	recv_at(&fo, 5, 1, 5, SMCR_CDC_F);
	EXPECT_EQ(step_at(&fo, 5, RETRY - 1), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(step_at(&fo, 5, RETRY), SMCR_FAILOVER_VALID);
	EXPECT_EQ(step_at(&fo, 5, RETRY), SMCR_FAILOVER_NONE);
	EXPECT_EQ(fo.link, 0);
	/* a message is missing, which the old link may have */
	fo = receiver();
	recv_at(&fo, 5, 1, 6, SMCR_CDC_F);
	EXPECT_EQ(step_at(&fo, 5, RETRY - 1), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(step_at(&fo, 5, RETRY), SMCR_FAILOVER_DRAIN);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(step_at(&fo, 5, RETRY), SMCR_FAILOVER_RESET);
	/* more than F says has arrived: at once */
	fo = receiver();
	recv_at(&fo, 6, 1, 5, SMCR_CDC_F);
	EXPECT_EQ(step_at(&fo, 6, 0), SMCR_FAILOVER_WAIT);
	recv_at(&fo, 6, 1, 7, 0);
	EXPECT_EQ(step_at(&fo, 6, 0), SMCR_FAILOVER_DRAIN);
}

/* A receiver that has put an F of link 1 aside, which confirms message 5 */
static struct smcr_failover_rx with_bare_f(void)
{
	struct smcr_failover_rx fo = receiver();

	recv_among(&fo, 5, 1, 5, SMCR_CDC_F);
	EXPECT_EQ(step_among(&fo, 5, RETRY), SMCR_FAILOVER_VALID);
	EXPECT_EQ(fo.nr, 0);
	return fo;
}

/* The peer's new link failed before its first message arrived, and the peer is
 * back on the old one, which must stay
 */
static void stale_f(void)
{
	struct smcr_failover_rx fo = receiver();

	recv_among(&fo, 5, 1, 5, SMCR_CDC_F);
	recv_among(&fo, 5, 0, 5, SMCR_CDC_F);
	recv_among(&fo, 5, 0, 7, 0);
	EXPECT_EQ(step_among(&fo, 5, 0), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(fo.link, 0);
	EXPECT_EQ(step_among(&fo, 7, RETRY - 1), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(step_among(&fo, 7, RETRY), SMCR_FAILOVER_VALID);
	EXPECT_EQ(step_among(&fo, 7, RETRY), SMCR_FAILOVER_NONE);
	EXPECT_EQ(recv_among(&fo, 7, 0, 9, 0), SMCR_FAILOVER_HANDLE);
	/* what the lost link had is old */
	EXPECT_EQ(recv_among(&fo, 9, 1, 6, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 9, RETRY), SMCR_FAILOVER_VALID);
	EXPECT_EQ(step_among(&fo, 9, RETRY), SMCR_FAILOVER_NONE);
	EXPECT_EQ(fo.link, 0);
	EXPECT_EQ(fo.bare, 0);
}

/* The message behind an F that was put aside begins the move after all */
static void late_first(void)
{
	struct smcr_failover_rx fo = with_bare_f();

	EXPECT_EQ(recv_among(&fo, 5, 0, 6, 0), SMCR_FAILOVER_HANDLE);
	EXPECT_EQ(recv_among(&fo, 6, 1, 8, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(fo.bare, 0);
	EXPECT_EQ(step_among(&fo, 6, RETRY), SMCR_FAILOVER_DRAIN);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(step_among(&fo, 6, RETRY), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(fo.link, 1);
	/* nothing was outstanding */
	fo = with_bare_f();
	EXPECT_EQ(recv_among(&fo, 5, 1, 6, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 5, RETRY), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(fo.link, 1);
	/* another F takes its place */
	fo = with_bare_f();
	EXPECT_EQ(recv_among(&fo, 6, 1, 6, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(fo.bare, 0);
	EXPECT_EQ(recv_among(&fo, 6, 1, 7, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 6, 0), SMCR_FAILOVER_TAKE);
	/* the slot belongs to another link */
	fo = with_bare_f();
	smcr_failover_rx_drained(&fo, 1);
	EXPECT_EQ(recv_among(&fo, 5, 1, 7, 0), SMCR_FAILOVER_LOST);
}

static void newest_kept(void)
{
	struct smcr_failover_rx fo = receiver();
	struct smcr_cdc_rx rx = { .seq = 5 };
	struct smcr_cdc_msg msg;

	recv_at(&fo, 5, 1, 5, SMCR_CDC_F);
	EXPECT_EQ(recv_at(&fo, 5, 1, 5, 0), SMCR_FAILOVER_IGNORE);
	EXPECT_EQ(recv_at(&fo, 5, 1, 7, SMCR_CDC_R | SMCR_CDC_B), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(recv_at(&fo, 5, 1, 7, SMCR_CDC_A), SMCR_FAILOVER_IGNORE);
	EXPECT_EQ(recv_at(&fo, 5, 1, 8, SMCR_CDC_C), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(recv_at(&fo, 5, 1, 9, 0), SMCR_FAILOVER_IGNORE);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, false, 0, &msg), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(msg.seq, 8);
	EXPECT_EQ(msg.prod.off, 4 + 8);
	EXPECT_EQ(msg.flags, SMCR_CDC_R | SMCR_CDC_C);
}

static void data_after_done(void)
{
	struct smcr_failover_rx fo = receiver();

	recv_at(&fo, 5, 1, 5, SMCR_CDC_F);
	recv_at(&fo, 5, 1, 7, SMCR_CDC_D);
	recv_at(&fo, 5, 1, 8, SMCR_CDC_D);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(step_at(&fo, 5, 0), SMCR_FAILOVER_RESET);
	/* the same position is no data */
	fo = receiver();
	recv_at(&fo, 5, 1, 5, SMCR_CDC_F);
	recv_at(&fo, 5, 1, 7, SMCR_CDC_D);
	recv_at(&fo, 5, 1, 57, SMCR_CDC_D);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(step_at(&fo, 5, 0), SMCR_FAILOVER_TAKE);
}

/* A Linux peer that exits writes bytes behind its D and C */
static void data_after_early_end(void)
{
	struct smcr_ring ring = smcr_cursor_ring(65536, SMCR_DIALECT_LINUX);
	struct smcr_cdc_rx rx = { .seq = 5 };
	struct smcr_failover_rx fo = receiver();
	struct smcr_cdc_msg msg;

	smcr_failover_rx_linux(&fo, &ring);
	recv_at(&fo, 5, 1, 5, SMCR_CDC_F);
	recv_at(&fo, 5, 1, 7, SMCR_CDC_D);
	recv_at(&fo, 5, 1, 8, SMCR_CDC_D | SMCR_CDC_C);
	EXPECT_EQ(recv_at(&fo, 5, 1, 9, SMCR_CDC_D | SMCR_CDC_C), SMCR_FAILOVER_PARKED);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, false, 0, &msg), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(msg.seq, 9);
	EXPECT_EQ(msg.prod.off, 4 + 9);
	EXPECT_EQ(msg.flags, SMCR_CDC_D | SMCR_CDC_C);
}

static void f_on_same_link(void)
{
	struct smcr_failover_rx fo = receiver();

	EXPECT_EQ(recv_at(&fo, 5, 0, 5, SMCR_CDC_F), SMCR_FAILOVER_IGNORE);
	EXPECT_EQ(recv_at(&fo, 5, 0, 6, SMCR_CDC_F), SMCR_FAILOVER_LOST);
}

/* The peer was on link 1 and is back on link 0, and what it sent over link 1 is
 * handled last
 */
static void there_and_back(void)
{
	struct smcr_failover_rx fo = receiver();

	EXPECT_EQ(recv_among(&fo, 8, 0, 10, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 8, 0), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(recv_among(&fo, 8, 0, 13, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 8, 0), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(recv_among(&fo, 8, 1, 8, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 8, 0), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(recv_among(&fo, 8, 1, 9, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 8, 0), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(fo.link, 1);
	EXPECT_EQ(step_among(&fo, 9, 0), SMCR_FAILOVER_DRAIN);
	EXPECT_EQ(recv_among(&fo, 9, 1, 10, 0), SMCR_FAILOVER_HANDLE);
	smcr_failover_rx_drained(&fo, 1);
	EXPECT_EQ(step_among(&fo, 10, 0), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(fo.link, 0);
	EXPECT_EQ(step_among(&fo, 13, 0), SMCR_FAILOVER_NONE);
}

/* A message of link 1 that arrived without being confirmed is handled between
 * the F and the next message of link 0
 */
static void back_unconfirmed(void)
{
	struct smcr_failover_rx fo = receiver();

	EXPECT_EQ(recv_among(&fo, 8, 0, 8, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 8, 0), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(recv_among(&fo, 8, 1, 8, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(recv_among(&fo, 8, 1, 9, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 8, 0), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(step_among(&fo, 9, 0), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(recv_among(&fo, 9, 0, 11, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 9, 0), SMCR_FAILOVER_DRAIN);
	smcr_failover_rx_drained(&fo, 1);
	EXPECT_EQ(step_among(&fo, 9, 0), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(fo.link, 0);
}

/* The same F is a lie if nothing comes, and no message behind it counts */
static void back_and_lied(void)
{
	struct smcr_failover_rx fo = receiver();

	EXPECT_EQ(recv_among(&fo, 8, 0, 9, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(recv_among(&fo, 8, 0, 10, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 8, RETRY - 1), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(step_among(&fo, 8, RETRY), SMCR_FAILOVER_RESET);
	/* Nothing is missing: the next message decides, or the deadline */
	fo = receiver();
	EXPECT_EQ(recv_among(&fo, 8, 0, 8, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 8, RETRY), SMCR_FAILOVER_VALID);
	EXPECT_EQ(recv_among(&fo, 8, 0, 8, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(recv_among(&fo, 8, 0, 9, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 8, 0), SMCR_FAILOVER_TAKE);
	/* A message newer than F was handled: there is nothing to wait for */
	EXPECT_EQ(recv_among(&fo, 9, 0, 8, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 9, 0), SMCR_FAILOVER_VALID);
}

/* The old link is drained, and what F confirms is on its way over a third one */
static void third_link(void)
{
	struct smcr_failover_rx fo = receiver();

	EXPECT_EQ(recv_among(&fo, 8, 2, 10, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(recv_among(&fo, 8, 2, 12, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 8, 0), SMCR_FAILOVER_DRAIN);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(step_among(&fo, 8, 0), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(step_among(&fo, 8, RETRY), SMCR_FAILOVER_RESET);
	EXPECT_EQ(step_at(&fo, 8, 0), SMCR_FAILOVER_RESET);
	EXPECT_EQ(recv_among(&fo, 8, 1, 8, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(recv_among(&fo, 8, 1, 10, 0), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(step_among(&fo, 8, 0), SMCR_FAILOVER_TAKE);
}

/* The link to drain may be one whose messages are not handled yet. The one that
 * was left on purpose is in order.
 */
static void third_link_first(void)
{
	struct smcr_failover_rx fo = receiver();
	struct smcr_cdc_rx rx = { .seq = 5 };
	struct smcr_cdc_msg msg;

	recv_among(&fo, 5, 2, 6, SMCR_CDC_F);
	recv_among(&fo, 5, 2, 9, 0);
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, false, 3, &msg), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, true, 2, &msg), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, RETRY, false, 3, &msg), SMCR_FAILOVER_DRAIN);
	recv_among(&fo, 5, 1, 5, SMCR_CDC_F);
	recv_among(&fo, 5, 1, 6, 0);
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, false, 3, &msg), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(fo.link, 1);
	/* F's messages have come over link 1, and one behind them is missing */
	rx.seq = 6;
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, false, 3, &msg), SMCR_FAILOVER_DRAIN);
}

/* No message counts after C or A, so SR does not grow any more */
static void after_close(void)
{
	struct smcr_failover_rx fo = receiver();
	struct smcr_cdc_rx rx = { .seq = 5, .flags = SMCR_CDC_C };
	struct smcr_cdc_msg msg = message(9, SMCR_CDC_F);

	EXPECT_EQ(smcr_failover_rx_recv(&fo, &rx, 1, &msg, false, 0), SMCR_FAILOVER_IGNORE);
	rx.flags = SMCR_CDC_D;
	EXPECT_EQ(smcr_failover_rx_recv(&fo, &rx, 1, &msg, false, 0), SMCR_FAILOVER_PARKED);
	rx.flags = SMCR_CDC_D | SMCR_CDC_A;
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, false, 0, &msg), SMCR_FAILOVER_NONE);
	EXPECT_EQ(fo.nr, 0);
}

/* Two moves in a row, each link drained in turn, a slot reused in between */
static void two_moves(void)
{
	struct smcr_failover_rx fo = receiver();
	struct smcr_cdc_rx rx = { .seq = 5 };
	struct smcr_cdc_msg msg;

	recv_at(&fo, 5, 1, 4, SMCR_CDC_F);
	recv_at(&fo, 5, 1, 7, 0);
	recv_at(&fo, 5, 2, 7, SMCR_CDC_F);
	recv_at(&fo, 5, 2, 10, 0);
	recv_at(&fo, 5, 1, 8, 0);
	smcr_failover_rx_drained(&fo, 1);
	EXPECT_EQ(recv_at(&fo, 5, 1, 11, 0), SMCR_FAILOVER_LOST);
	EXPECT_EQ(step_at(&fo, 5, 0), SMCR_FAILOVER_DRAIN);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, false, 0, &msg), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(msg.seq, 8);
	EXPECT_EQ(fo.link, SMCR_FAILOVER_NO_LINK);
	rx.seq = 8;
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, false, 0, &msg), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(msg.seq, 10);
	EXPECT_EQ(fo.link, 2);
}

/* Links are not ordered among each other */
static void overtaken(void)
{
	struct smcr_failover_rx fo = receiver();
	struct smcr_cdc_rx rx = { .seq = 9 };
	struct smcr_cdc_msg msg;

	recv_at(&fo, 9, 2, 12, SMCR_CDC_F);
	recv_at(&fo, 9, 1, 9, SMCR_CDC_F);
	recv_at(&fo, 9, 1, 12, 0);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, false, 0, &msg), SMCR_FAILOVER_TAKE);
	EXPECT_EQ(msg.seq, 12);
	EXPECT_EQ(fo.link, 1);
	/* the link between is failing, and nothing of it was handled yet */
	fo = receiver();
	recv_at(&fo, 9, 2, 12, SMCR_CDC_F);
	recv_at(&fo, 9, 2, 15, 0);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, true, 0, &msg), SMCR_FAILOVER_WAIT);
	EXPECT_EQ(smcr_failover_rx_step(&fo, &rx, 0, false, 0, &msg), SMCR_FAILOVER_RESET);
}

static void move_bound(void)
{
	struct smcr_failover_rx fo = receiver();
	u8 i;

	for (i = 1; i <= SMCR_FAILOVER_MOVES; i++)
		EXPECT_EQ(recv_at(&fo, 5, i, 4, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
	EXPECT_EQ(recv_at(&fo, 5, i, 4, SMCR_CDC_F), SMCR_FAILOVER_OVERFLOW);
	EXPECT_EQ(recv_at(&fo, 5, i, 6, 0), SMCR_FAILOVER_LOST);
	smcr_failover_rx_drained(&fo, 0);
	EXPECT_EQ(step_at(&fo, 5, RETRY), SMCR_FAILOVER_VALID);
	EXPECT_EQ(recv_at(&fo, 5, i, 4, SMCR_CDC_F), SMCR_FAILOVER_PARKED);
}

static void pick(void)
{
	struct smcr_failover_link l[] = {
		{ .slot = 0, .complete = true },
		{ .slot = 1, .active = true },
		{ .slot = 2, .active = true, .complete = true, .asymmetric = true },
		{ .slot = 3, .active = true, .complete = true, .nr_conns = 9 },
		{ .slot = 4, .active = true, .complete = true, .nr_conns = 8 },
		{ .slot = 5, .active = true, .complete = true, .nr_conns = 8 },
	};

	EXPECT_EQ(smcr_failover_pick(l, 0), -ENOLINK);
	EXPECT_EQ(smcr_failover_pick(l, 2), -ENOLINK);
	EXPECT_EQ(smcr_failover_pick(l, 3), 2);
	EXPECT_EQ(smcr_failover_pick(l, 4), 3);
	EXPECT_EQ(smcr_failover_pick(l, 5), 4);
	EXPECT_EQ(smcr_failover_pick(l, 6), 4);
	l[2].back = true;
	EXPECT_EQ(smcr_failover_pick(l, 6), 2);
	l[2].complete = false;
	EXPECT_EQ(smcr_failover_pick(l, 6), 4);
}

/* The link that was left in order, until another one has confirmed a message */
static void way_back(void)
{
	struct smcr_failover_tx fo = sender(9);
	struct smcr_failover_move m = moving(5, 5);

	EXPECT_EQ(fo.back, SMCR_FAILOVER_NO_LINK);
	m.in_order = 2;
	smcr_failover_tx_move(&fo, &m);
	EXPECT_EQ(fo.back, 2);
	/* The new link fails, before or after F */
	m.in_order = SMCR_FAILOVER_NO_LINK;
	smcr_failover_tx_move(&fo, &m);
	EXPECT_EQ(fo.back, 2);
	post_f(&fo, 5);
	smcr_failover_tx_move(&fo, &m);
	EXPECT_EQ(fo.back, 2);
	post_f(&fo, 5);
	/* A completion of what was confirmed before, then of a new message */
	smcr_failover_tx_done(&fo, 9, 5, true);
	EXPECT_EQ(fo.back, 2);
	smcr_failover_tx_done(&fo, 10, 5, true);
	EXPECT_EQ(fo.back, SMCR_FAILOVER_NO_LINK);
}

/* After the drain at this end, only packets on their way count */
static void cap_drained(void)
{
	struct smcr_failover_tx fo = sender(3);

	move(&fo, 10, 30);
	post_f(&fo, 10);
	smcr_failover_tx_replayed(&fo, 30);
	smcr_failover_tx_drained(&fo, RETRY / 4);
	EXPECT_EQ(limit(&fo, 30, RETRY / 4 - 1), 10 + RING);
	EXPECT_EQ(limit(&fo, 30, RETRY / 4), 1ULL << 40);
	move(&fo, 40, 50);
	post_f(&fo, 40);
	smcr_failover_tx_replayed(&fo, 50);
	smcr_failover_tx_drained(&fo, fo.until + 1);
	EXPECT_EQ(limit(&fo, 50, fo.until - 1), 40 + RING);
}

static const struct fact facts[] = {
	{ "completions set SS, in serial arithmetic; the peer's cursor does not", ss_rule },
	{ "a late completion of a link that was left counts only until F is posted", ss_late },
	{ "F carries the token and SS, and no cursor", f_message },
	{ "a move sends F, then the bytes that are not complete, then new ones", replay_order },
	{ "a replay does not read send space that was returned", replay_skips },
	{ "a move with all complete, or after A, replays nothing", no_replay },
	{ "the ring opens once the peer has read a byte announced behind F", cap_opens },
	{ "a ring that was full at the move opens after the retry time", cap_full_ring },
	{ "a replay writes to the last byte of a ring that was full", replay_full_ring },
	{ "a drain at this end brings that time forward, and never back", cap_drained },
	{ "a second move keeps the lower cap, and only time lifts it", cap_second_move },
	{ "a cursor that an earlier link's copy explains does not raise the cap", cap_read_twice },
	{ "a link over which nothing went does not count as a move", cap_unused_link },
	{ "after a chain that was posted in part, only time lifts the cap", cap_part },
	{ "on a link that the peer cannot know, only time lifts the cap", cap_first_message },
	{ "a sender is quiet when its last message is confirmed", quiet },
	{ "without F, a message on a new link must be SR + 1", without_f },
	{ "or announce no byte, if the peer is Linux", without_f_linux },
	{ "without a known link, the first message and F may come over any", first_ever },
	{ "after the drain, SR below F resets, SR at or above it goes on", after_drain },
	{ "messages of the old link count until it is drained", late_messages },
	{ "no drain is needed where nothing was outstanding", without_drain },
	{ "a move that no message follows holds nothing back after its deadline", deadline },
	{ "an F that a later move made stale drains no link", stale_f },
	{ "a message behind an F that was put aside begins the move", late_first },
	{ "of the messages behind F the newest is kept, with D, C, A and R of all", newest_kept },
	{ "data after D behind F resets", data_after_done },
	{ "data after the early D and C of a Linux peer counts", data_after_early_end },
	{ "F over the only link compares at once", f_on_same_link },
	{ "F over the present link waits for a link between", there_and_back },
	{ "so does an F that confirms nothing of that link", back_unconfirmed },
	{ "F over the present link that is not true resets in time", back_and_lied },
	{ "what F confirms may be on its way over a third link", third_link },
	{ "F drains the link of the messages before it", third_link_first },
	{ "after the peer's C or A, no F is compared", after_close },
	{ "two moves are validated in turn, and a reused slot is another link", two_moves },
	{ "moves are validated in the order of SS, and wait for failing links", overtaken },
	{ "a fourth move that waits is an overflow", move_bound },
	{ "a link is picked by state, RTokens, symmetry and load", pick },
	{ "a link that was left in order is the way back", way_back },
};

PROVE(facts, NULL);
