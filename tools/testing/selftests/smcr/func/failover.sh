#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Connections in any state move to another link when theirs fails
# rfc: 4.6, 3.5.5.2, C.8
# kernel: turns roce
# nics: 2
# timeout: 240
# Two adapters on each host. Under a load in many states the path of one link
# goes silent, then that of the link which has taken over; a queue pair fails; a
# device is deleted; one direction of a path goes silent; a port goes down. Each
# stream stays exact, and each link is replaced. When both links fail at once,
# each stream ends with an errno, and what a peer had finished stays readable.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"

# survives CASE CASE: run the load over a new group, and these two faults, one
# after the other on either link; no stream may notice
survives() {
	local begin=$SECONDS what ends=()

	load_begin "$conns"
	both wait_until "the group has $nr_links links" whole "$nr_links"
	both save load
	for what; do
		read -ra ends < <(busiest "${ends[0]:--}")
		"$what" "${ends[@]}"
	done
	both intact load
	load_stop
	both load_judged exact
	both no_conn_left
	both no_group_left
	echo "# $*: $((SECONDS - begin)) s"
}

silent_path() {
	fault "$1" "$2" "path $1-$2 is silent" silent "$1" "$2"
	repaired "the path is back" wire clear
}

silent_direction() {
	fault "$1" "$2" "the server is silent on path $1-$2" \
		silent "$1" "$2" server
	repaired "the path is back" wire clear
}

server_qp() {
	fault - "$2" "the queue pairs of the server's rxe$2 fail" \
		on server qp_error "rxe$2"
	repaired "nothing has to be repaired" true
}

client_device() {
	undo_later restore_device "$1"
	fault "$1" - "the client's rxe$1 is deleted" rdma link delete "rxe$1"
	repaired "rxe$1 is added" restore_device "$1"
}

restore_device() {
	rdma link show "rxe$1/1" >"$tmp/out" 2>&1 ||
		rdma link add "rxe$1" type rxe netdev "eth$1"
}

server_port() {
	fault - "$2" "the server's eth$2 goes down" \
		on server ip link set "eth$2" down
	repaired "eth$2 comes up" on server ip link set "eth$2" up
}

client_leads

echo "# seed $SEED (SMCR_SEED=$SEED repeats this)"
undo_later wire clear
both failover_timers
survives silent_path silent_path
survives server_qp client_device
survives server_port silent_direction

# All links at once
load_begin "$conns"
both save load
check "all paths are silent" wire fault '*' '*' cut 1 only roce
both wait_until "both links are lost" grew_to load LinksFailed 2
load_stop
both load_judged errno
both no_conn_left
check "the paths are back" wire clear
load_begin 9
load_stop
both load_judged exact
both no_conn_left
finish
