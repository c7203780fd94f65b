#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of seq.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

kind=smcr4
addresses $kind
save begin
serve $kind "$SERVER"
together ready
served
# 1 to make the group, 500, 1 to end the server.
grew begin PassiveOpens -eq 502
grew begin ConnsOpened -eq 502
grew begin FirstContacts -le 1
grew begin Aborts -eq 0
by_rdma begin 500 500
no_conn_left
together end
finish
