#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: Random calls of several threads on the same sockets end and leak nothing
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

own4=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')

sysctl_for_now net.smcr.loopback 1
# Shorten the waits for a peer that is gone.
sysctl_for_now net.smcr.close_timeout_ms 3000
sysctl_for_now net.smcr.orphan_timeout_ms 3000
sysctl_for_now net.smcr.abort_timeout_ms 1000
# A program that exits during a handshake looks like a destination that fails.
sysctl_for_now net.smcr.negative_ms 0

save begin
for seed in 1 "$RANDOM"; do
	check "random calls, seed $seed" \
		timeout $((60 * PATIENCE)) "$FUNC_DIR/races/races" "$own4" 10 "$seed"
done
grew begin HandshakesDone -gt 0
grew begin Fallbacks -gt 0
no_conn_left
finish
