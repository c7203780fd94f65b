// SPDX-License-Identifier: GPL-2.0
/*
 * net.smcr.transparent: programs that ask for TCP get SMC-R.
 *
 * socket() calls update_socket_protocol(), a hook in which BPF may change the
 * protocol. A kretprobe on it changes the result TCP to IPPROTO_SMCR for tasks
 * in a namespace that has the setting on. Sockets made inside the kernel do not
 * pass through this function, nor do those that io_uring makes for a program.
 *
 * MPTCP is a protocol of its own, and hosts exist that use it, so MPTCP is
 * changed only if net.smcr.transparent_mptcp is on, too. But servers written in
 * Go ask for it by default and would never use RDMA, and nobody would know why:
 * they are counted, and the log says so once.
 *
 * The probe exists while the setting is on in any namespace. Each such
 * namespace holds a reference to the module, so that the module cannot be
 * unloaded while programs rely on it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <net/net_namespace.h>

#include "mib.h"
#include "smcr.h"
#include "sock.h"
#include "sysctl.h"
#include "transparent.h"

/* Calls in progress at a time, preempted in the middle; any more are missed */
#define MAX_ACTIVE	1024

/* Protects @users, @probe's registration and each namespace's value. */
static DEFINE_MUTEX(lock);
static unsigned int users;
static struct kretprobe probe;
/* Misses that the counter has already */
static atomic_t missed;

static bool is_tcp(int protocol)
{
	return protocol == IPPROTO_IP || protocol == IPPROTO_TCP;
}

/* Does the program ask for a socket that could become an SMC-R one? */
static bool is_candidate(struct pt_regs *regs)
{
	int family = regs_get_kernel_argument(regs, 0);
	int type = regs_get_kernel_argument(regs, 1);
	int protocol = regs_get_kernel_argument(regs, 2);

	return (family == AF_INET || family == AF_INET6) &&
	       (type & SOCK_TYPE_MASK) == SOCK_STREAM &&
	       (is_tcp(protocol) || protocol == IPPROTO_MPTCP);
}

/* Misses show only in the probe's own number, which belongs to no namespace:
 * the next namespace to use the probe counts them.
 */
static void count_missed(struct net *net)
{
	int now = READ_ONCE(probe.nmissed);
	int before = atomic_xchg(&missed, now);

	if (now > before)
		smcr_mib_add(net, SMCR_MIB_PROBEMISSED, now - before);
}

/* The program's name is that of its thread group leader, as in /proc/PID/comm;
 * threads name themselves. The leader is freed after its threads. It may change
 * its name just now, and a mixture of two names is on no list.
 */
static const char *program_name(void)
{
	return current->group_leader->comm;
}

/* Preemption is off. Return: 0 if on_return() is to look at the result. */
static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct net *net;

	if (!is_candidate(regs) || !current->nsproxy)
		return 1;
	net = current->nsproxy->net_ns;
	if (!READ_ONCE(smcr_pernet(net)->sysctl.transparent) ||
	    smcr_sysctl_excluded(net, program_name()))
		return 1;
	count_missed(net);
	return 0;
}

/* Is an MPTCP socket taken as a TCP one? */
static bool takes_mptcp(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);

	smcr_mib_inc(net, SMCR_MIB_TRANSPARENTMPTCP);
	if (READ_ONCE(sn->sysctl.transparent_mptcp))
		return true;
	if (!xchg(&sn->mptcp_told, 1))
		pr_info_ratelimited("%s asks for MPTCP, so it does not use RDMA. To take MPTCP sockets as TCP ones, set net.smcr.transparent_mptcp to 1 and start the program again\n",
				    program_name());
	return false;
}

/* A BPF program may have chosen another protocol. */
static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct net *net = current->nsproxy->net_ns;
	int protocol = regs_return_value(regs);

	if (!is_tcp(protocol) &&
	    (protocol != IPPROTO_MPTCP || !takes_mptcp(net)))
		return 0;
	regs_set_return_value(regs, IPPROTO_SMCR);
	smcr_mib_inc(net, SMCR_MIB_TRANSPARENTSOCKETS);
	return 0;
}

static int probe_start(void)
{
	int err;

	probe = (struct kretprobe){
		.kp.symbol_name	= "update_socket_protocol",
		.entry_handler	= on_entry,
		.handler	= on_return,
		.maxactive	= MAX_ACTIVE,
	};
	atomic_set(&missed, 0);
	err = register_kretprobe(&probe);
	if (!err)
		return 0;
	pr_warn("net.smcr.transparent: cannot probe update_socket_protocol (error %d): this needs Linux 6.6 or newer with CONFIG_KRETPROBES. Use AF_SMCR or IPPROTO_SMCR instead\n",
		err);
	return -EOPNOTSUPP;
}

static int __must_check user_add(void)
{
	int err;

	lockdep_assert_held(&lock);
	if (!try_module_get(THIS_MODULE))
		return -EBUSY;
	err = users ? 0 : probe_start();
	if (err)
		module_put(THIS_MODULE);
	else
		users++;
	return err;
}

static void user_del(void)
{
	lockdep_assert_held(&lock);
	if (!--users)
		unregister_kretprobe(&probe);
	module_put(THIS_MODULE);
}

/**
 * smcr_transparent_set() - turn the setting on or off for a namespace
 * @net: the namespace; this function changes its sysctl.transparent
 * @val: 0 or 1; existing sockets stay what they are
 *
 * Context: process; sleeps.
 * Return: 0, -EOPNOTSUPP if the kernel has no such probe, -EBUSY if the module
 * is being unloaded.
 */
int smcr_transparent_set(struct net *net, int val)
{
	struct smcr_sysctl *ctl = &smcr_pernet(net)->sysctl;
	int err = 0;

	mutex_lock(&lock);
	if (val && !ctl->transparent)
		err = user_add();
	else if (!val && ctl->transparent)
		user_del();
	if (!err)
		WRITE_ONCE(ctl->transparent, val);
	mutex_unlock(&lock);
	return err;
}
