#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: With two adapters a group has two links, and survives the loss of one
# rfc: 2.2.1, 2.2.2, 2.3, 3.5.1.6, 3.5.2.2, 3.5.2.3, 3.5.5.1, 3.5.5.2, A.3.2, A.3.3, A.3.4, A.3.5, C.4, C.7.1, C.8
# nics: 2
# timeout: 210
# Two adapters on each host, one segment. The first contact adds a second link,
# symmetric or asymmetric; further RMBs are told for both links. When either link
# is lost, its connections go on over the other one, and the link is replaced
# when its path is back. A host that has one adapter for a time has an asymmetric
# link, which a symmetric one replaces. A handshake survives the loss of the link
# that the Accept or the Confirm names.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/link_lib.sh
. "$(dirname "$0")/lib/link_lib.sh"

kind=smcr4
addresses $kind

# nums_are N...: true if the links in use have these numbers
nums_are() {
	diff <(printf '%s\n' "$@") <(smcr-ctl -j link show state active |
		grep -oE '"link": *[0-9]+' | grep -oE '[0-9]+$' | sort -n)
}

# has_num N: true if a link in use has this number
has_num() {
	smcr-ctl -j link show state active | grep -q "\"link\": *$1[,}]"
}

# spread N: true if this host's connections use N links
spread() {
	[ "$(smcr-ctl -j conn show | grep -oE '"link": *[0-9]+' | sort -u |
		wc -l)" = "$1" ]
}

# with_two: have the second Soft-RoCE device
with_two() {
	rdma link show rxe1/1 >/dev/null 2>&1 ||
		rdma link add rxe1 type rxe netdev eth1
}

# without_one: delete the second Soft-RoCE device; with_two undoes that
without_one() {
	undo_later with_two
	check "rxe1 is deleted" rdma link delete rxe1
}

# opening: print the number of the link of this host's connection in handshake
opening() {
	smcr-ctl conn show state init | awk '
		{ for (i = 1; i < NF; i++)
			if ($i == "link")
				print $(i + 1) }' | grep .
}

# device_of NUMBER: print the local device of this link, without its port
device_of() {
	smcr-ctl link show | awk -v num="$1" '
		{ for (i = 1; i < NF; i++)
			v[$i] = $(i + 1)
		  sub("/.*", "", v["device"])
		  if (v["link"] == num)
			print v["device"] }' | grep .
}

# has_failed NUMBER: true while this link is in the group, but not in use
has_failed() {
	smcr-ctl link show state failed | grep -q "link $1 "
}

# is_gone NUMBER: true if this link is not in the group
is_gone() {
	! smcr-ctl link show | grep -q "link $1 "
}

# step COMMAND: command ../mod/qpstep.c
step() {
	echo "$1" >/proc/qpstep
}

hits=/sys/module/linkerr/parameters/hits
client_leads

undo_later wire clear
both undo_later patient
both save begin
on server serve $kind "$SERVER" -a
io_check "a first contact" $kind "$SERVER" seq -n 1
both check "there are two links" has_links 2
both check "the links have the numbers 1 and 2" nums_are 1 2
both grew begin LinksAdded -eq 1
both grew begin LinksFailed -eq 0
both grew begin BadLlc -eq 0
both grew begin FirstContacts -eq 1

# The first RMB has four elements, so more are made and told for both links.
both save many
io_check "12 connections at once" $kind "$SERVER" many -n 12
both grew many LinksFailed -eq 0
both grew many BadLlc -eq 0
both grew many FirstContacts -eq 0
both check "both links are in use" has_links 2

both save second
both fails_fast
dead 1
io_check "a stream while the second link fails" \
	$kind "$SERVER" stream -u 4m -d 4m
both wait_until "the second link is lost" grew_to second LinksFailed 1
both wait_until "one link is left" has_links 1
both check "it is the first" nums_are 1
both grew second Aborts -eq 0
io_check "connections over the first link" $kind "$SERVER" seq -n 5
both grew second FirstContacts -eq 0
both grew second BadLlc -eq 0
both save third
check "RoCE is back" wire clear
both wait_until "there are two links again" has_links 2
both check_not "the number of the lost link is not used again" has_num 2
both patient
io_check "connections at once" $kind "$SERVER" many -n 8
both grew third Aborts -eq 0

