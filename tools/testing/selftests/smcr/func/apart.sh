#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A port on a network of its own neither delays a first contact nor is tried for ever
# rfc: 3.5.1.6, C.8
# nics: 2
# rails: yes
# timeout: 150
# NIC n of both hosts is on a segment and in a subnet of its own. While the
# client has one adapter, the server's second port reaches nothing. The first
# contact leaves it out; after that the server tries it a few times, or not at
# all if the PNET table puts it into another network. With a second adapter at
# the client there are two links.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/link_lib.sh
. "$(dirname "$0")/lib/link_lib.sh"

kind=smcr4
addresses $kind

# with_two: have the second Soft-RoCE device
with_two() {
	rdma link show rxe1/1 >/dev/null 2>&1 ||
		rdma link add rxe1 type rxe netdev eth1
}

# hurry: try links again soon
hurry() {
	sysctl_for_now net.smcr.link_retry_min_ms 100
	sysctl_for_now net.smcr.link_retry_max_ms 200
}

# seldom: offer a link again ten minutes after a refusal, as by default
seldom() {
	sysctl_for_now net.smcr.link_retry_max_ms 60000
}

# group_anew: end the group, so that the next connection makes a first contact
group_anew() {
	smcr-ctl linkgroup terminate "$(smcr-ctl linkgroup |
		sed 's/linkgroup \([0-9]*\) .*/\1/')"
	no_group_left
}

# has_address: this host has one more address, and a GID of it
has_address() {
	undo_later ip addr del 10.9.0.77/24 dev eth0
	check "eth0 has one more address" ip addr add 10.9.0.77/24 dev eth0
	wait_until "it has a GID" grep -qs "ffff:0a09:004d" \
		/sys/class/infiniband/rxe0/ports/1/gids/*
}

client_leads

both sysctl_for_now net.smcr.negative_ms 0
both hurry
both undo_later patient
both fails_fast
undo_later with_two
check "rxe1 is deleted" rdma link delete rxe1
on server serve $kind "$SERVER" -a

both save first
io_check "a first contact" $kind "$SERVER" seq -n 1
both no_fallback first
# A client with one adapter agrees to a link with another port of the server.
both grew first AddLinkRefused -ge 1
both grew first FirstContacts -eq 1
on server wait_until "the server has given the other port up" \
	grew_to first AddLinkGivenUp 1
# It offers its first port now, and is refused. One such offer may still be due.
on server seldom
both save given_up
io_check "some more connections" $kind "$SERVER" seq -n 30
on server grew given_up AddLinkSent -le 1
io_check "a stream" $kind "$SERVER" stream -u 4m -d 4m
on server grew given_up AddLinkSent -le 1
both check "the group has one link" has_links 1
group_anew

on server undo_later smcr-ctl pnet flush
on server check "the other port is on another network" \
	smcr-ctl pnet add storage device rxe1/1
both save table
io_check "a first contact" $kind "$SERVER" seq -n 30
on server grew table AddLinkSent -eq 1
both grew table AddLinkRefused -eq 1
# The group uses the port of the new address.
on server has_address
io_check "more connections" $kind "$SERVER" seq -n 30
on server grew table AddLinkSent -eq 1
both no_fallback table
on server check "the table is empty" smcr-ctl pnet flush
group_anew

check "rxe1 is added" with_two
both save rails
io_check "a first contact" $kind "$SERVER" seq -n 1
both wait_until "there are two links" has_links 2
both grew rails LinksAdded -eq 1
both grew rails LinksFailed -eq 0
both grew rails BadLlc -eq 0
both no_fallback rails
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
