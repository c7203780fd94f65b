#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The server of unused.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

serve smcr4 0
serve tcp4 0
used >/dev/null
barrier bench.ready
barrier end
exit 0
