#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Past each bound of net.smcr a connection is plain TCP, and counted
# rfc: 2.1, 3.5.3
# kernel: turns bounds
# nics: 1
# timeout: 240
# Each bound of net.smcr: past it a connection is plain TCP, with the reason
# counted where the bound is, its bytes exact and no error; with the bound
# lifted the next one is RDMA again.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind

# other_than HOST
other_than() {
	[ "$1" = client ] && echo server || echo client
}

# set_bound HOST NAME VALUE: until "lift_bound HOST NAME"
declare -A bound_was
set_bound() {
	bound_was[$2]=$(on "$1" sysctl -n "net.smcr.$2")
	on "$1" sysctl -qw "net.smcr.$2=$3"
}

lift_bound() {
	on "$1" sysctl -qw "net.smcr.$2=${bound_was[$2]}"
}

# crowd_opens FACT NUMBER: connections that carry 9000 bytes each
crowd_opens() {
	crowd_is "$1" "$2" open "$2"
	crowd_is "and right" "$2" all 9000
}

# crowd_closes NUMBER: and nothing is left on this host
crowd_closes() {
	crowd_is "all are closed" 0 close "$1"
	no_conn_left
	no_group_left
}

# bound HOST NAME VALUE OPEN TCP COUNTER: with net.smcr.NAME at VALUE on HOST,
# OPEN connections are made, TCP of which fall back; COUNTER says which bound it
# was.
bound() {
	local host=$1 name=$2 open=$4 tcp=$5 counter=$6

	both save past
	set_bound "$host" "$name" "$3"
	crowd_opens "$name at the $host: $open connections are open" "$open"
	crowd_closes "$open"
	both grew past Fallbacks -eq "$tcp"
	both grew past Aborts -eq 0
	on "$host" grew past FallbackResourceLimit -eq "$tcp"
	on "$host" grew past "$counter" -ge 1
	on "$(other_than "$host")" grew past FallbackPeerDeclined -eq "$tcp"
	lift_bound "$host" "$name"

	save lifted
	crowd_opens "$name lifted" "$open"
	no_fallback lifted
	crowd_closes "$open"
}

# hold_proposals: they are lost, so that handshakes stay in flight
# shellcheck disable=SC2317 # called by check
hold_proposals() {
	nft -f - <<-EOT
	table ip smcr_limits {
		chain out {
			type filter hook output priority 0;
			ip daddr $SERVER4 tcp dport $PORT ip length > 80 drop
		}
	}
	EOT
}

# hang I...: a connection each that hangs until "let_go"
clients=()
hang() {
	local i

	for i in "$@"; do
		printf 'open 1\nall 500\n' |
			timeout $((60 * SLOW)) "$CROWD" $kind "$SERVER" "$PORT" \
				client >"$tmp/one.$i" 2>&1 &
		clients+=($!)
		jobs_started+=($!)
	done
}

let_go() {
	check "Proposals pass" nft delete table ip smcr_limits
	wait "${clients[@]}"
	check "each was connected, and its bytes were right" \
		test "$(cat "$tmp"/one.? | grep -c '^all 1$')" = 4
	clients=()
	no_conn_left
}

client_leads

both sysctl_for_now net.smcr.lgr_linger_ms 0
on server crowd_serve $kind "$SERVER"
crowd_begin $kind "$SERVER"

for host in client server; do
	bound $host max_lgrs 0 3 3 GroupsRefused
	bound $host max_qps 0 3 3 QpsRefused
	# The first RMB has four elements of 128 KB, the next would have 16.
	bound $host max_rmb_bytes $((1 << 20)) 6 2 RmbsRefused
	bound $host max_send_bytes $((384 << 10)) 5 2 SendSpaceRefused
done

# A client at its own limit has no other group to go to.
bound client max_conns_per_lgr 2 5 3 ConnsOpened
# A server makes another: parallel link groups.
set_bound server max_conns_per_lgr 6
both save parallel
crowd_opens "20 connections, 6 to a group" 20
grew parallel FirstContacts -eq 4
both grew parallel LinkGroups -eq 4
both no_fallback parallel
crowd_closes 20
lift_bound server max_conns_per_lgr

# The bound is looked at when a SYN comes: not all four at once.
set_bound server max_handshakes 2
both save handshakes
check "Proposals are held back" hold_proposals
hang 1 2
on server wait_until "two are in flight" \
	grew_to handshakes HandshakesStarted 2
hang 3 4
on server wait_until "two were refused" \
	grew_to handshakes HandshakesRefused 2
on server grew handshakes HandshakesStarted -eq 2
wait_until "four are in flight" grew_to handshakes HandshakesStarted 4
let_go
both grew handshakes Fallbacks -eq 2
both grew handshakes HandshakesDone -eq 2
grew handshakes FallbackNoOption -eq 2
on server grew handshakes FallbackCongested -eq 2
lift_bound server max_handshakes

# At most two do fit, and none if all four came at the same moment.
set_bound server max_handshakes_per_source 2
both save source
check "Proposals are held back" hold_proposals
hang 1 2 3 4
both wait_until "four are in flight" grew_to source HandshakesStarted 4
let_go
grew source Fallbacks -eq "$(delta source FallbackPeerDeclined)"
grew source FallbackPeerDeclined -ge 2
on server grew source Fallbacks -eq "$(delta source FallbackPeerDeclined)"
on server grew source FallbackCongested -eq \
	"$(delta source FallbackPeerDeclined)"
no_group_left
lift_bound server max_handshakes_per_source

# Orphans: the server's program is stopped, so nothing is closed there.
set_bound client max_orphans 2
both save orphans
crowd_is "5 connections" 5 open 5
crowd_is "and right" 5 all 100
on server crowd_signal STOP
crowd_is "all are closed" 0 close 5
grew orphans OrphansOpened -eq 2
grew orphans ResetOrphanLimit -eq 3
grew orphans Aborts -eq 3
lift_bound client max_orphans
on server crowd_signal CONT
wait_until "both orphans came to an orderly end" grew_to orphans OrphansClosed 2
grew orphans Aborts -eq 3
on server no_conn_left
# The client said C before it reset TCP: nothing was lost, and no program of the
# server has to hear of it.
on server grew orphans Aborts -eq 0
save again
crowd_is "5 connections" 5 open 5
crowd_is "and right" 5 all 100
crowd_is "all are closed" 0 close 5
grew again Aborts -eq 0
no_fallback again
no_conn_left
crowd_end
on server crowd_served
finish
