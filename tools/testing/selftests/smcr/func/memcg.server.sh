#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of memcg.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind
crowd_serve $kind "$SERVER"
together ready
save begin
together end
no_conn_left
grew begin Aborts -eq 0
crowd_served
finish
