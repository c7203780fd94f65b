// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink family "smcr": dumps the objects of a namespace. The policies
 * and the table of operations in genl.c are generated.
 *
 * A dump that does not fit into one buffer stores the numbers of the next
 * object, and the next call goes on from there. So groups, links and
 * connections that come or go meanwhile cause no other one to be repeated or
 * left out. Ports of devices and entries of the PNET table and of the negative
 * list have no such numbers: a dump counts them, and one that comes or goes
 * between two buffers may have another one repeated or left out. No spinlock is
 * held while a message is filled; a reference keeps each object.
 */
#include <linux/netlink.h>
#include <net/genetlink.h>
#include <net/inet_sock.h>
#include <net/sock.h>

#include "conn.h"
#include "genl.h"
#include "ib.h"
#include "lgr.h"
#include "lgr_change.h"
#include "lgr_links.h"
#include "link.h"
#include "netlink.h"
#include "notify.h"
#include "rmb.h"
#include "smcr.h"
#include "sock.h"

/* The values in netlink messages are those of the module's definitions. */
static_assert((int)SMCR_NL_GID_TYPE_V2 == SMCR_GID_T_V2);
static_assert((int)SMCR_NL_GID_TYPE_V1_LINK_LOCAL == SMCR_GID_T_V1_LINK_LOCAL);

/**
 * struct dump - progress of a dump, in netlink_callback.ctx
 * @lgr: lower bound of the next link group's id
 * @pos: next entry in that group, or in the whole dump if it is not by group
 */
struct dump {
	u32 lgr;
	u32 pos;
};

/**
 * struct msg - a message being filled
 * @skb: buffer of the dump
 * @cb: state of the dump
 * @cmd: enum smcr_cmd
 * @hdr: header of the message, set by msg_begin()
 * @priv: the requester may see attributes that identify hosts and adapters
 */
struct msg {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	u8 cmd;
	void *hdr;
	bool priv;
};

static struct dump *dump_state(struct netlink_callback *cb)
{
	NL_ASSERT_DUMP_CTX_FITS(struct dump);
	return (struct dump *)cb->ctx;
}

static void msg_init(struct msg *msg, struct sk_buff *skb,
		     struct netlink_callback *cb, u8 cmd)
{
	struct net *net = sock_net(skb->sk);

	msg->skb = skb;
	msg->cb = cb;
	msg->cmd = cmd;
	msg->priv = netlink_ns_capable(cb->skb, net->user_ns, CAP_NET_ADMIN);
}

static int msg_begin(struct msg *msg)
{
	struct netlink_callback *cb = msg->cb;

	msg->hdr = genlmsg_put(msg->skb, NETLINK_CB(cb->skb).portid,
			       cb->nlh->nlmsg_seq, &smcr_nl_family,
			       NLM_F_MULTI, msg->cmd);
	return msg->hdr ? 0 : -EMSGSIZE;
}

/* End the message, or remove it from the buffer if @err says that it did not
 * fit.
 */
static int msg_end(struct msg *msg, int err)
{
	if (err)
		genlmsg_cancel(msg->skb, msg->hdr);
	else
		genlmsg_end(msg->skb, msg->hdr);
	return err;
}

/* A dump with messages in its buffer goes on in the next call. -EMSGSIZE is an
 * error only if a message does not fit into an empty buffer.
 */
static int dump_result(const struct sk_buff *skb, int err)
{
	return err == -EMSGSIZE && skb->len ? skb->len : err;
}

static int put_private(struct msg *msg, int attr, const void *data, int len)
{
	return msg->priv ? nla_put(msg->skb, attr, len, data) : 0;
}

static u64 age_ms(u64 at)
{
	return jiffies64_to_msecs(get_jiffies_64() - at);
}

/* Devices */

