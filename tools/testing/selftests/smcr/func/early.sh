#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Options set before connect or listen do not delay or prevent RDMA
# nics: 1
# Options that a program sets before it connects or listens apply to its own
# bytes: none prevents or delays the handshake, and all take effect after it.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

addresses smcr4

client_leads

both save begin
on server program early ./early.py serve "$SERVER" 7700
while read -r verdict fact; do
	check "$fact" test "$verdict" = good
done < <(timeout $((100 * PATIENCE)) ./early.py talk "$SERVER" 7700)
wait $!
check "the client exits with status 0" exits $?
talks=$((13 * 3 * 3))
grew begin ActiveOpens -eq $talks
both by_rdma begin $((talks * 4096)) $((talks * 4096))
check "SO_RCVLOWAT is kept by connections that fall back" \
	timeout $((60 * PATIENCE)) ./early.py lowat
both no_conn_left
finish
