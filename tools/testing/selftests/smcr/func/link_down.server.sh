#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of link_down.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
dev=$(netdev_of "$SERVER")
sysctl_for_now "net.ipv6.conf.$dev.keep_addr_on_down" 1
# An idle link is tested because its port went down, not because it is time.
sysctl_for_now net.smcr.test_link_interval_ms 0
save begin
serve $kind "$SERVER"
together ready
wait_until "the streams run" grew_to begin RxBytes 2000000
undo_later ip link set "$dev" up
check "$dev goes down" ip link set "$dev" down
no_conn_left
grew begin LinksFailed -ge 1
together down
check "$dev comes up" ip link set "$dev" up
together up
together idle
save idle
check "$dev goes down again" ip link set "$dev" down
no_conn_left
grew idle LinksFailed -ge 1
check "$dev comes up again" ip link set "$dev" up
together over
served
no_conn_left
together end
finish
