#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of fallback_rnic.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

addresses smcr4
without_rnic
save server
serve smcr4 "$SERVER"
together server.ready
served
by_tcp server NoRnic 11
no_conn_left
undo_now
together server.end

save client
agent
together client.ready
agent_ended
grew client FallbackNoOption -gt 100
grew client RdmaWrites -eq 0
no_conn_left
together client.end
finish
