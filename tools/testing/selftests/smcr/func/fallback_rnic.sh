#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Without an RNIC on one host, every call works as over TCP
# rfc: 3.5.1.2
# kernel: turns semantics
# nics: 1
# timeout: 400
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

addresses smcr4
together server.ready
save server
io_check "the server has no RNIC" smcr4 "$SERVER" many -n 10 -e
io_check "end of the server" smcr4 "$SERVER" quit
grew server Fallbacks -eq 11
grew server RdmaWrites -eq 0
show_deltas server Fallback
no_conn_left
together server.end

without_rnic
together client.ready
save client
same_semantics fall4 tcp4
grew client FallbackNoRnic -gt 100
grew client RdmaWrites -eq 0
no_conn_left
addresses smcr4
check "end of the agent" "$SEMANTICS" --stop "$SERVER" "$PORT"
together client.end
finish
