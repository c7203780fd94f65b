/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decisions of a link group that are arithmetic only: link numbers, limits of
 * links and connections, sizes of RMBs (RFC 7609, 2.2 and 3.5.1.6).
 */
#ifndef _SMCR_LGR_POLICY_H
#define _SMCR_LGR_POLICY_H

#include "llc_msg.h"

/* A Linux peer has at most 255 connections in a group. */
#define SMCR_LINUX_MAX_CONNS	255
#define SMCR_FIRST_RMB_ELEMENTS	4
/* Number of free elements that is enough; a quarter of the largest RMB */
#define SMCR_SPARE_ELEMENTS	64

/**
 * struct smcr_link_nums - link numbers of one group (2.2.4)
 * @used: bit i is set if number i was given since the numbers were last
 *	exhausted
 *
 * All zero at the start. Only first contact and the group's work use it, one
 * after the other, so it needs no lock.
 */
struct smcr_link_nums {
	u32 used[(SMCR_MAX_LINK_NUM + 32) / 32];
};

/**
 * struct smcr_add_link_view - what a client knows when ADD LINK arrives
 * @mtu: MTU code in the message
 * @same_peer_port: MAC address and GID in the message are those of the server
 *	end of a symmetric link
 * @spare_port: this host has a port on the LAN that no symmetric link of the
 *	group uses
 * @has_asymmetric: the group has an asymmetric link
 * @nr_symmetric: symmetric links in the group
 * @max_links: limit agreed in CONFIRM LINK
 */
struct smcr_add_link_view {
	u8 mtu;
	bool same_peer_port;
	bool spare_port;
	bool has_asymmetric;
	u8 nr_symmetric;
	u8 max_links;
};

/**
 * struct smcr_link_ends - the ports of a link
 * @dev: the local device; only compared
 * @port: the local port number
 * @peer_gid: GID of the peer's port
 * @age: smcr_link.age
 */
struct smcr_link_ends {
	const void	*dev;
	u32		port;
	const u8	*peer_gid;
	u32		age;
};

/**
 * smcr_add_link_names_link() - does a server's ADD LINK name a link?
 * @msg: decoded request
 *
 * Return: false if the link number or the queue pair number is not valid; the
 * link that the message came over has failed then (C.7.1).
 */
static inline bool
smcr_add_link_names_link(const struct smcr_llc_add_link *msg)
{
	return msg->link_num && msg->qpn > 1;
}

int smcr_link_nums_next(struct smcr_link_nums *nums, const u8 *live,
			unsigned int nr_live);
bool smcr_link_nums_given(const struct smcr_link_nums *nums, u8 num);
bool smcr_link_nums_drop(struct smcr_link_nums *nums, u8 num);
int smcr_link_nums_take(struct smcr_link_nums *nums, u8 num, const u8 *live,
			unsigned int nr_live);

u8 smcr_lgr_policy_max_links(u8 ours, u8 theirs);
u8 smcr_lgr_policy_add_link(const struct smcr_add_link_view *view);
u8 smcr_lgr_policy_asymmetric(const struct smcr_link_ends *ends,
			      unsigned int n);
u8 smcr_lgr_policy_unneeded(const struct smcr_link_ends *ends, unsigned int n);
int smcr_lgr_policy_in_the_way(const struct smcr_link_ends *ends,
			       unsigned int n, bool asked);
unsigned int smcr_lgr_policy_retry_ms(unsigned int tries, u32 min_ms,
				      u32 max_ms);
bool smcr_lgr_policy_has_room(enum smcr_dialect dialect, unsigned int nr_conns,
			      unsigned int nr_rmbs);
u8 smcr_lgr_policy_rmb_elements(u32 mr_bytes, u32 size, unsigned int nr_rmbs,
				u32 left);
bool smcr_lgr_policy_want_rmb(unsigned int used, unsigned int total);

#endif /* _SMCR_LGR_POLICY_H */
