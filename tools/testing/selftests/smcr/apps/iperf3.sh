#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unmodified iperf3 uses RDMA under net.smcr.transparent
# kernel: release
# nics: 1
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../func/lib/app_lib.sh
. "$FUNC_DIR/lib/app_lib.sh"

addresses tcp4

client_leads

both sysctl_for_now net.smcr.transparent 1
both save begin
on server iperf3_begin "$SERVER"
iperf3_both_ways "$SERVER"
by_rdma begin 20000000 16777216
no_conn_left
on server app_end iperf3 TERM
on server by_rdma begin 16777216 20000000
on server no_conn_left
finish
