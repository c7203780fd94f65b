#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Without an RNIC on one host, every call works as over TCP
# rfc: 3.5.1.2
# nics: 1
# timeout: 400
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

addresses smcr4
client_leads

on server without_rnic
both save server
on server serve smcr4 "$SERVER"
io_check "the server has no RNIC" smcr4 "$SERVER" many -n 10 -e
io_check "end of the server" smcr4 "$SERVER" quit
on server served
grew server Fallbacks -eq 11
grew server RdmaWrites -eq 0
show_deltas server Fallback
on server by_tcp server NoRnic 11
both no_conn_left
on server undo_now

without_rnic
both save client
on server agent
sem_draw tcp4
same_semantics fall4 tcp4 "${sem_scripts[@]}"
grew client FallbackNoRnic -gt "$sem_least"
grew client RdmaWrites -eq 0
no_conn_left
agent_stop
on server grew client FallbackNoOption -gt "$sem_least"
on server grew client RdmaWrites -eq 0
on server no_conn_left
finish