static int device_fill(struct msg *msg, const struct smcr_port *port,
		       const struct smcr_ib_port_info *info)
{
	struct sk_buff *skb = msg->skb;

	if (nla_put_string(skb, SMCR_A_DEVICE_DEVICE, info->dev) ||
	    nla_put_u32(skb, SMCR_A_DEVICE_PORT, port->port) ||
	    nla_put_u32(skb, SMCR_A_DEVICE_STATE,
			info->active ? SMCR_NL_PORT_STATE_ACTIVE :
				       SMCR_NL_PORT_STATE_DOWN) ||
	    nla_put_u32(skb, SMCR_A_DEVICE_IFINDEX, port->ifindex) ||
	    nla_put_u32(skb, SMCR_A_DEVICE_MTU, smcr_mtu_bytes(port->mtu)) ||
	    nla_put_u32(skb, SMCR_A_DEVICE_GID_INDEX, port->sgid_index) ||
	    nla_put_u32(skb, SMCR_A_DEVICE_GID_TYPES, info->gid_types) ||
	    put_private(msg, SMCR_A_DEVICE_GID, port->gid, SMCR_GID_LEN) ||
	    put_private(msg, SMCR_A_DEVICE_MAC, port->mac, SMCR_MAC_LEN))
		return -EMSGSIZE;
	return 0;
}

static int device_show(const struct smcr_port *port,
		       const struct smcr_ib_port_info *info, void *arg)
{
	struct msg *msg = arg;
	int err = msg_begin(msg);

	if (err)
		return err;
	return msg_end(msg, device_fill(msg, port, info));
}

/**
 * smcr_nl_device_get_dumpit() - dump the RoCE ports that smcr may use
 * @skb: buffer to fill
 * @cb: state of the dump
 *
 * Context: process.
 * Return: bytes filled, 0 at the end, or -errno.
 */
int smcr_nl_device_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *dump = dump_state(cb);
	struct msg msg;

	msg_init(&msg, skb, cb, SMCR_CMD_DEVICE_GET);
	dump->pos = smcr_ib_walk(sock_net(skb->sk), dump->pos, device_show,
				 &msg);
	return skb->len;
}

/* Link groups */

/* Get the next group of the dump, with a reference, or NULL. */
static struct smcr_lgr *lgr_resume(struct net *net, const struct dump *dump)
{
	struct smcr_lgr *lgr = smcr_lgr_next(net, NULL);

	while (lgr && lgr->id < dump->lgr)
		lgr = smcr_lgr_next(net, lgr);
	return lgr;
}

static u32 lgr_count_links(struct smcr_lgr *lgr)
{
	u32 n = 0;
	int i;

	spin_lock_bh(&lgr->conns_lock);
	for (i = 0; i < SMCR_MAX_LINKS; i++)
		n += !!lgr->links[i];
	spin_unlock_bh(&lgr->conns_lock);
	return n;
}

static u64 lgr_rmb_bytes(struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb;
	u64 bytes = 0;

	mutex_lock(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list)
		bytes += (u64)rmb->n_pages * PAGE_SIZE;
	mutex_unlock(&lgr->mutex);
	return bytes;
}

static int lgr_fill_change(struct sk_buff *skb, struct smcr_lgr *lgr)
{
	struct smcr_lgr_change change;

	smcr_lgr_change_read(lgr, &change);
	if (nla_put_u32(skb, SMCR_A_LINKGROUP_REASON, change.reason) ||
	    nla_put_uint(skb, SMCR_A_LINKGROUP_AGE_MS, age_ms(change.at)) ||
	    nla_put_u32(skb, SMCR_A_LINKGROUP_LAST_LINK, change.num))
		return -EMSGSIZE;
	if (!change.num)
		return 0;
	if (nla_put_u32(skb, SMCR_A_LINKGROUP_LAST_LINK_REASON,
			change.link_reason) ||
	    nla_put_uint(skb, SMCR_A_LINKGROUP_LAST_LINK_AGE_MS,
			 age_ms(change.link_at)))
		return -EMSGSIZE;
	return 0;
}

/**
 * smcr_nl_lgr_fill() - describe a group to anybody
 * @skb: message to fill
 * @lgr: the group
 *
 * Context: any but hard irq.
 * Return: 0 or -EMSGSIZE.
 */
