#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of vlan.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/vlan_lib.sh
. "$FUNC_DIR/lib/vlan_lib.sh"

vlans 1
save begin
serve smcr6 ::
together ready
served
grew begin LinkGroups -eq 6
grew begin SubsequentContacts -ge 6
by_rdma begin 1966080 1966080
no_conn_left
together end
finish
