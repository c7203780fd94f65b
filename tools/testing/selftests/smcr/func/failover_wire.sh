#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A path that loses, repeats, reorders or delays packets breaks no stream
# rfc: 4.6, C.8
# nics: 2
# timeout: 240
# Two adapters on each host. Under a load in many states one path has a fault
# that its queue pairs can or cannot repair, or it comes and goes; the other path
# is good, unless a connection has to move to it. Queue pairs and links fail and
# are replaced meanwhile.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"

# How long a fault lasts, in seconds
lasts=$((6 * SLOW))
[ "$SOAK" != 1 ] || lasts=$((30 * SLOW))

# lasting COMMAND...: repeat a command until the fault has lasted
lasting() {
	local end=$((SECONDS + lasts))

	while [ $SECONDS -lt $end ]; do
		"$@" || return
	done
}

# Some bytes more, however slow the path makes them
more_bytes() {
	both tell watch
	sleep 0.5
}

# during FACT COMMAND...: run the load over a new group while the command has
# the path of the busiest link fail; let all streams end while it does
during() {
	local ends

	load_begin "$conns"
	both wait_until "the group has $nr_links links" whole "$nr_links"
	both save load
	both tell mark
	read -ra ends < <(busiest -)
	check "path ${ends[0]}-${ends[1]}: $1" "$2" "${ends[@]}" "${@:3}"
	lasting "${each:-more_bytes}" "${ends[@]}"
	both tell go
	lasting "${each:-more_bytes}" "${ends[@]}"
	both gaps
	check "the path is good" wire clear
	echo "# links failed $(delta load LinksFailed)," \
		"connections moved $(delta load ConnsMoved)," \
		"server: $(on server delta load LinksFailed)," \
		"$(on server delta load ConnsMoved)"
	load_stop
	both load_judged "${want:-exact}"
	both grew load BadCdc -eq 0
	both grew load BadLlc -eq 0
	both no_conn_left
	both no_group_left
}

lossy() { during "$1/1000 of the packets are lost" noise loss "$1"; }
loss_1() { lossy 10; }
loss_10() { lossy 100; }
loss_30() { lossy 300; }
reorders() { during "packets are reordered" noise reorder 250; }
duplicates() { during "packets are repeated" noise dup 50; }
corrupts() { during "packets are corrupted" noise corrupt 10; }
delay_500() { during "packets are 500 ms late" noise delay 500000; }

# The path comes and goes every 200 ms.
flap() {
	silent "$1" "$2" && sleep 0.2 && wire clear && sleep 0.2
}

flaps() {
	local each=flap

	during "it flaps" true
}

# What is replayed goes over a path that is not good either.
onto_bad_path() {
	local c=$1 s=$2

	noise $((1 - c)) $((1 - s)) loss 10 dup 20 reorder 20 && silent "$c" "$s"
}

replay_over_bad_path() {
	local want=errno

	during "it is silent, and the other one is bad" onto_bad_path
}

# The first byte of a path that was silent for a while may be an old one.
late_writes() {
	during "it is silent, and delivers late" noise delay 2500000
}

all_paths() {
	local want=errno

	during "all paths are bad" all_bad
}

all_bad() {
	wire fault '*' '*' loss 20 dup 20 reorder 20 corrupt 5 delay 2000 \
		only roce
}

client_leads

echo "# seed $SEED (SMCR_SEED=$SEED repeats this)"
undo_later wire clear
both failover_timers
check "wire seed" wire seed "$SEED"
cases 1 loss_1 duplicates corrupts reorders loss_10 loss_30
cases 2 delay_500 flaps late_writes replay_over_bad_path all_paths
finish
