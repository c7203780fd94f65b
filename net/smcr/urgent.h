/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Urgent data of a connection (RFC 7609, 4.7.5 and 4.7.6). Pure functions over
 * the two structures below; urgent.c has the pictures.
 */
#ifndef _SMCR_URGENT_H
#define _SMCR_URGENT_H

#include "cdc_msg.h"

/**
 * struct smcr_urgent_tx - send side
 * @next: position after the newest urgent byte, while no message has announced
 *	it; otherwise 0
 * @mark: position after the last urgent byte that was announced. The peer must
 *	have consumed it before a byte beyond it is written
 * @n_open: calls of send() that copy bytes of which the last one is urgent
 * @again: announce @mark once more, as its message may be lost with a link
 * @promised: the last message has P and no U
 *
 * Protected by smcr_conn.lock.
 */
struct smcr_urgent_tx {
	u64 next;
	u64 mark;
	u32 n_open;
	bool again;
	bool promised;
};

/* Bits of smcr_urgent_rx.bits */
#define SMCR_URGENT_PENDING	0x01	/* the peer has urgent data to send */
#define SMCR_URGENT_KEPT	0x02	/* the reader has not passed @mark */
#define SMCR_URGENT_UNREAD	0x04	/* recv(MSG_OOB) has not taken @byte */
#define SMCR_URGENT_OLDER	0x08	/* @older and @older_byte are set */
#define SMCR_URGENT_GAP		0x10	/* @gap_from and @gap_to are set */

/**
 * struct smcr_urgent_rx - receive side
 * @mark: position after the last urgent byte, also when it was read; 0 for none
 * @gap_from: first of the older urgent bytes that the reader has lost
 * @gap_to: position after the last of them
 * @older: position of an older urgent byte that has stayed in the stream
 * @byte: the urgent byte before @mark
 * @older_byte: the byte at @older
 * @bits: bits of SMCR_URGENT_*; 0 if nothing concerns the reader. Also read
 *	without the lock
 *
 * Protected by smcr_conn.lock.
 */
struct smcr_urgent_rx {
	u64 mark;
	u64 gap_from;
	u64 gap_to;
	u64 older;
	u8 byte;
	u8 older_byte;
	u8 bits;
};

/* Where a reader finds its next bytes */
enum smcr_urgent_place {
	SMCR_URGENT_RING,	/* in the ring */
	SMCR_URGENT_APART,	/* one byte, in smcr_urgent_part.byte */
	SMCR_URGENT_NOWHERE,	/* it gets none of them */
};

/**
 * struct smcr_urgent_part - the next bytes of a reader
 * @next: position after them
 * @place: where they are
 * @byte: see @place
 */
struct smcr_urgent_part {
	u64 next;
	enum smcr_urgent_place place;
	u8 byte;
};

void smcr_urgent_tx_begin(struct smcr_urgent_tx *u);
bool smcr_urgent_tx_end(struct smcr_urgent_tx *u);
void smcr_urgent_tx_set(struct smcr_urgent_tx *u, u64 end);
u64 smcr_urgent_tx_limit(const struct smcr_urgent_tx *u, u64 cons, u64 nxt,
			 u64 end);
u16 smcr_urgent_tx_flags(const struct smcr_urgent_tx *u, u64 prod, u64 end,
			 u64 cons);
void smcr_urgent_tx_posted(struct smcr_urgent_tx *u, u64 prod, u16 flags);
void smcr_urgent_tx_moved(struct smcr_urgent_tx *u, u64 cons);

bool smcr_urgent_rx_recv(struct smcr_urgent_rx *u, u16 flags, u64 prod,
			 u64 cons, u8 byte, bool in_line);
u64 smcr_urgent_rx_told(const struct smcr_urgent_rx *u, u64 cons);
u64 smcr_urgent_rx_from(const struct smcr_urgent_rx *u, u64 pos);
bool smcr_urgent_rx_at_mark(const struct smcr_urgent_rx *u, u64 pos);
u64 smcr_urgent_rx_queued(const struct smcr_urgent_rx *u, u64 cons, u64 end,
			  bool in_line);
void smcr_urgent_rx_part(const struct smcr_urgent_rx *u, u64 pos, u64 end,
			 bool in_line, struct smcr_urgent_part *part);
void smcr_urgent_rx_passed(struct smcr_urgent_rx *u, u64 cons);

#endif /* _SMCR_URGENT_H */
