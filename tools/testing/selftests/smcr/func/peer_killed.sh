#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: The peer of a killed process sees an exact prefix, then its end
# rfc: 4.8.2
# kernel: turns ends
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
together server.ready
save server
IO_TIMEOUT=60 io_check "the server is killed under 20 streams: each ends" \
	$kind "$SERVER" flood -n 20
no_conn_left
no_fallback server
together server.end

together client.ready
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
together end
finish
