#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unmodified redis uses RDMA under net.smcr.transparent
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
on server redis_begin "$SERVER"
redis_requests "$SERVER" 2000
by_rdma begin 12000000 12000000
check "end of the server" redis_do "$SERVER" shutdown nosave
no_conn_left
check "redis-server exits with status 0" on server app_ended redis-server
on server by_rdma begin 12000000 12000000
on server no_conn_left
finish
