/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a device has of objects that are gone, and what it keeps of them.
 */
#ifndef _SMCR_LINK_GONE_H
#define _SMCR_LINK_GONE_H

#include <linux/llist.h>

struct smcr_ibdev;
struct smcr_link;

/**
 * struct smcr_link_gone - what a device has of an object that is gone
 * @node: entry in smcr_link.gone, or in smcr_link.kept
 * @destroy: takes it off the device, and frees this structure; on smcr_stop_wq.
 *	If it returns -errno, the device keeps the object, and it is called
 *	again when the device is removed: the namespace may be gone then
 */
struct smcr_link_gone {
	struct llist_node	node;
	int			(*destroy)(struct smcr_link_gone *gone);
};

void smcr_link_destroy_later(struct smcr_link *link,
			     struct smcr_link_gone *gone);
void smcr_link_kept_destroy(struct smcr_ibdev *dev);

#endif /* _SMCR_LINK_GONE_H */
