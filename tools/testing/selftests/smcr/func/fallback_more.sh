#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: IPsec, VRF, ULPs and ports that are down make a connection plain TCP
# kernel: turns fallback
# nics: 2
# timeout: 120
# What only TCP can serve because of where it goes or who set it up: IPsec,
# VRF, an upper layer protocol, a port that is down. Each connection is TCP,
# its bytes right, for its own reason and no other.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind
ETH1=10.9.0.11

# tcp NAME ADDRESS REASON [OPTION]: three connections, all TCP, for REASON here
tcp() {
	together "$1.serve"
	save "$1"
	crowd_begin $kind "$2" "${@:4}"
	crowd_is "$1: three connections" 3 open 3
	crowd_is "$1: and right" 3 all 3000
	crowd_end
	together "$1.end"
	by_tcp "$1" "$3" 3
	no_conn_left
}

back_to_rdma() {
	together "$1.serve"
	save "$1"
	crowd_begin $kind "$SERVER"
	crowd_is "$1: three connections" 3 open 3
	crowd_is "$1: and right" 3 all 3000
	crowd_end
	together "$1.end"
	no_fallback "$1"
	grew "$1" RdmaWrites -ge 3
	no_conn_left
}

# A policy of the namespace; the keys are the same on both hosts.
# shellcheck source=lib/ipsec_lib.sh
. "$FUNC_DIR/lib/ipsec_lib.sh"
check "an IPsec policy for port $PORT" ipsec_on "$CLIENT4" "$SERVER4" out
tcp ipsec_policy "$SERVER" Ipsec
check "no IPsec policy any more" ipsec_off
back_to_rdma ipsec_over

tcp ipsec_socket "$SERVER" Ipsec ipsec
tcp ipsec_listener "$SERVER" NoOption

check "a VRF" ip link add vrf0 type vrf table 10
undo_later ip link delete vrf0
check "it is up" ip link set vrf0 up
check "with the second NIC in it" ip link set eth1 master vrf0
tcp vrf "$ETH1" Vrf vrf=vrf0

check "an upper layer protocol" insmod "$SHARED/ulp_none.ko"
undo_later rmmod ulp_none
tcp ulp "$SERVER" Ulp ulp=none
check_not "one that needs a connection says what it says to TCP" \
	"$CROWD" $kind "$SERVER" "$PORT" serve ulp=tls

# A GID is there, but its port is down; the address is the host's own.
sysctl_for_now net.smcr.loopback 1
check "a netdev" ip link add dummy9 type dummy
undo_later ip link delete dummy9
check "with an address" ip addr add 10.77.0.1/24 dev dummy9
check "is up" ip link set dummy9 up
check "and carries RDMA" rdma link add rxe9 type rxe netdev dummy9
undo_later rdma link delete rxe9
# shellcheck disable=SC2317 # called through wait_until
gid_there() {
	grep -qi 0a4d:0001 /sys/class/infiniband/rxe9/ports/1/gids/1
}
wait_until "its address is a GID" gid_there
echo 0 >/sys/class/net/dummy9/carrier
# shellcheck disable=SC2317 # called through wait_until
port_down() {
	grep -q DOWN /sys/class/infiniband/rxe9/ports/1/state
}
wait_until "its port is down" port_down
crowd_serve $kind 10.77.0.1
save gid
crowd_begin $kind 10.77.0.1
crowd_is "no port: three connections" 3 open 3
crowd_is "no port: and right" 3 all 3000
crowd_end
crowd_served
# Both ends are here: the client has no GID to propose, the server is told.
grew gid FallbackNoGid -eq 3
grew gid FallbackPeerDeclined -eq 3
grew gid Fallbacks -eq 6
no_conn_left
together end
finish
