#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of redis.sh.
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"

addresses tcp4
sysctl_for_now net.smcr.transparent 1
save begin
redis-server --bind "$SERVER" --port "$PORT" --save '' --appendonly no \
	--protected-mode no --dir "$tmp" >"$tmp/redis.log" 2>&1 &
pid=$!
jobs_started+=("$pid")
wait_until "redis-server listens" listens "$PORT"
together ready
together end
wait $pid
check "redis-server ended well" test $? -eq 0
by_rdma begin 12000000 12000000
no_conn_left
finish
