/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links of a link group: their slots, their choice, their loss.
 */
#ifndef _SMCR_LGR_LINKS_H
#define _SMCR_LGR_LINKS_H

#include <linux/workqueue.h>

#include "link.h"

struct smcr_lgr;
struct smcr_link_ends;

/**
 * struct smcr_lgr_links - some links of a group, each with a reference
 * @n: entries of @link
 * @asymmetric: bit i is set if @link[i] is ACTIVE and asymmetric (2.2.1)
 * @link: the links, in the order of their slots
 *
 * An asymmetric link adds no redundancy at the end where it shares a port, so
 * connections use it only if there is no other.
 */
struct smcr_lgr_links {
	unsigned int		n;
	u8			asymmetric;
	struct smcr_link	*link[SMCR_MAX_LINKS];
};

/**
 * struct smcr_link_change - the last change of a link
 * @state: its state since then
 * @reason: why it was added, or why it failed
 * @at: jiffies_64 of the change
 */
struct smcr_link_change {
	enum smcr_link_state	state;
	enum smcr_link_reason	reason;
	u64			at;
};

/**
 * struct smcr_links_left - the links that have left a group last
 * @n: links that have ever left, modulo 2^32
 * @peer: remote ends; the last one is entry @n - 1 modulo the size
 * @at: jiffies when they left
 */
struct smcr_links_left {
	u32			n;
	struct smcr_link_peer	peer[SMCR_MAX_LINKS];
	unsigned long		at[SMCR_MAX_LINKS];
};

/**
 * struct smcr_lgr_end - the end of a DEAD group's links
 * @drain: drains the links that were ever connected, and resets the
 *	connections, on smcr_drain_wq. It owns a reference to the group, which
 *	passes to @stop
 * @stop: destroys the links, on smcr_stop_wq
 * @links: the links
 */
struct smcr_lgr_end {
	struct work_struct	drain;
	struct work_struct	stop;
	struct smcr_lgr_links	links;
};

/**
 * struct smcr_link_test - a TEST LINK whose answer somebody waits for
 * @age: smcr_link.age of its link
 * @nr: its number on that link
 */
struct smcr_link_test {
	u32	age;
	u32	nr;
};

/**
 * smcr_link_tested() - has the peer answered a TEST LINK?
 * @link: a link whose last test was answered
 * @test: the one to look for
 *
 * Context: the group's work.
 */
static inline bool smcr_link_tested(const struct smcr_link *link,
				    const struct smcr_link_test *test)
{
	return test->age == link->age &&
	       (s32)(READ_ONCE(link->tests) - test->nr) >= 0;
}

/**
 * smcr_link_was_ready() - has a link ever been connected?
 * @link: the link
 *
 * Context: any.
 * Return: true if it has been READY, or has failed just before: its queue pair
 * exists. Otherwise no message has passed it, and none will if it has failed.
 */
static inline bool smcr_link_was_ready(const struct smcr_link *link)
{
	/* Pairs with link_connect() in link.c */
	return smp_load_acquire(&link->mtu);
}

int __must_check smcr_lgr_link_first(struct smcr_lgr *lgr,
				     const struct smcr_port *port);
int __must_check smcr_lgr_link_join(struct smcr_lgr *lgr,
				    struct smcr_link *link);
void smcr_lgr_link_leave(struct smcr_lgr *lgr, struct smcr_link *link);
struct smcr_link * __must_check smcr_lgr_link(struct smcr_lgr *lgr);
struct smcr_link * __must_check smcr_lgr_link_at(struct smcr_lgr *lgr,
						 int slot);
struct smcr_link * __must_check smcr_lgr_link_by_num(struct smcr_lgr *lgr,
						     u8 num);
struct smcr_link * __must_check
smcr_lgr_link_named(struct smcr_lgr *lgr, const u8 *gid, const u8 *mac,
		    u32 qpn);
struct smcr_link * __must_check
smcr_lgr_link_carrier(struct smcr_lgr *lgr, const struct smcr_link *but);
void smcr_lgr_links_get(struct smcr_lgr *lgr, enum smcr_link_state min,
			struct smcr_lgr_links *links);
void smcr_lgr_links_put(struct smcr_lgr_links *links);
unsigned int smcr_lgr_links_ends(const struct smcr_lgr_links *links,
				 struct smcr_link_ends *ends);
unsigned int smcr_lgr_links_ports(const struct smcr_lgr_links *links,
				  struct smcr_port *ports);
unsigned int smcr_lgr_connected(struct smcr_lgr *lgr);
bool smcr_lgr_repeats(const struct smcr_lgr *lgr);
bool smcr_lgr_draining(struct smcr_lgr *lgr);
void smcr_lgr_links_doubtful(struct smcr_lgr *lgr);
void smcr_lgr_link_probe(struct smcr_link *link, struct smcr_link_test *test);
void smcr_lgr_links_lost(struct smcr_lgr *lgr);
void smcr_lgr_links_balance(struct smcr_lgr *lgr);
void smcr_lgr_links_end(struct smcr_lgr *lgr, struct smcr_lgr_links *links);
void smcr_lgr_links_drain(struct smcr_lgr *lgr,
			  const struct smcr_lgr_links *links);
void smcr_lgr_links_stop(const struct smcr_lgr_links *links);

/**
 * smcr_lgr_redundant() - may a connection of the group move to another link?
 * @lgr: the group
 *
 * Context: any but hard irq; a connection's lock may be held.
 * Return: true if two or more links are connected and have not failed.
 */
static inline bool smcr_lgr_redundant(struct smcr_lgr *lgr)
{
	return smcr_lgr_connected(lgr) > 1;
}

void smcr_lgr_link_accuse(struct smcr_link *link);
void smcr_lgr_link_proved(struct smcr_link *link);

/* Events from the link layer */
void smcr_lgr_link_failed(struct smcr_link *link);
void smcr_lgr_link_drained(struct smcr_link *link);
void smcr_lgr_link_stopped(struct smcr_link *link);
void smcr_lgr_link_doubtful(struct smcr_link *link);
void smcr_lgr_link_port_lost(struct smcr_link *link);
void smcr_lgr_device_removed(struct smcr_ibdev *dev);
void smcr_lgr_port_ready(struct smcr_ibdev *dev);

#endif /* _SMCR_LGR_LINKS_H */
