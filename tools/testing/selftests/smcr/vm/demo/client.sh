#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The asking host of "make demo": runs unmodified programs and shows what
# carried their bytes.

value()
{
	awk -v name="$1" '$1 == name { print $2 }' /proc/net/smcr_stat
}

snapshot()
{
	for name in TxBytes RxBytes RdmaWrites Fallbacks ActiveOpens; do
		before[$name]=$(value $name)
	done
}

delta()
{
	echo $(($(value "$1") - before[$1]))
}

# What the program that just ended caused here.
told()
{
	echo
	echo "    connections over SMC-R  $(delta ActiveOpens)"
	echo "    bytes sent by RDMA      $(delta TxBytes)"
	echo "    bytes received by RDMA  $(delta RxBytes)"
	echo "    RDMA writes posted      $(delta RdmaWrites)"
	echo "    fell back to TCP        $(delta Fallbacks)"
	[ "$(delta TxBytes)" -gt 0 ] && [ "$(delta Fallbacks)" = 0 ] || bad=1
}

title()
{
	printf '\n\n== %s\n\n' "$*"
}

declare -A before
bad=0
sysctl -qw net.smcr.transparent=1 || exit 1
barrier serving || exit 1

title "iperf3 -c server: one stream for 3 seconds"
snapshot
iperf3 -c 10.9.0.1 -t 3 -f M | grep -E 'sender|receiver' || bad=1
told

title "redis-benchmark -h server: 2000 SET, 2000 GET, 10 clients"
snapshot
redis-benchmark -h 10.9.0.1 -n 2000 -c 10 -t set,get -q |
	tr '\r' '\n' | grep 'requests per second' || bad=1
told

title "smcr-ctl linkgroup show: who shares memory with whom"
smcr-ctl linkgroup show || bad=1
title "smcr-ctl link show: the queue pair that carried it"
smcr-ctl link show || bad=1
exit $bad
