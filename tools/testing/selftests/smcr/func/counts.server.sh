#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of counts.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

kind=smcr4
addresses $kind
save begin
serve $kind "$SERVER"
together ready
served
by_rdma begin 100000 100000
together end
finish
