// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: an upper layer protocol of TCP that does nothing, and that
 * can be asked for before a connection exists. None of the kernel's own can.
 */
#include <linux/module.h>
#include <net/tcp.h>

static int none_init(struct sock *sk)
{
	return 0;
}

static struct tcp_ulp_ops none_ulp = {
	.name	= "none",
	.owner	= THIS_MODULE,
	.init	= none_init,
};

static int __init ulp_none_init(void)
{
	return tcp_register_ulp(&none_ulp);
}

static void __exit ulp_none_exit(void)
{
	tcp_unregister_ulp(&none_ulp);
	synchronize_rcu();
}

module_init(ulp_none_init);
module_exit(ulp_none_exit);

MODULE_DESCRIPTION("A TCP upper layer protocol that does nothing");
MODULE_LICENSE("GPL");
