#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of iperf3.sh.
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"

addresses tcp4
sysctl_for_now net.smcr.transparent 1
save begin
iperf3 -s -B "$SERVER" -p "$PORT" >"$tmp/iperf3.log" 2>&1 &
pid=$!
jobs_started+=("$pid")
wait_until "iperf3 listens" listens "$PORT"
together ready
together end
check "end of iperf3" kill -TERM $pid
wait $pid 2>/dev/null
by_rdma begin 16777216 20000000
no_conn_left
finish
