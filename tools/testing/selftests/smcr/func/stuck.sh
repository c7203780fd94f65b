#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Groups whose adapter takes long to end them do not hold up others
# nics: 2
# timeout: 240
# The server's workqueues run 4 items at once. More groups than that end there,
# and the adapter does not change the state of their queue pairs, or later does
# not release their memory. Meanwhile another group answers TEST LINK, makes
# RMBs, takes new connections, gets a second link, and another one in its place.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/link_lib.sh
. "$(dirname "$0")/lib/link_lib.sh"

kind=smcr4
dead=6
params=/sys/module/slowmr/parameters
addresses $kind

# groups: print the numbers of this host's groups, the oldest first
groups() {
	smcr-ctl linkgroup | sed -n 's/^linkgroup \([0-9]*\) .*/\1/p' | sort -n
}

# groups_are N: true if this host has N groups
groups_are() {
	[ "$(groups | wc -l)" = "$1" ]
}

# end_all_but_first: end all groups but the oldest
end_all_but_first() {
	local num

	for num in $(groups | tail -n +2); do
		smcr-ctl linkgroup terminate "$num" || return
	done
}

# releasing N: true if at least N memory regions wait for their release
releasing() {
	[ "$(cat "$params/freeing")" -ge "$1" ]
}

# release_ms N: the release of a region takes so long on this host
release_ms() {
	echo "$1" >"$params/free_ms"
}

# delete_second: delete this host's link over the second adapter
delete_second() {
	smcr-ctl link del "$(smcr-ctl link show state active device rxe1/1 |
		sed -n 's/.* link \([0-9]*\) .*/\1/p')"
}

# hold_errors: queue pairs do not change to the error state
hold_errors() {
	echo "hold 6 99" >/proc/qpstep
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

both undo_later ip link set eth1 up
both check "one port is up" ip link set eth1 down
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
on server check "queue pairs will not change their state" hold_errors
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

# Their memory. RMBs of another size have to be made for the last connections.
for ((i = 0; i < dead; i++)); do
	contact_from "10.9.0.$((200 + i))"
done
on server undo_later rmmod slowmr
on server check "the release of memory can be slow" insmod /share/slowmr.ko
on server undo_later release_ms 0
on server check "it takes ten minutes" release_ms 600000
on server check "$dead other groups end" end_all_but_first
on server wait_until "the adapter releases their memory" releasing 4
wait_until "they have ended at the client" groups_are 1
both save memory
hold $kind "$SERVER" 2
both sysctl_for_now net.smcr.rmem 32768
io_check "connections that need RMBs" $kind "$SERVER" many -n 8
both check "the second port is up" ip link set eth1 up
both wait_until "there are two links" has_links 2
both wait_until "they end at two ports" local_ports 2
both grew memory LlcTimeouts -eq 0
both save second
on server check "the second link is deleted" delete_second
both wait_until "there is another one" grew_to second LinksAdded 1
both wait_until "they end at two ports again" local_ports 2
both grew second LlcTimeouts -eq 0
released "the connections go on"
both grew memory Aborts -eq 0
both no_fallback memory
on server check "the adapter has released nothing meanwhile" releasing $dead
on server release_ms 0
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
