#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure the times of smcr, the floor, Linux's own SMC-R, TCP and perftest
# between two hosts, in rounds in which each has its turn, and the memory of an
# idle connection. smcr-linux is a client of smcr with a server of Linux's SMC-R,
# linux-smcr the reverse.
#
# usage: pair.sh [ROUNDS [CONNECTIONS [main|linux|small|windows|neighbours]]]
# With "linux", only the times of smcr, Linux's SMC-R and the two of them; with
# "small" and "windows", only streams of small writes, or of writes of 64 KB
# through rings of several sizes, and what both hosts do for a write; with
# "neighbours", only round trips beside bulk streams and beside each other.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=events.sh
. "$BENCH/events.sh"

CLIENT=10.9.0.2
part=${3:-main}
mixed=(smcr4 smcr4-linux4 linux4 linux4-smcr4)
case $part in
linux)		systems=("${mixed[@]}") ;;
small|windows)	systems=(floor smcr4 linux4 tcp4) ;;
neighbours)	systems=(smcr4 linux4 tcp4) ;;
*)		systems=(floor "${mixed[@]}" tcp4) ;;
esac
insmod /share/floor.ko && linux_too || exit 1
calm_timers
barrier bench.ready || exit 1

ring=
# both_rings BYTES|default: set the rings of both hosts
both_rings()
{
	[ "$1" != "$ring" ] || return 0
	rings "$1" && peer ". $BENCH/lib.sh; trap - EXIT; rings $1" || exit 1
	ring=$1
}

# run ROUND SYSTEM WORK RING MODE SIZE WARM COUNT: measure one run
run()
{
	local ring=$4

	case $2 in
	floor)	[ "$ring" != default ] || ring=131072
		by_floor "$1" "$3" $CLIENT "$5" "$6" "$ring" "$7" "$8" ;;
	*)	by_load "$1" "$2" "$3" "$4" "${@:5}" ;;
	esac
}

