# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# TCP counters and calls of functions for counts.sh. Source this after lib.sh.
# shellcheck disable=SC2154 # what lib.sh sets

TRACE=/sys/kernel/tracing

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

# calls_begin FUNCTION...: count the calls of functions of smcr from now on until
# the next call of this or the end of this test
calls_begin() {
	calls_end
	undo_later calls_end
	check "calls of $* are counted" calls_count "$@"
}

calls_count() {
	local name

	for name in "$@"; do
		echo "p:calls_$name smcr:$name" >>$TRACE/kprobe_events || return
	done
	echo 1 >$TRACE/events/kprobes/enable
}

calls_end() {
	[ ! -e $TRACE/events/kprobes ] || echo 0 >$TRACE/events/kprobes/enable
	echo >$TRACE/kprobe_events
}

# calls FUNCTION: print their number so far
calls() {
	awk -v name="calls_$1" '$1 == name { print $2 }' $TRACE/kprobe_profile
}
