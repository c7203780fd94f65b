#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of fallback_no_smcr.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

for v in 4 6; do
	addresses "tcp$v"
	agent
	together "v$v.ready"
	agent_ended
	together "v$v.end"
done
finish
