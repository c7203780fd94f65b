// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA devices: which port carries an address, and send chunks.
 *
 * Each device has a small list of its usable GIDs, made when the device comes
 * and again on each GID event, so that connect() learns without a walk over
 * the device's GID table (1024 entries on some) whether a netdev has a RoCE
 * port. The list is a hint: an entry is looked up in the table again before
 * it is used.
 *
 * Removal, in this order (law 3), and who may still hold what:
 *
 *   off the list	no lookup finds the device any more
 *   links fail		posting gates close, no new link is built
 *   groups end		their work drains and destroys each queue pair, then
 *			takes its RMBs from the device
 *   wait for @refs	lookups and verbs objects are gone: the device touches
 *			none of our memory now. Handshakes are not waited for:
 *			they have the structure only
 *   chunks unmapped	those in use too. A connection keeps its chunks for as
 *			long as its socket lives, but nothing maps or syncs
 *			them behind a closed gate
 *   @mem		the structure goes with the last link or chunk
 */
#include <linux/cleanup.h>
#include <linux/etherdevice.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "ib.h"
#include "lgr.h"
#include "link.h"

/* Free chunks that a device keeps: 16 MB. More are freed as they come back. */
#define IB_CHUNKS_KEPT		1024u

/* Pages of the largest RMB; some devices could map terabytes */
#define IB_RMB_PAGES_MAX	((u32)(SMCR_MAX_RMBES * SMCR_RMBE_SIZE_MAX / \
				       PAGE_SIZE))

/**
 * struct ib_gid_entry - a GID that may be used
 * @port: port number
 * @index: index in the port's GID table
 * @v2: RoCEv2; otherwise RoCEv1
 * @gid: the GID
 * @ndev: its netdev and
 * @net: that one's namespace, for comparing only, never dereferenced
 */
struct ib_gid_entry {
	u32		port;
	u16		index;
	bool		v2;
	union ib_gid	gid;
	const void	*ndev;
	const void	*net;
};

struct smcr_ib_gids {
	u32			n;
	struct ib_gid_entry	entry[] __counted_by(n);
};

struct smcr_ib_events {
	struct ib_event_handler	handler;
	struct smcr_ibdev	*dev;
};

/* What a GID is worth for a connection, best first */
enum ib_score {
	IB_SCORE_SAME,		/* RoCEv2, the connection's own address */
	IB_SCORE_ROUTABLE,	/* another RoCEv2 GID */
	IB_SCORE_LINK_LOCAL,	/* a link-local RoCEv2 GID */
	IB_SCORE_V1,		/* RoCEv1 */
	IB_SCORES,
};

/* Protects ib_devices and each device's @gids; leaf, any context */
static DEFINE_SPINLOCK(ib_lock);
static LIST_HEAD(ib_devices);
/* One update of a GID list at a time, so that the newest stays. Inside: ib_lock
 * and ib_core's table locks.
 */
static DEFINE_MUTEX(ib_gids_mutex);

static void ib_dev_release(struct kref *mem)
{
	kfree(container_of(mem, struct smcr_ibdev, mem));
}

/**
 * smcr_ib_dev_hold() - keep a device's structure, not the device
 * @dev: the device
 *
 * Context: any.
 */
void smcr_ib_dev_hold(struct smcr_ibdev *dev)
{
	kref_get(&dev->mem);
}

/**
 * smcr_ib_dev_drop() - undo smcr_ib_dev_hold()
 * @dev: the device
 *
 * Context: any.
 */
void smcr_ib_dev_drop(struct smcr_ibdev *dev)
{
	kref_put(&dev->mem, ib_dev_release);
}

static void ib_dev_put(struct smcr_ibdev *dev)
{
	if (refcount_dec_and_test(&dev->refs))
		complete(&dev->released);
}

/* Who uses the device has to have it; removal may take it away. */
static bool ib_dev_tryget(struct smcr_ibdev *dev)
{
	return !READ_ONCE(dev->removing) && refcount_inc_not_zero(&dev->refs);
}

/**
 * smcr_ib_port_drop() - forget what smcr_ib_port_find() found
 * @port: the port; @port->dev goes to NULL
 *
 * Harmless for a port that was never found.
 *
 * Context: any.
 */
