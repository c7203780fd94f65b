#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A connection may be idle for longer than any timer of a close
# kernel: turns more
# nics: 1
# Only a close starts the timers of a close.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
client_leads

both sysctl_for_now net.smcr.close_timeout_ms 1000
both save begin
on server serve $kind "$SERVER"
hold $kind "$SERVER" 3
# The test is that nothing happens during this time.
sleep 4
released "connections carry their bytes after 4 s of idleness"
io_check "end of the server" $kind "$SERVER" quit
on server served
both grew begin Aborts -eq 0
by_rdma begin 3 3
both no_conn_left
finish
