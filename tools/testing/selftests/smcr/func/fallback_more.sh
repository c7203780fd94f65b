#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: IPsec, VRF, ULPs and ports that are down make a connection plain TCP
# rfc: 5.5, 5.6
# nics: 2
# timeout: 120
# Connections that only TCP can serve: through IPsec or a VRF, below an upper
# layer protocol, over a port that is down. Each falls back and carries the
# right bytes, and each host counts its own reason only. So does a connection
# whose SYNs cross and which declines.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"
# shellcheck source=lib/ipsec_lib.sh
. "$FUNC_DIR/lib/ipsec_lib.sh"

kind=smcr4
addresses $kind
ETH1=10.9.0.11

# three NAME ADDRESS [CLIENT_OPTION [SERVER_OPTION]]: open three connections,
# with the counters of both hosts saved as NAME
three() {
	both save "$1"
	on server crowd_serve $kind "$2" ${4:+"$4"}
	crowd_begin $kind "$2" ${3:+"$3"}
	crowd_is "$1: three connections are open" 3 open 3
	crowd_is "$1: their bytes are right" 3 all 3000
	crowd_end
	on server crowd_served
}

# tcp NAME CLIENT_REASON SERVER_REASON ADDRESS [CLIENT_OPTION [SERVER_OPTION]]:
# check that three connections fall back, each host for its reason
tcp() {
	three "$1" "${@:4}"
	by_tcp "$1" "$2" 3
	on server by_tcp "$1" "$3" 3
	both no_conn_left
}

# port_gid, port_down: state of the adapter that only the client has
port_gid() {
	grep -qi 0a4d:0001 /sys/class/infiniband/rxe9/ports/1/gids/1
}

port_down() {
	grep -q DOWN /sys/class/infiniband/rxe9/ports/1/state
}

# ulp PROTOCOL NAME: print the result of TCP_ULP on a new socket
ulp() {
	python3 - "$@" <<-EOF
	import errno, socket, sys
	sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM,
	                     int(sys.argv[1]))
	try:
	    sock.setsockopt(socket.IPPROTO_TCP, 31, sys.argv[2].encode())
	    print("ok")
	except OSError as err:
	    print(errno.errorcode[err.errno])
	EOF
}

client_leads

# An IPsec policy of the namespace; both hosts use the same keys.
check "an IPsec policy for port $PORT" ipsec_on "$CLIENT4" "$SERVER4" out
on server check "an IPsec policy for port $PORT" \
	ipsec_on "$CLIENT4" "$SERVER4" in
tcp ipsec_policy Ipsec NoOption "$SERVER"
both check "the IPsec policy is removed" ipsec_off
three ipsec_over "$SERVER"
both no_fallback ipsec_over
grew ipsec_over RdmaWrites -ge 3
both no_conn_left

tcp ipsec_socket Ipsec NoOption "$SERVER" ipsec
tcp ipsec_listener NoOption Ipsec "$SERVER" "" ipsec

both check "a VRF" ip link add vrf0 type vrf table 10
both undo_later ip link delete vrf0
both check "the VRF is up" ip link set vrf0 up
both check "the second NIC is in the VRF" ip link set eth1 master vrf0
tcp vrf Vrf Vrf "$ETH1" vrf=vrf0 vrf=vrf0

check "a module provides an upper layer protocol" \
	insmod "$SHARED/ulp_none.ko"
undo_later rmmod ulp_none
tcp ulp Ulp NoOption "$SERVER" ulp=none
check_not "a listener may not use one that needs a connection, as over TCP" \
	"$CROWD" $kind "$SERVER" "$PORT" serve ulp=tls
check "TCP has one called smc" test "$(ulp 0 smc)" = ok
check "smcr refuses that, which takes the program's file" \
	test "$(ulp 257 smc)" = ENOENT

# The client connects to one of its own addresses, whose GID is on a port that
# is down.
sysctl_for_now net.smcr.loopback 1
check "a netdev" ip link add dummy9 type dummy
undo_later ip link delete dummy9
check "the netdev has an address" ip addr add 10.77.0.1/24 dev dummy9
check "the netdev is up" ip link set dummy9 up
check "the netdev carries RDMA" rdma link add rxe9 type rxe netdev dummy9
undo_later rdma link delete rxe9
wait_until "its address is a GID" port_gid
echo 0 >/sys/class/net/dummy9/carrier
wait_until "its port is down" port_down
crowd_serve $kind 10.77.0.1
save gid
crowd_begin $kind 10.77.0.1
crowd_is "no port: three connections are open" 3 open 3
crowd_is "no port: their bytes are right" 3 all 3000
crowd_end
crowd_served
# Both ends are on this host. The client has no GID to propose and sends a
# Decline, which the server receives.
grew gid FallbackNoGid -eq 3
grew gid FallbackPeerDeclined -eq 3
grew gid Fallbacks -eq 6
no_conn_left

# A socket that connects to its own address and port: its SYN crosses itself.
# It sends a Decline, which comes back and must not reach the program.
for protocol in 0 257; do
	save cross$protocol
	got=$(timeout $((60 * PATIENCE)) ./paths.py cross $protocol \
		10.77.0.1 7710 10.77.0.1 7710)
	check "a socket of protocol $protocol reads its own bytes (got $got)" \
		said $? exact "$got"
done
by_tcp cross257 PeerDeclined 1
grew cross257 NegativeAdded -eq 0
no_conn_left
finish
