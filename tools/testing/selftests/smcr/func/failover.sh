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

# device_deleted RXE, device_added RXE NETDEV
device_deleted() {
	undo_later rdma link add "$1" type rxe netdev "eth${1#rxe}"
	rdma link delete "$1"
}

device_added() {
	rdma link add "$1" type rxe netdev "eth${1#rxe}"
}

port() {
	ip link set "eth$1" "$2"
}

# survives NAME: run the load and these two faults; no stream may notice
survives() {
	local nic

	load_begin "$conns"
	both save load
	nic=$(busiest)
	"${1}" "$nic"
	"${2}" $((1 - nic))
	load_stop
	both load_judged exact
	both intact load
	both no_conn_left
}

silent_path() {
	fault "$1" "path $1 is silent" silent "$1"
	repaired "path $1 is back" wire clear
}

silent_direction() {
	fault "$1" "the server is silent on path $1" silent "$1" server
	repaired "path $1 is back" wire clear
}

server_qp() {
	fault "$1" "the server's queue pair $1 fails" \
		on server qp_error "rxe$1"
	repaired "nothing has to be repaired" true
}

client_device() {
	fault "$1" "the client's rxe$1 is deleted" rdma link delete "rxe$1"
	repaired "rxe$1 is added" device_added "rxe$1"
}

server_port() {
	fault "$1" "the server's eth$1 goes down" on server port "$1" down
	repaired "eth$1 comes up" on server port "$1" up
}

client_leads

echo "# seed $SEED (SMCR_SEED=$SEED repeats this)"
undo_later wire clear
both failover_timers
survives silent_path silent_path
survives server_qp client_device
survives silent_direction server_port

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
