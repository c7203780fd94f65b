#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of bulk.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

serve_all
by_rdma begin 67108864 67108864
all_over
