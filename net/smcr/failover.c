// SPDX-License-Identifier: GPL-2.0
/*
 * How a connection moves to another link of its group (RFC 7609, 4.6). Each
 * end chooses the link of its own writes, so the two directions move
 * independently.
 *
 * Sender: when its link fails, or when the load is balanced anew,
 *
 *	Steady --move--> SendF --F posted--> Replay --mark reached--> Steady
 *	                   ^                    |
 *	                   +----next move-------+
 *
 *	         una             mark            una + ring
 *	----------|---------------|------------------|----------------
 *	  at the  | written over  | not yet written  | closed: a write
 *	  peer    | the old link; |                  | of the old link
 *	          | replay it     |                  | may hit this
 *
 * F carries SS, the sequence number of the last message that a completion
 * confirmed. The replay combines what was pending (4.6.2, second option): its
 * writes go without a CDC message until they reach mark, the producer position
 * at the move, and the first message after F has a new sequence number. One
 * message always follows F, because the old link may have lost cursors and
 * flags that no data would carry again.
 *
 * Packets of the old link may still arrive: the network delays them, and the
 * peer's queue pair accepts them until it is in ERR and drained. They repeat
 * bytes of [una, mark), so they are harmless until the ring is used again
 * there, that is, for positions of una + ring and beyond. The peer drains its
 * end before it handles F, but a write over the new link lands without its
 * software. So these positions stay closed until the peer has read a byte
 * beyond mark, which was announced only behind F, or until the packets have
 * died. Meanwhile each message asks for the peer's cursor (R). There is room
 * for a byte beyond mark, since the plan leaves the last byte of the ring free.
 * The peer's drain is that of the link from which it last handled a message. If
 * that need not be the link that died, only time opens the positions.
 *
 * Receiver: an F starts a stage,
 *
 *	Steady --F--> Validating --old link drained, SR >= F--> Steady
 *	                  |                                       ^
 *	                  +--SR == F, next message is SR + 1------+
 *	                  +--SR >= F, no message in time----------+
 *	                  +--old link drained, SR < F--> reset
 *
 * Messages of the new link wait meanwhile, and so does the credit for the
 * peer. The old link is drained before SR is compared, because messages that
 * its queue pair has received, and so acknowledged, may not be handled yet. If
 * they may have come over a third link, after a move that is not handled yet
 * either, the drain waits for them as well, so that it is that of this link. No
 * drain is needed if the first message behind F has the number after F's: then
 * nothing else was outstanding on the old link. Only the newest waiting message
 * is kept, with the lasting flags of all of them: cursors are absolute.
 *
 * An F without a message behind it may be stale: the peer's new link failed
 * before the message arrived, and the peer may be back on the old link, which
 * is in order. Nothing distinguishes this from a peer that has yet to send the
 * message. So when F has waited as long as a queue pair retries, and SR >= F,
 * F is put aside and no link is drained: the writes that were under way at the
 * move have landed or died by then. The next message of its link, if one comes,
 * begins the move.
 *
 * When the last link dies, each link is drained and each stage is decided
 * before the connection ends, so that final bytes behind an F are not lost.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "failover.h"

/**
 * smcr_failover_tx_init() - start a connection's send side
 * @fo: send side
 * @known: the connection begins on the link that the handshake named, which the
 *	peer drains first; otherwise only time opens the ring after a move that
 *	precedes the peer's first answer
 */
void smcr_failover_tx_init(struct smcr_failover_tx *fo, bool known)
{
	memset(fo, 0, sizeof(*fo));
	fo->cap = SMCR_FAILOVER_OPEN;
	fo->back = SMCR_FAILOVER_NO_LINK;
	fo->settled = known;
}

