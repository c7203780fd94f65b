#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: Device removal and max_lgrs do not wait for programs or silent peers
# nics: 1
# Programs and silent peers cannot block others by what they keep: device
# removal waits for no handshake, however long that may take, and ended groups
# do not count toward max_lgrs while programs still have sockets.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
addresses $kind
HOST=$FUNC_DIR/lib/faults_host.sh
# Device removal waits for nothing that a peer or a program can delay.
most=$((10000 * SLOW))

# flying N: true if N handshakes are in flight
flying() {
	[ $(($(value HandshakesStarted) - $(value HandshakesEnded))) = "$1" ]
}

# connect_to PORT: start a connection that hangs, in the background
connect_to() {
	"$IO" $kind "$SERVER" "$1" stream >"$tmp/io.$1" 2>&1 &
	clients+=($!)
	jobs_started+=($!)
}

# removed N: remove the device while N handshakes are in flight
removed() {
	local took

	wait_until "$1 handshakes are in flight" flying "$1"
	took=$("$HOST" remove)
	check "the device is removed at once (${took:-?} ms)" \
		test "${took:-$most}" -lt $most
	check "the device is back" rdma link add rxe0 type rxe netdev eth0
}

# clients_killed: kill the clients; no handshake of theirs may be left
clients_killed() {
	kill -KILL "${clients[@]}" 2>/dev/null
	wait "${clients[@]}" 2>/dev/null
	clients=()
	wait_until "no handshake is left" flying 0
}

sysctl_for_now net.smcr.loopback 1
sysctl_for_now net.smcr.negative_ms 0
undo_later calm_timers
check "a handshake may take an hour" \
	deadlines $((16 + SLOW / 2)) 2000000 3600000
clients=()

# A listener that echoes the option but answers no Proposal
check "synopt is loaded" insmod "$SHARED/synopt.ko"
undo_later rmmod synopt
perl -e '
use Socket;
open(my $dev, "+<", "/dev/synopt") or die "synopt: $!";
socket(my $s, AF_INET, SOCK_STREAM, 0) or die "socket: $!";
ioctl($dev, 0x7901, fileno($s)) or die "mark: $!";
bind($s, sockaddr_in(7601, inet_aton($ARGV[0]))) or die "bind: $!";
listen($s, 5);
sleep;
' "$SERVER" &
jobs_started+=($!)
wait_until "a silent server listens" listens 7601
connect_to 7601
removed 1
check "the client still waits for its Accept" flying 1
clients_killed

# A client whose Confirm is lost: both ends hold a port, a group and a link.
crowd_serve $kind "$SERVER"
nft -f - <<EOT
table ip smcr_teardown {
	chain out {
		type filter hook output priority 0;
		tcp dport $PORT ip length > 104 drop
	}
}
EOT
undo_later nft delete table ip smcr_teardown
save lost
connect_to $PORT
wait_until "a first contact has begun at both ends" grew_to lost FirstContacts 2
removed 2
clients_killed
check "nft drops no more messages" nft flush table ip smcr_teardown

# One group for each role. The client keeps its sockets, so its group stays in
# memory after its end.
wait_until "no group is left" groups_gone
sysctl_for_now net.smcr.max_lgrs 2
crowd_begin $kind "$SERVER"
save kept
crowd_is "a connection is open" 1 open 1
check "its queue pairs fail" insmod /share/qperr.ko
undo_later rmmod qperr
wait_until "both groups have ended" grew_to kept LinksFreed 1
crowd_is "another connection is open" 2 open 1
crowd_is "its bytes are right" 1 all 100
check "an old group still exists" \
	test $(($(delta kept LinkGroups) - $(delta kept LinkGroupsFreed))) -ge 3
grew kept FirstContacts -eq 4
no_fallback kept
grew kept GroupsRefused -eq 0
crowd_end
crowd_served
no_conn_left
finish
