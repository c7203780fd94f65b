#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of growth.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"
# shellcheck source=lib/growth_lib.sh
. "$(dirname "$0")/lib/growth_lib.sh"

kind=smcr4
addresses $kind
sysctl_for_now net.smcr.rmem $ELEM
sysctl_for_now net.smcr.wmem $ELEM
crowd_serve $kind "$SERVER"
together ready
together few
memory few
together many
memory many
slopes
together closed
no_conn_left
together end
crowd_served
finish