/**
 * smcr_failover_tx_done() - event: a completion confirmed a CDC message
 * @fo: send side
 * @seq: sequence number of the newest message that it confirms; a completion
 *	confirms all messages that were posted before on the same queue pair
 * @pos: position up to which the bytes have been written before that message
 * @present: it is a completion of the present link
 *
 * A completion of a link that the connection has left counts only until F is
 * posted. After that F cannot name it any more, and if the peer's adapter did
 * not store what it acknowledged, the peer could not find out, unless the bytes
 * are written again.
 *
 * The peer's consumer cursor may show that the peer has read bytes, but it does
 * not change SS: SS is what the peer's adapter acknowledged (4.6.1). Conversely
 * the bytes of a replayed write are complete only when a message behind them
 * is: if una went ahead of SS, F could not show that such a write was lost.
 *
 * Context: any, conn->lock held.
 * Return: true if the completion counts, so that the bytes before the message
 * are complete.
 */
bool smcr_failover_tx_done(struct smcr_failover_tx *fo, u16 seq, u64 pos,
			   bool present)
{
	if (!present && !fo->f_due)
		return false;
	if (present && fo->low < pos)
		fo->low = pos;
	if (smcr_seq_diff(seq, fo->ss) > 0) {
		fo->ss = seq;
		fo->back = SMCR_FAILOVER_NO_LINK;
	}
	return true;
}

/**
 * smcr_failover_tx_consumed() - event: the peer's consumer position came
 * @fo: send side
 * @cons: the position
 *
 * A position beyond the mark proves that the peer has handled F, and so has
 * drained the link from which it had handled a message last. The byte before it
 * was written on the present link only, so all writes before it have arrived.
 *
 * Context: any, conn->lock held.
 */
void smcr_failover_tx_consumed(struct smcr_failover_tx *fo, u64 cons)
{
	if (fo->f_due || cons <= fo->mark)
		return;
	fo->settled = true;
	if (fo->low < cons)
		fo->low = cons;
	if (!fo->blind)
		fo->cap = SMCR_FAILOVER_OPEN;
}

/**
 * smcr_failover_tx_part() - event: a chain of requests was posted in part
 * @fo: send side
 * @pos: position behind the last byte of the chain
 *
 * The link has failed, so smcr_failover_tx_move() or the end of the connection
 * follows. No message announces the bytes, and they count as not posted.
 *
 * Context: any, conn->lock held.
 */
void smcr_failover_tx_part(struct smcr_failover_tx *fo, u64 pos)
{
	fo->part = pos;
}

/**
 * smcr_failover_tx_move() - move the send side to another link
 * @fo: send side
 * @move: the connection now; its old link takes no work request any more
 *
 * A second move before the first one is settled keeps the lower cap, and then
 * only time lifts it: the peer may not know of the link between, and would not
 * drain it. A replay on that link may have written bytes that the peer had read
 * already, and these writes may be under way, so the cap follows from what is
 * known of the link, not from the peer's cursor. Bytes without a completion are
 * replayed, even those whose writes have arrived.
 *
 * Only time lifts the cap, too, if the old link failed within a chain: its
 * first writes may be under way, and the peer has all messages that precede F,
 * so it does not drain that link.
 *
 * Context: any, conn->lock held.
 * Return: true if a CDC message must follow F, to repeat flags and cursors that
 * are not known complete; false if the last message is confirmed. A caller that
 * has sent neither C nor A lets one follow in any case.
 */
bool smcr_failover_tx_move(struct smcr_failover_tx *fo,
			   const struct smcr_failover_move *move)
{
	bool capped = fo->cap != SMCR_FAILOVER_OPEN;
	u64 cap = fo->low + move->ring_len;
	bool part = fo->part > move->nxt;

	/* Nothing was posted on the last link if its F was not */
	if (fo->f_due)
		cap = SMCR_FAILOVER_OPEN;
	else
		fo->blind = !fo->settled || part || (capped && fo->blind);
	if ((!fo->f_due && fo->low < move->nxt) || part || capped) {
		if (cap < fo->cap)
			fo->cap = cap;
		fo->until = move->until;
	}
	if (move->in_order != SMCR_FAILOVER_NO_LINK)
		fo->back = move->in_order;
	fo->settled = false;
	fo->part = 0;
	fo->mark = move->nxt;
	fo->replay = move->silent ? move->nxt : move->una;
	fo->low = fo->replay;
	fo->f_due = true;
	return move->seq != fo->ss;
}

