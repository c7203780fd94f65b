/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a first contact makes: the first link and RMB of a group; and the queue
 * pairs of further links.
 */
#ifndef _SMCR_LGR_FORM_H
#define _SMCR_LGR_FORM_H

#include "ib.h"
#include "link.h"

struct smcr_lgr;

/**
 * struct smcr_lgr_form - the first link and RMB of a group
 * @port: local port of the link; keeps the structure of its device until both
 *	are made
 * @elem_size: bytes of an element of the RMB
 * @result: of the RMB work: 0 once both are made, -errno if one cannot be made,
 *	-EINPROGRESS before
 */
struct smcr_lgr_form {
	struct smcr_port	port;
	u32			elem_size;
	int			result;
};

void smcr_lgr_form_begin(struct smcr_lgr *lgr, const struct smcr_port *port,
			 u32 elem_size);
int __must_check smcr_lgr_formed(const struct smcr_lgr *lgr);
void smcr_lgr_form_connect(struct smcr_link *link,
			   const struct smcr_link_peer *peer);
void smcr_lgr_form_work(struct smcr_lgr *lgr);
void smcr_lgr_form_links(struct smcr_lgr *lgr);

#endif /* _SMCR_LGR_FORM_H */
