#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # what lib.sh and the test set
# For tests of links: the path of one adapter is cut, or a host has many groups.

interval=$(sysctl -n net.smcr.test_link_interval_ms)
timeout=$(sysctl -n net.smcr.llc_timeout_ms)

# dead NIC: no RDMA packet reaches the other host through this NIC
dead() {
	check "RoCE of NIC $1 is cut" \
		wire fault "server$1" "client$1" cut 1 only roce
	check "RoCE of NIC $1 is cut the other way" \
		wire fault "client$1" "server$1" cut 1 only roce
}

# fails_fast: a link that gets no answer fails after about a second. An emulator
# under load is as slow to answer, so this holds only while a path is cut.
fails_fast() {
	sysctl -qw net.smcr.test_link_interval_ms=$((500 * SLOW)) \
		net.smcr.llc_timeout_ms=$((1500 * SLOW))
}

# patient: undo fails_fast
patient() {
	sysctl -qw "net.smcr.test_link_interval_ms=$interval" \
		"net.smcr.llc_timeout_ms=$timeout"
}

# contact_from ADDRESS: make a first contact from a further address of the client
contact_from() {
	undo_later ip addr del "$1/24" dev eth0
	check "the client has address $1" ip addr add "$1/24" dev eth0
	ip route replace "$SERVER/32" dev eth0 src "$1"
	io_check "a first contact from $1" "$kind" "$SERVER" seq -n 1
	ip route del "$SERVER/32" dev eth0
}

# links_left N: true if all links of this host but N are freed
links_left() {
	[ "$(($(value Links) - $(value LinksFreed)))" = "$1" ]
}

# has_links N: this host's groups have N links in use; for wait_until and check
has_links() {
	[ "$(smcr-ctl -j link show state active | grep -o '"gid"' | wc -l)" \
		= "$1" ]
}

# local_ports N: true if the links in use end at N ports of this host
local_ports() {
	[ "$(smcr-ctl -j link show state active |
		grep -oE '"device": *"[a-z0-9]+"' | sort -u | wc -l)" = "$1" ]
}
