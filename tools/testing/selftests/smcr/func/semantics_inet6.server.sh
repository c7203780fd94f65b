#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of semantics_inet6.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

addresses inet6
save begin
agent
together ready
agent_ended
grew begin PassiveOpens -gt 100
no_fallback begin
no_conn_left
together end
finish
