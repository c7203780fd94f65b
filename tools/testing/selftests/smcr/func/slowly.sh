#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Nothing is lost when the end comes between two steps of a reader
# rfc: 4.8.1
# kernel: release
# nics: 1
# cpus: 2
# timeout: 300
# The last bytes and the end may come between any two instructions of a reader,
# and the room that a writer did not find between any two of its own.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# slowly FUNCTION US COMMAND...: nothing goes wrong while it is slow
slowly() {
	check "$1 is slow" insmod /share/slowly.ko "functions=$1" "us=$2"
	"${@:3}" >"$tmp/bad" 2>"$tmp/err"
	check "$1 being slow, all rounds are over" test $? -eq 0
	check "$1 being slow, nothing is missed" test ! -s "$tmp/bad"
	sed 's/^/# /' "$tmp/bad" "$tmp/err"
	check "it is as fast as before" rmmod slowly
}

client_leads

check "the server listens" on server program slowly \
	python3 -B slowly.py serve "$SERVER" "$PORT" 0
save begin
slowly smcr_rx_recvmsg 50 python3 -B slowly.py ends "$SERVER" "$PORT" 20
# Room comes back when the server has acknowledged what was written.
check "RoCE to the server takes its time" \
	wire fault client0 server0 delay 60000 only roce
slowly smcr_tx_sendmsg 400 python3 -B slowly.py edge "$SERVER" "$PORT" 25
check "RoCE is fast again" wire clear
no_fallback begin
no_conn_left
finish
