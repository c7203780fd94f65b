#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure the instructions of a message or a connection in one host that counts
# instructions as time ("vm/one --icount"), with Soft-RoCE to itself. Each work
# runs N and 2N times, so that the fixed cost of a run cancels out.
#
# usage: icount.sh [ROUNDS [main|small|windows]]
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
	local server ring=$3

	[ "$ring" != default ] || ring=131072
	floor_server &
	server=$!
	until listens $FLOOR_PORT; do :; done
	by_floor "$1" "$2" $SERVER "$4" "$5" "$ring" "$6" "$7"
	wait $server
}

# all ROUND WORK RING MODE SIZE WARM COUNT
all()
{
	local n work

	rings "$3"
	for n in "$7" $(($7 * 2)); do
		work=icount:$2:$n
		case $4 in
		rr|stream)	floor "$1" "$work" "${@:3:4}" "$n" ;;
		esac
		by_load "$1" smcr4 "$work" "${@:3:4}" "$n"
		by_load "$1" linux4 "$work" "${@:3:4}" "$n"
		by_load "$1" tcp4 "$work" "${@:3:4}" "$n"
	done
}

# small ROUND
small()
{
	local size count

	for size in 64:16000 512:8000 1024:4000 4096:1600 16384:400; do
		count=${size#*:}
		size=${size%:*}
		all "$1" "write$size" default stream "$size" "$count" "$count"
		all "$1" "write$size-nagle" default nagle "$size" "$count" \
			"$count"
	done
}

# windows ROUND
windows()
{
	local kb

	for kb in 64 128 256 512; do
		all "$1" "ring${kb}k" $((kb * 1024)) stream 65536 32 160
	done
}

# works ROUND
works()
{
	all "$1" rr64 131072 rr 64 200 400
	all "$1" rr4k 131072 rr 4096 100 300
	all "$1" stream64k 131072 stream 65536 32 160
	all "$1" stream1m 524288 stream 1048576 4 12
	all "$1" connect1 131072 connect 1 32 64
}

serve smcr4 0
serve linux4 0
serve tcp4 0 65536 131072 262144 524288
for ((round = 1; round <= ${1:-2}; round++)); do
	case ${2:-main} in
	small)		small $round ;;
	windows)	windows $round ;;
	*)		works $round ;;
	esac
done
exit 0
