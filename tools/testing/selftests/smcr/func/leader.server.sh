#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of leader.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind
sysctl_for_now net.smcr.lgr_linger_ms 500
undo_later calm_timers
check "deadlines are short" \
	deadlines $((14 + SLOW / 2)) $((2500 * SLOW)) $((4000 * SLOW))
crowd_serve $kind "$SERVER"
together ready
for who in server client; do
	save $who
	if [ $who = server ]; then
		check "the server's handshake comes late" \
			insmod /share/late.ko
	fi
	together $who.late
	together $who.over
	grew $who LinkGroups -eq 1
	[ $who != server ] || grew $who HandshakeTimeouts -eq 1
	grew $who Aborts -le 1
	no_fallback $who
	[ $who != server ] || check "late is unloaded" rmmod late
	together $who.end
done
together end
crowd_served
finish
