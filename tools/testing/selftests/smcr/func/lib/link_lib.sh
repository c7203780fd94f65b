#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests in which the path of one adapter is cut.

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
