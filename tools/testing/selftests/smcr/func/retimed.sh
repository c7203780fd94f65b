#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A new value of a time counts for a group that waits for the old one
# rfc: 4.5.3
# nics: 1
# The work of a group sleeps until something is due. A new value of a time that
# it waits for wakes it; otherwise the value would count an hour later, or never
# for a group that waits for nothing.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind

# far: set times that are longer than this test
far() {
	sysctl_for_now net.smcr.test_link_interval_ms 0
	sysctl_for_now net.smcr.rmb_linger_ms 3600000
	sysctl_for_now net.smcr.lgr_linger_ms 3600000
	save begin
}

# now NAME: make this time short
now() {
	check "$1 is short" sysctl -qw "net.smcr.$1=300"
}

# rmbs_kept: check that this host keeps RMBs that it made for the connections
rmbs_kept() {
	grew begin RmbsCreated -ge 2
	grew begin RmbsFreed -eq 0
}

client_leads

both far
on server crowd_serve $kind "$SERVER"
crowd_begin $kind "$SERVER"
crowd_is "30 connections are open" 30 open 30
crowd_is "their bytes are right" 30 all 5000
crowd_is "all but one are closed" 1 close 29
both wait_until "elements of RMBs are free again" \
	grew_to begin ConnsClosed 29

both rmbs_kept
for host in client server; do
	on $host now rmb_linger_ms
	on $host wait_until "an RMB is deleted" \
		grew_to begin DeleteRkeySent 1
	on $host grew begin LinkGroupsFreed -eq 0
done

for host in client server; do
	on $host save idle
	on $host now test_link_interval_ms
	on $host wait_until "the link is tested" \
		grew_to idle TestLinkSent 1
	on $host check "no link is tested" \
		sysctl -qw net.smcr.test_link_interval_ms=0
done
crowd_is "the last connection carries its bytes" 1 all 60000
crowd_end
on server crowd_served

both no_conn_left
both grew begin LinkGroupsFreed -eq 0
on server now lgr_linger_ms
both no_group_left
both grew begin Aborts -eq 0
both grew begin LinkGroups -eq 1
both no_fallback begin
finish
