#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test that the bed detects failures: each case is a run with an expected
# result. smcr is not loaded, so that a failure here is the bed's.
#
# Almost every case needs a boot, so "make check" runs a third of them, which the
# tree's hash selects (SMCR_SEED). SMCR_SOAK=1 runs all.

set -u
cd "$(dirname "$0")" || exit 2
n=0
seen=0
logs=$(mktemp -d)
trap 'rm -rf "$logs" ../out/prove*' EXIT

# try N FACT STATUS PATTERN COMMAND...: run a case; write its verdict to its
# file
try()
{
	local n=$1 fact=$2 status=$3 pattern=$4 log=$logs/$1.log rc=0

	shift 4
	"$@" >"$log" 2>&1 || rc=$?
	if [ $rc -eq "$status" ] && grep -qE "$pattern" "$log"; then
		echo "ok $n - $fact"
		return
	fi
	sed 's/^/# /' "$log"
	echo "not ok $n - $fact (status $rc, wanted $status and \"$pattern\")"
}

# expect FACT STATUS PATTERN COMMAND...: expect a status, and a line of output
# that matches. Two cases run at a time, since a run mostly waits.
expect()
{
	seen=$((seen + 1))
	[ "${SMCR_SOAK:-0}" = 1 ] || [ $((seen % 3)) = $((seed % 3)) ] ||
		return 0
	[ $n -lt 2 ] || wait -n
	n=$((n + 1))
	try $n "$@" >"$logs/$n.tap" &
}

pair()
{
	./control --name "prove$n" "$@"
}

one()
{
	./one --no-smcr both --name "prove$n" "$@"
}

seed=$(python3 -B bed.py seed)
echo "TAP version 13"
echo "# SMCR_SEED=$seed runs the same cases"
# shellcheck disable=SC2016
expect "two hosts, two rails, addresses, barrier, peer, faults on one path" \
	0 '^all well$' pair --nics 2 --rails 'barrier a && barrier end' '
set -e
barrier a
[ "$(hostname)" = client ]
[ "$(peer "hostname; exit 0")" = server ]
! peer false
ping -qc 1 -W 5 server >/dev/null
ping -qc 1 -W 5 fd09:0:0:1::1 >/dev/null
rdma link | grep -q "rxe1/1 state ACTIVE"
wire fault client0 server0 cut 1
! ping -qc 1 -W 1 10.9.0.1 >/dev/null
ping -qc 1 -W 5 10.9.1.1 >/dev/null
wire clear
ping -qc 1 -W 5 10.9.0.1 >/dev/null
wire count client0 server0 | grep -q "lost [1-9]"
wire pick 99 1 lost
rc=0
timeout 0.9 bash -c ": >/dev/tcp/10.9.0.1/99" || rc=$?
[ $rc = 124 ]
[ "$(wire picked 99)" = 1 ]
wire clear
! wire stop 0 client0 server0 nothing
ping -qc 1 -W 5 10.9.0.1 >/dev/null
echo all well'
expect "several NICs on one segment answer for their own addresses only" \
	0 '^all well$' pair --nics 2 'barrier end' '
set -e
ping -qc 1 -W 5 10.9.0.11 >/dev/null
ip neigh | grep "10.9.0.11 .*lladdr 52:54:00:09:01:01"
echo all well'
expect "the status of the client script" 7 . pair - 'exit 7'
expect "a server script that fails" 1 'server: exit status 3' \
	pair 'exit 3' 'barrier end'
expect "a server script that continues is ended without a failure" 0 . \
	pair 'exec tail -f /dev/null' true
expect "a skip" 4 . one 'exit 4'
expect "a time limit" 1 'still running' one --timeout 5 'tail -f /dev/null'
expect "a crash" 1 'went down' one 'echo c >/proc/sysrq-trigger'
expect "a lost host" 0 '^alone$' pair 'tail -f /dev/null' \
	'machine kill server; echo alone'
expect "a kernel warning, though the script succeeds" 1 'server kernel' \
	one 'echo "<4>WARNING: possible circular locking" >/dev/kmsg'
expect "a taint" 1 'tainted' \
	one 'echo 64 >/proc/sys/kernel/tainted'
expect "output that looks like a line of the agent has no effect" 9 \
	"exit status 9" one 'printf "exit job1 0\n"; exit 9'
expect "a test finds the addresses and routes that the first one has found" \
	0 '^# 2 passed, 0 failed' python3 -B bed.py tests --kernel release \
	./prove_spoil.sh ./prove_same.sh
expect "one file of a test commands both hosts" 0 '^all well$' \
	pair "$PWD/prove_session.sh server" "$PWD/prove_session.sh client"
# These need no boot.
seen=$((seed - 1))
expect "a test that ends early, a misspelt check and an empty list of cases" \
	0 '^all well$' ./prove_lib.sh
seen=$((seed - 1))
expect "choice and order of runs, and treatment of a failed one" 0 '^1\.\.94$' \
	./prove_bed.py
wait
for ((i = 1; i <= n; i++)); do
	cat "$logs/$i.tap"
done
echo "1..$n"
# A case that was killed has no verdict.
[ "$(cat "$logs"/*.tap | grep -c '^ok ')" = $n ]
