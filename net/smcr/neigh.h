/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel's neighbour tables know of a peer's GID.
 */
#ifndef _SMCR_NEIGH_H
#define _SMCR_NEIGH_H

#include <linux/types.h>

struct net;

/**
 * enum smcr_neigh - does the peer's end of a path answer ARP or neighbour
 *	discovery?
 * @SMCR_NEIGH_UNKNOWN: it has been asked, or cannot be
 * @SMCR_NEIGH_SILENT: it has answered none of the probes
 * @SMCR_NEIGH_ANSWERS: it has answered the last one
 */
enum smcr_neigh {
	SMCR_NEIGH_UNKNOWN,
	SMCR_NEIGH_SILENT,
	SMCR_NEIGH_ANSWERS,
};

enum smcr_neigh smcr_neigh_ask(struct net *net, int ifindex, const u8 *gid);

#endif /* _SMCR_NEIGH_H */
