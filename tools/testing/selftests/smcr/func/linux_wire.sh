#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: tshark decodes what smcr and Linux's AF_SMC send each other
# rfc: A.2, A.3, A.4
# kernel: release
# peer: linux
# timeout: 180
# The server host runs the distribution's own SMC-R. Each role has a first
# contact, further connections, TEST LINK and the end of its group, and tshark
# finds each of their messages in the capture, and no fault. It stays in
# out/captures.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"

kind=smcr4
addresses $kind
capture=$SHARED/linux_wire.pcap

# connections HOST ADDRESS: use the server at ADDRESS from HOST
connections() {
	on "$1" io_check "a stream" $kind "$2" stream -u 300k -d 300k -H
	on "$1" io_check "200 requests" $kind "$2" rr -s 64 -n 200
	on "$1" io_check "6 connections in sequence" $kind "$2" seq -n 6
}

# other_gid: true if this host's adapter has a GID that is not link-local
other_gid() {
	cat /sys/class/infiniband/rxe0/ports/1/gids/[0-7] |
		grep -qv '^fe80:\|^0000:0000:0000:0000:0000:0000:0000:0000'
}

# sent HOST MESSAGE...: check that the capture has messages of these types of
# the host
sent() {
	local host=$1 message at=$CLIENT

	[ "$host" = client ] || at=$SERVER
	for message in "${@:2}"; do
		# shellcheck disable=SC2016 # awk's own variables
		check "$host has sent $message" \
			awk -v at="$at" -v ll="${link_local[$host]}" \
			-v name="$message" '
			($1 == at || $1 == ll) && $2 == name { found = 1 }
			END { exit !found }' "$tmp/decoded"
	done
}

# link_local_of HOST: print the link-local address of its eth0
link_local_of() {
	on "$1" ip -6 -o addr show dev eth0 scope link |
		awk '{ sub("/.*", "", $4); print $4; exit }'
}

client_leads

sysctl_for_now net.smcr.gid_kind 2
# Longer than a program takes to start, so that each role has one group
sysctl_for_now net.smcr.lgr_linger_ms 3000
check "smcr's adapter has other GIDs than link-local ones" other_gid
check "packets are recorded" wire record linux_wire.pcap

# smcr is the client, and Linux tests the link
sysctl_for_now net.smcr.test_link_interval_ms 0
on server sysctl_for_now net.smc.smcr_testlink_time 1
save client
on server serve $kind "$SERVER"
connections client "$SERVER"
hold $kind "$SERVER" 1
save held
wait_until "Linux tests the link" grew_to held LlcReceived 1
released "the connection is still good"
io_check "end of the server" $kind "$SERVER" quit
on server served
no_conn_left
all_valid client

# smcr is the server, and tests the link
sysctl_for_now net.smcr.test_link_interval_ms 200
on server sysctl_for_now net.smc.smcr_testlink_time 0
save server
serve $kind "$CLIENT"
connections server "$CLIENT"
on server hold $kind "$CLIENT" 1
save held
wait_until "smcr tests the link" grew_to held TestLinkSent 2
on server released "the connection is still good"
from_linux "end of the server" quit
served
no_conn_left
no_group_left
all_valid server
grew client FirstContacts -eq 2
no_fallback client

check "the recording ends" wire record -
declare -A link_local
for host in client server; do
	link_local[$host]=$(link_local_of $host)
done
lib/decode.py "$capture" >"$tmp/decoded"
rc=$?
sed 's/^/# /' "$tmp/decoded"
check "tshark finds no fault, and link-local GIDs only" exits $rc
both_send=(Proposal Accept Confirm ConfirmLink ConfirmLinkReply AddLink
	AddLinkReply TestLink TestLinkReply DeleteLink Cdc)
sent client "${both_send[@]}" ConfirmRkeyReply DeleteRkeyReply
sent server "${both_send[@]}" ConfirmRkey DeleteRkey
finish
