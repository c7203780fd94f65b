#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: False messages about links end what they concern, and nothing else
# rfc: 3.5.5, 4.6.1, A.3, A.4, C.7.1
# nics: 2
# timeout: 240
# Lies that need a second link: F and moves between links, RTokens of links, the
# keys of a link that is being added, an Accept that names it too early, DELETE
# LINK. Connection "n" belongs to the group in which one host lies, and "h" to
# another group of the same two hosts. Both stay exact.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_lib.sh
. "$FUNC_DIR/lib/liar_lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_say.sh
. "$FUNC_DIR/lib/liar_say.sh"
# shellcheck source=lib/slow_lib.sh
. "$FUNC_DIR/lib/slow_lib.sh"

# Size of a default RMBE's ring in bytes: 128 KB less the eye catcher
RING=$((131072 - 4))
# F, alone and with D, C, A and U
F=flags=0x0800
F_MORE=flags=0x28e0
# An address and a key of memory that does not exist
NOWHERE=0123456789abcdef
FAKE=feedbeef
# Number of a link that the liar offers
NEW_LINK=40

# pair_up: a new group of two links with connection "n"
pair_up() {
	fresh
	whole
}

# exact: both honest connections carry bytes
exact() {
	talk n
	talk h
}

# numbers: note the numbers of the links; the first one carries messages
numbers() {
	carrier=$(shown link)
	other=$(shown linkb)
}

# heard N: wait until the honest host has received N CDC messages since "mark"
heard() {
	ask "$HONEST" await CdcReceived $((marked[CdcReceived] + $1))
}

# harmless: no link has failed since "mark", and no connection
harmless() {
	more ValidationsFailed 0
	more LinksFailed 0
	more BadCdc 0
	more BadLlc 0
	more Aborts 0
}

mark_all() {
	mark CdcReceived ValidationsReceived ValidationsFailed LinksFailed \
		BadCdc BadLlc Aborts CdcIgnored ResetDataLost ResetCdcInvalid \
		ResetLinkDown ResetGroupDeleted
}

# Moves: F and what follows it

# used: open connection "v" and have it carry bytes
used() {
	meet v
	talk v
	mark_all
}

# moves FACT KEYS...: expect that an F with these lies is valid, since only its
# token and its sequence number count
moves() {
	used
	lie cdc -1 over=1 $F seq=-1 "${@:2}"
	lie cdc -1 over=1
	more ValidationsReceived "${fs:-1}"
	heard $((${fs:-1} + 1))
	talk v
	harmless
	part v
	exact
	verdict "a move is valid, with an F $1"
}

# was_reset: expect that connection "v" was reset, and no other
was_reset() {
	step ECONNRESET $HONEST recv v 1
	more Aborts 1
	step ECONNRESET $LIAR recv v 1
	part v
	exact
}

# behind FACT KEYS...: expect that the message behind F resets the connection.
# The liar's smcr, which knows of no move, sends A over the link that F has left,
# without an F and with a number that skips the message. A connection that was
# reset fails no validation.
behind() {
	used
	lie cdc -1 over=1 $F seq=-1
	lie cdc -1 over=1 "${@:2}"
	more BadCdc 1
	more ResetCdcInvalid 1
	more LinksFailed 0
	more CdcIgnored 1
	more ValidationsFailed 0
	was_reset
	verdict "CABORT: behind an F, $1"
}

f_that_skips() {
	used
	lie cdc -1 over=1 $F seq=4
	lie cdc -1 over=1 seq=6
	more ValidationsFailed 1
	more ResetDataLost 1
	more LinksFailed 1
	more BadCdc 0
	was_reset
	whole
	verdict "CABORT: F confirms a message that never came; the link is drained"
}

# The honest host waits for messages of another link as long as a queue pair may
# retry.
f_here_that_skips() {
	local timeout

	used
	lie cdc -1 $F seq=-1
	lie cdc -1
	heard 2
	talk v
	harmless
	timeout=$(on client sysctl -n net.smcr.qp_timeout)
	sysctl_at "$HONEST" qp_timeout=12
	lie cdc -1 $F seq=4
	more ValidationsFailed 1
	more ResetDataLost 1
	more LinksFailed 0
	more BadCdc 0
	was_reset
	sysctl_at "$HONEST" "qp_timeout=$timeout"
	verdict "CABORT: the same over the present link; a true F is valid there"
}

