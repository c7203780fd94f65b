#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of unload.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# shellcheck disable=SC2317 # called through wait_until
groups_freed() {
	[ "$(delta begin LinkGroupsFreed)" -ge 3 ]
}

save begin
serve $kind "$SERVER"
together ready
served
grew begin FirstContacts -ge 4
wait_until "the groups of the unloaded peer are freed" groups_freed
no_fallback begin
no_conn_left

save silent
serve $kind "$SERVER"
together silent
served
no_fallback silent
no_conn_left
together end
finish
