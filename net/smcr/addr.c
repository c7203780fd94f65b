// SPDX-License-Identifier: GPL-2.0
/*
 * The local address of a connection leaves the host, as when VRRP gives it to
 * another one, or a container moves.
 *
 * TCP neither sends from an address that the host does not have (IPv4), nor
 * takes in what is sent to it. RDMA uses GIDs, so it would serve the peer for
 * ever, beside the address's new owner. Therefore a connection stops some time
 * after its address has gone (net.smcr.address_gone_ms):
 *
 *   nothing is posted	smcr_tx_pause(): neither bytes nor credit nor D, C and
 *			F. send() fills the send space, shutdown() and close()
 *			wait for it to be empty, as with TCP. If the link fails,
 *			the connection moves, and F goes out when it goes on.
 *   nothing is taken	CDC messages are parked (cdc.c), as if TCP's segments
 *			had not arrived. What the peer had announced before can
 *			still be read.
 *
 * It goes on when the address is back. Otherwise it ends
 *
 *   - with A of the peer, which counts at all times. The peer sends it if its
 *     TCP gets a RST from the address's new owner,
 *   - when TCP would have given up: while bytes or an end wait here, after
 *     TCP_USER_TIMEOUT, or without it after what follows from
 *     net.ipv4.tcp_retries2, which also holds while they wait at the peer. The
 *     program gets what had been announced, and then ETIMEDOUT, the peer A,
 *   - as any other connection: the program closes it with unread bytes, an
 *     orphan makes no progress, the group ends. A, if it is due, goes out.
 *
 * absence.c decides, under smcr_conn.lock, which also covers what is done. The
 * address is set before the connection starts, and does not change.
 *
 * What is local
 *
 * The test is the one with which IPv4 decides whether it may send from an
 * address: some netdev of the namespace has it, whatever the netdev's kind and
 * state, or a local route covers it (127.0.0.2, a prefix on lo). No event tells
 * that such a route has gone, so this stops nothing by itself. IPv6 does not
 * look at the source, but takes in packets only for addresses that have passed
 * duplicate address detection; until then nothing is decided. Its local routes
 * do not count. A netdev that is set down keeps its IPv4 addresses, and loses
 * its IPv6 addresses unless the sysctl keep_addr_on_down keeps them.
 *
 * IP_FREEBIND, IP_TRANSPARENT and net.ipv4.ip_nonlocal_bind let a program use
 * an address that is not local. A connection whose address is not local when
 * the Proposal is made, or comes, is left alone. The end of the handshake would
 * be too late to look: the last steps need RDMA only, so the address may have
 * gone, and the connection would be taken for one that never had it.
 *
 * Who looks
 *
 * A notifier of addresses only queues the namespace's work, as it runs under
 * the rtnl lock, or in softirq. The work walks over the groups and connections.
 * It has a counted reference to the one that it looks at, and no lock while it
 * goes from one to the next. It looks again after the rest of a grace, and each
 * second while IPv6 is not sure, as no event tells when it is.
 *
 * Connections hold groups, and groups keep their namespace from exiting, so the
 * work finds none after smcr_lgr_net_exit(), and is not queued without a group.
 */
#include <linux/in6.h>
#include <linux/inetdevice.h>
#include <linux/lockdep.h>
#include <linux/netdevice.h>
#include <linux/sched.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "absence.h"
#include "addr.h"
#include "cdc.h"
#include "conn.h"
#include "conn_end.h"
#include "lgr.h"
#include "mib.h"
#include "path.h"
#include "smcr.h"
#include "tx.h"

/* Time between two looks while IPv6 is not sure of an address */
#define ADDR_UNSURE_TIME	HZ

/* Has IPv6 an address that may still pass duplicate address detection? */
static bool addr_tentative(struct net *net, const struct in6_addr *addr)
{
	const struct inet6_ifaddr *ifa;
	const struct inet6_dev *in6;
	struct net_device *dev;
	bool found = false;

	rcu_read_lock();
	for_each_netdev_rcu(net, dev) {
		in6 = __in6_dev_get(dev);
		if (!in6)
			continue;
		list_for_each_entry_rcu(ifa, &in6->addr_list, if_list)
			found |= ipv6_addr_equal(&ifa->addr, addr) &&
				 !(READ_ONCE(ifa->flags) & IFA_F_DADFAILED);
	}
	rcu_read_unlock();
	return found;
}

static enum smcr_absence_found addr_find(struct net *net,
					 const struct in6_addr *addr)
{
	if (smcr_path_has_addr(net, addr))
		return SMCR_ABSENCE_FOUND;
	return !ipv6_addr_v4mapped(addr) && addr_tentative(net, addr) ?
	       SMCR_ABSENCE_UNSURE : SMCR_ABSENCE_MISSED;
}

