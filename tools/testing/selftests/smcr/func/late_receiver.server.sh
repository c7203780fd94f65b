#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of late_receiver.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
burst=150
addresses $kind

check "QPs are patient" patient_qps
undo_later rdma link add rxe0 type rxe netdev eth0
undo_later rmmod devcap
undo_later rdma link delete rxe0
check "queues can be short" insmod /share/devcap.ko
rdma link delete rxe0
echo wr 65 >/proc/devcap
rdma link add rxe0 type rxe netdev eth0
undo_later rmmod latepoll
check "completions can be late" insmod /share/latepoll.ko
save begin
serve $kind "$SERVER" -a
together ready
served
mkfifo "$tmp/out"
burst/burst $kind "$SERVER" $PORT serve $burst >"$tmp/out" &
burst_pid=$!
jobs_started+=("$burst_pid")
exec 6<"$tmp/out"
read -r line <&6
check "the burst's server listens" test "$line" = serving
together burst
together open
echo 300 >/proc/latepoll
together late
wait $burst_pid
check "every byte was echoed" test $? -eq 0
echo 0 >/proc/latepoll
together even
no_fallback begin
no_conn_left
together end
finish
