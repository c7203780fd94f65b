#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The server of failover.sh: sends a paced stream.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

sysctl -qw net.smcr.negative_ms=0
"$BENCH/gap.py" send $SERVER 7990 &
children+=($!)
until listens 7990; do sleep 0.05; done
barrier bench.ready
barrier end
exit 0
