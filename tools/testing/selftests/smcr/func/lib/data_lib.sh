# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Streams over both socket kinds of an IP version, for data_v4.sh and
# data_v6.sh. Source this after lib.sh.

# data_streams KIND
data_streams() {
	both addresses "$1"
	both save "$1"
	on server serve "$1" "$SERVER"
	io_check "$1: streams of 1 byte to 16 MB" "$1" "$SERVER" sizes
	io_check "$1: each call that sends or receives" \
		"$1" "$SERVER" ways -H
	io_check "$1: each call, sizes from 1 to 20000" \
		"$1" "$SERVER" ways -u 300k -d 300k -w 20000 -r 30000 -x 11
	io_check "$1: end of the server" "$1" "$SERVER" quit
	on server served
	both by_rdma "$1" 40000000 40000000
	both no_conn_left
}