int smcr_nl_lgr_fill(struct sk_buff *skb, struct smcr_lgr *lgr)
{
	if (nla_put_u32(skb, SMCR_A_LINKGROUP_LINKGROUP, lgr->id) ||
	    nla_put_u32(skb, SMCR_A_LINKGROUP_ROLE, lgr->role) ||
	    nla_put_u32(skb, SMCR_A_LINKGROUP_STATE, smcr_lgr_state(lgr)) ||
	    nla_put_u32(skb, SMCR_A_LINKGROUP_DIALECT,
			READ_ONCE(lgr->dialect)) ||
	    nla_put_u32(skb, SMCR_A_LINKGROUP_LINKS, lgr_count_links(lgr)) ||
	    nla_put_u32(skb, SMCR_A_LINKGROUP_MAX_LINKS,
			READ_ONCE(lgr->max_links)) ||
	    nla_put_u32(skb, SMCR_A_LINKGROUP_CONNS, READ_ONCE(lgr->n_conns)) ||
	    nla_put_u32(skb, SMCR_A_LINKGROUP_RMBS, READ_ONCE(lgr->n_rmbs)))
		return -EMSGSIZE;
	return lgr_fill_change(skb, lgr);
}

static int lgr_fill(struct msg *msg, struct smcr_lgr *lgr)
{
	if (smcr_nl_lgr_fill(msg->skb, lgr) ||
	    nla_put_uint(msg->skb, SMCR_A_LINKGROUP_RMB_BYTES,
			 lgr_rmb_bytes(lgr)) ||
	    put_private(msg, SMCR_A_LINKGROUP_PEER_ID, lgr->key.peer_id,
			SMCR_PEER_ID_LEN))
		return -EMSGSIZE;
	return 0;
}

static int lgr_show(struct msg *msg, struct smcr_lgr *lgr, struct dump *dump)
{
	int err = msg_begin(msg);

	if (err)
		return err;
	return msg_end(msg, lgr_fill(msg, lgr));
}

typedef int (*lgr_show_fn)(struct msg *msg, struct smcr_lgr *lgr,
			   struct dump *dump);

/* Call @show for each group, or for group @only unless that is 0. @show keeps
 * the next entry within the group in dump->pos.
 */
static int lgr_walk(struct msg *msg, u32 only, lgr_show_fn show)
{
	struct dump *dump = dump_state(msg->cb);
	struct net *net = sock_net(msg->skb->sk);
	struct smcr_lgr *lgr;
	int err = 0;

	for (lgr = lgr_resume(net, dump); lgr; lgr = smcr_lgr_next(net, lgr)) {
		if (lgr->id != dump->lgr)
			dump->pos = 0;
		dump->lgr = lgr->id;
		if (only && lgr->id != only)
			continue;
		err = show(msg, lgr, dump);
		if (err)
			break;
		dump->lgr = lgr->id + 1;
		dump->pos = 0;
	}
	if (lgr)
		smcr_lgr_put(lgr);
	return dump_result(msg->skb, err);
}

/**
 * smcr_nl_linkgroup_get_dumpit() - dump the link groups
 * @skb: buffer to fill
 * @cb: state of the dump
 *
 * Context: process.
 * Return: bytes filled, 0 at the end, or -errno.
 */
int smcr_nl_linkgroup_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb)
{
	struct msg msg;

	msg_init(&msg, skb, cb, SMCR_CMD_LINKGROUP_GET);
	return lgr_walk(&msg, 0, lgr_show);
}

/**
 * smcr_nl_lgr() - find a link group by its number
 * @net: the namespace
 * @id: number of the group
 *
 * Context: process.
 * Return: the group with a reference, or NULL.
 */
struct smcr_lgr *smcr_nl_lgr(struct net *net, u32 id)
{
	struct smcr_lgr *lgr;

	for (lgr = smcr_lgr_next(net, NULL); lgr; lgr = smcr_lgr_next(net, lgr))
		if (lgr->id == id)
			break;
	return lgr;
}

