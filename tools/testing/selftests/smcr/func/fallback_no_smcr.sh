#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: turns fallback
# nics: 1
# timeout: 400
# no-smcr: server
# A server without the module: every call as over TCP.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

for v in 4 6; do
	together "v$v.ready"
	save "v$v"
	same_semantics "fall$v/tcp$v" "tcp$v"
	grew "v$v" FallbackNoOption -gt 100
	grew "v$v" RdmaWrites -eq 0
	no_conn_left
	addresses "tcp$v"
	check "end of the agent" "$SEMANTICS" --stop "$SERVER" "$PORT"
	together "v$v.end"
done
finish
