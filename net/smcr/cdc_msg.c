// SPDX-License-Identifier: GPL-2.0
/*
 * CDC messages (RFC 7609, A.4): encoding, decoding, and the check against the
 * connection's state.
 */
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "cdc_msg.h"

#define STICKY	(SMCR_CDC_D | SMCR_CDC_C | SMCR_CDC_A)

/**
 * smcr_cdc_msg_decode() - decode a CDC message
 * @buf: received bytes
 * @len: bytes that the completion reported
 * @out: result, untouched on error
 *
 * No field of @out can be trusted before smcr_cdc_check().
 *
 * Return: 0; -EBADMSG if type, length byte or @len is not that of a CDC
 * message, which the caller drops and counts.
 */
int smcr_cdc_msg_decode(const u8 *buf, size_t len, struct smcr_cdc_msg *out)
{
	const struct smcr_wire_cdc *w = (const void *)buf;

	if (len != SMCR_ROCE_MSG_LEN || w->type != SMCR_CDC_TYPE ||
	    w->length != SMCR_ROCE_MSG_LEN)
		return -EBADMSG;
	out->seq = be16_to_cpu(w->seq);
	out->alert_token = be32_to_cpu(w->alert_token);
	out->prod.wrap = be16_to_cpu(w->prod_wrap);
	out->prod.off = be32_to_cpu(w->prod);
	out->cons.wrap = be16_to_cpu(w->cons_wrap);
	out->cons.off = be32_to_cpu(w->cons);
	out->flags = be16_to_cpu(w->flags) & SMCR_CDC_FLAGS;
	return 0;
}

/**
 * smcr_cdc_msg_encode() - encode a CDC message
 * @buf: result, %SMCR_ROCE_MSG_LEN bytes
 * @in: the message
 */
void smcr_cdc_msg_encode(u8 *buf, const struct smcr_cdc_msg *in)
{
	struct smcr_wire_cdc *w = (void *)buf;

	memset(w, 0, sizeof(*w));
	w->type = SMCR_CDC_TYPE;
	w->length = SMCR_ROCE_MSG_LEN;
	w->seq = cpu_to_be16(in->seq);
	w->alert_token = cpu_to_be32(in->alert_token);
	w->prod_wrap = cpu_to_be16(in->prod.wrap);
	w->prod = cpu_to_be32(in->prod.off);
	w->cons_wrap = cpu_to_be16(in->cons.wrap);
	w->cons = cpu_to_be32(in->cons.off);
	w->flags = cpu_to_be16(in->flags & SMCR_CDC_FLAGS);
}

/**
 * smcr_cdc_msg_lasting() - find the flags that a newer message must carry on
 * @old: a message that is dropped unhandled, for @new stands for both
 * @new: the next message of the connection
 *
 * U goes on as long as the producer cursor stays, as it says that the urgent
 * byte is the one before.
 *
 * Return: the flags.
 */
u16 smcr_cdc_msg_lasting(const struct smcr_cdc_msg *old,
			 const struct smcr_cdc_msg *new)
{
	u16 flags = STICKY | SMCR_CDC_R;

	if (old->prod.wrap == new->prod.wrap && old->prod.off == new->prod.off)
		flags |= SMCR_CDC_U;
	return old->flags & flags;
}

/* Check both cursors, as far as the flags do not matter. */
static enum smcr_cdc_verdict check_cursors(const struct smcr_cdc_rx *rx,
					   const struct smcr_cdc_limits *lim,
					   const struct smcr_cdc_msg *msg,
					   struct smcr_cdc_result *res)
{
	if (smcr_cursor_to_pos(&lim->ring, msg->prod, rx->prod, &res->prod) ||
	    res->prod - lim->cons > lim->ring.len)
		return SMCR_CDC_BAD_PROD;
	if (smcr_cursor_to_pos(&lim->peer_ring, msg->cons, rx->cons,
			       &res->cons) ||
	    res->cons > lim->sent)
		return SMCR_CDC_BAD_CONS;
	return SMCR_CDC_ACCEPT;
}

/* Test whether U is possible: with new data, after P, or as the repetition of
 * one. There is one urgent byte at a time.
 */
static bool urgent_possible(const struct smcr_cdc_rx *rx,
			    const struct smcr_cdc_limits *lim, u64 prod)
{
	if (lim->urgent && prod == lim->urgent)
		return true;
	return (prod != rx->prod || rx->flags & SMCR_CDC_P) &&
	       lim->urgent <= lim->cons;
}

