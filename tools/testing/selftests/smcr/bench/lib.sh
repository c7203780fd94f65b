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
declare -A PORT=([smcr4]=7910 [tcp4]=7930)
children=()

cleanup()
{
	[ ${#children[@]} = 0 ] || kill "${children[@]}" 2>/dev/null
	rmmod floor 2>/dev/null
}
trap cleanup EXIT

# Soft-RoCE's retransmit timer fires for nothing on a loaded machine. Each
# step keeps the inequality of the timers true.
calm_timers()
{
	sysctl -qw net.smcr.confirm_link_timeout_ms=8000 \
		net.smcr.handshake_timeout_ms=20000 \
		net.smcr.llc_timeout_ms=4000 net.smcr.qp_timeout=17
}

listens()
{
	ss -Hltn "sport = :$1" | grep -q .
}

# port KIND BUF: one server a kind of socket and size of its buffers
port()
{
	echo $((PORT[$1] + $2 / 16384 % 16 + $2 / 524288 * 5))
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

# by_load ROUND KIND WORK BUF ARGUMENTS: a run over sockets
by_load()
{
	local out before

	before=$(mktemp)
	cat $STAT >"$before"
	if out=$("$LOAD" client "$2" $SERVER "$(port "$2" "$4")" "$4" "${@:5}")
	then
		echo "sample $1 ${2%4} $3$(words <<<"$out")$(deltas "$before")"
	else
		echo "failed $1 $2 $3"
	fi
	rm -f "$before"
}

# by_floor ROUND WORK LOCAL MODE SIZE RING WARM COUNT: a run of the floor; its
# server has to be there
by_floor()
{
	exec 3<>/proc/smcr_floor
	if echo "client rxe0 $3 $FLOOR_PORT $SERVER ${*:4}" >&3; then
		echo "sample $1 floor $2$(words <&3)"
	else
		echo "failed $1 floor $2"
	fi
	exec 3>&-
}

# floor_server: serves one run
floor_server()
{
	exec 4<>/proc/smcr_floor
	echo "server rxe0 $SERVER $FLOOR_PORT -" >&4
	exec 4>&-
}
