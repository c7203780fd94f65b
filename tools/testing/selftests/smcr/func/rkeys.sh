#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: RMBs are confirmed and deleted while their group stays
# nics: 1
# RMBs are made and deleted as connections come and go: each RMB after the first
# takes a CONFIRM RKEY, and one that was unused for net.smcr.rmb_linger_ms takes
# a DELETE RKEY. The group stays.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind

# rmbs_made SINCE: check that RMBs were made and confirmed; 30 elements of 128
# KB need more than the RMBs of 4 and 16 elements
rmbs_made() {
	grew "$1" ConfirmRkeySent -ge 2
	grew "$1" RmbsCreated -ge "$(delta "$1" ConfirmRkeySent)"
}

# rmbs_gone SINCE: wait until this host has deleted all RMBs but the first
rmbs_gone() {
	wait_until "only the first RMB is left" one_rmb
	grew "$1" DeleteRkeySent -ge 1
	wait_until "only its memory region is left" one_mr
}

one_rmb() {
	[ "$(value RmbsCreated)" = $(($(value RmbsFreed) + 1)) ]
}

one_mr() {
	[ "$(value MrRegistrations)" = $(($(value MrFrees) + 1)) ]
}

client_leads

both sysctl_for_now net.smcr.rmb_linger_ms 300
on server crowd_serve $kind "$SERVER"
crowd_begin $kind "$SERVER"
for round in first second; do
	both save $round
	crowd_is "$round: 30 connections are open" 30 open \
		"$((30 - ${number:-0}))"
	crowd_is "$round: their bytes are right" 30 all 5000
	both rmbs_made $round
	crowd_is "$round: all but one are closed" 1 close 29
	both rmbs_gone $round
	crowd_is "$round: the last one carries its bytes" 1 all 60000
	number=1
	grew $round LinkGroupsFreed -eq 0
	both grew $round Aborts -eq 0
	no_fallback $round
done
crowd_end
on server crowd_served
no_conn_left
finish