/**
 * smcr_failover_tx_drained() - event: all links that were left are drained
 * @fo: send side
 * @until: time at which no packet that was under way can arrive any more
 *
 * The local adapter repeats no write of such a link any more.
 *
 * Context: any, conn->lock held.
 */
void smcr_failover_tx_drained(struct smcr_failover_tx *fo, u64 until)
{
	if (fo->until > until)
		fo->until = until;
}

/**
 * smcr_failover_tx_act() - decide what the connection posts next
 * @fo: send side
 * @una: position up to which the peer's memory holds all bytes for good; send
 *	space below it is not read
 *
 * Context: any, conn->lock held.
 * Return: the act.
 */
enum smcr_failover_act smcr_failover_tx_act(struct smcr_failover_tx *fo,
					    u64 una)
{
	if (fo->f_due)
		return SMCR_FAILOVER_SEND_F;
	if (fo->replay >= fo->mark)
		return SMCR_FAILOVER_GO_ON;
	if (fo->replay < una)
		fo->replay = una;
	return fo->replay < fo->mark ? SMCR_FAILOVER_REPLAY :
				       SMCR_FAILOVER_GO_ON;
}

/**
 * smcr_failover_tx_f() - make the failover validation message
 * @fo: send side; once the message is posted, the caller clears @fo->f_due
 * @token: alert token of the connection at the peer
 * @msg: result; only token, sequence number and F are valid (A.4)
 *
 * F has no sequence number of its own.
 */
void smcr_failover_tx_f(const struct smcr_failover_tx *fo, u32 token,
			struct smcr_cdc_msg *msg)
{
	memset(msg, 0, sizeof(*msg));
	msg->seq = fo->ss;
	msg->alert_token = token;
	msg->flags = SMCR_CDC_F;
}

/**
 * smcr_failover_tx_clip() - limit the next plan of writes
 * @fo: send side
 * @now: the time
 * @view: what smcr_tx_plan() will plan for. During a replay @view becomes the
 *	bytes to replay. They fit in the peer's window, but they may need all
 *	of it: they may have been written before the group had a second link,
 *	when no byte was left unused. Bytes that may hit a late write of a dead
 *	link are left out; during a replay, too, they wait until
 *	smcr_failover_tx.until
 *
 * Context: any, conn->lock held.
 */
void smcr_failover_tx_clip(struct smcr_failover_tx *fo, u64 now,
			   struct smcr_tx_view *view)
{
	if (fo->replay < fo->mark) {
		view->sent = fo->replay;
		view->queued = fo->mark;
		view->urgent = 0;
		view->spare = false;
		view->keep = false;
	}
	if (fo->cap == SMCR_FAILOVER_OPEN)
		return;
	if (now >= fo->until) {
		fo->cap = SMCR_FAILOVER_OPEN;
		fo->blind = false;
		return;
	}
	if (view->queued > fo->cap)
		view->queued = fo->cap > view->sent ? fo->cap : view->sent;
}

/**
 * smcr_failover_tx_replayed() - event: writes of the replay were posted
 * @fo: send side
 * @pos: position after the last byte written
 *
 * Context: any, conn->lock held.
 */
void smcr_failover_tx_replayed(struct smcr_failover_tx *fo, u64 pos)
{
	fo->replay = pos;
}

/**
 * smcr_failover_tx_silence() - event: no byte may be written any more
 * @fo: send side of a connection that sent A, whose peer sent C or A, or whose
 *	element at the peer serves another connection
 *
 * The peer may have returned the element, so a replay must not go on. A CDC
 * message then announces bytes that were not repeated. That is harmless to a
 * peer that has closed, and to one that does not expose what comes with A:
 * neither the bytes, nor a D as the end of the stream. But a connection that is
 * reset after its C can send no A. It must not move, and must post nothing,
 * since the peer would read these bytes: TCP's RST tells the peer.
 *
 * Context: any, conn->lock held.
 */
