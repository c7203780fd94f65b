#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: turns data
# release: turns data
# nics: 1
# Streams of 1 byte to 16 MB, by each call, over IPv4.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

for kind in smcr4 inet4; do
	addresses $kind
	together $kind.ready
	save $kind
	io_check "$kind: streams of 1 byte to 16 MB" $kind "$SERVER" sizes
	io_check "$kind: each call that sends or receives" \
		$kind "$SERVER" ways -H
	io_check "$kind: each call, sizes from 1 to 20000" \
		$kind "$SERVER" ways -u 300k -d 300k -w 20000 -r 30000 -x 11
	io_check "$kind: end of the server" $kind "$SERVER" quit
	by_rdma $kind 40000000 40000000
	no_conn_left
	together $kind.end
done
finish
