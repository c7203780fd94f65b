#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of negative.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# deaf PORT: begin to serve
deaf() {
	local line

	mkfifo "$tmp/deaf.$1"
	./deaf.py "$SERVER" "$1" <"$tmp/hold" >"$tmp/deaf.$1" &
	jobs_started+=("$!")
	read -r line <"$tmp/deaf.$1"
	check "port $1 echoes the option" test "$line" = serving
}

undo_later rmmod synopt
check "synopt is loaded" insmod /share/synopt.ko
mkfifo "$tmp/hold"
exec 5<>"$tmp/hold"
sysctl_for_now net.smcr.negative_ms 0
# The next connection is a first contact again
sysctl_for_now net.smcr.lgr_linger_ms 0
save begin
serve $kind "$SERVER"
deaf 7700
deaf 7701
together ready
patient_qps
together killed
save killed
wait_until "4 handshakes are under way" grew_to killed HandshakesStarted 4
together kill
check "the server is killed" kill -KILL "${program_pid[serve]}"
wait "${program_pid[serve]}" 2>/dev/null
serve $kind "$SERVER"
calm_timers
together again
together server
sysctl_for_now net.smcr.negative_ms 600000
save server
together deaf
grew server FallbackNegPath -eq 3
grew server NegativeAdded -eq 1
together counted
served
no_conn_left
exec 5>&-
together end
finish
