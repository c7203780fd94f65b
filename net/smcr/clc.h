/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CLC message at a time over the inner TCP socket (RFC 7609 3.2, C).
 */
#ifndef _SMCR_CLC_H
#define _SMCR_CLC_H

#include <linux/types.h>

#include "clc_msg.h"

struct socket;

/* The longest message that we send: a Proposal with all prefixes. */
#define SMCR_CLC_TX_MAX	(SMCR_CLC_PROPOSAL_LEN + 17 * SMCR_MAX_PREFIXES)
/* Messages up to this length need no allocation. */
#define SMCR_CLC_RX_INLINE	192

/**
 * struct smcr_clc - CLC traffic of one handshake
 * @hdr: header of the message that is coming in, once it is complete
 * @rx: its bytes: @rx_inline, or allocated if it is longer
 * @rx_len: how many there are
 * @tx_len: length of the message that is going out, 0 if none
 * @tx_off: how much of it TCP has taken
 * @rx_inline: room for usual messages
 * @tx: the message that is going out
 *
 * Only the handshake's steps, which never run twice at a time, use it.
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
int smcr_clc_recv(struct socket *inner, struct smcr_clc *clc);
void smcr_clc_recv_next(struct smcr_clc *clc);
int smcr_clc_send(struct socket *inner, struct smcr_clc *clc);
void smcr_clc_free(struct smcr_clc *clc);

#endif /* _SMCR_CLC_H */
