#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of roles.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

kind=smcr4
addresses $kind
save begin
serve $kind "$SERVER"
together ready
served
grew begin LinkGroups -eq 2
no_fallback begin
no_conn_left
together end
finish
