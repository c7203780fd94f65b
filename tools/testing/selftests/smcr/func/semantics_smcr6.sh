#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Socket calls over smcr6 give the results they give over tcp6
# rfc: B
# nics: 1
# timeout: 400
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

client_leads

compared smcr6 tcp6
finish
