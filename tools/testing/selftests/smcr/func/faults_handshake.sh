#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: both
# nics: 1
# timeout: 300
# The peer dies between each two messages of a handshake, in both roles: the
# wire lets N messages pass (TCP with SYN, FIN or payload; RoCE requests) and
# is dead from then on, so each end sees the other one die. The connection
# ends by its deadline, and no handshake, link or socket stays.
# shellcheck source-path=SCRIPTDIR source=faults_lib.sh disable=SC2317,SC2119
. "$(dirname "$0")/faults_lib.sh"

# SYN, SYN-ACK, Proposal, Accept, Confirm, CONFIRM LINK and its answer, then
# data and the close.
last=12

# What a connection takes at most to end while the wire is dead; TCP too, which
# is all that is left after a Decline.
calm=$((3000 * SLOW))
calm_handshakes() {
	sysctl -qw net.smcr.qp_timeout="$((13 + SLOW / 2))" \
		net.smcr.confirm_link_timeout_ms="$calm" \
		net.smcr.handshake_timeout_ms=$((4000 * SLOW)) \
		net.smcr.llc_timeout_ms=$((2000 * SLOW)) \
		net.ipv4.tcp_retries2=4
}

quick() {
	calm_handshakes && peer "$(declare -f calm_handshakes)
		SLOW=$SLOW calm=$calm; calm_handshakes"
}

# stops N WHO: after N messages; then both hosts live on, or the process of the
# client or of the server dies
stops() {
	local pid

	wire stop "$1"
	timeout $((60 * SLOW)) "$IO" $kind "$SERVER" "$PORT" seq -n 1 -c \
		>"$tmp/stop" 2>&1 &
	pid=$!
	jobs_started+=("$pid")
	case $2 in
	client)
		wait_until "$1 messages have passed" stopped
		kill -KILL $pid
		wire clear
		wait $pid 2>/dev/null
		ok "stop after $1, then the client's process dies" ;;
	server)
		wait_until "$1 messages have passed" stopped
		check "stop after $1, then the server's process dies" \
			peer "$HOST" killed
		wire clear
		ends_in_time "$1" $pid
		check "the server listens" peer "$HOST" serve -c ;;
	both)
		ends_in_time "$1" $pid
		wire clear ;;
	esac
	settled
}

# ends_in_time N PID: with an errno or all of its bytes
ends_in_time() {
	local rc=0

	wait "$2" || rc=$?
	sed 's/^/# /' "$tmp/stop"
	check "stop after $1: connect or its stream ends in time" test $rc -eq 0
}

stopped() {
	[ "$(wire stopped)" = yes ]
}

faults_begin -c
check "deadlines of both hosts are set" quick
numbers=$(seq 1 $last)
drawn=()
# shellcheck disable=SC2086
draw 2 $numbers
for n in "${drawn[@]}"; do
	stops "$n" both
	who=(client server)
	[ "$SOAK" = 1 ] || who=("${who[RANDOM % 2]}")
	for dies in "${who[@]}"; do
		stops "$n" "$dies"
	done
done
works
faults_end
