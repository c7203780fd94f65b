// SPDX-License-Identifier: GPL-2.0
/*
 * Loading this module has each device say that its ports do not work, though
 * they do. Soft-RoCE says so of a network device that is down, but then no queue
 * pair of it can send, and each link fails at once.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

static int porterr_add(struct ib_device *dev)
{
	struct ib_event event = {
		.device	= dev,
		.event	= IB_EVENT_PORT_ERR,
	};

	rdma_for_each_port(dev, event.element.port_num)
		ib_dispatch_event(&event);
	return 0;
}

static struct ib_client porterr_client = {
	.name	= "porterr",
	.add	= porterr_add,
};

static int __init porterr_init(void)
{
	return ib_register_client(&porterr_client);
}

static void __exit porterr_exit(void)
{
	ib_unregister_client(&porterr_client);
}

module_init(porterr_init);
module_exit(porterr_exit);
MODULE_DESCRIPTION("Test only: ports that are said not to work");
MODULE_LICENSE("GPL");