/* Get the number of the group that the request names, 0 for all groups. Return
 * -ENOENT if a new dump names a group that does not exist.
 */
static int asked_lgr(struct netlink_callback *cb, int attr, u32 *id)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct smcr_lgr *lgr;

	*id = 0;
	if (!info->attrs || !info->attrs[attr])
		return 0;
	*id = nla_get_u32(info->attrs[attr]);
	lgr = smcr_nl_lgr(sock_net(cb->skb->sk), *id);
	/* A group may go away while its dump is in progress. */
	if (!lgr && !dump_state(cb)->lgr) {
		NL_SET_ERR_MSG_ATTR(cb->extack, info->attrs[attr],
				    "no link group has this number");
		return -ENOENT;
	}
	if (lgr)
		smcr_lgr_put(lgr);
	return 0;
}

/* Links */

static int link_fill_private(struct msg *msg, const struct smcr_link *link)
{
	struct sk_buff *skb = msg->skb;

	if (!msg->priv)
		return 0;
	if (nla_put_u32(skb, SMCR_A_LINK_QPN, link->qpn) ||
	    nla_put(skb, SMCR_A_LINK_GID, SMCR_GID_LEN, link->local.gid) ||
	    nla_put(skb, SMCR_A_LINK_MAC, SMCR_MAC_LEN, link->local.mac))
		return -EMSGSIZE;
	/* The peer's end is set before the link becomes READY. A link that
	 * failed before that may have zeros there.
	 */
	if (smcr_link_state(link) == SMCR_LINK_INIT)
		return 0;
	if (nla_put_u32(skb, SMCR_A_LINK_PEER_QPN, link->peer.qpn) ||
	    nla_put(skb, SMCR_A_LINK_PEER_GID, SMCR_GID_LEN, link->peer.gid) ||
	    nla_put(skb, SMCR_A_LINK_PEER_MAC, SMCR_MAC_LEN, link->peer.mac))
		return -EMSGSIZE;
	return 0;
}

static int link_fill_device(struct sk_buff *skb, struct smcr_link *link)
{
	int err;

	/* Keeps the device, which may be removed at any time. */
	if (!smcr_link_verbs_get(link))
		return 0;
	err = nla_put_string(skb, SMCR_A_LINK_DEVICE,
			     smcr_ib_dev_name(link->local.dev));
	smcr_link_verbs_put(link);
	return err;
}

/**
 * smcr_nl_link_fill() - describe a link to anybody
 * @skb: message to fill
 * @link: the link
 *
 * Context: process.
 * Return: 0 or -EMSGSIZE.
 */
int smcr_nl_link_fill(struct sk_buff *skb, struct smcr_link *link)
{
	struct smcr_link_change change;
	u8 mtu = READ_ONCE(link->mtu);

	smcr_link_change(link, &change);
	if (nla_put_u32(skb, SMCR_A_LINK_LINKGROUP, link->lgr->id) ||
	    nla_put_u32(skb, SMCR_A_LINK_LINK, link->num) ||
	    nla_put_u32(skb, SMCR_A_LINK_STATE, change.state) ||
	    link_fill_device(skb, link) ||
	    nla_put_u32(skb, SMCR_A_LINK_PORT, link->local.port) ||
	    nla_put_u32(skb, SMCR_A_LINK_IFINDEX, link->local.ifindex) ||
	    nla_put_u32(skb, SMCR_A_LINK_MTU,
			smcr_mtu_bytes(mtu ?: link->local.mtu)) ||
	    nla_put_u32(skb, SMCR_A_LINK_UID, link->uid) ||
	    nla_put_u32(skb, SMCR_A_LINK_PEER_UID, READ_ONCE(link->peer_uid)) ||
	    nla_put_u32(skb, SMCR_A_LINK_REASON, change.reason) ||
	    nla_put_uint(skb, SMCR_A_LINK_AGE_MS, age_ms(change.at)))
		return -EMSGSIZE;
	return 0;
}

