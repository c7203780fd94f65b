#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Groups whose adapter takes long to end them do not stop the LLC of others
# nics: 1
# timeout: 150
# The server's workqueues run 4 items at once. More groups than that end there,
# and the adapter does not change the state of their queue pairs. Meanwhile
# another group answers TEST LINK, makes RMBs and takes new connections.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/link_lib.sh
. "$(dirname "$0")/lib/link_lib.sh"

kind=smcr4
dead=6
addresses $kind

# groups: print the numbers of this host's groups, the oldest first
groups() {
	smcr-ctl linkgroup | sed -n 's/^linkgroup \([0-9]*\) .*/\1/p' | sort -n
}

# groups_are N: true if this host has N groups
groups_are() {
	[ "$(groups | wc -l)" = "$1" ]
}

# end_all_but_first: end the groups, which the adapter holds up
end_all_but_first() {
	local num

	echo "hold 6 99" >/proc/qpstep
	for num in $(groups | tail -n +2); do
		smcr-ctl linkgroup terminate "$num" || return
	done
}

# waiting: true if at least 4 queue pairs wait for their change of state
waiting() {
	[ "$(value held /proc/qpstep)" -ge 4 ]
}

# let_go: the adapter works again
let_go() {
	echo go >/proc/qpstep
}

client_leads

both undo_later patient
# A group that exists looks at the interval only after the old one
both sysctl -qw net.smcr.test_link_interval_ms=$((500 * SLOW))
on server undo_later rmmod qpstep
on server check "the adapter can be slow" insmod /share/qpstep.ko
on server undo_later rmmod wqsize
on server check "workqueues are small" insmod /share/wqsize.ko max=4
on server serve $kind "$SERVER" -a
io_check "a first contact" $kind "$SERVER" seq -n 1
for ((i = 0; i < dead; i++)); do
	contact_from "10.9.0.$((100 + i))"
done
on server check "$dead other groups end" end_all_but_first
on server wait_until "their adapter does nothing" waiting
wait_until "they have ended at the client" groups_are 1
both save stuck
both fails_fast
wait_until "the link is tested" grew_to stuck TestLinkSent 3
sysctl_for_now net.smcr.rmem 65536
on server sysctl_for_now net.smcr.rmem 65536
io_check "connections that need RMBs" $kind "$SERVER" many -n 8
both patient
both grew stuck LinksFailed -eq 0
both grew stuck LlcTimeouts -eq 0
both no_fallback stuck
on server check "the adapter has done nothing meanwhile" waiting
on server let_go
on server wait_until "the groups are gone" links_left 1
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