void smcr_failover_tx_silence(struct smcr_failover_tx *fo)
{
	if (fo->replay < fo->mark)
		fo->replay = fo->mark;
}

/**
 * smcr_failover_tx_quiet() - test whether no write can be repeated any more
 * @fo: send side
 * @seq: sequence number of the last CDC message
 *
 * An end that has sent C may have to replay its last bytes, although the peer
 * has handled this C over the old link, has sent its own C, and is done with
 * the element. So an end sends TCP's FIN only when it is quiet, and an element
 * serves another connection only after the peer's FIN, or after a quarantine
 * that is longer than the peer's retries.
 *
 * Context: any, conn->lock held.
 * Return: true if all messages, and so the writes before them, are confirmed.
 */
bool smcr_failover_tx_quiet(const struct smcr_failover_tx *fo, u16 seq)
{
	return !fo->f_due && fo->replay >= fo->mark && fo->ss == seq;
}

/**
 * smcr_failover_rx_init() - start a connection's receive side
 * @fo: receive side
 * @link: slot of the link that the handshake named, or %SMCR_FAILOVER_NO_LINK
 */
void smcr_failover_rx_init(struct smcr_failover_rx *fo, u8 link)
{
	memset(fo, 0, sizeof(*fo));
	fo->link = link;
}

/**
 * smcr_failover_rx_linux() - the peer is a Linux host
 * @fo: receive side
 * @ring: geometry of the local element
 */
void smcr_failover_rx_linux(struct smcr_failover_rx *fo,
			    const struct smcr_ring *ring)
{
	fo->ring = *ring;
}

/* Test whether no byte was written between the last accepted message and this
 * one. A Linux peer sends no F, and repeats nothing, for a connection that is
 * half-closed or closing. The lost messages then cost nothing if they announced
 * no byte: the cursors and lasting flags of this one replace them.
 */
static bool nothing_written(const struct smcr_failover_rx *fo,
			    const struct smcr_cdc_rx *rx,
			    const struct smcr_cdc_msg *msg)
{
	struct smcr_cursor prod;

	if (!fo->ring.len)
		return false;
	prod = smcr_cursor_from_pos(&fo->ring, rx->prod);
	return prod.wrap == msg->prod.wrap && prod.off == msg->prod.off;
}

/* Find the newest stage of a link. */
static struct smcr_failover_stage *stage_of(struct smcr_failover_rx *fo,
					    u8 link)
{
	u8 i = fo->nr;

	while (i--)
		if (fo->stage[i].link == link && !fo->stage[i].gone)
			return &fo->stage[i];
	return NULL;
}

/* Let a stage that got its first message go before those that wait for theirs,
 * if their F has the same number: these moves followed each other so closely
 * that nothing was confirmed between, and the newest one repeats all.
 */
static void go_ahead(struct smcr_failover_rx *fo,
		     struct smcr_failover_stage *stage)
{
	struct smcr_failover_stage this;

	for (; stage > fo->stage && !stage[-1].parked &&
	     stage[-1].f_seq == stage->f_seq; stage--) {
		this = *stage;
		*stage = stage[-1];
		stage[-1] = this;
	}
}

/* Keep a message behind F, in place of an older one. A Linux peer may write
 * bytes behind its D or C (conn_eof.c), and the newest message announces them.
 */
