# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash source-path=SCRIPTDIR source=lib.sh
# Library of the fault tests. The client's script sources it and drives both
# hosts. The server has no script, so that a server that lost power can be
# booted and used again.
#
# A case is a function (draw_lib.sh).
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=draw_lib.sh
. "$FUNC_DIR/lib/draw_lib.sh"

kind=smcr4
# Use a path that is valid on the server, too, where the kselftest runner has
# made no links.
HOST=$BED_TOP/tools/testing/selftests/smcr/func/lib/faults_host.sh
export IO_TIMEOUT=${IO_TIMEOUT:-60}
# The other end detects a fault after the queue pair's retries, the TEST LINK
# interval and an LLC timeout.
SETTLE=$((40 * SLOW))

# both VERB...: run a command of faults_host.sh on each host
both() {
	"$HOST" "$@" && peer "$HOST" "$@"
}

# faults_begin [SERVER OPTIONS]: set the timers, start the server, store the
# state
faults_begin() {
	addresses $kind
	echo "# seed $SEED (SMCR_SEED=$SEED repeats this)"
	check "timers of both hosts are set" both tune
	undo_later wire clear
	check "wire seed" wire seed "$SEED"
	check "the server listens" peer "$HOST" serve "${@:--a}" || finish
	check "the state of both hosts is stored" both base
	mem_client=$("$HOST" kernel_memory)
	mem_server=$(peer "$HOST" kernel_memory)
}

# settled: check that both hosts hold only what they held before
settled() {
	check "the client has freed everything" "$HOST" settle $SETTLE
	check "the server has freed everything" peer "$HOST" settle $SETTLE
}

# flood N [OPTIONS]: start streams both ways on N connections
flood() {
	check "timers of both hosts are set" both tune
	save flood
	timeout $((IO_TIMEOUT * PATIENCE)) "$IO" $kind "$SERVER" "$PORT" \
		"${mode:-flood}" -n "$@" -a >"$tmp/flood" 2>&1 &
	flood_pid=$!
	jobs_started+=("$flood_pid")
	DEADLINE=$((120 * PATIENCE)) wait_until "$1 connections have RDMA" \
		grew_to flood HandshakesDone "$1"
	check "the streams run" "$HOST" running $(($1 * 20000))
}

# flood_ended FACT: check for a hang, a wrong byte and an early end of file
flood_ended() {
	wait "$flood_pid"
	local rc=$?

	sort "$tmp/flood" | uniq -c | sort -rn | head -n 12 | sed 's/^/# /;s/# *$//'
	check "$1" exits $rc
}

# begin_contact: open a connection in the background, as $contact_pid; the wire
# goes dead under it
begin_contact() {
	timeout $((60 * PATIENCE)) "$IO" $kind "$SERVER" "$PORT" seq -n 1 -c \
		>"$tmp/contact" 2>&1 &
	contact_pid=$!
	jobs_started+=("$contact_pid")
}

# ends_in_time WHEN: check that this connection ends with an errno or with all
# of its bytes
ends_in_time() {
	local rc=0

	wait "$contact_pid" || rc=$?
	sed 's/^/# /' "$tmp/contact"
	check "$1: connect or its stream ends in time" exits $rc
}

# works: check that a new stream uses RDMA
works() {
	save works
	io_check "a new stream works" $kind "$SERVER" stream -u 256k -d 256k -H
	grew works RdmaWrites -gt 0
	no_fallback works
}

# memory_flat NAME BEFORE NOW: check the growth of kernel memory, in kB, against
# what a whole test may leave in caches
memory_flat() {
	local most=$((6144 * SLOW))

	if [ $(($3 - $2)) -le $most ]; then
		ok "the $1's kernel memory grew by $(($3 - $2)) kB"
	else
		not_ok "the $1's kernel memory grew by $(($3 - $2)) kB"
	fi
}

# faults_end: end the server and check that nothing is left of the whole test
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
