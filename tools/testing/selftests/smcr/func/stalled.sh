#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: Programs that stall with their sock locks held delay no other program
# nics: 1
# timeout: 120
# 300 readers, 20 writers and 300 listeners of one program stall while they hold
# their sock locks, more than a workqueue runs at a time. All other programs
# continue.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

own4=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
limit=$((20 * SLOW))
many=300

sysctl_for_now net.smcr.loopback 1
sysctl_for_now net.smcr.rmem 16384
sysctl_for_now net.smcr.test_link_interval_ms 500
check "a device stalls page faults" insmod "$SHARED/stall.ko"
undo_later rmmod stall

# stall NAME ARGUMENTS...: start the program and wait until all threads stall
stall() {
	local line fd_in fd_out

	mkfifo "$tmp/$1.in" "$tmp/$1.out"
	"$FUNC_DIR/stalled/stalled" smcr4 "$own4" "${@:2}" \
		<"$tmp/$1.in" >"$tmp/$1.out" 2>"$tmp/$1.err" &
	jobs_started+=($!)
	exec {fd_in}>"$tmp/$1.in" {fd_out}<"$tmp/$1.out"
	in[$1]=$fd_in
	out[$1]=$fd_out
	read -r -t $((limit * 3)) -u "$fd_out" line
	sed 's/^/# /' "$tmp/$1.err"
	check "${*:2} stall" test "$line" = stalled
}

# far_ends_close NAME: close the other ends of the connections
far_ends_close() {
	local line

	echo close >&"${in[$1]}"
	read -r -t "$limit" -u "${out[$1]}" line
	check "the other ends of the $1 close" test "$line" = closed
}

other_program() {
	timeout "$limit" "$IO" smcr4 "$own4" 0 many -n 20 -u 50k -d 50k -e -F
}

threads() {
	cat /dev/smcr_stall
}

stall_anew() {
	rmmod stall && insmod "$SHARED/stall.ko"
}

# ends: the program ends its stalls, so the device is loaded anew after it
ends() {
	timeout $((limit * 3)) "$FUNC_DIR/stalled/stalled" smcr4 "$own4" ends \
		>"$tmp/ends"
	check "connections end under stalled threads" exits $?
	reader_lines end 6<"$tmp/ends"
	check "all facts are told" test "$(wc -l <"$tmp/ends")" -eq 5
	check "the device stalls page faults anew" stall_anew
}

declare -A in out
save begin
ends
stall readers readers $many
stall writers writers 20
no_fallback begin
far_ends_close readers
far_ends_close writers
stall listeners listeners $many
# setsockopt() copies its value before it takes the lock.
stall cork cork

save others
check "another program opens, uses and closes connections" other_program
by_rdma others 1000000 1000000
wait_until "both ends of each are closed" grew_to others ConnsClosed 40
save links
wait_until "TEST LINK messages arrive" grew_to links LlcReceived 4
check "$((2 * many + 21)) threads stall" test "$(threads)" = $((2 * many + 21))

check "the device can be removed" timeout "$limit" rdma link delete rxe0
undo_later rdma link add rxe0 type rxe netdev "$(netdev_of "$own4")"
check "the threads still stall" test "$(threads)" = $((2 * many + 21))

echo go >/dev/smcr_stall
for name in readers writers listeners cork; do
	fd=${in[$name]}
	exec {fd}>&-
done
no_conn_left
finish
