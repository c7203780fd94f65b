#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test the test programs themselves, over TCP to this host. A program that fails
# here proves nothing about smcr.
# usage: prove.sh [REPEATS]
set -u
cd "$(dirname "$0")" || exit 2
repeats=${1:-1}
bad=0
n=0

ok() {
	n=$((n + 1))
	echo "ok $n - $*"
}

not_ok() {
	n=$((n + 1))
	bad=$((bad + 1))
	echo "not ok $n - $*"
}

io() {
	if timeout 120 io/smcr_io "$@"; then
		ok "smcr_io $*"
	else
		not_ok "smcr_io $*"
	fi
}

semantics() {
	kind=$1
	addr=$2
	first=$(mktemp)
	log=$(mktemp)
	if timeout 300 sem/semantics --local "$kind" "$addr" >"$first"; then
		ok "semantics $kind: no step stuck"
	else
		not_ok "semantics $kind: no step stuck"
	fi
	for i in $(seq "$repeats"); do
		timeout 300 sem/semantics --local "$kind" "$addr" >"$log"
		if diff "$first" "$log"; then
			ok "semantics $kind: same log, time $i"
		else
			not_ok "semantics $kind: same log, time $i"
		fi
	done
	rm -f "$first" "$log"
}

echo "TAP version 13"
for kind in tcp4 tcp6; do
	host=127.0.0.1
	[ $kind = tcp6 ] && host=::1
	io $kind $host 0 stream -u 16m -d 16m -H -F
	io $kind $host 0 stream -e -H -F
	io $kind $host 0 stream -E -x 3 -F
	io $kind $host 0 stream -u 0 -d 0 -H -F
	io $kind $host 0 stream -u 0 -d 5 -F
	io $kind $host 0 stream -u 4m -d 4m -D 100 -F
	io $kind $host 0 half -F
	io $kind $host 0 sizes -F
	io $kind $host 0 ways -H -F
	io $kind $host 0 ways -x 7 -w 20000 -r 30000 -F
	io $kind $host 0 rr -n 1000 -s 64 -F
	io $kind $host 0 many -n 200 -u 100k -d 100k -e -F
	io $kind $host 0 many -n 200 -u 100k -d 100k -E -x 5 -F
	io $kind $host 0 seq -n 500 -F
	io $kind $host 0 hold -n 50 -F </dev/null
	[ -x sem/semantics ] && semantics $kind $host
done
echo "1..$n"
[ $bad -eq 0 ]
