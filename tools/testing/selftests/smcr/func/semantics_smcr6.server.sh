#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of semantics_smcr6.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

addresses smcr6
save begin
agent
together ready
agent_ended
grew begin PassiveOpens -gt 100
no_fallback begin
no_conn_left
together end
finish