static int link_fill(struct msg *msg, struct smcr_link *link)
{
	return smcr_nl_link_fill(msg->skb, link) ?:
	       link_fill_private(msg, link);
}

static int links_show(struct msg *msg, struct smcr_lgr *lgr, struct dump *dump)
{
	struct smcr_link *link;
	int err = 0;

	for (; dump->pos < SMCR_MAX_LINKS; dump->pos++) {
		link = smcr_lgr_link_at(lgr, dump->pos);
		if (!link)
			continue;
		err = msg_begin(msg);
		if (!err)
			err = msg_end(msg, link_fill(msg, link));
		smcr_link_put(link);
		if (err)
			break;
	}
	return err;
}

/**
 * smcr_nl_link_get_dumpit() - dump the links of all groups, or of one
 * @skb: buffer to fill
 * @cb: state of the dump
 *
 * Context: process.
 * Return: bytes filled, 0 at the end, or -errno.
 */
int smcr_nl_link_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct msg msg;
	u32 only;
	int err;

	err = asked_lgr(cb, SMCR_A_LINK_LINKGROUP, &only);
	if (err)
		return err;
	msg_init(&msg, skb, cb, SMCR_CMD_LINK_GET);
	return lgr_walk(&msg, only, links_show);
}

/* Connections */

/**
 * struct conn_info - snapshot of a connection, taken under its lock
 * @sk: outer socket with a reference, or NULL if the connection has none
 * @state: enum smcr_conn_state
 * @reset: why it was reset
 * @link: number of its link, 0 if none
 * @rx_size: bytes that the local element holds
 * @rx_queued: bytes received and not read
 * @rx_bytes: bytes read
 * @tx_size: bytes that the peer's element holds
 * @tx_queued: bytes accepted and not written
 * @tx_unread: bytes written and not read by the peer
 * @tx_bytes: bytes written
 */
struct conn_info {
	struct sock *sk;
	enum smcr_conn_state state;
	enum smcr_reset_reason reset;
	u8 link;
	u32 rx_size;
	u64 rx_queued;
	u64 rx_bytes;
	u32 tx_size;
	u64 tx_queued;
	u64 tx_unread;
	u64 tx_bytes;
};

static void conn_read(struct smcr_conn *conn, struct conn_info *info)
{
	spin_lock_bh(&conn->lock);
	info->sk = conn->sk;
	if (info->sk)
		sock_hold(info->sk);
	info->state = conn->fsm.state;
	info->reset = conn->reset_reason;
	info->link = conn->link ? conn->link->num : 0;
	info->rx_size = conn->rx.ring.len;
	info->rx_queued = conn->rx.peer.prod - conn->rx.cons;
	info->rx_bytes = conn->rx.cons;
	info->tx_size = conn->tx.ring.len;
	info->tx_queued = READ_ONCE(conn->tx.end) - conn->tx.nxt;
	info->tx_unread = conn->tx.nxt - conn->rx.peer.cons;
	info->tx_bytes = conn->tx.nxt;
	spin_unlock_bh(&conn->lock);
}

/* Get the inner sock of @sk, with a reference, or NULL. The inner socket may be
 * closed at any time; RCU keeps the memory of its struct socket and of its TCP
 * sock.
 */
static struct sock *inner_get(const struct sock *sk)
{
	struct sock *inner = NULL;
	struct socket *sock;

	rcu_read_lock();
	sock = READ_ONCE(smcr_sk(sk)->inner);
	if (sock)
		inner = READ_ONCE(sock->sk);
	if (inner && !refcount_inc_not_zero(&inner->sk_refcnt))
		inner = NULL;
	rcu_read_unlock();
	/* The memory may have been reused for another TCP sock before the
	 * reference was taken.
	 */
	if (inner && READ_ONCE(smcr_sk(sk)->inner) != sock) {
		sock_put(inner);
		inner = NULL;
	}
	return inner;
}

