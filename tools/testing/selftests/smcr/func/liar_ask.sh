#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A false LLC reply ends only the connection or link that it concerns
# rfc: 2.2.4, 3.5.1.6, 4.1, A.3.5, C.2, C.3, C.7.1
# nics: 1
# timeout: 240
# False LLC replies to an honest host that waits for them, in first contact and
# later, in both roles.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_lib.sh
. "$FUNC_DIR/lib/liar_lib.sh"

# declined FACT EDIT...: change CONFIRM LINK; expect a fallback to TCP
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

# refused FACT TYPE EDIT...: change a reply in first contact, too late for a
# fallback; expect a reset
refused() {
	mark BadLlc LinksFailed
	lie hook llc "$2" 80 0 1 "${@:3}"
	step ECONNRESET C connect v
	more BadLlc 1
	more LinksFailed 1
	alone
	verdict "RST: $1"
}

# gives_up FACT CONNECTIONS TYPE EDIT...: expect that the honest host ends the
# link and its CONNECTIONS after a false reply. They are open before the lie,
# since a reset in the handshake might happen at one end only; until then the
# replies postpone a second RMB.
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

# four: open four connections, for which the honest host announces a second RMB
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

client_leads

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
verdict "RST: DELETE LINK (all) instead of ADD LINK"

linger=$(sysctl -n net.smcr.lgr_linger_ms)
sysctl_at C lgr_linger_ms=200
mark DeleteLinkSent LlcTimeouts
lie hook llc 04 00 0 1 0=84
meet v
talk v
part v
more DeleteLinkSent 1
more LlcTimeouts 1
alone
sysctl_at C lgr_linger_ms="$linger"
verdict "a server ignores DELETE LINK of its client, whose group ends in time"

HONEST=S
LIAR=C
refused "CONFIRM LINK reply with another queue pair" 01 26^000001
refused "CONFIRM LINK reply with another link number" 01 29^08
refused "CONFIRM LINK reply that takes a dialect that was not offered" 01 3=83
step 0 $HONEST sh "dmesg | grep -F 'bad LLC message' | tail -n 1 |" \
	"grep -qF '(CONFIRM LINK reply in another dialect)'"
verdict "the log names the wrong dialect"

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
verdict "RST: DELETE LINK (all) instead of the ADD LINK reply"

mark DeleteLinkSent BadLlc
lie hook llc 02 80 0 1 2=0080 26=000099
meet v
talk v
more DeleteLinkSent 1
more BadLlc 0
part v
alone
verdict "an ADD LINK accepted without need is deleted; one link remains"

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
verdict "RST: DELETE LINK of one link that gets no answer"

for HONEST in S C; do
	LIAR=C
	[ $HONEST = S ] || LIAR=S
	sysctl_at $HONEST test_link_interval_ms=100
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
	sysctl_at $HONEST test_link_interval_ms=0
done

# Elements of 512 KB: an RMB has four, and a second RMB is made at the third.
HONEST=C
LIAR=S
sysctl_at C rmem=524284
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
verdict "CONFIRM RKEY refused: four connections still work, and a fifth opens"

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
verdict "CONFIRM RKEY always postponed: the next connection falls back to TCP"

# The sixth connection makes the host add a third RMB, which no connection uses.
# rmb_linger_ms is lowered late, so that the second RMB is not deleted before
# the fifth connection.
mark DeleteRkeySent MrFrees RmbsFreed
four
meet v
meet n
talk v
sysctl_at C rmb_linger_ms=200
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

# The liar deletes RMBs that connections of the honest host still write to.
sysctl_at C rmb_linger_ms=60000
sysctl_at S rmem=524284
sysctl_at C rmem=131068
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
verdict "CABORT: DELETE RKEY of an RMB in use; those of another RMB still work"

liar_end
