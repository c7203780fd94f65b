#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of many.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

serve_all
by_rdma begin 40000000 40000000
all_over
