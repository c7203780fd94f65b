#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unmodified curl and nginx use RDMA under net.smcr.transparent
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
on server nginx_begin "$SERVER"
curl_files "$SERVER"
by_rdma begin 3600 17800000
no_conn_left
on server app_end nginx QUIT
on server by_rdma begin 17800000 3600
on server no_conn_left
finish
