# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# LLC messages that lie, and the reaction of either role. Source this after
# liar_lib.sh, with HONEST, LIAR and role set.
# shellcheck disable=SC2154 # what lib.sh and the test set

# No link has link number 9.
NO_LINK=09

# llc BYTES...: print an LLC message of 44 bytes, padded with zeros
llc() {
	local text=${*// /}

	text=${text// /}
	printf '%s%0*d' "$text" $((88 - ${#text})) 0
}

# say BYTES...: send an LLC message of those bytes
say() {
	lie llc 1 "$(llc "$*")"
}

# gives_up FACT COMMAND...: expect that the honest host ends the link
gives_up() {
	mark BadLlc LinksFailed ResetLinkDown
	"${@:2}"
	step ECONNRESET "$HONEST" recv n 1
	more BadLlc 1
	more LinksFailed 1
	more ResetLinkDown 1
	fresh
	verdict "LDOWN at the $role: $1"
}

# answers FACT TYPE BYTES-OF-REPLY BYTES...: expect a reply, and that the
# connection still works
answers() {
	lie catch "$2"
	say "${@:4}"
	wait_reply
	[ "${reply:0:${#3}}" = "$3" ] || wrong+="; reply $reply, not $3..."
	lie unhook
	talk n
	verdict "at the $role: $1"
}

# until_replies COUNT: wait until the module has captured COUNT replies
until_replies() {
	local end=$((SECONDS + WAIT))

	while ask "$LIAR" look replies; [ "$reply" -lt "$1" ]; do
		[ $SECONDS -lt $end ] || break
		sleep 0.02
	done
	want "$1" "replies caught"
}

# wait_reply: set $reply to the bytes of a captured reply
wait_reply() {
	until_replies 1
	ask "$LIAR" look reply
}

# Messages to which both roles react in the same way
both_roles() {
	mark BadLlc LlcIgnored LinksFailed
	say 802c0000
	more LlcIgnored 1
	more BadLlc 0
	lie raw 8001020304
	more BadLlc 1
	more LinksFailed 0
	talk n
	verdict "IGN at the $role: optional opcodes, of any length"

	local data=000102030405060708090a0b0c0d0e0f

	answers "TEST LINK is echoed" 07 072c0080$data 072c0000 $data

	# A key of the liar that the honest host knows, with its address
	local known other=0123456789abcdef

	known=$(shown rmb0)
	answers "CONFIRM RKEY of a known RMB is confirmed" \
		06 "062c008000$known" "062c000000$known"
	answers "NEG: CONFIRM RKEY of a known key with another address" \
		06 "062c00a000${known:0:8}$other" \
		"062c000000${known:0:8}$other"
	answers "NEG: CONFIRM RKEY that names an unknown link" \
		06 062c00a001feedbeef$other${NO_LINK}feedbeef \
		062c000001feedbeef$other${NO_LINK}feedbeef$other
	answers "CONFIRM RKEY of a new RMB is confirmed" \
		06 062c008000feedbeef$other 062c000000feedbeef$other
	answers "DELETE RKEY of this RMB is confirmed" \
		09 092c00800100 092c000001000000feedbeef
	answers "NEG: DELETE RKEY of an unknown RMB, with its error bit" \
		09 092c00a002c0 092c000002000000deadbeeffeedbeef
	answers "DELETE LINK of an unknown link is answered with that reason" \
		04 042c0080${NO_LINK}00100000 042c0000${NO_LINK}00010000

	gives_up "required opcode 0" say 002c0000
	gives_up "required opcode 5" say 052c0000
	gives_up "opcode 0x40" say 402c0000
	gives_up "length byte 43" say 072b0000
	gives_up "43 bytes" lie raw "$(llc 072c0000 | cut -c-86)"
	gives_up "TEST LINK reply without a request" say 072c0080
	gives_up "CONFIRM LINK reply out of turn" \
		say 012c0080 000000000000 \
		00000000000000000000000000000000 000011 01
	gives_up "ADD LINK reply out of turn" say 022c00c0
	gives_up "ADD LINK CONTINUATION out of turn" say 032c0000 01
	gives_up "CONFIRM RKEY reply out of turn" say "062c008000$known"
	gives_up "CONFIRM RKEY CONTINUATION out of turn" \
		say 082c0000 01 01feedbeef$other
	gives_up "CONFIRM RKEY with eight other links" say "062c000008$known"
	gives_up "DELETE RKEY of no key" say 092c0000 00
	gives_up "DELETE RKEY of nine keys" say 092c0000 09
	gives_up "DELETE RKEY reply out of turn" say 092c0080 01
	gives_up "repeated immediate data" immediates
	flood
	too_many_rmbs
}

too_many_rmbs() {
	lie catch 06
	lie rkeys 256
	until_replies 256
	ask "$LIAR" look reply
	[ "${reply:6:2}" = a0 ] || wrong+="; the last reply is $reply"
	talk n
	lie unhook
	fresh
	verdict "NEG at the $role: CONFIRM RKEY beyond 255 RMBs"
}

# Send more messages in a second than a group handles: the rest waits, and none
# is lost. Do not use TEST LINK, since the liar's own smcr sends it to learn how
# many messages were handled.
flood() {
	mark LinksFailed BadLlc
	lie catch 06
	lie llc 3000 "$(llc "062c000000$(shown rmb0)")"
	talk n
	until_replies 3000
	more LinksFailed 0
	more BadLlc 0
	lie unhook
	talk n
	verdict "at the $role: replies to a CONFIRM RKEY flood are rate-limited"
}

immediates() {
	local i

	for ((i = 0; i < 17; i++)); do
		ask "$LIAR" lie imm 1
	done
	marked[BadLlc]=$((marked[BadLlc] + 16))
}
