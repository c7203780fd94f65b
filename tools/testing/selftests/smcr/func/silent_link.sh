#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A silent link is given up after its retry time if there is a better one
# rfc: 4.6, C.7.1, C.8
# nics: 2
# timeout: 270
# Soft-RoCE reports a silent path half as late again as its timers say. A group
# with another link does not wait for that, nor does it give a link up before the
# time. A path that is back in time keeps its link. If all paths are silent, or
# there is only one, the queue pairs decide. Connections that find no memory when
# they move try again.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"

# begin LINKS: start the load over a group of that many links
begin() {
	load_begin "$conns"
	both wait_until "the group has $1 links" has_links "$1"
	both save load
}

# end exact|errno
end() {
	check "the paths are good" wire clear
	load_stop
	both load_judged "$1"
	both no_conn_left
	both no_group_left
}

# grew_silent: print how many links both hosts gave up since "save load"
grew_silent() {
	echo $(($(delta load LinksSilent) + $(on server delta load LinksSilent)))
}

# lost CLIENT-NIC SERVER-NIC [HOST]: this path goes silent; one end notices after
# the retry time, and tells the other one
lost() {
	local begin=$EPOCHREALTIME ms

	check "path $1-$2 is silent${3:+ from the $3 on}" silent "$@"
	both wait_until "the link is lost" grew_to load LinksFailed 1
	ms=$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))
	check "after $ms ms, the retry time is $(retry_ms) ms" \
		test $ms -ge "$(retry_ms)"
	check "its silence was the reason" test "$(grew_silent)" -ge 1
	load_flows
	both intact load
}

one_path() {
	begin 2
	# shellcheck disable=SC2046
	lost $(busiest -) "$@"
	end exact
}

# mapped Y|N: can the client's connections map their send space for an adapter
# that they move to?
mapped() {
	local on=Y

	[ "$1" = N ] || on=N
	echo $on >/sys/module/nomap/parameters/on
}

# Memory is short when connections move: they try again, and go on.
short_memory() {
	local ends

	begin 2
	read -ra ends < <(busiest -)
	check "no memory to map send space" mapped N
	check "path ${ends[0]}-${ends[1]} is silent" silent "${ends[@]}"
	wait_until "connections try to move again" grew_to load MoveRetries 20
	check "there is memory again" mapped Y
	both wait_until "the link is lost" grew_to load LinksFailed 1
	load_flows
	both intact load
	end exact
}

# A path is silent for much less than the retry time. Soft-RoCE needs several of
# its retries until it has an answer again, so they are rare here, and TEST LINK
# waits for them.
short_silence() {
	local ends

	both patient_qps
	both sysctl -qw net.smcr.llc_timeout_ms=60000
	begin 2
	read -ra ends < <(busiest -)
	check "path ${ends[0]}-${ends[1]} is silent" silent "${ends[@]}"
	sleep 2
	check "the path is good in time" wire clear
	load_flows
	both gaps
	both intact load
	both grew load LinksFailed -eq 0
	both grew load LinksSilent -eq 0
	end exact
	both calm_timers
	both failover_timers
}

# cut LINKS: all paths of a group of so many links are silent
cut() {
	begin "$1"
	check "all paths are silent" wire fault '*' '*' cut 1 only roce
	both wait_until "all links are lost" grew_to load LinksFailed "$1"
	both grew load LinksSilent -eq 0
	end errno
}

# closer: a server that closes each connection at once
closer() {
	program closer python3 -B -c '
import sys
from lib import sock
sock.serve((sys.argv[1], int(sys.argv[2])), lambda conn: conn.close())
' "$SERVER" "$PORT"
}

# closed_second: a program that reads the end of the server's stream, and closes
# when it is killed
closed_second() {
	program second python3 -B -c '
import signal, sys
from lib import sock
conn = sock.connected((sys.argv[1], int(sys.argv[2])))
assert not conn.recv(1)
print("serving", flush=True)
signal.pause()
' "$SERVER" "$PORT"
}

# The last C is lost with the last link, so TCP tells the peer, which does not
# test its links here and would await that C for ten minutes. The client loses
# one link before if it is told to: C is repeated over the other one, and is not
# confirmed when the client's wait for the peer's FIN is over.
last_close() {
	local nic

	on server sysctl -qw net.smcr.test_link_interval_ms=600000
	on server closer
	closed_second
	both wait_until "the group has 2 links" has_links 2
	both save load
	read -r nic _ < <(busiest -)
	check "all paths are silent" wire fault '*' '*' cut 1 only roce
	program_kill second
	[ $# = 0 ] || check "rxe$nic is deleted" rdma link delete "rxe$nic"
	wait_until "all links are lost" grew_to load LinksFailed 2
	both wait_until "the connection ends" grew_to load OrphansClosed 1
	on server grew load ResetTcpRst -eq 1
	check "the paths are good" wire clear
	[ $# = 0 ] || check "rxe$nic is added" \
		rdma link add "rxe$nic" type rxe netdev "eth$nic"
	on server program_kill closer
	both failover_timers
	both no_conn_left
	both no_group_left
}

without() {
	undo_later rdma link add "$1" type rxe netdev "$2"
	check "$1 is deleted" rdma link delete "$1"
}

client_leads

echo "# seed $SEED (SMCR_SEED=$SEED repeats this)"
undo_later wire clear
both failover_timers
one_path
one_path server
check "nomap is loaded" insmod /share/nomap.ko
undo_later rmmod nomap
short_memory
short_silence
cut 2
last_close
sysctl_for_now net.smcr.abort_timeout_ms 100
last_close one-first
both without rxe1 eth1
cut 1
finish
