#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of dialect.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

kind=smcr4
burst=60
addresses $kind

check "QPs are patient" patient_qps
save begin
serve $kind "$SERVER"
together ready
served
check "the server's group speaks the Linux dialect" \
	grep -q '"dialect": *"linux"' <(smcr-ctl -j linkgroup show)
mkfifo "$tmp/out"
./burst $kind "$SERVER" $PORT serve $burst >"$tmp/out" &
burst_pid=$!
jobs_started+=("$burst_pid")
exec 6<"$tmp/out"
read -r line <&6
check "the burst's server listens" test "$line" = serving
together burst
wait $burst_pid
check "every byte was echoed" test $? -eq 0
by_rdma begin 16777216 16777216
no_conn_left
together end
finish
