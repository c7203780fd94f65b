#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unmodified curl and nginx use RDMA under net.smcr.transparent
# kernel: release
# nics: 1
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"

addresses tcp4
sysctl_for_now net.smcr.transparent 1
together ready
save begin
url=http://$SERVER:$PORT

# get PATH OPTIONS...: to $tmp/PATH
# shellcheck disable=SC2317 # called through check
get() {
	timeout $((60 * SLOW)) curl -sSf -o "$tmp/$1" "${@:2}" "$url/$1"
}

# shellcheck disable=SC2317 # called through check
many() {
	local i urls=()

	for i in $(seq 40); do
		urls+=(-o "$tmp/small.$i" "$url/small?$i")
	done
	timeout $((60 * SLOW)) curl -f --no-progress-meter -Z --parallel-max 20 "${urls[@]}" || return 1
	for i in $(seq 40); do
		cmp "$tmp/small.1" "$tmp/small.$i" || return 1
	done
}

check "a file of 16 MB" get big
check "its digest" get sums
check "the digest agrees" sh -c "cd $tmp && sha256sum -c --quiet sums"
check "a range of it" get big -r 1000000-1999999
check "the range is 1000000 bytes" \
	test "$(stat -c %s "$tmp/big")" -eq 1000000
check "40 files of 10 KB, 20 at a time" many
by_rdma begin 3600 17800000
no_conn_left
together end
finish
