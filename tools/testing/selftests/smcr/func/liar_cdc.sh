#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A false CDC message aborts one connection at most and leaks no byte
# rfc: 4.2, 4.4.1, 4.5.1, 4.6, 4.7.5, 4.8.1, A.4
# nics: 1
# timeout: 240
# False CDC messages: the honest host resets their connection or ignores the
# message, and no program reads a byte that a false cursor announced. Each host
# is the honest one in turn.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_lib.sh
. "$FUNC_DIR/lib/liar_lib.sh"

# Size of a default RMBE's ring in bytes: 128 KB less the eye catcher
RING=$((131072 - 4))

# result FACT: print the result of a case, with the name of the honest host
result() {
	verdict "to $HONEST, $1"
}

# aborts FACT KEYS...: expect that the message resets its connection
aborts() {
	mark BadCdc ResetCdcInvalid Aborts
	lie cdc -1 "${@:2}"
	step ECONNRESET $HONEST recv v 1
	more BadCdc 1
	more ResetCdcInvalid 1
	more Aborts 1
	step ECONNRESET $LIAR recv v 1
	part v
	talk n
	result "CABORT: $1"
}

# new_aborts FACT KEYS...: the same on a connection that has carried no byte
new_aborts() {
	meet v
	aborts "$@"
}

# used_aborts FACT KEYS...: the same on one that has carried bytes both ways. A
# client's last message of "talk" is older than the bytes that it reads there,
# and a few bytes are worth no consumer update (4.5.1). So a true message tells
# the honest host where the liar's cursors are, or one that goes back might be
# ahead of what the honest host knows.
used_aborts() {
	meet v
	talk v
	lie cdc -1
	aborts "$@"
}

# ignored FACT COUNTER NUMBER KEYS...: expect that the message is counted and
# has no other effect
ignored() {
	mark "$2" Aborts
	lie cdc 0 "${@:4}"
	more "$2" "$3"
	more Aborts 0
	talk n
	result "IGN: $1"
}

