#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: RMBs are confirmed and deleted while their group lives on
# kernel: turns bounds
# nics: 1
# RMBs come and go with the connections: CONFIRM RKEY for each after the first,
# DELETE RKEY when nobody has used one for a while, in a group that lives on.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"
# shellcheck source=lib/rkeys_lib.sh
. "$(dirname "$0")/lib/rkeys_lib.sh"

kind=smcr4
addresses $kind
sysctl_for_now net.smcr.rmb_linger_ms 300
together ready
crowd_begin $kind "$SERVER"
for round in first second; do
	save $round
	crowd_is "$round: 30 connections" 30 open "$((30 - ${number:-0}))"
	crowd_is "$round: and right" 30 all 5000
	together $round.open
	rmbs_made $round
	together $round.close
	crowd_is "$round: all but one are closed" 1 close 29
	rmbs_gone $round
	together $round.gone
	crowd_is "$round: the last one has what it needs" 1 all 60000
	number=1
	grew $round LinkGroupsFreed -eq 0
	grew $round Aborts -eq 0
	no_fallback $round
done
crowd_end
no_conn_left
together end
finish
