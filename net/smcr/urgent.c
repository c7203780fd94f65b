// SPDX-License-Identifier: GPL-2.0
/*
 * Urgent data (RFC 7609, 4.7.5 and 4.7.6). As with TCP, the last byte of a
 * send() with MSG_OOB is urgent, and there is one urgent byte at a time.
 *
 * Sender: its messages have P from the send() on until one has U.
 *
 *	    nxt                   next
 *	-----|---------------------|------------
 *	     | writes end at next; | not written
 *	     | messages have P     | yet
 *
 *	                       nxt = mark
 *	---------------------------|------------
 *	  the message that told    | not written before the
 *	  this position had P, U   | peer has consumed mark
 *
 * P goes out at once, even if the window is closed. A send() that makes another
 * byte urgent before the first one was announced moves the position, as with
 * TCP, and the first byte is an ordinary one. U is sent once, and once more
 * after a move to another link.
 *
 * P does not say where the urgent byte will be. A reader that has P and no byte
 * left to read takes the next byte for an ordinary one. So P goes out only if
 * an ordinary byte comes first. A send() that is not done keeps the last two
 * bytes so far, as it may end early, and the last one is urgent then. tx_plan.c
 * keeps a byte of the ring for an urgent byte, which needs no P then.
 *
 * Receiver: when U comes, the urgent byte is copied out of the ring. The peer
 * sends nothing more until it is consumed, and the program may never ask for
 * it: so the peer is told that it is consumed as soon as the reader has read
 * all bytes before it, or at once if there are none. What the program reads
 * next comes from the copy, as the peer may use its place in the ring again.
 *
 *	   cons         mark
 *	----|--------|u|----
 *	    | plain  | | copied to @byte
 *
 * A reader stops before the urgent byte. The next call passes it, or delivers
 * it if SO_OOBINLINE is set at that moment.
 *
 * If the peer sends another urgent byte while the reader is still before the
 * first one, the first one is an ordinary byte from then on if SO_OOBINLINE is
 * set, and otherwise TCP drops it from the stream. Here a byte that is dropped
 * goes to a gap, which the reader skips. One that stays goes to @older_byte:
 *
 *	   cons          older
 *	  gap_from   gap_to          mark
 *	----|u|u|u|u|----|u|--------|u|----
 *
 * All of them are told as consumed. There is at most one gap, at the reader's
 * position, and at most one older byte, right behind the gap or at the reader's
 * position: the peer may send beyond an urgent byte only if the reader has no
 * byte left to read before it, and an older one is such a byte.
 *
 * The position of the urgent byte is not known before U comes. While the reader
 * has not passed one urgent byte, P says that another one will follow. That is
 * no news for the reader yet.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "urgent.h"

/**
 * smcr_urgent_tx_begin() - a send() with MSG_OOB begins
 * @u: send side
 *
 * Context: any, conn->lock held.
 */
void smcr_urgent_tx_begin(struct smcr_urgent_tx *u)
{
	u->n_open++;
}

/**
 * smcr_urgent_tx_end() - a send() with MSG_OOB ends
 * @u: send side
 *
 * Context: any, conn->lock held.
 * Return: true if no urgent byte follows although P was sent.
 */
bool smcr_urgent_tx_end(struct smcr_urgent_tx *u)
{
	u->n_open--;
	return u->promised && !u->n_open && !u->next;
}

/**
 * smcr_urgent_tx_set() - make the last byte in send space urgent
 * @u: send side
 * @end: position after the byte
 *
 * Context: any, conn->lock held.
 */
void smcr_urgent_tx_set(struct smcr_urgent_tx *u, u64 end)
{
	u->next = end;
}

/**
 * smcr_urgent_tx_limit() - find where the next writes must end
 * @u: send side
 * @cons: position up to which the peer has consumed
 * @nxt: position up to which bytes were written
 * @end: position up to which bytes are in send space
 *
 * Context: any, conn->lock held.
 * Return: the position, not before @nxt; it may be beyond @end.
 */
u64 smcr_urgent_tx_limit(const struct smcr_urgent_tx *u, u64 cons, u64 nxt,
			 u64 end)
{
	if (cons < u->mark)
		return u->mark;
	if (u->next)
		return u->next;
	if (!u->n_open)
		return end;
	return end > nxt + 2 ? end - 2 : nxt;
}