/* Attributes of addresses, counted from the first of them */
enum { ADDR_LOCAL, ADDR_LOCAL_PORT, ADDR_PEER, ADDR_PEER_PORT };

static_assert(SMCR_A_CONN_PEER_PORT - SMCR_A_CONN_LOCAL == ADDR_PEER_PORT);
static_assert(SMCR_A_FALLBACK_PEER_PORT - SMCR_A_FALLBACK_LOCAL ==
	      ADDR_PEER_PORT);

#if IS_ENABLED(CONFIG_IPV6)
static int addr6_fill(struct sk_buff *skb, const struct sock *inner, int attr)
{
	if (nla_put_in6_addr(skb, attr + ADDR_LOCAL,
			     &inner->sk_v6_rcv_saddr) ||
	    nla_put_in6_addr(skb, attr + ADDR_PEER, &inner->sk_v6_daddr))
		return -EMSGSIZE;
	return 0;
}
#else
static int addr6_fill(struct sk_buff *skb, const struct sock *inner, int attr)
{
	return 0;
}
#endif

static int addr4_fill(struct sk_buff *skb, const struct inet_sock *inet,
		      int attr)
{
	if (nla_put_in_addr(skb, attr + ADDR_LOCAL, inet->inet_rcv_saddr) ||
	    nla_put_in_addr(skb, attr + ADDR_PEER, inet->inet_daddr))
		return -EMSGSIZE;
	return 0;
}

/**
 * smcr_nl_addr_fill() - put the addresses of a TCP socket in a message
 * @skb: message to fill
 * @inner: the TCP socket
 * @attr: attribute of the local address; those of the local port, the peer's
 *	address and the peer's port follow it
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int smcr_nl_addr_fill(struct sk_buff *skb, const struct sock *inner, int attr)
{
	const struct inet_sock *inet = inet_sk(inner);
	int err;

	if (inner->sk_family == AF_INET6)
		err = addr6_fill(skb, inner, attr);
	else
		err = addr4_fill(skb, inet, attr);
	if (err)
		return err;
	if (nla_put_u32(skb, attr + ADDR_LOCAL_PORT, inet->inet_num) ||
	    nla_put_u32(skb, attr + ADDR_PEER_PORT, ntohs(inet->inet_dport)))
		return -EMSGSIZE;
	return 0;
}

static int sock_fill(struct msg *msg, struct sock *sk)
{
	struct user_namespace *ns = sk_user_ns(NETLINK_CB(msg->cb->skb).sk);
	struct sock *inner;
	int err = 0;

	if (!sk)
		return 0;
	inner = inner_get(sk);
	if (inner) {
		err = smcr_nl_addr_fill(msg->skb, inner, SMCR_A_CONN_LOCAL);
		sock_put(inner);
	}
	if (err ||
	    nla_put_uint(msg->skb, SMCR_A_CONN_INODE, sock_i_ino(sk)) ||
	    nla_put_u32(msg->skb, SMCR_A_CONN_UID,
			from_kuid_munged(ns, sock_i_uid(sk))))
		return -EMSGSIZE;
	return 0;
}

static int conn_fill(struct msg *msg, const struct smcr_conn *conn,
		     const struct conn_info *info)
{
	struct sk_buff *skb = msg->skb;

	if (nla_put_u32(skb, SMCR_A_CONN_CONN, conn->id) ||
	    nla_put_u32(skb, SMCR_A_CONN_LINKGROUP, conn->lgr->id) ||
	    nla_put_u32(skb, SMCR_A_CONN_LINK, info->link) ||
	    nla_put_u32(skb, SMCR_A_CONN_STATE, info->state) ||
	    sock_fill(msg, info->sk) ||
	    nla_put_u32(skb, SMCR_A_CONN_RX_SIZE, info->rx_size) ||
	    nla_put_uint(skb, SMCR_A_CONN_RX_QUEUED, info->rx_queued) ||
	    nla_put_uint(skb, SMCR_A_CONN_RX_BYTES, info->rx_bytes) ||
	    nla_put_u32(skb, SMCR_A_CONN_TX_SIZE, info->tx_size) ||
	    nla_put_uint(skb, SMCR_A_CONN_TX_QUEUED, info->tx_queued) ||
	    nla_put_uint(skb, SMCR_A_CONN_TX_UNREAD, info->tx_unread) ||
	    nla_put_uint(skb, SMCR_A_CONN_TX_BYTES, info->tx_bytes) ||
	    nla_put_u32(skb, SMCR_A_CONN_RESET_REASON, info->reset))
		return -EMSGSIZE;
	return 0;
}

static int conn_show(struct msg *msg, struct smcr_conn *conn)
{
	struct conn_info info;
	int err;

	err = msg_begin(msg);
	if (err)
		return err;
	conn_read(conn, &info);
	err = msg_end(msg, conn_fill(msg, conn, &info));
	if (info.sk)
		sock_put(info.sk);
	return err;
}

static int conns_show(struct msg *msg, struct smcr_lgr *lgr, struct dump *dump)
{
	struct smcr_conn *conn;
	u32 next = dump->pos;
	int err;

	while ((conn = smcr_lgr_conn_next(lgr, &next))) {
		err = conn_show(msg, conn);
		smcr_conn_put(conn);
		if (err)
			return err;
		dump->pos = next;
		cond_resched();
	}
	return 0;
}

/**
 * smcr_nl_conn_get_dumpit() - dump the connections of all groups, or of one
 * @skb: buffer to fill
 * @cb: state of the dump
 *
 * Context: process.
 * Return: bytes filled, 0 at the end, or -errno.
 */