both save first
hold $kind "$SERVER" 4
both check "the connections are spread over the links" spread 2
both fails_fast
dead 0
released "connections of the first link go on over the other one"
both wait_until "the first link is lost" grew_to first LinksFailed 1
both wait_until "one link is left" has_links 1
io_check "connections over the other link" $kind "$SERVER" seq -n 5
both grew first Aborts -eq 0
both grew first ConnsMoved -ge 1
both grew first ValidationsReceived -ge 1
both grew first ValidationsFailed -eq 0
both grew first FirstContacts -eq 0
both grew first BadLlc -eq 0
hold $kind "$SERVER" 4
both save balance
check "RoCE is back" wire clear
both wait_until "there are two links again" has_links 2
both check_not "the number of the lost link is not used again" has_num 1
both wait_until "connections move to the new link" grew_to balance ConnsBalanced 2
both save settled
both check "the connections are spread over the links" spread 2
released "they go on there"
both grew balance Aborts -eq 0
both grew balance ValidationsFailed -eq 0
both grew balance TxBytesReplayed -eq 0
both grew settled LinksFailed -eq 0
both patient
both no_fallback begin

# server_names: start a connection, and wait until the server names its link
server_names() {
	io $kind "$SERVER" seq -n 1 >"$tmp/open" 2>&1 &
	open_pid=$!
	jobs_started+=("$open_pid")
	on server wait_until "the server sends an Accept" opening
	named=$(on server opening)
}

# accept_lost: start a connection whose Accept is lost, and fail the link that
# it names, after COMMAND; sets "named" to the number of the link
accept_lost() {
	check "no TCP packet follows the server's SYN-ACK" \
		wire stop 3 server0 client0 tcp
	server_names
	"$@"
	device=$(device_of "$named")
	dead "${device#rxe}"
	check "the links are tested" insmod /share/porterr.ko
	check "once" rmmod porterr
}

# accept_comes: let the Accept come again; the connection works
accept_comes() {
	check "all paths are back" wire clear
	wait "$open_pid"
	check "the connection works" test $? -eq 0 || sed 's/^/# /' "$tmp/open"
}

# The Accept names a link and is lost. The link fails, and a test module keeps it
# in the client's group until the Accept has come again.
both save named
check "qpstep is loaded" insmod /share/qpstep.ko
undo_later rmmod qpstep
both undo_later calm_timers
both check "a handshake may take a minute" \
	deadlines $((16 + SLOW / 2)) $((8000 * SLOW)) $((60000 * SLOW))
accept_lost check "the link's end will be held back" step "hold 6"
wait_until "the link of the Accept has failed" has_failed "$named"
on server wait_until "the server knows" grew_to named LinksFailed 1
accept_comes
grew named HandshakesMoved -eq 1
check "the link was not gone yet" has_failed "$named"
check "the link's end goes on" step go
both wait_until "there are two links again" has_links 2
both grew named SubsequentContacts -eq 1
both grew named FirstContacts -eq 0
both grew named Aborts -eq 0
both no_fallback named

# The link of the Accept fails while the client's connection takes an element.
both save taken
check "the link's end will be held back again" step "hold 6"
undo_later rmmod linkerr
check "the link of the next connection will fail" insmod /share/linkerr.ko
io_check "the connection" $kind "$SERVER" seq -n 1
check "its link has failed, once" test "$(cat "$hits")" = 1
grew taken HandshakesMoved -eq 1
check "the link's end goes on" step go
both wait_until "the link is lost" grew_to taken LinksFailed 1
both wait_until "there are two links again" has_links 2
both grew taken SubsequentContacts -eq 1
both grew taken FirstContacts -eq 0
on server grew taken Aborts -eq 0
both no_fallback taken

