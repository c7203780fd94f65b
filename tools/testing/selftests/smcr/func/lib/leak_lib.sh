# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Tests that look for leaks. Source this after lib.sh.
#
# A test does the same number of things three times and reads the kernel's memory
# before the first time and after each. A leak is in each of the three growths.
# What a cache takes once is in one of them, so the median counts.
# shellcheck disable=SC2034,SC2154 # what the tests read, and lib.sh sets

# The debug kernel keeps freed objects in KASAN's quarantine, so only the release
# kernel's memory shows a leak. There kmemleak does.
LEAKS=true
[ "$SLOW" = 1 ] || LEAKS=false

# no_leak WHAT BYTES THINGS KB KB KB KB: check the median of the growths between
# four readings of the memory, each after that many further things
no_leak() {
	local what=$1 most=$2 things=$3 growths median

	growths=$(($5 - $4))$'\n'$(($6 - $5))$'\n'$(($7 - $6))
	median=$(sort -n <<<"$growths" | sed -n 2p)
	echo "# growth of memory in kB, each time after $things:" \
		"${growths//$'\n'/ }"
	if ! $LEAKS; then
		echo "# not judged on this kernel"
		return
	fi
	check "$what leaves $((median * 1024 / things)) bytes ($most at most)" \
		test $((median * 1024)) -le $((most * things))
}
