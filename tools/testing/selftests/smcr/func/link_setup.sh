#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Late or failed queue pair transitions drain and destroy nothing live
# nics: 1
# timeout: 120
# State changes of a queue pair fail or are delayed: a queue pair that never
# worked is not drained, none is destroyed during a change, and the queue pair
# keeps the GID that the peer was given.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
gids=/sys/class/infiniband/rxe0/ports/1/gids
addresses $kind

# step WORDS: send a command to ../mod/qpstep.c
step() {
	echo "$*" >/proc/qpstep
}

# step_is NAME VALUE: true if qpstep shows that value; for wait_until and check
step_is() {
	[ "$(value "$1" /proc/qpstep)" = "$2" ]
}

# gid_index HEX: print the table index of the GID of an IPv4 address
gid_index() {
	grep -ls "ffff:$1\$" $gids/* 2>/dev/null | sed 's,.*/,,' | head -n 1
}

has_gid() {
	[ -n "$(gid_index "$1")" ]
}

has_no_gid() {
	! has_gid "$1"
}

# contact: start one connection in the background, as $contact_pid
contact() {
	io $kind "$SERVER" seq -n 1 >"$tmp/contact" 2>&1 &
	contact_pid=$!
	jobs_started+=("$contact_pid")
}

client_leads

both sysctl_for_now net.smcr.negative_ms 0
on server sysctl_for_now net.smcr.lgr_linger_ms 200
on server serve $kind "$SERVER" -a
undo_later rmmod qpstep
check "state changes of queue pairs can be delayed" insmod /share/qpstep.ko

save reset
step fail 1 1
io_check "a queue pair stays in RESET: the connection is TCP" \
	$kind "$SERVER" seq -n 1
check "one change failed" step_is failed 1
grew reset FallbackQp -eq 1
grew reset Links -eq 1
wait_until "its link is freed" links_gone

save error
step fail 6 1
io_check "a connection" $kind "$SERVER" seq -n 1
no_fallback error
wait_until "its group ends, and the link is freed" links_gone
check "the change to the error state failed" step_is failed 2

ip addr add 10.9.0.72/24 dev eth0
undo_later ip addr del 10.9.0.72/24 dev eth0
wait_until "an address has a GID" has_gid 0a09:0048
old=$(gid_index 0a09:0048)
ip route add "$SERVER/32" dev eth0 src 10.9.0.72
step hold 2
contact
wait_until "the change to RTR waits" step_is held 1
ip addr del 10.9.0.72/24 dev eth0
wait_until "the address and its GID are gone" has_no_gid 0a09:0048
ip addr add 10.9.0.73/24 dev eth0
undo_later ip addr del 10.9.0.73/24 dev eth0
wait_until "another address has a GID" has_gid 0a09:0049
check_not "its table index is not $old" \
	test "$(gid_index 0a09:0049)" = "$old"
# The device sends nothing from a GID that is gone, so TCP carries the
# connection.
ip addr add 10.9.0.72/24 dev eth0
step go
wait "$contact_pid"
check "the connection that waited works" exits $?
sed 's/^/# /' "$tmp/contact"
ip route del "$SERVER/32" 2>/dev/null
wait_until "its link is freed" links_gone

step hold 2
contact
wait_until "the change to RTR waits" step_is held 1
rdma link delete rxe0 &
delete_pid=$!
undo_later rdma link add rxe0 type rxe netdev eth0
wait_until "the end of the group waits for the change" \
	grep -qs smcr_link_drain /proc/[0-9]*/stack
check "nothing is destroyed during the change" step_is destroyed 0
step go
wait "$delete_pid"
check "the device is removed" exits $?
wait "$contact_pid"
check "the connection falls back or is reset" \
	test $? -eq 0 -o -s "$tmp/contact"
sed 's/^/# /' "$tmp/contact"
wait_until "the link is freed" links_gone
undo_now
save again
wait_until "RDMA is back" io $kind "$SERVER" stream -u 100k
grew again RdmaWrites -gt 0
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
