#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: turns bounds
# nics: 1
# timeout: 240
# Each bound of net.smcr: past it a connection is plain TCP, with the reason
# counted where the bound is, its bytes exact and no error; with the bound
# lifted the next one is RDMA again.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=crowd_lib.sh
. "$(dirname "$0")/crowd_lib.sh"

kind=smcr4
addresses $kind
sysctl_for_now net.smcr.lgr_linger_ms 0
together ready
crowd_begin $kind "$SERVER"

# bound HERE NAME VALUE OPEN TCP COUNTER: with net.smcr.NAME at VALUE on this
# host (here) or the other (there), OPEN connections are made, TCP of which
# fall back; COUNTER says which bound it was. The server tells the same of its
# side.
bound() {
	local where=$1 name=$2 open=$4 tcp=$5 counter=$6 old

	together "$name.$where.set"
	save past
	if [ "$where" = here ]; then
		old=$(sysctl -n "net.smcr.$name")
		sysctl -qw "net.smcr.$name=$3"
	fi
	together "$name.$where"
	crowd_is "$name $where: $open connections are open" "$open" open "$open"
	crowd_is "and right" "$open" all 9000
	crowd_is "all are closed" 0 close "$open"
	together "$name.$where.past"
	grew past Fallbacks -eq "$tcp"
	if [ "$where" = here ]; then
		grew past FallbackResourceLimit -eq "$tcp"
		grew past "$counter" -ge 1
		sysctl -qw "net.smcr.$name=$old"
	else
		grew past FallbackPeerDeclined -eq "$tcp"
	fi
	grew past Aborts -eq 0
	no_conn_left
	no_group_left
	together "$name.$where.lifted"
	save lifted
	crowd_is "$name lifted" "$open" open "$open"
	crowd_is "and right" "$open" all 9000
	no_fallback lifted
	crowd_is "all are closed" 0 close "$open"
	no_conn_left
	no_group_left
}

bound here max_lgrs 0 3 3 GroupsRefused
bound there max_lgrs 0 3 3 GroupsRefused
bound here max_qps 0 3 3 QpsRefused
bound there max_qps 0 3 3 QpsRefused
# The first RMB has four elements of 128 KB, the next would have 16.
bound here max_rmb_bytes $((1 << 20)) 6 2 RmbsRefused
bound there max_rmb_bytes $((1 << 20)) 6 2 RmbsRefused
bound here max_send_bytes $((384 << 10)) 5 2 SendSpaceRefused
bound there max_send_bytes $((384 << 10)) 5 2 SendSpaceRefused

# A client at its own limit has no other group to go to.
bound here max_conns_per_lgr 2 5 3 ConnsOpened
# A server makes another: parallel link groups.
together parallel.set
save parallel
together parallel
crowd_is "20 connections, 6 to a group" 20 open 20
crowd_is "and right" 20 all 9000
grew parallel FirstContacts -eq 4
grew parallel LinkGroups -eq 4
no_fallback parallel
together parallel.open
crowd_is "all are closed" 0 close 20
no_conn_left
no_group_left
together parallel.end

# Handshakes: Proposals are lost, so that as many as there are stay in flight.
# shellcheck disable=SC2317 # called by check
hold_proposals() {
	nft -f - <<-EOF
	table ip smcr_limits {
		chain out {
			type filter hook output priority 0;
			ip daddr $SERVER4 tcp dport $PORT ip length > 80 drop
		}
	}
	EOF
}

# hang I...: a connection each that hangs until "let_go"
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

clients=()
together handshakes
save handshakes
check "Proposals are held back" hold_proposals
# The bound is looked at when a SYN comes: not all four at once.
hang 1 2
together handshakes.one
hang 3 4
wait_until "four are in flight" grew_to handshakes HandshakesStarted 4
together handshakes.two
let_go
grew handshakes FallbackNoOption -eq 2
grew handshakes Fallbacks -eq 2
grew handshakes HandshakesDone -eq 2
together handshakes.end

together source
save source
check "Proposals are held back" hold_proposals
hang 1 2 3 4
wait_until "four are in flight" grew_to source HandshakesStarted 4
together source.four
let_go
together source.end
grew source Fallbacks -eq "$(delta source FallbackPeerDeclined)"
grew source FallbackPeerDeclined -ge 2
no_group_left

# Orphans: the server's program is stopped, so nothing is closed there.
together orphans
save orphans
old=$(sysctl -n net.smcr.max_orphans)
sysctl -qw net.smcr.max_orphans=2
crowd_is "5 connections" 5 open 5
crowd_is "and right" 5 all 100
together orphans.stop
together orphans.stopped
crowd_is "all are closed" 0 close 5
grew orphans OrphansOpened -eq 2
grew orphans ResetOrphanLimit -eq 3
grew orphans Aborts -eq 3
sysctl -qw "net.smcr.max_orphans=$old"
together orphans.closed
wait_until "both orphans came to an orderly end" grew_to orphans OrphansClosed 2
grew orphans Aborts -eq 3
together orphans.again
save again
crowd_is "5 connections" 5 open 5
crowd_is "and right" 5 all 100
crowd_is "all are closed" 0 close 5
grew again Aborts -eq 0
no_fallback again
no_conn_left
crowd_end
together end
finish
