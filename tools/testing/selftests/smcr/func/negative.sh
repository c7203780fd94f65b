#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: After two failed first contacts, connections to that peer are plain TCP
# rfc: 3.5.1.6.4
# timeout: 180
# The negative list: after one failure for which RFC 7609 has no fallback, or two
# of RDMA in a row, connections to the same destination or path are plain TCP
# until SMC-R works there again. A server whose process is killed is not listed.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# echoes PORT COUNT: open connections that send a byte and get it back
# shellcheck disable=SC2086 # kind is one word
echoes() {
	printf '\n\n' | timeout $((30 * PATIENCE)) \
		burst/burst $kind "$SERVER" "$1" send "$2" >/dev/null
}

# first_contact: expect a reset or a fallback: the queue pair may fail after or
# before its first message counts as sent
first_contact() {
	if io $kind "$SERVER" seq -n 1 >"$tmp/first" 2>&1; then
		ok "a first contact without RDMA falls back"
	else
		sed 's/^/# /' "$tmp/first"
		check "a first contact without RDMA is reset" \
			grep -q ECONNRESET "$tmp/first"
	fi
}

# listed TEXT: true if the negative list contains TEXT, in JSON
listed() {
	smcr-ctl -j negative show | tr -d ' ' | grep -q "$1"
}

# forgotten: true if the negative list has no path
forgotten() {
	! listed '"kind":"path"'
}

# noted NAME: the first failure of a path blocks nothing
noted() {
	save "$1"
	first_contact
	grew "$1" NegativeNoted -eq 1
	grew "$1" NegativeAdded -eq 0
	grew "$1" FallbackNegPath -eq 0
	check "$1: the path is noted" listed "$path,\"state\":\"noted\",\"failures\":1,"
}

no_group() {
	[ "$(value LinkGroups)" = "$(value LinkGroupsFreed)" ]
}

# synopt_loaded: load a module with which sockets echo the option without smcr
synopt_loaded() {
	undo_later rmmod synopt
	check "synopt is loaded" insmod /share/synopt.ko
}

# proposed PORT: true if a Proposal waits to be read
proposed() {
	[ "$(ss -Htn state established "sport = :$1" |
		awk '{ print $1 }')" = 52 ]
}

# ended_here PORT: "ss -K" ends TCP while a client waits for the Accept
ended_here() {
	local pid

	save here
	python3 -B lib/sock.py connect "$SERVER" "$1" >"$tmp/here" 2>&1 &
	pid=$!
	jobs_started+=("$pid")
	on server wait_until "its Proposal has come" proposed "$1"
	check "TCP is ended on this host" \
		ss -K "dst $SERVER and dport = :$1"
	wait "$pid"
	check "connect() tells it, as over TCP (got $(<"$tmp/here"))" \
		test "$(<"$tmp/here")" = ECONNABORTED
	grew here NegativeAdded -eq 0
	grew here NegativeForgiven -eq 0
}

stalls() {
	[ "$(cat /dev/smcr_stall)" = 1 ]
}

# stood_still: the Accept has come, but the program holds the lock of its socket
# until the time of the handshake is over
stood_still() {
	local pid

	check "a device stalls page faults" insmod /share/stall.ko
	undo_later rmmod stall
	both deadlines 16 $((3000 * SLOW)) $((5000 * SLOW))
	both save still
	check "the Accept takes a while" \
		wire fault server0 client0 delay 500000 only tcp
	timeout $((60 * PATIENCE)) ./still.py "$SERVER" "$PORT" >"$tmp/still" &
	pid=$!
	jobs_started+=("$pid")
	wait_until "the program stalls" stalls
	# The server's RST must not take a while, too
	wire clear
	on server wait_until "the handshake's time is over" \
		grew_to still HandshakeTimeouts 1
	echo go >/dev/smcr_stall
	wait "$pid"
	check "its connect() fails (got $(<"$tmp/still"))" \
		grep -q ECONNRESET "$tmp/still"
	grew still NegativeAdded -eq 0
	both calm_timers
}

# end_of_server: kill the server during its handshakes, and start another one
end_of_server() {
	wait_until "4 handshakes are under way" \
		grew_to killed HandshakesStarted 4
	check "the server is killed" kill -KILL "${program_pid[serve]}"
	wait "${program_pid[serve]}" 2>/dev/null
	serve "$kind" "$SERVER"
}

client_leads

on server synopt_loaded
sysctl_for_now net.smcr.negative_ms $((10000 * SLOW))
on server sysctl_for_now net.smcr.negative_ms 0
# End groups at once, so that the next connection is a first contact.
on server sysctl_for_now net.smcr.lgr_linger_ms 0
on server save begin
on server serve $kind "$SERVER"

