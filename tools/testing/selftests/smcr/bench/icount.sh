#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure the instructions of a message or a connection in one host that counts
# instructions as time ("vm/one --icount"), with Soft-RoCE to itself. Each work
# runs N and 2N times, so that the fixed cost of a run cancels out.
#
# usage: icount.sh [ROUNDS]
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Linux's SMC-R proposes the prefixes of the route's device, here lo, and finds
# the RDMA device of that by a table.
LINUX_SERVER=10.8.0.1
insmod /share/floor.ko && linux_too &&
	ip addr add $LINUX_SERVER/24 dev lo &&
	"$BENCH/pnetid" self lo rxe0 1 || exit 1
sysctl -qw net.smcr.loopback=1
calm_timers

# floor ROUND WORK BUF MODE SIZE WARM COUNT
floor()
{
	local server

	floor_server &
	server=$!
	until listens $FLOOR_PORT; do :; done
	by_floor "$1" "$2" $SERVER "$4" "$5" "$3" "$6" "$7"
	wait $server
}

# all ROUND WORK BUF MODE SIZE WARM COUNT
all()
{
	local n work

	for n in "$7" $(($7 * 2)); do
		work=icount:$2:$n
		[ "$4" = connect ] || floor "$1" "$work" "${@:3:4}" "$n"
		by_load "$1" smcr4 "$work" "${@:3:4}" "$n"
		by_load "$1" linux4 "$work" "${@:3:4}" "$n"
		by_load "$1" tcp4 "$work" "${@:3:4}" "$n"
	done
}

serve smcr4 131072 524288
serve linux4 131072 524288
serve tcp4 131072 524288
for ((round = 1; round <= ${1:-2}; round++)); do
	all $round rr64 131072 rr 64 200 400
	all $round rr4k 131072 rr 4096 100 300
	all $round stream64k 131072 stream 65536 32 160
	all $round stream1m 524288 stream 1048576 4 12
	all $round connect1 131072 connect 1 32 64
done
exit 0
