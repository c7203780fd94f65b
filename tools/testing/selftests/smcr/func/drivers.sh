#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Links end on adapters that do not drain, destroy or report completions
# nics: 1
# cpus: 2
# timeout: 360
# Adapters with other manners than Soft-RoCE: they take no request in the error
# state, or raise one event at the end of a drain while the poller is about to
# end, and have drain functions that do not return, or take long to arm a
# completion queue that is being destroyed, or report an error of the completion
# queue. Links are freed all the same, in use and idle, and new ones work. The
# same holds if they do not destroy queue pairs or memory regions: what they keep
# goes when the adapter is removed, and the module cannot be unloaded before.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
module=${SMCR_KO:-$SHARED/smcr.ko}
addresses $kind

# adapter NAME VALUE: command ../mod/verbs.c
adapter() {
	echo "$*" >/proc/verbs
}

# met NAME: true if the adapter has met this since it was last asked
met() {
	[ "$(value "$1" /proc/verbs)" -gt "${met[$1]:-0}" ]
}

# remember: "met" counts from here on
declare -A met
remember() {
	met=([refused]=$(value refused /proc/verbs)
		[late]=$(value late /proc/verbs)
		[broken]=$(value broken /proc/verbs)
		[kept]=$(value kept /proc/verbs))
}

# driver_drains: true if a drain function of the adapter was called
driver_drains() {
	[ "$(value drained /proc/verbs)" -gt 0 ]
}

# flows: true if a stream has sent some bytes since "save flow"
flows() {
	[ "$(delta flow TxBytes)" -ge 1000000 ]
}

# ends NAME: links end on both hosts, idle and in use
ends() {
	both save "$1"
	both remember
	io_check "$1: a first contact" $kind "$SERVER" seq -n 3
	both check "$1: the group is ended" end_groups
	both wait_until "$1: the links are gone" links_gone
	both save flow
	io $kind "$SERVER" stream -u 2g -d 2g -a >"$tmp/stream" 2>&1 &
	pid=$!
	jobs_started+=("$pid")
	wait_until "$1: a stream flows" flows
	on server check "$1: its group is ended" end_groups
	wait "$pid"
	both wait_until "$1: its links are gone" links_gone
	both no_fallback "$1"
	both no_conn_left
}

# said_error: true if the log says why a link was lost
said_error() {
	dmesg | grep -q 'device-error.*Check the local adapter'
}

# said_kept: true if the log says what the adapter keeps
said_kept() {
	dmesg | grep -q 'rxe0 does not destroy a .*Reset the adapter'
}

# said_lost: true if the log says that memory is lost
said_lost() {
	dmesg | grep -q 'has not destroyed all objects'
}

# keeps SETTING: links end on adapters that do not destroy all; new links work
keeps() {
	both dmesg -C
	both adapter "$1" 1
	ends "$1"
	both check "$1: objects were not destroyed" met kept
	both grew "$1" DestroysFailed -ge 2
	both check "$1: the log says so" said_kept
	both adapter "$1" 0
	both save again
	io_check "$1: the next connection" $kind "$SERVER" seq -n 3
	both grew again FirstContacts -eq 1
	grew again RdmaWrites -gt 0
	both grew again DestroysFailed -eq 0
	both no_fallback again
	io_check "$1: end of the server" $kind "$SERVER" quit
	on server served
	both no_conn_left
	both check "$1: all groups are ended" end_groups
	both no_group_left
}

unreferenced() {
	[ "$(cat /sys/module/smcr/refcnt)" = 0 ]
}

# load: load smcr as the bed does
load() {
	check "smcr is loaded" insmod "$module"
	calm_timers
	sysctl -qw net.smcr.negative_ms=0
}

# replace NAME: remove the adapter, which destroys what it kept, and add it
# again; unload smcr and load it again
replace() {
	check_not "$1: smcr is not unloaded while objects are kept" rmmod smcr
	check "$1: rxe0 is deleted" rdma link delete rxe0
	check "$1: rxe0 is added" rdma link add rxe0 type rxe netdev eth0
	wait_until "$1: nothing refers to the module" unreferenced
	check "$1: smcr is unloaded" rmmod smcr
	check_not "$1: no memory is lost" said_lost
	load
}

# unload_waits: unload smcr while a link is idle whose queue pair and memory
# regions are not destroyed
unload_waits() {
	local pid

	remember
	adapter keepqp 1
	adapter keepmr 1
	rmmod smcr &
	pid=$!
	jobs_started+=("$pid")
	wait_until "unload: objects are not destroyed" met kept
	check "unload: a network namespace comes and goes" \
		timeout $((20 * PATIENCE)) unshare -n true
	check "unload: rmmod waits" kill -0 $pid
	adapter keepqp 0
	adapter keepmr 0
	wait $pid
	check "unload: smcr is unloaded when all is destroyed" test $? = 0
	check_not "unload: no memory is lost" said_lost
	load
}

client_leads

both sysctl_for_now net.smcr.negative_ms 0
both undo_later rmmod verbs
both check "verbs are replaced" insmod /share/verbs.ko
on server serve $kind "$SERVER" -a

both adapter refuse 1
ends refuse
both check "requests were refused" met refused
both grew refuse LinksUndrained -ge 2
both adapter refuse 0

both adapter dead 1
ends dead
both check "events were late" met late
both check_not "no drain function of the adapter was called" driver_drains
both grew dead LinksUndrained -eq 0
both adapter dead 0

both adapter slowarm 50000
for ((i = 0; i < 3; i++)); do
	ends "slow$i"
done
both adapter slowarm 0

# The server's completion queue breaks under a stream. A drain would wait for a
# completion for longer than links_gone is waited for.
both save cqerr
both remember
on server dmesg -C
both save flow
io $kind "$SERVER" stream -u 2g -d 2g -a >"$tmp/stream" 2>&1 &
pid=$!
jobs_started+=("$pid")
wait_until "cqerr: a stream flows" flows
on server adapter cqerr 1
on server wait_until "cqerr: the completion queue is broken" met broken
on server adapter cqerr 0
on server wait_until "cqerr: its link is gone" links_gone
wait "$pid"
both wait_until "cqerr: both ends of the link are gone" links_gone
on server grew cqerr LinksUndrained -ge 1
on server check "cqerr: the log says that the adapter reports an error" \
	said_error
both no_fallback cqerr
both no_conn_left

keeps keepmr
both replace keepmr
on server serve $kind "$SERVER" -a
keeps keepqp
both replace keepqp

on server serve $kind "$SERVER"
io_check "unload: a link is made" $kind "$SERVER" quit
on server served
both no_conn_left
unload_waits

on server serve $kind "$SERVER"
io_check "the adapter is Soft-RoCE again" $kind "$SERVER" seq -n 5
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
