#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A server declines a client of another subnet; both go on as TCP
# rfc: 3.2, 3.5.1.2
# kernel: turns fallback
# nics: 1
# Addresses of different subnets: the server declines, both go on as TCP. A
# virtual address of a client on its LAN is no reason, but with strict_subnet.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

addresses smcr4
dev=$(netdev_of "$CLIENT")
undo_later ip addr del 10.78.0.1/24 dev "$dev"
check "an address of another subnet" ip addr add 10.78.0.1/24 dev "$dev"
undo_later ip route del 10.77.0.1/32
check "a route to the server's" \
	ip route add 10.77.0.1/32 dev "$dev" src 10.78.0.1
together ready
save begin
io_check "10 streams at once" smcr4 10.77.0.1 many -n 10 -e
io_check "end of the server" smcr4 10.77.0.1 quit
by_tcp begin PeerDeclined 11
no_conn_left

# The client names the prefixes of its device, of which fd09:: is the server's.
addresses smcr6
undo_later ip addr del fd77::2/128 dev "$dev"
check "a virtual address" ip addr add fd77::2/128 dev "$dev" nodad
undo_later ip route del fd78::1/128
check "a route from it" \
	ip route add fd78::1/128 dev "$dev" src fd77::2
together virtual
save loose
io_check "a stream from it" smcr6 fd78::1 stream
by_rdma loose 1 1
together strict.set
together strict
save strict
io_check "a stream from it" smcr6 fd78::1 stream
io_check "end of the server" smcr6 fd78::1 quit
by_tcp strict PeerDeclined 2
no_conn_left
together end
finish
