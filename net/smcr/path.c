// SPDX-License-Identifier: GPL-2.0
/*
 * From TCP addresses to RoCE ports and subnets (RFC 7609 3.5.1.2).
 *
 * SMC-R needs a RoCE port on the very device that carries the TCP connection,
 * or one that the PNET table ties to it. The route to an address of this host
 * goes over lo, which has no RoCE port; with net.smcr.loopback the device that
 * owns the address is used instead.
 *
 * With net.smcr.on_link_only, both ends must also be on one link: the option is
 * not sent through a gateway, where nobody knows what it meets, and is not sent
 * back to a source that is not on the link over which its SYN came.
 */
#include <linux/bpf-cgroup.h>
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>
#include <net/dst.h>
#include <net/if_inet6.h>
#include <net/inet_sock.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ip_fib.h>
#include <net/ipv6_stubs.h>
#include <net/l3mdev.h>
#include <net/route.h>
#include <net/sock.h>
#include <net/xfrm.h>

#include "clc_msg.h"
#include "ib.h"
#include "path.h"
#include "pnet.h"
#include "smcr.h"

static bool is_v4(const struct sock *sk)
{
	return sk->sk_family == AF_INET ||
	       ipv6_addr_v4mapped(&sk->sk_v6_rcv_saddr);
}

/* Is this a link-local address? No router forwards packets to one. So if TCP
 * uses link-local addresses, both hosts are on one LAN; otherwise a common
 * link-local prefix means nothing, as every LAN has it.
 */
static bool is_link_local(const struct in6_addr *addr)
{
	return ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL;
}

/**
 * smcr_path_dest() - address and port that connect() goes to
 * @inner: TCP socket that is about to connect
 * @addr: argument of connect()
 * @addr_len: length of @addr
 * @dst: result; IPv4 as a mapped address
 * @port: result
 *
 * An address of another family than the socket's does not pass: an IPv4 socket
 * has no IPv6 data, without which no route to an IPv6 address can be found.
 *
 * Context: any.
 * Return: false if TCP would not accept @addr.
 */
bool smcr_path_dest(const struct sock *inner, const struct sockaddr *addr,
		    int addr_len, struct in6_addr *dst, __be16 *port)
{
	const struct sockaddr_in6 *in6 = (const void *)addr;
	const struct sockaddr_in *in = (const void *)addr;

	if (addr->sa_family != inner->sk_family)
		return false;
	if (addr_len >= sizeof(*in) && addr->sa_family == AF_INET) {
		ipv6_addr_set_v4mapped(in->sin_addr.s_addr, dst);
		*port = in->sin_port;
		return true;
	}
	if (addr_len >= SIN6_LEN_RFC2133 && addr->sa_family == AF_INET6) {
		*dst = in6->sin6_addr;
		*port = in6->sin6_port;
		return true;
	}
	return false;
}

/**
 * smcr_path_peer_addr() - the TCP peer's address
 * @inner: connected TCP socket
 * @addr: result; IPv4 as a mapped address
 *
 * Context: any.
 */
void smcr_path_peer_addr(const struct sock *inner, struct in6_addr *addr)
{
	if (is_v4(inner))
		ipv6_addr_set_v4mapped(inner->sk_daddr, addr);
	else
		*addr = inner->sk_v6_daddr;
}

/**
 * smcr_path_local_addr() - the local address of TCP
 * @inner: connected TCP socket
 * @addr: result; IPv4 as a mapped address
 *
 * Context: any.
 */
void smcr_path_local_addr(const struct sock *inner, struct in6_addr *addr)
{
	if (is_v4(inner))
		ipv6_addr_set_v4mapped(inner->sk_rcv_saddr, addr);
	else
		*addr = inner->sk_v6_rcv_saddr;
}

/* Find the device that owns an address of this host.
 * Return: the device, counted, or NULL.
 */
static struct net_device * __must_check
owner(struct net *net, const struct in6_addr *addr)
{
	struct net_device *dev;

	if (ipv6_addr_v4mapped(addr))
		return ip_dev_find(net, addr->s6_addr32[3]);
	rcu_read_lock();
	dev = ipv6_stub->ipv6_dev_find(net, addr, NULL);
	dev_hold(dev);
	rcu_read_unlock();
	return dev;
}

