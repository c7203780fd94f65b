#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of final.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh disable=SC2317
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
sysctl_for_now net.smcr.close_timeout_ms 2000
python3 -B final.py serve "$SERVER" "$PORT" >"$tmp/serve" 2>&1 &
server=$!
jobs_started+=("$server")
serving() {
	grep -q serving "$tmp/serve"
}
wait_until "the server listens" serving
together ready
together end
sed '/^serving$/d; s/^/# /' "$tmp/serve"
finish
