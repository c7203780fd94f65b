#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A second adapter that can do less, or nothing, costs no connection
# rfc: 2.1, 3.5.1.6
# nics: 2
# timeout: 180
# The client's second adapter registers 128 pages, the first one 512. A group
# that grows while the second one is down has RMBs for both. A second adapter
# that comes later, when the group has larger RMBs, gets no link, and the log
# says why. A server whose second adapter cannot carry a link at all forms groups
# of one link.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/link_lib.sh
. "$(dirname "$0")/lib/link_lib.sh"

kind=smcr4
addresses $kind

# small_adapter: create the second adapter with small memory regions
small_adapter() {
	echo mr 128 >/proc/devcap
	rdma link add rxe1 type rxe netdev eth1
	echo mr -1 >/proc/devcap
}

# unfit_adapter: create the second adapter with queues that are too short
unfit_adapter() {
	rdma link delete rxe1
	echo wr 64 >/proc/devcap
	rdma link add rxe1 type rxe netdev eth1
	echo wr -1 >/proc/devcap
}

# link_over RXE: true if a link uses this adapter
link_over() {
	smcr-ctl -j link show | grep -q "\"device\": *\"$1\""
}

said_why() {
	dmesg | grep -q 'rxe1: a memory region has at most 128 pages'
}

client_leads

both sysctl_for_now net.smcr.negative_ms 0
on server sysctl_for_now net.smcr.lgr_linger_ms 200
undo_later rdma link add rxe1 type rxe netdev eth1
undo_later rmmod devcap
undo_later rdma link delete rxe1
check "an adapter's limits can be lowered" insmod /share/devcap.ko
check "the second adapter is deleted" rdma link delete rxe1
check "it comes back with small memory regions" small_adapter
undo_later ip link set eth1 up
check "its port is down" ip link set eth1 down

# More connections than the first RMB has elements
on server serve $kind "$SERVER" -a
save grown
hold $kind "$SERVER" 20
grew grown FirstContacts -eq 1
check "its port comes up" ip link set eth1 up
wait_until "the group gets a link over the small adapter" link_over rxe1
released "the connections of the group with both adapters work"
no_fallback grown
no_conn_left
no_group_left

check "the second adapter is deleted again" rdma link delete rxe1
save later
hold $kind "$SERVER" 20
dmesg -C
check "a small adapter comes" small_adapter
wait_until "the log says why it has no link" said_why
check_not "the group has no link over it" link_over rxe1
released "the connections of the group with one adapter work"
grew later LinksFailed -eq 0
no_fallback later
both no_conn_left
both no_group_left

# No port of the client is spare, either, so that the first adapter carries all.
check "the client has one port" ip link set eth1 down
on server undo_later rdma link add rxe1 type rxe netdev eth1
on server undo_later rmmod devcap
on server undo_later rdma link delete rxe1
on server check "the server's adapters can be limited" insmod /share/devcap.ko
on server check "its second one is unfit" unfit_adapter
both save unfit
hold $kind "$SERVER" 2
both check "the group has one link" has_links 1
io_check "a stream" $kind "$SERVER" stream -u 256k -d 256k -H
released "the connections work"
both grew unfit FirstContacts -eq 1
both grew unfit SubsequentContacts -eq 2
both grew unfit LinksAdded -eq 0
both grew unfit Aborts -eq 0
grew unfit RdmaWrites -gt 0
both no_fallback unfit
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