void smcr_ib_port_drop(struct smcr_port *port)
{
	struct smcr_ibdev *dev = port->dev;

	port->dev = NULL;
	if (dev)
		smcr_ib_dev_drop(dev);
}

/**
 * smcr_ib_port_tryget() - keep a port's device from being removed
 * @port: a port the caller may use
 *
 * Context: any.
 * Return: false if the device goes, or has gone.
 */
bool smcr_ib_port_tryget(const struct smcr_port *port)
{
	return ib_dev_tryget(port->dev);
}

/**
 * smcr_ib_port_put() - undo smcr_ib_port_tryget()
 * @port: the port; @port->dev goes to NULL
 *
 * Context: any.
 */
void smcr_ib_port_put(struct smcr_port *port)
{
	struct smcr_ibdev *dev = port->dev;

	port->dev = NULL;
	ib_dev_put(dev);
}

/* GIDs of a device */

static bool ib_gid_read(struct ib_device *ibdev, u32 port, int index,
			struct ib_gid_entry *entry)
{
	const struct ib_gid_attr *attr;
	struct net_device *ndev;

	attr = rdma_get_gid_attr(ibdev, port, index);
	if (IS_ERR(attr))
		return false;
	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	entry->port = port;
	entry->index = index;
	entry->v2 = attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP;
	entry->gid = attr->gid;
	entry->ndev = ndev;
	entry->net = ndev ? dev_net(ndev) : NULL;
	rcu_read_unlock();
	rdma_put_gid_attr(attr);
	return ndev;
}

static u32 ib_gids_fill(struct ib_device *ibdev, struct ib_gid_entry *to, u32 n)
{
	struct ib_gid_entry entry;
	u32 port, found = 0;
	int i, len;

	rdma_for_each_port(ibdev, port) {
		if (!rdma_protocol_roce(ibdev, port))
			continue;
		len = ibdev->port_data[port].immutable.gid_tbl_len;
		for (i = 0; i < len; i++) {
			if (!ib_gid_read(ibdev, port, i, &entry))
				continue;
			if (found < n)
				to[found] = entry;
			found++;
		}
	}
	return found;
}

static int ib_gids_update(struct smcr_ibdev *dev)
{
	struct smcr_ib_gids *gids, *old;
	u32 n;

	guard(mutex)(&ib_gids_mutex);
	n = ib_gids_fill(dev->ibdev, NULL, 0);
	gids = kzalloc(struct_size(gids, entry, n), GFP_KERNEL);
	if (!gids)
		return -ENOMEM;
	gids->n = n;
	/* Entries may have come or gone between the two walks */
	n = ib_gids_fill(dev->ibdev, gids->entry, n);
	gids->n = min(n, gids->n);
	spin_lock_bh(&ib_lock);
	old = dev->gids;
	dev->gids = gids;
	spin_unlock_bh(&ib_lock);
	kfree(old);
	return 0;
}

static enum ib_score ib_gid_score(const struct ib_gid_entry *entry,
				  const struct in6_addr *local)
{
	const struct in6_addr *addr = (const struct in6_addr *)entry->gid.raw;

	if (!entry->v2)
		return IB_SCORE_V1;
	if (ipv6_addr_equal(addr, local))
		return IB_SCORE_SAME;
	if (ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL)
		return IB_SCORE_LINK_LOCAL;
	return IB_SCORE_ROUTABLE;
}

/**
 * struct ib_query - what a lookup wants
 * @ndev: the netdev, or NULL for any
 * @net: the namespace, or NULL for any
 * @gid: the GID, or NULL for any
 * @local: address to prefer, for @score
 * @score: worth that an entry must have, or IB_SCORES for any
 */
struct ib_query {
	const void		*ndev;
	const void		*net;
	const u8		*gid;
	const struct in6_addr	*local;
	enum ib_score		score;
};

static bool ib_match(const struct ib_query *q, const struct ib_gid_entry *e)
{
	if (q->ndev && q->ndev != e->ndev)
		return false;
	if (q->net && q->net != e->net)
		return false;
	if (q->gid && memcmp(q->gid, e->gid.raw, SMCR_GID_LEN))
		return false;
	return q->score == IB_SCORES || ib_gid_score(e, q->local) == q->score;
}

