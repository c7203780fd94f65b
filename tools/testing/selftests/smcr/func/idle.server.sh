#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of idle.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
sysctl_for_now net.smcr.close_timeout_ms 1000
save begin
serve $kind "$SERVER"
together ready
served
grew begin Aborts -eq 0
no_conn_left
together end
finish
