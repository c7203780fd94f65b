// SPDX-License-Identifier: GPL-2.0
/*
 * While this module is loaded, Soft-RoCE serves all network namespaces over
 * IPv4, as adapters do. By itself it sends and receives in the initial one
 * only, although a VLAN netdev in another namespace has a GID.
 *
 * A probe at ip_route_output_flow() has Soft-RoCE's lookups of a route made in
 * the namespace that has the source address, and a UDP socket of each namespace
 * passes what it receives to Soft-RoCE.
 */
#include <linux/inetdevice.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/route.h>
#include <net/udp_tunnel.h>
#include <rdma/ib_verbs.h>

/**
 * struct rxenet - what a namespace has
 * @net: the namespace
 * @node: entry in all_nets
 * @sock: its UDP socket
 */
struct rxenet {
	struct net		*net;
	struct list_head	node;
	struct socket		*sock;
};

static unsigned int rxenet_id;
static LIST_HEAD(all_nets);
/* Protects all_nets; also taken in the probe's handler */
static DEFINE_SPINLOCK(all_lock);
/* Soft-RoCE's own function */
static udp_tunnel_encap_rcv_t rxe_recv;

/* Find the namespace of a source address and its netdev. The list of the kernel
 * does not have a namespace that is being torn down. Netdevs go before it.
 */
static struct net *net_of(const struct flowi4 *fl)
{
	struct net *found = NULL;
	struct net_device *dev;
	struct rxenet *rn;
	unsigned long irq;

	rcu_read_lock();
	spin_lock_irqsave(&all_lock, irq);
	list_for_each_entry(rn, &all_nets, node) {
		dev = __ip_dev_find(rn->net, fl->saddr, false);
		if (dev && dev->ifindex == fl->flowi4_oif)
			found = rn->net;
	}
	spin_unlock_irqrestore(&all_lock, irq);
	rcu_read_unlock();
	return found;
}

/* Runs instead of ip_route_output_flow(), and calls it for another namespace,
 * which passes the probe.
 */
static noinline struct rtable *flow_elsewhere(struct net *net,
					      struct flowi4 *fl,
					      const struct sock *sk)
{
	net = net_of(fl);
	return net ? ip_route_output_flow(net, fl, sk) : ERR_PTR(-ENETUNREACH);
}

/* ip_route_output_flow(struct net *, struct flowi4 *, const struct sock *) */
static int on_flow(struct kprobe *kp, struct pt_regs *regs)
{
	const struct flowi4 *fl = (void *)regs_get_kernel_argument(regs, 1);

	if ((void *)regs_get_kernel_argument(regs, 0) != &init_net ||
	    !fl->flowi4_oif || !fl->saddr || !net_of(fl))
		return 0;
	instruction_pointer_set(regs, (unsigned long)flow_elsewhere);
	return 1;
}

static struct kprobe flow = {
	.symbol_name = "ip_route_output_flow",
	.pre_handler = on_flow,
};

static int __net_init rxenet_start(struct net *net)
{
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,
		.encap_rcv = rxe_recv,
	};
	struct udp_port_cfg port = {
		.family = AF_INET,
		.local_udp_port = htons(ROCE_V2_UDP_DPORT),
	};
	struct rxenet *rn = net_generic(net, rxenet_id);
	int err;

	/* Soft-RoCE itself serves the initial one. */
	if (net_eq(net, &init_net))
		return 0;
	err = udp_sock_create(net, &port, &rn->sock);
	if (err)
		return err;
	setup_udp_tunnel_sock(net, rn->sock, &tunnel);
	rn->net = net;
	spin_lock_irq(&all_lock);
	list_add(&rn->node, &all_nets);
	spin_unlock_irq(&all_lock);
	return 0;
}

static void __net_exit rxenet_stop(struct net *net)
{
	struct rxenet *rn = net_generic(net, rxenet_id);

	if (!rn->net)
		return;
	spin_lock_irq(&all_lock);
	list_del(&rn->node);
	spin_unlock_irq(&all_lock);
	udp_tunnel_sock_release(rn->sock);
}

static struct pernet_operations rxenet_ops = {
	.init	= rxenet_start,
	.exit	= rxenet_stop,
	.id	= &rxenet_id,
	.size	= sizeof(struct rxenet),
};

/* kallsyms_lookup_name() is not exported, but a probe finds its address. */
static int find_recv(void)
{
	struct kprobe kp = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*lookup)(const char *name);
	int err = register_kprobe(&kp);

	if (err)
		return err;
	lookup = (void *)kp.addr;
	unregister_kprobe(&kp);
	rxe_recv = (void *)lookup("rxe_udp_encap_recv");
	return rxe_recv ? 0 : -ENOENT;
}

static int __init rxenet_init(void)
{
	int err = find_recv();

	if (!err)
		err = register_pernet_subsys(&rxenet_ops);
	if (err)
		return err;
	err = register_kprobe(&flow);
	if (err)
		unregister_pernet_subsys(&rxenet_ops);
	return err;
}

/* The end of a namespace that has begun is over after this. */
static void __exit rxenet_exit(void)
{
	unregister_kprobe(&flow);
	unregister_pernet_subsys(&rxenet_ops);
}

module_init(rxenet_init);
module_exit(rxenet_exit);
MODULE_DESCRIPTION("Test only: Soft-RoCE in all network namespaces");
MODULE_LICENSE("GPL");