/* The entry number @nth of those that match, and a reference to its device. */
static struct smcr_ibdev *ib_lookup(const struct ib_query *q, u32 nth,
				    struct ib_gid_entry *out)
{
	struct smcr_ibdev *dev, *found = NULL;
	u32 i;

	spin_lock_bh(&ib_lock);
	list_for_each_entry(dev, &ib_devices, list) {
		for (i = 0; i < dev->gids->n && !found; i++) {
			if (!ib_match(q, &dev->gids->entry[i]) || nth--)
				continue;
			*out = dev->gids->entry[i];
			refcount_inc(&dev->refs);
			found = dev;
		}
		if (found)
			break;
	}
	spin_unlock_bh(&ib_lock);
	return found;
}

static bool ib_any_match(const struct ib_query *q)
{
	struct ib_gid_entry entry;
	struct smcr_ibdev *dev;

	dev = ib_lookup(q, 0, &entry);
	if (dev)
		ib_dev_put(dev);
	return dev;
}

/* Fill a port from the GID table itself; the entry was only a hint. */
static bool ib_port_fill(struct smcr_ibdev *dev,
			 const struct ib_gid_entry *entry,
			 struct smcr_port *out)
{
	const struct ib_gid_attr *attr;
	struct net_device *ndev;
	bool same = false;

	attr = rdma_get_gid_attr(dev->ibdev, entry->port, entry->index);
	if (IS_ERR(attr))
		return false;
	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	if (ndev && ndev == entry->ndev &&
	    !memcmp(&attr->gid, &entry->gid, sizeof(attr->gid))) {
		ether_addr_copy(out->mac, ndev->dev_addr);
		out->ifindex = ndev->ifindex;
		same = true;
	}
	rcu_read_unlock();
	rdma_put_gid_attr(attr);
	out->dev = dev;
	out->port = entry->port;
	out->sgid_index = entry->index;
	memcpy(out->gid, entry->gid.raw, SMCR_GID_LEN);
	return same;
}

/* Asks the driver, so it may sleep. */
static bool ib_port_active(struct smcr_port *port)
{
	struct ib_port_attr attr;

	if (ib_query_port(port->dev->ibdev, port->port, &attr))
		return false;
	port->mtu = attr.active_mtu;
	return attr.state == IB_PORT_ACTIVE && smcr_mtu_valid(port->mtu);
}

/* First active port for @q; its device's reference passes to @out. */
static bool ib_find(const struct ib_query *q, struct smcr_port *out)
{
	struct ib_gid_entry entry;
	struct smcr_ibdev *dev;
	u32 nth;

	for (nth = 0; (dev = ib_lookup(q, nth, &entry)); nth++) {
		memset(out, 0, sizeof(*out));
		if (ib_port_fill(dev, &entry, out) && ib_port_active(out))
			return true;
		ib_dev_put(dev);
	}
	memset(out, 0, sizeof(*out));
	return false;
}

/**
 * smcr_ib_port_find() - a port that reaches the LAN of a netdev
 * @ndev: netdev that carries the connection's address
 * @local: that address, IPv4 as a mapped one
 * @out: the port, to be dropped, or with @dev NULL. Whoever keeps it for long
 *	does not delay the removal of its device
 *
 * The GIDs on @ndev are tried in this order: the address itself, another
 * RoCEv2 GID, a link-local one, RoCEv1 (law 26).
 *
 * Context: process; asks the device.
 * Return: SMCR_PORT_OK, or why there is none.
 */
enum smcr_port_miss smcr_ib_port_find(struct net_device *ndev,
				      const struct in6_addr *local,
				      struct smcr_port *out)
{
	struct ib_query q = { .ndev = ndev, .local = local };

	for (q.score = 0; q.score < IB_SCORES; q.score++) {
		if (!ib_find(&q, out))
			continue;
		smcr_ib_dev_hold(out->dev);
		ib_dev_put(out->dev);
		return SMCR_PORT_OK;
	}
	q.score = IB_SCORES;
	return ib_any_match(&q) ? SMCR_PORT_NO_GID : SMCR_PORT_NO_RNIC;
}

/**
 * smcr_ib_port_usable() - may a connection over a netdev use RDMA?
 * @ndev: netdev of the route
 *
 * A cheap hint for connect(): smcr_ib_port_find() decides.
 *
 * Context: any but hard irq.
 * Return: true if the netdev carries a GID of a RoCE port.
 */