/**
 * smcr_path_has_addr() - does TCP take an address as one of this host?
 * @net: the namespace
 * @addr: the address; IPv4 as a mapped address
 *
 * Context: any but hard irq.
 * Return: false also for an IPv6 address that may be another host's, too.
 */
bool smcr_path_has_addr(struct net *net, const struct in6_addr *addr)
{
	struct net_device *dev = owner(net, addr);

	dev_put(dev);
	return dev;
}

/* How a TCP connection leaves this host. RDMA would bypass IPsec, so a route
 * with IPsec means plain TCP.
 */
struct way {
	struct net_device *dev;	/* counted; NULL if there is no route */
	bool ipsec;
	bool gateway;
};

static bool on_link_only(const struct net *net)
{
	return READ_ONCE(smcr_pernet(net)->sysctl.on_link_only);
}

/* Does the route to an address have a gateway? After a redirect, and where an
 * administrator says so, a host can be its own gateway, and is on the link
 * then. Packets with an encapsulation go elsewhere first.
 */
static bool dst_gateway(const struct dst_entry *dst,
			const struct in6_addr *addr)
{
	const struct rt6_info *rt6;
	const struct rtable *rt;

	if (dst->lwtstate)
		return true;
	if (dst->ops->family == AF_INET6) {
		rt6 = container_of(dst, struct rt6_info, dst);
		return rt6->rt6i_flags & RTF_GATEWAY &&
		       !ipv6_addr_equal(&rt6->rt6i_gateway, addr);
	}
	rt = container_of(dst, struct rtable, dst);
	if (rt->rt_gw_family == AF_INET)
		return rt->rt_gw4 != addr->s6_addr32[3];
	return rt->rt_gw_family;
}

/* Find the device whose RoCE port a connection uses; @addr is its address on
 * this host. Consumes the reference to @way->dev, and returns a device with a
 * reference, or NULL and a reason.
 */
static struct net_device * __must_check
real_dev(struct net *net, const struct way *way, const struct in6_addr *addr,
	 enum smcr_fallback_reason *reason)
{
	struct net_device *dev = way->dev;

	if (!dev) {
		*reason = SMCR_FALLBACK_NO_RNIC;
		return NULL;
	}
	if (way->ipsec) {
		*reason = SMCR_FALLBACK_IPSEC;
		dev_put(dev);
		return NULL;
	}
	if (netif_is_l3_master(dev) || netif_is_l3_slave(dev)) {
		*reason = SMCR_FALLBACK_VRF;
		dev_put(dev);
		return NULL;
	}
	if (!(dev->flags & IFF_LOOPBACK))
		return dev;
	dev_put(dev);
	*reason = SMCR_FALLBACK_LOCAL_ADDR;
	if (!READ_ONCE(smcr_pernet(net)->sysctl.loopback))
		return NULL;
	dev = owner(net, addr);
	if (dev && !(dev->flags & IFF_LOOPBACK)) {
		*reason = SMCR_FALLBACK_NONE;
		return dev;
	}
	dev_put(dev);
	return NULL;
}

/* The route @dst leads to @addr; the caller's reference to @dst is consumed. A
 * device that is unregistered removes itself from its routes and is freed after
 * a grace period, so dst->dev can be held under RCU.
 */
static void way_of(struct dst_entry *dst, const struct in6_addr *addr,
		   struct way *way)
{
	rcu_read_lock();
	way->dev = READ_ONCE(dst->dev);
	dev_hold(way->dev);
	rcu_read_unlock();
	way->ipsec = dst_xfrm(dst);
	way->gateway = dst_gateway(dst, addr);
	dst_release(dst);
}

/* Does an IPsec policy apply? One whose keys have not been negotiated yet
 * applies too.
 */
static bool policy4(struct net *net, struct dst_entry *dst,
		    struct flowi4 *fl4, struct sock *sk)
{
	struct dst_entry *got;