# A firewall drops RoCE.
undo_later wire clear
check "RoCE is cut" wire fault server0 client0 cut 1 only roce
path='"kind":"path","peer":"10.9.0.1","peer-port":0'
noted first
save path
on server save path
first_contact
on server grew path FirstContacts -eq 1
grew path NegativeNoted -eq 0
grew path NegativeAdded -eq 1
check "the second failure blocks the path" \
	listed "$path,\"state\":\"blocked\",\"failures\":2,"
on server save rests
io_check "the next 3 connections work" $kind "$SERVER" seq -n 3
grew path FallbackNegPath -eq 3
on server grew rests HandshakesStarted -eq 0
on server grew rests FallbackNoOption -eq 3
wire clear
wait_until "the entry has expired" listed '"failures":2,"remaining-ms":0'
save healed
io_check "SMC-R is tried again, and works" $kind "$SERVER" stream -u 100k
by_rdma healed 102400 0
check_not "the path is no longer listed" listed path

# A failure that a success or a long time follows is none of two in a row.
cut_again() {
	both wait_until "there is no group" no_group
	check "RoCE is cut: $1" wire fault server0 client0 cut 1 only roce
}

cut_again "before a success"
noted before
wire clear
save healed
io_check "the next connection tries SMC-R" $kind "$SERVER" stream -u 100k
by_rdma healed 102400 0
check "the failure is forgotten" forgotten
cut_again "after a success"
sysctl_for_now net.smcr.negative_max_ms $((5000 * SLOW))
noted after
wait_until "the failure is forgotten after its time" forgotten
noted later
sysctl -qw net.smcr.negative_max_ms=600000
wire clear
io_check "RDMA works" $kind "$SERVER" stream -u 100k
check "nothing is listed" forgotten
stood_still

# The server is killed during a first contact that hangs and during the contacts
# that wait for it. Its host has answered before.
both patient_qps
both wait_until "there is no group" no_group
check "RoCE is cut once more" wire fault server0 client0 cut 1 only roce
both save killed
for i in 1 2 3 4; do
	io $kind "$SERVER" seq -n 1 2>"$tmp/killed.$i" &
	killed[i]=$!
	jobs_started+=("${killed[i]}")
done
wait_until "4 handshakes are under way here" grew_to killed HandshakesStarted 4
on server end_of_server
for i in 1 2 3 4; do
	wait "${killed[i]}"
	check "handshake $i is reset" grep -q ECONNRESET "$tmp/killed.$i"
done
wire clear
both calm_timers
grew killed NegativeForgiven -eq 4
grew killed NegativeAdded -eq 0
grew killed NegativeNoted -eq 0
save killed
io_check "a new server serves" $kind "$SERVER" stream -u 100k
by_rdma killed 102400 0

# The same for the server's list
sysctl_for_now net.smcr.negative_ms 0
on server sysctl_for_now net.smcr.negative_ms 600000
both wait_until "there is no group" no_group
check "RoCE is cut again" wire fault server0 client0 cut 1 only roce
both save server
first_contact
on server grew server NegativeNoted -eq 1
on server grew server NegativeAdded -eq 0
first_contact
on server grew server FallbackNegPath -eq 0
grew server NegativeAdded -eq 0
grew server NegativeNoted -eq 0
io_check "the next 3 connections work" $kind "$SERVER" seq -n 3
grew server FallbackPeerDeclined -ge 3
on server grew server FallbackNegPath -eq 3
on server grew server NegativeNoted -eq 1
on server grew server NegativeAdded -eq 1
wire clear

# A peer that echoes the option but does not speak CLC
on server program deaf7700 ./deaf.py "$SERVER" 7700
on server program deaf7701 ./deaf.py "$SERVER" 7701
sysctl_for_now net.smcr.negative_ms 600000
save deaf
check_not "a destination that breaks CLC" echoes 7700 1
grew deaf NegativeAdded -eq 1
check "the destination is listed" \
	listed '"kind":"destination","peer":"10.9.0.1","peer-port":7700'
check "the next 3 connections work" echoes 7700 3
grew deaf FallbackNegDestination -eq 3
check_not "its other port is another destination" echoes 7701 1
grew deaf NegativeAdded -eq 2

# A peer that echoes the option and is silent, first without a fault of its own,
# then to a program that waits for less time than a handshake takes
on server program deaf7702 ./deaf.py "$SERVER" 7702 silent
sysctl_for_now net.smcr.handshake_timeout_ms 60000
ended_here 7702
save silent
check_not "a program that waits for a few seconds gets no connection" \
	timeout -s KILL $((3 * PATIENCE)) \
	burst/burst $kind "$SERVER" 7702 send 1
grew silent NegativeAdded -eq 1
check "its next 3 connections work" echoes 7702 3
grew silent FallbackNegDestination -eq 3

io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
