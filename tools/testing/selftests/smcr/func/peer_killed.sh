#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: The peer of a killed process sees an exact prefix, then its end
# rfc: 4.8.2
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# end_of_server: kill the server while the streams run
end_of_server() {
	wait_until "the streams run" grew_to server RxBytes 2000000
	check "the server is killed" kill -KILL "${program_pid[serve]}"
	wait "${program_pid[serve]}" 2>/dev/null
	no_conn_left
}

client_leads

both save server
on server serve $kind "$SERVER"
start server end_of_server
IO_TIMEOUT=60 io_check "the server is killed under 20 streams: each ends" \
	$kind "$SERVER" flood -n 20
join server
no_conn_left
no_fallback server

on server serve $kind "$SERVER"
save client
"$IO" $kind "$SERVER" "$PORT" flood -n 20 2>"$tmp/flood.err" &
pid=$!
jobs_started+=("$pid")
wait_until "the streams run" grew_to client RxBytes 2000000
check "the client is killed" kill -KILL $pid
wait $pid 2>/dev/null
no_conn_left
io_check "the server lives and serves by RDMA" $kind "$SERVER" stream
no_fallback client
io_check "end of the server" $kind "$SERVER" quit
on server served
on server no_conn_left
finish
