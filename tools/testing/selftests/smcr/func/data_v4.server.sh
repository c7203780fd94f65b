#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of data_v4.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

for kind in smcr4 inet4; do
	addresses $kind
	save $kind
	serve $kind "$SERVER"
	together $kind.ready
	served
	by_rdma $kind 40000000 40000000
	no_conn_left
	together $kind.end
done
finish
