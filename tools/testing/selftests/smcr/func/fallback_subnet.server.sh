#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of fallback_subnet.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

addresses smcr4
dev=$(netdev_of "$SERVER")
undo_later ip addr del 10.77.0.1/24 dev "$dev"
check "an address of another subnet" ip addr add 10.77.0.1/24 dev "$dev"
undo_later ip route del 10.78.0.1/32
check "a route to the client's" \
	ip route add 10.78.0.1/32 dev "$dev" src 10.77.0.1
save begin
serve smcr4 10.77.0.1
together ready
served
by_tcp begin Subnet 11
no_conn_left

addresses smcr6
undo_later ip addr del fd78::1/128 dev "$dev"
check "an address" ip addr add fd78::1/128 dev "$dev" nodad
undo_later ip route del fd77::2/128
check "a route to the client's" \
	ip route add fd77::2/128 dev "$dev" src fd78::1
save loose
serve smcr6 fd78::1
together virtual
together strict.set
no_fallback loose
save strict
sysctl_for_now net.smcr.strict_subnet 1
together strict
served
by_tcp strict Subnet 2
no_conn_left
together end
finish
