#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: The Linux dialect works, and its SENDs in flight are bounded
# The Linux dialect and its bound on SENDs in flight, which LLC messages wait
# for. Two smcr hosts speak it when a test module makes the client's Proposals
# carry version 2. An smcr host keeps its element for the next connection, so no
# DELETE RKEY proves the end of a stream as Linux's would. With
# net.smcr.unproven_eof its reader gets the end of file all the same.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
burst=60
addresses $kind

# linux_dialect: true if this host's link group speaks the Linux dialect
linux_dialect() {
	smcr-ctl -j linkgroup show | grep -q '"dialect": *"linux"'
}

# burst_open: open $burst connections; each step of theirs waits for a line on
# stdin
burst_open() {
	mkfifo "$tmp/in" "$tmp/out"
	burst/burst $kind "$SERVER" $PORT send $burst <"$tmp/in" >"$tmp/out" &
	burst_pid=$!
	jobs_started+=("$burst_pid")
	exec 5>"$tmp/in" 6<"$tmp/out"
	read -r line <&6
	check "$burst connections are open" test "$line" = open
}

# llc_send COUNT: send so many LLC messages of a type that the peer discards
# silently
llc_send() {
	echo "llc $1 802c0000$(printf '%080d' 0)" >/proc/liar
}

client_leads

both check "QPs are patient" patient_qps
both sysctl_for_now net.smcr.unproven_eof 1
sysctl_for_now net.smcr.test_link_interval_ms 2000
undo_later rmmod version2
check "Proposals say version 2" insmod /share/version2.ko
both save begin
on server serve $kind "$SERVER"
io_check "16 MB each way, digests agree" $kind "$SERVER" stream \
	-u 16m -d 16m -H
both check "the group speaks the Linux dialect" linux_dialect
io_check "1000 messages of 64 bytes" $kind "$SERVER" rr -s 64 -n 1000
io_check "50 streams at once" $kind "$SERVER" many -n 50 -u 20k -d 20k
grew begin SendCompletions -ge $(($(delta begin WorkRequests) / 32))
io_check "end of the server" $kind "$SERVER" quit
on server served

# Count the SENDs that leave the host while none is acknowledged.
on server program echo burst/burst $kind "$SERVER" $PORT serve $burst
burst_open
undo_later wire clear
undo_later rmmod liar
check "LLC messages can be sent" insmod /share/liar.ko
check "the wire is cut" wire fault server0 client0 cut 1
save cut
echo >&5
read -r line <&6
check "all connections have sent a byte" test "$line" = sent
sent=$(delta cut CdcSent)
check "four LLC messages take the SENDs that data has left" llc_send 4
wait_until "the silent link is tested, which needs a fifth one" \
	grew_to cut TestLinkSent 1
grew cut LinksFailed -eq 0
wire clear
check "of $burst messages $sent were sent before the first was acknowledged" \
	test "$sent" -ge 16 -a "$sent" -le 32
echo >&5
wait "$burst_pid"
check "every byte came back" exits $?
both grew begin LinksFailed -eq 0
check "every byte was echoed" on server program_ended echo
both by_rdma begin 16777216 16777216
both no_conn_left
finish