static void addr_pause(struct smcr_conn *conn)
{
	struct net *net = conn->lgr->net;
	unsigned int retries = READ_ONCE(net->ipv4.sysctl_tcp_retries2);

	lockdep_assert_held(&conn->lock);
	if (smcr_conn_end_over(conn))
		return;
	conn->rx.parks = true;
	smcr_tx_pause(conn,
		      msecs_to_jiffies(smcr_absence_patience_ms(retries)));
	smcr_mib_inc(net, SMCR_MIB_CONNSAWAY);
}

/* The peer's message is handled before bytes are posted, as it may open the
 * window, but what it calls for goes out at once: a message that asks for the
 * rest of a stream comes before the TEST LINK that shows its answer
 * (conn_eof.c). A connection that was reset meanwhile has gone on already.
 */
static void addr_resume(struct smcr_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!(conn->tx.mute & SMCR_TX_MUTE_AWAY))
		return;
	smcr_mib_inc(conn->lgr->net, SMCR_MIB_CONNSBACK);
	smcr_tx_resume(conn);
	smcr_cdc_replay(conn);
	smcr_tx_push_locked(conn);
}

/**
 * struct addr_walk - a walk over the connections of a namespace
 * @view: settings and time
 * @known: the last address that was looked for; most connections of a host
 *	have one of few
 * @found: the result of that
 * @first: no address was looked for
 * @next: jiffies until the next walk, 0 for none
 */
struct addr_walk {
	struct smcr_absence_view	view;
	struct in6_addr			known;
	enum smcr_absence_found		found;
	bool				first;
	unsigned long			next;
};

static void addr_next(struct addr_walk *walk, unsigned long delay)
{
	if (!walk->next || delay < walk->next)
		walk->next = delay;
}

static void addr_step(struct smcr_conn *conn, struct addr_walk *walk)
{
	spin_lock_bh(&conn->lock);
	switch (smcr_absence_look(&conn->absence, walk->found, &walk->view)) {
	case SMCR_ABSENCE_NOTHING:
		break;
	case SMCR_ABSENCE_LATER:
		addr_next(walk, smcr_absence_rest(&conn->absence,
						  &walk->view));
		break;
	case SMCR_ABSENCE_PAUSE:
		addr_pause(conn);
		break;
	case SMCR_ABSENCE_RESUME:
		addr_resume(conn);
		break;
	case SMCR_ABSENCE_RESET:
		if (!smcr_conn_end_over(conn))
			smcr_conn_end_reset_locked(conn,
						   SMCR_RESET_ADDRESS_GONE,
						   ETIMEDOUT);
		break;
	}
	spin_unlock_bh(&conn->lock);
}

/* The lock is for the few connections whose state may change. */
static void addr_look(struct smcr_conn *conn, struct addr_walk *walk)
{
	enum smcr_absence_state state;

	/* Pairs with the release in smcr_addr_watch(): the address is there */
	state = smp_load_acquire(&conn->absence.state);
	if (state == SMCR_ABSENCE_FOREIGN)
		return;
	if (walk->first || !ipv6_addr_equal(&walk->known, &conn->local)) {
		walk->first = false;
		walk->known = conn->local;
		walk->found = addr_find(conn->lgr->net, &conn->local);
	}
	if (walk->found == SMCR_ABSENCE_UNSURE)
		addr_next(walk, ADDR_UNSURE_TIME);
	if (state != SMCR_ABSENCE_HERE || walk->found != SMCR_ABSENCE_FOUND)
		addr_step(conn, walk);
}

static void addr_work(struct work_struct *work)
{
	struct smcr_addr *addr = container_of(to_delayed_work(work),
					      struct smcr_addr, work);
	struct smcr_net *sn = container_of(addr, struct smcr_net, addr);
	const struct smcr_sysctl *ctl = &sn->sysctl;
	struct addr_walk walk = {
		.view.mode = READ_ONCE(ctl->address_gone),
		.view.grace = msecs_to_jiffies(READ_ONCE(ctl->address_gone_ms)),
		.view.now = jiffies,
		.first = true,
	};
	struct smcr_conn *conn;
	struct smcr_lgr *lgr;
	u32 slot;

	for (lgr = smcr_lgr_next(sn->net, NULL); lgr;
	     lgr = smcr_lgr_next(sn->net, lgr)) {
		slot = 0;
		while ((conn = smcr_lgr_conn_next(lgr, &slot))) {
			addr_look(conn, &walk);
			smcr_conn_put(conn);
			cond_resched();
		}
	}
	/* An event may have queued the work for an earlier time meanwhile */
	spin_lock_bh(&addr->lock);
	if (walk.next && !addr->stopped)
		queue_delayed_work(system_unbound_wq, &addr->work, walk.next);
	spin_unlock_bh(&addr->lock);
}

/**
 * smcr_addr_kick() - look at all connections of a namespace soon
 * @sn: the namespace's data
 *
 * Context: any but hard irq.
 */
