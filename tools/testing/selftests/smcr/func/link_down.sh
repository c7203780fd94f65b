#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: If the only link fails, connections get an errno and all is freed
# rfc: 4.5.3, 4.8.3, C.7.1
# nics: 1
# The only link fails: each connection gets an errno and everything is freed,
# whether or not there was data to send. Idle connections outlive a port that is
# down for a moment. A silent path is noticed by a test of the idle link, at the
# test's deadline.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# serve_by_dev: start the server, whose only port is on $dev
serve_by_dev() {
	dev=$(netdev_of "$SERVER")
	sysctl_for_now "net.ipv6.conf.$dev.keep_addr_on_down" 1
	# Only the failure of the port might cause a test of an idle link, not
	# the test interval.
	sysctl_for_now net.smcr.test_link_interval_ms 0
	undo_later ip link set "$dev" up
	save begin
	serve "$kind" "$SERVER"
}

# goes_down NAME: take $dev down; no connection may outlive the link
goes_down() {
	check "$dev goes down" ip link set "$dev" down
	no_conn_left
	grew "$1" LinksFailed -ge 1
}

comes_up() {
	check "$dev comes up" ip link set "$dev" up
}

# blinks: $dev is down for 5 s. That is longer than queue pairs retry, and than
# a TEST LINK may take.
blinks() {
	check "$dev goes down" ip link set "$dev" down
	sleep 5
	comes_up
}

down_under_streams() {
	wait_until "the streams run" grew_to begin RxBytes 2000000
	goes_down begin
}

client_leads

on server sysctl_for_now net.smcr.lgr_linger_ms 500
on server serve_by_dev
save begin
start server down_under_streams
begin=$SECONDS
IO_TIMEOUT=60 io_check "20 streams end when the other host's port goes down" \
	$kind "$SERVER" flood -n 20
echo "# after $((SECONDS - begin)) s"
grew begin RxBytes -ge 2000000
grew begin LinksFailed -ge 1
no_conn_left
join server
on server comes_up
save again
wait_until "the server answers again" io $kind "$SERVER" seq -n 1
io_check "a new link group carries a stream" $kind "$SERVER" stream -H
grew again FirstContacts -ge 1
grew again RdmaWrites -gt 0
sysctl_for_now net.smcr.test_link_interval_ms 0
both save idle
hold $kind "$SERVER" 3
on server blinks
released "idle connections outlive a port that was down for 5 s"
both grew idle LinksFailed -eq 0
both grew idle Aborts -eq 0
both grew idle TestLinkSent -eq 0
both no_fallback idle
no_group_left
# The queue pair of the next link retries for half a minute.
sysctl -qw net.smcr.test_link_interval_ms=$((2000 * SLOW))
check "QPs are patient" patient_qps
wait_until "the server answers again" io $kind "$SERVER" seq -n 1
save silent
hold $kind "$SERVER" 3 -a
no_fallback silent
undo_later wire clear
check "RoCE is cut" wire fault '*' '*' cut 1 only roce
check "a test has a deadline of 1 s" sysctl -qw net.smcr.llc_timeout_ms=1000
wait_until "the link fails" grew_to silent LinksFailed 1
grew silent TestLinkSent -ge 1
grew silent LlcTimeouts -eq 1
check "RoCE is back" wire clear
calm_timers
released "connections of a silent link end with an errno"
no_conn_left
wait_until "the server answers again" io $kind "$SERVER" seq -n 1
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
