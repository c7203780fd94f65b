#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: turns semantics
# release: turns smcr
# nics: 1
# timeout: 400
# Socket calls over smcr6 give the results they give over tcp6.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

together ready
save begin
same_semantics smcr6 tcp6
grew begin ActiveOpens -gt 100
grew begin RdmaWrites -gt 100
no_fallback begin
no_conn_left
addresses smcr6
check "end of the agent" "$SEMANTICS" --stop "$SERVER" "$PORT"
together end
finish
