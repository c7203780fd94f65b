#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unmodified redis uses RDMA under net.smcr.transparent
# kernel: release
# nics: 1
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../func/lib/app_lib.sh
. "$FUNC_DIR/lib/app_lib.sh"

addresses tcp4

redis_begin() {
	app_begin redis-server redis-server --bind "$SERVER" --port "$PORT" \
		--save '' --appendonly no --protected-mode no --dir "$tmp"
}

bench() {
	timeout $((60 * SLOW)) redis-benchmark -h "$SERVER" -p "$PORT" -q "$@"
}

cli() {
	timeout $((30 * SLOW)) redis-cli -h "$SERVER" -p "$PORT" "$@"
}

set_big() {
	cli -x set big <"$tmp/big" | grep -q OK
}

big_is_right() {
	cli --raw get big | tr -d '\n' | cmp - "$tmp/big"
}

client_leads

both sysctl_for_now net.smcr.transparent 1
both save begin
on server redis_begin
check "20 clients, 2000 requests of each kind" \
	bench -n 2000 -c 20 -t set,get,incr,lpush
check "4 clients, values of 16 KB, 16 requests at a time" \
	bench -n 500 -c 4 -d 16384 -P 16 -t set,get
head -c 3000000 /dev/urandom | base64 -w 0 >"$tmp/big"
check "a value of 4 MB is set" set_big
check "it is read back" big_is_right
by_rdma begin 12000000 12000000
check "end of the server" cli shutdown nosave
no_conn_left
check "redis-server exits with status 0" on server app_ended redis-server
on server by_rdma begin 12000000 12000000
on server no_conn_left
finish
