#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Socket calls over inet4 give the results they give over tcp4
# nics: 1
# timeout: 400
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

client_leads

compared inet4 tcp4
finish
