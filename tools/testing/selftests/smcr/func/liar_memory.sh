#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A reused receive element shows no foreign byte
# rfc: 3.5.2.2, 3.5.2.3, 4.3, 4.4.1, 4.4.2, 4.8.2
# kernel: release
# nics: 1
# timeout: 120
# The bytes that a connection leaves in its RMBE, and the time at which the next
# connection gets the element: no program reads a foreign byte (RFC 7609 4.4.1,
# 4.4.2). A peer that offers an element twice has ended the older connection.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_lib.sh
. "$FUNC_DIR/lib/liar_lib.sh"

# holds NAME VALUE: wait until the honest host's RMBs have this value
holds() {
	local end=$((SECONDS + WAIT * 3))

	while ask C look "$1"; [ "$reply" != "$2" ]; do
		[ $SECONDS -lt $end ] || break
		sleep 0.05
	done
	want "$2" "$1"
}

has() {
	ask C look "$1"
	want "$2" "$1"
}

client_leads

liar_begin
for HONEST in S C; do
	LIAR=C
	[ $HONEST = S ] || LIAR=S
	fresh
	mark Aborts BadCdc
	lie put 0 4 "$(printf 'ff%.0s' {1..32})"
	talk n
	talk n
	more Aborts 0
	more BadCdc 0
	verdict "to $HONEST, bytes in its element change no cursor and no flag"

	mark ResetRmbeConflict Aborts
	lie elem 0
	meet v
	step ECONNRESET $HONEST send n late
	step ECONNRESET $HONEST recv n 1
	more ResetRmbeConflict 1
	more Aborts 1
	step ECONNRESET $LIAR recv n 1
	step ok $LIAR send v theirs
	step theirs $HONEST recv v 6
	lie unhook
	part n
	part v
	verdict "to $HONEST, an element is offered twice: its older user is reset"
done

# An RMB has only four elements, so that one in use makes a difference. An
# element is in quarantine for four times as long as a queue pair retries.
for host in C S; do
	sysctl_at $host rmem=524284
	sysctl_at $host abort_timeout_ms=3000
done
sysctl_at C qp_timeout=15
fresh
holds used 1
holds dirty 0
verdict "one element is used"

meet v
step ok S send v announced
step announced C recv v 9
holds used 2
part v
holds used 1
holds dirty 0
has quarantine 0
has stale 0
verdict "after an orderly end the announced bytes are zeroed"

mark ElementsQuarantined
meet v
lie put -1 5000 736563726574
lie cdc -1 prod=-1
step ECONNRESET C recv v 1
step ECONNRESET S recv v 1
part v
holds used 1
holds dirty 0
holds stale 0
more ElementsQuarantined 0
talk n
verdict "after an answered abort the whole element is zeroed"

mark ElementsQuarantined
meet v
lie put -1 5000 736563726574
lie hook cdc fe 00 1 2 4=ffffffff
lie cdc -1 prod=-1
step ECONNRESET C recv v 1
has used 2
more ElementsQuarantined 1
has quarantine 1
has used 1
# The messages of the other connections are not changed.
lie unhook
meet w
meet x
has quarantine 1
has used 3
holds quarantine 0
holds stale 0
part v
part w
part x
holds used 1
talk n
verdict "after an unanswered abort the element is zeroed when quarantine ends"

meet v
step ok C lie stall
step ok S send v mine
step ok C stall v
holds stalled 1
step ok S reset v
mark ResetPeerAbort
meet w
meet x
holds used 4
step ok S send w theirs
step ok S send x theirs
step theirs C recv w 6
step theirs C recv x 6
has used 4
step ok C lie go
ask C stalled v
[ "$reply" = mine ] || [ "$reply" = ECONNRESET ] ||
	wrong+="; the stalled reader got $reply"
holds used 3
holds stale 0
step ok C close v
part w
part x
talk n
verdict "while a reader stalls, no other connection gets its element"

liar_end
