#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A closed connection leaves its group also if nobody sees the peer's FIN
# rfc: 4.8.1
# nics: 2
# cpus: 2
# timeout: 150
# In a group with two links, a connection that has ended keeps its element until
# the peer's FIN has come. A socket that is taken from the connection just then
# takes the FIN's event with it: in close() at the limit of orphans, and in the
# connection's work if the FIN comes between its two looks. The connection must
# still leave its group, or group, namespace and module could not end.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
rounds=20

# two_links: true if this host's group has two links in use
two_links() {
	[ "$(smcr-ctl -j link show state active | grep -o '"gid"' | wc -l)" = 2 ]
}

# slowed FUNCTIONS US: the processor waits before each of their instructions
slowed() {
	check "$1: slow" insmod /share/slowly.ko "functions=$1" "us=$2"
	undo_later sh -c "rmmod slowly 2>/dev/null || :"
}

client_leads

check "the server listens" on server program detach \
	python3 -B detach.py serve "$SERVER" "$PORT" 0
both save begin
check "a first contact" python3 -B detach.py close "$SERVER" "$PORT" 1
both wait_until "there are two links" two_links

# close() looks at the send space for the last time, and the peer's C comes. It
# sends no FIN before it returns, and the peer waits for that.
sysctl_for_now net.smcr.max_orphans 0
slowed smcr_tx_unacked 1000
save linger
check "$rounds connections that linger end at the limit of orphans" \
	python3 -B detach.py linger "$SERVER" "$PORT" $rounds
check "smcr_tx_unacked: fast again" rmmod slowly
grew linger OrphansOpened -eq 0
# Those that closed before the server are no orphans, and are not reset.
grew linger ResetOrphanLimit -lt $((rounds / 2))
both no_conn_left
on server grew begin Aborts -eq 0
undo_now

# The server's C is confirmed, so its work looks whether the FIN has come, and
# again when it has the socket. The FIN comes in between, and TCP is slow to
# report it.
on server slowed smcr_sock_own,tcp_fin 200
undo_later wire clear
check "TCP to the server is slow" \
	wire fault client0 server0 delay 13000 only tcp
check "$rounds connections that are closed" \
	python3 -B detach.py close "$SERVER" "$PORT" $rounds
check "TCP is fast again" wire clear
both no_conn_left
on server check "smcr_sock_own: fast again" rmmod slowly
on server grew begin Aborts -eq 0
both no_fallback begin
finish
