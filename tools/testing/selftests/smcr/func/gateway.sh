#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: The TCP option is neither sent nor answered through a gateway
# rfc: 3.5.1.1
# nics: 1
# timeout: 300
# With net.smcr.on_link_only, connections through a gateway are plain TCP from
# their SYN on. The gateway is a host with a network behind it, or the other host
# itself, whose virtual address is reached through its real one: then RDMA works,
# too, if the setting allows it. Each step runs over TCP, too.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/paths_lib.sh
. "$FUNC_DIR/lib/paths_lib.sh"

SMCR=257
limit=$((60 * SLOW))
# Virtual addresses of the server and of the client
VIRTUAL4=10.77.0.1 VIRTUAL6=fd77::1
OTHER4=10.78.0.2 OTHER6=fd78::2
# The network behind the server
FAR=10.79.0

# count_options: count packets with the option that arrive at this host
count_options() {
	undo_later nft delete table inet smcr_gateway
	check "packets with the option are counted" nft -f - <<-END
		table inet smcr_gateway {
			chain in {
				type filter hook prerouting priority -300;
				tcp option 254 exists counter
			}
		}
	END
}

# count_roce: count RoCE packets that arrive at this host, and of them those that
# a router would have passed on
count_roce() {
	undo_later nft delete table inet smcr_roce
	undo_later nft delete table inet smcr_hops
	check "RoCE packets are counted" nft -f - <<-END
		table inet smcr_roce {
			chain in {
				type filter hook prerouting priority -300;
				udp dport 4791 counter
			}
		}
		table inet smcr_hops {
			chain in {
				type filter hook prerouting priority -300;
				udp dport 4791 ip ttl > 1 counter
				udp dport 4791 ip6 hoplimit > 1 counter
			}
		}
	END
}

# roce_stays: true if RoCE packets came, and no router would have passed one on
roce_stays() {
	[ "$(counted smcr_roce)" -gt 0 ] && [ "$(counted smcr_hops)" = 0 ]
}

# options: print the number of packets with the option that have arrived
options() {
	counted smcr_gateway
}

# options_came N: true if that many have arrived
options_came() {
	[ "$(options)" -ge "$1" ]
}

# route ARGUMENTS...: add or replace a route
route() {
	ip route replace "$@"
}

# has_addr ADDRESS: give this host a virtual address
has_addr() {
	undo_later ip addr del "$1" dev eth0
	check "this host has $1" ip addr add "$1" dev eth0 "${@:2}"
}

# as_tcp NAME CLIENT-REASON SERVER-REASON OPTIONS ADDRESS PORT: a connection is
# plain TCP without a handshake at the server, which gets this many packets with
# the option
as_tcp() {
	local was

	talks "$1: over TCP" talk 0 "$5" "$6"
	both save "$1"
	was=$(on server options)
	talks "$1: over smcr" talk $SMCR "$5" "$6"
	by_tcp "$1" "$2" 1
	on server by_tcp "$1" "$3" 1
	on server grew "$1" HandshakesStarted -eq 0
	check "$1: $4 packets with the option" \
		test "$(on server options)" = $((was + $4))
}

# as_rdma NAME ADDRESS PORT: a connection uses RDMA
as_rdma() {
	both save "$1"
	talks "$1: over smcr" talk $SMCR "$2" "$3"
	by_rdma "$1" 5 5
	on server by_rdma "$1" 5 5
}

# far_network: make a network behind this host, with one host that has no smcr of
# its own
far_network() {
	undo_later ip netns del far
	check "a host is behind this one" ip netns add far
	check "a cable to it" ip link add veth0 type veth peer name veth1 netns far
	ip addr add "$FAR.1/24" dev veth0
	ip link set veth0 up
	ip -n far addr add "$FAR.2/24" dev veth1
	ip -n far link set veth1 up
	ip -n far route add default via "$FAR.1"
	sysctl_for_now net.ipv4.ip_forward 1
}

# far_serves PORT: start a server there, over TCP
far_serves() {
	program "far$1" ip netns exec far ./paths.py serve 0 "$FAR.2" "$1"
}

# far_says VERB ADDRESS PORT: what a TCP client there gets
far_says() {
	ip netns exec far timeout "$limit" ./paths.py "$1" 0 "$2" "$3"
}

# late_choices: print how many connections TCP has sent through the gateway that
# connect() did not expect there
late_choices() {
	echo $(($(delta hops HandshakesStarted) - $(delta hops ActiveOpens)))
}