# The same as before that, but the link has left the client's group when the
# Accept comes. The connection is TCP, and the group stays.
both save left
accept_lost true
wait_until "the link of the Accept has left" is_gone "$named"
on server wait_until "the server knows" grew_to left LinksFailed 1
accept_comes
grew left FallbackLinkLost -eq 1
grew left Fallbacks -eq 1
on server grew left FallbackPeerDeclined -eq 1
both wait_until "there are two links again" has_links 2
io_check "the next connection" $kind "$SERVER" seq -n 1
both grew left SubsequentContacts -eq 1
both grew left FirstContacts -eq 0
both grew left LinksFailed -eq 1
both grew left Aborts -eq 0

# confirm_lost: start a connection whose Confirm is lost, and fail the link that
# it names, after COMMAND; sets "named" to the number of the link
confirm_lost() {
	check "no TCP packet follows the client's Proposal" \
		wire stop 4 client0 server0 tcp
	server_names
	wait_until "the client sends its Confirm" \
		grew_to confirm SubsequentContacts 1
	"$@"
	device=$(device_of "$named")
	dead "${device#rxe}"
	check "the links are tested" insmod /share/porterr.ko
	check "once" rmmod porterr
	both wait_until "the link is lost" grew_to confirm LinksFailed 1
}

# server_begins_with_f: the Confirm comes, and the server's end moves
server_begins_with_f() {
	accept_comes
	on server grew confirm HandshakesMoved -eq 1
	grew confirm HandshakesMoved -eq 0
	both grew confirm ConnsMoved -eq 1
	both grew confirm ValidationsReceived -eq 1
	both grew confirm ValidationsFailed -eq 0
	both grew confirm SubsequentContacts -eq 1
	both grew confirm FirstContacts -eq 0
	both grew confirm Aborts -eq 0
	both no_fallback confirm
}

# The Confirm names a link that the server has lost, and is late. The link is
# still in the server's group in one case, and has left it in the other.
both save confirm
on server check "qpstep is loaded there, too" insmod /share/qpstep.ko
on server undo_later rmmod qpstep
confirm_lost on server check "the link's end will be held back" step "hold 6"
on server check "the link is in the server's group" has_failed "$named"
server_begins_with_f
on server check "the link is not gone yet" has_failed "$named"
on server check "the link's end goes on" step go
both wait_until "there are two links again" has_links 2

both save confirm
confirm_lost true
on server wait_until "the link has left the server's group" is_gone "$named"
server_begins_with_f
both wait_until "there are two links again" has_links 2

# The adapter of either host is away, and the other host's second one connects to
# the first. Then it is back, under connections that are open and a stream.
for host in server client; do
	other=client
	[ "$host" = server ] || other=server
	both save asymmetric
	on "$host" without_one
	both wait_until "its link is lost" grew_to asymmetric LinksFailed 1
	both wait_until "there is an asymmetric link" has_links 2
	on "$host" check "both links end at one port" local_ports 1
	on "$other" check "they begin at two ports" local_ports 2
	io_check "a stream" $kind "$SERVER" stream -u 4m -d 4m
	both grew asymmetric FirstContacts -eq 0
	both grew asymmetric BadLlc -eq 0
	hold $kind "$SERVER" 4
	both save symmetric
	io $kind "$SERVER" stream -u 8m -d 8m >"$tmp/stream" 2>&1 &
	stream=$!
	jobs_started+=("$stream")
	wait_until "a stream begins" grew_to symmetric TxBytes 1
	on "$host" check "rxe1 is back" with_two
	both wait_until "a symmetric link replaces the asymmetric one" \
		grew_to symmetric LinksReplaced 1
	both check "there are two links" has_links 2
	both check "they end at two ports" local_ports 2
	wait "$stream"
	check "the stream is exact" exits $?
	both check "the connections are spread over the links" spread 2
	released "they go on there"
	both grew symmetric LinksAdded -eq 1
	both grew symmetric LinksFailed -eq 0
	both grew symmetric Aborts -eq 0
	both grew symmetric BadLlc -eq 0
	both grew symmetric TxBytesReplayed -eq 0
	both no_fallback symmetric
done
both no_conn_left
finish
