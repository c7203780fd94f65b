// SPDX-License-Identifier: GPL-2.0
/*
 * The watch over the paths that a link group has lost (RFC 7609 C.8).
 *
 * A try to add a link costs a queue pair at both ends, so the time between the
 * tries doubles. A path that falls silent while the ports at its ends stay up,
 * as when a switch behind them fails, gives no event when it is back. So, while
 * the group looks for a further link, it asks for the neighbours at the other
 * ends of the lost paths by ARP or neighbour discovery. One that was silent
 * and answers leads to a try at once, and the times begin anew. The neighbour
 * tables probe a silent neighbour once a second, whoever asks for it; one that
 * answers costs at most two packets a second.
 *
 * If only RoCE is silent on a path, its neighbour answers all the time. Then
 * the timer alone decides when to try.
 *
 * The GID is what the peer says it is. A false one makes this host ask for some
 * address on the netdev's LAN, for at most SMCR_MAX_LINKS GIDs a group.
 */
#include "lgr.h"
#include "lgr_grow.h"
#include "neigh.h"

/* Half the time between two probes of a silent neighbour, by default */
#define WATCH_INTERVAL	(HZ / 2)

static struct smcr_lost_path *path_find(struct smcr_lgr_grow *grow,
					const struct smcr_link *link)
{
	struct smcr_lost_path *path = grow->path;

	for (; path < &grow->path[grow->n_paths]; path++)
		if (path->ifindex == link->local.ifindex &&
		    !memcmp(path->gid, link->peer.gid, SMCR_GID_LEN))
			return path;
	return NULL;
}

/**
 * smcr_lgr_watch_begin() - a path was lost
 * @link: a link that has failed, or that could not be set up
 *
 * If more paths are lost than a group can have links, the oldest ones are not
 * watched any more.
 *
 * Context: the group's work.
 */
void smcr_lgr_watch_begin(const struct smcr_link *link)
{
	struct smcr_lgr_grow *grow = &link->lgr->grow;
	struct smcr_lost_path *path;

	/* Without a reply to ADD LINK the other end is not known. */
	if (!memchr_inv(link->peer.gid, 0, SMCR_GID_LEN) ||
	    path_find(grow, link))
		return;
	if (grow->n_paths == ARRAY_SIZE(grow->path))
		memmove(grow->path, grow->path + 1,
			--grow->n_paths * sizeof(*grow->path));
	path = &grow->path[grow->n_paths++];
	*path = (struct smcr_lost_path) { .ifindex = link->local.ifindex };
	memcpy(path->gid, link->peer.gid, SMCR_GID_LEN);
	grow->watch_at = jiffies;
}

/**
 * smcr_lgr_watch_end() - a path is in use again
 * @link: a link that is new
 *
 * Context: the group's work.
 */
void smcr_lgr_watch_end(const struct smcr_link *link)
{
	struct smcr_lgr_grow *grow = &link->lgr->grow;
	struct smcr_lost_path *path = path_find(grow, link);

	if (path)
		*path = grow->path[--grow->n_paths];
}

/* Ask for the neighbour of a lost path. Return: true if it was silent and has
 * answered.
 */
static bool path_is_back(struct smcr_lgr *lgr, struct smcr_lost_path *path)
{
	enum smcr_neigh neigh = smcr_neigh_ask(lgr->net, path->ifindex,
					       path->gid);
	bool first = !path->asked;

	path->asked = true;
	/* The first question is answered by what was known before the loss. */
	if (first || neigh == SMCR_NEIGH_UNKNOWN)
		return false;
	if (neigh == SMCR_NEIGH_ANSWERS && path->silent) {
		path->silent = false;
		return true;
	}
	path->silent = neigh == SMCR_NEIGH_SILENT;
	return false;
}

/**
 * smcr_lgr_watch() - ask for the neighbours of lost paths
 * @lgr: the group
 *
 * Context: the group's work, before smcr_lgr_grow().
 * Return: jiffies when this has to be called again, 0 for never.
 */
unsigned long smcr_lgr_watch(struct smcr_lgr *lgr)
{
	struct smcr_lgr_grow *grow = &lgr->grow;
	unsigned int i, back = 0;

	if (!grow->on)
		grow->n_paths = 0;
	if (!grow->n_paths || smcr_lgr_state(lgr) != SMCR_LGR_ACTIVE)
		return 0;
	if (time_before(jiffies, grow->watch_at))
		return grow->watch_at;
	for (i = 0; i < grow->n_paths; i++)
		back += path_is_back(lgr, &grow->path[i]);
	if (back) {
		smcr_mib_add(lgr->net, SMCR_MIB_PATHSBACK, back);
		smcr_lgr_grow_again(lgr, 0);
	}
	grow->watch_at = jiffies + WATCH_INTERVAL;
	return grow->watch_at;
}
