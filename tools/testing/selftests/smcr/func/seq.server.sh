#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of seq.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

serve_all
# 1 to make the group, 500, 320, 1 to end the server.
grew begin PassiveOpens -eq 822
grew begin ConnsOpened -eq 822
grew begin FirstContacts -le 1
grew begin Aborts -eq 0
by_rdma begin 820 820
all_over
