# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What prove_spoil.sh and prove_same.sh share: the addresses of this host, its
# routes in their order, which decides from where it connects, and settings.
# shellcheck disable=SC2154 # what lib.sh sets

stored=$SHARED/network.${BED_HOST:-}

address4() {
	ip -o -4 addr show dev "$1" | awk '{ print $4 }'
}

network() {
	ip -o addr show scope global | awk '{ print $2, $4 }' | sort
	ip -o link show | sed -n 's/.*: \(eth[0-9]*\): .* \(mtu [0-9]*\) .*/\1 \2/p'
	ip route show
	ip -6 route show to root fd09::/64
	sysctl net.ipv4.tcp_syn_retries net.ipv4.ip_local_port_range
}

# store: keep the network of this host for the next test
store() {
	network >"$stored"
}

# same: true if the network of this host is as it was stored
same() {
	network | diff "$stored" - >"$tmp/network"
}

# show: print the difference
show() {
	sed 's/^/# /' "$tmp/network"
}
