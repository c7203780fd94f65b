#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of link_setup.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
sysctl_for_now net.smcr.negative_ms 0
sysctl_for_now net.smcr.lgr_linger_ms 200
serve $kind "$SERVER" -a
together ready
served
no_conn_left
together end
finish