void smcr_addr_kick(struct smcr_net *sn)
{
	struct smcr_addr *addr = &sn->addr;

	if (!atomic_read(&sn->n_lgrs))
		return;
	spin_lock_bh(&addr->lock);
	if (!addr->stopped)
		mod_delayed_work(system_unbound_wq, &addr->work, 0);
	spin_unlock_bh(&addr->lock);
}

/**
 * smcr_addr_here() - does the host have the local address of TCP?
 * @inner: connected TCP socket
 *
 * Context: process.
 * Return: true if it does.
 */
bool smcr_addr_here(const struct sock *inner)
{
	struct in6_addr addr;

	smcr_path_local_addr(inner, &addr);
	return smcr_path_has_addr(sock_net(inner), &addr);
}

/**
 * smcr_addr_watch() - watch over the local address of a connection that starts
 * @conn: the connection, counted by the caller
 * @inner: its TCP socket; smcr_addr_here() was true during the handshake
 *
 * The work has passed the connection by until now, so a look tells whether the
 * address has gone meanwhile.
 *
 * Context: process.
 */
void smcr_addr_watch(struct smcr_conn *conn, const struct sock *inner)
{
	struct net *net = conn->lgr->net;

	smcr_path_local_addr(inner, &conn->local);
	/* Pairs with the acquire in addr_look() */
	smp_store_release(&conn->absence.state, SMCR_ABSENCE_HERE);
	/* Pairs with the rtnl lock of whoever removes the address: either the
	 * work sees the state, or this function that the address has gone
	 */
	smp_mb();
	if (!smcr_path_has_addr(net, &conn->local))
		smcr_addr_kick(smcr_pernet(net));
}

/* A netdev may get an address before its new namespace has data of smcr. */
static void addr_event(const struct net_device *dev)
{
	struct smcr_net *sn = smcr_pernet(dev_net(dev));

	if (sn)
		smcr_addr_kick(sn);
}

static int addr_event4(struct notifier_block *nb, unsigned long event,
		       void *data)
{
	const struct in_ifaddr *ifa = data;

	addr_event(ifa->ifa_dev->dev);
	return NOTIFY_DONE;
}

static struct notifier_block addr_nb4 = {
	.notifier_call	= addr_event4,
};

static int addr_event6(struct notifier_block *nb, unsigned long event,
		       void *data)
{
	const struct inet6_ifaddr *ifa = data;

	addr_event(ifa->idev->dev);
	return NOTIFY_DONE;
}

static struct notifier_block addr_nb6 = {
	.notifier_call	= addr_event6,
};

/* An IPv6 address that outlives a netdev that goes down has to pass duplicate
 * address detection when it is up again. Only this event tells, so looks go on
 * from here until IPv6 is sure.
 */
static int addr_event_netdev(struct notifier_block *nb, unsigned long event,
			     void *info)
{
	if (event == NETDEV_DOWN)
		addr_event(netdev_notifier_info_to_dev(info));
	return NOTIFY_DONE;
}

/* IPv6 handles the event first. */
static struct notifier_block addr_nb_netdev = {
	.notifier_call	= addr_event_netdev,
	.priority	= INT_MIN,
};

/**
 * smcr_addr_net_init() - initialize the watch of a namespace
 * @net: the namespace
 *
 * Context: process, namespace init.
 */
void smcr_addr_net_init(struct net *net)
{
	struct smcr_addr *addr = &smcr_pernet(net)->addr;

	INIT_DELAYED_WORK(&addr->work, addr_work);
	spin_lock_init(&addr->lock);
}

/**
 * smcr_addr_net_exit() - end the watch of a namespace
 * @net: the namespace; it has no group any more
 *
 * A write to a sysctl may have seen one, and be about to queue the work.
 *
 * Context: process, namespace exit.
 */
void smcr_addr_net_exit(struct net *net)
{
	struct smcr_addr *addr = &smcr_pernet(net)->addr;

	spin_lock_bh(&addr->lock);
	addr->stopped = true;
	spin_unlock_bh(&addr->lock);
	cancel_delayed_work_sync(&addr->work);
}

/**
 * smcr_addr_init() - have events of addresses reported
 *
 * Context: process, module init.
 * Return: 0 or -errno.
 */
int smcr_addr_init(void)
{
	int err;

	err = register_inetaddr_notifier(&addr_nb4);
	if (err)
		return err;
	err = register_inet6addr_notifier(&addr_nb6);
	if (err)
		goto out_4;
	err = register_netdevice_notifier(&addr_nb_netdev);
	if (err)
		goto out_6;
	return 0;
out_6:
	unregister_inet6addr_notifier(&addr_nb6);
out_4:
	unregister_inetaddr_notifier(&addr_nb4);
	return err;
}

/**
 * smcr_addr_exit() - undo smcr_addr_init()
 *
 * Context: process.
 */
void smcr_addr_exit(void)
{
	unregister_netdevice_notifier(&addr_nb_netdev);
	unregister_inet6addr_notifier(&addr_nb6);
	unregister_inetaddr_notifier(&addr_nb4);
}
