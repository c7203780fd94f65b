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

# each NAME: test each option, set by one side or by both
each() {
	local verdict fact

	while read -r verdict fact; do
		check "$1: $fact" test "$verdict" = good
	done < <(timeout $((100 * PATIENCE)) ./early.py talk "$SERVER" 7700)
	wait $!
	check "$1: the client exits with status 0" exits $?
}

client_leads

talks=$((13 * 3 * 3))
on server program early ./early.py serve "$SERVER" 7700
# A Decline comes after a Proposal, so there are messages of the handshake, too.
limit=$(on server sysctl -n net.smcr.max_rmb_bytes)
on server sysctl_for_now net.smcr.max_rmb_bytes 1
both save declined
each "a fallback"
by_tcp declined PeerDeclined $talks
on server by_tcp declined ResourceLimit $talks
on server check "the server has RMBs" sysctl -qw "net.smcr.max_rmb_bytes=$limit"
both save begin
each RDMA
grew begin ActiveOpens -eq $talks
both by_rdma begin $((talks * 4096)) $((talks * 4096))
check "SO_RCVLOWAT is kept by connections that fall back" \
	timeout $((60 * PATIENCE)) ./early.py lowat
both no_conn_left
finish
