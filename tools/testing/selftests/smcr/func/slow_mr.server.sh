#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of slow_mr.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind
# Shorter than what the slow adapter takes.
sysctl_for_now net.smcr.lgr_linger_ms 1000
undo_later rmmod slowmr
crowd_serve $kind "$SERVER"
save begin
together ready
together end
crowd_served
grew begin RmbsSmaller -ge 4
no_fallback begin
no_conn_left
finish
