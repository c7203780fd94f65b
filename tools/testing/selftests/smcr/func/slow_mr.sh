#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Slow or limited memory registration delays or ends no other connection
# nics: 1
# Adapters that take seconds to register memory: a connection that finds a free
# element does not wait for the RMB that is being made, and one that waits for
# it keeps its group. Meanwhile a host with such an adapter answers LLC
# messages, and its group can end. Adapters that cannot register much memory at
# once get smaller RMBs. A connection that would wait for a region longer than
# its handshake may last is TCP, also if it would wait for the first region or
# queue pair of a group; after two of these, the next ones are TCP at once. A RST
# that comes while a client waits for its region ends connect() at once.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"
# shellcheck source=lib/slow_lib.sh
. "$(dirname "$0")/lib/slow_lib.sh"

kind=smcr4
addresses $kind

# being_made N: true if N memory regions are being made on both hosts together
being_made() {
	[ "$(both cat "$params/waiting" | awk '{ n += $1 } END { print n }')" \
		= "$1" ]
}

# Open four connections, which fill the first RMB: the first one at once, the
# others after a line of input; after another line reset them all. The third one
# makes the host start the next RMB.
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

# four_say WORD: check that the program of four() prints WORD
four_say() {
	local line

	read -r line <&6
	check "four connections: $1" test "$line" = "$1"
}

# Open one connection in the background; its result is read from descriptor 7.
connect_one() {
	wire forget
	mkfifo "$tmp/one"
	python3 -B lib/sock.py connect "$SERVER" "$PORT" >"$tmp/one" &
	jobs_started+=($!)
	exec 7<"$tmp/one"
	rm "$tmp/one"
}

# queue_pairs: print the number of queue pairs on this host's adapter
queue_pairs() {
	rdma res show rxe0 | sed -n 's/.* qp \([0-9]*\).*/\1/p'
}

# queue_pairs_are N: true if the adapter has N queue pairs
queue_pairs_are() {
	[ "$(queue_pairs)" = "$1" ]
}

# all_unmapped: true if no RMB and no memory region is left on this host
all_unmapped() {
	[ "$(value RmbsCreated)" = "$(value RmbsFreed)" ] &&
		[ "$(value MrRegistrations)" = "$(value MrFrees)" ]
}

# timers LLC_MS TEST_MS: set the LLC timers of this host
timers() {
	sysctl -qw net.smcr.llc_timeout_ms="$1" \
		net.smcr.test_link_interval_ms="$2"
}

# Only this host is slow: the server's RMB is made at once, and the server's LLC
# timeout is shorter than the time that the region takes here.
answers() {
	on server save answers
	crowd_is "two connections of a slow client are open" 2 open 2
	check "the client's regions take a minute from now on" \
		adapter delay_ms $((60000 * SLOW))
	check "the server has an LLC timeout of 1 s, and tests the link" \
		on server timers $((1000 * SLOW)) $((300 * SLOW))
	crowd_is "the third connection needs no region" 3 open 1
	wait_until "the client's next RMB is being made" region_made 1
	on server wait_until "the server confirms its own RMB" \
		grew_to answers ConfirmRkeySent 1
	on server save confirmed
	on server wait_until "it tests the link five times after that" \
		grew_to confirmed TestLinkSent 5
	check "the client's RMB is still being made" region_made 1
	on server grew answers LlcTimeouts -eq 0
	on server grew answers LinksFailed -eq 0
	crowd_is "all three connections work" 3 all 9000
}

# The group ends without waiting for the RMB.
ends() {
	crowd_is "all three are closed" 0 close 3
	wait_until "the group ends: its queue pair is gone" queue_pairs_are "$1"
	check "the RMB is still being made" region_made 1
	check "regions are no longer delayed" adapter delay_ms 0
	no_group_left
	check "the late RMB is freed, and so are the others" \
		all_unmapped
}

