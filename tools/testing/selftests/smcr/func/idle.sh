#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A connection may be idle for longer than any timer of a close
# nics: 1
# The timers of a close start with the close.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
client_leads

both sysctl_for_now net.smcr.close_timeout_ms 1000
both save begin
on server serve $kind "$SERVER"
hold $kind "$SERVER" 3
# Nothing may happen during this time.
sleep 4
released "connections carry their bytes after 4 s without traffic"
io_check "end of the server" $kind "$SERVER" quit
on server served
both grew begin Aborts -eq 0
by_rdma begin 3 3
both no_conn_left
finish
