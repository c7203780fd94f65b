// SPDX-License-Identifier: GPL-2.0
/*
 * RMBs: memory, mappings, elements (RFC 7609 2.1, 4.4).
 *
 * The memory of an RMB is freed with the last reference, and a connection whose
 * application does not read may hold one for any time. The mappings of an RMB,
 * one per link, end earlier: when the link is DEAD or the peer has forgotten
 * the key. The end of a link or the removal of a device therefore does not wait
 * for a reader (see "removal waits for verbs only" in smcr.rst).
 *
 * A mapping ends in two steps, because a device may take a minute to release
 * memory. smcr_rmb_unmap() empties the slot of the link and hands the memory
 * region and the DMA mapping over to struct smcr_rmb_gone. Only the link's
 * work item on smcr_stop_wq finds them then, and takes them off the device.
 * Until that is done they own
 *
 *   a reference to the RMB		the device may still have its pages
 *   a count in the link's verbs	the removal of the device waits for them
 *   a reference to the link		and with it to the group, for which the
 *					end of the namespace and of the module
 *					wait
 *
 * If the device fails to take a memory region off, these are dropped all the
 * same, but for the pages and the DMA mapping, to which the device may still
 * write. They stay until the device is removed; see the top of link.c.
 *
 * States of an element; only the functions named change them:
 *
 *             take              return, orderly            clean
 *   FREE ------------> USED --------------------> DIRTY ---------> FREE
 *                       | |                                         ^ ^
 *                       | +-- return, abnormal --> QUARANTINE ------+ |
 *                       |                               clean, later  |
 *                       +- return, never offered or nearly untouched -+
 *
 * smcr_rmb_clean() zeroes DIRTY and QUARANTINE elements without the lock: no
 * other context uses an element in these states.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/ib_verbs.h>

#include "ib.h"
#include "lgr.h"
#include "link.h"
#include "link_gone.h"
#include "mib.h"
#include "rmb.h"
#include "smcr.h"

/* Random bits of an address. The low bits are 0, so it is page aligned; the top
 * bits are 0, so the end of the RMB is below 2^63.
 */
#define RMB_IOVA_MASK	GENMASK_ULL(61, PAGE_SHIFT)

/* Up to so many bytes of an element are zeroed when it is returned, because
 * queueing the RMB work for them costs more.
 */
#define ELEM_ZERO_NOW	1024u

/**
 * struct smcr_rmb_gone - what a device has of a mapping that has ended
 * @gone: entry in the link's list
 * @rmb: the RMB, with a reference; of @rmb->mem if the device keeps the region
 * @link: the link, with a reference and a count in its verbs objects; if the
 *	device keeps the region, the link's memory
 * @mr: memory region
 * @sgt: DMA mapping
 * @registered: the region was registered
 */
struct smcr_rmb_gone {
	struct smcr_link_gone	gone;
	struct smcr_rmb		*rmb;
	struct smcr_link	*link;
	struct ib_mr		*mr;
	struct sg_table		sgt;
	bool			registered;
};

static u32 rmb_bytes(const struct smcr_rmb *rmb)
{
	return rmb->n_pages << PAGE_SHIFT;
}

static void *rmb_pages(struct smcr_link *link, u32 bytes)
{
	int node = NUMA_NO_NODE;

	if (smcr_link_verbs_get(link)) {
		node = ibdev_to_node(link->local.dev->ibdev);
		smcr_link_verbs_put(link);
	}
	return kvmalloc_node(bytes, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN,
			     node);
}

static int rmb_charge(struct net *net, u32 bytes)
{
	struct smcr_net *sn = smcr_pernet(net);
	unsigned long max = READ_ONCE(sn->sysctl.max_rmb_bytes);

	if (atomic_long_add_return(bytes, &sn->rmb_bytes) <= max)
		return 0;
	atomic_long_sub(bytes, &sn->rmb_bytes);
	smcr_mib_inc(net, SMCR_MIB_RMBSREFUSED);
	return -EDQUOT;
}

/**
 * smcr_rmb_room() - count the bytes that a namespace may still use for RMBs
 * @net: the namespace
 *
 * Context: any.
 * Return: bytes, as a hint; 4 GB stand for more.
 */
u32 smcr_rmb_room(const struct net *net)
{
	const struct smcr_net *sn = smcr_pernet(net);
	unsigned long max = READ_ONCE(sn->sysctl.max_rmb_bytes);
	unsigned long used = atomic_long_read(&sn->rmb_bytes);

	return used < max ? min_t(unsigned long, max - used, U32_MAX) : 0;
}