int smcr_nl_conn_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct msg msg;
	u32 only;
	int err;

	err = asked_lgr(cb, SMCR_A_CONN_LINKGROUP, &only);
	if (err)
		return err;
	msg_init(&msg, skb, cb, SMCR_CMD_CONN_GET);
	return lgr_walk(&msg, only, conns_show);
}

/* Counters */

static int stat_show(struct msg *msg, enum smcr_mib field)
{
	struct net *net = sock_net(msg->skb->sk);
	int err = msg_begin(msg);

	if (err)
		return err;
	if (nla_put_string(msg->skb, SMCR_A_STATS_NAME, smcr_mib_name(field)) ||
	    nla_put_uint(msg->skb, SMCR_A_STATS_VALUE,
			 smcr_mib_read(net, field)))
		err = -EMSGSIZE;
	return msg_end(msg, err);
}

/**
 * smcr_nl_stats_get_dumpit() - dump the counters
 * @skb: buffer to fill
 * @cb: state of the dump
 *
 * Context: process.
 * Return: bytes filled, 0 at the end, or -errno.
 */
int smcr_nl_stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *dump = dump_state(cb);
	struct msg msg;
	int err = 0;

	msg_init(&msg, skb, cb, SMCR_CMD_STATS_GET);
	for (; dump->pos < SMCR_MIB_MAX; dump->pos++) {
		err = stat_show(&msg, dump->pos);
		if (err)
			break;
	}
	return dump_result(skb, err);
}

/* Negative list */

static int negative_fill(struct msg *msg, const struct smcr_neglist_info *info)
{
	const struct smcr_neglist_key *key = &info->key;
	struct sk_buff *skb = msg->skb;

	if (nla_put_u32(skb, SMCR_A_NEGATIVE_KIND, key->kind) ||
	    nla_put_in6_addr(skb, SMCR_A_NEGATIVE_PEER, &key->addr) ||
	    nla_put_u32(skb, SMCR_A_NEGATIVE_PEER_PORT, ntohs(key->port)) ||
	    nla_put_u32(skb, SMCR_A_NEGATIVE_STATE, info->state) ||
	    nla_put_u32(skb, SMCR_A_NEGATIVE_FAILURES, info->failures) ||
	    nla_put_uint(skb, SMCR_A_NEGATIVE_REMAINING_MS,
			 info->remaining_ms))
		return -EMSGSIZE;
	if (key->kind == SMCR_NEGLIST_MTU &&
	    nla_put_u32(skb, SMCR_A_NEGATIVE_MTU, smcr_mtu_bytes(info->mtu)))
		return -EMSGSIZE;
	if (key->kind != SMCR_NEGLIST_PATH && key->kind != SMCR_NEGLIST_MTU)
		return 0;
	if (put_private(msg, SMCR_A_NEGATIVE_PEER_ID, key->peer_id,
			SMCR_PEER_ID_LEN) ||
	    put_private(msg, SMCR_A_NEGATIVE_GID, key->gid, SMCR_GID_LEN) ||
	    put_private(msg, SMCR_A_NEGATIVE_PEER_GID, key->peer_gid,
			SMCR_GID_LEN))
		return -EMSGSIZE;
	return 0;
}

