#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of data_v4.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=data_lib.sh
. "$FUNC_DIR/data_lib.sh"

data_server smcr4 inet4
