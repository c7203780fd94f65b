#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: turns semantics
# release: turns smcr
# nics: 1
# timeout: 400
# Socket calls over smcr4 give the results they give over tcp4.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

together ready
save begin
same_semantics smcr4 tcp4
grew begin ActiveOpens -gt 100
grew begin RdmaWrites -gt 100
no_fallback begin
no_conn_left
addresses smcr4
check "end of the agent" "$SEMANTICS" --stop "$SERVER" "$PORT"
together end
finish
