#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of pace.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

serve_all
by_rdma begin 10000000 10000000
all_over
