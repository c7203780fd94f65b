#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A server declines a client of another subnet; both go on as TCP
# rfc: 3.2, 3.5.1.2
# nics: 1
# A server declines a client whose address is in another subnet, and both
# continue over TCP. It accepts a client on its own LAN that connects from a
# virtual address, unless net.smcr.strict_subnet is set.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

addresses smcr4

# also_at OWN ADDRESS PEER [FLAG]: add ADDRESS to the device that has OWN, and
# use it as the source address for PEER
also_at() {
	local dev

	dev=$(netdev_of "$1")
	undo_later ip addr del "$2" dev "$dev"
	check "$2 is an address of this host" \
		ip addr add "$2" dev "$dev" "${@:4}"
	undo_later ip route del "$3"
	check "$3 is reached from it" \
		ip route add "$3" dev "$dev" src "${2%/*}"
}

client_leads

also_at "$CLIENT4" 10.78.0.1/24 10.77.0.1/32
on server also_at "$SERVER4" 10.77.0.1/24 10.78.0.1/32
both save begin
on server serve smcr4 10.77.0.1
io_check "10 streams at once" smcr4 10.77.0.1 many -n 10 -e
io_check "end of the server" smcr4 10.77.0.1 quit
on server served
by_tcp begin PeerDeclined 11
on server by_tcp begin Subnet 11
both no_conn_left

# A Proposal lists the prefixes of the client's device; the server's fd09:: is
# one of them.
also_at "$CLIENT4" fd77::2/128 fd78::1/128 nodad
on server also_at "$SERVER4" fd78::1/128 fd77::2/128 nodad
both save loose
on server serve smcr6 fd78::1
io_check "a stream from a virtual address" smcr6 fd78::1 stream
by_rdma loose 1 1
on server no_fallback loose

both save strict
on server sysctl_for_now net.smcr.strict_subnet 1
io_check "a stream from it with strict_subnet" smcr6 fd78::1 stream
io_check "end of the server" smcr6 fd78::1 quit
on server served
by_tcp strict PeerDeclined 2
on server by_tcp strict Subnet 2
both no_conn_left
finish