/* Which of the ends that arrived do not count yet? A Linux peer repeats its D
 * and C in every later message, so none is lost here. A C that follows a D
 * which counts adds no end of the stream.
 */
static u16 held_ends(const struct smcr_cdc_rx *rx,
		     const struct smcr_cdc_limits *lim, u16 flags)
{
	if (!lim->hold_ends || (flags & SMCR_CDC_A) || (rx->flags & SMCR_CDC_D))
		return 0;
	return (rx->held | flags) & (SMCR_CDC_D | SMCR_CDC_C);
}

/**
 * smcr_cdc_check() - check a message against the connection's state
 * @rx: state from the messages accepted so far
 * @lim: local state that bounds the message
 * @msg: decoded message for this connection, without F, which is for
 *	smcr_failover_rx_recv()
 * @res: on %SMCR_CDC_ACCEPT the input of smcr_cdc_apply(), otherwise undefined
 *
 * Bytes that an impossible cursor announces are never exposed to a reader. A
 * gap in the sequence is harmless on one link, since cursors are absolute. On a
 * new link without an F before it, a gap may mean a lost write (4.6.1), but not
 * in the Linux dialect if the message announces no byte: a Linux peer sends no
 * F for a connection that is half-closed.
 *
 * Context: any, lock of the receive side held.
 * Return: the verdict; smcr_cdc_verdict_aborts() tells whether it resets the
 * connection.
 */
enum smcr_cdc_verdict smcr_cdc_check(const struct smcr_cdc_rx *rx,
				     const struct smcr_cdc_limits *lim,
				     const struct smcr_cdc_msg *msg,
				     struct smcr_cdc_result *res)
{
	s16 ahead = smcr_seq_diff(msg->seq, rx->seq);
	enum smcr_cdc_verdict verdict;

	if (rx->flags & SMCR_CDC_A ||
	    (rx->flags & SMCR_CDC_C && !lim->hold_ends))
		return SMCR_CDC_CLOSED;
	if (ahead <= 0)
		return SMCR_CDC_STALE;
	if (lim->new_link && ahead != 1 && !lim->hold_ends)
		return SMCR_CDC_DATA_LOST;

	verdict = check_cursors(rx, lim, msg, res);
	if (verdict != SMCR_CDC_ACCEPT)
		return verdict;
	if (lim->new_link && ahead != 1 && res->prod != rx->prod)
		return SMCR_CDC_DATA_LOST;
	if (res->prod != rx->prod && (rx->flags & (SMCR_CDC_D | SMCR_CDC_C)))
		return SMCR_CDC_AFTER_DONE;
	if (rx->flags & SMCR_CDC_C)
		return SMCR_CDC_CLOSED;
	if (msg->flags & SMCR_CDC_U && !urgent_possible(rx, lim, res->prod))
		return SMCR_CDC_BAD_URGENT;

	res->held = held_ends(rx, lim, msg->flags);
	res->flags = msg->flags & ~res->held;
	res->raised = res->flags & STICKY & ~rx->flags;
	res->gap = (u16)(ahead - 1);
	res->seq = msg->seq;
	return SMCR_CDC_ACCEPT;
}

/**
 * smcr_cdc_apply() - apply a message that smcr_cdc_check() accepted
 * @rx: state to change
 * @res: result of that check
 *
 * Context: any, lock of the receive side held since the check.
 */
void smcr_cdc_apply(struct smcr_cdc_rx *rx, const struct smcr_cdc_result *res)
{
	rx->prod = res->prod;
	rx->cons = res->cons;
	rx->seq = res->seq;
	rx->held = res->held;
	rx->flags = (rx->flags & STICKY) | res->flags;
}

/**
 * smcr_cdc_verdict_name() - get the name of a verdict, for the log
 * @verdict: any value
 *
 * Return: a name, never NULL.
 */
const char *smcr_cdc_verdict_name(enum smcr_cdc_verdict verdict)
{
	static const char *const names[] = {
		[SMCR_CDC_ACCEPT]	= "accept",
		[SMCR_CDC_STALE]	= "stale",
		[SMCR_CDC_CLOSED]	= "closed",
		[SMCR_CDC_DATA_LOST]	= "data-lost",
		[SMCR_CDC_BAD_PROD]	= "producer-cursor",
		[SMCR_CDC_BAD_CONS]	= "consumer-cursor",
		[SMCR_CDC_BAD_URGENT]	= "urgent",
		[SMCR_CDC_AFTER_DONE]	= "data-after-done",
	};

	if ((unsigned int)verdict >= SMCR_CDC_VERDICT_MAX)
		return "unknown";
	return names[verdict];
}
