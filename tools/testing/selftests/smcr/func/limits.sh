#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Past each bound of net.smcr a connection is plain TCP, and counted
# rfc: 2.1, 3.5.3
# nics: 1
# timeout: 270
# For each bound of net.smcr: a connection beyond it falls back to TCP with the
# right bytes and no error, and the host with the bound counts the reason. When
# the bound is lifted, the next connection uses RDMA again. So does one under a
# bound of handshakes when the others have ended.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind

# other_than HOST: print the name of the other host
other_than() {
	[ "$1" = client ] && echo server || echo client
}

# set_bound HOST NAME VALUE: set a sysctl until "lift_bound HOST NAME"
declare -A bound_was
set_bound() {
	bound_was[$2]=$(on "$1" sysctl -n "net.smcr.$2")
	on "$1" sysctl -qw "net.smcr.$2=$3"
}

lift_bound() {
	on "$1" sysctl -qw "net.smcr.$2=${bound_was[$2]}"
}

# crowd_opens FACT NUMBER: open connections that carry 9000 bytes each
crowd_opens() {
	crowd_is "$1" "$2" open "$2"
	crowd_is "and right" "$2" all 9000
}

# crowd_closes NUMBER: close them; nothing may be left on this host
crowd_closes() {
	crowd_is "all are closed" 0 close "$1"
	no_conn_left
	no_group_left
}

# bound HOST NAME VALUE OPEN TCP COUNTER: set net.smcr.NAME to VALUE on HOST,
# open OPEN connections and check that TCP of them fall back; COUNTER tells
# which bound was hit. Where none is left for RDMA, HOST has made no queue pair
# to find that out.
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
	[ "$tcp" -lt "$open" ] || on "$host" grew past Links -eq 0
	lift_bound "$host" "$name"

	save lifted
	crowd_opens "$name lifted" "$open"
	no_fallback lifted
	crowd_closes "$open"
}

# hold_proposals: drop Proposals, so that handshakes stay in flight
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

# hang I...: start a connection each that hangs until "let_go"
clients=()
hang() {
	local i

	for i in "$@"; do
		printf 'open 1\nall 500\n' |
			timeout $((60 * PATIENCE)) "$CROWD" $kind "$SERVER" "$PORT" \
				client >"$tmp/one.$i" 2>&1 &
		clients+=($!)
		jobs_started+=($!)
	done
}

let_go() {
	local pid rc=0

	check "Proposals pass" nft delete table ip smcr_limits
	for pid in "${clients[@]}"; do
		wait "$pid" || worst $?
	done
	check "no byte is wrong" right_bytes $rc
	check "all four have connected, and their bytes are right" \
		test "$(cat "$tmp"/one.? | grep -c '^all 1$')" = 4
	clients=()
	no_conn_left
}

# plain: a client of TCP alone connects
plain() {
	printf 'open 1\nall 500\n' |
		timeout $((60 * PATIENCE)) "$CROWD" tcp4 "$SERVER" "$PORT" client |
		grep -q '^all 1$'
}

# forgotten BOUND NAME COUNTER: neither the two handshakes that BOUND has
# admitted since "save NAME" nor the two that it has refused count any more, as
# COUNTER says: two connections use RDMA, and a client without the option is
# none that was refused. A SYN that was refused twice has one child.
forgotten() {
	local twice

	both save again
	crowd_opens "$1 at the server: two more are open" 2
	check "$1 at the server: the next ones use RDMA" \
		test "$(delta again Fallbacks)" = 0
	crowd_closes 2
	twice=$(($(on server delta "$2" "$3") - 2))
	on server save plain
	check "a client without the option connects" plain
	on server grew plain Fallbacks -eq 1
	on server grew plain FallbackCongested -le $twice
}

client_leads

both sysctl_for_now net.smcr.lgr_linger_ms 0
on server crowd_serve $kind "$SERVER"
crowd_begin $kind "$SERVER"

for host in client server; do
	bound $host max_lgrs 0 3 3 GroupsRefused
	bound $host max_qps 0 3 3 QpsRefused
	bound $host max_rmb_bytes 0 3 3 RmbsRefused
	bound $host max_send_bytes 0 3 3 SendSpaceRefused
	# The first RMB has four elements of 128 KB; the next would have 16, and
	# has the one for which there is room.
	bound $host max_rmb_bytes $((5 << 17)) 6 1 RmbsRefused
	# A connection counts with a chunk of 16 KB, and not with its send space.
	bound $host max_send_bytes $((384 << 10)) 26 2 SendSpaceRefused
done

