// SPDX-License-Identifier: GPL-2.0
/*
 * This module makes Soft-RoCE use bounce buffers, as a host does whose adapters
 * cannot reach its memory (a confidential guest, swiotlb=force). Each mapping
 * of memory for the device gets a buffer of its own. Only the DMA functions
 * copy between memory and buffer: all of it when it is mapped, and when it is
 * unmapped without DMA_ATTR_SKIP_CPU_SYNC, and the given bytes at a sync. As
 * with swiotlb, a buffer has less than 256 KB.
 *
 * What Soft-RoCE takes for a DMA address is a kernel address, so a buffer's own
 * address can stand for it.
 *
 * Files in /sys/module/bounce/parameters: bytes copied to memory ("to_cpu") and
 * to buffers ("to_device") by a sync. Before the module is removed, all
 * Soft-RoCE devices must be deleted, since they use the buffers.
 */
#include <linux/atomic.h>
#include <linux/device.h>
#include <linux/dma-map-ops.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

/**
 * struct bounce - a mapping
 * @mem: memory that is mapped
 * @buf: its copy for the device, as far from the start of a page as @mem
 * @len: bytes
 */
struct bounce {
	void	*mem;
	void	*buf;
	size_t	len;
};

/* Most bytes of a buffer: 128 slots of 2 KB, of which one page is lost if the
 * device needs buffers that are aligned as the memory is
 */
#define BOUNCE_MAX	(SZ_256K - PAGE_SIZE)

/* Mappings by the number of each page of their buffer */
static DEFINE_XARRAY_FLAGS(bounces, XA_FLAGS_LOCK_BH);
static u64 dma_mask = DMA_BIT_MASK(64);
static struct device *bouncer;
static atomic_long_t to_cpu, to_device;

static int count_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%ld\n", atomic_long_read(kp->arg));
}

static const struct kernel_param_ops count_ops = {
	.get = count_get,
};

module_param_cb(to_cpu, &count_ops, &to_cpu, 0444);
module_param_cb(to_device, &count_ops, &to_device, 0444);

static struct bounce *bounce_find(dma_addr_t dma)
{
	return xa_load(&bounces, dma >> PAGE_SHIFT);
}

static unsigned long first_page(const struct bounce *bounce)
{
	return (unsigned long)bounce->buf >> PAGE_SHIFT;
}

static unsigned long last_page(const struct bounce *bounce)
{
	return ((unsigned long)bounce->buf + bounce->len - 1) >> PAGE_SHIFT;
}

static void bounce_free(struct bounce *bounce)
{
	unsigned long i;

	for (i = first_page(bounce); i <= last_page(bounce); i++)
		xa_erase_bh(&bounces, i);
	free_pages_exact((void *)(first_page(bounce) << PAGE_SHIFT),
			 offset_in_page(bounce->buf) + bounce->len);
	kfree(bounce);
}

static struct bounce *bounce_new(struct page *page, unsigned long off,
				 size_t len, gfp_t gfp)
{
	struct bounce *bounce;
	unsigned long i;
	void *buf;

	if (len > BOUNCE_MAX)
		return NULL;
	bounce = kzalloc(sizeof(*bounce), gfp);
	if (!bounce)
		return NULL;
	buf = alloc_pages_exact(off + len, gfp | __GFP_ZERO | __GFP_NOWARN);
	if (!buf) {
		kfree(bounce);
		return NULL;
	}
	bounce->mem = page_address(page) + off;
	bounce->buf = buf + off;
	bounce->len = len;
	for (i = first_page(bounce); i <= last_page(bounce); i++) {
		if (!xa_err(xa_store_bh(&bounces, i, bounce, gfp)))
			continue;
		bounce_free(bounce);
		return NULL;
	}
	memcpy(bounce->buf, bounce->mem, len);
	return bounce;
}

static dma_addr_t bounce_map_page(struct device *dev, struct page *page,
				  unsigned long off, size_t len,
				  enum dma_data_direction dir,
				  unsigned long attrs)
{
	struct bounce *bounce = bounce_new(page, off, len, GFP_ATOMIC);

	return bounce ? (dma_addr_t)(uintptr_t)bounce->buf : DMA_MAPPING_ERROR;
}

