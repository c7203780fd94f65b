#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Commands of failover_peer.sh for the server. The client's script runs them
# through "peer", since a shell on the server would not survive a loss of power.
#
# usage: failover_host.sh tune            set the timers of the failover tests
#                         serve OPTIONS   start fail_load, return when it listens
#                         tell COMMAND    command it
#                         judged          print its result; status 0 if no
#                                         stream is broken and none hangs, 9 if
#                                         a byte is wrong or missing
#                         bare            is no connection and no group left?

set -u
FUNC_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
LOAD=$FUNC_DIR/fail/fail_load
RUN=/run/failover
slow=3
[ "${BED_KERNEL:-release}" != release ] || slow=1
mkdir -p $RUN

# within SECONDS COMMAND...: poll until the command succeeds
within() {
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

tune() {
	sysctl -qw net.smcr.negative_ms=0 \
		net.smcr.test_link_interval_ms=$((1000 * slow)) \
		net.smcr.llc_timeout_ms=$((2500 * slow)) \
		net.smcr.link_retry_min_ms=500 \
		net.smcr.link_retry_max_ms=1000 \
		net.smcr.lgr_linger_ms=$((300 * slow)) \
		net.smcr.close_timeout_ms=$((8000 * slow)) \
		net.smcr.orphan_timeout_ms=$((8000 * slow)) \
		net.ipv4.tcp_orphan_retries=3 \
		net.ipv4.tcp_fin_timeout=10
}

serve() {
	rm -f $RUN/*
	(
		"$LOAD" "$@" $RUN/ctl serve >$RUN/out 2>$RUN/err
		echo $? >$RUN/status
	) </dev/null &
	within $((30 * slow)) grep -qs serving $RUN/out
}

tell() {
	"$LOAD" $RUN/ctl tell "$1"
}

judged() {
	within $((90 * slow)) test -s $RUN/status || echo "fail_load goes on"
	sed '/^serving$/d' $RUN/out $RUN/err
	return "$(<$RUN/status)"
}

# Each pair of counters: what was made, and what has gone.
bare() {
	awk '{ v[$1] = $2 }
	     END { exit !(v["ConnsOpened"] == v["ConnsClosed"] &&
			  v["LinkGroups"] == v["LinkGroupsFreed"] &&
			  v["Links"] == v["LinksFreed"]) }' /proc/net/smcr_stat
}

case ${1:-} in
tune|serve|tell|judged|bare)
	"$@"
	;;
*)
	sed -n '6,13s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
