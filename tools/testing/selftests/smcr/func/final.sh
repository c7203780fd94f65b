#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Bytes before the peer's end stay readable whatever fails afterwards
# rfc: 4.8.1, 4.8.3
# kernel: both
# nics: 1
# Bytes that the peer put before the end of its stream stay readable whatever
# happens to the connection, its TCP connection, its link and its device
# afterwards; a stream without an end is an errno. (RFC 7609 4.8)
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# lines UNTIL: a check for each line of the reader, up to the one
lines() {
	local line

	while read -r -t "$DEADLINE" line <&6; do
		case $line in
		"stage $1")	return ;;
		good*)		ok "${line#good }" ;;
		bad*)		not_ok "${line#bad }" ;;
		*)		echo "# $line" ;;
		esac
	done
	[ "$1" = end ] || not_ok "the reader comes to stage $1"
}

# server_said: what the server printed, as comments
server_said() {
	sed '/^serving$/d; s/^/# /' "$tmp/final.out" "$tmp/final.err"
}

elements_back() {
	[ "$(value ElementsTaken)" = "$(value ElementsReturned)" ]
}

client_leads

on server sysctl_for_now net.smcr.close_timeout_ms 2000
check "the server listens" on server program final \
	python3 -B final.py serve "$SERVER" "$PORT"
both save begin
mkfifo "$tmp/in" "$tmp/out"
python3 -B final.py read "$SERVER" "$PORT" <"$tmp/in" >"$tmp/out" 2>&1 &
reader=$!
jobs_started+=("$reader")
exec 5>"$tmp/in" 6<"$tmp/out"
lines begun
on server save crossed
# Longer than 200 ms, and shorter than a queue pair takes to repeat a packet
check "RoCE from the server takes its time" \
	wire fault server0 client0 delay 250000 only roce
echo >&5
lines crossed
check "RoCE is fast again" wire clear
check "a byte that comes after C is answered by a reset" \
	test "$(on server delta crossed ResetUnreadData)" = 1
echo >&5
lines asked
no_fallback begin
# Of the two that it closed and to which nothing was sent
on server wait_until "it has stopped waiting for the client's close" \
	grew_to begin ResetCloseTimeout 2
echo >&5
lines read
without_rnic
echo >&5
lines end
wait "$reader"
check "the reader came to its end" test $? -eq 0
exec 5>&- 6<&-
undo_now
no_conn_left
wait_until "each receive element is given back" elements_back
on server server_said
finish