static enum smcr_failover_recv park(struct smcr_failover_rx *fo,
				    struct smcr_failover_stage *stage,
				    const struct smcr_cdc_msg *msg)
{
	bool fresh = !stage->parked;
	u16 behind = stage->parked ? stage->msg.seq : stage->f_seq;
	u16 flags = stage->parked ? smcr_cdc_msg_lasting(&stage->msg, msg) : 0;
	bool early = fo->ring.len;

	if (flags & (early ? SMCR_CDC_A : SMCR_CDC_C | SMCR_CDC_A) ||
	    smcr_seq_diff(msg->seq, behind) <= 0)
		return SMCR_FAILOVER_IGNORE;
	if (flags & SMCR_CDC_D && !early &&
	    (msg->prod.wrap != stage->msg.prod.wrap ||
	     msg->prod.off != stage->msg.prod.off))
		stage->lied = true;
	if (!stage->parked)
		stage->first = msg->seq;
	stage->parked = true;
	stage->nr++;
	stage->msg = *msg;
	stage->msg.flags |= flags;
	if (fresh)
		go_ahead(fo, stage);
	return SMCR_FAILOVER_PARKED;
}

/* Links are not ordered among each other, but SS grows from move to move. */
static enum smcr_failover_recv add_stage(struct smcr_failover_rx *fo, u8 link,
					 u16 f_seq, u64 deadline)
{
	u8 i = fo->nr;

	fo->bare &= ~(1 << link);
	if (fo->nr == SMCR_FAILOVER_MOVES)
		return SMCR_FAILOVER_OVERFLOW;
	for (; i && smcr_seq_diff(fo->stage[i - 1].f_seq, f_seq) > 0; i--)
		fo->stage[i] = fo->stage[i - 1];
	fo->nr++;
	fo->stage[i] = (struct smcr_failover_stage){
		.link = link, .f_seq = f_seq, .deadline = deadline,
	};
	return SMCR_FAILOVER_PARKED;
}

/**
 * smcr_failover_rx_recv() - decide what to do with a received CDC message
 * @fo: receive side
 * @rx: state from the messages accepted so far; its sequence number is SR
 * @link: slot of the link that the message came over
 * @msg: decoded message, not trusted
 * @others: messages may come over another link of the group, too: it is
 *	connected, or has failed and is not drained
 * @deadline: time until which a move waits for the first message behind F, and
 *	for the messages that F confirms, if the message is an F
 *
 * A message of the old link that arrives while the move is validated was sent
 * before the move and is handled as ever. Without an F, a message over another
 * link has to be the next one (4.6.1): a gap may be a lost write, except in
 * nothing_written(). After the peer's C or A no message counts, so SR says
 * nothing any more.
 *
 * An F over the present link shows that the peer was on another link and is
 * back. The messages of that link, with an F of their own, may be received but
 * not handled yet. So the move is validated like any other one. Without another
 * link nothing is outstanding, because the messages of one link are in order.
 *
 * Context: any, conn->lock held.
 * Return: what to do.
 */
enum smcr_failover_recv
smcr_failover_rx_recv(struct smcr_failover_rx *fo, const struct smcr_cdc_rx *rx,
		      u8 link, const struct smcr_cdc_msg *msg, bool others,
		      u64 deadline)
{
	struct smcr_failover_stage *stage = stage_of(fo, link);
	s16 ahead = smcr_seq_diff(msg->seq, rx->seq);
	enum smcr_failover_recv ret;

	if (rx->flags & (SMCR_CDC_C | SMCR_CDC_A))
		return SMCR_FAILOVER_IGNORE;
	if (msg->flags & SMCR_CDC_F) {
		if (link != fo->link || fo->nr || others)
			return add_stage(fo, link, msg->seq, deadline);
		return ahead > 0 ? SMCR_FAILOVER_LOST : SMCR_FAILOVER_IGNORE;
	}
	if (!stage && fo->bare & (1 << link)) {
		ret = add_stage(fo, link, fo->bare_seq[link], 0);
		if (ret != SMCR_FAILOVER_PARKED)
			return ret;
		stage = stage_of(fo, link);
	}
	if (stage)
		return park(fo, stage, msg);
	if (link == fo->link)
		return SMCR_FAILOVER_HANDLE;
	if (ahead <= 0)
		return SMCR_FAILOVER_IGNORE;
	return !fo->nr && (ahead == 1 || nothing_written(fo, rx, msg)) ?
	       SMCR_FAILOVER_HANDLE_NEW : SMCR_FAILOVER_LOST;
}

