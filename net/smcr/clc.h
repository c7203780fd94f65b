/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CLC message at a time over the inner TCP socket (RFC 7609 3.2, C).
 */
#ifndef _SMCR_CLC_H
#define _SMCR_CLC_H

#include <linux/types.h>

#include "clc_msg.h"

struct sock;

/**
 * struct smcr_clc - CLC traffic of one handshake
 * @rx: bytes of the message that is coming in
 * @rx_len: how many there are
 * @hdr: its header, once @rx_len has reached the header's length
 * @tx: the message that is going out
 * @tx_len: its length, 0 if none
 * @tx_off: how much of it TCP has taken
 *
 * Only the handshake's step function, which never runs twice at a time, uses
 * it.
 */
struct smcr_clc {
	u32			rx_len;
	struct smcr_clc_header	hdr;
	u32			tx_len;
	u32			tx_off;
	u8			*rx;
	u8			tx[SMCR_CLC_TX_MAX];
};

int smcr_clc_recv(struct sock *inner, struct smcr_clc *clc);
void smcr_clc_recv_next(struct smcr_clc *clc);
int smcr_clc_send(struct sock *inner, struct smcr_clc *clc);
void smcr_clc_free(struct smcr_clc *clc);

#endif /* _SMCR_CLC_H */