load_synopt() {
	[ -e /dev/synopt ] || insmod "$SHARED/synopt.ko"
}

# link_local: print the link-local address of eth0
link_local() {
	ip -6 -o addr show dev eth0 scope link |
		awk '{ sub("/.*", "", $4); print $4; exit }'
}

# encapsulated: a route with an encapsulation counts as one with a gateway. The
# debug kernel has no CONFIG_LWTUNNEL.
encapsulated() {
	check "the route has an encapsulation" \
		route $VIRTUAL6 encap seg6 mode encap segs "$SERVER6" dev eth0
	save encap
	timeout 5 ./paths.py talk $SMCR $VIRTUAL6 7751 >/dev/null
	check "no byte of its connection is wrong" right_bytes $?
	grew encap FallbackGateway -eq 1
	grew encap HandshakesStarted -eq 0
}

# two_next_hops: one of two next hops is a gateway. connect() looks for a route
# before TCP knows the source address, so TCP may choose the other one; then,
# too, a connection through the gateway has sent no option, and the server knows
# of no handshake. The debug kernel has no CONFIG_IP_ROUTE_MULTIPATH.
two_next_hops() {
	local port line rc

	sysctl_for_now net.ipv4.fib_multipath_hash_policy 1
	check "one next hop of two is a gateway" \
		route $VIRTUAL4 nexthop dev eth0 nexthop via "$SERVER4" dev eth0
	talks "two next hops: over TCP" talk 0 $VIRTUAL4 7750
	both save hops
	for port in {21000..21040}; do
		[ "$(delta hops ActiveOpens)" = 0 ] || [ "$(late_choices)" = 0 ] ||
			break
		rc=0
		line=$(timeout "$limit" ./paths.py talk $SMCR $VIRTUAL4 7750 \
			0.0.0.0 "$port" 8) || rc=$?
		said $rc exact "$line" ||
			check "two next hops: from port $port (got $line)" \
				said $rc exact "$line"
	done
	grew hops ActiveOpens -gt 0
	check "TCP chose the gateway later" test "$(late_choices)" -gt 0
	grew hops Fallbacks -eq "$(delta hops FallbackGateway)"
	on server grew hops HandshakesStarted -eq "$(delta hops ActiveOpens)"
	on server grew hops FallbackPeerDeclined -eq 0
}

client_leads

on server count_options
both count_roce
check "net.smcr.on_link_only is 1 by default" \
	test "$(sysctl -n net.smcr.on_link_only)" = 1

# The client's route to the server has a gateway.
on server has_addr $VIRTUAL4/32
on server has_addr $VIRTUAL6/128 nodad
on server serves serve $SMCR $VIRTUAL4 7750
on server serves serve $SMCR $VIRTUAL6 7751
undo_later ip route flush $VIRTUAL4
undo_later ip -6 route flush $VIRTUAL6
check "the route to $VIRTUAL4 has a gateway" route $VIRTUAL4 via "$SERVER4"
check "the route to $VIRTUAL6 has a gateway" route $VIRTUAL6 via "$SERVER6"
as_tcp to_v4 Gateway NoOption 0 $VIRTUAL4 7750
as_tcp to_v6 Gateway NoOption 0 $VIRTUAL6 7751
as_tcp to_mapped Gateway NoOption 0 ::ffff:$VIRTUAL4 7750
check "gateways are allowed" sysctl -qw net.smcr.on_link_only=0
as_rdma allowed_v4 $VIRTUAL4 7750
as_rdma allowed_v6 $VIRTUAL6 7751
check "gateways are not allowed" sysctl -qw net.smcr.on_link_only=1
check "the route to $VIRTUAL4 has none" route $VIRTUAL4 dev eth0
check "the route to $VIRTUAL6 has none" route $VIRTUAL6 dev eth0
as_rdma link_v4 $VIRTUAL4 7750
as_rdma link_v6 $VIRTUAL6 7751
check "the host is its own gateway" route $VIRTUAL4 via $VIRTUAL4 dev eth0 onlink
as_rdma onlink_v4 $VIRTUAL4 7750
[ "${BED_KERNEL:-release}" != release ] || encapsulated

# Link-local addresses
local6=$(on server link_local)
on server serves serve $SMCR "$local6%eth0" 7752
talks "link-local: over TCP" talk 0 "$local6%eth0" 7752
as_rdma link_local "$local6%eth0" 7752

