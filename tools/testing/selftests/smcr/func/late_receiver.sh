#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A receiver that polls late gets no more SENDs than it has receives
# nics: 1
# timeout: 120
# Queues of 64 on both hosts, and a server that polls its completions late: the
# client stops sending before the server runs out of receives, so the server's
# adapter sends no RNR NAK. Connections that share the short queue take turns:
# while one waits for its turn, no other gets two.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/adapter_lib.sh
. "$(dirname "$0")/lib/adapter_lib.sh"

kind=smcr4
rnr=/sys/class/infiniband/rxe0/ports/1/hw_counters/rcvd_rnr_err
burst=150
addresses $kind

# late MS: delay the server's completions by MS from now on
late() {
	echo "$1" >/proc/latepoll
}

were_late() {
	check "completions were delayed" \
		test "$(value delayed /proc/latepoll)" -ge 1
}

burst_served() {
	local rc=0

	program_ended burst || rc=$?
	check "every byte was echoed" exits "$rc"
}

client_leads

both undo_later calm_timers
both check "QPs are patient" patient_qps
both adapter_can_be_less "the adapter's queues can be shortened"
both adapter_anew wr 65
on server undo_later rmmod latepoll
on server check "completions can be delayed" insmod /share/latepoll.ko
on server save begin
on server serve $kind "$SERVER" -a

save even
undo_later rmmod turns
check "turns can be counted" insmod /share/turns.ko
io_check "20 streams at once" $kind "$SERVER" many -n 20 -u 1m -d 1m
sed 's/^/# /' /proc/turns
check "each connection had to wait, on average" \
	test "$(value waited /proc/turns)" -ge 20
check "while one waited, no other had two turns" \
	test "$(value overtaken /proc/turns)" = 0
check "every call was counted" test "$(value lost /proc/turns)" = 0
no_fallback even
naks=$(cat $rnr)
echo "# $naks RNR NAKs so far"
io_check "end of the server" $kind "$SERVER" quit
on server served

check "the burst's server listens" on server program burst \
	burst/burst $kind "$SERVER" $PORT serve $burst
mkfifo "$tmp/in" "$tmp/out"
burst/burst $kind "$SERVER" $PORT send $burst <"$tmp/in" >"$tmp/out" &
burst_pid=$!
jobs_started+=("$burst_pid")
exec 5>"$tmp/in" 6<"$tmp/out"
read -r line <&6
check "$burst connections are open" test "$line" = open
on server late 300
save late
echo >&5
read -r line <&6
check "all have sent a byte" test "$line" = sent
echo >&5
wait $burst_pid
check "every byte came back" exits $?
on server burst_served
on server were_late
on server late 0
grew late TestLinkSent -ge 1
check "no RNR NAK came" test "$(cat $rnr)" -eq "$naks"
no_fallback late
on server no_fallback begin
both no_conn_left
finish
