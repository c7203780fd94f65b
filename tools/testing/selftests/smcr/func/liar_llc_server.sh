#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A server answers, ignores or ends the link on false LLC messages
# rfc: A.3.8, C.7.1
# nics: 1
# timeout: 120
# False LLC messages from a client: the honest server answers them, ignores
# them, or ends the link and then sets up a new one.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_lib.sh
. "$FUNC_DIR/lib/liar_lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_say.sh
. "$FUNC_DIR/lib/liar_say.sh"

HONEST=S
LIAR=C
role=server

client_leads

liar_begin
fresh
verdict "a connection in a group"
both_roles
gives_up "CONFIRM LINK from a client" \
	say 012c0000 000000000000 00000000000000000000000000000000 000011 01
mark AddLinkSent AddLinkRefused BadLlc
say 022c0000
more AddLinkRefused 1
more AddLinkSent 1
talk n
more BadLlc 0
verdict "the server offers a link to a client that asks for one"
for i in 1 2 3 4 5 6 7 8; do
	say 022c0000
done
talk n
ask "$HONEST" stat AddLinkSent
[ $((reply - marked[AddLinkSent])) -le 3 ] || wrong+="; one for each request"
verdict "a client that keeps asking gets few offers"

for how in "$(shown link)" 00; do
	flag=00
	[ "$how" != 00 ] || flag=40
	mark ResetGroupDeleted DeleteLinkSent
	say 042c00$flag "$how" 00020000
	step ECONNRESET S recv n 1
	more DeleteLinkSent 1
	fresh
	verdict "a server answers DELETE LINK ($flag) with DELETE LINK (all)"
done

liar_end
