// SPDX-License-Identifier: GPL-2.0
/*
 * Loading this module makes each RDMA device report an error of its ports,
 * while they still work. Soft-RoCE itself reports it only if the network device
 * is down, but then no queue pair can send, and each link fails at once.
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
MODULE_DESCRIPTION("Test only: port errors of working ports");
MODULE_LICENSE("GPL");
