#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Bytes before the peer's end stay readable whatever fails afterwards
# rfc: 4.8.1, 4.8.3
# nics: 1
# The final bytes, those that the peer put before its D or C, stay readable
# whatever happens to the connection, its TCP connection, its link and its
# device afterwards. A stream without an end returns an errno. (RFC 7609 4.8)
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# server_said: show the server's output as TAP comments
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
reader_lines begun
on server save crossed
# Longer than 200 ms, but shorter than the queue pair's retransmission timeout
check "RoCE from the server is slow" \
	wire fault server0 client0 delay 250000 only roce
echo >&5
reader_lines crossed
check "RoCE is fast again" wire clear
check "a byte that comes after C is answered with a reset" \
	test "$(on server delta crossed ResetUnreadData)" = 1
echo >&5
reader_lines asked
no_fallback begin
# The server closed two connections and received nothing on them.
on server wait_until "it no longer waits for the client's close" \
	grew_to begin ResetCloseTimeout 2
echo >&5
reader_lines read
without_rnic
echo >&5
reader_lines end
wait "$reader"
check "the reader exits with status 0" exits $?
exec 5>&- 6<&-
undo_now
no_conn_left
wait_until "each receive element is returned" elements_back
on server server_said
finish
