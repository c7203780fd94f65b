#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A peer's host may stop, lose power and come back with its addresses
# rfc: A.2.1
# nics: 1
# timeout: 300
# The peer's host stops, loses power, and comes back with the same addresses,
# GIDs and queue pair numbers.
# shellcheck source-path=SCRIPTDIR source=lib/faults_lib.sh disable=SC2119
. "$(dirname "$0")/lib/faults_lib.sh"

# Stop it for longer than the queue pair retries.
paused() {
	flood 10
	check "the server's host stops" machine pause server
	sleep 20
	check "the server's host goes on" machine resume server
	flood_ended "10 streams end"
	settled
	works
}

# The server's counters are lost, so store its state again.
server_back() {
	check "the server's host is back" machine boot server
	check "timers of the server's host are set" peer "$HOST" tune
	check "the server listens" peer "$HOST" serve -a
	check "the state of the new server is noted" peer "$HOST" base
	mem_server=$(peer "$HOST" kernel_memory)
}

power_cut() {
	flood 10
	check "the server's host loses power" machine kill server
	flood_ended "10 streams end"
	check "the client has freed everything" "$HOST" settle "$SETTLE"
	server_back
	works
}

# peer_ids: print the number of peer IDs that this host has groups with
peer_ids() {
	smcr-ctl -j linkgroup show | grep -oE '"peer-id": *"[0-9a-f]+"' |
		sort -u | wc -l
}

# Nothing is in flight and no TEST LINK is sent, so the client keeps a group
# that the new server does not know. A new connection must form another group.
rebooted() {
	check "timers of both hosts are set" both tune
	check "TEST LINK is turned off" \
		sysctl -qw net.smcr.test_link_interval_ms=0
	save reboot
	hold "$kind" "$SERVER" 10 -a
	check "the server's host loses power" machine kill server
	server_back
	works
	mkfifo "$tmp/one"
	"$IO" "$kind" "$SERVER" "$PORT" hold -n 1 <"$tmp/one" >"$tmp/held" &
	jobs_started+=($!)
	exec 8>"$tmp/one"
	wait_until "a connection to the new server" grep -q held "$tmp/held"
	check "the new server has another peer ID" test "$(peer_ids)" = 2
	exec 8>&-
	wait $!
	check "the connection carries its byte" exits $?
	grew reboot LinksFailed -eq 0
	released "the 10 old connections end with an errno"
	grew reboot LinksFailed -eq 1
	check "the client has freed everything" "$HOST" settle "$SETTLE"
	works
}

faults_begin
cases 1 paused power_cut rebooted
faults_end