# drains FACT COMMAND: expect that one link is ended, and no connection
drains() {
	used
	"${@:2}"
	more LinksFailed 1
	talk v
	more ValidationsFailed 0
	more BadCdc 0
	more Aborts 0
	part v
	exact
	whole
	verdict "LDOWN: $1; no connection is reset"
}

f_of_old_message() {
	lie cdc -1 over=1 "$F" seq=-2
	lie cdc -1 over=1
}

# The honest host waits for the message as long as a queue pair may retry, here
# half a second, and then goes on without it.
f_alone() {
	local timeout end

	used
	timeout=$(on client sysctl -n net.smcr.qp_timeout)
	sysctl_at "$HONEST" qp_timeout=12
	lie cdc -1 over=1 $F seq=-1
	end=$((SECONDS + 3))
	while [ $SECONDS -lt $end ]; do
		talk v
	done
	harmless
	lie cdc -1 over=1 $F seq=-1
	lie cdc -1 over=1
	talk v
	harmless
	sysctl_at "$HONEST" "qp_timeout=$timeout"
	part v
	exact
	verdict "nothing follows F: no link ends, and the next F is valid"
}

too_many_fs() {
	lie cdc -1 over=1 "$F" seq=-1 x=4
}

moves_without_f() {
	used
	lie cdc -1 over=1
	heard 1
	talk v
	lie cdc -1 over=1 seq=-1 prod=9
	more CdcIgnored 1
	talk v
	harmless
	lie cdc -1 over=1 seq=1
	more ValidationsFailed 1
	more ResetDataLost 1
	more LinksFailed 0
	more BadCdc 0
	was_reset
	verdict "CABORT: without an F, a message is missing at the move"
}

# Each message arrives before the next move, as two links have no order.
back_and_forth() {
	local i n=0 over

	used
	for ((i = 0; i < 16; i++)); do
		for over in 1 0; do
			lie cdc -1 over=$over $F seq=-1
			lie cdc -1 over=$over
			n=$((n + 2))
			heard $n
		done
	done
	more ValidationsReceived 32
	talk v
	harmless
	part v
	exact
	verdict "32 moves back and forth are valid"
}

f_after_close() {
	used
	lie cdc -1 flags=0x40
	step EOF $HONEST recv v 1
	lie cdc -1 over=1 $F seq=3 x=5
	more CdcIgnored 5
	harmless
	part v
	exact
	verdict "IGN: F after C"
}

false_moves() {
	moves "that is true"
	moves "of another producer position" prod=-1
	moves "of a producer beyond the window" prod=$((RING + 1))
	moves "of bytes that were never sent" cons=1
	moves "of offsets outside of the ring" poff=3 coff=$((0xffffffff))
	moves "that has D, C, A and U" $F_MORE
	fs=2 moves "that is sent twice" x=2
	fs=3 moves "that is sent three times, as often as moves may wait" x=3
	behind "the producer goes backwards" prod=-1
	behind "the producer is one byte beyond the window" prod=$((RING + 1))
	behind "the consumer is ahead of what was sent" cons=1
	f_that_skips
	f_here_that_skips
	drains "F confirms less than has come" f_of_old_message
	f_alone
	drains "four moves at once, which is one too many" too_many_fs
	moves_without_f
	back_and_forth
	f_after_close
}

# RTokens and continuations

# rtokens N NUMBER...: print N and FAKE's RTokens on these links, as in CONFIRM
# RKEY and its continuation
rtokens() {
	local num

	printf '%s' "$1"
	for num in "${@:2}"; do
		printf '%s' "$num${FAKE}$NOWHERE"
	done
}

# confirm N NUMBER...: tell FAKE's keys on the carrier and on N other links
confirm() {
	say "062c00000$1$FAKE$NOWHERE$(rtokens "" "${@:2}")"
}

# rest N NUMBER...: continue it with N links left
rest() {
	say "082c00000$(rtokens "$@")"
}