	dst_hold(dst);
	got = xfrm_lookup_route(net, dst, flowi4_to_flowi(fl4), sk, 0);
	if (!IS_ERR(got))
		dst_release(got);
	return got != dst;
}

static void route4(struct sock *sk, __be32 daddr, __be16 dport,
		   struct way *way)
{
	struct flowi4 fl4 = {
		.flowi4_oif = READ_ONCE(sk->sk_bound_dev_if),
		.flowi4_mark = READ_ONCE(sk->sk_mark),
		.flowi4_proto = IPPROTO_TCP,
		.daddr = daddr,
		.saddr = inet_sk(sk)->inet_saddr,
		.fl4_sport = inet_sk(sk)->inet_sport,
		.fl4_dport = dport,
		.flowi4_uid = sk->sk_uid,
	};
	struct net *net = sock_net(sk);
	struct in6_addr addr;
	bool ipsec;
	struct rtable *rt;

	rt = ip_route_output_key(net, &fl4);
	if (IS_ERR(rt))
		return;
	ipsec = policy4(net, &rt->dst, &fl4, sk);
	ipv6_addr_set_v4mapped(daddr, &addr);
	way_of(&rt->dst, &addr, way);
	way->ipsec |= ipsec;
}

static void route6(struct sock *sk, const struct in6_addr *daddr,
		   __be16 dport, int scope, struct way *way)
{
	struct flowi6 fl6 = {
		.flowi6_oif = scope ? scope : READ_ONCE(sk->sk_bound_dev_if),
		.flowi6_mark = READ_ONCE(sk->sk_mark),
		.flowi6_proto = IPPROTO_TCP,
		.daddr = *daddr,
		.fl6_sport = inet_sk(sk)->inet_sport,
		.fl6_dport = dport,
		.flowi6_uid = sk->sk_uid,
	};
	struct dst_entry *dst;

	dst = ipv6_stub->ipv6_dst_lookup_flow(sock_net(sk), sk, &fl6, NULL);
	if (!IS_ERR(dst))
		way_of(dst, daddr, way);
}

/* Has a netdev a port that its connections may use? If the PNET table ties it
 * to ports, only these count.
 */
static bool dev_usable(struct net_device *dev)
{
	return smcr_pnet_tied(dev) ? smcr_pnet_usable(dev) :
				     smcr_ib_port_usable(dev);
}

/* May a connection to @addr that takes this way use SMC-R? Consumes the
 * reference to @way->dev.
 */
static enum smcr_fallback_reason
judge(struct net *net, const struct way *way, const struct in6_addr *addr)
{
	enum smcr_fallback_reason reason = SMCR_FALLBACK_NONE;
	struct net_device *dev = real_dev(net, way, addr, &reason);

	if (dev && !dev_usable(dev))
		reason = SMCR_FALLBACK_NO_RNIC;
	else if (dev && way->gateway && on_link_only(net))
		reason = SMCR_FALLBACK_GATEWAY;
	dev_put(dev);
	return reason;
}

/**
 * smcr_path_check() - may a connection to an address use SMC-R?
 * @inner: TCP socket that is about to connect
 * @addr: destination
 * @addr_len: length of @addr; TCP checks it later
 *
 * Context: process, outer sock lock held.
 * Return: SMCR_FALLBACK_NONE, or why SMC-R cannot work over the route. Also
 * SMCR_FALLBACK_NONE without a route, so that TCP reports its own error.
 */
enum smcr_fallback_reason smcr_path_check(struct sock *inner,
					  const struct sockaddr *addr,
					  int addr_len)
{
	const struct sockaddr_in6 *in6 = (const void *)addr;
	struct way way = { };
	struct in6_addr dst;
	__be16 port;

	if (!smcr_path_dest(inner, addr, addr_len, &dst, &port))
		return SMCR_FALLBACK_NONE;
	if (ipv6_addr_v4mapped(&dst))
		route4(inner, dst.s6_addr32[3], port, &way);
	else
		route6(inner, &dst, port, addr_len >= sizeof(*in6) ?
		       in6->sin6_scope_id : 0, &way);
	return way.dev ? judge(sock_net(inner), &way, &dst) :
			 SMCR_FALLBACK_NONE;
}

