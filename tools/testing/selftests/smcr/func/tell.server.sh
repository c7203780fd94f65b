#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of tell.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
serve $kind "$SERVER"
together ready
together held
smcr-ctl -j conn >"$SHARED/tell.server.conns"
together told
served
no_conn_left
together end
finish