# accepts N: true if N connections have received an Accept (68 bytes) and
# nothing else
accepts() {
	[ "$(ss -tinH dport = ":$PORT" |
		grep -cE 'bytes_received:68( |$)')" = "$1" ]
}

# flying: true if a handshake is in flight
flying() {
	[ "$(value HandshakesStarted)" != "$(value HandshakesEnded)" ]
}

# made_when_needed: end the delay of this host's regions as soon as a handshake
# is in flight on this host
made_when_needed() {
	until flying; do
		sleep 0.05
	done
	adapter delay_ms 0
}

# reset_while WHAT: inject a RST into both ends of connect_one. The region takes
# three times as long as the longest deadline of a handshake.
reset_while() {
	local line=nothing

	check "$1: the region is being made" region_made 1
	check "each end of the connection gets a RST" \
		test "$(wire inject '*' '*' rst)" = 2
	read -r -t $((15 * SLOW)) -u 7 line
	exec 7<&-
	check "connect() ends with ECONNRESET (got $line)" \
		test "$line" = ECONNRESET
	check "connect() did not wait for the region" region_made 1
}

# impatient HOST: the region that HOST needs for a connection takes a minute, so
# the connection is TCP, without a reset
impatient() {
	local host=$1

	both save impatient
	crowd_is "two connections are open" 2 open 2
	on "$host" check "regions of the $host take a minute from now on" \
		adapter delay_ms $((60000 * SLOW))
	crowd_is "two more fill the first RMB" 4 open 2
	crowd_is "the fifth connection waits, and is open" 5 open 1
	check "the region is still being made" on "$host" region_made 1
	crowd_is "all five connections work" 5 all 9000
	on "$host" grew impatient GroupTimeouts -eq 1
	on "$host" grew impatient FallbackResourceLimit -eq 1
	both grew impatient GroupTimeouts -le 1
	both grew impatient Fallbacks -eq 1
	both grew impatient HandshakeTimeouts -eq 0
	both grew impatient Aborts -eq 0
	crowd_is "all are closed" 0 close 5
	on "$host" check "regions are no longer delayed" adapter delay_ms 0
	no_group_left
}

# first_contact HOST PARAMETER COUNT: the call into the adapter of HOST that
# PARAMETER of ../mod/slowmr.c delays takes a minute, so COUNT connections
# without a group are TCP, without a reset
first_contact() {
	local host=$1 i

	both save first
	on "$host" check "$2 is a minute on the $host from now on" \
		adapter "$2" $((60000 * SLOW))
	for ((i = 1; i <= $3; i++)); do
		crowd_is "connection $i is open" "$i" open 1
		on "$host" check "calls into the adapter: $i" region_made "$i"
	done
	crowd_is "all of them work" "$3" all 9000
	on "$host" grew first GroupTimeouts -eq "$3"
	both grew first Fallbacks -eq "$3"
	both grew first HandshakeTimeouts -eq 0
	both grew first Aborts -eq 0
}

# back HOST PARAMETER COUNT: close the COUNT connections; the adapter is fast
back() {
	crowd_is "close() does not wait for the adapter" 0 close "$3"
	on "$1" check "the adapter is not slow any more" adapter "$2" 0
	no_group_left
}

client_leads

# A linger time shorter than the delay of the slow adapter.
on server sysctl_for_now net.smcr.lgr_linger_ms 1000
check "the module is on both hosts" both insmod /share/slowmr.ko
both undo_later rmmod slowmr
undo_later sysctl -qw net.smcr.rmem="$(sysctl -n net.smcr.rmem)"
both undo_later sh -c "echo 0 | tee $params/delay_ms >$params/reg_ms"
on server crowd_serve $kind "$SERVER"
on server save begin
crowd_begin $kind "$SERVER"

save slow
crowd_is "two connections are open" 2 open 2
check "regions take a minute from now on" \
	both adapter delay_ms $((60000 * SLOW))