/**
 * smcr_path_may_change() - may connect() go to another address than its own?
 * @inner: TCP socket that is about to connect
 * @addr: argument of connect()
 * @addr_len: length of @addr; TCP checks it later
 *
 * Programs that balance load put BPF programs on cgroups, which replace a
 * service's address by that of one of its hosts. TCP runs them in connect().
 *
 * Context: process.
 * Return: true if smcr_path_check_route() must decide, with the first SYN or
 * later.
 */
bool smcr_path_may_change(const struct sock *inner, const struct sockaddr *addr,
			  int addr_len)
{
	struct in6_addr dst;
	__be16 port;

	return BPF_CGROUP_PRE_CONNECT_ENABLED(inner) &&
	       smcr_path_dest(inner, addr, addr_len, &dst, &port);
}

/* How a connected socket's packets leave this host. */
static void sock_way(struct sock *inner, struct way *way)
{
	struct dst_entry *dst = sk_dst_get(inner);
	struct in6_addr addr;

	smcr_path_peer_addr(inner, &addr);
	/* The cached route may have expired; a child may have none yet */
	if (dst)
		way_of(dst, &addr, way);
	else if (is_v4(inner))
		route4(inner, inner->sk_daddr, inner->sk_dport, way);
	else
		route6(inner, &inner->sk_v6_daddr, inner->sk_dport, 0, way);
}

/**
 * smcr_path_check_route() - may a connection with a route use SMC-R?
 * @inner: TCP socket that is about to send its first SYN, or has sent it
 *
 * An IPsec policy whose keys have not been negotiated is found later, by
 * smcr_path_port().
 *
 * Context: any; inner sock lock held until the SYN is sent.
 * Return: SMCR_FALLBACK_NONE, or why SMC-R cannot work over the route.
 */
enum smcr_fallback_reason smcr_path_check_route(const struct sock *inner)
{
	struct dst_entry *dst = sk_dst_get(inner);
	struct in6_addr addr;
	struct way way;

	if (!dst)
		return SMCR_FALLBACK_NONE;
	smcr_path_peer_addr(inner, &addr);
	way_of(dst, &addr, &way);
	return judge(sock_net(inner), &way, &addr);
}

/**
 * smcr_path_has_gateway() - must the option not be sent over this route?
 * @inner: TCP socket with a peer, and perhaps with a route
 *
 * Context: any.
 * Return: true if the route has a gateway, and net.smcr.on_link_only is set.
 */
bool smcr_path_has_gateway(const struct sock *inner)
{
	const struct dst_entry *dst;
	struct in6_addr addr;
	bool gateway;

	if (!on_link_only(sock_net(inner)))
		return false;
	smcr_path_peer_addr(inner, &addr);
	rcu_read_lock();
	dst = rcu_dereference(inner->sk_dst_cache);
	gateway = dst && dst_gateway(dst, &addr);
	rcu_read_unlock();
	return gateway;
}

/* Is a next hop the source of the SYN itself? */
static bool hop_is_source(const struct fib_nh_common *hop,
			  const struct smcr_syn *syn)
{
	if (hop->nhc_lwtstate)
		return false;
	switch (hop->nhc_gw_family) {
	case AF_INET:
		return hop->nhc_gw.ipv4 == syn->source.s6_addr32[3];
	case AF_INET6:
		return ipv6_addr_equal(&hop->nhc_gw.ipv6, &syn->source);
	default:
		return true;
	}
}

/* These two look into the routing tables: there is no route yet, and
 * ip_route_output_key() takes each address for one on the link if no route to
 * it goes over the netdev that it is asked for.
 */
static bool on_link4(const struct sock *inner, const struct smcr_syn *syn)
{
	struct flowi4 fl4 = {
		.flowi4_oif = syn->iif,
		.flowi4_mark = syn->mark,
		.flowi4_proto = IPPROTO_TCP,
		.daddr = syn->source.s6_addr32[3],
		.saddr = syn->dest.s6_addr32[3],
		.fl4_sport = inet_sk(inner)->inet_sport,
		.fl4_dport = syn->sport,
		.flowi4_uid = inner->sk_uid,
	};
	struct fib_result res;
	bool result;

	rcu_read_lock();
	result = !fib_lookup(sock_net(inner), &fl4, &res, 0) &&
		 (res.type == RTN_UNICAST || res.type == RTN_LOCAL) &&
		 hop_is_source(res.nhc, syn);
	rcu_read_unlock();
	return result;
}

