#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: False answers in first contact and later end only what they concern
# rfc: C.2, C.3, C.7.1
# kernel: turns liar
# nics: 1
# timeout: 240
# Lies in the answers that an honest host waits for, in first contact and
# later, in both roles.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_lib.sh
. "$FUNC_DIR/lib/liar_lib.sh"

# declined FACT EDIT...: of CONFIRM LINK; the connection is TCP
declined() {
	mark BadLlc FallbackConfirmLink
	lie hook llc 01 00 0 1 "${@:2}"
	meet v
	talk v
	more BadLlc 1
	more FallbackConfirmLink 1
	part v
	alone
	verdict "DECL: CONFIRM LINK with $1"
}

# refused FACT TYPE EDIT...: of a reply in first contact; past the point
# of no return, so the connection is reset
refused() {
	mark BadLlc LinksFailed
	lie hook llc "$2" 80 0 1 "${@:3}"
	step ECONNRESET C connect v
	more BadLlc 1
	more LinksFailed 1
	alone
	verdict "RST: $1"
}

# stillborn: a connection whose client has said its last word, for which the
# server ends it: that may overtake what tells the client's program that it is
# connected.
stillborn() {
	ask C connect v
	if [ "$reply" = ok ]; then
		step ECONNRESET C recv v 1
		step ok C close v
	else
		want ECONNRESET "C connect v"
	fi
}

# alone: neither host has a group
alone() {
	lie unhook
	step ok C lie end
	step ok S lie end
	gone C
	gone S
}

# gives_up FACT CONNECTIONS TYPE EDIT...: a reply makes the honest host give
# the link up, with so many connections. They are there before the lie, since
# one still in its handshake would be reset too, and perhaps at one end alone;
# until then a second RMB is put off.
gives_up() {
	local i

	mark BadLlc LinksFailed
	lie hook llc 06 80 0 1000 3=b0
	for ((i = 0; i < $2; i++)); do
		meet "v$i"
	done
	lie hook llc "$3" 80 0 1 "${@:4}"
	more LinksFailed 1
	more BadLlc 1
	for ((i = 0; i < $2; i++)); do
		step ECONNRESET "$HONEST" recv "v$i" 1
		part "v$i"
	done
	alone
	verdict "LDOWN: $1"
}

# four: connections; the honest host has told of a second RMB by then
four() {
	local i

	for ((i = 0; i < 4; i++)); do
		meet "v$i"
	done
}

four_part() {
	local i

	for ((i = 0; i < 4; i++)); do
		part "v$i"
	done
}

on() {
	step 0 "$1" sh sysctl -qw "net.smcr.$2"
}

liar_begin

HONEST=C
LIAR=S
declined "another queue pair" 26^000001
declined "another GID" 10=fe80
declined "another MAC" 4=020304050607
declined "link number 0" 29=00

mark AddLinkRefused
lie hook llc 02 00 0 1 30=00
meet v
talk v
more AddLinkRefused 1
part v
alone
verdict "NEG: ADD LINK with MTU 0 in first contact; one link carries the bytes"

lie hook llc 02 00 0 1 0=042c0040
step ECONNRESET C connect v
alone
verdict "RST: DELETE LINK (all) in the place of ADD LINK"

linger=$(sysctl -n net.smcr.lgr_linger_ms)
on C lgr_linger_ms=200
mark DeleteLinkSent LlcTimeouts
lie hook llc 04 00 0 1 0=84
meet v
talk v
part v
more DeleteLinkSent 1
more LlcTimeouts 1
alone
on C lgr_linger_ms="$linger"
verdict "a server ignores DELETE LINK of its client, whose group ends in time"

HONEST=S
LIAR=C
refused "CONFIRM LINK reply with another queue pair" 01 26^000001
refused "CONFIRM LINK reply with another link number" 01 29^08
refused "CONFIRM LINK reply that takes a dialect nobody offered" 01 3=83
step 0 $HONEST sh "dmesg | grep -F 'bad LLC message' | tail -n 1 |" \
	"grep -qF '(CONFIRM LINK reply in another dialect)'"
verdict "which is what the log says of it"

