#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of rkeys.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"
# shellcheck source=lib/rkeys_lib.sh
. "$(dirname "$0")/lib/rkeys_lib.sh"

kind=smcr4
addresses $kind
sysctl_for_now net.smcr.rmb_linger_ms 300
crowd_serve $kind "$SERVER"
save first
together ready
for round in first second; do
	together $round.open
	rmbs_made $round
	together $round.close
	rmbs_gone $round
	together $round.gone
	grew $round Aborts -eq 0
	save second
done
together end
crowd_served
finish