bool smcr_ib_port_usable(struct net_device *ndev)
{
	struct ib_query q = { .ndev = ndev, .score = IB_SCORES };

	return ib_any_match(&q);
}

/**
 * smcr_ib_any() - is there any device that could be used?
 *
 * Context: any.
 * Return: true if there is; a hint.
 */
bool smcr_ib_any(void)
{
	return !list_empty_careful(&ib_devices);
}

/**
 * smcr_ib_gid_is_ours() - does a local netdev carry this GID?
 * @net: namespace of the netdev
 * @gid: a GID that a peer claims
 *
 * Context: any but hard irq.
 * Return: true if one does.
 */
bool smcr_ib_gid_is_ours(const struct net *net, const u8 *gid)
{
	struct ib_query q = { .net = net, .gid = gid, .score = IB_SCORES };

	return ib_any_match(&q);
}

static bool ib_same_port(const struct smcr_port *a, const struct smcr_port *b)
{
	return a->dev == b->dev && a->port == b->port;
}

/**
 * smcr_ib_walk() - show each port that a namespace may use
 * @net: the namespace
 * @skip: ports to pass over, as an earlier call returned
 * @fn: called with the port's first GID, the device's name and whether the
 *	port is active; non-zero ends the walk and the port counts as not shown
 * @arg: for @fn
 *
 * Context: process; no lock is held while @fn runs.
 * Return: ports passed over or shown.
 */
int smcr_ib_walk(const struct net *net, int skip,
		 int (*fn)(const struct smcr_port *port, const char *dev,
			   bool active, void *arg), void *arg)
{
	struct ib_query q = { .net = net, .score = IB_SCORES };
	struct smcr_port port, last = {};
	struct ib_gid_entry entry;
	struct smcr_ibdev *dev;
	int stop = 0, seen = 0;
	u32 nth;

	for (nth = 0; !stop && (dev = ib_lookup(&q, nth, &entry)); nth++) {
		memset(&port, 0, sizeof(port));
		if (ib_port_fill(dev, &entry, &port) &&
		    !ib_same_port(&port, &last)) {
			last = port;
			if (seen >= skip) {
				bool active = ib_port_active(&port);

				stop = fn(&port, dev_name(&dev->ibdev->dev),
					  active, arg);
			}
			seen += !stop;
		}
		ib_dev_put(dev);
	}
	return seen;
}

/**
 * smcr_ib_dev_name() - name of a device, for displays
 * @dev: a device that the caller keeps, for links smcr_link_verbs_get()
 *
 * Context: any.
 * Return: the name, valid as long as the device.
 */
const char *smcr_ib_dev_name(const struct smcr_ibdev *dev)
{
	return dev_name(&dev->ibdev->dev);
}

/* Send chunks */

static void chunk_free(struct smcr_chunk *chunk)
{
	free_pages((unsigned long)chunk->vaddr, get_order(SMCR_CHUNK_SIZE));
	kfree(chunk);
}

/* The caller has taken it off the lists. */
static void chunk_unmap(struct smcr_ibdev *dev, struct smcr_chunk *chunk)
{
	ib_dma_unmap_single(dev->ibdev, chunk->dma, SMCR_CHUNK_SIZE,
			    DMA_TO_DEVICE);
}

static struct smcr_chunk *chunk_alloc(struct smcr_ibdev *dev, gfp_t gfp)
{
	struct smcr_chunk *chunk;
	struct page *page;

	chunk = kzalloc(sizeof(*chunk), gfp | __GFP_NOWARN);
	if (!chunk)
		return NULL;
	page = alloc_pages_node(ibdev_to_node(dev->ibdev), gfp | __GFP_NOWARN,
				get_order(SMCR_CHUNK_SIZE));
	if (!page)
		goto out;
	chunk->vaddr = page_address(page);
	chunk->dev = dev;
	chunk->dma = ib_dma_map_single(dev->ibdev, chunk->vaddr,
				       SMCR_CHUNK_SIZE, DMA_TO_DEVICE);
	if (!ib_dma_mapping_error(dev->ibdev, chunk->dma))
		return chunk;
	free_pages((unsigned long)chunk->vaddr, get_order(SMCR_CHUNK_SIZE));
out:
	kfree(chunk);
	return NULL;
}

