#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Paths may fail until one is left, also if a host has one adapter less
# rfc: 2.2.1, 2.3, 3.5.1.6, 4.6
# nics: 3
# timeout: 240
# Three adapters on each host: two paths go silent, one after the other or at
# once, and stay so. One host with an adapter less: its port has an asymmetric
# link that takes over. One adapter on each host: streams end with an errno.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"

# without NIC...: delete these Soft-RoCE devices until the end of this test
without() {
	local nic

	for nic; do
		undo_later rdma link add "rxe$nic" type rxe netdev "eth$nic"
		check "rxe$nic is deleted" rdma link delete "rxe$nic"
	done
}

# begin LINKS: start the load over a group of that many links
begin() {
	load_begin "$conns"
	both wait_until "the group has $1 links" has_links "$1"
	both save load
}

# end exact|errno
end() {
	load_stop
	both load_judged "$1"
	check "the paths are good" wire clear
	both no_conn_left
	both no_group_left
}

# Each path stays silent, so that the connections have to go on to the next.
two_paths() {
	local which

	for which in first second; do
		# shellcheck disable=SC2046
		set -- $(busiest -)
		fault "$1" "$2" "the $which path, $1-$2, is silent" \
			silent "$1" "$2"
	done
	both intact load
}

# The second path fails while connections move to it.
silent_both() {
	silent 0 0 && sleep "0.$((RANDOM % 10))" && silent 1 1
}

two_paths_at_once() {
	both tell mark
	check "paths 0-0 and 1-1 are silent" silent_both
	both wait_until "a link is lost" grew_to load LinksFailed 1
	load_flows
	both gaps
}

client_leads

echo "# seed $SEED (SMCR_SEED=$SEED repeats this)"
undo_later wire clear
both failover_timers
nr_links=$BED_NICS
begin 3
two_paths
end exact
begin 3
two_paths_at_once
both intact load
end exact

both without 2
on server without 1
begin 2
links | sed 's/^/# link, adapters: /'
# shellcheck disable=SC2046
set -- $(busiest -)
fault "$1" 0 "path $1-0 is silent" silent "$1" 0
both intact load
end exact

without 1
begin 1
check "the only path is silent" silent 0 0
both wait_until "the link is lost" grew_to load LinksFailed 1
end errno
begin 1
end exact
finish
