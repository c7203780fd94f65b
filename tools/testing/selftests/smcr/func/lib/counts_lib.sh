# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# TCP counters and calls of functions for counts.sh. Source this after lib.sh.
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

# calls_begin FUNCTION: count the calls of a function of smcr until the end of
# this test
calls_begin() {
	local trace=/sys/kernel/tracing

	undo_later sh -c "echo >$trace/kprobe_events"
	undo_later sh -c "echo 0 >$trace/events/kprobes/smcr_called/enable"
	check "calls of $1 are counted" sh -c "
		echo p:smcr_called smcr:$1 >$trace/kprobe_events &&
		echo 1 >$trace/events/kprobes/smcr_called/enable"
}

# calls: print their number so far
calls() {
	awk '$1 == "smcr_called" { print $2 }' \
		/sys/kernel/tracing/kprobe_profile
}
