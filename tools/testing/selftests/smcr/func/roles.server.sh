#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of roles.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

serve_all
grew begin LinkGroups -eq 2
by_rdma begin 393216 393216
all_over