crowd_is "the third connection needs no region" 3 open 1
wait_until "on both hosts the next RMB is being made" being_made 2
crowd_is "the fourth connection finds a free element" 4 open 1
check "it did not wait for the RMBs" being_made 2
crowd_is "all four connections work meanwhile" 4 all 9000
check "the RMBs are still being made" being_made 2
start server made_when_needed
made_when_needed &
needed=$!
jobs_started+=("$needed")
crowd_is "the fifth connection waits for them" 5 open 1
join server
wait "$needed"
check "the RMBs are made" being_made 0
crowd_is "all five connections work" 5 all 9000
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
crowd_is "a new connection waits for an RMB" 1 open 1
check "it waits longer than the group lingers" test "$cost" -gt 1500000
grew kept FirstContacts -eq 1
grew kept SubsequentContacts -eq 4
crowd_is "its bytes are right" 1 all 9000
crowd_is "it is closed, too" 0 close 1
no_fallback kept
check "regions are no longer delayed" both adapter delay_ms 0
exec 5>&-
no_group_left

save answers
qps=$(queue_pairs)
mapfile -t before < <(on server sysctl -n net.smcr.llc_timeout_ms \
	net.smcr.test_link_interval_ms)
answers
check "the server's timers are restored" on server timers "${before[@]}"
ends "$qps"
grew answers FirstContacts -eq 1
grew answers LlcTimeouts -eq 0
no_fallback answers

save small
check "regions have 100 pages at most" both adapter max_pages 100
crowd_is "twelve connections are open" 12 open 12
crowd_is "their bytes are right" 12 all 9000
grew small RmbsSmaller -ge 4
no_fallback small
crowd_is "all are closed" 0 close 12
check "regions have no limit" both adapter max_pages 0
no_group_left

save reset
crowd_is "one connection is open" 1 open 1
check "the client's elements are larger from now on" \
	sysctl -qw net.smcr.rmem=524284
check "its regions take a minute" adapter delay_ms $((60000 * SLOW))
connect_one
wait_until "a second connection has its Accept" accepts 2
wait_until "its RMB is being made" region_made 1
reset_while "a subsequent contact"
check "regions are no longer delayed" adapter delay_ms 0
crowd_is "the next connection is open" 2 open 1
crowd_is "both connections work" 2 all 9000
crowd_is "both are closed" 0 close 2
grew reset FirstContacts -eq 1
grew reset SubsequentContacts -eq 1
no_group_left
check "registering a region takes a minute" \
	adapter reg_ms $((60000 * SLOW))
connect_one
wait_until "the first RMB is being registered" region_made 1
reset_while "a first contact"
check "registering is no longer delayed" adapter reg_ms 0
no_group_left
crowd_is "the next connection forms a group" 1 open 1
crowd_is "it works" 1 all 9000
crowd_is "it is closed" 0 close 1
no_fallback reset
grew reset HandshakeTimeouts -eq 0
on server no_fallback begin

both check "handshakes last 8 s" \
	deadlines $((14 + SLOW / 2)) $((2500 * SLOW)) $((8000 * SLOW))
both undo_later calm_timers
impatient server
impatient client

first_contact client qp_ms 2
save listed
crowd_is "the third connection is open" 3 open 1
check "it was TCP at once" test "$cost" -lt $((1000000 * SLOW))
check "the adapter was not asked again" region_made 2
grew listed Fallbacks -eq 1
back client qp_ms 3
both sysctl_for_now net.smcr.negative_ms 0
crowd_is "without the negative list the next one forms a group" 1 open 1
crowd_is "it works" 1 all 9000
crowd_is "it is closed" 0 close 1
grew listed FirstContacts -eq 1
no_group_left
first_contact server delay_ms 1
back server delay_ms 1
first_contact server qp_ms 1
back server qp_ms 1
crowd_end
on server crowd_served
on server grew begin RmbsSmaller -ge 4
both no_conn_left
finish
