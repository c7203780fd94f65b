#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Slow or limited memory registration delays or ends no other connection
# kernel: turns bounds
# nics: 1
# Adapters that take seconds to register memory: connections that find a free
# element do not wait for the RMB that is being made, and one that waits for it
# keeps its group. A host with such an adapter answers LLC messages meanwhile,
# and its group can end. Adapters that cannot register much at once: smaller
# RMBs. A RST that comes while a client waits for its region ends connect() at
# once.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind
params=/sys/module/slowmr/parameters

# adapter NAME VALUE: a parameter of ../mod/slowmr.c on this host
adapter() {
	echo "$2" >"$params/$1"
}

# being_made N: memory regions at this moment, on both hosts together
being_made() {
	[ "$(both cat "$params/waiting" | awk '{ n += $1 } END { print n }')" \
		= "$1" ]
}

# Four connections that fill the first RMB: the first one at once, the others
# after a line of input, and after another line all are reset. For the third one
# the next RMB is made.
four() {
	mkfifo "$tmp/four.in" "$tmp/four.out"
	python3 -B -u -c '
import socket, struct, sys
from lib.sock import connected
s = []
for n in 1, 3:
	for i in range(n):
		s.append(connected((sys.argv[1], int(sys.argv[2]))))
	print("open")
	sys.stdin.readline()
for c in s:
	c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
		     struct.pack("ii", 1, 0))
	c.close()
print("reset")
' "$SERVER" "$PORT" <"$tmp/four.in" >"$tmp/four.out" &
	jobs_started+=($!)
	exec 5>"$tmp/four.in" 6<"$tmp/four.out"
	four_say open
}

# four_say WORD: what they have done
four_say() {
	local line

	read -r line <&6
	check "four connections: $1" test "$line" = "$1"
}

# One connection, in the background; connected says what became of it.
connect_one() {
	wire forget
	mkfifo "$tmp/one"
	python3 -B lib/sock.py connect "$SERVER" "$PORT" >"$tmp/one" &
	jobs_started+=($!)
	exec 7<"$tmp/one"
	rm "$tmp/one"
}

# how many queue pairs are on this host's adapter
queue_pairs() {
	rdma res show rxe0 | sed -n 's/.* qp \([0-9]*\).*/\1/p'
}

# queue_pairs_are N
queue_pairs_are() {
	[ "$(queue_pairs)" = "$1" ]
}

# all_unmapped: no RMB and no memory region is left here
all_unmapped() {
	[ "$(value RmbsCreated)" = "$(value RmbsFreed)" ] &&
		[ "$(value MrRegistrations)" = "$(value MrFrees)" ]
}

# timers LLC_MS TEST_MS: of this host
timers() {
	sysctl -qw net.smcr.llc_timeout_ms="$1" \
		net.smcr.test_link_interval_ms="$2"
}

# Only this host is slow: the server's RMB is made at once, and each LLC message
# has to be answered in a shorter time than the region takes here.
answers() {
	on server save answers
	crowd_is "two connections of a slow client" 2 open 2
	check "its regions take a minute from now on" \
		adapter delay_ms $((60000 * SLOW))
	check "the server waits for an answer for 1 s, and tests the link" \
		on server timers $((1000 * SLOW)) $((300 * SLOW))
	crowd_is "the third needs no region" 3 open 1
	wait_until "the client's next RMB is being made" region_made 1
	on server wait_until "it confirms its own" \
		grew_to answers ConfirmRkeySent 1
	on server save confirmed
	on server wait_until "and tests the link five times after that" \
		grew_to confirmed TestLinkSent 5
	check "the client's is still being made" region_made 1
	on server grew answers LlcTimeouts -eq 0
	on server grew answers LinksFailed -eq 0
	crowd_is "all three work" 3 all 9000
}

# The group ends before the RMB is made: it does not wait for it.
ends() {
	crowd_is "they are closed" 0 close 3
	wait_until "the group ends: its queue pair is gone" queue_pairs_are "$1"
	check "while the RMB is still being made" region_made 1
	check "regions take no time" adapter delay_ms 0
	no_group_left
	check "the RMB that came too late is freed, as are the others" \
		all_unmapped
}

# accepts N: so many connections have had an Accept, of 68 bytes, and no more
accepts() {
	[ "$(ss -tinH dport = ":$PORT" |
		grep -cE 'bytes_received:68( |$)')" = "$1" ]
}

# flying: a handshake is under way
flying() {
	[ "$(value HandshakesStarted)" != "$(value HandshakesEnded)" ]
}

# made_when_needed: this host's regions take no time as soon as a handshake is
# under way here
made_when_needed() {
	until flying; do
		sleep 0.05
	done
	adapter delay_ms 0
}

