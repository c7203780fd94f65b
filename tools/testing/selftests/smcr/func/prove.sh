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

# semantics_status WANTED FACT STEP...: a script of these steps has this status
semantics_status() {
	wanted=$1
	fact=$2
	shift 2
	script=$(mktemp)
	printf '%s\n' "case status" pair "C send a 50" "$@" >"$script"
	rc=0
	SEM_DEADLINE_MS=100 sem/semantics --local tcp4 127.0.0.1 "$script" \
		>/dev/null 2>&1 || rc=$?
	rm "$script"
	if [ $rc = "$wanted" ]; then
		ok "semantics: $fact"
	else
		not_ok "semantics: $fact (got status $rc)"
	fi
}

# crowd_status WANTED FACT ANSWER: the client has this status after a server has
# answered so
crowd_status() {
	rc=0
	log=$(mktemp)
	python3 -c '
import socket, sys
with socket.create_server(("127.0.0.1", 7901)) as listener:
    print("serving", flush=True)
    with listener.accept()[0] as sock:
        sock.recv(100)
        sock.sendall(sys.argv[1].encode())' \
		"$3" >"$log" &
	until grep -q serving "$log"; do sleep 0.01; done
	printf 'open 1\nall 2\n' | timeout 10 crowd/crowd tcp4 127.0.0.1 7901 \
		client >/dev/null 2>&1 || rc=$?
	wait
	rm "$log"
	if [ $rc = "$1" ]; then
		ok "crowd: $2"
	else
		not_ok "crowd: $2 (got status $rc)"
	fi
}

tell() {
	fail/fail_load "$dir/$1" tell "$2" >>"$dir/log"
}

# both_say COMMAND: wait until both ends answer with yes
both_say() {
	for i in $(seq 200); do
		! tell server "$1" || ! tell client "$1" || return 0
		sleep 0.05
	done
	return 1
}

# load SHAPES MISTAKE: run all shapes, or these; the client makes this mistake.
# The results of both ends are in $dir/log.
load() {
	: >"$dir/serve.log"
	: >"$dir/log"
	timeout 60 fail/fail_load -n 9 -t 3 "tcp$v" "$host" 7900 "$dir/server" \
		serve >"$dir/serve.log" 2>&1 &
	server=$!
	until grep -q serving "$dir/serve.log"; do sleep 0.01; done
	timeout 60 fail/fail_load -n 9 -t 3 -S "$1" -X "$2" "tcp$v" "$host" \
		7900 "$dir/client" load >"$dir/load.log" 2>&1 &
	both_say ready
	for command in watch go; do
		tell server $command
		tell client $command
	done
	both_say flows
	tell server stop
	tell client stop
	wait $server
	echo "the server's status is $?" >>"$dir/serve.log"
	wait
	cat "$dir/serve.log" "$dir/load.log" >>"$dir/log"
}

# judged FACT SHAPES MISTAKE PATTERN: a line of the results matches the pattern
judged() {
	load "$2" "$3"
	if grep -q "$4" "$dir/log"; then
		ok "fail_load: $1"
	else
		sed 's/^/# /' "$dir/log"
		not_ok "fail_load: $1"
	fi
}

fail_load() {
	dir=$(mktemp -d)
	all=stream,half,closing,window,sendfile,rr,idle,ended,gone
	judged "all shapes are exact over tcp$v" $all not \
		'^total exact 9 errno 0 broken 0 unwritten 0 hung 0'
	if [ "$v" = 4 ]; then
		for mistake in flip skip twice other more; do
			judged "it notices \"$mistake\"" stream $mistake \
				'up: wrong byte'
			judged "its status says so" stream $mistake \
				"^the server's status is 9"
		done
		judged "it notices an early end" stream early \
			'up: early end of file'
		judged "its status says so" stream early \
			"^the server's status is 9"
		judged "it notices a lost final byte" ended early \
			'up: final bytes lost'
		judged "an errno is no broken stream" stream reset \
			'^total exact 8 errno 1 broken 0'
		judged "its status is another one" stream hang \
			"^the server's status is 1"
		judged "it notices a writer that hangs" stream hang 'hung 1$'
	fi
	rm -r "$dir"
}

echo "TAP version 13"
semantics_status 0 "right bytes" "S recv s 50"
semantics_status 9 "a wrong byte" "S skip s 1" "S recv s 50"
semantics_status 9 "also after a step that is stuck" "S await s pri" \
	"S skip s 1" "S recv s 50"
semantics_status 1 "a step that is stuck has no wrong byte" "S await s pri"
semantics_status 0 "an errno that ends like one is none" "C send bad 1"
crowd_status 9 "a wrong byte" xy
# Byte 0 of connection 0 is 1, byte 1 is 32.
crowd_status 9 "a missing byte" "$(printf '\001')"
crowd_status 0 "right bytes" "$(printf '\001 ')"
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
	v=${kind#tcp}
	fail_load
	[ -x sem/semantics ] && semantics $kind $host
done
echo "1..$n"
[ $bad -eq 0 ]
