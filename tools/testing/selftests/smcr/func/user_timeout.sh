#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: TCP_USER_TIMEOUT ends a connection that makes no progress, and no other
# nics: 1
# timeout: 120
# A peer that reads slowly is alive. One that reads no more is given up after the
# timeout, and so is a path that is silent, long before its queue pair fails.
# sem/block.sem compares calls with TCP.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
msecs=$((1500 * SLOW))

# user WHAT: start the client's program; it reads from descriptor 5 and writes to
# 6
user() {
	mkfifo "$tmp/in" "$tmp/out"
	python3 -B user_timeout.py "$1" "$SERVER" "$PORT" $msecs \
		<"$tmp/in" >"$tmp/out" 2>&1 &
	jobs_started+=($!)
	exec 5>"$tmp/in" 6<"$tmp/out"
	rm "$tmp/in" "$tmp/out"
	read -r line <&6
	check "the client is connected" test "$line" = open
}

# timed_out LEAST: the program gets ETIMEDOUT after LEAST ms or more
timed_out() {
	local word ms

	read -r -t "$DEADLINE" word ms <&6
	check "the program gets ETIMEDOUT ($word)" test "$word" = ETIMEDOUT
	check "after $ms ms, not before $1" test "${ms:-0}" -ge "$1"
	exec 5>&- 6<&-
	grew begin ResetUserTimeout -eq 1
	grew begin LinksFailed -eq 0
	no_fallback begin
}

client_leads

both sysctl_for_now net.smcr.lgr_linger_ms $((300 * SLOW))
both no_group_left
both patient_qps
check "the server listens" on server program user_timeout \
	python3 -B user_timeout.py serve "$SERVER" "$PORT" 0
save begin
user slow
# The last of eight reads comes after seven pauses of 0.6 msecs.
timed_out $((msecs * 42 / 10 + msecs))
both no_conn_left
save begin
user silent
check "the path is silent" wire fault client0 server0 cut 1 only roce
echo >&5
timed_out "$msecs"
check "the path is good" wire clear
# By themselves they would go on for half a minute: the client's waits for the
# answer to its A, and then for that to DELETE LINK.
both end_groups
both no_conn_left
finish
