#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: both
# nics: 1
# timeout: 300
# The peer's host stands still, loses power, and comes back with the same
# addresses, GIDs and queue pair numbers.
# shellcheck source-path=SCRIPTDIR source=faults_lib.sh disable=SC2317,SC2119
. "$(dirname "$0")/faults_lib.sh"

# Longer than the queue pair tries.
paused() {
	flood 10
	check "the server's host stops" machine pause server
	sleep 20
	check "the server's host goes on" machine resume server
	flood_ended "10 streams end"
	settled
	works
}

# What the server counted is gone with it.
power_cut() {
	flood 10
	check "the server's host loses power" machine kill server
	flood_ended "10 streams end"
	check "all of the client's is given back" "$HOST" settle "$SETTLE"
	check "the server's host is back" machine boot server
	check "timers of both hosts are set" both tune
	check "the server listens" peer "$HOST" serve -a
	check "the state of the new server is noted" peer "$HOST" base
	mem_server=$(peer "$HOST" kernel_memory)
	works
}

faults_begin
cases 1 paused power_cut
faults_end
