# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash source-path=SCRIPTDIR source=lib.sh
# A load in many states, and the faults of links under it (../fail). Source this
# after lib.sh, above client_leads. Failover is RFC 7609, 4.6.
# shellcheck disable=SC2034,SC2154 # what lib.sh and the tests set

kind=smcr4
addresses $kind
LOAD=$FUNC_DIR/fail/fail_load
SEED=${SMCR_SEED:-$((RANDOM * 32768 + RANDOM))}
SOAK=${SMCR_SOAK:-0}
# The draws of the debug kernel differ.
RANDOM=$(((SEED + SLOW) % 32768))
conns=${CONNS:-27}
pace=${PACE:-$((100 * SLOW))}

# failover_timers: an idle link fails within seconds, and is soon tried again
failover_timers() {
	local name

	for name in test_link_interval_ms llc_timeout_ms link_retry_min_ms \
		    link_retry_max_ms negative_ms; do
		undo_later sysctl -qw \
			"net.smcr.$name=$(sysctl -n "net.smcr.$name")"
	done
	sysctl -qw net.smcr.negative_ms=0 \
		net.smcr.test_link_interval_ms=$((1000 * SLOW)) \
		net.smcr.llc_timeout_ms=$((2500 * SLOW)) \
		net.smcr.link_retry_min_ms=500 \
		net.smcr.link_retry_max_ms=1000
}

# retry_ms: print the time in which a queue pair retries
retry_ms() {
	local timeout retry

	timeout=$(sysctl -n net.smcr.qp_timeout)
	retry=$(sysctl -n net.smcr.qp_retry)
	echo $(((4096 << timeout) * (retry + 1) / 1000000))
}

# rows OBJECT: print the rows of smcr-ctl, as values in the order of its columns:
# "LINK STATE DEVICE" for link, "LINK STATE" for conn
rows() {
	smcr-ctl "$1" show | awk '{ line = ""
		for (i = 1; i < NF; i++)
			if ($i ~ /^(link|state|device)$/)
				line = line $(i + 1) " "
		sub("/[0-9]+ $", "", line)
		if (line != "") print line }'
}

# has_links N: this host's groups have N links in use; for wait_until
has_links() {
	[ "$(rows link | grep -c ' active ')" = "$1" ]
}

# conns_on RXE: print how many connections write over this device
conns_on() {
	{ rows link; rows conn; } | awk -v dev="$1" '
		$3 == dev && $2 == "active" { link[$1] = 1 }
		NF == 2 && $1 in link { n++ }
		END { print n + 0 }'
}

# tell COMMAND: command the load of this host
tell() {
	"$LOAD" "$tmp/load.ctl" tell "$1"
}

load_serve() {
	program load "$LOAD" -t $((60 * SLOW)) -n "$1" $kind "$SERVER" \
		"$PORT" "$tmp/load.ctl" serve
}

load_connect() {
	program load "$LOAD" -t $((60 * SLOW)) -n "$1" -p "$pace" \
		-s "$((RANDOM * 32768 + RANDOM))" "${@:2}" $kind "$SERVER" \
		"$PORT" "$tmp/load.ctl" load
}

# load_begin N [OPTIONS]: start a load of N connections; return when each is in
# the state that its shape describes
load_begin() {
	on server load_serve "$1"
	load_connect "$@"
	both wait_until "$1 connections are in all their states" tell ready
}

# load_flows: wait until each stream moves
load_flows() {
	both tell watch
	both wait_until "the streams go on" tell flows
}

# load_stop: let all streams end in order
load_stop() {
	both tell go
	both tell stop
}

# load_judged exact|errno: check the results of this host's load
load_judged() {
	local rc=0

	program_ended load || rc=$?
	check "no stream is broken, and none hangs" test $rc -eq 0
	[ "$1" = exact ] || return 0
	check "all streams are exact, none ends with an errno" grep -q \
		'^total .* errno 0 broken 0 unwritten 0 hung 0$' "$tmp/load.out"
}

# intact NAME: the groups are those of "save NAME", and no message was refused
intact() {
	local name

	for name in LinkGroups LinkGroupsFreed FirstContacts Aborts BadCdc \
		    BadLlc Fallbacks; do
		grew "$1" "$name" -eq 0
	done
}

# busiest: print the number of the adapter over which most connections write
busiest() {
	local i n best=0 most=-1

	for ((i = 0; i < BED_NICS; i++)); do
		n=$(conns_on "rxe$i")
		[ "$n" -le "$most" ] || { most=$n; best=$i; }
	done
	echo "$best"
}

# moved RXE: wait until the connections that "fault" counted have left the link
# on this device
moved() {
	DEADLINE=$((20 * SLOW)) wait_until \
		"all $moving connections move to another link" \
		grew_to fault ConnsMoved "$moving"
	check "no connection writes over $1" test "$(conns_on "$1")" = 0
}

# count_moving RXE: store the number of connections that a fault will move
count_moving() {
	moving=$(conns_on "$1")
	save fault
	tell mark
}

# fault NIC FACT COMMAND...: have the link of this adapter fail, and wait until
# all connections go on over another one
fault() {
	local dev=rxe$1

	both count_moving "$dev"
	check "$2" "${@:3}"
	[ "${MOVES:-yes}" = yes ] || return 0
	both moved "$dev"
	load_flows
	echo "# $2: retry time of a QP $(retry_ms) ms"
	both gaps
}

gaps() {
	echo "# $(tell gaps)"
}

# repaired FACT COMMAND...: remove the cause of a fault, and wait until the lost
# link is replaced
repaired() {
	local begin=$EPOCHREALTIME

	check "$@"
	both wait_until "there are $BED_NICS links again" has_links "$BED_NICS"
	echo "# after $(((${EPOCHREALTIME/./} - ${begin/./}) / 1000)) ms"
}

# silent NIC [HOST]: no RDMA packet passes between the hosts through this
# adapter, or none from this host
silent() {
	[ "${2:-server}" != server ] ||
		wire fault "server$1" "client$1" cut 1 only roce || return
	[ "${2:-client}" != client ] ||
		wire fault "client$1" "server$1" cut 1 only roce
}

# qp_error RXE: the queue pairs of this device enter the error state
qp_error() {
	insmod /share/qperr.ko device="$1" && rmmod qperr
}
