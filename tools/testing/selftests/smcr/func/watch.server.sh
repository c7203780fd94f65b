#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of watch.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh disable=SC2317
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
python3 -B watch.py serve "$SERVER" "$PORT" >"$tmp/serve" 2>&1 &
jobs_started+=("$!")
serving() {
	grep -q serving "$tmp/serve"
}
wait_until "the server listens" serving
together ready
together end
finish