static bool on_link6(const struct sock *inner, const struct smcr_syn *syn)
{
	struct flowi6 fl6 = {
		.flowi6_oif = syn->iif,
		.flowi6_mark = syn->mark,
		.flowi6_proto = IPPROTO_TCP,
		.daddr = syn->source,
		.saddr = syn->dest,
		.fl6_sport = inet_sk(inner)->inet_sport,
		.fl6_dport = syn->sport,
		.flowi6_uid = inner->sk_uid,
	};
	struct fib6_result res = { };
	bool result;

	rcu_read_lock();
	result = !ipv6_stub->fib6_lookup(sock_net(inner), syn->iif, &fl6, &res,
					 RT6_LOOKUP_F_IFACE) &&
		 (res.fib6_type == RTN_UNICAST || res.fib6_type == RTN_LOCAL) &&
		 !(res.fib6_flags & RTF_REJECT) &&
		 hop_is_source(&res.nh->nh_common, syn);
	rcu_read_unlock();
	return result;
}

/**
 * smcr_path_on_link() - may a SYN be answered with the option?
 * @inner: listening TCP socket
 * @syn: SYN with the option
 *
 * The route over the netdev on which the SYN came decides, not the route back,
 * since a host may have several netdevs on one LAN. Step PROPOSAL looks at the
 * route back, which the child has.
 *
 * Context: any.
 * Return: true if its source is on the link, or net.smcr.on_link_only is 0.
 */
bool smcr_path_on_link(const struct sock *inner, const struct smcr_syn *syn)
{
	if (!on_link_only(sock_net(inner)) || syn->iif == LOOPBACK_IFINDEX ||
	    is_link_local(&syn->source))
		return true;
	return ipv6_addr_v4mapped(&syn->source) ? on_link4(inner, syn) :
						  on_link6(inner, syn);
}

/**
 * smcr_path_is_v6() - does the TCP connection run over IPv6?
 * @inner: connected TCP socket
 *
 * Context: any.
 * Return: false for IPv4, also with mapped addresses on an AF_INET6 socket.
 */
bool smcr_path_is_v6(const struct sock *inner)
{
	return !is_v4(inner);
}

/**
 * smcr_path_is_local() - is the peer's TCP address an address of this host?
 * @inner: connected TCP socket
 *
 * Context: process.
 * Return: true if a local device owns the address.
 */
bool smcr_path_is_local(const struct sock *inner)
{
	struct net_device *dev;
	struct in6_addr peer;

	smcr_path_peer_addr(inner, &peer);
	dev = owner(sock_net(inner), &peer);
	dev_put(dev);
	return dev;
}

/* Find the device that carries a connection.
 * Return: the device, counted, or NULL and a reason.
 */
static struct net_device * __must_check
conn_dev(struct sock *inner, enum smcr_fallback_reason *reason)
{
	struct net *net = sock_net(inner);
	struct net_device *dev;
	struct in6_addr local;
	struct way way = { };

	smcr_path_local_addr(inner, &local);
	sock_way(inner, &way);
	dev = real_dev(net, &way, &local, reason);
	if (dev && way.gateway && on_link_only(net)) {
		*reason = SMCR_FALLBACK_GATEWAY;
		dev_put(dev);
		return NULL;
	}
	return dev;
}

/**
 * smcr_path_port() - find the RoCE port of a connected TCP socket
 * @inner: TCP socket
 * @kind: preferred kind of GID, not SMCR_GID_AUTO
 * @peer_gid: GID that the peer named, or NULL
 * @port: result; the caller must call smcr_ib_port_drop() when done with it
 *
 * Context: process; may ask the device.
 * Return: SMCR_FALLBACK_NONE and a port, whose GID is of another kind if it has
 * none of @kind; or the reason why there is none.
 */
