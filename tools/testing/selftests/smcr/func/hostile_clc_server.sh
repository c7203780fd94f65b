#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: No hostile CLC server harms a client
# rfc: C.1, C.5, C.6, C.7
# nics: 1
# timeout: 150
# The hostile peer is a TCP server that builds its CLC messages by hand.
# shellcheck source-path=SCRIPTDIR source=lib/hostile_lib.sh
. "$(dirname "$0")/lib/hostile_lib.sh"

# more_addresses: add two IPv6 prefixes, with two addresses in each
more_addresses() {
	local dev addr

	dev=$(netdev_of "$SERVER4")
	for addr in fd09::1:1/64 fd0a::1/64 fd0a::2/64; do
		undo_later ip addr del $addr dev "$dev"
		check "$addr is added" ip addr add $addr dev "$dev" nodad
	done
}

client_leads

on server more_addresses
hostile_peer
hostile_groups server
hostile_over
