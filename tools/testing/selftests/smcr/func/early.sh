#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: turns more
# nics: 1
# Options that a program sets before it connects or listens are for its bytes:
# none keeps a handshake from RDMA, or makes it wait, and all have effect later.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

addresses smcr4
together ready
save begin
while read -r verdict fact; do
	check "$fact" test "$verdict" = good
done < <(timeout $((100 * SLOW)) ./early.py talk "$SERVER" 7700)
talks=$((12 * 3 * 3))
grew begin ActiveOpens -eq $talks
by_rdma begin $((talks * 4096)) $((talks * 4096))
check "SO_RCVLOWAT is kept by connections that fall back" \
	timeout $((60 * SLOW)) ./early.py lowat
no_conn_left
together end
finish