enum smcr_fallback_reason smcr_path_port(struct sock *inner,
					 enum smcr_gid_kind kind,
					 const u8 *peer_gid,
					 struct smcr_port *port)
{
	enum smcr_fallback_reason reason = SMCR_FALLBACK_NONE;
	struct smcr_gid_want want = { .kind = kind, .peer = peer_gid };
	enum smcr_port_miss miss;
	struct net_device *dev;
	struct in6_addr local;

	smcr_path_local_addr(inner, &local);
	want.local = local.s6_addr;
	dev = conn_dev(inner, &reason);
	if (!dev)
		return reason;
	want.vlan = is_vlan_dev(dev) ? vlan_dev_vlan_id(dev) : 0xffff;
	if (smcr_pnet_tied(dev))
		miss = smcr_pnet_port(dev, &want, port);
	else
		miss = smcr_ib_port_find(dev, &want, port);
	switch (miss) {
	case SMCR_PORT_OK:
		break;
	case SMCR_PORT_NO_GID:
		reason = SMCR_FALLBACK_NO_GID;
		break;
	default:
		reason = SMCR_FALLBACK_NO_RNIC;
	}
	dev_put(dev);
	return reason;
}

/* Call @fn for the IPv4 subnets of a device until it returns true. */
static bool any_subnet4(struct net_device *dev,
			bool (*fn)(__be32 net, u8 len, void *arg), void *arg)
{
	const struct in_ifaddr *ifa;
	struct in_device *in_dev;
	bool hit = false;

	rcu_read_lock();
	in_dev = __in_dev_get_rcu(dev);
	if (in_dev) {
		in_dev_for_each_ifa_rcu(ifa, in_dev) {
			hit = fn(ifa->ifa_address & ifa->ifa_mask,
				 ifa->ifa_prefixlen, arg);
			if (hit)
				break;
		}
	}
	rcu_read_unlock();
	return hit;
}

/* RFC 4291 2.5.6 */
#define LINK_LOCAL_LEN 64

/* Like any_subnet4() for IPv6 prefixes, without the link-local one. */
static bool any_subnet6(struct net_device *dev,
			bool (*fn)(const struct in6_addr *addr, u8 len,
				   void *arg), void *arg)
{
	struct inet6_ifaddr *ifa;
	struct inet6_dev *in6;
	bool hit = false;

	rcu_read_lock();
	in6 = __in6_dev_get(dev);
	if (in6) {
		list_for_each_entry_rcu(ifa, &in6->addr_list, if_list) {
			if (is_link_local(&ifa->addr))
				continue;
			hit = fn(&ifa->addr, ifa->prefix_len, arg);
			if (hit)
				break;
		}
	}
	rcu_read_unlock();
	return hit;
}

struct subnet_fill {
	struct smcr_clc_proposal *msg;
	__be32			local;
};

static bool fill4(__be32 net, u8 len, void *arg)
{
	struct subnet_fill *fill = arg;

	if ((fill->local ^ net) & inet_make_mask(len))
		return false;
	memcpy(fill->msg->v4_subnet, &net, sizeof(net));
	fill->msg->v4_len = len;
	return true;
}

/* Add a prefix to the Proposal, once; ends the walk when all eight are used. */
static bool fill6(const struct in6_addr *addr, u8 len, void *arg)
{
	struct smcr_clc_proposal *msg = ((struct subnet_fill *)arg)->msg;
	struct in6_addr prefix;
	int i;

	ipv6_addr_prefix(&prefix, addr, len);
	for (i = 0; i < msg->nr_prefixes; i++) {
		if (msg->prefix[i].len == len &&
		    !memcmp(msg->prefix[i].addr, &prefix, sizeof(prefix)))
			return false;
	}
	if (msg->nr_prefixes == SMCR_MAX_PREFIXES)
		return true;
	memcpy(msg->prefix[i].addr, &prefix, sizeof(prefix));
	msg->prefix[i].len = len;
	msg->nr_prefixes++;
	return false;
}

/* Find the netdev whose subnets define the LAN: the connection's netdev if a
 * port is tied to it, otherwise the port's netdev.
 */
