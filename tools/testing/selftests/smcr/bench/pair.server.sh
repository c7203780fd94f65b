#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The server of pair.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# again COMMAND...: run the command in the background, again and again
again()
{
	while "$@" >/dev/null 2>&1 || :; do sleep 0.01; done &
	children+=($!)
}

insmod /share/floor.ko && linux_too || exit 1
calm_timers
ip addr add $LINUX_SERVER/24 dev eth0 || exit 1
serve smcr4 0
serve linux4 0
serve tcp4 0 16384 65536 131072 262144 524288
again floor_server
again perf_lat 64
again perf_bw 65536
used >/dev/null
barrier bench.ready
barrier end
exit 0
