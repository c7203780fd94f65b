#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of fallback_peer.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

for pair in smcr4/tcp4 inet6/tcp6; do
	kind=${pair%/*}
	addresses "$kind"
	save "$kind"
	serve "${pair#*/}" "$SERVER"
	together "$kind.ready"
	served
	grew "$kind" PassiveOpens -eq 0
	together "$kind.end"
done
for pair in tcp4/smcr4 tcp6/inet6; do
	kind=${pair%/*}
	addresses "$kind"
	save "$kind"
	serve "${pair#*/}" "$SERVER"
	together "$kind.ready"
	served
	by_tcp "$kind" NoOption 27
	no_conn_left
	together "$kind.end"
done
finish
