#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: GIDs and MTUs of adapters in use may change under streams
# rfc: 2.2.1, 3.5.1.6, 3.5.5.1, 4.6
# nics: 2
# timeout: 150
# Two adapters on each host. Under a load in many states the address of an
# adapter is removed, and with it the GID of a link, and added again. An idle link
# is tested when its GID is removed. The MTU of an adapter is lowered below that
# of its link, lowered until the adapter cannot be used, and raised. Each stream
# stays exact, and the group has two symmetric links again each time, with the
# MTUs of their adapters.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"

# address_back ADDRESS NIC: add an address of this host again. Its route then
# stands behind that of the other adapter; let connections use the first one.
address_back() {
	local route

	ip addr add "$1/24" dev "eth$2" || return
	[ "$2" = 0 ] || return 0
	route=$(ip -4 route show dev eth1 proto kernel)
	# shellcheck disable=SC2086
	ip route del $route dev eth1 &&
		ip route append $route dev eth1 proto kernel
}

# address_gone HOST ADDRESS NIC: under the load, remove it and add it again
address_gone() {
	local ends=(- "$3")

	[ "$1" = server ] || ends=("$3" -)
	fault "${ends[@]}" "the $1's address $2 is removed" \
		on "$1" ip addr del "$2/24" dev "eth$3"
	repaired "it is added again" on "$1" address_back "$2" "$3"
	both wait_until "each adapter has a link" whole "$nr_links"
}

# no_ipv6 ADDRESS: use IPv4 only on the second adapter. Its IPv6 GIDs would come
# and go with its MTU, and each GID that appears lets groups look for links.
no_ipv6() {
	undo_later ip -6 addr add "$1/64" dev eth1 nodad
	sysctl_for_now net.ipv6.conf.eth1.disable_ipv6 1
	undo_later ip link set eth1 mtu "$BED_MTU"
}

# mtus MTU0 MTU1: the links on eth0 and eth1 have these MTUs
mtus() {
	[ "$(smcr-ctl -j link show state active | tr -d ' \n' |
		grep -o '"device":"[^"]*"[^}]*"mtu":[0-9]*' |
		sed 's/"device":"\(rxe.\)".*:/\1 /' | sort | tr '\n' ' ')" = \
		"rxe0 $1 rxe1 $2 " ]
}

# shared: two links share the client's first adapter
shared() {
	has_links 2 && [ -z "$(links_between 1 -)" ]
}

# six_run: six streams have begun since "save streams"
six_run() {
	grew_to streams SubsequentContacts 6 && grew_to streams TxBytes 500000
}

# streams FACT COMMAND...: run a command under streams that use both links. There
# are more of them than idle connections: these may all be on one link, and the
# first streams are then on the other one. The server reads slowly, so that they
# last for two seconds.
streams() {
	local pid pids=() exact=0

	save streams
	for _ in {1..6}; do
		io $kind "$SERVER" stream -u 1m -d 1m -r 16k \
			-D $((30000 * SLOW)) >>"$tmp/streams" 2>&1 &
		pids+=($!)
	done
	jobs_started+=("${pids[@]}")
	wait_until "streams run" six_run
	check "$@"
	for pid in "${pids[@]}"; do
		wait "$pid" && exact=$((exact + 1))
	done
	check "the streams are exact" test $exact -eq 6 ||
		sed 's/^/# /' "$tmp/streams"
}

# lost_by_streams NAME: a link has failed since "save NAME". If the streams before
# did not use it any more when its MTU changed, the next ones find out.
lost_by_streams() {
	local pids=()

	grew_to "$1" LinksFailed 1 && return
	for _ in 1 2 3 4; do
		io $kind "$SERVER" stream -u 100k -d 100k >>"$tmp/streams" 2>&1 &
		pids+=($!)
	done
	wait "${pids[@]}"
	grew_to "$1" LinksFailed 1
}

client_leads

# The address is also that of TCP.
both sysctl_for_now net.smcr.address_gone 0
both failover_timers
load_begin "$conns"
both wait_until "the group has $nr_links links" whole "$nr_links"
both save load
address_gone client 10.9.0.12 1
address_gone server 10.9.0.1 0
both intact load
load_stop
both load_judged exact
both no_conn_left
both no_group_left

# Connections that stay open hold the group. Only events cause a test.
# A packet of Soft-RoCE that is too large leads to an ICMP error, from which this
# host would learn a path MTU for the other adapter.
both sysctl_for_now net.ipv4.ip_no_pmtu_disc 2
no_ipv6 fd09::12
both sysctl_for_now net.smcr.test_link_interval_ms 0
on server serve $kind "$SERVER" -a
hold $kind "$SERVER" 4
both wait_until "the group has $nr_links links" whole "$nr_links"
both save load
both save idle
check "the client's second address is removed" \
	ip addr del 10.9.0.12/24 dev eth1
both wait_until "the idle link is lost" grew_to idle LinksFailed 1
check "it is added again" address_back 10.9.0.12 1
both wait_until "each adapter has a link" whole "$nr_links"
both check "the links have the MTU of their adapters" mtus 4096 4096

both save low
streams "the client's eth1 gets a smaller MTU" ip link set eth1 mtu 700
wait_until "its link is lost" lost_by_streams low
on server wait_until "its link is lost" grew_to low LinksFailed 1
both wait_until "each adapter has a link" whole "$nr_links"
wait_until "the new link has the smaller MTU" mtus 4096 512

both save none
streams "it gets an MTU that is too small for RDMA" ip link set eth1 mtu 300
wait_until "its link is lost" lost_by_streams none
on server wait_until "its link is lost" grew_to none LinksFailed 1
both wait_until "the server's second adapter has a link to the first one" \
	shared
streams "it gets a larger MTU" ip link set eth1 mtu 2524
both wait_until "each adapter has a link" whole "$nr_links"
wait_until "the new link has the larger MTU" mtus 4096 2048
both save last
streams "the adapters have different MTUs" mtus 4096 2048
both grew last LinksFailed -eq 0
both intact load
released "the connections go on that were open from the beginning"
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