[ "${BED_KERNEL:-release}" != release ] || two_next_hops

# The route gets a gateway while the server's answer is late. The server has got
# a SYN with the option, so the client declines.
check "the route has no gateway" route $VIRTUAL4 dev eth0
undo_later wire clear
both save change
was=$(on server options)
check "SYN-ACKs are lost" wire fault server0 client0 cut 1 only tcp
timeout "$limit" ./paths.py talk $SMCR $VIRTUAL4 7750 >"$tmp/change" &
change=$!
jobs_started+=("$change")
wait_until "the SYN has come" on server options_came $((was + 1))
check "the route gets a gateway" route $VIRTUAL4 via "$SERVER4"
wait_until "the SYN is repeated without the option" grew_to change SynsPlain 1
check "the server has not got a second one" \
	test "$(on server options)" -le $((was + 2))
wire clear
wait "$change"
check "it is TCP (got $(<"$tmp/change"))" said $? exact "$(<"$tmp/change")"
by_tcp change Gateway 1
on server by_tcp change PeerDeclined 1
grew change NegativeAdded -eq 0

# The server's route to the client has a gateway. The client's has none, so its
# SYN has the option.
has_addr $OTHER4/32
has_addr $OTHER6/128 nodad
on server serves serve $SMCR "$SERVER4" 7753
on server serves serve $SMCR "$SERVER6" 7754
undo_later ip route flush "$SERVER4/32"
undo_later ip -6 route flush "$SERVER6/128"
check "this host's address is $OTHER4" \
	route "$SERVER4/32" dev eth0 src $OTHER4
check "this host's address is $OTHER6" \
	route "$SERVER6/128" dev eth0 src $OTHER6
on server undo_later ip route flush $OTHER4
on server undo_later ip -6 route flush $OTHER6
on server check "the route to $OTHER4 has a gateway" \
	route $OTHER4 via "$CLIENT4"
on server check "the route to $OTHER6 has a gateway" \
	route $OTHER6 via "$CLIENT6"
as_tcp from_v4 NoOption Gateway 1 "$SERVER4" 7753
as_tcp from_v6 NoOption Gateway 1 "$SERVER6" 7754
on server check "gateways are allowed" sysctl -qw net.smcr.on_link_only=0
as_rdma answered_v6 "$SERVER6" 7754
on server check "gateways are not allowed" sysctl -qw net.smcr.on_link_only=1
on server check "the route to $OTHER6 has none" route $OTHER6 dev eth0
as_rdma source_v6 "$SERVER6" 7754
on server check "the route to $OTHER4 has none" \
	route $OTHER4 dev eth0 scope link
both save source_v4
talks "source_v4: over smcr" talk $SMCR "$SERVER4" 7753
by_tcp source_v4 PeerDeclined 1
on server by_tcp source_v4 Subnet 1
check "this host has its old addresses" ip route flush "$SERVER4/32"
check "this host has its old addresses, too" ip -6 route flush "$SERVER6/128"

# A real gateway: no option goes to the network behind it, and one that comes
# from there is not answered.
count_options
on server far_network
undo_later ip route flush "$FAR.0"/24
check "the server is the gateway" route "$FAR.0"/24 via "$SERVER4"
on server far_serves 7755
talks "a host behind: over TCP" talk 0 "$FAR.2" 7755
save far
was=$(on server options)
talks "a host behind: over smcr" talk $SMCR "$FAR.2" 7755
by_tcp far Gateway 1
check "no packet had the option" test "$(on server options)" = "$was"
serves serve $SMCR "$CLIENT4" 7756
on server check "synopt is loaded" load_synopt
on server undo_later rmmod synopt
line=$(on server far_says talk "$CLIENT4" 7756)
check "a SYN of TCP from behind (got $line)" said $? exact "$line"
save replay
was=$(options)
line=$(on server far_says offer "$CLIENT4" 7756)
check "a SYN with the option from behind (got $line)" said $? exact "$line"
check "it had the option" test "$(options)" = $((was + 1))
by_tcp replay Gateway 1
grew replay HandshakesStarted -eq 0
sysctl_for_now net.smcr.on_link_only 0
line=$(on server far_says offer "$CLIENT4" 7756)
check "if gateways are allowed, it is answered" \
	said $? "the option was answered" "$line"
both no_conn_left
both check "the hop limit of RDMA is 1" roce_stays
finish
