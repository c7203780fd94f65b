#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A test can leave another network than it has found
# nics: 3
# no-smcr: both
# The first of two tests in one pair, for prove.sh: it stores the addresses,
# routes and settings of both hosts, and changes them. prove_same.sh is the
# second one.
# shellcheck source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=prove_network.sh
. "$FUNC_DIR/../vm/prove_network.sh"

# shellcheck disable=SC2317 # called by both
spoil() {
	# The routes of the first card are now behind those of the second.
	ip link set eth0 down && ip link set eth0 up &&
		ip addr del "$(address4 eth2)" dev eth2 &&
		ip link set eth2 mtu 1400 && ip link set eth2 down &&
		sysctl -qw net.ipv4.tcp_syn_retries=1 \
			net.ipv4.ip_local_port_range="40000 40000"
}

client_leads

both store
both wait_until "the network is as it was stored" same
both check "a test takes network cards down" spoil
both check_not "the network is another one" same
finish
