#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Where BPF changes the destination of connect(), the real one decides
# nics: 1
# timeout: 120
# Load balancers in the kernel turn a service's address into a host's, with BPF
# programs on connect(). Adapter, route, loopback and negative list are judged by
# the host's address, wherever that of the service is routed to. Each step runs
# over TCP, too.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

SMCR=257
limit=$((60 * SLOW))
BAD=$((PORT + 1))
SERVICE4=192.0.2.10 SERVICE6=2001:db8::10

# asked FACT PROTOCOL ADDRESS PORT WORD: a connection ends with that word
asked() {
	local got rc=0

	got=$(timeout $limit python3 hooks.py ask "$cgroup" "${@:2:3}" 2>&1) ||
		rc=$?
	check "$1, protocol $2: $5" said $rc "$5" "$got" || echo "# it is $got"
}

# asks FACT ADDRESS PORT [WORD]: a connection is in order over TCP, and ends with
# that word, or in order, over smcr
asks() {
	asked "$1" 0 "$2" "$3" ok
	asked "$1" $SMCR "$2" "$3" "${4:-ok}"
}

# by_host FACT ADDRESS PORT: a connection uses RDMA
by_host() {
	save host
	asks "$@"
	grew host ActiveOpens -eq 1
	by_rdma host 5 5
}

# hooked ADDRESS PORT TO TO-PORT
hooked() {
	check "$1 port $2 becomes $3 port $4" \
		python3 hooks.py attach "$cgroup" "$@"
}

synopt_loaded() {
	undo_later rmmod synopt
	check "synopt is loaded" insmod "$SHARED/synopt.ko"
}

client_leads

on server synopt_loaded
on server program serve4 python3 hooks.py serve "$SERVER4" "$PORT"
on server program serve6 python3 hooks.py serve "$SERVER6" "$PORT"
on server program break python3 hooks.py break "$SERVER4" $BAD
program here python3 hooks.py serve 127.0.0.1 "$PORT"

mkdir "$tmp/cgroups"
check "cgroups are mounted" mount -t cgroup2 none "$tmp/cgroups"
undo_later umount "$tmp/cgroups"
cgroup=$tmp/cgroups/hooks
check "one for the clients" mkdir "$cgroup"
undo_later rmdir "$cgroup"
by_host "without a program" "$SERVER4" "$PORT"

hooked $SERVICE4 80 "$SERVER4" "$PORT"
hooked $SERVICE6 80 "$SERVER6" "$PORT"
hooked $SERVICE4 81 "$SERVER4" $BAD
hooked "$SERVER4" 82 127.0.0.1 "$PORT"
hooked ::ffff:$SERVICE4 80 "::ffff:$SERVER4" "$PORT"
hooked ::ffff:$SERVICE4 81 "::ffff:$SERVER4" $BAD
hooked "::ffff:$SERVER4" 82 ::ffff:127.0.0.1 "$PORT"
by_host "an address that is not changed" "$SERVER4" "$PORT"
by_host "a service without a route" $SERVICE4 80
by_host "the same as an IPv6 address" ::ffff:$SERVICE4 80
check "a dummy netdev" ip link add dummy7 type dummy
undo_later ip link del dummy7
check "it is up" ip link set dummy7 up
for service in $SERVICE4 $SERVICE6; do
	check "$service is routed there" ip route add "$service" dev dummy7
	by_host "a service behind another netdev" "$service" 80
	[ "$service" != $SERVICE4 ] ||
		by_host "the same as an IPv6 address" "::ffff:$service" 80
	check "the route is removed" ip route del "$service" dev dummy7
	check "$service is an address of this host" \
		ip addr add "$service" dev dummy7
	by_host "a service that is local" "$service" 80
	check "the address is removed" ip addr del "$service" dev dummy7
done

save here
asks "a host's address that becomes local" "$SERVER4" 82
grew here FallbackLocalAddr -eq 1
grew here ActiveOpens -eq 0

save here
asks "the same as an IPv6 address" "::ffff:$SERVER4" 82
grew here FallbackLocalAddr -eq 1
grew here ActiveOpens -eq 0

save bad
asks "a host that breaks the handshake" $SERVICE4 81 ECONNRESET
grew bad NegativeAdded -eq 1
save listed
asks "the next connection to its service" $SERVICE4 81
asks "and to the host itself" "$SERVER4" $BAD
asks "and to its service as an IPv6 address" ::ffff:$SERVICE4 81
by_tcp listed NegDestination 3
both no_conn_left
finish
