# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What data_v4.sh, data_v6.sh and their servers' sides share: streams over both
# kinds of sockets of an IP version. To be sourced after lib.sh.

# data_client KIND...
data_client() {
	for kind in "$@"; do
		addresses "$kind"
		together "$kind.ready"
		save "$kind"
		io_check "$kind: streams of 1 byte to 16 MB" "$kind" "$SERVER" sizes
		io_check "$kind: each call that sends or receives" \
			"$kind" "$SERVER" ways -H
		io_check "$kind: each call, sizes from 1 to 20000" \
			"$kind" "$SERVER" ways -u 300k -d 300k -w 20000 -r 30000 -x 11
		io_check "$kind: end of the server" "$kind" "$SERVER" quit
		by_rdma "$kind" 40000000 40000000
		no_conn_left
		together "$kind.end"
	done
	finish
}

# data_server KIND...
data_server() {
	for kind in "$@"; do
		addresses "$kind"
		save "$kind"
		serve "$kind" "$SERVER"
		together "$kind.ready"
		served
		by_rdma "$kind" 40000000 40000000
		no_conn_left
		together "$kind.end"
	done
	finish
}
