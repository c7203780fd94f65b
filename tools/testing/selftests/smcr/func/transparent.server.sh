#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of transparent.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

sysctl_for_now net.smcr.transparent 1
together ready
for kind in tcp4 tcp6; do
	addresses $kind
	save $kind
	serve $kind "$SERVER"
	together $kind.ready
	served
	grew $kind RxBytes -ge 6600000
	grew $kind TxBytes -ge 6600000
	# The excluded program of the other host sent no option; that one only.
	grew $kind FallbackNoOption -eq 1
	grew $kind Fallbacks -eq 1
	no_conn_left
	together $kind.end
done
addresses tcp4
serve tcp4 "$SERVER"
together held.ready
served
no_conn_left
together end
finish
