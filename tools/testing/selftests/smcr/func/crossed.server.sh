#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of crossed.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

kind=smcr4
addresses $kind
sysctl_for_now net.smcr.negative_ms 0
save begin
serve $kind "$SERVER"
./lowat.py serve "$SERVER" 7603 >"$tmp/lowat" &
jobs_started+=($!)
wait_until "another program listens" grep -q serving "$tmp/lowat"
together ready
served
grew begin CrossedDeclines -ge 3
no_conn_left
together end
finish
