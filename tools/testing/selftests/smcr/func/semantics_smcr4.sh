#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Socket calls over smcr4 give the results they give over tcp4
# rfc: 4.5.2, 4.5.3, 4.7.5, 4.8.1, 4.8.2, B, B.1
# nics: 1
# timeout: 400
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

client_leads

compared smcr4 tcp4
finish
