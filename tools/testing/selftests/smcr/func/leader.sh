#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: The handshake that formed a group may end after others use the group
# nics: 1
# The handshake that formed a link group ends long after other connections have
# begun to use the group, and ends alone. This is done once on the server and
# once on the client, where a test module keeps that handshake from seeing that
# the group is ready. And a client's FIN may come before the server sees that:
# Linux's client passes shutdown() on to TCP. Or its program is killed.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind

# Open the connection of that handshake; the name of its errno goes to
# $tmp/leader.
leader() {
	timeout $((60 * PATIENCE)) python3 -B lib/sock.py read "$SERVER" "$PORT" \
		>"$tmp/leader" 2>&1 &
	leader_pid=$!
	jobs_started+=("$leader_pid")
}

# late HOST ERRNO: delay the handshake on HOST; the client's program gets ERRNO
late() {
	both save "$1"
	on "$1" check "the $1's handshake is delayed" insmod /share/late.ko
	leader
	wait_until "$1: a group is formed" grew_to "$1" FirstContacts 1
	crowd_is "$1: other connections use it" 3 open 3
	crowd_is "$1: their bytes are right" 3 all 9000
	wait "$leader_pid"
	check "$1: the first one ends alone, with $2" \
		test "$(cat "$tmp/leader")" = "$2"
	both grew "$1" LinkGroups -eq 1
	on server grew "$1" Aborts -le 1
	[ "$1" != server ] || on server grew "$1" HandshakeTimeouts -eq 1
	crowd_is "$1: the others still work" 3 all 9000
	grew "$1" FirstContacts -eq 1
	grew "$1" SubsequentContacts -eq 3
	both no_fallback "$1"
	on "$1" check "late is unloaded" rmmod late
	crowd_is "$1: one more connection uses the group" 4 open 1
	grew "$1" FirstContacts -eq 1
	crowd_is "$1: all are closed" 0 close 4
	no_group_left
}

# in_close_wait: true if a client's FIN has come; for wait_until
in_close_wait() {
	ss -Htn state close-wait "sport = :$PORT" | grep -q .
}

# early_fin: a client's FIN comes, and its reply to CONFIRM LINK later
early_fin() {
	both save fin
	wire forget
	check "RoCE from the client is slow" \
		wire fault client0 server0 delay $((4000000 * SLOW)) only roce
	printf 'open 1\nall 100\n' |
		timeout $((60 * PATIENCE)) "$CROWD" $kind "$SERVER" "$PORT" \
			client >"$tmp/fin" 2>&1 &
	jobs_started+=($!)
	on server wait_until "CONFIRM LINK is sent" grew_to fin LlcSent 1
	check "a FIN of the client" test "$(wire inject client0 server0 fin)" = 1
	on server wait_until "the FIN has come" in_close_wait
	on server grew fin LlcReceived -eq 0
	check "RoCE is fast again" wire clear
	wait "${jobs_started[-1]}"
	check "no byte of the connection is wrong" right_bytes $?
	check "it works" grep -qx "all 1" "$tmp/fin"
	both grew fin HandshakesDone -eq 1
	both grew fin NegativeAdded -eq 0
	both grew fin NegativeNoted -eq 0
	both no_fallback fin
	both no_conn_left
	on server grew fin Aborts -eq 0
	no_group_left
}

# gives_up: a client's program ends while its reply to CONFIRM LINK is on its
# way. That is no failure of the path, however often it happens.
gives_up() {
	local nth

	both save gives_up
	check "RoCE from the client is slow" \
		wire fault client0 server0 delay $((4000000 * SLOW)) only roce
	for nth in 1 2; do
		on server save llc
		leader
		on server wait_until "CONFIRM LINK is sent, time $nth" \
			grew_to llc LlcSent 1
		check "the client is killed, time $nth" kill "$leader_pid"
		wait "$leader_pid"
		on server wait_until "its handshake ends, time $nth" \
			grew_to gives_up HandshakesEnded $nth
	done
	check "RoCE is fast again" wire clear
	both grew gives_up HandshakesDone -eq 0
	both grew gives_up NegativeNoted -eq 0
	both grew gives_up NegativeAdded -eq 0
	both no_conn_left
	no_group_left
}

client_leads

both sysctl_for_now net.smcr.lgr_linger_ms 500
on server crowd_serve $kind "$SERVER"
undo_later wire clear
both patient_qps
early_fin
gives_up
both check "deadlines are short" \
	deadlines $((14 + SLOW / 2)) $((2500 * SLOW)) $((4000 * SLOW))
crowd_begin $kind "$SERVER"
late server ECONNRESET
late client ETIMEDOUT
crowd_end
no_conn_left
on server crowd_served
finish