# replied N BYTES: wait for the Nth reply, which begins with these bytes
replied() {
	until_replies "$1"
	ask "$LIAR" look reply
	[ "${reply:0:${#2}}" = "$2" ] || wrong+="; reply $reply, not $2..."
}

# unknown: the honest host knows no RMB with the key FAKE
unknown() {
	lie catch 09
	say "092c000001000000$FAKE"
	replied 1 092c00a001
}

# neg FACT BYTES-OF-REPLY COMMAND...: expect a last reply after which nothing of
# the RMB is stored
neg() {
	mark_all
	lie catch 06 08
	"${@:3}"
	replied "$nr_replies" "$2"
	unknown
	lie unhook
	harmless
	exact
	verdict "NEG at the $role: $1"
}

# ends FACT COMMAND...: expect that the link that carries the message is ended,
# and no connection
ends() {
	numbers
	mark_all
	lie catch 02 03 06 08
	"${@:2}"
	more BadLlc 1
	more LinksFailed 1
	lie unhook
	exact
	whole
	exact
	more Aborts 0
	verdict "LDOWN at the $role: $1"
}

one_too_many() { confirm 2 "$other" "$NO_LINK"; }
three() { confirm 3 "$other" "$NO_LINK"; }
three_then() { three; rest "$@"; }
seven() { confirm 7 "$other" "$NO_LINK"; rest 5 0a 0b 0c; }
seven_then() { seven; rest "$@"; }
done_twice() { three_then 1 0a; rest 1 0a; }
within() { three; three; }
twice_named() { confirm 2 "$other" "$other"; }

false_rtokens() {
	local nr_replies=1

	numbers
	lie catch 06
	confirm 1 "$other"
	replied 1 "062c008001$FAKE$NOWHERE$other"
	lie unhook
	answers "CONFIRM RKEY with an RToken for each link is confirmed" \
		09 092c008001 "092c000001000000$FAKE"
	neg "an RToken for a link that does not exist" 062c00a0 confirm 1 $NO_LINK
	neg "an RToken for the carrier as another link" \
		062c00a0 confirm 1 "$carrier"
	neg "one RToken more than there are links" 062c00a0 one_too_many
	nr_replies=2
	neg "two more, in a continuation" 082c00a0 three_then 1 0a
	nr_replies=3
	neg "seven others, the most that a message can count" \
		082c00a0 seven_then 2 0d 0e
	ends "one link is named twice" twice_named
	ends "a continuation that counts up" three_then 2 0a 0b
	ends "a continuation that does not count down" seven_then 5 0a 0b 0c
	ends "a continuation after the last one" done_twice
	ends "CONFIRM RKEY instead of the continuation" within

	numbers
	mark_all
	lie catch 06
	confirm 0
	replied 1 062c0080
	more LinksFailed 1
	more BadLlc 0
	exact
	lie unhook
	whole
	neg_lost
	exact
	more Aborts 0
	verdict "LDOWN at the $role: a link for which an RToken is missing"
}

# The honest host answers with C if a named link has been lost: the liar might
# not have heard of that.
neg_lost() {
	lie catch 06
	confirm 1 "$other"
	replied 1 062c00b0
	lie unhook
}

# ADD LINK

# offer NUMBER: offer the client a further link, to an address of this server
# that no link uses
offer() {
	say "022c0000$mac$gid" "${qpn:-000099}$1" 0300000001
}

offer_carrier() { offer "$carrier"; }
offer_other() { offer "$other"; }

