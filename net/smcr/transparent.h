/* SPDX-License-Identifier: GPL-2.0 */
/*
 * net.smcr.transparent: programs that ask for TCP get SMC-R.
 */
#ifndef _SMCR_TRANSPARENT_H
#define _SMCR_TRANSPARENT_H

struct net;

int smcr_transparent_set(struct net *net, int val);

#endif /* _SMCR_TRANSPARENT_H */