/**
 * smcr_rmb_check() - is there memory for the first element of a group?
 * @net: the namespace
 * @elem_size: bytes of the element
 *
 * Counts a refusal. What is there now may be gone when smcr_rmb_alloc() asks
 * for it.
 *
 * Context: any.
 * Return: 0; -EDQUOT if the namespace's limit is reached.
 */
int smcr_rmb_check(struct net *net, u32 elem_size)
{
	if (elem_size <= smcr_rmb_room(net))
		return 0;
	smcr_mib_inc(net, SMCR_MIB_RMBSREFUSED);
	return -EDQUOT;
}

/**
 * smcr_rmb_alloc() - allocate an RMB
 * @link: first link that the RMB will be mapped to; the memory counts against
 *	the cap (net.smcr.max_rmb_bytes) of the namespace of its group
 * @elem_size: bytes of one element, 16 KB to 512 KB
 * @n_elems: elements, 1..255
 *
 * The pages are zeroed, near the link's device, and not necessarily physically
 * contiguous. They are not charged to a cgroup, because each connection charges
 * its element to its socket.
 *
 * Context: process.
 * Return: the RMB with one reference, ERR_PTR(-EDQUOT) or ERR_PTR(-ENOMEM).
 */
struct smcr_rmb *smcr_rmb_alloc(struct smcr_link *link, u32 elem_size,
				u16 n_elems)
{
	struct net *net = link->lgr->net;
	/* Elements do not fill the last page where pages are large */
	u32 bytes = PAGE_ALIGN(elem_size * n_elems);
	struct smcr_rmb *rmb;
	int err;

	err = rmb_charge(net, bytes);
	if (err)
		return ERR_PTR(err);
	rmb = kzalloc(sizeof(*rmb), GFP_KERNEL);
	if (!rmb)
		goto uncharge;
	rmb->elems = kcalloc(n_elems, sizeof(*rmb->elems), GFP_KERNEL);
	rmb->vaddr = rmb_pages(link, bytes);
	if (!rmb->elems || !rmb->vaddr)
		goto free;
	INIT_LIST_HEAD(&rmb->list);
	refcount_set(&rmb->refs, 1);
	refcount_set(&rmb->mem, 1);
	spin_lock_init(&rmb->lock);
	rmb->net = net;
	rmb->n_pages = bytes >> PAGE_SHIFT;
	rmb->elem_size = elem_size;
	rmb->n_elems = n_elems;
	rmb->n_free = n_elems;
	rmb->idle_since = jiffies;
	smcr_mib_inc(net, SMCR_MIB_RMBSCREATED);
	return rmb;

free:
	kvfree(rmb->vaddr);
	kfree(rmb->elems);
	kfree(rmb);
uncharge:
	atomic_long_sub(bytes, &smcr_pernet(net)->rmb_bytes);
	return ERR_PTR(-ENOMEM);
}

static void rmb_mem_put(struct smcr_rmb *rmb)
{
	if (!refcount_dec_and_test(&rmb->mem))
		return;
	kvfree(rmb->vaddr);
	kfree(rmb->elems);
	kfree(rmb);
}

/**
 * smcr_rmb_put() - drop a reference to an RMB
 * @rmb: the RMB; the caller does not use it after this
 *
 * The owner of a reference also holds one to the group and drops the one to the
 * RMB first, so the namespace still exists here.
 *
 * Context: any but hard irq (kvfree() defers what has to wait in softirq).
 */
void smcr_rmb_put(struct smcr_rmb *rmb)
{
	int i;

	if (!refcount_dec_and_test(&rmb->refs))
		return;
	for (i = 0; i < SMCR_MAX_LINKS; i++)
		WARN_ON_ONCE(rmb->maps[i].link);
	atomic_long_sub(rmb_bytes(rmb), &smcr_pernet(rmb->net)->rmb_bytes);
	smcr_mib_inc(rmb->net, SMCR_MIB_RMBSFREED);
	rmb_mem_put(rmb);
}

/* Mappings */

/* Bounce buffers of swiotlb hold less than 256 KB each, and contiguous pages
 * may be more than that.
 */