/**
 * smcr_failover_rx_accepted() - event: a message of a new link was accepted
 * @fo: receive side
 * @link: slot of the link
 *
 * Context: any, conn->lock held.
 */
void smcr_failover_rx_accepted(struct smcr_failover_rx *fo, u8 link)
{
	fo->link = link;
}

/**
 * smcr_failover_rx_drained() - event: a link is gone
 * @fo: receive side
 * @link: its slot. Its queue pair is in ERR and all its receive completions
 *	were handled, so no write and no message can come over it any more
 *
 * smcr_failover_rx_step() follows.
 *
 * Context: any, conn->lock held.
 */
void smcr_failover_rx_drained(struct smcr_failover_rx *fo, u8 link)
{
	u8 i;

	if (fo->link == link)
		fo->link = SMCR_FAILOVER_NO_LINK;
	fo->bare &= ~(1 << link);
	for (i = 0; i < fo->nr; i++)
		if (fo->stage[i].link == link)
			fo->stage[i].gone = true;
}

/* Test whether the oldest move shows that nothing was outstanding on the old
 * link: the messages before F have arrived, and F's successor is the next.
 */
static bool nothing_pending(const struct smcr_failover_stage *stage, u16 sr)
{
	return sr == stage->f_seq && stage->parked &&
	       stage->first == (u16)(sr + 1);
}

/* May a message still decide, without a drain? The first one behind F always
 * comes, and the old link may deliver what F confirmed. If F came over the
 * present link (@same), the messages of a link between may come, unless one
 * that is newer than F was handled.
 */
static bool may_come(const struct smcr_failover_rx *fo, u16 sr, bool same)
{
	const struct smcr_failover_stage *stage = fo->stage;

	if (!stage->parked)
		return !same || smcr_seq_diff(sr, stage->f_seq) <= 0;
	return fo->link != SMCR_FAILOVER_NO_LINK &&
	       smcr_seq_diff(sr, stage->f_seq) < 0 &&
	       stage->first == (u16)(stage->f_seq + 1);
}

/* May what F confirms be found on a link that is neither the present one nor
 * F's? If so, the link to drain is not known yet. A drain of the present one
 * would not end the wait for these messages either.
 */
static bool is_elsewhere(const struct smcr_failover_stage *stage, u16 sr,
			 u64 now, bool draining, unsigned int nr_links)
{
	return smcr_seq_diff(sr, stage->f_seq) < 0 && now < stage->deadline &&
	       (draining || nr_links > (stage->gone ? 1 : 2));
}

/* Test whether the oldest move is over already: a later one overtook it, or its
 * link is gone without a message, so that a later one follows.
 */
static bool overtaken(const struct smcr_failover_stage *stage, u16 sr)
{
	return stage->parked ? smcr_seq_diff(stage->msg.seq, sr) <= 0 :
			       stage->gone;
}

static void drop_stage(struct smcr_failover_rx *fo)
{
	fo->nr--;
	memmove(fo->stage, fo->stage + 1, fo->nr * sizeof(fo->stage[0]));
}

/* Test whether all that F confirms has come, and no message behind it. */
static bool is_bare(const struct smcr_failover_stage *stage, u16 sr)
{
	return !stage->parked && smcr_seq_diff(sr, stage->f_seq) >= 0;
}

/* A message begins this move, if it ever comes. */
static void put_aside(struct smcr_failover_rx *fo)
{
	const struct smcr_failover_stage *stage = fo->stage;

	fo->bare |= 1 << stage->link;
	fo->bare_seq[stage->link] = stage->f_seq;
	drop_stage(fo);
}

