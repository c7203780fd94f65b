#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A connection may be idle for longer than any timer of a close
# kernel: turns more
# nics: 1
# A connection may be idle for longer than any timer of a close: nothing but a
# close starts those.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
sysctl_for_now net.smcr.close_timeout_ms 1000
together ready
save begin
hold $kind "$SERVER" 3
# Not to wait for something: the time itself is the test.
sleep 4
released "connections carry their bytes after 4 s of idleness"
io_check "end of the server" $kind "$SERVER" quit
grew begin Aborts -eq 0
by_rdma begin 3 3
no_conn_left
together end
finish
