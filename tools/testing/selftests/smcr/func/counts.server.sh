#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of counts.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=counts_lib.sh
. "$FUNC_DIR/counts_lib.sh"

kind=smcr4
addresses $kind
save begin
serve $kind "$SERVER"
tcp_begin
together ready
served
tcp_needless >"$SHARED/counts.needless"
by_rdma begin $((100000 / SLOW)) $((100000 / SLOW))
together end
finish
