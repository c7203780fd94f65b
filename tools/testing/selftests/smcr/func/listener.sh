#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: A listener tells how many children wait, and may end while some do
# nics: 1
# cpus: 2
# timeout: 120
# A listener with children that were not accepted ends by "ss -K", shutdown() or
# close(). TCP's own count stays right (it would WARN), and the program sees
# what TCP would show. While it lives, TCP_INFO and the counters of full queues
# are TCP's, whichever queue the children wait in. If smcr lacks memory to take
# over children, it does so later, whether or not another SYN comes. A child that
# smcr has not taken over belongs to TCP: it moves to another program's listener
# and outlives smcr. A connection that "ss -K" destroys also ends as over TCP,
# and SO_BINDTODEVICE shows the device of a link-local address.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

own4=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
limit=$((30 * SLOW))
module=${SMCR_KO:-$SHARED/smcr.ko}
PROGRAM=$FUNC_DIR/listener.py

# steps_of PROTOCOL: store what the program sees
steps_of() {
	timeout "$limit" python3 "$PROGRAM" steps "$own4" "$1" >"$tmp/steps.$1"
}

sysctl_for_now net.smcr.loopback 1
save begin
check "ends over TCP" steps_of 0
check "ends over smcr" steps_of 257
check "both show the same" diff -U 12 "$tmp/steps.0" "$tmp/steps.257"
# At least 7: a listener may end before its last child is ready.
grew begin PassiveOpens -ge 7
no_conn_left

check "the handling of a SYN can be delayed" insmod "$SHARED/overlap.ko"
for nth in 1 2; do
	check "a listener is closed meanwhile, at point $nth" \
		timeout "$limit" python3 "$PROGRAM" overlap "$own4" $nth
	check "it is not destroyed while TCP uses it" \
		test "$(value destroyed /proc/overlap)" = 0
done
check "SYNs are no longer delayed" rmmod overlap
no_conn_left

params=/sys/module/noaccept/parameters
check "a module makes accepting sockets fail" \
	insmod "$SHARED/noaccept.ko" on=1
undo_later rmmod noaccept
{
# waiting N: true if TCP's accept queue has N children
waiting() {
	[ "$(ss -Hltn "sport = :$((PORT + 1))" | awk '{ print $2 }')" = "$1" ]
}

# failed N: true if accepting has failed at least N times
failed() {
	[ "$(cat "$params/failed")" -ge "$1" ]
}
}
save queued
mkfifo "$tmp/queued.in" "$tmp/queued.out"
python3 "$PROGRAM" queued "$own4" $((PORT + 1)) <"$tmp/queued.in" \
	>"$tmp/queued.out" &
jobs_started+=($!)
exec 5>"$tmp/queued.in" 6<"$tmp/queued.out"
read -r -t "$limit" -u 6 line
check "clients connect, and are in the queue" test "$line" = "queued 3"
wait_until "three children are queued" waiting 3
tries=$(($(cat "$params/failed") + 2))
wait_until "smcr tries again to accept them" failed $tries
grew queued HandshakesStarted -eq 3
check "accepting no longer fails" sh -c "echo 0 >$params/on"
echo go >&5
read -r -t "$limit" -u 6 line
check "all are accepted (got $line)" test "$line" = "bytes 3"
exec 5>&- 6<&-
grew queued PassiveOpens -eq 3
no_fallback queued
no_conn_left

check "a device stalls page faults" insmod "$SHARED/stall.ko"
undo_later rmmod stall
sysctl_for_now net.ipv4.tcp_migrate_req 1
mkfifo "$tmp/stall.in" "$tmp/stall.out" "$tmp/to.in" "$tmp/to.out"
"$FUNC_DIR/stalled/stalled" inet4 "$own4" shared "$PORT" \
	<"$tmp/stall.in" >"$tmp/stall.out" &
stalled=$!
jobs_started+=("$stalled")
exec 5>"$tmp/stall.in" 6<"$tmp/stall.out"
read -r -t "$limit" -u 6 line
check "a listener cannot take over its children" test "$line" = stalled
python3 "$PROGRAM" migrate "$own4" "$PORT" <"$tmp/to.in" >"$tmp/to.out" &
migrate=$!
jobs_started+=("$migrate")
exec 7>"$tmp/to.in" 8<"$tmp/to.out"
read -r -t "$limit" -u 8 line
check "a TCP listener uses the same port" test "$line" = listening
check "the first one is destroyed" \
	python3 "$PROGRAM" destroy "$own4" "$PORT" 7
read -r -t "$limit" -u 8 line
check "the TCP listener accepts its child" test "$line" = accepted
kill -KILL "$stalled"
unreferenced() {
	[ "$(cat /sys/module/smcr/refcnt)" = 0 ]
}
wait_until "nothing refers to the module" unreferenced
check "smcr is unloaded" rmmod smcr
echo go >&7
read -r -t "$limit" -u 8 line
wait "$migrate"
check "the child still works" said $? "byte b'x'" "$line"
check "smcr is loaded" insmod "$module"
undo=("${undo[@]/*loopback*/:}")
finish
