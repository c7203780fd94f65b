#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unmodified redis uses RDMA under net.smcr.transparent
# kernel: release
# nics: 1
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"

addresses tcp4
sysctl_for_now net.smcr.transparent 1
together ready
save begin

# shellcheck disable=SC2317 # called through check
bench() {
	timeout $((60 * SLOW)) redis-benchmark -h "$SERVER" -p "$PORT" -q "$@"
}

# shellcheck disable=SC2317 # called through check
cli() {
	timeout $((30 * SLOW)) redis-cli -h "$SERVER" -p "$PORT" "$@"
}

check "20 clients, 2000 requests of each kind" \
	bench -n 2000 -c 20 -t set,get,incr,lpush
check "4 clients, values of 16 KB, 16 requests at a time" \
	bench -n 500 -c 4 -d 16384 -P 16 -t set,get
head -c 3000000 /dev/urandom | base64 -w 0 >"$tmp/big"
check "a value of 4 MB is set" sh -c "timeout $((30 * SLOW)) redis-cli -h $SERVER \
	-p $PORT -x set big <$tmp/big | grep -q OK"
check "and read back" sh -c "timeout $((30 * SLOW)) redis-cli -h $SERVER \
	-p $PORT --raw get big | tr -d '\n' | cmp - $tmp/big"
by_rdma begin 12000000 12000000
check "end of the server" cli shutdown nosave
no_conn_left
together end
finish
