#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Proves that the bed sees what it has to see: each case is a run that must
# end the way it says. Without smcr, so that a failure here is the bed's.

set -u
cd "$(dirname "$0")" || exit 2
n=0
bad=0
log=$(mktemp)
out=../out/prove
trap 'rm -rf "$log" "$out"' EXIT

# expect FACT STATUS PATTERN COMMAND...: status, and a line of the output.
expect()
{
	local fact=$1 status=$2 pattern=$3 rc=0

	shift 3
	n=$((n + 1))
	"$@" >"$log" 2>&1 || rc=$?
	if [ $rc -eq "$status" ] && grep -qE "$pattern" "$log"; then
		echo "ok $n - $fact"
		return
	fi
	sed 's/^/# /' "$log"
	echo "not ok $n - $fact (status $rc, wanted $status and \"$pattern\")"
	bad=$((bad + 1))
}

pair()
{
	./control --name prove "$@"
}

one()
{
	./one --no-smcr both --name prove "$@"
}

echo "TAP version 13"
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
echo all well'
expect "several NICs on one segment answer for themselves only" \
	0 '^all well$' pair --nics 2 'barrier end' '
set -e
ping -qc 1 -W 5 10.9.0.11 >/dev/null
ip neigh | grep "10.9.0.11 .*lladdr 52:54:00:09:01:01"
echo all well'
expect "the status of the client script" 7 . pair - 'exit 7'
expect "a server script that fails" 1 'server: exit status 3' \
	pair 'exit 3' 'barrier end'
expect "a server script that goes on is ended, and no failure" 0 . \
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
expect "output that looks like the agent speaking fools nobody" 9 \
	"exit status 9" one 'printf "exit job1 0\n"; exit 9'
echo "1..$n"
[ $bad -eq 0 ]
