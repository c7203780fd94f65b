/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Received CDC messages of a connection (RFC 7609 4.7, A.4).
 */
#ifndef _SMCR_CDC_H
#define _SMCR_CDC_H

#include <linux/types.h>

struct smcr_conn;
struct smcr_link;

void smcr_cdc_replay(struct smcr_conn *conn);
void smcr_cdc_validate(struct smcr_conn *conn);
void smcr_cdc_unpark(struct smcr_conn *conn);
bool smcr_cdc_waits(const struct smcr_conn *conn);

/* Events from the link layer */
int __must_check smcr_cdc_recv(struct smcr_link *link, const u8 *msg, u32 len);

#endif /* _SMCR_CDC_H */