static int negative_show(const struct smcr_neglist_info *info, void *arg)
{
	struct msg *msg = arg;
	int err = msg_begin(msg);

	if (err)
		return err;
	return msg_end(msg, negative_fill(msg, info));
}

/**
 * smcr_nl_negative_get_dumpit() - dump the negative list
 * @skb: buffer to fill
 * @cb: state of the dump
 *
 * Context: process.
 * Return: bytes filled, 0 at the end, or -errno.
 */
int smcr_nl_negative_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb)
{
	struct dump *dump = dump_state(cb);
	struct msg msg;
	int err;

	msg_init(&msg, skb, cb, SMCR_CMD_NEGATIVE_GET);
	err = smcr_neglist_walk(sock_net(skb->sk), &dump->pos, negative_show,
				&msg);
	return dump_result(skb, err);
}

/* PNET table */

static int pnet_fill(struct sk_buff *skb, const struct smcr_pnet_entry *entry)
{
	if (nla_put_string(skb, SMCR_A_PNET_NAME, entry->name))
		return -EMSGSIZE;
	if (entry->netdev[0])
		return nla_put_string(skb, SMCR_A_PNET_NETDEV, entry->netdev);
	if (nla_put_string(skb, SMCR_A_PNET_DEVICE, entry->device) ||
	    nla_put_u32(skb, SMCR_A_PNET_PORT, entry->port))
		return -EMSGSIZE;
	return 0;
}

static int pnet_show(const struct smcr_pnet_entry *entry, void *arg)
{
	struct msg *msg = arg;
	int err = msg_begin(msg);

	if (err)
		return err;
	return msg_end(msg, pnet_fill(msg->skb, entry));
}

/**
 * smcr_nl_pnet_get_dumpit() - dump the PNET table
 * @skb: buffer to fill
 * @cb: state of the dump
 *
 * Context: process.
 * Return: bytes filled, 0 at the end, or -errno.
 */
int smcr_nl_pnet_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *dump = dump_state(cb);
	struct msg msg;
	int err;

	msg_init(&msg, skb, cb, SMCR_CMD_PNET_GET);
	err = smcr_pnet_walk(sock_net(skb->sk), &dump->pos, pnet_show, &msg);
	return dump_result(skb, err);
}

struct genl_family smcr_nl_family __ro_after_init = {
	.name		= SMCR_FAMILY_NAME,
	.version	= SMCR_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= smcr_nl_ops,
	.n_split_ops	= ARRAY_SIZE(smcr_nl_ops),
	.mcgrps		= smcr_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(smcr_nl_mcgrps),
};

/**
 * smcr_netlink_init() - register the netlink family
 *
 * Context: process, module init.
 * Return: 0 or -errno.
 */
int __init smcr_netlink_init(void)
{
	int err = genl_register_family(&smcr_nl_family);

	if (!err)
		smcr_notify_start();
	return err;
}

/**
 * smcr_netlink_exit() - unregister the netlink family
 *
 * No dump runs after the call, and no notification is sent.
 *
 * Context: process, module init or exit.
 */
void smcr_netlink_exit(void)
{
	smcr_notify_stop();
	genl_unregister_family(&smcr_nl_family);
}