/**
 * smcr_urgent_tx_flags() - compute P and U of the next message
 * @u: send side
 * @prod: producer position of the message
 * @end: position up to which bytes are in send space
 * @cons: position up to which the peer has consumed
 *
 * Context: any, conn->lock held.
 * Return: the flags.
 */
u16 smcr_urgent_tx_flags(const struct smcr_urgent_tx *u, u64 prod, u64 end,
			 u64 cons)
{
	if ((u->next && u->next == prod) ||
	    (u->again && u->mark == prod && cons < u->mark))
		return SMCR_CDC_P | SMCR_CDC_U;
	if (u->next ? u->next > prod + 1 : u->n_open && end > prod + 1)
		return SMCR_CDC_P;
	return 0;
}

/**
 * smcr_urgent_tx_posted() - event: a message was posted
 * @u: send side
 * @prod: its producer position
 * @flags: its flags
 *
 * Context: any, conn->lock held.
 */
void smcr_urgent_tx_posted(struct smcr_urgent_tx *u, u64 prod, u16 flags)
{
	u->again = false;
	u->promised = (flags & (SMCR_CDC_P | SMCR_CDC_U)) == SMCR_CDC_P;
	if (!(flags & SMCR_CDC_U) || u->next != prod)
		return;
	u->mark = prod;
	u->next = 0;
}

/**
 * smcr_urgent_tx_moved() - event: the connection moves to another link
 * @u: send side
 * @cons: position up to which the peer has consumed
 *
 * Context: any, conn->lock held.
 */
void smcr_urgent_tx_moved(struct smcr_urgent_tx *u, u64 cons)
{
	u->again = cons < u->mark;
}

/**
 * smcr_urgent_rx_from() - skip the gap
 * @u: receive side
 * @pos: a position, not before that of the reader
 *
 * Context: any, conn->lock held.
 * Return: the first position from @pos on that is not in the gap.
 */
u64 smcr_urgent_rx_from(const struct smcr_urgent_rx *u, u64 pos)
{
	return u->bits & SMCR_URGENT_GAP && pos >= u->gap_from &&
	       pos < u->gap_to ? u->gap_to : pos;
}

/* Is this the position of the older urgent byte that stayed in the stream? */
static bool at_older(const struct smcr_urgent_rx *u, u64 pos)
{
	return u->bits & SMCR_URGENT_OLDER && pos == u->older;
}

/* A newer urgent byte has come, and the reader is right before this one. */
static void supersede(struct smcr_urgent_rx *u, u64 cons, bool in_line)
{
	if (!smcr_urgent_rx_at_mark(u, cons))
		return;
	if (in_line) {
		u->older = u->mark - 1;
		u->older_byte = u->byte;
		u->bits |= SMCR_URGENT_OLDER;
		return;
	}
	if (!(u->bits & SMCR_URGENT_GAP))
		u->gap_from = u->mark - 1;
	u->gap_to = u->mark;
	u->bits |= SMCR_URGENT_GAP;
}

/* A message without U came: remember P, unless an urgent byte is in front. */
static bool pend(struct smcr_urgent_rx *u, u16 flags)
{
	bool pending = u->bits & SMCR_URGENT_PENDING;
	u8 bits = u->bits & ~SMCR_URGENT_PENDING;

	if (flags & SMCR_CDC_P && !(bits & SMCR_URGENT_KEPT))
		bits |= SMCR_URGENT_PENDING;
	WRITE_ONCE(u->bits, bits);
	return bits & SMCR_URGENT_PENDING && !pending;
}

/**
 * smcr_urgent_rx_recv() - event: a message was accepted
 * @u: receive side
 * @flags: flags of the message
 * @prod: its producer position
 * @cons: position up to which the reader has read
 * @byte: the byte before @prod, if U is set and @prod is beyond @cons
 * @in_line: SO_OOBINLINE is set
 *
 * Context: any, conn->lock held.
 * Return: true if the program gets SIGURG.
 */
bool smcr_urgent_rx_recv(struct smcr_urgent_rx *u, u16 flags, u64 prod,
			 u64 cons, u8 byte, bool in_line)
{
	bool pending = u->bits & SMCR_URGENT_PENDING;
	u8 bits;

	if (!(flags & SMCR_CDC_U))
		return pend(u, flags);
	WRITE_ONCE(u->bits, u->bits & ~SMCR_URGENT_PENDING);
	if (prod == u->mark)
		return false;
	/* It comes late: the byte was read as an ordinary one. The peer waits
	 * for it to be consumed all the same, and may repeat U after a move.
	 */
	if (prod <= cons) {
		u->mark = prod;
		return false;
	}
	supersede(u, cons, in_line);
	u->mark = prod;
	u->byte = byte;
	bits = u->bits & (SMCR_URGENT_GAP | SMCR_URGENT_OLDER);
	WRITE_ONCE(u->bits, bits | SMCR_URGENT_KEPT | SMCR_URGENT_UNREAD);
	return !pending;
}

