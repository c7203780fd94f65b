#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: The cost of a connection does not grow with their number
# kernel: release
# nics: 1
# timeout: 600
# The cost of a connection does not grow with the number of connections. Bytes,
# memory regions and queue pairs are compared as the slope from 16 connections
# to 512, or to 10,000 with SMCR_SOAK=1; the cost of setup and of a message at 16
# and at that number. Beyond the default limits a connection is plain TCP, so the
# soak raises them.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
rounds=7
few=16
many=512
[ "${SMCR_SOAK:-0}" != 1 ] || many=10000
elem=16384
addresses $kind
declare -A setup receive wrs_setup wrs_ask completions

meminfo() {
	awk -v name="$1:" '$1 == name { printf "%.0f\n", $2 * 1024 }' /proc/meminfo
}

# memory NAME: store the memory in use as NAME
memory() {
	local what

	sync
	echo 3 >/proc/sys/vm/drop_caches
	for what in MemAvailable Slab VmallocUsed; do
		meminfo "$what" >"$tmp/$what.$1"
	done
	save "$1"
}

grown() {
	echo $(($(cat "$tmp/$1.many") - $(cat "$tmp/$1.few")))
}

# slopes: check the cost of a connection between few and many. Not counting the
# RMB that is made in advance (at 75 % use), of 2 MB at most, a connection costs
# its element and little else.
slopes() {
	local n=$((many - few)) bytes rmb=$((2 << 20)) mrs

	bytes=$(($(grown Slab) + $(grown VmallocUsed)))
	echo "# bytes a connection: slab (with RMBs)" \
		"$(($(grown Slab) / n))," \
		"vmalloc (RMBs of scattered pages) $(($(grown VmallocUsed) / n))," \
		"MemAvailable $((-$(grown MemAvailable) / n))"
	check "a connection costs $(((bytes - rmb) / n)) bytes (24576 at most)" \
		test $((bytes - rmb)) -le $((24576 * n))
	mrs=$(delta few MrRegistrations)
	echo "# memory regions a connection: $mrs / $n"
	check "one memory region for 100 connections or more" \
		test "$mrs" -le $((n / 100 + 1))
	grew few Links -eq 0
	grew few LinkGroups -eq 0
	grew few ConfirmRkeySent -eq "$mrs"
	grew few TxChunkAllocs -le 64
}

# yardstick: print the time of an ICMP round trip in tenths of a microsecond;
# other load on this machine slows it down as well
yardstick() {
	ping -qfc 50 "$SERVER" | awk -F/ '/^rtt/ { printf "%d", $5 * 10000 }'
}

# typical COMMAND...: print the median cost of some rounds, in tenths of an ICMP
# round trip. With COMMAND "open" each round closes its connections again.
typical() {
	local i

	for ((i = 0; i < rounds; i++)); do
		crowd "$@"
		if [ "$1" = open ]; then
			echo $((cost * 100 / $(yardstick))) >&9
			crowd close "$2"
		else
			echo $((number * 100 / $(yardstick))) >&9
		fi
	done 9>"$tmp/rounds"
	median=$(sort -n "$tmp/rounds" | sed -n $((rounds / 2 + 1))p)
}

# cost NAME: measure requests and time of setup and messages with the current
# number of connections
cost() {
	save "$1.setup"
	typical open 16
	setup[$1]=$median
	wrs_setup[$1]=$(delta "$1.setup" WorkRequests)
	wait_until "they are closed" closed "$1"
	save "$1.ask"
	typical ask 50 64
	receive[$1]=$median
	wrs_ask[$1]=$(delta "$1.ask" WorkRequests)
	completions[$1]=$(delta "$1.ask" RecvCompletions)
}

closed() {
	[ "$(delta "$1.setup" ConnsClosed)" -ge $((16 * rounds)) ]
}

# more_than_by_default: allow so many connections in one link group
more_than_by_default() {
	sysctl_for_now net.smcr.max_conns_per_lgr 16384
	sysctl_for_now net.smcr.max_rmb_bytes $((512 << 20))
	sysctl_for_now net.smcr.max_orphans 16384
}

client_leads

[ $many -lt 4096 ] || both more_than_by_default
both sysctl_for_now net.smcr.rmem $elem
both sysctl_for_now net.smcr.wmem $elem
on server crowd_serve $kind "$SERVER"
crowd_begin $kind "$SERVER"
crowd_is "$few connections" $few open $few
both memory few
cost few
crowd_is "$many connections" $many open $((many - few))
both memory many
both slopes
cost many
crowd_is "each is right" $many all 64
no_fallback few
echo "# in tenths of an ICMP round trip, with $few and with $many connections:"
echo "# setup ${setup[few]} and ${setup[many]}," \
	"message ${receive[few]} and ${receive[many]}"
# Taking and returning an element always costs the same LLC messages.
check "setup and close take the same work requests" \
	test "${wrs_setup[few]}" = "${wrs_setup[many]}"
check "a message takes the same work requests" \
	test "${wrs_ask[few]}" = "${wrs_ask[many]}"
check "a message takes the same completions" \
	test "${completions[few]}" = "${completions[many]}"
# A cost that grows with the number would exceed this by far; the rest is noise.
check "setup takes no more than three times as long" \
	test "${setup[many]}" -le $((3 * setup[few]))
check "a message takes no more than three times as long" \
	test "${receive[many]}" -le $((3 * receive[few]))
crowd_end
both no_conn_left
on server crowd_served
finish
