#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: sendfile and splice work at one end or both
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
client_leads

both save begin
on server serve $kind "$SERVER"
io_check "sendfile, 16 MB each way" \
	$kind "$SERVER" stream -u 16m -d 16m -S sendfile -w 1m -H
io_check "splice from and to pipes" \
	$kind "$SERVER" stream -u 16m -d 16m -S splice -R splice -H
io_check "sendfile in chunks of 1 to 10000 bytes" \
	$kind "$SERVER" stream -u 4m -d 4m -S sendfile -w 10000 -x 3
io_check "sendfile to a slow reader" \
	$kind "$SERVER" stream -u 4m -d 0 -S sendfile -w 1m -D 1000
io_check "end of the server" $kind "$SERVER" quit
on server served
both by_rdma begin 37000000 37000000
both no_conn_left
finish