static struct smcr_chunk *chunk_new(struct smcr_ibdev *dev, gfp_t gfp)
{
	struct smcr_chunk *chunk;

	if (!ib_dev_tryget(dev))
		return NULL;
	chunk = chunk_alloc(dev, gfp);
	if (chunk) {
		smcr_ib_dev_hold(dev);
		spin_lock_bh(&dev->chunk_lock);
		list_add(&chunk->all, &dev->all_chunks);
		spin_unlock_bh(&dev->chunk_lock);
	}
	ib_dev_put(dev);
	return chunk;
}

/**
 * smcr_ib_chunk_get() - take a chunk of send space
 * @dev: device, kept by smcr_ib_dev_hold() or better
 * @gfp: how to allocate if none is free
 * @fresh: set if it was allocated; left alone otherwise
 *
 * The pages are not charged to a cgroup (law 18).
 *
 * Context: as @gfp allows; not hard irq.
 * Return: the chunk, or NULL if there is no memory or the device has gone.
 */
struct smcr_chunk *smcr_ib_chunk_get(struct smcr_ibdev *dev, gfp_t gfp,
				     bool *fresh)
{
	struct smcr_chunk *chunk;

	spin_lock_bh(&dev->chunk_lock);
	chunk = list_first_entry_or_null(&dev->chunks, struct smcr_chunk, list);
	if (chunk) {
		list_del(&chunk->list);
		dev->n_free--;
		smcr_ib_dev_hold(dev);
	}
	spin_unlock_bh(&dev->chunk_lock);
	if (chunk)
		return chunk;
	chunk = chunk_new(dev, gfp);
	if (chunk)
		*fresh = true;
	return chunk;
}

/**
 * smcr_ib_chunk_put() - give a chunk back to its device's pool
 * @chunk: a chunk that no posted work request names, so that it may carry
 *	another peer's bytes next: see smcr_wr_chunk_put()
 *
 * Context: any but hard irq.
 */
void smcr_ib_chunk_put(struct smcr_chunk *chunk)
{
	struct smcr_ibdev *dev = chunk->dev;
	bool keep, gone;

	spin_lock_bh(&dev->chunk_lock);
	gone = dev->gone;
	keep = !gone && dev->n_free < IB_CHUNKS_KEPT;
	if (keep) {
		list_add(&chunk->list, &dev->chunks);
		dev->n_free++;
	} else if (!gone) {
		/* Unmapped under the lock: removal waits for it */
		list_del(&chunk->all);
		chunk_unmap(dev, chunk);
	}
	spin_unlock_bh(&dev->chunk_lock);
	if (!keep)
		chunk_free(chunk);
	smcr_ib_dev_drop(dev);
}

/* No gate on the device is open any more, so nobody syncs a chunk. */
static void ib_chunks_unmap(struct smcr_ibdev *dev)
{
	struct smcr_chunk *chunk, *next;
	LIST_HEAD(free);

	spin_lock_bh(&dev->chunk_lock);
	dev->gone = true;
	list_for_each_entry_safe(chunk, next, &dev->all_chunks, all) {
		list_del_init(&chunk->all);
		chunk_unmap(dev, chunk);
	}
	list_splice_init(&dev->chunks, &free);
	dev->n_free = 0;
	spin_unlock_bh(&dev->chunk_lock);
	list_for_each_entry_safe(chunk, next, &free, list)
		chunk_free(chunk);
}

/* Devices */

/* Port events are hints and can be lost: the queue pair's own retries decide
 * about a link, which has something to send once it is tested. Only the loss
 * of the whole device ends its links at once.
 */
static void ib_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct smcr_ib_events *events;

	events = container_of(handler, struct smcr_ib_events, handler);
	switch (event->event) {
	case IB_EVENT_DEVICE_FATAL:
		smcr_link_device_failed(events->dev, -EIO);
		break;
	case IB_EVENT_PORT_ERR:
		smcr_link_port_down(events->dev, event->element.port_num);
		break;
	case IB_EVENT_GID_CHANGE:
	case IB_EVENT_PORT_ACTIVE:
		/* Without memory the old list stays: entries are checked
		 * before use, so at worst a new address is TCP only
		 */
		ib_gids_update(events->dev);
		break;
	default:
		break;
	}
}

