#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of epoll.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

serve_all
by_rdma begin 20000000 20000000
all_over
