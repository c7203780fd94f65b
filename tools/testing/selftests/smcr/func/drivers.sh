#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Links end on adapters that refuse a drain, are dead or lose completions
# nics: 1
# cpus: 2
# timeout: 240
# Adapters with other manners than Soft-RoCE: they take no request in the error
# state, or raise one event at the end of a drain while the poller is about to
# end, and have drain functions that do not return, or take long to arm a
# completion queue that is being destroyed, or report an error of the completion
# queue. Links are freed all the same, in use and idle, and new ones work.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
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
		[broken]=$(value broken /proc/verbs))
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

io_check "the adapter is Soft-RoCE again" $kind "$SERVER" seq -n 5
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
