# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# TCP counters for counts.sh. Source this after lib.sh.
# shellcheck disable=SC2154 # what lib.sh sets

tcp_begin() {
	nstat -az --json >"$tmp/tcp"
}

tcp_count() {
	grep -o "\"$1\":[0-9]*" "${@:2}" | cut -d: -f2
}

# tcp_grew COUNTER: print its growth since tcp_begin
tcp_grew() {
	echo $(($(nstat -asz --json | tcp_count "$1") -
		$(tcp_count "$1" "$tmp/tcp")))
}

# tcp_needless: print the number of segments that only a slow host causes
tcp_needless() {
	echo $(($(tcp_grew TcpRetransSegs) + $(tcp_grew TcpExtDelayedACKs)))
}
