#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: A namespace may end while its sockets live, wait or shake hands
# nics: 1
# timeout: 200
# Namespaces end while their sockets have connections, wait in connect(), or
# have a handshake with a silent peer. Soft-RoCE serves the initial namespace
# only, so the connections of the others are TCP.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh disable=SC2086
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/leak_lib.sh
. "$FUNC_DIR/lib/leak_lib.sh"

rounds=12
[ "$SLOW" = 1 ] || [ "${SMCR_SOAK:-0}" = 1 ] || rounds=6
[ "${SMCR_SOAK:-0}" != 1 ] || rounds=99
third=$((rounds / 3))
HOST=$FUNC_DIR/lib/faults_host.sh

# TCP connections that offer SMC-R and then stay silent.
cat >"$tmp/silent.pl" <<'PERL'
use Socket;
open(my $dev, '+<', '/dev/synopt') or die "synopt: $!";
my @all;
for (1 .. 10) {
	socket(my $s, AF_INET, SOCK_STREAM, 0) or die "socket: $!";
	ioctl($dev, 0x7901, fileno($s)) or die "mark: $!";
	connect($s, sockaddr_in(7600, inet_aton('127.0.0.1'))) or
		die "connect: $!";
	push(@all, $s);
}
open(my $said, '>', $ARGV[0]);
close($said);
sleep;
PERL

# This script runs in a namespace of its own until it is killed.
cat >"$tmp/inside" <<'INSIDE'
ip link set lo up
ip link add d0 type dummy
ip link set d0 up
ip addr add 192.0.2.1/24 dev d0
mkfifo "$tmp/in.$1" "$tmp/held.$1" "$tmp/serve.$1"
"$IO" smcr4 127.0.0.1 7600 serve -c >"$tmp/serve.$1" &
read -r line <"$tmp/serve.$1"
"$IO" smcr4 192.0.2.9 7600 stream &
"$IO" smcr4 127.0.0.1 7600 hold -n 10 <>"$tmp/in.$1" >"$tmp/held.$1" &
read -r line <"$tmp/held.$1"
perl "$tmp/silent.pl" "$tmp/silent.$1" &
until [ -e "$tmp/silent.$1" ]; do sleep 0.05; done
awk '/^(HandshakesStarted|HandshakesEnded) / { n[$1] = $2 }
	END { print n["HandshakesStarted"] - n["HandshakesEnded"] }' \
	/proc/net/smcr_stat >"$tmp/state.$1.new"
mv "$tmp/state.$1.new" "$tmp/state.$1"
wait
INSIDE
export tmp IO

references() {
	[ "$(cat /sys/module/smcr/refcnt)" = "$references" ]
}

# one N: create a namespace with sockets of each kind, and end it
one() {
	local pid end=$((SECONDS + DEADLINE))

	unshare --net --pid --fork --kill-child bash "$tmp/inside" "$1" \
		>"$tmp/log" 2>&1 &
	pid=$!
	jobs_started+=("$pid")
	until [ -e "$tmp/state.$1" ]; do
		if [ $SECONDS -ge $end ]; then
			cat "$tmp/log"
			return 1
		fi
		sleep 0.05
	done
	open=$(cat "$tmp/state.$1")
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	return 0
}

# all FIRST: create a third of the namespaces, of which this is the first one
all() {
	local i

	for ((i = $1; i < $1 + third; i++)); do
		one "$i" || return 1
	done
	echo "$open handshakes were open in the last"
}

[ -e /dev/synopt ] || check "synopt is loaded" insmod "$SHARED/synopt.ko"
undo_later rmmod synopt
references=$(cat /sys/module/smcr/refcnt)
check "a first namespace has come and gone" one 0
wait_until "it holds no reference to the module" references
before=$("$HOST" kernel_memory)
used=("$("$HOST" used_memory)")
for begin in 1 $((third + 1)) $((2 * third + 1)); do
	check "$third namespaces have come and gone" all $begin
	wait_until "they hold no reference to the module" references
	used+=("$("$HOST" used_memory)")
done
no_leak "a namespace" 65536 $third "${used[@]}"
now=$("$HOST" kernel_memory)
check "kernel memory grew by $((now - before)) kB" \
	test $((now - before)) -lt $((4096 * SLOW))
finish
