#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of slowly.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh disable=SC2317
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
python3 -B slowly.py serve "$SERVER" "$PORT" 0 >"$tmp/serve" 2>&1 &
server=$!
jobs_started+=("$server")
serving() {
	grep -q serving "$tmp/serve"
}
wait_until "the server listens" serving
together ready
together end
finish
