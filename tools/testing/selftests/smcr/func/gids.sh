#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Both ends use the right kind of GID; a handshake queries no port
# rfc: 3.5.1.2
# nics: 1
# Ports and their GIDs: the kind of GID that both ends use, the traffic class,
# and that a handshake does not query the device's port.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
trace=/sys/kernel/tracing
addresses $kind

# link_is KIND: true if both ends of the only link use GIDs of KIND
link_is() {
	smcr-ctl -j link show state active | python3 -c '
import json, sys
(link,) = json.load(sys.stdin)
both = [link["gid"], link["peer-gid"]]
kinds = {"v4": "::ffff:", "v6": "fd09:", "link-local": "fe80:"}
sys.exit(not all(g.startswith(kinds[sys.argv[1]]) for g in both))' "$1"
}

gid_types() {
	smcr-ctl -j device show | grep -q '"gid-types": *"v2,v2-link-local"'
}

link_mtu() {
	smcr-ctl -j link show state active | grep -q "\"mtu\": *$1[,}]"
}

# contact FACT KIND [ARGUMENTS...]: check that a first contact uses GIDs of
# KIND, and that a second connection uses the same group
contact() {
	no_group_left
	save contact
	hold "${3:-smcr4}" "${4:-$SERVER}" 1
	check "$1" link_is "$2"
	grew contact FirstContacts -eq 1
	io_check "a stream in the same group" "${3:-smcr4}" "${4:-$SERVER}" \
		stream -u 64k -d 64k -H
	grew contact SubsequentContacts -eq 1
	grew contact LinkGroups -eq 1
	no_fallback contact
	released "the connection is closed"
}

# contact_more FACT N: check that a stream is the Nth to use the group of
# "follow"
contact_more() {
	io_check "$1" $kind "$SERVER" stream -u 64k -d 64k -H
	grew follow SubsequentContacts -eq "$2"
	grew follow LinkGroups -eq 1
}

# asked: print how often Soft-RoCE's port was queried
asked() {
	awk '$1 == "smcr_asked" { print $2 }' $trace/kprobe_profile
}

client_leads

# Let groups end at once, so that each first contact forms a new group.
on server sysctl_for_now net.smcr.lgr_linger_ms 0
on server undo_later sysctl -qw net.smcr.gid_kind=0
on server save begin
on server serve smcr6 ::
check "the port lists its GIDs" gid_types
contact "two smcr hosts use RoCEv2 with routable GIDs" v4

# Make the server act like another implementation that has link-local GIDs only.
check "the server prefers link-local GIDs" \
	on server sysctl -qw net.smcr.gid_kind=2
no_group_left
save other
io_check "a connection whose server wants the other kind" $kind "$SERVER" \
	stream -u 64k -d 64k -H
by_tcp other GidKind 1
contact "the client proposes that kind from then on" link-local
sysctl_for_now net.smcr.gid_kind 1
no_group_left
save follow
hold $kind "$SERVER" 1
check "a client that proposes routable GIDs only follows the Accept" \
	link_is link-local
contact_more "the server finds the group by the Proposal's GID" 1
check "the client proposes link-local GIDs" sysctl -qw net.smcr.gid_kind=2
contact_more "the server finds the group by the Confirm's GID, too" 2
no_fallback follow
released "the connection is closed"
check "the client has no preference" sysctl -qw net.smcr.gid_kind=0
check "the server has no preference" on server sysctl -qw net.smcr.gid_kind=0
contact "the server follows the Proposal: link-local" link-local
check "the client prefers routable GIDs" sysctl -qw net.smcr.gid_kind=1
contact "the server follows the Proposal: routable" v4
check "the client has no preference" sysctl -qw net.smcr.gid_kind=0
check_not "no other kind can be set" sysctl -qw net.smcr.gid_kind=3

# Traffic class and service level of a link's packets
check "nft counts expedited packets" nft -f - <<-'END'
	table ip smcr_gids {
		chain out {
			type filter hook output priority 0;
			udp dport 4791 ip dscp ef counter
		}
	}
	END
undo_later nft delete table ip smcr_gids
sysctl_for_now net.smcr.traffic_class 184
sysctl_for_now net.smcr.service_level 3
check_not "a traffic class has 8 bits" sysctl -qw net.smcr.traffic_class=256
check_not "a service level has 3 bits" sysctl -qw net.smcr.service_level=8
contact "a link has a traffic class" v4
check "its packets carry the class" test "$(nft list table ip smcr_gids |
	awk '/packets/ { for (i = 1; i < NF; i++) if ($i == "packets")
		print $(i + 1) }')" -gt 20

# The port is queried only after it has changed.
undo_later sh -c "echo >$trace/kprobe_events"
undo_later sh -c "echo 0 >$trace/events/kprobes/smcr_asked/enable"
check "port queries are counted" sh -c "
	echo p:smcr_asked rxe_query_port >$trace/kprobe_events &&
	echo 1 >$trace/events/kprobes/smcr_asked/enable"
before=$(asked)
no_group_left
io_check "50 connections" $kind "$SERVER" seq -n 50
check "no handshake queried the port" test "$(asked)" = "$before"
dev=$(netdev_of "$CLIENT")
undo_later ip link set "$dev" mtu "$(cat "/sys/class/net/$dev/mtu")"
for mtu in 4096 1024; do
	check "the MTU is changed" ip link set "$dev" mtu $((mtu + 476))
	no_group_left
	hold $kind "$SERVER" 1
	check "the link has that MTU at once" link_mtu $mtu
	released "the connection is closed"
done

kind=smcr6
addresses $kind
contact "RoCEv2 over IPv6 where TCP uses it" v6 smcr6 "$SERVER6"
io_check "end of the server" $kind "$SERVER" quit
on server served
on server grew begin FallbackPeerDeclined -eq 1
on server grew begin Fallbacks -eq 1
both no_conn_left
finish
