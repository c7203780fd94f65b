#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: rmmod is refused while a socket exists, and leaves nothing behind
# rfc: 3.5.4, 4.8.3
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
module=${SMCR_KO:-$SHARED/smcr.ko}
addresses $kind

unreferenced() {
	[ "$(cat /sys/module/smcr/refcnt)" = 0 ]
}

# sent_again: true if TCP has retransmitted a segment since $before
sent_again() {
	[ "$(retransmitted)" -gt "$before" ]
}

retransmitted() {
	awk '/^Tcp:/ { n = $13 } END { print n }' /proc/net/snmp
}

groups_freed() {
	[ "$(delta begin LinkGroupsFreed)" -ge 3 ]
}

# feeder: a server that sends 100 bytes over each connection
feeder() {
	program feeder python3 -B -c '
import sys
from lib import sock
def feed(conn):
    conn.sendall(bytes(range(100)))
    conn.close()
sock.serve((sys.argv[1], int(sys.argv[2])), feed)
' "$SERVER" "$PORT"
}

# piped: a program whose pipe keeps the bytes of a connection that it has closed,
# and that reads them when it is killed
piped() {
	program piped python3 -B -c '
import os, signal, sys
from lib import sock
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
conn = sock.connected((sys.argv[1], int(sys.argv[2])))
pipe, into = os.pipe()
size = 0
while size < 100:
    size += os.splice(conn.fileno(), into, 100 - size)
conn.close()
print("serving", flush=True)
signal.sigwait([signal.SIGTERM])
sock.exact(os.read(pipe, 200), bytes(range(100)))
sys.exit(sock.status())
' "$SERVER" "$PORT"
}

client_leads

on server save begin
on server serve $kind "$SERVER"
hold $kind "$SERVER" 5
check_not "rmmod is refused while connections are open" rmmod smcr
check "the module is there" test -d /sys/module/smcr
released "the connections still work"
no_conn_left

serve $kind "$CLIENT"
check_not "rmmod is refused while a socket listens" rmmod smcr
io_check "the listener still works" $kind "$CLIENT" quit
served
no_conn_left

for round in 1 2 3; do
	wait_until "round $round: nothing refers to the module" unreferenced
	check "round $round: rmmod" rmmod smcr
	check_not "round $round: the counters are gone" test -e "$STAT"
	check_not "round $round: the sysctls are gone" test -e /proc/sys/net/smcr
	check_not "round $round: the family is gone" \
		"$IO" inet4 "$SERVER" "$PORT" stream
	check "round $round: insmod" insmod "$module"
	calm_timers
	save again
	io_check "round $round: a stream" $kind "$SERVER" stream -H
	grew again FirstContacts -eq 1
	by_rdma again 1000000 1000000
	no_conn_left
done
io_check "end of the server" $kind "$SERVER" quit
on server served
on server grew begin FirstContacts -ge 4
on server wait_until "the groups of the unloaded peer are freed" groups_freed
on server no_fallback begin
both no_conn_left

# The peer is silent, and the deadlines are too long to detect that.
check "QPs are patient" patient_qps
check "an LLC message may take an hour" \
	sysctl -qw net.smcr.llc_timeout_ms=3600000
on server save silent
on server serve $kind "$SERVER"
io_check "a stream" $kind "$SERVER" stream
no_conn_left
undo_later wire clear
check "RoCE is cut" wire fault '*' '*' cut 1 only roce
begin=$SECONDS
check "rmmod" rmmod smcr
took=$((SECONDS - begin))
check "rmmod did not wait for the peer ($took s)" \
	test $took -lt $((12 * SLOW))
wire clear
check "insmod" insmod "$module"
calm_timers
save silent
io_check "a stream after it" $kind "$SERVER" stream
io_check "end of the server" $kind "$SERVER" quit
by_rdma silent 1 1
on server served
on server no_fallback silent
both no_conn_left

# A TCP socket lives on without the module until its FIN is acknowledged.
on server serve $kind "$SERVER"
hold $kind "$SERVER" 1
check "TCP is cut" wire fault '*' '*' cut 1 only tcp
released "the connection works over RDMA"
no_conn_left
before=$(retransmitted)
wait_until "nothing refers to the module" unreferenced
check "rmmod" rmmod smcr
wait_until "TCP sends its FIN again" sent_again
wire clear
check "insmod" insmod "$module"
calm_timers
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left

# A pipe lives on without the module that has filled it.
on server feeder
save splice
piped
no_conn_left
grew splice RxBytes -eq 100
wait_until "nothing refers to the module" unreferenced
check "rmmod" rmmod smcr
program_kill piped
rc=0
program_ended piped || rc=$?
check "the pipe has the bytes of the connection" exits $rc
check "insmod" insmod "$module"
on server program_kill feeder
finish