static bool ib_has_roce(struct ib_device *ibdev)
{
	u32 port;

	rdma_for_each_port(ibdev, port) {
		if (rdma_protocol_roce(ibdev, port))
			return true;
	}
	return false;
}

static bool ib_supported(struct ib_device *ibdev)
{
	if (ibdev->node_type == RDMA_NODE_RNIC) {
		pr_info("smcr: %s is iWARP; SMC-R needs RoCE, not used\n",
			dev_name(&ibdev->dev));
		return false;
	}
	if (ibdev->node_type != RDMA_NODE_IB_CA || !ib_has_roce(ibdev))
		return false;
	if (!(ibdev->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS)) {
		pr_info("smcr: %s cannot register memory by work request, not used\n",
			dev_name(&ibdev->dev));
		return false;
	}
	return true;
}

static struct smcr_ibdev *ib_dev_alloc(struct ib_device *ibdev)
{
	struct smcr_ibdev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return NULL;
	dev->events = kzalloc(sizeof(*dev->events), GFP_KERNEL);
	if (!dev->events) {
		kfree(dev);
		return NULL;
	}
	dev->ibdev = ibdev;
	refcount_set(&dev->refs, 1);
	kref_init(&dev->mem);
	init_completion(&dev->released);
	INIT_LIST_HEAD(&dev->list);
	spin_lock_init(&dev->links_lock);
	INIT_LIST_HEAD(&dev->links);
	spin_lock_init(&dev->chunk_lock);
	INIT_LIST_HEAD(&dev->chunks);
	INIT_LIST_HEAD(&dev->all_chunks);
	dev->max_mr_pages = min(ibdev->attrs.max_fast_reg_page_list_len,
				IB_RMB_PAGES_MAX);
	dev->max_qp_wr = ibdev->attrs.max_qp_wr;
	dev->max_cqe = ibdev->attrs.max_cqe;
	dev->max_send_sge = ibdev->attrs.max_send_sge;
	return dev;
}

static int ib_add(struct ib_device *ibdev);
static void ib_remove(struct ib_device *ibdev, void *client_data);

static struct ib_client ib_client = {
	.name	= "smcr",
	.add	= ib_add,
	.remove	= ib_remove,
};

static int ib_add(struct ib_device *ibdev)
{
	struct smcr_ibdev *dev;

	if (!ib_supported(ibdev))
		return -EOPNOTSUPP;
	dev = ib_dev_alloc(ibdev);
	if (!dev)
		return -ENOMEM;
	dev->events->dev = dev;
	INIT_IB_EVENT_HANDLER(&dev->events->handler, ibdev, ib_event);
	ib_register_event_handler(&dev->events->handler);
	if (ib_gids_update(dev)) {
		ib_unregister_event_handler(&dev->events->handler);
		kfree(dev->gids);
		kfree(dev->events);
		smcr_ib_dev_drop(dev);
		return -ENOMEM;
	}
	ib_set_client_data(ibdev, &ib_client, dev);
	spin_lock_bh(&ib_lock);
	list_add_tail(&dev->list, &ib_devices);
	spin_unlock_bh(&ib_lock);
	return 0;
}

/* Runs without rtnl; see the order at the top. */
static void ib_remove(struct ib_device *ibdev, void *client_data)
{
	struct smcr_ibdev *dev = client_data;

	spin_lock_bh(&ib_lock);
	list_del_init(&dev->list);
	spin_unlock_bh(&ib_lock);
	ib_unregister_event_handler(&dev->events->handler);
	smcr_link_device_failed(dev, -ENODEV);
	smcr_lgr_device_removed(dev);
	ib_dev_put(dev);
	wait_for_completion(&dev->released);
	ib_chunks_unmap(dev);
	kfree(dev->gids);
	kfree(dev->events);
	smcr_ib_dev_drop(dev);
}

/**
 * smcr_ib_init() - start to use the host's RDMA devices
 *
 * Context: module load.
 * Return: 0 or -errno.
 */
int smcr_ib_init(void)
{
	return ib_register_client(&ib_client);
}

/**
 * smcr_ib_exit() - leave all devices
 *
 * Context: module unload, after all link groups were terminated; waits for
 * the last link.
 */
void smcr_ib_exit(void)
{
	ib_unregister_client(&ib_client);
}
