#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A client answers, ignores or ends the link on false LLC messages
# rfc: 3.5.1.6.1, A.3.8, C.7.1
# nics: 1
# timeout: 120
# False LLC messages from a server: the honest client answers them, ignores
# them, or ends the link and then sets up a new one.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_lib.sh
. "$FUNC_DIR/lib/liar_lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_say.sh
. "$FUNC_DIR/lib/liar_say.sh"

HONEST=C
LIAR=S
role=client

client_leads

liar_begin
fresh
verdict "a connection in a group"
both_roles
answers "NEG: ADD LINK with MTU 9: reason 2" 02 022c02c0 \
	022c0000 525400000001 fe800000000000000000000000000001 000099 07 09
answers "NEG: ADD LINK for which there is no path: reason 1" 02 022c01c0 \
	022c0000 525400000001 fe800000000000000000000000000001 000099 07 03
gives_up "CONFIRM LINK out of turn" \
	say 012c0000 000000000000 00000000000000000000000000000000 000011 01

mark ResetLinkDown
say 042c0000 "$(shown link)" 00020000
step ECONNRESET C recv n 1
more ResetLinkDown 1
fresh
verdict "DELETE LINK of its only link ends the group of a client"
mark ResetGroupDeleted
say 042c0040
step ECONNRESET C recv n 1
more ResetGroupDeleted 1
fresh
verdict "DELETE LINK (all) ends the group of a client"

liar_end