# lies: tell $HONEST all of them
lies() {
	fresh
	result "a second connection is open in the same group"

	new_aborts "producer one byte beyond the window" prod=$((RING + 1))
	new_aborts "producer one wrap too far" pwrap=2
	new_aborts "producer below the eye catcher" poff=3
	new_aborts "producer at the end of the element" poff=$((RING + 4))
	new_aborts "producer offset of 4 GB" poff=$((0xffffffff))
	used_aborts "producer backwards" prod=-1
	used_aborts "producer's wrap count backwards" pwrap=-1
	new_aborts "consumer ahead of what was sent" cons=1
	used_aborts "consumer ahead of what was sent, later" cons=1
	used_aborts "consumer backwards" cons=-1
	new_aborts "consumer below the eye catcher" coff=3
	new_aborts "consumer at the end of the element" coff=$((RING + 4))
	new_aborts "consumer one wrap too far" cwrap=1
	new_aborts "U without data" flags=0x2000
	new_aborts "F that skips messages" flags=0x0800 seq=5

	# The second bad message is the A of the liar's smcr, which knows of no byte.
	meet v
	mark BadCdc ResetCdcInvalid Aborts
	lie cdc -1 flags=0x6000 prod=5
	more BadCdc 0
	lie cdc -1 flags=0x6000 prod=9
	more BadCdc 2
	more ResetCdcInvalid 1
	more Aborts 1
	step ECONNRESET $HONEST recv v 1
	step ECONNRESET $LIAR recv v 1
	part v
	talk n
	result "CABORT: a second urgent byte before the first is consumed"

	meet v
	step ok $LIAR send v unread
	used=$((RING - 6 + 1))
	mark BadCdc
	lie cdc -1 prod=$used
	more BadCdc 1
	step ECONNRESET $HONEST recv v 6
	part v
	talk n
	result "CABORT: producer one byte beyond the rest of the window; none is read"

	meet v
	lie cdc -1 flags=0x80
	step EOF $HONEST recv v 1
	mark BadCdc ResetCdcInvalid
	lie cdc -1 prod=5
	more BadCdc 1
	more ResetCdcInvalid 1
	step EOF $HONEST recv v 1
	step ECONNRESET $HONEST send v late
	part v
	talk n
	result "CABORT: data after D; no program reads it"

	meet v
	step ok $LIAR send v first
	step first $HONEST recv v 5
	lie put -1 0 deadbeef
	step ok $LIAR send v second
	mark RmbeEyeCatcherBad ResetEyeCatcher
	step ECONNRESET $HONEST recv v 6
	step EOF $HONEST recv v 6
	more RmbeEyeCatcherBad 1
	more ResetEyeCatcher 1
	part v
	talk n
	result "CABORT: the eye catcher was overwritten"

	# The liar announces a byte of the zeroed element as urgent.
	meet v
	lie put -1 0 deadbeef
	mark RmbeEyeCatcherBad ResetEyeCatcher CdcReceived
	lie cdc -1 flags=0x6000 prod=5
	ask $HONEST await CdcReceived $((marked[CdcReceived] + 1))
	step ENOTCONN $HONEST urgent v
	step ECONNRESET $HONEST recv v 1
	step EOF $HONEST recv v 1
	more RmbeEyeCatcherBad 1
	more ResetEyeCatcher 1
	part v
	talk n
	result "CABORT: the eye catcher was overwritten, and an urgent byte is read"

	# The liar's program reads nothing, so the last bytes wait for the window.
	rmem=$(sysctl -n net.smcr.rmem)
	sysctl_at $LIAR rmem=16384
	meet v
	for ((i = 0; i < 20; i++)); do
		step ok $HONEST send v "$(printf '%01000d' 0)"
	done
	mark Aborts BadCdc
	lie cdc -1 flags=0x40
	more Aborts 1
	more BadCdc 0
	ask $HONEST send v late
	[ "$reply" != ok ] || wrong+="; bytes are still accepted"
	part v
	sysctl_at $LIAR rmem="$rmem"
	talk n
	result "CABORT: C while bytes are unsent"

	# Each end assumes that the other one closed first, and waits for its FIN.
	sysctl_at C close_timeout_ms=2000
	sysctl_at S close_timeout_ms=2000
	meet v
	mark CdcIgnored ResetPeerAbort BadCdc
	lie cdc -1 flags=0x40
	step EOF $HONEST recv v 1
	lie cdc -1 prod=5
	lie cdc -1 flags=0x20
	more CdcIgnored 2
	more BadCdc 0
	step EOF $HONEST recv v 1
	part v
	talk n
	result "IGN: any message after C"

	meet v
	mark ResetPeerAbort CdcIgnored
	lie cdc -1 flags=0x20 x=2
	step ECONNRESET $HONEST recv v 1
	more ResetPeerAbort 1
	# The two are the second A, and the reply of the liar's smcr to the honest
	# host's A.
	more CdcIgnored 2
	step ECONNRESET $LIAR recv v 1
	part v
	talk n
	result "A ends a connection, once"

	# A peer that aborts does not repeat its bytes after a move.
	meet v
	mark ResetPeerAbort BadCdc
	lie cdc -1 flags=0xa0 prod=5
	step ECONNRESET $HONEST recv v 1
	more ResetPeerAbort 1
	more BadCdc 0
	step ECONNRESET $LIAR recv v 1
	part v
	talk n
	result "A with D and bytes ends a connection, and none is read"

	ignored "an unknown type" BadCdc 1 type=0xff
	ignored "another length byte" BadCdc 1 len=43
	ignored "a token of another generation" CdcIgnored 1 token=0x10000
	ignored "a token without a slot" CdcIgnored 1 token=0xfff0
	ignored "the same sequence number again" CdcIgnored 1 seq=-1 prod=9
	ignored "an older sequence number" CdcIgnored 1 seq=-2 prod=9
	ignored "a sequence number half the circle ahead" CdcIgnored 1 seq=40000 prod=9
	ignored "F with nothing missing" CdcIgnored 1 seq=-1 flags=0x0800
	ignored "a gap in the sequence, which is counted" CdcGaps 5 seq=5

	mark Aborts UrgentReceived
	lie cdc 0 flags=0x4000 x=100
	more Aborts 0
	more UrgentReceived 0
	talk n
	result "a hundred P without urgent data behind them have no effect"

	mark CdcReceived CdcSent
	began=$SECONDS
	lie cdc 0 flags=0x1000 x=100
	more CdcReceived 100
	ask $HONEST stat CdcSent
	[ $((reply - marked[CdcSent])) -le $((SECONDS - began + 2)) ] ||
		wrong+="; CdcSent $reply"
	talk n
	result "a hundred R get one answer a second at most"

	mark BadCdc
	lie raw fe2c0001
	more BadCdc 1
	talk n
	result "IGN: a CDC message of 4 bytes"

	mark LinksFailed
	lie cdc 0 type=0xff x=40
	more LinksFailed 1
	step ECONNRESET $HONEST recv n 1
	fresh
	result "LDOWN: forty messages of an unknown type; a new group works"
}

client_leads

HONEST=C LIAR=S
liar_begin
lies
lie unhook
HONEST=S LIAR=C
lies
liar_end
