// SPDX-License-Identifier: GPL-2.0
/*
 * The peer ID of a TCP/IP stack (RFC 7609 A.2.1), see peer_id.h.
 */
#include <linux/etherdevice.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "ib.h"
#include "peer_id.h"
#include "smcr.h"

/* Protects @newest and the peer IDs of all namespaces; leaf, process context */
static DEFINE_SPINLOCK(id_lock);

/* Number of the stack that has started last on this host */
static u64 newest;

/**
 * smcr_peer_id_tell() - return the peer ID for a message that is sent now
 * @net: the namespace
 * @port: a RoCE port that the namespace uses; its @dev is NULL if none is known
 * @raw: the peer ID
 *
 * The first port that is known gives the ID its MAC, and the ID stays. A
 * namespace that has declined before it had a port has used a random MAC, which
 * is marked as locally administered. No peer remembers the sender of a Decline.
 *
 * Context: process.
 */
void smcr_peer_id_tell(struct net *net, const struct smcr_port *port, u8 *raw)
{
	struct smcr_peer_id *id = &smcr_pernet(net)->peer_id;
	u8 mac[ETH_ALEN];

	eth_random_addr(mac);
	spin_lock(&id_lock);
	if (smcr_peer_id_due(id, port->dev)) {
		newest = smcr_peer_id_next(newest, ktime_get_real_ns());
		smcr_peer_id_make(id, newest, port->dev ? port->mac : mac,
				  port->dev);
	}
	memcpy(raw, id->raw, sizeof(id->raw));
	spin_unlock(&id_lock);
}

/**
 * smcr_peer_id_is_ours() - does a peer claim the ID of this stack?
 * @net: the namespace
 * @raw: the peer ID in its message
 *
 * Context: process.
 */
bool smcr_peer_id_is_ours(struct net *net, const u8 *raw)
{
	const struct smcr_peer_id *id = &smcr_pernet(net)->peer_id;
	bool same;

	spin_lock(&id_lock);
	same = id->made && !memcmp(raw, id->raw, sizeof(id->raw));
	spin_unlock(&id_lock);
	return same;
}
