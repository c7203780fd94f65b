#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of early.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

addresses smcr4
save begin
./early.py serve "$SERVER" 7700 >"$tmp/early" &
jobs_started+=($!)
wait_until "another program listens" grep -q serving "$tmp/early"
together ready
together end
by_rdma begin 442368 442368
no_conn_left
finish
