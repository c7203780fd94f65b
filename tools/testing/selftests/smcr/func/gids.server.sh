#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of gids.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

# Each first contact makes a group of its own
sysctl_for_now net.smcr.lgr_linger_ms 0
undo_later sysctl -qw net.smcr.gid_kind=0
save begin
serve smcr6 ::
together ready
served
no_fallback begin
no_conn_left
together end
finish
