#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Nothing is lost when the stream ends between two steps of a reader
# rfc: 4.5.2, 4.8.1
# kernel: release
# nics: 1
# cpus: 2
# timeout: 400
# The last bytes and the end of file may arrive between any two instructions of
# a reader, and send space may return between any two instructions of a writer
# that found none. Such a writer may also never come back. On a connection that
# is plain TCP, poll() may show an error before TCP has reported it.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# slowly FUNCTION US COMMAND...: check a command while FUNCTION is delayed by US
# microseconds
slowly() {
	check "$1 is slowed down" \
		insmod /share/slowly.ko "functions=$1" "us=$2"
	"${@:3}" >"$tmp/bad" 2>"$tmp/err"
	check "slow $1: all rounds end" exits $?
	check "slow $1: nothing is missed" test ! -s "$tmp/bad"
	sed 's/^/# /' "$tmp/bad" "$tmp/err"
	check "$1 is fast again" rmmod slowly
}

all_room() {
	python3 -B slowly.py room "$SERVER" "$PORT" 8 >"$tmp/bad" &&
		test ! -s "$tmp/bad"
}

nothing_left() {
	python3 -B slowly.py left "$SERVER" "$PORT" 200 >"$tmp/bad" &&
		test ! -s "$tmp/bad"
}

client_leads

check "the server listens" on server program slowly \
	python3 -B slowly.py serve "$SERVER" "$PORT" 0
save begin
slowly smcr_rx_recvmsg 50 python3 -B slowly.py ends "$SERVER" "$PORT" 20
# Send space returns when the server has acknowledged the writes.
check "RoCE to the server is slow" \
	wire fault client0 server0 delay 60000 only roce
slowly smcr_tx_sendmsg 400 python3 -B slowly.py edge "$SERVER" "$PORT" 25
check "a writer to a server that does not read gets all room" all_room
check "RoCE is fast again" wire clear
on server sysctl_for_now net.smcr.rmem $((64 << 10))
check "no byte waits for a writer that does not come back" nothing_left
sed 's/^/# /' "$tmp/bad"
no_fallback begin
save refused
slowly inner_error_report 200 \
	python3 -B slowly.py refused "$SERVER" $((PORT + 9)) 20
grew refused FallbackFastopen -eq 20
no_conn_left
finish
