// SPDX-License-Identifier: GPL-2.0
/*
 * SMC-R sockets (RFC 7609): module entry and exit, namespaces.
 */
#include <linux/module.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/tcp.h>

#include "addr.h"
#include "ib.h"
#include "lgr.h"
#include "netlink.h"
#include "smcr.h"
#include "sock.h"
#include "transparent.h"
#include "tx.h"

unsigned int smcr_net_id;
struct workqueue_struct *smcr_hs_wq;
struct workqueue_struct *smcr_close_wq;
struct workqueue_struct *smcr_rmb_wq;
struct workqueue_struct *smcr_wq;
struct workqueue_struct *smcr_drain_wq;
struct workqueue_struct *smcr_stop_wq;

/* smc.ko is loaded: it needs tcp_have_smc, which does not count its users. */
static bool smc_live;

static int __net_init net_init(struct net *net)
{
	int err;

	smcr_pernet(net)->net = net;
	smcr_lgr_net_init(net);
	smcr_neglist_net_init(net);
	smcr_peers_net_init(net);
	smcr_pnet_net_init(net);
	smcr_addr_net_init(net);
	smcr_notify_net_init(net);
	err = smcr_mib_init(net);
	if (err)
		return err;
	err = smcr_tx_space_net_init(net);
	if (err)
		goto out_mib;
	err = smcr_sysctl_net_init(net);
	if (err)
		goto out_space;
	return 0;
out_space:
	smcr_tx_space_net_exit(net);
out_mib:
	smcr_mib_exit(net);
	return err;
}

static void __net_exit net_exit(struct net *net)
{
	smcr_transparent_set(net, 0);
	smcr_notify_net_exit(net);
	smcr_addr_net_exit(net);
	smcr_pnet_net_exit(net);
	smcr_peers_net_exit(net);
	smcr_neglist_net_exit(net);
	smcr_sysctl_net_exit(net);
	smcr_tx_space_net_exit(net);
	smcr_mib_exit(net);
}

static struct pernet_operations net_ops = {
	.init	= net_init,
	.exit	= net_exit,
	.id	= &smcr_net_id,
	.size	= sizeof(struct smcr_net),
};

/* No socket is left in the namespace, but groups, which do not hold it, may be.
 * They have operations of their own because of the order at module exit:
 * groups go before the devices, and the devices, which look for groups, before
 * the namespaces' own data. There are two because each is called for all
 * namespaces that end before the other is, the one registered last first; see
 * the end of lgr.c.
 */
static struct pernet_operations lgr_ops = {
	.pre_exit = smcr_lgr_net_told,
	.exit	  = smcr_lgr_net_exit,
};

static struct pernet_operations lgr_close_ops = {
	.pre_exit = smcr_lgr_net_close,
};

/* smc.ko enables the key when it is loaded and disables it when it is
 * unloaded; enable it again then.
 */
static int on_module(struct notifier_block *nb, unsigned long state,
		     void *data)
{
	const struct module *mod = data;

	if (strcmp(mod->name, "smc"))
		return NOTIFY_DONE;
	switch (state) {
	case MODULE_STATE_LIVE:
		WRITE_ONCE(smc_live, true);
		break;
	case MODULE_STATE_GOING:
		WRITE_ONCE(smc_live, false);
		static_branch_enable(&tcp_have_smc);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block module_nb = {
	.notifier_call	= on_module,
};

static int option_on(void)
{
	int err;

	smc_live = static_key_enabled(&tcp_have_smc);
	err = register_module_notifier(&module_nb);
	if (err)
		return err;
	static_branch_enable(&tcp_have_smc);
	return 0;
}

static void option_off(void)
{
	unregister_module_notifier(&module_nb);
	if (!smc_live)
		static_branch_disable(&tcp_have_smc);
}

/* The order matters at unload: work on one queue may add work to the next. The
 * queues for RMBs and for slow destruction add work to each other, but only for
 * groups, and none is left.
 */
static void destroy_queues(void)
{
	if (smcr_hs_wq)
		destroy_workqueue(smcr_hs_wq);
	if (smcr_close_wq)
		destroy_workqueue(smcr_close_wq);
	if (smcr_wq)
		destroy_workqueue(smcr_wq);
	if (smcr_drain_wq)
		destroy_workqueue(smcr_drain_wq);
	if (smcr_stop_wq)
		destroy_workqueue(smcr_stop_wq);
	if (smcr_rmb_wq)
		destroy_workqueue(smcr_rmb_wq);
}

static int make_queues(void)
{
	smcr_hs_wq = alloc_workqueue("smcr_hs", WQ_UNBOUND, 0);
	smcr_close_wq = alloc_workqueue("smcr_close",
					WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	smcr_rmb_wq = alloc_workqueue("smcr_rmb", WQ_UNBOUND, WQ_MAX_ACTIVE);
	smcr_wq = alloc_workqueue("smcr", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	smcr_drain_wq = alloc_workqueue("smcr_drain",
					WQ_UNBOUND | WQ_MEM_RECLAIM,
					WQ_MAX_ACTIVE);
	smcr_stop_wq = alloc_workqueue("smcr_stop",
				       WQ_UNBOUND | WQ_MEM_RECLAIM,
				       WQ_MAX_ACTIVE);
	if (smcr_hs_wq && smcr_close_wq && smcr_rmb_wq && smcr_wq &&
	    smcr_drain_wq && smcr_stop_wq)
		return 0;
	destroy_queues();
	return -ENOMEM;
}

static int __init smcr_init(void)
{
	int err;

	err = make_queues();
	if (err)
		return err;
	err = register_pernet_subsys(&net_ops);
	if (err)
		goto out_queues;
	err = register_pernet_subsys(&lgr_ops);
	if (err)
		goto out_net;
	err = register_pernet_subsys(&lgr_close_ops);
	if (err)
		goto out_lgr;
	err = smcr_ib_init();
	if (err)
		goto out_close;
	err = smcr_netlink_init();
	if (err)
		goto out_ib;
	err = smcr_addr_init();
	if (err)
		goto out_netlink;
	err = option_on();
	if (err)
		goto out_addr;
	/* From here on programs can create sockets */
	err = smcr_sock_register();
	if (err)
		goto out_option;
	return 0;
out_option:
	option_off();
out_addr:
	smcr_addr_exit();
out_netlink:
	smcr_netlink_exit();
out_ib:
	smcr_ib_exit();
out_close:
	unregister_pernet_subsys(&lgr_close_ops);
out_lgr:
	unregister_pernet_subsys(&lgr_ops);
out_net:
	unregister_pernet_subsys(&net_ops);
out_queues:
	destroy_queues();
	rcu_barrier();
	return err;
}

/*
 * Sockets, and namespaces in which net.smcr.transparent is on, pin the module,
 * so none of them is left. Link groups without connections may be left, and
 * objects that are freed later, by work and then by RCU callbacks.
 */
static void __exit smcr_exit(void)
{
	smcr_sock_unregister();
	smcr_addr_exit();
	smcr_netlink_exit();
	/* Ends the groups of all namespaces, tells the peers, and waits */
	unregister_pernet_subsys(&lgr_close_ops);
	unregister_pernet_subsys(&lgr_ops);
	smcr_ib_exit();
	destroy_queues();
	unregister_pernet_subsys(&net_ops);
	option_off();
	synchronize_rcu();
	rcu_barrier();
	smcr_sock_exit();
}

module_init(smcr_init);
module_exit(smcr_exit);

MODULE_DESCRIPTION("SMC-R sockets: TCP connections over RDMA (RFC 7609)");
MODULE_LICENSE("GPL");