/**
 * smcr_failover_rx_step() - decide the oldest move that is being validated
 * @fo: receive side
 * @rx: state from the messages accepted so far; its sequence number is SR
 * @now: the time
 * @draining: a link of the group is failing and not drained yet, so messages
 *	that count may still be found there
 * @nr_links: connected links of the group; on any but the link of F, such
 *	messages may be received and not handled yet
 * @msg: result with %SMCR_FAILOVER_TAKE: the message behind F
 *
 * With a result of %SMCR_FAILOVER_VALID or %SMCR_FAILOVER_TAKE the move is
 * over, and the caller calls again. %SMCR_FAILOVER_WAIT and
 * %SMCR_FAILOVER_DRAIN hold back the credit for the peer.
 *
 * Context: any, conn->lock held.
 * Return: the state.
 */
enum smcr_failover_step
smcr_failover_rx_step(struct smcr_failover_rx *fo, const struct smcr_cdc_rx *rx,
		      u64 now, bool draining, unsigned int nr_links,
		      struct smcr_cdc_msg *msg)
{
	const struct smcr_failover_stage *stage = fo->stage;
	bool same = fo->link == stage->link && !stage->gone;
	u16 sr = rx->seq;
	bool others = nr_links > (stage->gone ? 0 : 1);
	bool parked;

	if (rx->flags & (SMCR_CDC_C | SMCR_CDC_A))
		fo->nr = 0;
	if (!fo->nr)
		return SMCR_FAILOVER_NONE;
	if (overtaken(stage, sr)) {
		drop_stage(fo);
		return SMCR_FAILOVER_VALID;
	}
	if (may_come(fo, sr, same) && now < stage->deadline)
		return SMCR_FAILOVER_WAIT;
	if (fo->link != SMCR_FAILOVER_NO_LINK && !same) {
		if (is_bare(stage, sr)) {
			put_aside(fo);
			return SMCR_FAILOVER_VALID;
		}
		if (is_elsewhere(stage, sr, now, draining, nr_links))
			return SMCR_FAILOVER_WAIT;
		if (!nothing_pending(stage, sr))
			return SMCR_FAILOVER_DRAIN;
	}
	if (smcr_seq_diff(sr, stage->f_seq) < 0)
		return draining || (others && now < stage->deadline) ?
		       SMCR_FAILOVER_WAIT : SMCR_FAILOVER_RESET;
	if (stage->lied)
		return SMCR_FAILOVER_RESET;
	fo->link = stage->gone ? SMCR_FAILOVER_NO_LINK : stage->link;
	parked = stage->parked;
	*msg = stage->msg;
	drop_stage(fo);
	return parked ? SMCR_FAILOVER_TAKE : SMCR_FAILOVER_VALID;
}

/* Does a link suit a connection better than another one? */
static bool is_better(const struct smcr_failover_link *a,
		      const struct smcr_failover_link *b)
{
	if (a->back != b->back)
		return a->back;
	if (a->asymmetric != b->asymmetric)
		return b->asymmetric;
	return a->nr_conns < b->nr_conns;
}

/**
 * smcr_failover_pick() - choose a link for a connection
 * @link: links of the group
 * @nr: number of them
 *
 * A symmetric link comes before an asymmetric one, which shares a port with
 * another link (2.2.1), then the link with the fewest connections.
 *
 * If a connection has left a link that is in order, and the new one fails
 * before a message was confirmed there, the link that is in order comes before
 * all others. For the peer, which has perhaps seen nothing of the new link, the
 * connection is still there, and an F over a third link would make the peer
 * drain it.
 *
 * Return: slot of the link; -ENOLINK if none is active with an RToken of the
 * peer's RMB.
 */
int smcr_failover_pick(const struct smcr_failover_link *link, unsigned int nr)
{
	const struct smcr_failover_link *best = NULL;

	for (; nr--; link++) {
		if (!link->active || !link->complete)
			continue;
		if (!best || is_better(link, best))
			best = link;
	}
	return best ? best->slot : -ENOLINK;
}
