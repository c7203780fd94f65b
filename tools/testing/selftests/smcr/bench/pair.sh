#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure the times of smcr, the floor, Linux's own SMC-R, TCP and perftest
# between two hosts, in rounds in which each has its turn, and the memory of an
# idle connection. smcr-linux is a client of smcr with a server of Linux's SMC-R,
# linux-smcr the reverse.
#
# usage: pair.sh [ROUNDS [CONNECTIONS [linux]]]
# With "linux", only the times of smcr, Linux's SMC-R and the two of them.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=events.sh
. "$BENCH/events.sh"

CLIENT=10.9.0.2
mixed=(smcr4 smcr4-linux4 linux4 linux4-smcr4)
if [ "${3:-}" = linux ]; then
	systems=("${mixed[@]}")
else
	systems=(floor "${mixed[@]}" tcp4)
fi
insmod /share/floor.ko && linux_too || exit 1
calm_timers
barrier bench.ready || exit 1

# each ROUND WORK BUF MODE SIZE WARM COUNT: the order changes with the round
each()
{
	local i n=${#systems[@]} system

	for ((i = 0; i < n; i++)); do
		system=${systems[(i + $1) % n]}
		case $system in
		floor)	by_floor "$1" "$2" $CLIENT "$4" "$5" "$3" "$6" "$7" ;;
		*)	by_load "$1" "$system" "$2" "$3" "${@:4}" ;;
		esac
	done
}

# perftest ROUND: run its two programs; they print half a round trip, and MiB a
# second
perftest()
{
	local usec rate

	usec=$(perf_lat 64 $SERVER 2>/dev/null | awk '$1 == 64 { print $5 }')
	[ -z "$usec" ] || echo "sample $1 perftest rr64 usec=$usec"
	rate=$(perf_bw 65536 $SERVER 2>/dev/null | awk '$1 == 65536 { print $4 }')
	[ -z "$rate" ] || echo "sample $1 perftest stream64k mib=$rate"
}

connects()
{
	local kind

	for kind in "${systems[@]}"; do
		[ "$kind" != floor ] || continue
		by_load "$1" "$kind" connect1 131072 connect 1 4 32
		by_load "$1" "$kind" connect16 131072 connect 16 16 64
	done
}

# hold KIND COUNT FD: open connections and keep them until FD is closed
hold()
{
	local line fifo

	fifo=$(mktemp -u)
	mkfifo "$fifo.in" "$fifo.out"
	"$LOAD" client "$1" $SERVER "$(port "$1" 16384)" 16384 hold "$2" \
		<"$fifo.in" >"$fifo.out" &
	children+=($!)
	eval "exec $3>$fifo.in"
	read -r line <"$fifo.out"
	rm "$fifo.in" "$fifo.out"
	[ "$line" = held ]
}

memory_now()
{
	echo "own=$(used) peer=$(peer ". $BENCH/lib.sh; trap - EXIT; used")"
}

# memory KIND COUNT: measure memory with 16 connections, then with COUNT more
memory()
{
	local before

	before=$(mktemp)
	cat $STAT >"$before"
	hold "$1" 16 7 || echo "failed 0 $1 memory"
	echo "sample 0 ${1%4} memory:16 $(memory_now)"
	hold "$1" "$2" 8 || echo "failed 0 $1 memory"
	echo "sample 0 ${1%4} memory:$2 $(memory_now)$(deltas "$before")"
	exec 7>&- 8>&-
	rm "$before"
}

# one_kind KIND COUNT: run round trips of 64 bytes
one_kind()
{
	case $1 in
	floor)	by_floor 0 traced $CLIENT rr 64 131072 20 "$2" ;;
	*)	by_load 0 "$1" traced 131072 rr 64 20 "$2" ;;
	esac
}

# events: count the events of both kernels during round trips
events()
{
	local kind there=". $BENCH/events.sh;"

	for kind in floor smcr4 linux4; do
		one_kind $kind 100
		peer "$there events_begin" && events_begin || return
		one_kind $kind 2000
		echo "sample 0 ${kind%4} events:client$(events_end 2020)"
		echo "sample 0 ${kind%4} events:server$(peer \
			"$there events_end 2020")"
	done
}

# first_contacts: a client of smcr learns from its first connection to a server
# of Linux, which falls back, the kind of GID for the next ones
first_contacts()
{
	by_load 0 smcr4-linux4 first 131072 connect 1 0 1 >/dev/null
}

# Memory first: later, groups have RMBs of other sizes, which they would free
# during the measurement.
if [ "${3:-}" != linux ]; then
	memory tcp4 "${2:-4064}"
	memory smcr4 "${2:-4064}"
fi
first_contacts
for ((round = 1; round <= ${1:-15}; round++)); do
	each $round rr64 131072 rr 64 20 120
	each $round rr4k 131072 rr 4096 20 120
	each $round stream64k-w64k 65536 stream 65536 4 32
	each $round stream64k 131072 stream 65536 4 48
	each $round stream64k-w256k 262144 stream 65536 4 48
	each $round stream1m 524288 stream 1048576 1 4
	[ "${3:-}" = linux ] || perftest $round
	connects $round
done
[ "${3:-}" = linux ] || events || echo "failed 0 events"
exit 0
