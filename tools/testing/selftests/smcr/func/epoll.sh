#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: One connection works in an epoll loop at both ends, level and edge
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
client_leads

both save begin
on server serve $kind "$SERVER"
io_check "level triggered" $kind "$SERVER" stream -u 8m -d 8m -e
io_check "edge triggered" $kind "$SERVER" stream -u 8m -d 8m -E
io_check "edge triggered, sizes from 1 to 65536" \
	$kind "$SERVER" stream -u 8m -d 8m -E -x 23
io_check "level triggered, one way only" \
	$kind "$SERVER" stream -u 0 -d 4m -e
io_check "end of the server" $kind "$SERVER" quit
on server served
both by_rdma begin 20000000 20000000
both no_conn_left
finish
