#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A late second answer to an LLC request is harmless
# nics: 1
# timeout: 120
# A client answers an LLC request twice, with different replies.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/liar_lib.sh
. "$FUNC_DIR/lib/liar_lib.sh"

HONEST=S
LIAR=C

client_leads

liar_begin

# As Linux does: agree, and then refuse when DELETE LINK comes.
step 0 C sh insmod /share/version2.ko
mark DeleteLinkSent LinksFailed BadLlc LlcIgnored
lie hook llc 02 80 0 1 2=0080 28=000099
step ok S lie catch 04
step ok C connect v
more DeleteLinkSent 1
lie llc 1 "$(printf '022c01c0%080d' 0)"
step ok S accept v
talk v
ask S look reply
# The module shows the start of the message; the rest is zeros.
answer=$(printf '%s%0*d' "$reply" $((88 - ${#reply})) 0)
step ok S lie catch 00
lie llc 1 "$answer"
talk v
# The server ignored and counted the captured message.
more LlcIgnored 1
more BadLlc 0
more LinksFailed 0
part v
alone
step 0 C sh rmmod version2
verdict "Linux dialect: a refusal after DELETE LINK ends only that exchange"

liar_end
