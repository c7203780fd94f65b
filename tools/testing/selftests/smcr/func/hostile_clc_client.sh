#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: No hostile CLC client harms a server
# rfc: C.1, C.2, C.5, C.6, C.7
# nics: 1
# timeout: 150
# The hostile peer is a TCP client that builds its CLC messages by hand. Memory
# that cannot be waited for is short meanwhile (debug kernel): a long Proposal
# does not depend on it.
# shellcheck source-path=SCRIPTDIR source=lib/hostile_lib.sh
. "$(dirname "$0")/lib/hostile_lib.sh"

# atomic_fails FUNCTION: fail what a function of smcr allocates without waiting
atomic_fails() {
	local dir=/sys/kernel/debug/failslab from to

	[ -d $dir ] || return 0
	read -r from to < <(grep ' [tT] .*\[smcr\]$' /proc/kallsyms | sort |
		awk -v name="$1" 'on { print from, $1; exit }
			$3 == name { on = 1; from = $1 }')
	undo_later sh -c "echo 0 >$dir/probability"
	check "$1 gets no memory that cannot be waited for" sh -e -c "
		echo 0 >$dir/verbose
		echo Y >$dir/ignore-gfp-wait
		echo -1 >$dir/times
		echo 0x$from >$dir/require-start
		echo 0x$to >$dir/require-end
		echo 100 >$dir/probability"
}

client_leads

on server atomic_fails clc_actor

hostile_peer
hostile_groups client
hostile_over
