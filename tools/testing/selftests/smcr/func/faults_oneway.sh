#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A handshake ends in time when one direction of the path dies
# nics: 1
# timeout: 400
# TCP or RoCE goes dead in one direction between any two messages of a first
# contact, or of a subsequent contact right after the end of another connection,
# so that the ends disagree about what has arrived. The connection ends by its
# deadline, with an errno or as plain TCP, and everything is freed.
# shellcheck source-path=SCRIPTDIR source=lib/faults_lib.sh disable=SC2119
. "$(dirname "$0")/lib/faults_lib.sh"

# The messages are those of faults_handshake.sh.
last=16

# one_way N FROM:TO:KIND:CONTACT: cut one direction after N messages
one_way() {
	local from to what contact

	IFS=: read -r from to what contact <<<"$2"
	[ "$contact" = first ] ||
		check "a connection" io $kind "$SERVER" seq -n 1
	wire stop "$1" "$from" "$to" "$what"
	begin_contact
	ends_in_time "no $what from $from after $1 of a $contact contact"
	wire clear
	settled
}

faults_begin -c
check "deadlines of both hosts are set" both hurry
drawn=()
for way in {client0:server0,server0:client0}:{roce,tcp}:{first,later}; do
	for ((n = 1; n <= last; n++)); do
		all+=("$n/$way")
	done
done
draw 4 "${all[@]}"
for one in "${drawn[@]}"; do
	one_way "${one%%/*}" "${one#*/}"
done
works
faults_end
