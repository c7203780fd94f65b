#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unmodified iperf3 uses RDMA under net.smcr.transparent
# kernel: release
# nics: 1
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../func/lib/app_lib.sh
. "$FUNC_DIR/lib/app_lib.sh"

addresses tcp4

# run OPTIONS...: run iperf3 to move 16 MB
run() {
	timeout $((60 * SLOW)) iperf3 -c "$SERVER" -p "$PORT" -n 16M -J "$@" \
		>"$tmp/iperf3.json" || {
		cat "$tmp/iperf3.json"
		return 1
	}
}

# moved SUM: print the bytes that iperf3 has counted
moved() {
	python3 - "$tmp/iperf3.json" "$1" <<-'END'
	import json, sys
	end = json.load(open(sys.argv[1]))["end"]
	print(int(end[sys.argv[2]]["bytes"]))
	END
}

client_leads

both sysctl_for_now net.smcr.transparent 1
both save begin
on server app_begin iperf3 iperf3 -s -B "$SERVER" -p "$PORT"
check "iperf3 moves 16 MB up" run
# iperf3's server drops the bytes that are in flight when the client has sent
# all.
check "16 MB were sent" test "$(moved sum_sent)" -ge 16777216
check "iperf3 moves 16 MB down" run -R
check "16 MB were received" test "$(moved sum_received)" -ge 16777216
check "iperf3 moves 16 MB up on 4 connections" run -P 4
by_rdma begin 20000000 16777216
no_conn_left
on server app_end iperf3 TERM
on server by_rdma begin 16777216 20000000
on server no_conn_left
finish
