#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: With TCP_DEFER_ACCEPT, accept() waits for bytes of the client's program
# nics: 1
# timeout: 300
# TCP itself would take the Proposal for them. It does all of the work for a
# client without SMC-R, and for one that the server declines it does none.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

# deferred KIND LIKE: play the script over both; both hosts have saved "begin"
deferred() {
	both addresses "$1"
	on server agent
	same_semantics "$1" "$2" sem/defer.sem
	both no_conn_left
	agent_stop
	on server grew begin AcceptsDeferred -ge 10
}

client_leads

# So that no group is left when there may be none.
both sysctl_for_now net.smcr.lgr_linger_ms 100
for kind in smcr4 inet6; do
	both save begin
	deferred $kind "tcp${kind: -1}"
	grew begin ActiveOpens -ge 12
	both no_fallback begin
done

on server no_group_left
on server sysctl_for_now net.smcr.max_lgrs 0
both save begin
deferred fall4 tcp4
grew begin FallbackPeerDeclined -ge 12
on server grew begin FallbackResourceLimit -ge 12
both grew begin RdmaWrites -eq 0
finish
