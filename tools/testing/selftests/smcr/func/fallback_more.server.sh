#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of fallback_more.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind
ETH1=10.9.0.11

tcp() {
	save "$1"
	crowd_serve $kind "$2" "${@:4}"
	together "$1.serve"
	together "$1.end"
	crowd_served
	by_tcp "$1" "$3" 3
	no_conn_left
}

back_to_rdma() {
	save "$1"
	crowd_serve $kind "$SERVER"
	together "$1.serve"
	together "$1.end"
	crowd_served
	no_fallback "$1"
	no_conn_left
}

# shellcheck source=lib/ipsec_lib.sh
. "$FUNC_DIR/lib/ipsec_lib.sh"
check "an IPsec policy for port $PORT" ipsec_on "$CLIENT4" "$SERVER4" in
tcp ipsec_policy "$SERVER" NoOption
check "no IPsec policy any more" ipsec_off
back_to_rdma ipsec_over

tcp ipsec_socket "$SERVER" NoOption
tcp ipsec_listener "$SERVER" Ipsec ipsec

check "a VRF" ip link add vrf0 type vrf table 10
undo_later ip link delete vrf0
check "it is up" ip link set vrf0 up
check "with the second NIC in it" ip link set eth1 master vrf0
tcp vrf "$ETH1" Vrf vrf=vrf0

tcp ulp "$SERVER" NoOption
together end
finish