static u32 max_segment(struct ib_device *ibdev)
{
	if (ib_uses_virt_dma(ibdev))
		return UINT_MAX;
	return min_t(size_t, ib_dma_max_seg_size(ibdev),
		     dma_max_mapping_size(ibdev->dma_device));
}

static int pages_sgt(const struct smcr_rmb *rmb, struct sg_table *sgt,
		     struct ib_device *ibdev)
{
	struct page **pages;
	void *addr;
	int err;
	u32 i;

	pages = kvmalloc_array(rmb->n_pages, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < rmb->n_pages; i++) {
		addr = rmb->vaddr + i * PAGE_SIZE;
		pages[i] = is_vmalloc_addr(addr) ? vmalloc_to_page(addr) :
						   virt_to_page(addr);
	}
	err = sg_alloc_table_from_pages_segment(sgt, pages, rmb->n_pages, 0,
						rmb_bytes(rmb),
						max_segment(ibdev), GFP_KERNEL);
	kvfree(pages);
	return err;
}

static void map_sync(const struct smcr_rmb_map *map, u32 off, u32 len,
		     bool for_cpu)
{
	struct ib_device *ibdev = map->link->local.dev->ibdev;

	while (len) {
		u32 part = min_t(u32, len, PAGE_SIZE - offset_in_page(off));
		u64 dma = map->dma[off >> PAGE_SHIFT] + offset_in_page(off);

		if (for_cpu)
			ib_dma_sync_single_for_cpu(ibdev, dma, part,
						   DMA_BIDIRECTIONAL);
		else
			ib_dma_sync_single_for_device(ibdev, dma, part,
						      DMA_BIDIRECTIONAL);
		off += part;
		len -= part;
	}
}

static bool map_needs_sync(const struct smcr_rmb *rmb,
			   const struct smcr_rmb_map *map,
			   struct ib_device *ibdev, u64 *dma)
{
	struct sg_dma_page_iter it;
	bool need = false;
	u32 i = 0;

	for_each_sgtable_dma_page(&map->sgt, &it, 0) {
		if (i == rmb->n_pages)
			break;
		dma[i] = sg_page_iter_dma_address(&it);
		need |= dma_need_sync(ibdev->dma_device, dma[i]);
		i++;
	}
	return need;
}

/* Start to sync a mapping. Elements may be in use, and what the CPU wrote to
 * them while the RMB was being mapped was not synced for this device.
 */
static void map_sync_begin(struct smcr_rmb *rmb, struct smcr_rmb_map *map,
			   u64 *dma)
{
	u32 i;

	spin_lock_bh(&rmb->lock);
	map->dma = dma;
	WRITE_ONCE(rmb->n_synced, rmb->n_synced + 1);
	WRITE_ONCE(rmb->syncs, true);
	spin_unlock_bh(&rmb->lock);
	for (i = 0; i < rmb->n_pages; i++) {
		spin_lock_bh(&rmb->lock);
		map_sync(map, i << PAGE_SHIFT, PAGE_SIZE, false);
		spin_unlock_bh(&rmb->lock);
		cond_resched();
	}
}

/* Store the DMA addresses of the pages if the mapping has to be synced.
 * Software devices, and coherent devices without bounce buffers, do not need
 * that.
 */
static int map_dma_pages(struct smcr_rmb *rmb, struct smcr_rmb_map *map,
			 struct ib_device *ibdev)
{
	u64 *dma = NULL;

	if (!ib_uses_virt_dma(ibdev)) {
		dma = kvmalloc_array(rmb->n_pages, sizeof(*dma), GFP_KERNEL);
		if (!dma)
			return -ENOMEM;
	}
	if (dma && map_needs_sync(rmb, map, ibdev, dma)) {
		map_sync_begin(rmb, map, dma);
		return 0;
	}
	kvfree(dma);
	spin_lock_bh(&rmb->lock);
	map->direct = true;
	spin_unlock_bh(&rmb->lock);
	return 0;
}

/* If this fails and leaves @map->mr, smcr_rmb_unmap() ends the mapping. */
static int map_mr(struct smcr_rmb *rmb, struct smcr_rmb_map *map,
		  struct ib_device *ibdev)
{
	struct ib_mr *mr;
	int n;

