#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: turns data
# release: turns data
# nics: 1
# Streams of 1 byte to 16 MB, by each call, over IPv6.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/data_lib.sh
. "$FUNC_DIR/lib/data_lib.sh"

client_leads

data_streams smcr6
data_streams inet6
finish