/* What was mapped before this module was loaded has no buffer. */
static void bounce_unmap_page(struct device *dev, dma_addr_t dma, size_t len,
			      enum dma_data_direction dir, unsigned long attrs)
{
	struct bounce *bounce = bounce_find(dma);

	if (!bounce)
		return;
	if (!(attrs & DMA_ATTR_SKIP_CPU_SYNC) && dir != DMA_TO_DEVICE)
		memcpy(bounce->mem, bounce->buf, bounce->len);
	bounce_free(bounce);
}

static void bounce_unmap_sg(struct device *dev, struct scatterlist *sgl, int n,
			    enum dma_data_direction dir, unsigned long attrs)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, n, i)
		bounce_unmap_page(dev, sg_dma_address(sg), sg_dma_len(sg), dir,
				  attrs);
}

static int bounce_map_sg(struct device *dev, struct scatterlist *sgl, int n,
			 enum dma_data_direction dir, unsigned long attrs)
{
	struct scatterlist *sg;
	struct bounce *bounce;
	int i;

	for_each_sg(sgl, sg, n, i) {
		bounce = bounce_new(sg_page(sg), sg->offset, sg->length,
				    GFP_KERNEL);
		if (!bounce) {
			bounce_unmap_sg(dev, sgl, i, dir,
					DMA_ATTR_SKIP_CPU_SYNC);
			return -ENOMEM;
		}
		sg_dma_address(sg) = (uintptr_t)bounce->buf;
		sg_dma_len(sg) = sg->length;
	}
	return n;
}

static void bounce_to_cpu(struct device *dev, dma_addr_t dma, size_t len,
			  enum dma_data_direction dir)
{
	struct bounce *bounce = bounce_find(dma);
	void *buf = (void *)(uintptr_t)dma;

	if (!bounce || dir == DMA_TO_DEVICE)
		return;
	memcpy(bounce->mem + (buf - bounce->buf), buf, len);
	atomic_long_add(len, &to_cpu);
}

static void bounce_to_device(struct device *dev, dma_addr_t dma, size_t len,
			     enum dma_data_direction dir)
{
	struct bounce *bounce = bounce_find(dma);
	void *buf = (void *)(uintptr_t)dma;

	if (!bounce || dir == DMA_FROM_DEVICE)
		return;
	memcpy(buf, bounce->mem + (buf - bounce->buf), len);
	atomic_long_add(len, &to_device);
}

static size_t bounce_max(struct device *dev)
{
	return BOUNCE_MAX;
}

static const struct dma_map_ops bounce_ops = {
	.map_page		= bounce_map_page,
	.unmap_page		= bounce_unmap_page,
	.map_sg			= bounce_map_sg,
	.unmap_sg		= bounce_unmap_sg,
	.sync_single_for_cpu	= bounce_to_cpu,
	.sync_single_for_device	= bounce_to_device,
	.max_mapping_size	= bounce_max,
};

static int bounce_add(struct ib_device *ibdev)
{
	if (ibdev->ops.driver_id != RDMA_DRIVER_RXE)
		return -EOPNOTSUPP;
	ibdev->dma_device = bouncer;
	return 0;
}

/* Other clients may unmap after this. */
static void bounce_remove(struct ib_device *ibdev, void *data)
{
}

static struct ib_client client = {
	.name	= "bounce",
	.add	= bounce_add,
	.remove	= bounce_remove,
};

static int __init bounce_init(void)
{
	int err;

	bouncer = root_device_register("bounce");
	if (IS_ERR(bouncer))
		return PTR_ERR(bouncer);
	bouncer->dma_mask = &dma_mask;
	bouncer->coherent_dma_mask = dma_mask;
	set_dma_ops(bouncer, &bounce_ops);
	err = ib_register_client(&client);
	if (err)
		root_device_unregister(bouncer);
	return err;
}

static void __exit bounce_exit(void)
{
	ib_unregister_client(&client);
	root_device_unregister(bouncer);
	WARN_ON(!xa_empty(&bounces));
	xa_destroy(&bounces);
}

module_init(bounce_init);
module_exit(bounce_exit);
MODULE_DESCRIPTION("Test only: Soft-RoCE with bounce buffers");
MODULE_LICENSE("GPL");