static struct net_device * __must_check
lan_dev(struct sock *inner, const struct smcr_port *port)
{
	enum smcr_fallback_reason reason;
	struct net_device *dev = NULL;

	if (smcr_pnet_any(sock_net(inner)))
		dev = conn_dev(inner, &reason);
	if (dev && smcr_pnet_tied(dev))
		return dev;
	dev_put(dev);
	return dev_get_by_index(sock_net(inner), port->ifindex);
}

/**
 * smcr_path_subnet_fill() - put the subnet of the local port in a Proposal
 * @inner: TCP socket
 * @port: the port
 * @msg: Proposal to fill; gets the IPv4 subnet number, or up to eight IPv6
 *	prefixes, the link-local one only if TCP uses it
 *
 * Context: process.
 */
void smcr_path_subnet_fill(struct sock *inner, const struct smcr_port *port,
			   struct smcr_clc_proposal *msg)
{
	struct subnet_fill fill = { .msg = msg };
	struct net_device *dev = lan_dev(inner, port);

	if (!dev)
		return;
	if (is_v4(inner)) {
		fill.local = inet_sk(inner)->inet_saddr;
		any_subnet4(dev, fill4, &fill);
	} else {
		if (is_link_local(&inner->sk_v6_rcv_saddr))
			fill6(&inner->sk_v6_rcv_saddr, LINK_LOCAL_LEN, &fill);
		any_subnet6(dev, fill6, &fill);
	}
	dev_put(dev);
}

/* @strict is net.smcr.strict_subnet: the client's TCP address must be in the
 * subnet too. By default it need not be, since a host may have virtual
 * addresses.
 */
struct subnet_match {
	const struct smcr_clc_proposal *msg;
	__be32			wire;
	struct in6_addr		peer;	/* IPv4 as a mapped address */
	bool			strict;
};

/* Figure 26 (A.2.2) has the subnet mask in the Proposal, 3.5.1.2 the subnet
 * number; accept either. A mask alone does not identify a subnet, so with a
 * mask the peer's address must be in the local subnet.
 */
static bool match4(__be32 net, u8 len, void *arg)
{
	struct subnet_match *match = arg;
	__be32 mask = inet_make_mask(len);
	bool inside = (match->peer.s6_addr32[3] & mask) == net;

	if (match->msg->v4_len != len)
		return false;
	if (match->wire == net)
		return inside || !match->strict;
	return match->wire == mask && inside;
}

static bool match6(const struct in6_addr *addr, u8 len, void *arg)
{
	struct subnet_match *match = arg;
	int i;

	if (match->strict && !ipv6_prefix_equal(&match->peer, addr, len))
		return false;
	for (i = 0; i < match->msg->nr_prefixes; i++)
		if (match->msg->prefix[i].len == len &&
		    ipv6_prefix_equal((const void *)match->msg->prefix[i].addr,
				      addr, len))
			return true;
	return false;
}

/**
 * smcr_path_subnet_match() - is the client on the LAN of the local port?
 * @inner: the server's TCP socket
 * @port: the local port
 * @msg: the client's Proposal
 *
 * Context: process.
 * Return: true if the port has a subnet or prefix of the Proposal (3.5.1.2).
 */
bool smcr_path_subnet_match(struct sock *inner, const struct smcr_port *port,
			    const struct smcr_clc_proposal *msg)
{
	const struct smcr_net *sn = smcr_pernet(sock_net(inner));
	struct subnet_match match = {
		.msg = msg,
		.strict = READ_ONCE(sn->sysctl.strict_subnet),
	};
	struct net_device *dev = lan_dev(inner, port);
	bool hit;

	if (!dev)
		return false;
	memcpy(&match.wire, msg->v4_subnet, sizeof(match.wire));
	smcr_path_peer_addr(inner, &match.peer);
	if (is_v4(inner))
		hit = any_subnet4(dev, match4, &match);
	else
		hit = (is_link_local(&inner->sk_v6_rcv_saddr) &&
		       match6(&inner->sk_v6_rcv_saddr, LINK_LOCAL_LEN,
			      &match)) ||
		      any_subnet6(dev, match6, &match);
	dev_put(dev);
	return hit;
}