# each ROUND WORK RING MODE SIZE WARM COUNT: the order changes with the round.
# The floor has no Nagle algorithm.
each()
{
	local i n=${#systems[@]} system

	both_rings "$3"
	for ((i = 0; i < n; i++)); do
		system=${systems[(i + $1) % n]}
		[ "$system,$4" = floor,nagle ] || run "$1" "$system" "${@:2}"
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

	both_rings 131072
	for kind in "${systems[@]}"; do
		[ "$kind" != floor ] || continue
		by_load "$1" "$kind" connect1 131072 connect 1 8 96
		by_load "$1" "$kind" connect16 131072 connect 16 16 160
	done
}

# memory KIND COUNT: measure memory with 16 connections, then with COUNT more
memory()
{
	local before buf

	both_rings 16384
	buf=$(sockbuf "$1" 16384)
	before=$(mktemp)
	cat $STAT >"$before"
	hold "$1" "$buf" 16 7 || echo "failed 0 $1 memory"
	echo "sample 0 ${1%4} memory:16 $(memory_now)"
	hold "$1" "$buf" "$2" 8 || echo "failed 0 $1 memory"
	echo "sample 0 ${1%4} memory:$2 $(memory_now)$(deltas "$before")"
	exec 7>&- 8>&-
	rm "$before"
}

# events: count the events of both kernels during round trips
events()
{
	local kind there=". $BENCH/events.sh;"

	both_rings 131072
	for kind in floor smcr4 linux4; do
		run 0 $kind traced 131072 rr 64 20 100
		peer "$there events_begin" && events_begin || return
		run 0 $kind traced 131072 rr 64 20 2000
		echo "sample 0 ${kind%4} events:client$(events_end 2020)"
		echo "sample 0 ${kind%4} events:server$(peer \
			"$there events_end 2020")"
	done
}

# costs WORK RING MODE SIZE WARM COUNT: count what both kernels, and smcr at both
# ends, do for each write of a run. The run itself is slower for that.
costs()
{
	local kind before n=$(($5 + $6)) there=". $BENCH/events.sh;"

	both_rings "$2"
	before=$(mktemp -d)
	for kind in "${systems[@]}"; do
		[ "$kind,$3" != floor,nagle ] || continue
		cat $STAT >"$before/client"
		peer "cat $STAT" >"$before/server"
		if ! peer "$there probes && events_begin" || ! probes ||
			! events_begin
		then
			echo "failed 0 $kind cost:$1"
			continue
		fi
		run 0 "$kind" "cost:$1" "${@:2}"
		echo "sample 0 ${kind%4} cost:client:$1$(events_end "$n")" \
			"$(messages "$n" "$before/client" <$STAT)"
		echo "sample 0 ${kind%4} cost:server:$1$(peer \
			"$there probes; events_end $n")" \
			"$(peer "cat $STAT" | messages "$n" "$before/server")"
	done
	rm -r "$before"
}

# messages N BEFORE: print how many CDC messages and writes smcr has posted since,
# divided by N
messages()
{
	awk -v n="$1" 'FNR == NR { old[$1] = $2; next }
		$1 == "CdcSent" { name = "messages" }
		$1 == "RdmaWrites" { name = "writes" }
		name { printf "%s=%.4f ", name, ($2 - old[$1]) / n; name = "" }
		' "$2" -
}

# streams: print WORK RING MODE SIZE WARM COUNT of each stream of the part: small
# writes with TCP_NODELAY and without, with the rings and buffers that sockets have
# by default; or writes of 64 KB through rings of several sizes
streams()
{
	local size count kb

	if [ "$part" = windows ]; then
		for kb in 64 128 256 512; do
			echo "ring${kb}k $((kb * 1024)) stream 65536 40 400"
		done
		echo "ring-default default stream 65536 40 400"
		return
	fi
	for size in 64:160000 512:48000 1024:24000 4096:8000 16384:2000; do
		count=${size#*:}
		size=${size%:*}
		echo "write$size default stream $size $((count / 10)) $count"
		echo "write$size-nagle default nagle $size" \
			"$((count / 10)) $count"
	done
}

# stream_rounds ROUNDS: measure all streams in rounds, then count what they cost
stream_rounds()
{
	local list stream words round

	mapfile -t list < <(streams)
	for ((round = 1; round <= $1; round++)); do
		for stream in "${list[@]}"; do
			read -ra words <<<"$stream"
			each $round "${words[@]}"
		done
	done
	for stream in "${list[@]}"; do
		read -ra words <<<"$stream"
		costs "${words[@]}"
	done
}

# neighbours ROUNDS: round trips of one connection beside bulk streams, and of
# many connections at once
neighbours()
{
	local round n

	for ((round = 1; round <= $1; round++)); do
		for n in 4 8; do
			each $round bulk$n default beside $n 40 600
		done
		each $round bulk4-w128k 131072 beside 4 40 600
		for n in 1 16 64 256; do
			each $round crowd$n default crowd $n $((n * 2)) 1536
		done
	done
}

# first_contacts: a client of smcr learns from its first connection to a server
# of Linux, which falls back, the kind of GID for the next ones
first_contacts()
{
	both_rings 131072
	by_load 0 smcr4-linux4 first 131072 connect 1 0 1 >/dev/null
}

if [ "$part" = small ] || [ "$part" = windows ]; then
	stream_rounds "${1:-15}"
	exit 0
fi
if [ "$part" = neighbours ]; then
	neighbours "${1:-15}"
	exit 0
fi
# Memory first: later, groups have RMBs of other sizes, which they would free
# during the measurement.
if [ "$part" != linux ]; then
	memory tcp4 "${2:-4064}"
	memory smcr4 "${2:-4064}"
fi
first_contacts
for ((round = 1; round <= ${1:-15}; round++)); do
	each $round rr64 131072 rr 64 40 400
	each $round rr4k 131072 rr 4096 40 400
	each $round stream64k-w64k 65536 stream 65536 8 160
	each $round stream64k 131072 stream 65536 8 160
	each $round stream64k-w256k 262144 stream 65536 8 160
	each $round stream1m 524288 stream 1048576 2 12
	[ "$part" = linux ] || perftest $round
	connects $round
done
[ "$part" = linux ] || events || echo "failed 0 events"
exit 0
