#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Bytes behind an early C of a Linux peer are read, or end in an errno
# rfc: 4.6, 4.8.1
# nics: 2
# timeout: 120
# The liar speaks the Linux dialect and sends C before its last bytes. The honest
# host answers with its own C, and the peer's DELETE RKEY proves the end. No end
# of file comes before the last byte, nor in place of bytes that the peer drops.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_lib.sh
. "$FUNC_DIR/lib/liar_lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_say.sh
. "$FUNC_DIR/lib/liar_say.sh"

HONEST=S
LIAR=C
# Flags of CDC messages
C=0040
BC=8040
FC=0840

# closed_early: open connection "v" and send C before the bytes "late". All
# messages of the liar's smcr hide these bytes, until it has answered the honest
# host, which asks for more (R) and sends its own C.
closed_early() {
	meet v
	whole
	mark CdcReceived Aborts BadCdc BadLlc LinksFailed EarlyEnds
	lie hook cdc fe 00 0 100 12=00000000 24=$C
	step ok $LIAR send v late
	ask $HONEST await CdcReceived $((marked[CdcReceived] + 3))
	lie unhook
}

# freed: delete the RMB of connection "v", and wait until the honest host has
# answered, because its CQ handler could take a CDC message before its work takes
# DELETE RKEY
freed() {
	local rmb

	rmb=$(shown rmb0)
	lie catch 09
	lie llc 1 "092c000001000000${rmb:0:8}$(printf '%064d' 0)"
	until_replies 1
}

# over NAME: end connection "v" and its group
over() {
	more BadLlc 0
	more LinksFailed 0
	part v
	alone
	verdict "$1"
}

client_leads

liar_begin
step 0 C sh insmod /share/version2.ko

closed_early
lie cdc -1 flags=0x$C
freed
step lateEOF $HONEST recv v 5
more EarlyEnds 1
more Aborts 0
over "C, bytes, and DELETE RKEY: the bytes, and then the end of file"

# B with the bytes: the peer has more, and drops it when it gets our C.
closed_early
lie cdc -1 flags=0x$BC
step late $HONEST recv v 4
freed
step ECONNRESET $HONEST recv v 1
more Aborts 1
over "C, bytes with B, and DELETE RKEY: ECONNRESET, as the rest is dropped"

# The same without DELETE RKEY: the end of the time for it decides.
closed_early
lie cdc -1 flags=0x$BC
step lateECONNRESET $HONEST recv v 5
more Aborts 1
over "C, bytes with B, and nothing more: ECONNRESET"

# Nothing proves that the peer writes no more: it may still write to the element.
# Each end assumes that the other one closed first, and waits for its FIN.
sysctl_at C close_timeout_ms=2000
sysctl_at S close_timeout_ms=2000
# unproven END: what the honest program then reads after the last byte
unproven() {
	closed_early
	mark UnprovenEnds
	lie cdc -1 flags=0x$C
	step "late$1" $HONEST recv v 5
	step EOF $HONEST recv v 1
	more UnprovenEnds 1
	more Aborts 0
	mark ElementsQuarantined
	part v
	more ElementsQuarantined 1
	alone
}

unproven ECONNRESET
verdict "C, bytes, and nothing more: ECONNRESET, and the element is held back"
sysctl_at S unproven_eof=1
unproven EOF
verdict "the same with unproven_eof: the end of file"
sysctl_at S unproven_eof=0
sysctl_at C close_timeout_ms=60000
sysctl_at S close_timeout_ms=60000

# F waits for the message behind it. DELETE RKEY comes over the other link.
closed_early
lie cdc -1 over=1 flags=0x$FC seq=-1
freed
lie cdc -1 over=1 flags=0x$C
step lateEOF $HONEST recv v 5
more Aborts 0
over "C, F, DELETE RKEY, and bytes: the bytes, and then the end of file"

closed_early
lie cdc -1 over=1 flags=0x$FC seq=-1
freed
lie cdc -1 over=1 flags=0x$BC
step lateECONNRESET $HONEST recv v 5
more Aborts 1
over "C, F, DELETE RKEY, and bytes with B: ECONNRESET"

step 0 C sh rmmod version2
liar_end