/**
 * smcr_urgent_rx_told() - compute the consumer position for the peer
 * @u: receive side
 * @cons: position up to which the reader has read
 *
 * The result never decreases. It does not pass an urgent byte behind an older
 * one that is still to be read: there is one @older_byte.
 *
 * Context: any, conn->lock held.
 * Return: @cons, or a position beyond it, if only bytes lie between that were
 * copied out of the ring or that no reader gets.
 */
u64 smcr_urgent_rx_told(const struct smcr_urgent_rx *u, u64 cons)
{
	u64 pos;

	if (!u->bits)
		return cons;
	pos = smcr_urgent_rx_from(u, cons);
	return at_older(u, pos) || smcr_urgent_rx_at_mark(u, pos) ? pos + 1 :
								    pos;
}

/**
 * smcr_urgent_rx_at_mark() - test whether a position is that of the urgent byte
 * @u: receive side
 * @pos: the position, not before that of the reader
 *
 * Context: any, conn->lock held.
 * Return: true if the urgent byte follows, with no byte between that the
 * reader could get.
 */
bool smcr_urgent_rx_at_mark(const struct smcr_urgent_rx *u, u64 pos)
{
	return u->bits & SMCR_URGENT_KEPT &&
	       smcr_urgent_rx_from(u, pos) + 1 == u->mark;
}

/**
 * smcr_urgent_rx_queued() - count the bytes that a reader gets
 * @u: receive side
 * @cons: position up to which it has read
 * @end: position up to which the peer announced bytes
 * @in_line: SO_OOBINLINE is set; if not, only bytes before the urgent one count
 *
 * Context: any, conn->lock held.
 * Return: bytes, for SIOCINQ.
 */
u64 smcr_urgent_rx_queued(const struct smcr_urgent_rx *u, u64 cons, u64 end,
			  bool in_line)
{
	if (!in_line && u->bits & SMCR_URGENT_KEPT)
		end = min_t(u64, end, u->mark - 1);
	return end - smcr_urgent_rx_from(u, cons);
}

/**
 * smcr_urgent_rx_part() - find what a reader gets next
 * @u: receive side
 * @pos: position from which it reads, not before that of the reader
 * @end: position up to which the peer announced bytes, beyond @pos
 * @in_line: SO_OOBINLINE is set
 * @part: result
 *
 * Context: any, conn->lock held.
 */
void smcr_urgent_rx_part(const struct smcr_urgent_rx *u, u64 pos, u64 end,
			 bool in_line, struct smcr_urgent_part *part)
{
	part->next = smcr_urgent_rx_from(u, pos);
	part->place = SMCR_URGENT_NOWHERE;
	if (part->next != pos)
		return;
	part->next = pos + 1;
	if (at_older(u, pos)) {
		part->place = SMCR_URGENT_APART;
		part->byte = u->older_byte;
	} else if (smcr_urgent_rx_at_mark(u, pos)) {
		if (in_line)
			part->place = SMCR_URGENT_APART;
		part->byte = u->byte;
	} else {
		part->place = SMCR_URGENT_RING;
		part->next = end;
		if (u->bits & SMCR_URGENT_KEPT && pos < u->mark)
			part->next = min_t(u64, end, u->mark - 1);
	}
}

/**
 * smcr_urgent_rx_passed() - event: the reader has moved on
 * @u: receive side
 * @cons: position up to which it has read
 *
 * Context: any, conn->lock held.
 */
void smcr_urgent_rx_passed(struct smcr_urgent_rx *u, u64 cons)
{
	u8 bits = u->bits;

	if (cons >= u->mark)
		bits &= ~(SMCR_URGENT_KEPT | SMCR_URGENT_UNREAD);
	if (cons >= u->gap_to)
		bits &= ~SMCR_URGENT_GAP;
	if (cons > u->older)
		bits &= ~SMCR_URGENT_OLDER;
	WRITE_ONCE(u->bits, bits);
}
