# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Shared by the bench's scripts, which source it in a host of the bed. Each
# measured run prints one line, which bench.py reads:
#
#	sample ROUND SYSTEM WORK name=value...

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LOAD=$BENCH/load
STAT=/proc/net/smcr_stat
RINGS=/run/bench.rings
SERVER=10.9.0.1
# Linux's servers have an address of their own: smcr remembers the kind of GID
# for each address, and its own servers keep RoCEv2.
LINUX_SERVER=10.9.0.51
FLOOR_PORT=7900
declare -A PORT=([smcr4]=7910 [tcp4]=7930 [linux4]=7950)
children=()

cleanup()
{
	[ ${#children[@]} = 0 ] || kill "${children[@]}" 2>/dev/null
	rmmod floor 2>/dev/null
}
trap cleanup EXIT

# linux_too: load Linux's own SMC-R and then smcr, so that AF_SMC belongs to
# Linux's. Its RDMA needs the RoCEv1 GIDs of "vm/pair --rocev1".
linux_too()
{
	rmmod smcr && modprobe smc && insmod /share/smcr.ko
}

# Raise the timers, because Soft-RoCE's retransmit timer fires without a loss on
# a loaded machine. The order of the writes keeps the rules that bind the timers
# (smcr-sysctl.rst) true at each step.
calm_timers()
{
	sysctl -qw net.smcr.handshake_timeout_ms=20000 \
		net.smcr.confirm_link_timeout_ms=8000 \
		net.smcr.llc_timeout_ms=4000 net.smcr.qp_timeout=17
}

# address KIND: print the address of the servers for this kind of socket
address()
{
	[ "$1" = linux4 ] && echo $LINUX_SERVER || echo $SERVER
}

listens()
{
	ss -Hltn "sport = :$1" | grep -q .
}

# rings BYTES|default: set the ring and the send space of the connections of smcr
# and of Linux's SMC-R that this host makes from now on. Both stacks read the
# values when a connection is made, so both ends need them by then; what a socket
# inherits from its listener differs between the two.
rings()
{
	[ -e "$RINGS" ] ||
		sysctl -e net.{smcr,smc}.{r,w}mem 2>/dev/null >"$RINGS"
	if [ "$1" = default ]; then
		sysctl -q -p "$RINGS"
	else
		sed "s/=.*/= $1/" "$RINGS" | sysctl -q -p -
	fi
}

# sockbuf KIND RING: print SO_RCVBUF and SO_SNDBUF for this kind of socket; 0
# leaves them unset
sockbuf()
{
	case $1,$2 in
	*,default|smcr4,*|linux4,*)	echo 0 ;;
	*)				echo "$2" ;;
	esac
}

# port KIND BUF: print the port of the server for this kind of socket and this
# size of socket buffers: 0, or 16 KB to 512 KB
port()
{
	echo $((PORT[$1] + ($2 ? $2 / 32768 : 19)))
}

# serve KIND BUF...: start a server for each size of socket buffers
serve()
{
	local kind=$1 buf

	for buf in "${@:2}"; do
		"$LOAD" server "$kind" "$(address "$kind")" \
			"$(port "$kind" "$buf")" "$buf" >/dev/null &
		children+=($!)
		until listens "$(port "$kind" "$buf")"; do sleep 0.05; done
	done
}

# words: turn "name value" lines into name=value words
words()
{
	awk '{ printf " %s=%s", $1, $2 }'
}

# deltas BEFORE: print how much the counters of smcr have grown since
deltas()
{
	awk 'FNR == NR { old[$1] = $2; next }
		$2 != old[$1] { printf " %s=%s", $1, $2 - old[$1] }' "$1" $STAT
}

packets()
{
	cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts \
		2>/dev/null || echo 0
}

# by_load ROUND KIND WORK RING ARGUMENTS: measure a run over sockets. KIND may be
# two kinds, CLIENT-SERVER.
by_load()
{
	local own=${2%-*} other=${2#*-} out before sent buf

	before=$(mktemp)
	cat $STAT >"$before"
	sent=$(packets)
	buf=$(sockbuf "$own" "$4")
	if out=$("$LOAD" client "$own" "$(address "$other")" \
		"$(port "$other" "$buf")" "$buf" "${@:5}")
	then
		echo "sample $1 ${2//4} $3$(words <<<"$out")" \
			"packets=$(($(packets) - sent))$(deltas "$before")"
	else
		echo "failed $1 $2 $3"
	fi
	rm -f "$before"
}

# by_floor ROUND WORK LOCAL MODE SIZE RING WARM COUNT: measure a run of the
# floor. It retries, because the server may not have returned from the last run.
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

# floor_server: serve one run
floor_server()
{
	exec 4<>/proc/smcr_floor
	echo "server rxe0 $SERVER $FLOOR_PORT -" >&4
	exec 4>&-
}

# gid_index: print the index of the RoCEv2 GID of this host's IPv4 address, for
# perftest. It looks at 8 of the 1024 entries that sysfs has.
gid_index()
{
	local port=/sys/class/infiniband/rxe0/ports/1 i

	for i in 0 1 2 3 4 5 6 7; do
		grep -q ffff:0a09 $port/gids/$i &&
			grep -q v2 $port/gid_attrs/types/$i && break
	done
	echo $i
}

# perf_lat SIZE [SERVER], perf_bw SIZE [SERVER]: run perftest's SENDs with
# events. WRITEs raise no events, and polling would keep Soft-RoCE's workers
# from the only processor. The time limit ends a client that has lost its server.
perf_lat()
{
	timeout 30 ib_send_lat -e -d rxe0 -x "$(gid_index)" -F -s "$1" -n 300 \
		-p 18500 "${@:2}"
}

perf_bw()
{
	timeout 30 ib_send_bw -e -d rxe0 -x "$(gid_index)" -F -s "$1" -n 200 \
		-t 16 -Q 4 -r 64 -p 18501 "${@:2}"
}

# hold KIND BUF COUNT FD: open connections and keep them until FD is closed
hold()
{
	local line fifo

	fifo=$(mktemp -u)
	mkfifo "$fifo.in" "$fifo.out"
	"$LOAD" client "$1" "$(address "$1")" "$(port "$1" "$2")" "$2" \
		hold "$3" <"$fifo.in" >"$fifo.out" &
	children+=($!)
	eval "exec $4>$fifo.in"
	read -r line <"$fifo.out"
	rm "$fifo.in" "$fifo.out"
	[ "$line" = held ]
}

# memory_now: print the memory that is used on both hosts
memory_now()
{
	echo "own=$(used) peer=$(peer ". $BENCH/lib.sh; trap - EXIT; used")"
}

# used: print the bytes of memory that are neither free nor reclaimable cache
used()
{
	echo 3 >/proc/sys/vm/drop_caches
	awk '{ v[$1] = $2 }
		END { used = v["MemTotal:"] - v["MemFree:"]
			used -= v["Buffers:"] + v["Cached:"]
			print used * 1024 }' /proc/meminfo
}
