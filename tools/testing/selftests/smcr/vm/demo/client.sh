#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The asking host of "make demo": runs unmodified programs, shows what carried
# their bytes, and removes an adapter under one of them.

value()
{
	awk -v name="$1" '$1 == name { print $2 }' /proc/net/smcr_stat
}

snapshot()
{
	local name

	while read -r name value; do
		before[$name]=$value
	done </proc/net/smcr_stat
}

delta()
{
	echo $(($(value "$1") - before[$1]))
}

# told TEXT NAME...: counters by their names, each after a text: what the program
# that just ended caused here
told()
{
	echo
	while [ $# -gt 0 ]; do
		printf '    %-23s %s\n' "$1" "$(delta "$2")"
		shift 2
	done
	printf '    %-23s %s\n' "fell back to TCP" "$(delta Fallbacks)"
	[ "$(delta TxBytes)" -gt 0 ] && [ "$(delta Fallbacks)" = 0 ] || bad=1
}

carried()
{
	told "connections over SMC-R" ActiveOpens "bytes sent by RDMA" TxBytes \
		"bytes received by RDMA" RxBytes "RDMA writes posted" RdmaWrites
}

title()
{
	printf '\n\n== %s\n' "$*"
}

# lines: indent what comes, in lines of at most 80 columns
lines()
{
	stdbuf -oL fold -sw 75 | sed -u 's/^/    /; s/ *$//'
}

# shown COMMAND...: run the command, and print it and its output at once
shown()
{
	local out

	out=$("$@" | lines) || bad=1
	printf '\n    # %s\n%s\n' "$*" "$out"
}

# doing COMMAND...: print the command, and run it
doing()
{
	printf '\n    # %s\n' "$*"
	"$@" || bad=1
}

groups_and_links()
{
	shown smcr-ctl linkgroup show
	shown smcr-ctl link show state active
}

# until_true COMMAND...: wait at most 30 s until the command succeeds
until_true()
{
	local deadline=$((SECONDS + 30))

	until "$@"; do
		if [ $SECONDS -gt $deadline ]; then
			echo "failed: $*"
			bad=1
			return 1
		fi
		read -rt 0.1 <>/run/bed/never
	done
}

# shellcheck disable=SC2317 # called by until_true
has_links()
{
	[ "$(smcr-ctl link show state active | wc -l)" = "$1" ]
}

# seconds N: iperf3 has printed N intervals
# shellcheck disable=SC2317 # called by until_true
seconds()
{
	[ "$(grep -c sec "$log")" -ge "$1" ]
}

# busy_device: print the RDMA device of the link over which most bytes go
busy_device()
{
	local link

	link=$(smcr-ctl conn show |
		sed 's/.* link \([0-9]*\) .* tx-bytes \([0-9]*\).*/\2 \1/' |
		sort -n | sed -n '$s/.* //p')
	smcr-ctl link show link "$link" |
		sed 's|.* device \([a-z0-9]*\)/.*|\1|'
}

# lose_adapter: remove an adapter under a stream, and put it back
lose_adapter()
{
	local device netdev monitor stream

	smcr-ctl monitor link > >(lines) &
	monitor=$!
	(
		set -o pipefail
		iperf3 -c 10.9.0.1 -t 14 -f M --forceflush | tee "$log" |
			sed -un 's/  *[0-9.]* KBytes *$//; /Bytes.sec/p'
	) &
	stream=$!
	until_true seconds 2 && until_true has_links 2
	device=$(busy_device)
	netdev=$(rdma link show "$device/1" | sed 's/.*netdev //; s/ *$//')
	doing rdma link delete "$device"
	until_true has_links 1
	groups_and_links
	until_true seconds 8
	doing rdma link add "$device" type rxe netdev "$netdev"
	until_true has_links 2
	wait $stream || bad=1
	kill $monitor
}

declare -A before
bad=0
log=$(mktemp)
sysctl -qw net.smcr.transparent=1 || exit 1
barrier serving || exit 1

title "iperf3 -c server: one stream for 3 seconds"
snapshot
echo
iperf3 -c 10.9.0.1 -t 3 -f M | grep -E 'sender|receiver' || bad=1
carried

title "redis-benchmark -h server: 2000 SET, 2000 GET, 10 clients"
snapshot
echo
redis-benchmark -h 10.9.0.1 -n 2000 -c 10 -t set,get -q |
	tr '\r' '\n' | grep 'requests per second' || bad=1
carried

title "the group that carried this: its two links are on two adapters"
groups_and_links

title "iperf3 -c server for 14 seconds; its adapter goes and comes back"
snapshot
echo
lose_adapter
told "bytes sent by RDMA" TxBytes "bytes written again" TxBytesReplayed \
	"connections moved" ConnsMoved "connections lost" ResetLinkDown
[ "$(delta ConnsMoved)" -gt 0 ] && [ "$(delta ResetLinkDown)" = 0 ] || bad=1
groups_and_links
printf "\n    # dmesg | grep 'smcr: group'\n"
dmesg | grep -o 'smcr: group.*' | lines
rm -f "$log"
exit $bad
