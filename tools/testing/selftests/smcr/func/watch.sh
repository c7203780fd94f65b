#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A sleeping reader polls its link's completions and delays no others
# nics: 1
# cpus: 2
# A sleeping reader is woken by its link's completion queue and polls it itself,
# as long as all messages are for its connection. It does not delay other
# connections noticeably, even if the scheduler does not let it run.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
rounds=$((300 / SLOW))
workers=/sys/devices/virtual/workqueue/cpumask
root=$(findmnt -n -o TARGET -t cgroup2 | head -1)
group=$root/smcr_watch
addresses $kind

ask() {
	python3 -B watch.py ask "$SERVER" "$PORT" "$@"
}

# stay: the program that last used the link is in a cgroup
stay() {
	: >"$tmp/stay"
	sh -c "echo \$\$ >$group/cgroup.procs
		exec python3 -B watch.py stay $SERVER $PORT 20" \
		>"$tmp/stay" 2>&1 &
	jobs_started+=("$!")
	stayer=$!
	wait_until "a reader sleeps" sleeps
}

sleeps() {
	grep -q asleep "$tmp/stay" &&
		[ "$(awk '{ print $3 }' "/proc/$stayer/stat")" = S ]
}

# throttle: give the cgroup a thousandth of each second and let it use that up
throttle() {
	sh -c "echo \$\$ >$group/cgroup.procs; while :; do :; done" &
	jobs_started+=("$!")
	hog=$!
	echo "1000 1000000" >"$group/cpu.max"
	wait_until "its cgroup has used up its time" throttled
}

throttled() {
	[ "$(awk '$1 == "nr_throttled" { print $2 }' "$group/cpu.stat")" -gt \
		"$before" ]
}

release() {
	echo max >"$group/cpu.max"
	kill "$hog" "$stayer"
	wait "$hog" "$stayer"
} 2>/dev/null

# beside HOW: set $usual to the median of the round trips of a program while
# another, which waits for its stream by HOW, runs for a small part of the time.
# The reader sleeps for most of each round trip, so if it delays them, it delays
# more than half. The lower one of two runs is less disturbed by other work of the
# machine, which decides the 99th percentile.
beside() {
	: >"$tmp/read"
	sh -c "echo \$\$ >$group/cgroup.procs
		exec python3 -B watch.py read $SERVER $PORT $1" \
		>"$tmp/read" 2>&1 &
	jobs_started+=("$!")
	reader=$!
	wait_until "the stream flows" grep -q reading "$tmp/read"
	echo "3000 50000" >"$group/cpu.max"
	usual=$({
		python3 -B watch.py time "$SERVER" "$PORT" $((rounds / 3))
		python3 -B watch.py time "$SERVER" "$PORT" $((rounds / 3))
	} | tee -a "$tmp/times" | awk '{ print $1 }' | sort -n | head -1)
	echo max >"$group/cpu.max"
}

leave() {
	kill "$reader"
	wait "$reader"
} 2>/dev/null

client_leads

check "the server listens" on server program watch \
	python3 -B watch.py serve "$SERVER" "$PORT"
save begin
check "$rounds round trips on one connection" ask 1 $rounds 0
grew begin ReaderPolls -ge $((rounds * 7 / 10))
grew begin ReaderSpins -eq 0
# A worker of Soft-RoCE that needs the reader's processor would end the polling.
mask=$(cat $workers)
check "Soft-RoCE works on one processor" sh -c "echo 1 >$workers"
undo_later sh -c "echo $mask >$workers"
save busy
check "$rounds round trips, polling for 20 ms on the other" \
	taskset -c 1 python3 -B watch.py ask "$SERVER" "$PORT" 1 $rounds 20000
# Most messages are found by their event, which comes while the reader polls.
grew busy ReaderSpins -ge 1
save turns
check "$rounds round trips, two connections by turns" ask 2 $((rounds / 2)) 0
grew turns ReaderPolls -le $((rounds / 10))

echo +cpu >"$root/cgroup.subtree_control" 2>/dev/null
mkdir "$group"
undo_later rmdir "$group"
# The debug kernel has no CPU limit for cgroups.
if [ "${BED_KERNEL:-release}" != release ] && [ ! -e "$group/cpu.max" ]; then
	echo "# SKIP a reader that is late: this kernel cannot limit a cgroup"
else
	save late
	# The cgroup may be in its thousandth of the second.
	for _ in 1 2 3; do
		before=$(awk '$1 == "nr_throttled" { print $2 }' \
			"$group/cpu.stat")
		stay
		throttle
		check "round trips of another program" ask 1 5 0
		release
	done
	grew late ReaderPollsLate -ge 1
	# A reader that polls with poll() does not watch. One that watches, and
	# is late in each 50 ms, delays the others for a moment, and pauses
	# longer and longer.
	beside poll
	polls=$usual
	leave
	save reads
	beside recv
	watches=$usual
	sed 's/^/# median and 99 % in microseconds: /' "$tmp/times"
	grew reads ReaderPollsLate -ge 1
	grew reads ReaderPollsLate -le 20
	check "it delays the others by less than 5 ms" \
		test "$watches" -lt $((polls + 5000))
	save recovers
	wait_until "it polls again when nothing keeps it from the CPU" \
		grew_to recovers ReaderPolls 20
	leave
fi
no_fallback begin
no_conn_left
finish
