#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: turns data
# The Linux dialect (design law 22) and the bound on SENDs in it (law 23). Two
# smcr hosts speak it when a test module makes the client's Proposals say
# version 2.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

kind=smcr4
burst=60
addresses $kind

check "QPs are patient" patient_qps
undo_later rmmod version2
check "Proposals say version 2" insmod /share/version2.ko
together ready
save begin
io_check "16 MB each way, digests agree" $kind "$SERVER" stream \
	-u 16m -d 16m -H
check "the client's group speaks the Linux dialect" \
	grep -q '"dialect": *"linux"' <(smcr-ctl -j linkgroup show)
io_check "1000 messages of 64 bytes" $kind "$SERVER" rr -s 64 -n 1000
io_check "50 streams at once" $kind "$SERVER" many -n 50 -u 20k -d 20k
grew begin SendCompletions -ge $(($(delta begin WorkRequests) / 32))
io_check "end of the server" $kind "$SERVER" quit

# What leaves the host while nothing is acknowledged
together burst
mkfifo "$tmp/in" "$tmp/out"
./burst $kind "$SERVER" $PORT send $burst <"$tmp/in" >"$tmp/out" &
burst_pid=$!
jobs_started+=("$burst_pid")
exec 5>"$tmp/in" 6<"$tmp/out"
read -r line <&6
check "$burst connections are open" test "$line" = open
undo_later wire clear
check "the wire is cut" wire fault server0 client0 cut 1
save cut
echo >&5
read -r line <&6
check "all have sent a byte" test "$line" = sent
sent=$(delta cut CdcSent)
wire clear
check "of $burst messages $sent were sent before the first was acknowledged" \
	test "$sent" -ge 16 -a "$sent" -le 32
echo >&5
wait $burst_pid
check "every byte came back" test $? -eq 0
by_rdma begin 16777216 16777216
no_conn_left
together end
finish
