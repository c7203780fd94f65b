# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # the tests set $group
# What the sockets of the cgroup $group are charged. The kernel adds up the pages
# of its processors every two seconds, so wait for a value instead of reading it
# once. Source this after lib.sh.

# charged: print the bytes
charged() {
	awk '$1 == "sock" { print $2 }' "$group/memory.stat"
}

# charged_for N: N bytes or more are charged; for wait_until
charged_for() {
	[ "$(charged)" -ge "$1" ]
}

# uncharged: nothing is charged; for wait_until
uncharged() {
	[ "$(charged)" = 0 ]
}