mark BadLlc LinksFailed
lie hook llc 02 80 0 1 29^70
stillborn
more BadLlc 1
more LinksFailed 1
alone
verdict "RST: ADD LINK reply for another link"

lie hook llc 02 80 0 1 0=042c0040
stillborn
alone
verdict "RST: DELETE LINK (all) in the place of the ADD LINK reply"

mark DeleteLinkSent BadLlc
lie hook llc 02 80 0 1 2=0080 26=000099
meet v
talk v
more DeleteLinkSent 1
more BadLlc 0
part v
alone
verdict "an ADD LINK agreed to without need is deleted; one link carries on"

mark DeleteLinkSent LlcTimeouts
lie hook llc 02 80 0 1 2=0080 26=000099
step ok $HONEST lie catch 04
step ok C connect v
more DeleteLinkSent 1
more LlcTimeouts 1
step ECONNRESET C recv v 1
step ok C close v
step ok $HONEST lie catch 00
alone
verdict "RST: DELETE LINK of one link without an answer"

for HONEST in S C; do
	LIAR=C
	[ $HONEST = S ] || LIAR=S
	on $HONEST test_link_interval_ms=100
	mark TestLinkSent
	meet v
	more_at_least=$((marked[TestLinkSent] + 2))
	ask $HONEST await TestLinkSent $more_at_least
	[ "$reply" -ge $more_at_least ] || wrong+="; TestLinkSent $reply"
	talk v
	part v
	alone
	verdict "TEST LINK goes out on an idle link of $HONEST, and is answered"
	gives_up "TEST LINK reply with another byte, to $HONEST" 1 07 19^01
	lie dup 1
	gives_up "TEST LINK reply twice, to $HONEST" 1 07
	on $HONEST test_link_interval_ms=0
done

# Elements of 512 KB: four in an RMB, and the second one at the third
HONEST=C
LIAR=S
on C rmem=524284
gives_up "CONFIRM RKEY reply with another key" 3 06 5^00000100
gives_up "CONFIRM RKEY reply with another address" 3 06 9^0000000000001000
gives_up "CONFIRM RKEY reply with other links" 3 06 17=01

mark Fallbacks ConfirmRkeySent RmbsCreated
lie hook llc 06 80 0 1 3=a0
four
more Fallbacks 0
ask C await RmbsFreed 1
meet v
talk v
four_part
part v
alone
verdict "CONFIRM RKEY refused: four connections live on, and a fifth"

mark Fallbacks ConfirmRkeySent
lie hook llc 06 80 0 1000 3=b0
four
meet v
talk v
more Fallbacks 1
ask C stat ConfirmRkeySent
[ $((reply - marked[ConfirmRkeySent])) -le 130 ] ||
	wrong+="; ConfirmRkeySent $reply"
four_part
part v
alone
verdict "CONFIRM RKEY put off for ever: the next connection is TCP, in the end"

# The sixth connection has a third RMB made, which none comes to use. The second
# one shall not be idle for long before the fifth.
mark DeleteRkeySent MrFrees RmbsFreed
four
meet v
meet n
talk v
on C rmb_linger_ms=200
four_part
part v
talk n
more DeleteRkeySent 1
more MrFrees 1
more RmbsFreed 1
part n
alone
verdict "an RMB that stays unused is deleted: DELETE RKEY, then its region"

four
meet v
mark LinksFailed BadLlc
lie hook llc 09 80 0 1 8^00000100
part v
more LinksFailed 1
more BadLlc 1
step ECONNRESET C recv v0 1
four_part
alone
verdict "LDOWN: DELETE RKEY reply with another key"

# The liar takes RMBs away that connections of the honest host write to
on C rmb_linger_ms=60000
on S rmem=524284
on C rmem=131068
four
ask S look rmb0
key=${reply:0:8}
meet v
mark ResetRmbeConflict
lie catch 09
lie llc 1 "092c000001000000${key}$(printf '%064d' 0)"
for i in 0 1 2 3; do
	step ECONNRESET C recv "v$i" 1
done
more ResetRmbeConflict 4
talk v
four_part
part v
alone
verdict "CABORT: DELETE RKEY of an RMB in use; a connection of another lives"

liar_end
