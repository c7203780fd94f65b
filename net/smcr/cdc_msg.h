/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CDC messages (RFC 7609, A.4): the codec, and the check that every received
 * message must pass before any field of it is stored.
 */
#ifndef _SMCR_CDC_MSG_H
#define _SMCR_CDC_MSG_H

#include "cursor.h"
#include "wire_roce.h"

/**
 * enum smcr_cdc_flag - the two flag bytes of a CDC message as one number
 * @SMCR_CDC_B: writer blocked by the window
 * @SMCR_CDC_P: urgent data pending
 * @SMCR_CDC_U: urgent data present; it ends at the producer cursor
 * @SMCR_CDC_R: consumer cursor update requested
 * @SMCR_CDC_F: failover validation; only token and sequence number are valid
 *	(4.6.1)
 * @SMCR_CDC_D: sending done
 * @SMCR_CDC_C: connection closed
 * @SMCR_CDC_A: abnormal close
 */
enum smcr_cdc_flag {
	SMCR_CDC_B = 0x8000,
	SMCR_CDC_P = 0x4000,
	SMCR_CDC_U = 0x2000,
	SMCR_CDC_R = 0x1000,
	SMCR_CDC_F = 0x0800,
	SMCR_CDC_D = 0x0080,
	SMCR_CDC_C = 0x0040,
	SMCR_CDC_A = 0x0020,
};

#define SMCR_CDC_FLAGS	(SMCR_CDC_B | SMCR_CDC_P | SMCR_CDC_U | SMCR_CDC_R | \
			 SMCR_CDC_F | SMCR_CDC_D | SMCR_CDC_C | SMCR_CDC_A)

/**
 * struct smcr_cdc_msg - a CDC message in host byte order
 * @seq: sequence number; the first message has 1
 * @alert_token: token of the connection at the receiver
 * @prod: next byte that the sender will write, in the receiver's element
 * @cons: next byte that the sender will read, in the sender's own element
 * @flags: bits of enum smcr_cdc_flag
 */
struct smcr_cdc_msg {
	u16 seq;
	u32 alert_token;
	struct smcr_cursor prod;
	struct smcr_cursor cons;
	u16 flags;
};

/**
 * struct smcr_cdc_rx - peer state from the CDC messages accepted so far
 * @prod: position up to which the peer announced bytes in the local element
 * @cons: position up to which the peer has read our bytes
 * @seq: sequence number of the last accepted message, 0 before the first
 * @flags: B, P, U and R of that message; D, C and A of any message so far
 * @held: D and C that arrived but do not count yet, because more bytes may
 *	follow them (Linux dialect)
 *
 * All zero at the start; smcr_cdc_apply() computes each next value. The lock
 * of the connection's receive side protects it.
 */
struct smcr_cdc_rx {
	u64 prod;
	u64 cons;
	u16 seq;
	u16 flags;
	u16 held;
};

/**
 * struct smcr_cdc_limits - local state that bounds a received message
 * @ring: geometry of the local element
 * @peer_ring: geometry of the peer's element
 * @cons: position up to which the peer may have learned that bytes were
 *	consumed
 * @sent: position up to which our bytes were written; the peer cannot have
 *	read more
 * @urgent: position after the last urgent byte that the peer announced, 0 for
 *	none
 * @new_link: the message came over another link than the message before it,
 *	and no F has come over that link yet
 * @hold_ends: the Linux dialect: D and C may come before the last bytes
 */
struct smcr_cdc_limits {
	struct smcr_ring ring;
	struct smcr_ring peer_ring;
	u64 cons;
	u64 sent;
	u64 urgent;
	bool new_link;
	bool hold_ends;
};

/**
 * enum smcr_cdc_verdict - what to do with a CDC message
 * @SMCR_CDC_ACCEPT: valid and newer than all messages before: apply it
 * @SMCR_CDC_STALE: not newer than the last accepted message: drop it
 * @SMCR_CDC_CLOSED: the peer sent C or A before: drop it
 * @SMCR_CDC_DATA_LOST: a gap on a new link shows that messages, and perhaps
 *	writes, are missing
 * @SMCR_CDC_BAD_PROD: impossible producer cursor
 * @SMCR_CDC_BAD_CONS: impossible consumer cursor
 * @SMCR_CDC_BAD_URGENT: U without new data and without P before, or before the
 *	last urgent byte was consumed
 * @SMCR_CDC_AFTER_DONE: data after D; in the Linux dialect also after C
 * @SMCR_CDC_VERDICT_MAX: number of values
 *
 * %SMCR_CDC_DATA_LOST and all values after it abort the connection; the caller
 * uses no field of such a message.
 */
enum smcr_cdc_verdict {
	SMCR_CDC_ACCEPT,
	SMCR_CDC_STALE,
	SMCR_CDC_CLOSED,
	SMCR_CDC_DATA_LOST,
	SMCR_CDC_BAD_PROD,
	SMCR_CDC_BAD_CONS,
	SMCR_CDC_BAD_URGENT,
	SMCR_CDC_AFTER_DONE,
	SMCR_CDC_VERDICT_MAX
};

static inline bool smcr_cdc_verdict_aborts(enum smcr_cdc_verdict verdict)
{
	return verdict >= SMCR_CDC_DATA_LOST;
}

/**
 * struct smcr_cdc_result - changes that an accepted message makes
 * @prod: new value of smcr_cdc_rx.prod
 * @cons: new value of smcr_cdc_rx.cons
 * @flags: flags of the message, without @held
 * @raised: those of D, C and A that no message had before, without @held
 * @held: new value of smcr_cdc_rx.held
 * @gap: number of messages missing before this one; harmless, but counted
 * @seq: sequence number of the message
 */
struct smcr_cdc_result {
	u64 prod;
	u64 cons;
	u16 flags;
	u16 raised;
	u16 held;
	u16 gap;
	u16 seq;
};

int smcr_cdc_msg_decode(const u8 *buf, size_t len, struct smcr_cdc_msg *out);
void smcr_cdc_msg_encode(u8 *buf, const struct smcr_cdc_msg *in);
u16 smcr_cdc_msg_lasting(const struct smcr_cdc_msg *old,
			 const struct smcr_cdc_msg *new);

enum smcr_cdc_verdict smcr_cdc_check(const struct smcr_cdc_rx *rx,
				     const struct smcr_cdc_limits *lim,
				     const struct smcr_cdc_msg *msg,
				     struct smcr_cdc_result *res);
void smcr_cdc_apply(struct smcr_cdc_rx *rx, const struct smcr_cdc_result *res);
const char *smcr_cdc_verdict_name(enum smcr_cdc_verdict verdict);

#endif /* _SMCR_CDC_MSG_H */
