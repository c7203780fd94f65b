#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The host under test of hostile_clc_between.sh.
# shellcheck source-path=SCRIPTDIR source=lib/hostile_lib.sh
. "$(dirname "$0")/lib/hostile_lib.sh"

hostile_agent
together ready
hostile_agent_ended
no_conn_left
together end
finish
