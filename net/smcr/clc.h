/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CLC message at a time over the inner TCP socket (RFC 7609 3.2, C).
 */
#ifndef _SMCR_CLC_H
#define _SMCR_CLC_H

#include <linux/types.h>

#include "clc_msg.h"

struct sock;
struct socket;

/* Length of the longest message sent: a Proposal with all prefixes */
#define SMCR_CLC_TX_MAX	(SMCR_CLC_PROPOSAL_LEN + 17 * SMCR_MAX_PREFIXES)
/* A received message up to this length needs no allocation */
#define SMCR_CLC_RX_INLINE	192

/**
 * struct smcr_clc - CLC traffic of one handshake
 * @hdr: header of the message being received; all zero until it is complete
 * @rx: the received bytes: @rx_inline, or allocated for a longer message
 * @rx_len: number of bytes in @rx
 * @tx_len: length of the message in @tx, 0 if there is none
 * @tx_off: bytes of @tx that TCP has taken
 * @rx_inline: buffer for messages up to SMCR_CLC_RX_INLINE bytes
 * @tx: the message being sent
 *
 * The outer sock lock covers all of it.
 */
struct smcr_clc {
	struct smcr_clc_header	hdr;
	u8			*rx;
	u32			rx_len;
	u32			tx_len;
	u32			tx_off;
	u8			rx_inline[SMCR_CLC_RX_INLINE];
	u8			tx[SMCR_CLC_TX_MAX];
};

void smcr_clc_init(struct smcr_clc *clc);
enum smcr_clc_start __must_check smcr_clc_look(const struct sock *inner);
enum smcr_clc_start __must_check smcr_clc_peek(struct socket *inner, bool *fin);
int __must_check smcr_clc_recv(struct socket *inner, struct smcr_clc *clc);
void smcr_clc_recv_next(struct smcr_clc *clc);
int __must_check smcr_clc_send(struct socket *inner, struct smcr_clc *clc);
void smcr_clc_free(struct smcr_clc *clc);

#endif /* _SMCR_CLC_H */