# pairs LEFT [REF KEY]...: print ADD LINK CONTINUATION
pairs() {
	printf '032c0000%s%s0000' "$number" "$1"
	shift
	while [ $# -gt 0 ]; do
		printf '%s%s%s' "$1" "$2" $NOWHERE
		shift 2
	done
}

# first_key: note the liar's first key on the carrier
first_key() {
	known=$(shown rmb0)
	known=${known:0:8}
}

# second_key: have the honest host learn a second RMB of the liar, FAKE
second_key() {
	numbers
	lie catch 06
	confirm 1 "$other"
	replied 1 062c0080
	lie unhook
}

# keys MESSAGE...: offer a link, and send these continuations for it. The honest
# host answers each of them, but not the last one if that is false.
keys() {
	local message nr=0

	offer $NEW_LINK
	for message in "$@"; do
		nr=$((nr + 1))
		until_replies $nr
		say "$message"
	done
}

# good_keys FACT MESSAGE...: expect that the honest host takes all of them; then
# delete the link
good_keys() {
	mark_all
	lie catch 02 03 04
	keys "${@:2}"
	until_replies $#
	say "042c0000${NEW_LINK}00010000"
	until_replies $(($# + 1))
	seen $HONEST step 0
	lie unhook
	harmless
	exact
	verdict "the $role takes ADD LINK CONTINUATION $1"
}

# bad_keys FACT LEFT [REF KEY]... [/ LEFT [REF KEY]...]: keys of link $number,
# with KNOWN for the liar's first key
bad_keys() {
	local fact=$1 messages=() words=() word

	second_key
	first_key
	shift
	for word in "$@" /; do
		if [ "$word" = / ]; then
			messages+=("$(pairs "${words[@]}")")
			words=()
		else
			words+=("${word/KNOWN/$known}")
		fi
	done
	ends "ADD LINK CONTINUATION $fact" keys "${messages[@]}"
}

false_keys() {
	local number=$NEW_LINK gid mac known

	on server undo_later ip addr del 10.9.0.21/24 dev eth0
	check "the server has a further address" \
		on server ip addr add 10.9.0.21/24 dev eth0
	mac=$(on server cat /sys/class/net/eth0/address)
	mac=${mac//:/}
	gid=00000000000000000000ffff0a090015
	ends "ADD LINK with the number of its carrier" offer_carrier
	ends "ADD LINK with the number of another link" offer_other
	ends "ADD LINK with the number 0" offer 00

	second_key
	first_key
	good_keys "of no RMB" "$(pairs 00)"
	good_keys "of each RMB" "$(pairs 02 "$known" 00000001 $FAKE 00000002)"
	bad_keys "of an unknown RMB" 01 deadbeef 00000001
	bad_keys "of more RMBs than there are" \
		03 KNOWN 00000001 $FAKE 00000002 / 01 deadbeef 00000003
	bad_keys "of one RMB twice in a message" \
		02 KNOWN 00000001 KNOWN 00000001
	bad_keys "of one RMB twice, in two messages" \
		03 KNOWN 00000001 $FAKE 00000002 / 01 KNOWN 00000001
	bad_keys "of two RMBs with one key" \
		02 KNOWN 00000001 $FAKE 00000001
	bad_keys "of fewer RMBs than it counted" \
		03 KNOWN 00000001 $FAKE 00000002 / 00
	bad_keys "that does not count down" \
		ff KNOWN 00000001 $FAKE 00000002 / \
		ff KNOWN 00000001 $FAKE 00000002
	bad_keys "that goes on with the same RMBs" \
		ff KNOWN 00000001 $FAKE 00000002 / \
		fd KNOWN 00000001 $FAKE 00000002
	named_too_early
	number=41
	bad_keys "of another link" 01 KNOWN 00000001
}

# named_too_early: offer a link, and name it in an Accept before the client's
# adapter has connected the queue pair. No earlier link had that number.
named_too_early() {
	local qpn=000077 timeout

	timeout=$(on client sysctl -n net.smcr.llc_timeout_ms)
	sysctl_at C llc_timeout_ms=$((20000 * SLOW))
	mark_all
	mark FallbackOutOfSync
	step 0 C sh insmod /share/slowmr.ko
	undo_later rmmod slowmr
	adapter qp_ms $((60000 * SLOW))
	offer $NEW_LINK
	wait_until "the client is about to connect the queue pair" region_made 1
	lie name $qpn "$mac" "$gid"
	meet v
	talk v
	more FallbackOutOfSync 1
	lie unhook
	part v
	region_made 1 || wrong+="; the queue pair is connected"
	lie catch 02 03 04
	adapter qp_ms 0
	until_replies 1
	say "$(pairs 00)"
	until_replies 2
	say "042c0000${NEW_LINK}00010000"
	until_replies 3
	seen $HONEST step 0
	lie unhook
	harmless
	exact
	step 0 C sh rmmod slowmr
	sysctl_at C "llc_timeout_ms=$timeout"
	verdict "DECL: an Accept that names a link before it is connected"
}

# changed FACT EDIT...: change the client's keys in first contact, over its only
# link; expect a reset
changed() {
	mark_all
	lie hook llc 03 80 0 1 "${@:2}"
	stillborn
	more BadLlc 1
	more LinksFailed 1
	lie unhook
	talk h
	verdict "RST: ADD LINK CONTINUATION reply $1"
}

# unconfirmed FACT FLAGS EDIT...: change CONFIRM LINK of the second link; expect
# that this link is ended
unconfirmed() {
	mark_all
	lie hook llc 01 "$2" 1 1 "${@:3}"
	meet n
	more BadLlc 1
	more LinksFailed 1
	lie unhook
	exact
	whole
	more Aborts 0
	verdict "LDOWN at the $role: CONFIRM LINK of the second link with $1"
	ask C close n
	ask S close n
	ungrouped
}

false_first_contact() {
	local none=00000000000000000000000000000000 flags=00

	[ $HONEST = C ] || flags=80
	ask C close n
	ask S close n
	ungrouped
	unconfirmed "another number" $flags 29^08
	unconfirmed "another queue pair" $flags 26^000001
	[ $HONEST = S ] || return
	changed "of one RMB more than there are" 5=02
	changed "that counts fewer RMBs than it has" 5=00
	changed "that never ends" 5=ff
	changed "of another link" 4^70
	changed "of an unknown RMB" 8^00000100
	mark_all
	lie hook llc 03 80 0 1 5=00 8=$none
	meet n
	lie unhook
	exact
	harmless
	verdict "ADD LINK CONTINUATION reply of no RMB: the first link works"
}

# DELETE LINK

# deleted FACT BYTES...: expect that one link is ended, by what the honest host
# answers: a client a reply, a server DELETE LINK
deleted() {
	mark_all
	[ $HONEST = S ] || lie catch 04
	lie llc "${x:-1}" "$(llc "${@:2}")"
	[ $HONEST = S ] || until_replies "${x:-1}"
	more LinksFailed 1
	lie unhook
	# The liar's own smcr knows nothing of this message.
	[ $HONEST = S ] || lie fail "$named"
	exact
	whole
	exact
	more LinksFailed 1
	more BadLlc 0
	more Aborts 0
	lie via 0
	verdict "at the $role: DELETE LINK $1"
}

# both_deleted FLAGS: delete both links, the carrier last
both_deleted() {
	numbers
	mark_all
	say "042c00$1${other}00010000"
	more LinksFailed 1
	say "042c00$1${carrier}00010000"
	step ECONNRESET $HONEST recv n 1
	lie unhook
	talk h
	pair_up
}

false_deletes() {
	local named=1

	answers "DELETE LINK of an unknown link is answered with that reason" \
		04 042c0080${NO_LINK}00100000 042c0000${NO_LINK}00010000
	numbers
	deleted "of the other link" "042c0000${other}00010000"
	numbers
	x=2 deleted "of the other link, twice" "042c0000${other}00010000"
	numbers
	lie via 1
	deleted "of its carrier" "042c0000${other}00010000"
	numbers
	if [ $HONEST = C ]; then
		mark_all
		say "042c0080${other}00010000"
		exact
		harmless
		verdict "IGN at the $role: DELETE LINK reply out of turn"
		lie catch 04
		both_deleted 00
		more ResetLinkDown 1
		verdict "DELETE LINK of both links ends the group of a client"
	else
		ends "DELETE LINK reply out of turn" \
			say "042c0080${other}00010000"
		both_deleted 20
		more ResetGroupDeleted 1
		verdict "DELETE LINK of both links ends the group of a server"
	fi
}

client_leads

liar_begin
for host in C S; do
	sysctl_at $host link_retry_min_ms=$((500 * SLOW))
	sysctl_at $host close_timeout_ms=2000
done
step ok C connect h 10.9.0.12
step ok S accept h
talk h
spared=1

HONEST=C
LIAR=S
role=client
pair_up
verdict "two connections in two groups, one of which has two links"
false_moves
false_rtokens
false_deletes
false_keys
false_first_contact

HONEST=S
LIAR=C
role=server
pair_up
false_rtokens
false_deletes
false_first_contact

part h
spared=0
liar_end
