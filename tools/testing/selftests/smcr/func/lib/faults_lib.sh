# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash source-path=SCRIPTDIR source=lib.sh
# What the tests of faults share. To be sourced by the client's script, which
# drives both hosts; the server has no script of its own, and a server that
# lost power needs none when it is back.
#
# A case is a function. "make check" runs a few of a script's cases, drawn
# with a seed that is printed and that SMCR_SEED repeats, half as many and others
# on the debug kernel; with SMCR_SOAK=1 all of them run, and with
# SMCR_CASE='PATTERN' those.
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
# By a path that is the same on the server, where no runner makes links.
HOST=$BED_TOP/tools/testing/selftests/smcr/func/lib/faults_host.sh
SOAK=${SMCR_SOAK:-0}
SEED=${SMCR_SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$(((SEED + SLOW) % 32768))
export IO_TIMEOUT=${IO_TIMEOUT:-60}
# A fault on one end is seen by the other after the queue pair's retries, the
# interval of TEST LINK and a timeout of LLC.
SETTLE=$((40 * SLOW))

# both VERB...: of faults_host.sh, on each host
both() {
	"$HOST" "$@" && peer "$HOST" "$@"
}

# faults_begin [SERVER OPTIONS]: a server, timers, and what the end is held to
faults_begin() {
	addresses $kind
	echo "# seed $SEED (SMCR_SEED=$SEED repeats this)"
	check "timers of both hosts are set" both tune
	undo_later wire clear
	check "wire seed" wire seed "$SEED"
	check "the server listens" peer "$HOST" serve "${@:--a}" || finish
	check "the state before is noted" both base
	mem_client=$("$HOST" kernel_memory)
	mem_server=$(peer "$HOST" kernel_memory)
}

# draw N CASE...: some of them, in a seeded order; all of them when soaking
draw() {
	local n=$1 i

	shift
	[ "$SLOW" = 1 ] || n=$(((n + 1) / 2))
	[ "$SOAK" != 1 ] && [ -z "${SMCR_CASE:-}" ] || n=$#
	while [ "$n" -gt 0 ] && [ $# -gt 0 ]; do
		i=$((RANDOM % $# + 1))
		# shellcheck disable=SC2053 # it is a pattern
		[[ ${!i} != ${SMCR_CASE:-*} ]] || drawn+=("${!i}")
		set -- "${@:1:i-1}" "${@:i+1}"
		n=$((n - 1))
	done
}

# cases N CASE...: run them
cases() {
	local drawn=() name

	draw "$@"
	for name in "${drawn[@]}"; do
		echo "# case: $name"
		case_begin=$SECONDS
		$name
		echo "# case $name: $((SECONDS - case_begin)) s"
	done
}

# settled: both hosts hold what they held before
settled() {
	check "all of the client's is given back" "$HOST" settle $SETTLE
	check "all of the server's is given back" peer "$HOST" settle $SETTLE
}

# flood N [OPTIONS]: streams both ways on so many connections, until they end
flood() {
	check "timers of both hosts are set" both tune
	save flood
	timeout $((IO_TIMEOUT * SLOW)) "$IO" $kind "$SERVER" "$PORT" \
		"${mode:-flood}" -n "$@" -a >"$tmp/flood" 2>&1 &
	flood_pid=$!
	jobs_started+=("$flood_pid")
	DEADLINE=$((120 * SLOW)) wait_until "$1 connections have RDMA" \
		grew_to flood HandshakesDone "$1"
	check "the streams run" "$HOST" running $(($1 * 20000))
}

# flood_ended FACT: no hang, no wrong byte, no early end
flood_ended() {
	wait "$flood_pid"
	local rc=$?

	sort "$tmp/flood" | uniq -c | sort -rn | head -n 12 | sed 's/^/# /;s/# *$//'
	if [ $rc -eq 0 ]; then
		ok "$1"
	else
		not_ok "$1 (status $rc)"
	fi
}

# begin_contact: a connection, on a wire that goes dead; runs in the background
# as $contact_pid
begin_contact() {
	timeout $((60 * SLOW)) "$IO" $kind "$SERVER" "$PORT" seq -n 1 -c \
		>"$tmp/contact" 2>&1 &
	contact_pid=$!
	jobs_started+=("$contact_pid")
}

# ends_in_time WHEN: that connection, with an errno or all of its bytes
ends_in_time() {
	local rc=0

	wait "$contact_pid" || rc=$?
	sed 's/^/# /' "$tmp/contact"
	check "$1: connect or its stream ends in time" test $rc -eq 0
}

# works: a stream by RDMA
works() {
	save works
	io_check "a stream after it" $kind "$SERVER" stream -u 256k -d 256k -H
	grew works RdmaWrites -gt 0
	no_fallback works
}

# memory_flat NAME BEFORE NOW: kB; what a whole test may leave in caches
memory_flat() {
	local most=$((6144 * SLOW))

	if [ $(($3 - $2)) -le $most ]; then
		ok "the $1's kernel memory grew by $(($3 - $2)) kB"
	else
		not_ok "the $1's kernel memory grew by $(($3 - $2)) kB"
	fi
}

# faults_end: nothing is left of the whole test
faults_end() {
	wire clear
	settled
	memory_flat client "$mem_client" "$("$HOST" kernel_memory)"
	memory_flat server "$mem_server" "$(peer "$HOST" kernel_memory)"
	io_check "end of the server" $kind "$SERVER" quit
	check "the server saw no wrong byte and no early end" \
		peer "$HOST" served
	finish
}
