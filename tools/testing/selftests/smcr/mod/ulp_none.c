// SPDX-License-Identifier: GPL-2.0
/*
 * An upper layer protocol (ULP) of TCP that does nothing, and that a program
 * can set before the socket is connected. The kernel has no such ULP of its
 * own. It has two names, "none" and "smc".
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

static struct tcp_ulp_ops smc_ulp = {
	.name	= "smc",
	.owner	= THIS_MODULE,
	.init	= none_init,
};

static int __init ulp_none_init(void)
{
	int err = tcp_register_ulp(&none_ulp);

	if (err)
		return err;
	err = tcp_register_ulp(&smc_ulp);
	if (err)
		tcp_unregister_ulp(&none_ulp);
	return err;
}

static void __exit ulp_none_exit(void)
{
	tcp_unregister_ulp(&smc_ulp);
	tcp_unregister_ulp(&none_ulp);
	synchronize_rcu();
}

module_init(ulp_none_init);
module_exit(ulp_none_exit);

MODULE_DESCRIPTION("Test only: a TCP upper layer protocol that does nothing");
MODULE_LICENSE("GPL");
