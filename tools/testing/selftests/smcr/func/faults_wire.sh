#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Queue pairs repair a lossy RoCE path, or connections get an errno
# nics: 1
# timeout: 240
# A lossy RoCE path: streams arrive intact if the queue pair can repair the
# faults, and end with an errno if it cannot.
# shellcheck source-path=SCRIPTDIR source=lib/faults_lib.sh disable=SC2119
. "$(dirname "$0")/lib/faults_lib.sh"

# When Soft-RoCE retransmits requests that precede a registration, it registers
# the region again. That fails, and the queue pair with it. So repairable faults
# start after the group has made all its RMBs, which then stay for a while.
rmbs_beforehand() {
	local linger=$((3000 * SLOW))

	linger="net.smcr.lgr_linger_ms=$linger net.smcr.rmb_linger_ms=$linger"
	# shellcheck disable=SC2086
	sysctl -qw $linger && peer sysctl -qw $linger &&
		io "$kind" "$SERVER" many -n 6 -u 1k -d 1k -e
}

# path repairable|hard FAULT...: run streams on a path with this fault; rates
# are in 1/1000
path() {
	local what=$1 rc

	shift
	check "timers of both hosts are set" both tune
	[ "$what" = hard ] ||
		check "the group has its RMBs" rmbs_beforehand
	save path
	check "RoCE has $*" wire fault '*' '*' "$@" only roce
	io "$kind" "$SERVER" many -n 6 -u "$size" -d "$size" -e -a \
		>"$tmp/flood" 2>&1
	rc=$?
	sed 's/^# //;s/^/# /' "$tmp/flood"
	check "6 streams end" exits $rc
	if [ "$what" != hard ]; then
		grew path MrRegistrations -eq 0
		check "none with an errno" test "$(errors)" -eq 0
	fi
	wire clear
	settled
	works
}

errors() {
	awk '/ended with an errno/ { n = $2 } END { print n + 0 }' "$tmp/flood"
}

size=256k
[ "$SOAK" != 1 ] || size=2m

loss_1() { path repairable loss 10; }
loss_10() { path hard loss 100; }
loss_30() { path hard loss 300; }
reorders() { path hard reorder 250; }
duplicates() { path repairable dup 50; }
corrupts() { path repairable corrupt 10; }
delay_20() { path repairable delay 20000; }
delay_500() { path hard delay 500000; }
all_of_it() { path hard loss 20 dup 20 reorder 20 corrupt 5 delay 2000; }

faults_begin
cases 1 loss_1 duplicates corrupts delay_20
cases 1 loss_10 loss_30 reorders delay_500 all_of_it
faults_end
