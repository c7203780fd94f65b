#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A stream of Linux's AF_SMC ends after its last byte, never before
# rfc: 4.7.5, 4.8.1
# kernel: release
# peer: linux
# timeout: 150
# The server host runs the distribution's own SMC-R. It announces the end of a
# stream with bytes unsent: 2 s after shutdown() or close(), at once if its
# program exits. It writes nothing after urgent data until they are read.
#
# With SMCR_SOAK=1, 400 more programs of a busy host send and exit, and the test
# prints how often nothing proved the end of their stream.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"

kind=smcr4
addresses $kind

# stream COMMAND SIZE: read a stream that Linux ends in this way
stream() {
	timeout "$DEADLINE" python3 -B linux_close.py read "$SERVER" "$PORT" \
		"$@"
}

# hogs N: programs that take the processor from the writer
hogs() {
	local i

	for ((i = 0; i < $1; i++)); do
		program "hog$i" sh -c 'echo serving; while :; do :; done' ||
			return
	done
}

hogs_end() {
	local name

	for name in "${!program_pid[@]}"; do
		[[ $name != hog* ]] || kill "${program_pid[$name]}"
	done
}

# bursts N: likewise, N streams of programs that send and exit
bursts() {
	local i

	for ((i = 0; i < $1; i++)); do
		stream burst 60000 || return
	done
}

# soak: count the unproven ends of many programs
soak() {
	local growth rc=0

	save soak
	timeout 2000 python3 -B linux_close.py count "$SERVER" "$PORT" burst \
		60000 400 >"$tmp/soak" || rc=$?
	cat "$tmp/soak"
	growth soak UnprovenEnds
	grep -q "^$growth of 400 " "$tmp/soak" && return "$rc"
}

elements_back() {
	[ "$(value ElementsTaken)" = "$(value ElementsReturned)" ]
}

client_leads

sysctl_for_now net.smcr.gid_kind 2
on server sysctl_for_now net.smc.wmem 2097152
on server program writer python3 -B linux_close.py write "$SERVER" "$PORT"
save begin
on server linux save begin
for how in shutdown close exit; do
	save $how
	check "$how with 900 KB unsent: all arrives" stream $how 1048576
	grew $how EarlyEnds -eq 1
	# Not one for each read
	grew $how TestLinkSent -le 8
done
# Nothing proves the end of a stream whose socket stays open at Linux's end.
save both
check "both with 900 KB unsent: all arrives, and then ECONNRESET" \
	stream both 1048576 ECONNRESET
grew both UnprovenEnds -eq 1
check "unproven_eof asks for the end of file" \
	sysctl -qw net.smcr.unproven_eof=1
check "both with 900 KB unsent: all arrives, and the end of file" \
	stream both 1048576
check "unproven_eof has its default" sysctl -qw net.smcr.unproven_eof=0
grew both UnprovenEnds -eq 2
grew both EarlyEnds -eq 2
save proven
check "programs that send 20 times and exit: all arrives" bursts 8
save fits
check "shutdown: the last byte fills the window" stream shutdown 131072
check "close: the last byte fills the window" stream close 131072
grew fits EarlyEnds -eq 0
check "urgent data arrives, and the bytes around it" stream urgent 10000
check "so it does at Linux's end" stream toward 10000
on server linux grew begin Urgent -eq 2

# Linux's shutdown() shuts TCP down, too
sysctl_for_now net.smcr.close_timeout_ms 1000
save half
check "a program reads on long after its shutdown() at Linux's end" \
	stream later 10000
grew half ResetCloseTimeout -eq 0
sysctl_for_now net.smcr.close_timeout_ms 60000

# A program that exits holds the lock of its socket, and waits for a processor
check "Linux's host gets busy" on server hogs 4
check "busy host: all arrives" bursts 8
check "busy host: exit with 900 KB unsent: all arrives" stream exit 1048576
grew proven UnprovenEnds -eq 0
[ "${SMCR_SOAK:-0}" != 1 ] ||
	check "busy host: 400 programs send and exit: no stream is cut short" soak
on server hogs_end

# The roles exchanged: Linux's program ends its stream 3 s before it is read
serve $kind "$CLIENT"
save server
from_linux "shutdown with 2 MB unsent, as client" half -u 2m -d 64k \
	-r 32k -D 50000 -H
grew server EarlyEnds -eq 1
from_linux "end of the server" quit
served
no_conn_left
wait_until "all elements are returned" elements_back
by_rdma begin 0 5000000
all_valid begin
finish
