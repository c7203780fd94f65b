#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A handshake ends in time wherever the peer dies, and leaves nothing
# rfc: C.7.1
# nics: 1
# timeout: 300
# The peer dies between any two messages of a handshake, in both roles: the wire
# passes N messages (TCP with SYN, FIN or payload; RoCE requests) and drops
# everything after that, so each end sees the other one die. The connection ends
# by its deadline, and no handshake, link or socket is left.
# shellcheck source-path=SCRIPTDIR source=lib/faults_lib.sh disable=SC2119
. "$(dirname "$0")/lib/faults_lib.sh"

# SYN, SYN-ACK, Proposal, Accept, Confirm, CONFIRM LINK and its reply, each behind
# the two writes of a probe, then data and the close.
last=16

# stops N WHO: stop the wire after N messages; then kill the process of the
# client or of the server, or none
stops() {
	wire stop "$1"
	begin_contact
	case $2 in
	client)
		wait_until "$1 messages have passed" stopped
		kill -KILL $contact_pid
		wire clear
		wait $contact_pid 2>/dev/null
		ok "stop after $1, then the client's process dies" ;;
	server)
		wait_until "$1 messages have passed" stopped
		check "stop after $1, then the server's process dies" \
			peer "$HOST" killed
		wire clear
		ends_in_time "stop after $1"
		check "a new server listens" peer "$HOST" serve -c ;;
	both)
		ends_in_time "stop after $1"
		wire clear ;;
	esac
	settled
}

stopped() {
	[ "$(wire stopped)" = yes ]
}

faults_begin -c
check "deadlines of both hosts are set" both hurry
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
