#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The host under test of hostile_clc_server.sh.
# shellcheck source-path=SCRIPTDIR source=lib/hostile_lib.sh
. "$(dirname "$0")/lib/hostile_lib.sh"

# Two IPv6 prefixes, with two addresses in each
dev=$(netdev_of "$SERVER4")
for addr in fd09::1:1/64 fd0a::1/64 fd0a::2/64; do
	undo_later ip addr del $addr dev "$dev"
	check "another address" ip addr add $addr dev "$dev" nodad
done
hostile_agent
together ready
hostile_agent_ended
no_conn_left
together end
finish
