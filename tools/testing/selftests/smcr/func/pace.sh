#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A slow reader and ends closed one after the other lose no byte
# rfc: 4.7.1-4, 4.8.1
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
client_leads

both save begin
on server serve $kind "$SERVER"
io_check "a reader slower than its sender" \
	$kind "$SERVER" stream -u 4m -d 4m -D 2000
io_check "a reader of 1000 bytes at a time" \
	$kind "$SERVER" stream -u 2m -d 2m -r 1000
io_check "a writer of 100 bytes at a time" \
	$kind "$SERVER" stream -u 200k -d 200k -w 100
io_check "all up, end of file, then all down" \
	$kind "$SERVER" half -u 8m -d 8m
io_check "only ends of file" $kind "$SERVER" stream -u 0 -d 0 -H
io_check "end of the server" $kind "$SERVER" quit
on server served
both by_rdma begin 10000000 10000000
both no_conn_left
finish