# region_made N: so many are being made or registered here
region_made() {
	[ "$(cat "$params/waiting")" = "$1" ]
}

# reset_while WHAT: a RST comes to both ends of connect_one. The region takes
# three times as long as anybody waits here.
reset_while() {
	local line=nothing

	check "$1: the region is not there" region_made 1
	check "a RST to each end of the connection" \
		test "$(wire inject '*' '*' rst)" = 2
	read -r -t $((15 * SLOW)) -u 7 line
	exec 7<&-
	check "connect() ends with ECONNRESET (got $line)" \
		test "$line" = ECONNRESET
	check "and has not waited for the region" region_made 1
}

client_leads

# Shorter than what the slow adapter takes.
on server sysctl_for_now net.smcr.lgr_linger_ms 1000
check "the module is on both hosts" both insmod /share/slowmr.ko
both undo_later rmmod slowmr
undo_later sysctl -qw net.smcr.rmem="$(sysctl -n net.smcr.rmem)"
both undo_later sh -c "echo 0 | tee $params/delay_ms >$params/reg_ms"
on server crowd_serve $kind "$SERVER"
on server save begin
crowd_begin $kind "$SERVER"

save slow
crowd_is "two connections" 2 open 2
check "regions take a minute from now on" \
	both adapter delay_ms $((60000 * SLOW))
crowd_is "the third needs no region" 3 open 1
wait_until "on both hosts the next RMB is being made" being_made 2
crowd_is "the fourth finds a free element" 4 open 1
check "and did not wait for the RMBs" being_made 2
crowd_is "all four work meanwhile" 4 all 9000
check "the RMBs are still being made" being_made 2
start server made_when_needed
made_when_needed &
needed=$!
jobs_started+=("$needed")
crowd_is "the fifth waits for them" 5 open 1
join server
wait "$needed"
check "they are made" being_made 0
crowd_is "and all are right" 5 all 9000
crowd_is "all are closed" 0 close 5
grew slow FirstContacts -eq 1
grew slow SubsequentContacts -eq 4
no_fallback slow
no_group_left

save kept
four
check "regions take 5 s from now on" both adapter delay_ms $((5000 * SLOW))
echo more >&5
four_say open
echo reset >&5
four_say reset
crowd_is "one that comes then waits for an RMB" 1 open 1
check "which takes longer than the group lingers" test "$cost" -gt 1500000
grew kept FirstContacts -eq 1
grew kept SubsequentContacts -eq 4
crowd_is "it is right" 1 all 9000
crowd_is "and closed" 0 close 1
no_fallback kept
check "regions take no time" both adapter delay_ms 0
exec 5>&-
no_group_left

save answers
qps=$(queue_pairs)
mapfile -t before < <(on server sysctl -n net.smcr.llc_timeout_ms \
	net.smcr.test_link_interval_ms)
answers
check "the server's timers are as before" on server timers "${before[@]}"
ends "$qps"
grew answers FirstContacts -eq 1
grew answers LlcTimeouts -eq 0
no_fallback answers

save small
check "regions have 100 pages at most" both adapter max_pages 100
crowd_is "twelve connections" 12 open 12
crowd_is "are right" 12 all 9000
grew small RmbsSmaller -ge 4
no_fallback small
crowd_is "all are closed" 0 close 12
check "regions have any size" both adapter max_pages 0
no_group_left

save reset
crowd_is "one connection" 1 open 1
check "here, elements are larger from now on" sysctl -qw net.smcr.rmem=524284
check "and their regions take a minute" adapter delay_ms $((60000 * SLOW))
connect_one
wait_until "another connection has its Accept" accepts 2
wait_until "its RMB is being made" region_made 1
reset_while "a subsequent contact"
check "regions take no time" adapter delay_ms 0
crowd_is "the next one" 2 open 1
crowd_is "is right" 2 all 9000
crowd_is "both are closed" 0 close 2
grew reset FirstContacts -eq 1
grew reset SubsequentContacts -eq 1
no_group_left
check "to register a region takes a minute" \
	adapter reg_ms $((60000 * SLOW))
connect_one
wait_until "the first RMB is being registered" region_made 1
reset_while "a first contact"
check "it takes no time" adapter reg_ms 0
no_group_left
crowd_is "the next connection has a group" 1 open 1
crowd_is "and is right" 1 all 9000
crowd_is "it is closed" 0 close 1
no_fallback reset
grew reset HandshakeTimeouts -eq 0
crowd_end
on server crowd_served
on server grew begin RmbsSmaller -ge 4
on server no_fallback begin
both no_conn_left
finish
