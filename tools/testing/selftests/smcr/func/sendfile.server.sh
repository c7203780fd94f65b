#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of sendfile.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

kind=smcr4
addresses $kind
save begin
serve $kind "$SERVER"
together ready
served
by_rdma begin 37000000 37000000
no_conn_left
together end
finish
