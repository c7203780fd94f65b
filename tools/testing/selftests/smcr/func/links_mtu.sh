#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A further link over a path that loses long packets gets a shorter MTU
# rfc: 3.5.5.1, 4.6, A.3.2
# nics: 2
# timeout: 180
# The path between the second adapters loses long RoCE packets. No first contact
# proves it, so the first large write ends its link, and the connections go on
# over the other one. The next link has a smaller MTU, until one fits.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# retries_soon: a lost link is replaced after a moment
retries_soon() {
	sysctl_for_now net.smcr.link_retry_min_ms $((300 * SLOW))
	sysctl_for_now net.smcr.link_retry_max_ms $((600 * SLOW))
	sysctl_for_now net.smcr.negative_ms 600000
}

# mtu_of NIC: print the MTU of this host's link over an adapter
mtu_of() {
	smcr-ctl -j link show state active | tr -d ' \n' |
		grep -o "\"device\":\"rxe$1\"[^}]*\"mtu\":[0-9]*" |
		sed 's/.*://'
}

# loses FROM TO: lose long RoCE packets on this path
loses() {
	check "RoCE packets above 700 bytes from $1 are lost" \
		wire fault "$1" "$2" longer 700 only roce
}

has_second() {
	[ -n "$(mtu_of 1)" ]
}

# streams: send on 8 connections, which both links carry
streams() {
	timeout $((60 * PATIENCE)) "$IO" "$kind" "$SERVER" "$PORT" many -n 8 \
		-u 200k -d 200k >"$tmp/streams" 2>&1 && return
	sed 's/^/# /' "$tmp/streams"
	: >"$tmp/streams.failed"
	return 1
}

# fits: true if the link over the second adapters has an MTU that passes
fits() {
	streams
	[ "$(mtu_of 1)" = 512 ]
}

listed() {
	smcr-ctl -j negative show | tr -d ' ' |
		grep -q '"kind":"mtu".*"mtu":512[,}]'
}

client_leads

both retries_soon
undo_later wire clear
loses server1 client1
loses client1 server1
# TCP, which uses the first adapters, is not concerned
on server serve tcp4 "$SERVER"
io_check "streams over TCP" tcp4 "$SERVER" many -n 8 -u 200k -d 200k
io_check "end of the server" tcp4 "$SERVER" quit
on server served
both save begin
on server serve $kind "$SERVER"
io_check "a first contact over the first adapters" $kind "$SERVER" seq -n 1
wait_until "the second adapters have a link" has_second
check "the link over the first adapters has the whole MTU" \
	test "$(mtu_of 0)" = 4096
DEADLINE=$((60 * PATIENCE)) wait_until \
	"the link over the second adapters gets an MTU that passes" fits
check_not "no connection has failed" test -e "$tmp/streams.failed"
listed_here=0
! listed || listed_here=1
! on server listed || listed_here=1
check "it is listed where long packets were lost" test $listed_here = 1
both grew begin Aborts -eq 0
both no_fallback begin
check "the link over the first adapters has the whole MTU" \
	test "$(mtu_of 0)" = 4096
both save stays
check "streams over both links" streams
check "the MTU stays" test "$(mtu_of 1)" = 512
both grew stays LinksFailed -eq 0
both by_rdma stays 1600000 1600000
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
