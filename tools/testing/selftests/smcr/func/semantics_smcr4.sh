#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: turns semantics
# release: turns smcr
# nics: 1
# timeout: 400
# Socket calls over smcr4 give the results they give over tcp4.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

compared smcr4 tcp4
