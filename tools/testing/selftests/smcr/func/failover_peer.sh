#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A peer that stops, loses power or boots again ends each stream properly
# rfc: 4.6, 4.8.3
# nics: 2
# timeout: 120
# Two adapters on each host, so two links. Under a load in many states the
# server's host stops for a while, loses power, or loses power and boots again.
# No link takes over: each stream ends exact or with an errno, what a peer had
# finished stays readable, and no group is left. Then a new load is exact, over
# two links. SMCR_SOAK=1 runs all three cases with 64 connections, and the host
# stops for 20 s.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"

# A path that is valid on the server, too
HOST=$BED_TOP/tools/testing/selftests/smcr/func/lib/failover_host.sh
# How long the server's host stops: longer than a queue pair retries
stops=4
if [ "$SOAK" = 1 ]; then
	conns=64
	stops=20
fi

# begin N: start a load of N connections over a new group of two links
begin() {
	check "the server listens" peer "$HOST" serve -t $((60 * SLOW)) \
		-n "$1" "$kind" "$SERVER" "$PORT" || finish
	load_connect "$1"
	wait_until "$1 connections are in all their states" tell ready
	wait_until "they are at the server, too" peer "$HOST" tell ready
	wait_until "the group has $nr_links links" whole "$nr_links"
	save load
}

# client_ends: let the streams of the client end
client_ends() {
	tell go
	tell stop
}

# server_ends: likewise, and check their results at the server
server_ends() {
	peer "$HOST" tell go
	peer "$HOST" tell stop
	check "at the server no stream is broken, and none hangs" \
		peer "$HOST" judged
	wait_until "at the server no connection and no group is left" \
		peer "$HOST" bare
}

lost() {
	wait_until "both links are lost" grew_to load LinksFailed 2
	no_conn_left
	no_group_left
	grew load BadCdc -eq 0
	grew load BadLlc -eq 0
}

# works: a short load is exact
works() {
	begin 9
	client_ends
	server_ends
	load_judged exact
	no_conn_left
	no_group_left
}

server_back() {
	check "the server's host is back" machine boot server
	check "timers of the server's host are set" peer "$HOST" tune
}

# The links end while the host is stopped, or when it finds that its peer has
# ended them.
stopped() {
	begin "$conns"
	check "the server's host stops" machine pause server
	sleep "$stops"
	check "the server's host goes on" machine resume server
	client_ends
	server_ends
	load_judged errno
	lost
	works
}

power_lost() {
	begin "$conns"
	check "the server's host loses power" machine kill server
	wait_until "both links are lost" grew_to load LinksFailed 2
	client_ends
	load_judged errno
	lost
	server_back
	works
}

# The new server knows neither the queue pairs nor the TCP connections.
rebooted() {
	begin "$conns"
	check "the server's host loses power" machine kill server
	server_back
	client_ends
	load_judged errno
	lost
	works
}

echo "# seed $SEED (SMCR_SEED=$SEED repeats this)"
failover_timers
"$HOST" tune
check "timers of the server's host are set" peer "$HOST" tune
cases 1 stopped power_lost rebooted
finish
