#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of limits.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=crowd_lib.sh
. "$(dirname "$0")/crowd_lib.sh"

kind=smcr4
addresses $kind
sysctl_for_now net.smcr.lgr_linger_ms 0
crowd_serve $kind "$SERVER"
together ready

# As the client's, with here and there as the client has them.
bound() {
	local where=$1 name=$2 tcp=$5 counter=$6 old

	together "$name.$where.set"
	save past
	if [ "$where" = there ]; then
		old=$(sysctl -n "net.smcr.$name")
		sysctl -qw "net.smcr.$name=$3"
	fi
	together "$name.$where"
	together "$name.$where.past"
	grew past Fallbacks -eq "$tcp"
	if [ "$where" = there ]; then
		grew past FallbackResourceLimit -eq "$tcp"
		grew past "$counter" -ge 1
		sysctl -qw "net.smcr.$name=$old"
	else
		grew past FallbackPeerDeclined -eq "$tcp"
	fi
	grew past Aborts -eq 0
	together "$name.$where.lifted"
}

bound here max_lgrs 0 3 3 GroupsRefused
bound there max_lgrs 0 3 3 GroupsRefused
bound here max_qps 0 3 3 QpsRefused
bound there max_qps 0 3 3 QpsRefused
bound here max_rmb_bytes $((1 << 20)) 6 2 RmbsRefused
bound there max_rmb_bytes $((1 << 20)) 6 2 RmbsRefused
bound here max_send_bytes $((384 << 10)) 5 2 SendSpaceRefused
bound there max_send_bytes $((384 << 10)) 5 2 SendSpaceRefused
bound here max_conns_per_lgr 2 5 3 ConnsOpened

old=$(sysctl -n net.smcr.max_conns_per_lgr)
sysctl -qw net.smcr.max_conns_per_lgr=6
# The client has counted what it made when the last bound was lifted
together parallel.set
save parallel
together parallel
together parallel.open
grew parallel LinkGroups -eq 4
no_fallback parallel
together parallel.end
sysctl -qw "net.smcr.max_conns_per_lgr=$old"

old=$(sysctl -n net.smcr.max_handshakes)
sysctl -qw net.smcr.max_handshakes=2
save handshakes
together handshakes
wait_until "two are in flight" grew_to handshakes HandshakesStarted 2
together handshakes.one
wait_until "two were refused" grew_to handshakes HandshakesRefused 2
grew handshakes HandshakesStarted -eq 2
together handshakes.two
together handshakes.end
grew handshakes FallbackCongested -eq 2
grew handshakes Fallbacks -eq 2
grew handshakes HandshakesDone -eq 2
sysctl -qw "net.smcr.max_handshakes=$old"

old=$(sysctl -n net.smcr.max_handshakes_per_source)
sysctl -qw net.smcr.max_handshakes_per_source=2
save source
together source
wait_until "four are in flight" grew_to source HandshakesStarted 4
together source.four
together source.end
# Fewer than two do not fit; all four may have come at the same moment.
grew source FallbackCongested -ge 2
grew source Fallbacks -eq "$(delta source FallbackCongested)"
sysctl -qw "net.smcr.max_handshakes_per_source=$old"

together orphans
save orphans
together orphans.stop
kill -STOP "$crowd_server"
together orphans.stopped
together orphans.closed
kill -CONT "$crowd_server"
no_conn_left
# The client said C before it reset TCP: nothing was lost, and no program here
# has to hear of it.
grew orphans Aborts -eq 0
together orphans.again
together end
crowd_served
finish
