#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Streams of 1 byte to 16 MB arrive intact over IPv4, by every call
# rfc: 2.2.1, 3.3, 3.5.1.1, 3.5.1.3, 3.5.1.5, A.4
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/data_lib.sh
. "$FUNC_DIR/lib/data_lib.sh"

client_leads

data_streams smcr4
data_streams inet4
finish