	mr = ib_alloc_mr(map->link->pd, IB_MR_TYPE_MEM_REG, rmb->n_pages);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	map->mr = mr;
	n = ib_map_mr_sg(mr, map->sgt.sgl, map->sgt.nents, NULL, PAGE_SIZE);
	if (n != map->sgt.nents || mr->length != rmb_bytes(rmb))
		return n < 0 ? n : -EIO;
	/* The peer cannot guess the address, a key of an earlier use of the
	 * region is not valid, and no kernel address is on the wire.
	 */
	ib_update_fast_reg_key(mr, get_random_u8());
	mr->iova = get_random_u64() & RMB_IOVA_MASK;
	map->rkey = mr->rkey;
	map->iova = mr->iova;
	map->reg.mr = mr;
	return 0;
}

static void map_sync_end(struct smcr_rmb *rmb, struct smcr_rmb_map *map)
{
	u64 *dma;

	/* A reader may use the addresses under the lock. */
	spin_lock_bh(&rmb->lock);
	dma = map->dma;
	map->dma = NULL;
	map->direct = false;
	WRITE_ONCE(rmb->n_synced, rmb->n_synced - !!dma);
	spin_unlock_bh(&rmb->lock);
	kvfree(dma);
}

static void unmap_dma(const struct smcr_link *link, struct sg_table *sgt)
{
	/* A bounce buffer has old bytes where another link wrote, and must not
	 * be copied to the pages. What came over this link is there already.
	 */
	ib_dma_unmap_sgtable_attrs(link->local.dev->ibdev, sgt,
				   DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
	sg_free_table(sgt);
}

static int map_build(struct smcr_rmb *rmb, struct smcr_rmb_map *map)
{
	struct ib_device *ibdev = map->link->local.dev->ibdev;
	int err;

	if (rmb->n_pages > map->link->local.dev->max_mr_pages)
		return -E2BIG;
	err = pages_sgt(rmb, &map->sgt, ibdev);
	if (err)
		return err;
	err = ib_dma_map_sgtable_attrs(ibdev, &map->sgt, DMA_BIDIRECTIONAL, 0);
	if (err) {
		sg_free_table(&map->sgt);
		return err;
	}
	err = map_dma_pages(rmb, map, ibdev);
	if (!err)
		err = map_mr(rmb, map, ibdev);
	if (err && !map->mr) {
		map_sync_end(rmb, map);
		unmap_dma(map->link, &map->sgt);
	}
	return err;
}

/**
 * smcr_rmb_map() - map an RMB to a link's device
 * @rmb: the RMB, on no list yet unless @link is new
 * @link: the link; it and its verbs objects stay until smcr_rmb_unmap()
 * @slot: the link's slot in the group; @rmb has no mapping in it
 *
 * Key and address are known afterwards, for CLC. The peer may write when a
 * registration by smcr_rmb_register() has completed.
 *
 * Context: process; may wait for the adapter's firmware.
 * Return: 0, -ENODEV if the verbs objects of the link are gone, -E2BIG if the
 * device cannot map that many pages, or -errno.
 */
int smcr_rmb_map(struct smcr_rmb *rmb, struct smcr_link *link, int slot)
{
	struct smcr_rmb_map *map = &rmb->maps[slot];
	int err;

	if (WARN_ON_ONCE(map->link))
		return -EEXIST;
	if (!smcr_link_verbs_get(link))
		return -ENODEV;
	map->link = smcr_link_get(link);
	/* The end of a mapping needs no memory. */
	map->gone = kzalloc(sizeof(*map->gone), GFP_KERNEL);
	err = map->gone ? map_build(rmb, map) : -ENOMEM;
	if (err && map->mr) {
		smcr_rmb_unmap(rmb, slot);
	} else if (err) {
		kfree(map->gone);
		memset(map, 0, sizeof(*map));
		smcr_link_verbs_put(link);
		smcr_link_put(link);
	}
	return err;
}

static void reg_done(struct smcr_wr_reg *reg, int err)
{
	struct smcr_rmb_map *map = container_of(reg, struct smcr_rmb_map, reg);
	struct smcr_link *link = smcr_link_get(map->link);
	void (*done)(struct smcr_link *link) = map->done;

	if (!err) {
		smcr_mib_inc(link->lgr->net, SMCR_MIB_MRREGISTRATIONS);
		/* Pairs with smcr_rmb_registered() */
		smp_store_release(&map->registered, true);
	}
	/* The last use of @map; pairs with smcr_rmb_unmap(). Before done(), so
	 * that what it starts finds no registration under way.
	 */
	smp_store_release(&map->pending, false);
	done(link);
	smcr_link_put(link);
}

/**
 * smcr_rmb_register() - post the registration of an RMB
 * @rmb: the RMB
 * @slot: slot of a link in RTS to which @rmb is mapped
 * @done: called once for the link, if this function returns 0, when the
 *	registration has ended
 *
 * Once the registration has completed, the peer of the link may write to @rmb.
 *
 * Context: process; the group's RMB work, or with the group's mutex held: @rmb
 * must not be unmapped meanwhile.
 * Return: 0, -ENOTCONN without a mapping, or -errno as smcr_wr_post_reg().
 */
int smcr_rmb_register(struct smcr_rmb *rmb, int slot,
		      void (*done)(struct smcr_link *link))
{
	struct smcr_rmb_map *map = &rmb->maps[slot];
	int err;

	if (!map->link)
		return -ENOTCONN;
	map->reg.done = reg_done;
	map->done = done;
	WRITE_ONCE(map->pending, true);
	err = smcr_wr_post_reg(map->link, &map->reg);
	if (err)
		WRITE_ONCE(map->pending, false);
	return err;
}

/* If it fails, it is called again when smcr leaves the device; the namespace of
 * the RMB may be gone then.
 */
static int mr_destroy(struct smcr_link_gone *of_link)
{
	struct smcr_rmb_gone *gone = container_of(of_link, struct smcr_rmb_gone,
						  gone);
	int err = ib_dereg_mr(gone->mr);

	if (err)
		return err;
	unmap_dma(gone->link, &gone->sgt);
	rmb_mem_put(gone->rmb);
	kfree(gone);
	return 0;
}

/* On smcr_stop_wq; may wait for the adapter's firmware. */
static int gone_destroy(struct smcr_link_gone *of_link)
{
	struct smcr_rmb_gone *gone = container_of(of_link, struct smcr_rmb_gone,
						  gone);
	struct smcr_rmb *rmb = gone->rmb;
	/* MrRegistrations counts only registrations that succeeded. */
	bool registered = gone->registered;
	int err;

	refcount_inc(&rmb->mem);
	gone->gone.destroy = mr_destroy;
	err = mr_destroy(of_link);
	if (!err && registered)
		smcr_mib_inc(rmb->net, SMCR_MIB_MRFREES);
	smcr_rmb_put(rmb);
	return err;
}

/**
 * smcr_rmb_unmap() - unmap an RMB from a link's device
 * @rmb: the RMB; on no list unless the link is DEAD
 * @slot: slot of the link; nothing happens if @rmb is not mapped to it
 *
 * The link is DEAD, or the peer does not use the key: it never knew the key or
 * has answered DELETE RKEY. The slot is empty on return, and a work item takes
 * the RMB off the device; a write by the peer after that ends the link. No
 * registration may be under way.
 *
 * Context: process.
 */
void smcr_rmb_unmap(struct smcr_rmb *rmb, int slot)
{
	struct smcr_rmb_map *map = &rmb->maps[slot];
	struct smcr_link *link = map->link;
	struct smcr_rmb_gone *gone = map->gone;

	if (!link)
		return;
	/* The completion would use the RMB after it is freed. Once the link has
	 * stopped, no completion is left.
	 */
	if (WARN_ON_ONCE(smp_load_acquire(&map->pending)))
		smcr_link_stop(link);
	map_sync_end(rmb, map);
	gone->gone.destroy = gone_destroy;
	gone->rmb = rmb;
	refcount_inc(&rmb->refs);
	gone->link = link;
	gone->mr = map->mr;
	gone->sgt = map->sgt;
	gone->registered = map->registered;
	memset(map, 0, sizeof(*map));
	smcr_link_destroy_later(link, &gone->gone);
}

/* Synchronisation between device and CPU */

/**
 * smcr_rmb_sync_for_cpu() - make what a link has written visible to the CPU
 * @rmb: an RMB for which smcr_rmb_syncs() is true
 * @slot: slot of the link that the bytes came over; a value that is no slot
 *	stands for a link that is gone
 * @idx: element, 1..255
 * @off: first byte in the element
 * @len: bytes
 *
 * If the device writes to bounce buffers, each mapping has its own, and only
 * that of the link that carried the bytes has them. So no other mapping is
 * synced, and bytes are synced when they are announced, because their mapping
 * may be gone when they are read.
 *
 * Context: any but hard irq.
 * Return: false if the link's mapping is gone, so that the bytes cannot be had.
 */
bool smcr_rmb_sync_for_cpu(struct smcr_rmb *rmb, u8 slot, u8 idx, u32 off,
			   u32 len)
{
	const struct smcr_rmb_map *map;
	bool found;

	if (slot >= SMCR_MAX_LINKS)
		return false;
	map = &rmb->maps[slot];
	spin_lock_bh(&rmb->lock);
	found = map->direct || map->dma;
	if (map->dma)
		map_sync(map, off + (idx - 1) * rmb->elem_size, len, true);
	spin_unlock_bh(&rmb->lock);
	return found;
}

/**
 * smcr_rmb_sync_for_device() - make the CPU's writes visible to all devices
 * @rmb: the RMB
 * @idx: element, 1..255
 * @off: first byte in the element
 * @len: bytes
 *
 * The CPU also gives bytes back in this way that it has only read. All mappings
 * may be synced, because the peer does not write to these bytes meanwhile, or
 * in a move writes the same bytes again.
 *
 * Context: any but hard irq.
 */
void smcr_rmb_sync_for_device(struct smcr_rmb *rmb, u8 idx, u32 off, u32 len)
{
	int i;

	if (!READ_ONCE(rmb->n_synced))
		return;
	off += (idx - 1) * rmb->elem_size;
	spin_lock_bh(&rmb->lock);
	for (i = 0; i < SMCR_MAX_LINKS; i++) {
		if (rmb->maps[i].dma)
			map_sync(&rmb->maps[i], off, len, false);
	}
	spin_unlock_bh(&rmb->lock);
}

/* Elements */

/**
 * smcr_rmb_elem_addr() - return the address of an element
 * @rmb: the RMB
 * @idx: element, 1..255
 *
 * Context: any.
 * Return: kernel virtual address of its first byte.
 */
void *smcr_rmb_elem_addr(const struct smcr_rmb *rmb, u8 idx)
{
	return rmb->vaddr + (size_t)(idx - 1) * rmb->elem_size;
}

static int elem_find(struct smcr_rmb *rmb)
{
	u16 i, n;

	lockdep_assert_held(&rmb->lock);
	for (n = 0, i = rmb->hint; rmb->n_free && n < rmb->n_elems; n++) {
		if (rmb->elems[i].state == SMCR_RMBE_FREE)
			return i;
		i = i + 1 < rmb->n_elems ? i + 1 : 0;
	}
	return -ENOSPC;
}

/**
 * smcr_rmb_elem_take() - take a free element of an RMB
 * @rmb: the RMB; the caller takes a reference for the element's connection
 * @eye_catcher: write the eye catcher (4.4.1), which the RFC dialect has
 *
 * Context: process or softirq.
 * Return: the element's index, 1..255, or -ENOSPC.
 */
int smcr_rmb_elem_take(struct smcr_rmb *rmb, bool eye_catcher)
{
	int i;

	spin_lock_bh(&rmb->lock);
	i = elem_find(rmb);
	if (i >= 0) {
		rmb->elems[i].state = SMCR_RMBE_USED;
		WRITE_ONCE(rmb->n_free, rmb->n_free - 1);
		rmb->hint = i + 1 < rmb->n_elems ? i + 1 : 0;
	}
	spin_unlock_bh(&rmb->lock);
	if (i < 0)
		return i;
	if (eye_catcher) {
		*(__be32 *)smcr_rmb_elem_addr(rmb, i + 1) =
			cpu_to_be32(SMCR_RMBE_EYE_CATCHER);
		smcr_rmb_sync_for_device(rmb, i + 1, 0, SMCR_RMBE_EYE_LEN);
	}
	smcr_mib_inc(rmb->net, SMCR_MIB_ELEMENTSTAKEN);
	return i + 1;
}

static void elem_zero(struct smcr_rmb *rmb, u8 idx, u32 len)
{
	memset(smcr_rmb_elem_addr(rmb, idx), 0, len);
	smcr_rmb_sync_for_device(rmb, idx, 0, len);
}

/**
 * smcr_rmb_elem_return() - return the element of a connection
 * @rmb: the RMB
 * @idx: the element, 1..255
 * @dirty: bytes from its start that may not be zero; unused for an abnormal end
 * @end: how the connection ended
 * @release_at: jiffies from which no late write can come (4.4.2); used for an
 *	abnormal end only
 *
 * The caller must not read the element after this, because another connection
 * may take it.
 *
 * Context: process or softirq.
 * Return: false if the element is FREE now, true if smcr_rmb_clean() has to
 * zero it.
 */
bool smcr_rmb_elem_return(struct smcr_rmb *rmb, u8 idx, u32 dirty,
			  enum smcr_rmbe_end end, unsigned long release_at)
{
	struct smcr_rmb_elem *elem = &rmb->elems[idx - 1];
	bool unclean = true;

	if (WARN_ON_ONCE(READ_ONCE(elem->state) != SMCR_RMBE_USED))
		return false;
	dirty = clamp_t(u32, dirty, SMCR_RMBE_EYE_LEN, rmb->elem_size);
	if (end != SMCR_RMBE_END_ABNORMAL && dirty <= ELEM_ZERO_NOW) {
		elem_zero(rmb, idx, dirty);
		unclean = false;
	}
	spin_lock_bh(&rmb->lock);
	switch (end) {
	case SMCR_RMBE_END_UNUSED:
	case SMCR_RMBE_END_ORDERLY:
		if (!unclean) {
			elem->state = SMCR_RMBE_FREE;
			WRITE_ONCE(rmb->n_free, rmb->n_free + 1);
			break;
		}
		WRITE_ONCE(rmb->n_unclean, rmb->n_unclean + 1);
		elem->state = SMCR_RMBE_DIRTY;
		elem->dirty = dirty;
		break;
	case SMCR_RMBE_END_ABNORMAL:
		WRITE_ONCE(rmb->n_unclean, rmb->n_unclean + 1);
		elem->state = SMCR_RMBE_QUARANTINE;
		elem->dirty = rmb->elem_size;
		elem->release_at = release_at;
		break;
	}
	WRITE_ONCE(rmb->idle_since, jiffies);
	spin_unlock_bh(&rmb->lock);
	smcr_mib_inc(rmb->net, SMCR_MIB_ELEMENTSRETURNED);
	if (end == SMCR_RMBE_END_ABNORMAL)
		smcr_mib_inc(rmb->net, SMCR_MIB_ELEMENTSQUARANTINED);
	return unclean;
}

/* Return: bytes of the element to zero now, 0 if none. The end of a quarantine
 * that is earlier than @next replaces it.
 */
static u32 elem_due(struct smcr_rmb *rmb, u16 i, unsigned long *next)
{
	struct smcr_rmb_elem *elem = &rmb->elems[i];
	u32 dirty = 0;

	spin_lock_bh(&rmb->lock);
	if (elem->state == SMCR_RMBE_DIRTY) {
		dirty = elem->dirty;
	} else if (elem->state == SMCR_RMBE_QUARANTINE) {
		if (time_after_eq(jiffies, elem->release_at))
			dirty = elem->dirty;
		else if (!*next || time_before(elem->release_at, *next))
			*next = elem->release_at ?: 1;
	}
	spin_unlock_bh(&rmb->lock);
	return dirty;
}

/**
 * smcr_rmb_clean() - zero and free the elements that are due
 * @rmb: the RMB
 * @freed: result: number of these elements
 *
 * Context: the group's RMB work: one call at a time.
 * Return: jiffies when the next quarantine ends, or 0.
 */
unsigned long smcr_rmb_clean(struct smcr_rmb *rmb, u32 *freed)
{
	unsigned long next = 0;
	u32 dirty;
	u16 i;

	*freed = 0;
	for (i = 0; READ_ONCE(rmb->n_unclean) && i < rmb->n_elems; i++) {
		dirty = elem_due(rmb, i, &next);
		if (!dirty)
			continue;
		elem_zero(rmb, i + 1, dirty);
		spin_lock_bh(&rmb->lock);
		rmb->elems[i].state = SMCR_RMBE_FREE;
		WRITE_ONCE(rmb->n_free, rmb->n_free + 1);
		WRITE_ONCE(rmb->n_unclean, rmb->n_unclean - 1);
		spin_unlock_bh(&rmb->lock);
		++*freed;
		cond_resched();
	}
	return next;
}

/**
 * smcr_rmb_in_use() - count the elements that are not FREE
 * @rmb: the RMB
 *
 * Context: any; a snapshot.
 * Return: number of elements in state USED, DIRTY or QUARANTINE.
 */
u16 smcr_rmb_in_use(const struct smcr_rmb *rmb)
{
	return rmb->n_elems - READ_ONCE(rmb->n_free);
}
