# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the bench's scripts share. To be sourced in a host of the bed. Each
# measured run is one line of output, which bench.py reads:
#
#	sample ROUND SYSTEM WORK name=value...

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LOAD=$BENCH/load
STAT=/proc/net/smcr_stat
SERVER=10.9.0.1
FLOOR_PORT=7900
declare -A PORT=([smcr4]=7910 [tcp4]=7930 [linux4]=7950)
children=()

cleanup()
{
	[ ${#children[@]} = 0 ] || kill "${children[@]}" 2>/dev/null
	rmmod floor 2>/dev/null
}
trap cleanup EXIT

# linux_too: smcr beside Linux's own SMC-R, which takes the address family if it
# is there first. Its RDMA needs the RoCEv1 GIDs of "vm/pair --rocev1".
linux_too()
{
	rmmod smcr && modprobe smc && insmod /share/smcr.ko
}

# Soft-RoCE's retransmit timer fires for nothing on a loaded machine. Each
# step keeps the inequality of the timers true.
calm_timers()
{
	sysctl -qw net.smcr.handshake_timeout_ms=20000 \
		net.smcr.confirm_link_timeout_ms=8000 \
		net.smcr.llc_timeout_ms=4000 net.smcr.qp_timeout=17
}

listens()
{
	ss -Hltn "sport = :$1" | grep -q .
}

# port KIND BUF: one server a kind of socket and size of its buffers, 16 KB to
# 512 KB
port()
{
	echo $((PORT[$1] + $2 / 32768))
}

# serve KIND BUF...
serve()
{
	local kind=$1 buf

	for buf in "${@:2}"; do
		"$LOAD" server "$kind" $SERVER "$(port "$kind" "$buf")" \
			"$buf" >/dev/null &
		children+=($!)
		until listens "$(port "$kind" "$buf")"; do sleep 0.05; done
	done
}

# words: "name value" lines to name=value words
words()
{
	awk '{ printf " %s=%s", $1, $2 }'
}

# deltas BEFORE: what the counters of smcr did since
deltas()
{
	awk 'FNR == NR { old[$1] = $2; next }
		$2 != old[$1] { printf " %s=%s", $1, $2 - old[$1] }' "$1" $STAT
}

packets()
{
	cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts
}

# by_load ROUND KIND WORK BUF ARGUMENTS: a run over sockets
by_load()
{
	local out before sent

	before=$(mktemp)
	cat $STAT >"$before"
	sent=$(packets)
	if out=$("$LOAD" client "$2" $SERVER "$(port "$2" "$4")" "$4" "${@:5}")
	then
		echo "sample $1 ${2%4} $3$(words <<<"$out")" \
			"packets=$(($(packets) - sent))$(deltas "$before")"
	else
		echo "failed $1 $2 $3"
	fi
	rm -f "$before"
}

# by_floor ROUND WORK LOCAL MODE SIZE RING WARM COUNT: a run of the floor. Its
# server may still be on its way from the run before.
by_floor()
{
	local try

	exec 3<>/proc/smcr_floor
	for ((try = 0; try < 40; try++)); do
		if echo "client rxe0 $3 $FLOOR_PORT $SERVER ${*:4}" \
			>&3 2>/dev/null; then
			echo "sample $1 floor $2$(words <&3)"
			break
		fi
		sleep 0.05
	done
	exec 3>&-
	[ "$try" -lt 40 ] || echo "failed $1 floor $2"
}

# floor_server: serves one run
floor_server()
{
	exec 4<>/proc/smcr_floor
	echo "server rxe0 $SERVER $FLOOR_PORT -" >&4
	exec 4>&-
}

# gid_index: the RoCEv2 one of this host's IPv4 address, for perftest; sysfs has
# a file for each of 1024 entries
gid_index()
{
	local port=/sys/class/infiniband/rxe0/ports/1 i

	for i in 0 1 2 3 4 5 6 7; do
		grep -q ffff:0a09 $port/gids/$i &&
			grep -q v2 $port/gid_attrs/types/$i && break
	done
	echo $i
}

# perf_lat SIZE and perf_bw SIZE, with the server's address or without. WRITEs
# have no events, and polling would keep rxe's workers from the only processor.
# A client that loses its server would wait for ever.
perf_lat()
{
	timeout 30 ib_send_lat -e -d rxe0 -x "$(gid_index)" -F -s "$1" -n 300 -p 18500 \
		"${@:2}"
}

perf_bw()
{
	timeout 30 ib_send_bw -e -d rxe0 -x "$(gid_index)" -F -s "$1" -n 200 -t 16 -Q 4 \
		-r 64 -p 18501 "${@:2}"
}

# used: bytes that neither are free nor could be had back
used()
{
	echo 3 >/proc/sys/vm/drop_caches
	awk '{ v[$1] = $2 }
		END { used = v["MemTotal:"] - v["MemFree:"]
			used -= v["Buffers:"] + v["Cached:"]
			print used * 1024 }' /proc/meminfo
}