# While the server's program is stopped, 16 connections would fill 160 KB each:
# a ring of 32 KB and send space of 128 KB. All send space is 24 chunks now.
set_bound server rmem 32768
set_bound client max_send_bytes $((384 << 10))
crowd_is "16 connections are open" 16 open 16
on server crowd_signal STOP
both save full
crowd fill
check "each ring is full, and 24 chunks at most" \
	test "$number" -gt $((16 * 32760)) -a \
	"$number" -le $((16 * 32764 + (384 << 10)))
grew full TxChunkAllocs -le 24
grew full SendSpaceWaits -ge 16
grew full SendSpaceRefused -eq 0
crowd_is "another connection is open" 17 open 1
grew full SendSpaceRefused -ge 1
grew full FallbackResourceLimit -eq 1
on server crowd_signal CONT
crowd_is "all bytes come back" 17 drain
crowd_is "17 connections are right" 17 all 9000
both grew full Fallbacks -eq 1
both grew full Aborts -eq 0
crowd_closes 17
lift_bound client max_send_bytes
lift_bound server rmem

# The server has the first link of a group, but none to offer as the second.
both save single
set_bound server max_qps 1
crowd_opens "max_qps at the server: 3 connections over one link" 3
both no_fallback single
both grew single LinkGroups -eq 1
on server grew single AddLinkEmpty -eq 1
grew single AddLinkRefused -eq 1
crowd_closes 3
both grew single Aborts -eq 0
lift_bound server max_qps

# A client at its own limit cannot use another group.
bound client max_conns_per_lgr 2 5 3 GroupsFull
# A server at its limit makes parallel link groups.
set_bound server max_conns_per_lgr 6
both save parallel
crowd_opens "20 connections, 6 to a group" 20
grew parallel FirstContacts -eq 4
both grew parallel LinkGroups -eq 4
on server grew parallel GroupsFull -ge 3
both no_fallback parallel
crowd_closes 20
lift_bound server max_conns_per_lgr

# The bound is checked when a SYN comes, so do not send all four at once.
set_bound server max_handshakes 2
both save handshakes
check "Proposals are dropped" hold_proposals
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
forgotten max_handshakes handshakes HandshakesRefused
lift_bound server max_handshakes

# The same for the source: its clients are silent until then.
set_bound server max_handshakes_per_source 2
both save source
check "Proposals are dropped" hold_proposals
hang 1 2
on server wait_until "two are in flight" \
	grew_to source HandshakesStarted 2
hang 3 4
on server wait_until "two were refused" grew_to source SourcesRefused 2
on server grew source HandshakesStarted -eq 2
on server grew source HandshakesRefused -eq 0
wait_until "four are in flight" grew_to source HandshakesStarted 4
let_go
both grew source Fallbacks -eq 2
both grew source HandshakesDone -eq 2
grew source FallbackNoOption -eq 2
on server grew source FallbackCongested -eq 2
no_group_left
forgotten max_handshakes_per_source source SourcesRefused
lift_bound server max_handshakes_per_source

# A limit that is lowered holds for the Proposals that come later.
both save lowered
check "Proposals are dropped" hold_proposals
hang 1 2 3 4
both wait_until "four are in flight" grew_to lowered HandshakesStarted 4
set_bound server max_handshakes_per_source 2
let_go
grew lowered FallbackPeerDeclined -ge 2
grew lowered Fallbacks -eq "$(delta lowered FallbackPeerDeclined)"
on server grew lowered SourcesRefused -eq \
	"$(delta lowered FallbackPeerDeclined)"
on server grew lowered FallbackCongested -eq \
	"$(delta lowered FallbackPeerDeclined)"
no_group_left
lift_bound server max_handshakes_per_source

# Orphans: the server's program is stopped, so it closes no connection.
set_bound client max_orphans 2
both save orphans
crowd_is "5 connections are open" 5 open 5
crowd_is "their bytes are right" 5 all 100
on server crowd_signal STOP
crowd_is "all are closed" 0 close 5
grew orphans OrphansOpened -eq 2
grew orphans ResetOrphanLimit -eq 3
grew orphans Aborts -eq 3
lift_bound client max_orphans
on server crowd_signal CONT
wait_until "both orphans end in order" grew_to orphans OrphansClosed 2
grew orphans Aborts -eq 3
on server no_conn_left
# The client sent C before it reset TCP: no byte was lost, and the server's
# program gets no error.
on server grew orphans Aborts -eq 0
save again
crowd_is "5 connections are open" 5 open 5
crowd_is "their bytes are right" 5 all 100
crowd_is "all are closed" 0 close 5
grew again Aborts -eq 0
no_fallback again
no_conn_left
crowd_end
on server crowd_served
finish
