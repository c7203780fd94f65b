#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Connections in any state move to another link when theirs fails
# rfc: 2.3, 3.5.5.2, 4.6, C.8
# nics: 2
# timeout: 400
# Two adapters on each host. Under a load in many states a link fails: its path
# goes silent, in one direction or both, a queue pair or a port fails, or a
# device is deleted. Then the path of the link that has taken over goes silent.
# Each stream stays exact, and each link is replaced. When both links fail at
# once, each stream ends with an errno, and what a peer had finished stays
# readable. Half of the connections use IPv6, and another group. SMCR_SOAK=1 runs
# each pair of faults, with 64 connections.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"

# survives CASE+CASE: run the load over a new group, and these two faults, one
# after the other on either link; no stream may notice
survives() {
	local begin=$SECONDS what ends=()

	load_begin "$conns"
	both wait_until "each group has $nr_links links" whole "$nr_links"
	both save load
	for what in "${1%+*}" "${1#*+}"; do
		read -ra ends < <(busiest "${ends[0]:--}")
		"$what" "${ends[@]}"
	done
	both intact load
	load_stop
	both load_judged exact
	both no_conn_left
	both no_group_left
	echo "# $1: $((SECONDS - begin)) s"
}

silent_path() {
	fault "$1" "$2" "path $1-$2 is silent" silent "$1" "$2"
	repaired "the path is back" wire clear
}

silent_client() {
	fault "$1" "$2" "the client is silent on path $1-$2" \
		silent "$1" "$2" client
	repaired "the path is back" wire clear
}

silent_server() {
	fault "$1" "$2" "the server is silent on path $1-$2" \
		silent "$1" "$2" server
	repaired "the path is back" wire clear
}

# The faults of an adapter hit all its links, so they come first: later a link
# may share an adapter with the other one.
qps() {
	fault "$2" "$3" "the queue pairs of the $1's rxe$4 fail" \
		on "$1" qp_error "rxe$4"
	repaired "nothing has to be repaired" true
}

client_qps() { qps client "$1" - "$1"; }
server_qps() { qps server - "$2" "$2"; }

device() {
	on "$1" undo_later restore_device "$4"
	fault "$2" "$3" "the $1's rxe$4 is deleted" \
		on "$1" rdma link delete "rxe$4"
	repaired "rxe$4 is added" on "$1" restore_device "$4"
}

client_device() { device client "$1" - "$1"; }
server_device() { device server - "$2" "$2"; }

restore_device() {
	rdma link show "rxe$1/1" >"$tmp/out" 2>&1 ||
		rdma link add "rxe$1" type rxe netdev "eth$1"
}

port() {
	fault "$2" "$3" "the $1's eth$4 goes down" \
		on "$1" ip link set "eth$4" down
	repaired "eth$4 comes up" on "$1" port_up "$4"
}

client_port() { port client "$1" - "$1"; }
server_port() { port server - "$2" "$2"; }

# port_up NIC: the routes of a port that comes up stand behind those of the
# others; put them in order, so that a connection takes the first port
port_up() {
	local dev family route

	ip link set "eth$1" up
	for dev in /sys/class/net/eth*; do
		dev=${dev##*/}
		[ "${dev#eth}" -gt "$1" ] || continue
		for family in -4 -6; do
			ip $family route show dev "$dev" proto kernel |
			while read -r route; do
				# shellcheck disable=SC2086
				ip $family route del $route dev "$dev" &&
					ip $family route append $route dev "$dev" \
						proto kernel
			done
		done
	done
}

keep_addresses() {
	local dev

	for dev in /sys/class/net/eth*; do
		sysctl_for_now \
			"net.ipv6.conf.${dev##*/}.keep_addr_on_down" 1
	done
}

families=2

client_leads

echo "# seed $SEED (SMCR_SEED=$SEED repeats this)"
undo_later wire clear
both failover_timers
both keep_addresses
seconds=(silent_path silent_client silent_server)
firsts=("${seconds[@]}" {client,server}_{qps,device,port})
pairs=()
for first in "${firsts[@]}"; do
	if [ "$SOAK" = 1 ]; then
		pairs+=("$first+"{silent_path,silent_client,silent_server})
	else
		pairs+=("$first+${seconds[RANDOM % ${#seconds[@]}]}")
	fi
done
[ "$SOAK" != 1 ] || conns=64
drawn=()
draw 4 "${pairs[@]}"
for pair in "${drawn[@]}"; do
	survives "$pair"
done

both failover_times

# All links at once
load_begin "$conns"
both save load
check "all paths are silent" wire fault '*' '*' cut 1 only roce
both wait_until "all links are lost" grew_to load LinksFailed $((2 * families))
load_stop
both load_judged errno
both no_conn_left
check "the paths are back" wire clear
load_begin 9
load_stop
both load_judged exact
both no_conn_left
finish
